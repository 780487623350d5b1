package feed

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
)

// readJSON reads vertices, and uniforms beside them.
func readJSON(data []byte, l *exec.Launch) (*exec.Input, error) {
	var doc struct {
		Uniforms map[string]json.RawMessage   `json:"uniforms"`
		Vertices []map[string]json.RawMessage `json:"vertices"`
	}
	var err error
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && t[0] == '[' {
		err = jsontext.Unmarshal(data, &doc.Vertices)
	} else {
		err = jsontext.Unmarshal(data, &doc)
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
	ports := map[string]exec.Port{}
	rows := make([]map[string][]uint64, len(doc.Vertices))
	for i, v := range doc.Vertices {
		rows[i] = map[string][]uint64{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			p, values, err := jsonValues(l, name, v[name])
			if err != nil {
				return nil, fmt.Errorf("vertex %d: %w", i, err)
			}
			if rows[i][name] = values; p.Count > ports[name].Count {
				ports[name] = p
			}
		}
	}
	start := map[string]int{} // where in a row the components of a name are
	width := 0
	for _, name := range slices.Sorted(maps.Keys(ports)) {
		p := ports[name]
		start[name] = width
		width += p.Count * len(p.Components())
		in.Ports = append(in.Ports, p)
	}
	for _, v := range rows {
		row, missing := make([]uint64, width), slices.Repeat([]bool{true}, width)
		for name, values := range v {
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
	texts, err := jsontext.Texts(raw)
	if err != nil {
		return p, nil, fmt.Errorf("%s: %w", name, err)
	}
	values, err := parseAll(l, p, texts)
	if err == nil {
		err = l.Extend(&p, len(values))
	}
	if err == nil && len(values) > p.Count*len(p.Components()) {
		err = fmt.Errorf("%d values, expected %d", len(values), p.Count*len(p.Components()))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return p, values, err
}

// readCSV reads a heading of names, perhaps with components, and a line for each vertex.
func readCSV(data []byte, l *exec.Launch) (*exec.Input, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.TrimLeadingSpace, r.FieldsPerRecord = true, -1
	heading, err := r.Read()
	if err == io.EOF {
		return nil, errors.New("the file is empty, expected a heading of names")
	}
	if err != nil {
		return nil, err
	}
	in := &exec.Input{}
	given := map[exec.Component]string{}
	for _, name := range heading {
		p, err := l.FindComponent(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		in.Ports = append(in.Ports, p)
		c := exec.Component{State: p.State, Number: p.First, Comp: p.Components()[0], View: p.View}
		if given[c] != "" {
			return nil, fmt.Errorf("columns %q and %q name the same component", given[c], name)
		}
		given[c] = name
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
		if line, _ := r.FieldPos(0); len(fields) != len(heading) {
			return nil, fmt.Errorf("line %d: %d values, expected %d, one for each column of the heading", line, len(fields), len(heading))
		}
		row := make([]uint64, len(fields))
		for i, text := range fields {
			if row[i], err = l.Parse(text, in.Ports[i].Type()); err != nil {
				line, _ := r.FieldPos(i)
				return nil, fmt.Errorf("line %d, %s: %w", line, heading[i], err)
			}
		}
		in.Values = append(in.Values, row)
	}
}

// readRaw reads 32-bit components of the inputs that the file names.
func readRaw(data []byte, l *exec.Launch) (*exec.Input, error) {
	in := &exec.Input{Ports: l.Inputs}
	n := 0
	for i := range l.Inputs {
		n += l.Inputs[i].Count * len(l.Inputs[i].Components())
	}
	if n == 0 {
		return nil, errors.New("raw values need a program that declares inputs")
	}
	if len(data)%(4*n) != 0 {
		return nil, fmt.Errorf("the file has %d bytes, expected a multiple of %d, the size of a vertex with %d components", len(data), 4*n, n)
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
