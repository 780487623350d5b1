package feed

import (
	"math"
	"strconv"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Number is a Go type for the inputs and outputs of programs.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// number is a float, or else an integer: its magnitude, and whether it is below 0.
type number struct {
	float     bool
	value     float64
	magnitude uint64
	negative  bool
}

// isFloat reports whether T is a type of floats.
func isFloat[T Number]() bool {
	half := T(1)
	half /= 2
	return half != 0
}

func numberOf[T Number](x T) number {
	switch {
	case isFloat[T]():
		return number{float: true, value: float64(x)}
	case x < 0:
		return number{negative: true, magnitude: -uint64(int64(x))}
	}
	return number{magnitude: uint64(x)}
}

// numberFrom returns the number that the bits of a component are.
func numberFrom(bits uint64, t isa.Type) number {
	switch {
	case t.Kind == isa.Float:
		return number{float: true, value: sem.FloatOf(bits, t.Bits)}
	case t.Kind == isa.Signed && bits>>uint(t.Bits-1)&1 != 0:
		return number{negative: true, magnitude: -bits & (math.MaxUint64 >> uint(64-t.Bits))}
	}
	return number{magnitude: bits}
}

// whole returns the number as an integer. ok is false if it has a fraction, is no number, or needs more than 64 bits.
func (x number) whole() (negative bool, magnitude uint64, ok bool) {
	if !x.float {
		return x.negative, x.magnitude, true
	}
	f := math.Abs(x.value)
	if f != math.Trunc(f) || f >= 1<<64 {
		return false, 0, false
	}
	return x.value < 0, uint64(f), true
}

// real returns the number as a float. exact is false for an integer that a float of 64 bits cannot hold.
func (x number) real() (f float64, exact bool) {
	if x.float {
		return x.value, true
	}
	f = float64(x.magnitude)
	exact = f < 1<<64 && uint64(f) == x.magnitude
	if x.negative {
		f = -f
	}
	return f, exact
}

// bits returns the number as the bits of a component. ok is false if the type cannot hold the number. A float may be
// rounded to a float.
func (x number) bits(t isa.Type) (v uint64, ok bool) {
	if t.Kind == isa.Float {
		f, exact := x.real()
		v = sem.FloatBits(f, t.Bits)
		return v, x.float || exact && sem.FloatOf(v, t.Bits) == f
	}
	negative, n, ok := x.whole()
	switch {
	case !ok:
		return 0, false
	case t.Kind == isa.Signed && negative:
		return -n & (math.MaxUint64 >> uint(64-t.Bits)), n <= 1<<uint(t.Bits-1)
	case t.Kind == isa.Signed:
		return n, n>>uint(t.Bits-1) == 0
	}
	return n, !negative && (t.Bits == 64 || n>>uint(t.Bits) == 0)
}

// numberAs returns the number as a value of type T, with the same rules as bits.
func numberAs[T Number](x number) (v T, ok bool) {
	if isFloat[T]() {
		f, exact := x.real()
		v = T(f)
		return v, x.float || exact && float64(v) == f
	}
	negative, n, ok := x.whole()
	if negative {
		v = T(-n)
		return v, ok && v < 0 && -uint64(int64(v)) == n
	}
	v = T(n)
	return v, ok && v >= 0 && uint64(v) == n
}

// String returns the number in decimal.
func (x number) String() string {
	if x.float {
		return strconv.FormatFloat(x.value, 'g', -1, 64)
	}
	text := strconv.FormatUint(x.magnitude, 10)
	if x.negative {
		text = "-" + text
	}
	return text
}
