package raster_test

import (
	"image/color"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/raster"
)

// at returns a corner at screen coordinates from -1 to 1, with one value.
func at(x, y, z float64, value float32) raster.Corner {
	return raster.Corner{X: x, Y: y, Z: z, W: 1, Values: []float32{value}}
}

// TestDepth requires that the nearer triangle is visible, in either drawing order.
func TestDepth(t *testing.T) {
	vertices := []raster.Corner{
		at(-3, -3, 0.5, 0.2), at(3, -3, 0.5, 0.2), at(0, 5, 0.5, 0.2),
		at(-3, -3, -0.5, 1), at(3, -3, -0.5, 1), at(0, 5, -0.5, 1),
	}
	for _, list := range [][][3]int{{{0, 1, 2}, {3, 4, 5}}, {{3, 4, 5}, {0, 1, 2}}} {
		img := raster.Draw(4, 4, color.RGBA{}, vertices, list, func(v []float32) [3]float32 { return [3]float32{v[0], 0, 2} })
		if got, want := img.RGBAAt(2, 2), (color.RGBA{255, 0, 255, 255}); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func read(text string) (*raster.Mesh, error) {
	return raster.ReadOBJ(&diag.Source{Name: "m.obj", Text: text})
}

// TestOBJ reads a square that is one face without normals. The mesh must have two triangles with the
// normal of the plane.
func TestOBJ(t *testing.T) {
	m, err := read("# a square\no it\nv 0 0 0\nv 2 0 0 1.0\nv 2 2 0\nv 0 2 0\nvt 0.5 1\nf 1/1 2/1 3 -1\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Positions) != 4 || len(m.Triangles) != 2 || m.Triangles[1] != [3]int{0, 2, 3} {
		t.Errorf("%d vertices, triangles %v", len(m.Positions), m.Triangles)
	}
	if m.Normals[2] != [3]float32{0, 0, 1} || m.Texcoords[1] != [2]float32{0.5, 1} || m.Texcoords[2] != [2]float32{} {
		t.Errorf("normals %v, texcoords %v", m.Normals, m.Texcoords)
	}
}

func TestOBJMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"v 0 0 0\n":                     "m.obj:2:1: no face",
		"v 0 0\n":                       "m.obj:1:1: 2 numbers after v, expected 3",
		"v 0 0 x\n":                     `m.obj:1:7: "x", expected a number`,
		"v 0 0 inf\n":                   `m.obj:1:7: "inf", expected a number`,
		"v 0 0 0\nf 1 1\n":              "m.obj:2:1: the face has 2 vertices",
		"v 0 0 0\nf 1 1 2\n":            `m.obj:2:7: "2", expected a number from 1 to 1`,
		"v 0 0 0\nf 1 1/1 1\n":          `m.obj:2:5: "1", expected a number from 1 to 0`,
		"v 0 0 0\nf 1 -2 1\n":           `m.obj:2:5: "-2", expected a number from 1 to 1`,
		"v 0 0 0\nf 1 1//x 1\n":         `m.obj:2:5: "x", expected`,
		"v 0 0 0\nf 0 1 1\n":            `m.obj:2:3: "0", expected`,
		"v 0 0 0\nf 1 1 99999999999999": `m.obj:2:7: "99999999999999", expected`,
	} {
		if _, err := read(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzOBJ requires a mesh with valid indices or an error for any input.
func FuzzOBJ(f *testing.F) {
	f.Add("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 -1\n")
	f.Add("v 1e38 -1e38 0\nf 1 1 1 1\n#")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := read(text)
		if err != nil {
			return
		}
		for _, tri := range m.Triangles {
			for _, v := range tri {
				if v < 0 || v >= len(m.Positions) || v >= len(m.Normals) || v >= len(m.Texcoords) {
					t.Fatalf("corner %d of %d", v, len(m.Positions))
				}
			}
		}
	})
}
