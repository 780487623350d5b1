package asm

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
)

// Lossless prints instructions so that Parse returns the same bits. If the text alone would assemble to other bits, it
// appends a suffix in braces that specifies the differing bits.
type Lossless struct {
	// Lines is set to print line breaks. Remarks are then printed too, unless a suffix follows.
	Lines bool

	d        *isa.Decoder
	p        *Parser
	fields   []isa.Field
	verdicts verdicts
	// plain is the length of the last text without its suffix.
	plain int
	// asked reports whether parsing the text looked up labels or called hooks.
	asked bool
	// uncached turns off the cache of verdicts. Tests compare results with and without the cache.
	uncached bool
}

// NewLossless returns a printer that prints with d and parses the text again with p. Both must have the same set, root,
// contexts and tables, and p must accept the labels that d prints.
func NewLossless(d *isa.Decoder, p *Parser) *Lossless { return &Lossless{d: d, p: p} }

// Append appends the text of an instruction, with a suffix if necessary. ok is false, and Append appends nothing, if no
// text assembles to the word or if the text is an empty line, which programs skip.
func (l *Lossless) Append(dst []byte, in isa.Inst) (text []byte, ok bool) {
	start, silent, remembers := len(dst), l.p.silent, l.cacheable(in)
	if x := l.find(in, remembers); x != nil {
		if dst = l.shown(dst, in, x.suffix); !x.ok { // shown was called only for the findings of the decoder
			dst = dst[:start]
		}
		return dst, x.ok
	}
	l.p.Addr, l.p.silent, l.p.cachedAsWord, l.asked = l.d.Addr, true, remembers, false
	text, ok = l.append(l.d.Append(dst, in), start, in)
	l.p.silent, l.p.cachedAsWord = silent, false
	suffix := text[min(start+l.plain, len(text)):]
	if remembers && !l.asked {
		l.keep(in, suffix, ok)
	}
	if ok && l.Lines {
		text = l.shown(text[:start], in, string(suffix))
	}
	return text, ok
}

// shown prints an instruction whose suffix is known.
func (l *Lossless) shown(dst []byte, in isa.Inst, suffix string) []byte {
	lines, remarks := l.d.Lines, l.d.Remarks
	if l.Lines {
		l.d.Lines, l.d.Remarks = true, suffix == ""
	}
	dst = l.d.Append(dst, in)
	l.d.Lines, l.d.Remarks = lines, remarks
	return append(dst, suffix...)
}

// parse parses a printed text. An entry that its table rejects gets the index -1.
func (l *Lossless) parse(text []byte) (Result, error) {
	res, err := l.p.parse(text)
	if e, ok := err.(*Error); ok && e.Code == diag.TableFull {
		res, err = l.open(text)
	}
	l.asked = l.asked || l.p.asked || len(l.p.asks) > 0
	return res, err
}

// open parses a text that has an entry that its table rejects. The entry gets the index -1.
func (l *Lossless) open(text []byte) (Result, error) {
	tables := l.p.Tables
	defer func() { l.p.Tables = tables }()
	l.p.Tables = slices.Clone(tables)
	for i, t := range tables {
		if t != nil {
			l.p.Tables[i] = openTable{t}
		}
	}
	return l.p.parse(text)
}

// openTable is a table that returns the index -1 instead of an error.
type openTable struct{ Table }

func (t openTable) Place(e *Entry) (int, error) {
	if index, err := t.Table.Place(e); err == nil {
		return index, nil
	}
	return -1, nil
}

// append completes the text of an instruction, which starts at start: it replaces labels with numbers if necessary, and
// appends the suffix. ok is false if no suffix makes the text assemble to the instruction.
func (l *Lossless) append(dst []byte, start int, in isa.Inst) (text []byte, ok bool) {
	res, err := l.parse(dst[start:])
	same, named := err == nil && l.same(in, &res), l.p.named
	if l.d.Label != nil && (err != nil || named && l.p.pins(dst[start:])) {
		dst, named = l.appendNumbers(dst[:start], in), false
		res, err = l.parse(dst[start:])
		same = err == nil && l.same(in, &res)
	}
	if same {
		l.plain = len(dst) - start
		if len(bytes.TrimSpace(dst[start:])) == 0 {
			return dst[:start], false
		}
		return dst, true
	}
	if named { // pins has changed the state of the parser
		res, err = l.parse(dst[start:])
	}
	if err != nil {
		return dst[:start], false
	}
	end := len(dst)
	l.plain = end - start
	if text, ok := l.appendPlain(dst, in, &res); ok {
		return text, true
	}
	for _, named := range []bool{true, false} {
		dst = l.appendSuffix(dst[:end], in, &res, named)
		back, err := l.p.suffixed(dst[start:], end-start)
		if err == nil && l.same(in, &back) {
			return dst, true
		}
		if res, err = l.parse(dst[start:end]); err != nil {
			break
		}
	}
	return dst[:start], false
}

// appendNumbers prints an instruction with numbers instead of labels.
func (l *Lossless) appendNumbers(dst []byte, in isa.Inst) []byte {
	label := l.d.Label
	l.d.Label = nil
	dst = l.d.Append(dst, in)
	l.d.Label = label
	return dst
}

// appendPlain appends a suffix that has only entry indices and ignored bits. ok is false if the instruction differs
// from res in anything else. res must be the last result of parse. The text with the suffix need not be parsed again,
// because such a suffix only sets bits.
func (l *Lossless) appendPlain(dst []byte, in isa.Inst, res *Result) (text []byte, ok bool) {
	if res.Context != l.d.Context() || res.Inst.Leaf != in.Leaf {
		return dst, false
	}
	w := suffixWriter{dst: dst, dontCare: in.Leaf.DontCare}
	diff := in.Bits.Xor(res.Inst.Bits)
	for i := range res.Entries {
		e, x := &res.Entries[i], &l.p.plan[i]
		if len(x.field.Parts) != 1 || !x.home.atTop() {
			return dst, false
		}
		part := x.field.Parts[0]
		actual := int(in.Bits.Uint(part.Low, part.Width))
		if !l.entryFits(e, actual) {
			return dst, false
		}
		w.entry(e, actual)
		diff.SetUint(part.Low, part.Width, 0)
	}
	if rest := diff.AndNot(in.Leaf.DontCare); !rest.IsZero() {
		return dst, false
	}
	w.runs(diff, w.dontCare, in.Bits, "")
	return w.close(), w.open
}

// wholeRun returns the first bit and the length of the run of ones that contains a bit.
func wholeRun(v bits.Value, bit int) (low, n int) {
	low, n = bit, 1
	for low > 0 && v.Bit(low-1) == 1 {
		low--
		n++
	}
	for low+n < bits.Size && v.Bit(low+n) == 1 {
		n++
	}
	return low, n
}

// same reports whether a result is the instruction that was printed, including its entries.
func (l *Lossless) same(in isa.Inst, res *Result) bool {
	if res.Inst.Bits != in.Bits || res.Inst.Leaf.Size != in.Leaf.Size || res.Context != l.d.Context() {
		return false
	}
	for i := range res.Entries {
		e := &res.Entries[i]
		if e.Index < 0 || !l.entryFits(e, e.Index) {
			return false
		}
	}
	return true
}

// entryFits reports whether the table entry at index fits the entry that a text specifies. If it does, the suffix needs
// no bits of the entry.
func (l *Lossless) entryFits(e *Entry, index int) bool {
	table := l.p.Tables[e.Table]
	switch {
	case table == nil:
		return l.entryDiff(e, index) == (bits.Value{})
	case index == e.Index:
		return true
	}
	pinned := *e
	pinned.Index = index
	_, err := table.Place(&pinned)
	return err == nil
}

// entryDiff returns the mask of the bits in which the table entry at index differs from the entry of the text. If the
// parser has a Table, only the bits that the text specifies count.
func (l *Lossless) entryDiff(e *Entry, index int) bits.Value {
	diff := e.Value.Xor(l.d.TableEntry(e.Table, index))
	if l.p.Tables[e.Table] != nil {
		diff = diff.And(e.Bound)
	}
	return diff
}

// appendSuffix appends a suffix with every bit in which the result differs from the instruction. If named, it uses the
// names of fields for bits that are in a field.
func (l *Lossless) appendSuffix(dst []byte, in isa.Inst, res *Result, named bool) []byte {
	fields := l.d.FieldValues(l.fields[:0], in)
	l.fields = fields
	w := suffixWriter{dst: dst, named: named, fields: fields, dontCare: in.Leaf.DontCare}
	diff := in.Bits.Xor(res.Inst.Bits)
	for i := range res.Entries {
		e := &res.Entries[i]
		index := fieldNamed(fields, e.Field, isIndex)
		if index == nil {
			continue
		}
		diff = diff.AndNot(maskOf(index.Parts))
		actual := int(index.Value[0])
		w.entry(e, actual)
		w.bits(l.entryDiff(e, actual), l.d.TableEntry(e.Table, actual), e.Field+".", index)
	}
	w.bits(diff, in.Bits, "", nil)
	if ctx := l.d.Context(); ctx != res.Context {
		for _, c := range inside.Machine(l.p.set).ISA.Contexts {
			if v := ctx.Uint(c.Low, c.Width); v != res.Context.Uint(c.Low, c.Width) {
				w.value("@"+c.Name, bits.Of(v))
			}
		}
	}
	return w.close()
}

// suffixWriter appends the parts of a suffix to dst.
type suffixWriter struct {
	dst    []byte
	open   bool
	named  bool
	fields []isa.Field
	// dontCare are the ignored bits of the word. The suffix contains only whole runs of them.
	dontCare bits.Value
}

// item starts a part of the suffix with its name.
func (w *suffixWriter) item(name string) {
	mark := ", "
	if !w.open {
		mark, w.open = " {", true
	}
	w.dst = append(append(w.dst, mark...), name...)
}

// value appends NAME=VALUE.
func (w *suffixWriter) value(name string, v bits.Value) {
	w.item(name)
	w.dst = v.AppendHex(append(w.dst, "=0x"...), 1)
}

// entry appends FIELD@INDEX if index is not the index of e.
func (w *suffixWriter) entry(e *Entry, index int) {
	if e.Index != index {
		w.item(e.Field)
		w.dst = strconv.AppendInt(append(w.dst, '@'), int64(index), 10)
	}
}

// runs appends LOW..HIGH=VALUE for each run of ones in whole that contains a bit of diff.
func (w *suffixWriter) runs(diff, whole, value bits.Value, prefix string) {
	for low := diff.TrailingZeros(); low < bits.Size; low = diff.TrailingZeros() {
		low, n := wholeRun(whole, low)
		name := strconv.AppendInt([]byte(prefix), int64(low), 10)
		if n > 1 {
			name = strconv.AppendInt(append(name, ".."...), int64(low+n-1), 10)
		}
		w.value(string(name), value.Slice(low, n))
		diff = diff.AndNot(bits.Range(low, n))
	}
}

// bits appends the bits of diff. If w.named is set, it first appends the innermost fields that contain such bits, by
// name. It appends the other bits by number. index is the index field of the entry that contains the bits, or nil for
// the word.
func (w *suffixWriter) bits(diff, value bits.Value, prefix string, index *isa.Field) {
	for i := range w.fields {
		f := &w.fields[i]
		inside := (index == nil) == (f.Table == "") && strings.HasPrefix(f.Path, prefix)
		if !w.named || !inside || f.Index || !anyBitSet(f.Parts, &diff) || w.hasInner(i) {
			continue
		}
		w.value(f.Path, f.Value)
		diff = diff.AndNot(maskOf(f.Parts))
	}
	whole := diff
	if index == nil {
		whole = whole.Or(w.dontCare)
	}
	w.runs(diff, whole, value, prefix)
}

// hasInner reports whether w.fields contains fields inside field i. They follow field i.
func (w *suffixWriter) hasInner(i int) bool {
	return i+1 < len(w.fields) && w.fields[i+1].Depth > w.fields[i].Depth
}

func (w *suffixWriter) close() []byte {
	if w.open {
		w.dst = append(w.dst, '}')
	}
	return w.dst
}
