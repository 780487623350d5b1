package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Explain draws an instruction: each bit of the word and of its table entries with a letter under
// it, and for each letter the field, its value and what it means. nested shows the fields inside
// operands in place of the operands.
func Explain(w io.Writer, d *isa.Decoder, in isa.Inst, p Palette, nested bool) error {
	text := string(p.Append(nil, d, in))
	findings := append([]isa.Finding(nil), d.Findings()...)
	fields := d.Fields(nil, in)
	e := explainer{w: w, p: p, nested: nested}
	e.printf("%s\n", text)
	e.printf("%s", p.paint(dim, fmt.Sprintf("%s of %s, %d bits: %s\n", in.Leaf.Display, d.Set().Name(), in.Leaf.Size, in.Bits.AppendHex(nil, (in.Leaf.Size+3)/4))))
	if doc := in.Leaf.Doc(); doc != "" {
		e.printf("%s\n", wrap(doc, "  "))
	}
	e.part("", in.Bits, in.Leaf.Size, in.Leaf.Mask, in.Leaf.DontCare, fields)
	for _, f := range fields {
		if f.Index {
			e.entry(d, &f, fields)
		}
	}
	e.derived(fields)
	for _, f := range findings {
		e.printf("finding: %s\n", f.Text)
	}
	return e.err
}

type explainer struct {
	w      io.Writer
	p      Palette
	nested bool
	err    error
}

func (e *explainer) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

// legend is a letter of the picture and what it stands for.
type legend struct {
	letter byte
	colour string
	field  *isa.Field
}

// Letters for bits that belong to no field.
const (
	fixedLetter   = '='
	ignoredLetter = '.'
)

// letters has the names of fields in a picture, in the order in which they are given out.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// part draws the word, or one table entry: those fields whose bits are in table.
func (e *explainer) part(table string, word bits.Value, size int, fixed, ignored bits.Value, fields []isa.Field) {
	var list []legend
	cells := make([]legend, size)
	for i := range cells {
		if fixed.Bit(i) == 1 {
			cells[i] = legend{letter: fixedLetter}
		} else {
			cells[i] = legend{letter: ignoredLetter, colour: dim}
		}
	}
	for i := range fields {
		f := &fields[i]
		if f.Table != table || f.Derived() || !e.drawn(fields, i) {
			continue
		}
		l := legend{letters[len(list)%len(letters)], fieldColours[len(list)%len(fieldColours)], f}
		list = append(list, l)
		for _, part := range f.Parts {
			for b := part.Low; b < part.Low+part.Width && b < size; b++ {
				cells[b] = l
			}
		}
	}
	e.picture(word, size, cells)
	e.table(list, word, fixed, ignored)
}

// drawn tells whether a field gets a letter: the outermost of the word or the entry, or with nested
// the innermost.
func (e *explainer) drawn(fields []isa.Field, i int) bool {
	if e.nested {
		return innermost(fields, i)
	}
	for k := i - 1; k >= 0 && fields[i].Depth > 0; k-- {
		if fields[k].Depth == fields[i].Depth-1 {
			return fields[k].Index
		}
	}
	return true
}

// innermost tells whether no field inside this one is listed in the same bits.
func innermost(fields []isa.Field, i int) bool {
	for k := i + 1; k < len(fields) && fields[k].Depth > fields[i].Depth; k++ {
		if fields[k].Table == fields[i].Table && !fields[k].Derived() {
			return false
		}
	}
	return true
}

// rowBits is the number of bits in a row of the picture.
const rowBits = 32

// picture prints the bits, the most significant first, in rows of 32.
func (e *explainer) picture(word bits.Value, size int, cells []legend) {
	for high := size - 1; high >= 0; {
		low := high / rowBits * rowBits
		var ruler, digits, names strings.Builder
		for b := high; b >= low; b-- {
			gap := ""
			if b%8 == 7 && b != high {
				gap = " "
			}
			digits.WriteString(gap + e.p.paint(cells[b].colour, fmt.Sprint(word.Bit(b))))
			names.WriteString(gap + e.p.paint(cells[b].colour, string(cells[b].letter)))
			digits.WriteByte(' ')
			names.WriteByte(' ')
			ruler.WriteString(gap + rulerCell(b, b == high))
		}
		e.printf("\n  %s\n  %s\n  %s\n", strings.TrimRight(ruler.String(), " "), strings.TrimRight(digits.String(), " "), strings.TrimRight(names.String(), " "))
		high = low - 1
	}
	e.printf("\n")
}

// rulerCell is what stands in the two columns above a bit: the number of the highest bit of each
// byte, of which numbers of three digits take a column of the next bit.
func rulerCell(bit int, first bool) string {
	switch {
	case bit%8 == 7 || first:
		return fmt.Sprintf("%-2d", bit)
	case bit%8 == 6 && bit > 99:
		return " "
	}
	return "  "
}

// table prints the legend.
func (e *explainer) table(list []legend, word, fixed, ignored bits.Value) {
	rows := [][]string{}
	for _, l := range list {
		f := l.field
		rows = append(rows, []string{string(l.letter), where(f.Parts), f.Path, "0x" + f.Value.String(), f.Meaning, firstSentence(f.Doc)})
	}
	if !fixed.IsZero() {
		rows = append(rows, []string{string(rune(fixedLetter)), whereRuns(runs(fixed)), "", "", "", "what makes it this instruction"})
	}
	if !ignored.IsZero() {
		set := word.And(ignored)
		note := "ignored"
		if !set.IsZero() {
			note = "ignored, though some are set"
		}
		rows = append(rows, []string{string(rune(ignoredLetter)), whereRuns(runs(ignored)), "", "", "", note})
	}
	e.rows(rows, list)
}

// rows prints columns padded to their widest cell.
func (e *explainer) rows(rows [][]string, list []legend) {
	var width [6]int
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	for i, r := range rows {
		colour := ""
		if i < len(list) {
			colour = list[i].colour
		}
		var b strings.Builder
		for k, c := range r {
			if width[k] == 0 {
				continue
			}
			pad := strings.Repeat(" ", width[k]-len([]rune(c)))
			if k == 0 {
				c = e.p.paint(colour, c)
			}
			b.WriteString("  " + c + pad)
		}
		e.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
}

func (e *explainer) entry(d *isa.Decoder, f *isa.Field, fields []isa.Field) {
	index := int(f.Value[0])
	for i, t := range d.Set().Tables() {
		if t.Name == f.IndexOf {
			word := d.TableEntry(i, index)
			e.printf("\nentry %d of table %s, %d bits: %s\n", index, t.Name, t.Bits, word.AppendHex(nil, (t.Bits+3)/4))
			var covered bits.Value
			for k := range fields {
				if fields[k].Table == t.Name {
					for _, p := range fields[k].Parts {
						covered = covered.Or(bits.Range(p.Low, p.Width))
					}
				}
			}
			e.part(t.Name, word, t.Bits, bits.Value{}, bits.Ones(t.Bits).AndNot(covered), fields)
			return
		}
	}
}

// derived lists the fields that are computed.
func (e *explainer) derived(fields []isa.Field) {
	var rows [][]string
	for i := range fields {
		f := &fields[i]
		if f.Derived() && (e.nested || f.Depth == 0) {
			rows = append(rows, []string{"", "computed", f.Path, "0x" + f.Value.String(), f.Meaning, firstSentence(f.Doc)})
		}
	}
	if len(rows) > 0 {
		e.printf("\n")
		e.rows(rows, nil)
	}
}

// where formats the bits of a field.
func where(parts []isa.Part) string {
	list := make([]Run, len(parts))
	for i, p := range parts {
		list[i] = Run{p.Low, p.Width}
	}
	return whereRuns(list)
}

func whereRuns(list []Run) string {
	var words []string
	for _, r := range list {
		if r.Width == 1 {
			words = append(words, fmt.Sprint(r.Low))
		} else {
			words = append(words, fmt.Sprintf("%d..%d", r.Low+r.Width-1, r.Low))
		}
	}
	return strings.Join(words, ",")
}

// firstSentence shortens documentation for a table.
func firstSentence(doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	const most = 72
	if r := []rune(doc); len(r) > most {
		doc = string(r[:most-3]) + "..."
	}
	return doc
}

// wrap breaks a text into lines of at most 78 columns, indented.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > 78 {
			b.WriteByte('\n')
			column = 0
		}
		if column == 0 {
			b.WriteString(indent)
			column = len(indent)
		} else {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
