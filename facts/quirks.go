package facts

import (
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Quirk is behaviour on which documents, emulators or hardware disagree. A run chooses one of its values.
type Quirk struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	// Default is the name of the default value.
	Default string       `json:"default"`
	Values  []QuirkValue `json:"values"`
}

// QuirkValue is a value of a quirk. If the description lists no values, they are false and true.
type QuirkValue struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
}

// Quirks returns the quirks of the machine, in ASCII order of their names.
func (m *Machine) Quirks() []Quirk { return quirksOf(m.sem.Quirks()) }

// QuirksOf returns the quirks on which the semantics of an instruction depend, at the decoder's address, with the
// decoder's contexts and tables. It returns nil if the instruction has no semantics.
func (m *Machine) QuirksOf(d *isa.Decoder, in isa.Inst) []Quirk {
	list, err := m.sem.QuirksOf(inside.Leaf(in.Leaf).Root, m.words(d), in.Bits, m.address(d))
	if err != nil {
		return nil
	}
	return quirksOf(list)
}

// QuirksOfLeaf returns the quirks on which the semantics of a leaf depend for any of its words.
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
