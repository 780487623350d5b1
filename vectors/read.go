package vectors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/step"
)

// Opener returns the machine with a name.
type Opener func(name string) (*exec.Machine, error)

// Answer is the state in which another engine left the vector with the same name.
type Answer struct {
	Name string
	// State is the state after the run. Registers that it does not name have the values that they had before the run.
	State State
	// NoPC is set if the result does not contain the program counter.
	NoPC bool
	// Calls and Stops are nil if the result does not contain them.
	Calls *[]Call
	Stops *[]Stop
}

// Answers are the results of an engine for the vectors of a file.
type Answers struct {
	File *File
	List []Answer
}

// ReadFile reads a file of vectors.
func ReadFile(name string, open Opener) (*File, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Read(r, name, open)
}

// Read reads a file of vectors. Errors have the position of the mistake in the file, which they call name.
func Read(r io.Reader, name string, open Opener) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	in := new(fileText)
	if err := jsontext.Unmarshal(data, in); err != nil {
		return nil, placed(name, err)
	}
	d := &reader{name: name, data: data}
	return d.file(&in.File, open, len(in.Vectors), func(i int) *vectorText { return &in.Vectors[i] })
}

// ReadAnswers reads the results of an engine. The text is a file of vectors that have, next to final, the field actual or
// hardware; or a line of JSON for each result, with the fields name and actual. Lines need the files that contain the
// vectors. If these files are given, the engine may also have replaced the field final.
func ReadAnswers(r io.Reader, name string, open Opener, against ...*File) ([]*Answers, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	d := &reader{name: name, data: data}
	if len(against) == 0 {
		a, err := d.answered(open)
		if err != nil {
			return nil, err
		}
		return []*Answers{a}, nil
	}
	list := make([]*Answers, len(against))
	d.known = map[string]known{}
	for i, f := range against {
		list[i] = &Answers{File: f}
		m, err := open(f.Machine)
		if err != nil {
			return nil, err
		}
		for k := range f.Vectors {
			d.known[f.Vectors[k].Name] = known{list[i], m, &f.Vectors[k]}
		}
	}
	if d.lines() {
		return list, d.eachLine()
	}
	return list, d.others()
}

// known is a vector to which a result may belong.
type known struct {
	answers *Answers
	machine *exec.Machine
	vector  *Vector
}

// fileText is a file of vectors whose states keep their text until the machine is known.
type fileText struct {
	File
	Vectors []vectorText `json:"vectors"`
}

type vectorText struct {
	Vector
	Initial json.RawMessage `json:"initial"`
	Final   json.RawMessage `json:"final"`
	Decides []decisionText  `json:"decides"`
}

type decisionText struct {
	Decision
	Final json.RawMessage `json:"final"`
}

// answeredText is a file of vectors with results.
type answeredText struct {
	File
	Vectors []struct {
		vectorText
		resultText
	} `json:"vectors"`
}

type resultText struct {
	Actual   json.RawMessage `json:"actual"`
	Hardware json.RawMessage `json:"hardware"`
}

// result returns the result of a vector and the field that contains it. The result is nil if there is none.
func (v *resultText) result() (raw json.RawMessage, field string) {
	if v.Actual == nil && v.Hardware != nil {
		return v.Hardware, "hardware"
	}
	return v.Actual, "actual"
}

// reader reads the states of a file.
type reader struct {
	name  string
	data  []byte
	known map[string]known
}

// placed adds the name of the file to an error.
func placed(name string, err error) error {
	var e *jsontext.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s:%d:%d: %s", name, e.Line, e.Column, e.Text)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// fault is a mistake in a part of the text.
type fault struct {
	path []any
	err  error
}

func (e *fault) Error() string { return e.err.Error() }

// faultf returns a mistake at a path.
func faultf(path []any, format string, args ...any) error {
	return &fault{slices.Clone(path), fmt.Errorf(format, args...)}
}

// place adds the position in the file to a mistake.
func (d *reader) place(err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return placed(d.name, err)
	}
	e := jsontext.Place(d.data, f.err.Error(), f.path...)
	var inner *jsontext.Error
	if errors.As(f.err, &inner) { // relative to the part
		if e.Text = inner.Text; inner.Line > 1 {
			e.Column = 1
		}
		e.Line, e.Column = e.Line+inner.Line-1, e.Column+inner.Column-1
	}
	return placed(d.name, e)
}

// file completes a file with its n vectors.
func (d *reader) file(f *File, open Opener, n int, vector func(i int) *vectorText) (*File, error) {
	if f.Format != Format {
		return nil, d.place(faultf([]any{"format"}, "format %d, expected %d", f.Format, Format))
	}
	m, err := open(f.Machine)
	if err != nil {
		return nil, d.place(&fault{[]any{"machine"}, err})
	}
	names := map[string]bool{}
	for i := range n {
		path := []any{"vectors", i}
		v, err := vector(i).resolve(m, path)
		if err != nil {
			return nil, d.place(err)
		}
		if names[v.Name] || v.Name == "" {
			return nil, d.place(faultf(append(path, "name"), "name %q, expected another name for each vector", quote.Shorten(v.Name)))
		}
		names[v.Name] = true
		if _, err := f.program(m, v, nil); err != nil {
			return nil, d.place(&fault{path, err})
		}
		f.Vectors = append(f.Vectors, *v)
	}
	return f, nil
}

// resolve returns the vector with its states.
func (t *vectorText) resolve(m *exec.Machine, path []any) (v *Vector, err error) {
	v = &t.Vector
	if v.Lanes < 1 || v.Lanes > exec.Lanes {
		return nil, faultf(append(path, "lanes"), "%d lanes, expected 1 to %d", v.Lanes, exec.Lanes)
	}
	if v.Steps < 0 {
		return nil, faultf(append(path, "steps"), "%d steps, expected a number of instructions, or 0", v.Steps)
	}
	if v.Initial, err = required(m, v, t.Initial, append(path, "initial")); err != nil {
		return nil, err
	}
	if v.Final, err = required(m, v, t.Final, append(path, "final")); err != nil {
		return nil, err
	}
	for i := range t.Decides {
		x := &t.Decides[i]
		if x.Decision.Final, err = required(m, v, x.Final, append(path, "decides", i, "final")); err != nil {
			return nil, err
		}
		v.Decides = append(v.Decides, x.Decision)
	}
	return v, nil
}

// answered reads a file of vectors with results.
func (d *reader) answered(open Opener) (*Answers, error) {
	if d.lines() {
		return nil, fmt.Errorf("%s: lines of results, expected also the file of vectors to which they belong", d.name)
	}
	var in answeredText
	if err := jsontext.Unmarshal(d.data, &in); err != nil {
		return nil, placed(d.name, err)
	}
	f, err := d.file(&in.File, open, len(in.Vectors), func(i int) *vectorText { return &in.Vectors[i].vectorText })
	if err != nil {
		return nil, err
	}
	m, err := open(f.Machine)
	if err != nil {
		return nil, err
	}
	a := &Answers{File: f}
	for i := range in.Vectors {
		raw, field := in.Vectors[i].result()
		if raw == nil {
			continue
		}
		if err := a.add(m, &f.Vectors[i], raw, []any{"vectors", i, field}); err != nil {
			return nil, d.place(err)
		}
	}
	if len(a.List) == 0 && len(f.Vectors) > 0 {
		return nil, d.place(faultf([]any{"vectors"}, "no vector has the field actual or hardware, expected the result of an engine in it"))
	}
	return a, nil
}

// lines reports whether the text is a result in each line, and not a file of vectors.
func (d *reader) lines() bool {
	var first map[string]json.RawMessage
	err := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(d.data, []byte("\ufeff")))).Decode(&first)
	_, named := first["name"]
	_, file := first["vectors"]
	return err == nil && named && !file
}

// add adds the result of a vector.
func (a *Answers) add(m *exec.Machine, v *Vector, raw json.RawMessage, path []any) error {
	state, text, err := readState(m, v, raw, path)
	if err != nil {
		return err
	}
	a.List = append(a.List, Answer{Name: v.Name, State: state, NoPC: text.PC == "", Calls: text.Calls, Stops: text.Stops})
	return nil
}

// find returns the vector with a name, which must not have a result yet.
func (d *reader) find(name string, done map[string]bool, path []any) (known, error) {
	k, ok := d.known[name]
	switch {
	case !ok:
		return k, faultf(path, "unknown vector %q%s", quote.Shorten(name), quote.DidYouMean(name, slices.Sorted(maps.Keys(d.known))))
	case done[name]:
		return k, faultf(path, "vector %q for the second time, expected one result", quote.Shorten(name))
	}
	done[name] = true
	return k, nil
}

// others reads a file with results of known vectors.
func (d *reader) others() error {
	var in answeredText
	if err := jsontext.Unmarshal(d.data, &in); err != nil {
		return placed(d.name, err)
	}
	done := map[string]bool{}
	for i := range in.Vectors {
		v := &in.Vectors[i]
		path := []any{"vectors", i}
		k, err := d.find(v.Name, done, append(path, "name"))
		if err != nil {
			return d.place(err)
		}
		raw, field := v.result()
		if raw == nil {
			raw, field = v.Final, "final"
		}
		if raw == nil {
			return d.place(faultf(path, "no result, expected the field actual, hardware or final"))
		}
		if err := k.answers.add(k.machine, k.vector, raw, append(path, field)); err != nil {
			return d.place(err)
		}
	}
	return nil
}

// eachLine reads a result from each line.
func (d *reader) eachLine() error {
	in := bufio.NewReader(bytes.NewReader(d.data))
	done := map[string]bool{}
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			one := &reader{name: d.name, data: line, known: d.known}
			if err := one.line(done); err != nil {
				var e *jsontext.Error
				if errors.As(err, &e) {
					e.Line += number - 1
				}
				return placed(d.name, err)
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// line reads one result.
func (d *reader) line(done map[string]bool) error {
	var in struct {
		Name string `json:"name"`
		resultText
	}
	if err := jsontext.Unmarshal(d.data, &in); err != nil {
		return err
	}
	raw, field := in.result()
	path := []any{"name"}
	k, err := d.find(in.Name, done, path)
	if err == nil && raw == nil {
		err = faultf(nil, "no result, expected the field actual or hardware")
	}
	if err == nil {
		err = k.answers.add(k.machine, k.vector, raw, []any{field})
	}
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	e := jsontext.Place(d.data, f.err.Error(), f.path...)
	var inner *jsontext.Error
	if errors.As(f.err, &inner) {
		e.Text, e.Column = inner.Text, e.Column+inner.Column-1
	}
	return e
}

// stateText is a state as JSON. Its parts keep their text until the machine is known.
type stateText struct {
	PC     json.Number       `json:"pc,omitempty"`
	State  json.RawMessage   `json:"state,omitempty"`
	Lanes  []json.RawMessage `json:"lanes,omitempty"`
	Memory json.RawMessage   `json:"memory,omitempty"`
	Calls  *[]Call           `json:"calls,omitempty"`
	Stops  *[]Stop           `json:"stops,omitempty"`
}

// required returns a state that the file must contain with its program counter.
func required(m *exec.Machine, v *Vector, raw json.RawMessage, path []any) (State, error) {
	if raw == nil {
		return State{}, faultf(path, "no state %v, expected it", path[len(path)-1])
	}
	s, text, err := readState(m, v, raw, path)
	switch {
	case err != nil:
	case text.PC == "":
		err = faultf(path, "no pc, expected the program counter")
	case text.Calls != nil || text.Stops != nil:
		err = faultf(path, "calls or stops in this state, expected them in the vector")
	}
	return s, err
}

// readState reads a state of a vector.
func readState(m *exec.Machine, v *Vector, raw json.RawMessage, path []any) (State, *stateText, error) {
	text := new(stateText)
	if err := jsontext.Unmarshal(raw, text); err != nil {
		return State{}, nil, &fault{slices.Clone(path), err}
	}
	if n := len(text.Lanes); n > 0 && n != v.Lanes {
		return State{}, nil, faultf(append(path, "lanes"), "%d lanes, expected the %d lanes of the vector", n, v.Lanes)
	}
	only := *text
	only.Calls, only.Stops = nil, nil
	data, err := json.Marshal(&only)
	if err != nil {
		return State{}, nil, err
	}
	s, err := step.ParseState(m, data, v.Lanes)
	if err != nil {
		return State{}, nil, &fault{slices.Clone(path), part(err)}
	}
	return s, text, complete(m, &s, path)
}

// part returns an error without the position in a text that Read has put together.
func part(err error) error {
	var e *jsontext.Error
	if errors.As(err, &e) {
		return errors.New(e.Text)
	}
	return err
}

// complete checks that registers have all their components and are named once, and that they exist between instructions.
func complete(m *exec.Machine, s *State, path []any) error {
	seen := map[spot]bool{}
	for i := range s.Registers {
		r := &s.Registers[i]
		st := m.State(r.Name)
		at := spot{registerSpot, st, r.Number, 0, r.Lane}
		switch {
		case len(r.Values) != st.Type.Lanes:
			return faultf(path, "%s: %d components, expected %d", nameOf(r), len(r.Values), st.Type.Lanes)
		case st.Scope == exec.ScopeInstruction || st.ReadOnly:
			return faultf(path, "%s: a program cannot observe it, expected a register", r.Name)
		case seen[at]:
			return faultf(path, "%s of lane %d for the second time, expected each once", nameOf(r), r.Lane)
		}
		seen[at] = true
	}
	stacks := map[spot]bool{}
	for i := range s.Stacks {
		x := &s.Stacks[i]
		st := m.State(x.Name)
		at := spot{depthSpot, st, 0, 0, x.Lane}
		switch {
		case stacks[at]:
			return faultf(path, "%s of lane %d for the second time, expected each once", x.Name, x.Lane)
		case len(x.Entries) > st.Count:
			return faultf(path, "%s: %d entries, expected at most %d", x.Name, len(x.Entries), st.Count)
		}
		stacks[at] = true
	}
	return nil
}

// nameOf returns the name of a register.
func nameOf(r *Register) string {
	if r.Single {
		return r.Name
	}
	return r.Name + strconv.Itoa(r.Number)
}
