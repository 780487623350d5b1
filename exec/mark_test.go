package exec

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

const marked8 = `<isa strict="true">
<file name="r" type="f32" count="12"/>
<file name="copies" type="f32" count="2" carries="true"/>
<file name="init" type="u8x2" count="2" init="7"/>
<file name="fixed" type="u32" count="2" scope="launch"/>
<register name="alive" type="u64" scope="wave" init="exists"/>
<register name="count" type="u32" scope="wave" init="3"/>
<stack name="own" depth="4"><slot name="x" type="u32"/></stack>
<stack name="shared" depth="4" scope="wave"><slot name="x" type="u32"/></stack>
<memory name="m" size="16" scope="launch"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="nan" extends="#instruction"><display>nan</display><pattern low="0" high="7">00000000</pattern><semantics>r[0] = inf - inf; r[10] = 1.0;</semantics></bitset>
<bitset name="ints" extends="#instruction"><display>ints</display><pattern low="0" high="7">00000001</pattern><semantics>init[1].y = 7; init[0].x = 8; count = count + 1;</semantics></bitset>
<bitset name="copy" extends="#instruction"><display>copy</display><pattern low="0" high="7">00000010</pattern><semantics>copies[1] = r[1]; r[11] = copies[0];</semantics></bitset>
<bitset name="push" extends="#instruction"><display>push</display><pattern low="0" high="7">00000011</pattern><semantics>if (r[1] == 2.0) { push own { x = 5 }; } push shared { x = 6 };</semantics></bitset>
<bitset name="swap" extends="#instruction"><display>swap</display><pattern low="0" high="7">00000100</pattern><semantics>if (depth(own) != 0) { pop own; push own { x = 9 }; } m.u32[0] = m.u32[0] + 1;</semantics></bitset>
</isa>`

// TestChanged runs one instruction in three lanes. Some registers and entries are set before.
func TestChanged(t *testing.T) {
	m := parse(t, marked8)
	program := func(word uint64) *Program { return m.program("#instruction", Words{}, word) }
	var mark Mark
	for _, width := range []int{1, 3, Lanes} {
		first := NewWave(program(0))
		first.SetWidth(width)
		lanes := min(width, 3)
		all := uint64(1)<<uint(lanes) - 1
		for _, row := range []struct {
			word uint64
			set  func(w *Wave)
			want map[string]uint64
		}{
			{0, func(*Wave) {}, map[string]uint64{"r0": all, "r10": all}},
			{0, func(w *Wave) { // a NaN stays a NaN
				w.Set(m.state("r"), 0, 0, 0, 0xffc12345)
				w.Set(m.state("r"), 10, 0, 0, 0x3f800000)
			}, map[string]uint64{"r0": all &^ 1, "r10": all &^ 1}},
			{1, func(*Wave) {}, map[string]uint64{"init0": all, "count0": 1}},
			{1, func(w *Wave) { w.Set(m.state("init"), 1, 1, 0, 6) }, map[string]uint64{"init0": all, "init1": 1, "count0": 1}},
			{2, func(w *Wave) { w.Set(m.state("r"), 1, 0, 0, 2) }, map[string]uint64{"copies1": 1}},
			{2, func(w *Wave) {
				w.Set(m.state("copies"), 0, 0, lanes-1, 1)
				w.Set(m.state("copies"), 1, 0, lanes-1, 1)
			}, map[string]uint64{"r11": 1 << (lanes - 1), "copies1": 1 << (lanes - 1)}},
			{3, func(*Wave) {}, map[string]uint64{"shared0": 1}},
			{3, func(w *Wave) { w.Set(m.state("r"), 1, 0, 0, 0x40000000) }, map[string]uint64{"own0": 1, "shared0": 1}},
			{4, func(*Wave) {}, map[string]uint64{}},
			{4, func(w *Wave) {
				w.PushEntry(m.state("own"), 0, []uint64{8})
				w.PushEntry(m.state("own"), lanes-1, []uint64{8})
			}, map[string]uint64{"own0": 1 | 1<<(lanes-1)}},
			{4, func(w *Wave) { w.PushEntry(m.state("own"), 0, []uint64{9}) }, map[string]uint64{}},
		} {
			w := first.Twin(program(row.word))
			w.Start(lanes, 0)
			row.set(w)
			w.Mark(&mark)
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := map[string]uint64{}
			for _, s := range m.States {
				var numbers []int
				w.Changed(&mark, s, func(n int, mask uint64) {
					got[fmt.Sprint(s.Name, n)] = mask
					numbers = append(numbers, n)
				})
				if !slices.IsSorted(numbers) {
					t.Errorf("word %d: %s %v is not in order", row.word, s.Name, numbers)
				}
			}
			maps.DeleteFunc(row.want, func(_ string, mask uint64) bool { return mask == 0 })
			if fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("%d lanes, word %d: changed %v, expected %v", lanes, row.word, got, row.want)
			}
		}
	}
}

// TestTwin runs programs in turn on one state.
func TestTwin(t *testing.T) {
	m := parse(t, marked8)
	add := NewWave(m.program("#instruction", Words{}, 4))
	add.KeepMemories = true
	again := add.Twin(m.program("#instruction", Words{}, 4, 4))
	for round, w := range []*Wave{add, again, add, again} {
		w.Start(1, 0)
		if w.Run(t.Context()) != nil || w.Memory(m.state("m"))[0] != []byte{1, 3, 4, 6}[round] {
			t.Errorf("round %d: m is %v", round, w.Memory(m.state("m")))
		}
	}
	add.KeepMemories = false
	if add.Start(1, 0); again.Memory(m.state("m"))[0] != 0 {
		t.Error("Start keeps the memory")
	}
	if len(add.code) != 2 || len(again.code) != 3 { // with the end of the words
		t.Errorf("%d and %d compiled instructions", len(add.code), len(again.code))
	}
}
