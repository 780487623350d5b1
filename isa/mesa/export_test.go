package mesa

// Alike reports whether the instructions of a leaf are printed from memos at present.
func (p *Printer) Alike(leaf int) bool { return p.leaves[leaf].same }
