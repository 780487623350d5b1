package c

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
)

// runtimeText is what generated sources need beside their own functions, in pieces.
//
//go:embed runtime.txt
var runtimeText string

// runtime returns the pieces that some code needs.
func (w *writer) runtime(code, always string) string {
	early, late := w.constants(code), w.tables(code)
	var b strings.Builder
	for _, p := range gen.Needed(gen.Pieces(runtimeText), always, code, late) {
		b.WriteString(strings.Replace(w.fill(w.p.Choose(p.Text)), "DEFAULTS", w.defaults(), 1))
		if p.Mark() == "first" {
			b.WriteString(early)
		}
	}
	b.WriteString(late)
	return b.String()
}

// constants writes what stands beside the functions and needs none: words, lengths, names.
func (w *writer) constants(code string) string {
	var b strings.Builder
	limbs := make([]string, w.p.Limbs)
	var params []string
	for i := range limbs {
		params = append(params, fmt.Sprintf("uint64_t w%d", i))
		limbs[i] = fmt.Sprintf("w%d", i)
	}
	if strings.Contains(code, "word_of(") {
		fmt.Fprintf(&b, "static inline %s_word word_of(%s)\n{\n", w.lower, strings.Join(params, ", "))
		if w.wide() {
			fmt.Fprintf(&b, "\t%s_word w;\n", w.lower)
			for i := range limbs {
				fmt.Fprintf(&b, "\tw.limb[%d] = w%d;\n", i, i)
			}
			b.WriteString("\treturn w;\n}\n\n")
		} else {
			b.WriteString("\treturn w0;\n}\n\n")
		}
	}
	for _, r := range w.p.Roots {
		if strings.Contains(code, "sizes_"+r.Name+"[") {
			fmt.Fprintf(&b, "static const unsigned short sizes_%s[%d] = {", r.Name, len(r.Leaves)+1)
			for _, l := range r.Leaves {
				fmt.Fprintf(&b, "%d, ", l.Size)
			}
			b.WriteString("0};\n\n")
		}
		if strings.Contains(code, "leaves_"+r.Name+"[") {
			fmt.Fprintf(&b, "static const struct leaf leaves_%s[%d] = {\n", r.Name, len(r.Leaves))
			for _, l := range r.Leaves {
				shown := l.Display
				if w.p.Mesa {
					shown = l.Found
				}
				var masks []string
				for i := range w.p.Limbs {
					masks = append(masks, constant(l.DontCare[i]))
				}
				fmt.Fprintf(&b, "\t{%s, %s, %d, {%s}},\n", quote(l.Found), quote(shown), len(shown), strings.Join(masks, ", "))
			}
			b.WriteString("};\n\n")
		}
	}
	return b.String()
}

// tables writes how entries of tables are read and values of enums printed.
func (w *writer) tables(code string) string {
	var b strings.Builder
	for _, t := range w.p.Tables {
		name := tableName(t)
		if !strings.Contains(code, "entry_of_"+name+"(") {
			continue
		}
		member := "p->o->" + w.tableMember(t)
		address := "&" + member + "[index]"
		if w.wide() {
			address = member + "[index].limb"
		}
		fmt.Fprintf(&b, `/* An entry of table %s, zero where there is none. */
static const uint64_t *entry_of_%s(struct print *p, uint64_t index)
{
	static const uint64_t zero[%d] = {0};
	if (index < %s_count)
		return %s;
	no_entry(p, %s, index, %s_count);
	return zero;
}

`, gen.Comment(t.Name), name, w.p.Limbs, member, address, quote(t.Name), member)
	}
	for _, e := range w.p.Enums {
		if strings.Contains(code, "text_of_"+e.Name+"(") {
			b.WriteString(w.enumText(e))
		}
	}
	return b.String()
}

// enumText writes the function that prints a value of an enum: a table where the values lie close together, else
// a switch.
func (w *writer) enumText(e *gen.Enum) string {
	var b strings.Builder
	fmt.Fprintf(&b, "/* %s, %s */\nstatic void text_of_%s(struct print *p, uint64_t v)\n{\n", gen.Comment(e.Spec.Name), gen.Line(e.Spec.Span), e.Name)
	b.WriteString("\tswitch (v) {\n")
	for _, t := range e.Texts {
		fmt.Fprintf(&b, "\tcase %s:\n", constant(t.Val))
		f := &body{w: w, depth: 2}
		f.text(t.Text)
		b.WriteString(f.b.String())
		b.WriteString("\t\tbreak;\n")
	}
	b.WriteString("\tdefault:\n\t\tput_uint(p, v & UINT64_C(0xffffffff));\n\t\tbreak;\n\t}\n}\n\n")
	return b.String()
}
