package feed_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
)

// Wrong inputs are reported, with the line and what was expected there.
func TestRead(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"feed.xml": {Data: []byte(`<isa strict="true">
<file name="v" type="f32x2" count="12" use="input"/><file name="c" type="f32" count="4" scope="launch" use="constant"/><register name="a" type="u8" use="input"/>
<quirk name="fast" type="bool" default="false"/><quirk name="slow" type="bool" default="false"/>
<bitset name="#instruction" size="8"><display>nop</display><pattern low="0" high="7">00000000</pattern><semantics></semantics></bitset>
</isa>`)}}, "feed.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	for _, row := range []struct{ format, text, want string }{
		{"csv", "pos.x,v1.y\n1,2\n3,4\n", "[[1065353216 1073741824] [1077936128 1082130432]]"},
		{"csv", "\ufeffa\n255\n", "[[255]]"},
		{"csv", "", "the file is empty, expected a heading of names"},
		{"csv", "pos.x,v2.x\n1,2\n", `columns "pos.x" and "v2.x" name the same component`},
		{"csv", "pos.x,v2.y\n1,2\n1\n", "line 3: 1 values, expected 2, one for each column of the heading"},
		{"csv", "pos.z\n", `pos has no component "z"`},
		{"csv", "a\n1\n256\n", `line 3, a: "256" does not fit u8`},
		{"json", "\ufeff" + `[{"pos[1]": [1, 2]}, {"a": 7}]`, "[[0 1065353216 1073741824] [7 0 0]]"},
		{"json", `[{"pos[1]": null}]`, "vertex 0: pos[1]: null, expected numbers"},
		{"json", `{"uniforms": {"c1": [1, 2]}}`, "uniforms: c1: 2 values, expected 1"},
		{"raw", "1234567", "the file has 7 bytes, expected a multiple of 16, the size of a vertex with 4 components"},
		{"xml", "", `unknown format "xml", expected json, csv or raw`},
	} {
		l, err := exec.Raw(m, []uint32{0}, 8, bits.Value{}, nil)
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		l.Inputs = []exec.Port{{Name: "pos", State: m.State("v"), First: 2, Count: 2}}
		b := feed.NewBatch(l)
		got := ""
		if err := b.Read([]byte(row.text), row.format); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(b.Given().Values)
		}
		if got != row.want {
			t.Errorf("%s %q: %s, expected %s", row.format, row.text, got, row.want)
		}
	}
}
