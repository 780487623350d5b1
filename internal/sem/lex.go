package sem

import (
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

type tokenKind uint8

const (
	tEOF tokenKind = iota
	tName
	tInt
	tReal
	tField
	tEnum
	tString
	tPunct
)

type token struct {
	kind     tokenKind
	text     string
	n        uint64
	f        float64
	from, to int
}

// MaxCode limits the length of a piece of code in bytes. maxNesting limits the nesting of its statements and expressions.
const (
	MaxCode    = 1 << 16
	maxNesting = 100
)

// puncts are the operators and marks, longer ones before those that they start with.
var puncts = []string{
	"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", ".[", "..",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}",
}

// lex splits code into tokens. {NAME} is one token where a name with dots stands between braces without blanks.
func lex(code spec.Code) ([]token, error) {
	s := code.Text()
	if len(s) > MaxCode {
		return nil, diag.Errorf(diag.XMLLimit, code.Span(0, 1), "more than %d bytes of code", MaxCode)
	}
	list := make([]token, 0, len(s)/4+1)
	for i := 0; ; {
		i = skipBlanks(s, i)
		if i == len(s) {
			return append(list, token{kind: tEOF, from: i, to: i}), nil
		}
		t, err := lexOne(code, s, i)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		i = t.to
	}
}

// skipBlanks skips blanks and comments.
func skipBlanks(s string, i int) int {
	for i < len(s) {
		switch {
		case strings.IndexByte(" \t\r\n", s[i]) >= 0:
			i++
		case strings.HasPrefix(s[i:], "//"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return len(s)
			}
			i += end
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return len(s)
			}
			i += end + 4
		default:
			return i
		}
	}
	return i
}

func lexOne(code spec.Code, s string, i int) (token, error) {
	c := s[i]
	switch {
	case isDigit(c):
		return lexNumber(code, s, i)
	case isLetter(c):
		to := nameEnd(s, i)
		return token{kind: tName, text: s[i:to], from: i, to: to}, nil
	case c == '#':
		to := i + 1
		for to < len(s) && (isLetter(s[to]) || isDigit(s[to]) || s[to] == '-' || s[to] == '.') {
			to++
		}
		return token{kind: tEnum, text: s[i:to], from: i, to: to}, nil
	case c == '{':
		if to := fieldEnd(s, i); to > 0 {
			return token{kind: tField, text: s[i+1 : to-1], from: i, to: to}, nil
		}
	case c == '"':
		end := strings.IndexByte(s[i+1:], '"')
		if end < 0 {
			return token{}, diag.Errorf(diag.MeaningSyntax, code.Span(i, i+1), "text without a closing quote")
		}
		return token{kind: tString, text: s[i+1 : i+1+end], from: i, to: i + end + 2}, nil
	}
	for _, p := range puncts {
		if strings.HasPrefix(s[i:], p) {
			return token{kind: tPunct, text: p, from: i, to: i + len(p)}, nil
		}
	}
	return token{}, diag.Errorf(diag.MeaningSyntax, code.Span(i, i+1), "%q is not allowed here", s[i])
}

// fieldEnd returns the end of {NAME} at i, 0 where a block starts there.
func fieldEnd(s string, i int) int {
	j := i + 1
	if j < len(s) && s[j] == '@' {
		j++
	}
	start := j
	for j < len(s) && (isLetter(s[j]) || isDigit(s[j]) || s[j] == '.') {
		j++
	}
	if j == start || j == len(s) || s[j] != '}' {
		return 0
	}
	return j + 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func nameEnd(s string, i int) int {
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
		i++
	}
	return i
}

// lexNumber reads a whole number, decimal or 0x, or one with a point or an exponent.
func lexNumber(code spec.Code, s string, i int) (token, error) {
	to := i
	hex := strings.HasPrefix(s[i:], "0x")
	for to < len(s) && (isLetter(s[to]) || isDigit(s[to]) ||
		s[to] == '.' && to+1 < len(s) && isDigit(s[to+1]) && !hex ||
		!hex && (s[to] == '-' || s[to] == '+') && (s[to-1] == 'e' || s[to-1] == 'E')) {
		to++
	}
	t := token{kind: tInt, text: s[i:to], from: i, to: to}
	var err error
	if t.n, err = strconv.ParseUint(t.text, 0, 64); err == nil && (hex || t.text == "0" || t.text[0] != '0') {
		return t, nil
	}
	t.kind = tReal
	if t.f, err = strconv.ParseFloat(t.text, 64); err != nil || hex {
		return t, diag.Errorf(diag.MeaningSyntax, code.Span(i, to), "%q is not a number", t.text)
	}
	return t, nil
}
