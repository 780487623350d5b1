package pica200

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
)

// facts are what .isago directives say: things that files hold and picasso's language cannot say.
type facts struct {
	noPad, unchecked, noPrograms bool
	likeNihstro                  bool // headers and tables stand as in nihstro's files
	version                      uint32
	descriptors                  []descriptorFact
	appended                     []byte
	size                         int64 // -1 unless given
	patches                      []Gap
	span                         diag.Span
}

// headerFact are the fields of a program's header that follow from its declarations, where they do not.
type headerFact struct {
	word04          uint16
	kind            DVLEType
	merge           uint8
	inputs, outputs uint16
}

type descriptorFact struct {
	index int
	value Descriptor
}

// isago reads a directive of this assembler's own.
func (r *assembly) isago(a *args, span diag.Span) {
	word, at := a.word()
	f, ok := isagoWords[word]
	if !ok {
		r.fail(diag.Directive, at, "unknown directive .isago %s", word)
		return
	}
	if n, ok := a.numbers(f.widths...); ok && f.take(r, a, n) {
		a.done()
	}
	r.facts.span = span
}

// isagoWord is a directive after .isago.
type isagoWord struct {
	// widths are those of the numbers that follow, in bits.
	widths []int
	// take takes them, and returns whether what follows these was read.
	take func(r *assembly, a *args, n []uint64) bool
}

var isagoWords = map[string]isagoWord{
	"file":         {nil, func(_ *assembly, a *args, _ []uint64) bool { a.pos = len(a.text); return true }},
	"no-nop":       {nil, func(r *assembly, _ *args, _ []uint64) bool { r.facts.noPad, r.layout.NoPad = true, true; return true }},
	"unchecked":    {nil, func(r *assembly, _ *args, _ []uint64) bool { r.facts.unchecked = true; return true }},
	"no-programs":  {nil, func(r *assembly, _ *args, _ []uint64) bool { r.facts.noPrograms = true; return true }},
	"like-nihstro": {nil, func(r *assembly, _ *args, _ []uint64) bool { r.facts.likeNihstro = true; return true }},
	"unsorted":     {nil, func(r *assembly, _ *args, _ []uint64) bool { r.program().unsorted = true; return true }},
	"version":      {[]int{32}, func(r *assembly, _ *args, n []uint64) bool { r.facts.version = uint32(n[0]); return true }},
	"size":         {[]int{26}, func(r *assembly, _ *args, n []uint64) bool { r.facts.size = int64(n[0]); return true }},
	// START END
	"entry": {[]int{32, 32}, func(r *assembly, _ *args, n []uint64) bool {
		r.program().entryWords = &[2]uint32{uint32(n[0]), uint32(n[1])}
		return true
	}},
	// WORD04 TYPE MERGE INPUTS OUTPUTS
	"header": {[]int{16, 8, 8, 16, 16}, func(r *assembly, _ *args, n []uint64) bool {
		r.program().headerFact = &headerFact{uint16(n[0]), DVLEType(n[1]), uint8(n[2]), uint16(n[3]), uint16(n[4])}
		return true
	}},
	"label":  {[]int{8, 32, 32}, (*assembly).labelFact},
	"patch":  {[]int{26}, (*assembly).patchFact},
	"desc":   {nil, (*assembly).descriptorFact},
	"append": {nil, (*assembly).appendFact},
}

// numbers reads a number for each width in bits.
func (a *args) numbers(widths ...int) (list []uint64, ok bool) {
	for _, bits := range widths {
		text, span := a.word()
		n, err := strconv.ParseUint(text, 0, bits)
		if err != nil {
			a.r.fail(diag.TextRange, span, "%q, expected an unsigned number of at most %d bits", text, bits)
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

func (h *headerFact) line() string {
	return fmt.Sprintf(".isago header 0x%04x %d %d 0x%x 0x%x", h.word04, h.kind, h.merge, h.inputs, h.outputs)
}

// labelFact is .isago label ID ADDRESS SIZE NAME, a row of the label table.
func (r *assembly) labelFact(a *args, n []uint64) bool {
	name, _, ok := a.name("the name of the label")
	if ok {
		r.program().Labels = append(r.program().Labels, Label{
			ID: uint8(n[0]), Address: uint32(n[1]), Size: uint32(n[2]), Name: strings.ReplaceAll(name, "$", "."),
		})
	}
	return ok
}

// maxDescriptors bounds the descriptors that a file may list beyond those that instructions can name.
const maxDescriptors = 1 << 16

// descriptorFact is .isago desc INDEX VALUE SECOND.
func (r *assembly) descriptorFact(a *args, _ []uint64) bool {
	index, ok := a.integer("the index of a descriptor", maxDescriptors-1)
	if !ok {
		return false
	}
	n, ok := a.numbers(32, 32)
	if ok {
		r.facts.descriptors = append(r.facts.descriptors, descriptorFact{index, Descriptor{uint32(n[0]), uint32(n[1])}})
	}
	return ok
}

// appendFact is .isago append HEX.
func (r *assembly) appendFact(a *args, _ []uint64) bool {
	data, ok := a.bytes()
	r.facts.appended = append(r.facts.appended, data...)
	return ok
}

// bytes reads bytes in hexadecimal.
func (a *args) bytes() ([]byte, bool) {
	text, span := a.word()
	data, err := hex.DecodeString(strings.ToLower(text))
	if err != nil || text == "" {
		a.r.fail(diag.TextExpected, span, "%q, expected bytes in hexadecimal", text)
		return nil, false
	}
	return data, true
}

// patchFact is .isago patch OFFSET HEX.
func (r *assembly) patchFact(a *args, n []uint64) bool {
	data, ok := a.bytes()
	if ok {
		r.facts.patches = append(r.facts.patches, Gap{int64(n[0]), data})
	}
	return ok
}

// patched reports whether the source says anything of the bytes of the file.
func (f *facts) patched() bool { return f.patches != nil || f.appended != nil || f.size >= 0 }

// patch gives a file the size and the bytes that the source says.
func (f *facts) patch(data []byte) []byte {
	data = append(data, f.appended...)
	size := f.size
	if size < 0 {
		size = int64(len(data))
	}
	out := make([]byte, size)
	copy(out, data)
	for _, p := range f.patches {
		if end := p.Offset + int64(len(p.Bytes)); end > int64(len(out)) {
			out = append(out, make([]byte, end-int64(len(out)))...)
		}
		copy(out[p.Offset:], p.Bytes)
	}
	return out
}
