package model

import "testing"

// TestSharedEnvironments requires that leaves share the environment of an operand if and only if
// they pass equal values. The values may be computed or depend on an override.
func TestSharedEnvironments(t *testing.T) {
	m := machine(t, `<isa>
	<bitset name="#in" size="4"><field name="N" low="0" high="3" type="uint"/></bitset>
	<bitset name="#two" size="16">
		<override><expr>{F}</expr><field name="G" low="8" high="9" type="uint"/></override>
		<field name="X" low="0" high="3" type="#in"><param name="H"/></field>
		<field name="Y" low="4" high="7" type="#in"><param name="G"/></field>
		<field name="F" pos="15" type="bool"/>
		<field name="REST" low="8" high="9" type="uint"/>
		<derived name="H" type="uint"><expr>{F} + {G}</expr></derived>
	</bitset>
	<bitset name="#three" extends="#two"><field name="G" low="10" high="11" type="uint"/></bitset>
	<bitset name="a" extends="#three"><pattern low="12" high="14">000</pattern></bitset>
	<bitset name="b" extends="#three"><pattern low="12" high="14">001</pattern></bitset>
	<bitset name="c" extends="#two"><pattern low="13" high="14">11</pattern>
		<field name="G" low="10" high="12" type="uint"/>
	</bitset></isa>`, Options{})
	env := func(leaf, field string) *Env { return m.unit(t, leaf).Resolve(field)[0].Ref.Env }
	for _, field := range []string{"X", "Y"} {
		if env("a", field) != env("b", field) {
			t.Errorf("%s has different environments in a and in b", field)
		}
		if env("a", field) == env("c", field) {
			t.Errorf("%s has the same environment in a and in c, where G is another field", field)
		}
	}
	if env("a", "X") == env("a", "Y") {
		t.Error("X and Y have the same environment")
	}
}
