package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/cost"
	"github.com/isago/isago/equal"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

type diffFlags struct {
	machineFlags
	rangeFlags
	json, semantics, cost bool
}

func newDiff() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:     "diff [flags] FILE[:PROGRAM] FILE[:PROGRAM]",
		GroupID: "code",
		Short:   "Show how two programs differ",
		Long: `diff compares two programs for one machine: their instructions, and declarations such as constants, entry
points, uniforms, outputs, stages and memory sizes. Lines with - are only in the first file, lines with + only
in the second. If a removed and an added instruction have the same format, diff also lists the fields that
differ. diff compares programs with the same name, such as kernels, with each other.

Two branches are equal if they lead to the same instruction, even at different addresses. Two table entries
are equal if their contents are equal. diff ignores offsets, padding, comments, versions and the
order of declarations. docs/diff.md lists what it compares in each format.

--semantics also compares what the programs do, as "isago equal" does: for each component of the outputs, diff
prints whether it stays the same, and otherwise values that differ, or the start of both expressions.

--cost also prints which costs change: words, registers, paths and operations, as "isago cost" counts them.

diff recognises formats by their content; raw words need --isa or --spec. It assembles source files first.

Exit status: 0 if the programs are equal; 1 if they differ or diff cannot read them; 2 for a mistake on the
command line; 3 if they are equal but use table entries that are missing.`,
		Example: `  isago diff before.shbin after.shbin
  isago diff before.pica after.pica
  isago diff --isa tegra a.bin b.bin`,
		Args: twoFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	f.machineFlags.add(cmd)
	f.rangeFlags.add(cmd)
	f.addOrder(cmd)
	f.addTables(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the differences as JSON")
	cmd.Flags().BoolVar(&f.semantics, "semantics", false, "also print which outputs change")
	cmd.Flags().BoolVar(&f.cost, "cost", false, "also print which costs change, such as registers and paths")
	return cmd
}

// twoFiles returns an error unless the arguments are two files.
func twoFiles(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 1:
		return usagef("1 file, expected two")
	case len(args) != 2:
		return usagef("%d files, expected two", len(args))
	case args[0] == "-" && args[1] == "-":
		return usagef("both files are standard input, expected two different files")
	}
	return nil
}

func (f *diffFlags) run(cmd *cobra.Command, a, b string) error {
	if err := f.checkRaw(); err != nil {
		return err
	}
	if f.semantics && f.json {
		return usagef("--semantics cannot be combined with --json; isago equal --json prints which outputs change")
	}
	if err := f.checkRead(a, b); err != nil {
		return err
	}
	namedA, namedB := a, b
	la, err := f.listingOf(cmd, &a)
	if err != nil {
		return err
	}
	lb, err := f.listingOf(cmd, &b)
	if err != nil {
		return err
	}
	if x, y := la.Decoder.Set(), lb.Decoder.Set(); x.Name() != y.Name() {
		return usagef("%s is a program for %s, but %s is for %s", inputName(a), setName(x), inputName(b), setName(y))
	}
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	missing := []missingEntries{{name: a}, {name: b}}
	la.Report, lb.Report = missing[0].report, missing[1].report
	progress := progressOf(cmd)
	progress.start("%s: comparing", inputName(a))
	defer progress.end()
	if la.Image.Size() >= lb.Image.Size() { // both are read in parallel
		progress.watch(a, la)
	} else {
		progress.watch(b, lb)
	}
	d, err := view.Compare(la, lb)
	if err != nil {
		return err
	}
	var changes []cost.Change
	if f.cost {
		if changes, err = f.changes(cmd, namedA, namedB); err != nil {
			return err
		}
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	if f.json {
		err = printJSON(w, diffReport{d.Report(inputName(a), inputName(b)), changes})
	} else if err = d.Print(w, palette); f.cost {
		cost.PrintChanges(w, changes, palette)
	}
	if err := cmp.Or(err, w.Flush()); err != nil {
		return err
	}
	if f.semantics {
		progress.end()
		if err := f.printOutputs(cmd, namedA, namedB); err != nil {
			return err
		}
	}
	found := false
	for i := range missing {
		found = missing[i].print(cmd.ErrOrStderr()) || found
	}
	switch {
	case !d.Equal():
		return errFailed
	case found:
		return errFindings
	}
	return nil
}

// diffReport is what diff --json prints.
type diffReport struct {
	*view.DiffReport
	// Costs are the costs that change. They are absent without --cost.
	Costs []cost.Change `json:"costs,omitzero"`
}

// checkRead returns an error if the files cannot be read again for their costs or their semantics.
func (f *diffFlags) checkRead(a, b string) error {
	flag := "--cost"
	if f.semantics {
		flag = "--semantics"
	}
	switch {
	case !f.cost && !f.semantics:
	case f.offset != 0 || f.length != 0:
		return usagef("%s cannot be combined with --offset or --length", flag)
	case a == "-" || b == "-":
		return usagef("%s cannot be combined with standard input, which diff can read only once", flag)
	}
	return nil
}

// changes returns the costs that differ between two files.
func (f *diffFlags) changes(cmd *cobra.Command, a, b string) ([]cost.Change, error) {
	var reports [2][]*cost.Report
	for i, name := range []string{a, b} {
		c := costFlags{analysis: analysis{machineFlags: f.machineFlags}}
		list, err := c.file(cmd, name)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			reports[i] = append(reports[i], x.Report)
		}
	}
	return cost.Compare(reports[0], reports[1]), nil
}

// printOutputs prints for each component of the outputs of two programs whether it stays the same.
func (f *diffFlags) printOutputs(cmd *cobra.Command, a, b string) error {
	e := equalFlags{machineFlags: f.machineFlags, rangeFlags: f.rangeFlags}
	var programs [2]equal.Program
	for i, name := range []string{a, b} {
		p, err := e.read(cmd, name)
		if err != nil {
			return err
		}
		programs[i] = p.program()
	}
	r, err := equal.Compare(cmd.Context(), programs[0], programs[1], equal.Options{})
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "outputs: %s\n", r.Verdict)
	for _, o := range r.Outputs {
		switch {
		case r.Verdict == equal.Equal || o.Proved:
			fmt.Fprintf(&text, "  %s  the same\n", o.Name)
		case o.Found != nil:
			fmt.Fprintf(&text, "  %s  differs: %s and %s for some inputs\n", o.Name, o.Found.Text(0), o.Found.Text(1))
		default:
			fmt.Fprintf(&text, "  %s  not decided\n", o.Name)
		}
		if !o.Proved && o.Values[0] != o.Values[1] {
			fmt.Fprintf(&text, "    - %s\n    + %s\n", o.Values[0], o.Values[1])
		}
	}
	for _, reason := range r.Reasons {
		fmt.Fprintf(&text, "  %s\n", reason)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text.String())
	return err
}

// missingEntries counts the table entries that a program needs and the input lacks.
type missingEntries struct {
	name, first string
	count       int
}

// report counts a missing entry, and records the first one.
func (m *missingEntries) report(addr int64, text string) {
	if m.count++; m.count == 1 {
		m.first = fmt.Sprintf("%s@0x%x: %s", inputName(m.name), addr/8, text)
	}
}

// print prints the first missing entry and the number of missing entries. It reports whether there are any.
func (m *missingEntries) print(w io.Writer) bool {
	if m.count > 0 {
		fmt.Fprintf(w, "%s; %d times in all\n", m.first, m.count)
	}
	return m.count > 0
}

// listingOf returns a listing of the program that an argument names. It replaces the argument with the name of the
// file.
func (f *diffFlags) listingOf(cmd *cobra.Command, argument *string) (*view.Listing, error) {
	name, err := f.pick(*argument)
	if err != nil {
		return nil, err
	}
	*argument = name
	in, err := f.openPart(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	own := f.machineFlags // each source selects its own machine
	return own.listing(name, in)
}

// listingFrom returns a listing of a program from its bytes.
func (f *machineFlags) listingFrom(name string, data []byte) (*view.Listing, error) {
	set, im, err := f.imageOf(name, data)
	if err != nil {
		return nil, err
	}
	return f.listingOf(set, im)
}

// listingOf returns a listing of an image.
func (f *machineFlags) listingOf(set *isa.Set, im *program.Image) (*view.Listing, error) {
	d, err := f.decoder(set)
	if err != nil {
		return nil, err
	}
	d.SetTables(im.Tables)
	return &view.Listing{Decoder: d, Image: im}, nil
}
