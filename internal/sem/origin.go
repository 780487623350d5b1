package sem

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Origin is the place in the description from which an operation comes.
type Origin struct {
	// Span is the statement or the condition. Function is the function around it, or nil outside of functions.
	Span     diag.Span
	Function *spec.Function
	// Place identifies the place: the span and the calls of functions that lead to it. Lowering another word of the same
	// instruction gives the same numbers.
	Place uint64
}

// Condition is a condition that code states: of an if, a choice, or one side of && and ||.
type Condition struct {
	Origin
	// Value is the condition, and Path is the condition under which the code asks it, or NoID if it always asks. If Value is
	// NoID, the word, the contexts and the quirks decide, and Holds is the result.
	Value, Path ID
	Holds       bool
}

// Origins are the places from which the operations of a Code come.
type Origins struct {
	// Insts has the origin of each operation.
	Insts []Origin
	// Conditions are the conditions in the order in which the code asks them. Those that no operation depends on are left
	// out.
	Conditions []Condition

	kept []Origin // while operations get new numbers
	// flip is the place of a condition that gets the other outcome, and flips is set if there is one.
	flip  uint64
	flips bool
}

// Traced is Lower with the origins of the operations. The code also has the operations that compute the paths of the
// conditions.
func (m *Machine) Traced(root *model.Root, w *Words, v bits.Value, addr uint64) (*Code, *Origins, error) {
	l := m.newLowerer(w)
	l.b.origins = &Origins{}
	o := l.b.origins
	code, err := l.lower(root, v, addr)
	return code, o, err
}

// Flipped is Lower, but the conditions at a place that the word, the contexts and the quirks decide have the other outcome.
func (m *Machine) Flipped(root *model.Root, w *Words, v bits.Value, addr, place uint64) (*Code, error) {
	l := m.newLowerer(w)
	l.b.origins = &Origins{flip: place, flips: true}
	return l.lower(root, v, addr)
}

// here is the origin of what is lowered now.
func (b *builder) here(at diag.Span) Origin {
	return Origin{Span: at, Function: b.function, Place: mixed(b.chain, uint64(at.Off))}
}

// mixed mixes two numbers.
func mixed(x, y uint64) uint64 {
	x = (x ^ y) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// condition records a condition, and returns it or its other outcome. value may be a constant.
func (l *lowerer) condition(value ID, at diag.Span) ID {
	b := l.b
	if b.origins == nil {
		return value
	}
	c := Condition{Origin: b.here(at), Value: value, Path: l.guardOf(l.path)}
	if v, ok := b.isConst(value); ok {
		c.Value, c.Holds = NoID, v != 0
		if b.origins.flips && b.origins.flip == c.Place {
			value = b.flag(v == 0)
		}
	}
	b.origins.Conditions = append(b.origins.Conditions, c)
	return value
}

// asks marks the paths of the conditions that are used as used, and drops the other conditions.
func (b *builder) asks(used []bool) {
	if b.origins == nil {
		return
	}
	kept := b.origins.Conditions[:0]
	for _, c := range b.origins.Conditions {
		if c.Value != NoID && !used[c.Value] {
			continue
		}
		if c.Value == NoID {
			c.Path = NoID
		}
		kept = append(kept, c)
		b.need(used, c.Path)
	}
	b.origins.Conditions = kept
}

// need marks an operation as used, and all on which it depends.
func (b *builder) need(used []bool, id ID) {
	if id == NoID || used[id] {
		return
	}
	used[id] = true
	b.insts[id].EachArg(func(a ID) { b.need(used, a) })
}

// keepOrigin keeps the origin of an operation, in the order in which operations get their new numbers.
func (b *builder) keepOrigin(id ID) {
	if b.origins != nil {
		b.origins.kept = append(b.origins.kept, b.origins.Insts[id])
	}
}

// renumbered gives the conditions the new numbers of their values.
func (b *builder) renumbered(move func(id *ID)) {
	if b.origins == nil {
		return
	}
	b.origins.Insts, b.origins.kept = b.origins.kept, nil
	for i := range b.origins.Conditions {
		c := &b.origins.Conditions[i]
		move(&c.Value)
		move(&c.Path)
	}
}
