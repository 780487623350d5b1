// Package source reads source: it assembles whole files, and keeps a file as a document that can be changed and asked,
// for editors and other tools: what is wrong, what a statement became, what a name means, what is possible at a place.
// Both use the same reader, which reads a statement again only if it depends on labels, names or addresses. A document
// also reads again what has changed.
//
// The language is the generic one: a statement a line, with labels, directives and the instructions of any description
// (docs/assembly.md). Package program divides texts into statements.
package source

import (
	"slices"
	"sort"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
)

// Document is a source file. It is not safe for concurrent use.
type Document struct {
	assembler *Assembler
	lexis     *program.Lexis
	reader    *reader
	src       *diag.Source
	lines     []line
	labels    map[string]place
	storage
	// local reports that a statement without labels and directives affects no other statement of the same size. whole
	// are mistakes of the program as a whole.
	local bool
	whole diag.List
	read  int // the number of statements that the last change has read
}

// line is a line of the source with its statement.
type line struct {
	start, end int   // in the source, without the end of the line
	begin      int   // the offset in the line at which the labels end
	addr       int64 // in bits
	// known is set once the statement has been read. at is its index in the storage.
	known bool
	item
	at int
}

// place is the definition of a label: its address in bits, its line, and its offset in the line.
type place struct {
	addr         int64
	line, column int
}

// Open returns a document for a source. The document uses the parser of the assembler until Close.
func Open(a *Assembler, name, text string) *Document {
	d := &Document{assembler: a, lexis: a.lexis(), src: &diag.Source{Name: name, Text: text}}
	d.lines = split(nil, text, 0)
	d.assemble()
	return d
}

// Close removes the hooks of the document from the parser.
func (d *Document) Close() { d.reader.close() }

// Source returns the current source. It does not change with the document.
func (d *Document) Source() *diag.Source { return d.src }

// split appends the lines of a text that starts at base.
func split(list []line, text string, base int) []line {
	for start := 0; ; {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			return append(list, line{start: base + start, end: base + len(text)})
		}
		list = append(list, line{start: base + start, end: base + start + n})
		start += n + 1
	}
}

// Replace replaces the bytes from from to to with text.
func (d *Document) Replace(from, to int, text string) {
	from = min(max(from, 0), len(d.src.Text))
	to = min(max(to, from), len(d.src.Text))
	first, last := d.Line(from), d.Line(to)
	start, end, by := d.lines[first].start, d.lines[last].end, len(text)-(to-from)
	d.src = &diag.Source{Name: d.src.Name, Text: d.src.Text[:from] + text + d.src.Text[to:]}
	fresh := split(nil, d.src.Text[start:end+by], start)
	for i := last + 1; i < len(d.lines); i++ {
		d.lines[i].start += by
		d.lines[i].end += by
	}
	if len(fresh) == 1 && first == last {
		d.lines[first].end = fresh[0].end
		if d.local && d.alone(first) {
			return
		}
	}
	d.lines = slices.Replace(d.lines, first, last+1, fresh...)
	d.assemble()
}

// Line returns the number of the line that contains the byte at off, counted from 0.
func (d *Document) Line(off int) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i].start > off }) - 1
}

// each calls visit for each line.
func (d *Document) each(visit func(i int, x *item, at int) bool) {
	for i := range d.lines {
		if l := &d.lines[i]; !visit(i, &l.item, l.at) {
			return
		}
	}
}

// statement returns the statement of a line, without its comment.
func (d *Document) statement(i int) program.Statement {
	l := &d.lines[i]
	return program.Statement{Off: int64(l.start), Text: d.lexis.Clean(d.src.Text[l.start:l.end])}
}

// resume prepares the reader for the statement of a line. All labels are known.
func (d *Document) resume(l *line) *reader {
	r := d.reader
	r.src, r.first, r.single, r.addr, r.p.Addr = program.NewText(d.src), false, true, l.addr, l.addr
	clear(r.whole)
	return r
}

// alone reads a line that has changed. It returns false if other lines may depend on the change.
func (d *Document) alone(i int) bool {
	l := &d.lines[i]
	if l.traits != 0 {
		return false
	}
	r, size := d.resume(l), d.size(&l.item, l.at)
	x, at := r.take(d.statement(i), &ahead{})
	if d.size(&x, at) != size || x.traits != 0 || r.found && len(r.errs) > 0 {
		return false
	}
	l.item, l.at, l.begin, d.read = x, at, int(r.begin)-l.start, 1
	return true
}

// assemble reads all statements that have changed or that depend on others.
func (d *Document) assemble() {
	if d.reader != nil {
		d.reader.close()
	}
	old := d.storage
	d.storage = storage{root: d.assembler.Root}
	r := newReader(d.assembler, program.NewText(d.src), &d.storage)
	keeps := func(l *line) bool { return l.known && (l.kind != openKind || old.open[l.at].fixed) }
	for i := range d.lines {
		if !keeps(&d.lines[i]) {
			r.scan(d.statement(i).Text)
		}
	}
	r.start(true)
	for i := range d.lines {
		if l := &d.lines[i]; keeps(l) {
			l.at = r.keep(&old, &l.item, l.at)
		} else {
			l.item, l.at = r.take(d.statement(i), &ahead{})
			l.begin, l.known = int(r.begin)-l.start, true
		}
	}
	d.whole = r.settle(d)
	d.reader, d.read = r, r.count
	d.local = !r.everMoved && len(r.names)+len(r.failed) == 0 && !slices.ContainsFunc(d.open, noted)
	addr := int64(0)
	for i := range d.lines {
		d.lines[i].addr = addr
		addr += d.size(&d.lines[i].item, d.lines[i].at)
	}
	d.labels = map[string]place{}
	for name, at := range r.labels {
		n := d.Line(int(at.off))
		d.labels[name] = place{at.addr, n, int(at.off) - d.lines[n].start}
	}
}

// noted reports whether a mistake of a statement has a note, which is about another statement.
func noted(o openItem) bool {
	return slices.ContainsFunc(o.first, func(e *diag.Error) bool { return len(e.Notes) > 0 })
}

// Diagnostics returns the mistakes of the source in its order, at most as many as asm reports.
func (d *Document) Diagnostics() diag.List {
	list := slices.Clone(d.whole)
	bad := false
	d.each(func(_ int, x *item, at int) bool {
		bad = x.kind == openKind && d.open[at].bad
		return !bad
	})
	for i := range d.lines {
		l := &d.lines[i]
		if l.kind != openKind {
			continue
		}
		o := &d.open[l.at]
		for _, e := range o.mistakes(bad) {
			x, by := *e, l.start-int(o.base)
			x.Span = diag.Span{Src: d.src, Off: e.Span.Off + by, End: e.Span.End + by}
			list = append(list, &x)
		}
	}
	return list.Bounded()
}
