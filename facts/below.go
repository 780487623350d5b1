package facts

import "slices"

// Below limits the listed entries of stacks to the newest ones, and records which entries can be below them. So the
// number of paths through a program is finite even if its stacks grow with each iteration of a loop. Below merges what
// can be below equal entries, even if they were pushed at different places. The result may contain paths that the
// program cannot take, but no path is missing.
type Below struct {
	most  int
	known map[string][]lower // by the key of the listed entries
	grew  bool
}

// lower is the entry directly below the listed entries. more is set if there are entries below it.
type lower struct {
	slot []number
	more bool
}

// NewBelow returns a Below that lists at most this number of entries, or all entries for 0.
func NewBelow(most int) *Below { return &Below{most: most, known: map[string][]lower{}} }

// Grew reports whether new entries were recorded since the last call of Grew. If so, After may return more stacks for
// the same arguments.
func (b *Below) Grew() bool {
	grew := b.grew
	b.grew = false
	return grew
}

// After returns the possible stacks after an instruction. before are the stacks before the instruction, and after are
// the stacks that Ways returned.
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

// listed returns the possible contents of a stack with the wanted number of listed entries.
func (b *Below) listed(before entries, after *entries) (can []entries) {
	if !after.more && len(after.slots) <= b.most {
		return []entries{*after}
	}
	b.lists(&before, after, func(e *entries) { can = append(can, b.cut(e)) })
	return can
}

// lists records the entry below each new run of entries after an instruction, and calls do for the possible stacks with
// enough listed entries. If too few entries are listed, lists adds the entries that can be below those of before. If
// enough are listed but one of the lowest is new, lists also does this, but only to record the runs that begin deeper.
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

// under returns entries with another entry below them.
func under(slot []number, slots [][]number) [][]number {
	return append([][]number{slot}, slots...)
}

// sameEntries reports whether two lists of entries are equal.
func sameEntries(a, b [][]number) bool {
	return slices.EqualFunc(a, b, func(x, y []number) bool { return slices.Equal(x, y) })
}

// cut returns a stack without the entries beyond the limit.
func (b *Below) cut(e *entries) entries {
	if n := len(e.slots) - b.most; n > 0 {
		return entries{e.state, e.slots[n:], true}
	}
	return *e
}

// note records an entry that can be below other entries.
func (b *Below) note(e *entries, x lower) {
	key := e.key()
	for _, y := range b.known[key] {
		if y.more == x.more && slices.Equal(y.slot, x.slot) {
			return
		}
	}
	b.known[key], b.grew = append(b.known[key], x), true
}
