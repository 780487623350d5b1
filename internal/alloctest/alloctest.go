// Package alloctest asserts that code allocates nothing.
package alloctest

import "testing"

// tries is how often allocations are counted before they are believed. The count is that of the whole process, and
// the runtime's own goroutines can add to it.
const tries = 5

// None fails the test if f, called so many times, allocates each time that this is tried. What f keeps from call to
// call must be there before.
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
