package launch

import (
	"image"
	"math"
)

// rasteriser cuts triangles into quads of fragments.
type rasteriser struct {
	size   image.Point
	shader *shader
	quads  quads
}

// nearest is the least w that is drawn: what is behind the eye is cut off.
const nearest = 1e-5

// triangle draws a triangle, whatever side it shows.
func (ra *rasteriser) triangle(a, b, c corner) {
	in := []corner{a, b, c}
	var cut []corner
	for i, p := range in {
		q := in[(i+1)%3]
		if p.w >= nearest {
			cut = append(cut, p)
		}
		if (p.w >= nearest) != (q.w >= nearest) {
			cut = append(cut, between(p, q, (nearest-p.w)/(q.w-p.w)))
		}
	}
	for i := 2; i < len(cut); i++ {
		ra.fill(cut[0], cut[i-1], cut[i])
	}
}

func between(p, q corner, f float64) corner {
	mix := func(x, y float64) float64 { return x + (y-x)*f }
	out := corner{x: mix(p.x, q.x), y: mix(p.y, q.y), z: mix(p.z, q.z), w: mix(p.w, q.w), values: make([]float64, len(p.values))}
	for i := range out.values {
		out.values[i] = mix(p.values[i], q.values[i])
	}
	return out
}

// point is a corner on the picture.
type point struct{ x, y, z, over float64 }

func (ra *rasteriser) project(c corner) point {
	return point{
		x: (c.x/c.w + 1) / 2 * float64(ra.size.X), y: (1 - c.y/c.w) / 2 * float64(ra.size.Y),
		z: c.z / c.w, over: 1 / c.w,
	}
}

// edge is twice the area of the triangle of two points and a place.
func edge(a, b point, x, y float64) float64 { return (b.x-a.x)*(y-a.y) - (b.y-a.y)*(x-a.x) }

// fill draws a triangle that is in front of the eye.
func (ra *rasteriser) fill(a, b, c corner) {
	p, q, r := ra.project(a), ra.project(b), ra.project(c)
	area := edge(p, q, r.x, r.y)
	if area < 0 {
		b, c, q, r, area = c, b, r, q, -area
	}
	if !(area > 0) || math.IsInf(area, 0) {
		return
	}
	low := func(x, y, z float64) int { return max(0, int(math.Floor(min(x, y, z)))) &^ 1 }
	high := func(x, y, z float64, n int) int { return int(min(float64(n), math.Ceil(max(x, y, z)))) }
	corners, points := [3]corner{a, b, c}, [3]point{p, q, r}
	for y := low(p.y, q.y, r.y); y < high(p.y, q.y, r.y, ra.size.Y); y += 2 {
		for x := low(p.x, q.x, r.x); x < high(p.x, q.x, r.x, ra.size.X); x += 2 {
			ra.quad(x, y, area, &corners, &points)
		}
	}
}

// quad adds the four fragments at a place, if one of them is inside.
func (ra *rasteriser) quad(x, y int, area float64, corners *[3]corner, points *[3]point) {
	var weights [4][3]float64
	mask := uint8(0)
	for k, d := range quadPixels {
		fx, fy := float64(x+d.X)+0.5, float64(y+d.Y)+0.5
		inside := x+d.X < ra.size.X && y+d.Y < ra.size.Y
		for i := range weights[k] {
			from, to := points[(i+1)%3], points[(i+2)%3]
			e := edge(from, to, fx, fy)
			inside = inside && (e > 0 || e == 0 && owns(from, to))
			weights[k][i] = e / area
		}
		if z := depthAt(&weights[k], points); inside && z >= -1 && z <= 1 {
			mask |= 1 << uint(k)
		}
	}
	if mask == 0 {
		return
	}
	q := &ra.quads
	q.at, q.covered = append(q.at, image.Pt(x, y)), append(q.covered, mask)
	for k := range weights {
		q.depth = append(q.depth, float32(depthAt(&weights[k], points)))
		q.values = append(q.values, varyings(&weights[k], corners, points))
	}
	if len(q.at) == quadsAtOnce {
		ra.shader.run(q)
	}
}

// owns tells whether what lies on an edge is inside, so that of two triangles with one edge one has it.
func owns(from, to point) bool { return to.y < from.y || to.y == from.y && to.x > from.x }

func depthAt(w *[3]float64, p *[3]point) float64 { return w[0]*p[0].z + w[1]*p[1].z + w[2]*p[2].z }

// varyings are what a fragment is given: of the corners, by how near they are in space.
func varyings(w *[3]float64, c *[3]corner, p *[3]point) []uint64 {
	var share [3]float64
	sum := 0.0
	for i := range share {
		share[i] = w[i] * p[i].over
		sum += share[i]
	}
	row := make([]uint64, len(c[0].values))
	for i := range row {
		v := (share[0]*c[0].values[i] + share[1]*c[1].values[i] + share[2]*c[2].values[i]) / sum
		row[i] = uint64(math.Float32bits(float32(v)))
	}
	return row
}
