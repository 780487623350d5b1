package tesla_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

// elfSection is a section of a file that a test puts together.
type elfSection struct {
	name        string
	kind        elf.SectionType
	flags, info uint32
	link, entry uint32
	data        []byte
}

// newELF returns an ELF file of 32 bits for CUDA of an architecture: the header, the contents, and the
// table of sections, the last of which has the names.
func newELF(architecture uint32, sections []elfSection) []byte {
	names := []byte{0}
	sections = append([]elfSection{{}}, sections...)
	sections = append(sections, elfSection{name: ".shstrtab", kind: elf.SHT_STRTAB})
	var headers []elf.Section32
	const headerSize = 52
	var body bytes.Buffer
	for i, s := range sections {
		h := elf.Section32{Name: uint32(len(names)), Type: uint32(s.kind), Flags: s.flags, Info: s.info, Link: s.link, Entsize: s.entry, Off: uint32(headerSize + body.Len())}
		names = append(append(names, s.name...), 0)
		if i == len(sections)-1 {
			s.data = names
		}
		h.Size = uint32(len(s.data))
		if s.kind != elf.SHT_NOBITS {
			body.Write(s.data)
		}
		headers = append(headers, h)
	}
	h := elf.Header32{
		Type: uint16(elf.ET_EXEC), Machine: 190, Version: 1, Flags: architecture, Ehsize: headerSize,
		Shoff: uint32(headerSize + body.Len()), Shentsize: 40, Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1),
	}
	copy(h.Ident[:], "\x7fELF\x01\x01\x01")
	var out bytes.Buffer
	_ = binary.Write(&out, binary.LittleEndian, h) // a buffer takes all
	out.Write(body.Bytes())
	_ = binary.Write(&out, binary.LittleEndian, headers)
	return out.Bytes()
}

func littleEndian(words ...uint32) (data []byte) {
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// twoKernels has a kernel with everything and one with code alone.
func twoKernels() []byte {
	return newELF(12, []elfSection{
		{name: ".nv.info", kind: elf.SHT_PROGBITS, data: []byte{1, 2, 3, 4}},
		{name: ".text.first", kind: elf.SHT_PROGBITS, flags: 6 | 2<<20, info: 5<<24 | 3, data: littleEndian(0x10000003, 0x00000780, 0x30000003, 0x00000780)},
		{name: ".nv.shared.first", kind: elf.SHT_NOBITS, data: make([]byte, 48)},
		{name: ".nv.local.first", kind: elf.SHT_NOBITS, data: make([]byte, 16)},
		{name: ".nv.constant1.first", kind: elf.SHT_PROGBITS, data: littleEndian(0x3f800000, 0x7fffffff)},
		{name: ".nv.constant0", kind: elf.SHT_PROGBITS, data: append(littleEndian(1, 2, 3, 4, 5), 6, 7)},
		{name: ".nv.constant14", kind: elf.SHT_NOBITS, data: make([]byte, 4)},
		{name: ".text.second", kind: elf.SHT_PROGBITS, flags: 6, info: 2 << 24, data: littleEndian(0xf0000001, 0xe0000781)},
	})
}

func TestELF(t *testing.T) {
	set := load(t)
	data := twoKernels()
	if !tesla.IsELF(data) || tesla.IsELF(newELF(20, nil)) {
		t.Fatal("the architecture is not told")
	}
	im, err := tesla.OpenELF(set, data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"name = first", "lmem = 16", "smem = 48", "reg = 5", "bar = 2", "c1 = 8 bytes", "c0 = 22 bytes", "c14 = 4 bytes", "c1[0x0] = 0x3f800000 0x7fffffff"}
	if !slices.Equal(im.Sections[0], want) {
		t.Errorf("first has %q, expected %q", im.Sections[0], want)
	}
	if got := strings.Join(im.Sections[128], ", "); got != "name = second, lmem = 0, smem = 0, reg = 2, bar = 0, c0 = 22 bytes, c14 = 4 bytes" {
		t.Errorf("second has %s", got)
	}
	if want := map[int64]int{0: 5, 128: 2}; !maps.Equal(im.Registers, want) {
		t.Errorf("registers %v, expected %v", im.Registers, want)
	}
	if len(im.Contents) != 5 || im.Contents[1].Title != "second" || im.Contents[2].Title != "c1 of first" || im.Contents[3].Title != "c0" {
		t.Errorf("contents %v", im.Contents)
	}
	if data, err := json.Marshal(im.Contents[2].Data); err != nil || string(data) != `{"memory":"c1","kernel":"first","bytes":8,"content":"0000803fffffff7f"}` {
		t.Errorf("c1 of first is %s, %v", data, err)
	}
	if want := []string{"c0 = 22 bytes", "c0[0x0] = 0x00000001 0x00000002 0x00000003 0x00000004", "c0[0x10] = 0x00000005 06 07", "c14 = 4 bytes"}; !slices.Equal(im.Header[1:], want) ||
		!strings.HasPrefix(im.Header[0], "a listing") {
		t.Errorf("header %q, expected %q", im.Header, want)
	}
	// The branch of the first goes to its own start, that is all that addresses count from.
	if len(im.Pieces) != 3 || im.Pieces[2].Base != 128 || im.Pieces[2].Context == set.DefaultContext() {
		t.Errorf("pieces %+v", im.Pieces)
	}
}

func TestBadELF(t *testing.T) {
	odd := newELF(10, []elfSection{{name: ".text.k", kind: elf.SHT_PROGBITS, data: []byte{1, 2, 3}}})
	cut := twoKernels()
	for name, data := range map[string][]byte{"odd": odd, "cut": cut[:len(cut)-60]} {
		if _, err := tesla.OpenELF(load(t), data); err == nil || !strings.Contains(isa.Explain(err), "[file-format]") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzELF holds that no file makes the reader of ELF cubins panic.
func FuzzELF(f *testing.F) {
	f.Add(twoKernels())
	f.Add(newELF(10, nil))
	set := load(f)
	f.Fuzz(func(_ *testing.T, data []byte) {
		if tesla.IsELF(data) {
			_, _ = tesla.OpenELF(set, data)
		}
	})
}
