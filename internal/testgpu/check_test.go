package testgpu_test

import (
	"flag"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/prove"
)

var every = flag.Bool("every", false, "check each defect by itself, and every generation")

// sound are the codes of the findings in the unchanged description. Some words match no instruction,
// different floats print the same six decimals, and the adjacent numbers of trace are ambiguous.
var sound = []string{"unmatched-words", "same-text"}

// TestDefectsFound checks that each planted defect is found at its location and that the witness
// decodes as the finding states.
func TestDefectsFound(t *testing.T) {
	t.Parallel()
	files, list, err := testgpu.PlantAll()
	if err != nil {
		t.Fatal(err)
	}
	find(t, files, list)
}

func TestEachDefectFound(t *testing.T) {
	if !*every {
		t.Skip("without -every")
	}
	for _, d := range testgpu.Defects {
		t.Run(d.Name, func(t *testing.T) {
			files, err := d.Plant()
			if err != nil {
				t.Fatal(err)
			}
			find(t, files, []testgpu.Defect{d})
		})
	}
}

func find(t *testing.T, files fs.FS, list []testgpu.Defect) {
	t.Helper()
	const gen = 400 // the generation with all defects
	set, err := isa.Load(files, testgpu.File, isa.Options{Gen: gen})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	r, err := prove.Check(t.Context(), set, prove.Options{Gens: []uint32{gen}, Search: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		for _, w := range r.Findings[i].Witnesses {
			shows(t, set, &w)
		}
	}
	for _, d := range list {
		ours := func(f prove.Finding) bool { return string(f.Code) == d.Code && about(&f, d.In) }
		if !slices.ContainsFunc(r.Findings, ours) {
			t.Errorf("%s: no finding %s in %s", d.Name, d.Code, d.In)
		}
	}
}

// about reports whether a finding or one of its notes is in a file. Findings about unmatched words are
// located at the root, and those about undefined names at their use.
func about(f *prove.Finding, file string) bool {
	if f.Code == "unmatched-words" || f.Code == "unresolved" || f.Code == "same-text" || strings.HasPrefix(f.Span.String(), file) {
		return true
	}
	for _, n := range f.Notes {
		if strings.HasPrefix(n.Span.String(), file) {
			return true
		}
	}
	return false
}

// shows checks that a witness decodes as the finding states.
func shows(t *testing.T, set *isa.Set, w *prove.Witness) {
	t.Helper()
	for _, root := range set.Roots() {
		d, err := set.NewDecoder(root.Name)
		if err != nil {
			t.Fatal(err)
		}
		d.SetContext(w.Context)
		in, ok := d.Decode(w.Word.And(bits.Ones(w.Size)))
		if ok == w.Matched && (!ok || string(d.Append(nil, in)) == w.Text) {
			return
		}
	}
	t.Errorf("no root prints %s as %q", w.Hex(), w.Text)
}

// TestSound checks that the unchanged description has no other findings.
func TestSound(t *testing.T) {
	t.Parallel()
	set := load(t, 400)
	opt := prove.Options{Gens: []uint32{400}, Search: -1}
	if *every {
		opt = prove.Options{}
	}
	r, err := prove.Check(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		// A value may be used only in another generation.
		if slices.Contains(sound, string(f.Code)) || f.Code == "value-never" && !*every {
			continue
		}
		t.Error(f)
	}
}
