// Package gentest compares generated code with the library: a harness in the generated language reads words from its
// standard input and prints what it makes of them.
package gentest

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
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// Batch is the number of words after which a harness hands out what it has printed: fewer than wait to be compared.
const Batch = 256

// Entries is the number of entries in each table, fewer than some indexes reach.
const Entries = 100

var (
	words = flag.Int("words", 300, "random words for each root of each description")
	all   = flag.Bool("all", false, "compare all machines, not the small ones alone")
	only  = flag.String("only", "", "compare the description of this name alone")
	specs = flag.String("specs", "", "a folder of more descriptions to compare")
	rows  = flag.String("rows", "", "a folder of descriptions with what Mesa's tools print, NAME.xml and NAME.jsonl")
)

// Description is a description under test.
type Description struct {
	Name string
	Load func(isa.Options) (*isa.Set, error)
	Gens []uint32
}

// Descriptions lists those that the flags choose.
func Descriptions(t testing.TB) (list []Description) {
	for _, m := range catalog.Machines() {
		if !*all && !slices.Contains([]string{"example", "pica200", "tegra"}, m.Name) {
			continue
		}
		list = append(list, Description{m.Name, m.Load, []uint32{0}})
	}
	if *all {
		list = append(list, Description{"heron", func(o isa.Options) (*isa.Set, error) {
			return isa.Load(testgpu.Files(), testgpu.File, o)
		}, testgpu.Gens})
	}
	if *specs != "" {
		names, err := filepath.Glob(filepath.Join(*specs, "*.xml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			list = append(list, Description{strings.TrimSuffix(filepath.Base(n), ".xml"), func(o isa.Options) (*isa.Set, error) {
				return isa.Load(os.DirFS(*specs), filepath.Base(n), o)
			}, []uint32{0, 1, 5, 6, 7, 300, 600}})
		}
	}
	if *only != "" {
		list = slices.DeleteFunc(list, func(x Description) bool { return x.Name != *only })
	}
	return list
}

// stream writes what the harness reads: the tables, then words in contexts.
type stream struct {
	p      *gen.Program
	root   *gen.Root
	set    *isa.Set
	d      *isa.Decoder
	source *roundtrip.Words
	rnd    *rand.Rand
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
		for range Entries {
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
		x := s.rnd.Uint64N(2)
		if c.Enum != nil {
			x = c.Enum.Values[s.rnd.IntN(len(c.Enum.Values))].Val
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
		for i := range count {
			var want bytes.Buffer
			s.next(w, gen, &want)
			if i%Batch == 0 {
				w.Flush()
			}
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

// Rows compares with rows of what Mesa's tools print.
func Rows(t *testing.T, p *gen.Program, harness, file string) {
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
	in.Write(make([]byte, 4*Entries*8*p.Limbs))
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

// Compare runs random words of each root of a program, of each generation, through the harnesses that build makes.
func Compare(t *testing.T, x Description, build func(p *gen.Program, root *gen.Root) string) {
	set, err := x.Load(isa.Options{Gen: x.Gens[0]})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.New(set, gen.Options{Fallback: x.Name, AllGens: len(x.Gens) > 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range p.Roots {
		if !root.Top {
			continue
		}
		harness := build(p, root)
		for _, g := range x.Gens {
			set, err := x.Load(isa.Options{Gen: g})
			if err != nil {
				t.Fatal(err)
			}
			newStream(t, p, root, set).compare(t, harness, g, *words)
		}
	}
}

// EachRows calls build and compares for each file of rows, where the flags name some.
func EachRows(t *testing.T, build func(t *testing.T, p *gen.Program) string) {
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
			Rows(t, p, build(t, p), file)
		})
	}
}
