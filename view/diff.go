package view

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/isago/isago/isa"
)

// Diff is the difference of two programs, instruction by instruction.
type Diff struct {
	// Hunks are the places that differ, in the order of the programs.
	Hunks []Hunk
	// Same is the number of instructions that are the same in both.
	Same int
}

// Hunk is a place at which instructions of the first program stand for others in the second one. Either
// may be none.
type Hunk struct {
	A, B []DiffLine
	// Pairs are the instructions of both sides, in order, that are the same but for some fields.
	Pairs []Pair

	at int // the place in the first program
}

// DiffLine is an instruction, or a word that is none.
type DiffLine struct {
	// Addr is the address in bits, Text what stands there.
	Addr int64
	Text string

	key    string // the text without what depends on the place
	leaf   *isa.Leaf
	fields []isa.Field
	goes   []int64 // where branches go
}

// Pair are two instructions of a hunk, by their places in A and B, that differ in fields.
type Pair struct {
	A, B   int
	Fields []FieldDiff
}

// FieldDiff is a field with different values.
type FieldDiff struct {
	Path string
	// A and B are the values in hexadecimal; TextA and TextB what they mean.
	A, B, TextA, TextB string
}

// Compare compares the programs of two listings. Branches that go to instructions that stand for each
// other are the same, whatever their addresses are, and so are operands that stand at different places of
// a table.
func Compare(a, b *Listing) *Diff {
	la, lb := diffLines(a), diffLines(b)
	edits := udiff.Lines(keys(la), keys(lb))
	starts := lineStarts(la)
	d := &Diff{}
	same := map[int64]int64{} // the address in b of an instruction of a
	var equal [][2]int
	i, j := 0, 0
	match := func(upTo int) {
		for ; i < upTo; i, j = i+1, j+1 {
			same[la[i].Addr] = lb[j].Addr
			equal = append(equal, [2]int{i, j})
		}
	}
	for _, e := range edits {
		from, _ := slices.BinarySearch(starts, e.Start)
		to, _ := slices.BinarySearch(starts, e.End)
		match(from)
		n := strings.Count(e.New, "\n")
		d.Hunks = append(d.Hunks, Hunk{A: la[i:to], B: lb[j : j+n], at: i})
		i, j = to, j+n
	}
	match(len(la))
	for h := range d.Hunks {
		d.Hunks[h].pair()
	}
	d.Same = len(equal)
	d.moved(la, lb, equal, same)
	return d
}

// moved adds as hunks the branches that look alike and go to places that do not stand for each other, and
// what differs in bits that the text does not show.
func (d *Diff) moved(la, lb []DiffLine, equal [][2]int, same map[int64]int64) {
	for _, e := range equal {
		x, y := &la[e[0]], &lb[e[1]]
		if len(x.goes) > 0 && goSame(x.goes, y.goes, same) {
			continue
		}
		fields := fieldDiffs(x, y)
		if len(fields) == 0 {
			continue
		}
		d.Same--
		d.Hunks = append(d.Hunks, Hunk{A: la[e[0] : e[0]+1], B: lb[e[1] : e[1]+1], Pairs: []Pair{{0, 0, fields}}, at: e[0]})
	}
	slices.SortStableFunc(d.Hunks, func(a, b Hunk) int { return cmp.Compare(a.at, b.at) })
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

func keys(lines []DiffLine) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(lines[i].key)
		b.WriteByte('\n')
	}
	return b.String()
}

// lineStarts returns where each key starts, and the end of the last.
func lineStarts(lines []DiffLine) []int {
	starts, at := make([]int, 0, len(lines)+1), 0
	for i := range lines {
		starts = append(starts, at)
		at += len(lines[i].key) + 1
	}
	return append(starts, at)
}

// diffLines decodes a program.
func diffLines(l *Listing) []DiffLine {
	var lines []DiffLine
	l.Each(func(x Decoded) bool {
		line := DiffLine{Addr: x.Addr}
		if !x.Known {
			line.Text = "unknown word 0x" + x.Word.String()
			line.key = line.Text
			lines = append(lines, line)
			return true
		}
		d := x.Decoder
		line.leaf, line.Text = x.Inst.Leaf, oneLine(d.Append(nil, x.Inst))
		line.fields = slices.Clone(d.Fields(nil, x.Inst))
		for _, t := range d.Targets(nil, x.Inst) {
			line.goes = append(line.goes, t.Addr)
		}
		label := d.Label
		d.Label = func(int64, bool) (string, bool) { return "there", true }
		line.key = oneLine(d.Append(nil, x.Inst))
		d.Label = label
		lines = append(lines, line)
		return true
	})
	return lines
}

func oneLine(text []byte) string { return string(bytes.ReplaceAll(text, []byte("\n"), []byte(" "))) }

// pair finds the instructions of both sides that are of one leaf, in order.
func (h *Hunk) pair() {
	j := 0
	for i := range h.A {
		for k := j; k < len(h.B); k++ {
			if h.A[i].leaf == nil || h.B[k].leaf == nil || h.A[i].leaf.Name != h.B[k].leaf.Name {
				continue
			}
			h.Pairs = append(h.Pairs, Pair{i, k, fieldDiffs(&h.A[i], &h.B[k])})
			j = k + 1
			break
		}
	}
}

// fieldDiffs lists the fields of bits in which two instructions of one leaf differ, those inside others
// in place of these. Indices of tables do not count: what stands there does.
func fieldDiffs(a, b *DiffLine) []FieldDiff {
	var list []FieldDiff
	for i := range a.fields {
		x := &a.fields[i]
		k := slices.IndexFunc(b.fields, func(y isa.Field) bool { return y.Path == x.Path })
		if k < 0 || b.fields[k].Value == x.Value || x.Derived() || x.Index {
			continue
		}
		if x.Table != "" && !shown(a.fields, x.Path) && !shown(b.fields, x.Path) {
			continue // of what the instruction does not care about
		}
		if hasInside(a.fields, x.Path) && hasInside(b.fields, x.Path) {
			continue
		}
		y := &b.fields[k]
		list = append(list, FieldDiff{x.Path, x.Value.String(), y.Value.String(), x.Meaning, y.Meaning})
	}
	return list
}

// shown reports whether the text has a field, or one around it.
func shown(fields []isa.Field, path string) bool {
	return slices.ContainsFunc(fields, func(f isa.Field) bool {
		return f.Start >= 0 && (f.Path == path || strings.HasPrefix(path, f.Path+".") && !f.Index)
	})
}

// hasInside reports whether there are fields inside a field.
func hasInside(fields []isa.Field, path string) bool {
	return slices.ContainsFunc(fields, func(f isa.Field) bool { return strings.HasPrefix(f.Path, path+".") })
}

// Print prints a difference for people; unit is the number of bits in which addresses count.
func (d *Diff) Print(w io.Writer, p Palette, unit int64) {
	for i := range d.Hunks {
		h := &d.Hunks[i]
		paired := map[int]*Pair{}
		for k := range h.Pairs {
			paired[h.Pairs[k].B] = &h.Pairs[k]
		}
		for k := range h.A {
			fmt.Fprintln(w, p.paint(removed, fmt.Sprintf("-%6x  %s", h.A[k].Addr/unit, h.A[k].Text)))
		}
		for k := range h.B {
			fmt.Fprintln(w, p.paint(added, fmt.Sprintf("+%6x  %s", h.B[k].Addr/unit, h.B[k].Text)))
			if pair := paired[k]; pair != nil {
				pair.print(w)
			}
		}
	}
}

// removed and added are the colours of the two sides.
const (
	removed = "\x1b[31m"
	added   = "\x1b[32m"
)

func (p *Pair) print(w io.Writer) {
	for _, f := range p.Fields {
		fmt.Fprintf(w, "           %s: 0x%s -> 0x%s", f.Path, f.A, f.B)
		if f.TextA != f.TextB {
			fmt.Fprintf(w, ", %s -> %s", quoted(f.TextA), quoted(f.TextB))
		}
		fmt.Fprintln(w)
	}
}

func quoted(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
