package sem

import (
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Mode is a way to round.
type Mode uint8

// The modes: to the nearest, ties to even; toward 0; down; up; to the nearest, ties away from 0.
const (
	Nearest Mode = iota
	Zero
	Down
	Up
	Away
)

var modeNames = map[string]Mode{"rn": Nearest, "rz": Zero, "rm": Down, "rp": Up, "ra": Away}

// ID is the number of an operation, and so of its value. NoID is none.
type ID int32

// NoID stands where there is no argument, and for the guard that always holds.
const NoID ID = -1

// Inst is one operation.
type Inst struct {
	Op Op
	// Uniform tells that the value is the same in all lanes.
	Uniform bool
	// Notes is for analyses and findings. It does not change what the operation does.
	Notes   Notes
	A, B, C ID
	// Guard holds in the lanes for which the operation counts.
	Guard ID
	typ   packed
	from  packed
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

// Type is the type of the value, or of what is written.
func (in *Inst) Type() Type { return in.typ.unpack() }

// From is the type of A where that matters: comparisons and conversions.
func (in *Inst) From() Type { return in.from.unpack() }

// Typed returns the operation with the given types. It ignores from if the operation does not need it.
func (in Inst) Typed(of, from Type) Inst {
	in.typ, in.from = pack(of), 0
	if in.Op.signature().from != tNone {
		in.from = pack(from)
	}
	return in
}

// Args are the arguments of an OpPush and of an OpService.
func (in *Inst) Args() []ID {
	if in.more == nil {
		return nil
	}
	return in.more.args
}

// Results are the values from the region of an OpSkip that are used after it, in ascending order. Where the region is
// skipped they have any value: what the code does must not depend on it.
func (in *Inst) Results() []ID {
	if in.more == nil {
		return nil
	}
	return in.more.results
}

// Service is the service that an OpService calls, or nil.
func (in *Inst) Service() *Service {
	if in.more == nil {
		return nil
	}
	return in.more.service
}

// Seen are the values of the registers that the host reads during an OpService, in the order of Service.EachRead. Only
// programs of package flow have them, because elsewhere the registers themselves hold the values.
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

// Text is the name of a root, and why an operation traps.
func (in *Inst) Text() string {
	if in.more == nil {
		return ""
	}
	return in.more.text
}

// EachArg calls visit with what the operation takes: its arguments and its guard.
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

// StateKind tells states apart.
type StateKind uint8

// The kinds of state.
const (
	FileState StateKind = iota
	StackState
	MemoryState
)

// Outside says what an index beyond a file does.
type Outside uint8

// What an index beyond does: reads a value and writes nothing, wraps, or traps.
const (
	OutsideValue Outside = iota
	OutsideWrap
	OutsideTrap
)

// State is a file, a register, a stack or a memory of the machine.
type State struct {
	Kind StateKind
	Name string
	// Group is the name of the group that a memory is one of, "" for none: g of g0 to g15.
	Group string
	// Index is its place in Machine.States.
	Index int
	// Type is that of a register of a file; Count the number of registers, 1 for a <register>, or the
	// depth of a stack, or the bytes of a memory.
	Type  Type
	Count int
	Scope spec.Scope
	// Single tells that it is a <register>.
	Single bool
	// Init is the value of each component that nobody wrote; Undefined tells that reading it is a finding.
	Init      uint64
	Undefined bool
	// Carries tells that what a register is given counts as read when the register is.
	Carries bool
	// InitExists tells that it starts as the mask of the lanes there are.
	InitExists bool
	Outside    Outside
	// OutsideBits is what a component reads beyond the file.
	OutsideBits uint64
	Slots       []Slot
	// Access are the types with which a memory is reached, as the description has them; none where it does not say.
	Access []string
	// Banks is the number of banks of a memory, which hold consecutive words of 32 bits in turn; 0 for none.
	Banks int
	// Word is the type of the values of a memory that users give and read by their address: the first of Access.
	Word Type
	// Aliases are other names, which users may give; the first of a memory is that of the texts of instructions.
	Aliases    []string
	FullTraps  bool
	EmptyTraps bool
	// Once tells that each component is to be written at most once.
	Once bool
	// Given lists the numbers of the registers that have a value when a program starts.
	Given []int
	// Allocated tells that a launch decides how many of the registers a program has; the others are outside.
	Allocated bool
	// ReadOnly tells of a rom, Values what it holds.
	ReadOnly bool
	Values   []uint64
	// Names are the letters of the components, where the description gives them.
	Names []string
	// Use is what the launch does with the file: input, output and so on, as the description says.
	Use  string
	Span diag.Span
}

// Slot is a part of an entry of a stack.
type Slot struct {
	Name string
	Type Type
}

// Code is a lowered instruction.
type Code struct {
	Insts []Inst
	// Next is the counter behind the instruction.
	Next uint64
	// Jumps tells that the counter may be assigned.
	Jumps bool
	// Runs tells that other words of the program are run, and that they were not at hand.
	Runs bool
	// handsOn tells that a register is copied from one that carries and has a first value.
	handsOn bool
	whole   derived
	bare    derived
}
