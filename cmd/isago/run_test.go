package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/feed"
)

// liveHeap returns the number of bytes of the heap that are in use.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watched is an output that calls enough after so many bytes. It keeps the first of them, and what of the heap was in use then.
type watched struct {
	bytes.Buffer
	left   int
	enough func()
	heap   int64
}

func (w *watched) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 && w.heap == 0 {
		w.heap = liveHeap()
		w.enough()
	}
	if w.Len() < 1<<16 {
		w.Buffer.Write(p)
	}
	return len(p), nil
}

// The largest number of vertices starts like a small one, in little memory, in each format, and ends with an interrupt.
func TestVerticesWithoutEnd(t *testing.T) {
	pica := filepath.Join("..", "..", "examples", "pica200")
	for _, program := range [][]string{
		{filepath.Join(pica, "light.shbin"), "--set", "position=1,2,3,1"},
		{filepath.Join(pica, "points.shbin")},
		{"--isa", "pica200", "--raw", filepath.Join(pica, "light.shbin"), "--read", "o0"},
		{"--isa", "a2xx", "--stage", "vs", filepath.Join("..", "..", "examples", "a2xx", "light.vs.bin")},
	} {
		for i, format := range []string{"csv", "json", "raw", "table"} {
			if testing.Short() && i > 0 {
				break
			}
			args := append([]string{"run", "--format", format}, program...)
			var few bytes.Buffer
			run(append(args, "--count", "3"), nil, &few, io.Discard)
			ctx, cancel := context.WithCancel(t.Context())
			out := &watched{left: 1 << 22, enough: cancel}
			before := liveHeap()
			var errs strings.Builder
			status := runUntil(ctx, append(args, "--count", fmt.Sprint(math.MaxInt)), nil, out, &errs)
			if want := "isago run: " + interrupted + "\n"; status != exitStopped || errs.String() != want {
				t.Errorf("%q: status %d, %s", args, status, errs.String())
			}
			if grown := out.heap - before; grown > 128<<20 { // a part of a table has a million cells
				t.Errorf("%q: %d MB", args, grown>>20)
			}
			begins := strings.TrimSuffix(few.String(), "\n]\n")
			if format == "table" { // its columns are wider
				begins, _, _ = strings.Cut(begins, " ")
			}
			if few.Len() == 0 || !strings.HasPrefix(out.String(), begins) {
				t.Errorf("%q: many begin %.200q, and a few %.200q", args, out.String(), few.String())
			}
			cancel()
		}
	}
}

// A table that is too long to be laid out at once comes in parts, each with its heading, without a row lost.
func TestLongTable(t *testing.T) {
	var out bytes.Buffer
	const vertices = 2*feed.MaxCells/11 + 10 // there are 11 cells in a row: three parts
	run([]string{"run", filepath.Join("..", "..", "examples", "pica200", "light.shbin"), "--count", fmt.Sprint(vertices)}, nil, &out, io.Discard)
	headings, next, after := 0, [2]int{}, 0
	for line := range strings.Lines(out.String()) {
		switch cells := strings.Fields(line); {
		case len(cells) == 0:
		case cells[0] == "vertex": // the columns go on below the first ones
			after = map[bool]int{true: 0, false: 1}[strings.HasPrefix(cells[1], "position")]
			headings++
		case cells[0] != fmt.Sprint(next[after]):
			t.Fatalf("row %s follows row %d", cells[0], next[after]-1)
		default:
			next[after]++
		}
	}
	if headings != 2*3 || next != [2]int{vertices, vertices} {
		t.Errorf("%d headings and %d rows, want 6 and %d", headings, next, vertices)
	}
}

// A table without columns has a row for each vertex, also of a run that hands it over in parts.
func TestTableWithoutColumns(t *testing.T) {
	var out bytes.Buffer
	run([]string{"run", "--isa", "example", "--count", "1000", "-"}, strings.NewReader("\x00\x00"), &out, io.Discard)
	if n := strings.Count(out.String(), "\n"); n != 1001 || !strings.HasPrefix(out.String(), "vertex\n0\n1\n") {
		t.Errorf("%d lines, expected a heading and 1000 rows: %.50q", n, out.String())
	}
}

// A run that is interrupted leaves the file as it was that it was to write, and nothing next to it.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	program, err := filepath.Abs(filepath.Join("..", "..", "examples", "pica200", "light.shbin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range []string{"", "what was there"} {
		dir := t.TempDir()
		file := filepath.Join(dir, "out.csv")
		if old != "" {
			if err := os.WriteFile(file, []byte(old), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(os.Args[0])
		cmd.Args = []string{"isago", "run", program, "--count", fmt.Sprint(math.MaxInt), "--format", "csv", "-o", file}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for writes := false; !writes; time.Sleep(time.Millisecond) {
			list, err := filepath.Glob(filepath.Join(dir, ".out.csv.*"))
			if err != nil {
				t.Fatal(err)
			}
			writes = len(list) > 0
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != exitStopped || !strings.HasSuffix(errs.String(), interrupted+"\n") {
			t.Errorf("status %d, %s", status, errs.String())
		}
		list, err := os.ReadDir(dir)
		if err != nil || len(list) > 1 || len(list) > 0 && list[0].Name() != "out.csv" {
			t.Errorf("the folder has %v, %v", list, err)
		}
		if got, _ := os.ReadFile(file); string(got) != old {
			t.Errorf("the file has %.50q, want %q", got, old)
		}
	}
}

// Every command that may last long reacts to an interrupt and reports it.
func TestInterruptedCommands(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	words := strings.Repeat("\x00", 1<<16)
	for _, args := range [][]string{
		{"run", filepath.Join("..", "..", "examples", "pica200", "light.shbin")},
		{"run", filepath.Join("..", "..", "examples", "tesla", "reduce.cubin"), "--params", "", "--grid", "9"},
		{"run", "--demo"},
		{"dis", "--isa", "pica200", "--raw", "-"},
		{"dis", "--isa", "pica200", "--raw", "--plain", "-"},
		{"dis", "--isa", "pica200", "--hex", "-"},
		{"asm", "--isa", "pica200", "--plain", "--hex", "-"},
		{"step", "--isa", "pica200"},
		{"gen", "c", "--isa", "example", "-o", t.TempDir()},
		{"gen", "go", "--isa", "example", "-o", t.TempDir()},
		{"survey", "--isa", "pica200", "--raw", "-"},
		{"survey", "--isa", "tesla", "--raw", "-"},
	} {
		var errs strings.Builder
		if status := runUntil(ctx, args, strings.NewReader(words), io.Discard, &errs); status != exitStopped || !strings.HasSuffix(errs.String(), ": "+interrupted+"\n") {
			t.Errorf("%q: status %d, %s", args, status, errs.String())
		}
	}
}

// A line of step with the largest budget ends with an interrupt.
func TestInterruptedStep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	var word, out, errs strings.Builder
	if status := run([]string{"asm", "--isa", "example", "--plain", "--hex", "-"}, strings.NewReader("br 0\n"), &word, &errs); status != exitOK {
		t.Fatal(errs.String())
	}
	line := fmt.Sprintf(`{"words": ["%s"], "steps": %d}`, strings.TrimSpace(word.String()), int64(math.MaxInt64))
	if status := runUntil(ctx, []string{"step", "--isa", "example"}, strings.NewReader(line), &out, &errs); status != exitStopped || out.Len() > 0 {
		t.Errorf("status %d, %s, %s", status, out.String(), errs.String())
	}
}

// What keeps all its outputs refuses more than it can keep, before it runs, and a spent budget names the flag that is its bound.
func TestBoundsOfRuns(t *testing.T) {
	examples := filepath.Join("..", "..", "examples")
	endless := filepath.Join(t.TempDir(), "endless.s")
	if err := os.WriteFile(endless, []byte("architecture {sm_13}\ncode {\n\tname = k\n\treg = 8\n\tsmem = 64\n\tbincode {\nl: bra l\n\t}\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if strconv.IntSize < 64 {
		t.Skip("the threads of the largest grid cannot be counted")
	}
	largest := []string{endless, "--params", "", "--grid", "65535,65535", "--block", "512"}
	for _, row := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{filepath.Join(examples, "pica200", "light.shbin"), "--mesh", filepath.Join(examples, "knot.obj"), "--png", filepath.Join(t.TempDir(), "p.png"), "--count", "2000000000"},
			exitUsage, "--count 2000000000, expected at most 1261, the vertices of the mesh"},
		{[]string{"--isa", "a2xx", "--stage", "vs", filepath.Join(examples, "a2xx", "light.vs.bin"), "--fragment", filepath.Join(examples, "a2xx", "textures.fs.bin"), "--size", "4x4", "--count", "2000000000"},
			exitUsage, "the picture has 2000000000 vertices, expected at most 4194304"},
		{[]string{"--isa", "tesla", "--stage", "gp", "--raw", "-", "--count", "2000000000"},
			exitUsage, "2000000000 primitives, expected at most 1048576"},
		{append(largest, "--grid-budget", "1000"), exitFindings, "512 of 2198956147200 threads, the first 0: grid budget at 0x0; --grid-budget 0 removes the limit"},
		{append(largest, "--budget", "1000"), exitFindings, "32 of 2198956147200 threads, the first 0: budget at 0x0; --budget 0 removes the limit"},
		{append(largest, "--arg", "a=u8[1073741825]"), exitUsage, "a: 1073741825 bytes, expected at most 1073741824"},
	} {
		var errs strings.Builder
		status := run(append([]string{"run"}, row.args...), strings.NewReader("\x01\x00\x00\xf0\x81\x07\x00\x00"), io.Discard, &errs)
		if status != row.status || !strings.Contains(errs.String(), row.want) {
			t.Errorf("%q: status %d, %s, want %d and %s", row.args, status, errs.String(), row.status, row.want)
		}
	}
}
