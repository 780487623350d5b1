package pica200

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
)

// Syntax is the syntax of instructions in source: picasso's.
const Syntax = "picasso"

// AssembleOptions are the options of the assembler.
type AssembleOptions struct {
	// NoPad leaves out the instructions that keep a jump from being the last word of a scope. It warns about each.
	NoPad bool
	// Compat assembles what Picasso does, even if the source probably means something else. It warns about each.
	Compat bool
}

// Assembled is the result of assembling a source.
type Assembled struct {
	File *SHBIN
	// Bytes are the bytes of the file.
	Bytes []byte
	// Warnings are in the order of the source; the code of each is its name.
	Warnings diag.List

	uniforms []*uniform
	declared []program.Declaration
	prefix   string
}

// Assembler assembles source in picasso's language to shader files. It can be reused, but not by several goroutines
// at once.
type Assembler struct {
	set    *isa.Set
	roles  *program.Roles
	layout *program.Layout
	parser *asm.Parser
	table  asm.GrowingTable
	banks  banks
	// mnemonics are by the names that source has for them.
	mnemonics map[string]*mnemonic
	most      bounds
	fresh     *isa.Decoder
	linter    linter
	// The instruction being read: in the words of the description, and the registers that it reads.
	line   asm.Line
	note   note // of line
	inputs []int
	// tools are those of Source, nil before it is asked for.
	tools *sourceTools
}

// NewAssembler returns an assembler. The set must have the syntax Syntax.
func NewAssembler(set *isa.Set) (*Assembler, error) {
	if set.Syntax() != Syntax {
		return nil, fmt.Errorf("the instruction set has the syntax %q, expected %q", set.Syntax(), Syntax)
	}
	parser, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	parser.Symbol = anywhere
	roles, err := program.NewRoles(set)
	if err != nil {
		return nil, err
	}
	layout, err := program.NewLayout(set, roles)
	if err != nil {
		return nil, err
	}
	a := &Assembler{set: set, roles: roles, layout: layout, parser: parser}
	a.table = asm.GrowingTable{Size: set.Tables()[0].Size, Swapped: func(i, j int) { layout.Swap(0, i, j) }}
	if err := a.banks.load(set); err != nil {
		return nil, err
	}
	if a.fresh, err = set.NewDecoder(""); err != nil {
		return nil, err
	}
	if err := a.most.load(set); err != nil {
		return nil, err
	}
	return a, a.loadNames()
}

// Assemble assembles files into one shader file, as picasso does: all of them share procedures, and each is a program
// unless it has .nodvle. It reports all mistakes at once, as a diag.List.
func (a *Assembler) Assemble(files []*diag.Source, opt AssembleOptions) (*Assembled, error) {
	return a.newAssembly(opt).assemble(files)
}

func (a *Assembler) newAssembly(opt AssembleOptions) *assembly {
	layout := a.layout
	layout.Reset()
	a.table.Reset()
	r := &assembly{Assembler: a, shared: map[string]*uniform{}, facts: facts{size: -1}}
	r.spaces[0].init(&a.banks)
	layout.NoPad, r.compat = opt.NoPad, opt.Compat
	if r.compat {
		layout.Overrun = func(span diag.Span, why string) {
			r.asPicasso(span, "the excess bits go into the bits above the field, as in picasso: %s", why)
		}
	}
	layout.Unpadded = func(span diag.Span) {
		if !r.facts.noPad {
			r.warn(diag.JumpAtEnd, span, "the last instruction of this scope has no effect there: a nop is needed after it")
		}
	}
	return r
}

func (r *assembly) assemble(files []*diag.Source) (*Assembled, error) {
	r.parser.Symbol, r.parser.Tables[0] = r.symbol, &r.table
	defer func() { r.parser.Symbol, r.parser.Tables[0] = anywhere, nil }()
	for _, src := range files {
		for _, file := range splitFiles(src) {
			r.assembleFile(file)
		}
	}
	return r.finish()
}

// anywhere is where names are for a parser that reads no program.
func anywhere(string) (addr int64, ok bool) { return 0, true }

// splitFiles divides a source that holds several files.
func splitFiles(src *diag.Source) []*diag.Source {
	if !strings.Contains(src.Text, fileDirective) {
		return []*diag.Source{src}
	}
	var files []*diag.Source
	start, off, line, before := 0, 0, 0, src.Before
	for text := range strings.Lines(src.Text) {
		if fields := strings.Fields(text); len(fields) > 1 && fields[0]+" "+fields[1] == fileDirective && off > start {
			files = append(files, &diag.Source{Name: src.Name, Text: src.Text[start:off], Before: before})
			start, before = off, src.Before+line
		}
		off += len(text)
		line++
	}
	return append(files, &diag.Source{Name: src.Name, Text: src.Text[start:], Before: before})
}

// fileDirective starts another file in the same source.
const fileDirective = ".isago file"

// assembly is the state of one run.
type assembly struct {
	*Assembler
	// spaces are the uniform registers: those that all programs share, and those of a geometry shader.
	spaces [2]space
	shared map[string]*uniform
	// declared are the uniforms in the order of declaration, for the header.
	declared []*uniform
	files    []*dvleState
	facts    facts
	errs     diag.List
	warnings diag.List
	unheard  bool // nobody wants to hear warnings
	compat   bool // what picasso reads counts

	// The file being read, and the line.
	dvle    *dvleState
	aliases map[string]*alias
	spans   []program.Declaration
	hiding  bool // an alias has the name of a register
	array   *constArray
	src     *diag.Source
	base    int // of the text being read, in src
	// The instruction being read: its name, nil for one that is none.
	mnemonic *mnemonic
	first    bool // the next operand is the first
	over     overflow
	name     string // of the place that it goes to
}

func (r *assembly) span(off, end int) diag.Span {
	return diag.Span{Src: r.src, Off: r.base + off, End: r.base + max(end, off+1)}
}

func (r *assembly) fail(code diag.Code, span diag.Span, format string, args ...any) *diag.Error {
	e := diag.Errorf(code, span, format, args...)
	r.errs = append(r.errs, e)
	return e
}

func (r *assembly) warn(code diag.Code, span diag.Span, format string, args ...any) *diag.Error {
	e := diag.Warnf(code, span, format, args...)
	r.warnings = append(r.warnings, e)
	return e
}

func (r *assembly) assembleFile(src *diag.Source) {
	r.dvle, r.aliases, r.hiding, r.array = nil, map[string]*alias{}, false, nil
	r.spaces[0].nextFile()
	pieces, err := program.Pieces(src)
	var list diag.List
	if errors.As(err, &list) {
		r.preprocessor(list)
	}
	r.src, r.base = src, 0
	for _, p := range pieces {
		r.src = p
		lexis.Split(p.Text, func(off int, statement string) bool {
			r.base = off
			r.readLine(statement)
			return true
		})
	}
	if r.array != nil {
		r.fail(diag.BlockNesting, r.array.span, "the array %s that starts here is not closed", r.array.name)
	}
	r.layout.EndFile()
	if r.dvle != nil {
		r.dvle.src = src
	}
}

// preprocessor takes the mistakes that are lines for a preprocessor.
func (r *assembly) preprocessor(list diag.List) {
	for _, e := range list {
		if r.compat {
			r.asPicasso(e.Span, "ignored, as picasso does: %s", e.Msg)
			continue
		}
		r.errs = append(r.errs, e)
		r.offer(len(r.errs)-1, "nothing for this line")
	}
}

// program returns the program that the file makes, which starts with the first thing that needs one.
func (r *assembly) program() *dvleState {
	if r.dvle == nil {
		r.dvle = &dvleState{entry: "main", src: r.src}
		r.files = append(r.files, r.dvle)
	}
	return r.dvle
}

// lexis is picasso's.
var lexis = program.NewLexis("", []string{";"})

// readLine reads labels, then a directive or an instruction.
func (r *assembly) readLine(text string) {
	off := 0
	if r.base == 0 && strings.HasPrefix(text, textfile.ByteOrderMark) {
		off = len(textfile.ByteOrderMark)
	}
	for {
		off += blanksAt(text[off:])
		if off < len(text) && text[off] == '#' {
			return // a comment; program.Pieces has taken the line markers
		}
		i := strings.IndexByte(text[off:], ':')
		if i < 0 {
			break
		}
		name := trimEnd(text[off : off+i])
		if inValue(name) {
			break
		}
		span := r.span(off, off+len(name))
		if name == "" && r.compat {
			r.asPicasso(r.span(off+i, off+i+1), "a label without a name is ignored, as in picasso")
		} else if !isIdentifier(name) {
			r.fail(diag.TextExpected, span, "%q, expected the name of a label before the colon", quote.Shorten(name))
			if name == "" {
				r.offer(len(r.errs)-1, "nothing for this colon")
			}
		} else {
			r.layout.Label(name, span)
		}
		off += i + 1
	}
	text = trimEnd(text)
	if off >= len(text) {
		return
	}
	if text[off] == '.' {
		r.directive(text, off)
		return
	}
	r.instruction(text, off)
}

// inValue reports whether a colon after the text belongs to a value, as in (f24:3f0000, and does not end a label.
func inValue(text string) bool {
	return strings.HasSuffix(text, strings.TrimSuffix(float24Prefix, ":")) && !isIdentifier(text)
}

// blanksAt returns the number of blanks at the start of a text.
func blanksAt(s string) int {
	n := 0
	for n < len(s) && isBlank(s[n]) {
		n++
	}
	return n
}

// isBlank reports whether a byte is a blank of C's isspace; lines end elsewhere.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// trimEnd cuts off the blanks at the end of a text.
func trimEnd(s string) string {
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// instruction reads the instruction that starts at off.
func (r *assembly) instruction(text string, off int) {
	r.base, text = r.base+off, withoutLastComma(text[off:])
	span := r.span(0, len(text))
	switch {
	case r.array != nil && r.compat:
		r.asPicasso(span, "assembled inside the array %s, as picasso does: .end closes the array", r.array.name)
	case r.array != nil:
		r.fail(diag.BlockNesting, span, "an instruction is not allowed inside the array %s; .end closes the array", r.array.name)
		r.offer(len(r.errs)-1, "the instruction at this place")
		return
	case r.layout.Depth() == 0:
		r.fail(diag.BlockNesting, span, "this instruction is outside of a procedure: .proc NAME opens one, .end closes it")
		return
	}
	l := &r.line
	l.Start(text)
	r.name, r.note = "", note{}
	if !r.spellOut(text) {
		r.broken()
		return
	}
	res, err := r.parser.ParseLine(l)
	if err != nil {
		r.explain(err)
		r.broken()
		return
	}
	if r.over != (overflow{}) {
		r.over.put(r, &res.Inst)
	}
	r.place(res.Inst, span)
}

// note is what is noted of an instruction: its tag, and where in its text the name of a place and the fields in braces are.
type note struct {
	tag               uint32
	target, targetEnd int
	suffix            int // 0 for none
}

// suffix returns the fields in braces after the instruction, with their braces.
func (r *assembly) suffix() string {
	if r.note.suffix > 0 {
		return r.line.Source[r.note.suffix:]
	}
	return ""
}

// withoutLastComma leaves out a comma after the last operand, which picasso does not mind.
func withoutLastComma(text string) string {
	if short, ok := strings.CutSuffix(text, ","); ok && strings.ContainsAny(short, " \t") {
		return trimEnd(short)
	}
	return text
}

// place adds an instruction that was read to the program.
func (r *assembly) place(in isa.Inst, span diag.Span) {
	d := r.program()
	role := r.roles.Of(in)
	if role.Marks == geometryMark {
		r.slot(in, span)
		if !d.geometry {
			d.geometry, d.compatible = true, true
		}
	}
	r.hazards(in, span)
	r.limit(d, span)
	target := program.Target{Name: r.name, Span: r.span(r.note.target, r.note.targetEnd)}
	if suffix := r.suffix(); suffix != "" {
		target.GivenTarget, target.GivenCount = given(suffix, role)
	}
	r.layout.Add(program.Placed{Inst: in, Span: span, Tag: r.note.tag, Role: role}, target)
}

// hazards reports likely mistakes in an instruction, by the description.
func (r *assembly) hazards(in isa.Inst, span diag.Span) {
	r.fresh.SetTable(0, r.table.Entries)
	for _, h := range r.fresh.Hazards(nil, in) {
		switch {
		case !h.Rejected:
			r.warn(diag.Code(h.Name), span, "%s", h.Text)
		case !r.facts.unchecked:
			r.fail(diag.RegisterUse, span, "%s", h.Text)
		}
	}
}

// geometryMark is the mark, in the description, of an instruction of geometry shaders.
const geometryMark = "geometry"

// bounds are what the description says that programs have at most.
type bounds struct{ vertex, geometry, rasterised int }

// load reads the bounds.
func (b *bounds) load(set *isa.Set) error {
	for name, to := range map[string]*int{"vertex words": &b.vertex, "geometry words": &b.geometry, "rasterised": &b.rasterised} {
		most, ok := set.Limit(name)
		if !ok {
			return fmt.Errorf("the description needs a limit %q", name)
		}
		*to = int(most)
	}
	return nil
}

// slot checks the fields that have a limit.
func (r *assembly) slot(in isa.Inst, span diag.Span) {
	limits := in.Leaf.FieldLimits()
	if len(limits) == 0 || r.facts.unchecked {
		return
	}
	for _, f := range r.fresh.Fields(nil, in) {
		for _, l := range limits {
			if f.Path == l.Field && f.Value[0] > l.Max {
				r.fail(diag.TextRange, span, "%s %d, expected 0 to %d", l.Field, f.Value[0], l.Max)
			}
		}
	}
}

// limited words the error of a value that is too large for the bits of a field which has a limit
// below that, as slot does.
func (r *assembly) limited(e *asm.Error) string {
	if r.mnemonic == nil || e.Code != diag.TextRange {
		return e.Msg
	}
	for _, l := range r.mnemonic.leaf.FieldLimits() {
		if strings.Contains(e.Msg, " "+l.Field+",") {
			return fmt.Sprintf("%s %s, expected 0 to %d", l.Field, r.line.Source[e.Off:e.End], l.Max)
		}
	}
	return e.Msg
}

// given tells which of the fields that the layout fills the suffix of an instruction names.
func given(suffix string, role *program.Role) (target, count bool) {
	for part := range strings.SplitSeq(strings.Trim(suffix, "{} \t"), ",") {
		name, _, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		target = target || role.Target != "" && strings.EqualFold(name, role.Target)
		count = count || role.Count != "" && strings.EqualFold(name, role.Count)
	}
	return target, count
}

// limit checks that there is room for another word. Only the first of a file that is too many is reported.
func (r *assembly) limit(d *dvleState, span diag.Span) {
	most, what := r.most.vertex, VertexShader
	if d.geometry {
		most, what = r.most.geometry, GeometryShader
	}
	n := len(r.layout.Words)
	if n < most || d.full || r.facts.unchecked {
		return
	}
	d.full = true
	message := fmt.Sprintf("word %d: the code memory of %s shaders has %d words, all files together", n+1, what, most)
	taken := d.geometry || n == most // picasso counts one word late, and only those of vertex shaders
	if taken && r.compat {
		d.full = d.geometry
		r.asPicasso(span, "assembled, as picasso does: %s", message)
		return
	}
	r.fail(diag.ProgramSize, span, "%s", message)
	if taken {
		r.offer(len(r.errs)-1, "as many words as there are")
	}
}

// broken places something for an instruction that cannot be read, so that blocks stay paired.
func (r *assembly) broken() {
	in := r.roles.Filler
	if r.mnemonic != nil {
		in = isa.Inst{Leaf: r.mnemonic.leaf, Bits: r.mnemonic.leaf.Match}
	}
	r.layout.Add(program.Placed{Inst: in, Span: r.span(0, 1)}, program.Target{})
}

// symbol notes the name of a branch target; its place is filled in when it is known.
func (r *assembly) symbol(name string) (int64, bool) {
	r.name = name
	return 0, true
}

// data reads a .word directive.
func (r *assembly) data(text string, off int) {
	span := r.span(off, len(text))
	if r.layout.Depth() == 0 {
		r.fail(diag.BlockNesting, span, "these words are outside of a procedure: .proc NAME opens one, .end closes it")
		return
	}
	words, _, err := source.Numbers(text[off:], wordBits, nil)
	var e *asm.Error
	if errors.As(err, &e) {
		r.fail(e.Code, r.span(off+e.Off, off+e.End), "%s", e.Msg)
	}
	for _, w := range words {
		r.limit(r.program(), span)
		r.layout.Add(program.Placed{Inst: r.layout.Decode(bits.Of(uint64(w))), Span: span}, program.Target{GivenTarget: true})
	}
}

// finish links the files and makes the shader file.
func (r *assembly) finish() (*Assembled, error) {
	r.layout.Link()
	for _, e := range r.layout.Errs {
		r.errs = append(r.errs, e)
		if e.Code == diag.TextRange { // of a field that the layout fills
			r.offer(len(r.errs)-1, "a word with the excess bits in the bits above the field")
		}
	}
	out := &Assembled{File: &SHBIN{}, uniforms: r.declared, declared: r.spans, prefix: vertexPrefix}
	r.code(out.File)
	for i, d := range r.files {
		if i == 0 && d.geometry {
			out.prefix = geometryPrefix
		}
		if !d.omitted {
			out.File.DVLEs = append(out.File.DVLEs, r.header(d))
		}
	}
	if len(out.File.DVLEs) == 0 && !r.facts.noPrograms && len(r.errs) == 0 {
		r.fail(diag.Directive, diag.Span{}, "no program: each file has .nodvle or is empty")
	}
	if len(r.errs) == 0 {
		if !r.unheard {
			r.lint()
		}
		out.Warnings = r.warnings
		out.Warnings.Sort()
		if r.facts.likeNihstro {
			out.File.PlaceLikeNihstro()
		} else {
			out.File.Place()
		}
		r.write(out)
	}
	if len(r.errs) > 0 {
		r.errs.Sort()
		return nil, r.errs.Capped("mistake")
	}
	return out, nil
}

func (r *assembly) write(out *Assembled) {
	data, err := WriteSHBIN(out.File)
	if err != nil {
		r.fail(diag.FileFormat, diag.Span{}, "%v", err)
		return
	}
	if out.Bytes = data; r.facts.patched() {
		out.Bytes = r.facts.patch(data)
		if out.File, err = ReadSHBIN(out.Bytes); err != nil {
			r.fail(diag.FileFormat, r.facts.span, "the patched file cannot be read: %v", err)
		}
	}
}

// code copies words and descriptors into the file.
func (r *assembly) code(f *SHBIN) {
	f.DVLP.Version = r.facts.version
	f.DVLP.Code = make([]uint32, 0, len(r.layout.Words))
	f.DVLP.Descriptors = slices.Grow(f.DVLP.Descriptors, len(r.table.Entries))
	for i := range r.layout.Words {
		f.DVLP.Code = append(f.DVLP.Code, uint32(r.layout.Words[i].Inst.Bits[0]))
	}
	for _, e := range r.table.Entries {
		f.DVLP.Descriptors = append(f.DVLP.Descriptors, Descriptor{Value: uint32(e[0])})
	}
	for _, d := range r.facts.descriptors {
		for d.index >= len(f.DVLP.Descriptors) {
			f.DVLP.Descriptors = append(f.DVLP.Descriptors, Descriptor{})
		}
		f.DVLP.Descriptors[d.index] = d.value
	}
}

// header makes the DVLE of a program.
func (r *assembly) header(d *dvleState) DVLE {
	d.symbols(r.facts.likeNihstro)
	out := d.DVLE
	out.Word04 = dvleWord04
	if d.geometry {
		out.Type = GeometryShader
	}
	if h := d.headerFact; h != nil {
		out.Word04, out.Type, out.MergeOutmaps, out.InputMask, out.OutputMask = h.word04, h.kind, h.merge, h.inputs, h.outputs
	}
	if d.entryWords != nil {
		out.Entry, out.End = d.entryWords[0], d.entryWords[1]
		return out
	}
	p, ok := r.layout.Procedure(d.entry)
	switch {
	case ok:
		out.Entry, out.End = uint32(p.Start), uint32(p.End)
	case d.entrySpan.IsValid():
		r.fail(diag.TextSymbol, d.entrySpan, "unknown procedure %s", d.entry)
	case len(r.errs) == 0: // else it may be what the other mistakes hide
		r.fail(diag.TextSymbol, diag.Span{Src: d.src}, "the entry point %s is not a procedure; .entry names another procedure, and .nodvle marks a file without a program", d.entry)
	}
	return out
}

// dvleWord04 is what picasso writes at offset 4 of a DVLE.
const dvleWord04 = 0x1002

// explain turns an error of the instruction parser into one of the source.
func (r *assembly) explain(err error) {
	var e *asm.Error
	if !errors.As(err, &e) {
		r.fail(diag.TextExpected, r.span(0, 1), "%v", err)
		return
	}
	if e.Code == diag.TableFull && r.suffix() == "" { // it is no part of the instruction that is too much
		_, why, _ := strings.Cut(e.Msg, ": ")
		e.Off, e.End, e.Msg = 0, len(r.line.Source), "operand descriptors: "+why
	}
	r.fail(e.Code, r.span(e.Off, e.End), "%s", r.limited(e))
}

// number reads a decimal or hexadecimal number.
func number(text string) (int, bool) {
	sign, digits := 1, text
	if strings.HasPrefix(digits, "-") {
		sign, digits = -1, digits[1:]
	}
	base := 10
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		base, digits = 16, digits[2:]
	}
	n, err := strconv.ParseUint(digits, base, 31)
	return sign * int(n), err == nil && digits[0] != '+'
}

func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !identifierByte(s[i], i == 0) {
			return false
		}
	}
	return s != ""
}

func identifierByte(c byte, first bool) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || !first && c >= '0' && c <= '9'
}
