package launch_test

import (
	"context"
	"encoding/binary"
	"flag"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/wavetest"
)

var (
	programs = flag.Int("programs", 40, "number of random programs to run")
	first    = flag.Int("first", 0, "seed of the first of them")
)

// Clauses by their operations.
const (
	opNop, opExec, opExecEnd, opCondExec, opCondExecEnd, opPredExec, opPredExecEnd = 0, 1, 2, 3, 4, 5, 6
	opLoop, opLoopEnd, opCall, opReturn, opJump, opAlloc, opClean, opCleanEnd      = 7, 8, 9, 10, 11, 12, 13, 14
)

const (
	breakBit     = 1 << 21 // of the end of a loop: it is left where the predicate of all lanes agrees
	predicateBit = 1 << 14 // of a jump or a call: it depends on the predicates of the lanes
	alwaysBit    = 1 << 13
)

// asks reports whether a clause looks at what other lanes have. A clause that runs under the predicate is no such one
// where each lane runs it by its own.
func asks(clause uint64, wave bool) bool {
	switch clause >> 44 {
	case opLoopEnd:
		return clause&breakBit != 0
	case opCall, opJump:
		return clause&predicateBit != 0 && clause&alwaysBit == 0
	case opPredExec, opPredExecEnd:
		return wave
	}
	return false
}

// randomProgram makes clauses with targets among themselves, and units behind them, most of which are sound.
func randomProgram(r *rand.Rand) []uint32 {
	clauses, units := 2*(2+r.IntN(5)), 4+r.IntN(10)
	words := make([]uint32, 3*(clauses/2+units))
	ops := []int{opNop, opExec, opExec, opExec, opCondExec, opCondExecEnd, opPredExec, opPredExec, opPredExecEnd, opLoop, opLoopEnd, opLoopEnd, opCall, opReturn, opJump, opJump, opAlloc, opClean, opCleanEnd}
	for i := range clauses {
		op := ops[r.IntN(len(ops))]
		if i == clauses-1 {
			op = opExecEnd
		}
		v := r.Uint64() & (1<<44 - 1)
		switch op {
		case opLoop, opLoopEnd, opCall, opReturn, opJump:
			v = v&^(1<<13-1) | uint64(r.IntN(clauses))
		default:
			v = v&^(1<<15-1) | uint64(clauses/2+r.IntN(units))
			v |= uint64(r.IntN(units-int(v&(1<<12-1))+clauses/2+1)&7) << 12
		}
		setBits(words, 48*i, 48, v|uint64(op)<<44)
	}
	for i := range units {
		setUnit(r, words[3*(clauses/2+i):])
	}
	return words
}

// setUnit makes a unit that is sound as an ALU instruction, and as a fetch of vertices or a sample.
func setUnit(r *rand.Rand, w []uint32) {
	for k := range 3 {
		w[k] = r.Uint32()
	}
	scalar := uint32(r.IntN(51))
	if scalar == 41 {
		scalar = 50
	}
	fetch := []uint32{0, 0, 1, 1, 16, 17, 18, 19, 24, 25, 26}[r.IntN(11)]
	w[0] = w[0]&^(63<<26|31) | scalar<<26 | fetch // of which each is the operation of one
	w[1] = w[1]&^(63<<16) | []uint32{6, 25, 26, 32, 33, 38, 57}[r.IntN(7)]<<16
	w[2] = w[2]&^(31<<24) | uint32(r.IntN(30))<<24
}

func setBits(words []uint32, at, width int, v uint64) {
	for i := range width {
		words[(at+i)/32] &^= 1 << uint((at+i)%32)
		words[(at+i)/32] |= uint32(v>>uint(i)&1) << uint((at+i)%32)
	}
}

// specials are floats at which something happens.
var specials = []uint32{0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x40000000, 0x7f7fffff}

func randomFloat(r *rand.Rand) uint64 {
	if r.IntN(3) == 0 {
		return uint64(specials[r.IntN(len(specials))])
	}
	return uint64(r.Uint32()&0x8fffffff | 0x38000000)
}

// randomRun is a program with what all its lanes share.
type randomRun struct {
	m       *exec.Machine
	p       *exec.Program
	r       *rand.Rand
	shared  *exec.Shared
	code    []uint32
	seed    uint64
	clauses int // those that lanes came to and that ask others, all of which had the same to say
	parted  bool
	wave    bool // a clause runs for all lanes if any agrees
}

// run runs lanes as start starts them. It notes whether a clause asked lanes that disagree.
func (x *randomRun) run(pick []int) *exec.Wave {
	w := x.start(pick)
	w.Run(context.Background())
	return w
}

// start starts a wave. pick has the number of the inputs of each lane, 0 to 63, or -1 for a lane that does not exist.
func (x *randomRun) start(pick []int) *exec.Wave {
	m, seed := x.m, x.seed
	w := exec.NewWave(x.p, x.shared)
	w.Budget = 300
	w.Trace = func(w *exec.Wave, e exec.Event) {
		if e.Kind != exec.Starts || !asks(clauseAt(x.code, e.PC), x.wave) {
			return
		}
		x.clauses++
		var has [2]bool
		for left := e.Lanes; left != 0; left &= left - 1 {
			has[w.Get(m.State("p0"), 0, 0, bits.TrailingZeros64(left))] = true
		}
		x.parted = x.parted || has[0] && has[1]
	}
	w.Services = surroundings(m)
	wavetest.Start(w, pick)
	for lane, from := range pick {
		r := rand.New(rand.NewPCG(seed, uint64(from)))
		for n := range 64 - 32*int(seed&1) { // the others stay as nobody wrote them
			for k := range 4 {
				w.Set(m.State("R"), n, k, lane, randomFloat(r))
			}
		}
		p0 := uint64(r.IntN(2))
		if seed&6 != 0 { // the same in all lanes, as in most programs that jump
			p0 = seed >> 3 & 1
		}
		w.Set(m.State("p0"), 0, 0, lane, p0)
		w.Set(m.State("a0"), 0, 0, lane, uint64(r.IntN(16)))
	}
	return w
}

func clauseAt(code []uint32, n uint64) uint64 {
	var v uint64
	for i := range 48 {
		at := int(n)*48 + i
		if at/32 < len(code) {
			v |= uint64(code[at/32]>>uint(at%32)&1) << uint(i)
		}
	}
	return v
}

// randomLaunch returns a random program with random constants and a random memory.
func randomLaunch(t *testing.T, m *exec.Machine, seed uint64) *randomRun {
	r := rand.New(rand.NewPCG(seed, 1000))
	code := randomProgram(r)
	quirks := map[string]string{}
	if r.IntN(2) == 0 {
		quirks = map[string]string{"machine": "xenos", "mad": "once", "dot": "wxyz", "flush_results": "true", "predicated_exec": "wave"}
	}
	shared := exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)
	for n := range 256 {
		for k := range 4 {
			shared.Set(m.State("C"), n, k, randomFloat(r))
		}
		shared.Set(m.State("bools"), n, 0, uint64(r.IntN(2)))
	}
	for n := range 32 {
		shared.Set(m.State("loop"), n, 0, uint64(r.IntN(4)|r.IntN(8)<<8|r.IntN(256)<<16))
		for k := range 6 {
			shared.Set(m.State("sampler"), n, k, uint64(r.IntN(4096)))
		}
	}
	memory := make([]byte, 4096)
	for k := range memory {
		memory[k] = byte(r.Uint32())
	}
	shared.SetMemory(m.State("memory"), memory)
	return &randomRun{m: m, p: newProgram(t, m, code, quirks), r: r, shared: shared, code: code, seed: seed, wave: len(quirks) > 0}
}

// A lane in a wave gives what it gives alone, where no clause asks lanes that disagree.
func TestLanesAlone(t *testing.T) {
	_, m := load(t)
	asked := 0
	for i := range *programs {
		x := randomLaunch(t, m, uint64(i+*first))
		r, code, p := x.r, x.code, x.p
		all := make([]int, exec.Lanes)
		for k := range all {
			all[k] = k
		}
		wave := x.run(all)
		again := x.run(all)
		wavetest.CheckStopped(t, wave)
		wavetest.CheckSameLane(t, i, wave, 5, again, 5, false)
		if !x.parted {
			asked += min(1, x.clauses)
			apart := x.run(wavetest.Diverged(all))
			for k := 0; k < exec.Lanes-1; k += 9 {
				wavetest.CheckSameLane(t, i, wave, k, apart, k, true)
			}
			for range 3 {
				k := r.IntN(exec.Lanes)
				wavetest.CheckSameLane(t, i, wave, k, x.run([]int{k}), 0, true)
			}
		}
		lowerAll(p, code)
		if t.Failed() {
			t.Fatalf("program %d: %08x", i, code)
		}
	}
	if *programs >= 40 && asked == 0 {
		t.Error("no program in which lanes were asked, and agreed")
	}
	t.Logf("%d programs in which lanes were asked, and agreed", asked)
}

// lowerAll lowers the clauses of a program. In tests, the operations are verified.
func lowerAll(p *exec.Program, code []uint32) {
	for addr := range 2 * len(code) / 3 {
		if c, err := p.Code(inside.Key{}, uint64(addr)); err == nil {
			c.Whole()
		}
	}
}

// Any words are a program that stops for a reason.
func FuzzWords(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		var data []byte
		for _, w := range randomProgram(r) {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		f.Add(data)
	}
	_, m := load(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var code []uint32
		for ; len(data) >= 4 && len(code) < 48; data = data[4:] {
			code = append(code, binary.LittleEndian.Uint32(data))
		}
		w := exec.NewWave(newProgram(t, m, code, nil))
		w.Budget = 200
		w.Services = surroundings(m)
		w.Start(3, 0)
		for lane := range 3 {
			w.Set(m.State("p0"), 0, 0, lane, uint64(lane&1))
		}
		w.Run(t.Context())
		wavetest.CheckStopped(t, w)
		lowerAll(w.Program, code)
	})
}
