package asm

import (
	"sync"
	"unicode"

	"github.com/isago/isago/internal/model"
)

// Where flags stand before the mnemonic, the texts that an instruction can start with say nothing of
// which one it is. But most templates have a word that is always there, the mnemonic as a rule: the
// anchor of the template. A line is read as those templates whose anchors stand in it.

// anchors are the templates of a root by their anchors.
type anchors struct {
	words  *trie // anchor -> index in groups
	groups []*anchorGroup
	// all tells that every template has an anchor, so that no other can be read.
	all bool
}

// anchorGroup is the grammar of the templates with one anchor, compiled at first use.
type anchorGroup struct {
	templates []anchored
	once      sync.Once
	start     *node
}

// anchored is a template with what the compiler has to know of its case.
type anchored struct {
	unit         *model.Unit
	items        []model.Item
	accept       *accept
	holds, fails []*model.Prog
}

// maxAnchors bounds the groups that one line is read as before all templates are tried.
const maxAnchors = 16

// put files a template under its anchor.
func (a *anchors) put(c *compiler, items []model.Item, acc *accept) {
	word := c.anchor(items)
	if word == "" {
		a.all = false
		return
	}
	var g *anchorGroup
	if at, end, _ := a.words.find([]byte(word), 0, len(word)+1, true); at != nil && end == len(word) {
		g = a.groups[at.first]
	} else {
		g = &anchorGroup{}
		a.words.add(word, uint64(len(a.groups)), false)
		a.groups = append(a.groups, g)
	}
	g.templates = append(g.templates, anchored{c.unit, items, acc, c.holds, c.fails})
}

// anchor returns the word of a template that is always there: the name of the instruction, or else
// the first one of two letters or more; "" if there is none.
func (c *compiler) anchor(items []model.Item) string {
	first := ""
	for i := range items {
		it := &items[i]
		if it.Kind != model.ItemText && it.Kind != model.ItemName {
			continue
		}
		word := anchorWord(c.parser.fold(it.Text))
		if it.Kind == model.ItemName && word != "" {
			return word
		}
		if first == "" {
			first = word
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

// anchoredStarts returns the grammars as which the line can be read, by the anchors that stand in it: the
// first to stand there first, and the longest at one place. complete tells that nothing else can be.
func (p *Parser) anchoredStarts() (starts []*node, complete bool) {
	a := p.top.anchors
	if a == nil {
		return nil, false
	}
	p.roots = p.roots[:0]
	for pos := range p.src {
		for limit := len(p.src) + 1; ; {
			found, end, _ := a.words.find(p.src, pos, limit, true)
			if found == nil {
				break
			}
			limit = end
			if start := p.anchored(a.groups[found.first]); !p.isRoot(start) {
				p.roots = append(p.roots, start)
			}
		}
		if len(p.roots) > maxAnchors {
			return p.roots, false
		}
	}
	return p.roots, a.all
}

func (p *Parser) isRoot(start *node) bool {
	for _, s := range p.roots {
		if s == start {
			return true
		}
	}
	return false
}

// anchored returns the grammar of a group.
func (p *Parser) anchored(g *anchorGroup) *node {
	g.once.Do(func() {
		g.start = &node{}
		c := compiler{parser: p, env: p.env}
		for _, t := range g.templates {
			c.unit, c.holds, c.fails = t.unit, t.holds, t.fails
			c.template(g.start, t.items, t.accept)
		}
		g.start.finish(map[*node]bool{})
	})
	return g.start
}
