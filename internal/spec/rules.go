package spec

import (
	"strings"

	"github.com/isago/isago/diag"
)

// rule defines the attributes and child elements of an element, and whether it may contain text.
type rule struct {
	attrs    string
	children string
	text     bool
}

// rules is the grammar of the language, with isaspec's and isago's elements. An element has the same contents in every
// parent.
var rules = map[string]rule{
	"isa":         {"name strict", "doc text import context table template enum expr bitset file view memory stack limit class processor output input attribute register rom function service quirk fetch hint product", false},
	"text":        {"words storage halves comment case syntax", "doc", false},
	"import":      {"file", "", false},
	"context":     {"name type default bind", "doc", false},
	"table":       {"name type size", "doc", false},
	"template":    {"name", "", true},
	"enum":        {"name kind", "doc value", false},
	"value":       {"val display name syntax", "doc alias reg", false},
	"file":        {"name type count use scope outside init components once given carries allocated", "doc alias", false},
	"view":        {"name file type align components", "doc alias", false},
	"memory":      {"name count use scope size access outside banks", "doc alias", false},
	"stack":       {"name depth full empty scope", "doc slot", false},
	"limit":       {"name most of unit program source", "doc", false},
	"class":       {"name when", "doc", false},
	"processor":   {"name context source", "doc holds", false},
	"holds":       {"of most unit waves", "", false},
	"output":      {"name file number count components memory offset type default after required context builtin", "doc", false},
	"input":       {"name file number count components memory offset type low high context builtin", "doc", false},
	"attribute":   {"name", "doc", false},
	"operand":     {"name role kind", "doc display reg mem relative modifier swizzle mask semantics write", false},
	"reg":         {"file index component when", "", false},
	"mem":         {"memory index offset type", "", false},
	"relative":    {"field file index component when of", "", false},
	"modifier":    {"name when", "", false},
	"swizzle":     {"x y z w", "", false},
	"mask":        {"x y z w", "", false},
	"flow":        {"kind target count maybe when stack", "", false},
	"layout":      {"align filler terminator not-last flushes program", "", false},
	"runs":        {"roots address count context", "step", false},
	"step":        {"root context", "", false},
	"alias":       {"syntax", "", true},
	"expr":        {"name", "", true},
	"bitset":      {"name size extends displayname overlap kind", "doc gen meta pattern field derived assert display displayname alias override encode decode set default unused require hazard operand reg mem relative modifier swizzle mask flow layout limit class runs semantics write around", false},
	"displayname": {"syntax", "", true},
	"gen":         {"min max", "", false},
	"meta":        {"*", "", false},
	"pattern":     {"low high pos", "", true},
	"field":       {"name type low high pos display call table unit symbols role kind", "doc param bits", false},
	"bits":        {"low high pos", "", false},
	"param":       {"name as", "", false},
	"derived":     {"name type expr width display call unit remark role kind", "doc param expr", false},
	"assert":      {"low high pos", "", true},
	"display":     {"syntax", "", true},
	"override":    {"expr", "doc expr pattern field derived assert display alias set reg mem relative modifier swizzle mask semantics write", false},
	"encode":      {"type case-prefix", "map", false},
	"map":         {"name force", "", true},
	"decode":      {"", "", false},
	"set":         {"name join absent", "doc member field derived", false},
	"member":      {"name", "", false},
	"default":     {"name val expr", "", false},
	"unused":      {"path expr", "", false},
	"require":     {"expr", "", true},
	"hazard":      {"name expr refused", "expr", true},
	"hint":        {"for", "", true},
	"product":     {"names set order", "", false},
	"register":    {"name type scope init use components carries", "doc alias", false},
	"slot":        {"name type", "", false},
	"rom":         {"name type", "doc", true},
	"function":    {"name scope", "doc", true},
	"service":     {"name scope reads kind", "doc", false},
	"quirk":       {"name type default launch", "doc", false},
	"fetch":       {"unit scope root lanes", "doc", false},
	"semantics":   {"type fidelity source scope around", "", true},
	"write":       {"type", "", true},
	"around":      {"scope always", "", true},
	"doc":         {"*", "*", true},
}

// contains reports whether a list of words separated by blanks contains a name. The list * contains every name.
func contains(list, name string) bool {
	if list == "*" {
		return true
	}
	for from := 0; from < len(list); {
		i := strings.Index(list[from:], name)
		if i < 0 {
			return false
		}
		from += i
		end := from + len(name)
		if (from == 0 || list[from-1] == ' ') && (end == len(list) || list[end] == ' ') {
			return true
		}
		from++
	}
	return false
}

// checkRules reports every element, attribute and text that the language does not allow in its place. Strict
// descriptions get errors. Plain descriptions get remarks, because Mesa ignores such attributes, elements and text, and
// isaspec files contain some.
func (l *loader) checkRules(n *node) {
	r, known := rules[n.name]
	if !known || n.name == "doc" {
		return
	}
	for _, a := range n.attrs {
		if !contains(r.attrs, a.name) {
			l.failStrict(diag.Errorf(diag.XMLAttribute, a.named(), "<%s> has no attribute %q, expected %s", n.name, a.name, joinOr(strings.Fields(r.attrs))).Meant(a.name, strings.Fields(r.attrs)))
		}
	}
	if !r.text && n.text().s != "" {
		l.failStrict(diag.Errorf(diag.XMLElement, n.text().span, "text %q inside <%s>, expected only elements", rest(n.text().s), n.name))
	}
	for _, c := range n.children {
		if !contains(r.children, c.name) {
			e := diag.Errorf(diag.XMLElement, c.span, "<%s> inside <%s>, expected %s", c.name, n.name, joinOr(strings.Fields(r.children)))
			if _, elsewhere := rules[c.name]; !elsewhere {
				e = e.Meant(c.name, strings.Fields(r.children))
			}
			l.failStrict(e)
			continue
		}
		l.checkRules(c)
	}
}

// joinOr joins names for an error message.
func joinOr(names []string) string {
	switch n := len(names); n {
	case 0:
		return "nothing"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}

// failStrict records an error in a strict description, and a remark in a plain one.
func (l *loader) failStrict(e *diag.Error) {
	switch {
	case l.isa.Strict:
		l.fail(e)
	case len(l.isa.Remarks) < maxErrors:
		l.isa.Remarks = append(l.isa.Remarks, e)
	}
}
