package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

type runFlags struct {
	machineFlags
	allocation
	jobsFlag
	tableFlags
	meshFlags
	in, inFormat, program string
	png                   string
	set, read, quirks     []string
	options               machineOptions
	count                 int
	budget, inLimit       int64
	strict, trace, stats  bool
	demo                  bool
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [flags] FILE[:PROGRAM]",
		GroupID: "code",
		Short:   "Run a program on given inputs, without the hardware",
		Long: `run executes a program in an interpreter. It runs a vertex shader once for each vertex. FILE is a program or
its source.

Inputs, uniforms and outputs have the names in the file, or the names of their registers, such as v0 and c5.
NAME[2] is one register of an array. Values in memories have byte addresses, such as a[0x4]. "isago list
--registers" shows the names.

--set sets a uniform, or sets an input to one value for all vertices. --in reads inputs from a file in
one of these formats:

  JSON  an array of objects, or {"uniforms": {...}, "vertices": [...]}
  CSV   a heading of names such as pos.x or pos, then one line for each vertex
  raw   32-bit components, least significant byte first, in the order of the inputs in the file

A value is a number, the bits of a number after 0x, or true or false.

A kernel of a cubin runs over a grid of blocks. --kernel, --grid, --block and --params describe the launch,
and --arg sets the arguments. --call replaces the first four flags; its arguments are numbers or names that
--arg defines. Several calls share the memory. The outputs are the arrays that changed.

--read selects what is printed: outputs, registers such as r5 or r5.x, or whole register files such as r.
If an output and an input have the same name, the name means the output. Without --read, run prints the outputs of the
program; for raw code it prints the registers that the program wrote.

A register that was never written reads as 0, and run reports the read on standard error. With --strict the
vertex stops there.

run prints outputs while it computes them. Only the inputs from --in stay in memory, so memory use does not
grow with --count. run splits a table of more than a million cells into several tables, each with the heading.

Exit status: 0; 1 if run cannot read the input; 2 for a mistake on the command line; 3 if a vertex did not
reach the end of the program, or read a register that was never written; 130 if run was interrupted.`,
		Example: `  isago run light.shbin --set projection[0]=1,0,0,0 --in vertices.csv
  isago run light.shbin --in vertices.json --format json --stats
  isago run light.shbin --set v0=1,2,3,1 --trace --quirk float=f24
  isago run vecadd.cubin --grid 8 --block 128 --params "a:ptr b:ptr c:ptr n:s32" \
      --arg a=f32:@a.raw --arg b=f32[1000]:1.5 --arg c=f32[1000] --arg n=1000 --out c=c.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.demo {
				return noArgs(cmd, args)
			}
			return oneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.demo {
				return f.runDemo(cmd)
			}
			name, err := f.pick(args[0])
			switch {
			case err != nil:
				return err
			case f.member != "" && f.program != "":
				return usagef("--program %s cannot be combined with %s: both name a program", f.program, args[0])
			case f.member != "":
				f.program, f.member = f.member, ""
			}
			return f.run(cmd, name)
		},
	}
	f.machineFlags.add(cmd)
	f.jobsFlag.add(cmd)
	f.tableFlags.add(cmd)
	f.meshFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.in, "in", "", "read inputs from `FILE`; - is standard input")
	flags.StringVar(&f.inFormat, "in-format", "", "`FORMAT` of the inputs: json, csv or raw (default: by the suffix of the file)")
	f.inLimit = defaultInLimit
	flags.Var(amount[int64]{&f.inLimit, 1}, "in-limit", "reject inputs larger than `BYTES`; run keeps them in memory")
	flags.StringVar(&f.program, "program", "", "run the program with this label or `NUMBER` in the file (default: the first)")
	flags.StringArrayVar(&f.set, "set", nil, "set a uniform or an input, as `NAME=VALUE,VALUE,...`")
	flags.StringSliceVar(&f.read, "read", nil, "print these outputs or registers, as `NAME,...`")
	flags.StringArrayVar(&f.quirks, "quirk", nil, "choose the value of a quirk, as `NAME=VALUE`")
	flags.VarP(amount[int]{&f.count, 1}, "count", "n", "run `N` vertices (default: as many as the inputs have, at least one)")
	f.budget = defaultBudget
	flags.Var(amount[int64]{&f.budget, 0}, "budget", "stop after `N` instructions for 64 vertices, or for a warp; 0 never stops")
	flags.BoolVar(&f.strict, "strict", false, "stop a vertex that reads a register that was never written")
	flags.BoolVar(&f.trace, "trace", false, "print what each instruction reads and writes to standard error, for the first vertex")
	flags.BoolVar(&f.demo, "demo", false, "draw a picture with example programs of every machine, or of the machine of --isa")
	f.allocation.add(cmd, "allocate `N` registers to raw code (tesla)")
	flags.StringVar(&f.png, "png", "", "write the picture to `FILE`")
	flags.BoolVar(&f.stats, "stats", false, "print the number of instructions and the speed to standard error")
	f.addRaw(cmd)
	f.addTables(cmd)
	f.options.add(cmd, func(feed.Option) bool { return true })
	complete(cmd, "quirk", func() []string { return quirkPairs(f.loaded()) })
	complete(cmd, "in-format", fixed("json", "csv", "raw"))
	return cmd
}

// check returns an error for a flag that has no effect on this run.
func (f *runFlags) check(cmd *cobra.Command) error {
	if err := f.checkRaw(); err != nil {
		return err
	}
	switch {
	case f.demo:
		return checkDemo(cmd)
	case f.in == "" && f.inFormat != "":
		return usagef("--in-format needs --in")
	case f.mesh != "" && f.read != nil:
		return usagef("--read cannot be combined with --mesh")
	case f.mesh == "" && len(f.bind) > 0:
		return usagef("--bind needs --mesh")
	}
	return nil
}

// givenOptions returns the options on the command line. It returns an error for an option that is not in known; what
// names the program in the error.
func (f *runFlags) givenOptions(cmd *cobra.Command, what string, known []feed.Option) (map[string][]string, error) {
	given, err := f.options.given(cmd, what, known)
	if err == nil && f.mesh == "" && !hasOption(known, "size") && cmd.Flags().Changed("size") {
		return nil, usagef("--size needs --mesh")
	}
	return given, err
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	if err := f.tableFlags.check(); err != nil {
		return err
	}
	r, set, err := f.open(cmd, name)
	if err != nil {
		return err
	}
	if err := f.feed(cmd, r); err != nil {
		return err
	}
	if err := f.choose(r); err != nil {
		return err
	}
	mesh, err := f.readMesh(cmd)
	if err != nil {
		return err
	}
	files := &sessionOf(cmd).files
	if err := files.mayWrite(append(f.options.outputs(), f.output, f.png)...); err != nil { // before a long run
		return err
	}
	opt := feed.RunOptions{RunOptions: exec.RunOptions{Jobs: f.jobs, Budget: f.budget, Strict: f.strict}, Count: f.count, Stats: f.stats}
	if own, ok := r.(interface{ Budget() int64 }); ok && !cmd.Flags().Changed("budget") {
		opt.Budget = own.Budget()
	}
	if f.trace {
		t := &tracer{w: cmd.ErrOrStderr(), set: set}
		if on, err := inColour(cmd, t.w); err != nil {
			return err
		} else if on {
			t.palette = view.Colours
		}
		opt.Trace = t.step
	}
	progress := progressOf(cmd)
	progress.start("%s: running", inputName(name))
	opt.Progress = func(done, all int) { progress.report("%s: %d of %d", inputName(name), done, all) }
	defer progress.end()
	tables := f.tableFlags.writer(cmd)
	if f.mesh == "" {
		opt.Rows = func(part *feed.Table) error {
			return tables.Part(part)
		}
	}
	start := time.Now()
	out, err := f.runProgram(cmd.Context(), r, mesh, opt)
	var late *feed.LateOutputError
	switch {
	case errors.As(err, &late):
		err = fmt.Errorf("%w; --read names the columns", err)
	case err != nil:
		err = misuse(err, err)
	case f.png != "" && out.Picture == nil:
		err = usagef("--png needs a run that draws a picture, such as a run with --mesh")
	}
	took := time.Since(start)
	if err == nil && !f.drawsOnly(cmd) {
		err = tables.Whole(out.Tables)
	}
	if err := tables.end(err); err != nil {
		return err
	}
	if err := f.writeFiles(cmd, out); err != nil {
		return err
	}
	if f.stats {
		printStats(cmd, out, took)
	}
	return report(cmd, r, out)
}

// runProgram runs the program, over a mesh if there is one.
func (f *runFlags) runProgram(ctx context.Context, r feed.Runner, mesh *feed.Mesh, opt feed.RunOptions) (*feed.Outcome, error) {
	if mesh == nil {
		return r.Run(ctx, opt)
	}
	return mesh.Draw(ctx, r, opt)
}

// drawsOnly reports whether the run prints only the picture of a mesh. It then omits the table of vertices, which
// would fill the screen.
func (f *runFlags) drawsOnly(cmd *cobra.Command) bool {
	return f.mesh != "" && f.png != "" && !cmd.Flags().Changed("output") && !cmd.Flags().Changed("format")
}

// writeFiles writes the files that options request in addition to the outputs.
func (f *runFlags) writeFiles(cmd *cobra.Command, out *feed.Outcome) error {
	for _, file := range out.Files {
		if err := writeFile(cmd, file.Name, file.Data); err != nil {
			return err
		}
	}
	if f.png == "" {
		return nil
	}
	var data bytes.Buffer
	if err := png.Encode(&data, out.Picture); err != nil {
		return err
	}
	return writeFile(cmd, f.png, data.Bytes())
}

// open reads a program and prepares its run.
func (f *runFlags) open(cmd *cobra.Command, name string) (feed.Runner, *isa.Set, error) {
	quirks, err := pairs("quirk", f.quirks)
	if err != nil {
		return nil, nil, err
	}
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, nil, err
	}
	data, ctx, err := f.fromSource(cmd, name, data)
	if err != nil {
		return nil, nil, err
	}
	if err := f.checkTables(name, data); err != nil {
		return nil, nil, err
	}
	m, format, ok := f.launches(data)
	if !ok {
		return f.openRaw(cmd, name, data, quirks)
	}
	if f.registers > 0 {
		return nil, nil, usagef("--%s applies only to raw code, but %s is %s", registersFlag, inputName(name), format)
	}
	req := feed.Request{Data: data, Raw: f.forceRaw, Program: f.program, Quirks: quirks}
	req.File = func(name string) ([]byte, error) { return readAll(cmd, name) }
	if req.Set, err = f.load(&m); err != nil {
		return nil, nil, err
	}
	req.Quirks = f.withQuirks(req.Set, quirks)
	if err := f.checkRoot(req.Set); err != nil {
		return nil, nil, err
	}
	if req.Context, err = ctx(req.Set); err != nil {
		return nil, nil, err
	}
	if req.Options, err = f.givenOptions(cmd, "programs for "+m.Name, m.Options); err != nil {
		return nil, nil, err
	}
	r, err := m.Launch(req)
	if err != nil {
		return nil, nil, misuse(fileError(name, err), err)
	}
	return r, req.Set, nil
}

// checkRoot rejects a --root other than the root of instructions, because run executes only instructions.
func (f *runFlags) checkRoot(set *isa.Set) error {
	runs, err := set.Root("")
	if err != nil {
		return err
	}
	root, err := set.Root(f.root)
	switch {
	case err != nil:
		return &usageError{err}
	case root != runs:
		return usagef("--root %s, but run executes words of %s", f.root, runs.Name)
	}
	return nil
}

// misuse returns cause as a mistake on the command line if it is the error of an option. Otherwise, or if a file is
// missing, it returns err.
func misuse(err, cause error) error {
	var option *exec.OptionError
	var missing *fs.PathError
	if errors.As(cause, &option) && !errors.As(cause, &missing) {
		return &usageError{cause}
	}
	return err
}

// fromSource compiles a source, and returns the code and the function for its contexts. It returns the data of other files
// unchanged.
func (f *runFlags) fromSource(cmd *cobra.Command, name string, data []byte) ([]byte, func(*isa.Set) (bits.Value, error), error) {
	if _, _, known := f.recognise(data); known || f.forceRaw {
		return data, f.context, nil
	}
	out, ok, err := f.compileSource(textOf(name, data))
	if err != nil || !ok {
		return data, f.context, err
	}
	if len(out.Warnings) > 0 {
		fmt.Fprint(cmd.ErrOrStderr(), explain(cmd, out.Warnings.Capped("warning")))
	}
	if out.Context == nil {
		return out.Bytes, f.context, nil
	}
	return out.Bytes, func(*isa.Set) (bits.Value, error) { return *out.Context, nil }, nil
}

// launches returns the machine of a file and the name of the file's format. ok reports whether the machine can launch the file.
func (f *runFlags) launches(data []byte) (m catalog.Machine, format string, ok bool) {
	m, known, ok := f.recognise(data)
	switch {
	case f.spec != "":
		return m, "", false
	case ok && (f.isa == "" || f.isa == m.Name):
		return m, known.Name, m.Launch != nil
	}
	m, err := catalog.Lookup(f.isa)
	return m, "", !ok && err == nil && m.Launch != nil && m.Bare
}

// openRaw prepares the run of raw words that are a sequence of instructions.
func (f *runFlags) openRaw(cmd *cobra.Command, name string, data []byte, quirks map[string]string) (feed.Runner, *isa.Set, error) {
	if f.program != "" && f.program != "0" {
		return nil, nil, usagef("unknown program %q: the file contains only one program", f.program)
	}
	if _, err := f.givenOptions(cmd, "raw words", nil); err != nil {
		return nil, nil, err
	}
	set, im, err := f.readImage(name, codeOf(data))
	if err != nil {
		return nil, nil, err
	}
	if err := f.checkRoot(set); err != nil {
		return nil, nil, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, nil, err
	}
	m, err := exec.Open(set)
	if err != nil {
		return nil, nil, err
	}
	l, err := exec.Raw(m, im.Words, im.Bits, ctx, f.withQuirks(set, quirks))
	if err != nil {
		return nil, nil, misuse(err, err)
	}
	for i, t := range im.Tables {
		l.SetTable(i, t)
	}
	most := 0
	for _, s := range l.Program.Machine.States {
		if s.Allocated {
			most = max(most, s.Count)
		}
	}
	if err := f.allocation.check(most); err != nil {
		return nil, nil, err
	}
	if n := f.allocation.registers; n > 0 {
		l.Fit = func(w *exec.Wave) { w.Allocate(n) }
	}
	l.Changed = f.format != "raw" // raw output has no names, so it has all values
	if m, err := catalog.Lookup(f.isa); err == nil && f.spec == "" && m.Words != nil {
		return m.Words(l), set, nil
	}
	return feed.NewBatch(l), set, nil
}

// pairs parses the NAME=VALUE arguments of a flag.
func pairs(flag string, list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range list {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, usagef("--%s %q, expected NAME=VALUE", flag, p)
		}
		out[name] = value
	}
	return out, nil
}

// choose selects the outputs that --read names.
func (f *runFlags) choose(r feed.Runner) error {
	if f.read == nil {
		return nil
	}
	by, ok := r.(interface{ Select(names []string) error })
	if !ok {
		return usagef("--read selects registers, but the outputs of this program are not registers")
	}
	if err := by.Select(f.read); err != nil {
		return usagef("--read: %v", err)
	}
	return nil
}

// feed sets the inputs and uniforms of --in and --set.
func (f *runFlags) feed(cmd *cobra.Command, r feed.Runner) error {
	if f.in != "" {
		if err := f.readInputs(cmd, r); err != nil {
			return err
		}
	}
	for _, s := range f.set {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			return usagef("--set %q, expected NAME=VALUE,VALUE,...", s)
		}
		if err := r.Set(name, strings.Split(text, ",")); err != nil {
			return usagef("--set: %v", err)
		}
	}
	return nil
}

func (f *runFlags) readInputs(cmd *cobra.Command, r feed.Runner) error {
	data, err := readMost(cmd, f.in, f.inLimit)
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(f.in, "=") {
		return usagef("--in %s, expected a FILE; --set %[1]s sets that value for all vertices", f.in)
	}
	if err != nil {
		return err
	}
	format := f.inFormat
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(f.in), ".")
	}
	switch format {
	case "bin":
		format = "raw"
	case "json", "csv", "raw":
	default:
		return usagef("the suffix of %s does not determine its format; add --in-format json, csv or raw", inputName(f.in))
	}
	if format != "raw" && textfile.IsUTF16(string(data)) {
		return fileError(f.in, errUTF16)
	}
	if err := r.Read(data, format); err != nil {
		return fmt.Errorf("%s: %w", inputName(f.in), err)
	}
	return nil
}

// printStats prints the number of instructions and the speed of a run.
func printStats(cmd *cobra.Command, out *feed.Outcome, took time.Duration) {
	w, s := cmd.ErrOrStderr(), took.Seconds()
	fmt.Fprintf(w, "%d %s, %d instructions in %d dispatches, %.3f s: %.1f M instructions/s, %.0f %s/s\n",
		out.Lanes, out.Nouns, out.LaneInstructions, out.Instructions, s, float64(out.LaneInstructions)/s/1e6, float64(out.Lanes)/s, out.Nouns)
	for _, line := range out.Stats {
		fmt.Fprintln(w, line)
	}
}

// report prints data races, lanes that did not reach the end, reads of unwritten registers, and unknown behaviour.
func report(cmd *cobra.Command, from feed.Runner, out *feed.Outcome) error {
	w, findings := cmd.ErrOrStderr(), len(out.Findings)+len(out.Races) > 0
	for i := range out.Races {
		r := &out.Races[i]
		name := out.Of(r.Program).Name
		if name != "" {
			name += ": "
		}
		fmt.Fprintf(w, "%s%s; %d times in all\n", name, r, r.Count)
	}
	for i := range out.Stops {
		if s := &out.Stops[i]; out.Noted(s) {
			findings = true
			hint := map[string]string{"budget": "; --budget 0 removes the limit", exec.GridBudget: "; --grid-budget 0 removes the limit"}[s.Reason]
			fmt.Fprintf(w, "%s%s\n", out.Describe(s), hint)
		}
	}
	for i := 0; i < len(out.Findings); {
		r := out.Findings[i]
		of := out.Of(r.Program)
		if r.State == nil {
			fmt.Fprintf(w, "%d of %d %s: 0x%x: unknown: %s\n", r.Count, of.Lanes, of.Nouns, r.Address, r.Text)
			i++
			continue
		}
		name, count, given := r.Register(), r.Count, nameOf(from, &r)
		for i++; i < len(out.Findings); i++ { // print the components of one register in one line
			next := out.Findings[i]
			if next.Program != r.Program || next.Address != r.Address || next.State != r.State || next.Number != r.Number || nameOf(from, &next) != given {
				break
			}
			name += next.State.Component(next.Comp)
			count = max(count, next.Count)
		}
		if given != "" {
			name += " (" + given + ")"
		}
		fmt.Fprintf(w, "%d of %d %s: 0x%x reads %s, which was never written\n", count, of.Lanes, of.Nouns, r.Address, name)
	}
	if findings {
		return errFindings
	}
	return nil
}

// nameOf returns the name that the program has for the register of a finding, or "" if it has none.
func nameOf(from feed.Runner, f *exec.FindingCount) string {
	l, ok := from.(interface {
		NameOf(s *exec.State, number, comp int) string
	})
	if !ok || f.Program != 0 {
		return ""
	}
	return l.NameOf(f.State, f.Number, f.Comp)
}
