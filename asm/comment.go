package asm

import (
	"bytes"
	"errors"

	"github.com/isago/isago/diag"
)

// maxCommentMarks limits the number of comment marks of a line at which the parser tries to end the instruction.
const maxCommentMarks = 16

// errSilent is the error of a silent parser. It has no reason, because a silent parser does not search for one.
var errSilent = errors.New("no instruction")

// commentIn returns the offset of the first comment mark in a line, or -1 if there is none.
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

// commented parses a line whose first comment mark is at byte first. If instructions can contain the mark, it parses
// the longest prefix of the line that is an instruction. It therefore parses a printed text that contains the mark in
// full, whatever comment follows.
func (p *Parser) commented(line []byte, first int) (Result, error) {
	if p.Custom == nil && !p.set.MayPrint(p.Comment) {
		return p.uncommented(line[:first])
	}
	ends := []int{}
	for at := first; len(ends) < maxCommentMarks; {
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
		if err == nil || errors.As(err, &e) && e.Code == diag.TableFull { // the text itself is valid
			return res, err
		}
	}
	if p.silent = before; p.silent {
		return Result{}, errSilent
	}
	return p.commentedError(line, first)
}

// commentedError returns the error for a line that contains a comment mark but no instruction. Usually it returns the
// error of the text before the first mark. If the error of the whole line is further right, but before the end of the
// mark, it returns that error.
func (p *Parser) commentedError(line []byte, first int) (Result, error) {
	_, short := p.uncommented(line[:first])
	_, long := p.uncommented(line)
	var s, l *Error
	if errors.As(short, &s) && errors.As(long, &l) && l.Off > s.Off && l.Off < first+len(p.Comment) {
		return Result{}, long
	}
	return Result{}, short
}
