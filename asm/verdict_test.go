package asm

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

var verdictWords = flag.Int("verdict-words", 0, "how many words TestVerdicts prints of each machine (default: a few hundred)")

// TestVerdicts prints words repeatedly, with changing contexts, with and without labels. Cached verdicts must have the
// same results as parsing each text.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		dir, file, root string
		n               int
		remembers       bool
	}{
		{"../target/pica200", "pica200.xml", "", 400, false}, // has a table
		{"../target/tegra", "tegra.xml", "", 400, true},
		{"../target/tesla", "tesla.xml", "", 500, true},
		{"../target/a2xx", "a2xx.xml", "#cf", 200, true},
		{"../target/a2xx", "a2xx.xml", "#alu", 60, true},
		{"../internal/testgpu/heron", "heron.xml", "", 500, true},
		{"../internal/spec/testdata", "everything.xml", "", 300, false},
		{"testdata", "derived.xml", "", 400, true},
		{"testdata", "long.xml", "", 400, true},
		{"testdata", "touch.xml", "", 400, true},
	} {
		t.Run(c.file+c.root, func(t *testing.T) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			x := newVerdictTest(t, s, c.root)
			for i := range max(c.n, *verdictWords) {
				x.print(t, i)
			}
			if c.remembers != (x.remembers.verdicts.used > 0) {
				t.Errorf("%d verdicts are remembered", x.remembers.verdicts.used)
			}
		})
	}
}

// TestVerdictsOfAll prints words of every description twice. Cached verdicts must have the same results as parsing each
// text.
func TestVerdictsOfAll(t *testing.T) {
	loaded := 0
	for _, file := range descriptions(t) {
		s, err := isa.Load(os.DirFS(filepath.Dir(file)), filepath.Base(file), isa.Options{})
		if err != nil {
			continue // part of another description, or rejected on purpose
		}
		loaded++
		t.Run(strings.ReplaceAll(file, "../", ""), func(t *testing.T) {
			for _, root := range s.Roots() {
				x := newVerdictTest(t, s, root.Name)
				for i := range max(100, *verdictWords) {
					if i%40 == 0 {
						x.change(t, i/40)
					}
					if in, ok := x.random(); ok {
						x.compare(t, in)
						x.compare(t, in)
					}
				}
			}
		})
	}
	if loaded < 100 {
		t.Errorf("%d descriptions were tried", loaded)
	}
}

// descriptions lists all descriptions in this repository.
func descriptions(t *testing.T) (files []string) {
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, ".xml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	return files
}

// verdictTest prints the same words with and without a cache.
type verdictTest struct {
	set                *isa.Set
	r                  *rand.Rand
	list               []isa.Inst
	remembers, forgets *Lossless
}

func newVerdictTest(t *testing.T, s *isa.Set, root string) *verdictTest {
	x := &verdictTest{set: s, r: rand.New(rand.NewSource(*linesSeed))}
	for _, l := range []**Lossless{&x.remembers, &x.forgets} {
		d, err := s.NewDecoder(root)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s, root)
		if err != nil {
			t.Fatal(err)
		}
		randomTables(d, rand.New(rand.NewSource(1)))
		*l = NewLossless(d, p)
	}
	x.forgets.uncached = true
	return x
}

// random returns a random word. Usually its ignored bits are 0, and in half of the words the fields are small. ok is
// false if the word is unknown.
func (x *verdictTest) random() (in isa.Inst, ok bool) {
	d := x.remembers.d
	leaves := d.Root().Leaves
	if len(leaves) == 0 {
		return in, false
	}
	l := leaves[x.r.Intn(len(leaves))]
	w := randomValue(x.r)
	if x.r.Intn(2) == 0 {
		w = w.And(randomValue(x.r)).And(randomValue(x.r))
	}
	if x.r.Intn(4) > 0 {
		w = w.AndNot(l.DontCare)
	}
	return d.Decode(w.AndNot(l.Mask).Or(l.Match).And(bits.Ones(l.Size)))
}

// print prints a word, usually one that was printed before, and sometimes changes the settings.
func (x *verdictTest) print(t *testing.T, i int) {
	t.Helper()
	if i%50 == 0 {
		x.change(t, i/50)
	}
	d := x.remembers.d
	if len(x.list) == 0 || x.r.Intn(4) == 0 {
		l := d.Root().Leaves[x.r.Intn(len(d.Root().Leaves))]
		if in, ok := d.Decode(randomValue(x.r).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match)); ok {
			x.list = append(x.list, in)
		}
		return
	}
	x.compare(t, x.list[x.r.Intn(len(x.list))])
}

// compare prints a word with and without a cache, and compares the results.
func (x *verdictTest) compare(t *testing.T, in isa.Inst) {
	t.Helper()
	d := x.remembers.d
	if again, ok := d.Decode(in.Bits); !ok || again.Leaf != in.Leaf { // another instruction in this context
		return
	}
	x.forgets.d.Decode(in.Bits)
	addr := 32 * x.r.Int63n(1<<10)
	x.remembers.d.Addr, x.forgets.d.Addr = addr, addr
	got, ok := x.remembers.Append([]byte("before "), in)
	want, wantOK := x.forgets.Append([]byte("before "), in)
	found, wantFound := findings(x.remembers.d), findings(x.forgets.d)
	if string(got) != string(want) || ok != wantOK || !slices.Equal(found, wantFound) {
		t.Fatalf("%s is printed as %q, %v, %v, without a memory as %q, %v, %v", in.Bits, got, ok, found, want, wantOK, wantFound)
	}
}

// findings returns the distinct findings. A text that is printed again without labels has each finding twice.
func findings(d *isa.Decoder) []isa.Finding {
	list := slices.Clone(d.Findings())
	slices.SortFunc(list, func(a, b isa.Finding) int { return strings.Compare(a.Text, b.Text) })
	return slices.Compact(list)
}

// change sets other contexts in the printers, and adds or removes labels.
func (x *verdictTest) change(t *testing.T, turn int) {
	ctx := randomContext(t, x.set, x.r)
	for _, l := range []*Lossless{x.remembers, x.forgets} {
		l.d.SetContext(ctx)
		l.p.SetContext(ctx)
		l.d.Label, l.p.Symbol = nil, nil
		if turn%2 == 1 {
			l.d.Label = func(addr int64, _ bool) (string, bool) { return fmt.Sprintf("at%d", addr), addr >= 0 && addr%96 == 0 }
			l.p.Symbol = func(name string) (addr int64, ok bool) {
				_, err := fmt.Sscanf(name, "at%d", &addr)
				return addr, err == nil && name == fmt.Sprintf("at%d", addr)
			}
		}
	}
}

// TestEmptyText prints words whose text is empty, with and without a suffix. A program would skip an empty line.
func TestEmptyText(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"test.xml": {Data: []byte(`<isa><bitset name="#instruction" size="8"/>
<bitset name="mute" extends="#instruction"><display></display><pattern low="4" high="7">1xx0</pattern><field name="V" low="0" high="3" type="uint"/></bitset></isa>`)}}, "test.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	x := newVerdictTest(t, s, "")
	for word, want := range map[uint64]string{0x80: "", 0x83: " {V=0x3}", 0xa3: " {V=0x3, 5..6=0x1}"} {
		in, ok := x.remembers.d.Decode(bits.Of(word))
		if !ok {
			t.Fatal(word)
		}
		for range 2 {
			if got, ok := x.remembers.Append(nil, in); string(got) != want || ok != (want != "") {
				t.Errorf("%#x is printed as %q, %v, expected %q", word, got, ok, want)
			}
		}
	}
}

// TestVerdictOfLeaf checks a word that is printed as two leaves in turn. Each leaf has its own verdict, because one
// leaf shows all bits and the other only a few.
func TestVerdictOfLeaf(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"test.xml": {Data: []byte(`<isa strict="true">
<bitset name="#instruction" size="16"/>
<bitset name="shown" extends="#instruction" overlap="refines hidden"><display>shown {A} {B}</display>
<field name="A" low="0" high="7" type="uint"/><field name="B" low="8" high="14" type="uint"/><pattern pos="15">1</pattern></bitset>
<bitset name="hidden" extends="#instruction"><display>hidden {A}</display>
<field name="A" low="0" high="7" type="uint"/><field name="B" low="8" high="15" type="uint"/></bitset>
</isa>`)}}, "test.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	x := newVerdictTest(t, s, "")
	leaves := x.remembers.d.Root().Leaves
	print := func() {
		for i := range 2000 {
			word := bits.Of(uint64(0x8000 | i/2*37&0x7fff))
			in := isa.Inst{Leaf: leaves[i%2], Bits: word}
			got, ok := x.remembers.Append(nil, in)
			want, wantOK := x.forgets.Append(nil, in)
			if string(got) != string(want) || ok != wantOK {
				t.Fatalf("%v as %s: %q, %v, without memory %q, %v", word, in.Leaf.Name, got, ok, want, wantOK)
			}
		}
	}
	print()
	slots := x.remembers.verdicts.slots // exchanged as if their hashes were equal, those of the same word first
	of := map[[2]uint64]*hashSlot[verdict]{}
	for i := range slots {
		if s := &slots[i]; s.value != nil {
			if other := of[s.value.word]; other != nil {
				other.value, s.value = s.value, other.value
			}
			of[s.value.word] = s
		}
	}
	print()
	rotate(x.remembers.verdicts.slots)
	print()
}

// TestTargetOfContext checks that a branch target that a context scales can still be a label.
func TestTargetOfContext(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"test.xml": {Data: []byte(`<isa strict="true">
<context name="far" type="bool" default="true"/>
<bitset name="#instruction" size="16"/>
<bitset name="jump" extends="#instruction"><display>go {T}</display><field name="A" low="0" high="11" type="uint"/><pattern low="12" high="15">0001</pattern>
<derived name="T" type="absbranch" width="16"><expr>{@far} ? {A} &lt;&lt; 3 : {A}</expr></derived></bitset>
</isa>`)}}, "test.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	l := newVerdictTest(t, s, "").forgets
	l.d.Label = func(addr int64, _ bool) (string, bool) { return "there", addr == 16*16 }
	l.p.Symbol = func(name string) (int64, bool) { return 16 * 16, name == "there" }
	for word, want := range map[uint64]string{0x1002: "go there", 0x1003: "go 24"} {
		in, _ := l.d.Decode(bits.Of(word))
		if text, ok := l.Append(nil, in); string(text) != want || !ok {
			t.Errorf("%#x is printed as %q, %v, expected %q", word, text, ok, want)
		}
	}
}

// TestVerdictBesideLabels checks a text that is an instruction with a branch if a word in it is a label, and otherwise
// an instruction without a branch. Its verdict is valid only while there is no such label.
func TestVerdictBesideLabels(t *testing.T) {
	s, err := isa.Load(fstest.MapFS{"test.xml": {Data: []byte(`<isa strict="true">
<enum name="#place"><value val="0" display="loop"/><value val="1" display="end"/></enum>
<bitset name="#instruction" size="16"/>
<bitset name="jump" extends="#instruction"><display>go {T}</display><pattern low="12" high="15">0001</pattern>
<field name="T" low="0" high="11" type="absbranch"/></bitset>
<bitset name="wait" extends="#instruction"><display>go {E}</display><pattern low="12" high="15">0010</pattern>
<pattern low="1" high="11">xxxxxxxxxxx</pattern><field name="E" pos="0" type="#place"/></bitset>
</isa>`)}}, "test.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	x := newVerdictTest(t, s, "")
	tables := []map[string]int64{nil, {"end": 32}, {"loop": 16}, {}, {"end": 16, "loop": 64}, nil}
	for _, names := range tables {
		for _, l := range []*Lossless{x.remembers, x.forgets} {
			if l.p.Symbol = nil; names != nil {
				l.p.Symbol = func(name string) (addr int64, ok bool) { addr, ok = names[name]; return addr, ok }
			}
		}
		for range 2 {
			for word := range uint64(2) {
				in, _ := x.remembers.d.Decode(bits.Of(0x2000 | word))
				name := []string{"loop", "end"}[word]
				_, taken := names[name]
				if text, _ := x.remembers.Append(nil, in); string(text) == "go "+name == taken {
					t.Errorf("with labels %v, %#x is printed as %q", names, word, text)
				}
				x.compare(t, in)
			}
		}
	}
}
