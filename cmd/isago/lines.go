package main

import (
	"bufio"
	"errors"
	"io"
)

// maxInputLine bounds a line of input; what is longer is answered with an error, and the next line
// is read.
const maxInputLine = 1 << 20

// eachLine calls f for every line of r, without its line end, in constant memory. f gets tooLong
// and no text for a line beyond the limit. The output is flushed when the input pauses, so that
// the command can be talked to through pipes.
func eachLine(r io.Reader, w *bufio.Writer, f func(line []byte, tooLong bool) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if len(long) <= maxInputLine {
				long = append(long, part...)
			}
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if len(line) > 0 {
			if e := f(trimEnd(line), len(line) > maxInputLine); e != nil {
				return e
			}
		}
		long = long[:0]
		if err == io.EOF {
			return w.Flush()
		}
		if in.Buffered() == 0 {
			if e := w.Flush(); e != nil {
				return e
			}
		}
	}
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
