package tegra

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/isa"
)

// containerMagic starts a container; a version follows.
const containerMagic = "tegra-vp "

// containerVersion is the version that is written, and the only one that is read.
const containerVersion = "1"

// IsContainer reports whether a file is a container.
func IsContainer(data []byte) bool { return strings.HasPrefix(string(data), containerMagic) }

// AppendContainer appends a program as a container: lines of text, which docs/tegra.md describes.
func AppendContainer(dst []byte, set *isa.Set, p *Program) []byte {
	dst = append(append(append(dst, containerMagic...), containerVersion...), '\n')
	for _, s := range nameLines {
		for _, n := range *s.list(p) {
			dst = fmt.Appendf(dst, "%s %d %s\n", s.keyword, n.Number, strconv.Quote(n.Name))
		}
	}
	components := componentsOf(set)
	for _, c := range p.Constants {
		dst = fmt.Appendf(dst, "constant %d.%c %08x\n", c.Number, components[c.Component], c.Bits)
	}
	dst = append(dst, "code\n"...)
	for _, w := range p.Words {
		dst = append(program.AppendWords(dst, set, w, wordBits), '\n')
	}
	return dst
}

// nameLines are the lines of a container that give names, and how many numbers there are.
var nameLines = []struct {
	keyword, places string
	list            func(p *Program) *[]Name
}{
	{"attribute", "attributes", func(p *Program) *[]Name { return &p.Attributes }},
	{"export", "exports", func(p *Program) *[]Name { return &p.Exports }},
	{"uniform", "uniforms", func(p *Program) *[]Name { return &p.Uniforms }},
	{"label", "instructions", func(p *Program) *[]Name { return &p.Labels }},
}

// ReadContainer reads a container. Its errors have a position.
func ReadContainer(set *isa.Set, src *diag.Source) (*Program, error) {
	f, err := factsOf(set)
	if err != nil {
		return nil, err
	}
	r := containerReader{set: set, facts: f, src: src, seen: map[string]bool{}}
	off := 0
	for line := range strings.Lines(src.Text) {
		text := strings.TrimRight(line, "\r\n")
		span := diag.Span{Src: src, Off: off, End: off + len(text)}
		if off == 0 {
			if text != containerMagic+containerVersion {
				return nil, diag.Errorf(diag.FileFormat, span, "the first line is %q, expected %q", quote.Shorten(text), containerMagic+containerVersion)
			}
		} else if err := r.line(text, span); err != nil {
			return nil, err
		}
		off += len(line)
	}
	if !r.code {
		return nil, diag.Errorf(diag.FileFormat, diag.Span{Src: src, Off: len(src.Text), End: len(src.Text)}, "the line \"code\" is missing")
	}
	for i, l := range r.p.Labels {
		if l.Number > len(r.p.Words) {
			return nil, diag.Errorf(diag.TextRange, r.labels[i], "label %d, but the program ends at %d", l.Number, len(r.p.Words))
		}
	}
	r.p.sort()
	return &r.p, nil
}

type containerReader struct {
	set   *isa.Set
	facts *facts
	src   *diag.Source
	p     Program
	// code is set if the words have begun.
	code bool
	// labels are the lines of labels, in their order.
	labels []diag.Span
	// seen are the lines that must not come twice, without their value.
	seen map[string]bool
}

// line reads a line after the first.
func (r *containerReader) line(text string, span diag.Span) error {
	if text = strings.TrimSpace(withoutComment(text)); text == "" {
		return nil
	}
	if r.code {
		return r.word(text, span)
	}
	keyword, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case text == "code":
		r.code = true
		return nil
	case keyword == "constant":
		return r.constant(rest, span)
	}
	for _, s := range nameLines {
		if keyword == s.keyword {
			return r.name(s.list(&r.p), keyword, r.places(s.places), rest, span)
		}
	}
	return diag.Errorf(diag.FileFormat, span, "unknown keyword %q, expected attribute, export, uniform, label, constant or code", quote.Shorten(keyword))
}

// withoutComment returns a line up to a # that stands in no quotes.
func withoutComment(text string) string {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '#' && !quoted:
			return text[:i]
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		}
	}
	return text
}

// maxLabel is the highest number that a label may have: a file may hold more instructions than the
// machine has room for.
const maxLabel = 1<<16 - 1

// places returns how many numbers there are of what lines of a file name.
func (r *containerReader) places(section string) int {
	if section == "instructions" {
		return maxLabel + 1
	}
	return r.facts.places[section]
}

func (r *containerReader) word(text string, span diag.Span) error {
	line, err := program.ParseLine(r.set, text)
	switch {
	case err != nil:
		return diag.Errorf(diag.HexSyntax, span, "%q, expected four words of 32 bits in hexadecimal", quote.Shorten(text))
	case line.Bits != wordBits || len(line.Entries) > 0:
		return diag.Errorf(diag.HexSize, span, "%q, expected four words of 32 bits in hexadecimal", quote.Shorten(text))
	}
	r.p.Words = append(r.p.Words, line.Word)
	return nil
}

// name reads NUMBER "NAME". A number has one name, but an instruction may have several labels.
func (r *containerReader) name(list *[]Name, keyword string, places int, text string, span diag.Span) error {
	number, quoted, _ := strings.Cut(text, " ")
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return diag.Errorf(diag.FileFormat, span, "%q, expected a number and a quoted name", quote.Shorten(text))
	}
	if n >= uint64(places) {
		return diag.Errorf(diag.TextRange, span, "%s %d, expected 0 to %d", keyword, n, places-1)
	}
	name, err := strconv.Unquote(strings.TrimSpace(quoted))
	if err != nil || !isName(name) {
		return diag.Errorf(diag.FileFormat, span, "%s, expected a quoted name without quotes and line breaks in it", quote.Shorten(quoted))
	}
	key := fmt.Sprint(keyword, n)
	if keyword == "label" {
		if key = keyword + name; !isLabel(name) {
			return diag.Errorf(diag.FileFormat, span, "label %q, expected letters, digits, _, $ and dots, a letter, _ or $ first", quote.Shorten(name))
		}
		r.labels = append(r.labels, span)
	}
	if r.seen[key] {
		return diag.Errorf(diag.Duplicate, span, "%s %s is declared twice", keyword, quote.Shorten(text))
	}
	r.seen[key] = true
	*list = append(*list, Name{int(n), name})
	return nil
}

// constant reads NUMBER.COMPONENT BITS.
func (r *containerReader) constant(text string, span diag.Span) error {
	place, hex, _ := strings.Cut(text, " ")
	number, component, _ := strings.Cut(place, ".")
	n, err := strconv.ParseUint(number, 10, 32)
	at := -1
	if len(component) == 1 {
		at = strings.Index(r.facts.components, component)
	}
	value, hexErr := strconv.ParseUint(strings.TrimSpace(hex), 16, 32)
	switch {
	case err != nil || at < 0 || hexErr != nil:
		return diag.Errorf(diag.FileFormat, span, "%q, expected NUMBER.COMPONENT and 32 bits in hexadecimal", quote.Shorten(text))
	case n >= uint64(r.facts.places["constants"]):
		return diag.Errorf(diag.TextRange, span, "constant %d, expected 0 to %d", n, r.facts.places["constants"]-1)
	case r.seen[place]:
		return diag.Errorf(diag.Duplicate, span, "constant %s has two values", place)
	}
	r.seen[place] = true
	r.p.Constants = append(r.p.Constants, Constant{int(n), at, uint32(value)})
	return nil
}

// isName reports whether a name can stand between quotes in source, which knows no escapes.
func isName(s string) bool { return !strings.ContainsAny(s, "\"\r\n") }

// isLabel reports whether a name can stand before a colon, and is kept in files.
func isLabel(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
