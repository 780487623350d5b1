package python

import (
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
)

// code writes the module with the functions that find, print and describe leaves.
func (w *writer) code() {
	used := w.reached()
	var funcs strings.Builder
	for f := range gen.Until(w.ctx, w.p.Funcs) {
		if !used[f] {
			continue
		}
		name := w.funcs[f]
		b := w.body()
		head := "p, s"
		switch f.Kind {
		case gen.Eval:
			b.eval(f.Eval)
		case gen.Match:
			b.line("return walk(_TREE%s, p, s)", name)
			w.tree(name, f.Tree, f.Root)
		case gen.Enter:
			head = "p, up, w, field"
			w.enter(b, f)
		default:
			b.stmts(f.Body)
		}
		if b.b.Len() == 0 {
			b.line("pass")
		}
		fmt.Fprintf(&funcs, "\n\ndef %s(%s):\n    %s\n%s", name, head, doc(f.Doc), b.b.String())
	}
	var roots strings.Builder
	for _, r := range w.p.MainFirst() {
		w.root(&roots, r)
	}

	w.f("\"\"\"The functions that find, print and describe instructions and their parts.\"\"\"\n\nfrom ._model import *\nfrom ._runtime import *\n")
	for _, r := range w.p.MainFirst() {
		w.f("\nLEAVES_%s = (\n    Leaf(\"?\", \"?\", \"?\", 0, 0),\n", w.roots[r])
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.f("    Leaf(%s, %s, %s, %d, %s),\n", quote(l.Spec.Name), quote(l.Found), quote(l.Display), l.Size, integer(l.DontCare))
		}
		w.f(")\n")
	}
	for _, e := range w.p.Enums {
		w.f("\n_TEXTS_%s = {\n", w.enums[e])
		for _, t := range e.Texts {
			w.f("    %s: %s,\n", constant(t.Val), quote(t.Text))
		}
		w.f("}\n")
	}
	w.f("%s%s\n%s%s", w.outlined.String(), funcs.String(), w.trees.String(), roots.String())
}

// reached finds the functions that the package needs.
func (w *writer) reached() map[*gen.Func]bool {
	r := gen.NewReached(false)
	for _, root := range w.p.Roots {
		for _, d := range root.Decoders {
			for _, f := range []*gen.Func{d.Match, d.Show, d.Collect} {
				if f == nil {
					continue
				}
				if f == d.Match {
					r.Func(f)
				}
				for _, x := range f.Shows {
					r.Func(x)
				}
			}
			for _, list := range d.Checks {
				r.Stmts(list)
			}
		}
		for l := range gen.Until(w.ctx, root.Leaves) {
			for _, c := range l.Layout.Cases {
				r.Expr(c.Cond)
			}
		}
	}
	return r.Used
}

// enter finds the leaf of a nested value and prints it.
func (w *writer) enter(b *body, f *gen.Func) {
	if len(f.Root.Leaves) == 0 {
		if w.p.Deep {
			b.line("if p.too_deep(up, field):")
			b.block(func() { b.line("return") })
		}
		b.line("p.no_operand(up, field, w)")
		return
	}
	b.line("enter(p, up, w, field, %s, LEAVES_%s, _SHOWS%s)", w.funcs[f.Match], w.roots[f.Root], w.funcs[f])
	w.shows(&w.trees, "_SHOWS"+w.funcs[f], f)
}

// shows writes the functions of the leaves, by their numbers.
func (w *writer) shows(to *strings.Builder, name string, f *gen.Func) {
	fmt.Fprintf(to, "\n%s = (\n", name)
	w.wrap(to, "    ", w.showList(f))
	fmt.Fprintf(to, ")\n")
}

func (w *writer) showList(f *gen.Func) string {
	list := []string{"None"}
	for _, show := range f.Shows {
		if show == nil {
			list = append(list, "None")
		} else {
			list = append(list, w.funcs[show])
		}
	}
	return strings.Join(list, ", ") + ","
}

// root writes a tree of encodings, with its functions in each range of generations.
func (w *writer) root(b *strings.Builder, r *gen.Root) {
	name := w.roots[r]
	var classes []string
	for c, d := range r.Decoders {
		if len(r.Leaves) == 0 {
			break
		}
		show, collect := "()", "()"
		if d.Show != nil {
			show = w.unique("_PRINT_" + name)
			w.shows(b, show, d.Show)
		}
		if d.Collect != nil {
			collect = w.unique("_OPERANDS_" + name)
			w.shows(b, collect, d.Collect)
		}
		var checks []string
		for i, list := range d.Checks {
			if len(list) == 0 {
				continue
			}
			f := w.body()
			f.stmts(list)
			check := w.unique("_check_" + name)
			fmt.Fprintf(b, "\n\ndef %s(p, s):\n%s", check, f.b.String())
			checks = append(checks, fmt.Sprintf("%d: %s", number(i), check))
		}
		classes = append(classes, fmt.Sprintf("(%d, %s, %s, {%s}, %s)", w.p.Classes[c].Max, w.funcs[d.Match], show, strings.Join(checks, ", "), collect))
	}
	fmt.Fprintf(b, "\nROOT_%s = Root(%s, %s, LEAVES_%s, %d, %d, (\n", name, quote(r.Spec.Name), w.op(r), name, w.p.Digits(r), r.Stored)
	for _, c := range classes {
		fmt.Fprintf(b, "    %s,\n", c)
	}
	fmt.Fprintf(b, "))\n")
}

// fields writes a class for the fields of each leaf.
func (w *writer) fields() {
	w.f("\"\"\"The fields of each instruction.\"\"\"\n\nfrom . import _code\nfrom ._model import *\nfrom ._runtime import Fields\n")
	for _, r := range w.p.MainFirst() {
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.fieldsOf(r, l)
		}
		w.f("\n\n_code.ROOT_%s.fields = (None, %s)\n", w.roots[r], strings.Join(w.classList(r), ", "))
	}
}

func (w *writer) classList(r *gen.Root) (list []string) {
	for _, l := range r.Leaves {
		list = append(list, w.classes[l])
	}
	return list
}

func (w *writer) fieldsOf(r *gen.Root, l *gen.Leaf) {
	text := fmt.Sprintf("The fields of %s, %s.", l.Spec.Name, l.Line)
	if l.Doc != "" {
		text += " " + l.Doc
	}
	w.f("\n\nclass %s(Fields):\n    %s\n\n", w.classes[l], doc(text))
	members := gen.NewNames("rest", "pack", "unpack", "mro")
	names, index := map[*gen.Field]string{}, map[*gen.Field]int{}
	var slots, layout []string
	for i, f := range l.Layout.Fields {
		names[f], index[f] = members.Unique(attribute(f.Name), ""), i
		slots = append(slots, quote(names[f]))
		var parts []string
		for _, p := range f.Parts {
			parts = append(parts, fmt.Sprintf("(%d, %d)", p.Low, p.Width))
		}
		kind, annotation := "int", "int"
		switch {
		case f.Width > 64:
		case f.Bool:
			kind, annotation = "bool", "bool"
		case f.Signed:
			kind = `"signed"`
		case f.Enum != nil && len(f.Enum.Values) > 0:
			kind, annotation = w.enums[f.Enum], w.enums[f.Enum]
		}
		w.f("    %s: %q  # %s\n", names[f], annotation, w.describe(f))
		layout = append(layout, fmt.Sprintf("(%s, %s, (%s,), %s)", quote(names[f]), quote(f.Spec.Name), strings.Join(parts, ", "), kind))
	}
	w.f("    __slots__ = (%s)\n    _root = _code.ROOT_%s\n    _leaf = %d\n    _match = %s\n", list(slots), w.roots[r], number(l.ID), integer(l.Match))
	if len(layout) > 0 {
		w.f("    _layout = (\n")
		for _, x := range layout {
			w.f("        %s,\n", x)
		}
		w.f("    )\n")
	}
	if !l.Layout.Rest.IsZero() {
		w.f("    _rest = %s\n    _expected = %s\n", integer(l.Layout.Rest), integer(l.Layout.Expected))
	}
	numbers := func(fields []*gen.Field) (s []string) {
		for _, f := range fields {
			s = append(s, fmt.Sprint(index[f]))
		}
		return s
	}
	first, _ := l.Default()
	w.f("    _first = (%s)\n", list(numbers(first)))
	varies := false
	if len(l.Layout.Cases) > 0 {
		w.f("    _cases = (\n")
		for i := range l.Layout.Cases {
			c := &l.Layout.Cases[i]
			varies = varies || !c.Rest.IsZero() || !c.Covers.IsZero()
			w.f("        ((%s), _code.%s, %s, %s, %s),\n", list(numbers(c.Fields)), w.condition(c.Cond), integer(c.Rest), integer(c.Expected), integer(c.Covers))
		}
		w.f("    )\n")
	}
	if varies {
		w.f("    _varies = True\n")
	}
}

// condition writes the condition of an override as a function.
func (w *writer) condition(x *gen.Expr) string {
	f := w.body()
	text := f.cond(x)
	name := w.unique("_case")
	fmt.Fprintf(&w.outlined, "\n\ndef %s(p, s):\n    return %s\n", name, text)
	return name
}

func list(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return strings.Join(items, ", ") + ","
}

// describe says where a field is and what is in it.
func (w *writer) describe(f *gen.Field) string {
	text := "bits"
	for i, p := range f.Parts {
		if i > 0 {
			text += ","
		}
		if p.Width == 1 {
			text += fmt.Sprintf(" %d", p.Low)
		} else {
			text += fmt.Sprintf(" %d..%d", p.Low, p.Low+p.Width-1)
		}
	}
	switch {
	case f.Root != nil && f.Spec.Table != nil:
		text += ", an index of table " + gen.Comment(f.Spec.Table.Name)
	case f.Root != nil:
		text += ", for decode" + w.suffix(f.Root)
	}
	if f.Where != "" {
		text += ", where " + gen.Comment(f.Where)
	}
	if f.Spec.Doc != "" {
		text += ": " + gen.Comment(f.Spec.Doc)
	}
	return text
}

// model writes the enums of the description and the options.
func (w *writer) model() {
	w.f("\"\"\"Names of the description, and the options of decoding and printing.\"\"\"\n\nfrom enum import IntEnum, IntFlag\n")
	for _, r := range w.p.MainFirst() {
		what := "instructions"
		if r != w.p.Main {
			what = "forms of " + strings.TrimPrefix(r.Spec.Name, "#")
		}
		w.f("\n\nclass %s(IntEnum):\n    %s\n\n    NONE = 0  # an unknown word\n", w.op(r), doc("The "+what+" of the description."))
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.f("    %s = %d  # %s, %s\n", w.ops[l], number(l.ID), gen.Comment(l.Display), l.Line)
		}
	}
	for _, e := range w.p.Enums {
		w.f("\n\nclass %s(IntEnum):\n    %s\n\n", w.enums[e], doc(e.Spec.Name+", "+gen.Line(e.Spec.Span)+"."))
		members := gen.NewNames("MRO")
		for _, v := range e.Values {
			w.f("    %s = %s\n", members.Unique(member(v.Name), ""), constant(v.Val))
		}
		if len(e.Values) == 0 {
			w.f("    pass\n")
		}
	}
	numbered := func(class, base, text string, names, docs []string, value func(int) string) {
		w.f("\n\nclass %s(%s):\n    %s\n\n", class, base, doc(text))
		members := gen.NewNames("MRO")
		for i, n := range names {
			d := docs[i]
			if d == "" {
				d = n
			}
			w.f("    %s = %s  # %s\n", members.Unique(member(n), ""), value(i), gen.Comment(d))
		}
		if len(names) == 0 {
			w.f("    pass\n")
		}
	}
	var names, docs []string
	for _, f := range w.p.Files {
		names, docs = append(names, f.Name), append(docs, f.Doc)
	}
	numbered("File", "IntEnum", "The register files, and the views on them.", names, docs, func(i int) string { return fmt.Sprint(i) })
	names, docs = nil, nil
	for _, m := range w.p.ISA.Memories {
		names, docs = append(names, m.Name), append(docs, m.Doc)
	}
	numbered("Memory", "IntEnum", "The memories.", names, docs, func(i int) string { return fmt.Sprint(i) })
	numbered("Modifier", "IntFlag", "The changes of an operand's value, a bit each.", w.p.ISA.Modifiers, make([]string, len(w.p.ISA.Modifiers)), func(i int) string { return fmt.Sprintf("1 << %d", i) })
	w.options()
}

func (w *writer) options() {
	var slots, params, sets, docs []string
	add := func(name, value, text string) {
		slots = append(slots, quote(name))
		params = append(params, name+"="+value)
		sets = append(sets, name)
		if text != "" {
			docs = append(docs, name+": "+text)
		}
	}
	for _, c := range w.p.Contexts {
		value := constant(c.Default)
		if e := w.contextEnum(c); e != "" {
			for _, x := range w.p.Enums {
				if w.enums[x] == e {
					members := gen.NewNames("MRO")
					for _, v := range x.Values {
						if name := members.Unique(member(v.Name), ""); v.Val == c.Default && value == constant(c.Default) {
							value = e + "." + name
						}
					}
				}
			}
		}
		add(w.contexts[c], value, gen.Comment(c.Doc))
	}
	for _, t := range w.p.Tables {
		add(w.tables[t], "()", "the entries of table "+gen.Comment(t.Name)+", a list of numbers")
	}
	add("gen", "0", "the generation, isaspec's gpu_id")
	add("address", "0", "the address of the word in bits; relative targets count from it")
	add("lines", "False", "print line breaks as such, with indent after each")
	add("remarks", "False", "print remarks as comments")
	add("indent", `""`, "")
	add("label", "None", "label(address, call) returns the name of a branch target, an address in bits, or None")
	add("symbol", "None", "symbol(space, value) returns the name that the program has for a value, or None")
	add("custom", "None", "custom(field, value) returns the text of a field of type custom")
	add("field", "None", "field(name, value) is called before each field is printed")
	w.f("\n\nclass Options:\n    \"\"\"How words are decoded and printed.\n\n")
	for _, d := range docs {
		w.f("    %s\n", strings.ReplaceAll(strings.ReplaceAll(d, `\`, "."), `"`, "'"))
	}
	w.f("    \"\"\"\n\n    __slots__ = (")
	w.f("%s)\n\n    def __init__(self, *, %s):\n", list(slots), strings.Join(params, ", "))
	for _, s := range sets {
		w.f("        self.%s = %s\n", s, s)
	}
	w.f("\n    def copy(self):\n        \"\"\"Return options with the same values.\"\"\"\n        o = Options()\n        for name in self.__slots__:\n            setattr(o, name, getattr(self, name))\n        return o\n")
}

// api writes the module that exports the others.
func (w *writer) api() {
	title := gen.Comment(w.p.Title)
	text := "Decodes, prints and encodes the instructions of " + strings.ReplaceAll(strings.ReplaceAll(title, `\`, "."), `"`, "'") + "."
	w.f("\"\"\"%s\n", text)
	if w.p.Main != nil {
		w.f("\n    inst = decode(word)\n    print(inst, inst.op)\n    fields = inst.fields()\n    word = fields.pack()\n    for line in disasm(code):\n        print(line)\n")
	}
	w.f("\"\"\"\n\n")
	exports := []string{"Options"}
	from := func(module string, names ...string) {
		w.f("from .%s import (\n", module)
		w.wrap(&w.b, "    ", strings.Join(names, ", ")+",")
		w.f(")\n")
		exports = append(exports, names...)
	}
	models := []string{"File"}
	for _, r := range w.p.MainFirst() {
		models = append(models, w.op(r))
	}
	for _, e := range w.p.Enums {
		models = append(models, w.enums[e])
	}
	models = append(models, "Memory", "Modifier")
	w.f("from ._model import Options\n")
	from("_model", models...)
	runtime := []string{"Arg", "FieldError", "Fields", "Finding", "FindingKind", "Instruction", "ShortCodeError", "UnknownWordError"}
	if !w.p.Mesa {
		runtime = append(runtime, "Operand", "OperandKind", "Reg", "Role", "Type", "TypeKind")
	}
	from("_runtime", runtime...)
	var roots, classes []string
	for _, r := range w.p.MainFirst() {
		roots = append(roots, "ROOT_"+w.roots[r])
		classes = append(classes, w.classList(r)...)
	}
	if len(roots) > 0 {
		w.f("from ._code import %s\n", strings.Join(roots, ", "))
	}
	if len(classes) > 0 {
		from("_fields", classes...)
	}
	if w.p.Main != nil {
		from("_listing", "Line", "Listing", "decode_bytes", "disasm")
	}
	for _, r := range w.p.MainFirst() {
		suffix := w.suffix(r)
		w.f(`

def find%[1]s(word, options=None):
    """Find the leaf of %[2]s that matches a word. Return an Instruction, or None, and the list of findings."""
    o = options or Options()
    leaf, found = ROOT_%[3]s.find(word, o)
    return (Instruction(ROOT_%[3]s, leaf, word, o) if leaf else None), found


def decode%[1]s(word, options=None):
    """Decode a word of %[2]s. Bits beyond its length are ignored. UnknownWordError is raised if no leaf matches."""
    inst, found = find%[1]s(word, options)
    if inst is None:
        raise UnknownWordError(word, found)
    return inst
`, suffix, strings.ReplaceAll(strings.ReplaceAll(gen.Comment(r.Spec.Name), `\`, "."), `"`, "'"), w.roots[r])
		exports = append(exports, "find"+suffix, "decode"+suffix)
	}
	w.f("\n\n__all__ = [\n")
	for _, x := range exports {
		w.f("    %s,\n", quote(x))
	}
	w.f("]\n")
}
