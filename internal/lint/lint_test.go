package lint_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// Words of the example machine and the expected warnings by word. 2258 is add r1, r2, -8. 9a02 is
// br.lt 2, 8602 is brl 2, 83ff is br -1 and 0000 is nop. The program has no end.
const programs = `
2258 2211 : 0 result-unused; 1 read-unwritten r0; 1 missing-end
2258 83ff : 0 result-unused; 0 never-ends
0000 8002 2258 83fe : 0 never-ends; 2 unreached
`

// check checks a program of the example machine.
func check(t *testing.T, data []byte) (diag.List, error) {
	t.Helper()
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	told, err := facts.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	im, err := program.Raw(d.Root(), data)
	if err != nil {
		t.Fatal(err)
	}
	p := &lint.File{Image: im, Decoder: d, Facts: told, End: im.Size(), Programs: []lint.Program{{Entries: []int64{0}}}}
	p.Locate = func(addr int64) diag.Span { return diag.Span{Src: &diag.Source{}, Off: int(addr / 16)} }
	return lint.Check(t.Context(), p)
}

// TestLong requires that a program that is too long gets no warnings, not even about its first
// instructions.
func TestLong(t *testing.T) {
	jumps := bytes.Repeat([]byte{0xff, 0x83}, 1<<18+1) // br -1
	if _, err := check(t, jumps[:2<<18]); err != nil {
		t.Errorf("2^18 instructions of which one is reached: %v", err)
	}
	if _, err := check(t, jumps); !errors.Is(err, lint.ErrTooLarge) {
		t.Errorf("2^18 instructions and one more: %v, want %v", err, lint.ErrTooLarge)
	}
}

func TestPrograms(t *testing.T) {
	for _, row := range strings.Split(strings.TrimSpace(programs), "\n") {
		code, want, _ := strings.Cut(row, " : ")
		var data []byte
		for _, w := range strings.Fields(code) {
			var n uint16
			if _, err := fmt.Sscanf(w, "%x", &n); err != nil {
				t.Fatal(err)
			}
			data = append(data, byte(n), byte(n>>8))
		}
		list, err := check(t, data)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			s := fmt.Sprint(e.Span.Off, " ", e.Code)
			if e.Code == diag.ReadUnwritten {
				s += " " + strings.Fields(e.Msg)[0]
			}
			got = append(got, s)
		}
		if g := strings.Join(got, "; "); g != want {
			t.Errorf("%s: %s, want %s", code, g, want)
		}
	}
}
