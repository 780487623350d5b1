package exec

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// machine is a description with its meaning, checked.
type machine struct {
	*sem.Machine
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
	isa, err := spec.Load(fstest.MapFS{"test.xml": {Data: []byte(text)}}, "test.xml")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := model.New(isa, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := sem.New(mod)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Roots {
		if r.Name[0] == '#' && r.Name != "#instruction" && r.Name != "#alu" {
			continue
		}
		if err := m.Check(r); err != nil {
			t.Fatal(err)
		}
	}
	return &machine{m, t}
}

// words is a program whose words follow each other, each a unit of the counter.
func (m *machine) program(root string, words sem.Words, list ...uint64) *Program {
	m.t.Helper()
	r, err := m.Model.Root(root)
	if err != nil {
		m.t.Fatal(err)
	}
	if words.Context.IsZero() {
		words.Context = m.Model.Context
	}
	p := NewProgram(m.Machine, r, words, func(addr uint64) (bits.Value, bool) {
		if addr >= uint64(len(list)) {
			return bits.Value{}, false
		}
		return bits.Of(list[addr]), true
	})
	for i := range list { // of words that do not run, too, the operations are verified
		_, _ = p.Code(uint64(i))
	}
	return p
}

func (m *machine) state(name string) *sem.State {
	m.t.Helper()
	s := m.State(name)
	if s == nil {
		m.t.Fatalf("no state %s", name)
	}
	return s
}
