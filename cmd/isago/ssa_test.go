package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSSAOfExamples specialises every bundled program, for whole waves and for waves of one lane. The loops of bitonic
// part in two ways that alternate, so its stack has no bound.
func TestSSAOfExamples(t *testing.T) {
	programs := 0
	for _, machine := range []string{"pica200", "tegra", "a2xx", "tesla"} {
		files, err := os.ReadDir(filepath.Join("..", "..", "examples", machine))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name := filepath.Join("..", "..", "examples", machine, f.Name())
			args := []string{"dis", "--ssa", name}
			switch ext := filepath.Ext(name); {
			case machine == "a2xx" && ext == ".bin":
				stage := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(name, ext)), ".")
				args = append(args, "--isa", machine, "--stage", stage)
			case ext != ".shbin" && ext != ".vp" && ext != ".cubin":
				continue
			}
			programs++
			for _, lanes := range [][]string{nil, {"--one-lane"}} {
				want := 0
				switch {
				case f.Name() == "bitonic.cubin" && lanes == nil:
					want = exitMistake
				case lanes != nil && (machine == "pica200" || machine == "tegra"):
					want = exitUsage
				}
				var stdout, stderr bytes.Buffer
				status := run(append(args, lanes...), strings.NewReader(""), &stdout, &stderr)
				if status != want || want == 0 && !strings.HasPrefix(stdout.String(), "b0()\n") {
					t.Errorf("%s %v: status %d, expected %d: %s", f.Name(), lanes, status, want, stderr.String())
				}
			}
		}
	}
	if programs < 20 {
		t.Errorf("%d programs", programs)
	}
}
