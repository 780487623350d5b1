package facts

import "slices"

// Below follows stacks of which so many entries are listed at most, the newest, and remembers what lies below them. A
// program whose stacks grow with each turn of a loop goes so in ways that have an end. What lies below the same entries is
// taken together, from wherever these were pushed, so there may be ways among them that the program does not go, but none
// is missing.
type Below struct {
	most  int
	known map[string][]lower // by the key of the entries that are listed
	grew  bool
}

// lower is what lies right below the entries that are listed; more tells that there is something below it in turn.
type lower struct {
	slot []number
	more bool
}

// NewBelow returns a Below for stacks of which at most so many entries are listed, at least one; 0 lists all.
func NewBelow(most int) *Below { return &Below{most: most, known: map[string][]lower{}} }

// Grew reports whether more has become known since it was asked: ways that were followed may go on in more ways.
func (b *Below) Grew() bool {
	grew := b.grew
	b.grew = false
	return grew
}

// After returns what stacks can be behind an instruction that found them as before and left them as after.
func (b *Below) After(before, after Stacks) []Stacks {
	all := []Stacks{after}
	if b.most == 0 {
		return all
	}
	for i := range after.list {
		e := &after.list[i]
		can := b.listed(before.of(e.state), e)
		var product []Stacks
		for _, s := range all {
			for _, x := range can {
				product = append(product, s.with(x))
			}
		}
		all = product
	}
	return all
}

// listed returns what a stack can be with as many entries listed as there should be.
func (b *Below) listed(before entries, after *entries) []entries {
	if n := len(after.slots) - b.most; n > 0 {
		e := entries{after.state, after.slots[n:], true}
		b.note(&e, lower{after.slots[n-1], after.more || n > 1})
		return []entries{e}
	}
	if !after.more {
		return []entries{*after}
	}
	return b.filled(&before, after)
}

// filled returns what a stack can be of which less may be listed than before, from what lay below that.
func (b *Below) filled(before, after *entries) (can []entries) {
	if len(after.slots) == b.most {
		for _, x := range b.known[before.key()] {
			b.note(after, x)
		}
		return []entries{*after}
	}
	for _, x := range b.known[before.key()] {
		deeper := entries{before.state, slices.Insert(slices.Clone(before.slots[:len(before.slots)-1]), 0, x.slot), x.more}
		e := entries{after.state, slices.Insert(slices.Clone(after.slots), 0, x.slot), x.more}
		if !x.more {
			can = append(can, e)
		} else {
			can = append(can, b.filled(&deeper, &e)...)
		}
	}
	return can
}

// note remembers what lies below entries.
func (b *Below) note(e *entries, x lower) {
	key := e.key()
	for _, y := range b.known[key] {
		if y.more == x.more && slices.Equal(y.slot, x.slot) {
			return
		}
	}
	b.known[key], b.grew = append(b.known[key], x), true
}
