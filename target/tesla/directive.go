package tesla

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
)

// operands are what stands after a directive. Places count from the start of the statement.
type operands struct {
	a   *assembler
	s   scanner
	pos int
	off int64 // of the statement in the source
}

// more reports whether something is left; a comma between operands is skipped.
func (o *operands) more() bool {
	o.pos = o.s.blanks(o.pos)
	if o.s.at(o.pos) == ',' {
		o.pos = o.s.blanks(o.pos + 1)
	}
	return o.pos < len(o.s.text)
}

// next returns where the next expression stands.
func (o *operands) next(what string) (from, to int, err error) {
	if !o.more() || !o.s.starts(o.pos) {
		return 0, 0, o.expected(what)
	}
	from = o.pos
	o.pos = o.s.expression(from)
	return from, o.pos, nil
}

func (o *operands) expected(what string) error {
	found := "nothing"
	if o.pos < len(o.s.text) {
		found = strconv.Quote(o.s.text[o.pos:])
	}
	return wrong(o.pos, len(o.s.text), "%s, expected %s", found, what)
}

// name reads a name, with a number sign or without.
func (o *operands) name() (name string, at int, err error) {
	more := o.more()
	if o.s.at(o.pos) == '#' {
		o.pos++
	}
	at = o.pos
	end := o.s.word(at)
	if !more || end == at || isDigit(o.s.at(at)) {
		return "", at, o.expected("a name")
	}
	o.pos = end
	return o.s.text[at:end], at, nil
}

// amount reads a number of bytes, on which places depend: labels have none yet.
func (o *operands) amount(least int64) (int64, error) {
	from, to, err := o.next("a number of bytes")
	if err != nil {
		return 0, err
	}
	o.a.named = false
	v, err := evaluate(o.s.text, from, to, o.a.name)
	switch {
	case err != nil:
		return 0, err
	case o.a.named:
		return 0, wrong(from, to, "the places of labels are not known here, expected a number, or names that .equ defines")
	case v < least || v > MaxSpace:
		return 0, &asm.Error{Code: diag.TextRange, Off: from, End: to, Msg: fmt.Sprintf("%d bytes, expected %d to %d", v, least, MaxSpace)}
	}
	return v, o.end()
}

func (o *operands) end() error {
	if o.more() {
		return o.expected("the end of the line")
	}
	return nil
}

// directives are those of envyas, but for those of data.
var directives = map[string]func(*operands) error{
	".align":   (*operands).align,
	".skip":    (*operands).skip,
	".size":    (*operands).size,
	".equ":     (*operands).equ,
	".section": (*operands).section,
	".isago":   (*operands).isago,
}

// directive executes a line that starts with a dot. The error is an *asm.Error.
func (a *assembler) directive(text string, off int64) error {
	name := text[:(&scanner{text: text}).word(1)]
	o := &operands{a: a, s: scanner{text: text, full: true, bare: true}, pos: len(name), off: off}
	if t, ok := typeOf(name); ok {
		a.closeShort()
		return o.data(t)
	}
	do, ok := directives[name]
	if !ok {
		return &asm.Error{Code: diag.Directive, End: len(name), Msg: fmt.Sprintf(
			"unknown directive %s, expected .section, .align, .size, .skip, .equ, .isago, .word, .byte, or .b8, .u8, .s8 and so on up to 64 bits", name)}
	}
	return do(o)
}

// closeShort leaves the instructions so far as they are.
func (a *assembler) closeShort() { a.cur.run = a.cur.run[:0] }

// zeros adds so many bytes of 0.
func (o *operands) zeros(n int64) error {
	a := o.a
	if a.left += n; a.left > MaxSpace {
		return &asm.Error{Code: diag.TextRange, End: len(o.s.text), Msg: fmt.Sprintf("%d bytes of free space so far, expected at most %d in a program", a.left, MaxSpace)}
	}
	a.closeShort()
	a.cur.code = append(a.cur.code, make([]byte, n)...)
	return nil
}

// align adds bytes up to a multiple in the section. Where it needs 4 and the last word can grow by as many, that
// is not done: the source says what stands here.
func (o *operands) align() error {
	n, err := o.amount(1)
	if err != nil {
		return err
	}
	return o.zeros((n - int64(len(o.a.cur.code))%n) % n)
}

func (o *operands) skip() error {
	n, err := o.amount(0)
	if err != nil {
		return err
	}
	return o.zeros(n)
}

// isago says something of the whole source: .isago big-endian, or swapped-halves.
func (o *operands) isago() error {
	o.more()
	order := o.a.order
	if expected := order.Read(o.s.text[o.pos:], 32); expected != "" {
		return o.expected(expected)
	}
	if !o.a.bare {
		return o.expected("no word order, because the words of a cubin are text")
	}
	o.a.order = order
	return nil
}

// size adds bytes up to a length of the section.
func (o *operands) size() error {
	n, err := o.amount(0)
	have := int64(len(o.a.cur.code))
	switch {
	case err != nil:
		return err
	case have > n:
		return &asm.Error{Code: diag.TextRange, End: len(o.s.text), Msg: fmt.Sprintf("section %s has %d bytes already, expected at most %d", o.a.cur.name, have, n)}
	}
	return o.zeros(n - have)
}

// equ gives a name to a value. Labels in it must stand before it, and what is between them and the next
// long word keeps its length.
func (o *operands) equ() error {
	name, at, err := o.name()
	if err != nil {
		return err
	}
	name = strings.Clone(name)
	l := label{off: o.off + int64(at), fixed: true}
	from, to, err := o.next("an expression")
	if err == nil {
		o.a.named, o.a.last = false, true
		l.value, err = evaluate(o.s.text, from, to, o.a.name)
		o.a.last = false
	}
	if err == nil {
		err = o.end()
	}
	if err != nil || o.a.tainted {
		l.value, l.failed = 0, true
	}
	o.a.setLabel(full(o.a.scope, name), name, l)
	if err != nil {
		return err
	}
	if strings.ContainsFunc(o.s.text[from:to], func(r rune) bool { return r < 128 && isLetter(byte(r)) }) {
		o.a.closeShort()
	}
	return nil
}

// section goes on with a section, or starts one, at an address if that is given.
func (o *operands) section() error {
	name, _, err := o.name()
	if err != nil {
		return err
	}
	base := int64(0)
	if o.more() {
		if base, err = o.amount(0); err != nil {
			return err
		}
	}
	a := o.a
	a.closeShort()
	for _, s := range a.sections {
		if s.name == name {
			a.cur = s
			return nil
		}
	}
	s := &section{name: strings.Clone(name), base: base}
	if a.cur.ends != nil {
		s.ends = []statementEnd{}
	}
	a.cur, a.sections = s, append(a.sections, s)
	return nil
}

// dataType is that of a number of data: b for any, u for unsigned and s for signed, and its bits.
type dataType struct {
	sign byte
	bits int
}

// typeOf returns the type of a directive such as .u16.
func typeOf(name string) (dataType, bool) {
	switch name {
	case ".word":
		return dataType{'b', 32}, true
	case ".byte":
		return dataType{'b', 8}, true
	}
	if len(name) < 3 || strings.IndexByte("bus", name[1]) < 0 {
		return dataType{}, false
	}
	n, err := strconv.Atoi(name[2:])
	return dataType{name[1], n}, err == nil && n > 0 && n <= 64 && n%8 == 0
}

// limits are the numbers that a type has, those of 64 bits in two's complement.
func (t dataType) limits() (least, most int64) {
	n := uint(t.bits)
	least, most = -1<<(n-1), 1<<(n-1)-1
	if t.sign == 'u' {
		least = 0
	}
	if t.sign != 's' && n < 64 {
		most = 1<<n - 1
	}
	return least, most
}

// data adds numbers.
func (o *operands) data(t dataType) error {
	a := o.a
	if !o.more() {
		return o.expected("numbers of " + strconv.Itoa(t.bits) + " bits")
	}
	for o.more() {
		from, to, err := o.next("a number of " + strconv.Itoa(t.bits) + " bits")
		if err != nil {
			return err
		}
		var b [8]byte
		a.named = false
		if err := a.number(b[:], o.s.text[from:to], t); err != nil {
			return asm.Shifted(err, from)
		}
		if a.named {
			a.fixes = append(a.fixes, fix{off: o.off + int64(from), end: o.off + int64(to), scope: a.scope, sect: a.cur, at: len(a.cur.code), data: t})
		}
		a.cur.code = append(a.cur.code, b[:t.bits/8]...)
	}
	return nil
}

// number puts the value of an expression at the start of dst.
func (a *assembler) number(dst []byte, text string, t dataType) error {
	v, err := evaluate(text, 0, len(text), a.name)
	if err != nil {
		return err
	}
	least, most := t.limits()
	if t.bits < 64 && (v < least || v > most) {
		return &asm.Error{Code: diag.TextRange, End: len(text), Msg: fmt.Sprintf("%d does not fit %d bits, expected %d to %d", v, t.bits, least, most)}
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	copy(dst[:t.bits/8], b[:])
	return nil
}
