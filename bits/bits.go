// Package bits provides Value, a fixed-size 256-bit integer that holds one instruction word. A Value
// can be copied and compared without allocation.
package bits

import (
	"fmt"
	mathbits "math/bits"
	"strings"
)

// Size is the number of bits that a Value holds.
const Size = 256

// Value is an unsigned 256-bit integer. Bit 0 is the least significant bit of element 0. Two Values can
// be compared with ==.
type Value [4]uint64

// Of converts x to a Value.
func Of(x uint64) Value { return Value{x} }

// Ones returns a Value in which the n lowest bits are 1 and the others are 0, for n from 0 to 256.
func Ones(n int) Value {
	var v Value
	for i := range v {
		switch {
		case n >= 64*(i+1):
			v[i] = ^uint64(0)
		case n > 64*i:
			v[i] = 1<<uint(n-64*i) - 1
		}
	}
	return v
}

// Range returns a Value in which bits lo to lo+n-1 are 1 and the others are 0.
func Range(lo, n int) Value { return Ones(n).Shl(lo) }

// Part is a run of Width bits of a Value. The lowest of these bits is bit Low.
type Part struct{ Low, Width int }

// Bit returns bit i as 0 or 1. It panics if i is not between 0 and 255.
func (v *Value) Bit(i int) uint64 { return v[i>>6] >> (uint(i) & 63) & 1 }

// Uint returns the n bits that start at bit lo, shifted down to bit 0. lo is from 0 to 255, and n is
// from 0 to 64. Bits above bit 255 read as 0.
func (v *Value) Uint(lo, n int) uint64 {
	if n == 0 {
		return 0
	}
	i, s := lo>>6&3, uint(lo)&63
	x := v[i] >> s
	if int(s)+n > 64 && i < 3 {
		x |= v[i+1] << (64 - s)
	}
	return x & (^uint64(0) >> (64 - uint(n)&127))
}

// SetUint replaces the n bits that start at bit lo with the n lowest bits of x. lo is from 0 to 255, and
// n is from 0 to 64. Bits that would be above bit 255 are discarded.
func (v *Value) SetUint(lo, n int, x uint64) {
	if n == 0 {
		return
	}
	m := ^uint64(0) >> (64 - uint(n))
	x &= m
	i, s := lo>>6&3, uint(lo)&63
	v[i] = v[i]&^(m<<s) | x<<s
	if int(s)+n > 64 && i < 3 {
		v[i+1] = v[i+1]&^(m>>(64-s)) | x>>(64-s)
	}
}

// Slice returns the n bits that start at bit lo, shifted down to bit 0.
func (v Value) Slice(lo, n int) Value { return v.Shr(lo).And(Ones(n)) }

// And returns the bits that are set in both v and w.
func (v Value) And(w Value) Value {
	return Value{v[0] & w[0], v[1] & w[1], v[2] & w[2], v[3] & w[3]}
}

// Or returns the bits that are set in v, in w or in both.
func (v Value) Or(w Value) Value {
	return Value{v[0] | w[0], v[1] | w[1], v[2] | w[2], v[3] | w[3]}
}

// Xor returns the bits in which v and w differ.
func (v Value) Xor(w Value) Value {
	return Value{v[0] ^ w[0], v[1] ^ w[1], v[2] ^ w[2], v[3] ^ w[3]}
}

// AndNot returns the bits that are set in v and clear in w.
func (v Value) AndNot(w Value) Value {
	return Value{v[0] &^ w[0], v[1] &^ w[1], v[2] &^ w[2], v[3] &^ w[3]}
}

// Shl returns v shifted left by n bits. Bits shifted past bit 255 are discarded.
func (v Value) Shl(n int) Value {
	var r Value
	limbs, s := n>>6, uint(n)&63
	for i := 3; i >= limbs; i-- {
		r[i] = v[i-limbs] << s
		if s != 0 && i > limbs {
			r[i] |= v[i-limbs-1] >> (64 - s)
		}
	}
	return r
}

// Shr returns v shifted right by n bits. Bits shifted past bit 0 are discarded.
func (v Value) Shr(n int) Value {
	var r Value
	limbs, s := n>>6, uint(n)&63
	for i := 0; i+limbs < 4; i++ {
		r[i] = v[i+limbs] >> s
		if s != 0 && i+limbs < 3 {
			r[i] |= v[i+limbs+1] << (64 - s)
		}
	}
	return r
}

// IsZero reports whether v is zero.
func (v *Value) IsZero() bool { return v[0]|v[1]|v[2]|v[3] == 0 }

// OnesCount returns the number of set bits.
func (v *Value) OnesCount() int {
	return mathbits.OnesCount64(v[0]) + mathbits.OnesCount64(v[1]) +
		mathbits.OnesCount64(v[2]) + mathbits.OnesCount64(v[3])
}

// Len returns the number of bits needed to represent v. It returns 0 for zero.
func (v *Value) Len() int {
	for i := 3; i >= 0; i-- {
		if v[i] != 0 {
			return 64*i + mathbits.Len64(v[i])
		}
	}
	return 0
}

// TrailingZeros returns the index of the lowest set bit. It returns 256 for zero.
func (v *Value) TrailingZeros() int {
	for i, limb := range v {
		if limb != 0 {
			return 64*i + mathbits.TrailingZeros64(limb)
		}
	}
	return Size
}

// FromWords returns the Value that consists of the given 32-bit words, least significant word first. It
// ignores all words after the eighth.
func FromWords(words []uint32) Value {
	var v Value
	for i, w := range words {
		if i == 8 {
			break
		}
		v[i>>1] |= uint64(w) << (32 * uint(i&1))
	}
	return v
}

// Word returns the 32 bits that start at bit 32*i, for i from 0 to 7.
func (v *Value) Word(i int) uint32 { return uint32(v[i>>1&3] >> (32 * uint(i&1))) }

const lowerHex = "0123456789abcdef"

// AppendHex appends v to dst in lower-case hexadecimal, most significant digit first. If v has fewer
// than the given number of digits, AppendHex adds leading zeros.
func (v *Value) AppendHex(dst []byte, digits int) []byte {
	n := max((v.Len()+3)/4, digits, 1)
	for i := n - 1; i >= 0; i-- {
		d := uint64(0)
		if i < Size/4 {
			d = v.Uint(4*i, 4)
		}
		dst = append(dst, lowerHex[d])
	}
	return dst
}

// String returns v in hexadecimal, without a prefix and without leading zeros.
func (v Value) String() string { return string(v.AppendHex(nil, 1)) }

// ParseHex parses hexadecimal digits without a prefix, most significant digit first. It returns an
// error if s is empty, contains any other character, or exceeds 256 bits.
func ParseHex(s string) (Value, error) {
	var v Value
	if s == "" {
		return v, fmt.Errorf("no hexadecimal digits")
	}
	for i := 0; i < len(s); i++ {
		d := strings.IndexByte(lowerHex, s[i]|0x20)
		if s[i] <= '9' {
			d = strings.IndexByte(lowerHex, s[i])
		}
		if d < 0 {
			return Value{}, fmt.Errorf("%q is not a hexadecimal digit", s[i])
		}
		if v[3]>>60 != 0 {
			return Value{}, fmt.Errorf("number with more than %d bits", Size)
		}
		v = v.Shl(4)
		v[0] |= uint64(d)
	}
	return v, nil
}
