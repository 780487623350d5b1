package exec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Port is a named input, uniform or output: one or more registers of a program.
type Port struct {
	Name string
	// Also is a second name, or "".
	Also  string
	State *State
	// First is the number of the first register, and Count is the number of registers.
	First, Count int
	// Mask selects components of each register. Bit 0 is the first component. 0 selects all.
	Mask uint
	// View is the view whose registers the numbers count, or nil for the registers of State.
	View *View
}

// Type returns the type of a register, or of a word of a memory.
func (p *Port) Type() isa.Type {
	switch {
	case p.View != nil:
		return p.View.Type
	case p.State.Kind == Memory:
		return p.State.Word
	}
	return p.State.Type
}

// names returns the names of the components, or nil for a scalar.
func (p *Port) names() []string {
	if p.View != nil {
		return p.View.Components
	}
	return p.State.Components
}

// Components returns the numbers of the selected components in ascending order.
func (p *Port) Components() []int {
	var list []int
	for k := range p.Type().Lanes {
		if p.Mask == 0 || p.Mask>>uint(k)&1 != 0 {
			list = append(list, k)
		}
	}
	return list
}

// Letter returns the name of a component, or "" for a scalar.
func (p *Port) Letter(comp int) string {
	if names := p.names(); names != nil {
		return names[comp]
	}
	return ""
}

// Launch is a program with named inputs, outputs and uniforms. Each lane has its own inputs and outputs. All lanes
// share the uniforms.
type Launch struct {
	Program *Program
	// Shared has the values of the uniforms.
	Shared *Shared
	// Entry is the address where the program starts.
	Entry uint64
	// Inputs, Outputs and Uniforms are the names in the program's file. Find also accepts the names of registers.
	Inputs, Outputs, Uniforms []Port
	// Constants are the registers whose values are in the file.
	Constants []Port
	// Emits reports whether the program emits its outputs while it runs, as a geometry shader does.
	Emits bool
	// Primitive has the inputs of a program that emits vertices, or is nil.
	Primitive *Primitive
	// Value, if it is not nil, parses the notation of values that only this machine has.
	Value func(text string, t isa.Type) (v uint64, ok bool)
	// Services holds the host callbacks by name.
	Services map[string]Service
	// Open is set if a program may end after its last word.
	Open bool
	// Fit, if it is not nil, prepares a new wave, like Grid.Fit.
	Fit func(w *Wave)

	// sizes holds the sizes in bytes of the lanes' memories whose sizes the launch decides.
	sizes map[*State]int
	// Changed makes a run report which outputs the program changed.
	Changed bool

	mu   sync.Mutex
	idle []idleWave
}

// Primitive is what a program gets that runs once for each primitive.
type Primitive struct {
	// Vertices is the number of vertices of a primitive, or 0 if a primitive can have any number. With Chosen, it is only a
	// default.
	Vertices int
	Chosen   bool
	// Attributes is the number of registers of a vertex, or 0 if the file does not determine it.
	Attributes int
	// First is the register with the first attribute of the first vertex. The other attributes and vertices follow.
	First Port
}

// idleWave is a wave of an earlier run, which keeps its compiled instructions.
type idleWave struct {
	*Wave
	shared *Shared
	placed int
	// ordered is set if the wave waits for earlier waves.
	ordered bool
}

// wave returns a new or idle wave of the program.
func (l *Launch) wave(ordered bool) idleWave {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := len(l.idle); n > 0; n = len(l.idle) {
		w := l.idle[n-1]
		if l.idle = l.idle[:n-1]; w.Program == l.Program && w.shared == l.Shared && w.placed == l.Shared.placed && w.ordered == ordered {
			return w
		}
	}
	w := NewWave(l.Program, l.Shared)
	if l.Fit != nil {
		l.Fit(w)
	}
	return idleWave{w, l.Shared, l.Shared.placed, ordered}
}

// Flow returns the configuration that specialises the program for the values in its file. Only packages of this module can
// call it.
func (l *Launch) Flow(inside.Key) flow.Config {
	machine := l.Program.Machine
	constants := map[flow.Variable]bool{}
	for _, p := range l.Constants {
		for n := range p.Count {
			for _, k := range p.Components() {
				constants[flow.Variable{State: machine.sem.States[p.State.Index], Number: p.First + n, Comp: k}] = true
			}
		}
	}
	values := NewWave(l.Program, l.Shared)
	return flow.Config{
		Machine: machine.sem, Entry: l.Entry, Code: l.Program.lowered,
		Known: func(s *sem.State, number, comp int) (uint64, bool) {
			if !constants[flow.Variable{State: s, Number: number, Comp: comp}] {
				return 0, false
			}
			return values.Get(machine.States[s.Index], number, comp, 0), true
		},
	}
}

// done keeps a wave for later runs.
func (l *Launch) done(w idleWave) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, w)
}

// Find returns the registers with a name: a name in the file, an element of an array such as NAME[2], or a register
// such as r5. Inputs and uniforms have priority over outputs with the same name. The error lists names that exist.
func (l *Launch) Find(name string) (Port, error) {
	p, err := l.find(name, l.Inputs, l.Uniforms, l.Outputs)
	if errors.Is(err, errNoPort) {
		return p, fmt.Errorf("unknown input, uniform or register %q, expected one of %s", name, l.names(len(l.Inputs)+len(l.Uniforms) == 0, l.Inputs, l.Uniforms))
	}
	return p, err
}

// findOutput is like Find, but outputs have priority over inputs and uniforms.
func (l *Launch) findOutput(name string) (Port, error) {
	p, err := l.find(name, l.Outputs, l.Inputs, l.Uniforms)
	if errors.Is(err, errNoPort) {
		return p, fmt.Errorf("unknown output or register %q, expected one of %s", name, l.names(true, l.Outputs))
	}
	return p, err
}

// FindOutputs returns the outputs with a name: an output, a register, a register of a view, a component such as r1.x,
// or all registers of a file or a view. The error lists names that exist.
func (l *Launch) FindOutputs(name string) (list []Port, err error) {
	if p, err := l.findOutput(name); err == nil {
		return []Port{p}, nil
	}
	for n := range l.count(name) {
		if p, ok := l.register(fmt.Sprint(name, n)); ok {
			list = append(list, p)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	p, err := findComponent(name, l.findOutput)
	return []Port{p}, err
}

// count returns the number of registers of the file or view with a name, or 0 if there is none.
func (l *Launch) count(name string) int {
	for _, s := range l.Program.Machine.States {
		if s.Kind == Registers && (s.Name == name || slices.Contains(s.Aliases, name)) {
			return s.Count
		}
	}
	for _, v := range l.Program.Machine.Views {
		if v.Name == name || slices.Contains(v.Aliases, name) {
			return v.Count()
		}
	}
	return 0
}

// FindComponent is like Find, but for one component, such as pos.x. For a name without a component, it returns the
// first component.
func (l *Launch) FindComponent(name string) (Port, error) { return findComponent(name, l.Find) }

// findComponent implements FindComponent. find looks up the name of the register.
func findComponent(name string, find func(string) (Port, error)) (Port, error) {
	base, comp, dotted := name, "", false
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		if _, err := find(name); err != nil {
			base, comp, dotted = name[:i], name[i+1:], true
		}
	}
	p, err := find(base)
	if err != nil {
		return p, err
	}
	p.Count = 1
	if !dotted {
		p.Mask = 1
		return p, nil
	}
	for k := range p.Type().Lanes {
		if p.Letter(k) == comp {
			p.Mask = 1 << uint(k)
			return p, nil
		}
	}
	return p, fmt.Errorf("%s has no component %q", base, comp)
}

var errNoPort = errors.New("no port of this name")

// find searches lists of ports, and then memories and registers.
func (l *Launch) find(name string, lists ...[]Port) (Port, error) {
	base, index, array := cutIndex(name)
	for _, list := range lists {
		for _, p := range list {
			switch {
			case p.Name == name || name != "" && p.Also == name:
				return p, nil
			case array && p.Name == base:
				if index >= p.Count {
					return p, fmt.Errorf("%s, but %s has %d registers", name, base, p.Count)
				}
				p.First, p.Count, p.Name = p.First+index, 1, name
				return p, nil
			}
		}
	}
	if p, memory, err := l.word(name); memory {
		return p, err
	}
	if p, ok := l.register(name); ok {
		return p, nil
	}
	return Port{}, errNoPort
}

// NameOf returns the name of an input, uniform or output for a component of a register, such as modelView[1]. It
// returns "" if the component has only the name of its register.
func (l *Launch) NameOf(s *State, number, comp int) string {
	for _, list := range [][]Port{l.Inputs, l.Uniforms, l.Outputs} {
		for _, p := range list {
			switch n := number - p.First; {
			case p.State != s || p.View != nil || n < 0 || n >= p.Count || p.Mask != 0 && p.Mask>>uint(comp)&1 == 0:
			case p.Name == s.Name+strconv.Itoa(number) || s.Single && p.Name == s.Name || s.Kind == Memory && p.Name == WordName(s, number):
				return ""
			case p.Count > 1:
				return fmt.Sprintf("%s[%d]", p.Name, n)
			default:
				return p.Name
			}
		}
	}
	return ""
}

// cutIndex splits NAME[2] into the name and the number.
func cutIndex(text string) (name string, n int, ok bool) {
	inner, ok := strings.CutSuffix(text, "]")
	if name, text, _ = strings.Cut(inner, "["); !ok {
		return "", 0, false
	}
	n, ok = registerNumber(text)
	return name, n, ok
}

// registerNumber parses the number of a register. It rejects 05 and +5.
func registerNumber(digits string) (n int, ok bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == digits
}

// register parses a name such as r5 or r[5], of a file or of a view.
func (l *Launch) register(name string) (Port, bool) {
	m := l.Program.Machine
	for _, s := range m.States {
		if s.Kind != Registers {
			continue
		}
		for _, own := range append([]string{s.Name}, s.Aliases...) {
			switch n, ok := numberIn(name, own); {
			case s.Single && name == own:
				return Port{Name: name, State: s, Count: 1}, true
			case ok && !s.Single && n < s.Count:
				return Port{Name: name, State: s, First: n, Count: 1}, true
			}
		}
	}
	for _, v := range m.Views {
		for _, own := range append([]string{v.Name}, v.Aliases...) {
			if n, ok := numberIn(name, own); ok && v.Has(n) {
				return Port{Name: name, State: v.Of, View: v, First: n, Count: 1}, true
			}
		}
	}
	return Port{}, false
}

// numberIn parses the number in the name of a register of a file, such as r5 or r[5].
func numberIn(name, file string) (n int, ok bool) {
	if base, index, array := cutIndex(name); array && base == file {
		return index, true
	}
	digits, ok := strings.CutPrefix(name, file)
	if !ok {
		return 0, false
	}
	return registerNumber(digits)
}

// names lists the names of ports, and of the inputs and constants among registers and memories. If all is set, the
// other registers follow.
func (l *Launch) names(all bool, lists ...[]Port) string {
	var names []string
	for _, list := range lists {
		for _, p := range list {
			if _, is := l.register(p.Name); !is || !all { // the names of registers follow
				names = append(names, p.Name)
			}
		}
	}
	for _, s := range l.Program.Machine.States {
		if s.Kind == Registers && !s.Single && (s.Use == "input" || s.Use == "constant") {
			names = append(names, s.Name+"0 to "+s.Name+strconv.Itoa(s.Count-1))
		}
	}
	for _, s := range l.Program.Machine.States {
		if s.Kind == Memory && (s.Use == "input" || s.Use == "constant") && l.most(s) > 0 {
			if s.Group == "" || s.Name == s.Group+"0" { // one memory stands for its group
				names = append(names, strings.Replace(WordName(s, 0), "0x0", "ADDRESS", 1))
			}
		}
	}
	for _, s := range l.Program.Machine.States {
		switch {
		case !all || s.Kind != Registers || s.Use == "input" || s.Use == "constant":
		case s.Single:
			names = append(names, s.Name)
		default:
			names = append(names, s.Name+"0 to "+s.Name+strconv.Itoa(s.Count-1))
		}
	}
	const most = 12
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// Parse parses the bits of a component: a number, bits in hexadecimal with 0x, true or false, or a notation of the
// machine. It returns an error for other text, and for a value that does not fit the type.
func (l *Launch) Parse(text string, t isa.Type) (uint64, error) {
	text = strings.TrimSpace(text)
	if l.Value != nil {
		if v, ok := l.Value(text, t); ok {
			return v, nil
		}
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		v, err := strconv.ParseUint(digits, 16, 64)
		if err != nil || t.Bits < 64 && v>>uint(t.Bits) != 0 {
			return 0, fmt.Errorf("%q, expected a hexadecimal number of at most %d bits", text, t.Bits)
		}
		return v, nil
	}
	v, err := sem.ParseLiteral(text, elem(t))
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q does not fit %s", text, scalarOf(t))
	}
	if err != nil {
		return 0, fmt.Errorf("%q, expected a value of type %s", text, scalarOf(t))
	}
	return v, nil
}

// SetUniform sets the bits of uniforms, beginning with the first component. It returns an error if each lane has its
// own register, or if there are too many values or bits.
func (l *Launch) SetUniform(p Port, values []uint64) error {
	if p.State.Scope < ScopeBlock {
		return fmt.Errorf("%s is not a uniform: each lane has its own value", p.Name)
	}
	comps := p.Components()
	if len(values) > p.Count*len(comps) {
		return fmt.Errorf("%s has %d components, but %d values are given", p.Name, p.Count*len(comps), len(values))
	}
	if err := fit(p.Name, p.Type(), values); err != nil {
		return err
	}
	for i, c := range flatten([]Port{p})[:len(values)] {
		l.Shared.stores[p.State.Index].put(c, 0, values[i])
	}
	return nil
}

// fit returns an error if a value has more bits than a component of a type.
func fit(name string, t isa.Type, values []uint64) error {
	for _, v := range values {
		if t.Bits < 64 && v>>uint(t.Bits) != 0 {
			return fmt.Errorf("%#x for %s, expected components of type %s", v, name, scalarOf(t))
		}
	}
	return nil
}
