package spec

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// Op is the operator of a node, or the kind of a leaf.
type Op uint8

// The operators are those of C. OpConst, OpField and OpGen are leaves.
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

// Type is the C type of a node.
type Type uint8

// The four integer types of C's arithmetic.
const (
	I32 Type = iota
	U32
	I64
	U64
)

// Signed reports whether the type has negative numbers.
func (t Type) Signed() bool { return t == I32 || t == I64 }

// Width returns the number of bits of the type.
func (t Type) Width() int {
	if t == I32 || t == U32 {
		return 32
	}
	return 64
}

// Node is a node of a parsed expression.
type Node struct {
	Op      Op
	Type    Type
	X, Y, Z *Node
	Value   uint64 // of OpConst
	Name    string // of OpField
	Span    diag.Span
}

// MaxExprDepth is the largest depth of an expression, and MaxExprNodes is the largest number of its operators and
// operands. Each pair of parentheses adds 2 to the depth. Both limits bound the recursion of all functions that walk
// expressions.
const (
	MaxExprDepth = 200
	MaxExprNodes = 1000
)

type exprParser struct {
	isa   *ISA
	text  string
	pos   int
	src   text
	depth int
	nodes int
}

// newExpr returns an expression that has not been parsed yet. isa contains the enums whose values the expression may
// name, such as #chip.g200.
func newExpr(isa *ISA, name string, src text) *Expr {
	return &Expr{Name: name, Text: src.s, Span: src.span, isa: isa, runs: src.runs}
}

// parseExpr is like newExpr, but for a text that may be invalid. It parses the text at once.
func parseExpr(isa *ISA, name string, src text) (*Expr, error) {
	e := newExpr(isa, name, src)
	var err error
	e.once.Do(func() { err = e.parse() })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// constantExpr returns the expression 0, which replaces an expression that could not be read.
func constantExpr(at diag.Span) *Expr {
	e := &Expr{Span: at}
	e.once.Do(func() { e.root = &Node{Op: OpConst, Span: at} })
	return e
}

// mustParse parses a text that is known to be valid.
func (e *Expr) mustParse() {
	if err := e.parse(); err != nil {
		panic(err)
	}
}

func (e *Expr) parse() error {
	p := &exprParser{isa: e.isa, text: e.Text, src: text{e.Text, e.Span, e.runs}}
	root, err := p.parseComma()
	if err != nil {
		return err
	}
	p.space()
	if p.pos < len(p.text) {
		return p.errorf("%s, expected an operator or the end of the expression", p.here())
	}
	e.root, e.fetch = root, fieldNames(e.Text)
	return nil
}

// fieldNames returns the names in braces, in ASCII order and without duplicates. It includes names in comments, because
// Mesa reads the values of all names before it evaluates the expression.
func fieldNames(text string) []string {
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

// rest returns the first characters of a text, at most one line, so that an error message can quote them.
func rest(s string) string {
	const most = 20
	s, _, cut := strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.TrimSpace(s)
	for i := range s {
		if i >= most {
			s, cut = s[:i], true
			break
		}
	}
	if cut {
		s += "..."
	}
	return s
}

// here describes the text at the current position, for an error message.
func (p *exprParser) here() string {
	if p.pos >= len(p.text) {
		return "the expression ends here"
	}
	return strconv.Quote(rest(p.text[p.pos:]))
}

func (p *exprParser) span(from int) diag.Span { return p.src.part(from, max(p.pos, from+1)) }

func (p *exprParser) errorf(format string, args ...any) error {
	return diag.Errorf(diag.ExprSyntax, p.span(p.pos), format, args...)
}

// node counts a node and returns it. It returns an error if the expression has too many nodes.
func (p *exprParser) node(n Node) (*Node, error) {
	if p.nodes++; p.nodes > MaxExprNodes {
		return nil, p.errorf("expression with more than %d operators and operands", MaxExprNodes)
	}
	return &n, nil
}

// space skips blanks and comments.
func (p *exprParser) space() {
	for p.pos < len(p.text) {
		switch {
		case strings.IndexByte(blanks, p.text[p.pos]) >= 0:
			p.pos++
		case strings.HasPrefix(p.text[p.pos:], "/*"):
			end := strings.Index(p.text[p.pos+2:], "*/")
			if end < 0 {
				return // the caller expects an operand or an operator, and reports the /*
			}
			p.pos += end + 4
		case strings.HasPrefix(p.text[p.pos:], "//"):
			end := strings.IndexByte(p.text[p.pos:], '\n')
			if end < 0 {
				return // in Mesa's C code, the comment would also contain the code after the expression
			}
			p.pos += end
		default:
			return
		}
	}
}

// eat skips blanks, comments and the operator op, and reports whether op was there. not lists longer operators that
// start with op. eat does not match the start of one of them.
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

func (p *exprParser) parseComma() (*Node, error) {
	x, err := p.parseCond()
	for err == nil && p.eat(",") {
		var y *Node
		if y, err = p.parseCond(); err == nil {
			x, err = p.node(Node{Op: OpComma, Type: y.Type, X: x, Y: y, Span: x.Span})
		}
	}
	return x, err
}

func (p *exprParser) parseCond() (*Node, error) {
	if p.depth++; p.depth > MaxExprDepth {
		return nil, p.errorf("expression nested more than %d deep", MaxExprDepth)
	}
	defer func() { p.depth-- }()
	x, err := p.parseBinary(0)
	if err != nil || !p.eat("?") {
		return x, err
	}
	y, err := p.parseComma()
	if err != nil {
		return nil, err
	}
	if !p.eat(":") {
		return nil, p.errorf("%s, expected : to complete the ?", p.here())
	}
	z, err := p.parseCond()
	if err != nil {
		return nil, err
	}
	t := usual(y.Type, z.Type)
	return p.node(Node{Op: OpCond, Type: t, X: x, Y: converted(y, t), Z: converted(z, t), Span: x.Span})
}

// converted converts a node to a type that is at least as wide. Only the conversion of a negative int to unsigned int
// changes the value, so only this conversion needs a node: a comma operator of type t.
func converted(n *Node, t Type) *Node {
	if n.Type != I32 || t != U32 {
		return n
	}
	return &Node{Op: OpComma, Type: t, X: &Node{Span: n.Span}, Y: n, Span: n.Span}
}

type operator struct {
	text string
	op   Op
	not  []string
}

// levels lists the binary operators by precedence, the lowest precedence first.
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
	{{"*", OpMul, nil}, {"/", OpDiv, []string{"/*", "//"}}, {"%", OpMod, nil}},
}

func (p *exprParser) parseBinary(level int) (*Node, error) {
	if level == len(levels) {
		return p.parseUnary()
	}
	x, err := p.parseBinary(level + 1)
	for err == nil {
		op, ok := p.parseOperator(level)
		if !ok {
			break
		}
		var y *Node
		if y, err = p.parseBinary(level + 1); err == nil {
			x, err = p.node(Node{Op: op, Type: resultType(op, x.Type, y.Type), X: x, Y: y, Span: x.Span})
		}
	}
	return x, err
}

func (p *exprParser) parseOperator(level int) (Op, bool) {
	for _, o := range levels[level] {
		if p.eat(o.text, o.not...) {
			return o.op, true
		}
	}
	return 0, false
}

// usual returns the common type of two operands after C's usual arithmetic conversions.
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

func (p *exprParser) parseUnary() (*Node, error) {
	if p.depth++; p.depth > MaxExprDepth {
		return nil, p.errorf("expression nested more than %d deep", MaxExprDepth)
	}
	defer func() { p.depth-- }()
	p.space()
	from := p.pos
	for _, u := range []operator{{"!", OpNot, []string{"!="}}, {"~", OpInv, nil}, {"-", OpNeg, []string{"--"}}, {"+", OpComma, []string{"++"}}} {
		if !p.eat(u.text, u.not...) {
			continue
		}
		x, err := p.parseUnary()
		if err != nil || u.op == OpComma { // unary plus has no effect
			return x, err
		}
		t := x.Type
		if u.op == OpNot {
			t = I32
		}
		return p.node(Node{Op: u.op, Type: t, X: x, Span: p.span(from)})
	}
	return p.parsePrimary()
}

// word skips the word s and reports whether it was there.
func (p *exprParser) word(s string) bool {
	rest, ok := strings.CutPrefix(p.text[p.pos:], s)
	if !ok || rest != "" && isNameByte(rest[0]) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *exprParser) parsePrimary() (*Node, error) {
	p.space()
	from := p.pos
	var c byte
	if p.pos < len(p.text) {
		c = p.text[p.pos]
	}
	switch {
	case c == '(':
		p.pos++
		x, err := p.parseComma()
		if err != nil {
			return nil, err
		}
		if !p.eat(")") {
			return nil, p.errorf("%s, expected )", p.here())
		}
		return x, nil
	case c == '{':
		return p.parseField()
	case c >= '0' && c <= '9':
		return p.parseNumber()
	case c == '#':
		return p.parseEnumValue()
	case strings.HasPrefix(p.text[p.pos:], "ISA_GPU_ID"):
		p.pos += len("ISA_GPU_ID")
		if p.eat("(") && p.eat(")") {
			return p.node(Node{Op: OpGen, Type: U32, Span: p.span(from)})
		}
		p.pos = from
		return nil, p.errorf("ISA_GPU_ID without ()")
	case p.word("true"):
		return p.node(Node{Op: OpConst, Type: I32, Value: 1, Span: p.span(from)})
	case p.word("false"):
		return p.node(Node{Op: OpConst, Type: I32, Span: p.span(from)})
	}
	return nil, p.errorf("%s, expected a field in braces, a number, an enum value or (", p.here())
}

func (p *exprParser) parseField() (*Node, error) {
	from := p.pos
	end := strings.IndexByte(p.text[p.pos:], '}')
	if end < 0 {
		return nil, p.errorf("{ without }")
	}
	name := p.text[p.pos+1 : p.pos+end]
	p.pos += end + 1
	if !isRef(name) {
		return nil, diag.Errorf(diag.ExprSyntax, p.span(from), "{%s} names no field, expected {NAME}, {NAME.PART} or {@context}", name)
	}
	return p.node(Node{Op: OpField, Type: I64, Name: name, Span: p.span(from)})
}

// isPath reports whether s is a name, or several names joined by dots.
func isPath(s string) bool {
	for _, part := range strings.Split(s, ".") {
		if !isName(part, "") {
			return false
		}
	}
	return true
}

// isName reports whether s has only letters, digits, underscores and characters of extra.
func isName(s, extra string) bool {
	for i := 0; i < len(s); i++ {
		if !isNameByte(s[i]) && strings.IndexByte(extra, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (p *exprParser) parseNumber() (*Node, error) {
	from := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	v, t, ok := parseLiteral(p.text[from:p.pos])
	if !ok {
		return nil, diag.Errorf(diag.ExprSyntax, p.span(from), "%q is not a number of at most 64 bits", p.text[from:p.pos])
	}
	return p.node(Node{Op: OpConst, Value: v, Type: t, Span: p.span(from)})
}

// parseLiteral parses an integer literal of C: decimal, 0x, 0b or octal, with a suffix.
func parseLiteral(s string) (v uint64, t Type, ok bool) {
	s = strings.ToLower(s)
	digits := strings.TrimRight(s, "ul")
	suffix := s[len(digits):]
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
	return v, literalType(v, base, suffix), err == nil && validSuffix(suffix)
}

func validSuffix(s string) bool {
	switch s {
	case "", "u", "l", "ul", "lu", "ll", "ull", "llu":
		return true
	}
	return false
}

// literalType returns the type of a literal: the first of C's types that can represent the value. long has 64 bits.
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

func (p *exprParser) parseEnumValue() (*Node, error) {
	from := p.pos
	p.pos++
	for p.pos < len(p.text) && (isNameByte(p.text[p.pos]) || p.text[p.pos] == '-') {
		p.pos++
	}
	name := p.text[from:p.pos]
	enum := p.isa.Enum(name)
	if enum == nil {
		return nil, diag.Errorf(diag.Unresolved, p.span(from), "unknown enum %s", name)
	}
	if !strings.HasPrefix(p.text[p.pos:], ".") {
		return nil, diag.Errorf(diag.Unresolved, p.span(from), "%s is not a value by itself, expected a dot and %s", name, enum.names())
	}
	p.pos++
	start := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	if v := enum.byName[p.text[start:p.pos]]; v != nil && start < p.pos {
		return p.node(Node{Op: OpConst, Value: v.Val, Type: I64, Span: p.span(from)})
	}
	return nil, diag.Errorf(diag.Unresolved, p.span(from), "enum %s has no value %q, expected %s", name, p.text[start:p.pos], enum.names()).
		With(enum.Span, "enum %s is defined here", name)
}

// names returns the names of an enum's values, joined for an error message.
func (e *Enum) names() string {
	const most = 8
	var names []string
	for _, v := range e.Values {
		if v.Name != "" {
			names = append(names, v.Name)
		}
	}
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" or one of %d more", more)
	}
	return joinOr(names)
}

// foldConstant evaluates an expression of constants in 64 bits. The second result is false if the expression has a
// field or an operator that foldConstant does not support.
func foldConstant(n *Node) (uint64, bool) {
	if n == nil {
		return 0, true
	}
	x, okX := foldConstant(n.X)
	y, okY := foldConstant(n.Y)
	if !okX || !okY {
		return 0, false
	}
	switch n.Op {
	case OpConst:
		return n.Value, true
	case OpNeg:
		return -x, true
	case OpInv:
		return ^x, true
	case OpAdd:
		return x + y, true
	case OpSub:
		return x - y, true
	case OpMul:
		return x * y, true
	case OpShl:
		return x << (y & 63), true
	case OpOr:
		return x | y, true
	case OpXor:
		return x ^ y, true
	case OpAnd:
		return x & y, true
	}
	return 0, false
}
