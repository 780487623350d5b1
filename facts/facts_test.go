package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// rows are what instructions do, by their descriptions in words: what they read, write, and where control goes. ? marks
// what depends on a condition, ret what is kept on a stack.
const rows = `
pica200	mov r0, v1	r: v1 | w: r0 | next
pica200	dp3 r0.x, c4, v0	r: v0.xyz c4.xyz | w: r0.x | next
pica200	dp4 r1, r2, r2	r: r2 | w: r1 | next
pica200	dph r1.y, c0, r2	r: r2 c0.xyz | w: r1.y | next
pica200	mul r3.x, r2.w, r2.w	r: r2.w | w: r3.x | next
pica200	rsq r0, r1.z	r: r1.z | w: r0 | next
pica200	mad r3.xz, r2.x, r1, r0	r: r0.xz r1.xz r2.x | w: r3.xz | next
pica200	add r0, c5[a0.x], r1	r: r1 c[] a0.x | w: r0 | next
pica200	mova a0.x, r1	r: r1.x | w: a0.x | next
pica200	cmp r1, eq, lt, r2	r: r1.xy r2.xy | w: cmp | next
pica200	litp r0, r1	r: r1.xyw | w: r0 cmp | next
pica200	jmpc cmp.x, 5	r: cmp.x | w: | ?jump 5 ?next
pica200	jmpu b3, 5	r: b3 | w: | ?jump 5 ?next
pica200	call 5, 2	r: | w: calls | call 5
pica200	callu b1, 5, 2	r: b1 | w: ?calls | ?call 5 ?next
pica200	end	r: | w: | end
pica200	nop	r: | w: | next
pica200	for i1, 4	r: i1.xyz aL | w: aL loops | next
example	add r1, r2, s3	r: r2 s3 | w: r1 last | next
example	mul r1, r1, r1	r: r1 | w: r1 last | next
example	br.lt 2	r: last | w: | ?jump 2 ?next
example	br 2	r: | w: | jump 2
`

func TestRows(t *testing.T) {
	for _, row := range strings.Split(strings.TrimSpace(rows), "\n") {
		cells := strings.Split(row, "\t")
		if got := one(t, cells[0], cells[1]); got != cells[2] {
			t.Errorf("%s: %s\n got %s\nwant %s", cells[0], cells[1], got, cells[2])
		}
	}
}

// one tells the facts of an instruction that is a text.
func one(t *testing.T, machine, text string) string {
	t.Helper()
	m, d, in := read(t, machine, text)
	f, err := m.Of(d, in)
	if err != nil {
		t.Fatal(err)
	}
	unit := f.Next / int64(in.Leaf.Size)
	return tell(&f.Own, int64(in.Leaf.Size)/unit)
}

// read reads the text of an instruction, at which the decoder then stands.
func read(t *testing.T, machine, text string) (*facts.Machine, *isa.Decoder, isa.Inst) {
	t.Helper()
	var set *isa.Set
	for _, c := range catalog.Machines() {
		if c.Name == machine {
			var err error
			if set, err = c.Load(isa.Options{}); err != nil {
				t.Fatal(diag.Render(err))
			}
		}
	}
	m, err := facts.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, e := range res.Entries {
		table := make([]bits.Value, e.Index+1)
		table[e.Index] = e.Value
		d.SetTable(e.Table, table)
	}
	in, ok := d.Decode(res.Inst.Bits)
	if !ok {
		t.Fatalf("%s is not an instruction", text)
	}
	return m, d, in
}

func tell(e *facts.Effects, unit int64) string {
	list := func(accesses []facts.Access) string {
		var b strings.Builder
		for _, a := range accesses {
			fmt.Fprintf(&b, " %s%s", mark(a.Maybe), a)
		}
		return b.String()
	}
	var flows []string
	for _, f := range e.Flows {
		s := mark(f.Maybe) + f.Kind.String()
		if f.Kind != isa.Next && f.Target >= 0 {
			s += fmt.Sprint(" ", f.Target/unit)
		}
		flows = append(flows, s)
	}
	return "r:" + list(e.Reads) + " | w:" + list(e.Writes) + " | " + strings.Join(flows, " ")
}

func mark(maybe bool) string {
	if maybe {
		return "?"
	}
	return ""
}

// Where a description says what instructions do and where control goes, both say the same.
func TestFlowsAgree(t *testing.T) {
	for _, text := range []string{"jmpc cmp.x, 5", "jmpu b3, 5", "call 5, 2", "callu b1, 5, 2", "callc cmp.x, 5, 2", "end", "nop", "mov r0, r1"} {
		said := one(t, "pica200", text)
		_, flow, _ := strings.Cut(said, "| w:")
		_, flow, _ = strings.Cut(flow, "| ")
		flow = strings.TrimSuffix(strings.TrimSuffix(flow, " ?next"), "next")
		if want := described(t, text); flow != want {
			t.Errorf("%s: by its meaning %q, by its flow %q", text, flow, want)
		}
	}
}

// described tells the flow that <flow> gives.
func described(t *testing.T, text string) string {
	t.Helper()
	set, err := catalog.Machines()[0].Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range d.Flows(nil, res.Inst) {
		s := mark(f.Maybe) + f.Kind.String()
		if f.Target >= 0 {
			s += fmt.Sprint(" ", f.Target/32)
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

// A loop of PICA200 goes back to its first word or on behind its last, and a call comes back, by what stacks hold; and
// that stays so where only the newest two entries of a stack are listed.
func TestWays(t *testing.T) {
	set, err := catalog.Machines()[0].Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := facts.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	const nop, end = 0x84000000, 0x88000000
	loop := func(last uint64) uint64 { return 0x29<<26 | last<<10 }
	call := func(first, words uint64) uint64 { return 0x24<<26 | first<<10 | words }
	for _, c := range []struct {
		words []uint64
		most  int
		want  string
	}{
		{[]uint64{loop(3), nop, call(5, 1), nop, end, nop}, 0, "map[0:[1] 1:[2] 2:[5] 3:[1 4] 4:[-1] 5:[3]]"},
		{[]uint64{loop(3), nop, call(5, 1), nop, end, nop}, 2, "map[0:[1] 1:[2] 2:[5] 3:[1 4] 4:[-1] 5:[3]]"},
		{[]uint64{call(3, 2), end, nop, call(5, 2), nop, call(7, 2), nop, call(9, 1), nop, nop}, 2, "map[0:[3] 1:[-1] 3:[5] 4:[1] 5:[7] 6:[4] 7:[9] 8:[6] 9:[8]]"},
		{[]uint64{call(4, 1), call(4, 1), end, nop, call(5, 1), nop}, 0, "map[0:[4] 1:[4] 2:[-1] 4:[5] 5:[1 2]]"},
	} {
		if got := fmt.Sprint(next(t, m, d, c.words, c.most)); got != c.want {
			t.Errorf("%x with %d entries: ways %s, want %s", c.words, c.most, got, c.want)
		}
	}
}

// next returns where control goes from each word, -1 for the end, with so many entries of stacks listed.
func next(t *testing.T, m *facts.Machine, d *isa.Decoder, words []uint64, most int) map[int64][]int64 {
	below := facts.NewBelow(most)
	out := map[int64][]int64{}
	for more := true; more; more = below.Grew() {
		seen := map[string]bool{}
		var follow func(at int64, s facts.Stacks)
		follow = func(at int64, s facts.Stacks) {
			if key := fmt.Sprint(at, s.Key()); seen[key] {
				return
			} else {
				seen[key] = true
			}
			d.Addr = at
			in, _ := d.Decode(bits.Of(words[at/32]))
			ways, err := m.Ways(d, in, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range ways {
				to := w.Next / 32
				if w.Ends {
					to = -1
				}
				for _, x := range below.After(s, w.Stacks) {
					if !slices.Contains(out[at/32], to) {
						out[at/32] = append(out[at/32], to)
					}
					if !w.Ends {
						follow(w.Next, x)
					}
				}
			}
		}
		follow(0, facts.Stacks{})
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}
