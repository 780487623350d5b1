package translatetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/vulkan"
	"github.com/isago/isago/translate"
)

// attributes returns the attributes of a vertex.
func attributes(text *translate.Text) (list []vulkan.Attribute) {
	for _, b := range text.Inputs {
		for n := range b.Count {
			if b.Builtin != "" {
				continue
			}
			list = append(list, vulkan.Attribute{Location: b.Location + n, Components: b.Components, Kind: b.Type[0]})
		}
	}
	return list
}

// captured returns the outputs of a vertex or geometry shader in their order. gl_Position is the first of them.
func captured(text *translate.Text) []vulkan.Captured {
	list := []vulkan.Captured{{Location: vulkan.Position, Components: 4}}
	for _, b := range text.Outputs {
		switch b.Builtin {
		case "":
			list = append(list, vulkan.Captured{Location: b.Location, Components: b.Components})
		case "point-size":
			list = append(list, vulkan.Captured{Location: vulkan.PointSize, Components: 1})
		}
	}
	return list
}

// vertexDraw returns a draw that captures the outputs of a vertex shader.
func vertexDraw(text *translate.Text) *vulkan.Draw {
	return &vulkan.Draw{Stage: "vert", Attributes: attributes(text), Count: exec.Lanes, Captured: captured(text), Most: exec.Lanes}
}

// pass returns a vertex shader that gives the next stage its inputs. Each vertex is a point in a pixel of its own.
func pass(list []vulkan.Attribute) string {
	var w, body strings.Builder
	fmt.Fprintf(&w, "#version 450\n")
	for i, a := range list {
		scalar, vector := types(string(a.Kind))
		t := scalar
		if a.Components > 1 {
			t = fmt.Sprint(vector, a.Components)
		}
		fmt.Fprintf(&w, "layout(location = %d) in %s i%d;\nlayout(location = %d) out %s o%d;\n", a.Location, t, i, a.Location, t, i)
		fmt.Fprintf(&body, "\to%d = i%d;\n", i, i)
	}
	fmt.Fprintf(&w, "void main() {\n\tprecise float x = (2.0 * float(gl_VertexIndex) + 1.0) / %d.0 - 1.0;\n\tgl_Position = vec4(x, 0.0, 0.0, 1.0);\n\tgl_PointSize = 1.0;\n%s}\n", exec.Lanes, body.String())
	return w.String()
}

// fragmentDraw returns a draw with a pixel for each lane.
func fragmentDraw(text *translate.Text) *vulkan.Draw {
	list := attributes(text)
	d := &vulkan.Draw{Stage: "frag", Attributes: list, Count: exec.Lanes, Vertex: pass(list), Width: exec.Lanes}
	for _, b := range text.Outputs {
		if b.Builtin == "" {
			d.Targets = max(d.Targets, b.Location+1)
		}
	}
	for _, t := range text.Textures {
		n := map[string]int{"1d": 1, "2d": 2, "3d": 3, "cube": 4}[t.Dimension]
		d.Textures = append(d.Textures, vulkan.Texture{Binding: t.Binding, Dimensions: n, Size: TextureSize, Levels: TextureLevels, Texels: texels(t.Number, n)})
	}
	return d
}

// position returns the name of the output whose value the shader assigns to gl_Position, or "".
func position(text *translate.Text) string {
	root := func(e *shade.Expr) *shade.Var {
		for len(e.Args) > 0 {
			e = e.Args[0]
		}
		return e.Var
	}
	var from *shade.Var
	names := map[*shade.Var]string{} // of the outputs, by what is assigned to them
	for _, f := range text.Shader(inside.Key{}).Funcs {
		for _, s := range f.Body {
			if s.Kind != shade.Assign || root(s.Value) == nil {
				continue
			}
			switch v := root(s.Dest); {
			case v.Builtin == shade.Position:
				from = root(s.Value)
			case v.Storage == shade.Output:
				names[root(s.Value)] = v.Name
			}
		}
	}
	if from != nil && from.Storage == shade.Output {
		return from.Name
	}
	return names[from]
}

// drawn replaces the results of a draw by the rows that a compute shader would write: for each lane 1 and its outputs.
func (j *job) drawn() error {
	if j.shader.Draw.Stage == "frag" {
		return j.fragments()
	}
	rows, err := vertices(j.text, j.shader, len(j.want))
	if err != nil {
		return err
	}
	j.shader.Results = nil
	for _, row := range rows {
		j.shader.Results = binary.LittleEndian.AppendUint32(j.shader.Results, 1)
		for _, v := range row {
			j.shader.Results = binary.LittleEndian.AppendUint32(j.shader.Results, v)
		}
	}
	return nil
}

// vertices returns the outputs of the vertices that transform feedback captured.
func vertices(text *translate.Text, s *vulkan.Shader, count int) (rows [][]uint32, err error) {
	data, words := s.Results, 0
	for _, c := range s.Draw.Captured {
		words += c.Components
	}
	if len(data) != 4*words*count {
		return nil, fmt.Errorf("%d bytes of vertices, expected %d with %d words each", len(data), count, words)
	}
	name := position(text)
	for n := range count {
		at := 4 * words * n
		next := func() uint32 {
			at += 4
			return binary.LittleEndian.Uint32(data[at-4:])
		}
		var place, row []uint32
		for range 4 {
			place = append(place, next())
		}
		for _, b := range text.Outputs {
			switch b.Builtin {
			case "position":
				row = append(row, place[:b.Components]...)
				continue
			case "point-size":
				row = append(row, next())
				for k := 1; k < b.Components; k++ {
					row = append(row, row[len(row)-1])
				}
				continue
			}
			for k := range b.Components {
				v := next()
				if b.Name == name && sem.Canonical(uint64(v), sem.F32) != sem.Canonical(uint64(place[k]), sem.F32) {
					return nil, fmt.Errorf("vertex %d: component %d of gl_Position is %x, expected %x", n, k, place[k], v)
				}
				row = append(row, v)
			}
			for k := b.Components; b.Name == name && k < 4; k++ {
				if want := map[bool]uint32{true: 0x3f800000}[k == 3]; place[k] != want {
					return nil, fmt.Errorf("vertex %d: component %d of gl_Position is %x, expected %x", n, k, place[k], want)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// fragments makes rows of pixels. A pixel that no fragment has written was dropped: its other outputs are those of the engine.
func (j *job) fragments() error {
	x := j.shader.Draw
	j.shader.Results = nil
	put := func(v uint32) { j.shader.Results = binary.LittleEndian.AppendUint32(j.shader.Results, v) }
	word := func(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }
	for lane, want := range j.want {
		put(1)
		dropped := word(x.Depths, lane) == vulkan.UntouchedDepth
		i := -1
		for _, b := range j.text.Outputs {
			for k := range b.Components {
				expected := uint32(0)
				if i++; i < len(want) {
					expected = uint32(want[i])
				}
				switch {
				case b.Builtin == "discard":
					put(map[bool]uint32{true: 1}[dropped])
				case b.Builtin == "depth":
					depth := word(x.Depths, lane)
					// The device keeps depths between 0 and 1.
					if f := math.Float32frombits(expected); dropped || math.Float32bits(min(max(f, 0), 1)) == depth {
						depth = expected
					}
					put(depth)
				default:
					got := word(x.Pixels, 4*(x.Width*b.Location+lane)+k)
					if dropped != (got == vulkan.Untouched) {
						return fmt.Errorf("lane %d: dropped is %v, but %s has %x", lane, dropped, b.Name, got)
					}
					if dropped {
						got = expected
					}
					put(got)
				}
			}
		}
	}
	return nil
}

// TextureSize is the size of textures in texels along each side, and TextureLevels the number of levels.
const (
	TextureSize   = 8
	TextureLevels = 3
)

// texelBits returns a component of a texel: a number from 0.25 to 0.5.
func texelBits(number, level, face, z, y, x, k int) uint32 {
	sum := uint32(number)
	for _, n := range []int{level, face, z, y, x, k} {
		sum = sum*31 + uint32(n)
	}
	return sum*0x9e3779b1>>9 | 0x3e800000
}

// texels returns the texels of a texture with a number of dimensions, or 4 for a cube.
func texels(number, dimensions int) (out []byte) {
	for level := range TextureLevels {
		size := TextureSize >> level
		height, depth, faces := size, 1, 1
		switch dimensions {
		case 1:
			height = 1
		case 3:
			depth = size
		case 4:
			faces = 6
		}
		for face := range faces {
			for z := range depth {
				for y := range height {
					for x := range size {
						for k := range 4 {
							out = binary.LittleEndian.AppendUint32(out, texelBits(number, level, face, z, y, x, k))
						}
					}
				}
			}
		}
	}
	return out
}

// Texels returns the host callback for textures whose texels a draw of a fragment shader samples. The nearest texel of the nearest level
// counts. All neighbours of a fragment have the same coordinates, so that the level that a device computes is 0.
func Texels(text *translate.Text) exec.Service {
	return func(c *exec.Call) {
		arg := func(name string, k, lane int) float64 {
			list := c.Arg(name)
			if k >= len(list) {
				return 0
			}
			return float64(math.Float32frombits(uint32(list[k][lane])))
		}
		flag := func(name string, lane int) bool {
			list := c.Arg(name)
			return len(list) > 0 && list[0][lane] != 0
		}
		for lane := range exec.Lanes {
			number, dimensions := int(c.Arg("number")[0][lane]), 2
			for _, t := range text.Textures {
				if t.Number == number {
					dimensions = map[string]int{"1d": 1, "2d": 2, "3d": 3}[t.Dimension]
				}
			}
			level := 0.0
			switch {
			case flag("given", lane), len(c.Arg("computed")) > 0 && !flag("computed", lane):
				level = arg("lod", 0, lane)
			case flag("with_gradients", lane):
				length := func(name string) (sum float64) {
					for k := range dimensions {
						d := arg(name, k, lane) * TextureSize
						sum += float64(d * d) // not fused
					}
					return sum
				}
				level = math.Log2(max(length("horizontal"), length("vertical"))) / 2
			}
			n := int(min(max(math.Floor(level+0.5), 0), TextureLevels-1))
			size := TextureSize >> n
			at := [3]int{}
			for k := range dimensions {
				u := arg("at", k, lane)
				if flag("unnormalised", lane) {
					u /= TextureSize
				}
				u += float64(arg("offset", k, lane) / TextureSize)
				at[k] = int(math.Floor(u*float64(size))) & (size - 1)
			}
			for k := range c.Results {
				c.Results[k][lane] = uint64(texelBits(number, n, 0, at[2], at[1], at[0], k))
			}
		}
	}
}

// topologies are the numbers of primitives in Vulkan.
var topologies = map[shade.Primitive]int{shade.Points: 0, shade.Lines: 1, shade.Triangles: 3, shade.LinesAdjacency: 6, shade.TrianglesAdjacency: 8}

// AddGeometry adds a geometry shader in GLSL or SPIR-V. inputs returns the components of an input of a vertex, of which there are
// count. want has the outputs of the vertices of triangles that the engine emits, in the order in which they are drawn.
func (x *Comparison) AddGeometry(name string, text *translate.Text, before *exec.Wave, count int, inputs func(vertex int, b translate.Binding) []uint64, want [][]uint64) {
	s := text.Shader(inside.Key{})
	list := attributes(text)
	draw := &vulkan.Draw{Stage: "geom", Vertex: pass(list), Attributes: list, Count: count, Topology: topologies[s.From], Captured: captured(text), Most: len(want) + 3}
	j := &job{name: name, text: text, want: want, shader: &vulkan.Shader{Source: text.Source, Module: text.Module, Draw: draw}}
	j.shader.Uniforms = uniforms(text, before.Program.Machine.States, before)
	for n := range count {
		for _, b := range text.Inputs {
			values := inputs(n, b)
			for k := range 4 {
				v := uint32(0)
				if k < len(values) {
					v = uint32(values[k])
				}
				j.shader.Inputs = binary.LittleEndian.AppendUint32(j.shader.Inputs, v)
			}
		}
	}
	for range want {
		j.ends = append(j.ends, true)
	}
	for _, b := range text.Outputs {
		for range b.Components {
			j.types, j.mask = append(j.types, sem.F32), append(j.mask, true)
		}
	}
	x.jobs = append(x.jobs, j)
}
