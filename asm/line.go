package asm

// Line is an instruction whose text was derived from a source line. Parts of the text replace parts of the source. For
// example, a register replaces a name, or a number replaces an expression.
type Line struct {
	// Source is the source line. The offsets of errors refer to it.
	Source string
	// Text is the text that ParseLine parses.
	Text  []byte
	parts []linePart
	// Text[:kept] corresponds to Source[:done].
	kept, done int
}

// linePart is the part Text[from:to], which replaces Source[off:end]. The text between parts is equal to the source.
type linePart struct{ from, to, off, end int32 }

// Start prepares l for another source line.
func (l *Line) Start(source string) {
	l.Source, l.Text, l.parts, l.kept, l.done = source, l.Text[:0], l.parts[:0], 0, 0
}

// Keep appends the source to Text, from the byte at which the last call of Start, Keep or Replace ended, up to byte to.
func (l *Line) Keep(to int) {
	l.Text = append(l.Text, l.Source[l.done:to]...)
	l.kept, l.done = len(l.Text), to
}

// Replace records that the bytes appended to Text since the last call of Start, Keep or Replace replace the source up to
// byte end.
func (l *Line) Replace(end int) {
	l.parts = append(l.parts, linePart{int32(l.kept), int32(len(l.Text)), int32(l.done), int32(end)})
	l.kept, l.done = len(l.Text), end
}

// ParseLine is like Parse, but for a Line. The offsets of an error refer to the source. If the error is in a replaced
// part, the message also quotes the replacement.
func (p *Parser) ParseLine(l *Line) (Result, error) {
	res, err := p.ParseBytes(l.Text)
	if e, ok := err.(*Error); ok {
		return res, l.place(e)
	}
	return res, err
}

// place returns the error with offsets into the source instead of the text.
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

// part returns the last part that starts at or before a byte of the text. If there is none, it returns an empty part at
// the start.
func (l *Line) part(at int) *linePart {
	for i := len(l.parts) - 1; i >= 0; i-- {
		if p := &l.parts[i]; int(p.from) <= at {
			return p
		}
	}
	return &linePart{}
}

// sourceOf converts an offset of the text to an offset of the source. Offsets in the part become the start of the
// replaced source. Offsets after the part must be before the next part.
func (p *linePart) sourceOf(at int) int {
	if at < int(p.to) {
		return int(p.off)
	}
	return int(p.end-p.to) + at
}
