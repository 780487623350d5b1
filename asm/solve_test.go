package asm_test

import "testing"

// TestAliasAfterDeadEnd parses a text that prints through another case. Its last value has two cases. The search at the
// end of the text refutes the first case, because a + b = 5 contradicts a = b. The second case must then be tried with
// the constraints from before the first case.
func TestAliasAfterDeadEnd(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#sum" size="6">
			<override><expr>({A} + {B}) % 8 == 5</expr><display>five</display></override>
			<display>{SUM}</display>
			<field name="A" low="0" high="2" type="uint"/>
			<field name="B" low="3" high="5" type="uint"/>
			<derived name="SUM" type="uint" width="3" expr="({A} + {B}) % 8"/>
		</bitset>
		<bitset name="#tail" size="1">
			<override><expr>{S.A} == {S.B}</expr><display>z</display></override>
			<display>z</display>
			<field name="T" pos="0" type="uint"/>
		</bitset>
		<bitset name="op" size="8">
			<display>op {S} {TAIL}</display>
			<field name="S" low="0" high="5" type="#sum"/>
			<field name="TAIL" pos="7" type="#tail"><param name="S"/></field>
			<pattern pos="6">0</pattern>
		</bitset>`))
	x.rows(t, []row{{"op 5 z", "05", "op five z"}, {"op 3 z", "03", ""}, {"op five z", "05", ""}})
}
