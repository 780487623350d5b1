package main

import (
	"bufio"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/survey"
	"github.com/isago/isago/view"
)

type surveyFlags struct {
	machineFlags
	jobsFlag
	rangeFlags
	outputFlag
	json, all bool
	// files holds the names of the files that are read. members holds the programs of each file that is not raw code,
	// by the number of the file.
	files   []string
	members map[int]program.Members
}

func newSurvey() *cobra.Command {
	f := surveyFlags{members: map[int]program.Members{}}
	cmd := &cobra.Command{
		Use:     "survey [flags] FILE[:PROGRAM]...",
		GroupID: "code",
		Short:   "Count the instructions, values and unknown words in programs",
		Long: `survey reads programs for one machine and counts what they use:

  instructions   how often each occurs and in how many files, and which never occur
  features       such as relative addressing, memories, stages and modes
  fields         their values; rare values are listed with a word as an example
  unknown words  grouped by the nearest instruction and the bits that differ from it

A bit that the description lacks appears in such a group or as a rare value. survey does not count
numbers that an assembler chooses, such as indices of table entries.

survey recognises formats by their content; raw words need --isa or --spec. It assembles source files first. In
a folder, it reads every program and source that it recognises. It reports each file that it cannot
read, and continues with the next file. Memory use does not grow with the number of files. In raw code larger
than 1 MiB, survey does not search operands for features.

Exit status: 0; 1 if survey could not read a file; 2 for a mistake on the command line; 3 if words were
unknown or had findings.`,
		Example: `  isago survey shaders/*.shbin
  isago survey --isa tesla --chip g200 --stage cp dump.bin
  isago survey --spec unknown.xml --json dump.bin`,
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
	f.jobsFlag.add(cmd)
	f.rangeFlags.add(cmd)
	f.outputFlag.add(cmd, outputFile)
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print all counts as JSON")
	flags.BoolVar(&f.all, "all", false, "show all instructions, groups and rare values, instead of the first 20 of each")
	f.addOrder(cmd)
	f.addTables(cmd)
	return cmd
}

func (f *surveyFlags) run(cmd *cobra.Command, names []string) error {
	if err := f.checkRaw(); err != nil {
		return err
	}
	if f.given() {
		set, err := f.load(nil)
		if err != nil {
			return err
		}
		if _, err := f.decoder(set); err != nil { // report a mistake on the command line once, not for each file
			return err
		}
	}
	var total *survey.Survey
	failed := false
	for i, argument := range names {
		name, err := f.pick(argument)
		if err != nil {
			return err
		}
		f.files = append(f.files, inputName(name))
		progress := progressOf(cmd)
		progress.files(i, len(names))
		progress.start("%s: counting", inputName(name))
		one, err := f.file(cmd, i, name, total)
		progress.end()
		if err != nil && (len(names) == 1 || errors.Is(err, context.Canceled)) {
			return err
		}
		if err != nil {
			printError(cmd, err)
			failed = true
			continue
		}
		total = one
	}
	if total == nil {
		return errFailed
	}
	report, err := total.Report(f.files, f.programOf, func(root *isa.Root) (*isa.Decoder, error) {
		named := f.machineFlags
		named.root = root.Name
		return named.decoder(total.Set)
	})
	if err != nil {
		return err
	}
	if err := f.print(cmd, report); err != nil {
		return err
	}
	switch {
	case failed:
		return errFailed
	case report.Unknown > 0 || report.Nonconforming > 0:
		return errFindings
	}
	return nil
}

// errFailed ends a command that has already reported which inputs it could not read.
var errFailed = errors.New("some inputs could not be read; see the errors above")

func (f *surveyFlags) print(cmd *cobra.Command, report *survey.Report) error {
	if f.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	palette, err := paletteOf(cmd)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	report.Print(w, palette.Title, f.all)
	return w.Flush()
}

// file adds the contents of one file to a survey and returns the survey. total is nil before the first file.
func (f *surveyFlags) file(cmd *cobra.Command, number int, name string, total *survey.Survey) (*survey.Survey, error) {
	in, err := f.openPart(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	own := f.machineFlags // each source selects its own machine
	out, isSource, err := own.sourceOf(name, in)
	if err != nil {
		return nil, err
	}
	raw, err := f.isRaw(in)
	if err != nil {
		return nil, err
	}
	if raw && !isSource {
		code, err := f.rawCode(name, in)
		if err != nil {
			return nil, err
		}
		if f.rawProgram(code.size) == nil {
			return f.stream(cmd, number, name, code, total)
		}
	}
	var l *view.Listing
	if isSource {
		l, err = own.compiledListing(name, out)
	} else {
		l, err = own.listing(name, in)
	}
	if err != nil {
		return nil, err
	}
	set := l.Decoder.Set()
	if total == nil {
		if total, err = f.empty(set); err != nil {
			return nil, err
		}
	}
	if total.Set.Name() != set.Name() {
		return nil, usagef("%s is a program for %s, but the files before it are for %s; survey one machine at a time", inputName(name), setName(set), setName(total.Set))
	}
	total.Files++
	progressOf(cmd).watch(name, l)
	if total.SkipFeatures = raw && in.size > largestProgram; total.SkipFeatures {
		total.FilesWithoutFeatures++
	}
	if err := count(cmd.Context(), total, l, number); err != nil {
		return nil, err
	}
	f.members[number] = l.Image.Members()
	return total, declared(total, l.Image, set, number)
}

// empty returns an empty survey.
func (f *surveyFlags) empty(set *isa.Set) (*survey.Survey, error) {
	s := survey.New(set)
	var err error
	s.Context, err = f.context(set)
	return s, err
}

// declared counts the declarations of a file and the contexts of its programs. Raw code has none.
func declared(s *survey.Survey, im *program.Image, set *isa.Set, number int) error {
	if im.Declarations == nil {
		return nil
	}
	list, err := im.Declarations()
	if err != nil {
		return err
	}
	for _, m := range im.Members() {
		for _, context := range view.Contexts(set, m.Context) {
			s.CountDeclared(context, number)
		}
	}
	for i := range list {
		if name := list[i].Feature; name != "" {
			s.CountDeclared(name, number)
		}
	}
	return nil
}

// programOf returns the program of a file to which a place belongs, and its first address. The name is "" if the file
// has one program.
func (f *surveyFlags) programOf(p survey.Place) (name string, start int64) {
	members := f.members[p.File]
	if members == nil {
		return "", 0
	}
	m := members.At(p.Addr)
	if !m.Several {
		return "", m.Start
	}
	return m.Name, m.Start
}

func (f *surveyFlags) listing(set *isa.Set) (*view.Listing, error) {
	d, err := f.decoder(set)
	return &view.Listing{Decoder: d}, err
}

// count adds the instructions of a listing to a survey, until the context ends.
func count(ctx context.Context, s *survey.Survey, l *view.Listing, number int) (err error) {
	const often = 1 << 12 // words
	n := 0
	l.Each(func(x view.Decoded) bool {
		at := survey.Place{File: number, Addr: x.Addr}
		if x.Known {
			s.CountInstruction(x.Decoder, x.Inst, at)
		} else {
			s.CountUnknown(x.Decoder.Root(), x.Word, at)
		}
		if n++; n%often == 0 {
			err = ctx.Err()
		}
		return err == nil
	})
	return err
}

// stream adds raw code to a survey, piece by piece.
func (f *surveyFlags) stream(cmd *cobra.Command, number int, name string, in *code, total *survey.Survey) (*survey.Survey, error) {
	set, err := f.load(nil)
	if err != nil {
		return nil, err
	}
	if total == nil {
		if total, err = f.empty(set); err != nil {
			return nil, err
		}
	}
	s := view.Stream{In: in, Size: in.size, Workers: f.jobs}
	s.New = func(*program.Labels) (*view.Listing, error) { return f.listing(total.Set) }
	var parts []*survey.Survey // of each processor
	open := func() func(*view.Listing) *survey.Survey {
		part := survey.New(total.Set)
		part.Context, part.SkipFeatures = total.Context, in.size > largestProgram
		parts = append(parts, part)
		return func(l *view.Listing) *survey.Survey {
			_ = count(cmd.Context(), part, l, number) // EachPiece reports it
			return part.TakeOrdered()
		}
	}
	progress, words := progressOf(cmd), total.Words
	err = view.EachPiece(cmd.Context(), &s, open, func(part *survey.Survey, done int64) error {
		total.Merge(part)
		progress.report("%s: %d words, %d %%", inputName(name), total.Words-words, 100*done/max(in.size, 1))
		return nil
	})
	if err != nil {
		return nil, fileError(name, err)
	}
	for _, part := range parts {
		total.Merge(part)
	}
	total.Files++
	if in.size > largestProgram {
		total.FilesWithoutFeatures++
	}
	return total, nil
}

// largestProgram is the maximum size in bytes of raw code whose operands survey searches for features. Larger code is
// probably not a program.
const largestProgram = 1 << 20
