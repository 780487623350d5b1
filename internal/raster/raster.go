// Package raster turns triangles into covered pixels, and reads the meshes that they come from.
package raster

import (
	"image"
	"image/color"
	"math"
)

// Vertex is a corner of a triangle: a position in clip space, and values that pixels get a share of. All vertices
// of a picture have as many values.
type Vertex struct {
	Position [4]float32
	Values   []float32
}

// Quad is two by two pixels, of which at least one is covered by a triangle. Those that are not have values too,
// so that a program can take differences.
type Quad struct {
	// X and Y are the upper left pixel, both even. Pixel i is at X+i&1, Y+i>>1.
	X, Y int
	// Triangle is the number of the triangle.
	Triangle int
	Covered  [4]bool
	// Depth is z/w, which is smaller for what is nearer.
	Depth [4]float32
	// Values are interpolated with regard to perspective. The callee must not keep them.
	Values [4][]float32
}

// nearest is the least w that is drawn: what is at the eye or behind it has no place in the picture.
const nearest = 1e-5

// Triangles calls draw for the quads that triangles cover in a picture of so many pixels, triangle by triangle.
// A pixel belongs to the triangle in which its centre lies; of a centre on a shared edge to one of both alone.
// Corners of triangles that there are not are passed over. A picture is at most 16384 pixels wide and high.
func Triangles(width, height int, vertices []Vertex, triangles [][3]int, draw func(q *Quad)) {
	r := rasteriser{width: min(width, 1<<14), height: min(height, 1<<14), draw: draw}
	for i, t := range triangles {
		r.quad.Triangle = i
		if max(t[0], t[1], t[2]) < len(vertices) && min(t[0], t[1], t[2]) >= 0 {
			r.clip([3]Vertex{vertices[t[0]], vertices[t[1]], vertices[t[2]]})
		}
	}
}

type rasteriser struct {
	width, height int
	draw          func(q *Quad)
	quad          Quad
}

// clip cuts a triangle where w is too small, and draws what is left.
func (r *rasteriser) clip(t [3]Vertex) {
	var left []Vertex
	for i, a := range t {
		b := t[(i+1)%3]
		if a.Position[3] >= nearest {
			left = append(left, a)
		}
		if (a.Position[3] >= nearest) != (b.Position[3] >= nearest) {
			left = append(left, between(a, b, (nearest-a.Position[3])/(b.Position[3]-a.Position[3])))
		}
	}
	for i := 2; i < len(left); i++ {
		r.triangle(left[0], left[i-1], left[i])
	}
}

// between is the point that share of the way from a to b.
func between(a, b Vertex, share float32) Vertex {
	v := Vertex{Values: make([]float32, len(a.Values))}
	for k := range v.Position {
		v.Position[k] = a.Position[k] + share*(b.Position[k]-a.Position[k])
	}
	for k := range v.Values {
		v.Values[k] = a.Values[k] + share*(b.Values[k]-a.Values[k])
	}
	return v
}

// corner is a vertex on the screen: its place in pixels, z/w, and 1/w.
type corner struct {
	x, y, z, inverse float64
	values           []float32
}

func (r *rasteriser) corner(v *Vertex) corner {
	inverse := 1 / float64(v.Position[3])
	return corner{
		x: (float64(v.Position[0])*inverse + 1) / 2 * float64(r.width), y: (1 - float64(v.Position[1])*inverse) / 2 * float64(r.height),
		z: float64(v.Position[2]) * inverse, inverse: inverse, values: v.Values,
	}
}

// edge is twice the area of the triangle of a, b and a point: positive on one side of the edge.
func edge(a, b *corner, x, y float64) float64 { return (b.x-a.x)*(y-a.y) - (b.y-a.y)*(x-a.x) }

// owns tells whether points on the edge from a to b belong to the triangle: those of upper and of left edges do.
func owns(a, b *corner) bool { return a.y == b.y && b.x > a.x || b.y < a.y }

func (r *rasteriser) triangle(va, vb, vc Vertex) {
	c := [3]corner{r.corner(&va), r.corner(&vb), r.corner(&vc)}
	area := edge(&c[0], &c[1], c[2].x, c[2].y)
	if area < 0 { // both sides are drawn
		c[1], c[2], area = c[2], c[1], -area
	}
	if !(area > 0) || math.IsInf(area, 0) {
		return
	}
	x0, x1 := bounds(c[0].x, c[1].x, c[2].x, r.width)
	y0, y1 := bounds(c[0].y, c[1].y, c[2].y, r.height)
	for y := y0 &^ 1; y < y1; y += 2 {
		for x := x0 &^ 1; x < x1; x += 2 {
			r.pixels(&c, area, x, y)
		}
	}
}

// bounds are the pixels that a triangle may cover along one axis.
func bounds(a, b, c float64, size int) (from, to int) {
	low, high := math.Min(a, math.Min(b, c)), math.Max(a, math.Max(b, c))
	clamp := func(v float64) int { return int(math.Max(0, math.Min(float64(size), v))) }
	return clamp(math.Floor(low)), clamp(math.Ceil(high))
}

// pixels draws the quad at a place.
func (r *rasteriser) pixels(c *[3]corner, area float64, x, y int) {
	q := &r.quad
	q.X, q.Y = x, y
	some := false
	for i := range q.Covered {
		px, py := x+i&1, y+i>>1
		var share [3]float64
		inside := px < r.width && py < r.height
		for k := range share {
			a, b := &c[(k+1)%3], &c[(k+2)%3]
			e := edge(a, b, float64(px)+0.5, float64(py)+0.5)
			inside = inside && (e > 0 || e == 0 && owns(a, b))
			share[k] = e / area
		}
		q.Covered[i] = inside
		some = some || inside
		r.interpolate(c, share, i)
	}
	if some {
		r.draw(q)
	}
}

// interpolate gives pixel i of the quad its depth and its values: values divided by w are even on the screen, and
// so is 1/w.
func (r *rasteriser) interpolate(c *[3]corner, share [3]float64, i int) {
	q := &r.quad
	var inverse, z float64
	for k := range c {
		inverse += share[k] * c[k].inverse
		z += share[k] * c[k].z
	}
	q.Depth[i] = float32(z)
	q.Values[i] = q.Values[i][:0]
	for n := range c[0].values {
		var v float64
		for k := range c {
			v += share[k] * c[k].inverse * float64(c[k].values[n])
		}
		q.Values[i] = append(q.Values[i], float32(v/inverse))
	}
}

// samples is how many pixels along each axis are drawn for one of a picture, so that edges are smooth.
const samples = 3

// Picture draws triangles of which the nearest are seen. colour gives red, green and blue, 0 to 1, from a pixel's
// values.
func Picture(width, height int, background color.RGBA, vertices []Vertex, triangles [][3]int, colour func(values []float32) [3]float32) *image.RGBA {
	w, h := width*samples, height*samples
	depth, colours := make([]float32, w*h), make([][3]float32, w*h)
	for i := range depth {
		depth[i] = float32(math.Inf(1))
		colours[i] = [3]float32{float32(background.R) / 255, float32(background.G) / 255, float32(background.B) / 255}
	}
	Triangles(w, h, vertices, triangles, func(q *Quad) {
		for i, covered := range q.Covered {
			at := (q.Y+i>>1)*w + q.X + i&1
			if covered && q.Depth[i] < depth[at] {
				depth[at], colours[at] = q.Depth[i], colour(q.Values[i])
			}
		}
	})
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, mean(colours, w, x*samples, y*samples))
		}
	}
	return img
}

// mean is the colour of the samples of a pixel.
func mean(colours [][3]float32, width, x, y int) color.RGBA {
	var sum [3]float32
	for i := range samples * samples {
		for k, v := range colours[(y+i/samples)*width+x+i%samples] {
			if v > 0 { // NaN is black
				sum[k] += min(v, 1)
			}
		}
	}
	level := func(v float32) uint8 { return uint8(v/(samples*samples)*255 + 0.5) }
	return color.RGBA{level(sum[0]), level(sum[1]), level(sum[2]), 255}
}
