package step

// Kept returns the number of programs that are kept.
func (l *Lines) Kept() int { return len(l.programs) }
