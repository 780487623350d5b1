package raster

import (
	"image"
	"math"
	"testing"
)

// drawn counts how often the triangles cover each pixel, and calls see for each covered fragment.
func drawn(size image.Point, see func(at image.Point, q *Quad, k int), triangles ...[3]Corner) map[image.Point]int {
	count := map[image.Point]int{}
	for _, t := range triangles {
		DrawTriangle(size, t[0], t[1], t[2], func(q *Quad) {
			for k, d := range Pixels {
				if q.Covered>>uint(k)&1 != 0 {
					count[q.At.Add(d)]++
					see(q.At.Add(d), q, k)
				}
			}
		})
	}
	return count
}

func corner(x, y, w float64, values ...float32) Corner {
	return Corner{X: x * w, Y: y * w, W: w, Values: values}
}

// TestEachPixelOnce requires that two triangles with a common edge cover each pixel of a square once,
// in any orientation. The picture has an odd size, so that quads extend beyond it.
func TestEachPixelOnce(t *testing.T) {
	a, b, c, d := corner(-1, -1, 1), corner(1, -1, 1), corner(1, 1, 1), corner(-1, 1, 1)
	for _, size := range []image.Point{{7, 5}, {8, 8}, {1, 1}} {
		for _, pair := range [][2][3]Corner{{{a, b, c}, {a, c, d}}, {{a, c, b}, {d, a, c}}, {{a, b, d}, {b, c, d}}} {
			count := drawn(size, func(image.Point, *Quad, int) {}, pair[0], pair[1])
			for y := range size.Y {
				for x := range size.X {
					if n := count[image.Pt(x, y)]; n != 1 {
						t.Errorf("%v: pixel %d,%d is covered %d times", size, x, y, n)
					}
				}
			}
			if len(count) != size.X*size.Y {
				t.Errorf("%v: %d pixels are covered", size, len(count))
			}
		}
	}
}

// TestFarBeyondThePicture requires that a triangle at coordinates beyond the range of int covers
// nothing and is fast.
func TestFarBeyondThePicture(t *testing.T) {
	for _, far := range []float64{1e3, 1e20, 1e30, -1e30} {
		for _, c := range [][3]Corner{
			{corner(far, 0, 1), corner(2*far, 0, 1), corner(2*far, far, 1)},
			{corner(0, far, 1), corner(0, 2*far, 1), corner(far, 2*far, 1)},
		} {
			if count := drawn(image.Pt(8, 8), func(image.Point, *Quad, int) {}, c); len(count) > 0 {
				t.Errorf("%v: %d pixels are covered", c, len(count))
			}
		}
	}
	// A triangle that extends equally far in all directions covers the whole picture.
	const far = 1e20
	if count := drawn(image.Pt(8, 8), func(image.Point, *Quad, int) {}, [3]Corner{corner(-far, -far, 1), corner(far, -far, 1), corner(0, far, 1)}); len(count) != 64 {
		t.Errorf("%d pixels are covered, expected 64", len(count))
	}
}

// TestPerspective draws a floor. In the middle of the picture, a value from 0 to 1 must be 1/(1+w),
// where w is the ratio of the distances of the far and near sides. Linear interpolation would give
// 1/2.
func TestPerspective(t *testing.T) {
	const far = 3
	a, b := corner(-1, -1, 1, 0), corner(1, -1, 1, 0)
	c, d := corner(1, 1, far, 1), corner(-1, 1, far, 1)
	size := image.Pt(4, 100)
	drawn(size, func(at image.Point, q *Quad, k int) {
		s := 1 - (float64(at.Y)+0.5)/100 // from the near side of the picture
		want := s / far / ((1 - s) + s/far)
		if got := float64(q.Values[k][0]); math.Abs(got-want) > 1e-6 {
			t.Errorf("row %d: %v, want %v", at.Y, got, want)
		}
	}, [3]Corner{a, b, c}, [3]Corner{a, c, d})
}

// TestCut requires clipping behind the eye and at the near and far planes. NaN and infinities must not
// hang.
func TestCut(t *testing.T) {
	size := image.Pt(16, 16)
	see := func(at image.Point, q *Quad, k int) {
		if z := q.Depth[k]; !(z >= -1 && z <= 1) {
			t.Errorf("%v: depth %v", at, z)
		}
	}
	front := Corner{X: 0, Y: -1, W: 1}
	if n := len(drawn(size, see, [3]Corner{front, {X: -1, Y: 1, W: -0.5}, {X: 1, Y: 1, W: -0.5}})); n == 0 || n == 256 {
		t.Errorf("%d pixels of a triangle half after the eye", n)
	}
	if n := len(drawn(size, see, [3]Corner{{W: -1}, {X: 1, W: -1}, {Y: 1, W: -1}})); n != 0 {
		t.Errorf("%d pixels after the eye", n)
	}
	if n := len(drawn(size, see, [3]Corner{{X: -1, Y: -1, Z: 2, W: 1}, {X: 1, Y: -1, Z: 2, W: 1}, {Y: 1, Z: 2, W: 1}})); n != 0 {
		t.Errorf("%d pixels beyond the far plane", n)
	}
	for _, odd := range []float64{math.NaN(), math.Inf(1), 1e300} {
		drawn(size, see, [3]Corner{{X: odd, W: 1}, {X: 1, Y: odd, W: 1}, {Y: 1, W: 1}})
		drawn(size, see, [3]Corner{{W: odd}, {X: 1, W: 1}, {Y: 1, Z: odd, W: 1}})
	}
}
