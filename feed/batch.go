package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/textfile"
)

// Batch is the Runner for programs that run once for each lane, such as a vertex.
type Batch struct {
	*exec.Launch
	// Noun is the name of a lane, such as vertex, and Nouns is its plural.
	Noun, Nouns string

	in   exec.Input
	read bool
	// chosen is set if Select chose the outputs.
	chosen bool
	// held limits the values in memory until the columns of a table in parts are known.
	held int
}

// NewBatch returns the Runner for a vertex program.
func NewBatch(l *exec.Launch) *Batch {
	return &Batch{Launch: l, Noun: "vertex", Nouns: "vertices", held: MaxHeld}
}

// Launched returns the program with its named inputs and outputs.
func (b *Batch) Launched() *exec.Launch { return b.Launch }

// Set sets a uniform, or an input for all lanes, component by component. Launch.Parse defines the notation of values.
// Set returns an error if the name is unknown or an output, or if a value is invalid.
func (b *Batch) Set(name string, texts []string) error {
	p, err := b.Find(name)
	if err != nil {
		return err
	}
	values, err := parseAll(b.Launch, p, texts)
	if err == nil {
		err = b.Extend(&p, len(values))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if b.SetUniform(p, values) == nil {
		return nil
	}
	if p.State.Use == "output" {
		return fmt.Errorf("%s is an output", p.Name)
	}
	if most := p.Count * len(p.Components()); len(values) > most {
		return fmt.Errorf("%s has %d components, but %d values are given", p.Name, most, len(values))
	}
	b.in.Same = append(b.in.Same, exec.Given{Port: p, Values: values})
	return nil
}

func parseAll(l *exec.Launch, p exec.Port, texts []string) ([]uint64, error) {
	var values []uint64
	for _, t := range texts {
		v, err := l.Parse(t, p.Type())
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// Read reads the inputs of lanes in a format: json, csv or raw. The error describes the position of a mistake.
func (b *Batch) Read(data []byte, format string) error {
	read := map[string]func([]byte, *exec.Launch) (*exec.Input, error){"json": readJSON, "csv": readCSV, "raw": readRaw}[format]
	if read == nil {
		return fmt.Errorf("unknown format %q, expected json, csv or raw", format)
	}
	if format != "raw" {
		data = bytes.TrimPrefix(data, []byte(textfile.ByteOrderMark))
	}
	in, err := read(data, b.Launch)
	if err != nil {
		return err
	}
	in.Same = b.in.Same
	b.in, b.read = *in, true
	return nil
}

// Feed sets the inputs of lanes. Inputs of Set have priority.
func (b *Batch) Feed(in exec.Input) {
	in.Same = append(in.Same, b.in.Same...)
	b.in, b.read = in, true
}

// Given returns the inputs that Read, Feed and Set set.
func (b *Batch) Given() exec.Input { return b.in }

// Run runs the program for all inputs. It returns an error if there are no inputs to repeat, if the context is
// cancelled, or if opt.Rows returns one.
func (b *Batch) Run(ctx context.Context, opt RunOptions) (*Outcome, error) {
	in := b.in
	if opt.Count > 0 {
		if b.read && len(in.Values) == 0 {
			return nil, errors.New("no " + b.Nouns + " to repeat")
		}
		in.Lanes = opt.Count
	}
	if !b.read {
		in.Lanes = max(1, in.Lanes)
	}
	out := &Outcome{Noun: b.Noun, Nouns: b.Nouns, Lanes: in.Lanes, Open: b.Open}
	var res *exec.Result
	var err error
	if opt.Rows != nil {
		res, err = b.stream(ctx, in, opt)
	} else if res, err = b.Launch.Run(ctx, in, opt.RunOptions); err == nil {
		out.Tables = []Table{b.layout(res.Outputs, res.Changed).part(0, res.Values)}
	}
	if err != nil {
		return nil, err
	}
	out.Result = *res
	return out, nil
}

// MaxHeld limits the values that a run keeps in memory until the columns of a table in parts are known.
const MaxHeld = 1 << 24

// LateOutputError is the error for an output that a lane writes, but that has no column, because no earlier lane wrote
// it.
type LateOutputError struct {
	// Output is the name of the output. Nouns is the plural name of lanes.
	Output, Nouns string
	// From and To are the first and the last lane of the part that contains the lane.
	From, To int
}

// Error returns the message.
func (e *LateOutputError) Error() string {
	return fmt.Sprintf("one of the %s %d to %d writes %s, but the %[2]d before did not: their rows have no column for it", e.Nouns, e.From, e.To, e.Output)
}

// stream runs the program and passes the table to opt.Rows in parts. If the columns depend on what the program writes,
// the first lanes determine them.
func (b *Batch) stream(ctx context.Context, in exec.Input, opt RunOptions) (*exec.Result, error) {
	var held []*exec.Rows
	var shape *exec.Shape
	var columns *layout
	put := func(r *exec.Rows) error {
		if late := b.late(shape, columns, r); late != nil {
			return late
		}
		t := columns.part(r.First, shape.Values(r))
		return opt.Rows(&t)
	}
	settle := func() error {
		shape = b.Shape(held)
		columns = b.layout(shape.Outputs, shape.Changed)
		for _, r := range held {
			if err := put(r); err != nil {
				return err
			}
		}
		held = nil
		return nil
	}
	values := 0
	report, err := b.Stream(ctx, in, opt.RunOptions, func(r *exec.Rows) error {
		if shape != nil {
			return put(r)
		}
		held = append(held, r)
		values += r.Cells()
		if b.chosen || b.OutputsKnown() || values >= b.held {
			return settle()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if shape == nil {
		if len(held) == 0 { // a heading
			held = []*exec.Rows{{}}
		}
		err = settle()
	}
	return &exec.Result{Report: *report}, err
}

// late returns the error for an output without a column, or nil.
func (b *Batch) late(shape *exec.Shape, columns *layout, r *exec.Rows) error {
	if b.chosen {
		return nil
	}
	err := &LateOutputError{Nouns: b.Nouns, From: r.First, To: r.First + r.Lanes - 1}
	at := 0
	for _, column := range columnsOf(b.Outputs) {
		from := at
		at += column.Count()
		if columns.kept != nil && !columns.kept[from] && slices.Contains(r.Changed[from:at], true) {
			err.Output = column.Name
			return err
		}
	}
	if err.Output = shape.Late(r); err.Output != "" {
		return err
	}
	return nil
}

// layout is the choice of columns of a table.
type layout struct {
	Table
	kept []bool // of the components; nil for the first of them
	n    int    // how many are kept
}

// layout returns the layout of the run: the outputs of Select, or otherwise the outputs of the launch. If
// Launch.Changed is set, only changed outputs have columns. Words that the program wrote at computed addresses follow.
func (b *Batch) layout(ports []exec.Port, changed []bool) *layout {
	l := &layout{Table: Table{Name: b.Nouns, Row: b.Noun, Columns: columnsOf(ports)}}
	if b.chosen {
		l.Columns = b.Columns()
	}
	all := l.Columns
	for i := range all {
		l.n += all[i].Count()
	}
	if b.chosen || !b.Changed {
		return l
	}
	l.Columns, l.kept, l.n = nil, make([]bool, l.n), 0
	at := 0
	for _, c := range all {
		from := at
		at += c.Count()
		if at <= len(changed) && !slices.Contains(changed[from:at], true) {
			continue
		}
		l.Columns = append(l.Columns, c)
		for k := from; k < at; k++ {
			l.kept[k] = true
			l.n++
		}
	}
	return l
}

// part returns a part of the table. first is the number of its first row.
func (l *layout) part(first int, rows [][]uint64) Table {
	t := l.Table
	t.First, t.Rows = first, make([][]uint64, len(rows))
	for i, row := range rows {
		if l.kept == nil {
			t.Rows[i] = row[:l.n]
			continue
		}
		kept := make([]uint64, 0, l.n)
		for k, v := range row {
			if l.kept[k] {
				kept = append(kept, v)
			}
		}
		t.Rows[i] = kept
	}
	return t
}

// Select chooses the outputs by their names: an output, a register, a register of a view, a component such as r1.x, or
// all registers of a file or a view. The error for an unknown name lists names that exist.
func (b *Batch) Select(names []string) error {
	var all []exec.Port
	for _, name := range names {
		list, err := b.FindOutputs(name)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	b.Outputs, b.chosen = all, true
	return nil
}

// Columns returns the columns of the outputs.
func (b *Batch) Columns() []Column { return columnsOf(b.Outputs) }

func columnsOf(ports []exec.Port) []Column {
	var list []Column
	for i := range ports {
		p := &ports[i]
		for n := range p.Count {
			c := Column{Name: p.Name, Type: p.Type()}
			c.Type.Lanes = 1
			if p.Count > 1 {
				c.Name = fmt.Sprintf("%s[%d]", p.Name, n)
			}
			for _, k := range p.Components() {
				if name := p.Letter(k); name != "" { // of a vector
					c.Components = append(c.Components, name)
				}
			}
			list = append(list, c)
		}
	}
	return list
}
