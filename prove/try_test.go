package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/isago/isago/isa"
)

func TestTry(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("TRY"))
	for _, path := range files {
		set, err := isa.Load(os.DirFS(filepath.Dir(path)), filepath.Base(path), isa.Options{})
		if err != nil {
			fmt.Println(path, isa.Explain(err))
			continue
		}
		from := time.Now()
		r, err := Check(set, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("=====", path, time.Since(from), len(r.Findings), r.Gens)
		for _, f := range r.Findings {
			fmt.Print(f.Explain())
			for _, row := range f.Rows {
				fmt.Printf("    %-20s %s\n", row.Label, row.Bits)
			}
			for _, w := range f.Witnesses {
				fmt.Printf("    word %s: %q %q\n", w.Hex(), w.Text, w.Findings)
			}
		}
		for _, c := range r.Claims {
			fmt.Println("  ", c.Proved, c.Text)
		}
	}
}
