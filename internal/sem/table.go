package sem

import mathbits "math/bits"

// table finds operations among those that are there: one that does the same with the same values has the same value.
// Slots hold numbers of operations plus one; 0 is free, and what was dropped leaves a mark.
type table struct {
	slots []ID
	used  int // slots that are not free
}

const (
	dropped   ID = -1
	leastRoom    = 1 << 10
	mostKept     = 1 << 13 // slots of a table that serves again
)

func newTable() table { return table{slots: make([]ID, leastRoom)} }

// reset drops everything.
func (t *table) reset() {
	if t.used = 0; len(t.slots) > mostKept {
		*t = newTable()
	}
	clear(t.slots)
}

// hash spreads what find compares, but for the state.
func (in *Inst) hash() uint64 {
	kinds := uint64(in.Op) | uint64(in.typ)<<8 | uint64(in.from)<<24
	high, low := mathbits.Mul64(kinds^(uint64(uint32(in.A))<<40|uint64(uint32(in.B))), 0x9e3779b97f4a7c15)
	h := high ^ low ^ uint64(uint32(in.C))<<20 ^ in.Imm
	high, low = mathbits.Mul64(h, 0xd6e8feb86659fd93)
	return high ^ low
}

// alike reports whether two operations do the same with the same values.
func (in *Inst) alike(x *Inst) bool {
	return in.Op == x.Op && in.A == x.A && in.B == x.B && in.C == x.C && in.Imm == x.Imm && in.Comp == x.Comp && in.State == x.State &&
		in.typ == x.typ && in.from == x.from
}

// find returns the slot of an operation that is alike, or a free one.
func (t *table) find(insts []Inst, in *Inst) *ID {
	mask := len(t.slots) - 1
	for i := int(in.hash()); ; i++ {
		slot := &t.slots[i&mask]
		if *slot == 0 || *slot != dropped && in.alike(&insts[*slot-1]) {
			return slot
		}
	}
}

// put takes an operation into the slot that find has returned for it.
func (t *table) put(slot *ID, insts []Inst, id ID) {
	*slot = id + 1
	if t.used++; 2*t.used < len(t.slots) {
		return
	}
	old := t.slots
	*t = table{slots: make([]ID, 2*len(old))}
	for _, s := range old {
		if s > 0 {
			*t.find(insts, &insts[s-1]) = s
			t.used++
		}
	}
}

// drop forgets an operation.
func (t *table) drop(insts []Inst, id ID) {
	mask := len(t.slots) - 1
	for i := int(insts[id].hash()); ; i++ {
		switch slot := &t.slots[i&mask]; *slot {
		case 0:
			return
		case id + 1:
			*slot = dropped
			return
		}
	}
}
