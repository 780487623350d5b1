package isa_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// TestDeepOperands nests bitsets twenty levels deep. Each prints two operands of the next bitset. Each
// must be examined once, and caching must not change the text.
func TestDeepOperands(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<isa>`)
	for i := range 20 {
		inner := fmt.Sprintf(`<field name="A" low="0" high="7" type="#b%d"/>`, i+1)
		show := "{A}"
		if i == 19 {
			inner, show = `<field name="A" low="0" high="7" type="uint"/>`, "{A}"
		}
		fmt.Fprintf(&b, `<bitset name="#b%d" size="8"><display>%s</display><override><expr>{A} == 300</expr><display>{A}{A}</display></override>%s</bitset>`, i, show, inner)
	}
	b.WriteString(`<bitset name="#instruction" size="8"><display>x {V}</display><field name="V" low="0" high="7" type="#b0"/></bitset></isa>`)
	s := loadXML(t, b.String(), isa.Options{})
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(10) {
		in, ok := d.Decode(bits.Of(i))
		if text := string(d.Append(nil, in)); !ok || text != fmt.Sprintf("x %d", i) || d.NumFindings() > 0 {
			t.Errorf("%d prints %q, %v", i, text, d.Findings())
		}
	}
}
