package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// placePattern is FILE@LABEL, FILE@ADDRESS, and either with +N; linePattern is FILE:LINE.
var (
	placePattern = regexp.MustCompile(`^(.+)@([^@+\s]+?)(?:\+(\d{1,9}))?$`)
	linePattern  = regexp.MustCompile(`^(.+):(\d{1,9})$`)
)

// place is an instruction of a program: so many behind a label or an address.
type place struct {
	label string
	plus  int
}

// placeIn reads FILE@PLACE, where there is such a file.
func placeIn(text string) (name string, p place, ok bool) {
	m := placePattern.FindStringSubmatch(text)
	if m == nil || !isFile(m[1]) {
		return "", place{}, false
	}
	plus, _ := strconv.Atoi(m[3]) // "" is 0
	return m[1], place{m[2], plus}, true
}

// lineIn reads FILE:LINE, where there is such a file.
func lineIn(text string) (name string, line int, ok bool) {
	m := linePattern.FindStringSubmatch(text)
	if m == nil || !isFile(m[1]) {
		return "", 0, false
	}
	line, _ = strconv.Atoi(m[2]) // digits
	return m[1], line, true
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// place draws an instruction of a program.
func (f *explainFlags) place(cmd *cobra.Command, name string, p place) error {
	data, err := readAll(cmd, name)
	if err != nil {
		return err
	}
	l, err := f.listingFrom(name, data)
	if err != nil {
		return err
	}
	at, ok := l.Place(p.label)
	if !ok {
		return fmt.Errorf("%s has no label %s, and no instruction at such an address; isago dis --addresses shows both", name, p.label)
	}
	found, left := view.Decoded{}, p.plus
	l.Each(func(x view.Decoded) bool {
		if x.Addr < at {
			return true
		}
		found = x
		left--
		return left >= 0
	})
	switch {
	case left >= 0 || found.Decoder == nil:
		return fmt.Errorf("%s ends before the instruction %d behind %s", name, p.plus, p.label)
	case !found.Known:
		return unknownWord(found.Decoder.Set(), found.Decoder.Root(), found.Decoder.Conflict(), found.Word, found.Decoder.Root().MinSize)
	}
	return f.draw(cmd, found.Decoder, found.Inst)
}

// sourceLine returns the place of the instruction in a line of a source, without labels and comment.
func (f *explainFlags) sourceLine(cmd *cobra.Command, name string, number int) (diag.Span, error) {
	src, err := readSource(cmd, name)
	if err != nil {
		return diag.Span{}, err
	}
	if !f.given() {
		if m, ok := catalog.RecogniseSource(src); ok {
			f.isa = m.Name
		}
	}
	set, err := f.load(nil)
	if err != nil {
		return diag.Span{}, err
	}
	off := 0
	for range number - 1 {
		next := strings.IndexByte(src.Text[off:], '\n')
		if next < 0 {
			return diag.Span{}, usagef("%s has fewer than %d lines", name, number)
		}
		off += next + 1
	}
	line, _, _ := strings.Cut(src.Text[off:], "\n")
	line = strings.TrimRight(program.StripComment(line, program.Comment(set)), " \t\r")
	if at := labels.FindString(line); at != "" {
		off, line = off+len(at), line[len(at):]
	}
	trimmed := strings.TrimLeft(line, " \t")
	off += len(line) - len(trimmed)
	if trimmed == "" {
		return diag.Span{}, usagef("line %d of %s has no instruction", number, name)
	}
	return diag.Span{Src: src, Off: off, End: off + len(trimmed)}, nil
}

// labels are those at the start of a line.
var labels = regexp.MustCompile(`^\s*([A-Za-z_$.][\w$.]*:\s*)+`)
