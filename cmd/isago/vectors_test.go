package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Each vector is a query of step, and the answer leads to the final state.
func TestVectorsAreQueries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	var out, errOut bytes.Buffer
	if status := run([]string{"vectors", "--isa", "example", "-o", dir}, strings.NewReader(""), &out, &errOut); status != exitOK {
		t.Fatalf("exit status %d, %s", status, &errOut)
	}
	data, err := os.ReadFile(filepath.Join(dir, "add.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Quirks  map[string]string
		Vectors []struct {
			Name           string
			Words          []string
			Quirks         map[string]string
			Initial, Final struct{ State map[string]any }
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var queries bytes.Buffer
	for _, v := range file.Vectors {
		quirks := file.Quirks
		if v.Quirks != nil {
			quirks = v.Quirks
		}
		line, err := json.Marshal(map[string]any{"isa": "example", "words": v.Words, "state": v.Initial.State, "steps": 1, "quirks": quirks, "read": []string{"r", "s", "last"}})
		if err != nil {
			t.Fatal(err)
		}
		queries.Write(append(line, '\n'))
	}
	out.Reset()
	if status := run([]string{"step", "-"}, &queries, &out, &errOut); status != exitOK {
		t.Fatalf("exit status %d, %s", status, &errOut)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(file.Vectors) || len(lines) == 0 {
		t.Fatalf("%d answers to %d vectors", len(lines), len(file.Vectors))
	}
	for i, v := range file.Vectors {
		var answer struct{ State map[string]any }
		if err := json.Unmarshal([]byte(lines[i]), &answer); err != nil {
			t.Fatal(err)
		}
		for name, want := range v.Final.State {
			numbers, file := want.(map[string]any)
			if !file {
				if !reflect.DeepEqual(answer.State[name], want) {
					t.Errorf("%s: %s is %v, expected %v", v.Name, name, answer.State[name], want)
				}
				continue
			}
			for n, value := range numbers {
				if got := answer.State[name].(map[string]any)[n]; !reflect.DeepEqual(got, value) {
					t.Errorf("%s: %s%s is %v, expected %v", v.Name, name, n, got, value)
				}
			}
		}
	}
}

// vectors replaces a folder that it has written, and no other.
func TestVectorsFolder(t *testing.T) {
	dir := t.TempDir()
	command := func(args ...string) (status int, errors string) {
		var out, errOut bytes.Buffer
		status = run(append([]string{"vectors", "--isa", "example", "--instruction", "add"}, args...), strings.NewReader(""), &out, &errOut)
		return status, errOut.String()
	}
	own := filepath.Join(dir, "own")
	for range 2 {
		if status, text := command("-o", own); status != exitOK {
			t.Fatalf("exit status %d, %s", status, text)
		}
	}
	kept := filepath.Join(dir, "kept.txt")
	if err := os.WriteFile(kept, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, text := command("-o", dir); status != exitUsage || !strings.Contains(text, "did not write") {
		t.Errorf("exit status %d, %s", status, text)
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "mine" {
		t.Error("a file of the user is lost")
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 2 {
		t.Errorf("%v, expected own and kept.txt", list)
	}
	for line, want := range map[string]string{
		"":                        "--output is missing",
		"-o D --format xml":       "unknown --format",
		"-o D --quirk a":          "expected NAME=VALUE",
		"-o D --quirk a=b":        `unknown quirk "a"`,
		"-o D --format 3ds":       "--format 3ds needs --isa pica200",
		"-o D --exact-nan":        "--exact-nan needs --check",
		"-o D --check f.json":     "--check cannot be combined with --output",
		"-o D --against f.json":   "--against needs --check",
		"-o D --instruction none": `unknown instruction`,
	} {
		args := strings.Fields(strings.ReplaceAll(line, " D", " "+filepath.Join(dir, "new")))
		if strings.Contains(line, "none") {
			var out, errOut bytes.Buffer
			if status := run([]string{"vectors", "--isa", "example", "--instruction", "none", "-o", filepath.Join(dir, "new")}, strings.NewReader(""), &out, &errOut); status != exitUsage || !strings.Contains(errOut.String(), want) {
				t.Errorf("%s: exit status %d, %s", line, status, &errOut)
			}
			continue
		}
		if strings.Contains(line, "--check") {
			var out, errOut bytes.Buffer
			if status := run(append([]string{"vectors"}, args...), strings.NewReader(""), &out, &errOut); status != exitUsage || !strings.Contains(errOut.String(), want) {
				t.Errorf("%s: exit status %d, %s", line, status, &errOut)
			}
			continue
		}
		if status, text := command(args...); status != exitUsage || !strings.Contains(text, want) {
			t.Errorf("%s: exit status %d, %s", line, status, text)
		}
	}
}
