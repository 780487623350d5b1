package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
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
	m, err := exec.Open(set)
	if err != nil {
		return err
	}
	var texts []string
	for _, part := range im.Members() {
		entries := im.EntriesOf(part)
		for _, e := range entries {
			l, err := f.launched(m, im, part, e, data)
			if err != nil {
				return err
			}
			text, err := f.ssaText(cmd, set, l, im.Registers[part.Start])
			if err != nil {
				return fmt.Errorf("%s%w", inTheProgram(name, part, e, len(entries)), err)
			}
			if title := e.Name; title != "" && (part.Several || len(entries) > 1) {
				text = "; " + title + "\n" + text
			}
			texts = append(texts, text)
		}
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), strings.Join(texts, "\n"))
	return err
}

// inTheProgram returns the start of an error message about a program of a file.
func inTheProgram(name string, part program.Member, e program.Entry, entries int) string {
	text := inputName(name) + ": "
	if e.Name != "" && (part.Several || entries > 1) {
		text += e.Name + ": "
	}
	return text
}

// launched prepares the launch of a program, as the command run does. If run does not support the program, or
// launches it in another way, the launch has no names and no constants.
func (f *disFlags) launched(m *exec.Machine, im *program.Image, part program.Member, e program.Entry, data []byte) (*exec.Launch, error) {
	ctx := part.Context
	if im.Pieces == nil {
		var err error
		if ctx, err = f.context(m.Set()); err != nil {
			return nil, err
		}
	}
	if f.offset == 0 && f.length == 0 {
		if l, ok := f.launch(m.Set(), ctx, data, e.Program).(feed.Launched); ok {
			return l.Launched(), nil
		}
	}
	root, err := m.Root(f.root)
	if err != nil {
		return nil, err
	}
	words := m.Words32(root, im.Words[part.Start/32:], part.End-part.Start)
	words.Context = ctx
	copy(words.Tables, im.Tables)
	entry := uint64(e.Addr-part.Start) / uint64(m.Unit)
	return &exec.Launch{Program: exec.NewProgram(m, words), Entry: entry, Shared: exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)}, nil
}

// launch opens a program as run does. It returns nil if run does not support the program.
func (f *machineFlags) launch(set *isa.Set, ctx bits.Value, data []byte, name string) feed.Runner {
	m, _, known := f.recognise(data)
	if !known || m.Launch == nil {
		return nil
	}
	r, err := m.Launch(feed.Request{Set: set, Context: ctx, Data: data, Program: name})
	if err != nil {
		return nil
	}
	return r
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
	d, err := f.decoderOf(set, l.Program)
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
	}), nil
}
