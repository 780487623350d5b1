package exec

// RunBlock runs the waves of a block in turns, each from barrier to barrier.
func RunBlock(waves []*Wave) {
	for running := true; running; {
		running = false
		for _, w := range waves {
			w.Run()
			running = running || w.Waits()
		}
	}
}
