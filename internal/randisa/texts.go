package randisa

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// textWriter writes descriptions with similar texts: words that are prefixes of others, letters that
// are also digits, punctuation inside words, mnemonics that look like numbers, and operands with
// ambiguous texts.
type textWriter struct {
	*rand.Rand
	out strings.Builder
	// enums and operands are the types defined so far, with their sizes. table is the type of a table,
	// if there is one.
	enums, operands []sized
	table           string
	// programs reports whether the description is one of Programs. computed are additional types for
	// computed fields.
	programs bool
	computed []string
}

type sized struct {
	name string
	size int
	// parts is the number of fields that have a path.
	parts int
}

// enumTexts are the lists from which enums take their texts.
var enumTexts = [][]string{
	{"x", "y", "z", "w"}, {"*", "x"}, {"*", "y"}, {"xy", "yz", "zw", "zwx"}, {"x*y", "x", "y", "y*x"}, {"*y", "*x", "q", ""}, {"x", "y", "1", "2"},
	{"a", "b", "c", "l"}, {"", ".sat"}, {"", "!"}, {".", ":"}, {"eq", "ne", "", "e"}, {"r", "r1", "r12", "c"}, {"", " f", " g"}, {"0x", "0", "x", "1x"},
	{"l1", "l", "x1", "1"}, {"p", "pq", "pqr", "q"}, {"", "-", "|", "+"}, {"X", "Y", "Z", "w"}, {"", ".x", ".xy", ".y"}, {"x_1", "x_", "_", "x"},
}

// literals are the texts between fields.
var literals = []string{"r", "c", "v", ".", ".", ".", "[", "]", "(", ")", "-", "|", "+", " ", " ", ", ", ", ", "0x", "#", "!", "x", "1", ".x", "*", "r4", ".xy", "y ", " : "}

// mnemonics may occur more than once, so that several instructions have the same one.
var mnemonics = []string{"op", "op", "mov", "mov.x", "op.xy", "mad", "1d", "xyz", "opr", "fab", "", "32", "lit r4", "l1"}

func (v *textWriter) pick(from []string) string { return from[v.IntN(len(from))] }

func (v *textWriter) enum(name string) {
	list := enumTexts[v.IntN(len(enumTexts))]
	if v.IntN(3) == 0 { // in the style of swizzles
		list = enumTexts[0]
	}
	size := 1
	if len(list) > 2 {
		size = 2
	}
	fmt.Fprintf(&v.out, `<enum name="%s">`, name)
	for i, text := range list {
		alias := ""
		if v.IntN(8) == 0 {
			alias = "<alias>" + v.pick(enumTexts[v.IntN(len(enumTexts))]) + "</alias>"
		}
		if v.IntN(12) > 0 {
			fmt.Fprintf(&v.out, `<value val="%d" display="%s">%s</value>`, i, text, alias)
			if v.programs && v.IntN(8) == 0 {
				fmt.Fprintf(&v.out, `<value val="%d" display="%s" syntax="alt"/>`, i, v.pick(enumTexts[v.IntN(len(enumTexts))]))
			}
		}
	}
	v.out.WriteString("</enum>\n")
	v.enums = append(v.enums, sized{name, size, 0})
}

// layout allocates the bits of a bitset.
type layout struct {
	*textWriter
	at, size int
	count    int
	fields   strings.Builder
	// names are the fields defined so far. shown are further names that displays can use.
	names, shown []string
}

// units are the attributes of branch fields in programs.
var units = []string{"", "", ` unit="8"`, ` unit="16"`, ` call="true"`}

// field writes a field in the free bits and returns its reference for a display. It returns "" if
// there are too few bits.
func (l *layout) field(deep bool) string {
	l.count++
	name := fmt.Sprintf("F%d", l.count-1)
	typ, size, inner, parts := "uint", 1+l.IntN(6), "", 0
	switch k := l.IntN(20); {
	case l.programs && deep && l.IntN(4) == 0:
		typ, size = l.pick([]string{"branch", "absbranch"}), 5+l.IntN(8)
	case l.programs && l.IntN(20) == 0:
		typ, size = l.pick([]string{"hex", "uint"}), 60+l.IntN(12)
	case k < 5 || k < 10 && !deep:
		e := l.enums[l.IntN(len(l.enums))]
		typ, size = e.name, e.size
	case k < 12 && len(l.operands) > 0:
		o := l.operands[l.IntN(len(l.operands))]
		typ, size, parts = o.name, o.size, o.parts
		if len(l.names) > 0 && l.IntN(4) == 0 {
			inner = fmt.Sprintf(`<param name="%s" as="F9"/>`, l.pick(l.names))
		}
	case k == 12:
		typ = "int"
	case k == 13:
		typ = "hex"
	case k == 14:
		typ, size = "offset", 2+l.IntN(4)
	case k == 15:
		typ = "uoffset"
	case k == 16:
		typ, size = l.pick([]string{"bool", "bool_inv"}), 1
	case k == 18 && deep:
		typ, size = "float", 16
	case k == 19 && deep:
		typ, size = "absbranch", 8
	case k == 17 && deep:
		typ, size = "branch", 8
	}
	display := ""
	switch {
	case (typ == "bool" || typ == "bool_inv") && l.IntN(3) > 0:
		display = fmt.Sprintf(` display="%s"`, l.pick([]string{".x", "!", "x", ".sat", "y", "-"}))
	case typ == l.table && deep && l.IntN(2) == 0:
		display, size = ` table="table"`, 3
	case strings.HasSuffix(typ, "branch") && l.programs:
		display = l.pick(units)
	}
	if l.at+size > l.size {
		return ""
	}
	fmt.Fprintf(&l.fields, `<field name="%s" type="%s"%s>%s%s</field>`, name, typ, display, l.bits(size), inner)
	l.at += size
	for i := range parts {
		l.shown = append(l.shown, fmt.Sprintf("%s.F%d", name, i))
	}
	if typ != "float" { // The text does not determine all bits of a float.
		l.names = append(l.names, name)
	}
	if l.IntN(10) == 0 {
		return "{" + l.pick([]string{", ", ".", " ", ", r"}) + "?" + name + "}"
	}
	return "{" + name + "}"
}

// bits allocates the next bits, in one or two parts.
func (l *layout) bits(size int) string {
	const piece = `<bits low="%d" high="%d"/>`
	if !l.programs || size == 1 || l.IntN(3) > 0 {
		return fmt.Sprintf(piece, l.at, l.at+size-1)
	}
	cut := l.at + 1 + l.IntN(size-1)
	return fmt.Sprintf(piece+piece, l.at, cut-1, cut, l.at+size-1)
}

// template returns a display of fields and literals.
func (l *layout) template(start string, items int, deep bool) string {
	text := start
	for range items {
		switch l.IntN(10) {
		case 0, 1, 2:
			text += l.pick(literals)
		case 3:
			if list := slices.Concat(l.names, l.shown); len(list) > 0 { // a second reference
				text += "{" + l.pick(list) + "}"
			}
		case 8:
			text += l.operand(deep)
		case 9:
			text += l.set()
		case 4, 5:
			if f := l.field(deep); f != "" {
				text += "." + f
			}
		default:
			text += l.field(deep)
		}
	}
	return text
}

// operand writes a field or, for programs, sometimes an operand with a field.
func (l *layout) operand(deep bool) string {
	field := l.field(deep)
	if field == "" || !l.programs || l.IntN(3) > 0 {
		return field
	}
	name := fmt.Sprintf("A%d", l.count)
	fmt.Fprintf(&l.fields, `<operand name="%s"><display>%s%s%s</display></operand>`, name, l.pick(literals), field, l.pick(literals))
	return "{" + name + "}"
}

// set writes a set of options. It returns "" if there are too few bits.
func (l *layout) set() string {
	if l.at+3 > l.size || strings.Contains(l.fields.String(), "<set") {
		return ""
	}
	fmt.Fprintf(&l.fields, `<set name="SET"%s>`, l.pick([]string{"", "", ` join="."`, ` join=", "`}))
	for _, display := range []string{l.pick([]string{".x", ".sat", "x"}), l.pick([]string{".y", ".xy", "y"})} {
		fmt.Fprintf(&l.fields, `<field name="S%d" pos="%d" type="bool" display="%s"/>`, l.at, l.at, display)
		l.at++
	}
	l.fields.WriteString("</set>")
	return "{SET}"
}

// rest writes everything that depends on values: overrides, conditions and computed fields.
func (l *layout) rest(text string) (extra, shown string) {
	shown = text
	if len(l.names) == 0 {
		return "", shown
	}
	test := func() string {
		list := slices.Concat(l.names, l.shown)
		a, b := l.pick(list), l.pick(list)
		if a == b { // No tool could prove that this case is impossible.
			return "{" + a + "}"
		}
		return l.pick([]string{"{@mode} == 1", "{@other}", "{" + a + "} == 0", "{" + a + "} == {" + b + "}", "{" + a + "} &gt; 1", "{" + a + "} == 1 &amp;&amp; {" + b + "} == 0", "{" + a + "}"})
	}
	if l.IntN(4) == 0 {
		other := l.pick([]string{"", "{" + l.pick(l.names) + "}", strings.Replace(text, "{"+l.pick(l.names)+"}", l.pick(literals), 1), ".{" + l.pick(l.names) + "}"})
		kind := l.pick([]string{"<display>" + other + "</display>", "<display>" + text + "</display><alias>" + other + "</alias>", "<display>" + other + "</display><alias>" + text + "</alias>"})
		extra += "<override><expr>" + test() + "</expr>" + kind + "</override>"
	}
	if l.IntN(6) == 0 {
		extra += fmt.Sprintf(`<default name="%s" val="1"/>`, l.pick(l.names))
	}
	if l.IntN(6) == 0 {
		extra += "<require>" + test() + "</require>"
	}
	if l.IntN(5) == 0 {
		a, b := l.pick(l.names), l.pick(l.names)
		expr := l.pick([]string{"{" + a + "} &lt;&lt; 2", "{" + a + "} + 1", "{" + a + "} + {" + b + "}", "{" + a + "} &gt; 1"})
		extra += fmt.Sprintf(`<derived name="D" type="%s" width="%d"><expr>%s</expr></derived>`, l.pick(append([]string{"uint", "hex", "offset"}, l.computed...)), 8+l.IntN(2), expr)
		shown += l.pick([]string{"", ".", ", ", "+"}) + "{D}"
	}
	return extra, shown
}

// selector writes an operand whose texts are letters.
func (v *textWriter) selector(name string) {
	e := v.enums[v.IntN(len(v.enums))]
	n := 2 + v.IntN(3)
	extra, text := "", ""
	for i := range n {
		text += fmt.Sprintf("{F%d}", i)
		extra += fmt.Sprintf(`<field name="F%d" low="%d" high="%d" type="%s"/>`, i, i*e.size, (i+1)*e.size-1, e.name)
	}
	if v.IntN(3) == 0 {
		point := v.pick([]string{"", "."})
		text = point + text
		short := v.pick([]string{"", point + "{F0}", point + "{F1}{F0}"})
		extra += v.pick([]string{"<override><expr>{F0} == {F1}</expr><display>" + text + "</display><alias>" + short + "</alias></override>",
			"<override><expr>{F0} == 0 &amp;&amp; {F1} == 1</expr><display>" + short + "</display></override>"})
	}
	fmt.Fprintf(&v.out, `<bitset name="%s" size="%d"><display>%s</display>%s</bitset>`+"\n", name, n*e.size, text, extra)
	v.operands = append(v.operands, sized{name, n * e.size, n})
}

// leaf writes a leaf in the free bits of l. head holds its attributes and fixed the patterns that
// identify it.
func (l *layout) leaf(head, fixed, start string, items int, deep bool) {
	text := l.template(start, items, deep)
	extra, shown := l.rest(text)
	if l.programs && l.IntN(3) == 0 {
		extra += l.alternative()
	}
	fmt.Fprintf(&l.out, "<bitset %s>%s<display>%s</display>%s", head, extra, shown, l.fields.String())
	if l.at < l.size {
		fmt.Fprintf(&l.out, `<pattern low="%d" high="%d">%s</pattern>`, l.at, l.size-1, strings.Repeat(l.pick([]string{"x", "x", "0"}), l.size-l.at))
	}
	fmt.Fprintf(&l.out, "%s</bitset>\n", fixed)
}

// alternative returns a display of another syntax or an alias, with the fields in random order.
func (l *layout) alternative() string {
	text := l.pick(mnemonics) + " "
	for _, i := range l.Perm(len(l.names)) {
		text += "{" + l.names[i] + "}" + l.pick(literals)
	}
	element := l.pick([]string{"display", "display", "alias"})
	return "<" + element + ` syntax="alt">` + text + "</" + element + ">"
}

// pattern returns a pattern for n bits. low is the lowest of them.
func pattern(low, n, match int) string {
	return fmt.Sprintf(`<pattern low="%d" high="%d">%0*b</pattern>`, low, low+n-1, n, match)
}

// types writes enums, operands and contexts. One operand may be the type of a table.
func (v *textWriter) types() {
	for i := range 2 + v.IntN(3) {
		v.enum(fmt.Sprintf("#e%d", i))
	}
	for i := range 1 + v.IntN(2) {
		v.selector(fmt.Sprintf("#s%d", i))
	}
	for i := range 2 + v.IntN(4) {
		name, size, deep := fmt.Sprintf("#o%d", i), 3+v.IntN(6), i > 0
		head := fmt.Sprintf(`name="%s" size="%d"`, name, size)
		if v.IntN(3) > 0 {
			l := layout{textWriter: v, size: size}
			l.leaf(head, "", "", 1+v.IntN(4), deep)
		} else {
			fmt.Fprintf(&v.out, "<bitset %s/>\n", head)
			for k := range 2 {
				l := layout{textWriter: v, size: size - 1}
				l.leaf(fmt.Sprintf(`name="%s-%d" extends="%s"`, name, k, name), pattern(size-1, 1, k), "", 1+v.IntN(4), deep)
			}
		}
		v.operands = append(v.operands, sized{name, size, 0})
	}
	v.out.WriteString(`<context name="mode" type="#mode" default="a"/><context name="other" type="bool" default="false" bind="text"/><enum name="#mode"><value val="0" display="a"/><value val="1" display="b"/></enum>` + "\n")
	if v.IntN(3) == 0 {
		v.table = v.operands[v.IntN(len(v.operands))].name
		fmt.Fprintf(&v.out, `<table name="table" type="%s" size="8"/>`+"\n", v.table)
	}
}

// Texts returns a description with similar texts. The description may be invalid.
func Texts(seed uint64) string {
	v := textWriter{Rand: rand.New(rand.NewPCG(seed, 2))}
	v.out.WriteString(`<isa name="invented" strict="true">` + v.pick([]string{"", `<text case="fold"/>`, `<text comment="#"/>`}) + "\n")
	v.types()
	v.out.WriteString(`<bitset name="#i" size="40"/>` + "\n")
	used := v.pick(mnemonics)
	for i := range 4 + v.IntN(5) {
		if v.IntN(2) == 0 {
			used = v.pick(mnemonics)
		}
		l := layout{textWriter: &v, size: 36}
		l.leaf(fmt.Sprintf(`name="i%d" extends="#i"`, i), pattern(36, 4, i), used+v.pick([]string{" ", " ", " ", ""}), 2+v.IntN(6), true)
	}
	return v.out.String() + "</isa>\n"
}
