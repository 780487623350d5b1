package a2xx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Disassembler prints programs as source. It can be reused, but not by several goroutines at once.
type Disassembler struct {
	// Lossy leaves out the suffixes with bits that the text does not show. Set it before the first program.
	Lossy bool

	layout
	labels []bool // by clause
	// named are the clauses whose labels what was printed last asked for.
	named []int64
	// texts are those of clauses, each in the one place that it can have.
	texts [1 << textBits]clauseText
	// at is the unit at which the assembler would place what comes next.
	at int
	// namers are decoders that print names, by kind; nil where no names are known.
	namers map[*kind]*isa.Decoder
}

// NewDisassembler returns a disassembler in the syntax of the set.
func NewDisassembler(set *isa.Set) (*Disassembler, error) {
	m, err := newMachine(set)
	if err != nil {
		return nil, err
	}
	d := &Disassembler{layout: layout{m: m}}
	cf := m.cf
	cf.decoder.Label = func(addr int64, _ bool) (string, bool) {
		i := addr / int64(cf.root.Size)
		d.named = append(d.named, i)
		return m.labelName(i), !d.lacks(i)
	}
	cf.parser.Symbol = func(name string) (int64, bool) {
		return labelled(name)
	}
	for _, k := range m.kinds {
		k.decoder.Indent = m.breakIndent()
	}
	return d, nil
}

// nameWith makes the disassembler print the names of registers, which source must declare; symbol is as
// isa.Decoder.Symbol has it. What was printed before is forgotten.
func (d *Disassembler) nameWith(symbol func(space string, value uint64) (string, bool)) error {
	d.namers = map[*kind]*isa.Decoder{}
	for _, k := range append(d.m.kinds[:], d.m.cf) {
		n, err := d.m.set.NewDecoder(k.root.Name)
		if err != nil {
			return err
		}
		n.Label, n.Indent, n.Symbol = k.decoder.Label, k.decoder.Indent, symbol
		d.namers[k] = n
	}
	clear(d.texts[:])
	return nil
}

// name prints the text of an instruction again, which stands from a place on, with names in place of registers.
func (d *Disassembler) name(dst []byte, start int, k *kind, in *isa.Inst, ctx *bits.Value) []byte {
	n := d.namers[k]
	if n == nil {
		return dst
	}
	n.SetContext(*ctx)
	label := k.decoder.Label
	defer func() { k.decoder.Label = label }()
	for _, form := range [...]struct{ remarks, labels bool }{{true, true}, {false, true}, {true, false}, {false, false}} {
		for _, p := range []*isa.Decoder{k.decoder, n} {
			p.Lines, p.Remarks, p.Label = k.lossless.Lines, k.lossless.Lines && form.remarks, nil
			if form.labels {
				p.Label = label
			}
		}
		if suffix, ok := bytes.CutPrefix(bytes.Clone(dst[start:]), k.decoder.Append(nil, *in)); ok {
			return append(n.Append(dst[:start], *in), suffix...)
		}
	}
	return dst
}

// lacks reports whether the program has no clause with an index.
func (d *Disassembler) lacks(clause int64) bool { return clause < 0 || clause >= int64(len(d.labels)) }

// labelName returns the label of a clause: its address in bytes.
func (m *machine) labelName(clause int64) string {
	return "l" + strconv.FormatInt(clause*int64(m.cf.root.Size)/8, 16)
}

// labelled is the reverse of labelName: the address in bits.
func labelled(name string) (addr int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(name, "l"), 16, 32)
	return 8 * n, err == nil
}

// SourceOf returns a program without a container as source that an assembler turns into the same bytes. The order is
// one of Orders; it detects "".
func SourceOf(set *isa.Set, ctx bits.Value, data []byte, order string) ([]byte, error) {
	d, err := NewDisassembler(set)
	if err != nil {
		return nil, err
	}
	return d.Source(data, ctx, order)
}

// Source returns a program without a container as SourceOf does.
func (d *Disassembler) Source(data []byte, ctx bits.Value, order string) ([]byte, error) {
	words, order, err := d.m.words(data, order)
	if err != nil {
		return nil, err
	}
	if len(words) > maxUnits*unitWords {
		return nil, errorf(diag.ProgramSize, diag.Span{}, "the program has %d bytes, expected at most %d units", len(data), maxUnits)
	}
	var head []byte
	if order == bigEndian {
		head = append(head, program.BigEndian+"\n"...)
	}
	text := d.Append(head, words, ctx)
	if text = appendBytes(text, data[4*len(words):]); len(data) > 4*len(words) {
		text = append(text, '\n')
	}
	return text, nil
}

// appendBytes appends the directive for bytes that are no word.
func appendBytes(dst, data []byte) []byte {
	for i, b := range data {
		dst = append(dst, [2]string{".byte", ","}[min(i, 1)]...)
		dst = fmt.Appendf(dst, " 0x%02x", b)
	}
	return dst
}

// Append appends the source of a program. The context holds the stage, which the program does not contain.
func (d *Disassembler) Append(dst []byte, words []uint32, ctx bits.Value) []byte {
	d.words, d.context = words, ctx
	d.analyse()
	d.findLabels()
	for _, line := range d.lead() {
		dst = append(append(dst, line...), '\n')
	}
	d.at = d.start
	for i := range d.clauses {
		dst = d.appendClause(dst, i)
	}
	for u := range d.units {
		if !d.units[u].taken {
			dst = d.data(d.place(dst, u), unitWords*u, unitWords)
		}
	}
	if whole := unitWords * len(d.units); whole < len(words) {
		dst = d.data(d.place(dst, len(d.units)), whole, len(words)-whole)
	}
	return dst
}

// findLabels finds the clauses that others go to, if the spelling shows them.
func (d *Disassembler) findLabels() {
	d.labels = append(d.labels[:0], make([]bool, len(d.clauses))...)
	for i := range d.clauses {
		c := &d.clauses[i]
		if !d.m.cf.decoder.MayBranch(c.in.Leaf) {
			continue
		}
		for _, to := range d.textOf(&c.in, given{}).named {
			if !d.lacks(to) {
				d.labels[to] = true
			}
		}
	}
}

// clauseText is the text of a clause. Programs have many clauses, and few that differ in what is shown of them.
type clauseText struct {
	in      isa.Inst
	given   given
	context bits.Value
	// text is the whole line.
	text []byte
	// named are the clauses whose labels the text has.
	named []int64
}

// textBits is the width of the number of a text.
const textBits = 7

// textOf returns the text of a clause, which stays until the next one is asked for.
func (d *Disassembler) textOf(in *isa.Inst, g given) *clauseText {
	t := &d.texts[in.Bits[0]*0x9e3779b97f4a7c15>>(64-textBits)]
	if t.in == *in && t.given == g && t.context == d.context && !slices.ContainsFunc(t.named, d.lacks) {
		return t
	}
	ctx := d.context
	if d.m.clauses[in.Leaf.ID].runs {
		for i, f := range d.m.gives {
			ctx = f.set(ctx, g[i])
		}
	}
	d.named = t.named[:0]
	t.text = d.instruction(append(t.text[:0], d.m.indent(0)...), d.m.cf, in, &ctx)
	t.text = append(t.text, '\n')
	t.in, t.given, t.context, t.named = *in, g, d.context, d.named
	if slices.ContainsFunc(t.named, d.lacks) { // in another program it may be a label
		t.in = isa.Inst{}
	}
	return t
}

// lead returns what the assembler has to know before the program.
func (p *layout) lead() (lines []string) {
	if c := inside.Machine(p.m.set).ISA.Context("stage"); c != nil && p.m.set.Syntax() != mesa {
		for _, x := range c.Enum.Values {
			if x.Val == p.context.Uint(c.Low, c.Width) && x.Val != c.Default {
				lines = append(lines, ".stage "+x.Name)
			}
		}
	}
	if p.unchecked() {
		lines = append(lines, ".isago unchecked")
	}
	return lines
}

// orgLine says at which unit the next thing is.
func orgLine(unit int) string { return fmt.Sprintf(".org 0x%x", unit) }

// unchecked reports whether the program has anything that the assembler would refuse.
func (p *layout) unchecked() bool {
	for i := range p.clauses {
		c := &p.clauses[i]
		if n := c.last - c.first; n > 0 && (c.count != n || c.address != p.steps[c.first].unit) {
			return true
		}
	}
	return len(p.problems()) > 0
}

// place appends the directive that says at which unit the next thing is, where that does not follow.
func (d *Disassembler) place(dst []byte, unit int) []byte {
	if unit != d.at {
		dst = append(append(dst, orgLine(unit)...), '\n')
	}
	d.at = unit + 1
	return dst
}

// appendClause appends a clause and what it runs.
func (d *Disassembler) appendClause(dst []byte, i int) []byte {
	c := &d.clauses[i]
	if d.labels[i] {
		dst = append(append(dst, d.m.labelName(int64(i))...), ":\n"...)
	}
	steps := d.steps[c.first:c.last]
	dst = append(dst, d.shownText(c, steps)...)
	for j := range steps {
		s := &steps[j]
		k := d.m.kinds[s.kind]
		dst = append(d.place(dst, s.unit), k.indent(s)...)
		ctx := d.contextOf(s)
		dst = append(d.instruction(dst, k, &s.in, &ctx), '\n')
	}
	return dst
}

// shownText returns the text of a clause, which leaves out what the assembler fills in; Mesa leaves out the sequence
// alone.
func (d *Disassembler) shownText(c *placedClause, steps []step) []byte {
	if !c.runs {
		return d.textOf(&c.in, given{}).text
	}
	at := d.at
	if len(steps) > 0 {
		at = steps[0].unit
	}
	all := d.m.set.Syntax() == mesa
	g := given{all || c.address != at, all || c.count != len(steps), c.sequence != d.sequence(c)}
	in := c.in
	for i, part := range [...]run{c.clause.address, c.clause.count, c.clause.sequence} {
		if !g[i] {
			in.Bits.SetUint(part.low, part.width, 0)
		}
	}
	return d.textOf(&in, g).text
}

// instruction appends the text of an instruction, with a suffix for what that does not say.
func (d *Disassembler) instruction(dst []byte, k *kind, in *isa.Inst, ctx *bits.Value) []byte {
	k.setContext(*ctx)
	if d.Lossy {
		k.decoder.Lines, k.decoder.Remarks = true, true
		return k.decoder.Append(dst, *in)
	}
	text, ok := k.lossless.Append(dst, *in)
	if !ok {
		return program.AppendData(dst, k.root, in.Bits, in.Leaf.Size)
	}
	return d.name(text, len(dst), k, in, ctx)
}

// data appends words that no clause runs.
func (d *Disassembler) data(dst []byte, from, n int) []byte {
	for i, w := range d.words[from : from+n] {
		dst = append(dst, [2]string{".word", ","}[min(i, 1)]...)
		dst = fmt.Appendf(dst, " 0x%08x", w)
	}
	return append(dst, '\n')
}
