package main

import (
	"fmt"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// launched is a program of a file, prepared as run prepares it.
type launched struct {
	// name is the name of the program, or "" if the file has only one program.
	name   string
	launch *exec.Launch
	// start is the place of the program in its image, in bits, and registers the number of allocated registers, or 0.
	start     int64
	registers int
	// runner runs the program. It is nil if run does not support the program.
	runner feed.Runner
	// err is the reason why run cannot launch the program, or nil. launch has no names then.
	err error
}

// prefix returns the start of an error message about the program.
func (p *launched) prefix(file string) string {
	text := inputName(file) + ": "
	if p.name != "" {
		text += p.name + ": "
	}
	return text
}

// launches prepares the programs of a file. If run does not support a program, or launches it in another way, the launch has
// no names and no constants. options are the options of the machine.
func (f *machineFlags) launches(set *isa.Set, im *program.Image, data []byte, quirks map[string]string, options map[string][]string) (list []launched, err error) {
	m, err := exec.Open(set)
	if err != nil {
		return nil, err
	}
	given, err := m.ParseQuirks(quirks)
	if err != nil {
		return nil, misuse(err, err)
	}
	root, err := m.Root(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	for _, part := range im.Members() {
		ctx := part.Context
		if im.Pieces == nil {
			if ctx, err = f.context(set); err != nil {
				return nil, err
			}
		}
		entries := im.EntriesOf(part)
		for _, e := range entries {
			p := launched{start: part.Start, registers: im.Registers[part.Start]}
			if part.Several || len(entries) > 1 {
				p.name = e.Name
			}
			req := feed.Request{Set: set, Context: ctx, Data: data, Program: launchName(part, e), Quirks: quirks, Options: options}
			if p.runner, p.err = f.launch(req); p.err == nil {
				if l, ok := p.runner.(feed.Launched); ok {
					p.launch = l.Launched()
					list = append(list, p)
					continue
				}
			}
			words := m.Words32(root, im.Words[part.Start/32:], part.End-part.Start)
			words.Context, words.Quirks = ctx, given
			copy(words.Tables, im.Tables)
			p.launch = &exec.Launch{Program: exec.NewProgram(m, words), Entry: uint64(e.Addr-part.Start) / uint64(m.Unit), Shared: exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)}
			list = append(list, p)
		}
	}
	return list, nil
}

// launchName returns the name by which run selects a program of a file, or "" if the file has only one.
func launchName(part program.Member, e program.Entry) string {
	if e.Program == "" && part.Several {
		return part.Name
	}
	return e.Program
}

// launch opens a program as run does. It returns nil if run does not support the format.
func (f *machineFlags) launch(req feed.Request) (feed.Runner, error) {
	m, _, known := f.recognise(req.Data)
	if !known || m.Launch == nil {
		return nil, nil
	}
	return m.Launch(req)
}

// instructionText returns a function that returns the address and the text of an instruction of a program.
func (f *machineFlags) instructionText(set *isa.Set, p *exec.Program) (func(addr uint64) string, error) {
	d, err := f.programDecoder(set, p)
	if err != nil {
		return nil, err
	}
	return func(addr uint64) string {
		at := fmt.Sprintf("0x%04x", p.Machine.Address(addr))
		word, ok := p.Fetch(addr)
		if !ok {
			return at
		}
		in, ok := d.Decode(word)
		if !ok {
			return at
		}
		return at + "  " + blank(d.Append(nil, in))
	}, nil
}
