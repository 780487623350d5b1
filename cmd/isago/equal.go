package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/isago/isago/equal"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

type equalFlags struct {
	machineFlags
	rangeFlags
	maps, set, ignore, quirks []string
	options                   equal.Options
	timeout                   time.Duration
	machineOptions            machineOptions
	json                      bool
}

// tracedLines limits the lines of each trace that equal prints.
const tracedLines = 12

func newEqual() *cobra.Command { return new(equalFlags).command() }

func (f *equalFlags) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "equal [flags] FILE[:PROGRAM] FILE[:PROGRAM]",
		GroupID: "code",
		Short:   "Decide whether two programs compute the same",
		Long: `equal compares what two programs do, not their instructions. It prints one of three answers:

  equal        for all inputs, all outputs have the same bits, by a proof
  differs      inputs for which the programs give different results when they run, the
               results, and both traces from the first instruction with another effect
  not decided  neither was found; the outputs that are not proved, and the reasons

equal matches inputs, uniforms and outputs by name, and those without a name by register. --map matches
others. A uniform may have any value, unless --set gives one. The programs may be for different machines.
Kernels are run to find a difference only if --params names their parameters.

NaN has one form in all results, as in "isago run". equal assembles source files first. It recognises formats
by their content; raw words need --isa or --spec. docs/equal.md describes the answers and the limits.

Exit status: 0 if the programs are equal; 1 if equal cannot read them; 2 for a mistake on the command line; 3 if
they differ or nothing was decided; 130 if equal was interrupted.`,
		Example: `  isago equal before.shbin after.shbin
  isago equal shader.pica shader.vp --map position=POSITION
  isago equal --set lights=2 --ignore zero-sign a.pica b.pica`,
		Args: twoFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], args[1]) },
	}
	f.machineFlags.add(cmd)
	f.rangeFlags.add(cmd)
	f.addOrder(cmd)
	f.addTables(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.maps, "map", nil, "match an input, uniform or output of the first program with another of the second, as `NAME=NAME`; repeatable")
	flags.StringArrayVar(&f.set, "set", nil, "value of a uniform in both programs, as `NAME=VALUE,VALUE,...`; repeatable")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "`WHAT` does not matter in outputs: zero-sign; repeatable")
	complete(cmd, "ignore", fixed("zero-sign"))
	flags.StringArrayVar(&f.quirks, "quirk", nil, "choose the value of a quirk, as `NAME=VALUE`")
	complete(cmd, "quirk", func() []string { return quirkPairs(f.loaded()) })
	flags.BoolVar(&f.options.OneLane, "one-lane", false, "compare the programs in waves of one lane")
	flags.Var(amount[int]{&f.options.Runs, 1}, "runs", fmt.Sprintf("`NUMBER` of runs of up to 64 lanes that search for a difference (default %d)", equal.DefaultRuns))
	flags.Uint64Var(&f.options.Seed, "seed", 0, "`NUMBER` that selects the inputs of the runs")
	flags.DurationVar(&f.timeout, "timeout", 0, "decide nothing after this `TIME`, such as 10s (default: no limit)")
	flags.BoolVar(&f.json, "json", false, "print the answer as JSON")
	f.machineOptions.add(cmd, func(o feed.Option) bool { return o.Translates || o.Compares })
	return cmd
}

// compared is a program that equal reads.
type compared struct {
	f      machineFlags
	name   string
	file   *imageFile
	launch *launched
}

func (f *equalFlags) run(cmd *cobra.Command, a, b string) error {
	if err := f.checkRaw(); err != nil {
		return err
	}
	for _, what := range f.ignore {
		if what != "zero-sign" {
			return usagef("unknown --ignore %q, expected zero-sign", what)
		}
		f.options.ZeroSign = true
	}
	var err error
	if f.options.Map, err = pairs("map", f.maps); err != nil {
		return err
	}
	var programs [2]*compared
	for i, name := range []string{a, b} {
		if programs[i], err = f.read(cmd, name); err != nil {
			return err
		}
	}
	if err := f.setUniforms(programs); err != nil {
		return err
	}
	ctx, cancel := cmd.Context(), context.CancelFunc(func() {})
	if f.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
	}
	defer cancel()
	progress := progressOf(cmd)
	progress.start("%s: comparing", inputName(programs[0].name))
	defer progress.end()
	r, err := equal.Compare(ctx, programs[0].program(), programs[1].program(), f.options)
	if errors.Is(err, context.DeadlineExceeded) {
		r, err = &equal.Result{Reasons: []string{fmt.Sprintf("--timeout %s has passed", f.timeout)}}, nil
	}
	if err != nil {
		return misuse(nil, err)
	}
	progress.end()
	report, err := f.report(cmd, programs, r)
	if err != nil {
		return err
	}
	if f.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.print(cmd.OutOrStdout())
	}
	if err == nil && r.Verdict != equal.Equal {
		err = errFindings
	}
	return err
}

// program returns the program for the comparison.
func (p *compared) program() equal.Program {
	kernel, _ := p.launch.runner.(feed.Called)
	return equal.Program{Launch: p.launch.launch, Registers: p.launch.registers, Kernel: kernel}
}

// read reads a program that an argument names.
func (f *equalFlags) read(cmd *cobra.Command, argument string) (*compared, error) {
	own := f.machineFlags // each file selects its own machine
	name, err := own.pick(argument)
	if err != nil {
		return nil, err
	}
	member := own.member
	own.member = ""
	given, err := pairs("quirk", f.quirks)
	if err != nil {
		return nil, err
	}
	in, err := f.openPart(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	file, err := own.readProgram(name, in)
	if err != nil {
		return nil, err
	}
	for q, value := range file.im.Quirks {
		if given[q] == "" {
			given[q] = value
		}
	}
	m, _, container := own.recognise(file.data)
	what := "programs for " + file.set.Name()
	if !container {
		what = "raw code"
	}
	options, err := f.machineOptions.given(cmd, what, m.Options)
	if err != nil {
		return nil, err
	}
	list, err := own.launches(file.set, file.im, file.data, own.withQuirks(file.set, given), options)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list {
		names = append(names, list[i].name)
	}
	i := 0
	if member != "" {
		i = slices.Index(names, member)
		if n, err := strconv.Atoi(member); i < 0 && err == nil && n >= 0 && n < len(list) {
			i = n
		}
		if i < 0 {
			return nil, usagef("%s: unknown program %s, expected one of %s", inputName(name), member, strings.Join(names, ", "))
		}
	} else if len(list) != 1 {
		return nil, usagef("%s has %d programs; %s:NAME selects one of %s", inputName(name), len(list), name, strings.Join(names, ", "))
	}
	p := &compared{own, name, &file, &list[i]}
	if p.launch.runner == nil {
		if err := own.openWords(p, own.withQuirks(file.set, given)); err != nil {
			return nil, err
		}
	}
	if err := p.launch.err; err != nil && !errors.As(err, new(*exec.OptionError)) {
		return nil, fmt.Errorf("%s%w", p.launch.prefix(name), err)
	}
	return p, nil
}

// openWords prepares raw words as run does.
func (f *machineFlags) openWords(p *compared, quirks map[string]string) error {
	ctx, err := f.context(p.file.set)
	if err != nil {
		return err
	}
	if m, err := catalog.Lookup(f.isa); err == nil && f.spec == "" && m.Launch != nil && m.Bare {
		req := feed.Request{Set: p.file.set, Context: ctx, Data: p.file.data, Raw: f.forceRaw, Quirks: quirks}
		r, err := m.Launch(req)
		if err != nil {
			return misuse(fileError(p.name, err), err)
		}
		if l, ok := r.(feed.Launched); ok {
			p.launch.runner, p.launch.launch = r, l.Launched()
		}
		return nil
	}
	m, err := exec.Open(p.file.set)
	if err != nil {
		return err
	}
	l, err := exec.Raw(m, p.file.im.Words, p.file.im.Bits, ctx, quirks)
	if err != nil {
		return misuse(err, err)
	}
	for i, t := range p.file.im.Tables {
		l.SetTable(i, t)
	}
	p.launch.launch = l
	return nil
}

// setUniforms sets the uniforms of --set.
func (f *equalFlags) setUniforms(programs [2]*compared) error {
	given, err := pairs("set", f.set)
	if err != nil {
		return err
	}
	for name, text := range given {
		var first error
		found := false
		for _, p := range programs {
			l := p.launch.launch
			port, err := l.Find(name)
			if err != nil {
				first = err
				continue
			}
			found = true
			var values []uint64
			for _, x := range strings.Split(text, ",") {
				v, err := l.Parse(x, port.Type())
				if err != nil {
					return usagef("--set %s: %v", name, err)
				}
				values = append(values, v)
			}
			if err := l.SetUniform(port, values); err != nil {
				return usagef("--set %s: %v", name, err)
			}
		}
		if !found {
			return usagef("--set %s: %v", name, first)
		}
		f.options.Fixed = append(f.options.Fixed, name)
	}
	return nil
}

// equalReport is the answer that equal prints.
type equalReport struct {
	Format int    `json:"format"`
	First  string `json:"first"`
	Second string `json:"second"`
	// Verdict is equal, differs or undecided.
	Verdict string `json:"verdict"`
	// Proved and Open are the outputs that are proved to be equal, and the others.
	Proved     []string         `json:"proved"`
	Open       []equalOpen      `json:"open"`
	Reasons    []string         `json:"reasons"`
	Steps      int              `json:"proof_steps"`
	Lanes      int              `json:"lanes_run"`
	Difference *equalDifference `json:"difference,omitempty"`
}

// equalOpen is an output that is not proved to be equal.
type equalOpen struct {
	Output string `json:"output"`
	First  string `json:"first"`
	Second string `json:"second"`
}

// equalDifference is a run that shows a difference.
type equalDifference struct {
	Inputs  []equalInput  `json:"inputs"`
	Outputs []equalOutput `json:"outputs"`
	// FirstStops and SecondStops say how the programs stop, if they stop in different ways.
	FirstStops  string   `json:"first_stops,omitempty"`
	SecondStops string   `json:"second_stops,omitempty"`
	FirstTrace  []string `json:"first_trace"`
	SecondTrace []string `json:"second_trace"`
	// Lane is the lane that differs, of the lanes of the run.
	Lane  int `json:"lane"`
	Lanes int `json:"lanes"`
}

type equalInput struct {
	Name  string `json:"name"`
	Bits  string `json:"bits"`
	Value string `json:"value"`
}

type equalOutput struct {
	Name        string `json:"name"`
	FirstBits   string `json:"first_bits"`
	SecondBits  string `json:"second_bits"`
	FirstValue  string `json:"first_value"`
	SecondValue string `json:"second_value"`
}

// report returns the answer, with the traces of a difference.
func (f *equalFlags) report(cmd *cobra.Command, programs [2]*compared, r *equal.Result) (*equalReport, error) {
	x := &equalReport{
		Format: 1, First: programs[0].title(), Second: programs[1].title(), Verdict: r.Verdict.String(),
		Proved: []string{}, Open: []equalOpen{}, Reasons: append([]string{}, r.Reasons...), Steps: r.Steps, Lanes: r.Lanes,
	}
	for _, o := range r.Outputs {
		if o.Proved {
			x.Proved = append(x.Proved, o.Name)
		} else {
			x.Open = append(x.Open, equalOpen{o.Name, o.Values[0], o.Values[1]})
		}
	}
	if r.Difference == nil {
		return x, nil
	}
	d := &equalDifference{
		Inputs: []equalInput{}, Outputs: []equalOutput{}, FirstStops: r.Difference.Stops[0], SecondStops: r.Difference.Stops[1],
		Lane: r.Difference.Lane, Lanes: r.Difference.Lanes,
	}
	bits := func(v uint64, t int) string { return fmt.Sprintf("0x%0*x", (t+3)/4, v) }
	for _, v := range r.Difference.Inputs {
		d.Inputs = append(d.Inputs, equalInput{v.Name, bits(v.Bits[0], v.Type.Bits), v.Text(0)})
	}
	for _, v := range r.Difference.Outputs {
		d.Outputs = append(d.Outputs, equalOutput{v.Name, bits(v.Bits[0], v.Type.Bits), bits(v.Bits[1], v.Type.Bits), v.Text(0), v.Text(1)})
	}
	var traces [2]strings.Builder
	var tracers [2]*tracer
	for i, p := range programs {
		tracers[i] = &tracer{w: &traces[i], set: p.file.set, palette: view.Palette{}}
	}
	err := r.Difference.Trace(cmd.Context(), func(side int, w *exec.Wave, e exec.Event) { tracers[side].step(w, e) })
	if err != nil {
		return nil, err
	}
	d.FirstTrace, d.SecondTrace = parting(lines(traces[0].String()), lines(traces[1].String()))
	x.Difference = d
	return x, nil
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// parting returns both traces from the first instruction with another effect, without what follows after some lines.
func parting(a, b []string) ([]string, []string) {
	n := 0
	for n < len(a) && n < len(b) && effectOf(a[n]) == effectOf(b[n]) {
		n++
	}
	n = min(n, len(a)-1, len(b)-1)
	return a[n:min(len(a), n+tracedLines)], b[n:min(len(b), n+tracedLines)]
}

// effectOf returns the registers that an instruction of a trace wrote, with their values.
func effectOf(line string) string {
	_, text, _ := strings.Cut(line, "  -> ")
	return text
}

// title returns the name of the program for a message.
func (p *compared) title() string {
	if p.launch.name != "" {
		return inputName(p.name) + ":" + p.launch.name
	}
	return inputName(p.name)
}

// print prints the answer as text.
func (x *equalReport) print(w io.Writer) error {
	var b strings.Builder
	switch d := x.Difference; {
	case x.Verdict == equal.Equal.String():
		fmt.Fprintf(&b, "equal: %s and %s have the same results for all inputs\n", x.First, x.Second)
		fmt.Fprintf(&b, "%s, proved in %s\n", plural(len(x.Proved), "component of outputs", "components of outputs"), plural(x.Steps, "step", "steps"))
	case d != nil:
		fmt.Fprintf(&b, "differs: %s and %s have other results for these inputs", x.First, x.Second)
		if d.Lanes > 1 {
			fmt.Fprintf(&b, ", in lane %d of %d lanes", d.Lane, d.Lanes)
		}
		b.WriteString(":\n")
		zeros := 0
		for _, v := range d.Inputs {
			if strings.Trim(v.Bits, "0x") == "" {
				zeros++
				continue
			}
			fmt.Fprintf(&b, "  %s = %s (%s)\n", v.Name, v.Value, v.Bits)
		}
		if zeros > 0 {
			fmt.Fprintf(&b, "  %s 0\n", plural(zeros, "other input is", "other inputs are"))
		}
		if d.FirstStops != d.SecondStops {
			fmt.Fprintf(&b, "Stops: %q and %q\n", d.FirstStops, d.SecondStops)
		}
		b.WriteString("Outputs:\n")
		for _, v := range d.Outputs {
			fmt.Fprintf(&b, "  %s is %s (%s) and %s (%s)\n", v.Name, v.FirstValue, v.FirstBits, v.SecondValue, v.SecondBits)
		}
		fmt.Fprintf(&b, "Trace of %s from the first instruction with another effect:\n  %s\n", x.First, strings.Join(d.FirstTrace, "\n  "))
		fmt.Fprintf(&b, "Trace of %s:\n  %s\n", x.Second, strings.Join(d.SecondTrace, "\n  "))
	default:
		fmt.Fprintf(&b, "not decided: %s and %s\n", x.First, x.Second)
		for _, r := range x.Reasons {
			fmt.Fprintf(&b, "  %s\n", r)
		}
		for _, o := range x.Open {
			fmt.Fprintf(&b, "%s\n  %s\n  %s\n", o.Output, o.First, o.Second)
		}
		if len(x.Proved) > 0 {
			fmt.Fprintf(&b, "Proved to be equal: %s\n", strings.Join(x.Proved, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
