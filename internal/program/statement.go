package program

import (
	"errors"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/diag"
)

// maxSkip bounds the bytes that one directive leaves.
const maxSkip = 1 << 24

// directive carries out a line that starts with a dot, but for .word; ok is false for any other text.
// The error is an *asm.Error.
func (a *assembler) directive(text string, off int) (ok bool, err error) {
	lead := len(text) - len(strings.TrimLeft(text, blanks))
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	word, _, _ = strings.Cut(word, "\t")
	f, ok := map[string]func(*assembler, *operands) error{
		".align": (*assembler).align, ".skip": (*assembler).skip, ".set": (*assembler).name, ".equ": (*assembler).name,
	}[word]
	if !ok {
		return false, nil
	}
	o := &operands{a: a, text: text, pos: lead + len(word), span: a.span(text, off)}
	return true, f(a, o)
}

// operands reads what stands behind a directive.
type operands struct {
	a    *assembler
	text string
	pos  int
	span diag.Span
}

// expr reads the expression that stands next.
func (o *operands) expr() (int64, error) {
	v, n, err := eval(o.text[o.pos:], o.a.value)
	if err != nil {
		return 0, shifted(err, o.pos)
	}
	o.pos += n
	return v, nil
}

// settled is expr for a value on which places depend: its names must stand before it.
func (o *operands) settled(what string, least, most int64) (int64, error) {
	from := o.pos
	o.a.early = true
	v, err := o.expr()
	o.a.early = false
	if err == nil && (v < least || v > most) {
		err = &asm.Error{Code: diag.TextRange, Off: from, End: o.pos, Msg: strconv.FormatInt(v, 10) + " " + what + ", expected " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)}
	}
	return v, err
}

// end tells of what is left.
func (o *operands) end() error {
	if rest := strings.TrimSpace(o.text[o.pos:]); rest != "" {
		return &asm.Error{Code: diag.TextExpected, Off: o.pos, End: len(o.text), Msg: strconv.Quote(rest) + ", expected the end of the line"}
	}
	return nil
}

func shifted(err error, by int) error {
	var e *asm.Error
	if errors.As(err, &e) {
		moved := *e
		moved.Off, moved.End = e.Off+by, e.End+by
		return &moved
	}
	return err
}

// value gives names their values: those of .set, labels in bytes, and the dot, which is the place
// where the line stands.
func (a *assembler) value(name string) (int64, bool) {
	if name == "." {
		return a.addr / 8, true
	}
	if v, ok := a.names[name]; ok {
		return v, true
	}
	l, ok := a.labels[name]
	if !ok && a.first && !a.early {
		return a.addr / 8, true // found in the next pass
	}
	return l.addr / 8, ok
}

// name gives a name a value: .set NAME, EXPRESSION.
func (a *assembler) name(o *operands) error {
	name, _, ok := strings.Cut(o.text[o.pos:], ",")
	at := o.pos + len(name) - len(strings.TrimLeft(name, blanks))
	if n := strings.TrimSpace(name); !ok || !isLabel(n) || n == "." {
		return &asm.Error{Code: diag.TextExpected, Off: at, End: max(o.pos+len(name), at+1), Msg: strconv.Quote(n) + ", expected a name, a comma and an expression"}
	}
	o.pos += len(name) + 1
	v, err := o.expr()
	if err != nil {
		return err
	}
	a.names[strings.TrimSpace(name)] = v
	return o.end()
}

// skip leaves bytes of 0: .skip BYTES.
func (a *assembler) skip(o *operands) error {
	n, err := o.settled("bytes", 0, maxSkip)
	if err == nil {
		err = o.end()
	}
	if unit := int64(a.unit / 8); err == nil && n%unit != 0 {
		err = &asm.Error{Code: diag.TextRange, End: len(o.text), Msg: strconv.FormatInt(n, 10) + " bytes are no multiple of " + strconv.FormatInt(unit, 10) + ", in which programs are stored"}
	}
	if err == nil {
		a.data(make([]uint32, 8*n/int64(a.unit)), o.span)
	}
	return err
}

// align leaves bytes of 0 up to a multiple: .align BYTES.
func (a *assembler) align(o *operands) error {
	n, err := o.settled("bytes", 1, maxSkip)
	if err == nil {
		err = o.end()
	}
	if unit := int64(a.unit / 8); err == nil && n%unit != 0 {
		err = &asm.Error{Code: diag.TextRange, End: len(o.text), Msg: strconv.FormatInt(n, 10) + " bytes are no multiple of " + strconv.FormatInt(unit, 10) + ", in which programs are stored"}
	}
	if err == nil {
		left := (n - a.addr/8%n) % n
		a.data(make([]uint32, 8*left/int64(a.unit)), o.span)
	}
	return err
}

// words reads a .word directive: expressions of unit bits separated by commas. ok is false for any
// other text.
func (a *assembler) words(text string) (words []uint32, ok bool, err error) {
	lead := len(text) - len(strings.TrimLeft(text, blanks))
	rest, ok := strings.CutPrefix(text[lead:], ".word")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return nil, false, nil
	}
	o := &operands{a: a, text: text, pos: lead + len(".word")}
	for {
		from := o.pos
		v, err := o.expr()
		if err != nil {
			return nil, true, err
		}
		if v < -(1<<(a.unit-1)) || v >= 1<<a.unit {
			from += len(text[from:]) - len(strings.TrimLeft(text[from:], blanks))
			return nil, true, &asm.Error{Code: diag.TextRange, Off: from, End: o.pos, Msg: strconv.FormatInt(v, 10) + " does not fit " + strconv.Itoa(a.unit) + " bits"}
		}
		words = append(words, uint32(v))
		next := strings.TrimLeft(o.text[o.pos:], blanks)
		if !strings.HasPrefix(next, ",") {
			return words, true, o.end()
		}
		o.pos = len(o.text) - len(next) + 1
	}
}

// replaced is a part of a line for which its value stands.
type replaced struct{ from, to, size int }

// expressions puts the values of $(EXPRESSION) in their places.
func (a *assembler) expressions(text string) (string, []replaced, error) {
	if !strings.Contains(text, "$(") {
		return text, nil, nil
	}
	var out strings.Builder
	var list []replaced
	for at := 0; ; {
		i := strings.Index(text[at:], "$(")
		if i < 0 {
			out.WriteString(text[at:])
			return out.String(), list, nil
		}
		from := at + i
		v, n, err := evalGroup(text[from+1:], a.value)
		if err != nil {
			return text, nil, shifted(err, from+1)
		}
		out.WriteString(text[at:from])
		number := strconv.FormatInt(v, 10)
		list = append(list, replaced{from, from + 1 + n, len(number)})
		out.WriteString(number)
		at = from + 1 + n
	}
}

// unreplaced maps a place of the text with values back to the line.
func unreplaced(at int, list []replaced) int {
	grown := 0 // how much longer the line is up to here
	for _, r := range list {
		if at <= r.from-grown {
			break
		}
		if at < r.from-grown+r.size {
			return r.from
		}
		grown += r.to - r.from - r.size
	}
	return at + grown
}
