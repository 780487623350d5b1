package launch_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/target/pica200/launch"
)

// benchLanes is the number of vertices of a benchmarked run.
const benchLanes = exec.Lanes * 64

// light opens a vertex shader twice, with uniforms: at its start, and at its last instruction, which ends it.
func light(b *testing.B) (whole, empty *exec.Launch) {
	data, err := os.ReadFile("../../../examples/pica200/light.shbin")
	if err != nil {
		b.Fatal(err)
	}
	file, err := pica200.ReadSHBIN(data)
	if err != nil {
		b.Fatal(err)
	}
	set, _ := load(b)
	open := func() *exec.Launch {
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
		return l
	}
	whole, empty = open(), open()
	empty.Entry = uint64(len(file.DVLP.Code) - 1)
	return whole, empty
}

// value is a component of a vertex of a benchmarked run.
func value(lane, component int) uint32 {
	return uint32(0x3f800000 + (lane*977+component*7777)&0xfffff)
}

// measure times runs of a shader from its inputs to its outputs, of an empty program with the same inputs and outputs, and of
// one without any, in turns. It reports vertices a second, and the share of feeding: the difference of the last two. The
// shortest run of each counts, because other processes do not make it longer.
func measure(b *testing.B, open func(l *exec.Launch, inputs, outputs []exec.Port) func() (*exec.Report, error)) {
	whole, empty := light(b)
	runs := []func() (*exec.Report, error){open(whole, whole.Inputs, whole.Outputs), open(empty, empty.Inputs, empty.Outputs), open(empty, nil, nil)}
	times := slices.Repeat([]time.Duration{time.Hour}, len(runs))
	var report *exec.Report
	for b.Loop() {
		for i, run := range runs {
			start := time.Now()
			r, err := run()
			if times[i] = min(times[i], time.Since(start)); err != nil {
				b.Fatal(err)
			}
			if i == 0 {
				report = r
			} else if r.LaneInstructions != benchLanes {
				b.Fatalf("%d instructions of %d lanes that end at once", r.LaneInstructions, benchLanes)
			}
		}
	}
	b.ReportMetric(float64(report.LaneInstructions)/times[0].Seconds()/1e6, "M_instructions/s")
	b.ReportMetric(benchLanes/times[0].Seconds(), "vertices/s")
	b.ReportMetric(float64((times[1]-times[2]).Nanoseconds())/benchLanes, "feeding_ns/vertex")
	b.ReportMetric(float64(times[1]-times[2])/float64(times[0]), "feeding/whole")
}

// BenchmarkPlanes runs a vertex shader from planes to planes, on one processor.
func BenchmarkPlanes(b *testing.B) {
	measure(b, func(l *exec.Launch, inputs, outputs []exec.Port) func() (*exec.Report, error) {
		bound := l.Bind(inputs, outputs)
		in, out := exec.NewPlanes(bound.Inputs, benchLanes), exec.NewPlanes(bound.Outputs, benchLanes)
		for k := range in {
			for lane := range in[k].U32 {
				in[k].U32[lane] = value(lane, k)
			}
		}
		return func() (*exec.Report, error) { return bound.Run(b.Context(), benchLanes, in, out, exec.RunOptions{}) }
	})
}

// BenchmarkRows is BenchmarkPlanes with rows.
func BenchmarkRows(b *testing.B) {
	measure(b, func(l *exec.Launch, inputs, outputs []exec.Port) func() (*exec.Report, error) {
		in := exec.Input{Lanes: benchLanes, Ports: inputs}
		width := len(l.Bind(inputs, nil).Inputs)
		for lane := range in.Lanes {
			row := make([]uint64, width)
			for k := range row {
				row[k] = uint64(value(lane, k))
			}
			in.Values = append(in.Values, row)
		}
		return func() (*exec.Report, error) {
			before := l.Outputs
			defer func() { l.Outputs = before }()
			l.Outputs = outputs
			res, err := l.Run(b.Context(), in, exec.RunOptions{})
			if err != nil {
				return nil, err
			}
			return &res.Report, nil
		}
	})
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
