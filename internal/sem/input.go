package sem

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Place is the place of an <input>, where a launch puts a value before a program starts, or of an <output>.
type Place struct {
	Name, Doc string
	// States are the file, the register or the memory. For a group of memories, they are all memories of the group.
	States []*State
	// The value is in each component of Comps of the registers from Number on, of which there are Count.
	Number, Count int
	Comps         []int
	// Offset is the address of the value in a memory, in bytes. Count values follow each other.
	Offset uint64
	// Type is the type of a component. The value has Width bits of it, starting with bit Low. A value in a memory has the
	// components Comps. So has a value in consecutive registers of one component, if Joins is set.
	Type       Type
	Joins      bool
	Low, Width int

	// In is the context in which the input or output exists.
	In spec.In
	// Builtin is the value of the pipeline that the input or output is, by its word in descriptions, or "".
	Builtin string
	// Default is the number of values of a program unless the launch says otherwise. After is the output whose values the
	// registers follow, or nil.
	Default int
	After   *Place
	// Chosen is set if each program chooses the register of the output. Number is then -1.
	Chosen bool

	spec *spec.Input // nil for an output
}

// State returns the first state, which is the only one except for a group of memories.
func (p *Place) State() *State { return p.States[0] }

// Bits returns a number as a value of the type of its place: a float with this value, or the lowest bits of an integer.
func (p *Place) Bits(n uint64) uint64 {
	switch {
	case p.Type.Kind == Bool && n != 0:
		return 1
	case p.Type.Kind == Float:
		v, _ := ParseLiteral(strconv.FormatUint(n, 10), p.Type) // beyond the largest number it is infinity
		return v
	}
	return n & (^uint64(0) >> (64 - p.Width))
}

// Place returns the place of the input with a name in some contexts, or nil.
func (m *Machine) Place(name string, context bits.Value) *Place {
	for _, p := range m.Places {
		if p.Name == name && p.In.Holds(context) {
			return p
		}
	}
	return nil
}

// Output returns the place of the output with a name in some contexts. It returns nil if there is no such output, or if
// each program chooses its place.
func (m *Machine) Output(name string, context bits.Value) *Place {
	for _, p := range m.Outputs(context) {
		if p.Name == name && !p.Chosen {
			return p
		}
	}
	return nil
}

// Outputs returns the places of the outputs in some contexts.
func (m *Machine) Outputs(context bits.Value) (list []*Place) {
	for _, p := range m.outputs {
		if p.In.Holds(context) {
			list = append(list, p)
		}
	}
	return list
}

// Inputs returns the places of the inputs in some contexts.
func (m *Machine) Inputs(context bits.Value) (list []*Place) {
	for _, p := range m.Places {
		if p.In.Holds(context) {
			list = append(list, p)
		}
	}
	return list
}

// outputs resolves the places of outputs. Outputs of views have none.
func (l *machineLoader) outputs(isa *spec.ISA) {
	for _, o := range isa.Outputs {
		p := &Place{Name: o.Name, Doc: o.Doc, Number: o.Number, Count: o.Count, Offset: uint64(o.Offset), In: o.In, Builtin: o.Builtin, Chosen: o.Number < 0, Default: o.Default}
		switch {
		case o.Memory.Text() != "":
			if !l.inMemory(p, o.Memory, o.Type, o.Span) {
				continue
			}
		case o.Register != nil:
			p.States = []*State{l.m.states[o.Register.Name]}
		case l.m.states[o.File.Name] == nil:
			continue
		default:
			p.States = []*State{l.m.states[o.File.Name]}
		}
		s := p.State()
		if s.Kind != MemoryState {
			p.Type = s.Type.Elem()
		}
		for k := range s.Type.Count() {
			if o.Mask>>uint(k)&1 != 0 {
				p.Comps = append(p.Comps, k)
			}
		}
		if o.Type.Text() != "" && s.Kind != MemoryState && !l.joins(p, o) {
			continue
		}
		for _, q := range l.m.outputs {
			if q.Name == o.After && q.In == o.In {
				p.After = q
			}
		}
		p.Width = p.Type.Width
		l.m.outputs = append(l.m.outputs, p)
	}
}

// joins resolves the type of an output whose values are in consecutive registers.
func (l *machineLoader) joins(p *Place, o *spec.Output) bool {
	t, s := l.typ(o.Type), p.State()
	if s.Type.Len > 0 || t.Elem().Width != s.Type.Width || t.Kind == Bool || s.Type.Kind == Bool || t.Len > 4 {
		l.fail(diag.Errorf(diag.MeaningType, o.Span, "values of type %s in registers of %s, which have type %s", t, s.Name, s.Type))
		return false
	}
	if n := p.Number + p.Count*t.Count(); n > s.Count {
		l.fail(diag.Errorf(diag.MeaningType, o.Span, "registers %d to %d of %s, which has %d registers", p.Number, n-1, s.Name, s.Count))
		return false
	}
	p.Type, p.Joins, p.Comps = t.Elem(), true, numbered(t.Count())
	return true
}

// numbered returns the numbers below n.
func numbered(n int) (list []int) {
	for k := range n {
		list = append(list, k)
	}
	return list
}

// places resolves the places of inputs. Registers in which the launch puts values count as given.
func (l *machineLoader) places(isa *spec.ISA) {
	for _, s := range isa.Inputs {
		p := &Place{Name: s.Name, Doc: s.Doc, Number: s.Number, Count: s.Count, Offset: uint64(s.Offset), In: s.In, Builtin: s.Builtin, spec: s}
		ok := false
		if s.Memory.Text() != "" {
			ok = l.inMemory(p, s.Memory, s.Type, s.Span)
		} else {
			ok = l.inFile(p)
		}
		if !ok {
			continue
		}
		if p.Width = p.Type.Width; s.Low >= 0 {
			p.Low, p.Width = s.Low, s.High-s.Low+1
		}
		if p.Low+p.Width > p.Type.Width || p.Width < p.Type.Width && (p.Type.Kind == Float || p.Type.Kind == Bool) {
			l.fail(diag.Errorf(diag.MeaningType, s.Span, "bits %d to %d cannot be selected from a value of type %s", p.Low, p.Low+p.Width-1, p.Type))
			continue
		}
		l.m.Places = append(l.m.Places, p)
	}
}

func (l *machineLoader) inFile(p *Place) bool {
	code := p.spec.File
	s := l.m.states[code.Text()]
	if s == nil || s.Kind != FileState || s.ReadOnly {
		l.fail(diag.Errorf(diag.Unresolved, code.Span(0, len(code.Text())), "unknown register file %q", code.Text()).Meant(code.Text(), slices.Collect(maps.Keys(l.m.states))))
		return false
	}
	if p.Number+p.Count > s.Count {
		l.fail(diag.Errorf(diag.MeaningType, p.spec.Span, "registers %d to %d of %s, which has %d registers", p.Number, p.Number+p.Count-1, s.Name, s.Count))
		return false
	}
	p.States, p.Type = []*State{s}, s.Type.Elem()
	if p.Comps = l.components(s, p.spec.Components); p.Comps == nil {
		return false
	}
	for n := p.Number; n < p.Number+p.Count; n++ {
		if !slices.Contains(s.Given, n) {
			s.Given = append(s.Given, n)
		}
	}
	return true
}

// components returns the numbers of the components whose first letters code lists, or of all for an empty list. It
// returns nil after an error.
func (l *machineLoader) components(s *State, code spec.Code) (list []int) {
	for k := range s.Type.Count() {
		if name := s.Letter(k); code.Text() == "" || name != "" && strings.Contains(code.Text(), name[:1]) {
			list = append(list, k)
		}
	}
	if n := len(code.Text()); n > 0 && n != len(list) {
		l.fail(diag.Errorf(diag.MeaningType, code.Span(0, n), "components %q of %s, which has type %s", code.Text(), s.Name, s.Type))
		return nil
	}
	return list
}

func (l *machineLoader) inMemory(p *Place, code, typ spec.Code, at diag.Span) bool {
	if s := l.m.states[code.Text()]; s != nil && s.Kind == MemoryState {
		p.States = []*State{s}
	} else if p.States = l.m.groups[code.Text()]; p.States == nil {
		l.fail(diag.Errorf(diag.Unresolved, code.Span(0, len(code.Text())), "unknown memory %q", code.Text()).Meant(code.Text(), slices.Collect(maps.Keys(l.m.states))))
		return false
	}
	s := p.State()
	t := s.Word
	if typ.Text() != "" {
		t = l.typ(typ)
	}
	if t.Width%8 != 0 {
		l.fail(diag.Errorf(diag.MeaningType, at, "a value of type %s, expected a number of 8, 16, 32 or 64 bits, or a vector of them", t))
		return false
	}
	if n := uint64(t.Width / 8 * t.Count() * p.Count); s.Count > 0 && (p.Offset >= uint64(s.Count) || uint64(s.Count)-p.Offset < n) {
		l.fail(diag.Errorf(diag.MeaningType, at, "%d bytes at 0x%x of %s, which has %d bytes", n, p.Offset, code.Text(), s.Count))
		return false
	}
	p.Type, p.Comps = t.Elem(), numbered(t.Count())
	return true
}
