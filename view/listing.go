package view

import (
	"bufio"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Listing prints the code of an image with labels, one instruction per line.
type Listing struct {
	Decoder *isa.Decoder
	Image   *program.Image
	// File is the name of the file in JSON; if it is "", JSON omits it.
	File string
	// Addresses and Words add columns in front of the text.
	Addresses, Words bool
	// Jumps adds a column of arrows, from each jump to its target. It needs the whole program.
	Jumps   bool
	Palette Palette
	// Bare prints only the text: no header, labels or indentation, and numbers instead of names.
	Bare bool
	// Report, unless it is nil, is called with each finding and its address in bits.
	Report func(addr int64, text string)
	// Detail chooses how much WriteJSON writes.
	Detail Detail
	// Facts adds to the output of WriteJSON what each instruction reads and writes, and where control can go. If Facts
	// is nil, WriteJSON omits this.
	Facts *facts.Machine
	// Quiet omits the comments with findings after instructions.
	Quiet bool
	// MaxErrors ends the listing after more than that many consecutive lines with findings; 0 disables the limit.
	MaxErrors int
	// Progress, unless it is nil, is called before each instruction with the amount read so far and the total.
	Progress func(done, all int64)
	// Print appends the text of an instruction, which belongs to the decoder that Current returns. If Print is nil, the
	// listing uses the text of the decoder.
	Print func(dst []byte, in isa.Inst) []byte

	printed  []byte // by Print
	current  *isa.Decoder
	decoders map[*isa.Root]*isa.Decoder // of an image with pieces
	base     int64

	// to is the address at which a piece of the code ends, or 0 for all code. labels holds the labels of all pieces.
	to     int64
	labels *program.Labels

	// aligns holds the alignments of the leaves of each root, by the ID of the leaf, in bits.
	aligns map[*isa.Root][]int64
}

// Current returns the decoder of the instruction that is being printed.
func (l *Listing) Current() *isa.Decoder { return l.current }

// line is an instruction of an image, or an unknown word.
type line struct {
	addr int64
	in   isa.Inst
	ok   bool
	// size and word are the stored bits.
	size int
	word bits.Value
	// conflict is the result of Decoder.Conflict for an unknown word.
	conflict []*isa.Leaf
	// piece is nil in images without pieces.
	piece *program.Piece
}

// lines yields each instruction in order, and sets the address of the decoder to the address of the instruction. An
// unknown word is as long as the shortest instruction.
func (l *Listing) lines() iter.Seq[line] {
	if l.Image.Pieces != nil {
		return l.pieces()
	}
	l.current = l.Decoder
	root := l.Decoder.Root()
	sizes := l.sizes()
	end := l.Image.Size()
	if l.to > 0 {
		end = l.to
	}
	return func(yield func(line) bool) {
		for addr := l.Image.Start; addr < end; {
			l.reportProgress(addr-l.Image.Start, end-l.Image.Start)
			ln := l.line(addr, sizes)
			if !yield(ln) {
				return
			}
			addr += int64(root.StoredSize(ln.size))
		}
	}
}

func (l *Listing) reportProgress(done, all int64) {
	if l.Progress != nil {
		l.Progress(done, all)
	}
}

// sizes returns the instruction lengths that line has to try. If the bits of a longer word start with the bits of a
// shorter word, the longest length is sufficient. Otherwise the order of the words depends on their number, and line
// has to try all lengths.
func (l *Listing) sizes() []int {
	root := l.Decoder.Root()
	if !root.HighFirst {
		return []int{root.Size}
	}
	var sizes []int
	for _, leaf := range root.Leaves {
		sizes = append(sizes, leaf.Size)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// line decodes the word at an address.
func (l *Listing) line(addr int64, sizes []int) line {
	ln := line{addr: addr}
	d, root := l.Decoder, l.Decoder.Root()
	d.Addr = addr
	for _, size := range sizes {
		v, have := l.Image.At(addr, root, size)
		ln.in, ln.ok = d.Decode(v)
		if ln.ok && ln.in.Leaf.Size <= have && (len(sizes) == 1 || ln.in.Leaf.Size == size) {
			ln.size = ln.in.Leaf.Size
			if ln.word = ln.in.Bits; ln.size%root.WordSize != 0 {
				ln.size = root.StoredSize(ln.size)
				ln.word = v.And(bits.Ones(ln.size))
			}
			return ln
		}
		if !ln.ok && ln.conflict == nil {
			ln.conflict = d.Conflict()
		}
	}
	ln.ok = false
	ln.word, ln.size = l.Image.At(addr, root, root.MinSize)
	return ln
}

// end returns the address after the last instruction.
func (l *Listing) end() int64 {
	end := l.Image.Start
	for ln := range l.lines() {
		end = ln.addr + int64(l.Decoder.Root().StoredSize(ln.size))
	}
	return end
}

// Labels returns the labels of the code: its entry points and branch targets.
func (l *Listing) Labels() *program.Labels {
	if l.labels == nil {
		l.labels = l.newLabels(l.Image.Size(), l.Image.Entries)
		l.addLabels(l.labels)
	}
	return l.labels
}

// newLabels returns labels for code of size bits.
func (l *Listing) newLabels(size int64, entries []program.Entry) *program.Labels {
	labels := program.NewLabels(size, l.Unit(), entries)
	if l.Image != nil && l.Image.Pieces != nil {
		labels.Split(l.Image.Members())
	}
	return labels
}

// Symbol returns the function with which a parser finds the address of a label in the text of the current instruction.
func (l *Listing) Symbol(labels *program.Labels) func(name string) (addr int64, ok bool) {
	return func(name string) (int64, bool) {
		addr, ok := labels.AddressFrom(l.base, name)
		return addr - l.base, ok
	}
}

// addLabels adds the branch targets of the image.
func (l *Listing) addLabels(labels *program.Labels) {
	var targets []isa.BranchTarget
	for ln := range l.lines() {
		targets = targets[:0]
		if ln.ok && !ln.beyond() {
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

// Unit returns the unit of labels, in bits: the address of each label is a multiple of it.
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
	return int64(l.Decoder.Root().Alignment())
}

// Write prints the listing. It returns the number of findings: unknown words and unexpected bits.
func (l *Listing) Write(w *bufio.Writer) (findings int, err error) {
	if findings, err = l.write(w, l.prepare(), true); err != nil {
		return findings, err
	}
	return findings, w.Flush()
}

// write prints the image. first is set if nothing was printed before.
func (l *Listing) write(w *bufio.Writer, labels *program.Labels, first bool) (findings int, err error) {
	if !l.Bare && first {
		l.remarks(w, "", l.Image.Header)
		first = len(l.Image.Header) == 0
	}
	if l.source() {
		if l.Image.OneWay != "" {
			l.remarks(w, "", []string{"not lossless: " + l.Image.OneWay})
		}
		for _, s := range l.Image.Lead {
			fmt.Fprintln(w, s)
		}
	}
	var arrows *jumps
	if l.Jumps {
		arrows = l.newJumps()
	}
	var buf []byte
	bad, number := 0, 0
	for ln := range l.lines() {
		if !l.Bare {
			l.head(w, labels, ln, first, func() string { return string(arrows.append(nil, l.Palette, number, true)) })
			first = false
		}
		if ln.piece != nil && ln.piece.Lead != "" && l.source() {
			fmt.Fprintln(w, ln.piece.Lead)
		}
		var found int
		buf = arrows.append(buf[:0], l.Palette, number, false)
		buf, found = l.instruction(l.columns(buf, ln), ln)
		number++
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

// source reports whether the listing is source for asm.
func (l *Listing) source() bool {
	return l.Print != nil && !l.Bare && !l.Addresses && !l.Words
}

// prepare makes the decoders print the names of the image. It returns the labels, or nil for a bare listing.
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

// hook makes a decoder print the names of the image.
func (l *Listing) hook(d *isa.Decoder, labels *program.Labels) {
	d.Label = func(addr int64, call bool) (string, bool) {
		name, ok := labels.Name(l.base+addr, call)
		return Printable(name), ok
	}
	if l.Image.Symbol != nil && l.Print == nil { // a lossless text is read back without the names
		d.Symbol = func(space string, value uint64) (string, bool) {
			name, ok := l.Image.Symbol(l.base+d.Addr, space, value)
			return Printable(name), ok
		}
	}
}

// remarks prints comment lines about the code. Each line starts with lead.
func (l *Listing) remarks(w *bufio.Writer, lead string, lines []string) {
	for _, s := range lines {
		fmt.Fprintln(w, lead+l.Palette.paint(dim, strings.TrimRight(program.Comment(l.Decoder.Set())+" "+Printable(s), " ")))
	}
}

// head prints the lines before an instruction: an empty line before a function unless it is the first of the listing, remarks,
// and labels. Each line starts with arrows.
func (l *Listing) head(w *bufio.Writer, labels *program.Labels, ln line, first bool, arrows func() string) {
	if ln.piece != nil && !ln.piece.Target {
		return
	}
	names, function := labels.At(ln.addr)
	section := l.Image.Sections[ln.addr]
	if len(names) == 0 && len(section) == 0 {
		return
	}
	lead := arrows()
	if !first && (function || len(section) > 0) {
		fmt.Fprintln(w, strings.TrimRight(lead, " "))
	}
	l.remarks(w, lead, section)
	for _, n := range names {
		fmt.Fprintln(w, lead+l.Palette.paint(tokenColours[isa.TokenLabel], Printable(n))+":")
	}
}

// columns appends the address and the word of a line, if the listing shows them, and the indentation.
func (l *Listing) columns(dst []byte, ln line) []byte {
	root := l.Decoder.Root()
	if l.Addresses {
		dst = append(dst, l.Palette.paint(dim, string(appendAddress(nil, l.address(ln))))...)
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

// address returns the address of a line in bytes from the start of its program.
func (l *Listing) address(ln line) int64 {
	if ln.piece != nil {
		return (ln.addr - ln.piece.Base) / 8
	}
	return ln.addr / 8
}

// appendAddress appends an address, in bytes, in the format of the column of addresses.
func appendAddress(dst []byte, addr int64) []byte { return fmt.Appendf(dst, "0x%04x", addr) }

// beyond reports whether bits are set that are stored with an instruction but do not belong to it.
func (ln *line) beyond() bool { return ln.ok && ln.word != ln.in.Bits }

// NoInstruction returns the finding of an unknown word, for which Decoder.Conflict returned conflict.
func NoInstruction(conflict []*isa.Leaf) string {
	if len(conflict) < 2 {
		return "no instruction has these bits"
	}
	a, b := conflict[0], conflict[1]
	return fmt.Sprintf("two instructions have these bits: %s is %s, %s is %s", a.Display, pattern(a), b.Display, pattern(b))
}

// pattern returns a picture of the bits of a leaf, the most significant first: 0 or 1 for fixed bits, x for ignored
// bits, and - for other bits.
func pattern(l *isa.Leaf) string {
	text := make([]byte, l.Size)
	for i := range text {
		bit := l.Size - 1 - i
		switch {
		case l.DontCare.Bit(bit) == 1:
			text[i] = 'x'
		case l.Mask.Bit(bit) == 0:
			text[i] = '-'
		default:
			text[i] = '0' + byte(l.Match.Bit(bit))
		}
	}
	return string(text)
}

// instruction appends the text of an instruction and returns the number of findings.
func (l *Listing) instruction(dst []byte, ln line) ([]byte, int) {
	d := l.current
	if !ln.ok && ln.piece != nil && ln.piece.Root == nil {
		if ln.piece.Text != "" {
			return append(dst, ln.piece.Text...), 0
		}
		return program.AppendData(dst, d.Root(), ln.word, ln.size), 0
	}
	if !ln.ok {
		return l.unknown(dst, ln), 1
	}
	if text := l.nonconformity(ln); text != "" {
		return l.nonconforming(dst, ln, text), 1
	}
	switch {
	case l.Print == nil:
		dst = l.Palette.Append(dst, d, ln.in)
	case l.Palette.on:
		dst = l.Palette.complete(dst, d, ln.in, l.Print(nil, ln.in))
	default:
		dst = l.Print(dst, ln.in)
	}
	l.reportOf(ln.addr, d)
	if !l.Quiet {
		dst = AppendFindings(dst, d)
	}
	return dst, d.NumFindings()
}

// misaligned returns the alignment in bits that the address of an instruction violates, as the <meta align> of its
// description states it, or 0 if the address is aligned.
func (l *Listing) misaligned(ln line) int64 {
	root := l.current.Root()
	aligns, known := l.aligns[root]
	if !known {
		if l.aligns == nil {
			l.aligns = map[*isa.Root][]int64{}
		}
		aligns = program.Alignments(root)
		l.aligns[root] = aligns
	}
	if aligns == nil || ln.addr == l.base {
		return 0
	}
	if n := aligns[ln.in.Leaf.ID]; n > 1 && (ln.addr-l.base)%n != 0 {
		return n
	}
	return 0
}

// unknown appends the data directive for a word that matches no instruction, or two instructions.
func (l *Listing) unknown(dst []byte, ln line) []byte {
	text := NoInstruction(ln.conflict)
	l.report(ln.addr, text)
	dst = program.AppendData(dst, l.current.Root(), ln.word, ln.size)
	if len(ln.conflict) == 0 || l.Quiet {
		return dst
	}
	return AppendRemark(dst, l.current.Set(), text)
}

// nonconformity returns the reason why the text of an instruction would not assemble to the same word, or "" if it
// would.
func (l *Listing) nonconformity(ln line) string {
	if ln.beyond() {
		return fmt.Sprintf("bits beyond the %d of an instruction", ln.in.Leaf.Size)
	}
	if n := l.misaligned(ln); n > 0 {
		return "not at a multiple of " + strconv.FormatInt(n, 10) + " bits"
	}
	return ""
}

// nonconforming appends an instruction for which nonconformity returned the reason text. If asm has to read the line back, or the word has bits
// beyond the instruction, it appends the words as data.
func (l *Listing) nonconforming(dst []byte, ln line, text string) []byte {
	d := l.current
	if l.Print != nil || ln.beyond() {
		text += ": " + string(d.Append(nil, ln.in))
		dst = program.AppendData(dst, d.Root(), ln.word, ln.size)
	} else {
		dst = l.Palette.Append(dst, d, ln.in)
	}
	l.report(ln.addr, text)
	if !l.Quiet || l.Print != nil && !l.Bare {
		return AppendRemark(dst, l.current.Set(), text)
	}
	return dst
}

// AppendRemark appends a tab and a comment.
func AppendRemark(dst []byte, set *isa.Set, text string) []byte {
	return append(append(append(append(dst, '\t'), program.Comment(set)...), ' '), text...)
}

func (l *Listing) report(addr int64, text string) {
	if l.Report != nil {
		l.Report(addr, text)
	}
}

// reportOf reports the findings of the decoder.
func (l *Listing) reportOf(addr int64, d *isa.Decoder) {
	if l.Report == nil {
		return
	}
	for _, f := range d.Findings() {
		l.Report(addr, f.Text)
	}
}

// AppendFindings appends, as a comment, the findings about the instruction that the decoder printed last.
func AppendFindings(dst []byte, d *isa.Decoder) []byte {
	for i := range d.NumFindings() {
		if i == 0 {
			dst = append(append(append(dst, '\t'), program.Comment(d.Set())...), ' ')
		} else {
			dst = append(dst, ", "...)
		}
		dst = d.AppendFinding(dst, i)
	}
	return dst
}

// Printable escapes the bytes of a name that could change a terminal or break the lines of a listing: control characters, and
// bytes that are not UTF-8.
func Printable(s string) string { return program.Printable(s) }
