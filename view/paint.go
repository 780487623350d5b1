package view

import (
	"bytes"
	"strings"

	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Source appends the source of a program in colour. Source contains names and directives in addition to instructions, so the kind
// of a word follows from the words of the description: mnemonics, register files, and the text of its displays.
func (p Palette) Source(dst []byte, set *isa.Set, text []byte) []byte {
	if !p.on {
		return append(dst, text...)
	}
	s := newSourcePainter(p, set)
	for line := range bytes.Lines(text) {
		s.define(string(line))
	}
	for line := range bytes.Lines(text) {
		dst = s.line(dst, string(line))
	}
	return dst
}

// sourcePainter colours the lines of a source.
type sourcePainter struct {
	Palette
	set     *isa.Set
	comment string
	// kinds has the words that the description or the source defines.
	kinds map[string]isa.TokenKind
	files map[string]bool
}

func newSourcePainter(p Palette, set *isa.Set) *sourcePainter {
	s := &sourcePainter{Palette: p, set: set, comment: program.Comment(set), kinds: map[string]isa.TokenKind{}, files: map[string]bool{}}
	for _, f := range set.Files() {
		s.files[strings.ToLower(f.Name)] = true
	}
	for _, m := range set.Memories() {
		s.files[strings.ToLower(m.Name)] = true
	}
	for _, r := range set.InstructionRoots() {
		for _, l := range r.Leaves {
			for _, m := range l.Mnemonics() {
				s.kinds[m] = isa.TokenMnemonic
			}
		}
	}
	return s
}

// Patterns of source: the label at the start of a line, a directive, and the words and numbers of a line with the characters that
// may come before or in them.
var (
	sourceLabel     = lazy.Regexp(`^\s*([A-Za-z_$.][\w$.]*):`)
	sourceDirective = lazy.Regexp(`^\s*(\.[A-Za-z]\w*)`)
	sourceWord      = lazy.Regexp(`"(?:[^"\\]|\\.)*"?|\d[\w.]*|[.$%@#]?[A-Za-z_][\w$]*`)
	sourceRegister  = lazy.Regexp(`^[$%@#]?([A-Za-z_]+?)(\d+[hlHL]?)?$`)
)

// define records the names that a line defines: its label, and the words of a directive.
func (s *sourcePainter) define(line string) {
	code := program.StripComment(line, s.comment)
	if m := sourceLabel().FindStringSubmatch(code); m != nil && !s.set.MayPrint(m[1]+":") {
		s.name(m[1])
	}
	at := sourceDirective().FindStringIndex(code)
	if at == nil {
		return
	}
	for _, word := range sourceWord().FindAllString(code[at[1]:], -1) {
		if !strings.ContainsAny(word[:1], `.".0123456789`) && !s.register(word) {
			s.name(word)
		}
	}
}

// name records a word as a name of the source, unless the description defines the word.
func (s *sourcePainter) name(word string) {
	if _, known := s.kinds[word]; !known {
		s.kinds[word] = isa.TokenLabel
	}
}

// line appends a line in colour.
func (s *sourcePainter) line(dst []byte, line string) []byte {
	code := program.StripComment(line, s.comment)
	directive := sourceDirective().FindStringIndex(code) != nil
	at := 0
	for i, m := range sourceWord().FindAllStringIndex(code, -1) {
		dst = append(dst, code[at:m[0]]...)
		word := code[m[0]:m[1]]
		at = m[1]
		kind := s.kind(word, code[at:])
		if kind == isa.TokenMnemonic && i > 0 && strings.HasPrefix(code[at:], ".") { // it has components
			kind = isa.TokenRegister
		}
		if kind == isa.TokenModifier && word[0] == '.' && !directive { // a swizzle: the dot separates
			dst = append(dst, '.')
			word = word[1:]
		}
		dst = append(dst, s.paint(tokenColours[kind], word)...)
	}
	dst = append(dst, code[at:]...)
	if rest := line[len(code):]; rest != "" {
		ending := len(strings.TrimRight(rest, "\r\n"))
		dst = append(dst, s.paint(dim, rest[:ending])...)
		dst = append(dst, rest[ending:]...)
	}
	return dst
}

// kind returns the kind of a word that is followed by the rest of a line.
func (s *sourcePainter) kind(word, rest string) isa.TokenKind {
	kind, known := s.kinds[word]
	switch {
	case known:
		return kind
	case word[0] == '"', word[0] >= '0' && word[0] <= '9':
		return isa.TokenImmediate
	case s.register(word), strings.HasPrefix(rest, "["):
		return isa.TokenRegister
	}
	return isa.TokenModifier
}

// register reports whether a word is the name of a register: the name of a register file and a number. A name of one
// letter without a number needs a sigil, which distinguishes the register from other words.
func (s *sourcePainter) register(word string) bool {
	m := sourceRegister().FindStringSubmatch(word)
	return m != nil && s.files[strings.ToLower(m[1])] && (m[2] != "" || len(m[1]) > 1 || word[0] != m[1][0])
}
