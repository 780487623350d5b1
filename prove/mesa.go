package prove

import (
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/spec"
)

// refused reports constructs that isago accepts and Mesa's tools (January 2025) reject: the tools
// raise a Python exception or generate C code that does not compile. It skips strict descriptions,
// which are not for Mesa's tools.
func (c *checker) refused() {
	if c.spec.Strict {
		return
	}
	main := false
	for _, b := range c.spec.Bitsets {
		main = main || b.Name == "#instruction" && b.Extends == nil
	}
	if !main {
		c.mesa(c.spec.Span, "no root is named #instruction, which Mesa's tools require")
	}
	c.cNames()
	for _, b := range c.spec.Bitsets {
		c.ranges(b)
		for _, cs := range b.Cases {
			for _, t := range cs.Displays {
				c.cString(t)
			}
		}
	}
	for _, e := range c.exprs() {
		c.cVariables(e)
	}
	for _, t := range c.spec.Templates {
		if t.Text == "" {
			c.mesa(t.Span, "template "+t.Name+" has no text, which Mesa's tools reject")
		}
	}
	for _, src := range c.sources() {
		for _, at := range genHex().FindAllStringIndex(src.Text, -1) {
			c.mesa(diag.Span{Src: src, Off: at[0], End: at[1]}, "Mesa's tools accept only decimal generations")
		}
	}
}

var genHex = lazy.Regexp(`<gen\s[^<>]*["']\s*0[xX][^<>]*>`)

func (c *checker) mesa(at diag.Span, msg string) *Finding {
	return c.add(nil, &Finding{Code: diag.MesaRefuses, Level: Warning, Span: at, Msg: msg})
}

// cName converts a name to a C identifier, as Mesa's tools do.
func cName(s string) string {
	return strings.ToUpper(strings.NewReplacer(".", "_", "-", "_", "#", "_").Replace(s))
}

var cNameForm = lazy.Regexp(`^[A-Za-z0-9_.#-]+$`)

// cNames reports names of bitsets and expressions that are invalid in C or that convert to the same C
// identifier. It also reports definitions of a bitset that start in the same generation.
func (c *checker) cNames() {
	type entry struct {
		name string
		span diag.Span
		gens bool // several definitions of the name may have different generations
		min  uint32
	}
	var bitsets, exprs []entry
	for _, b := range c.spec.Bitsets {
		bitsets = append(bitsets, entry{b.Name, b.Span, true, b.Min})
	}
	for _, e := range c.spec.Exprs {
		exprs = append(exprs, entry{e.Name, e.Span, false, 0})
	}
	for _, list := range [][]entry{bitsets, exprs} {
		first := map[string]entry{}
		for _, e := range list {
			if e.name != "" && !cNameForm().MatchString(e.name) {
				c.mesa(e.span, e.name+" cannot be a name in C: Mesa's tools allow only letters, digits and . - _ #")
			}
			o, known := first[cName(e.name)]
			switch {
			case !known:
				first[cName(e.name)] = e
			case o.name != e.name:
				c.mesa(e.span, "in C the names "+o.name+" and "+e.name+" are the same").with(o.span, "the other name")
			case e.gens && o.min == e.min:
				c.mesa(e.span, "two definitions of "+e.name+" start in the same generation, which Mesa's tools reject").with(o.span, "the other definition")
			}
		}
	}
}

// ranges reports a bitset that starts in an earlier generation or ends in a later generation than its
// parent.
func (c *checker) ranges(b *spec.Bitset) {
	p := b.Extends
	switch {
	case p == nil:
	case b.Min != 0 && b.Min < p.Min:
		c.mesa(b.Span, b.Name+" starts in an earlier generation than its parent, which Mesa's tools reject").with(p.Span, "%s is defined here", p.Name)
	case b.Max != math.MaxUint32 && b.Max > p.Max:
		c.mesa(b.Span, b.Name+" ends in a later generation than its parent, which Mesa's tools reject").with(p.Span, "%s is defined here", p.Name)
	}
}

// cString reports characters of a display that are invalid in a C string.
func (c *checker) cString(t *spec.Template) {
	switch {
	case strings.Contains(t.Text, "\n"):
		c.mesa(t.Span, "a display of several lines, which Mesa's tools reject")
	case strings.Contains(strings.ReplaceAll(t.Text, `\"`, ""), `"`):
		c.mesa(t.Span, `a quote in a display, which Mesa's tools reject; they accept \"`)
	}
}

// cWords are names that cannot be variables in the C function for an expression.
var cWords = strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while scope`)

// cVariables reports fields whose names cannot be C variables.
func (c *checker) cVariables(e *spec.Expr) {
	for _, name := range e.FieldNames() {
		switch {
		case name == "":
		case name[0] >= '0' && name[0] <= '9':
			c.mesa(e.Span, "{"+name+"} starts with a digit, so Mesa's tools cannot use it in an expression")
		case slices.Contains(cWords, name):
			c.mesa(e.Span, "{"+name+"} cannot be a variable in the C code that Mesa's tools generate for an expression")
		}
	}
}
