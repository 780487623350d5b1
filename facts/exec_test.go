package facts_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

var (
	instructions = flag.Int("instructions", 200, "number of random instructions of each machine to run")
	first        = flag.Int("first", 0, "seed of the first of them, by 100")
	only         = flag.String("machine", "", "the one machine whose instructions run")
)

// lanes is the number of states in which an instruction is tried at once, size that of memories.
const (
	lanes = 4
	size  = 64
)

// What facts do not name as read changes nothing but itself, and what they do not name as written stays.
func TestFactsAgainstExecution(t *testing.T) {
	for _, c := range catalog.Machines() {
		if *only != "" && c.Name != *only {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			set, err := c.Load(isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			f, err := facts.Open(set)
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			m, err := exec.Open(set)
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			ran, unknown := 0, 0
			for from := 0; from < *instructions && !t.Failed(); from += batch {
				b := newTrial(t, set, f, m, uint64(*first*batch+from))
				for range min(batch, *instructions-from) {
					if b.try() {
						ran++
					} else {
						unknown++
					}
				}
			}
			t.Logf("%d instructions, %d without a meaning", ran, unknown)
			if ran < unknown {
				t.Errorf("%d of %d random instructions have no meaning", unknown, unknown+ran)
			}
		})
	}
}

// batch is how many instructions share tables, a wave, and what it has prepared.
const batch = 100

// trial tries random instructions of a machine.
type trial struct {
	*testing.T
	r     *rand.Rand
	seed  uint64
	facts *facts.Machine
	m     *exec.Machine
	d     *isa.Decoder
	root  *isa.Root
	words map[uint64]bits.Value
	wave  *exec.Wave
	at    uint64
	// inst is the instruction, said its facts, text what it is called.
	inst          isa.Inst
	said          *facts.Facts
	reads, writes []naming
	text          string
}

func newTrial(t *testing.T, set *isa.Set, f *facts.Machine, m *exec.Machine, seed uint64) *trial {
	b := &trial{T: t, r: rand.New(rand.NewPCG(seed, 18)), seed: seed, facts: f, m: m, words: map[uint64]bits.Value{}}
	var err error
	if b.d, err = set.NewDecoder(""); err != nil {
		t.Fatal(err)
	}
	b.root = b.d.Root()
	for i, table := range set.Tables() {
		var entries []bits.Value
		for range 32 {
			entries = append(entries, b.bits(table.Bits))
		}
		b.d.SetTable(i, entries)
	}
	words := exec.Words{Root: b.root, Context: b.d.Context(), Tables: b.d.Tables()}
	words.Inner = func(*isa.Root, uint64) (bits.Value, bool) { return bits.Value{}, false }
	words.Fetch = func(addr uint64) (bits.Value, bool) {
		v, ok := b.words[addr]
		return v, ok
	}
	b.wave = exec.NewWave(exec.NewProgram(m, words))
	b.wave.Services = map[string]exec.Service{}
	for _, name := range m.Services() {
		b.wave.Services[name] = answer
	}
	for _, s := range m.States {
		if s.Kind == exec.Memory && s.Count == 0 || s.Count > size && s.Kind == exec.Memory {
			b.wave.SetSize(s, size)
		}
	}
	return b
}

// answer is a service whose results follow from its arguments.
func answer(c *exec.Call) {
	for i, r := range c.Results {
		for lane := range exec.Lanes {
			if c.Mask>>uint(lane)&1 == 0 {
				continue
			}
			sum := uint64(i) + 3
			for _, a := range c.Args {
				sum = sum*31 + a[lane]
			}
			r[lane] = sum & 0xff
		}
	}
}

func (b *trial) bits(n int) bits.Value {
	v := bits.FromWords([]uint32{b.r.Uint32(), b.r.Uint32(), b.r.Uint32(), b.r.Uint32(), b.r.Uint32(), b.r.Uint32(), b.r.Uint32(), b.r.Uint32()})
	return v.And(bits.Ones(n))
}

// try runs a random instruction. It reports whether that has a meaning.
func (b *trial) try() bool {
	leaf := b.root.Leaves[b.r.IntN(len(b.root.Leaves))]
	v := b.bits(leaf.Size).AndNot(leaf.Mask).Or(leaf.Match)
	if b.r.IntN(2) == 0 { // small numbers reach what there is
		v = v.And(b.bits(leaf.Size)).AndNot(leaf.Mask).Or(leaf.Match)
	}
	in, ok := b.d.Decode(v)
	if !ok {
		return true
	}
	unit := uint64(b.m.Unit)
	b.d.Addr = int64(b.at * unit)
	b.words[b.at] = v
	defer func() { b.at += uint64(in.Leaf.Size) / unit }()
	said, err := b.facts.Of(b.d, in)
	if err != nil {
		return errors.Is(err, sem.ErrUnknown)
	}
	b.inst, b.said, b.text = in, said, string(b.d.Append(nil, in))
	b.reads, b.writes = b.naming(said.Reads()), b.naming(said.Writes())
	before := b.random()
	after := b.run(before)
	b.unnamedStays(before, after)
	b.flows(after)
	other := b.changed(before)
	b.unnamedCounts(other, after, b.run(other))
	return true
}

// snapshot is the state of a wave: of each state each register, component and lane; of stacks depth and entries.
type snapshot struct {
	values [][]uint64
	stops  []exec.Stop
	pcs    [exec.Lanes]uint64
}

// size of what a state holds, in numbers.
func width(s *exec.State) int {
	switch s.Kind {
	case exec.Memory:
		return size
	case exec.Stack:
		return s.Count*len(s.Slots) + 1
	}
	return s.Count * s.Type.Lanes
}

func wide(s *exec.State) bool { return s.Scope >= exec.ScopeWave }

// copies is the number of lanes that have a state of their own.
func copies(s *exec.State) int {
	if wide(s) {
		return 1
	}
	return lanes
}

func (b *trial) random() *snapshot {
	out := &snapshot{}
	for _, s := range b.m.States {
		list := make([]uint64, width(s)*copies(s))
		for i := range list {
			list[i] = b.value(s, i/copies(s))
		}
		out.values = append(out.values, list)
	}
	return out
}

// value is a random value of what stands at a place of a state.
func (b *trial) value(s *exec.State, i int) uint64 {
	t := s.Type
	switch {
	case s.Kind == exec.Memory:
		return b.r.Uint64() & 0xff
	case s.Kind == exec.Stack && i == 0:
		return uint64(b.r.IntN(min(s.Count, 4) + 1))
	case s.Kind == exec.Stack:
		t = s.Slots[(i-1)%len(s.Slots)].Type
	}
	mask := ^uint64(0) >> uint(64-t.Bits)
	switch b.r.IntN(4) {
	case 0:
		return uint64(b.r.IntN(8)) & mask
	case 1:
		if t.Kind == isa.Float && t.Bits == 32 {
			return uint64(0x3f800000 + b.r.Uint32()&0x81ffffff)
		}
		return (b.at + uint64(b.r.IntN(3))) & mask
	}
	return b.r.Uint64() & mask
}

// run runs the instruction in a state, and returns the state behind it.
func (b *trial) run(from *snapshot) *snapshot {
	w := b.wave
	w.Start(lanes, b.at)
	for k, s := range b.m.States {
		b.put(s, from.values[k])
	}
	w.Budget = 1
	w.RunFor(1)
	out := &snapshot{}
	for _, s := range b.m.States {
		out.values = append(out.values, b.take(s))
	}
	out.stops = append(out.stops, w.Stops()...)
	w.PCs(func(pc, mask uint64) {
		for lane := range lanes {
			if mask>>uint(lane)&1 != 0 {
				out.pcs[lane] = pc
			}
		}
	})
	return out
}

func (b *trial) put(s *exec.State, list []uint64) {
	n := copies(s)
	switch {
	case s.ReadOnly || b.exists(s):
	case s.Kind == exec.Memory:
		data := b.wave.Memory(s)
		for i, v := range list {
			data[i%n*size+i/n] = byte(v)
		}
	case s.Kind == exec.Stack:
		for lane := range n {
			for e := range int(list[lane]) {
				var slots []uint64
				for k := range s.Slots {
					slots = append(slots, list[(1+e*len(s.Slots)+k)*n+lane])
				}
				b.wave.PushEntry(s, lane, slots)
			}
		}
	default:
		for i, v := range list {
			r := i / n
			b.wave.Set(s, r/s.Type.Lanes, r%s.Type.Lanes, i%n, v)
		}
	}
}

func (b *trial) take(s *exec.State) []uint64 {
	n := copies(s)
	list := make([]uint64, width(s)*n)
	switch {
	case s.Kind == exec.Memory:
		data := b.wave.Memory(s)
		for i := range list {
			list[i] = uint64(data[i%n*size+i/n])
		}
	case s.Kind == exec.Stack:
		for lane := range n {
			depth := b.wave.Depth(s, lane)
			list[lane] = uint64(depth)
			for e := range depth {
				for k := range s.Slots {
					list[(1+e*len(s.Slots)+k)*n+lane] = b.wave.Entry(s, depth-1-e, k, lane)
				}
			}
		}
	default:
		for i := range list {
			r := i / n
			list[i] = exec.Canonical(b.wave.Get(s, r/s.Type.Lanes, r%s.Type.Lanes, i%n), s.Type)
		}
	}
	return list
}

// naming says of each place of a state whether accesses name it, and whether always.
type naming struct{ named, always []bool }

func (b *trial) naming(list func(func(facts.Access) bool)) []naming {
	var out []naming
	for _, s := range b.m.States {
		n := width(s)
		x := naming{make([]bool, n), make([]bool, n)}
		for a := range list {
			if a.State.Name == s.Name {
				x.add(s, a)
			}
		}
		out = append(out, x)
	}
	return out
}

func (x *naming) add(s *exec.State, a facts.Access) {
	if s.Kind != exec.Registers {
		for i := range x.named {
			x.named[i] = true
		}
		return
	}
	comps := s.Type.Lanes
	for i := range x.named {
		if (a.Number < 0 || a.Number == i/comps) && a.Mask>>uint(i%comps)&1 != 0 {
			x.named[i] = true
			x.always[i] = x.always[i] || !a.Maybe && a.Number >= 0
		}
	}
}

// left reports whether a state is left alone: it is no result of an instruction.
func (b *trial) left(s *exec.State) bool {
	return s.Scope == exec.ScopeInstruction || s.ReadOnly || b.exists(s)
}

// exists reports whether a state starts as the mask of the lanes that exist.
func (b *trial) exists(s *exec.State) bool {
	return b.m.Inside(inside.Key{}).States[s.Index].InitExists
}

// unnamedStays checks that what is not named as written is as it was.
func (b *trial) unnamedStays(before, after *snapshot) {
	for k, s := range b.m.States {
		if b.left(s) {
			continue
		}
		n := copies(s)
		for i, v := range after.values[k] {
			old := before.values[k][i]
			if s.Kind == exec.Registers {
				old = exec.Canonical(old, s.Type)
			}
			if s.Kind == exec.Stack && (i/n-1)/len(s.Slots) >= int(before.values[k][i%n]) {
				continue // not on the stack
			}
			if v != old && !b.writes[k].named[i/n] {
				b.Errorf("seed %d: %s writes %s, part %d, which facts do not name", b.seed, b.text, s.Name, i/n)
				return
			}
		}
	}
}

// changed changes what the facts do not name as read: what the instruction writes always, or leaves alone.
func (b *trial) changed(before *snapshot) *snapshot {
	out := &snapshot{}
	for k, s := range b.m.States {
		list := append([]uint64(nil), before.values[k]...)
		n := copies(s)
		for i := range list {
			read, written, always := b.reads[k].named[i/n], b.writes[k].named[i/n], b.writes[k].always[i/n]
			if !read && (!written || always) && !(s.Kind == exec.Stack && written) {
				list[i] = b.value(s, i/n)
			}
		}
		out.values = append(out.values, list)
	}
	return out
}

// unnamedCounts checks that a state changed in what is not read gives the same.
func (b *trial) unnamedCounts(from, want, got *snapshot) {
	for lane := range lanes {
		if reason(want, lane) != reason(got, lane) || want.pcs[lane] != got.pcs[lane] {
			b.Errorf("seed %d: %s goes to %d, %s, and to %d, %s when what facts do not name is changed", b.seed, b.text, want.pcs[lane], reason(want, lane), got.pcs[lane], reason(got, lane))
			return
		}
	}
	for k, s := range b.m.States {
		if b.left(s) {
			continue
		}
		n := copies(s)
		for i, v := range got.values[k] {
			written := b.writes[k].named[i/n]
			expect := want.values[k][i]
			if !written {
				if expect = from.values[k][i]; s.Kind == exec.Registers {
					expect = exec.Canonical(expect, s.Type)
				}
			}
			if s.Kind == exec.Stack && (i/n-1)/len(s.Slots) >= int(got.values[k][i%n]) {
				continue
			}
			if v != expect {
				b.Errorf("seed %d: %s at %d: %s, part %d, is %x and %x when what facts do not name is changed", b.seed, b.text, b.at, s.Name, i/n, expect, v)
				return
			}
		}
	}
}

func reason(s *snapshot, lane int) string {
	for _, x := range s.stops {
		if x.Lanes>>uint(lane)&1 != 0 {
			return x.Reason + x.Text
		}
	}
	return ""
}

// flows checks that control goes where the facts say.
func (b *trial) flows(after *snapshot) {
	for lane := range lanes {
		if !b.allowed(after, lane) {
			b.Errorf("seed %d: %s at %d goes to %d, stops by %q; facts say %v, around it %v", b.seed, b.text, b.at, after.pcs[lane], reason(after, lane), b.said.Own.Flows, b.said.Around.Flows)
			return
		}
	}
}

func (b *trial) allowed(after *snapshot, lane int) bool {
	for _, s := range after.stops {
		if s.Lanes>>uint(lane)&1 == 0 {
			continue
		}
		if s.Reason == "end" {
			for f := range b.said.Flows() {
				if f.Kind == isa.End {
					return true
				}
			}
			return false
		}
		return len(b.said.Own.Traps)+len(b.said.Around.Traps) > 0
	}
	if b.wave.Waits() && (b.said.Own.Waits || b.said.Around.Waits) {
		return true
	}
	for f := range b.said.Flows() {
		if f.Target == -1 && f.Kind != isa.End || uint64(f.Target)/uint64(b.m.Unit) == after.pcs[lane] {
			return true
		}
	}
	return false
}
