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

// Machine derives facts from the semantics of an instruction set. It is safe for concurrent use.
type Machine struct {
	sem    *sem.Machine
	states []*State
	of     map[*sem.State]*State
	parts  int
	word   Word
	quirks map[string]uint64
}

// Word returns an inner instruction, which another instruction executes. number is its position in words of the size of
// the root, in bits. ok is false if the program has no such word.
type Word func(root string, size int, number uint64) (v bits.Value, ok bool)

// Root returns the name of the root of the words that the program counter addresses.
func (m *Machine) Root() (string, error) {
	r, err := m.sem.Root("")
	if err != nil {
		return "", err
	}
	return r.Name, nil
}

// Running returns a machine whose facts include the effects of inner instructions. word returns these instructions.
func (m *Machine) Running(word Word) *Machine {
	out := *m
	out.word = word
	return &out
}

// Choosing returns a machine with the given values of quirks. Other quirks have their defaults. Choosing returns an
// error if a name or a value is unknown.
func (m *Machine) Choosing(quirks map[string]string) (*Machine, error) {
	out := *m
	var err error
	out.quirks, err = m.sem.ParseQuirks(quirks)
	return &out, err
}

// StateKind is the kind of a State.
type StateKind uint8

// The kinds of states.
const (
	Registers StateKind = iota
	Stack
	Memory
)

// String returns the kind as in JSON output: register, stack or memory.
func (k StateKind) String() string { return [...]string{"register", "stack", "memory"}[k] }

// State is a register file, a single register, a stack or a memory.
type State struct {
	Name string
	Kind StateKind
	// Index is the position in Machine.States.
	Index int
	// Count is the number of registers, the depth of a stack, or the size of a memory in bytes. It is 0 if each launch
	// sets the size.
	Count int
	// Single reports whether the State is a single register, whose name has no number.
	Single bool
	// Components holds the names of the components of a register, or of the slots of a stack entry. It is empty for a
	// scalar.
	Components []string
	// Scope is lane, wave, block or launch: each of them has its own State.
	Scope string
	// Use is the purpose of the registers, such as input, output or constant. It is "" if the description declares no
	// purpose.
	Use string
	// Once is set if a program may write each component at most once.
	Once bool
	// Given lists the numbers of the registers that have a value when a program starts.
	Given []int
	// Allocated is set if each launch decides how many of the registers a program has.
	Allocated bool
	// Carries is set if the register only forwards values: a read of the forwarded value counts when the register is
	// read.
	Carries bool
	// Defined is set if an unwritten register has a defined value: Init in each component, unless Lanes is set.
	Defined bool
	Init    uint64
	// Lanes is set if the initial value of the register is the mask of the existing lanes.
	Lanes bool
	first Part // the part of its first component, -1 if programs cannot change it
}

// Access is a read or a write of a State.
type Access struct {
	State *State
	// Number is the number of the register, or of the stack entry, where 0 is the top. It is -1 if only a run
	// determines it, and for a whole stack or memory.
	Number int
	// Mask selects components. Bit 0 is the first component, or the only one. Mask is 0 for a memory, and for a stack
	// as a whole, which means its depth.
	Mask uint64
	// Kept is set if the value is read only to be written back: the rest of a register of which a part is written.
	Kept bool
	// Carried is set if the value is only forwarded to a register with State.Carries. A read of that register uses the
	// value.
	Carried bool
	// Maybe is set if the access depends on a condition that only a run decides.
	Maybe bool
	// Size is the size of an access to a memory in bytes. Address is its address, or -1 if only a run determines it.
	Size    int
	Address int64
}

// Trap is a reason why an instruction may stop the program.
type Trap struct {
	Why   string
	Maybe bool
}

// Effects are the effects of a part of an instruction's semantics.
type Effects struct {
	// Reads are the accesses on whose values the result depends. Writes are the accesses that change state.
	Reads, Writes []Access
	// Flows lists where control can continue. Flow.Target is in bits from the start of the program, or -1 if only a run
	// determines it. If the target comes from a stack, Flow.Stack names the stack.
	Flows []isa.Flow
	Traps []Trap
	// Services holds the names of the host callbacks that the instruction calls.
	Services []string
	// Lanes is set if the instruction reads values of other lanes. Waits is set if it waits for other lanes or waves.
	Lanes, Waits bool
}

// Facts are the effects of an instruction.
type Facts struct {
	// Own has the effects of the instruction's own semantics. Its flows include a Next if control may continue at the
	// next instruction.
	Own Effects
	// Around has the implicit effects: the effects of rules that apply to all instructions, such as predicates and the
	// ends of scopes. Its flows override those of Own.
	Around Effects
	// Runs is set if the instruction executes inner instructions whose effects are not included.
	Runs bool
	// Next is the address of the next instruction, in bits from the start of the program.
	Next int64
}

// Reads yields all reads, including implicit ones.
func (f *Facts) Reads() iter.Seq[Access] { return both(f.Own.Reads, f.Around.Reads) }

// Writes yields all writes, including implicit ones.
func (f *Facts) Writes() iter.Seq[Access] { return both(f.Own.Writes, f.Around.Writes) }

// Flows yields all flows, including implicit ones.
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

// Open reads the semantics of an instruction set. It returns an error if the description has no semantics, or if they
// have mistakes. diag.Render formats the error.
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
			continue // it neither survives the instruction nor changes
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

// Lanes returns the largest number of lanes of a wave.
func (m *Machine) Lanes() int { return m.sem.Lanes }

// States returns the states that instructions can read and write, in the order of the description.
func (m *Machine) States() []*State { return m.states }

// Of returns the facts of an instruction at the decoder's address, with the decoder's contexts and tables. It returns
// an error if the instruction has no semantics.
func (m *Machine) Of(d *isa.Decoder, in isa.Inst) (*Facts, error) {
	x, err := m.At(d, in)
	if err != nil {
		return nil, err
	}
	return x.Facts(), nil
}

// Instruction is an instruction at an address. Several calls of its methods are faster than those of Machine, which
// read the semantics for each call.
type Instruction struct {
	m    *Machine
	code *sem.Code
}

// At returns an instruction at the decoder's address, with the decoder's contexts and tables. It returns an error if
// the instruction has no semantics.
func (m *Machine) At(d *isa.Decoder, in isa.Inst) (*Instruction, error) {
	code, err := m.annotated(d, in)
	if err != nil {
		return nil, err
	}
	return &Instruction{m, code}, nil
}

// Facts is like Machine.Of, for this instruction.
func (x *Instruction) Facts() *Facts { return x.m.facts(x.code) }

// Ways is like Machine.Ways, for this instruction.
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

// joined merges the accesses to each register. It drops conditional accesses to components that are always accessed.
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
		if n := len(kept); n > 0 && a.Maybe && !kept[n-1].Maybe { // an unconditional access precedes a conditional one
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

// compareAccess orders accesses by state and number.
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
