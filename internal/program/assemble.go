package program

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// Code is an assembled program.
type Code struct {
	// Labels are the labels of the source by address, those of one address by name.
	Labels []Entry
	// Order is the one that the source asks for.
	Order Order

	text  *Text
	root  *isa.Root
	items []item
	// stored are the bits of settled items, in their order, each from a word of its own on.
	stored []uint32
	// entries are the table entries of settled instructions, by the index of their items.
	entries map[int][]asm.Entry
	// open are what open items became last, in their order.
	open []openItem
}

// item is a statement of which something comes into the code.
type item struct {
	off int64 // in the source, without labels where it is settled
	len uint32
	// size is that of an instruction in bits, or the number of units of data.
	size uint16
	kind itemKind
}

type itemKind uint8

const (
	// settledInst and settledData stay what they are wherever they stand.
	settledInst itemKind = iota
	settledData
	// openKind may change with labels, names and places.
	openKind
)

// openItem is what an open item is at present. A bad one could not be read, and keeps its size in bits.
type openItem struct {
	words []Word
	bad   bool
	size  int64
}

// Word is an instruction, or data of a .word directive.
type Word struct {
	Addr int64 // in bits
	Word bits.Value
	Size int
	// Entries are the table entries, each instruction having its own.
	Entries []asm.Entry
	// from and to are where it stands in the source, without labels.
	from, to int64
}

// Span returns where a word stands in the source, without labels.
func (c *Code) Span(w *Word) diag.Span { return c.text.Span(w.from, w.to) }

// Words yields the words in their order. Each is valid until the next.
func (c *Code) Words(yield func(*Word) bool) {
	addr, at, open := int64(0), 0, 0
	put := func(w *Word) bool {
		w.Addr = addr
		addr += int64(c.root.StoredSize(w.Size))
		return yield(w)
	}
	var inst Word
	for i := range c.items {
		x := &c.items[i]
		var words []Word
		switch x.kind {
		case settledInst:
			inst = Word{Size: int(x.size), from: x.off, to: x.off + int64(x.len)}
			if len(c.entries) > 0 {
				inst.Entries = c.entries[i]
			}
			for low := 0; low < inst.Size; low += 32 {
				inst.Word[low>>6] |= uint64(c.stored[at]) << uint(low&63)
				at++
			}
			if !put(&inst) {
				return
			}
		case settledData:
			words = c.data(c.stored[at:at+int(x.size)], x.off, x.off+int64(x.len))
			at += int(x.size)
		case openKind:
			words = c.open[open].words
			open++
		}
		for j := range words {
			if !put(&words[j]) {
				return
			}
		}
	}
}

// Len returns the number of words.
func (c *Code) Len() (n int) {
	line, open := c.line(), 0
	for i := range c.items {
		switch x := &c.items[i]; x.kind {
		case settledInst:
			n++
		case settledData:
			n += (int(x.size) + line - 1) / line
		case openKind:
			n += len(c.open[open].words)
			open++
		}
	}
	return n
}

// line is the number of units of the longest instruction.
func (c *Code) line() int { return c.root.StoredSize(c.root.Size) / c.root.WordSize }

// Insts returns all words.
func (c *Code) Insts() []Word {
	list := make([]Word, 0, c.Len())
	for w := range c.Words {
		list = append(list, *w)
	}
	return list
}

// UsesTables reports whether an instruction has table entries.
func (c *Code) UsesTables() bool {
	hasEntries := func(w Word) bool { return len(w.Entries) > 0 }
	return len(c.entries) > 0 || slices.ContainsFunc(c.open, func(o openItem) bool { return slices.ContainsFunc(o.words, hasEntries) })
}

// data returns the words of a directive, as many to a line of hex as the longest instruction has.
func (c *Code) data(units []uint32, from, to int64) (list []Word) {
	for len(units) > 0 {
		n := min(len(units), c.line())
		w := Data(c.root, units[:n])
		w.from, w.to = from, to
		list = append(list, w)
		units = units[n:]
	}
	return list
}

// Assembler reads programs without container: instructions of a root, labels and the directives .word,
// .align, .skip and .set, with constant expressions where numbers stand.
type Assembler struct {
	Set  *isa.Set
	Root *isa.Root
	// Parser reads the instructions; New makes others like it, for other goroutines. Where New is nil there are none.
	Parser *asm.Parser
	New    func() (*asm.Parser, error)
	// Jobs is the number of processors that may be used.
	Jobs int
}

// Assemble reads a source in memory, a statement a line, on one processor. All mistakes are reported at once, up to
// fifty.
func Assemble(p *asm.Parser, set *isa.Set, root *isa.Root, src *diag.Source) (*Code, error) {
	a := Assembler{Set: set, Root: root, Parser: p}
	return a.Assemble(NewText(src))
}

// Assemble reads a source, a statement a line.
func (a *Assembler) Assemble(src *Text) (*Code, error) {
	return a.AssembleStatements(src, src.Split(a.Lexis()))
}

// Lexis returns the lexis of a source with a statement a line.
func (a *Assembler) Lexis() *Lexis {
	var comments []string
	if comment := Comment(a.Set); !ownMarksOf(a.Parser, a.Set, comment).comment {
		comments = append(comments, comment)
	}
	return NewLexis("", comments)
}

// AssembleStatements is Assemble for languages in which an instruction is no line.
func (a *Assembler) AssembleStatements(src *Text, statements *Statements) (*Code, error) {
	r := newAssembler(a, src)
	defer r.close()
	r.statements = statements
	if err := r.read(); err != nil {
		return nil, err
	}
	if !r.errs.Full() {
		r.settle()
	}
	for name, l := range r.labels {
		r.code.Labels = append(r.code.Labels, Entry{Addr: l.addr, Name: name})
	}
	slices.SortFunc(r.code.Labels, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Name, y.Name))
	})
	return &r.code, r.errs.Bounded().Err()
}

func newAssembler(a *Assembler, src *Text) *assembler {
	r := &assembler{
		Assembler: a, p: a.Parser, src: src, root: a.Root, unit: a.Root.WordSize, comment: Comment(a.Set), before: a.Parser.Comment,
		labels: map[string]label{}, known: map[string]bool{}, names: map[string]number{}, failed: map[string]bool{}, whole: map[int64]bool{},
		code: Code{text: src, root: a.Root, entries: map[int][]asm.Entry{}},
	}
	r.own = ownMarksOf(r.p, a.Set, r.comment)
	r.p.Comment = r.comment
	return r
}

// close takes the hooks off the parser.
func (a *assembler) close() {
	a.p.Symbol, a.p.Later, a.p.Constant, a.p.Comment = nil, nil, nil, a.before
}

// label is a place in bits. Its name stands at off in the source.
type label struct {
	addr, off int64
}

type assembler struct {
	*Assembler
	p       *asm.Parser
	src     *Text
	root    *isa.Root
	unit    int // of root
	comment string
	before  string // the mark of comments that the parser had
	labels  map[string]label
	// begin is where the present statement starts after its labels. single is set to read one statement by itself.
	begin  int64
	single bool
	// found is set if a statement has used a name that is a label.
	found bool
	// labeled is the number of labels that statements have defined.
	labeled int
	// unfiltered keeps mistakes that may only follow from others.
	unfiltered bool
	// known are the names that may be labels somewhere.
	known map[string]bool
	// names are those of .set, as far as the pass has come.
	names map[string]number
	// guessed is a name further down that an expression has needed in the first pass.
	guessed string
	// failed are the names of .set whose expression failed, which was reported there; the value tells whether
	// it was in the first pass. tainted tells that the present statement needs one: its mistakes may come from
	// that.
	failed  map[string]bool
	tainted bool
	// own tells what of a source texts of the machine have too; whole has the offsets of texts that
	// are instructions although they look like something else.
	own        ownMarks
	whole      map[int64]bool
	statements *Statements
	code       Code
	addr       int64
	// words are what the present statement gives, units the numbers of a .word directive.
	words []Word
	units []uint32
	// left is what .skip and .align have left, in bytes.
	left int64
	errs diag.List
	// first tells that the pass is the first; bad that it could not read a statement, which wrong tells of the
	// present one.
	first, bad, wrong bool
	// moved tells that a label is not where the pass before had it.
	moved bool
	// asked tells that the present statement depends on where it stands, or on a name.
	asked bool
}

// errEnough ends a source that has too many mistakes.
var errEnough = errors.New("too many mistakes")

// read reads the statements for the first time. Labels that are not defined yet leave the bits of their branches
// open; only lengths and labels are kept of what depends on them.
func (a *assembler) read() error {
	labels := func(b *Batch[ahead]) error {
		for i := range b.Statements {
			a.scan(b.Statements[i].Text)
		}
		return nil
	}
	if err := Each(a.statements, 1, nil, labels); err != nil {
		return err
	}
	a.start(true)
	if n := len(a.statements.list); n > 0 {
		a.code.items, a.code.stored = make([]item, 0, n), make([]uint32, 0, n*(a.root.Size+31)/32)
	}
	jobs := a.Jobs
	if a.New == nil || a.own != (ownMarks{}) {
		jobs = 1
	}
	err := Each(a.statements, jobs, newAhead(a.New), func(b *Batch[ahead]) error {
		for i, x := range b.Statements {
			known := &ahead{}
			if len(b.Ahead) > 0 {
				known = &b.Ahead[i]
			}
			a.take(x, known)
			if a.errs.Full() {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// scan looks for the names of labels, whose places are found later.
func (a *assembler) scan(text string) {
	for {
		name, rest, ok := cutLabel(text)
		if !ok {
			return
		}
		if !a.known[name] {
			a.known[strings.Clone(name)] = true
		}
		text = rest
	}
}

// cutLabel takes a label off the start of a text, behind blanks. ok is false where none stands there; then rest is the
// text without the blanks.
func cutLabel(text string) (name, rest string, ok bool) {
	text = trimLeft(text)
	n := 0
	for n < len(text) && labelByte(text[n], n == 0) {
		n++
	}
	if n == len(text) || text[n] != ':' || n == 0 || text[:n] == "." {
		return "", text, false
	}
	return text[:n], text[n+1:], true
}

// start begins a pass.
func (a *assembler) start(first bool) {
	a.first, a.addr, a.left, a.moved = first, 0, 0, false
	clear(a.names)
	maps.DeleteFunc(a.failed, func(_ string, first bool) bool { return !first })
	a.p.Symbol = func(name string) (int64, bool) {
		a.asked = true
		if a.taints(name) {
			return 0, true
		}
		if l, ok := a.labels[name]; ok {
			a.found = true
			return l.addr, true
		}
		if n, ok := a.names[name]; ok {
			return 8 * n.value, true
		}
		return 0, false
	}
	a.p.Constant = func(text string) (int64, int, error) { return evalGroup(text, a.value) }
	a.p.Later = func(name string) bool {
		a.asked = true
		return first && a.known[name]
	}
}

// MaxPasses bounds the passes until the labels stand still.
const MaxPasses = 20

// settle reads what is open until no label moves: where an instruction has a short and a long form, the
// distance decides which one it is, and that moves what stands behind it.
func (a *assembler) settle() {
	before := len(a.errs)
	for range MaxPasses {
		if len(a.code.open) == 0 {
			return
		}
		a.errs = a.errs[:before]
		a.pass()
		if !a.moved || a.bad {
			return
		}
	}
	if len(a.errs) == before {
		a.errs = append(a.errs, Unstable())
	}
}

// Unstable returns the mistake of a program whose labels move in each pass.
func Unstable() *diag.Error {
	return diag.Errorf(diag.TextCondition, diag.Span{}, "no choice of instruction lengths gives every label a consistent address")
}

// pass reads what is open again.
func (a *assembler) pass() {
	a.start(false)
	at, open := 0, 0
	for i := range a.code.items {
		switch x := &a.code.items[i]; x.kind {
		case settledInst:
			a.addr += int64(a.root.StoredSize(int(x.size)))
			at += (int(x.size) + 31) / 32
		case settledData:
			a.addr += int64(a.unit) * int64(x.size)
			at += int(x.size)
		case openKind:
			o := &a.code.open[open]
			open++
			a.words = o.words[:0]
			a.statement(a.statements.at(a.src, x), &ahead{}, o.bad)
			if o.bad {
				a.addr += o.size
			}
			o.words = a.words
		}
		if a.errs.Full() {
			return
		}
	}
}

// take reads a statement for the first time and keeps what it has become.
func (a *assembler) take(s Statement, known *ahead) {
	a.asked, a.wrong, a.words = false, false, a.words[:0]
	addr := a.addr
	kind := a.statement(s, known, false)
	c := &a.code
	x := item{off: s.Off, len: uint32(len(s.Text)), kind: openKind}
	switch {
	case kind == nothing && !a.asked:
		return
	case kind == anInstruction && !a.asked && !a.wrong:
		w := &a.words[0]
		x = item{w.from, uint32(w.to - w.from), uint16(w.Size), settledInst}
		for i := range (w.Size + 31) / 32 {
			c.stored = append(c.stored, w.Word.Word(i))
		}
		if len(w.Entries) > 0 {
			c.entries[len(c.items)] = w.Entries
		}
	case kind == someData && !a.asked && !a.wrong && len(a.units) <= math.MaxUint16:
		w := &a.words[0]
		x = item{w.from, uint32(w.to - w.from), uint16(len(a.units)), settledData}
		c.stored = append(c.stored, a.units...)
	default:
		c.open = append(c.open, openItem{slices.Clone(a.words), a.wrong, a.addr - addr})
	}
	c.items = append(c.items, x)
}

// kind is what a statement is.
type kind uint8

const (
	nothing kind = iota
	anInstruction
	someData
	aDirective
)

// statement defines labels, and takes a directive or an instruction, which may have been read ahead. Of a bad one
// nothing but the labels counts.
func (a *assembler) statement(s Statement, known *ahead, bad bool) kind {
	a.p.Addr, a.tainted = a.addr, false
	text, off := a.labelsOf(s.Text, s.Off)
	a.begin = off
	code := text
	if a.own.comment {
		code = StripComment(text, a.comment)
	}
	if bad || strings.TrimSpace(text) == "" || strings.TrimSpace(code) == "" && !(a.own.comment && a.isInstruction(text, off)) {
		return nothing
	}
	if kind, err := a.dotted(code, text, off); kind != nothing {
		if err != nil {
			a.fail(err, off)
		}
		return kind
	}
	if known.ok {
		a.add(known.word, code, off)
		return anInstruction
	}
	res, err := a.p.Parse(text)
	if err != nil {
		a.fail(err, off)
		a.addr += int64(a.root.StoredSize(a.root.MinSize))
		return anInstruction
	}
	a.add(wordOf(&res), code, off)
	return anInstruction
}

// wordOf returns what an instruction is in a program, without its place.
func wordOf(res *asm.Result) Word {
	return Word{Word: res.Inst.Bits, Size: res.Inst.Leaf.Size, Entries: slices.Clone(res.Entries)}
}

// ahead is what a statement was read as without regard to its place and to names; ok is false where these count, or
// it is no instruction.
type ahead struct {
	word Word
	ok   bool
}

// errLater says that a constant expression has no value yet.
var errLater = errors.New("not known yet")

// newAhead returns what makes functions that read ahead, with parsers of their own.
func newAhead(parser func() (*asm.Parser, error)) func() (func(Statement) ahead, error) {
	return func() (func(Statement) ahead, error) {
		p, err := parser()
		if err != nil {
			return nil, err
		}
		asked := false
		p.Symbol = func(string) (int64, bool) {
			asked = true
			return 0, true
		}
		p.Constant = func(string) (int64, int, error) { return 0, 0, errLater }
		p.Comment = ""
		return func(s Statement) ahead {
			text := withoutLabels(s.Text)
			if text == "" || text[0] == '.' {
				return ahead{}
			}
			asked = false
			res, ok := p.Try(text)
			if asked || !ok {
				return ahead{}
			}
			return ahead{wordOf(&res), true}
		}, nil
	}
}

// withoutLabels returns what stands behind the labels of a statement.
func withoutLabels(text string) string {
	for ok := true; ok; {
		_, text, ok = cutLabel(text)
	}
	return text
}

// dotted carries out a directive; any other text is nothing. code is the text without what may be a comment.
func (a *assembler) dotted(code, text string, off int64) (kind, error) {
	if !strings.HasPrefix(trimLeft(code), ".") || a.own.directive && a.isInstruction(text, off) {
		return nothing, nil
	}
	units, ok, err := a.numbers(code)
	switch {
	case !ok:
		if done, err := a.directive(code, off); done {
			return aDirective, err
		}
		return nothing, nil
	case err == nil:
		a.data(units, code, off)
	}
	return someData, err
}

// labelsOf takes the labels off the start of a line and returns the rest and its offset.
func (a *assembler) labelsOf(text string, off int64) (string, int64) {
	for {
		name, rest, ok := cutLabel(text)
		from := off + int64(len(text)-len(rest))
		if !ok {
			return rest, from
		}
		start := from - int64(len(name)) - 1
		if a.own.colon && a.isInstruction(text[start-off:], start) {
			return text[start-off:], start
		}
		a.define(name, start)
		text, off = rest, from
	}
}

func (a *assembler) define(name string, off int64) {
	a.asked = true
	a.labeled++
	old, ok := a.labels[name]
	if _, taken := a.names[name]; taken && a.first {
		a.errs = append(a.errs, diag.Errorf(diag.Duplicate, a.src.Span(off, off+int64(len(name))), "%s is defined by .set, expected another name for the label", name))
	}
	switch {
	case ok && a.first:
		a.errs = append(a.errs, a.src.Twice(name, off, old.off))
	case !ok:
		a.labels[strings.Clone(name)] = label{a.addr, off}
	case old.off == off && old.addr != a.addr:
		a.labels[name] = label{a.addr, off}
		a.moved = true
	}
}

// fail records a mistake in the text at off.
func (a *assembler) fail(err error, off int64) {
	found := a.src.Error(err, off)
	if a.first {
		a.bad, a.wrong = true, true
	} else if a.bad && !a.unfiltered && found.Code != diag.TextSymbol {
		return // addresses are off, so that other complaints would mislead
	}
	if a.tainted {
		return
	}
	a.errs = append(a.errs, found)
}

// within returns where a text is without the blanks around it.
func within(text string, off int64) (from, to int64) {
	trimmed := trimLeft(text)
	off += int64(len(text) - len(trimmed))
	n := len(trimmed)
	for n > 0 && blank(trimmed[n-1]) {
		n--
	}
	return off, off + int64(n)
}

const blanks = " \t\r\n"

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// trimLeft cuts off the blanks at the start of a text.
func trimLeft(text string) string {
	for text != "" && blank(text[0]) {
		text = text[1:]
	}
	return text
}

// data adds the words of a directive.
func (a *assembler) data(units []uint32, text string, off int64) {
	from, to := within(text, off)
	a.units = units
	a.words = append(a.words, a.code.data(units, from, to)...)
	a.addr += int64(a.unit) * int64(len(units))
}

// Data joins the words of a .word directive, in the order of programs; they must fit 256 bits.
func Data(root *isa.Root, words []uint32) Word {
	unit := root.WordSize
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

// add adds the word of an instruction.
func (a *assembler) add(w Word, text string, off int64) {
	w.from, w.to = within(text, off)
	a.addr += int64(a.root.StoredSize(w.Size))
	a.words = append(a.words, w)
}

// isLabel reports whether s is a name that can stand before a colon.
func isLabel(s string) bool {
	for i := 0; i < len(s); i++ {
		if !labelByte(s[i], i == 0) {
			return false
		}
	}
	return s != "" && s != "." // which is the place of the line
}

func labelByte(c byte, first bool) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}

// StripComment returns the text of a line in front of its comment.
func StripComment(text, comment string) string {
	text, _, _ = strings.Cut(text, comment)
	return text
}

// ParseWord reads a .word directive: numbers of unit bits separated by commas. ok is false for any
// other text. The error is an *asm.Error.
func ParseWord(text string, unit int) (words []uint32, ok bool, err error) {
	off := len(text) - len(trimLeft(text))
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
