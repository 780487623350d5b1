package exec

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// gridOf is a grid of the small Tesla: r0 is the thread in its block, r9 the block, r10 four times the thread of
// all; s has 256 bytes, g as many as asked for.
func gridOf(t *testing.T, blocks, threads, bytes int, words ...uint64) (*Grid, *machine) {
	t.Helper()
	m := load(t, "tesla.xml")
	shared := NewShared(m.Machine, ScopeLaunch, ScopeLaunch)
	shared.SetMemory(m.state("g"), make([]byte, bytes))
	return &Grid{
		Program: m.program("#instruction", Words{}, append(words, teslaExit)...), Shared: shared,
		Blocks: blocks, Threads: threads,
		Begin: func(block int, _ *Shared, waves []*Wave) {
			for i, w := range waves {
				for lane := range 32 {
					n := 32*i + lane
					w.Set(m.state("r"), 0, 0, lane, uint64(n))
					w.Set(m.state("r"), 9, 0, lane, uint64(block))
					w.Set(m.state("r"), 10, 0, lane, uint64(4*(block*threads+n)))
				}
			}
		},
	}, m
}

func word(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }

// Each thread of each block writes its own word, and all add to one: in order and at the same time alike.
func TestGrid(t *testing.T) {
	for jobs := 1; jobs <= 3; jobs++ {
		g, m := gridOf(t, 7, 40, 4*(7*40+1),
			t3(opStore, always, 0, 10, 10, 0, 0),
			t3(8, always, 0, 11, 11, 0, 1),       // r11 = 1
			t3(opAtom, always, 0, 12, 13, 11, 0)) // g[r13] += 1
		g.Begin = func(begin func(int, *Shared, []*Wave)) func(int, *Shared, []*Wave) {
			return func(block int, own *Shared, waves []*Wave) {
				begin(block, own, waves)
				for _, w := range waves {
					for lane := range 32 {
						w.Set(m.state("r"), 13, 0, lane, 4*7*40)
					}
				}
			}
		}(g.Begin)
		profile := NewProfile(32)
		res, err := g.Run(t.Context(), GridOptions{Jobs: jobs, Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		data := g.Shared.Memory(m.state("g"))
		for n := range 7 * 40 {
			if got := word(data, n); got != uint32(4*n) {
				t.Fatalf("%d at a time: word %d holds %d", jobs, n, got)
			}
		}
		if got := word(data, 7*40); got != 7*40 {
			t.Errorf("%d at a time: %d were added, expected 280", jobs, got)
		}
		if len(res.Stops) != 1 || res.Stops[0].Count != 7*40 || res.LaneInstructions != 4*7*40 {
			t.Errorf("%d at a time: %+v", jobs, res)
		}
		// Each block has a wave of 32 lanes and one of 8.
		if l := profile.Lines[0]; l == nil || *l != (ProfileLine{Times: 14, Lanes: 280, Short: 7}) {
			t.Errorf("%d at a time: the first instruction counts %+v", jobs, l)
		}
	}
}

// The first block that stops otherwise than by an end is the last one.
func TestGridStops(t *testing.T) {
	g, _ := gridOf(t, 5, 32, 4*64, t3(opStore, always, 0, 10, 10, 0, 0))
	res, err := g.Run(t.Context(), GridOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Stops) != 2 || res.Stops[1].Reason != "trap" || res.Stops[1].First != 64 || res.Stops[1].Count != 32 || res.Stops[0].Count != 64 {
		t.Errorf("stops %v", res.Stops)
	}
}

// Two waves race for a word that both reach for, one of them writing, unless a barrier stands between.
func TestRaces(t *testing.T) {
	const (
		write = 10 // st-shared: s[r2] = r1
		read  = 2  // ld-shared: r3 = s[a0]
	)
	for _, row := range []struct {
		name  string
		words []uint64
		want  string
	}{
		{"write and read", []uint64{t3(write, always, 0, 0, 1, 0, 0), t3(read, always, 0, 3, 0, 0, 0)},
			"[race for s[0x0] of block 0: lane 0 of warp 0 writes at 0x0 and lane 0 of warp 1 reads at 0x4 without a barrier between them]"},
		{"a barrier between", []uint64{t3(write, always, 0, 0, 1, 0, 0), bar(opBar, 0, 0), t3(read, always, 0, 3, 0, 0, 0)}, "[]"},
		{"write after the read", []uint64{t3(write, always, 0, 0, 1, 0, 0), bar(opBar, 0, 0), t3(read, always, 0, 3, 0, 0, 0), t3(write, always, 0, 0, 1, 0, 0)},
			"[race for s[0x0] of block 0: lane 0 of warp 0 writes at 0xc and lane 0 of warp 1 reads at 0x8 without a barrier between them]"},
		{"arrived before", []uint64{t3(write, always, 0, 0, 1, 0, 0), bar(opArrive, 1, 2), bar(opAwait, 1, 2), t3(read, always, 0, 3, 0, 0, 0)}, "[]"},
		{"written after the arrival", []uint64{bar(opArrive, 1, 2), t3(write, always, 0, 0, 1, 0, 0), bar(opAwait, 1, 2), t3(read, always, 0, 3, 0, 0, 0)},
			"[race for s[0x0] of block 0: lane 0 of warp 0 writes at 0x4 and lane 0 of warp 1 reads at 0xc without a barrier between them]"},
		{"atomic operations", []uint64{t3(opAtomShared, always, 0, 5, 6, 0, 0), t3(read, always, 0, 3, 0, 0, 0)}, "[]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			g, m := gridOf(t, 3, 64, 4, row.words...)
			g.Begin = func(_ int, _ *Shared, waves []*Wave) { // each lane writes a word of its own; all read word 0
				for i, w := range waves {
					for lane := range 32 {
						w.Set(m.state("r"), 1, 0, lane, uint64(4*(32*i+lane))&0xff)
					}
				}
			}
			res, err := g.Run(t.Context(), GridOptions{Races: true})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range res.Races {
				got = append(got, res.Races[i].String())
				if n := res.Races[i].Count; n != 3*32 {
					t.Errorf("%d races, expected one of each lane of warp 1 in each block", n)
				}
			}
			if fmt.Sprint(got) != row.want {
				t.Errorf("races\n%v\nexpected\n%v\nstops %v", got, row.want, res.Stops)
			}
		})
	}
}

// A wave that writes what another wave read before races with it, as one that reads what another wrote does.
func TestWriteAfterRead(t *testing.T) {
	g, m := gridOf(t, 3, 64, 4, t3(2, always, 0, 3, 0, 0, 0), t3(10, always, 0, 0, 1, 0, 0)) // all read word 0, then lane 0 of warp 1 writes it
	g.Begin = func(_ int, _ *Shared, waves []*Wave) {
		for i, w := range waves {
			for lane := range 32 {
				w.Set(m.state("r"), 1, 0, lane, uint64(4*(32*(1-i)+lane)))
			}
		}
	}
	res, err := g.Run(t.Context(), GridOptions{Races: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Races) != 1 || res.Races[0].Count != 3 || res.Races[0].First.Writes || !res.Races[0].Second.Writes {
		t.Errorf("races %+v", res.Races)
	}
}

// A watcher is told of each access of a wave to a memory, with a search for races and without: three blocks have two waves, of
// which each writes and reads once.
func TestWatch(t *testing.T) {
	for _, races := range []bool{false, true} {
		g, _ := gridOf(t, 3, 64, 4, t3(10, always, 0, 0, 1, 0, 0), t3(2, always, 0, 3, 0, 0, 0))
		told := 0
		res, err := g.Run(t.Context(), GridOptions{Races: races, Watch: func(*Wave, *Access) { told++ }})
		if err != nil {
			t.Fatal(err)
		}
		if told != 3*2*2 || (len(res.Races) > 0) != races {
			t.Errorf("races %v: told of %d accesses, %d races", races, told, len(res.Races))
		}
	}
}
