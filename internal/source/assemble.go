package source

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Assembler assembles programs without a container: instructions of a root, labels and the directives .word, .align,
// .skip and .set. Constant expressions can replace numbers.
type Assembler struct {
	Set  *isa.Set
	Root *isa.Root
	// Parser parses the instructions. New makes equal parsers for other goroutines. If New is nil, one goroutine reads the
	// source.
	Parser *asm.Parser
	New    func() (*asm.Parser, error)
	// Jobs is the number of processors that may be used.
	Jobs int
}

// Assemble assembles a source in memory that has one statement per line, on one processor. It reports up to fifty
// mistakes at once.
func Assemble(p *asm.Parser, set *isa.Set, root *isa.Root, src *diag.Source) (*Code, error) {
	a := Assembler{Set: set, Root: root, Parser: p}
	return a.Assemble(program.NewText(src))
}

// Assemble assembles a source that has one statement per line.
func (a *Assembler) Assemble(src *program.Text) (*Code, error) {
	return a.AssembleStatements(src, src.Split(a.lexis()))
}

// lexis returns the lexis of a source with one statement per line.
func (a *Assembler) lexis() *program.Lexis {
	var comments []string
	if comment := program.Comment(a.Set); !ownMarksOf(a.Parser, a.Set, comment).comment {
		comments = append(comments, comment)
	}
	return program.NewLexis("", comments)
}

// AssembleStatements is like Assemble, for languages in which an instruction is not a line.
func (a *Assembler) AssembleStatements(src *program.Text, statements *program.Statements) (*Code, error) {
	c := &Code{text: src, statements: statements, storage: storage{root: a.Root}}
	r := newReader(a, src, &c.storage)
	defer r.close()
	if err := r.readAll(c); err != nil {
		return nil, err
	}
	var errs diag.List
	if !r.full() {
		errs = r.settle(c)
	}
	c.Order = r.order
	for name, l := range r.labels {
		c.Labels = append(c.Labels, program.Entry{Addr: l.addr, Name: name})
	}
	slices.SortFunc(c.Labels, func(x, y program.Entry) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.Name, y.Name))
	})
	for i := range c.open {
		errs = append(errs, c.open[i].mistakes(r.bad)...)
	}
	return c, errs.Bounded().Err()
}

// label is the definition of a label: its address in bits, and its offset in the source.
type label struct {
	addr, off int64
}

// reader reads the statements of a program into a storage: a first pass over all of them, and further passes over those
// that are open, until no label moves.
type reader struct {
	*Assembler
	*storage
	p       *asm.Parser
	src     *program.Text
	unit    int // of root
	comment string
	before  string // the comment mark that the parser had
	labels  map[string]label
	// begin is the offset of the current statement after its labels. single is set to read one statement by itself.
	begin  int64
	single bool
	// found is set if a statement has used a name that is a label.
	found bool
	// labeled is the number of labels that statements have defined, and count the number of statements that were read.
	labeled, count int
	// known are the names that may be labels somewhere.
	known map[string]bool
	// names are those of .set up to the current statement.
	names map[string]number
	// guessed is a name defined later that an expression has needed in the first pass.
	guessed string
	// failed are the names of .set whose expression failed, which was reported there. The value reports whether it failed
	// in the first pass. tainted is set if the current statement needs such a name, which may cause its mistakes.
	failed  map[string]bool
	tainted bool
	// own tells which marks of a source also occur in texts of the machine. whole has the offsets of texts that are
	// instructions although they look like something else.
	own   ownMarks
	whole map[int64]bool
	order program.Order
	addr  int64
	// words are what the current statement gives, and units the numbers of a .word directive. errs are its mistakes, and
	// mistakes is the number of mistakes of all statements in the first pass.
	words    []Word
	units    []uint32
	errs     diag.List
	mistakes int
	// left is the number of bytes that .skip and .align have left.
	left int64
	// first is set in the first pass. bad is set if the first pass could not read a statement, and wrong if the current
	// statement has a mistake.
	first, bad, wrong bool
	// moved is set if a label has another address than in the pass before, and everMoved if one had in any pass.
	moved, everMoved bool
	// asked is set if the current statement depends on its address or on a name.
	asked bool
}

func newReader(a *Assembler, src *program.Text, to *storage) *reader {
	r := &reader{
		Assembler: a, storage: to, p: a.Parser, src: src, unit: a.Root.WordSize, comment: program.Comment(a.Set), before: a.Parser.Comment,
		labels: map[string]label{}, known: map[string]bool{}, names: map[string]number{}, failed: map[string]bool{}, whole: map[int64]bool{},
	}
	r.own = ownMarksOf(r.p, a.Set, r.comment)
	r.p.Comment = r.comment
	return r
}

// close removes the hooks from the parser.
func (a *reader) close() {
	a.p.Symbol, a.p.Later, a.p.Constant, a.p.Comment = nil, nil, nil, a.before
}

// full reports whether there are more mistakes than are shown.
func (a *reader) full() bool { return a.mistakes > diag.MaxShown }

// errEnough ends a source that has too many mistakes.
var errEnough = errors.New("too many mistakes")

// readAll is the first pass. Labels that are not defined yet leave the bits of their branches open. Only the sizes and
// the labels of open statements matter.
func (a *reader) readAll(c *Code) error {
	labels := func(b *program.Batch[ahead]) error {
		for i := range b.Statements {
			a.scan(b.Statements[i].Text)
		}
		return nil
	}
	if err := program.Each(c.statements, 1, nil, labels); err != nil {
		return err
	}
	a.start(true)
	if n := c.statements.Len(); n > 0 {
		c.items, c.bits = make([]item, 0, n), make([]uint32, 0, n*(a.root.Size+31)/32)
	}
	jobs := a.Jobs
	if a.New == nil || a.own != (ownMarks{}) {
		jobs = 1
	}
	err := program.Each(c.statements, jobs, newAhead(a.New), func(b *program.Batch[ahead]) error {
		for i, s := range b.Statements {
			known := &ahead{}
			if len(b.Ahead) > 0 {
				known = &b.Ahead[i]
			}
			if x, _ := a.take(s, known); x.kind != settledData || x.size > 0 {
				c.items = append(c.items, x)
			}
			if a.full() {
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
func (a *reader) scan(text string) {
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

// cutLabel takes a label off the start of a text, after blanks. ok is false where none stands there; then rest is the
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
func (a *reader) start(first bool) {
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

// MaxPasses bounds the passes until no label moves.
const MaxPasses = 20

// statements are those of a program, in their order.
type statements interface {
	// each calls visit for each statement with its number and its index in the storage, until visit returns false.
	each(visit func(i int, x *item, at int) bool)
	// statement returns the text of a statement.
	statement(i int) program.Statement
}

// settle reads open statements until no label moves: the distance of a label decides between the short and the long form
// of an instruction, which moves all later labels. It returns the mistakes of the program as a whole.
func (a *reader) settle(list statements) diag.List {
	found := 0
	for range MaxPasses {
		if len(a.open) == 0 {
			return nil
		}
		if found = a.pass(list); !a.moved || a.bad {
			return nil
		}
	}
	if found > 0 {
		return nil
	}
	return diag.List{diag.Errorf(diag.TextCondition, diag.Span{}, "no choice of instruction lengths gives every label a consistent address")}
}

// pass reads the open statements again. It returns the number of mistakes, and stops if there are more than are shown.
func (a *reader) pass(list statements) (found int) {
	a.start(false)
	list.each(func(i int, x *item, at int) bool {
		if x.kind != openKind || a.open[at].fixed {
			a.addr += a.size(x, at)
			return true
		}
		o := &a.open[at]
		s, addr, scratch := list.statement(i), a.addr, a.words
		a.words, a.errs = o.words[:0], nil
		a.statement(s, &ahead{}, o.bad)
		if o.bad {
			a.addr += o.size
		}
		o.words, o.size, o.base, o.last = a.words, a.addr-addr, s.Off, a.errs
		a.words = scratch
		found += len(o.mistakes(a.bad)) - len(o.first)
		return found <= diag.MaxShown
	})
	return found
}

// mistakes returns the mistakes of a statement. bad reports whether the first pass could not read some statement: then
// addresses are wrong, and other mistakes than unknown names may follow from that.
func (o *openItem) mistakes(bad bool) diag.List {
	list := slices.Clip(o.first)
	for _, e := range o.last {
		if !bad || e.Code == diag.TextSymbol {
			list = append(list, e)
		}
	}
	return list
}

// take reads a statement for the first time, and stores what it has become.
func (a *reader) take(s program.Statement, known *ahead) (x item, at int) {
	a.asked, a.found, a.wrong, a.words, a.errs = false, false, false, a.words[:0], nil
	addr, labels := a.addr, a.labeled
	kind := a.statement(s, known, false)
	a.mistakes += len(a.errs)
	x = item{off: s.Off, len: uint32(len(s.Text)), kind: openKind}
	if a.labeled > labels {
		x.traits = labeled
	}
	if kind == aDirective {
		x.traits |= isDirective
	}
	at = len(a.bits)
	switch {
	case a.asked || a.wrong:
	case kind == nothing:
		x.kind = settledData
		return x, at
	case kind == anInstruction:
		w := &a.words[0]
		x.off, x.len, x.size, x.kind = w.from, uint32(w.to-w.from), uint16(w.Size), settledInst
		if len(w.Entries) > 0 {
			a.setEntries(at, w.Entries)
		}
		for i := range x.units() {
			a.bits = append(a.bits, w.Word.Word(i))
		}
		return x, at
	case kind == someData && len(a.units) <= math.MaxUint16:
		w := &a.words[0]
		x.off, x.len, x.size, x.kind = w.from, uint32(w.to-w.from), uint16(len(a.units)), settledData
		a.bits = append(a.bits, a.units...)
		return x, at
	}
	a.open = append(a.open, openItem{
		words: slices.Clone(a.words), size: a.addr - addr, bad: a.wrong, fixed: a.wrong && !a.asked, base: s.Off, first: a.errs,
	})
	return x, len(a.open) - 1
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
func (a *reader) statement(s program.Statement, known *ahead, bad bool) kind {
	a.count++
	a.p.Addr, a.tainted = a.addr, false
	text, off := a.labelsOf(s.Text, s.Off)
	a.begin = off
	code := text
	if a.own.comment {
		code = program.StripComment(text, a.comment)
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
		a.addInst(known.word, code, off)
		return anInstruction
	}
	res, err := a.p.Parse(text)
	if err != nil {
		a.fail(err, off)
		a.addr += int64(a.root.StoredSize(a.root.MinSize))
		return anInstruction
	}
	a.addInst(wordOf(&res), code, off)
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
func newAhead(parser func() (*asm.Parser, error)) func() (func(program.Statement) ahead, error) {
	return func() (func(program.Statement) ahead, error) {
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
		return func(s program.Statement) ahead {
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

// withoutLabels returns a statement without its labels.
func withoutLabels(text string) string {
	for ok := true; ok; {
		_, text, ok = cutLabel(text)
	}
	return text
}

// dotted carries out a directive; any other text is nothing. code is the text without what may be a comment.
func (a *reader) dotted(code, text string, off int64) (kind, error) {
	if !strings.HasPrefix(trimLeft(code), ".") || a.own.directive && a.isInstruction(text, off) {
		return nothing, nil
	}
	units, ok, err := Numbers(code, a.unit, a.value)
	switch {
	case !ok:
		if done, err := a.directive(code, off); done {
			return aDirective, err
		}
		return nothing, nil
	case err == nil:
		a.addData(units, code, off)
	}
	return someData, err
}

// labelsOf takes the labels off the start of a line and returns the rest and its offset.
func (a *reader) labelsOf(text string, off int64) (string, int64) {
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

func (a *reader) define(name string, off int64) {
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
		a.moved, a.everMoved = true, true
	}
}

// fail records a mistake in the text at off.
func (a *reader) fail(err error, off int64) {
	found := a.src.Error(err, off)
	a.wrong, a.bad = true, a.bad || a.first
	if a.tainted {
		return
	}
	a.errs = append(a.errs, found)
}

// within returns the range of a text without the blanks around it.
func within(text string, off int64) (from, to int64) {
	trimmed := trimLeft(text)
	off += int64(len(text) - len(trimmed))
	return off, off + int64(len(strings.TrimRight(trimmed, blanks)))
}

const blanks = " \t\r\n"

// trimLeft removes the blanks at the start of a text.
func trimLeft(text string) string {
	for text != "" && strings.IndexByte(blanks, text[0]) >= 0 {
		text = text[1:]
	}
	return text
}

// addData adds the words of a directive.
func (a *reader) addData(units []uint32, text string, off int64) {
	from, to := within(text, off)
	a.units = units
	a.words = append(a.words, a.data(units, from, to)...)
	a.addr += int64(a.unit) * int64(len(units))
}

// addInst adds an instruction.
func (a *reader) addInst(w Word, text string, off int64) {
	w.from, w.to = within(text, off)
	a.addr += int64(a.root.StoredSize(w.Size))
	a.words = append(a.words, w)
}

// keep takes a settled or fixed statement over from an older storage, and returns its index.
func (a *reader) keep(from *storage, x *item, at int) int {
	a.addr += from.size(x, at)
	if x.kind == openKind {
		a.open = append(a.open, from.open[at])
		a.bad = true
		return len(a.open) - 1
	}
	to := len(a.bits)
	a.bits = append(a.bits, from.bits[at:at+x.units()]...)
	if e := from.entries[at]; len(e) > 0 && x.kind == settledInst {
		a.setEntries(to, e)
	}
	return to
}

// setEntries records the table entries of an instruction.
func (s *storage) setEntries(at int, list []asm.Entry) {
	if s.entries == nil {
		s.entries = map[int][]asm.Entry{}
	}
	s.entries[at] = list
}

// isLabel reports whether s is a name that a colon makes a label.
func isLabel(s string) bool {
	for i := 0; i < len(s); i++ {
		if !labelByte(s[i], i == 0) {
			return false
		}
	}
	return s != "" && s != "." // which is the address of the line
}

func labelByte(c byte, first bool) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}
