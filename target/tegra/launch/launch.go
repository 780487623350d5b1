// Package launch runs Tegra vertex programs, with attributes, uniforms, constants and exports by name.
package launch

import (
	"slices"
	"strconv"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
)

// Open opens a file, or raw words, for a run from a label or the number of an instruction; "" is the first.
func Open(req feed.Request) (feed.Runner, error) {
	if err := req.Load(tegra.Load); err != nil {
		return nil, err
	}
	p, err := read(req)
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(p, req.Program)
	if err != nil {
		return nil, err
	}
	m, err := exec.Open(req.Set)
	if err != nil {
		return nil, err
	}
	l, err := New(m, req.Set, p, req.Quirks)
	if err != nil {
		return nil, err
	}
	l.Entry = entry
	return feed.NewBatch(l), nil
}

func read(req feed.Request) (*tegra.Program, error) {
	if !req.Raw && tegra.IsContainer(req.Data) {
		return tegra.ReadContainer(req.Set, &diag.Source{Text: string(req.Data)})
	}
	return tegra.ReadRaw(req.Set, req.Data, "")
}

func entryOf(p *tegra.Program, name string) (uint64, error) {
	if name == "" {
		return 0, nil
	}
	for _, l := range p.Labels {
		if l.Name == name {
			return uint64(l.Number), nil
		}
	}
	if n, err := strconv.ParseUint(name, 10, 16); err == nil && n < uint64(len(p.Words)) {
		return n, nil
	}
	return 0, exec.Optionf("unknown label %q, expected a label of the program or a number below %d", name, len(p.Words))
}

// New returns a program for callers that run it themselves. m is the result of exec.Open for the set.
func New(m *exec.Machine, set *isa.Set, p *tegra.Program, quirks map[string]string) (*exec.Launch, error) {
	root, err := m.Root("")
	if err != nil {
		return nil, err
	}
	words := exec.Words{Root: root, Context: set.DefaultContext()}
	if words.Quirks, err = m.ParseQuirks(quirks); err != nil {
		return nil, err
	}
	words.Fetch = func(addr uint64) (v bits.Value, ok bool) {
		if addr >= uint64(len(p.Words)) {
			return v, false
		}
		return p.Words[addr], true
	}
	l := &exec.Launch{Program: exec.NewProgram(m, words), Shared: exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)}
	inputs, err := exec.FileFor(m, "input")
	if err != nil {
		return nil, err
	}
	file, err := exec.FileFor(m, "constant")
	if err != nil {
		return nil, err
	}
	l.Inputs, l.Uniforms = named(inputs, p.Attributes, nil), named(file, p.Uniforms, p.Constants)
	if err := outputs(l, set, p); err != nil {
		return nil, err
	}
	for _, c := range p.Constants { // grate loads all components; those without a value are 0
		for k := range file.Type.Lanes {
			l.Shared.Set(file, c.Number, k, 0)
		}
	}
	for _, c := range p.Constants {
		l.Shared.Set(file, c.Number, c.Component, uint64(c.Bits))
		if n := len(l.Constants); n == 0 || l.Constants[n-1].First != c.Number {
			l.Constants = append(l.Constants, exec.Port{State: file, First: c.Number, Count: 1})
		}
	}
	return l, nil
}

// named names the registers of a file. A uniform reaches up to the next name or constant: a matrix has one name.
func named(s *exec.State, names []tegra.Name, constants []tegra.Constant) []exec.Port {
	var list []exec.Port
	for i, n := range names {
		p := exec.Port{Name: n.Name, State: s, First: n.Number, Count: 1}
		if s.Use == "constant" {
			end := s.Count
			if i+1 < len(names) {
				end = names[i+1].Number
			}
			for _, c := range constants {
				if c.Number > n.Number {
					end = min(end, c.Number)
				}
			}
			p.Count = end - n.Number
		}
		list = append(list, p)
	}
	return list
}

// outputs returns the exports that the program names, and those that it writes.
func outputs(l *exec.Launch, set *isa.Set, p *tegra.Program) error {
	s, err := exec.FileFor(l.Program.Machine, "output")
	if err != nil {
		return err
	}
	written, err := writes(set, p, s.Name)
	if err != nil {
		return err
	}
	l.Outputs = named(s, p.Exports, nil)
	for n := range s.Count {
		if written[n] && !slices.ContainsFunc(p.Exports, func(e tegra.Name) bool { return e.Number == n }) {
			l.Outputs = append(l.Outputs, exec.Port{Name: s.Name + strconv.Itoa(n), State: s, First: n, Count: 1})
		}
	}
	slices.SortFunc(l.Outputs, func(a, b exec.Port) int { return a.First - b.First })
	return nil
}

// writes returns the registers of the file of exports that the words of a program name. An export with an offset may be any: those that have
// names, or all if none has.
func writes(set *isa.Set, p *tegra.Program, exports string) (written map[int]bool, err error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	written = map[int]bool{}
	var list []isa.Operand
	for _, w := range p.Words {
		in, ok := d.Decode(w)
		if !ok {
			continue
		}
		list = d.Operands(list[:0], in)
		for i := range list {
			o := &list[i]
			if o.Register.File == nil || o.Register.File.Name != exports {
				continue
			}
			written[o.Register.Index] = true
			for n := range o.Register.File.Count {
				written[n] = written[n] || o.Relative.File != nil && len(p.Exports) == 0
			}
		}
	}
	return written, nil
}
