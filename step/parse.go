package step

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/jsontext"
	"github.com/isago/isago/isa"
)

// parser parses states. Its lists are used again for the next state.
type parser struct {
	m      *exec.Machine
	state  State
	values []uint64
	bytes  []byte
	// ofLanes is the number of stacks before those of the field lanes.
	ofLanes int
}

// reset begins a new state.
func (p *parser) reset() {
	p.state = State{Registers: p.state.Registers[:0], Stacks: p.state.Stacks[:0], Memories: p.state.Memories[:0]}
	p.values, p.bytes = p.values[:0], p.bytes[:0]
}

// reader returns a reader of a part of the text, which is known to be valid JSON.
func reader(text []byte) jsontext.Reader {
	r := jsontext.Reader{Valid: true}
	r.Reset(text)
	return r
}

// errKind is the error for a value of another kind than expected.
var errKind = errors.New("another kind of value")

// kindError returns the error of a text that starts with a value that is not of the kind of v.
func kindError(text []byte, v any) error {
	r := reader(text)
	text = r.Value()
	if err := jsontext.UnmarshalPart(text, v); err != nil {
		return err
	}
	return errKind
}

// each reads an object. It calls f with each name, and f reads the value.
func each(r *jsontext.Reader, f func(name []byte) error) error {
	text := r.Rest()
	if !r.Enter('{') {
		var object map[string]json.RawMessage
		return kindError(text, &object)
	}
	for r.More('}') {
		if err := f(r.Name()); err != nil {
			return err
		}
	}
	return nil
}

// readText reads a string.
func readText(r *jsontext.Reader) ([]byte, error) {
	rest := r.Rest()
	text := r.Text()
	if r.Failed {
		var want string
		return nil, kindError(rest, &want)
	}
	return text, nil
}

// lanes parses a state that applies to n lanes, beginning with lane first.
func (p *parser) lanes(text []byte, first, n int) error {
	registers, stacks, memories := len(p.state.Registers), len(p.state.Stacks), len(p.state.Memories)
	r := reader(text)
	if err := each(&r, func(name []byte) error { return p.part(&r, name, first) }); err != nil {
		return err
	}
	ends := [3]int{len(p.state.Registers), len(p.state.Stacks), len(p.state.Memories)}
	for lane := first + 1; lane < first+n; lane++ {
		for _, x := range p.state.Registers[registers:ends[0]] {
			if x.Lane >= 0 {
				x.Lane = lane
				p.state.Registers = append(p.state.Registers, x)
			}
		}
		for _, x := range p.state.Stacks[stacks:ends[1]] {
			if x.Lane >= 0 {
				x.Lane = lane
				p.state.Stacks = append(p.state.Stacks, x)
			}
		}
		p.copyMemories(memories, ends[2], lane)
	}
	return nil
}

// copyMemories copies runs of bytes in a lane to another lane.
func (p *parser) copyMemories(from, to, lane int) {
	for _, x := range p.state.Memories[from:to] {
		if x.Lane >= 0 {
			x.Lane = lane
			p.state.Memories = append(p.state.Memories, x)
		}
	}
}

// part parses a part of the state of a lane.
func (p *parser) part(r *jsontext.Reader, name []byte, lane int) error {
	s := p.m.State(string(name))
	var err error
	switch {
	case s == nil:
		err = errors.New("unknown register, stack or memory")
	case s.Kind == exec.Memory && s.Scope >= exec.ScopeWave:
		err = errors.New("all lanes share this memory, expected it in the field memory")
	case s.Kind == exec.Memory:
		err = p.memory(r, s, lane)
	case s.Kind == exec.Stack:
		err = p.stack(r, s, lane)
	case s.Single:
		err = p.register(r, s, 0, lane)
	default:
		err = p.file(r, s, lane)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (p *parser) file(r *jsontext.Reader, s *exec.State, lane int) error {
	return each(r, func(name []byte) error {
		n, ok := number(name)
		if !ok || n >= s.Count {
			return fmt.Errorf("register %q, expected 0 to %d", name, s.Count-1)
		}
		if err := p.register(r, s, n, lane); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
		return nil
	})
}

// number parses the number of a register.
func number(text []byte) (n int, ok bool) {
	if len(text) == 0 || len(text) > 6 || text[0] < '0' || text[0] > '9' {
		n, err := strconv.Atoi(string(text))
		return n, err == nil && n >= 0
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func (p *parser) register(r *jsontext.Reader, s *exec.State, number, lane int) error {
	first, text := len(p.values), r.Rest()
	if s.Type.Lanes == 1 {
		value, err := readText(r)
		if err != nil {
			return err
		}
		if err := p.value(value, s.Type); err != nil {
			return err
		}
	} else {
		for ok := r.Enter('['); ok && r.More(']'); {
			value := r.Text()
			if r.Failed {
				break
			}
			if len(p.values)-first == s.Type.Lanes {
				return vectorError(text, s, nil)
			}
			if err := p.value(value, s.Type); err != nil {
				return vectorError(text, s, err)
			}
		}
		if r.Failed {
			var texts []string
			return kindError(text, &texts)
		}
	}
	x := register(s, number, lane)
	x.Values = p.values[first:len(p.values):len(p.values)]
	p.state.Registers = append(p.state.Registers, x)
	return nil
}

// vectorError returns the error of the vector at the start of a text: of the kind of a component, of their number, or else wrong.
func vectorError(text []byte, s *exec.State, wrong error) error {
	var texts []string
	r := reader(text)
	text = r.Value()
	if err := jsontext.UnmarshalPart(text, &texts); err != nil {
		return err
	}
	if len(texts) > s.Type.Lanes {
		return fmt.Errorf("%d components, expected at most %d", len(texts), s.Type.Lanes)
	}
	return wrong
}

// value parses the bits of a component.
func (p *parser) value(text []byte, t isa.Type) error {
	v, err := hexBits(text, t)
	p.values = append(p.values, v)
	return err
}

// hexBits parses the bits of a component in hexadecimal.
func hexBits(text []byte, t isa.Type) (v uint64, err error) {
	ok := len(text) > 0
	if len(text) > 16 {
		v, err = strconv.ParseUint(string(text), 16, 64)
		ok = err == nil
	} else {
		for _, c := range text {
			d := hexDigits[c]
			ok = ok && d >= 0
			v = v<<4 | uint64(d&15)
		}
	}
	if !ok || t.Bits < 64 && v>>uint(t.Bits) != 0 {
		return 0, fmt.Errorf("%q, expected a hexadecimal number of at most %d bits", text, t.Bits)
	}
	return v, nil
}

// hexDigits has the value of each hexadecimal digit, and -1 for other characters.
var hexDigits = func() (digits [256]int8) {
	for c := range digits {
		digits[c] = -1
	}
	for i := range 16 {
		digits["0123456789abcdef"[i]], digits["0123456789ABCDEF"[i]] = int8(i), int8(i)
	}
	return digits
}()

func (p *parser) stack(r *jsontext.Reader, s *exec.State, lane int) error {
	x, text := Stack{Name: s.Name, Lane: owner(s, lane)}, r.Rest()
	var list []map[string]string
	var err error
	for ok := r.Enter('['); ok && err == nil && r.More(']'); {
		entry := map[string]string{}
		list = append(list, entry)
		err = each(r, func(name []byte) error {
			value, err := readText(r)
			entry[string(name)] = string(value)
			return err
		})
	}
	if r.Failed {
		return kindError(text, &list)
	}
	if x.Lane < 0 && lane > 0 {
		return nil
	}
	for _, e := range list {
		entry := map[string]uint64{}
		for _, slot := range s.Slots {
			text, ok := e[slot.Name]
			if !ok {
				continue
			}
			delete(e, slot.Name)
			if entry[slot.Name], err = hexBits([]byte(text), slot.Type); err != nil {
				return fmt.Errorf("%s: %w", slot.Name, err)
			}
		}
		for name := range e {
			return fmt.Errorf("unknown slot %q", name)
		}
		x.Entries = append(x.Entries, entry)
	}
	p.state.Stacks = append(p.state.Stacks, x)
	return nil
}

// memory parses pieces of a memory.
func (p *parser) memory(r *jsontext.Reader, s *exec.State, lane int) error {
	size, whole := uint64(sizeOf(s)), r.Rest()
	var wrong error
	err := each(r, func(name []byte) error {
		text, err := readText(r)
		if err != nil {
			return err
		}
		addr, err := strconv.ParseUint(string(name), 0, 32)
		first := len(p.bytes)
		out, err2 := hex.AppendDecode(p.bytes, text)
		n := uint64(len(out) - first)
		if wrong == nil && (err != nil || err2 != nil || addr+n > size) {
			wrong = fmt.Errorf("%q: %q, expected hexadecimal bytes at an address within the %d bytes of the memory", name, text, size)
		}
		p.bytes = out
		p.state.Memories = append(p.state.Memories, Memory{s.Name, owner(s, lane), addr, out[first:len(out):len(out)]})
		return nil
	})
	if err != nil {
		var pieces map[string]string
		return kindError(whole, &pieces)
	}
	return wrong
}

// ParseState parses a state in the form of State.MarshalJSON, for a wave of a number of lanes.
func ParseState(m *exec.Machine, data []byte, lanes int) (State, error) {
	var form struct {
		PC     uint64            `json:"pc"`
		State  json.RawMessage   `json:"state"`
		Lanes  []json.RawMessage `json:"lanes"`
		Memory json.RawMessage   `json:"memory"`
	}
	if err := jsontext.Unmarshal(data, &form); err != nil {
		return State{}, err
	}
	var each [][]byte
	for _, text := range form.Lanes {
		each = append(each, text)
	}
	p := parser{m: m}
	if err := p.all(form.State, each, form.Memory, lanes); err != nil {
		return State{}, err
	}
	p.state.PC = form.PC
	return p.state, nil
}

// all parses the fields of a state for a wave of a number of lanes. Missing fields are nil.
func (p *parser) all(state []byte, lanes [][]byte, memory []byte, n int) error {
	p.reset()
	if state != nil {
		if err := p.lanes(state, 0, n); err != nil {
			return err
		}
	}
	if memory != nil {
		r := reader(memory)
		err := each(&r, func(name []byte) error {
			s := p.m.State(string(name))
			if s == nil || s.Kind != exec.Memory {
				return fmt.Errorf("unknown memory %q", name)
			}
			first := len(p.state.Memories)
			if err := p.memory(&r, s, 0); err != nil {
				return fmt.Errorf("memory %s: %w", name, err)
			}
			for lane, end := 1, len(p.state.Memories); lane < n; lane++ {
				p.copyMemories(first, end, lane)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	p.ofLanes = len(p.state.Stacks)
	for lane, text := range lanes { // after the values for all lanes
		if err := p.lanes(text, lane, 1); err != nil {
			return fmt.Errorf("lane %d: %w", lane, err)
		}
	}
	return nil
}
