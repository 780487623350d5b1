package asm

// Text is read in spellings that are never printed: numbers with another radix, with leading zeros
// or a sign; blanks that are missing or too many beside punctuation; aliases. Where a template can
// be split in several ways, such freedom can make of printed text something else than what printed
// it. Text in which every piece stands as it is printed is safe: what was read of it prints it.

// maxSplits bounds the ways to read a line that are printed back.
const maxSplits = 64

// verify makes sure of a text of which some piece was not read as it is printed: if there is a way
// to read all of it as it is printed, that is the one. Otherwise the first way stands.
func (p *Parser) verify() {
	if p.exactly() {
		return
	}
	p.run()
}

// exactly reads the text as what prints it, and nothing else.
func (p *Parser) exactly() bool {
	p.strict, p.effort = true, fully
	defer func() { p.strict = false }()
	starts, complete := p.startsFor()
	for _, start := range starts {
		if p.exactlyFrom(start) {
			return true
		}
	}
	return !complete && p.exactlyFrom(p.top.start)
}

func (p *Parser) exactlyFrom(start *node) bool {
	ok := p.from(start)
	for n := 0; ok && !p.printsBack(); n++ {
		ok = n < maxSplits && p.resume(false)
	}
	return ok
}

// printsBack tells whether what was read prints as the text. Labels are not compared: their names
// are the caller's.
func (p *Parser) printsBack() bool {
	spaces, trail := p.spaces, len(p.trail)
	p.defaults()
	leaf := p.leaves[p.units[len(p.units)-1].unit.Leaf.ID]
	in, _ := p.entriesAlone(leaf)
	p.spaces, p.trail = spaces, p.trail[:trail]
	d := p.decoder
	back, ok := d.Decode(in.Bits)
	if !ok || back.Leaf != leaf {
		return false
	}
	p.scalar = p.collapse(d.Append(p.scalar[:0], back))
	return p.named || string(p.scalar) == string(p.src)
}

// collapse folds a text, and makes every run of blanks one, in place.
func (p *Parser) collapse(text []byte) []byte {
	n, blank := 0, true
	for _, c := range text {
		c = p.folds[c]
		if c == ' ' && blank {
			continue
		}
		blank = c == ' '
		text[n] = c
		n++
	}
	if n > 0 && blank {
		n--
	}
	return text[:n]
}
