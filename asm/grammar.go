package asm

import (
	mathbits "math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// grammar is the language of one root in an environment: a prefix tree over the items of all templates of all leaves.
type grammar struct {
	env   *model.Env
	start *node
	// anchors is an index of the templates by their anchors. Only the grammar of instructions has it. The parser needs
	// the whole tree of that grammar only to explain errors, or if the anchors do not lead to a reading.
	anchors     *anchors
	anchorsOnce sync.Once
	once        sync.Once
	// made reports whether once has run. The parser checks it at each operand.
	made atomic.Bool
}

// node is a state of the parser: the items that may come next, and the templates that end here.
//
// The order of the fields in node, edge and item matters for speed. A line visits about fifty nodes, most of which are
// not in the processor's cache, so the fields that are used first come first.
//
// A node is expanded when a parser first reaches it, so that the tree has only the parts that texts have needed.
type node struct {
	opened atomic.Bool
	// set is non-nil for the node at which a member of a set may start.
	set *setItem
	// only is the edge of a node that has one edge and no reductions.
	only      *edge
	literals  *trie                     // the texts of the literal edges, with the indices of the edges; nil if there are fewer than two
	literal   *edge                     // the only literal edge, or nil if there are others or none
	firstSets atomic.Pointer[firstSets] // made at first use
	// others are the edges that are not literals.
	others     []*edge
	reductions []*reduction
	edges      []*edge
	// branches are the templates that lead here, in the order of the description. expand makes the fields above from
	// them.
	branches []branch
	opening  sync.Once
}

// edge leads from a node to the next one by reading an item.
type edge struct {
	next *node
	item item
	// longer reports whether another literal of the same node is a prefix of this literal.
	longer bool
}

// template is a display or an alias, ready to be read: its parts, and the reduction at its end.
type template struct {
	parts []part
	// reduction is nil for a member of a set, after which the set continues.
	reduction *reduction
}

// part is a piece of a template: the items of each alternative.
type part [][]item

// branch is a template at a node: the rest of the alternative that was chosen, and the index of the next part.
type branch struct {
	of   *template
	rest []item
	next int
}

// reduction ends a template: it identifies the leaf, and has the conditions under which the leaf prints through the
// template.
type reduction struct {
	unit *model.BoundLeaf
	// alias reports whether the template is never printed, only read.
	alias bool
	// own is the condition of the case, without the conditions of earlier cases.
	own *model.Prog
	not []earlier
	// anyOutside reports whether outside is true for an element of not.
	anyOutside bool
	// asserts reports whether this case or an earlier one has asserts. completes reports whether asserts or defaults
	// can set bits that the text does not specify, or whether the instruction does not depend on some bits of its
	// entries.
	asserts, completes bool
}

// earlier is a condition that must not hold: the condition of an earlier case, or of a leaf that refines this one.
type earlier struct {
	cond *model.Prog
	// outside reports whether the condition reads a context or an enclosing scope, which the template does not set.
	outside bool
}

// itemKind is the kind of text that an item reads.
type itemKind uint8

const (
	itemLiteral itemKind = iota
	itemBlank
	itemEnum
	itemNumber
	itemFloat
	itemBranch
	itemCall
	itemSet
	itemSetEnd
	itemNothing // a reference that does not resolve prints nothing
	itemCustom
)

// extent limits how much text an item may match.
type extent uint8

const (
	anyExtent extent = iota
	someText
	noText
)

// item is one terminal or nonterminal of a template.
type item struct {
	kind   itemKind
	extent extent
	// padding reports whether a blank only fills up to a column, and may be absent.
	padding bool
	// numbers reports whether an enum has values without a name, which are written as numbers.
	numbers bool
	ref     *model.Ref
	call    *grammar
	// words are the texts of an enum or a bool.
	words *trie
	// conds are the conditions under which the reference means ref.
	conds []condition
	text  string
	// shown is the text of a literal before case folding.
	shown string
	// spread locates the bits of a computed value in a scope. It is nil for other values.
	spread *spread
	set    *setItem
	name   string
}

// condition is an expression with the truth value that it must have. The scope of the expression is scopeDepth scopes
// outward.
type condition struct {
	prog       *model.Prog
	scopeDepth int
	want       bool
}

// setItem is a set of optional members, read in any order.
type setItem struct {
	join    string
	joined  bool    // whether join contains more than blanks
	joint   item    // join as a literal
	members []*node // for each member: its text, which is not empty, then itemSetEnd
	absent  []*node // for each member: no text, or any text in a free set, then itemSetEnd
	at      *node   // the node before each member and at the end
	free    bool    // whether absent members leave their bits open
	parts   []part  // the sources of members and absent, alternating
}

// grammarOf returns the grammar of an environment. The first call creates it.
func (m *matcher) grammarOf(env *model.Env) *grammar {
	g, _ := env.Parser.Load().(*grammar)
	if g == nil {
		env.Parser.CompareAndSwap(nil, &grammar{env: env})
		g = env.Parser.Load().(*grammar)
	}
	return g
}

// ready returns a grammar, which it compiles at first use.
func (m *matcher) ready(g *grammar) *grammar {
	if !g.made.Load() {
		m.make(g)
	}
	return g
}

// make compiles a grammar, once for all parsers.
func (m *matcher) make(g *grammar) {
	g.once.Do(func() {
		defer g.made.Store(true)
		c := compiler{matcher: m, env: g.env}
		g.start = c.compile()
	})
}

// anchored returns the anchors of the grammar of instructions.
func (g *grammar) anchored(w *matcher) *anchors {
	g.anchorsOnce.Do(func() { g.anchors = newAnchors(w) })
	return g.anchors
}

// compiler makes the tree of a grammar from the templates of its leaves.
type compiler struct {
	matcher *matcher
	env     *model.Env
	unit    *model.BoundLeaf
	sets    []*setItem // the sets of all templates so far
}

func (c *compiler) compile() *node {
	start := &node{}
	for _, aliases := range []bool{false, true} { // displays are tried before aliases
		for _, l := range c.env.Root.Leaves {
			c.unit = c.env.Bound(l)
			c.leaf(start, aliases)
		}
	}
	return start
}

// leaf adds the aliases of the current leaf if aliases is true, and otherwise its displays, in order.
func (c *compiler) leaf(start *node, aliases bool) {
	for i, cs := range c.unit.Cases {
		switch {
		case aliases:
			for k := range cs.Aliases() {
				c.alias(start, i, k)
			}
		case cs.Shown:
			c.display(start, i)
		}
	}
}

// display adds the display of case i.
func (c *compiler) display(start *node, i int) {
	acc := c.accept(i)
	for _, cs := range c.unit.Cases[:i] {
		if cs.Cond != nil && cs.Shown { // that display would win
			acc.not = append(acc.not, earlier{cond: cs.Cond, outside: outside(cs.Cond.Root)})
			acc.anyOutside = acc.anyOutside || outside(cs.Cond.Root)
		}
	}
	c.template(start, c.unit.Cases[i].Items, acc)
}

// alias adds an alias of case i.
func (c *compiler) alias(start *node, i, alias int) {
	acc := c.accept(i)
	acc.alias = true
	c.template(start, c.unit.Cases[i].Aliases()[alias], acc)
}

// accept returns the reduction of the templates of case i, without the conditions of earlier cases. It includes the
// conditions of leaves that refine this leaf, because words that satisfy such a condition print through those leaves.
func (c *compiler) accept(i int) *reduction {
	asserts := slices.ContainsFunc(c.unit.Cases[:i+1], func(cs *model.Case) bool { return len(cs.Spec.Asserts) > 0 })
	completes := asserts || len(c.unit.Defaults)+len(c.unit.Unused) > 0
	acc := &reduction{unit: c.unit, own: c.unit.Cases[i].Cond, asserts: asserts, completes: completes}
	for _, claim := range c.unit.RefinementConditions() {
		acc.not = append(acc.not, earlier{cond: claim})
	}
	return acc
}

// outside reports whether an expression reads a context or an enclosing scope.
func outside(n *model.Node) bool {
	for n := range n.All {
		for _, a := range n.Alts {
			if a.CondDepth > 0 || a.Ref != nil && (a.Ref.ScopeDepth > 0 || a.Ref.Context != nil || a.Ref.Prog != nil && outside(a.Ref.Prog.Root)) {
				return true
			}
		}
	}
	return false
}

func (c *compiler) template(start *node, items []model.Item, acc *reduction) {
	t := &template{reduction: acc}
	for i := range items {
		if items[i].Kind != model.ItemRemark {
			t.parts = append(t.parts, c.part(&items[i]))
		}
	}
	start.branches = append(start.branches, branch{of: t})
}

func (c *compiler) part(it *model.Item) part {
	switch it.Kind {
	case model.ItemText, model.ItemName:
		return part{c.literal(it.Text)}
	case model.ItemAlign, model.ItemBreak:
		return part{{{kind: itemBlank, padding: it.Kind == model.ItemAlign}}}
	}
	if it.Before == "" && it.After == "" {
		return c.reference(it, anyExtent)
	}
	before, after := c.literal(it.Before), c.literal(it.After)
	var list part
	for _, way := range c.reference(it, someText) {
		list = append(list, slices.Concat(before, way, after))
	}
	return append(list, c.reference(it, noText)...)
}

// literal splits text at blanks into items.
func (c *compiler) literal(text string) (list []item) {
	for text != "" {
		n := strings.IndexAny(text, blanks)
		switch {
		case n == 0:
			text = strings.TrimLeft(text, blanks)
			list = append(list, item{kind: itemBlank})
			continue
		case n < 0:
			n = len(text)
		}
		list = append(list, item{kind: itemLiteral, text: c.matcher.fold(text[:n]), shown: text[:n]})
		text = text[n:]
	}
	return list
}

const blanks = " \t\r\n"

// open expands a node, once for all parsers.
func (n *node) open() {
	if !n.opened.Load() {
		n.expand()
	}
}

func (n *node) expand() {
	n.opening.Do(func() {
		for _, b := range n.branches {
			n.follow(b)
		}
		n.sort()
		n.opened.Store(true)
	})
}

// follow adds the next items of a template to the node.
func (n *node) follow(b branch) {
	switch {
	case len(b.rest) > 0:
		next := n.step(&b.rest[0])
		b.rest = b.rest[1:]
		next.branches = append(next.branches, b)
	case b.next < len(b.of.parts):
		for _, way := range b.of.parts[b.next] {
			n.follow(branch{b.of, way, b.next + 1})
		}
	case b.of.reduction != nil:
		n.reductions = append(n.reductions, b.of.reduction)
	}
}

// step returns the node after an item. It uses an existing edge for the item, or adds one.
func (n *node) step(it *item) *node {
	for _, e := range n.edges {
		if e.item.alike(it) {
			return e.next
		}
	}
	e := &edge{item: *it, next: &node{}}
	n.edges = append(n.edges, e)
	return e.next
}

// alike reports whether two items accept the same texts and set the same bits.
func (it *item) alike(x *item) bool {
	return it.kind == x.kind && it.text == x.text && it.extent == x.extent && it.padding == x.padding &&
		it.call == x.call && it.set == x.set && slices.Equal(it.conds, x.conds) && it.refersAlike(x)
}

func (it *item) refersAlike(x *item) bool {
	r, s := it.ref, x.ref
	switch {
	case r == nil || s == nil:
		return r == s
	case r.ScopeDepth != s.ScopeDepth || it.isBits() != x.isBits():
		return false
	case it.isBits():
		f, g := r.Field, s.Field
		return f.Kind == g.Kind && f.Width == g.Width && f.Unit == g.Unit && r.Enum == s.Enum &&
			it.name == x.name && slices.Equal(f.Parts, g.Parts) &&
			(f.Display == g.Display || f.Display != nil && g.Display != nil && *f.Display == *g.Display)
	}
	return r.Field == s.Field && r.Context == s.Context && r.Prog == s.Prog &&
		slices.EqualFunc(r.Path, s.Path, func(e, f *model.Ref) bool { return e.Field == f.Field })
}

// isBits reports whether the item refers to a field for which only the bits and the syntax matter. Leaves that each
// define an equal field share such an item.
func (it *item) isBits() bool {
	r := it.ref
	return r.Field != nil && r.Context == nil && r.Prog == nil && len(r.Path) == 0 && r.Field.Table == nil && r.Kind != spec.KindCustom
}

// reference returns the items that read a name, with one alternative for each of its meanings.
func (c *compiler) reference(it *model.Item, ext extent) (ways part) {
	if it.Kind == model.ItemSet {
		return part{{c.set(it, ext)}}
	}
	var conds []condition
	for _, a := range it.Alts {
		own := conds
		if a.Cond != nil {
			own = append(conds[:len(conds):len(conds)], condition{a.Cond, a.CondDepth, true})
		}
		ways = append(ways, []item{c.item(it, a.Ref, own, ext)})
		conds = append(conds, condition{a.Cond, a.CondDepth, false})
	}
	return ways
}

// item returns the item that reads a reference.
func (c *compiler) item(it *model.Item, ref *model.Ref, conds []condition, ext extent) item {
	out := item{kind: itemNumber, extent: ext, ref: ref, name: it.Name, conds: conds}
	if ref == nil {
		out.kind = itemNothing
		return out
	}
	out.spread = spreadOf(ref)
	switch ref.Kind {
	case spec.KindBitset:
		out.kind, out.call = itemCall, c.matcher.grammarOf(ref.Env)
	case spec.KindEnum:
		out.kind, out.words, out.numbers = itemEnum, c.enumWords(ref.Enum), c.hasUnnamed(ref)
	case spec.KindBool, spec.KindBoolInv:
		if ref.Field != nil && ref.Field.Display != nil {
			out.kind, out.words = itemEnum, c.boolWords(ref)
		}
	case spec.KindFloat:
		out.kind = itemFloat
	case spec.KindCustom:
		out.kind = itemCustom
	case spec.KindBranch, spec.KindAbsBranch:
		out.kind = itemBranch
	}
	return out
}

func (c *compiler) enumWords(e *model.Enum) *trie {
	if t := c.matcher.enums[e]; t != nil {
		return t
	}
	t := &trie{}
	for _, text := range e.Texts {
		t.addWord(c.matcher.fold(normal(text.Text)), text.Val, text.Alias)
	}
	t.finish()
	c.matcher.enums[e] = t
	return t
}

// maxNamed is the largest number of bits of a field for which the compiler enumerates all values.
const maxNamed = 8

// hasUnnamed reports whether a field may have a value for which its enum has no text.
func (c *compiler) hasUnnamed(ref *model.Ref) bool {
	values := ones(min(max(ref.Width, 1), 64))
	if ref.Prog != nil {
		values = c.matcher.possible(ref.Prog.Root)
	}
	for v := values; ; v = (v - 1) & values { // each combination of these bits
		if _, named := ref.Enum.Lookup(v); !named || mathbits.OnesCount64(values) > maxNamed {
			return true
		}
		if v == 0 {
			return false
		}
	}
}

// boolText is the key of the texts of a bool. text is the display, and on is the truth value for which the display is
// printed. only is the truth value of a constant expression, or anyBool for other values. last is the largest value of
// the field.
type boolText struct {
	text           string
	on, only, last uint64
}

const anyBool = 2

func (c *compiler) boolWords(ref *model.Ref) *trie {
	key := boolText{c.matcher.fold(normal(*ref.Field.Display)), 1, anyBool, 1}
	if ref.Kind == spec.KindBoolInv {
		key.on = 0
	}
	if is, always := constant(ref.Prog); always {
		key.only = is
	}
	if ref.Prog == nil && ref.Width <= maxNamed {
		key.last = ones(ref.Width)
	}
	t := c.matcher.bools[key]
	if t != nil {
		return t
	}
	t = &trie{}
	for v := range key.last + 1 {
		switch is := truthBit(v != 0); {
		case key.only != anyBool && key.only != is:
		case is == key.on:
			t.addWord(key.text, v, false)
		default:
			t.add("", v, false)
		}
	}
	t.finish()
	c.matcher.bools[key] = t
	return t
}

// constant returns the truth value of a constant expression. always reports whether the expression is constant.
func constant(prog *model.Prog) (is uint64, always bool) {
	if prog == nil || prog.Root.Op != spec.OpConst {
		return 0, false
	}
	return truthBit(prog.Root.Value != 0), true
}

// set compiles a set, each member as a small tree. Templates share equal sets, because otherwise the text after a set
// would be parsed once for each template.
func (c *compiler) set(it *model.Item, ext extent) item {
	join := normal(it.Join)
	s := &setItem{join: join, joined: strings.Trim(join, " ") != "", joint: item{kind: itemLiteral, text: join, shown: join}, free: it.Free}
	missing := noText
	if s.free {
		missing = anyExtent
	}
	for i := range it.Members {
		s.parts = append(s.parts, c.reference(&it.Members[i], someText), c.reference(&it.Members[i], missing))
	}
	out := item{kind: itemSet, extent: ext}
	if i := slices.IndexFunc(c.sets, s.alike); i >= 0 {
		out.set = c.sets[i]
	} else {
		out.set = s
		c.makeSet(s)
	}
	return out
}

// makeSet makes the nodes of a set.
func (c *compiler) makeSet(s *setItem) {
	s.at = &node{set: s}
	end := part{{{kind: itemSetEnd, set: s}}}
	for i, p := range s.parts {
		start := &node{branches: []branch{{of: &template{parts: []part{p, end}}}}}
		if i%2 == 0 {
			s.members = append(s.members, start)
		} else {
			s.absent = append(s.absent, start)
		}
	}
	c.sets = append(c.sets, s)
}

// alike reports whether two sets accept the same texts and set the same bits.
func (s *setItem) alike(x *setItem) bool {
	return s.join == x.join && s.free == x.free && slices.EqualFunc(s.parts, x.parts, part.alike)
}

// alike reports whether two parts have the same alternatives.
func (p part) alike(q part) bool {
	return slices.EqualFunc(p, q, func(a, b []item) bool {
		return slices.EqualFunc(a, b, func(x, y item) bool { return x.alike(&y) })
	})
}

// sort separates the literal edges from the others.
func (n *node) sort() {
	if len(n.edges) == 1 && len(n.reductions) == 0 {
		n.only = n.edges[0]
	}
	var literals []int
	for i, e := range n.edges {
		if e.item.kind == itemLiteral {
			literals = append(literals, i)
		} else {
			n.others = append(n.others, e)
		}
	}
	switch len(literals) {
	case 0:
	case 1:
		n.literal = n.edges[literals[0]]
	default:
		n.literals = &trie{}
		for _, i := range literals {
			n.literals.add(n.edges[i].item.text, uint64(i), false)
		}
		n.literals.finish()
		for _, w := range n.literals.words {
			n.edges[w.values[0]].longer = w.shorter
		}
	}
}

// normal replaces each run of blanks with one blank.
func normal(s string) string {
	if !strings.ContainsAny(s, blanks) {
		return s
	}
	fields := strings.Fields(s)
	out := strings.Join(fields, " ")
	if strings.TrimLeft(s, blanks) != s {
		out = " " + out
	}
	if len(fields) > 0 && strings.TrimRight(s, blanks) != s {
		out += " "
	}
	return out
}
