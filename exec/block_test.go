package exec

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// blockOf starts waves of so many lanes that share memory; g has n bytes.
func blockOf(t *testing.T, waves, lanes, n int, words ...uint64) (*machine, *Shared, []*Wave) {
	t.Helper()
	m := load(t, "tesla.xml")
	p := m.program("#instruction", Words{}, append(words, teslaExit)...)
	shared := NewShared(m.Machine, ScopeBlock, ScopeLaunch)
	shared.SetMemory(m.state("g"), make([]byte, n))
	var list []*Wave
	for range waves {
		w := NewWave(p, shared)
		w.Budget = 1000
		w.Start(lanes, 0)
		list = append(list, w)
	}
	return m, shared, list
}

// bar is a barrier of that number for so many waves, 0 for all.
func bar(op, number, count uint64) uint64 { return control(op, 0, 0, number|count<<4) }

const opBar, opArrive, opAwait, opAtom, opLoad, opStore, opAtomShared = 19, 20, 21, 22, 23, 24, 25

// Lanes that add to one word each see what those before them left, the lowest lane first.
func TestAtomic(t *testing.T) {
	const lanes = 32
	m, shared, waves := blockOf(t, 1, lanes, 64, t3(opAtom, always, 0, 3, 1, 2, 0))
	want := make([]uint64, 16)
	for lane := range lanes {
		at, add := lane%3*4, uint64(lane+1)
		waves[0].Set(m.state("r"), 1, 0, lane, uint64(at))
		waves[0].Set(m.state("r"), 2, 0, lane, add)
	}
	RunBlock(t.Context(), waves)
	for lane := range lanes {
		k := lane % 3
		wantState(t, waves[0], "r", 3, lane, want[k])
		want[k] += uint64(lane + 1)
	}
	for k, v := range want {
		if got := binary.LittleEndian.Uint32(shared.Memory(m.state("g"))[4*k:]); uint64(got) != v {
			t.Errorf("word %d holds %d, expected %d", k, got, v)
		}
	}
}

// A store inside an atomic may hang on what the lane just loaded: 1 lets the first lane add 1, and then no other.
func TestAtomicCondition(t *testing.T) {
	m, shared, waves := blockOf(t, 1, 8, 8, t3(opAtom, always, 0, 3, 1, 2, 1))
	shared.Memory(m.state("g"))[4] = 1
	for lane := range 8 {
		waves[0].Set(m.state("r"), 1, 0, lane, 4)
		waves[0].Set(m.state("r"), 2, 0, lane, 1)
	}
	RunBlock(t.Context(), waves)
	for lane := range 8 {
		wantState(t, waves[0], "r", 3, lane, []uint64{1, 2}[min(lane, 1)])
	}
	if got := shared.Memory(m.state("g"))[4]; got != 2 {
		t.Errorf("the word holds %d, expected 2", got)
	}
}

// smallest is a machine of one instruction of eight bits that does what the code says.
func smallest(declared, code string) string {
	return `<isa strict="true"><fetch unit="8"/><file name="r" type="u32" count="2" init="0"/>` + declared + `
<bitset name="#instruction" size="8"/><bitset name="run" extends="#instruction"><display>run</display><pattern low="0" high="7">00000001</pattern>
<semantics><![CDATA[` + code + `]]></semantics></bitset></isa>`
}

// Lanes whose atomic is at the same address, and known to be, each find what those before left: 0, 1, 3, 6.
func TestAtomicAtOneAddress(t *testing.T) {
	m := parse(t, smallest(`<memory name="g" size="4" scope="launch"/>`, `var v: u32 = 7; atomic { v = g.u32[0]; g.u32[0] = v + r[1]; } r[0] = v;`))
	w := NewWave(m.program("#instruction", Words{}, 1))
	w.Start(4, 0)
	for lane := range 4 {
		w.Set(m.state("r"), 1, 0, lane, uint64(lane+1))
	}
	w.Run(t.Context())
	for lane, want := range []uint64{0, 1, 3, 6} {
		wantState(t, w, "r", 0, lane, want)
	}
}

// A service may answer a condition, with any number but 0 for true.
func TestServiceAnswersCondition(t *testing.T) {
	m := parse(t, smallest(`<service name="ask(v: u32x2, a: u32): bool"/>`, `r[0] = ask(u32x2(5, 6), r[1]) ? 7 : 8;`))
	w := NewWave(m.program("#instruction", Words{}, 1))
	w.Services = map[string]Service{"ask": func(c *Call) {
		if v := c.Arg("v"); len(v) != 2 || v[1][0] != 6 || c.Arg("b") != nil {
			t.Errorf("v is %d, b is %v", len(v), c.Arg("b"))
		}
		each(c.Mask, func(i int) { c.Results[0][i] = c.Arg("a")[0][i] })
	}}
	w.Start(3, 0)
	for lane := range 3 {
		w.Set(m.state("r"), 1, 0, lane, uint64(lane))
	}
	w.Run(t.Context())
	for lane, want := range []uint64{8, 7, 7} {
		wantState(t, w, "r", 0, lane, want)
	}
}

// A function takes a rounding mode as a constant, with the numbers of the description. By hand: 1 + 2^-30 is 1 in all modes but
// up, -1 - 2^-30 is -1 in all but down, and 2.5 is 2 but 3 away from 0 and up.
func TestRoundingModesAsArguments(t *testing.T) {
	const declared = `<enum name="#round"><value val="0" display="ra"/><value val="1" display="rp"/><value val="2" display="rm"/><value val="3" display="rz"/><value val="4" display="rn"/></enum>
<function name="mirrored(m: #round): #round"><![CDATA[if (m == #round.rm) { return #round.rp; } return m == #round.rp ? #round.rm : m;]]></function>
<function name="sum(a: f32, b: f32, m: #round): f32">return fadd(a, b, m);</function>
<function name="three(m: #round): (u32, u32, u32)"><![CDATA[let up: #round = mirrored(m); return (bits(sum(f32(1.0), f32(r[0]), m)), bits(sum(f32(-1.0), -f32(r[0]), up)), to_u32(f32(r[1]), m));]]></function>`
	for mode, want := range [5][3]uint64{{0x3f800000, 0xbf800000, 3}, {0x3f800001, 0xbf800001, 3}, {0x3f800000, 0xbf800000, 2}, {0x3f800000, 0xbf800000, 2}, {0x3f800000, 0xbf800000, 2}} {
		m := parse(t, smallest(declared+`<file name="o" type="u32" count="3" init="0"/>`, fmt.Sprintf(`let (a, b, c) = three(%d); o[0] = a; o[1] = b; o[2] = c;`, mode)))
		w := NewWave(m.program("#instruction", Words{}, 1))
		w.Start(2, 0)
		for lane := range 2 {
			w.Set(m.state("r"), 0, 0, lane, 0x30800000) // 2^-30
			w.Set(m.state("r"), 1, 0, lane, 0x40200000) // 2.5
		}
		w.Run(t.Context())
		for k, v := range want {
			wantState(t, w, "o", k, 1, v)
		}
	}
}

// A service that no lane asks, as is seen where an instruction is prepared for all lanes at once, answers nobody.
func TestServiceNeverAsked(t *testing.T) {
	m := parse(t, smallest(`<service name="ask(a: u32): u32"/><file name="b" type="bool" count="1" init="0"/>`, `if (b[0]) { r[0] = b[0] ? 5 : ask(r[1]); }`))
	w := NewWave(m.program("#instruction", Words{}, 1))
	w.Services = map[string]Service{"ask": func(*Call) { t.Error("asked") }}
	w.Start(2, 0)
	w.Set(m.state("b"), 0, 0, 1, 1)
	w.Run(t.Context())
	wantState(t, w, "r", 0, 0, 0)
	wantState(t, w, "r", 0, 1, 5)
}

// Who arrives and does not wait counts for those who do; what it stored before is there behind the barrier.
func TestArrive(t *testing.T) {
	m, shared, waves := blockOf(t, 2, 1, 64,
		t3(7, always, 0, 1, 0, 0, 0), // c0 = flags of lane 0: it is zero
		t3(8, always, 0, 4, 4, 0, 0),
		bar(opArrive, 3, 2), // both
		t3(opStore, always, 0, 5, 6, 0, 0),
		bar(opAwait, 3, 2),
		t3(opLoad, always, 0, 7, 8, 0, 0))
	for i, w := range waves {
		w.Set(m.state("r"), 5, 0, 0, uint64(100+i))
		w.Set(m.state("r"), 6, 0, 0, uint64(4*i))
		w.Set(m.state("r"), 8, 0, 0, uint64(4*i))
	}
	if good, err := newBlock(waves).run(t.Context()); !good || err != nil {
		t.Fatal("stopped", waves[0].Stops(), waves[1].Stops())
	}
	for i, w := range waves {
		wantState(t, w, "r", 7, 0, uint64(100+i))
	}
	if got := shared.Memory(m.state("g"))[4]; got != 101 {
		t.Errorf("the word holds %d", got)
	}
}

// What stops a block says why, where and which lanes.
func TestBadBlocks(t *testing.T) {
	all := fmt.Sprintf("%#x", uint64(0xffffffff))
	for _, row := range []struct {
		name  string
		words []uint64
		want  []string
	}{
		{"one too few arrive", []uint64{bar(opBar, 1, 3)}, []string{
			"deadlock: barrier 1 waits for 3, but only 2 arrive at 0x0 " + all,
			"deadlock: barrier 1 waits for 3, but only 2 arrive at 0x0 " + all,
		}},
		{"nobody arrives", []uint64{bar(opAwait, 2, 0)}, []string{
			"deadlock: barrier 2 waits for 2, but only 0 arrive at 0x0 " + all,
			"deadlock: barrier 2 waits for 2, but only 0 arrive at 0x0 " + all,
		}},
		{"endless", []uint64{control(16, always, 0, 0)}, []string{"budget at 0x0 " + all}},
		{"wild load", []uint64{t3(7, always, 0, 1, 9, 0, 0), t3(opLoad, 2, 0, 3, 4, 0, 0)}, []string{
			"trap: access outside of g (4 bytes at 0x3e of 0x40) at 0x4 0x200", // the lane for which r4 is 62
			"end at 0x8 0xfffffdff",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, _, waves := blockOf(t, 2, 32, 64, row.words...)
			for _, w := range waves {
				w.Set(m.state("r"), 4, 0, 9, 62)
			}
			if good, _ := newBlock(waves).run(t.Context()); good {
				t.Error("went well")
			}
			var got []string
			for _, w := range waves {
				for _, s := range w.Stops() {
					got = append(got, fmt.Sprintf("%s %#x", s, s.Lanes))
				}
			}
			if strings.Join(got, "\n") != strings.Join(row.want, "\n") {
				t.Errorf("stops %q, expected %q", got, row.want)
			}
		})
	}
}

// A barrier for all waits for the waves that have not ended.
func TestBarrierAfterEnd(t *testing.T) {
	m, _, waves := blockOf(t, 2, 2, 64,
		t3(7, always, 0, 1, 0, 0, 0), // c0 = flags of the lane
		t3(8, always, 0, 2, 3, 0, 0),
		control(16, 5, 1, 4), // c1 is not zero in wave 1: it goes on at 4
		teslaExit,
		bar(opBar, 0, 0), // the other one is done
		t3(8, always, 0, 6, 3, 0, 5))
	for lane := range 2 {
		waves[0].Set(m.state("c"), 1, 0, lane, 1)
	}
	if good, err := newBlock(waves).run(t.Context()); !good || err != nil {
		t.Fatal("stopped", waves[0].Stops(), waves[1].Stops())
	}
	wantState(t, waves[0], "r", 6, 0, 0)
	wantState(t, waves[1], "r", 6, 1, 5)
}

// Parts of a memory that hold nothing are outside; the message names what is nearest below.
func TestAreas(t *testing.T) {
	m, shared, waves := blockOf(t, 1, 4, 0, t3(opLoad, always, 0, 3, 1, 0, 0))
	shared.SetMemory(m.state("g"), make([]byte, 96), Area{16, 32, "A"}, Area{48, 64, "B"})
	for lane, at := range []uint64{16, 28, 48, 32} {
		waves[0].Set(m.state("r"), 1, 0, lane, at)
	}
	RunBlock(t.Context(), waves)
	const want = "trap: access outside of g (4 bytes at 0x20, 16 bytes after the start of A, which has 16 bytes) at 0x0"
	if s := waves[0].Stops(); len(s) == 0 || s[0].String() != want || s[0].Lanes != 8 {
		t.Errorf("stops %v, expected %s in lane 3", s, want)
	}
}

// Writing half of a register reads the other half, and that is no read of what nobody wrote; nor is what lanes hold
// that do not run.
func TestNotFound(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4"/><view name="rh" file="r" type="u16"/><register name="on" type="u64" scope="wave" init="exists"/>
<fetch unit="8" scope="wave"/>
<bitset name="#instruction" size="8"/>
<bitset name="half" extends="#instruction"><display>half</display><pattern low="0" high="7">00000001</pattern>
<semantics>rh[3] = 5;</semantics></bitset>
<bitset name="off" extends="#instruction"><display>off</display><pattern low="0" high="7">00000010</pattern>
<semantics scope="wave">on = on &amp; 1; lanes(on) { r[2] = 1; }</semantics></bitset>
<bitset name="vote" extends="#instruction"><display>vote</display><pattern low="0" high="7">00000011</pattern>
<semantics scope="wave">if (any(r[2] == 7)) { end; }</semantics></bitset>
</isa>`)
	run := func(words ...uint64) *Wave {
		w := NewWave(m.program("#instruction", Words{}, words...))
		w.Start(4, 0)
		w.Run(t.Context())
		return w
	}
	if w := run(1); len(w.Findings()) > 0 || w.Get(m.state("r"), 1, 0, 3) != 5<<16 {
		t.Errorf("half a register: findings %v", w.Findings())
	}
	if w := run(2, 3); len(w.Findings()) > 0 {
		t.Errorf("lanes that are off: findings %v", w.Findings())
	}
	if w := run(3); len(w.Findings()) != 1 {
		t.Errorf("findings %v, expected one", w.Findings())
	}
}
