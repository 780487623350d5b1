package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// call is a command line that both commands run in the checkout.
type call struct {
	group string
	args  []string
	stdin string
	// lines means that each line of stdin is an input of its own and has one line of output.
	lines bool
	// then returns further calls, made from the output of the old command. It may be nil.
	then func(printed string) []call
	// session runs in its own folder instead of the command. The folder of the command is first in
	// PATH. session returns what it printed.
	session func(ctx context.Context, bin, dir string) string
}

// out is a placeholder in arguments for a folder of the call. The files written there are compared.
const out = "$OUT"

// result is what a call printed and wrote, and its exit status.
type result struct {
	stdout, stderr string
	status         int
	files          map[string]string
}

const (
	timeout  = 5 * time.Minute
	timedOut = -1
)

// comparison runs calls with both commands.
type comparison struct {
	options
	tree string
	// sides are the folders of the old and the new command.
	sides  [2]string
	report report
}

// run runs the calls of all groups.
func (c *comparison) run(ctx context.Context) error {
	calls, err := c.calls()
	if err != nil {
		return err
	}
	return c.runCalls(ctx, calls)
}

func (c *comparison) runCalls(ctx context.Context, calls []call) error {
	// The pending calls are in a list, because calls add calls.
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	busy := 0
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for {
				for len(calls) == 0 && busy > 0 {
					changed.Wait()
				}
				if len(calls) == 0 || ctx.Err() != nil {
					changed.Broadcast()
					return
				}
				x := calls[0]
				calls = calls[1:]
				busy++
				mu.Unlock()
				var r [2]result
				for i := range c.sides {
					r[i] = c.one(ctx, i, &x)
				}
				mu.Lock()
				if busy--; ctx.Err() == nil {
					c.report.add(&x, r[0], r[1])
					if x.then != nil {
						calls = append(calls, x.then(r[0].stdout)...)
					}
				}
				changed.Broadcast()
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// one runs a call with one command. It replaces folder names that differ between the two.
func (c *comparison) one(ctx context.Context, side int, x *call) result {
	dir, err := os.MkdirTemp("", "compare-out")
	if err != nil {
		return result{stderr: err.Error()}
	}
	defer os.RemoveAll(dir)
	bin := c.sides[side]
	same := strings.NewReplacer(dir, out, bin, "$BIN", c.tree, "$TREE")
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if x.session != nil {
		return result{stdout: same.Replace(x.session(ctx, bin, dir)), files: filesOf(dir, same)}
	}
	args := make([]string, len(x.args))
	for i, a := range x.args {
		args[i] = strings.ReplaceAll(a, out, dir)
	}
	file := filepath.Join(bin, "isago")
	if side == 1 && c.emulator != "" {
		file, args = c.emulator, append([]string{file}, args...)
	}
	cmd := exec.CommandContext(ctx, file, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.tree, strings.NewReader(x.stdin), &stdout, &stderr
	err = cmd.Run()
	r := result{stdout: same.Replace(stdout.String()), stderr: same.Replace(stderr.String())}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil: // the output up to the timeout is not reproducible
		return result{status: timedOut}
	case errors.As(err, &exit):
		r.status = exit.ExitCode()
	case err != nil:
		r.stderr += err.Error()
	}
	r.files = filesOf(dir, same)
	return r
}

// filesOf returns the files below a folder, with folder names replaced.
func filesOf(dir string, same *strings.Replacer) map[string]string {
	files := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				data = []byte(err.Error())
			}
			files[strings.TrimPrefix(path, dir)] = same.Replace(string(data))
		}
		return nil
	})
	return files
}
