package lint_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// saves is a machine with a stack that saves a register.
const saves = `<isa name="saves" strict="true">
<file name="r" type="u8" count="4"/>
<file name="o" type="u8" count="1" use="output" init="0"/>
<stack name="kept" depth="4" full="overwrite" empty="none"><slot name="value" type="u8"/></stack>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="set" extends="#instruction"><display>set</display><pattern low="0" high="7">00000000</pattern><semantics>r[0] = 1;</semantics></bitset>
<bitset name="save" extends="#instruction"><display>save</display><pattern low="0" high="7">00000001</pattern><semantics>push kept { value = r[0] };</semantics></bitset>
<bitset name="load" extends="#instruction"><display>load</display><pattern low="0" high="7">00000010</pattern><semantics>o[0] = top(kept).value; pop kept;</semantics></bitset>
<bitset name="stop" extends="#instruction"><display>stop</display><pattern low="0" high="7">00000011</pattern><semantics>end;</semantics></bitset>
</isa>`

// TestStackKeepsResult requires that a result saved on a stack counts as used.
func TestStackKeepsResult(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"saves.xml": {Data: []byte(saves)}}, "saves.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	told, err := facts.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	for code, want := range map[string]int{"\x00\x01\x02\x03": 0, "\x00\x03": 1} {
		d, err := set.NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		im, err := program.Raw(d.Root(), []byte(code))
		if err != nil {
			t.Fatal(err)
		}
		outputs := []lint.Output{{State: "o", Mask: 1, Used: 1}}
		f := &lint.File{Image: im, Decoder: d, Facts: told, End: im.Size(), Programs: []lint.Program{{Entries: []int64{0}, Outputs: outputs}}}
		f.Locate = func(int64) diag.Span { return diag.Span{Src: &diag.Source{}} }
		list, err := lint.Check(t.Context(), f)
		if err != nil || len(list) != want || want > 0 && list[0].Code != diag.ResultUnused {
			t.Errorf("%x: %v, %v, want %d of %s", code, list, err, want, diag.ResultUnused)
		}
	}
}
