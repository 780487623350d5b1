package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/view"
)

// removed is what removes the line of progress.
const removed = "\r\x1b[K"

// Each report replaces the one before, and the end removes the last.
func TestProgressOfListing(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	im, err := program.Raw(d.Root(), make([]byte, 8)) // four words
	if err != nil {
		t.Fatal(err)
	}
	l := &view.Listing{Decoder: d, Image: im}
	var shown bytes.Buffer
	p := &progress{w: &shown}
	p.watch("a.bin", l)
	p.files(1, 3)
	l.Each(func(view.Decoded) bool { p.next = time.Time{}; return true })
	p.end()
	const line = removed + "2 of 3: a.bin: "
	if want := line + "0 %" + line + "25 %" + line + "50 %" + line + "75 %" + removed; shown.String() != want {
		t.Errorf("got %q, want %q", shown.String(), want)
	}
}

// A job that does not report shows its time; messages remove the line, and output on the terminal ends the reports.
func TestProgressOfSilentJob(t *testing.T) {
	var shown bytes.Buffer
	p := &progress{w: &shown}
	p.start("m: checking")
	due := func() { p.started, p.next = time.Now().Add(-3*time.Second), time.Time{} }
	p.idle(p.quit)
	if shown.Len() > 0 {
		t.Errorf("a short job shows %q", shown.String())
	}
	due()
	p.idle(p.quit)
	messages := &stderr{&shown, p}
	if _, err := io.WriteString(messages, "a: warning\n"); err != nil {
		t.Fatal(err)
	}
	p.idle(make(chan struct{})) // of a job that has ended
	due()
	p.idle(p.quit)
	p.stop()
	p.idle(p.quit)
	p.report("more")
	p.end()
	if want := removed + "m: checking, 3 s" + removed + "a: warning\n" + removed + "m: checking, 3 s" + removed; shown.String() != want {
		t.Errorf("got %q, want %q", shown.String(), want)
	}
}

// Every command that can last long shows progress and removes its line. Without a terminal on standard error it shows none.
func TestProgressOfCommands(t *testing.T) {
	dir := t.TempDir()
	raw := filepath.Join(dir, "raw")
	if err := os.WriteFile(raw, make([]byte, 64), 0o666); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("nop\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	hex := filepath.Join(dir, "hex")
	if err := os.WriteFile(hex, []byte("2243\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const light, source = "../../examples/pica200/light.shbin", "../../examples/pica200/light.pica"
	for _, args := range [][]string{
		{"check", "--isa", "example"},
		{"gen", "c", "--isa", "example", "-o", dir},
		{"lint", light}, {"cost", light}, {"survey", light}, {"survey", "--isa", "example", raw}, {"diff", light, light},
		{"dis", "--ir", light}, {"dis", "--ssa", light}, {"dis", "--compat", "mesa", "--isa", "example", raw},
		{"dis", "--compat", "mesa", "--isa", "example", "--hex", hex}, {"dis", light}, {"dis", "--isa", "example", raw}, {"dis", "--isa", "example", "--hex", hex},
		{"asm", "-o", filepath.Join(dir, "o"), source}, {"asm", "--isa", "example", "--hex", text},
		{"asm", "--isa", "example", "--plain", "--hex", text},
		{"run", light, "-n", "2"}, {"translate", light}, {"translate", "--json", light, light}, {"step", "--isa", "example", text},
	} {
		var shown, errs bytes.Buffer
		root := newRoot(args...)
		root.SetArgs(args)
		root.SetOut(io.Discard)
		root.SetErr(&errs)
		p := progressOf(root)
		p.w = &shown
		jobs := 0
		p.began = func() { jobs++ }
		_ = root.Execute()
		if jobs == 0 || p.quit != nil {
			t.Errorf("%q: %d jobs, and the last one goes on: %t", args, jobs, p.quit != nil)
		}
		errs.Reset()
		if run(args, strings.NewReader(""), io.Discard, &errs); strings.Contains(errs.String(), "\x1b") {
			t.Errorf("%q: %q", args, errs.String())
		}
	}
}

// dis --ir and dis --compat mesa report how much of the program they have printed.
func TestProgressOfOtherListings(t *testing.T) {
	raw := filepath.Join(t.TempDir(), "raw")
	if err := os.WriteFile(raw, make([]byte, 256), 0o666); err != nil { // 128 words, two stretches of --ir
		t.Fatal(err)
	}
	spec := filepath.Join(t.TempDir(), "x.xml")
	if err := os.WriteFile(spec, []byte(`<isa><bitset name="#instruction" size="32"/><bitset name="zero" extends="#instruction"><display>zero</display><pattern low="0" high="31">00000000000000000000000000000000</pattern></bitset></isa>`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, machine, want string }{{"--ir", "--isa=example", ": 50 %"}, {"--compat=mesa", "--spec=" + spec, ": 0 %"}} {
		var shown bytes.Buffer
		args := []string{"dis", c.flag, "--jobs", "1", c.machine, raw}
		root := newRoot(args...)
		root.SetArgs(args)
		root.SetOut(io.Discard)
		p := progressOf(root)
		p.w = &shown
		p.began = func() { p.next = time.Time{} } // the first report is shown
		if err := root.Execute(); err != nil && !errors.Is(err, errFindings) {
			t.Fatal(err)
		}
		if want := removed + raw + c.want + removed; shown.String() != want {
			t.Errorf("%s: %q, want %q", c.flag, shown.String(), want)
		}
	}
}

// On a terminal the line is written and removed.
func TestProgressOnTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !isTerminal(terminal) {
		t.Skip("no terminal can be made here")
	}
	defer terminal.Close()
	root := newRoot("check")
	root.SetErr(io.Discard)
	watchTerminals(root, &stdout{Writer: io.Discard}, io.Discard, terminal)
	if p := progressOf(root); p.w != terminal {
		t.Error("no progress on a terminal")
	} else if file, ok := fileOf(root.ErrOrStderr()); !ok || file != terminal {
		t.Error("standard error is not a terminal any longer")
	}
	other := newRoot("check")
	watchTerminals(other, &stdout{Writer: terminal}, terminal, io.Discard)
	if progressOf(other).w != nil {
		t.Error("progress where standard error is not a terminal")
	}
}
