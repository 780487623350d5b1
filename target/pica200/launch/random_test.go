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
)

var (
	programs = flag.Int("programs", 60, "number of random programs to run")
	first    = flag.Int("first", 0, "seed of the first of them")
)

// randomProgram makes words of all kinds, most of them with targets inside the program, and descriptors.
func randomProgram(r *rand.Rand) (code []uint32, table []bits.Value) {
	n := 4 + r.IntN(28)
	arithmetic := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 24, 25, 26, 27, 46, 48, 56, 63}
	flow := []uint32{32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45}
	for range n {
		if r.IntN(4) > 0 {
			code = append(code, arithmetic[r.IntN(len(arithmetic))]<<26|r.Uint32()&0x3ffff80|uint32(r.IntN(8)))
			continue
		}
		code = append(code, flow[r.IntN(len(flow))]<<26|r.Uint32()&0x3c00000|uint32(r.IntN(n+1))<<10|uint32(r.IntN(6)))
	}
	for range 32 {
		table = append(table, bits.Of(uint64(r.Uint32()&0x7fffffff)))
	}
	return code, table
}

// structured makes a program of conditions, loops, jumps and calls that contain each other, and descriptors.
type structured struct {
	r     *rand.Rand
	code  []uint32
	calls []int // the words that call the procedure
	loops int
}

func (p *structured) word(op, bits uint32) { p.code = append(p.code, op<<26|bits) }

// condition returns an operation on a uniform or on the flags, and the bits of its condition.
func (p *structured) condition(uniform, flags uint32) (op, bits uint32) {
	if p.r.IntN(2) == 0 {
		return uniform, uint32(p.r.IntN(16)) << 22
	}
	return flags, uint32(p.r.IntN(16)) << 22
}

func (p *structured) block(depth int) {
	from, jumps := len(p.code), []int(nil)
	for range 2 + p.r.IntN(4) {
		choice := p.r.IntN(10)
		if depth == 0 {
			choice = min(choice, 6)
		}
		switch choice {
		case 5: // compares, so that flags and address registers have values
			p.word([]uint32{46, 18}[p.r.IntN(2)], p.r.Uint32()&0x3ffff80|uint32(p.r.IntN(8)))
		case 6:
			switch {
			case p.loops > 0:
				p.word(35, uint32(p.r.IntN(16))<<22)
			case len(p.code) > from:
				op, bits := p.condition(45, 44)
				jumps = append(jumps, len(p.code))
				p.word(op, bits|uint32(p.r.IntN(2)))
			}
		case 7: // a condition
			at := len(p.code)
			op, bits := p.condition(39, 40)
			p.word(op, bits)
			p.block(depth - 1)
			middle := len(p.code)
			if p.r.IntN(2) == 0 {
				p.block(depth - 1)
			}
			p.code[at] |= uint32(middle)<<10 | uint32(len(p.code)-middle)
		case 8: // a loop
			at := len(p.code)
			p.word(41, uint32(p.r.IntN(4))<<22)
			p.loops++
			p.block(depth - 1)
			p.word(19, p.r.Uint32()&0x3ffff80|uint32(p.r.IntN(8)))
			p.loops--
			p.code[at] |= uint32(len(p.code)-1) << 10
		case 9:
			op, bits := p.condition(38, 37)
			if p.r.IntN(2) == 0 {
				op, bits = 36, 0
			}
			p.calls = append(p.calls, len(p.code))
			p.word(op, bits)
		default:
			arithmetic := []uint32{0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 19, 24, 25, 26, 27, 48, 56}
			p.word(arithmetic[p.r.IntN(len(arithmetic))], p.r.Uint32()&0x3ffff80|uint32(p.r.IntN(8)))
		}
	}
	p.word(0, p.r.Uint32()&0x3ffff80)
	for _, at := range jumps { // forward, inside of the block
		p.code[at] |= uint32(at+1+p.r.IntN(len(p.code)-at-1)) << 10
	}
}

// structuredProgram makes a program that ends normally in most lanes.
func structuredProgram(r *rand.Rand) (code []uint32, table []bits.Value) {
	p := structured{r: r}
	p.block(2)
	p.word(34, 0)
	from, calls := len(p.code), p.calls
	p.block(1)
	for _, at := range append(calls, p.calls[len(calls):]...) {
		if at >= from { // no recursion
			p.code[at] = 0
			continue
		}
		p.code[at] |= uint32(from)<<10 | uint32(len(p.code)-from)
	}
	for range 32 {
		table = append(table, bits.Of(uint64(r.Uint32()&0x7fffffff)))
	}
	return p.code, table
}

// specials are floats at which something happens.
var specials = []uint32{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x40000000, 0x42c80000}

func randomFloat(r *rand.Rand) uint64 {
	if r.IntN(3) == 0 {
		return uint64(specials[r.IntN(len(specials))])
	}
	return uint64(r.Uint32()&0x8fffffff | 0x38000000)
}

// runRandom runs lanes of a random program; pick says which of 64 lanes' inputs they get, -1 that there is no lane.
func runRandom(m *exec.Machine, w *exec.Wave, seed uint64, pick []int) *exec.Wave {
	startRandom(m, w, seed, pick)
	w.Run(context.Background())
	return w
}

// startRandom gives lanes of a random program their inputs.
func startRandom(m *exec.Machine, w *exec.Wave, seed uint64, pick []int) *exec.Wave {
	w.Budget = 1000
	w.Services = map[string]exec.Service{"emit": func(*exec.Call) {}}
	wavetest.Start(w, pick)
	for lane, from := range pick {
		r := rand.New(rand.NewPCG(seed, uint64(from)))
		for _, file := range []string{"v", "r"} {
			for n := range 8 + 8*int(seed&1) { // the others stay as nobody wrote them
				for k := range 4 {
					w.Set(m.State(file), n, k, lane, randomFloat(r))
				}
			}
		}
		for _, s := range []string{"a0", "cmp"} {
			for k := range 2 {
				w.Set(m.State(s), 0, k, lane, uint64(r.IntN(2)))
			}
		}
	}
	return w
}

// A lane in a wave gives what it gives alone: registers, stacks, why it stops, and what it reads that nobody
// wrote.
func TestLanesAlone(t *testing.T) {
	_, m := load(t)
	root, _ := m.Root("")
	for i := range *programs {
		seed := uint64(i + *first)
		r := rand.New(rand.NewPCG(seed, 1000))
		code, table := randomProgram(r)
		words := m.Words32(root, code, 0)
		words.Tables[0] = table
		if r.IntN(2) == 0 {
			words.Quirks = map[string]uint64{"float": 1, "nan_zero": 1, "beyond": 1}
		}
		p := exec.NewProgram(m, words)
		shared := exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)
		for n := range 90 + 6*int(seed&1) { // the others stay as nobody wrote them
			for k := range 4 {
				shared.Set(m.State("c"), n, k, randomFloat(r))
			}
		}
		for n := range 4 {
			for k := range 4 {
				shared.Set(m.State("i"), n, k, uint64(r.IntN(5)))
			}
			shared.Set(m.State("b"), n, 0, uint64(r.IntN(2)))
		}
		all := make([]int, exec.Lanes)
		for k := range all {
			all[k] = k
		}
		other := exec.NewWave(p, shared)
		wave := runRandom(m, exec.NewWave(p, shared), seed, all)
		again := runRandom(m, other, seed, all)
		for addr := range code {
			if c, err := p.Code(inside.Key{}, uint64(addr)); err == nil {
				c.Whole() // which is verified, like all code
			}
		}
		wavetest.CheckSameLane(t, i, wave, 5, again, 5, false)
		apart := runRandom(m, other, seed, wavetest.Diverged(all))
		for k := 0; k < exec.Lanes-1; k += 9 {
			wavetest.CheckSameLane(t, i, wave, k, apart, k, true)
		}
		for range 3 {
			k := r.IntN(exec.Lanes)
			wavetest.CheckSameLane(t, i, wave, k, runRandom(m, other, seed, []int{k}), 0, true)
		}
		silentReads(t, i, m, [2]*exec.Wave{wave, other}, seed, all)
		if t.Failed() {
			t.Fatalf("program %d: %08x", i, code)
		}
	}
}

// silentReads runs the program with two values in what nobody wrote: a lane that has no finding cannot tell
// them apart.
func silentReads(t *testing.T, program int, m *exec.Machine, waves [2]*exec.Wave, seed uint64, all []int) {
	t.Helper()
	states := m.Inside(inside.Key{})
	for i, init := range []uint64{0, 0x40490fdb} {
		for _, name := range []string{"r", "v", "a0"} {
			states.State(name).Init = init
		}
		states.State("cmp").Init = init & 1
		runRandom(m, waves[i], seed, all)
	}
	for _, name := range []string{"r", "v", "a0", "cmp"} {
		states.State(name).Init = 0
	}
	var found uint64
	for _, w := range waves {
		for _, f := range w.Findings() {
			found |= f.Lanes
		}
		for _, s := range w.Stops() {
			if s.Reason == "budget" {
				found |= s.Lanes
			}
		}
	}
	for lane := range exec.Lanes {
		if found>>uint(lane)&1 != 0 {
			continue
		}
		for _, s := range m.States {
			if s.Kind != exec.Registers || s.Scope != exec.ScopeLane {
				continue
			}
			for n := range s.Count {
				for k := range s.Type.Lanes {
					a, b := waves[0], waves[1]
					if a.Written(s, n, k)>>uint(lane)&1 != 0 && exec.Canonical(a.Get(s, n, k, lane), s.Type) != exec.Canonical(b.Get(s, n, k, lane), s.Type) {
						t.Errorf("program %d, lane %d: %s%d component %d depends on what nobody wrote, and there is no finding", program, lane, s.Name, n, k)
					}
				}
			}
		}
	}
}

// Any words are a program that stops for a reason.
func FuzzWords(f *testing.F) {
	f.Add([]byte{0x0a, 0x0c, 0x00, 0xa4, 0, 0, 0, 0x84, 0, 0, 0, 0x88})
	f.Add([]byte{0, 4, 0, 0x90, 0, 0, 0, 0x80, 0, 0, 0x40, 0xb4})
	r := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		code, _ := randomProgram(r)
		var data []byte
		for _, w := range code {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		f.Add(data)
	}
	_, m := load(f)
	root, _ := m.Root("")
	f.Fuzz(func(t *testing.T, data []byte) {
		var code []uint32
		for ; len(data) >= 4 && len(code) < 16; data = data[4:] {
			code = append(code, binary.LittleEndian.Uint32(data))
		}
		words := m.Words32(root, code, 0)
		words.Tables[0] = []bits.Value{bits.Of(0x36f), bits.Of(0x7fffffff)}
		p := exec.NewProgram(m, words)
		w := exec.NewWave(p)
		w.Budget = 200
		w.Start(3, 0)
		w.Run(t.Context())
		wavetest.CheckStopped(t, w)
		for addr := range code {
			if c, err := p.Code(inside.Key{}, uint64(addr)); err == nil {
				c.Whole() // which is verified, like all code
			}
		}
	})
}
