package tesla

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// A text cubin of CUDA 1 and 2 names the architecture and holds for each kernel a block
// code { name = ... bincode { 0x... } }. Its source is the same text, with instructions in bincode.
var (
	architecture = regexp.MustCompile(`architecture\s*\{\s*(sm_1[0-3])\s*\}`)
	bincodeStart = regexp.MustCompile(`\bbincode\s*\{`)
	kernelName   = regexp.MustCompile(`\bname\s*=\s*(\S+)`)
)

// IsCubin recognises a text cubin.
func IsCubin(data []byte) bool {
	return architecture.Match(data[:min(len(data), 4096)]) && bincodeStart.Match(data)
}

// block is the inside of a bincode block: text[from:to].
type block struct {
	from, to int
	kernel   string
}

// blocks finds the bincode blocks of a text without comments.
func blocks(text string) ([]block, error) {
	var list []block
	for off := 0; ; {
		at := bincodeStart.FindStringIndex(text[off:])
		if at == nil {
			return list, nil
		}
		b := block{from: off + at[1], kernel: fmt.Sprintf("kernel %d", len(list))}
		if found := kernelName.FindAllStringSubmatch(text[off:off+at[0]], -1); found != nil {
			b.kernel = found[0][1]
		}
		depth := 1
		for b.to = b.from; b.to < len(text); b.to++ {
			switch text[b.to] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if depth > 0 {
			return nil, fmt.Errorf("the bincode of %s has no end, expected } [%s]", b.kernel, diag.FileFormat)
		}
		list = append(list, b)
		off = b.to
	}
}

// words reads the numbers of a bincode block.
func words(text string) ([]uint32, error) {
	var list []uint32
	for _, f := range strings.Fields(text) {
		n, err := strconv.ParseUint(f, 0, 32)
		if err != nil {
			return nil, fmt.Errorf("%.40q in bincode, expected a word such as 0x10000001 [%s]", f, diag.FileFormat)
		}
		list = append(list, uint32(n))
	}
	return list, nil
}

// layout is how a block is written: words a line, and what stands at the ends of lines and of the block.
type layout struct {
	perLine int
	trail   string
}

// nvcc is the layout of NVIDIA's compiler.
var nvcc = layout{4, " "}

func (l layout) append(dst []byte, list []uint32) []byte {
	dst = append(dst, '\n')
	for i, w := range list {
		if i%l.perLine == 0 {
			dst = append(dst, "\t\t"...)
		}
		dst = fmt.Appendf(dst, "0x%08x", w)
		if (i+1)%l.perLine == 0 || i == len(list)-1 {
			dst = append(dst, l.trail...)
			dst = append(dst, '\n')
		} else {
			dst = append(dst, ' ')
		}
	}
	return append(dst, '\t')
}

// chips are what cubins call the chips.
var chips = map[string]string{"sm_10": "g80", "sm_11": "g84", "sm_12": "gt215", "sm_13": "g200"}

// contextOf is the chip that a cubin is for; without an architecture the defaults hold.
func contextOf(set *isa.Set, ctx bits.Value, text string) (bits.Value, error) {
	if m := architecture.FindStringSubmatch(text); m != nil {
		return set.ParseContext(ctx, "chip", chips[m[1]])
	}
	return ctx, nil
}

// SourceOf writes a text cubin with instructions in place of the words.
func SourceOf(data []byte) ([]byte, error) {
	set, err := Load(isa.Options{})
	if err != nil {
		return nil, err
	}
	text := string(data)
	ctx, err := contextOf(set, set.DefaultContext(), text)
	if err != nil {
		return nil, err
	}
	list, err := blocks(stripComments(text))
	if err != nil {
		return nil, err
	}
	var out []byte
	off := 0
	for _, b := range list {
		code, err := words(text[b.from:b.to])
		if err != nil {
			return nil, err
		}
		out = append(out, text[off:b.from]...)
		if out, err = appendSource(out, set, ctx, code, text[b.from:b.to]); err != nil {
			return nil, err
		}
		off = b.to
	}
	return append(out, text[off:]...), nil
}

// appendSource appends the instructions of a block, or its words where a compiler of another layout
// wrote them, which would not come back.
func appendSource(out []byte, set *isa.Set, ctx bits.Value, code []uint32, was string) ([]byte, error) {
	if string(nvcc.append(nil, code)) != was {
		for _, l := range []layout{{4, ""}, {2, " "}, {2, ""}} {
			if string(l.append(nil, code)) == was {
				out = fmt.Appendf(out, "\n\t\t.layout %d %d", l.perLine, len(l.trail))
				break
			}
		}
	}
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	d.SetContext(ctx)
	p.SetContext(ctx)
	labels := program.NewLabels(32*int64(len(code)), 32, nil)
	each(d, code, func(addr int64, in isa.Inst, ok bool) {
		var targets []isa.BranchTarget
		if ok {
			targets = d.Targets(nil, in)
		}
		labels.Add(addr, targets)
	})
	d.Label = labels.Name
	p.Symbol = labels.Address
	l := asm.NewLossless(d, p)
	out = append(out, '\n')
	each(d, code, func(addr int64, in isa.Inst, ok bool) {
		names, _ := labels.At(addr)
		for _, name := range names {
			out = append(out, "\t"+name+":\n"...)
		}
		out = append(out, "\t\t"...)
		if ok {
			d.Addr = addr
			out, ok = l.Append(out, in)
		}
		if !ok {
			out = appendData(out, code[addr/32:addr/32+sizeOf(in)])
		}
		out = append(out, '\n')
	})
	return append(out, '\t'), nil
}

// sizeOf returns the number of words of an instruction, one of what is none.
func sizeOf(in isa.Inst) int64 {
	if in.Leaf == nil {
		return 1
	}
	return int64(in.Leaf.Size / 32)
}

func appendData(out []byte, code []uint32) []byte {
	out = append(out, ".b32"...)
	for _, w := range code {
		out = fmt.Appendf(out, " 0x%08x", w)
	}
	return out
}

// each calls f for each instruction, with its address in bits. ok is false for a word that is none, and
// for a long one that is cut off or does not start at a multiple of 8 bytes.
func each(d *isa.Decoder, code []uint32, f func(addr int64, in isa.Inst, ok bool)) {
	for i := 0; i < len(code); {
		v := bits.Of(uint64(code[i]))
		if i+1 < len(code) {
			v.SetUint(32, 32, uint64(code[i+1]))
		}
		in, ok := d.Decode(v)
		if ok && in.Leaf.Size == 64 && (i%2 != 0 || i+1 == len(code)) {
			in, ok = isa.Inst{}, false
		}
		if !ok {
			in = isa.Inst{}
		}
		f(32*int64(i), in, ok)
		i += int(sizeOf(in))
	}
}

// Open reads a text cubin for listing: the kernels one after the other, each with what its block says.
func Open(_ *isa.Set, data []byte) (*program.Image, error) {
	text := string(data)
	list, err := blocks(stripComments(text))
	if err != nil {
		return nil, err
	}
	im := &program.Image{Format: "cubin", Sections: map[int64][]string{}}
	off := 0
	for _, b := range list {
		code, err := words(text[b.from:b.to])
		if err != nil {
			return nil, err
		}
		lines := header(text[off:b.from])
		im.Sections[im.Size()] = lines
		im.Contents = append(im.Contents, program.Part{Title: b.kernel, Lines: append(lines, fmt.Sprintf("%d words", len(code)))})
		im.Words = append(im.Words, code...)
		off = b.to
	}
	return im, nil
}

// header returns the lines before a block that say something of the kernel.
func header(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Contains(line, "=") {
			lines = append(lines, line)
		}
	}
	return lines
}

// IsELF recognises a cubin of CUDA 3 for these chips: an ELF file of machine 190 whose flags say sm_1x.
func IsELF(data []byte) bool {
	const machine = 190
	if len(data) < 52 || !bytes.HasPrefix(data, []byte("\x7fELF\x01\x01")) || binary.LittleEndian.Uint16(data[18:]) != machine {
		return false
	}
	_, ok := chips["sm_"+strconv.Itoa(int(data[36]))]
	return ok
}

// OpenELF reads the kernels of an ELF cubin.
func OpenELF(_ *isa.Set, data []byte) (*program.Image, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%v [%s]", err, diag.FileFormat)
	}
	im := &program.Image{Format: "cubin", Sections: map[int64][]string{}}
	for _, s := range f.Sections {
		name, ok := strings.CutPrefix(s.Name, ".text.")
		if !ok || s.Type != elf.SHT_PROGBITS {
			continue
		}
		code, err := s.Data()
		if err != nil || len(code)%4 != 0 {
			return nil, fmt.Errorf("section %s has %d bytes, expected words of 4 bytes inside the file [%s]", s.Name, s.Size, diag.FileFormat)
		}
		lines := []string{"name = " + name, fmt.Sprintf("reg = %d", s.Info>>24)}
		im.Sections[im.Size()] = lines
		im.Contents = append(im.Contents, program.Part{Title: name, Lines: append(lines, fmt.Sprintf("%d words", len(code)/4))})
		for ; len(code) > 0; code = code[4:] {
			im.Words = append(im.Words, binary.LittleEndian.Uint32(code))
		}
	}
	return im, nil
}
