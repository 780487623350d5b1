package main

import (
	"bufio"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/prove"
	"github.com/isago/isago/view"
)

type checkFlags struct {
	setFlags
	outputFlag
	root        string
	json, sarif bool
	all         bool
	summary     bool
	only        []string
	failOn      string
	search      int
	// collected receives the findings of several descriptions if they are printed together. It is nil if the findings
	// of each description are printed separately.
	collected *prove.Report
	effort    int
}

func newCheck() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:     "check [flags] [FILE.xml...]",
		GroupID: "code",
		Short:   "Check a description of a machine for mistakes",
		Long: `check looks for mistakes in a description: words that match two instructions or none, overrides and values
that never apply, undefined names, definitions that nothing uses, bits that the text does not show, and words
with the same text. Each finding has a code ("isago codes" explains it), the lines in question, a picture of
the bits and, if possible, a word as a counterexample. Errors come first, then warnings and notes.

check decides most questions by proof. The note not-proved marks a question that it could not decide within
--effort.

Without --gen, check covers one generation of each range in which the description is the same. To accept a
finding, put a suppression with the reason on its line or the line before:

  <!-- check: ignore hidden-bits: the hardware sets it -->

check accepts several descriptions and folders. In a folder it checks each description, but not the files
that other descriptions there import. --json prints an object for each description, --sarif one for all.

Exit status: 0; 1 if a description does not load; 2 for a mistake on the command line; 3 if there is a
warning or an error. --fail-on changes the level: with note every finding counts, with error only errors.`,
		Example: `  isago check machine.xml
  isago check --isa example
  isago check --sarif machine.xml > machine.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := f.descriptions(cmd, args)
			if err != nil {
				return err
			}
			if err := f.useSpec(namesOf(list)[:min(len(list), 1)]); err != nil {
				return err
			}
			return outputTo(cmd, f.output, func() error { return f.files(cmd, list) })
		},
	}
	f.setFlags.add(cmd)
	f.outputFlag.add(cmd, outputFile)
	flags := cmd.Flags()
	flags.StringVar(&f.root, "root", "", "check only the root `NAME` (default: all roots)")
	flags.BoolVar(&f.json, "json", false, "print the findings as JSON")
	flags.BoolVar(&f.sarif, "sarif", false, "print the findings as SARIF 2.1.0, for editors and CI")
	flags.BoolVarP(&f.all, "all", "a", false, "also show suppressed findings and proved claims")
	flags.BoolVar(&f.summary, "summary", false, "print only the number of findings of each code")
	flags.StringSliceVar(&f.only, "only", nil, "show only findings with the code `CODE`, or several separated by commas")
	complete(cmd, "only", knownCodes)
	flags.StringVar(&f.failOn, "fail-on", prove.Warning.String(), "exit with 3 if a finding has this `LEVEL` or a higher one: note, warning or error")
	complete(cmd, "fail-on", levelNames)
	f.search = prove.DefaultSearch
	flags.Var(amount[int]{&f.search, 0}, "search", "print and read back `N` random words if no proof shows that all words have different texts")
	f.effort = prove.DefaultEffort
	flags.Var(amount[int]{&f.effort, 1}, "effort", "limit all searches and proofs together to `N` million steps; 20 million take about a second")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"xml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return cmd
}

// files checks the descriptions in list, or the description that the flags name if list is empty.
func (f *checkFlags) files(cmd *cobra.Command, list []input) error {
	if len(list) < 2 {
		return f.run(cmd)
	}
	all := &prove.Report{} // for SARIF, which is one document
	var worst error
	for i, in := range list {
		own := *f
		progressOf(cmd).files(i, len(list))
		if own.spec = in.name; f.sarif {
			own.collected = all
		} else if _, err := own.load(nil); err == nil && !f.json {
			fileHeading(cmd, i, in.name)
		}
		err := own.run(cmd)
		if worst, err = worseOf(cmd, worst, err); err != nil {
			return err
		}
	}
	if f.sarif {
		return cmp.Or(f.print(cmd, all, view.Palette{}), worst)
	}
	return worst
}

func (f *checkFlags) run(cmd *cobra.Command) error {
	switch {
	case f.json && f.sarif:
		return usagef("--json cannot be combined with --sarif")
	case f.summary && (f.json || f.sarif):
		return usagef("--summary cannot be combined with --json or --sarif")
	}
	level := prove.Level(slices.Index(levelNames(), f.failOn))
	if !slices.Contains(levelNames(), f.failOn) {
		return usagef("--fail-on %q, expected one of %s", f.failOn, strings.Join(levelNames(), ", "))
	}
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	set, err := f.load(nil)
	if err != nil {
		return f.refused(cmd, err)
	}
	for _, code := range f.only {
		if !slices.Contains(knownCodes(), code) {
			return usagef("--only: unknown code %q%s; isago help codes lists all codes", code, quote.DidYouMean(code, knownCodes()))
		}
	}
	opt := prove.Options{Root: f.root, Search: f.search, Effort: f.effort}
	if f.search == 0 {
		opt.Search = -1
	}
	if cmd.Flags().Changed("gen") {
		opt.Gens = []uint32{f.gen}
	}
	progress := progressOf(cmd)
	progress.start("%s: checking", setName(set))
	report, err := prove.Check(cmd.Context(), set, opt)
	progress.end()
	if _, refused := prove.ReportLoadError(err); refused {
		return f.refused(cmd, err)
	}
	if err != nil {
		return &usageError{err}
	}
	report.Findings = slices.DeleteFunc(report.Findings, func(x prove.Finding) bool {
		return len(f.only) > 0 && !slices.Contains(f.only, string(x.Code))
	})
	if err := f.print(cmd, report, palette); err != nil {
		return err
	}
	if slices.ContainsFunc(report.Findings, func(x prove.Finding) bool { return x.Level <= level }) {
		return errFindings
	}
	return nil
}

// levelNames returns the names of the levels of findings, indexed by level. The worst level is first.
func levelNames() []string {
	return []string{prove.Error.String(), prove.Warning.String(), prove.Note.String()}
}

func knownCodes() []string {
	var list []string
	for _, c := range diag.Codes() {
		list = append(list, string(c.Code))
	}
	return list
}

// refused reports a description that does not load. With --json or --sarif, it prints the error in that format and on
// standard error. Otherwise it returns the error.
func (f *checkFlags) refused(cmd *cobra.Command, err error) error {
	report, ok := prove.ReportLoadError(err)
	if !ok || !f.json && !f.sarif {
		return err
	}
	if failed := f.print(cmd, report, view.Palette{}); failed != nil {
		return errors.Join(err, failed)
	}
	printError(cmd, err) // in addition to the complete report
	return errFailed
}

func (f *checkFlags) print(cmd *cobra.Command, report *prove.Report, palette view.Palette) error {
	if f.collected != nil {
		f.collected.Findings = append(f.collected.Findings, report.Findings...)
		return nil
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	var err error
	switch {
	case f.json:
		err = printJSON(out, view.NewCheckReport(report))
	case f.sarif:
		err = printJSON(out, view.NewSARIF(report, strings.TrimPrefix(version(), "isago ")))
	case f.summary:
		err = view.Summary(out, report, palette)
	default:
		err = view.Findings(out, report, palette, f.all)
	}
	return errors.Join(err, out.Flush())
}
