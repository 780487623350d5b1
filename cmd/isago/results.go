package main

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
)

// tableFlags select the form of outputs.
type tableFlags struct {
	output, format string
	bits           bool
}

func (f *tableFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "-", "write the outputs to `FILE`")
	flags.StringVar(&f.format, "format", "table", "`FORMAT` of the outputs: table, json, csv or raw")
	flags.BoolVar(&f.bits, "bits", false, "print values as bits in hexadecimal")
	complete(cmd, "format", fixed("table", "json", "csv", "raw"))
}

func (f *tableFlags) check() error {
	switch f.format {
	case "table", "json", "csv", "raw":
		return nil
	}
	return usagef("--format %q, expected table, json, csv or raw", f.format)
}

// tableWriter writes the outputs of a run: tables, one after another, each in parts as they come.
type tableWriter struct {
	*tableFlags
	cmd *cobra.Command
	// to is nil before the first part.
	to *output
	// several is set if there is more than one table. at is the number of complete ones.
	several bool
	at      int
	// begun is set if a part of the current table was written. held are its rows that wait for the widths of their columns.
	begun bool
	held  exec.Table
}

// open opens the output.
func (o *tableWriter) open() (err error) {
	if o.to == nil {
		o.to, err = create(o.cmd, o.output)
	}
	return err
}

// whole writes tables that did not come in parts, and ends the one that did.
func (o *tableWriter) whole(tables []exec.Table) error {
	if err := o.open(); err != nil {
		return err
	}
	if o.begun {
		return o.finish()
	}
	o.several = len(tables) != 1
	for i := range tables {
		if err := o.part(&tables[i]); err != nil {
			return err
		}
		if err := o.finish(); err != nil {
			return err
		}
	}
	if o.format == "json" && o.several {
		fmt.Fprintln(o.to, map[bool]string{true: "{}", false: "}"}[o.at == 0])
	}
	return nil
}

// end ends the output of a run that ends with err.
func (o *tableWriter) end(err error) error {
	if o.to == nil {
		return err
	}
	return o.to.done(err)
}

// part writes rows of the table at hand.
func (o *tableWriter) part(t *exec.Table) error {
	if err := o.open(); err != nil {
		return err
	}
	first := !o.begun
	if o.begun = true; first {
		o.begin(t)
	}
	switch o.format {
	case "raw":
		return writeRaw(o.to, t)
	case "json":
		o.rowsJSON(o.to, t)
		return nil
	case "csv":
		c := csv.NewWriter(o.to)
		put := func(cells []string) { _ = c.Write(cells) }
		if first {
			put(heading(t))
		}
		o.cells(t, put)
		c.Flush()
		return c.Error()
	}
	if first {
		o.held = *t
		o.held.Rows = nil
	}
	return o.hold(t)
}

// begin starts a table.
func (o *tableWriter) begin(t *exec.Table) {
	switch {
	case o.format == "json" && o.several:
		fmt.Fprintf(o.to, "%s%q: [", map[bool]string{true: "{", false: ",\n"}[o.at == 0], t.Name)
	case o.format == "json":
		fmt.Fprint(o.to, "[")
	case o.format == "raw":
	default:
		if o.at > 0 {
			fmt.Fprintln(o.to)
		}
		if o.several {
			fmt.Fprintln(o.to, t.Name)
		}
	}
}

// finish ends a table.
func (o *tableWriter) finish() (err error) {
	switch o.format {
	case "json":
		fmt.Fprint(o.to, "\n]")
		if !o.several {
			fmt.Fprintln(o.to)
		}
	case "table":
		err = o.writeText(o.to, &o.held)
		o.held = exec.Table{}
	}
	o.at, o.begun = o.at+1, false
	return err
}

// maxCells bounds the cells of a text table, because a column is as wide as its widest cell. A table with more cells is printed as
// several, each with its heading.
const maxCells = 1 << 20

// hold keeps rows until there are as many as are printed together, and prints those.
func (o *tableWriter) hold(t *exec.Table) error {
	most := max(1, maxCells/len(heading(t)))
	for rows := t.Rows; ; {
		n := min(len(rows), most-len(o.held.Rows))
		o.held.Rows = append(o.held.Rows, rows[:n]...)
		if rows = rows[n:]; len(rows) == 0 {
			return nil
		}
		if err := o.writeText(o.to, &o.held); err != nil {
			return err
		}
		fmt.Fprintln(o.to)
		o.held.First += len(o.held.Rows)
		o.held.Rows = o.held.Rows[:0]
	}
}

// tableWidth and tableGap are the width of a text table and the gap between its columns, in characters.
const tableWidth, tableGap = 100, 2

// writeText writes a text table. One that is too wide continues below, with the numbers of its rows again.
func (f *tableFlags) writeText(w io.Writer, t *exec.Table) error {
	rows := [][]string{heading(t)}
	f.cells(t, func(cells []string) { rows = append(rows, cells) })
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], tableGap+len(cell))
		}
	}
	tab := tabwriter.NewWriter(w, 0, 0, tableGap, ' ', 0)
	for from := 1; ; {
		to := fitting(t.Columns, widths, from)
		for _, row := range rows {
			fmt.Fprintln(tab, strings.Join(append(row[:1:1], row[from:to]...), "\t"))
		}
		if from = to; from == len(widths) {
			return tab.Flush()
		}
		fmt.Fprintln(tab)
	}
}

// fitting returns the end of the cells, from from on, that fit in a line after the first cell: at least one column. The components
// of a column stay together.
func fitting(columns []exec.Column, widths []int, from int) int {
	to, width := 1, widths[0]
	for i := range columns {
		next := to + columns[i].Count()
		if next > from {
			for _, w := range widths[to:next] {
				width += w
			}
			if to > from && width-tableGap > tableWidth {
				return to
			}
		}
		to = next
	}
	return to
}

// writeRaw writes the components, each in its own number of bytes, the least significant one first.
func writeRaw(w io.Writer, t *exec.Table) error {
	var sizes []int
	for i := range t.Columns {
		c := &t.Columns[i]
		for range c.Count() {
			sizes = append(sizes, max(4, (c.Type.Width+7)/8))
		}
	}
	var buf [8]byte
	for _, row := range t.Rows {
		for i, v := range row {
			binary.LittleEndian.PutUint64(buf[:], v)
			if _, err := w.Write(buf[:sizes[i]]); err != nil {
				return err
			}
		}
	}
	return nil
}

// heading returns the heading of a table: the name of its rows, and then the names of its components.
func heading(t *exec.Table) []string {
	list := []string{t.Row}
	for i := range t.Columns {
		c := &t.Columns[i]
		for k := range c.Count() {
			name := c.Name
			if c.Components != nil {
				name += "." + c.Components[k]
			}
			list = append(list, name)
		}
	}
	return list
}

// cells calls put with the cells of each row: its number, and then its components.
func (f *tableFlags) cells(t *exec.Table, put func(cells []string)) {
	var columns []*exec.Column // of the components
	for i := range t.Columns {
		columns = append(columns, slices.Repeat([]*exec.Column{&t.Columns[i]}, t.Columns[i].Count())...)
	}
	for n, row := range t.Rows {
		cells := []string{strconv.Itoa(t.First + n)}
		for i, v := range row {
			cells = append(cells, f.text(v, columns[i]))
		}
		put(cells)
	}
}

// text is a component of a column.
func (f *tableFlags) text(v uint64, c *exec.Column) string {
	if f.bits && !c.Label {
		return fmt.Sprintf("0x%0*x", max(1, (c.Type.Width+3)/4), v)
	}
	return sem.Number(v, c.Type)
}

// rowsJSON writes elements of an array.
func (f *tableFlags) rowsJSON(w io.Writer, t *exec.Table) {
	for n, row := range t.Rows {
		if t.First+n > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprint(w, "\n  {")
		for i := range t.Columns {
			c := &t.Columns[i]
			if i > 0 {
				fmt.Fprint(w, ", ")
			}
			fmt.Fprintf(w, "%q: %s", c.Name, f.columnJSON(c, row))
			row = row[c.Count():]
		}
		fmt.Fprint(w, "}")
	}
}

// columnJSON is the value of a column with which a row starts: an array where it has components.
func (f *tableFlags) columnJSON(c *exec.Column, row []uint64) string {
	var list []string
	for _, v := range row[:c.Count()] {
		list = append(list, f.jsonText(v, c))
	}
	if c.Components == nil {
		return list[0]
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// jsonText returns a number, or a string if JSON has no such number.
func (f *tableFlags) jsonText(v uint64, c *exec.Column) string {
	text := f.text(v, c)
	if f.bits && !c.Label || !json.Valid([]byte(text)) {
		return strconv.Quote(text)
	}
	return text
}
