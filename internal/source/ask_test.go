package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/source"
)

const sample = `start: add r1, r2, 3 // first
  br.eq start
  .word start + 2, 0x10
done:
  br done
  shl r0, s1, 9x
`

func TestQuestions(t *testing.T) {
	d := source.Open(loadMachine(t, "example").assembler(t), "test.s", sample)
	defer d.Close()

	// Each instruction and each word of data has 16 bits.
	for i, want := range []struct {
		addr, size int64
		text       string
	}{{0, 16, "add r1, r2, 3"}, {16, 16, "br.eq start"}, {32, 32, ".word start + 2, 0x10"}, {64, 0, ""}, {64, 16, "br done"}, {80, 16, "shl r0, s1, 9x"}} {
		s := d.Statement(i)
		if text := sample[s.Span.Off:s.Span.End]; s.Addr != want.addr || s.Size != want.size || text != want.text {
			t.Errorf("line %d: %d, %d bits, %q, expected %v", i, s.Addr, s.Size, text, want)
		}
	}
	for addr, want := range map[int64]int{0: 0, 15: 0, 16: 1, 48: 2, 64: 4} {
		if n, ok := d.LineAt(addr); !ok || n != want {
			t.Errorf("address %d is of line %d, %v, expected %d", addr, n, ok, want)
		}
	}
	if _, ok := d.LineAt(96); ok {
		t.Error("there is a line after the end")
	}

	var tokens []string
	for i := range d.Lines() {
		for _, k := range d.Tokens(i) {
			tokens = append(tokens, k.Kind.String()+" "+sample[k.Start:k.End])
		}
	}
	const want = "label start|mnemonic add|register r1|punctuation ,|register r2|punctuation ,|immediate 3|comment // first|" +
		"mnemonic br|modifier .eq|label start|mnemonic .word|label start|immediate 2|immediate 0x10|label done|mnemonic br|label done"
	if got := strings.Join(tokens, "|"); got != want {
		t.Errorf("tokens\n%s, expected\n%s", got, want)
	}

	use := strings.Index(sample, "start +")
	if s, ok := d.SymbolAt(use + 2); !ok || s.Name != "start" || s.Addr != 0 || s.Span.Off != 0 || s.Span.End != 5 {
		t.Errorf("symbol %v, %v", s, ok)
	}
	var uses []int
	for _, s := range d.References("start") {
		uses = append(uses, s.Off)
	}
	if got, want := fmt.Sprint(uses), fmt.Sprint([]int{0, strings.Index(sample, "start\n"), use}); got != want {
		t.Errorf("references at %s, expected %s", got, want)
	}
	if list := d.Diagnostics(); len(list) != 1 || list[0].Span.Off != strings.Index(sample, "x\n") {
		t.Errorf("mistakes %v", list)
	}

	at := strings.Index(sample, "done\n  shl")
	var words []string
	for _, x := range d.Expected(at) {
		words = append(words, fmt.Sprintf("%d %s %s", x.Off-at, x.Kind, x.Text))
	}
	if got, want := strings.Join(words, "|"), "0 target |0 word start|0 word done"; got != want {
		t.Errorf("what can stand in place of the target is %s, expected %s", got, want)
	}
	if list := d.Expected(strings.Index(sample, ".word") + 2); len(list) != 1 || list[0].Text != ".word" || list[0].Kind != asm.ExpectedWord {
		t.Errorf("expected %v", list)
	}
	a, off, ok := d.Annotate(1)
	if o := a.OperandAt(strings.Index(sample, "start\n") - off); !ok || o == nil || o.Name != "TARGET" {
		t.Errorf("operand %v", o)
	}
}
