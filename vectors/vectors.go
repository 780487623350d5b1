// Package vectors generates test vectors: instructions and small programs, each with the state before and after it, and the
// reason why the vector exists. docs/vectors.md describes their files.
package vectors

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Format is the version of the files.
const Format = 1

// File is a file of vectors: those of one instruction, or small programs.
type File struct {
	Format int `json:"format"`
	// Machine is the name of the machine. Root is the root of the words, if it is not the one of the words that the program
	// counter addresses.
	Machine string `json:"machine"`
	Root    string `json:"root,omitempty"`
	// Instruction is the name of the instruction in the description, or the topic of the programs. Doc describes it.
	Instruction string `json:"instruction"`
	Doc         string `json:"doc,omitempty"`
	// Fidelity and Source are those of the semantics in the description: exact, approximate or unknown, and where the facts
	// come from.
	Fidelity string `json:"fidelity,omitempty"`
	Source   string `json:"source,omitempty"`
	// Quirks are the values of the quirks that the instruction reads.
	Quirks  map[string]string `json:"quirks,omitempty"`
	Vectors []Vector          `json:"vectors"`
}

// Vector is an instruction or a program with the state before and after it.
type Vector struct {
	// Name is unique among the vectors of a machine.
	Name string `json:"name"`
	// Text is the disassembly, one line for each instruction.
	Text []string `json:"text"`
	// Words are the words of the program in hexadecimal, in the order in which files store them, from address 0.
	Words   []string            `json:"words"`
	Tables  map[string][]string `json:"tables,omitempty"`
	Context map[string]string   `json:"context,omitempty"`
	// Lanes is the number of lanes of the wave. Steps is the number of instructions that the wave dispatches. 0 means that
	// it runs until all lanes have stopped.
	Lanes int `json:"lanes"`
	Steps int `json:"steps,omitempty"`
	// Initial is the state before the run. What it does not name is 0, and stacks are empty. Final has all that Initial has,
	// and all that the run changed.
	Initial State `json:"initial"`
	Final   State `json:"final"`
	// Calls are the calls of host callbacks, in order. Callbacks return 0.
	Calls []Call `json:"calls,omitempty"`
	// Stops are the reasons why lanes stopped.
	Stops []Stop `json:"stops,omitempty"`
	// Reasons tell what the vector tests that no other vector of the file tests.
	Reasons []string `json:"reasons"`
	// Decides lists the values of quirks with which the vector ends in another state.
	Decides []Decision `json:"decides,omitempty"`
}

// Decision is a value of a quirk that decides a vector, and the state after the run with this value.
type Decision struct {
	Quirk string `json:"quirk"`
	Value string `json:"value"`
	Final State  `json:"final"`
}

// Call is a call of a host callback by a lane. Args are the components of the arguments in hexadecimal.
type Call struct {
	Name string   `json:"name"`
	Lane int      `json:"lane"`
	Args []string `json:"args"`
}

// Stop is a reason why lanes stopped.
type Stop struct {
	// Lanes is the mask of the lanes in hexadecimal.
	Lanes  string `json:"lanes"`
	Reason string `json:"reason"`
}

// State is the state of a wave. In JSON, it has the form of the fields of isago step: registers that all lanes share, and
// those of the lane if there is only one, are in state, and those of each lane in lanes.
type State struct {
	// PC is the program counter, in its units.
	PC uint64
	// Registers are sorted by name, number and lane.
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

type stateJSON struct {
	PC     uint64                       `json:"pc"`
	State  map[string]any               `json:"state"`
	Lanes  []map[string]any             `json:"lanes,omitempty"`
	Memory map[string]map[string]string `json:"memory,omitempty"`
}

// lanes returns the number of lanes that the state names.
func (s *State) lanes() int {
	n := 0
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
	out := stateJSON{PC: s.PC, State: map[string]any{}}
	if n := s.lanes(); n > 1 {
		for range n {
			out.Lanes = append(out.Lanes, map[string]any{})
		}
	}
	into := func(lane int) map[string]any {
		if lane < 0 || out.Lanes == nil {
			return out.State
		}
		return out.Lanes[lane]
	}
	for i := range s.Registers {
		r := &s.Registers[i]
		texts := make([]string, len(r.Values))
		for k, v := range r.Values {
			texts[k] = fmt.Sprintf("%0*x", max(1, (r.Bits+3)/4), v)
		}
		var value any = texts
		if !r.Vector {
			value = texts[0]
		}
		m := into(r.Lane)
		if r.Single {
			m[r.Name] = value
			continue
		}
		file, _ := m[r.Name].(map[string]any)
		if file == nil {
			file = map[string]any{}
			m[r.Name] = file
		}
		file[strconv.Itoa(r.Number)] = value
	}
	for i := range s.Stacks {
		t := &s.Stacks[i]
		list := []map[string]string{}
		for _, e := range t.Entries {
			entry := map[string]string{}
			for name, v := range e {
				entry[name] = strconv.FormatUint(v, 16)
			}
			list = append(list, entry)
		}
		into(t.Lane)[t.Name] = list
	}
	for i := range s.Memories {
		b := &s.Memories[i]
		text := fmt.Sprintf("%x", b.Bytes)
		at := strconv.FormatUint(b.Address, 10)
		if b.Lane < 0 {
			if out.Memory == nil {
				out.Memory = map[string]map[string]string{}
			}
			if out.Memory[b.Name] == nil {
				out.Memory[b.Name] = map[string]string{}
			}
			out.Memory[b.Name][at] = text
			continue
		}
		m := into(b.Lane)
		pieces, _ := m[b.Name].(map[string]string)
		if pieces == nil {
			pieces = map[string]string{}
			m[b.Name] = pieces
		}
		pieces[at] = text
	}
	return json.Marshal(out)
}
