// Package source keeps source files as documents that can be changed and asked, for editors and other tools: what is
// wrong, what a statement became, what a name means, what can stand at a place. A document reads again only what a
// change affects.
//
// The language is the generic one: a statement a line, with labels, directives and the instructions of any description
// (docs/assembly.md). Statements are read by internal/program, which also assembles whole files.
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
	assembler *program.Assembler
	lexis     *program.Lexis
	reader    *program.Reader
	src       *diag.Source
	lines     []line
	labels    map[string]place
	// local reports that a statement without labels and directives affects no other statement of the same size. whole
	// are mistakes of the program as a whole.
	local bool
	whole diag.List
	order program.Order
	read  int // the number of statements read by the last change
}

// line is a line of the source with its statement. Its errors count from its start.
type line struct {
	start, end int // in the source, without the end of the line
	addr       int64
	// known is set once first has been read. first is from the first pass. last is from the last one, unless first is
	// settled.
	known       bool
	first, last program.Read
}

// place is the definition of a label: its address in bits, its line, and its offset in the line.
type place struct {
	addr         int64
	line, column int
}

// Open returns a document for a source. The document uses the parser of the assembler until Close.
func Open(a *program.Assembler, name, text string) *Document {
	d := &Document{assembler: a, lexis: a.Lexis(), src: &diag.Source{Name: name, Text: text}}
	d.lines = split(nil, text, 0)
	d.assemble()
	return d
}

// Close removes the hooks of the document from the parser.
func (d *Document) Close() { d.reader.Close() }

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

// statement returns the statement of a line, without its comment.
func (d *Document) statement(l *line) program.Statement {
	return program.Statement{Off: int64(l.start), Text: d.lexis.Clean(d.src.Text[l.start:l.end])}
}

// alone reads a line that has changed. It returns false if other lines may depend on the change.
func (d *Document) alone(i int) bool {
	l := &d.lines[i]
	old := l.first
	s := d.statement(l)
	if old.Labeled || old.Directive {
		return false
	}
	d.reader.Resume(program.NewText(d.src), l.addr)
	x := d.reader.Read(s, false)
	relative(&x, l.start)
	d.read = 1
	if x.Size != l.final().Size || x.Labeled || x.Directive || x.Named && len(x.Errors) > 0 {
		return false
	}
	l.first, l.last = x, x
	if len(x.Errors) > 0 { // the first pass would have found the mistake
		l.first.Bad, l.last = true, program.Read{Size: x.Size}
	}
	return true
}

// relative makes the errors of a statement count from the start of its line.
func relative(x *program.Read, start int) {
	for _, e := range x.Errors {
		e.Span.Off, e.Span.End = e.Span.Off-start, e.Span.End-start
	}
}

// assemble reads all statements that have changed or that depend on others.
func (d *Document) assemble() {
	if d.reader != nil {
		d.reader.Close()
	}
	d.reader = d.assembler.NewReader(program.NewText(d.src))
	for i := range d.lines {
		if l := &d.lines[i]; !l.known || !l.first.Settled {
			d.reader.Declare(d.statement(l).Text)
		}
	}
	d.read, d.whole = 0, nil
	d.reader.Start(true)
	open, bad := false, false
	for i, addr := 0, int64(0); i < len(d.lines); i++ {
		l := &d.lines[i]
		if l.addr = addr; l.known && l.first.Settled {
			d.reader.Skip(l.first.Size)
		} else {
			l.first, l.known = d.reader.Read(d.statement(l), false), true
			relative(&l.first, l.start)
			d.read++
		}
		addr += l.first.Size
		open, bad = open || !l.first.Settled, bad || l.first.Bad
	}
	d.local = true
	for pass := 1; open; pass++ {
		d.pass()
		moved := d.reader.Moved()
		d.local = d.local && !moved
		if !moved || bad {
			break
		}
		if pass == program.MaxPasses {
			d.whole = diag.List{program.Unstable()}
			break
		}
	}
	d.local = d.local && !d.reader.Sets() && !slices.ContainsFunc(d.lines, noted)
	d.order = d.reader.Order()
	d.labels = map[string]place{}
	d.reader.Labels(func(name string, addr, off int64) {
		l := d.Line(int(off))
		d.labels[name] = place{addr, l, int(off) - d.lines[l].start}
	})
}

// noted reports whether a mistake of a line has a note, which is about another line.
func noted(l line) bool {
	return slices.ContainsFunc(l.first.Errors, func(e *diag.Error) bool { return len(e.Notes) > 0 })
}

// pass reads the statements that depend on names or places again.
func (d *Document) pass() {
	d.reader.Start(false)
	addr := int64(0)
	for i := range d.lines {
		l := &d.lines[i]
		l.addr = addr
		if l.first.Settled {
			d.reader.Skip(l.first.Size)
			addr += l.first.Size
			continue
		}
		l.last = d.reader.Read(d.statement(l), l.first.Bad)
		relative(&l.last, l.start)
		d.read++
		if l.first.Bad {
			d.reader.Skip(l.first.Size)
			l.last.Size = l.first.Size
		}
		addr += l.last.Size
	}
}

// final returns what the statement of a line has become.
func (l *line) final() *program.Read {
	if l.first.Settled {
		return &l.first
	}
	return &l.last
}

// Diagnostics returns the mistakes of the source in its order, at most as many as asm reports.
func (d *Document) Diagnostics() diag.List {
	list := slices.Clone(d.whole)
	bad := slices.ContainsFunc(d.lines, func(l line) bool { return l.first.Bad })
	for i := range d.lines {
		l := &d.lines[i]
		for _, e := range l.first.Errors {
			list = append(list, d.placed(e, l))
		}
		if l.first.Settled {
			continue
		}
		for _, e := range l.last.Errors {
			if !bad || e.Code == diag.TextSymbol { // others may follow from wrong addresses
				list = append(list, d.placed(e, l))
			}
		}
	}
	return list.Bounded()
}

// placed returns an error of a line in the source.
func (d *Document) placed(e *diag.Error, l *line) *diag.Error {
	x := *e
	x.Span = diag.Span{Src: d.src, Off: e.Span.Off + l.start, End: e.Span.End + l.start}
	return &x
}
