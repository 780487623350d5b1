package translatetest

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow/flowtest"
	"github.com/isago/isago/isa"
)

// specials are floats for which arithmetic has special cases, as bits: zeros, infinities, NaN, denormals, limits of integers.
var specials = []uint32{
	0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
	0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x7fffffff, 0xffffffff, 0x7ff00000, 0x3ff00000,
}

// Word returns bits that are a special float, a float of moderate size, an integer of some size, or any bits.
func Word(r *rand.Rand) uint32 {
	switch r.IntN(4) {
	case 0:
		return specials[r.IntN(len(specials))]
	case 1:
		return math.Float32bits(float32(r.NormFloat64() * 20))
	case 2:
		return r.Uint32() >> uint(r.IntN(32))
	}
	return r.Uint32()
}

// Row is a row of a table of what instructions do.
type Row struct {
	Program *exec.Program
	Entry   uint64
	// Lanes is the number of lanes that run.
	Lanes int
	// Set sets registers and memories to what the row states, those of lanes in lane 0. It may be nil.
	Set func(w *exec.Wave)
}

// start returns a wave that is about to run a row. The registers of lanes, and uniforms that are floats, have random values.
func (row *Row) start(seed uint64) *exec.Wave {
	r := rand.New(rand.NewPCG(seed, 11))
	w := exec.NewWave(row.Program)
	w.Budget = 1000
	for _, s := range row.Program.Machine.States {
		if s.Kind == exec.Memory && s.Count == 0 {
			w.SetSize(s, 1<<10)
		}
	}
	w.Start(row.Lanes, row.Entry)
	for _, s := range row.Program.Machine.States {
		lanes := row.Lanes
		switch {
		case s.Kind != exec.Registers || s.Use == "special" || s.ReadOnly:
			continue
		case s.Scope != exec.ScopeLane && s.Type.Kind == isa.Float:
			lanes = 1
		case s.Scope != exec.ScopeLane:
			continue
		}
		for n := range s.Count {
			for comp := range max(1, s.Type.Lanes) {
				for lane := range lanes {
					v := uint64(Word(r))
					if s.Use == "address" {
						v = uint64(r.IntN(64) * 4)
					}
					w.Set(s, n, comp, lane, v&(1<<s.Type.Bits-1))
				}
			}
		}
	}
	if row.Set != nil {
		row.Set(w)
	}
	return w
}

// Rows compares the translations of the rows of a table with the plain engine. A line of the table is a row, whose cells are between
// tabs, or a comment that starts with #. Rows takes about n of them, or all if n is 0. read reads a row; it returns nil for one that is
// not translated.
func (x *Comparison) Rows(t *testing.T, table string, n int, read func(line int, cells []string) *Row) {
	t.Helper()
	lines := strings.Split(table, "\n")
	var list []int
	for i, line := range lines {
		if line != "" && line[0] != '#' {
			list = append(list, i)
		}
	}
	step := 1
	if n > 0 {
		step = max(1, len(list)/n)
	}
	for k := 0; k < len(list); k += step {
		i := list[k]
		row := read(i+1, append(strings.Split(lines[i], "\t"), "", "", ""))
		if row == nil {
			continue
		}
		after := row.start(uint64(i))
		flowtest.Record(after)
		after.Run(t.Context())
		if err := x.Add(t.Context(), lines[i], row.Entry, row.start(uint64(i)), after); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
	x.Run(t)
	t.Log(x)
	if x.Values == 0 {
		t.Error("nothing was compared")
	}
}
