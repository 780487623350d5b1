package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
	"github.com/isago/isago/view"
)

// location is the meaning of FILE[:MEMBER][@PLACE[+N]] or FILE:LINE on the command line: a file, a program in the file,
// an instruction, or a line of a source.
type location struct {
	file string
	// member is the name of a program, or "" if the location names none.
	member string
	// place is a label or an address, or "" if the location names none. plus is the number of instructions after the
	// place.
	place string
	plus  int
	// line is the number of a line, or 0 if the location names none.
	line int
}

// locationOf parses a location. The file is the longest prefix that names a file, so that file names may contain : and
// @, for example after a drive letter. ok is false if no prefix names a file.
func locationOf(text string) (l location, ok bool) {
	for i := len(text); i > 0; i-- {
		if i < len(text) && text[i] != ':' && text[i] != '@' || !isFile(text[:i]) {
			continue
		}
		if l, ok = locationIn(text[:i], text[i:]); ok {
			return l, true
		}
	}
	return location{}, false
}

// locationIn parses the text after the name of a file.
func locationIn(file, rest string) (l location, ok bool) {
	l.file = file
	if rest == "" {
		return l, true
	}
	m := restPattern().FindStringSubmatch(rest)
	if m == nil {
		return l, false
	}
	if l.member, l.place = m[1], m[2]; l.place == "" {
		if l.line, _ = strconv.Atoi(m[1]); lineNumber().MatchString(m[1]) { // at most 9 digits
			l.member = ""
		} else {
			l.line = 0
		}
	}
	l.plus, _ = strconv.Atoi(m[3]) // "" is 0
	return l, true
}

// restPattern matches the text after the name of a file: :MEMBER, @PLACE, @PLACE+N, or a member and a place. lineNumber
// matches the number of a line. A number before a place is the name of a program.
var (
	restPattern = lazy.Regexp(`^(?::([^@]+))?(?:@([^@+\s]+?)(?:\+(\d{1,9}))?)?$`)
	lineNumber  = lazy.Regexp(`^[1-9]\d{0,8}$`)
)

// missingFile returns the error for a location in a file that does not exist, or nil for any other text.
func missingFile(text string) error {
	m := missingPattern().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	_, err := os.Stat(m[1])
	return err
}

// missingPattern matches a text that can only be a location. Its group is the name of the file with its drive.
var missingPattern = lazy.Regexp(`^((?:[A-Za-z]:[\\/])?[^:@\s,]+)(?::\d{1,9}|(?::[^@\s]+)?@[^\s]+)$`)

// pick splits FILE[:MEMBER], the argument of a command that reads whole programs. It stores the member in f and returns
// the name of the file.
func (f *machineFlags) pick(argument string) (file string, err error) {
	f.member = ""
	at, ok := locationOf(argument)
	switch {
	case !ok:
		return argument, nil // opening it fails, and that error is reported
	case at.place != "":
		return "", usagef("%s is a place in a program, which only isago explain accepts; expected FILE or FILE:PROGRAM", argument)
	case at.line > 0:
		at.member = strconv.Itoa(at.line)
	}
	f.member = at.member
	return at.file, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// place draws an instruction of a program.
func (f *explainFlags) place(cmd *cobra.Command, at location) error {
	in, err := f.openPart(cmd, at.file)
	if err != nil {
		return err
	}
	defer in.Close()
	if in, err = f.rawCode(at.file, in); err != nil {
		return err
	}
	data, err := in.all()
	if err != nil {
		return err
	}
	l, err := f.listingFrom(at.file, data)
	if err != nil {
		return err
	}
	f.quirks = l.Image.Quirks
	found, err := l.Find(at.member, at.place, at.plus)
	var wrong *view.PlaceError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: %w; isago dis --addresses lists labels and addresses", at.file, err)
	case err != nil:
		return err
	case !found.Known:
		return unknownWord(found.Decoder.Set(), found.Decoder.Root(), found.Decoder.Conflict(), found.Word, found.Decoder.Root().MinSize)
	}
	return f.draw(cmd, found.Decoder, found.Inst)
}

// lineOrMember draws a line of a source. In a file that is not text, the number is the name of a program.
func (f *explainFlags) lineOrMember(cmd *cobra.Command, at location) error {
	in, err := f.openPart(cmd, at.file)
	if err != nil {
		return err
	}
	head, err := in.head()
	if err = errors.Join(err, in.Close()); err != nil {
		return err
	}
	if _, _, known := f.recognise(head); known && !isText(string(head)) {
		at.member, at.line = strconv.Itoa(at.line), 0
		return f.place(cmd, at)
	}
	return f.line(cmd, at.file, at.line)
}

// line draws the instructions of a line of a source. If the machine has a compiler, line compiles the whole source, so
// that the names and directives of the source apply.
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

// compiled returns the instructions to which the machine's compiler translates a line. It returns none if there is no
// compiler, if the compiler does not record the lines of instructions, or if the source has mistakes; the caller then
// parses the line separately.
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

// sourceLine returns the position of the instruction in a line of a source, without labels and comment.
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
	at := instructionIn(set, src, off, line)
	if at.Off == at.End {
		return diag.Span{}, usagef("line %d of %s has no instruction", number, name)
	}
	return at, nil
}

// instructionIn returns the position of the text between labels and comment in a line of a source. off is the offset of
// the line.
func instructionIn(set *isa.Set, src *diag.Source, off int, line string) diag.Span {
	line = strings.TrimRight(program.StripComment(line, program.Comment(set)), " \t\r\n")
	if at := labels().FindString(line); at != "" {
		off, line = off+len(at), line[len(at):]
	}
	trimmed := strings.TrimLeft(line, " \t")
	off += len(line) - len(trimmed)
	return diag.Span{Src: src, Off: off, End: off + len(trimmed)}
}

// labels matches the labels at the start of a line.
var labels = lazy.Regexp(`^\s*([A-Za-z_$.][\w$.]*:\s*)+`)
