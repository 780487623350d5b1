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
func (b *Below) listed(before entries, after *entries) (can []entries) {
	if !after.more && len(after.slots) <= b.most {
		return []entries{*after}
	}
	b.lists(&before, after, func(e *entries) { can = append(can, b.cut(e)) })
	return can
}

// lists notes what lies below each run of entries that is new behind an instruction, and calls do with the stack, of which
// enough entries are listed. Where fewer are, what lay below those of before is put under them; so it is where an entry
// among the lowest is new, for the runs that begin deeper.
func (b *Below) lists(before, after *entries, do func(*entries)) {
	for i := 1; i+b.most <= len(after.slots); i++ {
		b.note(&entries{after.state, after.slots[i : i+b.most], true}, lower{after.slots[i-1], after.more || i > 1})
	}
	enough := !after.more || len(after.slots) >= b.most
	if enough {
		do(after)
	}
	if !after.more || len(before.slots) == 0 || enough && sameEntries(before.slots, after.slots[:b.most]) {
		return
	}
	if enough {
		do = func(*entries) {}
	}
	for _, x := range b.known[before.key()] {
		lowest := entries{before.state, under(x.slot, before.slots[:len(before.slots)-1]), x.more}
		deeper := entries{after.state, under(x.slot, after.slots), x.more}
		b.lists(&lowest, &deeper, do)
	}
}

// under returns entries with one more below them.
func under(slot []number, slots [][]number) [][]number {
	return append([][]number{slot}, slots...)
}

// sameEntries reports whether two lists of entries are alike.
func sameEntries(a, b [][]number) bool {
	return slices.EqualFunc(a, b, func(x, y []number) bool { return slices.Equal(x, y) })
}

// cut returns a stack of which no more entries are listed than there should be.
func (b *Below) cut(e *entries) entries {
	if n := len(e.slots) - b.most; n > 0 {
		return entries{e.state, e.slots[n:], true}
	}
	return *e
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
