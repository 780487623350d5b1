package survey_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/survey"
	"github.com/isago/isago/target/pica200"
)

// TestFiles counts nop in three files, three times in the last one, and add in one file. A file that is
// counted in parts counts once.
func TestFiles(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	count := func(s *survey.Survey, file int, words ...uint64) {
		for i, w := range words {
			in, ok := d.Decode(bits.Of(w))
			if !ok {
				t.Fatalf("%x is not an instruction", w)
			}
			s.CountInstruction(d, in, survey.Place{File: file, Addr: int64(16 * i)})
		}
	}
	count(s, 0, 0, 0x2000, 0x2000)
	count(s, 1, 0)
	for range 2 {
		part := survey.New(set)
		count(part, 2, 0, 0, 0)
		s.Merge(part)
	}
	s.Files = 3
	r, err := s.Report([]string{"a", "b", "c"}, nil, func(*isa.Root) (*isa.Decoder, error) { return d, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Seen {
		want := map[string]uint64{"nop": 3, "add": 1}[x.Name]
		if x.Files != want {
			t.Errorf("%s is in %d files, want %d", x.Name, x.Files, want)
		}
	}
	var text strings.Builder
	r.Print(&text, strings.ToUpper, false)
	if !strings.Contains(text.String(), "  3/3 files  nop ") || !strings.Contains(text.String(), "  1/3 files  add ") {
		t.Errorf("files are missing:\n%s", &text)
	}
}

// TestFilesOfRepeatedWords counts a word that is in the cache in several files.
func TestFilesOfRepeatedWords(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	in, _ := d.Decode(bits.Of(0x2000))
	for file := range 5 {
		for i := range 4 {
			s.CountInstruction(d, in, survey.Place{File: file, Addr: int64(16 * i)})
		}
	}
	if leaf := &s.Roots[in.Leaf.Root.ID].Leaves[in.Leaf.ID]; leaf.Files != 5 || leaf.Count != 20 {
		t.Errorf("%d times in %d files, want 20 times in 5", leaf.Count, leaf.Files)
	}
}

// TestDeclaredFeatures counts features that files declare, up to the limit.
func TestDeclaredFeatures(t *testing.T) {
	set, d := example(t)
	s := survey.New(set)
	for range 2 { // twice in one file
		s.CountDeclared("stage vertex", 0)
	}
	s.CountDeclared("stage vertex", 1)
	for i := range survey.MaxFeatures + 5 {
		s.CountDeclared("semantic "+strings.Repeat("x", i+1), 1)
	}
	r := report(t, s, d)
	i := slices.IndexFunc(r.Features, func(x survey.SeenFeature) bool { return x.Name == "stage vertex" })
	if i < 0 || r.Features[i].Files != 2 || r.Features[i].Count != 0 || r.Features[i].First != nil {
		t.Errorf("features %+v, want stage vertex in 2 files", r.Features[:1])
	}
	if len(r.Features) != survey.MaxFeatures || r.OtherFeatures != 6 {
		t.Errorf("%d features and %d others, want %d and 6", len(r.Features), r.OtherFeatures, survey.MaxFeatures)
	}
}

// shader returns the PICA200 set and a decoder with a table of descriptors. 0x36f selects all
// components. 0x363 writes only z and w and negates the second source, which mov does not have.
func shader(t *testing.T) (*isa.Set, *isa.Decoder) {
	t.Helper()
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.SetTable(0, []bits.Value{bits.Of(0x36f), bits.Of(0x363 | 1<<13)})
	return set, d
}

// TestTableFields checks that a mask counts as a field of the instruction. The index of the entry and
// the parts for other instructions do not count, because the assembler chooses them.
func TestTableFields(t *testing.T) {
	set, d := shader(t)
	s := survey.New(set)
	words := append(slices.Repeat([]uint64{0x4c001000}, 60), 0x4c001001) // mov o0, v1
	for i, w := range words {
		in, ok := d.Decode(bits.Of(w))
		if !ok {
			t.Fatalf("%x is not an instruction", w)
		}
		s.CountInstruction(d, in, survey.Place{Addr: int64(32 * i)})
	}
	bare, err := set.NewDecoder("") // without tables
	if err != nil {
		t.Fatal(err)
	}
	r := report(t, s, bare)
	if len(r.Rare) != 3 || r.Rare[1].Path != "DESC.MASK.X" || r.Rare[2].Path != "DESC.MASK.Y" || r.Rare[0].Path != "DESC.MASK" || r.Rare[0].Meaning != ".zw" || r.Rare[0].First.Text != "mov o0.zw, v1" {
		t.Errorf("rare values %+v, want DESC.MASK .zw of mov o0.zw, v1, and its x and y", r.Rare)
	}
	for _, f := range r.Seen[0].Fields {
		if f.Path == "DESC" || strings.HasPrefix(f.Path, "DESC.NEG2") || strings.HasPrefix(f.Path, "DESC.SWZ2") {
			t.Errorf("%s is an assembler's choice", f.Path)
		}
	}
}

// TestRelative checks that relative addressing counts once per instruction, and not in raw dumps.
func TestRelative(t *testing.T) {
	set, d := shader(t)
	for _, dump := range []bool{false, true} {
		s := survey.New(set)
		s.SkipFeatures = dump
		for i, w := range []uint64{0x4c022000, 0x4c0a2000, 0x4c0a2000, 0x4c1a2000} { // mov o0, c2 and c2[a0.x], twice, and c2[aL]
			in, ok := d.Decode(bits.Of(w))
			if !ok {
				t.Fatalf("%x is not an instruction", w)
			}
			s.CountInstruction(d, in, survey.Place{Addr: int64(32 * i)})
		}
		var got []string
		for _, x := range report(t, s, d).Features {
			got = append(got, fmt.Sprint(x.Name, " ", x.Count, " ", x.Files, " ", x.First.Address))
		}
		want := []string{"relative addressing of c by a0 2 1 4", "relative addressing of c by aL 1 1 12"}
		if dump {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("features %q, want %q", got, want)
		}
	}
}
