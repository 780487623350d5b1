package asm

import "slices"

// The parser accepts spellings that are never printed. Examples are aliases, missing or additional blanks next to
// punctuation, and numbers in another radix, with leading zeros or with a sign. A text that one instruction prints may
// therefore also have a reading as another instruction. A reading in which every piece is in printed form is safe,
// because its instruction prints the text.

// maxSplits is the maximum number of further readings that the method readings tries for each first node, after the
// first reading.
const maxSplits = 64

// verify is called if a piece of the text is not in printed form in the reading that was found. If another reading
// prints exactly this text, verify chooses that reading. Otherwise it keeps the reading that was found.
func (p *Parser) verify() {
	if !p.mayPrintBack() {
		return
	}
	p.first.copy(&p.parseState)
	if p.readings(true, func() bool { return true }) {
		return
	}
	p.restoreFirst()
	p.noncanonical = true
}

// mayPrintBack reports whether another reading may have all pieces in printed form. Such a reading branches off at a
// saved choice before the first piece that is not in printed form, or it starts with another template. If aliases are
// allowed, run has already tried all other readings.
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

// parseState is the result of a reading: the bits that the text specifies, and the scopes that later steps need.
type parseState struct {
	spaces     [maxSpaces]space
	nspaces    int
	scopes     []scope
	leafScopes []leafScope
	// off is the sum of the rounding errors of the floats that were read.
	off float64
	// named reports whether a label was read.
	named bool
	// trace lists the pieces of the text in their order, if the matcher records them.
	trace []piece
}

// copy sets f to a copy of x.
func (f *parseState) copy(x *parseState) {
	scopes, leafScopes, trace := append(f.scopes[:0], x.scopes...), append(f.leafScopes[:0], x.leafScopes...), append(f.trace[:0], x.trace...)
	*f = *x
	f.scopes, f.leafScopes, f.trace = scopes, leafScopes, trace
}

// readings calls done for each reading of the text until done returns true, and reports whether done returned true. If
// strict, it skips the readings that do not print exactly this text.
func (p *Parser) readings(strict bool, done func() bool) bool {
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

// nearest chooses the reading whose floats are nearest to the numbers in the text. If several readings are equally
// near, it chooses the first one. It is called when the reading that was found has a rounding error.
func (p *Parser) nearest() {
	best, any := p.off, false
	p.first.copy(&p.parseState)
	p.readings(!p.noncanonical, func() bool {
		if p.off < best || p.off == best && !any {
			best, any = p.off, true
			p.first.copy(&p.parseState)
		}
		return false
	})
	p.restoreFirst()
}

// restoreFirst restores the saved reading.
func (p *Parser) restoreFirst() {
	p.parseState.copy(&p.first)
	p.trail = p.trail[:0]
	p.resetWork()
}

// printsBack reports whether the reading prints exactly the text. For a line with labels, it does not compare the text,
// because the decoder has no labels.
func (p *Parser) printsBack() bool {
	spaces, trail := p.spaces, len(p.trail)
	p.lastDefaults()
	leaf := p.leaves[p.leafScopes[len(p.leafScopes)-1].leaf.Leaf.ID]
	in, _ := p.withEntries(leaf)
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
