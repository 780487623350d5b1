package pica200

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/quote"
)

// dvleState is a program that is being made: what its file declares.
type dvleState struct {
	DVLE
	src       *diag.Source
	entry     string
	entrySpan diag.Span
	// entryWords are the entry and end words where the source gives them as numbers.
	entryWords *[2]uint32
	headerFact *headerFact
	unsorted   bool // the table of uniforms is in the order of the source

	omitted bool // .nodvle
	full    bool // the word that is one too many has been told of
	// geometry tells that it is a geometry shader; compatible that it is one which shares the uniforms
	// of the vertex shaders, as before .gsh had operands.
	geometry, compatible bool

	written [outputRegisters]uint8 // components that .out declares
}

// outputRegisters is the number of output registers that a DVLE's mask has bits for.
const outputRegisters = 16

// isGeometry reports whether its header says that it is a geometry shader.
func (d *dvleState) isGeometry() bool {
	if d.headerFact != nil {
		return d.headerFact.kind == GeometryShader
	}
	return d.geometry
}

// private reports whether the program has uniform registers of its own.
func (d *dvleState) private() bool { return d.geometry && !d.compatible }

func byRegister(a, b Uniform) int { return int(a.First) - int(b.First) }

// symbols makes the table of symbols, and sorts the uniforms by register, as picasso does since version 2.6. Their
// names stand after those of labels; in nihstro's files, whose uniforms are declared before the code, before them.
func (d *dvleState) symbols(uniformsFirst bool) {
	if !d.unsorted {
		slices.SortStableFunc(d.Uniforms, byRegister)
	}
	var text strings.Builder
	add := func(name string) uint32 {
		at := text.Len()
		text.WriteString(name)
		text.WriteByte(0)
		return uint32(at)
	}
	labels := func() {
		for i := range d.Labels {
			d.Labels[i].SymbolOffset = add(d.Labels[i].Name)
		}
	}
	if !uniformsFirst {
		labels()
	}
	for i := range d.Uniforms {
		d.Uniforms[i].SymbolOffset = add(d.Uniforms[i].Name)
	}
	if uniformsFirst {
		labels()
	}
	d.Symbols = text.String()
}

// args reads the operands of a directive.
type args struct {
	r    *assembly
	text string
	pos  int
}

func (a *args) blanks() { a.pos += blanksAt(a.text[a.pos:]) }

// word reads up to a blank.
func (a *args) word() (text string, span diag.Span) {
	a.blanks()
	start := a.pos
	for a.pos < len(a.text) && a.text[a.pos] != ' ' && a.text[a.pos] != '\t' {
		a.pos++
	}
	return a.text[start:a.pos], a.r.span(start, a.pos)
}

// rest returns what is left.
func (a *args) rest() (text string, span diag.Span) {
	a.blanks()
	return a.text[a.pos:], a.r.span(a.pos, len(a.text))
}

// done complains of what is left.
func (a *args) done() bool {
	text, span := a.rest()
	if text == "" {
		return true
	}
	a.r.fail(diag.Directive, span, "%q is one operand too many", text)
	return false
}

// name reads an identifier up to a blank.
func (a *args) name(what string) (string, diag.Span, bool) {
	text, span := a.word()
	if !isIdentifier(text) {
		a.r.fail(diag.Directive, span, "%q, expected %s", text, what)
		return text, span, false
	}
	return text, span, true
}

// register reads a register of a bank up to a blank.
func (a *args) register(of bank) (o operand, span diag.Span, ok bool) {
	start := a.pos + blanksAt(a.text[a.pos:])
	word, span := a.word()
	end := a.pos
	if n := strings.IndexByte(word, ','); n > 0 { // picasso's numbers end there
		end, a.pos = start+n, start+n+1
		span = a.r.span(start, end)
	}
	o, ok = a.r.registerOf(of, a.text, start, end)
	return o, span, ok
}

// registerOf reads the register of a bank at text[off:end].
func (r *assembly) registerOf(of bank, text string, off, end int) (operand, bool) {
	file, span := r.banks.files[of], r.span(off, end)
	fits := func(o *operand) bool { return o.file == file && (of == outputBank || o.num < file.Count) }
	return r.either(positions[of], text, off, end, of != outputBank, fits, func() (o operand, ok bool) {
		if o, ok = r.operand(text, off, end); !ok {
			return o, false
		}
		switch {
		case o.file != file:
			r.fail(diag.RegisterUse, span, "%s, expected a register of %s", o.String(), file.Name)
		case o.index != 0:
			r.fail(diag.RegisterUse, span, "an address register is not allowed here, expected %s", o.String())
		case of == outputBank && o.neg:
			r.fail(diag.RegisterUse, span, "a destination cannot be negated, expected %s", o.String())
		case of != outputBank && (o.neg || o.swz != noSwizzle):
			r.fail(diag.RegisterUse, span, "a whole register is not allowed here, expected %s", o.String())
		default:
			return o, true
		}
		return o, false
	})
}

// integer reads a number from 0 to most up to a blank.
func (a *args) integer(what string, most int) (int, bool) {
	text, span := a.word()
	n, ok := number(text)
	octal := len(text) > 1 && text[0] == '0' && !isHexadecimal(text) // to picasso
	if ok && !octal && n >= 0 && n <= most {
		return n, true
	}
	message := fmt.Sprintf("%q, expected %s, 0 to %d", text, what, most)
	c, _, reads := cInteger(text, 0)
	if reads = reads && c >= 0 && c <= int64(most); reads && a.r.compat {
		a.r.asPicasso(span, "%s is read as %d, as picasso does: %s", text, c, message)
		return int(c), true
	}
	a.r.fail(diag.TextRange, span, "%s", message)
	if reads {
		a.r.offer(len(a.r.errs)-1, "%d", c)
	}
	return 0, false
}

// directive reads the directive that starts at off.
func (r *assembly) directive(text string, off int) {
	end := off + 1
	for end < len(text) && text[end] != ' ' && text[end] != '\t' && text[end] != '(' {
		end++
	}
	name, span := strings.ToLower(text[off+1:end]), r.span(off, end)
	f, known := directives[name]
	if !known {
		r.fail(diag.Directive, span, "unknown directive .%s%s", name, quote.DidYouMean("."+name, directiveNames()))
		return
	}
	if r.array != nil && (name == "proc" || name == "else") {
		r.fail(diag.BlockNesting, span, ".%s is not allowed inside the array %s; .end closes the array", name, r.array.name)
		return
	}
	f(r, &args{r: r, text: text, pos: end}, span)
}

var directives map[string]func(*assembly, *args, diag.Span)

func init() { // the table refers to functions that refer to it
	directives = map[string]func(*assembly, *args, diag.Span){
		"proc": (*assembly).proc, "else": (*assembly).otherwise, "end": (*assembly).end,
		"alias": (*assembly).alias, "entry": (*assembly).entry, "nodvle": (*assembly).nodvle, "gsh": (*assembly).gsh,
		"in": (*assembly).in, "out": (*assembly).out,
		"fvec": declare(floatBank), "ivec": declare(intBank), "bool": declare(boolBank),
		"constf": constant(floatBank), "consti": constant(intBank), "constfa": (*assembly).constfa,
		"setf": preset(floatBank), "seti": preset(intBank), "setb": (*assembly).setb,
		"word":  func(r *assembly, a *args, _ diag.Span) { r.data(a.text, strings.Index(a.text, ".")) },
		"isago": (*assembly).isago,
	}
}

func directiveNames() (list []string) {
	for name := range directives {
		list = append(list, "."+name)
	}
	slices.Sort(list)
	return list
}

func (r *assembly) proc(a *args, span diag.Span) {
	a.text = withoutLastComma(a.text)
	whole, all := a.rest()
	mistakes := len(r.errs)
	name, at, ok := a.name("the name of the procedure")
	if !ok {
		name, at = "", span
	}
	if done := a.done(); (!ok || !done) && whole != "" && !strings.Contains(whole, ",") {
		if r.compat {
			r.errs = r.errs[:mistakes]
			r.asPicasso(all, "the procedure is called %q, as in picasso: no instruction can name it", whole)
			name, at = whole, all
		} else {
			r.offer(mistakes, "a procedure called %q, which no instruction can name", whole)
		}
	}
	if name == "" {
		name = "\x00" // it is opened all the same, so that its end has a block
	}
	r.layout.Open(name, at)
}

func (r *assembly) otherwise(a *args, span diag.Span) {
	a.done()
	r.layout.Else(span)
}

func (r *assembly) end(a *args, span diag.Span) {
	a.done()
	if r.array != nil {
		r.endArray()
		return
	}
	r.layout.End(span)
}

// define makes a name known in this file. Where it is the name of a register it hides it, as in picasso;
// in .out o0 position that is most often the same register.
func (r *assembly) define(name string, span diag.Span, o operand, size int) bool {
	if r.taken(name, span) {
		return false
	}
	if r.banks.reserved(name) && name != o.String() {
		r.warn(diag.HiddenName, span, "%s is %s in this file from here on, no longer the register of that name", name, o.String())
	}
	r.aliases[name], r.hiding = &alias{operand: o, span: span, size: size}, r.hiding || r.banks.reserved(name)
	if size > 0 {
		r.spans = append(r.spans, program.Declaration{Name: name, File: o.file.Name, Number: o.num, Count: size, Span: span})
	}
	return true
}

// undefined declares the name of a declaration that could not be read, so that its uses are not reported too.
func (r *assembly) undefined(name string, span diag.Span) {
	if isConstantName(name) && r.aliases[name] == nil && !r.banks.reserved(name) {
		r.aliases[name] = &alias{span: span, failed: true}
	}
}

// taken complains of a name that the file has declared before.
func (r *assembly) taken(name string, span diag.Span) bool {
	old := r.aliases[name]
	if old != nil {
		r.fail(diag.Duplicate, span, "%s is declared twice", name).With(old.span, "the other declaration")
	}
	return old != nil
}

func (r *assembly) alias(a *args, _ diag.Span) {
	name, span, ok := a.name("a name for the register")
	if !ok {
		return
	}
	defer r.undefined(name, span)
	a.blanks()
	o, ok := r.aliased(a.text, a.pos)
	if !ok {
		return
	}
	if o.file == r.banks.files[outputBank] {
		r.program()
	}
	if r.banks.reserved(name) {
		r.fail(diag.Duplicate, span, "%s is the name of a register", name)
		return
	}
	r.define(name, span, o, 0)
}

// aliased reads the register at text[off:] for which an alias stands. To picasso it is a number, which is a register
// where it is used, and ends at a blank.
func (r *assembly) aliased(text string, off int) (operand, bool) {
	end := len(text)
	own := func() (o operand, ok bool) {
		if o, ok = r.operand(text, off, end); ok && o.index != 0 {
			r.fail(diag.RegisterUse, r.span(off, end), "an address register is not allowed in an alias, expected %s", &operand{file: o.file, num: o.num})
			return o, false
		}
		return o, ok
	}
	errs, warnings := len(r.errs), len(r.warnings)
	o, ok := own()
	written := text[off:end]
	if ok && !r.compat || strings.ContainsAny(written, " \t") {
		return o, ok
	}
	p, reads := r.picassoRegister(written, false)
	if is := r.banks.aliasOf(p.number); reads && is.file != nil {
		is.neg, is.swz = p.neg, p.swz
		switch {
		case ok && r.banks.numberOf(o.file, o.num) == p.number && o.neg == is.neg && o.swz == is.swz:
		case r.compat:
			return r.preferred(is, sourcePosition, o, ok, written, r.span(off, end), errs, warnings), true
		default:
			r.offer(errs, "%s", r.spelled(&is, sourcePosition))
		}
	}
	return o, ok
}

func (r *assembly) entry(a *args, _ diag.Span) {
	d := r.program()
	if name, span, ok := a.name("the name of the procedure where the program starts"); ok && a.done() {
		d.entry, d.entrySpan = name, span
	}
}

func (r *assembly) nodvle(a *args, _ diag.Span) {
	a.done()
	r.program().omitted = true
}

// in declares an input register.
func (r *assembly) in(a *args, _ diag.Span) {
	d := r.program()
	name, span, ok := a.name("a name for the input")
	if !ok {
		return
	}
	defer r.undefined(name, span)
	o := operand{file: r.banks.files[inputBank], num: -1, swz: noSwizzle}
	if text, _ := a.rest(); text != "" {
		if o, _, ok = a.register(inputBank); !ok {
			return
		}
	}
	if !a.done() {
		return
	}
	for n := 0; o.num < 0 && n < o.file.Count; n++ {
		if d.InputMask>>n&1 == 0 {
			o.num = n
		}
	}
	if o.num < 0 {
		r.fail(diag.SpaceFull, span, "no input register is left for %s: the machine has %d", name, o.file.Count)
		return
	}
	if r.define(name, span, o, 1) {
		d.InputMask |= 1 << o.num
		d.Uniforms = append(d.Uniforms, uniformEntry(name, inputBank, o.num, 1))
	}
}

// uniformEntry is a row of the uniform table.
func uniformEntry(name string, of bank, num, size int) Uniform {
	first := uniformFirst[of] + UniformReg(num)
	return Uniform{Name: strings.ReplaceAll(name, "$", "."), First: first, Last: first + UniformReg(size-1)}
}

// out declares what an output register carries: NAME SEMANTIC.MASK, or NAME SEMANTIC REGISTER.MASK.
func (r *assembly) out(a *args, _ diag.Span) {
	d := r.program()
	name, span := a.word()
	if name != "-" && !isIdentifier(name) {
		r.fail(diag.Directive, span, "%q, expected a name for the output, or -", name)
		return
	}
	defer r.undefined(name, span)
	kind, at := a.word()
	text, letters, masked := strings.Cut(kind, ".")
	semantic, ok := semanticNamed(text)
	if !ok {
		r.fail(diag.Directive, at, "%q, expected the semantic of the output: %s", text, semanticList())
		return
	}
	o := operand{file: r.banks.files[outputBank], num: -1, swz: noSwizzle}
	reg, _ := a.rest()
	switch {
	case masked && reg != "":
		reg, own, _ := strings.Cut(strings.TrimSpace(reg), ".")
		if own == "" {
			own = letters
		}
		r.fail(diag.Directive, at, "the mask must follow the register, expected %s %s.%s", text, reg, own)
		return
	case masked:
		if o.swz, ok = r.banks.components.parse(letters); !ok {
			r.fail(diag.TextExpected, at, "%q, expected one to four components (%s)", letters, r.banks.components.sets)
			return
		}
		if !r.banks.components.ordered(letters) {
			r.maskOrder(&o, at)
		}
	case reg != "":
		if o, ok = a.destination(); !ok {
			return
		}
	}
	if a.done() {
		r.declareOutput(d, name, span, semantic, o)
	}
}

// destination reads an output register and its mask.
func (a *args) destination() (operand, bool) {
	o, span, ok := a.register(outputBank)
	if ok && o.disordered {
		a.r.maskOrder(&o, span)
	}
	return o, ok
}

func (r *assembly) declareOutput(d *dvleState, name string, span diag.Span, semantic Semantic, o operand) {
	most := o.file.Count
	if d.geometry && !r.facts.unchecked {
		most = r.most.rasterised
	}
	mask := o.swz.mask()
	explicit := o.num >= 0
	for n := 0; o.num < 0 && n < most; n++ {
		if d.OutputMask>>n&1 == 0 {
			o.num = n
		}
	}
	switch {
	case o.num < 0:
		r.fail(diag.SpaceFull, span, "no output register is left: the machine has %d", most)
		return
	case o.num >= most:
		r.fail(diag.RegisterUse, span, "a geometry shader has no %s, only %[2]s0 to %[2]s%[3]d", o.String(), o.file.Name, most-1)
		return
	case o.num >= r.most.rasterised && semantic != SemanticDummy && !r.facts.unchecked:
		r.fail(diag.RegisterUse, span, "%s can only have the semantic dummy: %[2]s0 to %[2]s%[3]d go to the rasteriser", o.String(), o.file.Name, r.most.rasterised-1)
		return
	case explicit && d.written[o.num]&mask != 0 && !r.facts.unchecked:
		r.fail(diag.Duplicate, span, "some components of %s already have a semantic", o.String())
		return
	}
	if name != "-" && !r.define(name, span, operand{file: o.file, num: o.num, swz: noSwizzle}, 1) {
		return
	}
	d.Outputs = append(d.Outputs, Output{Semantic: semantic, Register: uint16(o.num), Mask: mask})
	d.OutputMask |= 1 << o.num
	d.written[o.num] |= mask
	if semantic == SemanticDummy && d.private() {
		d.MergeOutmaps = 1
	}
}

// shortSemantics are picasso's short words for semantics.
var shortSemantics = map[string]Semantic{
	"pos": SemanticPosition, "nquat": SemanticNormalQuat, "clr": SemanticColor, "tcoord0": SemanticTexCoord0,
	"tcoord0w": SemanticTexCoord0W, "tcoord1": SemanticTexCoord1, "tcoord2": SemanticTexCoord2,
}

func semanticNamed(word string) (Semantic, bool) {
	word = strings.ToLower(word)
	if s, ok := shortSemantics[word]; ok {
		return s, true
	}
	i := slices.Index(semantics[:], word)
	return Semantic(max(i, 0)), i >= 0 && word != ""
}

func semanticList() string {
	var list []string
	for _, s := range semantics {
		if s != "" {
			list = append(list, s)
		}
	}
	return strings.Join(list, ", ")
}

// geometryWords are picasso's words for the modes.
var geometryWords = map[string]GeometryMode{
	"point": GeometryPoint, "variable": GeometryVariable, "subdivision": GeometryVariable,
	"fixed": GeometryFixed, "particle": GeometryFixed,
}

// gsh makes the program a geometry shader.
func (r *assembly) gsh(a *args, span diag.Span) {
	d := r.program()
	word, at := a.word()
	if word == "" {
		d.geometry, d.compatible = true, true
		return
	}
	mode, ok := geometryWords[strings.ToLower(word)]
	switch {
	case !ok:
		r.fail(diag.Directive, at, "unknown mode %q, expected point, variable or fixed", word)
		return
	case d.geometry:
		r.fail(diag.Duplicate, span, "the program is already a geometry shader")
		return
	case len(d.Constants)+len(d.Uniforms)+len(d.Outputs) > 0:
		r.fail(diag.Directive, span, ".gsh must precede the first constant, uniform, input or output")
		return
	}
	free, _, ok := a.register(floatBank)
	if !ok {
		return
	}
	if r.geometryMode(d, mode, free, a) && a.done() {
		d.geometry, d.GeometryMode = true, mode
		r.spaces[1].initGeometry(&r.banks, free.num)
	}
}

// geometryMode reads what follows the first free uniform.
func (r *assembly) geometryMode(d *dvleState, mode GeometryMode, free operand, a *args) bool {
	switch mode {
	case GeometryVariable:
		n, ok := a.integer("the number of vertices with all attributes", 255)
		d.VariableCount = uint8(n)
		return ok
	case GeometryFixed:
		start, span, ok := a.register(floatBank)
		if !ok {
			return false
		}
		if start.num >= free.num {
			r.fail(diag.RegisterUse, span, "the vertices start at %s, expected a register below %s, the first uniform", start.String(), free.String())
			return false
		}
		n, ok := a.integer("the number of vertices", 255)
		d.FixedStart, d.FixedCount = uint8(start.num), uint8(n)
		return ok
	}
	return true
}
