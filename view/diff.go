package view

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Diff describes how two files differ: in their declarations, and in the instructions of their programs.
type Diff struct {
	// Declared has the declarations that differ, in the order of the programs. Declarations of the file come first.
	Declared []DeclaredDiff
	// Hunks has the instructions that differ, in the order of the programs.
	Hunks []Hunk
	// Same is the number of instructions that are the same in both files.
	Same int

	a, b side
	// segments divides the instructions of both files into equal and different runs, in the order of the pairs of
	// programs. A segment belongs to one pair.
	segments []segment
	pairs    []memberPair
}

// DeclaredDiff is a declaration that only one of the files has, or that differs between the files. A has the lines of
// the first file, B the lines of the second; either may be empty.
type DeclaredDiff struct {
	A, B []string
	// pair is the number of the pair of programs, or -1 if the declaration belongs to no pair.
	pair int
}

// Hunk is a run of instructions of the first program, and the run of the second program that replaces it. Either run
// may be empty.
type Hunk struct {
	// A and B are the instructions of the first and of the second program.
	A, B Range
	// alike is set for two instructions with the same text whose branch targets, or whose bits that the text does not
	// show, differ.
	alike bool
	// pair is the number of the pair of programs.
	pair int
}

// Range is a run of instructions of a program: from number Start up to, but not including, number End.
type Range struct{ Start, End int }

// DiffLine is an instruction or an unknown word.
type DiffLine struct {
	// Addr is the address in bits, and Text is the text of the instruction.
	Addr int64
	Text string
	// Place is the address in the notation of listings. If the image has several programs, the name of the program and
	// @ precede the address.
	Place string
}

// Pair is two instructions of one leaf, by their numbers in the programs.
type Pair struct{ A, B int }

// FieldDiff is a field with different values.
type FieldDiff struct {
	Path string
	// A and B are the values in hexadecimal; TextA and TextB are their meanings.
	A, B, TextA, TextB string
}

// side is one of the two files. It keeps the place of each instruction and a hash of its text without the parts that
// depend on the place. A program may have millions of instructions, so the instructions that are printed are decoded
// again.
type side struct {
	*Listing
	lengths []int
	members program.Members
	ranges  []Range // the instructions of each member
	places  []int64 // addresses, or the numbers of pieces
	hashes  []uint64
	fields  []isa.Field
	numbers map[int64]int // of the instructions that branches and declarations refer to, by address; -1 if none starts there
}

// segment is a run of instructions of the first file and the corresponding run of the second. pair is the number of the pair of
// programs.
type segment struct {
	pair  int
	a, b  Range
	equal bool
}

// memberPair is a pair of corresponding programs, by their numbers in the two files; -1 if a file has no such program.
type memberPair struct{ a, b int }

// Compare compares the programs of two listings and the declarations of their files. Branches are equal if their
// targets correspond, even if the addresses differ. Operands in a table are equal if the entries are equal, even if the
// indices differ. Programs with the same name correspond, even if their positions in the files differ. Each listing
// needs its own decoder, which the Diff continues to use.
func Compare(a, b *Listing) (*Diff, error) {
	d := &Diff{a: side{Listing: a, lengths: a.sizes()}, b: side{Listing: b, lengths: b.sizes()}}
	seed := maphash.MakeSeed()
	read := func() (func(*side) error, error) { return func(s *side) error { return s.read(seed) }, nil }
	both := slices.Values([]*side{&d.a, &d.b})
	_ = inorder.Run(2, both, read, func(err error, _ bool) error { return err }) // there is no error
	d.pairMembers()
	for n, p := range d.pairs {
		d.align(n, d.a.rangeOf(p.a), d.b.rangeOf(p.b))
	}
	declaredA, err := declarationsOf(a.Image)
	if err != nil {
		return nil, err
	}
	declaredB, err := declarationsOf(b.Image)
	if err != nil {
		return nil, err
	}
	d.a.number(declaredA)
	d.b.number(declaredB)
	d.compareEqual()
	d.compareContexts()
	d.compareDeclared(declaredA, declaredB)
	slices.SortStableFunc(d.Hunks, func(a, b Hunk) int {
		return cmp.Or(cmp.Compare(a.pair, b.pair), cmp.Compare(a.A.Start, b.A.Start), cmp.Compare(a.B.Start, b.B.Start))
	})
	slices.SortStableFunc(d.Declared, func(a, b DeclaredDiff) int { return cmp.Compare(a.pair, b.pair) })
	return d, nil
}

// Equal reports whether nothing differs.
func (d *Diff) Equal() bool { return len(d.Declared)+len(d.Hunks) == 0 }

// read records the place and the hash of each instruction.
func (s *side) read(seed maphash.Seed) error {
	s.numbers = map[int64]int{}
	there := func(addr int64, _ bool) (string, bool) {
		s.numbers[s.base+addr] = -1
		return "there", true
	}
	s.members = s.Image.Members()
	s.ranges = make([]Range, len(s.members))
	var text []byte
	n, member := int64(-1), 0
	for ln := range s.lines() {
		n++
		place := ln.addr
		if ln.piece != nil {
			place = n
			for s.members[member].Start != ln.piece.Base {
				member++
				s.ranges[member] = Range{int(n), int(n)}
			}
		}
		label := s.current.Label
		s.current.Label = there
		text = s.append(text[:0], ln)
		s.current.Label = label
		if ln.in.MissingEntry {
			s.reportMissing(ln.addr)
		}
		s.places = append(s.places, place)
		s.hashes = append(s.hashes, maphash.Bytes(seed, text))
		s.ranges[member].End++
	}
	return nil
}

// rangeOf returns the instructions of a member, or an empty range if member is negative.
func (s *side) rangeOf(member int) Range {
	if member < 0 {
		return Range{}
	}
	return s.ranges[member]
}

// addressOf returns the address of an instruction.
func (s *side) addressOf(i int) int64 {
	if s.Image.Pieces != nil {
		return s.Image.Pieces[s.places[i]].Addr
	}
	return s.places[i]
}

// reportMissing reports the missing table entries that the current instruction uses.
func (s *side) reportMissing(addr int64) {
	for _, f := range s.current.Findings() {
		if f.Kind == isa.NoEntry {
			s.report(addr, f.Text)
		}
	}
}

// at decodes an instruction again, and moves the decoder to it.
func (s *side) at(i int) line {
	if s.Image.Pieces != nil {
		return s.piece(int(s.places[i]))
	}
	return s.line(s.places[i], s.lengths)
}

// append appends the text of the instruction at the address of the decoder, in one line.
func (s *side) append(dst []byte, ln line) []byte {
	switch {
	case ln.ok:
	case ln.piece != nil && ln.piece.Root == nil:
		dst, _ = s.instruction(dst, ln)
		return dst
	default:
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

// targets returns the addresses of the branch targets of an instruction, in bits.
func (s *side) targets(ln line) (to []int64) {
	if !ln.ok {
		return nil
	}
	for _, t := range s.current.Targets(nil, ln.in) {
		to = append(to, s.base+t.Addr)
	}
	return to
}

// fieldsOf returns the fields of an instruction. The result is valid until the next call.
func (s *side) fieldsOf(ln line) []isa.Field {
	s.fields = s.fields[:0]
	if ln.ok {
		s.fields = s.current.Fields(s.fields, ln.in)
	}
	return s.fields
}

// keys assigns numbers to the instructions of two programs. Equal instructions have the same number. Instructions of
// the second program that the first one lacks have 0.
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

// farApart is the number of differences after which lcs stops searching and treats the rest as different.
const farApart = 100

// differences returns the runs of instructions that differ. If there are many, it divides both programs at the
// instructions that occur once in each.
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

// anchor is an instruction that occurs once in each program. before is the index of the anchor before it in the longest
// chain that ends here, or -1.
type anchor struct{ i, j, before int }

// anchors returns a longest list of anchors that are in the same order in both programs.
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
	var ends []int // for each length, the last anchor of the chain that ends first
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

// pairMembers pairs the programs that correspond to each other: programs with the same name. If names are numbers in
// the order of the file, it first pairs programs with the same instructions, and then the remaining programs in order.
// If each file has one program, it pairs these two.
func (d *Diff) pairMembers() {
	with := make([]int, len(d.a.members)) // for each member of the first file, its partner in the second, or -1
	taken := make([]bool, len(d.b.members))
	for i := range with {
		with[i] = -1
	}
	pair := func(i, j int) { with[i], taken[j] = j, true }
	switch {
	case len(d.a.members) == 1 && len(d.b.members) == 1:
		pair(0, 0)
	case d.a.Image.Numbered && d.b.Image.Numbered:
		d.pairNumbered(with, taken, pair)
	default:
		byName := map[string][]int{}
		for j := range d.b.members {
			name := d.b.members[j].Name
			byName[name] = append(byName[name], j)
		}
		for i := range d.a.members {
			name := d.a.members[i].Name
			if list := byName[name]; len(list) > 0 {
				pair(i, list[0])
				byName[name] = list[1:]
			}
		}
	}
	for i, j := range with {
		d.pairs = append(d.pairs, memberPair{i, j})
	}
	for j := range taken {
		if !taken[j] {
			d.pairs = append(d.pairs, memberPair{-1, j})
		}
	}
}

// pairNumbered pairs members that are numbered in the order of the file.
func (d *Diff) pairNumbered(with []int, taken []bool, pair func(i, j int)) {
	type content struct{ size, hash uint64 }
	of := func(s *side, member int) content {
		r := s.ranges[member]
		x := content{size: uint64(r.End - r.Start)}
		for i, h := range s.hashes[r.Start:r.End] {
			x.hash = (x.hash ^ h ^ uint64(i)) * 0x9e3779b97f4a7c15
		}
		return x
	}
	same := map[content][]int{}
	for j := range taken {
		x := of(&d.b, j)
		same[x] = append(same[x], j)
	}
	for i := range with {
		x := of(&d.a, i)
		list := same[x]
		if k := slices.IndexFunc(list, func(j int) bool { return d.b.members[j].Context == d.a.members[i].Context }); k >= 0 {
			pair(i, list[k])
			same[x] = slices.Delete(list, k, k+1)
		}
	}
	j := 0
	for i := range with {
		for j < len(taken) && taken[j] {
			j++
		}
		if with[i] < 0 && j < len(taken) {
			pair(i, j)
		}
	}
}

// align adds the segments and hunks of a pair of programs.
func (d *Diff) align(pair int, ra, rb Range) {
	add := func(a, b Range, equal bool) {
		if a.Start < a.End || b.Start < b.End {
			d.segments = append(d.segments, segment{pair, a, b, equal})
		}
	}
	i, j := ra.Start, rb.Start
	for _, e := range differences(keys(d.a.hashes[ra.Start:ra.End], d.b.hashes[rb.Start:rb.End])) {
		h := Hunk{A: Range{ra.Start + e.Start, ra.Start + e.End}, B: Range{rb.Start + e.ReplStart, rb.Start + e.ReplEnd}, pair: pair}
		add(Range{i, h.A.Start}, Range{j, h.B.Start}, true)
		add(h.A, h.B, false)
		d.Hunks = append(d.Hunks, h)
		i, j = h.A.End, h.B.End
	}
	add(Range{i, ra.End}, Range{j, rb.End}, true)
}

// equal yields the pairs of instructions with the same text, each with its segment.
func (d *Diff) equal(yield func(s *segment, x Pair) bool) {
	for n := range d.segments {
		s := &d.segments[n]
		for k := 0; s.equal && k < s.a.End-s.a.Start; k++ {
			if !yield(s, Pair{s.a.Start + k, s.b.Start + k}) {
				return
			}
		}
	}
}

// number records the numbers of the instructions that branches and declarations refer to.
func (s *side) number(declared []program.FileDeclaration) {
	for i := range declared {
		if declared[i].Placed {
			s.numbers[declared[i].Place] = -1
		}
	}
	if len(s.numbers) == 0 {
		return
	}
	for i := range s.places {
		if _, ok := s.numbers[s.addressOf(i)]; ok {
			s.numbers[s.addressOf(i)] = i
		}
	}
}

// numberAt returns the number of the instruction at an address in a member. For the end of the member, it returns the
// number after the last instruction. ok is false if no instruction starts at the address.
func (s *side) numberAt(member int, addr int64) (number int, ok bool) {
	switch m := s.members[member]; {
	case addr == m.End:
		return s.ranges[member].End, true
	case addr < m.Start || addr > m.End:
		return 0, false
	}
	number, ok = s.numbers[addr]
	return number, ok && number >= 0
}

// compareEqual adds hunks for branches with the same text whose targets do not correspond to each other, and for instructions
// that differ only in bits that the text does not show.
func (d *Diff) compareEqual() {
	tables := !slices.EqualFunc(d.a.Image.Tables, d.b.Image.Tables, slices.Equal)
	for s, p := range d.equal {
		d.Same++
		x, y := d.a.at(p.A), d.b.at(p.B)
		targets := d.a.targets(x)
		if len(targets) == 0 && !tables && x.in == y.in && x.word == y.word && d.a.current.Context() == d.b.current.Context() {
			continue
		}
		if d.sameTargets(s.pair, targets, d.b.targets(y)) && len(d.Fields(p)) == 0 {
			continue
		}
		d.Same--
		d.Hunks = append(d.Hunks, Hunk{A: Range{p.A, p.A + 1}, B: Range{p.B, p.B + 1}, alike: true, pair: s.pair})
	}
}

// sameTargets reports whether the branches of a pair of programs have targets that correspond.
func (d *Diff) sameTargets(pair int, a, b []int64) bool {
	return slices.EqualFunc(a, b, func(a, b int64) bool { return d.correspond(pair, a, b) })
}

// correspond reports whether addresses in a pair of programs correspond to each other: their instructions correspond, or, if no
// instruction starts there, the distances from the start of the program are the same.
func (d *Diff) correspond(pair int, a, b int64) bool {
	p := d.pairs[pair]
	i, okA := d.a.numberAt(p.a, a)
	j, okB := d.b.numberAt(p.b, b)
	if !okA || !okB {
		return okA == okB && a-d.a.members[p.a].Start == b-d.b.members[p.b].Start
	}
	n := sort.Search(len(d.segments), func(n int) bool {
		s := &d.segments[n]
		return s.pair > pair || s.pair == pair && s.a.End > i
	})
	inserted := func() bool { // a run that only the second program has starts at j
		return n > 0 && d.segments[n-1].pair == pair && !d.segments[n-1].equal && d.segments[n-1].a.Start == i && d.segments[n-1].b.Start == j
	}
	if n == len(d.segments) || d.segments[n].pair != pair { // after the last
		return j == d.b.ranges[p.b].End || inserted()
	}
	s := &d.segments[n]
	if s.equal {
		return j-s.b.Start == i-s.a.Start || i == s.a.Start && inserted()
	}
	return s.b.Start <= j && j <= s.b.End
}

// pairOf returns the number of the pair of programs to which an instruction of the first file belongs.
func (d *Diff) pairOf(i int) int {
	n := sort.Search(len(d.segments), func(n int) bool { return d.pairs[d.segments[n].pair].a < 0 || d.segments[n].a.End > i })
	return d.segments[n].pair
}

// A returns an instruction of the first program by its number.
func (d *Diff) A(i int) DiffLine { return d.a.shown(i) }

// B returns an instruction of the second program by its number.
func (d *Diff) B(i int) DiffLine { return d.b.shown(i) }

func (s *side) shown(i int) DiffLine {
	ln := s.at(i)
	place := string(appendAddress(nil, s.address(ln)))
	if m := s.members.At(ln.addr); m.Several {
		place = Printable(m.Name) + "@" + place
	}
	return DiffLine{ln.addr, string(s.append(nil, ln)), place}
}

// Pairs returns pairs of instructions of one leaf from the two sides of a hunk, in order. It pairs each instruction of
// the first side with the next unpaired one of the second side.
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

// Fields lists the fields in which two instructions differ, and differing bits that belong to no field. If their branch targets
// correspond to each other, it omits the fields that encode the targets.
func (d *Diff) Fields(x Pair) []FieldDiff {
	a, b := d.a.at(x.A), d.b.at(x.B)
	fieldsA, fieldsB := d.a.fieldsOf(a), d.b.fieldsOf(b)
	list := fieldDiffs(fieldsA, fieldsB, func(x, y *isa.Field) bool {
		ofA, _ := d.a.current.DependsOn(a.in, x)
		ofB, _ := d.b.current.DependsOn(b.in, y)
		return ofA || ofB
	})
	if a.ok && b.ok {
		list = appendNameless(list, &a, &b, fieldsA, fieldsB)
	}
	targets := d.a.targets(a)
	if len(list) == 0 || len(targets) == 0 || !d.sameTargets(d.pairOf(x.A), targets, d.b.targets(b)) {
		return list
	}
	return slices.DeleteFunc(list, func(f FieldDiff) bool { return d.a.moves(a, f.Path, b.word, targets) })
}

// moves reports whether a field encodes the branch targets of an instruction: with the field's bits from the word
// other, the targets differ from before.
func (s *side) moves(ln line, path string, other bits.Value, before []int64) bool {
	for i := range s.fields {
		f := &s.fields[i]
		if f.Path != path || f.Table != "" {
			continue
		}
		in := ln.in
		for _, p := range f.Parts { // the parts of addresses are short
			in.Bits.SetUint(p.Low, p.Width, other.Uint(p.Low, p.Width))
		}
		moved, ok := s.current.Decode(in.Bits)
		return ok && !slices.Equal(before, s.targets(line{in: moved, ok: true}))
	}
	return false
}

// appendNameless adds the differences in bits that belong to no single innermost field: the fields that contain such bits, which
// replace the fields inside them, or the bits themselves.
func appendNameless(list []FieldDiff, a, b *line, fieldsA, fieldsB []isa.Field) []FieldDiff {
	rest := a.word.Xor(b.word)
	for _, fields := range [][]isa.Field{fieldsA, fieldsB} {
		for i := range fields {
			if fields[i].Index || !hasInside(fields, i) {
				rest = rest.AndNot(inWord(&fields[i]))
			}
		}
	}
	for i := len(fieldsA) - 1; i >= 0 && rest != (bits.Value{}); i-- { // inner ones first
		x := &fieldsA[i]
		k, ok := pathFrom(fieldsB, i, x.Path)
		in := inWord(x)
		if !ok || rest.And(in) == (bits.Value{}) {
			continue
		}
		rest = rest.AndNot(in)
		list = slices.DeleteFunc(list, func(f FieldDiff) bool { return isInside(f.Path, x.Path) })
		list = append(list, FieldDiff{x.Path, x.Value.String(), fieldsB[k].Value.String(), x.Meaning, fieldsB[k].Meaning})
	}
	var places []string
	for bit := range bits.Size {
		if rest.Bit(bit) != 0 {
			places = append(places, strconv.Itoa(bit))
		}
	}
	if len(places) == 0 {
		return list
	}
	name := "bit "
	if len(places) > 1 {
		name = "bits "
	}
	return append(list, FieldDiff{Path: name + strings.Join(places, ", "), A: a.word.And(rest).String(), B: b.word.And(rest).String()})
}

// inWord returns the bits of the word that a field occupies, or none if the field is in a table.
func inWord(f *isa.Field) (v bits.Value) {
	for _, p := range f.Parts {
		if f.Table == "" {
			v = v.Or(bits.Range(p.Low, p.Width))
		}
	}
	return v
}

// fieldDiffs lists the fields in which two instructions of one encoding differ. Inner fields replace the fields that
// contain them. Table entries are compared instead of their indices. cares reports whether an instruction depends on a
// field.
func fieldDiffs(a, b []isa.Field, cares func(x, y *isa.Field) bool) []FieldDiff {
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
		if hasInside(a, i) && hasInside(b, k) || !cares(x, &b[k]) {
			continue
		}
		list = append(list, FieldDiff{x.Path, x.Value.String(), b[k].Value.String(), x.Meaning, b[k].Meaning})
	}
	return list
}

// pathFrom returns the index of the first field with a path. The search starts at the index in from, because
// instructions of one leaf list most of their fields in the same order.
func pathFrom(fields []isa.Field, from int, path string) (k int, ok bool) {
	for n := range fields {
		if k = (from + n) % len(fields); fields[k].Path == path {
			return k, true
		}
	}
	return 0, false
}

// hasInside reports whether a field contains other fields, which follow it in the list.
func hasInside(fields []isa.Field, i int) bool {
	return i+1 < len(fields) && isInside(fields[i+1].Path, fields[i].Path)
}

func isInside(path, outer string) bool {
	return len(path) > len(outer) && path[len(outer)] == '.' && path[:len(outer)] == outer
}

// Print prints the differences as text. The declarations of the files come first. The declarations and the instructions
// of each program follow.
func (d *Diff) Print(w io.Writer, p Palette) error {
	declared := d.Declared
	before := func(pair int) error {
		n := 0
		for n < len(declared) && declared[n].pair <= pair {
			n++
		}
		_, err := w.Write(appendDeclared(nil, p, declared[:n]))
		declared = declared[n:]
		return err
	}
	for _, h := range d.Hunks {
		if err := cmp.Or(before(h.pair), d.printHunk(w, p, h)); err != nil {
			return err
		}
	}
	return before(len(d.pairs))
}

func appendDeclared(dst []byte, p Palette, list []DeclaredDiff) []byte {
	for _, x := range list {
		for _, line := range x.A {
			dst = append(append(dst, p.paint(removed, "- "+line)...), '\n')
		}
		for _, line := range x.B {
			dst = append(append(dst, p.paint(added, "+ "+line)...), '\n')
		}
	}
	return dst
}

func (d *Diff) printHunk(w io.Writer, p Palette, h Hunk) error {
	show := func(x DiffLine, colour, mark string) error {
		_, err := fmt.Fprintln(w, p.paint(colour, fmt.Sprintf("%s%s  %s", mark, x.Place, x.Text)))
		return err
	}
	for i := h.A.Start; i < h.A.End; i++ {
		if err := show(d.A(i), removed, "-"); err != nil {
			return err
		}
	}
	var err error
	d.eachAdded(h, func(k int, replaced *Pair, fields []FieldDiff) bool {
		if err = show(d.B(k), added, "+"); err == nil && replaced != nil {
			_, err = w.Write(appendFieldDiffs(nil, fields))
		}
		return err == nil
	})
	return err
}

// eachAdded yields the instructions of the second side of a hunk. replaced is the instruction of the same leaf that the
// instruction replaces, or nil, and fields are the fields in which they differ.
func (d *Diff) eachAdded(h Hunk, yield func(k int, replaced *Pair, fields []FieldDiff) bool) {
	pairs := d.Pairs(h)
	for k := h.B.Start; k < h.B.End; k++ {
		var replaced *Pair
		var fields []FieldDiff
		if len(pairs) > 0 && pairs[0].B == k {
			replaced, fields = &pairs[0], d.Fields(pairs[0])
			if h.alike && len(fields) == 0 {
				fields = d.targetDiffs(pairs[0])
			}
			pairs = pairs[1:]
		}
		if !yield(k, replaced, fields) {
			return
		}
	}
}

// targetDiffs returns the targets that differ between two branches that are otherwise equal.
func (d *Diff) targetDiffs(x Pair) (list []FieldDiff) {
	a, b := d.a.targets(d.a.at(x.A)), d.b.targets(d.b.at(x.B))
	for i := range min(len(a), len(b)) {
		if !d.correspond(d.pairOf(x.A), a[i], b[i]) {
			list = append(list, FieldDiff{Path: "target", A: d.a.hexPlace(a[i]), B: d.b.hexPlace(b[i]), TextA: d.a.textAt(a[i]), TextB: d.b.textAt(b[i])})
		}
	}
	return list
}

// hexPlace returns the hexadecimal digits of an address, in bytes from the start of its program.
func (s *side) hexPlace(addr int64) string {
	return strings.TrimPrefix(program.Address(addr-s.members.At(addr).Start), "0x")
}

// textAt returns the text of the instruction at an address, or "" if none starts there.
func (s *side) textAt(addr int64) string {
	if n, ok := s.numbers[addr]; ok && n >= 0 {
		return string(s.append(nil, s.at(n)))
	}
	return ""
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
