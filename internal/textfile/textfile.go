// Package textfile recognises the encodings of text files.
package textfile

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
)

// ByteOrderMark is the mark that some editors and spreadsheet programs write before the text of a file. It is not part
// of the text.
const ByteOrderMark = "\ufeff"

// utf16Look is the number of bytes that IsUTF16 examines.
const utf16Look = 4 << 10

// IsUTF16 reports whether a file that begins with start is UTF-16 text, with or without a byte order mark. At least one
// whole line must be text, because a few words of code can look like UTF-16.
func IsUTF16(start string) bool {
	order, ok := utf16Order(start)
	if !ok {
		return false
	}
	var units []uint16
	for start = start[:min(len(start), utf16Look)]; len(start) > 1; start = start[2:] {
		units = append(units, order.Uint16([]byte(start[:2])))
	}
	text := string(utf16.Decode(units))
	end := strings.LastIndexByte(text, '\n')
	return end >= 0 && !strings.ContainsFunc(text[:end], func(r rune) bool {
		return r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r)
	})
}

// utf16Order returns the byte order, which it determines from the byte order mark, or from the zero byte in the first
// character. ok is false if there is neither.
func utf16Order(start string) (order binary.ByteOrder, ok bool) {
	switch {
	case len(start) < 2:
		return nil, false
	case start[0] == 0xff && start[1] == 0xfe, start[0] != 0 && start[1] == 0:
		return binary.LittleEndian, true
	case start[0] == 0xfe && start[1] == 0xff, start[0] == 0 && start[1] != 0:
		return binary.BigEndian, true
	}
	return nil, false
}
