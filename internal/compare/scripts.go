package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scripts returns the scripts of the command's tests. Their logs are compared, with the output of
// every command. Whether a script passes does not matter here.
func (c *comparison) scripts() (list []call, err error) {
	for _, file := range c.glob("cmd/isago/testdata/script/*.txtar") {
		path := filepath.Join(c.tree, file)
		list = append(list, call{args: args("script", file), session: func(ctx context.Context, bin, dir string) string {
			var log scriptLog
			log.Run(file, func(t testscript.T) {
				testscript.RunT(t, testscript.Params{
					Files: []string{path}, WorkdirRoot: dir, ContinueOnError: true, Cmds: scriptCommands,
					Setup: func(env *testscript.Env) error {
						env.Setenv("NO_COLOR", "")
						env.Setenv("EXAMPLES", filepath.Join(c.tree, "examples", "pica200"))
						env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
						return nil
					},
				})
			})
			return elapsed.ReplaceAllString(log.String(), "TIME")
		}})
	}
	return list, nil
}

// elapsed matches a time in the log of a script, or a speed that a command reports.
var elapsed = regexp.MustCompile(`\(\d+\.\d+s\)|\b\d+\.\d+ ?(ns|µs|ms|s)\b|\b\d[\d.]*( M)? [a-z]+/s\b`)

// scriptLog is a test context that only keeps its log.
type scriptLog struct{ bytes.Buffer }

func (l *scriptLog) Log(a ...any)   { fmt.Fprintln(l, a...) }
func (l *scriptLog) Skip(a ...any)  { l.Log(a...); runtime.Goexit() }
func (l *scriptLog) Fatal(a ...any) { l.Log(a...); runtime.Goexit() }
func (l *scriptLog) FailNow()       { runtime.Goexit() }
func (l *scriptLog) Parallel()      {}
func (l *scriptLog) Verbose() bool  { return true }

func (l *scriptLog) Run(name string, f func(testscript.T)) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f(l)
	}()
	<-done
}

// scriptCommands are the script commands that write files or print. Commands that only check something
// do nothing.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"status": func(ts *testscript.TestScript, neg bool, args []string) {
		ts.Logf("%v", ts.Exec(args[1], args[2:]...))
	},
	"unhex": func(ts *testscript.TestScript, neg bool, args []string) {
		var digits strings.Builder
		for line := range strings.Lines(ts.ReadFile(args[0])) {
			line, _, _ = strings.Cut(line, "#")
			digits.WriteString(strings.Join(strings.Fields(line), ""))
		}
		data, err := hex.DecodeString(digits.String())
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
	},
	"repeat": func(ts *testscript.TestScript, neg bool, args []string) {
		n, err := strconv.Atoi(args[0])
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), bytes.Repeat([]byte(ts.ReadFile(args[1])), n), 0o666))
	},
	"longline": func(ts *testscript.TestScript, neg bool, args []string) {
		n, err := strconv.Atoi(args[0])
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat("0", n)+"\n"+ts.ReadFile(args[1])), 0o666))
	},
	"head": func(ts *testscript.TestScript, neg bool, args []string) {
		n, err := strconv.Atoi(args[0])
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(ts.ReadFile(args[1])[:n]), 0o666))
	},
	"hex": func(ts *testscript.TestScript, neg bool, args []string) {
		ts.Logf("% x", ts.ReadFile(args[0]))
	},
	"json": tested, "jsonlines": tested, "lines": tested,
}

func tested(*testscript.TestScript, bool, []string) {}

// pages returns the commands that the pages of the documentation show. Each page runs in a folder with
// its files and the examples.
func (c *comparison) pages() (list []call, err error) {
	for _, file := range c.glob("README.md", "examples/README.md", "docs/*.md") {
		text, err := c.read(file)
		if err != nil {
			return nil, err
		}
		list = append(list, call{args: args("page", file), session: func(ctx context.Context, bin, dir string) string {
			return c.work(ctx, file, text, bin, dir)
		}})
	}
	return list, nil
}

// work saves the files of a page and runs its commands.
func (c *comparison) work(ctx context.Context, file, text, bin, dir string) string {
	var log strings.Builder
	note := func(err error) {
		if err != nil {
			fmt.Fprintln(&log, err)
		}
	}
	note(os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(c.tree, "examples"))))
	for _, example := range c.glob("examples/*/*", "target/a2xx/launch/demo/*") {
		data, err := c.read(example)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(example)), []byte(data), 0o666)
		}
		note(err)
	}
	for i, block := range strings.Split(text, "```") {
		info, body, ok := strings.Cut(block, "\n")
		switch kind := strings.Fields(info); {
		case i%2 == 0 || !ok || len(kind) == 0:
		case kind[0] == "console":
			for line := range strings.Lines(body) {
				command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
				if command = strings.Replace(command, "go run ./cmd/isago ", "isago ", 1); !ok || strings.HasPrefix(command, "go ") {
					continue
				}
				cmd := exec.CommandContext(ctx, "sh", "-c", command)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				fmt.Fprintf(&log, "$ %s\n%s", command, out)
				note(err)
			}
		case len(kind) == 2 && kind[0] != "diff":
			note(os.WriteFile(filepath.Join(dir, kind[1]), []byte(body), 0o666))
		case len(kind) == 2:
			note(edited(filepath.Join(dir, kind[1]), body))
		}
	}
	return elapsed.ReplaceAllString(log.String(), "TIME")
}

// edited changes a file as a code block shows. Lines with "-" are removed and lines with "+" are
// added.
func edited(file, block string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var before, after strings.Builder
	for line := range strings.Lines(block) {
		mark, rest := line[0], line[1:]
		if mark == '\n' {
			rest = line
		}
		if mark != '+' {
			before.WriteString(rest)
		}
		if mark != '-' {
			after.WriteString(rest)
		}
	}
	return os.WriteFile(file, []byte(strings.Replace(string(data), before.String(), after.String(), 1)), 0o666)
}
