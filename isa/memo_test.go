package isa

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/internal/testgpu"
)

func init() { minUses = 3 } // so that caches are used early

// randomTables sets tables of random entries. Some tables are too short for the index.
func randomTables(d *Decoder, r *rand.Rand) {
	for i, t := range d.Set().Tables() {
		entries := make([]bits.Value, r.Intn(t.Size+1))
		for j := range entries {
			entries[j] = randomValue(r, t.Bits)
		}
		d.SetTable(i, entries)
	}
}

func randomValue(r *rand.Rand, size int) bits.Value {
	v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	if r.Intn(2) == 0 {
		v = v.And(bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	}
	return v.And(bits.Ones(size))
}

// shareTables gives both decoders the same tables.
func shareTables(from, to *Decoder) {
	for i, t := range from.tables {
		to.SetTable(i, t)
	}
}

// TestMemo requires that memos do not change texts and findings.
func TestMemo(t *testing.T) {
	for _, c := range []struct{ dir, file string }{
		{"../target/pica200", "pica200.xml"},
		{"../target/tegra", "tegra.xml"},
		{"../target/example", "example.xml"},
		{"../internal/spec/testdata", "everything.xml"},
		{"testdata", "fast.xml"},
		{"testdata", "tokens.xml"},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := Load(os.DirFS(c.dir), c.file, Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			compareDisplays(t, s, 100_000)
		})
	}
}

// TestMemoOfHeron is TestMemo for a description with the size of a real machine. Its operands depend on
// flags outside of the operands.
func TestMemoOfHeron(t *testing.T) {
	for _, gen := range testgpu.Gens {
		s, err := Load(testgpu.Files(), testgpu.File, Options{Gen: gen})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		compareDisplays(t, s, 20_000)
	}
}

// TestMemoOfRandom is TestMemo for random descriptions.
func TestMemoOfRandom(t *testing.T) {
	for seed := range *memoCount {
		for _, source := range []string{randisa.Texts(*memoSeed<<32 + seed), randisa.Words(*memoSeed<<32 + seed), randisa.Programs(*memoSeed<<32 + seed)} {
			s, err := Load(fstest.MapFS{"random.xml": {Data: []byte(source)}}, "random.xml", Options{})
			if err != nil {
				continue
			}
			if ok := t.Run(fmt.Sprint(seed), func(t *testing.T) { compareDisplays(t, s, 600) }); !ok {
				t.Fatal(source)
			}
		}
	}
}

var (
	memoSeed  = flag.Uint64("memo-seed", 1, "which descriptions TestMemoOfRandom generates")
	memoCount = flag.Uint64("memo-count", 40, "how many of each kind")
)

func compareDisplays(t *testing.T, s *Set, n int) {
	r := rand.New(rand.NewSource(3))
	fast, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	general, _ := s.NewDecoder("")
	general.general = true
	names := byte('a') // names of values, which change from program to program
	for _, d := range []*Decoder{fast, general} {
		d.Label = func(addr int64, _ bool) (string, bool) { return "label", addr%3 == 0 }
		d.Custom = func(dst []byte, field string, v uint64) []byte { return append(append(dst, field...), byte('0'+v)) }
	}
	symbol := func(space string, v uint64) (string, bool) { return space + string(names), v%7 == 3 }
	var want []byte
	for i := range n {
		if i%1000 == 0 {
			names = 'a' + (names-'a'+1)%26
			for _, d := range []*Decoder{fast, general} {
				if d.Symbol, d.Lines = symbol, i%3000 == 0; i%4000 == 0 {
					d.Symbol = nil
				}
			}
			randomTables(fast, r)
			shareTables(fast, general)
		}
		v := randomValue(r, bits.Size)
		if l := fast.Root().Leaves; r.Intn(4) > 0 && len(l) > 0 {
			leaf := l[r.Intn(len(l))]
			v = v.AndNot(leaf.Mask).Or(leaf.Match)
		}
		in, ok := fast.Decode(v)
		if _, known := general.Decode(v); known != ok {
			t.Fatalf("%s decodes: %v and %v", v, ok, known)
		}
		if !ok {
			continue
		}
		got := fast.Append(make([]byte, 0, r.Intn(150)), in) // with large and small buffers
		want = general.Append(want[:0], in)
		if string(got) != string(want) || !slices.Equal(fast.Findings(), general.Findings()) {
			t.Fatalf("%s prints\n%q %v\nand in the general way\n%q %v", v, got, fast.Findings(), want, general.Findings())
		}
		if i%16 == 0 {
			compareKnowing(t, fast, general, in)
		}
	}
}

// compareKnowing compares the cached operands, fields, tokens and findings of an instruction with
// newly computed ones.
func compareKnowing(t *testing.T, fast, general *Decoder, in Inst) {
	t.Helper()
	for _, ask := range []struct {
		name string
		of   func(d *Decoder) any
	}{
		{"operands", func(d *Decoder) any { return d.Operands(nil, in) }},
		{"fields", func(d *Decoder) any { return d.Fields(nil, in) }},
		{"tokens", func(d *Decoder) any {
			text, list := d.AppendTokens(nil, nil, in)
			return []any{string(text), list}
		}},
		{"mnemonic", func(d *Decoder) any { return d.Mnemonic(in) }},
		{"flows", func(d *Decoder) any { return d.Flows(nil, in) }},
	} {
		fast.Decode(in.Bits)
		general.Decode(in.Bits)
		got, want := ask.of(fast), ask.of(general)
		if !reflect.DeepEqual(got, want) || !slices.Equal(fast.Findings(), general.Findings()) {
			t.Fatalf("%s: %s\n%+v %v\nand in the general way\n%+v %v", in.Bits, ask.name, got, fast.Findings(), want, general.Findings())
		}
	}
}
