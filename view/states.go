package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// State describes a register file, a view, a single register, a stack, a memory or a ROM.
type State struct {
	Machine string   `json:"machine"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	// Names are the names of the first and the last register, as run uses them.
	Names []string `json:"names"`
	Type  string   `json:"type,omitempty"`
	// Count is the number of registers, of entries of a stack, or of numbers of a rom.
	Count int `json:"count,omitempty"`
	// Bytes is the size of a memory, or 0 if the launch determines it. Memories is the number of memories in a group.
	Bytes      int64    `json:"bytes,omitempty"`
	Memories   int      `json:"memories,omitempty"`
	Components []string `json:"components,omitempty"`
	Of         string   `json:"of,omitempty"`
	Align      int      `json:"align,omitempty"`
	Slots      []Slot   `json:"slots,omitempty"`
	Use        string   `json:"use,omitempty"`
	Scope      string   `json:"scope"`
	// Outside is the effect of an access beyond the last register or outside a memory.
	Outside string `json:"outside,omitempty"`
	// Init is the value of a register before any write: a number, exists for the mask of the lanes, or "" if reading it is a
	// finding.
	Init string `json:"init,omitempty"`
	Doc  string `json:"doc,omitempty"`
}

// Slot is a part of each entry of a stack.
type Slot struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// States lists the register files, registers, stacks, memories and roms of a machine, in this order.
func States(set *isa.Set) []State {
	d := inside.Machine(set).ISA
	list := []State{}
	for _, f := range d.Files {
		if !f.Single {
			list = append(list, fileState(f))
		}
	}
	for _, r := range d.Meaning.Registers {
		out := State{Kind: "register", Name: r.Name, Names: []string{r.Name}, Aliases: r.Aliases, Type: r.Type.Text(), Count: 1, Scope: r.Scope.String(), Init: initial(r.Init), Doc: flat(r.Doc)}
		if f := d.File(r.Name); f != nil && f.Single {
			out.Use, out.Components = f.Use, componentsOf(f)
		}
		list = append(list, out)
	}
	for _, s := range d.Stacks {
		out := State{Kind: "stack", Name: s.Name, Names: []string{s.Name}, Count: s.Depth, Scope: s.Scope.String(), Doc: flat(s.Doc), Outside: "overwrite"}
		if s.FullTraps {
			out.Outside = "trap"
		}
		for _, part := range s.Slots {
			out.Slots = append(out.Slots, Slot{part.Name, part.Type.Text()})
		}
		list = append(list, out)
	}
	for _, m := range d.Memories {
		if m.Number == 0 {
			list = append(list, memoryState(m))
		}
	}
	for _, r := range d.Meaning.ROMs {
		list = append(list, State{Kind: "rom", Name: r.Name, Names: []string{r.Name}, Type: r.Type.Text(), Count: len(r.Values), Scope: spec.ScopeLaunch.String(), Doc: flat(r.Doc)})
	}
	for i := range list {
		list[i].Machine = set.Name()
	}
	return list
}

func fileState(f *spec.File) State {
	out := State{
		Kind: "file", Name: f.Name, Aliases: f.Aliases, Names: []string{f.Name + "0"}, Type: f.Type.String(), Count: f.Count, Components: componentsOf(f),
		Use: f.Use, Scope: cmp.Or(f.Scope, spec.ScopeLane.String()), Outside: cmp.Or(f.Outside, "zero"), Init: initial(f.Init), Doc: flat(f.Doc),
	}
	if f.Count > 1 {
		out.Names = append(out.Names, fmt.Sprint(f.Name, f.Count-1))
	}
	if f.Of != nil {
		out.Kind, out.Of, out.Outside, out.Init = "view", f.Of.Name, cmp.Or(f.Of.Outside, "zero"), initial(f.Of.Init)
		if f.Align > 1 {
			out.Align = f.Align
		}
	}
	return out
}

// componentsOf lists the names of components. A component without a name in the description has its number as its name.
func componentsOf(f *spec.File) []string {
	names := f.Components()
	for i := range names {
		names[i] = cmp.Or(names[i], fmt.Sprint(i))
	}
	return names
}

// initial converts the init attribute of a state to a value. It returns "" if the state has no initial value.
func initial(text string) string {
	if text == "undefined" {
		return ""
	}
	return text
}

func memoryState(m *spec.Memory) State {
	out := State{
		Kind: "memory", Name: cmp.Or(m.Of, m.Name), Aliases: m.Aliases, Type: strings.Join(m.Access, " "), Bytes: m.Size, Use: m.Use,
		Scope: cmp.Or(m.Scope, spec.ScopeLaunch.String()), Outside: cmp.Or(m.Outside, "zero"), Doc: flat(m.Doc),
	}
	name := m.Name
	if len(m.Aliases) > 0 {
		name = m.Aliases[0]
	}
	if out.Names = []string{name + "[ADDRESS]"}; m.Of != "" {
		out.Memories = m.Count
		out.Names = append(out.Names, fmt.Sprintf("%s%d[ADDRESS]", m.Of, m.Count-1))
	}
	return out
}

// Facts describes the register in one line.
func (r *State) Facts() string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch r.Kind {
	case "view":
		add("%s, a view of %s", r.Type, r.Of)
	case "stack":
		add("stack of %d entries", r.Count)
		for _, s := range r.Slots {
			add("%s %s", s.Name, s.Type)
		}
	case "memory":
		size := "memory"
		if r.Bytes > 0 {
			size = fmt.Sprintf("memory of %d bytes", r.Bytes)
		}
		if add("%s", size); r.Type != "" {
			add("as %s", r.Type)
		}
	case "rom":
		add("rom of %d %s", r.Count, r.Type)
	default:
		add("%s", r.Type)
	}
	if plain := []string{"x", "y", "z", "w"}; len(r.Components) > len(plain) || !slices.Equal(r.Components, plain[:len(r.Components)]) {
		add("components %s", strings.Join(r.Components, " "))
	}
	if r.Use != "" {
		add("%s", r.Use)
	}
	add("%s", map[string]string{"instruction": "each instruction's", "lane": "each lane's", "wave": "the wave's", "block": "the block's", "launch": "the launch's"}[r.Scope])
	switch {
	case r.Kind == "stack" && r.Outside == "trap":
		add("a push onto a full one stops")
	case r.Kind == "stack":
		add("a push onto a full one loses the oldest entry")
	case r.Outside == "trap":
		add("outside stops")
	case r.Outside == "wrap":
		add("outside wraps around")
	case r.Outside != "":
		add("outside reads %s", strings.Replace(r.Outside, "zero", "0", 1))
	}
	switch r.Init {
	case "":
	case "exists":
		add("starts as the mask of the lanes")
	default:
		add("starts as %s", r.Init)
	}
	if r.Align > 0 {
		add("at multiples of %d", r.Align)
	}
	for _, a := range r.Aliases {
		switch {
		case r.Kind == "memory" && strings.HasPrefix(r.Names[0], a+"["):
			a = r.Name + "[ADDRESS]"
		case r.Kind == "memory":
			a += "[ADDRESS]"
		case r.Kind != "register":
			a += "0"
		}
		add("also %s", a)
	}
	return strings.Join(list, ", ")
}
