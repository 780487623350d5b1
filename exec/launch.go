package exec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Port is a name under which a program is given registers, or gives them back.
type Port struct {
	Name string
	// Also is another name, "" for none.
	Also  string
	State *State
	// First is the number of the first register, Count how many there are.
	First, Count int
	// Mask are the components that matter, bit 0 the first; 0 is all.
	Mask uint
	// View is the view of State whose registers are meant, nil for its own.
	View *View
}

// Type returns the type of a register; of a memory, of a word.
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

// Components lists the numbers of the components that matter, in order.
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

// Launch is a program with what it is fed: each lane has inputs and outputs of its own, and all share the
// uniforms.
type Launch struct {
	Program *Program
	// Shared holds the uniforms.
	Shared *Shared
	// Entry is the address where the program starts.
	Entry uint64
	// Inputs, Outputs and Uniforms are what the program's file names. Registers have their own names
	// beside these.
	Inputs, Outputs, Uniforms []Port
	// Constants are those that the file gives a value.
	Constants []Port
	// Emits tells that the program hands its outputs on while it runs, and not at its end.
	Emits bool
	// Value reads a form of values that the machine alone knows; nil where there is none.
	Value func(text string, t isa.Type) (v uint64, ok bool)
	// Services are what the surroundings do.
	Services map[string]Service
	// Open tells that the program ends where its words do.
	Open bool
	// Fit prepares a wave before it is used for the first time, as that of a Grid does.
	Fit func(w *Wave)

	// sizes are those of the memories of lanes that the description leaves to a launch, in bytes.
	sizes map[*State]int
	// Changed asks which outputs the program changed.
	Changed bool

	mu   sync.Mutex
	idle []idleWave
}

// idleWave is a wave of a run before: what was prepared for it is not prepared again.
type idleWave struct {
	*Wave
	shared *Shared
	placed int
	// ordered tells that the wave takes turns with others.
	ordered bool
}

// wave returns a wave of the program, which takes turns with others or not.
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

// done keeps a wave for runs to come.
func (l *Launch) done(w idleWave) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, w)
}

// Find returns the registers of a name: a name in the file, one element of an array there such as NAME[2], or a register such
// as r5. Inputs and uniforms precede outputs of the same name. The error lists names that exist.
func (l *Launch) Find(name string) (Port, error) {
	p, err := l.find(name, l.Inputs, l.Uniforms, l.Outputs)
	if errors.Is(err, errNoPort) {
		return p, fmt.Errorf("unknown input, uniform or register %q, expected one of %s", name, l.names(len(l.Inputs)+len(l.Uniforms) == 0, l.Inputs, l.Uniforms))
	}
	return p, err
}

// findOutput is Find for what is read after the run: outputs precede inputs and uniforms of the same name.
func (l *Launch) findOutput(name string) (Port, error) {
	p, err := l.find(name, l.Outputs, l.Inputs, l.Uniforms)
	if errors.Is(err, errNoPort) {
		return p, fmt.Errorf("unknown output or register %q, expected one of %s", name, l.names(true, l.Outputs))
	}
	return p, err
}

// FindOutputs returns the registers that a name of outputs stands for: an output, a register, a register of a view, a
// component such as r1.x, or all registers of a file or a view. The error lists names that exist.
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

// count returns how many registers a file or a view of that name has, 0 where there is none.
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

// FindComponent is Find for a name with a component, such as pos.x; a name without one is that of the first.
func (l *Launch) FindComponent(name string) (Port, error) { return findComponent(name, l.Find) }

// findComponent returns the component of a name such as pos.x, or the first one of a name without a component.
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

// find looks for a name in lists of ports, then among memories and registers.
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

// NameOf returns the program's name for a component of an input, a uniform or an output, such as modelView[1]; "" where the
// component has no name but that of the register.
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

// cutIndex takes NAME[2] apart.
func cutIndex(text string) (name string, n int, ok bool) {
	inner, ok := strings.CutSuffix(text, "]")
	if name, text, _ = strings.Cut(inner, "["); !ok {
		return "", 0, false
	}
	n, ok = registerNumber(text)
	return name, n, ok
}

// registerNumber reads the number of a register: 5, and neither 05 nor +5.
func registerNumber(digits string) (n int, ok bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == digits
}

// register reads a name such as r5 or r[5], of a file or of a view.
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

// numberIn reads the number of a register of a file: r5 or r[5].
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

// names lists the names of ports, and of registers and memories: those that a launch fills, then with all the others.
func (l *Launch) names(all bool, lists ...[]Port) string {
	var names []string
	for _, list := range lists {
		for _, p := range list {
			if _, is := l.register(p.Name); !is || !all { // the files of registers follow
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
			if s.Group == "" || s.Name == s.Group+"0" { // of a group one stands for all
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

// Parse reads a component and returns its bits: a number, its bits behind 0x, true or false, or a form of the machine's
// own. The error tells that the text is none of them, or does not fit the type.
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

// SetUniform gives registers that all lanes share their bits, component by component from the first on. The error tells
// that each lane has its own, or that there are too many values, or bits.
func (l *Launch) SetUniform(p Port, values []uint64) error {
	if p.State.Scope < ScopeBlock {
		return fmt.Errorf("%s is not a uniform: each lane has its own value", p.Name)
	}
	comps := p.Components()
	if len(values) > p.Count*len(comps) {
		return fmt.Errorf("%d values for %s, which has %d", len(values), p.Name, p.Count*len(comps))
	}
	if err := fit(p.Name, p.Type(), values); err != nil {
		return err
	}
	for i, c := range flatten([]Port{p})[:len(values)] {
		l.Shared.stores[p.State.Index].put(c, 0, values[i])
	}
	return nil
}

// fit returns an error where bits are more than components of a type have.
func fit(name string, t isa.Type, values []uint64) error {
	for _, v := range values {
		if t.Bits < 64 && v>>uint(t.Bits) != 0 {
			return fmt.Errorf("%#x for %s, expected components of type %s", v, name, scalarOf(t))
		}
	}
	return nil
}
