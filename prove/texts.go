package prove

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// textStep is a meaningful part of a text: a case of a leaf, a field or an operand.
type textStep struct {
	// unit and index identify the case that is printed. unit is nil for other parts.
	unit  *model.BoundLeaf
	index int
	// alts[alt] is the field that is printed. For an operand, leaf is the leaf that is printed. It is
	// nil for fields, and for operands with a list of texts (see textsOf).
	alts []model.Alt
	alt  int
	leaf *model.Leaf
}

// grammar builds the automaton of the texts of a root. Its methods add states that read a part of a
// text. The added states lead to the state that the parameter then contains, and the methods return
// the first added state. Comments on the methods describe only what the states read.
type grammar struct {
	*automaton
	m *machine
	// depth limits the nesting of operands, which may be cyclic.
	depth int
	// decided caches the answers of possible for the circuit of the current leaf.
	decided map[circuit.Lit]bool
}

// can reports whether a condition is possible or undecided.
func (g *grammar) can(w *world, l circuit.Lit) bool {
	ok, known := g.decided[l]
	if !known {
		ok = w.Possible(l) != circuit.Never
		g.decided[l] = ok
	}
	return ok
}

const maxNested = 8

// root reads the text of any leaf of a root.
func (g *grammar) root(env *model.Env, then int32) int32 {
	var list []branch
	for _, l := range env.Root.Leaves {
		f := g.m.world().top(env.Bound(l))
		list = append(list, g.branches(f, f.w.And(f.exists, f.expected()), map[circuit.Lit]bool{})...)
	}
	return g.merge(list, then)
}

// branch is the rest of a display, divided into pieces.
type branch struct {
	step   *textStep
	pieces []piece
	// f is the scope of the leaf. here is the condition under which the leaf uses the display. decided
	// caches answers for the circuit of f.
	f       *frame
	here    circuit.Lit
	decided map[circuit.Lit]bool
	// cond is the condition of the case. Only displays with the same condition are merged, because a
	// condition restricts the values of fields.
	cond *spec.Expr
	// narrow reports whether the conditions of several displays of the leaf may exclude values.
	narrow bool
}

// piece is one byte of fixed text, or an item of another kind.
type piece struct {
	char byte
	item *model.Item
	// blanks is the minimum number of blanks that an alignment prints.
	blanks int
}

// branches returns a branch for each display that a leaf can use.
func (g *grammar) branches(f *frame, here circuit.Lit, asked map[circuit.Lit]bool) []branch {
	g.decided = asked
	var list []branch
	for i, c := range f.unit.Cases {
		if !c.Shown {
			continue
		}
		if used := f.w.And(here, f.usesCase(i)); g.can(f.w, used) {
			step := &textStep{unit: f.unit, index: i}
			list = append(list, branch{step: step, pieces: g.pieces(c.Items), f: f, here: used, decided: asked, cond: c.Spec.Expr})
		}
	}
	for i := range list {
		list[i].narrow = len(list) > 1
	}
	return list
}

// pieces divides a display into pieces.
func (g *grammar) pieces(items []model.Item) []piece {
	var list []piece
	length := 0 // the maximum length of the text so far
	for k := range items {
		it := &items[k]
		switch n := len(list); {
		case it.Kind == model.ItemText || it.Kind == model.ItemName:
			for j := range len(it.Text) {
				list = append(list, piece{char: it.Text[j]})
			}
		case it.Kind == model.ItemAlign && n > 0 && list[n-1].item != nil && list[n-1].item.Kind == model.ItemAlign:
			list[n-1].blanks = max(list[n-1].blanks, it.Column-length)
		default:
			list = append(list, piece{item: it, blanks: max(0, it.Column-length)})
		}
		length = g.atMost(it, length)
	}
	return list
}

// unbounded is the length that is assumed for a text without a known maximum length.
const unbounded = 1 << 20

// atMost returns the maximum length of the text after an item.
func (g *grammar) atMost(it *model.Item, length int) int {
	switch it.Kind {
	case model.ItemText, model.ItemName:
		return length + len(it.Text)
	case model.ItemAlign:
		return max(length, it.Column)
	case model.ItemBreak:
		return length + 1
	case model.ItemSet:
		for i := range it.Members {
			length = g.atMost(&it.Members[i], length) + len(it.Join)
		}
		return length
	}
	most := 0
	for _, a := range it.Alts {
		if a.Ref != nil {
			most = max(most, g.longest(a.Ref))
		}
	}
	return min(unbounded, length+len(it.Before)+most+len(it.After))
}

// longest returns the maximum length of the text of a field.
func (g *grammar) longest(ref *model.Ref) int {
	switch ref.Kind {
	case spec.KindBitset:
		t := g.m.textsOf(ref)
		if t == nil {
			return unbounded
		}
		most := 0
		for _, text := range t.list {
			most = max(most, len(text))
		}
		return most
	case spec.KindEnum:
		most := 10
		for _, t := range ref.Enum.Texts {
			most = max(most, len(t.Text))
		}
		return most
	case spec.KindBool, spec.KindBoolInv:
		if ref.Field != nil && ref.Field.Display != nil {
			return len(*ref.Field.Display)
		}
	case spec.KindFloat:
		return 50
	}
	return digitsOf(ref) + 1
}

// merge reads one of several displays. Displays with a common prefix share a single path for the
// prefix, so that the search compares only the rest. After the prefix, a mark identifies the display.
func (g *grammar) merge(list []branch, then int32) int32 {
	var next []int32
	for len(list) > 0 && !g.full {
		b := list[0]
		var same, rest []branch
		for _, o := range list {
			if b.cond == o.cond && len(b.pieces) > 0 && len(o.pieces) > 0 && g.printsAlike(&b.pieces[0], &o.pieces[0]) {
				o.pieces = o.pieces[1:]
				same = append(same, o)
			} else if o.step != b.step {
				rest = append(rest, o)
			}
		}
		list = rest
		if len(same) > 1 {
			tail := g.merge(same, then)
			b.narrow = false
			next = append(next, g.piece(&b, 0, tail))
			continue
		}
		tail := then
		for i := len(b.pieces) - 1; i >= 0; i-- {
			tail = g.piece(&b, i, tail)
		}
		next = append(next, g.marked(markBegin, b.step, tail))
	}
	if len(next) == 0 {
		return g.add(state{})
	}
	return g.choice(next...)
}

// sameField reports whether two fields have the same bits and the same texts.
func sameField(f, g *spec.Field) bool {
	if f == g {
		return true
	}
	if (f.Display == nil) != (g.Display == nil) || f.Display != nil && *f.Display != *g.Display {
		return false
	}
	return f.Kind == g.Kind && slices.Equal(f.Parts, g.Parts) && f.Enum == g.Enum && f.Bitset == g.Bitset &&
		f.Table == nil && g.Table == nil && len(f.Params)+len(g.Params) == 0
}

func (g *grammar) piece(b *branch, i int, then int32) int32 {
	p := &b.pieces[i]
	switch {
	case p.item == nil:
		return g.char(p.char, then)
	case p.item.Kind == model.ItemAlign:
		return g.pad(p.blanks, then)
	}
	return g.item(b, p.item, then)
}

// pad reads at least the given number of blanks.
func (g *grammar) pad(least int, then int32) int32 {
	s := g.add(state{})
	if s == accept {
		return s // the automaton is full
	}
	g.states[s].next = []int32{g.oneOf(blank, s), then}
	for range min(least, 80) {
		s = g.oneOf(blank, s)
	}
	return s
}

// printsAlike reports whether two pieces always print the same text: one byte, or one field whose text
// needs no nested states.
func (g *grammar) printsAlike(p, q *piece) bool {
	switch {
	case p == q:
		return true
	case p.item == nil || q.item == nil:
		return p.item == q.item && p.char == q.char
	}
	a, b := p.item, q.item
	if a.Kind != b.Kind || a.Kind != model.ItemRef || a.Before != b.Before || a.After != b.After || len(a.Alts) != 1 || len(b.Alts) != 1 {
		return false
	}
	r, s := a.Alts[0].Ref, b.Alts[0].Ref
	return r != nil && s != nil && a.Alts[0].Cond == nil && b.Alts[0].Cond == nil && r.Field != nil && s.Field != nil &&
		sameField(r.Field, s.Field) && r.Prog == nil && s.Prog == nil && r.Env == s.Env && (r.Env == nil || g.m.textsOf(r) != nil) && r.ScopeDepth == 0 && s.ScopeDepth == 0 && len(r.Path)+len(s.Path) == 0
}

func (g *grammar) item(b *branch, it *model.Item, then int32) int32 {
	switch it.Kind {
	case model.ItemText, model.ItemName:
		return g.text(it.Text, then)
	case model.ItemBreak:
		return g.char(' ', then)
	case model.ItemSet:
		return g.members(b, it.Members, it.Join, then)
	}
	return g.reference(b, it, it.Before, it.After, then)
}

// members reads a set. The first member that prints has no separator before it.
func (g *grammar) members(b *branch, list []model.Item, join string, then int32) int32 {
	after, before := then, then // the states after a member was printed and before any member was printed
	for i := len(list) - 1; i >= 0; i-- {
		it := &list[i]
		before, after = g.optional(b, it, "", after, before), g.optional(b, it, join, after, after)
	}
	return before
}

// optional reads a reference that may print nothing. If the reference prints a text, join precedes the
// text.
func (g *grammar) optional(b *branch, it *model.Item, join string, printed, nothing int32) int32 {
	var next []int32
	for k := range it.Alts {
		next = append(next, g.alternative(b, it, k, it.Before+join, it.After, printed, nothing)...)
	}
	return g.add(state{next: next})
}

func (g *grammar) reference(b *branch, it *model.Item, before, after string, then int32) int32 {
	var next []int32
	for k := range it.Alts {
		next = append(next, g.alternative(b, it, k, before, after, then, then)...)
	}
	return g.add(state{next: next})
}

// alternative reads one meaning of a name, with text before and after it if it prints anything. It
// excludes values that the conditions of the display exclude.
func (g *grammar) alternative(b *branch, it *model.Item, k int, before, after string, printed, nothing int32) []int32 {
	ref := it.Alts[k].Ref
	if ref == nil {
		return nil // the walker reports the unresolved name
	}
	g.decided = b.decided
	here := b.f.w.And(b.here, b.f.selects(it.Alts, k))
	if len(it.Alts) > 1 && !g.can(b.f.w, here) {
		return nil
	}
	s := &textStep{alts: it.Alts, alt: k}
	wrap := before != "" || after != "" || printed != nothing
	if ref.Kind == spec.KindBitset {
		return g.operand(b, s, ref, here, before, after, wrap, printed, nothing)
	}
	l := g.language(ref)
	if ref.Kind == spec.KindEnum && b.narrow && b.f.w.share(here, b.f.reference(ref)) {
		l = g.narrowed(b, ref, here)
	}
	if l.empty && l.read != nil && ref.Prog != nil && (ref.Kind == spec.KindBool || ref.Kind == spec.KindBoolInv) {
		set := b.f.w.IsSet(b.f.reference(ref)) ^ circuit.Lit(b2i(ref.Kind == spec.KindBoolInv))
		l.empty = g.can(b.f.w, b.f.w.And(here, set.Not()))
		if !g.can(b.f.w, b.f.w.And(here, set)) {
			l.read = nil
		}
	}
	return g.between(s, l, before, after, wrap, printed, nothing)
}

// between reads a text of a language, with the given text before and after it. If the field prints
// nothing, the surrounding text is omitted.
func (g *grammar) between(s *textStep, l language, before, after string, wrap bool, printed, nothing int32) []int32 {
	var next []int32
	begin := func(body int32) { next = append(next, g.marked(markBegin, s, body)) }
	if l.empty {
		begin(g.marked(markEnd, s, nothing))
	}
	if l.read != nil {
		body := l.read(g, g.marked(markEnd, s, g.text(after, printed)))
		if !wrap {
			begin(body)
		} else {
			next = append(next, g.text(before, g.marked(markBegin, s, body)))
		}
	}
	return next
}

// language is the set of texts of a field. empty reports whether the set contains the empty text. read
// adds states that read any other text of the set. It is nil if there is no other text.
type language struct {
	empty bool
	read  func(g *grammar, then int32) int32
}

// language returns the texts of a field that is not a bitset. Each text has a single path through the
// states.
func (g *grammar) language(ref *model.Ref) language {
	switch ref.Kind {
	case spec.KindBool, spec.KindBoolInv:
		if ref.Field == nil || ref.Field.Display == nil {
			digits := 10
			if ref.Width < 32 && ref.Prog == nil || ref.Kind == spec.KindBoolInv {
				digits = len(strconv.FormatUint(1<<min(ref.Width, 32)-1, 10))
			}
			return language{read: func(g *grammar, then int32) int32 { return g.unsigned(digits, then) }}
		}
		text := *ref.Field.Display
		if text == "" {
			return language{empty: true}
		}
		return language{empty: true, read: func(g *grammar, then int32) int32 { return g.text(text, then) }}
	case spec.KindEnum:
		return enumLanguage(ref, func(uint64) bool { return true }, true)
	case spec.KindFloat:
		return language{read: func(g *grammar, then int32) int32 { return g.float(then) }}
	case spec.KindOffset, spec.KindUOffset:
		digits := digitsOf(ref)
		signs := "+-"
		if ref.Kind == spec.KindUOffset {
			signs = "+"
		}
		return language{empty: true, read: func(g *grammar, then int32) int32 {
			number := g.number(positive, decimal, digits, then)
			if ref.Prog != nil { // a value wider than the field may print as +0
				return g.choice(g.oneOf(setOf(signs), number), g.char('+', g.char('0', then)))
			}
			return g.oneOf(setOf(signs), number)
		}}
	case spec.KindHex:
		digits := (ref.Width + 3) / 4
		if ref.Prog != nil {
			digits = 16
		}
		return language{read: func(g *grammar, then int32) int32 {
			return g.choice(g.char('0', then), g.number(hexFirst, hexDigit, digits, then))
		}}
	case spec.KindUint, spec.KindCustom:
		digits := digitsOf(ref)
		return language{read: func(g *grammar, then int32) int32 { return g.unsigned(digits, then) }}
	}
	digits := len(strconv.FormatUint(math.MaxUint64>>(64-g.m.printedBits(ref)), 10))
	return language{read: func(g *grammar, then int32) int32 {
		positiveOnly := g.number(positive, decimal, digits, then)
		return g.choice(g.char('0', then), g.char('-', positiveOnly), positiveOnly)
	}}
}

func (g *grammar) unsigned(digits int, then int32) int32 {
	return g.choice(g.char('0', then), g.number(positive, decimal, digits, then))
}

// float reads a number with six decimals, a NaN or an infinity.
func (g *grammar) float(then int32) int32 {
	tail := then
	for range 6 {
		tail = g.oneOf(decimal, tail)
	}
	point := g.char('.', tail)
	whole := g.choice(g.char('0', point), g.number(positive, decimal, 39, point))
	words := g.trie([]string{"inf", "nan"}, then)
	return g.choice(whole, words, g.char('-', g.choice(whole, words)))
}

// digitsOf returns the maximum number of decimal digits of a value.
func digitsOf(ref *model.Ref) int {
	if ref.Prog != nil && (ref.Kind == spec.KindUint || ref.Kind == spec.KindCustom) || ref.Width > 64 {
		return max(20, ref.Width/3+1)
	}
	width := min(max(ref.Width, 1), 64)
	return len(strconv.FormatUint(math.MaxUint64>>(64-width), 10))
}

// share reports whether a condition and a value depend on a common input.
func (w *world) share(l circuit.Lit, v circuit.Vec) bool {
	set := map[int]bool{}
	w.AddSupport(set, l)
	return slices.ContainsFunc(w.Support(v...), func(n int) bool { return set[n] })
}

// maxNarrow limits the number of values that are queried one by one.
const maxNarrow = 32

// narrowed returns the texts of an enum, except for values that a condition excludes. If the enum has
// more than maxNarrow texts, narrowed returns all texts.
func (g *grammar) narrowed(b *branch, ref *model.Ref, here circuit.Lit) language {
	if len(ref.Enum.Texts) > maxNarrow {
		return enumLanguage(ref, func(uint64) bool { return true }, true)
	}
	w, v := b.f.w, b.f.reference(ref)
	listed := circuit.False
	for _, t := range ref.Enum.Texts {
		listed = w.Or(listed, w.Equal(v, constant(t.Val)))
	}
	return enumLanguage(ref, func(val uint64) bool {
		return g.can(w, w.And(here, w.Equal(v, constant(val))))
	}, g.can(w, w.And(here, listed.Not())))
}

// enumLanguage returns the texts of the allowed values. If others is true, it includes the numbers of
// values without a text.
func enumLanguage(ref *model.Ref, allowed func(uint64) bool, others bool) language {
	var texts []string
	values := map[uint64]bool{}
	for _, t := range ref.Enum.Texts {
		if t.Alias || ref.Prog == nil && ref.Width < 64 && t.Val>>uint(ref.Width) != 0 {
			continue
		}
		values[t.Val] = true
		if allowed(t.Val) {
			texts = append(texts, t.Text)
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	l := language{}
	if len(texts) > 0 && texts[0] == "" {
		l.empty, texts = true, texts[1:]
	}
	unlisted := others && (ref.Prog != nil || ref.Width > 20 || len(values) < 1<<ref.Width)
	digits := 10
	if ref.Prog == nil && ref.Width < 32 {
		digits = len(strconv.FormatUint(1<<ref.Width-1, 10))
	}
	if len(texts) == 0 && !unlisted {
		return l
	}
	l.read = func(g *grammar, then int32) int32 {
		var next []int32
		if len(texts) > 0 {
			next = append(next, g.trie(texts, then))
		}
		if unlisted {
			next = append(next, g.unsigned(digits, then))
		}
		return g.choice(next...)
	}
	return l
}

// operand reads an operand. If the operand has a list of texts (see textsOf), it reads one of them.
// Otherwise it reads the text of one of the leaves.
func (g *grammar) operand(b *branch, s *textStep, ref *model.Ref, here circuit.Lit, before, after string, wrap bool, printed, nothing int32) []int32 {
	if t := g.m.textsOf(ref); t != nil {
		texts := slices.Clone(t.list)
		l := language{}
		if len(texts) > 0 && texts[0] == "" {
			l.empty, texts = true, texts[1:]
		}
		if len(texts) > 0 {
			l.read = func(g *grammar, then int32) int32 { return g.trie(texts, then) }
		}
		return g.between(s, l, before, after, wrap, printed, nothing)
	}
	if g.depth >= maxNested {
		g.full = true
		return nil
	}
	if wrap {
		g.full = true // the states do not distinguish whether the operand prints anything
	}
	g.depth++
	defer func() { g.depth-- }()
	var next []int32
	for _, l := range ref.Env.Root.Leaves {
		if g.full = g.full || b.f.w.full(); g.full {
			break
		}
		f := b.f.inside(ref, l, here)
		inner := f.w.All(here, f.exists, f.expected())
		if !g.can(f.w, inner) {
			continue
		}
		in := &textStep{alts: s.alts, alt: s.alt, leaf: l}
		end := g.marked(markEnd, in, g.text(after, printed))
		body := g.merge(g.branches(f, inner, b.decided), end)
		next = append(next, g.text(before, g.marked(markBegin, in, body)))
	}
	return next
}

// textList holds the texts of a small operand, sorted, and the words that print them.
type textList struct {
	list  []string
	words map[string][]uint64
}

// maxTexts limits the bits of an operand whose texts are listed.
const maxTexts = 10

// textsOf returns the texts of an operand whose text depends only on its bits. It returns nil for any
// other operand, if the operand has too many bits, or if the description has contexts.
func (m *machine) textsOf(ref *model.Ref) *textList {
	env := ref.Env
	if !env.Closed() || env.Root.Size > maxTexts || len(m.m.ISA.Contexts) > 0 || tabled(env.Root.Spec, map[*spec.Bitset]bool{}) {
		return nil
	}
	if t, ok := m.lists[env]; ok {
		return t
	}
	t := &textList{words: map[string][]uint64{}}
	m.lists[env] = t
	d, err := m.set.NewDecoder(env.Root.Name)
	if err != nil {
		return nil
	}
	for v := range uint64(1) << env.Root.Size {
		in, ok := d.Decode(bits.Of(v))
		if !ok {
			continue
		}
		text := string(d.Append(nil, in))
		if d.NumFindings() > 0 {
			continue
		}
		if t.words[text] == nil {
			t.list = append(t.list, text)
		}
		t.words[text] = append(t.words[text], v)
	}
	slices.Sort(t.list)
	return t
}

// textIs returns the condition that a reference prints a text. For a float it returns true, because
// the resulting words are printed and compared later.
func (m *machine) textIs(f *frame, ref *model.Ref, text string) circuit.Lit {
	w := f.w
	if ref.Kind == spec.KindBitset {
		out := circuit.False
		if t := m.textsOf(ref); t != nil {
			_, word := f.operand(ref)
			for _, v := range t.words[text] {
				out = w.Or(out, w.Equal(extend(word), constant(v)))
			}
		}
		return out
	}
	v := f.reference(ref)
	switch ref.Kind {
	case spec.KindEnum:
		return w.enumIs(ref, v, text)
	case spec.KindBool, spec.KindBoolInv:
		set := w.IsSet(v)
		switch {
		case ref.Field != nil && ref.Field.Display != nil:
			return set ^ circuit.Lit(b2i((text != "") != (ref.Kind == spec.KindBool)))
		case ref.Kind == spec.KindBoolInv:
			return set ^ circuit.Lit(b2i(text == "1"))
		}
		return w.lowBits(v, 32, text, 10)
	case spec.KindUint, spec.KindUOffset, spec.KindCustom:
		if text == "" {
			return w.IsSet(v).Not()
		}
		return w.lowBits(v, 64, strings.TrimPrefix(text, "+"), 10)
	case spec.KindHex:
		return w.lowBits(v, 64, text, 16)
	case spec.KindFloat:
		return circuit.True
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		return w.IsSet(v).Not()
	case err != nil:
		return circuit.False
	}
	return w.sameLow(v, constant(uint64(n)), m.printedBits(ref))
}

// sameLow returns the condition that two numbers agree in their low bits.
func (w *world) sameLow(x, y circuit.Vec, width int) circuit.Lit {
	out := circuit.True
	for i := range width {
		out = w.And(out, w.Xor(x[i], y[i]).Not())
	}
	return out
}

// lowBits returns the condition that the low bits of a value equal the number that a text contains.
func (w *world) lowBits(v circuit.Vec, width int, text string, base int) circuit.Lit {
	n, err := strconv.ParseUint(text, base, width)
	if err != nil {
		return circuit.False
	}
	return w.sameLow(v, constant(n), width)
}

func (w *world) enumIs(ref *model.Ref, v circuit.Vec, text string) circuit.Lit {
	out, listed := circuit.False, circuit.False
	seen := map[uint64]bool{}
	for _, t := range ref.Enum.Texts {
		if t.Alias || seen[t.Val] {
			continue
		}
		seen[t.Val] = true
		is := w.Equal(v, constant(t.Val))
		listed = w.Or(listed, is)
		if t.Text == text {
			out = w.Or(out, is)
		}
	}
	return w.Or(out, w.And(listed.Not(), w.lowBits(v, 32, text, 10)))
}
