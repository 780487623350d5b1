package vectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lines of text list at most this many names, instructions and reasons.
const (
	maxNames   = 24
	maxReasons = 6
)

// Append appends the report as text.
func (r *Report) Append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s: %d of %d results differ, %d agree", r.Machine, r.Differ, r.Results, r.Agree)
	if n := r.Vectors - r.Results; n > 0 {
		dst = fmt.Appendf(dst, ", %s without a result", count(n, "vector"))
	}
	dst = append(dst, '\n')
	if len(r.Unnamed) > 0 {
		dst = fmt.Appendf(dst, "not compared, because no result contains them: %s\n", names(r.Unnamed, maxNames))
	}
	if len(r.Stale) > 0 {
		dst = fmt.Appendf(dst, "isago itself ends %s in another state than the file says: %s\n", count(len(r.Stale), "vector"), names(r.Stale, maxNames))
	}
	for i := range r.Groups {
		dst = r.Groups[i].append(append(dst, '\n'))
	}
	return dst
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// names lists names, at most some of them.
func names(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

func (g *Group) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%s: %s (%s)\n", g.Cause, g.Text, count(len(g.Vectors), "vector"))
	if len(g.Quirks) > 0 && g.Explained {
		var set []string
		for _, name := range slices.Sorted(maps.Keys(g.Quirks)) {
			set = append(set, name+"="+g.Quirks[name])
		}
		all := fmt.Sprintf("all %d agree", len(g.Vectors))
		if len(g.Vectors) == 1 {
			all = "it agrees"
		}
		dst = fmt.Appendf(dst, "  %s with %s: %s\n", all, strings.Join(set, ", "), g.Doc)
	}
	for _, text := range g.Alternatives {
		dst = fmt.Appendf(dst, "  or: %s\n", text)
	}
	dst = fmt.Appendf(dst, "  instructions: %s\n", names(g.Instructions, maxNames))
	for i, text := range g.Reasons {
		if i == maxReasons {
			dst = fmt.Appendf(dst, "  reason: %d more\n", len(g.Reasons)-i)
			break
		}
		dst = fmt.Appendf(dst, "  reason: %s\n", text)
	}
	dst = g.Example.append(dst)
	return fmt.Appendf(dst, "  vectors: %s\n", names(g.Vectors, maxNames))
}

func (e *Example) append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "  example %s:\n", e.Name)
	for _, line := range e.Text {
		dst = fmt.Appendf(dst, "    %s\n", line)
	}
	rows := [][]string{}
	for _, v := range e.Initial {
		rows = append(rows, []string{v.Name, v.Bits, v.Number})
	}
	dst = table(dst, rows)
	rows = nil
	note := ""
	for _, d := range e.Differences {
		got := []string{d.Got.Bits, d.Got.Number}
		if d.Got == (Value{}) {
			got = []string{"-", "missing"}
		}
		rows = append(rows, append([]string{d.Name, "expected", d.Expected.Bits, d.Expected.Number, "got"}, got...))
		note = d.Note
	}
	dst = table(dst, rows)
	if note != "" {
		dst = fmt.Appendf(dst, "    %s\n", note)
	}
	return dst
}

// table appends rows in columns.
func table(dst []byte, rows [][]string) []byte {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := "   "
		for i, cell := range row {
			line += " " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		}
		dst = append(append(dst, strings.TrimRight(line, " ")...), '\n')
	}
	return dst
}
