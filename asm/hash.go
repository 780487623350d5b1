package asm

import "math/bits"

// hashTable finds what is kept by a hash. Values that share one are told apart by whoever looks for them.
type hashTable[T any] struct {
	slots []hashSlot[T]
	used  int
}

type hashSlot[T any] struct {
	hash  uint64
	value *T
}

// Limits of a table: the slots that it has at first, and how many are looked at for one hash.
const (
	minSlots  = 1 << 8
	maxProbes = 16
)

// probes returns how many slots can have a hash.
func (t *hashTable[T]) probes() int { return min(maxProbes, len(t.slots)) }

// slot returns one of the slots that can have a hash; those behind an empty one have not.
func (t *hashTable[T]) slot(hash uint64, i int) *hashSlot[T] {
	return &t.slots[(hash+uint64(i))&uint64(len(t.slots)-1)]
}

// add puts a value in, which grows the table up to so many slots; then all others are forgotten.
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
	*t.slot(hash, int(hash>>60)) = hashSlot[T]{hash, v} // in place of another
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

// arena makes room for many small lists at a time.
type arena[T any] struct{ room []T }

// Limits of the room that is made at a time, in elements.
const (
	minRoom = 8
	maxRoom = 1 << 10
)

// keep returns a copy of a list, nil for an empty one.
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

// mix returns a hash of a hash and what comes next.
func mix(h, x uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xa0761d6478bd642f)
	return high ^ low
}
