package view

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/prove"
)

// Findings prints the findings in a description: for each the lines in question, a picture of the bits, and counterexamples. With
// all it also prints the suppressed findings and the proved claims.
func Findings(w io.Writer, r *prove.Report, p Palette, all bool) error {
	e := newExplainer(w, p, ExplainOptions{})
	for _, same := range byCause(r.Findings) {
		e.finding(same[0])
		e.others(same[1:])
		e.printf("\n")
	}
	if all {
		for i := range r.Suppressed {
			f := &r.Suppressed[i]
			e.printf("%s\n  suppressed: %s\n\n", f.Error(), f.Reason)
		}
	}
	for _, c := range r.Claims {
		if all && c.Proved {
			e.printf("proved: %s\n", c.Text)
		}
	}
	e.printf("%s\n", summary(r))
	return e.err
}

// summary counts the findings and the proved claims.
func summary(r *prove.Report) string {
	proved := 0
	for _, c := range r.Claims {
		if c.Proved {
			proved++
		}
	}
	text := plural(len(r.Findings), "finding")
	if n := len(r.Suppressed); n > 0 {
		text += fmt.Sprintf(", %d suppressed", n)
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
	render := diag.Render
	if e.p.on {
		render = diag.RenderColour
	}
	e.printf("%s", render(f.Diagnostic()))
	e.bitRows(f.Rows)
	for i := range f.Witnesses {
		e.printf("  word %s\n", f.Witnesses[i].String())
	}
}

// byCause groups findings by cause and sorts them in the order in which people fix them: errors first. Findings with
// the same code at the same place have the same cause.
func byCause(findings []prove.Finding) [][]*prove.Finding {
	type cause struct {
		code diag.Code
		span diag.Span
	}
	at := map[cause]int{}
	var list [][]*prove.Finding
	for i := range findings {
		f := &findings[i]
		c := cause{f.Code, f.Span}
		n, known := at[c]
		if !known || !f.Span.IsValid() {
			at[c] = len(list)
			list = append(list, []*prove.Finding{f})
			continue
		}
		list[n] = append(list[n], f)
	}
	slices.SortStableFunc(list, func(a, b []*prove.Finding) int { return int(a[0].Level) - int(b[0].Level) })
	return list
}

// others lists findings with a cause that was already printed.
func (e *explainer) others(list []*prove.Finding) {
	for _, f := range list {
		e.printf("%s\n", hang("= "+e.p.paint(levelColours[f.Level], "the same:")+" "+f.Msg, "  ", "    ", e.Width))
	}
}

// Summary prints the number of findings with each code. The codes of errors come first, then the most frequent codes.
func Summary(w io.Writer, r *prove.Report, p Palette) error {
	e := newExplainer(w, p, ExplainOptions{})
	type kind struct {
		level prove.Level
		code  diag.Code
	}
	counts := map[kind]int{}
	for i := range r.Findings {
		counts[kind{r.Findings[i].Level, r.Findings[i].Code}]++
	}
	kinds := slices.Collect(maps.Keys(counts))
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(counts[b], counts[a]), cmp.Compare(a.code, b.code))
	})
	for _, k := range kinds {
		pad := strings.Repeat(" ", len("warning")-len(k.level.String()))
		e.printf("%6d  %s%s  %s\n", counts[k], e.p.paint(levelColours[k.level], k.level.String()), pad, k.code)
	}
	e.printf("%s\n", summary(r))
	return e.err
}

var levelColours = map[prove.Level]string{prove.Error: "\x1b[1;31m", prove.Warning: "\x1b[1;35m", prove.Note: "\x1b[1;36m"}

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
			line := fmt.Sprintf("  %s%*s  %s", r.Label, width-len([]rune(r.Label)), "", &lines[i])
			e.printf("%s\n", strings.TrimRight(line, " "))
		}
		high = low - 1
	}
}

// Warnings prints findings in the order of the list, each with its source line.
func Warnings(w io.Writer, list []prove.Finding, p Palette) error {
	e := newExplainer(w, p, ExplainOptions{})
	for i := range list {
		e.finding(&list[i])
	}
	return e.err
}
