package prove

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
)

func checkHeron(t testing.TB, files fs.FS, opt Options) (*isa.Set, *Report) {
	t.Helper()
	set, err := isa.Load(files, testgpu.File, isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	opt.Search = -1
	r, err := Check(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	return set, r
}

// TestHeron checks a description as large as those of real machines. Everything must be decided, and
// every planted defect must be found. One defect changes the line of another and is left out.
func TestHeron(t *testing.T) {
	t.Parallel()
	opt := Options{Gens: []uint32{400}}
	_, clean := checkHeron(t, testgpu.Files(), opt)
	for _, c := range clean.Claims {
		if !c.Proved {
			t.Errorf("without a defect: %s", c.Text)
		}
	}
	known := map[string]bool{}
	for i := range clean.Findings {
		known[clean.Findings[i].Msg] = true
	}
	files, planted, rest := plant(t, testgpu.Defects)
	if len(rest) > 1 {
		t.Errorf("%d defects are not planted", len(rest))
	}
	set, r := checkHeron(t, files, opt)
	found := map[string]int{}
	for i := range r.Findings {
		if f := &r.Findings[i]; !known[f.Msg] {
			found[string(f.Code)]++
			verify(t, set, f)
		}
	}
	for _, d := range planted {
		if found[d.Code]--; found[d.Code] < 0 {
			t.Errorf("%s: no finding %s", d.Name, d.Code)
		}
	}
}

// plant plants the defects that the description can contain at the same time. rest are the others.
func plant(t *testing.T, list []testgpu.Defect) (files fstest.MapFS, planted, rest []testgpu.Defect) {
	t.Helper()
	files = fstest.MapFS{}
	names, err := fs.Glob(testgpu.Files(), "*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(testgpu.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	for _, d := range list {
		text := string(files[d.In].Data)
		if strings.Count(text, d.Old) != 1 {
			rest = append(rest, d)
			continue
		}
		files[d.In].Data = []byte(strings.Replace(text, d.Old, d.New, 1))
		planted = append(planted, d)
	}
	return files, planted, rest
}

func BenchmarkHeron(b *testing.B) {
	for b.Loop() {
		checkHeron(b, testgpu.Files(), Options{})
	}
}
