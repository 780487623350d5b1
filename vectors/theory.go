package vectors

import (
	"math"

	"github.com/isago/isago/internal/sem"
)

// Cause is the kind of a difference.
type Cause string

// The causes. docs/vectors.md describes them.
const (
	CauseQuirk        Cause = "quirk"
	CauseNaN          Cause = "nan"
	CauseNaNBits      Cause = "nan-bits"
	CauseZeroSign     Cause = "zero-sign"
	CauseDenormal     Cause = "denormal"
	CauseRounding     Cause = "rounding"
	CauseOverflow     Cause = "overflow"
	CauseOrder        Cause = "order-of-additions"
	CauseFused        Cause = "fused"
	CausePrecision    Cause = "precision"
	CauseSign         Cause = "sign"
	CauseClamp        Cause = "clamp"
	CauseConversion   Cause = "conversion"
	CauseComparison   Cause = "comparison"
	CauseShift        Cause = "shift"
	CauseExtension    Cause = "extension"
	CauseWriteMask    Cause = "write-mask"
	CauseComponents   Cause = "component-order"
	CauseAddress      Cause = "relative-address"
	CauseBank         Cause = "register"
	CauseOldValue     Cause = "old-value"
	CauseWriteOrder   Cause = "write-order"
	CauseCondition    Cause = "condition"
	CauseFlags        Cause = "flags"
	CauseCounter      Cause = "program-counter"
	CauseStack        Cause = "stack"
	CauseByteOrder    Cause = "byte-order"
	CauseMemory       Cause = "memory"
	CauseCalls        Cause = "host-calls"
	CauseMissing      Cause = "missing"
	CauseAnotherValue Cause = "other"
)

// floating reports whether an operation computes a float and rounds it.
func floating(in *sem.Inst) bool {
	if in.Type().Kind != sem.Float {
		return false
	}
	switch in.Op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv, sem.OpFma, sem.OpSqrt, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpProduct:
		return true
	}
	return false
}

// moded reports whether the immediate of a floating operation is a rounding mode.
func moded(in *sem.Inst) bool {
	switch in.Op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv, sem.OpFma, sem.OpSqrt:
		return in.Type().Kind == sem.Float
	}
	return false
}

// fields returns the widths of the exponent and the fraction of a float.
func fields(width int) (exponent, fraction int) {
	switch width {
	case 16:
		return 5, 10
	case 64:
		return 11, 52
	}
	return 8, 23
}

// split returns the exponent and the fraction of a float.
func split(v uint64, width int) (exponent, fraction uint64) {
	e, f := fields(width)
	return v >> f & (1<<e - 1), v & (1<<f - 1)
}

func isNaN(v uint64, width int) bool {
	e, f := split(v, width)
	n, _ := fields(width)
	return e == 1<<n-1 && f != 0
}

func isInf(v uint64, width int) bool {
	e, f := split(v, width)
	n, _ := fields(width)
	return e == 1<<n-1 && f == 0
}

func isDenormal(v uint64, width int) bool {
	e, f := split(v, width)
	return e == 0 && f != 0
}

func isZero(v uint64, width int) bool { return v&(1<<(width-1)-1) == 0 }

// flushed returns a float, but only the sign of a denormal.
func flushed(v uint64, width int) uint64 {
	if isDenormal(v, width) {
		return v >> (width - 1) << (width - 1)
	}
	return v
}

// flushArgs flushes the arguments of an operation on floats.
func flushArgs(in *sem.Inst, a *[3]uint64) {
	t := in.Type()
	if in.From().Kind == sem.Float && in.Op != sem.OpCast && in.Op != sem.OpSlice {
		t = in.From()
	} else if !floating(in) {
		return
	}
	for i := range a {
		a[i] = flushed(a[i], t.Width)
	}
}

// flushResult flushes the result of an operation on floats.
func flushResult(in *sem.Inst, _ [3]uint64, v uint64) uint64 {
	if floating(in) {
		return flushed(v, in.Type().Width)
	}
	return v
}

// inMode computes an operation that rounds in another mode.
func inMode(mode sem.Mode, is func(in *sem.Inst) bool) func(t *trial, id sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
	return func(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
		if !is(in) {
			return 0, false
		}
		other := *in
		other.Imm = uint64(mode)
		return sem.Apply(&other, a[0], a[1], a[2]), true
	}
}

// converts reports whether an operation rounds a float to an integer.
func converts(in *sem.Inst) bool {
	return in.Op == sem.OpRint || in.Op == sem.OpConvert && in.From().Kind == sem.Float && in.Type().Kind != sem.Float
}

// apply computes an operation of the type of another.
func apply(op sem.Op, like *sem.Inst, a ...uint64) uint64 {
	in := sem.Inst{Op: op}.Typed(like.Type(), like.Type())
	var args [3]uint64
	copy(args[:], a)
	return sem.Apply(&in, args[0], args[1], args[2])
}

// product returns the multiplication whose value an operation has: itself, or the one behind selections and flushes that
// do not change it.
func (t *trial) product(id sem.ID) (mul *sem.Inst) {
	for id != sem.NoID {
		in := &t.insts[id]
		switch in.Op {
		case sem.OpMul, sem.OpProduct:
			if in.Type().Kind == sem.Float && (in.Op == sem.OpMul || t.vals[id] == apply(sem.OpMul, in, t.vals[in.A], t.vals[in.B])) {
				return in
			}
			return nil
		case sem.OpSelect:
			if id = in.B; t.vals[in.A] == 0 {
				id = in.C
			}
		case sem.OpFlush:
			if t.vals[in.A] != t.vals[id] {
				return nil
			}
			id = in.A
		default:
			return nil
		}
	}
	return nil
}

// wide returns the factors and the addend of a multiply-add of f32 that is computed in f64 and converted at the end.
func (t *trial) wide(in *sem.Inst) (x, y, z uint64, ok bool) {
	if in.Op != sem.OpConvert || in.Type() != sem.F32 || in.From() != (sem.Type{Kind: sem.Float, Width: 64}) || t.insts[in.A].Op != sem.OpAdd {
		return
	}
	narrow := func(id sem.ID) (uint64, bool) {
		if c := &t.insts[id]; c.Op == sem.OpConvert && c.From() == sem.F32 {
			return t.vals[c.A], true
		}
		return 0, false
	}
	sum := &t.insts[in.A]
	for _, order := range [2][2]sem.ID{{sum.A, sum.B}, {sum.B, sum.A}} {
		id := order[0]
		for t.insts[id].Op == sem.OpCast || t.insts[id].Op == sem.OpAnd { // bits of the product
			id = t.insts[id].A
		}
		if mul := &t.insts[id]; mul.Op == sem.OpMul {
			var ok1, ok2, ok3 bool
			x, ok1 = narrow(mul.A)
			y, ok2 = narrow(mul.B)
			if z, ok3 = narrow(order[1]); ok1 && ok2 && ok3 {
				return x, y, z, true
			}
		}
	}
	return 0, 0, 0, false
}

// nearest rounds the product of a multiply-add that the machine truncates.
func nearest(t *trial, _ sem.ID, in *sem.Inst, _ [3]uint64) (uint64, bool) {
	x, y, z, ok := t.wide(in)
	if !ok {
		return 0, false
	}
	return apply(sem.OpAdd, in, apply(sem.OpMul, in, x, y), z), true
}

// fuse computes a sum with a product as one operation that rounds once.
func fuse(t *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
	if x, y, z, ok := t.wide(in); ok {
		return apply(sem.OpFma, in, x, y, z), true
	}
	if in.Op != sem.OpAdd && in.Op != sem.OpSub || in.Type().Kind != sem.Float {
		return 0, false
	}
	neg := func(v uint64) uint64 { return v ^ 1<<(in.Type().Width-1) }
	if mul := t.product(in.B); mul != nil {
		x := t.vals[mul.A]
		if in.Op == sem.OpSub {
			x = neg(x)
		}
		return apply(sem.OpFma, in, x, t.vals[mul.B], a[0]), true
	}
	if mul := t.product(in.A); mul != nil {
		x := a[1]
		if in.Op == sem.OpSub {
			x = neg(x)
		}
		return apply(sem.OpFma, in, t.vals[mul.A], t.vals[mul.B], x), true
	}
	return 0, false
}

// unfuse computes a multiply-add with two roundings.
func unfuse(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
	if in.Op != sem.OpFma {
		return 0, false
	}
	return apply(sem.OpAdd, in, apply(sem.OpMul, in, a[0], a[1]), a[2]), true
}

// sum returns the terms of a sum of more than two floats, in the order in which they are added. It returns nil if the
// operation is a part of a larger sum, or no such sum.
func (t *trial) sum(id sem.ID) (terms []uint64) {
	in := &t.insts[id]
	if in.Op != sem.OpAdd || in.Type().Kind != sem.Float {
		return nil
	}
	for i := id + 1; int(i) < len(t.insts); i++ {
		if x := &t.insts[i]; x.Op == sem.OpAdd && x.Type() == in.Type() && (x.A == id || x.B == id) {
			return nil
		}
	}
	var walk func(id sem.ID)
	walk = func(id sem.ID) {
		x := &t.insts[id]
		if x.Op == sem.OpAdd && x.Type() == in.Type() && t.uses[id] <= 1 {
			walk(x.A)
			walk(x.B)
			return
		}
		if x.Op == sem.OpConst && isZero(t.vals[id], in.Type().Width) {
			return // a sum that starts with 0
		}
		terms = append(terms, t.vals[id])
	}
	walk(in.A)
	walk(in.B)
	if len(terms) < 3 {
		return nil
	}
	return terms
}

// orders are the orders of additions that other engines use.
var orders = []struct {
	text string
	add  func(add func(a, b uint64) uint64, x []uint64) uint64
}{
	{"adds the terms of a sum from the last one to the first", func(add func(a, b uint64) uint64, x []uint64) uint64 {
		v := x[len(x)-1]
		for i := len(x) - 2; i >= 0; i-- {
			v = add(v, x[i])
		}
		return v
	}},
	{"adds the terms of a sum in neighbouring pairs, (a + b) + (c + d)", func(add func(a, b uint64) uint64, x []uint64) uint64 {
		for len(x) > 1 {
			var next []uint64
			for i := 0; i+1 < len(x); i += 2 {
				next = append(next, add(x[i], x[i+1]))
			}
			if len(x)%2 == 1 {
				next = append(next, x[len(x)-1])
			}
			x = next
		}
		return x[0]
	}},
	{"adds the terms of a sum in pairs, (a + c) + (b + d)", func(add func(a, b uint64) uint64, x []uint64) uint64 {
		for len(x) > 1 {
			half := (len(x) + 1) / 2
			next := append([]uint64(nil), x[:half]...)
			for i := half; i < len(x); i++ {
				next[i-half] = add(next[i-half], x[i])
			}
			x = next
		}
		return x[0]
	}},
	{"adds the terms of a sum beginning with the last one, d + a + b + c", func(add func(a, b uint64) uint64, x []uint64) uint64 {
		v := x[len(x)-1]
		for _, y := range x[:len(x)-1] {
			v = add(v, y)
		}
		return v
	}},
}

// reordered computes a sum in another order.
func reordered(order int) func(t *trial, id sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
	return func(t *trial, id sem.ID, in *sem.Inst, _ [3]uint64) (uint64, bool) {
		terms := t.sum(id)
		if terms == nil {
			return 0, false
		}
		return orders[order].add(func(a, b uint64) uint64 { return apply(sem.OpAdd, in, a, b) }, terms), true
	}
}

// wideSum computes a sum with more precision, and rounds once.
func wideSum(t *trial, id sem.ID, in *sem.Inst, _ [3]uint64) (uint64, bool) {
	terms := t.sum(id)
	if terms == nil || in.Type().Width > 32 {
		return 0, false
	}
	v := 0.0
	for _, x := range terms {
		v += sem.FloatOf(x, in.Type().Width)
	}
	return sem.Canonical(sem.FloatBits(v, in.Type().Width), in.Type()), true
}

// largest returns infinity as the largest number.
func largest(in *sem.Inst, a [3]uint64, v uint64) uint64 {
	if !floating(in) || !isInf(v, in.Type().Width) {
		return v
	}
	for _, x := range a {
		if isInf(x, in.Type().Width) {
			return v
		}
	}
	return v - 1
}

// clamped returns the constant with which an operation limits a value, and the value.
func (t *trial) clamped(in *sem.Inst) (value sem.ID, ok bool) {
	constant := func(id sem.ID) bool { return id != sem.NoID && t.insts[id].Op == sem.OpConst }
	switch in.Op {
	case sem.OpMin, sem.OpMax:
		switch {
		case constant(in.A) && !constant(in.B):
			return in.B, true
		case constant(in.B) && !constant(in.A):
			return in.A, true
		}
	case sem.OpSelect:
		for _, x := range [2][2]sem.ID{{in.B, in.C}, {in.C, in.B}} {
			if constant(x[0]) && !constant(x[1]) && t.limits(x[1], in.A, 0) {
				return x[1], true
			}
		}
	}
	return 0, false
}

// limits reports whether a condition is a comparison that reaches a value, or has one as a part.
func (t *trial) limits(id, cond sem.ID, depth int) bool {
	const deepest = 4
	in := &t.insts[cond]
	switch in.Op {
	case sem.OpLt, sem.OpLe:
		return t.reaches(id, in)
	case sem.OpNot:
		return depth < deepest && t.limits(id, in.A, depth+1)
	case sem.OpAnd, sem.OpOr:
		return depth < deepest && (t.limits(id, in.A, depth+1) || t.limits(id, in.B, depth+1))
	}
	return false
}

// reaches reports whether a comparison compares a value, or the value that it limits, with a constant.
func (t *trial) reaches(id sem.ID, cond *sem.Inst) bool {
	for range 4 {
		if cond.A == id || cond.B == id {
			return true
		}
		in := &t.insts[id]
		if in.Op != sem.OpSelect {
			return false
		}
		if id = in.B; t.insts[id].Op == sem.OpConst {
			id = in.C
		}
	}
	return false
}

func unclamped(t *trial, _ sem.ID, in *sem.Inst, _ [3]uint64) (uint64, bool) {
	id, ok := t.clamped(in)
	if !ok {
		return 0, false
	}
	return t.vals[id], true
}

// wrapping converts a float to an integer without saturation: x86 gives the smallest number.
func wrapping(smallest bool) func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
	return func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
		if in.Op != sem.OpConvert || in.From().Kind != sem.Float || in.Type().Kind == sem.Float {
			return v
		}
		x, w := sem.FloatOf(a[0], in.From().Width), in.Type().Width
		low, high := 0.0, math.Ldexp(1, w)
		if in.Type().Kind == sem.Sint {
			low, high = -math.Ldexp(1, w-1), math.Ldexp(1, w-1)
		}
		if x > low-1 && x < high {
			return v
		}
		if smallest {
			return 1 << (w - 1)
		}
		if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) >= 1<<63 {
			return 0
		}
		return uint64(int64(x)) & (1<<w - 1)
	}
}

// boolean returns a condition as a value.
func boolean(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// theories returns the theories about engines, the likely ones first.
func newTheories() []*theory {
	nan := func(in *sem.Inst, a [3]uint64) bool {
		w := in.From().Width
		return in.From().Kind == sem.Float && (isNaN(a[0], w) || isNaN(a[1], w))
	}
	compares := func(in *sem.Inst) bool { return in.Op == sem.OpLt || in.Op == sem.OpLe }
	list := []*theory{
		{cause: CauseDenormal, text: "treats denormal operands as 0", args: flushArgs},
		{cause: CauseDenormal, text: "flushes denormal results to 0", after: flushResult},
		{cause: CauseDenormal, text: "treats denormal operands as 0 and flushes denormal results to 0", args: flushArgs, after: flushResult},
		{cause: CauseDenormal, text: "keeps denormals that the machine flushes", instead: func(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			if in.Op == sem.OpProduct {
				other := *in
				other.Imm = 0
				return sem.Apply(&other, a[0], a[1], a[2]), true
			}
			return a[0], in.Op == sem.OpFlush
		}},
		{cause: CauseNaN, text: "gives NaN for 0 × infinity, where the machine has another rule", instead: func(t *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			if in.Op == sem.OpProduct {
				return apply(sem.OpMul, in, a[0], a[1]), true
			}
			// The rule tests the product for NaN.
			return 0, in.Op == sem.OpNe && in.A == in.B && in.From().Kind == sem.Float && t.insts[in.A].Op == sem.OpMul
		}},
		{cause: CauseNaN, text: "gives 0 for 0 × infinity and 0 × NaN", after: func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
			if w := in.Type().Width; in.Op == sem.OpMul && in.Type().Kind == sem.Float && (isZero(a[0], w) || isZero(a[1], w)) && isNaN(v, w) {
				return 0
			}
			return v
		}},
		{cause: CauseNaN, text: "gives 0 for 0 × infinity", after: func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
			w := in.Type().Width
			if in.Op == sem.OpMul && in.Type().Kind == sem.Float && isNaN(v, w) && !isNaN(a[0], w) && !isNaN(a[1], w) {
				return 0
			}
			return v
		}},
		{cause: CauseNaN, text: "does not apply the machine's rule for NaN", instead: func(_ *trial, _ sem.ID, in *sem.Inst, _ [3]uint64) (uint64, bool) {
			return 0, in.Op == sem.OpNe && in.A == in.B && in.From().Kind == sem.Float
		}},
		{cause: CauseNaN, text: "treats a comparison with NaN as true", after: func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
			if compares(in) && nan(in, a) {
				return 1
			}
			return v
		}},
		{cause: CauseNaN, text: "treats NaN as equal to itself", after: func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
			if (in.Op == sem.OpEq || in.Op == sem.OpNe) && in.A != in.B && nan(in, a) {
				return boolean(in.Op == sem.OpEq)
			}
			return v
		}},
		{cause: CauseZeroSign, text: "gives +0 for results that are -0", after: func(in *sem.Inst, _ [3]uint64, v uint64) uint64 {
			if floating(in) && isZero(v, in.Type().Width) {
				return 0
			}
			return v
		}},
		{cause: CauseZeroSign, text: "reads -0 as +0", args: func(in *sem.Inst, a *[3]uint64) {
			for i := range a {
				if floating(in) && isZero(a[i], in.Type().Width) {
					a[i] = 0
				}
			}
		}},
		{cause: CauseComparison, text: "decides comparisons of equal operands the other way (also 0 and -0)", after: func(in *sem.Inst, a [3]uint64, v uint64) uint64 {
			if compares(in) && in.From().Kind == sem.Float && sem.FloatOf(a[0], in.From().Width) == sem.FloatOf(a[1], in.From().Width) {
				return v ^ 1
			}
			return v
		}},
		{cause: CauseOverflow, text: "gives the largest number instead of infinity", after: largest},
		{cause: CauseFused, text: "computes a product and a sum as a fused multiply-add, with one rounding", instead: fuse},
		{cause: CauseFused, text: "rounds the product of a fused multiply-add", instead: unfuse},
		{cause: CauseRounding, text: "rounds the product of a multiply-add to nearest, where the machine truncates it", instead: nearest},
	}
	for i, o := range orders {
		list = append(list, &theory{cause: CauseOrder, text: o.text, instead: reordered(i)})
	}
	list = append(list, &theory{cause: CauseOrder, text: "adds the terms of a sum with more precision, and rounds once", instead: wideSum})
	for _, m := range []struct {
		mode sem.Mode
		text string
	}{{sem.Zero, "toward 0"}, {sem.Nearest, "to nearest, ties to even"}, {sem.Up, "up"}, {sem.Down, "down"}, {sem.Away, "to nearest, ties away from 0"}} {
		list = append(list, &theory{cause: CauseRounding, text: "rounds " + m.text, instead: inMode(m.mode, moded)})
		list = append(list, &theory{cause: CauseConversion, text: "rounds floats to integers " + m.text, instead: inMode(m.mode, converts)})
	}
	return append(list, []*theory{
		{cause: CauseClamp, text: "does not clamp", instead: unclamped},
		{cause: CauseConversion, text: "converts numbers beyond the range of an integer to the smallest one, as x86 does", after: wrapping(true)},
		{cause: CauseConversion, text: "keeps the low bits of numbers beyond the range of an integer", after: wrapping(false)},
		{cause: CauseShift, text: "takes the count of a shift modulo the width", args: func(in *sem.Inst, a *[3]uint64) {
			if in.Op == sem.OpShl || in.Op == sem.OpShr {
				a[1] %= uint64(in.Type().Width)
			}
		}},
		{cause: CauseShift, text: "shifts zeros in where the machine shifts copies of the sign in", instead: func(t *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			if in.Op == sem.OpSelect { // an arithmetic shift from logical ones
				x, y := &t.insts[in.B], &t.insts[in.C]
				return t.vals[in.C], x.Op == sem.OpNot && y.Op == sem.OpShr && t.insts[x.A].Op == sem.OpShr && t.insts[x.A].B == y.B
			}
			return shiftAs(sem.Uint, in, a)
		}},
		{cause: CauseShift, text: "shifts copies of the sign in where the machine shifts zeros in", instead: func(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			return shiftAs(sem.Sint, in, a)
		}},
		{cause: CauseExtension, text: "extends signed values with zeros", instead: func(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			return a[0], widens(in) && (in.Op == sem.OpSext || in.From().Kind == sem.Sint)
		}},
		{cause: CauseExtension, text: "extends unsigned values with their highest bit", instead: func(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			if !widens(in) || in.Op == sem.OpSext || in.From().Kind != sem.Uint {
				return 0, false
			}
			n := 64 - in.From().Width
			return uint64(int64(a[0]<<n)>>n) & (1<<(in.Type().Width-1)<<1 - 1), true
		}},
		{cause: CauseSign, text: "does not negate", instead: func(_ *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			return a[0], in.Op == sem.OpNeg
		}},
		{cause: CauseSign, text: "does not take the absolute value", instead: func(t *trial, _ sem.ID, in *sem.Inst, a [3]uint64) (uint64, bool) {
			for i, id := range []sem.ID{in.B, in.A} {
				if in.Op == sem.OpAnd && in.Type().Width > 1 && t.insts[id].Op == sem.OpConst && t.insts[id].Imm == 1<<(in.Type().Width-1)-1 {
					return a[i], true
				}
			}
			return 0, false
		}},
		{cause: CauseAddress, text: "ignores the address register of relative operands", base: true},
		{cause: CauseWriteOrder, text: "writes components one after another, and reads new values for the later ones", ordered: true},
		{cause: CauseCondition, text: "ignores the condition or predicate of an instruction", always: true},
	}...)
}

// shiftAs shifts to the right as numbers of a kind.
func shiftAs(kind sem.Kind, in *sem.Inst, a [3]uint64) (uint64, bool) {
	if in.Op != sem.OpShr || in.Type().Kind == kind {
		return 0, false
	}
	other := in.Typed(sem.Type{Kind: kind, Width: in.Type().Width}, in.From())
	return sem.Apply(&other, a[0], a[1], a[2]), true
}

// widens reports whether an operation makes an integer wider.
func widens(in *sem.Inst) bool {
	switch in.Op {
	case sem.OpSext, sem.OpCast, sem.OpConvert:
		integer := func(t sem.Type) bool { return t.Kind == sem.Uint || t.Kind == sem.Sint }
		return integer(in.Type()) && integer(in.From()) && in.Type().Width > in.From().Width
	}
	return false
}
