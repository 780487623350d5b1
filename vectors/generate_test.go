package vectors_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/vectors"
)

var all = flag.Bool("all", false, "generate the vectors of all instructions of all machines")

func generate(t testing.TB, m *exec.Machine, opt vectors.Options) *vectors.Result {
	t.Helper()
	res, err := vectors.Generate(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The engine passes the vectors of each machine, which an independent reader reads from JSON. Generate compares the
// engine with an evaluation of its own for each vector. At most one guard in a hundred is neither taken nor impossible.
func TestVectorsPass(t *testing.T) {
	machines := map[string][]string{
		"example": nil, "pica200": {"mul", "dp4", "call", "emit", "mova"}, "tegra": nil,
		"a2xx": {"MAXv", "COND_JMP", "LOOP_END"}, "tesla": {"add-b32.s", "joinat", "mul-f32.s"},
	}
	for _, name := range []string{"example", "pica200", "tegra", "a2xx", "tesla"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "example" && name != "pica200" {
				t.Skip("takes long")
			}
			t.Parallel()
			m := vectest.Open(t, name)
			opt := vectors.Options{Instructions: machines[name]}
			switch {
			case *all:
				opt.Instructions = nil
			case testing.Short() && name == "pica200":
				opt.Instructions = []string{"mova"}
			}
			res := generate(t, m, opt)
			rows, guards, left := 0, 0, 0
			names := map[string]bool{}
			for _, f := range res.Files {
				data, err := f.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				rows += passVectors(t, m, data)
				for k := range f.Vectors {
					v := &f.Vectors[k]
					if len(v.Reasons) == 0 || names[v.Name] {
						t.Errorf("%s has no reason, or its name is not unique", v.Name)
					}
					names[v.Name] = true
				}
			}
			for _, c := range res.Coverage {
				guards, left = guards+c.Guards, left+len(c.Open)
				if c.Taken+c.Impossible+len(c.Open) != c.Guards {
					t.Errorf("%s: %d taken, %d impossible and %d open guards of %d", c.Instruction, c.Taken, c.Impossible, len(c.Open), c.Guards)
				}
			}
			t.Logf("%d vectors of %d instructions, %d of %d guards open", rows, len(res.Coverage), left, guards)
			if rows == 0 || 100*left > guards {
				t.Errorf("%d vectors, and %d of %d guards are open, expected at most 1 %%", rows, left, guards)
			}
		})
	}
}

// The vectors do not depend on the number of processors.
func TestJobs(t *testing.T) {
	m := vectest.Open(t, "example")
	var texts [2][]byte
	for i, jobs := range []int{1, 3} {
		for _, f := range generate(t, m, vectors.Options{Jobs: jobs}).Files {
			var err error
			if texts[i], err = f.Append(texts[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the vectors differ")
	}
}

// The vectors of an instruction have the rows that its documents ask for.
func TestReasons(t *testing.T) {
	m := vectest.Open(t, "pica200")
	f := generate(t, m, vectors.Options{Instructions: []string{"mul"}}).Files[0]
	for _, want := range []string{"infinity times 0", "-0", "denormal", "NaN", "halfway", "DESC.NEG1", "DESC.SWZ2", "DESC.MASK"} {
		if !slices.ContainsFunc(f.Vectors, func(v vectors.Vector) bool { return strings.Contains(strings.Join(v.Reasons, "\n"), want) }) {
			t.Errorf("no vector of mul has a reason with %q", want)
		}
	}
	// Infinity times 0 is 0 (3dbrew): 7f800000 * 0 in every vector that says so and has no other rule.
	if f.Fidelity != "exact" || f.Source == "" || f.Quirks["nan_zero"] != "false" {
		t.Errorf("fidelity %q, source %q, quirks %v", f.Fidelity, f.Source, f.Quirks)
	}
}

func TestUnknownInstruction(t *testing.T) {
	_, err := vectors.Generate(context.Background(), vectest.Open(t, "example"), vectors.Options{Instructions: []string{"add", "nothing"}})
	if !errors.Is(err, vectors.ErrInstruction) || !strings.Contains(err.Error(), `"nothing", expected a mnemonic or `) {
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := vectors.Generate(ctx, vectest.Open(t, "tesla"), vectors.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
