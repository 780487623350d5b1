package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// The formats that asm can write for every machine: C arrays and raw bytes. A compiler may have its own format with one
// of these names.
const (
	formatC   = "c"
	formatRaw = "raw"
)

// isCodeFormat reports whether a format is available for every machine.
func isCodeFormat(name string) bool { return name == formatC || name == formatRaw }

// codeArray holds the contents of a C array: words of unit bits, stored as little-endian bytes.
type codeArray struct {
	name string
	unit int
	data []byte
}

// appendC appends the declaration of the array in C. It returns an error if the array is empty, if its last word is
// incomplete, or if its words do not have 8, 16 or 32 bits.
func (a *codeArray) appendC(dst []byte) ([]byte, error) {
	size := a.unit / 8
	if size != 1 && size != 2 && size != 4 || len(a.data)%size != 0 {
		return nil, fmt.Errorf("%d bytes of code do not fit a C array of %d-bit words", len(a.data), a.unit)
	}
	if len(a.data) == 0 {
		return nil, fmt.Errorf("the program has no code, but a C array needs at least one element")
	}
	const perLine = 8
	dst = fmt.Appendf(dst, "static const uint%d_t %s[%d] = {", a.unit, a.name, len(a.data)/size)
	for i := 0; i < len(a.data); i += size {
		separator := " "
		if i/size%perLine == 0 {
			separator = "\n\t"
		}
		var v uint32
		for k := range size {
			v |= uint32(a.data[i+k]) << (8 * k)
		}
		dst = fmt.Appendf(dst, "%s0x%0*x,", separator, 2*size, v)
	}
	return append(dst, "\n};\n"...), nil
}

// writeArrays returns code in a format. The C format contains all arrays. The raw format contains only the bytes of the
// code, and writeArrays returns an error if there are tables.
func writeArrays(format, machine string, code, tables []codeArray) (out []byte, err error) {
	if format == formatC {
		names := map[string]bool{}
		for _, a := range slices.Concat(code, tables) {
			if names[a.name] {
				return nil, fmt.Errorf("two C arrays would have the name %s", a.name)
			}
			names[a.name] = true
			if out, err = a.appendC(out); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if len(tables) > 0 {
		return nil, usagef("raw bytes cannot contain the table entries of %s; --format c writes them as an array", machine)
	}
	for _, a := range code {
		out = append(out, a.data...)
	}
	return out, nil
}

// tableArrays returns an array for each nonempty table of a program, with the entries up to the last one.
func tableArrays(set *isa.Set, entries [][]bits.Value) (list []codeArray) {
	for i, t := range set.Tables() {
		if i >= len(entries) || len(entries[i]) == 0 {
			continue
		}
		a := codeArray{name: cName(t.Name), unit: 32}
		for _, v := range entries[i] {
			for at := 0; at < t.Bits; at += 32 {
				w := v.Word(at / 32)
				a.data = append(a.data, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
			}
		}
		list = append(list, a)
	}
	return list
}

// codeOfFile converts the output of a compiler to the format that --format selects.
func (f *asmFlags) codeOfFile(file []byte) ([]byte, error) {
	if _, _, known := catalog.Recognise(file); !known { // raw code
		return writeArrays(f.format, f.isa, []codeArray{{"code", 32, file}}, nil)
	}
	l, err := f.listingFrom(f.output, file)
	if err != nil {
		return nil, err
	}
	im := l.Image
	set, root := l.Decoder.Set(), l.Decoder.Root()
	var code []codeArray
	for _, m := range im.Members() {
		a := codeArray{name: "code", unit: root.WordSize}
		if m.Several {
			a.name = cName(m.Name)
		}
		for at := m.Start; at < m.End; at += int64(root.WordSize) {
			v, n := im.At(at, root, root.WordSize)
			a.data = program.AppendBytes(a.data, root, v, n)
		}
		code = append(code, a)
	}
	return writeArrays(f.format, setName(set), code, tableArrays(set, im.Tables))
}

// cName converts a name to a C identifier.
func cName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, strings.TrimPrefix(name, "#"))
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}
