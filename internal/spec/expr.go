package spec

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/diag"
)

// Op is an operator of an expression, or what a leaf of it is.
type Op uint8

// The operators are C's. OpConst, OpField and OpGen are the leaves.
const (
	OpConst Op = iota
	OpField    // a field, a context (name starts with @) or a path with dots
	OpGen      // ISA_GPU_ID()
	OpOrOr
	OpAndAnd
	OpOr
	OpXor
	OpAnd
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpShl
	OpShr
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpNot  // !x
	OpInv  // ~x
	OpNeg  // -x
	OpCond // x ? y : z
	OpComma
)

// Type is the C type in which a node is computed.
type Type uint8

// The four integer types that C's arithmetic can end in.
const (
	I32 Type = iota
	U32
	I64
	U64
)

// Node is a node of a parsed expression.
type Node struct {
	Op      Op
	Type    Type
	X, Y, Z *Node
	Value   uint64 // of OpConst
	Name    string // of OpField
	Span    diag.Span
}

// maxExprDepth bounds the recursion of the parser and of all that walk its result.
const maxExprDepth = 200

type exprParser struct {
	isa   *ISA
	text  string
	pos   int
	at    diag.Span
	depth int
}

// parseExpr parses the text of an expression; enum values (#chip.g200) are looked up in isa.
func parseExpr(isa *ISA, name, text string, at diag.Span) (*Expr, error) {
	p := &exprParser{isa: isa, text: text, at: at}
	e := &Expr{Name: name, Text: strings.TrimSpace(text), Span: at, Fetch: fetches(text)}
	root, err := p.comma()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(p.text) {
		return nil, p.errorf("%q after the end of the expression, expected an operator", rest(p.text[p.pos:]))
	}
	e.Root = root
	return e, nil
}

// fetches lists the names in braces, comments included: Mesa fetches each before it computes.
func fetches(text string) []string {
	seen := map[string]bool{}
	var list []string
	for {
		_, after, ok := strings.Cut(text, "{")
		if !ok {
			break
		}
		name, tail, ok := strings.Cut(after, "}")
		if !ok {
			break
		}
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
		text = tail
	}
	sort.Strings(list)
	return list
}

func rest(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 20 {
		return s[:20] + "..."
	}
	return s
}

func (p *exprParser) span(from int) diag.Span {
	s := p.at
	if s.IsValid() {
		lead := len(p.text) - len(strings.TrimLeft(p.text, " \t\r\n"))
		s = diag.Span{Src: s.Src, Off: s.Off + max(0, from-lead), End: s.Off + max(1, p.pos-lead)}
	}
	return s
}

func (p *exprParser) errorf(format string, args ...any) error {
	return diag.Errorf(diag.ExprSyntax, p.span(p.pos), format, args...)
}

// space skips blanks and comments.
func (p *exprParser) space() {
	for p.pos < len(p.text) {
		switch {
		case isXMLSpace(p.text[p.pos]):
			p.pos++
		case strings.HasPrefix(p.text[p.pos:], "/*"):
			end := strings.Index(p.text[p.pos+2:], "*/")
			if end < 0 {
				p.pos = len(p.text)
				return
			}
			p.pos += end + 4
		default:
			return
		}
	}
}

// eat takes an operator if it stands here. A longer operator that starts alike is left alone.
func (p *exprParser) eat(op string, not ...string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], op) {
		return false
	}
	for _, n := range not {
		if strings.HasPrefix(p.text[p.pos:], n) {
			return false
		}
	}
	p.pos += len(op)
	return true
}

func (p *exprParser) comma() (*Node, error) {
	x, err := p.cond()
	for err == nil && p.eat(",") {
		var y *Node
		if y, err = p.cond(); err == nil {
			x = &Node{Op: OpComma, Type: y.Type, X: x, Y: y, Span: x.Span}
		}
	}
	return x, err
}

func (p *exprParser) cond() (*Node, error) {
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("expression nested more than %d deep", maxExprDepth)
	}
	defer func() { p.depth-- }()
	x, err := p.binary(0)
	if err != nil || !p.eat("?") {
		return x, err
	}
	y, err := p.comma()
	if err != nil {
		return nil, err
	}
	if !p.eat(":") {
		return nil, p.errorf("%q, expected the : that belongs to ?", rest(p.text[p.pos:]))
	}
	z, err := p.cond()
	if err != nil {
		return nil, err
	}
	return &Node{Op: OpCond, Type: usual(y.Type, z.Type), X: x, Y: y, Z: z, Span: x.Span}, nil
}

type operator struct {
	text string
	op   Op
	not  []string
}

// levels holds the binary operators from the loosest to the tightest.
var levels = [][]operator{
	{{"||", OpOrOr, nil}},
	{{"&&", OpAndAnd, nil}},
	{{"|", OpOr, []string{"||"}}},
	{{"^", OpXor, nil}},
	{{"&", OpAnd, []string{"&&"}}},
	{{"==", OpEq, nil}, {"!=", OpNe, nil}},
	{{"<=", OpLe, nil}, {">=", OpGe, nil}, {"<", OpLt, []string{"<<"}}, {">", OpGt, []string{">>"}}},
	{{"<<", OpShl, nil}, {">>", OpShr, nil}},
	{{"+", OpAdd, []string{"++"}}, {"-", OpSub, []string{"--"}}},
	{{"*", OpMul, nil}, {"/", OpDiv, []string{"/*"}}, {"%", OpMod, nil}},
}

func (p *exprParser) binary(level int) (*Node, error) {
	if level == len(levels) {
		return p.unary()
	}
	x, err := p.binary(level + 1)
	for err == nil {
		op, ok := p.operator(level)
		if !ok {
			break
		}
		var y *Node
		if y, err = p.binary(level + 1); err == nil {
			x = &Node{Op: op, Type: resultType(op, x.Type, y.Type), X: x, Y: y, Span: x.Span}
		}
	}
	return x, err
}

func (p *exprParser) operator(level int) (Op, bool) {
	for _, o := range levels[level] {
		if p.eat(o.text, o.not...) {
			return o.op, true
		}
	}
	return 0, false
}

// usual is C's usual arithmetic conversion.
func usual(a, b Type) Type { return max(a, b) }

func resultType(op Op, a, b Type) Type {
	switch op {
	case OpOrOr, OpAndAnd, OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return I32
	case OpShl, OpShr:
		return a
	}
	return usual(a, b)
}

func (p *exprParser) unary() (*Node, error) {
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("expression nested more than %d deep", maxExprDepth)
	}
	defer func() { p.depth-- }()
	p.space()
	from := p.pos
	for _, u := range []operator{{"!", OpNot, []string{"!="}}, {"~", OpInv, nil}, {"-", OpNeg, []string{"--"}}, {"+", OpComma, []string{"++"}}} {
		if !p.eat(u.text, u.not...) {
			continue
		}
		x, err := p.unary()
		if err != nil || u.op == OpComma { // unary plus changes nothing
			return x, err
		}
		t := x.Type
		if u.op == OpNot {
			t = I32
		}
		return &Node{Op: u.op, Type: t, X: x, Span: p.span(from)}, nil
	}
	return p.primary()
}

func (p *exprParser) primary() (*Node, error) {
	p.space()
	from := p.pos
	if p.pos == len(p.text) {
		return nil, p.errorf("the expression ends here, expected a field, a number or (")
	}
	switch c := p.text[p.pos]; {
	case c == '(':
		p.pos++
		x, err := p.comma()
		if err != nil {
			return nil, err
		}
		if !p.eat(")") {
			return nil, p.errorf("%q, expected )", rest(p.text[p.pos:]))
		}
		return x, nil
	case c == '{':
		return p.field()
	case c >= '0' && c <= '9':
		return p.number()
	case c == '#':
		return p.enumValue()
	case strings.HasPrefix(p.text[p.pos:], "ISA_GPU_ID"):
		p.pos += len("ISA_GPU_ID")
		if p.eat("(") && p.eat(")") {
			return &Node{Op: OpGen, Type: U32, Span: p.span(from)}, nil
		}
		return nil, p.errorf("ISA_GPU_ID without ()")
	}
	return nil, p.errorf("%q, expected a field in braces, a number, an enum value or (", rest(p.text[p.pos:]))
}

func (p *exprParser) field() (*Node, error) {
	from := p.pos
	end := strings.IndexByte(p.text[p.pos:], '}')
	if end < 0 {
		return nil, p.errorf("{ without }")
	}
	name := strings.TrimSpace(p.text[p.pos+1 : p.pos+end])
	p.pos += end + 1
	if !isPath(strings.TrimPrefix(name, "@")) {
		p.pos = from
		return nil, p.errorf("%q is not the name of a field", name)
	}
	return &Node{Op: OpField, Type: I64, Name: name, Span: p.span(from)}, nil
}

// isPath tells whether s is a name or several joined by dots.
func isPath(s string) bool {
	for _, part := range strings.Split(s, ".") {
		if part == "" {
			return false
		}
		for i := 0; i < len(part); i++ {
			if !isNameByte(part[i]) {
				return false
			}
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (p *exprParser) number() (*Node, error) {
	from := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	lit := strings.ToLower(p.text[from:p.pos])
	digits := strings.TrimRight(lit, "ul")
	suffix := lit[len(digits):]
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil || !validSuffix(suffix) {
		p.pos = from
		return nil, p.errorf("%q is not a number of at most 64 bits", lit)
	}
	return &Node{Op: OpConst, Value: v, Type: literalType(v, base, suffix), Span: p.span(from)}, nil
}

func validSuffix(s string) bool {
	switch s {
	case "", "u", "l", "ul", "lu", "ll", "ull", "llu":
		return true
	}
	return false
}

// literalType gives a literal the first of C's types that holds it; long is 64 bits.
func literalType(v uint64, base int, suffix string) Type {
	unsigned := strings.Contains(suffix, "u")
	long := strings.Contains(suffix, "l")
	switch {
	case !unsigned && !long && v < 1<<31:
		return I32
	case !long && (unsigned || base != 10) && v < 1<<32:
		return U32
	case !unsigned && v < 1<<63:
		return I64
	}
	return U64
}

func (p *exprParser) enumValue() (*Node, error) {
	from := p.pos
	p.pos++
	for p.pos < len(p.text) && (isNameByte(p.text[p.pos]) || p.text[p.pos] == '-') {
		p.pos++
	}
	enumName := p.text[from:p.pos]
	if p.pos == len(p.text) || p.text[p.pos] != '.' {
		return nil, p.errorf("%s, expected an enum value such as %s.NAME", enumName, enumName)
	}
	p.pos++
	start := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	name := p.text[start:p.pos]
	enum := p.isa.Enum(enumName)
	if enum == nil {
		return nil, diag.Errorf(diag.Unresolved, p.span(from), "no enum %s", enumName)
	}
	for _, v := range enum.Values {
		if v.Name == name {
			return &Node{Op: OpConst, Value: v.Val, Type: I64, Span: p.span(from)}, nil
		}
	}
	return nil, diag.Errorf(diag.Unresolved, p.span(from), "no value %q in enum %s, expected %s", name, enumName, enum.names()).
		With(enum.Span, "enum %s is defined here", enumName)
}

// names lists the values of an enum for an error.
func (e *Enum) names() string {
	var names []string
	for _, v := range e.Values {
		if v.Name == "" {
			continue
		}
		if len(names) == 8 {
			return strings.Join(names, ", ") + fmt.Sprintf(" or one of %d more", len(e.Values)-8)
		}
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}
