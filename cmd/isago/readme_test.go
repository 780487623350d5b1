package main

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var readmeCommand = regexp.MustCompile(`^    \$ go run \./cmd/isago (.*)$`)

// TestReadme runs the commands that the README shows and compares what it says they print: every
// line of the README stands in the output, in that order; "..." stands for lines left out.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	lines := strings.Split(string(data), "\n")
	commands := 0
	for i := 0; i < len(lines); i++ {
		m := readmeCommand.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		commands++
		var out, errOut bytes.Buffer
		if status := run(words(t, m[1]), strings.NewReader(""), &out, &errOut); status != 0 {
			t.Errorf("%s: status %d, %s", m[1], status, errOut.String())
			continue
		}
		rest := out.String()
		for i++; i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "    ")); i++ {
			want := strings.TrimPrefix(lines[i], "    ")
			if want == "" || strings.TrimSpace(want) == "..." {
				continue
			}
			_, after, ok := strings.Cut("\n"+rest, "\n"+want+"\n")
			if !ok {
				t.Errorf("%s does not print, in this place, %q", m[1], want)
				continue
			}
			rest = after
		}
	}
	if commands < 2 {
		t.Errorf("the README shows %d commands of isago, expected a listing and an explanation", commands)
	}
}

// words splits a command line at blanks; double quotes hold words together.
func words(t *testing.T, line string) []string {
	t.Helper()
	var list []string
	for _, part := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		if unquoted, err := strconv.Unquote(part); err == nil {
			part = unquoted
		}
		list = append(list, part)
	}
	return list
}
