package facts

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns a short text, such as r0.xyz, calls.end, or c[].x for an unknown register number.
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

// suffix returns the components as text, or "" for all components.
func (a Access) suffix() string {
	n := len(a.State.Components)
	if n == 0 || a.Mask == 1<<uint(n)-1 {
		return ""
	}
	return "." + strings.Join(a.Components(), "")
}

// Components returns the names of the selected components, or nil for a scalar.
func (a Access) Components() []string {
	var list []string
	for k, name := range a.State.Components {
		if a.Mask>>uint(k)&1 != 0 {
			list = append(list, name)
		}
	}
	return list
}
