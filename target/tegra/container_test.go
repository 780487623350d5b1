package tegra_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
)

// program is a small program with something of everything.
const container = `tegra-vp 1
attribute 0 "position"
attribute 15 "tex coord"
export 0 "gl_Position"
uniform 255 "mvp"
label 0 "main"
label 1 "end"
label 1 "end2"
constant 4.x 3f800000
constant 4.w 7fc00001
code
401f9c6c 0040000d 8106c083 6041ff80
001f9c6c 0000000d 8106c083 60401ffd
`

func load(t testing.TB) *isa.Set {
	t.Helper()
	set, err := tegra.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return set
}

func TestContainer(t *testing.T) {
	set := load(t)
	p, err := tegra.ReadContainer(set, &diag.Source{Name: "x.vp", Text: container})
	if err != nil {
		t.Fatal(err)
	}
	want := &tegra.Program{
		Attributes: []tegra.Name{{Number: 0, Name: "position"}, {Number: 15, Name: "tex coord"}},
		Exports:    []tegra.Name{{Number: 0, Name: "gl_Position"}},
		Uniforms:   []tegra.Name{{Number: 255, Name: "mvp"}},
		Labels:     []tegra.Name{{Number: 0, Name: "main"}, {Number: 1, Name: "end"}, {Number: 1, Name: "end2"}},
		Constants:  []tegra.Constant{{Number: 4, Component: 0, Bits: 0x3f800000}, {Number: 4, Component: 3, Bits: 0x7fc00001}},
		Words:      []bits.Value{{0x8106c0836041ff80, 0x401f9c6c0040000d}, {0x8106c08360401ffd, 0x001f9c6c0000000d}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if got := string(tegra.AppendContainer(nil, set, p)); got != container {
		t.Error(cmp.Diff(container, got))
	}
	// Order, comments, blanks and line ends do not matter.
	odd := "tegra-vp 1\r\n# x\r\nconstant 4.w   7fc00001\nlabel 1 \"end2\"\n label 1 \"end\" # x\n\nlabel 0 \"main\"\nuniform 255 \"mvp\"\n" +
		"constant 4.x 3F800000\nexport 0 \"gl_Position\"\nattribute 15 \"tex\\x20coord\"\nattribute 0 \"position\"\ncode\n" +
		"0x401f9c6c 0x0040000d 0x8106c083 0x6041ff80\n001f9c6c0000000d8106c08360401ffd"
	if p, err = tegra.ReadContainer(set, &diag.Source{Name: "x.vp", Text: odd}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	roundTrip(t, set, assembler(t), want)
}

// A # in a name starts no comment.
func TestContainerComment(t *testing.T) {
	text := "tegra-vp 1\nattribute 0 \"a#b\" # \"c\nattribute 1 \"\\\\\" # d\ncode\n"
	p, err := tegra.ReadContainer(load(t), &diag.Source{Name: "x.vp", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]tegra.Name{{Number: 0, Name: "a#b"}, {Number: 1, Name: "\\"}}, p.Attributes); diff != "" {
		t.Error(diff)
	}
}

func TestContainerMistakes(t *testing.T) {
	set := load(t)
	for text, want := range map[string]string{
		"tegra-vp 2\ncode\n":                                      `x.vp:1:1: the first line is "tegra-vp 2", expected "tegra-vp 1" [file-format]`,
		"tegra-vp 1\n":                                            `x.vp:2:1: the line "code" is missing [file-format]`,
		"tegra-vp 1\nfoo 1\n":                                     `x.vp:2:1: unknown keyword "foo", expected attribute, export, uniform, label, constant or code [file-format]`,
		"tegra-vp 1\nattribute x\n":                               `x.vp:2:1: "x", expected a number and a quoted name [file-format]`,
		"tegra-vp 1\nattribute 16 \"a\"\n":                        `x.vp:2:1: attribute 16, expected 0 to 15 [text-range]`,
		"tegra-vp 1\nattribute 1 a\n":                             `x.vp:2:1: a, expected a quoted name without quotes and line breaks in it [file-format]`,
		"tegra-vp 1\nattribute 1 \"a\\n\"\n":                      `x.vp:2:1: "a\n", expected a quoted name without quotes and line breaks in it [file-format]`,
		"tegra-vp 1\nattribute 1 \"a\"\nattribute 1 \"b\"":        `x.vp:3:1: attribute 1 "b" is declared twice [duplicate]`,
		"tegra-vp 1\nlabel 1 \"a b\"\n":                           `x.vp:2:1: label "a b", expected letters, digits, _, $ and dots, a letter, _ or $ first [file-format]`,
		"tegra-vp 1\nlabel 1 \".a\"\n":                            `x.vp:2:1: label ".a", expected letters, digits, _, $ and dots, a letter, _ or $ first [file-format]`,
		"tegra-vp 1\nlabel 0 \"a\"\nlabel 2 \"b\"\ncode\n1 2 3 4": `x.vp:3:1: label 2, but the program ends at 1 [text-range]`,
		"tegra-vp 1\nlabel 65536 \"a\"\n":                         `x.vp:2:1: label 65536, expected 0 to 65535 [text-range]`,
		"tegra-vp 1\nlabel 1 \"a\"\nlabel 2 \"a\"":                `x.vp:3:1: label 2 "a" is declared twice [duplicate]`,
		"tegra-vp 1\nconstant 1.q 0\n":                            `x.vp:2:1: "1.q 0", expected NUMBER.COMPONENT and 32 bits in hexadecimal [file-format]`,
		"tegra-vp 1\nconstant 1.x 123456789\n":                    `x.vp:2:1: "1.x 123456789", expected NUMBER.COMPONENT and 32 bits in hexadecimal [file-format]`,
		"tegra-vp 1\nconstant 256.x 0\n":                          `x.vp:2:1: constant 256, expected 0 to 255 [text-range]`,
		"tegra-vp 1\nconstant 1.x 0\nconstant 1.x 0":              `x.vp:3:1: constant 1.x has two values [duplicate]`,
		"tegra-vp 1\ncode\n1 2 3\n":                               `x.vp:3:1: "1 2 3", expected four words of 32 bits in hexadecimal [hex-size]`,
		"tegra-vp 1\ncode\n1 2 3 x\n":                             `x.vp:3:1: "1 2 3 x", expected four words of 32 bits in hexadecimal [hex-syntax]`,
	} {
		_, err := tegra.ReadContainer(set, &diag.Source{Name: "x.vp", Text: text})
		if err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestRandomPrograms takes programs of random words, many of which branch, through source, container and
// raw words.
func TestRandomPrograms(t *testing.T) {
	set, a := load(t), assembler(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range *manyPrograms {
		p := &tegra.Program{}
		for range rng.IntN(12) {
			word := randomWord(rng)
			if rng.IntN(3) == 0 {
				word.SetUint(91, 5, []uint64{9, 11}[rng.IntN(2)]) // BRA, CAL
				word.SetUint(29, 8, rng.Uint64N(14))
			}
			p.Words = append(p.Words, word)
		}
		for i := range p.Words {
			if rng.IntN(3) == 0 {
				p.Labels = append(p.Labels, tegra.Name{Number: i, Name: fmt.Sprintf("label%d", i)})
			}
		}
		if n%2 == 0 {
			p.Constants = append(p.Constants, tegra.Constant{Number: n % 256, Component: n % 4, Bits: rng.Uint32()})
		}
		roundTrip(t, set, a, p)
		for _, order := range tegra.Orders() {
			raw, err := tegra.Encode(set, p, order)
			if err != nil {
				t.Fatal(err)
			}
			back, err := tegra.ReadRaw(set, raw, order)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(back.Words, p.Words) {
				t.Errorf("%s: %v, expected %v", order, back.Words, p.Words)
			}
		}
	}
}

// The word of "mov o0, a0" that NVIDIA's driver writes, and its filler.
var captured = &tegra.Program{Words: []bits.Value{{0x8106c0836041ff80, 0x401f9c6c0040000d}, {0x8106c08360401ffd, 0x001f9c6c0000000d}}}

// TestOutputs writes a program as a driver needs it. The two words in front are those of grate.
func TestOutputs(t *testing.T) {
	set := load(t)
	for format, want := range map[string]string{
		"":       string(tegra.AppendContainer(nil, set, captured)),
		"hex":    "401f9c6c 0040000d 8106c083 6041ff80\n001f9c6c 0000000d 8106c083 60401ffd\n",
		"host1x": "42050000\n22060008\n401f9c6c\n0040000d\n8106c083\n6041ff80\n001f9c6c\n0000000d\n8106c083\n60401ffd\n",
		"c":      "static const uint32_t vertex_program[2][4] = {\n\t{ 0x401f9c6c, 0x0040000d, 0x8106c083, 0x6041ff80 },\n\t{ 0x001f9c6c, 0x0000000d, 0x8106c083, 0x60401ffd },\n};\n",
		"high":   "\x6c\x9c\x1f\x40\x0d\x00\x40\x00\x83\xc0\x06\x81\x80\xff\x41\x60\x6c\x9c\x1f\x00\x0d\x00\x00\x00\x83\xc0\x06\x81\xfd\x1f\x40\x60",
		"low":    "\x80\xff\x41\x60\x83\xc0\x06\x81\x0d\x00\x40\x00\x6c\x9c\x1f\x40\xfd\x1f\x40\x60\x83\xc0\x06\x81\x0d\x00\x00\x00\x6c\x9c\x1f\x00",
	} {
		got, err := tegra.Encode(set, captured, format)
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %q\nwant %q", format, err, got, want)
		}
	}
	if _, err := tegra.Encode(set, captured, "elf"); err == nil {
		t.Error("there is a format elf")
	}
}

// TestOrder recognises the order of the words, of NVIDIA's fills and of grate's, binary and text.
func TestOrder(t *testing.T) {
	set, a := load(t), assembler(t)
	grate, _ := assemble(t, a, ".asm EXEC(export[0]=vector) DP4v r63.x***, c[0].xyzw, a[0].xyzw; EXEC_END(export[1]=scalar) RSQs r63.x***, r1.yyyy;")
	for _, p := range []*tegra.Program{captured, {Words: grate.Words}} {
		for _, format := range []string{"high", "low", "hex"} {
			data, err := tegra.Encode(set, p, format)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tegra.ReadRaw(set, data, "")
			if err != nil || !slices.Equal(got.Words, p.Words) {
				t.Errorf("%s: %v, %v", format, got, err)
			}
		}
	}
	// Of a file that is far longer than a program the first words tell, so that no file takes long.
	long := &tegra.Program{Words: slices.Repeat(captured.Words, 4096/len(captured.Words)+1)}
	head, err := tegra.Encode(set, long, "high")
	if err != nil {
		t.Fatal(err)
	}
	tail, err := tegra.Encode(set, long, "low")
	if err != nil {
		t.Fatal(err)
	}
	data := slices.Concat(head, tail, tail, tail)
	if got, err := tegra.ReadRaw(set, data, ""); err != nil || !slices.Equal(got.Words[:len(long.Words)], long.Words) {
		t.Errorf("the order of %d bytes: %v", len(data), err)
	}
	text := "0x6041ff80,0x8106c083,0x0040000d,0x401f9c6c,\n60401ffd8106c0830000000d001f9c6c"
	if got, err := tegra.ReadRaw(set, []byte(text), "low"); err != nil || !slices.Equal(got.Words, captured.Words) {
		t.Errorf("%q is %v, %v", text, got, err)
	}
	for data, want := range map[string]string{
		"123456789":         "the code has 9 bytes, expected a multiple of 16, the size of an instruction [file-format]",
		"11111111 22222222": "8 bytes, expected a multiple of 16, the size of an instruction [file-format]",
	} {
		if _, err := tegra.ReadRaw(set, []byte(data), ""); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.20q: %v, expected %s", data, err, want)
		}
	}
	if _, err := tegra.ReadRaw(set, nil, "middle"); err == nil {
		t.Error("there is an order middle")
	}
}

// TestLongPrograms takes more instructions than the machine has room for apart, and together again.
func TestLongPrograms(t *testing.T) {
	set, a := load(t), assembler(t)
	p := &tegra.Program{Words: slices.Repeat(captured.Words, 150), Labels: []tegra.Name{{Number: 299, Name: "last"}}}
	roundTrip(t, set, a, p)
	text, err := tegra.AppendSource(nil, set, p)
	if err != nil || !strings.HasPrefix(string(text), ".isago long\n") {
		t.Errorf("%.100s, %v", text, err)
	}
}

// TestLocalLabels: source of a program without names has labels to read, and gives the program back
// without names.
func TestLocalLabels(t *testing.T) {
	set, a := load(t), assembler(t)
	p, _ := assemble(t, a, ".asm EXEC(lt) BRAs 1; EXEC_END(lt) CALs 0;")
	if len(p.Labels) > 0 {
		t.Errorf("labels %v", p.Labels)
	}
	text, err := tegra.AppendSource(nil, set, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n.fxn0:\n", "\n.l10:\n", "\tBRAs .l10\n", "\tCALs .fxn0\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	roundTrip(t, set, a, p)
	// A label of one's own may start like a section, or like a label that is made.
	own, _ := assemble(t, a, ".asm .asm1: .l0: EXEC(lt) BRAs .asm1; l1: EXEC_END(lt) CALs .l0;")
	if len(own.Labels) != 1 || own.Words[0].Uint(29, 8) != 0 || own.Words[1].Uint(29, 8) != 0 {
		t.Errorf("labels %v, words %v", own.Labels, own.Words)
	}
	roundTrip(t, set, a, own)
}

// TestLabelNames: a name that the assembler takes is one that a file can have.
func TestLabelNames(t *testing.T) {
	set, a := load(t), assembler(t)
	p, _ := assemble(t, a, ".asm lab.l: $x: _1.: EXEC(lt) BRAs lab.l; EXEC_END NOPv; end.:")
	want := []tegra.Name{{Number: 0, Name: "$x"}, {Number: 0, Name: "_1."}, {Number: 0, Name: "lab.l"}, {Number: 2, Name: "end."}}
	if diff := cmp.Diff(want, p.Labels); diff != "" {
		t.Error(diff)
	}
	roundTrip(t, set, a, p)
}

// TestTargetInSwizzle: a branch target whose bits another operand shows is a number in source, as no
// label could stand elsewhere; one of which no other operand shows the bits is a label.
func TestTargetInSwizzle(t *testing.T) {
	set, a := load(t), assembler(t)
	nops := strings.Repeat("EXEC NOPv;", 30)
	for text, want := range map[string]string{
		"EXEC(lt) ADDv r0.xyzw, r1.xyzw, r2.xxyx BRAs 4;":           "\tBRAs 4\n",
		"EXEC(lt) MADv r0.xyzw, r1.xyzw, r2.xyzw, r3.xyzw CALs 27;": "\tCALs 27\n",
		"EXEC(lt) MULv r0.xyzw, r1.xyzw, r2.xxyx BRAs 4;":           "\tBRAs .l40\n",
	} {
		p, _ := assemble(t, a, ".asm "+text+nops)
		source, err := tegra.AppendSource(nil, set, p)
		if err != nil || !strings.Contains(string(source), want) {
			t.Errorf("%s: no %q in\n%s%v", text, want, source, err)
		}
		roundTrip(t, set, a, p)
	}
}

// TestHostCounts: a header of host1x counts words in 16 bits, so that a longer program has several.
func TestHostCounts(t *testing.T) {
	p := &tegra.Program{Words: slices.Repeat(captured.Words, 1<<13)}
	data, err := tegra.Encode(load(t), p, "host1x")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(data))
	// 0x3fff instructions are 0xfffc words; one instruction is left.
	if len(lines) != 1+2+4<<14 || lines[1] != "2206fffc" || lines[2+0xfffc] != "22060004" {
		t.Errorf("%d words, headers %s and %s", len(lines), lines[1], lines[2+0xfffc])
	}
}

func FuzzContainer(f *testing.F) {
	for _, seed := range []string{"", container, "tegra-vp 1\ncode", "tegra-vp 1\nlabel 0 \"a\"\ncode\n0 0 0 0", "tegra-vp 1\nconstant 0.x 1\n", "tegra-vp 1\nattribute 0 \"\\u00e9\"\ncode", "tegra-vp 1\n#\n"} {
		f.Add(seed)
	}
	set, a := load(f), assembler(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		if p, err := tegra.ReadContainer(set, &diag.Source{Name: "x.vp", Text: text}); err == nil {
			roundTrip(t, set, a, p)
		}
	})
}

func FuzzRaw(f *testing.F) {
	for _, p := range []*tegra.Program{captured} {
		var data []byte
		for _, w := range p.Words {
			for i := 3; i >= 0; i-- {
				data = binary.LittleEndian.AppendUint32(data, w.Word(i))
			}
		}
		f.Add(data)
	}
	f.Add([]byte("401f9c6c 0040000d 8106c083 6041ff80"))
	f.Add([]byte(""))
	set, a := load(f), assembler(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<9 {
			return
		}
		if p, err := tegra.ReadRaw(set, data, ""); err == nil {
			roundTrip(t, set, a, p)
		}
	})
}
