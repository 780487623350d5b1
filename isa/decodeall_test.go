package isa

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
)

// TestCodeSwapped decodes instructions of one word and of two words. The high half of each word is
// stored first. A truncated word is not decoded.
func TestCodeSwapped(t *testing.T) {
	const text = `<isa strict="true"><text storage="32" words="high-first" halves="high-first"/>
<bitset name="#instruction" size="32"/>
<bitset name="short" extends="#instruction"><display>short {V}</display><pattern low="28" high="31">0000</pattern><field name="V" low="0" high="27" type="hex"/></bitset>
<bitset name="long" extends="#instruction" size="64"><display>long {V}</display><pattern low="28" high="31">0001</pattern><field name="V" type="hex"><bits low="32" high="63"/><bits low="0" high="27"/></field></bitset>
</isa>`
	set, err := Load(fstest.MapFS{"m.xml": {Data: []byte(text)}}, "m.xml", Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	code := []byte{0x22, 0x01, 0x44, 0x33, // 01223344
		0x66, 0x55, 0x88, 0x77, 0xaa, 0x19, 0xcc, 0xbb, // 55667788 above 19aabbcc
		0x22, 0x01, 0x44}
	var got []string
	for w := range d.DecodeAll(code) {
		switch {
		case w.Inst.Leaf != nil:
			got = append(got, string(d.Append(nil, w.Inst)))
		default:
			got = append(got, fmt.Sprint(w.Bits, w.Present))
		}
	}
	if want := []string{"short 1223344", "long 556677889aabbcc", "0 false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
