// Package textfile recognises the encodings of text files.
package textfile

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
)

// ByteOrderMark is the mark that some editors, and spreadsheets, write before a text. It is not part of the text.
const ByteOrderMark = "\ufeff"

// utf16Look is how many bytes are looked at to find out whether a file is text in UTF-16.
const utf16Look = 4 << 10

// IsUTF16 reports whether a file that starts so is text in UTF-16, with a byte order mark or without. Code can look so
// for a few words, but hardly for a whole line.
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

// utf16Order tells the order of bytes by the mark, or by the zero that the first character has beside its letter.
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
