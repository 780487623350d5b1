package isa

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// TokenKind is what a piece of text is, for those who colour it.
type TokenKind uint8

// The kinds of tokens.
const (
	Literal  TokenKind = iota // punctuation and words of a template
	Mnemonic                  // the name of an instruction or of an operand's form
	Word                      // the text of an enum, a flag or a hook
	Number
	Target // a branch target, a label or a number
	Symbol // a name that the program gives a value
)

// Token is a piece of an instruction's text, from byte Start up to End of the text.
type Token struct {
	Kind       TokenKind
	Start, End int
}

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

// Derived tells whether the value is computed and has no bits of its own.
func (f *Field) Derived() bool { return len(f.Parts) == 0 }

// trace records tokens and fields while an instruction is printed.
type trace struct {
	tokens []Token
	shownF []Field
	origin [maxFrames]origin
}

// origin says where the bits of a frame come from.
type origin struct {
	path  string
	depth int
	parts []Part
	table string
	entry int
}

type traceMark struct{ tokens, fields int }

func (t *trace) mark() traceMark {
	if t == nil {
		return traceMark{}
	}
	return traceMark{len(t.tokens), len(t.shownF)}
}

func (t *trace) reset(m traceMark) {
	if t != nil {
		t.tokens, t.shownF = t.tokens[:m.tokens], t.shownF[:m.fields]
	}
}

func (t *trace) token(kind TokenKind, start, end int) {
	t.tokens = append(t.tokens, Token{kind, start, end})
}

// shown records a reference that was printed.
func (t *trace) shown(d *Decoder, ref *model.Ref, depth, start, end int, m traceMark, named bool) {
	switch {
	case end == start:
	case named:
		t.token(Symbol, start, end)
	case ref.Kind != spec.KindBitset:
		t.token(tokenKind(ref.Kind), start, end)
	}
	if ref.Field == nil {
		return
	}
	f := d.field(ref, depth-ref.Hops)
	f.Start, f.End = start, end
	t.shownF = slices.Insert(t.shownF, m.fields, f)
}

func tokenKind(k spec.Kind) TokenKind {
	switch k {
	case spec.KindBranch, spec.KindAbsBranch:
		return Target
	case spec.KindBool, spec.KindBoolInv, spec.KindEnum, spec.KindCustom:
		return Word
	}
	return Number
}

// enter notes where the bits of the new frame come from: the field ref of the frame below.
func (t *trace) enter(d *Decoder, ref *model.Ref, depth int) {
	up := t.origin[depth-1-min(ref.Hops, depth-1)]
	t.origin[depth] = up.inside(d, ref, depth-1)
}

// inside returns the origin of the value of a bitset field. The field's index is read from the
// frame at depth.
func (o origin) inside(d *Decoder, ref *model.Ref, depth int) origin {
	in := origin{path: o.path + ref.Field.Name + ".", depth: o.depth + 1, parts: fieldParts(o, ref.Field), table: o.table, entry: o.entry}
	if ref.Field.Table != nil {
		index := gather(ref.Field, &d.frames[max(0, depth-ref.Hops)].v)
		in.table, in.entry = ref.Field.Table.Name, int(index[0])
		in.parts = []Part{{Low: 0, Width: ref.Field.Table.Type.Size}}
	}
	return in
}

// fieldParts maps the parts of a field, which count in the bits of its scope, to where these come
// from.
func fieldParts(o origin, f *spec.Field) []Part {
	if o.depth == 0 { // the word itself
		parts := make([]Part, len(f.Parts))
		for i, p := range f.Parts {
			parts[i] = Part(p)
		}
		return parts
	}
	var parts []Part
	for _, p := range f.Parts {
		parts = compose(parts, o.parts, Part(p))
	}
	return parts
}

// compose appends bits Low.. of a value that is itself made of parts, the most significant first.
func compose(parts, outer []Part, p Part) []Part {
	if len(outer) == 1 && p.Low+p.Width <= outer[0].Width {
		return append(parts, Part{Low: outer[0].Low + p.Low, Width: p.Width})
	}
	start, base := len(parts), 0
	for i := len(outer) - 1; i >= 0; i-- {
		o := outer[i]
		lo, hi := max(p.Low, base), min(p.Low+p.Width, base+o.Width)
		if lo < hi {
			parts = append(parts, Part{Low: o.Low + lo - base, Width: hi - lo})
		}
		base += o.Width
	}
	slices.Reverse(parts[start:])
	return parts
}

// field describes what a reference means in the scope at depth, in which the field stands.
func (d *Decoder) field(ref *model.Ref, depth int) Field {
	o := d.trace.origin[depth]
	for _, e := range ref.Enter {
		o = o.inside(d, e, depth)
	}
	f := Field{
		Path: o.path + ref.Field.Name, Name: ref.Field.Name, Type: ref.Field.TypeName, Doc: ref.Field.Doc, Depth: o.depth,
		Parts: fieldParts(o, ref.Field), Table: o.table, Entry: o.entry, Index: ref.Field.Table != nil, Start: -1, End: -1,
	}
	if f.Index {
		f.IndexOf = ref.Field.Table.Name
	}
	switch {
	case ref.Prog != nil:
		f.Value = bits.Of(d.eval(ref.Prog, depth))
	case len(ref.Enter) > 0:
		f.Value = gather(ref.Field, d.entered(ref, depth))
	default:
		f.Value = gather(ref.Field, &d.frames[depth].v)
	}
	return f
}

// AppendTokens is Append that also appends what each piece of the text is.
func (d *Decoder) AppendTokens(dst []byte, tokens []Token, in Inst) ([]byte, []Token) {
	d.trace = &trace{tokens: tokens}
	d.trace.origin[0] = d.wordOrigin(in)
	dst = d.Append(dst, in)
	tokens = d.trace.tokens
	d.trace = nil
	return dst, tokens
}

func (d *Decoder) wordOrigin(in Inst) origin {
	return origin{parts: []Part{{Low: 0, Width: in.Leaf.Size}}}
}

// Fields appends every field of an instruction, shown or not, each before those inside it, to buf.
// The places in the text are those of Append on an empty slice.
func (d *Decoder) Fields(buf []Field, in Inst) []Field {
	d.trace = &trace{}
	d.trace.origin[0] = d.wordOrigin(in)
	d.Append(nil, in)
	shown := d.trace.shownF
	found := len(d.findings)
	w := fieldWalk{d: d, text: true, shown: shown, out: buf}
	w.scope(0)
	d.findings = d.findings[:found]
	d.trace = nil
	return w.out
}

// Layout is Fields without what has to be printed: Meaning is empty, and the places in the text are -1.
func (d *Decoder) Layout(buf []Field, in Inst) []Field {
	d.trace = &d.layout
	d.trace.origin[0] = d.wordOrigin(in)
	d.frames[0] = frame{in.Bits, d.env.Unit(in.Leaf.model)}
	found := len(d.findings)
	w := fieldWalk{d: d, out: buf}
	w.scope(0)
	d.findings = d.findings[:found]
	d.trace = nil
	return w.out
}

type fieldWalk struct {
	d     *Decoder
	text  bool // the fields have their text
	shown []Field
	out   []Field
}

func (w *fieldWalk) scope(depth int) {
	d := w.d
	for _, named := range d.frames[depth].unit.NamedFields() {
		ref := d.pick(named.Alts, depth)
		if ref == nil || ref.Hops != 0 || ref.Field == nil {
			continue
		}
		f := d.field(ref, depth)
		if w.text {
			f.Meaning = string(w.meaning(ref, depth))
			w.place(&f)
		}
		w.out = append(w.out, f)
		if ref.Kind == spec.KindBitset && ref.Prog == nil {
			w.inner(ref, depth)
		}
	}
}

// place says where in the text a field is.
func (w *fieldWalk) place(f *Field) {
	for i := range w.shown {
		if w.shown[i].Path == f.Path {
			f.Start, f.End = w.shown[i].Start, w.shown[i].End
			return
		}
	}
}

// meaning prints one field on its own.
func (w *fieldWalk) meaning(ref *model.Ref, depth int) []byte {
	saved := w.d.trace
	w.d.trace = nil
	defer func() { w.d.trace = saved }()
	if ref.Kind == spec.KindBitset {
		return w.d.nested(nil, ref, depth)
	}
	return w.d.scalar(nil, ref, depth)
}

func (w *fieldWalk) inner(ref *model.Ref, depth int) {
	d := w.d
	if depth+1 >= maxFrames || len(w.out) >= maxOperands {
		return
	}
	d.frames[depth+1].v = *d.inner(ref, &d.frames[depth].v)
	d.trace.enter(d, ref, depth+1)
	if d.enter(ref.Env, depth+1) {
		w.scope(depth + 1)
	}
}
