// Package launch runs PICA200 shaders, with uniforms, constants, inputs and outputs by name.
package launch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// Open opens a program of a file, by its label or its number. For "" it opens the first vertex shader, or the first
// program if there is none.
func Open(req feed.Request) (feed.Runner, error) {
	if err := req.Load(pica200.Load); err != nil {
		return nil, err
	}
	file, err := pica200.ReadSHBIN(req.Data)
	if err != nil {
		return nil, err
	}
	d, entry, err := choose(file, req.Program)
	if err != nil {
		return nil, err
	}
	l, err := launchOf(req.Set, file, d, entry, req.Quirks)
	if err != nil {
		return nil, err
	}
	if d.Type == pica200.GeometryShader {
		return newGeometry(l, file, d, req.Options)
	}
	for _, o := range Options {
		if len(req.Options[o.Name]) > 0 {
			return nil, exec.Optionf("--%s applies only to geometry shaders, but this is a vertex shader", o.Name)
		}
	}
	return feed.NewBatch(l), nil
}

// New returns the vertex shader that Open would find, for callers that run it themselves.
func New(set *isa.Set, data []byte, program string, quirks map[string]string) (*exec.Launch, error) {
	file, err := pica200.ReadSHBIN(data)
	if err != nil {
		return nil, err
	}
	d, entry, err := choose(file, program)
	if err != nil {
		return nil, err
	}
	return launchOf(set, file, d, entry, quirks)
}

func launchOf(set *isa.Set, file *pica200.SHBIN, d *pica200.DVLE, entry uint64, quirks map[string]string) (*exec.Launch, error) {
	m, err := exec.Open(set)
	if err != nil {
		return nil, err
	}
	root, err := m.Root("")
	if err != nil {
		return nil, err
	}
	words := m.Words32(root, file.DVLP.Code, 0)
	if words.Quirks, err = m.ParseQuirks(quirks); err != nil {
		return nil, err
	}
	table := make([]bits.Value, len(file.DVLP.Descriptors))
	for i, e := range file.DVLP.Descriptors {
		table[i] = bits.Of(uint64(e.Value))
	}
	words.Tables[0] = table
	l := &exec.Launch{
		Program: exec.NewProgram(m, words),
		Shared:  exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch),
		Entry:   entry, Value: float24, Emits: d.Type == pica200.GeometryShader,
	}
	if err := ports(l, d); err != nil {
		return nil, err
	}
	return l, constants(l, d)
}

// choose returns a program of a file and its start, by the name of a label or by its number.
func choose(file *pica200.SHBIN, program string) (*pica200.DVLE, uint64, error) {
	var names []string
	first := -1
	for i := range file.DVLEs {
		d := &file.DVLEs[i]
		if program == strconv.Itoa(i) {
			return d, uint64(d.Entry), nil
		}
		if first < 0 || d.Type == pica200.VertexShader && file.DVLEs[first].Type != d.Type {
			first = i
		}
		names = append(names, strconv.Itoa(i))
		for _, label := range d.Labels {
			if label.Name == program {
				return d, uint64(label.Address), nil
			}
			names = append(names, label.Name)
		}
	}
	switch {
	case first < 0:
		return nil, 0, fmt.Errorf("the file has no program")
	case program == "":
		return &file.DVLEs[first], uint64(file.DVLEs[first].Entry), nil
	}
	return nil, 0, exec.Optionf("unknown program %q, expected one of %s", program, strings.Join(names, ", "))
}

// ports names what the file names: its uniforms and inputs, and its outputs by their semantics.
func ports(l *exec.Launch, d *pica200.DVLE) error {
	for i := range d.Uniforms {
		u := &d.Uniforms[i]
		p, err := l.Find(u.First.String())
		if err != nil || u.Last < u.First {
			continue // a run of registers that the machine does not have
		}
		p.Name, p.Count = u.Name, min(int(u.Last-u.First)+1, p.State.Count-p.First)
		if p.State.Use == "input" {
			l.Inputs = append(l.Inputs, p)
		} else {
			l.Uniforms = append(l.Uniforms, p)
		}
	}
	file, err := exec.FileFor(l.Program.Machine, "output")
	if err != nil {
		return err
	}
	for _, o := range d.Outputs {
		if int(o.Register) >= file.Count {
			return fmt.Errorf("output %s is register %d of %d", o.Semantic, o.Register, file.Count)
		}
		l.Outputs = append(l.Outputs, exec.Port{Name: o.Semantic.String(), State: file, First: int(o.Register), Count: 1, Mask: uint(o.Mask)})
	}
	for n := 0; n < file.Count && len(d.Outputs) == 0; n++ { // the file does not say what they mean
		if d.OutputMask>>uint(n)&1 != 0 {
			l.Outputs = append(l.Outputs, exec.Port{Name: file.Name + strconv.Itoa(n), State: file, First: n, Count: 1})
		}
	}
	return nil
}

// constants sets the uniforms for which the file has values.
func constants(l *exec.Launch, d *pica200.DVLE) error {
	for _, c := range d.Constants {
		reg, ok := c.Register()
		if !ok {
			continue
		}
		p, err := l.Find(reg.String())
		if err != nil {
			return err
		}
		var values []uint64
		switch c.Type {
		case pica200.ConstantFloat:
			for _, f := range c.Float24s() {
				values = append(values, uint64(math.Float32bits(pica200.Float24(f))))
			}
		case pica200.ConstantInt:
			for _, n := range c.Ints() {
				values = append(values, uint64(n))
			}
		case pica200.ConstantBool:
			values = []uint64{0}
			if c.Bool() {
				values[0] = 1
			}
		}
		if err := l.SetUniform(p, values); err != nil {
			return err
		}
		l.Constants = append(l.Constants, p)
	}
	return nil
}

// float24 reads the bits of a 24-bit float: f24:3f0000 is 1.
func float24(text string, t isa.Type) (uint64, bool) {
	digits, ok := strings.CutPrefix(text, "f24:")
	if !ok || t.Kind != isa.Float {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 24)
	return uint64(math.Float32bits(pica200.Float24(uint32(n)))), err == nil
}
