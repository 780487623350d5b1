package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLint lints the programs of testdata/lint. A line states its expected findings after "want:".
func TestLint(t *testing.T) {
	files, err := filepath.Glob("testdata/lint/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want []finding
			for i, line := range strings.Split(string(text), "\n") {
				if _, codes, ok := strings.Cut(line, "want: "); ok {
					for _, code := range strings.Fields(codes) {
						want = append(want, finding{i + 1, code})
					}
				}
			}
			var out, errs bytes.Buffer
			if status := run([]string{"lint", "--json", name}, nil, &out, &errs); (status != 0) != (len(want) > 0) || errs.Len() > 0 {
				t.Fatalf("status %d, %s", status, errs.String())
			}
			var got []finding
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			order := func(a, b finding) int {
				if a.Line != b.Line {
					return a.Line - b.Line
				}
				return strings.Compare(a.Code, b.Code)
			}
			slices.SortFunc(got, order)
			slices.SortFunc(want, order)
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v\n%s", got, want, out.String())
			}
		})
	}
}

// finding is a finding of lint in a line.
type finding struct {
	Line int    `json:"line"`
	Code string `json:"code"`
}

// TestLintExamples holds that the programs of this repository have no warnings, except those that contain every instruction.
func TestLintExamples(t *testing.T) {
	const examples = "../../examples/"
	checked := 0
	for _, pattern := range []string{"pica200/*.pica", "pica200/*.shbin", "tegra/*.asm", "tegra/*.vp", "a2xx/*.a2xx", "a2xx/*.bin", "tesla/*.s", "tesla/*.cubin"} {
		files, err := filepath.Glob(examples + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			base := filepath.Base(name)
			if strings.HasPrefix(base, "every.") { // a list of instructions, which computes nothing
				continue
			}
			args := []string{"lint"}
			if strings.HasSuffix(base, ".bin") {
				args = append(args, "--isa", "a2xx", "--stage", strings.Split(base, ".")[1])
			}
			if base == "fade.s" { // a fragment program; no directive states it
				args = append(args, "--isa", "tesla", "--stage", "fp")
			}
			checked++
			var out, errs bytes.Buffer
			if status := run(append(args, name), nil, &out, &errs); status != exitOK {
				t.Errorf("%s: status %d\n%s%s", name, status, out.String(), errs.String())
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d programs, expected 30 at least", checked)
	}
}

// TestLintFollows counts the paths that are followed: each branch of a kernel may leave an entry on the stack, so that every
// further one doubles what can be on it.
func TestLintFollows(t *testing.T) {
	for n, want := range map[int]string{4: "", 48: "not-followed"} {
		var s strings.Builder
		s.WriteString("architecture {sm_11}\nabiversion {0}\nmodname {cubin}\ncode {\nname = k\nlmem = 0\nsmem = 16\nreg = 8\nbar = 0\nbincode {\n")
		for i := range n {
			fmt.Fprintf(&s, "(e $c0) bra a%d\nbreakaddr a%d\na%d: joinat a%d\n", i, i, i, i)
		}
		s.WriteString("exit nop\n}\n}\n")
		var out, errs bytes.Buffer
		run([]string{"lint", "--no-warn", "read-unwritten", "-"}, strings.NewReader(s.String()), &out, &errs)
		if errs.Len() > 0 || (want == "") != (out.Len() == 0) || !strings.Contains(out.String(), want) {
			t.Errorf("%d branches: %s%s, want %q", n, out.String(), errs.String(), want)
		}
	}
}
