package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/script")

// raceOptions have a command under the race detector wait for 10 ms instead of a second when it ends, so that
// goroutines that are still running can be caught: tests run hundreds of commands.
const raceVariable, raceOptions = "GORACE", "atexit_sleep_ms=10"

func TestMain(m *testing.M) {
	if os.Getenv(raceVariable) == "" {
		os.Setenv(raceVariable, raceOptions)
	}
	testscript.Main(m, map[string]func(){"isago": main, "picasso": main, allocating: printAllocated})
}

// TestScripts runs the command as its users do; $EXAMPLES holds the example programs. Besides testscript's own commands the scripts have:
//
//	status N isago ARGS...   the command ends with exit status N
//	unhex HEX FILE           bytes from hexadecimal text with # comments
//	hex FILE                 the bytes of a file, as hexadecimal on standard output
//	json FILE [PATH VALUE]   the file is JSON, and has VALUE at the dotted PATH
//	jsonlines FILE           every line that is not empty is JSON
//	lines N FILE             the file has N lines
//	repeat N FROM TO         writes a file N times over
//	longline N FROM TO       writes a line of N zeros, and a file after it
//	head N FROM TO           writes the first N bytes of a file
//
// The condition closed holds if the command can detect a closed standard output.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples", "pica200"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			env.Setenv("EXAMPLES", examples)
			env.Setenv(raceVariable, os.Getenv(raceVariable))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "closed" {
				return false, fmt.Errorf("no condition %s", name)
			}
			return seesClosed, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "unhex": unhex, "hex": printHex, "json": checkJSON, "jsonlines": checkJSONLines,
			"lines": countLines, "repeat": repeat, "longline": longLine, "head": head,
		},
	})
}

func usage(ts *testscript.TestScript, neg bool, args []string, least, most int, text string) {
	if neg || len(args) < least || len(args) > most {
		ts.Fatalf("usage: %s", text)
	}
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, 1000, "status N COMMAND ARGS...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, expected %d", got, want)
	}
}

func unhex(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, 2, "unhex HEX FILE")
	var digits strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	data, err := hex.DecodeString(digits.String())
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
}

func printHex(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, 1, "hex FILE")
	fmt.Fprintf(ts.Stdout(), "% x\n", ts.ReadFile(args[0]))
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, 3, "json FILE [PATH VALUE]")
	var v any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	ts.Check(dec.Decode(&v))
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("more after the JSON value: %v", err)
	}
	if len(args) < 3 {
		return
	}
	for _, step := range strings.Split(args[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			i, err := strconv.Atoi(step)
			ts.Check(err)
			if i >= len(x) {
				ts.Fatalf("%s: %d elements", args[1], len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("%s: nothing at %s", args[1], step)
		}
	}
	data, err := json.Marshal(v)
	ts.Check(err)
	got := string(data)
	if s, ok := v.(string); ok {
		got = s
	}
	if got != args[2] {
		ts.Fatalf("%s is %s, expected %s", args[1], got, args[2])
	}
}

func checkJSONLines(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, 1, "jsonlines FILE")
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if strings.TrimSpace(line) != "" && !json.Valid([]byte(line)) {
			ts.Fatalf("no JSON: %s", line)
		}
	}
}

func countLines(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, 2, "lines N FILE")
	if got := strings.Count(ts.ReadFile(args[1]), "\n"); strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d lines, expected %s", got, args[0])
	}
}

func repeat(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, 3, "repeat N FROM TO")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), bytes.Repeat([]byte(ts.ReadFile(args[1])), n), 0o666))
}

func longLine(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, 3, "longline N FROM TO")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat("0", n)+"\n"+ts.ReadFile(args[1])), 0o666))
}

func head(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, 3, "head N FROM TO")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(ts.ReadFile(args[1])[:n]), 0o666))
}
