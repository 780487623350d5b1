package launch_test

import (
	"math"
	"os"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/target/a2xx/launch"
)

// open opens a program of the demonstration.
func open(t testing.TB, program string, stage string, options map[string][]string) feed.Runner {
	t.Helper()
	set, m := load(t)
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := set.ParseContext(set.DefaultContext(), "stage", stage)
	if err != nil {
		t.Fatal(err)
	}
	r, err := launch.Open(feed.Request{Set: set, Machine: m, Context: ctx, Data: data, Options: options, File: os.ReadFile})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkLit runs the fragments of the demonstration, lit and textured, and its vertices, on one processor.
func BenchmarkLit(b *testing.B) {
	for _, row := range []struct{ name, program, stage string }{{"fragments", "demo/torus.fs.bin", "fs"}, {"vertices", "demo/torus.vs.bin", "vs"}} {
		b.Run(row.name, func(b *testing.B) {
			r := open(b, row.program, row.stage, map[string][]string{"texture": {"0=demo/bricks.png"}, "buffer": {"20=demo/torus.bin"}})
			for _, c := range []string{"C0", "C1", "C2", "C3", "C4", "C5", "C6"} {
				if err := r.Set(c, []string{"0.25", "0.75", "0.5", "0"}); err != nil {
					b.Fatal(err)
				}
			}
			const lanes = 64 * 500
			feeder, ok := r.(interface {
				Feed(in exec.Input)
				Find(name string) (exec.Port, error)
			})
			if row.stage == "fs" && ok {
				p, err := feeder.Find("R0")
				if err != nil {
					b.Fatal(err)
				}
				p.Count = 2
				in := exec.Input{Lanes: lanes, Ports: []exec.Port{p}}
				for i := range lanes {
					in.Values = append(in.Values, row8(float32(i%977)/977))
				}
				feeder.Feed(in)
			}
			var instructions, n int64
			for b.Loop() {
				out, err := r.Run(b.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: 1}, Count: lanes})
				if err != nil {
					b.Fatal(err)
				}
				instructions += out.LaneInstructions
				n += int64(out.Lanes)
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "M_instructions/s")
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "lanes/s")
		})
	}
}

func row8(x float32) []uint64 {
	row := make([]uint64, 8)
	for k, v := range []float32{x, 0.5, 1 - x, 1, 7 * x, 3 * x, 0, 1} {
		row[k] = uint64(math.Float32bits(v))
	}
	return row
}
