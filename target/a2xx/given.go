package a2xx

import "encoding/binary"

// Constants are the constants of a program: those of a capture at the first draw with the program, or those of a
// shader file.
type Constants struct {
	// Floats are the bits of float constants, by number.
	Floats map[int][4]uint32
	// Bools and Loops are the other constants, by number.
	Bools map[int]bool
	Loops map[int]uint32
	// Buffers are the bytes of vertex buffers, by the number of their third of a fetch constant. The low bits of
	// Orders are their byte orders.
	Buffers map[int][]byte
	Orders  map[int]uint32
	// Textures are the textures, by number.
	Textures map[int]Texture
}

// Texture is a texture in memory.
type Texture struct {
	// Words are the words of its constant, as in the root texture-constant of the description.
	Words [6]uint32
	// Base is the memory from the address of the first level on, Mips that from the address of the other levels on,
	// or nil.
	Base, Mips []byte
}

// Packets that set constants, and those that draw.
const (
	packetSetConstant = 0x2d
	packetDraw        = 0x22
	packetDrawIndices = 0x36
)

// Registers of the GPU, as word indices: the first constant of each kind, their number, and the first constant of a
// stage.
const (
	floatRegisters = 0x4000
	fetchRegisters = 0x4800
	boolRegisters  = 0x4900
	loopRegisters  = 0x4908
	otherRegisters = 0x2000
	firstOfVertex  = 0x2307

	floats      = 512
	fetches     = 96 // of two words each
	bools       = 256
	loopsOfBoth = 32
)

// setKinds are the registers that a packet means by the kinds of constants that it names.
var setKinds = [...]int{floatRegisters, fetchRegisters, boolRegisters, loopRegisters, otherRegisters}

// setConstant takes a packet that sets constants.
func (r *rdReader) setConstant(data []byte) {
	head := binary.LittleEndian.Uint32(data)
	if kind := int(head >> 16 & 0xff); kind < len(setKinds) {
		r.writeRegisters(setKinds[kind]+int(head&0x7ff), data[4:])
	}
}

func (r *rdReader) writeRegisters(first int, data []byte) {
	if r.registers == nil {
		r.registers = map[int]uint32{}
	}
	for i := 0; 4*i+4 <= len(data); i++ {
		r.registers[first+i] = binary.LittleEndian.Uint32(data[4*i:])
	}
}

// drawn gives the programs that are loaded the constants that there are now, if they have none yet.
func (r *rdReader) drawn() {
	for stage, n := range r.loaded {
		if n > 0 && r.capture.Shaders[n-1].Constants == nil {
			r.capture.Shaders[n-1].Constants = r.constants(stage)
		}
	}
}

// constants collects what is set for a stage.
func (r *rdReader) constants(stage int) *Constants {
	c := &Constants{Floats: map[int][4]uint32{}, Bools: map[int]bool{}, Loops: map[int]uint32{}, Buffers: map[int][]byte{}, Orders: map[int]uint32{}, Textures: map[int]Texture{}}
	first := [2]int{0x20, 0x120}[stage&1] // where the known drivers have them
	if v, ok := r.registers[firstOfVertex+stage]; ok {
		first = int(v & 0x1ff)
	}
	for n := range 256 {
		var v [4]uint32
		any := false
		for k := range v {
			if x, ok := r.registers[floatRegisters+4*(first+n)+k]; ok && first+n < floats {
				v[k], any = x, true
			}
		}
		if any {
			c.Floats[n] = v
		}
	}
	for n := range bools {
		if v, ok := r.registers[boolRegisters+n/32]; ok {
			c.Bools[n] = v>>uint(n%32)&1 != 0
		}
	}
	for n := range loopsOfBoth {
		if v, ok := r.registers[loopRegisters+n]; ok {
			c.Loops[n] = v
		}
	}
	for n := range fetches {
		r.vertexBuffer(c, n)
	}
	for n := range fetches / 3 {
		r.texture(c, n)
	}
	return c
}

// texture takes a texture that a fetch constant describes.
func (r *rdReader) texture(c *Constants, n int) {
	const buffer, page, largest = 3, 0xfff, 64 << 20
	var t Texture
	for k := range t.Words {
		t.Words[k] = r.registers[fetchRegisters+6*n+k]
	}
	at := func(word int) []byte {
		if addr := uint64(t.Words[word] &^ page); addr != 0 {
			return r.memory.read(addr, largest/4)
		}
		return nil
	}
	if t.Words[0]&3 == buffer {
		return
	}
	if t.Base, t.Mips = at(1), at(5); t.Base != nil {
		c.Textures[n] = t
	}
}

// vertexBuffer takes the bytes of a buffer of vertices that a fetch constant describes.
func (r *rdReader) vertexBuffer(c *Constants, n int) {
	const kind, largest = 3, 16 << 20
	at, size := r.registers[fetchRegisters+2*n], r.registers[fetchRegisters+2*n+1]
	if at&3 != kind || size&^3 == 0 {
		return
	}
	bytes := uint64(size & 0x03fffffc)
	if data := r.memory.read(uint64(at&^3), min(bytes, largest)/4); data != nil {
		c.Buffers[n], c.Orders[n] = data, size&3
	}
}

// Given returns the literals of a shader file as constants.
func (s *XenosShader) Given() *Constants {
	c := &Constants{Floats: map[int][4]uint32{}, Loops: map[int]uint32{}}
	for i := range s.Literals {
		switch l := &s.Literals[i]; len(l.bits) {
		case 4:
			c.Floats[l.First] = [4]uint32(l.bits)
		case 1:
			c.Loops[l.First] = l.bits[0]
		}
	}
	return c
}
