package view

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// Explain draws an instruction. It prints each bit of the word and of its table entries with a letter below it, and for
// each letter the field, its value and its meaning.
func Explain(w io.Writer, d *isa.Decoder, in isa.Inst, p Palette, opt ExplainOptions) error {
	text := string(p.Append(nil, d, in))
	findings := append([]isa.Finding(nil), d.Findings()...)
	fields := d.Fields(nil, in)
	e := newExplainer(w, p, opt)
	e.printf("%s\n", text)
	digits := in.Bits.AppendHex(nil, (in.Leaf.Size+3)/4)
	e.printf("%s\n", p.paint(dim, fmt.Sprintf("%s, %d bits: %s", title(d.Set(), in), in.Leaf.Size, digits)))
	e.docs(d.Set(), in.Leaf)
	e.drawWord(in, fields)
	for i := range fields {
		if fields[i].Index {
			e.drawEntry(d, &fields[i], fields)
		}
	}
	e.derived(fields)
	if e.Facts != nil {
		if f, err := e.Facts.Of(d, in); err == nil {
			e.printf("\n")
			e.facts(f)
			e.quirks(e.Facts.QuirksOf(d, in))
		}
	}
	for _, f := range findings {
		e.printf("finding: %s\n", f.Text)
	}
	return e.err
}

// docs prints the documentation of an instruction. For a part of an instruction, it also prints the documentation of
// the root.
func (e *explainer) docs(set *isa.Set, l *isa.Leaf) {
	doc := l.Doc()
	if doc != "" {
		e.printf("%s\n", wrap(doc, "  ", e.Width))
	}
	if all := l.Root.Doc; all != "" && all != doc && set.IsNested(l.Root) {
		e.printf("\n%s\n", wrap(all, "  ", e.Width))
	}
}

// title names an instruction and its machine.
func title(set *isa.Set, in isa.Inst) string {
	if name := set.Name(); name != "" {
		return name + " " + in.Leaf.Display
	}
	return in.Leaf.Display
}

// ExplainOptions choose what Explain prints, and its width.
type ExplainOptions struct {
	// Nested draws the fields inside operands instead of the operands.
	Nested bool
	// All also lists fields that are 0 and not in the text.
	All bool
	// Facts provides facts about the instruction: what it reads and writes, and where control can go after it. If Facts
	// is nil, Explain omits them.
	Facts *facts.Machine
	// Width is the number of columns of the terminal; 0 is 80.
	Width int
}

type explainer struct {
	w   io.Writer
	p   Palette
	err error
	// form is set if the instruction has no word, so that fields have no values.
	form bool
	ExplainOptions
}

func newExplainer(w io.Writer, p Palette, opt ExplainOptions) *explainer {
	if opt.Width == 0 {
		opt.Width = 80
	}
	return &explainer{w: w, p: p, ExplainOptions: opt}
}

func (e *explainer) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}

// legend is a letter of the picture with its field.
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

// letters has the letters of the fields in a picture, in the order in which they are assigned.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// picture is the word, or one table entry, while it is drawn.
type picture struct {
	word  bits.Value
	size  int
	cells []legend
	// fields are the fields with bits in this picture.
	fields []legend
}

// drawWord draws the word of an instruction.
func (e *explainer) drawWord(in isa.Inst, fields []isa.Field) {
	pic := newPicture(in.Bits, in.Leaf.Size)
	note := "ignored"
	if set := in.Bits.And(in.Leaf.DontCare); !set.IsZero() {
		note = "ignored, but some are set"
	}
	others := []other{
		{nothingLetter, "not described", bits.Ones(in.Leaf.Size)},
		{ignoredLetter, note, in.Leaf.DontCare},
		{expectedLetter, "expected to have a fixed value", in.Leaf.AssertedBits()},
		{fixedLetter, "identifies the encoding", in.Leaf.Mask},
	}
	e.draw(pic, fields, others, func(f *isa.Field) bool { return f.Table == "" })
}

// drawEntry draws the table entry that an index field selects.
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

// paint marks bits with a letter.
func (p *picture) paint(l legend, parts []bits.Part) {
	for _, part := range parts {
		for b := part.Low; b < min(part.Low+part.Width, p.size); b++ {
			p.cells[b] = l
		}
	}
}

// draw draws the fields for which here returns true. The other bits have the letters of others; a later group covers an
// earlier one.
func (e *explainer) draw(pic *picture, fields []isa.Field, others []other, here func(*isa.Field) bool) {
	for _, o := range others {
		pic.paint(legend{letter: o.letter, colour: otherColour(o.letter)}, partsOf(o.mask))
	}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Derived() || !here(f):
		case e.drawn(fields, i):
			pic.fields = append(pic.fields, legend{field: f})
		case e.Nested: // the bits outside its inner fields choose its form
			pic.paint(legend{letter: formLetter}, f.Parts)
		}
	}
	slices.SortStableFunc(pic.fields, func(a, b legend) int { return highest(b.field.Parts) - highest(a.field.Parts) })
	for n := range pic.fields {
		l := &pic.fields[n]
		l.letter, l.colour = letters[n%len(letters)], fieldColours[n%len(fieldColours)]
		pic.paint(*l, l.field.Parts)
	}
	e.picture(pic)
	e.table(pic, append(others, other{letter: formLetter, note: "selects the form of an operand"}))
}

// highest returns the highest bit of a field, which orders the fields of a picture.
func highest(parts []bits.Part) int {
	high := 0
	for _, p := range parts {
		high = max(high, p.Low+p.Width-1)
	}
	return high
}

func otherColour(letter byte) string {
	if letter == fixedLetter {
		return ""
	}
	return dim
}

func partsOf(mask bits.Value) []bits.Part {
	var parts []bits.Part
	for _, r := range runs(mask) {
		parts = append(parts, bits.Part{Low: r.Low, Width: r.Width})
	}
	return parts
}

// drawn reports whether a field gets a letter. This is so for the outermost fields of the word or the entry, or with
// Nested for the innermost fields.
func (e *explainer) drawn(fields []isa.Field, i int) bool {
	if e.Nested {
		return innermost(fields, i)
	}
	for k := i - 1; k >= 0 && fields[i].Depth > 0; k-- {
		if fields[k].Depth == fields[i].Depth-1 {
			return fields[k].Index
		}
	}
	return true
}

// innermost reports whether the list has no field inside this field in the same word or table entry.
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

// picture prints the bits, the most significant first, in rows of 32. It folds rows that are too long.
func (e *explainer) picture(pic *picture) {
	for high := pic.size - 1; high >= 0; {
		low := e.fold(pic, high, high/rowBits*rowBits)
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
			digit := fmt.Sprint(pic.word.Bit(b))
			if e.form && pic.cells[b].letter != fixedLetter {
				digit = "-"
			}
			digits.WriteString(e.p.paint(pic.cells[b].colour, digit) + " ")
			names.WriteString(e.p.paint(pic.cells[b].colour, string(rune(pic.cells[b].letter))) + " ")
			marks.column += 2
		}
		e.printf("\n  %s\n  %s\n  %s\n", marks.text, strings.TrimRight(digits.String(), " "), strings.TrimRight(names.String(), " "))
		high = low - 1
	}
	e.printf("\n")
}

// fold returns the lowest bit of a row that starts at bit high and goes down to bit low at most. If the bits do not all
// fit, the row ends at the border of a field. A field that is longer than a row is cut at a byte, or at any bit.
func (e *explainer) fold(pic *picture, high, low int) int {
	columns, border, octet, last := 2, 0, 0, high
	for b := high; b >= low; b-- {
		if b%8 == 7 && b != high {
			columns++
		}
		if columns += 2; columns-1 > e.Width && b != high { // no blank follows the last bit
			switch {
			case border > 0:
				return border
			case octet > 0:
				return octet
			}
			return last
		}
		last = b
		if b%8 == 0 {
			octet = b
		}
		if b > low && pic.cells[b].letter != pic.cells[b-1].letter {
			border = b
		}
	}
	return low
}

// ruler is the line above the bits. It has the numbers of the highest bit and of the highest bit of each byte.
type ruler struct {
	text   string
	column int
}

// number writes the number of a bit at the column if there is space for it.
func (r *ruler) number(bit int) {
	if r.text == "" || len(r.text) < r.column {
		r.text += strings.Repeat(" ", r.column-len(r.text)) + strconv.Itoa(bit)
	}
}

// table prints the legend.
func (e *explainer) table(pic *picture, others []other) {
	rows, shown, zero := e.fieldRows(pic.fields)
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
	e.rows(rows, shown)
	e.zeros(zero)
}

// fieldRows returns a row for each field. If several fields are 0 and print nothing, zero lists them instead.
func (e *explainer) fieldRows(list []legend) (rows [][]string, shown []legend, zero []string) {
	if e.form {
		return e.formRows(list), list, nil
	}
	silent := func(f *isa.Field) bool { return !e.All && f.Value.IsZero() && f.Start >= f.End }
	few := 0
	for _, l := range list {
		if silent(l.field) {
			few++
		}
	}
	for _, l := range list {
		f := l.field
		if few > 1 && silent(f) {
			zero = append(zero, fmt.Sprintf("%c %s", l.letter, f.Path))
			continue
		}
		rows = append(rows, []string{string(rune(l.letter)), where(f.Parts), f.Path, "0x" + f.Value.String(), f.Meaning, flat(f.Doc)})
		shown = append(shown, l)
	}
	return rows, shown, zero
}

// zeros names the fields that are 0 and have no text.
func (e *explainer) zeros(names []string) {
	if len(names) > 0 {
		text := fmt.Sprintf("0 and not in the text; --all lists them: %s", strings.Join(names, ", "))
		e.printf("%s\n", hang(text, "  ", "    ", e.Width))
	}
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
		column := 0
		for k, c := range r {
			if width[k] == 0 {
				continue
			}
			pad := strings.Repeat(" ", width[k]-len([]rune(c)))
			if k == len(r)-1 { // documentation, whose lines are aligned with its first line
				text := e.lastColumn(c, column+2)
				if strings.HasPrefix(text, "\n") {
					line := strings.TrimRight(b.String(), " ")
					b.Reset()
					b.WriteString(line + text)
					continue
				}
				b.WriteString("  " + text)
				continue
			}
			column += 2 + width[k]
			if k == 0 {
				c = e.p.paint(colour, c)
			}
			b.WriteString("  " + c + pad)
		}
		e.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
}

// leastColumns is the minimum width of a text next to a table. A text with less space goes below the table.
const leastColumns = 24

// lastColumn wraps the text of the last column of a table.
func (e *explainer) lastColumn(text string, column int) string {
	if n := e.Width - column; n >= leastColumns || n >= utf8.RuneCountInString(text) {
		return strings.TrimLeft(wrap(text, strings.Repeat(" ", column), e.Width), " ")
	}
	if text == "" {
		return ""
	}
	return "\n" + wrap(text, strings.Repeat(" ", 6), e.Width)
}

// derived lists the fields that are computed.
func (e *explainer) derived(fields []isa.Field) {
	var rows [][]string
	for i := range fields {
		f := &fields[i]
		if f.Derived() && (e.Nested || f.Depth == 0) {
			row := []string{"", "computed", f.Path, "0x" + f.Value.String(), f.Meaning, flat(f.Doc)}
			if e.form {
				row[3], row[4] = strings.TrimPrefix(f.Type, "#"), ""
			}
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		e.printf("\n")
		e.rows(rows, nil)
	}
}

// where formats the bits of a field.
func where(parts []bits.Part) string {
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

func flat(doc string) string { return strings.Join(strings.Fields(doc), " ") }

// wrap breaks a text into lines of at most width columns, and indents the lines.
func wrap(text, indent string, width int) string { return hang(text, indent, indent, width) }

// hang is like wrap, but with another indent for the first line.
func hang(text, first, indent string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if column > len(indent) && column+1+n > width {
			b.WriteByte('\n')
			column, first = 0, indent
		}
		if column == 0 {
			b.WriteString(first)
			column = len(first)
		} else {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
