package pica200

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Open reads a shader file for listing.
func Open(set *isa.Set, data []byte) (*program.Image, error) {
	f, err := ReadSHBIN(data)
	if err != nil {
		return nil, err
	}
	b := imageBuilder{file: f, set: set}
	return b.build()
}

// wordBits is the length of an instruction; file addresses count in words.
const wordBits = 32

type imageBuilder struct {
	file  *SHBIN
	set   *isa.Set
	image program.Image
}

func (b *imageBuilder) build() (*program.Image, error) {
	im := &b.image
	im.Format, im.Words, im.Sections = "SHBIN", b.file.DVLP.Code, map[int64][]string{}
	im.Tables = [][]bits.Value{b.file.DVLP.table()}
	im.Header = b.header()
	for i := range b.file.DVLEs {
		b.program(i)
	}
	owners, err := b.owners()
	if err != nil {
		return nil, err
	}
	means, err := symbolSpaces(b.set)
	if err != nil {
		return nil, err
	}
	names, err := b.names()
	if err != nil {
		return nil, err
	}
	im.Symbol = func(addr int64, space string, value uint64) (string, bool) {
		i := int(addr / wordBits)
		if i >= len(owners) {
			return "", false
		}
		return nameAt(names, owners[i], means[symbolKey{space, value}])
	}
	im.Contents, im.Declarations = b.contents(), b.file.declarations
	return im, nil
}

func (b *imageBuilder) header() []string {
	p := &b.file.DVLP
	line := fmt.Sprintf("SHBIN: %s, %s, %s", count(len(b.file.DVLEs), "program"), count(len(p.Code), "word"), count(len(p.Descriptors), "operand descriptor"))
	if p.Version != 0 {
		line += fmt.Sprintf(", version 0x%x", p.Version)
	}
	return []string{line}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// program adds what the listing shows before the code of a DVLE.
func (b *imageBuilder) program(i int) {
	d := &b.file.DVLEs[i]
	name := "main"
	if i > 0 {
		name += strconv.Itoa(i)
	}
	addr := wordBits * int64(d.Entry)
	for _, l := range d.Labels {
		if !isName(l.Name) {
			continue
		}
		b.image.Entries = append(b.image.Entries, program.Entry{Addr: wordBits * int64(l.Address), Name: l.Name, Inner: l.Address != d.Entry, Program: strconv.Itoa(i)})
		if l.Address == d.Entry {
			name = ""
		}
	}
	if name != "" {
		b.image.Entries = append(b.image.Entries, program.Entry{Addr: addr, Name: name, Program: strconv.Itoa(i)})
	}
	lines := append([]string{d.title(i)}, d.interfaceLines()...)
	if d.Entry >= uint32(len(b.file.DVLP.Code)) {
		b.image.Header = append(b.image.Header, lines...)
		return
	}
	b.image.Sections[addr] = append(b.image.Sections[addr], lines...)
}

// placeOf returns the notation of a place in the code, given in words.
func placeOf(word uint32) string { return program.Address(wordBits * int64(word)) }

// title describes a program in one line.
func (d *DVLE) title(i int) string {
	line := fmt.Sprintf("DVLE %d: %s shader, entry at %s, end at %s", i, d.Type, placeOf(d.Entry), placeOf(d.End))
	if d.Type != GeometryShader {
		return line
	}
	switch d.GeometryMode {
	case GeometryVariable:
		return line + fmt.Sprintf(", mode %s, %d vertices with all attributes", d.GeometryMode, d.VariableCount)
	case GeometryFixed:
		return line + fmt.Sprintf(", mode %s, %d vertices from %s", d.GeometryMode, d.FixedCount, floatBank.name(int(d.FixedStart)))
	}
	return line + ", mode " + d.GeometryMode.String()
}

// interfaceLines list what goes in and out of a program: its uniforms, constants and outputs.
func (d *DVLE) interfaceLines() []string {
	var lines []string
	for i := range d.Uniforms {
		lines = append(lines, d.Uniforms[i].line())
	}
	for _, c := range d.Constants {
		lines = append(lines, c.line())
	}
	for _, o := range d.Outputs {
		lines = append(lines, fmt.Sprintf("out   %s.%s = %s", outputBank.name(int(o.Register)), o.Components(), o.Semantic))
	}
	return lines
}

func (u *Uniform) line() string {
	kind := ""
	if b, _, ok := u.First.place(); ok {
		kind = b.word()
	}
	regs := u.First.String()
	if u.Last != u.First {
		regs += ".." + u.Last.String()
	}
	return fmt.Sprintf("%-5s %s = %s", kind, regs, quoted(u.Name))
}

func (c Constant) line() string {
	return fmt.Sprintf("const %s = %s", c.place(), c.Value())
}

// place names the register, or the number that is none.
func (c Constant) place() string {
	if r, ok := c.Register(); ok {
		return r.String()
	}
	return fmt.Sprintf("%s %d", c.Type, c.ID)
}

// Value formats the payload in the way of the constant's type.
func (c Constant) Value() string {
	switch c.Type {
	case ConstantBool:
		return strconv.FormatBool(c.Bool())
	case ConstantInt:
		v := c.Ints()
		return fmt.Sprintf("(%d, %d, %d, %d)", v[0], v[1], v[2], v[3])
	case ConstantFloat:
		var words []string
		for _, u := range c.Float24s() {
			words = append(words, formatFloat(Float24(u)))
		}
		return "(" + strings.Join(words, ", ") + ")"
	}
	return fmt.Sprintf("% x", c.Payload)
}

// formatFloat prints the shortest decimal that gives the float back.
func formatFloat(f float32) string {
	if f == float32(math.Trunc(float64(f))) && math.Abs(float64(f)) < 1e6 {
		return strconv.FormatFloat(float64(f), 'f', 1, 32)
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 32)
}

// names returns the names of each program's registers.
func (b *imageBuilder) names() ([]map[register]string, error) {
	files, err := filesOf(b.set)
	if err != nil {
		return nil, err
	}
	all := make([]map[register]string, len(b.file.DVLEs))
	for i := range b.file.DVLEs {
		all[i] = map[register]string{}
		for reg, name := range b.file.DVLEs[i].UniformNames() {
			if of, num, ok := UniformReg(reg).place(); ok && isName(name) {
				all[i][register{files[of], num}] = name
			}
		}
	}
	return all, nil
}

// isName reports whether a symbol can stand in a line of source: files may hold any bytes.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || c == '.' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9' || c == '[' || c == ']'
		if !letter && (i == 0 || !digit) {
			return false
		}
	}
	return s != ""
}

// quoted returns a symbol as a listing shows it: quoted if it is no name.
func quoted(s string) string {
	if isName(s) {
		return s
	}
	return strconv.Quote(s)
}

// ownerSet has bit n set for DVLE n; programs beyond the 64th give no names.
type ownerSet uint64

// nameAt returns the name on which all programs agree that run the code at a place.
func nameAt(names []map[register]string, owners ownerSet, key register) (string, bool) {
	found := ""
	for i, m := range names {
		if i >= 64 || owners>>uint(i)&1 == 0 {
			continue
		}
		name := m[key]
		if name == "" || found != "" && name != found {
			return "", false
		}
		found = name
	}
	return found, found != ""
}

// owners finds which programs run each word.
func (b *imageBuilder) owners() ([]ownerSet, error) {
	d, err := b.set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	d.SetTable(0, b.image.Tables[0])
	return ownersOf(b.file, d, b.file.DVLP.instructions(d)), nil
}

// table returns the values of the descriptors.
func (p *DVLP) table() []bits.Value {
	table := make([]bits.Value, len(p.Descriptors))
	for i, d := range p.Descriptors {
		table[i] = bits.Of(uint64(d.Value))
	}
	return table
}

// instructions decodes the code; a word that is no instruction has no leaf.
func (p *DVLP) instructions(d *isa.Decoder) []isa.Inst {
	list := make([]isa.Inst, len(p.Code))
	for i, w := range p.Code {
		in, ok := d.Decode(bits.Of(uint64(w)))
		if !ok {
			in = isa.Inst{Bits: bits.Of(uint64(w))}
		}
		list[i] = in
	}
	return list
}

// ownersOf finds which programs run each word, some of which are instructions: from the entry on to the next
// function, and wherever the branches there lead. Programs of one file share code and differ in the names of
// registers.
func ownersOf(f *SHBIN, d *isa.Decoder, insts []isa.Inst) []ownerSet {
	targets, starts := targetsOf(d, insts)
	for i := range f.DVLEs {
		if e := f.DVLEs[i].Entry; e < uint32(len(insts)) {
			starts[e] = true
		}
	}
	owners := make([]ownerSet, len(insts))
	for i := range f.DVLEs {
		if i < 64 {
			spread(owners, targets, starts, int(f.DVLEs[i].Entry), 1<<uint(i))
		}
	}
	return owners
}

// targetsOf returns for each word where it branches to, and where functions start.
func targetsOf(d *isa.Decoder, insts []isa.Inst) (targets map[int][]int, starts []bool) {
	targets, starts = map[int][]int{}, make([]bool, len(insts))
	var found []isa.BranchTarget
	for i, in := range insts {
		if in.Leaf == nil {
			continue
		}
		found = d.Targets(found[:0], in)
		for _, t := range found {
			at := int(t.Addr / wordBits)
			if at < 0 || at >= len(insts) {
				continue
			}
			targets[i] = append(targets[i], at)
			starts[at] = starts[at] || t.Call
		}
	}
	return targets, starts
}

// spread marks what is reached from a place with an owner.
func spread(owners []ownerSet, targets map[int][]int, starts []bool, from int, owner ownerSet) {
	work := []int{from}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for first := true; i < len(owners) && owners[i]&owner == 0 && (first || !starts[i]); i++ {
			owners[i] |= owner
			work = append(work, targets[i]...)
			first = false
		}
	}
}

// contents lists every table of the file for the list command, fields of open meaning included.
func (b *imageBuilder) contents() []program.Part {
	p := &b.file.DVLP
	parts := []program.Part{{Title: "DVLP", Data: map[string]any{
		"version": p.Version, "words": len(p.Code), "descriptors": len(p.Descriptors), "unknown": []uint32{p.Word18, p.Word1C, p.Word20, p.Word24},
	}, Lines: []string{
		fmt.Sprintf("version      0x%x", p.Version),
		fmt.Sprintf("code         %s", count(len(p.Code), "word")),
		fmt.Sprintf("descriptors  %d", len(p.Descriptors)),
		fmt.Sprintf("+18 to +24   0x%x 0x%x 0x%x 0x%x", p.Word18, p.Word1C, p.Word20, p.Word24),
	}}, {Title: "operand descriptors (value, second word)", Data: append([]Descriptor{}, p.Descriptors...)}}
	for i, d := range p.Descriptors {
		parts[1].Lines = append(parts[1].Lines, fmt.Sprintf("%3d  %08x %08x", i, d.Value, d.Second))
	}
	for i := range b.file.DVLEs {
		parts = append(parts, b.file.DVLEs[i].part(i))
	}
	if len(b.file.Gaps) > 0 {
		type gap struct {
			Offset int64  `json:"offset"`
			Bytes  string `json:"bytes"`
		}
		var list []gap
		gaps := program.Part{Title: "bytes outside of every table"}
		for _, g := range b.file.Gaps {
			list = append(list, gap{int64(g.Offset), fmt.Sprintf("%x", g.Bytes)})
			gaps.Lines = append(gaps.Lines, fmt.Sprintf("0x%x  %s", g.Offset, abbreviate(g.Bytes)))
		}
		gaps.Data = list
		parts = append(parts, gaps)
	}
	return parts
}

// abbreviate formats bytes in hex, the first of many.
func abbreviate(b []byte) string {
	const most = 24
	if len(b) > most {
		return fmt.Sprintf("% x ... (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("% x", b)
}

func (d *DVLE) part(i int) program.Part {
	part := program.Part{Title: d.title(i), Data: d.data(), Lines: []string{
		fmt.Sprintf("+4 0x%04x, merge output maps %d", d.Word04, d.MergeOutmaps),
		fmt.Sprintf("inputs 0x%04x, outputs 0x%04x", d.InputMask, d.OutputMask),
	}}
	part.Lines = append(part.Lines, d.interfaceLines()...)
	for _, l := range d.Labels {
		part.Lines = append(part.Lines, fmt.Sprintf("label %d at %s, %d, %s", l.ID, placeOf(l.Address), l.Size, quoted(l.Name)))
	}
	return part
}
