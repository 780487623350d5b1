package view

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

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
	digits := in.Bits.AppendHex(nil, (in.Leaf.Size+3)/4)
	e.printf("%s\n", p.paint(dim, fmt.Sprintf("%s, %d bits: %s", title(d.Set(), in), in.Leaf.Size, digits)))
	if doc := in.Leaf.Doc(); doc != "" {
		e.printf("%s\n", wrap(doc, "  "))
	}
	e.drawWord(in, fields)
	for i := range fields {
		if fields[i].Index {
			e.drawEntry(d, &fields[i], fields)
		}
	}
	e.derived(fields)
	for _, f := range findings {
		e.printf("finding: %s\n", f.Text)
	}
	return e.err
}

// title names an instruction and its machine.
func title(set *isa.Set, in isa.Inst) string {
	if name := set.Name(); name != "" {
		return in.Leaf.Display + " of " + name
	}
	return in.Leaf.Display
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
	fixedLetter    = '='
	ignoredLetter  = '.'
	expectedLetter = '!'
	formLetter     = '-'
	nothingLetter  = '?'
)

// letters has the names of fields in a picture, in the order in which they are given out.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// picture is the word, or one table entry, while it is drawn.
type picture struct {
	word  bits.Value
	size  int
	cells []legend
	// fields are those whose bits are drawn here.
	fields []legend
}

// drawWord draws the word of an instruction.
func (e *explainer) drawWord(in isa.Inst, fields []isa.Field) {
	pic := newPicture(in.Bits, in.Leaf.Size)
	note := "ignored"
	if set := in.Bits.And(in.Leaf.DontCare); !set.IsZero() {
		note = "ignored, though some are set"
	}
	others := []other{
		{nothingLetter, "not described", bits.Ones(in.Leaf.Size)},
		{ignoredLetter, note, in.Leaf.DontCare},
		{expectedLetter, "expected to have a certain value", in.Leaf.Asserted()},
		{fixedLetter, "what makes it this instruction", in.Leaf.Mask},
	}
	e.draw(pic, fields, others, func(f *isa.Field) bool { return f.Table == "" })
}

// drawEntry draws the table entry of which a field is the index.
func (e *explainer) drawEntry(d *isa.Decoder, index *isa.Field, fields []isa.Field) {
	n := int(index.Value[0])
	for i, t := range d.Set().Tables() {
		if t.Name != index.IndexOf {
			continue
		}
		word := d.TableEntry(i, n)
		e.printf("\nentry %d of table %s, %d bits: %s\n", n, t.Name, t.Bits, word.AppendHex(nil, (t.Bits+3)/4))
		others := []other{{ignoredLetter, "ignored", bits.Ones(t.Bits)}}
		e.draw(newPicture(word, t.Bits), fields, others, func(f *isa.Field) bool {
			return f.Table == t.Name && f.Entry == n && strings.HasPrefix(f.Path, index.Path+".")
		})
		return
	}
}

// other is a group of bits that belong to no field.
type other struct {
	letter byte
	note   string
	mask   bits.Value
}

func newPicture(word bits.Value, size int) *picture {
	return &picture{word: word, size: size, cells: make([]legend, size)}
}

// paint gives bits a letter.
func (p *picture) paint(l legend, parts []isa.Part) {
	for _, part := range parts {
		for b := part.Low; b < min(part.Low+part.Width, p.size); b++ {
			p.cells[b] = l
		}
	}
}

// draw draws the fields that are here, and the other bits under them, later ones over earlier ones.
func (e *explainer) draw(pic *picture, fields []isa.Field, others []other, here func(*isa.Field) bool) {
	for _, o := range others {
		pic.paint(legend{letter: o.letter, colour: otherColour(o.letter)}, partsOf(o.mask))
	}
	for i := range fields {
		f := &fields[i]
		if f.Derived() || !here(f) {
			continue
		}
		if !e.drawn(fields, i) {
			if e.nested { // what its inner fields leave over chooses its form
				pic.paint(legend{letter: formLetter}, f.Parts)
			}
			continue
		}
		n := len(pic.fields)
		l := legend{letters[n%len(letters)], fieldColours[n%len(fieldColours)], f}
		pic.fields = append(pic.fields, l)
		pic.paint(l, f.Parts)
	}
	e.picture(pic)
	e.table(pic, append(others, other{letter: formLetter, note: "the form of an operand"}))
}

func otherColour(letter byte) string {
	if letter == fixedLetter {
		return ""
	}
	return dim
}

func partsOf(mask bits.Value) []isa.Part {
	var parts []isa.Part
	for _, r := range runs(mask) {
		parts = append(parts, isa.Part{Low: r.Low, Width: r.Width})
	}
	return parts
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
func (e *explainer) picture(pic *picture) {
	for high := pic.size - 1; high >= 0; {
		low := high / rowBits * rowBits
		var digits, names strings.Builder
		var marks ruler
		for b := high; b >= low; b-- {
			if b%8 == 7 && b != high {
				digits.WriteByte(' ')
				names.WriteByte(' ')
				marks.column++
			}
			if b%8 == 7 || b == high {
				marks.number(b)
			}
			digits.WriteString(e.p.paint(pic.cells[b].colour, fmt.Sprint(pic.word.Bit(b))) + " ")
			names.WriteString(e.p.paint(pic.cells[b].colour, string(rune(pic.cells[b].letter))) + " ")
			marks.column += 2
		}
		e.printf("\n  %s\n  %s\n  %s\n", marks.text, strings.TrimRight(digits.String(), " "), strings.TrimRight(names.String(), " "))
		high = low - 1
	}
	e.printf("\n")
}

// ruler is the line above the bits: the number of the highest bit, and of that of each byte.
type ruler struct {
	text   string
	column int
}

// number writes the number of a bit at the column, where there is room for it.
func (r *ruler) number(bit int) {
	if r.text == "" || len(r.text) < r.column {
		r.text += strings.Repeat(" ", r.column-len(r.text)) + strconv.Itoa(bit)
	}
}

// table prints the legend.
func (e *explainer) table(pic *picture, others []other) {
	var rows [][]string
	for _, l := range pic.fields {
		f := l.field
		rows = append(rows, []string{string(rune(l.letter)), where(f.Parts), f.Path, "0x" + f.Value.String(), f.Meaning, firstSentence(f.Doc)})
	}
	for i := len(others) - 1; i >= 0; i-- {
		o := others[i]
		var left bits.Value
		for b, c := range pic.cells {
			if c.letter == o.letter {
				left.SetUint(b, 1, 1)
			}
		}
		if !left.IsZero() {
			rows = append(rows, []string{string(rune(o.letter)), whereRuns(runs(left)), "", "", "", o.note})
		}
	}
	e.rows(rows, pic.fields)
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
		doc = string(r[:most-3])
		if i := strings.LastIndexByte(doc, ' '); i > 0 {
			doc = doc[:i]
		}
		doc += "..."
	}
	return doc
}

// wrap breaks a text into lines of at most 78 columns, indented.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+utf8.RuneCountInString(word) > 78 {
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
		column += utf8.RuneCountInString(word)
	}
	return b.String()
}
