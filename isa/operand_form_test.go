package isa_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/isago/isago/isa"
)

// TestOperandForms checks the forms of the two instructions in the language's handbook.
func TestOperandForms(t *testing.T) {
	root, err := handbook(t, "Operands").Root("")
	if err != nil {
		t.Fatal(err)
	}
	names := func(files []*isa.File) string {
		var list []string
		for _, f := range files {
			list = append(list, f.Name)
		}
		return strings.Join(list, " ")
	}
	var got []string
	for _, l := range root.Leaves {
		for _, f := range l.OperandForms() {
			got = append(got, fmt.Sprintf("%s %s %s %s [%s] +[%s]", l.Name, f.Name, f.Role, f.Kind, names(f.Files), names(f.Added)))
		}
	}
	want := []string{
		"mov DST write register [h r c] +[c]", "mov A read register [h r c] +[c]",
		"ld DST write register [h r c] +[c]", "ld FROM read memory [] +[]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
