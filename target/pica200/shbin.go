package pica200

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Magics that start the three kinds of header.
const (
	magicDVLB = "DVLB"
	magicDVLP = "DVLP"
	magicDVLE = "DVLE"
)

// Sizes in bytes of the structures of a file.
const (
	dvlbSize       = 8
	dvleOffsetSize = 4
	dvlpSize       = 40
	dvlpShortSize  = 28
	dvleSize       = 64
	wordSize       = 4
	descriptorSize = 8
	constantSize   = 20
	labelSize      = 16
	outputSize     = 8
	uniformSize    = 8
)

// SHBIN is a shader file ("DVLB"): one block of code that all its programs share, and the programs.
// All numbers in it are little-endian.
//
// It holds the whole file: headers and tables with their offsets as read, and in Gaps every byte
// outside of them, so that a writer can give back the same bytes.
type SHBIN struct {
	// DVLP follows the table of DVLE offsets directly.
	DVLP DVLP
	// DVLEs are the programs in the order of the offset table, which need not be their order in the
	// file. There may be none: picasso's .nodvle leaves a program out.
	DVLEs []DVLE
	// Gaps are the bytes that no header and no table covers, in ascending order, none of them empty.
	Gaps []Gap
}

// Gap is a run of bytes that no header and no table covers: padding (picasso pads each symbol table
// to 4 bytes), the file names and line numbers of the official tools, or something unknown.
type Gap struct {
	// Offset counts bytes from the start of the file.
	Offset int64
	Bytes  []byte
}

// TableRef is the place of a table, as in its header.
type TableRef struct {
	// Offset counts bytes from the start of the DVLP or DVLE that holds it. It means nothing in an
	// empty table: picasso writes the offset of whatever comes next, other tools 0.
	Offset uint32
	// Count is the number of entries; of a symbol table, of bytes.
	Count uint32
}

// DVLP is the block of code and operand descriptors that the programs share.
type DVLP struct {
	// Version is 0 in picasso's files and another number in those of the official tools; its meaning
	// is open.
	Version uint32
	// CodeTable places Code; it counts words of 32 bits.
	CodeTable TableRef
	// DescriptorTable places Descriptors; it counts entries of 8 bytes.
	DescriptorTable TableRef
	// Word18 to Word24 are the words at these offsets of the header, in hexadecimal. They place a
	// table of file names and one of line numbers, of which picasso writes neither: its Word18 is the
	// offset of the block's end, the others are 0. Readers of the official tools' files disagree.
	// nihstro takes Word18 for the offset of the names; others take Word18 and Word1C for offset and
	// count of the line numbers, Word20 and Word24 for offset and size of the names. So the words are
	// neither followed nor checked, and what they place is found in the file's Gaps.
	Word18, Word1C, Word20, Word24 uint32
	// Short is set if the header ends after Word18, as nihstro writes it: the next header or table starts there.
	Short bool

	// Code is the instruction words. Branch targets, entry points and labels count from its start.
	Code []uint32
	// Descriptors is the operand descriptor table, which instructions index.
	Descriptors []Descriptor
}

// Descriptor is an entry of the operand descriptor table.
type Descriptor struct {
	// Value is the descriptor: destination mask, swizzles and negations. The instruction set
	// describes its bits.
	Value uint32 `json:"value"`
	// Second is 0 in picasso's files; the official tools write something else, perhaps a mask of the
	// bits that are used. The hardware is given Value only (libctru).
	Second uint32 `json:"second"`
}

// DVLE is one program: its entry in the shared code, and the tables that a driver needs to run it.
type DVLE struct {
	// Offset counts bytes from the start of the file to this header.
	Offset uint32
	// Word04 is the 16-bit word at offset 4, perhaps a version; picasso writes 0x1002.
	Word04 uint16
	Type   DVLEType
	// MergeOutmaps asks, by its lowest bit, that the output maps of vertex and geometry shader be
	// merged (libctru). The other bits have no known meaning.
	MergeOutmaps uint8
	// Entry and End are word addresses in the code; picasso's End is the first word after the entry procedure. They
	// are not checked against the size of the code.
	Entry, End uint32
	// InputMask has bit n set if the program reads input vn. picasso fills it from its .in
	// directive only, so 0 need not mean that nothing is read.
	InputMask uint16
	// OutputMask has bit n set if the program writes output on.
	OutputMask uint16
	// GeometryMode and the three numbers after it are 0 in a vertex shader.
	GeometryMode GeometryMode
	// FixedStart is the float uniform at which the vertices of mode fixed start.
	FixedStart uint8
	// VariableCount is the number of vertices with all attributes in mode variable.
	VariableCount uint8
	// FixedCount is the number of vertices of mode fixed.
	FixedCount uint8

	// The tables' places, in the order of the header.
	ConstantTable, LabelTable, OutputTable, UniformTable, SymbolTable TableRef

	// Constants are the uniform registers that the program presets.
	Constants []Constant
	// Labels are names for code addresses; picasso writes none.
	Labels []Label
	// Outputs tell which output register carries what.
	Outputs []Output
	// Uniforms name inputs and uniform registers.
	Uniforms []Uniform
	// Symbols is the symbol table as it stands, strings that each end in a NUL. Names of labels and
	// uniforms point into it; it may hold more.
	Symbols string
}

// DVLEType is the unit that runs a program.
type DVLEType uint8

// The types of program.
const (
	VertexShader   DVLEType = 0
	GeometryShader DVLEType = 1
)

// String returns the unit, or the number of an unknown type.
func (t DVLEType) String() string { return nameOrNumber(dvleTypes[:], int(t)) }

var dvleTypes = [...]string{VertexShader: "vertex", GeometryShader: "geometry"}

// GeometryMode is the way in which a geometry shader gets its vertices.
type GeometryMode uint8

// The modes of a geometry shader.
const (
	// GeometryPoint has the attributes of all vertices in the inputs, from v0.
	GeometryPoint GeometryMode = 0
	// GeometryVariable has the number of vertices in c0 and the vertices from c1.
	GeometryVariable GeometryMode = 1
	// GeometryFixed has an array of vertices in the float uniforms, from FixedStart.
	GeometryFixed GeometryMode = 2
)

// String returns picasso's word for the mode, or the number of an unknown one.
func (m GeometryMode) String() string { return nameOrNumber(geometryModes[:], int(m)) }

var geometryModes = [...]string{
	GeometryPoint:    "point",
	GeometryVariable: "variable",
	GeometryFixed:    "fixed",
}

// ConstantType is the type of a Constant.
type ConstantType uint16

// The types of constant.
const (
	ConstantBool  ConstantType = 0
	ConstantInt   ConstantType = 1
	ConstantFloat ConstantType = 2
)

// String returns the type, or the number of an unknown one.
func (t ConstantType) String() string { return nameOrNumber(constantTypes[:], int(t)) }

var constantTypes = [...]string{ConstantBool: "bool", ConstantInt: "int", ConstantFloat: "float"}

// Constant is a uniform register's initial value.
type Constant struct {
	Type ConstantType
	// ID is the number of the register in its bank: 5 for c5, i5 and b5.
	ID uint16
	// Payload is the value in the form that Type says. Bytes and bits beyond that are padding, 0 in
	// picasso's files.
	Payload [16]byte
}

// Float24s returns the payload of a float: x, y, z, w, each in the low 24 bits, as Float24 takes it.
func (c Constant) Float24s() [4]uint32 {
	var v [4]uint32
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(c.Payload[i*wordSize:])
	}
	return v
}

// Ints returns the payload of an int: x, y, z, w.
func (c Constant) Ints() [4]uint8 { return [4]uint8(c.Payload[:4]) }

// Bool returns the payload of a bool. Only its lowest bit counts (libctru).
func (c Constant) Bool() bool { return c.Payload[0]&1 != 0 }

// Register returns the register that the constant presets. It is false for an unknown type and for
// an ID that the bank does not have.
func (c Constant) Register() (UniformReg, bool) {
	for _, b := range []bank{floatBank, intBank, boolBank} {
		if b.constant() == c.Type && int(c.ID) < numbered()[b].Count {
			return uniformFirst[b] + UniformReg(c.ID), true
		}
	}
	return 0, false
}

// Label names an address of the code.
type Label struct {
	ID uint8 `json:"id"`
	// Pad follows ID; other readers take its first byte for the high half of a 16-bit ID.
	Pad [3]byte `json:"-"`
	// Address counts words from the start of the code. It is not checked against the code's size.
	Address uint32 `json:"address"`
	// Size has an open meaning; the size of what is labelled is a guess.
	Size uint32 `json:"size"`
	// SymbolOffset counts bytes from the start of the symbol table to Name.
	SymbolOffset uint32 `json:"-"`
	// Name is any bytes but NUL, and may be empty.
	Name string `json:"name"`
}

// Output is the use of an output register.
type Output struct {
	Semantic Semantic
	// Register is the number of the output register: 1 for o1.
	Register uint16
	// Mask is the components that are used: bit 0 x, bit 1 y, bit 2 z, bit 3 w. (The destination mask
	// of an operand descriptor has the opposite order.)
	Mask uint8
	// Pad follows Mask, 0 in picasso's files.
	Pad [3]byte
}

// Components returns the letters of the components in the mask, in the order xyzw.
func (o Output) Components() string {
	s := ""
	for i, name := range numbered()[outputBank].Components {
		if o.Mask>>i&1 != 0 {
			s += name
		}
	}
	return s
}

// Semantic is the rasteriser's use of an output.
type Semantic uint16

// The semantics. There is no 7.
const (
	SemanticPosition   Semantic = 0
	SemanticNormalQuat Semantic = 1
	SemanticColor      Semantic = 2
	SemanticTexCoord0  Semantic = 3
	SemanticTexCoord0W Semantic = 4
	SemanticTexCoord1  Semantic = 5
	SemanticTexCoord2  Semantic = 6
	SemanticView       Semantic = 8
	// SemanticDummy is not used by the rasteriser; a geometry shader may read such an output.
	SemanticDummy Semantic = 9
)

// String returns picasso's word for the semantic, or the number of an unknown one.
func (s Semantic) String() string { return nameOrNumber(semantics[:], int(s)) }

var semantics = [...]string{
	SemanticPosition:   "position",
	SemanticNormalQuat: "normalquat",
	SemanticColor:      "color",
	SemanticTexCoord0:  "texcoord0",
	SemanticTexCoord0W: "texcoord0w",
	SemanticTexCoord1:  "texcoord1",
	SemanticTexCoord2:  "texcoord2",
	SemanticView:       "view",
	SemanticDummy:      "dummy",
}

// nameOrNumber returns names[i], or i in decimal where that has no name.
func nameOrNumber(names []string, i int) string {
	if i < len(names) && names[i] != "" {
		return names[i]
	}
	return strconv.Itoa(i)
}

// Uniform names a run of registers.
type Uniform struct {
	// SymbolOffset counts bytes from the start of the symbol table to Name.
	SymbolOffset uint32 `json:"-"`
	// First and Last are both part of the run. Neither their order nor their bank is checked.
	First UniformReg `json:"first"`
	Last  UniformReg `json:"last"`
	// Name is any bytes but NUL, and may be empty. picasso writes a dot where its source has a $.
	Name string `json:"name"`
}

// UniformReg is a register in the numbering of the uniform table: 0x00 is v0, 0x10 c0, 0x70 i0,
// 0x78 b0. The numbers of instruction operands are others.
type UniformReg uint16

// UniformRegs is the number of registers of the uniform table: its last is b15.
const UniformRegs = 0x88

// uniformFirst is the number of the first register of each bank in the uniform table.
var uniformFirst = [...]UniformReg{inputBank: 0x00, floatBank: 0x10, intBank: 0x70, boolBank: 0x78}

// place splits a register of the uniform table into bank and number; ok is false where no bank has it.
func (r UniformReg) place() (of bank, num int, ok bool) {
	for b, first := range uniformFirst {
		if n := int(r) - int(first); n >= 0 && n < numbered()[b].Count {
			return bank(b), n, true
		}
	}
	return 0, 0, false
}

// String returns the register's name such as c5, or the number in hexadecimal where no bank has it.
func (r UniformReg) String() string {
	if b, num, ok := r.place(); ok {
		return b.name(num)
	}
	return fmt.Sprintf("0x%x", uint16(r))
}

// MarshalText returns the name as String does, for JSON.
func (r UniformReg) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// constant returns the type of the constants that preset a bank.
func (b bank) constant() ConstantType { return constantBanks[b] }

var constantBanks = [...]ConstantType{floatBank: ConstantFloat, intBank: ConstantInt, boolBank: ConstantBool}

// UniformNames returns the name of each register, indexed by UniformReg and UniformRegs long. It is
// empty where the table has none, and has an index where the run is longer than one register, such
// as lights[2]. Where runs overlap, the first of them gives the name.
func (d *DVLE) UniformNames() []string {
	names := make([]string, UniformRegs)
	for i := range d.Uniforms {
		u := &d.Uniforms[i]
		for reg := u.First; reg <= min(u.Last, UniformRegs-1); reg++ {
			if names[reg] == "" {
				names[reg] = u.nameOf(reg)
			}
		}
	}
	return names
}

// nameOf returns the name of one register of the run.
func (u *Uniform) nameOf(reg UniformReg) string {
	if u.Name == "" || u.First == u.Last {
		return u.Name
	}
	return fmt.Sprintf("%s[%d]", u.Name, reg-u.First)
}

// The layout of a float24: bit 23 the sign, then 7 bits of exponent, then 16 of mantissa.
const (
	float24MantissaBits = 16
	float24ExponentMax  = 0x7f
	float24Bias         = 63

	float32MantissaBits = 23
	float32ExponentMax  = 0xff
	float32Bias         = 127
)

// Float24 returns the value of the low 24 bits of u, a PICA200 float: bit 23 the sign, bits 22 to 16
// the exponent with bias 63, bits 15 to 0 the mantissa, infinities and NaNs at exponent 127 and
// subnormals at 0 as in IEEE 754. The result is exact; a NaN keeps its sign and mantissa. What
// arithmetic makes of the value is another matter: the hardware flushes subnormals and knows no -0.
func Float24(u uint32) float32 {
	sign := u >> 23 & 1 << 31
	exponent := u >> float24MantissaBits & float24ExponentMax
	mantissa := u & (1<<float24MantissaBits - 1)
	switch exponent {
	case 0:
		// 2^-78 and its multiples are normal numbers of the wider format.
		v := math.Ldexp(float64(mantissa), 1-float24Bias-float24MantissaBits)
		return math.Float32frombits(sign | math.Float32bits(float32(v)))
	case float24ExponentMax:
		exponent = float32ExponentMax
	default:
		exponent += float32Bias - float24Bias
	}
	return math.Float32frombits(sign | exponent<<float32MantissaBits |
		mantissa<<(float32MantissaBits-float24MantissaBits))
}

// FormatError is the reason why a file is rejected.
type FormatError struct {
	// Offset counts bytes from the start of the file to the bad value.
	Offset int64
	// Field is the bad value in words, such as "DVLE 1 uniform table offset".
	Field string
	// Msg is what was read there and what was expected.
	Msg string
}

// Error returns the offset, the field and the message.
func (e *FormatError) Error() string {
	return fmt.Sprintf("offset 0x%x: %s: %s", e.Offset, e.Field, e.Msg)
}

func formatErrorf(offset int64, field, format string, args ...any) error {
	return &FormatError{Offset: offset, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// IsSHBIN reports whether data starts like a shader file.
func IsSHBIN(data []byte) bool { return bytes.HasPrefix(data, []byte(magicDVLB)) }

// ReadSHBIN reads a shader file. Its errors are *FormatError.
//
// Refused is what cannot be read without guessing: a wrong magic, a header or table that is not
// wholly in the file or that overlaps another, a name outside its symbol table. Unknown types,
// modes and semantics, addresses beyond the code and registers that do not exist are kept, and so
// is whatever lies behind the last table: a file that has lost only padding there is not damaged.
//
// The result does not refer to data. Memory is bounded by a small multiple of its length, and so is
// time but for sorting the tables by their offset and finding names by bisection.
func ReadSHBIN(data []byte) (*SHBIN, error) {
	r := &shbinReader{data: data}
	f := &SHBIN{}
	if err := r.readHeaders(f); err != nil {
		return nil, err
	}
	if err := r.placeTables(f); err != nil {
		return nil, err
	}
	if err := r.readLongDVLP(&f.DVLP); err != nil {
		return nil, err
	}
	// Entries are read only now that no two tables share bytes: a file whose DVLEs all point at one
	// large table would else cost the product of both.
	r.sortParts()
	if err := r.checkOverlap(); err != nil {
		return nil, err
	}
	r.readCode(&f.DVLP)
	for i := range f.DVLEs {
		if err := r.readTables(i, &f.DVLEs[i]); err != nil {
			return nil, err
		}
	}
	f.Gaps = r.gaps()
	return f, nil
}

// shbinReader reads a file, and notes which of its bytes belong to what.
type shbinReader struct {
	data []byte
	// parts are the headers and the tables that are not empty, first as they are found, then
	// ascending.
	parts []shbinPart
	// dvlp is the offset of the DVLP in the file.
	dvlp int64
}

// A shbinPart is a run of bytes of the file that a header or a table takes.
type shbinPart struct {
	start, end int64
	kind       *shbinKind
	// dvle is the number of the DVLE, for kinds that belong to one.
	dvle int
	// order is the part's place in the order of finding.
	order int
	// at is the offset of the field that says where the part lies; the headers whose place is fixed
	// have none.
	at int64
}

// name returns the part in words, as errors call it.
func (p *shbinPart) name() string { return p.kind.nameIn(p.dvle) }

// A shbinKind is a kind of header or table.
type shbinKind struct {
	name string
	// perDVLE is set if each DVLE has its own.
	perDVLE bool
	// entry is the size of an entry in bytes, entries what to call them.
	entry   int64
	entries string
	// count names the field that holds their number.
	count string
}

func (k *shbinKind) nameIn(dvle int) string {
	if !k.perDVLE {
		return k.name
	}
	return fmt.Sprintf("DVLE %d %s", dvle, k.name)
}

var (
	kindDVLB = &shbinKind{name: "DVLB header"}
	kindDVLP = &shbinKind{name: "DVLP header"}
	kindDVLE = &shbinKind{name: "header", perDVLE: true}
	kindGap  = &shbinKind{name: "gap"}

	kindCode       = &shbinKind{name: "DVLP code", entry: wordSize, entries: "words", count: "count"}
	kindDescriptor = &shbinKind{name: "DVLP descriptor table", entry: descriptorSize, entries: "entries", count: "count"}

	kindConstant = &shbinKind{name: "constant table", perDVLE: true, entry: constantSize, entries: "entries", count: "count"}
	kindLabel    = &shbinKind{name: "label table", perDVLE: true, entry: labelSize, entries: "entries", count: "count"}
	kindOutput   = &shbinKind{name: "output table", perDVLE: true, entry: outputSize, entries: "entries", count: "count"}
	kindUniform  = &shbinKind{name: "uniform table", perDVLE: true, entry: uniformSize, entries: "entries", count: "count"}
	kindSymbol   = &shbinKind{name: "symbol table", perDVLE: true, entry: 1, entries: "bytes", count: "size"}
)

func (r *shbinReader) size() int64 { return int64(len(r.data)) }

// u16 and u32 read at an offset that is known to be in the file.
func (r *shbinReader) u16(at int64) uint16 { return binary.LittleEndian.Uint16(r.data[at:]) }
func (r *shbinReader) u32(at int64) uint32 { return binary.LittleEndian.Uint32(r.data[at:]) }

// take notes that a part of n bytes lies at start.
func (r *shbinReader) take(kind *shbinKind, dvle int, at, start, n int64) {
	r.parts = append(r.parts, shbinPart{
		start: start, end: start + n, kind: kind, dvle: dvle, order: len(r.parts), at: at,
	})
}

// readHeaders reads the headers, save for the places of the tables.
func (r *shbinReader) readHeaders(f *SHBIN) error {
	count, err := r.readDVLB()
	if err != nil {
		return err
	}
	if err := r.readDVLP(&f.DVLP); err != nil {
		return err
	}
	// The file is known to be large enough for so many.
	f.DVLEs = slices.Grow(f.DVLEs, int(count))
	r.parts = slices.Grow(r.parts, int(count))
	for i := range int(count) {
		d, err := r.readDVLE(i)
		if err != nil {
			return err
		}
		f.DVLEs = append(f.DVLEs, d)
	}
	return nil
}

// readDVLB reads the first header and returns the number of DVLEs, for which the file is large
// enough.
func (r *shbinReader) readDVLB() (count int64, err error) {
	const countAt = 4
	if err := r.magic(0, "DVLB magic", magicDVLB); err != nil {
		return 0, err
	}
	if r.size() < dvlbSize {
		return 0, formatErrorf(countAt, "DVLB DVLE count", "the file ends at 0x%x, expected 4 bytes", r.size())
	}
	count = int64(r.u32(countAt))
	least := dvlbSize + int64(dvlpSize)
	if count > 0 { // one of them may follow a short DVLP
		least = dvlbSize + dvlpShortSize + count*(dvleOffsetSize+dvleSize)
	}
	if r.size() < least {
		return 0, formatErrorf(countAt, "DVLB DVLE count",
			"a file with 0x%x DVLEs has at least %d bytes, this one has %d", count, least, r.size())
	}
	r.dvlp = dvlbSize + count*dvleOffsetSize
	r.take(kindDVLB, 0, 0, 0, r.dvlp)
	return count, nil
}

// magic checks the four bytes that name a header.
func (r *shbinReader) magic(at int64, field, want string) error {
	got := r.data[at:min(at+int64(len(want)), r.size())]
	if string(got) == want {
		return nil
	}
	return formatErrorf(at, field, "read %q, expected %q", got, want)
}

func (r *shbinReader) readDVLP(p *DVLP) error {
	at := r.dvlp
	if err := r.magic(at, "DVLP magic", magicDVLP); err != nil {
		return err
	}
	r.take(kindDVLP, 0, 0, at, dvlpSize)
	p.Version = r.u32(at + 0x04)
	p.Word18 = r.u32(at + 0x18)
	return nil
}

// readLongDVLP reads the rest of the DVLP header, all parts being placed, unless one of them starts
// where a short one ends.
func (r *shbinReader) readLongDVLP(p *DVLP) error {
	at := r.dvlp
	for i := range r.parts {
		if r.parts[i].start == at+dvlpShortSize {
			p.Short = true
		}
	}
	switch {
	case p.Short:
		for i := range r.parts {
			if r.parts[i].kind == kindDVLP {
				r.parts[i].end = at + dvlpShortSize
			}
		}
		return nil
	case r.size() < at+dvlpSize:
		return formatErrorf(at, "DVLP header", "0x%x leaves %d bytes of the file for a header of %d", at, r.size()-at, dvlpSize)
	}
	p.Word1C = r.u32(at + 0x1c)
	p.Word20 = r.u32(at + 0x20)
	p.Word24 = r.u32(at + 0x24)
	return nil
}

func (r *shbinReader) readDVLE(i int) (DVLE, error) {
	offsetAt := dvlbSize + int64(i)*dvleOffsetSize
	at := int64(r.u32(offsetAt))
	if at >= r.size() {
		return DVLE{}, r.outside(offsetAt, kindDVLE.nameIn(i)+" offset", 0)
	}
	if left := r.size() - at; left < dvleSize {
		return DVLE{}, formatErrorf(offsetAt, kindDVLE.nameIn(i)+" offset",
			"0x%x leaves %d bytes of the file for a header of %d", at, left, dvleSize)
	}
	if err := r.magic(at, fmt.Sprintf("DVLE %d magic", i), magicDVLE); err != nil {
		return DVLE{}, err
	}
	r.take(kindDVLE, i, offsetAt, at, dvleSize)
	return DVLE{
		Offset:        uint32(at),
		Word04:        r.u16(at + 0x04),
		Type:          DVLEType(r.data[at+0x06]),
		MergeOutmaps:  r.data[at+0x07],
		Entry:         r.u32(at + 0x08),
		End:           r.u32(at + 0x0c),
		InputMask:     r.u16(at + 0x10),
		OutputMask:    r.u16(at + 0x12),
		GeometryMode:  GeometryMode(r.data[at+0x14]),
		FixedStart:    r.data[at+0x15],
		VariableCount: r.data[at+0x16],
		FixedCount:    r.data[at+0x17],
	}, nil
}

// placeTables places the tables, all headers being known.
func (r *shbinReader) placeTables(f *SHBIN) error {
	var err error
	if f.DVLP.CodeTable, err = r.place(kindCode, 0, r.dvlp+0x08, r.dvlp); err != nil {
		return err
	}
	if f.DVLP.DescriptorTable, err = r.place(kindDescriptor, 0, r.dvlp+0x10, r.dvlp); err != nil {
		return err
	}
	for i := range f.DVLEs {
		at := int64(f.DVLEs[i].Offset)
		for k, t := range f.DVLEs[i].tables() {
			if *t.ref, err = r.place(t.kind, i, at+dvleTablesAt+8*int64(k), at); err != nil {
				return err
			}
		}
	}
	return nil
}

// dvleTablesAt is where the header of a DVLE places its tables.
const dvleTablesAt = 0x18

// dvleTable is a table of a DVLE with the number of its entries.
type dvleTable struct {
	kind  *shbinKind
	ref   *TableRef
	count int
}

// tables lists the tables in the order of the header.
func (d *DVLE) tables() [5]dvleTable {
	return [...]dvleTable{
		{kindConstant, &d.ConstantTable, len(d.Constants)},
		{kindLabel, &d.LabelTable, len(d.Labels)},
		{kindOutput, &d.OutputTable, len(d.Outputs)},
		{kindUniform, &d.UniformTable, len(d.Uniforms)},
		{kindSymbol, &d.SymbolTable, len(d.Symbols)},
	}
}

// place reads the offset and count of a table at the given offset, checks that the table lies in
// the file, and takes its bytes. Offsets of tables count from base.
func (r *shbinReader) place(kind *shbinKind, dvle int, at, base int64) (TableRef, error) {
	t := TableRef{Offset: r.u32(at), Count: r.u32(at + 4)}
	if t.Count == 0 {
		return t, nil
	}
	start := base + int64(t.Offset)
	if start >= r.size() {
		return t, r.outside(at, kind.nameIn(dvle)+" offset", base)
	}
	n := int64(t.Count) * kind.entry
	if left := r.size() - start; n > left {
		return t, formatErrorf(at+4, kind.nameIn(dvle)+" "+kind.count,
			"0x%x %s from 0x%x need %d bytes, but the file has %d there", t.Count, kind.entries, start, n, left)
	}
	r.take(kind, dvle, at, start, n)
	return t, nil
}

// outside returns the error for the offset that stands at the given place and counts from base.
func (r *shbinReader) outside(at int64, field string, base int64) error {
	from := ""
	if base != 0 {
		from = fmt.Sprintf(", counted from 0x%x", base)
	}
	return formatErrorf(at, field, "0x%x is outside the file (%d bytes)%s", r.u32(at), r.size(), from)
}

// sortParts puts the parts in the order of the file.
func (r *shbinReader) sortParts() {
	slices.SortStableFunc(r.parts, func(a, b shbinPart) int { return cmp.Compare(a.start, b.start) })
}

// checkOverlap looks for two parts that take the same bytes. Empty tables are no parts: picasso
// gives them the offset of the table that follows.
func (r *shbinReader) checkOverlap() error {
	for i := 1; i < len(r.parts); i++ {
		a, b := &r.parts[i-1], &r.parts[i]
		if a.end <= b.start {
			continue
		}
		// Headers are found before all tables, and so are not blamed where a table runs into one.
		if a.order > b.order {
			a, b = b, a
		}
		return formatErrorf(b.at, b.name()+" offset", "0x%x puts it at 0x%x to 0x%x, which overlaps the %s at 0x%x to 0x%x",
			r.u32(b.at), b.start, b.end-1, a.name(), a.start, a.end-1)
	}
	return nil
}

// gaps returns copies of the bytes that no part takes.
func (r *shbinReader) gaps() []Gap {
	var gaps []Gap
	from := int64(0)
	add := func(to int64) {
		if from < to {
			gaps = append(gaps, Gap{Offset: from, Bytes: bytes.Clone(r.data[from:to])})
		}
	}
	for i := range r.parts {
		add(r.parts[i].start)
		from = r.parts[i].end
	}
	add(r.size())
	return gaps
}

func (r *shbinReader) readCode(p *DVLP) {
	p.Code = readEntries(r, r.dvlp, p.CodeTable, wordSize, binary.LittleEndian.Uint32)
	p.Descriptors = readEntries(r, r.dvlp, p.DescriptorTable, descriptorSize, decodeDescriptor)
}

func (r *shbinReader) readTables(i int, d *DVLE) error {
	base := int64(d.Offset)
	d.Constants = readEntries(r, base, d.ConstantTable, constantSize, decodeConstant)
	d.Labels = readEntries(r, base, d.LabelTable, labelSize, decodeLabel)
	d.Outputs = readEntries(r, base, d.OutputTable, outputSize, decodeOutput)
	d.Uniforms = readEntries(r, base, d.UniformTable, uniformSize, decodeUniform)
	if n := int64(d.SymbolTable.Count); n > 0 {
		start := base + int64(d.SymbolTable.Offset)
		d.Symbols = string(r.data[start : start+n])
	}
	return readNames(i, d)
}

// readEntries reads a table that is known to lie in the file; an empty one gives nil.
func readEntries[T any](r *shbinReader, base int64, t TableRef, size int64, decode func([]byte) T) []T {
	if t.Count == 0 {
		return nil
	}
	start := base + int64(t.Offset)
	entries := make([]T, t.Count)
	for i := range entries {
		entries[i] = decode(r.data[start+int64(i)*size:][:size])
	}
	return entries
}

func decodeDescriptor(b []byte) Descriptor {
	return Descriptor{
		Value:  binary.LittleEndian.Uint32(b),
		Second: binary.LittleEndian.Uint32(b[4:]),
	}
}

func decodeConstant(b []byte) Constant {
	return Constant{
		Type:    ConstantType(binary.LittleEndian.Uint16(b)),
		ID:      binary.LittleEndian.Uint16(b[2:]),
		Payload: [16]byte(b[4:]),
	}
}

func decodeLabel(b []byte) Label {
	return Label{
		ID:           b[0],
		Pad:          [3]byte(b[1:]),
		Address:      binary.LittleEndian.Uint32(b[4:]),
		Size:         binary.LittleEndian.Uint32(b[8:]),
		SymbolOffset: binary.LittleEndian.Uint32(b[labelSymbolAt:]),
	}
}

func decodeOutput(b []byte) Output {
	return Output{
		Semantic: Semantic(binary.LittleEndian.Uint16(b)),
		Register: binary.LittleEndian.Uint16(b[2:]),
		Mask:     b[4],
		Pad:      [3]byte(b[5:]),
	}
}

func decodeUniform(b []byte) Uniform {
	return Uniform{
		SymbolOffset: binary.LittleEndian.Uint32(b[uniformSymbolAt:]),
		First:        UniformReg(binary.LittleEndian.Uint16(b[4:])),
		Last:         UniformReg(binary.LittleEndian.Uint16(b[6:])),
	}
}

// Where an entry of these tables holds its symbol offset.
const (
	labelSymbolAt   = 12
	uniformSymbolAt = 0
)

// readNames looks up the names of labels and uniforms.
func readNames(dvle int, d *DVLE) error {
	s := newSymbols(d.Symbols)
	name := func(to *string, offset uint32, t TableRef, at int, what string, i int) error {
		var problem string
		if *to, problem = s.name(offset); problem == "" {
			return nil
		}
		return formatErrorf(int64(d.Offset)+int64(t.Offset)+int64(at), fmt.Sprintf("DVLE %d %s %d symbol offset", dvle, what, i), "%s", problem)
	}
	for i := range d.Labels {
		l := &d.Labels[i]
		if err := name(&l.Name, l.SymbolOffset, d.LabelTable, i*labelSize+labelSymbolAt, "label", i); err != nil {
			return err
		}
	}
	for i := range d.Uniforms {
		u := &d.Uniforms[i]
		if err := name(&u.Name, u.SymbolOffset, d.UniformTable, i*uniformSize+uniformSymbolAt, "uniform", i); err != nil {
			return err
		}
	}
	return nil
}

// symbols finds strings in a symbol table.
type symbols struct {
	text string
	// ends are the offsets of the NULs, so that many names that point into one long string cost a
	// search each and not its length.
	ends []uint32
}

func newSymbols(text string) symbols {
	s := symbols{text: text}
	if n := strings.Count(text, "\x00"); n > 0 {
		s.ends = make([]uint32, 0, n)
	}
	for i := range len(text) {
		if text[i] == 0 {
			s.ends = append(s.ends, uint32(i))
		}
	}
	return s
}

// name returns the string at an offset, or what is wrong with the offset.
func (s symbols) name(offset uint32) (name, problem string) {
	if int64(offset) >= int64(len(s.text)) {
		return "", fmt.Sprintf("0x%x is outside the symbol table (%d bytes)", offset, len(s.text))
	}
	i, _ := slices.BinarySearch(s.ends, offset)
	if i == len(s.ends) {
		return "", fmt.Sprintf("0x%x is a string without a NUL before the end of the symbol table (%d bytes)", offset, len(s.text))
	}
	return s.text[offset:s.ends[i]], ""
}
