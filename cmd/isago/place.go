package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// placePattern is FILE@LABEL, FILE@ADDRESS, and either with +N; linePattern is FILE:LINE.
var (
	placePattern = lazy.Regexp(`^(.+)@([^@+\s]+?)(?:\+(\d{1,9}))?$`)
	linePattern  = lazy.Regexp(`^(.+):(\d{1,9})$`)
)

// place is an instruction of a program: so many behind a label or an address.
type place struct {
	label string
	plus  int
}

// placeIn reads FILE@PLACE, where there is such a file.
func placeIn(text string) (name string, p place, ok bool) {
	m := placePattern().FindStringSubmatch(text)
	if m == nil || !isFile(m[1]) {
		return "", place{}, false
	}
	plus, _ := strconv.Atoi(m[3]) // "" is 0
	return m[1], place{m[2], plus}, true
}

// lineIn reads FILE:LINE, where there is such a file.
func lineIn(text string) (name string, line int, ok bool) {
	m := linePattern().FindStringSubmatch(text)
	if m == nil || !isFile(m[1]) {
		return "", 0, false
	}
	line, _ = strconv.Atoi(m[2]) // digits
	return m[1], line, true
}

// missingFile is the error of a FILE@PLACE or FILE:LINE where there is no such file, nil of other texts.
func missingFile(text string) error {
	for _, pattern := range []*regexp.Regexp{placePattern(), linePattern()} {
		if m := pattern.FindStringSubmatch(text); m != nil && !strings.ContainsAny(m[1], " \t,") {
			_, err := os.Stat(m[1])
			return err
		}
	}
	return nil
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

// line draws what stands in a line of a source. Where a compiler reads the source, its names and directives count.
func (f *explainFlags) line(cmd *cobra.Command, name string, number int) error {
	src, err := readSource(cmd, name)
	if err != nil {
		return err
	}
	if m, ok := catalog.RecogniseSource(src); ok && !f.given() {
		f.isa = m.Name
	}
	if found := f.compiled(src, number); len(found) > 0 {
		for _, x := range found {
			if err := f.draw(cmd, x.Decoder, x.Inst); err != nil {
				return err
			}
		}
		return nil
	}
	line, err := f.sourceLine(src, name, number)
	if err != nil {
		return err
	}
	return f.explain(cmd, src.Text[line.Off:line.End], line)
}

// compiled returns the instructions that the machine's compiler makes of a line; none where there is no compiler, it
// does not say where instructions come from, or the source has mistakes: then the line has to speak for itself.
func (f *explainFlags) compiled(src *diag.Source, number int) (found []view.Decoded) {
	out, ok, err := f.compileSource(src)
	if err != nil || !ok {
		return nil
	}
	here := map[int64]bool{}
	for _, p := range out.Places {
		first, _ := p.Span.LineCol()
		if last := first + strings.Count(p.Span.Src.Text[p.Span.Off:p.Span.End], "\n"); first <= number && number <= last {
			here[p.Addr] = true
		}
	}
	l, err := f.listingFrom(src.Name, out.Bytes)
	if err != nil || len(here) == 0 {
		return nil
	}
	l.Each(func(x view.Decoded) bool {
		if here[x.Addr] && x.Known {
			found = append(found, x)
		}
		return true
	})
	return found
}

// sourceLine returns the place of the instruction in a line of a source, without labels and comment.
func (f *explainFlags) sourceLine(src *diag.Source, name string, number int) (diag.Span, error) {
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
	if at := labels().FindString(line); at != "" {
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
var labels = lazy.Regexp(`^\s*([A-Za-z_$.][\w$.]*:\s*)+`)
