package program

import (
	"maps"
	"slices"

	"github.com/isago/isago/diag"
)

// Reader reads the statements of a program one at a time, for a caller that keeps what each statement has become and
// reads only some of them again. A program needs a first pass, and further passes until no label moves. Each pass reads
// the statements that depend on their place or on names, and skips the others.
type Reader struct{ a *assembler }

// Read is what a statement has become.
type Read struct {
	// Off is the offset in the statement at which its labels end.
	Off int
	// Words are its instruction or data, without places.
	Words []Word
	// Size is the number of bits by which the address of the next statement is higher.
	Size int64
	// Settled reports that the statement is the same at every place, whatever names are defined.
	Settled bool
	// Named reports that the statement uses a label. Passes other than the first find all labels.
	Named bool
	// Bad reports that the statement could not be read. Further passes read only its labels.
	Bad bool
	// Errors are the mistakes.
	Errors diag.List
	// Labeled reports that the statement defines labels, and Directive that it is a directive other than .word.
	Labeled, Directive bool
}

// NewReader returns a reader for the statements of a source. The parser of the assembler belongs to the reader until
// Close.
func (a *Assembler) NewReader(src *Text) *Reader {
	r := &Reader{a: newAssembler(a, src)}
	r.a.unfiltered = true
	return r
}

// Close removes the hooks from the parser.
func (r *Reader) Close() { r.a.close() }

// Declare notes the labels of a statement, which statements before it may use.
func (r *Reader) Declare(text string) { r.a.scan(text) }

// Start begins a pass.
func (r *Reader) Start(first bool) { r.a.start(first) }

// Resume prepares to read a single statement of a source that has changed, at an address in bits. All labels are known.
func (r *Reader) Resume(src *Text, addr int64) {
	r.a.src, r.a.first, r.a.single, r.a.addr = src, false, true, addr
	clear(r.a.whole)
}

// Skip moves on by so many bits.
func (r *Reader) Skip(size int64) { r.a.addr += size }

// Moved reports whether a label of the pass has another address than in the pass before.
func (r *Reader) Moved() bool { return r.a.moved }

// Sets reports whether .set has named values, which mean something from there on.
func (r *Reader) Sets() bool { return len(r.a.names)+len(r.a.failed) > 0 }

// DirectiveNames returns the names of the directives, sorted.
func DirectiveNames() []string {
	return append(slices.Sorted(maps.Keys(directives)), ".word")
}

// CutLabel cuts a label off the start of a text. It returns the text after the label and its colon. If there is no
// label, ok is false and rest is the text without blanks at its start.
func CutLabel(text string) (name, rest string, ok bool) { return cutLabel(text) }

// Order returns the order of bytes that the source asks for.
func (r *Reader) Order() Order { return r.a.code.Order }

// Labels calls yield for each label, with its address in bits and the offset of its definition.
func (r *Reader) Labels(yield func(name string, addr, off int64)) {
	for name, l := range r.a.labels {
		yield(name, l.addr, l.off)
	}
}

// Read reads a statement. bad reports whether the first pass could not read it.
func (r *Reader) Read(s Statement, bad bool) Read {
	a := r.a
	before, labels := a.addr, a.labeled
	a.asked, a.found, a.wrong, a.words, a.errs = false, false, false, a.words[:0], nil
	kind := a.statement(s, &ahead{}, bad)
	x := Read{Off: int(a.begin - s.Off), Size: a.addr - before, Settled: !a.asked, Named: a.found, Bad: a.wrong, Errors: a.errs, Labeled: a.labeled > labels, Directive: kind == aDirective}
	if len(a.words) > 0 {
		x.Words = slices.Clone(a.words)
	}
	return x
}
