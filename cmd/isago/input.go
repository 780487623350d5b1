package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/textfile"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// open returns the input named on the command line; - is standard input.
func open(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	files := &sessionOf(cmd).files
	switch name {
	case "-":
	case argumentWords:
		return io.NopCloser(strings.NewReader(sessionOf(cmd).words)), nil
	default:
		return files.open(name)
	}
	in := cmd.InOrStdin()
	if file, ok := in.(*os.File); ok {
		if err := files.readsFile(name, file); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(in), nil
}

// orStandardInput returns the arguments of a command, or the name of standard input if there are none. It returns an
// error that starts with missing if standard input is neither a pipe nor a file, because input from a terminal or a
// device may never come.
func orStandardInput(cmd *cobra.Command, args []string, missing string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	file, ok := cmd.InOrStdin().(*os.File)
	if !ok { // in memory
		return []string{"-"}, nil
	}
	if info, err := file.Stat(); err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0) {
		return []string{"-"}, nil
	}
	if isTerminal(file) {
		return nil, usagef("%s; name one, or redirect it: %s < FILE; - reads what you type", missing, cmd.CommandPath())
	}
	return nil, usagef("%s; standard input is neither a pipe nor a file; use - to read it anyway", missing)
}

// noFile is the start of the error for a command without a FILE.
const noFile = "no FILE"

// worseOf returns the worse of two outcomes: worst is the worst outcome so far, and err is the outcome of the next
// input. It prints err unless err was already printed or only marks findings, so that the command can continue. failed
// is not nil if the command must end.
func worseOf(cmd *cobra.Command, worst, err error) (worse, failed error) {
	switch {
	case errors.Is(err, context.Canceled):
		return worst, err
	case err == nil, errors.Is(err, errFindings) && worst != nil:
		return worst, nil
	case !errors.Is(err, errFindings) && !errors.Is(err, errFailed):
		printError(cmd, err)
		err = errFailed
	}
	return err, nil
}

// readAll returns the whole input named on the command line.
func readAll(cmd *cobra.Command, name string) ([]byte, error) {
	r, err := open(cmd, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

// readMost is like readAll, but with an error for an input larger than most bytes.
func readMost(cmd *cobra.Command, name string, most int64) ([]byte, error) {
	r, err := open(cmd, name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, min(most, endless)+1))
	if err == nil && int64(len(data)) > most {
		data, err = nil, fmt.Errorf("%s: expected at most %d bytes; --in-limit sets the limit", inputName(name), most)
	}
	return data, errors.Join(err, r.Close())
}

// textOf returns an input as a source, without its byte order mark.
func textOf(name string, data []byte) *diag.Source {
	return &diag.Source{Name: inputName(name), Text: strings.TrimPrefix(string(data), textfile.ByteOrderMark)}
}

// skipMark skips a UTF-8 byte order mark, and returns an error for a UTF-16 mark. For other input it waits for only one
// byte, because the input may arrive slowly.
func skipMark(r *bufio.Reader) error {
	if b, err := r.Peek(1); err != nil || b[0] < 0x80 {
		return nil
	}
	b, _ := r.Peek(len(textfile.ByteOrderMark))
	switch {
	case string(b) == textfile.ByteOrderMark:
		_, err := r.Discard(len(b))
		return err
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return errUTF16
	}
	return nil
}

// stdin is the name of standard input in errors.
const stdin = "<stdin>"

// inputName returns the name of an input for errors.
func inputName(name string) string {
	switch name {
	case "-":
		return stdin
	case argumentWords:
		return argument
	}
	return name
}

// readImage reads a program in a format that it recognises by its content, or raw words if the flags name a machine.
func (f *machineFlags) readImage(name string, in *code) (*isa.Set, *program.Image, error) {
	in, err := f.rawCode(name, in)
	if err != nil {
		return nil, nil, err
	}
	data, err := in.all()
	if err != nil {
		return nil, nil, err
	}
	return f.imageOf(name, data)
}

// imageOf reads a program from its bytes.
func (f *machineFlags) imageOf(name string, data []byte) (*isa.Set, *program.Image, error) {
	m, format, known := f.recognise(data)
	if !known && !f.given() {
		if what, hint := otherKind(data); what != "" {
			return nil, nil, usagef("%s is %s, not a program: %s; for raw words or source, name the machine with --isa NAME", inputName(name), what, hint)
		}
		return nil, nil, usagef("%s is in none of the supported formats (%s); raw words need --isa NAME", inputName(name), formatNames())
	}
	set, err := f.load(&m)
	if err != nil {
		return nil, nil, err
	}
	if known && set.Name() != m.Name {
		hint := ""
		if f.cmd != nil && f.cmd.Flags().Lookup("raw") != nil {
			hint = "; --raw reads it as raw code"
		}
		return nil, nil, usagef("%s is a program for %s in the format %s, not for %s%s", inputName(name), m.Name, format.Name, setName(set), hint)
	}
	if err := f.checkTables(name, data); err != nil {
		return nil, nil, err
	}
	im, err := f.openImage(set, format, data)
	if err == nil && f.member != "" {
		var m program.Member
		if m, err = im.Members().Named(f.member); err != nil {
			return nil, nil, usagef("%s: %v", inputName(name), err)
		}
		im.Only(m)
	}
	if err != nil {
		return nil, nil, fileError(name, err)
	}
	im.Quirks = f.withQuirks(set, im.Quirks)
	if !known {
		im.Tables, err = f.readTables(set)
	}
	return set, im, err
}

// openImage reads a file in a format. With the zero Format, it reads a program without a container, or raw words of a
// root.
func (f *machineFlags) openImage(set *isa.Set, format catalog.Format, data []byte) (*program.Image, error) {
	if format.Open != nil {
		return format.Open(set, data)
	}
	if raw := f.rawProgram(int64(len(data))); raw != nil {
		ctx, err := f.context(set)
		if err != nil {
			return nil, err
		}
		return raw.Open(set, ctx, data, f.order)
	}
	r, err := set.Root(f.root)
	if err != nil {
		return nil, &usageError{err}
	}
	return program.Raw(r, data)
}

// fileError adds the name of the file to an error.
func fileError(name string, err error) error {
	var usage *usageError
	var other *fs.PathError
	if errors.As(err, &usage) || errors.As(err, &other) || errors.Is(err, context.Canceled) {
		return err // the mistake is not in this file
	}
	text := strings.TrimSuffix(err.Error(), fmt.Sprintf(" [%s]", diag.FileFormat))
	var list diag.List
	var e *diag.Error
	if errors.As(err, &e) {
		if !errors.As(err, &list) {
			list = diag.List{e}
		}
		for _, x := range list {
			if x.Span.IsValid() && x.Span.Src.Name == "" { // the text of the file itself
				x.Span.Src.Name = inputName(name)
			}
		}
		if e.Span.IsValid() {
			return err
		}
		text = e.Msg
	}
	return fmt.Errorf("%s: %s [%s]", inputName(name), text, diag.FileFormat)
}

func formatNames() string {
	var names []string
	for _, m := range catalog.Machines() {
		for _, f := range m.Formats {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ", ")
}

// code is an input with random access: a file, or the data of a pipe, which is kept in memory or in a temporary file.
type code struct {
	io.ReaderAt
	size  int64
	close func() error
}

// codeOf returns an input in memory.
func codeOf(data []byte) *code {
	return &code{ReaderAt: bytes.NewReader(data), size: int64(len(data))}
}

// Close releases the resources of the input.
func (c *code) Close() error {
	if c.close == nil {
		return nil
	}
	return c.close()
}

// all returns the whole input.
func (c *code) all() ([]byte, error) {
	data := make([]byte, c.size)
	_, err := io.ReadFull(io.NewSectionReader(c, 0, c.size), data)
	return data, err
}

// head returns the start of the input, which is sufficient to recognise its format.
func (c *code) head() ([]byte, error) {
	data := make([]byte, min(c.size, headSize))
	_, err := io.ReadFull(io.NewSectionReader(c, 0, int64(len(data))), data)
	return data, err
}

// headSize is the number of bytes that are sufficient to recognise the format of a file. memorySize is the maximum
// number of bytes of a pipe that are kept in memory.
const (
	headSize   = 4 << 10
	memorySize = 1 << 20
)

// openCode opens an input with random access.
func openCode(cmd *cobra.Command, name string) (*code, error) {
	in, r, err := openOnce(cmd, name)
	if err != nil || in != nil {
		return in, err
	}
	defer r.Close()
	return keep(r, math.MaxInt64)
}

// openOnce opens an input. It returns in if the input has random access, and r if the input can be read only once.
func openOnce(cmd *cobra.Command, name string) (in *code, r io.ReadCloser, err error) {
	if in, ok := cmd.InOrStdin().(*io.SectionReader); ok && name == "-" { // it was opened before
		return &code{ReaderAt: in, size: in.Size()}, nil, nil
	}
	if r, err = open(cmd, name); err != nil {
		return nil, nil, err
	}
	if file, ok := r.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return &code{ReaderAt: file, size: info.Size(), close: file.Close}, nil, nil
		}
	}
	return nil, r, nil
}

// keep reads r up to a maximum number of bytes, and keeps them in memory or in a temporary file.
func keep(r io.Reader, most int64) (*code, error) {
	r = io.LimitReader(r, most)
	data, err := io.ReadAll(io.LimitReader(r, memorySize))
	if err != nil || len(data) < memorySize {
		return codeOf(data), err
	}
	return spool(io.MultiReader(bytes.NewReader(data), r))
}

// spool copies an input into a temporary file, which Close removes.
func spool(r io.Reader) (*code, error) {
	file, err := os.CreateTemp("", "isago-")
	if err != nil {
		return nil, err
	}
	remove := func() error { return errors.Join(file.Close(), os.Remove(file.Name())) }
	size, err := io.Copy(file, r)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	return &code{ReaderAt: file, size: size, close: remove}, nil
}

// otherKind returns the kind of a file that is probably not code, and a hint. start is the start of the file. what is
// "" for other files.
func otherKind(start []byte) (what, hint string) {
	text := strings.TrimPrefix(string(start[:min(len(start), headSize)]), textfile.ByteOrderMark)
	lines := text[:strings.LastIndexByte(text, '\n')+1]
	if len(start) < headSize && len(text) >= leastText {
		lines = text
	}
	switch {
	case textfile.IsUTF16(text):
		return "text in UTF-16", "isago reads UTF-8"
	case lines == "" || !isText(lines):
		return "", ""
	case strings.HasPrefix(strings.TrimSpace(lines), "<"):
		return "XML", "--spec reads descriptions"
	}
	return "text", "asm reads source"
}

// leastText is the minimum number of characters that count as text without a line break, because a few words of code
// may happen to be printable.
const leastText = 10

// errUTF16 is the error for text in UTF-16.
var errUTF16 = errors.New("text in UTF-16, expected UTF-8")

// errBinary is the error for a binary file in place of source: a message could not quote its lines.
var errBinary = errors.New("not text, expected source")

// recognise finds the machine and the format of a file by its content, unless --raw is given.
func (f *setFlags) recognise(data []byte) (catalog.Machine, catalog.Format, bool) {
	if f.forceRaw {
		return catalog.Machine{}, catalog.Format{}, false
	}
	return catalog.Recognise(data)
}

// isRaw reports whether an input is raw code: the flags name a machine, and the format of the input is not recognised.
func (f *setFlags) isRaw(in *code) (bool, error) {
	head, err := in.head()
	if err != nil {
		return false, err
	}
	_, _, known := f.recognise(head)
	return !known && f.given(), nil
}

// rangeFlags choose a part of an input.
type rangeFlags struct{ offset, length int64 }

func (f *rangeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(amount[int64]{&f.offset, 0}, "offset", "skip the first `BYTES` of FILE, such as 0x100, and treat the rest as a file")
	flags.Var(amount[int64]{&f.length, 1}, "length", "read only `BYTES` bytes (default: to the end)")
}

// openPart opens the part of an input that the flags choose.
func (f *rangeFlags) openPart(cmd *cobra.Command, name string) (*code, error) {
	in, err := openCode(cmd, name)
	if err != nil || f.offset == 0 && f.length == 0 {
		return in, err
	}
	if f.offset > in.size || f.length > in.size-f.offset {
		return nil, errors.Join(fmt.Errorf("%s has %d bytes, but --offset and --length need at least %d", inputName(name), in.size, f.offset+f.length), in.Close())
	}
	length := f.length
	if length == 0 {
		length = in.size - f.offset
	}
	return &code{ReaderAt: io.NewSectionReader(in, f.offset, length), size: length, close: in.Close}, nil
}
