package a2xx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/target/a2xx"
)

// TestRefused assembles what the machine cannot do, and what is no source. Each error has its place,
// its code and its reason.
func TestRefused(t *testing.T) {
	const move = "\n ALU: MAXv R0 = R1, R1"
	for _, c := range []struct{ name, source, want string }{
		{"seven instructions", "EXEC_END" + strings.Repeat(move, 7), "1:1: the clause has 7 instructions, but sequence bits for only 6: start another clause [program-size]"},
		{"nine instructions", "EXEC_END" + strings.Repeat(move, 9), "1:1: the clause has 9 instructions, but sequence bits for only 6: start another clause [program-size]"},
		{"an address too far", "EXEC\n.org 0x200\n ALU: MAXv R0 = R1, R1\nEXEC_END ADDR(0x0) CNT(0x0)", "1:1: the clause starts at unit 512, which its address cannot reach: there are 512 units [program-size]"},
		{"an address that is given too far", "EXEC_END ADDR(0x200) CNT(0x0)", "1:1: the clause starts at unit 512, which its address cannot reach: there are 512 units [program-size]"},
		{"an address beyond the field", "EXEC_END ADDR(0x1000) CNT(0x0)", `1:17: 0x1000 does not fit N, expected 0x0 to 0xfff [text-range]`},
		{"a clause of what is not there", "EXEC_END ADDR(0x1) CNT(0x2)", "1:1: the clause runs units 1 to 2, but the program has 1 units [program-size]"},
		{"an address that is wrong", "EXEC_END ADDR(0x2)" + move, "1:1: the text has unit 2, but the instructions after the clause are at unit 1; omit the address to have it filled in [program-size]"},
		{"a count that is wrong", "EXEC_END CNT(0x2)" + move, "1:1: the text has 2 instructions, but 1 follow the clause; omit the count to have it filled in [program-size]"},
		{"two third sources", "EXEC_END\n ALU: MULADDv R0 = R1, R2, R3\n RCP R0.x___ = R4", `3:17: bits 64..69 would have to be 0x1 by "1" at column 20 and 0x4 by "4" (SRC3: Source 3, which both halves share: c of the vector half, A and B of the scalar half) [text-conflict]`},
		{"two third swizzles", "EXEC_END\n ALU: MULADDv R0 = R1.x, R2, R3\n RCP R0.x___ = R1.y", "(SWZ3: The swizzle of source 3, which both halves share) [text-conflict]"},
		{"two signs of source 3", "EXEC_END\n ALU: MULADDv R0 = -R1, R2, R3\n RCP R0.x___ = R1", "(NEG3: Source 3, which both halves share, is negated) [text-conflict]"},
		{"an absolute value and none", "EXEC_END\n ALU: MULADDv R0 = R1, R2, R3\n RCP R0.x___ = |R1|", "(SRC3: Source 3, which both halves share: c of the vector half, A and B of the scalar half) [text-conflict]"},
		{"a constant operation beside another source 3", "EXEC_END\n ALU: MULADDv R0 = R3, R1, R2\n MUL_CONST R1.x___ = C2.x, R5.y", "(SRC3: Source 3, which both halves share: c of the vector half, A and B of the scalar half) [text-conflict]"},
		{"one sign of a constant operation", "EXEC_END\n ALU: MAXv R0 = R1, R1\n MUL_CONST R1.x___ = -C2.x, R5.y", "(NEG3: Source 3, which both halves share, is negated) [text-conflict]"},
		{"an odd register of an even operation", "EXEC_END\n ALU: MAXv R0 = R1, R1\n MUL_CONST_0 R1.x___ = C2.x, R5.y", "3:31: 5 does not fit TEMP, expected 0 to 62 in steps of 2, the nearest is 4 (The temporary register of a scalar operation with a constant, 0 to 63: an even one"},
		{"two ideas of what is exported", "EXEC_END\n ALU: MAXv export0 = R1, R1\n MAXs export0.x___ = R2", "3:7: x of both halves: one export number serves both halves, that of the vector half; a component of both becomes 1.0 and is 1 in both texts, and a component of one half is _ in the text of the other [text-conflict]"},
		{"the position and the size of a point", "EXEC_END\n ALU: MAXv export62 = R1, R1\n MAXs export63.x___ = R2.x", "3:7: x of both halves: one export number serves both halves"},
		{"all of both halves", "EXEC_END\n ALU: MAXv export62 = R1, R1 RCP export62 = R2.x", "2:34: x, y, z, w of both halves: one export number serves both halves"},
		{"a component 1 of one half", "EXEC_END\n ALU: MAXv export0.xyz1 = R1, R1\n MAXs export0.___w = R2", "3:7: one export number serves both halves, that of the vector half; a component of both becomes 1.0"},
		{"an output that is read", "EXEC_END\n ALU: MAXv R0 = export0, R1", `2:17: "export0", expected "c" or "r": outputs cannot be read [text-expected]`},
		{"two outputs that are read", "EXEC_END\n ALU: MULADDv export0 = -export1[aL].x, R1, export2", `2:26: "export1", expected "c" or "r": outputs cannot be read [text-expected]`},
		{"an output that a scalar half reads", "EXEC_END\n ALU: MAXv export0.xyz = R1, R1\n MAXs export0.___w = export62.x", `outputs cannot be read [text-expected]`},
		{"an output that is an index", "EXEC_END\n FETCH: VERTEX R1 = export0.x FMT_32_FLOAT SIGNED STRIDE(12) CONST(2, 0)", `2:21: "export0.x", expected "r": outputs cannot be read [text-expected]`},
		{"a constant 0 beside a half that writes", "EXEC_END\n ALU: MAXv export0.xyz0 = R1, R1\n MAXs export0.___w = R2", "3:7: one export number serves both halves"},
		{"an export beside a register", "EXEC_END\n ALU: MAXv export0 = R1, R1\n MAXs R1.x___ = R2", `3:7: "R1.x___", expected "export" [text-expected]`},
		{"a register beside an export", "EXEC_END\n ALU: MAXv R0 = R1, R1\n MAXs export1.x___ = R2", `3:7: "export1.x___", expected "r" [text-expected]`},
		{"a register relative to a0", "EXEC_END\n ALU: MAXv R0 = R1[a0], R0", "2:19: [a0] does not fit IDX1, expected nothing (The value added to the number of source 1, a constant: a0 in all operands or aL in all"},
		{"an absolute constant", "EXEC_END\n ALU: MAXv R0 = |C1|, R0", `2:18: "C1", expected "r" [text-expected]`},
		{"a constant 1 in a register", "EXEC_END\n ALU: MAXv R0.xyz1 = R1, R0", "2:18: "},
		{"components that are exchanged", "EXEC_END\n ALU: MAXv R0.yx__ = R1, R0", "2:15: "},
		{"a predicate of one half", "EXEC_END\n ALU: MAXv R0 = R1, R1\n MAXsEQ R1.x___ = R2", `3:6: "MAXsEQ", expected a blank after "MAXs" [text-expected]`},
		{"two sources of three", "EXEC_END\n ALU: MULADDv R0 = R1, R2", "2:26: the line ends here"},
		{"a stride beyond the field", "EXEC_END\n FETCH: VERTEX R1.xyz1 = R0.x FMT_32_FLOAT SIGNED STRIDE(256) CONST(20, 0)", "2:58: 256 does not fit STRIDE, expected 0 to 255 [text-range]"},
		{"a fetch constant that there is not", "EXEC_END\n FETCH: VERTEX R1.xyz1 = R0.x FMT_32_FLOAT SIGNED STRIDE(12) CONST(32, 0)", "2:68: 32 does not fit INDEX, expected 0 to 31 [text-range]"},
		{"a texture constant that there is not", "EXEC_END\n FETCH: SAMPLE R1.xyzw = R0.xyz CONST(32)", "2:39: 32 does not fit CONST, expected 0 to 31 [text-range]"},
		{"an offset beyond the field", "EXEC_END\n FETCH: SAMPLE R1.xyzw = R0.xyz CONST(0) OFFSET(-17,0,0)", "2:49: -17 does not fit X, expected -16 to 15 [text-range]"},
		{"a bias beyond the field", "EXEC_END\n FETCH: SAMPLE R1.xyzw = R0.xyz CONST(0) LOD_BIAS(-65)", "2:51: -65 does not fit N, expected -64 to 63 [text-range]"},
		{"an option twice", "EXEC_END\n FETCH: SAMPLE R1.xyzw = R0.xyz CONST(0) DENORM DENORM", "2:49: "},
		{"a loop constant that there is not", "LOOP_START ADDR(1) LOOP_ID(32)\nEXEC_END", "1:28: 32 does not fit LOOP, expected 0 to 31 [text-range]"},
		{"a bool constant that there is not", "COND_EXEC BOOL_ADDR(0x100) COND(1)\nEXEC_END", "1:23: 0x100 does not fit N, expected 0x0 to 0xff [text-range]"},
		{"a condition that is not a bit", "COND_EXEC COND(2)\nEXEC_END", "1:16: 2 does not fit COND, expected 0 to 1 [text-range]"},
		{"more than an allocation can be", "ALLOC POSITION SIZE(0x10)\nEXEC_END", "1:23: 0x10 does not fit SIZE, expected 0x0 to 0xf [text-range]"},
		{"a register that there is not", "EXEC_END\n ALU: MAXv R64 = R0, R0", "2:13: 64 does not fit VDST, expected 0 to 63 [text-range]"},
		{"a source that there is not", "EXEC_END\n ALU: MAXv R0 = R100, R0", "2:18: 100 does not fit N, expected 0 to 63 [text-range]"},
		{"a constant that there is not", "EXEC_END\n ALU: MAXv R0 = C256, R0", "2:18: 256 does not fit N, expected 0 to 255 [text-range]"},
		{"a constant that ends with 0", "EXEC_END\n ALU: MAXv R0 = C300, R0", "2:18: 300 does not fit N, expected 0 to 255 [text-range]"},
		{"a constant that ends with 1", "EXEC_END\n ALU: MAXv R0 = C2551, R0", "2:18: 2551 does not fit N, expected 0 to 255 [text-range]"},
		{"a relative third constant without the second", "EXEC_END\n ALU: MULADDv R0 = C2[aL], C0[aL], C1", "2:22: [aL] as IDX3 conflicts with the rest of the text (The value added to the number of source 3, a constant: a0 in all operands or aL in all, and after the first constant in all or in none) [text-range]"},
		{"a0 and aL", "EXEC_END\n ALU: MULADDv R0 = R1, C0[aL], C1[a0]", "[text-"},
		{"a clause far away", "COND_JMP ADDR(1024) DIR(0) FORCE_CALL\nEXEC_END", "1:1: clause 1024, which its address cannot reach: there are 1024 clauses [program-size]"},
		{"a clause after the program", "COND_JMP ADDR(9) DIR(0) FORCE_CALL\nEXEC_END", "1:1: clause 9, but the program has 2 clauses [program-size]"},
		{"no such label", "COND_JMP ADDR(nowhere) DIR(0) FORCE_CALL\nEXEC_END", "1:15: nowhere is not a label [text-symbol]"},
		{"a label twice", "a:\nEXEC\na:\nEXEC_END", "3:1: label a is defined twice [duplicate]"},
		{"an instruction without a clause", " ALU: MAXv R0 = R0, R0\nEXEC_END", "1:2: this instruction is before the first clause; a clause determines when it runs [text-expected]"},
		{"no such clause", "EXECUTE", `1:5: "EXECUTE", expected a blank after "EXEC"`},
		{"no clause at all", "FOO", "1:1: no instruction starts with \"FOO\""},
		{"no such operation", "EXEC_END\n ALU: MADv R0 = R0, R0", "2:7: "},
		{"no such scalar operation", "EXEC_END\n ALU: MAXv R0 = R0, R0\n FOO R0.x___ = R1", "3:2: "},
		{"no such fetch", "EXEC_END\n FETCH: TEXTURE R0.xyzw = R0.xyz CONST(0)", "2:9: "},
		{"no such directive", ".foo 1", "1:1: unknown directive .foo, expected .word, .byte, .org, .stage or .isago [directive]"},
		{"no such option", ".isago foo", "1:1: unknown directive .isago foo, expected unchecked or big-endian [directive]"},
		{"two stages", ".stage fs vs\nEXEC_END", `1:1: "vs" after .stage fs, expected nothing [directive]`},
		{"two places", ".org\t1, 2\nEXEC_END", `1:1: "2" after .org 1, expected nothing [directive]`},
		{"two options", ".isago unchecked big-endian\nEXEC_END", `1:1: "big-endian" after .isago unchecked, expected nothing [directive]`},
		{"no number", ".org\nEXEC_END", `1:1: nothing after .org, expected an argument [directive]`},
		{"a unit too far", "EXEC_END\n.org 0xfffff\n.word 1, 2, 3, 4, 5, 6\n.word 1", "3:1: unit 1048576, expected at most 1048575 [program-size]"},
		{"no such stage", ".stage gs", "[directive]"},
		{"no such header", "@sample(0) x", "1:1: unknown header @sample, expected @attribute, @varying, @uniform, @const, @sampler, @bool or @loop [directive]"},
		{"a header of a wrong bank", "@uniform(R0) x", "1:1: (R0) x, expected (C0) to (C255), or a range such as (C0-C3) [register-use]"},
		{"a header beyond the bank", "@attribute(R64) x", "1:1: (R64) x, expected (R0) to (R63), or a range such as (R0-R3) [register-use]"},
		{"two uniforms in one place", "@uniform(C0-C3) a\n@uniform(C3) b", "2:1: @uniform overlaps another declaration [duplicate]"},
		{"a name twice", "@uniform a\n@attribute a", "2:1: a is declared twice [duplicate]"},
		{"no room", "@uniform a[200]\n@uniform b[57]", "2:1: not enough registers for @uniform with 57 registers: there are only 256 [space-full]"},
		{"a name without a register", "@uniform(C0-C3) m\nEXEC_END\n ALU: MAXv R0 = m[4], R0", "3:17: m has 4 registers [register-use]"},
		{"an index that is none", "@uniform(C0-C3) m\nEXEC_END\n ALU: MAXv R0 = m[], R0", "3:17: [], expected a number, an address register or their sum [register-use]"},
		{"a mistake after a name", "@uniform(C0-C3) matrix\nEXEC_END\n ALU: MAXv R0 = matrix[1], S0", `3:28: `},
		{"data inside a unit", "EXEC_END\n.word 1\n ALU: MAXv R0 = R0, R0", "3:2: the data before this ends inside a unit of 3 words [program-size]"},
		{"a unit twice", "EXEC\n.org 1\n ALU: MAXv R0 = R0, R0\n.org 1\n ALU: MAXv R0 = R0, R0\nEXEC_END", "5:2: unit 1 is already used [duplicate]"},
		{"a unit of clauses", "EXEC_END\n.org 0\n ALU: MAXv R0 = R0, R0", "3:2: unit 0 is already used [duplicate]"},
	} {
		x := toolsFor(t, "", "vs")
		_, err := x.assemble(t, c.source)
		if err == nil {
			t.Errorf("%s: assembled", c.name)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		if !strings.Contains(first, strings.TrimPrefix(c.want, "test.a2xx:")) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, first, c.want)
		}
		if diag.Render(err) == "" {
			t.Errorf("%s: nothing to show", c.name)
		}
	}
}

// TestOneMistakeOneError assembles programs with one bad clause: what stands behind it is not wrong for that.
func TestOneMistakeOneError(t *testing.T) {
	const move = "\n ALU: MAXv R0 = R1, R1"
	for _, source := range []string{
		"EXECUTE" + move,
		"EXECUTE" + move + "\nEXEC_END" + move,
		"ALLOC NOWHERE SIZE(0x0)\nEXEC" + move + "\nEXEC_END" + move + move,
		"EXEC FOO\n.org 5\n ALU: MAXv R0 = R1, R1\nEXEC_END\n.org 4" + move,
	} {
		_, err := toolsFor(t, "", "vs").assemble(t, source)
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 || list[0].Code == diag.Duplicate {
			t.Errorf("%q: %v", source, err)
		}
	}
}

// TestFailedNames assembles programs with a header that cannot be read: it is reported, the uses of its name are not.
func TestFailedNames(t *testing.T) {
	const use = "\nEXEC_END\n ALU: MAXv R0 = x, R1\n ADDs R1.x___ = x.x\n ALU: MAXv R0 = R1, x[2]\n ALU: MAXv R0 = x[, R1"
	for _, header := range []string{
		"@uniform(R0) x", "@uniform(C0-C256) x[4]", "@uniform x[0]", "@uniform x[300]", "@const(C0) x 1 y", "@uniform(C0-C3) a\n@uniform(C3) x",
		"@uniform(C4-C2) x",
	} {
		_, err := toolsFor(t, "", "vs").assemble(t, header+use)
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 || strings.Contains(list[0].Error(), ":3:") {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// TestJobs assembles a program of many lines on one and on two processors: code and mistakes are the same.
func TestJobs(t *testing.T) {
	var b strings.Builder
	b.WriteString("@uniform(C0-C3) m\n")
	for i := range 500 {
		fmt.Fprintf(&b, "EXEC\n ALU: MAXv R%d = m[%d], R%d ; c\n      MOVs R%d.x___ = R%d.x\n", i%8, i%4, i%7, i%8, i%5)
	}
	b.WriteString("EXEC_END\n" + strings.Repeat(".word 1, 2, 3\n", 1500))
	good := ".isago unchecked\n" + b.String()
	for _, source := range []string{good, strings.Replace(good, "m[3]", "m[4]", 20), strings.Replace(good, "MAXv", "MAXw", 60)} {
		var want string
		for jobs := 1; jobs <= 2; jobs++ {
			x := toolsFor(t, "", "vs")
			a, err := a2xx.NewAssembler(x.set, x.ctx)
			if err != nil {
				t.Fatal(err)
			}
			a.Jobs = jobs
			out, err := a.Assemble(&diag.Source{Name: "x.a2xx", Text: source})
			got := fmt.Sprint(out, err)
			if jobs == 1 {
				want = got
			}
			if got != want {
				t.Errorf("%d processors give %.200s, one %.200s", jobs, got, want)
			}
		}
	}
}
