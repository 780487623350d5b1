// Package raster converts triangles to quads of fragments and reads meshes. The packages
// target/NAME/launch use it to draw.
package raster

import (
	"image"
	"math"
)

// Corner is a vertex of a triangle: its position in clip space and the values to interpolate.
type Corner struct {
	X, Y, Z, W float64
	Values     []float32
}

// Quad holds the fragments of 2 by 2 pixels. Derivatives are computed from the differences between
// them.
type Quad struct {
	// At is the pixel of the first fragment. The other fragments are at its right, below it, and below
	// it at the right.
	At image.Point
	// Covered has a bit for each fragment, with bit 0 for the first. The bit is 1 if the fragment is
	// inside the triangle, the picture and the depth range.
	Covered uint8
	// Depth ranges from -1 (near) to 1 (far) for covered fragments.
	Depth [4]float32
	// Values are interpolated with perspective correction, also for fragments that are not covered.
	Values [4][]float32
}

// Pixels are the offsets of a quad's fragments from the first fragment.
var Pixels = [4]image.Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}}

// minW is the smallest w that is drawn. Geometry at the eye or behind it is clipped.
const minW = 1e-5

// DrawTriangle calls emit for each quad of which the triangle covers at least one fragment, without
// backface culling. emit may keep the values of a quad. A pixel on the common edge of two triangles
// belongs to exactly one of them. y points up in clip space and down in the picture.
func DrawTriangle(size image.Point, a, b, c Corner, emit func(q *Quad)) {
	in := [3]Corner{a, b, c}
	cut := make([]Corner, 0, 4)
	for i, p := range in {
		q := in[(i+1)%3]
		if p.W >= minW {
			cut = append(cut, p)
		}
		if (p.W >= minW) != (q.W >= minW) {
			cut = append(cut, between(p, q, (minW-p.W)/(q.W-p.W)))
		}
	}
	for i := 2; i < len(cut); i++ {
		fill(size, [3]Corner{cut[0], cut[i-1], cut[i]}, emit)
	}
}

func between(p, q Corner, f float64) Corner {
	mix := func(x, y float64) float64 { return x + float64((y-x)*f) }
	out := Corner{X: mix(p.X, q.X), Y: mix(p.Y, q.Y), Z: mix(p.Z, q.Z), W: mix(p.W, q.W), Values: make([]float32, len(p.Values))}
	for i := range out.Values {
		out.Values[i] = float32(mix(float64(p.Values[i]), float64(q.Values[i])))
	}
	return out
}

// point is a corner in picture coordinates, with its depth. over is 1/w.
type point struct{ x, y, z, over float64 }

func project(c *Corner, size image.Point) point {
	return point{
		x: (c.X/c.W + 1) / 2 * float64(size.X), y: (1 - c.Y/c.W) / 2 * float64(size.Y),
		z: c.Z / c.W, over: 1 / c.W,
	}
}

// edge returns twice the signed area of the triangle a, b, (x, y).
func edge(a, b *point, x, y float64) float64 {
	return float64((b.x-a.x)*(y-a.y)) - float64((b.y-a.y)*(x-a.x))
}

// triangle is a clipped triangle with clockwise points in the picture.
type triangle struct {
	size    image.Point
	corners [3]Corner
	points  [3]point
	area    float64
}

func fill(size image.Point, corners [3]Corner, emit func(q *Quad)) {
	t := triangle{size: size, corners: corners}
	for i := range corners {
		t.points[i] = project(&corners[i], size)
	}
	p := &t.points
	if t.area = edge(&p[0], &p[1], p[2].x, p[2].y); t.area < 0 {
		p[1], p[2], t.corners[1], t.corners[2], t.area = p[2], p[1], corners[2], corners[1], -t.area
	}
	if !(t.area > 0) || math.IsInf(t.area, 0) {
		return
	}
	// Coordinates outside the picture may overflow an int. The result of such a conversion depends on
	// the processor.
	on := func(x float64, n int) int { return int(min(max(0, x), float64(n))) }
	low := func(x, y, z float64, n int) int { return on(math.Floor(min(x, y, z)), n) &^ 1 }
	high := func(x, y, z float64, n int) int { return on(math.Ceil(max(x, y, z)), n) }
	left, right := low(p[0].x, p[1].x, p[2].x, size.X), high(p[0].x, p[1].x, p[2].x, size.X)
	for y := low(p[0].y, p[1].y, p[2].y, size.Y); y < high(p[0].y, p[1].y, p[2].y, size.Y); y += 2 {
		for x := left; x < right; x += 2 {
			t.quad(x, y, emit)
		}
	}
}

// quad emits the four fragments at a position if at least one of them is covered.
func (t *triangle) quad(x, y int, emit func(q *Quad)) {
	q := Quad{At: image.Pt(x, y)}
	var weights [4][3]float64
	for k, d := range Pixels {
		fx, fy := float64(x+d.X)+0.5, float64(y+d.Y)+0.5
		inside := x+d.X < t.size.X && y+d.Y < t.size.Y
		w := &weights[k]
		for i := range w {
			from, to := &t.points[(i+1)%3], &t.points[(i+2)%3]
			e := edge(from, to, fx, fy)
			inside = inside && (e > 0 || e == 0 && owns(from, to))
			w[i] = e / t.area
		}
		z := float64(w[0]*t.points[0].z) + float64(w[1]*t.points[1].z) + float64(w[2]*t.points[2].z)
		if q.Depth[k] = float32(z); inside && z >= -1 && z <= 1 {
			q.Covered |= 1 << uint(k)
		}
	}
	if q.Covered == 0 {
		return
	}
	for k := range weights {
		q.Values[k] = t.values(&weights[k])
	}
	emit(&q)
}

// owns reports whether points on an edge belong to the triangle. Of two triangles with a common edge,
// only one owns the edge.
func owns(from, to *point) bool { return to.y < from.y || to.y == from.y && to.x > from.x }

// values interpolates the values of a fragment with perspective correction.
func (t *triangle) values(w *[3]float64) []float32 {
	var share [3]float64
	sum := 0.0
	for i := range share {
		share[i] = float64(w[i] * t.points[i].over)
		sum += share[i]
	}
	row := make([]float32, len(t.corners[0].Values))
	for i := range row {
		v := 0.0
		for k := range share {
			v += float64(share[k] * float64(t.corners[k].Values[i]))
		}
		row[i] = float32(v / sum)
	}
	return row
}
