package sem

import (
	"strconv"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// PseudoKind is the kind of a piece of pseudo-code.
type PseudoKind uint8

// The kinds of pieces.
const (
	PseudoText PseudoKind = iota
	PseudoKeyword
	PseudoNumber
	PseudoString
	PseudoLocal    // a variable or a parameter
	PseudoField    // a field, an operand or a derived field of the instruction
	PseudoContext  // a context or a quirk
	PseudoState    // a register file, a view, a register, a stack or a memory
	PseudoFunction // a function or a host callback of the description
	PseudoBuiltin  // a function of the language
	PseudoEnum     // a value of an enum
	PseudoBreak    // the end of a line
)

// Pseudo is a piece of pseudo-code.
type Pseudo struct {
	Kind PseudoKind
	Text string
	// Name is the name in the description. It differs from Text for a value of an enum, whose name is #ENUM.VALUE.
	Name string
	// Indent is the depth of the next line, for PseudoBreak.
	Indent int
}

// Pseudo returns code as pseudo-code. typ is the type of the value that the code returns, which is empty for none. The error is
// a syntax error of the code.
func (m *Machine) Pseudo(code, typ spec.Code) ([]Pseudo, error) {
	b := m.body(code, typ)
	if b.err != nil {
		return nil, b.err
	}
	w := pseudoWriter{m: m, locals: map[string]bool{"value": true}}
	w.stmts(b.stmts)
	return w.list, nil
}

// PseudoHead returns the head of a function or a host callback, such as add(a: u32, b: u32): u32.
func (m *Machine) PseudoHead(f *spec.Function) ([]Pseudo, error) {
	h, err := parseHead(f.Head)
	if err != nil {
		return nil, err
	}
	w := pseudoWriter{m: m}
	w.add(PseudoFunction, h.name, h.name)
	w.text("(")
	for i, p := range h.params {
		if i > 0 {
			w.text(", ")
		}
		w.add(PseudoLocal, p.name, p.name)
		w.text(": ")
		w.typ(p.typ)
	}
	w.text(")")
	if h.result != nil {
		w.text(": ")
		w.typ(h.result)
	}
	return w.list, nil
}

// PseudoBody returns the body of a function.
func (m *Machine) PseudoBody(f *spec.Function) ([]Pseudo, error) {
	h, err := parseHead(f.Head)
	if err != nil {
		return nil, err
	}
	stmts, err := parseBody(f.Body, h.result != nil)
	if err != nil {
		return nil, err
	}
	w := pseudoWriter{m: m, locals: map[string]bool{}}
	for _, p := range h.params {
		w.locals[p.name] = true
	}
	for _, g := range h.generic {
		w.locals[g] = true
	}
	w.stmts(stmts)
	return w.list, nil
}

// NameOf returns the name of a function or a host callback, or "" if its head has a syntax error.
func NameOf(f *spec.Function) string {
	h, err := parseHead(f.Head)
	if err != nil {
		return ""
	}
	return h.name
}

type pseudoWriter struct {
	m      *Machine
	list   []Pseudo
	indent int
	// locals has the names that the code defines.
	locals map[string]bool
}

func (w *pseudoWriter) add(kind PseudoKind, text, name string) {
	w.list = append(w.list, Pseudo{Kind: kind, Text: text, Name: name})
}

func (w *pseudoWriter) text(s string)    { w.add(PseudoText, s, "") }
func (w *pseudoWriter) keyword(s string) { w.add(PseudoKeyword, s, "") }

func (w *pseudoWriter) stmts(list []*stmt) {
	for i, s := range list {
		if i > 0 {
			w.list = append(w.list, Pseudo{Kind: PseudoBreak, Indent: w.indent})
		}
		w.stmt(s)
	}
}

// block writes statements in lines of their own, deeper than the line before.
func (w *pseudoWriter) block(list []*stmt) {
	w.indent++
	w.list = append(w.list, Pseudo{Kind: PseudoBreak, Indent: w.indent})
	if len(list) == 0 {
		w.keyword("nothing")
	}
	w.stmts(list)
	w.indent--
}

func (w *pseudoWriter) stmt(s *stmt) {
	switch s.kind {
	case sLet, sVar:
		w.let(s)
	case sAssign:
		w.expr(s.x, 0)
		w.text(" ← ")
		w.expr(s.y, 0)
	case sIf, sIfLet:
		w.ifStmt(s)
	case sFor:
		w.locals[s.name] = true
		w.keyword("for ")
		w.add(PseudoLocal, s.name, s.name)
		w.text(" = ")
		w.expr(s.x, 0)
		w.keyword(" to ")
		if s.y.kind == eInt {
			w.add(PseudoNumber, strconv.FormatInt(int64(s.y.n)-1, 10), "")
		} else {
			w.expr(s.y, levelOf("-"))
			w.text(" - 1")
		}
		w.block(s.body)
	case sPush:
		w.keyword("push ")
		w.name(s.name)
		w.settings(s.fields, " (", ")")
	case sPop:
		w.keyword("pop ")
		w.name(s.name)
	case sEnd:
		w.keyword("end the program")
	case sTrap, sUnknown, sHazard:
		w.keyword(map[stmtKind]string{sTrap: "stop: ", sUnknown: "unknown: ", sHazard: "hazard: "}[s.kind])
		w.add(PseudoString, s.name, "")
	case sBarrier:
		w.keyword(map[uint64]string{Arrives | Waits: "barrier", Arrives: "arrive", Waits: "await"}[s.how])
		w.args([]*expr{s.x, s.y})
	case sTogether:
		w.keyword("at the same time")
		w.block(s.body)
	case sAtomic:
		w.keyword("atomically")
		w.block(s.body)
	case sLanes:
		w.keyword("for each lane in ")
		w.expr(s.x, 0)
		w.block(s.body)
	case sReturn:
		w.keyword("return")
		if s.x != nil {
			w.text(" ")
			w.expr(s.x, 0)
		}
	case sExpr:
		w.expr(s.x, 0)
	case sInner:
		w.keyword("the instruction")
	case sRun:
		w.keyword("run ")
		w.add(PseudoEnum, strings.TrimPrefix(s.name, "#"), s.name)
		w.keyword(" at ")
		w.expr(s.x, 0)
		w.settings(s.fields, " with ", "")
	}
}

func (w *pseudoWriter) let(s *stmt) {
	open, end := "", ""
	if len(s.names) > 1 {
		open, end = "(", ")"
	}
	w.text(open)
	for i, name := range s.names {
		if i > 0 {
			w.text(", ")
		}
		w.add(PseudoLocal, name, name)
	}
	w.text(end)
	if s.typ != nil {
		w.text(": ")
		w.typ(s.typ)
	}
	w.text(" = ")
	w.expr(s.x, 0)
	for _, name := range s.names {
		w.locals[name] = true
	}
}

func (w *pseudoWriter) ifStmt(s *stmt) {
	w.keyword("if ")
	if s.kind == sIfLet {
		w.locals[s.names[0]] = true
		w.add(PseudoLocal, s.names[0], s.names[0])
		w.text(" = ")
		w.expr(s.x, 0)
		w.keyword(" has a value")
	} else {
		w.expr(s.x, 0)
	}
	w.keyword(" then")
	w.block(s.body)
	if len(s.other) == 0 {
		return
	}
	w.list = append(w.list, Pseudo{Kind: PseudoBreak, Indent: w.indent})
	w.keyword("else")
	if len(s.other) == 1 && (s.other[0].kind == sIf || s.other[0].kind == sIfLet) {
		w.text(" ")
		w.ifStmt(s.other[0])
		return
	}
	w.block(s.other)
}

func (w *pseudoWriter) settings(list []setting, open, end string) {
	if len(list) == 0 {
		return
	}
	w.text(open)
	for i, f := range list {
		if i > 0 {
			w.text(", ")
		}
		w.text(f.name + " = ")
		w.expr(f.x, 0)
	}
	w.text(end)
}

func (w *pseudoWriter) args(list []*expr) {
	w.text("(")
	for i, x := range list {
		if i > 0 {
			w.text(", ")
		}
		w.expr(x, 0)
	}
	w.text(")")
}

// Levels of expressions: 0 takes any expression, and each binary operator has the number of its row in levels, plus 2.
const (
	condLevel  = 1
	unaryLevel = 20
)

func levelOf(op string) int {
	for i, row := range levels {
		for _, o := range row {
			if o == op {
				return i + condLevel + 1
			}
		}
	}
	return unaryLevel
}

// expr writes an expression, in parentheses if it binds less strongly than least.
func (w *pseudoWriter) expr(e *expr, least int) {
	level := unaryLevel + 1
	switch e.kind {
	case eCond:
		level = condLevel
	case eBinary:
		level = levelOf(e.op)
	case eUnary:
		level = unaryLevel
	}
	if level < least {
		w.text("(")
		defer w.text(")")
	}
	switch e.kind {
	case eInt:
		w.add(PseudoNumber, number10(e.n), "")
	case eReal:
		w.add(PseudoNumber, real10(e.f), "")
	case eBool:
		w.add(PseudoKeyword, e.name, "")
	case eName:
		w.name(e.name)
	case eField:
		w.field(e.name)
	case eEnum:
		w.add(PseudoEnum, e.name[strings.LastIndexByte(e.name, '.')+1:], e.name)
	case eUnary:
		w.text(e.op)
		w.expr(e.x, unaryLevel)
	case eBinary:
		w.expr(e.x, level)
		w.text(" " + e.op + " ")
		w.expr(e.y, level+1)
	case eCond:
		w.expr(e.x, condLevel+1)
		w.text(" ? ")
		w.expr(e.y, 0)
		w.text(" : ")
		w.expr(e.z, condLevel)
	case eCall:
		switch {
		case w.m.functions[e.name] != nil || w.m.services[e.name] != nil:
			w.add(PseudoFunction, e.name, e.name)
		default:
			w.add(PseudoBuiltin, e.name, e.name)
		}
		w.args(e.args)
	case eTuple:
		w.args(e.args)
	default:
		w.postfix(e)
	}
}

// postfix writes an expression that selects a part of another.
func (w *pseudoWriter) postfix(e *expr) {
	w.expr(e.x, unaryLevel+1)
	switch e.kind {
	case eIndex:
		w.text("[")
		w.expr(e.y, 0)
		w.text("]")
	case eSlice:
		w.text("[")
		w.expr(e.y, 0)
		w.text(":")
		w.expr(e.z, 0)
		w.text("]")
	case eDot:
		w.text("." + e.name)
	case eComp:
		w.text(".[")
		w.expr(e.y, 0)
		w.text("]")
	case eWhere:
		w.text(".")
		w.keyword("where")
		w.args([]*expr{e.y})
	}
}

func (w *pseudoWriter) field(name string) {
	if context, ok := strings.CutPrefix(name, "@"); ok {
		w.add(PseudoContext, context, context)
		return
	}
	w.add(PseudoField, name, name)
}

func (w *pseudoWriter) name(name string) {
	switch m := w.m; {
	case w.locals[name]:
		w.add(PseudoLocal, name, name)
	case m.states[name] != nil || m.views[name] != nil || m.groups[name] != nil:
		w.add(PseudoState, name, name)
	case name == "here" || name == "next" || name == "pc" || name == "lane" || name == "exists" || name == "inf":
		w.add(PseudoKeyword, name, name)
	default:
		w.add(PseudoLocal, name, name)
	}
}

func (w *pseudoWriter) typ(t *typeExpr) {
	switch {
	case t.enum != "":
		w.add(PseudoEnum, strings.TrimPrefix(t.enum, "#"), t.enum)
	case t.t.Kind == Tuple:
		w.text("(")
		for i, e := range t.elems {
			if i > 0 {
				w.text(", ")
			}
			w.typ(e)
		}
		w.text(")")
	case t.width != nil:
		letter := "u"
		if t.t.Kind == Sint {
			letter = "s"
		}
		w.text(letter + "[")
		w.expr(t.width, 0)
		w.text("]")
	default:
		w.text(t.t.String())
		return // which has the mark of an optional value
	}
	if t.t.maybe() {
		w.text("?")
	}
}

// number10 writes small numbers in decimal and others in hexadecimal.
func number10(n uint64) string {
	if n < 1<<10 {
		return strconv.FormatUint(n, 10)
	}
	return "0x" + strconv.FormatUint(n, 16)
}

func real10(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}
