package c

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/gen"
	"github.com/isago/isago/internal/spec"
)

// coding is how a leaf is encoded where one of its displays is the one that holds.
type coding struct {
	e   *encoder
	l   *gen.Leaf
	src string // the type of what is encoded
	c   *spec.Case
	// failed are the conditions that do not hold, those of the displays before.
	failed []*spec.Expr
	// open are the expressions that are being written.
	open []*spec.Expr
}

// variant is what a name means where a condition holds; nil always holds.
type variant struct {
	cond  *spec.Expr
	field *spec.Field
}

func same(a, b *spec.Expr) bool {
	return a == b || a != nil && b != nil && a.Name != "" && a.Name == b.Name
}

// ruledOut reports whether a case is known not to hold.
func (k *coding) ruledOut(c *spec.Case) bool {
	return slices.ContainsFunc(k.failed, func(x *spec.Expr) bool { return same(x, c.Expr) })
}

// condition is that of a case, nil where it is known to hold.
func (k *coding) condition(c *spec.Case) *spec.Expr {
	if k.c != nil && same(c.Expr, k.c.Expr) {
		return nil
	}
	return c.Expr
}

// cases calls do for the cases of the leaf that may hold, in the order in which names are looked up, until it returns
// false.
func (k *coding) cases(do func(c *spec.Case) bool) {
	for at := k.l.Spec; at != nil; at = at.Extends {
		for _, c := range at.Cases {
			if !k.ruledOut(c) && !do(c) {
				return
			}
		}
	}
}

// variants lists what a name means, in order: the last one has no condition, unless the name may mean nothing.
func (k *coding) variants(name string) (list []variant) {
	k.cases(func(c *spec.Case) bool {
		f := c.Field(name)
		if f == nil {
			return true
		}
		cond := k.condition(c)
		list = append(list, variant{cond, f})
		return cond != nil
	})
	return list
}

// names lists what is packed: the fields that the display shows, those that are forced, and those on which it depends what
// these are.
func (k *coding) names() (names []string) {
	add := func(list ...string) {
		for _, n := range list {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	for _, it := range k.c.Displays[""].MesaItems() {
		if !it.Last {
			add(it.Name)
		}
	}
	for at := k.l.Spec; at != nil; at = at.Extends {
		if at.Encode == nil {
			continue
		}
		for _, m := range at.Encode.Maps {
			if m.Force {
				add(m.Name)
			}
		}
	}
	if k.c.Expr != nil {
		add(k.c.Expr.FieldNames()...)
	}
	for i := 0; i < len(names); i++ {
		add(k.needs(names[i])...)
	}
	return names
}

// needs lists the names on which it depends what a name means, also those of conditions that are known not to hold: that
// they do not is in these.
func (k *coding) needs(name string) (list []string) {
	for at := k.l.Spec; at != nil; at = at.Extends {
		for _, c := range at.Cases {
			if c.Expr != nil {
				list = append(list, c.Expr.FieldNames()...)
			}
			f := c.Field(name)
			if f == nil {
				continue
			}
			if f.Expr != nil {
				list = append(list, f.Expr.FieldNames()...)
			}
			for _, p := range f.Params {
				list = append(list, p.Name)
			}
			if k.condition(c) == nil {
				return list
			}
		}
	}
	return list
}

// pack packs what the display shows and needs, and what is expected.
func (k *coding) pack(b *body) {
	for _, name := range k.names() {
		k.packName(b, name)
	}
	k.cases(func(c *spec.Case) bool {
		k.expect(b, c)
		return true
	})
}

// packName packs what a name means where it means bits.
func (k *coding) packName(b *body, name string) {
	list := k.variants(name)
	if !slices.ContainsFunc(list, func(v variant) bool { return v.field.Expr == nil }) {
		return
	}
	if len(list) == 1 && list[0].cond == nil && k.inOneLine(list[0].field) {
		k.packField(b, list[0].field)
		return
	}
	for i, v := range list {
		els := ""
		if i > 0 {
			els = "} else "
		}
		if v.cond != nil {
			els += "if (" + k.call(v.cond) + ") "
		}
		b.line("%s{", els)
		b.depth++
		if v.field.Expr == nil {
			k.packField(b, v.field)
		}
		b.depth--
	}
	b.line("}")
}

// inOneLine reports whether a field is packed without variables.
func (k *coding) inOneLine(f *spec.Field) bool {
	return len(f.Parts) == 1 && (!k.e.w.wide() || !encodes(f.Bitset))
}

// packField packs one field.
func (k *coding) packField(b *body, f *spec.Field) {
	switch {
	case f.Table != nil:
		k.e.note(gen.Line(f.Span), gen.Comment(f.Name)+" is in a table, so it is not encoded", k.l)
	case mapOf(k.l, f.Name) == nil:
		k.noMap(f.Name, f)
		b.line("/* %s has no map: its bits are 0 (%s) */", gen.Comment(f.Name), gen.Line(f.Span))
	case encodes(f.Bitset):
		k.packNested(b, f)
	default:
		k.packNumber(b, f)
	}
}

func (k *coding) packNumber(b *body, f *spec.Field) {
	signed := f.Kind == spec.KindInt || f.Kind == spec.KindOffset || f.Kind == spec.KindBranch
	value, what := k.ofField(f), gen.Comment(f.Name)+", "+gen.Line(f.Span)
	if k.inOneLine(f) {
		b.line("encode_number(&isa_word, %d, %d, %t, %s); /* %s */", f.Parts[0].Low, min(f.Width, 64), signed, value, what)
		return
	}
	b.line("const int64_t isa_value = %s; /* %s */", value, what)
	if f.Width < 64 {
		b.line("%s_ASSERT(encode_fits(isa_value, %d, %t));", k.e.w.upper, f.Width, signed)
	}
	at := 0
	for _, p := range slices.Backward(f.Parts) {
		if at < 64 {
			b.line("encode_bits(&isa_word, %d, %d, (uint64_t)isa_value >> %d);", p.Low, min(p.Width, 64), at)
		}
		at += p.Width
	}
}

// packNested packs a field whose type is a bitset by the encoder of that.
func (k *coding) packNested(b *body, f *spec.Field) {
	w := k.e.w
	if k.inOneLine(f) {
		b.line("encode_bits(&isa_word, %d, %d, %s); /* %s, %s */", f.Parts[0].Low, f.Width, k.nested(f), gen.Comment(f.Name), gen.Line(f.Span))
		return
	}
	b.line("const bitmask_t isa_inner = %s; /* %s, %s */", k.nested(f), gen.Comment(f.Name), gen.Line(f.Span))
	at := 0
	for _, p := range slices.Backward(f.Parts) {
		for p.Width > 0 {
			n := min(p.Width, 64-at%64)
			value := w.limbOf("isa_inner", at/64)
			if at%64 > 0 {
				value += fmt.Sprintf(" >> %d", at%64)
			}
			b.line("encode_bits(&isa_word, %d, %d, %s);", p.Low, n, value)
			at += n
			p.Low, p.Width = p.Low+n, p.Width-n
		}
	}
}

// encodes reports whether a bitset has an encoder.
func encodes(b *spec.Bitset) bool { return b != nil && b.Encode != nil && b.Encode.Type != "" }

// nested returns a call of the function that encodes a field whose type is a bitset with what it hands in.
func (k *coding) nested(f *spec.Field) string {
	e := k.e
	b := &body{w: e.w, depth: 1}
	b.line("struct bitset_params isa_params = {%s};", strings.TrimSuffix(strings.Repeat("0, ", max(1, len(e.paramOf))), ", "))
	for _, p := range f.Params {
		if as := e.paramOf[p.As]; as != "" {
			b.line("isa_params.%s = %s;", as, k.value(p.Name))
		}
	}
	b.line("return encode%s(s, &isa_params, %s);", cName(f.Bitset.Name), fragment(mapOf(k.l, f.Name)))
	return e.function("field", gen.Comment(f.Name)+", "+gen.Line(f.Span), "bitmask_t", k.src, b.b.String())
}

// expect packs what the asserts of a case say, but for bits that fields of the case that holds have.
func (k *coding) expect(b *body, c *spec.Case) {
	var taken, want gen.Bits
	if k.c.Expr != nil && c != k.c {
		for _, f := range k.c.Fields {
			for _, p := range f.Parts {
				taken = taken.Or(bits.Range(p.Low, p.Width))
			}
		}
	}
	for _, a := range c.Asserts {
		want = want.Or(a.Match.AndNot(taken))
	}
	if want.IsZero() {
		return
	}
	cond := k.condition(c)
	if cond != nil {
		b.line("if (%s) {", k.call(cond))
		b.depth++
	}
	for i, m := range want {
		if m != 0 {
			b.line("%s |= %s; /* as asserted */", k.e.w.limbOf("isa_word", i), constant(m))
		}
	}
	if cond != nil {
		b.depth--
		b.line("}")
	}
}

// value is what a name has: what the variant that holds is, else what was handed in.
func (k *coding) value(name string) string {
	list := k.variants(name)
	text := ""
	if n := len(list); n == 0 || list[n-1].cond != nil {
		text = k.free(name, list)
	}
	for _, v := range slices.Backward(list) {
		is := k.ofField(v.field)
		switch {
		case v.cond == nil:
			text = is
		case is != text:
			text = fmt.Sprintf("(%s ? %s : %s)", k.call(v.cond), is, text)
		}
	}
	return text
}

// free is the value of a name where it means no field.
func (k *coding) free(name string, list []variant) string {
	if m := mapOf(k.l, name); m != nil {
		return "(int64_t)" + fragment(m)
	}
	if as := k.e.paramOf[name]; as != "" && len(list) == 0 {
		return "p->" + as
	}
	if len(list) == 0 {
		k.noMap(name, nil)
	}
	return "0"
}

// ofField is the value of a field: what it is computed from, the number that the encoder of its type makes, or the C of
// its map.
func (k *coding) ofField(f *spec.Field) string {
	if f.Expr != nil {
		return k.call(f.Expr)
	}
	m := mapOf(k.l, f.Name)
	switch {
	case m == nil:
		k.noMap(f.Name, f)
		return fmt.Sprintf("0 /* %s has no map */", gen.Comment(f.Name))
	case encodes(f.Bitset):
		return "(int64_t)" + k.e.w.limbOf(k.nested(f), 0)
	case f.Bitset != nil:
		k.e.note(gen.Line(f.Span), fmt.Sprintf("%s is a %s, which has no <encode> with a type: its map is treated as a number", gen.Comment(f.Name),
			gen.Comment(f.Bitset.Name)), k.l)
		return "(int64_t)(0 | " + fragment(m) + ")" // no pointer compiles
	}
	return "(int64_t)" + fragment(m)
}

// noMap notes a name that has no map.
func (k *coding) noMap(name string, f *spec.Field) {
	at := k.l.Line
	if f != nil {
		at = gen.Line(f.Span)
	}
	k.e.note(at, gen.Comment(name)+" has no <map>, so it is encoded as 0", k.l)
}

// mapOf returns the nearest map of a name, nil if there is none; of several in one place the last counts.
func mapOf(l *gen.Leaf, name string) *spec.EncodeMap {
	for at := l.Spec; at != nil; at = at.Extends {
		if at.Encode == nil {
			continue
		}
		for i := range slices.Backward(at.Encode.Maps) {
			if m := &at.Encode.Maps[i]; m.Name == name && m.Text != "" {
				return m
			}
		}
	}
	return nil
}

// fragment is the C of a map, which the user has chosen to trust. Its lines stay: it may have comments and directives.
func fragment(m *spec.EncodeMap) string {
	if strings.Contains(m.Text, "\n") || strings.Contains(m.Text, "//") {
		return "(\n" + m.Text + "\n)"
	}
	return "(" + m.Text + ")"
}

// call returns a call of the function that computes an expression from the maps.
func (k *coding) call(x *spec.Expr) string {
	const deepest = 32
	if slices.Contains(k.open, x) || len(k.open) > deepest {
		return "0" // inside itself
	}
	k.open = append(k.open, x)
	defer func() { k.open = k.open[:len(k.open)-1] }()
	b := &body{w: k.e.w, depth: 1, encoding: true}
	used := map[uint64]bool{}
	b.local = func(i uint64) string {
		used[i] = true
		return fmt.Sprintf("isa_%d", i)
	}
	value := renamed(" " + b.value(k.e.w.p.Unbound(x)))[1:]
	for i, name := range x.FieldNames() {
		if used[uint64(i)] {
			b.line("const uint64_t isa_%d = (uint64_t)%s; /* %s */", i, k.value(name), gen.Comment(name))
		}
	}
	b.line("return (int64_t)%s;", value)
	what := gen.Line(x.Span)
	if x.Name != "" {
		what = gen.Comment(x.Name) + ", " + what
	}
	return k.e.function("expr", what, "int64_t", k.src, b.b.String())
}
