package prove

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// sharedFlaws returns a machine with 40 pairs of instructions. The two instructions of a pair share a
// name and differ only in bit 12, which is not printed. Half of the instructions have their own
// displays. Two values of the type print nothing.
func sharedFlaws() string {
	var b strings.Builder
	b.WriteString(`<isa>
<enum name="#type"><value val="0" display=""/><value val="1" display=".s8"/><value val="2" display=""/><value val="3" display=".u8"/></enum>
<!-- check: ignore unmatched-words: a test. -->
<bitset name="#instruction" size="24"/>
<bitset name="#alu" extends="#instruction">
  <display>{NAME}{TYPE} r{A}, r{B}</display>
  <field name="TYPE" low="0" high="1" type="#type"/>
  <field name="A" low="2" high="6" type="uint"/>
  <field name="B" low="7" high="11" type="uint"/>
</bitset>
`)
	for i := range 80 {
		own := ""
		if i%4 == 0 {
			own = "<display>{NAME}{TYPE} r{A}, r{B}</display>"
		}
		fmt.Fprintf(&b, "<bitset name=\"op%d\" displayname=\"op%d\" extends=\"#alu\">%s<pattern low=\"12\" high=\"23\">%012b</pattern></bitset>\n", i, i/2, own, i)
	}
	return b.String() + "</isa>\n"
}

// TestOneFindingPerCause requires one finding, with a count and an example, for all instructions with
// the same flaw.
func TestOneFindingPerCause(t *testing.T) {
	_, r := check(t, "flaws.xml", sharedFlaws())
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Msg)
		if f.Code != diag.SameText || len(f.Witnesses) != 2 || f.Witnesses[0].Text != f.Witnesses[1].Text {
			t.Errorf("%s: %v is not an example", &f, f.Witnesses)
		}
	}
	want := []string{
		`two words of op1 print "op0 r0, r0": the text does not determine bit 1; the same in 80 leaves: op1, op2, op3, op5 and 76 more`,
		`a word of op0 and one of op1 print "op0 r0, r0"; the same for 40 pairs: op0/op1, op2/op3, op4/op5, op6/op7 and 36 more`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
