package c_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/c"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

var (
	words = flag.Int("words", 300, "random words for each root of each description")
	all   = flag.Bool("all", false, "compare all machines, not the small ones alone")
	only  = flag.String("only", "", "compare the description of this name alone")
	specs = flag.String("specs", "", "a folder of more descriptions to compare")
	rows  = flag.String("rows", "", "a folder of descriptions with what Mesa's tools print, NAME.xml and NAME.jsonl")
)

// described is a description under test.
type described struct {
	name string
	load func(isa.Options) (*isa.Set, error)
	gens []uint32
}

func descriptions(t testing.TB) (list []described) {
	for _, m := range catalog.Machines() {
		if !*all && m.Name != "example" && m.Name != "pica200" {
			continue
		}
		list = append(list, described{m.Name, m.Load, []uint32{0}})
	}
	if *all {
		list = append(list, described{"heron", func(o isa.Options) (*isa.Set, error) {
			return isa.Load(testgpu.Files(), testgpu.File, o)
		}, testgpu.Gens})
	}
	if *specs != "" {
		names, err := filepath.Glob(filepath.Join(*specs, "*.xml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			list = append(list, described{strings.TrimSuffix(filepath.Base(n), ".xml"), func(o isa.Options) (*isa.Set, error) {
				return isa.Load(os.DirFS(*specs), filepath.Base(n), o)
			}, []uint32{0, 1, 5, 6, 7, 300, 600}})
		}
	}
	if *only != "" {
		list = slices.DeleteFunc(list, func(x described) bool { return x.name != *only })
	}
	return list
}

// compiler skips the test where there is none.
func compiler(t testing.TB, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this machine", name)
	}
	return path
}

// strictFlags are those under which nothing may be said.
var strictFlags = []string{"-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"}

// build writes the files of a program and compiles them with a harness for one root.
func build(t testing.TB, p *gen.Program, root *gen.Root, flags ...string) string {
	dir := t.TempDir()
	for _, f := range c.Write(p) {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(harness(p, root)), 0o666); err != nil {
		t.Fatal(err)
	}
	compile(t, dir, compiler(t, "gcc"), slices.Concat([]string{"-std=c11", "-O1"}, strictFlags, flags, []string{"-o", "harness", p.Name + ".c", "main.c"})...)
	return filepath.Join(dir, "harness")
}

func compile(t testing.TB, dir, cc string, args ...string) {
	t.Helper()
	cmd := exec.Command(cc, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if len(out) > 3000 {
			out = out[:3000]
		}
		t.Fatalf("%s %s: %v\n%s", cc, strings.Join(args, " "), err, out)
	}
}

// harness is a program that reads words and prints them with what is found.
func harness(p *gen.Program, root *gen.Root) string {
	suffix, inst := "_"+root.Name, "struct "+p.Name+"_"+root.Name+"_inst"
	if root == p.Main {
		suffix, inst = "", "struct "+p.Name+"_inst"
	}
	var set strings.Builder
	for i, x := range p.Contexts {
		fmt.Fprintf(&set, "\t\to.context.%s = (%s)context[%d];\n", c.ContextMember(p, x), c.UnsignedOf(x.Width), i)
	}
	if len(p.Classes) > 1 || p.Uses.Gen {
		set.WriteString("\t\to.gen = (uint32_t)context[16];\n")
	}
	for i, x := range p.Tables {
		fmt.Fprintf(&set, "\t\to.table_%s_%d = table[%d]; o.table_%s_%d_count = %d;\n", gen.Lower(x.Name), x.Index, i, gen.Lower(x.Name), x.Index, entries)
	}
	packers := fmt.Sprintf("static bool back(const %s *in, const struct %s_options *o)\n{\n\t%s_word w, full = in->bits;\n\tswitch ((unsigned)in->op) {\n", inst, p.Name, p.Name)
	for i, l := range root.Leaves {
		pack, unpack, fields, rest := c.Names(p, l)
		zero := ""
		for k := range rest { // the bits without fields are told of by themselves
			zero += fmt.Sprintf("if (f.rest[%d] & ~%s) return false; ", k, fmt.Sprintf("UINT64_C(0x%x)", l.Layout.Rest[k]))
		}
		packers += fmt.Sprintf("\tcase %d: { struct %s f; %s(in, o, &f); %sif (!%s(&f, o, &w)) return false; break; }\n", i, fields, unpack, zero, pack)
	}
	packers += "\tdefault: return false;\n\t}\n\treturn memcmp(&w, &full, sizeof w) == 0;\n}\n"
	return strings.NewReplacer("PACKERS", packers, "NAME.h", p.Name+".h", "N_", p.Name+"_", "SUFFIX", suffix, "INST", inst, "SET", set.String(),
		"ENTRIES", fmt.Sprint(entries), "LIMBS", fmt.Sprint(p.Limbs)).Replace(harnessText)
}

// entries is the number of entries in each table, fewer than some indexes reach.
const entries = 100

const harnessText = `#include "NAME.h"
#include <stdio.h>
#include <string.h>
static N_word table[4][ENTRIES];
PACKERS
static bool value(uint64_t *v, unsigned n) { return fread(v, 8, n, stdin) == n; }
int main(void)
{
	static struct N_finding list[64];
	struct N_findings findings = {list, 64, 0};
	struct N_options o;
	static char text[1 << 20], line[1 << 16];
	uint64_t context[17];
	N_word w;
	if (!value((uint64_t *)table, 4 * ENTRIES * LIMBS))
		return 1;
	while (value(context, 17) && value((uint64_t *)&w, LIMBS)) {
		INST in;
		size_t i;
		bool ok;
		N_options_init(&o);
		o.findings = &findings;
		o.remarks = context[15] & 1;
		o.lines = context[15] >> 1 & 1;
		o.indent = "  ";
SET		ok = N_decodeSUFFIX(w, &o, &in);
		printf("%d ", ok ? (int)in.op : -1);
		if (ok) {
			N_printSUFFIX(&in, &o, text, sizeof text);
			printf("%u %s", in.size, text);
			if (!back(&in, &o))
				printf(" NOT PACKED BACK");
		}
		for (i = 0; i < findings.count && i < findings.size; i++) {
			N_finding_text(&list[i], line, sizeof line);
			printf("%c%s", 1, line);
		}
		putchar(2);
	}
	return 0;
}
`

// stream writes what the harness reads: the tables, then words in contexts.
type stream struct {
	p       *gen.Program
	root    *gen.Root
	set     *isa.Set
	d       *isa.Decoder
	source  *roundtrip.Words
	rnd     *rand.Rand
	classes []uint32
}

func newStream(t testing.TB, p *gen.Program, root *gen.Root, set *isa.Set) *stream {
	d, err := set.NewDecoder(root.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	d.Indent = "  "
	return &stream{p: p, root: root, set: set, d: d, source: roundtrip.NewWords(set, 7), rnd: rand.New(rand.NewPCG(3, 4))}
}

func (s *stream) tables(w io.Writer) {
	for i := range 4 {
		var list []bits.Value
		for range entries {
			v := s.source.Any()
			if i < len(s.p.Tables) {
				v = v.And(bits.Ones(s.p.Tables[i].Type.Size))
				if s.rnd.IntN(2) == 0 {
					v = v.And(s.source.Any())
				}
			} else {
				v = bits.Value{}
			}
			list = append(list, v)
			_ = binary.Write(w, binary.LittleEndian, v[:s.p.Limbs])
		}
		if i < len(s.p.Tables) {
			s.d.SetTable(i, list)
		}
	}
}

// next makes a word, writes it, and returns what the harness is to print.
func (s *stream) next(w io.Writer, gen uint32, want *bytes.Buffer) {
	v := s.source.Any()
	if n := len(s.d.Root().Leaves); n > 0 && s.rnd.IntN(4) > 0 {
		v = s.source.Leaf(s.d.Root().Leaves[s.rnd.IntN(n)])
	}
	var head [17]uint64
	var ctx bits.Value
	for i, c := range s.p.Contexts {
		x := c.Default
		if c.Enum != nil {
			x = c.Enum.Values[s.rnd.IntN(len(c.Enum.Values))].Val
		} else {
			x = s.rnd.Uint64N(2)
		}
		head[i] = x
		ctx.SetUint(c.Low, c.Width, x)
	}
	head[15], head[16] = s.rnd.Uint64N(4), uint64(gen)
	var buf [17*8 + 32]byte
	for i, x := range head {
		binary.LittleEndian.PutUint64(buf[8*i:], x)
	}
	for i := range s.p.Limbs {
		binary.LittleEndian.PutUint64(buf[8*(17+i):], v[i])
	}
	_, _ = w.Write(buf[:8*(17+s.p.Limbs)])

	s.d.SetContext(ctx)
	s.d.Remarks, s.d.Lines = head[15]&1 != 0, head[15]&2 != 0
	var cut bits.Value
	copy(cut[:], v[:s.p.Limbs])
	in, ok := s.d.Decode(cut)
	if !ok {
		want.WriteString("-1 ")
	} else {
		fmt.Fprintf(want, "%d %d ", s.leaf(in.Leaf.Name, in.Leaf.ID), in.Leaf.Size)
		want.Write(s.d.Append(nil, in))
	}
	for _, f := range s.d.Findings() {
		want.WriteString("\x01" + f.Text)
	}
	want.WriteByte(2)
}

// leaf returns the number of a leaf in the program, which has those of all generations.
func (s *stream) leaf(name string, id int) int {
	if len(s.p.Classes) == 1 {
		return id
	}
	return s.p.LeafNumber(s.set, s.root, id)
}

// compare runs words through the harness and the library.
func (s *stream) compare(t *testing.T, harness string, gen uint32, count int) {
	t.Helper()
	cmd := exec.Command(harness)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wants := make(chan []byte, 1<<10)
	go func() {
		w := bufio.NewWriterSize(in, 1<<16)
		s.tables(w)
		for range count {
			var want bytes.Buffer
			s.next(w, gen, &want)
			wants <- want.Bytes()
		}
		w.Flush()
		in.Close()
		close(wants)
	}()
	r := bufio.NewReaderSize(out, 1<<16)
	bad, n := 0, 0
	for want := range wants {
		n++
		got, err := r.ReadBytes(2)
		if err != nil {
			t.Fatalf("word %d: %v after %q", n, err, got)
		}
		if !bytes.Equal(got, want) {
			if bad++; bad <= 5 {
				t.Errorf("word %d:\n  got  %q\n  want %q", n, got, want)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if bad > 5 {
		t.Errorf("%d of %d words differ", bad, n)
	}
}

func TestPrintsAsTheLibrary(t *testing.T) {
	compiler(t, "gcc")
	for _, x := range descriptions(t) {
		t.Run(x.name, func(t *testing.T) {
			set, err := x.load(isa.Options{Gen: x.gens[0]})
			if err != nil {
				t.Fatal(err)
			}
			p, err := gen.New(set, gen.Options{Fallback: x.name, AllGens: len(x.gens) > 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, root := range p.Roots {
				if !root.Top {
					continue
				}
				h := build(t, p, root)
				for _, g := range x.gens {
					set, err := x.load(isa.Options{Gen: g})
					if err != nil {
						t.Fatal(err)
					}
					newStream(t, p, root, set).compare(t, h, g, *words)
				}
			}
		})
	}
}

// TestMesaRows compares with what Mesa's tools print, in rows that are not in the repository.
func TestMesaRows(t *testing.T) {
	if *rows == "" {
		t.Skip("no -rows")
	}
	files, err := filepath.Glob(filepath.Join(*rows, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows in %s: %v", *rows, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			set, err := isa.Load(os.DirFS(*rows), name+".xml", isa.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := gen.New(set, gen.Options{Fallback: name, AllGens: true, Mesa: true})
			if err != nil {
				t.Fatal(err)
			}
			compareRows(t, p, build(t, p, p.Main), file)
		})
	}
}

func compareRows(t *testing.T, p *gen.Program, harness, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Gen        uint32
		Word, Text string
		Errors     *bool
	}
	var list []row
	var in bytes.Buffer
	in.Write(make([]byte, 4*entries*8*p.Limbs))
	for line := range bytes.Lines(data) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		v, err := bits.ParseHex(r.Word)
		if err != nil {
			t.Fatal(err)
		}
		head := [17]uint64{16: uint64(r.Gen)}
		_ = binary.Write(&in, binary.LittleEndian, head)
		_ = binary.Write(&in, binary.LittleEndian, v[:p.Limbs])
		list = append(list, r)
	}
	cmd := exec.Command(harness)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	got := bytes.Split(out, []byte{2})
	for i, r := range list {
		if text := rowText(string(got[i]), r.Word, r.Errors == nil || *r.Errors); text != r.Text {
			if bad++; bad <= 5 {
				t.Errorf("%s:\n  got  %q\n  want %q", r.Word, text, r.Text)
			}
		}
	}
	t.Logf("%d of %d rows agree", len(list)-bad, len(list))
}

// rowText makes a line of isaspec's of what the harness says.
func rowText(got, word string, findings bool) string {
	const most = 4
	parts := strings.Split(got, "\x01")
	op, text, _ := strings.Cut(parts[0], " ")
	if op == "-1" {
		return "no match: " + word
	}
	_, text, _ = strings.Cut(text, " ")
	text = strings.TrimSuffix(text, " NOT PACKED BACK")
	if list := parts[1:]; findings && len(list) > 0 {
		text += "\t; " + strings.Join(list[:min(len(list), most)], ", ")
	}
	return text
}
