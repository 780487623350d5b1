package equal

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/isago/isago/internal/sem"
)

// rule is an identity between two terms that holds for all bits of the variables in them.
type rule struct {
	text        string
	left, right *term
	// kinds are the kinds of the type of the left term for which the identity holds.
	kinds []sem.Kind
	// modes are the rounding modes for which it holds, or nil for all of them.
	modes []sem.Mode
	// when, if not nil, is a condition on the types of the left term and of its variables.
	when func(left sem.Type, types map[string]sem.Type) bool
	// inner is set if the right term is the first argument of the left term.
	inner bool
	// expands is set if the right term is not simpler. swaps is set if it only swaps two arguments.
	expands, swaps bool
}

// term is an operation on terms, a variable or a constant.
type term struct {
	op sem.Op
	// name is the name of a variable or a constant. It is empty for an operation.
	name string
	args []*term
}

// The rules that are no identity of terms.
var (
	congruence = &rule{text: "equal arguments give equal results"}
	folding    = &rule{text: "an operation on constants is a constant"}
)

// The kinds of types that identities hold for.
var (
	integers = []sem.Kind{sem.Uint, sem.Sint}
	floats   = []sem.Kind{sem.Float}
	bools    = []sem.Kind{sem.Bool}
	logical  = []sem.Kind{sem.Bool, sem.Uint, sem.Sint}
	numbers  = []sem.Kind{sem.Uint, sem.Sint, sem.Float}
	anyKind  = []sem.Kind{sem.Bool, sem.Uint, sem.Sint, sem.Float}
	// everyKind includes what a memory holds.
	everyKind = []sem.Kind{sem.None, sem.Bool, sem.Uint, sem.Sint, sem.Float}
)

// nearest is the mode in which identities with zeros hold, because the sum of 0 and -0 depends on the mode.
var nearest = []sem.Mode{sem.Nearest}

// symmetric are the modes that treat a number and its negative alike.
var symmetric = []sem.Mode{sem.Nearest, sem.Zero}

// identities are the rules, in the order in which they are tried. TestIdentities proves each of them for small types, and tries it
// with special values for the others. Constants come last among the arguments of an operation that commutes.
var identities = []*rule{
	// An operation that does not care about the order of its arguments.
	{text: "add(a, b) = add(b, a)", kinds: numbers, swaps: true},
	{text: "mul(a, b) = mul(b, a)", kinds: numbers, swaps: true},
	{text: "mulhigh(a, b) = mulhigh(b, a)", kinds: integers, swaps: true},
	{text: "min(a, b) = min(b, a)", kinds: integers, swaps: true},
	{text: "max(a, b) = max(b, a)", kinds: integers, swaps: true},
	{text: "and(a, b) = and(b, a)", kinds: logical, swaps: true},
	{text: "or(a, b) = or(b, a)", kinds: logical, swaps: true},
	{text: "xor(a, b) = xor(b, a)", kinds: logical, swaps: true},
	{text: "eq(a, b) = eq(b, a)", kinds: bools, swaps: true},
	{text: "ne(a, b) = ne(b, a)", kinds: bools, swaps: true},
	{text: "product(a, b) = product(b, a)", kinds: floats, swaps: true},
	{text: "fma(a, b, c) = fma(b, a, c)", kinds: floats, swaps: true},
	{text: "carry(a, b, c) = carry(b, a, c)", kinds: bools, swaps: true},
	{text: "overflow(a, b, c) = overflow(b, a, c)", kinds: bools, swaps: true},

	// Conditions.
	{text: "splat(a) = a", kinds: anyKind},
	{text: "not(not(a)) = a", kinds: logical},
	{text: "not(eq(a, b)) = ne(a, b)", kinds: bools},
	{text: "not(ne(a, b)) = eq(a, b)", kinds: bools},
	{text: "and(a, a) = a", kinds: logical},
	{text: "and(a, ones) = a", kinds: logical},
	{text: "and(a, 0) = 0", kinds: logical},
	{text: "and(a, not(a)) = 0", kinds: logical},
	{text: "and(not(a), a) = 0", kinds: logical},
	{text: "or(a, a) = a", kinds: logical},
	{text: "or(a, 0) = a", kinds: logical},
	{text: "or(a, ones) = ones", kinds: logical},
	{text: "or(a, not(a)) = ones", kinds: logical},
	{text: "or(not(a), a) = ones", kinds: logical},
	{text: "xor(a, a) = 0", kinds: logical},
	{text: "xor(a, 0) = a", kinds: logical},
	{text: "xor(a, ones) = not(a)", kinds: logical},
	{text: "select(0, a, b) = b", kinds: everyKind},
	{text: "select(ones, a, b) = a", kinds: everyKind},
	{text: "select(c, a, a) = a", kinds: everyKind},
	{text: "select(c, ones, 0) = c", kinds: bools},
	{text: "select(c, 0, ones) = not(c)", kinds: bools},
	{text: "select(c, a, 0) = and(c, a)", kinds: bools},
	{text: "select(c, ones, a) = or(c, a)", kinds: bools},
	{text: "select(c, 0, a) = and(not(c), a)", kinds: bools},
	{text: "select(c, a, ones) = or(not(c), a)", kinds: bools},
	{text: "select(not(c), a, b) = select(c, b, a)", kinds: everyKind},
	{text: "select(c, select(c, a, b), d) = select(c, a, d)", kinds: everyKind},
	{text: "select(c, a, select(c, b, d)) = select(c, a, d)", kinds: everyKind},
	{text: "select(c, a, select(d, a, b)) = select(or(c, d), a, b)", kinds: everyKind},
	{text: "select(c, select(d, a, b), b) = select(and(c, d), a, b)", kinds: everyKind},
	{text: "eq(a, a) = ones", kinds: bools, when: notFloat("a")},
	{text: "ne(a, a) = 0", kinds: bools, when: notFloat("a")},
	{text: "lt(a, a) = 0", kinds: bools},
	{text: "eq(a, ones) = a", kinds: bools, when: isBool("a")},
	{text: "eq(a, 0) = not(a)", kinds: bools, when: isBool("a")},
	{text: "ne(a, 0) = a", kinds: bools, when: isBool("a")},
	{text: "ne(a, ones) = not(a)", kinds: bools, when: isBool("a")},
	{text: "eq(select(c, ones, 0), ones) = c", kinds: bools, when: isBit("c")},

	// Integers.
	{text: "add(a, 0) = a", kinds: integers},
	{text: "sub(a, 0) = a", kinds: integers},
	{text: "sub(a, a) = 0", kinds: integers},
	{text: "mul(a, 1) = a", kinds: integers},
	{text: "mul(a, 0) = 0", kinds: integers},
	{text: "min(a, a) = a", kinds: integers},
	{text: "max(a, a) = a", kinds: integers},
	{text: "shl(a, 0) = a", kinds: integers},
	{text: "shr(a, 0) = a", kinds: integers},
	{text: "neg(neg(a)) = a", kinds: numbers},
	{text: "cast(a) = a", kinds: logical, when: func(t sem.Type, types map[string]sem.Type) bool { return types["a"] == t }},
	{text: "cast(cast(a)) = canon(a)", kinds: floats, when: func(t sem.Type, types map[string]sem.Type) bool { return types["a"] == t && types["("] == unsigned(t) }},

	// Floats. Every operation but the ones without arithmetic returns the canonical NaN, and does not care which NaN it gets.
	{text: "canon(canon(a)) = canon(a)", kinds: floats},
	{text: "canon(select(c, a, b)) = select(c, canon(a), canon(b))", kinds: floats},
	{text: "canon(neg(a)) = canon(neg(canon(a)))", kinds: floats, expands: true},
	{text: "canon(neg(canon(neg(a)))) = canon(a)", kinds: floats},
	{text: "mul(a, one) = canon(a)", kinds: floats},
	{text: "mul(a, minusone) = canon(neg(a))", kinds: floats},
	{text: "div(a, one) = canon(a)", kinds: floats},
	{text: "add(a, minuszero) = canon(a)", kinds: floats, modes: nearest},
	{text: "sub(a, b) = add(a, canon(neg(b)))", kinds: floats},
	{text: "add(a, a) = mul(a, two)", kinds: floats},
	{text: "mul(canon(neg(a)), b) = canon(neg(mul(a, b)))", kinds: floats, modes: symmetric},
	{text: "mul(a, canon(neg(b))) = canon(neg(mul(a, b)))", kinds: floats, modes: symmetric},
	{text: "fma(canon(neg(a)), canon(neg(b)), c) = fma(a, b, c)", kinds: floats},
	{text: "ne(canon(neg(a)), canon(neg(b))) = ne(a, b)", kinds: bools, when: isFloat("a")},
	{text: "eq(canon(neg(a)), canon(neg(b))) = eq(a, b)", kinds: bools, when: isFloat("a")},
}

// canonical are the operations whose floats have the canonical NaN, and insensitive are those that do not care which NaN they get.
var (
	canonical   = "add(a, b) sub(a, b) mul(a, b) div(a, b) fma(a, b, c) sqrt(a) exp2(a) log2(a) sin(a) cos(a) rint(a) product(a, b) convert(a)"
	insensitive = canonical + " eq(a, b) ne(a, b) lt(a, b) le(a, b) cast(a)"
)

// ruleSet is all identities.
type ruleSet struct {
	all []*rule
	// of has the identities by the operation of their left term.
	of map[sem.Op][]*rule
}

// rules returns the identities, those of canonical and insensitive operations included.
var rules = sync.OnceValue(func() ruleSet {
	names := map[string]sem.Op{"canon": opCanon}
	for op := sem.OpSplat; op <= sem.OpConcat; op++ {
		names[op.String()] = op
	}
	set := ruleSet{slices.Clone(identities), map[sem.Op][]*rule{}}
	for _, form := range strings.SplitAfter(canonical, ") ") {
		form = strings.TrimSpace(form)
		set.all = append(set.all, &rule{text: "canon(" + form + ") = " + form, kinds: floats, inner: true})
	}
	for _, form := range strings.SplitAfter(insensitive, ") ") {
		form = strings.TrimSpace(form)
		for _, v := range []string{"a", "b", "c"} {
			if !strings.Contains(form, v) || !strings.Contains(form[strings.IndexByte(form, '('):], v) {
				continue
			}
			name, args, _ := strings.Cut(form, "(")
			args = strings.ReplaceAll(args, v, "canon("+v+")")
			set.all = append(set.all, &rule{
				text: form + " = " + name + "(" + args, kinds: anyKind, expands: true, when: insensitiveTypes(name, v),
			})
		}
	}
	for _, r := range set.all {
		left, right, _ := strings.Cut(r.text, " = ")
		r.left, r.right = parseTerm(left, names), parseTerm(right, names)
		set.of[r.left.op] = append(set.of[r.left.op], r)
	}
	return set
})

// insensitiveTypes returns the condition under which an operation does not care which NaN the variable v is. A cast of a float to a
// float keeps the bits.
func insensitiveTypes(name, v string) func(sem.Type, map[string]sem.Type) bool {
	return func(t sem.Type, types map[string]sem.Type) bool {
		return types[v].Kind == sem.Float && (name != "cast" || t.Kind != sem.Float)
	}
}

func notFloat(v string) func(sem.Type, map[string]sem.Type) bool {
	return func(_ sem.Type, types map[string]sem.Type) bool { return types[v].Kind != sem.Float }
}

func isFloat(v string) func(sem.Type, map[string]sem.Type) bool {
	return func(_ sem.Type, types map[string]sem.Type) bool { return types[v].Kind == sem.Float }
}

func isBool(v string) func(sem.Type, map[string]sem.Type) bool {
	return func(_ sem.Type, types map[string]sem.Type) bool { return types[v].Kind == sem.Bool }
}

// isBit is the condition that the numbers selected by c have one bit, so that ones is 1.
func isBit(string) func(sem.Type, map[string]sem.Type) bool {
	return func(_ sem.Type, types map[string]sem.Type) bool { return types["("].Width == 1 }
}

// unsigned returns the type of the bits of a value.
func unsigned(t sem.Type) sem.Type { return sem.Type{Kind: sem.Uint, Width: t.Width} }

// parseTerm parses a term, such as and(a, not(a)).
func parseTerm(text string, operations map[string]sem.Op) *term {
	t, rest := parsePart(text, operations)
	if rest != "" {
		panic(fmt.Sprintf("a term with %q at its end", rest))
	}
	return t
}

func parsePart(text string, operations map[string]sem.Op) (t *term, rest string) {
	n := strings.IndexAny(text+")", "(,)")
	name := text[:n]
	rest = text[n:]
	if !strings.HasPrefix(rest, "(") {
		return &term{op: sem.OpConst, name: name}, rest
	}
	op, ok := operations[name]
	if !ok {
		panic("unknown operation " + name)
	}
	t = &term{op: op}
	for rest != "" && rest[0] != ')' {
		var a *term
		a, rest = parsePart(strings.TrimLeft(rest[1:], " "), operations)
		t.args = append(t.args, a)
	}
	return t, rest[1:]
}

// isVariable reports whether a term is a variable.
func (t *term) isVariable() bool { return len(t.name) == 1 && t.name[0] >= 'a' }

// constantBits returns the bits of a constant of a type. ok is false if the type has no such constant.
func constantBits(name string, t sem.Type) (v uint64, ok bool) {
	ones := ^uint64(0) >> (64 - uint(max(t.Width, 1)))
	isFloat := t.Kind == sem.Float
	switch name {
	case "0":
		return 0, true
	case "1":
		return 1, !isFloat
	case "ones":
		return ones, !isFloat
	case "minuszero":
		return 1 << uint(t.Width-1), isFloat
	case "one":
		return sem.FloatBits(1, t.Width), isFloat
	case "minusone":
		return sem.FloatBits(-1, t.Width), isFloat
	case "two":
		return sem.FloatBits(2, t.Width), isFloat
	}
	return 0, false
}
