package textfile_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/isago/isago/internal/textfile"
)

func inUTF16(text string, order binary.AppendByteOrder) string {
	var data []byte
	for _, u := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, u)
	}
	return string(data)
}

// TestIsUTF16 checks that IsUTF16 distinguishes text from code.
func TestIsUTF16(t *testing.T) {
	for _, text := range []string{"<isa>\r\n</isa>\n", "\ufeff; Light\n.proc main", "mov r0, r1 ; 中 𝄞\n"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if !textfile.IsUTF16(inUTF16(text, order)) {
				t.Errorf("%q, %v: no UTF-16", text, order)
			}
		}
		if textfile.IsUTF16(text) {
			t.Errorf("%q is UTF-16", text)
		}
	}
	for _, code := range []string{"", "A", "A\x00B\x00", "A\x00\x01\x00\n\x00", "\xff\xfe\x00\xd8\n\x00\n\x00", "\x00\x00\n\x00"} {
		if textfile.IsUTF16(code) {
			t.Errorf("%q is UTF-16", code)
		}
	}
}
