package facts

import (
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Quirk is a choice where documents and hardware disagree, made when a program is run.
type Quirk struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Default is the name of the value that a run has if none is chosen.
	Default string       `json:"default"`
	Values  []QuirkValue `json:"values"`
}

// QuirkValue is a value of a quirk, which is false or true where the description lists none.
type QuirkValue struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
}

// Quirks lists the quirks of the machine, in ASCII order of their names.
func (m *Machine) Quirks() []Quirk { return quirksOf(m.sem.Quirks()) }

// QuirksOf lists those on which the meaning of an instruction depends, at the decoder's address, with its contexts and
// tables; none where it has no meaning.
func (m *Machine) QuirksOf(d *isa.Decoder, in isa.Inst) []Quirk {
	list, err := m.sem.QuirksOf(inside.Leaf(in.Leaf).Root, m.words(d), in.Bits, m.address(d))
	if err != nil {
		return nil
	}
	return quirksOf(list)
}

// QuirksOfLeaf lists those on which the meaning of a leaf depends, whatever its bits are.
func (m *Machine) QuirksOfLeaf(l *isa.Leaf) []Quirk {
	leaf := inside.Leaf(l)
	return quirksOf(m.sem.QuirksOfLeaf(leaf.Root, leaf))
}

func quirksOf(list []*spec.Quirk) []Quirk {
	out := []Quirk{}
	for _, q := range list {
		x := Quirk{Name: q.Name, Doc: q.Doc}
		for i, name := range q.Values() {
			v := QuirkValue{Name: name}
			if q.Enum != nil {
				v.Doc = q.Enum.Values[i].Doc
			}
			if q.Numbers()[i] == q.Default {
				x.Default = name
			}
			x.Values = append(x.Values, v)
		}
		out = append(out, x)
	}
	return out
}
