package bitblast

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// machines are the machines whose instructions are tested.
var machines = []string{"pica200", "tegra", "a2xx", "tesla", "small"}

// wordsOfMachine is the number of words that each test takes of a machine, and at least one of each instruction.
const wordsOfMachine = 100

// instructions calls f with random words of all instructions of a machine. The word is at address 16 of the program.
func instructions(t testing.TB, machine string, f func(p *exec.Program, name string, code *sem.Code)) {
	set, err := loadMachine(machine)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	words := roundtrip.NewWords(set, 1)
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	tables := make([][]bits.Value, len(set.Tables()))
	for i := range tables {
		for range 16 {
			tables[i] = append(tables[i], words.Random())
		}
	}
	for _, leaf := range root.Leaves {
		for range max(1, wordsOfMachine/len(root.Leaves)) {
			word, inner := words.Leaf(leaf), map[uint64]bits.Value{}
			p := exec.NewProgram(m, exec.Words{
				Root: root, Context: set.DefaultContext(), Tables: tables,
				Fetch: func(addr uint64) (bits.Value, bool) { return word, addr == 16 },
				Inner: func(root *isa.Root, number uint64) (bits.Value, bool) {
					if _, ok := inner[number]; !ok {
						inner[number] = words.Leaf(root.Leaves[int(number)%len(root.Leaves)])
					}
					return inner[number], true
				},
			})
			if code, err := p.Code(inside.Key{}, 16); err == nil {
				f(p, leaf.Name, code)
			}
		}
	}
}

func loadMachine(name string) (*isa.Set, error) {
	if name == "small" {
		return isa.Load(fstest.MapFS{"small.xml": {Data: []byte(small)}}, "small.xml", isa.Options{})
	}
	at := slices.IndexFunc(catalog.Machines(), func(m catalog.Machine) bool { return m.Name == name })
	return catalog.Machines()[at].Load(isa.Options{})
}

// each calls f for random instructions of all machines.
func each(t *testing.T, f func(t *testing.T, p *exec.Program, name string, code *sem.Code)) {
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) {
			operations := 0
			instructions(t, machine, func(p *exec.Program, name string, code *sem.Code) {
				operations += len(code.Insts)
				f(t, p, name, code)
			})
			if operations < 300 {
				t.Errorf("only %d operations", operations)
			}
		})
	}
}

// options are those of a wave of some lanes, whose memories have sizes.
func options(p *exec.Program, lanes int) Options {
	opt := Options{Lanes: lanes, ZeroResults: true, Sizes: map[*sem.State]uint64{}}
	for _, st := range p.Machine.Inside(inside.Key{}).States {
		if st.Kind == sem.MemoryState && st.Count == 0 {
			opt.Sizes[st] = 1 << 12
		}
	}
	return opt
}

// place is a component of a register, a slot of an entry from the top of a stack, or a byte of a memory.
type place struct {
	owned
	number uint64
	comp   int
}

// state is a random state before an instruction. Values are chosen at the first use.
type state struct {
	rnd    *rand.Rand
	lanes  int
	values map[place]uint64
	depths map[owned]int
}

func newState(rnd *rand.Rand, opt *Options) *state {
	return &state{rnd, max(1, opt.Lanes), map[place]uint64{}, map[owned]int{}}
}

// interesting are bits of floats and of integers that decide something.
var interesting = []uint64{0, 1, 2, 3, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x3f800000, 0xbf800000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x7fffffff, 0xffffffff}

func (s *state) get(p place, width int) uint64 {
	v, ok := s.values[p]
	if !ok {
		switch v = s.rnd.Uint64(); s.rnd.IntN(4) {
		case 0:
			v = interesting[s.rnd.IntN(len(interesting))]
		case 1:
			v = s.rnd.Uint64N(8)
		}
		if p.Kind == sem.FileState && p.InitExists {
			v &= 1<<s.lanes - 1
		}
		if p.Kind == sem.FileState && p.Type.Kind == sem.Float && s.rnd.IntN(2) == 0 {
			v = interesting[s.rnd.IntN(len(interesting))]
		}
		v &= ^uint64(0) >> (64 - width)
		s.values[p] = v
	}
	return v
}

func (s *state) depth(st owned) int {
	if _, ok := s.depths[st]; !ok {
		s.depths[st] = s.rnd.IntN(st.Count + 1)
		if st.Count > 16 && s.rnd.IntN(2) == 0 {
			s.depths[st] = s.rnd.IntN(4)
		}
	}
	return s.depths[st]
}

// run runs an instruction from a state, in the order of operations that docs/ir.md describes.
func run(code *sem.Code, opt *Options, before *state) *runner {
	r := &runner{code: code, opt: opt, before: before, regs: map[place]uint64{}, stacks: map[owned][][]uint64{}}
	for range before.lanes {
		r.values = append(r.values, make([]uint64, len(code.Insts)))
	}
	for i := 0; i < len(code.Insts); i++ {
		in := &code.Insts[i]
		if in.Op == sem.OpAtomic {
			for lane := range before.lanes {
				for k := i + 1; k < int(in.Imm); k++ {
					r.step(sem.ID(k), &code.Insts[k], lane)
				}
			}
			i = int(in.Imm) - 1
			continue
		}
		for lane := range before.lanes {
			if in.Uniform && lane > 0 {
				r.values[lane][i] = r.values[0][i]
			} else {
				r.step(sem.ID(i), in, lane)
			}
		}
	}
	return r
}

type runner struct {
	code   *sem.Code
	opt    *Options
	before *state
	values [][]uint64 // by lane and operation
	regs   map[place]uint64
	stacks map[owned][][]uint64
}

func owner(st *sem.State, lane int) owned {
	if st.Scope >= spec.ScopeWave {
		lane = 0
	}
	return owned{st, lane}
}

func (r *runner) get(p place, width int) uint64 {
	if v, ok := r.regs[p]; ok {
		return v
	}
	switch {
	case p.Kind == sem.MemoryState:
	case p.ReadOnly:
		return p.Values[int(p.number)*p.Type.Count()+p.comp]
	case initial(p.State):
		return p.Init
	}
	return r.before.get(p, width)
}

func (r *runner) stack(st owned) [][]uint64 {
	if s, ok := r.stacks[st]; ok {
		return s
	}
	var list [][]uint64
	for n := r.before.depth(st) - 1; n >= 0; n-- {
		var entry []uint64
		for k, slot := range st.Slots {
			entry = append(entry, r.before.get(place{st, uint64(n), k}, slot.Type.Width))
		}
		list = append(list, entry)
	}
	r.stacks[st] = list
	return list
}

// register returns the register that an operation accesses.
func (r *runner) register(in *sem.Inst, lane int) (n uint64, ok bool) {
	n = in.Imm
	if in.Op == sem.OpReadX || in.Op == sem.OpWriteX {
		n = r.values[lane][in.A]
		if t := r.code.Insts[in.A].Type(); t.Kind == sem.Sint {
			n = uint64(int64(n<<(64-t.Width)) >> (64 - t.Width))
		}
	}
	count := uint64(in.State.Count)
	if in.State.Outside == sem.OutsideWrap {
		n %= count
	} else if in.State.Allocated && r.opt.Allocated > 0 {
		count = uint64(r.opt.Allocated)
	}
	return n, n < count
}

func (r *runner) inside(in *sem.Inst, lane int) bool {
	size := uint64(in.State.Count)
	if n, ok := r.opt.Sizes[in.State]; ok {
		size = n
	}
	return size == 0 || in.Imm <= size && r.values[lane][in.A] <= size-in.Imm
}

func (r *runner) step(id sem.ID, in *sem.Inst, lane int) {
	get := func(a sem.ID, lane int) uint64 {
		if a == sem.NoID {
			return 0
		}
		return r.values[lane][a]
	}
	holds := func(lane int) bool { return in.Guard == sem.NoID || get(in.Guard, lane) != 0 }
	a, b, c, guard := get(in.A, lane), get(in.B, lane), get(in.C, lane), holds(lane)
	v := &r.values[lane][id]
	var st owned
	if in.State != nil {
		st = owner(in.State, lane)
	}
	switch in.Op {
	case sem.OpConst:
		*v = in.Imm
	case sem.OpRead, sem.OpReadX:
		*v = st.OutsideBits
		if n, ok := r.register(in, lane); ok {
			*v = r.get(place{st, n, in.Comp}, in.Type().Width)
		}
	case sem.OpWrite, sem.OpWriteX:
		if n, ok := r.register(in, lane); ok && guard {
			r.regs[place{st, n, in.Comp}] = b
		}
	case sem.OpLoad:
		*v = 0
		for i := range in.Imm {
			if r.inside(in, lane) {
				*v |= r.get(place{st, a + i, 0}, 8) << (8 * i)
			}
		}
	case sem.OpStore:
		for i := range in.Imm {
			if guard && r.inside(in, lane) {
				r.regs[place{st, a + i, 0}] = b >> (8 * i) & 0xff
			}
		}
	case sem.OpTop:
		if s := r.stack(st); in.Imm < uint64(len(s)) {
			*v = s[len(s)-1-int(in.Imm)][in.Comp]
		}
	case sem.OpDepth:
		*v = uint64(len(r.stack(st)))
	case sem.OpEmpty:
		*v = uint64(b2i(len(r.stack(st)) == 0))
	case sem.OpPush:
		s := r.stack(st)
		if !guard || len(s) == st.Count && st.FullTraps {
			break
		}
		if len(s) == st.Count {
			s = s[1:]
		}
		var entry []uint64
		for _, x := range in.Args() {
			entry = append(entry, get(x, lane))
		}
		r.stacks[st] = append(slices.Clip(s), entry)
	case sem.OpPop:
		if s := r.stack(st); guard && len(s) > 0 {
			r.stacks[st] = s[:len(s)-1]
		}
	case sem.OpLane:
		*v = uint64(lane)
	case sem.OpExists:
		*v = 1<<r.before.lanes - 1
	case sem.OpAny, sem.OpAll, sem.OpBallot:
		ballot, asked := uint64(0), uint64(0)
		for lane := range r.before.lanes {
			asked |= uint64(b2i(holds(lane))) << lane
			ballot |= uint64(b2i(holds(lane) && get(in.A, lane) != 0)) << lane
		}
		*v = map[sem.Op]uint64{sem.OpAny: uint64(b2i(ballot != 0)), sem.OpAll: uint64(b2i(ballot == asked)), sem.OpBallot: ballot}[in.Op]
	case sem.OpFrom:
		if *v = 0; b < uint64(r.before.lanes) {
			*v = get(in.A, int(b))
		}
	case sem.OpLanesOf:
		*v = a >> lane & 1
	default:
		if in.Op.Pure() {
			*v = sem.Apply(in, a, b, c)
		}
	}
}

// assign returns the inputs of a solver for a state and the values that the instruction has in it.
func assign(s *Solver, before *state, values [][]uint64) map[int]uint64 {
	e := &evaluator{s: s, inputs: map[int]uint64{}}
	for n, o := range s.opaque {
		e.inputs[n] = values[o.lane][o.id] >> o.bit & 1
	}
	type group struct {
		inputs circuit.Vec
		value  func() uint64
	}
	var groups []group
	for a, list := range s.arrays {
		for _, x := range *list {
			groups = append(groups, group{x.inputs, func() uint64 {
				return before.get(place{a.owned, e.value(x.number), a.comp}, a.Type.Width)
			}})
		}
	}
	for of, list := range s.loads {
		for _, x := range *list {
			groups = append(groups, group{x.inputs, func() (v uint64) {
				at := e.value(s.value(x.address))
				for i := range x.size {
					v |= before.get(place{of, at + uint64(i), 0}, 8) << (8 * i)
				}
				return v
			}})
		}
	}
	for of, k := range s.stacks {
		for n, x := range k.entries {
			groups = append(groups, group{x, func() uint64 {
				return before.get(place{of, uint64(n / len(k.Slots)), n % len(k.Slots)}, len(x))
			}})
		}
		if k.raw != nil {
			groups = append(groups, group{k.raw, func() uint64 { return uint64(before.depth(of)) }})
		}
	}
	first := func(g group) int { return g.inputs[0].Node() }
	slices.SortFunc(groups, func(a, b group) int { return first(a) - first(b) })
	for _, g := range groups {
		v := g.value()
		for i, l := range g.inputs {
			if l > circuit.True {
				e.inputs[l.Node()] = v >> i & 1
			}
		}
	}
	return e.inputs
}

// TestValues compares the values of all operations of random instructions with those that sem.Apply gives, in random states.
// The opaque bits have the values that the operations give, so that the rules for opaque values are tested, too.
func TestValues(t *testing.T) {
	each(t, func(t *testing.T, p *exec.Program, name string, code *sem.Code) {
		rnd := rand.New(rand.NewPCG(3, uint64(len(code.Insts))))
		opt := options(p, 1+3*rnd.IntN(2))
		s := New(code, opt)
		var ops []op
		var list []circuit.Lit
		for i := range code.Insts {
			for lane := range s.lanes {
				if v := s.ValueIn(sem.ID(i), lane); v != nil {
					ops, list = append(ops, op{sem.ID(i), lane}), append(list, v...)
				}
			}
		}
		for range 3 {
			before := newState(rnd, &opt)
			want := run(code, &opt, before)
			bits := s.Evaluate(assign(s, before, want.values), list...)
			for _, o := range ops {
				var got uint64
				width := len(s.value(o))
				for i := range width {
					got |= bits[i] & 1 << i
				}
				if bits = bits[width:]; got != want.values[o.lane][o.id] {
					t.Fatalf("%s: %%%d, %s, lane %d: %#x, expected %#x\n%s", name, o.id, code.Insts[o.id].Op, o.lane, got, want.values[o.lane][o.id], code)
				}
			}
		}
	})
}

// TestModels solves guards both ways. A guard that does not depend on opaque values has the value in the state of the model,
// whatever the rest of the state is. A guard that never holds holds in no random state. At most 1 % of the guards are unknown or
// depend on opaque values.
func TestModels(t *testing.T) {
	solved, open := 0, 0
	each(t, func(t *testing.T, p *exec.Program, name string, code *sem.Code) {
		rnd := rand.New(rand.NewPCG(5, uint64(len(code.Insts))))
		opt := options(p, 1+3*rnd.IntN(2))
		s := New(code, opt)
		for guard := range guards(code) {
			if len(code.Insts) > 100 && rnd.IntN(3) > 0 { // for time
				continue
			}
			lane := s.op(guard, rnd.IntN(s.lanes)).lane
			for holds := range 2 {
				goal := s.ValueIn(guard, lane)[0] ^ circuit.Lit(1-holds)
				m, answer := s.Solve(goal)
				if solved++; answer == circuit.Unknown || s.Opaque(goal) {
					open++
				}
				for range 3 {
					before := newState(rnd, &opt)
					if m != nil {
						before.set(m)
					}
					got := run(code, &opt, before).values[lane][guard]
					if answer == circuit.Sometimes && !s.Opaque(goal) && got != uint64(holds) || answer == circuit.Never && got == uint64(holds) {
						t.Fatalf("%s: %%%d is %d, expected %d; answer %d, model %+v\n%s", name, guard, got, holds, answer, m, code)
					}
				}
			}
		}
	})
	if open*100 > solved {
		t.Errorf("%d of %d guards are unknown or depend on opaque values", open, solved)
	}
}

// guards returns the guards of the operations.
func guards(code *sem.Code) map[sem.ID]bool {
	set := map[sem.ID]bool{}
	for i := range code.Insts {
		if g := code.Insts[i].Guard; g != sem.NoID {
			set[g] = true
		}
	}
	return set
}

// set sets what a model lists.
func (s *state) set(m *Model) {
	for _, r := range m.Registers {
		s.values[place{owned{r.State, r.Lane}, uint64(r.Number), r.Comp}] = r.Bits
	}
	for _, k := range m.Stacks {
		s.depths[owned{k.State, k.Lane}] = len(k.Entries)
		for i, e := range k.Entries {
			for slot, v := range e {
				s.values[place{owned{k.State, k.Lane}, uint64(len(k.Entries) - 1 - i), slot}] = v
			}
		}
	}
	for _, b := range m.Memories {
		s.values[place{owned{b.State, b.Lane}, b.Address, 0}] = uint64(b.Value)
	}
}

// TestRunner compares the runner of this test with the plain engine.
func TestRunner(t *testing.T) {
	each(t, func(t *testing.T, p *exec.Program, name string, code *sem.Code) {
		rnd := rand.New(rand.NewPCG(7, uint64(len(code.Insts))))
		opt := options(p, 1+3*rnd.IntN(2))
		before := newState(rnd, &opt)
		after := run(code, &opt, before)
		w := exec.NewWave(p)
		w.Start(before.lanes, 16)
		w.Services = map[string]exec.Service{}
		for i := range code.Insts {
			if c := code.Insts[i].Service(); c != nil {
				w.Services[c.Name] = func(*exec.Call) {}
			}
		}
		for st, size := range opt.Sizes {
			w.SetSize(p.Machine.States[st.Index], int(size))
		}
		byteOf := func(at place) *byte {
			data, n := w.Memory(p.Machine.States[at.Index]), 0
			if at.Scope == spec.ScopeLane {
				n = at.lane * len(data) / exec.Lanes
			}
			return &data[n+int(at.number)]
		}
		for at, v := range before.values {
			switch st := p.Machine.States[at.Index]; at.Kind {
			case sem.FileState:
				w.Set(st, int(at.number), at.comp, at.lane, v)
			case sem.MemoryState:
				*byteOf(at) = byte(v)
			}
		}
		for st, n := range before.depths {
			for n--; n >= 0; n-- {
				var entry []uint64
				for k, slot := range st.Slots {
					entry = append(entry, before.get(place{st, uint64(n), k}, slot.Type.Width))
				}
				w.PushEntry(p.Machine.States[st.Index], st.lane, entry)
			}
		}
		w.Step()
		for at, v := range after.regs {
			var got uint64
			switch st := p.Machine.States[at.Index]; at.Kind {
			case sem.FileState:
				got = w.Get(st, int(at.number), at.comp, at.lane)
			case sem.MemoryState:
				got = uint64(*byteOf(at))
			}
			if typ := at.Type.Elem(); sem.Canonical(got, typ) != sem.Canonical(v, typ) {
				t.Fatalf("%s: %s[%d] component %d, lane %d is %#x in the engine, %#x in the runner\n%s", name, at.Name, at.number, at.comp, at.lane, got, v, code)
			}
		}
		for st, list := range after.stacks {
			state := p.Machine.States[st.Index]
			if got := w.Depth(state, st.lane); got != len(list) {
				t.Fatalf("%s: stack %s has %d entries in the engine, %d in the runner\n%s", name, st.Name, got, len(list), code)
			}
			for i := range list {
				for slot, v := range list[len(list)-1-i] {
					if got := w.Entry(state, i, slot, st.lane); got != v {
						t.Fatalf("%s: stack %s, entry %d: %#x in the engine, %#x in the runner\n%s", name, st.Name, i, got, v, code)
					}
				}
			}
		}
	})
}

// BenchmarkGuards solves all guards both ways. It reports how many never hold, how many are unknown, and how many depend on
// opaque values, in percent.
func BenchmarkGuards(b *testing.B) {
	for _, machine := range machines {
		for _, lanes := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/%d", machine, lanes), func(b *testing.B) {
				var list []*sem.Code
				var opt Options
				instructions(b, machine, func(p *exec.Program, _ string, code *sem.Code) {
					list, opt = append(list, code), options(p, lanes)
				})
				var counts [3]float64
				opaque, longest := 0.0, time.Duration(0)
				n := 0
				for b.Loop() {
					start := time.Now()
					s := New(list[n%len(list)], opt)
					for guard := range guards(s.code) {
						for not := range circuit.Lit(2) {
							goal := s.Value(guard)[0] ^ not
							_, answer := s.Solve(goal)
							if counts[answer]++; s.Opaque(goal) {
								opaque++
							}
						}
					}
					longest = max(longest, time.Since(start))
					n++
				}
				all := max(1, counts[circuit.Never]+counts[circuit.Sometimes]+counts[circuit.Unknown]) / 100
				b.ReportMetric(counts[circuit.Never]/all, "%never")
				b.ReportMetric(counts[circuit.Unknown]/all, "%unknown")
				b.ReportMetric(opaque/all, "%opaque")
				b.ReportMetric(longest.Seconds()*1000, "ms-longest")
			})
		}
	}
}
