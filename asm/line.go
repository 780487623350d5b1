package asm

// Line is an instruction in the words of the machine, of which parts stand for others of its source: a register for a
// name, a number for an expression.
type Line struct {
	// Source is where places count.
	Source string
	// Names stands for all that Text and Note depend on beside Source: where it is the same number, so are they, and
	// the line is remembered with them. 0 forgets it.
	Names uint64
	// Note is the caller's.
	Note Note
	// Text is what is read.
	Text  []byte
	parts []linePart
}

// Note is what a caller wants to know again of a line that is remembered.
type Note [4]uint32

// linePart is Text[from:to], which stands for Source[off:end], or is the same.
type linePart struct {
	from, to, off, end int32
	same               bool
}

// Start begins a line of a source.
func (l *Line) Start(source string) {
	l.Source, l.Text, l.parts, l.Names, l.Note = source, l.Text[:0], l.parts[:0], 0, Note{}
}

// Keep appends Source[off:end].
func (l *Line) Keep(off, end int) {
	from := len(l.Text)
	l.Text = append(l.Text, l.Source[off:end]...)
	if n := len(l.parts) - 1; n >= 0 && l.parts[n].same && int(l.parts[n].to) == from && int(l.parts[n].end) == off {
		l.parts[n].to, l.parts[n].end = int32(len(l.Text)), int32(end)
		return
	}
	l.parts = append(l.parts, linePart{int32(from), int32(len(l.Text)), int32(off), int32(end), true})
}

// Stands says that Text from a byte on stands for Source[off:end].
func (l *Line) Stands(from, off, end int) {
	l.parts = append(l.parts, linePart{int32(from), int32(len(l.Text)), int32(off), int32(end), false})
}

// Known returns what a line that has only a source and its names was read as before, with its note; ok is false where
// it has to be read.
func (p *Parser) Known(l *Line) (res Result, ok bool) {
	if p.memo == nil {
		return res, false
	}
	p.memo.ready(p)
	p.line = append(p.line[:0], l.Source...)
	if !p.remembers() || !p.recall(&p.memo.sources, p.line, l.Names) || p.result(&res) != nil {
		return Result{}, false
	}
	l.Note = p.note
	return res, true
}

// ParseLine is Parse for a line. One with names, of which Known has just been asked, is remembered as it stands in the
// source. An error has its place in the source; where that is a part for which something else stands, it says so.
func (p *Parser) ParseLine(l *Line) (Result, error) {
	p.sourced = l.Names != 0
	res, err := p.ParseBytes(l.Text)
	p.sourced = false
	if e, ok := err.(*Error); ok {
		return res, l.place(e)
	}
	if err == nil && l.Names != 0 && p.remembers() {
		p.line = append(p.line[:0], l.Source...)
		p.learn(&p.memo.sources, p.line, l.Names, l.Note)
	}
	return res, err
}

// place returns an error in the text as one in the source.
func (l *Line) place(e *Error) *Error {
	at := *e
	p := l.part(e.Off)
	if p.same || e.Off < int(p.from) || e.Off >= int(p.to) {
		at.Off = p.sourceOf(e.Off)
		at.End = max(at.Off, l.part(e.End-1).sourceOf(e.End-1)) + 1
		return &at
	}
	at.Off, at.End = int(p.off), int(p.end)
	if is, was := string(l.Text[p.from:p.to]), l.Source[p.off:p.end]; is != was {
		at.Msg += " (" + was + " is " + is + ")"
	}
	return &at
}

// part returns the part that has a byte of the text, or else the next one, or the last.
func (l *Line) part(at int) *linePart {
	for i := range l.parts {
		if at < int(l.parts[i].to) {
			return &l.parts[i]
		}
	}
	if n := len(l.parts); n > 0 {
		return &l.parts[n-1]
	}
	return &linePart{}
}

// sourceOf returns the place in the source of a byte of the text, which the part has or stands beside.
func (p *linePart) sourceOf(at int) int {
	switch {
	case at >= int(p.to):
		return int(p.end)
	case p.same && at > int(p.from):
		return int(p.off-p.from) + at
	}
	return int(p.off)
}
