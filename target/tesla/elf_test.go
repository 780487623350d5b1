package tesla_test

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/cubintest"
	"github.com/isago/isago/target/tesla"
)

// twoKernels has a kernel with everything and one with code alone.
func twoKernels() []byte {
	return cubintest.File(12, []cubintest.Section{
		{Name: ".nv.info", Kind: elf.SHT_PROGBITS, Data: []byte{1, 2, 3, 4}},
		{Name: ".text.first", Kind: elf.SHT_PROGBITS, Flags: 6 | 2<<20, Info: 5<<24 | 3, Data: cubintest.Words(0x10000003, 0x00000780, 0x30000003, 0x00000780)},
		{Name: ".nv.shared.first", Kind: elf.SHT_NOBITS, Data: make([]byte, 48)},
		{Name: ".nv.local.first", Kind: elf.SHT_NOBITS, Data: make([]byte, 16)},
		{Name: ".nv.constant1.first", Kind: elf.SHT_PROGBITS, Data: cubintest.Words(0x3f800000, 0x7fffffff)},
		{Name: ".nv.constant0", Kind: elf.SHT_PROGBITS, Data: append(cubintest.Words(1, 2, 3, 4, 5), 6, 7)},
		{Name: ".nv.constant14", Kind: elf.SHT_NOBITS, Data: make([]byte, 4)},
		{Name: ".text.second", Kind: elf.SHT_PROGBITS, Flags: 6, Info: 2 << 24, Data: cubintest.Words(0xf0000001, 0xe0000781)},
	})
}

// TestOtherConstants has constants of a number behind the last of the machine, which are called as their section is.
func TestOtherConstants(t *testing.T) {
	set := load(t)
	n := 0
	for _, m := range set.Memories() {
		if m.Use == "constant" {
			n++
		}
	}
	name := fmt.Sprintf(".nv.constant%d", n)
	im, err := tesla.OpenELF(set, cubintest.File(12, []cubintest.Section{
		{Name: ".text.k", Kind: elf.SHT_PROGBITS, Flags: 6, Info: 2 << 24, Data: cubintest.Words(0xf0000001, 0xe0000781)},
		{Name: name, Kind: elf.SHT_NOBITS, Data: make([]byte, 4)},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if want := name + " = 4 bytes"; !slices.Contains(im.Header, want) {
		t.Errorf("header %q, expected %q", im.Header, want)
	}
}

func TestELF(t *testing.T) {
	set := load(t)
	data := twoKernels()
	if !tesla.IsELF(data) || tesla.IsELF(cubintest.File(20, nil)) {
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
	odd := cubintest.File(10, []cubintest.Section{{Name: ".text.k", Kind: elf.SHT_PROGBITS, Data: []byte{1, 2, 3}}})
	cut := twoKernels()
	for name, data := range map[string][]byte{"odd": odd, "cut": cut[:len(cut)-60]} {
		if _, err := tesla.OpenELF(load(t), data); err == nil || !strings.Contains(diag.Render(err), "[file-format]") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzELF holds that no file makes the reader of ELF cubins panic.
func FuzzELF(f *testing.F) {
	f.Add(twoKernels())
	f.Add(cubintest.File(10, nil))
	set := load(f)
	f.Fuzz(func(_ *testing.T, data []byte) {
		if tesla.IsELF(data) {
			_, _ = tesla.OpenELF(set, data)
		}
	})
}
