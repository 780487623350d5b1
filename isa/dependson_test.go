package isa_test

import (
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// TestDependsOn has an instruction with one source. It ignores the second source of the entry and the
// components that it does not write: mov o0.zw, v1 uses only z and w.
func TestDependsOn(t *testing.T) {
	set, err := isa.Load(os.DirFS("../target/pica200"), "pica200.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.SetTable(0, []bits.Value{bits.Of(0x363)})
	in, ok := d.Decode(bits.Of(0x4c001000))
	if !ok {
		t.Fatal("no instruction")
	}
	want := map[string][2]bool{
		"DESC": {true, true}, "DESC.MASK": {true, true}, "DESC.NEG1": {true, true}, "DESC.NEG2": {false, false}, "DESC.SWZ2": {false, false},
		"DESC.SWZ1": {true, false}, "DESC.SWZ1.C0": {false, false}, "DESC.SWZ1.C2": {true, true}, "SRC1": {true, true},
	}
	found := 0
	for _, f := range d.Fields(nil, in) {
		x, ok := want[f.Path]
		if !ok {
			continue
		}
		found++
		if some, all := d.DependsOn(in, &f); some != x[0] || all != x[1] {
			t.Errorf("%s: some %v, all %v, want %v", f.Path, some, all, x)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d fields found", found, len(want))
	}
}
