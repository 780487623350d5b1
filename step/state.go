// Package step runs instructions and short programs from given states, and returns what they change. Its JSON is that of
// isago step, which docs/run.md describes.
package step

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/exec"
)

// State is the state of a wave, or a part of it. In JSON, registers that all lanes share, and those of the lane if there
// is only one, are in state, and those of each lane in lanes.
type State struct {
	// PC is the program counter, in its units.
	PC uint64
	// The order of the lists does not matter.
	Registers []Register
	Stacks    []Stack
	Memories  []Memory
}

// Register is a register of a lane.
type Register struct {
	Name string
	// Single is set for a register that does not belong to a file. Number is its number in the file.
	Single bool
	Number int
	// Lane is the lane to which the register belongs, or -1 if all lanes share it.
	Lane int
	// Values are the bits of the components, each of Bits bits. Vector is set if the register is a vector.
	Values []uint64
	Bits   int
	Vector bool
}

// Stack is a stack of a lane, or of the wave if Lane is -1. Entries are the entries, the oldest first, each with the values
// of the slots by name.
type Stack struct {
	Name    string
	Lane    int
	Entries []map[string]uint64
}

// Memory is a run of bytes in a memory of a lane, or in one that all lanes share if Lane is -1.
type Memory struct {
	Name    string
	Lane    int
	Address uint64
	Bytes   []byte
}

// register returns a register of a state without values.
func register(s *exec.State, number, lane int) Register {
	return Register{Name: s.Name, Single: s.Single, Number: number, Lane: owner(s, lane), Bits: s.Type.Bits, Vector: s.Type.Lanes > 1}
}

// owner returns the lane to which a state of a lane belongs, -1 if lanes share it.
func owner(s *exec.State, lane int) int {
	if s.Scope >= exec.ScopeWave {
		return -1
	}
	return lane
}

// Lanes returns the number of lanes that the state names, at least 1.
func (s *State) Lanes() int {
	n := 1
	for i := range s.Registers {
		n = max(n, s.Registers[i].Lane+1)
	}
	for i := range s.Stacks {
		n = max(n, s.Stacks[i].Lane+1)
	}
	for i := range s.Memories {
		n = max(n, s.Memories[i].Lane+1)
	}
	return n
}

// MarshalJSON returns the state in the form of isago step.
func (s State) MarshalJSON() ([]byte, error) {
	s.Registers, s.Stacks, s.Memories = slices.Clone(s.Registers), slices.Clone(s.Stacks), slices.Clone(s.Memories)
	lanes := s.Lanes()
	if lanes == 1 {
		lanes = 0
	}
	out := append([]byte(`{"pc":`), strconv.AppendUint(nil, s.PC, 10)...)
	return append(s.appendParts(append(out, ','), lanes), '}'), nil
}

// appendParts appends the fields state, lanes and memory. If lanes is 0, the registers of lane 0 are in state.
// appendParts sorts the lists.
func (s *State) appendParts(out []byte, lanes int) []byte {
	last := -1 // of the lanes in state
	if lanes == 0 {
		last = 0
	}
	s.sort(last)
	rest := *s
	for len(rest.Memories) > 0 && rest.Memories[0].Lane < 0 { // after the lanes
		rest.Memories = rest.Memories[1:]
	}
	shared := s.Memories[:len(s.Memories)-len(rest.Memories)]
	out = rest.appendLane(append(out, `"state":`...), last)
	if lanes > 0 {
		out = append(out, `,"lanes":[`...)
		for lane := range lanes {
			if lane > 0 {
				out = append(out, ',')
			}
			out = rest.appendLane(out, lane)
		}
		out = append(out, ']')
	}
	if len(shared) > 0 {
		out = (&State{Memories: shared}).appendLane(append(out, `,"memory":`...), -1)
	}
	return out
}

// sort sorts the lists by lane, name and number, in the order of JSON. Lanes up to last are one.
func (s *State) sort(last int) {
	lane := func(n int) int { return max(n, last) }
	registers := func(a, b Register) int {
		if c := cmp.Compare(lane(a.Lane), lane(b.Lane)); c != 0 {
			return c
		}
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return compareNumbers(uint64(a.Number), uint64(b.Number))
	}
	memories := func(a, b Memory) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), strings.Compare(a.Name, b.Name), compareNumbers(a.Address, b.Address))
	}
	if !slices.IsSortedFunc(s.Registers, registers) {
		slices.SortStableFunc(s.Registers, registers)
	}
	slices.SortStableFunc(s.Stacks, func(a, b Stack) int {
		return cmp.Or(cmp.Compare(lane(a.Lane), lane(b.Lane)), strings.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(s.Memories, memories)
}

// compareNumbers compares numbers as decimal texts, as encoding/json sorts names.
func compareNumbers(a, b uint64) int {
	if a < 10 && b < 10 {
		return cmp.Compare(a, b)
	}
	var x, y [20]byte
	return bytes.Compare(strconv.AppendUint(x[:0], a, 10), strconv.AppendUint(y[:0], b, 10))
}

// appendLane appends the object with the registers, stacks and memories of the lanes up to last, and removes these from
// the lists, which are sorted.
func (s *State) appendLane(out []byte, last int) []byte {
	out = append(out, '{')
	for start := len(out); ; {
		name, ok := s.next(last)
		if !ok {
			return append(out, '}')
		}
		if len(out) > start {
			out = append(out, ',')
		}
		out = append(AppendText(out, name), ':')
		switch {
		case len(s.Registers) > 0 && s.Registers[0].Lane <= last && s.Registers[0].Name == name:
			out = s.appendFile(out, last)
		case len(s.Stacks) > 0 && s.Stacks[0].Lane <= last && s.Stacks[0].Name == name:
			out = appendStack(out, s.Stacks[0].Entries)
			s.Stacks = s.Stacks[1:]
		default:
			out = s.appendMemory(out, last)
		}
	}
}

// next returns the first name of the lists in the lanes up to last.
func (s *State) next(last int) (name string, ok bool) {
	add := func(n string, lane int) {
		if lane <= last && (!ok || n < name) {
			name, ok = n, true
		}
	}
	if len(s.Registers) > 0 {
		add(s.Registers[0].Name, s.Registers[0].Lane)
	}
	if len(s.Stacks) > 0 {
		add(s.Stacks[0].Name, s.Stacks[0].Lane)
	}
	if len(s.Memories) > 0 {
		add(s.Memories[0].Name, s.Memories[0].Lane)
	}
	return name, ok
}

// appendFile appends the registers that have the name of the first one, and removes them.
func (s *State) appendFile(out []byte, last int) []byte {
	first := &s.Registers[0]
	if first.Single {
		s.Registers = s.Registers[1:]
		return first.appendValue(out)
	}
	out = append(out, '{')
	for i := 0; len(s.Registers) > 0 && s.Registers[0].Name == first.Name && s.Registers[0].Lane <= last; i++ {
		if i > 0 {
			out = append(out, ',')
		}
		r := &s.Registers[0]
		out = r.appendValue(appendNumber(out, uint64(r.Number)))
		s.Registers = s.Registers[1:]
	}
	return append(out, '}')
}

// appendNumber appends a number as the name of a value.
func appendNumber(out []byte, n uint64) []byte {
	return append(strconv.AppendUint(append(out, '"'), n, 10), '"', ':')
}

func (r *Register) appendValue(out []byte) []byte {
	digits := max(1, (r.Bits+3)/4)
	if !r.Vector {
		v := uint64(0)
		if len(r.Values) > 0 {
			v = r.Values[0]
		}
		return appendHex(out, v, digits)
	}
	out = append(out, '[')
	for k, v := range r.Values {
		if k > 0 {
			out = append(out, ',')
		}
		out = appendHex(out, v, digits)
	}
	return append(out, ']')
}

// appendHex appends a number in quotes, with at least this number of digits.
func appendHex(out []byte, v uint64, digits int) []byte {
	out = append(out, '"')
	for digits < 16 && v>>(4*uint(digits)) != 0 {
		digits++
	}
	for digits--; digits >= 0; digits-- {
		out = append(out, "0123456789abcdef"[v>>(4*uint(digits))&15])
	}
	return append(out, '"')
}

func appendStack(out []byte, entries []map[string]uint64) []byte {
	out = append(out, '[')
	for i, e := range entries {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '{')
		for k, name := range slices.Sorted(maps.Keys(e)) {
			if k > 0 {
				out = append(out, ',')
			}
			out = appendHex(append(AppendText(out, name), ':'), e[name], 1)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// appendMemory appends the runs of the first memory, and removes them.
func (s *State) appendMemory(out []byte, last int) []byte {
	name := s.Memories[0].Name
	out = append(out, '{')
	for i := 0; len(s.Memories) > 0 && s.Memories[0].Name == name && s.Memories[0].Lane <= last; i++ {
		if i > 0 {
			out = append(out, ',')
		}
		m := &s.Memories[0]
		out = append(appendNumber(out, m.Address), '"')
		out = append(hex.AppendEncode(out, m.Bytes), '"')
		s.Memories = s.Memories[1:]
	}
	return append(out, '}')
}

// AppendText appends a string in the form of encoding/json.
func AppendText(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || strings.IndexByte(`"\<>&`, c) >= 0 {
			quoted, _ := json.Marshal(text) // a string has no error
			return append(out, quoted...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}
