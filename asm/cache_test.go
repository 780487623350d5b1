package asm

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

var linesSeed = flag.Int64("lines-seed", 5, "which random lines TestCache reads")

// TestCache checks that parsers with and without a cache return the same results, for programs of few instructions with
// few operands. Every third line is damaged.
func TestCache(t *testing.T) {
	for _, c := range []struct {
		dir, file, root string
		n               int
	}{
		{"../target/pica200", "pica200.xml", "", 6_000},
		{"../target/tegra", "tegra.xml", "", 2_000},
		{"../target/tesla", "tesla.xml", "", 1_200},
		{"../target/a2xx", "a2xx.xml", "#cf", 3_000},
		{"../target/a2xx", "a2xx.xml", "#alu", 60},
		{"../internal/testgpu/heron", "heron.xml", "", 3_000},
		{"../internal/spec/testdata", "everything.xml", "", 3_000},
		{"testdata", "tables.xml", "", 3_000},
		{"testdata", "inside.xml", "", 1_000},
		{"testdata", "derived.xml", "", 2_000}, // few of its instructions have operands
		{"testdata", "flags.xml", "", 2_000},
		{"testdata", "touch.xml", "", 2_000},
	} {
		t.Run(c.file+c.root, func(t *testing.T) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			compareCache(t, s, c.root, c.n)
		})
	}
}

func compareCache(t *testing.T, s *isa.Set, root string, n int) {
	d, err := s.NewDecoder(root)
	if err != nil {
		t.Fatal(err)
	}
	remembers, forgets := twoParsers(t, s, root)
	r := rand.New(rand.NewSource(*linesSeed))
	there := int64(4096)
	for _, p := range []*Parser{remembers, forgets} {
		p.Symbol = func(name string) (int64, bool) { return there, name == "there" && there > 0 }
		p.Later = func(name string) bool { return name == "there" && there == 0 }
	}
	d.Label = func(int64, bool) (string, bool) { return "there", r.Intn(2) == 0 }
	randomTables(d, r)
	few := newFew(d, r)
	for i := range n {
		if i%(n/4) == 0 {
			emptyTables(remembers)
			emptyTables(forgets)
			ctx := randomContext(t, s, r)
			d.SetContext(ctx)
			remembers.SetContext(ctx)
			forgets.SetContext(ctx)
		}
		text := few.line(d, r)
		if r.Intn(4) == 0 {
			text += []string{" {3=0x1}", " {0..1=2, 5=0}", " {7=1"}[r.Intn(3)]
		}
		if r.Intn(3) == 0 {
			text = damaged(text, r)
		}
		there, remembers.Addr = int64(r.Intn(3))*512, int64(r.Intn(2))*512
		forgets.Addr = remembers.Addr
		got, err := remembers.Parse(text)
		want, wantErr := forgets.Parse(text)
		if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
			t.Fatalf("line %d, %q, is remembered as\n%v %v\nand read as\n%v %v", i, text, got, err, want, wantErr)
		}
	}
}

// few draws random lines of few instructions, with variations of some numbers.
type few struct {
	insts  []isa.Inst
	fields [][]isa.Field
	values [8]uint64
}

func newFew(d *isa.Decoder, r *rand.Rand) *few {
	f := &few{}
	for i := range f.values {
		f.values[i] = r.Uint64() >> r.Intn(64)
	}
	leaves := d.Root().Leaves
	for tries := 0; len(f.insts) < 12 && tries < 1000; tries++ {
		l := leaves[r.Intn(len(leaves))]
		in, ok := d.Decode(randomValue(r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match).And(bits.Ones(l.Size)))
		if ok {
			f.insts = append(f.insts, in)
			f.fields = append(f.fields, d.Fields(nil, in))
		}
	}
	return f
}

func (f *few) line(d *isa.Decoder, r *rand.Rand) string { return string(d.Append(nil, f.word(d, r))) }

// word draws an instruction.
func (f *few) word(d *isa.Decoder, r *rand.Rand) isa.Inst {
	i := r.Intn(len(f.insts))
	in := f.insts[i]
	for range min(2, len(f.fields[i])) {
		field := f.fields[i][r.Intn(len(f.fields[i]))]
		if len(field.Parts) == 1 && field.Table == "" && !field.Derived() && field.Parts[0].Width <= 16 {
			p := field.Parts[0]
			in.Bits.SetUint(p.Low, p.Width, f.values[r.Intn(len(f.values))]&ones(p.Width))
		}
	}
	if again, ok := d.Decode(in.Bits); ok {
		in = again
	}
	return in
}

// damaged changes a text at a random place.
func damaged(text string, r *rand.Rand) string {
	b := []byte(text)
	at := r.Intn(len(b))
	switch r.Intn(5) {
	case 0:
		return string(b[:at]) + " " + string(b[at:])
	case 1:
		return string(b[:at]) + string(b[at+1:])
	case 2:
		return string(b[:at]) + string(b[r.Intn(len(b)):])
	case 3:
		return string(b[:at]) + "there" + string(b[at:])
	}
	b[at] = " ,.-+0x1rz!&|9("[r.Intn(15)]
	return string(b)
}

// TestCacheForgets checks that the cache stays small for any input.
func TestCacheForgets(t *testing.T) {
	s, err := isa.Load(os.DirFS("../target/example"), "example.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	c := p.cache
	c.enter(p.context, hooks{})
	for i := range maxLines + 2 {
		c.lines.add(uint64(i)*0x9e3779b97f4a7c15, &reading{readingExtra: &noExtra}, maxLines)
	}
	if n := len(c.lines.slots); n > maxLines {
		t.Errorf("there is room for %d lines", n)
	}
	for range 3 {
		if _, err := p.Parse("  add   r1, r2, r3"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxContexts + 2 {
		p.SetContext(bits.Of(uint64(i)))
		c.enter(p.context, hooks{})
	}
	if len(c.by) > maxContexts+1 {
		t.Errorf("%d contexts are remembered", len(c.by))
	}
}

// parserOfA2XX returns a parser of a root of A2XX, the machine whose lines have most suffixes.
func parserOfA2XX(t *testing.T, root string) *Parser {
	s, err := isa.Load(os.DirFS("../target/a2xx"), "a2xx.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	p, err := New(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCacheSuffix checks that a line is cached with its suffix.
func TestCacheSuffix(t *testing.T) {
	p := parserOfA2XX(t, "#alu")
	const text = "ALU: MULADDv export0.0yzw = R0, R2.yyyy, C5 {SDST=0x11}"
	for range 3 {
		if res, err := p.Parse(text); err != nil || res.Inst.Bits.Uint(8, 6) != 0x11 {
			t.Fatal(res, err)
		}
	}
	if r, _ := p.cache.find([]byte(text), p.answer); r == nil {
		t.Error("a line with a suffix was not remembered")
	}
}

// TestCacheLabel checks that a line with a label is cached for each address that the label has had, and for no other
// address.
func TestCacheLabel(t *testing.T) {
	p := parserOfA2XX(t, "#cf")
	const text = "COND_CALL ADDR(there) DIR(0) FORCE_CALL"
	clause := int64(0)
	p.Symbol = func(name string) (int64, bool) { return 48 * clause, name == "there" }
	for i := range 9 {
		clause = int64(i%2 + 5)
		res, err := p.Parse(text)
		if err != nil || res.Inst.Bits.Uint(0, 10) != uint64(clause) {
			t.Fatal(res, err)
		}
	}
	for clause = 4; clause < 8; clause++ {
		if r, _ := p.cache.find([]byte(text), p.answer); (r != nil) != (clause == 5 || clause == 6) {
			t.Errorf("that the label is clause %d is remembered: %v", clause, r != nil)
		}
	}
}

// TestMarks checks that lines with the same place among the marks do not evict each other forever.
func TestMarks(t *testing.T) {
	var m marks
	m.seen(1 << 32)
	known, place := map[uint64]bool{}, m.place(1)
	for hash := uint64(1 << 32); len(known) < 12; hash += 1 << 33 {
		if &m.place(uint32(hash >> 32))[0] == &place[0] {
			known[hash] = false
		}
	}
	for range 200 {
		for hash, ok := range known {
			if !ok {
				known[hash] = m.seen(hash)
			}
		}
	}
	for hash, ok := range known {
		if !ok {
			t.Errorf("%x was met two hundred times, and each time for the first", hash)
		}
	}
}

// TestMarksGrow checks that marks are kept when their table grows.
func TestMarksGrow(t *testing.T) {
	const many = 10_000
	var m marks
	r := rand.New(rand.NewSource(1))
	var list []uint64
	for range many {
		list = append(list, r.Uint64())
		m.seen(list[len(list)-1])
	}
	forgotten := 0
	for _, hash := range list {
		if !m.seen(hash) {
			forgotten++
		}
	}
	if forgotten > many/20 {
		t.Errorf("%d of %d are forgotten", forgotten, many)
	}
}

// twoParsers returns a parser with a cache and one without, with the same labels.
func twoParsers(t *testing.T, s *isa.Set, root string) (remembers, forgets *Parser) {
	t.Helper()
	remembers, err := New(s, root)
	if err != nil {
		t.Fatal(err)
	}
	forgets, _ = New(s, root)
	forgets.cache = nil
	withLabels(remembers, forgets)
	return remembers, forgets
}

// withLabels makes each name that starts with l a label. Its address depends on the length of the name.
func withLabels(parsers ...*Parser) {
	for _, p := range parsers {
		p.Symbol = func(name string) (int64, bool) { return int64(len(name)) * 512, strings.HasPrefix(name, "l") }
	}
}

// sameReading compares the results of two parsers for a line, with and without the reason for a failure.
func sameReading(t *testing.T, remembers, forgets *Parser, line string) {
	t.Helper()
	want, wantErr := forgets.Parse(line)
	expected := fmt.Sprint(want, wantErr)
	emptyTables(remembers)
	if got, ok := remembers.Try(line); ok != (wantErr == nil) || ok && fmt.Sprint(got, nil) != expected {
		t.Fatalf("%q is remembered as\n%v %v\nand read as\n%v", line, got, ok, expected)
	}
	emptyTables(remembers)
	if got, err := remembers.Parse(line); fmt.Sprint(got, err) != expected {
		t.Fatalf("%q is remembered as\n%v %v\nand read as\n%v", line, got, err, expected)
	}
}

var numbersIn = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

var selectorsIn = regexp.MustCompile(`\.[a-zA-Z_*][a-zA-Z_*0-9]*`)

// otherSelectors replaces some words after points with words seen before, or with words of the same letters.
func otherSelectors(line string, seen *[]string, r *rand.Rand) string {
	return selectorsIn.ReplaceAllStringFunc(line, func(was string) string {
		if !slices.Contains(*seen, was) {
			*seen = append(*seen, was)
		}
		switch r.Intn(8) {
		case 0, 1, 2:
			return was
		case 3:
			letters := []byte(was)
			for i := range letters[1:] {
				letters[1+i] = was[1+r.Intn(len(was)-1)]
			}
			return string(letters)
		}
		return (*seen)[r.Intn(len(*seen))]
	})
}
