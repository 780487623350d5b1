package vectors

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
	"github.com/isago/isago/target/a2xx"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tesla"
)

var loaders = map[string]func(isa.Options) (*isa.Set, error){
	"pica200": pica200.Load, "tesla": tesla.Load, "a2xx": a2xx.Load, "tegra": tegra.Load, "example": example.Load,
}

var opened = map[string]*exec.Machine{}

// openMachine is an Opener for tests.
func openMachine(name string) (*exec.Machine, error) {
	if m := opened[name]; m != nil {
		return m, nil
	}
	load := loaders[name]
	if load == nil {
		return nil, fmt.Errorf("unknown machine %q", name)
	}
	set, err := load(isa.Options{})
	if err != nil {
		return nil, err
	}
	m, err := exec.Open(set)
	opened[name] = m
	return m, err
}

// floatsOfTests are operands that take the paths of float arithmetic apart.
var floatsOfTests = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.1, -2.5, 3, 1e-40, -2e-39, 1e38, -3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1.0000001, 16777217, 0.33333334}

// bench makes vectors of an instruction.
type bench struct {
	t    *testing.T
	m    *exec.Machine
	file *File
	rand *rand.Rand
}

func newBench(t *testing.T, machine string) *bench {
	t.Helper()
	m, err := openMachine(machine)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, m: m, file: &File{Format: Format, Machine: machine, Instruction: "test", Quirks: map[string]string{}}, rand: rand.New(rand.NewPCG(1, 2))}
}

// word returns a vector of an instruction without states.
func (b *bench) word(texts ...string) Vector {
	b.t.Helper()
	p, err := asm.New(b.m.Set(), b.file.Root)
	if err != nil {
		b.t.Fatal(err)
	}
	v := Vector{Name: fmt.Sprintf("test/%d", len(b.file.Vectors)+1), Text: texts, Lanes: 1, Steps: 1, Reasons: []string{"a test"}}
	root, err := b.m.Root(b.file.Root)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, text := range texts {
		r, err := p.Parse(text)
		if err != nil {
			b.t.Fatalf("%s: %v", text, err)
		}
		for _, e := range r.Entries { // of one instruction
			v.Tables = map[string][]string{b.m.Set().Tables()[e.Table].Name: {e.Value.String()}}
		}
		words := (r.Inst.Leaf.Size + 31) / 32
		for k := range words {
			if root.HighFirst {
				k = words - 1 - k
			}
			v.Words = append(v.Words, fmt.Sprintf("%0*x", min(32, r.Inst.Leaf.Size)/4, r.Inst.Bits.Uint(32*k, min(32, r.Inst.Leaf.Size))))
		}
	}
	return v
}

// add adds a vector that starts with some registers, by names such as r1.
func (b *bench) add(v Vector, registers map[string][]uint64) {
	b.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(registers)) {
		v.Initial.Registers = append(v.Initial.Registers, b.register(name, registers[name]))
	}
	sortState(&v.Initial)
	v.Name = fmt.Sprintf("test/%d", len(b.file.Vectors)+1)
	e, err := b.run(&v)
	if err != nil {
		b.t.Fatal(err)
	}
	v.Final = stateOf(b.m, &v, e)
	b.file.Vectors = append(b.file.Vectors, v)
}

func (b *bench) register(name string, values []uint64) Register {
	b.t.Helper()
	for _, s := range b.m.States {
		rest, ok := strings.CutPrefix(name, s.Name)
		n := 0
		if s.Kind != exec.Registers || !ok || s.Single != (rest == "") {
			continue
		}
		if !s.Single {
			if _, err := fmt.Sscanf(rest, "%d", &n); err != nil {
				continue
			}
		}
		r := Register{Name: s.Name, Single: s.Single, Number: n, Bits: s.Type.Bits, Vector: s.Components != nil, Values: slices.Clone(values)}
		if s.Scope >= exec.ScopeWave {
			r.Lane = -1
		}
		for len(r.Values) < s.Type.Lanes {
			r.Values = append(r.Values, 0)
		}
		return r
	}
	b.t.Fatalf("no register %s", name)
	return Register{}
}

// run runs a vector.
func (b *bench) run(v *Vector) (*waveEnd, error) {
	p, err := b.file.program(b.m, v, nil)
	if err != nil {
		return nil, err
	}
	return run(step.NewRunner(b.m), p, v)
}

// sortState sorts the parts of a state.
func sortState(s *State) {
	slices.SortStableFunc(s.Registers, func(a, b Register) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Lane, b.Lane))
	})
}

// stateOf returns the state at the end of a run: the registers of the vector, and those that changed.
func stateOf(m *exec.Machine, v *Vector, e ended) State {
	before := spotsOf(m, &v.Initial)
	out := State{PC: e.value(spot{kind: counterSpot})}
	for _, s := range m.States {
		if s.Kind != exec.Registers || s.Scope == exec.ScopeInstruction || s.ReadOnly {
			continue
		}
		lane := 0
		if s.Scope >= exec.ScopeWave {
			lane = -1
		}
		for n := range s.Count {
			r := Register{Name: s.Name, Single: s.Single, Number: n, Lane: lane, Bits: s.Type.Bits, Vector: s.Components != nil}
			named := false
			for k := range s.Type.Lanes {
				p := spot{registerSpot, s, n, k, lane}
				old, had := before[p]
				x := exec.Canonical(e.value(p), s.Type)
				named = named || had || x != old && s.Scope < exec.ScopeWave
				r.Values = append(r.Values, x)
			}
			if named {
				out.Registers = append(out.Registers, r)
			}
		}
	}
	for _, s := range m.States {
		if s.Kind != exec.Memory || s.Scope < exec.ScopeWave {
			continue
		}
		data := make([]byte, 64)
		for i := range data {
			data[i] = byte(e.value(spot{byteSpot, s, i, 0, -1}))
		}
		if i := slices.IndexFunc(data, func(b byte) bool { return b != 0 }); i >= 0 {
			out.Memories = append(out.Memories, Memory{Name: s.Name, Lane: -1, Address: 0, Bytes: data})
		}
	}
	sortState(&out)
	return out
}

// floats returns components with the bits of floats.
func (b *bench) floats() []uint64 {
	out := make([]uint64, 4)
	ordinary := len(b.file.Vectors)%2 == 1
	for i := range out {
		x := floatsOfTests[b.rand.IntN(len(floatsOfTests))]
		if ordinary || b.rand.IntN(3) == 0 {
			x = float32(b.rand.NormFloat64())
		}
		out[i] = uint64(math.Float32bits(x))
	}
	return out
}

// answers runs all vectors by an engine.
func (b *bench) answers(engine func(v *Vector) *State) *Answers {
	a := &Answers{File: b.file}
	for i := range b.file.Vectors {
		v := &b.file.Vectors[i]
		a.List = append(a.List, Answer{Name: v.Name, State: *engine(v)})
	}
	return a
}

// faulty returns an engine that differs by a theory with a text.
func (b *bench) faulty(text string) func(v *Vector) *State {
	b.t.Helper()
	list := newTheories()
	i := slices.IndexFunc(list, func(th *theory) bool { return th.text == text })
	if i < 0 {
		b.t.Fatalf("no theory %q", text)
	}
	return b.engine(list[i])
}

func (b *bench) engine(list ...*theory) func(v *Vector) *State {
	return func(v *Vector) *State {
		quirks := map[string]string{}
		for _, th := range list {
			maps.Copy(quirks, th.quirks)
		}
		p, err := b.file.program(b.m, v, quirks)
		if err != nil {
			b.t.Fatal(err)
		}
		t := b.file.try(b.m, v, p, list...)
		if t == nil {
			b.t.Fatal("no trial")
		}
		s := stateOf(b.m, v, t)
		return &s
	}
}

// changed returns an engine that changes the final state.
func changed(f func(v *Vector, s *State)) func(v *Vector) *State {
	return func(v *Vector) *State {
		s := cloneState(&v.Final)
		f(v, s)
		return s
	}
}

func cloneState(s *State) *State {
	out := *s
	out.Registers = slices.Clone(s.Registers)
	for i := range out.Registers {
		out.Registers[i].Values = slices.Clone(out.Registers[i].Values)
	}
	out.Memories = slices.Clone(s.Memories)
	for i := range out.Memories {
		out.Memories[i].Bytes = slices.Clone(out.Memories[i].Bytes)
	}
	return &out
}

func find(s *State, name string) *Register {
	for i := range s.Registers {
		if nameOf(&s.Registers[i]) == name {
			return &s.Registers[i]
		}
	}
	return nil
}

func (b *bench) check(a *Answers, opt CheckOptions) *Report {
	b.t.Helper()
	r, err := Check(b.m, []*Answers{a}, opt)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// TestTrials requires that trials end as package exec does, for random words of all machines.
func TestTrials(t *testing.T) {
	for name := range loaders {
		b := newBench(t, name)
		m := b.m.Inside(inside.Key{})
		root, err := b.m.Root("")
		if err != nil {
			t.Fatal(err)
		}
		d, err := b.m.Set().NewDecoder(root.Name)
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		for _, leaf := range root.Leaves {
			for range max(3, 400/len(root.Leaves)) {
				var w bits.Value
				for i := range w {
					w[i] = b.rand.Uint64()
				}
				w = w.AndNot(leaf.Mask).Or(leaf.Match).And(bits.Ones(leaf.Size))
				if in, ok := d.Decode(w); !ok || in.Leaf != leaf {
					continue
				}
				v := Vector{Name: leaf.Name, Text: []string{leaf.Name}, Lanes: 1, Steps: 1}
				words := (leaf.Size + 31) / 32
				for k := range words {
					if root.HighFirst {
						k = words - 1 - k
					}
					v.Words = append(v.Words, fmt.Sprintf("%0*x", min(32, leaf.Size)/4, w.Uint(32*k, min(32, leaf.Size))))
				}
				for _, table := range b.m.Set().Tables() {
					v.Tables = map[string][]string{table.Name: {}}
					for range table.Size {
						v.Tables[table.Name] = append(v.Tables[table.Name], fmt.Sprintf("%x", b.rand.Uint64()>>(64-table.Bits)))
					}
				}
				for _, s := range b.m.States {
					if s.Kind != exec.Registers || s.ReadOnly || s.Scope == exec.ScopeInstruction || s.Scope == exec.ScopeWave {
						continue
					}
					for n := range min(s.Count, 20) {
						r := Register{Name: s.Name, Single: s.Single, Number: n, Bits: s.Type.Bits, Vector: s.Components != nil}
						if s.Scope >= exec.ScopeWave {
							r.Lane = -1
						}
						for range s.Type.Lanes {
							x := b.floats()[0]
							if s.Type.Kind != isa.Float {
								x = b.rand.Uint64() >> (64 - s.Type.Bits)
							}
							r.Values = append(r.Values, x)
						}
						v.Initial.Registers = append(v.Initial.Registers, r)
					}
				}
				e, err := b.run(&v)
				if err != nil {
					t.Fatal(err)
				}
				p, err := b.file.program(b.m, &v, nil)
				if err != nil {
					t.Fatal(err)
				}
				x := b.file.try(b.m, &v, p)
				if x == nil {
					continue
				}
				ran++
				for _, s := range b.m.States {
					if s.Kind != exec.Registers || s.Scope == exec.ScopeInstruction {
						continue
					}
					for n := range s.Count {
						for k := range s.Type.Lanes {
							p := spot{registerSpot, s, n, k, 0}
							if s.Scope >= exec.ScopeWave {
								p.lane = -1
							}
							if got, want := sem.Canonical(x.value(p), m.States[s.Index].Type.Elem()), sem.Canonical(e.value(p), m.States[s.Index].Type.Elem()); got != want {
								t.Fatalf("%s: %s %x: %s is %x, expected %x", name, leaf.Name, v.Words, p.name(1), got, want)
							}
						}
					}
				}
				if x.pc != e.pc {
					t.Fatalf("%s: %s %x: pc %d, expected %d", name, leaf.Name, v.Words, x.pc, e.pc)
				}
			}
		}
		if ran < max(5, len(root.Leaves)) {
			t.Errorf("%s: %d runs for %d leaves", name, ran, len(root.Leaves))
		}
	}
}

// picaFloats makes vectors of an instruction of PICA200 with floats in its operands.
func picaFloats(t *testing.T, text string, n int) *bench {
	t.Helper()
	b := newBench(t, "pica200")
	for range n {
		b.add(b.word(text), map[string][]uint64{"v0": b.floats(), "r1": b.floats(), "r2": b.floats(), "r0": {1, 2, 3, 4}})
	}
	return b
}

// teslaFloats makes vectors of an instruction of Tesla with floats in its operands.
func teslaFloats(t *testing.T, text string, n int) *bench {
	t.Helper()
	b := newBench(t, "tesla")
	for range n {
		b.add(b.word(text), map[string][]uint64{"r0": {7}, "r1": b.floats()[:1], "r2": b.floats()[:1], "r3": b.floats()[:1]})
	}
	return b
}

// teslaNumbers makes vectors of an instruction of Tesla with integers in its operands.
func teslaNumbers(t *testing.T, text string, n int) *bench {
	t.Helper()
	b := newBench(t, "tesla")
	number := func() []uint64 {
		return []uint64{[]uint64{0, 1, 5, 31, 32, 33, 0x80000000, 0x7fffffff, 0xffffffff, 0x12345678, uint64(b.rand.Uint32())}[b.rand.IntN(11)]}
	}
	for range n {
		b.add(b.word(text), map[string][]uint64{"r0": {7}, "r1": number(), "r2": number(), "r3": number(), "c0": {3}})
	}
	return b
}

// a2xxFloats makes vectors of an ALU instruction of A2XX.
func a2xxFloats(t *testing.T, text string, n int) *bench {
	t.Helper()
	b := newBench(t, "a2xx")
	b.file.Root = "alu"
	for range n {
		b.add(b.word(text), map[string][]uint64{"R1": b.floats(), "R2": b.floats(), "R3": b.floats(), "R4": {1, 2, 3, 4}})
	}
	return b
}

// TestFaults injects a fault into an engine and requires that the largest group of the report names its cause.
func TestFaults(t *testing.T) {
	relative := func(t *testing.T) *bench {
		b := newBench(t, "pica200")
		for i := range 20 {
			v := map[string][]uint64{"a0": {uint64(i%5) - 2&0xffffffff, 0}, "r0": {9, 9, 9, 9}}
			v["a0"][0] = uint64(uint32(i%5 - 2))
			for n := 4; n < 14; n++ {
				v[fmt.Sprint("c", n)] = b.floats()
			}
			b.add(b.word("mov r0, c8[a0.x]"), v)
		}
		return b
	}
	every := func(s *State, name string, f func(k int, v uint64) uint64) {
		if r := find(s, name); r != nil {
			for k := range r.Values {
				r.Values[k] = f(k, r.Values[k])
			}
		}
	}
	pica := func(text string) func(t *testing.T) *bench {
		return func(t *testing.T) *bench { return picaFloats(t, text, 80) }
	}
	of := func(machine func(t *testing.T, text string, n int) *bench, text string) func(t *testing.T) *bench {
		return func(t *testing.T) *bench { return machine(t, text, 80) }
	}
	theory := func(text string) func(b *bench) func(v *Vector) *State {
		return func(b *bench) func(v *Vector) *State { return b.faulty(text) }
	}
	quirk := func(name, value string) func(b *bench) func(v *Vector) *State {
		return func(b *bench) func(v *Vector) *State {
			return b.engine(&theoryOf{cause: CauseQuirk, quirks: map[string]string{name: value}})
		}
	}
	change := func(f func(v *Vector, s *State)) func(b *bench) func(v *Vector) *State {
		return func(*bench) func(v *Vector) *State { return changed(f) }
	}
	for _, c := range []struct {
		name   string
		bench  func(t *testing.T) *bench
		engine func(b *bench) func(v *Vector) *State
		cause  Cause
		text   string // a part of the text of the largest group
	}{
		{"denormal operands", pica("mul r0, v0, r1"), theory("treats denormal operands as 0"), CauseDenormal, "denormal operands as 0"},
		{"denormal results", pica("mul r0, v0, r1"), theory("flushes denormal results to 0"), CauseDenormal, "flushes denormal results"},
		{"denormals in add", pica("add r0, v0, r1"), theory("treats denormal operands as 0 and flushes denormal results to 0"), CauseDenormal, "denormal operands as 0"},
		{"denormals kept", of(teslaFloats, "mul f32 $r0 $r1 $r2"), theory("keeps denormals that the machine flushes"), CauseDenormal, "keeps denormals"},
		{"0 × infinity", pica("mul r0, v0, r1"), theory("gives NaN for 0 × infinity, where the machine has another rule"), CauseNaN, "0 × infinity"},
		{"0 × infinity in dp4", pica("dp4 r0, v0, r1"), theory("gives NaN for 0 × infinity, where the machine has another rule"), CauseNaN, "0 × infinity"},
		{"0 × infinity is 0", of(teslaFloats, "mul f32 $r0 $r1 $r2"), quirk("zero_wins", "true"), CauseQuirk, "zero_wins=true"},
		{"toward 0", pica("add r0, v0, r1"), theory("rounds toward 0"), CauseRounding, "toward 0"},
		{"toward 0 in mul", of(teslaFloats, "mul f32 $r0 $r1 $r2"), theory("rounds toward 0"), CauseRounding, "toward 0"},
		{"up", pica("mul r0, v0, r1"), theory("rounds up"), CauseRounding, "up"},
		{"fused", pica("mad r0, v0, r1, r2"), theory("computes a product and a sum as a fused multiply-add, with one rounding"), CauseFused, "fused"},
		{"fused dp4", pica("dp4 r0, v0, r1"), theory("computes a product and a sum as a fused multiply-add, with one rounding"), CauseFused, "fused"},
		{"dp4 from the last", pica("dp4 r0, v0, r1"), theory(orders[0].text), CauseOrder, "from the last one to the first"},
		{"dp4 in pairs", pica("dp4 r0, v0, r1"), theory(orders[1].text), CauseOrder, "neighbouring pairs"},
		{"dp4 beginning with the last", pica("dp4 r0, v0, r1"), theory(orders[3].text), CauseOrder, "beginning with the last one"},
		{"dp4 with more precision", pica("dp4 r0, v0, r1"), theory("adds the terms of a sum with more precision, and rounds once"), CauseOrder, "more precision"},
		{"largest number", pica("mul r0, v0, r1"), theory("gives the largest number instead of infinity"), CauseOverflow, "largest number"},
		{"zero sign", pica("mul r0, v0, r1"), theory("gives +0 for results that are -0"), CauseZeroSign, "+0"},
		{"max with NaN", pica("max r0, v0, r1"), theory("treats a comparison with NaN as true"), CauseNaN, "NaN as true"},
		{"arithmetic shift", of(teslaNumbers, "shr u32 $r0 $r1 $r2"), theory("shifts copies of the sign in where the machine shifts zeros in"), CauseShift, "copies of the sign in where"},
		{"max of zeros", func(t *testing.T) *bench {
			b := picaFloats(t, "max r0, v0, r1", 50)
			for _, k := range []uint64{0, 0x80000000} {
				b.add(b.word("max r0, v0, r1"), map[string][]uint64{"v0": {k, 0, 1, 0}, "r1": {0, 0x80000000, 1, 0}, "r0": {9, 9, 9, 9}})
			}
			return b
		}, theory("decides comparisons of equal operands the other way (also 0 and -0)"), CauseComparison, "equal operands"},
		{"cmp with NaN", pica("cmp v0, lt, le, r1"), theory("treats a comparison with NaN as true"), CauseNaN, "NaN as true"},
		{"negation", pica("add r0, v0, -r1"), theory("does not negate"), CauseSign, "negate"},
		{"mova rounds", pica("mova a0.xy, v0"), quirk("mova_nearest", "true"), CauseQuirk, "mova_nearest=true"},
		{"24-bit floats", pica("mad r0, v0, r1, r2"), quirk("float", "f24"), CauseQuirk, "float=f24"},
		{"NaN times 0", pica("mul r0, v0, r1"), quirk("nan_zero", "true"), CauseQuirk, "nan_zero=true"},
		{"address ignored", relative, theory("ignores the address register of relative operands"), CauseAddress, "ignores the address register"},
		{"next register", relative, change(func(v *Vector, s *State) {
			n := 8 + int(int32(find(&v.Initial, "a0").Values[0])) + 1
			copy(find(s, "r0").Values, find(&v.Initial, fmt.Sprint("c", n)).Values)
		}), CauseAddress, "another register"},
		{"address twice", func(t *testing.T) *bench { return relative(t) }, change(func(v *Vector, s *State) {
			n := 8 + 2*int(int32(find(&v.Initial, "a0").Values[0]))
			copy(find(s, "r0").Values, find(&v.Initial, fmt.Sprint("c", n)).Values)
		}), CauseAddress, "another register"},
		{"write mask", pica("mul r0.xz, v0, r1"), change(func(v *Vector, s *State) {
			every(s, "r0", func(k int, x uint64) uint64 { return []uint64{x, 0x40000000, x, 0x40400000}[k] })
		}), CauseWriteMask, "outside the write mask"},
		{"not written", pica("mul r0, v0, r1"), change(func(v *Vector, s *State) {
			find(s, "r0").Values[3] = find(&v.Initial, "r0").Values[3]
		}), CauseWriteMask, "not written"},
		{"swizzle reversed", pica("mul r0, v0.wzyx, r1"), change(func(v *Vector, s *State) {
			for k := range 4 {
				x, y := find(&v.Initial, "v0").Values[k], find(&v.Initial, "r1").Values[k]
				find(s, "r0").Values[k] = mulPICA(x, y)
			}
		}), CauseComponents, "swizzle"},
		{"another source", pica("mul r0, v0, r1"), change(func(v *Vector, s *State) {
			for k := range 4 {
				find(s, "r0").Values[k] = mulPICA(find(&v.Initial, "v0").Values[k], find(&v.Initial, "r2").Values[k])
			}
		}), CauseBank, "another register"},
		{"old value", pica("add r0, v0, r1"), change(func(v *Vector, s *State) {
			copy(find(s, "r0").Values, find(&v.Initial, "r0").Values)
		}), CauseOldValue, "keeps its old value"},
		{"another destination", pica("add r0, v0, r1"), change(func(v *Vector, s *State) {
			copy(find(s, "r2").Values, find(s, "r0").Values)
			copy(find(s, "r0").Values, find(&v.Initial, "r0").Values)
		}), CauseBank, "the result is in another register"},
		{"writes one after another", pica("add r1, v0, r1.wzyx"), theory("writes components one after another, and reads new values for the later ones"), CauseWriteOrder, "one after another"},
		{"imprecise", pica("rcp r0.x, v0.x"), change(func(_ *Vector, s *State) {
			if x := find(s, "r0").Values[0]; x&0x7f800000 != 0x7f800000 && x&0x7f800000 != 0 {
				find(s, "r0").Values[0] += 3
			}
		}), CausePrecision, "up to 4 units"},
		{"one unit", pica("rcp r0.x, v0.x"), change(func(_ *Vector, s *State) {
			if x := find(s, "r0").Values[0]; x&0x7f800000 != 0x7f800000 && x&0x7f800000 != 0 {
				find(s, "r0").Values[0]++
			}
		}), CauseRounding, "too large in magnitude"},
		{"flags missing", of(teslaNumbers, "add b32 $c0 $r0 $r1 $r2"), change(func(v *Vector, s *State) {
			copy(find(s, "c0").Values, find(&v.Initial, "c0").Values)
		}), CauseFlags, "the flags in c"},
		{"program counter", pica("add r0, v0, r1"), change(func(_ *Vector, s *State) { s.PC += 2 }), CauseCounter, "jumps where it should not"},
		{"jump not taken", func(t *testing.T) *bench {
			b := newBench(t, "tesla")
			b.add(b.word("bra 0x20"), nil)
			return b
		}, change(func(_ *Vector, s *State) { s.PC = 8 }), CauseCounter, "a jump is not taken"},
		{"shift counts", of(teslaNumbers, "shl b32 $r0 $r1 $r2"), theory("takes the count of a shift modulo the width"), CauseShift, "modulo"},
		{"logical shift", of(teslaNumbers, "shr s32 $r0 $r1 $r2"), theory("shifts zeros in where the machine shifts copies of the sign in"), CauseShift, "shifts zeros in"},
		{"sign", of(teslaNumbers, "cvt s32 $r0 s16 $r1l"), theory("extends signed values with zeros"), CauseExtension, "with zeros"},
		{"zeros", of(teslaNumbers, "cvt u32 $r0 u16 $r1l"), theory("extends unsigned values with their highest bit"), CauseExtension, "highest bit"},
		{"conversion rounds", of(teslaFloats, "cvt rni s32 $r0 f32 $r1"), theory("rounds floats to integers toward 0"), CauseConversion, "toward 0"},
		{"conversion like x86", of(teslaFloats, "cvt rni s32 $r0 f32 $r1"), theory("converts numbers beyond the range of an integer to the smallest one, as x86 does"), CauseConversion, "x86"},
		{"saturation", of(teslaFloats, "add sat f32 $r0 $r1 $r2"), theory("does not clamp"), CauseClamp, "does not clamp"},
		{"fused on Tesla", of(teslaFloats, "add f32 $r0 (mul $r1 $r2) $r3"), theory("computes a product and a sum as a fused multiply-add, with one rounding"), CauseFused, "fused"},
		{"product to nearest", of(teslaFloats, "add f32 $r0 (mul $r1 $r2) $r3"), theory("rounds the product of a multiply-add to nearest, where the machine truncates it"), CauseRounding, "truncates it"},
		{"predicate", func(t *testing.T) *bench {
			b := newBench(t, "tesla")
			for i := range 16 {
				b.add(b.word("(e $c0) add b32 $r0 $r1 $r2"), map[string][]uint64{"r0": {7}, "r1": {uint64(i)}, "r2": {100}, "c0": {uint64(i)}})
			}
			return b
		}, theory("ignores the condition or predicate of an instruction"), CauseCondition, "predicate"},
		{"byte order", func(t *testing.T) *bench {
			b := newBench(t, "tesla")
			b.add(b.word("st b32 s[0x10] $r1"), map[string][]uint64{"r1": {0x12345678}})
			return b
		}, change(func(_ *Vector, s *State) { slices.Reverse(s.Memories[0].Bytes[0x10:0x14]) }), CauseByteOrder, "reverse"},
		{"too few bytes", func(t *testing.T) *bench {
			b := newBench(t, "tesla")
			b.add(b.word("st b32 s[0x10] $r1"), map[string][]uint64{"r1": {0x12345678}})
			return b
		}, change(func(_ *Vector, s *State) { clear(s.Memories[0].Bytes[0x12:0x14]) }), CauseMemory, "too few bytes"},
		{"another address", func(t *testing.T) *bench {
			b := newBench(t, "tesla")
			b.add(b.word("st b32 s[0x10] $r1"), map[string][]uint64{"r1": {0x12345678}})
			return b
		}, change(func(_ *Vector, s *State) {
			copy(s.Memories[0].Bytes[0x20:], s.Memories[0].Bytes[0x10:0x14])
			clear(s.Memories[0].Bytes[0x10:0x14])
		}), CauseMemory, "another address"},
		{"missing", pica("add r0, v0, r1"), change(func(v *Vector, s *State) {
			if v.Name != "test/1" { // a file that no result contains is not compared
				s.Registers = slices.DeleteFunc(s.Registers, func(r Register) bool { return nameOf(&r) == "r0" })
			}
		}), CauseMissing, "does not contain"},
		{"fused on A2XX", of(a2xxFloats, "ALU: MULADDv R0 = R1, R2, R3"), quirk("mad", "once"), CauseQuirk, "mad=once"},
		{"dot on A2XX", of(a2xxFloats, "ALU: DOT4v R0 = R1, R2"), theory(orders[1].text), CauseOrder, "neighbouring pairs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.bench(t)
			r := b.check(b.answers(c.engine(b)), CheckOptions{})
			if len(r.Groups) == 0 {
				t.Fatal("no difference")
			}
			if g := r.Groups[0]; g.Cause != c.cause || !strings.Contains(g.Text, c.text) || len(r.Groups) > 1 && len(g.Vectors) < r.Differ*2/3 {
				t.Errorf("expected %s: %s, got\n%s", c.cause, c.text, r.Append(nil))
			}
			if len(r.Stale) > 0 {
				t.Errorf("stale: %v", r.Stale)
			}
		})
	}
}

type theoryOf = theory

// mulPICA is mul of PICA200, for values that are not NaN.
func mulPICA(x, y uint64) uint64 {
	a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
	v := a * b
	if v != v && a == a && b == b {
		v = 0
	}
	return uint64(math.Float32bits(v))
}
