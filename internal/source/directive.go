package source

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// MaxSpace bounds the bytes that all .skip and .align of a program leave.
const MaxSpace = 1 << 20

// directives are the words that start a line which is no instruction, but for .word.
var directives = map[string]func(*reader, *operands) error{
	".align": (*reader).align, ".skip": (*reader).skip, ".set": (*reader).setName, ".equ": (*reader).setName,
	".isago": (*reader).option,
}

// directiveNames returns the names of the directives, sorted.
func directiveNames() []string { return append(slices.Sorted(maps.Keys(directives)), ".word") }

// directive carries out a line that starts with a directive; ok is false for any other text. The error
// is an *asm.Error.
func (a *reader) directive(text string, off int64) (ok bool, err error) {
	lead := len(text) - len(trimLeft(text))
	word := text[lead:]
	if end := strings.IndexAny(word, blanks); end >= 0 {
		word = word[:end]
	}
	f, ok := directives[word]
	if !ok {
		return false, nil
	}
	a.asked = true // what it does counts from pass to pass
	o := &operands{a: a, value: a.value, text: text, pos: lead + len(word), off: off}
	return true, f(a, o)
}

// operands reads what stands behind a directive.
type operands struct {
	a     *reader // nil for Numbers
	value func(name string) (int64, bool)
	text  string
	pos   int
	off   int64 // of the text
}

// expr reads the expression that stands next.
func (o *operands) expr(want string) (int64, error) {
	v, n, err := eval(o.text[o.pos:], want, o.value)
	if err != nil {
		return 0, asm.Shifted(err, o.pos)
	}
	o.pos += n
	return v, nil
}

// settled reads a number of bytes on which places depend: all that it needs must be known by then.
func (o *operands) settled(least int64) (int64, error) {
	o.blanks()
	from := o.pos
	o.a.guessed = ""
	v, err := o.expr("a number of bytes such as 16")
	if err != nil {
		return 0, err
	}
	var e *asm.Error
	unit := int64(o.a.unit / 8)
	switch {
	case o.a.guessed != "":
		e = o.wrong(from, diag.TextSymbol, "%s is defined later, expected a value that is known here, because later addresses depend on it", o.a.guessed)
	case v < least || v > MaxSpace:
		e = o.wrong(from, diag.TextRange, "%s bytes, expected %d to %d", o.written(from, v), least, MaxSpace)
	case v%unit != 0 && (least == 0 || unit%v != 0):
		e = o.wrong(from, diag.TextRange, "%s bytes, expected a multiple of %d, the size of the words in which programs are stored", o.written(from, v), unit)
	default:
		return v, o.end()
	}
	return 0, e
}

func (o *operands) blanks() {
	o.pos += len(o.text[o.pos:]) - len(trimLeft(o.text[o.pos:]))
}

// written is a value as it stands in the text from there on, with what it is where that is not the same.
func (o *operands) written(from int, v int64) string {
	text := strings.TrimSpace(o.text[from:o.pos])
	if _, err := strconv.ParseInt(text, 0, 64); err == nil {
		return text
	}
	return fmt.Sprintf("%s = %d", text, v)
}

func (o *operands) wrong(from int, code diag.Code, format string, args ...any) *asm.Error {
	return &asm.Error{Code: code, Off: from, End: max(o.pos, from+1), Msg: fmt.Sprintf(format, args...)}
}

// end tells of what is left.
func (o *operands) end() error {
	o.blanks()
	if o.pos == len(o.text) {
		return nil
	}
	from := o.pos
	rest := standing(o.text[from:])
	o.pos += len(rest) - len(`""`)
	return o.wrong(from, diag.TextExpected, "%s, expected the end of the line", rest)
}

// number is the value of a name of .set.
type number struct {
	value int64
	// guessed is a name further down on which the value depends, while that is not known.
	guessed string
}

// value gives names their values: those of .set, labels in bytes, and the dot, which is the place
// where the line stands. In the first pass a name that is not known yet is a guess.
func (a *reader) value(name string) (int64, bool) {
	a.asked = true
	if name == "." {
		return a.addr / 8, true
	}
	if a.taints(name) {
		return 0, true
	}
	if n, ok := a.names[name]; ok {
		if n.guessed != "" {
			a.guessed = n.guessed
		}
		return n.value, true
	}
	l, ok := a.labels[name]
	a.found = a.found || ok
	if !ok && a.first && a.known[name] {
		a.guessed = name
		return a.addr / 8, true
	}
	return l.addr / 8, ok
}

// taints reports whether a name is one of .set whose expression failed, and marks the statement if so.
func (a *reader) taints(name string) bool {
	_, failed := a.failed[name]
	if _, set := a.names[name]; set {
		failed = false
	}
	a.tainted = a.tainted || failed
	return failed
}

// setName gives a name a value: .set NAME, EXPRESSION.
func (a *reader) setName(o *operands) error {
	o.blanks()
	from := o.pos
	name, _, ok := strings.Cut(o.text[from:], ",")
	o.pos += len(name)
	trimmed := strings.TrimRight(name, blanks)
	if !ok || !isLabel(trimmed) {
		if words := strings.Fields(name); len(words) > 0 && isLabel(words[0]) {
			a.failed[strings.Clone(words[0])] = a.first
		}
		return o.wrong(from, diag.TextExpected, "%s, expected a name, a comma and an expression", standing(name))
	}
	if l, ok := a.labels[trimmed]; ok && a.first {
		o.pos = from + len(trimmed)
		line, _ := a.src.Span(l.off, l.off).LineCol()
		return o.wrong(from, diag.Duplicate, "%s is a label, in line %d", trimmed, line)
	}
	o.pos++
	a.guessed = ""
	v, err := o.expr(wantNumber)
	if err == nil {
		err = o.end()
	}
	if err != nil || a.tainted {
		delete(a.names, trimmed)
		a.failed[strings.Clone(trimmed)] = a.first
		return err
	}
	a.names[strings.Clone(trimmed)] = number{v, a.guessed}
	return nil
}

// option says something of the whole source: .isago big-endian, or swapped-halves.
func (a *reader) option(o *operands) error {
	o.blanks()
	from := o.pos
	name := strings.TrimRight(o.text[from:], blanks)
	o.pos += len(name)
	if expected := a.order.Read(name, a.root.WordSize); expected != "" {
		return o.wrong(from, diag.TextExpected, "%s, expected %s", standing(name), expected)
	}
	return nil
}

// skip leaves bytes of 0: .skip BYTES.
func (a *reader) skip(o *operands) error {
	n, err := o.settled(0)
	if err != nil {
		return err
	}
	return a.space(n, o)
}

// align leaves bytes of 0 up to a multiple: .align BYTES.
func (a *reader) align(o *operands) error {
	n, err := o.settled(1)
	if err != nil {
		return err
	}
	return a.space((n-a.addr/8%n)%n, o)
}

// space leaves so many bytes, which are whole words.
func (a *reader) space(n int64, o *operands) error {
	if a.left += n; a.left > MaxSpace {
		o.pos = len(o.text)
		return o.wrong(0, diag.TextRange, "%d bytes of free space so far, expected at most %d in a program", a.left, MaxSpace)
	}
	a.addData(make([]uint32, 8*n/int64(a.unit)), o.text, o.off)
	return nil
}

// Numbers parses a .word directive: constant expressions of unit bits, separated by commas. name returns the value of a
// name, and nil allows no names. ok is false for any other text. The error is an *asm.Error.
func Numbers(text string, unit int, name func(string) (int64, bool)) (words []uint32, ok bool, err error) {
	lead := len(text) - len(trimLeft(text))
	rest, ok := strings.CutPrefix(text[lead:], ".word")
	if !ok || rest != "" && strings.IndexByte(blanks, rest[0]) < 0 {
		return nil, false, nil
	}
	o := &operands{value: name, text: text, pos: lead + len(".word")}
	want := fmt.Sprintf("a number of %d bits such as 0x12", unit)
	for {
		if rest := o.text[o.pos:]; strings.TrimSpace(rest) != "" {
			o.blanks()
		}
		from := o.pos
		v, err := o.expr(want)
		if err != nil {
			return nil, true, err
		}
		if v < -(1<<(unit-1)) || v >= 1<<unit {
			return nil, true, o.wrong(from, diag.TextRange, "%s does not fit %d bits", o.written(from, v), unit)
		}
		words = append(words, uint32(v))
		if o.blanks(); !strings.HasPrefix(o.text[o.pos:], ",") {
			return words, true, o.end()
		}
		o.pos++
	}
}

// ownMarks tells which of the things that a source has beside instructions stand in texts of the
// machine too. What is an instruction as a whole is one then.
type ownMarks struct{ comment, colon, directive bool }

func ownMarksOf(p *asm.Parser, set *isa.Set, comment string) ownMarks {
	custom := p.Custom != nil // which may print anything
	prints := func(mark string) bool { return custom || set.MayPrint(mark) }
	own := ownMarks{comment: prints(comment), colon: prints(":"), directive: prints(".word")}
	for word := range directives {
		own.directive = own.directive || prints(word)
	}
	return own
}

// isInstruction reports whether a text at off is an instruction as a whole. What it is in the first pass
// it stays.
func (a *reader) isInstruction(text string, off int64) bool {
	if (a.first || a.single) && !a.whole[off] {
		if _, ok := a.p.Try(text); ok {
			a.whole[off] = true
		}
	}
	return a.whole[off]
}
