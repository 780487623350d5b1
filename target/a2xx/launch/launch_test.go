package launch_test

import (
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

// rows holds what instructions do; its head tells the columns.
//
//go:embed testdata/meaning.txt
var rows string

type opened struct {
	set *isa.Set
	m   *exec.Machine
}

var once = sync.OnceValues(func() (o opened, err error) {
	if o.set, err = a2xx.Load(isa.Options{}); err != nil {
		return o, err
	}
	o.m, err = exec.Open(o.set)
	return o, err
})

func load(t testing.TB) (*isa.Set, *exec.Machine) {
	t.Helper()
	o, err := once()
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return o.set, o.m
}

var compiler = sync.OnceValues(a2xx.NewCompiler)

// assemble makes words of lines of source.
func assemble(t testing.TB, lines string) []uint32 {
	t.Helper()
	if !strings.Contains(lines, "EXEC") {
		lines = "EXEC_END / " + lines
	}
	var source strings.Builder
	for _, line := range strings.Split(lines, " / ") {
		if label, rest, ok := strings.Cut(line, ": "); ok && !strings.Contains(label, " ") && label != "ALU" && label != "FETCH" {
			source.WriteString(label + ":\n")
			line = rest
		}
		source.WriteString(line + "\n")
	}
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Compile([]*diag.Source{{Name: "row", Text: source.String()}}, program.CompileOptions{})
	if err != nil {
		t.Fatalf("%s: %v", lines, err)
	}
	var words []uint32
	for b := out.Bytes; len(b) >= 4; b = b[4:] {
		words = append(words, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
	}
	return words
}

// newProgram prepares words to be run.
func newProgram(t testing.TB, m *exec.Machine, code []uint32, quirks map[string]string) *exec.Program {
	t.Helper()
	root, err := m.Root("")
	if err != nil {
		t.Fatal(err)
	}
	words := m.Words32(root, code, 0)
	if words.Quirks, err = m.ParseQuirks(quirks); err != nil {
		t.Fatal(err)
	}
	return exec.NewProgram(m, words)
}

// surroundings answer with the coordinates, w being the number of the texture.
func surroundings(m *exec.Machine) map[string]exec.Service {
	list := map[string]exec.Service{}
	for _, name := range m.Services() {
		list[name] = func(*exec.Call) {}
	}
	list["texture"] = func(c *exec.Call) {
		for lane := range exec.Lanes {
			for k := range 3 {
				c.Results[k][lane] = c.Arg("at")[k][lane]
			}
			c.Results[3][lane] = uint64(math.Float32bits(float32(c.Arg("number")[0][lane])))
		}
	}
	return list
}

// Each row gives what it says, in each of 64 lanes; every operation, clause and condition of the description, and
// every format of vertices, has a row.
func TestMeaning(t *testing.T) {
	set, m := load(t)
	c := coverage{t, set, map[string]bool{}}
	for i, line := range strings.Split(rows, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		cells := append(strings.Split(line, "\t"), "", "", "")
		checkRow(t, m, i+1, cells, &c)
	}
	c.complete(m)
}

// rowQuirks returns the quirks of a row.
func rowQuirks(cells []string) map[string]string {
	quirks := map[string]string{}
	for _, quirk := range strings.Fields(cells[3]) {
		name, value, _ := strings.Cut(quirk, "=")
		quirks[name] = value
	}
	return quirks
}

// setRow sets the memory, and the registers that a row states in some lanes.
func setRow(t *testing.T, w *exec.Wave, line int, cells []string, lanes int) {
	t.Helper()
	m := w.Program.Machine
	for _, s := range strings.Fields(cells[1]) {
		if bytes, ok := strings.CutPrefix(s, "m="); ok {
			data, err := hex.DecodeString(bytes)
			if err != nil {
				t.Fatalf("meaning.txt:%d: %v", line, err)
			}
			copy(w.Memory(m.State("memory")), data)
			continue
		}
		each(t, m, strings.Replace(s, "v=", "sampler0=", 1), func(s *exec.State, n, k int, v uint64) {
			for lane := range lanes {
				w.Set(s, n, k, lane, v)
			}
		})
	}
}

func checkRow(t *testing.T, m *exec.Machine, line int, cells []string, c *coverage) {
	t.Helper()
	code := assemble(t, cells[0])
	c.words(code)
	w := exec.NewWave(newProgram(t, m, code, rowQuirks(cells)))
	w.Budget = 1000
	w.Services = surroundings(m)
	w.SetMemory(m.State("memory"), make([]byte, 64))
	w.Start(exec.Lanes, 0)
	setRow(t, w, line, cells, exec.Lanes)
	w.Run(t.Context())
	want := "end"
	for _, s := range strings.Fields(cells[2]) {
		if reason, ok := strings.CutPrefix(s, "stop="); ok {
			want = reason
			continue
		}
		each(t, m, s, func(st *exec.State, n, k int, want uint64) {
			for _, lane := range []int{0, 63} {
				if got := exec.Canonical(w.Get(st, n, k, lane), st.Type); got != want {
					t.Errorf("meaning.txt:%d: %s: component %d is %s in lane %d", line, s, k, exec.Format(got, st.Type), lane)
				}
			}
		})
	}
	if s := w.Stops(); len(s) != 1 || s[0].Reason != want || s[0].Lanes != ^uint64(0) {
		t.Errorf("meaning.txt:%d: stops %v, want %s", line, s, want)
	}
}

// each calls f for the components that a text such as R1=1,2,3,4 or p0=1 gives.
func each(t *testing.T, m *exec.Machine, text string, f func(s *exec.State, n, k int, v uint64)) {
	t.Helper()
	name, values, _ := strings.Cut(text, "=")
	s, n := m.State(name), 0
	if s == nil {
		base := strings.TrimRight(name, "0123456789")
		n, _ = strconv.Atoi(name[len(base):])
		s = m.State(base)
	}
	if s == nil {
		t.Fatalf("no state %s", name)
	}
	for k, v := range strings.Split(values, ",") {
		f(s, n, k, component(t, v, s.Type))
	}
}

func component(t *testing.T, text string, typ isa.Type) uint64 {
	t.Helper()
	switch {
	case strings.HasPrefix(text, "0x"):
		v, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
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
	return uint64(v) & (^uint64(0) >> uint(64-typ.Bits))
}

// coverage notes which operations the rows have.
type coverage struct {
	t    *testing.T
	set  *isa.Set
	seen map[string]bool
}

// words notes the clauses of a program and what they run, with the values of their fields.
func (c *coverage) words(code []uint32) {
	c.t.Helper()
	var data []byte
	for _, w := range code {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	im, err := a2xx.OpenRaw(c.set, c.set.DefaultContext(), data, "little")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, p := range im.Pieces {
		if p.Root == nil {
			continue
		}
		d, err := c.set.NewDecoder(p.Root.Name)
		if err != nil {
			c.t.Fatal(err)
		}
		v, _ := im.At(p.Addr, p.Root, p.Size)
		in, ok := d.Decode(v)
		if !ok {
			continue
		}
		c.seen[in.Leaf.Name] = true
		for _, f := range d.Fields(nil, in) {
			c.value(f.Type, f.Value)
		}
	}
}

// value notes the value of a field, and the leaf that it is.
func (c *coverage) value(typ string, v bits.Value) {
	c.seen[fmt.Sprint(typ, " ", v[0])] = true
	if root, err := c.set.Root(strings.TrimPrefix(typ, "#")); err == nil {
		for _, l := range root.Leaves {
			if v.And(l.Mask) == l.Match {
				c.seen[l.Name] = true
			}
		}
	}
}

// complete tells what has no row.
func (c *coverage) complete(m *exec.Machine) {
	for _, name := range []string{"cf", "alu", "fetch", "scalar"} {
		root, err := c.set.Root(name)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, l := range root.Leaves {
			if !c.seen[l.Name] {
				c.t.Errorf("no row for %s", l.Name)
			}
		}
	}
	for _, name := range []string{"#condition", "#break", "#buffer"} {
		for _, v := range inside.Machine(c.set).ISA.Enum(name).Values {
			if !c.seen[fmt.Sprint(name, " ", v.Val)] {
				c.t.Errorf("no row for %s %d (%s)", name, v.Val, v.Name)
			}
		}
	}
	code := assemble(c.t, "FETCH: VERTEX R1 = R0.x FMT_32 SIGNED STRIDE(4) CONST(0, 0)")
	for format := range uint32(64) {
		code[4] = code[4]&^(63<<16) | format<<16
		w := exec.NewWave(newProgram(c.t, m, code, map[string]string{"machine": "xenos"}))
		w.Start(1, 0)
		w.Run(c.t.Context())
		if s := w.Stops(); s[0].Reason == "end" && !c.seen[fmt.Sprint("#format ", format)] {
			c.t.Errorf("no row for format %d", format)
		}
	}
}
