package tesla_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// wordsOf are the instructions of a compiled text as words of eight digits.
func wordsOf(code []byte) string {
	var list []string
	for ; len(code) >= 4; code = code[4:] {
		list = append(list, fmt.Sprintf("%08x", binary.LittleEndian.Uint32(code)))
	}
	return strings.Join(list, " ")
}

// TestLongForms has texts of which both a short word and a long one are, and the words of the long one:
// the source that is added is the destination.
func TestLongForms(t *testing.T) {
	for _, c := range []struct{ text, short, long string }{
		// Destination at bit 2, source 1 at 9, source 2 at 16; u16 s16 in bits 15 and 8 of a short word, 61 on of
		// a long one; source 3 at bit 46. $r3h is 7, $r2l 4.
		{"add $r4 (mul u16 $r3h $r2l) $r4", "60040e10", "60040e11 00010780"},
		{"add $r4 (mul s16 $r3h $r2l) $r4", "60040f10", "60040e11 20010780"},
		{"add sat $r4 (mul s16 $r3h $r2l) $r4", "60048e10", "60040e11 40010780"},
		{"add $r4 (mul u24 $r3 $r2) $r4", "60028710", "60020611 60010780"},
		// subtraction is bit 22, and bit 58 of a long word
		{"sub $r4 (mul u24 $r3 $r2) $r4", "60428710", "60020611 64010780"},
		{"add f32 $r4 (mul $r3 $r2) $r4", "e0020610", "e0020611 00010780"},
		// Texel offsets that the text leaves out are 0; all four components are bits 25, 26, 46 and 47.
		{"texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0", "f0000000", "f6000001 0000c780"},
		{"texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0", "f1000100", "f7000001 0000c784"},
	} {
		for text, want := range map[string]string{c.text: c.short, "long " + c.text: c.long, c.text + "; nop": c.long + " f0000001 e0000780"} {
			got, err := compile(t, text, "cp")
			if err != nil || wordsOf(got) != want {
				t.Errorf("%s is %s, expected %s, %v", text, wordsOf(got), want, err)
			}
		}
	}
}

// TestAlignments holds what grow relies on: a word of 64 bits stands at a multiple of 8 bytes, other words have
// 32 bits and stand anywhere.
func TestAlignments(t *testing.T) {
	for _, leaf := range decoder(t, load(t), "").Root().Leaves {
		want := 0
		if leaf.Size != 32 {
			want = 64
		}
		if got := leaf.Layout().Align; leaf.Size != 32 && leaf.Size != 64 || got != want {
			t.Errorf("%s has %d bits and stands at a multiple of %d, expected %d", leaf.Name, leaf.Size, got, want)
		}
	}
}

// TestLongIsNoNoise holds that a long word says that it is one only where a short one could be meant, and
// that whoever says it all the same is understood.
func TestLongIsNoNoise(t *testing.T) {
	s := load(t)
	d := decoder(t, s, "")
	for word, want := range map[uint64]string{
		0x00010780_60040e11: "long add $r4 (mul u16 $r3h $r2l) $r4",
		0x00014780_60040e11: "add $r4 (mul u16 $r3h $r2l) $r5",
		0x00010500_60040e11: "(eu $c0) add $r4 (mul u16 $r3h $r2l) $r4",
		0x00010781_60040e11: "exit add $r4 (mul u16 $r3h $r2l) $r4",
		0x00014780_e0020611: "add f32 $r4 (mul $r3 $r2) $r5",
	} {
		in, ok := d.Decode(bits.Of(word))
		if got := string(d.Append(nil, in)); !ok || got != want {
			t.Errorf("%x is %q, expected %q", word, got, want)
		}
		m := newRoundTrip(t, s)
		text := "long " + strings.TrimPrefix(want, "long ")
		if res, err := m.p.Parse(text); err != nil || res.Inst.Bits != in.Bits {
			t.Errorf("%s is %v, expected %v, %v", text, res.Inst.Bits, in.Bits, err)
		}
	}
}

// TestShortWordsGrow holds that a short word before a long one becomes long, with the same text: there is
// a long form of whatever a short word does, but for a counted constant as source 2 in compute programs.
func TestShortWordsGrow(t *testing.T) {
	s := load(t)
	m := newRoundTrip(t, s)
	for _, r := range readRows(t) {
		if r.size != 32 {
			continue
		}
		m.set(context(t, s, r.chip, r.stage))
		in, _ := m.d.Decode(r.word)
		text := string(m.d.Append(nil, in))
		if strings.Contains(text, "???") || r.stage == "cp" && strings.Contains(text, "++") {
			continue
		}
		code, err := compileFor(text+"; nop", r.chip, r.stage)
		if err != nil || len(code) != 16 {
			t.Errorf("%s: %x, %v", text, code, err)
			continue
		}
		grown, _ := m.d.Decode(bits.Of(binary.LittleEndian.Uint64(code)))
		got := strings.Replace(string(m.d.Append(nil, grown)), " rn ", " ", 1) // a short word always rounds so
		if got != "long "+text && got != "long "+text+" 0x0 0x0 0x0" {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestEarlierWordGrows holds that where the word before a long one has no long form, one before that
// becomes long, and labels and branches behind it move.
func TestEarlierWordGrows(t *testing.T) {
	const counted = "mul f32 $r2 $r2 c0[$a1++4]" // short only
	// mov, 4 bytes, and three counted ones: nothing is odd before the branch but the mov, which grows.
	text := "a: mov b32 $r1 $r2; b: " + counted + "; " + counted + "; c: " + counted + "; " + counted + "; bra #a; bra #b; bra #c"
	got, err := compile(t, text, "cp")
	// b is byte 8, c byte 16: 2 and 4 words, at bit 11.
	want := "10000405 0403c780 c6810408 c6810408 c6810408 c6810408 10000003 00000780 10001003 00000780 10002003 00000780"
	if err != nil || wordsOf(got) != want {
		t.Errorf("%s, expected %s, %v", wordsOf(got), want, err)
	}
	for text, want := range map[string]string{
		counted + "; nop":           "no short instruction before it has a long form",
		".b32 1; nop":               "data precedes it; add .align 8",
		"long " + counted + "; nop": "this instruction has no long form",
	} {
		if _, err := compile(t, text, "cp"); err == nil || !strings.Contains(diag.Render(err), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// TestMisalignedRegisters holds that pairs that start at an odd register, quads at none of four, and
// address registers that cannot be moved on are found by dis and warned of by asm, which takes them.
func TestMisalignedRegisters(t *testing.T) {
	d := decoder(t, load(t), "")
	for text, odd := range map[string]int{
		"ld b64 $r2d g14[$r1]": 0, "ld b64 $r1d g14[$r2]": 1, "ld b128 $r4q g14[$r2]": 0, "ld b128 $r2q g14[$r2]": 1,
		"ld b128 $r5q l[0x0]": 1, "ld b32 $r5 l[0x0]": 0, "fma rn f64 $r1d $r2d $r3d $r5d": 3, "cvt f64 $r2d f32 $r1": 0,
		"cas b64 $r1d g0[$r2] $r3d $r4d": 2,
		// $a0 is 0 and cannot be moved on; there are no $a5 and $a6.
		"ld b32 $r1 l[$a1++0x4]": 0, "ld b32 $r1 l[$a5++0x4]": 1, "ld b32 $r1 l[$a6++0x4]": 1, "ld b32 $r1 l[0x0++0x4]": 1, "ld b32 $r1 l[0x4]": 0,
	} {
		out, err := compileAll(text, "g200", "cp")
		if err != nil {
			t.Errorf("%s: %s", text, diag.Render(err))
			continue
		}
		in, _ := d.Decode(bits.Of(binary.LittleEndian.Uint64(out.Bytes)))
		if got := string(d.Append(nil, in)); got != text || len(d.Findings()) != odd {
			t.Errorf("%s is printed as %s, findings %v, expected %d", text, got, d.Findings(), odd)
		}
		if len(out.Warnings) != odd {
			t.Errorf("%s: warnings %v, expected %d", text, out.Warnings, odd)
		}
	}
}

// TestUnexpectedAgain warns of each line that the hardware does not expect, also of those that were read before.
func TestUnexpectedAgain(t *testing.T) {
	const lines = 5
	text := strings.Repeat("exit ld o[0x20] s16 s[$a5++0x61b2]\nexit ld o[0x20] s16 s[$a1++0x61b4]\n", lines)
	out, err := compileAll(text, "g200", "cp")
	if err != nil || len(out.Warnings) != lines {
		t.Errorf("%v, %v, expected %d warnings", out, err, lines)
	}
}

// TestNoPredicateIsZero holds that words without a predicate have 0 in its place, as compilers and envyas
// write them, and that what has one always runs.
func TestNoPredicateIsZero(t *testing.T) {
	for text, want := range map[string]string{
		"bar inc wait 0x0 0xfff": "861ffe03 00000000",
		"joinat 8":               "a0001003 00000000",
		"call 8":                 "20001003 00000000",
		"breakaddr 8":            "40001003 00000000",
		"preret 8":               "d0001003 00000000",
		"bra c0[0x4]":            "c0000803 00000000",
		"quadon":                 "60000003 00000000",
		"quadpop":                "70000003 00000000",
		"long trap":              "90000003 00000000",
		"bra 8":                  "10001003 00000780",
		"ret":                    "30000003 00000780",
		"break":                  "50000003 00000780",
		"long brkpt":             "b0000003 00000780",
	} {
		code, err := compileFor(text, "gt215", "cp")
		if err != nil || wordsOf(code) != want {
			t.Errorf("%s is %s, expected %s, %v", text, wordsOf(code), want, err)
		}
	}
}

// TestAliasesSayAll holds that a text that is read and never printed gives the word of the text that is
// printed: what it names, what it leaves out, and what stands before it.
func TestAliasesSayAll(t *testing.T) {
	for alias, full := range map[string]string{
		"add $a1 0x0 0x8":                                   "add $a1 $a0 0x8",
		"mov $r1 0x0":                                       "mov $r1 $a0",
		"long add f32 $r1 $r2 $r3":                          "long add rn f32 $r1 $r2 $r3",
		"mul sat f32 $c1 $r1 $r2 neg $r3":                   "mul sat rn f32 $c1 $r1 $r2 neg $r3",
		"long texauto live $r0:$r1:$r2:$r3 $t1 $s2 $r0:$r1": "long texauto live $r0:$r1:$r2:$r3 $t1 $s2 $r0:$r1 0x0 0x0 0x0",
		"texauto all $r4:#:$r5:# $t1 $s2 $r4":               "texauto all $r4:#:$r5:# $t1 $s2 $r4 0x0 0x0 0x0",
		"(e $c1) texfetch all deriv $r4:#:#:# $t1 $s2 $r4":  "(e $c1) texfetch all deriv $r4:#:#:# $t1 $s2 $r4 0x0 0x0 0x0",
		"exit texfetch live $r0:$r1:$r2:$r3 $t1 $s2 $r0":    "exit texfetch live $r0:$r1:$r2:$r3 $t1 $s2 $r0 0x0 0x0 0x0",
		"long exit mov b32 $r1 $r2":                         "exit mov b32 $r1 $r2",
	} {
		got, err := compile(t, alias, "cp")
		if err != nil {
			t.Errorf("%s: %s", alias, diag.Render(err))
			continue
		}
		want, err := compile(t, full, "cp")
		if err != nil || wordsOf(got) != wordsOf(want) {
			t.Errorf("%s is %s, expected %s, %v", alias, wordsOf(got), wordsOf(want), err)
		}
		if text := printed(t, want); text != full && text != "long "+full {
			t.Errorf("%s is printed as %s", full, text)
		}
	}
}

// printed is the text of an instruction.
func printed(tb testing.TB, code []byte) string {
	tb.Helper()
	d := decoder(tb, load(tb), "")
	var word [8]byte
	copy(word[:], code)
	in, _ := d.Decode(bits.Of(binary.LittleEndian.Uint64(word[:])))
	return string(d.Append(nil, in))
}

// TestOneAddressRegister holds that an instruction that reads memory twice has an address register in
// its first operand alone, and that a condition register serves all that name one.
func TestOneAddressRegister(t *testing.T) {
	for text, good := range map[string]bool{
		"mul rn f32 $r1 b32 s[$a1+0x4] c0[0x8]":   true,
		"mul rn f32 $r1 b32 s[0x4] c0[$a1+0x8]":   false,
		"mul f32 $r1 $r2 c0[$a1+0x8]":             true,
		"long add b32 $r1 b32 s[$a2+0x4] c1[0x8]": true,
		"long add b32 $r1 b32 s[0x4] c1[$a2+0x8]": false,
		"(e $c1) addc b32 $r1 $r2 $r3 $c1":        true,
		"(e $c0) addc b32 $r1 $r2 $r3 $c1":        false,
		"(e $c0) mov $r1 $c1":                     false,
	} {
		code, err := compile(t, text, "cp")
		if (err == nil) != good {
			t.Errorf("%s: %x, %v", text, code, err)
		}
		if err == nil && strings.TrimPrefix(printed(t, code), "long ") != strings.TrimPrefix(text, "long ") {
			t.Errorf("%s is printed as %s", text, printed(t, code))
		}
	}
}
