package exec

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Area is an accessible part of a memory: the bytes from From up to, but not including, To.
type Area struct {
	From, To uint64
	Name     string
}

// Access is an operation of some lanes on a memory.
type Access struct {
	State *State
	Store bool
	// Atomic is set if the instruction is atomic, or takes a lock.
	Atomic bool
	// Size is the number of bytes. Lanes is the mask of the lanes that access the memory.
	Size  uint64
	Lanes uint64
	// Addr returns the address that a lane accesses.
	Addr func(lane int) uint64
}

// room is a range of addresses that are known to be accessible, from low to high.
type room struct{ low, high uint64 }

// none is an empty range.
var none = room{1, 0}

// room returns the accessible range that contains an access. ok is false if the access is outside the memory.
func (st *store) room(addr, size uint64) (r room, ok bool) {
	area := Area{To: uint64(st.size)}
	if st.areas != nil {
		i := sort.Search(len(st.areas), func(i int) bool { return st.areas[i].To > addr })
		if i == len(st.areas) {
			return none, false
		}
		area = st.areas[i]
	}
	if addr < area.From || area.To-area.From < size || addr > area.To-size {
		return none, false
	}
	return room{area.From, area.To - size}, true
}

// data returns the bytes of a memory. If each lane has its own memory, it returns the bytes of one lane.
func (st *store) data(lane int) []byte {
	if st.bytes == nil {
		n := st.size
		if st.state.Scope == spec.ScopeLane {
			n *= Lanes
		}
		st.bytes = make([]byte, n)
	}
	if st.state.Scope == spec.ScopeLane {
		return st.bytes[lane*st.size : (lane+1)*st.size]
	}
	return st.bytes
}

// where describes an inaccessible address: the area before it, or the size of the memory.
func (st *store) where(addr, size uint64) string {
	text := fmt.Sprintf("%d bytes at %#x", size, addr)
	if size == 1 {
		text = fmt.Sprintf("a byte at %#x", addr)
	}
	if st.areas == nil {
		return fmt.Sprintf("%s of %#x", text, st.size)
	}
	for i := len(st.areas) - 1; i >= 0; i-- {
		if a := &st.areas[i]; addr >= a.From && a.Name != "" {
			return fmt.Sprintf("%s, %d bytes after the start of %s, which has %d bytes", text, addr-a.From, a.Name, a.To-a.From)
		}
	}
	return text
}

// outside stops a lane that accesses an address outside the memory, if that is a trap.
func (w *Wave) outside(st *store, lane int, addr, size uint64) {
	if st.state.Outside != sem.OutsideTrap {
		return
	}
	w.stopWith(1<<uint(lane), "trap", "access outside of "+st.state.Name, func() string { return st.where(addr, size) })
}

func isAtomic(in sem.Inst) bool { return in.Op == sem.OpAtomic }

func (c *compiler) memory(id sem.ID, in *sem.Inst, st *store, g guard) {
	a, size := c.locs[in.A], in.Imm
	acc := Access{State: st.public, Store: in.Op == sem.OpStore, Atomic: slices.ContainsFunc(c.code.Insts, isAtomic), Size: size, Addr: a.lane}
	watch := func(w *Wave, m uint64) {
		if w.Watch != nil && m != 0 {
			acc.Lanes = m
			w.Watch(w, &acc)
		}
	}
	if in.Op == sem.OpStore {
		c.store(in, st, g, watch)
		return
	}
	d := c.place(id)
	if d.scalar != nil {
		r := none
		c.add(func(w *Wave) {
			if c.reads(w, g) == 0 {
				return
			}
			asks := g.of(w)
			watch(w, asks)
			addr, ok := *a.scalar, true
			if addr < r.low || addr > r.high {
				r, ok = st.room(addr, size)
			}
			if *d.scalar = 0; ok {
				*d.scalar = fetchBytes(st.data(0)[addr:], size)
			} else {
				each(asks, func(lane int) { w.outside(st, lane, addr, size) })
			}
		})
		return
	}
	r := none
	c.add(func(w *Wave) {
		asks, m := g.of(w), c.reads(w, g)
		if m == 0 {
			return
		}
		watch(w, asks)
		data := st.data(0)
		if a.plane != nil && size == 4 && st.state.Scope != spec.ScopeLane {
			m = words(data, r, a.plane, d.plane, m)
		}
		for ; m != 0; m &= m - 1 {
			lane := trailing(m)
			addr, ok := a.lane(lane), true
			if addr < r.low || addr > r.high {
				r, ok = st.room(addr, size)
			}
			switch {
			case !ok:
				if d.plane[lane] = 0; asks>>lane&1 != 0 {
					w.outside(st, lane, addr, size)
				}
			case st.state.Scope == spec.ScopeLane:
				d.plane[lane] = fetchBytes(st.data(lane)[addr:], size)
				if st.known != nil && asks>>lane&1 != 0 {
					w.noteLoad(st, addr, size, lane)
				}
			default:
				d.plane[lane] = fetchBytes(data[addr:], size)
			}
		}
	})
}

// words loads words of 32 bits from addresses in a range. It stops at the first lane whose address is not in the range,
// and returns this lane and all later ones.
func words(data []byte, r room, addr, to *plane, lanes uint64) (left uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := trailing(lanes) % Lanes
		at := addr[lane]
		if at < r.low || at > r.high {
			break
		}
		to[lane] = uint64(binary.LittleEndian.Uint32(data[at:]))
	}
	return lanes
}

func (c *compiler) store(in *sem.Inst, st *store, g guard, watch func(w *Wave, m uint64)) {
	a, v, size := c.locs[in.A], c.locs[in.B], in.Imm
	r := none
	c.add(func(w *Wave) {
		m := g.of(w)
		if m == 0 {
			return
		}
		watch(w, m)
		data := st.data(0)
		for ; m != 0; m &= m - 1 {
			lane := trailing(m)
			addr, ok := a.lane(lane), true
			if addr < r.low || addr > r.high {
				r, ok = st.room(addr, size)
			}
			switch {
			case !ok:
				w.outside(st, lane, addr, size)
			case st.state.Scope == spec.ScopeLane:
				putBytes(st.data(lane)[addr:], size, v.lane(lane))
				st.note(addr, size, lane)
			default:
				putBytes(data[addr:], size, v.lane(lane))
			}
		}
	})
}

// fetchBytes reads a little-endian number.
func fetchBytes(data []byte, size uint64) uint64 {
	switch size {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

// putBytes writes a little-endian number.
func putBytes(data []byte, size, v uint64) {
	switch size {
	case 1:
		data[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(v))
	default:
		binary.LittleEndian.PutUint64(data, v)
	}
}

// region compiles an atomic region. Lanes run its operations one after another, or together if they access different
// addresses.
func (c *compiler) region(id sem.ID, in *sem.Inst) {
	g, end := c.guardOf(in.Guard), int(in.Imm)
	outer := c.steps
	c.steps, c.atomic = nil, true
	c.block(int(id)+1, end)
	inner := c.steps
	c.steps, c.atomic = outer, false
	outs := c.outs(int(id)+1, end)
	for i := int(id) + 1; i < end; i++ {
		c.release(i)
	}
	meet := c.meeting(int(id)+1, end)
	c.add(func(w *Wave) {
		all := w.active
		if w.Lock != nil {
			w.Lock.Lock()
			defer w.Lock.Unlock()
		}
		for left := g.of(w); left != 0; {
			w.active = meet(left)
			left &^= w.active
			run(w, inner)
			for _, o := range outs {
				o.take(w.active)
			}
		}
		w.active = all
	})
}

// out is a value of an atomic region that is used after the region. Each turn sets the values of its lanes.
type out struct{ from, to loc }

func (o out) take(lanes uint64) {
	if o.to.mask != nil {
		*o.to.mask = *o.to.mask&^lanes | *o.from.mask&lanes
		return
	}
	each(lanes, func(lane int) { o.to.plane[lane] = o.from.plane[lane] })
}

func (c *compiler) outs(from, to int) []out {
	var list []out
	for i := from; i < to; i++ {
		if c.uniform[i] || c.last[i] < to || c.locs[i] == (loc{}) {
			continue
		}
		o := out{from: c.locs[i]}
		if o.from.mask != nil {
			o.to.mask = new(uint64)
		} else {
			o.to.plane = new(plane)
		}
		c.locs[i] = o.to
		list = append(list, o)
	}
	return list
}

// meeting returns the function that chooses the lanes of a turn: the lowest lane, and the later lanes that access other
// addresses. If a lane's address is not known before the region, each turn has one lane.
func (c *compiler) meeting(from, to int) func(left uint64) uint64 {
	alone := func(left uint64) uint64 { return left & -left }
	addr, size := sem.NoID, uint64(0)
	for i := from; i < to; i++ {
		in := &c.code.Insts[i]
		if in.Op != sem.OpLoad && in.Op != sem.OpStore {
			continue
		}
		if int(in.A) >= from || addr != sem.NoID && in.A != addr || c.locs[in.A].plane == nil {
			return alone
		}
		addr, size = in.A, max(size, in.Imm)
	}
	if addr == sem.NoID {
		return alone
	}
	a := c.locs[addr].plane
	const slots = 256
	var stamps [slots]uint32
	turn := uint32(0)
	return func(left uint64) uint64 {
		if turn == math.MaxUint32 {
			turn, stamps = 0, [slots]uint32{}
		}
		turn++
		var take uint64
		for ; left != 0; left &= left - 1 {
			lane := trailing(left)
			at := a[lane]
			if at%size != 0 {
				if take == 0 {
					return 1 << uint(lane)
				}
				continue
			}
			if s := &stamps[at/size%slots]; *s != turn {
				*s = turn
				take |= 1 << uint(lane)
			}
		}
		return take
	}
}
