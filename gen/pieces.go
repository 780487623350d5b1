package gen

import (
	"strings"

	"github.com/isago/isago/internal/lazy"
)

// Piece is a part of the text that generated code needs beside its own functions.
type Piece struct {
	// Names are what the piece declares, or words for those that are needed whatever the code; Mark is the last.
	Names []string
	Text  string
}

// Mark is the last name of a piece, by which writers know where to put what they add.
func (p *Piece) Mark() string { return p.Names[len(p.Names)-1] }

// Pieces splits a text at its lines "//: NAME...".
func Pieces(text string) (list []Piece) {
	for i, part := range strings.Split(text, "//: ") {
		if i == 0 {
			continue // the head of the file
		}
		names, text, _ := strings.Cut(part, "\n")
		list = append(list, Piece{strings.Fields(names), text})
	}
	return list
}

var called = lazy.Regexp(`[A-Za-z_][A-Za-z0-9_]*\(`)

// Needed returns the pieces of which some texts call a name, those that these call, and those of a name in always.
func Needed(list []Piece, always string, texts ...string) []Piece {
	need := make([]bool, len(list))
	for texts = append(texts, strings.ReplaceAll(always, " ", "( ")+"("); len(texts) > 0; texts = texts[1:] {
		calls := map[string]bool{}
		for _, c := range called().FindAllString(texts[0], -1) {
			calls[c] = true
		}
		for i, p := range list {
			for _, name := range p.Names {
				if !need[i] && calls[name+"("] {
					need[i] = true
					texts = append(texts, p.Text)
				}
			}
		}
	}
	var out []Piece
	for i, p := range list {
		if need[i] {
			out = append(out, p)
		}
	}
	return out
}

// Choose takes the lines of a piece that belong to what the program has: those between "//? WHAT" and "//." where
// it has that, "//! WHAT" where it has not; files have what more stands in has.
func (p *Program) Choose(text string, more ...string) string {
	has := map[string]bool{
		"wide": p.Limbs > 1, "told": p.Told > 0, "known": p.Known > 0, "deep": p.Deep, "mesa": p.Mesa,
		"stack": p.Uses.Stack, "strict": p.ISA.Strict, "operands": p.Deep || p.Mesa,
	}
	for _, x := range more {
		has[x] = true
	}
	var b strings.Builder
	skip := false
	for line := range strings.Lines(text) {
		mark := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(mark, "//? "):
			skip = !has[mark[4:]]
		case strings.HasPrefix(mark, "//! "):
			skip = has[mark[4:]]
		case mark == "//.":
			skip = false
		case !skip:
			b.WriteString(line)
		}
	}
	return b.String()
}
