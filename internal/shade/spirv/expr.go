package spirv

import (
	"slices"

	"github.com/isago/isago/internal/shade"
)

// place returns where a variable is.
func (x *function) place(v *shade.Var) *place {
	p := x.places[v]
	if p == nil {
		p = x.writer.places[v]
	}
	if p == nil {
		x.fail("the variable %s is not declared", v.Name)
		p = &place{}
	}
	return p
}

// address returns a pointer to what an expression names: a Ref, an Index, or a Swizzle of one component.
func (x *function) address(e *shade.Expr) id {
	var indices []id
	at := e
	for at.Op != shade.Ref {
		if at.Op == shade.Index {
			indices = append(indices, x.expr(at.Args[1]))
		} else {
			indices = append(indices, x.number(uint32(at.Comps[0])))
		}
		at = at.Args[0]
	}
	p := x.place(at.Var)
	if p.widened && e.Op == shade.Ref && e.Type.N == 0 {
		indices = append(indices, x.number(0))
	}
	if p.member != 0 {
		indices = append(indices, p.member)
	}
	if len(indices) == 0 {
		return p.pointer
	}
	slices.Reverse(indices)
	return x.op(opAccessChain, x.pointer(p.storage, x.typeID(e.Type)), words(append([]id{p.pointer}, indices...)...)...)
}

// load returns the value that an expression names.
func (x *function) load(e *shade.Expr) id {
	if e.Op == shade.Ref {
		p := x.place(e.Var)
		if p.value != 0 {
			return p.value
		}
		if p.widened && e.Type.N == 2 {
			whole := e.Type.Vec(4)
			pointer := x.op(opAccessChain, x.pointer(p.storage, x.typeID(whole)), uint32(p.pointer), uint32(p.member))
			v := x.op(opLoad, x.typeID(whole), uint32(pointer))
			return x.op(opVectorShuffle, x.typeID(e.Type), uint32(v), uint32(v), 0, 1)
		}
		if p.strided { // its type differs from that of the value
			var parts []id
			for n := range e.Type.Len {
				parts = append(parts, x.load(shade.At(e, shade.Uint32(uint32(n)))))
			}
			return x.op(opCompositeConstruct, x.typeID(e.Type), words(parts...)...)
		}
	}
	return x.op(opLoad, x.typeID(e.Type), uint32(x.address(e)))
}

// assign stores a value.
func (x *function) assign(dest *shade.Expr, value id) {
	switch {
	case dest.Op == shade.Ref && x.place(dest.Var).strided:
		for n := range dest.Type.Len {
			part := x.op(opCompositeExtract, x.typeID(dest.Type.Elem()), uint32(value), uint32(n))
			x.do(opStore, x.address(shade.At(dest, shade.Uint32(uint32(n)))), part)
		}
	case dest.Op == shade.Swizzle && len(dest.Comps) > 1:
		whole := dest.Args[0]
		pointer, t := x.address(whole), x.typeID(whole.Type)
		old := x.op(opLoad, t, uint32(pointer))
		operands := words(old, value)
		for k := range int(whole.Type.N) {
			if at := slices.Index(dest.Comps, k); at >= 0 {
				k = int(whole.Type.N) + at
			}
			operands = append(operands, uint32(k))
		}
		x.do(opStore, pointer, x.op(opVectorShuffle, t, operands...))
	default:
		x.do(opStore, x.address(dest), value)
	}
}

// numeric are the forms of an operation on numbers.
type numeric struct{ uint, int, float uint32 }

// of returns the form for a kind, or 0.
func (n numeric) of(k shade.Kind) uint32 {
	switch k {
	case shade.Uint:
		return n.uint
	case shade.Int:
		return n.int
	case shade.Float:
		return n.float
	}
	return 0
}

// operations are the instructions of operations, by the kind of the first argument.
var operations = map[shade.Op]numeric{
	shade.Neg:        {0, opSNegate, opFNegate},
	shade.Complement: {opNot, opNot, 0},
	shade.Add:        {opIAdd, opIAdd, opFAdd},
	shade.Sub:        {opISub, opISub, opFSub},
	shade.Mul:        {opIMul, opIMul, opFMul},
	shade.Div:        {opUDiv, opSDiv, opFDiv},
	shade.Mod:        {opUMod, 0, 0},
	shade.And:        {opBitwiseAnd, opBitwiseAnd, 0},
	shade.Or:         {opBitwiseOr, opBitwiseOr, 0},
	shade.Xor:        {opBitwiseXor, opBitwiseXor, 0},
	shade.ShiftLeft:  {opShiftLeftLogical, opShiftLeftLogical, 0},
	shade.ShiftRight: {opShiftRightLogical, opShiftRightArithmetic, 0},
	shade.Eq:         {opIEqual, opIEqual, opFOrdEqual},
	shade.Ne:         {opINotEqual, opINotEqual, opFUnordNotEqual},
	shade.Lt:         {opULessThan, opSLessThan, opFOrdLessThan},
	shade.Le:         {opULessThanEqual, opSLessThanEqual, opFOrdLessThanEqual},
	shade.Gt:         {opUGreaterThan, opSGreaterThan, opFOrdGreaterThan},
	shade.Ge:         {opUGreaterThanEqual, opSGreaterThanEqual, opFOrdGreaterThanEqual},
	shade.BitCount:   {opBitCount, opBitCount, 0},
	shade.DerivX:     {0, 0, opDPdx},
	shade.DerivY:     {0, 0, opDPdy},
}

// logical are the instructions of operations on bool.
var logical = map[shade.Op]uint32{
	shade.Not: opLogicalNot, shade.LogicAnd: opLogicalAnd, shade.LogicOr: opLogicalOr, shade.LogicXor: opLogicalNotEqual,
	shade.Eq: opLogicalEqual, shade.Ne: opLogicalNotEqual, shade.Any: opAny, shade.All: opAll,
}

// extended are the instructions of GLSL.std.450 of operations.
var extended = map[shade.Op]numeric{
	shade.Abs:         {0, glslSAbs, glslFAbs},
	shade.Min:         {glslUMin, glslSMin, glslFMin},
	shade.Max:         {glslUMax, glslSMax, glslFMax},
	shade.Floor:       {0, 0, glslFloor},
	shade.Ceil:        {0, 0, glslCeil},
	shade.Trunc:       {0, 0, glslTrunc},
	shade.RoundEven:   {0, 0, glslRoundEven},
	shade.Fma:         {0, 0, glslFma},
	shade.Sqrt:        {0, 0, glslSqrt},
	shade.InverseSqrt: {0, 0, glslInverseSqrt},
	shade.Exp2:        {0, 0, glslExp2},
	shade.Log2:        {0, 0, glslLog2},
	shade.Sin:         {0, 0, glslSin},
	shade.Cos:         {0, 0, glslCos},
	shade.FindMSB:     {glslFindUMsb, 0, 0},
}

// expr writes an expression and returns its value.
func (x *function) expr(e *shade.Expr) id {
	switch e.Op {
	case shade.Literal:
		return x.value(e.Type, e.Bits)
	case shade.Ref, shade.Index:
		return x.load(e)
	case shade.Construct, shade.Splat:
		return x.construct(e)
	case shade.Call:
		return x.call(e)
	case shade.Sample, shade.SampleBias, shade.SampleLod, shade.SampleGrad, shade.Fetch, shade.Size:
		return x.texture(e)
	}
	args := make([]id, len(e.Args))
	switch e.Op {
	case shade.Length:
		p := x.place(e.Args[0].Var)
		return x.op(opArrayLength, x.typeID(e.Type), uint32(p.pointer), uint32(p.index))
	case shade.AtomicSwap:
		to := e.Args[0]
		scope := uint32(scopeDevice)
		if to.Args[0].Var.Storage == shade.Workgroup {
			scope = scopeWorkgroup
		}
		none := uint32(x.number(0))
		return x.op(opAtomicCompareExchange, x.typeID(e.Type), uint32(x.address(to)), uint32(x.number(scope)), none, none, uint32(x.expr(e.Args[2])), uint32(x.expr(e.Args[1])))
	}
	for i, a := range e.Args {
		args[i] = x.expr(a)
	}
	t, from, operands := x.typeID(e.Type), e.Args[0].Type, words(args...)
	switch e.Op {
	case shade.Swizzle:
		return x.pick(args[0], e.Type, e.Comps)
	case shade.Select:
		if e.Type.N > 0 && from.N == 0 {
			operands[0] = uint32(x.splat(args[0], shade.B.Vec(int(e.Type.N))))
		}
		return x.op(opSelect, t, operands...)
	case shade.Bitcast:
		if e.Type == from { // which OpBitcast does not do
			return args[0]
		}
		return x.op(opBitcast, t, operands...)
	case shade.Convert:
		return x.convert(e, args[0])
	}
	op := operations[e.Op].of(from.Kind)
	if from.Kind == shade.Bool {
		op = logical[e.Op]
	}
	if number := extended[e.Op].of(from.Kind); number != 0 {
		return x.op(opExtInst, t, append([]uint32{uint32(x.library()), number}, operands...)...)
	}
	r := x.op(op, t, operands...)
	switch op {
	case opFNegate, opFAdd, opFSub, opFMul, opFDiv:
		x.decorate(r, decorationNoContraction)
	}
	return r
}

// pick returns components of a vector.
func (x *function) pick(a id, t shade.Type, comps []int) id {
	if len(comps) == 1 {
		return x.op(opCompositeExtract, x.typeID(t), uint32(a), uint32(comps[0]))
	}
	operands := words(a, a)
	for _, k := range comps {
		operands = append(operands, uint32(k))
	}
	return x.op(opVectorShuffle, x.typeID(t), operands...)
}

// splat returns the vector with a scalar in each component.
func (x *function) splat(a id, t shade.Type) id {
	return x.op(opCompositeConstruct, x.typeID(t), words(slices.Repeat([]id{a}, t.Count())...)...)
}

// construct writes a Construct or Splat. Of constants, it is a constant.
func (x *function) construct(e *shade.Expr) id {
	var bits []uint64
	for _, a := range e.Args {
		if a.Op == shade.Literal {
			bits = append(bits, a.Bits...)
		}
	}
	if e.Op == shade.Splat && len(bits) == 1 {
		bits = slices.Repeat(bits, e.Type.Count())
	}
	if len(bits) == e.Type.Count() {
		return x.value(e.Type, bits)
	}
	var parts []id
	for _, a := range e.Args {
		parts = append(parts, x.expr(a))
	}
	if e.Op == shade.Splat {
		return x.splat(parts[0], e.Type)
	}
	return x.op(opCompositeConstruct, x.typeID(e.Type), words(parts...)...)
}

// call writes a call.
func (x *function) call(e *shade.Expr) id {
	operands := words(x.funcs[e.Func])
	for i, p := range e.Func.Params {
		if p.Out {
			operands = append(operands, uint32(x.address(e.Args[i])))
		} else {
			operands = append(operands, uint32(x.expr(e.Args[i])))
		}
	}
	return x.op(opFunctionCall, x.typeID(e.Func.Result), operands...)
}

// convert writes a conversion of a number or a bool.
func (x *function) convert(e *shade.Expr, a id) id {
	from, to := e.Args[0].Type, e.Type
	op := uint32(opSConvert)
	switch {
	case from.Kind == shade.Bool:
		one := uint64(1)
		if to.Kind == shade.Float {
			one = map[uint8]uint64{32: 0x3f800000, 64: 0x3ff0000000000000}[to.Width]
		}
		n := to.Count()
		return x.op(opSelect, x.typeID(to), words(a, x.value(to, slices.Repeat([]uint64{one}, n)), x.value(to, make([]uint64, n)))...)
	case from.Kind == shade.Float && to.Kind == shade.Float:
		op = opFConvert
	case from.Kind == shade.Float && to.Kind == shade.Uint:
		op = opConvertFToU
	case from.Kind == shade.Float && to.Kind == shade.Int:
		op = opConvertFToS
	case from.Kind == shade.Uint && to.Kind == shade.Float:
		op = opConvertUToF
	case from.Kind == shade.Int && to.Kind == shade.Float:
		op = opConvertSToF
	case from.Kind == shade.Uint && to.Kind == shade.Uint:
		op = opUConvert
	}
	return x.op(op, x.typeID(to), uint32(a))
}

// texture writes an operation on a texture.
func (x *function) texture(e *shade.Expr) id {
	texture := e.Var.Type
	loaded := x.op(opLoad, x.typeID(texture), uint32(x.place(e.Var).pointer))
	args := make([]id, len(e.Args))
	for i, a := range e.Args {
		args[i] = x.expr(a)
	}
	t, operands := x.typeID(e.Type), words(loaded)
	if e.Op == shade.Fetch || e.Op == shade.Size {
		operands = words(x.op(opImage, x.image(texture), uint32(loaded)))
	}
	if e.Op == shade.Size {
		x.capability(capabilityImageQuery)
		return x.op(opImageQuerySizeLod, t, append(operands, uint32(args[0]))...)
	}
	implicit, explicit := uint32(opImageSampleImplicitLod), uint32(opImageSampleExplicitLod)
	if texture.Shadow && e.Op != shade.Fetch {
		implicit, explicit = opImageSampleDrefImplicitLod, opImageSampleDrefExplicitLod
		last := int(e.Args[0].Type.N) - 1
		comps := []int{0, 1, 2}[:last]
		operands = append(operands, uint32(x.pick(args[0], e.Args[0].Type.Vec(last), comps)), uint32(x.pick(args[0], e.Args[0].Type.Scalar(), []int{last})))
	} else {
		operands = append(operands, uint32(args[0]))
	}
	with := words(args[1:]...)
	switch e.Op {
	case shade.SampleBias:
		return x.op(implicit, t, slices.Concat(operands, []uint32{operandBias}, with)...)
	case shade.SampleLod:
		return x.op(explicit, t, slices.Concat(operands, []uint32{operandLod}, with)...)
	case shade.SampleGrad:
		return x.op(explicit, t, slices.Concat(operands, []uint32{operandGrad}, with)...)
	case shade.Fetch:
		return x.op(opImageFetch, t, slices.Concat(operands, []uint32{operandLod}, with)...)
	}
	return x.op(implicit, t, operands...)
}
