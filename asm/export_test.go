package asm

// Work returns what reading the last line cost: names looked up in expressions, steps through templates, and bits
// tried.
func (p *Parser) Work() int { return p.spent() }

// EachInvented runs a test for generated descriptions.
var EachInvented = eachInvented
