// Package randisa generates random descriptions for tests of properties that hold for every
// description.
package randisa

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// writer writes a random description with small words. Its leaves, conditions, overrides and texts
// sometimes collide.
type writer struct {
	*rand.Rand
	strings.Builder
	// strict avoids what strict descriptions forbid. plain avoids what isaspec lacks.
	strict, plain bool
	// contexts, enums and operands are the names defined so far, operands with their sizes.
	contexts, enums []string
	operands        map[string]int
	// names are the fields of the current bitset.
	names []string
}

// Words returns a description whose words are small enough to try all of them. Its leaves, conditions,
// overrides and texts sometimes collide. The description may be invalid.
func Words(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	kind := r.IntN(3)
	w := &writer{Rand: r, strict: kind == 0, plain: kind == 1, operands: map[string]int{}}
	w.put("<isa name=\"%s\" strict=\"%t\">\n", []string{"strict", "plain", "extended"}[kind], w.strict)
	for i := range w.IntN(3) {
		w.enum(fmt.Sprintf("#e%d", i), 4)
	}
	if !w.plain && w.IntN(3) == 0 {
		w.put("<context name=\"k\" type=\"bool\"/>\n")
		w.contexts = append(w.contexts, "@k")
	}
	if !w.plain && w.IntN(3) == 0 {
		w.put("<enum name=\"#mode\"><value val=\"0\" display=\"m\"/><value val=\"2\" display=\"n\"/></enum>\n<context name=\"mode\" type=\"#mode\"/>\n")
		w.contexts = append(w.contexts, "@mode")
	}
	for i := range w.IntN(3) {
		w.root(fmt.Sprintf("#r%d", i), 2+w.IntN(2), 1+w.IntN(3))
	}
	w.root("#instruction", 7+w.IntN(2), 2+w.IntN(4))
	w.put("</isa>\n")
	return w.String()
}

func (w *writer) put(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) one(list ...string) string { return list[w.IntN(len(list))] }

// enum writes an enum with values that are missing, duplicated, too large or without a text.
func (w *writer) enum(name string, most int) {
	w.put("<enum name=\"%s\">", name)
	for v := range most + 1 {
		if w.IntN(4) > 0 {
			w.put("<value val=\"%d\" display=\"%s\"/>", v, w.one("", "x", "x1", "1", "r", ".s", "y", "z"))
		}
	}
	w.put("<value val=\"%d\" display=\"last\"/></enum>\n", w.IntN(most))
	w.enums = append(w.enums, name)
}

// root writes a root and its leaves. Some leaves are below a bitset with common parts.
func (w *writer) root(name string, size, leaves int) {
	w.put("<bitset name=\"%s\" size=\"%d\"/>\n", name, size)
	bits := w.Perm(size)
	opcode := bits[:min(size-1, w.IntN(4))]
	var shared []int
	mid := name + "-mid"
	if w.IntN(2) == 0 {
		shared = bits[len(opcode) : len(opcode)+w.IntN(size-len(opcode))]
		w.put("<bitset name=\"%s\" extends=\"%s\">\n", mid, name)
		w.body(shared)
		w.put("</bitset>\n")
	}
	held := w.names
	for i := range leaves {
		parent, rest := name, bits[len(opcode):]
		w.names = nil
		if len(shared) > 0 && w.IntN(3) > 0 {
			parent, rest = mid, bits[len(opcode)+len(shared):]
			w.names = slices.Clone(held)
		}
		w.put("<bitset name=\"%s-l%d\" extends=\"%s\"", strings.TrimPrefix(name, "#"), i, parent)
		if w.IntN(2) == 0 {
			w.put(" displayname=\"%s\"", w.one("add", "ad", "a", "sub"))
		}
		if !w.plain && w.IntN(5) == 0 {
			w.put(" overlap=\"refines %s-l%d\"", strings.TrimPrefix(name, "#"), w.IntN(leaves))
		}
		w.put(">\n")
		if w.IntN(8) == 0 {
			w.put("<gen %s=\"%d\"/>", w.one("min", "max"), 1+w.IntN(3))
		}
		for k, bit := range opcode {
			v := w.one("0", "1", "0", "1", "x")
			if w.strict && w.IntN(4) > 0 {
				v = fmt.Sprint(i >> k & 1)
			}
			w.put("<pattern pos=\"%d\">%s</pattern>", bit, v)
		}
		w.body(rest)
		w.put("</bitset>\n")
	}
	w.names = nil
	if name != "#instruction" {
		w.operands[name] = size
	}
}

// body writes patterns, asserts and fields for the bits, then displays and overrides.
func (w *writer) body(bits []int) {
	bits = slices.Clone(bits)
	slices.Sort(bits)
	if w.IntN(3) == 0 {
		w.Shuffle(len(bits), func(i, k int) { bits[i], bits[k] = bits[k], bits[i] })
	}
	w.put("\n")
	own := bits
	for len(bits) > 0 {
		n := 1 + w.IntN(min(3, len(bits)))
		switch w.IntN(12) {
		case 0:
			w.put("<pattern pos=\"%d\">%s</pattern>\n", bits[0], w.one("0", "1", "x"))
			n = 1
		case 1:
			w.put("<assert pos=\"%d\">%s</assert>\n", bits[0], w.one("0", "1"))
			n = 1
		default:
			w.field(fmt.Sprintf("F%d", len(w.names)), bits[:n])
		}
		bits = bits[n:]
	}
	for range w.IntN(2) {
		w.derived()
	}
	if len(w.contexts) > 0 && w.IntN(3) == 0 {
		w.put("<require>%s</require>\n", w.condition())
	}
	if n := len(w.names); n > 0 && !w.plain && w.IntN(6) == 0 {
		w.put("<default name=\"%s\" val=\"1\"/>\n", w.names[w.IntN(n)])
	}
	for range w.IntN(3) {
		w.override(own)
	}
	if w.IntN(8) > 0 {
		w.display()
	}
}

func (w *writer) override(bits []int) {
	w.put("<override><expr>%s</expr>", w.condition())
	held := w.names
	if len(bits) > 0 && w.IntN(3) == 0 {
		n := w.IntN(len(bits))
		if w.IntN(2) == 0 {
			w.put("<assert pos=\"%d\">%s</assert>", bits[n], w.one("0", "1"))
		} else if name := w.one("O", "F0"); !slices.Contains(w.names, "O") {
			w.field(name, bits[n:min(n+2, len(bits))])
		}
	}
	if w.IntN(4) > 0 {
		w.display()
	}
	w.names = held
	w.put("</override>\n")
}

// field writes a field with the given bits, least significant first.
func (w *writer) field(name string, bits []int) {
	kind := w.one("uint", "int", "hex", "offset", "uoffset", "bool", "bool_inv", "branch", "absbranch")
	if len(w.enums) > 0 && w.IntN(3) == 0 {
		kind = w.one(w.enums...)
	}
	for _, r := range slices.Sorted(maps.Keys(w.operands)) {
		if w.operands[r] == len(bits) && w.IntN(2) == 0 {
			kind = r
		}
	}
	if kind == "bool_inv" && len(bits) > 1 { // Its 0 is only unambiguous with 1 bit.
		kind = "bool"
	}
	w.put("<field name=\"%s\" type=\"%s\"", name, kind)
	if strings.HasPrefix(kind, "bool") && w.IntN(2) == 0 {
		w.put(" display=\"%s\"", w.one("", "x", ".s", "1"))
	}
	w.put(">")
	for i := len(bits) - 1; i >= 0; i-- {
		w.put("<bits pos=\"%d\"/>", bits[i])
	}
	if strings.HasPrefix(kind, "#r") && len(w.names) > 0 {
		w.put("%s", w.one("", map[bool]string{false: "<param name=\"*\"/>"}[w.plain], "<param name=\""+w.one(w.names...)+"\" as=\"P\"/>"))
	}
	w.put("</field>\n")
	if !slices.Contains(w.names, name) {
		w.names = append(w.names, name)
	}
}

func (w *writer) derived() {
	name := fmt.Sprintf("D%d", len(w.names))
	kind := w.one(append([]string{"uint", "int", "hex", "offset", "bool"}, w.enums...)...)
	w.put("<derived name=\"%s\" type=\"%s\" width=\"%d\"><expr>%s</expr></derived>\n", name, kind, 1+w.IntN(4), w.expr(2))
	w.names = append(w.names, name)
}

// condition returns an expression in which a comparison often holds.
func (w *writer) condition() string {
	if w.IntN(3) == 0 {
		return w.expr(2)
	}
	return fmt.Sprintf("%s %s %d", w.name(), w.one("==", "!=", "&gt;", "&lt;", "&amp;"), w.IntN(4))
}

// name returns a field, a context or a possibly undefined name.
func (w *writer) name() string {
	list := slices.Concat(w.names, w.contexts)
	if !w.strict && w.IntN(8) == 0 || len(list) == 0 && !w.strict {
		list = []string{"P"}
	}
	if len(list) == 0 {
		return "1"
	}
	return "{" + w.one(list...) + "}"
}

func (w *writer) expr(depth int) string {
	if depth == 0 || w.IntN(6) == 0 {
		return w.one(w.name(), w.name(), fmt.Sprint(w.IntN(5)))
	}
	x, y := w.expr(depth-1), w.expr(depth-1)
	switch op := w.one("==", "!=", "&lt;", "&gt;=", "&amp;", "|", "^", "+", "-", "*", "/", "%%", "&lt;&lt;", "&gt;&gt;", "&amp;&amp;", "||", "?", "!", "~"); op {
	case "?":
		return fmt.Sprintf("(%s ? %s : %s)", w.name(), x, y)
	case "!", "~":
		return op + x
	default:
		return "(" + x + " " + strings.ReplaceAll(op, "%%", "%") + " " + y + ")"
	}
}

func (w *writer) display() {
	w.put("<display>%s", w.one("{NAME}", "{NAME}", "op", ""))
	for _, name := range slices.Concat(w.names, w.contexts) {
		if w.IntN(6) == 0 {
			continue
		}
		if !w.plain && w.IntN(6) == 0 {
			w.put("%s", w.one("{,?"+name+"}", "{ r?"+name+"}", "{"+name+"? }"))
			continue
		}
		w.put("%s{%s}", w.one(" ", ",", "", "1", " "), name)
	}
	w.put("</display>\n")
}
