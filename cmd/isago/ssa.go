package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
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
	var texts []string
	for _, p := range list {
		text, err := f.ssaText(cmd, set, p.launch, p.registers)
		if err != nil {
			return fmt.Errorf("%s%w", p.prefix(name), err)
		}
		if p.name != "" {
			text = "; " + p.name + "\n" + text
		}
		texts = append(texts, text)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), strings.Join(texts, "\n"))
	return err
}

// ssaText specialises a program and returns its text. registers is the number of allocated registers, or 0.
func (f *disFlags) ssaText(cmd *cobra.Command, set *isa.Set, l *exec.Launch, registers int) (string, error) {
	machine := l.Program.Machine.Inside(inside.Key{})
	if f.oneLane && !machine.Wave {
		return "", usagef("--one-lane does not apply to this machine, whose lanes have a program counter each")
	}
	c := l.Flow(inside.Key{})
	c.OneLane = f.oneLane
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
