package isa

import (
	"fmt"

	"github.com/isago/isago/internal/model"
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
	d.forget(found)
	d.Label = label
	return dst
}

// MayBranch reports whether a display of an instruction's leaf can show a branch target. For the first few
// instructions of a leaf that is not looked into, and taken for granted: most programs are short.
func (d *Decoder) MayBranch(leaf *Leaf) bool {
	l := d.envMemo(d.env).leafMemo(leaf.model)
	return l.plan == nil || l.plan.branches
}

// IndexField is a field of an instruction that is the index of a table entry.
type IndexField struct {
	Field      string
	Table      string
	TableIndex int
	Index      uint64
}

// IndexFields lists the fields of an instruction that name table entries.
func (d *Decoder) IndexFields(in Inst) []IndexField {
	d.take(in)
	var list []IndexField
	for _, named := range d.frames[0].leaf.NamedFields() {
		ref := d.pick(named.Alts, 0)
		if ref == nil || ref.Field == nil || ref.Field.Table == nil || ref.ScopeDepth != 0 {
			continue
		}
		list = append(list, IndexField{ref.Field.Name, ref.Field.Table.Name, ref.Field.Table.Index, d.indexOf(ref)})
	}
	return list
}

func (d *Decoder) indexOf(ref *model.Ref) uint64 {
	index := ref.Field.Gather(&d.frames[0].v)
	return index[0]
}

// SetField gives a field of the instruction's word a value: name is one of its fields, or a path of
// fields with bits in the word. It is for what text does not say, such as lengths that a layout
// computes. The error tells that there is no such field, or that the value does not fit.
func (d *Decoder) SetField(in *Inst, name string, value uint64) error {
	d.take(*in)
	ref := d.pick(d.frames[0].leaf.Resolve(name), 0)
	if ref == nil || ref.Field == nil || ref.Prog != nil || ref.ScopeDepth != 0 {
		return fmt.Errorf("%s has no field %s", in.Leaf.Display, name)
	}
	if ref.Width < 64 && value>>uint(ref.Width) != 0 {
		return fmt.Errorf("%d does not fit %s, expected 0 to %d", value, name, uint64(1)<<uint(ref.Width)-1)
	}
	d.frames[0].site = d.top(in.Leaf.model)
	f := d.reached(ref, 0)
	if f.info.Table != "" {
		return fmt.Errorf("%s is in a table, not in the word", name)
	}
	at, placed := 0, f.info.Parts
	for i := len(placed) - 1; i >= 0; i-- {
		in.Bits.SetUint(placed[i].Low, placed[i].Width, value>>uint(at))
		at += placed[i].Width
	}
	return nil
}
