package pica200_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// TestLimits checks that a limit which the description gives to no field is a mistake.
func TestLimits(t *testing.T) {
	text, err := pica200.FS.ReadFile("pica200.xml")
	if err != nil {
		t.Fatal(err)
	}
	const good = `most="VTXID 2"`
	for _, most := range []string{`most="VTX 2"`, `most="VTXID"`, `most="VTXID two"`} {
		bad := strings.Replace(string(text), good, most, 1)
		if bad == string(text) {
			t.Fatalf("the description has no %s", good)
		}
		set, err := isa.Load(fstest.MapFS{"pica200.xml": {Data: []byte(bad)}}, "pica200.xml", isa.Options{Syntax: pica200.Syntax})
		if err != nil {
			t.Fatal(isa.Explain(err))
		}
		_, err = pica200.NewAssembler(set)
		if err == nil || !strings.Contains(err.Error(), most) {
			t.Errorf("%s: %v", most, err)
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
		{"directives and mnemonics in upper case", []string{".PROC main\nMOV o0, v0\nEND\n.END"}, mov + " " + end, self, nil},
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
		{"mova of both", []string{in("", "mova a0.xy, v0")}, "48000000 " + end, "", nil},
		{"conditions in any order", []string{in("", "jmpc !cmp.y || cmp.x, l", "jmpc cmp.x | !cmp.y, l", "jmpc !cmp.y, l", "l:nop")},
			// 2c<<26 | REFX<<25 | REFY<<24 | CONDOP<<22 | 3<<10; Y only is 3, where picasso sets REFX
			"b2000c00 b2000c00 b2c00c00 84000000 " + end, "", nil},
		{"numbers of consti as C writes them", []string{in(".consti k(+3, 3.0, 0x0f, -1)")}, end, "", []string{" / i3 (3, 3, 15, 255)"}},
		{"numbers of constf as C writes them", []string{in(".constf k(1.5f, +3, .5, 0x10)")}, end, "", []string{" / c95 (1.5, 3.0, 0.5, 16.0)"}},
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
