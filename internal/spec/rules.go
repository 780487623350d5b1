package spec

import (
	"strings"

	"github.com/isago/isago/internal/diag"
)

// rule says what may stand in an element: its attributes and the elements inside it.
type rule struct {
	attrs    string
	children string
	text     bool
}

// rules is the grammar of the language, isaspec's elements and isago's in one table. Elements of
// the same name stand in several parents with the same content.
var rules = map[string]rule{
	"isa":         {"name strict", "doc text import context table template enum expr bitset", false},
	"text":        {"words comment case", "doc", false},
	"import":      {"file", "", false},
	"context":     {"name type default bind", "doc", false},
	"table":       {"name type size", "doc", false},
	"template":    {"name", "", true},
	"enum":        {"name", "doc value", false},
	"value":       {"val display name syntax", "doc alias", false},
	"alias":       {"syntax", "", true},
	"expr":        {"name", "", true},
	"bitset":      {"name size extends displayname overlap", "doc gen meta pattern field derived param assert display displayname alias override encode decode set default unused require", false},
	"displayname": {"syntax", "", true},
	"gen":         {"min max", "", false},
	"meta":        {"*", "", false},
	"pattern":     {"low high pos", "", true},
	"field":       {"name type low high pos display call table unit symbols", "doc param bits", false},
	"bits":        {"low high pos", "", false},
	"param":       {"name as", "", false},
	"derived":     {"name type expr width display call unit", "doc param expr", false},
	"assert":      {"low high pos", "", true},
	"display":     {"syntax", "", true},
	"override":    {"expr", "doc expr pattern field derived assert display alias set", false},
	"encode":      {"type case-prefix", "map", false},
	"map":         {"name force", "", true},
	"decode":      {"", "", false},
	"set":         {"name join", "doc member field derived", false},
	"member":      {"name", "", false},
	"default":     {"name val", "", false},
	"unused":      {"path expr", "", false},
	"require":     {"expr", "", true},
	"doc":         {"*", "*", true},
}

func has(list, name string) bool {
	if list == "*" {
		return true
	}
	for _, s := range strings.Fields(list) {
		if s == name {
			return true
		}
	}
	return false
}

// checkRules reports every element, attribute and text that has no place in the language: as an
// error under strict, as a remark in plain isaspec, where such things occur and are skipped.
func (l *loader) checkRules(n *node) {
	r, known := rules[n.name]
	if !known || n.name == "doc" {
		return
	}
	for _, a := range n.attrs {
		if !has(r.attrs, a.name) {
			l.odd(diag.Errorf(diag.XMLAttribute, a.span, "<%s> has no attribute %q, expected %s", n.name, a.name, oneOf(r.attrs)))
		}
	}
	if !r.text && strings.TrimSpace(n.text) != "" {
		l.odd(diag.Errorf(diag.XMLElement, n.textSpan, "text %q inside <%s>, expected elements alone", rest(n.text), n.name))
	}
	for _, c := range n.children {
		if !has(r.children, c.name) {
			l.odd(diag.Errorf(diag.XMLElement, c.span, "<%s> inside <%s>, expected %s", c.name, n.name, oneOf(r.children)))
			continue
		}
		l.checkRules(c)
	}
}

// oneOf formats a list of names for an error.
func oneOf(list string) string {
	words := strings.Fields(list)
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// odd records what is wrong only under strict.
func (l *loader) odd(e *diag.Error) {
	if l.isa.Strict {
		l.errs = append(l.errs, e)
		return
	}
	l.isa.Remarks = append(l.isa.Remarks, e)
}
