package circuit

// Vec is a number, least significant bit first. The operands and the result of an operation have the same length.
type Vec []Lit

// Constant returns the low bits of a number.
func Constant(width int, v uint64) Vec {
	x := make(Vec, width)
	for i := range x {
		x[i] = Lit(v >> uint(i) & 1)
	}
	return x
}

// Value returns the number if all its bits are constant. The number has at most 64 bits.
func (x Vec) Value() (v uint64, ok bool) {
	for i, l := range x {
		if l > True {
			return 0, false
		}
		v |= uint64(l) << uint(i)
	}
	return v, true
}

// Length returns an upper bound on the number of significant bits of a number.
func (x Vec) Length() int {
	n := len(x)
	for n > 0 && x[n-1] == False {
		n--
	}
	return n
}

// Invert returns the complement of a number.
func (x Vec) Invert() Vec {
	out := make(Vec, len(x))
	for i, l := range x {
		out[i] = l.Not()
	}
	return out
}

// Inputs returns a number whose bits are new inputs.
func (c *Circuit) Inputs(width int) Vec {
	x := make(Vec, width)
	for i := range x {
		x[i] = c.Input()
	}
	return x
}

// IsSet returns the condition that a number is not 0.
func (c *Circuit) IsSet(x Vec) Lit { return c.Any(x...) }

// Equal returns the condition that two numbers are equal.
func (c *Circuit) Equal(x, y Vec) Lit {
	out := True
	for i := range x {
		out = c.And(out, c.Xor(x[i], y[i]).Not())
	}
	return out
}

// Less returns the condition that x is less than y, as signed or unsigned numbers.
func (c *Circuit) Less(x, y Vec, signed bool) Lit {
	out := False
	for i := range x {
		a, b := x[i], y[i]
		if signed && i == len(x)-1 {
			a, b = b, a
		}
		out = c.Mux(c.Xor(a, b), b, out)
	}
	return out
}

// MuxVec returns x if s holds, and y otherwise.
func (c *Circuit) MuxVec(s Lit, x, y Vec) Vec {
	out := make(Vec, len(x))
	for i := range out {
		out[i] = c.Mux(s, x[i], y[i])
	}
	return out
}

// Sum adds two numbers and a carry. It drops the carry out of the top bit.
func (c *Circuit) Sum(x, y Vec, carry Lit) Vec {
	out := make(Vec, len(x))
	for i := range out {
		half := c.Xor(x[i], y[i])
		out[i] = c.Xor(half, carry)
		carry = c.Or(c.And(x[i], y[i]), c.And(half, carry))
	}
	return out
}

// Negate returns the number with the opposite sign.
func (c *Circuit) Negate(x Vec) Vec { return c.Sum(x.Invert(), make(Vec, len(x)), True) }

// Product returns the low bits of a product.
func (c *Circuit) Product(x, y Vec) Vec {
	if _, ok := x.Value(); ok {
		x, y = y, x
	}
	out := make(Vec, len(x))
	for i := range y {
		if y[i] == False {
			continue
		}
		part := make(Vec, len(x))
		for j := 0; i+j < len(x); j++ {
			part[i+j] = c.And(x[j], y[i])
		}
		out = c.Sum(out, part, False)
	}
	return out
}

// Shifted shifts a number by the value of the low bits of count. steps is the number of these bits.
// fill replaces the vacated bits of a right shift.
func (c *Circuit) Shifted(x, count Vec, steps int, left bool, fill Lit) Vec {
	out := x
	for s := range steps {
		by := 1 << s
		moved := make(Vec, len(x))
		for i := range moved {
			from := i + by
			if left {
				from = i - by
			}
			switch {
			case from < 0:
			case from >= len(x):
				moved[i] = fill
			default:
				moved[i] = out[from]
			}
		}
		out = c.MuxVec(count[s], moved, out)
	}
	return out
}

// Quotient divides unsigned numbers bit by bit. The caller handles division by 0.
func (c *Circuit) Quotient(x, y Vec) (quo, rem Vec) {
	width := len(x)
	quo, rem = make(Vec, width), make(Vec, width)
	for i := x.Length() - 1; i >= 0; i-- {
		top := rem[width-1]
		next := make(Vec, width)
		copy(next[1:], rem[:width-1])
		next[0] = x[i]
		fits := c.Or(top, c.Less(next, y, false).Not())
		quo[i] = fits
		rem = c.MuxVec(fits, c.Sum(next, y.Invert(), True), next)
	}
	return quo, rem
}
