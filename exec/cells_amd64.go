package exec

// The instructions are those of SSE2, which every amd64 processor has.

// widen copies the cells of all lanes into a plane of a wave.
//
//go:noescape
func widen(to *plane, from *[Lanes]uint32)

// truncate copies the low 32 bits of a plane into the cells of all lanes. It reports whether one of them is a NaN as
// a 32-bit float.
//
//go:noescape
func truncate(to *[Lanes]uint32, from *plane) (nan bool)
