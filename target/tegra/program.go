package tegra

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Program is a whole program: its words, and the names and constants that a driver needs beside them.
type Program struct {
	// Words are the instructions.
	Words []bits.Value
	// Attributes, Exports and Uniforms are the names of registers, by number.
	Attributes, Exports, Uniforms []Name
	// Constants are the components of constants with a value, by number and component.
	Constants []Constant
	// Labels are the names of instructions, by number and name. The place behind the last one can have a
	// name too.
	Labels []Name
}

// Name is the name of a register or an instruction.
type Name struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
}

// Constant is the value of a component, 0 to 3, of a constant.
type Constant struct {
	Number    int `json:"number"`
	Component int `json:"component"`
	// Bits are those of an IEEE 754 float of 32 bits.
	Bits uint32 `json:"bits"`
}

// localMark starts a label that stays in its source.
const localMark = "."

// components are the letters of the components of constants.
const components = "xyzw"

// wordBits is the size of an instruction; addresses of the engine count in bits.
const wordBits = 128

// sort brings names and constants into their order.
func (p *Program) sort() {
	for _, names := range [][]Name{p.Attributes, p.Exports, p.Uniforms, p.Labels} {
		slices.SortFunc(names, func(a, b Name) int { return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Name, b.Name)) })
	}
	slices.SortFunc(p.Constants, func(a, b Constant) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Component, b.Component))
	})
}

// facts are what the description says about programs: the field of the last word that ends one, and
// the number of places that a program and its sections have.
type facts struct {
	ends   string
	places map[string]int
}

func factsOf(set *isa.Set) (*facts, error) {
	root, err := set.Root("")
	if err != nil {
		return nil, err
	}
	leaf := root.Leaves[0]
	f := &facts{ends: leaf.Meta("ends"), places: map[string]int{}}
	for _, name := range []string{"instructions", "attributes", "exports", "uniforms", "constants"} {
		n, err := strconv.Atoi(leaf.Meta(name))
		if err != nil {
			return nil, fmt.Errorf("%s: <meta %s=%q>, expected a number", leaf.Name, name, leaf.Meta(name))
		}
		f.places[name] = n
	}
	return f, nil
}

// ended tells whether a word ends the program.
func (f *facts) ended(d *isa.Decoder, in isa.Inst) bool {
	done := in
	return d.SetField(&done, f.ends, 1) == nil && done == in
}

// list returns the names of a section.
func (p *Program) list(section string) *[]Name {
	switch section {
	case "attributes":
		return &p.Attributes
	case "exports":
		return &p.Exports
	}
	return &p.Uniforms
}
