package launch_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/target/pica200/launch"
)

// TestSpecialised compares specialised random programs with the plain engine.
func TestSpecialised(t *testing.T) {
	_, m := load(t)
	root, _ := m.Root("")
	var tally flowtest.Tally
	for i := range flowtest.Programs(*programs) {
		seed := uint64(i + *first)
		r := rand.New(rand.NewPCG(seed, 1000))
		code, table := randomProgram(r)
		words := m.Words32(root, code, 0)
		words.Tables[0] = table
		p := exec.NewProgram(m, words)
		shared := exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)
		for n := range 96 {
			for k := range 4 {
				shared.Set(m.State("c"), n, k, randomFloat(r))
			}
		}
		for n := range 4 {
			for k := range 4 {
				shared.Set(m.State("i"), n, k, uint64(r.IntN(5)))
			}
		}
		for n := range 16 {
			shared.Set(m.State("b"), n, 0, uint64(r.IntN(2)))
		}
		all := make([]int, exec.Lanes)
		for k := range all {
			all[k] = k
		}
		before := startRandom(m, exec.NewWave(p, shared), seed, all)
		after := startRandom(m, exec.NewWave(p, shared), seed, all)
		tally.Calls = flowtest.Record(after)
		after.Run(t.Context())
		if err := tally.Check(t.Context(), i, before, after); err != nil {
			t.Errorf("%v", err)
		}
		if t.Failed() {
			t.Fatalf("program %d: %08x", i, code)
		}
	}
	t.Log(tally)
	if tally.Called == 0 {
		t.Error("no program emits a vertex")
	}
}

// examples are the bundled vertex shaders, with the number of blocks of each. light has one condition, whose other side
// only copies: before, inside and after. flow has 10: the start, the preparation of the outer loop, its two parts around
// the call, the preparation and the two parts of the inner loop, the part after it with an if and the code inside the
// if, and the end. The others have no branch.
var examples = map[string]int{"light": 3, "flow": 10, "skin": 1, "sprite": 1}

// specialised returns an example as a launch and as a specialised program.
func specialised(tb testing.TB, name string) (*exec.Launch, *flow.Program) {
	tb.Helper()
	set, _ := load(tb)
	data, err := os.ReadFile("../../../examples/pica200/" + name + ".shbin")
	if err != nil {
		tb.Fatal(err)
	}
	l, err := launch.New(set, data, "", nil)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := flow.Specialise(context.Background(), flowtest.Config(l.Program, l.Entry))
	if err != nil {
		tb.Fatal(err)
	}
	return l, p
}

// TestSpecialisedExamples compares the specialised examples with the plain engine, and counts their blocks.
func TestSpecialisedExamples(t *testing.T) {
	for name, blocks := range examples {
		l, p := specialised(t, name)
		if err := p.Verify(); err != nil || len(p.Blocks) != blocks {
			t.Errorf("%s: %v, %d blocks, expected %d\n%s", name, err, len(p.Blocks), blocks, p)
		}
		r := rand.New(rand.NewPCG(7, 7))
		for range 20 {
			for _, u := range l.Uniforms {
				for n := range u.Count {
					for _, k := range u.Components() {
						v := randomFloat(r)
						if width := u.State.Type.Bits; width < 32 {
							v = uint64(r.IntN(4)) & (1<<width - 1)
						}
						l.Shared.Set(u.State, u.First+n, k, v)
					}
				}
			}
			w := exec.NewWave(l.Program, l.Shared)
			w.Budget = 100000
			w.Start(exec.Lanes, l.Entry)
			for n := range 8 {
				for k := range 4 {
					for lane := range exec.Lanes {
						w.Set(l.Program.Machine.State("v"), n, k, lane, randomFloat(r))
					}
				}
			}
			before := exec.NewWave(l.Program, l.Shared)
			before.Start(exec.Lanes, l.Entry)
			for n := range 8 {
				for k := range 4 {
					for lane := range exec.Lanes {
						before.Set(l.Program.Machine.State("v"), n, k, lane, w.Get(l.Program.Machine.State("v"), n, k, lane))
					}
				}
			}
			w.Run(t.Context())
			states := l.Program.Machine.States
			for lane := range exec.Lanes {
				res, ok := p.Run(flow.Host{Read: func(v flow.Variable, _ int) uint64 {
					return before.Get(states[v.State.Index], v.Number, v.Comp, lane)
				}}, 1, 1<<20)
				if !ok || res.Stops[0] != "" || len(res.Outputs) == 0 {
					t.Fatalf("%s, lane %d: %v, %q, %d outputs", name, lane, ok, res.Stops, len(res.Outputs))
				}
				for v, values := range res.Outputs {
					got := values[0]
					if want := w.Get(states[v.State.Index], v.Number, v.Comp, lane); sem.Canonical(got, v.Type()) != sem.Canonical(want, v.Type()) {
						t.Fatalf("%s, lane %d: %s is %x, expected %x", name, lane, v, got, want)
					}
				}
			}
		}
	}
}

// BenchmarkSpecialise specialises light.shbin, of 25 words, from lowered code.
func BenchmarkSpecialise(b *testing.B) {
	l, _ := specialised(b, "light")
	for b.Loop() {
		if _, err := flow.Specialise(context.Background(), flowtest.Config(l.Program, l.Entry)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSpecialiseLong specialises 2,000 words: light.shbin's arithmetic, one after another, from lowered code.
func BenchmarkSpecialiseLong(b *testing.B) {
	l, _ := specialised(b, "light")
	m := l.Program.Machine
	root, _ := m.Root("")
	var arithmetic, code []uint32
	for addr := l.Entry; ; addr++ {
		v, ok := l.Program.Fetch(addr)
		if !ok {
			break
		}
		if word := uint32(v[0]); word>>26 < 0x20 { // neither control flow nor a comparison
			arithmetic = append(arithmetic, word)
		}
	}
	for len(code) < 1999 {
		code = append(code, arithmetic[len(code)%len(arithmetic)])
	}
	code = append(code, 0x88000000) // end
	words := m.Words32(root, code, 0)
	copy(words.Tables, l.Program.Tables)
	p := exec.NewProgram(m, words)
	if _, err := flow.Specialise(context.Background(), flowtest.Config(p, 0)); err != nil { // lowers the words
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := flow.Specialise(context.Background(), flowtest.Config(p, 0)); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzSpecialise specialises any few words: the result has the right form, or there is an error.
func FuzzSpecialise(f *testing.F) {
	for _, code := range [][]uint32{
		{0x4e001000, 0x88000000},             // mov, end
		{0x90000002, 0x84000000},             // a call of itself
		{0xa4000401, 0x00001000, 0x88000000}, // for, add, end
		{0xb4000400, 0x9c000402, 0x88000000}, // jmpu, ifu
	} {
		var data []byte
		for _, w := range code {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		f.Add(data)
	}
	_, m := load(f)
	root, _ := m.Root("")
	table := make([]bits.Value, 8)
	for i := range table {
		table[i] = bits.Of(0x36f | uint64(i)<<8)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var code []uint32
		for ; len(data) >= 4 && len(code) < 8; data = data[4:] {
			code = append(code, binary.LittleEndian.Uint32(data))
		}
		words := m.Words32(root, code, 0)
		words.Tables[0] = table
		p := exec.NewProgram(m, words)
		x, err := flow.Specialise(t.Context(), flowtest.Config(p, 0))
		if err != nil {
			return
		}
		if err := x.Verify(); err != nil {
			t.Fatalf("%08x: %v\n%s", code, err, x)
		}
	})
}
