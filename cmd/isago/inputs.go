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

// input is a file that a command reads. under is its path below the folder on the command line, or the last element of
// its name if the command line names the file.
type input struct{ name, under string }

// inputsOf replaces folders among the arguments with the wanted files in them, in the order of their names. It keeps
// other arguments, and prints the number of skipped files on standard error. what is the noun for a wanted file, and hint the end of the error for a
// folder without one.
func inputsOf(cmd *cobra.Command, args []string, what, hint string, wanted func(name string) (bool, error)) (list []input, err error) {
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
			info, err := os.Stat(name) // follows symbolic links
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
			return nil, fmt.Errorf("%s: no file in this folder is a %s (%d skipped)%s", arg, what, skipped, hint)
		}
		if skipped > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: skipped %d of %d files: not a %s\n", arg, skipped, skipped+len(list)-found, what)
		}
	}
	return list, sessionOf(cmd).files.willRead(namesOf(list))
}

// programFiles replaces folders among the arguments with the programs in them that a machine recognises. If the flags
// name a machine, only its programs count. With --raw all files count. Source files count if source is set.
func (f *setFlags) programFiles(cmd *cobra.Command, args []string, source bool) ([]input, error) {
	what, hint := "program for a known machine", ""
	if f.given() {
		what = "program for this machine"
	}
	if cmd.Flags().Lookup("raw") != nil {
		hint = "; raw code needs --raw and --isa NAME, for some machines also --stage"
		if f.given() {
			hint = "; --raw reads all files as raw code, for some machines with --stage"
		}
	}
	return inputsOf(cmd, args, what, hint, func(name string) (bool, error) {
		if f.forceRaw {
			return true, nil
		}
		head, err := startOf(name)
		if err != nil || f.spec != "" {
			return false, err
		}
		m, _, ok := catalog.Recognise(head)
		if of, suffixed := catalog.RecogniseSource(&diag.Source{Name: name}); suffixed { // even if its content looks different
			m, ok = of, source
		} else if text := wholeRunes(head); !ok && source && isText(text) {
			m, ok = catalog.RecogniseSource(&diag.Source{Text: firstStatement(strings.TrimPrefix(text, textfile.ByteOrderMark))})
		}
		if !ok || f.isa == "" {
			return ok, nil
		}
		named, err := catalog.Lookup(f.isa)
		return err == nil && named.Name == m.Name, nil // an unknown name is reported when the machine is loaded
	})
}

// firstStatement returns the first line that is neither blank nor a one-line comment in any source language. Only this
// line decides whether a text is source, so that a document that quotes source is not source.
func firstStatement(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != ';' && line[0] != '#' && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") {
			return line
		}
	}
	return ""
}

// descriptions replaces folders among the arguments with the descriptions in them. Files that other descriptions of the
// same folders import are parts, not descriptions: descriptions skips them with a note.
func (f *setFlags) descriptions(cmd *cobra.Command, args []string) ([]input, error) {
	list, err := inputsOf(cmd, args, "description", "", func(name string) (bool, error) {
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
			// If files import each other, the first of them is the description.
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

// outputTo calls run with the standard output of the command redirected to a file. With the name -, it does not
// redirect the output.
func outputTo(cmd *cobra.Command, name string, run func() error) error {
	if name == "-" {
		return run()
	}
	out, err := create(cmd, name)
	if err != nil {
		return err
	}
	cmd.SetOut(out)
	defer cmd.SetOut(nil) // the output of the root command again
	err = run()
	if errors.Is(err, errFailed) && out.written() { // the output for the inputs that could be read is complete
		return cmp.Or(out.done(nil), err)
	}
	return out.done(err)
}

// fileHeading prints the name of an input above its output, for a command with several inputs. number counts from 0.
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

// makeFolder creates the folder of an output file if folder, the value of -o, is a folder.
func makeFolder(folder, output string) error {
	if !inFolder(folder) {
		return nil
	}
	return os.MkdirAll(filepath.Dir(output), 0o777)
}
