package vectors

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// swap is an assumption that reads of a register returned another component.
type swap struct {
	cause      Cause
	text, note string
	other      func(c component3) component3
}

// substitute explains the registers that differ by other operands: another register, or other components.
func (c *checker) substitute(r *result) {
	t := r.trial()
	if t == nil || len(r.v.Text) > 1 || r.v.Steps != 1 || r.calls {
		return
	}
	for _, i := range r.diffs {
		p := r.spots[i]
		if _, ok := t.writes[component3{r.index(i), p.number, p.comp}]; p.kind != registerSpot || !ok || r.missing[i] {
			return
		}
	}
	for _, s := range c.swaps(r, t) {
		if r.swapped(t, s, nil) && !c.contradicted(r, s, nil) {
			c.add(r, s.cause, s.text, s.note, r.diffs...).Explained = true
			return
		}
	}
	// Each component may have its own.
	note, single := "", c.singles(r, t)
	for i := range r.spots {
		found := r.swapped(t, swap{other: func(c component3) component3 { return c }}, &i)
		for k := 0; k < len(single) && !found; k++ {
			if found = r.swapped(t, single[k], &i) && !c.contradicted(r, single[k], &r.spots[i]); found {
				note = single[k].note
			}
		}
		if !found {
			return
		}
	}
	c.add(r, CauseComponents, "the components of an operand are in another order (swizzle)", note, r.diffs...).Explained = true
}

// contradicted reports whether a result of the same words agrees only without a swap: in all registers, or in one.
func (c *checker) contradicted(r *result, s swap, only *spot) bool {
	return slices.ContainsFunc(c.agree[r.file], func(a *result) bool {
		if !slices.Equal(a.v.Words, r.v.Words) || !maps.EqualFunc(a.v.Tables, r.v.Tables, slices.Equal) {
			return false
		}
		var at *int
		if only != nil {
			i := slices.Index(a.spots, *only)
			if i < 0 {
				return false
			}
			at = &i
		}
		t := a.trial()
		return t != nil && !a.swapped(t, s, at)
	})
}

func (r *result) index(i int) int {
	if s := r.spots[i].state; s != nil {
		return s.Index
	}
	return -1
}

// swapped reports whether the written registers have the values of the engine if operands are swapped: all registers, or
// the one with an index.
func (r *result) swapped(t *trial, s swap, only *int) bool {
	for i, p := range r.spots {
		if only != nil && i != *only || r.missing[i] {
			continue
		}
		id, ok := t.writes[component3{r.index(i), p.number, p.comp}]
		if p.kind != registerSpot || !ok {
			continue
		}
		v := t.again(t.insts[id].B, map[sem.ID]uint64{}, func(id sem.ID, _ *sem.Inst) (uint64, bool) {
			c, ok := t.places[id]
			if !ok {
				return 0, false
			}
			to := s.other(c)
			if to == c {
				return 0, false
			}
			return t.before(t.m.States[to.state], to), true
		})
		if !r.equal(i, v, r.got[i]) {
			return false
		}
	}
	return true
}

// operands returns the registers that the last instruction reads, and whether it reads each by a computed number.
func operands(t *trial) (list []component3, relative map[component3]bool) {
	relative = map[component3]bool{}
	for id := range t.insts {
		c, ok := t.places[sem.ID(id)]
		if !ok {
			continue
		}
		if c.comp = 0; !slices.Contains(list, c) {
			list = append(list, c)
		}
		relative[c] = relative[c] || t.insts[id].Op == sem.OpReadX
	}
	return list, relative
}

// registerText returns the name of a register or of a component.
func (t *trial) registerText(c component3, comp bool) string {
	s := t.states[c.state]
	text := nameOf(&Register{Name: s.Name, Single: s.Single, Number: c.number})
	if comp && s.Components != nil {
		text += "." + s.Components[c.comp]
	}
	return text
}

// swaps returns the assumptions about whole operands.
func (c *checker) swaps(r *result, t *trial) (list []swap) {
	read, relative := operands(t)
	is := func(c, from component3) bool { return c.state == from.state && c.number == from.number }
	for _, from := range read {
		for i := range r.v.Initial.Registers {
			x := &r.v.Initial.Registers[i]
			to := component3{c.m.State(x.Name).Index, x.Number, 0}
			if to == from || t.states[to.state].Type != t.states[from.state].Type {
				continue
			}
			s := swap{cause: CauseBank, text: "an operand is read from another register", note: fmt.Sprintf("%s was read instead of %s", t.registerText(to, false), t.registerText(from, false))}
			if relative[from] && to.state == from.state {
				s.cause, s.text = CauseAddress, "a relative operand is read from another register"
			}
			s.other = func(c component3) component3 {
				if is(c, from) {
					c.state, c.number = to.state, to.number
				}
				return c
			}
			list = append(list, s)
		}
		n := t.states[from.state].Type.Lanes
		if n < 2 || n > 4 {
			continue
		}
		for _, order := range permutations(n) {
			text := ""
			for _, k := range order {
				text += t.states[from.state].Components[k]
			}
			list = append(list, swap{
				cause: CauseComponents, text: "the components of an operand are in another order (swizzle)", note: fmt.Sprintf("%s was read as %s.%s", t.registerText(from, false), t.registerText(from, false), text),
				other: func(c component3) component3 {
					if is(c, from) {
						c.comp = order[c.comp]
					}
					return c
				},
			})
		}
	}
	return list
}

// permutations returns the orders of n components, except that in which they stand.
func permutations(n int) (list [][]int) {
	var order []int
	var fill func()
	fill = func() {
		if len(order) == n {
			if !slices.IsSorted(order) {
				list = append(list, slices.Clone(order))
			}
			return
		}
		for k := range n {
			if !slices.Contains(order, k) {
				order = append(order, k)
				fill()
				order = order[:len(order)-1]
			}
		}
	}
	fill()
	return list
}

// singles returns the assumptions that one component of an operand was read as another.
func (c *checker) singles(_ *result, t *trial) (list []swap) {
	read, _ := operands(t)
	for _, from := range read {
		for a := range t.states[from.state].Type.Lanes {
			for b := range t.states[from.state].Type.Lanes {
				if a == b {
					continue
				}
				x, y := from, from
				x.comp, y.comp = a, b
				list = append(list, swap{note: fmt.Sprintf("%s was read instead of %s", t.registerText(y, true), t.registerText(x, true)), other: func(c component3) component3 {
					if c == x {
						return y
					}
					return c
				}})
			}
		}
	}
	return list
}

// describe puts the differences that no theory explains into groups, by their values.
func (c *checker) describe(r *result) {
	if r.calls {
		c.describeCalls(r)
	}
	var memory []int
	for _, i := range r.diffs {
		if !r.left[i] {
			continue
		}
		switch p := r.spots[i]; {
		case r.missing[i]:
			c.add(r, CauseMissing, "the result does not contain a part of the state that changes", "", i)
		case p.kind == counterSpot:
			c.counter(r, i)
		case p.kind == depthSpot:
			text := "a stack has too few entries"
			if r.got[i] > r.want[i] {
				text = "a stack has too many entries"
			}
			c.add(r, CauseStack, text, "", i)
		case p.kind == slotSpot:
			c.add(r, CauseStack, "an entry of a stack has another value", "", i)
		case p.kind == byteSpot:
			memory = append(memory, i)
		default:
			c.register(r, i)
		}
	}
	if len(memory) > 0 {
		c.memory(r, memory)
	}
}

func (c *checker) describeCalls(r *result) {
	want, got := r.v.Calls, *r.answer.Calls
	text := "a host callback gets other arguments"
	switch {
	case len(got) < len(want):
		text = "a host callback is not called"
	case len(got) > len(want):
		text = "a host callback is called that should not be"
	}
	c.add(r, CauseCalls, text, fmt.Sprintf("%s, expected %s", callsText(got), callsText(want)))
}

func (c *checker) counter(r *result, i int) {
	text := "the program continues at another address"
	if t := r.trial(); t != nil && r.v.Steps == 1 {
		switch t.next {
		case r.got[i]:
			text = "a jump is not taken"
		case r.want[i]:
			text = "the program jumps where it should not"
		default:
			text = "a jump goes to another address"
		}
	}
	c.add(r, CauseCounter, text, "", i)
}

// siblings calls f with the other components of a register.
func (r *result) siblings(i int, f func(k int)) {
	for k, p := range r.spots {
		if q := r.spots[i]; k != i && p.kind == registerSpot && p.state == q.state && p.number == q.number && p.lane == q.lane {
			f(k)
		}
	}
}

// isFlags reports whether a state holds flags: it is a bool, or has few bits that are not a number.
func isFlags(s *exec.State) bool {
	return s.Type.Kind == isa.Bool || s.Type.Kind == isa.Unsigned && s.Type.Bits < 8
}

func (c *checker) register(r *result, i int) {
	p, want, got, initial := r.spots[i], r.want[i], r.got[i], r.initial[i]
	t := r.typeOf(i)
	if isFlags(p.state) {
		c.add(r, CauseFlags, "the flags in "+p.state.Name+" differ", "", i)
		return
	}
	if c.bytesOf(r, i, want, got) {
		return
	}
	stays, stayed := r.equal(i, want, initial), r.equal(i, got, initial)
	written := false // another component of the register is written
	order := false   // the value is that of another component
	r.siblings(i, func(k int) {
		written = written || !r.equal(k, r.want[k], r.initial[k])
		order = order || r.equal(i, r.want[k], got) && r.got[k] != r.want[k]
	})
	switch {
	case stays && written:
		c.add(r, CauseWriteMask, "a component outside the write mask is written", "", i)
	case stays && r.elsewhere(i, func(w *result, k int) bool { return w.want[k] == got && w.equal(k, w.got[k], w.initial[k]) }),
		stayed && r.elsewhere(i, func(w *result, k int) bool { return w.got[k] == want && w.equal(k, w.want[k], w.initial[k]) }):
		c.add(r, CauseBank, "the result is in another register", "", i)
	case stays:
		c.add(r, CauseWriteMask, "a register is written that should keep its value", "", i)
	case stayed && r.siblingsRight(i):
		c.add(r, CauseWriteMask, "a component that the write mask contains is not written", "", i)
	case stayed:
		c.add(r, CauseOldValue, "a register keeps its old value", "", i)
	case order:
		c.add(r, CauseComponents, "the components of a result are in another order", "", i)
	case t.Kind == isa.Float:
		c.float(r, i, t, want, got)
	default:
		c.integer(r, i, t, want, got)
	}
}

// siblingsRight reports whether another component of the register is written with the expected value.
func (r *result) siblingsRight(i int) (yes bool) {
	r.siblings(i, func(k int) {
		yes = yes || !r.equal(k, r.want[k], r.initial[k]) && r.equal(k, r.want[k], r.got[k])
	})
	return yes
}

// elsewhere reports whether something holds for the same component of another register that differs, in any file.
func (r *result) elsewhere(i int, is func(w *result, k int) bool) bool {
	w, p := r.whole, r.spots[i]
	return slices.ContainsFunc(w.diffs, func(k int) bool {
		q := w.spots[k]
		return q != p && q.kind == registerSpot && q.comp == p.comp && q.lane == p.lane && is(w, k)
	})
}

// bytesOf adds a value whose bytes are in reverse order.
func (c *checker) bytesOf(r *result, i int, want, got uint64) bool {
	w := r.typeOf(i).Bits
	if w < 16 || w%8 != 0 || bits.ReverseBytes64(want)>>(64-w) != got || want == got {
		return false
	}
	c.add(r, CauseByteOrder, "the bytes of a value are in reverse order", "", i)
	return true
}

// ordinal returns a number that counts the floats from the lowest one up.
func ordinal(v uint64, width int) int64 {
	if v>>(width-1) != 0 {
		return -int64(v &^ (1 << (width - 1)))
	}
	return int64(v)
}

// near is the largest number of units in the last place that counts as an imprecise result.
const near = 1 << 16

func (c *checker) float(r *result, i int, t isa.Type, want, got uint64) {
	w := t.Bits
	add := func(cause Cause, text string) { c.add(r, cause, text, "", i) }
	negated := want ^ 1<<(w-1)
	a, b := math.Abs(exec64(want, w)), math.Abs(exec64(got, w))
	_, fraction := fields(w)
	ulp := ordinal(got, w) - ordinal(want, w)
	far := ulp > near || ulp < -near
	switch {
	case isNaN(want, w) && isNaN(got, w):
		add(CauseNaNBits, "a NaN has other bits")
	case isNaN(want, w):
		add(CauseNaN, "a number instead of NaN")
	case isNaN(got, w):
		add(CauseNaN, "NaN instead of a number")
	case isZero(want, w) && isZero(got, w):
		add(CauseZeroSign, "a zero has the other sign")
	case isDenormal(want, w) && isZero(got, w):
		add(CauseDenormal, "a denormal result is 0")
	case isZero(want, w) && isDenormal(got, w):
		add(CauseDenormal, "a result is a denormal, expected 0")
	case isInf(want, w) && got&(1<<fraction-1) == 1<<fraction-1 && ordinal(got|1<<(w-1), w) == ordinal(want|1<<(w-1), w)+1:
		add(CauseOverflow, "the largest number instead of infinity")
	case isInf(got, w) && !isInf(want, w):
		add(CauseOverflow, "infinity instead of a number")
	case negated == got:
		add(CauseSign, "a result has the other sign")
	case a <= 1 && b > 1 && (want == 0 || a == 1):
		add(CauseClamp, "a result is not clamped")
	case ulp == 1 || ulp == -1:
		text := "a result is one unit in the last place too large in magnitude"
		if b < a {
			text = "a result is one unit in the last place too small in magnitude"
		}
		add(CauseRounding, text)
	case !far:
		size := 1
		for int64(size) < max(ulp, -ulp) {
			size *= 4
		}
		add(CausePrecision, fmt.Sprintf("a result differs by up to %d units in the last place", size))
	default:
		add(CauseAnotherValue, "a float has another value")
	}
}

func exec64(v uint64, width int) float64 { return sem.FloatOf(v, width) }

func (c *checker) integer(r *result, i int, t isa.Type, want, got uint64) {
	w := t.Bits
	add := func(cause Cause, text string) { c.add(r, cause, text, "", i) }
	mask := uint64(1)<<(w-1)<<1 - 1
	for _, half := range []int{8, 16, 24, 32} {
		low := uint64(1)<<half - 1
		if half >= w || want&low != got&low {
			continue
		}
		zeros, ones := uint64(0), mask&^low
		x, y := want&^low, got&^low
		switch {
		case x == ones && y == zeros:
			add(CauseExtension, "a value is extended with zeros instead of its sign")
			return
		case x == zeros && y == ones:
			add(CauseExtension, "a value is extended with its sign instead of zeros")
			return
		}
	}
	largest, smallest := mask>>1, mask>>1+1
	switch {
	case (want-got)&mask == 1 || (got-want)&mask == 1:
		add(CauseConversion, "an integer differs by 1")
	case (want+got)&mask == 0:
		add(CauseSign, "a result has the other sign")
	case want == largest || want == smallest || want == mask && w > 8:
		add(CauseClamp, "an integer is not clamped")
	default:
		add(CauseAnotherValue, "an integer has another value")
	}
}

// memory describes the bytes that differ.
func (c *checker) memory(r *result, list []int) {
	written, wanted, right := 0, 0, 0
	var want, got []byte
	for i, p := range r.spots {
		if p.kind != byteSpot {
			continue
		}
		w, g := r.want[i] != r.initial[i], r.got[i] != r.initial[i]
		if w {
			wanted++
			want = append(want, byte(r.want[i]))
		}
		if g {
			written++
			got = append(got, byte(r.got[i]))
		}
		if w && r.want[i] == r.got[i] {
			right++
		}
	}
	reversed := slices.Clone(got)
	slices.Reverse(reversed)
	text, cause := "a memory has another value", CauseMemory
	switch {
	case written == 0:
		text = "a store does not write"
	case wanted == 0:
		text = "a memory is written that should keep its value"
	case slices.Equal(reversed, want):
		text, cause = "the bytes of a value are in reverse order", CauseByteOrder
	case slices.Equal(got, want):
		text = "a store writes to another address"
	case right == wanted && written > wanted:
		text = "a store writes too many bytes"
	case right == written:
		text = "a store writes too few bytes"
	}
	c.add(r, cause, text, "", list...)
}
