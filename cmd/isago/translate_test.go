package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
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

// TestTranslateHLSL translates a kernel to HLSL: the map has the names and registers of the text. Without spirv-cross, there is an
// error.
func TestTranslateHLSL(t *testing.T) {
	args := []string{"translate", "--to", "hlsl", "--json", "--block", "64", "--set", "1", "../../examples/tesla/vecadd.cubin"}
	var out, errs bytes.Buffer
	if _, err := exec.LookPath("spirv-cross"); err != nil {
		t.Log("SKIPPED: spirv-cross is not installed, so no HLSL is tested (apt-get install spirv-cross)")
	} else {
		if status := run(args, strings.NewReader(""), &out, &errs); status != exitOK {
			t.Fatalf("status %d: %s", status, &errs)
		}
		var all struct {
			Programs []struct {
				Text    string
				Block   [3]int
				Buffers []struct {
					Name         string
					Set, Binding int
					Uniform      bool
				}
			}
		}
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		p := all.Programs[0]
		want := []string{"[numthreads(64, 1, 1)]", " for shader model 5.1. Its bits were not compared", "// The host writes the number of workgroups into the cbuffer SPIRV_Cross_NumWorkgroups.\n"}
		for _, b := range p.Buffers {
			if b.Uniform {
				want = append(want, fmt.Sprintf("register(b%d, space%d)\n{\n    uint4 %s[1] : packoffset(c0);", b.Binding, b.Set, b.Name))
			} else {
				want = append(want, fmt.Sprintf("RWByteAddressBuffer %s : register(u%d, space%d);", b.Name, b.Binding, b.Set))
			}
		}
		for _, w := range want {
			if !strings.Contains(p.Text, w) {
				t.Errorf("no %q in\n%s", w, p.Text)
			}
		}
		if len(p.Buffers) != 2 {
			t.Errorf("%d buffers", len(p.Buffers))
		}
	}
	t.Setenv("PATH", "")
	errs.Reset()
	want := "isago translate: --to hlsl needs the program spirv-cross, which is not in PATH: install it, for example the package spirv-cross of Debian\n"
	if status := run(args, strings.NewReader(""), &out, &errs); status != exitMistake || errs.String() != want {
		t.Errorf("status %d: %s", status, &errs)
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
