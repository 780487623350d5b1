package translate_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/translate"
)

// TestOtherLanes checks that programs that use other lanes are refused with the place: the second instruction, at address 1.
func TestOtherLanes(t *testing.T) {
	for value, want := range map[string]string{
		"u32(ballot(o0 == 1)[31:0])": "the operation ballot",
		"from(o0, 3)":                "the operation from",
		"u32(lane)":                  "the operation lane",
		"any(o0 == 1) ? 1 : 2":       "the operation any",
		"all(o0 == 1) ? 1 : 2":       "the operation all",
	} {
		text := fmt.Sprintf(`<isa name="other" strict="true">
<file name="o" type="u32" count="2" use="output" init="0"><doc>Results.</doc></file>
<register name="o0" type="u32" init="0"><doc>A value.</doc></register>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="first" extends="#instruction"><display>first</display><pattern low="0" high="7">00000001</pattern><semantics>o0 = 7;</semantics></bitset>
<bitset name="other" extends="#instruction"><display>other</display><pattern low="0" high="7">00000010</pattern><semantics>o[0] = %s;</semantics></bitset>
<bitset name="last" extends="#instruction"><display>last</display><pattern low="0" high="7">00000011</pattern><semantics>end;</semantics></bitset>
</isa>`, value)
		set, err := isa.Load(fstest.MapFS{"other.xml": {Data: []byte(text)}}, "other.xml", isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := exec.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		l, err := exec.Raw(m, []uint32{0x030201}, 0, set.DefaultContext(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var refusal *translate.Refusal
		if _, err := translate.Translate(t.Context(), l, translate.Options{}); !errors.As(err, &refusal) || refusal.Reason != want || refusal.Addr != 1 {
			t.Errorf("%s: the error is %v, expected %s at 1", value, err, want)
		}
	}
}
