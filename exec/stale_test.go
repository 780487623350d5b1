package exec

import (
	"strings"
	"testing"
)

// A value that was read before a write of the same instruction stays what it was, and what is read after the write is what was
// written: of a register by its number or by a computed one, of a stack, of a memory.
func TestReadsAroundWrites(t *testing.T) {
	for _, row := range []struct {
		text string
		want uint64 // in r3; before, r0 is 2, r1 is 50 and r2 is 7
	}{
		{`let v = r[2]; r[2] = r[1]; r[3] = v + 1;`, 8},
		{`let v = r[2]; r[r[0]] = r[1]; r[3] = v + 1;`, 8},
		{`let v = r[r[0]]; r[2] = r[1]; r[3] = v + 1;`, 8},
		{`let v = r[r[0]]; r[r[0]] = r[1]; r[3] = v + 1;`, 8},
		{`let v = r[2]; r[r[0]] = r[1]; r[3] = r[2] + v;`, 57},
		{`let v = r[r[0]]; r[r[0]] = r[1]; r[3] = r[r[0]] + v;`, 57},
		{`push s { x = 5 }; let v = depth(s); pop s; r[3] = v * 10 + depth(s);`, 10},
		{`let v = depth(s); push s { x = 5 }; r[3] = v * 10 + depth(s);`, 1},
		{`push s { x = 5 }; push s { x = 6 }; let v = top(s).x; pop s; r[3] = v * 10 + top(s).x;`, 65},
		{`push s { x = 5 }; let v = top(s).x; push s { x = 6 }; r[3] = v * 10 + top(s).x;`, 56},
		{`push s { x = 5 }; let v = u32(empty(s) ? 1 : 0); pop s; r[3] = v * 10 + u32(empty(s) ? 1 : 0);`, 1},
		{`let v = u32(empty(s) ? 1 : 0); push s { x = 5 }; r[3] = v * 10 + u32(empty(s) ? 1 : 0);`, 10},
		{`m.u32[4] = 5; let v = m.u32[4]; m.u32[r[0] + 2] = 6; r[3] = v * 10 + m.u32[4];`, 56},
	} {
		m := parse(t, strings.Replace(`<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<memory name="m" size="16" scope="lane"/>
<stack name="s" depth="2" full="trap" empty="trap"><slot name="x" type="u32"/></stack>
<fetch unit="8"/>
<bitset name="#instruction" size="8"><display>run</display><pattern low="0" high="7">00000000</pattern><semantics>TEXT end;</semantics></bitset>
</isa>`, "TEXT", strings.NewReplacer("<", "&lt;").Replace(row.text), 1))
		w := NewWave(m.program("#instruction", Words{}, 0))
		w.Start(1, 0)
		for n, v := range []uint64{2, 50, 7} {
			w.Set(m.state("r"), n, 0, 0, v)
		}
		w.Run(t.Context())
		wantStop(t, w, "end at 0x0", 1)
		if got := w.Get(m.state("r"), 3, 0, 0); got != row.want {
			t.Errorf("%s r3 is %d, want %d", row.text, got, row.want)
		}
	}
}

// What returned early does not jump: r0 decides whether the instruction jumps over the next one.
func TestJumpAfterReturn(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4" init="0"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="over" extends="#instruction"><display>over</display><pattern low="0" high="7">00000000</pattern><semantics>if (r[0] == 2) { return; } pc = 2;</semantics></bitset>
<bitset name="stop" extends="#instruction"><display>stop</display><pattern low="0" high="7">00000001</pattern><semantics>r[3] = here; end;</semantics></bitset>
</isa>`)
	for r0, want := range map[uint64]uint64{2: 1, 3: 2} {
		w := NewWave(m.program("#instruction", Words{}, 0, 1, 1))
		w.Start(1, 0)
		w.Set(m.state("r"), 0, 0, 0, r0)
		w.Run(t.Context())
		if got := w.Get(m.state("r"), 3, 0, 0); got != want {
			t.Errorf("r0 is %d: it ends at %d, want %d", r0, got, want)
		}
	}
}
