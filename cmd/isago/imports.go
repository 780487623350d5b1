package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// specFiles is the file system of one description, with slash-separated paths. It contains the file that the user
// names, which may be of any kind, and regular files in the folder of that file, in dirs, and in folders below these. A
// symbolic link is resolved before its folder is checked.
type specFiles struct {
	files *files
	top   string
	dirs  []string
	// allowed holds the folders of imports, with symbolic links resolved. It is nil before the first import.
	allowed []string
}

// Open opens a file.
func (s *specFiles) Open(name string) (fs.File, error) {
	path := filepath.FromSlash(name)
	if name == s.top {
		return s.files.open(path)
	}
	if s.allowed == nil {
		for _, dir := range append([]string{filepath.Dir(filepath.FromSlash(s.top))}, s.dirs...) {
			dir, err := resolve(dir)
			if err != nil {
				return nil, err
			}
			s.allowed = append(s.allowed, dir)
		}
	}
	real, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if !s.allows(real) {
		return nil, fmt.Errorf("%s is outside the folder of the description; -I DIR allows imports from DIR", name)
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait for a writer
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return s.files.open(path)
}

// allows reports whether a file is in one of the folders of imports or below.
func (s *specFiles) allows(file string) bool {
	for _, dir := range s.allowed {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// resolve returns the absolute path of a file with symbolic links resolved. If the file does not exist, it resolves
// only the existing part of the path.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil || filepath.Dir(path) == path {
		return real, err
	}
	dir, err := resolve(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}
