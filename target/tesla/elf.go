package tesla

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/isago/isago/internal/diag"
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
// .nv.constantN.KERNEL have the sizes of its memory, and .nv.constantN what all kernels share.
func OpenELF(set *isa.Set, data []byte) (*program.Image, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%v [%s]", err, diag.FileFormat)
	}
	ctx, err := set.ParseContext(set.DefaultContext(), "chip", fmt.Sprintf("sm_%d", architectureOf(data)))
	if err != nil {
		return nil, err
	}
	im := newImage(set, "ELF cubin", ctx)
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".text.")
		if !ok || s.Type != elf.SHT_PROGBITS {
			continue
		}
		code, err := s.Data()
		if err != nil || len(code)%4 != 0 {
			return nil, fmt.Errorf("section %s has %d bytes, expected words of 4 bytes inside the file [%s]", s.Name, s.Size, diag.FileFormat)
		}
		if err := im.add(name, headerOf(f, s, name), wordsOf(code)); err != nil {
			return nil, err
		}
	}
	return &im.Image, nil
}

// headerOf says what the sections of a kernel say of it, in the words of text cubins.
func headerOf(f *elf.File, text *elf.Section, kernel string) []string {
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
	const constant = ".nv.constant"
	for _, s := range f.Sections {
		space, of, own := strings.Cut(strings.TrimPrefix(s.Name, constant), ".")
		if strings.HasPrefix(s.Name, constant) && (!own || of == kernel) {
			lines = append(lines, fmt.Sprintf("c%s = %d bytes", space, s.Size))
		}
	}
	return lines
}
