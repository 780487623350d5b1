package equal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
)

// named is a component of a named input, uniform or output.
type named struct {
	name string
	// number is the number of the register among those with the name, and comp the number of the component among those of the register.
	number, comp int
	letter       string
}

// String returns the name, such as modelView[1].x.
func (n named) String() string {
	text := n.name
	if n.number > 0 {
		text += fmt.Sprintf("[%d]", n.number)
	}
	if n.letter != "" {
		text += "." + n.letter
	}
	return text
}

// find returns the name of a register among ports. ok is false if none of them has a name of its own for the register.
func (c *comparison) find(side int, v flow.Variable, lists ...[]exec.Port) (n named, ok bool) {
	l := c.programs[side].Launch
	if v.State.Index < 0 {
		return n, false
	}
	s := l.Program.Machine.States[v.State.Index]
	for _, list := range lists {
		for i := range list {
			p := &list[i]
			comp := slices.Index(p.Components(), v.Comp)
			if p.State != s || p.View != nil || v.Number < p.First || v.Number >= p.First+p.Count || comp < 0 || l.NameOf(s, v.Number, v.Comp) == "" {
				continue
			}
			return named{p.Name, v.Number - p.First, comp, p.Letter(v.Comp)}, true
		}
	}
	return n, false
}

// has reports whether a program has an input or uniform, or an output, with a name.
func has(name string, lists ...[]exec.Port) bool {
	for _, list := range lists {
		if slices.ContainsFunc(list, func(p exec.Port) bool { return p.Name == name }) {
			return true
		}
	}
	return false
}

// other returns the name that the other program has for a name of a program. Options.Map applies to inputs and uniforms if both programs
// have inputs or uniforms with these names, and likewise to outputs.
func (c *comparison) other(side int, name string, outputs bool) string {
	for a, b := range c.Map {
		if !has(a, c.lists(0, outputs)...) || !has(b, c.lists(1, outputs)...) {
			continue
		}
		if side == 0 && a == name {
			return b
		}
		if side == 1 && b == name {
			return a
		}
	}
	return name
}

// lists returns the ports of a program: the outputs, or the inputs and uniforms.
func (c *comparison) lists(side int, outputs bool) [][]exec.Port {
	l := c.programs[side].Launch
	if outputs {
		return [][]exec.Port{l.Outputs}
	}
	return [][]exec.Port{l.Inputs, l.Uniforms}
}

// key returns the name by which a register of a program is matched. Registers of both programs with the same key are the same input
// or output.
func (c *comparison) key(side int, v flow.Variable, outputs bool) string {
	own, other := c.lists(side, outputs), c.lists(1-side, outputs)
	n, ok := c.find(side, v, own...)
	if otherName := c.other(side, n.name, outputs); ok && has(otherName, other...) {
		if side == 1 {
			n.name = otherName
		}
		return c.show(fmt.Sprintf("name %q %d %d", n.name, n.number, n.comp), n.String())
	}
	if c.same {
		// The other program has no such name. The register has the same meaning there, unless it has a name that this program uses
		// for another register.
		if twin, named := c.find(1-side, v, other...); named && has(c.other(1-side, twin.name, outputs), own...) {
			return c.unmatched(side, v)
		}
		return c.show("register "+v.String(), registerName(v))
	}
	return c.unmatched(side, v)
}

// unmatched returns the key of a register that has no counterpart.
func (c *comparison) unmatched(side int, v flow.Variable) string {
	return c.show(fmt.Sprintf("program %d %s", side+1, v), fmt.Sprintf("%s of program %d", registerName(v), side+1))
}

// show records the name that messages have for a key, and returns the key.
func (c *comparison) show(key, name string) string {
	c.names[key] = name
	return key
}

// registerName returns the name of a component of a register, such as r5.x.
func registerName(v flow.Variable) string {
	text := v.State.Name
	if !v.State.Single {
		text += strconv.Itoa(v.Number)
	}
	if v.State.Type.Len > 0 {
		text += "." + v.State.Letter(v.Comp)
	}
	return text
}

// match matches the outputs.
func (c *comparison) match() error {
	for a, b := range c.Map {
		for side, name := range []string{a, b} {
			if !has(name, c.lists(side, false)...) && !has(name, c.lists(side, true)...) {
				return exec.Optionf("program %d has no input, uniform or output with the name %q", side+1, name)
			}
		}
	}
	c.names = map[string]string{}
	for side := range c.programs {
		c.leaves[side], c.owners[side] = map[flow.Variable]string{}, map[string]flow.Variable{}
	}
	var keys [2][]string
	at := [2]map[string]flow.Variable{{}, {}}
	for side, x := range c.programs {
		for i := range x.Launch.Outputs {
			p := &x.Launch.Outputs[i]
			if p.View != nil {
				c.result.Unmatched = append(c.result.Unmatched, fmt.Sprintf("%s of program %d, which is part of a register", p.Name, side+1))
				continue
			}
			if p.State.Kind != exec.Registers {
				continue // the stores to the memory are compared
			}
			for n := range p.Count {
				for _, k := range p.Components() {
					v := flow.Variable{State: machineOf(x).States[p.State.Index], Number: p.First + n, Comp: k}
					key := c.key(side, v, true)
					for n := 2; at[side][key].State != nil; n++ { // several outputs with one name are matched in order
						key = c.show(fmt.Sprintf("%s; %d", key, n), fmt.Sprintf("%s (%d)", c.names[key], n))
					}
					at[side][key] = v
					keys[side] = append(keys[side], key)
				}
			}
		}
	}
	for _, key := range keys[0] {
		v, ok := at[1][key]
		if !ok {
			c.result.Unmatched = append(c.result.Unmatched, c.names[key])
			continue
		}
		if at[0][key].Type() != v.Type() {
			c.result.Unmatched = append(c.result.Unmatched, c.names[key]+", of another type")
			continue
		}
		c.outputs = append(c.outputs, output{c.names[key], [2]flow.Variable{at[0][key], v}})
	}
	for _, key := range keys[1] {
		if _, ok := at[0][key]; !ok {
			c.result.Unmatched = append(c.result.Unmatched, c.names[key])
		}
	}
	for _, name := range c.Fixed {
		if !has(name, c.lists(0, false)...) && !has(name, c.lists(1, false)...) {
			return exec.Optionf("no program has an input or uniform with the name %q", name)
		}
	}
	return nil
}

// fixed returns the values of the uniforms of Options.Fixed.
func (c *comparison) fixed(side int) map[flow.Variable]uint64 {
	known := map[flow.Variable]uint64{}
	x := c.programs[side]
	for i := range x.Launch.Uniforms {
		p := &x.Launch.Uniforms[i]
		if !slices.Contains(c.Fixed, p.Name) || p.View != nil || p.State.Kind != exec.Registers {
			continue
		}
		for n := range p.Count {
			for _, k := range p.Components() {
				v := flow.Variable{State: machineOf(x).States[p.State.Index], Number: p.First + n, Comp: k}
				known[v] = x.Launch.Shared.Get(p.State, v.Number, k)
			}
		}
	}
	return known
}

// symbolic returns the values of a program in a graph, which are not computed yet.
func (c *comparison) symbolic(g *graph, side int, p *flow.Program) *symbolic {
	s := &symbolic{g: g, p: p, side: side, machine: c.programs[side].Launch.Program.Machine.Set().Name(), registers: c.programs[side].Registers}
	s.leaf = func(v flow.Variable) id {
		key := c.key(side, v, false)
		if old, ok := c.owners[side][key]; ok && old != v { // two registers have one name
			key = c.unmatched(side, v)
		}
		c.leaves[side][v], c.owners[side][key] = key, v
		return g.free(v.Type(), inputName(key))
	}
	s.array = func(st *sem.State, comp int) id { return g.free(sem.Type{}, "file "+c.file(side, st, comp)) }
	s.compared = map[string]bool{}
	for i := range c.programs[side].Launch.Outputs {
		if o := &c.programs[side].Launch.Outputs[i]; o.State.Kind == exec.Memory {
			s.compared[stateOf(&sem.Inst{State: machineOf(c.programs[side]).States[o.State.Index]})] = true
		}
	}
	return s
}

// inputName returns the name of the function for an input with a key.
func inputName(key string) string { return "input " + key }

// isGiven reports whether a register has a value before the program starts.
func isGiven(v flow.Variable) bool {
	return v.State.Use == "input" || slices.Contains(v.State.Given, v.Number)
}

// file returns the key of the values of a file before the program starts. Files of both programs have the same key only if all their
// registers have the same keys, and the same constants.
func (c *comparison) file(side int, st *sem.State, comp int) string {
	l := c.programs[side].Launch
	var h strings.Builder
	for n := range st.Count {
		v := flow.Variable{State: st, Number: n, Comp: comp}
		fmt.Fprintf(&h, "%s;", c.key(side, v, false))
		c.leaves[side][v] = c.key(side, v, false)
	}
	constants := []string{}
	for i := range l.Constants {
		p := &l.Constants[i]
		if p.State.Index != st.Index {
			continue
		}
		for n := range p.Count {
			if slices.Contains(p.Components(), comp) {
				constants = append(constants, fmt.Sprintf("%d=%x;", p.First+n, l.Shared.Get(p.State, p.First+n, comp)))
			}
		}
	}
	for v, bits := range c.fixed(side) {
		if v.State == st && v.Comp == comp {
			constants = append(constants, fmt.Sprintf("%d=%x;", v.Number, bits))
		}
	}
	slices.Sort(constants)
	return fmt.Sprintf("%s %s %d %s%s", l.Program.Machine.Set().Name(), st.Name, comp, h.String(), strings.Join(constants, ""))
}
