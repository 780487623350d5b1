package survey_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/survey"
)

// example returns the set of target/example and a decoder.
func example(t testing.TB) (*isa.Set, *isa.Decoder) {
	t.Helper()
	set, err := isa.Load(os.DirFS("../target/example"), "example.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	return set, d
}

// take counts words from the given address on.
func take(s *survey.Survey, d *isa.Decoder, from int64, words []uint64) {
	for i, w := range words {
		at := survey.Place{Addr: 16 * (from + int64(i))}
		if in, ok := d.Decode(bits.Of(w)); ok {
			s.CountInstruction(d, in, at)
		} else {
			s.CountUnknown(d.Root(), bits.Of(w), at)
		}
	}
}

func report(t *testing.T, s *survey.Survey, d *isa.Decoder) *survey.Report {
	t.Helper()
	r, err := s.Report([]string{"a.bin"}, nil, func(*isa.Root) (*isa.Decoder, error) { return d, nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// corpus contains 60 times "nop", 50 times "add r0, r0, r0" with one "add r0, r0, 1" between them, and
// a nop with an ignored bit set. Two words have the free opcodes 5 and 7. They differ from br (4) in
// bit 13 and in bits 13 and 14, and from shl (3) in more bits.
func corpus() []uint64 {
	var words []uint64
	words = append(words, slices.Repeat([]uint64{0x0000}, 60)...)
	words = append(words, slices.Repeat([]uint64{0x2000}, 25)...)
	words = append(words, 0x2011)
	words = append(words, slices.Repeat([]uint64{0x2000}, 25)...)
	return append(words, 0x0004, 0xa000, 0xa001, 0xe000)
}

func TestReport(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	take(s, d, 0, corpus())
	r := report(t, s, d)
	if r.Words != 115 || r.Unknown != 3 || r.Nonconforming != 1 {
		t.Errorf("%d words, %d unknown, %d nonconforming; want 115, 3, 1", r.Words, r.Unknown, r.Nonconforming)
	}
	if got := r.NonconformingFirst[0]; got.Address != 2*111 || got.Word != "0004" {
		t.Errorf("first nonconforming word %v, want 0004 at byte 222", got)
	}
	if len(r.Seen) != 2 || r.Seen[0].Name != "nop" || r.Seen[0].Count != 61 || r.Seen[1].Count != 51 {
		t.Errorf("seen %+v, want nop 61 times and add 51", r.Seen)
	}
	if want := []string{"mul", "shl", "br"}; !slices.Equal(r.Unseen, want) {
		t.Errorf("unseen %v, want %v", r.Unseen, want)
	}
}

func TestShapes(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	take(s, d, 0, corpus())
	r := report(t, s, d)
	if len(r.Shapes) != 2 {
		t.Fatalf("%d shapes, want 2: %+v", len(r.Shapes), r.Shapes)
	}
	// 101 differs in one bit from 001 (add) and from 100 (br), of which add comes first. 111 differs
	// in one bit from 011 (shl).
	if x := r.Shapes[0]; x.Count != 2 || x.Nearest != "add" || !slices.Equal(x.Differs, []int{15}) || x.First.Word != "a000" {
		t.Errorf("first shape %+v, want two words, add but for bit 15, the first a000", x)
	}
	if x := r.Shapes[1]; x.Count != 1 || x.Nearest != "shl" || !slices.Equal(x.Differs, []int{15}) {
		t.Errorf("second shape %+v, want one word, shl but for bit 15", x)
	}
}

func TestRareValues(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	take(s, d, 0, corpus())
	r := report(t, s, d)
	i := slices.IndexFunc(r.Rare, func(x survey.SeenValue) bool { return x.Path == "IMMEDIATE" })
	if i < 0 {
		t.Fatalf("the one add with a number is not rare: %+v", r.Rare)
	}
	if x := r.Rare[i]; x.Value != 1 || x.Count != 1 || x.Of != 51 || x.First.Word != "2011" || x.First.Text != "add r0, r0, 1" {
		t.Errorf("rare value %+v, want IMMEDIATE = 1, once of 51, in add r0, r0, 1", x)
	}
}

// TestJoin counts the corpus in parts. The report must not depend on their order.
func TestJoin(t *testing.T) {
	set, d := example(t)
	words := corpus()
	whole := survey.New(set)
	take(whole, d, 0, words)
	parts := survey.New(set)
	for _, from := range []int{90, 30, 60, 0} {
		part := survey.New(set)
		take(part, d, int64(from), words[from:min(from+30, len(words))])
		parts.Merge(part)
	}
	var want, got strings.Builder
	report(t, whole, d).Print(&want, strings.ToUpper, true)
	report(t, parts, d).Print(&got, strings.ToUpper, true)
	if got.String() != want.String() {
		t.Errorf("in parts:\n%s\nat once:\n%s", &got, &want)
	}
}

// TestOrdered counts parts of the corpus with two surveys in turn, as two processors do. The ordered
// parts are merged one by one and the rest at the end, in any order.
func TestOrdered(t *testing.T) {
	set, d := example(t)
	words := corpus()
	whole, total := survey.New(set), survey.New(set)
	take(whole, d, 0, words)
	parts := []*survey.Survey{survey.New(set), survey.New(set)}
	for from := 0; from < len(words); from += 30 {
		part := parts[from/30%2]
		take(part, d, int64(from), words[from:min(from+30, len(words))])
		total.Merge(part.TakeOrdered())
	}
	if total.Words != 115 || total.Roots[d.Root().ID].Unknown == nil {
		t.Errorf("%d words are ordered, want 115", total.Words)
	}
	total.Merge(parts[1])
	total.Merge(parts[0])
	var want, got strings.Builder
	report(t, whole, d).Print(&want, strings.ToUpper, true)
	report(t, total, d).Print(&got, strings.ToUpper, true)
	if got.String() != want.String() {
		t.Errorf("in pieces:\n%s\nat once:\n%s", &got, &want)
	}
}

// TestExcluded counts an instruction that the chip does not have.
func TestExcluded(t *testing.T) {
	set, d := example(t)
	ctx, err := set.ParseContext(set.DefaultContext(), "chip", "one")
	if err != nil {
		t.Fatal(err)
	}
	d.SetContext(ctx)
	s := survey.New(set)
	take(s, d, 0, []uint64{0x4000}) // mul, which only the second chip has
	r := report(t, s, d)
	if len(r.Shapes) != 1 || r.Shapes[0].Nearest != "mul" || len(r.Shapes[0].Differs) != 0 {
		t.Errorf("shapes %+v, want mul without a bit that differs", r.Shapes)
	}
}

// TestBounds exceeds the limits on values and shapes.
func TestBounds(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	var words []uint64
	for v := range uint64(512) {
		words = append(words, 0x8000|v) // br with each target
	}
	take(s, d, 0, words)
	i := slices.IndexFunc(d.Root().Leaves, func(l *isa.Leaf) bool { return l.Name == "br" })
	fields := s.Roots[d.Root().ID].Leaves[i].Fields
	f := fields[slices.IndexFunc(fields, func(f *survey.Field) bool { return f.Path == "TARGET" })]
	if !f.TooMany || len(f.Values) != 0 {
		t.Errorf("512 targets: many %v with %d values, want many without values", f.TooMany, len(f.Values))
	}
}
