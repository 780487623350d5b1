package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inorder"
)

// jobsFlag is the number of processors that a command uses.
type jobsFlag struct{ jobs int }

func (f *jobsFlag) add(cmd *cobra.Command) {
	f.jobs = runtime.GOMAXPROCS(0)
	cmd.Flags().VarP(amount[int]{&f.jobs, 1}, "jobs", "j", "use at most `N` processors; the output does not depend on N")
}

// maxInputLine is the maximum length of a line of input, in bytes. The answer to a longer line is an error, and reading
// continues with the next line.
const maxInputLine = 1 << 20

// lineFunc answers a line, given without its end: it appends the answer to dst. number counts from 1.
type lineFunc func(dst, line []byte, number int) []byte

// eachLine answers each line of r with one line, in order. It uses workers goroutines and constant memory. start
// returns the answering function of one goroutine. A byte order mark is not part of the first line. eachLine flushes
// the output when the input pauses, so that another program can use the command through pipes. It returns a read error
// after it has answered all lines before the error. It may also return the error of ctx.
func eachLine(ctx context.Context, r io.Reader, w *bufio.Writer, workers int, start func() (lineFunc, error)) error {
	lines := bufio.NewReaderSize(r, blockSize) // a smaller buffer would become a separate block
	if err := skipMark(lines); err != nil {
		return err
	}
	b := blocks{r: lines}
	var used sync.Pool // of *[]byte: answers that were written
	worker := func() (func(block) *[]byte, error) {
		f, err := start()
		return func(b block) *[]byte {
			out, ok := used.Get().(*[]byte)
			if !ok {
				out = new([]byte)
			}
			*out = b.answer((*out)[:0], f)
			return out
		}, err
	}
	err := inorder.Run(workers, b.all, worker, func(text *[]byte, pending bool) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := w.Write(*text)
		used.Put(text)
		if err != nil || pending {
			return err
		}
		return w.Flush()
	})
	return errors.Join(cmp.Or(err, w.Flush()), b.err) // a writer that failed fails again
}

// block holds consecutive lines of an input. The last line may lack its line break.
type block struct {
	data []byte
	// first is the number of the first line.
	first int
}

// answer appends the answer to each line of a block.
func (b block) answer(out []byte, f lineFunc) []byte {
	n := b.first
	for line := range bytes.Lines(b.data) {
		out = append(f(out, trimEnd(line), n), '\n')
		n++
	}
	return out
}

// blocks divides an input into blocks. Each block has the complete lines that are available after a read.
type blocks struct {
	r   io.Reader
	err error
}

// blockSize is the maximum number of bytes of one read.
const blockSize = 256 << 10

// all yields the blocks. It drops the end of a line that is longer than maxInputLine.
func (b *blocks) all(yield func(block) bool) {
	var rest []byte // the start of an incomplete line
	number := 1
	for {
		data := make([]byte, len(rest)+blockSize)
		copy(data, rest)
		n, err := b.r.Read(data[len(rest):])
		data = data[:len(rest)+n]
		end := bytes.LastIndexByte(data, '\n') + 1
		if err != nil {
			end = len(data)
		}
		if end > 0 && !yield(block{data[:end], number}) {
			return
		}
		number += bytes.Count(data[:end], []byte{'\n'})
		if rest = data[end:]; len(rest) > maxInputLine {
			rest = rest[:maxInputLine+1]
		}
		if err != nil {
			if err != io.EOF {
				b.err = err
			}
			return
		}
	}
}

// tooLong returns the error for a line longer than maxInputLine, or nil for any other line.
func tooLong(line []byte) error {
	if len(line) <= maxInputLine {
		return nil
	}
	return fmt.Errorf("line longer than %d bytes", maxInputLine)
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// wrongLine adds the position in the input to the error of a line: the position of the mistake if it is known,
// otherwise the start of the line.
func wrongLine(name string, number int, line []byte, err error) error {
	at := diag.Span{Src: &diag.Source{Name: inputName(name), Text: string(line), Before: number - 1}}
	var inText *asm.Error
	var inHex *diag.Error
	switch {
	case errors.As(err, &inText):
		at.Off = inText.Off
	case errors.As(err, &inHex):
		at.Off = inHex.Span.Off
	}
	return fmt.Errorf("%s: %w", at, err)
}
