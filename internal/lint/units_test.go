package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// clauses has clauses that run units of two kinds. A unit of the second kind is a hazard if its bits
// are 0, unless a context excludes it.
const clauses = `<isa name="clauses" strict="true">
<doc>Clauses.</doc>
<file name="r" type="u32" count="4" init="0"/>
<fetch unit="8" scope="wave" root="#clause"/>
<context name="fine" type="bool" default="false"/>
<bitset name="#set" size="8">
  <display>set {N}</display>
  <field name="N" low="0" high="7" type="uint"/>
  <semantics>r[0] = {N};</semantics>
</bitset>
<bitset name="#load" size="8">
  <hazard name="empty" expr="{N} == 0 &amp;&amp; !{@fine}">nothing is loaded</hazard>
  <display>load {N} {@fine}</display>
  <field name="N" low="0" high="7" type="uint"/>
  <semantics>r[1] = {N};</semantics>
</bitset>
<bitset name="#clause" size="8">
  <runs roots="#set #load" address="AT" count="COUNT" context="fine"><step root="KIND" context="FINE"/></runs>
  <display>run {AT} {COUNT} {KIND} {FINE} {END}</display>
  <field name="AT" low="0" high="2" type="uint"/>
  <field name="COUNT" low="3" high="4" type="uint"/>
  <field name="KIND" pos="5" type="uint"/>
  <field name="FINE" pos="6" type="uint"/>
  <field name="END" pos="7" type="uint"/>
  <semantics scope="wave">
    lanes(exists) { for k in 0 .. {COUNT} { if ({KIND} == 1) { run #load at {AT} + k; } else { run #set at {AT} + k; } } }
    if ({END} == 1) { end; }
  </semantics>
</bitset>
</isa>`

// TestUnits requires that a hazard of a unit is reported at the unit, once, and only if the clause is
// reached.
func TestUnits(t *testing.T) {
	const load, set, fine, end = 1<<5 | 1<<3, 1 << 3, 1 << 6, 1 << 7
	for _, c := range []struct {
		name string
		code []byte
		want string
	}{
		{"a unit that is fine", []byte{end | load | 1, 7}, ""},
		{"a hazard", []byte{end | load | 1, 0}, "1 empty"},
		{"a unit of the other kind", []byte{end | set | 1, 0}, ""},
		{"a clause that says it is fine", []byte{end | fine | load | 1, 0}, ""},
		{"a unit of two clauses", []byte{load | 2, end | load | 2, 0}, "0 result-unused; 2 empty"},
		{"a clause that is not reached", []byte{end | set | 2, load | 2, 0}, "1 unreached"},
		{"a unit beyond the code", []byte{end | load | 7, 0}, "0 stops"},
	} {
		isaSet, err := isa.Load(fstest.MapFS{"clauses.xml": {Data: []byte(clauses)}}, "clauses.xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		told, err := facts.Open(isaSet)
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		d, err := isaSet.NewDecoder("#clause")
		if err != nil {
			t.Fatal(err)
		}
		im, err := program.Raw(d.Root(), c.code)
		if err != nil {
			t.Fatal(err)
		}
		unit, err := isaSet.Root("#set")
		if err != nil {
			t.Fatal(err)
		}
		im.Pieces = append(im.Pieces, program.Piece{Root: unit, Addr: int64(8 * (len(c.code) - 1)), Size: 8}) // no clause
		told = told.Running(func(_ string, _ int, number uint64) (v bits.Value, ok bool) {
			if number >= uint64(len(c.code)) {
				return v, false
			}
			return bits.Of(uint64(c.code[number])), true
		})
		p := &lint.File{Image: im, Decoder: d, Facts: told, End: im.Size(), Programs: []lint.Program{{Entries: []int64{0}}}}
		p.Locate = func(addr int64) diag.Span { return diag.Span{Src: &diag.Source{}, Off: int(addr / 8)} }
		list, err := lint.Check(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, fmt.Sprint(e.Span.Off, " ", e.Code))
		}
		if g := strings.Join(got, "; "); g != c.want {
			t.Errorf("%s: %s, want %s", c.name, g, c.want)
		}
	}
}
