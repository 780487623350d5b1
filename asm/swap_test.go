package asm_test

import (
	"errors"
	"testing"

	"github.com/isago/isago/asm"
)

// TestSwappedSources checks the error for two sources in the wrong order: it reports where the misplaced source can be,
// if the swapped line can be parsed. A destination is never swapped.
func TestSwappedSources(t *testing.T) {
	x := toolsFor(t, load(t, `
<file name="r" type="u32" count="4" use="temporary"/>
<file name="c" type="u32" count="4" use="constant"/>
<bitset name="#r" size="2"><display>r{N}</display><reg file="r" index="{N}"/><field name="N" low="0" high="1" type="uint"/></bitset>
<bitset name="#rc" size="3">
  <override expr="{C}"><display>c{N}</display><reg file="c" index="{N}"/></override>
  <display>r{N}</display><reg file="r" index="{N}"/>
  <field name="C" pos="2" type="bool"/><field name="N" low="0" high="1" type="uint"/>
</bitset>
<bitset name="#instruction" size="16"/>
<bitset name="add" extends="#instruction"><display>add {D}, {A}, {B}</display><pattern low="12" high="15">0001</pattern><pattern low="7" high="11">xxxxx</pattern>
  <field name="D" low="0" high="1" type="#r" role="write"/><field name="A" low="2" high="4" type="#rc" role="read"/><field name="B" low="5" high="6" type="#r" role="read"/></bitset>
<bitset name="mad" extends="#instruction"><display>mad {D} ({A} {B}) {E}</display><pattern low="12" high="15">0010</pattern><pattern low="9" high="11">xxx</pattern>
  <field name="D" low="0" high="1" type="#r" role="write"/><field name="A" low="2" high="3" type="#r" role="read"/><field name="B" low="4" high="6" type="#rc" role="read"/><field name="E" low="7" high="8" type="#r" role="read"/></bitset>
<bitset name="mov" extends="#instruction"><display>mov {D}, {A}</display><pattern low="12" high="15">0011</pattern><pattern low="5" high="11">xxxxxxx</pattern>
  <field name="D" low="0" high="1" type="#r" role="write"/><field name="A" low="2" high="4" type="#rc" role="read"/></bitset>
`))
	for text, want := range map[string]string{
		"add r0, r1, c2":    `c2 can only be the first source: write "add r0, c2, r1" if the order does not matter, or copy it into a register first`,
		"mad r0 (c1 r2) r3": `c1 can only be the second source: write "mad r0 (r2 c1) r3" if the order does not matter, or copy it into a register first`,
		"mad r0 (r1 r2) c3": `c3 can only be the second source: write "mad r0 (r1 c3) r2" if the order does not matter, or copy it into a register first`,
		"add r0, c1, c2":    `"c2", expected "r"`,
		"mov c0, r1":        `"c0", expected "r"`,
	} {
		_, err := x.p.Parse(text)
		var e *asm.Error
		if !errors.As(err, &e) || e.Msg != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}
