package launch

import (
	"context"
	"errors"
	"fmt"
	mathbits "math/bits"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// The options of a geometry shader.
const (
	verticesOption   = "vertices"
	attributesOption = "attributes"
	// byOption is the reason for the number of attributes if the option sets it.
	byOption = "--" + attributesOption
)

// Options are the options of runs on this machine.
var Options = []feed.Option{
	{Name: verticesOption, Usage: "the number `N` of vertices (rows of inputs) of a primitive of a geometry shader (default: 1 in mode point, all rows in mode variable)"},
	{Name: attributesOption, Usage: "the number `N` of attributes of a geometry shader's vertex (default: the outputs of the vertex shader in the file, else the declared inputs, else the given inputs)"},
}

// keepsQuirk is the quirk that keeps registers from one primitive to the next.
const keepsQuirk = "registers_kept"

// slotsLimit is the number of vertices that a geometry shader stores.
const slotsLimit = "slots"

// The inputs of a geometry shader: in mode variable the number of vertices and the first attribute of the first vertex, and
// whether the program has run for a primitive before.
const (
	verticesInput = "vertices"
	vertexInput   = "vertex"
	againInput    = "again"
)

// geometry runs a geometry shader once for each primitive, one after the other, because the stored vertices of a
// primitive remain for the next.
type geometry struct {
	*feed.Batch
	program *pica200.DVLE
	// inputs is the file of the attributes.
	inputs *exec.State
	// count, first and again are the places of the inputs.
	count, first, again *exec.Place
	slots               int
	// keeps is set if registers keep their values from one primitive to the next.
	keeps bool
	// vertices is the number of input rows in a primitive; 0 is all of them.
	vertices int
	// attributes is the number of attributes of a vertex, and because is its reason; 0 if only the inputs determine
	// it.
	attributes int
	because    string
}

func newGeometry(l *exec.Launch, file *pica200.SHBIN, d *pica200.DVLE, options map[string][]string) (*geometry, error) {
	p := l.Program
	slots, ok := p.Machine.Set().Limit(slotsLimit)
	if !ok {
		return nil, fmt.Errorf("the description has no <limit name=%q>, which this launch needs", slotsLimit)
	}
	g := &geometry{Batch: feed.NewBatch(l), program: d, vertices: 1, slots: int(slots)}
	g.keeps = p.Quirk(keepsQuirk) != 0
	var err error
	if g.inputs, err = exec.FileFor(p.Machine, "input"); err != nil {
		return nil, err
	}
	if g.count, err = exec.PlaceOf(p.Machine, p.Context, verticesInput); err != nil {
		return nil, err
	}
	if g.first, err = exec.PlaceOf(p.Machine, p.Context, vertexInput); err != nil {
		return nil, err
	}
	if g.again, err = exec.PlaceOf(p.Machine, p.Context, againInput); err != nil {
		return nil, err
	}
	switch d.GeometryMode {
	case pica200.GeometryVariable:
		g.vertices = 0
	case pica200.GeometryFixed:
		g.vertices = int(d.FixedCount)
	}
	n, err := numberOf(verticesOption, options)
	switch {
	case err != nil:
		return nil, err
	case n > 0 && d.GeometryMode == pica200.GeometryFixed && n != g.vertices:
		return nil, exec.Optionf("--%s %d, but a primitive in the file has %d vertices", verticesOption, n, g.vertices)
	case n > 0:
		g.vertices = n
	}
	if g.attributes, err = numberOf(attributesOption, options); err != nil {
		return nil, err
	}
	if g.because = byOption; g.attributes == 0 {
		g.attributes, g.because = g.declared(file)
	}
	l.Primitive = &exec.Primitive{Vertices: g.vertices, Chosen: d.GeometryMode == pica200.GeometryPoint, Attributes: g.attributes}
	start, n := g.start()
	l.Primitive.First = exec.Port{Name: start.Name, State: start, First: n, Count: start.Count - n}
	return g, nil
}

// start returns the register with the first attribute of the first vertex.
func (g *geometry) start() (file *exec.State, number int) {
	switch g.program.GeometryMode {
	case pica200.GeometryVariable:
		return g.first.State(), g.first.Number
	case pica200.GeometryFixed:
		return g.first.State(), int(g.program.FixedStart)
	}
	return g.inputs, 0
}

// numberOf reads an option. The last occurrence wins; 0 is none.
func numberOf(option string, options map[string][]string) (n int, err error) {
	for _, text := range options[option] {
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			return 0, exec.Optionf("--%s %q, expected a number of at least 1", option, text)
		}
	}
	return n, nil
}

// declared returns the number of attributes of a vertex by the declarations of the file, and the reason; 0 if the
// file does not determine it. On hardware the outputs of the vertex shader are the attributes.
func (g *geometry) declared(file *pica200.SHBIN) (n int, because string) {
	inputs := mathbits.Len16(g.program.InputMask)
	for _, p := range g.Inputs {
		inputs = max(inputs, p.First+p.Count)
	}
	if g.wholeRows() {
		return inputs, "the inputs that the shader declares"
	}
	for i := range file.DVLEs {
		d := &file.DVLEs[i]
		outputs := mathbits.OnesCount16(d.OutputMask)
		switch {
		case d.Type != pica200.VertexShader:
		case n == 0 || n == outputs:
			n = outputs
		default:
			return 0, "" // which of them runs before is not known
		}
	}
	switch {
	case n > 0:
		return n, "the outputs of the file's vertex shader"
	case g.program.GeometryMode != pica200.GeometryPoint:
		return inputs, "the inputs that the shader declares"
	case inputs%g.vertices == 0:
		return inputs / g.vertices, "the inputs that the shader declares for all vertices"
	}
	return 0, ""
}

// wholeRows reports whether a row has all inputs of a primitive, and so perhaps attributes of several vertices.
func (g *geometry) wholeRows() bool {
	return g.program.GeometryMode == pica200.GeometryPoint && g.vertices == 1
}

// Select always fails, because the outputs are what the program emits.
func (g *geometry) Select([]string) error {
	return errors.New("the outputs of a geometry program are the vertices that it emits")
}

// Call runs the program with arguments.
func (g *geometry) Call(ctx context.Context, args []feed.Argument, opt feed.RunOptions) (*feed.Outcome, error) {
	return g.CallRows(ctx, args, opt, g.Run)
}

// Run runs the program for all primitives. A row of its outcome is a vertex of a triangle.
func (g *geometry) Run(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
	r, err := g.runOf(opt)
	if err != nil {
		return nil, err
	}
	flags, number := g.again.State(), g.again.Number
	defer g.Shared.Set(flags, number, 0, g.Shared.Get(flags, number, 0))
	count, flag := isa.Type{Kind: isa.Unsigned, Bits: 32, Lanes: 1}, isa.Type{Kind: isa.Bool, Bits: 1, Lanes: 1}
	columns := []feed.Column{{Name: "primitive", Type: count, Label: true}, {Name: "triangle", Type: count, Label: true}, {Name: "inverted", Type: flag, Label: true}}
	table := feed.Table{Name: "triangles", Row: "vertex", Columns: append(columns, g.Columns()...)}
	const together = 1 << 10 // vertices
	for i := range r.primitives {
		if err := r.primitive(ctx, i); err != nil {
			return nil, err
		}
		if opt.Rows != nil && (len(r.rows) >= together || i == r.primitives-1) {
			table.Rows, r.rows = r.rows, nil
			if err := opt.Rows(&table); err != nil {
				return nil, err
			}
			table.First += len(table.Rows)
		}
		g.Shared.Give(g.again, 1)
		if opt.Progress != nil {
			opt.Progress(i+1, r.primitives)
		}
	}
	out := &feed.Outcome{Noun: "primitive", Nouns: "primitives", Lanes: r.primitives}
	if opt.Rows == nil {
		table.Rows = r.rows
		out.Tables = []feed.Table{table}
	}
	if opt.Stats && r.attributes > 0 && !g.wholeRows() {
		out.Stats = append(out.Stats, fmt.Sprintf("attributes of a vertex: %d (%s)", r.attributes, r.because))
	}
	r.tally.Finish(&out.Report)
	return out, nil
}

// geometryRun is one run.
type geometryRun struct {
	*geometry
	in         exec.Input
	same       []exec.Given // the attributes that all vertices have in common
	opt        feed.RunOptions
	w          *exec.Wave
	tally      *exec.Tally
	primitives int
	// attributes and because are those of the program, as settle determined them.
	attributes int
	because    string
	stored     [][]uint64 // nil where nothing was stored
	current    int        // the primitive that runs
	triangles  int        // those that it has given
	rows       [][]uint64
}

func (g *geometry) runOf(opt feed.RunOptions) (*geometryRun, error) {
	r := &geometryRun{geometry: g, in: g.Given(), opt: opt, tally: exec.NewTally(), primitives: 1, stored: make([][]uint64, g.slots)}
	rows := len(r.in.Values)
	if per := g.vertices; rows > 0 && per > 0 {
		if rows%per != 0 {
			return nil, fmt.Errorf("there are %d vertices, expected a multiple of %d, the number of vertices of a primitive", rows, per)
		}
		r.primitives = rows / per
	}
	if opt.Count > 0 {
		r.primitives = opt.Count
	}
	if err := r.settle(); err != nil {
		return nil, err
	}
	if rows == 0 && len(r.same) > 0 {
		r.in.Values = [][]uint64{nil}
	}
	r.w = exec.NewWave(g.Program, g.Shared)
	r.w.Strict, r.w.Trace = opt.Strict, opt.Trace
	r.w.Services = map[string]exec.Service{"emit": r.emit}
	return r, nil
}

// settle determines the number of attributes of a vertex. It returns an error if the inputs name more attributes, or
// something that is not an attribute.
func (r *geometryRun) settle() error {
	named, highest := 0, ""
	name := func(p exec.Port, count int) {
		if n := p.First + count; n > named {
			named, highest = n, r.inputs.Name+strconv.Itoa(n-1)
		}
	}
	for _, p := range r.in.Ports {
		if p.State != r.inputs {
			return fmt.Errorf("%s is not an attribute of a vertex", p.Name)
		}
		name(p, p.Count)
	}
	for _, s := range r.in.Same {
		if s.Port.State == r.inputs {
			r.same = append(r.same, s)
			comps := len(s.Port.Components())
			name(s.Port, (len(s.Values)+comps-1)/comps)
		}
	}
	r.attributes, r.because = r.geometry.attributes, r.geometry.because
	if r.attributes == 0 {
		r.attributes, r.because = named, "the highest attribute that the inputs name"
	}
	if named <= r.attributes {
		return nil
	}
	hint := ""
	if r.because != byOption {
		hint = "; " + byOption + " N sets another number"
	}
	return fmt.Errorf("the inputs name %d attributes of a vertex, up to %s, expected at most %d (%s)%s", named, highest, r.attributes, r.because, hint)
}

// primitive runs the program once.
func (r *geometryRun) primitive(ctx context.Context, i int) error {
	r.current, r.triangles = i, 0
	r.w.Budget = 1 << 62
	if r.opt.Budget > 0 {
		r.w.Budget = r.opt.Budget
	}
	if i > 0 && r.keeps {
		r.w.Restart(r.Entry)
	} else {
		r.w.Start(1, r.Entry)
		for _, s := range r.in.Same {
			if s.Port.State == r.inputs {
				continue // an attribute
			}
			for k, v := range s.Values {
				comps := s.Port.Components()
				r.w.Set(s.Port.State, s.Port.First+k/len(comps), comps[k%len(comps)], 0, v)
			}
		}
	}
	if err := r.feed(i); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := exec.RunBlock(ctx, []*exec.Wave{r.w}); err != nil {
		return err
	}
	r.w.Trace = nil // the first primitive alone is traced
	r.tally.Add(r.w, i)
	return nil
}

// feed sets the vertices of a primitive, in the inputs or in uniforms.
func (r *geometryRun) feed(primitive int) error {
	rows := len(r.in.Values)
	if rows == 0 {
		return nil
	}
	per := r.vertices
	if per == 0 {
		per = rows
	}
	if r.program.GeometryMode == pica200.GeometryVariable {
		r.Shared.Give(r.count, uint64(per))
	}
	file, at := r.start()
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

// vertex writes the first n attributes of a row into consecutive registers. In a uniform, as in an input, components
// that the row does not have count as unwritten.
func (r *geometryRun) vertex(row int, file *exec.State, at, n int) {
	if file != r.inputs {
		for number := at; number < at+n; number++ {
			for comp := range file.Type.Lanes {
				r.Shared.Clear(file, number, comp)
			}
		}
	}
	set := func(attribute, comp int, v uint64) {
		switch {
		case attribute >= n:
		case file == r.inputs:
			r.w.Set(file, at+attribute, comp, 0, v)
		default:
			r.Shared.Set(file, at+attribute, comp, v)
		}
	}
	i := 0
	for p := range r.in.Ports {
		port := &r.in.Ports[p]
		for a := range port.Count {
			for _, comp := range port.Components() {
				if i < len(r.in.Values[row]) && (r.in.Missing == nil || !r.in.Missing[row][i]) {
					set(port.First+a, comp, r.in.Values[row][i])
				}
				i++
			}
		}
	}
	for _, s := range r.same {
		comps := s.Port.Components()
		for k, v := range s.Values {
			set(s.Port.First+k/len(comps), comps[k%len(comps)], v)
		}
	}
}

// emit stores the outputs as a vertex, and completes a triangle.
func (r *geometryRun) emit(c *exec.Call) {
	slot, complete, inverted := c.Arg("slot")[0][0], c.Arg("primitive")[0][0], c.Arg("inverted")[0][0]
	if c.Mask&1 == 0 {
		return
	}
	v, undefined := []uint64{}, false
	for i := range r.Outputs {
		p := &r.Outputs[i]
		for n := p.First; n < p.First+p.Count; n++ {
			for _, k := range p.Components() {
				if r.w.Written(p.State, n, k)&1 == 0 {
					r.w.Unwritten(p.State, n, k, 1)
					undefined = true
				}
				v = append(v, exec.Canonical(r.w.Get(p.State, n, k, 0), p.State.Type))
			}
		}
	}
	if slot < uint64(len(r.stored)) {
		r.stored[slot] = v
	}
	if complete == 0 {
		return
	}
	for i, s := range r.stored {
		if s == nil {
			c.Unknown(fmt.Sprintf("a triangle with slot %d, in which no vertex was stored: its outputs are 0 here", i))
			undefined = true
		}
	}
	if undefined && r.opt.Strict {
		return
	}
	for _, s := range r.stored {
		row := []uint64{uint64(r.current), uint64(r.triangles), inverted}
		if s == nil {
			s = make([]uint64, len(v))
		}
		r.rows = append(r.rows, append(row, s...))
	}
	r.triangles++
}
