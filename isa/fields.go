package isa

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Part is a run of bits, Width of them from bit Low upwards.
type Part struct{ Low, Width int }

// Field is a field of a decoded instruction, or of an operand inside it.
type Field struct {
	// Path is the name, with those of the enclosing fields before it, joined by dots.
	Path string
	Name string
	// Type is the type's name in the description.
	Type string
	Doc  string
	// Depth is the number of enclosing fields.
	Depth int
	// Parts are the bits, the most significant part first: of the word, or of the table entry if
	// Table is not empty. A derived field has none.
	Parts []Part
	// Table and Entry say in which entry of which table the bits are.
	Table string
	Entry int
	// Index is set for a field whose bits are the index of a table entry; IndexOf names the table.
	Index   bool
	IndexOf string
	Value   bits.Value
	// Meaning is the text of the value, also where no template shows it.
	Meaning string
	// Start and End are its place in the text; both -1 where it is not shown.
	Start, End int
}

// Derived reports whether the value is computed and has no bits of its own.
func (f *Field) Derived() bool { return len(f.Parts) == 0 }

// Fields appends every field of an instruction, shown or not, each before those inside it, to buf.
// The places in the text are those of Append on an empty slice. What belongs to the description, such as
// Path and Parts, is shared by all fields of that name and not to be changed. Nothing is allocated once
// fields of these names and meanings have been seen.
func (d *Decoder) Fields(buf []Field, in Inst) []Field {
	d.tracing.fields = true
	d.text = d.traced(d.text[:0], in)
	w := fieldWalk{d: d, t: &d.tracing, text: true, out: buf}
	w.all()
	return w.out
}

// Layout is Fields without what has to be printed: Meaning is empty, and the places in the text are -1.
func (d *Decoder) Layout(buf []Field, in Inst) []Field {
	d.sited = true
	d.take(in)
	d.sited = false
	w := fieldWalk{d: d, out: buf}
	w.all()
	return w.out
}

type fieldWalk struct {
	d    *Decoder
	t    *trace
	text bool // the fields have their text
	out  []Field
}

// all lists the fields of the word. What is odd about those that no template shows is nobody's concern.
func (w *fieldWalk) all() {
	found := len(w.d.findings)
	w.d.quick = w.text && w.d.planned(w.d.frames[0].leaf.Leaf) != nil
	w.scope(0)
	w.d.quick = false
	w.d.forget(found)
}

func (w *fieldWalk) scope(depth int) {
	d := w.d
	s := d.frames[depth].site
	for _, named := range d.frames[depth].leaf.NamedFields() {
		ref := d.pick(named.Alts, depth)
		if ref == nil || ref.ScopeDepth != 0 || ref.Field == nil {
			continue
		}
		at := s.fieldOf(ref)
		w.out = append(w.out, at.info)
		f := &w.out[len(w.out)-1]
		f.Entry = d.frames[depth].entry
		if ref.Prog != nil {
			f.Value = bits.Of(d.eval(ref.Prog, depth))
		} else {
			f.Value = ref.Field.Gather(&d.frames[depth].v)
		}
		if w.text {
			f.Meaning = d.meaning(ref, depth)
			w.place(f, at)
		}
		if ref.Kind == spec.KindBitset && ref.Prog == nil {
			w.inner(ref, depth)
		}
	}
}

// place says where in the text a field is.
func (w *fieldWalk) place(f *Field, at *fieldSite) {
	for i := range w.t.shown {
		if x := &w.t.shown[i]; x.field == at {
			f.Start, f.End = x.start, x.end
			return
		}
	}
}

// meaning prints one field on its own.
func (d *Decoder) meaning(ref *model.Ref, depth int) string {
	if ref.Kind == spec.KindBitset {
		d.text = d.nested(d.text[:0], ref, depth)
	} else {
		d.text = d.scalar(d.text[:0], ref, depth)
	}
	return d.intern(d.text)
}

// maxTextsKept bounds the texts that a decoder keeps.
const maxTextsKept = 1 << 14

// intern returns a text as a string, the same for the same text.
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

func (w *fieldWalk) inner(ref *model.Ref, depth int) {
	d := w.d
	if depth+1 >= maxFrames || len(w.out) >= maxOperands {
		return
	}
	inner, outer := d.into(ref, depth)
	if !d.enter(ref.Env, inner) {
		return
	}
	d.place(ref, inner, outer)
	w.scope(inner)
}
