package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The memory that may be allocated before a garbage collection: freeBytes, or freePercent of the memory in use if that is more. Most
// runs end before the first collection; the memory of long runs does not grow with their input.
const (
	freeBytes   = 16 << 20
	freePercent = 30
	// firstPercent applies while little memory is in use: Go computes percentages of at least 4 MiB.
	firstPercent = freeBytes / (4 << 20) * 100
)

// paceMemory sets how much memory may be allocated before the next garbage collection. It adjusts the amount after each
// collection.
func paceMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := firstPercent
	debug.SetGCPercent(percent)
	type garbage struct{ _ *byte }
	var searched func(*garbage)
	searched = func(g *garbage) {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		used := memory.NextGC * 100 / uint64(100+percent) // inverts how Go computed NextGC
		percent = int(min(max(freeBytes*100/max(used, 1), freePercent), firstPercent))
		debug.SetGCPercent(percent)
		runtime.SetFinalizer(g, searched)
	}
	runtime.SetFinalizer(new(garbage), searched)
}
