package main

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// outputKinds are commands that write each kind of output; OUT is replaced by the name of the output.
var outputKinds = []struct {
	args string
	// over is set where the command writes over a file that it did not make.
	over bool
}{
	{"asm -o OUT light.pica", true},
	{"asm -o OUT --header OUT.h light.pica", true},
	{"run light.shbin --count 20000 --format csv -o OUT", true},
	{"run light.shbin --count 20000 --format json -o OUT", true},
	{"run light.shbin --count 20000 --format raw -o OUT", true},
	{"run light.shbin --mesh knot.obj --size 200x200 --png OUT --set projection=1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1", true},
	{"gen c --isa example -o OUT", false},
	{"gen go --isa example -o OUT", false},
	{"new OUT", false},
	{"man OUT", true},
}

// commandOf returns the command of a kind of output, in a folder with the examples that it reads.
func commandOf(args, dir, out string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Args = append([]string{"isago"}, strings.Fields(strings.ReplaceAll(args, "OUT", out))...)
	return cmd
}

// exampleFolder returns a folder with some examples.
func exampleFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"pica200/light.pica", "pica200/light.shbin", "knot.obj"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", filepath.FromSlash(name)))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// written returns the files of a folder whose names start with out or are in a folder of that name.
func written(t *testing.T, dir, out string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(name, out) || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[strings.TrimPrefix(name, out)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestKilled kills commands at any time while they write: a file has what it had before, or all that it is to have.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("too long for short mode, in which the race detector runs")
	}
	dir := exampleFolder(t)
	for _, kind := range outputKinds {
		start := time.Now()
		whole := commandOf(kind.args, dir, "whole")
		if text, err := whole.CombinedOutput(); err != nil && whole.ProcessState.ExitCode() != exitFindings {
			t.Fatalf("%s: %v\n%s", kind.args, err, text)
		}
		took := time.Since(start)
		want := written(t, dir, "whole")
		if len(want) == 0 {
			t.Fatalf("%s writes nothing", kind.args)
		}
		for range 6 {
			const old = "what was there"
			if kind.over {
				for name := range want {
					if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, "part"+name)), 0o777); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, "part"+name), []byte(old), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			cmd := commandOf(kind.args, dir, "part")
			cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rand.Int64N(int64(took) + 1)))
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			for name, text := range written(t, dir, "part") {
				if text != want[name] && text != strings.ReplaceAll(want[name], "whole", "part") && (text != old || !kind.over) {
					t.Errorf("%s: part%s has %d bytes, want all %d or none", kind.args, name, len(text), len(want[name]))
				}
			}
			remove(t, dir, "part")
		}
		remove(t, dir, "whole")
	}
}

// remove removes the outputs in a folder whose names start with out, and their unfinished files.
func remove(t *testing.T, dir, out string) {
	t.Helper()
	for _, pattern := range []string{out + "*", "." + out + "*"} {
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range list {
			err = errors.Join(err, os.RemoveAll(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnwritable writes where nothing can be written, into a folder that is read-only and below a file: an error names the
// place, and nothing is left.
func TestUnwritable(t *testing.T) {
	dir := exampleFolder(t)
	places := []string{"light.pica"}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(locked, "try")); err != nil { // root may write there
		places = append(places, "locked")
	} else if err := errors.Join(f.Close(), os.RemoveAll(locked)); err != nil {
		t.Fatal(err)
	}
	before := written(t, dir, "")
	for _, place := range places {
		for _, kind := range outputKinds {
			text, err := commandOf(kind.args, dir, place+"/out").CombinedOutput()
			if err == nil || !strings.Contains(string(text), place) || strings.Contains(string(text), "panic") {
				t.Errorf("%s into %s: %v\n%s", kind.args, place, err, text)
			}
			if after := written(t, dir, ""); !maps.Equal(before, after) {
				t.Errorf("%s into %s leaves %d files, want %d", kind.args, place, len(after), len(before))
			}
		}
	}
}
