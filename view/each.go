package view

import (
	"strconv"

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

// Each calls f with each instruction of the image in the order of the listing, data aside, until f returns
// false.
func (l *Listing) Each(f func(Decoded) bool) {
	for ln := range l.lines() {
		if ln.piece != nil && ln.piece.Root == nil {
			continue
		}
		if !f(Decoded{l.current, ln.addr, ln.in, ln.ok, ln.word}) {
			return
		}
	}
}

// Place returns where a label stands, or the address that a listing shows as text; from then on names stand
// where instructions have them.
func (l *Listing) Place(text string) (addr int64, ok bool) {
	labels := l.prepare()
	if addr, ok := labels.Address(text); ok {
		return addr, true
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		n, err = strconv.ParseInt(text, 16, 64)
	}
	if err != nil {
		return 0, false
	}
	for ln := range l.lines() {
		if l.address(ln) == n {
			return ln.addr, true
		}
	}
	return 0, false
}

// EachPiece works on each piece of a stream's code, on several processors, and calls take with the results in the order
// of the code, and with the number of bytes up to there. open makes the work of one processor.
func EachPiece[R any](s *Stream, open func() func(l *Listing) R, take func(r R, done int64) error) error {
	scout, err := s.New(nil)
	if err != nil {
		return err
	}
	type result struct {
		value R
		to    int64
		err   error
	}
	start := func() (func(piece) result, error) {
		l, err := s.New(nil)
		work := open()
		return func(p piece) (r result) {
			if r.err = p.err; r.err == nil {
				l.Image, l.to = p.image, p.to
				r.value, r.to = work(l), p.to/8
			}
			return r
		}, err
	}
	return inorder.Run(s.Workers, s.pieces(scout), start, func(r result, _ bool) error {
		if r.err != nil {
			return r.err
		}
		return take(r.value, r.to)
	})
}
