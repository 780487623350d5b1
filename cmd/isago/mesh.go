package main

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/feed"
	"github.com/isago/isago/internal/raster"
	"github.com/isago/isago/isa"
)

// meshFlags select the mesh for a vertex program, and the size of the picture.
type meshFlags struct {
	mesh, size string
	bind       []string
}

func (f *meshFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.mesh, "mesh", "", "run a vertex program over the mesh in `FILE` (.obj)")
	flags.StringVar(&f.size, "size", "512x512", "draw a picture of `WIDTHxHEIGHT` pixels")
	flags.StringArrayVar(&f.bind, "bind", nil, "set the role of an input or output, as `NAME=ROLE`: position, normal, texcoord or color (default: by its name)")
	_ = cmd.MarkFlagFilename("mesh", "obj")
}

// role is the purpose of an input or an output, and the parts of names that identify it.
type role struct {
	name  string
	words []string
}

// The known roles. A name has the first role with a part that the name contains.
var roles = []role{
	{"position", []string{"pos", "vert"}}, {"normal", []string{"norm", "nrm"}}, {"texcoord", []string{"tex", "uv"}}, {"color", []string{"col"}},
}

// roleOf returns the role of an input or output with a name, or "" if the role is unknown. bound has the roles of
// --bind by name.
func roleOf(name string, bound map[string]string) string {
	if role, ok := bound[name]; ok {
		return role
	}
	for _, r := range roles {
		for _, w := range r.words {
			if strings.Contains(strings.ToLower(name), w) {
				return r.name
			}
		}
	}
	return ""
}

func (f *meshFlags) bound() (map[string]string, error) {
	bound, err := pairs("bind", f.bind)
	if err != nil {
		return nil, err
	}
	for name, what := range bound {
		if !slices.ContainsFunc(roles, func(r role) bool { return r.name == what }) {
			return nil, usagef("--bind %s=%s, expected position, normal, texcoord or color", name, what)
		}
	}
	return bound, nil
}

// dimensions parses --size and returns the width and the height in pixels.
func (f *meshFlags) dimensions() (width, height int, err error) {
	const most = 4096
	across, down, _ := strings.Cut(f.size, "x")
	width, err = strconv.Atoi(across)
	height, err2 := strconv.Atoi(down)
	if err != nil || err2 != nil || width < 1 || height < 1 || width > most || height > most {
		return 0, 0, usagef("--size %q, expected WIDTHxHEIGHT, each from 1 to %d", f.size, most)
	}
	return width, height, nil
}

// draw runs a vertex program over a mesh, and draws the mesh with the outputs.
func (f *meshFlags) draw(ctx context.Context, r feed.Runner, mesh *raster.Mesh, opt feed.RunOptions) (*feed.Outcome, error) {
	b, ok := r.(*feed.Batch)
	if !ok {
		return nil, usagef("--mesh is for vertex programs")
	}
	width, height, err := f.dimensions()
	if err != nil {
		return nil, err
	}
	bound, err := f.bound()
	if err != nil {
		return nil, err
	}
	in, err := meshInput(b.Launch, mesh, bound)
	if err != nil {
		return nil, err
	}
	if opt.Count > in.Lanes {
		return nil, usagef("--count %d, expected at most %d, the vertices of the mesh", opt.Count, in.Lanes)
	}
	b.Feed(*in)
	out, err := b.Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	out.Picture = picture(&out.Tables[0], mesh, bound, width, height)
	return out, nil
}

// meshInput returns the data of a mesh for the inputs of a program.
func meshInput(l *exec.Launch, mesh *raster.Mesh, bound map[string]string) (*exec.Input, error) {
	ports := l.Inputs
	for name := range bound {
		if p, err := l.Find(name); err != nil {
			return nil, usagef("--bind: %v", err)
		} else if p.State.Use == "input" && !named(ports, name) {
			ports = append(ports, p)
		}
	}
	in := &exec.Input{Lanes: len(mesh.Positions), Values: make([][]uint64, len(mesh.Positions))}
	found := false
	for _, p := range ports {
		role := roleOf(p.Name, bound)
		if t := p.State.Type; role == "" || t.Kind != isa.Float || t.Bits != 32 {
			continue
		}
		found = found || role == "position"
		p.Count = 1
		in.Ports = append(in.Ports, p)
		for i := range in.Values {
			v := meshValue(mesh, role, i)
			for _, k := range p.Components() {
				in.Values[i] = append(in.Values[i], uint64(math.Float32bits(v[k&3])))
			}
		}
	}
	if !found {
		return nil, usagef("no float input of the program is recognised as a position; choose one with --bind NAME=position")
	}
	return in, nil
}

func named(ports []exec.Port, name string) bool {
	for i := range ports {
		if ports[i].Name == name {
			return true
		}
	}
	return false
}

// meshValue returns the value of a vertex for a role.
func meshValue(m *raster.Mesh, role string, i int) [4]float32 {
	switch role {
	case "position":
		return [4]float32{m.Positions[i][0], m.Positions[i][1], m.Positions[i][2], 1}
	case "normal":
		return [4]float32{m.Normals[i][0], m.Normals[i][1], m.Normals[i][2], 0}
	case "texcoord":
		return [4]float32{m.Texcoords[i][0], m.Texcoords[i][1], 0, 1}
	}
	return [4]float32{1, 1, 1, 1}
}

// checks is the number of squares of the checkerboard along each side of a texture.
const checks = 8

// background is the colour around the mesh.
var background = color.RGBA{0x1b, 0x1f, 0x27, 255}

// picture draws a mesh with the positions and colours in a table. If the table has texture coordinates, it draws a
// checkerboard on the mesh.
func picture(t *feed.Table, mesh *raster.Mesh, bound map[string]string, width, height int) image.Image {
	at := map[string]int{} // the first component of each role in a row
	count := map[string]int{}
	n := 0
	for i := range t.Columns {
		c := &t.Columns[i]
		role := roleOf(c.Name, bound)
		if _, ok := at[role]; !ok {
			at[role], count[role] = n, c.Count()
		}
		if i == 0 { // the first output is the position if no output has that role
			if _, ok := at["position"]; !ok {
				at["position"], count["position"] = n, c.Count()
			}
		}
		n += c.Count()
	}
	part := func(row []uint64, role string, k int, missing float32) float32 {
		if k >= count[role] {
			return missing
		}
		return math.Float32frombits(uint32(row[at[role]+k]))
	}
	vertices := make([]raster.Corner, len(t.Rows))
	for i, row := range t.Rows {
		v := &vertices[i]
		for k, to := range []*float64{&v.X, &v.Y, &v.Z, &v.W} {
			*to = float64(part(row, "position", k, float32(k/3)))
		}
		for k := range 3 {
			v.Values = append(v.Values, part(row, "color", k, 0.8))
		}
		v.Values = append(v.Values, part(row, "texcoord", 0, 0), part(row, "texcoord", 1, 0))
	}
	return raster.Draw(width, height, background, vertices, mesh.Triangles, func(v []float32) [3]float32 {
		light := float32(1)
		if count["texcoord"] > 0 && math.Mod(math.Floor(float64(v[3]*checks))+math.Floor(float64(v[4]*checks)), 2) != 0 {
			light = 0.6
		}
		return [3]float32{v[0] * light, v[1] * light, v[2] * light}
	})
}

// readMesh reads the file of --mesh. It returns nil without --mesh.
func (f *meshFlags) readMesh(cmd *cobra.Command) (*raster.Mesh, error) {
	if f.mesh == "" {
		return nil, nil
	}
	data, err := readAll(cmd, f.mesh)
	if err != nil {
		return nil, err
	}
	return raster.ReadOBJ(textOf(f.mesh, data))
}
