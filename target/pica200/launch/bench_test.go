package launch_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200/launch"
)

// BenchmarkLight runs a vertex shader on one processor.
func BenchmarkLight(b *testing.B) {
	data, err := os.ReadFile("../../../examples/pica200/light.shbin")
	if err != nil {
		b.Fatal(err)
	}
	set, _ := load(b)
	l, err := launch.New(set, data, "", nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, u := range l.Uniforms {
		for n := range u.Count {
			p := u
			p.First, p.Count = u.First+n, 1
			values := []uint64{0x3f800000, 0x3f000000, 0x40000000, 0x3f800000}
			if u.State.Type.Kind != isa.Float {
				values = []uint64{1, 1, 1, 1}
			}
			if err := l.SetUniform(p, values[:len(u.Components())]); err != nil {
				b.Fatal(err)
			}
		}
	}
	in := exec.Input{Lanes: 64 * 500, Ports: l.Inputs}
	for i := range in.Lanes {
		row := make([]uint64, 16)
		for k := range row {
			row[k] = uint64(0x3f800000 + (i*977+k*7777)&0xfffff)
		}
		in.Values = append(in.Values, row)
	}
	var lanes, instructions int64
	for b.Loop() {
		r, err := l.Run(b.Context(), in, exec.RunOptions{Jobs: 1})
		if err != nil {
			b.Fatal(err)
		}
		lanes += int64(in.Lanes)
		instructions += r.LaneInstructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "M_instructions/s")
	b.ReportMetric(float64(lanes)/b.Elapsed().Seconds(), "vertices/s")
}

// BenchmarkLower lowers the words of random programs.
func BenchmarkLower(b *testing.B) {
	defer func(v bool) { sem.Checked = v }(sem.Checked)
	sem.Checked = false
	_, m := load(b)
	root, _ := m.Root("")
	r := rand.New(rand.NewPCG(1, 1000))
	var code []uint32
	words := m.Words32(root, nil, 0)
	for len(code) < 1000 {
		more, table := randomProgram(r)
		code, words.Tables[0] = append(code, more...), table
	}
	p := exec.NewProgram(m, words)
	for b.Loop() {
		for addr, x := range code {
			if _, err := p.Lower(inside.Key{}, bits.Of(uint64(x)), uint64(addr)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(code)), "us/instruction")
}
