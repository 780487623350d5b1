package c

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/lazy"
	"github.com/isago/isago/internal/spec"
)

// encoders writes NAME_encode.h: what Mesa's generator makes of <encode>, by the same names. It is included by a
// program that has declared the types and functions that the fragments name.
func (w *writer) encoders() (files []File, warnings []string) {
	e := &encoder{w: w, params: gen.NewNames(), paramOf: map[string]string{}, functions: map[string]string{}}
	e.collect()
	if len(e.roots) == 0 {
		return nil, append(e.warnings(), "no root has an <encode> with a type: there is nothing to encode")
	}
	text := e.write()
	return []File{{Name: w.p.Name + "_encode.h", Text: []byte(text)}}, e.warnings()
}

type encoder struct {
	w     *writer
	roots []*gen.Root
	// paramOf are the members of struct bitset_params.
	params  *gen.Names
	paramOf map[string]string
	out     strings.Builder
	// functions are those of expressions and of nested fields, by what they do.
	functions map[string]string
	odd       []oddity
}

// oddity is what the user is to be told, and the leaves of which it is true.
type oddity struct {
	text   string
	leaves []string
}

// collect finds the roots that have encoders, those that others need first, and the names that are handed in.
func (e *encoder) collect() {
	for _, r := range e.w.p.Roots {
		if encodes(r.Spec) {
			e.roots = append(e.roots, r)
		} else if r.Spec.Encode != nil {
			e.note(gen.Line(r.Spec.Encode.Span), fmt.Sprintf("<encode> of %s has no type, so no encoder is written", gen.Comment(r.Spec.Name)), nil)
		}
	}
	for _, b := range e.w.p.ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				for _, p := range f.Params {
					if e.paramOf[p.As] == "" && p.As != "*" {
						e.paramOf[p.As] = Member(e.params.Unique(identifierOf(p.As), ""))
					}
				}
			}
		}
	}
}

// identifierOf keeps a name that is an identifier of C, since fragments may use it.
func identifierOf(name string) string {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return gen.Lower(name)
		}
	}
	return name
}

// cName is a name as Mesa's generators write it in C: #reg-gpr is __reg_gpr.
func cName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, strings.ToLower(strings.ReplaceAll(name, "#", "__")))
}

// caseName is the constant of a leaf: its name in capitals behind the prefix.
func caseName(prefix, name string) string {
	return strings.TrimFunc(prefix, notOfName) + strings.ToUpper(cName(strings.ReplaceAll(name, "#", "")))
}

// constType is the type of what is encoded, which encoders do not change.
func constType(x *spec.Encode) string {
	t := strings.Join(strings.Fields(x.Type), " ")
	if strings.HasPrefix(t, "const ") {
		return t
	}
	return "const " + t
}

// notOfName tells what no identifier has.
func notOfName(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
}

func (e *encoder) f(format string, args ...any) { fmt.Fprintf(&e.out, format, args...) }

// encodeText is what stands before the encoders.
//
//go:embed encode.txt
var encodeText string

func (e *encoder) write() string {
	members := ""
	for _, n := range slices.Sorted(maps.Values(e.paramOf)) {
		members += "\tint64_t " + n + ";\n"
	}
	if members == "" {
		members = "\tint64_t none;\n"
	}
	w := e.w
	e.f("%s", w.fill(w.p.Choose(encodeText), "ISA_GPU_ID", "ISA_GPU_ID", "TITLE", gen.Comment(w.p.Title), "PARAMS", members, "BITMASKWORDS", fmt.Sprint((w.p.Widest()+31)/32)))
	for _, c := range gen.Pieces(runtimeText) {
		switch c.Names[0] {
		case "i32", "u32", "divide", "modulo", "divide_i64", "modulo_i64", "divide_i32", "modulo_i32":
			e.f("%s", renamed(c.Text))
		}
	}
	for _, r := range e.roots {
		e.f("static inline bitmask_t encode%s%s;\n", cName(r.Spec.Name), parameters(constType(r.Spec.Encode)))
	}
	for _, r := range e.roots {
		e.root(r)
	}
	e.f("\n#endif\n")
	return e.out.String()
}

// renamed gives the helpers of expressions names that a program hardly has.
func renamed(text string) string {
	for _, name := range []string{"divide_i32", "modulo_i32", "divide_i64", "modulo_i64", "divide", "modulo", "i32", "u32"} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+name+"(", " encode_"+name+"("), "("+name+"(", "(encode_"+name+"(")
	}
	return text
}

// parameters are those of each function of a root, whose type of what is encoded is src.
func parameters(src string) string {
	if !strings.HasSuffix(src, "*") {
		src += " "
	}
	return "(struct encode_state *s, const struct bitset_params *p, " + src + "src)"
}

// root writes the encoder of a root.
func (e *encoder) root(r *gen.Root) {
	x := r.Spec.Encode
	for _, l := range r.Leaves {
		e.leaf(l, x)
	}
	e.f("\n/* %s, %s */\nstatic inline bitmask_t encode%s%s\n{\n",
		gen.Comment(r.Spec.Name), gen.Line(x.Span), cName(r.Spec.Name), parameters(constType(x)))
	whole := false
	if x.Cases {
		e.cases(r, x)
	} else {
		whole = e.byGeneration("\t", r.Leaves)
		if whole && len(r.Leaves) > 1 && r.Leaves[0].Spec.Name != r.Leaves[len(r.Leaves)-1].Spec.Name {
			e.note(gen.Line(x.Span), fmt.Sprintf("<encode> of %s has no case-prefix to choose by, and encodes only %s of %d leaves", gen.Comment(r.Spec.Name),
				gen.Comment(r.Leaves[0].Spec.Name), len(r.Leaves)), nil)
		}
	}
	if !whole {
		e.f("\t(void)s;\n\t(void)p;\n\t(void)src;\n\t%s_ASSERT(false); /* no leaf has this case */\n", e.w.upper)
		e.f("\t{\n\t\tconst bitmask_t none = %s;\n\t\treturn none;\n\t}\n", e.w.initial(gen.Bits{}))
	}
	e.f("}\n")
}

// cases chooses the leaf by the program's own function.
func (e *encoder) cases(r *gen.Root, x *spec.Encode) {
	e.f("\tswitch (%s_case(s, src)) {\n", cName(r.Spec.Name))
	var names []string
	leaves := map[string][]*gen.Leaf{}
	for _, l := range r.Leaves {
		name := caseName(x.CasePrefix, l.Spec.Name)
		if leaves[name] == nil {
			names = append(names, name)
		} else if first := leaves[name][0]; first.Spec.Name != l.Spec.Name {
			e.note(l.Line, fmt.Sprintf("%s has the constant %s of %s, so it is not encoded", gen.Comment(l.Spec.Name), name, gen.Comment(first.Spec.Name)), nil)
			continue
		}
		leaves[name] = append(leaves[name], l)
	}
	for _, name := range names {
		e.f("\tcase %s:\n", name)
		if !e.byGeneration("\t\t", leaves[name]) {
			e.f("\t\tbreak;\n")
		}
	}
	e.f("\tdefault:\n\t\tbreak;\n\t}\n")
}

// byGeneration encodes the first leaf that exists in the generation, and reports whether there is one in each.
func (e *encoder) byGeneration(indent string, leaves []*gen.Leaf) bool {
	for _, l := range leaves {
		test := genTest(l.Spec)
		if test == "" {
			e.f("%sreturn %s(s, p, src);\n", indent, e.leafName(l))
			return true
		}
		e.f("%sif (%s)\n%s\treturn %s(s, p, src);\n", indent, test, indent, e.leafName(l))
	}
	return false
}

// genTest reports whether a bitset exists in a generation; it says nothing that compilers know.
func genTest(b *spec.Bitset) string {
	var list []string
	if b.Min > 0 {
		list = append(list, fmt.Sprintf("s->gen >= %d", b.Min))
	}
	if b.Max != ^uint32(0) {
		list = append(list, fmt.Sprintf("s->gen <= %d", b.Max))
	}
	return strings.Join(list, " && ")
}

func (e *encoder) leafName(l *gen.Leaf) string {
	return "encode_leaf_" + strings.TrimPrefix(e.w.structs[l], e.w.lower+"_")
}

// initial is a word, as the value of a variable that is declared.
func (w *writer) initial(v gen.Bits) string {
	if !w.wide() {
		return constant(v[0])
	}
	var list []string
	for i := range w.p.Limbs {
		list = append(list, constant(v[i]))
	}
	return "{{" + strings.Join(list, ", ") + "}}"
}

// leaf writes the encoder of a leaf: a display after the other, the first whose condition holds.
func (e *encoder) leaf(l *gen.Leaf, x *spec.Encode) {
	k := &coding{e: e, l: l, src: constType(x)}
	b := &body{w: e.w, depth: 1, encoding: true}
	b.line("bitmask_t isa_word = %s;", e.w.initial(l.Match))
	shown := false
	for at := l.Spec; at != nil && !shown; at = at.Extends {
		for _, c := range at.Cases {
			if c.Displays[""] == nil || k.ruledOut(c) {
				continue
			}
			k.c = c
			if c.Expr == nil {
				k.pack(b)
				shown = true
				break
			}
			b.line("if (%s) {", k.call(c.Expr))
			b.depth++
			k.pack(b)
			b.line("return isa_word;")
			b.depth--
			b.line("}")
			k.failed = append(k.failed, c.Expr)
		}
	}
	if !shown && len(k.failed) == 0 {
		e.note(l.Line, fmt.Sprintf("%s has no display, so only its pattern is encoded", gen.Comment(l.Spec.Name)), nil)
	}
	b.line("return isa_word;")
	e.f("\n/* %s, %s */\nstatic inline bitmask_t %s%s\n{\n%s}\n",
		gen.Comment(l.Spec.Name), l.Line, e.leafName(l), parameters(k.src), unused(b.b.String()))
}

// unused is the body of a function, behind what says which of its parameters it does not use.
func unused(text string) string {
	head := ""
	for _, name := range []string{"s", "p", "src"} {
		if !slices.Contains(strings.FieldsFunc(comments().ReplaceAllString(text, ""), notOfName), name) {
			head += "\t(void)" + name + ";\n"
		}
	}
	return head + text
}

var comments = lazy.Regexp(`/\*[^*]*\*/`)

// function returns a call of a function of a root that does what the body says; there is one for each body.
func (e *encoder) function(kind, what, returns, src, text string) string {
	key := kind + returns + src + text
	name, ok := e.functions[key]
	if !ok {
		name = fmt.Sprintf("encode_%s_%d", kind, len(e.functions)+1)
		e.functions[key] = name
		e.f("\n/* %s */\nstatic inline %s %s%s\n{\n%s}\n", what, returns, name, parameters(src), unused(text))
	}
	return name + "(s, p, src)"
}

// note notes what is odd, once for all leaves of which it is true.
func (e *encoder) note(at, text string, l *gen.Leaf) {
	text = at + ": " + text
	i := slices.IndexFunc(e.odd, func(o oddity) bool { return o.text == text })
	if i < 0 {
		i = len(e.odd)
		e.odd = append(e.odd, oddity{text: text})
	}
	if l != nil && !slices.Contains(e.odd[i].leaves, gen.Comment(l.Spec.Name)) {
		e.odd[i].leaves = append(e.odd[i].leaves, gen.Comment(l.Spec.Name))
	}
}

// warnings tells what is odd.
func (e *encoder) warnings() (list []string) {
	for _, o := range e.odd {
		switch n := len(o.leaves); n {
		case 0:
		case 1:
			o.text += ", in " + o.leaves[0]
		default:
			o.text += fmt.Sprintf(", in %s and %d more", o.leaves[0], n-1)
		}
		list = append(list, o.text)
	}
	return list
}
