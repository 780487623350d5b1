package ctr_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/ctr"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/vectest"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/vectors"
)

// gpu runs the shaders of the program on the plain engine.
type gpu struct {
	m *exec.Machine
	// fault changes the state after the run of the words, if it is not nil.
	fault func(w *exec.Wave)
	// dark makes the color 0.5.
	dark   func(code []uint32) bool
	quirks map[string]string
	draws  int
	cache  map[string]*cached
}

// cached is a shader that has been read.
type cached struct {
	file    *pica200.SHBIN
	program *exec.Program
}

// serve answers the stubs until they close their file.
func (g *gpu) serve(from io.Reader, to io.Writer) error {
	in := bufio.NewReader(from)
	for {
		head, err := in.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		line, err2 := in.ReadString('\n')
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		out, err := g.vertex(strings.Fields(head), strings.Fields(line))
		if err != nil {
			return err
		}
		fmt.Fprintln(to, out)
	}
}

// unpack returns the four floats of three words.
func unpack(words []string) (f [4]uint64) {
	var w [3]uint64
	for i := range w {
		w[i], _ = strconv.ParseUint(words[i], 16, 32)
	}
	for i, u := range [4]uint64{w[2] & 0xffffff, w[2]>>24 | w[1]&0xffff<<8, w[1]>>16 | w[0]&0xff<<16, w[0] >> 8} {
		f[i] = uint64(math.Float32bits(pica200.Float24(uint32(u))))
	}
	return f
}

func (g *gpu) vertex(head, words []string) (string, error) {
	g.draws++
	size, _ := strconv.Atoi(head[0])
	booleans, _ := strconv.Atoi(head[1])
	key := strings.Join(words[:size/4], " ")
	c := g.cache[key]
	if c == nil {
		var err error
		if c, err = g.read(words[:size/4]); err != nil {
			return "", err
		}
		if g.cache == nil {
			g.cache = map[string]*cached{}
		}
		g.cache[key] = c
	}
	words = words[size/4:]
	file := c.file
	w := exec.NewWave(c.program)
	w.Budget = 10000
	w.Start(1, uint64(file.DVLEs[0].Entry))
	set := func(name string, number int, values [4]uint64) {
		for c, v := range values {
			w.Set(g.m.State(name), number, c, 0, v)
		}
	}
	// What nobody has set has any value.
	for n := range 16 {
		set("r", n, [4]uint64{0x7fc00000, 0x40400000, 0xc1200000, 0x7f800000})
		set("v", n, [4]uint64{0x7fc00000, 0x40400000, 0xc1200000, 0x7f800000})
		w.Set(g.m.State("b"), n, 0, 0, uint64(booleans>>n&1))
	}
	for n := range 4 {
		x, _ := strconv.ParseUint(words[n], 16, 32)
		set("i", n, [4]uint64{x & 0xff, x >> 8 & 0xff, x >> 16 & 0xff, x >> 24})
	}
	for n, words := 0, words[4:]; n < 96; n, words = n+1, words[3:] {
		set("c", n, unpack(words))
	}
	for words = words[4+96*3:]; len(words) > 0; words = words[4:] {
		n, _ := strconv.Atoi(words[0])
		set("v", n, unpack(words[1:]))
	}
	for step := 0; g.fault != nil && !w.Done() && step < 10000; step++ {
		w.RunFor(1)
		g.fault(w)
	}
	w.RunFor(10000)
	var out []string
	for _, semantic := range []pica200.Semantic{pica200.SemanticPosition, pica200.SemanticColor} {
		for _, o := range file.DVLEs[0].Outputs {
			for c := range 4 {
				v := w.Get(g.m.State("o"), int(o.Register), c, 0)
				if o.Semantic == pica200.SemanticColor && g.dark != nil && g.dark(file.DVLP.Code) {
					v = 0x3f000000
				}
				if o.Semantic == semantic {
					out = append(out, strconv.FormatUint(v, 16))
				}
			}
		}
	}
	return strings.Join(out, " "), nil
}

// read reads a shader.
func (g *gpu) read(words []string) (*cached, error) {
	var data []byte
	for _, w := range words {
		x, _ := strconv.ParseUint(w, 16, 32)
		data = binary.LittleEndian.AppendUint32(data, uint32(x))
	}
	file, err := pica200.ReadSHBIN(data)
	if err != nil {
		return nil, err
	}
	root, err := g.m.Root("")
	if err != nil {
		return nil, err
	}
	code := g.m.Words32(root, file.DVLP.Code, 0)
	for _, d := range file.DVLP.Descriptors {
		code.Tables[0] = append(code.Tables[0], bits.Of(uint64(d.Value)))
	}
	if code.Quirks, err = g.m.ParseQuirks(g.quirks); err != nil {
		return nil, err
	}
	return &cached{file, exec.NewProgram(g.m, code)}, nil
}

// build writes the program and compiles it with the stubs.
func build(t *testing.T, m *exec.Machine, files []*vectors.File) (dir string, report *ctr.Report) {
	t.Helper()
	out, report, err := ctr.Write(files, m)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	vectest.Save(t, dir, out...)
	if err := os.MkdirAll(filepath.Join(dir, "sdmc:"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"3ds.h", "citro3d.h", "stubs.c"} {
		text, err := os.ReadFile("testdata/stubs/" + name + ".txt")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	gcc := vectest.Tool(t, "gcc")
	args := []string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I.", "-o", "program", "stubs.c"}
	for _, f := range out {
		if strings.HasPrefix(f.Name, "source/") && strings.HasSuffix(f.Name, ".c") {
			args = append(args, f.Name)
		}
	}
	vectest.Compile(t, dir, gcc, args...)
	return dir, report
}

// answer is a file that the program wrote.
type answer struct {
	Format      int
	Instruction string
	Vectors     []struct {
		Name            string
		Words           []string
		Final, Hardware *stateText
	}
}

type stateText struct {
	PC    uint64
	State map[string]json.RawMessage
}

// run runs the program and returns what it wrote, by file.
func run(t *testing.T, dir string, g *gpu) (map[string]*answer, string) {
	t.Helper()
	toProgram, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	queries, fromProgram, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command("./program")
	cmd.Dir = dir
	cmd.ExtraFiles = []*os.File{toProgram, fromProgram}
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toProgram.Close()
	fromProgram.Close()
	if err := g.serve(queries, answers); err != nil {
		t.Error(err)
	}
	answers.Close()
	_ = cmd.Wait() // the text tells what is wrong
	out := map[string]*answer{}
	names, err := filepath.Glob(filepath.Join(dir, "sdmc:", "isago-vectors", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		a := new(answer)
		if err := json.Unmarshal(data, a); err != nil {
			t.Fatalf("%s: %v\n%.2000s\n%s", name, err, data, text.String())
		}
		out[strings.TrimSuffix(filepath.Base(name), ".json")] = a
	}
	return out, text.String()
}

// TestProgram runs vectors from their rows to the JSON. The GPU is the plain engine, so that the program must observe the final
// states of the vectors.
func TestProgram(t *testing.T) {
	m := vectest.Open(t, "pica200")
	dir, report := build(t, m, vectest.Pica200(t, m))
	g := &gpu{m: m}
	files, text := run(t, dir, g)
	if !strings.Contains(text, " 0 without a result.") {
		t.Error(text)
	}
	rows := 0
	for _, f := range files {
		for _, v := range f.Vectors {
			rows++
			if v.Hardware == nil {
				t.Errorf("%s: no field hardware", v.Name)
				continue
			}
			if v.Hardware.PC != v.Final.PC {
				t.Errorf("%s: pc %d, expected %d", v.Name, v.Hardware.PC, v.Final.PC)
			}
			for state, want := range v.Final.State {
				if got := v.Hardware.State[state]; got != nil && string(got) != string(want) {
					t.Errorf("%s: %s is %s, expected %s", v.Name, state, got, want)
				}
			}
		}
	}
	if rows != report.Rows+report.Own || rows == 0 {
		t.Errorf("%d rows, expected %d", rows, report.Rows)
	}
	t.Logf("%s\n%d draws", report, g.draws)
}

// TestSkipped holds why the program skips vectors.
func TestSkipped(t *testing.T) {
	m := vectest.Open(t, "pica200")
	_, report, err := ctr.Write(vectest.Pica200(t, m), m)
	if err != nil {
		t.Fatal(err)
	}
	want := `14 vectors run on the hardware, and 4 test how the program reads registers.
In 1 of them, a jump replaces the word that ends the program.
1 skipped: an operand has more than 24 bits
1 skipped: it calls emit, which is for geometry shaders
2 skipped: it changes o, which a program cannot read
1 skipped: it opens or closes scopes
1 skipped: its result depends on state that a program cannot set
`
	if got := report.String(); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

// TestOwnVectors holds that the vectors which the program has of its own are a file that isago reads, with results.
func TestOwnVectors(t *testing.T) {
	m := vectest.Open(t, "pica200")
	dir, _ := build(t, m, nil)
	run(t, dir, &gpu{m: m})
	file, err := os.Open(filepath.Join(dir, "sdmc:", "isago-vectors", "harness.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	answers, err := vectors.ReadAnswers(file, "harness.json", func(string) (*exec.Machine, error) { return m, nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != 1 || len(answers[0].List) != 4 || len(answers[0].File.Vectors) != 4 {
		t.Fatalf("%d files, expected one with 4 results", len(answers))
	}
	for i, a := range answers[0].List {
		if got, want := a.State.Registers[0].Values, answers[0].File.Vectors[i].Final.Registers[0].Values; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %x, expected %x", a.Name, got, want)
		}
	}
}

// TestShaderSource holds that the source of each shader assembles to the words and the table entries of its vectors, at
// address 0.
func TestShaderSource(t *testing.T) {
	m := vectest.Open(t, "pica200")
	files := vectest.Pica200(t, m)
	out, _, err := ctr.Write(files, m)
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := pica200.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*vectors.Vector{}
	for _, f := range files {
		for i := range f.Vectors {
			byName[f.Vectors[i].Name] = &f.Vectors[i]
		}
	}
	found := 0
	for _, f := range out {
		if !strings.HasSuffix(f.Name, ".v.pica") {
			continue
		}
		res, err := compiler.Compile([]*diag.Source{{Name: f.Name, Text: string(f.Data)}}, program.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		file, err := pica200.ReadSHBIN(res.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(f.Data), "\n")
		_, names, _ := strings.Cut(first, "Vectors: ")
		for _, name := range strings.Split(names, ", ") {
			v := byName[name]
			if v == nil || v.Name == "programs/1" { // the registers alone, and a program whose last word is replaced
				continue
			}
			found++
			for i, w := range v.Words {
				if got := fmt.Sprintf("%08x", file.DVLP.Code[i]); got != w {
					t.Errorf("%s: word %d is %s, expected %s", name, i, got, w)
				}
			}
			for i, d := range v.Tables["opdesc"] {
				if got := fmt.Sprintf("%08x", file.DVLP.Descriptors[i].Value); got != d {
					t.Errorf("%s: entry %d is %s, expected %s", name, i, got, d)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no shader")
	}
}

// TestHardwareDiffers holds that a GPU with other results shows in the JSON, at the components that differ.
func TestHardwareDiffers(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program six times")
	}
	m := vectest.Open(t, "pica200")
	dir, _ := build(t, m, vectest.Pica200(t, m))
	pc := func(w *exec.Wave) (at uint64) {
		w.PCs(func(pc, _ uint64) { at = pc })
		return at
	}
	state := func(f *answer, i int, name string) string {
		if f == nil || f.Vectors[i].Hardware == nil {
			return "missing"
		}
		return string(f.Vectors[i].Hardware.State[name])
	}
	after := func(change func(w *exec.Wave)) func(w *exec.Wave) {
		return func(w *exec.Wave) {
			if pc(w) == 1 {
				change(w)
			}
		}
	}
	// The last bit of a float of 24 bits, in one component of r0.
	files, _ := run(t, dir, &gpu{m: m, fault: after(func(w *exec.Wave) { w.Set(m.State("r"), 0, 2, 0, 0x40700080) })})
	if got := state(files["add"], 0, "r"); got != `{"0":["40700000","40700000","40700080","40700000"],"2":["40100000","40100000","40100000","40100000"]}` {
		t.Errorf("r is %s", got)
	}
	// A register that the instruction does not write: the smallest subnormal number, a NaN and an infinity.
	files, _ = run(t, dir, &gpu{m: m, fault: after(func(w *exec.Wave) {
		for k, v := range []uint64{0x18800000, 0x7fc00000, 0xff800000, 0xbf800000} {
			w.Set(m.State("r"), 2, k, 0, v)
		}
	})})
	if got := state(files["add"], 0, "r"); !strings.Contains(got, `"2":["18800000","7fc00000","ff800000","bf800000"]`) {
		t.Errorf("r is %s", got)
	}
	// mova that rounds to nearest, and flags.
	files, _ = run(t, dir, &gpu{m: m, quirks: map[string]string{"mova_nearest": "true"}, fault: after(func(w *exec.Wave) { w.Set(m.State("cmp"), 0, 1, 0, 0) })})
	if got := state(files["mova"], 0, "a0"); got != `["00000003","fffffffd"]` {
		t.Errorf("a0 is %s", got)
	}
	if got := state(files["cmp"], 0, "cmp"); got != `["1","0"]` {
		t.Errorf("cmp is %s", got)
	}
	// An offset beyond a byte that selects zeros. An offset that fits is observed as before.
	files, _ = run(t, dir, &gpu{m: m, quirks: map[string]string{"beyond": "zero"}})
	if got := state(files["mova"], 1, "a0"); got != `["80000000","fffffffd"]` {
		t.Errorf("a0 is %s", got)
	}
	// Jumps that do the opposite.
	files, _ = run(t, dir, &gpu{m: m, fault: func(w *exec.Wave) {
		if at := pc(w); at == 0 {
			w.Set(m.State("cmp"), 0, 1, 0, 1-w.Get(m.State("cmp"), 0, 1, 0))
		}
	}})
	if got, want := fmt.Sprint(files["jmpc"].Vectors[0].Hardware.PC, files["jmpc"].Vectors[1].Hardware.PC), "1 4294967295"; got != want {
		t.Errorf("the program counters are %s, expected %s", got, want)
	}
	// A color that is neither 0 nor 1.
	files, text := run(t, dir, &gpu{m: m, dark: func(code []uint32) bool { return code[0] == 0x02001900 }})
	if files["add"].Vectors[0].Hardware != nil || files["cmp"].Vectors[0].Hardware == nil || !strings.Contains(text, "add/1: no clear color") {
		t.Errorf("a draw without a clear color has a result: %s", text)
	}
}
