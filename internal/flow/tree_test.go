package flow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/sem"
)

// outline returns structured code in one line.
func outline(list []*flow.Tree) string {
	var parts []string
	for _, t := range list {
		switch t.Kind {
		case flow.Code:
			parts = append(parts, fmt.Sprintf("b%d", t.Block.Index))
		case flow.If:
			parts = append(parts, fmt.Sprintf("if {%s} else {%s}", outline(t.Body), outline(t.Else)))
		case flow.Loop:
			parts = append(parts, fmt.Sprintf("loop {%s}", outline(t.Body)))
		case flow.Scope:
			parts = append(parts, fmt.Sprintf("scope {%s}", outline(t.Body)))
		case flow.Go:
			parts = append(parts, fmt.Sprintf(">%d", t.Edge.To.Index))
		case flow.End:
			parts = append(parts, "end")
		}
	}
	return strings.Join(parts, " ")
}

// TestStructure structures a loop, a condition whose sides meet, and a loop that is entered in two places. By hand: in the
// first, again goes back to b1 and otherwise ends. In the second, more skips two increments, so that both sides lead to b1
// with another value. In the third, more 2 enters the loop of again 1 at its second instruction.
func TestStructure(t *testing.T) {
	for _, x := range []struct {
		code []uint64
		want string
	}{
		{[]uint64{0x00, 0x80, 0x03}, "b0 >1 loop {b1 if {>1} else {>2 b2 end}}"},  // inc, again 0, end
		{[]uint64{0x43, 0x00, 0x00, 0x03}, "scope {b0 if {>1} else {>1}} b1 end"}, // more 3, inc, inc, end
		{[]uint64{0x42, 0x00, 0x81, 0x03}, "a loop with several entries"},         // more 2, inc, again 1, end
	} {
		c := flowtest.Config(program(t, x.code), 0)
		c.Wanted = func(*sem.State, int, int) bool { return true }
		p, err := flow.Specialise(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := p.Structure()
		got := outline(tree)
		if err != nil {
			got = err.Error()
		}
		if got != x.want {
			t.Errorf("%s, expected %s\n%s", got, x.want, p)
		}
		if err != nil {
			continue
		}
		if err := p.VerifyTree(tree); err != nil {
			t.Error(err)
		}
		for i := range tree {
			if p.VerifyTree(slices.Delete(slices.Clone(tree), i, i+1)) == nil {
				t.Errorf("%s without its part %d is accepted", got, i)
			}
		}
	}
}

// TestWritten checks that a value is recorded for the register that its instruction writes, not for one that receives it later.
func TestWritten(t *testing.T) {
	p := program(t, []uint64{0x00, 0x01, 0x02, 0x03}) // inc, save, load, end
	c := flowtest.Config(p, 0)
	c.Given = func(*sem.State, int, int) bool { return true }
	c.Wanted = func(s *sem.State, _, _ int) bool { return s.Name == "r" }
	x, err := flow.Specialise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	sums := 0
	for _, b := range x.Blocks {
		for _, id := range b.Insts {
			if x.Insts[id].Op != sem.OpAdd {
				continue
			}
			sums++
			if v, ok := x.Written[id]; !ok || v.State.Name != "r" || v.Number != 0 {
				t.Errorf("the sum is recorded for %v, expected r[0]\n%s", v, x)
			}
		}
	}
	if sums != 1 {
		t.Errorf("%d sums, expected 1\n%s", sums, x)
	}
}
