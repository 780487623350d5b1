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
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Error is the reason why a text is not an instruction, with its position in the text.
type Error struct {
	Code diag.Code
	// Off and End delimit the faulty part of the text, in bytes.
	Off, End int
	Msg      string
	// Bits is the mask of the word bits for which two parts of the text require different values. It is zero for other
	// errors, and for conflicts outside the word.
	Bits bits.Value
	// Candidates holds the instructions that match the text up to the error. It is empty if more than four instructions
	// match.
	Candidates []*isa.Leaf
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("%s [%s]", quote.Brief(e.Msg), e.Code) }

// Shifted returns an *Error with by added to its offsets, for a text that is part of another text. It returns other
// errors unchanged.
func Shifted(err error, by int) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	moved := *e
	moved.Off, moved.End = e.Off+by, e.End+by
	return &moved
}

// At converts the error to a diag.Error in src. The text starts at byte base of src.
func (e *Error) At(src *diag.Source, base int) *diag.Error {
	return &diag.Error{Code: e.Code, Span: diag.Span{Src: src, Off: base + e.Off, End: base + e.End}, Msg: e.Msg}
}

// failure collects the reasons why a text cannot be parsed, while the text is parsed a second time.
type failure struct {
	m *matcher // the matcher that parses the text
	// pos is the furthest position at which parsing stopped. expected lists the items that could have been at pos.
	pos      int
	expected []*item
	code     diag.Code
	// msg is another reason: the text from msgPos to msgEnd was recognised, but has no valid value.
	msg            string
	msgPos, msgEnd int
	bits           bits.Value
	// nodes are the states of the grammar of instructions at pos. msgNodes are the states for msg.
	nodes, msgNodes []*node
	// body is the text as given. origins has an element for each entry of the trail: the text that set the bits of the
	// entry.
	body    []byte
	origins []origin
}

// origin is the text that set a run of width bits, whose first bit is low.
type origin struct {
	textRange
	low, width int
}

// textRange is a range of the collapsed text. It is empty for bits that no text specifies.
type textRange struct{ pos, end int }

// failAt records a reason for rejecting the text from pos to end. It keeps only the reason with the largest end. If
// several reasons have the same end, it keeps the first one.
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

// noteOrigins records o as the origin of all trail entries since the trail had the length mark.
func (f *failure) noteOrigins(mark int, o origin) {
	for len(f.origins) < mark { // set by no text
		f.origins = append(f.origins, origin{})
	}
	f.origins = f.origins[:mark]
	for range f.m.trail[mark:] {
		f.origins = append(f.origins, o)
	}
}

// readUpTo returns the range of the text from the current position, after an optional blank, to end.
func (f *failure) readUpTo(end int) textRange { return textRange{min(f.m.skipBlank(), end), end} }

// conflict records that two parts of the text require different values of the same bits. The reason quotes both parts.
// The bits are the first run in mask in which v differs from a known bit. Bit 0 of v and mask corresponds to the bit of
// space sp whose number is from.
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

// mentioned describes the first documented field that an expression reads and that all instructions have. It returns ""
// if there is none.
func (f *failure) mentioned(e *spec.Expr) string {
	return f.common(func(f *spec.Field) bool { return slices.Contains(e.FieldNames(), f.Name) })
}

// common describes the first documented field that all instructions have and for which is returns true. It returns ""
// if there is none.
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

// expect records that an item could have been at pos. It keeps only the items for the furthest pos.
func (f *failure) expect(pos int, it *item) {
	switch {
	case f == nil || pos < f.pos:
		return
	case pos > f.pos:
		f.pos, f.expected, f.nodes = pos, []*item{it}, []*node{f.m.outer()}
		return
	}
	if n := f.m.outer(); !slices.Contains(f.nodes, n) {
		f.nodes = append(f.nodes, n)
	}
	if !slices.Contains(f.expected, it) {
		f.expected = append(f.expected, it)
	}
}

// outer returns the current state in the grammar of instructions. Inside an operand, it is the state after the operand.
func (m *matcher) outer() *node {
	n := m.node
	for f := m.frame; f >= 0 && int(f) < len(m.frames) && m.frames[f].parent >= 0; f = m.frames[f].parent {
		n = m.frames[f].ret
	}
	return n
}

// maxCandidates limits the instructions that an error names.
const maxCandidates = 4

// candidates returns the instructions whose templates lead through nodes. It returns nil if there are more than
// maxCandidates.
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

func (f *failure) expectLiterals(n *node, pos int) {
	if f == nil {
		return
	}
	for _, e := range n.edges {
		if e.item.kind == itemLiteral {
			f.expect(pos, &e.item)
		}
	}
}

// phrases describes the expected items for a message. Each phrase occurs once.
func (f *failure) phrases() (list []string) {
	add := func(phrase string) {
		if !slices.Contains(list, phrase) {
			list = append(list, phrase)
		}
	}
	for _, it := range f.expected {
		switch words := it.texts(); {
		case it == &blankItem:
			add(aBlank)
		case it == &endItem:
			add("the end of the instruction")
		case len(words) > 0 && len(words) <= mostAlternatives: // one by one, because other items may expect the same word
			for _, w := range words {
				add(strconv.Quote(w))
			}
		case it.kind == itemEnum:
			add(oneOf(words, 10))
		case it.kind == itemBranch:
			add("a label or a number")
		default:
			add("a number for " + it.name + " (" + f.m.numbers(it.ref, it.ref.Kind == spec.KindHex).String() + ")")
		}
	}
	return list
}

// words returns the expected literals and, of enums with few values, the expected names.
func (f *failure) words() (list []string) {
	for _, it := range f.expected {
		if words := it.texts(); len(words) <= mostAlternatives {
			list = append(list, words...)
		}
	}
	return list
}

// blankItem and endItem are expected where a blank or the end of the instruction could have been.
var blankItem, endItem = item{kind: itemBlank}, item{kind: itemNothing}

// texts returns the words that an item accepts, except the empty text. It returns nil for other items than literals and
// enums.
func (it *item) texts() []string {
	switch it.kind {
	case itemLiteral:
		return []string{it.text}
	case itemEnum:
		return it.words.list()
	}
	return nil
}

// list returns the texts of a trie, except the empty text.
func (t *trie) list() (words []string) {
	for i := range t.words {
		if text := t.words[i].text; text != "" {
			words = append(words, text)
		}
	}
	return words
}

// oneOf lists words for an error message. If there are more than most words, it lists the first of them and the number
// of the others.
func oneOf(words []string, most int) string {
	switch n := len(words); {
	case n == 0:
		return "nothing"
	case n > most:
		return fmt.Sprintf("one of %s and %d more", strings.Join(words[:most], ", "), n-most)
	}
	return "one of " + strings.Join(words, ", ")
}

// numbers returns the numbers that fit a field. hex selects hexadecimal for the text of the range.
func (sv *solver) numbers(ref *model.Ref, hex bool) Range {
	w := uint(min(max(readWidth(ref), 1), 64))
	switch ref.Kind {
	case spec.KindInt, spec.KindOffset, spec.KindBranch:
		return Range{Low: int64(-1) << (w - 1), High: uint64(1)<<(w-1) - 1, Hex: hex}
	case spec.KindFloat:
		return Range{Float: floatWidth(ref), Hex: hex}
	}
	most := ones(int(w))
	switch {
	case ref.Width > 64:
		return Range{Wide: ref.Width, Hex: hex}
	case ref.Prog != nil:
		most &= sv.possible(ref.Prog.Root)
	}
	return Range{High: most, Hex: hex}
}

// explain parses the text again and returns the reason why it is not an instruction.
func (p *Parser) explain(body []byte) *Error {
	if p.steps > maxSteps || p.work > MaxWork {
		return &Error{Code: diag.TextAmbiguous, End: len(body), Msg: "too many possible parses of this line"}
	}
	f := &failure{m: &p.matcher, body: body}
	p.failure = f
	defer func() { p.failure = nil }()
	if len(p.src) == 0 {
		return &Error{Code: diag.TextExpected, End: len(body), Msg: "nothing, expected an instruction"}
	}
	p.resetWork()
	p.run()
	if p.constantErr != nil {
		e := *p.constantErr
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

// symbolEnd returns the end of the run of name characters that starts at pos.
func symbolEnd(text []byte, pos int) int {
	for pos < len(text) && isSymbolByte(text[pos], false) {
		pos++
	}
	return pos
}

// unexpected describes the text at which parsing stopped, and the texts that could have been there. If a blank could
// have been there, it also quotes the word before that position.
func (f *failure) unexpected() string {
	start, end := bytes.LastIndexByte(f.m.raw[:f.pos], ' ')+1, symbolEnd(f.m.raw, f.pos)
	list := f.phrases()
	blank := slices.Index(list, aBlank)
	if blank < 0 || start == f.pos || end == f.pos {
		return fmt.Sprintf("%s, expected %s", f.readAt(f.pos), alternatives(list))
	}
	list[blank] = fmt.Sprintf("%s after %q", aBlank, f.m.raw[start:f.pos])
	return fmt.Sprintf("%q, expected %s", f.m.raw[start:end], alternatives(list))
}

// aBlank is the word for a blank in errors.
const aBlank = "a blank"

// readAt quotes the name or the character at pos. If the line ends at pos, it returns a phrase for the end of the line.
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

// mostAlternatives limits the expected texts that an error lists.
const mostAlternatives = 6

// alternatives joins expected texts for an error message. It lists at most mostAlternatives of them.
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

// unknown returns the message for a text whose first word starts no instruction. The message adds a hint from the
// description, the form of an instruction with that mnemonic, or the most similar mnemonic.
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
	return fmt.Sprintf("no instruction starts with %q%s", quote.Shorten(word), quote.DidYouMean(word, names))
}

// notFirst returns a message with the syntax of an instruction that has the mnemonic word. The text of the instruction
// does not start with its mnemonic, or the instruction belongs to another root. notFirst returns "" if no instruction
// has this mnemonic.
func (f *failure) notFirst(word string) string {
	for _, r := range f.m.set.InstructionRoots() {
		forms := r.LeavesByMnemonic(word)
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

// original maps a position in the collapsed text to a position in the text as given.
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
