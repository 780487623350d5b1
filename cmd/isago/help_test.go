package main

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// helpOf is what isago prints of its help on a terminal of some columns.
func helpOf(t *testing.T, columns string, args ...string) string {
	t.Helper()
	t.Setenv("COLUMNS", columns)
	var out, errOut bytes.Buffer
	if status := run(args, strings.NewReader(""), &out, &errOut); status != exitOK {
		t.Fatalf("%v: exit status %d, %s", args, status, &errOut)
	}
	return out.String()
}

// The overview fits a screen, with a line for the prompt, and describes each command for programs.
func TestHelpFitsScreen(t *testing.T) {
	text := helpOf(t, "", "help")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 23 {
		t.Errorf("%d lines, expected at most 23", len(lines))
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns, expected at most 80: %s", len(line), line)
		}
	}
	for _, c := range newRoot().Commands() {
		if !slices.ContainsFunc(lines, func(line string) bool {
			fields := strings.Fields(line)
			if c.GroupID != "code" { // their names are in one line
				return fields[0] == "About:" && slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' }), c.Name())
			}
			return len(fields) > 2 && fields[0] == c.Name() && strings.HasSuffix(line, c.Short)
		}) {
			t.Errorf("no line of %s", c.Name())
		}
	}
	if again := helpOf(t, "", "--help"); again != text {
		t.Error("isago --help prints something else")
	}
}

// Help wraps at words: a line is longer than the terminal only if it is an example, or one word after the indentation.
func TestHelpWraps(t *testing.T) {
	var paths [][]string
	var collect func(c *cobra.Command)
	collect = func(c *cobra.Command) {
		if c.Name() != "completion" { // cobra has its text
			paths = append(paths, append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...))
			for _, below := range c.Commands() {
				collect(below)
			}
		}
	}
	collect(newRoot())
	for _, columns := range []int{40, 60, 80} {
		for _, path := range paths {
			text := helpOf(t, strconv.Itoa(columns), path...)
			if before, example, ok := strings.Cut(text, "\nExamples:\n"); ok {
				_, after, _ := strings.Cut(example, "\n\n")
				text = before + "\n" + after
			}
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\n")
				words := strings.Fields(line)
				if n := utf8.RuneCountInString(line); n > columns && len(words) > 1 && !strings.HasPrefix(words[0], "-") { // the name of a flag with its value
					t.Errorf("%v, %d columns: %d in %q", path, columns, n, line)
				}
			}
		}
	}
}

// Words are kept, in their order, however narrow the terminal is.
func TestHelpKeepsWords(t *testing.T) {
	for _, c := range newRoot().Commands() {
		wide, narrow := helpText{width: 100}, helpText{width: 40}
		wide.prose(c.Long)
		narrow.prose(c.Long)
		want := strings.Fields(c.Long)
		if !slices.Equal(strings.Fields(wide.text.String()), want) || !slices.Equal(strings.Fields(narrow.text.String()), want) {
			t.Errorf("%s: help has other words than its text", c.Name())
		}
	}
}
