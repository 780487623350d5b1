package main

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/isago/isago/diag"
)

// namesFlag names the file with the texts of fields of type custom.
type namesFlag struct {
	// read reads the file once. It is nil for a command without the flag.
	read func() (*customNames, error)
}

func (f *namesFlag) add(cmd *cobra.Command) {
	var file string
	cmd.Flags().StringVar(&file, "names", "", "read the texts of values of custom fields from `FILE`; each line is FIELD VALUE TEXT")
	_ = cmd.MarkFlagFilename("names")
	f.read = sync.OnceValues(func() (*customNames, error) {
		if file == "" {
			return nil, nil
		}
		return readNames(cmd, file)
	})
	cmd.PreRunE = func(*cobra.Command, []string) error { // report a mistake in the file even if the command prints no names
		_, err := f.read()
		return err
	}
}

// names returns the names in the file of --names, or nil without --names.
func (f *namesFlag) names() (*customNames, error) {
	if f.read == nil {
		return nil, nil
	}
	return f.read()
}

// printer returns the function that prints fields of type custom, or nil without --names.
func (f *namesFlag) printer() (func(dst []byte, field string, value uint64) []byte, error) {
	names, err := f.names()
	if names == nil || err != nil {
		return nil, err
	}
	return names.append, nil
}

// reader returns the function that parses fields of type custom, or nil without --names.
func (f *namesFlag) reader() (func(text []byte, field string) (uint64, int, bool), error) {
	names, err := f.names()
	if names == nil || err != nil {
		return nil, err
	}
	return names.parse, nil
}

// customNames are the texts of fields of type custom.
type customNames struct {
	texts map[customName]string
	// fields has the texts of each field, the longest first. White space between words is one blank.
	fields map[string][]customText
}

type customName struct {
	field string
	value uint64
}

type customText struct {
	text  string
	value uint64
}

// readNames reads lines of FIELD VALUE TEXT; # starts a comment line.
func readNames(cmd *cobra.Command, file string) (*customNames, error) {
	data, err := readAll(cmd, file)
	if err != nil {
		return nil, err
	}
	src := textOf(file, data)
	names := customNames{map[customName]string{}, map[string][]customText{}}
	var errs diag.List
	off := 0
	for line := range strings.Lines(src.Text) {
		at := diag.Span{Src: src, Off: off, End: off + len(strings.TrimRight(line, "\r\n"))}
		off += len(line)
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		field, rest, _ := strings.Cut(line, " ")
		number, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
		value, err := strconv.ParseUint(number, 0, 64)
		if err != nil {
			errs = append(errs, diag.Errorf(diag.TextExpected, at, "%q, expected FIELD VALUE TEXT, such as REG 0x1d @addr", line))
			continue
		}
		names.texts[customName{field, value}] = strings.TrimSpace(text)
	}
	names.index()
	return &names, errs.Err()
}

// index prepares the texts for parsing. If several values have the same text, parse returns the smallest value.
func (c *customNames) index() {
	for name, text := range c.texts {
		c.fields[name.field] = append(c.fields[name.field], customText{strings.Join(strings.Fields(text), " "), name.value})
	}
	for _, list := range c.fields {
		slices.SortFunc(list, func(a, b customText) int {
			return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.text, b.text), cmp.Compare(a.value, b.value))
		})
	}
}

// append appends the text of a value, or the value in hexadecimal if it has no text.
func (c *customNames) append(dst []byte, field string, value uint64) []byte {
	if text, ok := c.texts[customName{field, value}]; ok {
		return append(dst, text...)
	}
	return strconv.AppendUint(append(dst, "0x"...), value, 16)
}

// parse is the inverse of append. It returns the value of the longest text or number at the start of text, and the
// length n of that text or number.
func (c *customNames) parse(text []byte, field string) (value uint64, n int, ok bool) {
	if digits, hex := bytes.CutPrefix(text, []byte("0x")); hex {
		end := 0
		for end < len(digits) && end < 16 && strings.IndexByte("0123456789abcdefABCDEF", digits[end]) >= 0 {
			end++
		}
		if v, err := strconv.ParseUint(string(digits[:end]), 16, 64); err == nil {
			value, n, ok = v, len("0x")+end, true
		}
	}
	for _, t := range c.fields[field] {
		if len(t.text) < n {
			break
		}
		if bytes.HasPrefix(text, []byte(t.text)) {
			return t.value, len(t.text), true
		}
	}
	return value, n, ok
}
