package asm_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// tableXML has entries of 8 bits, with a mask (low) and a swizzle (high), and words of 8 bits.
const tableXML = `
	<bitset name="#opd" size="8">
		<display>{MASK}.{SWZ}</display>
		<field name="MASK" low="0" high="3" type="hex"/>
		<field name="SWZ" low="4" high="7" type="hex"/>
	</bitset>
	<table name="opd" type="#opd" size="4"/>
	<bitset name="#instruction" size="8"/>
	<bitset name="mov" extends="#instruction">
		<display>mov {D.MASK}, {D.SWZ}</display>
		<alias>copy {D}</alias>
		<pattern low="2" high="7">000000</pattern>
		<field name="D" low="0" high="1" type="#opd" table="opd"/>
	</bitset>
	<bitset name="any" extends="#instruction">
		<display>any {D.MASK}</display>
		<pattern low="2" high="7">000001</pattern>
		<field name="D" low="0" high="1" type="#opd" table="opd"/>
		<unused path="D.SWZ"/>
		<default name="D.SWZ" val="9"/>
	</bitset>
	<bitset name="low" extends="#instruction">
		<display>low {D.MASK}, {D.SWZ}</display>
		<pattern low="1" high="7">0000100</pattern>
		<field name="D" pos="0" type="#opd" table="opd"/>
	</bitset>
	<bitset name="if0" extends="#instruction">
		<display>if0 {D.MASK}, {D.SWZ}</display>
		<pattern low="2" high="7">000011</pattern>
		<field name="D" low="0" high="1" type="#opd" table="opd"/>
		<unused path="D.SWZ" expr="{D.MASK} == 0"/>
	</bitset>
	<bitset name="two" extends="#instruction">
		<display>two {A.MASK}, {B.MASK}</display>
		<pattern low="6" high="7">01</pattern>
		<pattern low="0" high="1">00</pattern>
		<field name="A" type="#opd" table="opd"><bits pos="2"/><bits pos="5"/></field>
		<field name="B" low="3" high="4" type="#opd" table="opd"/>
	</bitset>
	<bitset name="pair" extends="#instruction">
		<display>pair {A.MASK}, {A.SWZ}, {B.MASK}, {B.SWZ}</display>
		<pattern low="6" high="7">10</pattern>
		<pattern low="0" high="1">00</pattern>
		<field name="A" low="2" high="3" type="#opd" table="opd"/>
		<field name="B" low="4" high="5" type="#opd" table="opd"/>
		<unused path="A.SWZ"/>
	</bitset>`

// tableRow is a text with its word and the table after it, or with its error.
type tableRow struct {
	text  string
	word  uint64
	table []uint64
	err   string
}

func values(list []uint64) []bits.Value {
	var out []bits.Value
	for _, x := range list {
		out = append(out, bits.Of(x))
	}
	return out
}

// TestGivenIndex parses texts that specify an index: by a printed sum with the index, or by a condition. A default does
// not specify an index.
func TestGivenIndex(t *testing.T) {
	x := toolsFor(t, load(t, `<text comment="#"/>
		<bitset name="#opd" size="4"><display>{M}</display><field name="M" low="0" high="3" type="hex"/></bitset>
		<table name="opd" type="#opd" size="8"/>
		<bitset name="#instruction" size="12"/>
		<bitset name="nth" extends="#instruction"><display>nth {N}: {D.M}</display><pattern low="3" high="11">000000000</pattern>
			<field name="D" low="0" high="2" type="#opd" table="opd"/><derived name="N" type="uint" width="4"><expr>{D} + 1</expr></derived></bitset>
		<bitset name="split" extends="#instruction"><display>split {N}: {D.M}</display><pattern low="6" high="11">000001</pattern><pattern low="1" high="3">000</pattern>
			<field name="D" type="#opd" table="opd"><bits low="4" high="5"/><bits pos="0"/></field><derived name="N" type="uint" width="4"><expr>{D} + 1</expr></derived></bitset>
		<bitset name="asked" extends="#instruction"><display>asked {D.M}</display><pattern low="3" high="11">000010000</pattern><require>{D} == 6</require>
			<field name="D" low="0" high="2" type="#opd" table="opd"/></bitset>
		<bitset name="by" extends="#instruction"><display>by {N}: {D.M}</display><pattern low="3" high="11">000110000</pattern>
			<field name="D" low="0" high="2" type="#opd" table="opd"/><derived name="N" type="uint" width="5"><expr>{D} &lt;&lt; 2</expr></derived></bitset>
		<bitset name="usual" extends="#instruction"><display>usual {D.M}</display><pattern low="3" high="11">000101000</pattern><default name="D" val="3"/>
			<field name="D" low="0" high="2" type="#opd" table="opd"/></bitset>
		<bitset name="later" extends="#instruction"><override><expr>{D}</expr><display>later {D.M}</display></override><display>first {D.M}</display>
			<pattern low="3" high="11">000111000</pattern><default name="D" val="3"/><field name="D" low="0" high="2" type="#opd" table="opd"/></bitset>
		<bitset name="marked" extends="#instruction"><display>marked #{D.M}</display><pattern low="3" high="11">000011000</pattern>
			<field name="D" low="0" high="2" type="#opd" table="opd"/></bitset>`))
	for range 6 { // cached lines too
		for text, want := range map[string]uint64{"nth 3: 5": 2, "nth 8: 6": 7, "nth 1: 5": 0, "split 6: 7": 0x61, "split 4: 1": 0x51, "asked 9": 0x86, "usual 9": 0x140, "later 9": 0x1c1, "first 9": 0x1c0, "by 4: 1": 0x181, "by 8: 1": 0x182, "by 12: 1": 0x183, "by 28: 2": 0x187, "nth 6: 7": 5} {
			x.p.Tables[0] = &asm.GrowingTable{Size: 8}
			res, err := x.p.Parse(text)
			if err != nil || res.Inst.Bits != bits.Of(want) {
				t.Errorf("%q is %s %v, expected %x", text, res.Inst.Bits, err, want)
			}
		}
	}
	x.p.Tables[0] = &asm.FixedTable{Entries: values([]uint64{1, 2, 3, 4})}
	for text, want := range map[string]string{
		"nth 3: 5": "opd: entry 2 of the table differs from the text", "nth 3: 3": "", "nth 3: 1": "opd: entry 2 of the table differs from the text",
		"marked #7": "opd: none of the first 4 entries of the table matches the text", "marked #2 # two": "",
	} {
		_, err := x.p.Parse(text)
		if e, _ := err.(*asm.Error); e != nil && e.Msg != want || err == nil && want != "" {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// TestIndexBeyondTable checks that no memory is allocated for an index far beyond the table.
func TestIndexBeyondTable(t *testing.T) {
	x := toolsFor(t, load(t, `<bitset name="#opd" size="4"><display>{M}</display><field name="M" low="0" high="3" type="hex"/></bitset>
		<table name="opd" type="#opd" size="8"/>
		<bitset name="nth" size="32"><display>nth {N}: {D.M}</display><pattern low="24" high="31">00000000</pattern>
			<field name="D" low="0" high="23" type="#opd" table="opd"/><derived name="N" type="uint" width="24"><expr>{D} + 1</expr></derived></bitset>`))
	x.p.Tables[0] = &asm.GrowingTable{Size: 8}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, text := range []string{"nth 09000000: 5", "nth 9000000: 5 {D.M=3}"} {
		if res, err := x.p.Parse(text); err == nil {
			t.Errorf("%q is %s", text, res.Inst.Bits)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestSplitOfEntry checks that a text is parsed as the word that prints it, which depends on the index of the entry. If
// the entry were the first one, the override would apply, and a reading that is never printed would be chosen.
func TestSplitOfEntry(t *testing.T) {
	x := toolsFor(t, load(t, `<enum name="#e"><value val="0" display="x"/><value val="1" display="1"/><value val="2" display="2"><alias></alias></value></enum>
		<bitset name="#s" size="4"><display>{A}{B}</display><field name="A" low="0" high="1" type="#e"/><field name="B" low="2" high="3" type="#e"/></bitset>
		<table name="table" type="#s" size="8"/>
		<bitset name="#instruction" size="8"><override><expr>{C} == {E}</expr><display>.{H}</display><alias>l {H}{E}{C}</alias></override><display>l {H}{E}{C}</display>
			<field name="H" pos="0" type="hex"/><field name="E" low="1" high="3" type="#s" table="table"/><field name="C" low="4" high="5" type="#e"/><pattern low="6" high="7">00</pattern></bitset>`))
	res, err := x.p.Parse("l 011x")
	if err != nil || res.Inst.Bits != bits.Of(2) || len(res.Entries) != 1 || res.Entries[0].Value != bits.Of(5) {
		t.Errorf("read as %s with %v: %v", res.Inst.Bits, res.Entries, err)
	}
}

// TestNamelessBits sets bits of an entry by number, with an index field whose name ends with digits.
func TestNamelessBits(t *testing.T) {
	x := toolsFor(t, load(t, `<bitset name="#opd" size="8"><display>{M}</display><field name="M" low="0" high="3" type="hex"/><field name="N" low="4" high="7" type="hex"/></bitset>
		<table name="opd" type="#opd" size="4"/>
		<bitset name="#instruction" size="8"/>
		<bitset name="use" extends="#instruction"><display>use {SRC12.M}</display><pattern low="2" high="7">000000</pattern>
			<field name="SRC12" low="0" high="1" type="#opd" table="opd"/></bitset>`))
	for text, want := range map[string]uint64{"use 3 {SRC12.4=0x1}": 0x13, "use 3 {SRC12@1, SRC12.4..6=0x5}": 0x53, "use 3 {SRC12.M=0x4, src12.7=0x1}": 0x84} {
		res, err := x.p.Parse(text)
		if err != nil || len(res.Entries) != 1 || res.Entries[0].Value != bits.Of(want) {
			t.Errorf("%q has the entries %v, %v, expected %x", text, res.Entries, err, want)
		}
	}
	for text, want := range map[string]string{
		"use 3 {SRC12.4..=0x1}": `"4..", expected bits such as 44..50`, "use 3 {SRC12.8=0x1}": "bit 8, but the entry has 8 bits", "use 3 {SRC1.4=0x1}": `this instruction has no field "SRC1"`,
	} {
		if _, err := x.p.Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// TestSplitBesideEntry is TestSplitOfEntry with another entry before the first. The other entry may have any index
// except 0, which the text specifies for the second entry.
func TestSplitBesideEntry(t *testing.T) {
	x := toolsFor(t, load(t, `<enum name="#e"><value val="0" display="x"/><value val="1" display="1"/><value val="2" display="2"><alias></alias></value></enum>
		<bitset name="#s" size="4"><display>{A}{B}</display><field name="A" low="0" high="1" type="#e"/><field name="B" low="2" high="3" type="#e"/></bitset>
		<table name="table" type="#s" size="8"/>
		<bitset name="#instruction" size="16"><override><expr>{C} != {E}</expr><display>.{H}</display><alias>l {G} {H}{E}{C}</alias></override><display>l {G} {H}{E}{C}</display>
			<field name="H" pos="0" type="hex"/><field name="E" low="1" high="3" type="#s" table="table"/><field name="C" low="4" high="5" type="#e"/>
			<field name="G" low="6" high="8" type="#s" table="table"/><pattern low="9" high="15">0000000</pattern></bitset>`))
	res, err := x.p.Parse("l xx 011x")
	if err != nil || res.Inst.Bits != bits.Of(1<<6) || len(res.Entries) != 2 || res.Entries[1].Value != bits.Of(5) {
		t.Errorf("read as %s with %v: %v", res.Inst.Bits, res.Entries, err)
	}
}

// TestFixedTable looks up entries in a given table: 0x21 at index 0, 0x43 at 1, 0x65 at 2.
func TestFixedTable(t *testing.T) {
	x := toolsFor(t, load(t, tableXML))
	given := values([]uint64{0x21, 0x43, 0x65})
	x.p.Tables[0] = &asm.FixedTable{Entries: given}
	for _, r := range []tableRow{
		{text: "mov 1, 2", word: 0},
		{text: "mov 3, 4", word: 1},
		{text: "mov 5, 6", word: 2},
		{text: "copy 3.4", word: 1},
		{text: "any 5", word: 4 + 2}, // with any swizzle
		{text: "low 3, 4", word: 8 + 1},
		{text: "two 5, 3", word: 0x40 | 1<<2 | 1<<3}, // A is 2: its high bit in bit 2; B is 1
		{text: "mov 3, 4 {D@1}", word: 1},
		{text: "mov 1, 4", err: "opd: none of the first 3 entries of the table matches the text [table-full]"},
		{text: "low 5, 6", err: "opd: none of the first 2 entries of the table matches the text [table-full]"},
		{text: "mov 3, 4 {D@0}", err: "opd: entry 0 of the table differs from the text [table-full]"},
		{text: "mov 3, 4 {D@3}", err: "opd: entry 3 of the table differs from the text [table-full]"},
	} {
		x.table(t, r)
	}
	if !slices.Equal(given, values([]uint64{0x21, 0x43, 0x65})) {
		t.Error("a fixed table was changed")
	}
}

func (x *tools) table(t *testing.T, r tableRow) {
	t.Helper()
	res, err := x.p.Parse(r.text)
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != r.err {
		t.Errorf("%q: %v, expected %q", r.text, err, r.err)
		return
	}
	if err == nil && res.Inst.Bits != bits.Of(r.word) {
		t.Errorf("%q is %s, expected %x", r.text, res.Inst.Bits, r.word)
	}
}

// TestNarrowFields checks that the first entries, which are the only ones that low can address, remain available for
// low: the new entry exchanges its index with an entry there.
func TestNarrowFields(t *testing.T) {
	x := toolsFor(t, load(t, tableXML))
	var moves [][2]int
	table := &asm.GrowingTable{Size: 8, Swapped: func(i, j int) { moves = append(moves, [2]int{i, j}) }}
	x.p.Tables[0] = table
	for _, r := range []tableRow{
		{text: "mov 1, 2", word: 0, table: []uint64{0x21}},
		{text: "mov 3, 4", word: 1, table: []uint64{0x21, 0x43}},
		{text: "mov 5, 6", word: 2, table: []uint64{0x21, 0x43, 0x65}},
		{text: "low 8, 8", word: 8, table: []uint64{0x88, 0x43, 0x65, 0x21}},
		// The entry of mov 3, 4 cannot move to 4, because mov can name only the first 4 entries.
		{text: "low 7, 7", err: "opd: D can name only the first 2 entries, and none of these can move to another index [table-full]"},
		{text: "mov 1, 2", word: 3, table: []uint64{0x88, 0x43, 0x65, 0x21}},
		{text: "mov 7, 7", err: "opd: D can name only the first 4 entries, and none of these can move to another index [table-full]"},
	} {
		x.table(t, r)
		if r.err == "" && !slices.Equal(table.Entries, values(r.table)) {
			t.Errorf("after %q the table is %v, expected %x", r.text, table.Entries, r.table)
		}
	}
	if want := [][2]int{{0, 3}}; !slices.Equal(moves, want) {
		t.Errorf("moves are %v, expected %v", moves, want)
	}
}

// TestGrowingTable adds entries one by one.
func TestGrowingTable(t *testing.T) {
	x := toolsFor(t, load(t, tableXML))
	table := &asm.GrowingTable{Size: 4}
	x.p.Tables[0] = table
	for _, r := range []tableRow{
		{text: "mov 1, 2", word: 0, table: []uint64{0x21}},
		{text: "mov 1, 2", word: 0, table: []uint64{0x21}},
		{text: "any 1", word: 4, table: []uint64{0x21}},           // shares entry 0
		{text: "any 3", word: 4 + 1, table: []uint64{0x21, 0x93}}, // the default swizzle
		{text: "mov 3, 7", word: 1, table: []uint64{0x21, 0x73}},  // shares the entry, on whose swizzle no instruction depends
		{text: "any 3", word: 4 + 1, table: []uint64{0x21, 0x73}},
		{text: "if0 0, 5", word: 12 + 2, table: []uint64{0x21, 0x73, 0x50}},
		{text: "if0 0, 6", word: 12 + 2, table: []uint64{0x21, 0x73, 0x50}}, // the swizzle does not matter
		{text: "mov 0, 6", word: 2, table: []uint64{0x21, 0x73, 0x60}},
		{text: "mov 9, 9 {D@3}", word: 3, table: []uint64{0x21, 0x73, 0x60, 0x99}},
		{text: "mov 9, 9", word: 3, table: []uint64{0x21, 0x73, 0x60, 0x99}},
		{text: "mov 5, 5", err: "opd: the table is full: all 4 entries are in use [table-full]"},
		{text: "mov 1, 1 {D@3}", err: "opd: entry 3 of the table is already 99 [table-full]"},
		{text: "mov 1, 1 {D@4}", err: "opd: entry 4, but the table has 4 entries [table-full]"},
		{text: "two 9, 3", word: 0x40 | 1<<5 | 1<<2 | 1<<3, table: []uint64{0x21, 0x73, 0x60, 0x99}}, // 3 and 1
	} {
		x.table(t, r)
		if r.err == "" && !slices.Equal(table.Entries, values(r.table)) {
			t.Errorf("after %q the table is %v, expected %x", r.text, table.Entries, r.table)
		}
	}
}

// TestGrowingTableGap pins an entry beyond the end.
func TestGrowingTableGap(t *testing.T) {
	x := toolsFor(t, load(t, tableXML))
	table := &asm.GrowingTable{Size: 4}
	x.p.Tables[0] = table
	for _, r := range []tableRow{
		{text: "mov 9, 9 {D@2}", word: 2, table: []uint64{0, 0, 0x99}},
		{text: "mov 1, 1", word: 0, table: []uint64{0x11, 0, 0x99}}, // the gap is free
		{text: "low 1, 1 {D@2}", err: "opd: entry 2 of the table is already 99 [table-full]"},
		{text: "low 9, 9 {D@2}", err: "opd: entry 2 does not fit D of 1 bits [table-full]"},
	} {
		x.table(t, r)
		if r.err == "" && !slices.Equal(table.Entries, values(r.table)) {
			t.Errorf("after %q the table is %v, expected %x", r.text, table.Entries, r.table)
		}
	}
}

// TestLineTable checks that each instruction has its own entries without a Table.
func TestLineTable(t *testing.T) {
	x := toolsFor(t, load(t, tableXML))
	for _, r := range []struct {
		text, word, entries string
	}{
		{"mov 1, 2", "0", "[D 0 21 ff ff]"},
		{"any 3", "4", "[D 0 93 f f]"},
		{"if0 0, 5", "c", "[D 0 50 ff f]"},
		{"two 1, 3", "48", "[A 0 1 f f][B 1 3 f f]"},             // 01 0 01 0 00
		{"two 1, 3 {B@0}", "60", "[A 1 1 f f][B 0 3 f f]"},       // 01 1 00 0 00
		{"pair 1, 2, 3, 4", "90", "[A 0 21 ff f][B 1 43 ff ff]"}, // 10 01 00 00
		{"mov 1, 2 {D@3}", "3", "[D 3 21 ff ff]"},
		{"any 3 {D.SWZ=0x5}", "4", "[D 0 53 ff f]"},
		{"any 3 {D.4..7=0x5}", "4", "[D 0 53 ff f]"},
		{"mov 1, 2 {d@3}", "3", "[D 3 21 ff ff]"},
	} {
		res, err := x.p.Parse(r.text)
		if err != nil {
			t.Errorf("%q: %v", r.text, err)
			continue
		}
		entries := ""
		for _, e := range res.Entries {
			entries += fmt.Sprintf("[%s %d %s %s %s]", e.Field, e.Index, e.Value, e.Bound, e.Care)
		}
		if res.Inst.Bits.String() != r.word || entries != r.entries {
			t.Errorf("%q is %s %s, expected %s %s", r.text, res.Inst.Bits, entries, r.word, r.entries)
		}
	}
}

// TestLosslessTable prints words with a table so that their texts assemble to the same index.
func TestLosslessTable(t *testing.T) {
	x := toolsFor(t, load(t, tableXML))
	table := values([]uint64{0x21, 0x43, 0x21, 0x01})
	x.d.SetTable(0, table)
	line := asm.NewLossless(x.d, x.p)
	fixed := toolsFor(t, x.set)
	fixed.p.Tables[0] = &asm.FixedTable{Entries: table}
	fixed.d.SetTable(0, table)
	for _, r := range []struct {
		word        uint64
		line, fixed string
	}{
		{0x00, "mov 1, 2", "mov 1, 2"},
		{0x02, "mov 1, 2 {D@2}", "mov 1, 2 {D@2}"}, // entry 0 is equal
		{0x01, "mov 3, 4 {D@1}", "mov 3, 4"},
		{0x04, "any 1 {D.SWZ=0x2}", "any 1"},
		{0x07, "any 1 {D@3, D.SWZ=0x0}", "any 1 {D@3}"},
		{0x48, "two 1, 3 {A.SWZ=0x2, B.SWZ=0x4}", "two 1, 3"},
		{0x40, "two 1, 1 {A.SWZ=0x2, B@0, B.SWZ=0x2}", "two 1, 1"},
	} {
		in, _ := x.d.Decode(bits.Of(r.word))
		text, ok := line.Append(nil, in)
		if !ok || string(text) != r.line {
			t.Errorf("line by line %02x is %q, expected %q", r.word, text, r.line)
		}
		text, ok = asm.NewLossless(fixed.d, fixed.p).Append(nil, in)
		if !ok || string(text) != r.fixed {
			t.Errorf("with the table %02x is %q, expected %q", r.word, text, r.fixed)
		}
		res, err := fixed.p.Parse(string(text))
		if err != nil || res.Inst.Bits != in.Bits {
			t.Errorf("%q is %s (%v), expected %02x", text, res.Inst.Bits, err, r.word)
		}
	}
}

// TestLosslessPins prints words whose entries have values other than those that their texts specify, and parses the
// texts. Without a suffix, a name specifies its first value, and a condition specifies the first value that satisfies
// it. A pin with the differing bits selects the other entry.
func TestLosslessPins(t *testing.T) {
	set := loadFile(t, "pins")
	for _, r := range []struct {
		word  uint64
		table []uint64
		text  string
	}{
		{0x00, []uint64{0x05, 0x25}, "get a5"},
		{0x01, []uint64{0x05, 0x25}, "get a5 {T@1, T.Y=0x2}"}, // entry 0 is what the text gives
		{0x00, []uint64{0x25}, "get a5 {T@0, T.Y=0x2}"},       // no entry is
		{0x01, []uint64{0x05, 0x05}, "get a5 {T@1}"},
		{0x05, []uint64{0x25, 0x35}, "far 5 {T@1, T.Y=0x3}"},
		{0x04, []uint64{0x35}, "far 5 {T@0, T.Y=0x3}"},
		{0x06, []uint64{0x05, 0x25, 0x15}, "near 5 {T@2, T.Y=0x1}"},
		{0x14, []uint64{0x25, 0x05}, "two a, a5 {T@0, T.Y=0x2}"},
		{0x11, []uint64{0x25, 0x05}, "two a, a5 {U@0, U.Y=0x2}"},
		{0x02, []uint64{0x05, 0x25}, ""}, // the program has no such entry
		{0x02, []uint64{0x05, 0x00}, ""},
	} {
		if text := fixedRoundTrip(t, set, values(r.table), r.word); text != r.text {
			t.Errorf("%02x of %x is %q, expected %q", r.word, r.table, text, r.text)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		table := values([]uint64{rnd.Uint64N(64), rnd.Uint64N(64), rnd.Uint64N(64), rnd.Uint64N(64)})
		for word := range uint64(0x20) {
			if word < 8 || word >= 0x10 {
				if text := fixedRoundTrip(t, set, table, word); text == "" {
					t.Errorf("%02x of %v has no text", word, table)
				}
			}
		}
	}
}

// fixedRoundTrip returns the lossless text of a word of a program with the given table, or "" if there is none. It
// checks that the text assembles to the word.
func fixedRoundTrip(t *testing.T, set *isa.Set, table []bits.Value, word uint64) string {
	t.Helper()
	x := toolsFor(t, set)
	x.d.SetTable(0, table)
	x.p.Tables[0] = &asm.FixedTable{Entries: table}
	in, _ := x.d.Decode(bits.Of(word))
	text, ok := asm.NewLossless(x.d, x.p).Append(nil, in)
	if !ok {
		return ""
	}
	fresh := toolsFor(t, set)
	fresh.p.Tables[0] = x.p.Tables[0]
	if res, err := fresh.p.Parse(string(text)); err != nil || res.Inst.Bits != in.Bits {
		t.Errorf("%q is %s (%v), expected %02x of %v", text, res.Inst.Bits, err, word, table)
	}
	return string(text)
}

// TestIndexInsideOperands gives each of two operands of the same type its own entry.
func TestIndexInsideOperands(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#entry" size="8"><display>{V}</display><field name="V" low="0" high="7" type="uint"/></bitset>
		<table name="long" type="#entry" size="4"/>
		<bitset name="#op" size="2"><display>c{L}</display><field name="L" low="0" high="1" type="#entry" table="long"/></bitset>
		<bitset name="#instruction" size="4"/>
		<bitset name="add" extends="#instruction"><display>add {A}, {B}</display>
		  <field name="A" low="2" high="3" type="#op"/><field name="B" low="0" high="1" type="#op"/></bitset>`))
	res, err := x.p.Parse("add c22, c33")
	if err != nil {
		t.Fatal(err)
	}
	// Entries are numbered in the order of the text: A has entry 0, B entry 1.
	if res.Inst.Bits != bits.Of(1) || len(res.Entries) != 2 || res.Entries[0].Value != bits.Of(22) || res.Entries[1].Value != bits.Of(33) {
		t.Errorf("word %s, entries %+v", res.Inst.Bits, res.Entries)
	}
}

// TestPathsOfParts follows paths through a scattered value, and through an operand to its entry.
func TestPathsOfParts(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#entry" size="8"><display>{V}</display><field name="V" low="0" high="7" type="uint"/></bitset>
		<table name="long" type="#entry" size="4"/>
		<bitset name="#at" size="4"><display>a</display><pattern pos="0">0</pattern><pattern pos="3">0</pattern><field name="T" low="1" high="2" type="#entry" table="long"/></bitset>
		<bitset name="#apart" size="4"><display>b</display><field name="A" low="1" high="2" type="uint"/>
		  <field name="B" type="uint"><bits pos="3"/><bits pos="0"/></field></bitset>
		<bitset name="#instruction" size="10"/>
		<bitset name="op" extends="#instruction"><display>op {S.A} {S.B}</display><pattern low="8" high="9">00</pattern>
		  <field name="S" type="#apart"><bits low="6" high="7"/><bits low="0" high="1"/></field><pattern low="2" high="5">0000</pattern></bitset>
		<bitset name="at" extends="#instruction"><display>at {P.T.V}</display><pattern low="8" high="9">01</pattern>
		  <field name="P" low="4" high="7" type="#at"/><pattern low="0" high="3">0000</pattern></bitset>`))
	// Bits 7, 6, 1 and 0 of the word are bits 3 to 0 of S. A is bits 2 and 1 of S, B is bits 3 and 0.
	for text, want := range map[string]uint64{"op 2 0": 0x40, "op 1 0": 0x02, "op 0 2": 0x80, "op 0 1": 0x01} {
		if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(want) {
			t.Errorf("%q is %s with error %v, expected %02x", text, res.Inst.Bits, err, want)
		}
	}
	res, err := x.p.Parse("at 5")
	if err != nil || res.Inst.Bits != bits.Of(0x100) || len(res.Entries) != 1 || res.Entries[0].Value != bits.Of(5) {
		t.Errorf("at 5 is %s of %+v with error %v", res.Inst.Bits, res.Entries, err)
	}
}

// TestThreeLimits places entries that fields of three widths name: an entry makes place for another only by a move to where
// its own fields can name it, and two moves are made where one is not enough.
func TestThreeLimits(t *testing.T) {
	table := &asm.GrowingTable{Size: 8}
	at := map[uint64]int{} // the index of each entry
	table.Swapped = func(i, j int) {
		for v, k := range at {
			switch k {
			case i:
				at[v] = j
			case j:
				at[v] = i
			}
		}
	}
	place := func(v uint64, limit int) error {
		all := bits.Ones(64)
		i, err := table.Place(&asm.Entry{Index: -1, Limit: limit, Value: bits.Of(v), Care: all, Field: "F"})
		if err == nil {
			at[v] = i
		}
		return err
	}
	limits := map[uint64]int{}
	for v, limit := range []int{4, 4, 8, 8, 8} { // entries 0 to 4: the first two below 4, the others anywhere
		limits[uint64(v+1)] = limit
		if err := place(uint64(v+1), limit); err != nil {
			t.Fatal(err)
		}
	}
	// Index 5 is free. Entry 6 must be below 2, where both entries must stay below 4: one of them goes to 2 or 3, and the
	// entry there goes to 5.
	limits[6] = 2
	if err := place(6, 2); err != nil {
		t.Fatal(err)
	}
	for v, limit := range limits {
		if i, ok := at[v]; !ok || i >= limit || table.Entries[i] != bits.Of(v) {
			t.Errorf("entry %d with limit %d is at %d of %v", v, limit, i, table.Entries)
		}
	}
	limits[7] = 2
	if err := place(7, 2); err != nil {
		t.Fatal(err)
	}
	before := len(table.Entries)
	if err := place(8, 2); err == nil || len(table.Entries) != before {
		t.Errorf("a third entry below 2: %v, %v", err, table.Entries)
	}
	for v, limit := range limits {
		if i := at[v]; i >= limit || table.Entries[i] != bits.Of(v) {
			t.Errorf("entry %d with limit %d is at %d of %v", v, limit, i, table.Entries)
		}
	}
}
