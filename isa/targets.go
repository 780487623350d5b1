package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// BranchTarget is a place that an instruction can go to.
type BranchTarget struct {
	// Addr is in bits from the start of the program.
	Addr int64
	Call bool
}

// Targets appends the branch targets that the text of an instruction shows.
func (d *Decoder) Targets(dst []BranchTarget, in Inst) []BranchTarget {
	if !d.MayBranch(in.Leaf) {
		return dst
	}
	return d.shownTargets(dst, in)
}

// shownTargets prints an instruction and notes its labels.
func (d *Decoder) shownTargets(dst []BranchTarget, in Inst) []BranchTarget {
	label := d.Label
	d.Label = func(addr int64, call bool) (string, bool) {
		dst = append(dst, BranchTarget{addr, call})
		return "", false
	}
	found := len(d.findings)
	d.text = d.Append(d.text[:0], in)
	d.dropFindings(found)
	d.Label = label
	return dst
}

// MayBranch reports whether a display of an instruction's leaf can show a branch target. For the first few
// instructions of a leaf that is not looked into, and taken for granted: most programs are short.
func (d *Decoder) MayBranch(leaf *Leaf) bool {
	l := d.envMemo(d.env).leafMemo(leaf.model)
	return l.plan == nil || l.plan.branches
}

// IndexField is a field of an instruction, or of an operand in its word, that is the index of a table entry. Field is its
// path.
type IndexField struct {
	Field      string
	Table      string
	TableIndex int
	Index      uint64
}

// IndexFields lists the fields in the word of an instruction that name table entries.
func (d *Decoder) IndexFields(in Inst) []IndexField {
	d.setTop(in)
	found := len(d.findings)
	list := d.indexFields(nil, "", 0)
	d.dropFindings(found)
	return list
}

// hasMissingEntry reports whether an index of a frame, of its operands or of the entries that they are in names an entry that there
// is not. Each is a finding; what else is found on the way is left to whoever prints.
func (d *Decoder) hasMissingEntry(depth int) bool {
	lacks := false
	indices := d.frames[depth].leaf.Indices()
	for i := range indices {
		if ref := indices[i].Always; ref != nil {
			lacks = d.lacksEntry(ref, d.frames[depth].v.Uint(ref.Low, ref.Width)) || lacks
			continue
		}
		found := len(d.findings)
		ref := d.pick(indices[i].Alts, depth)
		d.dropFindings(found)
		if !ref.Indexes() {
			continue
		}
		if ref.Field.Table != nil {
			lacks = d.lacksEntry(ref, d.extract(ref, &d.frames[depth].v, depth)) || lacks
			found = len(d.findings)
		}
		if ref.Field.Bitset.HasIndexes {
			inner, _, ok := d.enterDisplayed(ref, depth)
			d.dropFindings(found)
			lacks = ok && d.hasMissingEntry(inner) || lacks
		}
	}
	return lacks
}

// indexFields appends the index fields of a frame, whose fields have the path before their names, and of those in it.
func (d *Decoder) indexFields(list []IndexField, path string, depth int) []IndexField {
	for _, x := range d.frames[depth].leaf.Indices() {
		ref := d.pick(x.Alts, depth)
		if !ref.Indexes() {
			continue
		}
		f := ref.Field
		if f.Table != nil {
			index := f.Gather(&d.frames[depth].v)
			list = append(list, IndexField{path + f.Name, f.Table.Name, f.Table.Index, index[0]})
		} else if inner, _, ok := d.enterDisplayed(ref, depth); ok {
			list = d.indexFields(list, path+f.Name+".", inner)
		}
	}
	return list
}

// SetField gives a field of the instruction's word a value: name is one of its fields, or the path of one in an operand.
// It is for what text does not say, such as lengths that a layout computes. The error tells that there is no such field,
// or that the value does not fit.
func (d *Decoder) SetField(in *Inst, name string, value uint64) error {
	d.watch = watchFields
	d.setTop(*in)
	found := len(d.findings)
	f := d.fieldAt(name)
	d.watch = watchNothing
	d.dropFindings(found)
	if f == nil || f.Derived() {
		return fmt.Errorf("%s has no field %s", in.Leaf.Display, name)
	}
	width := 0
	for _, p := range f.Parts {
		width += p.Width
	}
	switch {
	case width < 64 && value>>uint(width) != 0:
		return fmt.Errorf("%d does not fit %s, expected 0 to %d", value, name, uint64(1)<<uint(width)-1)
	case f.Table != "":
		return fmt.Errorf("%s is in a table, not in the word", name)
	}
	for _, p := range slices.Backward(f.Parts) {
		in.Bits.SetUint(p.Low, p.Width, value)
		value >>= uint(p.Width)
	}
	return nil
}

// fieldAt returns what is known of a field of the instruction by its path, nil where it has none.
func (d *Decoder) fieldAt(path string) *FieldInfo {
	for depth, ok := 0, true; ok; {
		name, rest, more := strings.Cut(path, ".")
		ref := d.pick(d.frames[depth].leaf.Resolve(name), depth)
		switch {
		case ref == nil || ref.Field == nil || ref.ScopeDepth != 0 || more && (ref.Kind != spec.KindBitset || ref.Prog != nil):
			return nil
		case !more:
			return &d.frames[depth].site.fieldOf(ref).info
		}
		path = rest
		depth, _, ok = d.enterDisplayed(ref, depth)
	}
	return nil
}
