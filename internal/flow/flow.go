// Package flow specialises a program: from its words, and from what is constant for a launch, it makes a control-flow
// graph of blocks in SSA form. What belongs to control, such as the stacks of calls and loops and the rules at the end of
// a scope, is computed in advance. What is left is the arithmetic, the reads of inputs, and the branches that depend on
// them.
//
// The form serves whoever needs the program and not the word: engines, translators, lint, and people (isago dis --ssa).
package flow

import (
	"errors"
	"fmt"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// ID is the number of a value of a Program. NoID is none.
type ID = sem.ID

// NoID is the number of no value, and the guard that always holds.
const NoID = sem.NoID

// Limits on what is specialised.
const (
	// MaxNodes bounds the variants of the words of a program together, MaxVariants those of one word.
	MaxNodes    = 1 << 13
	MaxVariants = 1 << 7
	// maxDepth bounds the entries of a stack, maxLeaves the ways through one word.
	maxDepth  = 64
	maxLeaves = 1 << 8
	// MaxEvaluations bounds how often words are evaluated: a word is evaluated again if less is constant before it than
	// was known.
	MaxEvaluations = 4 * MaxNodes
)

// ErrTooLarge is the error of a program that has more variants than the limits allow.
var ErrTooLarge = errors.New("more paths than are specialised")

// Config is what a program is specialised for.
type Config struct {
	Machine *sem.Machine
	// Code returns the lowered instruction at an address; the error says why there is none, and is where a run stops.
	Code func(addr uint64) (*sem.Code, error)
	// Entry is the address of the first instruction.
	Entry uint64
	// Known returns a component of a register that no instruction changes: a uniform or a constant of the launch. ok is
	// false if it is not known before the launch. nil knows none.
	Known func(s *sem.State, number, comp int) (v uint64, ok bool)
	// Given reports whether a component of a register has a value of the launch when the program starts, such as an
	// input. nil: those of registers for input.
	Given func(s *sem.State, number, comp int) bool
	// Wanted reports whether a component of a register is used after the program ends. nil: those of registers for
	// output.
	Wanted func(s *sem.State, number, comp int) bool
}

// Variable is a component of a register that instructions change.
type Variable struct {
	State *sem.State
	// Number is the number of the register, or the position of an entry in a stack, 0 being the oldest; Comp is the
	// component, or the slot.
	Number, Comp int
}

// String returns the name of the variable as listings of the IR have it.
func (v Variable) String() string {
	if v.State.Kind == sem.StackState {
		return fmt.Sprintf("%s[%d].%s", v.State.Name, v.Number, v.State.Slots[v.Comp].Name)
	}
	name := v.State.Name
	if !v.State.Single {
		name += fmt.Sprintf("[%d]", v.Number)
	}
	if v.State.Type.Len > 0 {
		name += "." + v.State.Letter(v.Comp)
	}
	return name
}

// Type returns the type of the variable.
func (v Variable) Type() sem.Type {
	if v.State.Kind == sem.StackState {
		return v.State.Slots[v.Comp].Type
	}
	return v.State.Type.Elem()
}

// initial returns the value of a variable that nobody has written.
func (v Variable) initial() uint64 { return v.State.Init }

// Program is a specialised program.
type Program struct {
	// Insts are the operations. The number of an operation is the number of its value. An OpParam is a parameter of a
	// block. Constants belong to no block.
	Insts []sem.Inst
	// Addrs are the addresses of the instructions that the operations come from, NoAddr for what is read before the first.
	Addrs []uint64
	// Blocks are the blocks; the program starts with the first one.
	Blocks []*Block
}

// Block is a piece of straight code.
type Block struct {
	Index int
	// Addr is the address of the instruction that the block starts with, in units of the program counter.
	Addr uint64
	// Params are the values that the block gets from those that lead to it, of Variables.
	Params []Param
	// Insts are the numbers of the operations of the block, in order.
	Insts []ID
	End   Terminator
}

// Param is a parameter of a block.
type Param struct {
	ID       ID
	Variable Variable
}

// Kind is how a block ends.
type Kind uint8

// The kinds of terminators.
const (
	Jump   Kind = iota // goes to Edges[0]
	Branch             // goes to Edges[0] where Cond holds, otherwise to Edges[1]
	Exit               // ends the program, with Outputs
	Stop               // ends it abnormally: Text says why
)

// Terminator is the end of a block.
type Terminator struct {
	Kind  Kind
	Cond  ID
	Edges []Edge
	// Outputs are the values that are wanted after the program. Those of variables that no instruction changes are
	// missing.
	Outputs []Param
	// Text is the reason of a Stop, and Addr the address of the instruction that stops.
	Text string
	Addr uint64
}

// Edge leads to a block, and gives its parameters their values.
type Edge struct {
	To   *Block
	Args []ID
}

// NoAddr is the address of no instruction.
const NoAddr = ^uint64(0)

// shared reports whether a state belongs to more than the lanes of a wave.
func shared(s *sem.State) bool { return s.Scope > spec.ScopeWave }
