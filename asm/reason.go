package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file explains why no word has a text. Either no bits produce a computed value that the text specifies, or no
// instruction allows certain pieces of the text together.

// failConstraint records that no word satisfies a constraint.
func (f *failure) failConstraint(c *constraint, end int) {
	switch {
	case f == nil:
	case f.msg != "" && end <= f.msgEnd: // a reason is already recorded; this only adds a candidate
		f.failAt(diag.TextCondition, end, end, "")
	case c.kind == wantValue || c.kind == wantRange || c.ref != nil:
		f.failValue(c, end)
	default:
		f.failAt(diag.TextCondition, end, end, "%s%s", f.apart(c), f.mentioned(c.prog.Spec))
	}
}

// failValue records that no word has the computed value that the text specifies.
func (f *failure) failValue(c *constraint, end int) {
	here := c.text
	text := f.valueText(c.ref, shownValue(c.ref, c.value))
	if here.pos < here.end {
		text = string(f.m.raw[here.pos:here.end])
	}
	msg := fmt.Sprintf("%s does not fit %s", text, c.ref.Name())
	if legal, ok := f.legal(c); ok {
		msg = fmt.Sprintf("%s as %s conflicts with the rest of the text", text, c.ref.Name())
	} else if legal != "" {
		msg += ", expected " + legal
	}
	if f := c.ref.Field; f != nil && f.Doc != "" {
		msg += " (" + sentence(f.Doc) + ")"
	}
	f.failAt(diag.TextRange, here.pos, end, "%s", msg)
}

// maxLegal limits the number of bits for which a message tries every combination.
const maxLegal = 12

// legal describes the values that an expression can have with the rest of the text. If there are many, it may describe
// only their bounds and the value that is nearest to the required value. ok is true if the required value is one of
// them, or if the rest of the text allows no value.
func (f *failure) legal(c *constraint) (list string, ok bool) {
	free := slices.Clone(f.m.freeBits(c))
	if len(free) > maxLegal {
		return f.bounds(c), false
	}
	var values []int64
	mark := len(f.m.trail)
	for i := range 1 << len(free) {
		for n, b := range free {
			f.m.setBit(b, uint64(i>>n)&1)
		}
		if v, known := f.m.eval(c.prog.Root, c.scope); known && f.othersHold(c) {
			values = append(values, shownValue(c.ref, v&c.mask))
		}
		f.m.undo(mark)
	}
	slices.Sort(values)
	want := shownValue(c.ref, c.value)
	return f.among(c.ref, slices.Compact(values), want), len(values) == 0 || slices.Contains(values, want)
}

// othersHold reports whether the known bits violate no constraint other than c.
func (f *failure) othersHold(c *constraint) bool {
	for i := range f.m.cons {
		if x := &f.m.cons[i]; x != c && x.kind != wantNested && f.m.inspect(x) == broken {
			return false
		}
	}
	return true
}

// shownValue converts the value of a field to the number that prints for it.
func shownValue(ref *model.Ref, v uint64) int64 {
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return model.SignExtend(v, ref.Width)
	case spec.KindBool, spec.KindBoolInv:
		if ref.Field != nil && ref.Field.Display != nil {
			return int64(truthBit(v != 0))
		}
	}
	return int64(v)
}

// valueText returns the printed text of a value.
func (f *failure) valueText(ref *model.Ref, v int64) string {
	s := string(model.AppendScalar(nil, ref, uint64(v), inside.Machine(f.m.set).ISA.Strict))
	switch {
	case ref.Kind == spec.KindHex:
		return "0x" + s
	case s == "":
		return "nothing"
	}
	return s
}

// among describes a sorted list of values for an error message. If the list is long, it may describe only the bounds
// and the value that is nearest to want.
func (f *failure) among(ref *model.Ref, values []int64, want int64) string {
	text := func(v int64) string { return f.valueText(ref, v) }
	const most = 6
	n := len(values)
	switch {
	case n == 0:
		return ""
	case n <= most || ref.Kind == spec.KindFloat || ref.Kind == spec.KindEnum:
		words := make([]string, 0, n)
		for _, v := range values {
			words = append(words, text(v))
		}
		words = slices.Compact(words) // different floats may print the same text
		if len(words) > most {
			return oneOf(words, most)
		}
		return alternatives(words)
	}
	step := values[1] - values[0]
	even := !slices.ContainsFunc(values[1:], func(v int64) bool { // each differs from the one before by step
		i, _ := slices.BinarySearch(values, v)
		return v-values[i-1] != step
	})
	if even {
		return stepped(text, values[0], values[n-1], step, want)
	}
	i, _ := slices.BinarySearch(values, want)
	near, above := values[max(i-1, 0)], values[min(i, n-1)]
	if uint64(above-want) < uint64(want-near) {
		near = above
	}
	return fmt.Sprintf("one of %d values from %s to %s, the nearest is %s", n, text(values[0]), text(values[n-1]), text(near))
}

// stepped describes the numbers from low to high at intervals of step. If step is greater than 1, it also names the
// number that is nearest to want.
func stepped(text func(int64) string, low, high, step, want int64) string {
	span := text(low) + " to " + text(high)
	if step == 1 {
		return span
	}
	up := (min(max(want, low), high) - low + (step-1)/2) / step
	return fmt.Sprintf("%s in steps of %d, the nearest is %s", span, step, text(low+up*step))
}

// bounds is like legal, but for more than maxLegal bits. It describes only the bounds and a step. The step is the value
// of the lowest bit that varies.
func (f *failure) bounds(c *constraint) string {
	t := f.m.ternary(c.prog.Root, c.scope).and(exactly(c.mask))
	step := int64(t.open & -t.open)
	low, high := int64(t.val), int64(t.max())
	if a := shownValue(c.ref, t.max()); a < 0 {
		sign := uint64(1) << (min(max(c.ref.Width, 1), 64) - 1)
		low, high = shownValue(c.ref, t.val|sign), int64(t.max()&^sign)
	}
	if step < 1 || low > high {
		return ""
	}
	format := "%d"
	if c.ref.Kind == spec.KindHex {
		format = "%#x"
	}
	text := func(v int64) string { return fmt.Sprintf(format, v) }
	return stepped(text, low, high, step, shownValue(c.ref, c.value))
}

// apart quotes the pieces of the text that contradict a condition.
func (f *failure) apart(c *constraint) string {
	var pieces []string
	var last int
	for _, i := range f.sources(c) {
		o := f.origins[i]
		text := fmt.Sprintf("%q at column %d", f.m.raw[o.pos:o.end], original(f.body, o.pos)+1)
		if !slices.Contains(pieces, text) {
			pieces = append(pieces, text)
			last = i
		}
	}
	switch len(pieces) {
	case 0:
		return "no instruction has this text"
	case 1:
		return pieces[0] + " conflicts with the rest of the text" + f.instead(c, last)
	}
	return strings.Join(pieces[:len(pieces)-1], ", ") + " and " + pieces[len(pieces)-1] + " conflict"
}

// sources finds the trail entries with bits that a constraint reads and that text has set. It returns their indices,
// sorted by the position of the text.
func (f *failure) sources(c *constraint) (list []int) {
	var read []freeBit
	f.m.supposing(bits.Value{}, func() { read = f.m.freeBits(c) })
	for i := range min(len(f.m.trail), len(f.origins)) {
		u, o := &f.m.trail[i], f.origins[i]
		if o.pos < o.end && o.end <= len(f.m.raw) && slices.ContainsFunc(read, func(b freeBit) bool {
			return u.has(b)
		}) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return f.origins[a].pos - f.origins[b].pos })
	return list
}

// instead describes the numbers that would satisfy a constraint if they replaced the number that set a trail entry. It
// returns "" if the text of the entry is not a number.
func (f *failure) instead(c *constraint, entry int) string {
	u, low, width := &f.m.trail[entry], f.origins[entry].low, f.origins[entry].width
	s := &f.m.spaces[u.space]
	was := s.val.Uint(low, width)
	if width > maxLegal || u.set != ones(width)<<uint(low&63) {
		return ""
	}
	var values []int64
	for v := range uint64(1) << width {
		s.val.SetUint(low, width, v)
		t := f.m.ternary(c.prog.Root, c.scope).truth()
		if c.kind == wantFalse {
			t = t.not()
		}
		if t.max() != 0 {
			values = append(values, int64(v))
		}
	}
	s.val.SetUint(low, width, was)
	if len(values) == 0 {
		return ""
	}
	return ", expected " + f.among(&model.Ref{Kind: spec.KindUint, Width: width}, values, int64(was))
}
