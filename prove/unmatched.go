package prove

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
)

// cube is the set of words w with w&mask == match.
type cube struct{ mask, match bits.Value }

// meets reports whether two cubes share a word.
func (c cube) meets(d cube) bool {
	differ := c.match.Xor(d.match).And(c.mask).And(d.mask)
	return differ.IsZero()
}

// Limits on the search for unmatched words and on the number of rows that are reported.
const (
	maxSplits = 1 << 18
	maxHoles  = 1 << 14
	widened   = 512 // the number of cubes to widen, largest first
	mostRows  = 5
	// maxRequired limits the bits that the requirements of a leaf may read. If they read more bits,
	// the count is not exact.
	maxRequired = 14
)

// checkUnmatched counts the words of a root that match no leaf, and reports the largest cubes of such
// words.
func (m *machine) checkUnmatched(r *model.Root) {
	if len(r.Leaves) == 0 {
		return
	}
	var taken []cube
	exact := true
	for _, l := range r.Leaves {
		cubes, ok := m.cubes(l)
		taken, exact = append(taken, cubes...), exact && ok
	}
	s := splitter{taken: taken, size: r.Size, count: new(big.Int), budget: m.budget}
	s.split(cube{}, taken)
	total := new(big.Int).Lsh(big.NewInt(1), uint(r.Size))
	switch {
	case s.splits > maxSplits:
		m.c.limit(m, r.Spec.Span, "not counted: the words of %s that no leaf matches%s; the patterns are too irregular", r.Name, m.genText())
		return
	case s.count.Sign() == 0 && exact:
		m.c.proved("every word of %s matches a leaf%s", r.Name, m.genText())
		return
	case s.count.Sign() == 0:
		return
	}
	f := &Finding{
		Code: diag.UnmatchedWords, Level: Note, Span: r.Spec.Span, Root: r.Name, key: fmt.Sprintf("holes %s %s", r.Spec.Span, s.count),
		Msg: fmt.Sprintf("%s of the %s words of %s, %s, match no leaf", s.count, total, r.Name, percent(s.count, total)),
	}
	if !exact {
		f.Msg += " (and perhaps more: the requirements of some leaves are too large to count)"
	}
	holes := s.largest()
	for _, h := range holes {
		free := r.Size - h.mask.OnesCount()
		f.Rows = append(f.Rows, Row{count(free), pattern(r.Size, h.mask, h.match, bits.Value{})})
	}
	f.Witnesses = []Witness{m.witness(r, holes[0].match, m.m.Context, r.Size, nil)}
	m.c.add(m, f)
}

// count formats 2^n as a number of words.
func count(n int) string {
	if n < 16 {
		return fmt.Sprintf("%d words", 1<<n)
	}
	return fmt.Sprintf("2^%d words", n)
}

func percent(part, whole *big.Int) string {
	f, _ := new(big.Rat).SetFrac(part, whole).Float64()
	if f*100 < 0.1 {
		return "less than 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", f*100)
}

// cubes returns the words that match a leaf in some context. If the requirements of the leaf are too
// large, ok is false and cubes returns all words that match the pattern.
func (m *machine) cubes(l *model.Leaf) (list []cube, ok bool) {
	own := cube{l.Mask, l.Match}
	if !conditional(l) {
		return []cube{own}, true
	}
	w := m.world()
	f := w.top(m.m.TopEnv(l.Root).Bound(l))
	goal := w.And(w.valid, f.required())
	support := map[int]bool{}
	w.AddSupport(support, goal)
	var read []int
	for i, b := range f.word {
		if b > circuit.True && support[b.Node()] {
			read = append(read, i)
		}
	}
	if len(read) > maxRequired || w.approximate {
		return []cube{own}, false
	}
	for v := range 1 << len(read) {
		c := own
		fixed := goal
		for k, bit := range read {
			c.mask.SetUint(bit, 1, 1)
			c.match.SetUint(bit, 1, uint64(v>>k))
			fixed = w.And(fixed, f.word[bit]^circuit.Lit(1-v>>k&1))
		}
		if w.Possible(fixed) != circuit.Never {
			list = append(list, c)
		}
	}
	return list, true
}

func conditional(l *model.Leaf) bool {
	for b := l.Spec; b != nil; b = b.Extends {
		if len(b.Requires) > 0 {
			return true
		}
	}
	return false
}

// splitter divides the space of words bit by bit until each part is completely matched or completely
// unmatched.
type splitter struct {
	taken  []cube
	size   int
	count  *big.Int
	holes  []cube
	splits int
	budget *budget
}

// split divides a cube of words. taken contains the matched cubes that share words with this cube.
func (s *splitter) split(at cube, taken []cube) {
	if s.splits++; s.splits > maxSplits {
		return
	}
	s.budget.spend(cubeCost * (1 + len(taken)))
	if len(taken) == 0 {
		s.count.Add(s.count, new(big.Int).Lsh(big.NewInt(1), uint(s.size-at.mask.OnesCount())))
		if len(s.holes) < maxHoles {
			s.holes = append(s.holes, at)
		}
		return
	}
	bit := -1
	most := 0
	var fixed [bits.Size]int
	for _, c := range taken {
		rest := c.mask.AndNot(at.mask).And(bits.Ones(s.size))
		if rest.IsZero() {
			return
		}
		for ; !rest.IsZero(); rest.SetUint(rest.TrailingZeros(), 1, 0) {
			fixed[rest.TrailingZeros()]++
		}
	}
	for i := s.size - 1; i >= 0; i-- {
		if fixed[i] > most {
			bit, most = i, fixed[i]
		}
	}
	for v := range uint64(2) {
		half := at
		half.mask.SetUint(bit, 1, 1)
		half.match.SetUint(bit, 1, v)
		var left []cube
		for _, c := range taken {
			if c.mask.Bit(bit) == 0 || c.match.Bit(bit) == v {
				left = append(left, c)
			}
		}
		s.split(half, left)
	}
}

// order returns a sort key for a cube: its pattern, most significant bit first, in which free bits
// sort after fixed ones.
func (s *splitter) order(c cube) string {
	return strings.ReplaceAll(pattern(s.size, c.mask, c.match, bits.Value{}), "-", "2")
}

// largest returns the largest unmatched cubes. It frees fixed bits of a cube as long as no word of the
// wider cube matches a leaf.
func (s *splitter) largest() []cube {
	bySize := func(a, b cube) int { return a.mask.OnesCount() - b.mask.OnesCount() }
	slices.SortStableFunc(s.holes, bySize)
	var list []cube
	for _, h := range s.holes[:min(widened, len(s.holes))] {
		for i := range s.size {
			if h.mask.Bit(i) == 0 {
				continue
			}
			wider := h
			wider.mask.SetUint(i, 1, 0)
			wider.match.SetUint(i, 1, 0)
			if !slices.ContainsFunc(s.taken, wider.meets) {
				h = wider
			}
		}
		if !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b cube) int {
		return cmp.Or(bySize(a, b), strings.Compare(s.order(a), s.order(b)))
	})
	return list[:min(mostRows, len(list))]
}
