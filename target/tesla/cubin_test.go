package tesla_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

var newCompiler = sync.OnceValues(tesla.NewCompiler)

func compile(tb testing.TB, text, stage string) ([]byte, error) {
	tb.Helper()
	if _, err := newCompiler(); err != nil {
		tb.Fatal(diag.Render(err))
	}
	return compileText(text, stage)
}

// compileText assembles a text for a stage of the default chip, or of the one that a cubin names.
func compileText(text, stage string) ([]byte, error) { return compileFor(text, "g200", stage) }

func compileFor(text, chip, stage string) ([]byte, error) {
	out, err := compileAll(text, chip, stage)
	if err != nil {
		return nil, err
	}
	return out.Bytes, nil
}

func compileAll(text, chip, stage string) (*program.Compiled, error) {
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}
	opt := program.CompileOptions{Context: func(s *isa.Set) (bits.Value, error) {
		ctx, err := s.ParseContext(s.DefaultContext(), "chip", chip)
		if err != nil {
			return ctx, err
		}
		return s.ParseContext(ctx, "stage", stage)
	}}
	return c.Compile([]*diag.Source{{Name: "t.s", Text: text}}, opt)
}

// TestExamples assembles the examples; their cubins come back from their own source.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/tesla/*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		stage := "cp"
		if filepath.Base(file) == "fade.s" {
			stage = "fp"
		}
		got, err := compile(t, string(text), stage)
		if err != nil {
			t.Errorf("%s: %s", file, diag.Render(err))
			continue
		}
		if stage == "fp" {
			continue
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".s"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what it assembles to", file)
		}
		checkCubin(t, want)
	}
}

// checkCubin says a cubin as source and assembles that.
func checkCubin(tb testing.TB, data []byte) {
	tb.Helper()
	text, err := tesla.SourceOf(data)
	if err != nil {
		tb.Fatal(err)
	}
	back, err := compile(tb, string(text), "cp")
	if err != nil {
		tb.Fatalf("%s\n%s", diag.Render(err), text)
	}
	if string(back) != string(data) {
		tb.Errorf("%s\nbecame\n%s\nby way of\n%s", data, back, text)
	}
}

const odd = `architecture {sm_10}
code {
	name = odd
	bincode {
		0x10000001 0xe0000003 0x00000000 0xd00e0405
		0xa0000001 0x30000003 0x00000780 0xffffffff
		0x0423c780
	}
}
`

// TestOddCubin has words that are no instruction, a long word that is cut off, hidden bits, and lines
// without a blank at the end.
func TestOddCubin(t *testing.T) { checkCubin(t, []byte(odd)) }

// TestLayout checks lengths, alignment and targets against words put together by hand.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		// 3<<28 control, 1 in both low bits; predicate 15 at bit 7 of the second word
		{"ret", "ret", "03000030 80070000"},
		// A branch to byte 8: 2 words at bit 11.
		{"label", "nop\nl: bra #l", "010000f0 800700e0 03100010 80070000"},
		// A short add twice fills 8 bytes.
		{"pair", "add b32 $r1 $r2 $r3; add b32 $r1 $r2 $r3", "04840320 04840320"},
		// Alone before a long word, it becomes long: source 3 at bit 14, b32 at bit 26.
		{"widened", "add b32 $r1 $r2 $r3; l: nop; bra #l", "05040020 80c70004 010000f0 800700e0 03100010 80070000"},
		{"comments", "/+ a /+ b +/ +/ ret // c\n/* d\n */", "03000030 80070000"},
		{"bad data", ".b8 1 2\n.align 4\n.s16 -1 .5", ""},
		// 15 bits of 1 and a sign; a blank before a minus and none behind makes two numbers.
		{"data", ".b8 1 2\n.align 4\n.s16 -1 4-2 4 -2; .align 8; .u64 1<<40; .s24 -2; .b8 3", "01020000 ffff0200 0400feff 00000000 00000000 00010000 feffff03"},
		{"equ", ".equ N 5; .equ M #N*4; mov b32 $r1 #M+(1<<2)", "05801810 03000000"},
		// The immediate 0x20 is short in no form; its low 6 bits stand at 16, and 3 at 32.
		{"decimal", "mov b32 $r1 32", "05802010 03000000"},
		{"negative", "mov b32 $r1 -1", "05803f10 ffffff0f"},
		// -1 in 4 bits at 56, 52 and 48
		{"texel offset", "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 -0x1 0x0 1-2", "010000f6 80c70f0f"},
		{"label in data", ".u32 #x; ret; x: .u32 #x", ""},
		{"label before", ".u32 #x .u8", ""},
		{"label", ".align 8; .u32 #x 0; ret; x: .u32 #x+1", "10000000 00000000 03000030 80070000 11000000"},
		{"size", "ret; .size 16; .b8 1", "03000030 80070000 00000000 00000000 01"},
		{"section", ".section a; .b8 1; .section b 0x100; x: .b8 2; .section a; .u16 #x", "01000102"},
		{"local of two", "a: _x: .b32 #_x #__a_x; b: _x: .b32 #_x #__a_x", "00000000 00000000 08000000 00000000"},
		// The second of three short words becomes long, with a label behind it: byte 16.
		{"widened label", "add b32 $r1 $r2 $r3; add b32 $r1 $r2 $r3; add b32 $r1 $r2 $r3; x: bra #x", "04840320 04840320 05040020 80c70004 03200010 80070000"},
		{"local", "a: _x: bra #_x; b: _x: bra #_x", "03000010 80070000 03100010 80070000"},
	} {
		got, err := compile(t, c.text, "cp")
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: no error", c.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %s", c.name, diag.Render(err))
			continue
		}
		var hex strings.Builder
		for i, b := range got {
			if i%4 == 0 && i > 0 {
				hex.WriteByte(' ') // words are shown as bytes
			}
			hex.WriteString(string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15]))
		}
		if hex.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, hex.String(), c.want)
		}
	}
}

// TestRefused has a mistake of each kind, and what is said of it.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"bra #nowhere", "nowhere"},
		{"a: a: nop", "defined twice"},
		{".align 0", "0 bytes, expected 1 to"},
		{".skip 99999999", "99999999 bytes, expected 0 to"},
		{".b8 256", "does not fit 8 bits, expected -128 to 255"},
		{"emit", "stage gp has it, not cp [text-condition]"},
		{"texgather all $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 0x0", "chip gt215 has it, not g200"},
		{"fma rn f64 $r0d $r2d $r4d", "the line ends here"},
		{"frob $r1", "no instruction starts with"},
		{"mul f32 $r1 $r2 $r64 $r5", "64 does not fit"},
		{"long ret x", "expected the end"},
		{".u8 256", "256 does not fit 8 bits, expected 0 to 255"},
		{".s8 128", "128 does not fit 8 bits, expected -128 to 127"},
		{".u8 1/0", "division by 0"},
		{".u8 ((1)", "expected a number of 8 bits"},
		{".size 1+1; .b8 1 2 3; .size 4", "has 5 bytes already, expected at most 4"},
		{".skip #x; x: nop", "the places of labels are not known here"},
		{".equ 5 5", "expected a name"},
		{".frob", "unknown directive .frob"},
		{"/* a", "starts a comment that has no end"},
		{"/+ a /+ b +/", "starts a comment that has no end"},
		{"bra 6", "a multiple of 4"},
		{"texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0; nop; .b32 1; nop", "multiple of 8"},
	} {
		_, err := compile(t, c.text, "cp")
		if err == nil || !strings.Contains(diag.Render(err), c.want) || !strings.Contains(diag.Render(err), "t.s:1:") {
			t.Errorf("%s: error %v, expected %q", c.text, err, c.want)
		}
	}
}

// TestFailedNames reports an .equ whose expression fails once, not at the uses of its name.
func TestFailedNames(t *testing.T) {
	const text = ".equ N 1/0; .equ M #N+1; mov b32 $r1 #N; .align #N; .skip #M; .b64 #M; l: bra #l; mov b32 $r1 #K"
	_, err := compile(t, text, "cp")
	want := fmt.Sprintf("t.s:1:9: division by 0 [text-range]\nt.s:1:%d: K is neither a label nor defined by .set, expected a defined name or a number such as 0x12 [text-symbol]", len(text))
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// FuzzCubin holds that whatever is a cubin comes back, word for word.
func FuzzCubin(f *testing.F) {
	f.Add([]byte(odd))
	f.Add([]byte("architecture {sm_13}\nbincode {"))
	f.Add([]byte("architecture {sm_11}\nbincode { 0x1 }\nbincode {\n\t\t0xf0000001 0xe0000783 \n\t}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 || !tesla.IsCubin(data) {
			return
		}
		text, err := tesla.SourceOf(data)
		if err != nil {
			return
		}
		if _, err := compile(t, string(text), "cp"); err != nil {
			t.Fatalf("%s\n%s", diag.Render(err), text)
		}
	})
}

// FuzzAssemble holds that no text makes the assembler panic.
func FuzzAssemble(f *testing.F) {
	for _, s := range []string{"l: bra #l", "/+ /+ +/", "long add b32 $r1 $r2 $r3", ".skip 8;.align 16;.b8 1", "_a: nop", "/*", "#:#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 4096 {
			_, _ = compile(t, text, "cp")
		}
	})
}
