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
	// name is the final name of the file. It is "" for standard output and for a device, which is written in place.
	name string
	// files records used, the file with the final name.
	files *files
	used  *usedFile
}

// closedOutput is standard output that was closed before the command started.
type closedOutput struct{}

// Write returns an error.
func (closedOutput) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "standard output", Err: fs.ErrClosed}
}

// stdout is standard output. It keeps the first write error, because some printing functions do not return it.
type stdout struct {
	io.Writer
	failed error
	// before is called before each write, unless it is nil.
	before func()
}

// Write calls before, writes p, and keeps the first error.
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

// fileOf returns the file to which a writer of a command writes. It returns false for a writer without a file.
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

// create opens an output. It returns an error if the output would replace a file that the command line reads or writes
// elsewhere. The name - is standard output.
func create(cmd *cobra.Command, name string) (*output, error) {
	return createSized(cmd, name, outputBuffer)
}

// createSized is like create, but its buffer is not larger than size, the size of the output in bytes.
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
		if mode = info.Mode().Perm(); mode&0o222 == 0 { // renaming would replace a read-only file
			return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("is read-only")}
		}
	}
	if used, err = files.writes(given, info); err != nil {
		return nil, err
	}
	file, err := createTemporary(name, mode)
	return newOutput(file, file, name), err
}

// createTemporary creates a temporary file in the folder of name. It does not call os.CreateTemp, which ignores the user's
// mode for new files.
func createTemporary(name string, mode fs.FileMode) (*os.File, error) {
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

// createNew writes a new file, completely or not at all. It returns an error if the file exists.
func createNew(name, text string) error {
	exists := &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	if _, err := os.Lstat(name); err == nil {
		return exists
	}
	file, err := createTemporary(name, 0o666)
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
	} else if err != nil { // the file system has no hard links
		return os.Rename(file.Name(), name)
	}
	return nil
}

// written reports whether a file has any output. It returns true for standard output.
func (o *output) written() bool {
	if o.Buffered() > 0 || o.file == nil {
		return true
	}
	info, err := o.file.Stat()
	return err == nil && info.Size() > 0
}

// done finishes the output of a command that returned err. It renames a complete file, even if there are findings, and
// removes an incomplete file.
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
