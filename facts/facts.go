// Package facts reports what an instruction reads and writes, and where control can go after it. It derives these facts
// from the semantics in the description.
package facts

import (
	"iter"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Machine tells facts of the instructions of an instruction set. It is safe for use by several goroutines.
type Machine struct {
	sem    *sem.Machine
	states []*State
	of     map[*sem.State]*State
	parts  int
	word   Word
	quirks map[string]uint64
}

// Word returns an instruction that another runs: of a root, by its number in words of that root's size in bits; ok is
// false where the program has none.
type Word func(root string, size int, number uint64) (v bits.Value, ok bool)

// Root returns the name of the root whose words the program counter finds.
func (m *Machine) Root() (string, error) {
	r, err := m.sem.Root("")
	if err != nil {
		return "", err
	}
	return r.Name, nil
}

// Running returns a machine that tells of an instruction what those do that it runs, which word finds.
func (m *Machine) Running(word Word) *Machine {
	out := *m
	out.word = word
	return &out
}

// Choosing returns a machine whose facts are those of quirks that are given, by name; others have their defaults. The
// error tells that there is no such quirk or value.
func (m *Machine) Choosing(quirks map[string]string) (*Machine, error) {
	out := *m
	var err error
	out.quirks, err = m.sem.ParseQuirks(quirks)
	return &out, err
}

// StateKind tells the kinds of state apart.
type StateKind uint8

// The kinds of state: registers, stacks, memories.
const (
	Registers StateKind = iota
	Stack
	Memory
)

// String returns the kind as JSON has it: register, stack or memory.
func (k StateKind) String() string { return [...]string{"register", "stack", "memory"}[k] }

// State is a file of registers, a register that stands alone, a stack or a memory.
type State struct {
	Name string
	Kind StateKind
	// Index is its place in States.
	Index int
	// Count is the number of registers, 1 for one that stands alone, the depth of a stack, or the bytes of a memory,
	// 0 where a launch decides.
	Count int
	// Single is set for a register that stands alone.
	Single bool
	// Components are the names of the components of a register, or of the parts of an entry of a stack; none for what
	// has one.
	Components []string
	// Scope says who has one: lane, wave, block or launch.
	Scope string
	// Use is what registers are for: input, output, constant and so on; "" where the description does not say.
	Use string
	// Once is set where each component is to be written at most once.
	Once bool
	// Given lists the numbers of the registers that have a value when a program starts.
	Given []int
	// Allocated is set where a launch decides how many of the registers a program has.
	Allocated bool
	// Carries is set of a register that hands on what it is given: reading that counts where the register is read.
	Carries bool
	// Defined is set where a register that nobody wrote holds a value that counts: in each component Init, unless it is the
	// mask of the lanes that exist.
	Defined bool
	Init    uint64
	// Lanes is set of a register that starts as that mask.
	Lanes bool
	first Part // the number of its first component, -1 where programs cannot change it
}

// Access is what an instruction reads or writes of a state.
type Access struct {
	State *State
	// Number is that of the register, or of the entry of a stack, 0 being the top; -1 where it is only known when the
	// instruction runs, and where all of a stack or of a memory is meant.
	Number int
	// Mask has bit 0 set for the first component, and so on: bit 0 alone for a register without components. It is 0
	// for a memory, and for a stack as a whole: its depth.
	Mask uint64
	// Kept is set of what is read alone to be written again: the other part of a register of which a part is written.
	Kept bool
	// Carried is set of what is read alone for a register that carries it: whoever reads that one uses it.
	Carried bool
	// Maybe is set where it depends on a condition that is decided when the instruction runs.
	Maybe bool
	// Size is the number of bytes of an access to memory. Address is where it is, -1 where that is only known when the
	// instruction runs.
	Size    int
	Address int64
}

// Trap is a reason for which an instruction may stop.
type Trap struct {
	Why   string
	Maybe bool
}

// Effects are what some part of an instruction's meaning does.
type Effects struct {
	// Reads are parts of the state on which the outcome depends, Writes those that change.
	Reads, Writes []Access
	// Flows are the ways in which control goes on. Target is in bits from the start of the program, -1 where it is
	// only known when the instruction runs; of what is kept on a stack, Stack is that.
	Flows []isa.Flow
	Traps []Trap
	// Services are the names of what the surroundings do for it.
	Services []string
	// Lanes is set where it looks at what other lanes have, Waits where it waits for others.
	Lanes, Waits bool
}

// Facts are what an instruction does.
type Facts struct {
	// Own is what its own meaning does. Its flows have a Next where control may go on behind the instruction.
	Own Effects
	// Around is what the rules around all instructions do beside it: predicates, scopes that end. Its flows overrule
	// those of Own.
	Around Effects
	// Runs is set where it runs other instructions of the program: what those do is not told here.
	Runs bool
	// Next is the address behind the instruction, in bits from the start of the program.
	Next int64
}

// Reads yields all that is read, also by what is around the instruction.
func (f *Facts) Reads() iter.Seq[Access] { return both(f.Own.Reads, f.Around.Reads) }

// Writes yields all that is written, also by what is around the instruction.
func (f *Facts) Writes() iter.Seq[Access] { return both(f.Own.Writes, f.Around.Writes) }

// Flows yields all ways in which control may go on.
func (f *Facts) Flows() iter.Seq[isa.Flow] { return both(f.Own.Flows, f.Around.Flows) }

func both[T any](own, around []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, list := range [2][]T{own, around} {
			for _, x := range list {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// Open reads the meaning of an instruction set. The error tells that its description has none, or what is wrong with
// it; diag.Render formats it.
func Open(set *isa.Set) (*Machine, error) {
	m, err := sem.New(inside.Machine(set))
	if err != nil {
		return nil, err
	}
	if !m.Speaks() {
		return nil, diag.List{diag.Errorf(diag.MeaningNone, m.Model.ISA.Span, "the description has no semantics")}
	}
	out := &Machine{sem: m, of: map[*sem.State]*State{}}
	for _, s := range m.States {
		if s.Scope == spec.ScopeInstruction || s.ReadOnly {
			continue // nothing that is left behind, nothing that changes
		}
		st := newState(s)
		st.Index = len(out.states)
		out.states = append(out.states, st)
		out.of[s] = st
	}
	out.layOut()
	return out, nil
}

func newState(s *sem.State) *State {
	kinds := [...]StateKind{sem.FileState: Registers, sem.StackState: Stack, sem.MemoryState: Memory}
	st := &State{Name: s.Name, Kind: kinds[s.Kind], Count: s.Count, Single: s.Single, Scope: s.Scope.String(), Use: s.Use, Once: s.Once, Given: s.Given, Allocated: s.Allocated, Carries: s.Carries, Defined: !s.Undefined, Init: s.Init, Lanes: s.InitExists}
	for _, slot := range s.Slots {
		st.Components = append(st.Components, slot.Name)
	}
	for k := range s.Type.Len {
		st.Components = append(st.Components, s.Letter(k))
	}
	return st
}

// Waves reports whether all lanes of a wave have one program counter.
func (m *Machine) Waves() bool { return m.sem.Wave }

// States lists what an instruction can read and write, in the order of the description.
func (m *Machine) States() []*State { return m.states }

// Of returns the facts of an instruction at the decoder's address, with the decoder's contexts and tables. Quirks have
// the values that Choosing gave them, or their defaults. The error tells that the instruction has no meaning.
func (m *Machine) Of(d *isa.Decoder, in isa.Inst) (*Facts, error) {
	x, err := m.At(d, in)
	if err != nil {
		return nil, err
	}
	return x.Facts(), nil
}

// Instruction is an instruction at an address. It answers several questions faster than Machine does, which reads the
// semantics for each.
type Instruction struct {
	m    *Machine
	code *sem.Code
}

// At returns an instruction at the decoder's address, with the decoder's contexts and tables. The error tells that the
// instruction has no meaning.
func (m *Machine) At(d *isa.Decoder, in isa.Inst) (*Instruction, error) {
	code, err := m.annotated(d, in)
	if err != nil {
		return nil, err
	}
	return &Instruction{m, code}, nil
}

// Facts returns the facts of the instruction, as Machine.Of does.
func (x *Instruction) Facts() *Facts { return x.m.facts(x.code) }

// Ways returns the ways behind the instruction, as Machine.Ways does.
func (x *Instruction) Ways(from Stacks, known Known) ([]Way, error) {
	return x.m.ways(x.code, from, known)
}

func (m *Machine) facts(code *sem.Code) *Facts {
	r := &reader{m: m, code: code, wrote: map[register]bool{}}
	r.out.Runs = code.Runs
	r.out.Next = int64(code.Next) * int64(m.sem.Unit)
	for i := range code.Insts {
		r.inst(&code.Insts[i])
	}
	r.flow()
	for _, e := range []*Effects{&r.out.Own, &r.out.Around} {
		e.Reads, e.Writes = joined(e.Reads), joined(e.Writes)
		slices.Sort(e.Services)
		e.Services = slices.Compact(e.Services)
	}
	return &r.out
}

// joined puts together what is said of one register. What is done always is not said again of a condition.
func joined(list []Access) []Access {
	slices.SortStableFunc(list, compareAccess)
	var out []Access
	for _, a := range list {
		n := len(out)
		if n > 0 && compareAccess(out[n-1], a) == 0 {
			out[n-1].Mask |= a.Mask
			continue
		}
		out = append(out, a)
	}
	kept := out[:0]
	for _, a := range out {
		if n := len(kept); n > 0 && a.Maybe && !kept[n-1].Maybe { // the one always stands before the one of a condition
			b := a
			b.Maybe = false
			if compareAccess(kept[n-1], b) == 0 {
				if a.Mask &^= kept[n-1].Mask; a.Mask == 0 {
					continue
				}
			}
		}
		kept = append(kept, a)
	}
	return kept
}

// compareAccess orders accesses by what they are of.
func compareAccess(a, b Access) int {
	flag := func(m bool) int {
		if m {
			return 1
		}
		return 0
	}
	for _, d := range [...]int{a.State.Index - b.State.Index, a.Number - b.Number, int(a.Address - b.Address), a.Size - b.Size, flag(a.Kept) - flag(b.Kept), flag(a.Carried) - flag(b.Carried), flag(a.Maybe) - flag(b.Maybe)} {
		if d != 0 {
			return d
		}
	}
	return 0
}
