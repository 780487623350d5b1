package asm_test

import (
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
)

// Lines that differ in the numbers of registers are read alike, but where more than the field of a register depends on
// one: N is even where A is by default, and two values of B are one register.
func TestShape(t *testing.T) {
	s := load(t, `<file name="r" type="u8" count="8"/>
		<bitset name="#reg" size="3"><display>r{N}</display><reg file="r" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
		<bitset name="#half" size="4"><display>r{N}</display><reg file="r" index="{N}"/>
			<derived name="N" type="uint" width="3"><expr>{M} &gt;&gt; 1</expr></derived><field name="M" low="0" high="3" type="uint"/></bitset>
		<bitset name="#instruction" size="12"/>
		<bitset name="add" extends="#instruction"><display>add {A}, {C}</display><pattern low="10" high="11">00</pattern>
			<field name="A" low="7" high="9" type="#reg" symbols="x"/><field name="C" low="4" high="6" type="#reg" symbols="x"/><pattern low="0" high="3">0000</pattern></bitset>
		<bitset name="odd" extends="#instruction"><display>odd {A}, {C}</display><pattern low="10" high="11">01</pattern>
			<field name="A" low="7" high="9" type="#reg" symbols="x"/><field name="C" low="4" high="6" type="#reg" symbols="x"/>
			<field name="N" low="0" high="3" type="uint"/><default name="N" expr="{A} &amp; 1"/></bitset>
		<bitset name="two" extends="#instruction"><display>two {A}, {B}</display><pattern low="10" high="11">10</pattern>
			<field name="A" low="7" high="9" type="#reg" symbols="x"/><field name="B" low="3" high="6" type="#half" symbols="x"/><pattern low="0" high="2">000</pattern></bitset>`)
	x := toolsFor(t, s)
	file := s.Files()[0]
	var l asm.Line
	for range 3 {
		for a := range 8 {
			for c := range 8 {
				for name, want := range map[string]int{"add": a<<7 | c<<4, "odd": 1<<10 | a<<7 | c<<4 | a&1, "two": 2<<10 | a<<7 | c<<4} {
					l.Start(name)
					l.Keep(0, len(name))
					l.Text = append(l.Text, ' ')
					l.Register(file, a)
					l.Text = append(l.Text, ", "...)
					l.Register(file, c)
					if res, err := x.p.ParseLine(&l); err != nil || res.Inst.Bits != bits.Of(uint64(want)) {
						t.Fatalf("%s is %s, %v, expected %03x", l.Text, res.Inst.Bits, err, want)
					}
				}
			}
		}
	}
}

// A suffix that gives the field of a register another value counts, also where it is the register's at first.
func TestShapeSuffix(t *testing.T) {
	s := load(t, `<file name="r" type="u8" count="8"/>
		<bitset name="#reg" size="3"><display>r{N}</display><reg file="r" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
		<bitset name="#instruction" size="8"><display>add {A}, {C}</display>
			<field name="A" low="3" high="5" type="#reg" symbols="x"/><field name="C" low="0" high="2" type="#reg" symbols="x"/><pattern low="6" high="7">00</pattern></bitset>`)
	x := toolsFor(t, s)
	read := func(a, c int, suffix string) uint64 {
		var l asm.Line
		l.Start("add")
		l.Keep(0, len("add"))
		l.Text = append(l.Text, ' ')
		l.Register(s.Files()[0], a)
		l.Text = append(l.Text, ", "...)
		l.Register(s.Files()[0], c)
		l.Text = append(l.Text, suffix...)
		res, err := x.p.ParseLine(&l)
		if err != nil {
			t.Fatal(err)
		}
		return res.Inst.Bits[0]
	}
	for range 64 { // as many lines have to be read before shapes are kept
		read(1, 2, "")
	}
	for _, c := range []struct {
		a, c   int
		suffix string
		want   uint64
	}{
		{1, 2, " {C=0x2}", 012}, {1, 2, " {C=0x2}", 012}, {3, 2, " {C=0x2}", 032}, {4, 5, " {C=0x2}", 042}, {4, 6, " {C=0x2}", 042},
		{1, 2, " {A=0x2, C=0x1}", 021}, {1, 2, " {A=0x2, C=0x1}", 021}, {3, 4, " {A=0x2, C=0x1}", 021},
		{1, 2, "", 012}, {3, 2, "", 032}, {3, 5, "", 035}, {7, 6, "", 076},
	} {
		if got := read(c.a, c.c, c.suffix); got != c.want {
			t.Errorf("add r%d, r%d%s is %o, expected %o", c.a, c.c, c.suffix, got, c.want)
		}
	}
}

// What a shape has beside registers is asked for each time, and what depends on a register is read: a label that moves, a
// constant that changes, a default that differs for the last register alone, and a field that is written twice.
func TestShapeDepends(t *testing.T) {
	s := load(t, `<file name="r" type="u8" count="8"/>
		<bitset name="#reg" size="3"><display>r{N}</display><reg file="r" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
		<bitset name="#instruction" size="12"><field name="A" low="7" high="9" type="#reg" symbols="x"/></bitset>
		<bitset name="jump" extends="#instruction"><display>jump {A}, {T}</display><pattern low="10" high="11">00</pattern>
			<field name="T" low="0" high="6" type="absbranch" unit="1"/></bitset>
		<bitset name="load" extends="#instruction"><display>load {A}, {T}</display><pattern low="10" high="11">01</pattern>
			<field name="T" low="0" high="6" type="uint"/></bitset>
		<bitset name="last" extends="#instruction"><display>last {A}, {T}</display><pattern low="10" high="11">10</pattern>
			<field name="T" low="0" high="5" type="uint"/><field name="L" pos="6" type="uint"/><default name="L" expr="{A} == 7"/></bitset>
		<bitset name="same" extends="#instruction"><display>same {A}, {A}</display><pattern low="10" high="11">11</pattern>
			<pattern low="0" high="6">0000000</pattern></bitset>`)
	x := toolsFor(t, s)
	k := int64(0)
	x.p.Symbol = func(string) (int64, bool) { return k, true }
	x.p.Constant = func(string) (int64, int, error) { return k, len("(k)"), nil }
	read := func(name string, a int, rest string, b ...int) (asm.Result, error) {
		var l asm.Line
		l.Start(name)
		l.Keep(0, len(name))
		l.Text = append(l.Text, ' ')
		l.Register(s.Files()[0], a)
		l.Text = append(l.Text, rest...)
		for _, n := range b {
			l.Register(s.Files()[0], n)
		}
		return x.p.ParseLine(&l)
	}
	for i := range 128 { // shapes are kept after a while; the label moves when they are
		a := i % 7
		k = int64(1 + i/100)
		for n, c := range []struct {
			name, rest string
			t          int
			b          []int
		}{{"jump", ", there", int(k), nil}, {"load", ", $(k)", int(k), nil}, {"last", ", 5", 5, nil}, {"same", ", ", 0, []int{a}}} {
			if res, err := read(c.name, a, c.rest, c.b...); err != nil || res.Inst.Bits != bits.Of(uint64(n<<10|a<<7|c.t)) {
				t.Fatalf("%s r%d%s%v is %s, %v, where the label and the constant are %d", c.name, a, c.rest, c.b, res.Inst.Bits, err, k)
			}
		}
	}
	if res, err := read("last", 7, ", 5"); err != nil || res.Inst.Bits != bits.Of(2<<10|7<<7|1<<6|5) {
		t.Errorf("last r7, 5 is %s, %v, expected bc5", res.Inst.Bits, err)
	}
	if res, err := read("same", 2, ", ", 3); err == nil {
		t.Errorf("same r2, r3 is %s, expected an error", res.Inst.Bits)
	}
}
