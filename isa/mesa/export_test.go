package mesa

// Alike reports whether an instruction is printed from memos by now.
func (p *Printer) Alike(leaf int) bool { return p.leaves[leaf].same }
