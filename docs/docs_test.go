package docs

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// block is a fenced block of a page.
type block struct {
	kind, text string
	line       int
}

func blocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []block
	open := false
	for i, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "```") && !open:
			list = append(list, block{kind: strings.TrimPrefix(line, "```"), line: i + 2})
			open = true
		case strings.HasPrefix(line, "```"):
			open = false
		case open:
			list[len(list)-1].text += line + "\n"
		}
	}
	return list
}

// Each example of the language loads without a remark, and prints the words below it as they stand.
func TestLanguageExamples(t *testing.T) {
	var set *isa.Set
	for _, b := range blocks(t, "language.md") {
		switch b.kind {
		case "xml":
			fsys := fstest.MapFS{"a.xml": {Data: []byte(b.text)}}
			parsed, err := spec.Load(fsys, "a.xml")
			if err != nil {
				t.Fatalf("language.md:%d: %s", b.line, diag.Render(err))
			}
			if len(parsed.Remarks) > 0 {
				t.Errorf("language.md:%d: %v", b.line, parsed.Remarks)
			}
			if set, err = isa.Load(fsys, "a.xml", isa.Options{}); err != nil {
				t.Fatalf("language.md:%d: %s", b.line, diag.Render(err))
			}
		case "words":
			words(t, set, b)
		case "run":
			runs(t, set, b)
		default:
			t.Errorf("language.md:%d: block of kind %q", b.line, b.kind)
		}
	}
}

func words(t *testing.T, set *isa.Set, b block) {
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
		hex, want, _ := strings.Cut(line, "  ")
		v, err := bits.ParseHex(hex)
		if err != nil {
			t.Fatalf("language.md:%d: %v", b.line+i, err)
		}
		in, ok := d.Decode(v)
		if !ok {
			t.Errorf("language.md:%d: %s is no instruction", b.line+i, hex)
			continue
		}
		if got := string(d.Append(nil, in)); got != want || len(d.Findings()) > 0 {
			t.Errorf("language.md:%d: %s prints %q %v, want %q", b.line+i, hex, got, d.Findings(), want)
		}
	}
}

// Each code that check alone reports has a section that says what to do about it.
func TestCheckCodes(t *testing.T) {
	data, err := os.ReadFile("check.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			for _, code := range strings.Split(title, ", ") {
				sections[code] = true
			}
		}
	}
	for _, c := range diag.Codes() {
		if strings.HasPrefix(c.Meaning, "check: ") && !sections[string(c.Code)] {
			t.Errorf("check.md has no section %s", c.Code)
		}
	}
}

// runs checks lines STATE : WORDS => CHANGED STATE : WHY IT STOPPED of the last machine, values in decimal.
func runs(t *testing.T, set *isa.Set, b block) {
	m, err := exec.Open(set)
	if err != nil {
		t.Fatalf("language.md:%d: %s", b.line, diag.Render(err))
	}
	for i, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
		before, after, _ := strings.Cut(line, " => ")
		state, words, _ := strings.Cut(before, " : ")
		want, stop, _ := strings.Cut(after, " : ")
		var code []bits.Value
		for _, w := range strings.Fields(words) {
			v, err := bits.ParseHex(w)
			if err != nil {
				t.Fatalf("language.md:%d: %v", b.line+i, err)
			}
			code = append(code, v)
		}
		root, _ := m.Root("")
		p := exec.NewProgram(m, exec.Words{Root: root, Fetch: func(addr uint64) (v bits.Value, ok bool) {
			if addr >= uint64(len(code)) {
				return v, false
			}
			return code[addr], true
		}})
		w := exec.NewWave(p)
		w.Budget = 1000
		w.Start(1, 0)
		l := exec.Launch{Program: p}
		for _, s := range strings.Fields(state) {
			name, value, _ := strings.Cut(s, "=")
			port, err := l.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			v, _ := strconv.ParseUint(value, 10, 64)
			w.Set(port.State, port.First, 0, 0, v)
		}
		old := w.Values(0)
		w.Run(t.Context())
		var changed []string
		for name, v := range w.Values(0) {
			if old[name] != v {
				changed = append(changed, name+"="+strconv.FormatUint(v, 10))
			}
		}
		slices.Sort(changed)
		if got := strings.Join(changed, " "); got != want {
			t.Errorf("language.md:%d: %s, the page says %s", b.line+i, got, want)
		}
		if got := w.Stops()[0].Reason; got != stop {
			t.Errorf("language.md:%d: stops by %s, the page says %s", b.line+i, got, stop)
		}
	}
}
