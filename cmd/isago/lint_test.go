package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
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
// further one doubles what can be on it. lint follows them while it can track the newest entries.
func TestLintFollows(t *testing.T) {
	for n, want := range map[int]string{4: "", 48: "", 1024: "not-followed"} {
		var out, errs bytes.Buffer
		run([]string{"lint", "--no-warn", "read-unwritten", "-"}, strings.NewReader(branches(n)), &out, &errs)
		if errs.Len() > 0 || (want == "") != (out.Len() == 0) || !strings.Contains(out.String(), want) {
			t.Errorf("%d branches: %s%s, want %q", n, out.String(), errs.String(), want)
		}
	}
}

// branches returns the source of a kernel with n branches, each of which may leave an entry on the stack.
func branches(n int) string {
	var s strings.Builder
	s.WriteString("architecture {sm_11}\nabiversion {0}\nmodname {cubin}\ncode {\nname = k\nlmem = 0\nsmem = 16\nreg = 8\nbar = 0\nbincode {\n")
	for i := range n {
		fmt.Fprintf(&s, "(e $c0) bra a%d\nbreakaddr a%d\na%d: joinat a%d\n", i, i, i, i)
	}
	s.WriteString("exit nop\n}\n}\n")
	return s.String()
}

// TestLintLong holds that branches and joins do not multiply: a kernel with hundreds of them is followed.
func TestLintLong(t *testing.T) {
	for name, one := range map[string]string{
		"branch":           "set $c1 # g u32 $r0 $r0\n(e $c1) bra far%[1]d\nmov b32 $r1 0x2\n(e $c1) bra far%[1]d\nlong add b32 $r0 $r1 $r1\nfar%[1]d:\n",
		"branch, one flag": "set $c1 # g u32 $r0 $r0\n(e $c1) bra far%[1]d\nmov b32 $r1 0x2\nfar%[1]d:\nmov b32 $r0 $r0\n(e $c1) bra near%[1]d\nlong add b32 $r0 $r1 $r1\nnear%[1]d:\n",
		"join":             "set $c1 # g u32 $r0 $r0\njoinat both%[1]d\n(e $c1) bra both%[1]d\nmov b32 $r1 0x2\nlong add b32 $r0 $r1 $r1\nboth%[1]d:\njoin nop\n",
	} {
		var s strings.Builder
		s.WriteString("architecture {sm_11}\nabiversion {0}\nmodname {cubin}\ncode {\nname = k\nlmem = 0\nsmem = 16\nreg = 2\nbar = 0\nbincode {\n")
		for i := range 512 {
			fmt.Fprintf(&s, one, i)
		}
		s.WriteString("exit nop\n}\n}\n")
		var out, errs bytes.Buffer
		if status := run([]string{"lint", "-"}, strings.NewReader(s.String()), &out, &errs); status != exitOK {
			t.Errorf("%s: status %d: %s%s", name, status, out.String(), errs.String())
		}
	}
}

// TestLintConditions compares lint with a count of all cases: programs of ifs on booleans, in which a case is a value of each
// boolean. A register is reported if and only if some case reads it unwritten.
func TestLintConditions(t *testing.T) {
	const bools, registers = 4, 3
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 100 {
		var s strings.Builder
		s.WriteString(".in place v0\n.out o0 position\n.out o1 color\n")
		for b := range bools {
			fmt.Fprintf(&s, ".bool b%d\n", b)
		}
		s.WriteString(".proc main\n")
		line := strings.Count(s.String(), "\n")
		all := map[uint]bool{} // the cases that reach a line
		for c := range uint(1 << bools) {
			all[c] = true
		}
		var wrote [registers]map[uint]bool
		for r := range wrote {
			wrote[r] = map[uint]bool{}
		}
		want := map[int]bool{}
		var block func(cases map[uint]bool, depth int)
		emit := func(format string, args ...any) { line++; fmt.Fprintf(&s, format+"\n", args...) }
		block = func(cases map[uint]bool, depth int) {
			for range 1 + random.IntN(3) {
				r := random.IntN(registers)
				switch k := random.IntN(4); {
				case k == 0:
					emit("mov r%d, place", r)
					for c := range cases {
						wrote[r][c] = true
					}
				case k == 1:
					emit("add r%d, r%d, r%d", registers, r, registers)
					for c := range cases {
						want[line] = want[line] || !wrote[r][c]
					}
				case depth < 3:
					b := uint(random.IntN(bools))
					yes, no := map[uint]bool{}, map[uint]bool{}
					for c := range cases {
						if c>>b&1 != 0 {
							yes[c] = true
						} else {
							no[c] = true
						}
					}
					emit("ifu b%d", b)
					block(yes, depth+1)
					if random.IntN(2) == 0 {
						emit(".else")
						block(no, depth+1)
					}
					emit(".end")
				}
			}
			emit("nop")
		}
		emit("mov r%d, place", registers)
		block(all, 0)
		block(all, 0)
		fmt.Fprintf(&s, "mov o0, r%d\nmov o1, place\nend\n.end\n", registers)
		var out, errs bytes.Buffer
		run([]string{"lint", "--json", "-"}, strings.NewReader(s.String()), &out, &errs)
		var list []finding
		if err := json.Unmarshal(out.Bytes(), &list); err != nil {
			t.Fatal(err, errs.String(), s.String())
		}
		got := map[int]bool{}
		for _, f := range list {
			if f.Code == "read-unwritten" {
				got[f.Line] = true
				found++
			}
		}
		maps.DeleteFunc(want, func(_ int, is bool) bool { return !is })
		if !maps.Equal(got, want) {
			t.Errorf("got %v, want %v:\n%s", got, want, s.String())
		}
	}
	if found < 50 {
		t.Errorf("%d findings, want more", found)
	}
}

// TestLintJoinedStacks holds that lint reports no path that returns from a call to a place that did not call. So many stacks
// are possible that lint tracks only their newest entries, which are those of the calls in the procedure.
func TestLintJoinedStacks(t *testing.T) {
	var s strings.Builder
	s.WriteString("architecture {sm_11}\nabiversion {0}\nmodname {cubin}\ncode {\nname = k\nlmem = 0\nsmem = 16\nreg = 3\nbar = 0\nbincode {\nset $c0 # g u32 $r0 $r0\n")
	for i := range 48 {
		fmt.Fprintf(&s, "(e $c0) bra a%d\nbreakaddr a%d\na%d: joinat a%d\n", i, i, i, i)
	}
	s.WriteString("call f0\nlong mov b32 $r1 0x1\ncall f0\nst b32 g14[$r0] $r1\nexit nop\n")
	for i := range 6 {
		fmt.Fprintf(&s, "f%d: call f%d\nret\n", i, i+1)
	}
	s.WriteString("f6: mov b32 $r2 $r0\nret\n}\n}\n")
	var out, errs bytes.Buffer
	if status := run([]string{"lint", "-"}, strings.NewReader(s.String()), &out, &errs); status != exitOK {
		t.Errorf("status %d: %s%s", status, out.String(), errs.String())
	}
}
