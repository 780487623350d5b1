package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/target/catalog"
)

// input is a file that a command reads. under is its name below the folder that was named, or its last element.
type input struct{ name, under string }

// inputsOf replaces folders among arguments by the wanted files in them, in the order of their names, and reports the number
// of other files on standard error. what is the noun for a wanted file. It keeps arguments that are not folders.
func inputsOf(cmd *cobra.Command, args []string, what string, wanted func(name string) (bool, error)) (list []input, err error) {
	for _, arg := range args {
		if arg == "" {
			return nil, usagef("the name of the FILE is empty")
		}
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			list = append(list, input{arg, filepath.Base(arg)})
			continue
		}
		found, skipped := len(list), 0
		err := filepath.WalkDir(arg, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case cmd.Context().Err() != nil:
				return cmd.Context().Err()
			case entry.IsDir():
				return nil
			}
			info, err := os.Stat(name) // of what a link names
			take := err == nil && info.Mode().IsRegular()
			if take {
				if take, err = wanted(name); err != nil {
					return err
				}
			}
			if !take {
				skipped++
				return nil
			}
			under, err := filepath.Rel(arg, name)
			list = append(list, input{name, under})
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(list) == found {
			return nil, fmt.Errorf("%s: no file in this folder is a %s (%d skipped)", arg, what, skipped)
		}
		if skipped > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: skipped %d of %d files: not a %s\n", arg, skipped, skipped+len(list)-found, what)
		}
	}
	return list, sessionOf(cmd).files.willRead(namesOf(list))
}

// programFiles replaces folders among arguments by the programs in them that a machine recognises: the machine of the flags,
// where they name one. With --raw all files are programs. Source counts where the command reads it.
func (f *setFlags) programFiles(cmd *cobra.Command, args []string, source bool) ([]input, error) {
	what := "program for a known machine"
	if f.given() {
		what = "program for this machine"
	}
	return inputsOf(cmd, args, what, func(name string) (bool, error) {
		if f.forceRaw {
			return true, nil
		}
		head, err := startOf(name)
		if err != nil || f.spec != "" {
			return false, err
		}
		m, _, ok := catalog.Recognise(head)
		if of, suffixed := catalog.RecogniseSource(&diag.Source{Name: name}); suffixed { // whatever its content looks like
			m, ok = of, source
		} else if text := wholeRunes(head); !ok && source && isText(text) {
			m, ok = catalog.RecogniseSource(&diag.Source{Text: firstStatement(strings.TrimPrefix(text, textfile.ByteOrderMark))})
		}
		if !ok || f.isa == "" {
			return ok, nil
		}
		named, err := catalog.Lookup(f.isa)
		return err == nil && named.Name == m.Name, nil // an unknown name is reported where the machine is loaded
	})
}

// firstStatement returns the first line that is neither blank nor a comment of one line in any source language. A page that
// shows source further down is not source.
func firstStatement(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != ';' && line[0] != '#' && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") {
			return line
		}
	}
	return ""
}

// descriptions replaces folders among arguments by the descriptions in them. Files that other descriptions of the same
// folders import are parts, not descriptions: descriptions skips them with a note.
func (f *setFlags) descriptions(cmd *cobra.Command, args []string) ([]input, error) {
	list, err := inputsOf(cmd, args, "description", func(name string) (bool, error) {
		if !strings.EqualFold(filepath.Ext(name), ".xml") {
			return false, nil
		}
		head, err := startOf(name)
		return bytes.Contains(head, []byte("<isa")), err
	})
	if err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, arg := range args {
		named[arg] = true
	}
	imports := map[string][]string{} // by the names of descriptions
	for _, in := range list {
		if !named[in.name] {
			imports[in.name] = spec.Imports(f.specFiles(in.name))
		}
	}
	return slices.DeleteFunc(list, func(in input) bool {
		part := filepath.ToSlash(filepath.Clean(in.name))
		for _, other := range list {
			// Of files that import each other the first one is the description.
			if other == in || !slices.Contains(imports[other.name], part) ||
				slices.Contains(imports[in.name], filepath.ToSlash(filepath.Clean(other.name))) && in.name < other.name {
				continue
			}
			if _, found := imports[in.name]; found {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: skipped: %s imports it\n", in.name, other.name)
				return true
			}
		}
		return false
	}), nil
}

func namesOf(list []input) []string {
	var names []string
	for _, in := range list {
		names = append(names, in.name)
	}
	return names
}

// outputFlag names the file that a command writes instead of standard output.
type outputFlag struct{ output string }

func (f *outputFlag) add(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVarP(&f.output, "output", "o", "-", usage)
}

// outputFile is the usage of a flag for one file.
const outputFile = "`FILE` to write; - is standard output"

// outputTo runs a part of a command with its standard output in a file; - is the standard output of the command.
func outputTo(cmd *cobra.Command, name string, run func() error) error {
	if name == "-" {
		return run()
	}
	out, err := create(cmd, name)
	if err != nil {
		return err
	}
	cmd.SetOut(out)
	defer cmd.SetOut(nil) // that of the root again
	err = run()
	if errors.Is(err, errFailed) && out.written() { // what could be read of several inputs is complete
		return cmp.Or(out.done(nil), err)
	}
	return out.done(err)
}

// fileHeading prints the name of an input above the text about it, where a command has several.
func fileHeading(cmd *cobra.Command, number int, name string) {
	if number > 0 {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s:\n", inputName(name))
}

// inFolder reports whether an output is a folder: it exists as one, or its name ends with a separator.
func inFolder(output string) bool {
	return output != "" && (os.IsPathSeparator(output[len(output)-1]) || isFolder(output))
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// makeFolder makes the folder of an output that is a file in the folder of -o.
func makeFolder(folder, output string) error {
	if !inFolder(folder) {
		return nil
	}
	return os.MkdirAll(filepath.Dir(output), 0o777)
}
