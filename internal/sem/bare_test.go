package sem_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// TestBare checks that bare code has neither the operations that only inform nor the values that only they use, and no notes.
func TestBare(t *testing.T) {
	const text = `<isa strict="true">
<file name="r" type="u32" count="4"/>
<bitset name="#instruction" size="8">
  <around>r[3] = 1; inner;</around>
  <display>{N}</display>
  <field name="N" low="0" high="7" type="uint"/>
  <semantics>if (r[1] == 5) { unknown "what"; hazard "same" "why"; } r[0][7:0] = trunc(r[2], 8); if (r[2] == 7) { pc = 3; }</semantics>
</bitset>
</isa>`
	isa, err := spec.Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := model.New(isa, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := sem.New(mod)
	if err != nil {
		t.Fatal(err)
	}
	root, _ := mod.Root("")
	words := &sem.Words{Context: mod.Context}
	code, err := m.Annotated(root, words, bits.Of(uint64(0)), 0)
	if err != nil {
		t.Fatal(err)
	}
	var notes sem.Notes
	for _, in := range code.Insts {
		notes |= in.Notes
	}
	for _, op := range []string{"unknown", "hazard", "flow", "eq %", "read r[1]"} {
		if !strings.Contains(code.String(), op) {
			t.Errorf("no %s in\n%s", op, code)
		}
	}
	if notes != sem.Kept|sem.Around {
		t.Errorf("notes %b", notes)
	}
	bare := code.Bare()
	for _, in := range bare.Insts {
		if in.Notes != 0 || in.Op.Informs() {
			t.Errorf("%s with notes %b", in.Op, in.Notes)
		}
	}
	if strings.Contains(bare.String(), "read r[1]") || strings.Count(bare.String(), "write") != 2 || strings.Count(bare.String(), "jump") != 1 {
		t.Errorf("bare code:\n%s", bare)
	}
	for _, in := range code.Insts { // which is not changed
		notes &^= in.Notes
	}
	if err := code.Verify(); notes != 0 || err != nil {
		t.Errorf("after Bare: %v, notes %b\n%s", err, notes, code)
	}
}
