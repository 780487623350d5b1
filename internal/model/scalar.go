package model

import (
	"math"
	"strconv"

	"github.com/isago/isago/internal/spec"
)

// AppendScalar appends the default text of a field value of at most 64 bits. The field must not have a
// bitset type. strict is the value of the description's attribute strict.
func AppendScalar(dst []byte, ref *Ref, v uint64, strict bool) []byte {
	switch ref.Kind {
	case spec.KindFloat:
		return AppendFloat(dst, v, ref.Width)
	case spec.KindBranch:
		return strconv.AppendInt(dst, SignExtend(v, ref.Width), 10)
	case spec.KindAbsBranch:
		if strict {
			return strconv.AppendInt(dst, int64(v), 10)
		}
		return strconv.AppendInt(dst, SignExtend(v, ref.Width), 10)
	}
	return AppendConstant(dst, ref, v)
}

// AppendConstant appends the text of a field value. The field must have a type for which the text
// depends only on the value.
func AppendConstant(dst []byte, ref *Ref, v uint64) []byte {
	switch ref.Kind {
	case spec.KindEnum:
		if s, ok := ref.Enum.Lookup(v); ok {
			return append(dst, s...)
		}
		return strconv.AppendUint(dst, v&math.MaxUint32, 10)
	case spec.KindBool, spec.KindBoolInv:
		return appendBool(dst, ref, v)
	case spec.KindInt:
		return strconv.AppendInt(dst, SignExtend(v, ref.Width), 10)
	case spec.KindUint, spec.KindCustom:
		return strconv.AppendUint(dst, v, 10)
	case spec.KindHex:
		return strconv.AppendUint(dst, v, 16)
	case spec.KindOffset:
		if v == 0 {
			return dst
		}
		return appendSigned(dst, SignExtend(v, ref.Width))
	case spec.KindUOffset:
		if v != 0 {
			return strconv.AppendUint(append(dst, '+'), v, 10)
		}
	}
	return dst
}

func appendBool(dst []byte, ref *Ref, v uint64) []byte {
	on := (v != 0) == (ref.Kind == spec.KindBool)
	if ref.Field == nil || ref.Field.Display == nil {
		if ref.Kind == spec.KindBoolInv {
			return strconv.AppendUint(dst, flag(on), 10)
		}
		return strconv.AppendUint(dst, v&math.MaxUint32, 10)
	}
	if on {
		return append(dst, *ref.Field.Display...)
	}
	return dst
}

// SignExtend interprets the low width bits of v as a two's complement number.
func SignExtend(v uint64, width int) int64 {
	if width <= 0 || width >= 64 {
		return int64(v)
	}
	return int64(v<<uint(64-width)) >> uint(64-width)
}

// appendSigned appends a number with its sign. Zero is written as +0. This occurs only for a computed
// value that is wider than its field.
func appendSigned(dst []byte, v int64) []byte {
	if v >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, v, 10)
}

// AppendFloat appends a float with six decimals. NaN and infinities are written as in glibc.
func AppendFloat(dst []byte, v uint64, width int) []byte {
	switch x := FloatValue(v, width); {
	case math.IsNaN(x):
		if v>>(min(uint(width), 32)-1)&1 != 0 {
			dst = append(dst, '-')
		}
		return append(dst, "nan"...)
	case math.IsInf(x, 1):
		return append(dst, "inf"...)
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	default:
		return strconv.AppendFloat(dst, x, 'f', 6, 64)
	}
}

// FloatValue returns the value of a 16-bit or 32-bit IEEE 754 float.
func FloatValue(v uint64, width int) float64 {
	if width == 16 {
		return halfFloat(uint16(v))
	}
	return float64(math.Float32frombits(uint32(v)))
}

// halfFloat converts an IEEE 754 half-precision float.
func halfFloat(h uint16) float64 {
	exp, frac := int(h>>10&31), float64(h&0x3ff)
	var x float64
	switch exp {
	case 0:
		x = math.Ldexp(frac, -24)
	case 31:
		if x = math.Inf(1); frac != 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(frac+1024, exp-25)
	}
	if h>>15 != 0 {
		x = -x
	}
	return x
}
