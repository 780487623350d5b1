package launch_test

import (
	"os"
	"testing"

	"github.com/isago/isago/exec"
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
			if err := l.SetUniform(p, []uint64{0x3f800000, 0x3f000000, 0x40000000, 0x3f800000}[:len(u.Components())]); err != nil {
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
		r := l.Run(in, exec.RunOptions{Jobs: 1})
		lanes += int64(in.Lanes)
		instructions += r.LaneInstructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "M_instructions/s")
	b.ReportMetric(float64(lanes)/b.Elapsed().Seconds(), "vertices/s")
}
