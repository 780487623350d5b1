package pica200_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// TestDescribed checks that what the description says amiss to the assembler is a mistake.
func TestDescribed(t *testing.T) {
	text, err := pica200.FS.ReadFile("pica200.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ good, bad, want string }{
		{`<limit name="VTXID"`, `<limit name="VTX"`, `VTX is not a field of setemit`},
		{`<limit name="VTXID" most="2"/>`, `<limit name="VTXID" most="two"/>`, `most="two", expected a number`},
		{`<relative field="IDX" of="c"/>`, `<relative field="IDX" of="d"/>`, `unknown register file "d"`},
		{`<layout flushes="o"/>`, `<meta flushs="o"/>`, `flushs`},
		{`<flow kind="break"`, `<flow kind="brake"`, `kind="brake", expected`},
		{`<limit name="rasterised"`, `<limit name="rasterized"`, `needs a limit "rasterised"`},
		{`use="input"`, `use="special"`, `needs register files for inputs`},
		{`type="f32x4" count="96" use="constant" scope="launch" outside="1" components="#component"`, `type="f32x4" count="96" use="constant" scope="launch"`, `the registers of c need names`},
		{`display="w"><doc>`, `display="ww"><doc>`, `#component: value 3 with the text "ww", expected letters for 0 to 3`},
	} {
		bad := strings.Replace(string(text), x.good, x.bad, 1)
		if bad == string(text) {
			t.Fatalf("the description has no %s", x.good)
		}
		set, err := isa.Load(fstest.MapFS{"pica200.xml": {Data: []byte(bad)}}, "pica200.xml", isa.Options{Syntax: pica200.Syntax})
		if err == nil {
			_, err = pica200.NewAssembler(set)
		}
		if err == nil || !strings.Contains(diag.Render(err), x.want) {
			t.Errorf("%s: %v, expected %s", x.bad, err, x.want)
		}
	}
}

// rule is a rule of picasso's language: source that follows it, and the words, descriptors and
// tables that the document of formats gives for it, worked out by hand. What is "" is not compared.
type rule struct {
	name        string
	files       []string
	words       string
	descriptors string
	tables      []string // of each program, as registersOf writes them
}

// TestRules has the rules that TestSameInstructions, TestLayout, TestRegisters and TestPrograms do
// not show. Format 1 is op<<26 | DST<<21 | IDX<<19 | SRC1<<12 | SRC2<<7 | DESC, where v0 is 0, r0 16 and
// c0 32; a descriptor is the mask with x at bit 3, then 9 bits for each source: negation, and a
// swizzle of which xyzw is 1b.
func TestRules(t *testing.T) {
	const (
		mov  = "4c000000" // mov o0, v0: 13<<26
		end  = "88000000"
		self = "0000036f" // xyzw, swizzle 1b<<5, mask f
	)
	a := newAssembler(t)
	for _, x := range []rule{
		{"mov of v0 to r0", []string{in("", "mov r0, v0")}, "4e000000 " + end, self, nil}, // 13<<26 | 10<<21
		{"a byte order mark and CRLF", []string{"\ufeff.proc main\r\nmov o0, v0\r\nend\r\n.end\r\n"}, mov + " " + end, self, nil},
		{"blanks of any kind", []string{".proc main\r\r\n\f\tmov\to0 ,\tv0 \t\r ; x\n\vend\r\r\n.end \f\n"}, mov + " " + end, self, nil},
		{"directives and mnemonics in upper case", []string{".PROC main\nMOV o0, v0\nEND\n.END"}, mov + " " + end, self, nil},
		{"names keep their case, and hold digits, _ and $", []string{in(".alias A1 r1\n.alias a1$_ r2", "mov r0, A1", "mov r0, a1$_")},
			"4e011000 4e012000 " + end, self, nil},
		{"sets of components mix, the last one repeats", []string{in("", "mov r0, v0.xgpq", "mov r0, v0.YX", "mov r0, v0.a")},
			// swizzles 1b, 40 and ff: xyzw, yxxx, wwww
			"4e000000 4e000001 4e000002 " + end, "0000036f 0000080f 00001fef", nil},
		{"a mask is a set", []string{in("", "mov r0.wx, v0", "mov r0.xw, v0", "mov r0.xxww, v0")},
			"4e000000 4e000000 4e000000 " + end, "00000369", nil},
		{"swizzles of aliases compose, signs cancel", []string{in(".alias a -v0.wzyx\n.alias b -a.xxy", "mov r0, a", "mov r0, b", "mov r0, -b.z")},
			// e4 with the sign; xxyy of wzyx is wwzz, fa; its third component is z
			"4e000000 4e000001 4e000002 " + end, "00001c9f 00001f4f 0000155f", nil},
		{"the names of address registers", []string{in("", "mov r0, c1[a0]", "mov r0, c1[a1+1]", "mov r0, c1[a2]", "mov r0, c1[LCNT+2]", "mov r0, c1[a0.X]")},
			"4e0a1000 4e122000 4e1a1000 4e1a3000 4e0a1000 " + end, self, nil},
		{"the destinations of mova", []string{in("", "mova a0, v0", "nop", "mova a1, v0", "nop", "mova a01, v0", "nop", "mova a0.x, v0", "nop", "mova A0.Y, v0", "nop", "mova a0.xy, v0")},
			"48000000 84000000 48000001 84000000 48000002 84000000 48000000 84000000 48000001 84000000 48000002 " + end,
			"00000368 00000364 0000036c", nil},
		{"setemit, with each of its words", []string{in("", "setemit 0", "setemit 1, prim", "setemit 2, inv", "setemit 0, primitive invert", "SETEMIT 1,INV PRIM", "emit")},
			"ac000000 ad800000 ae400000 acc00000 adc00000 a8000000 " + end, "", nil},
		{"each comparison", []string{in("", "cmp c0, eq, eq, r1", "cmp c0, ne, ne, r1", "cmp c0, lt, lt, r1", "cmp c0, le, le, r1", "cmp c0, gt, gt, r1", "cmp c0, GE, ge, r1")},
			"b8020880 b9220880 ba420880 bb620880 bc820880 bda20880 " + end, "0006c360", nil},
		{"each condition", []string{in("", "breakc cmp.x", "breakc !cmp.x", "breakc cmp.y", "breakc cmp.x && cmp.y", "breakc cmp.x & !cmp.y", "breakc !cmp.x || !cmp.y", "breakc CMP.X|cmp.y")},
			// 23<<26 | REFX<<25 | REFY<<24 | CONDOP<<22
			"8f800000 8d800000 8fc00000 8f400000 8e400000 8c000000 8f000000 " + end, "", nil},
		{"end is never added", []string{".proc main\nmov o0, v0\n.end"}, mov, self, nil},
		{"a label can have the name that a float starts with", []string{in("", "f24: buf24: jmpu b0, buf24", "nop")}, "b4000000 84000000 " + end, "", nil},
		{"lines that start with # are comments", []string{in("# uniforms: none\n#------\n  # 3 lines\n#pragma once", "mov o0, v0", "l: # here", "# mov o0, v1")}, mov + " " + end, self, nil},
		{"a comma after the last operand", []string{in(".fvec a, b,", "mov r0, b,", "mov r0, v0 , ; that is all")}, "4e021000 4e000000 " + end, self, []string{"a c0 c0, b c1 c1 / "}},
		{"a declaration of nothing makes a program", []string{".fvec ; a\n.proc p\nend\n.end", ".proc main\nend\n.end"}, end + " " + end, "", []string{" / ", " / "}},
		{"constants have any name that an operand can spell", []string{in(".constf 2pi(1,0,0,0)\n.constf half-pi(2,0,0,0)\n.consti 3x(1,1,1,1)", "mov r0, -2pi.x", "mov r0, half-pi[aL]", "for 3x", "nop", ".end", "nop")},
			"4e07f000 4e1fe001 a4c00c00 84000000 84000000 " + end, "0000001f 0000036f", nil},
		{"a name may be that of the register it gets", []string{in(".in v0\n.out o0 position\n.out o1 color\n.fvec c0[2]", "mov o0, c0[1]", "mov o1, v0")}, "4c021000 4c200000 " + end, self, nil},
		{"which it names from there on", []string{".proc main\nmov o0, v0\n.out o0 dummy o1\nmov o0, v0\n.out o1 dummy\nmov o1, v0\nend\n.end"}, mov + " 4c200000 4c000000 " + end, self, nil},
		{"what is declared inside an array comes before it", []string{in(".constfa t[]\n.constf k(1,0,0,0)\n.constfa (2,0,0,0)\n.end")}, end, "", []string{" / c95 (1.0, 0.0, 0.0, 0.0), c94 (2.0, 0.0, 0.0, 0.0)"}},
		{"commas between the registers of a mode", []string{".gsh fixed c20, c4, 3\n.fvec a\n.entry q\n.proc q\nmov r0, a\nend\n.end"},
			"4e034000 " + end, self, []string{"a c20 c20 / "}},
		{"the uniforms of each geometry shader start anew", []string{
			".gsh point c8\n.fvec a\n.bool b\n.entry p\n.proc p\nmov r0, a\nend\n.end", ".gsh fixed c20 c4 3\n.fvec a[2], b\n.entry q\n.proc q\nmov r0, b\nend\n.end"},
			"4e028000 " + end + " 4e036000 " + end, self, []string{"a c8 c8, b b0 b0 / ", "a c20 c21, b c22 c22 / "}},
		{"several labels in a line, each taken as a target", []string{in("", "a: b:", "jmpu b0, a", "c: jmpu b0, b", "nop")},
			"b4000000 b4000000 84000000 " + end, "", nil},
		{"labels belong to a file, procedures to all", []string{".nodvle\n.proc p\nl: jmpu b0, l\nnop\n.end", in("", "l: jmpu b0, l", "call p")},
			// p has words 0 and 1; call is 24<<26 with DST 0 and NUM 2
			"b4000000 84000000 b4000800 90000002 " + end, "", nil},
		{"relative addressing of a uniform", []string{in(".fvec m[4]", "mov r0, m[a0.x]", "mov r0, m[a0.y+1]", "mov r0, m[aL+3]")},
			// IDX 1, 2, 3 at bit 19, SRC1 20, 21, 23
			"4e0a0000 4e121000 4e1a3000 " + end, self, nil},
		{"a wide second operand takes the i form", []string{in("", "dph r0, v0, c1", "dst r0, v0, c1", "sge r0, v0, c1", "slt r0, v0, c1")},
			// 18, 19, 1a, 1b; SRC2 21<<7 is 1080; each of both sources has all slots but DPH, whose slot w of
			// SRC1 does not matter: both are 1b<<5 | 1b<<14 | f
			"62001080 66001080 6a001080 6e001080 " + end, "0006c36f", nil},
		{"mad and madi", []string{in("", "mad r0, v0, c1, r2", "mad r0, v0, r2, c1")},
			// 111<<29 | DST 10<<24 | SRC2 21<<10 | SRC3 12<<5; 110<<29 | 10<<24 | SRC2 12<<12 | SRC3 21<<5
			"f0008640 d0012420 " + end, "0d86c36f", nil},
		{"cmp has no mask, its operators at 24 and 21", []string{in("", "cmp c0, gt, ne, r1")},
			// 17<<27 | 4<<24 | 1<<21 | SRC1 20<<12 | SRC2 11<<7
			"bc220880 " + end, "", nil},
		{"names that nihstro has", []string{in("", "exp r0, v0", "log r0, v0", "lit r0, v0", "loop i1", "nop", ".end", "nop")},
			// 05, 06, 07 and 29 with ID 1 at 22 and the last word of the body, 4, at 10
			"16000000 1a000000 1e000000 a4401000 84000000 84000000 " + end, self, nil},
		{"mova of both", []string{in("", "mova a0.xy, v0")}, "48000000 " + end, "", nil},
		{"conditions in any order", []string{in("", "jmpc !cmp.y || cmp.x, l", "jmpc cmp.x | !cmp.y, l", "jmpc !cmp.y, l", "l:nop")},
			// 2c<<26 | REFX<<25 | REFY<<24 | CONDOP<<22 | 3<<10; Y only is 3, where picasso sets REFX
			"b2000c00 b2000c00 b2c00c00 84000000 " + end, "", nil},
		{"numbers of consti as C writes them", []string{in(".consti k(+3, 3.0, 0x0f, -1)")}, end, "", []string{" / i3 (3, 3, 15, 255)"}},
		{"numbers of constf as C writes them", []string{in(".constf k(1.5f, +3, .5, 0x10)")}, end, "", []string{" / c95 (1.5, 3.0, 0.5, 16.0)"}},
		{"a comma after a register of a directive", []string{in(".setb b0, true\n.setb b1,off")}, end, "",
			[]string{" / b0 true, b1 false"}},
		{"names of setb", []string{in(".setb b0 true\n.setb b1 FALSE\n.setb b2 1\n.setb b3 0\n.setb b4 on\n.setb b5 off")}, end, "",
			[]string{" / b0 true, b1 false, b2 true, b3 false, b4 true, b5 false"}},
		{"constants start again in each file, on what uniforms leave", []string{
			".constf k(1,0,0,0)\n.constf l(2,0,0,0)\n.proc main\nmov r0, l\nend\n.end", ".constf l(3,0,0,0)\n.entry q\n.proc q\nmov r0, l\nend\n.end"},
			// c94 is 7e, c95 7f: the second file has c95 again
			"4e07e000 " + end + " 4e07f000 " + end, self,
			[]string{" / c95 (1.0, 0.0, 0.0, 0.0), c94 (2.0, 0.0, 0.0, 0.0)", " / c95 (3.0, 0.0, 0.0, 0.0)"}},
		{"files share uniforms, procedures and descriptors", []string{
			".fvec a, b\n.proc main\nmov r0, b\ncall q\nend\n.end", ".nodvle\n.fvec c, b\n.proc q\nmov r0, b\nmov r0, c\n.end"},
			// b is c1 (21), c c2 (22); q has words 3 and 4: 24<<26 | 3<<10 | 2
			"4e021000 90000c02 " + end + " 4e021000 4e022000", self, []string{"a c0 c0, b c1 c1 / "}},
		{"an output takes the lowest free register, or the one given", []string{in(".in x v3\n.in y\n.out a position o1\n.out b color\n.out c view", "mov a, x", "mov b, y", "mov c, x")},
			// a o1, b o0, c o2; x v3, y v0
			"4c203000 4c000000 4c403000 " + end, self, nil},
		{"what is written in its mask alone shares the rest", []string{in("", "mov r0.x, v0.xyzw", "mov r0.y, v0.zyxw")},
			// masks 8 and 4 differ, so there are two; of the first only slot x counts, x 0, of the second y, y 1<<4<<5
			"4e000000 4e000001 " + end, "", nil},
	} {
		out := assemble(t, a, x.files...)
		if out == nil {
			t.Errorf("that was: %s", x.name)
			continue
		}
		if got := codeWords(out.File); got != x.words {
			t.Errorf("%s: words\n got %s\nwant %s", x.name, got, x.words)
		}
		if got := descriptorWords(out.File); x.descriptors != "" && got != x.descriptors {
			t.Errorf("%s: descriptors %s, expected %s", x.name, got, x.descriptors)
		}
		for i, want := range x.tables {
			if got := registersOf(&out.File.DVLEs[i]); got != want {
				t.Errorf("%s: program %d has\n got %s\nwant %s", x.name, i, got, want)
			}
		}
		roundTrip(t, a, out.Bytes)
	}
}

func descriptorWords(f *pica200.SHBIN) string {
	var list []string
	for _, d := range f.DVLP.Descriptors {
		list = append(list, fmt.Sprintf("%08x", d.Value))
	}
	return strings.Join(list, " ")
}

// TestMadDescriptors checks that there are 32 descriptors for mad, and not 33.
func TestMadDescriptors(t *testing.T) {
	a := newAssembler(t)
	var lines []string
	for i := range 33 {
		lines = append(lines, fmt.Sprintf("mad r0, r1.%c%c%cx, r2, r3", "xyzw"[i&3], "xyzw"[i>>2&3], "xyzw"[i>>4&3]))
	}
	if out := assemble(t, a, in("", lines[:32]...)); out != nil && len(out.File.DVLP.Descriptors) != 32 {
		t.Errorf("%d descriptors, expected 32", len(out.File.DVLP.Descriptors))
	}
	_, err := a.Assemble(sources(in("", lines...)), pica200.AssembleOptions{})
	var list diag.List
	if !errors.As(err, &list) || len(list) != 1 || list[0].Code != diag.TableFull || !strings.HasPrefix(err.Error(), "0.pica:35:") {
		t.Errorf("a 33rd descriptor for mad: %v", err)
	}
}

// descriptor is the value of a descriptor: four bits of mask with x at bit 3, and a swizzle and a sign
// for each source.
func descriptor(mask uint32, sources ...uint32) uint32 {
	for i, s := range sources {
		mask |= s << (4 + 9*i)
	}
	return mask
}

// swizzled is a swizzle, of which xyzw is 0x1b, and its sign.
func swizzled(swizzle, sign uint32) uint32 { return swizzle<<1 | sign }

// TestSharing checks which descriptors instructions share, one rule after the other: an entry is shared
// where it has all bits that matter to both sides, and takes on those that matter to the new one.
func TestSharing(t *testing.T) {
	const xyzw, xyzx, xxxx, x = 0x1b, 0x18, 0x00, 0x8
	id := swizzled(xyzw, 0)
	a := newAssembler(t)
	for _, c := range []struct {
		name  string
		lines []string
		want  []uint32
	}{
		{"add looks at the slots that are written", []string{"add r0.x, r1.xwww, r2.xzzz", "add r0.x, r1, r2"}, []uint32{descriptor(x, swizzled(0x3f, 0), swizzled(0x2a, 0))}},
		{"and at those of source 1", []string{"add r0.x, r1.xwww, r2", "add r0.x, r1.y, r2"}, []uint32{descriptor(x, swizzled(0x3f, 0), id), descriptor(x, swizzled(0x55, 0), id)}},
		{"and at those of source 2", []string{"add r0.x, r1, r2", "add r0.x, r1, r2.y"}, []uint32{descriptor(x, id, id), descriptor(x, id, swizzled(0x55, 0))}},
		{"and at signs", []string{"add r0, r1, r2", "add r0, -r1, r2", "add r0, r1, -r2"}, []uint32{descriptor(15, id, id), descriptor(15, swizzled(xyzw, 1), id), descriptor(15, id, swizzled(xyzw, 1))}},
		{"and at the mask", []string{"add r0.x, r1, r2", "add r0.y, r1, r2"}, []uint32{descriptor(8, id, id), descriptor(4, id, id)}},
		{"mul as add", []string{"mul r0.x, r1, r2", "mul r0.x, r1.x, r2.x"}, []uint32{descriptor(x, id, id)}},
		{"sge as add", []string{"sge r0.x, r1, r2", "sge r0.x, r1.x, c2.x"}, []uint32{descriptor(x, id, id)}},
		{"slt as add", []string{"slt r0.x, r1, c2", "slt r0.x, r1.x, r2.x"}, []uint32{descriptor(x, id, id)}},
		{"max as add", []string{"max r0.x, r1, r2", "max r0.x, r1.x, r2.x"}, []uint32{descriptor(x, id, id)}},
		{"min as add", []string{"min r0.x, r1, r2", "min r0.x, r1.x, r2.x"}, []uint32{descriptor(x, id, id)}},
		{"mad as add, with three sources", []string{"mad r0.x, r1, r2, r3", "mad r0.x, r1.x, c2.x, r3.x", "mad r0.x, r1, r2, c3.x"}, []uint32{descriptor(x, id, id, id)}},
		{"mad looks at source 3", []string{"mad r0.x, r1, r2, r3", "mad r0.x, r1, r2, r3.y"}, []uint32{descriptor(x, id, id, id), descriptor(x, id, id, swizzled(0x55, 0))}},
		{"mov as add, with one source", []string{"mov r0.x, r1", "mov r0.x, r1.x"}, []uint32{descriptor(x, id)}},
		{"flr as mov", []string{"flr r0.x, r1", "flr r0.x, r1.x"}, []uint32{descriptor(x, id)}},
		{"dp3 leaves out w of both", []string{"dp3 r0, r1, r2", "dp3 r0, r1.xyzx, r2.xyzx"}, []uint32{descriptor(15, id, id)}},
		{"dp3 looks at z, whatever is written", []string{"dp3 r0.x, r1, r2", "dp3 r0.x, r1.xyxw, r2"}, []uint32{descriptor(x, id, id), descriptor(x, swizzled(0x13, 0), id)}},
		{"dp4 leaves out none", []string{"dp4 r0.x, r1, r2", "dp4 r0.x, r1.xyzx, r2", "dp4 r0.x, r1, r2.xyzx"}, []uint32{descriptor(x, id, id), descriptor(x, swizzled(xyzx, 0), id), descriptor(x, id, swizzled(xyzx, 0))}},
		{"dph leaves out w of source 1", []string{"dph r0, r1, r2", "dph r0, r1.xyzx, r2", "dph r0, r1.xyzx, c2"}, []uint32{descriptor(15, id, id)}},
		{"dph looks at w of source 2", []string{"dph r0, r1, r2", "dph r0, r1, r2.xyzx"}, []uint32{descriptor(15, id, id), descriptor(15, id, swizzled(xyzx, 0))}},
		{"dst leaves out none", []string{"dst r0.x, r1, r2", "dst r0.x, r1.xyzx, r2"}, []uint32{descriptor(x, id, id), descriptor(x, swizzled(xyzx, 0), id)}},
		{"litp leaves out none", []string{"litp r0.x, r1", "litp r0.x, r1.xyzx"}, []uint32{descriptor(x, id), descriptor(x, swizzled(xyzx, 0))}},
		{"ex2 looks at x", []string{"ex2 r0, r1", "ex2 r0, r1.x", "ex2 r0, r1.y"}, []uint32{descriptor(15, id), descriptor(15, swizzled(0x55, 0))}},
		{"lg2 looks at x", []string{"lg2 r0, r1", "lg2 r0, r1.x", "lg2 r0, r1.y"}, []uint32{descriptor(15, id), descriptor(15, swizzled(0x55, 0))}},
		{"rcp looks at x", []string{"rcp r0, r1.x", "rcp r0, r1", "rcp r0, r1.y"}, []uint32{descriptor(15, swizzled(xxxx, 0)), descriptor(15, swizzled(0x55, 0))}},
		{"rsq looks at x, whatever is written", []string{"rsq r0.w, r1", "rsq r0.w, r1.x", "rsq r0.w, r1.y"}, []uint32{descriptor(1, id), descriptor(1, swizzled(0x55, 0))}},
		{"mova of x looks at x", []string{"mova a0.x, r1", "nop", "mova a0.x, r1.x"}, []uint32{descriptor(8, id)}},
		{"mova of y looks at y", []string{"mova a0.y, r1", "nop", "mova a0.y, r1.y", "nop", "mova a0.y, r1.x"}, []uint32{descriptor(4, id), descriptor(4, swizzled(xxxx, 0))}},
		{"mova of both looks at x and y", []string{"mova a0.xy, r1", "nop", "mova a0.xy, r1.xyxx", "nop", "mova a0.xy, r1.x"}, []uint32{descriptor(12, id), descriptor(12, swizzled(xxxx, 0))}},
		{"cmp leaves out z and w of source 1", []string{"cmp r0, eq, eq, r1", "cmp r0.xyxx, eq, eq, r1"}, []uint32{descriptor(0, id, id)}},
		{"but not of source 2", []string{"cmp r0, eq, eq, r1", "cmp r0, eq, eq, r1.xyxx"}, []uint32{descriptor(0, id, id), descriptor(0, id, swizzled(0x10, 0))}},
		{"nor y of source 1", []string{"cmp r0, eq, eq, r1", "cmp r0.x, eq, eq, r1"}, []uint32{descriptor(0, id, id), descriptor(0, swizzled(xxxx, 0), id)}},
		{"cmp has no mask", []string{"add r0.yz, r1, r2", "cmp r1, eq, eq, r2"}, []uint32{descriptor(6, id, id)}},
		{"and takes on that of another", []string{"cmp r0, eq, eq, r1", "add r0, r1, r2"}, []uint32{descriptor(15, id, id)}},
		{"one source takes on a second", []string{"mov r0, r1", "add r0, r1, -r2"}, []uint32{descriptor(15, id, swizzled(xyzw, 1))}},
		{"which then binds", []string{"mov r0, r1", "add r0, r1, -r2", "add r0, r1, r2"}, []uint32{descriptor(15, id, swizzled(xyzw, 1)), descriptor(15, id, id)}},
		{"and a third", []string{"mov r0, r1", "mad r0, r1, r2, -r3"}, []uint32{descriptor(15, id, id, swizzled(xyzw, 1))}},
		{"slots that did not matter are taken on", []string{"rcp r0, r1.x", "mov r0, r1"}, []uint32{descriptor(15, id)}},
	} {
		out := assemble(t, a, in("", c.lines...))
		if out == nil {
			continue
		}
		var got []uint32
		for _, d := range out.File.DVLP.Descriptors {
			got = append(got, d.Value)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q have descriptors %08x, expected %08x", c.name, c.lines, got, c.want)
		}
		roundTrip(t, a, out.Bytes)
	}
}

// TestFirstFit checks that the first entry that serves is taken, and that there are 128.
func TestFirstFit(t *testing.T) {
	a := newAssembler(t)
	out := assemble(t, a, in("", "add r0, r1, r2", "add r0, r1, -r2", "mov r0, r1"))
	if out != nil && out.File.DVLP.Code[2]&0x7f != 0 {
		t.Errorf("mov takes descriptor %d, expected 0", out.File.DVLP.Code[2]&0x7f)
	}
	var lines []string
	for i := range 129 {
		lines = append(lines, fmt.Sprintf("dp4 r0, r1.%c%c%c%c, r2", "xyzw"[i&3], "xyzw"[i>>2&3], "xyzw"[i>>4&3], "xyzw"[i>>6&3]))
	}
	if out = assemble(t, a, in("", lines[:128]...)); out != nil {
		if n := len(out.File.DVLP.Descriptors); n != 128 {
			t.Errorf("%d descriptors, expected 128", n)
		}
		roundTrip(t, a, out.Bytes)
	}
	_, err := a.Assemble(sources(in("", lines...)), pica200.AssembleOptions{})
	var list diag.List
	if !errors.As(err, &list) || len(list) != 1 || list[0].Code != diag.TableFull || !strings.HasPrefix(err.Error(), "0.pica:131:") {
		t.Errorf("a 129th descriptor: %v", err)
	}
}

// TestPadding checks that a nop stands where a scope would end with what has no effect there: behind each
// of these, at each kind of end, but for those that only the end of a loop minds.
func TestPadding(t *testing.T) {
	a := newAssembler(t)
	for _, x := range []struct {
		last                string
		always, atEndOfLoop bool
	}{
		{"jmpc cmp.x, l", true, true}, {"jmpu b0, l", true, true}, {"call p", true, true}, {"callc cmp.x, p", true, true},
		{"callu b0, p", true, true}, {"ifu b0\nend\n.end", true, true}, {"ifu b0\nend\n.else\nend\n.end", true, true},
		{"for i0\nend\n.end", true, true}, {"break", false, true}, {"breakc cmp.x", false, true},
		{"mov r0, r1", false, false}, {"end", false, false}, {"nop", false, false},
	} {
		for _, scope := range []struct {
			text string
			want bool
		}{
			{"ifc cmp.x\n%s\n.end\nend", x.always},
			{"ifc cmp.x\n%s\n.else\nend\n.end\nend", x.always},
			{"ifc cmp.x\nend\n.else\n%s\n.end\nend", x.always},
			{"for i1\n%s\n.end\nend", x.atEndOfLoop},
			{"%s", x.always},
		} {
			// the same with a word behind what is last needs none there, and is as long
			text := ".proc p\nend\n.end\nl:\n.proc main\n" + scope.text + "\n.end"
			bare, given := assemble(t, a, fmt.Sprintf(text, x.last)), assemble(t, a, fmt.Sprintf(text, x.last+"\nnop"))
			if bare == nil || given == nil {
				continue
			}
			if got := codeWords(bare.File) == codeWords(given.File); got != scope.want {
				t.Errorf("%q at the end of %q: a nop is %v, expected %v", x.last, scope.text, got, scope.want)
			}
		}
	}
}

// TestBytes checks every byte of a file against the tables of the format.
func TestBytes(t *testing.T) {
	a := newAssembler(t)
	out := assemble(t, a, ".fvec m[2]\n.constf k(1, 0, 0, -1)\n.in p\n.out o position\n.proc main\nmov o, k\nend\n.end")
	if out == nil {
		return
	}
	want := strings.Join(strings.Fields(`
44564c42 01000000 44000000
44564c50 00000000 28000000 02000000 30000000 01000000 38000000 00000000 00000000 00000000
00f0074c 00000088
6f030000 00000000
44564c45 0210 00 00 00000000 02000000 0100 0100 00 00 00 00
40000000 01000000 54000000 00000000 54000000 01000000 5c000000 02000000 6c000000 04000000
0200 5f00 00003f00 00000000 00000000 0000bf00
0000 0000 0f 000000
00000000 0000 0000
02000000 1000 1100
7000 6d00`), "")
	if got := fmt.Sprintf("%x", out.Bytes); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
