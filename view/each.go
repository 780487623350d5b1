package view

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Decoded is an instruction of a program, or an unknown word.
type Decoded struct {
	// Decoder is the decoder that decoded the word. Its findings are the findings of the word.
	Decoder *isa.Decoder
	// Addr is the address in bits.
	Addr int64
	// Inst is the instruction if Known is set.
	Inst  isa.Inst
	Known bool
	Word  bits.Value
}

// Each calls f with each instruction of the image in the order of the listing, but not with data, until f returns
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

// PlaceError is the reason why a place is not in a program.
type PlaceError struct{ Msg string }

func (e *PlaceError) Error() string { return e.Msg }

func placeErrorf(format string, args ...any) error { return &PlaceError{fmt.Sprintf(format, args...)} }

// Find returns the instruction that is plus instructions after a place. A place is a label, or an address in bytes from
// the start of the program, in hexadecimal with or without 0x. A label takes precedence over an address with the same
// spelling. The place "" is the start of the program. member is the name of the program; it may be "" if the image has
// one program, or if only one program has that label. After Find, the decoder prints the names of the image in
// instructions.
func (l *Listing) Find(member, place string, plus int) (Decoded, error) {
	labels := l.prepare()
	in, at, err := l.placeOf(labels, member, place)
	if err != nil {
		return Decoded{}, err
	}
	found, left, met := Decoded{}, plus, false
	l.Each(func(x Decoded) bool {
		switch {
		case met && x.Addr < in.Start || x.Addr >= in.End: // of another program
			return true
		case met:
			left--
		default:
			met = x.Addr == at
		}
		found = x
		return !met || left > 0
	})
	switch {
	case !met && place == "":
		return Decoded{}, placeErrorf("the program has no instruction")
	case !met:
		return Decoded{}, placeErrorf("%s is not a label, and no instruction starts at 0x%x", place, (at-in.Start)/8)
	case left > 0:
		return Decoded{}, placeErrorf("the program has fewer than %d instructions after %s", plus, place)
	}
	return found, nil
}

// placeOf returns the program of a place and the address of the place in the image.
func (l *Listing) placeOf(labels *program.Labels, member, place string) (in program.Member, at int64, err error) {
	list := l.Image.Members()
	if member != "" {
		m, err := list.Named(member)
		if err != nil {
			return in, 0, placeErrorf("%s", Printable(err.Error()))
		}
		list = program.Members{m}
	}
	var with program.Members // the programs that have the label
	for _, m := range list {
		if addr, ok := labels.AddressFrom(m.Start, place); ok && m.Start <= addr && addr < m.End {
			with, at = append(with, m), addr
		}
	}
	switch {
	case len(with) == 1:
		return with[0], at, nil
	case len(with) > 1:
		return in, 0, placeErrorf("%d programs have a label %s, expected FILE:NAME@%[2]s with one of %s", len(with), place, Printable(with.Names()))
	case len(list) > 1:
		return in, 0, placeErrorf("%d programs, expected FILE:NAME@%s with one of %s", len(list), cmp.Or(place, "PLACE"), Printable(list.Names()))
	}
	in = list[0]
	if place == "" {
		return in, in.Start, nil
	}
	digits := place
	if len(digits) > 1 && (digits[:2] == "0x" || digits[:2] == "0X") {
		digits = digits[2:]
	}
	n, err := strconv.ParseUint(digits, 16, 60)
	if err != nil {
		return in, 0, placeErrorf("%s is neither a label nor an address, expected a label, or bytes from the start of the program in hexadecimal", place)
	}
	return in, in.Start + 8*int64(n), nil
}

// EachPiece processes the pieces of a stream's code in parallel. open returns the function that one goroutine calls for
// each of its pieces. EachPiece calls take with the results in the order of the code, and with the number of bytes read
// so far. It may return the error of ctx.
func EachPiece[R any](ctx context.Context, s *Stream, open func() func(l *Listing) R, take func(r R, done int64) error) error {
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
		if err := cmp.Or(r.err, ctx.Err()); err != nil {
			return err
		}
		return take(r.value, r.to)
	})
}
