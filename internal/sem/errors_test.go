package sem_test

import (
	"os"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/diagtest"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

func open(t *testing.T, file string) (*sem.Machine, error) {
	t.Helper()
	isa, err := spec.Load(os.DirFS("testdata"), file)
	if err != nil {
		t.Fatalf("%s does not load: %v", file, err)
	}
	m, err := model.New(isa, model.Options{})
	if err != nil {
		t.Fatalf("%s does not load: %v", file, err)
	}
	return sem.New(m)
}

// TestErrors compares the errors of small invalid descriptions with the errors that the files expect.
func TestErrors(t *testing.T) {
	wanted := diagtest.Check(t, "testdata/err_*.xml", func(file, _ string) error {
		m, err := open(t, file)
		if err != nil {
			return err
		}
		root, err := m.Model.Root("")
		if err != nil {
			return err
		}
		return m.Check(root)
	})
	codes := diagtest.Codes(wanted)
	for _, code := range []diag.Code{diag.MeaningSyntax, diag.MeaningType, diag.MeaningName, diag.MeaningNone, diag.XMLLimit, diag.Duplicate} {
		if !codes[code] {
			t.Errorf("no test wants an error of code %s", code)
		}
	}
}
