package launch

import (
	"os"
	"testing"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
)

// benchmark runs kernels and reports millions of instructions of threads a second.
func benchmark(b *testing.B, file string, k *kernels, jobs int) {
	data, err := os.ReadFile(example(file))
	if err != nil {
		b.Fatal(err)
	}
	if jobs > 1 {
		k.set(optParallel, "true")
	}
	var instructions int64
	for b.Loop() {
		b.StopTimer()
		s, err := k.open(data)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		out, err := s.Run(b.Context(), feed.RunOptions{RunOptions: exec.RunOptions{Jobs: jobs}})
		if err != nil {
			b.Fatal(err)
		}
		instructions += out.LaneInstructions
	}
	b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minstr/s")
}

func saxpy() *kernels {
	k := (&kernels{}).set(optGrid, "1024").set(optBlock, "256").set(optParams, "n:s32 a:f32 x:ptr y:ptr")
	return k.set(optArg, "n=262144", "a=2.5", "x=f32[262144]", "y=f32[262144]:1").set(optOut, "y=y.raw")
}

func matmul() *kernels {
	k := (&kernels{}).set(optGrid, "16,16").set(optBlock, "16,16").set(optParams, "a:ptr b:ptr c:ptr n:s32").set(optPointer, "4")
	return k.set(optArg, "a=f32[65536]:count", "b=f32[65536]:1", "c=f32[65536]", "n=256").set(optOut, "c=c.raw")
}

func BenchmarkSaxpy(b *testing.B)    { benchmark(b, "saxpy.cubin", saxpy(), 1) }
func BenchmarkSaxpyTwo(b *testing.B) { benchmark(b, "saxpy.cubin", saxpy(), 2) }

func BenchmarkMatmul(b *testing.B)    { benchmark(b, "matmul.cubin", matmul(), 1) }
func BenchmarkMatmulTwo(b *testing.B) { benchmark(b, "matmul.cubin", matmul(), 2) }
