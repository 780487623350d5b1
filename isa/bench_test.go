package isa

import (
	"math/rand"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// benchProgram returns a decoder for PICA200 with a full operand table, and a random program without
// findings. The program contains every instruction, arithmetic ones most often, and few equal words.
func benchProgram(tb testing.TB) (*Decoder, []bits.Value) {
	s, err := Load(os.DirFS("../target/pica200"), "pica200.xml", Options{})
	if err != nil {
		tb.Fatal(diag.Render(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	d.SetTable(0, benchTable(r))
	var program []bits.Value
	for len(program) < benchWords {
		for _, l := range d.Root().Leaves {
			v := bits.Of(uint64(r.Uint32())).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match)
			in, ok := d.Decode(v)
			if ok && d.Append(nil, in) != nil && len(d.Findings()) == 0 && (len(program) < benchWords*3/4 || len(l.Name) == 3) && len(program) < benchWords {
				program = append(program, v)
			}
		}
	}
	return d, program
}

// benchWords is the number of words of a benchmark. It is larger than real programs and than the
// caches.
const benchWords = 1 << 13

// benchTable returns typical operand descriptors. Many have an identity swizzle or select a single
// component.
func benchTable(r *rand.Rand) []bits.Value {
	swizzles := []uint64{0x1b, 0x1b, 0x1b, 0x00, 0x55, 0xaa, 0xff, 0x1a, 0x6c}
	masks := []uint64{15, 15, 15, 14, 8, 4, 2, 1}
	var table []bits.Value
	for range 128 {
		e := masks[r.Intn(len(masks))]
		for _, low := range []int{4, 13, 22} {
			if r.Intn(4) == 0 {
				e |= 1 << low
			}
			e |= swizzles[r.Intn(len(swizzles))] << (low + 1)
		}
		table = append(table, bits.Of(e))
	}
	return table
}

func BenchmarkDecodePrint(b *testing.B) {
	d, program := benchProgram(b)
	benchmarkPrint(b, d, program)
}

// BenchmarkDecodePrintGeneric prints item by item, without memos.
func BenchmarkDecodePrintGeneric(b *testing.B) {
	d, program := benchProgram(b)
	d.general = true
	benchmarkPrint(b, d, program)
}

func benchmarkPrint(b *testing.B, d *Decoder, program []bits.Value) {
	b.ReportAllocs()
	buf := make([]byte, 0, 1<<19)
	for b.Loop() {
		buf = buf[:0]
		for _, v := range program {
			in, ok := d.Decode(v)
			if !ok {
				b.Fatalf("%s is not an instruction", v)
			}
			buf = append(d.Append(buf, in), '\n')
		}
	}
	b.SetBytes(int64(len(buf)))
	b.ReportMetric(float64(b.N*len(program))/b.Elapsed().Seconds()/1e6, "Minst/s")
}
