package model

import (
	"os"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/diagtest"
	"github.com/isago/isago/internal/spec"
)

func TestErrors(t *testing.T) {
	wanted := diagtest.Check(t, "testdata/err_*.xml", func(file, source string) error {
		isa, err := spec.Load(os.DirFS("testdata"), file)
		if err != nil {
			t.Errorf("%s does not load", file)
			return err
		}
		var opt Options
		for _, s := range diagtest.Wanted(source, "syntax") {
			opt.Syntax = s
		}
		_, err = New(isa, opt)
		return err
	})
	diagtest.Covers(t, wanted)
	codes := diagtest.Codes(wanted)
	for _, code := range []diag.Code{
		diag.Unresolved, diag.ExprCycle, diag.FieldType, diag.LeafOverlap, diag.LeafLength, diag.NoDisplay, diag.UnknownSyntax, diag.XMLLimit,
	} {
		if !codes[code] {
			t.Errorf("no test wants an error of code %s", code)
		}
	}
}
