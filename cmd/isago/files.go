package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// session holds what a command line has loaded, read and written so far.
type session struct {
	sets     map[setKey]*isa.Set
	files    files
	progress progress
	// words is the text of the words on the command line.
	words string
}

// sessionKey is the key of the session in the context of the root command.
type sessionKey struct{}

// withSession attaches a new session to a root command.
func withSession(root *cobra.Command) {
	root.SetContext(context.WithValue(context.Background(), sessionKey{}, &session{sets: map[setKey]*isa.Set{}}))
}

// withContext sets the context that cancels the commands.
func withContext(root *cobra.Command, ctx context.Context) {
	root.SetContext(context.WithValue(ctx, sessionKey{}, sessionOf(root)))
}

// sessionOf returns the session of a command.
func sessionOf(cmd *cobra.Command) *session {
	return cmd.Root().Context().Value(sessionKey{}).(*session)
}

// files are the regular files that a command line reads and writes. No output replaces an input or another output, even
// if their names differ: several paths, symbolic links and hard links may name one file. Devices and pipes do not
// count.
type files struct {
	mu              sync.Mutex
	inputs, outputs usedFiles
}

// usedFiles holds files by their identity, so that a search does not slow down with the number of files. On systems
// without file identities, all existing files have the same key.
type usedFiles map[any][]*usedFile

// key returns a value that is equal for two names of the same file.
func (a *usedFile) key() any {
	if a.info != nil {
		return identity(a.info)
	}
	return filepath.Base(a.name)
}

// add adds a file.
func (u *usedFiles) add(a *usedFile) {
	if *u == nil {
		*u = usedFiles{}
	}
	(*u)[a.key()] = append((*u)[a.key()], a)
}

// remove removes a file.
func (u usedFiles) remove(a *usedFile) {
	u[a.key()] = slices.DeleteFunc(u[a.key()], func(b *usedFile) bool { return a == b })
}

// find returns another entry for the same file as a, or nil if there is none.
func (u usedFiles) find(a *usedFile) *usedFile {
	for _, b := range u[a.key()] {
		if a != b && a.same(b) {
			return b
		}
	}
	return nil
}

// usedFile is a file under the name that the user gave. info is nil if the file is an output that does not exist yet.
type usedFile struct {
	name string
	info fs.FileInfo
}

// same reports whether two names are names of the same file.
func (a *usedFile) same(b *usedFile) bool {
	if a.info != nil && b.info != nil {
		return os.SameFile(a.info, b.info)
	}
	if a.info != nil || b.info != nil || filepath.Base(a.name) != filepath.Base(b.name) {
		return false
	}
	x, err := os.Stat(filepath.Dir(a.name))
	if err != nil {
		return false
	}
	y, err := os.Stat(filepath.Dir(b.name))
	return err == nil && os.SameFile(x, y)
}

// recordStdout records standard output as an output if it is redirected to a file.
func (f *files) recordStdout(out io.Writer) {
	if file, ok := fileOf(out); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			f.outputs.add(&usedFile{"standard output", info})
		}
	}
}

// open opens an input and records it.
func (f *files) open(name string) (*os.File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if err := f.readsFile(name, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// startOf returns the start of a file, which is sufficient to recognise its format. It does not record the file as an
// input, because an output may replace a file that does not become an input.
func startOf(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, headSize))
}

// readsFile records an open file as an input, as reads does.
func (f *files) readsFile(name string, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return f.reads(name, info)
}

// reads records an input. It returns an error if the input is also an output.
func (f *files) reads(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	in := &usedFile{inputName(name), info}
	if out := f.outputs.find(in); out != nil {
		return overInput(out, in)
	}
	f.inputs.add(in)
	return nil
}

// willRead records inputs that are opened later. An input that cannot be opened is reported when it is opened.
func (f *files) willRead(names []string) error {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			if err := f.reads(name, info); err != nil {
				return err
			}
		}
	}
	return nil
}

// writes records an output that is about to be created. It returns an error if the output would replace an input or
// another output. info describes the file that the output replaces, or is nil.
func (f *files) writes(name string, info fs.FileInfo) (*usedFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := &usedFile{name, info}
	if err := f.refuse(out); err != nil {
		return nil, err
	}
	f.outputs.add(out)
	return out, nil
}

// refuse returns an error if an output would replace an input or another output.
func (f *files) refuse(out *usedFile) error {
	if in := f.inputs.find(out); in != nil {
		return overInput(out, in)
	}
	return writtenTwice(out, f.outputs)
}

// writtenTwice returns an error if an output would replace one of the others.
func writtenTwice(out *usedFile, others usedFiles) error {
	if other := others.find(out); other != nil {
		return takenOutput(out, other, "%s would be written twice", out.name)
	}
	return nil
}

// mayWrite checks outputs as writes does, before the first of them is written. It ignores an empty name and
// "-", which means standard output.
func (f *files) mayWrite(names ...string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var later usedFiles
	for _, name := range names {
		info, _ := os.Stat(name)
		if name == "" || name == "-" || info != nil && !info.Mode().IsRegular() {
			continue
		}
		out := &usedFile{name, info}
		if err := f.refuse(out); err != nil {
			return err
		}
		if err := writtenTwice(out, later); err != nil {
			return err
		}
		later.add(out)
	}
	return nil
}

// rename renames the temporary file of a complete output to its name. First it checks again that the output replaces no
// input and no other output: inputs may have been opened since, and names that differ only in case may name one file.
func (f *files) rename(from, to string, out *usedFile) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	look := func() {
		f.outputs.remove(out)
		out.info, _ = os.Stat(to)
		f.outputs.add(out)
	}
	look()
	if err := f.refuse(out); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	look()
	return nil
}

// overInput returns the error for an output that is also an input.
func overInput(out, in *usedFile) error {
	return takenOutput(in, out, "%s is an input of this run, and the output would replace it", in.name)
}

func takenOutput(a, b *usedFile, format string, args ...any) error {
	e := diag.Errorf(diag.OutputTaken, diag.Span{}, format, args...)
	if a.name != b.name {
		e.Msg += ": " + b.name + " is the same file"
	}
	return &usageError{e}
}
