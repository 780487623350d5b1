package source_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// toy has instructions of 32 and 64 bits, a branch of either length, and two tables, of which one
// instruction uses one twice.
const toy = `<isa name="toy" strict="true">
<text comment="#"/>
<bitset name="#entry" size="16"><display>e{V}</display><field name="V" low="0" high="15" type="hex"/></bitset>
<table name="one" type="#entry" size="8"/>
<bitset name="#instruction" size="32"/>
<bitset name="#short" extends="#instruction"><pattern pos="0">0</pattern></bitset>
<bitset name="#long" extends="#instruction" size="64"><pattern pos="0">1</pattern></bitset>
<bitset name="nop" extends="#short">
  <display>{NAME}</display><pattern low="1" high="31">0000000000000000000000000000000</pattern>
</bitset>
<bitset name="bra" extends="#short">
  <display>bra {T}</display><pattern low="1" high="4">0001</pattern>
  <field name="T" low="5" high="8" type="branch" unit="32"/><pattern low="9" high="31">00000000000000000000000</pattern>
</bitset>
<bitset name="bra-long" extends="#long">
  <display>bra {T}</display><pattern low="1" high="4">0001</pattern><pattern low="5" high="31">000000000000000000000000000</pattern>
  <field name="T" low="32" high="63" type="branch" unit="32"/>
</bitset>
<bitset name="two" extends="#short">
  <display>{NAME} {A}, {B}</display><pattern low="1" high="4">0010</pattern>
  <field name="A" low="5" high="8" type="#entry" table="one"/>
  <field name="B" low="9" high="12" type="#entry" table="one"/>
  <pattern low="13" high="31">0000000000000000000</pattern>
</bitset>
<bitset name="ldi" extends="#long">
  <display>{NAME} {IMM}</display><pattern low="1" high="4">0100</pattern><pattern low="5" high="31">000000000000000000000000000</pattern>
  <field name="IMM" low="32" high="63" type="uint"/>
</bitset>
</isa>`

// wide has words of 128 bits, the most significant first.
const wide = `<isa name="wide" strict="true">
<text words="high-first" comment="//"/>
<bitset name="#instruction" size="128"/>
<bitset name="set" extends="#instruction">
  <display>{NAME} {A}</display><pattern low="64" high="127">1010000000000000000000000000000000000000000000000000000000000000</pattern>
  <field name="A" low="0" high="63" type="hex"/>
</bitset>
</isa>`

func load(t testing.TB, text string) *isa.Set {
	t.Helper()
	if text == "" {
		s, err := example.Load(isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		return s
	}
	s, err := isa.Load(fstest.MapFS{"x.xml": {Data: []byte(text)}}, "x.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

func assemble(t testing.TB, set *isa.Set, text string) (string, error) {
	t.Helper()
	p, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	root, err := set.Root("")
	if err != nil {
		t.Fatal(err)
	}
	code, err := source.Assemble(p, set, root, &diag.Source{Name: "x.s", Text: text})
	if p.Symbol != nil {
		t.Error("the parser keeps the labels")
	}
	if n := len(code.Insts()); n != code.Len() {
		t.Errorf("%d words, but a length of %d", n, code.Len())
	}
	return codeText(set, code), err
}

// codeText returns the words of a program, a line each.
func codeText(set *isa.Set, code *source.Code) string {
	var b strings.Builder
	for in := range code.Words {
		fmt.Fprintf(&b, "%d: %s\n", in.Addr, program.AppendWords(nil, set, in.Word, in.Size))
	}
	return b.String()
}

// mute has an instruction that is read from an empty text, and texts in which a comment could start.
const mute = `<isa name="mute" strict="true"><text comment="#"/>
<bitset name="#instruction" size="32"/>
<bitset name="at" extends="#instruction"><display>at #{N}</display><pattern low="8" high="31">000000000000000000000010</pattern><field name="N" low="0" high="7" type="uint"/></bitset>
<bitset name="none" extends="#instruction"><display>none</display><alias></alias><pattern low="0" high="31">00000000000000000000000000000000</pattern></bitset>
</isa>`

func TestAssemble(t *testing.T) {
	for _, x := range []struct{ name, set, text, want string }{
		{"empty", toy, "", ""},
		{"blank", toy, "\n \t\r\n# comment\nlabel:\n", ""},
		{"no line end", toy, "nop", "0: 00000000\n"},
		{"crlf", toy, "nop\r\nnop # x\r\n", "0: 00000000\n32: 00000000\n"},
		{"backward", toy, "a: nop\n bra a\n", "0: 00000000\n32: 000001e2\n"},
		{"forward", toy, "bra a\nnop\na: nop\n", "0: 00000042\n32: 00000000\n64: 00000000\n"},
		{"several on a line", toy, "a: b: bra b\nbra a", "0: 00000002\n32: 000001e2\n"},
		{"own line", toy, "bra a\na:\nnop", "0: 00000022\n32: 00000000\n"},
		{"at the end", toy, "bra a\na:", "0: 00000022\n"},
		{"two lengths", toy, "ldi 7\na: nop\nldi 8\nbra a", "0: 00000009 00000007\n64: 00000000\n96: 00000009 00000008\n160: 000001a2\n"},
		{"a label before what has no text", mute, "a:\n\nat #1\n", "0: 00000201\n"},
		{"data", toy, ".word 1, 0x2 ,0b11\nnop", "0: 00000001 00000002\n64: 00000003\n96: 00000000\n"},
		{"data high first", wide, ".word 1, 2, 3, 4, 5\n", "0: 00000001 00000002 00000003 00000004\n128: 00000005\n"},
		{"data of 16 bits", "", ".word 0xa000, 1\nbr.eq x\nx: nop", "0: a000\n16: 0001\n32: 8a01\n48: 0000\n"},
		// 9 is more than 7: the long form, which moves everything after it
		{"lengths settle", toy, "bra a\nbra b\n" + strings.Repeat("nop\n", 15) + "a: nop\nb: nop\n",
			"0: 00000003 00000013\n64: 00000003 00000012\n" + nops(128, 15) + "608: 00000000\n640: 00000000\n"},
	} {
		got, err := assemble(t, load(t, x.set), x.text)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", x.name, diff)
		}
	}
}

func nops(addr, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d: 00000000\n", addr+32*i)
	}
	return b.String()
}

func TestAssembleErrors(t *testing.T) {
	for _, x := range []struct {
		name, text string
		want       []string
	}{
		{"several", "nop\nfoo\nnop x\na: nop\na: bra nowhere\n.word x\n  bra b\n", []string{
			`x.s:2:1: no instruction starts with "foo" [text-unknown]`,
			`x.s:3:5: "x", expected the end of the instruction [text-expected]`,
			`x.s:5:1: label a is defined twice [duplicate]`,
			`x.s:5:8: nowhere is not a label [text-symbol]`,
			`x.s:6:7: x is neither a label nor defined by .set, expected a defined name or a number of 32 bits such as 0x12 [text-symbol]`,
			`x.s:7:7: b is not a label [text-symbol]`,
		}},
		{"no label", ": nop\n.: nop\na : nop\n", []string{
			`x.s:1:1: no instruction starts with ":" [text-unknown]`,
			`x.s:2:1: no instruction starts with ".:" [text-unknown]`,
			`x.s:3:1: no instruction starts with "a" [text-unknown]`,
		}},
		{"range of data", ".word 1, 0x100000000", []string{`x.s:1:10: 0x100000000 does not fit 32 bits [text-range]`}},
		{"no data", ".word", []string{`x.s:1:6: nothing, expected a number of 32 bits such as 0x12, a name or ( [text-expected]`}},
		{"trailing comma", ".word 1,", []string{`x.s:1:9: nothing, expected a number of 32 bits such as 0x12, a name or ( [text-expected]`}},
	} {
		_, err := assemble(t, load(t, toy), x.text)
		if err == nil {
			t.Errorf("%s: no error", x.name)
			continue
		}
		if diff := cmp.Diff(x.want, strings.Split(err.Error(), "\n")); diff != "" {
			t.Errorf("%s: -want +got\n%s", x.name, diff)
		}
	}
}

func TestAssembleManyErrors(t *testing.T) {
	_, err := assemble(t, load(t, toy), strings.Repeat("foo\n", 100_000))
	var list diag.List
	if !errors.As(err, &list) || len(list) != 51 {
		t.Fatalf("%d mistakes", len(list))
	}
	if got := list[50].Error(); got != "too many errors; only the first 50 are shown [text-unknown]" {
		t.Error(got)
	}
}

func FuzzAssemble(f *testing.F) {
	for _, seed := range []string{
		"", "a: bra a\n", "nop\nldi 7\nbra end\nend:", ".word 1, 2", "a:a:", "# x", "two e1, e2", ":", ".word ,", "nop {0..4=1}", "nop {=0}",
		"bra a\n.word 0,0,0,0,0,0,0,0,0\na:", "add r1, r2, r3 // x\nbr.eq x\nx: nop", "set ff", "\x00", "x: br x\nx: br y",
		".set n, 2*(3+4)\n.align 8\n.skip n-10\nldi $(end-. + ~n)\nend: .word end<<2, -n%5, !n||n>=2", ".set a, b\nb: .skip a", ".word 1/0, 1<<64, ((", "nop $(", ".set x", ".align 0",
	} {
		f.Add(seed)
	}
	sets := []*isa.Set{load(f, toy), load(f, wide), load(f, "")}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		for _, s := range sets {
			if _, err := assemble(t, s, text); err != nil {
				diag.Render(err)
			}
		}
	})
}

// jobsSource is a program of some windows; each wrong-th line is none.
func jobsSource(wrong int) string {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for i := range 20_000 {
		switch n := r.IntN(20); {
		case wrong > 0 && r.IntN(wrong) == 0:
			b.WriteString([]string{"foo", "bra nowhere", ".word $", "ldi $(", "nop x", "l0:", ".skip x"}[r.IntN(7)])
		case n == 0:
			fmt.Fprintf(&b, "l%d: ldi $(l%d)", i, i)
		case n == 1:
			fmt.Fprintf(&b, "n%d: bra n%d # there", i, i)
		case n == 2:
			fmt.Fprintf(&b, ".set s%d, . + %d\n.word s%[1]d, %[2]d", i, r.IntN(9))
		case n == 3:
			b.WriteString(".word 1, 2, 3")
		case n == 4:
			fmt.Fprintf(&b, "two e%x, e%x", r.IntN(16), r.IntN(16))
		default:
			fmt.Fprintf(&b, "ldi %d", r.IntN(1000))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Code and mistakes do not depend on the number of processors, nor on whether the source is in memory.
func TestJobs(t *testing.T) {
	set := load(t, toy)
	root, _ := set.Root("")
	parser := func() (*asm.Parser, error) { return asm.New(set, "") }
	for _, wrong := range []int{0, 1, 100, 3000} {
		text := jobsSource(wrong)
		want, wantErr := assemble(t, set, text)
		for _, jobs := range []int{1, 2, 5} {
			p, _ := parser()
			a := source.Assembler{Set: set, Root: root, Parser: p, New: parser, Jobs: jobs}
			code, err := a.Assemble(program.OpenText("x.s", strings.NewReader(text), int64(len(text))))
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("%d processors:\n%v\nexpected\n%v", jobs, err, wantErr)
			}
			if got := codeText(set, code); got != want {
				t.Errorf("%d processors: %d bytes of code, expected %d", jobs, len(got), len(want))
			}
		}
		if words := strings.Count(want, "\n"); wrong == 0 && words < 20_000 {
			t.Errorf("%d words: %v", words, wantErr)
		}
	}
}
