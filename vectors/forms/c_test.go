package forms_test

import (
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/vectors"
	"github.com/isago/isago/vectors/forms"
)

// TestRunnerIsShort holds the promise that the runner has at most 60 lines.
func TestRunnerIsShort(t *testing.T) {
	out, err := forms.C(nil, vectest.Open(t, "pica200"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out {
		if f.Name != "isago_vectors.h" {
			continue
		}
		_, text, ok := strings.Cut(string(f.Data), "/* ---- the runner ---- */\n")
		if n := strings.Count(text, "\n") - 1; !ok || n > 60 { // without the last #endif
			t.Errorf("%d lines, expected at most 60", n)
		}
		return
	}
	t.Error("no isago_vectors.h")
}

var machines = []struct {
	name  string
	files func(testing.TB, *exec.Machine) []*vectors.File
}{{"pica200", vectest.Pica200}, {"tesla", vectest.Tesla}}

// TestCRunner compiles the headers as C and C++ without a warning, and runs all vectors on the plain engine.
func TestCRunner(t *testing.T) {
	for _, x := range machines {
		t.Run(x.name, func(t *testing.T) {
			m := vectest.Open(t, x.name)
			root, err := m.Root("")
			if err != nil {
				t.Fatal(err)
			}
			files := x.files(t, m)
			out, err := forms.C(files, m)
			if err != nil {
				t.Fatal(err)
			}
			for _, cc := range [][]string{{"gcc", "-std=c99", "emulator.c"}, {"g++", "-std=c++11", "-x", "c++", "emulator.c"}} {
				dir := t.TempDir()
				write(t, dir, x.name, out, runAll)
				vectest.Compile(t, dir, vectest.Tool(t, cc[0]), append(append(cc[1:len(cc):len(cc)], strict...), "-O1", "-o", "emulator")...)
				text, err := start(t, dir+"/emulator", m, root, nil)
				if err != nil || strings.Count(text, " 0 failed, 0 need state") != len(files) {
					t.Errorf("%s: %v\n%s", cc[0], err, text)
				}
			}
		})
	}
}

// brokenEmulators have a fault each. The runner must report it at the vectors where it shows.
var brokenEmulators = []struct {
	name   string
	broken fault
	want   []string
}{
	{"a component", func(command, state string, number uint64, parts []uint64) []uint64 {
		if command == "get" && state == "r" && number == 0 && parts[0] == 0x40700000 {
			parts[1] ^= 1
		}
		return parts
	}, []string{"add/1: add r0, v1, r2\n  reason: 1.5 + 2.25 is exact\n  r0.y, lane 0: expected 40700000, got 40700001\n", "add/3: ", "pica200 add: 1 passed, 2 failed"}},
	{"a flag", func(command, state string, _ uint64, parts []uint64) []uint64 {
		if command == "get" && state == "cmp" {
			parts[1] = 0
		}
		return parts
	}, []string{"cmp/1: cmp c1, lt, ge, r0\n  reason: x is less, and y is equal\n  cmp.y, lane 0: expected 1, got 0\n"}},
	{"the program counter", func(command, _ string, _ uint64, parts []uint64) []uint64 {
		if command == "run" && parts[0] == 5 {
			parts[0] = 1
		}
		return parts
	}, []string{"call/1: call 0x5, 2\n  reason: an entry on the stack\n  pc: expected 0x5, got 0x1\n"}},
	{"an entry", func(command, state string, number uint64, parts []uint64) []uint64 {
		if command == "get" && state == "calls" && number == 1 && parts != nil {
			return nil
		}
		return parts
	}, []string{"call/1: ", "  calls: expected an entry 1\n"}},
	{"a slot", func(command, state string, number uint64, parts []uint64) []uint64 {
		if command == "get" && state == "calls" && number == 1 && parts != nil {
			parts[0] = 8
		}
		return parts
	}, []string{"  calls[1].end, lane 0: expected 00000007, got 00000008\n"}},
	{"a register that must not change", func(command, state string, number uint64, parts []uint64) []uint64 {
		if command == "get" && state == "o" && number == 3 {
			parts[2] = 9
		}
		return parts
	}, []string{"  o3.z, lane 0: expected 00000000, got 00000009\n"}},
}

// TestWrongEmulator holds that the runner reports the faults of an emulator, each with the name, the disassembly and the
// reason of the vector.
func TestWrongEmulator(t *testing.T) {
	m := vectest.Open(t, "pica200")
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	out, err := forms.C(vectest.Pica200(t, m), m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "pica200", out, runAll)
	vectest.Compile(t, dir, vectest.Tool(t, "gcc"), append([]string{"-std=c99", "-o", "emulator", "emulator.c"}, strict...)...)
	for _, x := range brokenEmulators {
		text, err := start(t, dir+"/emulator", m, root, x.broken)
		if err == nil {
			t.Errorf("%s: the runner reports no failure", x.name)
		}
		for _, want := range x.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s\nexpected: %s", x.name, text, want)
			}
		}
	}
}

// TestLackingState holds that a vector counts separately if the emulator lacks a part of its state.
func TestLackingState(t *testing.T) {
	m := vectest.Open(t, "pica200")
	out, err := forms.C(vectest.Pica200(t, m), m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "pica200", out, `
static void none(void *user, const struct isago_file *f, const struct isago_vector *v) { (void)user, (void)f, (void)v; }
static int lacks(void *user, const struct isago_piece *p, const uint64_t *parts) { (void)user, (void)parts; return p->state != pica200_calls; }
int main(void)
{
	const struct isago_emulator e = {NULL, none, lacks, get, run, NULL, NULL};
	(void)emulator, (void)reset, (void)set;
	return isago_run(&pica200_file_call, &e, stdout);
}
`)
	vectest.Compile(t, dir, vectest.Tool(t, "gcc"), append([]string{"-std=c99", "-o", "emulator", "emulator.c"}, strict...)...)
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	text, err := start(t, dir+"/emulator", m, root, nil)
	if want := "pica200 call: 0 passed, 0 failed, 1 need state that the emulator lacks\n"; err != nil || text != want {
		t.Errorf("%v\n%s, expected %s", err, text, want)
	}
}

// TestStates holds that the header of each machine compiles, and has the names of its states.
func TestStates(t *testing.T) {
	for name, want := range map[string][]string{
		"pica200": {"pica200_v,", "pica200_aL,", "pica200_calls,", `{"c", ISAGO_REGISTERS, 0, 1, 1, 96, 4, 32, pica200_parts_`},
		"tegra":   {"tegra_a,", "tegra_A0,", `{"cr", ISAGO_REGISTERS, 0, 0, 0, 0, 4, 3, tegra_parts_`}, // cr is 2 after a reset
		"a2xx":    {"a2xx_R,", "a2xx_loops,", `{"memory", ISAGO_MEMORY, 0, 0, 1, 0, 1, 8, 0}`},
		"tesla":   {"tesla_c,", "tesla_c0,", "tesla_tokens,", `{"r", ISAGO_REGISTERS, 0, 0, 0, 128, 1, 32, 0}`},
	} {
		m := vectest.Open(t, name)
		out, err := forms.C(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		write(t, dir, name, out, runAll)
		for _, f := range out {
			for _, w := range want {
				if f.Name == name+"_vectors.h" && !strings.Contains(string(f.Data), w) {
					t.Errorf("%s: %s\nexpected %s", name, f.Data, w)
				}
			}
		}
		vectest.Compile(t, dir, vectest.Tool(t, "gcc"), append([]string{"-std=c99", "-fsyntax-only", "emulator.c"}, strict...)...)
	}
}

// TestWrite holds that Write knows its forms, rejects others, and reports what a form leaves out.
func TestWrite(t *testing.T) {
	m := vectest.Open(t, "pica200")
	files := vectest.Pica200(t, m)
	for _, form := range forms.Forms {
		out, report, err := forms.Write(form, files, m)
		if err != nil || len(out) == 0 || (report != "") != (form == "3ds") {
			t.Errorf("%s: %d files, report %q, error %v", form, len(out), report, err)
		}
	}
	if _, _, err := forms.Write("rust", files, m); err == nil || err.Error() != `form "rust", expected one of c, catch2, 3ds` {
		t.Error(err)
	}
	tesla := vectest.Open(t, "tesla")
	if _, _, err := forms.Write("3ds", vectest.Tesla(t, tesla), tesla); err == nil || !strings.Contains(err.Error(), "tesla") {
		t.Error(err)
	}
}

// TestVectorQuirks holds that the quirks of a vector override those of its file: without -0, 1 / -0 is infinity.
func TestVectorQuirks(t *testing.T) {
	m := vectest.Open(t, "pica200")
	sample := vectest.Sample{Text: "rcp r4, c2.y", Words: "3a822000", Tables: map[string][]string{"opdesc": {"00000aaf"}}, Steps: 1, Reason: "-0",
		Before: []vectest.Place{vectest.At("c", 2, -1, 0, 0x80000000, 0, 0), vectest.At("r", 4, 0, 0, 0, 0, 0)}}
	other := sample
	other.Quirks = map[string]string{"float": "f24"}
	f := vectest.Record(t, m, "pica200", "rcp", sample, other)
	f.Quirks = map[string]string{"float": "f32", "beyond": "zero"}
	for i, want := range []uint64{0xff800000, 0x7f800000} {
		for _, r := range f.Vectors[i].Final.Registers {
			if r.Name == "r" && r.Values[0] != want {
				t.Errorf("r4.x is %x, expected %x", r.Values[0], want)
			}
		}
	}
	out, err := forms.C([]*vectors.File{f}, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"rcp/1", "beyond=zero float=f32", `, `{"rcp/2", "beyond=zero float=f24", `} {
		if text := string(out[0].Data); !strings.Contains(text, want) {
			t.Errorf("%s\nexpected %s", text, want)
		}
	}
	dir := t.TempDir()
	write(t, dir, "pica200", out, runAll)
	vectest.Compile(t, dir, vectest.Tool(t, "gcc"), append([]string{"-std=c99", "-o", "emulator", "emulator.c"}, strict...)...)
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := start(t, dir+"/emulator", m, root, nil); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}
