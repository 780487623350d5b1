package tesla

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// MaxSpace is the most bytes that a directive may add, and that all directives may add together.
const MaxSpace = 1 << 24

// lexis is that of envyas: comments of C and D, and statements that end with a line or a semicolon.
var lexis = program.NewLexis(";", []string{"//"},
	program.BlockComment{Open: "/*", Close: "*/"}, program.BlockComment{Open: "/+", Close: "+/", Nests: true})

// assembler turns a piece of a source into code, in one pass over its statements and one over those
// that name a label.
type assembler struct {
	*reader
	// start makes a reader for another goroutine, of which there are up to jobs.
	start func() (*reader, error)
	jobs  int
	// aligns has what the address of an instruction is a multiple of, in bits, by leaf.
	aligns []int64
	src    *program.Text
	labels map[string]label
	// sections are in the order of their first lines; cur is the one being written.
	sections []*section
	cur      *section
	// scope is the label that local names, with an underscore in front, belong to.
	scope string
	fixes []fix
	errs  diag.List
	// before is how many errors there were before this source.
	before int
	// warnings are in the order of the source.
	warnings diag.Bag
	// last is set if all labels have their places.
	last bool
	// tainted is set if the present statement needs a name whose .equ failed: its mistakes may come from that.
	tainted bool
	// bare is set if the source is instructions without a cubin around them; order is the one that it asks for.
	bare  bool
	order program.Order
	// left is what directives have left free, in bytes.
	left int64
}

// label is a name: a place in bytes, or the value that .equ gives. It is defined at off in the source.
type label struct {
	value int64
	off   int64
	fixed bool
	// failed is set if the expression of .equ failed, which was reported there.
	failed bool
}

// section is a piece of the output.
type section struct {
	name string
	// base is the address of its first byte.
	base int64
	code []byte
	// run are the last instructions since a long word or data, which are all short.
	run []shortWord
	// ends are those of statements, where they are wanted.
	ends []statementEnd
}

// statementEnd is the byte after what a statement became, which stands from off up to end in the source.
type statementEnd struct {
	at       int
	off, end int64
}

// shortWord is an instruction that may yet become long.
type shortWord struct {
	s  statement
	at int
	// labels stand right after it and move with its end.
	labels []string
}

// statement is a piece of text without comments, and where it stands in the source.
type statement struct {
	text string
	off  int64
	long bool
}

// fix is an instruction, or a number of data, that names a label: what stands from off up to end in the source.
type fix struct {
	off, end int64
	long     bool
	scope    string
	sect     *section
	at       int
	data     dataType // of no bits for instructions
}

// newAssembler returns an assembler that reads instructions with the readers that start makes.
func newAssembler(start func() (*reader, error), jobs int) (*assembler, error) {
	r, err := start()
	if err != nil {
		return nil, err
	}
	return &assembler{reader: r, start: start, jobs: jobs, aligns: program.Alignments(r.d.Root())}, nil
}

// errEnough ends a text that has too many mistakes.
var errEnough = errors.New("too many mistakes")

// assemble reads the statements of a source.
func (a *assembler) assemble(src *program.Text, ends bool) error {
	a.src, a.labels, a.scope, a.fixes, a.last, a.left = src, map[string]label{}, "", a.fixes[:0], false, 0
	a.before = len(a.errs)
	a.cur = &section{name: "default"}
	if ends {
		a.cur.ends = []statementEnd{}
	}
	a.sections = []*section{a.cur}
	a.lookUp(a.name)
	err := program.Each(src.Split(lexis), a.jobs, a.startAhead, a.batch)
	switch {
	case errors.Is(err, errEnough):
	case err != nil:
		return err
	default:
		a.resolve()
	}
	return nil
}

// startAhead returns what reads statements on another goroutine.
func (a *assembler) startAhead() (func(program.Statement) read, error) {
	r, err := a.start()
	if err != nil {
		return nil, err
	}
	r.ahead = true
	return r.readAhead, nil
}

// batch takes statements.
func (a *assembler) batch(b *program.Batch[read]) error {
	if b.Open >= 0 {
		a.errs, a.tainted = a.errs[:a.before], false
		a.fail(wrong(0, 2, "%s starts a comment that has no end", a.src.View(b.Open, b.Open+2)), b.Open)
		return errEnough
	}
	for i, s := range b.Statements {
		var known *read
		if len(b.Ahead) > 0 {
			known = &b.Ahead[i]
		}
		a.statement(s.Text, s.Off, known)
		if a.cur.ends != nil {
			lead := (&scanner{text: s.Text}).blanks(0)
			a.cur.ends = append(a.cur.ends, statementEnd{len(a.cur.code), s.Off + int64(lead), s.Off + int64(len(s.Text))})
		}
		if a.errs.Full() {
			return errEnough
		}
	}
	return nil
}

// bytes are the sections one after the other.
func (a *assembler) bytes() []byte {
	if len(a.sections) == 1 {
		return a.cur.code
	}
	var code []byte
	for _, s := range a.sections {
		code = append(code, s.code...)
	}
	return code
}

// wrong is a mistake in text[off:end] of a statement.
func wrong(off, end int, format string, args ...any) *asm.Error {
	return &asm.Error{Code: diag.TextExpected, Off: off, End: max(end, off+1), Msg: fmt.Sprintf(format, args...)}
}

// fail records a mistake in the statement at off.
func (a *assembler) fail(err error, off int64) {
	if a.tainted {
		return
	}
	found := a.src.Error(err, off)
	var e *asm.Error
	if errors.As(err, &e) {
		for _, leaf := range e.Candidates {
			found.With(found.Span, "the closest is %s, %s", leaf.Name, leaf.Template())
		}
	}
	a.errs = append(a.errs, found)
}

// labelEnd returns where the colon stands after the label with which a text starts, -1 where none does.
func labelEnd(text string) int {
	end := (&scanner{text: text}).word(0)
	if end == 0 || end == len(text) || text[end] != ':' || isDigit(text[0]) {
		return -1
	}
	return end
}

// statement reads labels, and a directive or an instruction; known is what that was read as ahead.
func (a *assembler) statement(text string, off int64, known *read) {
	for {
		lead := (&scanner{text: text}).blanks(0)
		text, off = text[lead:], off+int64(lead)
		end := labelEnd(text)
		if end < 0 {
			break
		}
		a.define(strings.Clone(text[:end]), off)
		text, off = text[end+1:], off+int64(end)+1
	}
	text = strings.TrimRight(text, " \t")
	a.tainted = false
	switch {
	case text == "":
	case text[0] == '.':
		if err := a.directive(text, off); err != nil {
			a.fail(err, off)
		}
	default:
		a.instruction(instructionAt(text, off), known)
	}
}

// full returns the name of a label; a local one starts with one underscore, and has that of the label
// that it belongs to in front.
func full(scope, name string) string {
	if strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "__") {
		return "__" + scope + name
	}
	return name
}

func (a *assembler) define(name string, off int64) {
	key := full(a.scope, name)
	if key == name {
		a.scope = name
	}
	a.setLabel(key, name, label{value: a.cur.base + int64(len(a.cur.code)), off: off})
	if n := len(a.cur.run); n > 0 {
		a.cur.run[n-1].labels = append(a.cur.run[n-1].labels, key)
	}
}

func (a *assembler) setLabel(key, name string, l label) {
	if old, ok := a.labels[key]; ok {
		a.errs = append(a.errs, a.src.Twice(name, l.off, old.off))
		return
	}
	a.labels[key] = l
}

// name returns the value of a name. Before the end that of a label is not to be relied on.
func (a *assembler) name(name string) (int64, bool) {
	l, ok := a.labels[full(a.scope, name)]
	a.tainted = a.tainted || l.failed
	if a.last || ok && l.fixed {
		return l.value, ok
	}
	a.named = true
	return l.value, true
}

// instruction adds an instruction in the shortest form. A long word starts at a multiple of 8 bytes: a
// short one before it becomes long, if the source leaves that open.
func (a *assembler) instruction(s statement, known *read) {
	var here read
	if known == nil || known.named {
		known = &here
		a.read(&s, known)
	}
	in := known.inst
	if known.rare != nil && known.rare.err != nil {
		a.fail(known.rare.err, s.off)
		return
	}
	if n := a.aligns[in.Leaf.ID]; n > 8 && 8*int64(len(a.cur.code))%n != 0 && !a.widen(n) {
		a.fail(a.misplaced(&s, in, n), s.off)
		return
	}
	if known.named {
		s.long = true
		a.fixes = append(a.fixes, fix{off: s.off, end: s.off + int64(len(s.text)), long: true, scope: a.scope, sect: a.cur, at: len(a.cur.code)})
	}
	if known.rare != nil {
		a.warn(&s, known.rare.odd)
	}
	if in.Leaf.Size < a.longest {
		a.cur.addShort(shortWord{s: s, at: len(a.cur.code)})
	} else {
		a.closeShort()
	}
	a.cur.code = appendInst(a.cur.code, in)
}

// warn reports what the hardware does not expect in an instruction.
func (a *assembler) warn(s *statement, odd []string) {
	for _, text := range odd {
		a.warnings.Warn(diag.UnexpectedBits, a.src.Span(s.off, s.off+int64(len(s.text))), text)
	}
}

// addShort adds to the run, of which it keeps the end.
func (s *section) addShort(w shortWord) {
	const most = 128
	if len(s.run) == most {
		s.run = append(s.run[:0], s.run[most/2:]...)
	}
	s.run = append(s.run, w)
}

// misplaced says that a long word stands where none can. Bytes of 0 are for data: among instructions
// they would run.
func (a *assembler) misplaced(s *statement, in isa.Inst, multiple int64) error {
	n := multiple / 8
	how := fmt.Sprintf("data precedes it; add .align %d after the data", n)
	if len(a.cur.run) > 0 {
		how = "no short instruction before it has a long form; another short one makes a pair"
	}
	return &asm.Error{Code: diag.TextCondition, End: len(s.text), Msg: fmt.Sprintf(
		"a word of %d bits at 0x%x, expected a multiple of %d bytes: %s", in.Leaf.Size, a.cur.base+int64(len(a.cur.code)), n, how)}
}

// widen makes one of the last instructions long, the last that can be, so that what follows stands at a
// multiple of so many bits.
func (a *assembler) widen(multiple int64) bool {
	c := a.cur
	for i := len(c.run) - 1; i >= 0; i-- {
		if 8*int64(c.run[i].at)%multiple == 0 && a.grow(i) {
			return true
		}
	}
	return false
}

// grow makes a word of the run long and reports whether the word has a long form. The words of the run are
// adjacent, so that the code becomes half a long word longer.
func (a *assembler) grow(i int) bool {
	c := a.cur
	w := c.run[i]
	w.s.long = true
	in, err := a.parse(&w.s)
	if err != nil {
		return false
	}
	end := len(c.code)
	if i+1 < len(c.run) {
		end = c.run[i+1].at
	}
	added := in.Leaf.Size/8 - (end - w.at)
	c.code = slices.Replace(c.code, w.at, end, appendInst(nil, in)...)
	for _, later := range c.run[i:] {
		for _, key := range later.labels {
			l := a.labels[key]
			l.value += int64(added)
			a.labels[key] = l
		}
	}
	for n := len(c.ends) - 1; n >= 0 && c.ends[n].at > w.at; n-- {
		c.ends[n].at += added
	}
	for n := len(a.fixes) - 1; n >= 0 && a.fixes[n].sect == c && a.fixes[n].at > w.at; n-- {
		a.fixes[n].at += added
	}
	return true
}

func appendInst(dst []byte, in isa.Inst) []byte {
	for i := range in.Leaf.Size / 32 {
		dst = binary.LittleEndian.AppendUint32(dst, in.Bits.Word(i))
	}
	return dst
}

// resolve reads again what names a label. Where there were mistakes the places of labels are off, so that only names
// that nothing has are reported.
func (a *assembler) resolve() {
	a.last = true
	before := len(a.errs)
	if before > 0 {
		defer func() {
			list := slices.DeleteFunc(a.errs[before:], func(e *diag.Error) bool { return e.Code != diag.TextSymbol })
			a.errs = a.errs[:before+len(list)]
		}()
	}
	for i := range a.fixes {
		f := &a.fixes[i]
		a.scope = f.scope
		a.tainted = false
		s := statement{text: lexis.Clean(a.src.View(f.off, f.end)), off: f.off, long: f.long}
		if err := a.fix(f, &s); err != nil {
			a.fail(err, f.off)
		}
	}
}

// fix puts what a statement has become in its place.
func (a *assembler) fix(f *fix, s *statement) error {
	if f.data.bits > 0 {
		return a.number(f.sect.code[f.at:], s.text, f.data)
	}
	in, err := a.parse(s)
	if err == nil {
		copy(f.sect.code[f.at:f.at+in.Leaf.Size/8], appendInst(nil, in))
	}
	return err
}
