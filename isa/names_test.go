package isa_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/bits"
)

// TestNames prints values for which the program has names, and checks tokens and fields. Each word is
// printed with and without memos.
func TestNames(t *testing.T) {
	for _, x := range []struct {
		name, xml            string
		word                 uint64
		text, tokens, fields string
	}{
		{
			"symbol", `<bitset name="#instruction" size="8"><display>op {A} {B}</display>
				<field name="A" low="0" high="3" type="uint" symbols="num"/><field name="B" low="4" high="7" type="uint" symbols="num"/></bitset>`,
			0x23, "op three 2", "Nop P  Lthree P  I2", "A=3 B=2",
		},
		{
			"symbol in an operand", `<bitset name="#n" size="4"><display>n{V}</display><field name="V" low="0" high="3" type="uint" symbols="num"/></bitset>
				<bitset name="#instruction" size="8"><display>op {A}.{B}</display><field name="A" low="0" high="3" type="#n"/><field name="B" low="4" high="7" type="#n"/></bitset>`,
			0x23, "op nthree.n2", "Nop P  Mn Lthree P. Mn I2", "A=nthree A.V=3 B=n2 B.V=2",
		},
		{
			"label", `<bitset name="#instruction" size="16"><display>br {T} {U}</display>
				<field name="T" low="0" high="7" type="absbranch" unit="1"/><field name="U" low="8" high="15" type="absbranch" unit="1"/></bitset>`,
			0x1020, "br there 16", "Nbr P  Lthere P  A16", "T=there U=16",
		},
		{
			"label in an operand", `<bitset name="#to" size="8"><display>to+{T}</display><field name="T" low="0" high="7" type="absbranch" unit="1"/></bitset>
				<bitset name="#instruction" size="16"><display>br {A} {B}</display><field name="A" low="0" high="7" type="#to"/><field name="B" low="8" high="15" type="uint"/></bitset>`,
			0x1020, "br to+there 16", "Nbr P  Mto P+ Lthere P  I16", "A=to+there A.T=there B=16",
		},
		{
			"number after its start", `<bitset name="#instruction" size="8"><display>op 0x{A}, 0x{:align=12}{B}</display>
				<field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>`,
			0x21, "op 0x1, 0x  2", "Nop P  I0x1 P,  I0x I2", "A=1 B=2",
		},
		{
			"number that did not start", `<bitset name="#instruction" size="8"><display>op{, 0x?F}{:align=6}{A}</display>
				<field name="F" pos="0" type="bool" display="f"/><field name="A" low="1" high="7" type="uint"/></bitset>`,
			0x08, "op    4", "Nop I4", "F= A=4",
		},
		{
			"number after a name", `<bitset name="#instruction" size="8"/><bitset name="op" extends="#instruction"><display>0x{NAME}{A}</display>
				<field name="A" low="0" high="7" type="uint"/></bitset>`,
			0x08, "0xop8", "I0x Nop I8", "A=8",
		},
		{
			"number after one that did not start", `<bitset name="#instruction" size="8"><display>op {, 0x?F}{A}</display>
				<field name="F" pos="0" type="bool" display="f"/><field name="A" low="1" high="7" type="uint"/></bitset>`,
			0x08, "op 4", "Nop P  I4", "F= A=4",
		},
		{
			// The K that X prints inside N is the K of N.
			"a field shown inside of another", `<bitset name="#x" size="2"><display>x{K}.{V}</display><field name="V" low="0" high="1" type="uint"/></bitset>
				<bitset name="#n" size="2"><display>{P}</display><field name="K" low="0" high="1" type="uint"/></bitset>
				<bitset name="#instruction" size="8"><display>op {N}</display><pattern low="6" high="7">00</pattern>
				<field name="X" low="0" high="1" type="#x"><param name="K"/></field>
				<field name="N" low="2" high="3" type="#n"><param name="X" as="P"/></field><field name="K" low="4" high="5" type="uint"/></bitset>`,
			0x39, "op x2.1", "Nop P  Mx I2 P. I1", "X=x3.1 X.V=1 N=x2.1 N.K=2 K=3",
		},
		{
			// The number of a register is a part of its name. Elsewhere it is an immediate.
			"one field in two ways", `<file name="r" type="u32" count="16"/><bitset name="#n" size="4"><display>{V}</display><field name="V" low="0" high="3" type="uint"/></bitset>
				<bitset name="#instruction" size="8"><display>op {R}, {N}</display>
				<operand name="R" kind="register"><display>r{N}</display><reg file="r" index="{N}"/></operand>
				<field name="N" low="0" high="3" type="#n"/><pattern low="4" high="7">0000</pattern></bitset>`,
			0x05, "op r5, 5", "Nop P  Rr5 P,  I5", "N=5 N.V=5",
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := strict(t, x.xml)
			d.Symbol = func(space string, v uint64) (string, bool) { return "three", space == "num" && v == 3 }
			d.Label = func(addr int64, _ bool) (string, bool) { return "there", addr == 0x20 }
			for range 6 {
				in, _ := d.Decode(bits.Of(x.word))
				if text := string(d.Append(nil, in)); text != x.text {
					t.Fatalf("printed %q, expected %q", text, x.text)
				}
				text, tokens := d.AppendTokens(nil, nil, in)
				var got []string
				for _, k := range tokens {
					got = append(got, string("PNMRIALC"[k.Kind])+string(text[k.Start:k.End]))
				}
				if s := strings.Join(got, " "); s != x.tokens {
					t.Fatalf("tokens %q, expected %q", s, x.tokens)
				}
				got = got[:0]
				for _, f := range d.Fields(nil, in) {
					got = append(got, f.Path+"="+f.Meaning)
				}
				if s := strings.Join(got, " "); s != x.fields {
					t.Fatalf("fields %q, expected %q", s, x.fields)
				}
			}
		})
	}
}
