package tesla

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// maxErrors is the number of mistakes after which the rest of a text is not read.
const maxErrors = 50

// maxBytes bounds the code of a program: branches reach 24 bits of bytes.
const maxBytes = 1 << 24

// assembler turns a piece of a source into code, in one pass over its statements and one over those
// that name a label.
type assembler struct {
	p *asm.Parser
	// d shows what was assembled, for what it finds odd; text is its scratch.
	d    *isa.Decoder
	text []byte
	set  *isa.Set
	ctx  bits.Value
	// aligns has what the address of an instruction is a multiple of, in bits, by leaf.
	aligns []int64
	// longest is the size of the longest instruction in bits.
	longest int
	src     *diag.Source
	labels  map[string]label
	// sections are in the order of their first lines; cur is the one being written.
	sections []*section
	cur      *section
	// scope is the label that local names, with an underscore in front, belong to.
	scope string
	fixes []fix
	errs  diag.List
	// warnings are in the order of the source.
	warnings diag.List
	// named tells that the statement names a label, whose place is not known before the end.
	named bool
	// last tells that all labels have their places.
	last bool
	// limit is the number of bytes that code may have.
	limit int
}

// label is a name: a place in bytes, or the value that .equ gives.
type label struct {
	value int64
	span  diag.Span
	fixed bool
}

// section is a piece of the output.
type section struct {
	name string
	// base is the address of its first byte.
	base int64
	code []byte
	// run are the last instructions since a long word or data, which are all short.
	run []shortWord
	// ends are the places at which instructions and directives end, where these are wanted.
	ends []int
}

// shortWord is an instruction that may yet become long.
type shortWord struct {
	s  statement
	at int
	// labels stand right behind it and move with its end.
	labels []string
}

// statement is a piece of text without comments, and where it stands in the source.
type statement struct {
	text  string
	off   int
	scope string
	long  bool
}

// fix is an instruction, or a number of data, that names a label.
type fix struct {
	s    statement
	sect *section
	at   int
	data dataType // of no bits for instructions
}

func newAssembler(set *isa.Set, p *asm.Parser, ctx bits.Value, src *diag.Source) *assembler {
	d, err := set.NewDecoder("")
	if err != nil {
		panic(err) // the description has instructions
	}
	p.SetContext(ctx)
	d.SetContext(ctx)
	return &assembler{p: p, d: d, set: set, ctx: ctx, aligns: program.Alignments(d.Root()), longest: d.Root().Size, src: src, limit: maxBytes}
}

// assemble reads the statements in src.Text[from:to].
func (a *assembler) assemble(from, to int, ends bool) {
	a.labels, a.scope, a.fixes, a.last = map[string]label{}, "", a.fixes[:0], false
	a.cur = &section{name: "default"}
	if ends {
		a.cur.ends = []int{}
	}
	a.sections = []*section{a.cur}
	defer func() { a.p.Symbol = nil }()
	a.p.Symbol = func(name string) (int64, bool) {
		v, ok := a.name(name)
		return 8 * v, ok
	}
	text, err := stripComments(a.src.Text[from:to])
	if err != nil {
		a.fail(err, from)
		return
	}
	for off, text := range statements(text) {
		a.statement(text, from+off)
		if a.cur.ends != nil {
			a.cur.ends = append(a.cur.ends, len(a.cur.code))
		}
		if len(a.errs) > maxErrors || len(a.cur.code) > a.limit {
			break
		}
	}
	if len(a.cur.code) > a.limit {
		a.fail(wrong(0, 1, "more than 16 MiB of code, which branches do not reach"), from)
	}
	if len(a.errs) <= maxErrors {
		a.resolve()
	}
	a.errs.Sort()
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

// stripComments puts blanks in place of comments: // to the end of the line, /* */, and /+ +/, which nest.
// The error is an *asm.Error.
func stripComments(text string) (string, error) {
	if !strings.Contains(text, "//") && !strings.Contains(text, "/*") && !strings.Contains(text, "/+") {
		return text, nil
	}
	out := []byte(text)
	for i := 0; i+1 < len(out); {
		end := commentEnd(text, i)
		switch {
		case end == i:
			i++
			continue
		case end < 0:
			return "", wrong(i, i+2, "%s, and no end of the comment", text[i:i+2])
		}
		for ; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return string(out), nil
}

// commentEnd returns where the comment ends that starts at i: i itself where none does, -1 where it has
// no end.
func commentEnd(text string, i int) int {
	switch {
	case strings.HasPrefix(text[i:], "//"):
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	case strings.HasPrefix(text[i:], "/*"):
		if n := strings.Index(text[i+2:], "*/"); n >= 0 {
			return i + 2 + n + 2
		}
		return -1
	case strings.HasPrefix(text[i:], "/+"):
		for depth := 0; i < len(text); {
			switch {
			case strings.HasPrefix(text[i:], "/+"):
				depth, i = depth+1, i+2
			case strings.HasPrefix(text[i:], "+/"):
				if depth, i = depth-1, i+2; depth == 0 {
					return i
				}
			default:
				i++
			}
		}
		return -1
	}
	return i
}

// statements yields the pieces between line ends and semicolons, with their offsets.
func statements(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for start := 0; start < len(text); {
			end := len(text)
			if n := strings.IndexAny(text[start:], "\n;"); n >= 0 {
				end = start + n
			}
			if !yield(start, strings.TrimRight(text[start:end], "\r")) {
				return
			}
			start = end + 1
		}
	}
}

// wrong is a mistake in text[off:end] of a statement.
func wrong(off, end int, format string, args ...any) *asm.Error {
	return &asm.Error{Code: diag.TextExpected, Off: off, End: max(end, off+1), Msg: fmt.Sprintf(format, args...)}
}

// fail records a mistake in the statement at off.
func (a *assembler) fail(err error, off int) {
	var e *asm.Error
	if errors.As(err, &e) {
		found := e.At(a.src, off)
		for _, leaf := range e.Candidates {
			found.With(found.Span, "the closest is %s, %s", leaf.Name, leaf.Template())
		}
		a.errs = append(a.errs, found)
		return
	}
	a.errs = append(a.errs, diag.Errorf(diag.TextExpected, diag.Span{Src: a.src, Off: off, End: off + 1}, "%v", err))
}

func (a *assembler) statement(text string, off int) {
	for {
		lead := len(text) - len(strings.TrimLeft(text, " \t"))
		text, off = text[lead:], off+lead
		end := (&scanner{text: text}).word(0)
		if end == 0 || end == len(text) || text[end] != ':' || isDigit(text[0]) {
			break
		}
		a.define(text[:end], off)
		text, off = text[end+1:], off+end+1
	}
	text = strings.TrimRight(text, " \t")
	switch {
	case text == "":
	case text[0] == '.':
		if err := a.directive(text, off); err != nil {
			a.fail(err, off)
		}
	default:
		a.instruction(text, off)
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

func (a *assembler) define(name string, off int) {
	key := full(a.scope, name)
	if key == name {
		a.scope = name
	}
	a.setLabel(key, name, off, a.cur.base+int64(len(a.cur.code)), false)
	if n := len(a.cur.run); n > 0 {
		a.cur.run[n-1].labels = append(a.cur.run[n-1].labels, key)
	}
}

func (a *assembler) setLabel(key, name string, off int, value int64, fixed bool) {
	span := diag.Span{Src: a.src, Off: off, End: off + len(name)}
	if old, ok := a.labels[key]; ok {
		a.errs = append(a.errs, diag.Errorf(diag.Duplicate, span, "label %s is defined twice", name).With(old.span, "the other definition"))
		return
	}
	a.labels[key] = label{value, span, fixed}
}

// name returns the value of a name. Before the end that of a label is not to be relied on.
func (a *assembler) name(name string) (int64, bool) {
	l, ok := a.labels[full(a.scope, name)]
	if a.last || ok && l.fixed {
		return l.value, ok
	}
	a.named = true
	return l.value, true
}

// instruction adds an instruction in the shortest form. A long word starts at a multiple of 8 bytes: a
// short one before it becomes long, if the source leaves that open.
func (a *assembler) instruction(text string, off int) {
	s := statement{text: text, off: off, scope: a.scope}
	if rest, ok := strings.CutPrefix(text, longPrefix); ok {
		rest = strings.TrimLeft(rest, " \t")
		s = statement{text: rest, off: off + len(text) - len(rest), scope: a.scope, long: true}
	}
	a.named = false
	in, err := a.parse(&s)
	if err != nil {
		a.fail(err, s.off)
		return
	}
	named := a.named
	if n := a.aligns[in.Leaf.ID]; n > 8 && 8*int64(len(a.cur.code))%n != 0 && !a.widen(n) {
		a.fail(a.misplaced(&s, in, n), s.off)
		return
	}
	if named {
		s.long = true
		a.fixes = append(a.fixes, fix{s, a.cur, len(a.cur.code), dataType{}})
	}
	a.warn(&s, in)
	if in.Leaf.Size < a.longest {
		a.cur.addShort(shortWord{s: s, at: len(a.cur.code)})
	} else {
		a.closeShort()
	}
	a.cur.code = appendInst(a.cur.code, in)
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
	how := fmt.Sprintf("data stands before it; .align %d behind the data does it", n)
	if len(a.cur.run) > 0 {
		how = "no short instruction before it has a long form; another short one makes a pair"
	}
	return &asm.Error{Code: diag.TextCondition, End: len(s.text), Msg: fmt.Sprintf(
		"a word of %d bits at 0x%x, expected a multiple of %d bytes: %s", in.Leaf.Size, a.cur.base+int64(len(a.cur.code)), n, how)}
}

// warn tells of what the hardware does not expect in an instruction.
func (a *assembler) warn(s *statement, in isa.Inst) {
	if in, ok := a.d.Decode(in.Bits); ok {
		a.text = a.d.Append(a.text[:0], in)
	}
	for _, f := range a.d.Findings() {
		if f.Kind == isa.Unexpected {
			a.warnings = append(a.warnings, diag.Warnf(diag.UnexpectedBits, diag.Span{Src: a.src, Off: s.off, End: s.off + len(s.text)}, "%s", strings.TrimPrefix(f.Text, "WARNING: ")))
		}
	}
}

// longPrefix asks for a long word where a short one does it too.
const longPrefix = "long "

// widen makes one of the last instructions long, the last that can be, so that what follows stands at a
// multiple of so many bits.
func (a *assembler) widen(multiple int64) bool {
	c := a.cur
	for i := len(c.run) - 1; i >= 0; i-- {
		if 8*int64(c.run[i].at)%multiple == 0 && a.grow(i, multiple) {
			return true
		}
	}
	return false
}

// grow makes a word of the run long, if it can be and what follows then stands at a multiple of so many bits.
func (a *assembler) grow(i int, multiple int64) bool {
	c := a.cur
	w := c.run[i]
	w.s.long, a.named = true, false
	in, err := a.parse(&w.s)
	if err != nil {
		return false
	}
	end := len(c.code)
	if i+1 < len(c.run) {
		end = c.run[i+1].at
	}
	added := in.Leaf.Size/8 - (end - w.at)
	if 8*int64(len(c.code)+added)%multiple != 0 {
		return false
	}
	c.code = slices.Replace(c.code, w.at, end, appendInst(nil, in)...)
	for _, later := range c.run[i:] {
		for _, key := range later.labels {
			l := a.labels[key]
			l.value += int64(added)
			a.labels[key] = l
		}
	}
	for n := len(c.ends) - 1; n >= 0 && c.ends[n] > w.at; n-- {
		c.ends[n] += added
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

// parse reads an instruction. One that must be long, or names a label, whose value is not known yet,
// has its longest form.
func (a *assembler) parse(s *statement) (isa.Inst, error) {
	in, err := a.read(s.text, s.long)
	text, list := s.text, []replaced(nil)
	if err != nil {
		in, text, list, err = a.readConstants(s, err)
	}
	if err != nil {
		return isa.Inst{}, a.explain(moved(err, list), s.text, text)
	}
	if a.named && !s.long && in.Leaf.Size < a.longest {
		if long, err := a.read(text, true); err == nil {
			return long, nil
		}
	}
	return in, nil
}

// readConstants reads an instruction with the values of its constant expressions; was is why it cannot
// be read as it stands.
func (a *assembler) readConstants(s *statement, was error) (in isa.Inst, text string, list []replaced, err error) {
	text, list, negative, err := constants(s.text, a.name)
	switch {
	case err != nil:
		return in, s.text, nil, err
	case list == nil && !negative:
		return in, s.text, nil, was
	}
	in, err = a.read(text, s.long)
	if err != nil && negative {
		if wrapped, e := a.read(unsigned(text), s.long); e == nil {
			return wrapped, text, list, nil
		}
	}
	return in, text, list, err
}

// read reads an instruction, which is the longest there is where long asks for it.
func (a *assembler) read(text string, long bool) (isa.Inst, error) {
	if long {
		if res, err := a.p.Parse(longPrefix + text); err == nil {
			return res.Inst, nil
		}
	}
	res, err := a.p.Parse(text)
	if err == nil && long && res.Inst.Leaf.Size < a.longest {
		err = wrong(0, len(text), "this has no long form")
	}
	return res.Inst, err
}

// unsigned writes numbers below 0 as those of 32 bits.
func unsigned(text string) string {
	for {
		at := strings.Index(text, "-0x")
		if at < 0 {
			return text
		}
		end := (&scanner{text: text}).word(at + 1)
		v, err := strconv.ParseInt(text[at:end], 0, 64)
		if err != nil || v < -1<<31 {
			return text
		}
		text = text[:at] + "0x" + strconv.FormatUint(uint64(uint32(v)), 16) + text[end:]
	}
}

// explain says where else an instruction is one, if it is none here.
func (a *assembler) explain(err error, text, read string) error {
	var e *asm.Error
	if !errors.As(err, &e) || e.Code == diag.TextSymbol {
		return err
	}
	if _, here := a.p.Parse(read); here == nil {
		return err
	}
	if where := program.Elsewhere(a.p, a.set, a.ctx, read); where != "" {
		return &asm.Error{Code: diag.TextCondition, End: len(text), Msg: where}
	}
	return err
}

// resolve reads again what names a label. Where there were mistakes the places of labels are off, so
// that only names that nothing has are told of.
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
		a.scope = f.s.scope
		if f.data.bits > 0 {
			if err := a.number(f.sect.code[f.at:], f.s.text, f.data); err != nil {
				a.fail(err, f.s.off)
			}
			continue
		}
		in, err := a.parse(&f.s)
		if err != nil {
			a.fail(err, f.s.off)
			continue
		}
		copy(f.sect.code[f.at:f.at+in.Leaf.Size/8], appendInst(nil, in))
	}
}
