package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/spec"
)

// BranchTarget is a possible branch target of an instruction.
type BranchTarget struct {
	// Addr is the address in bits from the start of the program.
	Addr int64
	// Call reports whether the instruction calls the target.
	Call bool
}

// Targets appends the branch targets in the text of an instruction to dst.
func (d *Decoder) Targets(dst []BranchTarget, in Inst) []BranchTarget {
	if !d.MayBranch(in.Leaf) {
		return dst
	}
	return d.shownTargets(dst, in)
}

// shownTargets prints an instruction and collects the targets in its text.
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

// MayBranch reports whether any display of a leaf can contain a branch target. It returns true until
// the decoder has examined the displays. The decoder does so only after it has printed several
// instructions, because most programs are short.
func (d *Decoder) MayBranch(leaf *Leaf) bool {
	l := d.envMemo(d.env).leafMemo(leaf.model)
	return l.plan == nil || l.plan.branches
}

// IndexField is a field that contains the index of a table entry. The field belongs to an instruction
// or to an operand in the same word.
type IndexField struct {
	// Field is the path of the field.
	Field string
	// Table is the name of the table, and TableIndex is its index in Set.Tables.
	Table      string
	TableIndex int
	// Index is the index of the entry.
	Index uint64
}

// IndexFields lists the fields of an instruction that contain the index of a table entry.
func (d *Decoder) IndexFields(in Inst) []IndexField {
	d.setTop(in)
	found := len(d.findings)
	list := d.indexFields(nil, "", 0)
	d.dropFindings(found)
	return list
}

// hasMissingEntry reports whether a frame, its operands or their table entries select a missing entry.
// It records a finding for each missing entry. It discards all other findings, because printing records
// them.
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

// indexFields appends the index fields of a frame and of nested frames. path is prepended to the names
// of the fields.
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

// SetField sets a field of the instruction by name, or by path for a field in an operand. Use it for
// values that the text does not determine, such as lengths that depend on the layout of the program. It
// returns an error if there is no such field, if the field has no bits in the word, or if the value
// does not fit.
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

// fieldAt returns a field of the instruction by path, or nil.
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
