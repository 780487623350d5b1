package pica200_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/isago/isago/target/pica200"
)

// shbinBuilder writes the bytes of a file, little-endian, and checks the offsets that the test
// claims, so that they can be read in the test.
type shbinBuilder struct {
	data []byte
}

// at panics unless the next byte has the given offset.
func (b *shbinBuilder) at(offset int) *shbinBuilder {
	if len(b.data) != offset {
		panic(fmt.Sprintf("the next byte is at 0x%x, not 0x%x", len(b.data), offset))
	}
	return b
}

func (b *shbinBuilder) u8(values ...uint8) *shbinBuilder {
	b.data = append(b.data, values...)
	return b
}

func (b *shbinBuilder) u16(values ...uint16) *shbinBuilder {
	for _, v := range values {
		b.data = binary.LittleEndian.AppendUint16(b.data, v)
	}
	return b
}

func (b *shbinBuilder) u32(values ...uint32) *shbinBuilder {
	for _, v := range values {
		b.data = binary.LittleEndian.AppendUint32(b.data, v)
	}
	return b
}

func (b *shbinBuilder) str(s string) *shbinBuilder {
	b.data = append(b.data, s...)
	return b
}

// shbinFull is a file of 0x18d bytes with a vertex and a geometry program, every table, every field
// different from 0 where that is possible, and two gaps.
func shbinFull() []byte {
	b := &shbinBuilder{}
	b.at(0x00).str("DVLB").u32(2, 0x64, 0x12c)
	b.at(0x10).str("DVLP").u32(0x00010203)
	b.at(0x18).u32(0x28, 3) // code at 0x38
	b.at(0x20).u32(0x34, 2) // descriptors at 0x44
	b.at(0x28).u32(0x44, 1, 0x4c, 8)
	b.at(0x38).u32(0x4c201000, 0x88000000, 0xffffffff)
	b.at(0x44).u32(0x36f, 0x1fef, 0x0006c36f, 0)
	b.at(0x54).u32(0, 17).str("a.vsh\x00\x00\x00") // a line number and a file name

	b.at(0x64).str("DVLE").u16(0x1002).u8(0, 1)
	b.at(0x6c).u32(1, 2).u16(0x8001, 0x0003).u8(0, 0, 0, 0)
	b.at(0x7c).u32(0x40, 3) // constants at 0xa4
	b.at(0x84).u32(0x7c, 1) // labels at 0xe0
	b.at(0x8c).u32(0x8c, 2) // outputs at 0xf0
	b.at(0x94).u32(0x9c, 3) // uniforms at 0x100
	b.at(0x9c).u32(0xb4, 0x12)
	b.at(0xa4).u16(2, 95).u32(0x3f0000, 0x400000, 0xab3e0000, 0x80bf0000)
	b.at(0xb8).u16(1, 3).u8(7, 0, 1, 255).u32(0, 0, 0x01020304)
	b.at(0xcc).u16(0, 15).u32(1, 0, 0, 0)
	b.at(0xe0).u8(5, 1, 2, 3).u32(1, 2, 0)
	b.at(0xf0).u16(0, 0).u8(0x0f, 0, 0, 0)
	b.at(0xf8).u16(7, 6).u8(0x05, 1, 2, 3)
	b.at(0x100).u32(5).u16(0x00, 0x00)
	b.at(0x108).u32(9).u16(0x10, 0x13)
	b.at(0x110).u32(13).u16(0x70, 0x70)
	b.at(0x118).str("main\x00pos\x00mtx\x00loop\x00")
	b.at(0x12a).u8(0, 0) // padding

	b.at(0x12c).str("DVLE").u16(0x1002).u8(1, 0)
	b.at(0x134).u32(0, 3).u16(0, 0x0001).u8(2, 4, 5, 6)
	b.at(0x144).u32(0x40, 0) // no constants, at the offset of the outputs
	b.at(0x14c).u32(0x40, 0) // no labels
	b.at(0x154).u32(0x40, 1) // outputs at 0x16c
	b.at(0x15c).u32(0x48, 2) // uniforms at 0x174
	b.at(0x164).u32(0x58, 9)
	b.at(0x16c).u16(9, 1).u8(0x0e, 0, 0, 0)
	b.at(0x174).u32(0).u16(0x6f, 0x6f)
	b.at(0x17c).u32(4).u16(0x78, 0x87)
	b.at(0x184).str("off\x00flip\x00")
	return b.at(0x18d).data
}

func shbinFullWant() *pica200.SHBIN {
	return &pica200.SHBIN{
		DVLP: pica200.DVLP{
			Version:         0x00010203,
			CodeTable:       pica200.TableRef{Offset: 0x28, Count: 3},
			DescriptorTable: pica200.TableRef{Offset: 0x34, Count: 2},
			Word18:          0x44, Word1C: 1, Word20: 0x4c, Word24: 8,
			Code:        []uint32{0x4c201000, 0x88000000, 0xffffffff},
			Descriptors: []pica200.Descriptor{{Value: 0x36f, Second: 0x1fef}, {Value: 0x0006c36f}},
		},
		DVLEs: []pica200.DVLE{{
			Offset: 0x64, Word04: 0x1002, Type: pica200.VertexShader, MergeOutmaps: 1,
			Entry: 1, End: 2, InputMask: 0x8001, OutputMask: 0x0003,
			ConstantTable: pica200.TableRef{Offset: 0x40, Count: 3},
			LabelTable:    pica200.TableRef{Offset: 0x7c, Count: 1},
			OutputTable:   pica200.TableRef{Offset: 0x8c, Count: 2},
			UniformTable:  pica200.TableRef{Offset: 0x9c, Count: 3},
			SymbolTable:   pica200.TableRef{Offset: 0xb4, Count: 0x12},
			Constants: []pica200.Constant{
				{Type: pica200.ConstantFloat, ID: 95, Payload: [16]byte{
					0, 0, 0x3f, 0, 0, 0, 0x40, 0, 0, 0, 0x3e, 0xab, 0, 0, 0xbf, 0x80}},
				{Type: pica200.ConstantInt, ID: 3, Payload: [16]byte{7, 0, 1, 255, 12: 4, 13: 3, 14: 2, 15: 1}},
				{Type: pica200.ConstantBool, ID: 15, Payload: [16]byte{1}},
			},
			Labels: []pica200.Label{{ID: 5, Pad: [3]byte{1, 2, 3}, Address: 1, Size: 2, Name: "main"}},
			Outputs: []pica200.Output{
				{Semantic: pica200.SemanticPosition, Register: 0, Mask: 0x0f},
				{Semantic: 7, Register: 6, Mask: 0x05, Pad: [3]byte{1, 2, 3}},
			},
			Uniforms: []pica200.Uniform{
				{SymbolOffset: 5, First: 0x00, Last: 0x00, Name: "pos"},
				{SymbolOffset: 9, First: 0x10, Last: 0x13, Name: "mtx"},
				{SymbolOffset: 13, First: 0x70, Last: 0x70, Name: "loop"},
			},
			Symbols: "main\x00pos\x00mtx\x00loop\x00",
		}, {
			Offset: 0x12c, Word04: 0x1002, Type: pica200.GeometryShader,
			Entry: 0, End: 3, InputMask: 0, OutputMask: 0x0001,
			GeometryMode: pica200.GeometryFixed, FixedStart: 4, VariableCount: 5, FixedCount: 6,
			ConstantTable: pica200.TableRef{Offset: 0x40},
			LabelTable:    pica200.TableRef{Offset: 0x40},
			OutputTable:   pica200.TableRef{Offset: 0x40, Count: 1},
			UniformTable:  pica200.TableRef{Offset: 0x48, Count: 2},
			SymbolTable:   pica200.TableRef{Offset: 0x58, Count: 9},
			Outputs:       []pica200.Output{{Semantic: pica200.SemanticDummy, Register: 1, Mask: 0x0e}},
			Uniforms: []pica200.Uniform{
				{SymbolOffset: 0, First: 0x6f, Last: 0x6f, Name: "off"},
				{SymbolOffset: 4, First: 0x78, Last: 0x87, Name: "flip"},
			},
			Symbols: "off\x00flip\x00",
		}},
		Gaps: []pica200.Gap{
			{Offset: 0x54, Bytes: []byte("\x00\x00\x00\x00\x11\x00\x00\x00a.vsh\x00\x00\x00")},
			{Offset: 0x12a, Bytes: []byte{0, 0}},
		},
	}
}

// shbinBare is the smallest file: no program, no code.
func shbinBare() []byte {
	b := &shbinBuilder{}
	b.at(0x00).str("DVLB").u32(0)
	b.at(0x08).str("DVLP").u32(0, 0x28, 0, 0x28, 0, 0x28, 0, 0, 0)
	return b.at(0x30).data
}

// shbinOldLayout is a file as the first picasso wrote it: the DVLE header before the code, here with
// the DVLEs in descending order and the tables of both mixed.
func shbinOldLayout() []byte {
	b := &shbinBuilder{}
	b.at(0x00).str("DVLB").u32(2, 0x78, 0x38)
	b.at(0x10).str("DVLP").u32(0, 0xa8, 1, 0xac, 0, 0xac, 0, 0, 0)
	b.at(0x38).str("DVLE").u32(0, 0, 1, 0, 0) // DVLE 1: outputs at 0xc4
	b.at(0x50).u32(0, 0, 0, 0, 0x8c, 1, 0, 0, 0, 0)
	b.at(0x78).str("DVLE").u32(0, 0, 1, 0, 0) // DVLE 0: outputs at 0xbc
	b.at(0x90).u32(0, 0, 0xffffffff, 0, 0x44, 1, 0, 0, 0, 0)
	b.at(0xb8).u32(0x88000000)
	b.at(0xbc).u16(0, 0).u8(0x0f, 0, 0, 0)
	b.at(0xc4).u16(2, 1).u8(0x07, 0, 0, 0)
	return b.at(0xcc).data
}

// shbinBytes writes a file back from all that was read of it.
func shbinBytes(f *pica200.SHBIN) []byte {
	var data []byte
	put := func(offset int64, b []byte) {
		if end := int(offset) + len(b); end > len(data) {
			data = append(data, make([]byte, end-len(data))...)
		}
		copy(data[offset:], b)
	}
	// An empty table takes no bytes, and its offset may be anywhere.
	table := func(base int64, t pica200.TableRef, b []byte) {
		if t.Count != 0 {
			put(base+int64(t.Offset), b)
		}
	}
	head := (&shbinBuilder{}).str("DVLB").u32(uint32(len(f.DVLEs)))
	for _, d := range f.DVLEs {
		head.u32(d.Offset)
	}
	dvlp := int64(len(head.data))
	p := f.DVLP
	head.str("DVLP").u32(p.Version, p.CodeTable.Offset, p.CodeTable.Count,
		p.DescriptorTable.Offset, p.DescriptorTable.Count, p.Word18)
	if !p.Short {
		head.u32(p.Word1C, p.Word20, p.Word24)
	}
	put(0, head.data)
	table(dvlp, p.CodeTable, (&shbinBuilder{}).u32(p.Code...).data)
	descriptors := &shbinBuilder{}
	for _, d := range p.Descriptors {
		descriptors.u32(d.Value, d.Second)
	}
	table(dvlp, p.DescriptorTable, descriptors.data)
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		base := int64(d.Offset)
		put(base, shbinHeaderBytes(d))
		table(base, d.ConstantTable, shbinConstantBytes(d))
		table(base, d.LabelTable, shbinLabelBytes(d))
		table(base, d.OutputTable, shbinOutputBytes(d))
		table(base, d.UniformTable, shbinUniformBytes(d))
		table(base, d.SymbolTable, []byte(d.Symbols))
	}
	for _, g := range f.Gaps {
		put(g.Offset, g.Bytes)
	}
	return data
}

func shbinHeaderBytes(d *pica200.DVLE) []byte {
	b := (&shbinBuilder{}).str("DVLE").u16(d.Word04).u8(uint8(d.Type), d.MergeOutmaps).u32(d.Entry, d.End)
	b.u16(d.InputMask, d.OutputMask).u8(uint8(d.GeometryMode), d.FixedStart, d.VariableCount, d.FixedCount)
	for _, t := range []pica200.TableRef{d.ConstantTable, d.LabelTable, d.OutputTable, d.UniformTable, d.SymbolTable} {
		b.u32(t.Offset, t.Count)
	}
	return b.data
}

func shbinConstantBytes(d *pica200.DVLE) []byte {
	b := &shbinBuilder{}
	for _, c := range d.Constants {
		b.u16(uint16(c.Type), c.ID).u8(c.Payload[:]...)
	}
	return b.data
}

func shbinLabelBytes(d *pica200.DVLE) []byte {
	b := &shbinBuilder{}
	for _, l := range d.Labels {
		b.u8(l.ID).u8(l.Pad[:]...).u32(l.Address, l.Size, l.SymbolOffset)
	}
	return b.data
}

func shbinOutputBytes(d *pica200.DVLE) []byte {
	b := &shbinBuilder{}
	for _, o := range d.Outputs {
		b.u16(uint16(o.Semantic), o.Register).u8(o.Mask).u8(o.Pad[:]...)
	}
	return b.data
}

func shbinUniformBytes(d *pica200.DVLE) []byte {
	b := &shbinBuilder{}
	for _, u := range d.Uniforms {
		b.u32(u.SymbolOffset).u16(uint16(u.First), uint16(u.Last))
	}
	return b.data
}

func TestReadSHBIN(t *testing.T) {
	data := shbinFull()
	got, err := pica200.ReadSHBIN(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shbinFullWant(), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	clear(data)
	if diff := cmp.Diff(shbinFullWant(), got); diff != "" {
		t.Errorf("the result refers to the input (-want +got):\n%s", diff)
	}
}

func TestReadSHBINBare(t *testing.T) {
	got, err := pica200.ReadSHBIN(shbinBare())
	if err != nil {
		t.Fatal(err)
	}
	empty := pica200.TableRef{Offset: 0x28}
	want := &pica200.SHBIN{DVLP: pica200.DVLP{CodeTable: empty, DescriptorTable: empty, Word18: 0x28}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReadSHBINAnyOrder reads a file whose parts are in no usual order, one of its empty tables at
// an offset outside the file.
func TestReadSHBINAnyOrder(t *testing.T) {
	got, err := pica200.ReadSHBIN(shbinOldLayout())
	if err != nil {
		t.Fatal(err)
	}
	want := &pica200.SHBIN{
		DVLP: pica200.DVLP{
			CodeTable:       pica200.TableRef{Offset: 0xa8, Count: 1},
			DescriptorTable: pica200.TableRef{Offset: 0xac},
			Word18:          0xac,
			Code:            []uint32{0x88000000},
		},
		DVLEs: []pica200.DVLE{{
			Offset: 0x78, End: 1,
			LabelTable:  pica200.TableRef{Offset: 0xffffffff},
			OutputTable: pica200.TableRef{Offset: 0x44, Count: 1},
			Outputs:     []pica200.Output{{Semantic: pica200.SemanticPosition, Register: 0, Mask: 0x0f}},
		}, {
			Offset: 0x38, End: 1,
			OutputTable: pica200.TableRef{Offset: 0x8c, Count: 1},
			Outputs:     []pica200.Output{{Semantic: pica200.SemanticColor, Register: 1, Mask: 0x07}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// shbinPatch returns the full file with words changed: offset, value, offset, value.
func shbinPatch(pairs ...uint32) []byte {
	data := shbinFull()
	for i := 0; i < len(pairs); i += 2 {
		binary.LittleEndian.PutUint32(data[pairs[i]:], pairs[i+1])
	}
	return data
}

func TestReadSHBINErrors(t *testing.T) {
	full := shbinFull()
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil,
			`offset 0x0: DVLB magic: read "", expected "DVLB"`},
		{"start of magic", []byte("DVL"),
			`offset 0x0: DVLB magic: read "DVL", expected "DVLB"`},
		{"file magic", []byte("\x7fELF\x00\x00\x00\x00"),
			`offset 0x0: DVLB magic: read "\x7fELF", expected "DVLB"`},
		{"cut in count", full[:6],
			`offset 0x4: DVLB DVLE count: the file ends at 0x6, expected 4 bytes`},
		{"cut in DVLP", shbinBare()[:0x2f],
			`offset 0x4: DVLB DVLE count: a file with 0x0 DVLEs has at least 48 bytes, this one has 47`},
		{"too many DVLEs", shbinPatch(0x04, 0x06), // 48 + 6*68
			`offset 0x4: DVLB DVLE count: a file with 0x6 DVLEs has at least 444 bytes, this one has 397`},
		{"DVLE count that overflows", shbinPatch(0x04, 0x40000000), // times 4 is 0 in 32 bits
			`offset 0x4: DVLB DVLE count: a file with 0x40000000 DVLEs has at least 73014444068 bytes, this one has 397`},
		{"largest DVLE count", shbinPatch(0x04, 0xffffffff),
			`offset 0x4: DVLB DVLE count: a file with 0xffffffff DVLEs has at least 292057776096 bytes, this one has 397`},
		{"DVLE count too small", shbinPatch(0x04, 1), // the DVLP is looked for at the second offset
			`offset 0xc: DVLP magic: read ",\x01\x00\x00", expected "DVLP"`},
		{"DVLP magic", shbinPatch(0x10, 0x424c5644),
			`offset 0x10: DVLP magic: read "DVLB", expected "DVLP"`},

		{"code offset", shbinPatch(0x18, 0x4000),
			`offset 0x18: DVLP code offset: 0x4000 is outside the file (397 bytes), counted from 0x10`},
		{"code offset one behind", shbinPatch(0x18, 0x17d),
			`offset 0x18: DVLP code offset: 0x17d is outside the file (397 bytes), counted from 0x10`},
		{"code offset that overflows", shbinPatch(0x18, 0xffffffff),
			`offset 0x18: DVLP code offset: 0xffffffff is outside the file (397 bytes), counted from 0x10`},
		{"code count", shbinPatch(0x1c, 0x56), // 0x38 + 344 is 3 more than 397
			`offset 0x1c: DVLP code count: 0x56 words from 0x38 need 344 bytes, but the file has 341 there`},
		{"code count that overflows", shbinPatch(0x1c, 0x40000001),
			`offset 0x1c: DVLP code count: 0x40000001 words from 0x38 need 4294967300 bytes, but the file has 341 there`},
		{"descriptor offset", shbinPatch(0x20, 0x1000),
			`offset 0x20: DVLP descriptor table offset: 0x1000 is outside the file (397 bytes), counted from 0x10`},
		{"descriptor count", shbinPatch(0x24, 0x20000001),
			`offset 0x24: DVLP descriptor table count: 0x20000001 entries from 0x44 need 4294967304 bytes, but the file has 329 there`},

		{"DVLE offset", shbinPatch(0x0c, 0x18d),
			`offset 0xc: DVLE 1 header offset: 0x18d is outside the file (397 bytes)`},
		{"DVLE offset near the end", shbinPatch(0x08, 0x14e),
			`offset 0x8: DVLE 0 header offset: 0x14e leaves 63 bytes of the file for a header of 64`},
		{"DVLE magic", shbinPatch(0x12c, 0x504c5644),
			`offset 0x12c: DVLE 1 magic: read "DVLP", expected "DVLE"`},
		{"DVLE offset into a table", shbinPatch(0x08, 0x68),
			`offset 0x68: DVLE 0 magic: read "\x02\x10\x00\x01", expected "DVLE"`},

		{"constant offset", shbinPatch(0x7c, 0x129),
			`offset 0x7c: DVLE 0 constant table offset: 0x129 is outside the file (397 bytes), counted from 0x64`},
		{"constant count", shbinPatch(0x80, 0x0ccccccd), // times 20 is 4 in 32 bits
			`offset 0x80: DVLE 0 constant table count: 0xccccccd entries from 0xa4 need 4294967300 bytes, but the file has 233 there`},
		{"label offset", shbinPatch(0x84, 0x200),
			`offset 0x84: DVLE 0 label table offset: 0x200 is outside the file (397 bytes), counted from 0x64`},
		{"label count", shbinPatch(0x88, 0x10000001),
			`offset 0x88: DVLE 0 label table count: 0x10000001 entries from 0xe0 need 4294967312 bytes, but the file has 173 there`},
		{"output offset", shbinPatch(0x154, 0x61),
			`offset 0x154: DVLE 1 output table offset: 0x61 is outside the file (397 bytes), counted from 0x12c`},
		{"output count", shbinPatch(0x158, 5),
			`offset 0x158: DVLE 1 output table count: 0x5 entries from 0x16c need 40 bytes, but the file has 33 there`},
		{"uniform offset", shbinPatch(0x15c, 0xfffffff0),
			`offset 0x15c: DVLE 1 uniform table offset: 0xfffffff0 is outside the file (397 bytes), counted from 0x12c`},
		{"uniform count", shbinPatch(0x160, 4),
			`offset 0x160: DVLE 1 uniform table count: 0x4 entries from 0x174 need 32 bytes, but the file has 25 there`},
		{"symbol offset", shbinPatch(0x164, 0x80),
			`offset 0x164: DVLE 1 symbol table offset: 0x80 is outside the file (397 bytes), counted from 0x12c`},
		{"symbol size", shbinPatch(0x168, 10),
			`offset 0x168: DVLE 1 symbol table size: 0xa bytes from 0x184 need 10 bytes, but the file has 9 there`},

		{"code over descriptors", shbinPatch(0x1c, 4),
			`offset 0x20: DVLP descriptor table offset: 0x34 puts it at 0x44 to 0x53, which overlaps the DVLP code at 0x38 to 0x47`},
		{"code over the DVLP header", shbinPatch(0x18, 0x24),
			`offset 0x18: DVLP code offset: 0x24 puts it at 0x34 to 0x3f, which overlaps the DVLP header at 0x10 to 0x37`},
		{"code over a DVLE header", shbinPatch(0x18, 0x4c),
			`offset 0x18: DVLP code offset: 0x4c puts it at 0x5c to 0x67, which overlaps the DVLE 0 header at 0x64 to 0xa3`},
		{"one DVLE twice", shbinPatch(0x0c, 0x64),
			`offset 0xc: DVLE 1 header offset: 0x64 puts it at 0x64 to 0xa3, which overlaps the DVLE 0 header at 0x64 to 0xa3`},
		{"one table twice", shbinPatch(0x8c, 0x7c, 0x90, 1),
			`offset 0x8c: DVLE 0 output table offset: 0x7c puts it at 0xe0 to 0xe7, which overlaps the DVLE 0 label table at 0xe0 to 0xef`},
		{"table in a table", shbinPatch(0x94, 0x44, 0x98, 1),
			`offset 0x94: DVLE 0 uniform table offset: 0x44 puts it at 0xa8 to 0xaf, which overlaps the DVLE 0 constant table at 0xa4 to 0xdf`},
		{"table over its own header", shbinPatch(0x7c, 0x3f, 0x80, 1),
			`offset 0x7c: DVLE 0 constant table offset: 0x3f puts it at 0xa3 to 0xb6, which overlaps the DVLE 0 header at 0x64 to 0xa3`},
		{"table over the next DVLE's header", shbinPatch(0xa0, 0x15),
			`offset 0x9c: DVLE 0 symbol table offset: 0xb4 puts it at 0x118 to 0x12c, which overlaps the DVLE 1 header at 0x12c to 0x16b`},
		{"table over the next DVLE's table", shbinPatch(0x84, 0x108),
			`offset 0x154: DVLE 1 output table offset: 0x40 puts it at 0x16c to 0x173, which overlaps the DVLE 0 label table at 0x16c to 0x17b`},

		{"label name outside", shbinPatch(0xec, 0x12),
			`offset 0xec: DVLE 0 label 0 symbol offset: 0x12 is outside the symbol table (18 bytes)`},
		{"uniform name outside", shbinPatch(0x108, 0xffffffff),
			`offset 0x108: DVLE 0 uniform 1 symbol offset: 0xffffffff is outside the symbol table (18 bytes)`},
		{"uniform name without end", shbinPatch(0x168, 8),
			`offset 0x17c: DVLE 1 uniform 1 symbol offset: 0x4 is a string without a NUL before the end of the symbol table (8 bytes)`},
		{"label name without end", shbinPatch(0xa0, 4),
			`offset 0xec: DVLE 0 label 0 symbol offset: 0x0 is a string without a NUL before the end of the symbol table (4 bytes)`},
		{"no symbols", shbinPatch(0x168, 0),
			`offset 0x174: DVLE 1 uniform 0 symbol offset: 0x0 is outside the symbol table (0 bytes)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := pica200.ReadSHBIN(test.data)
			if err == nil {
				t.Fatalf("accepted, expected %s", test.want)
			}
			if err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if f != nil {
				t.Errorf("got a file with the error: %+v", f)
			}
			shbinCheckError(t, test.data, err)
		})
	}
}

// shbinCheckError checks what holds for every error.
func shbinCheckError(t *testing.T, data []byte, err error) {
	t.Helper()
	var e *pica200.FormatError
	if !errors.As(err, &e) {
		t.Fatalf("the error is a %T, expected *FormatError: %v", err, err)
	}
	if e.Offset < 0 || e.Offset > int64(len(data)) {
		t.Errorf("the error is at 0x%x, outside of the file (%d bytes): %v", e.Offset, len(data), err)
	}
	if e.Field == "" || e.Msg == "" {
		t.Errorf("the error leaves something out: %#v", e)
	}
}

// TestReadSHBINTruncated cuts a file whose last byte belongs to a table.
func TestReadSHBINTruncated(t *testing.T) {
	full := shbinFull()
	for n := range full {
		_, err := pica200.ReadSHBIN(full[:n])
		if err == nil {
			t.Errorf("accepted when cut to %d bytes", n)
			continue
		}
		shbinCheckError(t, full[:n], err)
	}
}

// TestReadSHBINTrailing adds bytes behind the last table. No field tells how many there should be,
// so that cutting them off cannot be noticed.
func TestReadSHBINTrailing(t *testing.T) {
	tail := []byte{0, 0, 7}
	for n := range len(tail) + 1 {
		got, err := pica200.ReadSHBIN(append(shbinFull(), tail[:n]...))
		if err != nil {
			t.Fatal(err)
		}
		want := shbinFullWant()
		if n > 0 {
			want.Gaps = append(want.Gaps, pica200.Gap{Offset: 0x18d, Bytes: tail[:n]})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d bytes (-want +got):\n%s", n, diff)
		}
	}
}

// TestReadSHBINKept reads what is odd, but can be read.
func TestReadSHBINKept(t *testing.T) {
	data := shbinFull()
	data[0x6a] = 9                                       // type of DVLE 0
	data[0x6b] = 0xfe                                    // merge flag
	binary.LittleEndian.PutUint32(data[0x6c:], 0xffffff) // entry
	binary.LittleEndian.PutUint32(data[0xe4:], 0xeeeeee) // address of the label
	data[0x78] = 3                                       // geometry mode
	binary.LittleEndian.PutUint16(data[0xa4:], 0x0103)   // type of constant 0
	binary.LittleEndian.PutUint16(data[0x10c:], 0xffff)  // first of uniform 1
	binary.LittleEndian.PutUint32(data[0x110:], 3)       // name of uniform 2, the end of another
	binary.LittleEndian.PutUint32(data[0x100:], 4)       // name of uniform 0, empty
	f, err := pica200.ReadSHBIN(data)
	if err != nil {
		t.Fatal(err)
	}
	want := shbinFullWant()
	d := &want.DVLEs[0]
	d.Type, d.MergeOutmaps, d.Entry, d.GeometryMode = 9, 0xfe, 0xffffff, 3
	d.Labels[0].Address = 0xeeeeee
	d.Constants[0].Type = 0x0103
	d.Uniforms[0].SymbolOffset, d.Uniforms[0].Name = 4, ""
	d.Uniforms[1].First = 0xffff
	d.Uniforms[2].SymbolOffset, d.Uniforms[2].Name = 3, "n"
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSHBINWholeFileKept writes files back from what was read of them.
func TestSHBINWholeFileKept(t *testing.T) {
	for _, data := range [][]byte{shbinFull(), shbinBare(), shbinOldLayout(), append(shbinFull(), 1, 2, 3)} {
		f, err := pica200.ReadSHBIN(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data, shbinBytes(f)); diff != "" {
			t.Errorf("(-read +written):\n%s", diff)
		}
	}
}

// TestSHBINRandomLayout lays out random programs in random order with random gaps.
func TestSHBINRandomLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := shbinRandom(t)
		got, err := pica200.ReadSHBIN(shbinBytes(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func shbinRandom(t *rapid.T) *pica200.SHBIN {
	f := &pica200.SHBIN{}
	f.DVLP.Code = shbinSlice(t, rapid.Uint32())
	f.DVLP.Descriptors = shbinSlice(t, rapid.Make[pica200.Descriptor]())
	for range rapid.IntRange(0, 3).Draw(t, "DVLEs") {
		f.DVLEs = append(f.DVLEs, shbinRandomDVLE(t))
	}
	shbinLayOut(t, f)
	return f
}

func shbinSlice[T any](t *rapid.T, g *rapid.Generator[T]) []T {
	s := rapid.SliceOfN(g, 0, 4).Draw(t, "entries")
	if len(s) == 0 {
		return nil
	}
	return s
}

func shbinRandomDVLE(t *rapid.T) pica200.DVLE {
	d := pica200.DVLE{
		Word04: rapid.Uint16().Draw(t, "word"), Type: pica200.DVLEType(rapid.Uint8().Draw(t, "type")),
		Entry: rapid.Uint32().Draw(t, "entry"), OutputMask: rapid.Uint16().Draw(t, "mask"),
	}
	names := rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,3}`), 0, 3).Draw(t, "names")
	d.Constants = shbinSlice(t, rapid.Make[pica200.Constant]())
	d.Outputs = shbinSlice(t, rapid.Make[pica200.Output]())
	for i, name := range names {
		at := uint32(len(d.Symbols))
		if i == 0 {
			d.Labels = append(d.Labels, pica200.Label{ID: 1, SymbolOffset: at, Name: name})
		}
		reg := pica200.UniformReg(rapid.Uint16().Draw(t, "register"))
		d.Uniforms = append(d.Uniforms, pica200.Uniform{SymbolOffset: at, First: reg, Last: reg, Name: name})
		d.Symbols += name + "\x00"
	}
	return d
}

// shbinLayOut gives each header and table a place, those of a DVLE behind its header.
func shbinLayOut(t *rapid.T, f *pica200.SHBIN) {
	dvlp := int64(8 + 4*len(f.DVLEs))
	next := dvlp + 40
	f.DVLP.Short = len(f.DVLEs) > 0 && rapid.Bool().Draw(t, "short")
	first := f.DVLP.Short // what follows a short header stands right behind it
	if first {
		next = dvlp + 28
	}
	gap := func() {
		if n := rapid.IntRange(0, 3).Draw(t, "gap"); n > 0 {
			bytes := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")
			f.Gaps = append(f.Gaps, pica200.Gap{Offset: next, Bytes: bytes})
			next += int64(n)
		}
	}
	var waiting []func()
	table := func(base int64, t *pica200.TableRef, count, size int) {
		if t.Count = uint32(count); count != 0 {
			waiting = append(waiting, func() {
				t.Offset = uint32(next - base)
				next += int64(count * size)
			})
		}
	}
	table(dvlp, &f.DVLP.CodeTable, len(f.DVLP.Code), 4)
	table(dvlp, &f.DVLP.DescriptorTable, len(f.DVLP.Descriptors), 8)
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		waiting = append(waiting, func() {
			base := next
			d.Offset = uint32(base)
			next += 64
			table(base, &d.ConstantTable, len(d.Constants), 20)
			table(base, &d.LabelTable, len(d.Labels), 16)
			table(base, &d.OutputTable, len(d.Outputs), 8)
			table(base, &d.UniformTable, len(d.Uniforms), 8)
			table(base, &d.SymbolTable, len(d.Symbols), 1)
		})
	}
	merge := func() { // two gaps with an empty place between them are one
		if n := len(f.Gaps); n > 1 && f.Gaps[n-2].Offset+int64(len(f.Gaps[n-2].Bytes)) == f.Gaps[n-1].Offset {
			f.Gaps[n-2].Bytes = append(f.Gaps[n-2].Bytes, f.Gaps[n-1].Bytes...)
			f.Gaps = f.Gaps[:n-1]
		}
	}
	for len(waiting) > 0 {
		if !first {
			gap()
			merge()
		}
		first = false
		i := rapid.IntRange(0, len(waiting)-1).Draw(t, "next")
		lay := waiting[i]
		waiting = append(waiting[:i], waiting[i+1:]...)
		lay()
	}
	gap()
	merge()
}

// shbinAllocated returns how many bytes reading allocates, and the error.
func shbinAllocated(data []byte) (int64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := pica200.ReadSHBIN(data)
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), err
}

// TestReadSHBINLinear reads files that would cost the product of two of their sizes, minutes and
// gigabytes, if names were copied or searched to their ends, or tables read more than once.
func TestReadSHBINLinear(t *testing.T) {
	const n = 1 << 18
	const most = 16 // bytes allocated for one of the file

	oneName := &shbinBuilder{}
	oneName.str("DVLB").u32(1, 0x34)
	oneName.at(0x0c).str("DVLP").u32(0, 0, 0, 0, 0, 0, 0, 0, 0)
	oneName.at(0x34).str("DVLE").u32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, n, 0x40+8*n, 8*n)
	oneName.at(0x74).str(strings.Repeat("\x00", 8*n)).str(strings.Repeat("a", 8*n-1)).u8(0)

	oneDVLE := &shbinBuilder{}
	oneDVLE.str("DVLB").u32(n)
	for range n {
		oneDVLE.u32(8 + 4*n + 40)
	}
	oneDVLE.str("DVLP").u32(0, 0, 0, 0, 0, 0, 0, 0, 0)
	oneDVLE.str("DVLE").u32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 8*n, 0, 0, 0, 0)
	oneDVLE.str(strings.Repeat("\x00", 64*n))

	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"one name of all uniforms", oneName.data, "<nil>"},
		{"one DVLE after all offsets", oneDVLE.data, "offset 0xc: DVLE 1 header offset: " +
			"0x100030 puts it at 0x100030 to 0x10006f, which overlaps the DVLE 0 header at 0x100030 to 0x10006f"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			allocated, err := shbinAllocated(test.data)
			if got := fmt.Sprint(err); got != test.want {
				t.Errorf("got error %s\nwant %s", got, test.want)
			}
			if allocated > most*int64(len(test.data)) {
				t.Errorf("a file of %d bytes makes it allocate %d", len(test.data), allocated)
			}
		})
	}
}

func TestIsSHBIN(t *testing.T) {
	for data, want := range map[string]bool{
		"": false, "DVL": false, "DVLB": true, "DVLB\x01": true, "DVLE\x01": false, " DVLB": false,
	} {
		if got := pica200.IsSHBIN([]byte(data)); got != want {
			t.Errorf("IsSHBIN(%q) = %v", data, got)
		}
	}
}

func TestSHBINNames(t *testing.T) {
	tests := []struct {
		value fmt.Stringer
		want  string
	}{
		{pica200.VertexShader, "vertex"}, {pica200.GeometryShader, "geometry"}, {pica200.DVLEType(2), "2"},
		{pica200.GeometryPoint, "point"}, {pica200.GeometryVariable, "variable"},
		{pica200.GeometryFixed, "fixed"}, {pica200.GeometryMode(255), "255"},
		{pica200.ConstantBool, "bool"}, {pica200.ConstantInt, "int"},
		{pica200.ConstantFloat, "float"}, {pica200.ConstantType(3), "3"},
		{pica200.Semantic(0), "position"}, {pica200.Semantic(1), "normalquat"}, {pica200.Semantic(2), "color"},
		{pica200.Semantic(3), "texcoord0"}, {pica200.Semantic(4), "texcoord0w"},
		{pica200.Semantic(5), "texcoord1"}, {pica200.Semantic(6), "texcoord2"}, {pica200.Semantic(7), "7"},
		{pica200.Semantic(8), "view"}, {pica200.Semantic(9), "dummy"}, {pica200.Semantic(65535), "65535"},
		{pica200.UniformReg(0x00), "v0"}, {pica200.UniformReg(0x0f), "v15"},
		{pica200.UniformReg(0x10), "c0"}, {pica200.UniformReg(0x6f), "c95"},
		{pica200.UniformReg(0x70), "i0"}, {pica200.UniformReg(0x73), "i3"},
		{pica200.UniformReg(0x74), "0x74"}, {pica200.UniformReg(0x77), "0x77"},
		{pica200.UniformReg(0x78), "b0"}, {pica200.UniformReg(0x87), "b15"},
		{pica200.UniformReg(0x88), "0x88"}, {pica200.UniformReg(0xffff), "0xffff"},
	}
	for _, test := range tests {
		if got := test.value.String(); got != test.want {
			t.Errorf("%T %d is %q, expected %q", test.value, test.value, got, test.want)
		}
	}
}

func TestOutputComponents(t *testing.T) {
	for mask, want := range map[uint8]string{0: "", 1: "x", 2: "y", 4: "z", 8: "w", 0x0f: "xyzw", 0x0a: "yw", 0xf0: ""} {
		if got := (pica200.Output{Mask: mask}).Components(); got != want {
			t.Errorf("mask 0x%02x is %q, expected %q", mask, got, want)
		}
	}
}

func TestConstantPayload(t *testing.T) {
	c := pica200.Constant{Payload: [16]byte{1, 2, 0x3f, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}
	if got, want := c.Float24s(), [4]uint32{0x043f0201, 0x08070605, 0x0c0b0a09, 0x100f0e0d}; got != want {
		t.Errorf("Float24s() = %#x, expected %#x", got, want)
	}
	if got, want := c.Ints(), [4]uint8{1, 2, 0x3f, 4}; got != want {
		t.Errorf("Ints() = %v, expected %v", got, want)
	}
	for low, want := range map[byte]bool{0: false, 1: true, 2: false, 3: true} {
		c.Payload[0] = low
		if got := c.Bool(); got != want {
			t.Errorf("Bool() of 0x%02x = %v", low, got)
		}
	}
}

func TestConstantRegister(t *testing.T) {
	tests := []struct {
		kind pica200.ConstantType
		id   uint16
		want string // empty: none
	}{
		{pica200.ConstantFloat, 0, "c0"}, {pica200.ConstantFloat, 95, "c95"}, {pica200.ConstantFloat, 96, ""},
		{pica200.ConstantInt, 0, "i0"}, {pica200.ConstantInt, 3, "i3"}, {pica200.ConstantInt, 4, ""},
		{pica200.ConstantBool, 0, "b0"}, {pica200.ConstantBool, 15, "b15"}, {pica200.ConstantBool, 16, ""},
		{pica200.ConstantType(3), 0, ""}, {pica200.ConstantFloat, 0xffff, ""},
	}
	for _, test := range tests {
		reg, ok := pica200.Constant{Type: test.kind, ID: test.id}.Register()
		if ok != (test.want != "") || ok && reg.String() != test.want {
			t.Errorf("%v %d presets %v, %v, expected %q", test.kind, test.id, reg, ok, test.want)
		}
	}
}

func TestUniformNames(t *testing.T) {
	d := pica200.DVLE{Uniforms: []pica200.Uniform{
		{First: 0x00, Last: 0x00, Name: "pos"},
		{First: 0x10, Last: 0x12, Name: "mtx"},
		{First: 0x12, Last: 0x13, Name: "over"},
		{First: 0x14, Last: 0x14, Name: ""},
		{First: 0x14, Last: 0x14, Name: "late"},
		{First: 0x20, Last: 0x1f, Name: "backwards"},
		{First: 0x87, Last: 0xffff, Name: "end"},
		{First: 0x88, Last: 0xffff, Name: "beyond"},
	}}
	want := make([]string, pica200.UniformRegs)
	want[0x00] = "pos"
	want[0x10], want[0x11], want[0x12], want[0x13] = "mtx[0]", "mtx[1]", "mtx[2]", "over[1]"
	want[0x14] = "late"
	want[0x87] = "end[0]"
	if diff := cmp.Diff(want, d.UniformNames()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFloat24(t *testing.T) {
	tests := []struct {
		bits uint32
		want float32
	}{
		{0x000000, 0},
		{0x3f0000, 1}, // exponent 63
		{0xbf0000, -1},
		{0x400000, 2},
		{0x3e8000, 0.75},                                   // 2^-1 times 1.5
		{0x469000, 200},                                    // 2^7 times 1 + 9/16
		{0xc69000, -200},                                   //
		{0x3f0001, 1 + 0x1p-16},                            // the step above 1
		{0x7effff, 0x1p64 - 0x1p47},                        // the largest: 2^63 times 2 - 2^-16
		{0xfeffff, -0x1p64 + 0x1p47},                       //
		{0x010000, 0x1p-62},                                // the smallest normal
		{0x00ffff, 0x1p-62 - 0x1p-78},                      // the largest subnormal
		{0x008000, 0x1p-63},                                //
		{0x000003, 0x3p-78},                                //
		{0x000001, 0x1p-78},                                // the smallest
		{0x800001, -0x1p-78},                               //
		{0xff3f0000, 1},                                    // only 24 bits count
		{0x7f0000, math.Float32frombits(0x7f800000)},       // infinity
		{0xff0000, math.Float32frombits(0xff800000)},       //
		{0x800000, math.Float32frombits(0x80000000)},       // -0
		{0x7f8000, math.Float32frombits(0x7fc00000)},       // NaN
		{0xffffff, math.Float32frombits(0xffffff80)},       // NaN, its mantissa in the upper 16 of 23 bits
		{0x7f8001, math.Float32frombits(0x7fc00080)},       //
		{0x01000000 | 0x7f0000, float32(math.Inf(1))},      //
		{0xfe000000 | 0x800000, -1 / float32(math.Inf(1))}, //
	}
	for _, test := range tests {
		got, want := math.Float32bits(pica200.Float24(test.bits)), math.Float32bits(test.want)
		if got != want {
			t.Errorf("Float24(0x%06x) = 0x%08x, expected 0x%08x (%v)", test.bits, got, want, test.want)
		}
	}
}

// TestFloat24All compares all numbers with the definition, in arithmetic that is exact in float64.
func TestFloat24All(t *testing.T) {
	for u := range uint32(1 << 23) {
		exponent, mantissa := int(u>>16), float64(u&0xffff)
		if exponent == 0x7f {
			break
		}
		value := math.Ldexp(mantissa, -78)
		if exponent != 0 {
			value = math.Ldexp(1+mantissa/0x10000, exponent-63)
		}
		if got := float64(pica200.Float24(u)); got != value {
			t.Fatalf("Float24(0x%06x) = %v, expected %v", u, got, value)
		}
		if got := float64(pica200.Float24(u | 1<<23)); got != -value {
			t.Fatalf("Float24(0x%06x) = %v, expected %v", u|1<<23, got, -value)
		}
	}
}

func BenchmarkReadSHBIN(b *testing.B) {
	data := shbinFull()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := pica200.ReadSHBIN(data); err != nil {
			b.Fatal(err)
		}
	}
}
