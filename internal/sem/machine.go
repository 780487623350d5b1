package sem

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Machine is the semantics of a description. It is safe for concurrent use.
type Machine struct {
	Model *model.Machine
	// States are the files, registers, stacks and memories, in the order of the description.
	States []*State
	// Places are the places of the inputs of a launch, in the order of the description.
	Places  []*Place
	outputs []*Place
	// Unit is the unit of the program counter in bits. Wave is set if all lanes of a wave share the program counter.
	Unit int
	Wave bool
	// Lanes is the number of lanes of a wave.
	Lanes int

	states    map[string]*State
	views     map[string]*View
	groups    map[string][]*State // memories by the name of the group
	functions map[string]*function
	services  map[string]*Service
	quirks    map[string]*spec.Quirk

	mu       sync.Mutex
	bodies   map[diag.Span]*body
	speaking map[*spec.Bitset]bool

	wrote   sync.Once
	written map[*State]bool // by an instruction, once wrote is done
}

type function struct {
	spec *spec.Function
	*head
	body []*stmt
}

// body is a piece of code once it was parsed.
type body struct {
	stmts []*stmt
	typ   *typeExpr
	err   error
}

// New returns the semantics of a description. It parses the code of a bitset when it needs it for the first time. The error is
// a diag.List.
func New(m *model.Machine) (*Machine, error) {
	out := &Machine{
		Model: m, states: map[string]*State{}, views: map[string]*View{}, groups: map[string][]*State{}, functions: map[string]*function{},
		services: map[string]*Service{}, quirks: map[string]*spec.Quirk{}, bodies: map[diag.Span]*body{}, speaking: map[*spec.Bitset]bool{},
	}
	l := machineLoader{m: out, names: map[string]diag.Span{}}
	l.load(m.ISA)
	if len(l.errs) > 0 {
		l.errs.Sort()
		return nil, l.errs
	}
	return out, nil
}

// State returns the file, register, stack or memory with a name, or nil.
func (m *Machine) State(name string) *State { return m.states[name] }

// ParseQuirks parses values of quirks, by name. It returns an error for an unknown quirk or an invalid value.
func (m *Machine) ParseQuirks(given map[string]string) (map[string]uint64, error) {
	out, rest := map[string]uint64{}, maps.Clone(given)
	var known []string
	for _, q := range m.Quirks() {
		known = append(known, q.Name)
		text, ok := given[q.Name]
		if !ok {
			continue
		}
		v, err := q.Parse(text)
		if err != nil {
			return nil, err
		}
		out[q.Name] = v
		delete(rest, q.Name)
	}
	if len(rest) == 0 {
		return out, nil
	}
	name := slices.Min(slices.Collect(maps.Keys(rest)))
	if len(known) == 0 {
		return nil, fmt.Errorf("unknown quirk %q: the machine has no quirks", name)
	}
	return nil, fmt.Errorf("unknown quirk %q, expected one of %s", name, strings.Join(known, ", "))
}

// Views returns the views in ASCII order of their names.
func (m *Machine) Views() []*View {
	list := slices.Collect(maps.Values(m.views))
	slices.SortFunc(list, func(a, b *View) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Quirks returns the quirks in ASCII order of their names.
func (m *Machine) Quirks() []*spec.Quirk {
	var list []*spec.Quirk
	for _, q := range m.quirks {
		list = append(list, q)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

type machineLoader struct {
	m     *Machine
	names map[string]diag.Span
	errs  diag.List
}

func (l *machineLoader) fail(err error) {
	if e, ok := err.(*diag.Error); ok {
		l.errs = append(l.errs, e)
	}
}

// define notes a name of the description; code knows all of them alike.
func (l *machineLoader) define(name string, at diag.Span) {
	if old, ok := l.names[name]; ok {
		l.fail(diag.Errorf(diag.Duplicate, at, "%s is defined twice", name).With(old, "the other definition"))
	} else if _, typ := namedType(name); intrinsics[name] != nil || reserved[name] || typ {
		l.fail(diag.Errorf(diag.Duplicate, at, "%s is a reserved word of code", name))
	}
	l.names[name] = at
}

// reserved are words that code knows beside the intrinsics.
var reserved = map[string]bool{
	"here": true, "next": true, "pc": true, "value": true, "inner": true, "let": true, "var": true, "if": true, "else": true,
	"for": true, "in": true, "push": true, "pop": true, "top": true, "end": true, "trap": true, "unknown": true, "hazard": true, "barrier": true, "arrive": true, "await": true,
	"together": true, "lanes": true, "atomic": true, "return": true, "run": true, "true": true, "false": true,
}

func (l *machineLoader) typ(code spec.Code) Type {
	t, err := parseType(code)
	if err == nil && (t.width != nil || t.enum != "" || t.t.Kind == Tuple || t.t.maybe()) {
		err = diag.Errorf(diag.MeaningType, t.span, "type %s, expected bool, an integer, a float or a vector of them", code.Text())
	}
	if err != nil {
		l.fail(err)
		return U32
	}
	return t.t
}

func (l *machineLoader) add(s *State) {
	l.define(s.Name, s.Span)
	s.Index = len(l.m.States)
	l.m.States = append(l.m.States, s)
	l.m.states[s.Name] = s
}

func (l *machineLoader) load(isa *spec.ISA) {
	m := &isa.Meaning
	l.files(isa)
	for _, r := range m.Registers {
		s := &State{Name: r.Name, Type: l.typ(r.Type), Count: 1, Single: true, Scope: r.Scope, Carries: r.Carries, Aliases: r.Aliases, Span: r.Span}
		l.init(s, r.Init, r.Span)
		l.add(s)
	}
	for _, st := range isa.Stacks {
		if len(st.Slots) == 0 || st.Depth == 0 {
			continue // nothing is said of what it holds
		}
		s := &State{Kind: StackState, Name: st.Name, Count: st.Depth, Scope: st.Scope, FullTraps: st.FullTraps, EmptyTraps: st.EmptyTraps, Span: st.Span}
		for _, slot := range st.Slots {
			s.Slots = append(s.Slots, Slot{slot.Name, l.typ(slot.Type)})
		}
		l.add(s)
	}
	for _, mem := range isa.Memories {
		s := &State{Kind: MemoryState, Name: mem.Name, Group: mem.Of, Count: int(mem.Size), Scope: spec.ScopeOf(mem.Scope, spec.ScopeLaunch), Type: Type{Kind: Uint, Width: 8}, Word: U32, Access: mem.Access, Banks: mem.Banks, Use: mem.Use, Aliases: mem.Aliases, Span: mem.Span}
		if len(mem.Access) > 0 {
			first, _ := spec.ParseValueType(mem.Access[0])
			s.Word = typeOfValue(first).Elem()
		}
		l.outside(s, mem.Outside, mem.Span)
		l.add(s)
		if mem.Of != "" {
			l.m.groups[mem.Of] = append(l.m.groups[mem.Of], s)
		}
	}
	for _, r := range m.ROMs {
		t := l.typ(r.Type)
		l.add(&State{Name: r.Name, Type: t, Count: len(r.Values), Scope: spec.ScopeLaunch, ReadOnly: true, Values: l.contents(r, t), Span: r.Span})
	}
	for _, q := range m.Quirks {
		if old := l.m.quirks[q.Name]; old != nil {
			l.fail(diag.Errorf(diag.Duplicate, q.Span, "quirk %s is defined twice", q.Name).With(old.Span, "the other definition"))
		}
		l.m.quirks[q.Name] = q
	}
	l.functions(m.Functions)
	l.services(m.Services)
	l.places(isa)
	l.outputs(isa)
	l.m.Unit, l.m.Lanes = 8, spec.MaxLanes
	if f := m.Fetch; f != nil {
		l.m.Unit, l.m.Wave, l.m.Lanes = f.Unit, f.Wave, f.Lanes
	}
}

// contents returns the bits of the values of a rom.
func (l *machineLoader) contents(r *spec.ROM, t Type) []uint64 {
	var list []uint64
	for _, v := range r.Values {
		if v > t.mask() && (t.Kind != Sint || t.signed(v) != int64(v)) {
			l.fail(diag.Errorf(diag.MeaningType, r.Span, "<rom> contains %d, expected values of type %s", int64(v), t.Elem()))
		}
		list = append(list, v&t.mask())
	}
	return list
}

func (l *machineLoader) functions(list []*spec.Function) {
	for _, f := range list {
		h, err := parseHead(f.Head)
		if err != nil {
			l.fail(err)
			continue
		}
		l.define(h.name, f.Head.Span(0, len(h.name)))
		fn := &function{spec: f, head: h}
		if fn.body, err = parseBody(f.Body, h.result != nil); err != nil {
			l.fail(err)
		}
		l.m.functions[h.name] = fn
	}
}

// init settles what a state holds before anybody writes it.
func (l *machineLoader) init(s *State, text string, at diag.Span) {
	switch text = strings.TrimSpace(text); text {
	case "", "undefined":
		s.Undefined = true
	case "exists":
		s.InitExists = true
	default:
		v, err := ParseLiteral(text, s.Type)
		if err != nil {
			l.fail(diag.Errorf(diag.MeaningType, at, "init=%q, expected undefined, exists or a value of type %s", text, s.Type.Elem()))
		}
		s.Init = v
	}
}

// files makes states of the register files and ties the views to them.
func (l *machineLoader) files(isa *spec.ISA) {
	for _, f := range isa.Files {
		if f.Of != nil || f.Single {
			continue
		}
		s := &State{Name: f.Name, Type: typeOfValue(f.Type), Count: f.Count, Scope: spec.ScopeOf(f.Scope, spec.ScopeLane), Use: f.Use, Once: f.Once, Carries: f.Carries, Allocated: f.Allocated, Aliases: f.Aliases, Span: f.Span}
		l.init(s, f.Init, f.Span)
		l.outside(s, f.Outside, f.Span)
		s.Names = componentNames(f)
		for n := range f.Given {
			s.Given = append(s.Given, n)
		}
		l.add(s)
	}
	for _, f := range isa.Files {
		if f.Of != nil {
			l.define(f.Name, f.Span)
			l.m.views[f.Name] = &View{Name: f.Name, Aliases: f.Aliases, Of: l.m.states[f.Of.Name], Type: typeOfValue(f.Type), Align: f.Align, Names: componentNames(f)}
		}
	}
}

// componentNames are the names of a file's components, nil where they are x, y, z and w.
func componentNames(f *spec.File) (names []string) {
	if f.Names == nil {
		return nil
	}
	for _, v := range f.Names.Values {
		names = append(names, v.Display)
	}
	return names
}

func typeOfValue(v spec.ValueType) Type {
	kinds := [...]Kind{spec.ValueUnsigned: Uint, spec.ValueSigned: Sint, spec.ValueFloat: Float, spec.ValueBool: Bool}
	t := Type{Kind: kinds[v.Kind], Width: v.Bits}
	if v.Lanes > 1 {
		t.Len = v.Lanes
	}
	return t
}

// outside settles what an index beyond a state does.
func (l *machineLoader) outside(s *State, text string, at diag.Span) {
	switch text {
	case "", "zero":
	case "wrap":
		s.Outside = OutsideWrap
	case "trap":
		s.Outside = OutsideTrap
	default:
		v, err := ParseLiteral(text, s.Type)
		if err != nil {
			l.fail(diag.Errorf(diag.MeaningType, at, "outside=%q, expected zero, wrap, trap or a value of type %s", text, s.Type.Elem()))
		}
		s.OutsideBits = v
	}
}

// body parses the code of a semantics, a write or an around, once.
func (m *Machine) body(code, typ spec.Code) *body {
	key := code.Span(0, max(1, len(code.Text())))
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.bodies[key]; b != nil {
		return b
	}
	b := &body{}
	if typ.Text() != "" {
		b.typ, b.err = parseType(typ)
	}
	stmts, err := parseBody(code, b.typ != nil)
	b.stmts, b.err = stmts, cmp.Or(err, b.err)
	m.bodies[key] = b
	return b
}

// Address converts an address of the program counter to bytes from the start of the program.
func (m *Machine) Address(pc uint64) uint64 { return pc * uint64(m.Unit) / 8 }
