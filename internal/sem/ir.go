package sem

import (
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// Op is an operation of the IR.
type Op uint8

// The operations. A value is the bits of one component, in the low bits of 64, the rest being 0; arguments are A, B
// and C, and Imm is a constant. Floats have the number of bits of their type.
const (
	OpConst Op = iota // Imm
	OpParam           // a constant that is not known: only while a description is checked
	OpSplat           // A, the same in all lanes

	// Arithmetic. The operators on floats round as Imm, a Mode, says.
	OpAdd
	OpSub
	OpMul
	OpMulHigh // the upper half of the product
	OpDiv
	OpMod
	OpFma // A*B+C, rounded once
	OpSqrt
	OpExp2
	OpLog2
	OpSin
	OpCos
	OpRint // to a whole number, as Imm says
	OpNeg
	OpNot
	OpAnd
	OpOr
	OpXor
	OpShl
	OpShr
	OpMin
	OpMax
	OpClz
	OpPopcount
	OpCarry    // of A+B+C
	OpOverflow // of A+B+C as signed numbers
	OpEq
	OpNe
	OpLt
	OpLe
	OpSelect  // A ? B : C
	OpCast    // the bits of A, cut to the width
	OpSext    // A with its sign
	OpConvert // the value of A in another type, as Imm says
	OpSlice   // the bits of A from Imm on
	OpFlush   // the float A of 32 bits, or its bits, and of those that are too small for its exponent the sign alone
	OpProduct // A*B, floats of 32 bits, and +0 where one of them is 0; where Imm is 1 also where one is a denormal
	OpConcat  // A above B

	// State.
	OpRead   // component Comp of number Imm of State
	OpReadX  // of number A
	OpWrite  // B into component Comp of number Imm
	OpWriteX // B into number A
	OpLoad   // Imm bytes of State at A
	OpStore  // B into Imm bytes at A
	OpTop    // slot Comp of entry Imm from the top of State
	OpDepth  // the number of entries
	OpEmpty  // whether there is none
	OpPush   // Args
	OpPop

	// Lanes.
	OpLane    // the number of the lane
	OpExists  // the lanes there are
	OpAny     // A holds in a lane
	OpAll     // A holds in all lanes
	OpBallot  // the lanes in which A holds
	OpFrom    // A of lane B
	OpLanesOf // whether the bit of the lane is set in A

	// Effects on what runs.
	OpJump    // the counter is A
	OpEnd     // the lane is done
	OpTrap    // with Text
	OpUnknown // what follows is not known of the machine: Text says what
	OpHazard  // what is probably a mistake: Text is the name of the hazard, a blank and what is wrong; only in Told code
	OpBarrier // A and B: number and count; Imm is Arrives, Waits or both
	OpService // Args; Text is its name
	OpResult  // component Comp of the results of service A
	OpSkip    // go on at Imm where the guard holds in no lane; Results of the region are used after it
	OpRun     // an instruction that another runs starts: the word at Imm, of the root that Text names
	OpAtomic  // what stands before Imm is done by one lane after another, the lowest first
	OpFlow    // where the instruction itself jumps, to A, before its arounds have their say: only in Told code
)

// What a wave does at a barrier.
const (
	Arrives = 1 << iota // it counts as one that is there
	Waits               // it goes on when enough are there
)

var opNames = [...]string{
	OpConst: "const", OpParam: "param", OpSplat: "splat", OpAdd: "add", OpSub: "sub", OpMul: "mul", OpMulHigh: "mulhigh",
	OpDiv: "div", OpMod: "mod", OpFma: "fma", OpSqrt: "sqrt", OpExp2: "exp2", OpLog2: "log2", OpSin: "sin", OpCos: "cos",
	OpRint: "rint", OpNeg: "neg", OpNot: "not", OpAnd: "and", OpOr: "or", OpXor: "xor", OpShl: "shl", OpShr: "shr",
	OpMin: "min", OpMax: "max", OpClz: "clz", OpPopcount: "popcount", OpCarry: "carry", OpOverflow: "overflow",
	OpEq: "eq", OpNe: "ne", OpLt: "lt", OpLe: "le", OpSelect: "select", OpCast: "cast", OpSext: "sext",
	OpConvert: "convert", OpSlice: "slice", OpFlush: "flush", OpProduct: "product", OpConcat: "concat", OpRead: "read", OpReadX: "readx", OpWrite: "write",
	OpWriteX: "writex", OpLoad: "load", OpStore: "store", OpTop: "top", OpDepth: "depth", OpEmpty: "empty", OpPush: "push", OpPop: "pop",
	OpLane: "lane", OpExists: "exists", OpAny: "any", OpAll: "all", OpBallot: "ballot", OpFrom: "from",
	OpLanesOf: "lanesof", OpJump: "jump", OpEnd: "end", OpTrap: "trap", OpUnknown: "unknown", OpHazard: "hazard", OpBarrier: "barrier", OpService: "service",
	OpResult: "result", OpSkip: "skip", OpRun: "run", OpAtomic: "atomic", OpFlow: "flow",
}

// String returns the operation's name.
func (o Op) String() string { return opNames[o] }

// Pure reports whether the value follows from the arguments alone.
func (o Op) Pure() bool { return o >= OpSplat && o <= OpConcat }

// compares reports whether the operation asks how two values stand to each other.
func (o Op) compares() bool { return o >= OpEq && o <= OpLe }

// effect reports whether the operation does something under its guard, and has no value.
func (o Op) effect() bool {
	switch o {
	case OpWrite, OpWriteX, OpStore, OpPush, OpPop, OpJump, OpEnd, OpTrap, OpUnknown, OpHazard, OpBarrier, OpService, OpSkip, OpRun, OpAtomic, OpFlow:
		return true
	}
	return false
}

// guarded reports whether a guard says for which lanes the operation counts. Of what reads, the guard says
// where reading what nobody wrote is a finding.
func (o Op) guarded() bool {
	switch o {
	case OpRead, OpReadX, OpLoad, OpTop, OpAny, OpAll, OpBallot:
		return true
	}
	return o.effect()
}

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
	// Kept tells of a read that it is of what stays where another part of the register is written.
	Kept bool
	// Carried tells of a read that its value is only copied: who reads the copy reads what nobody wrote, if nobody wrote
	// this. That is where all copies go to registers that carry, or come from one that carries and has a first value.
	Carried bool
	// Around tells that it stands in an around, and not in the meaning of the instruction itself.
	Around  bool
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

// more is what few operations have.
type more struct {
	args    []ID
	text    string
	results []ID
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

// Typed returns the operation with these types.
func (in Inst) Typed(of, from Type) Inst {
	in.typ, in.from = pack(of), pack(from)
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

// Text is the name of a service or a root, and why an operation traps.
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
	whole   whole
}
