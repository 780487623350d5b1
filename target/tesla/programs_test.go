package tesla_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/benchtest"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
	"github.com/isago/isago/view"
)

var programs = flag.Int("programs", 40, "number of random programs for TestRandomPrograms")

// TestRandomPrograms prints random programs as source, bare ones as dis does and every fourth as a text
// cubin, and holds that asm makes the same bytes of it; -programs says how many.
func TestRandomPrograms(t *testing.T) {
	s := load(t)
	m := newRoundTrip(t, s)
	draw := &programDrawer{rnd: rand.New(rand.NewPCG(11, 12)), rows: readRows(t)}
	chips := []struct{ name, sm string }{{"g80", "sm_10"}, {"g84", "sm_11"}, {"g200", "sm_13"}, {"gt215", "sm_12"}, {"mcp77", ""}}
	stages := []string{"cp", "vp", "gp", "fp"}
	for i := range *programs {
		chip, stage, data := chips[i%len(chips)], stages[i/len(chips)%len(stages)], draw.program()
		if i%4 == 3 && chip.sm != "" {
			throughCubin(t, chip.sm, data)
			continue
		}
		m.set(context(t, s, chip.name, stage))
		text := m.source(t, data)
		back, err := compileFor(text, chip.name, stage)
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("program %d on %s, %s: %x\nbecame %x, %v\n%s", i, chip.name, stage, data, back, err, text)
		}
	}
}

// source is what dis prints for code without a container.
func (m *roundTrip) source(tb testing.TB, data []byte) string {
	tb.Helper()
	im, err := program.Raw(m.d.Root(), data)
	if err != nil {
		tb.Fatal(err)
	}
	l := &view.Listing{Decoder: m.d, Image: im, Quiet: true}
	l.Print = func(dst []byte, in isa.Inst) []byte {
		text, ok := m.l.Append(dst, in)
		if !ok {
			tb.Fatalf("%x has no text", in.Bits)
		}
		return text
	}
	m.p.Symbol = l.Labels().Address
	var out bytes.Buffer
	if _, err := l.Write(bufio.NewWriter(&out)); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

func throughCubin(tb testing.TB, sm string, data []byte) {
	tb.Helper()
	text := fmt.Appendf(nil, "architecture {%s}\ncode {\n\tname = k\n\tbincode  {\n\t\t", sm)
	for i := 0; i < len(data); i += 4 {
		text = fmt.Appendf(text, "0x%08x ", binary.LittleEndian.Uint32(data[i:]))
	}
	text = append(text, "\n\t}\n}\n"...)
	source, err := tesla.SourceOf(text)
	if err != nil {
		tb.Fatal(err)
	}
	if back, err := compileText(string(source), "cp"); err != nil || !bytes.Equal(back, text) {
		tb.Fatalf("%s\nbecame %s, %v\nby way of %s", text, back, err, source)
	}
}

// programDrawer draws programs: words of instructions, some with a bit turned, branches inside the
// program, short words in pairs or not, and words of any kind.
type programDrawer struct {
	rnd  *rand.Rand
	rows []row
}

func (d *programDrawer) program() (data []byte) {
	const least, more = 4, 40
	words := least + d.rnd.IntN(more)
	for len(data) < 4*words {
		switch d.rnd.IntN(8) {
		case 0:
			data = binary.LittleEndian.AppendUint32(data, d.rnd.Uint32())
		case 1:
			target := uint32(d.rnd.IntN(words + 2))
			op := []uint32{1, 2, 4, 10, 13}[d.rnd.IntN(5)]
			data = binary.LittleEndian.AppendUint32(data, op<<28|target<<11|3)
			data = binary.LittleEndian.AppendUint32(data, []uint32{0x780, 0, 0x100, d.rnd.Uint32()}[d.rnd.IntN(4)])
		default:
			data = d.instruction(data)
		}
	}
	return data[:4*words]
}

// instruction appends one of a row; a long one is mostly put where it can be.
func (d *programDrawer) instruction(data []byte) []byte {
	r := d.rows[d.rnd.IntN(len(d.rows))]
	word := r.word
	if d.rnd.IntN(2) == 0 {
		at := d.rnd.IntN(r.size)
		word.SetUint(at, 1, word.Uint(at, 1)^1)
	}
	if r.size == 64 && len(data)%8 != 0 && d.rnd.IntN(4) > 0 {
		data = binary.LittleEndian.AppendUint32(data, 0x10008408) // mov b32 $r2 $r2
	}
	for i := range r.size / 32 {
		data = binary.LittleEndian.AppendUint32(data, uint32(word.Uint(32*i, 32)))
	}
	return data
}

// BenchmarkSource writes compute instructions that all differ as source that the compiler reads back: by a printer
// that has seen none of them, and by one that has seen all. Those named programs are of as few shapes as real ones.
func BenchmarkSource(b *testing.B) {
	b.Run("words", func(b *testing.B) { benchmarkSource(b, benchWords) })
	b.Run("programs", func(b *testing.B) { benchmarkSource(b, benchPrograms) })
}

func benchmarkSource(b *testing.B, of func(b *testing.B) (*isa.Decoder, []bits.Value)) {
	decoder, words := of(b)
	fresh := func() *asm.Lossless {
		d, err := decoder.Set().NewDecoder("")
		if err != nil {
			b.Fatal(err)
		}
		p, err := asm.New(decoder.Set(), "")
		if err != nil {
			b.Fatal(err)
		}
		return asm.NewLossless(d, p)
	}
	var list []isa.Inst
	for _, w := range words {
		in, _ := decoder.Decode(w)
		list = append(list, in)
	}
	benchtest.RunPrograms(b, 1, func() func(int) (int, int) {
		l := fresh()
		var buf []byte
		return func(int) (_, size int) {
			for _, in := range list {
				if buf, _ = l.Append(buf[:0], in); len(buf) == 0 {
					b.Fatal(in.Bits)
				}
				size += len(buf) + 1
			}
			return len(list), size
		}
	})
}

// TestManyLabels assembles branches to labels that are all different, whose long forms no instruction has. Why not is
// asked of none: that takes thousands of allocations.
func TestManyLabels(t *testing.T) {
	c, err := tesla.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	const lines = 1000
	for i := range lines {
		fmt.Fprintf(&b, "l%d: bra l%d\n", i, lines-1-i)
	}
	src := []*diag.Source{{Name: "x.s", Text: b.String()}}
	each := testing.AllocsPerRun(1, func() {
		if _, err := c.Compile(src, program.CompileOptions{Jobs: 1}); err != nil {
			t.Fatal(err)
		}
	}) / lines
	if each > 100 {
		t.Errorf("%.0f allocations a line", each)
	}
}
