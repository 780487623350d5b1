package view

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Diff is the difference of two programs, instruction by instruction.
type Diff struct {
	// Hunks are the places that differ, in the order of the programs.
	Hunks []Hunk
	// Same is the number of instructions that are the same in both.
	Same int

	a, b side
}

// Hunk is a place at which instructions of the first program stand for others in the second one. Either may be none.
type Hunk struct {
	// A and B are the instructions of the first and of the second program.
	A, B Range
	// alike is set where the texts are the same and what they stand for is not.
	alike bool
}

// Range are instructions of a program from number Start up to End, which it leaves out.
type Range struct{ Start, End int }

// DiffLine is an instruction, or a word that is none.
type DiffLine struct {
	// Addr is the address in bits, Text the instruction.
	Addr int64
	Text string
	// Place is the address in the notation of listings; where the image has several programs, after the name of the program
	// and @.
	Place string
}

// Pair are two instructions of one leaf, by their numbers in the programs.
type Pair struct{ A, B int }

// FieldDiff is a field with different values.
type FieldDiff struct {
	Path string
	// A and B are the values in hexadecimal; TextA and TextB what they mean.
	A, B, TextA, TextB string
}

// side is one of the two programs. Of an instruction is kept where it stands and a hash of its text without what depends
// on the place: programs may have millions, and those that are shown are decoded again.
type side struct {
	*Listing
	lengths []int
	members program.Members
	places  []int64 // addresses, or the numbers of pieces
	hashes  []uint64
	fields  []isa.Field
}

// Compare compares the programs of two listings. Branches that go to instructions that stand for each
// other are the same, whatever their addresses are, and so are operands that stand at different places of
// a table. Each listing has a decoder of its own, which the result goes on to use.
func Compare(a, b *Listing) *Diff {
	d := &Diff{a: side{Listing: a, lengths: a.sizes()}, b: side{Listing: b, lengths: b.sizes()}}
	seed := maphash.MakeSeed()
	read := func() (func(*side) error, error) { return func(s *side) error { return s.read(seed) }, nil }
	both := slices.Values([]*side{&d.a, &d.b})
	_ = inorder.Run(2, both, read, func(err error, _ bool) error { return err }) // there is none
	edits := differences(keys(d.a.hashes, d.b.hashes))
	for _, e := range edits {
		d.Hunks = append(d.Hunks, Hunk{A: Range{e.Start, e.End}, B: Range{e.ReplStart, e.ReplEnd}})
	}
	d.compareEqual(equal(edits, len(d.a.places)))
	slices.SortStableFunc(d.Hunks, func(a, b Hunk) int { return cmp.Compare(a.A.Start, b.A.Start) })
	return d
}

// read finds the instructions.
func (s *side) read(seed maphash.Seed) error {
	there := func(int64, bool) (string, bool) { return "there", true }
	var text []byte
	n := int64(-1)
	for ln := range s.lines() {
		n++
		place := ln.addr
		switch {
		case ln.piece == nil:
		case ln.piece.Root == nil:
			continue
		default:
			place = n
		}
		label := s.current.Label
		s.current.Label = there
		text = s.append(text[:0], ln)
		s.current.Label = label
		if ln.in.Missing {
			s.reportMissing(ln.addr)
		}
		s.places = append(s.places, place)
		s.hashes = append(s.hashes, maphash.Bytes(seed, text))
	}
	return nil
}

// reportMissing reports the table entries that the instruction names and nobody gave.
func (s *side) reportMissing(addr int64) {
	for _, f := range s.current.Findings() {
		if f.Kind == isa.NoEntry {
			s.report(addr, f.Text)
		}
	}
}

// at decodes an instruction again. The decoder stands at it.
func (s *side) at(i int) line {
	if s.Image.Pieces != nil {
		return s.piece(int(s.places[i]))
	}
	return s.line(s.places[i], s.lengths)
}

// append appends the text of an instruction at which the decoder stands, in one line.
func (s *side) append(dst []byte, ln line) []byte {
	if !ln.ok {
		return append(append(dst, "unknown word 0x"...), ln.word.String()...)
	}
	dst = s.current.Append(dst, ln.in)
	for i, c := range dst {
		if c == '\n' {
			dst[i] = ' '
		}
	}
	return dst
}

// goes returns where the branches of an instruction go.
func (s *side) goes(ln line) (to []int64) {
	if !ln.ok {
		return nil
	}
	for _, t := range s.current.Targets(nil, ln.in) {
		to = append(to, s.base+t.Addr)
	}
	return to
}

// fieldsOf returns the fields of an instruction, until it is called again.
func (s *side) fieldsOf(ln line) []isa.Field {
	s.fields = s.fields[:0]
	if ln.ok {
		s.fields = s.current.Fields(s.fields, ln.in)
	}
	return s.fields
}

// keys gives instructions that are the same the same number. What the first program has not is 0.
func keys(a, b []uint64) (ka, kb []rune) {
	known := map[uint64]rune{}
	for _, hash := range a {
		if known[hash] == 0 {
			known[hash] = rune(len(known) + 1)
		}
		ka = append(ka, known[hash])
	}
	for _, hash := range b {
		kb = append(kb, known[hash])
	}
	return ka, kb
}

// farApart is how many differences lcs looks for, after which it takes what is left as different.
const farApart = 100

// differences finds what differs. Programs that are far apart are cut at the instructions that each of them has once.
func differences(a, b []rune) []lcs.Diff {
	whole, count := lcs.DiffRunes(a, b), 0
	for _, e := range whole {
		count += e.End - e.Start + e.ReplEnd - e.ReplStart
	}
	if count < farApart {
		return whole
	}
	var list []lcs.Diff
	i, j := 0, 0
	for _, end := range append(anchors(a, b), anchor{i: len(a), j: len(b)}) {
		for _, e := range lcs.DiffRunes(a[i:end.i], b[j:end.j]) {
			list = append(list, lcs.Diff{Start: e.Start + i, End: e.End + i, ReplStart: e.ReplStart + j, ReplEnd: e.ReplEnd + j})
		}
		i, j = end.i, end.j
	}
	return list
}

// anchor is an instruction that both programs have once. before is the anchor in front of it in the longest chain that
// ends here, -1 for none.
type anchor struct{ i, j, before int }

// anchors returns as many anchors as stand in the same order in both programs.
func anchors(a, b []rune) []anchor {
	countA, countB, inB := make([]int32, len(a)+1), make([]int32, len(a)+1), make([]int32, len(a)+1)
	for _, key := range a {
		countA[key]++
	}
	for j, key := range b {
		countB[key]++
		inB[key] = int32(j)
	}
	var all []anchor
	var ends []int // of the chains of 1, 2, ... anchors those that end first
	for i, key := range a {
		if countA[key] != 1 || countB[key] != 1 {
			continue
		}
		x := anchor{i, int(inB[key]), -1}
		length, _ := slices.BinarySearchFunc(ends, x.j, func(end, j int) int { return cmp.Compare(all[end].j, j) })
		if length > 0 {
			x.before = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, 0)
		}
		ends[length] = len(all)
		all = append(all, x)
	}
	if len(ends) == 0 {
		return nil
	}
	var chain []anchor
	for at := ends[len(ends)-1]; at >= 0; at = all[at].before {
		chain = append(chain, all[at])
	}
	slices.Reverse(chain)
	return chain
}

// equal yields the places of the instructions that are the same, in a first program of so many.
func equal(edits []lcs.Diff, count int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		i, j := 0, 0
		for _, e := range append(slices.Clip(edits), lcs.Diff{Start: count}) {
			for ; i < e.Start; i, j = i+1, j+1 {
				if !yield(i, j) {
					return
				}
			}
			i, j = e.End, e.ReplEnd
		}
	}
}

// compareEqual adds as hunks the branches that look alike and go to places that do not stand for each other, and
// what differs in bits that the text does not show.
func (d *Diff) compareEqual(pairs iter.Seq2[int, int]) {
	reached, same := map[int64]bool{}, map[int64]int64{} // by addresses of the first program; those in the second
	for i := range pairs {
		for _, to := range d.a.goes(d.a.at(i)) {
			reached[to] = true
		}
	}
	for i, j := range pairs {
		if len(reached) == 0 {
			break
		}
		if x := d.a.at(i); reached[x.addr] {
			same[x.addr] = d.b.at(j).addr
		}
	}
	tables := !slices.EqualFunc(d.a.Image.Tables, d.b.Image.Tables, slices.Equal)
	for i, j := range pairs {
		d.Same++
		x, y := d.a.at(i), d.b.at(j)
		goes := d.a.goes(x)
		switch {
		case len(goes) > 0 && goSame(goes, d.b.goes(y), same):
		case len(goes) == 0 && !tables && x.in == y.in && d.a.current.Context() == d.b.current.Context():
		case len(d.Fields(Pair{i, j})) > 0:
			d.Same--
			d.Hunks = append(d.Hunks, Hunk{A: Range{i, i + 1}, B: Range{j, j + 1}, alike: true})
		}
	}
}

// goSame reports whether branches go to places that stand for each other. A place that has no
// counterpart says nothing: what stands there differs already.
func goSame(a, b []int64, same map[int64]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if to, ok := same[a[i]]; ok && to != b[i] {
			return false
		}
	}
	return true
}

// A returns an instruction of the first program by its number.
func (d *Diff) A(i int) DiffLine { return d.a.shown(i) }

// B returns an instruction of the second program by its number.
func (d *Diff) B(i int) DiffLine { return d.b.shown(i) }

func (s *side) shown(i int) DiffLine {
	ln := s.at(i)
	if s.members == nil {
		s.members = s.Image.Members()
	}
	place := string(appendAddress(nil, s.address(ln)))
	if m := s.members.At(ln.addr); m.Several {
		place = Printable(m.Name) + "@" + place
	}
	return DiffLine{ln.addr, string(s.append(nil, ln)), place}
}

// Pairs finds the instructions of both sides of a hunk that are of one leaf, in order: that of the first by that of the
// second.
func (d *Diff) Pairs(h Hunk) (list []Pair) {
	if h.alike {
		return []Pair{{h.A.Start, h.B.Start}}
	}
	places := map[string][]int{} // of each leaf in the second
	for k := h.B.Start; k < h.B.End; k++ {
		if ln := d.b.at(k); ln.ok {
			places[ln.in.Leaf.Name] = append(places[ln.in.Leaf.Name], k)
		}
	}
	next := h.B.Start
	for i := h.A.Start; i < h.A.End && next < h.B.End; i++ {
		ln := d.a.at(i)
		if !ln.ok {
			continue
		}
		free := places[ln.in.Leaf.Name]
		for len(free) > 0 && free[0] < next {
			free = free[1:]
		}
		places[ln.in.Leaf.Name] = free
		if len(free) > 0 {
			list, next = append(list, Pair{i, free[0]}), free[0]+1
		}
	}
	return list
}

// Fields lists the fields in which two instructions differ.
func (d *Diff) Fields(x Pair) []FieldDiff {
	return fieldDiffs(d.a.fieldsOf(d.a.at(x.A)), d.b.fieldsOf(d.b.at(x.B)))
}

// fieldDiffs lists the fields of bits in which two instructions of one leaf differ, those inside others
// in place of these. Indices of tables do not count: what stands there does.
func fieldDiffs(a, b []isa.Field) []FieldDiff {
	var list []FieldDiff
	next := 0
	for i := range a {
		x := &a[i]
		k, ok := pathFrom(b, next, x.Path)
		if ok {
			next = k + 1
		}
		if !ok || b[k].Value == x.Value || x.Derived() || x.Index {
			continue
		}
		if x.Table != "" && !shown(a, x.Path) && !shown(b, x.Path) {
			continue // of what the instruction does not care about
		}
		if hasInside(a, i) && hasInside(b, k) {
			continue
		}
		list = append(list, FieldDiff{x.Path, x.Value.String(), b[k].Value.String(), x.Meaning, b[k].Meaning})
	}
	return list
}

// pathFrom returns the first field of a path, looked for from one on, where it mostly is: instructions of one leaf
// list most fields in one order.
func pathFrom(fields []isa.Field, from int, path string) (k int, ok bool) {
	for n := range fields {
		if k = (from + n) % len(fields); fields[k].Path == path {
			return k, true
		}
	}
	return 0, false
}

// shown reports whether the text has a field, or one around it.
func shown(fields []isa.Field, path string) bool {
	for i := range fields {
		if f := &fields[i]; f.Start >= 0 && (f.Path == path || isInside(path, f.Path) && !f.Index) {
			return true
		}
	}
	return false
}

// hasInside reports whether there are fields inside a field: those would stand behind it.
func hasInside(fields []isa.Field, i int) bool {
	return i+1 < len(fields) && isInside(fields[i+1].Path, fields[i].Path)
}

func isInside(path, outer string) bool {
	return len(path) > len(outer) && path[len(outer)] == '.' && path[:len(outer)] == outer
}

// Print prints a difference for people.
func (d *Diff) Print(w io.Writer, p Palette) error {
	show := func(x DiffLine, colour, mark string) error {
		_, err := fmt.Fprintln(w, p.paint(colour, fmt.Sprintf("%s%s  %s", mark, x.Place, x.Text)))
		return err
	}
	for _, h := range d.Hunks {
		for i := h.A.Start; i < h.A.End; i++ {
			if err := show(d.A(i), removed, "-"); err != nil {
				return err
			}
		}
		pairs := d.Pairs(h)
		for k := h.B.Start; k < h.B.End; k++ {
			if err := show(d.B(k), added, "+"); err != nil {
				return err
			}
			if len(pairs) > 0 && pairs[0].B == k {
				if _, err := w.Write(appendFieldDiffs(nil, d.Fields(pairs[0]))); err != nil {
					return err
				}
				pairs = pairs[1:]
			}
		}
	}
	return nil
}

// removed and added are the colours of the two sides.
const (
	removed = "\x1b[31m"
	added   = "\x1b[32m"
)

func appendFieldDiffs(dst []byte, list []FieldDiff) []byte {
	for i := range list {
		f := &list[i]
		dst = append(append(append(dst, "           "...), f.Path...), ": 0x"...)
		dst = append(append(append(dst, f.A...), " -> 0x"...), f.B...)
		if f.TextA != f.TextB {
			dst = append(append(dst, ", "...), quoted(f.TextA)...)
			dst = append(append(dst, " -> "...), quoted(f.TextB)...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func quoted(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
