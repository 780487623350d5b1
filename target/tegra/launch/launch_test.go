package launch_test

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
	"github.com/isago/isago/target/tegra/launch"
)

// rows holds what words do; its head tells the columns.
//
//go:embed testdata/meaning.txt
var rows string

func load(t testing.TB) (*isa.Set, *exec.Machine) {
	t.Helper()
	set, err := tegra.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return set, m
}

var setBit = regexp.MustCompile(`\{(\d+)=1\}`)

// words makes a program of the first cell of a row.
func words(t *testing.T, parser *asm.Parser, cell string, open bool) *tegra.Program {
	t.Helper()
	if hex, ok := strings.CutPrefix(cell, "hex "); ok {
		v, err := bits.ParseHex(strings.ReplaceAll(setBit.ReplaceAllString(hex, ""), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range setBit.FindAllStringSubmatch(hex, -1) {
			n, _ := strconv.Atoi(m[1])
			v.SetUint(n, 1, 1)
		}
		return &tegra.Program{Words: []bits.Value{v}}
	}
	p := &tegra.Program{}
	list := strings.Split(cell, " / ")
	for i, text := range list {
		end := ""
		if i == len(list)-1 && !open {
			end = "_END"
		}
		if rest, ok := strings.CutPrefix(text, "_END"); ok {
			end, text = "_END", rest
		}
		res, err := parser.Parse("EXEC" + end + " " + text + ";")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p.Words = append(p.Words, res.Inst.Bits)
	}
	return p
}

// Each row gives what it says, in each of 64 lanes, and every operation of both units has a row.
func TestMeaning(t *testing.T) {
	set, m := load(t)
	parser, err := asm.New(set, "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, line := range strings.Split(rows, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		r := row{t: t, isa: set, machine: m, parser: parser, line: i + 1, quirks: map[string]string{}, stop: "end"}
		r.run(append(strings.Split(line, "\t"), "", "", ""), seen)
	}
	for _, name := range []string{"#vector", "#scalar"} {
		root, err := set.Root(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range root.Leaves {
			if !seen[leaf.Name] {
				t.Errorf("no row for %s", leaf.Name)
			}
		}
	}
}

type row struct {
	t             *testing.T
	isa           *isa.Set
	machine       *exec.Machine
	parser        *asm.Parser
	line          int
	quirks        map[string]string
	stop, unknown string
	open          bool
}

// notes reads the last cell.
func (r *row) notes(cell string) {
	for _, n := range strings.Split(cell, ";") {
		n = strings.TrimSpace(n)
		switch name, value, _ := strings.Cut(n, "="); {
		case n == "":
		case n == "open":
			r.open = true
		case strings.HasPrefix(n, "stop: "):
			r.stop = n[len("stop: "):]
		case strings.HasPrefix(n, "unknown: "):
			r.unknown = n[len("unknown: "):]
		default:
			r.quirks[name] = value
		}
	}
}

func (r *row) run(cells []string, seen map[string]bool) {
	r.t.Helper()
	p, l := r.launch(cells)
	for addr, w := range p.Words {
		for name, low := range map[string]int{"#vector": 86, "#scalar": 91} {
			d, err := r.isa.NewDecoder(name)
			if err != nil {
				r.t.Fatal(err)
			}
			if in, ok := d.Decode(bits.Of(w.Uint(low, 5))); ok {
				seen[in.Leaf.Name] = true
			}
		}
		if _, err := l.Program.Code(inside.Key{}, uint64(addr)); err != nil {
			r.t.Fatalf("meaning.txt:%d: word %d: %v", r.line, addr, err)
		}
	}
	w := exec.NewWave(l.Program)
	w.Budget = 1000
	w.Start(exec.Lanes, 0)
	r.set(l, w, cells, exec.Lanes)
	w.Run(r.t.Context())
	r.check(w)
	for _, s := range strings.Fields(cells[2]) {
		r.each(l, s, func(st *exec.State, n, k int, want uint64) {
			for _, lane := range []int{0, 63} {
				if got := exec.Canonical(w.Get(st, n, k, lane), st.Type); got != want {
					r.t.Errorf("meaning.txt:%d: %s: component %d is %s (%#x) in lane %d", r.line, s, k, exec.Format(got, st.Type), got, lane)
				}
			}
		})
	}
}

// launch returns the program of a row and its launch.
func (r *row) launch(cells []string) (*tegra.Program, *exec.Launch) {
	r.t.Helper()
	r.notes(cells[3])
	p := words(r.t, r.parser, cells[0], r.open)
	l, err := launch.New(r.machine, r.isa, p, r.quirks)
	if err != nil {
		r.t.Fatal(err)
	}
	return p, l
}

// set sets the registers that a row states in some lanes.
func (r *row) set(l *exec.Launch, w *exec.Wave, cells []string, lanes int) {
	r.t.Helper()
	for _, s := range strings.Fields(cells[1]) {
		r.each(l, s, func(s *exec.State, n, k int, v uint64) {
			for lane := range lanes {
				w.Set(s, n, k, lane, v)
			}
		})
	}
}

// check compares how the run ended, and what it told as unknown.
func (r *row) check(w *exec.Wave) {
	r.t.Helper()
	s := w.Stops()
	if len(s) != 1 || s[0].Lanes != ^uint64(0) || !strings.Contains(s[0].String(), r.stop) || r.stop == "end" && s[0].Reason != "end" {
		r.t.Errorf("meaning.txt:%d: stops %v, want %s", r.line, s, r.stop)
	}
	var told []string
	for _, f := range w.Findings() {
		if f.Text != "" && f.Lanes == ^uint64(0) {
			told = append(told, f.Text)
		}
	}
	if r.unknown == "" && len(told) > 0 || r.unknown != "" && !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, r.unknown) }) {
		r.t.Errorf("meaning.txt:%d: unknown %q, want %q", r.line, told, r.unknown)
	}
}

// each calls f for the components that a text such as r1=1,2,3,4 gives.
func (r *row) each(l *exec.Launch, text string, f func(s *exec.State, n, k int, v uint64)) {
	r.t.Helper()
	name, values, _ := strings.Cut(text, "=")
	p, err := l.Find(name)
	if err != nil {
		r.t.Fatalf("meaning.txt:%d: %v", r.line, err)
	}
	for k, v := range strings.Split(values, ",") {
		if v == "nan" {
			f(p.State, p.First, k, uint64(math.Float32bits(float32(math.NaN()))))
			continue
		}
		x, err := l.Parse(v, p.State.Type)
		if err != nil {
			r.t.Fatalf("meaning.txt:%d: %v", r.line, err)
		}
		f(p.State, p.First, k, x)
	}
}
