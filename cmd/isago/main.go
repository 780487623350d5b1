// Command isago disassembles, assembles, explains, checks and runs programs of shader processors.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK       = 0
	exitMistake  = 1 // in the input
	exitUsage    = 2
	exitFindings = 3 // unknown words, failed checks
	exitStopped  = 130
)

func main() {
	paceMemory()
	args := os.Args[1:]
	if isPicasso(os.Args[0]) {
		args = append([]string{"asm", picassoFlag}, args...)
	}
	var out io.Writer = os.Stdout
	if stdoutClosed() {
		out = closedOutput{}
	}
	os.Exit(runUntil(interruptible(), args, os.Stdin, out, os.Stderr))
}

// debugEnv is the environment variable that makes a crash print its stack.
const debugEnv = "ISAGO_DEBUG"

// run is like runUntil, but without interruption.
func run(args []string, in io.Reader, out, errOut io.Writer) (status int) {
	return runUntil(context.Background(), args, in, out, errOut)
}

// runUntil runs one command line until the context ends, and returns the exit status.
func runUntil(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) (status int) {
	if os.Getenv(debugEnv) == "" {
		defer func() {
			if bug := recover(); bug != nil {
				fmt.Fprintf(errOut, "isago: this is a bug in isago, please report it with the input: %v (%s=1 shows where)\n", bug, debugEnv)
				status = exitMistake
			}
		}()
	}
	if len(args) > 1 && (args[0] == "--help" || args[0] == "-h") && !strings.HasPrefix(args[1], "-") {
		args = append([]string{"help"}, args[1:]...)
	}
	root := newRoot(args...)
	withContext(root, ctx)
	root.SetIn(in)
	written := &stdout{Writer: out}
	root.SetOut(written)
	sessionOf(root).files.recordStdout(out)
	root.SetErr(errOut)
	watchTerminals(root, written, out, errOut)
	root.SetArgs(args)
	misdirected := checkHelp(root)
	contextFlags(root, args)
	execute := root.ExecuteC
	if len(args) > 1 && args[0] == "asm" && args[1] == picassoFlag {
		execute = func() (*cobra.Command, error) { return root, picasso(root, args[2:]) }
	}
	cmd, err := execute()
	progressOf(root).end()
	err = cmp.Or(err, *misdirected)
	if err == nil || errors.Is(err, errFindings) || errors.Is(err, errFailed) {
		err = cmp.Or(written.failed, err)
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errFailed):
		return exitMistake
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(errOut, "%s: %s\n", cmd.CommandPath(), interrupted)
		return exitStopped
	}
	printError(cmd, err)
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitMistake
}

// errFindings is the error of a command with complete output and findings in its input.
var errFindings = errors.New("findings")

// usageError is the error for a mistake on the command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
