package asm

import (
	"bytes"
	"fmt"
	mathbits "math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Error is a text that is no instruction: what is wrong and where.
type Error struct {
	Code diag.Code
	// Off and End are the place in the text, in bytes.
	Off, End int
	Msg      string
	// Bits are those of the word that would have to be two things at once; none where there are no such
	// bits, or these are part of a computed value.
	Bits bits.Value
	// Candidates are the instructions as which most of the text could be read, up to the mistake.
	Candidates []*isa.Leaf
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("%s [%s]", diag.Brief(e.Msg), e.Code) }

// Shifted returns an error in a text as one in a text in which that stands at byte by.
func Shifted(err error, by int) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	moved := *e
	moved.Off, moved.End = e.Off+by, e.End+by
	return &moved
}

// At places the error in a source in which the text starts at byte base.
func (e *Error) At(src *diag.Source, base int) *diag.Error {
	return &diag.Error{Code: e.Code, Span: diag.Span{Src: src, Off: base + e.Off, End: base + e.End}, Msg: e.Msg}
}

// failure collects, while a text is read for the second time, why it cannot be read.
type failure struct {
	m        *matcher // that reads it
	pos      int
	expected []string
	code     diag.Code
	// msg is a reason other than what stands at pos: what stands at msgPos was read up to msgEnd.
	msg            string
	msgPos, msgEnd int
	bits           bits.Value
	// nodes are the places in the grammar of instructions at pos, msgNodes those of msg.
	nodes, msgNodes []*node
	// body is the text as given, and origins the text that each entry of the trail comes from.
	body    []byte
	origins []origin
}

// origin is the text that has fixed bits of the width from low on.
type origin struct {
	textRange
	low, width int
}

// textRange is a place of the collapsed text; it is empty for bits that no text gives.
type textRange struct{ pos, end int }

// failAt notes a reason that concerns the text from pos up to end; the one that was found after most of the text was
// read is kept.
func (f *failure) failAt(code diag.Code, pos, end int, format string, args ...any) {
	if f == nil {
		return
	}
	if f.msg == "" || end > f.msgEnd {
		f.code, f.msgPos, f.msgEnd, f.msg, f.bits = code, pos, end, fmt.Sprintf(format, args...), bits.Value{}
		f.msgNodes = f.msgNodes[:0]
	}
	if n := f.m.outer(); end == f.msgEnd && !slices.Contains(f.msgNodes, n) {
		f.msgNodes = append(f.msgNodes, n)
	}
}

// noteOrigins remembers what text has just fixed the bits of the trail from mark on.
func (f *failure) noteOrigins(mark int, o origin) {
	for len(f.origins) < mark { // by no text
		f.origins = append(f.origins, origin{})
	}
	f.origins = f.origins[:mark]
	for range f.m.trail[mark:] {
		f.origins = append(f.origins, o)
	}
}

// readUpTo returns the place of the piece of text that is being read and ends at end.
func (f *failure) readUpTo(end int) textRange { return textRange{min(f.m.skipBlank(), end), end} }

// conflict says which bits, of those of the mask from one on, would have to be two things at once, and by what text: the
// first run of which one is known to be different.
func (f *failure) conflict(sp uint8, from int, v, mask uint64, end int) {
	var low, width int
	var is, want uint64
	for s := &f.m.spaces[sp]; is == want && mask != 0; mask &^= ones(width) << uint(low-from) {
		at := mathbits.TrailingZeros64(mask)
		low, width = from+at, mathbits.TrailingZeros64(^(mask >> uint(at)))
		known := s.known.Uint(low, width)
		is, want = s.val.Uint(low, width)&known, v>>uint(at)&known
	}
	here := f.readUpTo(end)
	by := func(r textRange) string {
		if r.pos >= r.end || r.end > len(f.m.raw) {
			return ""
		}
		return fmt.Sprintf(" by %q", f.m.raw[r.pos:r.end])
	}
	first, column, run := "", "", bits.Range(low, width)
	for i, u := range f.m.trail {
		if i >= len(f.origins) || u.space != sp || bits.Of(u.set).Shl(64*int(u.limb)).And(run) == (bits.Value{}) {
			continue
		}
		if o := f.origins[i].textRange; by(o) != "" {
			first, column = by(o), fmt.Sprintf(" at column %d", original(f.body, o.pos)+1)
		}
	}
	meaning := ""
	if sp == spaceWord {
		meaning = f.common(func(f *spec.Field) bool { return run.AndNot(maskOf(f.Parts)) == (bits.Value{}) })
	}
	f.failAt(diag.TextConflict, here.pos, end, "bits %d..%d would have to be %#x%s%s and %#x%s%s", low, low+width-1, is, first, column, want, by(here), meaning)
	if sp == spaceWord && f.msgPos == here.pos && f.msgEnd == end {
		f.bits = run
	}
}

// mentioned tells of a field of all instructions that an expression names.
func (f *failure) mentioned(e *spec.Expr) string {
	return f.common(func(f *spec.Field) bool { return slices.Contains(e.Fetch(), f.Name) })
}

// common tells of a field of the word that all instructions have, if it is documented.
func (f *failure) common(is func(f *spec.Field) bool) string {
	leaves := f.m.root.Leaves
	for b := leaves[0].Spec; b != nil; b = b.Extends {
		if slices.ContainsFunc(leaves, func(l *model.Leaf) bool { return !l.Spec.Under(b) }) {
			continue
		}
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Doc != "" && len(f.Parts) > 0 && is(f) {
					return fmt.Sprintf(" (%s: %s)", f.Name, sentence(f.Doc))
				}
			}
		}
	}
	return ""
}

// sentence returns the first sentence of a text, without its full stop.
func sentence(doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	doc, _, _ = strings.Cut(doc, ". ")
	return strings.TrimSuffix(doc, ".")
}

// expect notes what could have stood at pos.
func (f *failure) expect(pos int, what string) {
	switch {
	case f == nil || pos < f.pos:
		return
	case pos > f.pos:
		f.pos, f.expected, f.nodes = pos, []string{what}, []*node{f.m.outer()}
		return
	}
	if n := f.m.outer(); !slices.Contains(f.nodes, n) {
		f.nodes = append(f.nodes, n)
	}
	if !slices.Contains(f.expected, what) {
		f.expected = append(f.expected, what)
	}
}

// outer returns the place in the grammar of instructions, whatever operand is being read.
func (m *matcher) outer() *node {
	n := m.node
	for f := m.frame; f >= 0 && int(f) < len(m.frames) && m.frames[f].parent >= 0; f = m.frames[f].parent {
		n = m.frames[f].ret
	}
	return n
}

// maxCandidates bounds the instructions that an error names.
const maxCandidates = 4

// candidates lists the instructions that texts from the places on can be; none where there are too many.
func (f *failure) candidates(nodes []*node) []*isa.Leaf {
	var list []*isa.Leaf
	for _, n := range nodes {
		if n == nil {
			continue
		}
		for _, b := range n.branches {
			if b.of.reduction == nil { // the member of a set
				continue
			}
			if l := f.m.leaves[b.of.reduction.unit.Leaf.ID]; !slices.Contains(list, l) {
				list = append(list, l)
			}
			if len(list) > maxCandidates {
				return nil
			}
		}
	}
	slices.SortFunc(list, func(x, y *isa.Leaf) int { return x.ID - y.ID })
	return list
}

func (f *failure) expectItem(pos int, it *item) {
	if f == nil {
		return
	}
	if it.kind == itemEnum {
		if words := it.words.list(); len(words) > 0 && len(words) <= mostAlternatives { // of which some may stand here otherwise too
			for _, w := range words {
				f.expect(pos, strconv.Quote(w))
			}
			return
		}
	}
	f.expect(pos, f.describe(it))
}

func (f *failure) expectLiterals(n *node, pos int) {
	for _, e := range n.edges {
		if e.item.kind == itemLiteral {
			f.expectItem(pos, &e.item)
		}
	}
}

// describe says what an item reads, for an error.
func (f *failure) describe(it *item) string {
	ref := it.ref
	switch {
	case it.kind == itemLiteral:
		return strconv.Quote(it.text)
	case it.kind == itemEnum:
		return oneOf(it.words.list(), 10)
	case it.kind == itemBranch:
		return "a label or a number"
	}
	return "a number for " + it.name + " (" + f.m.limits(ref, ref.Kind == spec.KindHex) + ")"
}

// list returns the texts of a trie.
func (t *trie) list() (words []string) {
	for i := range t.words {
		if text := t.words[i].text; text != "" {
			words = append(words, text)
		}
	}
	return words
}

// oneOf names some words, at most so many of them.
func oneOf(words []string, most int) string {
	switch n := len(words); {
	case n == 0:
		return "nothing"
	case n > most:
		return fmt.Sprintf("one of %s and %d more", strings.Join(words[:most], ", "), n-most)
	}
	return "one of " + strings.Join(words, ", ")
}

// limits describes the numbers that fit a field, in hexadecimal if so wanted.
func (sv *solver) limits(ref *model.Ref, hex bool) string {
	w := uint(min(max(readWidth(ref), 1), 64))
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		if hex {
			return fmt.Sprintf("-%#x to %#x", uint64(1)<<(w-1), uint64(1)<<(w-1)-1)
		}
		return fmt.Sprintf("%d to %d", int64(-1)<<(w-1), int64(1)<<(w-1)-1)
	case spec.KindFloat:
		if floatWidth(ref) == 16 {
			return "-65504 to 65504, inf or nan"
		}
		return "-3.4028235e+38 to 3.4028235e+38, inf or nan"
	}
	most := ones(int(w))
	switch {
	case ref.Width > 64:
		return fmt.Sprintf("a number of %d bits", ref.Width)
	case ref.Prog != nil:
		most &= sv.possible(ref.Prog.Root)
	}
	if hex {
		return fmt.Sprintf("0x0 to %#x", most)
	}
	return fmt.Sprintf("0 to %d", most)
}

// explain reads the text again to find out why it is no instruction.
func (p *Parser) explain(body []byte) *Error {
	if p.steps > maxSteps || p.work > MaxWork {
		return &Error{Code: diag.TextAmbiguous, End: len(body), Msg: "too many ways to read this line"}
	}
	f := &failure{m: &p.matcher, body: body}
	p.failure = f
	defer func() { p.failure = nil }()
	if len(p.src) == 0 {
		return &Error{Code: diag.TextExpected, End: len(body), Msg: "nothing, expected an instruction"}
	}
	p.unspent()
	p.run()
	if p.wrong != nil {
		e := *p.wrong
		e.Off, e.End = original(body, e.Off), original(body, e.End-1)+1
		return &e
	}
	pos := f.pos
	e := &Error{Code: diag.TextExpected}
	switch {
	case f.msg != "" && (f.msgEnd > f.pos || f.msgEnd == f.pos && f.pos > 0 && (f.code == diag.TextRange || f.pos >= len(p.src))):
		e.Code, e.Msg, e.Bits, pos = f.code, f.msg, f.bits, f.msgPos
		e.Candidates = f.candidates(f.msgNodes)
	case f.pos == 0:
		e.Code = diag.TextUnknown
		e.Msg = f.unknown()
	default:
		e.Candidates = f.candidates(f.nodes)
		e.Msg = f.unexpected() + p.outputRead(f)
	}
	e.Off = original(body, pos)
	e.End = max(e.Off+1, symbolEnd(body, e.Off))
	return e
}

// symbolEnd returns the end of the bytes of names that stand at pos.
func symbolEnd(text []byte, pos int) int {
	for pos < len(text) && isSymbolByte(text[pos], false) {
		pos++
	}
	return pos
}

// unexpected says what stands where the text could not be read further, and what could stand there.
// Where that is a blank, what stands before it belongs to it.
func (f *failure) unexpected() string {
	start, end := bytes.LastIndexByte(f.m.raw[:f.pos], ' ')+1, symbolEnd(f.m.raw, f.pos)
	blank := slices.Index(f.expected, aBlank)
	if blank < 0 || start == f.pos || end == f.pos {
		return fmt.Sprintf("%s, expected %s", f.readAt(f.pos), alternatives(f.expected))
	}
	list := slices.Clone(f.expected)
	list[blank] = fmt.Sprintf("%s behind %q", aBlank, f.m.raw[start:f.pos])
	return fmt.Sprintf("%q, expected %s", f.m.raw[start:end], alternatives(list))
}

// aBlank is what an error calls a blank.
const aBlank = "a blank"

// readAt quotes what stands at pos.
func (f *failure) readAt(pos int) string {
	if pos+1 < len(f.m.raw) && f.m.raw[pos] == ' ' {
		pos++
	}
	if pos >= len(f.m.raw) {
		return "the line ends here"
	}
	_, n := utf8.DecodeRune(f.m.raw[pos:])
	return strconv.Quote(string(f.m.raw[pos:max(pos+n, symbolEnd(f.m.raw, pos))]))
}

// mostAlternatives bounds what is named of what could have stood at a place.
const mostAlternatives = 6

// alternatives joins what could have stood at a place.
func alternatives(list []string) string {
	const most = mostAlternatives
	switch {
	case len(list) == 0:
		return "something else"
	case len(list) == 1:
		return list[0]
	case len(list) > most:
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" or one of %d more", len(list)-most)
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// unknown says that no instruction starts like the text, and which starts most like it.
func (f *failure) unknown() string {
	word, _, _ := strings.Cut(string(f.m.raw), " ")
	machine := inside.Machine(f.m.set).ISA
	if hint := machine.Hint(word); hint != "" {
		name := machine.Name
		if name == "" {
			name = "the machine"
		}
		return fmt.Sprintf("%s has no %s: %s", name, word, hint)
	}
	if where := f.notFirst(word); where != "" {
		return where
	}
	var names []string
	for _, l := range f.m.leaves {
		names = append(names, l.Mnemonics()...)
	}
	return fmt.Sprintf("no instruction starts with %q%s", diag.Shorten(word), diag.DidYouMean(word, names))
}

// notFirst says how an instruction is written whose mnemonic starts the text but no line, or which is one
// of another root; "" where there is none.
func (f *failure) notFirst(word string) string {
	for _, r := range f.m.set.InstructionRoots() {
		forms := r.Forms(word)
		if len(forms) == 0 {
			continue
		}
		form := strings.Join(strings.Fields(forms[0].Template()), " ")
		if r.Name == f.m.root.Name {
			return fmt.Sprintf("no instruction starts with %q; its form is %s", word, form)
		}
		return fmt.Sprintf("no instruction of %s starts with %q; it is one of %s: %s", strings.TrimPrefix(f.m.root.Name, "#"), word, strings.TrimPrefix(r.Name, "#"), form)
	}
	return ""
}

// original maps a place of the collapsed text back to the text as it was given.
func original(body []byte, pos int) int {
	n, blank := 0, true
	for i, c := range body {
		isBlank := strings.IndexByte(blanks, c) >= 0
		if isBlank && blank {
			continue
		}
		if n == pos && isBlank && i+1 < len(body) {
			return i + 1
		} else if n == pos {
			return i
		}
		blank = isBlank
		n++
	}
	return len(body)
}
