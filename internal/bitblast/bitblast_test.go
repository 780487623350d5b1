package bitblast

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// machines are the machines whose instructions are tested.
var machines = []string{"pica200", "tegra", "a2xx", "tesla"}

// wordsOfMachine is the number of words that each test takes of a machine, and at least one of each instruction.
const wordsOfMachine = 200

// instructions calls f with random words of all instructions of a machine. The word is at address 16 of the program.
func instructions(t testing.TB, machine string, f func(p *exec.Program, name string, code *sem.Code)) {
	at := slices.IndexFunc(catalog.Machines(), func(m catalog.Machine) bool { return m.Name == machine })
	set, err := catalog.Machines()[at].Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(err)
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

// each calls f for random instructions of all machines.
func each(t *testing.T, f func(t *testing.T, p *exec.Program, name string, code *sem.Code)) {
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) {
			operations := 0
			instructions(t, machine, func(p *exec.Program, name string, code *sem.Code) {
				operations += len(code.Insts)
				f(t, p, name, code)
			})
			if operations < 500 {
				t.Errorf("only %d operations", operations)
			}
		})
	}
}

// options are those of a launch whose memories have sizes.
func options(p *exec.Program) Options {
	opt := Options{ZeroResults: true, Sizes: map[*sem.State]uint64{}}
	for _, st := range p.Machine.Inside(inside.Key{}).States {
		if st.Kind == sem.MemoryState && st.Count == 0 {
			opt.Sizes[st] = 1 << 12
		}
	}
	return opt
}

// place is a component of a register, a slot of an entry from the top of a stack (Count is its entries), or a byte of a memory.
type place struct {
	*sem.State
	number uint64
	comp   int
}

// state is a random state before an instruction. Values are chosen at the first use.
type state struct {
	rnd    *rand.Rand
	values map[place]uint64
	depths map[*sem.State]int
}

func newState(rnd *rand.Rand) *state {
	return &state{rnd, map[place]uint64{}, map[*sem.State]int{}}
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
			v &= 1
		}
		if p.Kind == sem.FileState && p.Type.Kind == sem.Float && s.rnd.IntN(2) == 0 {
			v = interesting[s.rnd.IntN(len(interesting))]
		}
		v &= ^uint64(0) >> (64 - width)
		s.values[p] = v
	}
	return v
}

func (s *state) depth(st *sem.State) int {
	if _, ok := s.depths[st]; !ok {
		s.depths[st] = s.rnd.IntN(st.Count + 1)
		if st.Count > 16 && s.rnd.IntN(2) == 0 {
			s.depths[st] = s.rnd.IntN(4)
		}
	}
	return s.depths[st]
}

// run runs an instruction in one lane, from the state.
func run(code *sem.Code, opt *Options, before *state) *runner {
	r := &runner{code: code, opt: opt, before: before, values: make([]uint64, len(code.Insts)), regs: map[place]uint64{}, stacks: map[*sem.State][][]uint64{}}
	for i := range code.Insts {
		r.step(sem.ID(i), &code.Insts[i])
	}
	return r
}

type runner struct {
	code   *sem.Code
	opt    *Options
	before *state
	values []uint64
	regs   map[place]uint64
	stacks map[*sem.State][][]uint64
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

func (r *runner) stack(st *sem.State) [][]uint64 {
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
func (r *runner) register(in *sem.Inst) (n uint64, ok bool) {
	n = in.Imm
	if in.Op == sem.OpReadX || in.Op == sem.OpWriteX {
		n = r.values[in.A]
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

func (r *runner) inside(in *sem.Inst) bool {
	size := uint64(in.State.Count)
	if n, ok := r.opt.Sizes[in.State]; ok {
		size = n
	}
	return size == 0 || in.Imm <= size && r.values[in.A] <= size-in.Imm
}

func (r *runner) step(id sem.ID, in *sem.Inst) {
	get := func(a sem.ID) uint64 {
		if a == sem.NoID {
			return 0
		}
		return r.values[a]
	}
	a, b, c, guard := get(in.A), get(in.B), get(in.C), in.Guard == sem.NoID || get(in.Guard) != 0
	v := &r.values[id]
	st := in.State
	switch in.Op {
	case sem.OpConst:
		*v = in.Imm
	case sem.OpRead, sem.OpReadX:
		*v = st.OutsideBits
		if n, ok := r.register(in); ok {
			*v = r.get(place{st, n, in.Comp}, in.Type().Width)
		}
	case sem.OpWrite, sem.OpWriteX:
		if n, ok := r.register(in); ok && guard {
			r.regs[place{st, n, in.Comp}] = b
		}
	case sem.OpLoad:
		for i := range in.Imm {
			if r.inside(in) {
				*v |= r.get(place{st, a + i, 0}, 8) << (8 * i)
			}
		}
	case sem.OpStore:
		for i := range in.Imm {
			if guard && r.inside(in) {
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
			entry = append(entry, get(x))
		}
		r.stacks[st] = append(slices.Clip(s), entry)
	case sem.OpPop:
		if s := r.stack(st); guard && len(s) > 0 {
			r.stacks[st] = s[:len(s)-1]
		}
	case sem.OpLane:
		*v = 0
	case sem.OpExists:
		*v = 1
	case sem.OpAny:
		*v = uint64(b2i(guard && a != 0))
	case sem.OpAll:
		*v = uint64(b2i(!guard || a != 0))
	case sem.OpBallot:
		*v = uint64(b2i(guard && a != 0))
	case sem.OpFrom:
		if b == 0 {
			*v = a
		}
	case sem.OpLanesOf:
		*v = a & 1
	case sem.OpResult:
		*v = 0
	default:
		if in.Op.Pure() {
			*v = sem.Apply(in, a, b, c)
		}
	}
}

// assign returns the inputs of a solver for a state and the values that the instruction has in it.
func assign(s *Solver, before *state, values []uint64) map[int]uint64 {
	e := &evaluator{s: s, inputs: map[int]uint64{}}
	for n, o := range s.opaque {
		e.inputs[n] = values[o.id] >> o.bit & 1
	}
	type group struct {
		inputs circuit.Vec
		value  func() uint64
	}
	var groups []group
	for a, list := range s.arrays {
		for _, x := range *list {
			groups = append(groups, group{x.inputs, func() uint64 {
				return before.get(place{a.State, e.value(x.number), a.comp}, a.Type.Width)
			}})
		}
	}
	for st, list := range s.loads {
		for _, x := range *list {
			groups = append(groups, group{x.inputs, func() (v uint64) {
				at := e.value(s.Value(x.address))
				for i := range x.size {
					v |= before.get(place{st, at + uint64(i), 0}, 8) << (8 * i)
				}
				return v
			}})
		}
	}
	for st, k := range s.stacks {
		for n, x := range k.entries {
			groups = append(groups, group{x, func() uint64 {
				return before.get(place{st, uint64(n / len(k.Slots)), n % len(k.Slots)}, len(x))
			}})
		}
		if k.raw != nil {
			groups = append(groups, group{k.raw, func() uint64 { return uint64(before.depth(st)) }})
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
		opt := options(p)
		s := New(code, opt)
		var ids []sem.ID
		var list []circuit.Lit
		for i := range code.Insts {
			if v := s.Value(sem.ID(i)); v != nil {
				ids, list = append(ids, sem.ID(i)), append(list, v...)
			}
		}
		for range 3 {
			before := newState(rnd)
			want := run(code, &opt, before)
			bits := s.Evaluate(assign(s, before, want.values), list...)
			for _, id := range ids {
				var got uint64
				width := len(s.values[id])
				for i := range width {
					got |= bits[i] & 1 << i
				}
				if bits = bits[width:]; got != want.values[id] {
					t.Fatalf("%s: %%%d, %s: %#x, expected %#x\n%s", name, id, code.Insts[id].Op, got, want.values[id], code)
				}
			}
		}
	})
}

// TestModels solves each guard both ways. A guard that does not depend on opaque values has the value in the state of the model,
// whatever the rest of the state is. A guard that never holds holds in no random state.
func TestModels(t *testing.T) {
	each(t, func(t *testing.T, p *exec.Program, name string, code *sem.Code) {
		rnd := rand.New(rand.NewPCG(5, uint64(len(code.Insts))))
		opt := options(p)
		s := New(code, opt)
		for guard := range guards(code) {
			for holds := range 2 {
				goal := s.Value(guard)[0] ^ circuit.Lit(1-holds)
				m, answer := s.Solve(goal)
				for range 3 {
					before := newState(rnd)
					if m != nil {
						before.set(m)
					}
					got := run(code, &opt, before).values[guard]
					if answer == circuit.Sometimes && !s.Opaque(goal) && got != uint64(holds) || answer == circuit.Never && got == uint64(holds) {
						t.Fatalf("%s: %%%d is %d, expected %d; answer %d, model %+v\n%s", name, guard, got, holds, answer, m, code)
					}
				}
			}
		}
	})
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
		s.values[place{r.State, uint64(r.Number), r.Comp}] = r.Bits
	}
	for _, k := range m.Stacks {
		s.depths[k.State] = len(k.Entries)
		for i, e := range k.Entries {
			for slot, v := range e {
				s.values[place{k.State, uint64(len(k.Entries) - 1 - i), slot}] = v
			}
		}
	}
	for _, b := range m.Memories {
		s.values[place{b.State, b.Address, 0}] = uint64(b.Value)
	}
}

// TestRunner compares the runner of this test with the plain engine.
func TestRunner(t *testing.T) {
	each(t, func(t *testing.T, p *exec.Program, name string, code *sem.Code) {
		rnd := rand.New(rand.NewPCG(7, uint64(len(code.Insts))))
		opt := options(p)
		before := newState(rnd)
		after := run(code, &opt, before)
		w := exec.NewWave(p)
		w.Start(1, 16)
		w.Services = map[string]exec.Service{}
		for i := range code.Insts {
			if c := code.Insts[i].Service(); c != nil {
				w.Services[c.Name] = func(*exec.Call) {}
			}
		}
		for st, size := range opt.Sizes {
			w.SetSize(p.Machine.States[st.Index], int(size))
		}
		for at, v := range before.values {
			switch st := p.Machine.States[at.Index]; at.Kind {
			case sem.FileState:
				w.Set(st, int(at.number), at.comp, 0, v)
			case sem.MemoryState:
				w.Memory(st)[at.number] = byte(v)
			}
		}
		for st, n := range before.depths {
			for n--; n >= 0; n-- {
				var entry []uint64
				for k, slot := range st.Slots {
					entry = append(entry, before.get(place{st, uint64(n), k}, slot.Type.Width))
				}
				w.PushEntry(p.Machine.States[st.Index], 0, entry)
			}
		}
		w.Step()
		for at, v := range after.regs {
			var got uint64
			switch st := p.Machine.States[at.Index]; at.Kind {
			case sem.FileState:
				got = w.Get(st, int(at.number), at.comp, 0)
			case sem.MemoryState:
				got = uint64(w.Memory(st)[at.number])
			}
			if typ := at.Type.Elem(); sem.Canonical(got, typ) != sem.Canonical(v, typ) {
				t.Fatalf("%s: %s[%d] component %d is %#x in the engine, %#x in the runner\n%s", name, at.Name, at.number, at.comp, got, v, code)
			}
		}
		for st, list := range after.stacks {
			state := p.Machine.States[st.Index]
			if got := w.Depth(state, 0); got != len(list) {
				t.Fatalf("%s: stack %s has %d entries in the engine, %d in the runner\n%s", name, st.Name, got, len(list), code)
			}
			for i := range list {
				for slot, v := range list[len(list)-1-i] {
					if got := w.Entry(state, i, slot, 0); got != v {
						t.Fatalf("%s: stack %s, entry %d: %#x in the engine, %#x in the runner\n%s", name, st.Name, i, got, v, code)
					}
				}
			}
		}
	})
}

// TestShare prints how many guards hold sometimes, never or perhaps, each both ways, and the time for each instruction.
func TestShare(t *testing.T) {
	if !testing.Verbose() {
		t.Skip()
	}
	for _, machine := range machines {
		counts, opaque, words, most, worst := [3]int{}, [3]int{}, 0, time.Duration(0), ""
		start := time.Now()
		instructions(t, machine, func(p *exec.Program, name string, code *sem.Code) {
			begin := time.Now()
			words++
			s := New(code, options(p))
			for guard := range guards(code) {
				for holds := range circuit.Lit(2) {
					goal := s.Value(guard)[0] ^ holds
					_, answer := s.Solve(goal)
					if counts[answer]++; s.Opaque(goal) {
						opaque[answer]++
					}
				}
			}
			if d := time.Since(begin); d > most {
				most, worst = d, name
			}
		})
		t.Logf("%s: %d words; never, sometimes, unknown: %d; of them opaque: %d; %v per word, most %v (%s)",
			machine, words, counts, opaque, time.Since(start)/time.Duration(max(words, 1)), most, worst)
	}
}
