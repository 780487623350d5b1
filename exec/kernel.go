package exec

import (
	"math"

	"github.com/isago/isago/internal/sem"
)

// A kernel is a loop over all lanes for one operation. Operations without a kernel call sem.Apply for each lane.
// sem.Apply defines the results of all kernels.

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

func b32(x float32) uint64 { return uint64(math.Float32bits(x)) }

// maskKernel compiles comparisons and operations on conditions.
func (c *compiler) maskKernel(id sem.ID, in *sem.Inst) bool {
	if in.Type().Kind != sem.Bool {
		return false
	}
	if compared(in.Op) {
		return c.compare(id, in)
	}
	if in.Op != sem.OpNot && in.Op != sem.OpAnd && in.Op != sem.OpOr && in.Op != sem.OpXor && in.Op != sem.OpSelect {
		return false
	}
	var a [3]*uint64
	for i, arg := range [3]sem.ID{in.A, in.B, in.C} {
		if arg != sem.NoID {
			a[i] = c.maskOf(arg)
		}
	}
	d := c.place(id).mask
	switch in.Op {
	case sem.OpNot:
		c.add(func(*Wave) { *d = ^*a[0] })
	case sem.OpAnd:
		c.add(func(*Wave) { *d = *a[0] & *a[1] })
	case sem.OpOr:
		c.add(func(*Wave) { *d = *a[0] | *a[1] })
	case sem.OpXor:
		c.add(func(*Wave) { *d = *a[0] ^ *a[1] })
	case sem.OpSelect:
		c.add(func(*Wave) { *d = *a[1]&*a[0] | *a[2]&^*a[0] })
	}
	return true
}

func compared(op sem.Op) bool {
	return op == sem.OpEq || op == sem.OpNe || op == sem.OpLt || op == sem.OpLe
}

// isNaN reports whether an operation tests whether a 32-bit float is a NaN.
func isNaN(in *sem.Inst) bool {
	return in.Op == sem.OpNe && in.A == in.B && in.From().Kind == sem.Float && in.From().Width == 32
}

// nans returns the lanes in which a plane has a NaN.
func nans(p []uint64) uint64 {
	var m uint64
	for _, x := range p {
		m = m>>1 | (0x7f800000-x&0x7fffffff)>>63<<63
	}
	return m >> uint(Lanes-len(p))
}

func (c *compiler) compare(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	if in.From().Kind == sem.Bool || in.From().Kind == sem.Sint || in.From().Kind == sem.Float && in.From().Width != 32 {
		return false
	}
	if isNaN(in) {
		a, d := c.planeOf(in.A), c.place(id).mask
		c.add(func(*Wave) { *d = nans(a[:n]) })
		return true
	}
	a, b := c.planeOf(in.A), c.planeOf(in.B)
	d := c.place(id).mask
	switch float := in.From().Kind == sem.Float; {
	case float && in.Op == sem.OpEq:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(f32(a[i]) == f32(b[i]))<<63
			}
			*d = m >> uint(Lanes-n)
		})
	case float && in.Op == sem.OpNe:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(f32(a[i]) != f32(b[i]))<<63
			}
			*d = m >> uint(Lanes-n)
		})
	case float && in.Op == sem.OpLt:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(f32(a[i]) < f32(b[i]))<<63
			}
			*d = m >> uint(Lanes-n)
		})
	case float:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(f32(a[i]) <= f32(b[i]))<<63
			}
			*d = m >> uint(Lanes-n)
		})
	case in.Op == sem.OpEq:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(a[i] == b[i])<<63
			}
			*d = m >> uint(Lanes-n)
		})
	case in.Op == sem.OpNe:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(a[i] != b[i])<<63
			}
			*d = m >> uint(Lanes-n)
		})
	case in.Op == sem.OpLt:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(a[i] < b[i])<<63
			}
			*d = m >> uint(Lanes-n)
		})
	default:
		c.add(func(*Wave) {
			var m uint64
			a, b := a[:n], b[:n]
			for i := range a {
				m = m>>1 | boolean(a[i] <= b[i])<<63
			}
			*d = m >> uint(Lanes-n)
		})
	}
	return true
}

// scalarKernel compiles an operation that runs once for all lanes.
func (c *compiler) scalarKernel(id sem.ID, in *sem.Inst) {
	var args [3]*uint64
	for i, a := range [3]sem.ID{in.A, in.B, in.C} {
		if a != sem.NoID {
			args[i] = c.locs[a].scalar
		} else {
			args[i] = new(uint64)
		}
	}
	d := c.place(id).scalar
	if run := scalarStep(in, d, args[0], args[1], args[2]); run != nil {
		c.add(run)
		return
	}
	c.add(func(*Wave) { *d = sem.Apply(in, *args[0], *args[1], *args[2]) })
}

// scalarStep returns a step for the operations that most control flow needs, and nil for others.
func scalarStep(in *sem.Inst, d, a, b, x *uint64) func(*Wave) {
	unsigned := in.From().Kind == sem.Uint
	switch {
	case in.Op == sem.OpSelect:
		return func(*Wave) {
			if *a != 0 {
				*d = *b
			} else {
				*d = *x
			}
		}
	case in.Op == sem.OpEq && unsigned:
		return func(*Wave) { *d = boolean(*a == *b) }
	case in.Op == sem.OpNe && unsigned:
		return func(*Wave) { *d = boolean(*a != *b) }
	case in.Op == sem.OpNot && in.Type().Kind == sem.Bool:
		return func(*Wave) { *d = *a ^ 1 }
	case in.Op == sem.OpAnd:
		return func(*Wave) { *d = *a & *b }
	case in.Op == sem.OpOr:
		return func(*Wave) { *d = *a | *b }
	}
	return nil
}

// planeKernel compiles an operation whose arguments and result are planes.
func (c *compiler) planeKernel(id sem.ID, in *sem.Inst) bool {
	switch {
	case in.Type().Kind == sem.Bool:
		return false
	case in.Op == sem.OpSelect && c.inside[in.A]:
		c.compareSelect(id, in)
		return true
	case in.Op == sem.OpSelect:
		return c.selectKernel(id, in)
	case in.Op == sem.OpProduct:
		c.product(id, in)
		return true
	case in.Op == sem.OpAdd && (c.inside[in.A] || c.inside[in.B]):
		c.productSum(id, in)
		return true
	case in.Op == sem.OpCast && (in.Type().Kind == sem.Float || in.From().Kind == sem.Float):
		return c.castKernel(id, in)
	case in.Op == sem.OpFlush:
		c.flushKernel(id, in)
		return true
	case in.Op == sem.OpConvert && in.From().Kind == sem.Float && in.Type().Kind != sem.Float:
		return c.toIntKernel(id, in)
	case in.Op == sem.OpConvert && in.From().Kind != sem.Float && in.Type().Kind == sem.Float:
		return c.toFloatKernel(id, in)
	case in.Op == sem.OpConvert && in.Imm == 0 && in.Type().Kind == sem.Float && in.From().Kind == sem.Float:
		return c.convertKernel(id, in)
	case in.Op == sem.OpRint && in.Type().Width == 32:
		c.rintKernel(id, in)
		return true
	case in.Type().Kind == sem.Float && in.Type().Width == 32 && in.Imm == 0:
		return c.floatKernel(id, in)
	case in.Type().Kind == sem.Float && in.Type().Width == 64 && in.Imm == 0:
		return c.doubleKernel(id, in)
	case in.Type().Kind == sem.Uint || in.Type().Kind == sem.Sint:
		return c.intKernel(id, in)
	}
	return false
}

func (c *compiler) selectKernel(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	if c.uniform[in.A] { // all lanes select the same argument
		l, x, y := c.locs[in.A], c.planeOf(in.B), c.planeOf(in.C)
		d := c.place(id).plane
		c.add(func(*Wave) {
			if *l.scalar != 0 {
				copy(d[:n], x[:n])
			} else {
				copy(d[:n], y[:n])
			}
		})
		return true
	}
	cond, x, y := c.maskOf(in.A), c.planeOf(in.B), c.planeOf(in.C)
	d := c.choice(id, in)
	c.stays[id] = d == y
	c.add(func(w *Wave) {
		all := c.counts(w)
		switch m := *cond & all; m {
		case 0:
			if d != y {
				copy(d[:n], y[:n])
			}
		case all:
			if d != x {
				copy(d[:n], x[:n])
			}
		default:
			x, y, d := x[:n], y[:n], d[:n]
			for i := range d {
				keep := -(m & 1)
				m >>= 1
				d[i] = y[i] ^ (x[i]^y[i])&keep
			}
		}
	})
	return true
}

// choice returns the plane for the result of a select: if possible, that of an argument that is not used later.
func (c *compiler) choice(id sem.ID, in *sem.Inst) *plane {
	for _, a := range [2]sem.ID{in.C, in.B} {
		switch p := c.locs[a].plane; {
		case p == nil || c.last[a] != int(id) || c.atomic:
		case c.homes[id] != nil && c.homes[a] == c.homes[id]:
			return c.place(id).plane
		case c.homes[id] == nil && c.owned[a]:
			c.owned[a], c.owned[id] = false, true
			c.locs[id] = loc{plane: p}
			return p
		}
	}
	return c.place(id).plane
}

func (c *compiler) floatKernel(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	if in.Op == sem.OpNeg {
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = a[i] ^ 1<<31
			}
		})
		return true
	}
	if in.Op == sem.OpSqrt {
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			a, d := a[:n], d[:n]
			for i := range d { // rounding a square root to 53 bits and then to 24 gives the same result as rounding it once
				d[i] = b32(float32(math.Sqrt(float64(f32(a[i])))))
			}
		})
		return true
	}
	if in.Op != sem.OpAdd && in.Op != sem.OpSub && in.Op != sem.OpMul && in.Op != sem.OpDiv {
		return false
	}
	c.arithmetic(id, in)
	return true
}

// arithmetic compiles an operator on floats. An argument may be uniform. A following test for a NaN is compiled with
// it.
func (c *compiler) arithmetic(id sem.ID, in *sem.Inst) {
	n := c.w.width
	first, second := in.A, in.B
	if c.uniform[first] && (in.Op == sem.OpAdd || in.Op == sem.OpMul) {
		first, second = second, first
	}
	a := c.planeOf(first)
	s := c.locs[second].scalar
	var b *plane
	if s == nil || in.Op == sem.OpDiv || in.Op == sem.OpSub {
		b, s = c.planeOf(second), nil
	}
	d := c.place(id).plane
	if next := int(id) + 1; next < len(c.code.Insts) && c.code.Insts[next].A == id && isNaN(&c.code.Insts[next]) && (in.Op == sem.OpMul || in.Op == sem.OpAdd) {
		c.done[next] = true
		c.arithmeticNaN(in.Op, d, a, b, s, c.place(id+1).mask)
		return
	}
	switch {
	case in.Op == sem.OpAdd && s != nil:
		c.add(func(*Wave) {
			y := f32(*s)
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = b32(f32(a[i]) + y)
			}
		})
	case in.Op == sem.OpAdd:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = b32(f32(a[i]) + f32(b[i]))
			}
		})
	case in.Op == sem.OpSub:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = b32(f32(a[i]) - f32(b[i]))
			}
		})
	case in.Op == sem.OpMul && s != nil:
		c.add(func(*Wave) {
			y := f32(*s)
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = b32(f32(a[i]) * y)
			}
		})
	case in.Op == sem.OpMul:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = b32(f32(a[i]) * f32(b[i]))
			}
		})
	case in.Op == sem.OpDiv:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = b32(f32(a[i]) / f32(b[i]))
			}
		})
	}
}

// arithmeticNaN compiles a sum or a product that also computes the lanes in which the result is a NaN.
func (c *compiler) arithmeticNaN(op sem.Op, d, a, b *plane, s, nan *uint64) {
	n := c.w.width
	switch {
	case op == sem.OpAdd && s != nil:
		c.add(func(*Wave) {
			y := f32(*s)
			var odd uint64
			a, d := a[:n], d[:n]
			for i := range d {
				v := b32(f32(a[i]) + y)
				d[i] = v
				odd |= 0x7f800000 - v&0x7fffffff
			}
			*nan = nansIf(odd, d)
		})
	case op == sem.OpAdd:
		c.add(func(*Wave) {
			var odd uint64
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				v := b32(f32(a[i]) + f32(b[i]))
				d[i] = v
				odd |= 0x7f800000 - v&0x7fffffff
			}
			*nan = nansIf(odd, d)
		})
	case s != nil:
		c.add(func(*Wave) {
			y := f32(*s)
			var odd uint64
			a, d := a[:n], d[:n]
			for i := range d {
				v := b32(f32(a[i]) * y)
				d[i] = v
				odd |= 0x7f800000 - v&0x7fffffff
			}
			*nan = nansIf(odd, d)
		})
	default:
		c.add(func(*Wave) {
			var odd uint64
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				v := b32(f32(a[i]) * f32(b[i]))
				d[i] = v
				odd |= 0x7f800000 - v&0x7fffffff
			}
			*nan = nansIf(odd, d)
		})
	}
}

// nansIf returns the lanes in which a plane has a NaN. odd combines the sign bits of a test of all lanes; if they show
// no NaN, nansIf returns 0 without a loop.
func nansIf(odd uint64, d []uint64) uint64 {
	if odd>>63 == 0 {
		return 0
	}
	return nans(d)
}

// castKernel compiles conversions between floats and their bits, of 32 or 64 bits. The bits of every NaN are the same.
func (c *compiler) castKernel(id sem.ID, in *sem.Inst) bool {
	n, width := c.w.width, in.Type().Width
	if in.From().Width != width || width != 32 && width != 64 {
		return false
	}
	if in.Type().Kind == sem.Float {
		if c.owned[in.A] && c.last[in.A] == int(id) && !c.atomic && c.homes[id] == nil {
			c.owned[in.A], c.owned[id] = false, true
			c.locs[id] = loc{plane: c.locs[in.A].plane}
			return true
		}
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) { copy(d[:n], a[:n]) })
		return true
	}
	a, d := c.planeOf(in.A), c.place(id).plane
	sign := uint64(1) << uint(width-1)
	infinity := map[int]uint64{32: 0x7f800000, 64: 0x7ff << 52}[width]
	c.add(func(*Wave) {
		a, d := a[:n], d[:n]
		var odd uint64
		for i := range d {
			d[i] = a[i]
			odd |= infinity - a[i]&^sign
		}
		if odd>>63 == 0 {
			return
		}
		for i := range d {
			d[i] = sem.Canonical(d[i], in.From())
		}
	})
	return true
}

// flushKernel compiles the operation that replaces subnormal floats with zeros of the same sign.
func (c *compiler) flushKernel(id sem.ID, in *sem.Inst) {
	n, a, d := c.w.width, c.planeOf(in.A), c.place(id).plane
	c.add(func(*Wave) {
		a, d := a[:n], d[:n]
		for i := range d {
			x := a[i]
			if x&0x7f800000 == 0 {
				x &= 0x80000000
			}
			d[i] = x
		}
	})
}

// convertKernel compiles conversions between floats of 32 and 64 bits.
func (c *compiler) convertKernel(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	switch {
	case in.From().Width == 32 && in.Type().Width == 64:
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = math.Float64bits(float64(f32(a[i])))
			}
		})
	case in.From().Width == 64 && in.Type().Width == 32:
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = b32(float32(math.Float64frombits(a[i])))
			}
		})
	default:
		return false
	}
	return true
}

// rintKernel compiles the rounding to a whole number.
func (c *compiler) rintKernel(id sem.ID, in *sem.Inst) {
	n, mode, a, d := c.w.width, sem.Mode(in.Imm), c.planeOf(in.A), c.place(id).plane
	if mode == sem.Down {
		c.add(func(*Wave) {
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = b32(float32(math.Floor(float64(f32(a[i])))))
			}
		})
		return
	}
	c.add(func(*Wave) {
		a, d := a[:n], d[:n]
		for i := range d {
			d[i] = b32(float32(sem.Rint(float64(f32(a[i])), mode)))
		}
	})
}

// toIntKernel compiles the conversion of a float to an integer of at most 32 bits. Values outside the range saturate,
// and a NaN becomes 0.
func (c *compiler) toIntKernel(id sem.ID, in *sem.Inst) bool {
	n, width, mode := c.w.width, in.Type().Width, sem.Mode(in.Imm)
	if in.From().Width != 32 || width > 32 {
		return false
	}
	low, high := int64(0), int64(1)<<uint(width)-1
	if in.Type().Kind == sem.Sint {
		low, high = -1<<uint(width-1), 1<<uint(width-1)-1
	}
	mask := uint64(1)<<uint(width) - 1
	a, d := c.planeOf(in.A), c.place(id).plane
	c.add(func(*Wave) {
		a, d := a[:n], d[:n]
		for i := range d {
			v := float64(f32(a[i]))
			if mode != sem.Zero { // the conversion to int64 truncates
				v = sem.Rint(v, mode)
			}
			x := int64(v)
			switch {
			case v != v:
				x = 0
			case v <= float64(low):
				x = low
			case v >= float64(high):
				x = high
			}
			d[i] = uint64(x) & mask
		}
	})
	return true
}

// toFloatKernel compiles the conversion of an integer of at most 32 bits to the nearest 32-bit float.
func (c *compiler) toFloatKernel(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	if in.Type().Width != 32 || in.From().Width > 32 || in.From().Kind != sem.Uint && in.From().Kind != sem.Sint || in.Imm != 0 {
		return false
	}
	left := uint(0) // shifts left and right extend the sign
	if in.From().Kind == sem.Sint {
		left = uint(64 - in.From().Width)
	}
	a, d := c.planeOf(in.A), c.place(id).plane
	c.add(func(*Wave) {
		a, d := a[:n], d[:n]
		for i := range d {
			d[i] = b32(float32(int64(a[i]<<left) >> left))
		}
	})
	return true
}

// doubleKernel compiles operators on 64-bit floats.
func (c *compiler) doubleKernel(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	if in.Op != sem.OpAdd && in.Op != sem.OpMul && in.Op != sem.OpDiv {
		return false
	}
	a, b, d := c.planeOf(in.A), c.planeOf(in.B), c.place(id).plane
	switch in.Op {
	case sem.OpAdd:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = math.Float64bits(math.Float64frombits(a[i]) + math.Float64frombits(b[i]))
			}
		})
	case sem.OpMul:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = math.Float64bits(math.Float64frombits(a[i]) * math.Float64frombits(b[i]))
			}
		})
	case sem.OpDiv:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = math.Float64bits(math.Float64frombits(a[i]) / math.Float64frombits(b[i]))
			}
		})
	}
	return true
}

func (c *compiler) intKernel(id sem.ID, in *sem.Inst) bool {
	n := c.w.width
	mask := ^uint64(0) >> uint(64-in.Type().Width)
	switch in.Op {
	case sem.OpSlice, sem.OpCast:
		if in.From().Kind == sem.Bool || in.Op == sem.OpCast && in.From().Kind == sem.Float {
			return false
		}
		low := uint(0)
		if in.Op == sem.OpSlice {
			low = uint(in.Imm)
		}
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			a, d := a[:n], d[:n]
			for i := range d {
				d[i] = a[i] >> low & mask
			}
		})
		return true
	case sem.OpShr:
		if in.Type().Kind == sem.Sint || in.From().Kind == sem.Sint {
			return false
		}
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpShl, sem.OpAnd, sem.OpOr, sem.OpXor:
	default:
		return false
	}
	a, b, d := c.planeOf(in.A), c.planeOf(in.B), c.place(id).plane
	switch in.Op {
	case sem.OpShr:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = a[i] >> min(b[i], 64)
			}
		})
	case sem.OpAdd:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = (a[i] + b[i]) & mask
			}
		})
	case sem.OpSub:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = (a[i] - b[i]) & mask
			}
		})
	case sem.OpMul:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = a[i] * b[i] & mask
			}
		})
	case sem.OpShl:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = a[i] << min(b[i], 64) & mask
			}
		})
	case sem.OpAnd:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = a[i] & b[i]
			}
		})
	case sem.OpOr:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = a[i] | b[i]
			}
		})
	case sem.OpXor:
		c.add(func(*Wave) {
			a, b, d := a[:n], b[:n], d[:n]
			for i := range d {
				d[i] = a[i] ^ b[i]
			}
		})
	}
	return true
}
