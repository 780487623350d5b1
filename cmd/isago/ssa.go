package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// blocks prints the control-flow graph of a program in SSA form.
func (f *disFlags) blocks(cmd *cobra.Command, name string) error {
	set, l, err := f.launched(cmd, name)
	if err != nil {
		return err
	}
	machine := l.Program.Machine.Inside(inside.Key{})
	constants := map[flow.Variable]bool{} // the constants that the file defines
	for _, p := range l.Constants {
		for n := range p.Count {
			for _, k := range p.Components() {
				constants[flow.Variable{State: machine.States[p.State.Index], Number: p.First + n, Comp: k}] = true
			}
		}
	}
	values := exec.NewWave(l.Program, l.Shared)
	p, err := flow.Specialise(cmd.Context(), flow.Config{
		Machine: machine, Entry: l.Entry, OneLane: machine.Wave,
		Code: func(addr uint64) (*sem.Code, error) { return l.Program.Code(inside.Key{}, addr) },
		Known: func(s *sem.State, number, comp int) (uint64, bool) {
			if !constants[flow.Variable{State: s, Number: number, Comp: comp}] {
				return 0, false
			}
			return values.Get(l.Program.Machine.States[s.Index], number, comp, 0), true
		},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", inputName(name), err)
	}
	d, err := f.decoderOf(set, l.Program)
	if err != nil {
		return err
	}
	text := p.Text(flow.Naming{
		Variable: func(v flow.Variable) string {
			if v.State.Kind == sem.StackState {
				return ""
			}
			named := l.NameOf(l.Program.Machine.States[v.State.Index], v.Number, v.Comp)
			if named != "" && v.State.Type.Len > 0 {
				named += "." + v.State.Letter(v.Comp)
			}
			return named
		},
		Instruction: func(addr uint64) string {
			at := fmt.Sprintf("0x%04x", l.Program.Machine.Address(addr))
			word, ok := l.Program.Fetch(addr)
			if !ok {
				return at
			}
			in, ok := d.Decode(word)
			if !ok {
				return at
			}
			return at + "  " + blank(d.Append(nil, in))
		},
	})
	_, err = fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

// launched loads a program and prepares its launch, as the command run does.
func (f *disFlags) launched(cmd *cobra.Command, name string) (*isa.Set, *exec.Launch, error) {
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, nil, err
	}
	m, _, known := f.recognise(data)
	if !known || m.Launch == nil {
		set, p, _, err := f.lowered(cmd, name)
		if err != nil {
			return nil, nil, err
		}
		return set, &exec.Launch{Program: p, Shared: exec.NewShared(p.Machine, exec.ScopeBlock, exec.ScopeLaunch)}, nil
	}
	set, err := f.load(&m)
	if err != nil {
		return nil, nil, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, nil, err
	}
	r, err := m.Launch(feed.Request{Set: set, Context: ctx, Data: data})
	if err != nil {
		return nil, nil, fileError(name, err)
	}
	l, ok := r.(feed.Launched)
	if !ok {
		return nil, nil, fmt.Errorf("%s: --ssa needs a program with inputs and outputs, and this program has none", inputName(name))
	}
	return set, l.Launched(), nil
}
