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
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/isa/mesa"
)

// genFlags say what code is made of a description.
type genFlags struct {
	setFlags
	dir, name, compat string
	check, trust      bool
}

// genLanguage is a language that code is generated in.
type genLanguage struct {
	use, short, long, example string
	write                     func(context.Context, *gen.Program) ([]genFile, error)
	fragments                 bool
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
		Short:   "Generate a decoder, printer and encoder as source code",
		Long: `gen writes source code that decodes, prints and packs the instructions of a machine, and needs nothing of
isago to do it: C for emulators and drivers, Go for tools. What it prints is what "isago dis" prints, findings
included. docs/generate.md shows how to embed it.`,
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
		short: "Write C: NAME.h, NAME.c and what belongs to it, freestanding C11 that is C++17 too",
		long: `gen c writes NAME.h, NAME.c, which decodes and prints, NAME_pack.c, which packs and unpacks, NAME_list.c, which lists
programs, and NAME_operands.c, which tells what operands are: freestanding C11 that compiles as C++17 too, without
dependency, allocation or global state. Compilers have nothing to say of it under -Wall -Wextra -Wconversion -pedantic.

The C of <encode> in a description is code that runs in the program of whoever compiles it. It is taken with
--trust-fragments alone, which writes NAME_encode.h beside the others: see docs/generate.md.`,
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
		short: "Write a Go package that needs the standard library alone",
		long: `gen go writes a package into DIR: NAME.go, decode.go, fields.go, list.go, operands.go and print.go. It needs the standard
library alone, and has the shape of those in golang.org/x/arch: Decode, Inst, Op and Args.`,
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
}

func newGenIn(l genLanguage) *cobra.Command {
	var f genFlags
	cmd := &cobra.Command{
		Use:     l.use + " [flags] [FILE.xml]",
		Short:   l.short,
		Long:    l.long,
		Example: l.example,
		Args:    func(_ *cobra.Command, args []string) error { return f.takeSpec(args) },
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd, l) },
	}
	f.setFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.syntax, "syntax", "", "`NAME` of the spelling (default: the plain one)")
	flags.StringVar(&f.name, "prefix", "", "`NAME` with which all names and the files start (default: that of the machine)")
	flags.StringVarP(&f.dir, "output", "o", ".", "`DIR` to write into")
	flags.StringVar(&f.compat, "compat", "", "mesa: the code prints as that of Mesa's isaspec does, defects included")
	flags.BoolVar(&f.check, "check", false, "write nothing; tell which files are not what would be written, and exit with 3")
	if l.fragments {
		flags.BoolVar(&f.trust, "trust-fragments", false, "take the C of <encode> from the description, which whoever wrote it chose")
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
		return usagef("--prefix %q, expected small letters, digits and _, a letter first", f.name)
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

// write writes the files that are not as they are to be: others keep their time, for build systems.
func (f *genFlags) write(cmd *cobra.Command, files []genFile) error {
	if f.dir == "" {
		return usagef("the name of the folder is empty; . is this one")
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	for _, file := range files { // all before the first is written
		name := filepath.Join(f.dir, file.name)
		if err := sessionOf(cmd).files.mayWrite(name); err != nil {
			return err
		}
		switch old, err := os.ReadFile(name); {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err == nil && !generated(old):
			return fmt.Errorf("%s was not made by isago gen and would be lost; -o names another folder", name)
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

// generated reports whether a file is one that isago made, as the first line of each says, or empty.
func generated(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return len(text) == 0 || bytes.Contains(first, []byte("enerated by isago gen "))
}

// compare tells which files are not what would be written.
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
			fmt.Fprintf(cmd.OutOrStdout(), "%s: is not current, line %d is the first that differs\n", name, firstDifference(old, file.text))
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
