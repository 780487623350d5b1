package asm

import (
	"bytes"
	"errors"

	"github.com/isago/isago/internal/diag"
)

// maxMarks bounds how often what starts a comment can stand in the text of an instruction.
const maxMarks = 16

var errSilent = errors.New("no instruction")

// commentIn returns the place of what starts a comment in a line, -1 if there is none.
func (p *Parser) commentIn(line []byte) (at int) {
	for size := len(p.Comment); ; at++ {
		i := bytes.IndexByte(line[at:], p.Comment[0])
		if at += i; i < 0 || at+size > len(line) {
			return -1
		}
		if string(line[at:at+size]) == p.Comment {
			return at
		}
	}
}

// commented reads a line in which what starts a comment stands first at byte first. Where a text of
// the machine can have it in it, the longest part of the line that is an instruction counts: what is
// printed is then read as it was meant, whatever stands behind it.
func (p *Parser) commented(line []byte, first int) (Result, error) {
	if p.Custom == nil && !p.set.Prints(p.Comment) {
		return p.uncommented(line[:first])
	}
	ends := []int{}
	for at := first; len(ends) < maxMarks; {
		ends = append(ends, at)
		at += len(p.Comment)
		next := p.commentIn(line[at:])
		if next < 0 {
			break
		}
		at += next
	}
	ends = append(ends, len(line))
	before := p.silent
	defer func() { p.silent = before }()
	p.silent = true
	for i := len(ends) - 1; i >= 0; i-- {
		res, err := p.uncommented(line[:ends[i]])
		var e *Error
		if err == nil || errors.As(err, &e) && e.Code == diag.TableFull { // which is no question of the text
			return res, err
		}
	}
	if p.silent = before; p.silent {
		return Result{}, errSilent
	}
	return p.commentedError(line, first)
}

// commentedError is the error for a line of which no part is an instruction: that of the part which
// comes furthest.
func (p *Parser) commentedError(line []byte, first int) (Result, error) {
	_, short := p.uncommented(line[:first])
	_, long := p.uncommented(line)
	var s, l *Error
	if errors.As(short, &s) && errors.As(long, &l) && l.Off > s.Off && l.Off < first+len(p.Comment) {
		return Result{}, long
	}
	return Result{}, short
}
