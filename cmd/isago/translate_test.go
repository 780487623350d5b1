package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/xenostest"
)

// TestTranslateOpens translates programs in each format: each program of a file is an entry of the map. The expected programs are
// those that dis lists.
func TestTranslateOpens(t *testing.T) {
	files := placeFiles(t)
	var code []uint32
	data, err := os.ReadFile("../../examples/a2xx/choices.fs.bin")
	if err != nil {
		t.Fatal(err)
	}
	for ; len(data) >= 4; data = data[4:] {
		code = append(code, binary.LittleEndian.Uint32(data))
	}
	xenos := filepath.Join(t.TempDir(), "pixel.updb")
	if err := os.WriteFile(xenos, (&xenostest.Shader{Words: code}).File(), 0o666); err != nil {
		t.Fatal(err)
	}
	files[xenos] = nil
	programs := map[string]string{ // the stage or the machine, and the names, of the programs of a file
		"flow.shbin": "pica200", "light.shbin": "pica200", "skin.vp": "tegra", "bitonic.cubin": "tesla", "lights.vs.bin": "a2xx", "choices.fs.bin": "a2xx",
		"kernels.cub": "tesla first, tesla second", "capture.rd": "a2xx 0, a2xx 1", "raw.bin": "example", "pixel.updb": "a2xx",
	}
	for file, flags := range files {
		var out, errs bytes.Buffer
		status := run(append([]string{"translate", "--json", file}, flags...), strings.NewReader(""), &out, &errs)
		if status != exitOK && status != exitFindings {
			t.Errorf("%s: status %d: %s", file, status, &errs)
			continue
		}
		var all struct {
			Programs []struct {
				Machine, Program, Function, Text string
				Refused                          *refusal
			}
		}
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range all.Programs {
			got = append(got, strings.TrimSpace(p.Machine+" "+p.Program))
			if (p.Refused == nil) != (p.Function != "") || (p.Refused == nil) != (p.Text != "") {
				t.Errorf("%s: the program %s has neither a text nor a reason, or both", file, p.Program)
			}
		}
		if want := programs[filepath.Base(file)]; strings.Join(got, ", ") != want {
			t.Errorf("%s: programs %q, expected %q\n%s", file, got, want, &errs)
		}
	}
}

// TestTranslateStage translates the fragment program of a capture in its own stage, without a flag: its comments have exports of
// fragment programs, and it is the only program of its text.
func TestTranslateStage(t *testing.T) {
	capture := filepath.Join(t.TempDir(), "capture.rd")
	if err := os.WriteFile(capture, placeCapture(t, "../../examples/a2xx/lights.vs.bin", "../../examples/a2xx/choices.fs.bin"), 0o666); err != nil {
		t.Fatal(err)
	}
	text := func(args ...string) string {
		var out, errs bytes.Buffer
		if status := run(append([]string{"translate", "--name", "f"}, args...), strings.NewReader(""), &out, &errs); status != exitOK {
			t.Fatalf("%s: status %d: %s", args, status, &errs)
		}
		return out.String()
	}
	got, want := text(capture+":1"), text("--isa", "a2xx", "--stage", "fs", "../../examples/a2xx/choices.fs.bin")
	if got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

// TestTranslateJobs checks that the output does not depend on the number of processors, and that a cancelled run leaves no folder.
func TestTranslateJobs(t *testing.T) {
	dir := t.TempDir()
	var texts []string
	for _, jobs := range []int{1, 4} {
		var out, errs bytes.Buffer
		if status := run([]string{"translate", "--json", "-j", fmt.Sprint(jobs), "../../examples/pica200", "../../examples/tegra"}, strings.NewReader(""), &out, &errs); status != exitOK {
			t.Fatalf("status %d: %s", status, &errs)
		}
		texts = append(texts, out.String())
	}
	if texts[0] != texts[1] {
		t.Error("the output depends on the number of processors")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root := newRoot("translate")
	withContext(root, ctx)
	root.SetArgs([]string{"translate", "-o", filepath.Join(dir, "out"), "../../examples/pica200", "../../examples/tegra"})
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	if err := root.Execute(); err == nil {
		t.Error("the cancelled run succeeds")
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) > 0 {
		t.Errorf("left: %v, %v", slices.Collect(func(yield func(string) bool) {
			for _, e := range list {
				yield(e.Name())
			}
		}), err)
	}
}
