package tegra

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// Program is a whole program: its words, and the names and constants that a driver needs in addition.
type Program struct {
	// Words are the instructions.
	Words []bits.Value
	// Attributes, Exports and Uniforms are the names of registers, by number.
	Attributes, Exports, Uniforms []Name
	// Constants are the components of constants with a value, by number and component.
	Constants []Constant
	// Labels are the names of instructions, by number and name. The place after the last instruction can have a name
	// too.
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
	// Bits are those of an IEEE 754 32-bit float.
	Bits uint32 `json:"bits"`
}

// localMark starts a label that stays in its source.
const localMark = "."

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

// facts are what the description says about programs: the field of the last word that ends one, the number
// of places that a program and its sections have, and the letters of the components of constants.
type facts struct {
	ends       string
	places     map[string]int
	components string
}

func factsOf(set *isa.Set) (*facts, error) {
	f := &facts{places: map[string]int{}}
	for _, name := range []string{"instructions", "uniforms", "constants"} {
		n, ok := set.Limit(name)
		if !ok {
			return nil, fmt.Errorf("the description needs a limit %q", name)
		}
		f.places[name] = int(n)
	}
	sections := map[string]string{"input": "attributes", "output": "exports"}
	for _, file := range set.Files() {
		if name := sections[file.Use]; name != "" {
			f.places[name] = file.Count
		}
	}
	f.components = componentsOf(set)
	if len(f.places) != 5 || f.components == "" {
		return nil, errors.New("the description needs register files for inputs, outputs and constants")
	}
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	return f, f.loadEnd(d)
}

// componentsOf returns the letters of the components of constants.
func componentsOf(set *isa.Set) string {
	for _, file := range set.Files() {
		if file.Use == "constant" {
			return strings.Join(file.Components, "")
		}
	}
	return ""
}

// loadEnd finds the field that ends a program.
func (f *facts) loadEnd(d *isa.Decoder) error {
	leaf := d.Root().Leaves[0]
	in := isa.Inst{Leaf: leaf, Bits: leaf.Match}
	f.ends = leaf.Meta("ends")
	if err := d.SetField(&in, f.ends, 1); err != nil {
		return fmt.Errorf("%s: <meta ends=%q>: %w", leaf.Name, f.ends, err)
	}
	if !f.ended(d, in) {
		return fmt.Errorf("%s: <meta ends=%q>, but a word with it has no <flow kind=\"end\">", leaf.Name, f.ends)
	}
	return nil
}

// ended reports whether a word ends the program.
func (f *facts) ended(d *isa.Decoder, in isa.Inst) bool {
	return slices.ContainsFunc(d.Flows(nil, in), func(w isa.Flow) bool { return w.Kind == isa.End && !w.Maybe })
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
