package facts_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// flags is a machine whose lanes share a counter, as NVIDIA's do: threads that disagree at a branch wait on a stack.
const flags = `<isa name="flags" strict="true">
<file name="r" type="u8" count="3" scope="lane"/>
<register name="f" type="u1" scope="lane"/>
<register name="running" type="u64" scope="wave" init="exists"/>
<stack name="waiting" depth="4" scope="wave" full="trap" empty="none"><slot name="at" type="u8"/><slot name="threads" type="u64"/></stack>
<fetch unit="8" scope="wave"/>
<bitset name="#instruction" size="8"/>
<bitset name="less" extends="#instruction"><display>less</display><pattern low="0" high="7">00000000</pattern>
  <semantics>f = r[0] &lt; r[1] ? 1 : 0;</semantics></bitset>
<bitset name="branch" extends="#instruction"><display>branch</display><pattern low="0" high="7">00000001</pattern>
  <semantics scope="wave">
    let taken = running &amp; ballot(f == 1);
    if (taken == running) { pc = 100; }
    else if (taken != 0) { push waiting { at = next, threads = running &amp; ~taken }; running = taken; pc = 100; }
  </semantics></bitset>
<bitset name="both" extends="#instruction"><display>both</display><pattern low="0" high="7">00000010</pattern>
  <semantics scope="wave">if (any(f == 1) &amp;&amp; all(r[0] == 0)) { pc = 100; }</semantics></bitset>
</isa>`

// A branch of a wave of one lane is taken or not, and nobody waits. The ways have opposite conditions; a way that is taken
// under several has them as alternatives. The flag that is tested has a key over what it was computed from.
func TestConditions(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(flags)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := facts.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	known := func(s *facts.State, _, _ int) (uint64, bool) { return 1, s.Lanes }
	ways := func(word uint64) (list []facts.Way) {
		d, err := set.NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		in, _ := d.Decode(bits.Of(word))
		if list, err = m.Ways(d, in, facts.Stacks{}, known); err != nil {
			t.Fatal(err)
		}
		return list
	}
	part := func(name string, number int) facts.Part {
		for _, s := range m.States() {
			if s.Name == name {
				p, _ := m.Part(s, number, 0)
				return p
			}
		}
		t.Fatal(name)
		return 0
	}

	branch := ways(1)
	if len(branch) != 2 || branch[0].Next != 800 || branch[1].Next != 16-8 || branch[0].Stacks.Key() != "" || branch[1].Stacks.Key() != "" {
		t.Fatalf("branch: %+v, want two ways, to 800 and 8, without an entry on the stack", branch)
	}
	yes, no := branch[0].Conditions, branch[1].Conditions
	if len(yes) != 1 || len(no) != 1 || len(yes[0]) != 1 || len(no[0]) != 1 || yes[0][0].Key != no[0][0].Key || yes[0][0].Holds == no[0][0].Holds {
		t.Errorf("conditions %+v and %+v, want one and its opposite", yes, no)
	}
	if p := yes[0][0].Parts; len(p) != 1 || p[0] != part("f", 0) {
		t.Errorf("the condition depends on %v, want f", p)
	}

	both := ways(2)
	if len(both) != 2 || len(both[0].Conditions) != 1 || len(both[0].Conditions[0]) != 2 || len(both[1].Conditions) != 2 {
		t.Errorf("both: %+v, want one alternative of two conditions, and two alternatives", both)
	}

	less := ways(0)
	if len(less) != 1 || len(less[0].Conditions) != 1 || len(less[0].Conditions[0]) != 0 {
		t.Fatalf("less: %+v, want one way without conditions", less)
	}
	for _, c := range less[0].Changes {
		if want := fmt.Sprintf("p%x p%x ", part("r", 0), part("r", 1)); c.Part == part("f", 0) && !strings.Contains(c.Key, want) {
			t.Errorf("key %q, want %q in it", c.Key, want)
		}
	}
}
