package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestKinds requires that the kind of a difference depends on what changed, not on numbers and names
// around it.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b edit
		same bool
	}{
		{"numbers", edit{"0010  add r1, r2", "0x10  add r1, r2"}, edit{"002c  exit", "0x2c  exit"}, true},
		{"labels", edit{"br l20", "br l14"}, edit{"br l8", "br lc"}, false}, // lc has no digit
		{"labels with digits", edit{"br l20", "br l14"}, edit{"br l36", "br la4"}, true},
		{"names of files", edit{"container:3:1: error: no end", "examples/a.vp:3:1: error: no end"},
			edit{"container:9:7: error: no end", "examples/tegra/b.vp:9:7: error: no end"}, true},
		{"quoted text", edit{`no register "x"`, `no register "x", expected r0`}, edit{`no register "yy"`, `no register "yy", expected r0`}, true},
		{"cited lines", edit{"", "   12 | add r0"}, edit{"", "    3 | mov r1, r2"}, true},
		{"carets", edit{"", "      | \t^^^"}, edit{"", "      |    ^"}, true},
		{"other words", edit{"is not a register", "is not a register"}, edit{"is not a label", "is not a number"}, false},
		{"the other way", edit{"a", "b"}, edit{"b", "a"}, false},
	} {
		if got := shapeOf("stdout", c.a) == shapeOf("stdout", c.b); got != c.same {
			t.Errorf("%s: one kind is %t: %q, %q", c.name, got, shapeOf("stdout", c.a), shapeOf("stdout", c.b))
		}
	}
	if e := (edit{"3", "4"}); shapeOf("stdout", e) == shapeOf("stdout", edit{"x", "y"}) || shapeOf("stdout", e) == shapeOf("stderr", e) {
		t.Error("numbers that differ are of the kind of other things")
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []edit
	}{
		{"equal", "a\nb\n", "a\nb\n", nil},
		{"a line", "a\nb\nc\n", "a\nB\nc\n", []edit{{"b", "B"}}},
		{"a new line", "a\nc\n", "a\nb\nc\n", []edit{{"", "b"}}},
		{"the last end of line", "a\n", "a", []edit{{"a", "a"}}},
		{"bytes", "\x00\x01\x02\x03\x04", "\x00\x01\x02\x03\x05", []edit{{"04", "05"}}},
	} {
		got := edits(c.old, c.new)
		if c.name == "the last end of line" {
			if len(got) != 1 {
				t.Errorf("%s: %q", c.name, got)
			}
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
	// A long JSON line is compared value by value.
	long := `{"a": 1,` + strings.Repeat(`"x": 2,`, 100) + `"b": 3}`
	if got := edits(long, strings.Replace(long, `"b": 3`, `"b": 4`, 1)); len(got) != 1 || got[0] != (edit{`"b": 3}`, `"b": 4}`}) {
		t.Errorf("a long line: %q", got)
	}
}

// TestRun compares two commands that differ in each stream: in lines, in whole outputs, and in calls
// made from earlier output.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	c := comparison{tree: dir, options: options{groups: regexp.MustCompile("^$")}}
	for i, script := range []string{
		"sed s/x/y/; [ $1 = status ] && exit 1; [ $1 = file ] && echo 1 >$2/f; [ $1 = error ] && echo bad >&2; exit 0",
		"sed s/x/z/; [ $1 = status ] && exit 3; [ $1 = file ] && echo 2 >$2/f; [ $1 = error ] && echo worse >&2; exit 0",
	} {
		c.sides[i] = filepath.Join(dir, []string{"old", "new"}[i])
		if err := os.Mkdir(c.sides[i], 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.sides[i], "isago"), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	calls := []call{
		{group: "lines", args: args("lines"), stdin: "a\nx 1\nb\nx 2\n", lines: true, then: func(printed string) []call {
			if printed != "a\ny 1\nb\ny 2\n" {
				t.Errorf("more calls follow from %q, expected what the old command printed", printed)
			}
			return []call{{group: "more", args: args("same"), stdin: "a\n"}}
		}},
		{group: "whole", args: args("status"), stdin: "a\n"},
		{group: "whole", args: args("file", out)},
		{group: "whole", args: args("error")},
		{group: "whole", args: args("same", out)},
	}
	if err := c.runCalls(context.Background(), calls); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if c.report.print(&b, 10, nil) {
		t.Error("differences are no differences")
	}
	for _, want := range []string{
		"lines       4     2       2       0       0      0",
		"more       1     1       0       0       0      0",
		"whole       4     1       0       1       1      1",
		"4 kinds of differences, 0 intended\n",
		"stdout, 2 lines in 2 inputs of lines\n  isago lines <<< x 1\n  - y 1\n  + z 1\n",
		"stderr, 1 lines in 1 inputs of whole\n  isago error\n  - bad\n  + worse\n",
		"status, 1 lines in 1 inputs of whole\n  isago status <<< \"a\\n\"\n  - exit status 1\n  + exit status 3\n",
		"files, 1 lines in 1 inputs of whole\n  isago file '$OUT' $OUT/f\n  - 1\n  + 2\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}

	// Listed kinds are intended, and a list allows only the kinds that it names.
	intended := map[string]string{}
	for _, k := range c.report.kinds {
		intended[k.id] = "a test"
	}
	if !c.report.print(&b, 10, intended) {
		t.Error("listed kinds are not intended")
	}
	for id := range intended {
		delete(intended, id)
		break
	}
	intended["00000000"] = "gone"
	b.Reset()
	if c.report.print(&b, 10, intended) || !strings.Contains(b.String(), "00000000 is listed as intended and does not occur") {
		t.Errorf("a kind that is not listed counts as intended, or a list is not checked:\n%s", b.String())
	}
}

func TestMeantNeedsReasons(t *testing.T) {
	file := filepath.Join(t.TempDir(), "intended.txt")
	if err := os.WriteFile(file, []byte("# addresses\n0123abcd\tnow in hexadecimal\n11111111\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readIntended(file); err == nil || !strings.Contains(err.Error(), `intended.txt:3: "11111111", expected ID<tab>REASON`) {
		t.Errorf("error %v", err)
	}
}

// TestInputs requires that each group has inputs, which are equal for equal seeds.
func TestInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("makes all inputs three times")
	}
	made := func(seed uint64) map[string][]call {
		tree := t.TempDir()
		entries, err := filepath.Glob("../../*")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			abs, err := filepath.Abs(e)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(abs, filepath.Join(tree, filepath.Base(e))); err != nil {
				t.Skip(err)
			}
		}
		c := comparison{tree: tree, options: options{seed: seed, words: 100, groups: regexp.MustCompile(".")}}
		calls, err := c.calls()
		if err != nil {
			t.Fatal(err)
		}
		byGroup := map[string][]call{}
		for _, x := range calls {
			x.then, x.session = nil, nil
			byGroup[x.group] = append(byGroup[x.group], x)
		}
		return byGroup
	}
	a, b, other := made(1), made(1), made(2)
	for _, g := range groups {
		if len(a[g.name]) == 0 {
			t.Errorf("%s has no inputs", g.name)
		}
		if !reflect.DeepEqual(a[g.name], b[g.name]) {
			t.Errorf("%s is not the same for the same seed", g.name)
		}
	}
	for _, name := range []string{"random words", "states", "damaged sources"} {
		if reflect.DeepEqual(a[name], other[name]) {
			t.Errorf("%s is the same for another seed", name)
		}
	}
}
