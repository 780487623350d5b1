package exec

import (
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Machine is the state of the processors that a description describes, and the semantics of their instructions. It is
// safe for concurrent use.
type Machine struct {
	// States lists the register files, single registers, stacks and memories in the order of the description.
	States []*State
	// Views lists the views of register files, sorted by name.
	Views []*View
	// Unit is the number of bits that the program counter counts in.
	Unit int
	// Lanes is the number of lanes of a wave.
	Lanes int

	set *isa.Set
	sem *sem.Machine
}

// StateKind is the kind of a State.
type StateKind uint8

// The kinds of states.
const (
	Registers = StateKind(sem.FileState)
	Stack     = StateKind(sem.StackState)
	Memory    = StateKind(sem.MemoryState)
)

// Scope determines which lanes share a State.
type Scope uint8

// The scopes, from the smallest to the largest. A State of ScopeInstruction exists for one instruction. In a larger
// scope, each lane, wave, block or launch has its own.
const (
	ScopeInstruction = Scope(spec.ScopeInstruction)
	ScopeLane        = Scope(spec.ScopeLane)
	ScopeWave        = Scope(spec.ScopeWave)
	ScopeBlock       = Scope(spec.ScopeBlock)
	ScopeLaunch      = Scope(spec.ScopeLaunch)
)

// String returns the scope as the description names it, such as lane.
func (s Scope) String() string { return spec.Scope(s).String() }

// State is a register file, a single register, a stack or a memory of a Machine. It is immutable.
type State struct {
	Name string
	// Aliases are other names that users may write. The first alias of a memory is its name in assembly text.
	Aliases []string
	Kind    StateKind
	// Index is the position in Machine.States.
	Index int
	// Type is the type of a register. Word is the type of a word of a memory: the values that a launch reads and
	// writes by their addresses.
	Type, Word isa.Type
	// Components holds the names of the components of a register. It is nil for a scalar.
	Components []string
	// Slots are the parts of a stack entry.
	Slots []Slot
	// Count is the number of registers, the depth of a stack, or the size of a memory in bytes. It is 0 if each
	// launch sets the size.
	Count int
	// Single reports whether the State is a single register, whose name has no number.
	Single bool
	// Scope determines which lanes share the State.
	Scope Scope
	// Use is the purpose of the State, such as input or output. It is "" if the description declares no purpose.
	Use string
	// Group is the name of the group that contains a memory, such as c for c0 to c15. It is "" if the memory is not
	// in a group.
	Group string
	// Banks is the number of banks of a memory, which hold consecutive words of 32 bits in turn. It is 0 if the memory
	// has no banks.
	Banks int
	// Allocated reports whether each launch decides how many of the registers a program has.
	Allocated bool
	// ReadOnly reports whether the registers are constants of the description.
	ReadOnly bool
}

// Slot is a part of a stack entry.
type Slot struct {
	Name string
	Type isa.Type
}

// Component returns the name of a component of a register, or "" for a scalar.
func (s *State) Component(i int) string { return nameAt(s.Components, i) }

// View names the registers of another file in a second way, with another type.
type View struct {
	Name string
	// Aliases are other names that users may write.
	Aliases []string
	// Of is the file whose registers the view names.
	Of *State
	// Type is the type of a register of the view.
	Type isa.Type
	// Components holds the names of the components of a register. It is nil for a scalar.
	Components []string

	sem *sem.View
}

// Count returns the number of registers of the view.
func (v *View) Count() int { return v.sem.Count() }

// Has reports whether the view has a register with this number.
func (v *View) Has(number int) bool { return v.sem.Has(number) }

func nameAt(names []string, i int) string {
	if names == nil {
		return ""
	}
	return names[i]
}

// newMachine returns the public form of the semantics of a set.
func newMachine(set *isa.Set, m *sem.Machine) *Machine {
	out := &Machine{Unit: m.Unit, Lanes: m.Lanes, set: set, sem: m}
	for _, s := range m.States {
		x := &State{
			Name: s.Name, Aliases: s.Aliases, Kind: StateKind(s.Kind), Index: s.Index, Type: publicType(s.Type), Word: publicType(s.Word),
			Components: components(s.Type, s.Letter), Count: s.Count, Single: s.Single, Scope: Scope(s.Scope), Use: s.Use, Group: s.Group, Banks: s.Banks, Allocated: s.Allocated, ReadOnly: s.ReadOnly,
		}
		for _, slot := range s.Slots {
			x.Slots = append(x.Slots, Slot{slot.Name, publicType(slot.Type)})
		}
		out.States = append(out.States, x)
	}
	for _, v := range m.Views() {
		out.Views = append(out.Views, &View{Name: v.Name, Aliases: v.Aliases, Of: out.States[v.Of.Index], Type: publicType(v.Type), Components: components(v.Type, v.Letter), sem: v})
	}
	return out
}

// components returns the names of the components of a type, or nil for a scalar.
func components(t sem.Type, letter func(int) string) (names []string) {
	for k := range t.Len {
		names = append(names, letter(k))
	}
	return names
}

// kinds are the kinds of types in package sem, by the kinds in package isa.
var kinds = [...]sem.Kind{isa.Unsigned: sem.Uint, isa.Signed: sem.Sint, isa.Float: sem.Float, isa.Bool: sem.Bool}

// publicType converts a type of the semantics, in which a scalar has 0 components.
func publicType(t sem.Type) isa.Type {
	for kind, k := range kinds {
		if k == t.Kind {
			return isa.Type{Kind: isa.TypeKind(kind), Bits: t.Width, Lanes: t.Count()}
		}
	}
	return isa.Type{}
}

// elem returns the type of a component, for package sem.
func elem(t isa.Type) sem.Type { return sem.Type{Kind: kinds[t.Kind], Width: t.Bits} }

// scalarOf returns the type of a component.
func scalarOf(t isa.Type) isa.Type {
	t.Lanes = 1
	return t
}

// Set returns the instruction set of the machine.
func (m *Machine) Set() *isa.Set { return m.set }

// State returns the state with this name, or nil if there is none.
func (m *Machine) State(name string) *State {
	if s := m.sem.State(name); s != nil {
		return m.States[s.Index]
	}
	return nil
}

// Services returns the names of the host callbacks that instructions call, in ASCII order.
func (m *Machine) Services() []string { return m.sem.Services() }

// Root returns the root with this name. For "", it returns the root of the words that the program counter addresses.
func (m *Machine) Root(name string) (*isa.Root, error) {
	r, err := m.sem.Root(name)
	if err != nil {
		return nil, err
	}
	return m.set.Roots()[r.ID], nil
}

// Address converts a value of the program counter to an offset in bytes from the start of the program.
func (m *Machine) Address(pc uint64) uint64 { return m.sem.Address(pc) }

// ParseQuirks reads the values of quirks. The values that are not in given are the defaults. If a name or a value is
// unknown, ParseQuirks returns an *OptionError.
func (m *Machine) ParseQuirks(given map[string]string) (map[string]uint64, error) {
	out, err := m.sem.ParseQuirks(given)
	if err != nil {
		return nil, &OptionError{err}
	}
	return out, nil
}

// Inside returns the semantics. Only packages of this module can call it.
func (m *Machine) Inside(inside.Key) *sem.Machine { return m.sem }

// Canonical returns the bits of a component as a run returns them: every NaN becomes the same NaN.
func Canonical(bits uint64, t isa.Type) uint64 { return sem.Canonical(bits, elem(t)) }

// Format formats the bits of a component as a number.
func Format(bits uint64, t isa.Type) string { return sem.Number(bits, elem(t)) }

// Parse parses the bits of a component from a number, or from true or false.
func Parse(text string, t isa.Type) (uint64, error) { return sem.ParseLiteral(text, elem(t)) }
