package main

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
)

// tableFlags say how outputs are written.
type tableFlags struct {
	output, format string
	bits           bool
}

func (f *tableFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "-", "`FILE` for the outputs")
	flags.StringVar(&f.format, "format", "table", "`FORMAT` of the outputs: table, json, csv or raw")
	flags.BoolVar(&f.bits, "bits", false, "values as bits in hex")
	complete(cmd, "format", fixed("table", "json", "csv", "raw"))
}

func (f *tableFlags) check() error {
	switch f.format {
	case "table", "json", "csv", "raw":
		return nil
	}
	return usagef("--format %q, expected table, json, csv or raw", f.format)
}

// write writes the outputs, one table behind the other.
func (f *tableFlags) write(cmd *cobra.Command, tables []exec.Table) (err error) {
	w, err := create(cmd, f.output)
	if err != nil {
		return err
	}
	defer func() { err = w.done(err) }()
	if f.format == "json" {
		return f.writeJSON(w, tables)
	}
	for i := range tables {
		if i > 0 && f.format != "raw" {
			fmt.Fprintln(w)
		}
		if err := f.writeTable(w, &tables[i], len(tables) > 1); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes one table; named tells that there are others.
func (f *tableFlags) writeTable(w io.Writer, t *exec.Table, named bool) error {
	if f.format == "raw" {
		return writeRaw(w, t)
	}
	if named {
		fmt.Fprintln(w, t.Name)
	}
	if f.format == "csv" {
		c := csv.NewWriter(w)
		f.cells(t, func(cells []string) { _ = c.Write(cells) })
		c.Flush()
		return c.Error()
	}
	return f.writeText(w, t)
}

// tableWidth and tableGap are the width of a table for people and what is between its columns, in characters.
const tableWidth, tableGap = 100, 2

// writeText writes a table for people. One that is too wide goes on below, with the numbers of its rows again.
func (f *tableFlags) writeText(w io.Writer, t *exec.Table) error {
	var rows [][]string
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

// fitting returns the number of cells of a row up to which those from one on fit beside the first, at least a column.
// The components of a column stay together.
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

// cells hands over the heading of a table, and then its rows with their numbers.
func (f *tableFlags) cells(t *exec.Table, put func(cells []string)) {
	heading := []string{t.Row}
	var columns []*exec.Column // of the components
	for i := range t.Columns {
		c := &t.Columns[i]
		for k := range c.Count() {
			name := c.Name
			if c.Components != nil {
				name += "." + c.Components[k]
			}
			heading, columns = append(heading, name), append(columns, c)
		}
	}
	put(heading)
	for n, row := range t.Rows {
		cells := []string{strconv.Itoa(n)}
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

// writeJSON writes an array of rows, or an object of such arrays by name where there are several.
func (f *tableFlags) writeJSON(w io.Writer, tables []exec.Table) error {
	if len(tables) == 1 {
		f.rowsJSON(w, &tables[0])
		_, err := fmt.Fprintln(w)
		return err
	}
	for i := range tables {
		fmt.Fprintf(w, "%s%q: ", map[bool]string{true: "{", false: ",\n"}[i == 0], tables[i].Name)
		f.rowsJSON(w, &tables[i])
	}
	_, err := fmt.Fprintln(w, "}")
	return err
}

func (f *tableFlags) rowsJSON(w io.Writer, t *exec.Table) {
	fmt.Fprint(w, "[")
	for n, row := range t.Rows {
		if n > 0 {
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
	fmt.Fprint(w, "\n]")
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

// jsonText is a number, and a text where JSON has no such number.
func (f *tableFlags) jsonText(v uint64, c *exec.Column) string {
	text := f.text(v, c)
	if f.bits && !c.Label || !json.Valid([]byte(text)) {
		return strconv.Quote(text)
	}
	return text
}
