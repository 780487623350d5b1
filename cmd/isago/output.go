package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// output is the destination of a command: standard output, a device, or a file. A file is written under a temporary name in the same
// folder and renamed when it is complete, so that a failed run loses nothing.
type output struct {
	*bufio.Writer
	file *os.File // nil for standard output
	// name is what the file is renamed to; "" for a device, which is written in place.
	name string
	// files has used, the file under the name.
	files *files
	used  *usedFile
}

// closedOutput is standard output that was closed before the command started.
type closedOutput struct{}

// Write fails.
func (closedOutput) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "standard output", Err: fs.ErrClosed}
}

// stdout is standard output. It keeps the first error of a write, which not everything that prints returns.
type stdout struct {
	io.Writer
	failed error
	// before is called before each write, unless it is nil.
	before func()
}

// Write keeps an error.
func (s *stdout) Write(p []byte) (int, error) {
	if s.before != nil {
		s.before()
	}
	n, err := s.Writer.Write(p)
	if s.failed == nil {
		s.failed = err
	}
	return n, err
}

// fileOf returns the file that a writer of a command is.
func fileOf(w io.Writer) (*os.File, bool) {
	switch s := w.(type) {
	case *stdout:
		w = s.Writer
	case *stderr:
		w = s.Writer
	}
	file, ok := w.(*os.File)
	return file, ok
}

const outputBuffer = 64 << 10

// create opens an output, which must be no file that the command line reads or writes elsewhere; - is standard output.
func create(cmd *cobra.Command, name string) (*output, error) {
	return createSized(cmd, name, outputBuffer)
}

// createSized is create for so many bytes, which are written at once.
func createSized(cmd *cobra.Command, name string, size int) (*output, error) {
	files := &sessionOf(cmd).files
	var used *usedFile
	newOutput := func(to io.Writer, file *os.File, name string) *output {
		return &output{bufio.NewWriterSize(to, min(size, outputBuffer)), file, name, files, used}
	}
	switch name {
	case "-":
		return newOutput(cmd.OutOrStdout(), nil, ""), nil
	case "":
		return nil, usagef("the name of the output is empty; - is standard output")
	}
	given := name
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := fs.FileMode(0o666)
	info, err := os.Stat(name)
	if err == nil {
		if info.IsDir() {
			return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("is a directory")}
		}
		if !info.Mode().IsRegular() {
			file, err := os.OpenFile(name, os.O_WRONLY, 0)
			return newOutput(file, file, ""), err
		}
		if mode = info.Mode().Perm(); mode&0o222 == 0 { // which renaming would replace
			return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("is read-only")}
		}
	}
	if used, err = files.writes(given, info); err != nil {
		return nil, err
	}
	file, err := createBeside(name, mode)
	return newOutput(file, file, name), err
}

// createBeside makes a new file in the folder of name. (The mode of os.CreateTemp is not what a user
// has set as the mode of new files.)
func createBeside(name string, mode fs.FileMode) (*os.File, error) {
	for i := 0; ; i++ {
		beside := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d-%d", filepath.Base(name), os.Getpid(), i))
		file, err := unfinished.create(beside, mode)
		var e *fs.PathError
		if errors.As(err, &e) {
			e.Path = name
		}
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// createNew writes a file that does not exist: all of it, or nothing.
func createNew(name, text string) error {
	exists := &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	if _, err := os.Lstat(name); err == nil {
		return exists
	}
	file, err := createBeside(name, 0o666)
	if err != nil {
		return err
	}
	defer unfinished.drop(file.Name())
	defer os.Remove(file.Name())
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Link(file.Name(), name); errors.Is(err, fs.ErrExist) {
		return exists
	} else if err != nil { // no file there has two names
		return os.Rename(file.Name(), name)
	}
	return nil
}

// written reports whether anything was written.
func (o *output) written() bool {
	if o.Buffered() > 0 || o.file == nil {
		return true
	}
	info, err := o.file.Stat()
	return err == nil && info.Size() > 0
}

// done ends the output of a command that ends with err. Complete output is renamed, also with findings; incomplete output is removed.
func (o *output) done(err error) error {
	failed := err != nil && !errors.Is(err, errFindings)
	if e := o.Flush(); e != nil && !failed {
		err, failed = e, true
	}
	if o.file == nil {
		return err
	}
	if e := o.file.Close(); e != nil && !failed {
		err, failed = e, true
	}
	if o.name != "" {
		defer unfinished.drop(o.file.Name())
	}
	switch {
	case o.name == "":
	case failed:
		os.Remove(o.file.Name())
	default:
		if e := o.files.rename(o.file.Name(), o.name, o.used); e != nil {
			os.Remove(o.file.Name())
			return e
		}
	}
	return err
}
