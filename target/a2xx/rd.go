package a2xx

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Capture is what a freedreno capture (.rd) of an A2XX device holds of shaders. A capture is a list of
// sections, each a type, a length in bytes and that many bytes; buffers of the GPU's memory, and where
// in them command streams start. The numbers are those of freedreno's redump.h, of the kernel's
// msm_rd.c and of the command processor.
type Capture struct {
	// GPU is the number of the GPU, such as 201, or 0 if the capture does not contain it.
	GPU     uint32
	Shaders []Shader
	// Notes are remarks about what could not be read.
	Notes []string
}

// Shader is a shader that a command stream loads.
type Shader struct {
	// Stage is 0 for vertices, 1 for fragments.
	Stage int
	// Address is the address of its words in the GPU's memory, at its first load.
	Address uint64
	Words   []uint32
	// Loads is the number of times that it is loaded.
	Loads int
	// Constants are those of the first draw with it, or nil without a draw.
	Constants *Constants
}

// Types of sections.
const (
	rdGPUAddress     = 3
	rdCommandStream  = 6
	rdBufferContents = 12
	rdGPUID          = 13
	rdChipID         = 14
	rdLastType       = 32 // types beyond those known are skipped
)

// Packets of the command processor.
const (
	packetLoad           = 0x27
	packetLoadImmediate  = 0x2b
	packetIndirectBuffer = 0x37
	packetIndirectPrefix = 0x3f
)

// Limits on captures, which may be hostile.
const (
	MaxCapture  = 1 << 30 // bytes when unpacked
	maxCommands = 1 << 28 // words of command streams that are read
	maxNested   = 4       // indirect buffers inside each other
	MaxBuffers  = 1 << 16 // parts of memory that are known at a time
	MaxShaders  = 1 << 16
)

// IsCapture reports whether data is a capture, compressed by gzip or not.
func IsCapture(data []byte) bool {
	if z, err := gunzip(data, 4096); err == nil {
		data = z
	}
	for len(data) >= 8 {
		kind, size := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		text := kind == 1 || kind == 2 // what was run, in words
		switch data = data[8:]; {
		case kind&size == 1<<32-1, text && size == 0:
		case text:
			return size < 1<<16 && isText(data[:min(len(data), int(size))])
		default:
			return kind == rdGPUID && size == 4 || kind == rdChipID && size == 8
		}
	}
	return false
}

// isText reports whether data are letters and the like, with nothing but zeros after them: code is not.
func isText(data []byte) bool {
	data = bytes.TrimRight(data, "\x00")
	return len(data) > 0 && !bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' || r == utf8.RuneError })
}

// gunzip unpacks at most so many bytes.
func gunzip(data []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil && (len(out) == 0 || !errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil, err
	}
	return out, nil
}

// ReadCapture returns the shaders of a capture. It reads a truncated capture as far as possible.
func ReadCapture(data []byte) (*Capture, error) {
	if len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b {
		unpacked, err := gunzip(data, MaxCapture+1)
		if err != nil {
			return nil, errorf(diag.FileFormat, diag.Span{}, "unpacking: %v", err)
		}
		if data = unpacked; len(data) > MaxCapture {
			return nil, errorf(diag.FileFormat, diag.Span{}, "more than %d bytes when unpacked", MaxCapture)
		}
	}
	r := rdReader{capture: &Capture{}, known: map[shaderKey][]int{}, seed: maphash.MakeSeed()}
	if err := r.read(data); err != nil {
		return nil, err
	}
	return r.capture, nil
}

type rdReader struct {
	capture  *Capture
	memory   rdMemory
	address  uint64 // of the buffer whose contents come next
	commands int    // words of command streams so far
	known    map[shaderKey][]int
	seed     maphash.Seed
	// registers are those that were set, by number; loaded are, by stage, the numbers of the shaders that were
	// loaded last, counted from 1.
	registers map[int]uint32
	loaded    [2]int
}

// shaderKey is what shaders are looked up by: their stage and a hash of their words, by a seed that no file can know.
type shaderKey struct {
	stage int
	hash  uint64
}

func (r *rdReader) note(format string, args ...any) {
	const most = 20
	if len(r.capture.Notes) < most {
		r.capture.Notes = append(r.capture.Notes, fmt.Sprintf(format, args...))
	}
}

func (r *rdReader) read(data []byte) error {
	for at := 0; at+8 <= len(data); {
		kind, size := binary.LittleEndian.Uint32(data[at:]), int64(binary.LittleEndian.Uint32(data[at+4:]))
		at += 8
		if kind == 1<<32-1 && size == 1<<32-1 { // fills up
			continue
		}
		if kind > rdLastType {
			return errorf(diag.FileFormat, diag.Span{}, "byte 0x%x: a section of type 0x%x, expected at most %d", at-8, kind, rdLastType)
		}
		if size > int64(len(data)-at) {
			r.note("cut off at byte 0x%x, in a section of %d bytes", len(data), size)
			size = int64(len(data) - at)
		}
		if err := r.section(kind, data[at:at+int(size)]); err != nil {
			return err
		}
		at += int(size)
	}
	return nil
}

func (r *rdReader) section(kind uint32, data []byte) error {
	word := func(i int) uint64 {
		if 4*i+4 > len(data) {
			return 0
		}
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	switch kind {
	case rdGPUID:
		r.capture.GPU = uint32(word(0))
	case rdChipID:
		if r.capture.GPU == 0 && word(0)>>24 != 0 { // bytes from the top: core, major, minor, patch
			r.capture.GPU = uint32(100*(word(0)>>24) + 10*(word(0)>>16&0xff) + word(0)>>8&0xff)
		}
	case rdGPUAddress:
		r.address = word(0) | word(2)<<32
	case rdBufferContents:
		r.memory.write(r.address, data)
	case rdCommandStream:
		r.stream(word(0)|word(2)<<32, word(1), 0)
	}
	if g := r.capture.GPU; g != 0 && g/100 != 2 {
		return errorf(diag.FileFormat, diag.Span{}, "the capture is of GPU %d, expected an A2XX GPU, 200 to 299", g)
	}
	return nil
}

// stream reads the packets of a command stream.
func (r *rdReader) stream(addr, words uint64, depth int) {
	data := r.memory.read(addr, words)
	if r.commands += len(data) / 4; r.commands > maxCommands || depth > maxNested {
		r.note("command stream at 0x%x is not read: there are too many commands or nested streams", addr)
		return
	}
	if uint64(len(data)/4) < words {
		r.note("command stream at 0x%x: %d of %d words are captured", addr, len(data)/4, words)
	}
	for at := 0; at+4 <= len(data); {
		header := binary.LittleEndian.Uint32(data[at:])
		at += 4
		n := 4 * int(header>>16&0x3fff+1)
		switch header >> 30 {
		case 1:
			n = 8
		case 2:
			n = 0
		}
		n = min(n, len(data)-at)
		switch header >> 30 {
		case 0:
			r.writeRegisters(int(header&0x7fff), data[at:at+n])
		case 3:
			r.packet(header>>8&0xff, addr+uint64(at), data[at:at+n], depth)
		}
		at += n
	}
}

// packet reads a packet that may load a shader, or go to another command stream.
func (r *rdReader) packet(op uint32, addr uint64, data []byte, depth int) {
	if len(data) < 8 {
		return
	}
	first, second := uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[4:]))
	words := second & 0xffff // above them is where in the store of instructions
	switch op {
	case packetIndirectBuffer, packetIndirectPrefix:
		r.stream(first, second, depth+1)
	case packetSetConstant:
		r.setConstant(data)
	case packetDraw, packetDrawIndices:
		r.drawn()
	case packetLoadImmediate:
		r.shader(int(first&3), addr+8, data[8:min(uint64(len(data)), 8+4*words)])
	case packetLoad:
		at := first &^ 3
		if code := r.memory.read(at, words); uint64(len(code)) == 4*words {
			r.shader(int(first&3), at, code)
		} else {
			r.note("shader at 0x%x: %d of %d words are captured", at, len(code)/4, words)
		}
	}
}

// shader adds a shader, if it is another one than those before.
func (r *rdReader) shader(stage int, addr uint64, data []byte) {
	data = data[:len(data)&^3]
	if len(data) == 0 || stage > 1 {
		return
	}
	key := shaderKey{stage, maphash.Bytes(r.seed, data)}
	for _, i := range r.known[key] {
		if s := &r.capture.Shaders[i]; s.has(data) {
			s.Loads++
			r.loaded[stage] = i + 1
			return
		}
	}
	if len(r.capture.Shaders) == MaxShaders {
		r.note("more than %d shaders", MaxShaders)
		return
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	r.known[key] = append(r.known[key], len(r.capture.Shaders))
	r.capture.Shaders = append(r.capture.Shaders, Shader{Stage: stage, Address: addr, Words: words, Loads: 1})
	r.loaded[stage] = len(r.capture.Shaders)
}

// has reports whether the words of the shader have these bytes.
func (s *Shader) has(data []byte) bool {
	if len(data) != 4*len(s.Words) {
		return false
	}
	for i, w := range s.Words {
		if binary.LittleEndian.Uint32(data[4*i:]) != w {
			return false
		}
	}
	return true
}

// Open reads a capture for listing.
func Open(set *isa.Set, data []byte) (*program.Image, error) {
	capture, err := ReadCapture(data)
	if err != nil {
		return nil, err
	}
	m, err := newMachine(set)
	if err != nil {
		return nil, err
	}
	im := &program.Image{Format: "freedreno capture", Sections: map[int64][]string{}, Names: map[int64]string{}, Break: m.breakIndent()}
	im.OneWay, im.Numbered = "asm does not write captures", true
	im.Declarations = func() ([]program.FileDeclaration, error) { return capture.declared(set), nil }
	im.Header = capture.header()
	p := layout{m: m}
	words, pieces := 0, 0
	for i := range capture.Shaders {
		p.words = capture.Shaders[i].Words
		p.readClauses(len(p.words) / unitWords)
		words += len(p.words) + unitWords
		pieces += p.count()
	}
	im.Words, im.Pieces = make([]uint32, 0, words), make([]program.Piece, 0, pieces)
	for i := range capture.Shaders {
		p.addShader(im, &capture.Shaders[i], i)
	}
	return im, nil
}

func (c *Capture) header() []string {
	line := fmt.Sprintf("%d different shaders", len(c.Shaders))
	if c.GPU != 0 {
		line = fmt.Sprintf("GPU %d, ", c.GPU) + line
	}
	lines := []string{line}
	for _, n := range c.Notes {
		lines = append(lines, "warning: "+n)
	}
	return lines
}

// addShader appends a shader to an image.
func (p *layout) addShader(im *program.Image, s *Shader, number int) {
	base := 32 * int64(len(im.Words))
	ctx, stage := p.m.stageContext(s.Stage)
	im.Words = append(im.Words, s.Words...)
	im.Names[base] = strconv.Itoa(number)
	p.words, p.context = im.Words[base/32:], ctx
	p.analyse()
	title := fmt.Sprintf("shader %d: %s, address 0x%x, %d words, loaded %d times", number, stage, s.Address, len(s.Words), s.Loads)
	if len(p.clauses) > 0 {
		im.Sections[base] = []string{title}
	} else {
		im.Header = append(im.Header, title)
	}
	im.Pieces = p.pieces(im.Pieces, base)
	im.Contents = append(im.Contents, p.part(title))
	for len(im.Words)%unitWords > 0 { // each starts at a unit
		im.Words = append(im.Words, 0)
	}
}

// stageContext returns the context of a stage and its name.
func (m *machine) stageContext(stage int) (ctx bits.Value, name string) {
	ctx = m.set.DefaultContext()
	c := inside.Machine(m.set).ISA.Context("stage")
	if c == nil || c.Enum == nil {
		return ctx, ""
	}
	for _, v := range c.Enum.Values {
		if v.Val == uint64(stage) {
			name = v.Name
		}
	}
	ctx.SetUint(c.Low, c.Width, uint64(stage))
	return ctx, name
}
