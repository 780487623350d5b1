package view

import (
	"bufio"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	// Bare prints the text alone: no header, no labels, no indent, and numbers for all names.
	Bare bool
	// Report is told of findings, with the address in bits; nil is not.
	Report func(addr int64, text string)
	// Quiet leaves out what is odd about a word, which is otherwise a comment behind it.
	Quiet bool
	// MaxErrors ends the listing after more than so many lines in a row in which something was found;
	// 0 never does.
	MaxErrors int
	// Print prints an instruction of the decoder that Current returns; nil is the decoder's own text.
	Print func(dst []byte, in isa.Inst) []byte

	current  *isa.Decoder
	decoders map[*isa.Root]*isa.Decoder // of an image with pieces
	base     int64

	// to is the address at which a piece of the code ends, 0 for all of it; labels are those of all
	// pieces.
	to     int64
	labels *program.Labels

	// aligns has, for each leaf of alignsOf by its ID, what the address of its words is a multiple of.
	alignsOf *isa.Root
	aligns   []int64
}

// Current returns the decoder of the instruction that is being printed.
func (l *Listing) Current() *isa.Decoder { return l.current }

// line is an instruction of an image, or a word that is none.
type line struct {
	addr int64
	in   isa.Inst
	ok   bool
	size int
	word bits.Value
	// piece is nil in images without pieces.
	piece *program.Piece
}

// lines yields each instruction in order; the decoder stands at its address. An unknown word is as
// long as the shortest instruction.
func (l *Listing) lines() iter.Seq[line] {
	if l.Image.Pieces != nil {
		return l.pieces()
	}
	l.current = l.Decoder
	root := l.Decoder.Root()
	unit, sizes := program.Unit(root), l.sizes()
	end := l.Image.Size()
	if l.to > 0 {
		end = l.to
	}
	return func(yield func(line) bool) {
		for addr := l.Image.Start; addr < end; {
			ln := l.line(addr, sizes)
			if !yield(ln) {
				return
			}
			addr += int64(program.Stored(max(ln.size, 1), unit))
		}
	}
}

// sizes lists the lengths at which an instruction has to be looked for. The bits of longer ones
// start with those of shorter ones, so that the longest does for all, unless the order of the words
// depends on their number.
func (l *Listing) sizes() []int {
	root := l.Decoder.Root()
	if !l.Decoder.Set().HighFirst() {
		return []int{root.Size}
	}
	var sizes []int
	for _, leaf := range root.Leaves {
		sizes = append(sizes, leaf.Size)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// line decodes what stands at an address.
func (l *Listing) line(addr int64, sizes []int) line {
	ln := line{addr: addr}
	d := l.Decoder
	d.Addr = addr
	for _, size := range sizes {
		v, have := l.Image.At(addr, d.Set().HighFirst(), size)
		ln.in, ln.ok = d.Decode(v)
		if ln.ok && ln.in.Leaf.Size <= have && (len(sizes) == 1 || ln.in.Leaf.Size == size) {
			ln.size, ln.word = ln.in.Leaf.Size, ln.in.Bits
			return ln
		}
	}
	v, have := l.Image.At(addr, d.Set().HighFirst(), d.Root().MinSize)
	ln.ok, ln.size = false, min(d.Root().MinSize, have)
	ln.word = v.And(bits.Ones(ln.size))
	return ln
}

// end returns the address behind the last instruction.
func (l *Listing) end() int64 {
	unit := program.Unit(l.Decoder.Root())
	end := l.Image.Start
	for ln := range l.lines() {
		end = ln.addr + int64(program.Stored(max(ln.size, 1), unit))
	}
	return end
}

// Labels finds the labels of the code: entries, and what branches go to.
func (l *Listing) Labels() *program.Labels {
	if l.labels == nil {
		labels := l.newLabels(l.Image.Size(), l.Image.Entries)
		l.addLabels(labels)
		return labels
	}
	return l.labels
}

// newLabels returns labels for code of so many bits.
func (l *Listing) newLabels(size int64, entries []program.Entry) *program.Labels {
	return program.NewLabels(size, l.Unit(), entries)
}

// addLabels adds what the branches of the image go to.
func (l *Listing) addLabels(labels *program.Labels) {
	var targets []isa.BranchTarget
	for ln := range l.lines() {
		targets = targets[:0]
		if ln.ok {
			targets = l.current.Targets(targets, ln.in)
		}
		for i := range targets {
			targets[i].Addr += l.base
		}
		if ln.piece == nil || ln.piece.Target {
			labels.Add(ln.addr, targets)
		}
	}
}

// Unit returns the number of bits of which the places that have labels are multiples.
func (l *Listing) Unit() int64 {
	unit := 0
	for i := 0; l.Image != nil && i < len(l.Image.Pieces); i++ {
		if p := &l.Image.Pieces[i]; p.Target && (unit == 0 || p.Size < unit) {
			unit = p.Size
		}
	}
	if unit > 0 {
		return int64(unit)
	}
	root := l.Decoder.Root()
	return int64(program.Stored(max(root.MinSize, 1), program.Unit(root)))
}

// Write prints the listing. It returns the number of findings: unknown words and bits that are not
// as they should be.
func (l *Listing) Write(w *bufio.Writer) (findings int, err error) {
	if findings, err = l.write(w, l.prepare(), true); err != nil {
		return findings, err
	}
	return findings, w.Flush()
}

// write prints the image; first tells that nothing was printed before.
func (l *Listing) write(w *bufio.Writer, labels *program.Labels, first bool) (findings int, err error) {
	if !l.Bare && first {
		l.remarks(w, l.Image.Header)
		first = len(l.Image.Header) == 0
	}
	var buf []byte
	bad := 0
	for ln := range l.lines() {
		if !l.Bare {
			l.head(w, labels, ln, first)
			first = false
		}
		var found int
		buf, found = l.instruction(l.columns(buf[:0], ln), ln)
		findings += found
		buf = append(buf, '\n')
		if _, err := w.Write(buf); err != nil {
			return findings, err
		}
		if bad++; found == 0 {
			bad = 0
		}
		if l.MaxErrors > 0 && bad > l.MaxErrors {
			break
		}
	}
	return findings, nil
}

// prepare hooks the names of the image into the decoder. It returns the labels; a bare listing has
// none.
func (l *Listing) prepare() *program.Labels {
	l.Decoder.Label, l.Decoder.Symbol = nil, nil
	l.decoders = nil
	if l.Bare {
		return nil
	}
	labels := l.Labels()
	l.hook(l.Decoder, labels)
	for _, d := range l.decoders {
		l.hook(d, labels)
	}
	return labels
}

// hook gives a decoder the names of the image.
func (l *Listing) hook(d *isa.Decoder, labels *program.Labels) {
	d.Label = func(addr int64, call bool) (string, bool) {
		name, ok := labels.Name(l.base+addr, call)
		return Printable(name), ok
	}
	if l.Image.Symbol != nil {
		d.Symbol = func(space string, value uint64) (string, bool) {
			name, ok := l.Image.Symbol(l.base+d.Addr, space, value)
			return Printable(name), ok
		}
	}
}

// remarks prints lines that say something about the code.
func (l *Listing) remarks(w *bufio.Writer, lines []string) {
	for _, s := range lines {
		fmt.Fprintln(w, l.Palette.paint(dim, strings.TrimRight(program.Comment(l.Decoder.Set())+" "+Printable(s), " ")))
	}
}

// head prints what stands before an instruction: an empty line before a function,
// unless it is the first of the listing, remarks, and labels.
func (l *Listing) head(w *bufio.Writer, labels *program.Labels, ln line, first bool) {
	if ln.piece != nil && !ln.piece.Target {
		return
	}
	names, function := labels.At(ln.addr)
	section := l.Image.Sections[ln.addr]
	if !first && (function || len(section) > 0) {
		fmt.Fprintln(w)
	}
	l.remarks(w, section)
	for _, n := range names {
		fmt.Fprintln(w, l.Palette.paint(tokenColours[isa.Target], Printable(n))+":")
	}
}

// columns appends address and word.
func (l *Listing) columns(dst []byte, ln line) []byte {
	root := l.Decoder.Root()
	if l.Addresses {
		dst = append(dst, l.Palette.paint(dim, fmt.Sprintf("%04x", l.address(ln)))...)
		dst = append(dst, "  "...)
	}
	if l.Words {
		words := string(program.AppendWords(nil, l.Decoder.Set(), ln.word, ln.size))
		dst = append(dst, l.Palette.paint(dim, words)...)
		for n := len(words); n < (root.Size+3)/4+(root.Size+31)/32-1; n++ {
			dst = append(dst, ' ')
		}
		dst = append(dst, "  "...)
	}
	switch {
	case l.Bare:
	case ln.piece != nil:
		dst = append(dst, ln.piece.Indent...)
	case !l.Addresses && !l.Words:
		dst = append(dst, "    "...)
	}
	return dst
}

// address returns the number that a line has in the column of addresses.
func (l *Listing) address(ln line) int64 {
	if ln.piece == nil {
		return ln.addr / int64(max(l.Decoder.Root().MinSize, 1))
	}
	root := ln.piece.Root
	if root == nil {
		root = l.Decoder.Root()
	}
	return (ln.addr - ln.piece.Base) / int64(max(root.MinSize, 1))
}

// noInstruction is what is found in a word that is none.
const noInstruction = "no instruction has these bits"

// instruction appends the text of an instruction and returns the number of findings.
func (l *Listing) instruction(dst []byte, ln line) ([]byte, int) {
	d := l.current
	if !ln.ok && ln.piece != nil && ln.piece.Root == nil {
		return program.AppendData(dst, d.Set(), d.Root(), ln.word, ln.size), 0
	}
	if !ln.ok {
		l.report(ln.addr, noInstruction)
		return program.AppendData(dst, d.Set(), d.Root(), ln.word, ln.size), 1
	}
	if n := l.misaligned(ln); n > 0 {
		return l.misplaced(dst, ln, n)
	}
	if l.Print != nil {
		dst = l.Print(dst, ln.in)
	} else {
		dst = l.Palette.Append(dst, d, ln.in)
	}
	for _, f := range d.Findings() {
		l.report(ln.addr, f.Text)
	}
	if !l.Quiet {
		dst = AppendFindings(dst, d)
	}
	return dst, len(d.Findings())
}

// misaligned returns what the address of an instruction should be a multiple of, as the <meta align> of
// its description says in bits, and 0 for one that stands as it should.
func (l *Listing) misaligned(ln line) int64 {
	if root := l.current.Root(); root != l.alignsOf {
		l.alignsOf, l.aligns = root, program.Alignments(root)
	}
	if l.aligns == nil || ln.addr == l.base {
		return 0
	}
	if n := l.aligns[ln.in.Leaf.ID]; n > 1 && (ln.addr-l.base)%n != 0 {
		return n
	}
	return 0
}

// misplaced appends an instruction at a place where none can be. What asm is to read back is its words.
func (l *Listing) misplaced(dst []byte, ln line, multiple int64) ([]byte, int) {
	d := l.current
	text := "at no multiple of " + strconv.FormatInt(multiple, 10) + " bits"
	l.report(ln.addr, text)
	if l.Print != nil {
		text += ": " + string(d.Append(nil, ln.in))
		dst = program.AppendData(dst, d.Set(), d.Root(), ln.word, ln.size)
	} else {
		dst = l.Palette.Append(dst, d, ln.in)
	}
	if !l.Quiet || l.Print != nil && !l.Bare {
		dst = append(append(append(dst, '\t'), program.Comment(d.Set())...), ' ')
		dst = append(dst, text...)
	}
	return dst, 1
}

func (l *Listing) report(addr int64, text string) {
	if l.Report != nil {
		l.Report(addr, text)
	}
}

// AppendFindings appends, as a comment, what the decoder found in the instruction that it printed
// last.
func AppendFindings(dst []byte, d *isa.Decoder) []byte {
	for i, f := range d.Findings() {
		if i == 0 {
			dst = append(append(append(dst, '\t'), program.Comment(d.Set())...), ' ')
		} else {
			dst = append(dst, ", "...)
		}
		dst = append(dst, f.Text...)
	}
	return dst
}

// Printable escapes what a name out of a file must not do to a terminal or to the lines of a
// listing: control characters, and bytes that are no UTF-8.
func Printable(s string) string {
	clean := func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }
	if strings.IndexFunc(s, clean) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	return strings.ReplaceAll(quoted, `\\`, `\`)
}
