package exec

import (
	"testing"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
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
	l := &Launch{Program: m.program("#instruction", sem.Words{}, 1), Shared: NewShared(m.Machine, spec.ScopeBlock, spec.ScopeLaunch), Open: true, Outputs: []Port{port(1), port(3)}}
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
		res := l.Run(Input{Lanes: 3, Ports: []Port{port(0)}, Values: [][]uint64{{0}, {4}, {8}}}, RunOptions{})
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
