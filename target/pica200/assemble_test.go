package pica200_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/target/pica200"
)

// in puts lines into a procedure behind declarations.
func in(declarations string, lines ...string) string {
	return declarations + "\n.proc main\n" + strings.Join(lines, "\n") + "\nend\n.end\n"
}

// TestSameInstructions assembles instructions in two spellings.
func TestSameInstructions(t *testing.T) {
	a := newAssembler(t)
	const names = ".fvec a, b[4]\n.constf k(1, 2, 3, 4)\n.alias yx r1.yxzw\n.alias neg -r2\n.alias s c5.wzyx\n.alias o o3.xyz\n.bool f\n.ivec n\n.in attr v3\n"
	for _, x := range []struct{ written, same string }{
		{"mov r0, a", "mov r0, c0"},
		{"mov r0, b", "mov r0, c1"},
		{"mov r0, b[3].x", "mov r0, c4.xxxx"},
		{"mov r0, b[ 0x2 ]", "mov r0, c3"},
		{"mov r0, c8[-2]", "mov r0, c6"},
		{"mov r4[-2], r4[1]", "mov r2, r5"},
		{"mov r0, b[a0.x+2]", "mov r0, c3[a0.x]"},
		{"mov r0, b[a0.x-1]", "mov r0, c0[a0.x]"},
		{"mov r0, b[2+aL]", "mov r0, c3[aL]"},
		{"mov r0, c1[ a0 + 1 ]", "mov r0, c2[a0.x]"},
		{"mov r0, c1[A1]", "mov r0, c1[a0.y]"},
		{"mov r0, c1[LCNT]", "mov r0, c1[aL]"},
		{"mov r0, c1[a2+0]", "mov r0, c1[aL]"},
		{"mov r0, yx", "mov r0, r1.yxzw"},
		{"mov r0, yx.xxw", "mov r0, r1.yyww"},
		{"mov r0, s.zx", "mov r0, c5.ywww"},
		{"mov r0, s[a0.x].x", "mov r0, c5[a0.x].wwww"},
		{"mov r0, neg", "mov r0, -r2"},
		{"mov r0, -neg.y", "mov r0, r2.yyyy"},
		{"mov r0, - k", "mov r0, -c95"},
		{"mov o.z, r0", "mov o3.z, r0"},
		{"mov o, r0", "mov o3.xyz, r0"},
		{"mov r0.zyx, attr", "mov r0.xyz, v3"},
		{"mov r0.xx, v15", "mov r0.x, v15"},
		{"MOV r0.RGB, v0.STPQ", "mov r0.xyz, v0"},
		{"dphi r0, r1, c1", "dph r0, r1, c1"},
		{"sgei r0, c1, r1", "sge r0, c1, r1"},
		{"madi r0, r1, c1, r2", "mad r0, r1, c1, r2"},
		{"exp r0.yx, a", "ex2 r0.xy, c0"},
		{"cmp a, LT, ge, r1", "cmp c0, lt, ge, r1"},
		{"breakc !!cmp.x", "breakc cmp.x"},
		{"breakc !!!cmp.y&cmp.x", "breakc cmp.x && !cmp.y"},
		{"callu f, main\nnop", "callu b0, main\nnop"},
		{"jmpu !f, l\nl:nop", "l:m:jmpu !b0, m\nnop"},
		{"for n\nnop\n.end\nnop", "for i0\nnop\n.end\nnop"},
		{"setemit 2,inv prim", "setemit 2, prim inv"},
		{".word 0x84000000", "nop"},
		{"mov r0, v0 ; r1", "mov\tr0 ,v0"},
	} {
		one, two := assemble(t, a, in(names, x.written)), assemble(t, a, in(names, x.same))
		if one == nil || two == nil {
			continue
		}
		if x.written != "jmpu !f, l\nl:nop" && string(one.Bytes) != string(two.Bytes) {
			t.Errorf("%s is not %s", x.written, x.same)
		}
	}
}

// codeWords formats code for comparison.
func codeWords(f *pica200.SHBIN) string {
	var list []string
	for _, w := range f.DVLP.Code {
		list = append(list, fmt.Sprintf("%08x", w))
	}
	return strings.Join(list, " ")
}

// TestLayout checks blocks, padding and targets, word by word: formats 2 and 3 are op<<26,
// the condition or register from bit 22 on, DST<<10, NUM; nop is 84000000, end 88000000.
func TestLayout(t *testing.T) {
	a := newAssembler(t)
	for _, x := range []struct{ name, text, want string }{
		{"if", in("", "ifu b1", "nop", ".end", "nop"), "9c400800 84000000 84000000 88000000"},
		{"if and else", in("", "ifu b1", "emit", ".else", "emit", "emit", ".end", "nop"),
			"9c400802 a8000000 a8000000 a8000000 84000000 88000000"},
		{"empty if", in("", "ifu b1", ".end", "nop"), "9c400800 84000000 84000000 88000000"},
		{"empty else", in("", "ifu b1", "emit", ".else", ".end", "nop"), "9c400800 a8000000 84000000 88000000"},
		{"loop", in("", "for i2", "emit", "emit", ".end", "nop"), "a4800800 a8000000 a8000000 84000000 88000000"},
		{"empty loop", in("", "for i2", ".end", "nop"), "a4800400 84000000 84000000 88000000"},
		{"break at the end of a loop", in("", "for i0", "break", ".end", "nop"), "a4000800 80000000 84000000 84000000 88000000"},
		{"break at the end of an if", in("", "ifu b0", "break", ".end", "nop"), "9c000800 80000000 84000000 88000000"},
		{"ends together", in("", "ifu b0", "ifu b1", "emit", ".end", ".end", "nop"), "9c001000 9c400c00 a8000000 84000000 84000000 88000000"},
		{"jump at the end", in("", "ifu b0", "jmpu b1, l", ".else", "emit", ".end", "l:"),
			"9c000c01 b4401000 84000000 a8000000 88000000"},
		{"end of a procedure", ".proc p\nifu b0\nemit\n.end\n.end\n" + in("", "call p"), "9c000800 a8000000 84000000 90000003 88000000"},
		{"empty procedure", ".proc p\n.end\n" + in("", "callc cmp.x, p"), "84000000 97800001 88000000"},
		{"call ahead", in("", "callu b3, p") + ".proc p\nemit\nemit\n.end", "98c00802 88000000 a8000000 a8000000"},
		{"procedure inside", ".proc p\nemit\n.proc q\nemit\n.end\n.end\n" + in("", "call p", "call q"), "a8000000 a8000000 90000002 90000401 88000000"},
		{"given by hand as 0", in("", "ifu b0 {DST=0x0}", "callu b0, 0 {NUM=0x0}", "nop"), "9c000000 98000000 84000000 88000000"},
		{"given by hand", in("", "ifu b0 {DST=0x5, NUM=2}", "jmpu b0, 9", "call 7 {NUM=3}", "l:call l {NUM=1}"),
			"9c001402 b4002400 90001c03 90000c01 88000000"},
	} {
		out := assemble(t, a, strings.Replace(x.text, ".proc main", ".gsh\n.proc main", 1))
		if out == nil {
			continue
		}
		if got := codeWords(out.File); got != x.want {
			t.Errorf("%s:\n got %s\nwant %s", x.name, got, x.want)
		}
		if text := roundTrip(t, a, out.Bytes); strings.Contains(text, ".isago no-programs") {
			t.Errorf("%s: the source is not an instructions:\n%s", x.name, text)
		}
	}
}

// TestRegisters checks where uniforms and constants are placed, and what the tables say of them.
func TestRegisters(t *testing.T) {
	a := newAssembler(t)
	const end = "\n.proc p%d\nend\n.end\n.entry p%d\n"
	for _, x := range []struct {
		name  string
		files []string
		want  []string // one for each program
	}{
		{"upward, downward", []string{".fvec a, b[3], c\n.ivec i\n.bool f[2], g\n.constf k(1,0,0,0)\n.constf l(2,0,0,0)\n.consti n(1,2,3,4)\n"},
			[]string{"a c0 c0, b c1 c3, c c4 c4, i i0 i0, f b0 b1, g b2 b2 / c95 (1.0, 0.0, 0.0, 0.0), c94 (2.0, 0.0, 0.0, 0.0), i3 (1, 2, 3, 4)"}},
		{"sorted", []string{".bool f\n.fvec a\n.in x v2\n.in y\n"}, []string{"y v0 v0, x v2 v2, a c0 c0, f b0 b0 / "}},
		{"hidden, dots", []string{".fvec _h, a$b\n"}, []string{"a.b c1 c1 / "}},
		{"shared by name", []string{".fvec a, b\n.constf k(1,0,0,0)\n", ".fvec c, b\n.constf k(2,0,0,0)\n"},
			[]string{"a c0 c0, b c1 c1 / c95 (1.0, 0.0, 0.0, 0.0)", "b c1 c1, c c2 c2 / c95 (2.0, 0.0, 0.0, 0.0)"}},
		{"arrays of constants", []string{".constfa t[3]\n.constfa (1,0,0,0)\n.constfa (2,0,0,0)\n.end\n.constf k(3,0,0,0)\n"},
			[]string{" / c93 (1.0, 0.0, 0.0, 0.0), c94 (2.0, 0.0, 0.0, 0.0), c95 (0.0, 0.0, 0.0, 0.0), c92 (3.0, 0.0, 0.0, 0.0)"}},
		{"preset", []string{".fvec a[4]\n.setf a[2](1,0,0,0)\n.seti i1(255,-1,0x10,0)\n.setb b3 on\n.setb b4 off\n"},
			[]string{"a c0 c3 / c2 (1.0, 0.0, 0.0, 0.0), i1 (255, 255, 16, 0), b3 true, b4 false"}},
		{"a register of their own", []string{".fvec a@c1[2], b, c, d\n.bool f@b0, g\n.ivec i@i3\n.consti k(1,1,1,1)\n.fvec e@c95\n.constf l(1,0,0,0)\n"},
			[]string{"b c0 c0, a c1 c2, c c3 c3, d c4 c4, e c95 c95, i i3 i3, f b0 b0, g b1 b1 / i2 (1, 1, 1, 1), c94 (1.0, 0.0, 0.0, 0.0)"}},
		{"geometry shaders have their own", []string{".fvec a\n.bool f\n", ".gsh variable c20 3\n.fvec b, a\n.bool g\n.constf k(1,0,0,0)\n"},
			[]string{"a c0 c0, f b0 b0 / ", "b c20 c20, a c21 c21, g b0 b0 / c95 (1.0, 0.0, 0.0, 0.0)"}},
		{"old geometry shaders share", []string{".fvec a\n", ".gsh\n.fvec b, a\n"}, []string{"a c0 c0 / ", "a c0 c0, b c1 c1 / "}},
		{"left out", []string{".fvec a\n.nodvle\n", ".fvec b\n"}, []string{"b c1 c1 / "}},
	} {
		for i := range x.files {
			x.files[i] += fmt.Sprintf(end, i, i)
		}
		out := assemble(t, a, x.files...)
		if out == nil {
			continue
		}
		var got []string
		for i := range out.File.DVLEs {
			got = append(got, registersOf(&out.File.DVLEs[i]))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s:\n got %q\nwant %q", x.name, got, x.want)
		}
		roundTrip(t, a, out.Bytes)
	}
}

func registersOf(d *pica200.DVLE) string {
	var uniforms, constants []string
	for _, u := range d.Uniforms {
		uniforms = append(uniforms, fmt.Sprintf("%s %s %s", u.Name, u.First, u.Last))
	}
	for _, c := range d.Constants {
		r, _ := c.Register()
		constants = append(constants, fmt.Sprintf("%s %s", r, c.Value()))
	}
	return strings.Join(uniforms, ", ") + " / " + strings.Join(constants, ", ")
}

// TestPrograms checks the headers.
func TestPrograms(t *testing.T) {
	a := newAssembler(t)
	for _, x := range []struct{ text, want string }{
		{"", "vertex 0-1 in 0 out 0 merge 0 []"},
		{".in a\n.in b v9\n", "vertex 0-1 in 201 out 0 merge 0 []"},
		{".out p position\n.out - clr.xyz o4\n.out q tcoord0.st\n.out d dummy o12\n", "vertex 0-1 in 0 out 1013 merge 0 [position o0 xyzw color o4 xyzw texcoord0 o1 xy dummy o12 xyzw]"},
		{".out p position o2.xy\n.out q view o2.zw\n", "vertex 0-1 in 0 out 4 merge 0 [position o2 xy view o2 zw]"},
		{".gsh point c3\n.out p position\n.out d dummy\n", "geometry 0-1 point 0 0 0 in 0 out 3 merge 1 [position o0 xyzw dummy o1 xyzw]"},
		{".gsh subdivision c3 7\n", "geometry 0-1 variable 0 7 0 in 0 out 0 merge 0 []"},
		{".gsh particle c9 c5 4\n", "geometry 0-1 fixed 5 0 4 in 0 out 0 merge 0 []"},
		{".gsh\n.out d dummy\n", "geometry 0-1 point 0 0 0 in 0 out 1 merge 0 [dummy o0 xyzw]"},
	} {
		x.text = strings.ReplaceAll(x.text, "clr.xyz o4", "clr o4")
		out := assemble(t, a, x.text+".proc main\nend\n.end\n")
		if out == nil {
			continue
		}
		if got := headerOf(&out.File.DVLEs[0]); got != x.want {
			t.Errorf("%q\n got %s\nwant %s", x.text, got, x.want)
		}
		roundTrip(t, a, out.Bytes)
	}
	out := assemble(t, a, ".proc main\nsetemit 1\nend\n.end\n")
	if out != nil && out.File.DVLEs[0].Type != pica200.GeometryShader {
		t.Error("setemit does not make a geometry shader")
	}
}

func headerOf(d *pica200.DVLE) string {
	text := fmt.Sprintf("%s %d-%d", d.Type, d.Entry, d.End)
	if d.Type == pica200.GeometryShader {
		text += fmt.Sprintf(" %s %d %d %d", d.GeometryMode, d.FixedStart, d.VariableCount, d.FixedCount)
	}
	var outs []string
	for _, o := range d.Outputs {
		outs = append(outs, fmt.Sprintf("%s o%d %s", o.Semantic, o.Register, o.Components()))
	}
	return text + fmt.Sprintf(" in %x out %x merge %d %v", d.InputMask, d.OutputMask, d.MergeOutmaps, outs)
}

// TestFloats checks the bits of constants: sign, 7 bits of exponent with bias 63, 16 of mantissa,
// cut off. 1 is 63<<16.
func TestFloats(t *testing.T) {
	a := newAssembler(t)
	for text, want := range map[string]uint32{
		"0": 0, "-0.0": 0x800000, "-0": 0x800000, "1": 0x3f0000, "-1.5": 0xbf8000, "2": 0x400000, ".5": 0x3e0000, "1e0": 0x3f0000,
		"0.1":     0x3b9999,                      // 1.6 * 2^-4, the mantissa .6 * 65536 = 39321.6
		"1.99999": 0x3fffff,                      // cut, not rounded
		"0x10":    0x430000,                      // as C reads it
		"1e30":    0x7f0000, "-3.7e19": 0xff0000, // from 2^65 on infinity
		"1e-30": 0, "-1e-30": 0x800000, "inf": 0x7f0000, "-INF": 0xff0000,
		"9.2e18":     0x7dfeb3, // 1.99493 * 2^62, .99493 * 65536 = 65203.9
		"f24:3F0000": 0x3f0000, "f24:1": 1, "f24:ffffff": 0xffffff,
		"1.0842022e-19": 0,      // 2^-63, which picasso's conversion makes an exponent of 0
		"1.6263033e-19": 0x8000, // 1.5 * 2^-63
	} {
		out := assemble(t, a, in(".constf k("+text+", 0, 0, 0)"))
		if out == nil {
			continue
		}
		if got := out.File.DVLEs[0].Constants[0].Float24s()[0]; got != want {
			t.Errorf("%s is %06x, expected %06x", text, got, want)
		}
		roundTrip(t, a, out.Bytes)
	}
}

// TestDescriptors checks which instructions share a descriptor, and that mad moves one down.
func TestDescriptors(t *testing.T) {
	a := newAssembler(t)
	out := assemble(t, a, in("", "mov r0, v0", "mov r1.x, v0.xyzw", "mov r1.x, v0.xwww", "mul r0, v0, -r1", "add r0, v0, -r0"))
	if out != nil && len(out.File.DVLP.Descriptors) != 2 {
		t.Errorf("%d descriptors, expected x0 for mov, x1 for mov.x that mul does not share, %v", len(out.File.DVLP.Descriptors), out.File.DVLP.Descriptors)
	}
	var lines []string
	for i := range 40 { // 40 different ones
		lines = append(lines, fmt.Sprintf("add r0, r1.%c%c%c%c, r2", "xyzw"[i&3], "xyzw"[i>>2&3], "xyzw"[i>>4&3], "xyzw"[3]))
	}
	lines = append(lines, "mad r0, -r1, -r2, -r3", "add r0, r1.xxxw, r2")
	if out = assemble(t, a, in("", lines...)); out == nil {
		return
	}
	f := out.File.DVLP
	if got := f.Code[40] & 31; got != 0 {
		t.Errorf("mad names descriptor %d, expected 0", got)
	}
	if got := f.Code[0] & 127; got != 40 {
		t.Errorf("the first add names descriptor %d, expected 40, where the first has gone", got)
	}
	if f.Code[41]&127 != 40 || len(f.Descriptors) != 41 {
		t.Errorf("the last add names descriptor %d of %d", f.Code[41]&127, len(f.Descriptors))
	}
	roundTrip(t, a, out.Bytes)
}

// TestHeader checks the C header.
func TestHeader(t *testing.T) {
	a := newAssembler(t)
	out := assemble(t, a, in(".fvec a, b[4], _c\n.ivec i\n.bool f, g[3]\n.fvec d@c20[2]"))
	want := `// Generated by isago
#pragma once
#define VSH_FVEC_a 0x00
#define VSH_ULEN_a 1
#define VSH_FVEC_b 0x01
#define VSH_ULEN_b 4
#define VSH_IVEC_i 0x00
#define VSH_ULEN_i 1
#define VSH_FLAG_f BIT(0)
#define VSH_ULEN_f 1
#define VSH_FLAG_g(_n) BIT(1+(_n))
#define VSH_ULEN_g 3
#define VSH_FVEC_d 0x14
#define VSH_ULEN_d 2
`
	if got := string(out.Header()); got != want {
		t.Errorf("got\n%s", got)
	}
	// The matrix of the geometry shader is another than that of the vertex shader, and is not given its
	// name, which the program outside uses for the latter.
	out = assemble(t, a, in(".fvec matrix[4], light"), ".gsh point c8\n.entry g\n.fvec _h, matrix[4]\n.bool flip\n.proc g\nend\n.end", ".entry h\n.fvec light\n.proc h\nend\n.end")
	want = `// Generated by isago
#pragma once
#define VSH_FVEC_matrix 0x00
#define VSH_ULEN_matrix 4
#define VSH_FVEC_light 0x04
#define VSH_ULEN_light 1
#define GSH_FVEC_matrix 0x09
#define GSH_ULEN_matrix 4
#define GSH_FLAG_flip BIT(0)
#define GSH_ULEN_flip 1
`
	if got := string(out.Header()); got != want {
		t.Errorf("got\n%s", got)
	}
}

// FuzzSource assembles arbitrary text: it ends, and what assembles can be taken apart again.
func FuzzSource(f *testing.F) {
	f.Add(in(".fvec a, b[4]\n.constf k(1, 2, 3, 4)\n.out o position", "mov o, a", "ifc cmp.x && !cmp.y", "mad r0, r1, b[a0.x+1], -r2", ".else", "call main", ".end"))
	f.Add(".gsh fixed c4 c0 3\n.constfa t[]\n.constfa (1,2,f24:3,inf)\n.end\n.alias x -c0.wz\n" + in("", "for i0", "breakc !cmp.x", ".end", "l: jmpu !b0, l", "mov r0, x[aL-1] {DESC@3}"))
	f.Add("# 3 \"a\"\n.isago desc 1 2 3\n.isago patch 4 00\n.isago size 9\n.isago file 1\n.isago entry 1 2\n.word 1, 2")
	f.Add(".setb b0 on\n.seti i0(1,2,3,4)\n.setf c0(1,2,3,4)\n.in a v1\n.out - dummy o9\n.nodvle\n.isago no-programs\n.isago unchecked\n.isago no-nop")
	f.Add(".fvec m[4x],,b\n.constf k(1/2, nan, sqrt(2), 2e19)\n.alias t r1\n.alias o o1\n" + in("", "mov R3, t[a0.x+2]", "mov -o0, o.x", "mov r0, c5[c3]", "for i5", "nop", ".end", "setemit 2 x"))
	a := newAssembler(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		for _, compat := range []bool{false, true} {
			out, err := a.Assemble([]*diag.Source{{Name: "f", Text: text}}, pica200.AssembleOptions{Compat: compat})
			if err != nil {
				if diag.Render(err) == "" {
					t.Error("no message")
				}
				continue
			}
			if _, err := pica200.ReadSHBIN(out.Bytes); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if len(out.Bytes) <= 1<<20 { // .isago size makes any file large
				roundTrip(t, a, out.Bytes)
			}
		}
	})
}

// A line that is remembered is what its names mean now, with the warnings that they earn.
func TestRememberedNames(t *testing.T) {
	a := newAssembler(t)
	program := func(declared string) string {
		return declared + "\n.out out position\n.proc main\n\tmov out, name[1].x\n\tend\n.end\n"
	}
	for range 4 { // a line is remembered when it has been met before
		for _, c := range []struct {
			declared string
			number   uint64 // of the register, c0 being 0x20
			warnings int
		}{
			{".fvec name[2]", 0x21, 0},
			{".fvec other\n.fvec name[2]", 0x22, 0},
			{".fvec name", 0x21, 1}, // past its end
			{".alias name c7.yxzw", 0x28, 0},
			{".alias name c7.zxzw", 0x28, 0},
		} {
			out := assemble(t, a, program(c.declared))
			swizzle := out.File.DVLP.Descriptors[0].Value >> 5 & 0xff
			want := map[byte]uint32{'y': 0x55, 'z': 0xaa}[c.declared[len(c.declared)-4]]
			if number := uint64(out.File.DVLP.Code[0] >> 12 & 0x7f); number != c.number || len(out.Warnings) != c.warnings || swizzle != want {
				t.Errorf("with %q the line reads %#x, swizzle %#x, with %d warnings, expected %#x, %#x, %d", c.declared, number, swizzle, len(out.Warnings), c.number, want, c.warnings)
			}
		}
	}
}

// A line that is remembered from one program is none in another that may not have it: a geometry shader has fewer outputs,
// but where nothing is checked.
func TestRememberedPlace(t *testing.T) {
	a := newAssembler(t)
	const rest = ".in position v0\n.proc main\n\tmov o9, v0\n\tend\n.end\n"
	for range 3 {
		for before, refused := range map[string]bool{"": false, ".gsh point c0\n": true, ".isago unchecked\n.gsh point c0\n": false} {
			_, err := a.Assemble([]*diag.Source{{Name: "a.pica", Text: before + rest}}, pica200.AssembleOptions{})
			if refused != (err != nil) {
				t.Errorf("%q and a move to o9: %v", before, err)
			}
		}
	}
}
