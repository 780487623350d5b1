package asm_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"pgregory.net/rapid"
)

// nasty lists the descriptions from which random words are tested: PICA200 and some in testdata.
var nasty = []string{"flags", "derived", "tables", "touch", "long", "scopes", "pica200"}

// rig prints with given tables and contexts, and parses each line both with its own entries and with the given tables.
type rig struct {
	set *isa.Set
	// d has the tables of the program, and back has the tables of a line.
	d, back     *isa.Decoder
	line, fixed *asm.Parser
	lossless    []*asm.Lossless
	tables      [][]bits.Value
	text        []byte
	// invented is set for generated descriptions, in which texts may be empty, and in which adjacent blanks count as
	// one.
	invented bool
}

func newRig(t testing.TB, name string) *rig {
	t.Helper()
	return newRigOf(t, loadFile(t, name))
}

func newRigOf(t testing.TB, s *isa.Set) *rig {
	t.Helper()
	x, y := toolsFor(t, s), toolsFor(t, s)
	return &rig{
		set: s, d: x.d, back: y.d, line: x.p, fixed: y.p, tables: make([][]bits.Value, len(s.Tables())),
		lossless: []*asm.Lossless{asm.NewLossless(x.d, x.p), asm.NewLossless(x.d, y.p)},
	}
}

// fill sets random tables and contexts. word returns random bits.
func (r *rig) fill(word func() bits.Value) {
	for i, info := range r.set.Tables() {
		r.tables[i] = r.tables[i][:0]
		for range info.Size {
			v := word()
			r.tables[i] = append(r.tables[i], v.And(bits.Ones(info.Bits)))
		}
		r.d.SetTable(i, r.tables[i])
		r.fixed.Tables[i] = &asm.FixedTable{Entries: r.tables[i]}
	}
	ctx := bits.Value{}
	for _, c := range r.set.Contexts() {
		v := word()
		ctx, _ = r.set.ParseContext(ctx, c.Name, c.Values[v[0]%uint64(len(c.Values))])
	}
	r.d.SetContext(ctx)
	r.line.SetContext(ctx)
	r.fixed.SetContext(ctx)
}

// check prints a word and parses the text, according to the contract of the assembler. It returns the leaf, or nil if
// the word is unknown.
func (r *rig) check(w bits.Value) (*isa.Leaf, error) {
	in, ok := r.d.Decode(w)
	if !ok {
		return nil, nil
	}
	text := string(r.d.Append(nil, in))
	clean := len(r.d.Findings()) == 0
	if clean {
		if err := r.plain(text); err != nil {
			return in.Leaf, fmt.Errorf("%s prints %q: %w", w, text, err)
		}
	}
	for i, l := range r.lossless {
		if err := r.exact(l, []*asm.Parser{r.line, r.fixed}[i], in, clean); err != nil {
			return in.Leaf, fmt.Errorf("%s prints %q: %w", w, text, err)
		}
	}
	return in.Leaf, nil
}

// plain parses a printed text, and prints the result.
func (r *rig) plain(text string) error {
	for _, p := range []*asm.Parser{r.line, r.fixed} {
		res, err := p.Parse(text)
		if err != nil {
			return err
		}
		for i := range r.tables {
			table := r.tables[i]
			if p == r.line {
				table = make([]bits.Value, len(table))
				for _, e := range res.Entries {
					if e.Table == i {
						table[e.Index] = e.Value
					}
				}
			}
			r.back.SetTable(i, table)
		}
		r.back.SetContext(res.Context)
		in, ok := r.back.Decode(res.Inst.Bits)
		if !ok || in != res.Inst {
			return fmt.Errorf("it is read as %s of %s, which decodes as %s", res.Inst.Bits, res.Inst.Leaf.Name, name(in))
		}
		again := string(r.back.Append(nil, in))
		if again != text && !(r.invented && slices.Equal(strings.Fields(again), strings.Fields(text))) {
			return fmt.Errorf("it parses as %s, which prints %q", res.Inst.Bits, again)
		}
	}
	return nil
}

func name(in isa.Inst) string {
	if in.Leaf == nil {
		return "nothing"
	}
	return in.Leaf.Name
}

// exact prints losslessly, and checks that the text assembles to the same word.
func (r *rig) exact(l *asm.Lossless, p *asm.Parser, in isa.Inst, must bool) error {
	text, ok := l.Append(nil, in)
	if !ok {
		if must && !(r.invented && len(bytes.TrimSpace(r.d.Append(nil, in))) == 0) {
			return fmt.Errorf("there is no lossless text")
		}
		return nil
	}
	res, err := p.Parse(string(text))
	if err != nil {
		return fmt.Errorf("lossless %q: %w", text, err)
	}
	if res.Inst != in || res.Context != r.d.Context() {
		return fmt.Errorf("lossless text %q parses as %s in %s", text, res.Inst.Bits, res.Context)
	}
	for _, e := range res.Entries {
		if p == r.line && e.Value != r.d.TableEntry(e.Table, e.Index) {
			return fmt.Errorf("lossless %q gives entry %d the value %s", text, e.Index, e.Value)
		}
	}
	return nil
}

// TestContract checks random words of each leaf, with random tables and contexts.
func TestContract(t *testing.T) {
	for _, name := range nasty {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, name)
			leaves := r.d.Root().Leaves
			rapid.Check(t, func(t *rapid.T) {
				draw := func() bits.Value {
					return bits.Value(rapid.Custom(func(t *rapid.T) [4]uint64 {
						return [4]uint64{rapid.Uint64().Draw(t, "0"), rapid.Uint64().Draw(t, "1"), rapid.Uint64().Draw(t, "2"), rapid.Uint64().Draw(t, "3")}
					}).Draw(t, "bits"))
				}
				seed := rapid.Uint64().Draw(t, "tables")
				rnd := rand.New(rand.NewPCG(seed, 0))
				r.fill(func() bits.Value { return sparse(rnd) })
				leaf := rapid.SampledFrom(leaves).Draw(t, "leaf")
				w := draw().AndNot(leaf.Mask).Or(leaf.Match)
				if rapid.Bool().Draw(t, "no ignored bits") {
					w = w.AndNot(leaf.DontCare)
				}
				if _, err := r.check(w.And(bits.Ones(leaf.Size))); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// TestContractInvented is TestContractWords for generated descriptions. If a condition reads an index or an entry that
// the text does not show, the search for an entry in the table may fail.
func TestContractInvented(t *testing.T) {
	asm.EachInvented(t, 60, func(t *testing.T, s *isa.Set, source string, seed int64) {
		if !strings.Contains(source, `strict="true"`) || strings.Contains(source, `case="fold"`) {
			return // texts may differ only in case
		}
		r := newRigOf(t, s)
		r.invented = true
		rnd := rand.New(rand.NewPCG(3, uint64(seed)))
		for i := range 20 {
			if i%5 == 0 {
				r.fill(func() bits.Value { return sparse(rnd) })
			}
			for _, leaf := range r.d.Root().Leaves {
				w := sparse(rnd).AndNot(leaf.Mask).Or(leaf.Match).And(bits.Ones(leaf.Size))
				if _, err := r.check(w); err != nil && codeOf(err) != "table-full" {
					t.Fatal(err)
				}
			}
		}
	})
}

// sparse returns random bits. Few, half or many of them are set.
func sparse(rnd *rand.Rand) bits.Value {
	v := bits.Value{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()}
	switch rnd.IntN(4) {
	case 0:
		v = v.And(bits.Value{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()})
	case 1:
		v = v.Or(bits.Value{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()})
	}
	return v
}

// TestContractWords checks many more words than rapid does, the same words in each run.
func TestContractWords(t *testing.T) {
	const perLeaf = 300
	for _, name := range nasty {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, name)
			rnd := rand.New(rand.NewPCG(1, 2))
			failures := 0
			for i := range perLeaf {
				if i%50 == 0 {
					r.fill(func() bits.Value { return sparse(rnd) })
				}
				for _, leaf := range r.d.Root().Leaves {
					w := sparse(rnd).AndNot(leaf.Mask).Or(leaf.Match)
					if i%2 == 0 {
						w = w.AndNot(leaf.DontCare)
					}
					if _, err := r.check(w.And(bits.Ones(leaf.Size))); err != nil {
						t.Error(err)
						if failures++; failures > 5 {
							t.FailNow()
						}
					}
				}
			}
		})
	}
}

// splits holds words whose text can be split in several ways. Only one of these instructions prints the text.
var splits = []struct {
	display string
	word    uint64
	text    string
}{
	// A is hexadecimal, 5 bits from bit 0; B unsigned, 3 bits from 5; C an offset, 3 bits from 8; E one of "", a, ab,
	// abc in bits 11 and 12; NEG a minus in bit 13; K is C as a signed number.
	{"h{A}{B}{C}", 0x0100, "h00+1"},       // not 0x020: B does not print +1
	{"h{A}{E}", 0x0800, "h0a"},            // not 0x00a: A does not print 0a
	{"h{B}{A}", 0x0020, "h10"},            // the control: there is only one way
	{"op {NEG}{E} {K}", 0x0700, "op  -1"}, // not 0x2100, op - 1
}

// TestSplits checks that a printed text is parsed as the word that prints it, however the text can be split.
func TestSplits(t *testing.T) {
	for _, k := range splits {
		x := toolsFor(t, load(t, `
			<enum name="#e"><value val="0" display=""/><value val="1" display="a"/><value val="2" display="ab"/><value val="3" display="abc"/></enum>
			<bitset name="#instruction" size="14"><display>`+k.display+`</display>
				<field name="A" low="0" high="4" type="hex"/><field name="B" low="5" high="7" type="uint"/><field name="C" low="8" high="10" type="offset"/>
				<field name="E" low="11" high="12" type="#e"/><field name="NEG" pos="13" type="bool" display="-"/>
				<derived name="K" type="int" width="3"><expr>{C}</expr></derived></bitset>`))
		text, in, _, _ := x.print(bits.Of(k.word))
		if text != k.text {
			t.Errorf("%x prints %q, expected %q", k.word, text, k.text)
		}
		res, err := x.p.Parse(text)
		switch {
		case err != nil:
			t.Errorf("%q: %v", text, err)
		case res.Inst.Bits != bits.Of(k.word):
			t.Errorf("%q is read as %s, expected %x", text, res.Inst.Bits, k.word)
		}
		if lossless, ok := asm.NewLossless(x.d, x.p).Append(nil, in); !ok {
			t.Errorf("%x has no lossless text but %q", k.word, lossless)
		}
	}
}

// TestPrograms assembles random programs into growing tables. At the end, all entries have the bits on which their
// instructions depend.
func TestPrograms(t *testing.T) {
	for _, name := range []string{"tables", "pica200"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, name)
			leaves := r.d.Root().Leaves
			rapid.Check(t, func(t *rapid.T) {
				rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "program"), 0))
				few := []bits.Value{sparse(rnd), sparse(rnd), sparse(rnd)} // to share entries
				r.fill(func() bits.Value { return few[rnd.IntN(len(few))].Xor(bits.Of(1 << rnd.IntN(64))) })
				grow := make([]*asm.GrowingTable, len(r.tables))
				for i, info := range r.set.Tables() {
					grow[i] = &asm.GrowingTable{Size: info.Size}
					r.line.Tables[i] = grow[i]
				}
				defer clear(r.line.Tables)
				var needs []asm.Entry
				for range rapid.IntRange(1, 200).Draw(t, "length") {
					leaf := leaves[rnd.IntN(len(leaves))]
					w := sparse(rnd).AndNot(leaf.Mask).Or(leaf.Match).AndNot(leaf.DontCare).And(bits.Ones(leaf.Size))
					in, ok := r.d.Decode(w)
					text := string(r.d.Append(nil, in))
					if !ok || len(r.d.Findings()) > 0 {
						continue
					}
					res, err := r.line.Parse(text)
					if codeOf(err) == "table-full" {
						continue
					}
					if err != nil {
						t.Fatalf("%s prints %q: %v", w, text, err)
					}
					for _, e := range res.Entries {
						index := 0
						for _, x := range r.index(res.Inst) {
							if x.Field == e.Field {
								index = int(x.Index)
							}
						}
						if index != e.Index {
							t.Fatalf("%q has index %d, its entry is %d", text, index, e.Index)
						}
					}
					needs = append(needs, res.Entries...)
				}
				for _, e := range needs {
					if got := grow[e.Table].Entries[e.Index]; got.Xor(e.Value).And(e.Care) != (bits.Value{}) {
						t.Fatalf("entry %d became %s, an instruction depends on %s of %s", e.Index, got, e.Care, e.Value)
					}
				}
			})
		})
	}
}

func (r *rig) index(in isa.Inst) []isa.IndexField { return r.back.IndexFields(in) }
