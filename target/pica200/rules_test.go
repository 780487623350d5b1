package pica200_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// TestLimits checks that a limit which the description gives to no field is a mistake.
func TestLimits(t *testing.T) {
	text, err := pica200.FS.ReadFile("pica200.xml")
	if err != nil {
		t.Fatal(err)
	}
	const good = `most="VTXID 2"`
	for _, most := range []string{`most="VTX 2"`, `most="VTXID"`, `most="VTXID two"`} {
		bad := strings.Replace(string(text), good, most, 1)
		if bad == string(text) {
			t.Fatalf("the description has no %s", good)
		}
		set, err := isa.Load(fstest.MapFS{"pica200.xml": {Data: []byte(bad)}}, "pica200.xml", isa.Options{Syntax: pica200.Syntax})
		if err != nil {
			t.Fatal(isa.Explain(err))
		}
		_, err = pica200.NewAssembler(set)
		if err == nil || !strings.Contains(err.Error(), most) {
			t.Errorf("%s: %v", most, err)
		}
	}
}
