package exec

import (
	"cmp"
	"fmt"
	"slices"
)

// Race is a data race: lanes of two waves of a block access a word of its memory without a barrier between the
// accesses, and one of them writes.
type Race struct {
	State *State
	// First is the earlier access, and Second is the later one.
	First, Second RaceSide
	// Addr and Block are those of the first occurrence. Count is the number of occurrences.
	Addr  uint64
	Block int
	Count int
	// Program is the number of the program in a run of several programs, and 0 otherwise.
	Program int
}

func (r *Race) key() raceKey {
	return raceKey{r.State, r.First.PC, r.Second.PC, r.First.Writes, r.Second.Writes, r.Program}
}

// RaceSide is one of the two accesses of a Race.
type RaceSide struct {
	// PC is the address of the instruction in units of the program counter. Address is the same address in bytes.
	PC, Address uint64
	Wave, Lane  int
	Writes      bool
}

// String describes the race in one line.
func (r *Race) String() string {
	side := func(s RaceSide) string {
		return fmt.Sprintf("lane %d of warp %d %s at 0x%x", s.Lane, s.Wave, map[bool]string{true: "writes", false: "reads"}[s.Writes], s.Address)
	}
	return fmt.Sprintf("race for %s[%#x] of block %d: %s and %s without a barrier between them", r.State.Name, r.Addr, r.Block, side(r.First), side(r.Second))
}

// raceKey identifies a race by the two instructions and their kinds of access.
type raceKey struct {
	state         *State
	first, second uint64
	write, writes bool
	program       int
}

// raceWatch records the accesses to each word of a block's memories. Each wave has a vector clock: for each other wave,
// the latest tick that a barrier ordered before its own accesses.
type raceWatch struct {
	machine *Machine
	waves   int
	known   [][]uint32 // the vector clock of each wave
	base    uint32     // the clocks of a block start after those of all earlier blocks
	last    uint32
	words   map[*State][]raceWord
	found   map[raceKey]*Race
	joined  map[uint64][]uint32 // the clocks of the waves that arrived at a barrier, by its number
}

// raceWord holds the accesses to a word: the last write, and the last read of each wave.
type raceWord struct {
	// atomic is the tick of the last atomic access. A word that atomic instructions access is used for synchronization,
	// so it is not reported.
	atomic uint32
	write  touch
	reads  []touch
}

// touch is an access at a tick of a wave's clock. Tick 0 means no access.
type touch struct {
	tick       uint32
	wave, lane uint8
	bytes      uint8
	pc         uint64
}

func newRaceWatch(waves int, m *Machine) *raceWatch {
	r := &raceWatch{machine: m, waves: waves, words: map[*State][]raceWord{}, found: map[raceKey]*Race{}, joined: map[uint64][]uint32{}}
	for _, s := range m.States {
		if s.Kind == Memory && s.Scope == ScopeBlock {
			r.words[s] = nil
		}
	}
	for range waves {
		r.known = append(r.known, make([]uint32, waves))
	}
	r.reset()
	return r
}

// reset starts another block. Earlier accesses no longer count.
func (r *raceWatch) reset() {
	r.base = r.last
	for w, known := range r.known {
		for i := range known {
			known[i] = r.base
		}
		known[w]++
	}
	r.last = r.base + 1
	clear(r.joined)
}

// arrive merges the clock of a wave into that of a barrier. Later accesses of the wave are not ordered before the
// barrier.
func (r *raceWatch) arrive(w *Wave, number uint64) {
	all := r.joined[number]
	if all == nil {
		all = make([]uint32, r.waves)
		r.joined[number] = all
	}
	known := r.known[w.Number]
	for i := range all {
		all[i] = max(all[i], known[i])
	}
	known[w.Number]++
	r.last = max(r.last, known[w.Number])
}

// leave merges the clock of a barrier into that of a wave that continues after it.
func (r *raceWatch) leave(w *Wave, all []uint32) {
	known := r.known[w.Number]
	for i := range all {
		known[i] = max(known[i], all[i])
	}
}

// access records an access of some lanes.
func (r *raceWatch) access(w *Wave, a *Access) {
	words, ok := r.words[a.State]
	if !ok {
		return
	}
	if words == nil {
		words = make([]raceWord, (w.stores[a.State.Index].size+3)/4)
		r.words[a.State] = words
	}
	known := r.known[w.Number]
	t := touch{tick: known[w.Number], wave: uint8(w.Number), pc: w.pc}
	for m := a.Lanes; m != 0; m &= m - 1 {
		lane := trailing(m)
		addr := a.Addr(lane)
		for size := a.Size; size > 0; {
			at, n := addr/4, min(size, 4-addr%4)
			if at >= uint64(len(words)) {
				break
			}
			t.lane, t.bytes = uint8(lane), uint8((1<<n-1)<<(addr%4))
			r.touch(&words[at], t, a, known, addr)
			addr += n
			size -= n
		}
	}
}

// touch records an access to a word.
func (r *raceWatch) touch(word *raceWord, t touch, a *Access, known []uint32, addr uint64) {
	if a.Atomic {
		word.atomic = t.tick
	}
	if word.atomic > r.base {
		return
	}
	if before := &word.write; before.bytes&t.bytes != 0 && before.tick > known[before.wave] {
		r.report(a, *before, true, t, addr)
	}
	if !a.Store {
		if len(word.reads) == 0 {
			word.reads = make([]touch, r.waves)
		}
		word.reads[t.wave] = t
		return
	}
	for i := range word.reads {
		if before := &word.reads[i]; i != int(t.wave) && before.bytes&t.bytes != 0 && before.tick > known[i] {
			r.report(a, *before, false, t, addr)
		}
	}
	word.write = t
}

func (r *raceWatch) report(a *Access, before touch, wrote bool, now touch, addr uint64) {
	key := raceKey{a.State, before.pc, now.pc, wrote, a.Store, 0}
	if found := r.found[key]; found != nil {
		found.Count++
		return
	}
	r.found[key] = &Race{
		State: a.State, Addr: addr, Count: 1,
		First:  RaceSide{before.pc, r.machine.Address(before.pc), int(before.wave), int(before.lane), wrote},
		Second: RaceSide{now.pc, r.machine.Address(now.pc), int(now.wave), int(now.lane), a.Store},
	}
}

// collect moves the races of a block to a tally.
func (r *raceWatch) collect(into *Tally, block int) {
	for key, race := range r.found {
		race.Block = block
		into.race(key, race)
	}
	clear(r.found)
}

func sortRaces(races map[raceKey]*Race) []Race {
	var list []Race
	for _, r := range races {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.Program, b.Program), cmp.Compare(a.First.PC, b.First.PC), cmp.Compare(a.Second.PC, b.Second.PC), cmp.Compare(a.State.Index, b.State.Index),
			cmp.Compare(fmt.Sprint(a.First.Writes, a.Second.Writes), fmt.Sprint(b.First.Writes, b.Second.Writes)))
	})
	return list
}
