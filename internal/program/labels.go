package program

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/isago/isago/isa"
)

// Entry is a place at which a program can be started.
type Entry struct {
	// Addr is in bits from the start of the code.
	Addr int64
	Name string
	// Inner tells that it is a name alone: the program does not start there.
	Inner bool
	// Program is how a launch names the program of the file that starts there; "" where the file has one.
	Program string
}

// Labels are the names of places in a program: its entries, and what its branches go to. Memory is
// three bits for the shortest instruction.
type Labels struct {
	size, unit int64
	members    Members
	// starts are the places at which instructions start; only these have names.
	starts, calls, jumps bitset
	entries              []Entry // by address
	names                map[string]int64
}

// bitset is a set of places, counted in units.
type bitset []uint64

func (s bitset) add(i int64)      { atomic.OrUint64(&s[i>>6], 1<<uint(i&63)) }
func (s bitset) has(i int64) bool { return i>>6 < int64(len(s)) && s[i>>6]>>uint(i&63)&1 != 0 }

// NewLabels returns the labels of an image of size bits whose instructions start at multiples of
// unit bits. An entry at an address outside the code has no place.
func NewLabels(size, unit int64, entries []Entry) *Labels {
	n := (size+unit-1)/unit/64 + 1
	l := EntryLabels(size, unit, entries)
	l.starts, l.calls, l.jumps = make(bitset, n), make(bitset, n), make(bitset, n)
	return l
}

// EntryLabels returns labels of an image that names nothing but its entries. Nothing can be added.
func EntryLabels(size, unit int64, entries []Entry) *Labels {
	l := &Labels{size: size, unit: unit, names: map[string]int64{}}
	for _, e := range entries {
		if l.inside(e.Addr) {
			l.entries = append(l.entries, e)
		}
	}
	slices.SortFunc(l.entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.Name, b.Name))
	})
	for _, e := range l.entries {
		if _, ok := l.names[e.Name]; !ok {
			l.names[e.Name] = e.Addr
		}
	}
	return l
}

// Split says of which programs the image consists: names count from the start of each. Without it, the image is one.
func (l *Labels) Split(members Members) { l.members = members }

// start returns where the program starts to which an address belongs.
func (l *Labels) start(addr int64) int64 {
	if l.members == nil {
		return 0
	}
	return l.members.At(addr).Start
}

// inside reports whether an instruction could start at an address.
func (l *Labels) inside(addr int64) bool { return addr >= 0 && addr < l.size && addr%l.unit == 0 }

// Add records that an instruction starts at an address, and where it branches to. Several goroutines
// may add at once.
func (l *Labels) Add(addr int64, targets []isa.BranchTarget) {
	l.starts.add(addr / l.unit)
	for _, t := range targets {
		switch {
		case !l.inside(t.Addr):
		case t.Call:
			l.calls.add(t.Addr / l.unit)
		default:
			l.jumps.add(t.Addr / l.unit)
		}
	}
}

// Name names a branch target: an entry's name where what is called is one, fxnN for what is called
// otherwise, lN for what is jumped to. N is the address in bytes from the start of the program, in hexadecimal. What is
// no start of an instruction has no name. All instructions must have been added.
func (l *Labels) Name(addr int64, call bool) (string, bool) {
	switch {
	case !l.inside(addr) || !l.starts.has(addr/l.unit):
		return "", false
	case !call:
		return l.made("l", addr), l.jumps.has(addr / l.unit)
	}
	if at := l.entriesAt(addr); len(at) > 0 {
		return at[0].Name, true
	}
	return l.made("fxn", addr), l.calls.has(addr / l.unit)
}

// made returns the name of a place without entry, which no entry has elsewhere.
func (l *Labels) made(prefix string, addr int64) string {
	name := prefix + strconv.FormatInt((addr-l.start(addr))/8, 16)
	for at, taken := l.names[name]; taken && at != addr; at, taken = l.names[name] {
		name += "_"
	}
	return name
}

// entriesAt returns the entries at an address.
func (l *Labels) entriesAt(addr int64) []Entry {
	from, _ := slices.BinarySearchFunc(l.entries, addr, func(e Entry, addr int64) int { return cmp.Compare(e.Addr, addr) })
	to := from
	for to < len(l.entries) && l.entries[to].Addr == addr {
		to++
	}
	return l.entries[from:to]
}

// At lists the names of a place in the order in which a listing shows them, and whether a new
// function starts there.
func (l *Labels) At(addr int64) (names []string, function bool) {
	if !l.inside(addr) {
		return nil, false
	}
	for _, e := range l.entriesAt(addr) {
		if !slices.Contains(names, e.Name) {
			names, function = append(names, e.Name), true
		}
	}
	if l.calls.has(addr / l.unit) {
		if !function {
			names = append(names, l.made("fxn", addr))
		}
		function = true
	}
	if l.jumps.has(addr / l.unit) {
		if name := l.made("l", addr); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, function
}

// Address returns the address of a label that Name or At gives, in an image that is one program.
func (l *Labels) Address(name string) (addr int64, ok bool) { return l.AddressFrom(0, name) }

// AddressFrom is Address for a label of the program to which the address from belongs.
func (l *Labels) AddressFrom(from int64, name string) (addr int64, ok bool) {
	if addr, ok := l.names[name]; ok {
		return addr, true
	}
	digits, ok := strings.CutPrefix(name, "fxn")
	if !ok {
		digits, ok = strings.CutPrefix(name, "l")
	}
	n, err := strconv.ParseInt(strings.TrimRight(digits, "_"), 16, 64)
	if !ok || err != nil || n < 0 || n > l.size/8 {
		return 0, false
	}
	addr = l.start(from) + 8*n
	names, _ := l.At(addr)
	return addr, slices.Contains(names, name)
}
