package program

import (
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/isa"
)

// Entry is a place at which a program can be started.
type Entry struct {
	// Addr is in bits from the start of the code.
	Addr int64
	Name string
}

// Labels are the names of places in a program: its entries, and what its branches go to.
type Labels struct {
	// Size is the length of the code in bits; targets outside are numbers.
	Size    int64
	calls   map[int64]bool
	jumps   map[int64]bool
	entries []Entry
	unit    int64
}

// NewLabels returns the labels of a program of size bits; names count in units of unit bits.
func NewLabels(size, unit int64, entries []Entry) *Labels {
	l := &Labels{Size: size, unit: unit, entries: slices.Clone(entries), calls: map[int64]bool{}, jumps: map[int64]bool{}}
	slices.SortFunc(l.entries, func(a, b Entry) int {
		if a.Addr != b.Addr {
			return int(a.Addr - b.Addr)
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return l
}

// Add records the targets of an instruction.
func (l *Labels) Add(targets []isa.BranchTarget) {
	for _, t := range targets {
		if t.Addr < 0 || t.Addr >= l.Size || t.Addr%l.unit != 0 {
			continue
		}
		if t.Call {
			l.calls[t.Addr] = true
		} else {
			l.jumps[t.Addr] = true
		}
	}
}

// Name names a branch target: an entry's name where there is one, fxnN for what is called, lN
// otherwise, N counting in units.
func (l *Labels) Name(addr int64, call bool) (string, bool) {
	if call {
		if name, ok := l.entry(addr); ok {
			return name, true
		}
		return "fxn" + strconv.FormatInt(addr/l.unit, 10), l.calls[addr]
	}
	return "l" + strconv.FormatInt(addr/l.unit, 10), l.jumps[addr]
}

func (l *Labels) entry(addr int64) (string, bool) {
	for _, e := range l.entries {
		if e.Addr == addr {
			return e.Name, true
		}
	}
	return "", false
}

// At lists the names of a place in the order in which a listing shows them, and whether a new
// function starts there.
func (l *Labels) At(addr int64) (names []string, function bool) {
	for _, e := range l.entries {
		if e.Addr == addr {
			names, function = append(names, e.Name), true
		}
	}
	if l.calls[addr] {
		if !function {
			names = append(names, "fxn"+strconv.FormatInt(addr/l.unit, 10))
		}
		function = true
	}
	if l.jumps[addr] {
		names = append(names, "l"+strconv.FormatInt(addr/l.unit, 10))
	}
	return names, function
}

// Address returns where a label that Name or At gives stands.
func (l *Labels) Address(name string) (addr int64, ok bool) {
	for _, e := range l.entries {
		if e.Name == name {
			return e.Addr, true
		}
	}
	for _, set := range []struct {
		prefix string
		addrs  map[int64]bool
	}{{"fxn", l.calls}, {"l", l.jumps}} {
		digits, ok := strings.CutPrefix(name, set.prefix)
		n, err := strconv.ParseInt(digits, 10, 64)
		if ok && err == nil && set.addrs[n*l.unit] {
			return n * l.unit, true
		}
	}
	return 0, false
}
