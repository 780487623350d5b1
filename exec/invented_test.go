package exec

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/sem"
)

var (
	inventedSeed  = flag.Uint64("invented-seed", 0, "the first meaning that TestInvented makes up")
	inventedCount = flag.Uint64("invented-count", 40, "how many meanings")
)

// action is what statements do: they read x and write to y.
type action func(x, y []uint64)

// meaner makes up what an instruction does.
type meaner struct {
	*rand.Rand
	types []sem.Type
	// long is the number of components of its vectors.
	long int
	// vars are the variables in sight, of which some can be assigned to; each has a place behind the registers.
	vars      []variable
	places    int
	functions []called
	// inFunction tells that a function is made up, which does not know the field, together that what is made up reads the
	// state as it was.
	inFunction, together bool
}

type variable struct {
	term
	place  int
	varies bool
}

// regs is the number of registers of each type that a lane has, and of vectors of it, and shared that of those which all
// lanes have.
const regs, shared = 3, 2

// The places of the registers of each type stand behind each other: those of a lane, those of all, the vectors. Behind
// them all are the field of the instruction, how many it jumps over, the number of the lane, the bytes of a memory, the depth
// and the entries of a stack, the bytes of the memory that all lanes have, and whether the lane runs.
func (m *meaner) own(k, n int) int          { return k*(regs+shared+regs*m.long) + n }
func (m *meaner) common(k, n int) int       { return m.own(k, regs+n) }
func (m *meaner) vector(k, n, comp int) int { return m.own(k, regs+shared+n*m.long+comp) }
func (m *meaner) field() int                { return m.own(len(m.types), 0) }
func (m *meaner) jump() int                 { return m.field() + 1 }
func (m *meaner) lane() int                 { return m.field() + 2 }
func (m *meaner) bytes(i uint64) int        { return m.field() + 3 + int(i%memory) }
func (m *meaner) depth() int                { return m.field() + 3 + memory }
func (m *meaner) entry(i, slot int) int     { return m.depth() + 1 + 2*i + slot }
func (m *meaner) global(i int) int          { return m.entry(entries, i) }
func (m *meaner) runs() int                 { return m.global(memory) }

// memory is the number of bytes of the memory that a lane has, and of that which all have, entries that of its stack, the newest first.
const memory, entries = 16, 3

// index is the number of a type of components.
func (m *meaner) index(t sem.Type) int { return slices.Index(m.types, t.Elem()) }

var aBool = sem.Type{Kind: sem.Bool, Width: 1}

var someTypes = []sem.Type{
	{Kind: sem.Uint, Width: 1}, {Kind: sem.Uint, Width: 7}, {Kind: sem.Uint, Width: 8}, {Kind: sem.Uint, Width: 16},
	{Kind: sem.Uint, Width: 31}, {Kind: sem.Uint, Width: 33}, {Kind: sem.Uint, Width: 64}, {Kind: sem.Sint, Width: 5}, {Kind: sem.Sint, Width: 8},
	{Kind: sem.Sint, Width: 16}, {Kind: sem.Sint, Width: 32}, {Kind: sem.Sint, Width: 48}, {Kind: sem.Sint, Width: 64},
	{Kind: sem.Float, Width: 16}, {Kind: sem.Float, Width: 32}, {Kind: sem.Float, Width: 64},
}

func newMeaner(seed uint64) *meaner {
	m := &meaner{Rand: rand.New(rand.NewPCG(seed, 5))}
	m.types = []sem.Type{aBool, {Kind: sem.Uint, Width: 32}, {Kind: sem.Sint, Width: 32}, {Kind: sem.Float, Width: 32}}
	for _, i := range m.Perm(len(someTypes))[:3] {
		if !slices.Contains(m.types, someTypes[i]) {
			m.types = append(m.types, someTypes[i])
		}
	}
	m.long = 2 + m.IntN(3)
	m.places = m.runs() + 1
	return m
}

func (m *meaner) pick(from ...string) string { return from[m.IntN(len(from))] }

// some is a type of the machine of one of the kinds, with so many components.
func (m *meaner) some(comps int, kinds ...sem.Kind) sem.Type {
	for {
		if t := m.types[m.IntN(len(m.types))]; slices.Contains(kinds, t.Kind) {
			t.Len = comps
			return t
		}
	}
}

// anyLen is the number of components of a scalar or of a vector.
func (m *meaner) anyLen() int {
	if m.IntN(3) > 0 {
		return 0
	}
	return m.long
}

// of returns a type with the components of another.
func of(t sem.Type, like sem.Type) sem.Type {
	t.Len = like.Len
	return t
}

// exchange is what lanes do with each other before anything else: it gives a variable of the lanes that run a value.
type exchange func(lanes [][]uint64, running []int)

// exchanges makes up some.
func (m *meaner) exchanges() (text string, do exchange) {
	var list []exchange
	var made []variable
	for range m.IntN(3) {
		s, v, e := m.exchange()
		m.vars = nil // of another lane
		text, list, made = text+s+"\n", append(list, e), append(made, v)
	}
	m.vars = made
	return text, func(lanes [][]uint64, running []int) {
		for _, e := range list {
			e(lanes, running)
		}
	}
}

func (m *meaner) exchange() (text string, v variable, do exchange) {
	switch m.IntN(3) {
	case 0:
		return m.atomic()
	case 1:
		value, of := m.term(m.some(0, sem.Bool, sem.Uint, sem.Sint, sem.Float), 4), m.term(m.types[1], 2)
		v = m.declare(value.t, fmt.Sprintf("v%d", m.places), false)
		return fmt.Sprintf("let %s = from(%s, %s %% 70);", v.text, value.text, of.text), v, func(lanes [][]uint64, running []int) {
			for _, i := range running {
				if n := int(of.of(lanes[i], 0) % 70); n < len(lanes) {
					lanes[i][v.place] = value.of(lanes[n], 0)
				} else {
					lanes[i][v.place] = 0
				}
			}
		}
	}
	c, kind := m.term(aBool, 3), m.IntN(3)
	t := []sem.Type{aBool, aBool, m.types[1]}[kind]
	v = m.declare(t, fmt.Sprintf("v%d", m.places), false)
	form := []string{"let %s = any(%s);", "let %s = all(%s);", "let %s = u32(trunc(ballot(%s), 32));"}[kind]
	return fmt.Sprintf(form, v.text, c.text), v, func(lanes [][]uint64, running []int) {
		ballot, most := uint64(0), uint64(0)
		for _, i := range running {
			ballot, most = ballot|c.of(lanes[i], 0)<<i, most|1<<i
		}
		for _, i := range running {
			lanes[i][v.place] = []uint64{truth(ballot != 0), truth(ballot == most), ballot & 0xffffffff}[kind]
		}
	}
}

// atomic makes up what one lane after another does to the memory of all. What a lane stores may hang on what it found.
func (m *meaner) atomic() (text string, v variable, do exchange) {
	word := m.types[1]
	c, i, add := m.term(aBool, 2), m.term(word, 2), m.term(word, 3)
	step := uint64(1 + 3*m.IntN(2)) // words that overlap, or do not
	count := (memory-4)/step + 1
	v = m.declare(word, fmt.Sprintf("v%d", m.places), false)
	j, other := term{}, term{}
	and := ""
	if m.IntN(2) == 0 {
		j, other = m.term(word, 2), m.term(word, 2)
		and = fmt.Sprintf(" g.u32[%s %% %d] = %s ^ %s;", j.text, memory-3, other.text, v.text)
	}
	form := "var %[1]s: u32 = 7;\nif (%[2]s) { atomic { %[1]s = g.u32[%[3]s %% %[4]d * %[5]d]; if (%[1]s[0:0] == 0) { g.u32[%[3]s %% %[4]d * %[5]d] = %[1]s + %[6]s; }%[7]s } }"
	return fmt.Sprintf(form, v.text, c.text, i.text, count, step, add.text, and), v, func(lanes [][]uint64, running []int) {
		var enter [][]uint64
		for _, lane := range running {
			lanes[lane][v.place] = 7
			if c.of(lanes[lane], 0) != 0 { // before any lane stores
				enter = append(enter, lanes[lane])
			}
		}
		for _, x := range enter {
			at := i.of(x, 0) % count * step
			x[v.place] = m.loaded(x, at)
			if x[v.place]&1 == 0 {
				at, sum := i.of(x, 0)%count*step, x[v.place]+add.of(x, 0)
				m.storeWord(lanes, at, sum)
			}
			if and != "" {
				m.storeWord(lanes, j.of(x, 0)%(memory-3), other.of(x, 0)^x[v.place])
			}
		}
	}
}

// loaded is the word of the memory of all lanes from a byte on.
func (m *meaner) loaded(x []uint64, at uint64) (word uint64) {
	for k := range 4 {
		word |= x[m.global(int(at)+k)] << (8 * k)
	}
	return word
}

// storeWord stores one in the memory that all lanes have.
func (m *meaner) storeWord(lanes [][]uint64, at, word uint64) {
	for _, x := range lanes {
		for k := range 4 {
			x[m.global(int(at)+k)] = word >> (8 * k) & 0xff
		}
	}
}

// statements makes up some, in a block of their own.
func (m *meaner) statements(n, depth int) (text string, do action) {
	var list []action
	held := len(m.vars)
	for range n {
		s, a := m.statement(depth)
		text += s + "\n"
		list = append(list, a)
	}
	m.vars = m.vars[:held]
	return text, func(x, y []uint64) {
		for _, a := range list {
			a(x, y)
		}
	}
}

func (m *meaner) statement(depth int) (text string, do action) {
	switch n := m.IntN(17); {
	case n == 16:
		return m.tuple()
	case n > 13:
		return m.push()
	case n > 11 && !m.together:
		far := m.resized(m.types[1], m.term(m.some(0, sem.Uint), 2))
		return "pc = next + " + far.text + " % 3;", func(x, y []uint64) { y[m.jump()] = far.of(x, 0) % 3 }
	case n < 2 && depth > 0:
		c := m.term(aBool, 2)
		then, yes := m.statements(1+m.IntN(3), depth-1)
		other, no := m.statements(1+m.IntN(2), depth-1)
		return "if (" + c.text + ") {\n" + then + "} else {\n" + other + "}", func(x, y []uint64) {
			if c.of(x, 0) != 0 {
				yes(x, y)
			} else {
				no(x, y)
			}
		}
	case n == 2 && depth > 0:
		return m.loop(depth - 1)
	case n == 3 && depth > 0 && !m.together:
		m.together = true
		inner, run := m.statements(2+m.IntN(3), depth-1)
		m.together = false
		return "together {\n" + inner + "}", func(x, y []uint64) { run(slices.Clone(x), y) }
	case n < 7:
		return m.variable()
	}
	return m.write()
}

// tuple gives two registers or two variables their values at once.
func (m *meaner) tuple() (text string, do action) {
	k, l := m.IntN(len(m.types)), m.IntN(len(m.types))
	c, a, b, p, q := m.term(aBool, 1), m.term(m.types[k], 2), m.term(m.types[l], 2), m.term(m.types[k], 2), m.term(m.types[l], 2)
	value := fmt.Sprintf("%s ? (%s, %s) : (%s, %s)", c.text, a.text, b.text, p.text, q.text)
	chosen := func(x []uint64) (uint64, uint64) {
		if c.of(x, 0) != 0 {
			return a.of(x, 0), b.of(x, 0)
		}
		return p.of(x, 0), q.of(x, 0)
	}
	if m.IntN(2) == 0 {
		v, w := m.declare(m.types[k], fmt.Sprintf("v%d", m.places), false), m.declare(m.types[l], fmt.Sprintf("v%d", m.places), false)
		return fmt.Sprintf("let (%s, %s) = %s;", v.text, w.text, value), func(x, y []uint64) {
			first, second := chosen(x)
			x[v.place], x[w.place] = first, second
			y[v.place], y[w.place] = first, second
		}
	}
	i, j := m.IntN(regs-1), regs-1
	return fmt.Sprintf("(r_%s[%d], r_%s[%d]) = %s;", m.types[k], i, m.types[l], j, value), func(x, y []uint64) {
		first, second := chosen(x)
		y[m.own(k, i)], y[m.own(l, j)] = first, second
	}
}

// push puts something on the stack, or takes the newest from it.
func (m *meaner) push() (text string, do action) {
	if m.IntN(3) == 0 {
		return "pop s;", func(x, y []uint64) {
			if y[m.depth()] > 0 {
				copy(y[m.entry(0, 0):m.entry(entries, 0)], y[m.entry(1, 0):m.entry(entries, 0)])
				y[m.depth()]--
			}
		}
	}
	a, b := m.term(m.types[1], 2), m.term(aBool, 2)
	return fmt.Sprintf("push s { x = %s, y = %s };", a.text, b.text), func(x, y []uint64) {
		v, w := a.of(x, 0), b.of(x, 0)
		copy(y[m.entry(1, 0):m.entry(entries, 0)], y[m.entry(0, 0):])
		y[m.entry(0, 0)], y[m.entry(0, 1)], y[m.depth()] = v, w, min(y[m.depth()]+1, entries)
	}
}

// set gives a variable a value, which counts at once.
func set(place int, v term) action {
	return func(x, y []uint64) {
		for k, n := range v.all(x) {
			x[place+k], y[place+k] = n, n
		}
	}
}

// all are the components of a value.
func (v term) all(x []uint64) (list []uint64) {
	for k := range v.t.Count() {
		list = append(list, v.of(x, k))
	}
	return list
}

// variable declares one, or gives one a value.
func (m *meaner) variable() (text string, do action) {
	if n := len(m.vars); n > 0 && m.IntN(3) > 0 {
		if v := m.vars[m.IntN(n)]; v.varies {
			value := m.term(v.t, 3)
			return v.text + " = " + value.text + ";", set(v.place, value)
		}
	}
	t := m.some(m.anyLen(), sem.Bool, sem.Uint, sem.Sint, sem.Float)
	value, varies := m.term(t, 3), m.IntN(2) == 0
	v := m.declare(t, fmt.Sprintf("v%d", m.places), varies)
	if varies {
		return fmt.Sprintf("var %s: %s = %s;", v.text, t, value.text), set(v.place, value)
	}
	return fmt.Sprintf("let %s = %s;", v.text, value.text), set(v.place, value)
}

func (m *meaner) declare(t sem.Type, text string, varies bool) variable {
	place := m.places
	m.places += t.Count()
	v := variable{term{t, text, func(x []uint64, k int) uint64 { return x[place+min(k, t.Count()-1)] }}, place, varies}
	m.vars = append(m.vars, v)
	return v
}

func (m *meaner) loop(depth int) (text string, do action) {
	held, from, to := len(m.vars), uint64(m.IntN(2)), uint64(1+m.IntN(3))
	name := fmt.Sprintf("i%d", m.places)
	v := m.declare(m.types[1], "u32("+name+")", false)
	inner, run := m.statements(1+m.IntN(2), depth)
	m.vars = m.vars[:held]
	return fmt.Sprintf("for %s in %d .. %d {\n%s}", name, from, to, inner), func(x, y []uint64) {
		for i := from; i < to; i++ {
			x[v.place], y[v.place] = i, i
			run(x, y)
		}
	}
}

// write writes to a register, to parts of one, or to one whose number is computed.
func (m *meaner) write() (text string, do action) {
	k := m.IntN(len(m.types))
	t, n := m.types[k], m.IntN(regs)
	if m.IntN(3) == 0 {
		t.Len = m.long
		return m.writeVector(k, n, m.term(t, 4))
	}
	value, place := m.term(t, 4), m.own(k, n)
	switch m.IntN(8) {
	case 2:
		return m.store(1 << m.IntN(4))
	case 3:
		return m.writeView()
	case 0:
		i := m.term(m.types[1], 2)
		return fmt.Sprintf("r_%s[%s %% %d] = %s;", t, i.text, regs, value.text), func(x, y []uint64) { y[m.own(k, int(i.of(x, 0)%regs))] = value.of(x, 0) }
	case 1:
		if t.Kind != sem.Uint && t.Kind != sem.Sint {
			break
		}
		low := m.IntN(t.Width)
		high := low + m.IntN(t.Width-low)
		part := m.resized(sem.Type{Kind: sem.Uint, Width: high - low + 1}, m.term(m.some(0, sem.Uint), 2))
		mask := ^uint64(0) >> (63 - high + low) << low
		return fmt.Sprintf("r_%s[%d][%d:%d] = %s;", t, n, high, low, part.text), func(x, y []uint64) { y[place] = y[place]&^mask | part.of(x, 0)<<low }
	}
	return fmt.Sprintf("r_%s[%d] = %s;", t, n, value.text), func(x, y []uint64) { y[place] = value.of(x, 0) }
}

// writeView writes half of a register, or two.
func (m *meaner) writeView() (text string, do action) {
	if n := m.IntN(2 * regs); m.IntN(2) == 0 {
		part, low := m.resized(sem.Type{Kind: sem.Uint, Width: 16}, m.term(m.some(0, sem.Uint), 2)), n%2*16
		return fmt.Sprintf("half[%d] = %s;", n, part.text), func(x, y []uint64) { y[m.own(1, n/2)] = y[m.own(1, n/2)]&^(0xffff<<low) | part.of(x, 0)<<low }
	}
	pair, n := m.resized(sem.Type{Kind: sem.Uint, Width: 64}, m.term(m.some(0, sem.Uint), 2)), m.IntN(regs-1)
	return fmt.Sprintf("pair[%d] = %s;", n, pair.text), func(x, y []uint64) {
		v := pair.of(x, 0)
		y[m.own(1, n)], y[m.own(1, n+1)] = v&0xffffffff, v>>32
	}
}

// store writes so many bytes of memory.
func (m *meaner) store(size int) (text string, do action) {
	i, value := m.term(m.types[1], 2), m.resized(sem.Type{Kind: sem.Uint, Width: 8 * size}, m.term(m.some(0, sem.Uint), 3))
	return fmt.Sprintf("m.u%d[%s] = %s;", 8*size, m.address(i, size), value.text), func(x, y []uint64) {
		at, v := i.of(x, 0)%uint64(memory-size+1), value.of(x, 0)
		for b := range size {
			y[m.bytes(at+uint64(b))] = v >> (8 * b) & 0xff
		}
	}
}

// writeVector writes to a vector, to one of its components, or to those of a mask.
func (m *meaner) writeVector(k, n int, value term) (text string, do action) {
	name, comp := fmt.Sprintf("v_%s[%d]", value.t.Elem(), n), m.IntN(m.long)
	switch m.IntN(3) {
	case 0:
		one := m.term(value.t.Elem(), 3)
		return fmt.Sprintf("%s.%s = %s;", name, letters[comp:comp+1], one.text), func(x, y []uint64) { y[m.vector(k, n, comp)] = one.of(x, 0) }
	case 1:
		mask := m.resized(sem.Type{Kind: sem.Uint, Width: m.long}, m.term(m.types[1], 2))
		return fmt.Sprintf("%s.where(%s) = %s;", name, mask.text, value.text), func(x, y []uint64) {
			which := mask.of(x, 0)
			for c, v := range value.all(x) {
				if which>>c&1 != 0 {
					y[m.vector(k, n, c)] = v
				}
			}
		}
	}
	return name + " = " + value.text + ";", func(x, y []uint64) { copy(y[m.vector(k, n, 0):], value.all(x)) }
}

// description is a machine whose only instruction does that.
func (m *meaner) description(functions, code string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<isa strict="true"><fetch unit="8"/><memory name="m" size="%[1]d" scope="lane"/><memory name="g" size="%[1]d" scope="launch"/><stack name="s" depth="%[2]d" full="overwrite" empty="none"><slot name="x" type="u32"/><slot name="y" type="bool"/></stack><view name="half" file="r_u32" type="u16"/><view name="pair" file="r_u32" type="u64"/>`+"\n", memory, entries)
	for _, t := range m.types {
		fmt.Fprintf(&b, `<file name="r_%s" type="%s" count="%d" init="0"/><file name="c_%s" type="%s" count="%d" scope="launch" init="0"/><file name="v_%s" type="%sx%d" count="%d" init="0"/>`+"\n", t, t, regs, t, t, shared, t, t, m.long, regs)
		fmt.Fprintf(&b, `<service name="ask_%s(a: u32, b: bool): %sx%d"/>`+"\n", t, t, m.long)
	}
	return b.String() + functions + `<bitset name="#instruction" size="8"/><bitset name="run" extends="#instruction"><display>run {K}</display>
<field name="K" low="0" high="6" type="uint"/><pattern pos="7">1</pattern>
<semantics><![CDATA[` + "\n" + code + `]]></semantics></bitset></isa>`
}

// TestInvented runs meanings that are made up in waves of several sizes, and does what they say by hand.
func TestInvented(t *testing.T) {
	for seed := *inventedSeed; seed < *inventedSeed+*inventedCount; seed++ {
		m := newMeaner(seed)
		functions := ""
		for i := range m.IntN(3) {
			functions += m.declareFunction(fmt.Sprintf("f%d", i))
		}
		before, exchange := m.exchanges()
		code, do := m.statements(3+m.IntN(5), 2)
		text := m.description(functions, before+code)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { m.compare(t, text, exchange, do) }) {
			t.Fatal(text)
		}
	}
}

func (m *meaner) compare(t *testing.T, text string, exchange exchange, do action) {
	var words []uint64
	for range 1 + m.IntN(5) {
		words = append(words, 0x80|m.Uint64N(128))
	}
	machine := parse(t, text)
	w := NewWave(machine.program("#instruction", Words{}, words...))
	w.Services = m.services()
	for _, n := range []int{1, 1 + m.IntN(8), 32, 64} {
		w.Start(n, 0)
		lanes := m.fill(machine, w, n)
		w.Run(t.Context())
		m.run(words, lanes, exchange, do)
		m.sameGlobal(t, machine, w, lanes[0])
		for lane, x := range lanes {
			m.same(t, machine, w, lane, x)
			m.sameStack(t, machine.state("s"), w, lane, x)
		}
	}
}

// run runs a program: of lanes that are not at one place, those with the lowest.
func (m *meaner) run(words []uint64, lanes [][]uint64, exchange exchange, do action) {
	pcs := make([]int, len(lanes))
	for slices.Min(pcs) < len(words) {
		pc := slices.Min(pcs)
		var running []int
		for i, x := range lanes {
			x[m.field()], x[m.runs()] = words[pc]&0x7f, truth(pcs[i] == pc)
			if pcs[i] == pc {
				running = append(running, i)
			}
		}
		exchange(lanes, running)
		for _, i := range running {
			lanes[i][m.jump()] = 0
			do(lanes[i], lanes[i])
			pcs[i] += 1 + int(lanes[i][m.jump()])
		}
	}
}

// same compares the registers of a lane with what they should be.
func (m *meaner) same(t *testing.T, machine *machine, w *Wave, lane int, x []uint64) {
	t.Helper()
	m.each(func(file string, typ sem.Type, n, comp, place int) {
		got := w.Get(machine.state(file), n, comp, lane)
		if typ.Kind == sem.Float {
			got = ieee(typ.Width).canonical(got)
		}
		if got != x[place] {
			t.Fatalf("component %d of %s[%d] of lane %d is %#x, want %#x", comp, file, n, lane, got, x[place])
		}
	})
	for i, got := range w.Memory(machine.state("m"))[lane*memory:][:memory] {
		if want := x[m.bytes(uint64(i))]; uint64(got) != want {
			t.Fatalf("byte %d of lane %d is %#x, want %#x", i, lane, got, want)
		}
	}
}

// sameGlobal compares the memory of all lanes with what it should be.
func (m *meaner) sameGlobal(t *testing.T, machine *machine, w *Wave, x []uint64) {
	t.Helper()
	for i, got := range w.Memory(machine.state("g")) {
		if want := x[m.global(i)]; uint64(got) != want {
			t.Fatalf("byte %d of all lanes is %#x, want %#x", i, got, want)
		}
	}
}

// sameStack compares the stack of a lane with what it should be.
func (m *meaner) sameStack(t *testing.T, s *State, w *Wave, lane int, x []uint64) {
	t.Helper()
	if got := w.Depth(s, lane); uint64(got) != x[m.depth()] {
		t.Fatalf("the stack of lane %d is %d deep, want %d", lane, got, x[m.depth()])
	}
	for i := range int(x[m.depth()]) {
		for slot := range 2 {
			if got, want := w.Entry(s, i, slot, lane), x[m.entry(i, slot)]; got != want {
				t.Fatalf("slot %d of entry %d of lane %d is %#x, want %#x", slot, i, lane, got, want)
			}
		}
	}
}

// each visits the registers of a lane.
func (m *meaner) each(visit func(file string, t sem.Type, n, comp, place int)) {
	for k, t := range m.types {
		for n := range regs {
			visit("r_"+t.String(), t, n, 0, m.own(k, n))
			for comp := range m.long {
				visit("v_"+t.String(), t, n, comp, m.vector(k, n, comp))
			}
		}
	}
}

// fill gives the registers of all lanes odd values, and returns them.
func (m *meaner) fill(machine *machine, w *Wave, n int) [][]uint64 {
	lanes := make([][]uint64, n)
	for lane := range lanes {
		x := make([]uint64, m.places)
		m.each(func(file string, t sem.Type, n, comp, place int) {
			x[place] = m.odd(t)
			w.Set(machine.state(file), n, comp, lane, x[place])
		})
		for i := range memory {
			x[m.bytes(uint64(i))] = m.odd(sem.Type{Kind: sem.Uint, Width: 8})
			w.Memory(machine.state("m"))[lane*memory+i] = byte(x[m.bytes(uint64(i))])
		}
		x[m.lane()] = uint64(lane)
		lanes[lane] = x
	}
	for i := range memory {
		v := m.odd(sem.Type{Kind: sem.Uint, Width: 8})
		w.Memory(machine.state("g"))[i] = byte(v)
		for _, x := range lanes {
			x[m.global(i)] = v
		}
	}
	for k, t := range m.types {
		for i := range shared {
			v := m.odd(t)
			w.Set(machine.state("c_"+t.String()), i, 0, 0, v)
			for _, x := range lanes {
				x[m.common(k, i)] = v
			}
		}
	}
	return lanes
}
