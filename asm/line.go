package asm

// Line is an instruction in the words of the machine, of which parts stand for others of its source: a register for a
// name, a number for an expression.
type Line struct {
	// Source is where places count.
	Source string
	// Text is what is read.
	Text  []byte
	parts []linePart
	// Text[:kept] stands for Source[:done].
	kept, done int
}

// linePart is Text[from:to], which stands for Source[off:end]. What is between parts is as in the source.
type linePart struct{ from, to, off, end int32 }

// Start begins a line of a source.
func (l *Line) Start(source string) {
	l.Source, l.Text, l.parts, l.kept, l.done = source, l.Text[:0], l.parts[:0], 0, 0
}

// Keep takes over the source up to a byte.
func (l *Line) Keep(to int) {
	l.Text = append(l.Text, l.Source[l.done:to]...)
	l.kept, l.done = len(l.Text), to
}

// Stand says that what was appended to Text since the last call stands for the source up to a byte.
func (l *Line) Stand(end int) {
	l.parts = append(l.parts, linePart{int32(l.kept), int32(len(l.Text)), int32(l.done), int32(end)})
	l.kept, l.done = len(l.Text), end
}

// ParseLine is Parse for a line. An error has its place in the source; where that is a part for which something else
// stands, it says so.
func (p *Parser) ParseLine(l *Line) (Result, error) {
	res, err := p.ParseBytes(l.Text)
	if e, ok := err.(*Error); ok {
		return res, l.place(e)
	}
	return res, err
}

// place returns an error in the text as one in the source.
func (l *Line) place(e *Error) *Error {
	at := *e
	p := l.part(e.Off)
	if e.Off >= int(p.to) {
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

// part returns the last part that starts at a byte of the text or before.
func (l *Line) part(at int) *linePart {
	for i := len(l.parts) - 1; i >= 0; i-- {
		if p := &l.parts[i]; int(p.from) <= at {
			return p
		}
	}
	return &linePart{}
}

// sourceOf returns the place in the source of a byte of the text, which is in the part or behind it.
func (p *linePart) sourceOf(at int) int {
	if at < int(p.to) {
		return int(p.off)
	}
	return int(p.end-p.to) + at
}
