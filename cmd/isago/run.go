package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

type runFlags struct {
	machineFlags
	jobsFlag
	in, inFormat, out, outFormat, program string
	set, quirks                           []string
	count                                 int
	budget                                int64
	strict, trace, stats, bits            bool
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run [flags] FILE",
		GroupID: "code",
		Short:   "Run a program on inputs",
		Long: `run executes a program: a vertex shader once for each vertex. Inputs, uniforms and outputs go by the names
that the file gives them, or by their registers, such as v0 and c5; NAME[2] is one register of an array.

--set gives a uniform, or an input that is the same for all vertices. --in reads inputs from a file: JSON
(an array of objects, or {"uniforms": {...}, "vertices": [...]}), CSV (a heading of names such as pos.x or
pos, then a line for each vertex), or raw (32-bit components, least significant byte first, of the inputs that
the file names, in that order). A value is a number, its bits behind 0x, or true or false.

Outputs are a table, JSON, CSV, or raw 32-bit components in the order of the outputs.

Reading what nobody wrote gives 0 and is told of on standard error; with --strict the vertex stops there.

Exit status: 0; 1 for input that cannot be read; 2 for a mistake on the command line; 3 where a vertex did
not reach the end of its program, or read what nobody wrote.`,
		Example: `  isago run light.shbin --set projection[0]=1,0,0,0 --in vertices.csv
  isago run light.shbin --in vertices.json --format json --stats
  isago run light.shbin --set v0=1,2,3,1 --trace --quirk float=f24`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.machineFlags.add(cmd)
	f.jobsFlag.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.in, "in", "", "`FILE` of inputs; - is standard input")
	flags.StringVar(&f.inFormat, "in-format", "", "`FORMAT` of the inputs: json, csv or raw (default: by the name of the file)")
	flags.StringVarP(&f.out, "output", "o", "-", "`FILE` for the outputs")
	flags.StringVar(&f.outFormat, "format", "table", "`FORMAT` of the outputs: table, json, csv or raw")
	flags.StringVar(&f.program, "program", "", "the program of the file, by its label or its `NUMBER` (default: the first)")
	flags.StringArrayVar(&f.set, "set", nil, "a uniform or an input, as `NAME=VALUE,VALUE,...`")
	flags.StringArrayVar(&f.quirks, "quirk", nil, "a choice between documents and hardware, as `NAME=VALUE`")
	flags.IntVarP(&f.count, "count", "n", 0, "run `N` vertices (default: as many as the inputs have, at least one)")
	flags.Int64Var(&f.budget, "budget", 1<<20, "stop after `N` instructions; 0 is no bound")
	flags.BoolVar(&f.strict, "strict", false, "stop where what nobody wrote is read")
	flags.BoolVar(&f.trace, "trace", false, "tell on standard error what each instruction writes, for the first vertex")
	flags.BoolVar(&f.stats, "stats", false, "tell on standard error how much ran, and how fast")
	flags.BoolVar(&f.bits, "bits", false, "values as bits in hex")
	complete(cmd, "format", fixed("table", "json", "csv", "raw"))
	complete(cmd, "in-format", fixed("json", "csv", "raw"))
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	quirks, err := pairs("quirk", f.quirks)
	if err != nil {
		return err
	}
	switch f.outFormat {
	case "table", "json", "csv", "raw":
	default:
		return usagef("--format %q, expected table, json, csv or raw", f.outFormat)
	}
	l, set, err := f.open(cmd, name, quirks)
	if err != nil {
		return err
	}
	in, err := f.inputs(cmd, l)
	if err != nil {
		return err
	}
	if err := f.settings(l, in); err != nil {
		return err
	}
	opt := exec.RunOptions{Jobs: f.jobs, Budget: f.budget, Strict: f.strict}
	if f.trace {
		opt.Trace = (&tracer{w: cmd.ErrOrStderr(), set: set}).step
	}
	if isTerminal(cmd.ErrOrStderr()) && in.Lanes > 1<<16 {
		var done atomic.Int64
		opt.Progress = func(n int) {
			if d := done.Add(int64(n)); d%(1<<14) < int64(n) {
				fmt.Fprintf(cmd.ErrOrStderr(), "\r%d of %d", d, in.Lanes)
			}
		}
		defer fmt.Fprint(cmd.ErrOrStderr(), "\r\x1b[K")
	}
	start := time.Now()
	res := l.Run(*in, opt)
	took := time.Since(start)
	if err := f.write(cmd, l, res); err != nil {
		return err
	}
	if f.stats {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d vertices, %d instructions in %d dispatches, %.3f s: %.1f M instructions/s, %.0f vertices/s\n",
			in.Lanes, res.LaneInstructions, res.Instructions, took.Seconds(), float64(res.LaneInstructions)/took.Seconds()/1e6, float64(in.Lanes)/took.Seconds())
	}
	return f.report(cmd, l, res, in.Lanes)
}

// open reads the program.
func (f *runFlags) open(cmd *cobra.Command, name string, quirks map[string]string) (*exec.Launch, *isa.Set, error) {
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, nil, err
	}
	m, _, known := catalog.Recognise(data)
	if known && m.Launch != nil && (f.isa == "" || f.isa == m.Name) && f.spec == "" {
		set, err := f.load(&m)
		if err != nil {
			return nil, nil, err
		}
		l, err := m.Launch(set, data, f.program, quirks)
		if err != nil {
			return nil, nil, fileError(name, err)
		}
		return l, set, nil
	}
	set, im, err := f.imageOf(name, data)
	if err != nil {
		return nil, nil, err
	}
	ctx, err := f.context(set)
	if err != nil {
		return nil, nil, err
	}
	l, err := exec.Raw(set, im.Words, im.Bits, ctx, quirks)
	return l, set, err
}

// pairs reads flags of the form NAME=VALUE.
func pairs(flag string, list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range list {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, usagef("--%s %q, expected NAME=VALUE", flag, p)
		}
		out[name] = value
	}
	return out, nil
}

// inputs reads the file of inputs.
func (f *runFlags) inputs(cmd *cobra.Command, l *exec.Launch) (*exec.Input, error) {
	in := &exec.Input{Lanes: max(1, f.count)}
	if f.in == "" {
		in.Values = make([][]uint64, in.Lanes)
		return in, nil
	}
	data, err := readAll(cmd, f.in)
	if err != nil {
		return nil, err
	}
	format := f.inFormat
	if format == "" {
		format = strings.TrimPrefix(filepath.Ext(f.in), ".")
	}
	read := map[string]func([]byte, *exec.Launch) (*exec.Input, error){"json": readJSONInput, "csv": readCSVInput, "raw": readRawInput, "bin": readRawInput}[format]
	if read == nil {
		return nil, usagef("the format of %s is not known by its name; --in-format json, csv or raw says it", inputName(f.in))
	}
	if in, err = read(data, l); err != nil {
		return nil, fmt.Errorf("%s: %w", inputName(f.in), err)
	}
	if f.count > 0 {
		if len(in.Values) == 0 {
			return nil, fmt.Errorf("%s: no vertices", inputName(f.in))
		}
		rows, missing := in.Values, in.Missing
		in.Values, in.Missing = make([][]uint64, f.count), nil
		for i := range in.Values { // repeated, where there are fewer
			in.Values[i] = rows[i%len(rows)]
			if missing != nil {
				in.Missing = append(in.Missing, missing[i%len(rows)])
			}
		}
		in.Lanes = f.count
	}
	return in, nil
}

// settings gives what --set says: to all lanes, where it is an input.
func (f *runFlags) settings(l *exec.Launch, in *exec.Input) error {
	for _, s := range f.set {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			return usagef("--set %q, expected NAME=VALUE,VALUE,...", s)
		}
		p, err := l.Find(name)
		if err != nil {
			return usagef("--set: %v", err)
		}
		values, err := parseValues(l, p, strings.Split(text, ","))
		if err != nil {
			return usagef("--set %s: %v", name, err)
		}
		if err := give(l, in, p, values); err != nil {
			return usagef("--set: %v", err)
		}
	}
	return nil
}

// give sets a uniform, or an input of all lanes.
func give(l *exec.Launch, in *exec.Input, p exec.Port, values []uint64) error {
	if l.SetUniform(p, values) == nil {
		return nil
	}
	if p.State.Use == "output" {
		return fmt.Errorf("%s is an output", p.Name)
	}
	if len(values) > p.Count*len(p.Components()) {
		return fmt.Errorf("%d values for %s, which has %d", len(values), p.Name, p.Count*len(p.Components()))
	}
	in.Ports = append(in.Ports, p)
	for i := range in.Values {
		in.Values[i] = append(in.Values[i][:len(in.Values[i]):len(in.Values[i])], values...)
		if in.Missing != nil {
			in.Missing[i] = append(in.Missing[i], make([]bool, len(values))...)
		}
	}
	return nil
}

func parseValues(l *exec.Launch, p exec.Port, texts []string) ([]uint64, error) {
	var values []uint64
	for _, t := range texts {
		v, err := l.Parse(t, p.State.Type)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// readJSONInput reads vertices, and uniforms beside them.
func readJSONInput(data []byte, l *exec.Launch) (*exec.Input, error) {
	var doc struct {
		Uniforms map[string]json.RawMessage   `json:"uniforms"`
		Vertices []map[string]json.RawMessage `json:"vertices"`
	}
	var err error
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && t[0] == '[' {
		err = json.Unmarshal(data, &doc.Vertices)
	} else {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		return nil, err
	}
	for name, raw := range doc.Uniforms {
		p, values, err := jsonValues(l, name, raw)
		if err == nil {
			err = l.SetUniform(p, values)
		}
		if err != nil {
			return nil, fmt.Errorf("uniforms: %w", err)
		}
	}
	in := &exec.Input{Lanes: len(doc.Vertices)}
	var names []string
	start := map[string]int{} // where in a row the components of a name are
	width := 0
	for _, v := range doc.Vertices {
		for name := range v {
			if _, ok := start[name]; !ok {
				start[name] = 0
				names = append(names, name)
			}
		}
	}
	sort.Strings(names)
	for _, name := range names {
		p, err := l.Find(name)
		if err != nil {
			return nil, err
		}
		start[name] = width
		width += p.Count * len(p.Components())
		in.Ports = append(in.Ports, p)
	}
	for i, v := range doc.Vertices {
		row, missing := make([]uint64, width), slices.Repeat([]bool{true}, width)
		for name, raw := range v {
			_, values, err := jsonValues(l, name, raw)
			if err != nil {
				return nil, fmt.Errorf("vertex %d: %w", i, err)
			}
			for k, x := range values {
				row[start[name]+k], missing[start[name]+k] = x, false
			}
		}
		in.Values, in.Missing = append(in.Values, row), append(in.Missing, missing)
	}
	return in, nil
}

// jsonValues reads a number, a text, or an array of them, which may hold arrays.
func jsonValues(l *exec.Launch, name string, raw json.RawMessage) (exec.Port, []uint64, error) {
	p, err := l.Find(name)
	if err != nil {
		return p, nil, err
	}
	var texts []string
	if err := jsonTexts(raw, &texts); err != nil {
		return p, nil, fmt.Errorf("%s: %w", name, err)
	}
	values, err := parseValues(l, p, texts)
	if err == nil && len(values) > p.Count*len(p.Components()) {
		err = fmt.Errorf("%d values, expected %d", len(values), p.Count*len(p.Components()))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return p, values, err
}

func jsonTexts(raw json.RawMessage, texts *[]string) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			if err := jsonTexts(item, texts); err != nil {
				return err
			}
		}
		return nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		if s = strings.TrimSpace(string(raw)); strings.HasPrefix(s, "{") || s == "null" {
			return fmt.Errorf("%s, expected numbers", s)
		}
	}
	*texts = append(*texts, s)
	return nil
}

// readCSVInput reads a heading of names, perhaps with components, and a line for each vertex.
func readCSVInput(data []byte, l *exec.Launch) (*exec.Input, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace = true
	heading, err := r.Read()
	if err != nil {
		return nil, errors.Join(errors.New("no heading of names"), err)
	}
	in := &exec.Input{}
	for _, name := range heading {
		p, err := csvPort(l, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		in.Ports = append(in.Ports, p)
	}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			in.Lanes = len(in.Values)
			return in, nil
		}
		if err != nil {
			return nil, err
		}
		row := make([]uint64, len(fields))
		for i, text := range fields {
			if row[i], err = l.Parse(text, in.Ports[i].State.Type); err != nil {
				line, _ := r.FieldPos(i)
				return nil, fmt.Errorf("line %d, %s: %w", line, heading[i], err)
			}
		}
		in.Values = append(in.Values, row)
	}
}

// csvPort is the component that a column is.
func csvPort(l *exec.Launch, name string) (exec.Port, error) {
	base, comp, dotted := name, "", false
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		if _, err := l.Find(name); err != nil {
			base, comp, dotted = name[:i], name[i+1:], true
		}
	}
	p, err := l.Find(base)
	if err != nil {
		return p, err
	}
	p.Count = 1
	if !dotted {
		p.Mask = 1
		return p, nil
	}
	for k := range p.State.Type.Count() {
		if p.State.Letter(k) == comp {
			p.Mask = 1 << uint(k)
			return p, nil
		}
	}
	return p, fmt.Errorf("no component %q of %s", comp, base)
}

// readRawInput reads 32-bit components of the inputs that the file names.
func readRawInput(data []byte, l *exec.Launch) (*exec.Input, error) {
	in := &exec.Input{Ports: l.Inputs}
	n := 0
	for i := range l.Inputs {
		n += l.Inputs[i].Count * len(l.Inputs[i].Components())
	}
	if n == 0 {
		return nil, errors.New("the file names no inputs: raw values have no names of their own")
	}
	if len(data)%(4*n) != 0 {
		return nil, fmt.Errorf("%d bytes, expected a multiple of %d: %d components of 4 bytes for each vertex", len(data), 4*n, n)
	}
	for len(data) > 0 {
		row := make([]uint64, n)
		for i := range row {
			row[i] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
		}
		in.Values = append(in.Values, row)
		data = data[4*n:]
	}
	in.Lanes = len(in.Values)
	return in, nil
}

// write writes the outputs.
func (f *runFlags) write(cmd *cobra.Command, l *exec.Launch, res *exec.Result) (err error) {
	w, err := create(cmd, f.out)
	if err != nil {
		return err
	}
	defer func() { err = w.done(err) }()
	switch f.outFormat {
	case "raw":
		for _, row := range res.Values {
			for _, v := range row {
				_ = binary.Write(w, binary.LittleEndian, uint32(v))
			}
		}
		return nil
	case "json":
		return f.writeJSON(w, l, res)
	case "csv":
		c := csv.NewWriter(w)
		_ = c.Write(append([]string{"vertex"}, columns(l)...))
		f.rows(l, res, func(cells []string) { _ = c.Write(cells) })
		c.Flush()
		return c.Error()
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(append([]string{"vertex"}, columns(l)...), "\t"))
	f.rows(l, res, func(cells []string) { fmt.Fprintln(t, strings.Join(cells, "\t")) })
	return t.Flush()
}

// columns names the components of the outputs.
func columns(l *exec.Launch) []string {
	var names []string
	for i := range l.Outputs {
		p := &l.Outputs[i]
		for n := range p.Count {
			name := p.Name
			if p.Count > 1 {
				name = fmt.Sprintf("%s[%d]", name, n)
			}
			for _, k := range p.Components() {
				if p.State.Type.Len == 0 {
					names = append(names, name)
				} else {
					names = append(names, name+"."+p.State.Letter(k))
				}
			}
		}
	}
	return names
}

func (f *runFlags) rows(l *exec.Launch, res *exec.Result, put func(cells []string)) {
	for i, row := range res.Values {
		cells := []string{strconv.Itoa(i)}
		k := 0
		for p := range l.Outputs {
			t := l.Outputs[p].State.Type
			for range l.Outputs[p].Count * len(l.Outputs[p].Components()) {
				cells = append(cells, f.text(row[k], t))
				k++
			}
		}
		put(cells)
	}
}

func (f *runFlags) text(v uint64, t sem.Type) string {
	if f.bits {
		return fmt.Sprintf("0x%0*x", max(1, (t.Width+3)/4), v)
	}
	return sem.Number(v, t)
}

func (f *runFlags) writeJSON(w io.Writer, l *exec.Launch, res *exec.Result) error {
	fmt.Fprint(w, "[")
	for i, row := range res.Values {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprint(w, "\n  {")
		k := 0
		for p := range l.Outputs {
			port := &l.Outputs[p]
			if p > 0 {
				fmt.Fprint(w, ", ")
			}
			fmt.Fprintf(w, "%q: [", port.Name)
			for n := range port.Count * len(port.Components()) {
				if n > 0 {
					fmt.Fprint(w, ", ")
				}
				fmt.Fprint(w, f.jsonText(row[k], port.State.Type))
				k++
			}
			fmt.Fprint(w, "]")
		}
		fmt.Fprint(w, "}")
	}
	_, err := fmt.Fprint(w, "\n]\n")
	return err
}

// jsonText is a number, and a text where JSON has no such number.
func (f *runFlags) jsonText(v uint64, t sem.Type) string {
	text := f.text(v, t)
	if f.bits || !json.Valid([]byte(text)) {
		return strconv.Quote(text)
	}
	return text
}

// report tells of vertices that did not end, and of reads of what nobody wrote.
func (f *runFlags) report(cmd *cobra.Command, l *exec.Launch, res *exec.Result, lanes int) error {
	odd := false
	for _, s := range res.Stops {
		if s.Reason == "end" || s.Reason == "end of words" && l.Open {
			continue
		}
		odd = true
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d vertices, the first %d: %s\n", s.Count, lanes, s.First, s.Stop)
	}
	for i := 0; i < len(res.Findings); {
		r := res.Findings[i]
		name, count := r.Register(), r.Count
		for i++; i < len(res.Findings); i++ { // the components of one register in one line
			next := res.Findings[i]
			if next.PC != r.PC || next.State != r.State || next.Number != r.Number {
				break
			}
			name += next.State.Letter(next.Comp)
			count = max(count, next.Count)
		}
		odd = true
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d vertices: word %d reads %s, which nobody wrote\n", count, lanes, r.PC, name)
	}
	if odd {
		return errFindings
	}
	return nil
}

// tracer tells what instructions write.
type tracer struct {
	w      io.Writer
	set    *isa.Set
	before map[string]uint64
}

func (t *tracer) step(w *exec.Wave, pc, lanes uint64, after bool) {
	if lanes&1 == 0 {
		return
	}
	if !after {
		t.before = w.Values(0)
		return
	}
	var changed []string
	now := w.Values(0)
	for name, v := range now {
		if t.before[name] != v {
			changed = append(changed, name)
		}
	}
	sort.Strings(changed)
	fmt.Fprintf(t.w, "%d\t%s", pc, t.text(w.Program, pc))
	for _, name := range changed {
		fmt.Fprintf(t.w, "\t%s=%s", name, w.Text(name, now[name]))
	}
	fmt.Fprintln(t.w)
}

// text is the instruction at an address.
func (t *tracer) text(p *exec.Program, pc uint64) string {
	v, ok := p.Fetch(pc)
	d, err := t.set.NewDecoder("")
	if !ok || err != nil {
		return "?"
	}
	for i, table := range p.Words.Tables {
		d.SetTable(i, table)
	}
	d.SetContext(p.Words.Context)
	in, ok := d.Decode(v)
	if !ok {
		return "?"
	}
	return string(d.Append(nil, in))
}
