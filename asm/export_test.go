package asm

// Work is what the last reading of a line cost, of the few that there are: the names that were looked up in expressions, the steps through
// templates, and the bits that were tried.
func (p *Parser) Work() int { return p.spent() }

// EachInvented runs a test of descriptions that are made up.
var EachInvented = eachInvented
