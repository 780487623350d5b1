package sem

import "math"

// Rounding in a mode goes by way of a float64 that is exact, or else has its last bit set ("rounded to odd"):
// rounding that once more to 32 or 16 bits gives what rounding the exact result gives. float64 itself has
// more than twice the bits of float32, so that one step more never hurts there. What float64 itself is
// rounded to is in round64.go.

// odd makes x stand for x+err, where err is what x lacks.
func odd(x, err float64) float64 {
	if err == 0 || err != err || math.IsInf(x, 0) || x == 0 {
		return x
	}
	b := math.Float64bits(x)
	if b&1 != 0 {
		return x
	}
	if (err > 0) == (x > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// twoSum returns a sum and what rounding took from it.
func twoSum(x, y float64) (sum, err float64) {
	sum = x + y
	back := sum - x
	return sum, (x - (sum - back)) + (y - back)
}

// exact is a result before it is rounded to its width: the float64 nearest to it and what that lacks.
type exact struct{ x, err float64 }

func addOdd(x, y float64) exact {
	s, err := twoSum(x, y)
	return exact{s, err}
}

func divOdd(x, y float64) exact {
	q := x / y
	r := math.FMA(-q, y, x)
	if y < 0 {
		r = -r
	}
	return exact{q, r}
}

func sqrtOdd(x float64) exact {
	s := math.Sqrt(x)
	if x < 0x1p-900 { // what the root lacks of it may be too small for a double, and only its sign counts
		return exact{s, math.FMA(-s*0x1p100, s*0x1p100, x*0x1p200)}
	}
	return exact{s, math.FMA(-s, s, x)}
}

// narrow rounds a result to a width. x and y are the parts of a sum, whose zero depends on the mode.
func narrow(e exact, w int, mode Mode, x, y float64) uint64 {
	if e.x == 0 && e.err == 0 && mode == Down && x == -y && math.Signbit(x) != math.Signbit(y) {
		return 1 << uint(w-1)
	}
	if w < 64 {
		return round(odd(e.x, e.err), w, mode)
	}
	if e.err == 0 || e.err != e.err || mode == Nearest || math.IsInf(e.x, 0) {
		return bits64(e.x)
	}
	up := e.err > 0
	switch {
	case mode == Down && !up || mode == Zero && e.x > 0 && !up:
		return bits64(math.Nextafter(e.x, math.Inf(-1)))
	case mode == Up && up || mode == Zero && e.x < 0 && up:
		return bits64(math.Nextafter(e.x, math.Inf(1)))
	}
	return bits64(e.x)
}

func fma(x, y, z float64, w int, mode Mode) uint64 {
	if w == 64 {
		return bits64(math.FMA(x, y, z))
	}
	p := float64(x * y)
	s, err := twoSum(p, z)
	return narrow(exact{s, err}, w, mode, p, z)
}

func bits64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// round rounds x to a float of a width and returns its bits.
func round(x float64, w int, mode Mode) uint64 {
	switch w {
	case 64:
		return bits64(x)
	case 32:
		if mode == Nearest {
			return bits32(float32(x))
		}
		return roundTo(x, 8, 23, mode)
	}
	return roundTo(x, 5, 10, mode)
}

// roundTo rounds x to a float of so many bits of exponent and of mantissa.
func roundTo(x float64, exp, frac int, mode Mode) uint64 {
	inf := (uint64(1)<<uint(exp) - 1) << uint(frac)
	if x != x {
		return inf | 1<<uint(frac-1)
	}
	b := math.Float64bits(x)
	sign := b >> 63 << uint(exp+frac)
	negative := b>>63 != 0
	if math.IsInf(x, 0) {
		return sign | inf
	}
	e := int(b>>52&0x7ff) - 1023
	m := b & (1<<52 - 1)
	if e == -1023 {
		e++
	} else {
		m |= 1 << 52
	}
	bias := 1<<uint(exp-1) - 1
	drop := 52 - frac
	if e < 1-bias {
		drop += 1 - bias - e
		e = 1 - bias
	}
	if drop > 63 {
		if m != 0 {
			m = 1
		}
		drop = 60
	}
	kept, lost, middle := m>>uint(drop), m&(1<<uint(drop)-1), uint64(1)<<uint(drop-1)
	if roundUp(mode, negative, kept, lost, middle) {
		kept++
	}
	r := kept + uint64(e+bias-1)<<uint(frac) // the top bit of kept, or a carry, runs into the exponent
	if r >= inf {
		r = inf
		if mode == Zero || mode == Down && !negative || mode == Up && negative {
			r--
		}
	}
	return sign | r
}

// roundUp reports whether what is lost makes the rest greater.
func roundUp(mode Mode, negative bool, kept, lost, middle uint64) bool {
	switch mode {
	case Nearest:
		return lost > middle || lost == middle && kept&1 != 0
	case Away:
		return lost >= middle
	case Down:
		return lost != 0 && negative
	case Up:
		return lost != 0 && !negative
	}
	return false
}

// Rint rounds x to an integer in a mode.
func Rint(x float64, mode Mode) float64 {
	switch mode {
	case Zero:
		return math.Trunc(x)
	case Down:
		return math.Floor(x)
	case Up:
		return math.Ceil(x)
	case Away:
		return math.Round(x)
	}
	return math.RoundToEven(x)
}

// convert gives a value in another type, as near as there is: whole numbers stop at the end of their range,
// and of NaN become 0.
func convert(x uint64, from, to Type, mode Mode) uint64 {
	switch {
	case from.Kind == Float && to.Kind == Float:
		return round(toFloat64(x, from.Width), to.Width, mode)
	case from.Kind == Float:
		return floatToInt(Rint(toFloat64(x, from.Width), mode), to)
	case to.Kind == Float:
		return intToFloat(x, from, to, mode)
	}
	return clampInt(x, from, to)
}

func floatToInt(v float64, to Type) uint64 {
	if v != v {
		return 0
	}
	low, high := float64(0), float64(to.mask())
	if to.Kind == Sint {
		low, high = -math.Float64frombits(uint64(to.Width-1+1023)<<52), math.Float64frombits(uint64(to.Width-1+1023)<<52)
		if v >= high {
			return to.mask() >> 1
		}
		if v <= low {
			return (to.mask() >> 1) + 1
		}
		return uint64(int64(v)) & to.mask()
	}
	if v <= low {
		return 0
	}
	if v >= high {
		return to.mask()
	}
	return uint64(v)
}

func intToFloat(x uint64, from, to Type, mode Mode) uint64 {
	negative := from.Kind == Sint && from.signed(x) < 0
	if negative {
		x = -uint64(from.signed(x))
	}
	high, low := float64(x>>32)*0x1p32, float64(x&0xffffffff)
	if negative {
		high, low = -high, -low
	}
	s, err := twoSum(high, low)
	return narrow(exact{s, err}, to.Width, mode, 0, 0)
}

func clampInt(x uint64, from, to Type) uint64 {
	if from.Kind == Sint && from.signed(x) < 0 {
		low := -int64(to.mask()>>1) - 1
		if to.Kind == Uint {
			low = 0
		}
		return uint64(max(from.signed(x), low)) & to.mask()
	}
	high := to.mask()
	if to.Kind == Sint {
		high >>= 1
	}
	return min(x, high)
}

// FloatBits returns the bits of the float of some width that is nearest to x.
func FloatBits(x float64, width int) uint64 { return round(x, width, Nearest) }

// FloatOf returns the value of a float of some width.
func FloatOf(bits uint64, width int) float64 { return toFloat64(bits, width) }
