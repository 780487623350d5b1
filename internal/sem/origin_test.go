package sem_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// Each call of a function is a place of its own, an operation has the statement from which it comes, even if the writes of
// together delay it, and conditions on fields have their result.
func TestTraced(t *testing.T) {
	const text = `<isa strict="true">
<file name="r" type="u32" count="4"/>
<function name="twice(x: u32): u32">return x * x;</function>
<bitset name="#instruction" size="8">
  <display>{N}</display>
  <field name="N" low="0" high="7" type="uint"/>
  <semantics>if ({N} == 1) { r[3] = 0; } let a = twice(r[1]); let b = twice(r[2]);
  together { r[1] = b; r[2] = a; } if (r[0] == 7) { pc = 3; }</semantics>
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
	lower := func(word uint64) (*sem.Code, *sem.Origins) {
		code, origins, err := m.Traced(root, &sem.Words{Context: mod.Context}, bits.Of(word), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(origins.Insts) != len(code.Insts) {
			t.Fatalf("%d origins of %d operations", len(origins.Insts), len(code.Insts))
		}
		return code, origins
	}
	code, origins := lower(0)
	var products []uint64
	for i := range code.Insts {
		o := &origins.Insts[i]
		at := ""
		if o.Span.IsValid() {
			at = o.Span.Src.Text[o.Span.Off:o.Span.End]
		}
		switch in := &code.Insts[i]; {
		case in.Op == sem.OpMul:
			products = append(products, o.Place)
			if o.Function == nil || at != "return x * x;" {
				t.Errorf("the product comes from %q", at)
			}
		case in.Op == sem.OpWrite:
			if want := map[uint64]string{1: "r[1] = b;", 2: "r[2] = a;"}[in.Imm]; at != want || o.Function != nil {
				t.Errorf("the write of r%d comes from %q, expected %q", in.Imm, at, want)
			}
		}
	}
	if len(products) != 2 || products[0] == products[1] {
		t.Errorf("the products are at %v, expected two places", products)
	}
	if len(origins.Conditions) != 2 {
		t.Fatalf("%d conditions, expected 2", len(origins.Conditions))
	}
	if c := origins.Conditions[0]; c.Value != sem.NoID || c.Holds {
		t.Errorf("the condition on N has value %d and holds: %t", c.Value, c.Holds)
	}
	if c := origins.Conditions[1]; c.Path != sem.NoID || code.Insts[c.Value].Op != sem.OpEq {
		t.Errorf("the condition on r0 is %s under %d", code.Insts[c.Value].Op, c.Path)
	}
	if _, other := lower(1); !other.Conditions[0].Holds || other.Conditions[0].Place != origins.Conditions[0].Place {
		t.Error("N = 1: the condition on N does not hold, or has another place")
	}
}
