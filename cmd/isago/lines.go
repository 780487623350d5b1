package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxInputLine bounds a line of input; what is longer is answered with an error, and the next line
// is read.
const maxInputLine = 1 << 20

// eachLine calls f for every line of r, without its line end, in constant memory, and writes what f
// appends as one line. The output is flushed when the input pauses, so that the command can be
// talked to through pipes. An error in reading comes back when all lines before it are answered.
func eachLine(r io.Reader, w *bufio.Writer, f func(dst, line []byte) []byte) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long, answer []byte
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(long) <= maxInputLine {
				long = append(long, line...)
			}
			continue
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if len(line) > 0 {
			answer = f(answer[:0], trimEnd(line))
			if _, e := w.Write(append(answer, '\n')); e != nil {
				return e
			}
		}
		long = long[:0]
		if err != nil || in.Buffered() == 0 {
			if e := w.Flush(); e != nil {
				return e
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// tooLong is the error for a line beyond the limit, of which the end is lost.
func tooLong(line []byte) error {
	if len(line) <= maxInputLine {
		return nil
	}
	return fmt.Errorf("line of more than %d bytes", maxInputLine)
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

// appendError appends the answer to a line that cannot be mapped.
func appendError(dst []byte, err error) []byte { return fmt.Appendf(dst, "error: %v", err) }
