package circuit

// Vec is a 64-bit number, least significant bit first, sign- or zero-extended from its C type.
type Vec [64]Lit

func Constant(v uint64) *Vec {
	var x Vec
	for i := range x {
		x[i] = Lit(v >> uint(i) & 1)
	}
	return &x
}

// Value returns the number if all its bits are constant.
func (x *Vec) Value() (v uint64, ok bool) {
	for i, l := range x {
		if l > True {
			return 0, false
		}
		v |= uint64(l) << uint(i)
	}
	return v, true
}

// IsSet returns the condition that a number is not 0.
func (c *Circuit) IsSet(x *Vec) Lit { return c.Any(x[:]...) }

func (c *Circuit) Equal(x, y *Vec) Lit {
	out := True
	for i := range x {
		out = c.And(out, c.Xor(x[i], y[i]).Not())
	}
	return out
}

// Sum adds two numbers and a carry. It drops the carry out of the top bit.
func (c *Circuit) Sum(x, y *Vec, carry Lit) *Vec {
	var out Vec
	for i := range out {
		half := c.Xor(x[i], y[i])
		out[i] = c.Xor(half, carry)
		carry = c.Or(c.And(x[i], y[i]), c.And(half, carry))
	}
	return &out
}

func Invert(x *Vec) *Vec {
	var out Vec
	for i := range out {
		out[i] = x[i].Not()
	}
	return &out
}

func (c *Circuit) Negate(x *Vec) *Vec { return c.Sum(Invert(x), &Vec{}, True) }

func (c *Circuit) Product(x, y *Vec) *Vec {
	if _, ok := x.Value(); ok {
		x, y = y, x
	}
	out := &Vec{}
	for i := range y {
		if y[i] == False {
			continue
		}
		var part Vec
		for j := 0; i+j < 64; j++ {
			part[i+j] = c.And(x[j], y[i])
		}
		out = c.Sum(out, &part, False)
	}
	return out
}

// Less returns the condition that x is Less than y, as signed or unsigned numbers.
func (c *Circuit) Less(x, y *Vec, signed bool) Lit {
	out := False
	for i := range x {
		a, b := x[i], y[i]
		if signed && i == 63 {
			a, b = b, a
		}
		out = c.Mux(c.Xor(a, b), b, out)
	}
	return out
}

func (c *Circuit) MuxVec(s Lit, x, y *Vec) *Vec {
	var out Vec
	for i := range out {
		out[i] = c.Mux(s, x[i], y[i])
	}
	return &out
}

// Shifted shifts a number by the value of the low bits of count. steps is the number of these bits.
// fill replaces the vacated bits of a right shift.
func (c *Circuit) Shifted(x, count *Vec, steps int, left bool, fill Lit) *Vec {
	out := x
	for s := range steps {
		by := 1 << s
		var moved Vec
		for i := range moved {
			from := i + by
			if left {
				from = i - by
			}
			switch {
			case from < 0:
			case from > 63:
				moved[i] = fill
			default:
				moved[i] = out[from]
			}
		}
		out = c.MuxVec(count[s], &moved, out)
	}
	return out
}

// Quotient divides unsigned numbers bit by bit. The caller handles division by 0.
func (c *Circuit) Quotient(x, y *Vec) (quo, rem *Vec) {
	quo, rem = &Vec{}, &Vec{}
	for i := Length(x) - 1; i >= 0; i-- {
		top := rem[63]
		var next Vec
		copy(next[1:], rem[:63])
		next[0] = x[i]
		fits := c.Or(top, c.Less(&next, y, false).Not())
		quo[i] = fits
		rem = c.MuxVec(fits, c.Sum(&next, Invert(y), True), &next)
	}
	return quo, rem
}

// Length returns an upper bound on the number of significant bits of a number.
func Length(x *Vec) int {
	n := 64
	for n > 0 && x[n-1] == False {
		n--
	}
	return n
}
