// Package view formats instructions for people and programs: listings, pictures of words, JSON, and differences.
package view

import (
	"bytes"

	"github.com/isago/isago/isa"
)

// Palette turns kinds of tokens into terminal colours. The zero Palette is plain text.
type Palette struct{ on bool }

// Colours is the palette for a terminal.
var Colours = Palette{on: true}

const reset = "\x1b[0m"

// tokenColours are the colours of the kinds of tokens, from the sixteen colours that every terminal has.
var tokenColours = map[isa.TokenKind]string{
	isa.TokenMnemonic:  "\x1b[1;34m",
	isa.TokenModifier:  "\x1b[36m",
	isa.TokenRegister:  "\x1b[32m",
	isa.TokenImmediate: "\x1b[33m",
	isa.TokenAddress:   "\x1b[35m",
	isa.TokenLabel:     "\x1b[35m",
	isa.TokenComment:   dim,
}

// fieldColours distinguish neighbouring fields of a word.
var fieldColours = []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[35m", "\x1b[36m"}

const dim = "\x1b[2m"

// paint wraps text in a colour.
func (p Palette) paint(colour, text string) string {
	if !p.on || colour == "" || text == "" {
		return text
	}
	return colour + text + reset
}

// Dim returns text in the style of less important text.
func (p Palette) Dim(text string) string { return p.paint(dim, text) }

// Append appends the text of an instruction with its tokens coloured.
func (p Palette) Append(dst []byte, d *isa.Decoder, in isa.Inst) []byte {
	if !p.on {
		return d.Append(dst, in)
	}
	text, tokens := d.AppendTokens(nil, nil, in)
	at := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.Start < at { // belongs to a text that another text replaced
			continue
		}
		for i+1 < len(tokens) && tokens[i+1].Kind == t.Kind && tokens[i+1].Start == t.End {
			i++
			t.End = tokens[i].End
		}
		dst = append(dst, text[at:t.Start]...)
		dst = append(dst, p.paint(tokenColours[t.Kind], string(text[t.Start:t.End]))...)
		at = t.End
	}
	return append(dst, text[at:]...)
}

// complete appends text in colour. The text is an instruction as the decoder prints it, and may continue after the
// instruction.
func (p Palette) complete(dst []byte, d *isa.Decoder, in isa.Inst, text []byte) []byte {
	rest, ok := bytes.CutPrefix(text, d.Append(nil, in))
	if !ok {
		return append(dst, text...)
	}
	return append(p.Append(dst, d, in), rest...)
}

// Title returns a name in the colour of titles.
func (p Palette) Title(name string) string { return p.paint("\x1b[1m", name) }
