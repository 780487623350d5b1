package exec

import (
	"testing"
)

// banks is a machine with outputs in two banks, which change places.
const banks = `<isa strict="true">
<file name="o" type="u32" count="2" init="7" use="output"/>
<file name="bank" type="u32" count="2" init="7" carries="true"/>
<register name="t" type="u32"/>
<stack name="s" depth="2" full="trap" empty="trap"><slot name="v" type="u32"/></stack>
<fetch unit="8"/>
<bitset name="#instruction" size="8"><display>{NAME} {N}</display><field name="N" low="0" high="0" type="uint"/></bitset>
<bitset name="write" extends="#instruction"><pattern low="1" high="7">0000000</pattern><semantics>o[{N}] = 1; t = 3; push s { v = 1 };</semantics></bitset>
<bitset name="swap" extends="#instruction"><pattern low="1" high="7">0000001</pattern>
  <semantics>for n in 0 .. 2 { let now = o[n]; o[n] = bank[n]; bank[n] = now; }</semantics></bitset>
<bitset name="some" extends="#instruction"><pattern low="1" high="7">0000010</pattern>
  <semantics>if (lane == 0) { let now = o[{N}]; o[{N}] = bank[{N}]; bank[{N}] = now; }</semantics></bitset>
</isa>`

// Which registers were written goes with what they hold where banks change places, and no copy is a finding.
func TestBanksKeepWhatWasWritten(t *testing.T) {
	const write, swap, some = 0, 2, 4
	type state struct {
		words []uint64
		// want are the lanes in which o0, o1, bank0 and bank1 were written, and what o0 and o1 hold in lane 0.
		want [6]uint64
	}
	for _, test := range []state{
		{[]uint64{swap}, [6]uint64{0, 0, 0, 0, 7, 7}},
		{[]uint64{write}, [6]uint64{3, 0, 0, 0, 1, 7}},
		{[]uint64{write, swap}, [6]uint64{0, 0, 3, 0, 7, 7}},
		{[]uint64{write, swap, write + 1}, [6]uint64{0, 3, 3, 0, 7, 1}},
		{[]uint64{write, swap, write + 1, swap}, [6]uint64{3, 0, 0, 3, 1, 7}},
		{[]uint64{write, some}, [6]uint64{2, 0, 1, 0, 7, 7}}, // lane 0 alone changes them
	} {
		m := parse(t, banks)
		w := NewWave(m.program("#instruction", Words{}, test.words...))
		for range 2 { // the second time as the first
			w.Start(2, 0)
			w.Run(t.Context())
			o, bank := m.state("o"), m.state("bank")
			got := [6]uint64{w.Written(o, 0, 0), w.Written(o, 1, 0), w.Written(bank, 0, 0), w.Written(bank, 1, 0), w.Get(o, 0, 0, 0), w.Get(o, 1, 0, 0)}
			if got != test.want || len(w.Findings()) > 0 {
				t.Errorf("%v: %v, findings %v, want %v", test.words, got, w.Findings(), test.want)
			}
		}
	}
}

// A program that is begun again finds its registers as they were, and its stacks empty.
func TestRestart(t *testing.T) {
	m := parse(t, banks)
	w := NewWave(m.program("#instruction", Words{}, 0))
	w.Start(1, 0)
	w.Run(t.Context())
	w.Restart(0)
	if w.Get(m.state("t"), 0, 0, 0) != 3 || w.Written(m.state("t"), 0, 0) != 1 || w.Depth(m.state("s"), 0) != 0 || w.Done() {
		t.Errorf("t is %d, written in %b, the stack has %d entries, done %v; want 3, 1, 0, false", w.Get(m.state("t"), 0, 0, 0), w.Written(m.state("t"), 0, 0), w.Depth(m.state("s"), 0), w.Done())
	}
	w.Start(1, 0)
	if w.Get(m.state("o"), 0, 0, 0) != 7 || w.Written(m.state("t"), 0, 0) != 0 {
		t.Errorf("after Start o0 is %d, t written in %b; want 7, 0", w.Get(m.state("o"), 0, 0, 0), w.Written(m.state("t"), 0, 0))
	}
}
