package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/vectors"
	"github.com/isago/isago/vectors/forms"
)

// vectorsFlags select the vectors that vectors generates.
type vectorsFlags struct {
	setFlags
	jobsFlag
	vectorsCheck
	instructions, quirks []string
	dir, format          string
	json                 bool
	report               string // which vectors the format leaves out
}

func newVectors() *cobra.Command {
	var f vectorsFlags
	cmd := &cobra.Command{
		Use:     "vectors [flags] -o DIR [FILE.xml] | --check FILE [--against PATH]...",
		GroupID: "code",
		Short:   "Generate test vectors for emulators, and check their results",
		Long: `vectors writes a file of test vectors for each instruction of a machine. A vector has the words of an
instruction, the state before it and after it, and the reason why the vector exists: the rule of the
machine that it tests.

isago chooses the inputs from the semantics of the instruction, so that each guard is taken and not taken,
each operand form occurs, floats meet zeros, denormals, infinities and NaN, and small changes of the
semantics change a result. It keeps only vectors that test something that no other vector tests. At the
end, vectors prints how many guards are taken, and writes the others to coverage.json.

The file programs has small programs, each of which shows what one instruction does to another: loops, calls,
clauses, predicates, divergence, barriers and registers that are written twice. The file questions has
vectors whose results depend on a quirk, or are not known. With --instruction, these files are written only
if their names are given too.

isago writes a temporary folder and renames it to DIR when it is complete. It replaces an existing DIR only if
isago vectors wrote that. docs/vectors.md describes the files, and how to plug in an emulator.

Formats:
  json     one file per instruction
  c        a C header with arrays and a runner
  catch2   test cases for Catch2
  3ds      a program for the Nintendo 3DS that runs vectors of pica200 on the hardware

--check compares the results of an engine with vectors. FILE has a result in each line, as
{"name": ..., "actual": STATE}, or is a file of vectors in which each vector has the field actual. The report
groups the differences by cause. If a fault of an engine or the value of a quirk gives exactly these results,
the report names it.

Exit status: 0; 1 if vectors cannot read or write; 2 for a mistake on the command line; 3 if --check found
differences.`,
		Example: `  isago vectors --isa pica200 -o vectors
  isago vectors --isa tesla --instruction add-f32 --format c -o src/vectors
  isago vectors --check results.jsonl --against vectors`,
		Args: func(_ *cobra.Command, args []string) error { return f.useSpec(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.vectorsCheck.given() {
				return f.compare(cmd)
			}
			return f.run(cmd)
		},
	}
	f.setFlags.add(cmd)
	f.jobsFlag.add(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.instructions, "instruction", nil, "only the instruction `NAME`: a mnemonic, or its name in the description, or programs or questions; repeatable")
	flags.StringArrayVar(&f.quirks, "quirk", nil, "choose the value of a quirk, as `NAME=VALUE`")
	flags.StringVarP(&f.dir, "output", "o", "", "write into the new folder `DIR`")
	flags.StringVar(&f.format, "format", "json", "the `FORMAT` of the files: "+strings.Join(vectorFormats, ", "))
	f.vectorsCheck.add(cmd)
	flags.BoolVar(&f.json, "json", false, "print the coverage, or the report of --check, as JSON")
	complete(cmd, "quirk", func() []string { return quirkPairs(f.loaded()) })
	complete(cmd, "format", func() []string { return vectorFormats })
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

var vectorFormats = append([]string{"json"}, forms.Forms...)

// coverageName is the name of the file in a folder of vectors by which vectors recognises such a folder.
const coverageName = "coverage.json"

func (f *vectorsFlags) run(cmd *cobra.Command) error {
	switch {
	case f.exactNaN:
		return usagef("--exact-nan needs --check")
	case len(f.against) > 0:
		return usagef("--against needs --check")
	case f.dir == "":
		return usagef("--output is missing: the folder for the vectors")
	case !slices.Contains(vectorFormats, f.format):
		return usagef("unknown --format %q, expected one of %s", f.format, strings.Join(vectorFormats, ", "))
	case !f.setFlags.given():
		return usagef("no machine, expected --isa or --spec")
	}
	dir, err := createFolder(cmd, f.dir, coverageName, "vectors")
	if err != nil {
		return err
	}
	defer dir.drop()
	quirks := map[string]string{}
	for _, q := range f.quirks {
		name, value, ok := strings.Cut(q, "=")
		if !ok {
			return usagef("--quirk %q, expected NAME=VALUE", q)
		}
		quirks[name] = value
	}
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	if f.format == "3ds" && set.Name() != forms.Machine3DS {
		return usagef("--format 3ds needs --isa %s", forms.Machine3DS)
	}
	m, err := exec.Open(set)
	if err != nil {
		return err
	}
	p := progressOf(cmd)
	p.start("%s: generating vectors", setName(set))
	defer p.end()
	res, err := vectors.Generate(cmd.Context(), m, vectors.Options{
		Instructions: f.instructions, Quirks: f.withQuirks(set, quirks), Jobs: f.jobs,
		Progress: func(done, all int) { p.report("%s: vectors, %d %%", setName(set), 100*done/all) },
	})
	var option *exec.OptionError
	if errors.As(err, &option) || errors.Is(err, vectors.ErrInstruction) {
		return usagef("%v", err)
	}
	if err != nil {
		return err
	}
	files, err := f.files(m, res)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := dir.write(filepath.FromSlash(file.Name), file.Data); err != nil {
			return err
		}
	}
	if err := dir.done(); err != nil {
		return err
	}
	p.end()
	return f.summary(cmd, res)
}

// compare compares the results of an engine with vectors.
func (f *vectorsFlags) compare(cmd *cobra.Command) error {
	for _, name := range []string{"output", "format", "instruction", "quirk"} {
		if cmd.Flags().Changed(name) {
			return usagef("--check cannot be combined with --%s", name)
		}
	}
	return f.vectorsCheck.run(cmd, &f.setFlags, f.json)
}

// files returns the files of the folder.
func (f *vectorsFlags) files(m *exec.Machine, res *vectors.Result) (files []forms.File, err error) {
	if f.format != "json" {
		var report string
		files, report, err = forms.Write(f.format, res.Files, m)
		f.report = report
	} else {
		for _, file := range res.Files {
			data, err := file.Append(nil)
			if err != nil {
				return nil, err
			}
			files = append(files, forms.File{Name: file.FileName() + ".json", Data: data})
		}
	}
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(res.Coverage, "", "  ")
	return append(files, forms.File{Name: coverageName, Data: append(data, '\n')}), err
}

func (f *vectorsFlags) summary(cmd *cobra.Command, res *vectors.Result) error {
	out := cmd.OutOrStdout()
	if f.json {
		data, err := json.Marshal(res.Coverage)
		if err == nil {
			_, err = fmt.Fprintf(out, "%s\n", data)
		}
		return err
	}
	var sum vectors.Coverage
	rows, topics := 0, ""
	for i, file := range res.Files {
		if n := len(file.Vectors); i < len(res.Files)-res.Topics {
			rows += n
		} else {
			topics += fmt.Sprintf("%s: %d vectors\n", file.Instruction, n)
		}
	}
	for _, c := range res.Coverage {
		sum.Guards += c.Guards
		sum.Taken += c.Taken
		sum.Impossible += c.Impossible
		sum.Changes += c.Changes
		sum.Revealed += c.Revealed
	}
	if f.report != "" {
		fmt.Fprintln(out, strings.TrimSpace(f.report))
	}
	_, err := fmt.Fprintf(out, `%s: %d vectors for %d instructions
guards: %d of %d taken, %d impossible, %d open (%s)
changes of the semantics: %d of %d revealed
%s`, f.dir, rows, len(res.Coverage), sum.Taken, sum.Guards, sum.Impossible, sum.Guards-sum.Taken-sum.Impossible, filepath.Join(f.dir, coverageName), sum.Revealed, sum.Changes, topics)
	return err
}
