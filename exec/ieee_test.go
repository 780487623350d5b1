package exec

import (
	"math"
	"math/big"

	"github.com/isago/isago/internal/sem"
)

// ieee is a width of floats, which are computed here of numbers without limits.
type ieee int

func (f ieee) frac() int { return map[ieee]int{16: 10, 32: 23, 64: 52}[f] }

func (f ieee) bias() int { return 1<<(int(f)-f.frac()-2) - 1 }

// infinity is the bits of the positive one.
func (f ieee) infinity() uint64 { return (1<<(int(f)-f.frac()-1) - 1) << f.frac() }

func (f ieee) sign(v uint64) bool { return v>>(f-1)&1 != 0 }

func (f ieee) magnitude(v uint64) uint64 { return v &^ (1 << (f - 1)) }

func (f ieee) isNaN(v uint64) bool { return f.magnitude(v) > f.infinity() }

// canonical is the one NaN for all, and else the bits.
func (f ieee) canonical(v uint64) uint64 {
	if f.isNaN(v) {
		return f.infinity() | 1<<(f.frac()-1)
	}
	return v
}

func (f ieee) signed(v uint64, negative bool) uint64 {
	if negative {
		v |= 1 << (f - 1)
	}
	return v
}

// number is the value of bits: an infinity is larger than all floats, NaN is nothing to be used.
func (f ieee) number(v uint64) *big.Rat {
	m, e := f.magnitude(v)&(1<<f.frac()-1), int(f.magnitude(v)>>f.frac())
	if e > 0 {
		m |= 1 << f.frac()
	} else {
		e = 1
	}
	r := scaled(new(big.Rat).SetInt(new(big.Int).SetUint64(m)), e-f.bias()-f.frac())
	if f.sign(v) {
		r.Neg(r)
	}
	return r
}

// scaled is r times two to the power of n.
func scaled(r *big.Rat, n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n))))
	if n < 0 {
		return r.Quo(r, p)
	}
	return r.Mul(r, p)
}

// integral rounds a number to an integer.
func integral(r *big.Rat, mode string) *big.Int {
	floor, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	half := rest.Lsh(rest, 1).Cmp(r.Denom())
	up := false
	switch mode {
	case "rn":
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	case "ra":
		up = half > 0 || half == 0 && r.Sign() > 0
	case "rz":
		up = r.Sign() < 0
	case "rp":
		up = true
	}
	if up && rest.Sign() != 0 {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

// round is the float of a number; negative is the sign of a zero that no sign of a number says.
func (f ieee) round(r *big.Rat, negative bool, mode string) uint64 {
	if r.Sign() != 0 {
		negative = r.Sign() < 0
	}
	size := new(big.Rat).Abs(r)
	e := 1 - f.bias() // at least; the exponent of a number, which one less may be after a look at the lengths
	if r.Sign() != 0 {
		e = max(e, size.Num().BitLen()-size.Denom().BitLen()-1)
		if scaled(new(big.Rat).Set(size), -e).Cmp(big.NewRat(2, 1)) >= 0 {
			e++
		}
	}
	step := e - f.frac()
	n := integral(scaled(new(big.Rat).Set(r), -step), mode)
	v := n.Abs(n).Uint64() + uint64(e+f.bias()-1)<<f.frac()
	if v >= f.infinity() {
		v = f.infinity()
		if mode == "rz" || mode == "rm" && !negative || mode == "rp" && negative {
			v--
		}
	}
	return f.signed(v, negative)
}

// rint rounds a float to a whole one.
func (f ieee) rint(v uint64, mode string) uint64 {
	if f.magnitude(v) >= f.infinity() {
		return f.canonical(v)
	}
	return f.round(new(big.Rat).SetInt(integral(f.number(v), mode)), f.sign(v), "rn")
}

// float is the nearest float64 of bits, which says what infinities and NaN come to.
func (f ieee) float(v uint64) float64 {
	switch {
	case f.isNaN(v):
		return math.NaN()
	case f.magnitude(v) == f.infinity():
		return math.Inf(1 - 2*int(v>>(f-1)))
	case f.magnitude(v) == 0:
		return math.Copysign(0, 1-2*float64(v>>(f-1)))
	}
	return math.Copysign(1, 1-2*float64(v>>(f-1)))
}

// special is what an operation gives where an infinity, NaN or a division by zero comes in, of which the size of other
// numbers says nothing.
func (f ieee) special(x float64) uint64 {
	if x != x {
		return f.canonical(f.infinity() | 1)
	}
	if math.IsInf(x, 0) {
		return f.signed(f.infinity(), x < 0)
	}
	return f.signed(0, math.Signbit(x))
}

// compute is what an operation gives of floats.
func (f ieee) compute(op, mode string, a, b, c uint64) uint64 {
	x, y, z := f.float(a), f.float(b), f.float(c)
	near := map[string]float64{"+": x + y, "-": x - y, "*": x * y, "/": x / y, "fma": x*y + z, "sqrt": math.Sqrt(x)}[op]
	if math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) || math.IsInf(near, 0) || near != near {
		return f.special(near)
	}
	p, q, r := f.number(a), f.number(b), f.number(c)
	negative := math.Signbit(near)
	switch op {
	case "+", "-":
		if op == "-" {
			q.Neg(q)
			b ^= 1 << (f - 1)
		}
		return f.round(p.Add(p, q), f.zeroSum(a, b, mode), mode)
	case "*":
		p.Mul(p, q)
	case "/":
		p.Quo(p, q)
	case "fma":
		product := f.signed(0, f.sign(a) != f.sign(b))
		if p.Mul(p, q).Sign() != 0 {
			product |= 1 // anything but zero
		}
		return f.round(p.Add(p, r), f.zeroSum(product, c, mode), mode)
	case "sqrt":
		if p.Sign() != 0 {
			root := new(big.Float).SetPrec(300).SetRat(p)
			p, _ = root.Sqrt(root).Rat(nil)
		}
	}
	return f.round(p, negative, mode)
}

// zeroSum reports whether a sum that is 0 is -0.
func (f ieee) zeroSum(a, b uint64, mode string) bool {
	if f.magnitude(a) == 0 && f.magnitude(b) == 0 && f.sign(a) == f.sign(b) {
		return f.sign(a)
	}
	return mode == "rm"
}

// nearest is the value of one type in another.
func nearest(t, from sem.Type, v uint64, mode string) uint64 {
	r := new(big.Rat)
	if from.Kind != sem.Float {
		r.SetInt(whole(from, v))
		if t.Kind == sem.Float {
			return ieee(t.Width).round(r, false, mode)
		}
	} else {
		f := ieee(from.Width)
		switch {
		case t.Kind == sem.Float && f.magnitude(v) >= f.infinity():
			return ieee(t.Width).special(f.float(v))
		case t.Kind == sem.Float:
			return ieee(t.Width).round(f.number(v), f.sign(v), mode)
		case f.isNaN(v):
			return 0
		}
		if r = f.number(v); f.magnitude(v) == f.infinity() {
			scaled(r, 64)
		}
	}
	least, most := whole(t, 0), whole(t, ^uint64(0)>>(64-t.Width))
	if t.Kind == sem.Sint {
		least, most = whole(t, 1<<(t.Width-1)), whole(t, 1<<(t.Width-1)-1)
	}
	n := integral(r, mode)
	switch {
	case n.Cmp(least) < 0:
		n = least
	case n.Cmp(most) > 0:
		n = most
	}
	return wrap(t, n)
}

// library is what Go's own functions give: they are so near that only a number half way between two floats, of which
// there is hardly one, could be rounded to another.
func (f ieee) library(name string, v uint64) uint64 {
	x := f.float(v)
	if f.magnitude(v) != 0 && f.magnitude(v) < f.infinity() {
		x, _ = f.number(v).Float64()
	}
	y := map[string]func(float64) float64{"exp2": math.Exp2, "log2": log2, "sin": math.Sin, "cos": math.Cos}[name](x)
	if y != y || y == 0 || math.IsInf(y, 0) {
		return f.special(y)
	}
	return f.round(new(big.Rat).SetFloat64(y), false, "rn")
}

// log2 is one that near 1, of which the logarithm is small, is as near as elsewhere.
func log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log1p(x-1) / math.Ln2
	}
	return math.Log2(x)
}
