package sem

import (
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// parser reads code by recursive descent.
type parser struct {
	code  spec.Code
	toks  []token
	pos   int
	depth int
	// result tells that the code has one, which it returns.
	result bool
}

func newParser(code spec.Code) (*parser, error) {
	toks, err := lex(code)
	if err != nil {
		return nil, err
	}
	return &parser{code: code, toks: toks}, nil
}

// parseBody parses statements up to the end. result tells that they have one.
func parseBody(code spec.Code, result bool) ([]*stmt, error) {
	p, err := newParser(code)
	if err != nil {
		return nil, err
	}
	p.result = result
	var list []*stmt
	for p.tok().kind != tEOF {
		s, err := p.stmt()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// parseType parses a type that stands alone.
func parseType(code spec.Code) (*typeExpr, error) {
	p, err := newParser(code)
	if err != nil {
		return nil, err
	}
	t, err := p.typ()
	if err == nil && p.tok().kind != tEOF {
		err = p.unexpected("the end of the type")
	}
	return t, err
}

func (p *parser) tok() *token { return &p.toks[p.pos] }

func (p *parser) next() *token {
	t := &p.toks[p.pos]
	if t.kind != tEOF {
		p.pos++
	}
	return t
}

func (p *parser) span(from *token) diag.Span {
	return p.code.Span(from.from, p.toks[max(0, p.pos-1)].to)
}

func (p *parser) unexpected(want string) error {
	t := p.tok()
	if t.kind == tEOF {
		return diag.Errorf(diag.MeaningSyntax, p.code.Span(t.from, t.from), "the code ends here, expected %s", want)
	}
	return diag.Errorf(diag.MeaningSyntax, p.code.Span(t.from, t.to), "%q, expected %s", p.code.Text()[t.from:t.to], want)
}

// is reports whether a mark or a word stands here.
func (p *parser) is(text string) bool {
	t := p.tok()
	return (t.kind == tPunct || t.kind == tName) && t.text == text
}

func (p *parser) eat(text string) bool {
	if p.is(text) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) want(text string) error {
	if p.eat(text) {
		return nil
	}
	return p.unexpected(strconv.Quote(text))
}

func (p *parser) ident(what string) (string, error) {
	if p.tok().kind != tName {
		return "", p.unexpected(what)
	}
	return p.next().text, nil
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxNesting {
		return diag.Errorf(diag.XMLLimit, p.code.Span(p.tok().from, p.tok().to), "code nested more than %d deep", maxNesting)
	}
	return nil
}

// block parses { statements }.
func (p *parser) block() ([]*stmt, error) {
	if err := p.want("{"); err != nil {
		return nil, err
	}
	var list []*stmt
	for !p.eat("}") {
		s, err := p.stmt()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (p *parser) stmt() (*stmt, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	from := p.tok()
	s := &stmt{}
	err := p.fill(s)
	s.span = p.span(from)
	return s, err
}

// fill parses a statement by its first word.
func (p *parser) fill(s *stmt) error {
	if p.tok().kind != tName {
		return p.simple(s)
	}
	switch p.tok().text {
	case "let", "var":
		return p.let(s)
	case "if":
		p.next()
		return p.ifStmt(s)
	case "for":
		p.next()
		return p.forStmt(s)
	case "push":
		p.next()
		s.kind = sPush
		return p.push(s)
	case "pop":
		p.next()
		s.kind = sPop
		return p.named(s, "a stack")
	case "end":
		p.next()
		s.kind = sEnd
		return p.want(";")
	case "inner":
		p.next()
		s.kind = sInner
		return p.want(";")
	case "trap", "unknown":
		s.kind = sTrap
		if p.next().text == "unknown" {
			s.kind = sUnknown
		}
		if p.tok().kind != tString {
			return p.unexpected("a text in quotes")
		}
		s.name = p.next().text
		return p.want(";")
	case "hazard":
		p.next()
		s.kind = sHazard
		for range 2 { // its name and what is wrong
			if p.tok().kind != tString {
				return p.unexpected("a text in quotes")
			}
			s.name = strings.TrimSpace(s.name + " " + p.next().text)
		}
		return p.want(";")
	case "return":
		p.next()
		return p.returnStmt(s)
	case "together", "atomic":
		s.kind = sTogether
		if p.next().text == "atomic" {
			s.kind = sAtomic
		}
		return p.body(s)
	case "lanes":
		p.next()
		s.kind = sLanes
		if err := p.want("("); err != nil {
			return err
		}
		var err error
		if s.x, err = p.expr(); err != nil {
			return err
		}
		if err := p.want(")"); err != nil {
			return err
		}
		return p.body(s)
	case "barrier", "arrive", "await":
		s.kind = sBarrier
		what := p.next().text
		s.how = map[string]uint64{"barrier": Arrives | Waits, "arrive": Arrives, "await": Waits}[what]
		args, err := p.args()
		if err != nil {
			return err
		}
		if len(args) != 2 {
			return diag.Errorf(diag.MeaningSyntax, p.span(p.tok()), "%s with %s, expected the number of the barrier and a count of waves", what, arguments(args))
		}
		s.x, s.y = args[0], args[1]
		return p.want(";")
	case "run":
		p.next()
		return p.run(s)
	}
	return p.simple(s)
}

func (p *parser) named(s *stmt, what string) (err error) {
	if s.name, err = p.ident(what); err != nil {
		return err
	}
	return p.want(";")
}

func (p *parser) body(s *stmt) (err error) {
	s.body, err = p.block()
	return err
}

// simple parses an assignment or an expression.
func (p *parser) simple(s *stmt) (err error) {
	from := p.tok()
	if s.x, err = p.expr(); err != nil {
		return err
	}
	s.kind = sExpr
	if p.eat("=") {
		s.kind = sAssign
		if s.y, err = p.expr(); err != nil {
			return err
		}
	}
	if p.result && s.kind == sExpr && p.tok().kind == tEOF {
		return diag.Errorf(diag.MeaningSyntax, p.span(from), "%s", noReturn)
	}
	return p.want(";")
}

// unusedValue is what is wrong with a value alone, noReturn what is where the code has a result.
const (
	unusedValue = "a value that is not used"
	noReturn    = unusedValue + ", expected return before it"
)

func (p *parser) let(s *stmt) (err error) {
	s.kind = sLet
	if p.next().text == "var" {
		s.kind = sVar
	}
	if p.eat("(") {
		for {
			name, err := p.ident("a name")
			if err != nil {
				return err
			}
			s.names = append(s.names, name)
			if !p.eat(",") {
				break
			}
		}
		err = p.want(")")
	} else {
		var name string
		name, err = p.ident("a name")
		s.names = []string{name}
	}
	if err != nil {
		return err
	}
	if p.eat(":") {
		if s.typ, err = p.typ(); err != nil {
			return err
		}
	}
	if err = p.want("="); err != nil {
		return err
	}
	if s.x, err = p.expr(); err != nil {
		return err
	}
	return p.want(";")
}

func (p *parser) ifStmt(s *stmt) (err error) {
	s.kind = sIf
	if p.eat("let") {
		s.kind = sIfLet
		name, err := p.ident("a name")
		if err != nil {
			return err
		}
		s.names = []string{name}
		if err = p.want("="); err != nil {
			return err
		}
	}
	if s.x, err = p.expr(); err != nil {
		return err
	}
	if s.body, err = p.block(); err != nil || !p.eat("else") {
		return err
	}
	if p.is("if") {
		inner, err := p.stmt()
		s.other = []*stmt{inner}
		return err
	}
	s.other, err = p.block()
	return err
}

func (p *parser) forStmt(s *stmt) (err error) {
	s.kind = sFor
	if s.name, err = p.ident("a name"); err != nil {
		return err
	}
	if err = p.want("in"); err != nil {
		return err
	}
	if s.x, err = p.expr(); err != nil {
		return err
	}
	if err = p.want(".."); err != nil {
		return err
	}
	if s.y, err = p.expr(); err != nil {
		return err
	}
	return p.body(s)
}

func (p *parser) push(s *stmt) (err error) {
	if s.name, err = p.ident("a stack"); err != nil {
		return err
	}
	if err = p.want("{"); err != nil {
		return err
	}
	for !p.eat("}") {
		if len(s.fields) > 0 {
			if err = p.want(","); err != nil {
				return err
			}
		}
		if err = p.setting(s); err != nil {
			return err
		}
	}
	return p.want(";")
}

func (p *parser) setting(s *stmt) error {
	from := p.tok()
	name, err := p.ident("a name")
	if err != nil {
		return err
	}
	if err = p.want("="); err != nil {
		return err
	}
	x, err := p.expr()
	s.fields = append(s.fields, setting{name, x, p.span(from)})
	return err
}

// run parses run #root at e with a = b, c = d;
func (p *parser) run(s *stmt) (err error) {
	s.kind = sRun
	if t := p.tok(); t.kind != tEnum && t.kind != tName {
		return p.unexpected("a root such as #alu")
	}
	s.name = p.next().text
	if err = p.want("at"); err != nil {
		return err
	}
	if s.x, err = p.expr(); err != nil {
		return err
	}
	if p.eat("with") {
		for {
			if err = p.setting(s); err != nil {
				return err
			}
			if !p.eat(",") {
				break
			}
		}
	}
	return p.want(";")
}

func (p *parser) returnStmt(s *stmt) (err error) {
	s.kind = sReturn
	if p.eat(";") {
		return nil
	}
	if s.x, err = p.expr(); err != nil {
		return err
	}
	return p.want(";")
}

// levels are the binary operators, the loosest first: C's order.
var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

func (p *parser) expr() (*expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	from := p.tok()
	x, err := p.binary(0)
	if err != nil || !p.eat("?") {
		return x, err
	}
	y, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err = p.want(":"); err != nil {
		return nil, err
	}
	z, err := p.expr()
	return &expr{kind: eCond, x: x, y: y, z: z, span: p.span(from)}, err
}

func (p *parser) binary(level int) (*expr, error) {
	if level == len(levels) {
		return p.unary()
	}
	from := p.tok()
	x, err := p.binary(level + 1)
	for err == nil {
		op := p.oneOf(levels[level])
		if op == "" {
			break
		}
		var y *expr
		y, err = p.binary(level + 1)
		x = &expr{kind: eBinary, op: op, code: operators[op], x: x, y: y, span: p.span(from)}
	}
	return x, err
}

func (p *parser) oneOf(ops []string) string {
	for _, op := range ops {
		if p.tok().kind == tPunct && p.eat(op) {
			return op
		}
	}
	return ""
}

func (p *parser) unary() (*expr, error) {
	from := p.tok()
	if op := p.oneOf([]string{"!", "~", "-"}); op != "" {
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer func() { p.depth-- }()
		x, err := p.unary()
		return &expr{kind: eUnary, op: op, x: x, span: p.span(from)}, err
	}
	return p.postfix()
}

func (p *parser) postfix() (*expr, error) {
	from := p.tok()
	x, err := p.primary()
	for err == nil {
		switch {
		case p.eat(".["):
			var y *expr
			if y, err = p.expr(); err == nil {
				err = p.want("]")
			}
			x = &expr{kind: eComp, x: x, y: y, span: p.span(from)}
		case p.eat("."):
			x, err = p.dot(x, from)
		case p.eat("["):
			x, err = p.index(x, from)
		default:
			return x, nil
		}
	}
	return nil, err
}

func (p *parser) dot(x *expr, from *token) (*expr, error) {
	name, err := p.ident("a component")
	if err != nil {
		return nil, err
	}
	if name != "where" {
		return &expr{kind: eDot, x: x, name: name, span: p.span(from)}, nil
	}
	args, err := p.args()
	if err == nil && len(args) != 1 {
		err = diag.Errorf(diag.MeaningSyntax, p.span(from), ".where with %s, expected a mask", arguments(args))
	}
	if err != nil {
		return nil, err
	}
	return &expr{kind: eWhere, x: x, y: args[0], span: p.span(from)}, nil
}

func (p *parser) index(x *expr, from *token) (*expr, error) {
	y, err := p.expr()
	if err != nil {
		return nil, err
	}
	e := &expr{kind: eIndex, x: x, y: y}
	if p.eat(":") {
		e.kind = eSlice
		if e.z, err = p.expr(); err != nil {
			return nil, err
		}
	}
	err = p.want("]")
	e.span = p.span(from)
	return e, err
}

// args parses ( expressions ).
func (p *parser) args() ([]*expr, error) {
	if err := p.want("("); err != nil {
		return nil, err
	}
	var list []*expr
	for !p.eat(")") {
		if len(list) > 0 && !p.eat(",") {
			return nil, p.unexpected(`"," or ")"`)
		}
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func (p *parser) primary() (*expr, error) {
	from := p.tok()
	e := &expr{}
	switch from.kind {
	case tInt:
		e.kind, e.n = eInt, p.next().n
	case tReal:
		e.kind, e.f = eReal, p.next().f
	case tField:
		e.kind, e.name = eField, p.next().text
	case tEnum:
		e.kind, e.name = eEnum, p.next().text
	case tName:
		e.name = p.next().text
		e.kind = eName
		switch {
		case e.name == "true" || e.name == "false":
			e.kind = eBool
		case p.is("("):
			e.kind, e.known = eCall, intrinsics[e.name]
			if t, ok := namedType(e.name); ok {
				e.typ = &t
			}
			var err error
			if e.args, err = p.args(); err != nil {
				return nil, err
			}
		}
	case tPunct:
		if from.text != "(" {
			return nil, p.unexpected("a value")
		}
		args, err := p.args()
		if err != nil {
			return nil, err
		}
		if len(args) == 1 {
			return args[0], nil
		}
		e.kind, e.args = eTuple, args
	default:
		return nil, p.unexpected("a value")
	}
	e.span = p.span(from)
	return e, nil
}

// matchType takes the name of a type apart: bool, u and s, whose width stands behind, or u16, s8, f32, and how many
// there are of a vector, 0 for what is none.
func matchType(s string) (base string, n int, ok bool) {
	base, count, vector := strings.Cut(s, "x")
	if vector {
		if len(count) != 1 || count[0] < '2' || count[0] > '8' {
			return "", 0, false
		}
		n = int(count[0] - '0')
	}
	if base == "bool" || base == "u" || base == "s" {
		return base, n, true
	}
	if len(base) < 2 || len(base) > 3 || !strings.ContainsRune("usf", rune(base[0])) {
		return "", 0, false
	}
	for _, c := range base[1:] {
		if c < '0' || c > '9' {
			return "", 0, false
		}
	}
	return base, n, true
}

// typ parses a type: u32, f32x4, u[n], (u8, bool), each perhaps with ? behind it.
func (p *parser) typ() (*typeExpr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	from := p.tok()
	t := &typeExpr{}
	if p.eat("(") {
		t.t.Kind = Tuple
		for !p.eat(")") {
			if len(t.elems) > 0 {
				if err := p.want(","); err != nil {
					return nil, err
				}
			}
			e, err := p.typ()
			if err != nil {
				return nil, err
			}
			t.elems = append(t.elems, e)
		}
	} else if err := p.plainType(t); err != nil {
		return nil, err
	}
	t.t = t.t.optional(p.eat("?"))
	t.span = p.span(from)
	return t, nil
}

func (p *parser) plainType(t *typeExpr) (err error) {
	if p.tok().kind == tEnum {
		t.t.Kind, t.enum = Int, p.next().text
		return nil
	}
	base, n, ok := matchType(p.tok().text)
	if p.tok().kind != tName || !ok {
		return p.unexpected("a type such as u32, s16, f32x4 or bool")
	}
	bad := p.unexpected("a type: bool, u1 to u64, s1 to s64, f16, f32 or f64")
	p.next()
	t.t.Len = n
	switch base[0] {
	case 'b':
		t.t.Kind, t.t.Width = Bool, 1
		return nil
	case 'u':
		t.t.Kind = Uint
	case 's':
		t.t.Kind = Sint
	case 'f':
		t.t.Kind = Float
	}
	if len(base) == 1 {
		if err = p.want("["); err != nil {
			return err
		}
		if t.width, err = p.expr(); err != nil {
			return err
		}
		return p.want("]")
	}
	t.t.Width, _ = strconv.Atoi(base[1:])
	if t.t.Kind == Float && t.t.Width != 16 && t.t.Width != 32 && t.t.Width != 64 || t.t.Width < 1 || t.t.Width > 64 {
		return bad
	}
	return nil
}

// parseHead parses the head of a function: name(a: T, b: T): T.
func parseHead(code spec.Code) (*head, error) {
	p, err := newParser(code)
	if err != nil {
		return nil, err
	}
	h := &head{}
	if h.name, err = p.ident("a name"); err != nil {
		return nil, err
	}
	if err = p.want("("); err != nil {
		return nil, err
	}
	for !p.eat(")") {
		if len(h.params) > 0 {
			if err = p.want(","); err != nil {
				return nil, err
			}
		}
		name, err := p.ident("a parameter")
		if err != nil {
			return nil, err
		}
		if err = p.want(":"); err != nil {
			return nil, err
		}
		t, err := p.typ()
		if err != nil {
			return nil, err
		}
		h.addGeneric(t)
		h.params = append(h.params, param{name, t})
	}
	if p.eat(":") {
		if h.result, err = p.typ(); err != nil {
			return nil, err
		}
	}
	if p.tok().kind != tEOF {
		return nil, p.unexpected("the end")
	}
	return h, nil
}

// addGeneric notes the width that a parameter's type names.
func (h *head) addGeneric(t *typeExpr) {
	if t.width == nil || t.width.kind != eName {
		return
	}
	for _, g := range h.generic {
		if g == t.width.name {
			return
		}
	}
	h.generic = append(h.generic, t.width.name)
}
