package sem

// Op is an operation of the IR. The table operations describes each of them.
type Op uint8

// The operations.
const (
	OpConst Op = iota
	OpParam
	OpOpaque
	OpSettled

	OpSplat
	OpAdd
	OpSub
	OpMul
	OpMulHigh
	OpDiv
	OpMod
	OpFma
	OpSqrt
	OpExp2
	OpLog2
	OpSin
	OpCos
	OpRint
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
	OpCarry
	OpOverflow
	OpEq
	OpNe
	OpLt
	OpLe
	OpSelect
	OpCast
	OpSext
	OpConvert
	OpSlice
	OpFlush
	OpProduct
	OpConcat

	OpRead
	OpReadX
	OpWrite
	OpWriteX
	OpLoad
	OpStore
	OpTop
	OpDepth
	OpEmpty
	OpPush
	OpPop

	OpLane
	OpExists
	OpAny
	OpAll
	OpBallot
	OpFrom
	OpLanesOf

	OpJump
	OpEnd
	OpTrap
	OpBarrier
	OpService
	OpResult
	OpSkip
	OpAtomic

	OpUnknown
	OpHazard
	OpRun
	OpFlow
)

// class says when an operation runs and what it is for.
type class uint8

const (
	cNone      class = iota
	cStanding        // has a value without being run
	cPure            // has a value that follows from its arguments alone
	cAsking          // has a value that depends on the lanes or on a stack
	cReading         // likewise, and counts only for the lanes in which its guard holds
	cActing          // changes something in the lanes in which its guard holds
	cInforming       // changes nothing, and informs about the lanes in which its guard holds
)

// typing is what the type of an operand or of a value may be.
type typing uint8

const (
	tNone      typing = iota
	tType             // Inst.Type
	tFrom             // Inst.From
	tComponent        // the type of a component of Inst.State
	tSlot             // the type of a slot of Inst.State
	tAny              // any type of a component
	tNumber           // an integer or a float
	tInteger          // u1 to u64 or s1 to s64
	tUnsigned
	tFloat
	tF32
	tWord    // u32 or f32
	tLogical // bool or an integer
	tBit     // bool or u1
	tBool    // bool
	tU32     // u32
	tU64     // u64
	tRest    // the unsigned integer with the bits of Inst.Type that Inst.From lacks
	tResults // the type of the results of a service: a vector, a component or nothing
	tService // not a value: the number of an OpService
)

// immediate is what Inst.Imm is.
type immediate uint8

const (
	iNone     immediate = iota
	iBits               // the bits of a value of Inst.Type
	iMode               // the Mode in which a float is rounded; Nearest for integers
	iLow                // the number of the lowest bit
	iFlushes            // 1 if denormals count as 0, otherwise 0
	iRegister           // the number of a register of Inst.State
	iBytes              // the number of bytes of a value of Inst.Type
	iEntry              // the number of an entry, 0 for the newest
	iParts              // Arrives, Waits or both
	iEnd                // the number of the first operation after the region
	iAddress            // the address of a word, in units of the size of its root
)

// stateKinds is what Inst.State may be.
type stateKinds uint8

const (
	kNone      stateKinds = iota
	kRegisters            // a file, a register or a rom
	kWritable             // a file or a register
	kMemory
	kStack
)

// signature describes an operation.
type signature struct {
	name   string
	class  class
	result typing    // what Inst.Type is: the type of the value, or of what is written
	from   typing    // what Inst.From is
	args   [3]typing // what Inst.A, B and C are
	imm    immediate
	state  stateKinds
	comp   bool // Inst.Comp is the number of a component, slot or result
	list   bool // the operation has Inst.Args
	text   bool // the operation has an Inst.Text
	call   bool // the operation has an Inst.Service
	guard  bool // Inst.Guard must be present
}

// operations are the signatures of all operations. Printing, Op.Pure and the verifier follow from them.
var operations = [...]signature{
	// A constant.
	OpConst: {name: "const", class: cStanding, result: tAny, imm: iBits},
	// A parameter of a block. Only programs of package flow have parameters.
	OpParam: {name: "param", class: cStanding, result: tAny},
	// An unknown value and an unknown constant. They exist only while a description is checked.
	OpOpaque:  {name: "opaque", class: cStanding, result: tAny},
	OpSettled: {name: "settled", class: cStanding, result: tAny},

	// A, the same in all lanes.
	OpSplat: {name: "splat", class: cPure, result: tAny, args: [3]typing{tType}},
	// Arithmetic. Integers wrap. Integer division by 0 gives 0. OpMulHigh is the upper half of the product, and OpFma is
	// A*B+C, rounded once.
	OpAdd:     {name: "add", class: cPure, result: tNumber, args: [3]typing{tType, tType}, imm: iMode},
	OpSub:     {name: "sub", class: cPure, result: tNumber, args: [3]typing{tType, tType}, imm: iMode},
	OpMul:     {name: "mul", class: cPure, result: tNumber, args: [3]typing{tType, tType}, imm: iMode},
	OpMulHigh: {name: "mulhigh", class: cPure, result: tInteger, args: [3]typing{tType, tType}},
	OpDiv:     {name: "div", class: cPure, result: tNumber, args: [3]typing{tType, tType}, imm: iMode},
	OpMod:     {name: "mod", class: cPure, result: tInteger, args: [3]typing{tType, tType}},
	OpFma:     {name: "fma", class: cPure, result: tFloat, args: [3]typing{tType, tType, tType}, imm: iMode},
	OpSqrt:    {name: "sqrt", class: cPure, result: tFloat, args: [3]typing{tType}, imm: iMode},
	OpExp2:    {name: "exp2", class: cPure, result: tFloat, args: [3]typing{tType}},
	OpLog2:    {name: "log2", class: cPure, result: tFloat, args: [3]typing{tType}},
	OpSin:     {name: "sin", class: cPure, result: tFloat, args: [3]typing{tType}},
	OpCos:     {name: "cos", class: cPure, result: tFloat, args: [3]typing{tType}},
	// A float that is a whole number.
	OpRint: {name: "rint", class: cPure, result: tFloat, args: [3]typing{tType}, imm: iMode},
	// OpNeg of a float flips its sign bit, even for NaN.
	OpNeg: {name: "neg", class: cPure, result: tNumber, args: [3]typing{tType}},
	OpNot: {name: "not", class: cPure, result: tLogical, args: [3]typing{tType}},
	OpAnd: {name: "and", class: cPure, result: tLogical, args: [3]typing{tType, tType}},
	OpOr:  {name: "or", class: cPure, result: tLogical, args: [3]typing{tType, tType}},
	OpXor: {name: "xor", class: cPure, result: tLogical, args: [3]typing{tType, tType}},
	// Shifts by B bits. If B is the width or more, the result is 0, or copies of the sign for OpShr of a signed integer.
	OpShl: {name: "shl", class: cPure, result: tInteger, args: [3]typing{tType, tUnsigned}},
	OpShr: {name: "shr", class: cPure, result: tInteger, args: [3]typing{tType, tUnsigned}},
	OpMin: {name: "min", class: cPure, result: tInteger, args: [3]typing{tType, tType}},
	OpMax: {name: "max", class: cPure, result: tInteger, args: [3]typing{tType, tType}},
	// The number of leading zeros and of ones.
	OpClz:      {name: "clz", class: cPure, result: tU32, from: tLogical, args: [3]typing{tFrom}},
	OpPopcount: {name: "popcount", class: cPure, result: tU32, from: tLogical, args: [3]typing{tFrom}},
	// The carry of A+B+C, and whether A+B+C overflows as a sum of signed integers.
	OpCarry:    {name: "carry", class: cPure, result: tBool, from: tInteger, args: [3]typing{tFrom, tFrom, tBit}},
	OpOverflow: {name: "overflow", class: cPure, result: tBool, from: tInteger, args: [3]typing{tFrom, tFrom, tBit}},
	// Comparisons. With NaN, only OpNe holds.
	OpEq: {name: "eq", class: cPure, result: tBool, from: tAny, args: [3]typing{tFrom, tFrom}},
	OpNe: {name: "ne", class: cPure, result: tBool, from: tAny, args: [3]typing{tFrom, tFrom}},
	OpLt: {name: "lt", class: cPure, result: tBool, from: tNumber, args: [3]typing{tFrom, tFrom}},
	OpLe: {name: "le", class: cPure, result: tBool, from: tNumber, args: [3]typing{tFrom, tFrom}},
	// A ? B : C.
	OpSelect: {name: "select", class: cPure, result: tAny, args: [3]typing{tBool, tType, tType}},
	// The bits of A, cut off or extended with zeros. From a float, NaN is canonical.
	OpCast: {name: "cast", class: cPure, result: tAny, from: tAny, args: [3]typing{tFrom}},
	// The bits of A, extended with the sign.
	OpSext: {name: "sext", class: cPure, result: tInteger, from: tLogical, args: [3]typing{tFrom}},
	// The number A as a number of another type. A number beyond the range of an integer type becomes the nearest one of
	// that type, and NaN becomes 0.
	OpConvert: {name: "convert", class: cPure, result: tNumber, from: tNumber, args: [3]typing{tFrom}, imm: iMode},
	// The bits of A from a bit upwards, as many as Type has.
	OpSlice: {name: "slice", class: cPure, result: tUnsigned, from: tAny, args: [3]typing{tFrom}, imm: iLow},
	// A float, or its bits. Of a denormal only the sign remains.
	OpFlush: {name: "flush", class: cPure, result: tWord, args: [3]typing{tType}},
	// A*B, but +0 if a factor is 0 or, with the immediate 1, a denormal.
	OpProduct: {name: "product", class: cPure, result: tF32, args: [3]typing{tType, tType}, imm: iFlushes},
	// The bits of A, followed by the bits of B.
	OpConcat: {name: "concat", class: cPure, result: tAny, from: tUnsigned, args: [3]typing{tFrom, tRest}},

	// Registers: component Comp of register Imm or A. B is written.
	OpRead:   {name: "read", class: cReading, result: tComponent, imm: iRegister, state: kRegisters, comp: true},
	OpReadX:  {name: "readx", class: cReading, result: tComponent, args: [3]typing{tInteger}, state: kRegisters, comp: true},
	OpWrite:  {name: "write", class: cActing, result: tComponent, args: [3]typing{tNone, tType}, imm: iRegister, state: kWritable, comp: true},
	OpWriteX: {name: "writex", class: cActing, result: tComponent, args: [3]typing{tInteger, tType}, state: kWritable, comp: true},
	// Memories: Imm bytes at the address A, the least significant byte first. B is stored.
	OpLoad:  {name: "load", class: cReading, result: tAny, args: [3]typing{tInteger}, imm: iBytes, state: kMemory},
	OpStore: {name: "store", class: cActing, result: tAny, args: [3]typing{tInteger, tType}, imm: iBytes, state: kMemory},
	// Stacks: slot Comp of entry Imm, the number of entries, whether there is none, a new entry with Args in its slots, and
	// the removal of the newest entry.
	OpTop:   {name: "top", class: cReading, result: tSlot, imm: iEntry, state: kStack, comp: true},
	OpDepth: {name: "depth", class: cAsking, result: tU32, state: kStack},
	OpEmpty: {name: "empty", class: cAsking, result: tBool, state: kStack},
	OpPush:  {name: "push", class: cActing, state: kStack, list: true},
	OpPop:   {name: "pop", class: cActing, state: kStack},

	// Lanes: the number of the lane, the mask of the lanes that exist, whether A holds in a lane or in all lanes under the
	// guard, the mask of the lanes in which A holds, A in the lane with the number B, and the bit of the lane in the mask A.
	OpLane:    {name: "lane", class: cAsking, result: tU32},
	OpExists:  {name: "exists", class: cAsking, result: tU64},
	OpAny:     {name: "any", class: cReading, result: tBool, args: [3]typing{tBool}},
	OpAll:     {name: "all", class: cReading, result: tBool, args: [3]typing{tBool}},
	OpBallot:  {name: "ballot", class: cReading, result: tU64, args: [3]typing{tBool}},
	OpFrom:    {name: "from", class: cAsking, result: tAny, args: [3]typing{tType, tU32}},
	OpLanesOf: {name: "lanesof", class: cAsking, result: tBool, args: [3]typing{tU64}},

	// The program counter becomes A, the lane ends, the lane traps with the reason Text.
	OpJump: {name: "jump", class: cActing, args: [3]typing{tU32}},
	OpEnd:  {name: "end", class: cActing},
	OpTrap: {name: "trap", class: cActing, text: true},
	// The barrier with the number A, for B waves.
	OpBarrier: {name: "barrier", class: cActing, args: [3]typing{tU32, tU32}, imm: iParts},
	// A call of Service with Args, and component Comp of its result.
	OpService: {name: "service", class: cActing, result: tResults, list: true, call: true},
	OpResult:  {name: "result", class: cAsking, result: tAny, args: [3]typing{tService}, comp: true},
	// The operations up to Imm need not run if the guard holds in no lane. Results are used after them.
	OpSkip: {name: "skip", class: cActing, imm: iEnd, guard: true},
	// The lanes run the operations up to Imm one after another, the lowest lane first.
	OpAtomic: {name: "atomic", class: cActing, imm: iEnd},

	// These operations only inform: the behaviour of the machine from here on is unknown, and Text says what is unknown; the
	// code is probably a mistake, and Text is the name of the hazard, a blank and the message; the operations of another
	// instruction start, of the word at Imm, of the root Text; the instruction itself jumps to A, before its arounds run.
	// Only annotated code has OpHazard and OpFlow.
	OpUnknown: {name: "unknown", class: cInforming, text: true},
	OpHazard:  {name: "hazard", class: cInforming, text: true},
	OpRun:     {name: "run", class: cInforming, imm: iAddress, text: true},
	OpFlow:    {name: "flow", class: cInforming, args: [3]typing{tU32}},
}

// The parts of a barrier.
const (
	Arrives = 1 << iota // the wave counts as arrived
	Waits               // the wave continues when enough waves have arrived
)

func (o Op) signature() *signature { return &operations[o] }

// String returns the operation's name.
func (o Op) String() string { return o.signature().name }

// Pure reports whether the value follows from the arguments alone.
func (o Op) Pure() bool { return o.signature().class == cPure }

// Informs reports whether the operation only informs those who analyse or trace the code. Without such operations, code does
// the same.
func (o Op) Informs() bool { return o.signature().class == cInforming }

// compares reports whether the operation compares two values.
func (o Op) compares() bool { return o >= OpEq && o <= OpLe }

// effect reports whether the operation does something under its guard, and has no value.
func (o Op) effect() bool { return o.signature().class >= cActing }

// guarded reports whether the operation counts only for the lanes in which its guard holds. For a read, these are the
// lanes in which reading an unwritten register is a finding.
func (o Op) guarded() bool { return o.signature().class >= cReading }

var typingNames = [...]string{
	tNone: "", tType: "T", tFrom: "F", tComponent: "register", tSlot: "slot", tAny: "any", tNumber: "number", tInteger: "integer",
	tUnsigned: "unsigned", tFloat: "float", tF32: "f32", tWord: "u32 or f32", tLogical: "bool or integer", tBit: "bool or u1",
	tBool: "bool", tU32: "u32", tU64: "u64", tRest: "the other bits", tResults: "any or nothing", tService: "service",
}

var immediateNames = [...]string{
	iNone: "", iBits: "bits", iMode: "mode", iLow: "lowest bit", iFlushes: "0 or 1", iRegister: "register", iBytes: "bytes",
	iEntry: "entry", iParts: "parts", iEnd: "end", iAddress: "address",
}
