package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

// folder is a folder that a command writes. It has a temporary name until it is complete, and then replaces an older one.
type folder struct {
	dir, temporary string
	files          *files
}

// createFolder creates a folder. It returns an error if dir exists, is not empty, and has no file with the name marker, by
// which the command recognises what it wrote.
func createFolder(cmd *cobra.Command, dir, marker, command string) (*folder, error) {
	dir = filepath.Clean(dir)
	f := &folder{dir: dir, temporary: filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%d", filepath.Base(dir), os.Getpid())), files: &sessionOf(cmd).files}
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case len(list) > 0 && !slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == marker }):
		return nil, usagef("%s contains files that isago %s did not write, expected a new folder", dir, command)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	return f, unfinished.folder(f.temporary)
}

// check returns an error if the older folder contains an input of the command line.
func (f *folder) check() error {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	err := filepath.WalkDir(f.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(name)
		if err != nil { // a broken link
			return nil
		}
		out := &usedFile{name, info}
		if in := f.files.inputs.find(out); in != nil {
			return overInput(out, in)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// write writes a file of the folder. name is its path in the folder.
func (f *folder) write(name string, data []byte) error {
	name = filepath.Join(f.temporary, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// done replaces the older folder, if there is one.
func (f *folder) done() error {
	if err := f.check(); err != nil { // inputs may have been opened since
		return err
	}
	old := f.temporary + ".old"
	switch err := os.Rename(f.dir, old); {
	case err == nil:
		defer os.RemoveAll(old)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.Rename(f.temporary, f.dir)
}

// drop removes what is left of an incomplete folder.
func (f *folder) drop() {
	os.RemoveAll(f.temporary)
	unfinished.drop(f.temporary)
}
