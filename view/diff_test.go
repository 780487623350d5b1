package view

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// counted returns the numbers from up to to.
func counted(from, to int) (list []rune) {
	for n := from; n < to; n++ {
		list = append(list, rune(n))
	}
	return list
}

// Far more differences than lcs looks for: each tenth of 3,000 instructions is another.
func TestManyDifferences(t *testing.T) {
	a, b := counted(1, 3001), counted(1, 3001)
	for i := 5; i < len(b); i += 10 {
		b[i] = 0
	}
	list := differences(a, b)
	if len(list) != 300 {
		t.Fatalf("%d places, want 300", len(list))
	}
	for n, e := range list {
		if at := 5 + 10*n; e != (lcs.Diff{Start: at, End: at + 1, ReplStart: at, ReplEnd: at + 1}) {
			t.Errorf("place %d is %v, want instruction %d", n, e, at)
		}
	}
}

// Of two parts that changed places the longer one stays: 200 instructions go here and come there.
func TestMovedPart(t *testing.T) {
	a := counted(1, 701)
	b := append(counted(201, 701), counted(1, 201)...)
	list := differences(a, b)
	want := []lcs.Diff{{Start: 0, End: 200}, {Start: 700, End: 700, ReplStart: 500, ReplEnd: 700}}
	if len(list) != 2 || list[0] != want[0] || list[1] != want[1] {
		t.Errorf("%v, want %v", list, want)
	}
}

// rawListing lists words of 16 bits.
func rawListing(t *testing.T, set *isa.Set, data []byte) *Listing {
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	im, err := program.Raw(d.Root(), data)
	if err != nil {
		t.Fatal(err)
	}
	return &Listing{Decoder: d, Image: im}
}

func compared(t *testing.T, a, b *Listing) *Diff {
	t.Helper()
	d, err := Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The second program adds 2 in place of 1.
func TestHunks(t *testing.T) {
	set, err := isa.Load(os.DirFS("../target/example"), "example.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	// nop; add r1, r1, 1; nop
	d := compared(t, rawListing(t, set, []byte{0, 0, 0x31, 0x22, 0, 0}), rawListing(t, set, []byte{0, 0, 0x32, 0x22, 0, 0}))
	if d.Same != 2 || len(d.Hunks) != 1 {
		t.Fatalf("%d the same, places %v, want 2 and one place", d.Same, d.Hunks)
	}
	h := d.Hunks[0]
	if want := (Hunk{A: Range{1, 2}, B: Range{1, 2}}); h != want {
		t.Fatalf("place %v, want %v", h, want)
	}
	if a, b := d.A(1), d.B(1); a != (DiffLine{16, "add r1, r1, 1", "0x0002"}) || b != (DiffLine{16, "add r1, r1, 2", "0x0002"}) {
		t.Errorf("%v and %v", a, b)
	}
	pairs := d.Pairs(h)
	if len(pairs) != 1 || pairs[0] != (Pair{1, 1}) {
		t.Fatalf("pairs %v, want 1 with 1", pairs)
	}
	if fields := d.Fields(pairs[0]); len(fields) != 1 || fields[0].A != "1" || fields[0].B != "2" {
		t.Errorf("fields %v, want one, 1 and 2", fields)
	}
}

// Nothing of an instruction is kept but some numbers, however long its text is.
func TestCompareAllocates(t *testing.T) {
	set, err := isa.Load(os.DirFS("../target/example"), "example.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	const words = 100_000
	random := rand.New(rand.NewPCG(1, 2))
	garbage := func() *Listing {
		data := make([]byte, 2*words)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		return rawListing(t, set, data)
	}
	a, b := garbage(), garbage()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := compared(t, a, b)
	runtime.ReadMemStats(&after)
	if len(d.Hunks) == 0 {
		t.Error("random words are the same")
	}
	if n := (after.TotalAlloc - before.TotalAlloc) / words; n > 600 {
		t.Errorf("%d bytes for a pair of instructions, expected at most 600", n)
	} else {
		t.Logf("%d bytes for a pair of instructions", n)
	}
}

// Fields correspond to each other by their paths, in any order. The fields inside a field are listed in its place.
func TestFieldsInAnotherOrder(t *testing.T) {
	field := func(path string, value uint64) isa.Field {
		return isa.Field{FieldInfo: &isa.FieldInfo{Path: path, Parts: []bits.Part{{Width: 8}}}, Value: bits.Of(value)}
	}
	a := []isa.Field{field("DST", 1), field("SRC", 0x12), field("SRC.N", 1), field("SRC.M", 2), field("X", 7), field("ALONE", 1)}
	b := []isa.Field{field("X", 8), field("SRC", 0x32), field("SRC.N", 3), field("SRC.M", 2), field("DST", 1)}
	got := string(appendFieldDiffs(nil, fieldDiffs(a, b, func(_, _ *isa.Field) bool { return true })))
	if want := "           SRC.N: 0x1 -> 0x3\n           X: 0x7 -> 0x8\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
