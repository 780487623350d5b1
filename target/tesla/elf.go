package tesla

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// machineCUDA is the machine of ELF files with CUDA code, which package elf does not name.
const machineCUDA = 190

// IsELF recognises a cubin of CUDA 3 and later for these chips: an ELF file of 32 or 64 bits for
// machineCUDA whose flags say sm_1x in their low byte.
func IsELF(data []byte) bool {
	const magic = "\x7fELF"
	if len(data) < 64 || !bytes.HasPrefix(data, []byte(magic)) || data[elf.EI_DATA] != byte(elf.ELFDATA2LSB) ||
		binary.LittleEndian.Uint16(data[18:]) != machineCUDA {
		return false
	}
	sm := architectureOf(data)
	return sm >= 10 && sm <= 13
}

// architectureOf returns the number of the architecture in the flags of the header.
func architectureOf(data []byte) int {
	if elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS64 {
		return int(data[48])
	}
	return int(data[36])
}

// OpenELF reads the kernels of an ELF cubin: sections .text.KERNEL. Registers are in the top byte of
// the section's info, barriers in bits 20 to 26 of its flags; .nv.shared.KERNEL, .nv.local.KERNEL and
// .nv.constantN.KERNEL have the sizes of its memory, and .nv.constantN what all kernels share. What the
// sections of constants hold is shown.
func OpenELF(set *isa.Set, data []byte) (*program.Image, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a valid ELF file: %v [%s]", err, diag.FileFormat)
	}
	ctx, err := set.ParseContext(set.DefaultContext(), "chip", fmt.Sprintf("sm_%d", architectureOf(data)))
	if err != nil {
		return nil, err
	}
	im := newImage(set, "ELF cubin", ctx)
	im.Header = []string{"a listing: asm writes no ELF cubins, and its sections and relocations are not here"}
	banks, err := constantsOf(set, f)
	if err != nil {
		return nil, err
	}
	im.Declarations = func() ([]program.FileDeclaration, error) { return elfDeclarations(f, data, banks) }
	for i := range banks {
		if c := &banks[i]; c.kernel == "" {
			im.Header = append(append(im.Header, c.size()), c.words()...)
		}
	}
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".text.")
		if !ok || s.Type != elf.SHT_PROGBITS {
			continue
		}
		code, err := s.Data()
		if err != nil || len(code)%4 != 0 {
			return nil, fmt.Errorf("section %s has %d bytes, expected a multiple of 4 inside the file [%s]", s.Name, s.Size, diag.FileFormat)
		}
		k := Kernel{Registers: registersOf(s)}
		if shared := f.Section(sectionShared + name); shared != nil {
			k.Shared = int(shared.Size)
		}
		if err := im.add(name, headerOf(f, s, name, banks), wordsOf(code), k); err != nil {
			return nil, err
		}
	}
	for i := range banks {
		c := &banks[i]
		im.Contents = append(im.Contents, program.Part{Title: c.title(), Lines: append([]string{c.size()}, c.words()...), Data: c.values()})
		if at, ok := im.entry(c.kernel); ok {
			im.Sections[at] = append(im.Sections[at], c.words()...)
		}
	}
	return &im.Image, nil
}

// registersOf returns how many registers the kernel of a section of code has, 0 where the section does not say.
func registersOf(s *elf.Section) int { return int(s.Info >> 24) }

// bank is a section of constants: of a kernel, or of all where kernel is "".
type bank struct {
	memory, kernel string
	bytes          uint64
	data           []byte // nil where the file has none
}

// constantsOf returns the sections .nv.constantN and .nv.constantN.KERNEL: N counts the memories of constants.
func constantsOf(set *isa.Set, f *elf.File) ([]bank, error) {
	memories := slices.DeleteFunc(slices.Clone(set.Memories()), func(m *isa.Memory) bool { return m.Use != "constant" })
	const prefix = ".nv.constant"
	var list []bank
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, prefix)
		if !ok {
			continue
		}
		c := bank{bytes: s.Size}
		number, kernel, _ := strings.Cut(name, ".")
		c.memory, c.kernel = prefix+number, kernel // a number that the machine has not is shown as the section is called
		if n, err := strconv.Atoi(number); err == nil && n >= 0 && n < len(memories) {
			c.memory = memories[n].Name
		}
		if s.Type == elf.SHT_PROGBITS {
			var err error
			if c.data, err = s.Data(); err != nil {
				return nil, fmt.Errorf("section %s has %d bytes, which are not inside the file [%s]", s.Name, s.Size, diag.FileFormat)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

func (c *bank) title() string {
	if c.kernel == "" {
		return c.memory
	}
	return c.memory + " of " + c.kernel
}

// size says how large the space is.
func (c *bank) size() string { return fmt.Sprintf("%s = %d bytes", c.memory, c.bytes) }

// words shows what is in the space, four words a line; bytes after the last word have two digits each.
func (c *bank) words() (lines []string) {
	const perLine = 16
	for at := 0; at < len(c.data); at += perLine {
		line := fmt.Appendf(nil, "%s[0x%x] =", c.memory, at)
		rest := c.data[at:min(at+perLine, len(c.data))]
		for ; len(rest) >= 4; rest = rest[4:] {
			line = fmt.Appendf(line, " 0x%08x", binary.LittleEndian.Uint32(rest))
		}
		for _, b := range rest {
			line = fmt.Appendf(line, " %02x", b)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// bankData is a space of constants for programs.
type bankData struct {
	Memory string `json:"memory"`
	Kernel string `json:"kernel,omitempty"`
	Bytes  uint64 `json:"bytes"`
	// Content is the content in the file, in hexadecimal, byte by byte.
	Content string `json:"content,omitempty"`
}

func (c *bank) values() bankData {
	return bankData{c.memory, c.kernel, c.bytes, hex.EncodeToString(c.data)}
}

// headerOf says what the sections of a kernel say of it, in the words of text cubins.
func headerOf(f *elf.File, text *elf.Section, kernel string, banks []bank) []string {
	size := func(kind string) uint64 {
		if s := f.Section(".nv." + kind + "." + kernel); s != nil {
			return s.Size
		}
		return 0
	}
	lines := []string{
		"name = " + kernel,
		fmt.Sprintf("lmem = %d", size("local")),
		fmt.Sprintf("smem = %d", size("shared")),
		fmt.Sprintf("reg = %d", text.Info>>24),
		fmt.Sprintf("bar = %d", text.Flags>>20&0x7f),
	}
	for i := range banks {
		if c := &banks[i]; c.kernel == "" || c.kernel == kernel {
			lines = append(lines, c.size())
		}
	}
	return lines
}
