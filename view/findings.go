package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/isago/isago/prove"
)

// Findings prints what was found in a description: for each finding the lines that it is about, a
// picture of the bits, and the words that show it. With all it prints too what exceptions silence and
// what was proved.
func Findings(w io.Writer, r *prove.Report, p Palette, all bool) error {
	e := explainer{w: w, p: p}
	for i := range r.Findings {
		e.finding(&r.Findings[i])
	}
	if all {
		for i := range r.Silenced {
			f := &r.Silenced[i]
			e.printf("%s\n  silenced: %s\n\n", f.Error(), f.Reason)
		}
	}
	for _, c := range r.Claims {
		switch {
		case !c.Proved:
			e.printf("%s\n", c.Text)
		case all:
			e.printf("proved: %s\n", c.Text)
		}
	}
	e.printf("%s\n", summary(r))
	return e.err
}

// summary counts what was found and what was proved.
func summary(r *prove.Report) string {
	proved := 0
	for _, c := range r.Claims {
		if c.Proved {
			proved++
		}
	}
	text := plural(len(r.Findings), "finding")
	if n := len(r.Silenced); n > 0 {
		text += fmt.Sprintf(", %d more with a written exception", n)
	}
	text += fmt.Sprintf("; %d of %s proved", proved, plural(len(r.Claims), "claim"))
	if n := len(r.Gens); n > 1 {
		text += fmt.Sprintf(", in %d generations", n)
	}
	return text
}

func plural(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (e *explainer) finding(f *prove.Finding) {
	first, rest, _ := strings.Cut(f.Explain(), "\n")
	e.printf("%s\n%s", e.p.paint(levelColours[f.Level], first), rest)
	e.bitRows(f.Rows)
	for i := range f.Witnesses {
		e.printf("  word %s\n", f.Witnesses[i].String())
	}
	e.printf("\n")
}

var levelColours = map[prove.Level]string{prove.Error: "\x1b[1;31m", prove.Warning: "\x1b[1;33m", prove.Note: "\x1b[1m"}

// bitRows draws lines of bits below each other, the most significant first, in rows of 32 like the
// picture of a word.
func (e *explainer) bitRows(rows []prove.Row) {
	size, width := 0, 0
	for _, r := range rows {
		size, width = max(size, len(r.Bits)), max(width, len([]rune(r.Label)))
	}
	for high := size - 1; high >= 0; {
		low := high / rowBits * rowBits
		var marks ruler
		lines := make([]strings.Builder, len(rows))
		for b := high; b >= low; b-- {
			if b%8 == 7 && b != high {
				marks.column++
				for i := range lines {
					lines[i].WriteByte(' ')
				}
			}
			if b%8 == 7 || b == high {
				marks.number(b)
			}
			marks.column++
			for i, r := range rows {
				at := len(r.Bits) - 1 - b
				if at < 0 {
					lines[i].WriteByte(' ')
				} else {
					lines[i].WriteByte(r.Bits[at])
				}
			}
		}
		e.printf("  %*s  %s\n", width, "", marks.text)
		for i, r := range rows {
			e.printf("  %s%*s  %s\n", r.Label, width-len([]rune(r.Label)), "", strings.TrimRight(lines[i].String(), " "))
		}
		high = low - 1
	}
}
