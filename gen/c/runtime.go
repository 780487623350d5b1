package c

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
)

// runtimeText has the pieces of code that generated sources need in addition to their own functions.
//
//go:embed runtime.txt
var runtimeText string

// runtime returns the pieces that some code needs.
func (w *writer) runtime(code, always string, more ...string) string {
	early, late := w.constants(code), w.tables(code)
	var b strings.Builder
	for _, p := range gen.Needed(gen.Pieces(runtimeText), always, code, late) {
		b.WriteString(w.fill(w.p.Choose(p.Text, more...), "DEFAULTS", w.defaults()))
		if p.Mark() == "first" {
			b.WriteString(early)
		}
	}
	b.WriteString(late)
	return b.String()
}

// constants writes the data that needs no functions: words, lengths, names.
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
			for l := range gen.Until(w.ctx, r.Leaves) {
				fmt.Fprintf(&b, "%d, ", l.Size)
			}
			b.WriteString("0};\n\n")
		}
		if strings.Contains(code, "leaves_"+r.Name+"[") {
			fmt.Fprintf(&b, "static const struct leaf leaves_%s[%d] = {\n", r.Name, len(r.Leaves))
			for l := range gen.Until(w.ctx, r.Leaves) {
				shown := l.Display
				if w.p.Mesa {
					shown = l.Found
				}
				var masks []string
				for i := range w.p.Limbs {
					masks = append(masks, constant(l.DontCare[i]))
				}
				fmt.Fprintf(&b, "\t{%s, %s, %d, {%s}},\n", quote(l.Found), pad(shown), len(shown), strings.Join(masks, ", "))
			}
			b.WriteString("};\n\n")
		}
	}
	return b.String()
}

// tables writes the functions that read table entries and print values of enums.
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
		fmt.Fprintf(&b, `/* An entry of table %s, zero if it is missing. */
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
	for _, t := range w.texts {
		b.WriteString(w.enumText(t))
	}
	return b.String()
}

// enumText is a function that prints the values of an enum, with something around them.
type enumText struct {
	enum          *gen.Enum
	before, after string
	name          string
}

// textOf returns the name of the function that prints a value of an enum, with before and after around a text that is
// not empty.
func (w *writer) textOf(e *gen.Enum, before, after string) string {
	same := 0
	for _, t := range w.texts {
		if t.enum != e {
			continue
		}
		if t.before == before && t.after == after {
			return t.name
		}
		same++
	}
	name := "text_of_" + e.Name
	if same > 0 {
		name = fmt.Sprintf("text%d_of_%s", same+1, e.Name)
	}
	w.texts = append(w.texts, enumText{e, before, after, name})
	return name
}

// enumText writes the function: a table where the values lie close together, else a switch.
func (w *writer) enumText(t enumText) string {
	f := &body{w: w}
	f.line("/* %s, %s */\nstatic void %s(struct print *p, uint64_t v)\n{", gen.Comment(t.enum.Spec.Name), gen.Line(t.enum.Spec.Span), t.name)
	f.depth++
	texts := map[uint64]string{}
	most, longest := uint64(0), 0
	for _, x := range t.enum.Texts {
		text := x.Text
		if text != "" {
			text = t.before + text + t.after
		}
		if _, ok := texts[x.Val]; !ok {
			texts[x.Val] = text
		}
		most, longest = max(most, x.Val), max(longest, len(text))
	}
	if len(texts) > 0 && longest < padded && most < uint64(4*len(texts)+16) {
		f.line("static const struct text texts[] = {")
		for v := range most + 1 {
			text, ok := texts[v]
			length := fmt.Sprint(len(text))
			if !ok {
				length = "NO_TEXT"
			}
			f.line("\t{%s, %s},", quote(text), length)
		}
		f.line("};")
		f.line("if (v < %d && texts[v].length != NO_TEXT) {", most+1)
		f.line("\tput(p, texts[v].text, texts[v].length);")
		f.line("\treturn;")
		f.line("}")
	} else if len(texts) > 0 {
		f.line("switch (v) {")
		for _, x := range t.enum.Texts {
			f.line("case %s:", constant(x.Val))
			f.depth++
			f.text(texts[x.Val])
			f.line("return;")
			f.depth--
		}
		f.line("default:")
		f.line("\tbreak;")
		f.line("}")
	}
	f.text(t.before)
	f.line("put_uint(p, v & UINT64_C(0xffffffff));")
	f.text(t.after)
	return f.b.String() + "}\n\n"
}
