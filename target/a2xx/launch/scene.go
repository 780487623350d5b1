package launch

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/isa"
)

// scene is the data of programs that draw: memory, the fetch constants that describe it, and textures.
type scene struct {
	set *isa.Set
	// constants, bools, loops and fetches are the places of the constants, buffers the memory of the vertex buffers.
	constants, bools, loops, fetches, buffers *exec.Place

	memory   []byte
	fetch    map[[2]int]uint64 // by number and component
	textures map[int]*texture
	vertices int
	indices  []int // of the vertices of triangles; nil for one after another
}

func newScene(m *exec.Machine, ctx bits.Value) (s *scene, err error) {
	s = &scene{set: m.Set(), fetch: map[[2]int]uint64{}, textures: map[int]*texture{}}
	for _, x := range []struct {
		name string
		to   **exec.Place
	}{{constantsInput, &s.constants}, {boolsInput, &s.bools}, {loopsInput, &s.loops}, {fetchesInput, &s.fetches}, {memoryInput, &s.buffers}} {
		if *x.to, err = exec.PlaceOf(m, ctx, x.name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Limits on scenes, which may be hostile.
const (
	MaxMemory   = 64 << 20 // bytes of all buffers
	MaxVertices = 1 << 22
)

// buffer adds a vertex buffer with a byte order, and describes it in a third of a fetch constant.
func (s *scene) buffer(constant, third, order int, data []byte) error {
	if thirds := s.fetches.State().Type.Lanes / 2; constant < 0 || constant >= s.fetches.Count || third < 0 || third >= thirds {
		return fmt.Errorf("fetch constant %d, third %d, expected 0 to %d and 0 to %d", constant, third, s.fetches.Count-1, thirds-1)
	}
	at, size := (len(s.memory)+63)&^63, (len(data)+3)&^3
	if at+size > MaxMemory {
		return fmt.Errorf("buffers larger than %d bytes in total", MaxMemory)
	}
	const kind = 3 // of a constant that describes vertices
	v, err := encode(s.set, bufferRoot, bufferLeaf, map[string]any{"TYPE": kind, "BASE": at / 4, "ORDER": order, "SIZE": size / 4})
	if err != nil {
		return err
	}
	s.memory = append(append(s.memory, make([]byte, at-len(s.memory))...), data...)
	s.memory = append(s.memory, make([]byte, size-len(data))...)
	for k := range 2 {
		s.fetch[[2]int{constant, 2*third + k}] = uint64(v.Word(k))
	}
	return nil
}

// sceneFile is a scene as JSON; docs/a2xx.md describes it.
type sceneFile struct {
	Vertex   sceneProgram   `json:"vertex"`
	Fragment sceneProgram   `json:"fragment"`
	Buffers  []sceneBuffer  `json:"buffers"`
	Textures []sceneTexture `json:"textures"`
	Vertices int            `json:"vertices"`
	Indices  *sceneIndices  `json:"indices"`
	Size     []int          `json:"size"`
}

type sceneProgram struct {
	Program   string                     `json:"program"`
	Constants map[string]json.RawMessage `json:"constants"`
	Bools     []int                      `json:"bools"`
	Loops     map[string][]int           `json:"loops"`
}

type sceneBuffer struct {
	Constant []int     `json:"constant"`
	File     string    `json:"file"`
	Floats   []float32 `json:"floats"`
}

// sceneIndices are numbers, or the name of a file with numbers of 16 bits.
type sceneIndices struct {
	list []int
	file string
}

func (s *sceneIndices) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &s.file) == nil {
		return nil
	}
	if jsontext.UnmarshalPart(data, &s.list) != nil {
		return errors.New("indices: expected an array of whole numbers, or the name of a file")
	}
	return nil
}

// readScene reads a scene. The paths of its files are relative to it.
func (l *loader) readScene(r *runner, name string) error {
	data, err := l.req.File(name)
	if err != nil {
		return err
	}
	var doc sceneFile
	if err := jsontext.Unmarshal(data, &doc); err != nil {
		return err
	}
	dir := path.Dir(name)
	if doc.Fragment.Program != "" {
		if r.stage == fragments {
			return errors.New("fragment.program needs a vertex program to run first, but this program is a fragment program")
		}
		if err := l.readFragment(r, path.Join(dir, doc.Fragment.Program)); err != nil {
			return err
		}
	}
	if err := l.sceneData(r, &doc, dir); err != nil {
		return err
	}
	programs := []struct {
		p  *sceneProgram
		to *exec.Launch
	}{{&doc.Vertex, r.Launch}, {&doc.Fragment, r.fragment}}
	if r.stage == fragments {
		programs[0].to, programs[1].to = nil, r.Launch
	}
	for _, x := range programs {
		if x.to == nil {
			continue
		}
		if err := x.p.give(r.scene, x.to); err != nil {
			return err
		}
	}
	return nil
}

// sceneData reads buffers, textures, indices and the size of the picture.
func (l *loader) sceneData(r *runner, doc *sceneFile, dir string) error {
	for i := range doc.Buffers {
		b := &doc.Buffers[i]
		data, err := b.data(l, dir)
		if err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
		if len(b.Constant) == 0 || len(b.Constant) > 2 {
			return fmt.Errorf("buffer %d: constant %v, expected [CONSTANT] or [CONSTANT, THIRD]", i, b.Constant)
		}
		if err := r.scene.buffer(b.Constant[0], append(b.Constant, 0)[1], 0, data); err != nil {
			return fmt.Errorf("buffer %d: %w", i, err)
		}
	}
	for i, t := range doc.Textures {
		if err := l.addTexture(r.scene, t, dir); err != nil {
			return fmt.Errorf("texture %d: %w", i, err)
		}
	}
	if err := l.sceneVertices(r.scene, doc, dir); err != nil {
		return err
	}
	if len(doc.Size) == 0 {
		return nil
	}
	if len(doc.Size) != 2 {
		return fmt.Errorf("size %v, expected a width and a height", doc.Size)
	}
	return r.resize(doc.Size[0], doc.Size[1])
}

func (l *loader) sceneVertices(s *scene, doc *sceneFile, dir string) error {
	if doc.Indices != nil {
		s.indices = doc.Indices.list
		if doc.Indices.file != "" {
			data, err := l.req.File(path.Join(dir, doc.Indices.file))
			if err != nil {
				return err
			}
			if len(data)%2 != 0 {
				return fmt.Errorf("%s has %d bytes, expected a multiple of 2, the size of an index", doc.Indices.file, len(data))
			}
			for ; len(data) > 0; data = data[2:] {
				s.indices = append(s.indices, int(binary.LittleEndian.Uint16(data)))
			}
		}
	}
	s.vertices = doc.Vertices
	for i, n := range s.indices {
		if n < 0 || n >= MaxVertices {
			return fmt.Errorf("index %d is %d, expected 0 to %d", i, n, MaxVertices-1)
		}
		s.vertices = max(s.vertices, n+1)
	}
	if s.vertices < 0 || s.vertices > MaxVertices {
		return fmt.Errorf("the scene has %d vertices, expected at most %d", s.vertices, MaxVertices)
	}
	return nil
}

func (b *sceneBuffer) data(l *loader, dir string) ([]byte, error) {
	if b.File != "" {
		return l.req.File(path.Join(dir, b.File))
	}
	var data []byte
	for _, f := range b.Floats {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	return data, nil
}

// give sets the constants of a program.
func (p *sceneProgram) give(s *scene, l *exec.Launch) error {
	for name, raw := range p.Constants {
		var values []float32
		if err := jsontext.UnmarshalPart(raw, &values); err != nil {
			return fmt.Errorf("constants: %s: %w", name, err)
		}
		port, err := l.Find(name)
		if err != nil {
			return fmt.Errorf("constants: %w", err)
		}
		if port.Count = (len(values) + 3) / 4; port.First+port.Count > port.State.Count {
			return fmt.Errorf("constants: %s: %d values extend beyond the last constant", name, len(values))
		}
		words := make([]uint64, len(values))
		for i, v := range values {
			words[i] = uint64(math.Float32bits(v))
		}
		if err := l.SetUniform(port, words); err != nil {
			return fmt.Errorf("constants: %w", err)
		}
	}
	for _, n := range p.Bools {
		if n < 0 || n >= s.bools.Count {
			return fmt.Errorf("bool constant %d, expected 0 to %d", n, s.bools.Count-1)
		}
		l.Shared.Set(s.bools.State(), s.bools.Number+n, 0, 1)
	}
	return p.giveLoops(s, l)
}

// giveLoops sets loop constants: the count of a loop, and the start and step of aL.
func (p *sceneProgram) giveLoops(s *scene, l *exec.Launch) error {
	for name, v := range p.Loops {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || n >= s.loops.Count {
			return fmt.Errorf("loop constant %q, expected 0 to %d", name, s.loops.Count-1)
		}
		if len(v) != 3 || v[0] < 0 || v[0] > 255 || v[1] < 0 || v[1] > 255 || v[2] < -128 || v[2] > 127 {
			return fmt.Errorf("loop %d: %v, expected a count and a start of 0 to 255, and a step of -128 to 127", n, v)
		}
		l.Shared.Set(s.loops.State(), s.loops.Number+n, 0, uint64(v[0]|v[1]<<8|(v[2]&0xff)<<16))
	}
	return nil
}
