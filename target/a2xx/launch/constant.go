package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

// The roots and leaves of the description that are constants of vertex buffers and of textures.
const (
	bufferRoot  = "buffer-constant"
	bufferLeaf  = "BUFFER"
	textureRoot = "texture-constant"
	texture1D   = "TEXTURE_1D"
	texture2D   = "TEXTURE_2D"
	texture3D   = "TEXTURE_3D"
	textureCube = "TEXTURE_CUBE"
)

// constant is a texture constant, with the names of its fields.
type constant struct {
	kind   string
	fields map[string]isa.Field
	xenos  bool // half floats are those of Xenos
}

// describe returns the constant that the words hold.
func (l *loader) describe(words [6]uint32) (*constant, error) {
	d, err := l.req.Set.NewDecoder(textureRoot)
	if err != nil {
		return nil, err
	}
	in, _ := d.Decode(wide(words))
	if in.Leaf == nil {
		return nil, fmt.Errorf("%08x: not a texture constant", words)
	}
	c := &constant{in.Leaf.Name, map[string]isa.Field{}, l.xenos}
	for _, f := range d.Fields(nil, in) {
		c.fields[f.Name] = f
	}
	return c, nil
}

// wide returns words as one value.
func wide(words [6]uint32) (v bits.Value) {
	for k, w := range words {
		v.SetUint(32*k, 32, uint64(w))
	}
	return v
}

// number returns the value of a field, or 0 if the constant has no field of that name.
func (c *constant) number(name string) int { f := c.fields[name]; return int(f.Value.Uint(0, 32)) }

// signed returns the value of a signed field.
func (c *constant) signed(name string) int {
	f := c.fields[name]
	n, width := int(f.Value.Uint(0, 32)), f.Parts[0].Width
	return n - n>>uint(width-1)<<uint(width)
}

// text returns the text of a field's value.
func (c *constant) text(name string) string { return c.fields[name].Meaning }

// size returns the number of texels in each direction, and of layers or faces.
func (c *constant) size() (width, height, layers int) {
	width, height, layers = c.number("WIDTH")+1, c.number("HEIGHT")+1, 1
	switch {
	case c.kind == textureCube:
		layers = 6
	case c.kind == texture3D || c.number("STACKED") != 0:
		layers = c.number("DEPTH") + 1
	}
	return width, height, layers
}

// words returns the words of a texture constant.
func (l *loader) words(leaf string, values map[string]any) (words [6]uint32, err error) {
	v, err := encode(l.req.Set, textureRoot, leaf, values)
	for k := range words {
		words[k] = v.Word(k)
	}
	return words, err
}

// encode returns the bits of a leaf. The values of its fields are numbers or texts of values.
func encode(set *isa.Set, root, leaf string, values map[string]any) (v bits.Value, err error) {
	d, err := set.NewDecoder(root)
	if err != nil {
		return v, err
	}
	i := slices.IndexFunc(d.Root().Leaves, func(x *isa.Leaf) bool { return x.Name == leaf })
	if i < 0 {
		return v, fmt.Errorf("the description has no %s in #%s, which this launch needs", leaf, root)
	}
	v = d.Root().Leaves[i].Match
	in, _ := d.Decode(v)
	for _, f := range d.Fields(nil, in) {
		part := f.Parts[0]
		switch x := values[f.Name].(type) {
		case int:
			v.SetUint(part.Low, part.Width, uint64(x))
		case string:
			for n := range uint64(1) << uint(part.Width) {
				v.SetUint(part.Low, part.Width, n)
				in, _ := d.Decode(v)
				list := d.Fields(nil, in)
				if at := slices.IndexFunc(list, func(g isa.Field) bool { return g.Name == f.Name }); list[at].Meaning == x {
					break
				}
			}
		}
	}
	return v, nil
}

// Limits on textures in memory, which may be hostile.
const (
	MaxTexels = 1 << 24 // of all textures
	page      = 4096    // bytes: layers and levels start at one
	rowUnit   = 32      // texels that pitches count, and to which sides of levels are filled up
)

// memoryTexture reads a texture in memory.
func (l *loader) memoryTexture(t *a2xx.Texture) (*texture, error) {
	c, err := l.describe(t.Words)
	if err != nil {
		return nil, err
	}
	f, err := formatOf(c)
	if err != nil {
		return nil, err
	}
	width, height, layers := c.size()
	if l.texels += width * height * layers; l.texels > MaxTexels {
		return nil, fmt.Errorf("the texture has %d by %d by %d texels, expected at most %d in all textures", width, height, layers, MaxTexels)
	}
	out := c.sampler()
	pitch := c.number("PITCH") * rowUnit
	if pitch == 0 {
		pitch = filled(width)
	}
	first, _ := c.level(f, t.Base, pitch, height, [3]int{width, height, layers})
	out.levels = append(out.levels, first)
	rest := t.Mips
	for n := 1; n <= c.number("LAST_LEVEL") && len(rest) > 0; n++ {
		size := [3]int{max(1, width>>n), max(1, height>>n), layers}
		if c.kind == texture3D {
			size[2] = max(1, layers>>n)
		}
		if c.number("PACKED") != 0 && min(size[0], size[1]) <= rowUnit/2 {
			break // where small levels lie in the tile that they share is not known
		}
		v, used := c.level(f, rest, filled(power(width)>>n), power(height)>>n, size)
		out.levels, rest = append(out.levels, v), rest[min(used, len(rest)):]
	}
	out.first = min(c.number("FIRST_LEVEL"), len(out.levels)-1)
	return out, nil
}

// filled returns a number of texels rounded up to whole tiles.
func filled(n int) int { return (max(n, 1) + rowUnit - 1) &^ (rowUnit - 1) }

// power returns the smallest power of two that is at least n.
func power(n int) int { return 1 << uint(mathbits.Len(uint(n-1))) }

// level reads a level of so many texels, with the number of texels in a row in memory and of rows. It returns the
// number of bytes of the level.
func (c *constant) level(f *format, data []byte, pitch, rows int, size [3]int) (v level, used int) {
	v = level{size: size, texels: make([][4]float32, size[0]*size[1]*size[2])}
	across, tiled := (pitch+f.side-1)/f.side, c.number("TILED") != 0
	layer := (across*((filled(rows)+f.side-1)/f.side)*f.bytes + page - 1) &^ (page - 1)
	block, order, pick := make([]byte, f.bytes), c.number("ORDER"), c.selection()
	for z := range size[2] {
		for y := 0; y < size[1]; y += f.side {
			for x := 0; x < size[0]; x += f.side {
				at := (y/f.side*across + x/f.side) * f.bytes
				if tiled {
					at = tiledAt(x/f.side, y/f.side, across, f.bytes)
				}
				gather(block, data, z*layer+at, order)
				for k := range f.side * f.side {
					if px, py := x+k%f.side, y+k/f.side; px < size[0] && py < size[1] {
						v.texels[(z*size[1]+py)*size[0]+px] = pick.of(f.texel(block, k))
					}
				}
			}
		}
	}
	return v, layer * size[2]
}

// gather reads bytes in an order. Bytes beyond the data are 0.
func gather(to, data []byte, at, order int) {
	change := [4]int{0, 1, 3, 2}[order&3] // of the low bits of addresses
	for k := range to {
		to[k] = 0
		if from := (at + k) ^ change; from < len(data) {
			to[k] = data[from]
		}
	}
}

// tiledAt returns the place of a block in tiles of 32 by 32, as on Xenos.
func tiledAt(x, y, across, bytes int) int {
	shift := uint(mathbits.Len(uint(bytes - 1)))
	tile := (x>>5 + (y>>5)*(across>>5)) << (shift + 7)
	inside := (x&7 + y&14<<2) << shift
	at := tile + inside&^15<<1 + inside&15 + y&1<<4
	return at&^511<<3 + y&16<<7 + at&448<<2 + (y&8>>2+x>>3)&3<<6 + at&63
}

// selection returns the sources of the components of a sample, and their factors.
type selection struct {
	from  [4]int
	scale float32
}

func (c *constant) selection() *selection {
	s := &selection{scale: float32(math.Ldexp(1, c.signed("EXPONENT")))}
	for k, name := range [4]string{"SEL_X", "SEL_Y", "SEL_Z", "SEL_W"} {
		s.from[k] = c.number(name)
	}
	return s
}

func (s *selection) of(texel [4]float32) (out [4]float32) {
	for k, n := range s.from {
		switch {
		case n < 4:
			out[k] = texel[n] * s.scale
		case n == 5:
			out[k] = s.scale
		}
	}
	return out
}

// sampler returns a texture without levels, with the filters and wrapping of the constant.
func (c *constant) sampler() *texture {
	t := &texture{kind: c.kind, bias: float32(c.signed("BIAS")) / 32}
	t.wrap = [3]string{c.text("CLAMP_X"), c.text("CLAMP_Y"), c.text("CLAMP_Z")}
	t.mag, t.min, t.mip = uint64(c.number("MAG")), uint64(c.number("MIN")), uint64(c.number("MIP"))
	t.deep = c.number("VOL_MAG") != 0
	if c.number("BORDER") == 1 {
		t.border = [4]float32{1, 1, 1, 1}
	}
	return t
}

// format is the layout of texels in memory: blocks of so many bytes with so many texels in a row.
type format struct {
	bytes, side int
	texel       func(block []byte, k int) [4]float32
}

// formatOf returns the format of a constant. The names of formats have the bits of the components, the highest first.
func formatOf(c *constant) (*format, error) {
	name := c.text("FORMAT")
	switch name {
	case "FMT_DXT1":
		return &format{8, 4, func(b []byte, k int) [4]float32 { return blockColour(b, k, true) }}, nil
	case "FMT_DXT2_3":
		return &format{16, 4, func(b []byte, k int) [4]float32 {
			v := blockColour(b[8:], k, false)
			v[3] = float32(b[k/2]>>uint(k%2*4)&15) / 15
			return v
		}}, nil
	case "FMT_DXT4_5":
		return &format{16, 4, func(b []byte, k int) [4]float32 {
			v := blockColour(b[8:], k, false)
			v[3] = blockAlpha(b, k)
			return v
		}}, nil
	}
	text, float := strings.CutSuffix(strings.TrimPrefix(name, "FMT_"), "_FLOAT")
	text = strings.TrimRight(text, "_AB")
	var widths []int
	total := 0
	for _, part := range strings.Split(text, "_") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > 32 || float && n < 16 || len(widths) == 4 {
			return nil, fmt.Errorf("format %s is not supported", name)
		}
		widths = append([]int{n}, widths...)
		total += n
	}
	if total < 8 || total&(total-1) != 0 {
		return nil, fmt.Errorf("format %s is not supported", name)
	}
	parts := make([]component, len(widths))
	at := 0
	for k, n := range widths {
		sign := c.text([4]string{"SIGN_X", "SIGN_Y", "SIGN_Z", "SIGN_W"}[k])
		parts[k] = component{at, n, float, c.xenos, c.number("INTEGER") != 0, c.number("NO_ZERO") != 0, sign}
		at += n
	}
	return &format{total / 8, 1, func(block []byte, _ int) (v [4]float32) {
		for k := range parts {
			v[k] = parts[k].value(block)
		}
		return v
	}}, nil
}

// component is the place of a component of a texel in its block, and its kind of number.
type component struct {
	at, width                     int
	float, xenos, integer, noZero bool
	sign                          string
}

func (c *component) value(block []byte) float32 {
	var raw uint64
	for k := range (c.width + c.at%8 + 7) / 8 {
		raw |= uint64(block[c.at/8+k]) << uint(8*k)
	}
	raw = raw >> uint(c.at%8) & (1<<uint(c.width) - 1)
	switch {
	case c.float && c.width == 32:
		return math.Float32frombits(uint32(raw))
	case c.float:
		return half(uint16(raw), c.xenos)
	}
	most := float64(uint64(1)<<uint(c.width) - 1)
	if c.sign != "SIGNED" {
		v := float64(raw)
		if !c.integer {
			v /= most
		}
		if c.sign == "BIASED" {
			v = float64(2*v) - 1
		}
		return float32(v)
	}
	v := float64(int64(raw<<uint(64-c.width)) >> uint(64-c.width))
	switch {
	case c.integer:
		return float32(v)
	case c.noZero || c.width == 1:
		return float32((v + 0.5) * 2 / most)
	}
	return float32(max(-1, v/float64(uint64(1)<<uint(c.width-1)-1)))
}

// half returns the value of a 16-bit float. Xenos has no infinities and no NaN, and reads denormals as signed zeros.
func half(h uint16, xenos bool) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, int(h>>10&31), uint32(h&1023)
	switch {
	case exponent == 0 && xenos:
		return math.Float32frombits(sign)
	case exponent == 31 && !xenos:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	case exponent == 0:
		v := float32(math.Ldexp(float64(fraction), -24))
		return math.Float32frombits(sign | math.Float32bits(v))
	}
	return math.Float32frombits(sign | uint32(exponent+112)<<23 | fraction<<13)
}

// blockColour returns the colour of texel k of the 4 by 4 in a block: one of two 16-bit colours, or a mean of them.
func blockColour(b []byte, k int, transparent bool) [4]float32 {
	p, q := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	code := binary.LittleEndian.Uint32(b[4:]) >> uint(2*k) & 3
	three := transparent && p <= q
	if three && code == 3 {
		return [4]float32{}
	}
	share := [4]float32{1, 0, 2. / 3, 1. / 3}[code]
	if three && code == 2 {
		share = 0.5
	}
	x, y := colour565(p), colour565(q)
	out := [4]float32{3: 1}
	for i := range x {
		out[i] = float32(x[i]*share) + float32(y[i]*(1-share))
	}
	return out
}

func colour565(c uint16) [3]float32 {
	return [3]float32{float32(c>>11) / 31, float32(c>>5&63) / 63, float32(c&31) / 31}
}

// blockAlpha returns the alpha of texel k of a block: one of two 8-bit values, or a mean of them.
func blockAlpha(b []byte, k int) float32 {
	p, q := float32(b[0])/255, float32(b[1])/255
	code := int(binary.LittleEndian.Uint64(b) >> uint(16+3*k) & 7)
	steps := 7
	if b[0] <= b[1] {
		steps = 5
	}
	switch {
	case code < 2:
		return [2]float32{p, q}[code]
	case code > steps:
		return float32(code - 6)
	}
	n := float32(code-1) / float32(steps)
	return p + float32((q-p)*n)
}
