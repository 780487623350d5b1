// Package benchtest measures code with caches, on cached and on new programs.
package benchtest

import "testing"

// RunPrograms runs a benchmark over a number of programs in two ways: "new" with a fresh tool for each
// program, and "again" with one tool that has processed all programs before. tool returns a function
// that processes the program with an index and returns its counts of instructions and bytes of text.
// Creating a tool is not measured.
func RunPrograms(b *testing.B, programs int, tool func() func(program int) (instructions, bytes int)) {
	for _, name := range []string{"new", "again"} {
		b.Run(name, func(b *testing.B) {
			work := tool()
			for i := range 3 * programs { // some caches are filled at the second occurrence
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

// DistinctShares returns the percentage of elements that are the first of their kind, within each
// program and over all programs.
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
