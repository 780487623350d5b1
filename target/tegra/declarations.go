package tegra

import (
	"fmt"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// declarations lists the names and the constants of a program as its source has them, and its labels.
func (p *Program) declarations(set *isa.Set) (list []program.FileDeclaration) {
	for _, s := range nameLines[:3] {
		for _, n := range *s.list(p) {
			key := fmt.Sprintf(".%s [%d]", s.places, n.Number)
			list = append(list, program.FileDeclaration{Key: key, Text: fmt.Sprintf("%s = %q", key, n.Name)})
		}
	}
	components := componentsOf(set)
	for _, c := range p.Constants {
		key := fmt.Sprintf(".constants [%d].%c", c.Number, components[c.Component])
		list = append(list, program.FileDeclaration{Key: key, Text: key + " = " + formatFloat(c.Bits)})
	}
	for _, l := range p.Labels {
		key := "label " + l.Name
		list = append(list, program.FileDeclaration{Key: key, Text: key, Place: wordBits * int64(l.Number), Placed: true})
	}
	return list
}
