package feed

import (
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/isago/isago/exec"
)

// Formats are the formats of a TableWriter.
var Formats = []string{"table", "json", "csv", "raw"}

// TableWriter writes the output tables of a run one after another. It writes a table in parts as they arrive.
type TableWriter struct {
	// Format is one of Formats: text in columns, JSON, CSV, or components in little-endian order.
	Format string
	// Bits is set to print values as bits in hexadecimal.
	Bits bool
	// Open opens the destination. It is called once, before the first part is written.
	Open func() (io.Writer, error)

	// to is the destination. It is nil until the first part is written.
	to *destination
	// several is set if there is more than one table. at is the number of complete tables.
	several bool
	at      int
	// begun is set if a part of the current table was written. held has the rows that are not printed yet, because the
	// widths of their columns are unknown.
	begun bool
	held  Table
}

// destination keeps the first write error, because not all printing looks at it.
type destination struct {
	io.Writer
	failed error
}

// Write writes, unless writing has failed before.
func (d *destination) Write(data []byte) (n int, err error) {
	if d.failed == nil {
		n, d.failed = d.Writer.Write(data)
	}
	return n, d.failed
}

// open opens the destination unless it is already open.
func (o *TableWriter) open() error {
	if o.to == nil {
		w, err := o.Open()
		if err != nil {
			return err
		}
		o.to = &destination{Writer: w}
	}
	return nil
}

// Whole writes complete tables. If a table was written in parts, Whole only ends that table.
func (o *TableWriter) Whole(tables []Table) error {
	if err := o.open(); err != nil {
		return err
	}
	if o.begun {
		return o.finish()
	}
	o.several = len(tables) != 1
	for i := range tables {
		if err := o.Part(&tables[i]); err != nil {
			return err
		}
		if err := o.finish(); err != nil {
			return err
		}
	}
	if o.Format == "json" && o.several {
		fmt.Fprintln(o.to, map[bool]string{true: "{}", false: "}"}[o.at == 0])
	}
	return o.to.failed
}

// Part writes rows of the current table.
func (o *TableWriter) Part(t *Table) error {
	if err := o.open(); err != nil {
		return err
	}
	first := !o.begun
	if o.begun = true; first {
		o.begin(t)
	}
	switch o.Format {
	case "raw":
		return writeRaw(o.to, t)
	case "json":
		o.rowsJSON(o.to, t)
		return o.to.failed
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
func (o *TableWriter) begin(t *Table) {
	switch {
	case o.Format == "json" && o.several:
		fmt.Fprintf(o.to, "%s%q: [", map[bool]string{true: "{", false: ",\n"}[o.at == 0], t.Name)
	case o.Format == "json":
		fmt.Fprint(o.to, "[")
	case o.Format == "raw":
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
func (o *TableWriter) finish() (err error) {
	switch o.Format {
	case "json":
		fmt.Fprint(o.to, "\n]")
		if !o.several {
			fmt.Fprintln(o.to)
		}
	case "table":
		err = o.writeText(o.to, &o.held)
		o.held = Table{}
	}
	o.at, o.begun = o.at+1, false
	return cmp.Or(err, o.to.failed)
}

// MaxCells bounds the cells of a text table, because a column is as wide as its widest cell. A larger table is printed
// as several tables, each with the heading.
const MaxCells = 1 << 20

// hold keeps rows until they fill a text table, and prints each full table.
func (o *TableWriter) hold(t *Table) error {
	most := max(1, MaxCells/len(heading(t)))
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
func (o *TableWriter) writeText(w io.Writer, t *Table) error {
	rows := [][]string{heading(t)}
	o.cells(t, func(cells []string) { rows = append(rows, cells) })
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
func fitting(columns []Column, widths []int, from int) int {
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
func writeRaw(w io.Writer, t *Table) error {
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
func heading(t *Table) []string {
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
func (o *TableWriter) cells(t *Table, put func(cells []string)) {
	var columns []*Column // of the components
	for i := range t.Columns {
		columns = append(columns, slices.Repeat([]*Column{&t.Columns[i]}, t.Columns[i].Count())...)
	}
	for n, row := range t.Rows {
		cells := []string{strconv.Itoa(t.First + n)}
		for i, v := range row {
			cells = append(cells, o.text(v, columns[i]))
		}
		put(cells)
	}
}

// text formats the value of a component.
func (o *TableWriter) text(v uint64, c *Column) string {
	if o.Bits && !c.Label {
		return fmt.Sprintf("0x%0*x", max(1, (c.Type.Bits+3)/4), v)
	}
	return exec.Format(v, c.Type)
}

// rowsJSON writes rows as the elements of a JSON array.
func (o *TableWriter) rowsJSON(w io.Writer, t *Table) {
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
			fmt.Fprintf(w, "%q: %s", c.Name, o.columnJSON(c, row))
			row = row[c.Count():]
		}
		fmt.Fprint(w, "}")
	}
}

// columnJSON returns the JSON value of the column at the start of row. The value is an array if the column has
// components.
func (o *TableWriter) columnJSON(c *Column, row []uint64) string {
	var list []string
	for _, v := range row[:c.Count()] {
		list = append(list, o.jsonText(v, c))
	}
	if c.Components == nil {
		return list[0]
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// jsonText returns a number, or a string if JSON has no such number.
func (o *TableWriter) jsonText(v uint64, c *Column) string {
	text := o.text(v, c)
	if o.Bits && !c.Label || !json.Valid([]byte(text)) {
		return strconv.Quote(text)
	}
	return text
}
