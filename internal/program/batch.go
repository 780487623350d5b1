package program

import (
	"sort"
	"sync"

	"github.com/isago/isago/internal/inorder"
)

// Statement is a piece of a source that is assembled by itself: labels, and at most an instruction
// or a directive.
type Statement struct {
	// Off is where Text stands in the source, byte for byte but for blanks in place of comments.
	Off  int64
	Text string
}

// Statements are those of a source, in their order.
type Statements struct {
	text  *Text
	lexis *Lexis
	list  []Statement
}

// Split returns the statements of a text, which are found when they are needed.
func (t *Text) Split(l *Lexis) *Statements {
	t.ends = l.ends
	return &Statements{text: t, lexis: l}
}

// Listed returns statements that were found before.
func Listed(list []Statement) *Statements { return &Statements{list: list} }

// At returns the statement that starts at an offset of the source and has so many bytes.
func (s *Statements) At(src *Text, off int64, size int) Statement {
	if s.text != nil {
		return Statement{off, src.View(off, off+int64(size))}
	}
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].Off >= off })
	return s.list[i]
}

// Len returns the number of statements of Listed, or 0 for those of a text.
func (s *Statements) Len() int { return len(s.list) }

// Batch is some statements that stand one after another.
type Batch[R any] struct {
	Statements []Statement
	// Ahead has what each was read as; it is empty where nothing is read ahead.
	Ahead []R
	// Open is where a comment starts that has no end, -1 for none.
	Open int64
}

// job is what a batch is made of: a window, or statements.
type job struct {
	window window
	list   []Statement
}

// listedSize is the number of statements of a batch that come from a list.
const listedSize = 2 << 10

// Each calls take with each batch of statements, in order, on the goroutine of the caller. Where there is more than
// one, and more than one worker, each worker has a goroutine with a read function of its own, made by start, that
// reads statements ahead. Batches are used again. The first error of take ends it, and is returned.
func Each[R any](s *Statements, workers int, start func() (read func(Statement) R, err error), take func(*Batch[R]) error) error {
	jobs := jobReader{s: s}
	if workers < 2 || !jobs.several() {
		var b Batch[R]
		for j := range jobs.all {
			b.fill(s, &j)
			if err := take(&b); err != nil {
				return err
			}
		}
		return jobs.err
	}
	used := sync.Pool{New: func() any { return new(Batch[R]) }}
	worker := func() (func(job) *Batch[R], error) {
		read, err := start()
		return func(j job) *Batch[R] {
			b := used.Get().(*Batch[R])
			b.fill(s, &j)
			for _, x := range b.Statements {
				b.Ahead = append(b.Ahead, read(x))
			}
			return b
		}, err
	}
	err := inorder.Run(workers, jobs.all, worker, func(b *Batch[R], _ bool) error {
		err := take(b)
		used.Put(b)
		return err
	})
	if err == nil {
		err = jobs.err
	}
	return err
}

// fill puts the statements of a job into a batch.
func (b *Batch[R]) fill(s *Statements, j *job) {
	b.Statements, b.Ahead, b.Open = b.Statements[:0], b.Ahead[:0], -1
	if s.text == nil {
		b.Statements = j.list
		return
	}
	base := j.window.base + int64(j.window.from)
	open := s.lexis.Split(j.window.text(), func(off int, text string) bool {
		b.Statements = append(b.Statements, Statement{base + int64(off), text})
		return true
	})
	if open >= 0 {
		b.Open = base + int64(open)
	}
}

// jobReader yields the jobs of a source.
type jobReader struct {
	s   *Statements
	err error
}

func (r *jobReader) all(yield func(job) bool) {
	if t := r.s.text; t != nil {
		windows := windowReader{t: t}
		windows.all(func(w window) bool { return yield(job{window: w}) })
		r.err = windows.err
		return
	}
	for list := r.s.list; len(list) > 0; {
		n := min(listedSize, len(list))
		if !yield(job{list: list[:n]}) {
			return
		}
		list = list[n:]
	}
}

// several reports whether there is more than one job.
func (r *jobReader) several() bool {
	t := r.s.text
	if t == nil {
		return len(r.s.list) > listedSize
	}
	_, ok, err := t.window(0)
	return ok && err == nil && t.starts[1].off < t.size
}
