package raster_test

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/raster"
)

// at is a vertex at a place of the screen, -1 to 1, with a w and one value.
func at(x, y, z, w, value float32) raster.Vertex {
	return raster.Vertex{Position: [4]float32{x * w, y * w, z * w, w}, Values: []float32{value}}
}

// Two triangles that share an edge cover each pixel of a square once, whichever way round they are; the edge goes
// through the centres of pixels.
func TestSharedEdge(t *testing.T) {
	square := []raster.Vertex{at(-1, -1, 0, 1, 0), at(1, -1, 0, 1, 0), at(1, 1, 0, 1, 0), at(-1, 1, 0, 1, 0)}
	for _, triangles := range [][][3]int{{{0, 1, 2}, {0, 2, 3}}, {{2, 1, 0}, {0, 2, 3}}, {{0, 1, 3}, {3, 2, 1}}} {
		hits := [8][8]int{}
		raster.Triangles(8, 8, square, triangles, func(q *raster.Quad) {
			if q.X%2 != 0 || q.Y%2 != 0 {
				t.Errorf("quad at %d, %d", q.X, q.Y)
			}
			for i, covered := range q.Covered {
				if covered {
					hits[q.Y+i>>1][q.X+i&1]++
				}
			}
		})
		for y, row := range hits {
			for x, n := range row {
				if n != 1 {
					t.Errorf("%v: pixel %d, %d is covered %d times", triangles, x, y, n)
				}
			}
		}
	}
}

// Half way across the screen between w = 1 and w = 3, a value is a quarter of the way: (0/1 + 1/3) / (1/1 + 1/3).
func TestPerspective(t *testing.T) {
	vertices := []raster.Vertex{at(-1, 1, 0, 1, 0), at(1, 1, 1, 3, 1), at(1, -1, 1, 3, 1), at(-1, -1, 0, 1, 0)}
	var values, depths []float32
	raster.Triangles(101, 101, vertices, [][3]int{{0, 1, 2}, {0, 2, 3}}, func(q *raster.Quad) {
		for i, covered := range q.Covered {
			if covered && q.X+i&1 == 50 && q.Y+i>>1 == 50 { // its centre is that of the screen
				values, depths = append(values, q.Values[i][0]), append(depths, q.Depth[i])
			}
		}
	})
	if len(values) != 1 || math.Abs(float64(values[0])-0.25) > 1e-6 || math.Abs(float64(depths[0])-0.5) > 1e-6 {
		t.Errorf("values %v, depths %v, want 0.25 and 0.5", values, depths)
	}
}

// A corner behind the eye is cut off, and what is left is drawn; a triangle that is behind is not.
func TestBehind(t *testing.T) {
	vertices := []raster.Vertex{
		{Position: [4]float32{-1, -1, 0, 1}}, {Position: [4]float32{1, -1, 0, 1}}, {Position: [4]float32{0, 5, 0, -1}},
		{Position: [4]float32{0, 0, 0, -2}}, {Position: [4]float32{float32(math.NaN()), 0, 0, 1}},
	}
	count := func(list ...[3]int) (n int) {
		raster.Triangles(16, 16, vertices, list, func(q *raster.Quad) {
			for _, covered := range q.Covered {
				if covered {
					n++
				}
			}
		})
		return n
	}
	if n := count([3]int{0, 1, 2}); n < 128 || n > 256 {
		t.Errorf("%d pixels of a triangle half of which is in front", n)
	}
	if n := count([3]int{2, 3, 2}, [3]int{0, 1, 4}, [3]int{0, 1, 9}, [3]int{0, 1, 1}); n != 0 {
		t.Errorf("%d pixels of what is behind, nowhere or nothing", n)
	}
}

// The nearer triangle is seen, in whatever order they come.
func TestDepth(t *testing.T) {
	vertices := []raster.Vertex{
		at(-3, -3, 0.5, 1, 0.2), at(3, -3, 0.5, 1, 0.2), at(0, 5, 0.5, 1, 0.2),
		at(-3, -3, -0.5, 1, 1), at(3, -3, -0.5, 1, 1), at(0, 5, -0.5, 1, 1),
	}
	for _, list := range [][][3]int{{{0, 1, 2}, {3, 4, 5}}, {{3, 4, 5}, {0, 1, 2}}} {
		img := raster.Picture(4, 4, color.RGBA{}, vertices, list, func(v []float32) [3]float32 { return [3]float32{v[0], 0, 2} })
		if got, want := img.RGBAAt(2, 2), (color.RGBA{255, 0, 255, 255}); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func read(text string) (*raster.Mesh, error) {
	return raster.ReadOBJ(&diag.Source{Name: "m.obj", Text: text})
}

// A square as one face, without normals: two triangles whose normal is that of the plane.
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
		"v 0 0\n":                       "m.obj:1:1: 2 numbers behind v, expected 3",
		"v 0 0 x\n":                     `m.obj:1:7: "x", expected a number`,
		"v 0 0 inf\n":                   `m.obj:1:7: "inf", expected a number`,
		"v 0 0 0\nf 1 1\n":              "m.obj:2:1: a face of 2 vertices",
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

// Any text is a mesh whose triangles have corners, or an error.
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
		vertices := make([]raster.Vertex, len(m.Positions))
		for i, p := range m.Positions {
			vertices[i].Position = [4]float32{p[0], p[1], p[2], 1}
		}
		if len(m.Triangles) < 64 {
			raster.Triangles(8, 8, vertices, m.Triangles, func(*raster.Quad) {})
		}
	})
}
