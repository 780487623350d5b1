package isa

import (
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// chunk is a text of up to 15 bytes with its length in the last one. Such a text is copied with one
// move of 16 bytes whatever its length; what is too much is overwritten by what follows.
type chunk [16]byte

// chunkLen is the longest text that a chunk holds, and the place of the length.
const chunkLen = len(chunk{}) - 1

// notShort stands in place of the length where a text is no chunk.
const notShort = 0xff

func newChunk(s string) chunk {
	c := chunk{chunkLen: byte(len(s))}
	copy(c[:chunkLen], s)
	return c
}

// texts holds the text of every value of a small operand that depends on nothing else.
type texts struct {
	short []chunk
	// long are the texts that are no chunk, nil if there are none.
	long []string
	// known is false for values that are not kept because there is something to say about them.
	known []bool
}

func newTexts(n int) *texts {
	t := &texts{short: make([]chunk, n), known: make([]bool, n)}
	for i := range t.short {
		t.short[i][chunkLen] = notShort
	}
	return t
}

func (t *texts) set(v int, s string) {
	t.known[v] = true
	if len(s) <= chunkLen {
		t.short[v] = newChunk(s)
		return
	}
	if t.long == nil {
		t.long = make([]string, len(t.short))
	}
	t.long[v] = s
}

// append appends the text of a value; ok is false where it is not kept.
func (t *texts) append(dst []byte, v uint64) (text []byte, ok bool) {
	if v >= uint64(len(t.short)) || !t.known[v] {
		return dst, false
	}
	if c := &t.short[v]; c[chunkLen] != notShort {
		return append(dst, c[:c[chunkLen]]...), true
	}
	return append(dst, t.long[v]...), true
}

// between returns the same texts with others around those that are not empty.
func (t *texts) between(before, after string) *texts {
	if before == "" && after == "" {
		return t
	}
	out := newTexts(len(t.short))
	for i := range t.short {
		if s, ok := t.append(nil, uint64(i)); ok {
			if len(s) > 0 {
				s = []byte(before + string(s) + after)
			}
			out.set(i, string(s))
		}
	}
	return out
}

// maxTexts bounds the width, in bits, of an operand whose texts are kept.
const maxTexts = 10

// noTexts marks a bitset whose texts are not kept.
var noTexts = &texts{}

// printer is what decoders share of a bitset in its surroundings.
type printer struct {
	texts atomic.Pointer[texts]
	// lines are the flattened displays of each leaf, by Leaf.ID.
	lines []atomic.Pointer[lines]
}

func printerOf(env *model.Env) *printer {
	if p, ok := env.Printer.Load().(*printer); ok {
		return p
	}
	env.Printer.CompareAndSwap(nil, &printer{lines: make([]atomic.Pointer[lines], len(env.Root.Leaves))})
	return env.Printer.Load().(*printer)
}

// textsOf returns the texts of a nested bitset, made at first use; nil if it has none.
func (d *Decoder) textsOf(env *model.Env) *texts {
	p := printerOf(env)
	t := p.texts.Load()
	if t == nil {
		t = noTexts
		if env.Closed() && env.Root.Size <= maxTexts && env.Constant() {
			t = d.makeTexts(env)
		}
		p.texts.Store(t)
	}
	if t == noTexts {
		return nil
	}
	return t
}

func (d *Decoder) makeTexts(env *model.Env) *texts {
	n := 1 << env.Root.Size
	t := newTexts(n)
	inner := newDecoder(d.set, env)
	var buf []byte
	for i := range n {
		in, ok := inner.Decode(bits.Of(uint64(i)))
		if !ok {
			continue
		}
		if buf = inner.Append(buf[:0], in); len(inner.findings) == 0 {
			t.set(i, string(buf))
		}
	}
	return t
}

// scalarKey tells apart the operands whose texts differ.
type scalarKey struct {
	kind    spec.Kind
	width   int
	enum    *model.Enum
	display *string
}

// scalarTexts returns the texts of a small number, enum or flag; nil if they are not kept. All
// operands of one kind share them.
func (s *Set) scalarTexts(ref *model.Ref) *texts {
	switch ref.Kind {
	case spec.KindEnum, spec.KindBool, spec.KindBoolInv, spec.KindInt, spec.KindUint, spec.KindHex, spec.KindOffset, spec.KindUOffset:
	default:
		return nil
	}
	if ref.Width > maxTexts {
		return nil
	}
	key := scalarKey{kind: ref.Kind, width: ref.Width, enum: ref.Enum, display: ref.Field.Display}
	if t, ok := s.scalars.Load(key); ok {
		return t.(*texts)
	}
	t := newTexts(1 << ref.Width)
	for v := range t.short {
		t.set(v, string(model.AppendConstant(nil, ref, uint64(v))))
	}
	s.scalars.Store(key, t)
	return t
}
