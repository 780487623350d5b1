package facts

import (
	"fmt"
	"strconv"
	"strings"
)

// String names what is read or written as a person does: r0.xyz, c[].x where the number is only known when the
// instruction runs, calls.end, four bytes of shared.
func (a Access) String() string {
	switch a.State.Kind {
	case Memory:
		s := fmt.Sprintf("%d bytes of %s", a.Size, a.State.Name)
		if a.Address >= 0 {
			s += fmt.Sprintf(" at 0x%x", a.Address)
		}
		return s
	case Stack:
		if a.Mask == 0 {
			return a.State.Name
		}
		return a.State.Name + "." + strings.Join(a.Components(), ",")
	}
	return a.register() + a.suffix()
}

func (a Access) register() string {
	switch {
	case a.State.Single:
		return a.State.Name
	case a.Number < 0:
		return a.State.Name + "[]"
	}
	return a.State.Name + strconv.Itoa(a.Number)
}

// suffix is the components, if they are not all.
func (a Access) suffix() string {
	n := len(a.State.Components)
	if n == 0 || a.Mask == 1<<uint(n)-1 {
		return ""
	}
	return "." + strings.Join(a.Components(), "")
}

// Components lists the names of the components that are meant, none where there is one without a name.
func (a Access) Components() []string {
	var list []string
	for k, name := range a.State.Components {
		if a.Mask>>uint(k)&1 != 0 {
			list = append(list, name)
		}
	}
	return list
}
