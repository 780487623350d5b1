package vulkan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Draw is what a shader needs in a graphics pipeline. Binding 2 of set 0 has the uniform block and binding 3 the memory.
type Draw struct {
	// Stage is the stage of the shader: vert, geom or frag.
	Stage string
	// Vertex is the GLSL text of the vertex shader, if the shader is for another stage.
	Vertex string
	// Attributes are the attributes of a vertex. Each has 16 bytes in Shader.Inputs. Count is the number of vertices.
	Attributes []Attribute
	Count      int
	// Topology is the number of the primitives in Vulkan, such as 0 for points.
	Topology int
	Textures []Texture
	// Captured are the outputs that transform feedback writes to Shader.Results, one vertex of a primitive after another. If
	// there are any, nothing is rasterised. Most is the greatest number of vertices that are captured.
	Captured []Captured
	Most     int
	// Targets is the number of render targets with Width pixels of 4 floats each. Pixels has their bytes after the draw, one target
	// after another. Depths has the bytes of the depths.
	Targets, Width int
	Pixels, Depths []byte
}

// Captured is an output of 32 bits in each component.
type Captured struct {
	// Location is the location, or one of the constants below.
	Location, Components int
}

// The builtins in place of a location.
const (
	Position  = -1
	PointSize = -2
)

// Texture is a texture with texels of 4 floats.
type Texture struct {
	// Dimensions is 1 to 3, or 4 for a cube. Size is the number of texels of each side.
	Binding, Dimensions, Size, Levels int
	Texels                            []byte
}

// What render targets and depths contain before a draw.
const (
	Untouched      = 0x4640e400 // 12345
	UntouchedDepth = 0x3f400000 // 0.75
)

// job writes the files of a draw, and returns the job for the harness. module is the file of the shader, and out that of the
// results.
func (d *Device) job(s *Shader, module, out string, number int) (string, error) {
	x, base := s.Draw, strings.TrimSuffix(out, ".out")
	stages := map[string]string{x.Stage: module}
	if x.Stage != "vert" {
		file, err := d.passed(x.Vertex, number)
		if err != nil {
			return "", err
		}
		stages["vert"] = file
	}
	if len(x.Captured) > 0 || x.Stage == "frag" {
		data, err := os.ReadFile(module)
		if err != nil {
			return "", err
		}
		if x.Stage == "frag" {
			data = flatten(data)
		} else {
			data = capture(data, x.Captured)
		}
		stages[x.Stage] = base + ".edited.spv"
		if err := os.WriteFile(stages[x.Stage], data, 0o666); err != nil {
			return "", err
		}
	}
	var w strings.Builder
	var failed error
	write := func(file, format string, data []byte, args ...any) {
		failed = errors.Join(failed, os.WriteFile(base+file, data, 0o666))
		fmt.Fprintf(&w, format+" %s\n", append(args, base+file)...)
	}
	for _, stage := range [][2]string{{"vert", "vertex"}, {"geom", "geometry"}, {"frag", "fragment"}} {
		if stages[stage[0]] != "" {
			fmt.Fprintln(&w, stage[1], stages[stage[0]])
		}
	}
	for _, a := range x.Attributes {
		fmt.Fprintf(&w, "attribute %d %c %d\n", a.Location, a.Kind, a.Components)
	}
	write(".in", "vertices", s.Inputs)
	write(".uniforms", "uniforms 2", s.Uniforms)
	write(".memory", "memory 3", s.Memory)
	for i, t := range x.Textures {
		write(fmt.Sprint(".texture", i), "texture %d %d %d %d", t.Texels, t.Binding, t.Dimensions, t.Size, t.Levels)
	}
	fmt.Fprintln(&w, "topology", x.Topology, "targets", x.Targets, "draw", x.Count, max(1, x.Width), x.size(), out)
	return w.String(), failed
}

// passed returns the module of a vertex shader, which several draws may have.
func (d *Device) passed(source string, number int) (string, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if file := d.vertex[source]; file != "" {
		return file, nil
	}
	file, err := d.compile(source, "vert", nil, number)
	d.vertex[source] = file
	return file, err
}

// size returns the most bytes of transform feedback.
func (x *Draw) size() (n int) {
	for _, c := range x.Captured {
		n += 4 * c.Components * x.Most
	}
	return n
}

// drawn reads the results of a draw from what the harness wrote.
func (s *Shader) drawn(data []byte) ([]byte, error) {
	x, size := s.Draw, s.Draw.size()
	pixels, depths := 16*x.Width*x.Targets, 4*max(1, x.Width)
	if len(data) != 4+size+pixels+depths {
		return nil, fmt.Errorf("a draw wrote %d bytes, expected %d", len(data), 4+size+pixels+depths)
	}
	got := int(binary.LittleEndian.Uint32(data))
	if got > size {
		return nil, fmt.Errorf("transform feedback wrote %d bytes, expected at most %d", got, size)
	}
	x.Pixels, x.Depths = data[4+size:4+size+pixels], data[4+size+pixels:]
	return data[4 : 4+got], nil
}

// The numbers of instructions, decorations and other words of SPIR-V.
const (
	headWords                                       = 5
	debugName                                       = 5
	entryPoint, executionMode, capability           = 15, 16, 17
	typePointer, variable, decorate, memberDecorate = 32, 59, 71, 72
	builtIn, flat, location, offset                 = 11, 14, 30, 35
	xfbBuffer, xfbStride                            = 36, 37
	transformFeedback, xfb                          = 53, 11
	inputClass, outputClass                         = 1, 3
)

// module has the words of a SPIR-V module.
type module []uint32

func read(data []byte) (m module) {
	for ; len(data) >= 4; data = data[4:] {
		m = append(m, binary.LittleEndian.Uint32(data))
	}
	return m
}

// each calls visit for each instruction.
func (m module) each(visit func(op uint32, w []uint32)) {
	for i := headWords; i < len(m); {
		n := min(max(1, int(m[i]>>16)), len(m)-i)
		visit(m[i]&0xffff, m[i:i+n])
		i += n
	}
}

// with returns the bytes of the module with more decorations, before the first one. If feedback is set, it has transform feedback.
func (m module) with(decorations []uint32, feedback bool) (data []byte) {
	out, first := slices.Clone(m[:headWords]), map[uint32]bool{}
	m.each(func(op uint32, w []uint32) {
		if (op == decorate || op == memberDecorate) && !first[decorate] {
			first[decorate] = true
			out = append(out, decorations...)
		}
		out = append(out, w...)
		switch {
		case !feedback:
		case op == capability && !first[op]:
			out = append(out, 2<<16|capability, transformFeedback)
		case op == entryPoint:
			out = append(out, 3<<16|executionMode, w[2], xfb)
		}
		first[op] = true
	})
	return out.bytes()
}

// bytes returns the bytes of the module.
func (m module) bytes() (data []byte) {
	for _, w := range m {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// instruction returns the words of an instruction.
func instruction(op uint32, args ...uint32) []uint32 {
	return append([]uint32{uint32(len(args)+1)<<16 | op}, args...)
}

// flatten makes the inputs of a fragment shader flat. The points of a draw have one pixel, whose values need not be interpolated, but
// a device that does so loses the sign of zeros.
func flatten(data []byte) []byte {
	m := read(data)
	inputs, placed := map[uint32]bool{}, map[uint32]bool{}
	m.each(func(op uint32, w []uint32) {
		switch {
		case op == variable && w[3] == inputClass:
			inputs[w[2]] = true
		case op == decorate && w[2] == location:
			placed[w[1]] = true
		case op == decorate && w[2] == flat:
			placed[w[1]] = false
		}
	})
	var more []uint32
	for _, v := range slices.Sorted(maps.Keys(inputs)) {
		if placed[v] {
			more = append(more, instruction(decorate, v, flat)...)
		}
	}
	return m.with(more, false)
}

// capture adds transform feedback of outputs to a module.
func capture(data []byte, outputs []Captured) []byte {
	m := read(data)
	// The output variables, and the structures of those that are blocks.
	places, members, blocks, written := map[uint32]int{}, map[uint32][][2]uint32{}, map[uint32]uint32{}, map[uint32]bool{}
	m.each(func(op uint32, w []uint32) {
		switch {
		case op == typePointer && w[2] == outputClass:
			blocks[w[1]] = w[3]
		case op == variable && w[3] == outputClass:
			written[w[2]], blocks[w[2]] = true, blocks[w[1]]
		case op == decorate && w[2] == location:
			places[w[1]] = int(w[3])
		case op == decorate && w[2] == builtIn:
			places[w[1]] = -1 - int(w[3])
		case op == memberDecorate && w[3] == builtIn:
			members[w[1]] = append(members[w[1]], [2]uint32{w[2], w[4]})
		}
	})
	stride, at := uint32(0), map[int]uint32{}
	for _, o := range outputs {
		at[o.Location] = stride
		stride += 4 * uint32(o.Components)
	}
	var more []uint32
	buffer := func(v uint32) {
		more = append(more, instruction(decorate, v, xfbBuffer, 0)...)
		more = append(more, instruction(decorate, v, xfbStride, stride)...)
	}
	for _, v := range slices.Sorted(maps.Keys(written)) {
		list := members[blocks[v]]
		if place, ok := places[v]; ok {
			if o, ok := at[place]; ok {
				buffer(v)
				more = append(more, instruction(decorate, v, offset, o)...)
			}
		} else if len(list) > 0 {
			buffer(v)
			for _, x := range list {
				if o, ok := at[-1-int(x[1])]; ok {
					more = append(more, instruction(memberDecorate, blocks[v], x[0], offset, o)...)
				}
			}
		}
	}
	return m.with(more, true)
}
