package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// Outputs and inputs are compared in either order, and once more before an output is renamed.
func TestFilesInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	name := func(base string) string { return filepath.Join(dir, base) }
	write := func(base string) {
		if err := os.WriteFile(name(base), []byte("kept"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(err error) {
		t.Helper()
		var usage *usageError
		var e *diag.Error
		if !errors.As(err, &usage) || !errors.As(err, &e) || e.Code != diag.OutputTaken {
			t.Errorf("%v, expected %s as a mistake on the command line", err, diag.OutputTaken)
		}
	}
	root := newRoot("version")
	root.SetOut(new(bytes.Buffer))

	write("old")
	out, err := create(root, name("old"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(root, name("old"))
	refused(err)
	if err := out.done(nil); err != nil {
		t.Fatal(err)
	}
	_, err = open(root, name("old"))
	refused(err)

	out, err = create(root, name("new"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = create(root, dir+string(filepath.Separator)+"."+string(filepath.Separator)+"new")
	refused(err)
	write("new")
	in, err := open(root, name("new"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out.WriteString("lost")
	refused(out.done(nil))
	if data, err := os.ReadFile(name("new")); err != nil || string(data) != "kept" {
		t.Errorf("the file has %q, %v", data, err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("the folder has %v", list)
	}
}

// Inputs are opened in one place, which records them. gen reads the files that it is about to write.
func TestInputsAreRecorded(t *testing.T) {
	list, err := filepath.Glob("*.go")
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	for _, name := range list {
		if strings.HasSuffix(name, "_test.go") || name == "files.go" || name == "gen.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"os.Open(", "os.ReadFile(", "os.DirFS("} {
			if bytes.Contains(text, []byte(call)) {
				t.Errorf("%s calls %s), expected the open of files", name, call)
			}
		}
	}
}

// A file is compared only with files that could be the same, however many a run has.
func TestFilesAreFound(t *testing.T) {
	dir := t.TempDir()
	var f files
	for i := range 50 {
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(f.reads(name, info), f.mayWrite(name+".out"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.writes(name+".out", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+".new", nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := f.rename(name+".new", name+".out", out); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("files have no identity that is known")
	}
	for _, u := range []usedFiles{f.inputs, f.outputs} {
		files := 0
		for key, list := range u {
			if files += len(list); len(list) > 1 {
				t.Errorf("%v: %d files", key, len(list))
			}
		}
		if files != 50 {
			t.Errorf("%d files, expected 50", files)
		}
	}
}
