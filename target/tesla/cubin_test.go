package tesla_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

var newCompiler = sync.OnceValues(tesla.NewCompiler)

func compile(tb testing.TB, text, stage string) ([]byte, error) {
	tb.Helper()
	if _, err := newCompiler(); err != nil {
		tb.Fatal(isa.Explain(err))
	}
	return compileText(text, stage)
}

// compileText assembles a text for a stage of the default chip, or of the one that a cubin names.
func compileText(text, stage string) ([]byte, error) {
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}
	opt := program.CompileOptions{Context: func(s *isa.Set) (bits.Value, error) {
		return s.ParseContext(s.DefaultContext(), "stage", stage)
	}}
	out, err := c.Compile([]*diag.Source{{Name: "t.s", Text: text}}, opt)
	if err != nil {
		return nil, err
	}
	return out.Bytes, nil
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
		{"data", ".b8 1 2\n.align 4\n.s16 -1 .5", ""},
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
				hex.WriteByte(' ')
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
		{".b8 256", "a number of 8 bits"},
		{"emit", ""},
		{"mul f32 $r1 $r2 $r64 $r5", ""},
		{"texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0; nop; .b32 1; nop", "multiple of 8"},
	} {
		_, err := compile(t, c.text, "cp")
		if err == nil || !strings.Contains(diag.Render(err), c.want) || !strings.Contains(diag.Render(err), "t.s:1:") {
			t.Errorf("%s: error %v, expected %q", c.text, err, c.want)
		}
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

// FuzzELF holds that no file makes the reader of ELF cubins panic.
func FuzzELF(f *testing.F) {
	head := make([]byte, 64)
	copy(head, "\x7fELF\x01\x01\x01")
	head[18], head[36] = 190, 10
	f.Add(head)
	f.Fuzz(func(_ *testing.T, data []byte) {
		if tesla.IsELF(data) {
			_, _ = tesla.OpenELF(nil, data)
		}
	})
}
