package exec

import "testing"

// TestNegativeROM compares negative values of a rom with numbers of the same and of a greater width.
func TestNegativeROM(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<rom name="k" type="s16">-1 -32768 5</rom>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[1] = k[r[0]] == -1 ? 1 : 0; r[2] = zext(u16(k[r[0]])); r[3] = clz(k[r[0]]);</semantics></bitset>
</isa>`)
	w := NewWave(m.program("#instruction", Words{}, 0))
	rows := [][3]uint64{{1, 0xffff, 0}, {0, 0x8000, 0}, {0, 5, 13}}
	w.Start(len(rows), 0)
	for lane := range rows {
		w.Set(m.state("r"), 0, 0, lane, uint64(lane))
	}
	w.Run(t.Context())
	for lane, want := range rows {
		for i, v := range want {
			wantState(t, w, "r", i+1, lane, v)
		}
	}
}
