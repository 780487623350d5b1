// Package vectors generates test vectors: instructions and small programs, each with the state before and after it, and the
// reason why the vector exists. docs/vectors.md describes their files.
package vectors

import "github.com/isago/isago/step"

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
	// Quirks are the values of quirks that differ from those of the file.
	Quirks map[string]string `json:"quirks,omitempty"`
	// Lanes is the number of lanes of the wave. Steps is the number of instructions that the wave dispatches. 0 means that
	// it runs until all lanes have stopped or wait at a barrier.
	Lanes int `json:"lanes"`
	// Active is the mask of the lanes that exist, in hexadecimal, or "" if all exist.
	Active string `json:"active,omitempty"`
	Steps  int    `json:"steps,omitempty"`
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

// Stop is a reason why lanes stopped.
type Stop struct {
	// Lanes is the mask of the lanes in hexadecimal.
	Lanes  string `json:"lanes"`
	Reason string `json:"reason"`
}

// State is the state of a wave before or after a run. The other types are its parts, and the calls of host callbacks.
type (
	State    = step.State
	Register = step.Register
	Stack    = step.Stack
	Memory   = step.Memory
	Call     = step.Call
)
