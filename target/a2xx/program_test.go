package a2xx_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

var manyPrograms = flag.Int("programs", 80, "number of random programs in TestRandomPrograms")

// sets are the instruction sets, loaded once.
var sets = map[string]*isa.Set{}

// tools disassemble and assemble in one spelling.
type tools struct {
	set *isa.Set
	ctx bits.Value
}

func toolsFor(t testing.TB, syntax, stage string) *tools {
	t.Helper()
	set := sets[syntax]
	if set == nil {
		set = loadSyntax(t, syntax)
		sets[syntax] = set
	}
	ctx, err := set.ParseContext(set.DefaultContext(), "stage", stage)
	if err != nil {
		t.Fatal(err)
	}
	return &tools{set, ctx}
}

// source disassembles bytes.
func (x *tools) source(t testing.TB, data []byte) string {
	t.Helper()
	text, err := a2xx.SourceOf(x.set, x.ctx, data)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// assemble assembles a source.
func (x *tools) assemble(t testing.TB, text string) (*a2xx.Assembled, error) {
	t.Helper()
	a, err := a2xx.NewAssembler(x.set, x.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return a.Assemble(&diag.Source{Name: "test.a2xx", Text: text})
}

// roundTrip disassembles bytes and assembles the text, which must give the bytes.
func (x *tools) roundTrip(t testing.TB, data []byte) string {
	t.Helper()
	text := x.source(t, data)
	out, err := x.assemble(t, text)
	if err != nil {
		t.Fatalf("%x becomes\n%s\n%s", data, text, diag.Render(err))
	}
	if got := out.Bytes(); !bytes.Equal(got, data) {
		t.Fatalf("%x\nbecomes\n%s\nand then\n%x", data, text, got)
	}
	return text
}

// TestRandomPrograms takes random words apart as programs, and puts them together again: programs that
// no assembler would write, with clauses that overlap, that run what does not exist or other clauses,
// that jump anywhere and do not end.
func TestRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, syntax := range []string{"", "mesa"} {
		for _, stage := range []string{"vs", "fs"} {
			x := toolsFor(t, syntax, stage)
			for range *manyPrograms / 4 {
				x.roundTrip(t, randomProgram(r))
			}
		}
	}
}

// randomProgram makes a program of random words whose clauses address, now and then, what is there.
func randomProgram(r *rand.Rand) []byte {
	units := r.IntN(24)
	data := make([]byte, 12*units+r.IntN(12))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	clauses := 2 * (1 + r.IntN(4))
	for i := range clauses {
		if 6*i+6 > len(data) || r.IntN(8) == 0 {
			break
		}
		op := []uint64{0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}[r.IntN(18)]
		word := r.Uint64() & (1<<44 - 1) & r.Uint64()
		if r.IntN(4) > 0 {
			address, count := clauses/2+r.IntN(units+1)-r.IntN(3), r.IntN(8)
			word = word&^0x7fff | uint64(max(address, 0)&0xfff) | uint64(count)<<12
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], word|op<<44)
		copy(data[6*i:], b[:6])
	}
	return data
}
