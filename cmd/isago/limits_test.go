package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLimits checks that SECURITY.md lists each bound, and that the flags that set a bound exist.
func TestLimits(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range limits() {
		for _, l := range group.list {
			flag := ""
			if l.flag != "" {
				flag = "`" + l.flag + "`"
				verb, name, _ := strings.Cut(l.flag, " --")
				cmd, _, err := newRoot().Find([]string{verb})
				if err != nil || cmd.Flags().Lookup(name) == nil {
					t.Errorf("no flag %s: %v", l.flag, err)
				}
			}
			if row := "| **" + group.of + "**: " + l.what + " | " + l.bound + " | " + flag + " |"; !strings.Contains(string(page), row) {
				t.Errorf("SECURITY.md has no row\n%s", row)
			}
		}
	}
}

// TestLimitsAreConstants checks that no bound is a number in the text, which the code would not follow.
func TestLimitsAreConstants(t *testing.T) {
	source, err := os.ReadFile("limits.go")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\t*\{"[^"]*", (.*), "[^"]*"\},$`).FindAllStringSubmatch(string(source), -1)
	if len(rows) < 25 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		for _, literal := range regexp.MustCompile(`"[^"]*"`).FindAllString(row[1], -1) {
			if regexp.MustCompile(`[0-9]`).MatchString(literal) {
				t.Errorf("a number in %s", row[0])
			}
		}
	}
}

// TestLongInput checks that a file of inputs is refused by its length before it is kept.
func TestLongInput(t *testing.T) {
	var errs strings.Builder
	status := run([]string{"run", "../../examples/pica200/light.shbin", "--in", "-", "--in-format", "csv", "--in-limit", "20"}, strings.NewReader("position.x\n"+strings.Repeat("1\n", 100)), io.Discard, &errs)
	if want := "isago run: <stdin>: expected at most 20 bytes; --in-limit sets the limit\n"; status != exitMistake || errs.String() != want {
		t.Errorf("status %d, %q, expected %q", status, errs.String(), want)
	}
	if status := run([]string{"run", "../../examples/pica200/light.shbin", "--in", "-", "--in-format", "csv", "--in-limit", "13"}, strings.NewReader("position.x\n1\n"), io.Discard, &errs); status == exitMistake {
		t.Errorf("an input of as many bytes as allowed is refused: %s", errs.String())
	}
}

// Raw code that is too long for features to be looked for in its operands is counted in the report.
func TestSurveyOfLongRawCode(t *testing.T) {
	if testing.Short() {
		t.Skip("too long for short mode, in which the race detector runs")
	}
	const note = "Features of operands are not counted in 1 file of raw code because of the size"
	for size, want := range map[int]bool{largestProgram: false, largestProgram + 4: true} {
		var out, errs strings.Builder
		run([]string{"survey", "--isa", "pica200", "-"}, strings.NewReader(strings.Repeat("\x00", size)), &out, &errs)
		if strings.Contains(out.String(), note) != want {
			t.Errorf("%d bytes: %s%s", size, out.String(), errs.String())
		}
	}
}
