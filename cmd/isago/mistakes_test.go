package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
)

// The compiler reports a screenful of mistakes and the number of the others, for any number of mistakes.
func TestMistakesAreBounded(t *testing.T) {
	const n = 3 * diag.MaxShown
	for machine, line := range map[string]string{
		"pica200": ".what%d\n",
		"tegra":   ".attributes what%d;\n",
		"a2xx":    "what%d\n",
		"example": "what%d\n",
	} {
		var source strings.Builder
		for i := range n {
			fmt.Fprintf(&source, line, i)
		}
		var told bytes.Buffer
		if status := run([]string{"asm", "--isa", machine, "-o", t.TempDir() + "/out", "-"}, strings.NewReader(source.String()), io.Discard, &told); status != exitMistake {
			t.Errorf("%s: exit status %d", machine, status)
		}
		if got := strings.Count(told.String(), ": error: "); got != diag.MaxShown || !strings.Contains(told.String(), "not shown") && !strings.Contains(told.String(), "only the first 50 are shown") {
			t.Errorf("%s: %d of %d mistakes are told of:\n%s", machine, got, n, told.String())
		}
	}
}

// An error quotes only a short part of a JSON input.
func TestLongJSONIsQuotedShort(t *testing.T) {
	number, name := strings.Repeat("9", 3000000), strings.Repeat("x", 3000000)
	file := filepath.Join(t.TempDir(), "in.json")
	for _, text := range []string{
		`[{"v0": [` + number + `]}]`, `{"uniforms": {"c0": ` + number + `}, "vertices": []}`, `[{"v0": "` + name + `"}]`,
		`[{"` + name + `": 1}]`, `{"` + name + `": 1}`, `[{"` + name + `": 1, "` + name + `": 1}]`, number, `"` + name,
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		status := run([]string{"run", "--in", file, "../../examples/pica200/light.pica"}, strings.NewReader(""), &out, &errOut)
		if status != exitMistake || errOut.Len() > 1000 {
			t.Errorf("%.30s: status %d, %d bytes of error: %.300s", text, status, errOut.Len(), errOut.String())
		}
	}
}
