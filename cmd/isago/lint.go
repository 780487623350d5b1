package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/view"
)

// analysis are the flags of commands that follow the control flow of programs.
type analysis struct {
	machineFlags
	allocation
}

type lintFlags struct {
	analysis
	outputFlag
	noWarn      []string
	json, sarif bool
}

func newLint() *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:     "lint [flags] FILE[:PROGRAM]...",
		GroupID: "code",
		Short:   "Warn about likely mistakes in programs",
		Long: `lint follows every path through a program and warns about likely mistakes: registers that are read before
they are written, outputs that are not written or written twice, unused results and declarations, instructions
without effect, unreachable code, paths without an end, and hazards that the description names. A result is
used if it reaches an output, a memory, a condition or an address.

FILE is a program or its source. The description of its machine must have semantics. lint also prints the
warnings of the assembler. In a folder, it reads every program and source that it recognises.

A register that a launch does not allocate reads as 0, so lint does not report it as unwritten. The file or
--registers states the number of allocated registers. Without this number, lint does not report registers above
the highest one that the program writes.

Each warning ends with its name. "isago codes NAME" explains it, and --no-warn NAME hides it.

Exit status: 0; 1 if lint cannot read a program or source; 2 for a mistake on the command line; 3 if there
are warnings.`,
		Example: `  isago lint light.shbin
  isago lint --no-warn unreached light.pica
  isago lint --sarif light.pica > light.sarif`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := f.programFiles(cmd, args, true)
			if err != nil {
				return err
			}
			return outputTo(cmd, f.output, func() error { return f.run(cmd, namesOf(list)) })
		},
	}
	f.machineFlags.add(cmd)
	f.addOrder(cmd)
	f.addTables(cmd)
	f.outputFlag.add(cmd, outputFile)
	flags := cmd.Flags()
	noWarnFlag(cmd, &f.noWarn)
	f.allocation.add(cmd, "assume `N` allocated registers for programs whose file does not state the number, such as raw code (tesla)")
	flags.BoolVar(&f.json, "json", false, "print the warnings as JSON")
	flags.BoolVar(&f.sarif, "sarif", false, "print the warnings as SARIF 2.1.0, for editors and CI")
	return cmd
}

func (f *lintFlags) run(cmd *cobra.Command, names []string) error {
	if f.json && f.sarif {
		return usagef("--json cannot be combined with --sarif")
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
	failed := false
	progress := progressOf(cmd)
	for i, name := range names {
		progress.files(i, len(names))
		progress.start("%s: checking", inputName(name))
		list, err := f.file(cmd, name)
		progress.end()
		if err != nil {
			refused, ok := prove.ReportLoadError(err)
			if !ok && (len(names) == 1 || errors.Is(err, context.Canceled)) {
				return err
			}
			if !ok { // of this file only
				printError(cmd, err)
				failed = true
				continue
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
	err := f.print(cmd, report)
	if len(errs) > 0 {
		printError(cmd, joined(errs))
		failed = true
	}
	if err == nil && failed {
		err = errFailed
	}
	if err != nil {
		return err
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
func (f *lintFlags) file(cmd *cobra.Command, name string) (list diag.List, err error) {
	out, err := f.analysis.file(cmd, name, func(p *lint.File, name string) error {
		more, err := lint.Check(cmd.Context(), p)
		list = append(list, more...)
		return err
	})
	if out == nil {
		return list, err
	}
	for _, w := range out.Warnings {
		if err == nil && lint.Covers(w.Code) || slices.ContainsFunc(list, func(e *diag.Error) bool { return e.Code == w.Code && e.Span == w.Span }) {
			continue
		}
		list = append(list, w)
	}
	list.Sort()
	return list, err
}

// file calls do with each of the independent programs of a file, and the name of the file. If the file is source, file
// returns the result of compiling it.
func (f *analysis) file(cmd *cobra.Command, name string, do func(p *lint.File, name string) error) (src *program.Compiled, err error) {
	own := *f // each file selects its own machine
	name, err = own.pick(name)
	if err != nil {
		return nil, err
	}
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, err
	}
	text := textOf(name, data)
	if m, _, known := f.recognise(data); known || f.forceRaw {
		err := own.program(name, data, nil, do)
		if err == nil || errors.Is(err, lint.ErrTooLarge) || f.forceRaw || !isText(text.Text) {
			return nil, err
		}
		own.isa = m.Name // a source that looks like a file in a format
	}
	out, ok, err := own.compileSource(text)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, own.program(name, data, nil, do)
	}
	return out, own.program(name, out.Bytes, out, do)
}

// program calls do with each of the independent programs of a file. src is the result of compiling the source of the
// file, or nil.
func (f *analysis) program(name string, data []byte, src *program.Compiled, do func(p *lint.File, name string) error) error {
	in := codeOf(data)
	if err := f.checkSize(name, in); err != nil {
		return err
	}
	set, im, err := f.readImage(name, in)
	if err != nil {
		return err
	}
	known, err := facts.Open(set)
	if err == nil {
		known, err = known.Choosing(im.Quirks)
	}
	if err != nil {
		return err
	}
	if f.root == "" {
		if f.root, err = known.Root(); err != nil {
			return err
		}
	}
	d, err := f.decoder(set)
	if err != nil {
		return err
	}
	d.SetTables(im.Tables)
	if src == nil {
		src = &program.Compiled{}
	}
	most := 0
	for _, s := range known.States() {
		if s.Allocated {
			most = max(most, s.Count)
		}
	}
	if err := f.allocation.check(most); err != nil {
		return err
	}
	place := placer(name, d, im, src.Places)
	for _, part := range im.Members() {
		if im.Pieces != nil {
			d.SetContext(part.Context)
		}
		running := known.Running(func(name string, size int, number uint64) (v bits.Value, ok bool) {
			root, err := set.Root(strings.TrimPrefix(name, "#"))
			at := part.Start + int64(number)*int64(size)
			if err != nil || number > 1<<24 || at+int64(size) > part.End {
				return v, false
			}
			v, _ = im.At(at, root, size)
			return v, true
		})
		p := &lint.File{Image: im, Decoder: d, Facts: running, Registers: f.allocation.of(im, part.Start), Base: part.Start, End: part.End}
		p.Programs = f.programs(set, im, part, data, src)
		p.Locate = func(addr int64) diag.Span { return place(part.Start + addr) }
		if err := do(p, name); err != nil {
			return fmt.Errorf("%s: %w", inputName(name), err)
		}
	}
	return nil
}

// checkSize rejects raw code that is too long to analyse. It does so before lint reads the code, which could take
// seconds.
func (f *analysis) checkSize(name string, in *code) error {
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
	if most := lint.MaxCode * int64(root.StoredSize(root.Size)/8); in.size > most {
		return fmt.Errorf("%s: %d bytes, expected at most %d: %w", inputName(name), in.size, most, lint.ErrTooLarge)
	}
	return nil
}

// placer returns a function that returns the position of the instruction at an address: its span in the source, or its
// place in the file in the notation of explain, with its text.
func placer(name string, d *isa.Decoder, im *program.Image, places []program.Place) func(addr int64) diag.Span {
	spans, members := map[int64]diag.Span{}, im.Members()
	for _, p := range places {
		spans[p.Addr] = p.Span
	}
	others := map[int64]*program.Piece{} // instructions of other roots
	for i := range im.Pieces {
		if p := &im.Pieces[i]; p.Root != nil && p.Root != d.Root() {
			others[p.Addr] = p
		}
	}
	return func(addr int64) diag.Span {
		if s, ok := spans[addr]; ok && s.IsValid() {
			return s
		}
		d := d
		if p := others[addr]; p != nil {
			d, _ = d.Set().NewDecoder(p.Root.Name)
			d.SetContext(p.Context)
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

// programs lists the programs of a part of a file: one for each name that a launch can select, and one for all other
// entries.
func (f *analysis) programs(set *isa.Set, im *program.Image, part program.Member, data []byte, src *program.Compiled) []lint.Program {
	var list []lint.Program
	var others []int64
	known := map[string]bool{}
	for _, e := range im.Entries {
		addr := e.Addr - part.Start
		if e.Inner || addr < 0 || e.Addr >= part.End || e.Program != "" && known[e.Program] {
			continue
		}
		if e.Program == "" {
			others = append(others, addr)
			continue
		}
		known[e.Program] = true
		p := lint.Program{Name: programName(im, e), Entries: []int64{addr}}
		r, _ := f.launch(feed.Request{Set: set, Context: part.Context, Data: data, Program: e.Program})
		describe(&p, set, part.Context, r, src)
		list = append(list, p)
	}
	if len(others) == 0 && len(list) == 0 {
		others = []int64{0}
	}
	if len(others) > 0 {
		p := lint.Program{Name: part.Name, Entries: others}
		r, _ := f.launch(feed.Request{Set: set, Context: part.Context, Data: data, Program: launchName(part, program.Entry{})})
		describe(&p, set, part.Context, r, src)
		list = append(list, p)
	}
	return list
}

// programName returns the name of the program that starts at an entry. It is the name of the entry if its file has only
// one program.
func programName(im *program.Image, e program.Entry) string {
	for _, o := range im.Entries {
		if !o.Inner && o.Program != e.Program {
			return e.Program
		}
	}
	return e.Name
}

// describe copies the declarations of a launch to a program: its outputs, its constants, and the names of its inputs,
// uniforms and constants. r is nil if run does not support the program.
func describe(p *lint.Program, set *isa.Set, ctx bits.Value, r feed.Runner, src *program.Compiled) {
	b, ok := r.(feed.Launched)
	if !ok || b.Launched().Open {
		return
	}
	l := b.Launched()
	p.Emits = l.Emits
	meanings := set.Outputs(ctx)
	required := slices.DeleteFunc(slices.Clone(meanings), func(m *isa.Output) bool { return !m.Required })
	means := false
	for _, x := range l.Outputs {
		m := meaning(meanings, x)
		means = means || m == nil || m.Mask != 0
		required = slices.DeleteFunc(required, func(r *isa.Output) bool { return r == m })
		for n := range x.Count {
			o := lint.Output{Name: x.Name, State: x.State.Name, Number: x.First + n}
			o.Span = src.Declaration("", o.State, o.Number).Span
			for i, k := range x.Components() {
				o.Mask |= 1 << uint(k)
				if m == nil || i < mathbits.OnesCount64(m.Mask) { // their order distinguishes them
					o.Needed |= 1 << uint(k)
				}
				if o.Used = o.Needed; m != nil && m.Mask == 0 { // another program may read it
					o.Used = o.Mask
				}
			}
			p.Outputs = append(p.Outputs, o)
		}
	}
	if means && len(required) > 0 {
		p.Required = required[0].Name
	}
	p.Known = func(state string, number, comp int) (v uint64, ok bool) {
		for _, x := range l.Constants { // constants of other types may be replaced and decide what runs
			if x.State.Name == state && number == x.First && x.State.Type.Kind == isa.Float {
				return l.Shared.Get(x.State, number, comp), true
			}
		}
		return 0, false
	}
	kinds := []string{"input", "uniform", "constant"}
	for i, ports := range [][]exec.Port{l.Inputs, l.Uniforms, l.Constants} {
		for _, x := range ports {
			name := x.Name
			if kinds[i] == "constant" { // the name of its register
				name = ""
			}
			n := lint.Name{Kind: kinds[i], Name: name, State: x.State.Name, Number: x.First, Count: x.Count}
			if d := src.Declaration(name, n.State, n.Number); d.Span.IsValid() { // of an array, each constant is a part
				n.Name, n.Number, n.Count, n.Span = d.Name, d.Number, max(n.Count, d.Count), d.Span
			}
			p.Names = append(p.Names, n)
		}
	}
}

// meaning returns the output in the description that a port writes, or nil if the description does not have it.
func meaning(all []*isa.Output, p exec.Port) *isa.Output {
	i := slices.IndexFunc(all, func(m *isa.Output) bool {
		return m.File.Name == p.State.Name && (m.Number >= 0 && m.Number <= p.First && p.First < m.Number+m.Count || m.Number < 0 && m.Name == p.Name)
	})
	if i < 0 {
		return nil
	}
	return all[i]
}
