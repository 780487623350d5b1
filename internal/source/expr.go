package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
)

// exprReader computes a constant expression: C's integer operators with C's precedence on signed
// numbers of 64 bits, numbers in any radix of C, parentheses, and names.
type exprReader struct {
	text  string
	pos   int
	depth int
	want  string
	name  func(name string) (int64, bool)
}

// maxExprDepth bounds how deep an expression is nested.
const maxExprDepth = 100

// operatorRows are the operators of two operands, the loosest first; of each row the longest first.
var operatorRows = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// Eval computes the constant expression at the start of text, and returns where it ends. name returns the value of a
// name. The error is an *asm.Error, whose offsets count from the start of text.
func Eval(text string, name func(string) (int64, bool)) (value int64, end int, err error) {
	return eval(text, wantNumber, name)
}

// Constant computes the constant expression in parentheses at the start of text, and returns where it ends. Names have
// no values. The error is an *asm.Error.
func Constant(text string) (value int64, end int, err error) {
	return evalGroup(text, func(string) (int64, bool) { return 0, false })
}

// eval computes the expression at the start of text; end is where it ends. name gives the value of a
// name, want says what is expected. The error is an *asm.Error whose place counts from the start of
// text.
func eval(text, want string, name func(string) (int64, bool)) (value int64, end int, err error) {
	r := exprReader{text: text, want: want, name: name}
	if value, err = r.level(0); err != nil {
		return 0, r.pos, err
	}
	return value, r.pos, nil
}

// evalGroup is eval for an expression in parentheses, at the last of which it ends.
func evalGroup(text string, name func(string) (int64, bool)) (value int64, end int, err error) {
	r := exprReader{text: text, want: wantNumber, name: name}
	value, err = r.unary()
	return value, r.pos, err
}

const wantNumber = "a number such as 0x12"

func (r *exprReader) fail(code diag.Code, from int, format string, args ...any) error {
	return &asm.Error{Code: code, Off: from, End: max(r.pos, from+1), Msg: fmt.Sprintf(format, args...)}
}

func (r *exprReader) blanks() {
	for r.pos < len(r.text) && (r.text[r.pos] == ' ' || r.text[r.pos] == '\t') {
		r.pos++
	}
}

// operator takes one of the operators; "" if none stands here.
func (r *exprReader) operator(list []string) string {
	r.blanks()
	rest := r.text[r.pos:]
	for _, op := range list {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		if tail := rest[len(op):]; len(op) == 1 && tail != "" && strings.ContainsAny(op, "|&<>") && (tail[0] == op[0] || tail[0] == '=' && op != "|" && op != "&") {
			continue // part of a longer operator
		}
		r.pos += len(op)
		return op
	}
	return ""
}

// level reads operands joined by the operators of one row, and those that bind tighter.
func (r *exprReader) level(row int) (int64, error) {
	if row == len(operatorRows) {
		return r.unary()
	}
	x, err := r.level(row + 1)
	for err == nil {
		from := r.pos
		op := r.operator(operatorRows[row])
		if op == "" {
			break
		}
		var y int64
		if y, err = r.level(row + 1); err == nil {
			x, err = r.apply(op, x, y, from)
		}
	}
	return x, err
}

func (r *exprReader) apply(op string, x, y int64, from int) (int64, error) {
	truth := func(b bool) (int64, error) {
		if b {
			return 1, nil
		}
		return 0, nil
	}
	switch op {
	case "||":
		return truth(x != 0 || y != 0)
	case "&&":
		return truth(x != 0 && y != 0)
	case "|":
		return x | y, nil
	case "^":
		return x ^ y, nil
	case "&":
		return x & y, nil
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	case ">=":
		return truth(x >= y)
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	}
	return r.partial(op, x, y, from)
}

// partial applies the operators that not every operand suits.
func (r *exprReader) partial(op string, x, y int64, from int) (int64, error) {
	switch {
	case (op == "<<" || op == ">>") && (y < 0 || y > 63):
		return 0, r.fail(diag.TextRange, from, "a shift by %d, expected 0 to 63", y)
	case op == "<<":
		return x << uint(y), nil
	case op == ">>":
		return x >> uint(y), nil
	case y == 0:
		return 0, r.fail(diag.TextRange, from, "division by 0")
	case op == "/":
		return x / y, nil
	}
	return x % y, nil
}

func (r *exprReader) unary() (int64, error) {
	if r.depth++; r.depth > maxExprDepth {
		return 0, r.fail(diag.XMLLimit, r.pos, "an expression nested more than %d deep", maxExprDepth)
	}
	defer func() { r.depth-- }()
	switch op := r.operator([]string{"-", "+", "~", "!", "("}); op {
	case "":
		return r.primary()
	case "(":
		x, err := r.level(0)
		if err == nil && r.operator([]string{")"}) == "" {
			err = r.fail(diag.TextExpected, r.pos, "%s, expected )", standing(r.text[r.pos:]))
		}
		return x, err
	default:
		x, err := r.unary()
		switch op {
		case "-":
			x = -x
		case "~":
			x = ^x
		case "!":
			x, _ = r.apply("==", x, 0, 0)
		}
		return x, err
	}
}

// primary reads a number or a name.
func (r *exprReader) primary() (int64, error) {
	from := r.pos
	for r.pos < len(r.text) && isNameByte(r.text[r.pos]) {
		r.pos++
	}
	word := r.text[from:r.pos]
	switch {
	case word == "" && r.name == nil:
		return 0, r.fail(diag.TextExpected, from, "%s, expected %s", standing(r.text[from:]), r.want)
	case word == "":
		return 0, r.fail(diag.TextExpected, from, "%s, expected %s, a name or (", standing(r.text[from:]), r.want)
	case word[0] >= '0' && word[0] <= '9':
		return r.number(word, from)
	case r.name == nil:
		return 0, r.fail(diag.TextExpected, from, "%q, expected %s", word, r.want)
	}
	v, ok := r.name(word)
	if !ok {
		return 0, r.fail(diag.TextSymbol, from, "%s is neither a label nor defined by .set, expected a defined name or %s", word, r.want)
	}
	return v, nil
}

func (r *exprReader) number(word string, from int) (int64, error) {
	v, err := strconv.ParseInt(word, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, r.fail(diag.TextRange, from, "%s does not fit in a signed 64-bit integer", word)
	case err != nil:
		return 0, r.fail(diag.TextExpected, from, "%q, expected %s", word, r.want)
	}
	return v, nil
}

// standing quotes what stands at the start of a text, for an error.
func standing(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return "nothing"
	}
	word := strings.Fields(text)[0]
	return strconv.Quote(word[:min(len(word), maxQuoted)])
}

const maxQuoted = 20

func isNameByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}
