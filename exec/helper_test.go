package exec

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// machine is a description with its meaning, checked.
type machine struct {
	*Machine
	t testing.TB
}

// load reads a description of testdata.
func load(t testing.TB, name string) *machine {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func parse(t testing.TB, text string) *machine {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"test.xml": {Data: []byte(text)}}, "test.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.sem.Model.Roots {
		if r.Name[0] == '#' && r.Name != "#instruction" && r.Name != "#alu" {
			continue
		}
		if err := m.sem.Check(r); err != nil {
			t.Fatal(err)
		}
	}
	return &machine{m, t}
}

// words is a program whose words follow each other, each a unit of the counter.
func (m *machine) program(root string, words Words, list ...uint64) *Program {
	m.t.Helper()
	var err error
	if words.Root, err = m.set.Root(root); err != nil {
		m.t.Fatal(err)
	}
	if words.Context.IsZero() {
		words.Context = m.set.DefaultContext()
	}
	words.Fetch = func(addr uint64) (bits.Value, bool) {
		if addr >= uint64(len(list)) {
			return bits.Value{}, false
		}
		return bits.Of(list[addr]), true
	}
	p := NewProgram(m.Machine, words)
	for i := range list { // of words that do not run, too, the operations are verified
		_, _ = p.lowered(uint64(i))
	}
	return p
}

func (m *machine) state(name string) *State {
	m.t.Helper()
	s := m.State(name)
	if s == nil {
		m.t.Fatalf("no state %s", name)
	}
	return s
}
