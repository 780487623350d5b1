package a2xx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// XenosShader is what a shader file of the Xbox 360's tools holds. All of it is big-endian: a header, whose offsets
// count from the start of the file; a table of constants as Direct3D 9 has it; a table of literals; and after them,
// where the GPU reads it, the literals' values and the code. Known from the sources of XenosRecomp and from shaders
// that its users took apart.
type XenosShader struct {
	// Stage is 0 for vertices, 1 for fragments.
	Stage int
	// CodeAt is the offset of the code in the file, in bytes.
	CodeAt int
	Words  []uint32
	// Creator and Target are from the table of constants: a version, and a profile such as ps_3_0.
	Creator, Target string
	// Constants have names; Literals have values and no names.
	Constants, Literals []Symbol
	// Elements are the inputs of a vertex program, Interpolators the outputs of a vertex program, or the inputs of a
	// fragment program.
	Elements, Interpolators []Semantic
	// Open are the words of the headers with unknown meaning.
	Open []OpenWord
	// Notes are remarks about what could not be read.
	Notes []string
}

// OpenWord is a word of a header. Its name is its place.
type OpenWord struct {
	Name  string
	Value uint32
}

// Semantic is an input or an output of a program by its name in Direct3D.
type Semantic struct {
	// Name is the usage with its index, such as position0.
	Name string
	// Place is the unit of the vertex fetch of an element; of an interpolator it is the number of the export in a vertex
	// program, and of the register in a fragment program.
	Place int
	// Rest are the other bits of the word in the file, with unknown meaning.
	Rest uint32
}

// semantics are the usages of Direct3D 9 by their numbers.
var semantics = []string{
	"position", "blendweight", "blendindices", "normal", "pointsize", "texcoord", "tangent", "binormal", "tessfactor",
	"positiont", "color", "fog", "depth", "sample",
}

// semanticName returns the name of a usage with its index.
func semanticName(usage, index uint32) string {
	if int(usage) < len(semantics) {
		return fmt.Sprint(semantics[usage], index)
	}
	return fmt.Sprintf("usage%d_%d", usage, index)
}

// The first word of a file: fragments, and with the lowest bit set vertices.
const xenosMagic = 0x102a1100

// Places in the header, in bytes, and its size.
const (
	xenosHeaders     = 0x04 // the size of all that is in front of what the GPU reads
	xenosConstants   = 0x10
	xenosDefinitions = 0x14
	xenosShader      = 0x18
	xenosHeaderSize  = 0x24
)

// Places in the header of a shader, in bytes. The tables of a vertex program start with words to skip, whose number stands
// at xenosSkipped; its elements come before its interpolators.
const (
	xenosInterpolators  = 0x14 // the number of interpolators, from bit 5 on
	xenosSkipped        = 0x18
	xenosElements       = 0x1c // the number of elements
	xenosVertexTables   = 0x24
	xenosFragmentTables = 0x20
)

// Limits on sizes in files, which may be hostile.
const (
	maxXenosConstants = 1 << 10
	maxXenosName      = 256
	maxXenosNotes     = 10
)

// IsXenosShader reports whether data is a shader file of the Xbox 360.
func IsXenosShader(data []byte) bool {
	return len(data) >= xenosHeaderSize && binary.BigEndian.Uint32(data)&^1 == xenosMagic
}

// XenosQuirks are the quirks of the machine that shader files are for, by name.
func XenosQuirks() map[string]string { return map[string]string{"machine": "xenos"} }

// xenosReader reads a file. What is outside of it reads as 0, and is noted.
type xenosReader struct {
	data   []byte
	set    *isa.Set
	shader *XenosShader
	short  bool
}

// ReadXenosShader reads a shader file. It leaves out damaged tables, with a note. It returns an error if the file
// does not contain the code.
func ReadXenosShader(set *isa.Set, data []byte) (*XenosShader, error) {
	if !IsXenosShader(data) {
		return nil, errorf(diag.FileFormat, diag.Span{}, "not a Xenos shader, which starts with 0x%08x or 0x%08x", xenosMagic, xenosMagic|1)
	}
	r := xenosReader{data: data, set: set, shader: &XenosShader{Stage: 1 - int(data[3]&1)}}
	physical := uint64(r.word(xenosHeaders))
	at := uint64(r.word(xenosShader))
	from, size := physical+uint64(r.word(at)), uint64(r.word(at+4))
	if r.short || at == 0 || from+size > uint64(len(data)) || size%4 != 0 {
		return nil, errorf(diag.FileFormat, diag.Span{}, "%d bytes of code at byte 0x%x of a file of %d bytes, expected whole words inside the file", size, from, len(data))
	}
	r.shader.CodeAt = int(from)
	for i := range size / 4 {
		r.shader.Words = append(r.shader.Words, r.word(from+4*i))
	}
	r.open(at, physical)
	r.semantics(at, physical)
	if table := uint64(r.word(xenosConstants)); table != 0 {
		r.constants(table + 4) // behind its size
	}
	if table := uint64(r.word(xenosDefinitions)); table != 0 {
		r.definitions(table+0x14, physical)
	}
	return r.shader, nil
}

func (r *xenosReader) word(at uint64) uint32 {
	if at+4 > uint64(len(r.data)) {
		r.short = true
		return 0
	}
	return binary.BigEndian.Uint32(r.data[at:])
}

func (r *xenosReader) half(at uint64) int {
	if at+2 > uint64(len(r.data)) {
		r.short = true
		return 0
	}
	return int(binary.BigEndian.Uint16(r.data[at:]))
}

// text returns a string that a byte 0 ends.
func (r *xenosReader) text(at uint64) string {
	if at >= uint64(len(r.data)) {
		r.short = true
		return ""
	}
	text := r.data[at:min(uint64(len(r.data)), at+maxXenosName)]
	if n := bytes.IndexByte(text, 0); n >= 0 {
		text = text[:n]
	}
	return string(text)
}

func (r *xenosReader) note(format string, args ...any) {
	if len(r.shader.Notes) < maxXenosNotes {
		r.shader.Notes = append(r.shader.Notes, fmt.Sprintf(format, args...))
	}
	r.short = false
}

// openWords are the places of words of open meaning in the header of the file, and in that of a shader by its stage.
var (
	openFileWords   = []uint64{0x0c, 0x1c, 0x20}
	openShaderWords = [2][]uint64{{0x08, 0x0c, 0x10, 0x20}, {0x08, 0x0c, 0x10, 0x18, 0x1c}}
)

// open reads the words of open meaning, as far as the headers go.
func (r *xenosReader) open(at, physical uint64) {
	s := r.shader
	word := func(name string, place uint64, mask uint32) {
		if place+4 <= physical {
			s.Open = append(s.Open, OpenWord{name, r.word(place) & mask})
		}
	}
	for _, n := range openFileWords {
		word(fmt.Sprintf("header word +0x%02x", n), n, 1<<32-1)
	}
	for _, n := range openShaderWords[s.Stage] {
		word(fmt.Sprintf("shader word +0x%02x", n), at+n, 1<<32-1)
	}
	word(fmt.Sprintf("shader word +0x%02x", xenosInterpolators), at+xenosInterpolators, ^uint32(0x1f<<5))
	if s.Stage == 0 {
		const most = 64
		for i := range uint64(min(r.word(at+xenosSkipped), most)) {
			word(fmt.Sprintf("shader word +0x%02x", xenosVertexTables+4*i), at+xenosVertexTables+4*i, 1<<32-1)
		}
	}
}

// semantics reads the tables after the header of a shader, which end where what the GPU reads starts.
func (r *xenosReader) semantics(at, physical uint64) {
	s := r.shader
	table, elements := at+xenosFragmentTables, uint64(0)
	interpolators := uint64(r.word(at+xenosInterpolators) >> 5 & 0x1f)
	if s.Stage == 0 && at+xenosVertexTables <= physical {
		table = at + xenosVertexTables + 4*uint64(r.word(at+xenosSkipped))
		elements = uint64(r.word(at + xenosElements))
	}
	if table+4*(elements+interpolators) > physical && elements+interpolators > 0 {
		r.note("%d vertex elements and %d interpolators end after the header of the shader", elements, interpolators)
		return
	}
	for i := range elements {
		w := r.word(table + 4*i)
		s.Elements = append(s.Elements, Semantic{semanticName(w>>12&15, w>>16&15), int(w & 0xfff), w &^ 0xfffff})
	}
	for i := range interpolators {
		w := r.word(table + 4*(elements+i))
		place, rest := int(i), w&^0xff
		if s.Stage == 1 {
			place, rest = int(w>>8&15), w&^0xfff
		}
		s.Interpolators = append(s.Interpolators, Semantic{semanticName(w>>4&15, w&15), place, rest})
	}
}

// xenosSets are the kinds of constants by the numbers of Direct3D's register sets.
var xenosSets = []string{"bool", "loop", "uniform", "sampler"}

// constants reads the table of named constants, in which offsets count from its start.
func (r *xenosReader) constants(at uint64) {
	s := r.shader
	if offset := r.word(at + 4); offset != 0 {
		s.Creator = r.text(at + uint64(offset))
	}
	if offset := r.word(at + 24); offset != 0 {
		s.Target = r.text(at + uint64(offset))
	}
	count, first := r.word(at+12), at+uint64(r.word(at+16))
	if r.short {
		r.note("the table of constants lies outside the file")
		return
	}
	if count > maxXenosConstants {
		r.note("%d constants, %d of them read", count, maxXenosConstants)
		count = maxXenosConstants
	}
	for i := range uint64(count) {
		info := first + 20*i
		set, from, size := r.half(info+4), r.half(info+6), r.half(info+8)
		name := r.text(at + uint64(r.word(info)))
		if r.short || set >= len(xenosSets) || size == 0 {
			r.note("constant %d of %d cannot be read", i, count)
			return
		}
		kind := xenosSets[set]
		s.Constants = append(s.Constants, Symbol{Kind: kind, Name: name, Prefix: bankOf(r.set, kind).prefix, First: from, Last: from + size - 1})
	}
}

// Where definitions count registers from: the constants of fragments stand after 256 of vertices, and those of loops,
// of four registers each, start at another place.
const (
	xenosFragments = 256
	xenosLoops     = 0x2320
)

// definitions reads the table of literals: constants, up to an entry that is 0, and then those of loops.
func (r *xenosReader) definitions(at, physical uint64) {
	for ; r.word(at) != 0; at += 8 {
		number, count := r.half(at), (r.half(at+2)+3)/4
		if r.shader.Stage == 1 {
			number -= xenosFragments
		}
		from := physical + uint64(r.word(at+4))
		for i := range count {
			lit := Symbol{Kind: "const", Prefix: bankOf(r.set, "const").prefix, First: number + i, Last: number + i}
			for k := range uint64(4) {
				bits := r.word(from + 16*uint64(i) + 4*k)
				lit.Values = append(lit.Values, fmt.Sprint(math.Float32frombits(bits)))
				lit.bits = append(lit.bits, bits)
			}
			if !r.literal(lit) {
				return
			}
		}
	}
	for at += 4; r.word(at) != 0; {
		number, count := (r.half(at)-xenosLoops)/4, r.half(at+2)
		for i := range count {
			v := r.word(at + 4 + 4*uint64(i))
			values := []string{fmt.Sprint("count ", v&0xff), fmt.Sprint("start ", v>>8&0xff), fmt.Sprint("step ", int8(v>>16))}
			if !r.literal(Symbol{Kind: "loop", First: number + i, Last: number + i, Values: values, bits: []uint32{v}}) {
				return
			}
		}
		at += 4 + 4*uint64(count)
	}
	if r.short {
		r.note("the table of literals ends after the end of the file")
	}
}

// literal adds a literal, unless it cannot be one.
func (r *xenosReader) literal(s Symbol) bool {
	if r.short || s.First < 0 || s.First >= bankOf(r.set, s.Kind).size || len(r.shader.Literals) == maxXenosConstants {
		r.note("the table of literals cannot be read after %d literals", len(r.shader.Literals))
		return false
	}
	r.shader.Literals = append(r.shader.Literals, s)
	return true
}

// OpenXenosShader reads a shader file for listing.
func OpenXenosShader(set *isa.Set, data []byte) (*program.Image, error) {
	s, err := ReadXenosShader(set, data)
	if err != nil {
		return nil, err
	}
	m, err := newMachine(set)
	if err != nil {
		return nil, err
	}
	ctx, stage := m.stageContext(s.Stage)
	im := &program.Image{Format: "Xenos shader", Words: s.Words, Break: m.breakIndent(), OneWay: "asm writes only the code of such files", Quirks: XenosQuirks()}
	im.Declarations = func() ([]program.FileDeclaration, error) { return s.declared(set), nil }
	names := program.Part{Title: "constants", Lines: s.lines(), Data: s.values()}
	im.Header = append(append(s.head(stage), s.semanticLines(set)...), names.Lines...)
	im.Symbol = func(_ int64, space string, value uint64) (string, bool) { return s.symbol(set, space, value) }
	p := layout{m: m, words: s.Words, context: ctx, declared: map[int]bool{}}
	for _, x := range s.Elements {
		p.declared[x.Place] = true
	}
	p.analyse()
	im.Pieces = p.pieces([]program.Piece{}, 0)
	im.Lead = append([]string{program.BigEndian}, p.lead()...)
	im.Contents = []program.Part{p.part(stage + " program"), names}
	if len(s.Elements) > 0 {
		im.Contents = append(im.Contents, s.part("vertex elements", s.Elements, fetchedAt))
	}
	if len(s.Interpolators) > 0 {
		im.Contents = append(im.Contents, s.part("interpolators", s.Interpolators, s.passedIn(set)))
	}
	return im, nil
}

// head describes the file, up to its constants.
func (s *XenosShader) head(stage string) []string {
	lines := []string{fmt.Sprintf("%s, code at byte 0x%x, %d words", stage, s.CodeAt, len(s.Words))}
	if s.Creator != "" || s.Target != "" {
		lines = append(lines, fmt.Sprintf("for %q by %q", s.Target, s.Creator))
	}
	for _, n := range s.Notes {
		lines = append(lines, "warning: "+n)
	}
	return lines
}

// semanticData is a vertex element or an interpolator for programs.
type semanticData struct {
	Name string `json:"name"`
	// Address is the place of the fetch of an element, in bytes; Register is the register or export of an interpolator.
	Address  *int   `json:"address,omitempty"`
	Register string `json:"register,omitempty"`
}

// fetchedAt describes a vertex element.
func fetchedAt(x Semantic) (string, semanticData) {
	at := unitBits / 8 * x.Place
	return fmt.Sprintf("%s fetched at 0x%x", x.Name, at), semanticData{Name: x.Name, Address: &at}
}

// passedIn returns what describes an interpolator of the stage.
func (s *XenosShader) passedIn(set *isa.Set) func(x Semantic) (string, semanticData) {
	prefix := bankOf(set, "varying").prefix
	if s.Stage == 0 {
		prefix = handedOn(set)
	}
	return func(x Semantic) (string, semanticData) {
		register := prefix + strconv.Itoa(x.Place)
		return x.Name + " in " + register, semanticData{Name: x.Name, Register: register}
	}
}

// handedOn returns the name of the file that holds what a program hands on.
func handedOn(set *isa.Set) string {
	for _, f := range set.Files() {
		if f.Use == "output" {
			return f.Name
		}
	}
	return ""
}

// part lists vertex elements or interpolators.
func (s *XenosShader) part(title string, list []Semantic, describe func(Semantic) (string, semanticData)) program.Part {
	data := []semanticData{}
	part := program.Part{Title: title}
	for _, x := range list {
		line, d := describe(x)
		part.Lines, data = append(part.Lines, line), append(data, d)
	}
	part.Data = data
	return part
}

// semanticLines describes the vertex elements and the interpolators, a line each.
func (s *XenosShader) semanticLines(set *isa.Set) (lines []string) {
	for _, x := range s.Elements {
		line, _ := fetchedAt(x)
		lines = append(lines, "vertex element "+line)
	}
	passed := s.passedIn(set)
	for _, x := range s.Interpolators {
		line, _ := passed(x)
		lines = append(lines, "interpolator "+line)
	}
	return lines
}

// SourceOfXenosShader returns the code of a shader file as source that an assembler turns into the same words in the
// same byte order. The default syntax declares the constants by name and uses the names.
func SourceOfXenosShader(set *isa.Set, data []byte) ([]byte, error) {
	s, err := ReadXenosShader(set, data)
	if err != nil {
		return nil, err
	}
	d, err := NewDisassembler(set)
	if err != nil {
		return nil, err
	}
	ctx, stage := d.m.stageContext(s.Stage)
	var text []byte
	comment := func(line string) { text = fmt.Appendf(text, "%s %s\n", set.Comment(), program.Printable(line)) }
	for _, line := range s.head(stage) {
		comment(line)
	}
	for _, line := range s.semanticLines(set) {
		comment(line)
	}
	code := d.Append(nil, s.Words, ctx)
	if set.Syntax() == mesa {
		for _, line := range s.lines() {
			comment(line)
		}
		return append(append(text, program.BigEndian+"\n"...), code...), nil
	}
	list := s.declarations(d.m, code)
	for i := range list {
		switch x := &list[i]; {
		case x.comment:
			comment(x.header())
		case x.given != x.Name:
			text = fmt.Appendf(text, "%s\t%s %q\n", x.header(), set.Comment(), x.given)
		default:
			text = append(append(text, x.header()...), '\n')
		}
	}
	if err := d.nameWith(func(space string, value uint64) (string, bool) { return symbolIn(list, space, value) }); err != nil {
		return nil, err
	}
	return d.Append(append(text, program.BigEndian+"\n"...), s.Words, ctx), nil
}

// declaration is a constant of a file as source declares it.
type declaration struct {
	Symbol
	// given is the name in the file.
	given string
	// comment is set if source cannot declare the constant.
	comment bool
}

// declarations returns the constants and literals with names that source can have. No name is a word of the code.
func (s *XenosShader) declarations(m *machine, code []byte) (list []declaration) {
	taken := wordsIn(string(code))
	n := names{set: m.set}
	for _, from := range [][]Symbol{s.Constants, s.Literals} {
		for _, c := range from {
			x := declaration{Symbol: c, given: c.Name}
			x.comment = c.Last >= bankOf(m.set, c.Kind).size || len(c.Values) > 0 && c.Kind != "const" || n.overlapped(&c) != nil
			if !x.comment {
				if c.Name != "" || len(c.Values) == 0 {
					x.Name = n.usable(c.Name, taken)
					taken[x.Name] = true
				}
				n.list = append(n.list, x.Symbol)
			}
			list = append(list, x)
		}
	}
	return list
}

// wordsIn returns the words of a text that could be names.
func wordsIn(text string) map[string]bool {
	words := map[string]bool{}
	for i := 0; i < len(text); {
		word := identifier(text[i:])
		name, _, _ := strings.Cut(word, ".")
		words[name] = true
		i += max(len(word), 1)
	}
	return words
}

// usable returns the nearest name that source can declare and that is not taken.
func (n *names) usable(name string, taken map[string]bool) string {
	clean := []byte{}
	for _, r := range name {
		if r >= utf8.RuneSelf || r == '.' || !nameByte(byte(r), false) {
			r = '_'
		}
		clean = append(clean, byte(r))
	}
	if len(clean) == 0 || !nameByte(clean[0], true) {
		clean = append([]byte{'_'}, clean...)
	}
	for base, i := string(clean), 2; ; i++ {
		if !taken[string(clean)] && !n.isRegister(string(clean)) {
			return string(clean)
		}
		clean = fmt.Appendf(nil, "%s_%d", base, i)
	}
}

// constantData is a constant for programs: its name, and the registers that it has.
type constantData struct {
	Name   string   `json:"name,omitempty"`
	Kind   string   `json:"kind"`
	Prefix string   `json:"prefix,omitempty"`
	First  int      `json:"first"`
	Last   int      `json:"last"`
	Values []string `json:"values,omitempty"`
}

func (s *XenosShader) values() []constantData {
	data := []constantData{}
	for _, list := range [][]Symbol{s.Constants, s.Literals} {
		for _, c := range list {
			data = append(data, constantData{c.Name, c.Kind, c.Prefix, c.First, c.Last, c.Values})
		}
	}
	return data
}

// lines describes the constants as headers of source.
func (s *XenosShader) lines() (lines []string) {
	for _, list := range [][]Symbol{s.Constants, s.Literals} {
		for i := range list {
			lines = append(lines, list[i].header())
		}
	}
	return lines
}

// header returns the header that declares a symbol.
func (s *Symbol) header() string {
	text := fmt.Sprintf("@%s(%s%d", s.Kind, s.Prefix, s.First)
	if s.Last > s.First {
		text += fmt.Sprintf("-%s%d", s.Prefix, s.Last)
	}
	text += ")"
	if s.Name != "" {
		text += " " + s.Name
	}
	for i, v := range s.Values {
		text += [2]string{" ", ", "}[min(i, 1)] + v
	}
	return text
}

// symbol names what an instruction reads, by the space that its field's description names.
func (s *XenosShader) symbol(set *isa.Set, space string, value uint64) (string, bool) {
	list := make([]declaration, len(s.Constants))
	for i, c := range s.Constants {
		list[i] = declaration{Symbol: c, comment: c.First >= bankOf(set, c.Kind).size}
	}
	return symbolIn(list, space, value)
}

// symbolIn is symbol for constants as source declares them.
func symbolIn(list []declaration, space string, value uint64) (string, bool) {
	kind, ok := map[string]string{"source": "uniform", "sampler": "sampler", "loop": "loop"}[space]
	if !ok {
		return "", false
	}
	for i := range list {
		c := &list[i]
		if c.comment || c.Kind != kind || c.Name == "" || value < uint64(c.First) || value > uint64(c.Last) {
			continue
		}
		if c.Last > c.First {
			return fmt.Sprintf("%s[%d]", c.Name, value-uint64(c.First)), true
		}
		return c.Name, true
	}
	return "", false
}
