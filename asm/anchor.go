package asm

import (
	"slices"
	"sync"
	"unicode"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// If flags precede the mnemonic, the start of a line does not identify the instruction. But most templates contain a
// word that is always printed, usually the mnemonic. This word is the anchor of the template. The parser first tries
// the templates whose anchors occur in the line.

// anchors is an index of the templates of a root by their anchors. Building the index does not bind any leaf.
type anchors struct {
	words  *trie // anchor -> index in groups
	groups []*anchorGroup
	// all reports whether every template has an anchor. If it is true, only the templates whose anchors occur in the
	// line need to be tried.
	all bool
}

// anchorGroup is the grammar of the templates that have the same anchor. It is compiled at first use.
type anchorGroup struct {
	templates []templateID
	once      sync.Once
	start     *node
}

// templateID identifies a template of a root.
type templateID struct {
	leaf *model.Leaf
	// number is the index of the case. alias is the index of the alias, or notAlias for the display.
	number, alias int
}

const notAlias = -1

// maxAnchors limits the number of groups that are tried before the grammar of all templates.
const maxAnchors = 16

// newAnchors indexes all templates of the matcher's root.
func newAnchors(w *matcher) *anchors {
	a := &anchors{words: &trie{}, all: true}
	known, m := map[string]*anchorGroup{}, w.env.Machine
	for _, aliases := range []bool{false, true} { // as in compiler.compile
		for _, l := range w.root.Leaves {
			for i, t := range m.Texts(l) {
				switch {
				case aliases:
					for k, alias := range t.Aliases {
						a.put(known, w.anchor(l, alias), templateID{l, i, k})
					}
				case t.Display != nil:
					a.put(known, w.anchor(l, t.Display), templateID{l, i, notAlias})
				}
			}
		}
	}
	a.words.finish()
	return a
}

// put adds a template to the group of its anchor, which is word. If the template has no anchor, put only sets all to
// false. known maps the anchors so far to their groups.
func (a *anchors) put(known map[string]*anchorGroup, word string, t templateID) {
	if word == "" {
		a.all = false
		return
	}
	g := known[word]
	if g == nil {
		g = &anchorGroup{}
		known[word] = g
		a.words.add(word, uint64(len(a.groups)), false)
		a.groups = append(a.groups, g)
	}
	g.templates = append(g.templates, t)
}

// anchor returns the anchor of a template: the name of the instruction, or else the first word with at least two
// letters or digits. It returns "" if the template has no such word.
func (m *matcher) anchor(l *model.Leaf, t *spec.Template) string {
	first := ""
	for _, it := range t.Items() {
		switch {
		case it.Kind == spec.ItemRef && m.env.Machine.IsName(it.Ref):
			if word := anchorWord(m.fold(l.Display)); word != "" {
				return word
			}
		case it.Kind == spec.ItemText && first == "":
			first = anchorWord(m.fold(it.Text))
		}
	}
	return first
}

// anchorWord returns the first word in text that has at least two letters or digits, or "" if there is none. Words end
// at blanks and at punctuation, next to which blanks are optional.
func anchorWord(text string) string {
	letters, from := 0, 0
	for i, r := range text + " " {
		switch {
		case r == ' ' || r == '\t' || r == '\r' || r == '\n' || r < 128 && punctuation[r]:
			if letters >= 2 {
				return text[from:i]
			}
			letters, from = 0, i+1
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			letters++
		}
	}
	return ""
}

// startsFor returns the first nodes of the grammars for the anchors in the line. The nodes are in the order in which
// the anchors occur in the line. At the same position, longer anchors come first. If done is not nil, startsFor calls
// it for each node and stops when done returns true. complete reports whether no other template can match.
func (m *matcher) startsFor(done func(start *node) bool) (starts []*node, complete bool) {
	a := m.top.anchored(m)
	m.roots = m.roots[:0]
	for pos, c := range m.src {
		if a.words.after(a.words.start(), c) == nil {
			continue
		}
		for limit := len(m.src) + 1; ; {
			found, end := a.words.find(m.src, pos, limit, true)
			if found == nil {
				break
			}
			limit = end
			start := m.groupStart(a.groups[found.values[0]])
			if slices.Contains(m.roots, start) {
				continue
			}
			if m.roots = append(m.roots, start); done != nil && done(start) {
				return m.roots, false
			}
		}
		if len(m.roots) > maxAnchors {
			return m.roots, false
		}
	}
	return m.roots, a.all
}

// groupStart returns the first node of a group's grammar. The first call for a group compiles the grammar.
func (m *matcher) groupStart(g *anchorGroup) *node {
	g.once.Do(func() {
		g.start = &node{}
		c := compiler{matcher: m, env: m.env}
		for _, t := range g.templates {
			c.unit = m.env.Bound(t.leaf)
			if t.alias == notAlias {
				c.display(g.start, t.number)
			} else {
				c.alias(g.start, t.number, t.alias)
			}
		}
	})
	return g.start
}
