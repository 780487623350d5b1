package tesla_test

import (
	"bufio"
	"flag"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tesla"
)

var words = flag.Int("words", 500, "number of random words for each chip and stage")

var loaded = sync.OnceValues(func() (*isa.Set, error) { return tesla.Load(isa.Options{}) })

func load(tb testing.TB) *isa.Set {
	tb.Helper()
	s, err := loaded()
	if err != nil {
		tb.Fatal(diag.Render(err))
	}
	return s
}

// context returns the context of a chip and a stage.
func context(tb testing.TB, s *isa.Set, chip, stage string) bits.Value {
	tb.Helper()
	c := s.DefaultContext()
	for name, value := range map[string]string{"chip": chip, "stage": stage} {
		var err error
		if c, err = s.ParseContext(c, name, value); err != nil {
			tb.Fatal(err)
		}
	}
	return c
}

type row struct {
	line              int
	chip, stage, text string
	word              bits.Value
	size              int
}

// readRows reads lines of chip, stage, words and text, of envydis's spelling, between tabs.
func readRows(t testing.TB) []row {
	t.Helper()
	f, err := os.Open("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	in := bufio.NewScanner(f)
	for line := 1; in.Scan(); line++ {
		if in.Text() == "" || in.Text()[0] == '#' {
			continue
		}
		part := strings.Split(in.Text(), "\t")
		if len(part) != 4 {
			t.Fatalf("line %d: %q", line, in.Text())
		}
		r := row{line: line, chip: part[0], stage: part[1], text: part[3]}
		for _, w := range strings.Fields(part[2]) {
			n, err := strconv.ParseUint(w, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			r.word.SetUint(r.size, 32, n)
			r.size += 32
		}
		rows = append(rows, r)
	}
	return rows
}

// TestRows prints a row of every instruction as envydis does, and reads the source text of it back.
func TestRows(t *testing.T) {
	s := load(t)
	d := decoder(t, s, "envydis")
	covered := map[*isa.Leaf]bool{}
	m := newRoundTrip(t, s)
	for _, r := range readRows(t) {
		ctx := context(t, s, r.chip, r.stage)
		d.SetContext(ctx)
		in, ok := d.Decode(r.word)
		if !ok {
			t.Errorf("line %d is unknown, expected %s", r.line, r.text)
			continue
		}
		if got := string(d.Append(nil, in)); got != r.text {
			t.Errorf("line %d\n got %q\nwant %q", r.line, got, r.text)
		}
		if in.Leaf.Size != r.size {
			t.Errorf("line %d: %d bits, expected %d", r.line, in.Leaf.Size, r.size)
		}
		covered[in.Leaf] = true
		m.set(ctx)
		m.check(t, r.word)
	}
	for _, l := range d.Root().Leaves {
		if !covered[l] {
			t.Errorf("no row is a %s", l.Name)
		}
	}
}

func decoder(tb testing.TB, s *isa.Set, syntax string) *isa.Decoder {
	tb.Helper()
	if syntax != "" {
		var err error
		if s, err = tesla.Load(isa.Options{Syntax: syntax}); err != nil {
			tb.Fatal(diag.Render(err))
		}
	}
	d, err := s.NewDecoder("")
	if err != nil {
		tb.Fatal(err)
	}
	return d
}
