package facts

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/isago/isago/internal/sem"
)

// maxKey limits the length of a key. Longer conditions are not compared. maxFlag limits the size in bits of the
// registers whose values have keys.
const (
	maxKey  = 1 << 11
	maxFlag = 8
)

func compareConditions(a, b Condition) int { return cmp.Compare(a.Key, b.Key) }

// maxAlternatives limits the alternatives of a path's conditions. A path with more gets one alternative without
// conditions.
const maxAlternatives = 16

// orAlso adds an alternative. If two alternatives differ only in whether one condition holds, they become one
// alternative without this condition.
func orAlso(list [][]Condition, c []Condition) [][]Condition {
	open := func(c []Condition) bool { return len(c) == 0 }
	if open(c) || slices.ContainsFunc(list, open) || len(list) == maxAlternatives {
		return [][]Condition{nil}
	}
	for i, other := range list {
		at, same := -1, len(c) == len(other)
		for k := 0; same && k < len(c); k++ {
			switch {
			case c[k].Key != other[k].Key || at >= 0 && c[k].Holds != other[k].Holds:
				same = false
			case c[k].Holds != other[k].Holds:
				at = k
			}
		}
		if same {
			if at >= 0 {
				c = slices.Delete(slices.Clone(c), at, at+1)
			}
			return orAlso(slices.Delete(slices.Clone(list), i, i+1), c)
		}
	}
	return append(list, c)
}

// condition returns the condition for the value of an operation. ok is false if the value depends on something that can
// change without a change of a part, such as a memory.
func (w *walk) condition(id sem.ID) (c Condition, ok bool) {
	c.Holds = true
	if in := w.at(id); in.Op == sem.OpNe {
		eq := *in
		eq.Op, c.Holds = sem.OpEq, false
		k := keyer{walk: w}
		k.operation(&eq)
		return k.named(c)
	}
	k := keyer{walk: w}
	k.value(id)
	return k.named(c)
}

// text returns the key of a value, or "" if it has none.
func (w *walk) text(id sem.ID) string {
	k := keyer{walk: w}
	k.value(id)
	if k.fails {
		return ""
	}
	return string(k.key)
}

// keyer builds the key of a condition.
type keyer struct {
	*walk
	key   []byte
	parts []Part
	fails bool
}

func (k *keyer) named(c Condition) (Condition, bool) {
	c.Key, c.Parts = string(k.key), k.parts
	return c, !k.fails
}

func (k *keyer) word(c byte, numbers ...uint64) {
	k.key = append(k.key, c)
	for _, n := range numbers {
		k.key = append(strconv.AppendUint(k.key, n, 16), ' ')
	}
	k.fails = k.fails || len(k.key) > maxKey
}

// value appends a value.
func (k *keyer) value(id sem.ID) {
	in := k.at(id)
	switch x := k.values[id]; {
	case k.fails:
	case x.known:
		k.word('#', x.v)
	case in.Op == sem.OpRead:
		k.read(id, in)
	case in.Op == sem.OpSplat:
		k.value(in.A)
	case in.Op.Pure():
		k.operation(in)
	default:
		k.fails = true
	}
}

// operation appends an operation on values.
func (k *keyer) operation(in *sem.Inst) {
	t, from := in.Type(), in.From()
	k.word('(', uint64(in.Op), uint64(t.Kind), uint64(t.Width), uint64(from.Kind), uint64(from.Width), in.Imm)
	for _, a := range [3]sem.ID{in.A, in.B, in.C} {
		if a != sem.NoID {
			k.value(a)
		}
	}
	k.word(')')
}

// read appends a register component: its value before the instruction, or the value that the instruction wrote.
func (k *keyer) read(id sem.ID, in *sem.Inst) {
	if last, ok := k.written[id]; ok {
		if k.fails = k.fails || last == sem.NoID; !k.fails {
			k.value(last)
		}
		return
	}
	if p, ok := k.part(in.State, int(in.Imm), in.Comp); ok {
		k.word('p', uint64(p))
		k.parts = union(k.parts, []Part{p})
		return
	}
	if s := in.State; s.ReadOnly || s.Use == "constant" || s.Use == "input" {
		k.word('s', uint64(s.Index), in.Imm, uint64(in.Comp))
		return
	}
	k.fails = true
}
