package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// argumentWords is the name of the input that consists of the words on the command line. No file can have this name.
const argumentWords = "\x00"

// argument is the name of the command line in errors.
const argument = "<argument>"

// looksLikeWords reports whether a text consists of hexadecimal numbers, with or without 0x, that are separated by
// blanks, commas, or the slashes before table entries.
func looksLikeWords(text string) bool {
	groups := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,/", r) })
	for _, g := range groups {
		digits, ok := strings.CutPrefix(g, "0x")
		if !ok {
			digits = strings.TrimPrefix(g, "0X")
		}
		if strings.Trim(digits, "0123456789abcdefABCDEF") != "" || digits == "" {
			return false
		}
	}
	return len(groups) > 0
}

// useWords treats the arguments as words of code if they look like words and no file has such a name. With --hex, the
// name of a file does not matter. The words are a program, as in a file of hexadecimal text. With --hex or table
// entries each argument is a line of --hex.
func (f *disFlags) useWords(cmd *cobra.Command, args []string) (ok bool, err error) {
	text := strings.Join(args, " ")
	if !looksLikeWords(text) {
		if len(args) > 1 && slices.Contains(args, "/") { // the slash before table entries, not the folder of all files
			return false, usagef("%q is not a word in hexadecimal with table entries", text)
		}
		return false, nil
	}
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil && !f.hex && strings.Trim(arg, "/") != "" {
			return false, nil
		}
	}
	switch {
	case !f.given() && f.hex:
		_, err := f.load(nil)
		return false, err
	case !f.given():
		return false, usagef("file %s does not exist, and hexadecimal words need a machine; choose one with --isa or --spec", text)
	case f.offset != 0 || f.length != 0:
		return false, usagef("--offset and --length select bytes of a file, but %s is given as words on the command line", text)
	case f.hex || strings.Contains(text, "/"):
		f.hex, text = true, hexLinesOf(args)
	default:
		f.asText = true
	}
	sessionOf(cmd).words = text
	return true, nil
}

// hexLinesOf returns a text with one line for each argument. An argument next to a slash continues the line before it,
// because the shell may have split a line at blanks.
func hexLinesOf(args []string) string {
	var text strings.Builder
	for i, arg := range args {
		if i > 0 && (strings.HasPrefix(arg, "/") || strings.HasSuffix(args[i-1], "/")) {
			text.WriteByte(' ')
		} else if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(arg)
	}
	return text.String()
}

// noWords returns the error for an argument that is neither a file nor words, or nil if the file exists.
func noWords(name string) error {
	_, err := os.Stat(name)
	var e *fs.PathError
	if name == "-" || !errors.As(err, &e) || !errors.Is(err, fs.ErrNotExist) {
		return nil // opening the file reports other mistakes
	}
	return &neitherError{&fs.PathError{Op: "open", Path: name, Err: e.Err}}
}

// neitherError is the error for an argument that is neither a file nor words.
type neitherError struct{ *fs.PathError }

func (e *neitherError) Error() string {
	return e.PathError.Error() + ", and the name is not a word in hexadecimal"
}
