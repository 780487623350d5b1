package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// counter is a machine whose stack holds a number that the program computes.
const counter = `<isa strict="true">
<file name="r" type="u8" count="2" init="0"/>
<file name="given" type="bool" count="2" use="input" init="0"/>
<stack name="s" depth="2" full="overwrite" empty="none"><slot name="v" type="u8"/></stack>
<service name="ask(a: u8, b: bool): u8" reads="r"/>
<fetch unit="8"/>
<bitset name="#instruction" size="8"/>
<bitset name="ask" extends="#instruction"><display>ask</display><pattern low="0" high="7">00000100</pattern><semantics>ask(r[0], true); if (given[0]) { r[1] = ask(7, false); }</semantics></bitset>
<bitset name="inc" extends="#instruction"><display>inc</display><pattern low="0" high="7">00000000</pattern><semantics>r[0] = r[0] + 1;</semantics></bitset>
<bitset name="save" extends="#instruction"><display>save</display><pattern low="0" high="7">00000001</pattern><semantics>push s { v = r[0] };</semantics></bitset>
<bitset name="load" extends="#instruction"><display>load</display><pattern low="0" high="7">00000010</pattern><semantics>r[1] = r[1] ^ top(s).v; pop s;</semantics></bitset>
<bitset name="end" extends="#instruction"><display>end</display><pattern low="0" high="7">00000011</pattern><semantics>end;</semantics></bitset>
<bitset name="more" extends="#instruction"><display>more {TO}</display><pattern low="6" high="7">01</pattern><pattern low="3" high="5">000</pattern><field name="TO" low="0" high="2" type="absbranch"/>
  <semantics>if (given[0] &amp;&amp; r[0] &lt; 9) { r[0] = r[0] + 1; pc = {TO}; }</semantics></bitset>
<bitset name="again" extends="#instruction"><display>again {TO}</display><pattern low="6" high="7">10</pattern><pattern low="3" high="5">000</pattern><field name="TO" low="0" high="2" type="absbranch"/>
  <semantics>if (r[0] &lt; 5) { pc = {TO}; }</semantics></bitset>
</isa>`

// TestLateChange specialises a loop in which a stack slot looks constant until the end of the loop has been evaluated. The
// nodes with the constant, which form a loop of their own, are not part of the program. By hand: without given[0], r0
// counts to 5 in steps of 1, and load reads 1, 2, 3, 4 and 5, whose exclusive or is 1.
func TestLateChange(t *testing.T) {
	r0, r1 := check(t, []uint64{0x00, 0x01, 0x42, 0x02, 0x80, 0x03}, func(s *sem.State, _, _ int) bool { return s.Use == "input" }) // inc, save, more 2, load, again 0, end
	if r0 != 5 || r1 != 1 {
		t.Errorf("r0 is %d and r1 %d, expected 5 and 1", r0, r1)
	}
}

// TestOverwrite pushes three values that are not constant onto a stack of two entries. By hand: r0 starts at 0 in the first
// lane, so that the stack loses 0 and load reads 2, 1 and nothing.
func TestOverwrite(t *testing.T) {
	r0, r1 := check(t, []uint64{0x01, 0x00, 0x01, 0x00, 0x01, 0x02, 0x02, 0x02, 0x03}, nil) // save, inc, save, inc, save, load, load, load, end
	if r0 != 2 || r1 != 3 {
		t.Errorf("r0 is %d and r1 %d, expected 2 and 3", r0, r1)
	}
}

// TestServices calls a service whose result is not used, and one under a condition, each in two instructions. The calls are
// not removed, joined or exchanged, and the host sees the registers as they are at the call.
func TestServices(t *testing.T) {
	c := flowtest.Config(program(t, []uint64{0x04, 0x04, 0x03}), 0) // ask, ask, end
	c.Wanted = func(s *sem.State, _, _ int) bool { return s.Name == "r" }
	x, err := flow.Specialise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Verify(); err != nil {
		t.Fatalf("%v\n%s", err, x)
	}
	for given, want := range [2]string{"0 true, sees 0 0; 0 true, sees 0 0; r1 = 0", "0 true, sees 0 0; 7 false, sees 0 0; 0 true, sees 0 9; 7 false, sees 0 9; r1 = 9"} {
		var got strings.Builder
		r := c.Machine.State("r")
		call := func(c *flow.Call) {
			fmt.Fprintf(&got, "%d %t, sees %d %d; ", c.Args[0][0], c.Args[1][0] != 0, c.Seen(flow.Variable{State: r}, 0), c.Seen(flow.Variable{State: r, Number: 1}, 0))
			c.Results[0][0] = 9
		}
		res, ok := x.Run(flow.Host{Call: call, Read: func(flow.Variable, int) uint64 { return uint64(given) }}, 1, 100)
		fmt.Fprintf(&got, "r1 = %d", res.Outputs[flow.Variable{State: r, Number: 1}][0])
		if !ok || res.Stops[0] != "" || got.String() != want {
			t.Errorf("given %d: %v, %q, calls %s, expected %s\n%s", given, ok, res.Stops, got.String(), want, x)
		}
	}
}

// check compares a specialised program with the plain engine in eight lanes. It returns the registers of the first lane. The
// lane number is in r0 if the launch sets r0, and given[0] is set in every other group of eight lanes.
func check(t *testing.T, code []uint64, given func(s *sem.State, number, comp int) bool) (r0, r1 uint64) {
	t.Helper()
	p := program(t, code)
	m := p.Machine
	r := m.State("r")
	start := func() *exec.Wave {
		w := exec.NewWave(p)
		w.Budget = 1000
		w.Start(exec.Lanes, 0)
		for lane := range exec.Lanes {
			w.Set(m.State("given"), 0, 0, lane, uint64(lane>>3&1))
			if given == nil || given(m.Inside(inside.Key{}).State("r"), 0, 0) {
				w.Set(r, 0, 0, lane, uint64(lane))
			}
		}
		return w
	}
	after := start()
	if err := after.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tally := flowtest.Tally{Given: given}
	if err := tally.Check(t.Context(), 0, start(), after); err != nil {
		t.Errorf("%v", err)
	}
	if tally.Lanes != 8 || len(tally.Others) > 0 {
		t.Errorf("%v", tally)
	}
	return after.Get(r, 0, 0, 0), after.Get(r, 1, 0, 0)
}

// program returns a program of the machine counter.
func program(t *testing.T, code []uint64) *exec.Program {
	t.Helper()
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(counter)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	return exec.NewProgram(m, exec.Words{Root: root, Fetch: func(addr uint64) (bits.Value, bool) {
		if addr >= uint64(len(code)) {
			return bits.Value{}, false
		}
		return bits.Of(code[addr]), true
	}})
}
