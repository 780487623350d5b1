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
	"github.com/isago/isago/feed"
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

// tableWriter writes the output tables of a run one after another. It writes a table in parts as they arrive.
type tableWriter struct {
	*tableFlags
	cmd *cobra.Command
	// to is the destination. It is nil until the first part is written.
	to *output
	// several is set if there is more than one table. at is the number of complete tables.
	several bool
	at      int
	// begun is set if a part of the current table was written. held has the rows that are not printed yet, because the
	// widths of their columns are unknown.
	begun bool
	held  feed.Table
}

// open opens the output unless it is already open.
func (o *tableWriter) open() (err error) {
	if o.to == nil {
		o.to, err = create(o.cmd, o.output)
	}
	return err
}

// whole writes complete tables. If a table was written in parts, whole only ends that table.
func (o *tableWriter) whole(tables []feed.Table) error {
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

// end closes the output of a run that returned err.
func (o *tableWriter) end(err error) error {
	if o.to == nil {
		return err
	}
	return o.to.done(err)
}

// part writes rows of the current table.
func (o *tableWriter) part(t *feed.Table) error {
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

// begin writes the text before the rows of a table.
func (o *tableWriter) begin(t *feed.Table) {
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

// finish writes the text after the rows of a table.
func (o *tableWriter) finish() (err error) {
	switch o.format {
	case "json":
		fmt.Fprint(o.to, "\n]")
		if !o.several {
			fmt.Fprintln(o.to)
		}
	case "table":
		err = o.writeText(o.to, &o.held)
		o.held = feed.Table{}
	}
	o.at, o.begun = o.at+1, false
	return err
}

// maxCells bounds the cells of a text table, because a column is as wide as its widest cell. A larger table is printed
// as several tables, each with the heading.
const maxCells = 1 << 20

// hold keeps rows until they fill a text table, and prints each full table.
func (o *tableWriter) hold(t *feed.Table) error {
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

// writeText writes a text table. If the table is too wide, the remaining columns follow below, again with the row
// numbers.
func (f *tableFlags) writeText(w io.Writer, t *feed.Table) error {
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

// fitting returns the number after the last cell that fits in a line. The line contains cell 0, the row number, and
// then the cells that start at number from. It has at least one column, and the components of a column are not
// separated.
func fitting(columns []feed.Column, widths []int, from int) int {
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

// writeRaw writes the components of all rows in little-endian order, each with at least 4 bytes.
func writeRaw(w io.Writer, t *feed.Table) error {
	var sizes []int
	for i := range t.Columns {
		c := &t.Columns[i]
		for range c.Count() {
			sizes = append(sizes, max(4, (c.Type.Bits+7)/8))
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
func heading(t *feed.Table) []string {
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
func (f *tableFlags) cells(t *feed.Table, put func(cells []string)) {
	var columns []*feed.Column // of the components
	for i := range t.Columns {
		columns = append(columns, slices.Repeat([]*feed.Column{&t.Columns[i]}, t.Columns[i].Count())...)
	}
	for n, row := range t.Rows {
		cells := []string{strconv.Itoa(t.First + n)}
		for i, v := range row {
			cells = append(cells, f.text(v, columns[i]))
		}
		put(cells)
	}
}

// text formats the value of a component.
func (f *tableFlags) text(v uint64, c *feed.Column) string {
	if f.bits && !c.Label {
		return fmt.Sprintf("0x%0*x", max(1, (c.Type.Bits+3)/4), v)
	}
	return exec.Format(v, c.Type)
}

// rowsJSON writes rows as the elements of a JSON array.
func (f *tableFlags) rowsJSON(w io.Writer, t *feed.Table) {
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

// columnJSON returns the JSON value of the column at the start of row. The value is an array if the column has
// components.
func (f *tableFlags) columnJSON(c *feed.Column, row []uint64) string {
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
func (f *tableFlags) jsonText(v uint64, c *feed.Column) string {
	text := f.text(v, c)
	if f.bits && !c.Label || !json.Valid([]byte(text)) {
		return strconv.Quote(text)
	}
	return text
}
