package pica200_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/target/pica200"
)

// asPicasso assembles files as picasso does. There must be a warning that says so, and without compatibility an error
// that offers it, or a warning that picasso reads otherwise.
func asPicasso(t *testing.T, a *pica200.Assembler, texts ...string) *pica200.Assembled {
	t.Helper()
	name := strings.Join(texts, "\n---\n")
	out, err := a.Assemble(sources(texts...), pica200.AssembleOptions{Compat: true})
	if err != nil {
		t.Errorf("%s\n%s", diag.Render(err), name)
		return nil
	}
	has := func(list diag.List, is func(*diag.Error) bool) bool {
		for _, e := range list {
			if is(e) {
				return true
			}
		}
		return false
	}
	if !has(out.Warnings, func(e *diag.Error) bool { return e.Code == diag.AsPicasso }) {
		t.Errorf("no warning, but\n%v\nof\n%s", out.Warnings, name)
	}
	plain, err := a.Assemble(sources(texts...), pica200.AssembleOptions{})
	var list diag.List
	switch {
	case errors.As(err, &list):
		if !has(list, func(e *diag.Error) bool { return strings.Contains(strings.Join(e.Help, " "), "--compat picasso") }) {
			t.Errorf("no mistake offers --compat picasso:\n%s\nof\n%s", diag.Render(err), name)
		}
	case !has(plain.Warnings, func(e *diag.Error) bool { return e.Code == diag.ReadDiffers }):
		t.Errorf("accepted as it is, with %v\n%s", plain.Warnings, name)
	}
	roundTrip(t, a, out.Bytes)
	return out
}

// TestPicassoOperands has each kind of operand that picasso takes for something else, with the word that it makes.
// mov is 4c000000, its destination from bit 21 on (o0 is 0, r0 is 10), the index register from bit 19 on (a0.x is 1, aL
// is 3), its source from bit 12 on (v0 is 0, r0 is 10, c0 is 20). A descriptor has the mask in bits 0 to 3, and of source
// 1 the sign in bit 4 and the swizzle from bit 5 on, xyzw being 1b: 36f is neither.
func TestPicassoOperands(t *testing.T) {
	a := newAssembler(t)
	for _, x := range []struct{ declarations, text, want string }{
		// an output is the input of its number
		{"", "mov r0, o3", "4e003000 / 36f"},
		{"", "mov r0, -o3.x", "4e003000 / 01f"},                      // xxxx is 00
		{".alias a o2", "mov r0, -a.yx", "4e002000 / 81f"},           // yxxx is 40, 40 << 5
		{".alias a -o2.wzyx", "mov r0, -a", "4e002000 / 1c8f"},       // the signs cancel; wzyx is e4, e4 << 5
		{".out pos position", "mul r1, r2, pos", "22212000 / 6c36f"}, // mul is 20000000, source 2 from bit 7 on
		{"", "mad r0, o1, o1, r2", "f0020640 / d86c36f"},             // e0000000, bits 24, 17, 10, 5
		{"", "cmp o1, eq, eq, r0", "b8001800 / 6c360"},               // b8000000, bits 12 and 7; no mask
		{".out d dummy o9", "mova a0.x, d", "48009000 / 368"},        // 48000000, mask x
		{"", "mov r0, o15[1]", "4e010000 / 36f"},                     // f + 1 is r0
		{".out pos position", "mov r0, pos[a0.x]", "4e080000 / 36f"}, // v0, with an index that moves nothing
		// and what is written is an output
		{"", "mov v3, r1", "4c611000 / 36f"},
		{".in a v3", "mov a.x, r1", "4c611000 / 368"},
		// an index that is no number is 0, one that starts with a number is that
		{"", "mov r0, c5[c3]", "4e025000 / 36f"},
		{".fvec m[4], n", "mov r0, m[n]", "4e020000 / 36f"},
		{"", "mov r0, c5[foo].y", "4e025000 / aaf"}, // yyyy is 55
		{"", "mov r0, c1[]", "4e021000 / 36f"},
		{"", "mov r0, c1[1.5]", "4e022000 / 36f"},
		{"", "mov r0, c1[2x]", "4e023000 / 36f"},
		{"", "mov r0, c1[2*3]", "4e023000 / 36f"},
		{"", "mov r0[x], r1", "4e011000 / 36f"},
		{"", "mov r0, c8[a0.x-1]", "4e028000 / 36f"}, // no index at all
		{"", "mov r0, c1[0x2]", "4e021000 / 36f"},
		{"", "mov r0, c1[aL+0x2]", "4e1a1000 / 36f"},
		{"", "mov r0, c1[aL+1+2]", "4e1a2000 / 36f"},
		{"", "mov r0, c1[2+aL]", "4e021000 / 36f"}, // 2.7.0 alone
		{"", "mov r0, c1[c3+2]", "4e023000 / 36f"}, // 2.7.0 alone
		// an offset leads into what follows
		{"", "mov r0, r15[1]", "4e020000 / 36f"},
		{"", "mov r0, v14[2]", "4e010000 / 36f"},
		{"", "mov o15[2], r1", "4e211000 / 36f"},
		{".alias k r15[3]", "mov r0, k", "4e022000 / 36f"},
		// a letter in upper case is no bank, and the number counts from v0 or o0
		{"", "mov R3, r1", "4c611000 / 36f"},
		{"", "mov r0, V2", "4e002000 / 36f"},
		{"", "mov r0, R17", "4e011000 / 36f"},
		{"", "mov r0, C40", "4e028000 / 36f"},
		{".alias k R3", "mov k, r1", "4c611000 / 36f"},
		{".alias k R3", "mov r0, k", "4e003000 / 36f"},
		// numbers are C's, and what follows them is passed over
		{"", "mov r010, r0", "4f010000 / 36f"}, // octal: r8
		{"", "mov r08, r1", "4e011000 / 36f"},  // 8 is no octal digit: r0
		{"", "mov r0x5, r1", "4ea11000 / 36f"},
		{"", "mov r1x, r1", "4e211000 / 36f"},
		{"", "mov r0, r1 foo", "4e011000 / 36f"},
		{"", "mov r0, c1[2] foo.y", "4e023000 / aaf"},
		{"", "mov r0, c1 foo[2]", "4e023000 / 36f"},
		{"", "mov r0, c1[2][3]", "4e023000 / 36f"},
		{".alias k r1,", "mov r0, k", "4e011000 / 36f"},
		{".alias k c1[x]", "mov r0, k", "4e021000 / 36f"},
		// signs of what is written, and a dot without letters
		{"", "mov -o0, r1", "4c011000 / 36f"},
		{".alias n -r0", "mov n, r1", "4e011000 / 36f"},
		{"", "mov r0, r1.", "4e011000 / 00f"},
		// an alias hides from picasso that only uniforms are offset
		{".alias t r1", "mov r0, t[a0.x]", "4e091000 / 36f"},
		{".alias t r1", "mov r0, t[a0.x+15]", "4e0a0000 / 36f"},        // 11 + f is c0
		{".alias t r1", "mad r0, r1, r2, t[aL]", "d0e32220 / d86c36f"}, // madi: c0000000, bits 24, 22 (the index), 17, 12, 5
		// uniforms of integers and booleans: for is a4000000, ifu 9c000000, the number from bit 22 on, the target from bit 10 on
		{"", "for i4\nnop\n.end", "a5000400 84000000 /"},
		{"", "for i7\nnop\n.end", "a5c00400 84000000 /"},
		{"", "for c95[1]\nnop\n.end", "a4000400 84000000 /"},
		{"", "for -i1.x\nnop\n.end", "a4400400 84000000 /"},
		{".alias n i2[3]", "for n\nnop\n.end", "a5400400 84000000 /"},
		{"", "ifu b1.x\nnop\n.end", "9c400800 84000000 /"},
		{"", "ifu i7[2]\nnop\n.end", "9c400800 84000000 /"},
		{".bool f[2]", "ifu f[x]\nnop\n.end", "9c000800 84000000 /"},
		{"", "l: jmpu !b2.y, l\nnop", "b4800001 84000000 /"},
		// setemit is ac000000, the vertex from bit 24 on, prim bit 23
		{"", "setemit 2 prim", "ae000000 /"},
		{"", "setemit 1, foo prim", "ad800000 /"},
		{"", "setemit 1, foo", "ad000000 /"},
		// names of constants with blanks
		{".constf my const(1, 0, 0, 0)", "mov r0, my const.x", "4e07f000 / 00f"},
		// a label without a name
		{"", ": mov r0, r1", "4e011000 / 36f"},
	} {
		text := in(x.declarations, x.text)
		if strings.Contains(x.text, ", foo") { // which isago's parser refuses without an offer: picasso reports it too
			out, err := a.Assemble(sources(text), pica200.AssembleOptions{Compat: true})
			if err != nil || wordsOf(out.File, 1) != x.want {
				t.Errorf("%s: %v %v", x.text, out, err)
			}
			continue
		}
		if out := asPicasso(t, a, text); out != nil && wordsOf(out.File, 1) != x.want {
			t.Errorf("%s\n%s\n got %s\nwant %s", x.declarations, x.text, wordsOf(out.File, 1), x.want)
		}
	}
}

// wordsOf formats code, but for some words at its end, and descriptors.
func wordsOf(f *pica200.SHBIN, but int) string {
	words := strings.Fields(codeWords(f))
	text := strings.Join(words[:len(words)-but], " ") + " /"
	for _, d := range f.DVLP.Descriptors {
		text += fmt.Sprintf(" %03x", d.Value)
	}
	return text
}

// TestPicassoNumbers has each kind of number that picasso reads otherwise: C's atof and atoi take the number with which
// a text starts, 0 where none does. The float 1 is 3f0000: 7 bits of exponent with bias 63, 16 of mantissa, cut off.
func TestPicassoNumbers(t *testing.T) {
	a := newAssembler(t)
	for text, want := range map[string]uint32{
		"1.0 / 64.0": 0x3f0000, "1/2": 0x3f0000, "1.5x": 0x3f8000, "1_0": 0x3f0000, "1e": 0x3f0000, "2.5.5": 0x404000,
		"+.5e1x": 0x414000, // 5 is 1.25 * 2^2
		"x":      0, "": 0, "PI": 0, "- 1": 0, "sqrt(2)": 0, "$1": 0, "e5": 0, "--1": 0, "-x": 0,
		"0x": 0, "0x1.8q": 0x3f8000, "infinite": 0x7f0000,
		"nan": 0x7f0000, "-nan": 0xff0000, // the exponent of a NaN is beyond the largest
		"2e19":  0x7f158e, // 1.0842022 * 2^64, .0842022 * 65536 = 5518.3
		"-3e19": 0xffa055, // -1.6263033 * 2^64, .6263033 * 65536 = 41045.4
	} {
		for _, directive := range []string{".constf k(0, %s, 0, 0)", ".constfa k[]\n.constfa (0, %s, 0, 0)\n.end", ".setf c95(0, %s, 0, 0)"} {
			out := asPicasso(t, a, in(fmt.Sprintf(directive, text)))
			if out == nil {
				continue
			}
			if got := out.File.DVLEs[0].Constants[0].Float24s()[1]; got != want {
				t.Errorf("%s is %06x, expected %06x", text, got, want)
			}
		}
	}
	for text, want := range map[string]uint8{
		"256": 0, "-129": 127, "1.5": 1, "0x10": 0, "1e2": 1, "x": 0, "": 0, "7 8": 7, "- 1": 0,
		"99999999999999999999": 255, // strtol's largest, of which the lowest byte is left
	} {
		for _, directive := range []string{".consti k(0, %s, 0, 0)", ".seti i3(0, %s, 0, 0)"} {
			out := asPicasso(t, a, in(fmt.Sprintf(directive, text)))
			if out == nil {
				continue
			}
			if got := out.File.DVLEs[0].Constants[0].Ints()[1]; got != want {
				t.Errorf("%s is %d, expected %d", text, got, want)
			}
		}
	}
}

// TestPicassoDeclarations has each kind of declaration that picasso takes for something else.
func TestPicassoDeclarations(t *testing.T) {
	a := newAssembler(t)
	const vertex = "vertex 0-1 in 0 out 0 merge 0 []"
	for _, x := range []struct{ text, registers, header string }{
		{".constf k(1, 2, 3, 4, 5)", " / c95 (1.0, 2.0, 3.0, 4.0)", vertex},
		{".consti k(1, 2, 3, 4, 5, 6)", " / i3 (1, 2, 3, 4)", vertex},
		{".constfa k[2x]\n.constfa (1, 0, 0, 0)\n.end", " / c94 (1.0, 0.0, 0.0, 0.0), c95 (0.0, 0.0, 0.0, 0.0)", vertex},
		{".fvec a[2*3], b", "a c0 c1, b c2 c2 / ", vertex},
		{".fvec a,, b", "a c0 c0,  c1 c1, b c2 c2 / ", vertex}, // a uniform without a name
		{".constf -k(1, 0, 0, 0)\n.constf a.b(2, 0, 0, 0)", " / c95 (1.0, 0.0, 0.0, 0.0), c94 (2.0, 0.0, 0.0, 0.0)", vertex},
		{".constf (1, 0, 0, 0)", " / c95 (1.0, 0.0, 0.0, 0.0)", vertex},
		{".setf c1.x(1, 0, 0, 0)\n.setf -c2(2, 0, 0, 0)", " / c1 (1.0, 0.0, 0.0, 0.0), c2 (2.0, 0.0, 0.0, 0.0)", vertex},
		{".setf r15[1](1, 0, 0, 0)\n.setf C40(2, 0, 0, 0)", " / c0 (1.0, 0.0, 0.0, 0.0), c8 (2.0, 0.0, 0.0, 0.0)", vertex},
		{".seti i1.x(1, 0, 0, 0)\n.seti c95[1](2, 0, 0, 0)", " / i1 (1, 0, 0, 0), i0 (2, 0, 0, 0)", vertex},
		{".setb b1.x on\n.setb i7[1] on", " / b1 true, b0 true", vertex},
		{".in a o3\n.in b v1.x\n.in c -v2\n.in d R5", "b v1 v1, c v2 v2, a v3 v3, d v5 v5 / ", "vertex 0-1 in 2e out 0 merge 0 []"},
		{".out a position -o1.xy\n.out b color v3", " / ", "vertex 0-1 in 0 out a merge 0 [position o1 xy color o3 xyzw]"},
		{".gsh variable c0 010", " / ", "geometry 0-1 variable 0 8 0 in 0 out 0 merge 0 []"},
		{".gsh variable c0 9x", " / ", "geometry 0-1 variable 0 9 0 in 0 out 0 merge 0 []"},
		{".gsh fixed R40 c4.x 3", " / ", "geometry 0-1 fixed 4 0 3 in 0 out 0 merge 0 []"},
		{"#include \"x.h\"\n#define ONE 1\n#if ONE", " / ", vertex},
		{".proc a b\nnop\n.end", " / ", "vertex 1-2 in 0 out 0 merge 0 []"},
		{".proc 2d\nnop\n.end", " / ", "vertex 1-2 in 0 out 0 merge 0 []"},
		{".constfa k[]\n.constfa (1, 0, 0, 0)\nnop\n.end", " / c95 (1.0, 0.0, 0.0, 0.0)", "vertex 1-2 in 0 out 0 merge 0 []"},
	} {
		out := asPicasso(t, a, in(x.text))
		if out == nil {
			continue
		}
		if d := &out.File.DVLEs[0]; registersOf(d) != x.registers || headerOf(d) != x.header {
			t.Errorf("%s\n got %q %s\nwant %q %s", x.text, registersOf(d), headerOf(d), x.registers, x.header)
		}
	}
	// what an alias names is not looked at, so that a geometry shader writes an output that it does not have: o12 is c
	out := asPicasso(t, a, in(".out d dummy o12", "setemit 0", "mov d, r0"))
	if out != nil && wordsOf(out.File, 1) != "ac000000 4d810000 / 36f" {
		t.Error(wordsOf(out.File, 1))
	}
}

// TestPicassoSizes has what does not fit: numbers run over into the bits above their fields, and code memory has no end.
func TestPicassoSizes(t *testing.T) {
	a := newAssembler(t)
	nops := func(n int) string { return strings.Repeat("nop\n", n) }
	for _, x := range []struct {
		name, text string
		word       int
		want       uint32
	}{
		// call is 90000000, the target from bit 10 on, the length from bit 0 on: 300 is 12c, and bit 8 means nothing
		{"a call of 300 words", ".proc p\n" + nops(300) + ".end\n" + in("", "call p", "nop"), 300, 0x9000012c},
		// ifu b0 with an else part from word 2 on: 9c000800; 300 is 12c
		{"an else part of 300 words", in("", "ifu b0", "nop", ".else", nops(300)+".end", "nop"), 0, 0x9c00092c},
		// 1024 is 400, a bit of the target, which 2 does not have: 3
		{"an else part of 1024 words", ".gsh point c0\n" + in("", "ifu b0", "nop", ".else", nops(1024)+".end", "nop"), 0, 0x9c000c00},
		{"the 513th word", in("", nops(511)+"nop"), 512, 0x88000000},
		{"the 4097th word of a geometry shader", ".gsh point c0\n" + in("", nops(4096)), 4096, 0x88000000},
		// the target 4096 is 1000, which is bit 22 and so the number of the boolean: b0 becomes b1
		{"a jump to word 4096", ".gsh point c0\n" + in("", "jmpu b0, l", nops(4095)+"l: nop"), 0, 0xb4400000},
	} {
		out := asPicasso(t, a, x.text)
		if out != nil && out.File.DVLP.Code[x.word] != x.want {
			t.Errorf("%s: %08x, expected %08x", x.name, out.File.DVLP.Code[x.word], x.want)
		}
	}
	if _, err := a.Assemble(sources(in("", nops(513))), pica200.AssembleOptions{Compat: true}); err == nil {
		t.Error("514 words of a vertex shader, which picasso refuses")
	}
}

// TestPicassoRefuses has what picasso refuses: it stays refused, or means what isago reads.
func TestPicassoRefuses(t *testing.T) {
	a := newAssembler(t)
	for _, text := range []string{
		"mov r0, o16", "mov r0, r16", "mov r0, c95[1]", "mov r0, c0[-1]", "mov r0, r1[a0.x]", "mov r0[a0.x], r1", "mov c0, r0", "add r0, r1, c1[c0]",
		"mov r0, foo", "mov r0, r1.q1", "mov r0, c0[1", "mov r0, --r1", "mov r0, r256", "for b0\nnop\n.end", "for C0\nnop\n.end", "setemit 3 x", "setemit x", "ifu i0\nnop\n.end",
	} {
		if out, err := a.Assemble(sources(in("", text)), pica200.AssembleOptions{Compat: true}); err == nil {
			t.Errorf("%s is assembled: %s", text, codeWords(out.File))
		}
	}
	for _, text := range []string{
		".constf k(1, 2, 3)", ".constf k((1), 2, 3, 4", ".setf r0(1,2,3,4)", ".seti i4(1,2,3,4)", ".in a r0", ".out a position r0", ".alias k c0[a0.x]", ".fvec a[x]", ".setb b16 on",
		".gsh variable c0 256", ".gsh point r0", ".proc a, b\nnop\n.end", ".alias a b c",
	} {
		if _, err := a.Assemble(sources(in(text)), pica200.AssembleOptions{Compat: true}); err == nil {
			t.Errorf("%s is assembled", text)
		}
	}
	for _, x := range []struct{ text, same string }{ // what picasso has no meaning for keeps isago's
		{"mov r0, v15", "mov r0, v15"}, {"mov r0, r4[-2]", "mov r0, r2"}, {"mov r0, c1[a0.x+3]", "mov r0, c4[a0.x]"}, {"mov r0, - r1", "mov r0, -r1"},
	} {
		out, err := a.Assemble(sources(in("", x.text)), pica200.AssembleOptions{Compat: true})
		same := assemble(t, a, in("", x.same))
		if err != nil || same == nil || string(out.Bytes) != string(same.Bytes) || len(out.Warnings) > 0 {
			t.Errorf("%s is not %s: %v", x.text, x.same, err)
		}
	}
}

// TestPicassoMessages checks what is said of what is assembled as picasso does.
func TestPicassoMessages(t *testing.T) {
	a := newAssembler(t)
	const text = ".constf k(1.0 / 64.0, 0, 0, 0)\n.consti n(0x10, 0, 0, 0)\n.out pos position\n.entry p\n.proc p\nmov r0, pos.x\nmov r0, c5[c3]\nmov r0, c8[a0.x-1]\nfor i5\nnop\n.end\nend\n.end"
	out, err := a.Assemble(sources(text), pica200.AssembleOptions{Compat: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `0.pica:1:11: warning: "1.0 / 64.0" is read as 1.0, as picasso does: expected a number such as 0.5, 1e-3, inf or f24:3f0000 [as-picasso]
0.pica:2:11: warning: "0x10" is read as 0, as picasso does, not as 16 [as-picasso]
0.pica:6:9: warning: pos.x is assembled as v0.x, as picasso does: pos is an output, and outputs cannot be read: compute the value in one of r0 to r15, read that register, and copy it to pos [as-picasso]
0.pica:7:9: warning: c5[c3] is assembled as c5, as picasso does: index "c3", expected a number, an address register (a0.x, a0.y, aL), or an address register plus a number [as-picasso]
0.pica:8:9: warning: c8[a0.x-1] is assembled as c8, as picasso does, not as c7[a0.x] [as-picasso]
0.pica:9:5: warning: i5 is assembled as i1 with a bit set above its number, as picasso does: i5, but i registers go from i0 to i3 [as-picasso]`
	if got := out.Warnings.Error(); got != want {
		t.Errorf("got\n%s", got)
	}
	_, err = a.Assemble(sources(text), pica200.AssembleOptions{})
	for _, help := range []string{"picasso does: 1.0", "picasso does: v0.x", "picasso does: c5", "picasso does: i1 with a bit set above its number"} {
		if !strings.Contains(diag.Render(err), "help: --compat picasso assembles what "+help+"\n") {
			t.Errorf("no %q in\n%s", help, diag.Render(err))
		}
	}
}
