package circuit

import "testing"

// sixtyFour returns a number of 64 bits of which only the low ones are inputs.
func sixtyFour(c *Circuit, inputs int) Vec { return append(c.Inputs(inputs), make(Vec, 64-inputs)...) }

// TestSolverDecides has queries that are too large to enumerate: x*3 == 3*x always holds, and x+1 == x
// never does.
func TestSolverDecides(t *testing.T) {
	c := New()
	x := sixtyFour(c, 40)
	mul := func(v uint64) Vec { return c.Product(x, Constant(64, v)) }
	if ans := c.Possible(c.Equal(c.Sum(mul(2), x, False), mul(3)).Not()); ans != Never {
		t.Errorf("2x + x != 3x: answer %d", ans)
	}
	if ans := c.Possible(c.Equal(c.Sum(x, Constant(64, 1), False), x)); ans != Never {
		t.Errorf("x + 1 == x: answer %d", ans)
	}
	a, ans := c.Satisfy(c.Equal(mul(3), Constant(64, 3*0x123456789)))
	if ans != Sometimes {
		t.Fatalf("3x == 3*0x123456789: answer %d", ans)
	}
	var got uint64
	for i := range 40 {
		if a.Value(x[i]) {
			got |= 1 << i
		}
	}
	if got != 0x123456789 {
		t.Errorf("x = %#x", got)
	}
}

// TestSolverGivesUp requires that the solver answers unknown if a query is too hard.
func TestSolverGivesUp(t *testing.T) {
	c := New()
	x, y := sixtyFour(c, 31), sixtyFour(c, 31)
	one := Constant(64, 1)
	// The number is a product of two primes near 2^31, so the answer may be sometimes or unknown, but
	// not never.
	goal := c.All(c.Equal(c.Product(x, y), Constant(64, 2147483629*2147483587)), c.Less(one, x, false), c.Less(one, y, false))
	if ans := c.Possible(goal); ans == Never {
		t.Errorf("2147483629*2147483587 has no factors")
	}
}
