package asm

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// grammar is the language of one root in given surroundings: a tree over the pieces of all
// templates of all leaves, in which templates that start alike share their start.
type grammar struct {
	env   *model.Env
	start *node
	// anchors are the templates of instructions by a word that they have; nil for operands.
	anchors *anchors
	once    sync.Once
	// made tells that once is done, which is asked at each operand.
	made atomic.Bool
}

// node is a place in the tree: what may come next, and the templates that end here.
//
// A line goes through some fifty of them, most of which are not in the processor's cache: what is
// asked first stands first, here and in edge and item.
type node struct {
	// set is non-nil for the place at which another member of a set may follow.
	set *setItem
	// only is the way out of the node where there is one alone.
	only     *edge
	literals *trie // the texts of literal edges, each with the index of its edge; nil where there is one
	literal  *edge // the only edge that is a literal
	accepts  []*accept
	// others are the edges that are not literals.
	others []*edge
	edges  []*edge
	// ahead and agreed are made at first use.
	ahead  atomic.Pointer[ahead]
	agreed atomic.Pointer[[]fact]
}

type edge struct {
	next *node
	// longer tells of a literal that another of the same node is its start.
	longer bool
	item   item
	key    string
}

// accept is the end of a template: what it says about the leaf and its case.
type accept struct {
	unit *model.Unit
	// alias tells that the template is read and never printed.
	alias bool
	// own is the condition of the case, not those of the cases before it whose displays would be
	// printed instead.
	own *model.Prog
	not []*model.Prog
	// outside tells of each of not whether it reads something outside the scope, which the text of
	// the template cannot overrule; anyOutside whether one of them does.
	outside    []bool
	anyOutside bool
	// asserts tells that the case, or one that is looked at before it, has asserts; completes that the template
	// says more of bits than its text.
	asserts, completes bool
}

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
	itemNothing // a reference that resolves nowhere prints nothing
	itemCustom
)

// extent says how much text an item may match.
type extent uint8

const (
	anyExtent extent = iota
	someText
	noText
)

// item is one piece of a template.
type item struct {
	kind   itemKind
	extent extent
	// padding tells of a blank that it fills up to a column and may be nothing.
	padding bool
	// placed tells that place is where the bits are.
	placed bool
	// numbers tells of an enum that it has values without a text, which are numbers.
	numbers bool
	place   place
	text    string
	ref     *model.Ref
	// words are the texts of an enum or a bool.
	words *trie
	// flag is the text of a bool, if it prints nothing else.
	flag string
	// conds must hold (or not) for the reference to mean ref.
	conds []condition
	call  *grammar
	set   *setItem
	// symbols is the space in which the program may have names for the value.
	symbols string
	name    string
}

// condition is an expression that must be true, or false, hops scopes up.
type condition struct {
	prog *model.Prog
	hops int
	want bool
}

// setItem is a set of optional members, read in any order.
type setItem struct {
	join    string
	members []*node // each member alone, its text not empty, ending in a node that returns
	absent  []*node // each member absent; none where that gives its bits no value
	at      *node   // the place behind a member, and at the start
}

// isDirect tells of the start of a grammar that all templates start with a text.
func (n *node) isDirect() bool {
	return (n.literal != nil || n.literals != nil) && len(n.others)+len(n.accepts) == 0
}

// grammarOf returns the grammar of a root in given surroundings, made at first use.
func (p *Parser) grammarOf(env *model.Env) *grammar {
	g, _ := env.Parser.Load().(*grammar)
	if g == nil {
		env.Parser.CompareAndSwap(nil, &grammar{env: env})
		g = env.Parser.Load().(*grammar)
	}
	return g
}

// ready compiles the grammar on first use.
func (p *Parser) ready(g *grammar) *grammar {
	if !g.made.Load() {
		p.make(g)
	}
	return g
}

// make compiles the grammar, once for all parsers.
func (p *Parser) make(g *grammar) {
	g.once.Do(func() {
		defer g.made.Store(true)
		c := compiler{parser: p, env: g.env}
		if g == p.top {
			c.anchors = &anchors{words: &trie{}, all: true}
			g.anchors = c.anchors
		}
		g.start = c.compile()
		if g.anchors != nil {
			g.anchors.words.finish()
		}
	})
}

type compiler struct {
	parser *Parser
	env    *model.Env
	unit   *model.Unit
	// holds and fails are the conditions that the case being compiled settles.
	holds, fails []*model.Prog
	// anchors takes the templates by a word that they have; nil takes none.
	anchors *anchors
}

func (c *compiler) compile() *node {
	start := &node{}
	for _, aliases := range []bool{false, true} { // what is printed is tried before what is only read
		for _, l := range c.env.Root.Leaves {
			c.unit = c.env.Unit(l)
			c.leaf(start, aliases)
		}
	}
	start.finish(map[*node]bool{})
	return start
}

// leaf adds the displays of a leaf in order, or its aliases.
func (c *compiler) leaf(start *node, aliases bool) {
	var before []*model.Prog // conditions of the cases before, whose displays would win
	asserts := false
	for _, cs := range c.unit.Cases {
		asserts = asserts || len(cs.Spec.Asserts) > 0
		acc := &accept{unit: c.unit, own: cs.Cond, not: before[:len(before):len(before)], asserts: asserts}
		for _, n := range acc.not {
			acc.outside = append(acc.outside, outside(n.Root))
			acc.anyOutside = acc.anyOutside || outside(n.Root)
		}
		c.holds, c.fails = nil, acc.not
		if cs.Cond != nil {
			c.holds = []*model.Prog{cs.Cond}
		}
		acc.completes = acc.says()
		if cs.Shown && !aliases {
			c.whole(start, cs.Items, acc)
		}
		for _, a := range cs.Aliases {
			if aliases {
				alias := &accept{unit: c.unit, own: cs.Cond, alias: true, asserts: asserts}
				alias.completes = alias.says()
				c.whole(start, a, alias)
			}
		}
		if cs.Cond != nil && cs.Shown {
			before = append(before, cs.Cond)
		}
	}
}

// says reports whether bits follow from a template that its text does not give: from asserts and defaults, or
// bits of table entries that are unused.
func (a *accept) says() bool { return a.asserts || len(a.unit.Defaults)+len(a.unit.Unused) > 0 }

// outside reports whether an expression reads a scope around its own, or a context.
func outside(n *model.Node) bool {
	if n == nil {
		return false
	}
	for _, a := range n.Alts {
		if a.CondHops > 0 || a.Ref != nil && (a.Ref.Hops > 0 || a.Ref.Context != nil || a.Ref.Prog != nil && outside(a.Ref.Prog.Root)) {
			return true
		}
	}
	return outside(n.X) || outside(n.Y) || outside(n.Z)
}

// whole adds a template to the grammar, and to that of its anchor.
func (c *compiler) whole(start *node, items []model.Item, acc *accept) {
	c.template(start, items, acc)
	if c.anchors != nil {
		c.anchors.put(c, items, acc)
	}
}

func (c *compiler) template(start *node, items []model.Item, acc *accept) {
	for _, end := range c.sequence([]*node{start}, items) {
		end.accepts = append(end.accepts, acc)
	}
}

// sequence adds items behind each of the nodes, and returns the nodes at which they end.
func (c *compiler) sequence(from []*node, items []model.Item) []*node {
	for i := range items {
		from = c.append(from, &items[i])
	}
	return from
}

func (c *compiler) append(from []*node, it *model.Item) []*node {
	switch it.Kind {
	case model.ItemRemark:
		return from
	case model.ItemText, model.ItemName:
		return c.literal(from, it.Text)
	case model.ItemAlign, model.ItemBreak:
		return c.step(from, &item{kind: itemBlank, padding: it.Kind == model.ItemAlign})
	}
	if it.Before == "" && it.After == "" {
		return c.reference(from, it, anyExtent)
	}
	shown := c.literal(from, it.Before)
	shown = c.reference(shown, it, someText)
	shown = c.literal(shown, it.After)
	return append(shown, c.reference(from, it, noText)...)
}

// literal adds text, split at blanks.
func (c *compiler) literal(from []*node, text string) []*node {
	for text != "" {
		n := strings.IndexAny(text, blanks)
		switch {
		case n == 0:
			text = strings.TrimLeft(text, blanks)
			from = c.step(from, &item{kind: itemBlank})
			continue
		case n < 0:
			n = len(text)
		}
		from = c.step(from, &item{kind: itemLiteral, text: c.parser.fold(text[:n])})
		text = text[n:]
	}
	return from
}

const blanks = " \t\r\n"

// step adds one item behind each node, sharing an edge that is there already.
func (c *compiler) step(from []*node, it *item) []*node {
	key := it.key()
	next := make([]*node, 0, len(from))
	for _, n := range from {
		next = append(next, n.step(key, it))
	}
	return next
}

func (n *node) step(key string, it *item) *node {
	for _, e := range n.edges {
		if e.key == key {
			return e.next
		}
	}
	e := &edge{key: key, item: *it, next: &node{}}
	n.edges = append(n.edges, e)
	return e.next
}

// key tells items apart: two items with one key read the same text into the same bits.
func (it *item) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %q %p %p %v", it.kind, it.extent, it.text, it.call, it.set, it.padding)
	switch {
	case it.ref == nil:
	case it.isBits():
		f := it.ref.Field
		fmt.Fprintf(&b, " %d %v %d %d %p %q %d", it.ref.Hops, f.Parts, f.Kind, f.Width, it.ref.Enum, it.name+it.symbols, f.Unit)
		if f.Display != nil {
			b.WriteString(*f.Display)
		}
	default:
		fmt.Fprintf(&b, " %d %p %p", it.ref.Hops, it.ref.Field, it.ref.Context)
		for _, e := range it.ref.Enter {
			fmt.Fprintf(&b, " %p", e.Field)
		}
		if it.ref.Prog != nil {
			fmt.Fprintf(&b, " %p", it.ref.Prog)
		}
	}
	for _, cond := range it.conds {
		fmt.Fprintf(&b, " %p %d %v", cond.prog, cond.hops, cond.want)
	}
	return b.String()
}

// isBits tells of a reference that it is a field of bits about which nothing else matters than where they
// are and how they are written, so that leaves that define the field each for itself can share it.
func (it *item) isBits() bool {
	r := it.ref
	return r.Field != nil && r.Context == nil && r.Prog == nil && len(r.Enter) == 0 && r.Field.Table == nil && r.Kind != spec.KindCustom
}

// reference adds a name in each of its meanings.
func (c *compiler) reference(from []*node, it *model.Item, ext extent) []*node {
	if it.Kind == model.ItemSet {
		return c.step(from, &item{kind: itemSet, extent: ext, set: c.set(it)})
	}
	var ends []*node
	var conds []condition
	for _, a := range it.Alts {
		if a.Cond != nil && a.CondHops == 0 && has(c.fails, a.Cond) && !has(c.holds, a.Cond) {
			continue
		}
		own := append(conds[:len(conds):len(conds)], condition{a.Cond, a.CondHops, true})
		settled := a.Cond == nil || a.CondHops == 0 && has(c.holds, a.Cond)
		if settled {
			own = own[:len(own)-1]
		}
		ends = append(ends, c.step(from, c.item(it, a.Ref, own, ext))...)
		if settled {
			break
		}
		conds = append(conds, condition{a.Cond, a.CondHops, false})
	}
	return ends
}

func has(list []*model.Prog, p *model.Prog) bool {
	for _, x := range list {
		if x == p {
			return true
		}
	}
	return false
}

// item makes the piece that reads a reference.
func (c *compiler) item(it *model.Item, ref *model.Ref, conds []condition, ext extent) *item {
	out := &item{kind: itemNumber, extent: ext, ref: ref, name: it.Name, conds: conds}
	if ref == nil {
		out.kind = itemNothing
		return out
	}
	out.place, out.placed = placeOf(ref)
	if ref.Field != nil {
		out.symbols = ref.Field.Symbols
	}
	switch ref.Kind {
	case spec.KindBitset:
		out.kind, out.call = itemCall, c.parser.grammarOf(ref.Env)
	case spec.KindEnum:
		out.kind, out.words, out.numbers = itemEnum, c.enumWords(ref.Enum), hasUnnamed(ref)
	case spec.KindBool, spec.KindBoolInv:
		if ref.Field != nil && ref.Field.Display != nil {
			out.kind, out.words = itemEnum, c.boolWords(ref)
			out.flag = c.flagText(ref)
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
	if t := c.parser.enums[e]; t != nil {
		return t
	}
	t := &trie{}
	for _, text := range e.Texts {
		t.addWord(c.parser.fold(normal(text.Text)), text.Val, text.Alias)
	}
	t.finish()
	c.parser.enums[e] = t
	return t
}

// maxNamed bounds the width of an enum all values of which are known to have a text.
const maxNamed = 8

// hasUnnamed reports whether a field may have a value for which its enum has no text.
func hasUnnamed(ref *model.Ref) bool {
	if ref.Prog != nil || ref.Width > maxNamed {
		return true
	}
	for v := range uint64(1) << uint(ref.Width) {
		if _, named := ref.Enum.Lookup(v); !named {
			return true
		}
	}
	return false
}

func (c *compiler) boolWords(ref *model.Ref) *trie {
	t := &trie{}
	on := uint64(1)
	if ref.Kind == spec.KindBoolInv {
		on = 0
	}
	is, always := constant(ref.Prog)
	if !always || is == on {
		t.addWord(c.parser.fold(normal(*ref.Field.Display)), on, false)
	}
	if !always || is != on {
		t.add("", 1-on, false)
	}
	t.finish()
	return t
}

// constant reports whether an expression is a number, and whether that is 1 or 0 as a bool.
func constant(prog *model.Prog) (is uint64, always bool) {
	if prog == nil || prog.Root.Op != spec.OpConst {
		return 0, false
	}
	return truthBit(prog.Root.Value != 0), true
}

// flagText returns the text of a bool of one bit that prints it or nothing; "" for any other.
func (c *compiler) flagText(ref *model.Ref) string {
	text := c.parser.fold(normal(*ref.Field.Display))
	if _, always := constant(ref.Prog); always || strings.Trim(text, " ") != text || ref.Kind != spec.KindBool {
		return ""
	}
	return text
}

// set compiles the members of a set, each as a small tree of its own.
func (c *compiler) set(it *model.Item) *setItem {
	s := &setItem{join: normal(it.Join)}
	s.at = &node{set: s}
	for i := range it.Members {
		for _, ext := range []extent{someText, noText} {
			if ext == noText && it.Free {
				continue
			}
			start := &node{}
			for _, end := range c.reference([]*node{start}, &it.Members[i], ext) {
				end.step("end", &item{kind: itemSetEnd})
			}
			start.finish(map[*node]bool{})
			if ext == someText {
				s.members = append(s.members, start)
			} else {
				s.absent = append(s.absent, start)
			}
		}
	}
	return s
}

// finish sorts the edges of a tree into literals and others.
func (n *node) finish(seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	n.literals, n.literal, n.others = nil, nil, nil
	if len(n.edges) == 1 && len(n.accepts) == 0 {
		n.only = n.edges[0]
	}
	var literals []int
	for i, e := range n.edges {
		if e.item.kind == itemLiteral {
			literals = append(literals, i)
		} else {
			n.others = append(n.others, e)
		}
		e.next.finish(seen)
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
		for _, i := range literals {
			text := []byte(n.edges[i].item.text)
			found, _, _ := n.literals.find(text, 0, len(text)+1, true)
			n.edges[i].longer = found.shorter
		}
	}
}

// normal makes every run of blanks one blank.
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
