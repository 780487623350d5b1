package sem_test

import (
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// TestFunctions reads functions of a description as operations. Those that depend on registers, that are generic or that
// return vectors are omitted. By hand: plus(3, 4) is 7 or, with the quirk, 8, and clamp(9) is 5 because of its condition.
func TestFunctions(t *testing.T) {
	const text = `<isa strict="true">
<file name="r" type="u32" count="8"/>
<quirk name="q" type="bool" default="false"/>
<function name="plus(a: u32, b: u32): u32">if ({@q}) { return a + b + 1; } return a + b;</function>
<function name="clamp(a: u32): u32"><![CDATA[ var x = a; if (a > 5) { x = 5; } return x; ]]></function>
<function name="reads(a: u32): u32">return a + r[0];</function>
<function name="generic(a: u[n]): u[n]">return a;</function>
<function name="pair(a: u32): u32x2">return u32x2(a, a);</function>
<bitset name="#instruction" size="8">
  <display>{A}</display>
  <field name="A" low="0" high="7" type="uint"/>
  <semantics>r[0] = plus(r[1], clamp({A}));</semantics>
</bitset>
</isa>`
	isa, err := spec.Load(fstest.MapFS{"f.xml": {Data: []byte(text)}}, "f.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	bound, err := model.New(isa, model.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := sem.New(bound)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	for quirk, want := range []uint64{7, 8} {
		list := m.Functions(&sem.Words{Quirks: map[string]uint64{"q": uint64(quirk)}})
		if len(list) != 2 || list[0].Name != "clamp" || list[1].Name != "plus" {
			t.Fatalf("%d functions: %v", len(list), list)
		}
		if got := apply(list[1], 3, 4); got != want {
			t.Errorf("plus(3, 4) is %d, expected %d", got, want)
		}
		for arg, want := range map[uint64]uint64{9: 5, 2: 2} {
			if got := apply(list[0], arg); got != want {
				t.Errorf("clamp(%d) is %d, expected %d", arg, got, want)
			}
		}
	}
}

// apply computes a function of scalars.
func apply(f *sem.Function, args ...uint64) uint64 {
	values := make([]uint64, len(f.Insts))
	for i, p := range f.Params {
		values[p.IDs[0]] = args[i]
	}
	get := func(id sem.ID) uint64 {
		if id == sem.NoID {
			return 0
		}
		return values[id]
	}
	for i := range f.Insts {
		switch in := &f.Insts[i]; {
		case in.Op == sem.OpConst:
			values[i] = in.Imm
		case in.Op.Pure():
			values[i] = sem.Apply(in, get(in.A), get(in.B), get(in.C))
		}
	}
	return values[f.Result]
}
