package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A start is a small task whose time is mostly start-up. Allocation is most of that time, and is the same in each run.
type start struct {
	name string
	args []string
	// most is the limit of allocation in KiB, a third more than needed. A change that exceeds it loads, resolves or builds things that
	// the task does not need.
	most int
}

func starts(tb testing.TB) []start {
	examples := filepath.Join("..", "..", "examples")
	tiny := filepath.Join(tb.TempDir(), "tiny.pica")
	word := filepath.Join(tb.TempDir(), "word.hex")
	for name, text := range map[string]string{tiny: ".out o0 position\n.proc main\n mov r0, v0\n end\n.end\n", word: "10008404\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return []start{
		{"version", []string{"version"}, 15},
		{"dis Tesla word", []string{"dis", "--isa", "tesla", "--plain", "--hex", word}, 4900},
		{"dis A2XX", []string{"dis", "--isa", "a2xx", "--stage", "fs", filepath.Join(examples, "a2xx", "textures.fs.bin")}, 7400},
		{"dis PICA200", []string{"dis", filepath.Join(examples, "pica200", "light.shbin")}, 2100},
		{"asm PICA200", []string{"asm", tiny, "-o", "-"}, 1220},
		{"asm Tesla", []string{"asm", filepath.Join(examples, "tesla", "saxpy.cubin.s"), "-o", "-"}, 10300},
		{"run PICA200", []string{"run", filepath.Join(examples, "pica200", "light.shbin")}, 5900}, // a third more under the race detector, which empties pools
		{"explain Tegra", []string{"explain", "--isa", "tegra", "MADv"}, 4450},
	}
}

// allocating is the command that runs isago and prints how many bytes that allocated.
const allocating = "isago-allocating"

func printAllocated() {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status := run(os.Args[1:], os.Stdin, io.Discard, io.Discard)
	runtime.ReadMemStats(&after)
	fmt.Println(after.TotalAlloc - before.TotalAlloc)
	if status != exitFindings {
		os.Exit(status)
	}
}

func TestStartAllocates(t *testing.T) {
	for _, s := range starts(t) {
		out, err := exec.Command(allocating, s.args...).Output()
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d KiB", s.name, n>>10)
		if n>>10 > s.most {
			t.Errorf("%s allocates %d KiB, expected at most %d", s.name, n>>10, s.most)
		}
	}
}

// BenchmarkStart reports how long a process takes, of all its processors.
func BenchmarkStart(b *testing.B) {
	for _, s := range starts(b) {
		b.Run(s.name, func(b *testing.B) {
			var used time.Duration
			for b.Loop() {
				cmd := exec.Command("isago", s.args...)
				if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != exitFindings {
					b.Fatalf("%v: %s", err, out)
				}
				used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
