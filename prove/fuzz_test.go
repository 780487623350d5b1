package prove

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/isago/isago/isa"
)

// FuzzCheck checks descriptions that load. A check must neither panic nor run forever.
func FuzzCheck(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.xml")
	nasty, _ := filepath.Glob("../internal/model/testdata/*.xml")
	files = append(files, nasty...)
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<14 {
			return
		}
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
		if err != nil {
			return
		}
		from := time.Now()
		r, err := Check(t.Context(), set, Options{Search: 20})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Findings {
			_ = r.Findings[i].Explain()
		}
		if took := time.Since(from); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
