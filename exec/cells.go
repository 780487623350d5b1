//go:build !amd64

package exec

// widen copies the cells of all lanes into a plane of a wave.
func widen(to *plane, from *[Lanes]uint32) {
	for i := range to {
		to[i] = uint64(from[i])
	}
}

// truncate copies the low 32 bits of a plane into the cells of all lanes. It reports whether one of them is a NaN as
// a 32-bit float.
func truncate(to *[Lanes]uint32, from *plane) (nan bool) {
	const infinity = 0x7f800000 << 1 // without the sign
	for i, v := range from {
		to[i] = uint32(v)
		nan = nan || uint32(v)<<1 > infinity
	}
	return nan
}
