package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Code that is bytes is not written to a terminal, with a compiler or without.
func TestNoBytesOnTerminals(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !isTerminal(terminal) {
		t.Skip("no terminal can be made here")
	}
	defer terminal.Close()
	source := filepath.Join(t.TempDir(), "x.s")
	for _, c := range []struct {
		text string
		args []string
		want error
	}{
		{".out o position\n.proc main\nend\n.end\n", []string{"--isa", "pica200"}, errBytes},
		{"exit nop\n", []string{"--isa", "tesla"}, errBytes},
		{"exit nop\n", []string{"--isa", "tesla", "--hex"}, nil},
		{".asm\nEXEC_END NOPv;\n", []string{"--isa", "tegra"}, nil}, // a file that is text
	} {
		if err := os.WriteFile(source, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"asm", source}, c.args...)
		root := newRoot(args...)
		root.SetArgs(args)
		root.SetOut(terminal)
		root.SetErr(io.Discard)
		if err := root.Execute(); err != c.want {
			t.Errorf("%q: %v, want %v", args, err, c.want)
		}
	}
}

// step prints a hint when it reads a terminal.
func TestStepOnTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !isTerminal(terminal) {
		t.Skip("no terminal can be made here")
	}
	read, write := io.Pipe()
	root := newRoot("step", "-")
	root.SetArgs([]string{"step", "-"})
	root.SetIn(terminal)
	root.SetOut(io.Discard)
	root.SetErr(write)
	go func() {
		_ = root.Execute() // until the terminal is closed
		write.Close()
	}()
	got := make([]byte, len(stepHint))
	if _, err := io.ReadFull(read, got); err != nil || string(got) != stepHint {
		t.Errorf("step prints %q, %v", got, err)
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
}

// A command without a FILE does not wait for input from a terminal.
func TestNoWaitingOnTerminals(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil || !isTerminal(terminal) {
		t.Skip("no terminal can be made here")
	}
	defer terminal.Close()
	for _, name := range []string{"dis", "asm", "explain", "step"} {
		var errs strings.Builder
		status := run([]string{name}, terminal, io.Discard, &errs)
		if want := "name one, or redirect it: isago " + name + " < FILE; - reads what you type\n"; status != exitUsage || !strings.HasSuffix(errs.String(), want) {
			t.Errorf("%s: status %d, %q, expected %q", name, status, errs.String(), want)
		}
	}
}
