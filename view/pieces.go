package view

import (
	"iter"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// pieces yields the pieces of the image in their order.
func (l *Listing) pieces() iter.Seq[line] {
	return func(yield func(line) bool) {
		for i := range l.Image.Pieces {
			l.reportProgress(int64(i), int64(len(l.Image.Pieces)))
			if !yield(l.piece(i)) {
				return
			}
		}
	}
}

// piece decodes a piece with the decoder of its kind.
func (l *Listing) piece(i int) line {
	p := &l.Image.Pieces[i]
	ln := line{addr: p.Addr, piece: p, size: p.Size}
	v, _ := l.Image.At(p.Addr, l.Decoder.Root(), p.Size)
	ln.word = v.And(bits.Ones(p.Size))
	l.base, l.current = p.Base, l.Decoder
	if p.Root == nil {
		return ln
	}
	d := l.decoderOf(p.Root)
	if d.Context() != p.Context {
		d.SetContext(p.Context)
	}
	d.Addr = p.Addr - p.Base
	l.current = d
	if ln.in, ln.ok = d.Decode(ln.word); !ln.ok {
		ln.conflict = d.Conflict()
	}
	return ln
}

// decoderOf returns the decoder for a root. The text of an instruction may have several lines only if the listing
// prints nothing else in these lines.
func (l *Listing) decoderOf(r *isa.Root) *isa.Decoder {
	d := l.decoders[r]
	if d != nil {
		return d
	}
	if l.decoders == nil {
		l.decoders = map[*isa.Root]*isa.Decoder{}
	}
	d, _ = l.Decoder.Set().NewDecoder(r.Name) // a root of the set
	if !l.Bare && !l.Addresses && !l.Words && l.Print == nil {
		d.Lines, d.Remarks, d.Indent = true, true, l.Image.Break
	}
	l.decoders[r] = d
	return d
}
