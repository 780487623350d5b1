package tesla_test

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/cubintest"
	"github.com/isago/isago/target/tesla"
)

const wholeModule = `architecture {sm_11}
abiversion {1}
modname {cubin}
consts {
	name = filter
	segname = const
	segnum = 0
	offset = 16
	bytes = 8
	mem {
		0x3f800000 0x40000000
	}
}
consts {
	name = table
	segname = const
	segnum = 0
	offset = 32
	bytes = 100
}
sampler {
	name = picture
	texunit = 0
}
reloc {
	name = counter
	segname = const
	segnum = 14
	offset = 4
	bytes = 4
}
code {
	name = _Z5scalePfi
	lmem = 0
	smem = 24
	reg = 3
	bar = 0
	const {
		segname = const
		segnum = 1
		offset = 0
		bytes = 4
		mem {
			0x7fffffff
		}
	}
	bincode {
		0x10000003 0x00000780 // a comment
		0xf0000001 0xe0000781
	}
}
code { name = other reg = 2 smem=16 bincode { 0xf0000001 0xe0000781 } }
`

func TestTextModule(t *testing.T) {
	m, err := tesla.ReadModule([]byte(wholeModule))
	if err != nil {
		t.Fatal(err)
	}
	if m.Chip != "sm_11" || m.PointerSize != 0 || len(m.Kernels) != 2 {
		t.Fatalf("module %+v", m)
	}
	k, err := m.Kernel("scale")
	if err != nil || k != &m.Kernels[0] || k.Registers != 3 || k.Shared != 24 || !slices.Equal(k.Code, []uint32{0x10000003, 0x780, 0xf0000001, 0xe0000781}) {
		t.Errorf("kernel %+v, %v", k, err)
	}
	if got := fmt.Sprint(m.Constants, k.Constants); got != "[{0 16 [0 0 128 63 0 0 0 64]}] [{1 0 [255 255 255 127]}]" {
		t.Errorf("constants %s", got)
	}
	if got := fmt.Sprint(m.Variables); got != "[{filter 0 16 8 [0 0 128 63 0 0 0 64]} {table 0 32 100 []}]" {
		t.Errorf("variables %s", got)
	}
	if got := fmt.Sprint(m.Relocations); got != "[{14 4 4  counter}]" {
		t.Errorf("relocations %s", got)
	}
	overloaded := tesla.Module{Kernels: []tesla.Kernel{{Name: "_Z5scalePfi"}, {Name: "_Z5scalePdi"}, {Name: "other"}}}
	if _, err := overloaded.Kernel("scale"); err == nil || err.Error() != `several kernels are called "scale", expected one of _Z5scalePfi, _Z5scalePdi` {
		t.Error(err)
	}
	if _, err := m.Kernel("scales"); err == nil || err.Error() != `unknown kernel "scales", expected one of _Z5scalePfi, other` {
		t.Errorf("error %v", err)
	}
}

func TestBadModules(t *testing.T) {
	for text, want := range map[string]string{
		"architecture {sm_10}\ncode {\n name = k\n bincode { 0x1 add }\n}": `"add" in bincode of k, expected a word such as 0x10000001`,
		"architecture {sm_10}\ncode {\n name = k\n bincode { 0x1 \n":       "block bincode has no end, expected }",
		"architecture {sm_10}\n}": "this } closes no block",
		"architecture {sm_10}\ncode { name = k reg = many bincode { } }":             "reg = many, expected a number",
		"architecture {sm_10}\ncode { name = k }":                                    "kernel k has no bincode",
		"architecture {sm_10}\nconsts { segnum = 0 offset = 65000 bytes = 1000 }":    "1000 bytes of constants at 65000 do not fit, expected at most 65536",
		"architecture {sm_10}" + strings.Repeat("a {", 40) + strings.Repeat("}", 40): "blocks nested 16 deep",
	} {
		if _, err := tesla.ReadModule([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected %s", text, err, want)
		}
	}
	if _, err := tesla.ReadModule([]byte("architecture {sm_10}\n" + strings.Repeat("a { b = 1\n", 17))); !strings.HasSuffix(strings.TrimSpace(diag.Render(err)), "|   ^") {
		t.Errorf("expected the brace to be shown:\n%s", diag.Render(err))
	}
}

// symbols is a table of symbols of an ELF file of 32 bits, and the names behind it.
func symbols(list ...elf.Sym32) []byte {
	data := make([]byte, 16)
	for _, s := range list {
		data, _ = binary.Append(data, binary.LittleEndian, s)
	}
	return data
}

// A variable that all threads share has a section, a symbol, and a word of constants that holds its address.
func TestELFModule(t *testing.T) {
	object := elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT)
	info := []byte{3, 1, 4, 0} // a format of two bytes, which goes by
	for i, p := range [][2]uint32{{0, 4}, {8, 8}} {
		info = append(info, 4, 0x17, 12, 0)
		info = append(info, 0, 0, 0, 0, byte(i), 0, byte(p[0]), 0)
		info = binary.LittleEndian.AppendUint32(info, p[1]<<18|0x1f000)
	}
	data := cubintest.File(11, []cubintest.Section{
		{Name: ".text.k", Kind: elf.SHT_PROGBITS, Info: 5 << 24, Data: cubintest.Words(0xf0000001, 0xe0000781)},
		{Name: ".nv.constant14", Kind: elf.SHT_PROGBITS, Data: make([]byte, 8)},
		{Name: ".nv.global", Kind: elf.SHT_NOBITS, Data: make([]byte, 64)},
		{Name: ".strtab", Kind: elf.SHT_STRTAB, Data: []byte("\x00counter\x00")},
		{Name: ".symtab", Kind: elf.SHT_SYMTAB, Link: 4, Entry: 16, Data: symbols(elf.Sym32{Name: 1, Value: 16, Size: 12, Info: object, Shndx: 3})},
		{Name: ".rel.nv.constant14", Kind: elf.SHT_REL, Link: 5, Info: 2, Entry: 8, Data: cubintest.Words(4, 1<<8|1)},
		{Name: ".nv.info.k", Kind: elf.SHT_PROGBITS, Data: info},
		{Name: ".nv.constant1.k", Kind: elf.SHT_PROGBITS, Data: cubintest.Words(7)},
	})
	m, err := tesla.ReadModule(data)
	if err != nil {
		t.Fatal(err)
	}
	k := &m.Kernels[0]
	if m.Chip != "sm_11" || k.Name != "k" || k.Registers != 5 || fmt.Sprint(k.Parameters) != "[{0 4} {8 8}]" || fmt.Sprint(k.Constants) != "[{1 0 [7 0 0 0]}]" {
		t.Errorf("kernel %+v of %s", k, m.Chip)
	}
	if m.PointerSize != 4 {
		t.Errorf("pointers of %d bytes in a file of 32 bits", m.PointerSize)
	}
	if got := fmt.Sprint(m.Variables); got != "[{counter -1 16 12 []}]" {
		t.Errorf("variables %s", got)
	}
	if got := fmt.Sprint(m.Relocations); got != "[{14 4 4  counter}]" {
		t.Errorf("relocations %s", got)
	}
}

// FuzzModule holds that no file makes the reader of modules panic.
func FuzzModule(f *testing.F) {
	f.Add([]byte(wholeModule))
	f.Add(twoKernels())
	f.Fuzz(func(_ *testing.T, data []byte) {
		if tesla.IsCubin(data) || tesla.IsELF(data) {
			if _, err := tesla.ReadModule(data); err != nil {
				_ = diag.Render(err)
			}
		}
	})
}
