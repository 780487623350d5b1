package asm

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// maxSwaps limits the number of texts that are tried for one error.
const maxSwaps = 64

// swapped improves the error of a line in which two sources are in the wrong order. If the line can be parsed with the
// sources swapped, the new message names the position at which the misplaced source is allowed.
func (p *Parser) swapped(e *Error, line []byte) {
	if e.Code != diag.TextExpected || len(e.Candidates) == 0 || e.Off >= len(line) {
		return
	}
	line = slices.Clone(line)
	starts, ends := pieces(line)
	at, tries := slices.Index(starts, e.Off), 0
	if at < 0 {
		return
	}
	// try swaps the pieces a to b-1 with the pieces b to c-1. second reports whether the second group is the misplaced
	// one.
	try := func(a, b, c int, second bool) bool {
		if tries++; tries > maxSwaps {
			return false
		}
		first, last := line[starts[a]:ends[b-1]], line[starts[b]:ends[c-1]]
		text := string(slices.Concat(line[:starts[a]], last, line[ends[b-1]:starts[b]], first, line[ends[c-1]:]))
		wrong := first
		if second {
			wrong = last
		}
		place, printed, ok := p.inOrder(text, string(last), string(first))
		if !ok {
			return false
		}
		if !second {
			place++
		}
		e.Msg = fmt.Sprintf("%s can only be the %s source: write %q if the order does not matter, or copy it into a register first", wrong, ordinal(place), printed)
		e.Candidates = nil
		return true
	}
	for end := len(ends); end > at; end-- {
		for from := at - 1; from > 0; from-- {
			if try(from, at, end, true) {
				return
			}
		}
	}
	for middle := at + 1; middle < len(starts); middle++ {
		for end := len(ends); end > middle; end-- {
			if try(at, middle, end, false) {
				return
			}
		}
	}
}

// pieces returns the starts and ends of the pieces of a line, which blanks, commas and parentheses separate.
func pieces(line []byte) (starts, ends []int) {
	inside := false
	for i := range line {
		divides := bytes.IndexByte([]byte(" \t,()"), line[i]) >= 0
		switch {
		case inside && divides:
			ends = append(ends, i)
		case !inside && !divides:
			starts = append(starts, i)
		}
		inside = !divides
	}
	if inside {
		ends = append(ends, len(line))
	}
	return starts, ends
}

// inOrder parses a text in which the operands first and second are adjacent. It returns the number of first among the
// sources, counted from 1, and the printed text. ok is false if the text is not an instruction, or if the two operands
// are not both sources.
func (p *Parser) inOrder(text, first, second string) (place int, printed []byte, ok bool) {
	res, ok := p.Try(text)
	if !ok {
		return 0, nil, false
	}
	d, in := p.decoderOf(&res)
	printed, operands := d.AppendOperands(nil, nil, in)
	operands = slices.DeleteFunc(operands, func(o isa.Operand) bool {
		return o.Kind == isa.ConditionOperand || o.Kind == isa.ModifierOperand || o.Register.File != nil && o.Register.File.Use == "condition"
	})
	is := func(o *isa.Operand, text string) bool {
		return o.Role == isa.Read && p.fold(string(printed[o.Start:o.End])) == p.fold(text)
	}
	for i := range operands {
		if operands[i].Role == isa.Read {
			place++
		}
		if i+1 < len(operands) && is(&operands[i], first) && is(&operands[i+1], second) {
			return place, printed, true
		}
	}
	return 0, nil, false
}

// ordinal returns "first" for 1, "second" for 2, and so on.
func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth"}
	if n <= len(names) {
		return names[n-1]
	}
	return fmt.Sprintf("%dth", n)
}
