// Package xenostest builds Xbox 360 shader files for tests.
package xenostest

import "encoding/binary"

// Shader is the content of a shader file.
type Shader struct {
	Vertex    bool
	Constants []Constant
	// Elements are the inputs of a vertex program, each with its fetch unit. Interpolators are the
	// outputs of a vertex program or the inputs of a fragment program, each with its register.
	Elements, Interpolators []Semantic
	// Skip is the number of words before the elements.
	Skip  int
	Words []uint32
}

// Constant is an entry of the constant table. Set is 0 for bools, 1 for loops, 2 for floats and 3 for
// samplers.
type Constant struct {
	Name              string
	Set, First, Count int
}

// Semantic is a Direct3D 9 usage with its index and its unit or register.
type Semantic struct{ Usage, Index, Place int }

// File returns the bytes of the file: the file header, the shader header with the semantics, the
// constants and the code.
func (s *Shader) File() []byte {
	magic := uint32(0x102a1100)
	if s.Vertex {
		magic |= 1
	}
	const header = 0x24
	shader := s.header()
	table := s.table()
	physical := header + len(shader) + 4 + len(table)
	b := words(nil, magic, uint32(physical), uint32(4*len(s.Words)), 0, uint32(header+len(shader)), 0, header, 0, 0)
	b = words(append(b, shader...), uint32(len(table)))
	return words(append(b, table...), s.Words...)
}

// Code returns the words of the code in the byte order of the file.
func (s *Shader) Code() []byte { return words(nil, s.Words...) }

func words(b []byte, list ...uint32) []byte {
	for _, w := range list {
		b = binary.BigEndian.AppendUint32(b, w)
	}
	return b
}

func (s *Shader) header() []byte {
	b := words(nil, 0, uint32(4*len(s.Words)), 0, 0, 0, uint32(len(s.Interpolators)<<5))
	if s.Vertex {
		b = words(b, uint32(s.Skip), uint32(len(s.Elements)), 0)
		b = words(b, make([]uint32, s.Skip)...)
	} else {
		b = words(b, 0, 1)
	}
	for _, x := range s.Elements {
		b = words(b, uint32(x.Place|x.Usage<<12|x.Index<<16))
	}
	for _, x := range s.Interpolators {
		b = words(b, uint32(x.Index|x.Usage<<4|x.Place<<8))
	}
	return b
}

// table returns the constant table: its entries, followed by their names.
func (s *Shader) table() []byte {
	const head, entry = 28, 20
	b := words(nil, head, 0, 0xffff0300, uint32(len(s.Constants)), head, 0, 0)
	var names []byte
	for _, c := range s.Constants {
		at := head + entry*len(s.Constants) + len(names)
		b = words(b, uint32(at), uint32(c.Set<<16|c.First), uint32(c.Count<<16), 0, 0)
		names = append(append(names, c.Name...), 0)
	}
	for len(names)%4 != 0 {
		names = append(names, 0)
	}
	return append(b, names...)
}

// Semantics returns a Semantic for each usage, index and place.
func Semantics(list ...[3]int) (all []Semantic) {
	for _, x := range list {
		all = append(all, Semantic{x[0], x[1], x[2]})
	}
	return all
}
