package isa

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// site is a scope at a fixed position of the word: its leaf, the path of the fields that contain it,
// and its bits. A decoder caches its sites.
type site struct {
	leaf  *model.BoundLeaf
	path  string // the names of the enclosing fields, each followed by a dot
	depth int
	// parts are the bits of the scope in the word or in a table entry.
	parts     []bits.Part
	table     int // wordTable for the word
	tableName string
	fields    []namedSite
	listed    []listed
	operands  []*operandMemo
	// claims is the mask that claimed returns: the bits that select the leaf, and those of the mnemonic and
	// the operands in the leaf's displays. It is nil until claimed computes it.
	claims *bits.Value
	// outer is the token style of the enclosing text. style is the token style of the scope's own
	// texts. Both are set only if tokens are recorded.
	outer, style *tokenStyle
	// views holds the views of the leaf's displays, by case. It is nil until a display is printed.
	views [][]view
}

// namedSite is a field of the description and its properties in a site.
type namedSite struct {
	field *spec.Field
	at    *fieldSite
}

// fieldSite caches the properties of a field in a site.
type fieldSite struct {
	field *spec.Field
	info  FieldInfo
	inner []*site
	// shown is the number of the last instruction whose text shows the field. start and end delimit the
	// field in that text. named means that the text may differ from Meaning, because it is a name from
	// the program or because an inner scope prints it.
	shown      uint64
	start, end int
	named      bool
	// standalone is the text of the field outside of its display. It is nil until it is needed.
	standalone *standaloneText
	// If masked is true, mask holds the bits of the field and width is their number.
	mask   bits.Value
	width  int
	masked bool
}

// maxSites is the maximum number of cached sites. Without a limit, operands that contain themselves
// could create an unlimited number of sites.
const maxSites = 1 << 13

// top returns the outermost site of a leaf. The site has a token style if tokens are recorded.
func (d *Decoder) top(leaf *model.Leaf) *site {
	tops := &d.tops[boolean(d.watch == watchTokens)]
	if *tops == nil {
		*tops = make([]*site, len(d.root.Leaves))
	}
	s := (*tops)[leaf.ID]
	if s == nil {
		s = &site{leaf: d.env.Bound(leaf), parts: []bits.Part{{Low: 0, Width: leaf.Size}}, table: wordTable}
		if d.watch == watchTokens {
			s.style = d.styleOf(nil, nil, s.leaf)
		}
		(*tops)[leaf.ID] = s
	}
	return s
}

// fieldOf returns the properties, in this site, of the field that ref refers to. It creates them on
// first use.
func (s *site) fieldOf(ref *model.Ref) *fieldSite {
	for i := range s.fields {
		if s.fields[i].field == ref.Field {
			return s.fields[i].at
		}
	}
	f := &fieldSite{field: ref.Field, info: FieldInfo{
		Path: s.path + ref.Field.Name, Name: ref.Field.Name, Type: ref.Field.TypeName, Doc: ref.Field.Doc, Depth: s.depth,
		Table: s.tableName, Index: ref.Field.Table != nil,
	}}
	for _, p := range ref.Field.Parts {
		f.info.Parts = compose(f.info.Parts, s.parts, p)
	}
	if f.info.Index {
		f.info.IndexOf = ref.Field.Table.Name
	}
	s.fields = append(s.fields, namedSite{ref.Field, f})
	return f
}

// inside returns the site for the value of a bitset field. unit is the leaf that matches the value.
// style is the token style of the enclosing text, or nil if no tokens are recorded.
func (f *fieldSite) inside(d *Decoder, outer *site, unit *model.BoundLeaf, style *tokenStyle) *site {
	for _, s := range f.inner {
		if s.leaf == unit && s.outer == style {
			return s
		}
	}
	s := &site{
		outer: style, leaf: unit, path: f.info.Path + ".", depth: outer.depth + 1,
		parts: f.info.Parts, table: outer.table, tableName: outer.tableName,
	}
	if t := f.field.Table; t != nil {
		s.parts, s.table, s.tableName = []bits.Part{{Low: 0, Width: t.Type.Size}}, t.Index, t.Name
	}
	if d.sites < maxSites {
		d.sites++
		f.inner = append(f.inner, s)
	}
	return s
}

// place sets the site and the table entry of the frame inner, whose bits are the value of a field in
// the frame outer.
func (d *Decoder) place(ref *model.Ref, inner, outer int) {
	d.placeAt(d.frames[outer].site.fieldOf(ref), ref, inner, outer)
}

func (d *Decoder) placeAt(f *fieldSite, ref *model.Ref, inner, outer int) {
	var heard *tokenStyle
	if d.watch == watchTokens {
		heard = d.style(inner - 1)
		d.trace.group, d.trace.mnemonicPrinted[inner] = nil, false
	}
	from, to := &d.frames[outer], &d.frames[inner]
	to.site, to.entry = f.inside(d, from.site, to.leaf, heard), from.entry
	if heard != nil && to.site.style == nil {
		to.site.style = d.styleOf(heard, ref.Field, to.leaf)
	}
	if f.info.Index {
		index := ref.Field.Gather(&from.v)
		to.entry = int(index[0])
	}
}

// compose appends to parts the position of a part of a value, most significant bits first. p is the
// part, in bits of the value, and outer is the position of the whole value.
func compose(parts, outer []bits.Part, p bits.Part) []bits.Part {
	if len(outer) == 1 && p.Low+p.Width <= outer[0].Width {
		return append(parts, bits.Part{Low: outer[0].Low + p.Low, Width: p.Width})
	}
	start, base := len(parts), 0
	for i := len(outer) - 1; i >= 0; i-- {
		o := outer[i]
		lo, hi := max(p.Low, base), min(p.Low+p.Width, base+o.Width)
		if lo < hi {
			parts = append(parts, bits.Part{Low: o.Low + lo - base, Width: hi - lo})
		}
		base += o.Width
	}
	slices.Reverse(parts[start:])
	return parts
}
