package exec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/sem"
)

// Batch is the Runner of programs that run once for each vertex, or whatever a lane is.
type Batch struct {
	*Launch
	// Noun is what a lane is, Nouns are several.
	Noun, Nouns string

	in   Input
	read bool
	// chosen tells that the outputs are those of Select, and no others.
	chosen bool
}

// NewBatch returns the Runner of a vertex program.
func NewBatch(l *Launch) *Batch { return &Batch{Launch: l, Noun: "vertex", Nouns: "vertices"} }

// Set gives a uniform its value, or all lanes an input, component by component, as Parse reads them. The error tells that
// there is no such name, that it is an output, or what is wrong with a value.
func (b *Batch) Set(name string, texts []string) error {
	p, err := b.Find(name)
	if err != nil {
		return err
	}
	values, err := b.parseAll(p, texts)
	if err == nil {
		err = b.spread(&p, len(values))
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
		return fmt.Errorf("%d values for %s, which has %d", len(values), p.Name, most)
	}
	b.in.Same = append(b.in.Same, Given{p, values})
	return nil
}

func (l *Launch) parseAll(p Port, texts []string) ([]uint64, error) {
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

// Read takes the inputs of lanes from a file: json, csv or raw. The error says where it is wrong.
func (b *Batch) Read(data []byte, format string) error {
	read := map[string]func([]byte, *Launch) (*Input, error){"json": readJSON, "csv": readCSV, "raw": readRaw}[format]
	if read == nil {
		return fmt.Errorf("no format %q, expected json, csv or raw", format)
	}
	if format != "raw" {
		data = bytes.TrimPrefix(data, []byte(diag.ByteOrderMark))
	}
	in, err := read(data, b.Launch)
	if err != nil {
		return err
	}
	in.Same = b.in.Same
	b.in, b.read = *in, true
	return nil
}

// Feed gives the lanes inputs that are at hand; those of Set go before.
func (b *Batch) Feed(in Input) {
	in.Same = append(in.Same, b.in.Same...)
	b.in, b.read = in, true
}

// Given returns what Read, Feed and Set gave.
func (b *Batch) Given() Input { return b.in }

// Run runs the program for all inputs. The error tells that there are none to repeat.
func (b *Batch) Run(opt RunOptions) (*Outcome, error) {
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
	out := &Outcome{Result: *b.Launch.Run(in, opt), Noun: b.Noun, Nouns: b.Nouns, Lanes: in.Lanes, Open: b.Open}
	t := Table{Name: b.Nouns, Row: b.Noun, Columns: columnsOf(out.Outputs), Rows: out.Values}
	switch {
	case b.chosen:
		t.Columns = b.Columns()
		width := len(flatten(b.Outputs))
		for i, row := range t.Rows {
			t.Rows[i] = row[:width]
		}
	case b.Changed:
		t = t.only(out.Result.Changed)
	}
	out.Tables = []Table{t}
	return out, nil
}

// only returns a table of the columns of which a component is among those that are wanted, and of those that stand after
// them: words that the program wrote where it computed.
func (t Table) only(wanted []bool) Table {
	out := Table{Name: t.Name, Row: t.Row, Rows: make([][]uint64, len(t.Rows))}
	at := 0
	for _, c := range t.Columns {
		from := at
		at += c.Count()
		if at <= len(wanted) && !slices.Contains(wanted[from:at], true) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for i, row := range t.Rows {
			out.Rows[i] = append(out.Rows[i], row[from:at]...)
		}
	}
	return out
}

// Select makes the outputs what is named: a register, one of a view, a component such as r1.x, or all registers of a file
// or a view. The error tells that there is none of that name.
func (b *Batch) Select(names []string) error {
	var all []Port
	for _, name := range names {
		list, err := b.selected(name)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	b.Outputs, b.chosen = all, true
	return nil
}

func (b *Batch) selected(name string) (list []Port, err error) {
	if p, err := b.Find(name); err == nil {
		return []Port{p}, nil
	}
	for n := range b.count(name) {
		if p, ok := b.register(fmt.Sprint(name, n)); ok {
			list = append(list, p)
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	p, err := csvPort(b.Launch, name)
	return []Port{p}, err
}

// count returns how many registers a file or a view of that name has, 0 where there is none.
func (l *Launch) count(name string) int {
	for _, s := range l.Program.Machine.States {
		if s.Kind == sem.FileState && (s.Name == name || slices.Contains(s.Aliases, name)) {
			return s.Count
		}
	}
	for _, v := range l.Program.Machine.Views() {
		if v.Name == name || slices.Contains(v.Aliases, name) {
			return v.Count()
		}
	}
	return 0
}

// Columns describes the outputs.
func (l *Launch) Columns() []Column { return columnsOf(l.Outputs) }

func columnsOf(ports []Port) []Column {
	var list []Column
	for i := range ports {
		p := &ports[i]
		for n := range p.Count {
			c := Column{Name: p.Name, Type: p.Type().Elem()}
			if p.Count > 1 {
				c.Name = fmt.Sprintf("%s[%d]", p.Name, n)
			}
			if p.Type().Len > 0 {
				for _, k := range p.Components() {
					c.Components = append(c.Components, p.Letter(k))
				}
			}
			list = append(list, c)
		}
	}
	return list
}
