package view

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Stream prints code without a container piece by piece, in order and on several processors. Memory use does not grow
// with the code, except for three bits of label data per shortest instruction.
type Stream struct {
	// New returns a listing with its own decoder. Stream sets the Image and the Report of the listing. labels holds the
	// labels of the code, or is nil for a bare listing and for one that does not print.
	New func(labels *program.Labels) (*Listing, error)
	// In holds Size bytes of code.
	In   io.ReaderAt
	Size int64
	// Pipe, if not nil, is read to its end instead of In. Each part is printed before the next one is read, and branch
	// targets have no labels.
	Pipe io.Reader
	// JSON prints one JSON object instead of lines.
	JSON bool
	// Partial makes Write store the bytes after the last whole word of a Pipe in Rest. Without Partial, these bytes are
	// an error.
	Partial bool
	Rest    []byte
	// Entries are the entry points of the program.
	Entries []program.Entry
	// Workers is the number of goroutines that print.
	Workers int
	// Unlabelled prints the targets of branches as numbers, so that the first piece is printed before the others are read.
	Unlabelled bool
	// Progress, unless it is nil, is called with the step (Labelling or Printing), the bytes done, and all bytes.
	Progress func(what string, done, all int64)
	// Report, unless it is nil, is called with each finding in order, and its address in bits.
	Report func(addr int64, text string)

	texts sync.Pool // of *bytes.Buffer: reused for the texts of pieces
}

// The steps with which Write calls Progress.
const (
	Labelling = "looking for labels"
	Printing  = "printing"
)

// pieceBytes is the length of a piece of code. jsonBytes is the length for JSON, whose text is some hundred times as
// long as the code.
const (
	pieceBytes = 1 << 17
	jsonBytes  = 1 << 13
)

func (s *Stream) pieceBytes() int64 {
	if s.JSON {
		return jsonBytes
	}
	return pieceBytes
}

// piece is a part of the code: the instructions that start at or after Image.Start and before to, in bits. The image
// contains all bits of the last of these instructions.
type piece struct {
	image *program.Image
	to    int64
	err   error
}

// listed is the text of a piece.
type listed struct {
	to       int64 // as in the piece
	text     *bytes.Buffer
	findings int
	reports  []report
	err      error
}

type report struct {
	addr int64
	text string
}

// Write prints the listing. It returns the number of findings. It may return the error of ctx.
func (s *Stream) Write(ctx context.Context, w *bufio.Writer) (findings int, err error) {
	scout, err := s.New(nil)
	if err == nil && s.Pipe == nil {
		err = program.WholeWords(scout.Decoder.Root(), s.Size)
	}
	if err != nil {
		return 0, err
	}
	labels, err := s.labels(ctx, scout)
	if err != nil {
		return 0, err
	}
	s.tell(Printing, 0)
	if s.JSON {
		if err := scout.beginJSON(w); err != nil {
			return 0, err
		}
	}
	start := func() (func(piece) listed, error) {
		l, err := s.New(labels)
		if err != nil {
			return nil, err
		}
		return func(p piece) listed { return s.list(l, labels, p) }, nil
	}
	err = inorder.Run(s.Workers, s.pieces(scout), start, func(r listed, pending bool) error {
		findings += r.findings
		for _, x := range r.reports {
			s.Report(x.addr, x.text)
		}
		if err := cmp.Or(r.err, ctx.Err()); err != nil {
			return err
		}
		_, err := w.Write(r.text.Bytes())
		s.texts.Put(r.text)
		s.tell(Printing, r.to)
		if err == nil && s.Pipe != nil && !pending {
			err = w.Flush()
		}
		return err
	})
	if err != nil {
		return findings, err
	}
	if s.JSON {
		fmt.Fprint(w, endJSON)
	}
	return findings, w.Flush()
}

func (s *Stream) tell(what string, to int64) {
	if s.Progress != nil {
		s.Progress(what, to/8, s.Size)
	}
}

// list prints a piece.
func (s *Stream) list(l *Listing, labels *program.Labels, p piece) (r listed) {
	if p.err != nil {
		r.err = p.err
		return r
	}
	r.to, l.Image, l.to, l.labels = p.to, p.image, p.to, labels
	l.prepare()
	if s.Report != nil {
		l.Report = func(addr int64, text string) { r.reports = append(r.reports, report{addr, text}) }
	}
	var ok bool
	if r.text, ok = s.texts.Get().(*bytes.Buffer); !ok {
		r.text = &bytes.Buffer{}
	}
	r.text.Reset()
	w := bufio.NewWriterSize(r.text, 64<<10)
	write := l.write
	if s.JSON {
		write = l.writeJSON
	}
	r.findings, r.err = write(w, labels, p.image.Start == 0)
	if err := w.Flush(); r.err == nil {
		r.err = err
	}
	return r
}

// labels returns the labels of all pieces, or nil for a bare listing.
func (s *Stream) labels(ctx context.Context, scout *Listing) (*program.Labels, error) {
	switch {
	case scout.Bare:
		return nil, nil
	case s.Pipe != nil:
		return program.EntryLabels(math.MaxInt64, scout.Unit(), s.Entries), nil
	case s.Unlabelled:
		return program.EntryLabels(8*s.Size, scout.Unit(), s.Entries), nil
	}
	labels := scout.newLabels(8*s.Size, s.Entries)
	start := func() (func(piece) piece, error) {
		l, err := s.New(nil)
		return func(p piece) piece {
			if p.err == nil {
				l.Image, l.to = p.image, p.to
				l.addLabels(labels)
			}
			return p
		}, err
	}
	err := inorder.Run(s.Workers, s.pieces(scout), start, func(p piece, _ bool) error {
		s.tell(Labelling, p.to)
		return cmp.Or(p.err, ctx.Err())
	})
	return labels, err
}

// pieces divides the code at the starts of instructions. If instructions have several lengths, scout finds these
// places.
func (s *Stream) pieces(scout *Listing) iter.Seq[piece] {
	if s.Pipe != nil {
		return s.piped(scout)
	}
	root := scout.Decoder.Root()
	unit := int64(root.StoredSize(root.MinSize))
	length := 8 * s.pieceBytes() / unit * unit
	return func(yield func(piece) bool) {
		for from := int64(0); from < 8*s.Size; {
			p := s.piece(root, from, from+length)
			if p.err == nil && root.MinSize != root.Size {
				scout.Image, scout.to = p.image, p.to
				p.to = scout.end()
			}
			if !yield(p) || p.err != nil {
				return
			}
			from = p.to
		}
	}
}

// piped divides the data of a pipe into pieces, each of which ends after a complete instruction.
func (s *Stream) piped(scout *Listing) iter.Seq[piece] {
	root := scout.Decoder.Root()
	unit, longest := int64(root.StoredSize(root.MinSize))/8, int64(root.StoredSize(root.Size))/8
	return func(yield func(piece) bool) {
		var data []byte
		buf := make([]byte, s.pieceBytes())
		for from, end := int64(0), false; !end; {
			n, err := s.Pipe.Read(buf)
			data = append(data, buf[:n]...)
			if end = err == io.EOF; err != nil && !end {
				yield(piece{err: fmt.Errorf("byte 0x%x of the code: %w", from/8+int64(len(data)), err)})
				return
			}
			have := int64(len(data))
			whole := have - have%int64(root.WordSize/8)
			to := max(0, whole-longest+unit) / unit * unit // an instruction that starts before it is complete
			var partial error
			if end {
				if to = whole; s.Partial {
					s.Rest = data[whole:]
				} else {
					partial = program.WholeWords(root, from/8+have)
				}
			}
			if to > 0 {
				im, _ := program.Raw(root, data[:whole]) // whole words
				p := piece{image: im, to: from + 8*to}
				if im.Start, im.Entries = from, s.Entries; root.MinSize != root.Size {
					scout.Image, scout.to = p.image, p.to
					p.to = scout.end()
				}
				if !yield(p) {
					return
				}
				data, from = slices.Clone(data[(p.to-from)/8:]), p.to
			}
			if partial != nil && !yield(piece{err: partial}) {
				return
			}
		}
	}
}

// piece reads the code between two addresses in bits, and enough of the following code to complete an instruction that
// starts before to.
func (s *Stream) piece(root *isa.Root, from, to int64) piece {
	to = min(to, 8*s.Size)
	data := make([]byte, min(to+bits.Size, 8*s.Size)/8-from/8)
	if _, err := io.ReadFull(io.NewSectionReader(s.In, from/8, int64(len(data))), data); err != nil {
		return piece{err: fmt.Errorf("byte 0x%x of the code: %w", from/8, err)}
	}
	im, err := program.Raw(root, data)
	if err != nil {
		return piece{err: err}
	}
	im.Start, im.Entries = from, s.Entries
	return piece{image: im, to: to}
}
