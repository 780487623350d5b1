package launch

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/raster"
)

// picture is the target of drawing: colours and depths.
type picture struct {
	*image.NRGBA
	depth []float32
}

func newPicture(size image.Point) *picture {
	p := &picture{image.NewNRGBA(image.Rectangle{Max: size}), make([]float32, size.X*size.Y)}
	for i := range p.depth {
		p.depth[i] = float32(math.Inf(1))
	}
	return p
}

// quads are fragments in groups of two by two pixels, so that texture fetches can use the differences of
// coordinates.
type quads struct {
	at      []image.Point // of the first pixel of each
	covered []uint8       // which of the four are inside, bit 0 the first
	depth   []float32     // of each fragment
	values  [][]uint64
}

const quadsAtOnce = 1 << 14

// shader runs fragments and paints their results.
type shader struct {
	*exec.Launch
	ports []exec.Port
	color int          // where the colour is among the outputs; -1 where there is none
	depth int          // the same of the depth that a fragment has of its own
	drop  int          // where it says that the fragment is dropped
	same  []exec.Given // what all fragments are given, behind ports
	to    *picture
	opt   feed.RunOptions
	out   *feed.Outcome
	// program is its number in the outcome.
	program, lanes int
}

// newShader returns a shader for fragments with so many parameters.
func newShader(l *exec.Launch, inputs int, size image.Point, opt feed.RunOptions, out *feed.Outcome) (*shader, error) {
	s := &shader{Launch: l, to: newPicture(size), opt: opt, out: out}
	s.opt.Count, s.opt.Progress = 0, nil
	params, err := exec.PlaceOf(l.Program.Machine, l.Program.Context, parametersInput)
	if err != nil {
		return nil, err
	}
	if inputs > 0 {
		p := port(params)
		p.Count = inputs
		s.ports = []exec.Port{p}
	}
	if s.color, err = column(l, colourOutput); err != nil {
		return nil, err
	}
	if s.depth, err = column(l, depthOutput); err != nil {
		return nil, err
	}
	s.drop, err = column(l, killedOutput)
	return s, err
}

// column returns the column of the results in which an output of the description starts, or -1 if the program does not
// write the output.
func column(l *exec.Launch, name string) (int, error) {
	place, err := exec.OutputOf(l.Program.Machine, l.Program.Context, name)
	if err != nil {
		return 0, err
	}
	at := 0
	for i := range l.Outputs {
		p := &l.Outputs[i]
		if p.State == place.State() && p.First == place.Number {
			return at, nil
		}
		at += p.Count * len(p.Components())
	}
	return -1, nil
}

// run shades quads and paints them, in their order.
func (s *shader) run(ctx context.Context, q *quads) error {
	if len(q.at) == 0 {
		return nil
	}
	res, err := s.Launch.Run(ctx, exec.Input{Lanes: len(q.values), Ports: s.ports, Values: q.values, Same: s.same}, s.opt.RunOptions)
	if err != nil {
		return err
	}
	s.opt.Trace = nil
	for i, at := range q.at {
		for k, d := range raster.Pixels {
			row := res.Values[4*i+k]
			if q.covered[i]>>uint(k)&1 != 0 && row[s.drop] == 0 {
				s.paint(at.Add(d), q.depth[4*i+k], row)
			}
		}
	}
	s.out.Join(&res.Report, s.program, s.lanes, len(q.values))
	s.lanes += len(q.values)
	*q = quads{}
	return nil
}

// paint sets a pixel, unless the pixel is already nearer.
func (s *shader) paint(at image.Point, depth float32, row []uint64) {
	i := at.Y*s.to.Rect.Dx() + at.X
	if s.depth >= 0 {
		depth = math.Float32frombits(uint32(row[s.depth]))
	}
	if s.color < 0 || !(depth < s.to.depth[i]) {
		return
	}
	s.to.depth[i] = depth
	var c [4]uint8
	for k := range c {
		if v := math.Float32frombits(uint32(row[s.color+k])); v > 0 {
			c[k] = uint8(float32(min(v, 1)*255) + 0.5)
		}
	}
	s.to.SetNRGBA(at.X, at.Y, color.NRGBA{c[0], c[1], c[2], c[3]})
}

// rectangle runs a fragment program over all pixels of the picture. The first parameter has the coordinates of the pixel's
// centre: from 0 to 1 in x and y, from the left and the top, and in pixels in z and w. Inputs are the same for all pixels.
func (r *runner) rectangle(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
	out := &feed.Outcome{Noun: "fragment", Nouns: "fragments"}
	s, err := newShader(r.Launch, 1, r.size, opt, out)
	if err != nil {
		return nil, err
	}
	if s.same, err = sameOf(r.Given()); err != nil {
		return nil, err
	}
	q := &quads{}
	for y := 0; y < r.size.Y; y += 2 {
		for x := 0; x < r.size.X; x += 2 {
			q.at = append(q.at, image.Pt(x, y))
			mask := uint8(0)
			for k, d := range raster.Pixels {
				px, py := x+d.X, y+d.Y
				if px < r.size.X && py < r.size.Y {
					mask |= 1 << uint(k)
				}
				fx, fy := float32(px)+0.5, float32(py)+0.5
				q.values = append(q.values, floats(fx/float32(r.size.X), fy/float32(r.size.Y), fx, fy))
				q.depth = append(q.depth, 0)
			}
			if q.covered = append(q.covered, mask); len(q.at) == quadsAtOnce {
				if err := s.run(ctx, q); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := s.run(ctx, q); err != nil {
		return nil, err
	}
	out.Picture = s.to
	return out, nil
}

// sameOf returns inputs that are the same for all fragments. It returns an error if fragments have rows of their own.
func sameOf(in exec.Input) (list []exec.Given, err error) {
	if len(in.Values) > 1 {
		return nil, exec.Optionf("inputs of %d fragments, expected one row, which applies to all pixels; without a size, each row is a fragment", len(in.Values))
	}
	at := 0
	for _, p := range in.Ports {
		for n := range p.Count {
			for _, k := range p.Components() {
				one := p
				one.First, one.Count, one.Mask = p.First+n, 1, 1<<uint(k)
				if len(in.Values) > 0 && at < len(in.Values[0]) && (in.Missing == nil || !in.Missing[0][at]) {
					list = append(list, exec.Given{Port: one, Values: in.Values[0][at : at+1]})
				}
				at++
			}
		}
	}
	return append(list, in.Same...), nil
}

func floats(list ...float32) []uint64 {
	row := make([]uint64, len(list))
	for i, v := range list {
		row[i] = uint64(math.Float32bits(v))
	}
	return row
}

// triangles draws the outputs of the vertex program. The parameters of the vertices are those of the fragments.
func (r *runner) triangles(ctx context.Context, out *feed.Outcome, opt feed.RunOptions) (*feed.Outcome, error) {
	corners, inputs, err := r.corners(out)
	if err != nil {
		return nil, err
	}
	s, err := newShader(r.fragment, inputs, r.size, opt, out)
	if err != nil {
		return nil, err
	}
	s.program = out.Program("", "fragments")
	q := &quads{}
	add := func(f *raster.Quad) {
		q.at, q.covered = append(q.at, f.At), append(q.covered, f.Covered)
		q.depth = append(q.depth, f.Depth[:]...)
		for _, v := range f.Values {
			q.values = append(q.values, floats(v...))
		}
		if len(q.at) == quadsAtOnce && err == nil {
			err = s.run(ctx, q)
		}
	}
	index := func(i int) int { return i }
	count := len(corners)
	if list := r.scene.indices; list != nil {
		index, count = func(i int) int { return list[i] }, len(list)
	}
	for i := 0; i+3 <= count && err == nil; i += 3 {
		raster.DrawTriangle(r.size, corners[index(i)], corners[index(i+1)], corners[index(i+2)], add)
	}
	if err == nil {
		err = s.run(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	out.Picture, out.Tables = s.to, nil
	out.Stats = append(out.Stats, fmt.Sprintf("%d fragments, in groups of four", s.lanes))
	return out, nil
}

// corners returns the outputs of vertices, and the number of their parameters.
func (r *runner) corners(out *feed.Outcome) (list []raster.Corner, inputs int, err error) {
	m, ctx := r.Program.Machine, r.Program.Context
	parameters, err := exec.OutputOf(m, ctx, parametersOutput)
	if err != nil {
		return nil, 0, err
	}
	place, err := column(r.Launch, positionOutput)
	if err != nil {
		return nil, 0, err
	}
	if place < 0 {
		p := m.Output(positionOutput, ctx)
		return nil, 0, fmt.Errorf("the vertex program exports no position (%s%d)", p.State().Name, p.Number)
	}
	params, at := map[int]int{}, 0
	for i := range r.Outputs {
		p := &r.Outputs[i]
		if n := p.First - parameters.Number; p.State == parameters.State() && n >= 0 && n < parameters.Count {
			params[n] = at
			inputs = max(inputs, n+1)
		}
		at += p.Count * len(p.Components())
	}
	for _, row := range out.Values {
		value := func(i int) float32 { return math.Float32frombits(uint32(row[i])) }
		c := raster.Corner{Values: make([]float32, 4*inputs)}
		for k, to := range []*float64{&c.X, &c.Y, &c.Z, &c.W} {
			*to = float64(value(place + k))
		}
		for n, from := range params {
			for k := range 4 {
				c.Values[4*n+k] = value(from + k)
			}
		}
		list = append(list, c)
	}
	return list, inputs, nil
}
