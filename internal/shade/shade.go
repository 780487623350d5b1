// Package shade has the form that shaders have before they are printed as GLSL, WGSL or SPIR-V. Package translate makes it;
// packages glsl, wgsl and spirv print it. Each operation has the same result in all languages, so that a printer only spells
// it.
//
// # What is undefined
//
// The printers do not guard operations. These have no defined result, and translate avoids them:
//   - an Index that is not less than the number of elements, even in an argument of Select, LogicAnd or LogicOr whose value
//     does not matter: languages may compute it
//   - ShiftLeft and ShiftRight by the width of the value or more
//   - Div and Mod of integers by 0, and Div of the least int by -1
//   - Convert of a float to an integer if the float is NaN or the integer has no such value
//   - Min, Max and Abs of NaN, and which zero Min and Max return for 0 and -0
//
// Integer sums, differences and products wrap.
//
// # What is exact
//
// Add, Sub and Mul of floats are rounded to nearest, and nothing is contracted, reassociated or replaced: SPIR-V decorates
// them, Div and Neg with NoContraction, and GLSL declares variables precise. A language without such a guarantee says so in
// its header. Floor, Ceil, Trunc, RoundEven and conversions of integers to floats are exact or rounded to nearest. Div, Sqrt
// and Fma of 64 bits are rounded to nearest. Those of 32 bits, InverseSqrt, Exp2, Log2, Sin and Cos may differ from device to
// device, so that the library of translate only starts from them. Eq, Lt, Le, Gt and Ge with NaN are false, and Ne is true,
// but WGSL and GLSL ES may take NaN for impossible: translate tests for NaN by bits.
package shade

// Kind is the kind of a type.
type Kind uint8

// The kinds.
const (
	Void Kind = iota
	Bool
	Uint
	Int
	Float
	Texture // with its sampler
)

// Type is the type of a value. Types are comparable with ==.
type Type struct {
	Kind Kind
	// Width is the number of bits of a number: 32 or 64 (16 is reserved). It is 0 for other kinds.
	Width uint8
	// N is the number of components of a vector (2 to 4), or 0 for a scalar.
	N uint8
	// Len is the number of elements of an array, or 0 if the type is no array. An array of arrays does not exist.
	Len int
	// Dim, Arrayed and Shadow describe a Texture, whose Of is the kind of the texels: Float, Int or Uint.
	Dim             Dim
	Arrayed, Shadow bool
	Of              Kind
}

// Dim is the number of dimensions of a texture.
type Dim uint8

// The dimensions of textures.
const (
	NoDim Dim = iota
	Dim1
	Dim2
	Dim3
	Cube
)

// Types of scalars.
var (
	None = Type{}
	B    = Type{Kind: Bool}
	U32  = Type{Kind: Uint, Width: 32}
	I32  = Type{Kind: Int, Width: 32}
	F32  = Type{Kind: Float, Width: 32}
	U64  = Type{Kind: Uint, Width: 64}
	I64  = Type{Kind: Int, Width: 64}
	F64  = Type{Kind: Float, Width: 64}
)

// Vec returns the vector of n components of a scalar type. For n below 2 it returns the scalar type.
func (t Type) Vec(n int) Type {
	t.N = 0
	if n > 1 {
		t.N = uint8(n)
	}
	return t
}

// Array returns the array of n elements of a type. For n = 0 it returns the type of an element.
func (t Type) Array(n int) Type {
	t.Len = n
	return t
}

// Elem returns the type of an element of an array.
func (t Type) Elem() Type { return t.Array(0) }

// Scalar returns the type of a component.
func (t Type) Scalar() Type { return t.Array(0).Vec(0) }

// Count returns the number of components of a scalar or vector.
func (t Type) Count() int { return max(1, int(t.N)) }

// Stage is the stage that a shader is for.
type Stage uint8

// The stages.
const (
	Library Stage = iota // functions for another shader, which includes the text; SPIR-V has no such form
	Vertex
	Fragment
	Geometry
	Compute
)

// Shader is a whole shader, or functions for another shader.
type Shader struct {
	Stage Stage
	// Header are the lines of the comment at the start.
	Header []string
	// Controls are the execution modes for floats that the shader demands.
	Controls []Control
	Blocks   []*Block
	// Globals are the other variables outside of functions: constants, private variables, inputs, outputs and textures. The
	// printers keep their order.
	Globals []*Var
	// Funcs are the functions, each after those that it calls. Functions of one name differ in the types of their parameters.
	Funcs []*Func
	// Entry is the function that a stage runs: it has no parameters and no result. In a Library it is the function that the
	// shader is for.
	Entry *Func

	// LocalSize is the size of a workgroup of a Compute shader. If it is zero, it is that of the specialization constants 0, 1
	// and 2, whose defaults are 1.
	LocalSize [3]int
	// From and To are the primitives that a Geometry shader gets and emits, and MaxVertices the most vertices that it emits.
	From, To    Primitive
	MaxVertices int
	// EarlyTests is set if a Fragment shader runs only where the depth test passes.
	EarlyTests bool
}

// Primitive is a kind of primitives.
type Primitive uint8

// The primitives. Geometry shaders emit Points, LineStrip and TriangleStrip, and get the others.
const (
	NoPrimitive Primitive = iota
	Points
	Lines
	LinesAdjacency
	Triangles
	TrianglesAdjacency
	LineStrip
	TriangleStrip
)

// Control is an execution mode of SPV_KHR_float_controls for floats of a width.
type Control struct {
	Mode  ControlMode
	Width int
}

// ControlMode is the number of an execution mode in SPIR-V.
type ControlMode int

// The execution modes. The capability of a mode has a number that is greater by 5.
const (
	DenormPreserve           ControlMode = 4459
	DenormFlushToZero        ControlMode = 4460
	SignedZeroInfNanPreserve ControlMode = 4461
	RoundingModeRTE          ControlMode = 4462
)

func (m ControlMode) String() string {
	return [...]string{"DenormPreserve", "DenormFlushToZero", "SignedZeroInfNanPreserve", "RoundingModeRTE"}[m-DenormPreserve]
}

// BlockKind is the kind of a block.
type BlockKind uint8

// The kinds of blocks.
const (
	UniformBlock  BlockKind = iota // std140: elements of arrays are 16 bytes apart
	PushConstants                  // std140
	PlainUniforms                  // no block: each member is a uniform variable; SPIR-V for Vulkan has no such form
	StorageBuffer                  // std430
)

// Block has the variables that the surroundings of the shader provide in one buffer. Members have no bool and no 64 bits in
// a UniformBlock, PushConstants and PlainUniforms.
type Block struct {
	Kind         BlockKind
	Name         string // of the block; the members are named without it
	Set, Binding int
	// ReadOnly and WriteOnly concern a StorageBuffer.
	ReadOnly, WriteOnly bool
	Members             []*Var
}

// Storage is where a variable is.
type Storage uint8

// The storages.
const (
	Local   Storage = iota // in a function: each call has its own
	Param                  // a parameter; Var.Out says whether the function returns a value in it
	Private                // outside of functions: each invocation has its own
	Const                  // outside of functions, with the values Var.Bits
	Member                 // a member of Var.Block
	Input
	Output
	Sampled   // a texture with its sampler
	Workgroup // shared by the invocations of a workgroup
)

// Var is a variable.
type Var struct {
	Name    string
	Type    Type
	Storage Storage
	// Precise is set if GLSL declares the variable precise.
	Precise bool
	// Out is set if a parameter only returns a value. The argument is a Ref of a whole Local variable of the same type, or of
	// a Param. A function may read its Out parameters after it has set them.
	Out bool
	// Bits are the bits of the components of all elements of a Const.
	Bits []uint64
	// Block is the block of a Member, Offset its place in bytes, and Stride the distance of the elements of an array. A member
	// of a StorageBuffer whose Type has Len -1 is an array of any length, and is the last member.
	Block          *Block
	Offset, Stride int
	// Location is the number of an Input or Output without Builtin. An array takes a location for each element. The input of
	// a Geometry shader is an array with an element for each vertex, which all have the same location.
	Location int
	// Interpolation is that of an Output of a Vertex or Geometry shader and of an Input of a Fragment shader. Integers are
	// Flat.
	Interpolation Interpolation
	Centroid      bool
	// Builtin is set if an Input or Output is a value of the pipeline. The name in GLSL follows from it.
	Builtin Builtin
	// Set and Binding are the numbers of a texture. SamplerBinding is that of its sampler in languages that separate them.
	Set, Binding, SamplerBinding int
}

// Interpolation is the way in which a value is interpolated.
type Interpolation uint8

// The ways.
const (
	Smooth Interpolation = iota
	Flat
	NoPerspective
)

// Builtin is a value of the pipeline.
type Builtin uint8

// The builtins. The types are those of Vulkan GLSL.
const (
	NotBuiltin       Builtin = iota
	Position                 // vec4: an Output, and an Input of a Geometry shader (an array)
	PointSize                // float: likewise
	ClipDistance             // an array of float: likewise
	VertexIndex              // int
	InstanceIndex            // int
	PrimitiveID              // int
	Layer                    // int
	ViewportIndex            // int
	FragCoord                // vec4
	FrontFacing              // bool
	PointCoord               // vec2
	HelperInvocation         // bool
	SampleID                 // int
	FragDepth                // float, an Output
	LocalID                  // uvec3: LocalInvocationID
	LocalIndex               // uint: LocalInvocationIndex
	GlobalID                 // uvec3: GlobalInvocationID
	WorkgroupID              // uvec3
	NumWorkgroups            // uvec3
	WorkgroupSize            // uvec3: a constant
)

// Func is a function.
type Func struct {
	Name   string
	Params []*Var
	Result Type // None if it returns no value
	// Locals are variables that are declared before the body, without a value. Declare declares others.
	Locals []*Var
	Body   []*Stmt
	// External is set if the surroundings define the function: it has no body. Only a Library has such functions.
	External bool
	// Guarded is set if the function belongs to the library of translate. Texts that are included in one shader may all have
	// it, so that GLSL guards its definition.
	Guarded bool
	// Comment are the lines of a comment in the function.
	Comment []string
}

// Expr is an expression: a tree. Only AtomicSwap and calls of functions have effects. A node that occurs twice is computed
// twice or once.
type Expr struct {
	Op   Op
	Type Type // of the value
	Args []*Expr
	Bits []uint64 // of a Literal: the bits of each component; the bits of an int of 32 bits are extended by zeros
	// Var is the variable of a Ref, and the texture of an operation on textures.
	Var   *Var
	Comps []int // of a Swizzle
	Func  *Func // of a Call
}

// StmtKind is the kind of a statement.
type StmtKind uint8

// The statements.
const (
	// Declare declares the local variable Var, with the value Value unless it is nil.
	Declare StmtKind = iota
	// Assign sets Dest, which is a Ref, an Index of a Ref, or a Swizzle of those without repeated components, to Value.
	Assign
	// Do calls a function: Value is a Call, whose result is not used.
	Do
	// If runs Body if Value is true, and otherwise Else.
	If
	// Loop repeats Body while Value is true, or without end if Value is nil. Break leaves it, and Continue starts the next
	// turn. Init is a Declare or an Assign before the loop, and Step an Assign at the end of each turn; both may be nil.
	Loop
	// Once runs Body once. Break leaves it. No Continue leads out of it.
	Once
	// Switch runs the body of the case whose number Value, a uint, is. No case falls through to the next, and no Break or
	// Continue leads out of it.
	Switch
	// Break leaves the innermost Loop or Once.
	Break
	// Continue starts the next turn of the innermost Loop.
	Continue
	// Return leaves the function, with the result Value unless it is nil.
	Return
	// Discard ends a fragment without outputs.
	Discard
	// Barrier waits for all invocations of the workgroup, and orders their accesses to memory.
	Barrier
	// EmitVertex and EndPrimitive are those of a Geometry shader.
	EmitVertex
	EndPrimitive
	// Comment has the line Text.
	Comment
)

// Stmt is a statement.
type Stmt struct {
	Kind       StmtKind
	Var        *Var
	Dest       *Expr
	Value      *Expr
	Body, Else []*Stmt
	Init, Step *Stmt
	Cases      []Case
	Text       string
	// Uniform is set for an If or Loop that decides on a Barrier: all invocations of the workgroup run it, and Value is the same in all.
	Uniform bool
}

// Case is a case of a Switch.
type Case struct {
	Number uint32
	Body   []*Stmt
}
