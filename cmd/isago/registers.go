package main

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"github.com/isago/isago/view"
)

// listRegisters prints the registers, stacks and memories of machines.
func (f *listFlags) listRegisters() error {
	sets, err := f.sets()
	if err != nil {
		return err
	}
	var all []view.State
	for _, set := range sets {
		all = append(all, view.States(set)...)
	}
	w := f.cmd.OutOrStdout()
	if f.json {
		return printJSON(w, append([]view.State{}, all...))
	}
	p, err := paletteOf(f.cmd)
	if err != nil {
		return err
	}
	columns := 0
	for _, r := range all {
		columns = max(columns, len(strings.Join(r.Names, " to ")))
	}
	out := bufio.NewWriter(w)
	for i := range all {
		r := &all[i]
		if i == 0 || all[i-1].Machine != r.Machine {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "%s, registers\n", p.Title(cmp.Or(r.Machine, "the description")))
		}
		view.Entry(out, p, strings.Join(r.Names, " to "), r.Facts(), r.Doc, min(columns, longestColumn), textWidth(w))
	}
	return out.Flush()
}
