package source

// Read returns the number of statements that the last change of a document read.
func Read(d *Document) int { return d.read }
