package tegra

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Outputs are the names of the formats that Encode writes, the default first: the container; raw little-endian words,
// the most significant of an instruction first; the same, the least significant first; lines of hexadecimal; an array
// in C; and the words that a driver pushes to the host1x channel.
func Outputs() []string { return []string{"vp", "high", "low", "hex", "c", "host1x"} }

// Encode returns a program in a format of Outputs. "" is the default.
func Encode(set *isa.Set, p *Program, format string) ([]byte, error) {
	var out []byte
	switch format {
	case "", "vp":
		return AppendContainer(nil, set, p), nil
	case "high", "low":
		for _, w := range p.Words {
			for i := range 4 {
				at := i
				if format == "high" {
					at = 3 - i
				}
				out = binary.LittleEndian.AppendUint32(out, w.Word(at))
			}
		}
		return out, nil
	case "hex":
		for _, w := range p.Words {
			out = append(program.AppendWords(out, set, w, wordBits), '\n')
		}
		return out, nil
	case "c":
		return appendArray(nil, p), nil
	case "host1x":
		for _, w := range hostWords(p) {
			out = fmt.Appendf(out, "%08x\n", w)
		}
		return out, nil
	}
	return nil, fmt.Errorf("unknown format %q, expected one of %s", format, strings.Join(Outputs(), ", "))
}

// appendArray appends the words as an array of C, an instruction a line.
func appendArray(out []byte, p *Program) []byte {
	out = fmt.Appendf(out, "static const uint32_t vertex_program[%d][4] = {\n", len(p.Words))
	for _, w := range p.Words {
		out = fmt.Appendf(out, "\t{ 0x%08x, 0x%08x, 0x%08x, 0x%08x },\n", w.Word(3), w.Word(2), w.Word(1), w.Word(0))
	}
	return append(out, "};\n"...)
}

// The registers of the 3D class (0x60) through which a program is loaded, and the opcodes of host1x
// that write them, as grate pushes them.
const (
	registerStart   = 0x205 // the instruction to start at
	registerProgram = 0x206 // takes the words one after the other
	opcodeImmediate = 0x4   // a value of 16 bits to a register
	opcodeSame      = 0x2   // so many words to one register
)

// mostPushed is the number of instructions whose words one header of host1x can count, in 16 bits.
const mostPushed = 0xffff / 4

// hostWords returns the words that a driver pushes to load a program.
func hostWords(p *Program) []uint32 {
	words := []uint32{opcodeImmediate<<28 | registerStart<<16}
	for part := range slices.Chunk(p.Words, mostPushed) {
		words = append(words, opcodeSame<<28|registerProgram<<16|uint32(4*len(part)))
		for _, w := range part {
			words = append(words, w.Word(3), w.Word(2), w.Word(1), w.Word(0))
		}
	}
	return words
}

// Orders are the names of the orders of words in a raw program: the most significant of an instruction first, as the
// hardware reads them, or the least significant first.
func Orders() []string { return []string{"high", "low"} }

// ReadRaw reads a program of words, binary or in hexadecimal text. The order is one of Orders. It detects "": that is
// the order in which the program needs less text, because fields that an instruction does not use mostly have their
// usual values.
func ReadRaw(set *isa.Set, data []byte, order string) (*Program, error) {
	words, err := rawWords(set, data)
	if err != nil {
		return nil, err
	}
	high, low := &Program{Words: join(words, true)}, &Program{Words: join(words, false)}
	switch order {
	case "high":
		return high, nil
	case "low":
		return low, nil
	case "":
	default:
		return nil, fmt.Errorf("unknown order %q, expected %s", order, strings.Join(Orders(), " or "))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	parser, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	lossless := asm.NewLossless(d, parser)
	n := min(len(low.Words), telling)
	if effort(d, lossless, low.Words[:n]) < effort(d, lossless, high.Words[:n]) {
		return low, nil
	}
	return high, nil
}

// OpenRaw is ReadRaw for listing.
func OpenRaw(set *isa.Set, _ bits.Value, data []byte, order string) (*program.Image, error) {
	p, err := ReadRaw(set, data, order)
	if err != nil {
		return nil, err
	}
	return imageOf(set, p), nil
}

// SourceOfRaw returns a program of words as source.
func SourceOfRaw(set *isa.Set, _ bits.Value, data []byte, order string) ([]byte, error) {
	p, err := ReadRaw(set, data, order)
	if err != nil {
		return nil, err
	}
	return AppendSource(nil, set, p)
}

// rawWords returns the 32-bit words of a file, four for each instruction.
func rawWords(set *isa.Set, data []byte) (words []uint32, err error) {
	root, err := set.Root("")
	if err != nil {
		return nil, err
	}
	if program.IsHexText(root, data) {
		if data, err = program.HexText(root, &diag.Source{Text: string(data)}); err != nil {
			return nil, err
		}
	}
	if len(data)%16 != 0 {
		return nil, diag.Errorf(diag.FileFormat, diag.Span{}, "the code has %d bytes, expected a multiple of 16, the size of an instruction", len(data))
	}
	for ; len(data) > 0; data = data[4:] {
		words = append(words, binary.LittleEndian.Uint32(data))
	}
	return words, nil
}

// join makes instructions of four words each.
func join(words []uint32, highFirst bool) []bits.Value {
	if len(words) == 0 {
		return nil
	}
	out := make([]bits.Value, len(words)/4)
	for i := range words {
		at := i % 4
		if highFirst {
			at = 3 - at
		}
		out[i/4].SetUint(32*at, 32, uint64(words[i]))
	}
	return out
}

// telling is as many instructions as tell the order: far more than any program has.
const telling = 4096

// unsaid is the effort for a word that no text says.
const unsaid = 1000

// effort returns the length of the text that says words exactly.
func effort(d *isa.Decoder, lossless *asm.Lossless, words []bits.Value) (n int) {
	var buf []byte
	for _, w := range words {
		buf = buf[:0]
		in, ok := d.Decode(w)
		if ok {
			buf, ok = lossless.Append(buf, in)
		}
		if !ok {
			n += unsaid
		}
		n += len(buf)
	}
	return n
}
