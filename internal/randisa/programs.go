package randisa

import (
	"fmt"
	"math/rand/v2"
)

// starts are what starts instructions of programs beside mnemonics: what looks like a label, a directive or a comment. Data
// could not be told from an instruction whose text starts with .word.
var starts = []string{"l1:", ": ", ".words ", ".align 4", ".set x, ", "br ", "; x", "// ", "x:\ny", "f32\n  x"}

// Programs returns a description of instructions of several lengths, which lie in words of several sizes and orders, with
// branches that count in several units; some texts have a second spelling, alt. It may be one that is refused.
func Programs(seed uint64) string {
	v := textWriter{Rand: rand.New(rand.NewPCG(seed, 3)), programs: true, computed: []string{"branch", "absbranch"}}
	v.out.WriteString(`<isa name="programs" strict="true"><text` + v.pick([]string{"", ` storage="8"`, ` storage="16"`, ` storage="32"`}) +
		v.pick([]string{"", ` words="high-first"`}) + v.pick([]string{"", ` comment="//"`}) + "/>\n")
	v.types()
	v.out.WriteString(`<context name="hue" type="#mode" bind="text"/>` + "\n")
	short, low := 4+v.IntN(29), 0 // where the bits stand that tell the leaves apart, and so the lengths
	if v.IntN(2) == 0 {
		short = []int{8, 16, 24, 32}[v.IntN(4)]
	}
	if v.IntN(2) == 0 {
		low = v.IntN(short - 2)
	}
	sizes := []int{short, short, short + 1 + v.IntN(24), short + 8*(1+v.IntN(6)), 2 * short}
	fmt.Fprintf(&v.out, `<bitset name="#i" size="%d"/>`+"\n", short)
	for i := range 8 {
		if v.IntN(4) > 0 {
			v.instruction("", i, low, sizes)
			continue
		}
		for _, mode := range []string{"a", "b"} {
			v.instruction(mode, i, low, sizes)
		}
	}
	return v.out.String() + "</isa>\n"
}

// instruction makes up the leaf of a number, which stands in three bits from low on, in one mode or in all.
func (v *textWriter) instruction(mode string, number, low int, sizes []int) {
	size := sizes[v.IntN(len(sizes))]
	l, start := layout{textWriter: v, at: low + 3, size: size}, v.pick(mnemonics)+v.pick([]string{" ", " ", ""})
	if v.IntN(4) == 0 {
		start = v.pick(starts)
	}
	if v.IntN(4) == 0 {
		l.shown = []string{"@mode", "@other", "@hue"}
	}
	fixed := pattern(low, 3, number)
	if mode != "" {
		fixed += "<require>{@mode} == #mode." + mode + "</require>"
	}
	if low > 0 {
		fixed += fmt.Sprintf(`<field name="BELOW" low="0" high="%d" type="hex"/>`, low-1)
		l.names = []string{"BELOW"}
		start += v.pick([]string{"", "{BELOW} ", "{BELOW}, "})
	}
	l.leaf(fmt.Sprintf(`name="i%d%s" extends="#i" size="%d"`, number, mode, size), fixed, start, 2+v.IntN(6), true)
}
