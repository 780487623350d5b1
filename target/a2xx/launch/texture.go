package launch

import (
	"image/color"
	"math"
	"math/bits"

	"github.com/isago/isago/exec"
)

// straight returns a colour as four numbers from 0 to 1, not multiplied by its alpha.
func straight(c color.Color) [4]float32 {
	n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	return [4]float32{float32(n.R) / 65535, float32(n.G) / 65535, float32(n.B) / 65535, float32(n.A) / 65535}
}

// The filters, by the names in instructions.
const (
	pointFilter   = 0
	linearFilter  = 1
	basemapFilter = 2
	openFilter    = 3
)

// plane is a component of an argument or a result, with its bits by lane.
type plane = *[exec.Lanes]uint64

// request is a call of a host callback for texture fetches, with the arguments that the callback has.
type request struct {
	*exec.Call
	number, unnormalised, mag, min, mip, computed, given, lod, withGradients plane
	at, offset, horizontal, vertical                                         []plane
}

func requestOf(c *exec.Call) *request {
	one := func(name string) plane {
		if a := c.Arg(name); len(a) > 0 {
			return a[0]
		}
		return nil
	}
	return &request{
		Call: c, number: one("number"), unnormalised: one("unnormalised"), mag: one("mag"), min: one("min_filter"), mip: one("mip"), computed: one("computed"),
		given: one("given"), lod: one("lod"), withGradients: one("with_gradients"),
		at: c.Arg("at"), offset: c.Arg("offset"), horizontal: c.Arg("horizontal"), vertical: c.Arg("vertical"),
	}
}

// services returns the host callbacks for texture fetches.
func (s *scene) services() map[string]exec.Service {
	return map[string]exec.Service{
		"texture":      s.sample,
		"border":       func(c *exec.Call) { fill(c, 0) },
		"computed_lod": s.computedLOD,
		"weights":      s.weights,
		"gradients":    gradients,
	}
}

func fill(c *exec.Call, v float32) {
	for _, r := range c.Results {
		fillPlane(r, v)
	}
}

func fillPlane(r plane, v float32) {
	for lane := range r {
		r[lane] = uint64(math.Float32bits(v))
	}
}

func float(p plane, lane int) float32 { return math.Float32frombits(uint32(p[lane])) }

// sample samples a texture. A missing texture is opaque black.
func (s *scene) sample(call *exec.Call) {
	c := requestOf(call)
	first := bits.TrailingZeros64(c.Mask)
	t := s.textures[int(c.number[first])]
	if t == nil || t.unread != "" {
		fill(call, 0)
		fillPlane(c.Results[3], 1)
		if t != nil {
			c.Unknown(t.unread)
		}
		return
	}
	mip := chosen(c.mip[first], t.mip)
	small, large := chosen(c.min[first], t.min) == linearFilter, chosen(c.mag[first], t.mag) == linearFilter
	levels := mip <= linearFilter && len(t.levels) > 1
	for left := c.Mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros64(left)
		linear, lod := large, float32(0)
		if small != large || levels {
			if lod = t.lod(c, lane); lod > 0 {
				linear = small
			}
		}
		var v [4]float32
		if levels {
			v = t.between(c, lane, lod, mip == linearFilter, linear)
		} else {
			v = t.fetch(c, lane, &t.levels[t.first], linear)
		}
		for k := range v {
			c.Results[k][lane] = uint64(math.Float32bits(v[k]))
		}
	}
}

// chosen returns the filter of an instruction, or that of the constant if the instruction leaves it open.
func chosen(filter, own uint64) uint64 {
	if filter == openFilter {
		return own
	}
	return filter
}

// between samples the level for a level of detail, or blends the two levels around it.
func (t *texture) between(c *request, lane int, lod float32, mix2, linear bool) [4]float32 {
	first, last := float32(t.first), float32(len(t.levels)-1)
	if !(lod > first) { // or no number
		lod = first
	}
	lod = min(lod, last)
	if !mix2 {
		lod += 0.5
	}
	n := int(lod)
	a := t.fetch(c, lane, &t.levels[min(n, len(t.levels)-1)], linear)
	if share := lod - float32(n); mix2 && share > 0 {
		b := t.fetch(c, lane, &t.levels[n+1], linear)
		for k := range a {
			a[k] = mix(a[k], b[k], share)
		}
	}
	return a
}

// fetch samples a level of the texture for a lane.
func (t *texture) fetch(c *request, lane int, v *level, linear bool) [4]float32 {
	x, y := float(c.at[0], lane), float32(0)
	if t.kind != texture1D {
		y = float(c.at[1], lane)
	}
	if t.kind == textureCube { // coordinates of faces are from 1 to 2
		x, y = x-1, y-1
	}
	if c.unnormalised[lane] == 0 {
		x, y = float32(x*float32(v.size[0])), float32(y*float32(v.size[1]))
	}
	x, y = x+float(c.offset[0], lane), y+float(c.offset[1], lane)
	if v.size[2] == 1 {
		return t.flat(v, x, y, 0, linear)
	}
	z := float(c.at[2], lane)
	if t.kind != texture3D { // the number of a face, or of one that is stacked
		n, _ := cell(z + 0.5)
		return t.flat(v, x, y, max(0, min(n, v.size[2]-1)), linear)
	}
	if c.unnormalised[lane] == 0 {
		z = float32(z * float32(v.size[2]))
	}
	z += float(c.offset[2], lane)
	if !t.deep {
		n, _ := cell(z)
		return t.layer(v, x, y, n, linear)
	}
	n, share := cell(z - 0.5)
	a, b := t.layer(v, x, y, n, linear), t.layer(v, x, y, n+1, linear)
	for k := range a {
		a[k] = mix(a[k], b[k], share)
	}
	return a
}

// layer samples a layer. Layers wrap like rows and columns.
func (t *texture) layer(v *level, x, y float32, n int, linear bool) [4]float32 {
	if n = inside(t.wrap[2], n, v.size[2]); n < 0 {
		return t.border
	}
	return t.flat(v, x, y, n, linear)
}

// flat samples one layer at a place in texels.
func (t *texture) flat(v *level, x, y float32, z int, linear bool) [4]float32 {
	x, y = halfway(t.wrap[0], x, v.size[0]), halfway(t.wrap[1], y, v.size[1])
	if !linear {
		i, _ := cell(x)
		j, _ := cell(y)
		return *t.texel(v, inside(t.wrap[0], i, v.size[0]), inside(t.wrap[1], j, v.size[1]), z)
	}
	i, fx := cell(x - 0.5)
	j, fy := cell(y - 0.5)
	x0, x1 := inside(t.wrap[0], i, v.size[0]), inside(t.wrap[0], i+1, v.size[0])
	y0, y1 := inside(t.wrap[1], j, v.size[1]), inside(t.wrap[1], j+1, v.size[1])
	if t.kind == texture1D {
		y0, y1 = 0, 0
	}
	a, b, p, q := t.texel(v, x0, y0, z), t.texel(v, x1, y0, z), t.texel(v, x0, y1, z), t.texel(v, x1, y1, z)
	var out [4]float32
	for k := range out {
		top, bottom := mix(a[k], b[k], fx), mix(p[k], q[k], fx)
		out[k] = mix(top, bottom, fy)
	}
	return out
}

// lod returns the level of detail of a lane. Above 0 the texture is minified.
func (t *texture) lod(c *request, lane int) float32 {
	lod := float(c.lod, lane) + t.bias
	if c.given[lane] != 0 || c.computed[lane] == 0 {
		return lod
	}
	h, v := differences(c.at, lane)
	if c.withGradients[lane] != 0 {
		for k := range h {
			h[k], v[k] = float(c.horizontal[k], lane), float(c.vertical[k], lane)
		}
	}
	return lod + t.computed(h, v, c.unnormalised[lane] != 0)
}

// computed returns the level of detail for gradients.
func (t *texture) computed(h, v [2]float32, unnormalised bool) float32 {
	size := [2]float64{float64(t.levels[0].size[0]), float64(t.levels[0].size[1])}
	if unnormalised {
		size = [2]float64{1, 1}
	}
	length := func(d [2]float32) float64 { return math.Hypot(float64(d[0])*size[0], float64(d[1])*size[1]) }
	return float32(math.Log2(max(length(h), length(v), 1e-30)))
}

// differences returns the differences of two coordinates along the row and the column of a lane's quad.
func differences(at []plane, lane int) (h, v [2]float32) {
	for k := range h {
		h[k] = float(at[k], lane|1) - float(at[k], lane&^1)
		v[k] = float(at[k], lane|2) - float(at[k], lane&^2)
	}
	return h, v
}

func (s *scene) computedLOD(call *exec.Call) {
	c := requestOf(call)
	fill(call, 0)
	for lane := range exec.Lanes {
		if t := s.textures[int(c.number[lane])]; t != nil && t.unread == "" {
			h, v := differences(c.at, lane)
			c.Results[0][lane] = uint64(math.Float32bits(t.computed(h, v, c.unnormalised[lane] != 0)))
		}
	}
}

// weights returns the distances of the coordinates from the texels before them.
func (s *scene) weights(call *exec.Call) {
	c := requestOf(call)
	fill(call, 0)
	for lane := range exec.Lanes {
		t := s.textures[int(c.number[lane])]
		if t == nil || t.unread != "" {
			continue
		}
		for k, n := range [2]int{t.levels[0].size[0], t.levels[0].size[1]} {
			x := float(c.at[k], lane)
			if c.unnormalised[lane] == 0 {
				x = float32(x * float32(n))
			}
			_, f := cell(x - 0.5)
			c.Results[k][lane] = uint64(math.Float32bits(f))
		}
	}
}

// gradients are the differences of x along the row and the column, and those of y.
func gradients(c *exec.Call) {
	for lane := range exec.Lanes {
		h, v := differences(c.Arg("at"), lane)
		for k, x := range [4]float32{h[0], v[0], h[1], v[1]} {
			c.Results[k][lane] = uint64(math.Float32bits(x))
		}
	}
}

// cell returns the texel of a coordinate, and the distance from its start. NaN and coordinates beyond 2^24 are in
// texel 0.
func cell(x float32) (i int, f float32) {
	const most = 1 << 24
	if !(x > -most && x < most) {
		return 0, 0
	}
	if i = int(x); float32(i) > x {
		i--
	}
	return i, x - float32(i)
}

// texel returns a texel of a layer, or the border if inside returned -1.
func (t *texture) texel(v *level, x, y, z int) *[4]float32 {
	if x|y < 0 {
		return &t.border
	}
	return &v.texels[(z*v.size[1]+y)*v.size[0]+x]
}

// inside returns the texel for an index, as the texture wraps; -1 is the border.
func inside(wrap string, i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	return beyond(wrap, i, n)
}

// beyond does the work of inside for indices outside of the texture.
func beyond(wrap string, i, n int) int {
	switch wrap {
	case "CLAMP":
		return max(0, min(i, n-1))
	case "MIRROR":
		if i = (i%(2*n) + 2*n) % (2 * n); i >= n {
			i = 2*n - 1 - i
		}
		return i
	case "MIRROR_CLAMP":
		return min(max(i, -1-i), n-1)
	case "BORDER", "HALF_BORDER":
		return -1
	case "MIRROR_BORDER", "MIRROR_HALF_BORDER":
		if i = max(i, -1-i); i >= n {
			return -1
		}
		return i
	}
	return (i%n + n) % n
}

// halfway clamps a coordinate to a texture of so many texels where only a filter may reach half of the border.
func halfway(wrap string, x float32, n int) float32 {
	const inward = 1 << 24 // the part of a coordinate that counts
	switch wrap {
	case "MIRROR_HALF_BORDER":
		x = max(x, -x)
	case "HALF_BORDER":
	default:
		return x
	}
	return max(0, min(x, float32(n)-float32(float32(n)/inward)))
}

func mix(a, b, f float32) float32 { return a + float32((b-a)*f) }
