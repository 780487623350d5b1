package view

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/isago/isago/isa"
)

// jumps are the arrows next to a listing, from each jump to its target. All jumps to one target share an arrow. Their
// line numbers are found before the listing is printed, because the units of a clause have other positions in the
// program than in the listing.
type jumps struct {
	// lanes has the arrows of each column, in the order of lines. The first column is next to the text. The arrows of a
	// column do not overlap.
	lanes [][]arrow
	// next is, for each lane, the first arrow that does not end before the line that is printed.
	next []int
	row  []rune // the columns of a line, and two in front of the text
}

// arrow leads from one or more lines to one target line, whose number is to. It spans all lines from first to last.
type arrow struct {
	first, last, to int
	from            []int
}

// jumpLanes is the maximum number of columns of arrows. If there are not enough, the longest arrows are omitted.
const jumpLanes = 16

// newJumps finds the arrows of a listing. Calls have no arrows, because they return and their targets are usually far
// away.
func (l *Listing) newJumps() *jumps {
	lines := map[int64]int{}
	n := 0
	for ln := range l.lines() {
		if ln.piece == nil || ln.piece.Target {
			lines[ln.addr] = n
		}
		n++
	}
	at := map[int]*arrow{}
	var targets []isa.BranchTarget
	n = 0
	for ln := range l.lines() {
		targets = targets[:0]
		if ln.ok && !ln.beyond() {
			targets = l.current.Targets(targets, ln.in)
		}
		for _, t := range targets {
			if to, ok := lines[t.Addr+l.base]; ok && !t.Call {
				if at[to] == nil {
					at[to] = &arrow{first: to, last: to, to: to}
				}
				at[to].add(n)
			}
		}
		n++
	}
	return layJumps(at)
}

// add adds a line at which the arrow starts.
func (a *arrow) add(from int) {
	a.from = append(a.from, from)
	a.first, a.last = min(a.first, from), max(a.last, from)
}

// layJumps assigns each arrow the first free column, starting next to the text with short arrows.
func layJumps(at map[int]*arrow) *jumps {
	var list []arrow
	lines := 0
	for _, a := range at {
		slices.Sort(a.from)
		list = append(list, *a)
		lines = max(lines, a.last+1)
	}
	slices.SortFunc(list, func(a, b arrow) int {
		return cmp.Or(cmp.Compare(a.last-a.first, b.last-b.first), cmp.Compare(a.to, b.to))
	})
	j := &jumps{}
	var ends []lineSet // lines of arrow ends, by column: an arrow that overlaps a and is not longer than a has an end in one of a's lines
	for _, a := range list {
		i := slices.IndexFunc(ends, func(s lineSet) bool { return s.next(a.first) > a.last })
		if i < 0 && len(ends) == jumpLanes {
			continue
		}
		if i < 0 {
			i = len(ends)
			ends, j.lanes = append(ends, newLineSet(lines)), append(j.lanes, nil)
		}
		ends[i].add(a.first)
		ends[i].add(a.last)
		j.lanes[i] = append(j.lanes[i], a)
	}
	for _, lane := range j.lanes {
		slices.SortFunc(lane, func(a, b arrow) int { return cmp.Compare(a.first, b.first) })
	}
	j.next, j.row = make([]int, len(j.lanes)), make([]rune, len(j.lanes)+2)
	return j
}

// lineSet is a set of lines. Each level has one bit for each word of the level before it, which is set if that word is
// not 0. next therefore finds the next line of the set in a few steps, even if it is far away.
type lineSet [][]uint64

func newLineSet(lines int) (s lineSet) {
	for n := lines; n > 1 || s == nil; {
		n = (n + 63) / 64
		s = append(s, make([]uint64, n))
	}
	return s
}

func (s lineSet) add(line int) {
	for _, level := range s {
		level[line/64] |= 1 << (line % 64)
		line /= 64
	}
}

// next returns the first line of the set that is not before line, or math.MaxInt if there is none.
func (s lineSet) next(line int) int {
	for k := 0; k < len(s) && line/64 < len(s[k]); k++ {
		if w := s[k][line/64] >> (line % 64); w != 0 {
			line += bits.TrailingZeros64(w)
			for ; k > 0; k-- {
				line = 64*line + bits.TrailingZeros64(s[k-1][line])
			}
			return line
		}
		line = line/64 + 1
	}
	return math.MaxInt
}

// append draws the columns of a line. If before is set, it draws the columns of the label lines above the line.
func (j *jumps) append(dst []byte, p Palette, line int, before bool) []byte {
	if j == nil || len(j.lanes) == 0 {
		return dst
	}
	row, end := j.row, 0 // the first column after the drawing
	drawn := ' '         // the character next to the text
	for i := len(j.lanes) - 1; i >= 0; i-- {
		at := len(j.lanes) - 1 - i
		a := j.arrow(i, line)
		row[at] = ' '
		if drawn != ' ' {
			row[at] = '─'
		}
		if a == nil || before && line == a.first {
			continue
		}
		_, starts := slices.BinarySearch(a.from, line)
		switch ends := line == a.to; {
		case before || !starts && !ends:
			row[at] = '│'
			if drawn != ' ' {
				row[at] = '┼'
			}
			continue
		case ends:
			drawn = '▶'
		case drawn == ' ':
			drawn = '─'
		}
		row[at] = corner(a, line, row[at] == '─')
	}
	row[len(row)-2], row[len(row)-1] = drawn, ' '
	for i, r := range row {
		if r != ' ' {
			end = i + 1
		}
	}
	dst = append(dst, p.paint(tokenColours[isa.TokenAddress], string(row[:end]))...)
	for range row[end:] {
		dst = append(dst, ' ')
	}
	return dst
}

// corner returns the character with which an arrow turns to the text. crossed is set if another arrow passes through
// it.
func corner(a *arrow, line int, crossed bool) rune {
	switch {
	case a.first == a.last && crossed:
		return '─'
	case a.first == a.last:
		return '╶'
	case line == a.first && crossed:
		return '┬'
	case line == a.first:
		return '╭'
	case line == a.last && crossed:
		return '┴'
	case line == a.last:
		return '╰'
	case crossed:
		return '┼'
	}
	return '├'
}

// arrow returns the arrow of a column that spans a line, or nil if there is none. It must be called with lines in
// ascending order.
func (j *jumps) arrow(lane, line int) *arrow {
	list := j.lanes[lane]
	for j.next[lane] < len(list) && list[j.next[lane]].last < line {
		j.next[lane]++
	}
	if n := j.next[lane]; n < len(list) && list[n].first <= line {
		return &list[n]
	}
	return nil
}
