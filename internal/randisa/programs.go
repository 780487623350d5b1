package randisa

import (
	"fmt"
	"math/rand/v2"
)

// starts begin some instructions of programs. They look like a label, a directive or a comment. None
// is .word, because data would then look like an instruction.
var starts = []string{"l1:", ": ", ".words ", ".align 4", ".set x, ", "br ", "; x", "// ", "x:\ny", "f32\n  x"}

// Programs returns a description with instructions of several lengths, word sizes and word orders.
// Branches count in several units. Some texts have a second syntax, alt. The description may be
// invalid.
func Programs(seed uint64) string {
	v := textWriter{Rand: rand.New(rand.NewPCG(seed, 3)), programs: true, computed: []string{"branch", "absbranch"}}
	v.out.WriteString(`<isa name="programs" strict="true"><text` + v.pick([]string{"", ` storage="8"`, ` storage="16"`, ` storage="32"`}) +
		v.pick([]string{"", ` words="high-first"`}) + v.pick([]string{"", ` comment="//"`}) + "/>\n")
	v.types()
	v.out.WriteString(`<context name="hue" type="#mode" bind="text"/>` + "\n")
	short, low := 4+v.IntN(29), 0 // the position of the bits that select the leaf and its length
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

// instruction writes the leaf with the given number, for one mode or for all. The number is in three
// bits, of which low is the lowest.
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
