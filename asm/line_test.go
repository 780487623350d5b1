package asm_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// lineOf makes a line from pieces of a source, each with its replacement, or "" for none.
func lineOf(source string, pieces ...[2]string) *asm.Line {
	l := &asm.Line{}
	l.Start(source)
	off := 0
	for _, p := range pieces {
		end := off + len(p[0])
		l.Keep(off)
		if p[1] != "" {
			l.Text = append(l.Text, p[1]...)
			l.Replace(end)
		}
		off = end
	}
	l.Keep(off)
	return l
}

// TestLine checks that the offsets of an error refer to the source, whatever replaces its parts, and that the message
// quotes the replacement.
func TestLine(t *testing.T) {
	x := toolsFor(t, load(t, `
		<bitset name="#reg" size="4"><display>r{N}</display><field name="N" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="12"><display>set {REG}, {IMM}</display>
			<field name="REG" low="8" high="11" type="#reg"/><field name="IMM" low="0" high="7" type="uint"/></bitset>`))
	for _, c := range []struct {
		pieces   [][2]string
		word     uint64
		off, end int
		msg      string
	}{
		{[][2]string{{"set ", ""}, {"color", "r3"}, {", 7", ""}}, 0x307, 0, 0, ""},
		{[][2]string{{"set ", ""}, {"color", "c3"}, {", 7", ""}}, 0, 4, 9, `"c3", expected "r" (color is c3)`},
		{[][2]string{{"set ", ""}, {"color", "r3"}, {", 700", ""}}, 0, 11, 14, "700 does not fit IMM, expected 0 to 255"},
		{[][2]string{{"set ", ""}, {"color", "r3"}, {", ", ""}, {"7*100", "700"}}, 0, 11, 16, "700 does not fit IMM, expected 0 to 255 (7*100 is 700)"},
		{[][2]string{{"set ", ""}, {"color", "r3"}}, 0, 9, 10, `the line ends here, expected ","`},
		{[][2]string{{"set ", ""}, {"a", "r3"}, {", 7", ""}, {" else", ""}}, 0, 9, 13, `"else", expected the end of the instruction`},
	} {
		source := ""
		for _, p := range c.pieces {
			source += p[0]
		}
		res, err := x.p.ParseLine(lineOf(source, c.pieces...))
		var e *asm.Error
		switch {
		case c.msg == "":
			if err != nil || res.Inst.Bits != bits.Of(c.word) {
				t.Errorf("%s is %s, %v, expected %x", source, res.Inst.Bits, err, c.word)
			}
		case !errors.As(err, &e) || e.Off != c.off || e.End != c.end || e.Msg != c.msg:
			t.Errorf("%s:\n got %#v\nwant %d to %d: %s", source, err, c.off, c.end, c.msg)
		}
	}
}

// TestConstantHook checks that the hook evaluates constant expressions in place of numbers and in suffixes.
func TestConstantHook(t *testing.T) {
	x := toolsFor(t, load(t, `<bitset name="#instruction" size="12"><display>add {A}, {B}</display>
		<field name="A" low="8" high="11" type="uint"/><field name="B" low="4" high="7" type="int"/><pattern low="0" high="3">xxxx</pattern></bitset>`))
	x.p.Constant = func(text string) (int64, int, error) {
		switch text[:2] {
		case "(x":
			return 5, 3, nil
		case "(m":
			return -3, 3, nil
		}
		return 0, 0, &asm.Error{Code: diag.TextSymbol, Off: 1, End: 2, Msg: "unknown"}
	}
	for text, want := range map[string]uint64{"add $(x), 1": 0x510, "add  $(x) , $(m)": 0x5d0, "add 2, -$(m)": 0x230, "add 2, 1 {0..3=$(x)}": 0x215} {
		if res, err := x.p.Parse(text); err != nil || res.Inst.Bits != bits.Of(want) {
			t.Errorf("%s is %s, %v, expected %03x", text, res.Inst.Bits, err, want)
		}
	}
	for text, want := range map[string]string{
		"add 1,  $(y)":         "10: unknown [text-symbol]",
		"add 1, 2 {0..3=$(y)}": "17: unknown [text-symbol]",
		"add $(m), 1":          "4: $(-3) does not fit A, expected 0 to 15 [text-range]",
		"add 1, 2 $(y)":        `9: "$", expected the end of the instruction [text-expected]`,
	} {
		_, err := x.p.Parse(text)
		var e *asm.Error
		if !errors.As(err, &e) || fmt.Sprintf("%d: %v", e.Off, e) != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}
