package view_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/isago/isago/internal/cubintest"
	"github.com/isago/isago/internal/xenostest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/view"
)

// container is a file. The test changes each of its bytes.
type container struct {
	name string
	data []byte
	// free returns the bits of a byte that diff does not compare; nil is for text.
	free func(at int) byte
}

// ranges are the bits of bytes that diff ignores, by docs/diff.md, each from one place up to another.
type ranges []struct {
	from, to int
	bits     byte
}

func (r ranges) free(at int) (bits byte) {
	for _, x := range r {
		if at >= x.from && at < x.to {
			bits |= x.bits
		}
	}
	return bits
}

func (r *ranges) add(from, n int, bits byte) {
	*r = append(*r, struct {
		from, to int
		bits     byte
	}{from, from + n, bits})
}

// TestEveryByte changes each byte of files of all formats, by several bits in turn. What can still be read differs, unless the
// bits are some that diff does not compare.
func TestEveryByte(t *testing.T) {
	for _, c := range containers(t) {
		m, format, ok := catalog.Recognise(c.data)
		if !ok {
			t.Fatalf("%s: no format is recognised", c.name)
		}
		set, err := m.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole := opened(t, set, format, c.data)
		if d := difference(t, whole, opened(t, set, format, c.data)); !d.Equal() {
			t.Errorf("%s differs from itself", c.name)
		}
		read, changed := 0, slices.Clone(c.data)
		for at := range c.data {
			for _, value := range otherBytes(&c, at) {
				changed[at] = value
				if _, f, ok := catalog.Recognise(changed); !ok || f.Name != format.Name {
					continue
				}
				im, err := format.Open(set, changed)
				if err != nil {
					continue
				}
				read++
				l := ofImage(t, set, im)
				d, err := view.Compare(whole, l)
				if err == nil && d.Equal() && (c.free == nil || (c.data[at]^value)&^c.free(at) != 0) {
					t.Errorf("%s: no difference with 0x%02x in place of 0x%02x at byte 0x%x", c.name, value, c.data[at], at)
				}
			}
			changed[at] = c.data[at]
		}
		if read < len(c.data)/4 {
			t.Errorf("%s: only %d changed files could be read", c.name, read)
		}
	}
}

// otherBytes returns values for a byte: with a bit changed, or in text another letter or digit.
func otherBytes(c *container, at int) []byte {
	b := c.data[at]
	if c.free != nil {
		return []byte{b ^ 1, b ^ 0x10, b ^ 0x80}
	}
	line := c.data[bytes.LastIndexByte(c.data[:at], '\n')+1 : at]
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(line), []byte("//")), bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")):
		return nil
	case b >= '0' && b <= '8', b >= 'a' && b < 'z', b >= 'A' && b < 'Z':
		return []byte{b + 1}
	case b == '9', b == 'z', b == 'Z':
		return []byte{b - 1}
	}
	return nil
}

func opened(t *testing.T, set *isa.Set, format catalog.Format, data []byte) *view.Listing {
	t.Helper()
	im, err := format.Open(set, data)
	if err != nil {
		t.Fatal(err)
	}
	return ofImage(t, set, im)
}

func ofImage(t *testing.T, set *isa.Set, im *catalog.Image) *view.Listing {
	t.Helper()
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.SetTables(im.Tables)
	return &view.Listing{Decoder: d, Image: im}
}

func difference(t *testing.T, a, b *view.Listing) *view.Diff {
	t.Helper()
	d, err := view.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// containers returns a file of each format.
func containers(t *testing.T) (list []container) {
	read := func(name string) []byte {
		data, err := os.ReadFile("../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, name := range []string{"pica200/points.shbin", "pica200/flow.shbin", "pica200/sprite.shbin"} {
		data := read(name)
		list = append(list, container{name, data, shbinFree(t, data)})
	}
	for _, name := range []string{"tegra/skin.vp", "tesla/histogram.cubin", "tesla/blackscholes.cubin"} {
		list = append(list, container{name, read(name), nil})
	}
	list = append(list, container{"ELF cubin", elfCubin(), elfFree(elfCubin())})
	vertex := xenostest.Shader{
		Vertex: true, Skip: 1, Constants: []xenostest.Constant{{Name: "matrix", Set: 2, First: 0, Count: 4}, {Name: "flag", Set: 0, First: 3, Count: 1}},
		Elements: []xenostest.Semantic{{Usage: 0, Index: 0, Place: 5}}, Interpolators: []xenostest.Semantic{{Usage: 5, Index: 0, Place: 0}},
		Words: wordsOf(read("a2xx/light.vs.bin")),
	}
	list = append(list, container{"Xenos shader", vertex.File(), xenosFree(&vertex)})
	capture, free := captureOf(wordsOf(read("a2xx/light.vs.bin")), wordsOf(read("a2xx/choices.fs.bin")))
	return append(list, container{"capture", capture, free})
}

func wordsOf(data []byte) (words []uint32) {
	for ; len(data) >= 4; data = data[4:] {
		words = append(words, binary.LittleEndian.Uint32(data))
	}
	return words
}

// shbinFree returns the bits of a shader file that diff ignores:
//   - the version and the table places in the header of the code
//   - descriptors that no instruction uses
//   - the version in the header of a program, the places of empty tables, and the size of its table of names
//   - bits of values that the type of a constant does not have
//   - numbers and sizes of labels
//   - padding of entries, and bytes in no table
func shbinFree(t *testing.T, data []byte) func(at int) byte {
	f, err := pica200.ReadSHBIN(data)
	if err != nil {
		t.Fatal(err)
	}
	var r ranges
	const all = 0xff
	code := 8 + 4*len(f.DVLEs)
	r.add(code+4, 4, all)
	r.add(code+0x18, 16, all)
	r.add(code+int(f.DVLP.DescriptorTable.Offset), 8*len(f.DVLP.Descriptors), all)
	for i := range f.DVLEs {
		d := &f.DVLEs[i]
		at := int(d.Offset)
		r.add(at+4, 2, all)
		for n, table := range []pica200.TableRef{d.ConstantTable, d.LabelTable, d.OutputTable, d.UniformTable, d.SymbolTable} {
			if table.Count == 0 {
				r.add(at+0x18+8*n, 4, all)
			}
			if n == 4 { // which may end with what fills it up
				r.add(at+0x18+8*n+4, 4, all)
			}
		}
		for n, c := range d.Constants {
			value := at + int(d.ConstantTable.Offset) + 20*n + 4
			switch c.Type {
			case pica200.ConstantBool:
				r.add(value, 1, 0xfe)
				r.add(value+1, 15, all)
			case pica200.ConstantInt:
				r.add(value+4, 12, all)
			case pica200.ConstantFloat:
				for k := range 4 {
					r.add(value+4*k+3, 1, all)
				}
			}
		}
		for n := range d.Outputs {
			r.add(at+int(d.OutputTable.Offset)+8*n+5, 3, all)
		}
	}
	for _, g := range f.Gaps {
		r.add(int(g.Offset), len(g.Bytes), all)
	}
	return r.free
}

// elfCubin returns a cubin with all that kernels have.
func elfCubin() []byte {
	parameter := cubintest.Words(0x000c1704, 0, 0, 4<<18|0x1f000)
	symbols := append(make([]byte, 16), cubintest.Words(1, 16, 12)...)
	symbols = append(symbols, byte(elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT)), 0, 3, 0)
	return cubintest.File(11, []cubintest.Section{
		{Name: ".text.k", Kind: elf.SHT_PROGBITS, Flags: 6 | 2<<20, Info: 5<<24 | 3, Data: cubintest.Words(0x10000003, 0x00000780, 0xf0000001, 0xe0000781)},
		{Name: ".nv.constant14", Kind: elf.SHT_PROGBITS, Data: cubintest.Words(0x01020304, 0x05060708)},
		{Name: ".nv.global", Kind: elf.SHT_NOBITS, Data: make([]byte, 64)},
		{Name: ".strtab", Kind: elf.SHT_STRTAB, Data: []byte("\x00counter\x00")},
		{Name: ".symtab", Kind: elf.SHT_SYMTAB, Link: 4, Entry: 16, Data: symbols},
		{Name: ".rel.nv.constant14", Kind: elf.SHT_REL, Link: 5, Info: 2, Entry: 8, Data: cubintest.Words(4, 1<<8|1)},
		{Name: ".nv.info.k", Kind: elf.SHT_PROGBITS, Data: append(parameter, cubintest.Words(0x00041903)...)},
		{Name: ".nv.constant1.k", Kind: elf.SHT_PROGBITS, Data: cubintest.Words(7)},
		{Name: ".nv.shared.k", Kind: elf.SHT_NOBITS, Data: make([]byte, 48)},
		{Name: ".nv.local.k", Kind: elf.SHT_NOBITS, Data: make([]byte, 16)},
	})
}

// elfFree returns the bits of elfCubin that diff ignores:
//   - in the ELF header, versions, the entry, and the program headers
//   - in symbols, the members that a linker uses
//   - the names of tables
//   - in section headers, all but the name, the size, the kind unless the name determines it, and the numbers of registers and
//     barriers in the header of the code
func elfFree(data []byte) func(at int) byte {
	var r ranges
	const all = 0xff
	r.add(9, 7, all)
	r.add(0x14, 12, all)
	r.add(0x28, 6, all)
	headers := int(binary.LittleEndian.Uint32(data[0x20:]))
	names := int(binary.LittleEndian.Uint32(data[len(data)-24:]))
	r.add(names, 2, all)
	r.add(bytes.LastIndex(data[:headers], []byte(".shstrtab")), 10, all)
	for at, n := headers, 0; at < len(data); at, n = at+40, n+1 {
		content := int(binary.LittleEndian.Uint32(data[at+16:]))
		text := data[names+int(binary.LittleEndian.Uint32(data[at:])):]
		name := string(text[:bytes.IndexByte(text, 0)])
		switch name {
		case "", ".strtab", ".symtab", ".shstrtab", ".rel.nv.constant14":
			r.add(at, 40, all)
			r.add(len(data)-len(data[names:])+int(binary.LittleEndian.Uint32(data[at:])), len(name)+1, all)
		}
		switch name {
		case ".strtab":
			r.add(content, 1, all)
		case ".symtab":
			r.add(content, 16, all)
			r.add(content+16+13, 1, all)
		case ".nv.info.k", ".nv.shared.k", ".nv.local.k":
			r.add(at+4, 8, all)
			r.add(at+28, 4, all)
		case ".text.k":
			r.add(at+8, 2, all)
			r.add(at+10, 1, 0x0f)
			r.add(at+11, 1, 0xf8)
			r.add(at+28, 3, all)
		default:
			r.add(at+8, 4, all)
			r.add(at+28, 4, all)
		}
		if elf.SectionType(data[at+4]) == elf.SHT_NOBITS {
			r.add(at+16, 4, all)
		}
		r.add(at+12, 4, all)
		r.add(at+24, 4, all)
		r.add(at+32, 8, all)
	}
	return r.free
}

// xenosFree returns the bits of a shader file that diff ignores: sizes and places that follow from other numbers, the creator, and
// the types and defaults of constants.
func xenosFree(s *xenostest.Shader) func(at int) byte {
	var r ranges
	const all, header = 0xff, 0x24
	r.add(8, 4, all)
	r.add(0x14, 4, all)
	table := header + 9*4 + 4*(s.Skip+len(s.Elements)+len(s.Interpolators))
	r.add(table, 16, all)
	r.add(table+24, 8, all)
	for n := range s.Constants {
		r.add(table+32+20*n+10, 10, all)
	}
	return r.free
}

// captureOf returns a capture that loads two shaders, sets constants and draws, and the bits that diff ignores: all but the GPU, the
// code and the constants.
func captureOf(vs, fs []uint32) ([]byte, func(at int) byte) {
	var data []byte
	section := func(kind uint32, content []byte) {
		data = append(append(data, cubintest.Words(kind, uint32(len(content)))...), content...)
	}
	var s []uint32
	var compared ranges
	packet := func(given int, op uint32, words ...uint32) {
		s = append(append(s, 3<<30|uint32(len(words)-1)<<16|op<<8), words...)
		compared.add(0x28+4*(len(s)-len(words)+given), 4*(len(words)-given), 0xff)
	}
	packet(2, 0x2b, append([]uint32{0, uint32(len(vs))}, vs...)...)
	packet(2, 0x2b, append([]uint32{1, uint32(len(fs))}, fs...)...)
	packet(1, 0x2d, 4*0x20, 0x3f800000, 0x40000000, 0, 0)
	packet(1, 0x2d, 2<<16, 5)
	packet(1, 0x2d, 3<<16|1, 0x00010203)
	packet(2, 0x22, 0, 0)
	section(13, cubintest.Words(201))
	section(3, cubintest.Words(0x30000000, uint32(4*len(s)), 0))
	section(12, cubintest.Words(s...))
	section(6, cubintest.Words(0x30000000, uint32(len(s)), 0))
	compared.add(8, 4, 0xff) // the GPU
	return data, func(at int) byte { return ^compared.free(at) }
}
