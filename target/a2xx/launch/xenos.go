package launch

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/a2xx"
)

// attributes are the inputs of a vertex program by their names in Direct3D. The fetches of the program read them from
// a buffer, in which each vertex has four floats for every attribute.
type attributes struct {
	buffer a2xx.Buffer
	// ports are the inputs, each with a state of its own, which no program has; units are the first fetch of each.
	ports []exec.Port
	units []int
}

// floatsOf is the number of components of an attribute, bytesOf its number of bytes.
const (
	floatsOf = 4
	bytesOf  = 4 * floatsOf
)

// findAttributes returns the words of a vertex program in which the fetches that the Xbox 360's runtime would fill in
// read named inputs.
func (l *loader) findAttributes(p *source, ctx bits.Value) ([]uint32, error) {
	words, slots := slices.Clone(p.words), map[int]int{}
	var names []string
	var units []int
	for _, x := range p.names.Elements {
		slot := slices.Index(names, x.Name)
		if slot < 0 {
			slot = len(names)
			names, units = append(names, x.Name), append(units, x.Place)
		}
		slots[x.Place] = slot
	}
	scale := 1
	if l.countsBytes(p) {
		scale = 4
	}
	buffer, filled, err := a2xx.FillFetches(l.req.Set, words, slots, floatsOf*len(names), scale)
	if err != nil || len(filled) == 0 {
		return p.words, err
	}
	p.attributes = &attributes{buffer: buffer}
	vertex, err := exec.PlaceOf(l.machine, ctx, vertexInput)
	if err != nil {
		return nil, err
	}
	file := vertex.State()
	for slot, name := range names {
		if !filled[slot] {
			name = "" // a fetch that is filled in already
		}
		s := &exec.State{Kind: exec.Registers, Name: name, Single: true, Type: file.Type, Components: file.Components, Count: 1, Scope: exec.ScopeLane}
		p.attributes.ports = append(p.attributes.ports, exec.Port{Name: name, Also: firstOf(name), State: s, Count: 1})
		p.attributes.units = append(p.attributes.units, units[slot])
	}
	return words, nil
}

// firstOf returns a semantic without its index if that is 0, and "" otherwise.
func firstOf(name string) string {
	usage, ok := strings.CutSuffix(name, "0")
	if !ok || strings.HasSuffix(usage, "1") {
		return ""
	}
	return usage
}

// The quirk for the unit of strides, with its values, and the quirk that decides if the first leaves it open.
const (
	unitQuirk    = "vertex_unit"
	inBytes      = "bytes"
	machineQuirk = "machine"
	sibling      = "xenos"
)

// countsBytes reports whether the strides and offsets of a program count bytes, not words.
func (l *loader) countsBytes(p *source) bool {
	given := p.quirks(l.req.Quirks)
	switch unit := given[unitQuirk]; unit {
	case "", machineQuirk:
		return given[machineQuirk] != sibling
	default:
		return unit == inBytes
	}
}

// name sets the names of inputs, outputs and constants of a program from its file.
func (l *loader) name(launch *exec.Launch, p *source) error {
	ctx := launch.Program.Context
	if p.stage == fragments {
		params, err := exec.PlaceOf(l.machine, ctx, parametersInput)
		if err != nil {
			return err
		}
		for _, x := range p.names.Interpolators {
			launch.Inputs = append(launch.Inputs, exec.Port{Name: x.Name, Also: firstOf(x.Name), State: params.State(), First: params.Number + x.Place, Count: 1})
		}
	} else {
		params, err := exec.OutputOf(l.machine, ctx, parametersOutput)
		if err != nil {
			return err
		}
		for _, x := range p.names.Interpolators {
			for i := range launch.Outputs {
				if o := &launch.Outputs[i]; o.State == params.State() && o.First == params.Number+x.Place {
					o.Name = x.Name
				}
			}
		}
	}
	if p.attributes != nil {
		for _, port := range p.attributes.ports {
			if port.Name != "" {
				launch.Inputs = append(launch.Inputs, port)
			}
		}
	}
	for _, c := range p.names.Constants {
		place := l.machine.Place(map[string]string{"uniform": constantsInput, "bool": boolsInput, "loop": loopsInput}[c.Kind], ctx)
		if place != nil && c.Name != "" && c.Last < place.Count {
			launch.Uniforms = append(launch.Uniforms, exec.Port{Name: program.Printable(c.Name), State: place.State(), First: place.Number + c.First, Count: c.Last - c.First + 1})
		}
	}
	return nil
}

// fetched runs a vertex program on named attributes.
func (r *runner) fetched(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
	given := r.Given()
	lanes := given.Lanes
	if r.index {
		lanes = max(r.scene.vertices, 1)
	}
	if opt.Count > 0 && (r.index || lanes > 0) {
		lanes, opt.Count = opt.Count, 0
	}
	v := vertexData{attributes: r.attributes, has: make([]bool, len(r.attributes.ports))}
	if size := bytesOf * len(v.ports); lanes > MaxMemory/size {
		return nil, fmt.Errorf("%d vertices of %d bytes, expected at most %d bytes", lanes, size, MaxMemory)
	} else if v.data = make([]byte, lanes*size); lanes > 0 {
		v.fill(lanes)
	}
	b := feed.NewBatch(r.Launch)
	b.Noun, b.Nouns = r.Noun, r.Nouns
	b.Feed(v.take(given, r.numbers(lanes)))
	before := len(r.scene.memory)
	defer func() { r.scene.memory = r.scene.memory[:before] }()
	if err := r.scene.buffer(v.buffer.Constant, v.buffer.Third, 0, v.data); err != nil {
		return nil, err
	}
	r.scene.attach(r.Launch)
	out, err := r.drawn(ctx, b, opt)
	if err == nil {
		out.Findings = append(v.missing(r.Program.Machine, lanes), out.Findings...)
	}
	return out, err
}

// vertexData is the buffer of attributes.
type vertexData struct {
	*attributes
	data []byte
	// has records which attributes have values.
	has []bool
}

// fill sets all attributes to (0, 0, 0, 1), Direct3D's default.
func (v *vertexData) fill(lanes int) {
	for lane := range lanes {
		for slot := range v.ports {
			v.set(slot, lane, floatsOf-1, uint64(math.Float32bits(1)))
		}
	}
}

// set sets a component of an attribute of a vertex.
func (v *vertexData) set(slot, lane, comp int, bits uint64) {
	binary.LittleEndian.PutUint32(v.data[(lane*len(v.ports)+slot)*bytesOf+4*comp:], uint32(bits))
}

// slot returns the attribute of a state, or -1.
func (v *vertexData) slot(s *exec.State) int {
	return slices.IndexFunc(v.ports, func(p exec.Port) bool { return p.State == s })
}

// take moves the attributes of vertices into the buffer. It returns the rest of the input, after the numbers of the
// vertices.
func (v *vertexData) take(given, known exec.Input) exec.Input {
	type column struct{ slot, comp int }
	var columns []column
	width := 0 // of what vertices know without it
	for _, p := range known.Ports {
		width += p.Count * len(p.Components())
	}
	for _, p := range given.Ports {
		slot := v.slot(p.State)
		if slot < 0 {
			known.Ports = append(known.Ports, p)
		} else {
			v.has[slot] = true
		}
		for range p.Count {
			for _, k := range p.Components() {
				columns = append(columns, column{slot, k})
			}
		}
	}
	know := known.Row
	for lane := 0; lane < known.Lanes && len(given.Values) > 0; lane++ {
		known.Row = nil
		at := lane % len(given.Values)
		row, missing := make([]uint64, width), make([]bool, width)
		know(lane, row)
		for i, c := range columns {
			has := i < len(given.Values[at]) && (given.Missing == nil || i >= len(given.Missing[at]) || !given.Missing[at][i])
			switch {
			case c.slot < 0 && has:
				row, missing = append(row, given.Values[at][i]), append(missing, false)
			case c.slot < 0:
				row, missing = append(row, 0), append(missing, true)
			case has:
				v.set(c.slot, lane, c.comp, given.Values[at][i])
			}
		}
		known.Values, known.Missing = append(known.Values, row), append(known.Missing, missing)
	}
	for _, g := range given.Same {
		slot := v.slot(g.Port.State)
		if slot < 0 {
			known.Same = append(known.Same, g)
			continue
		}
		v.has[slot] = true
		for lane := range known.Lanes {
			for i, k := range g.Port.Components()[:len(g.Values)] {
				v.set(slot, lane, k, g.Values[i])
			}
		}
	}
	return known
}

// missing reports the attributes without a value. The program counter counts clauses, two in a unit.
func (v *vertexData) missing(m *exec.Machine, lanes int) (list []exec.FindingCount) {
	for slot, p := range v.ports {
		pc := uint64(2 * v.units[slot])
		for k := 0; k < floatsOf && !v.has[slot] && p.Name != "" && lanes > 0; k++ {
			list = append(list, exec.FindingCount{Finding: exec.Finding{PC: pc, Address: m.Address(pc), State: p.State, Comp: k}, Count: lanes})
		}
	}
	return list
}
