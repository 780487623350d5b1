package exec

import (
	"testing"
)

// A launch that runs again starts as it did before, with the memory and the constants that it has then.
func TestRunAgain(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="r" type="u32" count="4"/><file name="c" type="u32" count="2" scope="launch" init="0"/><memory name="g" scope="launch" size="0x1000" outside="zero"/>
<bitset name="#instruction" size="8"><display>{N}</display><field name="N" low="0" high="7" type="uint"/>
<semantics>r[1] = g.u32[r[0]] + c[0]; if ({N} == 1) { r[3] = r[2]; r[2] = 7; }</semantics></bitset>
</isa>`)
	r := m.state("r")
	port := func(n int) Port { return Port{Name: "r", State: r, First: n, Count: 1} }
	l := &Launch{Program: m.program("#instruction", Words{}, 1), Shared: NewShared(m.Machine, ScopeBlock, ScopeLaunch), Open: true, Outputs: []Port{port(1), port(3)}}
	for round, row := range []struct {
		bytes int
		c     uint64
		want  []uint64 // in lanes that load at 0, 4 and 8
	}{
		{12, 0, []uint64{0x10101010, 0x10101010, 0x10101010}},
		{12, 1, []uint64{0x20202021, 0x20202021, 0x20202021}},
		{4, 2, []uint64{0x30303032, 2, 2}},
	} {
		data := make([]byte, row.bytes)
		for i := range data {
			data[i] = byte(0x10 * (round + 1))
		}
		l.Shared.SetMemory(m.state("g"), data)
		l.Shared.Set(m.state("c"), 0, 0, row.c)
		res, err := l.Run(t.Context(), Input{Lanes: 3, Ports: []Port{port(0)}, Values: [][]uint64{{0}, {4}, {8}}}, RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for lane, want := range row.want {
			if got := res.Values[lane]; got[0] != want || got[1] != 0 {
				t.Errorf("round %d, lane %d: %x, want %x and 0", round, lane, got, want)
			}
		}
		if len(res.Findings) != 1 || res.Findings[0].Register() != "r2" || res.Findings[0].Count != 3 || res.Instructions != 1 {
			t.Errorf("round %d: findings %+v, %d instructions", round, res.Findings, res.Instructions)
		}
	}
}

// A program's name is that of the components of its mask, and of each register of several.
func TestNameOf(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="v" type="f32x4" count="12" use="input"/>
<bitset name="#instruction" size="8"><display>nop</display><pattern low="0" high="7">00000000</pattern><semantics></semantics></bitset>
</isa>`)
	v := m.state("v")
	l := &Launch{Inputs: []Port{{Name: "uv", State: v, First: 1, Count: 1, Mask: 0b0101}, {Name: "pos", State: v, First: 2, Count: 2}}}
	for _, row := range []struct {
		number, comp int
		want         string
	}{{0, 0, ""}, {1, 0, "uv"}, {1, 1, ""}, {1, 2, "uv"}, {1, 3, ""}, {2, 0, "pos[0]"}, {3, 3, "pos[1]"}, {4, 0, ""}} {
		if got := l.NameOf(v, row.number, row.comp); got != row.want {
			t.Errorf("component %d of v%d is %q, want %q", row.comp, row.number, got, row.want)
		}
	}
}

// Names are those of ports and of registers, with the number of one of several.
func TestFind(t *testing.T) {
	m := parse(t, `<isa strict="true">
<file name="v" type="f32x2" count="12" use="input"/><file name="c" type="f32" count="4" scope="launch" use="constant"/><register name="a" type="u8" use="input"/>
<quirk name="fast" type="bool" default="false"/><quirk name="slow" type="bool" default="false"/>
<bitset name="#instruction" size="8"><display>nop</display><pattern low="0" high="7">00000000</pattern><semantics></semantics></bitset>
</isa>`)
	l := &Launch{Program: m.program("#instruction", Words{}, 0), Inputs: []Port{{Name: "pos", State: m.state("v"), First: 2, Count: 2}}}
	for name, first := range map[string]int{"pos": 2, "pos[1]": 3, "v11": 11, "v[10]": 10, "a": 0, "v12": -1, "v01": -1, "v+1": -1, "v[1": -1, "v1]": -1, "pos[2]": -1, "pos[+1]": -1, "pos[1": -1, "a0": -1, "v": -1, "v[]": -1} {
		if p, err := l.Find(name); err == nil && p.First != first || (err == nil) != (first >= 0) {
			t.Errorf("%s: %d, %v, expected %d", name, p.First, err, first)
		}
	}
	if _, err := m.ParseQuirks(map[string]string{"quick": "true", "fast": "true"}); err == nil || err.Error() != `unknown quirk "quick", expected one of fast, slow` {
		t.Errorf("error %v", err)
	}
}
