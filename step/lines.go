package step

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/isa"
)

// Lines answers queries in the form of isago step. It is not safe for concurrent use.
type Lines struct {
	// find returns a machine by its name.
	find     func(name string) (Named, error)
	machines map[string]*machine
	// programs holds the programs of recent queries, by the text that determines them. size is the sum of their sizes.
	programs map[string]*Program
	size     int
	key      []byte
	lanes    [][]byte
}

// Named is a machine with the values of its contexts and quirks, unless a query sets them.
type Named struct {
	Machine         *exec.Machine
	Context, Quirks map[string]string
}

// machine is a machine with all that lines use again.
type machine struct {
	Named
	runner *Runner
	parser parser
	query  Query
}

// maxSize limits the sizes of the programs that Lines keeps. The size of a program is the number of its words, each of
// which takes up to about 50 kB when it has run, or of 64 characters of its text if that is more.
const maxSize = 1 << 11

// NewLines returns an answerer of lines. find returns the machine with a name, which is "" for a query without a machine.
func NewLines(find func(name string) (Named, error)) *Lines {
	return &Lines{find: find, machines: map[string]*machine{}, programs: map[string]*Program{}}
}

// form is a query as encoding/json reads it.
type form struct {
	ISA     string                       `json:"isa,omitempty"`
	Root    string                       `json:"root,omitempty"`
	Context map[string]string            `json:"context,omitempty"`
	Words   []string                     `json:"words,omitempty"`
	State   map[string]json.RawMessage   `json:"state,omitempty"`
	Lanes   []map[string]json.RawMessage `json:"lanes,omitempty"`
	Tables  map[string][]string          `json:"tables,omitempty"`
	Memory  map[string]map[string]string `json:"memory,omitempty"`
	PC      json.Number                  `json:"pc,omitempty"`
	Active  string                       `json:"active,omitempty"`
	Steps   int64                        `json:"steps,omitempty"`
	Quirks  map[string]string            `json:"quirks,omitempty"`
	Read    []string                     `json:"read,omitempty"`
}

// line holds the texts of the fields of a query, nil for a missing one.
type line struct {
	isa, root, context, words, state, lanes, tables, memory, pc, active, steps, quirks, read []byte
}

// field returns the place for the value of a field, or nil if there is no field with this name.
func (l *line) field(name []byte) *[]byte {
	switch string(name) {
	case "isa":
		return &l.isa
	case "root":
		return &l.root
	case "context":
		return &l.context
	case "words":
		return &l.words
	case "state":
		return &l.state
	case "lanes":
		return &l.lanes
	case "tables":
		return &l.tables
	case "memory":
		return &l.memory
	case "pc":
		return &l.pc
	case "active":
		return &l.active
	case "steps":
		return &l.steps
	case "quirks":
		return &l.quirks
	case "read":
		return &l.read
	}
	return nil
}

// split finds the fields of a query. It returns errForm if the text does not have the form of jsontext.Reader.
func (l *line) split(text []byte, valid bool) error {
	r := jsontext.Reader{Valid: valid}
	r.Reset(text)
	for ok := r.Enter('{'); ok && r.More('}'); {
		to := l.field(r.Name())
		value := r.Value()
		if to == nil || *to != nil {
			return errForm
		}
		*to = value
	}
	if !r.End() {
		return errForm
	}
	return nil
}

// errForm is the error for a query that is not in the common form. encoding/json decides whether there is a mistake.
var errForm = errors.New("JSON in another form")

// Answer appends the answer to a query, which is a line of text. number is the number of the line, for errors with a
// place in the line. If Answer returns an error, it appends nothing.
func (l *Lines) Answer(ctx context.Context, out, text []byte, number int) ([]byte, error) {
	result, err := l.answer(ctx, out, text, false)
	if err == nil || ctx.Err() != nil {
		return result, err
	}
	var f form
	if wrong := jsontext.Unmarshal(text, &f); wrong != nil { // mistakes in the text come first
		var place *jsontext.Error
		if errors.As(wrong, &place) {
			place.Line = number
		}
		return out, wrong
	}
	if errors.Is(err, errForm) {
		if text, err = json.Marshal(&f); err == nil {
			result, err = l.answer(ctx, out, text, true)
		}
	}
	if err != nil {
		return out, err
	}
	return result, nil
}

func (l *Lines) answer(ctx context.Context, out, text []byte, valid bool) ([]byte, error) {
	var q line
	if err := q.split(text, valid); err != nil {
		return out, err
	}
	m, err := l.machine(q.isa)
	if err != nil {
		return out, err
	}
	if err := l.query(m, &q); err != nil {
		return out, err
	}
	result, err := m.runner.Run(ctx, &m.query)
	var full *stackError
	if errors.As(err, &full) && full.index >= m.parser.ofLanes {
		return out, fmt.Errorf("lane %d: %w", full.lane, err)
	}
	if err != nil {
		return out, err
	}
	lanes := 0
	if len(l.lanes) > 0 {
		lanes = len(l.lanes)
	}
	return result.append(out, lanes, m.query.Steps > 0), nil
}

// machine returns the machine of a query.
func (l *Lines) machine(value []byte) (*machine, error) {
	var name []byte
	if value != nil {
		r := reader(value)
		if name = r.Text(); r.Failed {
			return nil, errForm
		}
	}
	if m := l.machines[string(name)]; m != nil {
		return m, nil
	}
	named, err := l.find(string(name))
	if err != nil {
		return nil, err
	}
	m := &machine{Named: named, runner: NewRunner(named.Machine), parser: parser{m: named.Machine}}
	l.machines[string(name)] = m
	return m, nil
}

// query reads the query of a line.
func (l *Lines) query(m *machine, q *line) (err error) {
	x := &m.query
	*x = Query{Read: x.Read[:0]}
	if x.Program, err = l.program(m, q); err != nil {
		return err
	}
	l.lanes = l.lanes[:0]
	if q.lanes != nil {
		r := reader(q.lanes)
		for ok := r.Enter('['); ok && r.More(']'); {
			l.lanes = append(l.lanes, r.Value())
		}
		if r.Failed {
			return errForm
		}
	}
	x.Lanes = len(l.lanes)
	if q.steps != nil {
		if x.Steps, err = strconv.ParseInt(string(q.steps), 10, 64); err != nil {
			return errForm
		}
	}
	if err := x.checkSize(); err != nil {
		return err
	}
	var pc uint64
	if q.pc != nil {
		if q.pc[0] != '-' && (q.pc[0] < '0' || q.pc[0] > '9') {
			return errForm
		}
		if pc, err = strconv.ParseUint(string(q.pc), 0, 32); err != nil {
			return fmt.Errorf("pc %s, expected an unsigned number of 32 bits", q.pc)
		}
	}
	x.Initial.PC = pc
	if err := x.checkPC(); err != nil {
		return err
	}
	if err := x.readActive(q.active); err != nil {
		return err
	}
	if err := m.parser.all(q.state, l.lanes, q.memory, max(1, x.Lanes)); err != nil {
		return err
	}
	x.Initial, x.Initial.PC = m.parser.state, pc
	if q.read != nil {
		r := reader(q.read)
		for ok := r.Enter('['); ok && r.More(']'); {
			x.Read = append(x.Read, string(r.Text()))
		}
		if r.Failed {
			return errForm
		}
	}
	return nil
}

// readActive reads the mask of the lanes that exist.
func (q *Query) readActive(value []byte) error {
	if value == nil {
		return nil
	}
	r := reader(value)
	text := r.Text()
	if r.Failed {
		return errForm
	}
	if len(text) == 0 {
		return nil
	}
	lanes := max(1, q.Lanes)
	var err error
	q.Active, err = strconv.ParseUint(string(text), 16, 64)
	if err != nil || q.Active == 0 || q.Active&^(^uint64(0)>>uint(exec.Lanes-lanes)) != 0 {
		return activeError(string(text), lanes)
	}
	return nil
}

// program returns the program of a query.
func (l *Lines) program(m *machine, q *line) (*Program, error) {
	l.key = l.key[:0]
	for _, text := range [][]byte{q.isa, q.root, q.words, q.context, q.tables, q.quirks} {
		l.key = append(append(l.key, text...), '\n') // no JSON of a query contains one within a string
	}
	if p := l.programs[string(l.key)]; p != nil {
		return p, nil
	}
	var f form
	for _, part := range []struct {
		text []byte
		to   any
	}{{q.root, &f.Root}, {q.words, &f.Words}, {q.context, &f.Context}, {q.tables, &f.Tables}, {q.quirks, &f.Quirks}} {
		if part.text != nil && jsontext.UnmarshalPart(part.text, part.to) != nil {
			return nil, errForm
		}
	}
	p, err := newProgram(m, &f)
	if err != nil {
		return nil, err
	}
	size := max(len(f.Words), len(l.key)/64)
	if l.size += size; l.size > maxSize {
		clear(l.programs)
		l.size = size
	}
	kept := m.runner.Program(p)
	l.programs[string(l.key)] = kept
	return kept, nil
}

// Code is a program as the JSON of a query contains it.
type Code struct {
	// Root is the name of the root of the words, "" for the one of the words that the program counter addresses.
	Root string
	// Words are the words in hexadecimal, in the order in which files store them.
	Words []string
	// Tables, Context and Quirks are table entries in hexadecimal, and values of contexts and quirks, by name.
	Tables          map[string][]string
	Context, Quirks map[string]string
}

// Program returns the program.
func (c *Code) Program(m *exec.Machine) (*exec.Program, error) {
	root, err := m.Root(c.Root)
	if err != nil {
		return nil, err
	}
	code, size, err := parseWords(root, c.Words)
	if err != nil {
		return nil, err
	}
	words, set := m.Words32(root, code, size), m.Set()
	for name, value := range c.Context {
		if words.Context, err = set.ParseContext(words.Context, name, value); err != nil {
			return nil, err
		}
	}
	if err := parseTables(set, words.Tables, c.Tables); err != nil {
		return nil, err
	}
	if words.Quirks, err = m.ParseQuirks(c.Quirks); err != nil {
		return nil, err
	}
	return exec.NewProgram(m, words), nil
}

// newProgram returns the program of a query.
func newProgram(m *machine, f *form) (*exec.Program, error) {
	context, quirks := map[string]string{}, map[string]string{}
	maps.Copy(context, m.Context)
	maps.Copy(context, f.Context)
	maps.Copy(quirks, m.Quirks)
	maps.Copy(quirks, f.Quirks)
	c := Code{Root: f.Root, Words: f.Words, Tables: f.Tables, Context: context, Quirks: quirks}
	return c.Program(m.Machine)
}

// parseWords parses the words of a query. A text is one word of 32 bits. If the machine stores programs in narrower
// words, a shorter text is as many of these words as its digits fill. size is the length of the code in bits.
func parseWords(root *isa.Root, texts []string) (code []uint32, size int64, err error) {
	for _, text := range texts {
		v, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return nil, 0, fmt.Errorf("word %q, expected up to 8 hexadecimal digits", text)
		}
		width := min(32, root.StoredSize(4*len(text)))
		for bit := 0; bit < width; bit += 8 { // both are whole bytes
			if size%32 == 0 {
				code = append(code, 0)
			}
			code[len(code)-1] |= uint32(v) >> bit & 0xff << (size % 32)
			size += 8
		}
	}
	if len(code) == 0 {
		return nil, 0, errors.New("there are no words, expected at least one")
	}
	return code, size, nil
}

// parseTables parses table entries.
func parseTables(set *isa.Set, tables [][]bits.Value, texts map[string][]string) error {
	for name, entries := range texts {
		known := false
		for i, t := range set.Tables() {
			if t.Name != name {
				continue
			}
			known = true
			for _, e := range entries {
				v, err := bits.ParseHex(e)
				if err != nil {
					return fmt.Errorf("table %s: %v", name, err)
				}
				tables[i] = append(tables[i], v)
			}
		}
		if !known {
			return fmt.Errorf("unknown table %q", name)
		}
	}
	return nil
}

// append appends the answer. lanes is the number of states in the field lanes of the query. limited is set if the query
// limits the number of steps.
func (r *Result) append(out []byte, lanes int, limited bool) []byte {
	out = r.Changed.appendParts(append(out, '{'), lanes)
	if len(r.Calls) > 0 {
		calls, _ := json.Marshal(r.Calls) // which cannot fail
		out = append(append(out, `,"calls":`...), calls...)
	}
	out = append(out, `,"stop":`...)
	out = AppendText(out, r.reason(limited))
	switch {
	case len(r.Stops) == 1:
		out = appendPlace(out, &r.Stops[0])
	case len(r.Stops) > 1:
		out = append(out, `,"stops":[`...)
		for i := range r.Stops {
			s := &r.Stops[i]
			if i > 0 {
				out = append(out, ',')
			}
			out = appendHex(append(out, `{"lanes":`...), s.Lanes, 1)
			out = AppendText(append(out, `,"stop":`...), reasonOf(s, limited))
			out = append(appendPlace(out, s), '}')
		}
		out = append(out, ']')
	}
	first := true
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Text == "" {
			continue
		}
		if first {
			out = append(out, `,"unknown":[`...)
		} else {
			out = append(out, ',')
		}
		first = false
		out = AppendText(out, fmt.Sprintf("0x%x: %s", f.Address, f.Text))
	}
	if !first {
		out = append(out, ']')
	}
	return append(out, '}')
}

// appendPlace appends the place of a stop.
func appendPlace(out []byte, s *exec.Stop) []byte {
	out = strconv.AppendUint(append(out, `,"pc":`...), s.PC, 10)
	return strconv.AppendUint(append(out, `,"address":`...), s.Address, 10)
}

// reason returns the reasons why the lanes stopped.
func (r *Result) reason(limited bool) string {
	if len(r.Stops) == 1 && !r.Waits {
		return reasonOf(&r.Stops[0], limited)
	}
	var text []byte
	for i := range r.Stops {
		text = append(append(text, reasonOf(&r.Stops[i], limited)...), ", "...)
	}
	if r.Waits {
		text = append(text, "barrier"...)
	}
	return string(bytes.TrimSuffix(text, []byte(", ")))
}

// reasonOf returns the reason why lanes stopped.
func reasonOf(s *exec.Stop, limited bool) string {
	text := s.Reason
	if text == "budget" && limited {
		text = "steps"
	}
	if s.Text != "" {
		text += ": " + s.Text
	}
	return text
}
