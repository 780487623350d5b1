package pica200

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/diag"
)

// facts are what .isago directives say: things that files hold and picasso's language cannot say.
type facts struct {
	noPad, unchecked, noPrograms bool
	descriptors                  []descriptorFact
	size                         int64 // -1 unless given
	patches                      []Gap
	span                         diag.Span
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
		r.fail(diag.Directive, at, "no directive .isago %s", word)
		return
	}
	if f(r, a) {
		a.done()
	}
	r.facts.span = span
}

// isagoWords are the directives behind .isago. Each returns whether what follows it was read.
var isagoWords = map[string]func(*assembly, *args) bool{
	"file":        func(_ *assembly, a *args) bool { a.pos = len(a.text); return true },
	"no-nop":      func(r *assembly, _ *args) bool { r.facts.noPad, r.layout.NoPad = true, true; return true },
	"unchecked":   func(r *assembly, _ *args) bool { r.facts.unchecked = true; return true },
	"no-programs": func(r *assembly, _ *args) bool { r.facts.noPrograms = true; return true },
	"entry":       (*assembly).entryFact,
	"desc":        (*assembly).descriptorFact,
	"label":       (*assembly).labelFact,
	"size":        (*assembly).sizeFact,
	"patch":       (*assembly).patchFact,
}

// number reads a number of so many bits.
func (a *args) number(bits int) (uint64, bool) {
	text, span := a.word()
	n, err := strconv.ParseUint(text, 0, bits)
	if err != nil {
		a.r.fail(diag.TextRange, span, "%q, expected a number of %d bits", text, bits)
	}
	return n, err == nil
}

// entryFact is .isago entry START END.
func (r *assembly) entryFact(a *args) bool {
	start, ok := a.number(32)
	if !ok {
		return false
	}
	end, ok := a.number(32)
	if ok {
		r.program().entryWords = &[2]uint32{uint32(start), uint32(end)}
	}
	return ok
}

// labelFact is .isago label ID ADDRESS SIZE NAME, a row of the label table.
func (r *assembly) labelFact(a *args) bool {
	var n [3]uint64
	for i, bits := range []int{8, 32, 32} {
		var ok bool
		if n[i], ok = a.number(bits); !ok {
			return false
		}
	}
	name, _, ok := a.name("the name of the label")
	if ok {
		r.program().labels = append(r.program().labels, Label{
			ID: uint8(n[0]), Address: uint32(n[1]), Size: uint32(n[2]), Name: strings.ReplaceAll(name, "$", "."),
		})
	}
	return ok
}

// maxDescriptors bounds the descriptors that a file may list beyond those that instructions can name.
const maxDescriptors = 1 << 16

// descriptorFact is .isago desc INDEX VALUE SECOND.
func (r *assembly) descriptorFact(a *args) bool {
	index, ok := a.integer("the index of a descriptor", maxDescriptors-1)
	if !ok {
		return false
	}
	value, ok := a.number(32)
	if !ok {
		return false
	}
	second, ok := a.number(32)
	if ok {
		r.facts.descriptors = append(r.facts.descriptors, descriptorFact{index, Descriptor{uint32(value), uint32(second)}})
	}
	return ok
}

// sizeFact is .isago size BYTES.
func (r *assembly) sizeFact(a *args) bool {
	n, ok := a.number(26)
	r.facts.size = int64(n)
	return ok
}

// patchFact is .isago patch OFFSET HEX.
func (r *assembly) patchFact(a *args) bool {
	offset, ok := a.number(26)
	if !ok {
		return false
	}
	text, span := a.word()
	data, err := hex.DecodeString(strings.ToLower(text))
	if err != nil {
		r.fail(diag.TextExpected, span, "%q, expected bytes in hexadecimal", text)
		return false
	}
	r.facts.patches = append(r.facts.patches, Gap{int64(offset), data})
	return true
}

// patch gives a file the size and the bytes that the source says.
func (f *facts) patch(data []byte) []byte {
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
