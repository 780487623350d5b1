package shade

// Op is an operation. a, b and c are the arguments of an expression, and T is its type. Unless something else is said, the
// arguments have the type T, and vectors are computed component by component.
type Op uint8

// The operations.
const (
	Literal   Op = iota // the bits Bits
	Ref                 // the value of Var
	Index               // the element b (int or uint) of the array a, which is a Ref
	Swizzle             // the components Comps of the vector a
	Construct           // the vector of the components of scalars and vectors
	Splat               // the vector of which each component is the scalar a
	Call                // the result of Func

	Neg        // numbers; of a float, it only inverts the sign
	Complement // ~a of integers
	Not        // bool
	Add        // numbers
	Sub        // numbers
	Mul        // numbers
	Div        // numbers
	Mod        // uint
	And        // integers
	Or         // integers
	Xor        // integers
	ShiftLeft  // integers; b is int or uint of 32 bits, also if T has 64 bits
	ShiftRight // likewise; of an int, it copies the sign
	LogicAnd   // bool scalars; b need not be computed if a decides
	LogicOr    // likewise
	LogicXor   // bool scalars

	Eq // a and b have one type; T is bool, or the vector of bool; of bool, numbers, and their vectors
	Ne // likewise
	Lt // likewise, of numbers
	Le
	Gt
	Ge
	Any    // a is a vector of bool, and T is bool
	All    // likewise
	Select // a is bool or the vector of bool with the components of T: a ? b : c; a scalar T has a scalar a

	// Bitcast has the bits of a, which has as many bits as T. Between a scalar of 64 bits and a uvec2, the component x is the
	// low half.
	Bitcast
	// Convert is the number a as a scalar or vector of another type: bool to uint, int or float (1 or 0); a float to an
	// integer, truncated; an integer to a float; a float to another width; uint to uint and int to int of another width
	// (extended by zeros or the sign, or cut).
	Convert

	Abs       // floats and ints
	Min       // numbers
	Max       // numbers
	Floor     // floats
	Ceil      // floats
	Trunc     // floats
	RoundEven // floats
	Fma       // floats: a * b + c
	Sqrt      // floats
	InverseSqrt
	Exp2 // floats of 32 bits
	Log2
	Sin
	Cos
	FindMSB  // a is uint of 32 bits; T is int: the number of the highest bit that is set, or -1
	BitCount // a is uint of 32 bits; T is int

	// The operations on the texture Var. T is the vector of four texels of Type.Of, or a float for a Shadow texture, whose
	// coordinate has the reference as last component.
	Sample     // at the coordinate a, in a Fragment shader only
	SampleBias // at a with the bias b, in a Fragment shader only
	SampleLod  // at a in the level b
	SampleGrad // at a with the derivatives b and c
	Fetch      // the texel a (int or ivec) of the level b (int)
	Size       // of the level a (int); T is int or ivec

	// Length is the number of elements (uint) of the array of any length a, which is a Ref of a Member.
	Length
	// AtomicSwap sets a to c if a equals b, and returns what a was before, in one step. a is an Index of a Workgroup variable
	// or of a Member of a StorageBuffer, of type uint. It is the whole value of a Declare.
	AtomicSwap

	DerivX // floats of 32 bits, in a Fragment shader only
	DerivY
)
