package exec

import (
	"strings"
	"testing"

	"github.com/isago/isago/internal/sem"
)

// A description says in its own words that small floats are flushed, and that is one operation.
func TestFlush(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="2" init="0"/>
<function name="flush(x: u32): u32">return x[30:23] == 0 ? x &amp; 0x80000000 : x;</function>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[1] = flush(r[0]);</semantics></bitset>
</isa>`)
	p := m.program("#instruction", sem.Words{}, 0)
	code, err := p.Code(0)
	if err != nil || !strings.Contains(code.String(), "= flush %") || strings.Contains(code.String(), "select") {
		t.Errorf("%v\n%s", err, code)
	}
	w := NewWave(p)
	values := map[uint64]uint64{0: 0, 1: 0, 0x807fffff: 0x80000000, 0x00800000: 0x00800000, 0x7f800001: 0x7f800001, 0xff800000: 0xff800000}
	w.Start(len(values), 0)
	lanes := map[int]uint64{}
	for v, want := range values {
		lane := len(lanes)
		lanes[lane] = want
		w.Set(m.state("r"), 0, 0, lane, v)
	}
	w.Run()
	for lane, want := range lanes {
		wantState(t, w, "r", 1, lane, want)
	}
}
