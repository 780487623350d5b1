package golang_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/golang"
	"github.com/isago/isago/internal/gentest"
	"github.com/isago/isago/isa"
)

func TestPrintsAsTheLibrary(t *testing.T) {
	for _, x := range gentest.Descriptions(t) {
		t.Run(x.Name, func(t *testing.T) {
			gentest.Compare(t, x, func(p *gen.Program, root *gen.Root) string { return build(t, p, root) })
		})
	}
}

// TestMesaRows compares with what Mesa's tools print, in rows that are not in the repository.
func TestMesaRows(t *testing.T) {
	gentest.CompareEachRows(t, func(t *testing.T, p *gen.Program) string { return build(t, p, p.Main) })
}

// TestNoTextBecomesCode compiles descriptions whose names and texts try to be code.
func TestNoTextBecomesCode(t *testing.T) {
	for _, x := range gentest.HostileDescriptions() {
		t.Run(x.Name, func(t *testing.T) {
			gentest.Compare(t, x, func(p *gen.Program, root *gen.Root) string { return build(t, p, root) })
		})
	}
}

// TestFilesAreOfThePackage looks for names of files that the go command would leave out, and for doubled ones.
func TestFilesAreOfThePackage(t *testing.T) {
	set, err := gentest.HostileDescriptions()[3].Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"gpu": "gpu.go gpu", "gpu_linux": "gpulinux.go gpu_linux", "x_arm64": "xarm64.go x_arm64", "gpu_test": "gputest.go gpu_testisa",
		"print": "printisa.go print", "main": "main.go mainisa", "func": "func.go funcisa",
	} {
		p, err := gen.New(t.Context(), set, gen.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		files, err := golang.Write(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := files[0].Name + " " + golang.PackageName(name); got != want {
			t.Errorf("%s is %s, expected %s", name, got, want)
		}
	}
}

// TestCommentsOfNumbers holds that a constant has the text of its <doc> behind it, and its name where it has none.
func TestCommentsOfNumbers(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa name="a" strict="true">
<file name="r" type="u32" count="2"><doc>What is counted.</doc></file><file name="s" type="u32" count="2"/>
<bitset name="#instruction" size="1"><display>{N}</display><field name="N" pos="0" type="#r"/></bitset>
<bitset name="#r" size="1"><display>r{N}</display><field name="N" pos="0" type="uint"/><reg file="r" index="{N}"/></bitset>
</isa>`)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := gen.New(t.Context(), set, gen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := golang.Write(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		text += string(f.Text)
	}
	for _, want := range []string{"// What is counted.\n", "// s\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no comment %q", want)
		}
	}
}

// build writes the package and a harness for one root into a module of their own.
func build(t testing.TB, p *gen.Program, root *gen.Root) string {
	t.Helper()
	dir := t.TempDir()
	files, err := golang.Write(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	name := golang.PackageName(p.Name)
	write := func(name string, text []byte) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		write(filepath.Join(name, f.Name), f.Text)
	}
	write("go.mod", []byte("module harness\n\ngo 1.24\n"))
	write("main.go", []byte(harness(p, root)))
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out[:min(len(out), 3000)])
	}
	cmd = exec.Command("go", "build", "-o", "harness.bin", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out[:min(len(out), 3000)])
	}
	return filepath.Join(dir, "harness.bin")
}

func harness(p *gen.Program, root *gen.Root) string {
	n := golang.NamesOf(p, root)
	var set, packers strings.Builder
	for i, c := range n.Contexts {
		fmt.Fprintf(&set, "\t\to.Context.%s = gen.%s(head[%d])\n", c[0], c[1], i)
	}
	if len(p.Classes) > 1 || p.Uses.Gen {
		set.WriteString("\t\to.Gen = uint32(head[16])\n")
	}
	for i, name := range n.Tables {
		fmt.Fprintf(&set, "\t\to.%s = tables[%d]\n", name, i)
	}
	for i, fields := range n.Fields {
		fmt.Fprintf(&packers, "\tcase %d:\n\t\tvar f gen.%s\n\t\tf.Unpack(in, o)\n\t\tw, err := f.Pack(o)\n\t\treturn err == nil && w == in.Bits\n", i+1, fields)
	}
	word := "gen.Word(v[0])"
	if p.Limbs > 1 {
		word = "gen.Word(v)"
	}
	text := strings.ReplaceAll(harnessText, "gen.uint64(", "uint64(")
	operands := ""
	if !p.Mesa {
		operands = operandText
	}
	list := ""
	if root == p.Main {
		list = strings.Replace(listText, "GEN", map[bool]string{true: "o.Gen = uint32(head[0])"}[len(p.Classes) > 1 || p.Uses.Gen], 1)
	}
	return strings.ReplaceAll(strings.NewReplacer("OPERANDS", operands, "LIST", list, "PACKAGE", golang.PackageName(p.Name), "SET", set.String(), "PACKERS", packers.String(), "INST", n.Inst,
		"FINDER", n.Decode, "WORD", word, "ENTRIES", fmt.Sprint(gentest.Entries), "BATCH", fmt.Sprint(gentest.Batch), "LIMBS", fmt.Sprint(p.Limbs)).Replace(text), "gen.uint64(", "uint64(")
}

const operandText = `		if ok {
			for _, op := range inst.Operands(o) {
				fmt.Fprintf(out, "\x03%s %d %d", op.Name, op.Role, op.Kind)
				for _, r := range []gen.Reg{op.Reg, op.Relative} {
					fmt.Fprintf(out, " %d %d %d %d %d %d %d", r.File, r.View, r.Number, r.Count, r.Low, r.Width, r.Component)
				}
				fmt.Fprintf(out, " %t %v %t %d %d %d", op.Swizzled, op.Swizzle, op.Masked, op.Mask, op.Modifiers, op.Memory)
				fmt.Fprintf(out, " %d %d %d %d", op.Type.Kind, op.Type.Bits, op.Type.Lanes, op.Value)
			}
		}
`

const listText = `for number := func() int {
		var v uint64
		if binary.Read(in, binary.LittleEndian, &v) != nil {
			v = 1<<63
		}
		return int(v)
	}; len(os.Args) > 1; out.WriteByte(2) {
		var head [5]int
		for i := range head {
			if head[i] = number(); head[i] < 0 {
				return
			}
		}
		o := gen.Defaults()
		GEN
		l := &gen.Listing{Findings: head[1] != 0, Labels: head[2] != 0, MaxErrors: head[3]}
		for range head[4] {
			e := gen.Entry{Index: number()}
			name := make([]byte, number())
			io.ReadFull(in, name)
			e.Name = string(name)
			l.Entries = append(l.Entries, e)
		}
		code := make([]byte, number())
		io.ReadFull(in, code)
		out.Write(l.Append(nil, code, o))
	}
	`

func TestListings(t *testing.T) {
	gentest.CompareAllListings(t, func(p *gen.Program) string { return build(t, p, p.Main) })
}

const harnessText = `package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	gen "harness/PACKAGE"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	LISTword := func() (gen.Word, error) {
		var v [LIMBS]uint64
		err := binary.Read(in, binary.LittleEndian, &v)
		return WORD, err
	}
	var tables [4][]gen.Word
	for i := range tables {
		for range ENTRIES {
			w, err := word()
			if err != nil {
				panic(err)
			}
			tables[i] = append(tables[i], w)
		}
	}
	for n := 0; ; n++ {
		if n%BATCH == 0 {
			out.Flush()
		}
		var head [17]uint64
		if err := binary.Read(in, binary.LittleEndian, &head); err == io.EOF {
			return
		}
		w, err := word()
		if err != nil {
			panic(err)
		}
		o := gen.Defaults()
		o.Remarks, o.Lines, o.Indent = head[15]&1 != 0, head[15]>>1&1 != 0, "  "
SET
		inst, found, ok := o.FINDER(w)
		if ok != (inst.Op != 0) || !ok && inst.Op.String() != "?" {
			fmt.Fprint(out, "NONE IS AN INSTRUCTION ")
		}
		if ok {
			var text string
			text, found = inst.Print(o)
			fmt.Fprintf(out, "%d %d %s", inst.Op-1, inst.Size, text)
			if !back(inst, o) {
				fmt.Fprint(out, " NOT PACKED BACK")
			}
			for _, a := range inst.Args(o) {
				if a.Text != text[a.Start:a.End] {
					fmt.Fprint(out, " NOT AN OPERAND")
				}
			}
		} else {
			fmt.Fprint(out, "-1 ")
		}
		for _, f := range found {
			fmt.Fprintf(out, "\x01%s", f)
		}
OPERANDS		out.WriteByte(2)
	}
}

func back(in gen.INST, o *gen.Options) bool {
	switch in.Op {
PACKERS
	}
	return false
}
`
