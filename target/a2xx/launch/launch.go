// Package launch runs A2XX shaders with constants, vertex buffers and textures, and draws with them.
package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

// The inputs and outputs of the description that a run uses.
const (
	vertexInput     = "vertex"
	exportedInput   = "exported vertex"
	parametersInput = "parameters"
	constantsInput  = "constants"
	boolsInput      = "bools"
	loopsInput      = "loops"
	fetchesInput    = "fetch constants"
	memoryInput     = "memory"

	parametersOutput = "parameters"
	positionOutput   = "position"
	colourOutput     = "colour"
	depthOutput      = "depth"
	killedOutput     = "killed"
)

// Options are the options of a run.
var Options = []feed.Option{
	{Name: "scene", Usage: "read constants, buffers, textures and the fragment program from the JSON `FILE`"},
	{Name: "fragment", Usage: "draw triangles with the fragment program in `FILE`"},
	{Name: "texture", Usage: "a PNG for a texture constant, as `NUMBER=FILE`[,nearest][,clamp]; or raw memory, with the words of the constant"},
	{Name: "buffer", Usage: "the bytes of a vertex buffer, as `NUMBER=FILE` or NUMBER.THIRD=FILE"},
	{Name: "size", Usage: "draw a picture of `WIDTHxHEIGHT` pixels"},
}

// runner is a program with its inputs. The other program is the fragment program, if vertices are drawn.
type runner struct {
	*feed.Batch
	stage string
	index bool // the lanes are vertices by their number
	// numbered are the registers with the number of a vertex.
	numbered []exec.Port
	scene    *scene
	fragment *exec.Launch
	size     image.Point
	// attributes are the inputs of a vertex program by name, nil if its file has no names.
	attributes *attributes
}

// Open opens a program for a run.
func Open(req feed.Request) (feed.Runner, error) {
	if err := req.Load(a2xx.Load); err != nil {
		return nil, err
	}
	l := loader{req: req, machine: req.Machine}
	var err error
	if l.machine == nil {
		if l.machine, err = exec.Open(req.Set); err != nil {
			return nil, err
		}
	}
	prog, err := l.read(req.Data, req.Program)
	if err != nil {
		return nil, err
	}
	l.xenos = prog.quirks(req.Quirks)[machineQuirk] == sibling
	launch, err := l.launch(prog)
	if err != nil {
		return nil, err
	}
	r := &runner{Batch: feed.NewBatch(launch), stage: prog.stage, index: true, attributes: prog.attributes}
	if r.scene, err = newScene(l.machine, launch.Program.Context); err != nil {
		return nil, err
	}
	if prog.stage == fragments {
		r.Noun, r.Nouns, r.index = "fragment", "fragments", false
	} else if r.numbered, err = numberedOf(launch); err != nil {
		return nil, err
	}
	if err := l.options(r); err != nil {
		return nil, err
	}
	l.giveTextures(r.scene, prog.given)
	return r, r.apply(prog)
}

// The stages, by the values of the context of that name.
const (
	vertices  = "vs"
	fragments = "fs"
)

// source is a program with the data of its file.
type source struct {
	stage string
	words []uint32
	// machine are the quirks of the machine that the code is for, nil for the defaults.
	machine map[string]string
	// given are constants that the file holds.
	given *a2xx.Constants
	// names are the inputs, outputs and constants of a shader file of the Xbox 360; nil for other files.
	names *a2xx.XenosShader
	// attributes are the inputs of a vertex program that launch found by name.
	attributes *attributes
}

// quirks returns the given quirks, completed by those of the machine that the file is for.
func (p *source) quirks(given map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, p.machine)
	maps.Copy(out, given)
	return out
}

// loader opens programs of one machine.
type loader struct {
	req     feed.Request
	machine *exec.Machine
	xenos   bool // the program is for Xenos
	texels  int  // of textures in memory so far
}

// read reads a program of a file.
func (l *loader) read(data []byte, program string) (*source, error) {
	switch {
	case !l.req.Raw && a2xx.IsCapture(data):
		return l.capture(data, program)
	case program != "" && program != "0":
		return nil, exec.Optionf("unknown program %q: the file contains only one program", program)
	case !l.req.Raw && a2xx.IsXenosShader(data):
		x, err := a2xx.ReadXenosShader(l.req.Set, data)
		if err != nil {
			return nil, err
		}
		return &source{stage: l.stageName(x.Stage), words: x.Words, machine: a2xx.XenosQuirks(), given: x.Given(), names: x}, nil
	}
	im, err := a2xx.OpenRaw(l.req.Set, l.req.Context, data, "")
	if err != nil {
		return nil, err
	}
	return &source{stage: l.req.Set.ContextValue(l.req.Context, "stage"), words: im.Words, machine: im.Quirks}, nil
}

func (l *loader) stageName(n int) string { return []string{vertices, fragments}[n&1] }

// capture returns a shader of a capture.
func (l *loader) capture(data []byte, program string) (*source, error) {
	c, err := a2xx.ReadCapture(data)
	if err != nil {
		return nil, err
	}
	n := 0
	if program != "" {
		if n, err = strconv.Atoi(program); err != nil {
			return nil, exec.Optionf("unknown program %q, expected a number below %d", program, len(c.Shaders))
		}
	}
	if n < 0 || n >= len(c.Shaders) {
		return nil, exec.Optionf("unknown shader %d: the capture has %d shaders", n, len(c.Shaders))
	}
	s := &c.Shaders[n]
	return &source{stage: l.stageName(s.Stage), words: s.Words, given: s.Constants}, nil
}

// launch prepares a program.
func (l *loader) launch(p *source) (*exec.Launch, error) {
	ctx, err := l.req.Set.ParseContext(l.req.Context, "stage", p.stage)
	if err != nil {
		return nil, err
	}
	words := p.words
	if p.names != nil && p.stage == vertices {
		if words, err = l.findAttributes(p, ctx); err != nil {
			return nil, err
		}
	}
	launch, err := exec.Raw(l.machine, words, 0, ctx, p.quirks(l.req.Quirks))
	if err != nil {
		return nil, err
	}
	launch.Open = false
	if err := l.outputs(launch, p); err != nil || p.names == nil {
		return launch, err
	}
	return launch, l.name(launch, p)
}

// outputs returns the exports that the program names. Exports with an offset may be any.
func (l *loader) outputs(launch *exec.Launch, p *source) error {
	var data []byte
	for _, w := range p.words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	im, err := a2xx.OpenRaw(l.req.Set, l.req.Context, data, a2xx.Orders()[0])
	if err != nil {
		return err
	}
	s, err := exec.FileFor(l.machine, "output")
	if err != nil {
		return err
	}
	written := make([]bool, s.Count)
	decoders := map[*isa.Root]*isa.Decoder{}
	for _, piece := range im.Pieces {
		if piece.Root == nil {
			continue
		}
		d := decoders[piece.Root]
		if d == nil {
			if d, err = l.req.Set.NewDecoder(piece.Root.Name); err != nil {
				return err
			}
			decoders[piece.Root] = d
		}
		v, _ := im.At(piece.Addr, piece.Root, piece.Size)
		if in, ok := d.Decode(v); ok {
			noteExports(d, in, s.Name, written)
		}
	}
	launch.Outputs = nil
	for n, is := range written {
		if is {
			launch.Outputs = append(launch.Outputs, exec.Port{Name: s.Name + strconv.Itoa(n), State: s, First: n, Count: 1})
		}
	}
	if killed := l.machine.Output(killedOutput, launch.Program.Context); killed != nil {
		launch.Outputs = append(launch.Outputs, port(killed))
	}
	return nil
}

// noteExports records the exports that an instruction may write.
func noteExports(d *isa.Decoder, in isa.Inst, exports string, written []bool) {
	for _, o := range d.Operands(nil, in) {
		if o.Register.File == nil || o.Register.File.Name != exports {
			continue
		}
		written[o.Register.Index] = true
		for n := range written {
			written[n] = written[n] || o.Relative.File != nil
		}
	}
}

// options reads the options of the run.
func (l *loader) options(r *runner) error {
	given := l.req.Options
	for _, name := range given["scene"] {
		if err := l.readScene(r, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range given["fragment"] {
		if r.stage == fragments {
			return exec.Optionf("--fragment needs a vertex program to run first, but this program is a fragment program")
		}
		if err := l.readFragment(r, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, text := range given["texture"] {
		if err := l.textureOption(r.scene, text); err != nil {
			return exec.Optionf("--texture %s: %w", text, err)
		}
	}
	for _, text := range given["buffer"] {
		if err := l.bufferOption(r.scene, text); err != nil {
			return exec.Optionf("--buffer %s: %w", text, err)
		}
	}
	for _, text := range given["size"] {
		width, height, _ := strings.Cut(text, "x")
		w, err := strconv.Atoi(width)
		h, err2 := strconv.Atoi(height)
		if err != nil || err2 != nil {
			return exec.Optionf("--size %q, expected WIDTHxHEIGHT", text)
		}
		if err := r.resize(w, h); err != nil {
			return exec.Optionf("--size %s: %w", text, err)
		}
	}
	return nil
}

const MaxSide = 1 << 13 // pixels of a picture, along either side

func (r *runner) resize(w, h int) error {
	if w < 1 || h < 1 || w > MaxSide || h > MaxSide {
		return fmt.Errorf("the picture has %d by %d pixels, expected 1 to %d", w, h, MaxSide)
	}
	r.size = image.Pt(w, h)
	return nil
}

// readFragment opens the fragment program.
func (l *loader) readFragment(r *runner, name string) error {
	data, err := l.req.File(name)
	if err != nil {
		return err
	}
	if data, err = compiled(name, data); err != nil {
		return err
	}
	p, err := l.read(data, "")
	if err != nil {
		return err
	}
	p.stage = fragments
	if r.fragment, err = l.launch(p); err != nil {
		return err
	}
	if r.size == (image.Point{}) {
		r.size = image.Pt(defaultSide, defaultSide)
	}
	l.giveTextures(r.scene, p.given)
	return r.scene.give(r.fragment, p.given)
}

const defaultSide = 256

// sourceSuffix is the suffix of source files.
const sourceSuffix = ".a2xx"

// compiled returns the file that the compiler makes of a source. It returns other files unchanged.
func compiled(name string, data []byte) ([]byte, error) {
	if !strings.HasSuffix(name, sourceSuffix) {
		return data, nil
	}
	c, err := a2xx.NewCompiler()
	if err != nil {
		return nil, err
	}
	out, err := c.Compile([]*diag.Source{{Name: name, Text: string(data)}}, program.CompileOptions{Context: func(set *isa.Set) (bits.Value, error) {
		return set.ParseContext(set.DefaultContext(), "stage", fragments)
	}})
	if err != nil {
		return nil, err
	}
	return out.Bytes, nil
}

func (l *loader) textureOption(s *scene, text string) error {
	number, file, ok := strings.Cut(text, "=")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return fmt.Errorf("expected NUMBER=FILE")
	}
	parts := strings.Split(file, ",")
	t := sceneTexture{Constant: n, File: parts[0]}
	for _, how := range parts[1:] {
		switch how {
		case "nearest", "linear":
			t.Filter = how
		case "clamp", "repeat", "mirror":
			t.Wrap = how
		case "1d", "2d":
			t.Dimension = how
		case "mipmaps":
			t.Mipmaps = true
		default:
			if _, err := strconv.ParseUint(how, 0, 32); err != nil {
				return fmt.Errorf("unknown option %q, expected nearest, linear, clamp, repeat, mirror, 1d, 2d, mipmaps or a word of the texture constant", how)
			}
			t.Words = append(t.Words, how)
		}
	}
	return l.addTexture(s, t, "")
}

func (l *loader) bufferOption(s *scene, text string) error {
	place, file, ok := strings.Cut(text, "=")
	number, third, _ := strings.Cut(place, ".")
	n, err := strconv.Atoi(number)
	k := 0
	if third != "" && err == nil {
		k, err = strconv.Atoi(third)
	}
	if !ok || err != nil {
		return fmt.Errorf("expected NUMBER=FILE or NUMBER.THIRD=FILE")
	}
	data, err := l.req.File(file)
	if err != nil {
		return err
	}
	return s.buffer(n, k, 0, data)
}

// apply sets the constants of the scene in the programs.
func (r *runner) apply(p *source) error {
	if err := r.scene.give(r.Launch, p.given); err != nil {
		return err
	}
	for _, l := range []*exec.Launch{r.Launch, r.fragment} {
		if l != nil {
			r.scene.attach(l)
		}
	}
	return nil
}

// Read reads the inputs of vertices, or fragments, from a file, in place of their numbers.
func (r *runner) Read(data []byte, format string) error {
	r.index = false
	return r.Batch.Read(data, format)
}

// Select is that of feed.Batch. If the run draws, it applies to the outputs of the program.
func (r *runner) Select(names []string) error {
	if r.size != (image.Point{}) {
		return errors.New("--read cannot be combined with a picture, which needs all outputs")
	}
	return r.Batch.Select(names)
}

// Call runs the program with arguments. Without inputs of vertices, the vertices have their numbers.
func (r *runner) Call(ctx context.Context, args []feed.Argument, opt feed.RunOptions) (*feed.Outcome, error) {
	index := r.index
	defer func() { r.index = index }()
	return r.CallRows(ctx, args, opt, func(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
		r.index = index && r.Given().Lanes == 0
		return r.Run(ctx, opt)
	})
}

// Run runs the program, and draws if there is a fragment program or a picture.
func (r *runner) Run(ctx context.Context, opt feed.RunOptions) (*feed.Outcome, error) {
	if r.stage == fragments && r.size != (image.Point{}) {
		return r.rectangle(ctx, opt)
	}
	if r.fragment != nil { // all vertices are at hand when the triangles are drawn
		if opt.Rows = nil; opt.Count > MaxVertices {
			return nil, exec.Optionf("the picture has %d vertices, expected at most %d", opt.Count, MaxVertices)
		}
	}
	if r.attributes != nil {
		return r.fetched(ctx, opt)
	}
	if r.index {
		r.number(max(opt.Count, r.scene.vertices, 1))
		opt.Count = 0
	}
	return r.drawn(ctx, r.Batch, opt)
}

// drawn runs the program, and draws if there is a fragment program.
func (r *runner) drawn(ctx context.Context, b *feed.Batch, opt feed.RunOptions) (*feed.Outcome, error) {
	out, err := b.Run(ctx, opt)
	if err != nil || r.fragment == nil {
		return out, err
	}
	return r.triangles(ctx, out, opt)
}

// number feeds vertices with their numbers.
func (r *runner) number(n int) {
	r.Feed(r.numbers(n))
}

// port returns the registers of a place, by the name of their file.
func port(p *exec.Place) exec.Port {
	out := exec.Port{Name: p.State().Name, State: p.State(), First: p.Number, Count: p.Count}
	for _, k := range p.Components {
		out.Mask |= 1 << uint(k)
	}
	return out
}

// numberedOf returns the registers with the number of a vertex.
func numberedOf(l *exec.Launch) (list []exec.Port, err error) {
	for _, name := range []string{vertexInput, exportedInput} {
		p, err := exec.PlaceOf(l.Program.Machine, l.Program.Context, name)
		if err != nil {
			return nil, err
		}
		list = append(list, port(p))
	}
	return list, nil
}

// numbers returns the inputs of number.
func (r *runner) numbers(n int) exec.Input {
	in := exec.Input{Lanes: n, Ports: slices.Clone(r.numbered)}
	in.Row = func(lane int, row []uint64) {
		for k := range row {
			row[k] = uint64(math.Float32bits(float32(lane)))
		}
	}
	return in
}

// give sets the constants of a file.
func (s *scene) give(l *exec.Launch, c *a2xx.Constants) error {
	if c == nil {
		return nil
	}
	for n, v := range c.Floats {
		for k, x := range v {
			l.Shared.Set(s.constants.State(), s.constants.Number+n, k, uint64(x))
		}
	}
	for n, v := range c.Bools {
		bit := uint64(0)
		if v {
			bit = 1
		}
		l.Shared.Set(s.bools.State(), s.bools.Number+n, 0, bit)
	}
	for n, v := range c.Loops {
		l.Shared.Set(s.loops.State(), s.loops.Number+n, 0, uint64(v))
	}
	for n, data := range c.Buffers {
		if err := s.buffer(n/3, n%3, int(c.Orders[n]), data); err != nil {
			return err
		}
	}
	return nil
}

// giveTextures adds the textures of a file and keeps those of the scene. Fetches report textures that cannot be read.
func (l *loader) giveTextures(s *scene, c *a2xx.Constants) {
	if c == nil {
		return
	}
	for n, t := range c.Textures {
		if s.textures[n] != nil {
			continue
		}
		tex, err := l.memoryTexture(&t)
		if err != nil {
			tex = &texture{unread: fmt.Sprintf("texture %d: %v", n, err)}
		}
		s.addTexture(n, tex, t.Words)
	}
}

// attach connects a program to the memory, fetch constants and textures that all programs of a scene share.
func (s *scene) attach(l *exec.Launch) {
	l.Shared.SetMemory(s.buffers.State(), s.memory)
	for at, v := range s.fetch {
		l.Shared.Set(s.fetches.State(), s.fetches.Number+at[0], at[1], v)
	}
	l.Services = s.services()
}
