package exec

import (
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// What follows are names for what this package takes and returns and others define. A program needs them to keep such a
// value; to run instructions, Processor and the packages target/NAME/launch go without.
type (
	// Machine is what a description says of its machine, for Open: States are its files, stacks and memories in the
	// order of their Index, State(name) is one of them or nil, Quirks() and Services() list what there is. It is safe
	// for use by several goroutines.
	Machine = sem.Machine

	// State is a file, a single register, a stack or a memory of a machine: Name, Kind, Type of a register and Count of
	// registers, entries or bytes; Scope says who shares it, Use what it is for, as the description says. It is not to
	// be changed.
	State = sem.State

	// Place is the place of an <input> of the description, where a launch puts a value before a program starts.
	Place = sem.Place

	// View is a file of a machine seen as registers of another type.
	View = sem.View

	// Type is the type of a register, a component or a number: Kind, Width in bits of a component, and Len components,
	// 0 for what is no vector. Its String is that of the description, such as f32x4.
	Type = sem.Type

	// Kind tells types apart.
	Kind = sem.Kind

	// Code is an instruction as the engine runs it: operations, one after another. Its String lists them.
	Code = sem.Code

	// Words is what is known of a program beside its words: Context and Tables as isa has them, Quirks by name, and Word,
	// which finds the bits of an instruction that another runs.
	Words = sem.Words

	// Root is one of the kinds of words of a description, such as that of instructions.
	Root = model.Root

	// Scope says who shares a state.
	Scope = spec.Scope
)

// The kinds of types of registers: a condition, a number without and with a sign, a float.
const (
	Bool     = sem.Bool
	Unsigned = sem.Uint
	Signed   = sem.Sint
	Float    = sem.Float
)

// The scopes: what lives for one instruction, or is a lane's, a wave's, a block's or all waves' of a launch.
const (
	OfInstruction = spec.ScopeInstruction
	OfLane        = spec.ScopeLane
	OfWave        = spec.ScopeWave
	OfBlock       = spec.ScopeBlock
	OfLaunch      = spec.ScopeLaunch
)
