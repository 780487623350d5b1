package launch

import (
	"cmp"
	"fmt"
	"maps"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

// stats are the counts of a kernel.
type stats struct {
	s       *session
	c       *call
	profile *exec.Profile

	// The accesses of half a warp to shared memory, the cycles that they take, and the most cycles of one access.
	halves, turns, worst int64
}

func newStats(s *session, c *call) *stats { return &stats{s: s, c: c} }

// options are those of the run of a grid.
func (st *stats) options(r *run) exec.GridOptions {
	opt := exec.GridOptions{
		Jobs: 1, Budget: r.opt.Budget, Total: r.total, Strict: r.opt.Strict, Trace: r.opt.Trace, Progress: r.opt.Progress,
		Races: len(st.s.req.Options[optRaces]) > 0,
	}
	if len(st.s.req.Options[optParallel]) > 0 {
		opt.Jobs = max(1, r.opt.Jobs)
	}
	opt.Traced, opt.Watch = r.warp, r.opt.Watch
	if r.opt.Stats {
		st.profile = exec.NewProfile(st.s.machine.Lanes)
		opt.Profile, opt.Watch = st.profile, func(w *exec.Wave, a *exec.Access) {
			st.watch(w, a)
			if r.opt.Watch != nil {
				r.opt.Watch(w, a)
			}
		}
	}
	return opt
}

// watch counts cycles at the banks of a memory. As many lanes as there are banks access the memory at once.
func (st *stats) watch(_ *exec.Wave, a *exec.Access) {
	banks := a.State.Banks
	if banks == 0 {
		return
	}
	for first := 0; first < exec.Lanes; first += banks {
		lanes := a.Lanes >> uint(first) & (1<<uint(banks) - 1)
		if lanes == 0 {
			continue
		}
		n := int64(bankTurns(func(lane int) uint64 { return a.Addr(first + lane) }, lanes, banks))
		st.halves++
		st.turns += n
		st.worst = max(st.worst, n)
	}
}

// bankWord is the size of a word of a bank, in bytes: that of all memories with banks.
const bankWord = 4

// bankTurns returns the cycles of an access by lanes: in each cycle one word goes to all lanes that want it, and each
// other bank serves one lane.
func bankTurns(addr func(lane int) uint64, lanes uint64, banks int) int {
	turns := 0
	for ; lanes != 0; turns++ {
		first := addr(mathbits.TrailingZeros64(lanes)) / bankWord
		busy := uint64(1) << (first % uint64(banks))
		for lane := range banks {
			if lanes>>uint(lane)&1 == 0 {
				continue
			}
			word := addr(lane) / bankWord
			if bank := uint64(1) << (word % uint64(banks)); word == first || busy&bank == 0 {
				busy |= bank
				lanes &^= 1 << uint(lane)
			}
		}
	}
	return turns
}

// lines returns the counts as text.
func (st *stats) lines() []string {
	if st.profile == nil {
		return nil
	}
	d, err := st.s.req.Set.NewDecoder("")
	if err != nil {
		return nil
	}
	d.SetContext(st.s.words.Context)
	classes := map[string]*exec.ProfileLine{}
	var all exec.ProfileLine
	var branches, parted int64
	get := fetch(st.c.kernel.Code, st.s.machine.Unit)
	for pc, l := range st.profile.Lines {
		v, _ := get(pc)
		in, ok := d.Decode(v)
		name := "?"
		if ok {
			name = d.Mnemonic(in)
		}
		if classes[name] == nil {
			classes[name] = &exec.ProfileLine{}
		}
		for _, sum := range []*exec.ProfileLine{classes[name], &all} {
			sum.Times += l.Times
			sum.Lanes += l.Lanes
			sum.Short += l.Short
		}
		if ok && jumps(d, in) {
			branches += l.Times
			parted += l.Parted
		}
	}
	c, width := st.c, int64(st.s.machine.Lanes)
	list := []string{fmt.Sprintf("%s: %dx%d blocks of %dx%dx%d threads, %d warp instructions, %s of the lanes active, %d with inactive lanes",
		c.kernel.Name, c.grid[0], c.grid[1], c.block[0], c.block[1], c.block[2], all.Times, share(all.Lanes, all.Times*width), all.Short)}
	names := slices.Collect(maps.Keys(classes))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(classes[b].Times, classes[a].Times), cmp.Compare(a, b))
	})
	for _, name := range names {
		l := classes[name]
		list = append(list, fmt.Sprintf("  %-10s %10d  %5s of all, %s of the lanes active", name, l.Times, share(l.Times, all.Times), share(l.Lanes, l.Times*width)))
	}
	list = append(list, fmt.Sprintf("  branches: %d, of which %d diverged", branches, parted))
	if st.halves > 0 {
		list = append(list, fmt.Sprintf("  shared memory: %d half-warp accesses in %d passes, %d of them for bank conflicts; at most %d passes for one access",
			st.halves, st.turns, st.turns-st.halves, st.worst))
	}
	return list
}

// jumps reports whether an instruction is a branch at which threads of a warp can diverge, including those that leave
// a loop or a function.
func jumps(d *isa.Decoder, in isa.Inst) bool {
	return slices.ContainsFunc(d.Flows(nil, in), func(f isa.Flow) bool {
		return f.Maybe && (f.Kind == isa.Jump || f.Kind == isa.Break || f.Kind == isa.Return)
	})
}

func share(n, of int64) string {
	if of == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}
