package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/internal/expr"
)

// leafStructs declares the fields of each leaf and how they are taken from a word and put into one.
func (w *writer) leafStructs() {
	w.f(`
/* The fields of each leaf, by name. unpack takes them from a word. pack makes a word of them; it returns
 * false, and packs the low bits, where a value does not fit. What no member says has the value that the
 * description expects. */
`)
	for _, r := range w.p.MainFirst() {
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.leafStruct(l)
		}
	}
	w.f(`
#ifdef __cplusplus
static_assert(sizeof(%[1]s_word) == %[2]d, "a word has no padding");
#else
_Static_assert(sizeof(%[1]s_word) == %[2]d, "a word has no padding");
#endif
`, w.lower, 8*w.p.Limbs)
}

// rest is the number of limbs of the member for bits that no field has, 0 for none.
func rest(l *gen.Leaf) int {
	if l.Layout.Rest.IsZero() {
		return 0
	}
	return (l.Size + 63) / 64
}

func (w *writer) leafStruct(l *gen.Leaf) {
	w.f("\n/* %s, %s", gen.Comment(l.Spec.Name), l.Line)
	if l.Doc != "" {
		w.f(": %s", gen.Comment(l.Doc))
	}
	w.f(" */\nstruct %s {\n", w.structs[l])
	for _, f := range l.Layout.Fields {
		w.f("\t%s; /* %s */\n", w.memberOf(f), w.describe(f))
	}
	if n := rest(l); n > 0 {
		w.f("\tuint64_t rest[%d]; /* bits without a field that differ from the expected value */\n", n)
	}
	if len(l.Layout.Fields) == 0 && rest(l) == 0 {
		w.f("\tchar none; /* it has no field */\n")
	}
	w.f("};\n")
	inst := w.instType(l.Root)
	w.f("void %s(const %s *inst, const struct %s_options *o, struct %s *f);\n", w.function("unpack", l), inst, w.lower, w.structs[l])
	w.f("bool %s(const struct %s *f, const struct %s_options *o, %s_word *word);\n", w.function("pack", l), w.structs[l], w.lower, w.lower)
}

// function names what is done with a leaf: NAME_pack_mov.
func (w *writer) function(what string, l *gen.Leaf) string {
	return w.lower + "_" + what + strings.TrimPrefix(w.structs[l], w.lower)
}

func (w *writer) memberOf(f *gen.Field) string {
	name := Member(f.Name)
	switch {
	case f.Width > 64:
		return fmt.Sprintf("uint64_t %s[%d]", name, (f.Width+63)/64)
	case f.Bool:
		return "bool " + name
	case f.Signed && f.Width <= 32:
		return "int32_t " + name
	case f.Signed:
		return "int64_t " + name
	}
	return UnsignedOf(f.Width) + " " + name
}

// describe says where a field is and what its numbers mean.
func (w *writer) describe(f *gen.Field) string {
	var list []string
	for _, p := range f.Parts {
		if p.Width == 1 {
			list = append(list, fmt.Sprintf("%d", p.Low))
		} else {
			list = append(list, fmt.Sprintf("%d..%d", p.Low, p.Low+p.Width-1))
		}
	}
	text := gen.Comment(f.Spec.Name) + ", bits " + strings.Join(list, ", ")
	switch {
	case f.Enum != nil && len(f.Enum.Values) > 0:
		text += ", enum " + w.lower + "_" + f.Enum.Name
	case f.Root != nil && f.Spec.Table != nil:
		text += ", an index of table " + gen.Comment(f.Spec.Table.Name)
	case f.Root != nil:
		text += ", for " + w.public("decode", f.Root)
	}
	if f.Where != "" {
		text += ", where " + f.Where
	}
	if f.Spec.Doc != "" {
		text += ": " + gen.Comment(f.Spec.Doc)
	}
	return text
}

// packers writes the functions for the fields of leaves.
func (w *writer) packers() {
	for _, r := range w.p.MainFirst() {
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.unpack(l)
			w.pack(l)
		}
	}
}

// word is a limb of a word by name.
func (w *writer) limbOf(word string, i int) string {
	if w.wide() {
		return fmt.Sprintf("%s.limb[%d]", word, i)
	}
	return word
}

// fieldBits reads one limb of a field from a word.
func (w *writer) fieldBits(word string, parts []bits.Part, limb int) string {
	src := gen.Source{Parts: parts}
	var list []string
	at := 0
	places := src.PartsOf(limb)
	for i := len(places) - 1; i >= 0; i-- {
		p := places[i]
		for p.Width > 0 { // a run within one limb at a time
			n := min(p.Width, 64-p.Low%64)
			s := w.limbOf(word, p.Low/64)
			if p.Low%64 > 0 {
				s = fmt.Sprintf("%s >> %d", s, p.Low%64)
			}
			if n < 64 {
				s = fmt.Sprintf("(%s & %s)", s, constant(1<<n-1))
			}
			if at > 0 {
				s = fmt.Sprintf("%s << %d", s, at)
			}
			list = append(list, s)
			at += n
			p.Low, p.Width = p.Low+n, p.Width-n
		}
	}
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, " | ")
}

func (w *writer) unpack(l *gen.Leaf) {
	w.f("\nvoid %s(const %s *inst, const struct %s_options *o, struct %s *f)\n{\n", w.function("unpack", l), w.instType(l.Root), w.lower, w.structs[l])
	if varies(l) {
		w.f("\t%s_word expected;\n", w.lower)
	} else {
		w.f("\t(void)o;\n")
	}
	if len(l.Layout.Fields) == 0 && rest(l) == 0 {
		w.f("\t(void)inst;\n\tf->none = 0;\n}\n")
		return
	}
	for _, f := range l.Layout.Fields {
		name := "f->" + Member(f.Name)
		if f.Width > 64 {
			for i := range (f.Width + 63) / 64 {
				w.f("\t%s[%d] = %s;\n", name, i, w.fieldBits("inst->bits", f.Parts, i))
			}
			continue
		}
		bits := expr.Bare(w.fieldBits("inst->bits", f.Parts, 0))
		switch {
		case f.Bool:
			w.f("\t%s = (%s) != 0;\n", name, bits)
		case f.Signed && f.Width <= 32:
			w.f("\t%s = (int32_t)sign_extend(%s, %d);\n", name, bits, f.Width)
		case f.Signed:
			w.f("\t%s = sign_extend(%s, %d);\n", name, bits, f.Width)
		case f.Width <= 32:
			w.f("\t%s = (uint32_t)(%s);\n", name, bits)
		default:
			w.f("\t%s = %s;\n", name, bits)
		}
	}
	if varies(l) {
		w.restOf(l)
		w.f("}\n")
		return
	}
	for i := range rest(l) {
		w.f("\tf->rest[%d] = (%s ^ %s) & %s;\n", i, w.limbOf("inst->bits", i), constant(l.Layout.Expected[i]), constant(l.Layout.Rest[i]))
	}
	w.f("}\n")
}

// restOf finds the bits without a field where what they are to be depends on overrides.
func (w *writer) restOf(l *gen.Leaf) {
	for i := range rest(l) {
		w.f("\tf->rest[%d] = 0;\n", i)
	}
	w.f("\t(void)%s(f, o, &expected);\n", w.function("pack", l))
	for i := range rest(l) {
		w.f("\tf->rest[%d] = %s ^ %s;\n", i, w.limbOf("inst->bits", i), w.limbOf("expected", i))
	}
}

func (w *writer) pack(l *gen.Leaf) {
	w.f("\nbool %s(const struct %s *f, const struct %s_options *o, %s_word *word)\n{\n", w.function("pack", l), w.structs[l], w.lower, w.lower)
	b := &body{w: w, depth: 1}
	b.line("bool fits = true;")
	b.line("%s_word v = %s;", w.lower, w.initial(l.Match))
	fields, fresh := l.Default()
	for i, f := range fields {
		b.put("v", f, fresh[i])
	}
	if len(l.Layout.Cases) == 0 {
		b.line("(void)o;")
	}
	b.overrides(l)
	for i := range rest(l) {
		e, m := constant(l.Layout.Expected[i]), constant(l.Layout.Rest[i])
		if varies(l) {
			e, m = fmt.Sprintf("expected[%d]", i), fmt.Sprintf("left[%d]", i)
		}
		b.line("%s |= (f->rest[%d] ^ %s) & %s;", w.limbOf("v", i), i, e, m)
	}
	if len(l.Layout.Fields) == 0 && rest(l) == 0 {
		b.line("(void)f;")
	}
	b.line("*word = v;")
	b.line("return fits;")
	var head strings.Builder
	for i := range b.temps {
		fmt.Fprintf(&head, "\tuint64_t t%d;\n", i+1)
	}
	w.f("%s%s}\n", head.String(), b.b.String())
}

// varies tells that overrides have or expect bits that no field of the default cases has.
func varies(l *gen.Leaf) bool {
	return slices.ContainsFunc(l.Layout.Cases, func(c gen.LayoutCase) bool { return !c.Rest.IsZero() || !c.Covers.IsZero() })
}

// overrides packs the fields of the overrides that hold once they are packed.
func (b *body) overrides(l *gen.Leaf) {
	if len(l.Layout.Cases) == 0 {
		return
	}
	w := b.w
	b.line("struct print print_, *const p = &print_;")
	if varies(l) {
		var expected, left []string
		for i := range rest(l) {
			expected, left = append(expected, constant(l.Layout.Expected[i])), append(left, constant(l.Layout.Rest[i]))
		}
		b.line("uint64_t expected[%d] = {%s};", rest(l), strings.Join(expected, ", "))
		b.line("uint64_t left[%d] = {%s};", rest(l), strings.Join(left, ", "))
	}
	b.line("struct %s_options quiet = o ? *o : defaults;", w.lower)
	b.line("quiet.findings = NULL;")
	b.line("start(p, &quiet, 0, %d);", l.Root.Stored)
	for i := range l.Layout.Cases {
		c := &l.Layout.Cases[i]
		b.line("{")
		b.depth++
		b.line("%s_word before = v;", w.lower)
		b.openScope("s_", "NULL", w.addressOfLimbs("v"), "NULL")
		b.line("struct scope *const s = &s_;")
		b.line("const bool fitted = fits;")
		for _, f := range c.Fields {
			b.put("v", f, false)
		}
		b.line("if (%s) {", b.cond(c.Cond))
		b.depth++
		for k := range rest(l) {
			if c.Rest[k] != 0 {
				b.line("expected[%d] = (expected[%d] & %s) | %s;", k, k, constant(^c.Rest[k]), constant(c.Expected[k]))
			}
			if c.Covers[k] != 0 {
				b.line("left[%d] &= %s;", k, constant(^c.Covers[k]))
			}
		}
		b.line("(void)before;")
		b.line("(void)fitted;")
		b.depth--
		b.line("} else {")
		b.line("\tv = before;")
		b.line("\tfits = fitted;")
		b.line("}")
		b.line("(void)s;")
		b.depth--
		b.line("}")
	}
}

// put writes a field into a word.
func (b *body) put(word string, f *gen.Field, fresh bool) {
	w := b.w
	name := "f->" + Member(f.Name)
	value := func(limb int) string { return "(uint64_t)" + name }
	switch {
	case f.Width > 64:
		value = func(limb int) string { return fmt.Sprintf("%s[%d]", name, limb) }
		if f.Width%64 != 0 {
			b.line("fits = fits && %s[%d] >> %d == 0;", name, f.Width/64, f.Width%64)
		}
	case f.Bool:
	case f.Signed && f.Width < 32 || f.Signed && f.Width > 32 && f.Width < 64:
		most := constant(1<<(f.Width-1) - 1)
		b.line("fits = fits && %s >= -(int64_t)%s - 1 && %s <= (int64_t)%s;", name, most, name, most)
	case !f.Signed && f.Width < 32 || !f.Signed && f.Width > 32 && f.Width < 64:
		b.line("fits = fits && %s >> %d == 0;", name, f.Width)
	}
	at := 0
	for i := len(f.Parts) - 1; i >= 0; i-- {
		p := f.Parts[i]
		for p.Width > 0 { // a run within one limb of the word and of the value at a time
			n := min(p.Width, 64-p.Low%64, 64-at%64)
			bits := value(at / 64)
			if at%64 > 0 {
				bits = fmt.Sprintf("%s >> %d", bits, at%64)
			}
			mask := constant(^uint64(0) >> (64 - n))
			if n < 64 {
				bits = fmt.Sprintf("(%s & %s)", bits, mask)
			}
			limb := w.limbOf(word, p.Low/64)
			if p.Low%64 > 0 {
				bits = fmt.Sprintf("%s << %d", bits, p.Low%64)
			}
			if fresh {
				b.line("%s |= %s;", limb, bits)
			} else {
				b.line("%s = (%s & %s) | %s;", limb, limb, constant(^(^uint64(0) >> (64 - n) << (p.Low % 64))), bits)
			}
			at += n
			p.Low, p.Width = p.Low+n, p.Width-n
		}
	}
}
