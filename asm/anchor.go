package asm

import (
	"slices"
	"sync"
	"unicode"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Where flags stand before the mnemonic, the texts that an instruction can start with say nothing of
// which one it is. But most templates have a word that is always there, the mnemonic as a rule: the
// anchor of the template. A line is read as those templates whose anchors stand in it.

// anchors are the templates of a root by their anchors, which are found without binding any name.
type anchors struct {
	words  *trie // anchor -> index in groups
	groups []*anchorGroup
	// all tells that every template has an anchor, so that no other can be read.
	all bool
}

// anchorGroup is the grammar of the templates with one anchor, compiled at first use.
type anchorGroup struct {
	templates []templateID
	once      sync.Once
	start     *node
}

// templateID says which template of a root is meant.
type templateID struct {
	leaf *model.Leaf
	// number is that of its case, alias that of its alias, notAlias for the display.
	number, alias int
}

const notAlias = -1

// maxAnchors bounds the groups that one line is read as before all templates are tried.
const maxAnchors = 16

// newAnchors files all templates of the parser's root.
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

// put files a template under its anchor, of which those that are known have their groups.
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

// anchor returns the word of a template that is always there: the name of the instruction, or else
// the first one of two letters or more; "" if there is none.
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

// anchorWord returns the first word of a text that has two letters or digits or more. A word ends at
// punctuation too, beside which the input may have blanks.
func anchorWord(text string) string {
	letters, from := 0, 0
	for i, r := range text + " " {
		switch {
		case r == ' ' || r == '\t' || r == '\r' || r == '\n' || r < 128 && loose[r]:
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

// startsFor returns the grammars as which the line can be read, by the anchors that stand in it: the
// first to stand there first, and the longest at one place, until done (nil for never) says of one that no other is
// wanted. complete tells that nothing else can be.
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

// groupStart returns the grammar of a group.
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
