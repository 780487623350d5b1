package model

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// compute evaluates an expression for the given fields with Apply, as a decoder does.
func compute(n *spec.Node, fields map[string]uint64) uint64 {
	if n == nil {
		return 0
	}
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		return fields[n.Name]
	case spec.OpCond:
		if compute(n.X, fields) != 0 {
			return compute(n.Y, fields)
		}
		return compute(n.Z, fields)
	}
	bound := &Node{Op: n.Op, Type: n.Type, X: &Node{Type: n.X.Type}}
	if n.Y != nil {
		bound.Y = &Node{Type: n.Y.Type}
	}
	return Apply(bound, compute(n.X, fields), compute(n.Y, fields))
}

// The values follow from the rules of C by hand, for a 32-bit int and a 64-bit long.
func TestArithmetic(t *testing.T) {
	fields := map[string]uint64{
		"ZERO": 0, "ONE": 1, "SEVEN": 7, "BYTE": 0xa8, "TOP": 1 << 63, "ALL": 1<<64 - 1, "WORD": 0xffffffff,
	}
	for _, c := range []struct {
		expr string
		want int64 // the 64-bit result as a signed number
	}{
		// Operator precedence.
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"7 & 3 == 3", 1},      // 7 & (3 == 3)
		{"6 ^ 3 | 8", 13},      // (6 ^ 3) | 8
		{"1 | 6 ^ 3 & 2", 5},   // 1 | (6 ^ (3 & 2))
		{"1 << 2 + 3", 32},     // 1 << 5
		{"10 - 4 - 3", 3},      // from the left
		{"100 / 10 / 5", 2},    // from the left
		{"5 % 3 * 2", 4},       // (5 % 3) * 2
		{"1 << 2 << 3", 32},    // (1 << 2) << 3
		{"3 > 2 > 1", 0},       // (3 > 2) > 1
		{"1 < 2 == 1", 1},      // (1 < 2) == 1
		{"2 + 2 == 4 && 1", 1}, // ((2 + 2) == 4) && 1
		{"0 && 0 || 1", 1},     // (0 && 0) || 1
		{"1 || 0 && 0", 1},     // 1 || (0 && 0)
		{"!0 + 1", 2},          // (!0) + 1
		{"-2 * -3", 6},
		{"~1 & 3", 2}, // (~1) & 3
		{"0 ? 1 : 0 ? 2 : 3", 3},
		{"1, 2, 3", 3},
		// The result of a logical operator is 0 or 1.
		{"3 && 4", 1},
		{"3 && 0", 0},
		{"0 || 7", 1},
		{"!5", 0},
		{"!0", 1},
		{"!!{BYTE}", 1},
		// An int is signed and wraps at 32 bits.
		{"2147483647 + 1", -2147483648},
		{"-2147483647 - 2", 2147483647},
		{"65536 * 65536", 0},
		{"65535 * 65537", -1},
		{"1 << 31", -2147483648},
		{"2 << 31", 0},
		{"-8 >> 1", -4},
		{"-1 >> 31", -1},
		{"~0", -1},
		{"-7 / 2", -3},
		{"7 / -2", -3},
		{"-7 % 2", -1},
		{"7 % -2", 1},
		// An unsigned int wraps at 32 bits.
		{"0xffffffff + 1", 0},
		{"0u - 1", 4294967295},
		{"-1u", 4294967295},
		{"~0u", 4294967295},
		{"0x80000000 * 2", 0},
		{"0xfffffff8 >> 1", 2147483644},
		{"1u << 31", 2147483648},
		{"3u << 31", 2147483648},
		{"-7 / 2u", 2147483644}, // (2^32 - 7) / 2
		{"-7 % 4u", 1},          // (2^32 - 7) % 4
		// A long has 64 bits, as does every field.
		{"2147483648 + 1", 2147483649},
		{"0xffffffff + 1l", 4294967296},
		{"65536l * 65536", 4294967296},
		{"1l << 32", 4294967296},
		{"{ONE} << 63", -9223372036854775808},
		{"{ZERO} - {BYTE}", -168},
		{"({ZERO} - {BYTE}) / 4", -42},
		{"({ZERO} - {BYTE}) % 5", -3},
		{"{ALL}", -1},
		{"{ALL} >> 4", -1}, // a field is signed
		{"{ALL} < {ZERO}", 1},
		{"{TOP} >> 63", -1},
		{"{WORD} + 1", 4294967296},
		{"{ALL} / 2", 0},
		// An unsigned long has 64 bits.
		{"0xffffffffffffffff >> 60", 15},
		{"{ALL} >> 4 | 0ull", -1}, // the shift precedes the conversion
		{"({ALL} | 0ull) >> 60", 15},
		{"{ALL} / 2ull", 9223372036854775807},
		{"-7 / 2ull", 9223372036854775804}, // (2^64 - 7) / 2
		{"{ALL} % 10ull", 5},               // 18446744073709551615 % 10
		{"2ull << 63", 0},
		// With mixed types, the wider type wins. At equal width, unsigned wins.
		{"-1 < 1", 1},
		{"-1 < 1u", 0}, // as unsigned int 4294967295
		{"-1 < 1l", 1},
		{"-1 < 1ull", 0},
		{"-1l < 1u", 1}, // an unsigned int fits a long
		{"-1 == 0xffffffff", 1},
		{"-1l == 0xffffffff", 0},
		{"-1 == 0xffffffffffffffff", 1},
		{"{ALL} == 0xffffffff", 0},
		{"{ALL} == 0xffffffffffffffff", 1},
		{"{ALL} > 0ull", 1},
		{"{ALL} > 0", 0},
		{"0u - 1 > {WORD} - 1", 1},
		{"1 ? -1 : 1u", 4294967295}, // an unsigned int
		{"1 ? -1 : 1l", -1},
		{"{SEVEN} ? 2 : 3", 2},
		{"-1 + 0l", -1},          // sign-extended
		{"-1u + 0l", 4294967295}, // zero-extended
		// Undefined behaviour in C: the shift count is taken modulo the width, and division by zero
		// gives 0.
		{"1 << 32", 1},
		{"1 << 33", 2},
		{"{ONE} << 64", 1},
		{"{ONE} << -1", -9223372036854775808},
		{"8 >> 35", 1},
		{"5 / 0", 0},
		{"5 % {ZERO}", 0},
		{"5u / 0", 0},
		{"(-2147483647 - 1) / -1", -2147483648},
		{"(-2147483647 - 1) % -1", 0},
		{"{TOP} / -1", -9223372036854775808},
		{"{TOP} % -1", 0},
	} {
		if got := int64(compute(load(t, c.expr), fields)); got != c.want {
			t.Errorf("%s = %d, want %d", c.expr, got, c.want)
		}
	}
}

// load parses an expression.
func load(t *testing.T, expr string) *spec.Node {
	t.Helper()
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(expr)
	isa, err := spec.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa><expr name="#e">` + escaped + `</expr></isa>`)}}, "a.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return isa.Exprs[0].Root()
}

// A condition on bits of its own scope becomes one mask and one comparison.
func TestSimpleConditions(t *testing.T) {
	for _, c := range []struct {
		expr        string
		simple      bool
		mask, match uint64
	}{
		{"{A} == 5", true, 0xf, 5},
		{"5 == {A}", true, 0xf, 5},
		{"{A} == 0xf && {B} == 1", true, 0x1f, 0x1f},
		{"{A} == 2 && {B} && !{C}", true, 0xff, 0x12},
		{"{B}", true, 0x10, 0x10},
		{"!{B}", true, 0x10, 0},
		{"!{A}", true, 0xf, 0},
		{"{A} == 3 && {A} == 3", true, 0xf, 3},
		{"{A} == 3 && {A} == 4", false, 0, 0}, // never true
		{"{A} == 16", false, 0, 0},            // never true
		{"{A}", false, 0, 0},                  // any of 15 values
		{"{A} == 1 || {B}", false, 0, 0},
		{"{A} != 1", false, 0, 0},
		{"{A} == {B}", false, 0, 0},
		{"{D} == 1", true, 0xf, 1},                     // derived, and A
		{"({C} << 4 | {A}) == 0x23", true, 0xef, 0x43}, // C is 2, A is 3
		{"({C} >> 1) == 3", true, 0xc0, 0xc0},          // 6 or 7
		{"({A} & 6) == 4", true, 6, 4},
		{"({A} & 6) == 1", false, 0, 0}, // never true
		{"!({C} & 1)", true, 0x20, 0},
		{"{A} < 8", true, 8, 0},
		{"{A} <= 3", true, 0xc, 0},
		{"{A} >= 8 && {A} > 7", true, 8, 8},
		{"{A} >= 4", false, 0, 0}, // 4 or 8
		{"{A} < 5", false, 0, 0},
		{"{A} < 16", false, 0, 0},                // always true
		{"{GONE} == 1", false, 0, 0},             // undefined
		{"{A} == 1 && {OVER} == 0", false, 0, 0}, // has two meanings
	} {
		p := condition(t, c.expr)
		if p.Simple != c.simple || p.Mask[0] != c.mask || p.Match[0] != c.match {
			t.Errorf("%s: got %v %x %x, want %v %x %x", c.expr, p.Simple, p.Mask[0], p.Match[0], c.simple, c.mask, c.match)
		}
	}
}

// condition binds an expression as the condition of a case.
func condition(t *testing.T, expr string) *Prog {
	t.Helper()
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(expr)
	isa, err := spec.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa><bitset name="a" size="8">
		<override><expr>` + escaped + `</expr><display>yes</display></override>
		<override><expr>{C}</expr><field name="OVER" low="0" high="1" type="uint"/></override>
		<display>no</display>
		<field name="A" low="0" high="3" type="uint"/><field name="B" pos="4" type="uint"/><field name="C" low="5" high="7" type="uint"/>
		<derived name="D" type="uint"><expr>{A}</expr></derived>
		<derived name="OVER" type="uint"><expr>{A}</expr></derived>
	</bitset></isa>`)}}, "a.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := New(isa, Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return m.TopEnv(m.Roots[0]).Bound(m.Roots[0].Leaves[0]).Cases[0].Cond
}

// TestTests compares each test with the value of its expression for all words.
func TestTests(t *testing.T) {
	for _, c := range []struct {
		expr string
		is   func(a, b, c int) bool // nil if the expression depends on more than bits
	}{
		{"{A} < 15", func(a, _, _ int) bool { return a < 15 }},
		{"{A} >= 15", func(a, _, _ int) bool { return a == 15 }},
		{"{C} < 7", func(_, _, c int) bool { return c < 7 }},
		{"!({C} < 7)", func(_, _, c int) bool { return c == 7 }},
		{"{A} <= 7", func(a, _, _ int) bool { return a < 8 }},
		{"({A} & 6) != 0", func(a, _, _ int) bool { return a&6 != 0 }},
		{"{B} < 1", func(_, b, _ int) bool { return b == 0 }},
		{"{A} < 14", nil},
		{"{C} < 15", nil}, // always true
		{"{A} <= 15", nil},
		{"{A} & 6", nil}, // is 2, 4 or 6 too
	} {
		test := condition(t, c.expr).Root.Test
		if (test != nil) != (c.is != nil) {
			t.Errorf("%s: got test %v", c.expr, test)
			continue
		}
		for word := range 256 {
			if c.is != nil && (uint64(word)>>test.Low&test.Mask == test.Match) == test.Not == c.is(word&15, word>>4&1, word>>5) {
				t.Errorf("%s of %#x: got %v", c.expr, word, *test)
			}
		}
	}
}

// TestOutsideTests has conditions on bits of outer scopes. The test records the scope depth. A
// condition on bits of two scopes has no test.
func TestOutsideTests(t *testing.T) {
	for _, c := range []struct {
		expr string
		want *Test
	}{
		{"{OWN}", &Test{Mask: 1, Match: 1}},
		{"{OUT}", &Test{Mask: 0x20, Match: 0x20, ScopeDepth: 1}},
		{"!{OUT}", &Test{Mask: 0x20, Match: 0x20, Not: true, ScopeDepth: 1}},
		{"{OUT} && {WIDE} == 2", &Test{Mask: 0xe0, Match: 0xa0, ScopeDepth: 1}},
		{"{WIDE} != 3", &Test{Mask: 0xc0, Match: 0xc0, Not: true, ScopeDepth: 1}},
		{"{OWN} && {OUT}", nil},
		{"{OUT} && {OWN}", nil},
	} {
		isa, err := spec.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa>
			<bitset name="a" size="8">
				<display>a {IN}</display>
				<field name="IN" low="0" high="1" type="#in"><param name="OUT"/><param name="WIDE"/></field>
				<field name="PAD" low="2" high="4" type="uint"/>
				<field name="OUT" pos="5" type="bool"/><field name="WIDE" low="6" high="7" type="uint"/>
			</bitset>
			<bitset name="#in" size="2">
				<override><expr>` + strings.ReplaceAll(c.expr, "&", "&amp;") + `</expr><display>yes</display></override>
				<display>no</display>
				<field name="OWN" pos="0" type="bool"/><field name="REST" pos="1" type="uint"/>
			</bitset>
			</isa>`)}}, "a.xml")
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		m, err := New(isa, Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		leaf := m.TopEnv(m.Roots[0]).Bound(m.Roots[0].Leaves[0])
		inner := leaf.Cases[0].Items[1].Alts[0].Ref.Env
		got := inner.Bound(inner.Root.Leaves[0]).Cases[0].Cond.Root.Test
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: got %+v, want %+v", c.expr, got, c.want)
		}
	}
}
