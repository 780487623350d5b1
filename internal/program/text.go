package program

import (
	"errors"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/diag"
)

// Text is a source that is read in windows, so that memory need not grow with it.
type Text struct {
	// ends reports whether a window may end behind a text, which starts where a window does and consists of
	// whole lines; nil lets each line end one.
	ends func(text string) bool
	// src is the source of a text in memory; others are read from r.
	src  *diag.Source
	name string
	r    io.ReaderAt
	size int64

	mu sync.Mutex
	// starts are those of the windows that are known so far.
	starts []windowStart
	// last is the window in which a place was looked up last.
	last window
}

type windowStart struct {
	off  int64
	line int // lines before it
}

// window is some whole lines of a text: src.Text[from:to].
type window struct {
	// src is the window itself, or all of a text in memory.
	src      *diag.Source
	from, to int
	// base is where src starts in the text.
	base int64
}

// text returns the lines.
func (w *window) text() string { return w.src.Text[w.from:w.to] }

func (w *window) end() int64 { return w.base + int64(w.to) }

// windowSize is the least number of bytes of a window but the last; lines up to maxShortLine need no second look
// at where one ends.
const (
	windowSize   = 64 << 10
	maxShortLine = 4 << 10
)

// NewText returns a source in memory.
func NewText(src *diag.Source) *Text { return PartOf(src, 0, len(src.Text)) }

// PartOf returns src.Text[from:to] as a text. Places count from the start of src.
func PartOf(src *diag.Source, from, to int) *Text {
	return &Text{src: src, name: src.Name, size: int64(to), starts: []windowStart{{off: int64(from)}}}
}

// OpenText returns a source of size bytes that is read when it is needed.
func OpenText(name string, r io.ReaderAt, size int64) *Text {
	return &Text{name: name, r: r, size: size, starts: []windowStart{{}}}
}

// Name is how errors name the source.
func (t *Text) Name() string { return t.name }

// Whole returns the source as a whole, in memory.
func (t *Text) Whole() (*diag.Source, error) {
	if t.src == nil {
		text, err := t.read(0, t.size)
		if err != nil {
			return nil, err
		}
		t.src = &diag.Source{Name: t.name, Text: text}
	}
	return t.src, nil
}

// Head returns as much of the start as that, or all there is.
func (t *Text) Head(n int) (string, error) {
	from := t.starts[0].off
	to := min(from+int64(n), t.size)
	if t.src != nil {
		return t.src.Text[from:to], nil
	}
	return t.read(from, to)
}

// read reads text[from:to].
func (t *Text) read(from, to int64) (string, error) {
	var b strings.Builder
	b.Grow(int(to - from))
	_, err := io.CopyN(&b, io.NewSectionReader(t.r, from, to-from), to-from)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the file has become shorter
	}
	return b.String(), err
}

// window returns the window with a number; ok is false behind the last. All those before it are known.
func (t *Text) window(i int) (w window, ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	start := t.starts[i]
	if start.off >= t.size {
		return w, false, nil
	}
	if t.src != nil {
		w = window{src: t.src, from: int(start.off)}
		w.to = int(start.off) + t.cut(t.src.Text[start.off:t.size])
	} else if w, err = t.load(start); err != nil {
		return w, false, err
	}
	if i+1 == len(t.starts) {
		t.starts = append(t.starts, windowStart{w.end(), start.line + strings.Count(w.text(), "\n")})
	}
	return w, true, nil
}

// load reads a window.
func (t *Text) load(start windowStart) (window, error) {
	for size := int64(windowSize); ; size *= 2 {
		end := min(start.off+size+maxShortLine, t.size)
		text, err := t.read(start.off, end)
		if err != nil {
			return window{}, err
		}
		n := t.cut(text)
		if n == len(text) && end < t.size {
			continue // there is no telling where it ends
		}
		return window{src: &diag.Source{Name: t.name, Text: text[:n], Before: start.line}, to: n, base: start.off}, nil
	}
}

// cut returns where the window ends that starts with text, len(text) where it takes all of it.
func (t *Text) cut(text string) int {
	for size := windowSize; size < len(text); size *= 2 {
		n := strings.IndexByte(text[size:], '\n')
		if n < 0 {
			break
		}
		if end := size + n + 1; t.ends == nil || t.ends(text[:end]) {
			return end
		}
	}
	return len(text)
}

// Span is text[from:to], within a line; from is in a window that is known.
func (t *Text) Span(from, to int64) diag.Span {
	w := t.at(from)
	return diag.Span{Src: w.src, Off: int(from - w.base), End: int(to - w.base)}
}

// Error places a mistake in the text at off, an *asm.Error, in the source.
func (t *Text) Error(err error, off int64) *diag.Error {
	var e *asm.Error
	if !errors.As(err, &e) {
		return diag.Errorf(diag.TextExpected, t.Span(off, off+1), "%v", err)
	}
	return &diag.Error{Code: e.Code, Span: t.Span(off+int64(e.Off), off+int64(e.End)), Msg: e.Msg}
}

// Twice is the mistake of a label that is defined at off and, before that, at old.
func (t *Text) Twice(name string, off, old int64) *diag.Error {
	size := int64(len(name))
	e := diag.Errorf(diag.Duplicate, t.Span(off, off+size), "label %s is defined twice", name)
	return e.With(t.Span(old, old+size), "the other definition")
}

// View returns text[from:to], within a line; from is in a window that is known.
func (t *Text) View(from, to int64) string {
	s := t.Span(from, to)
	return s.Src.Text[s.Off:s.End]
}

// at returns the window in which a place is. One that can no longer be read is empty.
func (t *Text) at(off int64) window {
	if t.src != nil {
		return window{src: t.src}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last.src == nil || off < t.last.base || off >= t.last.end() {
		i := sort.Search(len(t.starts), func(i int) bool { return t.starts[i].off > off }) - 1
		w, err := t.load(t.starts[i])
		if err != nil {
			w = window{src: &diag.Source{Name: t.name, Before: t.starts[i].line}, base: off}
		}
		t.last = w
	}
	return t.last
}

// windowReader reads one window after another.
type windowReader struct {
	t   *Text
	err error
}

func (r *windowReader) all(yield func(window) bool) {
	for i := 0; ; i++ {
		w, ok, err := r.t.window(i)
		if r.err = err; !ok || !yield(w) {
			return
		}
	}
}

// Lines yields the lines of all windows, without what ends them.
func (t *Text) Lines(yield func(line string) bool) error {
	windows := windowReader{t: t}
	for w := range windows.all {
		for line := range strings.Lines(w.text()) {
			if !yield(line) {
				return nil
			}
		}
	}
	return windows.err
}
