package vectors

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/schematest"
)

// TestReport compares a report with one that was written by hand, and its JSON with the schema.
func TestReport(t *testing.T) {
	b := newBench(t, "pica200")
	bits := func(x ...float32) (out []uint64) {
		for _, v := range x {
			out = append(out, uint64(math.Float32bits(v)))
		}
		return out
	}
	inf := float32(math.Inf(1))
	v := b.word("mul r0.xy, v0, r1")
	v.Reasons = []string{"0 × infinity is 0"}
	b.add(v, map[string][]uint64{"v0": bits(0, 2, 0, 0), "r1": bits(inf, 3, 0, 0)})
	v.Reasons = []string{"a product", "a mask"}
	b.add(v, map[string][]uint64{"v0": bits(1, 2, 3, 4), "r1": bits(5, 6, 7, 8)})
	b.add(v, map[string][]uint64{"v0": bits(1, 2, 3, 4), "r1": bits(1, 1, 1, 1)})
	a := b.answers(b.faulty("gives NaN for 0 × infinity, where the machine has another rule"))
	find(&a.List[1].State, "r0").Values[3] = 7
	for i := range a.List {
		a.List[i].NoPC = true
	}
	b.file.Vectors = append(b.file.Vectors, Vector{Name: "test/4", Lanes: 1})
	r := b.check(a, CheckOptions{})
	want := `pica200: 2 of 3 results differ, 1 agree, 1 vector without a result
not compared, because no result contains them: pc

nan: the engine gives NaN for 0 × infinity, where the machine has another rule (1 vector)
  or: the engine does not apply the machine's rule for NaN
  instructions: test
  reason: 0 × infinity is 0
  example test/1:
    mul r0.xy, v0, r1
    v0.x 00000000 0
    v0.y 40000000 2
    v0.z 00000000 0
    v0.w 00000000 0
    r1.x 7f800000 +Inf
    r1.y 40400000 3
    r1.z 00000000 0
    r1.w 00000000 0
    r0.x expected 00000000 0 got 7fc00000 NaN
  vectors: test/1

write-mask: a component outside the write mask is written (1 vector)
  instructions: test
  reason: a mask
  reason: a product
  example test/2:
    mul r0.xy, v0, r1
    v0.x 3f800000 1
    v0.y 40000000 2
    v0.z 40400000 3
    v0.w 40800000 4
    r1.x 40a00000 5
    r1.y 40c00000 6
    r1.z 40e00000 7
    r1.w 41000000 8
    r0.w expected 00000000 0 got 00000007 1e-44
  vectors: test/2
`
	if got := string(r.Append(nil)); got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

// TestSchema requires that files, results and reports match the schema, and that each member of the schema occurs.
func TestSchema(t *testing.T) {
	schema := schematest.Load(t, "../docs/json.schema.json")
	full := sample(t)
	full.Quirks = map[string]string{"float": "f32"}
	full.Root, full.Doc, full.Fidelity, full.Source = "#instruction", "a doc", "exact", "hardware"
	full.Vectors[0].Context, full.Vectors[0].Quirks, full.Vectors[0].Active = map[string]string{"stage": "vs"}, map[string]string{"float": "f24"}, "1"
	data, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	schema.Def(t, "vectors").Check(t, "a file", data)
	if data, err = os.ReadFile("testdata/actual.json"); err != nil {
		t.Fatal(err)
	}
	schema.Def(t, "vectors").Check(t, "results", []byte(strings.Replace(string(data), `"actual": {`, `"hardware": {"calls": [], "stops": [], "memory": {"g0": {"0": "00"}}}, "actual": {`, 1)))
	b := picaFloats(t, "mul r0, v0, r1", 30)
	a := b.answers(b.engine(&theory{cause: CauseQuirk, quirks: map[string]string{"nan_zero": "true"}}))
	find(&a.List[0].State, "r0").Values[0] ^= 1
	for k := range 4 {
		find(&a.List[1].State, "r0").Values[k] = find(&b.file.Vectors[1].Initial, "r2").Values[k]
	}
	b.add(b.word("mov r0, v0"), map[string][]uint64{"v0": {1, 2, 3, 4}, "r2": {5, 6, 7, 8}})
	last := &b.file.Vectors[len(b.file.Vectors)-1]
	s := cloneState(&last.Final)
	copy(find(s, "r0").Values, []uint64{4, 3, 2, 1})
	a.List = append(a.List, Answer{Name: last.Name, State: *s})
	if data, err = json.Marshal(b.check(a, CheckOptions{})); err != nil {
		t.Fatal(err)
	}
	schema.Def(t, "report").Check(t, "a report", data)
	if unseen := schema.Unseen("vectors", "vector", "state", "call", "stop", "report", "group", "component", "difference"); len(unseen) > 0 {
		t.Errorf("no output has %q", unseen)
	}
}

// TestNaNBits requires that NaN with other bits differ only if the options say so.
func TestNaNBits(t *testing.T) {
	for _, machine := range []string{"pica200", "tesla"} {
		b := newBench(t, machine)
		text, to := "mul r0, v0, r1", map[string][]uint64{"v0": {0x7fc00000, 0, 0, 0}, "r1": {0x3f800000, 0, 0, 0}}
		if machine == "tesla" {
			text, to = "mul f32 $r0 $r1 $r2", map[string][]uint64{"r1": {0x7fc00000}, "r2": {0x3f800000}}
		}
		b.add(b.word(text), to)
		a := b.answers(changed(func(_ *Vector, s *State) { find(s, "r0").Values[0] = 0xffc00001 }))
		if r := b.check(a, CheckOptions{}); r.Differ != 0 {
			t.Errorf("%s: %s", machine, r.Append(nil))
		}
		r := b.check(a, CheckOptions{ExactNaN: true})
		if len(r.Groups) != 1 || r.Groups[0].Cause != CauseNaNBits {
			t.Errorf("%s: %s", machine, r.Append(nil))
		}
	}
}

// TestSeveralFaults requires that faults of one engine are separate groups, and that results with both are explained.
func TestSeveralFaults(t *testing.T) {
	list := newTheories()
	named := func(text string) *theory {
		return list[slices.IndexFunc(list, func(th *theory) bool { return th.text == text })]
	}
	b := picaFloats(t, "mad r0, v0, r1, r2", 150)
	r := b.check(b.answers(b.engine(named("treats denormal operands as 0"), named("computes a product and a sum as a fused multiply-add, with one rounding"))), CheckOptions{})
	explained := 0
	for _, g := range r.Groups {
		if g.Explained && (g.Cause == CauseDenormal || g.Cause == CauseFused) {
			explained += len(g.Vectors)
		}
	}
	if explained != r.Differ || len(r.Groups) < 2 {
		t.Errorf("%d of %d:\n%s", explained, r.Differ, r.Append(nil))
	}
	// Two quirks.
	b = picaFloats(t, "mad r0, v0, r1, r2", 150)
	r = b.check(b.answers(b.engine(&theory{cause: CauseQuirk, quirks: map[string]string{"nan_zero": "true", "float": "f24"}})), CheckOptions{})
	both := false
	for _, g := range r.Groups {
		if !g.Explained {
			t.Errorf("not explained:\n%s", r.Append(nil))
		}
		both = both || len(g.Quirks) == 2
	}
	if !both {
		t.Errorf("no group with both quirks:\n%s", r.Append(nil))
	}
}

// TestContradiction requires that a theory does not explain a result if it contradicts another one of the instruction.
func TestContradiction(t *testing.T) {
	b := newBench(t, "pica200")
	for range 3 {
		b.add(b.word("mul r0, v0, r1"), map[string][]uint64{"v0": {1, 0, 0, 0}, "r1": {0x4b000000, 0, 0, 0}}) // a denormal factor
	}
	a := b.answers(changed(func(_ *Vector, _ *State) {}))
	clear(find(&a.List[0].State, "r0").Values) // only the first result is flushed
	r := b.check(a, CheckOptions{})
	if r.Differ != 1 || len(r.Groups) != 1 || r.Groups[0].Explained {
		t.Errorf("%s", r.Append(nil))
	}
}

// TestOtherMachine requires that Check does not mix machines.
func TestOtherMachine(t *testing.T) {
	a, b := newBench(t, "pica200"), newBench(t, "tesla")
	_, err := Check(a.m, []*Answers{{File: a.file}, {File: b.file}}, CheckOptions{})
	if err == nil || !strings.Contains(err.Error(), "expected those of one machine") {
		t.Error(err)
	}
}

// TestStale requires that a vector that isago ends in another state is listed, and that its differences have a group.
func TestStale(t *testing.T) {
	b := picaFloats(t, "mul r0, v0, r1", 3)
	a := b.answers(changed(func(_ *Vector, _ *State) {}))
	find(&b.file.Vectors[1].Final, "r0").Values[2] ^= 1
	r := b.check(a, CheckOptions{})
	if len(r.Stale) != 1 || r.Stale[0] != "test/2" || r.Differ != 1 || len(r.Groups) != 1 || r.Groups[0].Explained {
		t.Errorf("%s", r.Append(nil))
	}
	if want := "isago itself ends 1 vector in another state than the file says: test/2\n"; !strings.Contains(string(r.Append(nil)), want) {
		t.Errorf("no %q in\n%s", want, r.Append(nil))
	}
}

// TestAlternatives requires that the report names each fault that explains the same vectors.
func TestAlternatives(t *testing.T) {
	b := newBench(t, "pica200")
	b.add(b.word("mova a0.xy, v0"), map[string][]uint64{"v0": {0x3fc00000, 0, 0, 0}}) // 1.5
	r := b.check(b.answers(b.engine(&theory{cause: CauseQuirk, quirks: map[string]string{"mova_nearest": "true"}})), CheckOptions{})
	if len(r.Groups) != 1 || !slices.Contains(r.Groups[0].Alternatives, "the engine rounds floats to integers up") {
		t.Errorf("%s", r.Append(nil))
	}
}

// TestIndependentFaults requires that a fault in one state does not hide the cause of another one.
func TestIndependentFaults(t *testing.T) {
	list := newTheories()
	flush := list[slices.IndexFunc(list, func(th *theory) bool { return th.text == "flushes denormal results to 0" })]
	b := picaFloats(t, "mul r0, v0, r1", 100)
	engine := b.engine(flush)
	r := b.check(b.answers(func(v *Vector) *State {
		s := engine(v)
		s.PC += 7
		s.Registers = append(s.Registers, b.register("cmp", []uint64{1, 0}))
		return s
	}), CheckOptions{})
	got := map[Cause]int{}
	for _, g := range r.Groups {
		got[g.Cause] += len(g.Vectors)
	}
	if r.Differ != 100 || got[CauseCounter] != 100 || got[CauseFlags] != 100 || got[CauseDenormal] == 0 || len(r.Groups) != 3 {
		t.Errorf("%v:\n%s", got, r.Append(nil))
	}
}

// TestLanes compares the results of a wave of several lanes.
func TestLanes(t *testing.T) {
	b := newBench(t, "example")
	v := b.word("add r0, r1, r2")
	v.Lanes = 3
	for lane := range 3 {
		for n, x := range []uint64{1, 0x7fff, uint64(lane)} {
			v.Initial.Registers = append(v.Initial.Registers, Register{Name: "r", Number: n, Lane: lane, Values: []uint64{x}, Bits: 16})
		}
	}
	v.Final = *cloneState(&v.Initial)
	for i, x := range v.Final.Registers {
		if x.Number == 0 {
			v.Final.Registers[i].Values[0] = 0x7fff + uint64(x.Lane)
		}
	}
	v.Final.PC = 1
	b.file.Vectors = append(b.file.Vectors, v)
	saturated := changed(func(_ *Vector, s *State) {
		for i, x := range s.Registers {
			if x.Number == 0 {
				s.Registers[i].Values[0] = 0x7fff
			}
		}
	})
	r := b.check(b.answers(saturated), CheckOptions{})
	if len(r.Groups) != 1 || r.Groups[0].Quirks["saturate"] != "true" || len(r.Stale) > 0 {
		t.Fatalf("%s", r.Append(nil))
	}
	d := r.Groups[0].Example.Differences
	if len(d) != 2 || d[0].Name != "r0 of lane 1" || d[1].Name != "r0 of lane 2" || d[1].Expected.Bits != "8001" {
		t.Errorf("%+v", d)
	}
}

// TestUnnamed requires that the report lists the states that no result contains only if vectors change them. The NaN of an
// operand is not a change, although the final state has the canonical NaN.
func TestUnnamed(t *testing.T) {
	b := newBench(t, "pica200")
	b.add(b.word("cmp v0, lt, le, r1"), map[string][]uint64{"v0": {0x7fc12345, 0, 0, 0}, "r1": {0, 1, 0, 0}, "aL": {5}})
	a := b.answers(changed(func(_ *Vector, s *State) {
		s.Registers = slices.DeleteFunc(s.Registers, func(r Register) bool { return nameOf(&r) != "r1" })
	}))
	r := b.check(a, CheckOptions{})
	if !slices.Equal(r.Unnamed, []string{"cmp"}) || r.Differ != 0 {
		t.Errorf("%v\n%s", r.Unnamed, r.Append(nil))
	}
}
