package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// id is the number of a result. 0 is no result.
type id uint32

// The sections of a module, in the order that the specification gives (section 2.4, Logical Layout of a Module).
const (
	sectionCapabilities = iota
	sectionExtensions
	sectionImports
	sectionMemoryModel
	sectionEntryPoints
	sectionModes
	sectionStrings
	sectionNames
	sectionDecorations
	sectionGlobals // types, constants and global variables
	sectionFunctions
	sections
)

// module is a module under construction. Results get their numbers in the order in which they are made, so that the bound is
// the next number.
type module struct {
	last     id
	words    [sections][]uint32
	interned map[string]id // types, constants and what else exists once, by key
	err      error
}

func newModule() *module { return &module{interned: map[string]id{}} }

// fail records that a module cannot express something.
func (m *module) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf("SPIR-V: "+format, args...)
	}
}

// next returns a new number.
func (m *module) next() id {
	m.last++
	return m.last
}

// emit adds an instruction to a section.
func (m *module) emit(section int, op uint32, operands ...uint32) {
	m.words[section] = m.instruction(m.words[section], op, operands...)
}

// instruction appends an instruction, whose first word has the number of words and the opcode.
func (m *module) instruction(to []uint32, op uint32, operands ...uint32) []uint32 {
	if len(operands) >= math.MaxUint16 {
		m.fail("an instruction of %d words", len(operands)+1)
		return to
	}
	return append(append(to, uint32(len(operands)+1)<<16|op), operands...)
}

// literal returns the words of a text: UTF-8 in little-endian words that end in a byte 0.
func literal(s string) []uint32 {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
	out := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		out[i/4] |= uint32(s[i]) << (8 * (i % 4))
	}
	return out
}

// once runs f if it has not run for this key, and returns its result.
func (m *module) once(key string, f func() id) id {
	x, ok := m.interned[key]
	if !ok {
		x = f()
		m.interned[key] = x
	}
	return x
}

// key returns a key for an instruction of the section of types and constants.
func key(op uint32, operands []uint32) string {
	b := binary.LittleEndian.AppendUint32(nil, op)
	for _, w := range operands {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return string(b)
}

// declare returns the result of an instruction that makes a type. Equal types are one result.
func (m *module) declare(op uint32, operands ...uint32) id {
	return m.once(key(op, operands), func() id { return m.distinct(op, operands...) })
}

// distinct returns a type that differs from all others.
func (m *module) distinct(op uint32, operands ...uint32) id {
	x := m.next()
	m.emit(sectionGlobals, op, append([]uint32{uint32(x)}, operands...)...)
	return x
}

// constant returns the result of an instruction that makes a constant of a type. Equal constants are one result.
func (m *module) constant(op uint32, t id, operands ...uint32) id {
	return m.once(key(op, append([]uint32{uint32(t)}, operands...)), func() id {
		x := m.next()
		m.emit(sectionGlobals, op, append([]uint32{uint32(t), uint32(x)}, operands...)...)
		return x
	})
}

// capability states that the module needs a capability.
func (m *module) capability(c uint32) {
	m.once("capability"+key(opCapability, []uint32{c}), func() id {
		m.emit(sectionCapabilities, opCapability, c)
		return 0
	})
}

// extension states that the module needs an extension.
func (m *module) extension(name string) {
	m.once("extension "+name, func() id {
		m.emit(sectionExtensions, opExtension, literal(name)...)
		return 0
	})
}

// library returns the extended instructions of GLSL.
func (m *module) library() id {
	return m.once("library", func() id {
		x := m.next()
		m.emit(sectionImports, opExtInstImport, append([]uint32{uint32(x)}, literal("GLSL.std.450")...)...)
		return x
	})
}

// name gives a result a name, which debuggers show.
func (m *module) name(x id, name string) {
	if name != "" {
		m.emit(sectionNames, opName, append([]uint32{uint32(x)}, literal(name)...)...)
	}
}

// memberName gives a member of a structure a name.
func (m *module) memberName(x id, member int, name string) {
	m.emit(sectionNames, opMemberName, append([]uint32{uint32(x), uint32(member)}, literal(name)...)...)
}

// decorate adds a decoration to a result.
func (m *module) decorate(x id, decoration uint32, operands ...uint32) {
	m.emit(sectionDecorations, opDecorate, append([]uint32{uint32(x), decoration}, operands...)...)
}

// decorateMember adds a decoration to a member of a structure.
func (m *module) decorateMember(x id, member int, decoration uint32, operands ...uint32) {
	m.emit(sectionDecorations, opMemberDecorate, append([]uint32{uint32(x), uint32(member), decoration}, operands...)...)
}

// bytes returns the module as little-endian words.
func (m *module) bytes() []byte {
	out := make([]byte, 0, 4*(5+len(m.words[sectionFunctions])*2))
	for _, w := range []uint32{magic, version, generator, uint32(m.last) + 1, 0} {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	for _, s := range m.words {
		for _, w := range s {
			out = binary.LittleEndian.AppendUint32(out, w)
		}
	}
	return out
}
