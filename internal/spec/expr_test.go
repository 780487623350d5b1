package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

var opText = map[Op]string{
	OpOrOr: "||", OpAndAnd: "&&", OpOr: "|", OpXor: "^", OpAnd: "&", OpEq: "==", OpNe: "!=", OpLt: "<", OpLe: "<=", OpGt: ">",
	OpGe: ">=", OpShl: "<<", OpShr: ">>", OpAdd: "+", OpSub: "-", OpMul: "*", OpDiv: "/", OpMod: "%", OpNot: "!", OpInv: "~",
	OpNeg: "neg", OpCond: "?", OpComma: ",", OpGen: "gen",
}

var typeText = map[Type]string{I32: "", U32: "u", I64: "l", U64: "ul"}

// show formats a node in prefix notation, with parentheses. The type follows the operator: nothing for int, otherwise
// u, l or ul as in C's suffixes.
func show(n *Node) string {
	switch n.Op {
	case OpConst:
		return fmt.Sprint(n.Value) + typeText[n.Type]
	case OpField:
		return n.Name
	case OpGen:
		return "gen" + typeText[n.Type]
	}
	parts := []string{opText[n.Op] + typeText[n.Type]}
	for _, x := range []*Node{n.X, n.Y, n.Z} {
		if x != nil {
			parts = append(parts, show(x))
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func parse(t *testing.T, expr string) *Expr {
	t.Helper()
	isa := &ISA{enums: map[string]*Enum{"#chip-set": {Name: "#chip-set", byName: map[string]*Value{"g80": {Val: 0x50}}}}}
	src := &diag.Source{Name: "a.xml", Text: expr}
	e, err := parseExpr(isa, "", text{s: expr, span: diag.Span{Src: src, End: len(expr)}})
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return e
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		// The operators of C, from the tightest to the loosest.
		{"1 + 2 * 3", "(+ 1 (* 2 3))"},
		{"1 // one {A} /*\n + 2", "(+ 1 2)"},
		{"true == !false", "(== 1 (! 0))"},
		{"1 * 2 + 3", "(+ (* 1 2) 3)"},
		{"1 << 2 + 3", "(<< 1 (+ 2 3))"},
		{"1 < 2 << 3", "(< 1 (<< 2 3))"},
		{"1 == 2 < 3", "(== 1 (< 2 3))"},
		{"1 & 2 == 3", "(& 1 (== 2 3))"},
		{"1 ^ 2 & 3", "(^ 1 (& 2 3))"},
		{"1 | 2 ^ 3", "(| 1 (^ 2 3))"},
		{"1 && 2 | 3", "(&& 1 (| 2 3))"},
		{"1 || 2 && 3", "(|| 1 (&& 2 3))"},
		{"1 ? 2 : 3 || 4", "(? 1 2 (|| 3 4))"},
		{"1, 2 ? 3 : 4", "(, 1 (? 2 3 4))"},
		{"!1 * -2", "(* (! 1) (neg 2))"},
		// Operators of equal precedence associate to the left, ?: to the right.
		{"8 - 4 - 2", "(- (- 8 4) 2)"},
		{"8 / 4 % 3 * 2", "(* (% (/ 8 4) 3) 2)"},
		{"1 << 2 >> 3", "(>> (<< 1 2) 3)"},
		{"1 == 2 != 3", "(!= (== 1 2) 3)"},
		{"1 <= 2 >= 3 < 4 > 5", "(> (< (>= (<= 1 2) 3) 4) 5)"},
		{"1 ? 2 : 3 ? 4 : 5", "(? 1 2 (? 3 4 5))"},
		{"1 ? 2 ? 3 : 4 : 5", "(? 1 (? 2 3 4) 5)"},
		{"1 ? 2, 3 : 4", "(? 1 (, 2 3) 4)"},
		{"-~!+1", "(neg (~ (! 1)))"},
		{"- -1", "(neg (neg 1))"},
		{"((1)) + (2 - (3))", "(+ 1 (- 2 3))"},
		// Blanks and comments are allowed between all tokens.
		{"1<<2|3", "(| (<< 1 2) 3)"},
		{"/* one */ 1\n\t+/**/2 /* * / */", "(+ 1 2)"},
		{"1 - /* no division */ 2", "(- 1 2)"},
		// Operands.
		{"{A}", "A"},
		{"{3D} + {_x.Y.z9}", "(+l 3D _x.Y.z9)"},
		{"{@stage}", "@stage"},
		{"ISA_GPU_ID()", "genu"},
		{"ISA_GPU_ID ( ) > 5", "(> genu 5)"},
		{"#chip-set.g80", "80l"},
		{"{@chip}==#chip-set.g80&&1", "(&& (== @chip 80l) 1)"},
		// A literal has the first type of C that holds it.
		{"0", "0"},
		{"2147483647", "2147483647"},
		{"2147483648", "2147483648l"},
		{"9223372036854775807", "9223372036854775807l"},
		{"9223372036854775808", "9223372036854775808ul"},
		{"0x7fffffff", "2147483647"},
		{"0x80000000", "2147483648u"},
		{"0XFFFFffff", "4294967295u"},
		{"0x100000000", "4294967296l"},
		{"0xffffffffffffffff", "18446744073709551615ul"},
		{"010", "8"},
		{"0b101", "5"},
		{"037777777777", "4294967295u"},
		{"1u", "1u"},
		{"1U", "1u"},
		{"1l", "1l"},
		{"1LL", "1l"},
		{"1ull", "1ul"},
		{"1LU", "1ul"},
		{"4294967296u", "4294967296ul"},
		{"0x80000000l", "2147483648l"},
		// The wider type applies, and the unsigned one at equal width. A shift has the type of its left operand, and a
		// comparison is an int.
		{"1 + 1u", "(+u 1 1u)"},
		{"1u - {A}", "(-l 1u A)"},
		{"{A} | 1ull", "(|ul A 1ul)"},
		{"1 << 1ull", "(<< 1 1ul)"},
		{"{A} >> 1", "(>>l A 1)"},
		{"{A} == 1ull", "(== A 1ul)"},
		{"!1ull", "(! 1ul)"},
		{"~1u", "(~u 1u)"},
		{"-{A}", "(negl A)"},
		{"{A} ? 1 : 2ull", "(?ul A 1 2ul)"},
		{"1, 2u", "(,u 1 2u)"},
		// If ?: makes an int unsigned, the comma operator converts it.
		{"{A} ? -1 : 1u", "(?u A (,u 0 (neg 1)) 1u)"},
	} {
		if got := show(parse(t, c.expr).Root()); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.expr, got, c.want)
		}
	}
}

// TestFieldNames checks that FieldNames returns every name in braces in ASCII order, including names in
// comments. Mesa's readers read the values of all names before they evaluate an expression.
func TestFieldNames(t *testing.T) {
	e := parse(t, "{b} + {A} * {B} /* {C} */ + {A}")
	if want := []string{"A", "B", "C", "b"}; !slices.Equal(e.FieldNames(), want) {
		t.Errorf("got %q, want %q", e.FieldNames(), want)
	}
}

// TestExpressionSpans checks that the span of a node is the text from which it was parsed.
func TestExpressionSpans(t *testing.T) {
	const expr = "  {A}  + !( {B.C} == 0x1f ) "
	root := parse(t, expr).Root()
	for _, c := range []struct {
		n    *Node
		want string
	}{
		{root.X, "{A}"},
		{root.Y, "!( {B.C} == 0x1f )"},
		{root.Y.X.X, "{B.C}"},
		{root.Y.X.Y, "0x1f"},
	} {
		if got := c.n.Span.Src.Text[c.n.Span.Off:c.n.Span.End]; got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestRest(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{" short ", "short"},
		{"12345678901234567890", "12345678901234567890"},
		{"123456789012345678901", "12345678901234567890..."},
		{"1234567890123456789é", "1234567890123456789é"},
		{"1234567890123456789éa", "1234567890123456789é..."},
		{"one \r\n two", "one..."},
	} {
		if got := rest(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}
