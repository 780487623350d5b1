package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
)

// operations lists the instructions of a program, each with the operations that it is lowered to.
func (f *disFlags) operations(cmd *cobra.Command, name string) error {
	set, im, err := f.readImage(cmd, name)
	if err != nil {
		return err
	}
	m, err := exec.Open(set)
	if err != nil {
		return err
	}
	ctx, err := f.context(set)
	if err != nil {
		return err
	}
	root, err := m.Root(f.root)
	if err != nil {
		return err
	}
	tables := im.Tables
	for len(tables) < len(m.Model.ISA.Tables) {
		tables = append(tables, nil)
	}
	p := exec.NewProgram(m, root, sem.Words{Context: ctx, Tables: tables, Word: exec.Inner32(m, im.Words, im.Bits)}, exec.Words32(m, root, im.Words, im.Bits))
	t := tracer{set: set}
	w := bufio.NewWriter(cmd.OutOrStdout())
	odd := false
	for addr := uint64(0); ; {
		if _, ok := p.Fetch(addr); !ok {
			break
		}
		code, err := p.Code(addr)
		fmt.Fprintf(w, "%d\t%s\n", addr, t.text(p, addr))
		addr++
		switch {
		case errors.Is(err, sem.ErrUnknown):
			odd = true
		case err != nil:
			return err
		default:
			addr = max(addr, code.Next)
			for line := range strings.Lines(code.String()) {
				fmt.Fprint(w, "\t", line)
			}
		}
	}
	if err := w.Flush(); err != nil || !odd {
		return err
	}
	return errFindings
}
