package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is an output with no room left after so many bytes.
type full struct{ left int }

var errFull = errors.New("no room left")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// No command loses its output with a status of success, and a closed standard error is not a failure.
func TestLostOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("too long for short mode, in which the race detector runs")
	}
	const pica = "../../examples/pica200/"
	dir := t.TempDir()
	files := map[string]string{
		"code.bin": "\x00\x10\x00\x4e", "words.hex": "2243\n", "a.s": "add r1, r2, r3\n", "mov.txt": "mov r0.xy, v1\n",
		"q.json":    `{"isa":"pica200","words":["4e000000"],"tables":{"opdesc":["0000036f"]}}`,
		"plain.xml": `<isa><bitset name="#i" size="16"/><bitset name="op" extends="#i"><display>op {A}</display><field name="A" low="0" high="15" type="uint"/></bitset></isa>`,
		"bad.pica":  ".proc main\nmov r0, r1\nend\n.end\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	verbs := map[string]bool{}
	for _, line := range []string{
		"", "--version", "--help", "help", "help codes", "help dis", "codes", "limits", "version",
		"dis P/light.shbin", "dis --listing P/light.shbin", "dis --json P/light.shbin", "dis --format html P/light.shbin", "dis --graph svg P/light.shbin", "dis --ir P/light.shbin", "dis --isa pica200 D/code.bin",
		"dis --isa example --plain --hex D/words.hex", "dis --isa example D/code.bin", "dis --isa tesla D/code.bin",
		"dis --isa a2xx --hex D/words.hex", "dis --spec D/plain.xml --compat mesa D/code.bin", "dis --color always P/light.shbin",
		"asm --isa example D/a.s", "asm --isa example --hex D/a.s", "asm --isa pica200 --plain --hex D/mov.txt", "asm P/light.pica",
		"asm --isa pica200 --hex P/light.pica", "asm --picasso --help", "asm --picasso --version", "asm -o D/x.shbin --header - P/light.pica",
		"explain mad", "explain --json mad", "explain --isa pica200 4e0a8001/36f", "explain --isa pica200 --json 4e0a8001/36f",
		"run P/light.shbin", "run P/light.shbin --format json", "run P/light.shbin --format csv", "run P/light.shbin --format raw",
		"run --demo --isa a2xx --size 16x16", "run --demo --isa a2xx --size 16x16 --png -", "step D/q.json",
		"check --isa example", "check --isa example --json", "check --isa example --sarif", "check --isa example --summary",
		"lint D/bad.pica", "lint --json P/flow.pica", "lint --sarif P/flow.pica",
		"cost P/light.pica", "cost --lines P/light.shbin", "cost --json P/flow.pica", "list", "list --json", "list --isa pica200", "list --isa pica200 --instructions", "list P/light.shbin", "list --json P/light.shbin",
		"survey P/light.shbin", "survey --json P/light.shbin", "diff P/light.shbin P/skin.shbin", "equal P/sprite.shbin P/sprite.shbin", "equal --json P/sprite.shbin P/skin.shbin",
		"translate P/light.shbin", "translate --json P/light.shbin", "translate -o D/texts/ P/light.shbin", "vectors --isa example -o D/vec", "gen", "gen c --isa example -o D/none --check", "new --output D/new mygpu", "man --help", "manual --isa example -o D/manual",
	} {
		args := strings.Fields(strings.NewReplacer("P/", pica, "D/", dir+"/").Replace(line))
		if len(args) > 0 {
			verbs[args[0]] = true
		}
		again := func() { // what new makes
			os.RemoveAll(filepath.Join(dir, "new"))
			if err := os.Mkdir(filepath.Join(dir, "new"), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		again()
		var whole, errs bytes.Buffer
		status := run(args, strings.NewReader(""), &whole, &errs)
		if whole.Len() == 0 {
			t.Errorf("isago %s prints nothing: %s", line, errs.Bytes())
		}
		again()
		errs.Reset()
		if got := run(args, strings.NewReader(""), &full{whole.Len() - 1}, &errs); got != exitMistake || !strings.Contains(errs.String(), errFull.Error()) {
			t.Errorf("isago %s with room for all but a byte: status %d, %s", line, got, errs.Bytes())
		}
		again()
		var out bytes.Buffer
		if got := run(args, strings.NewReader(""), &out, &full{0}); got != status || out.Len() != whole.Len() {
			t.Errorf("isago %s without standard error: status %d, with it %d", line, got, status)
		}
	}
	for _, c := range commands() {
		if !verbs[c.name] {
			t.Errorf("isago %s is not tested", c.name)
		}
	}
	if status := run([]string{"dis", "missing"}, nil, io.Discard, &full{0}); status != exitMistake {
		t.Errorf("an error that nobody hears: status %d", status)
	}
}
