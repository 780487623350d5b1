package feed

import (
	"context"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/raster"
	"github.com/isago/isago/isa"
)

// Mesh is a mesh over which vertex programs run, and the picture that it gives.
type Mesh struct {
	// Width and Height are the size of the picture in pixels.
	Width, Height int
	// Roles are those of inputs and outputs by name: position, normal, texcoord or color. Names that are not in it have
	// the role that the name itself suggests.
	Roles map[string]string

	mesh *raster.Mesh
}

// ReadMesh reads a mesh in the OBJ format. The error says where the file is wrong.
func ReadMesh(src *diag.Source) (*Mesh, error) {
	mesh, err := raster.ReadOBJ(src)
	if err != nil {
		return nil, err
	}
	return &Mesh{mesh: mesh}, nil
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

// roleOf returns the role of an input or output with a name, or "" if the role is unknown. bound has the roles
// of Mesh.Roles.
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

// IsRole reports whether a mesh has data for a role of that name.
func IsRole(name string) bool {
	return slices.ContainsFunc(roles, func(r role) bool { return r.name == name })
}

// Draw runs a vertex program over a mesh, and draws the mesh with the outputs. It returns an error for a program of another
// kind, and for one that has no input for positions.
func (m *Mesh) Draw(ctx context.Context, r Runner, opt RunOptions) (*Outcome, error) {
	b, ok := r.(*Batch)
	if !ok {
		return nil, exec.Optionf("--mesh is for vertex programs")
	}
	in, err := meshInput(b.Launch, m.mesh, m.Roles)
	if err != nil {
		return nil, err
	}
	if opt.Count > in.Lanes {
		return nil, exec.Optionf("--count %d, expected at most %d, the vertices of the mesh", opt.Count, in.Lanes)
	}
	b.Feed(*in)
	out, err := b.Run(ctx, opt)
	if err != nil {
		return nil, err
	}
	out.Picture = picture(&out.Tables[0], m.mesh, m.Roles, m.Width, m.Height)
	return out, nil
}

// meshInput returns the data of a mesh for the inputs of a program.
func meshInput(l *exec.Launch, mesh *raster.Mesh, bound map[string]string) (*exec.Input, error) {
	ports := l.Inputs
	for name := range bound {
		if p, err := l.Find(name); err != nil {
			return nil, exec.Optionf("--bind: %w", err)
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
		return nil, exec.Optionf("no float input of the program is recognised as a position; choose one with --bind NAME=position")
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

// Background is the colour around the mesh.
var Background = color.RGBA{0x1b, 0x1f, 0x27, 255}

// picture draws a mesh with the positions and colours in a table. If the table has texture coordinates, it draws a
// checkerboard on the mesh.
func picture(t *Table, mesh *raster.Mesh, bound map[string]string, width, height int) image.Image {
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
	return raster.Draw(width, height, Background, vertices, mesh.Triangles, func(v []float32) [3]float32 {
		light := float32(1)
		if count["texcoord"] > 0 && math.Mod(math.Floor(float64(v[3]*checks))+math.Floor(float64(v[4]*checks)), 2) != 0 {
			light = 0.6
		}
		return [3]float32{v[0] * light, v[1] * light, v[2] * light}
	})
}
