package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The memory that may be filled before it is searched for what is no longer used: so many bytes, or a part of what
// is used, in percent, where that is more. Most runs are over before; long ones do not grow with their input.
const (
	freeBytes   = 16 << 20
	freePercent = 30
	// firstPercent counts as long as little is used: Go takes it of 4 MiB at least.
	firstPercent = freeBytes / (4 << 20) * 100
)

// paceMemory sets how much memory may be filled, after each search anew.
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
		used := memory.NextGC * 100 / uint64(100+percent) // that is how the next search was set
		percent = int(min(max(freeBytes*100/max(used, 1), freePercent), firstPercent))
		debug.SetGCPercent(percent)
		runtime.SetFinalizer(g, searched)
	}
	runtime.SetFinalizer(new(garbage), searched)
}
