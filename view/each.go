package view

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/isa"
)

// Decoded is an instruction of a program, or a word that is none.
type Decoded struct {
	// Decoder has decoded it; its findings are those of the word.
	Decoder *isa.Decoder
	// Addr is the address in bits.
	Addr int64
	// Inst is the instruction; Known tells that there is one.
	Inst  isa.Inst
	Known bool
	Word  bits.Value
}

// Each calls f with each instruction of the image in the order of the listing, data aside.
func (l *Listing) Each(f func(Decoded)) {
	for ln := range l.lines() {
		if ln.piece != nil && ln.piece.Root == nil {
			continue
		}
		f(Decoded{l.current, ln.addr, ln.in, ln.ok, ln.word})
	}
}

// EachPiece calls work for each piece of a stream's code, on several processors, and take with the
// results in the order of the code.
func EachPiece[R any](s *Stream, work func(l *Listing) R, take func(R) error) error {
	scout, err := s.New(nil)
	if err != nil {
		return err
	}
	type result struct {
		value R
		err   error
	}
	start := func() (func(piece) result, error) {
		l, err := s.New(nil)
		return func(p piece) (r result) {
			if r.err = p.err; r.err == nil {
				l.Image, l.to = p.image, p.to
				r.value = work(l)
			}
			return r
		}, err
	}
	return inorder.Run(s.Workers, s.pieces(scout), start, func(r result, _ bool) error {
		if r.err != nil {
			return r.err
		}
		return take(r.value)
	})
}
