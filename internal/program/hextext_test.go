package program

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestHexText reads words as drivers have them, of machines with words of several sizes, and tells such text from code.
func TestHexText(t *testing.T) {
	word, half, octet, high := &isa.Root{WordSize: 32}, &isa.Root{WordSize: 16}, &isa.Root{WordSize: 8}, &isa.Root{WordSize: 32, HighFirst: true}
	for _, x := range []struct {
		root *isa.Root
		text string
		code string // in hexadecimal, as bytes lie; "" where it is no such text
	}{
		{word, "80000000 9000040a\n", "\x00\x00\x00\x80\x0a\x04\x00\x90"},
		{word, "0x80000000,0x9000040A", "\x00\x00\x00\x80\x0a\x04\x00\x90"},
		{word, "\t0x80000000, /* 12, 34 */\n\t0x1, // g\n\t0xfff,", "\x00\x00\x00\x80\x01\x00\x00\x00\xff\x0f\x00\x00"},
		{word, "/* a */ 80000000\n", "\x00\x00\x00\x80"},
		{word, "0x0123456789abcdef\n", "\xef\xcd\xab\x89\x67\x45\x23\x01"}, // a number of two words, the low one first
		{high, "0123456789abcdef\n", "\x67\x45\x23\x01\xef\xcd\xab\x89"},
		{half, "2243 6223\n8200", "\x43\x22\x23\x62\x00\x82"},
		{octet, "43 22 23 62\n", "\x43\x22\x23\x62"},
		{word, "static const uint32_t vs[] = {\n\t0x80000000u, 0x9000040aUL,\n};\n", "\x00\x00\x00\x80\x0a\x04\x00\x90"},
		{word, "// {\nint vs[1][2] = { /* } */ { 0x80000000, 0 } };", "\x00\x00\x00\x80\x00\x00\x00\x00"},
		{word, "{ 0x80000000 ", "\x00\x00\x00\x80"}, // the start of one
		{word, "x = { 80000000, 80000000 }", ""}, {word, "struct x { int a; };\n", ""}, {word, "\x01{ 0x80000000 }\n", ""},
		{word, "", ""}, {word, " \n,", ""}, {word, "/* 80000000 */", ""},
		{word, "80000000", ""}, {octet, "4322", ""}, {octet, "43 22\n", ""}, // which code may be
		{word, "0123456 01234567\n", ""}, {word, "012345678 01234567\n", ""}, {word, "80000000 8000000g\n", ""}, {word, "0x0x80000000 ", ""},
		{word, "80000000\n\x00", ""}, {word, "4c000000/36f\n", ""}, {word, "mov r0, v0\n", ""},
	} {
		code := ""
		if IsHexText(x.root, []byte(x.text)) {
			data, err := HexText(x.root, &diag.Source{Text: x.text})
			if err != nil {
				t.Errorf("%q: %v", x.text, err)
			}
			code = string(data)
		}
		if code != x.code {
			t.Errorf("%q is % x, expected % x", x.text, code, x.code)
		}
	}
}

// TestHexTextErrors points at what is wrong behind where text is told from code.
func TestHexTextErrors(t *testing.T) {
	start := string(bytes.Repeat([]byte("80000000\n"), 8))
	const array = "int a[] = { 0x1, 0x1, 0x1, 0x1, 0x1, 0x1, 0x1, 0x1, };"
	for text, want := range map[string]diag.Code{
		start + "8000000g\n": diag.HexSyntax, start + "800000001\n": diag.HexSize, start + "0x,\n": diag.HexSyntax, start + "\x00": diag.HexSyntax,
		array + " |{ 0x1 };\n": diag.HexSyntax, array[:len(array)-2] + "|10 };\n": diag.HexSyntax,
	} {
		root := &isa.Root{WordSize: 32}
		place := len(start)
		if before, after, marked := strings.Cut(text, "|"); marked {
			text, place = before+after, len(before)
		}
		if !IsHexText(root, []byte(text)) {
			t.Fatalf("%q is not a text", text)
		}
		_, err := HexText(root, &diag.Source{Name: "x", Text: text})
		var e *diag.Error
		if !errors.As(err, &e) || e.Code != want || e.Span.Off != place {
			t.Errorf("%q: %v, expected %s at %d", text, err, want, place)
		}
	}
}

// TestIsHexTextReadsNoMore tells code from text by its first numbers, however long it is.
func TestIsHexTextReadsNoMore(t *testing.T) {
	for _, start := range []string{"", "01234567 ", "0x01234567,89abcdef\n"} {
		data := append([]byte(start), make([]byte, 64<<20)...)
		if n := testing.AllocsPerRun(3, func() {
			if IsHexText(&isa.Root{WordSize: 32}, data) {
				t.Error("zeros are hexadecimal")
			}
		}); n > 20 {
			t.Errorf("%q and zeros: %.0f allocations", start, n)
		}
	}
}

func FuzzHexText(f *testing.F) {
	for _, text := range []string{"80000000 90000408\n", "0x1, /* x */ 0x22", "// x\n0x0123456789abcdef", "/*", "0x", "a[] = { 0x1u, { 0 } };", "{ 0x1 } {"} {
		f.Add([]byte(text), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, unit uint8) {
		root := &isa.Root{WordSize: 8 << (unit % 3), HighFirst: unit >= 128}
		_ = IsHexText(root, text)
		code, err := HexText(root, &diag.Source{Text: string(text)})
		if n := len(code); err == nil && (n*8%root.WordSize != 0 || n > 4*len(text)) {
			t.Errorf("%d bytes of %q", n, text)
		}
	})
}
