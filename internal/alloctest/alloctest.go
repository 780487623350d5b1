// Package alloctest checks that code does not allocate.
package alloctest

import "testing"

// tries is the number of measurements. The runtime's own goroutines may allocate during some of them.
const tries = 5

// None fails the test if calls calls of f allocate in every measurement. Caches of f must be filled
// before.
func None(t testing.TB, what string, calls int, f func()) {
	t.Helper()
	var n float64
	for range tries {
		if n = testing.AllocsPerRun(calls, f); n == 0 {
			return
		}
	}
	t.Errorf("%s allocates %v times", what, n)
}
