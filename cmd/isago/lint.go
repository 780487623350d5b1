package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/view"
)

type lintFlags struct {
	machineFlags
	noWarn      []string
	json, sarif bool
}

func newLint() *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:     "lint [flags] FILE[:PROGRAM]...",
		GroupID: "code",
		Short:   "Warn of what a program does that is hardly meant",
		Long: `lint follows all ways that programs can go, and warns of registers that are read before they are written,
outputs that are not written or written twice, code that is never reached, ways that reach no end, scopes
inside each other beyond their stack, jumps that the end of a scope overrules, and of hazards that the
description knows. FILE is a program in a file format, or its source, of a machine whose description says
what instructions do. What the compiler warns of source is told too.

"isago help codes" documents the warnings; each has its name behind it, which --no-warn takes.

Exit status: 0; 1 for a file or a source that cannot be read; 2 for a mistake on the command line; 3 if
there are warnings.`,
		Example: `  isago lint light.shbin
  isago lint --no-warn unreached light.pica
  isago lint --sarif light.pica > light.sarif`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.machineFlags.add(cmd)
	f.addOrder(cmd)
	f.addTables(cmd)
	flags := cmd.Flags()
	noWarnFlag(cmd, &f.noWarn)
	flags.BoolVar(&f.json, "json", false, "print the warnings as JSON")
	flags.BoolVar(&f.sarif, "sarif", false, "print the warnings as SARIF 2.1.0, for editors and CI")
	return cmd
}

func (f *lintFlags) run(cmd *cobra.Command, names []string) error {
	if f.json && f.sarif {
		return usagef("--json and --sarif exclude each other")
	}
	if err := f.checkRaw(); err != nil {
		return err
	}
	wanted := sourceFlags{noWarn: f.noWarn}
	if err := wanted.check(); err != nil {
		return err
	}
	report := &prove.Report{}
	var errs []error
	for _, name := range names {
		list, err := f.file(cmd, name)
		if err != nil {
			refused, ok := prove.Refused(err)
			if !ok {
				return err
			}
			errs = append(errs, err)
			if f.json || f.sarif {
				report.Findings = append(report.Findings, refused.Findings...)
			}
			continue
		}
		for _, e := range list {
			if slices.Contains(f.noWarn, string(e.Code)) || slices.Contains(f.noWarn, allWarnings) {
				continue
			}
			report.Findings = append(report.Findings, prove.Finding{Code: e.Code, Level: prove.Warning, Msg: e.Msg, Span: e.Span, Notes: e.Notes})
		}
	}
	if err := f.print(cmd, report); err != nil || len(errs) > 0 {
		return errors.Join(err, joined(errs))
	}
	if len(report.Findings) > 0 {
		return errFindings
	}
	return nil
}

func (f *lintFlags) print(cmd *cobra.Command, report *prove.Report) error {
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	switch {
	case f.json:
		err = printJSON(out, view.NewCheckReport(report).Findings)
	case f.sarif:
		err = printJSON(out, view.NewSARIF(report, strings.TrimPrefix(version(), "isago ")))
	default:
		err = view.Warnings(out, report.Findings, palette)
	}
	return errors.Join(err, out.Flush())
}

// file returns the warnings of a file.
func (f *lintFlags) file(cmd *cobra.Command, name string) (diag.List, error) {
	own := *f // the machine is each file's own
	name, err := own.pick(name)
	if err != nil {
		return nil, err
	}
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, err
	}
	src := textOf(name, data)
	if m, _, known := f.recognise(data); known || f.takeRaw {
		list, err := own.program(name, data, nil)
		if err == nil || errors.Is(err, lint.ErrLarge) || f.takeRaw || !isText(src.Text) {
			return list, err
		}
		own.isa = m.Name // a file whose source has the same form
	}
	out, ok, err := own.compileSource(src)
	if err != nil {
		return nil, err
	}
	if !ok {
		return own.program(name, data, nil)
	}
	list, err := own.program(name, out.Bytes, out.Places)
	for _, w := range out.Warnings {
		if !slices.ContainsFunc(list, func(e *diag.Error) bool { return e.Code == w.Code && e.Span == w.Span }) {
			list = append(list, w)
		}
	}
	list.Sort()
	return list, err
}

// program returns the warnings of a program; places are those of its source, if it has one.
func (f *lintFlags) program(name string, data []byte, places []program.Place) (diag.List, error) {
	in := codeOf(data)
	if err := f.checkSize(name, in); err != nil {
		return nil, err
	}
	set, im, err := f.readImage(name, in)
	if err != nil {
		return nil, err
	}
	told, err := facts.Open(set)
	if err == nil {
		told, err = told.Choosing(im.Quirks)
	}
	if err != nil {
		return nil, err
	}
	if f.root == "" {
		if f.root, err = told.Root(); err != nil {
			return nil, err
		}
	}
	d, err := f.decoder(set)
	if err != nil {
		return nil, err
	}
	for i, t := range im.Tables {
		d.SetTable(i, t)
	}
	place := placer(name, d, im, places)
	runner := f.launch(set, d.Context(), data)
	outputs := outputs(runner)
	counted, _ := runner.(exec.Counted)
	var all diag.List
	for _, part := range im.Members() {
		if im.Pieces != nil {
			d.SetContext(part.Context)
		}
		running := told.Running(func(name string, size int, number uint64) (v bits.Value, ok bool) {
			root, err := set.Root(strings.TrimPrefix(name, "#"))
			at := part.Start + int64(number)*int64(size)
			if err != nil || number > 1<<24 || at+int64(size) > part.End {
				return v, false
			}
			v, _ = im.At(at, root, size)
			return v, true
		})
		p := &lint.Program{Image: im, Decoder: d, Facts: running, Outputs: outputs, Counted: counted, Base: part.Start, End: part.End}
		for _, e := range im.Entries {
			if !e.Inner && e.Addr >= part.Start && e.Addr < part.End {
				p.Entries = append(p.Entries, e.Addr-part.Start)
			}
		}
		if len(p.Entries) == 0 {
			p.Entries = []int64{0}
		}
		p.Place = func(addr int64) diag.Span { return place(part.Start + addr) }
		list, err := lint.Check(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", inputName(name), err)
		}
		all = append(all, list...)
	}
	return all, nil
}

// checkSize refuses raw code that is too long to be followed, which takes seconds to be read.
func (f *lintFlags) checkSize(name string, in *code) error {
	raw, err := f.isRaw(in)
	if err != nil || !raw {
		return err
	}
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	root, err := set.Root(f.root)
	if err != nil {
		return &usageError{err}
	}
	if most := lint.MaxCode * int64(root.Stored(root.Size)/8); in.size > most {
		return fmt.Errorf("%s: %d bytes, expected at most %d: %w", inputName(name), in.size, most, lint.ErrLarge)
	}
	return nil
}

// placer tells where instructions are: in the source, or in the file as explain takes them, with their text.
func placer(name string, d *isa.Decoder, im *program.Image, places []program.Place) func(addr int64) diag.Span {
	spans, members := map[int64]diag.Span{}, im.Members()
	for _, p := range places {
		spans[p.Addr] = p.Span
	}
	return func(addr int64) diag.Span {
		if s, ok := spans[addr]; ok && s.IsValid() {
			return s
		}
		v, _ := im.At(addr, d.Root(), d.Root().Size)
		d.Addr = addr
		text := ""
		if in, ok := d.Decode(v); ok {
			text = string(d.Append(nil, in))
		}
		at := members.Place(addr)
		return diag.Span{Src: &diag.Source{Name: inputName(name), Text: text, Code: &at}, End: len(text)}
	}
}

// launch opens a program as run does; nil where it is not for running, such as a file of geometry shaders.
func (f *lintFlags) launch(set *isa.Set, ctx bits.Value, data []byte) exec.Runner {
	m, format, known := f.recognise(data)
	if !known || m.Launch == nil {
		return nil
	}
	r, err := m.Launch(exec.Request{Set: set, Context: ctx, Data: data, Format: format.Name})
	if err != nil {
		return nil
	}
	return r
}

// outputs lists the registers that a file says to be its outputs.
func outputs(r exec.Runner) []lint.Output {
	b, ok := r.(*exec.Batch)
	if !ok || b.Open {
		return nil
	}
	var list []lint.Output
	for _, p := range b.Outputs {
		for n := range p.Count {
			o := lint.Output{Name: p.Name, State: p.State.Name, Number: p.First + n}
			for _, k := range p.Components() {
				o.Mask |= 1 << uint(k)
			}
			list = append(list, o)
		}
	}
	return list
}
