// Package feed runs whole programs. Run takes inputs and returns outputs by name. A Runner also reads inputs from files and
// flags, and returns outputs in tables and pictures.
package feed

import (
	"context"
	"image"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

// Request selects a program and the settings of its machine.
type Request struct {
	// Set is the machine's instruction set, or nil for the one that the package of the machine loads. Machine is the
	// result of Open for the set, or nil. Context holds the values of the contexts if Set is not nil; otherwise they have
	// their defaults.
	Set     *isa.Set
	Machine *exec.Machine
	Context bits.Value
	// Data is the file. Raw is set if it has no container, even if it seems to have one.
	Data []byte
	Raw  bool
	// Program selects one of several programs by its name or its number. "" selects the first program that can run.
	Program string
	// Quirks holds the values of quirks by name. Other quirks have their defaults.
	Quirks map[string]string
	// Options holds the values of the machine's own options by name. An option may have several values.
	Options map[string][]string
	// File reads a file that an option names.
	File func(name string) ([]byte, error)
}

// Load loads the instruction set if Set is nil.
func (r *Request) Load(load func(isa.Options) (*isa.Set, error)) (err error) {
	if r.Set != nil {
		return nil
	}
	if r.Set, err = load(isa.Options{}); err == nil {
		r.Context = r.Set.DefaultContext()
	}
	return err
}

// Option is an option of runs that only one machine has. It is a flag of the command.
type Option struct {
	// Usage is one line, in which backquotes mark the value of the option.
	Name, Usage string
	// Bool is set if the option has no value.
	Bool bool
	// Writes is set if the option names an output file, as NAME=FILE.
	Writes bool
	// Translates is set if the option also applies to translations.
	Translates bool
	// Compares is set if the option also applies to runs that compare programs.
	Compares bool
}

// Runner is a program with inputs that can run. Each machine has its own implementation. Batch is that for programs
// that run once for each vertex.
type Runner interface {
	// Set parses the values of a uniform, of an argument, or of an input that is equal in all lanes.
	Set(name string, values []string) error
	// Read reads inputs in a format: json, csv or raw.
	Read(data []byte, format string) error
	// Call runs the program once, with inputs by name. Outcome.Named has the outputs.
	Call(ctx context.Context, args []Argument, opt RunOptions) (*Outcome, error)
	// Run runs the program with the inputs of Set and Read. If the context is cancelled, it returns the context's
	// error, which may be wrapped.
	Run(ctx context.Context, opt RunOptions) (*Outcome, error)
}

// Called is a Runner of one program that gets arguments instead of inputs.
type Called interface {
	Runner
	// Parameters returns the parameters in order. It returns an error if their names and types are not known.
	Parameters() ([]Parameter, error)
}

// Parameter is a parameter of a program. If Pointer is set, the argument is an array, with elements of Type. Otherwise, it has Count numbers
// of Type.
type Parameter struct {
	Name    string
	Pointer bool
	Type    isa.Type
	Count   int
}

// Launched is a Runner of one program with inputs and outputs.
type Launched interface {
	Runner
	// Launched returns the program with its named inputs and outputs.
	Launched() *exec.Launch
}

// RunOptions are the options of a run.
type RunOptions struct {
	exec.RunOptions
	// Count is the number of lanes. 0 means one lane for each row of inputs, and at least one.
	Count int
	// Stats requests the statistics that only this machine has.
	Stats bool
	// Rows, if it is not nil, receives the table of the outputs in parts, in order, as soon as they are computed. The
	// outcome then has neither the table nor Values, so memory use does not grow with the number of lanes. A runner
	// whose table has only one part leaves it in the outcome, and does not call Rows. If Rows returns an error, the run
	// ends, and Run returns this error.
	Rows func(part *Table) error
	// Watch, if it is not nil, is called before each access of a kernel to a memory. Calls do not overlap.
	Watch func(w *exec.Wave, a *exec.Access)
}

// Outcome is the result of a run.
type Outcome struct {
	exec.Result
	// Noun is the name of a lane, such as vertex, and Nouns is its plural. Lanes is the number of lanes that ran.
	Noun, Nouns string
	Lanes       int
	// Programs lists the programs of a run that has several. Diagnostics refer to them by their numbers, which start at
	// 1.
	Programs []Ran
	// Tables are the outputs.
	Tables []Table
	// Named are the outputs by name, if Call ran the program.
	Named []Output
	// Picture is the drawn picture, or nil.
	Picture image.Image
	// Files are the files that options request.
	Files []OutputFile
	// Stats has lines of statistics that only this machine has.
	Stats []string
	// Open is set if a program may end after its last word.
	Open bool
}

// OutputFile is a file that the caller should write.
type OutputFile struct {
	Name string
	Data []byte
}

// Table is a table of outputs, for example with a row for each vertex.
type Table struct {
	// Name distinguishes several tables. Row is the name of a row, such as vertex.
	Name, Row string
	Columns   []Column
	// Rows has the bits of the components of all columns, in order. If the table is a part of a larger one, First is
	// the number of its first row in that table.
	Rows  [][]uint64
	First int
}

// Column is a column of a Table. Its values have one or more components.
type Column struct {
	Name string
	Type isa.Type
	// Components holds the names of the components. It is nil for a scalar.
	Components []string
	// Label is set if the value is a number or a name of the row, and not a value of the machine. It is never printed
	// as bits.
	Label bool
}

// Count returns the number of components.
func (c *Column) Count() int { return max(1, len(c.Components)) }

// Noted reports whether lanes stopped abnormally.
func (o *Outcome) Noted(s *exec.StopCount) bool {
	return s.Reason != "end" && !(s.Reason == "end of words" && o.Open)
}
