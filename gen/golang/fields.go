package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/gen"
	"github.com/isago/isago/gen/internal/expr"
)

// fields writes, for each leaf, its fields by name, and how they are taken from a word and put into one.
func (w *writer) fields() {
	for _, r := range w.p.MainFirst() {
		for l := range gen.Until(w.ctx, r.Leaves) {
			w.fieldsOf(l)
		}
	}
	w.f(`
// DoesNotFitError is the error for a value that has more bits than its field.
type DoesNotFitError struct{ Field string }

// Error names the field.
func (e *DoesNotFitError) Error() string { return "the value of " + e.Field + " does not fit its bits" }
`)
}

// xor turns the bits of a value that are expected to be set.
func xor(value, expected string) string {
	if expected == "0" {
		return value
	}
	return "(" + value + " ^ " + expected + ")"
}

// vValue reads from v what is written for a scope.
func vValue(s string) string { return strings.ReplaceAll(s, "s.w[", "v[") }

func rest(l *gen.Leaf) int {
	if l.Layout.Rest.IsZero() {
		return 0
	}
	return (l.Size + 63) / 64
}

// varies tells that overrides have or expect bits that no field of the default cases has.
func varies(l *gen.Leaf) bool {
	return slices.ContainsFunc(l.Layout.Cases, func(c gen.LayoutCase) bool { return !c.Rest.IsZero() || !c.Covers.IsZero() })
}

func (w *writer) fieldsOf(l *gen.Leaf) {
	name := w.types[l]
	w.f("\n// %s are the fields of %s, %s.\ntype %s struct {\n", name, gen.Comment(l.Spec.Name), l.Line, name)
	members := gen.NewNames("Rest", "Unpack", "Pack")
	names := map[*gen.Field]string{}
	for _, f := range l.Layout.Fields {
		names[f] = members.Unique(camel(f.Name), "")
		w.f("\t%s %s // %s\n", names[f], w.typeOf(f), w.describe(f))
	}
	if n := rest(l); n > 0 {
		w.f("\t// Rest has the bits without a field that differ from the expected value.\n\tRest [%d]uint64\n", n)
	}
	w.f("}\n")
	w.unpack(l, names)
	w.pack(l, names)
}

func (w *writer) typeOf(f *gen.Field) string {
	switch {
	case f.Width > 64:
		return fmt.Sprintf("[%d]uint64", (f.Width+63)/64)
	case f.Bool:
		return "bool"
	case f.Signed && f.Width <= 32:
		return "int32"
	case f.Signed:
		return "int64"
	case f.Enum != nil:
		return w.enums[f.Enum]
	case f.Width <= 32:
		return "uint32"
	}
	return "uint64"
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
		text += ", for " + w.of("Decode", f.Root)
	}
	if f.Where != "" {
		text += ", where " + f.Where
	}
	if f.Spec.Doc != "" {
		text += ": " + gen.Comment(f.Spec.Doc)
	}
	return text
}

func (w *writer) unpack(l *gen.Leaf, names map[*gen.Field]string) {
	w.f("\n// Unpack sets the fields from an instruction.\nfunc (f *%s) Unpack(in %s, o *Options) {\n\tw := in.Bits\n\tv := %s\n", w.types[l], w.of("Inst", l.Root), w.fill("TOLIMBS"))
	if len(l.Layout.Fields) == 0 {
		w.f("\t_ = v\n")
	}
	b := &body{w: w}
	for _, f := range l.Layout.Fields {
		src := gen.Source{Parts: f.Parts, Width: f.Width}
		if f.Width > 64 {
			w.f("\tf.%s = %s\n", names[f], vValue(b.array(&src, (f.Width+63)/64, w.typeOf(f))))
			continue
		}
		bits := vValue(b.bits(&src, 0))
		switch {
		case f.Bool:
			w.f("\tf.%s = %s != 0\n", names[f], bits)
		case f.Signed:
			w.f("\tf.%s = %s(signExtend(%s, %d))\n", names[f], w.typeOf(f), bits, f.Width)
		default:
			w.f("\tf.%s = %s(%s)\n", names[f], w.typeOf(f), expr.Bare(bits))
		}
	}
	switch {
	case varies(l):
		w.f("\tf.Rest = [%d]uint64{}\n\tx, _ := f.Pack(o)\n\tw = x\n\tpacked := %s\n", rest(l), w.fill("TOLIMBS"))
		for i := range rest(l) {
			w.f("\tf.Rest[%d] = v[%d] ^ packed[%d]\n", i, i, i)
		}
	case rest(l) > 0:
		for i := range rest(l) {
			w.f("\tf.Rest[%d] = %s & %s\n", i, xor(fmt.Sprintf("v[%d]", i), constant(l.Layout.Expected[i])), constant(l.Layout.Rest[i]))
		}
	}
	w.f("}\n")
}

func (w *writer) pack(l *gen.Leaf, names map[*gen.Field]string) {
	w.f("\n// Pack returns the word with the fields. Other bits have the value that the description expects. The error for a value that\n// does not fit is a *DoesNotFitError; Pack then packs its low bits.\nfunc (f *%s) Pack(o *Options) (w Word, err error) {\n\tv := %s\n", w.types[l], w.limbs(l.Match))
	fields, fresh := l.Default()
	for i, f := range fields {
		w.put(f, names[f], fresh[i])
	}
	if varies(l) {
		w.f("\texpected, left := %s, %s\n", w.limbs(l.Layout.Expected), w.limbs(l.Layout.Rest))
	}
	if len(l.Layout.Cases) > 0 {
		w.f("\tp := &printer{o: o, unit: %d}\n", l.Root.Stored)
	}
	for i := range l.Layout.Cases {
		w.override(l, &l.Layout.Cases[i], names)
	}
	for i := range rest(l) {
		e, m := constant(l.Layout.Expected[i]), constant(l.Layout.Rest[i])
		if varies(l) {
			e, m = fmt.Sprintf("expected[%d]", i), fmt.Sprintf("left[%d]", i)
		}
		w.f("\tv[%d] |= %s & %s\n", i, xor(fmt.Sprintf("f.Rest[%d]", i), e), m)
	}
	w.f("\treturn %s, err\n}\n", w.fill("TOWORD"))
}

// override packs the fields of an override that holds once they are packed.
func (w *writer) override(l *gen.Leaf, c *gen.LayoutCase, names map[*gen.Field]string) {
	b := &body{w: w}
	w.f("\t{\n\t\tbefore, fitted := v, err\n")
	for _, f := range c.Fields {
		w.put(f, names[f], false)
	}
	w.f("\t\ts := &scope{w: v, leaf: %s}\n\t\tif %s {\n", w.leafInfo(l), b.cond(c.Cond))
	for k := range rest(l) {
		if c.Rest[k] != 0 {
			w.f("\t\t\texpected[%d] = expected[%d]&^%s | %s\n", k, k, constant(c.Rest[k]), constant(c.Expected[k]))
		}
		if c.Covers[k] != 0 {
			w.f("\t\t\tleft[%d] &^= %s\n", k, constant(c.Covers[k]))
		}
	}
	w.f("\t\t} else {\n\t\t\tv, err = before, fitted\n\t\t}\n\t\t_, _ = s, p\n\t}\n")
}

// put writes a field into v, where fresh tells that its bits are 0.
func (w *writer) put(f *gen.Field, name string, fresh bool) {
	value := func(limb int) string { return "uint64(f." + name + ")" }
	fits := ""
	switch {
	case f.Width > 64:
		value = func(limb int) string { return fmt.Sprintf("f.%s[%d]", name, limb) }
		if f.Width%64 != 0 {
			fits = fmt.Sprintf("f.%s[%d]>>%d != 0", name, f.Width/64, f.Width%64)
		}
	case f.Bool:
		value = func(int) string { return "bit(f." + name + ")" }
	case f.Signed && f.Width < 64:
		fits = fmt.Sprintf("signExtend(uint64(f.%s), %d) != int64(f.%s)", name, f.Width, name)
	case f.Width < 64:
		fits = fmt.Sprintf("uint64(f.%s)>>%d != 0", name, f.Width)
	}
	if fits != "" {
		w.f("\tif %s {\n\t\terr = &DoesNotFitError{%q}\n\t}\n", fits, f.Spec.Name)
	}
	at := 0
	for _, p := range slices.Backward(f.Parts) {
		for p.Width > 0 {
			n := min(p.Width, 64-p.Low%64, 64-at%64)
			bits := value(at / 64)
			if at%64 > 0 {
				bits += fmt.Sprintf(">>%d", at%64)
			}
			mask := ^uint64(0) >> (64 - n)
			if n < 64 {
				bits += " & " + constant(mask)
			}
			if p.Low%64 > 0 {
				bits = fmt.Sprintf("(%s)<<%d", bits, p.Low%64)
			}
			if fresh {
				w.f("\tv[%d] |= %s\n", p.Low/64, bits)
			} else {
				w.f("\tv[%d] = v[%d]&^%s | %s\n", p.Low/64, p.Low/64, constant(mask<<(p.Low%64)), bits)
			}
			at += n
			p.Low, p.Width = p.Low+n, p.Width-n
		}
	}
}
