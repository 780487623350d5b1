package tesla

import (
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/source"
)

// scanner finds the constant expressions of a statement. The operators are C's. Between operands only + - * / % stand
// bare; the others stand in brackets or parentheses. A minus with a blank before it and none after belongs to the
// next operand.
type scanner struct {
	text string
	// full allows all operators, bare names without a number sign.
	full, bare bool
	// depth is the number of parentheses around it.
	depth int
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }

func (s *scanner) at(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

func (s *scanner) blanks(i int) int {
	for i < len(s.text) && isBlank(s.text[i]) {
		i++
	}
	return i
}

func (s *scanner) word(i int) int {
	for i < len(s.text) && (isLetter(s.text[i]) || isDigit(s.text[i])) {
		i++
	}
	return i
}

// starts reports whether a constant stands at i: a number, a name, an expression in parentheses, or one of them after
// signs.
func (s *scanner) starts(i int) bool { return s.operand(i) > 0 }

// operand returns where the operand ends that starts at i, 0 where none does.
func (s *scanner) operand(i int) int {
	c := s.at(i)
	for ; c == '~' || c == '!' || c == '-'; c = s.at(i) {
		i = s.blanks(i + 1)
	}
	switch {
	case isDigit(c), s.bare && isLetter(c):
		return s.word(i)
	case c == '#' && isLetter(s.at(i+1)):
		return s.word(i + 1)
	case c == '(':
		return s.group(i)
	}
	return 0
}

// maxNesting bounds the parentheses within each other.
const maxNesting = 32

// group returns where the parentheses end that start at i, 0 where there is more in them than a constant.
func (s *scanner) group(i int) int {
	inside := scanner{s.text, true, s.bare, s.depth + 1}
	if inside.depth > maxNesting {
		return 0
	}
	end := inside.expression(s.blanks(i + 1))
	if end == s.blanks(i+1) {
		return 0
	}
	if end = s.blanks(end); s.at(end) != ')' {
		return 0
	}
	return end + 1
}

var bareOperators, allOperators = []string{"+", "-", "*", "/", "%"},
	[]string{"<<", ">>", "&&", "||", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^"}

// expression returns where the expression ends that starts at i, i itself where none does.
func (s *scanner) expression(i int) int {
	end := s.operand(i)
	if end == 0 {
		return i
	}
	for {
		at := s.blanks(end)
		op := s.operator(at)
		from := s.blanks(at + len(op))
		sign := op == "-" && at > end && from == at+1 // of what comes next
		if op == "" || sign {
			return end
		}
		next := s.operand(from)
		if next == 0 {
			return end
		}
		end = next
	}
}

func (s *scanner) operator(i int) string {
	if i >= len(s.text) || strings.HasPrefix(s.text[i:], "++") {
		return ""
	}
	list := bareOperators
	if s.full {
		list = allOperators
	}
	for _, op := range list {
		if strings.HasPrefix(s.text[i:], op) {
			return op
		}
	}
	return ""
}

// constants makes a line of a statement with hexadecimal numbers in place of its constant expressions, and without
// the blanks in brackets. Text in braces is left as it is. negative tells that a number below 0, which
// text has for some fields and not for others, stands for one.
func constants(line *asm.Line, text string, name func(string) (int64, bool)) (negative bool, err error) {
	line.Start(text)
	square := 0
	put := func(from, to int, number string) {
		line.Keep(from)
		line.Text = append(line.Text, number...)
		line.Replace(to)
	}
	s := scanner{text: text}
	for i := 0; i < len(text); {
		c := text[i]
		if !interesting[c] {
			i++
			continue
		}
		s.full = square > 0
		switch {
		case c == '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				end = len(text) - i - 1
			}
			i += end + 1
		case c == '[':
			square, i = square+1, i+1
		case c == ']':
			square, i = max(square-1, 0), i+1
		case c == '$' || isLetter(c):
			i = s.word(i + 1)
		case square > 0 && isBlank(c):
			end := s.blanks(i)
			put(i, end, "")
			i = end
		case s.starts(i):
			end := s.expression(i)
			number, below, e := s.value(i, end, square > 0, name)
			if e != nil {
				return false, e
			}
			negative = negative || below
			if number != text[i:end] {
				put(i, end, number)
			}
			i = end
		case isDigit(c):
			i = s.word(i)
		default:
			i++
		}
	}
	line.Keep(len(text))
	return negative, nil
}

// interesting are the bytes at which constants looks twice.
var interesting = func() (t [256]bool) {
	for c := range t {
		b := byte(c)
		t[c] = isLetter(b) || isDigit(b) || isBlank(b) || strings.IndexByte("{[]$#(~!-", b) >= 0
	}
	return t
}()

// value computes text[from:to] and writes it as text has numbers: below 0 in brackets as one of 64 bits.
func (s *scanner) value(from, to int, bracket bool, name func(string) (int64, bool)) (number string, below bool, err error) {
	v, err := evaluate(s.text, from, to, name)
	switch {
	case err != nil:
		return "", false, err
	case v >= 0 || bracket:
		return "0x" + strconv.FormatUint(uint64(v), 16), false, nil
	}
	return "-0x" + strconv.FormatUint(-uint64(v), 16), true, nil
}

// evaluate computes the expression text[from:to]. The place of an error counts from the start of text.
func evaluate(text string, from, to int, name func(string) (int64, bool)) (int64, error) {
	v, end, err := source.Eval(strings.ReplaceAll(text[from:to], "#", " "), name)
	if err != nil {
		return 0, asm.Shifted(err, from)
	}
	if rest := strings.TrimSpace(text[from:to][end:]); rest != "" {
		return 0, wrong(from+end, to, "%q, expected an operator", rest)
	}
	return v, nil
}
