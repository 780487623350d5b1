// Package cubintest builds ELF cubins for tests.
package cubintest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// Section is a section of an ELF file.
type Section struct {
	Name        string
	Kind        elf.SectionType
	Flags, Info uint32
	Link, Entry uint32
	Data        []byte
}

// File returns a 32-bit ELF file for CUDA and an architecture: the header, the contents and the
// section table. The last section holds the names.
func File(architecture uint32, sections []Section) []byte {
	names := []byte{0}
	sections = append([]Section{{}}, sections...)
	sections = append(sections, Section{Name: ".shstrtab", Kind: elf.SHT_STRTAB})
	var headers []elf.Section32
	const headerSize = 52
	var body bytes.Buffer
	for i, s := range sections {
		h := elf.Section32{Name: uint32(len(names)), Type: uint32(s.Kind), Flags: s.Flags, Info: s.Info, Link: s.Link, Entsize: s.Entry, Off: uint32(headerSize + body.Len())}
		names = append(append(names, s.Name...), 0)
		if i == len(sections)-1 {
			s.Data = names
		}
		h.Size = uint32(len(s.Data))
		if s.Kind != elf.SHT_NOBITS {
			body.Write(s.Data)
		}
		headers = append(headers, h)
	}
	h := elf.Header32{
		Type: uint16(elf.ET_EXEC), Machine: 190, Version: 1, Flags: architecture, Ehsize: headerSize,
		Shoff: uint32(headerSize + body.Len()), Shentsize: 40, Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1),
	}
	copy(h.Ident[:], "\x7fELF\x01\x01\x01")
	var out bytes.Buffer
	_ = binary.Write(&out, binary.LittleEndian, h) // writing to a buffer does not fail
	out.Write(body.Bytes())
	_ = binary.Write(&out, binary.LittleEndian, headers)
	return out.Bytes()
}

// Words returns words in the byte order of a file.
func Words(words ...uint32) (data []byte) {
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}
