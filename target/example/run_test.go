package example_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
)

// What each instruction does, by hand: registers before, words, registers after. Most words are those of rows.
// 9a02 is br.lt 2, 8602 is brl 2, 2057 add r0, r2, 7, 2251 add r1, r2, 1.
const effects = `
r1=1 : 0000 => :
r2=40 r3=2 : 2243 => last=42 r1=42
r2=-40 : 2257 => last=-33 r1=-33
r2=-32768 : 2258 => last=32760 r1=32760
r0=300 s1=300 : 4009 => last=24464 r0=24464
r2=3 : 6240 => last=6 r1=6
r2=3 : 724f =>
r2=5 : 2258 9a02 2057 2251 => last=6 r1=6
r2=9 : 2258 9a02 2057 2251 => last=10 r0=16 r1=10
r2=5 : 8602 2057 2251 => last=6 r1=6 s1=1
`

func TestEffects(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	for _, line := range strings.Split(strings.TrimSpace(effects), "\n") {
		state, rest, _ := strings.Cut(line, " : ")
		words, want, _ := strings.Cut(rest, " =>")
		w, l := wave(t, m, strings.Fields(words), nil)
		for _, s := range strings.Fields(state) {
			set1(t, w, l, s)
		}
		old := w.Values(0)
		w.Run(t.Context())
		for _, s := range strings.Fields(strings.Trim(want, " :")) {
			name, value, _ := strings.Cut(s, "=")
			p, err := l.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := exec.Format(w.Get(p.State, p.First, 0, 0), p.State.Type); got != value {
				t.Errorf("%s: %s is %s", line, name, got)
			}
			delete(old, name)
		}
		for name, v := range w.Values(0) {
			if before, ok := old[name]; ok && before != v {
				t.Errorf("%s: %s changes to %d", line, name, v)
			}
		}
	}
}

// The first revision stops at the ends of the range.
func TestSaturate(t *testing.T) {
	set, err := example.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	w, l := wave(t, m, []string{"2243"}, map[string]uint64{"saturate": 1})
	set1(t, w, l, "r2=-32768")
	set1(t, w, l, "r3=-1")
	w.Run(t.Context())
	p, _ := l.Find("r1")
	if got := int16(w.Get(p.State, 1, 0, 0)); got != -32768 {
		t.Errorf("r1 = %d, want -32768", got)
	}
}

func wave(t *testing.T, m *exec.Machine, words []string, quirks map[string]uint64) (*exec.Wave, *exec.Launch) {
	t.Helper()
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	p := exec.NewProgram(m, exec.Words{Root: root, Context: m.Set().DefaultContext(), Quirks: quirks, Fetch: func(addr uint64) (bits.Value, bool) {
		if addr >= uint64(len(words)) {
			return bits.Value{}, false
		}
		v, err := bits.ParseHex(words[addr])
		return v, err == nil
	}})
	for addr := range words {
		if _, err := p.Code(inside.Key{}, uint64(addr)); err != nil {
			t.Fatal(err)
		}
	}
	w := exec.NewWave(p)
	w.Budget = 1000
	w.Start(1, 0)
	return w, &exec.Launch{Program: p, Shared: exec.NewShared(m, exec.ScopeBlock, exec.ScopeLaunch)}
}

func set1(t *testing.T, w *exec.Wave, l *exec.Launch, s string) {
	t.Helper()
	name, value, _ := strings.Cut(s, "=")
	p, err := l.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := l.Parse(value, p.State.Type)
	if err != nil {
		t.Fatal(err)
	}
	w.Set(p.State, p.First, 0, 0, v)
}
