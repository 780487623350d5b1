package isa

import (
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Field is a field of a decoded instruction or of one of its operands.
type Field struct {
	// FieldInfo is the same for all words that have the field.
	*FieldInfo
	// Entry is the index of the table entry that contains the bits. It is 0 if Table is empty.
	Entry int
	Value bits.Value
	// Meaning is the text of the value, even if no display prints it.
	Meaning string
	// Start and End delimit the field in the text, in bytes. Both are -1 if the text does not show the
	// field.
	Start, End int
}

// FieldInfo is the part of a Field that does not depend on the word.
type FieldInfo struct {
	// Path consists of the names of the enclosing fields and the name of the field, separated by dots.
	Path string
	Name string
	// Type is the name of the type in the description.
	Type string
	Doc  string
	// Depth is the number of enclosing fields.
	Depth int
	// Parts are the bits, most significant part first. They are bits of the word or, if Table is not
	// empty, of a table entry. A derived field has no parts.
	Parts []bits.Part
	// Table is the name of the table whose entry contains the bits, or "".
	Table string
	// Index reports whether the value is the index of a table entry. IndexOf is the name of the table
	// that contains the entry.
	Index   bool
	IndexOf string
}

// Derived reports whether the value is computed and has no bits of its own.
func (f *FieldInfo) Derived() bool { return len(f.Parts) == 0 }

// Fields appends all fields of an instruction to buf, including fields that the text does not show. A
// field precedes the fields inside it. Start and End refer to the text that Append appends to an empty
// slice. Fields does not allocate for a word that it has processed before if buf has enough capacity.
func (d *Decoder) Fields(buf []Field, in Inst) []Field {
	d.trace.begin(0)
	d.watch = watchFields
	d.text = d.Append(d.text[:0], in)
	d.trace.placeFields()
	return d.fields(fieldWalk{d: d, text: true, out: buf})
}

// FieldValues is like Fields but does not format any text. In its results, Meaning is empty, and Start
// and End are -1.
func (d *Decoder) FieldValues(buf []Field, in Inst) []Field {
	d.watch = watchFields
	d.setTop(in)
	return d.fields(fieldWalk{d: d, out: buf})
}

// DependsOn reports whether an instruction depends on at least one bit of a field (some) and whether it
// depends on every bit (all). An instruction does not depend on the parts of table entries that its
// <unused> elements name. Other instructions that share the entry may depend on those parts.
func (d *Decoder) DependsOn(in Inst, f *Field) (some, all bool) {
	if f.Table == "" {
		return true, true
	}
	found := len(d.findings)
	d.setTop(in)
	var own, rest bits.Value
	for _, p := range f.Parts {
		own = own.Or(bits.Range(p.Low, p.Width))
	}
	rest = own
	for _, x := range d.frames[0].leaf.Unused {
		if name := x.Entry.Name(); f.Path != name && !strings.HasPrefix(f.Path, name+".") {
			continue
		}
		for _, b := range x.Bits {
			if b.Cond == nil || d.eval(b.Cond, 0) != 0 {
				rest = rest.AndNot(b.Mask)
			}
		}
	}
	d.dropFindings(found)
	return !rest.IsZero(), rest == own
}

// placeFields stores, in each field that the text shows, the first position at which the text shows it.
func (t *trace) placeFields() {
	t.turn++
	for i := range t.shown {
		if x := &t.shown[i]; x.field.shown != t.turn {
			x.field.shown, x.field.start, x.field.end, x.field.named = t.turn, x.start, x.end, x.named
		}
	}
}

// span is a range of bytes in a text.
type span struct{ start, end int }

type fieldWalk struct {
	d    *Decoder
	text bool // whether to set Start, End and Meaning
	out  []Field
}

// fields appends the fields of the word to w.out and returns the result. It discards the findings of the
// walk, because they can concern fields that no display prints.
func (d *Decoder) fields(w fieldWalk) []Field {
	found, leaf, first := len(d.findings), d.frames[0].leaf.Leaf, len(w.out)
	d.quick, d.operands = d.planned(d.envMemo(d.env).leafMemo(leaf), leaf), 0
	d.meanings = d.meanings[:0]
	w.scope(0)
	d.quick, d.watch = false, watchNothing
	d.dropFindings(found)
	if w.text {
		all := d.intern(d.text) // all fields share one string, which is as fast as a string for one field
		for i, m := range d.meanings {
			w.out[first+i].Meaning = all[m.start:m.end]
		}
	}
	return w.out
}

func (w *fieldWalk) scope(depth int) {
	d := w.d
	frame := &d.frames[depth]
	for i := range frame.site.list() {
		l := &frame.site.listed[i]
		ref, at := l.ref, l.field
		if ref == nil {
			if ref = d.pick(l.alts, depth); ref == nil || ref.ScopeDepth != 0 || ref.Field == nil {
				continue
			}
			at = frame.site.fieldOf(ref)
		}
		w.out = slices.Grow(w.out, 1)[:len(w.out)+1]
		f := &w.out[len(w.out)-1]
		f.FieldInfo, f.Entry, f.Start, f.End, f.Meaning = &at.info, frame.entry, -1, -1, ""
		switch {
		case ref.Prog != nil:
			f.Value = bits.Of(d.eval(ref.Prog, depth))
		case ref.Low >= 0:
			f.Value = bits.Of(frame.v.Uint(ref.Low, ref.Width))
		default:
			f.Value = ref.Field.Gather(&frame.v)
		}
		switch {
		case !w.text:
		case at.shown == d.trace.turn:
			f.Start, f.End = at.start, at.end
			if at.named || d.standaloneText(at, ref).layout {
				d.meaning(at, ref, depth)
			} else {
				d.meanings = append(d.meanings, span{at.start, at.end})
			}
		default:
			d.meaning(at, ref, depth)
		}
		if ref.Kind == spec.KindBitset && ref.Prog == nil {
			w.inner(at, ref, depth)
		}
	}
}

// listed is a field of a site with the meanings of its name. ref and field are set if the name has only
// one meaning.
type listed struct {
	alts  []model.Alt
	ref   *model.Ref
	field *fieldSite
}

// list returns the fields of the site.
func (s *site) list() []listed {
	if s.listed != nil {
		return s.listed
	}
	s.listed = []listed{}
	for _, named := range s.leaf.NamedFields() {
		l := listed{alts: named.Alts}
		if a := l.alts[0]; a.Cond == nil {
			if a.Ref == nil || a.Ref.ScopeDepth != 0 || a.Ref.Field == nil {
				continue
			}
			l.ref, l.field = a.Ref, s.fieldOf(a.Ref)
		}
		s.listed = append(s.listed, l)
	}
	return s.listed
}

// standaloneText is the text of one field outside of its display.
type standaloneText struct {
	segment
	reads reads
	// layout reports whether the text depends on its position in the line.
	layout bool
}

// standaloneText returns the text of a field outside of its display.
func (d *Decoder) standaloneText(at *fieldSite, ref *model.Ref) *standaloneText {
	if at.standalone != nil {
		return at.standalone
	}
	x := &standaloneText{segment: newSegment([]model.Item{{Kind: model.ItemRef, Alts: []model.Alt{{Ref: ref}}}})}
	if at.standalone = x; !x.depend() || !x.reads.add(&x.key, x.tables) {
		x.kind, x.layout = x.otherwise(), contentsOf{}.ref(ref).placed
	} else if x.hasMemo() {
		x.memo = d.memoOf(&x.segment, x.alike)
	}
	return x
}

// meaning appends the text of one field to d.text, after the text of the instruction. It does not
// replace the value of the field with a name from Symbol.
func (d *Decoder) meaning(at *fieldSite, ref *model.Ref, depth int) {
	x, start := d.standaloneText(at, ref), len(d.text)
	d.watch, d.lineStart = watchNothing, start
	switch {
	case x.hasMemo() && !d.general && !(x.symbols && d.Symbol != nil) && x.reads.find(d, &d.frames[depth].from):
		d.text = d.segment(d.text, &x.segment, depth)
	case ref.Kind == spec.KindBitset:
		d.text = d.nested(d.text, ref, depth)
	default:
		d.text = d.scalar(d.text, ref, depth)
	}
	d.watch = watchFields
	d.meanings = append(d.meanings, span{start, len(d.text)})
}

// maxTextsKept is the maximum number of texts that a decoder caches.
const maxTextsKept = 1 << 14

// intern returns text as a string. Equal texts share one string.
func (d *Decoder) intern(text []byte) string {
	if s, ok := d.strings[string(text)]; ok {
		return s
	}
	if d.strings == nil || len(d.strings) >= maxTextsKept {
		d.strings = map[string]string{}
	}
	s := string(text)
	d.strings[s] = s
	return s
}

// inner appends the fields inside a bitset field to the result.
func (w *fieldWalk) inner(at *fieldSite, ref *model.Ref, depth int) {
	d, inner := w.d, depth+1
	if inner >= maxFrames || len(w.out) >= maxOperands {
		return
	}
	d.leaveFrames(inner)
	d.frames[inner].v = *d.nestedBits(ref, &d.frames[depth].v)
	if d.leafOf(ref, inner) {
		d.placeAt(at, ref, inner, depth)
		w.scope(inner)
	}
}

// leafOf finds the leaf that matches the value of a bitset field. It stores the leaf in the frame and
// reports whether a leaf matches.
func (d *Decoder) leafOf(ref *model.Ref, depth int) bool {
	if m := d.envMemo(ref.Env); m.choice != nil && ref.Field.Table == nil && ref.Width <= m.width {
		if x := m.choice.at(m.choice.key.from(&d.frames[depth].from)); x != nil {
			d.frames[depth].leaf = x.unit
			return true
		}
	}
	return d.enter(ref.Env, depth)
}
