package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/equal"
	"github.com/isago/isago/internal/schematest"
)

// The output of equal --json matches the schema, and each member of the schema occurs.
func TestEqualSchema(t *testing.T) {
	schema := schematest.Load(t, "../../docs/json.schema.json")
	const pica = "../../examples/pica200/"
	for _, args := range [][]string{
		{pica + "light.shbin", pica + "light.shbin"},
		{pica + "light.shbin", pica + "skin.shbin"},
		{"../../examples/tesla/vecadd.cubin", "../../examples/tesla/saxpy.cubin"},
		{"--runs", "1", "--isa", "tegra", "../../examples/tegra/skin.asm", "../../examples/tegra/wave.asm"},
	} {
		var out, errs bytes.Buffer
		if status := run(append([]string{"equal", "--json"}, args...), strings.NewReader(""), &out, &errs); status != exitOK && status != exitFindings {
			t.Fatalf("%v: exit status %d, %s", args, status, &errs)
		}
		schema.Def(t, "equal").Check(t, strings.Join(args, " "), out.Bytes())
	}
}

// verdictOf compares two sources.
func verdictOf(t *testing.T, name, a, b string) *equal.Result {
	t.Helper()
	dir := t.TempDir()
	var programs [2]*compared
	for i, text := range []string{a, b} {
		p, err := opened(dir, name, strconv.Itoa(i), strings.Split(text, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		programs[i] = p
	}
	r, err := equal.Compare(t.Context(), programs[0].program(), programs[1].program(), equal.Options{Runs: 8})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestEqualLoopChain compares loops that move a value through many registers, one in each iteration. The values differ, but only after
// as many iterations. Values of the loops that are paired must not count as equal before this is proved.
func TestEqualLoopChain(t *testing.T) {
	var steps strings.Builder
	for i := 23; i > 0; i-- {
		comp := func(n int) string { return fmt.Sprintf("r%d.%c", n%12, "xy"[n/12]) }
		fmt.Fprintf(&steps, "\t\tmov %s, %s\n", comp(i), comp(i-1))
	}
	text := func(first string) string {
		return ".ivec count\n.in first v0\n.in second v1\n.out out position\n.proc main\n\tfor count\n" + steps.String() + "\t\tmov r0.x, " + first +
			"\n\t.end\n\tmov out, r11.y\n\tend\n.end\n"
	}
	if r := verdictOf(t, "chain.pica", text("first"), text("first")); r.Verdict != equal.Equal {
		t.Errorf("the same program: %v %v, expected equal", r.Verdict, r.Reasons)
	}
	if r := verdictOf(t, "chain.pica", text("first"), text("second")); r.Verdict == equal.Equal {
		t.Error("different programs are equal")
	}
}

// TestEqualEmits compares geometry shaders, whose vertices count and not their outputs at the end.
func TestEqualEmits(t *testing.T) {
	data, err := os.ReadFile("../../examples/pica200/points.pica")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	r := verdictOf(t, "points.pica", text, strings.Replace(text, "\tmov r1, corner.xyzz\n", "\tmov r1, corner.xxzz\n", 1))
	if r.Verdict != equal.Differs {
		t.Fatalf("%v %v, expected differs", r.Verdict, r.Reasons)
	}
	// The third corner is the third call.
	if name := r.Difference.Outputs[0].Name; name != "position.y in call 3 of the host, emit" {
		t.Errorf("%s differs, expected position.y in call 3", name)
	}
	unseen := strings.Replace(text, "\tcall vertex\n\tend\n", "\tcall vertex\n\tmov out_color, r1\n\tend\n", 1)
	if r := verdictOf(t, "points.pica", text, unseen); unseen == text || r.Verdict != equal.Equal {
		t.Errorf("an output that is not emitted: %v %v, expected equal", r.Verdict, r.Reasons)
	}
}

// TestEqualWithoutEnd compares a program without an end with itself. Its outputs have no values.
func TestEqualWithoutEnd(t *testing.T) {
	const text = ".in position v0\n.out out position\n.bool more\n.constf k(0.0, 1.0, 2.0, 3.0)\n.proc main\nagain:\n\tmov out, position\n\tmov r0, k\n\tcmp k, eq, eq, r0\n\tjmpc cmp.x, again\n\tend\n.end\n"
	if r := verdictOf(t, "endless.pica", text, text); r.Verdict == equal.Differs {
		t.Errorf("%v, expected no difference", r.Verdict)
	}
}
