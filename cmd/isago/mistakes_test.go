package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/isago/isago/internal/diag"
)

// However many mistakes a source has, a screen of them is told of, and how many there are beside.
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
		if got := strings.Count(told.String(), ": error: "); got != diag.MaxShown || !strings.Contains(told.String(), "not shown") {
			t.Errorf("%s: %d of %d mistakes are told of:\n%s", machine, got, n, told.String())
		}
	}
}
