package tesla

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// A text cubin of CUDA 1 and 2 names the architecture and holds for each kernel a block
// code { name = ... bincode { 0x... } }. Its source is the same text, with instructions in bincode.

// architecture is the line that says what chip the code is for.
var architecture = lazy.Regexp(`(?m)^[ \t]*architecture\s*\{\s*(sm_1\d)\s*\}`)

// cubinHead is as much of a file as tells whether it is a cubin.
const cubinHead = 4096

// IsCubin reports whether a file is a text cubin, by its start.
func IsCubin(data []byte) bool {
	data = data[:min(len(data), cubinHead)]
	return bytes.Contains(data, []byte("architecture")) && architecture().Match(data) && !strings.ContainsRune(string(data), 0)
}

// IsSource reports whether a file is a text cubin with instructions in place of words.
func IsSource(data []byte) bool {
	if !IsCubin(data) {
		return false
	}
	src := &diag.Source{Text: string(data)}
	list, err := blocks(src)
	if err != nil {
		return false
	}
	for _, b := range list {
		for i := b.from; i < b.to; {
			end := noise(src.Text, i, true)
			if end == i {
				return src.Text[i] < '0' || src.Text[i] > '9'
			}
			i = end
		}
	}
	return false
}

// block is the inside of a bincode block: text[from:to].
type block struct {
	from, to int
	kernel   string
}

// blocks finds the bincode blocks of a cubin or its source.
func blocks(src *diag.Source) ([]block, error) {
	text := src.Text
	var list []block
	kernel := ""
	for i := 0; i < len(text); {
		if end := noise(text, i, true); end > i {
			i = end
			continue
		}
		end := (&scanner{text: text}).word(i)
		if end == i {
			i++
			continue
		}
		word := text[i:end]
		next := end
		for next < len(text) && noise(text, next, true) > next {
			next = noise(text, next, true)
		}
		i = end
		switch {
		case word == "name" && strings.HasPrefix(text[next:], "=") && kernel == "":
			if f := strings.Fields(text[next+1:]); len(f) > 0 {
				kernel = f[0]
			}
		case word == "bincode" && strings.HasPrefix(text[next:], "{"):
			if kernel == "" {
				kernel = fmt.Sprintf("kernel %d", len(list))
			}
			to := closing(text, next+1)
			if to < 0 {
				return nil, tokenAt(src, next, next+1).errorf("the bincode of %s has no end, expected }", kernel)
			}
			list, kernel, i = append(list, block{next + 1, to, kernel}), "", to
		}
	}
	return list, nil
}

// closing returns where the brace is that closes what starts at i, -1 if there is none.
func closing(text string, i int) int {
	for depth := 1; i < len(text); {
		if end := noise(text, i, false); end > i {
			i = end
			continue
		}
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return i
		}
		i++
	}
	return -1
}

// noise returns where a blank, a comment or a string ends that starts at i; i itself where none does. A
// comment may start with a number sign too, but for those of instructions.
func noise(text string, i int, sign bool) int {
	switch c := text[i]; {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		return i + 1
	case c == '#' && sign:
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(text)
	case c == '"':
		for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
			if text[j] == '\\' {
				j++
			} else if text[j] == '"' {
				return j + 1
			}
		}
	case c == '/':
		return max(lexis.CommentEnd(text, i), i)
	}
	return i
}

// contextOf is the chip that a cubin is for.
func contextOf(set *isa.Set, ctx bits.Value, text string) (bits.Value, error) {
	if m := architecture().FindStringSubmatch(text); m != nil {
		return set.ParseContext(ctx, "chip", m[1])
	}
	return ctx, nil
}

// SourceOf returns a text cubin with instructions in place of the words.
func SourceOf(data []byte) ([]byte, error) {
	src := &diag.Source{Text: string(data)}
	text := src.Text
	w, err := newSourceWriter(text)
	if err != nil {
		return nil, err
	}
	defer w.release()
	list, err := blocks(src)
	if err != nil {
		return nil, err
	}
	var out []byte
	off := 0
	for _, b := range list {
		l, code, err := parseWords(src, b)
		if err != nil {
			return nil, err
		}
		out = append(out, text[off:b.from]...)
		out = w.append(l.appendDirectives(append(out, '\n')), code)
		off = b.to
	}
	return append(out, text[off:]...), nil
}

// sourceWriter writes the instructions of kernels.
type sourceWriter struct {
	d      *isa.Decoder
	p      *asm.Parser
	l      *asm.Lossless
	aligns []int64
}

// writers has those that nobody uses: they know more with each kernel.
var writers sync.Pool

// newSourceWriter returns a writer for a cubin, which release keeps for others.
func newSourceWriter(text string) (*sourceWriter, error) {
	set, err := plain()
	if err != nil {
		return nil, err
	}
	w, _ := writers.Get().(*sourceWriter)
	if w == nil {
		w = &sourceWriter{}
		if w.d, err = set.NewDecoder(""); err != nil {
			return nil, err
		}
		if w.p, err = asm.New(set, ""); err != nil {
			return nil, err
		}
		w.l, w.aligns = asm.NewLossless(w.d, w.p), program.Alignments(w.d.Root())
	}
	ctx, err := contextOf(set, set.DefaultContext(), text)
	if err != nil {
		return nil, err
	}
	w.d.SetContext(ctx)
	w.p.SetContext(ctx)
	return w, nil
}

func (w *sourceWriter) release() {
	w.d.Label, w.p.Symbol = nil, nil
	writers.Put(w)
}

// append appends the instructions of a kernel, each with its labels.
func (w *sourceWriter) append(out []byte, code []uint32) []byte {
	labels := program.NewLabels(32*int64(len(code)), 32, nil)
	w.d.Label = nil
	var targets []isa.BranchTarget
	each(w.d, code, func(addr int64, in isa.Inst, ok bool) {
		targets = targets[:0]
		if ok {
			targets = w.d.Targets(targets, in)
		}
		labels.Add(addr, targets)
	})
	w.d.Label, w.p.Symbol = labels.Name, labels.Address
	each(w.d, code, func(addr int64, in isa.Inst, ok bool) {
		names, _ := labels.At(addr)
		for _, name := range names {
			out = append(out, "\t"+name+":\n"...)
		}
		out = append(out, "\t\t"...)
		w.d.Addr = addr
		aligned := ok && (w.aligns[in.Leaf.ID] == 0 || addr%w.aligns[in.Leaf.ID] == 0)
		written := false
		if aligned {
			out, written = w.l.Append(out, in)
		}
		if !written {
			out = appendWord(out, code[addr/32:addr/32+sizeOf(in)])
		}
		if ok && !aligned {
			out = fmt.Appendf(out, "\t// not at a multiple of %d bits: %s", w.aligns[in.Leaf.ID], w.d.Append(nil, in))
		}
		out = append(out, '\n')
	})
	return append(out, '\t')
}

// sizeOf returns the number of words of an instruction, one of what is none.
func sizeOf(in isa.Inst) int64 {
	if in.Leaf == nil {
		return 1
	}
	return int64(in.Leaf.Size / 32)
}

func appendWord(out []byte, code []uint32) []byte {
	for i, w := range code {
		out = fmt.Appendf(out, "%s 0x%08x", [2]string{".word", ","}[min(i, 1)], w)
	}
	return out
}

// each calls f for each instruction, with its address in bits. ok is false for a word that is none, and
// for a long one that is cut off.
func each(d *isa.Decoder, code []uint32, f func(addr int64, in isa.Inst, ok bool)) {
	for i := 0; i < len(code); {
		v := bits.Of(uint64(code[i]))
		if i+1 < len(code) {
			v.SetUint(32, 32, uint64(code[i+1]))
		}
		in, ok := d.Decode(v)
		if !ok || i+in.Leaf.Size/32 > len(code) {
			in, ok = isa.Inst{}, false
		}
		f(32*int64(i), in, ok)
		i += int(sizeOf(in))
	}
}

// Open reads a text cubin for listing: the kernels in order, each with the keys of its block.
func Open(set *isa.Set, data []byte) (*program.Image, error) {
	src := &diag.Source{Text: string(data)}
	text := src.Text
	ctx, err := contextOf(set, set.DefaultContext(), text)
	if err != nil {
		return nil, err
	}
	list, err := blocks(src)
	if err != nil {
		return nil, err
	}
	m, err := readTextModule(src)
	if err != nil || len(m.Kernels) != len(list) {
		m = &Module{Kernels: make([]Kernel, len(list))} // of which nothing is known but the code
	}
	im := newImage(set, "cubin", ctx)
	im.Declarations = func() ([]program.FileDeclaration, error) { return textDeclarations(src) }
	off := 0
	for i, b := range list {
		_, code, err := parseWords(src, b)
		if err != nil {
			return nil, err
		}
		if err := im.add(b.kernel, header(text[off:b.from]), code, m.Kernels[i]); err != nil {
			return nil, err
		}
		off = b.to
	}
	return &im.Image, nil
}

var (
	codeStart = lazy.Regexp(`\bcode\s*\{`)
	property  = lazy.Regexp(`^\w+\s*=\s*\S`)
)

// header returns the lines before a block that say something of its kernel.
func header(text string) []string {
	if at := codeStart().FindAllStringIndex(text, -1); at != nil {
		text = text[at[len(at)-1][1]:]
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); property().MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// image collects kernels.
type image struct {
	program.Image
	set *isa.Set
	ctx bits.Value
}

func newImage(set *isa.Set, format string, ctx bits.Value) *image {
	return &image{Image: program.Image{Format: format, Sections: map[int64][]string{}, Names: map[int64]string{}, Registers: map[int64]int{}, Shared: map[int64]int{}, Pieces: []program.Piece{}}, set: set, ctx: ctx}
}

// kernelData is what a file holds of a kernel: the number of its words, and what the file says of it.
type kernelData struct {
	Words int      `json:"words"`
	Says  []string `json:"says,omitempty"`
}

// add adds a kernel, whose addresses count from its start. k has its registers and its shared memory.
func (im *image) add(name string, lines []string, code []uint32, k Kernel) error {
	d, err := im.set.NewDecoder("")
	if err != nil {
		return err
	}
	d.SetContext(im.ctx)
	base := im.Size()
	im.Words = append(im.Words, code...)
	im.Contents = append(im.Contents, program.Part{
		Title: name, Lines: append(lines, fmt.Sprintf("%d words", len(code))), Data: kernelData{len(code), lines},
	})
	im.Sections[base] = append(im.Sections[base], lines...)
	im.Entries = append(im.Entries, program.Entry{Addr: base, Name: name})
	im.Names[base] = name
	if k.Registers > 0 {
		im.Registers[base] = k.Registers
	}
	im.Shared[base] = k.Shared
	each(d, code, func(addr int64, in isa.Inst, ok bool) {
		p := program.Piece{Root: d.Root(), Addr: base + addr, Size: 32 * int(sizeOf(in)), Base: base, Context: im.ctx, Target: true, Indent: "    "}
		im.Pieces = append(im.Pieces, p)
	})
	return nil
}

// entry returns where a kernel starts.
func (im *image) entry(kernel string) (addr int64, ok bool) {
	for _, e := range im.Entries {
		if e.Name == kernel {
			return e.Addr, true
		}
	}
	return 0, false
}
