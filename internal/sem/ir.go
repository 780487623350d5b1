package sem

import (
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Mode is a rounding mode.
type Mode uint8

// The rounding modes.
const (
	Nearest Mode = iota // to nearest, ties to even
	Zero                // toward 0
	Down                // toward -infinity
	Up                  // toward +infinity
	Away                // to nearest, ties away from 0
)

var modeNames = map[string]Mode{"rn": Nearest, "rz": Zero, "rm": Down, "rp": Up, "ra": Away}

// ID is the number of an operation in a Code, and of its value.
type ID int32

// NoID means that there is no argument. As a guard, it always holds.
const NoID ID = -1

// Inst is an operation.
type Inst struct {
	Op Op
	// Uniform is set if the value is the same in all lanes, or if the operation is an effect on state that all lanes share.
	Uniform bool
	// Notes is for analyses and findings. It does not change what the operation does.
	Notes Notes
	// A, B and C are the arguments, or NoID.
	A, B, C ID
	// Guard holds in the lanes for which the operation counts.
	Guard ID
	typ   packed
	from  packed
	// Comp is the number of a component, slot or result. Imm is the immediate. State is the state that the operation
	// accesses, or nil. The signature of the operation says which of them it has, and what the immediate is.
	Comp  int
	Imm   uint64
	State *State
	more  *more // nil where there is nothing
}

// Notes is a set of notes about an operation.
type Notes uint8

// The notes.
const (
	// Kept is on a read of the part of a register that stays when another part is written.
	Kept Notes = 1 << iota
	// Carried is on a read whose value is only copied, to registers that carry, or from one that carries and has an initial
	// value. If the value was never written, a read of the copy is the finding, not this read.
	Carried
	// Around is on the operations of an <around>. Other operations belong to the instruction itself.
	Around
)

// Kept reports whether the operation has the note Kept.
func (in *Inst) Kept() bool { return in.Notes&Kept != 0 }

// Carried reports whether the operation has the note Carried.
func (in *Inst) Carried() bool { return in.Notes&Carried != 0 }

// more is what few operations have.
type more struct {
	args    []ID
	text    string
	results []ID
	service *Service
	seen    []ID
}

// packed is the type of a component, or of the results of a service, in a number.
type packed uint16

func pack(t Type) packed { return packed(t.Kind) | packed(t.Width)<<4 | packed(t.Len)<<12 }

func (p packed) unpack() Type {
	return Type{Kind: Kind(p & 15), Width: int(p >> 4 & 0xff), Len: int(p >> 12)}
}

// Type returns the type of the value, or of what the operation writes.
func (in *Inst) Type() Type { return in.typ.unpack() }

// From returns the type of A if the operation depends on it, as comparisons and conversions do.
func (in *Inst) From() Type { return in.from.unpack() }

// Typed returns the operation with the given types. It ignores from if the operation does not need it.
func (in Inst) Typed(of, from Type) Inst {
	in.typ, in.from = pack(of), 0
	if in.Op.signature().from != tNone {
		in.from = pack(from)
	}
	return in
}

// Args returns the arguments of an OpPush or an OpService.
func (in *Inst) Args() []ID {
	if in.more == nil {
		return nil
	}
	return in.more.args
}

// Results returns the values in the region of an OpSkip that are used after the region, in ascending order. If the region is
// skipped, these values are undefined, and nothing that the code does depends on them.
func (in *Inst) Results() []ID {
	if in.more == nil {
		return nil
	}
	return in.more.results
}

// Service returns the service that an OpService calls, or nil.
func (in *Inst) Service() *Service {
	if in.more == nil {
		return nil
	}
	return in.more.service
}

// Seen returns the values of the registers that the host reads during an OpService, in the order of Service.EachRead. It
// returns nil except in programs of package flow, because elsewhere the registers hold the values.
func (in *Inst) Seen() []ID {
	if in.more == nil {
		return nil
	}
	return in.more.seen
}

// EachSeen calls visit with each component of a register that the host reads during an OpService, and its value.
func (in *Inst) EachSeen(visit func(st *State, number, comp int, value ID)) {
	if seen := in.Seen(); len(seen) > 0 {
		i := 0
		in.Service().EachRead(func(st *State, number, comp int) {
			visit(st, number, comp, seen[i])
			i++
		})
	}
}

// HasValue reports whether other operations can use the value or the results of the operation.
func (in *Inst) HasValue() bool {
	return !in.Op.effect() || in.Op == OpService && in.Type().Kind != None
}

// Text returns the text of an operation: the reason of a trap, the name of a root, or a message.
func (in *Inst) Text() string {
	if in.more == nil {
		return ""
	}
	return in.more.text
}

// EachArg calls visit with each argument and the guard.
func (in *Inst) EachArg(visit func(a ID)) {
	for _, a := range [4]ID{in.A, in.B, in.C, in.Guard} {
		if a != NoID {
			visit(a)
		}
	}
	for _, a := range in.Args() {
		visit(a)
	}
	for _, a := range in.Seen() {
		visit(a)
	}
}

// StateKind is the kind of a State.
type StateKind uint8

// The kinds of states. A single register and a rom are files.
const (
	FileState StateKind = iota
	StackState
	MemoryState
)

// Outside is the effect of a register number beyond the last register.
type Outside uint8

// The effects of a register number beyond the last register.
const (
	OutsideValue Outside = iota // reads return State.OutsideBits, and writes have no effect
	OutsideWrap                 // the number is taken modulo the number of registers
	OutsideTrap                 // the lane traps
)

// State is a file, a register, a rom, a stack or a memory of the machine.
type State struct {
	Kind StateKind
	Name string
	// Group is the name of the group of memories that contains the memory, such as g for g0 to g15, or "".
	Group string
	// Index is the index in Machine.States.
	Index int
	// Type is the type of a register. Count is the number of registers, which is 1 for a <register>, the depth of a stack, or
	// the size of a memory in bytes.
	Type  Type
	Count int
	Scope spec.Scope
	// Single is set for a <register>.
	Single bool
	// Init is the initial value of each component. If Undefined is set, a read before the first write is a finding.
	Init      uint64
	Undefined bool
	// Carries is set if the register only forwards values: copying a value to it does not count as a use of the value.
	Carries bool
	// InitExists is set if the initial value is the mask of the lanes that exist.
	InitExists bool
	Outside    Outside
	// OutsideBits is the value of a component beyond the last register, for OutsideValue.
	OutsideBits uint64
	Slots       []Slot
	// Access are the types with which code may access the memory. If there are none, it may use any type.
	Access []string
	// Banks is the number of banks of the memory, or 0. Consecutive 32-bit words are in consecutive banks.
	Banks int
	// Word is the type of the values that users write and read at an address of the memory: the first of Access.
	Word Type
	// Aliases are other names that users may use. The first alias of a memory is its name in assembly text.
	Aliases []string
	// FullTraps is set if a push onto the full stack traps. Otherwise it overwrites the oldest entry. EmptyTraps is set if a
	// pop from the empty stack traps. Otherwise it has no effect.
	FullTraps  bool
	EmptyTraps bool
	// Once is set if a program should write each component at most once.
	Once bool
	// Given lists the numbers of the registers that have a value when a program starts.
	Given []int
	// Allocated is set if the launch determines the number of registers. Numbers beyond it are outside.
	Allocated bool
	// ReadOnly is set for a rom. Values are its contents.
	ReadOnly bool
	Values   []uint64
	// Names are the names of the components. If it is nil, they are x, y, z and w.
	Names []string
	// Use is the attribute use: input, output, constant and so on.
	Use  string
	Span diag.Span
}

// Slot is a part of each entry of a stack.
type Slot struct {
	Name string
	Type Type
}

// Code is a lowered instruction.
type Code struct {
	Insts []Inst
	// Next is the address of the next instruction, in units of the program counter.
	Next uint64
	// Jumps is set if the instruction may assign the program counter.
	Jumps bool
	// Runs is set if the instruction runs other words of the program that were not available.
	Runs bool
	// handsOn is set if the code copies a register that carries and has an initial value.
	handsOn bool
	graph   bool // the operations are those of a graph, for VerifyOp
	whole   derived
	bare    derived
}
