package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/cost"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/view"
)

type costFlags struct {
	analysis
	lines, json bool
	occupancyFlags
}

// occupancyFlags state what a launch chooses for the blocks of a kernel. block is 0 if the user did not choose.
type occupancyFlags struct {
	block, shared int
	hasShared     bool
}

// usualBlocks are the numbers of lanes of blocks for which cost shows the occupancy.
var usualBlocks = []int{64, 128, 192, 256, 384, 512}

func newCost() *cobra.Command {
	var f costFlags
	cmd := &cobra.Command{
		Use:     "cost [flags] FILE[:PROGRAM]...",
		GroupID: "code",
		Short:   "Show what programs need: words, registers, paths",
		Long: `cost shows what programs need, next to the limits that the description states: words and table entries,
inputs, constants and outputs, the registers that are live at the same time, the shortest and the longest path
in instructions, special functions, texture fetches and memory accesses, hazards, and for Tesla kernels the
occupancy: how many warps a multiprocessor runs at the same time.

A register is live at an instruction if some path from there reads it before it is written. Paths are paths of
the control flow, even if no input makes the program take them. In the length 12 + 8 n, n is the number of
times that control goes back to the start of a loop. cost states no times.

FILE is a program or its source. The description of its machine must have semantics. In a folder, cost reads
every program and source that it recognises.

Exit status: 0; 1 if cost cannot read a program or source; 2 for a mistake on the command line.`,
		Example: `  isago cost light.pica
  isago cost --lines light.shbin
  isago cost --json light.shbin`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := f.programFiles(cmd, args, true)
			if err != nil {
				return err
			}
			return f.run(cmd, namesOf(list))
		},
	}
	f.machineFlags.add(cmd)
	f.addOrder(cmd)
	f.addTables(cmd)
	flags := cmd.Flags()
	f.allocation.add(cmd, "assume `N` allocated registers for programs whose file does not state the number, such as raw code (tesla)")
	flags.Var(amount[int]{&f.block, 1}, "block", "show the occupancy for blocks of `N` threads (default: for several sizes) (tesla)")
	flags.Var(amount[int]{&f.shared, 0}, "shared", "add `N` bytes of shared memory that the launch allocates to each block (tesla)")
	flags.BoolVar(&f.lines, "lines", false, "also list the instructions with the registers that are live before each")
	flags.BoolVar(&f.json, "json", false, "print JSON, with all instructions")
	return cmd
}

// costReport is the cost of one of the independent programs of a file, as cost --json prints it.
type costReport struct {
	File string `json:"file"`
	ISA  string `json:"isa"`
	*cost.Report
	Hazards []view.CheckFinding `json:"hazards"`
}

func (f *costFlags) run(cmd *cobra.Command, names []string) error {
	if f.json && f.lines {
		return usagef("--json cannot be combined with --lines")
	}
	f.hasShared = cmd.Flags().Changed("shared")
	if err := f.checkRaw(); err != nil {
		return err
	}
	progress := progressOf(cmd)
	var all []costReport
	failed := false
	for i, name := range names {
		progress.files(i, len(names))
		progress.start("%s: measuring", inputName(name))
		list, err := f.file(cmd, name)
		progress.end()
		if err != nil {
			if len(names) == 1 || cmd.Context().Err() != nil {
				return err
			}
			printError(cmd, err)
			failed = true
		}
		all = append(all, list...)
	}
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	if f.json {
		err = printJSON(out, slices.Concat([]costReport{}, all))
	} else {
		for i := range all {
			if i > 0 {
				fmt.Fprintln(out)
			}
			f.print(out, &all[i], palette)
		}
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if failed {
		return errFailed
	}
	return nil
}

// file returns the cost of the programs of a file.
func (f *costFlags) file(cmd *cobra.Command, name string) (list []costReport, err error) {
	_, err = f.analysis.file(cmd, name, func(p *lint.File, name string) error {
		file := &cost.File{Listing: &view.Listing{Decoder: p.Decoder, Image: p.Image}, Facts: p.Facts, Base: p.Base, End: p.End, Registers: p.Registers, Locate: p.Locate}
		if err := f.occupancyFlags.apply(file); err != nil {
			return err
		}
		for _, x := range p.Programs {
			c := cost.Program{Name: x.Name, Entries: x.Entries, Emits: x.Emits, Known: x.Known}
			for _, o := range x.Outputs {
				c.Outputs = append(c.Outputs, cost.Output{State: o.State, Number: o.Number, Mask: o.Mask})
			}
			file.Programs = append(file.Programs, c)
		}
		r, err := cost.Of(cmd.Context(), file)
		if err != nil {
			return err
		}
		list = append(list, costReport{inputName(name), p.Decoder.Set().Name(), r, hazards(r.Hazards)})
		return nil
	})
	return list, err
}

// apply states the memory and the sizes of the blocks of a file. It returns an error for blocks that the machine cannot
// run.
func (f *occupancyFlags) apply(file *cost.File) error {
	set := file.Listing.Decoder.Set()
	most := set.MaxBlock()
	switch {
	case most == 0 && f.block > 0:
		return usagef("--block does not apply to this machine, whose programs do not run in blocks")
	case most == 0 && f.hasShared:
		return usagef("--shared does not apply to this machine, whose programs do not run in blocks")
	case f.block > most:
		return usagef("--block %d, expected 1 to %d", f.block, most)
	}
	file.Shared = -1
	if n, ok := file.Listing.Image.Shared[file.Base]; ok || f.hasShared {
		file.Shared = n + f.shared
	}
	for _, n := range usualBlocks {
		if n <= most {
			file.Threads = append(file.Threads, n)
		}
	}
	if f.block > 0 {
		file.Threads = []int{f.block}
	}
	return nil
}

// hazards returns warnings in the form of lint --json.
func hazards(list diag.List) []view.CheckFinding {
	report := &prove.Report{}
	for _, e := range list {
		report.Findings = append(report.Findings, prove.Finding{Code: e.Code, Level: prove.Warning, Msg: e.Msg, Span: e.Span, Notes: e.Notes})
	}
	return view.NewCheckReport(report).Findings
}

// print prints a report as text.
func (f *costFlags) print(w *bufio.Writer, r *costReport, p view.Palette) {
	fmt.Fprintf(w, "%s\n", p.Title(r.File+", "+r.ISA))
	r.Report.Print(w, p)
	if f.lines {
		for i := range r.Programs {
			fmt.Fprintln(w)
			r.Programs[i].PrintLines(w, p)
		}
	}
	for _, h := range r.Report.Hazards {
		fmt.Fprintf(w, "%s\n", strings.TrimSpace(h.Error()))
	}
}
