package asm

import "math/bits"

// hashTable finds values by their hashes, with linear probing. Different values may have equal hashes, so callers must
// compare the values.
type hashTable[T any] struct {
	slots []hashSlot[T]
	used  int
}

// hashSlot is a slot of a hashTable. The slot is empty if value is nil.
type hashSlot[T any] struct {
	hash  uint64
	value *T
}

// Limits of a table: its initial number of slots, and the number of slots that are searched for one hash.
const (
	minSlots  = 1 << 8
	maxProbes = 16
)

// probes returns the number of slots that may have a hash.
func (t *hashTable[T]) probes() int { return min(maxProbes, len(t.slots)) }

// slot returns the i-th slot that may have a hash. Slots after an empty slot cannot have the hash.
func (t *hashTable[T]) slot(hash uint64, i int) *hashSlot[T] {
	return &t.slots[(hash+uint64(i))&uint64(len(t.slots)-1)]
}

// add adds a value. The table grows up to most slots. If it already has most slots and half of them are occupied, add
// first empties it.
func (t *hashTable[T]) add(hash uint64, v *T, most int) {
	if 2*t.used >= len(t.slots) {
		t.grow(most)
	}
	for i := range t.probes() {
		if s := t.slot(hash, i); s.value == nil {
			*s = hashSlot[T]{hash, v}
			t.used++
			return
		}
	}
	*t.slot(hash, int(hash>>60)) = hashSlot[T]{hash, v} // replaces another value
}

func (t *hashTable[T]) grow(most int) {
	old := t.slots
	t.used = 0
	if len(old) == most {
		clear(old)
		return
	}
	t.slots = make([]hashSlot[T], max(minSlots, 2*len(old)))
	for _, s := range old {
		if s.value != nil {
			t.add(s.hash, s.value, most)
		}
	}
}

// arena allocates small slices from larger blocks.
type arena[T any] struct{ room []T }

// Limits of the size of a block, in elements. A longer list gets a block of its own size.
const (
	minRoom = 8
	maxRoom = 1 << 10
)

// keep returns a copy of a list, or nil for an empty list.
func (a *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if cap(a.room)-len(a.room) < len(list) {
		a.room = make([]T, 0, max(len(list), minRoom, min(2*cap(a.room), maxRoom)))
	}
	from := len(a.room)
	a.room = append(a.room, list...)
	return a.room[from:len(a.room):len(a.room)]
}

// mix combines a hash with the next value.
func mix(h, x uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xa0761d6478bd642f)
	return high ^ low
}
