// Package flow specialises a program for a launch. It converts the instructions to a control-flow
// graph of blocks in SSA form. It replaces registers that are constant in the launch by their values,
// and resolves calls, returns, loops and ends of blocks, with their stacks. The graph contains only
// arithmetic, reads of registers, and branches on values that are not constant.
//
// The graph is for code that needs whole programs instead of single instructions, such as a
// translator. isago dis --ssa prints it.
package flow

import (
	"errors"
	"fmt"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// ID is the number of a value in a Program, or NoID.
type ID = sem.ID

// NoID means that there is no value. A guard NoID always holds.
const NoID = sem.NoID

// Limits of the exploration. Specialise returns ErrTooLarge for a program that exceeds one of them.
const (
	// MaxNodes limits the variants of all instructions of a program. MaxVariants limits the variants
	// of one instruction.
	MaxNodes    = 1 << 13
	MaxVariants = 1 << 7
	// maxDepth limits the entries of a stack. In a deeper stack, entries that differ in unknown values only
	// become one. maxLeaves limits the paths through one instruction.
	maxDepth  = 64
	maxLeaves = 1 << 8
	// MaxEvaluations limits the evaluations of instructions. An instruction is evaluated again when a
	// variable that was constant before the instruction turns out to vary.
	MaxEvaluations = 4 * MaxNodes
)

// ErrTooLarge is the error for a program that exceeds a limit.
var ErrTooLarge = errors.New("too many paths")

// Config describes a program and the launch for which it is specialised.
type Config struct {
	Machine *sem.Machine
	// Code returns the lowered instruction at an address. If Code returns an error, the specialised
	// program stops at that address, with the text of the error as the reason.
	Code func(addr uint64) (*sem.Code, error)
	// OneLane specialises the program of a machine whose lanes share a program counter for waves of one
	// lane. In a wave of one lane, any and all are the condition itself, and the control registers of the
	// wave belong to the lane. Otherwise, a wave has up to 64 lanes. The masks of lanes are values of the
	// program, and the conditions of branches are the same in all lanes.
	OneLane bool
	// Entry is the address of the first instruction.
	Entry uint64
	// Known returns the value of a register component that no instruction changes, such as a uniform.
	// ok is false if the value is unknown before the launch. If Known is nil, all of these values are
	// unknown.
	Known func(s *sem.State, number, comp int) (v uint64, ok bool)
	// Count returns the number of registers that the launch allocates in a file. If Count is nil, it
	// allocates all registers.
	Count func(s *sem.State) int
	// Given reports whether the launch sets a register component before the program starts. If Given
	// is nil, the launch sets the input registers, and the registers that the description says hold something
	// when a program starts.
	Given func(s *sem.State, number, comp int) bool
	// Wanted reports whether a register component is used after the program ends. If Wanted is nil,
	// the output registers are used.
	Wanted func(s *sem.State, number, comp int) bool
	// Cell returns the register for bytes of a memory of a lane, at an address that is constant. A store to the bytes becomes
	// a write of the register. If Cell is nil, or ok is false, the store remains a store. Loads remain loads.
	Cell func(memory *sem.State, addr, size uint64) (v Variable, ok bool)
}

// Variable is a component of a register that instructions change, or a slot of a stack entry.
type Variable struct {
	State *sem.State
	// Number is the number of the register, or the position of the entry in the stack. The oldest
	// entry has position 0. Comp is the number of the component or slot.
	Number, Comp int
}

// What the numbers after those of the slots stand for.
const (
	presence = iota
	copies
	variables // the number of variables of an entry beside its slots
)

// String returns the name of the variable in IR listings.
func (v Variable) String() string {
	if v.State.Kind == sem.StackState {
		slot := ""
		switch k := v.Comp - len(v.State.Slots); k {
		case presence, copies:
			slot = [...]string{"present", "count"}[k]
		default:
			slot = v.State.Slots[v.Comp].Name
		}
		return fmt.Sprintf("%s[%d].%s", v.State.Name, v.Number, slot)
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
		switch v.Comp - len(v.State.Slots) {
		case presence:
			return sem.BoolType
		case copies:
			return sem.U32
		}
		return v.State.Slots[v.Comp].Type
	}
	return v.State.Type.Elem()
}

// parameter returns an operation that is a parameter for the variable.
func (v Variable) parameter() sem.Inst {
	in := sem.Param(v.Type())
	in.Uniform = v.State.Scope > spec.ScopeLane
	return in
}

// initial returns the value of a variable that nothing has set yet.
func (v Variable) initial() uint64 { return v.State.Init }

// Program is a specialised program.
type Program struct {
	// Insts are the operations. The number of an operation is also the number of its value. An OpParam
	// is a parameter of a block. Constants belong to no block.
	Insts []sem.Inst
	// Addrs holds, for each operation, the address of the instruction that contains it. The address is
	// NoAddr for operations that belong to no instruction, such as reads before the first instruction.
	Addrs []uint64
	// Written holds, for some values, the register that received the value from the instruction that computes it.
	// If the instruction writes the value to several registers, it is the first of them.
	Written map[ID]Variable
	// Writers holds, for each output, the addresses of the instructions that write it.
	Writers map[Variable][]uint64
	// Blocks are the blocks. The program starts with the first block.
	Blocks []*Block
	// Wave is set if the program runs with several lanes, which share the program counter.
	Wave bool
	// Arrays are the register files that the program accesses with a computed register number. Their
	// registers are not SSA values: the operations in blocks read and write them in order.
	Arrays []*sem.State
}

// Block is a sequence of operations without a branch, followed by a terminator.
type Block struct {
	Index int
	// Addr is the address of the first instruction of the block, in units of the program counter.
	Addr uint64
	// Params are the parameters of the block. Each edge to the block has an argument for each
	// parameter.
	Params []Param
	// Insts are the numbers of the operations, in execution order.
	Insts []ID
	// Serial is set if the block is an atomic region: the lanes of a wave execute it one after another, the first lane first.
	Serial bool
	End    Terminator
}

// Param is a value of a variable: a parameter of a block, or an output of an Exit.
type Param struct {
	ID       ID
	Variable Variable
}

// Kind is the kind of a terminator.
type Kind uint8

// The kinds of terminators.
const (
	Jump   Kind = iota // continues at Edges[0]
	Branch             // continues at Edges[0] if Cond holds, otherwise at Edges[1]
	Exit               // ends the program and returns Outputs
	Stop               // ends the program abnormally. It returns Outputs if it is not inside of an instruction
)

// Terminator is the end of a block.
type Terminator struct {
	Kind  Kind
	Cond  ID
	Edges []Edge
	// Outputs are the values of the variables that are used after the program ends. Outputs omits
	// variables that no instruction writes.
	Outputs []Param
	// Addr is the address of the instruction that branches, ends or stops. For a Stop, Text is the reason. In a wave,
	// Lanes is the mask of the lanes that stop.
	Text  string
	Lanes ID
	Addr  uint64
}

// Edge leads to a block. Args are the arguments for the parameters of the block.
type Edge struct {
	To   *Block
	Args []ID
}

// NoAddr means that an operation belongs to no instruction.
const NoAddr = ^uint64(0)
