package view

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Listing prints the code of an image, one instruction a line, under its labels.
type Listing struct {
	Decoder *isa.Decoder
	Image   *program.Image
	// Addresses and Words add columns in front of the text.
	Addresses, Words bool
	Palette          Palette
	// Bare prints the text alone, without header, labels and indent.
	Bare bool
	// Report is told of findings, with the address in bits; nil is not.
	Report func(addr int64, text string)
	// Quiet leaves out what is odd about a word, which is otherwise a comment behind it.
	Quiet bool
	// Print prints an instruction; nil is the decoder's own text.
	Print func(dst []byte, in isa.Inst) []byte
}

// Line is an instruction of an image, or a word that is none.
type line struct {
	addr int64
	in   isa.Inst
	ok   bool
	size int
	word bits.Value
}

// walk calls f for each instruction in order. An unknown word is as long as the shortest
// instruction.
func (l *Listing) walk(f func(ln line)) {
	set, root := l.Decoder.Set(), l.Decoder.Root()
	for i := 0; i < len(l.Image.Words); {
		v, have := l.Image.At(i, set.HighFirst(), root.Size)
		ln := line{addr: 32 * int64(i), word: v}
		l.Decoder.Addr = ln.addr
		ln.in, ln.ok = l.Decoder.Decode(v)
		if ln.ok && ln.in.Leaf.Size > have {
			ln.ok = false
		}
		ln.size = min(root.MinSize, have)
		if ln.ok {
			ln.size = ln.in.Leaf.Size
		}
		ln.word = v.And(bits.Ones(ln.size))
		f(ln)
		i += max(1, (ln.size+31)/32)
	}
}

// Labels finds the labels of the code: entries, and what branches go to.
func (l *Listing) Labels() *program.Labels {
	labels := program.NewLabels(32*int64(len(l.Image.Words)), int64(l.Decoder.Root().MinSize), l.Image.Entries)
	var targets []isa.BranchTarget
	l.walk(func(ln line) {
		if ln.ok {
			targets = l.Decoder.Targets(targets[:0], ln.in)
			labels.Add(targets)
		}
	})
	return labels
}

// Write prints the listing. It returns the number of findings: unknown words and bits that are not
// as they should be.
func (l *Listing) Write(w *bufio.Writer) (findings int, err error) {
	labels := l.prepare()
	comment := l.comment()
	for _, h := range l.Image.Header {
		fmt.Fprintln(w, l.Palette.paint(dim, strings.TrimRight(comment+" "+h, " ")))
	}
	first := len(l.Image.Header) == 0
	var buf []byte
	l.walk(func(ln line) {
		if !l.Bare {
			first = l.head(w, labels, ln.addr, comment, first)
		}
		buf = l.columns(buf[:0], ln)
		buf, findings = l.instruction(buf, ln, comment, findings)
		buf = append(buf, '\n')
		if _, e := w.Write(buf); e != nil && err == nil {
			err = e
		}
	})
	if e := w.Flush(); err == nil {
		err = e
	}
	return findings, err
}

// prepare hooks the names of the image into the decoder.
func (l *Listing) prepare() *program.Labels {
	l.Decoder.Label, l.Decoder.Symbol = nil, nil
	labels := l.Labels()
	if !l.Bare {
		l.Decoder.Label = labels.Name
	}
	if l.Image.Symbol != nil {
		l.Decoder.Symbol = func(space string, value uint64) (string, bool) {
			return l.Image.Symbol(l.Decoder.Addr, space, value)
		}
	}
	return labels
}

func (l *Listing) comment() string {
	if c := l.Decoder.Set().Comment(); c != "" {
		return c
	}
	return ";"
}

// head prints what stands before the instruction at an address.
func (l *Listing) head(w *bufio.Writer, labels *program.Labels, addr int64, comment string, first bool) bool {
	names, function := labels.At(addr)
	section := l.Image.Sections[addr]
	if !first && (function || len(section) > 0) {
		fmt.Fprintln(w)
	}
	for _, s := range section {
		fmt.Fprintln(w, l.Palette.paint(dim, strings.TrimRight(comment+" "+s, " ")))
	}
	for _, n := range names {
		fmt.Fprintln(w, l.Palette.paint(tokenColours[isa.Target], n)+":")
	}
	return false
}

// columns appends address and word.
func (l *Listing) columns(dst []byte, ln line) []byte {
	if l.Addresses {
		dst = append(dst, l.Palette.paint(dim, fmt.Sprintf("%04x", ln.addr/int64(l.Decoder.Root().MinSize)))...)
		dst = append(dst, "  "...)
	}
	if l.Words {
		words := string(program.AppendWords(nil, l.Decoder.Set(), ln.word, ln.size))
		dst = append(dst, l.Palette.paint(dim, words)...)
		for n := len(words); n < 9*(l.Decoder.Root().Size+31)/32-1; n++ {
			dst = append(dst, ' ')
		}
		dst = append(dst, "  "...)
	}
	if !l.Addresses && !l.Words && !l.Bare {
		dst = append(dst, "    "...)
	}
	return dst
}

func (l *Listing) instruction(dst []byte, ln line, comment string, findings int) ([]byte, int) {
	if !ln.ok {
		l.report(ln.addr, "no instruction has these bits")
		return AppendUnknown(dst, l.Decoder.Set(), ln.word, ln.size), findings + 1
	}
	if l.Print != nil {
		dst = l.Print(dst, ln.in)
	} else {
		dst = l.Palette.Append(dst, l.Decoder, ln.in)
	}
	for i, f := range l.Decoder.Findings() {
		findings++
		l.report(ln.addr, f.Text)
		if l.Quiet {
			continue
		}
		if i == 0 {
			dst = append(dst, "\t"+comment+" "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = append(dst, f.Text...)
	}
	return dst, findings
}

func (l *Listing) report(addr int64, text string) {
	if l.Report != nil {
		l.Report(addr, text)
	}
}

// AppendUnknown appends the directive that stands for a word of size bits that is no instruction.
func AppendUnknown(dst []byte, set *isa.Set, word bits.Value, size int) []byte {
	dst = append(dst, ".word"...)
	n := (size + 31) / 32
	for i := range n {
		at := i
		if set.HighFirst() {
			at = n - 1 - i
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, " 0x"...)
		group := bits.Of(uint64(word.Word(at)))
		dst = group.AppendHex(dst, min(32, size-32*at+3)/4)
	}
	return dst
}
