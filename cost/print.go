package cost

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/isago/isago/view"
)

// row is a row of the summary.
type row struct{ name, value, note string }

// Print prints a summary.
func (r *Report) Print(w *bufio.Writer, p view.Palette) {
	var shared []row
	for _, u := range r.Limits {
		shared = append(shared, useRow(u, u.Name))
	}
	printRows(w, p, shared)
	for i := range r.Programs {
		c := &r.Programs[i]
		if c.Program != "" {
			fmt.Fprintf(w, "\n%s\n", p.Title(c.Program))
		} else {
			fmt.Fprintln(w)
		}
		printRows(w, p, c.rows())
	}
	r.printOccupancy(w, p)
}

// printOccupancy prints how many waves each processor runs, for each size of a block.
func (r *Report) printOccupancy(w *bufio.Writer, p view.Palette) {
	for _, o := range r.Occupancy {
		fmt.Fprintf(w, "\n%s\n", p.Title(fmt.Sprintf("occupancy of %s: %s per lane, %s of shared memory per block", o.Processor, plural(o.Registers, "register"), plural(o.Shared, "byte"))))
		var rows []row
		for _, b := range o.Sizes {
			rows = append(rows, row{fmt.Sprintf("blocks of %d", b.Threads), fmt.Sprintf("%d of %d waves", b.Waves, b.Most), fmt.Sprintf("%d %%, %s, limited by %s", 100*b.Waves/b.Most, plural(b.Blocks, "block"), b.Limit)})
		}
		rows = append(rows, row{"source", o.Source, ""})
		printRows(w, p, rows)
	}
}

// useRow returns the row of a limited quantity.
func useRow(u Use, name string) row {
	x := row{name: name, value: u.String()}
	var notes []string
	if u.Most > 0 {
		notes = append(notes, fmt.Sprintf("%d %%", (100*u.Used+u.Most-1)/u.Most))
	}
	if u.Most > 0 && u.Used > u.Most {
		notes = append(notes, "too many")
	}
	if u.Indexed {
		notes = append(notes, "and others by computed numbers")
	}
	if u.Source != "" {
		notes = append(notes, u.Source)
	}
	x.note = strings.Join(notes, ", ")
	return x
}

func (c *ProgramCost) rows() (rows []row) {
	if c.Unknown != "" {
		return []row{{"paths", "unknown", c.Unknown}}
	}
	rows = append(rows, row{"instructions", fmt.Sprint(c.Instructions), "reached"})
	for _, x := range c.Paths {
		name := "path"
		if len(c.Paths) > 1 {
			name = fmt.Sprintf("path from 0x%x", x.Entry)
		}
		text, known := x.text()
		if known {
			text += " instructions"
		}
		rows = append(rows, row{name, text, x.Unknown})
	}
	for _, l := range c.Loops {
		text := fmt.Sprintf("%s: how often the loop at 0x%x repeats", l.Name, l.Address)
		if l.Counter != "" {
			text += ", counted by " + l.Counter
		}
		rows = append(rows, row{"", text, ""})
	}
	for _, u := range c.Uses {
		rows = append(rows, useRow(u, "registers "+u.Name))
	}
	for _, x := range c.Registers {
		note := fmt.Sprintf("at most %d live, at 0x%x", x.Peak, x.Address)
		if x.Components > 0 {
			note += fmt.Sprintf("; %s, at 0x%x", plural(x.Components, "component"), x.ComponentsAddress)
		}
		if x.Peak == 0 {
			note = "none live"
		}
		value := Use{Used: x.Used, Most: x.Count}.String()
		if x.Count == 1 {
			value = ""
		}
		rows = append(rows, row{"registers " + x.File, value, note})
	}
	for _, o := range c.Operations {
		rows = append(rows, row{name: o.Name, value: fmt.Sprint(o.Count)})
	}
	return rows
}

// text returns the shortest and the longest length of a path. known reports whether both are known.
func (x *Path) text() (text string, known bool) {
	switch {
	case x.Longest == nil && x.Shortest == 0:
		return "unknown", false
	case x.Longest == nil:
		return fmt.Sprintf("%d or more", x.Shortest), false
	case x.Longest.Text == fmt.Sprint(x.Shortest):
		return x.Longest.Text, true
	}
	return fmt.Sprintf("%d to %s", x.Shortest, x.Longest.Text), true
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// printRows prints rows with aligned columns.
func printRows(w *bufio.Writer, p view.Palette, rows []row) {
	name, value := 0, 0
	for _, r := range rows {
		name = max(name, utf8.RuneCountInString(r.name))
		if r.note != "" { // other values may be long
			value = max(value, utf8.RuneCountInString(r.value))
		}
	}
	for _, r := range rows {
		line := fmt.Sprintf("  %-*s  %-*s", name, r.name, value, r.value)
		if r.note == "" {
			line = strings.TrimRight(line, " ")
		} else {
			line += "  " + p.Dim(r.note)
		}
		fmt.Fprintln(w, line)
	}
}

// PrintLines prints the instructions, with the registers that are live before each.
func (c *ProgramCost) PrintLines(w *bufio.Writer, p view.Palette) {
	text, count := 0, 0
	for i := range c.Lines {
		text = max(text, min(56, utf8.RuneCountInString(c.Lines[i].Text)))
		count = max(count, len(counts(c.Lines[i].Registers)))
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		line := fmt.Sprintf("  %06x  %-*s  %-*s  %s", l.Address, count, counts(l.Registers), text, l.Text, p.Dim(strings.Join(l.Live, " ")))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// counts returns the numbers of live registers of files, such as "r 3".
func counts(list []Operation) string {
	var parts []string
	for _, o := range list {
		parts = append(parts, fmt.Sprintf("%s %d", o.Name, o.Count))
	}
	return strings.Join(parts, " ")
}
