package program

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
)

// Code is an assembled program.
type Code struct {
	Insts []Word
	// Labels are the labels of the source by address, those of one address by name.
	Labels []Entry
}

// Word is an instruction, or data of a .word directive.
type Word struct {
	Addr int64 // in bits
	Word bits.Value
	Size int
	// Entries are the table entries, each instruction having its own.
	Entries []asm.Entry
	// Span is where it stands in the source, without labels.
	Span diag.Span
}

// UsesTables reports whether an instruction has table entries.
func (c *Code) UsesTables() bool {
	for i := range c.Insts {
		if len(c.Insts[i].Entries) > 0 {
			return true
		}
	}
	return false
}

// maxErrors is the number of mistakes after which the rest of a text is not read.
const maxErrors = diag.MaxShown

// Statement is a piece of a source that is assembled by itself: labels, and at most an instruction
// or a .word directive.
type Statement struct {
	// Off is where Text stands in the source, byte for byte but for blanks in place of comments.
	Off  int
	Text string
}

// Assemble reads a program without container: instructions of a root, labels and the directives .word,
// .align, .skip and .set, one a line, with constant expressions where numbers stand. All mistakes are
// reported at once, up to fifty.
func Assemble(p *asm.Parser, set *isa.Set, root *isa.Root, src *diag.Source) (*Code, error) {
	var statements []Statement
	off := 0
	for line := range strings.Lines(src.Text) {
		statements = append(statements, Statement{off, strings.TrimRight(line, "\r\n")})
		off += len(line)
	}
	return AssembleStatements(p, set, root, src, statements)
}

// AssembleStatements is Assemble for languages in which an instruction is no line.
func AssembleStatements(p *asm.Parser, set *isa.Set, root *isa.Root, src *diag.Source, statements []Statement) (*Code, error) {
	a := assembler{
		p: p, set: set, root: root, src: src, statements: statements, unit: root.Unit,
		comment: Comment(set), labels: map[string]label{}, known: map[string]bool{}, names: map[string]number{},
		bad: map[int]bool{}, whole: map[int]bool{}, settled: make([]Word, len(statements)),
	}
	a.own = ownMarksOf(p, set, a.comment)
	comment := p.Comment
	p.Comment = a.comment
	defer func() { p.Symbol, p.Later, p.Comment = nil, nil, comment }()
	a.scan()
	a.pass(true)
	if len(a.errs) <= maxErrors {
		a.settle()
	}
	for name, l := range a.labels {
		a.code.Labels = append(a.code.Labels, Entry{l.addr, name, false})
	}
	slices.SortFunc(a.code.Labels, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Name, y.Name))
	})
	a.errs.Sort()
	if len(a.errs) > maxErrors {
		a.errs = append(a.errs[:maxErrors], diag.Errorf(diag.TextExpected, diag.Span{}, "more than %d mistakes, the rest is not shown", maxErrors))
	}
	return &a.code, a.errs.Err()
}

// maxPasses bounds the passes until the labels stand still.
const maxPasses = 20

// settle reads the text until no label moves: where an instruction has a short and a long form, the
// distance decides which one it is, and that moves what stands behind it.
func (a *assembler) settle() {
	before := len(a.errs)
	for range maxPasses {
		a.errs, a.moved = a.errs[:before], false
		a.pass(false)
		if !a.moved || len(a.bad) > 0 {
			return
		}
	}
	if len(a.errs) == before {
		a.errs = append(a.errs, diag.Errorf(diag.TextCondition, diag.Span{}, "the labels do not come to rest: no lengths found with which each is where it is said to be"))
	}
}

type label struct {
	addr int64
	span diag.Span
}

type assembler struct {
	p          *asm.Parser
	set        *isa.Set
	src        *diag.Source
	statements []Statement
	root       *isa.Root
	unit       int // of root
	comment    string
	labels     map[string]label
	// known are the names that may be labels somewhere.
	known map[string]bool
	// names are those of .set, as far as the pass has come.
	names map[string]number
	// guessed is a name further down that an expression has needed in the first pass.
	guessed string
	// own tells what of a source texts of the machine have too; whole has the offsets of texts that
	// are instructions although they look like something else.
	own   ownMarks
	whole map[int]bool
	code  Code
	addr  int64
	// left is what .skip and .align have left, in bytes.
	left int64
	errs diag.List
	// first tells that the pass is the first; bad has the offsets of the lines that it could not read.
	first bool
	bad   map[int]bool
	// moved tells that a label is not where the pass before had it.
	moved bool
	// asked tells that the present line has a name or an expression in it; settled has the instructions
	// of statements that have none, which stay what they are as long as they stay where they are, and
	// words of size 0 for the others.
	asked   bool
	settled []Word
}

// scan looks for the names of labels, whose places are found later.
func (a *assembler) scan() {
	for i := range a.statements {
		for text := a.statements[i].Text; ; {
			name, rest, ok := strings.Cut(strings.TrimLeft(text, blanks), ":")
			if !ok || !isLabel(name) {
				break
			}
			a.known[name], text = true, rest
		}
	}
}

// pass reads the whole text. In the first pass labels that are not defined yet leave the bits of their
// branches open; only lengths and labels are kept.
func (a *assembler) pass(first bool) {
	a.first, a.addr, a.left, a.code.Insts = first, 0, 0, a.code.Insts[:0]
	clear(a.names)
	a.p.Symbol = func(name string) (int64, bool) {
		a.asked = true
		if l, ok := a.labels[name]; ok {
			return l.addr, true
		}
		if n, ok := a.names[name]; ok {
			return 8 * n.value, true
		}
		return 0, false
	}
	a.p.Later = func(name string) bool {
		a.asked = true
		return first && a.known[name]
	}
	for i := range a.statements {
		a.line(i)
		if len(a.errs) > maxErrors {
			return
		}
	}
}

func (a *assembler) line(i int) {
	start := a.statements[i].Off
	text, off := a.labelsOf(a.statements[i].Text, start)
	code := StripComment(text, a.comment)
	if a.bad[start] || strings.TrimSpace(code) == "" && !(a.own.comment && a.isInstruction(text, off)) {
		return
	}
	if done, err := a.dotted(code, text, off); done {
		if err != nil {
			a.fail(err, start, off)
		}
		return
	}
	if w := a.settled[i]; w.Size > 0 && w.Addr == a.addr {
		a.add(w)
		return
	}
	a.asked = false
	res, err := a.instruction(text)
	if err != nil {
		a.fail(err, start, off)
		a.addr += int64(a.root.Stored(a.root.MinSize))
		return
	}
	w := Word{Addr: a.addr, Word: res.Inst.Bits, Size: res.Inst.Leaf.Size, Entries: append([]asm.Entry(nil), res.Entries...), Span: a.span(code, off)}
	if !a.asked && len(w.Entries) == 0 {
		a.settled[i] = w
	}
	a.add(w)
}

// dotted carries out a directive; done is false for any other text. code is the text without what
// may be a comment.
func (a *assembler) dotted(code, text string, off int) (done bool, err error) {
	if !strings.HasPrefix(strings.TrimLeft(code, blanks), ".") || a.own.directive && a.isInstruction(text, off) {
		return false, nil
	}
	words, ok, err := a.words(code)
	if !ok {
		return a.directive(code, off)
	}
	if err == nil {
		a.data(words, a.span(code, off))
	}
	return true, err
}

// labelsOf takes the labels off the start of a line and returns the rest and its offset.
func (a *assembler) labelsOf(text string, off int) (string, int) {
	for {
		lead := len(text) - len(strings.TrimLeft(text, blanks))
		text, off = text[lead:], off+lead
		name, rest, ok := strings.Cut(text, ":")
		if !ok || !isLabel(name) || a.own.colon && a.isInstruction(text, off) {
			return text, off
		}
		a.define(name, off)
		text, off = rest, off+len(name)+1
	}
}

func (a *assembler) define(name string, off int) {
	span := diag.Span{Src: a.src, Off: off, End: off + len(name)}
	old, ok := a.labels[name]
	if _, taken := a.names[name]; taken && a.first {
		a.errs = append(a.errs, diag.Errorf(diag.Duplicate, span, "%s is a name of .set, expected another for a label", name))
	}
	switch {
	case ok && a.first:
		a.errs = append(a.errs, diag.Errorf(diag.Duplicate, span, "label %s is defined twice", name).With(old.span, "the other definition"))
	case !ok:
		a.labels[name] = label{a.addr, span}
	case old.span == span && old.addr != a.addr:
		a.labels[name] = label{a.addr, span}
		a.moved = true
	}
}

// fail records a mistake in the text at off, which stands in the line at start.
func (a *assembler) fail(err error, start, off int) {
	found := diag.Errorf(diag.TextExpected, diag.Span{Src: a.src, Off: off, End: off + 1}, "%v", err)
	var e *asm.Error
	if errors.As(err, &e) {
		found = e.At(a.src, off)
	}
	if a.first {
		a.bad[start] = true
	} else if len(a.bad) > 0 && found.Code != diag.TextSymbol {
		return // addresses are off, so that other complaints would mislead
	}
	a.errs = append(a.errs, found)
}

// span is the place of a text without the blanks around it.
func (a *assembler) span(text string, off int) diag.Span {
	trimmed := strings.TrimLeft(text, blanks)
	off += len(text) - len(trimmed)
	return diag.Span{Src: a.src, Off: off, End: off + len(strings.TrimRight(trimmed, blanks))}
}

const blanks = " \t\r\n"

// data adds the words of a directive, as many to a line of hex as the longest instruction has.
func (a *assembler) data(words []uint32, span diag.Span) {
	for len(words) > 0 {
		n := min(len(words), a.root.Stored(a.root.Size)/a.unit)
		w := Data(a.root, words[:n])
		w.Span = span
		a.add(w)
		words = words[n:]
	}
}

// Data joins the words of a .word directive, in the order of programs; they must fit 256 bits.
func Data(root *isa.Root, words []uint32) Word {
	unit := root.Unit
	w := Word{Size: unit * len(words)}
	for i, x := range words {
		at := i
		if root.HighFirst {
			at = len(words) - 1 - i
		}
		w.Word.SetUint(unit*at, unit, uint64(x))
	}
	return w
}

func (a *assembler) add(w Word) {
	w.Addr = a.addr
	a.addr += int64(a.root.Stored(w.Size))
	a.code.Insts = append(a.code.Insts, w)
}

// isLabel reports whether s is a name that can stand before a colon.
func isLabel(s string) bool {
	if s == "." { // the place of the line
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// StripComment returns the text of a line in front of its comment.
func StripComment(text, comment string) string {
	text, _, _ = strings.Cut(text, comment)
	return text
}

// ParseWord reads a .word directive: numbers of unit bits separated by commas. ok is false for any
// other text. The error is an *asm.Error.
func ParseWord(text string, unit int) (words []uint32, ok bool, err error) {
	off := len(text) - len(strings.TrimLeft(text, blanks))
	rest, ok := strings.CutPrefix(text[off:], ".word")
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return nil, false, nil
	}
	off += len(".word")
	for more := true; more; {
		var part string
		part, rest, more = strings.Cut(rest, ",")
		number := strings.TrimSpace(part)
		v, err := strconv.ParseUint(number, 0, unit)
		if err != nil {
			start := off + len(part) - len(strings.TrimLeft(part, " \t"))
			return nil, true, numberError(number, start, unit, err)
		}
		words = append(words, uint32(v))
		off += len(part) + 1
	}
	return words, true, nil
}

func numberError(number string, off, unit int, err error) *asm.Error {
	e := &asm.Error{Code: diag.TextExpected, Off: off, End: off + len(number)}
	switch {
	case errors.Is(err, strconv.ErrRange):
		e.Code, e.Msg = diag.TextRange, number+" does not fit "+strconv.Itoa(unit)+" bits"
	case number == "":
		e.Msg = "nothing, expected a number of " + strconv.Itoa(unit) + " bits such as 0x12"
	default:
		e.Msg = strconv.Quote(number) + ", expected a number of " + strconv.Itoa(unit) + " bits such as 0x12"
	}
	return e
}
