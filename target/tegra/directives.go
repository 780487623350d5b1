package tegra

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
)

// place is what a line of a section defines: a register, or a component of a constant.
type place struct {
	section   string
	number    int
	component int
}

// sectionNames are the names of the sections of a source, and of the directive of this assembler.
var sectionNames = []string{".attributes", ".exports", ".uniforms", ".constants", ".asm", ".isago"}

// section reads a section; ok is false where there is none of that name.
func (r *assembly) section(name string) (ok bool) {
	switch name {
	case ".attributes", ".exports", ".uniforms":
		r.entries(name[1:], r.nameEntry)
	case ".constants":
		r.entries(name[1:], r.constantEntry)
	case ".asm":
		r.code()
	case ".isago":
		r.isago()
	default:
		return false
	}
	return true
}

// sections reads the whole source up to its statements.
func (r *assembly) sections() {
	r.text = r.uncomment()
	for r.skip(); r.pos < len(r.text); r.skip() {
		start := r.pos
		word := r.word()
		end := r.pos
		if !r.section(strings.ToLower(word)) {
			r.fail(diag.Directive, start, end, "unknown section %q, expected .attributes, .exports, .uniforms, .constants or .asm", quote.Shorten(word))
			r.toSection()
		}
	}
}

// skip goes on to what is no blank.
func (r *assembly) skip() {
	for r.pos < len(r.text) && isBlank(r.text[r.pos]) {
		r.pos++
	}
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

// word reads up to a blank, or one character of punctuation.
func (r *assembly) word() string {
	start := r.pos
	for r.pos < len(r.text) && !isBlank(r.text[r.pos]) && !strings.ContainsRune("[]=;\"", rune(r.text[r.pos])) && (r.pos == start || r.text[r.pos] != '.') {
		r.pos++
	}
	if r.pos == start {
		r.pos++
	}
	return r.text[start:r.pos]
}

// toSection goes on to the next section.
func (r *assembly) toSection() {
	for r.pos < len(r.text) && r.sectionAt(r.pos) == "" {
		r.pos++
	}
}

// sectionAt returns the name of the section that starts at a place, "" where none does.
func (r *assembly) sectionAt(at int) string {
	if r.text[at] != '.' || at > 0 && !isBlank(r.text[at-1]) && r.text[at-1] != ';' {
		return ""
	}
	end := at + 1
	for end < len(r.text) && r.text[end]|0x20 >= 'a' && r.text[end]|0x20 <= 'z' {
		end++
	}
	if end < len(r.text) && isLabel("_"+r.text[end:end+1]) {
		return "" // a label that starts like a section
	}
	if name := strings.ToLower(r.text[at:end]); slices.Contains(sectionNames, name) {
		return name
	}
	return ""
}

// entries reads the entries of a section: what stands before each semicolon.
func (r *assembly) entries(section string, read func(section string, e *entry)) {
	for {
		r.skip()
		if r.pos >= len(r.text) || r.sectionAt(r.pos) != "" {
			return
		}
		e := r.entry()
		if e.number(r, r.facts.places[section], section) {
			read(section, e)
		}
	}
}

// entry is a line of a section: [NUMBER] and what follows.
type entry struct {
	start int
	n     int
	// text is what stands up to the semicolon, pos the place in it; it starts at start.
	text string
	pos  int
}

// entry takes the text up to a semicolon, or up to the next section where there is none.
func (r *assembly) entry() *entry {
	start := r.pos
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == '"':
			r.pos = quoteEnd(r.text, r.pos)
		case c == ';':
			r.pos++
			return &entry{start: start, text: r.text[start : r.pos-1]}
		case r.sectionAt(r.pos) != "":
			r.fail(diag.TextExpected, r.pos, r.pos+1, "expected ; before the next section")
			return &entry{start: start, text: r.text[start:r.pos]}
		}
		r.pos++
	}
	r.pos = len(r.text)
	r.fail(diag.TextExpected, len(r.text)-1, len(r.text), "the source ends, expected ;")
	return &entry{start: start, text: r.text[start:]}
}

func (e *entry) skip() {
	for e.pos < len(e.text) && isBlank(e.text[e.pos]) {
		e.pos++
	}
}

// fail reports what stands at the present place.
func (e *entry) fail(r *assembly, expected string) {
	rest := strings.TrimSpace(e.text[e.pos:])
	read := strconv.Quote(quote.Shorten(line(rest)))
	if rest == "" {
		read = "nothing"
	}
	r.fail(diag.TextExpected, e.start+e.pos, e.start+e.pos+len(line(rest)), "%s, expected %s", read, expected)
}

// take reads a character; it fails where another stands.
func (e *entry) take(r *assembly, c byte) bool {
	e.skip()
	if e.pos < len(e.text) && e.text[e.pos] == c {
		e.pos++
		return true
	}
	e.fail(r, strconv.QuoteRune(rune(c)))
	return false
}

// number reads [NUMBER], which must be less than the number of places.
func (e *entry) number(r *assembly, places int, section string) bool {
	if !e.take(r, '[') {
		return false
	}
	e.skip()
	start := e.pos
	for e.pos < len(e.text) && e.text[e.pos] >= '0' && e.text[e.pos] <= '9' {
		e.pos++
	}
	if start == e.pos {
		e.fail(r, "a number")
		return false
	}
	n, err := strconv.ParseUint(e.text[start:e.pos], 10, 32)
	if err != nil || n >= uint64(places) {
		r.fail(diag.TextRange, e.start+start, e.start+e.pos, "number %s is too large for %s, expected 0 to %d", quote.Shorten(e.text[start:e.pos]), section, places-1)
		return false
	}
	e.n = int(n)
	return e.take(r, ']')
}

// end fails where something is left.
func (e *entry) end(r *assembly) bool {
	if e.skip(); e.pos < len(e.text) {
		e.fail(r, "';'")
		return false
	}
	return true
}

// define notes that a place has its value; it fails where it has one already.
func (r *assembly) define(p place, e *entry, what string) bool {
	span := diag.Span{Src: r.src, Off: e.start, End: e.start + len(strings.TrimRight(e.text, " \t\r\n"))}
	if old, ok := r.defined[p]; ok {
		r.errs = append(r.errs, diag.Errorf(diag.Duplicate, span, "there is already a %s", what).With(old, "the first one"))
		return false
	}
	r.defined[p] = span
	return true
}

// nameEntry reads = "NAME".
func (r *assembly) nameEntry(section string, e *entry) {
	if !e.take(r, '=') || !e.take(r, '"') {
		return
	}
	start := e.pos
	n := strings.IndexByte(line(e.text[start:]), '"')
	if n < 0 {
		e.fail(r, "a name that ends with a quote on the same line")
		return
	}
	e.pos += n + 1
	if e.end(r) && r.define(place{section, e.n, 0}, e, "name for this number in "+section) {
		list := r.out.Program.list(section)
		name := strings.TrimRight(e.text[start:start+n], "\r")
		*list = append(*list, Name{e.n, name})
		r.declare(section, e.n, name, r.defined[place{section, e.n, 0}])
	}
}

// declare notes where the source declares a register of the file that a section is of.
func (r *assembly) declare(section string, number int, name string, span diag.Span) {
	for _, f := range r.set.Files() {
		if f.Of == nil && f.Use == sectionUses[section] {
			r.out.declared = append(r.out.declared, program.Declaration{Name: name, File: f.Name, Number: number, Count: 1, Span: span})
			return
		}
	}
}

// sectionUses say what the registers are for that a section is of.
var sectionUses = map[string]string{"attributes": "input", "exports": "output", "uniforms": "constant", "constants": "constant"}

// constant reports whether a component of a constant other than that has a value.
func (r *assembly) constant(number, component int) bool {
	for k := range r.facts.components {
		if _, ok := r.defined[place{"constants", number, k}]; ok && k != component {
			return true
		}
	}
	return false
}

// constantEntry reads .COMPONENT = VALUE.
func (r *assembly) constantEntry(section string, e *entry) {
	if !e.take(r, '.') {
		return
	}
	e.skip()
	component := -1
	if e.pos < len(e.text) {
		component = strings.IndexByte(r.facts.components, e.text[e.pos]|0x20)
	}
	if component < 0 {
		letters := strings.Split(r.facts.components, "")
		last := len(letters) - 1
		e.fail(r, "a component, "+strings.Join(letters[:last], ", ")+" or "+letters[last])
		return
	}
	e.pos++
	if !e.take(r, '=') {
		return
	}
	if value, ok := e.value(r); ok && r.define(place{section, e.n, component}, e, "value for this component") {
		if r.out.Program.Constants = append(r.out.Program.Constants, Constant{e.n, component, value}); !r.constant(e.n, component) {
			r.declare(section, e.n, "", r.defined[place{section, e.n, component}])
		}
	}
}

// value reads a number: decimal, perhaps with a point and an exponent, or the bits of a float as
// hexadecimal with 0x.
func (e *entry) value(r *assembly) (uint32, bool) {
	e.skip()
	start := e.pos
	text := strings.TrimRight(e.text[start:], " \t\r\n\f\v")
	span := func() (int, int) { return e.start + start, e.start + start + len(text) }
	lower := strings.ToLower(text)
	if digits, ok := strings.CutPrefix(lower, "0x"); ok {
		v, err := strconv.ParseUint(digits, 16, 32)
		if err == nil {
			return uint32(v), true
		}
		off, end := span()
		if errors.Is(err, strconv.ErrRange) {
			r.fail(diag.TextRange, off, end, "%s does not fit 32 bits", quote.Shorten(text))
		} else {
			r.fail(diag.TextExpected, off, end, "%q, expected hexadecimal digits after 0x", quote.Shorten(text))
		}
		return 0, false
	}
	v, err := strconv.ParseFloat(lower, 32)
	off, end := span()
	switch {
	case text == "" || strings.Trim(lower, "0123456789+-.e") != "" || err != nil && !errors.Is(err, strconv.ErrRange):
		e.fail(r, "a number such as 1.5, -2e3 or 0x3f800000")
		return 0, false
	case err != nil:
		r.fail(diag.TextRange, off, end, "%s does not fit a float", quote.Shorten(text))
		return 0, false
	}
	if v != 0 && strings.Trim(lower, "0123456789") == "" {
		span := diag.Span{Src: r.src, Off: off, End: end}
		r.warn(diag.ReadDiffers, span, "%s is %[1]s.0; grate reads it as the bits 0x%08x", text, uint32(v))
	}
	return math.Float32bits(float32(v)), true
}

// isago reads a directive of this assembler: no-end or long.
func (r *assembly) isago() {
	r.skip()
	start := r.pos
	for r.pos < len(r.text) && !isBlank(r.text[r.pos]) && r.text[r.pos] != ';' {
		r.pos++
	}
	switch word := r.text[start:r.pos]; word {
	case "no-end":
		r.open = true
	case "long":
		r.long = true
	default:
		r.fail(diag.Directive, start, r.pos, "unknown directive .isago %s, expected no-end or long", quote.Shorten(word))
	}
}

// code takes the statements of an .asm section: labels, and text up to a semicolon with its suffix.
func (r *assembly) code() {
	r.statements = slices.Grow(r.statements, strings.Count(r.text[r.pos:], ";")+1)
	for r.skip(); r.pos < len(r.text) && r.sectionAt(r.pos) == ""; r.skip() {
		start := r.pos
		r.pos = r.statementEnd()
		end := r.pos
		if r.pos < len(r.text) && r.text[r.pos] == ';' {
			r.pos++
			if end = r.pos; isData(r.text[start:end]) {
				end--
			}
			if r.suffix() {
				end = r.pos
			}
		}
		r.statements = append(r.statements, program.Statement{Off: int64(start), Text: r.text[start:end]})
	}
}

// statementEnd returns where the statement ends that starts at the present place: at its semicolon, or before the
// next section.
func (r *assembly) statementEnd() int {
	for at, text := r.pos, r.text; ; at++ {
		for at < len(text) && !mayEnd[text[at]] {
			at++
		}
		if at == len(text) || text[at] == ';' || r.sectionAt(at) != "" {
			return at
		}
	}
}

// mayEnd has the bytes before which a statement may end.
var mayEnd = [256]bool{';': true, '.': true}

// isData reports whether a statement, after its labels, is a directive that gives words: it has no semicolon of its
// own.
func isData(text string) bool {
	if strings.IndexByte(text, ':') >= 0 {
		text = text[strings.LastIndexByte(text, ':')+1:]
	}
	at := 0
	for at < len(text) && (isBlank(text[at]) || text[at] == ';') {
		at++
	}
	return at == len(text) || text[at] == '.'
}

// suffix takes what stands in braces after a semicolon.
func (r *assembly) suffix() bool {
	at := r.pos
	for at < len(r.text) && isBlank(r.text[at]) {
		at++
	}
	if at == len(r.text) || r.text[at] != '{' {
		return false
	}
	n := strings.IndexByte(r.text[at:], '}')
	if n < 0 {
		return false
	}
	r.pos = at + n + 1
	return true
}
