package launch_test

import (
	"context"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/wavetest"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tegra/launch"
)

var (
	programs = flag.Int("programs", 60, "number of random programs to run")
	first    = flag.Int("first", 0, "seed of the first of them")
)

// field is a place in the word, and what to fill it with.
type field struct {
	low, width int
	value      func(r *rand.Rand) uint64
}

func below(n int) func(*rand.Rand) uint64 {
	return func(r *rand.Rand) uint64 { return uint64(r.IntN(n)) }
}

// orNone is a number below n, or else another one.
func orNone(n int, none uint64) func(*rand.Rand) uint64 {
	return func(r *rand.Rand) uint64 {
		if r.IntN(3) == 0 {
			return none
		}
		return uint64(r.IntN(n))
	}
}

// legal are the fields whose values matter to whether a word ends the program: registers that there are, targets
// near by, few ends.
func legal(words int) []field {
	scalar := []uint64{0, 1, 1, 2, 3, 4, 5, 6, 7, 9, 9, 11, 12, 13, 14, 15, 16, 19, 20}
	few := func(r *rand.Rand) uint64 {
		if r.IntN(24) == 0 {
			return 1
		}
		return 0
	}
	return []field{
		{0, 1, few}, {2, 5, orNone(16, 31)}, {7, 6, orNone(8, 63)}, {23, 6, below(8)}, {40, 6, below(8)}, {57, 6, below(8)},
		{29, 8, below(words + 1)}, {86, 5, below(25)}, {91, 5, func(r *rand.Rand) uint64 { return scalar[r.IntN(len(scalar))] }},
		{111, 6, orNone(8, 63)}, {76, 10, below(40)},
	}
}

func randomWords(r *rand.Rand) []bits.Value {
	list := make([]bits.Value, 4+r.IntN(24))
	for i := range list {
		list[i] = bits.Value{r.Uint64(), r.Uint64()}
		for _, f := range legal(len(list)) {
			list[i].SetUint(f.low, f.width, f.value(r))
		}
	}
	return list
}

// specials are floats at which something happens.
var specials = []uint32{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x40000000, 0x7f7fffff}

func randomFloat(r *rand.Rand) uint64 {
	if r.IntN(3) == 0 {
		return uint64(specials[r.IntN(len(specials))])
	}
	return uint64(r.Uint32()&0x8fffffff | 0x38000000)
}

// runRandom runs lanes of a program; pick says which of 64 lanes' inputs they get, -1 that there is no lane.
func runRandom(l *exec.Launch, seed uint64, pick []int) *exec.Wave {
	w := startRandom(l, seed, pick)
	w.Run(context.Background())
	return w
}

// startRandom starts lanes of a program and gives them their inputs.
func startRandom(l *exec.Launch, seed uint64, pick []int) *exec.Wave {
	w := exec.NewWave(l.Program, l.Shared)
	w.Budget = 1000
	wavetest.Start(w, pick)
	m := l.Program.Machine
	for lane, from := range pick {
		r := rand.New(rand.NewPCG(seed, uint64(from)))
		for _, file := range []string{"a", "r"} {
			for n := range 6 { // the others stay as nobody wrote them
				for k := range 4 {
					w.Set(m.State(file), n, k, lane, randomFloat(r))
				}
			}
		}
		for k := range 4 {
			w.Set(m.State("A0"), 0, k, lane, uint64(uint32(r.IntN(7)-3)))
		}
	}
	return w
}

// randomLaunch returns a launch of random program number i with random constants, in one of the manners of floats. r and
// seed continue the random numbers of the program.
func randomLaunch(t *testing.T, i int) (l *exec.Launch, p *tegra.Program, r *rand.Rand, seed uint64) {
	t.Helper()
	set, m := load(t)
	quirks := []map[string]string{{}, {"float": "nv30"}, {"legacy": "true", "swapped": "true", "set_before_clamp": "true"}}
	seed = uint64(i + *first)
	r = rand.New(rand.NewPCG(seed, 1000))
	p = &tegra.Program{Words: randomWords(r)}
	l, err := launch.New(m, set, p, quirks[i%len(quirks)])
	if err != nil {
		t.Fatal(err)
	}
	for n := range 32 {
		for k := range 4 {
			l.Shared.Set(m.State("c"), n, k, randomFloat(r))
		}
	}
	return l, p, r, seed
}

// allLanes returns the numbers of the lanes of a wave.
func allLanes() (all []int) {
	for k := range exec.Lanes {
		all = append(all, k)
	}
	return all
}

// A lane in a wave gives what it gives alone, in both manners of floats.
func TestLanesAlone(t *testing.T) {
	all := allLanes()
	for i := range *programs {
		l, p, r, seed := randomLaunch(t, i)
		lowerAll(t, l.Program, len(p.Words))
		wave := runRandom(l, seed, all)
		wavetest.CheckStopped(t, wave)
		wavetest.CheckSameLane(t, i, wave, 5, runRandom(l, seed, all), 5, false)
		apart := runRandom(l, seed, wavetest.Diverged(all))
		for k := 0; k < exec.Lanes-1; k += 9 {
			wavetest.CheckSameLane(t, i, wave, k, apart, k, true)
		}
		for range 3 {
			k := r.IntN(exec.Lanes)
			wavetest.CheckSameLane(t, i, wave, k, runRandom(l, seed, []int{k}), 0, true)
		}
		if t.Failed() {
			t.Fatalf("program %d: %032x", i, p.Words)
		}
	}
}

// lowerAll lowers the first words of a program. In tests, the operations are verified.
func lowerAll(t *testing.T, p *exec.Program, words int) {
	t.Helper()
	for addr := range words {
		if _, err := p.Code(inside.Key{}, uint64(addr)); err != nil {
			t.Fatalf("word %d: %v", addr, err)
		}
	}
}

// stops runs words in three lanes of which each must stop for a reason.
func stops(t *testing.T, l *exec.Launch) {
	t.Helper()
	w := exec.NewWave(l.Program, l.Shared)
	w.Budget = 500
	w.Start(3, 0)
	for lane := range 3 {
		w.Set(l.Program.Machine.State("cr"), 0, 0, lane, uint64(lane))
	}
	w.Run(t.Context())
	wavetest.CheckStopped(t, w)
}

// Words with a few bits other than legal ones stop.
func TestOddWords(t *testing.T) {
	set, m := load(t)
	for i := range *programs {
		r := rand.New(rand.NewPCG(uint64(i+*first), 2000))
		p := &tegra.Program{Words: randomWords(r)}
		for range 1 + r.IntN(6) {
			w := &p.Words[r.IntN(len(p.Words))]
			k := r.IntN(128)
			w.SetUint(k, 1, 1-w.Uint(k, 1))
		}
		l, err := launch.New(m, set, p, map[string]string{"float": []string{"ieee", "nv30"}[i%2]})
		if err != nil {
			t.Fatal(err)
		}
		if stops(t, l); t.Failed() {
			t.Fatalf("program %d: %032x", i, p.Words)
		}
	}
}

// Any words, of all 128 bits, are a program that stops for a reason.
func FuzzWords(f *testing.F) {
	f.Add([]byte{0x6c, 0x9c, 0x1f, 0x40, 0x0d, 0, 0x40, 0, 0x83, 0xc0, 0x06, 0x81, 0x81, 0xff, 0x41, 0x60}, false)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 8 {
		var data []byte
		for _, w := range randomWords(r) {
			for k := 3; k >= 0; k-- {
				data = binary.LittleEndian.AppendUint32(data, w.Word(k))
			}
		}
		f.Add(data, i%2 == 0)
	}
	set, m := load(f)
	f.Fuzz(func(t *testing.T, data []byte, nv30 bool) {
		p := &tegra.Program{}
		for ; len(data) >= 16 && len(p.Words) < 24; data = data[16:] {
			var v bits.Value
			for k := range 4 {
				v.SetUint(32*(3-k), 32, uint64(binary.LittleEndian.Uint32(data[4*k:])))
			}
			p.Words = append(p.Words, v)
		}
		quirks := map[string]string{}
		if nv30 {
			quirks["float"] = "nv30"
		}
		l, err := launch.New(m, set, p, quirks)
		if err != nil {
			t.Fatal(err)
		}
		stops(t, l)
		lowerAll(t, l.Program, min(len(p.Words), 4))
	})
}
