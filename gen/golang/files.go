package golang

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// The texts that packages have beside what is made of a description.
var (
	//go:embed api.txt
	apiText string
	//go:embed runtime.txt
	runtimeText string
)

// fill replaces the placeholders of a text.
func (w *writer) fill(text string) string {
	word, limbs, back := "uint64", "limbs{uint64(w)}", "Word(v[0])"
	if w.wide() {
		word, limbs, back = fmt.Sprintf("[%d]uint64", w.p.Limbs), "limbs(w)", "Word(v)"
	}
	place, whole := "at", ""
	if w.p.Main != nil && w.p.Main.Swapped { // in each word of 32 bits, the high half comes first
		place, whole = "at ^ 16", "\n\thave -= have % unit // a part of a word may lack its low bits"
	}
	return strings.NewReplacer("STOREDAT", place, "WHOLEWORDS", whole, "LIMBS", fmt.Sprint(w.p.Limbs), "WORDTYPE", word, "TOLIMBS", limbs, "TOWORD", back,
		"TOLD", fmt.Sprint(w.p.Told), "KNOWN", fmt.Sprint(w.p.Known)).Replace(w.p.Choose(text))
}

// api writes the file with the exported types and options.
func (w *writer) api() {
	w.nameFuncs()
	w.f("%s", w.fill(apiText))
	for _, r := range w.p.MainFirst() {
		w.ofRoot(r)
	}
	for _, e := range w.p.Enums {
		w.enum(e)
	}
	w.registerFiles()
	w.options()
}

// ofRoot declares the leaves of a root and what a decoded word is.
func (w *writer) ofRoot(r *gen.Root) {
	op, inst := w.of("Op", r), w.of("Inst", r)
	what, article := "instruction", "an"
	if r != w.p.Main {
		what, article = "form of "+gen.Comment(strings.TrimPrefix(r.Spec.Name, "#")), "a"
	}
	w.f("\n// %s is %s %s, by its number.\ntype %s uint16\n\n", op, article, what, op)
	w.f("// The leaves of %s.\nconst (\n\t%sNone %s = iota // of an unknown word\n", gen.Comment(r.Spec.Name), op, op)
	for l := range gen.Until(w.ctx, r.Leaves) {
		w.f("\t%s // %s, %s\n", w.ops[l], gen.Comment(l.Display), l.Line)
	}
	w.f(")\n")
	w.f("\n// String returns the name in the description.\nfunc (op %s) String() string {\n", op)
	w.f("\tif int(op) < len(leaves%s) {\n\t\treturn leaves%s[op].own\n\t}\n\treturn \"?\"\n}\n", camel(r.Name), camel(r.Name))
	w.f("\n// %s is a decoded %s.\ntype %s struct {\n\tOp %s\n\t// Size is the length in bits.\n\tSize int\n\tBits Word\n}\n", inst, what, inst, op)
}

// enum declares an enum of the description.
func (w *writer) enum(e *gen.Enum) {
	name := w.enums[e]
	w.f("\n// %s is %s, %s.\ntype %s uint64\n\n", name, gen.Comment(e.Spec.Name), gen.Line(e.Spec.Span), name)
	if len(e.Values) > 0 {
		w.f("// The values of %s.\nconst (\n", name)
		for _, v := range e.Values {
			w.f("\t%s %s = %s\n", w.names.Unique(name+camel(strings.ToLower(v.Name)), ""), name, constant(v.Val))
		}
		w.f(")\n\n")
	}
	w.f("// String returns the text of the value, or its number if it has none.\nfunc (v %s) String() string {\n\tswitch v {\n", name)
	for _, t := range e.Texts {
		w.f("\tcase %s:\n\t\treturn %q\n", constant(t.Val), t.Text)
	}
	w.f("\t}\n\treturn strconv.FormatUint(uint64(v)&0xffffffff, 10)\n}\n")
}

func (w *writer) options() {
	if len(w.p.Contexts) > 0 {
		w.f("\n// Context has the values that change how words are read, but are not in the words.\ntype Context struct {\n")
		for _, c := range w.p.Contexts {
			w.f("\t%s %s // %s\n", w.contexts[c], w.contextType(c), gen.Comment(c.Doc))
		}
		w.f("}\n")
	}
	w.f("\n// Options select how words are read and printed. Defaults returns those of the description. The functions may be nil.\ntype Options struct {\n")
	if w.hasGen() {
		w.f("\t// Gen is the generation, isaspec's gpu_id.\n\tGen uint32\n")
	}
	if len(w.p.Contexts) > 0 {
		w.f("\tContext Context\n")
	}
	for _, t := range w.p.Tables {
		w.f("\t// %s are the entries of table %s.\n\t%s []Word\n", w.tables[t], gen.Comment(t.Name), w.tables[t])
	}
	w.f(`	// Addr is the address of the word in bits; relative targets count from it.
	Addr int64
	// Lines prints line breaks as such, with Indent after each; Remarks prints remarks as comments.
	Lines, Remarks bool
	Indent         string
	// Label returns the name of a branch target, an address in bits. If ok is false, the number is printed.
	Label func(addr int64, call bool) (name string, ok bool)
	// Symbol returns the program's name for a value. If ok is false, the value is printed.
	Symbol func(space string, value uint64) (name string, ok bool)
	// Custom prints a field of type custom.
	Custom func(dst []byte, field string, value uint64) []byte
	// Field is called before each field is printed, NAME included, with the low 64 bits of its value.
	Field func(name string, value uint64)
}

// Defaults returns the default options.
func Defaults() *Options {
	return &Options{`)
	if len(w.p.Contexts) > 0 {
		w.f("Context: Context{")
		for _, c := range w.p.Contexts {
			w.f("%s: %s, ", w.contexts[c], constant(c.Default))
		}
		w.f("}")
	}
	w.f("}\n}\n")
}

func (w *writer) contextType(c *spec.Context) string {
	for _, e := range w.p.Enums {
		if c.Enum == e.Spec {
			return w.enums[e]
		}
	}
	return "uint64"
}

// decode writes the functions that find leaves.
func (w *writer) decode() {
	if w.p.Main != nil {
		w.f("%s", decodeText(w.p.Main))
	}
	for _, r := range w.p.MainFirst() {
		inst, name := w.of("Inst", r), w.of("Decode", r)
		w.f("\n// %s finds the leaf of %s that matches a word, and ignores bits beyond its length. ok is false if there is none.\n", name, gen.Comment(r.Spec.Name))
		w.f("func (o *Options) %s(w Word) (in %s, ok bool) {\n\tin, _, ok = o.%s(w)\n\treturn in, ok\n}\n", name, inst, w.finder(r))
		w.f("\n// %s is %s that also returns the findings of the word.\n", w.finder(r), name)
		w.f("func (o *Options) %s(w Word) (in %s, found []Finding, ok bool) {\n", w.finder(r), inst)
		if len(r.Leaves) == 0 {
			w.f("\treturn in, nil, false\n}\n")
			continue
		}
		w.f("\tp := &printer{o: o, digits: %d, unit: %d}\n\ts := &scope{w: %s}\n", w.p.Digits(r), r.Stored, w.fill("TOLIMBS"))
		w.f("\tleaf := %s\n", w.perClass(func(c int) string { return fmt.Sprintf("p.%s(s)", w.funcs[r.Decoders[c].Match]) }))
		w.f("\tif leaf == noLeaf {\n\t\treturn in, p.found, false\n\t}\n\tinfo := &leaves%s[leaf]\n\tv := s.w.cut(info.size)\n\tp.ignored(info, v)\n", camel(r.Name))
		w.f("\treturn %s{%s(leaf), info.size, %s}, p.found, true\n}\n", inst, w.of("Op", r), w.fill("TOWORD"))
	}
	for _, r := range w.p.MainFirst() {
		w.f("\nvar leaves%s = [...]leaf{\n\tnoLeaf: {own: \"?\"},\n", camel(r.Name))
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.f("\t{%q, %q, %q, %d, %s},\n", l.Spec.Name, l.Found, l.Display, l.Size, w.limbs(l.DontCare))
		}
		w.f("}\n")
	}
	w.funcsOf(forDecoding)
	w.f("%s", w.declared.String())
}

// decodeText is the function that decodes the start of code. Where the first bits of an instruction are not in the first bytes,
// its length has to be known before.
func decodeText(r *gen.Root) string {
	const head = `
// Decode decodes the instruction that code starts with, as programs store it, with default options. The error is
// ErrShort or ErrUnknown.
func Decode(code []byte) (Inst, error) {
`
	if !r.HighFirst {
		return head + fmt.Sprintf(`	w, have := load(code, %[1]s, %[2]d, false)
	if in, ok := Defaults().Decode(w); ok && in.Size <= have {
		return in, nil
	}
	if have < %[1]s {
		return Inst{}, ErrShort
	}
	return Inst{}, ErrUnknown
}
`, r.Lengths(), r.Unit)
	}
	return head + fmt.Sprintf(`	o := Defaults()
	short := true
	for _, size := range []int{%s} {
		w, have := load(code, size, %d, true)
		in, ok := o.Decode(w)
		if ok && in.Size <= have && in.Size == size {
			return in, nil
		}
		short = short && have < size
	}
	if short {
		return Inst{}, ErrShort
	}
	return Inst{}, ErrUnknown
}
`, r.Lengths(), r.Unit)
}

// finder is the function that decodes a word of a root and tells what is found.
func (w *writer) finder(r *gen.Root) string {
	if r == w.p.Main {
		return "Find"
	}
	return "Find" + camel(r.Name)
}

// perClass writes a call for each class of generations.
func (w *writer) perClass(write func(class int) string) string {
	n := len(w.p.Classes)
	var b strings.Builder
	last := write(n - 1)
	for c := range n - 1 {
		if text := write(c); text != write(c+1) {
			fmt.Fprintf(&b, "if o.Gen <= %d {\nreturn %s\n}\n", w.p.Classes[c].Max, text)
		}
	}
	if b.Len() == 0 {
		return last
	}
	return "func() int {\n" + b.String() + "return " + last + "\n}()"
}

// printing writes what prints instructions.
func (w *writer) printing() {
	for _, r := range w.p.MainFirst() {
		if r.Top {
			w.print(r)
		}
	}
	w.funcsOf(forPrinting)
	code := w.b.String()
	var b strings.Builder
	for _, p := range gen.Needed(gen.Pieces(runtimeText), "always", w.written, code) {
		b.WriteString(w.fill(p.Text))
	}
	w.b.Reset()
	w.f("%s%s", b.String(), code)
}

// print writes the methods of a root's instructions.
func (w *writer) print(r *gen.Root) {
	inst, finder := w.of("Inst", r), w.finder(r)
	w.f(`
// String returns the text of the instruction, with default options.
func (in %[1]s) String() string {
	text, _ := in.Print(Defaults())
	return text
}

// Print returns the text of the instruction and what is odd about its word.
func (in %[1]s) Print(o *Options) (text string, found []Finding) {
	p := in.print(nil, o)
	return string(p.out), p.found
}

// Append appends the text of the instruction to dst.
func (in %[1]s) Append(dst []byte, o *Options) []byte { return in.print(dst, o).out }

// Args returns the operands that the text of the instruction shows, in its order.
func (in %[1]s) Args(o *Options) []Arg {
	p := &printer{o: o, record: true}
	in.printWith(p)
	var list []Arg
	for _, a := range p.args {
		if a.Text = string(p.out[a.Start:a.End]); a.Text != "" {
			list = append(list, a)
		}
	}
	return list
}

func (in %[1]s) print(dst []byte, o *Options) *printer {
	_, found, _ := o.%[2]s(in.Bits)
	p := &printer{o: o, out: dst, start: len(dst), found: found}
	in.printWith(p)
	return p
}

func (in %[1]s) printWith(p *printer) {
	if int(in.Op) >= len(leaves%[3]s) {
		return
	}
	p.digits, p.unit = %[4]d, %[5]d
	w := in.Bits
	s := &scope{w: %[6]s, leaf: &leaves%[3]s[in.Op]}
`, inst, finder, camel(r.Name), w.p.Digits(r), r.Stored, w.fill("TOLIMBS"))
	if len(r.Leaves) == 0 {
		w.f("\t_ = s\n}\n")
		return
	}
	b := &body{w: w}
	w.eachClass(b, func(c int) {
		w.checks(b, r.Decoders[c].Checks)
		b.dispatch(r.Decoders[c].Show, "in.Op")
	})
	w.f("%s}\n", b.b.String())
}

// eachClass does, in each class of generations, something that leaves a switch open.
func (w *writer) eachClass(b *body, do func(class int)) {
	for c := range w.p.Classes {
		switch {
		case len(w.p.Classes) == 1:
			do(c)
		case c == 0:
			b.line("switch {\ncase p.o.Gen <= %d:", w.p.Classes[c].Max)
			do(c)
		case c+1 < len(w.p.Classes):
			b.line("case p.o.Gen <= %d:", w.p.Classes[c].Max)
			do(c)
		default:
			b.line("default:")
			do(c)
			b.line("}")
		}
		b.line("}")
	}
}

// checks writes what is looked at before a leaf is printed.
func (w *writer) checks(b *body, checks [][]gen.Stmt) {
	first := true
	for i, x := range checks {
		if len(x) == 0 {
			continue
		}
		if first {
			b.line("switch in.Op {")
			first = false
		}
		b.line("case %d:", number(i))
		b.stmts(x)
	}
	if !first {
		b.line("}")
	}
}
