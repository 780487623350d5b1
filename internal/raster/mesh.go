package raster

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// Mesh is a surface of triangles. Each list has one element per vertex. Normals have length 1.
type Mesh struct {
	Positions, Normals [][3]float32
	Texcoords          [][2]float32
	Triangles          [][3]int
}

// maxFaces is the maximum number of triangles in a mesh.
const maxFaces = 1 << 22

// ReadOBJ reads a mesh in Wavefront's OBJ format. It reads the lines v, vt, vn and f and ignores all
// others, such as materials and groups. It converts polygons to fans of triangles. A vertex without a
// normal gets the mean normal of the adjacent triangles, weighted by their areas. Errors have a
// location.
func ReadOBJ(src *diag.Source) (*Mesh, error) {
	r := objReader{src: src, known: map[[3]int]int{}, mesh: &Mesh{}}
	off := 0
	for line := range strings.Lines(src.Text) {
		if err := r.line(line, off); err != nil {
			return nil, err
		}
		off += len(line)
	}
	if len(r.mesh.Triangles) == 0 {
		return nil, diag.Errorf(diag.FileFormat, diag.Span{Src: src, Off: len(src.Text), End: len(src.Text)}, "no face, expected lines such as f 1 2 3")
	}
	r.normals()
	return r.mesh, nil
}

// objReader reads a file. Faces refer to elements of lists.
type objReader struct {
	src   *diag.Source
	lists [3][][3]float32 // v, vt, vn
	known map[[3]int]int  // vertices of the mesh, by their indices in the lists
	mesh  *Mesh
	// withoutNormal are the vertices that have no normal in the file.
	withoutNormal []int
}

// kinds maps the first word of a line to its list and to the minimum count of numbers on the line.
var kinds = map[string]struct{ list, least int }{"v": {0, 3}, "vt": {1, 2}, "vn": {2, 3}}

// word is a word of a line with its offset.
type word struct {
	text string
	span diag.Span
}

// words splits a line into words. It drops a comment.
func (r *objReader) words(line string, off int) []word {
	text, _, _ := strings.Cut(line, "#")
	var list []word
	at := 0
	for _, f := range strings.Fields(text) {
		at += strings.Index(text[at:], f)
		list = append(list, word{f, diag.Span{Src: r.src, Off: off + at, End: off + at + len(f)}})
		at += len(f)
	}
	return list
}

func (r *objReader) line(line string, off int) error {
	words := r.words(line, off)
	if len(words) == 0 {
		return nil
	}
	head, words := words[0], words[1:]
	if head.text == "f" {
		return r.face(head, words)
	}
	k, ok := kinds[head.text]
	if !ok {
		return nil
	}
	if len(words) < k.least {
		return diag.Errorf(diag.FileFormat, head.span, "%d numbers after %s, expected %d", len(words), head.text, k.least)
	}
	var v [3]float32
	for i := range min(3, len(words)) {
		x, err := strconv.ParseFloat(words[i].text, 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return diag.Errorf(diag.FileFormat, words[i].span, "%q, expected a number", words[i].text)
		}
		v[i] = float32(x)
	}
	r.lists[k.list] = append(r.lists[k.list], v)
	return nil
}

func (r *objReader) face(head word, words []word) error {
	if len(words) < 3 {
		return diag.Errorf(diag.FileFormat, head.span, "the face has %d vertices, expected at least 3", len(words))
	}
	corners := make([]int, len(words))
	for i, w := range words {
		n, err := r.corner(w.text)
		if err != nil {
			return diag.Errorf(diag.FileFormat, w.span, "%v", err)
		}
		corners[i] = n
	}
	if len(r.mesh.Triangles)+len(corners) > maxFaces {
		return diag.Errorf(diag.FileFormat, head.span, "more than %d triangles", maxFaces)
	}
	for i := 2; i < len(corners); i++ {
		r.mesh.Triangles = append(r.mesh.Triangles, [3]int{corners[0], corners[i-1], corners[i]})
	}
	return nil
}

// corner returns the vertex for a text such as 3/1/2. Negative numbers count from the end.
func (r *objReader) corner(text string) (int, error) {
	places := [3]int{-1, -1, -1}
	for i, part := range strings.SplitN(text, "/", 3) {
		if part == "" && i > 0 {
			continue
		}
		n, err := strconv.Atoi(part)
		count := len(r.lists[i])
		if err == nil && n < 0 {
			n += count + 1
		}
		if err != nil || n < 1 || n > count {
			return 0, fmt.Errorf("%q, expected a number from 1 to %d", part, count)
		}
		places[i] = n - 1
	}
	if n, ok := r.known[places]; ok {
		return n, nil
	}
	m := r.mesh
	n := len(m.Positions)
	r.known[places] = n
	var texcoord, normal [3]float32
	if places[1] >= 0 {
		texcoord = r.lists[1][places[1]]
	}
	if places[2] >= 0 {
		normal = unit(r.lists[2][places[2]])
	} else {
		r.withoutNormal = append(r.withoutNormal, n)
	}
	m.Positions = append(m.Positions, r.lists[0][places[0]])
	m.Texcoords = append(m.Texcoords, [2]float32{texcoord[0], texcoord[1]})
	m.Normals = append(m.Normals, normal)
	return n, nil
}

// normals sets missing normals to the normalized sum of the normals of the adjacent triangles,
// weighted by their areas.
func (r *objReader) normals() {
	if len(r.withoutNormal) == 0 {
		return
	}
	m := r.mesh
	sums := make([][3]float32, len(m.Positions))
	for _, t := range m.Triangles {
		a, b, c := m.Positions[t[0]], m.Positions[t[1]], m.Positions[t[2]]
		n := cross(minus(b, a), minus(c, a)) // The length is proportional to the area of the triangle.
		for _, v := range t {
			for k := range n {
				sums[v][k] += n[k]
			}
		}
	}
	for _, v := range r.withoutNormal {
		m.Normals[v] = unit(sums[v])
	}
}

func minus(a, b [3]float32) [3]float32 { return [3]float32{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func cross(a, b [3]float32) [3]float32 {
	area := func(i, j int) float32 { return float32(a[i]*b[j]) - float32(a[j]*b[i]) }
	return [3]float32{area(1, 2), area(2, 0), area(0, 1)}
}

func unit(v [3]float32) [3]float32 {
	square := func(x float32) float64 { return float64(float64(x) * float64(x)) }
	n := float32(math.Sqrt(square(v[0]) + square(v[1]) + square(v[2])))
	if n == 0 {
		return v
	}
	return [3]float32{v[0] / n, v[1] / n, v[2] / n}
}
