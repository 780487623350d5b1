package asm_test

import (
	"fmt"
	"testing"

	"github.com/isago/isago/bits"
)

// TestLabels parses labels in words of 16 bits. near counts words, and half counts bytes. start is at word 2, odd at 3
// bytes, far at word 40.
func TestLabels(t *testing.T) {
	x := toolsFor(t, load(t, `<bitset name="#instruction" size="16"/>
		<bitset name="near" extends="#instruction"><display>near {T}</display>
			<pattern low="6" high="15">0000000000</pattern><field name="T" low="0" high="5" type="branch"/></bitset>
		<bitset name="half" extends="#instruction"><display>half {T}</display>
			<pattern low="6" high="15">0000000001</pattern><field name="T" low="0" high="5" type="branch" unit="8"/></bitset>
		<bitset name="jump" extends="#instruction"><display>jump {T}</display>
			<pattern low="6" high="15">0000000010</pattern><field name="T" low="0" high="5" type="absbranch"/></bitset>
		<bitset name="call" extends="#instruction"><display>call {T}</display>
			<pattern low="6" high="15">0000000011</pattern><field name="T" low="0" high="5" type="absbranch" call="true" unit="8"/></bitset>`))
	addresses := map[string]int64{"start": 2 * 16, "odd": 3 * 8, "far": 40 * 16, "Lower.1": 16, "f0": 5 * 16}
	x.p.Symbol = func(name string) (int64, bool) {
		addr, ok := addresses[name]
		return addr, ok
	}
	x.d.Label = func(addr int64, call bool) (string, bool) {
		for name, a := range addresses {
			if a == addr {
				return name, true
			}
		}
		return "", false
	}
	for _, r := range []struct {
		addr int64 // in words
		row
	}{
		{0, row{"near start", "0002", ""}},
		{3, row{"near start", "003f", ""}}, // -1
		{10, row{"near start", "0038", ""}},
		{10, row{"near -8", "0038", "near start"}},
		{10, row{"near far", "001e", ""}},       // 30
		{0, row{"near far", "", "text-range"}},  // 40 is beyond 31
		{0, row{"near odd", "", "text-symbol"}}, // not at a word
		{0, row{"near nowhere", "", "text-symbol"}},
		{0, row{"near 7", "0007", ""}},
		{1, row{"half odd", "0041", ""}},   // 1 byte ahead
		{1, row{"half start", "0042", ""}}, // 2 bytes ahead
		{3, row{"half start", "007e", ""}}, // -2
		{7, row{"jump start", "0082", ""}}, // from any address
		{7, row{"jump far", "00a8", ""}},   // 101000
		{7, row{"jump odd", "", "text-symbol"}},
		{7, row{"jump 63", "00bf", ""}},
		{7, row{"jump 64", "", "text-range"}},
		{7, row{"call odd", "00c3", ""}},
		{7, row{"call far", "", "text-range"}}, // 80 bytes
		{7, row{"jump Lower.1", "0081", ""}},   // dots, digits, case
		{7, row{"jump lower.1", "", "text-symbol"}},
		{7, row{"jump f0", "0085", ""}}, // a name, although it consists of hexadecimal digits
	} {
		t.Run(fmt.Sprint(r.addr, " ", r.text), func(t *testing.T) {
			x.p.Addr, x.d.Addr = 16*r.addr, 16*r.addr
			x.rows(t, []row{r.row})
		})
	}
	x.d.Label = nil
	if text, _, _, _ := x.print(bits.Of(0x3f)); text != "near -1" {
		t.Errorf("without labels 003f is %q", text)
	}
}
