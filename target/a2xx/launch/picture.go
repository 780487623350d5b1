package launch

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"path"
	"strconv"

	"github.com/isago/isago/target/a2xx"
)

// sceneTexture is a texture: pictures, or memory and the words of its constant.
type sceneTexture struct {
	Constant int `json:"constant"`
	// File is a picture, or memory from the address of the first level on; Mips is memory with the other levels.
	File string `json:"file"`
	Mips string `json:"mips"`
	// Words are those of the constant, in Go's notation of numbers.
	Words []string `json:"words"`
	// Files are pictures: layers of a three-dimensional texture, or the six faces of a cube.
	Files []string `json:"files"`
	// Dimension is 1d, 2d, 3d or cube.
	Dimension string `json:"dimension"`
	// Mipmaps makes the smaller levels of pictures, each half as large as the one before.
	Mipmaps bool   `json:"mipmaps"`
	Wrap    string `json:"wrap"`
	Filter  string `json:"filter"`
}

// texture is what fetches read. Its rows start at the top.
type texture struct {
	// unread is the reason why it could not be read.
	unread string
	kind   string
	levels []level
	// first is the level for a level of detail of 0 or less.
	first int
	wrap  [3]string // of x, y and z
	// mag, min and mip are filters; deep is set if layers are blended.
	mag, min, mip uint64
	deep          bool
	bias          float32
	border        [4]float32
}

// level is a texture in one size: texels in a row, rows, and layers or faces.
type level struct {
	size   [3]int
	texels [][4]float32
}

var errWrap = errors.New("expected the wrap mode repeat, clamp or mirror, and the filter linear or nearest")

// addTexture reads a texture.
func (l *loader) addTexture(s *scene, t sceneTexture, dir string) error {
	if t.Constant < 0 || t.Constant >= s.fetches.Count {
		return fmt.Errorf("texture constant %d, expected 0 to %d", t.Constant, s.fetches.Count-1)
	}
	if t.Words != nil {
		return l.addMemory(s, t, dir)
	}
	files := t.Files
	if t.File != "" {
		files = append([]string{t.File}, files...)
	}
	var layers []image.Image
	for _, name := range files {
		im, err := l.picture(path.Join(dir, name))
		if err != nil {
			return err
		}
		if len(layers) > 0 && im.Bounds().Size() != layers[0].Bounds().Size() {
			return fmt.Errorf("%s: %v texels, expected %v, the size of the first picture", name, im.Bounds().Size(), layers[0].Bounds().Size())
		}
		layers = append(layers, im)
	}
	tex, words, err := l.pictured(&t, layers)
	if err == nil {
		s.addTexture(t.Constant, tex, words)
	}
	return err
}

func (s *scene) addTexture(n int, t *texture, words [6]uint32) {
	s.textures[n] = t
	for k, w := range words {
		s.fetch[[2]int{n, k}] = uint64(w)
	}
}

// addMemory reads a texture in memory.
func (l *loader) addMemory(s *scene, t sceneTexture, dir string) error {
	var m a2xx.Texture
	if len(t.Words) != len(m.Words) {
		return fmt.Errorf("%d words, expected %d", len(t.Words), len(m.Words))
	}
	for k, text := range t.Words {
		w, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			return fmt.Errorf("word %d of the texture constant: %q, expected a 32-bit number", k, text)
		}
		m.Words[k] = uint32(w)
	}
	var err error
	if m.Base, err = l.req.File(path.Join(dir, t.File)); err != nil {
		return err
	}
	if t.Mips != "" {
		if m.Mips, err = l.req.File(path.Join(dir, t.Mips)); err != nil {
			return err
		}
	}
	tex, err := l.memoryTexture(&m)
	if err == nil {
		s.addTexture(t.Constant, tex, m.Words)
	}
	return err
}

// picture reads a PNG file.
func (l *loader) picture(name string) (image.Image, error) {
	data, err := l.req.File(name)
	if err != nil {
		return nil, err
	}
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if head.Width > MaxSide || head.Height > MaxSide {
		return nil, fmt.Errorf("%s has %d by %d texels, expected at most %d", name, head.Width, head.Height, MaxSide)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return im, nil
}

// kinds are the kinds of textures in scenes: the leaf of the constant, and the number of pictures.
var kinds = map[string]struct {
	leaf            string
	fewest, fullest int
}{
	"": {texture2D, 1, 1}, "2d": {texture2D, 1, 1}, "1d": {texture1D, 1, 1}, "3d": {texture3D, 1, 1 << 10}, "cube": {textureCube, 6, 6},
}

// pictured returns a texture of pictures, and the constant that describes it.
func (l *loader) pictured(t *sceneTexture, layers []image.Image) (*texture, [6]uint32, error) {
	var words [6]uint32
	kind, ok := kinds[t.Dimension]
	if !ok {
		return nil, words, fmt.Errorf("unknown dimension %q, expected 1d, 2d, 3d or cube", t.Dimension)
	}
	if len(layers) < kind.fewest || len(layers) > kind.fullest {
		return nil, words, fmt.Errorf("the texture has %d pictures, expected %d to %d", len(layers), kind.fewest, kind.fullest)
	}
	wrap := map[string]string{"": "REPEAT", "repeat": "REPEAT", "clamp": "CLAMP", "mirror": "MIRROR"}[t.Wrap]
	filter := map[string]string{"": "LINEAR", "linear": "LINEAR", "nearest": "POINT"}[t.Filter]
	if wrap == "" || filter == "" {
		return nil, words, errWrap
	}
	first := pictureLevel(layers)
	if kind.leaf == texture1D && first.size[1] > 1 {
		return nil, words, fmt.Errorf("the picture has %d rows, expected one", first.size[1])
	}
	levels := []level{first}
	for t.Mipmaps && max(first.size[0], first.size[1]) > 1 {
		first = first.smaller()
		levels = append(levels, first)
	}
	size := levels[0].size
	words, err := l.words(kind.leaf, map[string]any{
		"TYPE": 2, "FORMAT": "FMT_8_8_8_8", "WIDTH": size[0] - 1, "HEIGHT": size[1] - 1, "DEPTH": size[2] - 1, "PITCH": filled(size[0]) / rowUnit,
		"CLAMP_X": wrap, "CLAMP_Y": wrap, "CLAMP_Z": wrap, "SEL_Y": 1, "SEL_Z": 2, "SEL_W": 3,
		"MAG": filter, "MIN": filter, "MIP": map[bool]string{true: filter, false: "BASEMAP"}[t.Mipmaps], "LAST_LEVEL": len(levels) - 1,
	})
	if err != nil {
		return nil, words, err
	}
	c, err := l.describe(words)
	if err != nil {
		return nil, words, err
	}
	tex := c.sampler()
	tex.levels = levels
	return tex, words, nil
}

func pictureLevel(layers []image.Image) level {
	b := layers[0].Bounds()
	v := level{size: [3]int{b.Dx(), b.Dy(), len(layers)}}
	for _, im := range layers {
		b := im.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				v.texels = append(v.texels, straight(im.At(x, y)))
			}
		}
	}
	return v
}

// smaller returns the next smaller level: the mean of two by two texels of each layer.
func (v *level) smaller() level {
	out := level{size: [3]int{max(1, v.size[0]/2), max(1, v.size[1]/2), v.size[2]}}
	for z := range out.size[2] {
		for y := range out.size[1] {
			for x := range out.size[0] {
				var sum [4]float32
				for k := range 4 {
					px, py := min(2*x+k&1, v.size[0]-1), min(2*y+k>>1, v.size[1]-1)
					for i, f := range v.texels[(z*v.size[1]+py)*v.size[0]+px] {
						sum[i] += float32(f / 4)
					}
				}
				out.texels = append(out.texels, sum)
			}
		}
	}
	return out
}
