package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/internal/spec"
)

// shape is a view of a file, and what its registers are where byte k of the file's row is k.
type shape struct {
	file  string
	count int
	view  string
	align int
	// first and second are the components of the registers of two numbers.
	first, second numbered
}

type numbered struct {
	n     int
	comps []uint64
}

// shapes are of all kinds: parts and several registers, of scalars and of vectors, integers and floats, with the
// borders of components that meet and that do not.
var shapes = []shape{
	{"u32", 4, "u16", 0, numbered{0, []uint64{0x0100}}, numbered{3, []uint64{0x0706}}},
	{"u32", 4, "s8", 0, numbered{1, []uint64{1}}, numbered{14, []uint64{14}}},
	{"f32", 4, "f16", 0, numbered{2, []uint64{0x0504}}, numbered{7, []uint64{0x0f0e}}},
	{"f32", 4, "u16x2", 0, numbered{0, []uint64{0x0100, 0x0302}}, numbered{3, []uint64{0x0d0c, 0x0f0e}}},
	{"u32", 4, "f32", 0, numbered{0, []uint64{0x03020100}}, numbered{2, []uint64{0x0b0a0908}}},
	{"u32", 6, "u64", 2, numbered{0, []uint64{0x0706050403020100}}, numbered{4, []uint64{0x1716151413121110}}},
	{"u32", 6, "u64", 0, numbered{1, []uint64{0x0b0a090807060504}}, numbered{3, []uint64{0x13121110_0f0e0d0c}}},
	{"f32", 4, "f64", 0, numbered{0, []uint64{0x0706050403020100}}, numbered{2, []uint64{0x0f0e0d0c0b0a0908}}},
	{"u32", 8, "u32x4", 4, numbered{0, []uint64{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}}, numbered{4, []uint64{0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c}}},
	{"u32", 8, "s32x3", 0, numbered{1, []uint64{0x07060504, 0x0b0a0908, 0x0f0e0d0c}}, numbered{5, []uint64{0x17161514, 0x1b1a1918, 0x1f1e1d1c}}},
	{"u32", 8, "f16x4", 0, numbered{0, []uint64{0x0100, 0x0302, 0x0504, 0x0706}}, numbered{3, []uint64{0x0d0c, 0x0f0e, 0x1110, 0x1312}}},
	{"f32x4", 2, "f16x4", 0, numbered{0, []uint64{0x0100, 0x0302, 0x0504, 0x0706}}, numbered{3, []uint64{0x1918, 0x1b1a, 0x1d1c, 0x1f1e}}},
	{"f32x4", 2, "f32x2", 0, numbered{1, []uint64{0x0b0a0908, 0x0f0e0d0c}}, numbered{2, []uint64{0x13121110, 0x17161514}}},
	{"f32x4", 2, "u32", 0, numbered{1, []uint64{0x07060504}}, numbered{6, []uint64{0x1b1a1918}}},
	{"f32x4", 2, "u8", 0, numbered{5, []uint64{5}}, numbered{30, []uint64{30}}},
	{"f32x4", 4, "u32x8", 2, numbered{0, []uint64{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c}},
		numbered{2, []uint64{0x23222120, 0x27262524, 0x2b2a2928, 0x2f2e2d2c, 0x33323130, 0x37363534, 0x3b3a3938, 0x3f3e3d3c}}},
	{"f32x4", 2, "u64x2", 0, numbered{0, []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908}}, numbered{1, []uint64{0x1716151413121110, 0x1f1e1d1c1b1a1918}}},
	{"u16x4", 3, "u64", 0, numbered{0, []uint64{0x0706050403020100}}, numbered{2, []uint64{0x1716151413121110}}},
	{"f16x2", 4, "f32", 0, numbered{1, []uint64{0x07060504}}, numbered{3, []uint64{0x0f0e0d0c}}},
	{"u24", 3, "u8", 0, numbered{1, []uint64{1}}, numbered{5, []uint64{5}}}, // three in a register
	{"u32x3", 2, "u48", 0, numbered{1, []uint64{0x0b0a09080706}}, numbered{2, []uint64{0x11100f0e0d0c}}},
	{"u32x3", 2, "u48x2", 0, numbered{0, []uint64{0x050403020100, 0x0b0a09080706}}, numbered{1, []uint64{0x11100f0e0d0c, 0x171615141312}}},
	{"u8", 4, "bool", 0, numbered{8, []uint64{1}}, numbered{17, []uint64{1}}}, // bit 0 of byte 1, bit 1 of byte 2
	{"u8", 4, "u4", 0, numbered{2, []uint64{1}}, numbered{6, []uint64{3}}},
	{"bool", 16, "u8", 8, numbered{0, []uint64{0}}, numbered{8, []uint64{1}}},
}

// machine is the description of the shape. Each of its instructions reads or writes a register of the view in one way;
// bits 0 to 5 are the number.
func (s *shape) machine() (text string, ways []way) {
	vector := strings.Contains(s.view, "x")
	align := ""
	if s.align > 0 {
		align = fmt.Sprintf(` align="%d"`, s.align)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<isa strict="true"><fetch unit="16"/><file name="r" type="%s" count="%d" init="0"/><view name="v" file="r" type="%s"%s/>
<file name="give" type="%[3]s" count="1" init="0"/><file name="out" type="%[3]s" count="1" init="0"/><register name="a" type="u6" init="0"/><register name="m" type="u8" init="0"/>
<bitset name="#operand" size="6"><display>v{N}</display><field name="N" low="0" high="5" type="uint"/><reg file="v" index="{N}"/></bitset>
<bitset name="#instruction" size="16"/>
`, s.file, s.count, s.view, align)
	add := func(code string, w way) {
		fmt.Fprintf(&b, `<bitset name="i%d" extends="#instruction"><display>i%[1]d {V}</display><pattern low="6" high="15">%010[1]b</pattern><field name="V" low="0" high="5" type="#operand"/><semantics>%s</semantics></bitset>`+"\n", len(ways), code)
		ways = append(ways, w)
	}
	for _, place := range []string{"{V}", "v[raw({V})]", "v[a]"} {
		dynamic := place == "v[a]"
		add("out[0] = "+place+";", way{dynamic: dynamic})
		add(place+" = give[0];", way{writes: ^0, dynamic: dynamic})
		add("together { "+place+" = give[0]; out[0] = "+place+"; }", way{writes: ^0, dynamic: dynamic})
		if !vector {
			continue
		}
		add(place+".where(2) = give[0];", way{writes: 2, dynamic: dynamic})
		add(place+".where(m) = give[0];", way{writes: 5, dynamic: dynamic})
		add(place+".y = give[0].y;", way{writes: 2, dynamic: dynamic})
		add(place+".yx = give[0].yx;", way{writes: 3, dynamic: dynamic})
		add("out[0].y = "+place+".y; out[0].x = "+place+".x;", way{dynamic: dynamic, reads: 3})
	}
	return b.String() + "</isa>", ways
}

// way is what an instruction does: which components of the register it writes, and which it reads, all where it writes
// none.
type way struct {
	writes, reads int
	dynamic       bool // of the number in a
}

// Each view is read and written, whole and in parts, as an operand and by a number, also one that is known only when the
// program runs. What is written is the complement of what was there; the rest of the file stays.
func TestViews(t *testing.T) {
	for i := range shapes {
		s := &shapes[i]
		t.Run(s.view+" of "+s.file, func(t *testing.T) {
			text, ways := s.machine()
			m := parse(t, text)
			for number, w := range ways {
				s.try(t, m, number, w)
			}
		})
	}
}

// try runs one instruction on two lanes, which have different numbers where the instruction asks for that.
func (s *shape) try(t *testing.T, m *machine, number int, how way) {
	t.Helper()
	at := [2]numbered{s.first, s.first}
	if how.dynamic {
		at[1] = s.second
	}
	r, view := m.state("r"), typeOf(t, s.view)
	w := NewWave(m.program("#instruction", Words{}, uint64(number<<6|s.first.n)))
	w.Start(2, 0)
	var before, want [2][]bool
	for lane := range 2 {
		before[lane] = s.row(t)
		s.eachComponent(t, func(n, comp, from, width int) { w.Set(r, n, comp, lane, number64(before[lane][from:from+width])) })
		want[lane] = slices.Clone(before[lane])
		w.Set(m.state("a"), 0, 0, lane, uint64(at[lane].n))
		w.Set(m.state("m"), 0, 0, lane, 5)
		for k, v := range at[lane].comps {
			given := ^v << (64 - view.Bits) >> (64 - view.Bits)
			w.Set(m.state("give"), 0, k, lane, given)
			if how.writes>>k&1 != 0 {
				start := s.start(t, at[lane].n) + k*view.Bits
				for bit := range view.Bits {
					want[lane][start+bit] = given>>bit&1 != 0
				}
			}
		}
	}
	w.Run(t.Context())
	for lane := range 2 {
		s.eachComponent(t, func(n, comp, from, width int) {
			if got, want := w.Get(r, n, comp, lane), number64(want[lane][from:from+width]); got != want {
				t.Errorf("instruction %d, number %d: r[%d], component %d, is %x, want %x", number, at[lane].n, n, comp, got, want)
			}
		})
		if how.writes != 0 {
			continue
		}
		for k, want := range at[lane].comps {
			if how.reads != 0 && how.reads>>k&1 == 0 {
				continue
			}
			if got := w.Get(m.state("out"), 0, k, lane); got != want {
				t.Errorf("instruction %d, number %d: component %d is %x, want %x", number, at[lane].n, k, got, want)
			}
		}
	}
}

func typeOf(t *testing.T, text string) spec.ValueType {
	v, ok := spec.ParseValueType(text)
	if !ok {
		t.Fatal(text)
	}
	return v
}

// start is the bit at which a register of the view starts.
func (s *shape) start(t *testing.T, n int) int {
	return n * min(typeOf(t, s.view).Size(), typeOf(t, s.file).Size())
}

// row is the bits of the whole file: byte k is k.
func (s *shape) row(t *testing.T) []bool {
	row := make([]bool, s.count*typeOf(t, s.file).Size())
	for bit := range row {
		row[bit] = bit/8>>(bit%8)&1 != 0
	}
	return row
}

// eachComponent visits the components of all registers, with the places of their bits in the row.
func (s *shape) eachComponent(t *testing.T, visit func(n, comp, from, width int)) {
	file := typeOf(t, s.file)
	for n := range s.count {
		for k := range file.Lanes {
			visit(n, k, (n*file.Lanes+k)*file.Bits, file.Bits)
		}
	}
}

func number64(row []bool) (v uint64) {
	for i, set := range row {
		if set {
			v |= 1 << i
		}
	}
	return v
}

// Bits are bits: a half of a register that as a whole would be NaN is what it is, and stays where the other is written.
func TestViewOfNaN(t *testing.T) {
	m := parse(t, `<isa strict="true"><fetch unit="8"/><file name="r" type="f32" count="2" init="0"/><view name="h" file="r" type="u16"/>
<bitset name="#instruction" size="8"/>
<bitset name="low" extends="#instruction"><display>low</display><pattern low="0" high="7">00000000</pattern><semantics>h[2] = h[0]; h[1] = 0x7f81;</semantics></bitset></isa>`)
	w := NewWave(m.program("#instruction", Words{}, 0))
	w.Start(1, 0)
	w.Set(m.state("r"), 0, 0, 0, 0x7fff1234)
	w.Run(t.Context())
	wantState(t, w, "r", 0, 0, 0x7f811234)
	wantState(t, w, "r", 1, 0, 0x1234)
}

// Views that are made up are what the bits of the row are.
func TestViewsInvented(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	typ := func() string {
		text := []string{"u8", "s16", "f16", "f32", "u32", "s64", "f64", "bool"}[random.IntN(8)]
		if random.IntN(4) == 0 {
			text = fmt.Sprint("u", 1+random.IntN(64))
		}
		if n := 1 + random.IntN(8); n > 1 {
			text += fmt.Sprint("x", n)
		}
		return text
	}
	for tried := 0; tried < 60; {
		s := shape{file: typ(), view: typ()}
		file, view := typeOf(t, s.file).Size(), typeOf(t, s.view).Size()
		s.count = max(1, view/file) + random.IntN(4)
		if file%view != 0 && view%file != 0 || s.count*max(1, file/view) > 64 {
			continue
		}
		tried++
		last := s.count - view/file // the last number that is in the file
		if file > view {
			last = s.count*(file/view) - 1
		}
		s.first, s.second = s.numbered(t, random.IntN(last+1)), s.numbered(t, random.IntN(last+1))
		text, ways := s.machine()
		m := parse(t, text)
		for number, w := range ways {
			s.try(t, m, number, w)
		}
		if t.Failed() {
			t.Fatalf("view %s of %s", s.view, s.file)
		}
	}
}

// numbered is what the components of a register are.
func (s *shape) numbered(t *testing.T, n int) numbered {
	view, out := typeOf(t, s.view), numbered{n: n}
	for k := range view.Lanes {
		from := s.start(t, n) + k*view.Bits
		out.comps = append(out.comps, number64(s.row(t)[from:from+view.Bits]))
	}
	return out
}
