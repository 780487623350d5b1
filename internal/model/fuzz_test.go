package model

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/internal/spec"
)

// bind loads and binds a description and everything in it, down to the depth at which decoders stop.
func bind(text string, opt Options) error {
	isa, err := spec.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml")
	if err != nil {
		return err
	}
	m, err := New(isa, opt)
	if err != nil {
		return err
	}
	w := walker{seen: map[*Env]bool{}}
	for _, r := range m.Roots {
		w.env(m.TopEnv(r))
	}
	return nil
}

// walker visits at most a thousand environments that displays reach.
type walker struct{ seen map[*Env]bool }

func (w walker) env(e *Env) {
	if e == nil || w.seen[e] || len(w.seen) == 1000 {
		return
	}
	w.seen[e] = true
	for _, l := range e.Root.Leaves {
		u := e.Bound(l)
		for _, f := range u.NamedFields() {
			w.alts(f.Alts)
		}
		for _, c := range u.Cases {
			w.items(c.Items)
		}
	}
}

func (w walker) items(items []Item) {
	for _, it := range items {
		w.alts(it.Alts)
		w.items(it.Members)
	}
}

func (w walker) alts(alts []Alt) {
	for _, a := range alts {
		if a.Ref != nil {
			w.env(a.Ref.Env)
		}
	}
}

// FuzzNew requires that a description that loads is either bound or rejected with an error.
func FuzzNew(f *testing.F) {
	for _, pattern := range []string{"testdata/*.xml", "../spec/testdata/*.xml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, uint8(0))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, gen uint8) {
		if err := bind(string(data), Options{Gen: uint32(gen)}); err != nil {
			_ = err.Error()
		}
	})
}
