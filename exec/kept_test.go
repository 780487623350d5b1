package exec

import (
	"slices"
	"testing"
)

// A program that is longer than what is kept of it runs as any other, twice through, and no more is kept.
func TestProgramLongerThanWhatIsKept(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="2" init="0"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"><display>{NAME} {N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
<bitset name="add" extends="#instruction"><pattern low="4" high="7">0000</pattern><semantics>r[0] = r[0] + {N};</semantics></bitset>
<bitset name="again" extends="#instruction"><pattern low="4" high="7">0001</pattern>
  <semantics>r[1] = r[1] + 1; if (r[1] == 1) { pc = 0; }</semantics></bitset>
</isa>`)
	words := append(slices.Repeat([]uint64{1, 2}, maxKept), 0x10)
	p := m.program("#instruction", Words{}, words...)
	w := NewWave(p)
	w.Start(2, 0)
	w.Run(t.Context())
	if got := w.Get(m.state("r"), 0, 0, 1); got != 2*3*maxKept {
		t.Errorf("r0 is %d, want %d", got, 2*3*maxKept)
	}
	if w.Instructions != int64(2*len(words)) {
		t.Errorf("%d instructions, want %d", w.Instructions, 2*len(words))
	}
	if len(w.code) > maxKept || len(p.code) > maxKept {
		t.Errorf("%d and %d are kept, want at most %d", len(w.code), len(p.code), maxKept)
	}
}
