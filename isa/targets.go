package isa

import (
	"github.com/isago/isago/bits"
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
	label := d.Label
	d.Label = func(addr int64, call bool) (string, bool) {
		dst = append(dst, BranchTarget{addr, call})
		return "", false
	}
	found := len(d.findings)
	d.Append(nil, in)
	d.findings = d.findings[:found]
	d.Label = label
	return dst
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
	d.frames[0] = frame{in.Bits, d.env.Unit(in.Leaf)}
	var list []IndexField
	for _, named := range d.frames[0].unit.NamedFields() {
		ref := d.pick(named.Alts, 0)
		if ref == nil || ref.Field == nil || ref.Field.Table == nil || ref.Hops != 0 {
			continue
		}
		list = append(list, IndexField{ref.Field.Name, ref.Field.Table.Name, ref.Field.Table.Index, d.indexOf(ref)})
	}
	return list
}

func (d *Decoder) indexOf(ref *model.Ref) uint64 {
	index := gather(ref.Field, &d.frames[0].v)
	return index[0]
}

// LineTable returns the entries of a table, cleared, so that they can be filled for one
// instruction.
func (d *Decoder) LineTable(table int) []bits.Value {
	t := d.tables[table]
	clear(t)
	return t[:0]
}
