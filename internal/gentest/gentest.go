// Package gentest compares generated code with the library. A harness in the generated language reads
// words from standard input and prints the results of the generated code.
package gentest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/testgpu"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
	"github.com/isago/isago/target/catalog"
)

// Batch is the number of words after which a harness flushes its output, so that few results wait for
// comparison.
const Batch = 256

// Entries is the number of entries in each table. Some indices are larger.
const Entries = 100

var (
	words = flag.Int("words", 300, "random words for each root of each description")
	all   = flag.Bool("all", false, "compare all machines, not the small ones alone")
	only  = flag.String("only", "", "compare the description of this name alone")
	specs = flag.String("specs", "", "a folder of more descriptions to compare")
	seed  = flag.Uint64("random-seed", 1, "the first random description")
	count = flag.Uint64("random", 4, "random descriptions")
	rows  = flag.String("rows", "", "a folder of descriptions with what Mesa's tools print, NAME.xml and NAME.jsonl")
)

// Description is a description under test.
type Description struct {
	Name string
	Load func(isa.Options) (*isa.Set, error)
	Gens []uint32
	// Mesa selects the rules of Mesa's tools. Random means that the description is random.
	Mesa, Random bool
}

// Program loads the description and lowers it for a generator.
func (x Description) Program(t testing.TB) (*isa.Set, *gen.Program) {
	t.Helper()
	set, err := x.Load(isa.Options{Gen: x.Gens[0]})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.New(t.Context(), set, gen.Options{Fallback: x.Name, AllGens: len(x.Gens) > 1, Mesa: x.Mesa})
	if err != nil {
		t.Fatal(err)
	}
	return set, p
}

// text returns a description that consists of one file.
func text(name, source string, gens ...uint32) Description {
	return Description{Name: name, Gens: gens, Load: func(o isa.Options) (*isa.Set, error) {
		return isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", o)
	}}
}

// byMesa adds each plain description again, for the comparison by the rules of Mesa's tools.
func byMesa(list []Description) []Description {
	for _, x := range list {
		set, err := x.Load(isa.Options{Gen: x.Gens[0]})
		if err != nil || inside.Machine(set).ISA.Strict {
			continue
		}
		if _, err := mesa.New(set, ""); err == nil {
			x.Name, x.Mesa = x.Name+"-mesa", true
			list = append(list, x)
		}
	}
	return list
}

// Descriptions lists the descriptions that the flags select.
func Descriptions(t testing.TB) (list []Description) {
	for _, m := range catalog.Machines() {
		if !*all && !slices.Contains([]string{"example", "pica200", "tegra"}, m.Name) {
			continue
		}
		list = append(list, Description{Name: m.Name, Load: m.Load, Gens: []uint32{0}})
	}
	list = append(list, text("scattered", scattered, 0), text("rows", inRows, 0), text("refined", refined, 0), text("handed", handed, 0), text("conditional", conditional(), 0))
	for i := range *count {
		x := text(fmt.Sprintf("random%d", *seed+i), randisa.Isaspec(*seed+i), 0, 1, 3)
		x.Random = true
		list = append(list, x)
	}
	if *all {
		list = append(list, Description{Name: "heron", Gens: testgpu.Gens, Load: func(o isa.Options) (*isa.Set, error) {
			return isa.Load(testgpu.Files(), testgpu.File, o)
		}})
	}
	if *specs != "" {
		names, err := filepath.Glob(filepath.Join(*specs, "*.xml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			list = append(list, Description{Name: strings.TrimSuffix(filepath.Base(n), ".xml"), Gens: []uint32{0, 1, 5, 6, 7, 300, 600}, Load: func(o isa.Options) (*isa.Set, error) {
				return isa.Load(os.DirFS(*specs), filepath.Base(n), o)
			}})
		}
	}
	list = byMesa(list)
	if *only != "" {
		list = slices.DeleteFunc(list, func(x Description) bool { return x.Name != *only })
	}
	return list
}

// stream writes the input of the harness: the tables, then words with contexts.
type stream struct {
	p      *gen.Program
	root   *gen.Root
	set    *isa.Set
	d      *isa.Decoder
	source *roundtrip.Words
	rnd    *rand.Rand

	// mesa prints instead of the decoder when Mesa's rules apply.
	mesa *mesa.Printer

	operands []isa.Operand
}

func newStream(t testing.TB, p *gen.Program, root *gen.Root, set *isa.Set) *stream {
	d, err := set.NewDecoder(root.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	d.Indent = "  "
	s := &stream{p: p, root: root, set: set, d: d, source: roundtrip.NewWords(set, 7), rnd: rand.New(rand.NewPCG(3, 4))}
	if p.Mesa {
		if s.mesa, err = mesa.New(set, root.Spec.Name); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *stream) tables(w io.Writer) {
	for i := range 4 {
		var list []bits.Value
		for range Entries {
			v := s.source.Random()
			if i < len(s.p.Tables) {
				v = v.And(bits.Ones(s.p.Tables[i].Type.Size))
				if s.rnd.IntN(2) == 0 {
					v = v.And(s.source.Random())
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

// next generates a word, writes it to w, and writes the expected output to want.
func (s *stream) next(w io.Writer, gen uint32, want *bytes.Buffer) bits.Value {
	v := s.source.Random()
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
	if s.mesa != nil {
		s.byMesa(want, in, ok, cut)
		return cut
	}
	if !ok {
		want.WriteString("-1 ")
	} else {
		fmt.Fprintf(want, "%d %d ", s.leaf(in.Leaf.Name, in.Leaf.ID), in.Leaf.Size)
		want.Write(s.d.Append(nil, in))
	}
	for _, f := range s.d.Findings() {
		want.WriteString("\x01" + f.Text)
	}
	if ok {
		s.operands = s.d.Operands(s.operands[:0], in)
		for i := range s.operands {
			s.operand(want, &s.operands[i])
		}
	}
	want.WriteByte(2)
	return cut
}

// byMesa writes the expected output for a word by Mesa's rules.
func (s *stream) byMesa(want *bytes.Buffer, in isa.Inst, ok bool, word bits.Value) {
	s.mesa.Reset()
	text, known := s.mesa.Append(nil, word)
	switch {
	case known && !ok:
		want.WriteString("an instruction to the printer, none to the decoder ")
	case known:
		fmt.Fprintf(want, "%d %d %s", s.leaf(in.Leaf.Name, in.Leaf.ID), in.Leaf.Size, text)
	default:
		want.WriteString("-1 ")
	}
	for _, f := range s.mesa.Findings() {
		want.WriteString("\x01" + f)
	}
	want.WriteByte(2)
}

// operand writes the properties of an operand: name, role, kind, the register and the added register
// (file, view, number, count, first bit, bits, component), swizzle, mask, modifiers, memory, type and
// value. A missing file or memory has the number after the last one.
func (s *stream) operand(w io.Writer, o *isa.Operand) {
	memory := len(s.set.Memories())
	if o.Memory != nil {
		memory = slices.Index(s.set.Memories(), o.Memory)
	}
	fmt.Fprintf(w, "\x03%s %d %d", o.Name, o.Role, o.Kind)
	for _, r := range []isa.Register{o.Register, o.Relative} {
		file, view := len(s.set.Files()), len(s.set.Files())
		if r.File != nil {
			file = slices.Index(s.set.Files(), r.File)
		}
		if r.View != nil {
			view = slices.Index(s.set.Files(), r.View)
		}
		fmt.Fprintf(w, " %d %d %d %d %d %d %d", file, view, r.Index, r.Count, r.Low, r.Width, r.Component)
	}
	fmt.Fprintf(w, " %t %v %t %d %d %d", o.Swizzled, o.Swizzle, o.Masked, o.Mask, o.Modifiers, memory)
	fmt.Fprintf(w, " %d %d %d %d", o.Type.Kind, o.Type.Bits, o.Type.Lanes, o.Value)
}

// leaf returns the number of a leaf in the program, which contains the leaves of all generations.
func (s *stream) leaf(name string, id int) int {
	if len(s.p.Classes) == 1 {
		return id
	}
	return s.p.LeafNumber(s.set, s.root, id)
}

// compare compares the results of the harness and the library for a number of words.
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
	type result struct {
		word bits.Value
		want []byte
		// cycle reports whether an expression needs its own value. The plain rules leave its value
		// open, so only the instruction is compared.
		cycle bool
	}
	wants := make(chan result, 1<<10)
	go func() {
		w := bufio.NewWriterSize(in, 1<<16)
		s.tables(w)
		for i := range count {
			var want bytes.Buffer
			word := s.next(w, gen, &want)
			if i%Batch == 0 {
				w.Flush()
			}
			wants <- result{word, want.Bytes(), s.mesa == nil && slices.ContainsFunc(s.d.Findings(), func(f isa.Finding) bool { return f.Kind == isa.Cycle })}
		}
		w.Flush()
		in.Close()
		close(wants)
	}()
	r := bufio.NewReaderSize(out, 1<<16)
	bad, n := 0, 0
	for x := range wants {
		n++
		got, err := r.ReadBytes(2)
		if err != nil {
			t.Fatalf("word %d: %v after %q", n, err, got)
		}
		if x.cycle {
			got, x.want = got[:textStart(got)], x.want[:textStart(x.want)]
		}
		if !bytes.Equal(got, x.want) {
			if bad++; bad <= 5 {
				t.Errorf("word %d, %s, generation %d:\n  got  %q\n  want %q", n, x.word.AppendHex(nil, (s.root.Size+3)/4), gen, got, x.want)
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

// textStart returns the offset of the text in a line of the harness, after the number of the
// instruction and its size.
func textStart(line []byte) int {
	i := bytes.IndexByte(line, ' ') + 1
	return i + bytes.IndexByte(line[i:], ' ') + 1
}

// CompareRows compares the harness with a file of words and texts from Mesa's tools.
func CompareRows(t *testing.T, p *gen.Program, harness, file string) {
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

// program is a program and its listing by Mesa's tools.
type program struct {
	Gen     uint32
	Options struct {
		ShowErrors  bool `json:"show_errors"`
		MaxErrors   int  `json:"max_errors"`
		Labels      bool `json:"branch_labels"`
		Entrypoints []struct {
			Name   string
			Offset int
		}
	}
	Words  []string
	Output string
}

// ComparePrograms compares the harness with programs and listings from Mesa's tools. The harness reads
// 64-bit words: the generation, the options (findings, labels, bad lines), entry points with the
// length and bytes of the name, and the bytes of the program. It prints a listing and a byte 2.
func ComparePrograms(t *testing.T, p *gen.Program, harness, file string) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no programs")
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []program
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	CompareListings(t, p, harness, list)
}

// CompareListings compares the harness with the listings of programs.
func CompareListings(t *testing.T, p *gen.Program, harness string, list []program) {
	t.Helper()
	var in bytes.Buffer
	for _, x := range list {
		number := func(v int) { _ = binary.Write(&in, binary.LittleEndian, uint64(v)) }
		number(int(x.Gen))
		number(int(flag64(x.Options.ShowErrors)))
		number(int(flag64(x.Options.Labels)))
		number(x.Options.MaxErrors)
		number(len(x.Options.Entrypoints))
		for _, e := range x.Options.Entrypoints {
			number(e.Offset)
			number(len(e.Name))
			in.WriteString(e.Name)
		}
		size := p.Main.Stored / 8
		number(size * len(x.Words))
		for _, w := range x.Words {
			v, err := bits.ParseHex(w)
			if err != nil {
				t.Fatal(err)
			}
			var buf [32]byte
			for i, limb := range v {
				binary.LittleEndian.PutUint64(buf[8*i:], limb)
			}
			for b := buf[:size]; p.Main.Swapped && len(b) > 0; b = b[4:] {
				b[0], b[1], b[2], b[3] = b[2], b[3], b[0], b[1]
			}
			in.Write(buf[:size])
		}
	}
	cmd := exec.Command(harness, "list")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	got := strings.Split(string(out), "\x02")
	for i, x := range list {
		if got[i] != x.Output {
			if bad++; bad <= 5 {
				t.Errorf("program %d:\n  got  %q\n  want %q", i, got[i], x.Output)
			}
		}
	}
	t.Logf("%d of %d programs agree", len(list)-bad, len(list))
}

func flag64(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// rowText converts a line of the harness to a line of isaspec.
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

// Compare compares the harness and the library for random words of each root and each generation.
// build builds the harness.
func Compare(t *testing.T, x Description, build func(p *gen.Program, root *gen.Root) string) {
	_, p := x.Program(t)
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

// CompareEachRows compares each file of rows that the flags name.
func CompareEachRows(t *testing.T, build func(t *testing.T, p *gen.Program) string) {
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
			p, err := gen.New(t.Context(), set, gen.Options{Fallback: name, AllGens: true, Mesa: true})
			if err != nil {
				t.Fatal(err)
			}
			harness := build(t, p)
			CompareRows(t, p, harness, file)
			ComparePrograms(t, p, harness, strings.TrimSuffix(file, ".jsonl")+".program.json")
		})
	}
}

// branchXML is a machine with every kind of branch.
const branchXML = `<isa>
<bitset name="#instruction" size="16"/>
<bitset name="nop" extends="#instruction"><display>{NAME}</display><pattern low="0" high="15">0000000000000000</pattern></bitset>
<bitset name="jump" extends="#instruction"><display>{NAME} {TO}</display><pattern low="12" high="15">0001</pattern>
  <pattern low="8" high="11">xxxx</pattern><field name="TO" low="0" high="7" type="branch"/></bitset>
<bitset name="call" extends="#instruction"><display>{NAME} {TO}</display><pattern low="8" high="15">00100000</pattern>
  <field name="TO" low="0" high="7" type="absbranch" call="true"/></bitset>
<bitset name="one" extends="#instruction"><display>one</display><pattern low="12" high="15">0011</pattern><pattern low="0" high="11">xxxxxxxxxxxx</pattern></bitset>
<bitset name="two" extends="#instruction"><display>two</display><pattern low="8" high="15">00110001</pattern><pattern low="0" high="7">xxxxxxxx</pattern></bitset>
</isa>`

// CompareAllListings compares listings with those that isaspec's documentation specifies: labels,
// entry points, findings and the limit of bad lines.
func CompareAllListings(t *testing.T, build func(p *gen.Program) string) {
	set, err := isa.Load(fstest.MapFS{"branch.xml": {Data: []byte(branchXML)}}, "branch.xml", isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := gen.New(t.Context(), set, gen.Options{Fallback: "branch", Mesa: true})
	if err != nil {
		t.Fatal(err)
	}
	const text = `[
{"options": {"branch_labels": true}, "words": ["1001", "10ff", "1005"], "output": "l0:\njump l1\nl1:\njump l0\njump 5\n"},
{"options": {"branch_labels": false, "entrypoints": [{"name": "main", "offset": 0}]}, "words": ["1001", "0000"], "output": "jump 1\nnop\n"},
{"options": {"branch_labels": true, "entrypoints": [{"name": "b", "offset": 1}, {"name": "a", "offset": 1}, {"name": "b", "offset": 1}, {"name": "far", "offset": 2}]}, "words": ["2001", "1000"], "output": "call fxn1\n\na:\nb:\nb:\nfxn1:\nl1:\njump l1\n"},
{"options": {"show_errors": true}, "words": ["1f00", "3100", "0000"], "output": "jump 0\t; dontcare bits in jump: 00000f00\nno match: 00003100\nnop\t; bitset conflict: one vs two\n"},
{"options": {"show_errors": true, "max_errors": 1}, "words": ["4000", "0000", "4000", "4000", "4000", "0000"], "output": "no match: 00004000\nnop\nno match: 00004000\nno match: 00004000\n"}
]`
	var list []program
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	CompareListings(t, p, build(p), list)
	swappedListings(t, build)
}

// swappedListings compares the listing of a program whose words are stored with the high half first.
func swappedListings(t *testing.T, build func(p *gen.Program) string) {
	const text = `<isa><text storage="32" halves="high-first"/>
<bitset name="#instruction" size="32"><display>{NAME} {A} {B}</display>
  <field name="A" low="0" high="15" type="hex"/><field name="B" low="16" high="27" type="hex"/></bitset>
<bitset name="op" extends="#instruction"><pattern low="28" high="31">0001</pattern></bitset>
</isa>`
	set, err := isa.Load(fstest.MapFS{"swapped.xml": {Data: []byte(text)}}, "swapped.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := gen.New(t.Context(), set, gen.Options{Fallback: "swapped", Mesa: true})
	if err != nil {
		t.Fatal(err)
	}
	list := []program{{Words: []string{"1abc1234", "20000001", "10000002"}, Output: "op 1234 abc\nno match: 20000001\nop 2 0\n"}}
	CompareListings(t, p, build(p), list)
}
