package tegra_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
)

func assembler(t testing.TB) *tegra.Assembler {
	t.Helper()
	set, err := tegra.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	a, err := tegra.NewAssembler(set)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// assemble returns the program of a source, and its warnings.
func assemble(t testing.TB, a *tegra.Assembler, text string) (*tegra.Program, []string) {
	t.Helper()
	out, err := a.Assemble(&diag.Source{Name: "x.asm", Text: text})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	var warnings []string
	for _, w := range out.Warnings {
		warnings = append(warnings, w.Error())
	}
	return out.Program, warnings
}

// mistakes returns the errors of a source.
func mistakes(t testing.TB, a *tegra.Assembler, text string) []string {
	t.Helper()
	_, err := a.Assemble(&diag.Source{Name: "x.asm", Text: text})
	if err == nil {
		t.Errorf("no mistake is found in\n%s", text)
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// field reads a run of bits of the only word of a source.
func field(t testing.TB, a *tegra.Assembler, instruction string, low, width int) uint64 {
	t.Helper()
	p, _ := assemble(t, a, ".asm\n"+instruction)
	if len(p.Words) != 1 {
		t.Fatalf("%s is %d words", instruction, len(p.Words))
	}
	return p.Words[0].Uint(low, width)
}

// The tests TestDefectN are about the defects that were measured in grate's tools: what is right, or
// the error. The bits are those of the table of fields.

// 1: minus and abs of one operand leak into the next ones.
func TestDefect1Modifiers(t *testing.T) {
	a := assembler(t)
	const negA, negB, negC, absABC = 71, 54, 37, 117
	for _, x := range []struct {
		text             string
		negA, negB, negC uint64
		absolute         uint64 // A is bit 0
	}{
		{"EXEC_END MULv r0.xyzw, -r1.xyzw, abs(r2.xyzw);", 1, 0, 0, 0b010},
		{"EXEC_END MULv r0.xyzw, abs(r1.xyzw), -r2.xyzw;", 0, 1, 0, 0b001},
		{"EXEC_END MADv r0.xyzw, -abs(r1.xyzw), r2.xyzw, r3.xyzw;", 1, 0, 0, 0b001},
		{"EXEC_END MULv r0.xyzw, r1.xyzw, r2.xyzw RCPs r4.x***, -abs(r3.xyzw);", 0, 0, 1, 0b100},
		{"EXEC_END RCPs r4.x***, -r3.xyzw MULv r0.xyzw, r1.xyzw, r2.xyzw;", 0, 0, 1, 0},
	} {
		p, _ := assemble(t, a, ".asm "+x.text)
		w := p.Words[0]
		got := []uint64{w.Uint(negA, 1), w.Uint(negB, 1), w.Uint(negC, 1), w.Uint(absABC, 3)}
		if diff := cmp.Diff([]uint64{x.negA, x.negB, x.negC, x.absolute}, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", x.text, diff)
		}
	}
}

// 2: the offset is forgotten where the operand has minus or abs.
func TestDefect2RelativeModifiers(t *testing.T) {
	a := assembler(t)
	for _, x := range []struct {
		source     string
		bit, at, n int
		value      uint64
	}{
		{"-c[A0.x+3].xyzw", 1, 76, 10, 3},
		{"abs(c[A0.x+3].xyzw)", 1, 76, 10, 3},
		{"-abs(c[A0.x + 1023].xyzw)", 1, 76, 10, 1023},
		{"-a[A0.x+3].xyzw", 123, 72, 4, 3},
		{"abs(a[A0.x].xyzw)", 123, 72, 4, 0},
	} {
		text := "EXEC_END MOVv r0.xyzw, " + x.source + ";"
		if field(t, a, text, x.bit, 1) != 1 || field(t, a, text, x.at, x.n) != x.value {
			t.Errorf("%s: bit %d is %d, the index %d", text, x.bit, field(t, a, text, x.bit, 1), field(t, a, text, x.at, x.n))
		}
	}
}

// 3: upper-case swizzles, predicates and components of A0 all become w.
func TestDefect3Case(t *testing.T) {
	a := assembler(t)
	lower := ".asm exec_end(p.yzwx)(export[a0.z+1]=vector) movv r1.x*z*, c[a0.z+2].xyzw;"
	want, _ := assemble(t, a, lower)
	got, _ := assemble(t, a, strings.ToUpper(lower))
	if diff := cmp.Diff(want.Words, got.Words); diff != "" {
		t.Error(diff)
	}
	if p := want.Words[0].Uint(98, 8); p != 0b01_10_11_00 {
		t.Errorf("the predicate is %08b", p)
	}
	if c := want.Words[0].Uint(96, 2); c != 2 {
		t.Errorf("the component of A0 is %d", c)
	}
}

// 4 and 5: the units disagree about rC, or about its swizzle, which is a branch target too. 6: one
// constant with an offset and without. 14: options twice.
func TestDefectsConflicts(t *testing.T) {
	a := assembler(t)
	for text, want := range map[string]string{
		"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, r2.yyyy;":      "text-conflict",
		"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, -r2.xyzw;":     "text-conflict",
		"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, abs(r2.xyzw);": "text-condition",
		"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, r4.xyzw;":      "text-conflict",
		"EXEC ADDv r0.xyzw, r1.xyzw, r2.xyzw RCPs r3.x***, a[2].xyzw;":    "text-conflict",
		"EXEC(lt) ADDv r0.xyzw, r1.xyzw, r2.xyzw BRAs 3;":                 "text-range",
		"EXEC(lt) BRAs 3 MADv r0.xyzw, r1.xyzw, r2.xyzw, r4.xyzw;":        "text-conflict",
		"EXEC MULv r0.xyzw, c[1].xyzw, c[A0.x+1].xyzw;":                   "text-condition",
		"EXEC MULv r0.xyzw, c[1].xyzw, c[2].xyzw;":                        "text-conflict",
		"EXEC MULv r0.xyzw, a[1].xyzw, a[2].xyzw;":                        "text-conflict",
		"EXEC MULv r0.xyzw, a[A0.x+1].xyzw, c[A0.y+1].xyzw;":              "text-conflict",
		"EXEC(export[A0.z+1]=vector) MOVv r0.xyzw, c[A0.y+1].xyzw;":       "text-conflict",
		"EXEC(cs)(cs) NOPv;":                             "text-expected",
		"EXEC(cr=0)(cr=1) NOPv;":                         "text-expected",
		"EXEC(export[0]=vector)(export[1]=vector) NOPv;": "text-expected",
		"EXEC(p.xyzw)(p.xyzw) NOPv;":                     "text-expected",
		"EXEC NOPv NOPv;":                                "text-expected",
	} {
		got := mistakes(t, a, ".asm\n"+text)
		if len(got) != 1 || !strings.HasSuffix(got[0], "["+want+"]") || !strings.HasPrefix(got[0], "x.asm:2:") {
			t.Errorf("%s\n got %q, expected %s", text, got, want)
		}
	}
	// What agrees is no conflict, in either order.
	both := "ADDv r0.xyzw, r1.xyzw, -r2.wwww"
	x, _ := assemble(t, a, ".asm EXEC_END "+both+" RCPs r3.x***, -r2.wwww;")
	y, _ := assemble(t, a, ".asm EXEC_END RCPs r3.x***, -r2.wwww "+both+";")
	if diff := cmp.Diff(x.Words, y.Words); diff != "" {
		t.Error(diff)
	}
}

// 7: an operation that is left out is a NOP in all bits. 8: RET, whose register is that of the vector
// unit, gives one word in either order.
func TestDefects7And8Fills(t *testing.T) {
	a := assembler(t)
	for _, x := range [][2]string{
		{"EXEC_END MOVv r1.xyzw, r2.xyzw;", "EXEC_END MOVv r1.xyzw, r2.xyzw NOPs;"},
		{"EXEC_END RCPs r1.xyzw, r2.xyzw;", "EXEC_END NOPv RCPs r1.xyzw, r2.xyzw;"},
		{"EXEC_END NOPs;", "EXEC_END NOPv NOPs;"},
		{"EXEC_END(lt) RETs MOVv r1.xyzw, r2.xyzw;", "EXEC_END(lt) MOVv r1.xyzw, r2.xyzw RETs;"},
	} {
		one, _ := assemble(t, a, ".asm "+x[0])
		two, _ := assemble(t, a, ".asm "+x[1])
		if diff := cmp.Diff(one.Words, two.Words); diff != "" {
			t.Errorf("%s and %s:\n%s", x[0], x[1], diff)
		}
	}
	if got := field(t, a, "EXEC_END MOVv r1.xyzw, r2.xyzw;", 7, 6); got != 63 {
		t.Errorf("the register of the absent scalar operation is %d", got)
	}
	if got := field(t, a, "EXEC_END(lt) RETs;", 7, 6); got != 63 {
		t.Errorf("the register of RET is %d", got)
	}
}

// 9: two names on one line are one. 10: integers are bits, exponents and upper-case components fail.
func TestDefects9And10Sections(t *testing.T) {
	p, _ := assemble(t, assembler(t), `
.attributes [0] = "a"; [15] = "b // c"; // "d"
.exports /* [0] = "no"; */ [ 1 ] = "e;f" ;
.UNIFORMS [255] = "";
.constants [0].x = 1; [0].Y = -1; [1].z = 1.5e-3; [1].W=0x7f800001; [255].x = -0.0; [2].y = 2.5E+2;
.asm EXEC_END NOPv;
.attributes [1] = "again";`)
	want := &tegra.Program{
		Attributes: []tegra.Name{{Number: 0, Name: "a"}, {Number: 1, Name: "again"}, {Number: 15, Name: "b // c"}},
		Exports:    []tegra.Name{{Number: 1, Name: "e;f"}},
		Uniforms:   []tegra.Name{{Number: 255, Name: ""}},
		Constants: []tegra.Constant{
			{Number: 0, Component: 0, Bits: 0x3f800000}, {Number: 0, Component: 1, Bits: 0xbf800000},
			{Number: 1, Component: 2, Bits: 0x3ac49ba6}, {Number: 1, Component: 3, Bits: 0x7f800001},
			{Number: 2, Component: 1, Bits: 0x437a0000}, {Number: 255, Component: 0, Bits: 0x80000000},
		},
		Words: p.Words,
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

// 11: SFL, SSG, TXL and the jumps through A0 print what is not read. 12: the disassembler drops bits.
func TestDefects11And12RoundTrip(t *testing.T) {
	d, p := tools(t, "")
	for _, text := range []string{
		"SFLv r1.x*zw NOPs", "SSGv r1.xyzw, a[3].wzyx NOPs", "TXLv r1.xyzw, r4.wzyx NOPs", "NOPv BRXs r2.x***, r1.xyzw",
		"NOPv CLAs r2.x***, r1.xyzw", "NOPv BRBs r2.x***, r1.xyzw", "NOPv CLBs r2.x***, r1.xyzw",
	} {
		text = "EXEC(export[31]=scalar)(cr=0)(p.xyzw)(bit120)(bit127) " + text + " ;"
		res, err := p.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(d.Append(nil, res.Inst)); got != text || res.Inst.Bits.Bit(120) != 1 || res.Inst.Bits.Bit(127) != 1 {
			t.Errorf("%s is printed as %s", text, got)
		}
	}
	for short, long := range map[string]string{
		"EXEC SSGv r1.xyzw;": "EXEC SSGv r1.xyzw, u.xyzw;",
		"EXEC TXLv r1.xyzw;": "EXEC TXLv r1.xyzw, u.xyzw;",
	} {
		x, err := p.Parse(short)
		y, err2 := p.Parse(long)
		if err != nil || err2 != nil || x.Inst.Bits != y.Inst.Bits {
			t.Errorf("%s and %s differ: %v, %v", short, long, err, err2)
		}
	}
}

// 13: numbers are cut off.
func TestDefect13Numbers(t *testing.T) {
	a := assembler(t)
	for _, text := range []string{
		"EXEC MOVv r0.xyzw, c[4294967296].xyzw;", "EXEC MOVv r0.xyzw, c[1024].xyzw;", "EXEC MOVv r0.xyzw, c[A0.x - 1025].xyzw;",
		"EXEC MOVv r0.xyzw, a[16].xyzw;", "EXEC MOVv r64.xyzw, a[0].xyzw;", "EXEC MOVv r0.xyzw, r18446744073709551616.xyzw;",
		"EXEC(export[32]=vector) NOPv;", "EXEC(lt) BRAs 256;", "EXEC(lt) CALs 99999999999999999999;",
	} {
		got := mistakes(t, a, ".asm "+text)
		if len(got) != 1 || !strings.HasSuffix(got[0], "[text-range]") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// 15: nothing warns.
func TestDefect15Warnings(t *testing.T) {
	a := assembler(t)
	for text, want := range map[string]string{
		"EXEC_END MOVv r1.x***, r2.xyzw RCPs r1.*y**, r3.xyzw;":   "same-register",
		"EXEC_END MOVv r1.xyzw, r2.xyzw RCPs r4.*y**, r3.xyzw;":   "",
		"EXEC_END MOVv r63.xyzw, r2.xyzw RCPs r63.x***, r3.xyzw;": "",
		"EXEC_END MOVv r1.xyzw, r2.xyzw PUSHAs;":                  "",
		"EXEC_END BRAs 3;":                                        "never-taken",
		"EXEC_END CALs 3;":                                        "never-taken",
		"EXEC_END RETs;":                                          "never-taken",
		"EXEC_END(gt) RETs;":                                      "",
		"EXEC_END ARLv r1.x***, r2.xyzw;":                         "odd-address",
		"EXEC_END ARRv r63.x***, r2.xyzw;":                        "odd-address",
		"EXEC_END ARLv A0.x***, r2.xyzw;":                         "",
		"EXEC_END(export[A0.x + 31]=vector) NOPv;":                "export-offset",
		"EXEC_END(export[16]=vector) NOPv;":                       "register-range",
		"EXEC_END MOVv r32.xyzw, r1.xyzw;":                        "register-range",
		"EXEC_END MOVv r1.xyzw, r32.xyzw;":                        "register-range",
		"EXEC_END MOVv r1.xyzw, c[256].xyzw;":                     "constant-range",
		"EXEC_END MOVv r1.xyzw, c[A0.x - 1].xyzw;":                "constant-range",
		"EXEC MOVv r1.xyzw, c[255].xyzw;":                         "missing-end",
	} {
		_, got := assemble(t, a, ".asm\n"+text)
		switch {
		case want == "" && len(got) == 0:
		case len(got) != 1 || want == "" || !strings.HasPrefix(got[0], "x.asm:2:1: warning: ") || !strings.HasSuffix(got[0], "["+want+"]"):
			t.Errorf("%s: %q, expected %s", text, got, want)
		}
	}
}

// TestLabels assembles branches to labels, forward and back, and to numbers.
func TestLabels(t *testing.T) {
	p, _ := assemble(t, assembler(t), `.asm
start: first:
	EXEC(lt) BRAs end;
	EXEC(lt) CALs start;
	EXEC(lt) BRAs 255;
end:	EXEC_END NOPv;
nowhere:`)
	var targets []uint64
	for _, w := range p.Words {
		targets = append(targets, w.Uint(29, 8))
	}
	if diff := cmp.Diff([]uint64{3, 0, 255, 0x1b}, targets); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]tegra.Name{{Number: 0, Name: "first"}, {Number: 0, Name: "start"}, {Number: 3, Name: "end"}, {Number: 4, Name: "nowhere"}}, p.Labels); diff != "" {
		t.Error(diff)
	}
}

// TestNegativeOffsets: the field is the offset modulo its size.
func TestNegativeOffsets(t *testing.T) {
	a := assembler(t)
	for _, x := range []struct {
		text       string
		low, width int
		want       uint64
	}{
		{"EXEC_END MOVv r0.xyzw, c[A0.x - 3].xyzw;", 76, 10, 1021},
		{"EXEC_END MOVv r0.xyzw, -abs(c[A0.w-1024].xyzw);", 76, 10, 0},
		{"EXEC_END MOVv r0.xyzw, a[A0.x - 1].xyzw;", 72, 4, 15},
		{"EXEC_END(export[A0.x - 32]=vector) NOPv;", 2, 5, 0},
		{"EXEC_END(export[A0.x-2]=vector) NOPv;", 2, 5, 30},
	} {
		if got := field(t, a, x.text, x.low, x.width); got != x.want {
			t.Errorf("%s: %d, expected %d", x.text, got, x.want)
		}
	}
}

// TestNamedIsNotAbsent: what a text names without a number is number 0. It is never left to the default
// of words that do not name it, nor to another operand.
func TestNamedIsNotAbsent(t *testing.T) {
	a := assembler(t)
	const export, constant, attribute = 2, 76, 72
	for _, x := range []struct {
		text       string
		low, width int
	}{
		{"EXEC_END(export[A0.y]=vector) MOVv r63.x***, c[1].xyzw;", export, 5},
		{"EXEC_END(export[A0.y]=scalar) RCPs r63.x***, c[1].xyzw;", export, 5},
		{"EXEC_END MOVv r0.xyzw, c[A0.y].xyzw;", constant, 10},
		{"EXEC_END MOVv r0.xyzw, -abs(c[A0.y].xyzw);", constant, 10},
		{"EXEC_END MOVv r0.xyzw, a[A0.y].xyzw;", attribute, 4},
		{"EXEC_END MOVv r0.xyzw, abs(a[A0.y].xyzw);", attribute, 4},
	} {
		if got := field(t, a, x.text, x.low, x.width); got != 0 {
			t.Errorf("%s: %d", x.text, got)
		}
	}
	for _, text := range []string{
		"EXEC_END MULv r0.xyzw, c[A0.y].xyzw, c[A0.y + 3].xyzw;", "EXEC_END MULv r0.xyzw, c[A0.y + 3].xyzw, -abs(c[A0.y].xyzw);",
		"EXEC_END MULv r0.xyzw, a[A0.y].xyzw, a[A0.y + 3].xyzw;", "EXEC_END MULv r0.xyzw, a[A0.y + 3].xyzw, -a[A0.y].xyzw;",
	} {
		if got := mistakes(t, a, ".asm "+text); len(got) != 1 {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestMistakes finds every kind of mistake in a source, with its place.
func TestMistakes(t *testing.T) {
	a := assembler(t)
	for _, x := range []struct {
		text string
		want []string
	}{
		{".foo", []string{`x.asm:1:1: unknown section ".foo", expected .attributes, .exports, .uniforms, .constants or .asm [directive]`}},
		{"EXEC NOPv;", []string{`x.asm:1:1: unknown section "EXEC", expected .attributes, .exports, .uniforms, .constants or .asm [directive]`}},
		{".isago end", []string{`x.asm:1:8: unknown directive .isago end, expected no-end or long [directive]`}},
		{"/* open", []string{`x.asm:1:1: this comment has no end, expected */ [text-expected]`}},
		{".attributes\n [16] = \"a\";", []string{`x.asm:2:3: number 16 is too large for attributes, expected 0 to 15 [text-range]`}},
		{".exports [99999999999999999999] = \"a\";", []string{`x.asm:1:11: number 99999999999999999999 is too large for exports, expected 0 to 15 [text-range]`}},
		{".uniforms [256] = \"a\";", []string{`x.asm:1:12: number 256 is too large for uniforms, expected 0 to 255 [text-range]`}},
		{".constants [256].x = 1;", []string{`x.asm:1:13: number 256 is too large for constants, expected 0 to 255 [text-range]`}},
		{".uniforms 1 = \"a\";", []string{`x.asm:1:11: "1 = \"a\"", expected '[' [text-expected]`}},
		{".uniforms [x] = \"a\";", []string{`x.asm:1:12: "x] = \"a\"", expected a number [text-expected]`}},
		{".uniforms [1 = \"a\";", []string{`x.asm:1:14: "= \"a\"", expected ']' [text-expected]`}},
		{".uniforms [1] \"a\";", []string{`x.asm:1:15: "\"a\"", expected '=' [text-expected]`}},
		{".uniforms [1] = a;", []string{`x.asm:1:17: "a", expected '"' [text-expected]`}},
		{".uniforms [1] = \"a;\n;", []string{`x.asm:1:18: "a;", expected a name that ends with a quote on the same line [text-expected]`}},
		{".uniforms [1] = \"a\" b;", []string{`x.asm:1:21: "b", expected ';' [text-expected]`}},
		{".uniforms [1] = \"a\"", []string{`x.asm:1:19: the source ends, expected ; [text-expected]`}},
		{".uniforms [1] = \"a\"\n.asm EXEC NOPv;", []string{`x.asm:2:1: expected ; before the next section [text-expected]`}},
		{".uniforms [1] = \"a\"; [1] = \"b\";", []string{`x.asm:1:22: there is already a name for this number in uniforms [duplicate]`}},
		{".constants [1].x = 1; [1].X = 1;", []string{`x.asm:1:23: there is already a value for this component [duplicate]`}},
		{".constants [1].q = 1;", []string{`x.asm:1:16: "q = 1", expected a component, x, y, z or w [text-expected]`}},
		{".constants [1] = 1;", []string{`x.asm:1:16: "= 1", expected '.' [text-expected]`}},
		{".constants [1].x = ;", []string{`x.asm:1:20: nothing, expected a number such as 1.5, -2e3 or 0x3f800000 [text-expected]`}},
		{".constants [1].x = nan;", []string{`x.asm:1:20: "nan", expected a number such as 1.5, -2e3 or 0x3f800000 [text-expected]`}},
		{".constants [1].x = 1.2.3;", []string{`x.asm:1:20: "1.2.3", expected a number such as 1.5, -2e3 or 0x3f800000 [text-expected]`}},
		{".constants [1].x = 1e99;", []string{`x.asm:1:20: 1e99 does not fit a float [text-range]`}},
		{".constants [1].x = 0x1ffffffff;", []string{`x.asm:1:20: 0x1ffffffff does not fit 32 bits [text-range]`}},
		{".constants [1].x = 0xg;", []string{`x.asm:1:20: "0xg", expected hexadecimal digits after 0x [text-expected]`}},
		{".asm\nFOO;\nEXEC BARv;", []string{
			`x.asm:2:1: no instruction starts with "FOO;" [text-unknown]`,
			`x.asm:3:6: "BARv", expected`,
		}},
		{".asm EXEC(lt) BRAs nowhere;", []string{`x.asm:1:20: nowhere is not a label [text-symbol]`}},
		{".asm a: a: EXEC NOPv;", []string{`x.asm:1:9: label a is defined twice [duplicate]`}},
		{".asm EXEC NOPv", []string{`x.asm:1:15: the line ends here`}},
		{".asm EXEC NOPv\n.constants [1].q = 1;", []string{`x.asm:1:15: the line ends here`, `x.asm:2:16: "q = 1", expected a component`}},
		{".asm .word 1, 2;", []string{`x.asm:1:6: the instruction has 2 words of 32 bits, expected 4 [text-expected]`}},
		{".asm\n" + strings.Repeat("EXEC NOPv;\n", 257), []string{`x.asm:258:1: more than 256 instructions; .isago long allows them [program-size]`}},
	} {
		got := mistakes(t, a, x.text)
		ok := len(got) == len(x.want)
		for i := range got {
			ok = ok && strings.HasPrefix(got[i], x.want[i])
		}
		if !ok {
			t.Errorf("%s\n got %q\nwant %q", x.text, got, x.want)
		}
	}
}

// TestReadDifferently warns of numbers that grate takes for the bits of a float.
func TestReadDifferently(t *testing.T) {
	_, got := assemble(t, assembler(t), ".constants [0].x = 16; [0].y = 0; [0].z = 1.0; [0].w = 0x10; [1].x = -1; [1].y = 1e1;\n.asm EXEC_END NOPv;")
	want := []string{"x.asm:1:20: warning: 16 is 16.0; grate reads it as the bits 0x00000010 [read-differently]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestManyMistakes reports the mistakes of both sections and code, in order.
func TestManyMistakes(t *testing.T) {
	_, err := assembler(t).Assemble(&diag.Source{Name: "x.asm", Text: ".uniforms [x];\n.asm EXEC FOO;\n.constants [0].x = y;\n.asm EXEC(lt) BRAs z;"})
	var list diag.List
	if !errors.As(err, &list) {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range list {
		line, _ := e.Span.LineCol()
		lines = append(lines, fmt.Sprint(line))
	}
	if got := strings.Join(lines, " "); got != "1 2 3 4" {
		t.Errorf("mistakes in lines %s", got)
	}
}

// TestComments: comments of both kinds stand wherever blanks do, and count for the lines of errors.
func TestComments(t *testing.T) {
	a := assembler(t)
	plain, _ := assemble(t, a, ".asm EXEC_END(cs) MOVv r0.xyzw, c[A0.x+3].xyzw;")
	odd, _ := assemble(t, a, "// x\n/* y\n */.asm/**/EXEC_END // (cc)\n( /* ; */ cs )MOVv\r\n r0.xyzw , c[ A0.x /* \" */ + 3\t].xyzw ;; // end")
	if diff := cmp.Diff(plain.Words, odd.Words); diff != "" {
		t.Error(diff)
	}
	got := mistakes(t, a, "/* 1\n2\n3 */ .asm\nEXEC /*\n*/ FOO;")
	if len(got) != 1 || !strings.HasPrefix(got[0], "x.asm:5:4: ") {
		t.Errorf("got %q", got)
	}
}

// TestSuffixAndData: every bit can be said.
func TestSuffixAndData(t *testing.T) {
	p, _ := assemble(t, assembler(t), ".asm EXEC NOPv; {ATTR=7, B.N=5}\na: .word 1, 2, 3, 0x80000000; EXEC_END NOPv; {44..45=0x3}")
	if len(p.Words) != 3 || p.Words[0].Uint(72, 4) != 7 || p.Words[0].Uint(40, 6) != 5 {
		t.Errorf("words %v", p.Words)
	}
	if want := (bits.Value{3<<32 | 0x80000000, 1<<32 | 2}); p.Words[1] != want {
		t.Errorf("data %s, expected %s", p.Words[1], want)
	}
	if got := p.Words[2].Uint(44, 2); got != 3 {
		t.Errorf("bits 44 and 45 are %d", got)
	}
}

// TestNoEnd leaves the last word as it is where the source says so.
func TestNoEnd(t *testing.T) {
	p, warnings := assemble(t, assembler(t), ".isago no-end .asm EXEC NOPv;")
	if p.Words[0].Bit(0) != 0 || len(warnings) > 0 {
		t.Errorf("%s, %v", p.Words[0], warnings)
	}
	p, _ = assemble(t, assembler(t), ".asm EXEC NOPv; EXEC NOPv;")
	if p.Words[0].Bit(0) != 0 || p.Words[1].Bit(0) != 1 {
		t.Errorf("the last word alone must end the program: %v", p.Words)
	}
}

func FuzzAssemble(f *testing.F) {
	for _, seed := range []string{
		"", ".asm EXEC NOPv;", ".attributes [0] = \"a\"; .asm a: EXEC(lt) BRAs a; {END=1}", ".constants [0].x = 1e9;", "/*", "//", "\"", ".asm \"", ".asm .word 1,2,3,4;",
		".isago no-end", ".asm EXEC MOVv r0.xyzw, c[A0.x-3].xyzw;", ".constants [0", ".asm {", ".asm ;{", ".asm a:b:", ".uniforms [1] = \"", ".asm EXEC RETs\n.asm", ".attributes [0] = \"#\\\\\"; .asm a: EXEC NOPv;",
	} {
		f.Add(seed)
	}
	a := assembler(f)
	set, err := tegra.Load(isa.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		out, err := a.Assemble(&diag.Source{Name: "x.asm", Text: text})
		if err != nil {
			diag.Render(err)
			return
		}
		roundTrip(t, set, a, out.Program)
	})
}

// roundTrip writes a program as source and as a container, and reads both.
func roundTrip(t testing.TB, set *isa.Set, a *tegra.Assembler, p *tegra.Program) {
	t.Helper()
	text, err := tegra.AppendSource(nil, set, p)
	if err != nil {
		t.Fatal(err)
	}
	back, err := a.Assemble(&diag.Source{Name: "back.asm", Text: string(text)})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(p, back.Program); diff != "" {
		t.Fatalf("source: -want +got\n%s\n%s", diff, text)
	}
	data := tegra.AppendContainer(nil, set, p)
	again, err := tegra.ReadContainer(set, &diag.Source{Name: "back.vp", Text: string(data)})
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if diff := cmp.Diff(p, again); diff != "" {
		t.Fatalf("container: -want +got\n%s", diff)
	}
}
