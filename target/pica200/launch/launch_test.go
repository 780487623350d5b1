package launch_test

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// rows holds what instructions do; its head tells the columns.
//
//go:embed testdata/meaning.txt
var rows string

func load(t testing.TB) (*isa.Set, *exec.Machine) {
	t.Helper()
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	m, err := exec.Open(set)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return set, m
}

// assemble makes a file of lines of picasso's language; P is a procedure that adds c5 to r0.
func assemble(t testing.TB, lines string) *pica200.SHBIN {
	t.Helper()
	source := ".proc main\n" + strings.ReplaceAll(lines, " / ", "\n") + "\nend\n.end\n.proc P\nadd r0, c5, r0\n.end\n"
	if strings.Contains(lines, "setemit") {
		source = ".gsh point c0\n" + source
	}
	c, err := pica200.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile([]*diag.Source{{Name: "row", Text: source}}, program.CompileOptions{})
	if err != nil {
		t.Fatalf("%s: %v", lines, err)
	}
	file, err := pica200.ReadSHBIN(out.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Each row gives what it says, in each of 64 lanes, and every instruction of the description has a row.
func TestMeaning(t *testing.T) {
	set, m := load(t)
	seen := map[string]bool{}
	for i, line := range strings.Split(rows, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		cells := append(strings.Split(line, "\t"), "", "")
		checkRow(t, set, m, i+1, cells, seen)
	}
	root, _ := set.Root("")
	for _, leaf := range root.Leaves {
		if !seen[leaf.Name] {
			t.Errorf("no row for %s", leaf.Name)
		}
	}
}

// rowProgram returns the program of a row.
func rowProgram(t *testing.T, m *exec.Machine, cells []string) (file *pica200.SHBIN, p *exec.Program, entry uint64) {
	t.Helper()
	file = assemble(t, cells[0])
	root, _ := m.Root("")
	words := m.Words32(root, file.DVLP.Code, 0)
	for _, d := range file.DVLP.Descriptors {
		words.Tables[0] = append(words.Tables[0], bits.Of(uint64(d.Value)))
	}
	quirks := map[string]string{}
	if name, value, ok := strings.Cut(cells[3], "="); ok {
		quirks[name] = value
	}
	var err error
	if words.Quirks, err = m.ParseQuirks(quirks); err != nil {
		t.Fatal(err)
	}
	return file, exec.NewProgram(m, words), uint64(file.DVLEs[0].Entry)
}

// setRow sets the registers that a row states in some lanes.
func setRow(t *testing.T, w *exec.Wave, cells []string, lanes int) {
	t.Helper()
	for _, s := range strings.Fields(cells[1]) {
		each(t, w.Program.Machine, s, func(s *exec.State, n, k int, v uint64) {
			for lane := range lanes {
				w.Set(s, n, k, lane, v)
			}
		})
	}
}

func checkRow(t *testing.T, set *isa.Set, m *exec.Machine, line int, cells []string, seen map[string]bool) {
	t.Helper()
	file, p, entry := rowProgram(t, m, cells)
	d, _ := set.NewDecoder("")
	for addr, w := range file.DVLP.Code {
		if in, ok := d.Decode(bits.Of(uint64(w))); ok {
			seen[inside.Leaf(in.Leaf).Name] = true
		}
		if _, err := p.Code(inside.Key{}, uint64(addr)); err != nil {
			t.Fatalf("meaning.txt:%d: word %d: %v", line, addr, err)
		}
	}
	w := exec.NewWave(p)
	w.Budget = 1000
	w.Services = map[string]exec.Service{"emit": func(*exec.Call) {}}
	w.Start(exec.Lanes, entry)
	setRow(t, w, cells, exec.Lanes)
	w.Run(t.Context())
	if s := w.Stops(); len(s) != 1 || s[0].Reason != "end" || s[0].Lanes != ^uint64(0) {
		t.Errorf("meaning.txt:%d: stops %v", line, s)
	}
	for _, s := range strings.Fields(cells[2]) {
		each(t, m, s, func(st *exec.State, n, k int, want uint64) {
			for _, lane := range []int{0, 63} {
				if got := exec.Canonical(w.Get(st, n, k, lane), st.Type); got != want {
					t.Errorf("meaning.txt:%d: %s: component %d is %s in lane %d", line, s, k, exec.Format(got, st.Type), lane)
				}
			}
		})
	}
}

// each calls f for the components that a text such as r1=1,2,3,4 or cmp.x=1 gives.
func each(t *testing.T, m *exec.Machine, text string, f func(s *exec.State, n, k int, v uint64)) {
	t.Helper()
	name, values, _ := strings.Cut(text, "=")
	base, comp, dotted := strings.Cut(name, ".")
	digits := strings.TrimLeft(base, "abcdefghijklmnopqrstuvwxyzL")
	n, _ := strconv.Atoi(digits)
	s := m.State(base)
	if s == nil {
		s = m.State(strings.TrimSuffix(base, digits))
	}
	if s == nil {
		t.Fatalf("no state %s", name)
	}
	for k, v := range strings.Split(values, ",") {
		if dotted {
			k = strings.Index("xyzw", comp)
		}
		f(s, n, k, component(t, v, s.Type))
	}
}

func component(t *testing.T, text string, typ isa.Type) uint64 {
	t.Helper()
	switch {
	case strings.HasPrefix(text, "0x"):
		v, _ := strconv.ParseUint(text[2:], 16, 64)
		return v
	case text == "nan":
		return 0x7fc00000
	case typ.Kind == isa.Float:
		v, err := strconv.ParseFloat(text, 32)
		if err != nil {
			t.Fatal(err)
		}
		return uint64(math.Float32bits(float32(v)))
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(v) & (1<<uint(typ.Bits) - 1)
}

// What an instruction does not need it does not read: components that are not written, and w in a dp3.
func TestReadsNoMore(t *testing.T) {
	_, m := load(t)
	root, _ := m.Root("")
	for _, row := range []struct {
		lines string
		want  int // components of registers
	}{
		{"mul r3.x, r2, r2", 1},
		{"mad r3.xz, r2, r1, r0", 6},
		{"dp3 r0, r1, r2", 6},
		{"dp4 r0, r1, r2", 8},
		{"dph r0, r1, r2", 7},
		{"rsq r0, r1", 1},
		{"mov r0, r1.x", 1},
		{"cmp r1, eq, ne, r2", 4},
	} {
		file := assemble(t, row.lines)
		words := m.Words32(root, file.DVLP.Code, 0)
		words.Tables[0] = []bits.Value{bits.Of(uint64(file.DVLP.Descriptors[0].Value))}
		code, err := exec.NewProgram(m, words).Code(inside.Key{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		read := map[[2]uint64]bool{}
		for _, in := range code.Insts {
			if in.Op == sem.OpRead && in.State.Name == "r" {
				read[[2]uint64{in.Imm, uint64(in.Comp)}] = true
			}
		}
		if len(read) != row.want {
			t.Errorf("%s reads %d components, want %d:\n%s", row.lines, len(read), row.want, code)
		}
	}
}
