package exec

import (
	"math"

	"github.com/isago/isago/internal/sem"
)

// Kernels do one operation for all lanes in a loop of their own. What has none is done lane by lane by
// sem.Apply, which says what each of them must give.

func f32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

func b32(x float32) uint64 { return uint64(math.Float32bits(x)) }

// maskKernel prepares an operation on conditions, and comparisons.
func (c *compiler) maskKernel(id sem.ID, in *sem.Inst) bool {
	if in.Type.Kind != sem.Bool {
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

func (c *compiler) compare(id sem.ID, in *sem.Inst) bool {
	if in.From.Kind == sem.Bool || in.From.Kind == sem.Sint || in.From.Kind == sem.Float && in.From.Width != 32 {
		return false
	}
	float := in.From.Kind == sem.Float
	if in.Op == sem.OpNe && in.A == in.B && float {
		a, d := c.planeOf(in.A), c.place(id).mask
		c.add(func(*Wave) {
			var m uint64
			for i, x := range a {
				m |= (0x7f800000 - x&0x7fffffff) >> 63 << uint(i)
			}
			*d = m
		})
		return true
	}
	a, b := c.planeOf(in.A), c.planeOf(in.B)
	d := c.place(id).mask
	switch {
	case float && in.Op == sem.OpEq:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(f32(a[i]) == f32(b[i])) << uint(i)
			}
			*d = m
		})
	case float && in.Op == sem.OpNe:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(f32(a[i]) != f32(b[i])) << uint(i)
			}
			*d = m
		})
	case float && in.Op == sem.OpLt:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(f32(a[i]) < f32(b[i])) << uint(i)
			}
			*d = m
		})
	case float:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(f32(a[i]) <= f32(b[i])) << uint(i)
			}
			*d = m
		})
	case in.Op == sem.OpEq:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(a[i] == b[i]) << uint(i)
			}
			*d = m
		})
	case in.Op == sem.OpNe:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(a[i] != b[i]) << uint(i)
			}
			*d = m
		})
	case in.Op == sem.OpLt:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(a[i] < b[i]) << uint(i)
			}
			*d = m
		})
	default:
		c.add(func(*Wave) {
			var m uint64
			for i := range a {
				m |= boolean(a[i] <= b[i]) << uint(i)
			}
			*d = m
		})
	}
	return true
}

// planeKernel prepares an operation whose arguments and result are planes.
func (c *compiler) planeKernel(id sem.ID, in *sem.Inst) bool {
	switch {
	case in.Type.Kind == sem.Bool:
		return false
	case in.Op == sem.OpSelect:
		return c.selectKernel(id, in)
	case in.Type.Kind == sem.Float && in.Type.Width == 32 && in.Imm == 0:
		return c.floatKernel(id, in)
	case in.Type.Kind == sem.Uint || in.Type.Kind == sem.Sint:
		return c.intKernel(id, in)
	}
	return false
}

func (c *compiler) selectKernel(id sem.ID, in *sem.Inst) bool {
	cond, x, y := c.maskOf(in.A), c.planeOf(in.B), c.planeOf(in.C)
	if cond == nil { // the same choice in all lanes
		l := c.locs[in.A]
		d := c.place(id).plane
		c.add(func(*Wave) {
			if *l.scalar != 0 {
				*d = *x
			} else {
				*d = *y
			}
		})
		return true
	}
	d := c.place(id).plane
	c.add(func(w *Wave) {
		m := *cond & w.active
		switch m {
		case 0:
			*d = *y
		case w.active:
			*d = *x
		default:
			for i := range d {
				keep := -(m >> uint(i) & 1)
				d[i] = y[i] ^ (x[i]^y[i])&keep
			}
		}
	})
	return true
}

func (c *compiler) floatKernel(id sem.ID, in *sem.Inst) bool {
	if in.Op == sem.OpNeg {
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			for i := range d {
				d[i] = a[i] ^ 1<<31
			}
		})
		return true
	}
	if in.Op == sem.OpSqrt {
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			for i := range d { // a root that is rounded to 53 bits and then to 24 is the one that is rounded once
				d[i] = b32(float32(math.Sqrt(float64(f32(a[i])))))
			}
		})
		return true
	}
	if in.Op != sem.OpAdd && in.Op != sem.OpSub && in.Op != sem.OpMul && in.Op != sem.OpDiv {
		return false
	}
	a, b, d := c.planeOf(in.A), c.planeOf(in.B), c.place(id).plane
	switch in.Op {
	case sem.OpAdd:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = b32(f32(a[i]) + f32(b[i]))
			}
		})
	case sem.OpSub:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = b32(f32(a[i]) - f32(b[i]))
			}
		})
	case sem.OpMul:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = b32(f32(a[i]) * f32(b[i]))
			}
		})
	case sem.OpDiv:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = b32(f32(a[i]) / f32(b[i]))
			}
		})
	}
	return true
}

func (c *compiler) intKernel(id sem.ID, in *sem.Inst) bool {
	mask := ^uint64(0) >> uint(64-in.Type.Width)
	switch in.Op {
	case sem.OpSlice, sem.OpCast:
		if in.From.Kind == sem.Bool || in.Op == sem.OpCast && in.From.Kind == sem.Float {
			return false
		}
		low := uint(0)
		if in.Op == sem.OpSlice {
			low = uint(in.Imm)
		}
		a, d := c.planeOf(in.A), c.place(id).plane
		c.add(func(*Wave) {
			for i := range d {
				d[i] = a[i] >> low & mask
			}
		})
		return true
	case sem.OpAdd, sem.OpSub, sem.OpAnd, sem.OpOr, sem.OpXor:
	default:
		return false
	}
	a, b, d := c.planeOf(in.A), c.planeOf(in.B), c.place(id).plane
	switch in.Op {
	case sem.OpAdd:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = (a[i] + b[i]) & mask
			}
		})
	case sem.OpSub:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = (a[i] - b[i]) & mask
			}
		})
	case sem.OpAnd:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = a[i] & b[i]
			}
		})
	case sem.OpOr:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = a[i] | b[i]
			}
		})
	case sem.OpXor:
		c.add(func(*Wave) {
			for i := range d {
				d[i] = a[i] ^ b[i]
			}
		})
	}
	return true
}
