package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/vectors"
)

// vectorsCheck are the flags of vectors --check.
type vectorsCheck struct {
	results, against []string
	exactNaN         bool
}

func (f *vectorsCheck) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.results, "check", nil, "compare the results of an engine in `FILE` with the vectors, and group the differences by cause; repeatable")
	flags.StringArrayVar(&f.against, "against", nil, "the vectors of the results are in `PATH`, a file or a folder; repeatable")
	flags.BoolVar(&f.exactNaN, "exact-nan", false, "also compare the bits of NaN")
}

// given reports whether the command compares results.
func (f *vectorsCheck) given() bool { return len(f.results) > 0 }

// run compares the results. The machine is the one that set names, or else that of the vectors.
func (f *vectorsCheck) run(cmd *cobra.Command, set *setFlags, asJSON bool) error {
	machines := map[string]*exec.Machine{}
	machine := func(name string) (*exec.Machine, error) {
		if m := machines[name]; m != nil {
			return m, nil
		}
		var named *catalog.Machine
		if !set.given() {
			found, _, err := catalog.Find(name)
			if err != nil {
				return nil, err
			}
			named = &found
		}
		s, err := set.load(named)
		if err != nil {
			return nil, err
		}
		m, err := exec.Open(s)
		machines[name] = m
		return m, err
	}
	list, err := f.read(cmd, machine)
	if err != nil {
		return err
	}
	m, err := machine(list[0].File.Machine)
	if err != nil {
		return err
	}
	r, err := vectors.Check(m, list, vectors.CheckOptions{ExactNaN: f.exactNaN})
	if err != nil {
		return err
	}
	out := r.Append(nil)
	if asJSON {
		if out, err = json.Marshal(r); err != nil {
			return err
		}
		out = append(out, '\n')
	}
	if _, err := cmd.OutOrStdout().Write(out); err != nil {
		return err
	}
	if r.Differ > 0 {
		return errFindings
	}
	return nil
}

// vectorOf is a vector of a file.
type vectorOf struct {
	file *vectors.File
	name string
}

// read reads the vectors and the results.
func (f *vectorsCheck) read(cmd *cobra.Command, machine vectors.Opener) (list []*vectors.Answers, err error) {
	var files []*vectors.File
	for _, path := range f.against {
		more, err := vectorFiles(cmd, path, machine)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	seen := map[vectorOf]string{} // the file with the result of a vector
	for _, name := range f.results {
		r, err := open(cmd, name)
		if err != nil {
			return nil, err
		}
		more, err := vectors.ReadAnswers(r, inputName(name), machine, files...)
		r.Close()
		if err != nil {
			return nil, err
		}
		for _, a := range more {
			for _, x := range a.List {
				if at := (vectorOf{a.File, x.Name}); seen[at] != "" {
					return nil, fmt.Errorf("%s: vector %q has a result in %s too, expected one result", name, x.Name, seen[at])
				}
				seen[vectorOf{a.File, x.Name}] = name
			}
			if i := slices.IndexFunc(list, func(x *vectors.Answers) bool { return x.File == a.File }); i >= 0 {
				list[i].List = append(list[i].List, a.List...)
			} else {
				list = append(list, a)
			}
		}
	}
	return list, nil
}

// vectorFiles reads a file of vectors, or the files in a folder.
func vectorFiles(cmd *cobra.Command, path string, machine vectors.Opener) (list []*vectors.File, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	names := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" && e.Name() != coverageName {
				names = append(names, filepath.Join(path, e.Name()))
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: no files with the suffix .json, expected files of vectors", path)
		}
	}
	for _, name := range names {
		r, err := open(cmd, name)
		if err != nil {
			return nil, err
		}
		file, err := vectors.Read(r, name, machine)
		r.Close()
		if err != nil {
			return nil, err
		}
		list = append(list, file)
	}
	return list, nil
}
