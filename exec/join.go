package exec

import "github.com/isago/isago/internal/sem"

// An operation with only one user may be compiled with this user into one loop over the lanes: a comparison with the
// select that it controls, and a product or a flushed number with the sum that contains it.

// findJoins finds such operations. Their arguments are then used by the user.
func (c *compiler) findJoins() {
	uses := make([]int, len(c.code.Insts))
	regions := c.regions()
	for i := range c.code.Insts {
		c.code.Insts[i].EachArg(func(a sem.ID) { uses[a]++ })
	}
	for i := range c.code.Insts {
		join := func(a sem.ID) {
			if uses[a] != 1 || c.uniform[a] || regions[a] != regions[i] || int(a)+1 < len(c.code.Insts) && c.noted(sem.ID(a)) {
				return
			}
			c.inside[a], c.done[a] = true, true
			c.code.Insts[a].EachArg(func(b sem.ID) { c.last[b] = max(c.last[b], i) })
		}
		switch in := &c.code.Insts[i]; {
		case c.uniform[i]:
		case in.Op == sem.OpSelect && in.Type().Kind != sem.Bool && decides(&c.code.Insts[in.A]):
			join(in.A)
		case isF32(in, sem.OpAdd):
			for _, arg := range [2][2]sem.ID{{in.B, in.A}, {in.A, in.B}} {
				if x := &c.code.Insts[arg[0]]; isF32(x, sem.OpMul) || x.Op == sem.OpProduct {
					if join(arg[0]); c.inside[arg[0]] && c.code.Insts[arg[1]].Op == sem.OpFlush {
						join(arg[1])
					}
					break
				}
			}
		}
	}
}

// noted reports whether a test for a NaN is compiled with an operation.
func (c *compiler) noted(id sem.ID) bool {
	next := &c.code.Insts[id+1]
	return next.A == id && isNaN(next)
}

// regions returns the innermost region of each operation.
func (c *compiler) regions() []int {
	list := make([]int, len(c.code.Insts))
	for i := range c.code.Insts {
		if in := &c.code.Insts[i]; in.Op == sem.OpSkip || in.Op == sem.OpAtomic {
			for k := i + 1; k < int(in.Imm); k++ {
				list[k] = i + 1
			}
		}
	}
	return list
}

// isF32 reports whether an operation computes 32-bit floats and rounds to nearest.
func isF32(in *sem.Inst, op sem.Op) bool {
	return in.Op == op && in.Type().Kind == sem.Float && in.Type().Width == 32 && in.Imm == 0
}

// decides reports whether a comparison can be compiled with a select.
func decides(in *sem.Inst) bool {
	return (in.Op == sem.OpLt || in.Op == sem.OpLe) && in.From().Kind == sem.Float && in.From().Width == 32
}

// compareSelect compiles a select with its comparison.
func (c *compiler) compareSelect(id sem.ID, in *sem.Inst) {
	n, test := c.w.width, &c.code.Insts[in.A]
	a, b, x, y := c.planeOf(test.A), c.planeOf(test.B), c.planeOf(in.B), c.planeOf(in.C)
	d := c.choice(id, in)
	if test.Op == sem.OpLt {
		c.add(func(*Wave) {
			a, b, x, y, d := a[:n], b[:n], x[:n], y[:n], d[:n]
			for i := range d {
				v := y[i]
				if f32(a[i]) < f32(b[i]) {
					v = x[i]
				}
				d[i] = v
			}
		})
		return
	}
	c.add(func(*Wave) {
		a, b, x, y, d := a[:n], b[:n], x[:n], y[:n], d[:n]
		for i := range d {
			v := y[i]
			if f32(a[i]) <= f32(b[i]) {
				v = x[i]
			}
			d[i] = v
		}
	})
}

// product compiles a product that is 0 if a factor is 0, even if the other factor is infinite or a NaN.
func (c *compiler) product(id sem.ID, in *sem.Inst) {
	n, zeros := c.w.width, sem.Zeros(in)
	a, b, d := c.planeOf(in.A), c.planeOf(in.B), c.place(id).plane
	c.add(func(*Wave) {
		a, b, d := a[:n], b[:n], d[:n]
		for i := range d {
			x, y := a[i], b[i]
			v := b32(f32(x) * f32(y))
			if x&zeros == 0 || y&zeros == 0 {
				v = 0
			}
			d[i] = v
		}
	})
}

// productSum compiles the sum of a product and a number, which may be flushed. The product and the sum are both
// rounded.
func (c *compiler) productSum(id sem.ID, in *sem.Inst) {
	n, product, other := c.w.width, in.A, in.B
	if x := c.code.Insts[product].Op; !c.inside[product] || x != sem.OpMul && x != sem.OpProduct {
		product, other = other, product
	}
	mul := &c.code.Insts[product]
	kept := ^uint64(0) // the bits that remain of a number whose exponent is 0
	if c.inside[other] {
		kept, other = 1<<31, c.code.Insts[other].A
	}
	a, b, z := c.planeOf(mul.A), c.planeOf(mul.B), c.planeOf(other)
	d := c.place(id).plane
	if mul.Op == sem.OpMul {
		c.add(func(*Wave) {
			a, b, z, d := a[:n], b[:n], z[:n], d[:n]
			for i := range d {
				v := float32(f32(a[i]) * f32(b[i]))
				w := z[i]
				if w&0x7f800000 == 0 {
					w &= kept
				}
				d[i] = b32(v + f32(w))
			}
		})
		return
	}
	zeros := sem.Zeros(mul)
	c.add(func(*Wave) {
		a, b, z, d := a[:n], b[:n], z[:n], d[:n]
		for i := range d {
			x, y := a[i], b[i]
			v := float32(f32(x) * f32(y))
			if x&zeros == 0 || y&zeros == 0 {
				v = 0
			}
			w := z[i]
			if w&0x7f800000 == 0 {
				w &= kept
			}
			d[i] = b32(v + f32(w))
		}
	})
}
