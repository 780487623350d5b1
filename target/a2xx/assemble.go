package a2xx

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Assembler assembles source. It can be reused, but not by several goroutines at once.
type Assembler struct {
	m       *machine
	context bits.Value
	clauses map[string]bool // the words that clauses start with, in capitals
	layout  layout          // takes what was assembled apart, to check it
	lexis   *program.Lexis
	// Jobs is the number of processors that may be used.
	Jobs int
	assembly
}

// NewAssembler returns an assembler for a syntax of the instruction set. The context is for sources without a stage.
func NewAssembler(set *isa.Set, ctx bits.Value) (*Assembler, error) {
	m, err := newMachine(set)
	if err != nil {
		return nil, err
	}
	a := &Assembler{m: m, context: ctx, clauses: map[string]bool{}, lexis: program.NewLexis("", []string{set.Comment()})}
	a.labels, a.names = map[string]label{}, newNames(a)
	for _, l := range m.cf.root.Leaves {
		word, _, _ := strings.Cut(l.Display, " ")
		a.clauses[strings.ToUpper(word)] = true
	}
	return a, nil
}

// Assembled is a program.
type Assembled struct {
	Words []uint32
	// Tail are the bytes after the last word.
	Tail []byte
	// Context has the stage.
	Context bits.Value
	// BigEndian is the byte order of the source.
	BigEndian bool
	// Warnings are in the order of the source; the code of each is its name.
	Warnings diag.List
	// Symbols are the names that are declared; Consts the constants with values, named or not.
	Symbols, Consts []Symbol
}

// Bytes returns the program as it is stored.
func (o *Assembled) Bytes() []byte {
	data := make([]byte, 0, 4*len(o.Words)+len(o.Tail))
	for _, w := range o.Words {
		if o.BigEndian {
			data = binary.BigEndian.AppendUint32(data, w)
		} else {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
	}
	return append(data, o.Tail...)
}

// assembly is the state of assembling one source.
type assembly struct {
	src  *diag.Source
	errs diag.List
	// warnings are likely mistakes.
	warnings diag.List
	lines    []sourceLine
	// statements are the lines, infos those of the units.
	statements []program.Statement
	infos      []unitInfo
	labels     map[string]label
	names      names
	line       asm.Line // that is read
	units      []placedUnit
	out        Assembled
	options    sourceOptions
	// placed are the clauses with their places in the source.
	placed []sourceClause
	// contexts are, by kind, those of the next instruction.
	contexts [2]bits.Value
	rest     []uint32 // behind the last whole unit
	// clauseLines is the number of clauses so far; start is the unit after all of them.
	clauseLines, start int
}

// sourceOptions are what directives say of the whole source.
type sourceOptions struct{ unchecked bool }

// label is a place that clauses can go to.
type label struct {
	clause int
	span   diag.Span
}

// sourceLine is a clause, an instruction or data.
type sourceLine struct {
	// kind is an instruction's; clauses and data have none.
	kind *kind
	what lineKind
	off  int
	// text has blanks in place of comments and line ends.
	text string
	// words are data; unit is the place that a directive gives.
	words []uint32
	unit  int
}

func (l *sourceLine) end() int { return l.off + len(l.text) }

type lineKind uint8

const (
	clauseLine lineKind = iota
	stepLine
	dataLine
	originLine
)

// sourceClause is a clause that was read, with the instructions after it.
type sourceClause struct {
	in          isa.Inst
	ctx         bits.Value
	span        diag.Span
	at          int // the unit at which the next thing would be placed
	first, size int // the instructions behind it
}

// placedUnit is what stands in a unit.
type placedUnit struct {
	unitInfo
	words [unitWords]uint32
	span  diag.Span
}

// maxUnits bounds a program; addresses reach far less.
const maxUnits = 1 << 20

// Assemble assembles a source. It reports up to fifty mistakes at once.
func (a *Assembler) Assemble(src *diag.Source) (*Assembled, error) {
	a.assembly = assembly{
		src: src, lines: a.lines[:0], statements: a.statements[:0], labels: a.labels, names: a.names,
		units: a.units[:0], infos: a.infos[:0], placed: a.placed[:0], line: a.line,
	}
	a.out.Context = a.context
	clear(a.labels)
	a.names.forget()
	a.scan()
	if len(a.errs) == 0 {
		if err := a.assemble(); err != nil {
			return nil, err
		}
	}
	if err := a.errs.Bounded().Err(); err != nil {
		return nil, err
	}
	out := a.out
	out.Warnings = a.warnings
	return &out, nil
}

func (a *assembly) fail(code diag.Code, off, end int, format string, args ...any) {
	a.errs = append(a.errs, errorf(code, a.span(off, end), format, args...))
}

func (a *assembly) span(off, end int) diag.Span { return diag.Span{Src: a.src, Off: off, End: end} }

// errEnough ends a source that has too many mistakes.
var errEnough = errors.New("too many mistakes")

// scan divides the source into what its lines are.
func (a *Assembler) scan() {
	a.lexis.Split(a.src.Text, func(off int, text string) bool {
		a.scanLine(text, off)
		return !a.errs.Full()
	})
}

// scanLine takes labels, and what stands after them.
func (a *Assembler) scanLine(text string, off int) {
	for {
		rest := text[blanksAt(text):]
		off += len(text) - len(rest)
		if text = trimRight(rest); text == "" {
			return
		}
		if k := a.kindOf(text); k != nil {
			a.lines = append(a.lines, sourceLine{kind: k, what: stepLine, off: off, text: text})
			return
		}
		name := identifier(text)
		switch rest = text[len(name):]; {
		case text[0] == '.' && (name == "" || name[0] == '.'):
			a.directive(text, off)
			return
		case text[0] == '@':
			a.names.header(text, off)
			return
		case name == "" || rest == "" || rest[0] != ':':
			a.other(text, off, name)
			return
		}
		a.define(name, off)
		text, off = rest[1:], off+len(name)+1
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// blanksAt returns the number of blanks at the start of a text.
func blanksAt(text string) int {
	n := 0
	for n < len(text) && isBlank(text[n]) {
		n++
	}
	return n
}

func trimRight(text string) string {
	for text != "" && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// identifier returns the name that a text starts with.
func identifier(text string) string {
	n := 0
	for n < len(text) && nameByte(text[n], n == 0) {
		n++
	}
	return text[:n]
}

func nameByte(c byte, first bool) bool {
	return c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}

// kindOf tells what kind of instruction a line starts, nil for none.
func (a *Assembler) kindOf(line string) *kind {
	for _, k := range a.m.kinds {
		text := line
		if len(text) > len(k.mark) && strings.EqualFold(text[:len(k.mark)], k.mark) {
			text = text[len(k.mark):]
			text = text[blanksAt(text):]
		}
		if len(text) >= len(k.prefix) && strings.EqualFold(text[:len(k.prefix)], k.prefix) {
			return k
		}
	}
	return nil
}

// other takes a line that is a clause, or goes on with the instruction before it.
func (a *Assembler) other(text string, off int, word string) {
	n := len(a.lines)
	if n == 0 || a.lines[n-1].what != stepLine || a.clauses[strings.ToUpper(word)] {
		a.lines = append(a.lines, sourceLine{what: clauseLine, off: off, text: text})
		a.clauseLines++
		return
	}
	l := &a.lines[n-1]
	if src := a.src.Text; src[l.off:l.end()] == l.text && strings.Trim(src[l.end():off], " \t\r\n") == "" {
		l.text = src[l.off : off+len(text)]
		return
	}
	l.text += strings.Repeat(" ", off-l.end()) + text
}

// define gives the next clause a label.
func (a *Assembler) define(name string, off int) {
	l := label{a.clauseLines, a.span(off, off+len(name))}
	if old, ok := a.labels[name]; ok {
		a.errs = append(a.errs, errorf(diag.Duplicate, l.span, "label %s is defined twice", name).With(old.span, "the other definition"))
		return
	}
	a.labels[name] = l
}

// assemble places what was read.
func (a *Assembler) assemble() error {
	a.readClauses()
	if len(a.errs) == 0 {
		a.end()
	}
	// Mistakes of instructions are reported next to those of clauses. Where they stand depends on how many clauses
	// there are, read or not.
	a.start = (max(len(a.placed), a.clauseLines) + 1) / 2
	if err := a.readSteps(); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if len(a.errs) > 0 {
		return nil
	}
	a.fillClauses()
	a.write()
	switch {
	case a.options.unchecked:
		a.warnings = nil
	case len(a.errs) == 0:
		a.check()
	}
	return nil
}

// readClauses reads the clauses. Labels are indices of clauses, which are known by now.
func (a *Assembler) readClauses() {
	p := a.m.cf.parser
	p.Symbol = func(name string) (int64, bool) {
		l, ok := a.labels[name]
		return int64(l.clause) * int64(a.m.cf.root.Size), ok
	}
	for i := range a.lines {
		l := &a.lines[i]
		if l.what != clauseLine || a.errs.Full() {
			continue
		}
		p.Addr = int64(len(a.placed)) * int64(a.m.cf.root.Size)
		if res, ok := a.parse(p, a.out.Context, l); ok {
			a.placed = append(a.placed, sourceClause{in: res.Inst, ctx: res.Context, span: a.span(l.off, l.end())})
		}
	}
}

// parse reads an instruction or a clause.
func (a *Assembler) parse(p *asm.Parser, ctx bits.Value, l *sourceLine) (asm.Result, bool) {
	p.SetContext(ctx)
	var res asm.Result
	var err error
	if len(a.names.byName) == 0 {
		res, err = p.Parse(l.text)
	} else {
		list, ok := a.names.spellOut(&a.line, l.text)
		if !ok {
			return res, false
		}
		for _, wrong := range list {
			a.errs = append(a.errs, wrong.At(a.src, l.off))
		}
		res, err = p.ParseLine(&a.line)
	}
	if err == nil {
		return res, true
	}
	var e *asm.Error
	if !errors.As(err, &e) {
		a.fail(diag.TextExpected, l.off, l.end(), "%v", err)
		return res, false
	}
	if e.Code == diag.TextConflict && e.Bits == (bits.Value{}) || e.Code == diag.TextCondition {
		a.disagreement(l, e)
	}
	at := e.At(a.src, l.off)
	a.errs = append(a.errs, at)
	return res, false
}

// ahead is what an instruction was read as without regard to those before it; ok is false where it has to be read again.
type ahead struct {
	asm.Result
	ok bool
}

// startAhead returns what reads instructions on another goroutine.
func (a *Assembler) startAhead() (func(program.Statement) ahead, error) {
	parsers := map[*kind]*asm.Parser{}
	for _, k := range a.m.kinds {
		p, err := asm.New(a.m.set, k.root.Name)
		if err != nil {
			return nil, err
		}
		p.SetContext(a.out.Context)
		parsers[k] = p
	}
	var line asm.Line
	return func(s program.Statement) ahead {
		k := a.kindOf(s.Text)
		if k == nil {
			return ahead{}
		}
		if wrong, ok := a.names.spellOut(&line, s.Text); wrong != nil || !ok {
			return ahead{}
		}
		res, ok := parsers[k].Try(string(line.Text))
		return ahead{res, ok}
	}, nil
}

// disagreement explains why the halves of an instruction that both export do not go together; other errors stay as they are.
func (a *Assembler) disagreement(l *sourceLine, e *asm.Error) {
	name := handedOn(a.m.set)
	var exports []string
	for i := 0; i < len(l.text) && len(exports) < 2; {
		word := identifier(l.text[i:])
		if len(word) > len(name) && strings.EqualFold(word[:len(name)], name) {
			exports = append(exports, word)
			e.Off, e.End = i, i+len(word)
		}
		i += max(len(word), 1)
	}
	if len(exports) < 2 {
		return
	}
	e.Msg = l.kind.root.Leaves[0].Meta("disagrees")
	if both := common(exports[0], exports[1]); both != "" {
		e.Msg = both + " of both halves: " + e.Msg
	}
}

// common lists the components that the masks of two destinations have; without a mask they are all.
func common(a, b string) string {
	const all = "xyzw"
	mask := func(text string) string {
		_, mask, ok := strings.Cut(strings.ToLower(text), ".")
		if !ok {
			return all
		}
		return mask
	}
	var list []string
	for _, c := range all {
		if strings.ContainsRune(mask(a), c) && strings.ContainsRune(mask(b), c) {
			list = append(list, string(c))
		}
	}
	return strings.Join(list, ", ")
}

// end adds the clause that ends a program, if none does.
func (a *Assembler) end() {
	if a.options.unchecked {
		return
	}
	for i := range a.placed {
		if a.m.clauses[a.placed[i].in.Leaf.ID].ends {
			return
		}
	}
	ctx := a.out.Context
	for _, f := range a.m.gives {
		ctx = f.set(ctx, false)
	}
	a.placed = append(a.placed, sourceClause{in: a.m.end, ctx: ctx, span: a.span(len(a.src.Text), len(a.src.Text))})
}

// readSteps reads the instructions and places them, and data, after the clauses.
func (a *Assembler) readSteps() error {
	for i := range a.lines {
		a.statements = append(a.statements, program.Statement{Off: int64(a.lines[i].off), Text: a.lines[i].text})
	}
	p := placing{Assembler: a, at: a.start, clause: -1}
	a.contexts = [2]bits.Value{a.out.Context, a.out.Context}
	next := 0
	err := program.Each(program.Listed(a.statements), a.Jobs, a.startAhead, func(b *program.Batch[ahead]) error {
		for i := range b.Statements {
			var known ahead
			if len(b.Ahead) > 0 {
				known = b.Ahead[i]
			}
			if !p.line(&a.lines[next], &known) {
				return errEnough
			}
			next++
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.end()
	return nil
}

// placing puts lines one after the other.
type placing struct {
	*Assembler
	// at and word are the next place, clause is the present one.
	at, word, clause int
}

// line places what a line gives; ok is false where there are too many mistakes, or units.
func (p *placing) line(l *sourceLine, known *ahead) (ok bool) {
	if p.errs.Full() {
		return false
	}
	if p.at >= maxUnits && l.what != clauseLine {
		p.fail(diag.ProgramSize, l.off, l.end(), "unit %d, expected at most %d", p.at, maxUnits-1)
		return false
	}
	if p.word > 0 && l.what != dataLine {
		p.fail(diag.ProgramSize, l.off, l.end(), "the data before this ends inside a unit of %d words", unitWords)
		p.word = 0
	}
	switch l.what {
	case clauseLine:
		if p.clause++; p.clause < len(p.placed) {
			p.placed[p.clause].at, p.placed[p.clause].first = p.at, p.at
		}
	case originLine:
		p.at = l.unit
	case dataLine:
		for _, w := range l.words {
			u := p.take(p.at, l)
			u.words[p.word] = w
			if p.word++; p.word == unitWords {
				p.at, p.word = p.at+1, 0
			}
		}
	case stepLine:
		p.step(l, p.at, p.clause, known)
		p.at++
	}
	return true
}

// end places what is left after the last line.
func (p *placing) end() {
	if p.word > 0 { // the last unit is not whole
		p.rest = append([]uint32(nil), p.units[p.at].words[:p.word]...)
		p.units = p.units[:p.at]
	}
	for i := p.clause + 1; i < len(p.placed); i++ { // that which was added
		p.placed[i].at, p.placed[i].first = p.at, p.at
	}
}

// take returns a unit that is still free, for a line.
func (a *Assembler) take(at int, l *sourceLine) *placedUnit {
	if at >= maxUnits {
		a.fail(diag.ProgramSize, l.off, l.end(), "unit %d, expected at most %d", at, maxUnits-1)
		return &placedUnit{}
	}
	for len(a.units) <= at {
		a.units = append(a.units, placedUnit{})
	}
	u := &a.units[at]
	if u.span.IsValid() && u.span.Off != l.off || at < a.start {
		a.fail(diag.Duplicate, l.off, l.end(), "unit %d is already used", at)
	}
	u.taken, u.span = true, a.span(l.off, l.end())
	return u
}

// step reads an instruction, which may have been read ahead.
func (a *Assembler) step(l *sourceLine, at, clause int, known *ahead) {
	if clause < 0 {
		a.fail(diag.TextExpected, l.off, l.end(), "this instruction is before the first clause; a clause determines when it runs")
		return
	}
	number := a.number(l.kind)
	ctx := a.contexts[number]
	res, ok := known.Result, known.ok && ctx == a.out.Context
	if !ok {
		if res, ok = a.parse(l.kind.parser, ctx, l); !ok {
			return
		}
	}
	if f := l.kind.follows[res.Inst.Leaf.ID]; f.width > 0 {
		a.contexts[number] = f.set(ctx, true)
	}
	u := a.take(at, l)
	u.kind, u.waits = number, l.kind.sync.get(res.Context)
	for _, h := range l.kind.decoder.Hazards(nil, res.Inst) {
		a.warnings = append(a.warnings, diag.Warnf(diag.Code(h.Name), u.span, "%s", h.Text))
	}
	v := res.Inst.Bits
	u.words = [unitWords]uint32{v.Word(0), v.Word(1), v.Word(2)}
	if clause < len(a.placed) {
		c := &a.placed[clause]
		if c.size == 0 {
			c.first = at
		}
		c.size++
	}
}

// number returns the number of a kind.
func (a *Assembler) number(k *kind) int {
	if k == a.m.kinds[1] {
		return 1
	}
	return 0
}

// fillClauses gives clauses what their text left out.
func (a *Assembler) fillClauses() {
	for i := range a.units {
		a.infos = append(a.infos, a.units[i].unitInfo)
	}
	for i := range a.placed {
		p := &a.placed[i]
		if c := &a.m.clauses[p.in.Leaf.ID]; c.runs {
			a.fillClause(p, c)
		}
	}
}

func (a *Assembler) fillClause(p *sourceClause, c *clause) {
	v := &p.in.Bits
	first := p.first
	if p.size == 0 {
		first = p.at
	}
	switch {
	case a.m.gives[addressed].get(p.ctx):
		if at := c.address.of(v); p.size > 0 && at != first && !a.options.unchecked {
			a.errs = append(a.errs, errorf(diag.ProgramSize, p.span, "the text has unit %d, but the instructions after the clause are at unit %d; omit the address to have it filled in", at, first))
		}
	case first >= 1<<c.address.width || first >= c.store && !a.options.unchecked:
		a.errs = append(a.errs, errorf(diag.ProgramSize, p.span, "the clause starts at unit %d, which its address cannot reach: there are %d units", first, c.store))
	default:
		v.SetUint(c.address.low, c.address.width, uint64(first))
	}
	switch {
	case a.m.gives[counted].get(p.ctx):
		if n := c.count.of(v); p.size > 0 && n != p.size && !a.options.unchecked {
			a.errs = append(a.errs, errorf(diag.ProgramSize, p.span, "the text has %d instructions, but %d follow the clause; omit the count to have it filled in", n, p.size))
		}
	case p.size >= 1<<c.count.width || p.size > c.steps && !a.options.unchecked:
		a.errs = append(a.errs, errorf(diag.ProgramSize, p.span, "the clause has %d instructions, but sequence bits for only %d: start another clause", p.size, c.steps))
	default:
		v.SetUint(c.count.low, c.count.width, uint64(p.size))
	}
	if !a.m.gives[sequenced].get(p.ctx) {
		bits := sequence(c, a.infos, c.address.of(v), c.count.of(v))
		v.SetUint(c.sequence.low, c.sequence.width, uint64(bits))
	}
}

// write puts the program together.
func (a *Assembler) write() {
	clauses := a.placed
	if len(clauses)%2 > 0 {
		clauses = append(clauses, sourceClause{in: a.m.filler})
	}
	words := make([]uint32, 0, unitWords*max(len(clauses)/2, len(a.units))+len(a.rest))
	size := a.m.cf.root.Size
	for i := 0; i < len(clauses); i += 2 {
		v := clauses[i].in.Bits
		v.SetUint(size, size, clauses[i+1].in.Bits[0])
		words = append(words, v.Word(0), v.Word(1), v.Word(2))
	}
	for i := len(clauses) / 2; i < len(a.units); i++ {
		words = append(words, a.units[i].words[:]...)
	}
	a.out.Words = append(words, a.rest...)
}

// places tell where the clauses and the instructions of what was assembled last stand.
func (a *Assembler) places() []program.Place {
	list := make([]program.Place, 0, len(a.placed)+len(a.units))
	for i := range a.placed {
		list = append(list, program.Place{Addr: int64(i * a.m.cf.root.Size), Span: a.placed[i].span})
	}
	for i := range a.units {
		if s := a.units[i].span; s.IsValid() {
			list = append(list, program.Place{Addr: int64(i) * unitBits, Span: s})
		}
	}
	return list
}

// check reports what the machine cannot do, and warns about likely mistakes.
func (a *Assembler) check() {
	a.layout.m, a.layout.words, a.layout.context = a.m, a.out.Words, a.out.Context
	a.layout.analyse()
	for _, p := range a.layout.problems() {
		a.errs = append(a.errs, errorf(p.code, a.placeOf(&p), "%s", p.text))
	}
	if len(a.errs) > 0 {
		return
	}
	for _, p := range a.layout.warnings() {
		a.warnings = append(a.warnings, diag.Warnf(p.code, a.placeOf(&p), "%s", p.text))
	}
	a.warnings.Sort()
}

// placeOf returns where in the source a problem is.
func (a *Assembler) placeOf(p *problem) (span diag.Span) {
	switch {
	case p.clause >= 0 && p.clause < len(a.placed):
		return a.placed[p.clause].span
	case p.unit >= 0 && p.unit < len(a.units):
		return a.units[p.unit].span
	}
	return span
}

// directive reads a line that starts with a dot.
func (a *Assembler) directive(line string, off int) {
	end := off + len(line)
	word := line
	if n := strings.IndexAny(line, " \t"); n >= 0 {
		word = line[:n]
	}
	words := strings.FieldsFunc(line[len(word):], func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
	f, ok := directives[strings.ToLower(word)]
	switch {
	case !ok:
		a.fail(diag.Directive, off, end, "unknown directive %s, expected .word, .byte, .org, .stage or .isago", word)
	case len(words) == 0:
		a.fail(diag.Directive, off, end, "nothing after %s, expected an argument", word)
	case len(words) > 1 && !f.list:
		a.fail(diag.Directive, off, end, "%q after %s %s, expected nothing", words[1], word, words[0])
	default:
		f.read(a, words, line, off)
	}
}

// directives are those of a source; some take a list of numbers.
var directives = map[string]struct {
	read func(a *Assembler, words []string, line string, off int)
	list bool
}{
	".word":  {(*Assembler).wordDirective, true},
	".byte":  {(*Assembler).byteDirective, true},
	".org":   {(*Assembler).orgDirective, false},
	".stage": {(*Assembler).stageDirective, false},
	".isago": {(*Assembler).isagoDirective, false},
}

// numbers reads numbers of so many bits.
func (a *Assembler) numbers(words []string, bits, off, end int) (list []uint64, ok bool) {
	for _, w := range words {
		n, err := strconv.ParseUint(w, 0, bits)
		if err != nil {
			a.fail(diag.TextRange, off, end, "%q, expected an unsigned number of at most %d bits", w, bits)
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

func (a *Assembler) wordDirective(words []string, line string, off int) {
	l := sourceLine{what: dataLine, off: off, text: line}
	list, _ := a.numbers(words, 32, off, off+len(line))
	for _, n := range list {
		l.words = append(l.words, uint32(n))
	}
	a.lines = append(a.lines, l)
}

// byteDirective reads bytes after the last word.
func (a *Assembler) byteDirective(words []string, line string, off int) {
	list, _ := a.numbers(words, 8, off, off+len(line))
	for _, n := range list {
		a.out.Tail = append(a.out.Tail, byte(n))
	}
}

func (a *Assembler) orgDirective(words []string, line string, off int) {
	if list, ok := a.numbers(words[:1], 20, off, off+len(line)); ok {
		a.lines = append(a.lines, sourceLine{what: originLine, off: off, text: line, unit: int(list[0])})
	}
}

func (a *Assembler) stageDirective(words []string, line string, off int) {
	var err error
	if a.out.Context, err = a.m.set.ParseContext(a.out.Context, "stage", words[0]); err != nil {
		a.fail(diag.Directive, off, off+len(line), "%v", err)
	}
}

func (a *Assembler) isagoDirective(words []string, line string, off int) {
	switch words[0] {
	case "unchecked":
		a.options.unchecked = true
	case program.BigEndianName:
		a.out.BigEndian = true
	default:
		a.fail(diag.Directive, off, off+len(line), "unknown directive .isago %s, expected unchecked or big-endian", words[0])
	}
}
