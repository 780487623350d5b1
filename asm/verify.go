package asm

import "slices"

// Text is read in spellings that are never printed: numbers with another radix, with leading zeros
// or a sign; blanks that are missing or too many beside punctuation; aliases. Where a template can
// be split in several ways, such freedom can make of printed text something else than what printed
// it. Text in which every piece stands as it is printed is safe: what was read of it prints it.

// maxSplits bounds the ways to read a line that are printed back.
const maxSplits = 64

// verify makes sure of a text of which some piece was not read as it is printed: if there is a way
// to read all of it as it is printed, that is the one. Otherwise the first way stands.
func (p *Parser) verify() {
	if !p.mayPrintBack() {
		return
	}
	p.first.copy(&p.finding)
	if p.ways(true, func() bool { return true }) {
		return
	}
	p.takeFirst()
	p.noncanonical = true
}

// mayPrintBack reports whether there may be another way to read the text than the one that was found, with every piece as
// it is printed. It would part from that one at a way left open, before any piece that is not; or it starts otherwise.
// Where nothing was read but leniently, all ways were tried.
func (m *matcher) mayPrintBack() bool {
	if m.allowAliases {
		return false
	}
	for i := range m.choices {
		if !m.choices[i].noncanonical {
			return true
		}
	}
	tried := len(m.roots)
	starts, complete := m.startsFor(nil)
	return !complete || len(starts) > tried
}

// finding is what was found of a line: what its text gives and what is left to be given.
type finding struct {
	spaces     [maxSpaces]space
	nspaces    int
	scopes     []scope
	leafScopes []leafScope
	// off is how far the floats that were read are from what was written.
	off float64
	// named tells that a label was read.
	named bool
}

// copy makes a finding what another is.
func (f *finding) copy(x *finding) {
	scopes, leafScopes := append(f.scopes[:0], x.scopes...), append(f.leafScopes[:0], x.leafScopes...)
	*f = *x
	f.scopes, f.leafScopes = scopes, leafScopes
}

// ways goes through the ways to read the text, those that print it alone if strict, until done returns true, and reports
// whether it has.
func (p *Parser) ways(strict bool, done func() bool) bool {
	p.strict, p.allowAliases = strict, false
	defer func() { p.strict = false }()
	starts, complete := p.startsFor(nil)
	if !complete {
		starts = append(slices.Clone(starts), p.ready(p.top).start)
	}
	for _, start := range starts {
		ok := p.from(start)
		for n := 0; ok; n++ {
			if (!strict || p.printsBack()) && done() {
				return true
			}
			ok = n < maxSplits && p.resume(false)
		}
	}
	return false
}

// nearest looks for the way to read a text in which its floats come nearest to what was written, of
// equally near ways the first. One was found that is not exact.
func (p *Parser) nearest() {
	best, any := p.off, false
	p.first.copy(&p.finding)
	p.ways(!p.noncanonical, func() bool {
		if p.off < best || p.off == best && !any {
			best, any = p.off, true
			p.first.copy(&p.finding)
		}
		return false
	})
	p.takeFirst()
}

// takeFirst makes the first finding that of the line.
func (p *Parser) takeFirst() {
	p.finding.copy(&p.first)
	p.trail = p.trail[:0]
	p.unspent()
}

// printsBack reports whether what was read prints as the text. Labels are not compared: their names
// are the caller's.
func (p *Parser) printsBack() bool {
	spaces, trail := p.spaces, len(p.trail)
	p.lastDefaults()
	leaf := p.leaves[p.leafScopes[len(p.leafScopes)-1].leaf.Leaf.ID]
	in, _ := p.entriesAlone(leaf)
	p.spaces, p.trail = spaces, p.trail[:trail]
	d := p.decoder
	back, ok := d.Decode(in.Bits)
	if !ok || back.Leaf != leaf {
		return false
	}
	p.scalar = d.Append(p.scalar[:0], back)
	n := p.collapse(p.scalar, nil, p.scalar)
	if n > 0 && p.scalar[n-1] == ' ' {
		n--
	}
	return p.named || string(p.scalar[:n]) == string(p.src)
}
