package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/gen/golang"
	"github.com/isago/isago/gen/python"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/isa/mesa"
)

// genFlags select the code that gen generates from a description.
type genFlags struct {
	setFlags
	dir, name, compat string
	check, trust      bool
}

// genLanguage is a language in which gen generates code.
type genLanguage struct {
	use, short, long, example string
	write                     func(context.Context, *gen.Program) ([]genFile, error)
	// fragments and unnamed report whether the language has --trust-fragments, and whether it has no --prefix.
	fragments, unnamed bool
}

type genFile struct {
	name     string
	text     []byte
	warnings []string
}

func newGen() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "gen",
		GroupID: "code",
		Short:   "Generate decoders and encoders in C, Go and Python",
		Long: `gen writes source code that decodes, prints and encodes the instructions of a machine: C for emulators and
drivers, Go and Python for tools. The code does not depend on isago. It prints the same text and findings as "isago
dis". docs/generate.md shows how to embed it.`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, l := range genLanguages {
		cmd.AddCommand(newGenIn(l))
	}
	return cmd
}

var genLanguages = []genLanguage{
	{
		use:   "c",
		short: "Write freestanding C11, also valid C++17: NAME.h, NAME.c and others",
		long: `gen c writes freestanding C11 that is also valid C++17:

  NAME.h           declarations
  NAME.c           decodes and prints instructions
  NAME_pack.c      encodes fields into words, and extracts them
  NAME_list.c      prints whole programs
  NAME_operands.c  describes operands: registers, components, accesses

The code has no dependencies, allocations or global state, and compiles without warnings under -Wall
-Wextra -Wconversion -pedantic.

The C fragments in <encode> elements of a description run in your program. Only --trust-fragments copies
them, into NAME_encode.h: see docs/generate.md.`,
		example: `  isago gen c --isa pica200 -o src
  isago gen c --spec mygpu.xml --prefix mygpu -o src --check
  isago gen c --spec ir3.xml --compat mesa --trust-fragments -o src`,
		fragments: true,
		write: func(ctx context.Context, p *gen.Program) (list []genFile, err error) {
			files, err := c.Write(ctx, p)
			for _, f := range files {
				list = append(list, genFile{f.Name, f.Text, f.Warnings})
			}
			return list, err
		},
	},
	{
		use:   "go",
		short: "Write a Go package that needs only the standard library",
		long: `gen go writes a Go package into DIR: NAME.go, decode.go, fields.go, list.go, operands.go and print.go. The
package needs only the standard library. Its API follows the decoders in golang.org/x/arch: Decode, Inst, Op
and Args.`,
		example: `  isago gen go --isa tegra -o internal/tegra
  isago gen go --spec mygpu.xml --prefix mygpu -o mygpu --check`,
		write: func(ctx context.Context, p *gen.Program) (list []genFile, err error) {
			files, err := golang.Write(ctx, p)
			for _, f := range files {
				list = append(list, genFile{f.Name, f.Text, nil})
			}
			return list, err
		},
	},
	{
		use:   "python",
		short: "Write a Python package that needs only the standard library",
		long: `gen python writes the modules of a Python package into DIR. The package needs only the standard library of
Python 3.8 or later, and the folder may have any name. The package decodes, prints and encodes instructions
and lists programs; "python -m DIR FILE" prints the instructions of a file.`,
		example: `  isago gen python --isa tegra -o tegra
  isago gen python --spec mygpu.xml -o mygpu --check`,
		unnamed: true,
		write: func(ctx context.Context, p *gen.Program) (list []genFile, err error) {
			files, err := python.Write(ctx, p)
			for _, f := range files {
				list = append(list, genFile{f.Name, f.Text, nil})
			}
			return list, err
		},
	},
}

func newGenIn(l genLanguage) *cobra.Command {
	var f genFlags
	cmd := &cobra.Command{
		Use:     l.use + " [flags] [FILE.xml]",
		Short:   l.short,
		Long:    l.long,
		Example: l.example,
		Args:    func(_ *cobra.Command, args []string) error { return f.useSpec(args) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd, l) },
	}
	f.setFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.syntax, "syntax", "", "use the syntax `NAME` (default: the main syntax)")
	if !l.unnamed {
		flags.StringVar(&f.name, "prefix", "", "start all identifiers and file names with `NAME` (default: the name of the machine)")
	}
	flags.StringVarP(&f.dir, "output", "o", ".", "write into `DIR`")
	flags.StringVar(&f.compat, "compat", "", "print like another `TOOL`: mesa is Mesa's isaspec, including its defects")
	flags.BoolVar(&f.check, "check", false, "write nothing; report files that differ from the output, and exit with 3 if there are any")
	if l.fragments {
		flags.BoolVar(&f.trust, "trust-fragments", false, "copy the C fragments of the description; only for authors that you trust")
	}
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

var prefixName = lazy.Regexp(`^[a-z][a-z0-9_]*$`)

func (f *genFlags) run(cmd *cobra.Command, l genLanguage) error {
	if f.compat != "" && f.compat != "mesa" {
		return usagef("--compat %q, expected mesa", f.compat)
	}
	if f.name != "" && !prefixName().MatchString(f.name) {
		return usagef("--prefix %q, expected lower-case letters, digits and _, a letter first", f.name)
	}
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	if f.compat != "" {
		if _, err := mesa.New(set, ""); err != nil {
			return usagef("--compat mesa: %v", err)
		}
	}
	fallback := strings.TrimSuffix(filepath.Base(f.spec), filepath.Ext(f.spec))
	progress := progressOf(cmd)
	progress.start("%s: generating", setName(set))
	defer progress.end()
	p, err := gen.New(cmd.Context(), set, gen.Options{
		Name: f.name, Fallback: fallback, Gen: f.gen, AllGens: !cmd.Flags().Changed("gen"), Syntax: f.syntax,
		Mesa: f.compat != "", Fragments: f.trust,
	})
	if err != nil {
		return err
	}
	files, err := l.write(cmd.Context(), p)
	if err != nil {
		return err
	}
	for _, file := range files {
		for _, w := range file.warnings {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s\n", cmd.CommandPath(), w)
		}
	}
	if f.check {
		return f.compare(cmd, files)
	}
	return f.write(cmd, files)
}

// write writes the files whose content changes. The other files keep their modification time, for build systems.
func (f *genFlags) write(cmd *cobra.Command, files []genFile) error {
	if f.dir == "" {
		return usagef("the name of the folder is empty; . is the current folder")
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	for _, file := range files { // check all files before writing the first
		name := filepath.Join(f.dir, file.name)
		if err := sessionOf(cmd).files.mayWrite(name); err != nil {
			return err
		}
		switch old, err := os.ReadFile(name); {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err == nil && !generated(old):
			return fmt.Errorf("%s was not generated by isago gen and would be overwritten; choose another folder with -o", name)
		}
	}
	for _, file := range files {
		name := filepath.Join(f.dir, file.name)
		if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, file.text) {
			continue
		}
		out, err := create(cmd, name)
		if err != nil {
			return err
		}
		_, err = out.Write(file.text)
		if err := out.done(err); err != nil {
			return err
		}
	}
	return nil
}

// generated reports whether a file is empty, or generated by isago according to its first line.
func generated(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return len(text) == 0 || bytes.Contains(first, []byte("enerated by isago gen "))
}

// compare prints the names of the files that differ from the generated ones. It returns errFindings if there are any.
func (f *genFlags) compare(cmd *cobra.Command, files []genFile) error {
	stale := false
	for _, file := range files {
		name := filepath.Join(f.dir, file.name)
		old, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(cmd.OutOrStdout(), "%s: is missing\n", name)
		case err != nil:
			return err
		case !bytes.Equal(old, file.text):
			fmt.Fprintf(cmd.OutOrStdout(), "%s: is out of date; line %d is the first that differs\n", name, firstDifference(old, file.text))
		default:
			continue
		}
		stale = true
	}
	if stale {
		return errFindings
	}
	return nil
}

// firstDifference returns the number of the first line in which two texts differ.
func firstDifference(a, b []byte) int {
	line := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '\n' {
			line++
		}
	}
	return line
}
