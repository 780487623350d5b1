package launch

import (
	"image/color"
	"math"
	"math/bits"

	"github.com/isago/isago/exec"
)

// straight returns a colour as four numbers of 0 to 1, not multiplied by its alpha.
func straight(c color.Color) [4]float32 {
	n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	return [4]float32{float32(n.R) / 65535, float32(n.G) / 65535, float32(n.B) / 65535, float32(n.A) / 65535}
}

// Filters, as instructions name them.
const (
	pointFilter  = 0
	linearFilter = 1
)

// The parameters of the service texture, in order; vectors take a place for each component.
const (
	argNumber       = 0
	argAt           = argNumber + 1 + 6
	argOffset       = argAt + 3
	argUnnormalised = argOffset + 3
	argDimension    = argUnnormalised + 1
	argMag          = argDimension + 1
	argMin          = argMag + 1
	argMip          = argMin + 1
	argComputed     = argMip + 1
	argGiven        = argComputed + 1
	argLOD          = argGiven + 1
	argWith         = argLOD + 1
	argHorizontal   = argWith + 1
	argVertical     = argHorizontal + 3
)

// services answer fetches of textures.
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

func fillPlane(r *[exec.Lanes]uint64, v float32) {
	for lane := range r {
		r[lane] = uint64(math.Float32bits(v))
	}
}

func number(c *exec.Call, arg, lane int) float32 {
	return math.Float32frombits(uint32(c.Args[arg][lane]))
}

// sample samples a texture; of one that there is not, opaque black comes.
func (s *scene) sample(c *exec.Call) {
	first := bits.TrailingZeros64(c.Mask)
	t := s.textures[int(c.Args[argNumber][first])]
	if t == nil {
		fill(c, 0)
		fillPlane(c.Results[3], 1)
		return
	}
	small, large := t.linearly(c.Args[argMin][first]), t.linearly(c.Args[argMag][first])
	for left := c.Mask; left != 0; left &= left - 1 {
		lane := bits.TrailingZeros64(left)
		linear := large
		if small != large && t.level(c, lane) > 0 {
			linear = small
		}
		v := t.fetch(c, lane, linear)
		for k := range v {
			c.Results[k][lane] = uint64(math.Float32bits(v[k]))
		}
	}
}

// linearly reports whether a filter mixes texels. What an instruction leaves open is as the texture has it.
func (t *texture) linearly(filter uint64) bool {
	return filter == linearFilter || filter != pointFilter && t.linear
}

// fetch samples the texture for a lane.
func (t *texture) fetch(c *exec.Call, lane int, linear bool) [4]float32 {
	x, y := number(c, argAt, lane), number(c, argAt+1, lane)
	if c.Args[argUnnormalised][lane] == 0 {
		x, y = x*float32(t.size.X), y*float32(t.size.Y)
	}
	x, y = x+number(c, argOffset, lane), y+number(c, argOffset+1, lane)
	if !linear {
		i, _ := cell(x)
		j, _ := cell(y)
		return *t.texel(t.inside(i, t.size.X), t.inside(j, t.size.Y))
	}
	i, fx := cell(x - 0.5)
	j, fy := cell(y - 0.5)
	x0, x1 := t.inside(i, t.size.X), t.inside(i+1, t.size.X)
	y0, y1 := t.inside(j, t.size.Y), t.inside(j+1, t.size.Y)
	a, b, p, q := t.texel(x0, y0), t.texel(x1, y0), t.texel(x0, y1), t.texel(x1, y1)
	var out [4]float32
	for k := range out {
		top, bottom := mix(a[k], b[k], fx), mix(p[k], q[k], fx)
		out[k] = mix(top, bottom, fy)
	}
	return out
}

// level is the level of detail of a lane: above 0 the texture is made smaller.
func (t *texture) level(c *exec.Call, lane int) float32 {
	lod := number(c, argLOD, lane)
	if c.Args[argGiven][lane] != 0 || c.Args[argComputed][lane] == 0 {
		return lod
	}
	h, v := differences(c, argAt, lane)
	if c.Args[argWith][lane] != 0 {
		for k := range h {
			h[k], v[k] = number(c, argHorizontal+k, lane), number(c, argVertical+k, lane)
		}
	}
	return lod + t.computed(h, v, c.Args[argUnnormalised][lane] != 0)
}

// computed is the level of detail that gradients ask for.
func (t *texture) computed(h, v [2]float32, unnormalised bool) float32 {
	size := [2]float64{float64(t.size.X), float64(t.size.Y)}
	if unnormalised {
		size = [2]float64{1, 1}
	}
	length := func(d [2]float32) float64 { return math.Hypot(float64(d[0])*size[0], float64(d[1])*size[1]) }
	return float32(math.Log2(max(length(h), length(v), 1e-30)))
}

// differences tells how two coordinates differ along the row and the column of a lane's quad.
func differences(c *exec.Call, arg, lane int) (h, v [2]float32) {
	for k := range h {
		h[k] = number(c, arg+k, lane|1) - number(c, arg+k, lane&^1)
		v[k] = number(c, arg+k, lane|2) - number(c, arg+k, lane&^2)
	}
	return h, v
}

func (s *scene) computedLOD(c *exec.Call) {
	fill(c, 0)
	for lane := range exec.Lanes {
		if t := s.textures[int(c.Args[argNumber][lane])]; t != nil {
			h, v := differences(c, argAt, lane)
			c.Results[0][lane] = uint64(math.Float32bits(t.computed(h, v, c.Args[argAt+3][lane] != 0)))
		}
	}
}

// weights are how far the coordinates are from the texels before them.
func (s *scene) weights(c *exec.Call) {
	fill(c, 0)
	for lane := range exec.Lanes {
		t := s.textures[int(c.Args[argNumber][lane])]
		if t == nil {
			continue
		}
		for k, n := range [2]int{t.size.X, t.size.Y} {
			x := number(c, argAt+k, lane)
			if c.Args[argAt+3][lane] == 0 {
				x *= float32(n)
			}
			_, f := cell(x - 0.5)
			c.Results[k][lane] = uint64(math.Float32bits(f))
		}
	}
}

// gradients are how x differs along the row and the column, and y.
func gradients(c *exec.Call) {
	for lane := range exec.Lanes {
		h, v := differences(c, 0, lane)
		for k, x := range [4]float32{h[0], v[0], h[1], v[1]} {
			c.Results[k][lane] = uint64(math.Float32bits(x))
		}
	}
}

// cell is the texel in which a coordinate is, and how far in it; what is no place is in the first.
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

func (t *texture) texel(x, y int) *[4]float32 { return &t.texels[y*t.size.X+x] }

// inside is the texel that stands for one, as the texture goes on beyond its sides.
func (t *texture) inside(i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	switch t.wrap {
	case "clamp":
		return max(0, min(i, n-1))
	case "mirror":
		if i = (i%(2*n) + 2*n) % (2 * n); i >= n {
			i = 2*n - 1 - i
		}
		return i
	}
	return (i%n + n) % n
}

func mix(a, b, f float32) float32 { return a + float32((b-a)*f) }
