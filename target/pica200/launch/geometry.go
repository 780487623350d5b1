package launch

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/target/pica200"
)

// Options are what runs of programs for this machine can be told.
var Options = []exec.Option{
	{Name: "vertices", Usage: "so many vertices, `N` rows of the inputs, are a primitive of a geometry shader (default: one row in mode point, all rows in mode variable)"},
}

// slots is the number of vertices that a geometry shader stores.
const slots = 3

// geometry runs a geometry shader: once for each primitive, one after the other, because the vertices that
// were stored for one are there for the next.
type geometry struct {
	*exec.Batch
	program *pica200.DVLE
	// vertices is how many rows of the inputs are a primitive; 0 is all of them.
	vertices int
}

func newGeometry(l *exec.Launch, d *pica200.DVLE, options []string) (*geometry, error) {
	g := &geometry{Batch: exec.NewBatch(l), program: d, vertices: 1}
	switch d.GeometryMode {
	case pica200.GeometryVariable:
		g.vertices = 0
	case pica200.GeometryFixed:
		g.vertices = int(d.FixedCount)
	}
	for _, text := range options {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, exec.Optionf("--vertices %q, expected a number from 1 on", text)
		}
		if d.GeometryMode == pica200.GeometryFixed && n != g.vertices {
			return nil, exec.Optionf("--vertices %d, but the file says that a primitive has %d", n, g.vertices)
		}
		g.vertices = n
	}
	return g, nil
}

// Select tells that the outputs are what the program emits.
func (g *geometry) Select([]string) error {
	return errors.New("what a geometry program gives are the vertices that it emits")
}

// Run runs the program for all primitives. A row of what it gives is a vertex of a triangle.
func (g *geometry) Run(opt exec.RunOptions) (*exec.Outcome, error) {
	r, err := g.runOf(opt)
	if err != nil {
		return nil, err
	}
	for i := range r.primitives {
		if err := r.primitive(i); err != nil {
			return nil, err
		}
		if opt.Progress != nil {
			opt.Progress(i+1, r.primitives)
		}
	}
	columns := []exec.Column{{Name: "primitive", Type: sem.U32}, {Name: "triangle", Type: sem.U32}, {Name: "inverted", Type: sem.BoolType}}
	out := &exec.Outcome{Noun: "primitive", Nouns: "primitives", Lanes: r.primitives}
	out.Tables = []exec.Table{{Name: "triangles", Row: "vertex", Columns: append(columns, g.Columns()...), Rows: r.rows}}
	r.tally.Finish(&out.Result)
	return out, nil
}

// geometryRun is one run.
type geometryRun struct {
	*geometry
	in         exec.Input
	opt        exec.RunOptions
	w          *exec.Wave
	tally      *exec.Tally
	primitives int
	// attributes is how many registers a vertex has.
	attributes int
	stored     [slots][]uint64
	current    int // the primitive that runs
	triangles  int // those that it has given
	rows       [][]uint64
}

func (g *geometry) runOf(opt exec.RunOptions) (*geometryRun, error) {
	r := &geometryRun{geometry: g, in: g.Given(), opt: opt, tally: exec.NewTally(), primitives: 1}
	rows := len(r.in.Values)
	if per := g.vertices; rows > 0 && per > 0 {
		if rows%per != 0 {
			return nil, fmt.Errorf("%d vertices, expected a multiple of the %d of a primitive", rows, per)
		}
		r.primitives = rows / per
	}
	if opt.Count > 0 {
		r.primitives = opt.Count
	}
	for _, p := range r.in.Ports {
		if p.State.Use != "input" {
			return nil, fmt.Errorf("%s is no attribute of a vertex", p.Name)
		}
		r.attributes = max(r.attributes, p.First+p.Count)
	}
	r.w = exec.NewWave(g.Program, g.Shared)
	r.w.Strict, r.w.Trace = opt.Strict, opt.Trace
	r.w.Services = map[string]exec.Service{"emit": r.emit}
	for i := range r.stored { // slots that nothing was stored in hold zeros
		for k := range g.Outputs {
			r.stored[i] = append(r.stored[i], make([]uint64, g.Outputs[k].Count*len(g.Outputs[k].Components()))...)
		}
	}
	return r, nil
}

// primitive runs the program once.
func (r *geometryRun) primitive(i int) error {
	r.current, r.triangles = i, 0
	r.w.Budget = 1 << 62
	if r.opt.Budget > 0 {
		r.w.Budget = r.opt.Budget
	}
	r.w.Start(1, r.Entry)
	for _, s := range r.in.Same {
		for k, v := range s.Values {
			comps := s.Port.Components()
			r.w.Set(s.Port.State, s.Port.First+k/len(comps), comps[k%len(comps)], 0, v)
		}
	}
	if err := r.feed(i); err != nil {
		return err
	}
	exec.RunBlock([]*exec.Wave{r.w})
	r.w.Trace = nil // the first primitive alone is traced
	r.tally.Add(r.w, i)
	return nil
}

// feed gives a primitive its vertices: in the inputs, or in uniforms.
func (r *geometryRun) feed(primitive int) error {
	rows := len(r.in.Values)
	if rows == 0 {
		return nil
	}
	per := r.vertices
	if per == 0 {
		per = rows
	}
	m := r.Program.Machine
	file, at := m.State("v"), 0
	switch r.program.GeometryMode {
	case pica200.GeometryVariable:
		file, at = m.State("c"), 1
		for k := range file.Type.Count() {
			r.Shared.Set(file, 0, k, uint64(math.Float32bits(float32(per))))
		}
	case pica200.GeometryFixed:
		file, at = m.State("c"), int(r.program.FixedStart)
	}
	for k := range per {
		n := r.attributes
		if r.program.GeometryMode == pica200.GeometryVariable && k >= int(r.program.VariableCount) {
			n = min(n, 1) // only the first vertices have all attributes
		}
		if at+n > file.Count {
			return fmt.Errorf("a primitive of %d vertices with %d attributes reaches beyond %s%d", per, r.attributes, file.Name, file.Count-1)
		}
		r.vertex((primitive*per+k)%rows, file, at, n)
		at += n
	}
	return nil
}

// vertex puts the first n attributes of a row into registers from one on.
func (r *geometryRun) vertex(row int, file *sem.State, at, n int) {
	set := func(number, comp int, v uint64) { r.w.Set(file, number, comp, 0, v) }
	if file.Use != "input" {
		set = func(number, comp int, v uint64) { r.Shared.Set(file, number, comp, v) }
	}
	i := 0
	for p := range r.in.Ports {
		port := &r.in.Ports[p]
		for a := range port.Count {
			for _, comp := range port.Components() {
				if i < len(r.in.Values[row]) && (r.in.Missing == nil || !r.in.Missing[row][i]) && port.First+a < n {
					set(at+port.First+a, comp, r.in.Values[row][i])
				}
				i++
			}
		}
	}
}

// emit stores the outputs as a vertex, and hands on a triangle.
func (r *geometryRun) emit(c *exec.Call) {
	slot, complete, inverted := c.Args[0][0], c.Args[1][0], c.Args[2][0]
	if c.Mask&1 == 0 {
		return
	}
	if slot < slots {
		var v []uint64
		for i := range r.Outputs {
			p := &r.Outputs[i]
			for n := range p.Count {
				for _, k := range p.Components() {
					v = append(v, sem.Canonical(r.w.Get(p.State, p.First+n, k, 0), p.State.Type))
				}
			}
		}
		r.stored[slot] = v
	}
	if complete == 0 {
		return
	}
	for _, v := range r.stored {
		r.rows = append(r.rows, append([]uint64{uint64(r.current), uint64(r.triangles), inverted}, v...))
	}
	r.triangles++
}
