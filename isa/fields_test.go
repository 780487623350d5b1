package isa_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// fieldsXML has nested, scattered, derived and hidden fields, and a table.
//
//	bits  0..1   index of entry D     bits 8..11  low part of R
//	bits  2..5   IMM                  bits 12..13 high part of R
//	bit   6      FLAG                 bits 14..15 HIDDEN
const fieldsXML = `
	<enum name="#c"><value val="0" display="x"/><value val="1" display="y"/></enum>
	<bitset name="#sub" size="3"><display>{C}{K}</display><field name="C" pos="2" type="#c"/><field name="K" low="0" high="1" type="uint"/></bitset>
	<file name="r" type="u32" count="8"/>
	<bitset name="#reg" size="6"><display>r{N}.{S}</display><reg file="r" index="{N}"/><field name="S" low="3" high="5" type="#sub"/><field name="N" low="0" high="2" type="uint"/></bitset>
	<bitset name="#entry" size="8"><display>{M}</display><field name="M" type="hex"><bits low="0" high="1"/><bits low="6" high="7"/></field><field name="U" low="2" high="5" type="hex"/></bitset>
	<table name="data" type="#entry" size="4"/>
	<bitset name="#instruction" size="16"/>
	<bitset name="op" extends="#instruction">
		<display>{NAME}{FLAG} {R}, #{IMM} {D.M}{T}</display>
		<pattern pos="7">0</pattern>
		<field name="D" low="0" high="1" type="#entry" table="data"/>
		<field name="IMM" low="2" high="5" type="int" symbols="num"/>
		<field name="FLAG" pos="6" type="bool" display=".s"/>
		<field name="R" type="#reg"><bits low="12" high="13"/><bits low="8" high="11"/></field>
		<field name="HIDDEN" low="14" high="15" type="uint"/>
		<derived name="T" type="branch" width="4"><expr>{IMM}</expr></derived>
	</bitset>`

func describe(fields []isa.Field) string {
	var b strings.Builder
	for _, f := range fields {
		where := "word"
		if f.Table != "" {
			where = fmt.Sprintf("%s[%d]", f.Table, f.Entry)
		}
		var parts []string
		for _, p := range f.Parts {
			parts = append(parts, fmt.Sprintf("%d+%d", p.Low, p.Width))
		}
		if f.Derived() {
			where = "derived"
		}
		fmt.Fprintf(&b, "%d %s %s %s %s =%s %q %d..%d %s\n", f.Depth, f.Path, f.Type, where, strings.Join(parts, " "), f.Value, f.Meaning, f.Start, f.End, f.IndexOf)
	}
	return b.String()
}

// TestFields lists the fields of one word with their paths, bits, values and positions in the text.
func TestFields(t *testing.T) {
	d := strict(t, fieldsXML)
	d.SetTable(0, []bits.Value{{}, {}, bits.Of(0b10_0101_01), {}}) // M is 01 10, U is 5
	// HIDDEN 2, R = 10 1101: S is 101, y1, N is 5; FLAG, IMM -3, D 2
	in, ok := d.Decode(bits.Of(0b10_10_1101_0_1_1101_10))
	if !ok {
		t.Fatal("unknown")
	}
	const text = "op.s r5.y1, #-3 6-3"
	if got := string(d.Append(nil, in)); got != text {
		t.Fatalf("%q, expected %q", got, text)
	}
	// The bits of R, most significant first, are 13 12 11 10 9 8. S is the upper three and N the lower
	// three.
	const want = `0 D #entry word 0+2 =2 "6" -1..-1 data
1 D.M hex data[2] 0+2 6+2 =6 "6" 16..17 
1 D.U hex data[2] 2+4 =5 "5" -1..-1 
0 IMM int word 2+4 =d "-3" 13..15 
0 FLAG bool word 6+1 =1 ".s" 2..4 
0 R #reg word 12+2 8+4 =2d "r5.y1" 5..10 
1 R.S #sub word 12+2 11+1 =5 "y1" 8..10 
2 R.S.C #c word 13+1 =1 "y" 8..9 
2 R.S.K uint word 12+1 11+1 =1 "1" 9..10 
1 R.N uint word 8+3 =5 "5" 6..7 
0 HIDDEN uint word 14+2 =2 "2" -1..-1 
0 T branch derived  =d "-3" 17..19 
`
	if got := describe(d.Fields(nil, in)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if n := len(d.Findings()); n != 0 {
		t.Errorf("%d findings", n)
	}
	index := d.IndexFields(in)
	if want := []isa.IndexField{{Field: "D", Table: "data", TableIndex: 0, Index: 2}}; !slices.Equal(index, want) {
		t.Errorf("index fields %v, expected %v", index, want)
	}
}

// nestedIndexXML has 6-bit operands, some of which select an entry. Bit 5 selects the kind. Bit 0 and
// bits 4..3 are the index, highest bit first. The bits of B are bits 14..12 and 8..6 of the word.
const nestedIndexXML = `
	<bitset name="#entry" size="8"><display>{V}</display><field name="V" low="0" high="7" type="hex"/></bitset>
	<table name="shared" type="#entry" size="8"/>
	<bitset name="#source" size="6"/>
	<bitset name="#register" extends="#source"><display>r{N}</display><pattern pos="5">0</pattern><field name="N" low="0" high="4" type="uint"/></bitset>
	<bitset name="#place" extends="#source">
		<display>[{E}]+{O}</display><pattern pos="5">1</pattern><field name="O" low="1" high="2" type="uint"/>
		<field name="E" type="#entry" table="shared"><bits pos="0"/><bits low="3" high="4"/></field></bitset>
	<bitset name="#instruction" size="16"><display>add {A}, {B}</display>
		<field name="A" low="0" high="5" type="#source"/>
		<field name="B" type="#source"><bits low="12" high="14"/><bits low="6" high="8"/></field>
		<pattern low="9" high="11">000</pattern><pattern pos="15">0</pattern></bitset>`

// TestIndexInOperand requires that IndexFields lists an index in an operand and that SetField changes
// it.
func TestIndexInOperand(t *testing.T) {
	d := strict(t, nestedIndexXML)
	in, _ := d.Decode(bits.Of(0x606d)) // A is 1 01 10 1, so E is 101; B is 1 10 00 1, so E is 110
	want := []isa.IndexField{{Field: "A.E", Table: "shared", Index: 5}, {Field: "B.E", Table: "shared", Index: 6}}
	found := slices.Clone(d.Findings())
	if got := d.IndexFields(in); !slices.Equal(got, want) || !slices.Equal(d.Findings(), found) {
		t.Errorf("index fields %v, expected %v; %v", got, want, d.Findings())
	}
	for _, x := range []struct {
		field string
		value uint64
		err   string
		word  uint64
	}{
		{"A.E", 2, "", 0x6074},      // A becomes 1 10 10 0
		{"B.E", 1, "", 0x5034},      // B becomes 1 01 00 0
		{"A.O", 3, "", 0x5036},      // A becomes 1 10 11 0
		{"B", 0b001001, "", 0x1076}, // r9
		{"B.N", 31, "", 0x31f6},
		{"B.E", 1, "#instruction has no field B.E", 0x31f6},
		{"B.N.X", 1, "#instruction has no field B.N.X", 0x31f6},
		{"A.E", 8, "8 does not fit A.E, expected 0 to 7", 0x31f6},
		{"A.E.V", 1, "A.E.V is in a table, not in the word", 0x31f6},
	} {
		err := d.SetField(&in, x.field, x.value)
		if x.err == "" {
			x.err = "<nil>"
		}
		if fmt.Sprint(err) != x.err || in.Bits != bits.Of(x.word) {
			t.Errorf("%s = %d gives %s and %v, expected %x and %q", x.field, x.value, in.Bits, err, x.word, x.err)
		}
	}
	want = []isa.IndexField{{Field: "A.E", Table: "shared", Index: 2}}
	if got := d.IndexFields(in); !slices.Equal(got, want) {
		t.Errorf("index fields %v, expected %v", got, want)
	}
}

// TestIndexFromOutside requires that an index in the enclosing scope or in a computed operand does not
// belong to the operand.
func TestIndexFromOutside(t *testing.T) {
	d := strict(t, `
	<bitset name="#entry" size="8"><display>{V}</display><field name="V" low="0" high="7" type="hex"/></bitset>
	<table name="t" type="#entry" size="4"/>
	<bitset name="#in" size="3"><display>{D.V}</display>
		<override><expr>{OWN}</expr><display>own {D.V}</display><field name="D" low="0" high="1" type="#entry" table="t"/></override>
		<field name="OWN" pos="2" type="bool"/><field name="LOW" low="0" high="1" type="uint"/></bitset>
	<bitset name="#instruction" size="8"><display>{A} {X}</display>
		<field name="A" low="0" high="2" type="#in"><param name="D"/></field>
		<field name="D" low="6" high="7" type="#entry" table="t"/>
		<derived name="X" type="#in" width="3"><expr>{A} | 4</expr><param name="D"/></derived>
		<pattern low="3" high="5">000</pattern></bitset>`)
	for word, want := range map[uint64][]isa.IndexField{
		0b11_000_001: {{Field: "D", Table: "t", Index: 3}},
		0b11_000_110: {{Field: "A.D", Table: "t", Index: 2}, {Field: "D", Table: "t", Index: 3}},
	} {
		in, _ := d.Decode(bits.Of(word))
		if got := d.IndexFields(in); !slices.Equal(got, want) {
			t.Errorf("%b: index fields %v, expected %v", word, got, want)
		}
	}
}

// TestFieldsAligned has an operand whose text depends on its column. Its Meaning must be the text at
// the first column.
func TestFieldsAligned(t *testing.T) {
	d := strict(t, `
	<bitset name="#pair" size="8"><display>{A}{B:align=8}</display><field name="A" low="0" high="3" type="uint"/><field name="B" low="4" high="7" type="uint"/></bitset>
	<bitset name="#instruction" size="8"><display>add {P}</display><field name="P" low="0" high="7" type="#pair"/></bitset>`)
	in, _ := d.Decode(bits.Of(0x35))
	if text := string(d.Append(nil, in)); text != "add 5   3" {
		t.Errorf("%q", text)
	}
	const want = `0 P #pair word 0+8 =35 "5       3" 4..9 
1 P.A uint word 0+4 =5 "5" 4..5 
1 P.B uint word 4+4 =3 "3" 8..9 
`
	if got := describe(d.Fields(nil, in)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFieldsFindOnce requires one finding for an option that is printed twice to determine its fields.
func TestFieldsFindOnce(t *testing.T) {
	d := strict(t, `
	<bitset name="#r" size="4"><display>r{N}</display><field name="N" low="0" high="2" type="uint"/><pattern pos="3">x</pattern></bitset>
	<bitset name="#instruction" size="4"><display>op{ ?R}</display><field name="R" low="0" high="3" type="#r"/></bitset>`)
	in, _ := d.Decode(bits.Of(0b1010))
	for range 8 { // later words are printed from caches
		d.Decode(in.Bits)
		if got, want := describe(d.Fields(nil, in)), "0 R #r word 0+4 =a \"r2\" 3..5 \n1 R.N uint word 0+3 =2 \"2\" 4..5 \n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if f := d.Findings(); len(f) != 1 || f[0].Kind != isa.DontCare {
			t.Errorf("findings %v", f)
		}
	}
}

// TestTokens checks the kind of each token.
func TestTokens(t *testing.T) {
	d := strict(t, fieldsXML)
	d.SetTable(0, make([]bits.Value, 4))
	d.Symbol = func(space string, v uint64) (string, bool) { return "three", space == "num" && v == 3 }
	for _, x := range []struct {
		word   uint64
		tokens string
	}{
		// FLAG, R 0, IMM -3
		{0b00_00_0000_0_1_1101_00, "Nop M.s P  Rr0 P. Mx I0 P, # I-3 P  I0 A-3"},
		// If FLAG is 0, it has no token. IMM 3 has a name.
		{0b00_00_0001_0_0_0011_00, "Nop P  Rr1 P. Mx I0 P, # Lthree P  I0 A3"},
	} {
		in, _ := d.Decode(bits.Of(x.word))
		text, tokens := d.AppendTokens([]byte("> "), nil, in)
		var got []string
		at := 2
		for _, tok := range tokens {
			if tok.Start != at || tok.End <= at {
				t.Errorf("token %v of %q does not start at %d", tok, text, at)
			}
			at = tok.End
			got = append(got, string("PNMRIALC"[tok.Kind])+string(text[tok.Start:tok.End]))
		}
		if at != len(text) {
			t.Errorf("the tokens of %q end at %d", text, at)
		}
		if s := strings.Join(got, " "); s != x.tokens {
			t.Errorf("%x\n got %s\nwant %s", x.word, s, x.tokens)
		}
	}
}

// TestTokensWithoutOption requires that an option that prints nothing does not change the end of the
// token before it.
func TestTokensWithoutOption(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="8"><display>op {A},{ ?F} {B}</display><field name="A" low="0" high="2" type="uint"/>
		<field name="F" pos="3" type="bool" display="f"/><field name="B" low="4" high="7" type="uint"/></bitset>`)
	in, _ := d.Decode(bits.Of(0x21))
	text, tokens := d.AppendTokens(nil, nil, in)
	want := []isa.Token{{isa.TokenMnemonic, 0, 2}, {isa.TokenPunctuation, 2, 3}, {isa.TokenImmediate, 3, 4}, {isa.TokenPunctuation, 4, 6}, {isa.TokenImmediate, 6, 7}}
	if string(text) != "op 1, 2" || !slices.Equal(tokens, want) {
		t.Errorf("%q: got %v, want %v", text, tokens, want)
	}
}

func TestTargets(t *testing.T) {
	d := strict(t, `<bitset name="#instruction" size="32"><display>br {A} {B} {C}</display>
		<field name="A" low="0" high="7" type="branch"/><field name="B" low="8" high="15" type="absbranch" call="true" unit="8"/>
		<field name="C" low="16" high="23" type="branch" unit="16"/><field name="D" low="24" high="31" type="branch"/></bitset>`)
	d.Addr = 320
	in, _ := d.Decode(bits.Of(0x05_02_ff_ff))
	got := d.Targets(nil, in)
	// A is -1 words of 32 bits, B is byte 255, and C is 2 halfwords forward. D is not printed.
	want := []isa.BranchTarget{{Addr: 288}, {Addr: 2040, Call: true}, {Addr: 352}}
	if !slices.Equal(got, want) {
		t.Errorf("targets %v, expected %v", got, want)
	}
}

// TestTables prints operands from a table and reports a missing entry once.
func TestTables(t *testing.T) {
	d := strict(t, fieldsXML)
	d.SetTable(0, []bits.Value{bits.Of(0xc0), bits.Of(3)}) // M: bits 7..6 are the low part
	check(t, d, []row{
		{0, "op r0.x0, #0 30", ""},
		{1, "op r0.x0, #0 c0", ""},
		{2, "op r0.x0, #0 00", "no entry 2 in table data of 2 [table-entry]"},
	})
	if f := d.Findings(); len(f) != 1 || f[0].Kind != isa.NoEntry {
		t.Errorf("findings %v", f)
	}
}

// TestLayout requires that FieldValues returns the same fields as Fields, without texts.
func TestLayout(t *testing.T) {
	d := strict(t, fieldsXML)
	d.SetTable(0, []bits.Value{bits.Of(0x12), bits.Of(0x34), bits.Of(0x56), bits.Of(0x78)})
	for w := uint64(0); w < 1<<16; w += 77 {
		in, ok := d.Decode(bits.Of(w))
		if !ok {
			continue
		}
		want := d.Fields(nil, in)
		for i := range want {
			want[i].Meaning, want[i].Start, want[i].End = "", -1, -1
		}
		if got := d.FieldValues(nil, in); !reflect.DeepEqual(got, want) {
			t.Fatalf("%04x: got\n%swant\n%s", w, describe(got), describe(want))
		}
	}
}
