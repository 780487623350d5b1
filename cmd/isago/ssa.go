package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/layered"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// blocks prints the control-flow graphs of the programs of a file in SSA form.
func (f *disFlags) blocks(cmd *cobra.Command, name string) error {
	in, err := f.openPart(cmd, name)
	if err != nil {
		return err
	}
	defer in.Close()
	data, err := in.all()
	if err != nil {
		return err
	}
	set, im, err := f.readImage(name, in)
	if err != nil {
		return err
	}
	list, err := f.launches(set, im, data, f.withQuirks(set, im.Quirks), nil)
	if err != nil {
		return err
	}
	if f.graph == "svg" && len(list) > 1 {
		var names []string
		for _, p := range list {
			names = append(names, p.name)
		}
		return usagef("%s has %d programs, and --graph svg draws one, expected FILE:PROGRAM with one of %s", inputName(name), len(list), strings.Join(names, ", "))
	}
	var texts []string
	for _, p := range list {
		text, err := f.ssaText(cmd, set, p.launch, p.registers, cmp.Or(p.name, filepath.Base(inputName(name))))
		if err != nil {
			return fmt.Errorf("%s%w", p.prefix(name), err)
		}
		if f.graph == "" && p.name != "" {
			text = "; " + p.name + "\n" + text
		}
		texts = append(texts, text)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), strings.Join(texts, "\n"))
	return err
}

// ssaText specialises a program and returns its text, or its graph with --graph. registers is the number of allocated
// registers, or 0.
func (f *disFlags) ssaText(cmd *cobra.Command, set *isa.Set, l *exec.Launch, registers int, title string) (string, error) {
	machine := l.Program.Machine.Inside(inside.Key{})
	if f.oneLane && !machine.Wave {
		return "", usagef("--one-lane does not apply to this machine, whose lanes have a program counter each")
	}
	c := l.Flow(inside.Key{})
	c.OneLane = f.oneLane || f.graph != "" && machine.Wave // a graph shows the control flow of a lane
	c.Count = func(s *sem.State) int {
		if s.Allocated && registers > 0 {
			return min(registers, s.Count)
		}
		return s.Count
	}
	p, err := flow.Specialise(cmd.Context(), c)
	if errors.Is(err, flow.ErrTooLarge) && machine.Wave && !f.oneLane {
		return "", fmt.Errorf("%w: --one-lane gives fewer", err)
	}
	if err != nil {
		return "", err
	}
	instruction, err := f.instructionText(set, l.Program)
	if err != nil {
		return "", err
	}
	if f.graph != "" {
		return f.graphText(p, title, instruction)
	}
	return p.Text(flow.Naming{
		Variable: func(v flow.Variable) string {
			if v.State.Kind == sem.StackState || v.State.Index < 0 {
				return ""
			}
			named := l.NameOf(l.Program.Machine.States[v.State.Index], v.Number, v.Comp)
			if named != "" && v.State.Type.Len > 0 {
				named += "." + v.State.Letter(v.Comp)
			}
			return named
		},
		Instruction: instruction,
	}), nil
}

// graphText draws the control flow of a program. Each block has the instructions from which its operations come.
func (f *disFlags) graphText(p *flow.Program, title string, instruction func(addr uint64) string) (string, error) {
	g := layered.Graph{Title: title}
	at := map[*flow.Block]int{}
	order, diverges := p.Order(), p.Diverges()
	for i, b := range order {
		at[b] = i
	}
	for i, b := range order {
		n := layered.Node{Title: fmt.Sprintf("b%d", b.Index)}
		last := flow.NoAddr
		line := func(addr uint64) {
			if addr != flow.NoAddr && addr != last {
				last = addr
				n.Lines = append(n.Lines, instruction(addr))
			}
		}
		for _, id := range b.Insts {
			line(p.Addrs[id])
		}
		switch b.End.Kind {
		case flow.Branch:
			line(b.End.Addr)
			if diverges[b.Index] {
				n.Title, n.Class = n.Title+", lanes may diverge", "diverge"
			}
		case flow.Exit:
			n.Title += ", exit"
		case flow.Stop:
			n.Title, n.Class = n.Title+", stops: "+b.End.Text, "stop"
		}
		g.Nodes = append(g.Nodes, n)
		for k, e := range b.End.Edges {
			label := ""
			if b.End.Kind == flow.Branch {
				label = []string{"true", "false"}[k]
			}
			g.Edges = append(g.Edges, layered.Edge{From: i, To: at[e.To], Label: label})
		}
	}
	for i, back := range g.Back() {
		if n := &g.Nodes[g.Edges[i].To]; back && !strings.Contains(n.Title, ", loop") {
			n.Title, n.Class = n.Title+", loop", strings.TrimSpace(n.Class+" loop")
		}
	}
	if f.graph == "dot" {
		return g.DOT(), nil
	}
	return g.SVG()
}
