// Package text writes the statements of shaders in languages whose statements look as in C.
package text

import (
	"fmt"
	"strings"

	"github.com/isago/isago/internal/shade"
)

// Writer writes lines.
type Writer struct {
	Out strings.Builder
	// Depth is the number of tabs in front of a line, and Count the number of lines, without the comments of statements.
	Depth, Count int
}

// Line writes a line.
func (w *Writer) Line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if s != "" {
		w.Out.WriteString(strings.Repeat("\t", w.Depth))
	}
	w.Out.WriteString(s + "\n")
	w.Count++
}

// Language is what differs between languages.
type Language struct {
	*Writer
	// Expr returns the text of an expression.
	Expr func(e *shade.Expr) string
	// Simple returns the text of a Declare, an Assign or a Do without its semicolon, or writes it and returns "".
	Simple func(s *shade.Stmt) string
	// Other writes a Barrier, an EmitVertex and an EndPrimitive.
	Other func(s *shade.Stmt)
	// Uniform is the form of the value of a statement that is Uniform, with %s.
	Uniform string
	// Condition is the form of a condition, with %s.
	Condition string
	// Braces is set if a lone statement in an if needs braces.
	Braces bool
	// Forever is the start of an endless loop. Once and OnceEnd are the start and the end of a Once; OnceBreak is its last
	// statement unless its body leaves it anyway.
	Forever, Once, OnceBreak, OnceEnd string
	// CaseBreak is the end of a case, and Default the last case of a Switch.
	CaseBreak, Default string
}

// Statements writes statements.
func (l *Language) Statements(list []*shade.Stmt) {
	for _, s := range list {
		l.statement(s)
	}
}

// block writes the statements of a block.
func (l *Language) block(list []*shade.Stmt) {
	l.Depth++
	l.Statements(list)
	l.Depth--
}

// Ends reports whether no path reaches the end of statements.
func Ends(list []*shade.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1]; s.Kind {
	case shade.Return, shade.Break, shade.Continue:
		return true
	case shade.If:
		return Ends(s.Body) && Ends(s.Else)
	}
	return false
}

// widest is the length up to which an if and its only statement are one line.
const widest = 100

// short returns a statement that can follow an if in its line.
func (l *Language) short(s *shade.Stmt) (text string, ok bool) {
	switch s.Kind {
	case shade.Break:
		return "break;", true
	case shade.Continue:
		return "continue;", true
	case shade.Discard:
		return "discard;", true
	case shade.Return:
		if s.Value == nil {
			return "return;", true
		}
		return "return " + l.Expr(s.Value) + ";", true
	}
	return "", false
}

// condition returns the condition of a statement.
func (l *Language) condition(s *shade.Stmt) string { return fmt.Sprintf(l.Condition, l.value(s)) }

// value returns the value of a statement.
func (l *Language) value(s *shade.Stmt) string {
	if s.Uniform && l.Uniform != "" {
		return fmt.Sprintf(l.Uniform, l.Expr(s.Value))
	}
	return l.Expr(s.Value)
}

func (l *Language) statement(s *shade.Stmt) {
	if text, ok := l.short(s); ok {
		l.Line("%s", text)
		return
	}
	switch s.Kind {
	case shade.Declare, shade.Assign, shade.Do:
		if text := l.Simple(s); text != "" {
			l.Line("%s;", text)
		}
	case shade.If:
		l.choice(s)
	case shade.Loop:
		l.loop(s)
	case shade.Once:
		l.Line("%s", l.Once)
		l.block(s.Body)
		if l.OnceBreak != "" && !Ends(s.Body) {
			l.Line("\t%s", l.OnceBreak)
		}
		l.Line("%s", l.OnceEnd)
	case shade.Switch:
		l.Line("switch %s {", l.condition(s))
		for _, c := range s.Cases {
			l.Line("case %du: {", c.Number)
			l.block(c.Body)
			if l.CaseBreak != "" {
				l.Line("\t%s", l.CaseBreak)
			}
			l.Line("}")
		}
		if l.Default != "" {
			l.Line("%s", l.Default)
		}
		l.Line("}")
	case shade.Comment:
		l.Line("// %s", s.Text)
		l.Count--
	default:
		l.Other(s)
	}
}

// choice writes an If.
func (l *Language) choice(s *shade.Stmt) {
	cond := l.condition(s)
	if len(s.Body) == 1 && len(s.Else) == 0 {
		text, ok := l.short(s.Body[0])
		if x := s.Body[0]; x.Kind == shade.Assign && !l.Braces {
			text = l.Simple(x) + ";"
			ok = len(text)+len(cond) < widest
		}
		if ok && l.Braces {
			l.Line("if %s { %s }", cond, text)
			return
		} else if ok {
			l.Line("if %s %s", cond, text)
			return
		}
	}
	l.Line("if %s {", cond)
	l.block(s.Body)
	for len(s.Else) == 1 && s.Else[0].Kind == shade.If {
		s = s.Else[0]
		l.Line("} else if %s {", l.condition(s))
		l.block(s.Body)
	}
	if len(s.Else) > 0 {
		l.Line("} else {")
		l.block(s.Else)
	}
	l.Line("}")
}

// loop writes a Loop.
func (l *Language) loop(s *shade.Stmt) {
	switch {
	case s.Step != nil:
		start, cond := "", ""
		if s.Init != nil {
			start = l.Simple(s.Init)
		}
		if s.Value != nil {
			cond = " " + l.value(s)
		}
		l.Line("for (%s;%s; %s) {", start, cond, l.Simple(s.Step))
	case s.Value == nil:
		l.Line("%s", l.Forever)
	default:
		l.Line("while %s {", l.condition(s))
	}
	l.block(s.Body)
	l.Line("}")
}

// Update returns the operator and the operand of an assignment that changes a variable by an operation, such as += and 1. The
// operator is "++" or "--" where that does it, and "" for other assignments. names are the operators.
func Update(s *shade.Stmt, names func(op shade.Op) string) (operator string, operand *shade.Expr) {
	v := s.Value
	name := names(v.Op)
	if name == "" || len(v.Args) != 2 || v.Type.Kind == shade.Bool || v.Args[0].Type != v.Type || !shade.Equal(s.Dest, v.Args[0]) {
		return "", nil
	}
	_, b := shade.Spread(v)
	if v.Type.Kind != shade.Float && b.IsLiteral() && b.Bits[0] == 1 && (v.Op == shade.Add || v.Op == shade.Sub) {
		return name + name, nil
	}
	return name + "=", b
}
