package randisa

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// isaspecWriter writes a plain isaspec description in the style of real drivers. Many instructions
// share operands and pass fields and computed values to them. The description has named expressions,
// and some names are undefined.
type isaspecWriter struct {
	*rand.Rand
	strings.Builder
	// operands are the roots that can be the type of a field, with their sizes and parameter names.
	operands []operandType
	exprs    []string
	// cyclic allows expressions that need their own values.
	cyclic bool
	// sound means that all used names are defined.
	sound bool
}

type operandType struct {
	name  string
	size  int
	wants []string
	rank  int // An operand is passed, as OTHER, only to operands of higher rank, so that none contains itself.
}

// wanted are names that operands use and that instructions may define.
var wanted = []string{"HAS", "HALF", "MODE", "N1"}

// Isaspec returns a plain isaspec description that loads. Its words have 8 to 128 bits.
func Isaspec(seed uint64) string {
	f := isaspecWriter{Rand: rand.New(rand.NewPCG(seed, 5))}
	f.cyclic, f.sound = f.IntN(4) == 0, f.IntN(3) == 0
	f.put("<isa>\n")
	for i := range 1 + f.IntN(3) {
		f.put("<enum name=\"#e%d\">", i)
		for v := range 4 {
			if f.IntN(4) > 0 {
				f.put("<value val=\"%d\" display=\"%s\"/>", v, f.one("", "x", ".sat", "eq", "ne", "r"))
			}
		}
		f.put("</enum>\n")
	}
	for i := range 2 + f.IntN(4) {
		if f.sound {
			break // each scope has other names
		}
		f.put("<expr name=\"#x%d\">%s</expr>\n", i, f.expr(slices.Concat(wanted, []string{"F0", "F1", "NOPE"}), 2))
		f.exprs = append(f.exprs, fmt.Sprintf("#x%d", i))
	}
	for i := range 1 + f.IntN(3) {
		f.operand(fmt.Sprintf("#o%d", i))
	}
	f.instructions()
	f.put("</isa>\n")
	return f.String()
}

func (f *isaspecWriter) put(format string, args ...any) { fmt.Fprintf(f, format, args...) }

func (f *isaspecWriter) one(list ...string) string { return list[f.IntN(len(list))] }

// operand writes a root with one leaf or with two to four leaves that its highest bits select.
func (f *isaspecWriter) operand(name string) {
	op := operandType{name: name, size: 3 + f.IntN(6), rank: len(f.operands)}
	for _, w := range wanted {
		if f.IntN(2) == 0 {
			op.wants = append(op.wants, w)
		}
	}
	f.put("<bitset name=\"%s\" size=\"%d\">\n", name, op.size)
	if f.IntN(3) == 0 {
		f.body(0, op.size, op.wants)
		f.put("</bitset>\n")
	} else {
		n := 1 + f.IntN(2)
		f.put("</bitset>\n")
		for i := range 1 << n {
			if i > 0 && f.IntN(5) == 0 {
				continue // no match
			}
			f.put("<bitset name=\"%s-%d\" extends=\"%s\">%s\n", name, i, name, pattern(op.size-n, n, i))
			f.body(0, op.size-n, op.wants)
			f.put("</bitset>\n")
		}
	}
	f.operands = append(f.operands, op)
}

// instructions writes leaves below bitsets with common parts.
func (f *isaspecWriter) instructions() {
	size := []int{8, 16, 32, 32, 64, 64, 128}[f.IntN(7)]
	const opcode = 3
	f.put("<bitset name=\"#instruction\" size=\"%d\">", size)
	var top []string
	if f.IntN(3) == 0 {
		top = f.derived(nil)
	}
	f.put("</bitset>\n")
	n := 0
	for i := range 1 + f.IntN(3) {
		mid := fmt.Sprintf("#mid%d", i)
		shared := 1 + f.IntN(size-opcode-1)
		f.put("<bitset name=\"%s\" extends=\"#instruction\">\n", mid)
		known := f.body(0, shared, top)
		f.put("</bitset>\n")
		for range 1 + f.IntN(3) {
			if n == 1<<opcode {
				break
			}
			f.put("<bitset name=\"i%d\" extends=\"%s\">%s", n, mid, pattern(size-opcode, opcode, n))
			if f.IntN(8) == 0 {
				f.put("<gen %s=\"%d\"/>", f.one("min", "max"), 1+f.IntN(3))
			}
			f.body(shared, size-opcode, known)
			f.put("</bitset>\n")
			n++
		}
	}
}

// body assigns the bits from low to high-1 to fields, patterns and asserts. It returns the names
// defined so far.
func (f *isaspecWriter) body(low, high int, known []string) []string {
	known = slices.Clone(known)
	for low < high {
		w := min(high-low, 1+f.IntN(4))
		at := fmt.Sprintf("low=\"%d\" high=\"%d\"", low, low+w-1)
		switch k := f.IntN(16); {
		case k == 0:
			f.put("<pattern %s>%s</pattern>\n", at, strings.Repeat("x", w))
		case k == 1:
			f.put("<assert %s>%0*b</assert>\n", at, w, f.IntN(1<<w))
		case k < 9 && len(f.operands) > 0 && f.operands[f.IntN(len(f.operands))].size <= high-low:
			op := f.operands[f.IntN(len(f.operands))]
			if op.size > high-low || f.sound && !slices.ContainsFunc(known, func(name string) bool { return name[0] != 'A' }) {
				f.field(low, low, &known)
				low++
				continue
			}
			w = op.size
			name := fmt.Sprintf("A%d_%d", op.rank, len(known))
			f.put("<field name=\"%s\" low=\"%d\" high=\"%d\" type=\"%s\">%s</field>\n", name, low, low+w-1, op.name, f.params(op, known))
			known = append(known, name)
		default:
			if f.IntN(6) == 0 {
				w = min(high-low, 16)
			}
			f.field(low, low+w-1, &known)
		}
		low += w
	}
	known = f.derived(known)
	for range f.IntN(3) {
		f.override(known, high)
	}
	if f.IntN(8) > 0 {
		f.display(known)
	}
	return known
}

func (f *isaspecWriter) field(low, high int, known *[]string) {
	name := f.name(*known)
	f.put("<field name=\"%s\" low=\"%d\" high=\"%d\" %s/>\n", name, low, high, f.kind())
	*known = append(*known, name)
}

// name returns a new name, or sometimes one that operands want.
func (f *isaspecWriter) name(known []string) string {
	for range 4 {
		if name := f.one(wanted...); f.IntN(3) == 0 && !slices.Contains(known, name) {
			return name
		}
	}
	for i := 0; ; i++ {
		if name := fmt.Sprintf("F%d", i); !slices.Contains(known, name) {
			return name
		}
	}
}

func (f *isaspecWriter) kind() string {
	return f.one(`type="uint"`, `type="int"`, `type="hex"`, `type="offset"`, `type="uoffset"`, `type="bool"`, `type="bool" display="h"`,
		`type="bool_inv" display="!"`, `type="#e0"`, `type="#e0"`, `type="branch"`)
}

// params writes the parameters of an operand. Sometimes it passes an undefined name.
func (f *isaspecWriter) params(op operandType, known []string) (text string) {
	var numbers, below []string
	for _, name := range known {
		if name[0] != 'A' {
			numbers = append(numbers, name)
		} else if int(name[1]-'0') < op.rank {
			below = append(below, name)
		}
	}
	if known = numbers; len(below) > 0 && !f.sound && f.IntN(2) == 0 {
		text = fmt.Sprintf("<param name=\"%s\" as=\"OTHER\"/>", f.one(below...))
	}
	for _, w := range op.wants {
		switch {
		case f.sound:
			text += fmt.Sprintf("<param name=\"%s\" as=\"%s\"/>", f.one(known...), w)
		case slices.Contains(known, w) && f.IntN(2) == 0 || f.IntN(4) == 0: // a leaf may define it, or nothing does
			text += fmt.Sprintf("<param name=\"%s\"/>", w)
		case len(known) > 0 && f.IntN(2) == 0:
			text += fmt.Sprintf("<param name=\"%s\" as=\"%s\"/>", f.one(known...), w)
		}
	}
	return text
}

// derived writes computed fields whose expressions are inline or named.
func (f *isaspecWriter) derived(known []string) []string {
	for range f.IntN(3) {
		name := f.name(known)
		within := known
		if f.cyclic && f.IntN(2) == 0 {
			within = append(within[:len(within):len(within)], name)
		}
		f.put("<derived name=\"%s\" %s", name, f.kind())
		if f.IntN(2) == 0 && !f.sound {
			f.put(" expr=\"%s\"/>\n", f.one(f.exprs...))
		} else {
			f.put("><expr>%s</expr></derived>\n", f.expr(within, 2))
		}
		known = append(known, name)
	}
	return known
}

func (f *isaspecWriter) override(known []string, size int) {
	if f.IntN(2) == 0 || f.sound {
		f.put("<override><expr>%s</expr>", f.expr(known, 1))
	} else {
		f.put("<override expr=\"%s\">", f.one(f.exprs...))
	}
	if bit := f.IntN(size); f.IntN(4) == 0 {
		f.put("<assert pos=\"%d\">%d</assert>", bit, f.IntN(2))
	}
	within := known
	if bit := f.IntN(size); f.IntN(2) == 0 {
		name := f.one("O", "HAS", "HALF", "F0")
		f.put("<field name=\"%s\" pos=\"%d\" %s/>", name, bit, f.kind())
		within = append(known[:len(known):len(known)], name)
	}
	if f.IntN(2) == 0 {
		f.display(within)
	}
	f.put("</override>\n")
}

// display writes a display with most names in random order and sometimes an undefined one.
func (f *isaspecWriter) display(known []string) {
	f.put("<display>%s", f.one("{NAME}", "{NAME}", "op", ""))
	for _, i := range f.Perm(len(known)) {
		if f.IntN(6) > 0 {
			f.put("%s{%s%s}", f.one(" ", ",", "", "."), known[i], f.one("", "", "", "", "", "", ":align=12"))
		}
	}
	if f.IntN(6) == 0 && !f.sound {
		f.put(" {%s}", f.one("NOPE", "O", "HAS", "OTHER", "OTHER"))
	}
	f.put("</display>\n")
}

// expr returns an expression with known names and sometimes an undefined one.
func (f *isaspecWriter) expr(known []string, depth int) string {
	if depth == 0 || f.IntN(6) == 0 {
		switch k := f.IntN(8); {
		case k == 0 && !f.sound:
			return f.one("{NOPE}", "{O}", "{HAS}", "{HALF}")
		case k < 3 || len(known) == 0:
			return fmt.Sprint(f.IntN(4))
		}
		return "{" + f.one(known...) + "}"
	}
	x, y := f.expr(known, depth-1), f.expr(known, depth-1)
	switch op := f.one("==", "!=", "&gt;", "&amp;", "|", "+", "-", "&lt;&lt;", "&amp;&amp;", "||", "!", "?"); op {
	case "!":
		return "!" + x
	case "?":
		return "(" + f.expr(known, 0) + " ? " + x + " : " + y + ")"
	default:
		return "(" + x + " " + op + " " + y + ")"
	}
}
