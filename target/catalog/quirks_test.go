package catalog_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// TestQuirksOfWords looks at random words: a quirk whose values make something else of a word is one of those that its
// facts list, and these are among those of its form.
func TestQuirksOfWords(t *testing.T) {
	for _, machine := range catalog.Machines() {
		set, err := machine.Load(isa.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := exec.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		told, err := facts.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, root := range set.InstructionRoots() {
			quirksOfRoot(t, machine.Name, set, root, m.Inside(inside.Key{}), told, seen)
		}
		for _, q := range m.Inside(inside.Key{}).Quirks() {
			if seen[q.Name] == q.Launch {
				t.Errorf("%s: the quirk %s changes words %v, and is the launch's %v", machine.Name, q.Name, seen[q.Name], q.Launch)
			}
		}
	}
}

// wordsOfRoot is about how many words of a root are looked at. Of a root of few leaves, each of which has much in it,
// there are more: most of Tegra's end a program abnormally.
const wordsOfRoot = 600

func quirksOfRoot(t *testing.T, machine string, set *isa.Set, root *isa.Root, m *sem.Machine, told *facts.Machine, seen map[string]bool) {
	t.Helper()
	d, err := set.NewDecoder(root.Name)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(4, 5))
	any := func() (v bits.Value) {
		for i := range v {
			v[i] = random.Uint64()
		}
		return v
	}
	var tables [][]bits.Value
	for i, table := range set.Tables() {
		entries := make([]bits.Value, table.Size)
		for n := range entries {
			entries[n] = any().And(bits.Ones(table.Bits))
		}
		tables = append(tables, entries)
		d.SetTable(i, entries)
	}
	tries := 1 + wordsOfRoot/len(root.Leaves)
	if len(root.Leaves) < 10 {
		tries *= 24
	}
	for _, leaf := range root.Leaves {
		of := names(told.QuirksOfLeaf(leaf))
		for range tries {
			in, ok := d.Decode(any().AndNot(leaf.Mask).AndNot(leaf.DontCare).Or(leaf.Match).And(bits.Ones(leaf.Size)))
			if !ok || in.Leaf != leaf {
				continue
			}
			words := sem.Words{Context: d.Context(), Tables: tables}
			lower := func() string {
				code, err := m.Lower(inside.Leaf(leaf).Root, &words, in.Bits, 0)
				if err != nil {
					return ""
				}
				return code.String()
			}
			plain := lower()
			if plain == "" {
				continue // it has no meaning alone
			}
			list := names(told.QuirksOf(d, in))
			for _, q := range m.Quirks() {
				for _, v := range q.Numbers() {
					words.Quirks = map[string]uint64{q.Name: v}
					if lower() == plain {
						continue
					}
					if seen[q.Name] = true; !slices.Contains(list, q.Name) {
						t.Errorf("%s: %s: %s changes %x, and is not among %v", machine, leaf.Name, q.Name, in.Bits, list)
					}
				}
			}
			words.Quirks = nil
			for _, name := range list {
				if !slices.Contains(of, name) {
					t.Errorf("%s: %s: %s is one of the word's and not of the form's, %v", machine, leaf.Name, name, of)
				}
			}
		}
	}
}

func names(list []facts.Quirk) []string {
	seen := map[string]bool{}
	for _, q := range list {
		seen[q.Name] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
