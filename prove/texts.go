package prove

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// textStep is a part of a text that means something: a case of a leaf, a field, an operand.
type textStep struct {
	// unit and index name the case whose display is used, where unit is not nil.
	unit  *model.Unit
	index int
	// alts[alt] is the field that is printed; with leaf, an operand that is that leaf.
	alts []model.Alt
	alt  int
	leaf *model.Leaf
}

// grammar builds the automaton of the texts of a root.
type grammar struct {
	*automaton
	m *machine
	// depth bounds operands inside operands, which may go round.
	depth int
}

const maxNested = 8

// root reads the text of any leaf.
func (g *grammar) root(env *model.Env, then int32) int32 {
	var list []branch
	for _, l := range env.Root.Leaves {
		list = append(list, branches(env.Unit(l))...)
	}
	return g.merge(list, then)
}

// leaf reads the text of a leaf: that of one of its cases.
func (g *grammar) leaf(u *model.Unit, then int32) int32 { return g.merge(branches(u), then) }

// branch is the display of a case, or what is left of it, in pieces.
type branch struct {
	step   *textStep
	pieces []piece
}

// piece is a byte of a text, or an item of another kind.
type piece struct {
	char byte
	item *model.Item
}

func branches(u *model.Unit) []branch {
	var list []branch
	for i, c := range u.Cases {
		if !c.Shown {
			continue
		}
		b := branch{step: &textStep{unit: u, index: i}}
		for k := range c.Items {
			it := &c.Items[k]
			if it.Kind != model.ItemText && it.Kind != model.ItemName {
				b.pieces = append(b.pieces, piece{item: it})
				continue
			}
			for j := range len(it.Text) {
				b.pieces = append(b.pieces, piece{char: it.Text[j]})
			}
		}
		list = append(list, b)
	}
	return list
}

// merge reads one of several displays. What they start with in common is one path, so that only
// what comes after it is compared; which display it is follows behind it.
func (g *grammar) merge(list []branch, then int32) int32 {
	var next []int32
	for len(list) > 0 && !g.full {
		b := list[0]
		var same, rest []branch
		for _, o := range list {
			if len(b.pieces) > 0 && len(o.pieces) > 0 && alike(&b.pieces[0], &o.pieces[0]) {
				same = append(same, branch{o.step, o.pieces[1:]})
			} else if o.step != b.step {
				rest = append(rest, o)
			}
		}
		list = rest
		if len(same) > 1 {
			next = append(next, g.piece(&b.pieces[0], g.merge(same, then)))
			continue
		}
		tail := then
		for i := len(b.pieces) - 1; i >= 0; i-- {
			tail = g.piece(&b.pieces[i], tail)
		}
		next = append(next, g.marked(markBegin, b.step, tail))
	}
	if len(next) == 0 {
		return g.add(state{})
	}
	return g.choice(next...)
}

func (g *grammar) piece(p *piece, then int32) int32 {
	if p.item == nil {
		return g.char(p.char, then)
	}
	return g.item(p.item, then)
}

// alike tells whether two pieces print the same for every word: one byte, or one field of bits.
func alike(p, q *piece) bool {
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
	return r != nil && s != nil && a.Alts[0].Cond == nil && b.Alts[0].Cond == nil && r.Field != nil && r.Field == s.Field &&
		r.Prog == nil && r.Kind != spec.KindBitset && r.Hops == 0 && s.Hops == 0 && len(r.Enter)+len(s.Enter) == 0
}

func (g *grammar) items(items []model.Item, then int32) int32 {
	for i := len(items) - 1; i >= 0; i-- {
		then = g.item(&items[i], then)
	}
	return then
}

func (g *grammar) item(it *model.Item, then int32) int32 {
	switch it.Kind {
	case model.ItemText, model.ItemName:
		return g.text(it.Text, then)
	case model.ItemBreak:
		return g.char(' ', then)
	case model.ItemAlign:
		pad := g.add(state{})
		g.states[pad].next = []int32{g.one(blank, pad), then}
		return pad
	case model.ItemSet:
		return g.members(it.Members, it.Join, then)
	}
	return g.reference(it, it.Before, it.After, then)
}

// members reads a set: what is printed first has no join before it.
func (g *grammar) members(list []model.Item, join string, then int32) int32 {
	if join == "" {
		return g.items(list, then)
	}
	after := then // something has been printed
	before := then
	for i := len(list) - 1; i >= 0; i-- {
		it := &list[i]
		before, after = g.optional(it, "", after, before), g.optional(it, join, after, after)
	}
	return before
}

// optional reads a reference that prints something, behind a text, or one that prints nothing.
func (g *grammar) optional(it *model.Item, join string, printed, nothing int32) int32 {
	var next []int32
	for k := range it.Alts {
		next = append(next, g.alternative(it, k, it.Before+join, it.After, printed, nothing)...)
	}
	return g.add(state{next: next})
}

func (g *grammar) reference(it *model.Item, before, after string, then int32) int32 {
	var next []int32
	for k := range it.Alts {
		next = append(next, g.alternative(it, k, before, after, then, then)...)
	}
	return g.add(state{next: next})
}

// alternative reads one meaning of a name: where it prints something, between two texts.
func (g *grammar) alternative(it *model.Item, k int, before, after string, printed, nothing int32) []int32 {
	ref := it.Alts[k].Ref
	if ref == nil {
		return nil // a finding
	}
	s := &textStep{alts: it.Alts, alt: k}
	wrap := before != "" || after != "" || printed != nothing
	if ref.Kind == spec.KindBitset {
		return g.operand(s, ref, before, after, wrap, printed, nothing)
	}
	return g.wrapped(s, g.language(ref), before, after, wrap, printed, nothing)
}

// wrapped puts texts around a language. Where the field prints nothing, they are not printed.
func (g *grammar) wrapped(s *textStep, l language, before, after string, wrap bool, printed, nothing int32) []int32 {
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

// language is what a field can print: nothing, and texts that are not empty.
type language struct {
	empty bool
	read  func(g *grammar, then int32) int32
}

// language returns what a field that is no bitset can print: one path for each text.
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
		return enumLanguage(ref)
	case spec.KindCustom:
		return language{empty: true}
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
			if ref.Prog != nil { // beyond its width it may come to +0
				return g.choice(g.one(setOf(signs), number), g.char('+', g.char('0', then)))
			}
			return g.one(setOf(signs), number)
		}}
	case spec.KindHex:
		digits := (ref.Width + 3) / 4
		if ref.Prog != nil {
			digits = 16
		}
		return language{read: func(g *grammar, then int32) int32 {
			return g.choice(g.char('0', then), g.number(hexFirst, hexDigit, digits, then))
		}}
	case spec.KindUint:
		digits := digitsOf(ref)
		return language{read: func(g *grammar, then int32) int32 { return g.unsigned(digits, then) }}
	}
	digits := digitsOf(ref)
	return language{read: func(g *grammar, then int32) int32 {
		positiveOnly := g.number(positive, decimal, digits, then)
		return g.choice(g.char('0', then), g.char('-', positiveOnly), positiveOnly)
	}}
}

func (g *grammar) unsigned(digits int, then int32) int32 {
	return g.choice(g.char('0', then), g.number(positive, decimal, digits, then))
}

// float reads six decimals, or what is no number.
func (g *grammar) float(then int32) int32 {
	tail := then
	for range 6 {
		tail = g.one(decimal, tail)
	}
	point := g.char('.', tail)
	whole := g.choice(g.char('0', point), g.number(positive, decimal, 39, point))
	words := g.trie([]string{"inf", "nan"}, then)
	return g.choice(whole, words, g.char('-', g.choice(whole, words)))
}

// digitsOf bounds the decimal digits of a value.
func digitsOf(ref *model.Ref) int {
	if ref.Prog != nil && ref.Kind == spec.KindUint || ref.Width > 64 {
		return max(20, ref.Width/3+1)
	}
	width := min(max(ref.Width, 1), 64)
	return len(strconv.FormatUint(math.MaxUint64>>(64-width), 10))
}

func enumLanguage(ref *model.Ref) language {
	var texts []string
	for _, t := range ref.Enum.Texts {
		if !t.Alias && (ref.Prog != nil || ref.Width >= 64 || t.Val>>uint(ref.Width) == 0) {
			texts = append(texts, t.Text)
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	values := map[uint64]bool{}
	for _, t := range ref.Enum.Texts {
		if !t.Alias {
			values[t.Val] = true
		}
	}
	l := language{}
	if len(texts) > 0 && texts[0] == "" {
		l.empty, texts = true, texts[1:]
	}
	unlisted := ref.Prog != nil || ref.Width > 20 || len(values) < 1<<ref.Width
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

// operand reads an operand: the text of one of its leaves, or one of all its texts where they are
// few.
func (g *grammar) operand(s *textStep, ref *model.Ref, before, after string, wrap bool, printed, nothing int32) []int32 {
	if t := g.m.textsOf(ref); t != nil {
		texts := slices.Clone(t.list)
		l := language{}
		if len(texts) > 0 && texts[0] == "" {
			l.empty, texts = true, texts[1:]
		}
		if len(texts) > 0 {
			l.read = func(g *grammar, then int32) int32 { return g.trie(texts, then) }
		}
		return g.wrapped(s, l, before, after, wrap, printed, nothing)
	}
	if g.depth >= maxNested {
		g.full = true
		return nil
	}
	if wrap {
		g.full = true // whether it prints something is not known from its states
	}
	g.depth++
	defer func() { g.depth-- }()
	var next []int32
	for _, l := range ref.Env.Root.Leaves {
		if g.full {
			break
		}
		in := &textStep{alts: s.alts, alt: s.alt, leaf: l}
		end := g.marked(markEnd, in, g.text(after, printed))
		body := g.leaf(ref.Env.Unit(l), end)
		next = append(next, g.text(before, g.marked(markBegin, in, body)))
	}
	return next
}

// textList are the texts of a small operand, sorted, and the words that print them.
type textList struct {
	list  []string
	words map[string][]uint64
}

// maxTexts bounds the bits of an operand whose texts are listed.
const maxTexts = 10

// textsOf lists the texts of an operand that depends on nothing outside, nil where there are too
// many, or contexts.
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
		if len(d.Findings()) > 0 {
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

// textIs tells where a reference that is no operand with states of its own prints a text. Where that
// is not known it is taken as possible: what comes of it is printed to see.
func (m *machine) textIs(f *frame, ref *model.Ref, text string) lit {
	w := f.w
	if ref.Kind == spec.KindBitset {
		out := no
		if t := m.textsOf(ref); t != nil {
			_, word := f.operand(ref)
			for _, v := range t.words[text] {
				out = w.or(out, w.equal(extend(word), constant(v)))
			}
		}
		return out
	}
	v := f.reference(ref)
	switch ref.Kind {
	case spec.KindEnum:
		return w.enumIs(ref, v, text)
	case spec.KindBool, spec.KindBoolInv:
		set := w.isSet(v)
		switch {
		case ref.Field != nil && ref.Field.Display != nil:
			return set ^ lit(b2i((text != "") != (ref.Kind == spec.KindBool)))
		case ref.Kind == spec.KindBoolInv:
			return set ^ lit(b2i(text == "1"))
		}
		return w.lowBits(v, 32, text, 10)
	case spec.KindUint, spec.KindUOffset:
		if text == "" {
			return w.isSet(v).not()
		}
		return w.lowBits(v, 64, strings.TrimPrefix(text, "+"), 10)
	case spec.KindHex:
		return w.lowBits(v, 64, text, 16)
	case spec.KindFloat, spec.KindCustom:
		return yes
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "":
		return w.isSet(v).not()
	case err != nil:
		return no
	}
	return w.sameLow(v, constant(uint64(n)), min(max(ref.Width, 1), 64))
}

// sameLow tells where two numbers agree in their low bits.
func (c *circuit) sameLow(x, y *vec, width int) lit {
	out := yes
	for i := range width {
		out = c.and(out, c.xor(x[i], y[i]).not())
	}
	return out
}

// lowBits tells where the low bits of a value are the number that a text is.
func (c *circuit) lowBits(v *vec, width int, text string, base int) lit {
	n, err := strconv.ParseUint(text, base, width)
	if err != nil {
		return no
	}
	return c.sameLow(v, constant(n), width)
}

func (c *circuit) enumIs(ref *model.Ref, v *vec, text string) lit {
	out, listed := no, no
	seen := map[uint64]bool{}
	for _, t := range ref.Enum.Texts {
		if t.Alias || seen[t.Val] {
			continue
		}
		seen[t.Val] = true
		is := c.equal(v, constant(t.Val))
		listed = c.or(listed, is)
		if t.Text == text {
			out = c.or(out, is)
		}
	}
	return c.or(out, c.and(listed.not(), c.lowBits(v, 32, text, 10)))
}
