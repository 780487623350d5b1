// Package benchtest measures code that has caches, on programs that are in the caches and on programs that are not.
package benchtest

import "testing"

// RunPrograms runs a benchmark over so many programs in two ways: "new" with a tool that has seen nothing, for each program
// another one, and "again" with one that has seen all of them. tool returns such a tool, which works on the program of an
// index and returns how many instructions and bytes of text that were. Making a tool does not count.
func RunPrograms(b *testing.B, programs int, tool func() func(program int) (instructions, bytes int)) {
	for _, name := range []string{"new", "again"} {
		b.Run(name, func(b *testing.B) {
			work := tool()
			for i := range 3 * programs { // some things are kept when they come again
				if name == "again" {
					work(i % programs)
				}
			}
			instructions, bytes, i := 0, 0, 0
			b.ReportAllocs()
			for b.Loop() {
				if name == "new" {
					b.StopTimer()
					work = tool()
					b.StartTimer()
				}
				n, size := work(i % programs)
				instructions, bytes, i = instructions+n, bytes+size, i+1
			}
			b.SetBytes(int64(bytes / b.N))
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

// DistinctShares returns which part of the elements of programs are the first of their kind, in percent: in their program, and in
// all programs together.
func DistinctShares[T comparable](programs [][]T) (each, all float64) {
	everywhere, first, total := map[T]bool{}, 0, 0
	for _, p := range programs {
		seen := map[T]bool{}
		for _, x := range p {
			seen[x], everywhere[x] = true, true
		}
		first, total = first+len(seen), total+len(p)
	}
	return 100 * float64(first) / float64(total), 100 * float64(len(everywhere)) / float64(total)
}
