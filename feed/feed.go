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

// Request says which program is to be run, and how its machine is to take it.
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
	// Program is one program of several, by its name or its number; "" is the first that runs.
	Program string
	// Quirks are choices between documents and hardware, by name.
	Quirks map[string]string
	// Options are those of the machine that were given, by name, each as often as it was given.
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

// Option is a way to run programs that a machine alone has: a flag of the command.
type Option struct {
	// Usage is one line, in which backquotes mark what the option is given.
	Name, Usage string
	// Bool tells that it is given or not, and nothing more.
	Bool bool
	// Writes tells that it names an output, as NAME=FILE.
	Writes bool
}

// Runner is a program that can be fed and run. Each machine makes its own; Batch is that of programs that run
// once for each vertex.
type Runner interface {
	// Set gives a value by its name: of a uniform, of an input that is the same for all lanes, of an argument.
	Set(name string, values []string) error
	// Read takes inputs from a file: json, csv or raw.
	Read(data []byte, format string) error
	// Call runs the program once, with inputs by name. Outcome.Named has the outputs.
	Call(ctx context.Context, args []Argument, opt RunOptions) (*Outcome, error)
	// Run runs the program. An error of the context is returned as it is, or wrapped.
	Run(ctx context.Context, opt RunOptions) (*Outcome, error)
}

// Launched is a Runner of one program with inputs and outputs.
type Launched interface {
	Runner
	// Launched returns what the program's file says of it.
	Launched() *exec.Launch
}

// RunOptions bound a run, and choose what it is about.
type RunOptions struct {
	exec.RunOptions
	// Count is the number of lanes; 0 is as many as there are inputs for, and at least one.
	Count int
	// Stats asks for what a machine counts beside what all do.
	Stats bool
	// Rows, unless it is nil, is handed the table of the outputs in parts, in order, as they are computed: what is in memory
	// does not grow with the number of lanes. The outcome has neither the table nor Values then. A runner whose table cannot
	// be divided leaves it in the outcome, and does not call Rows. An error ends the run, and Run returns it.
	Rows func(part *Table) error
}

// Outcome is what a run gives.
type Outcome struct {
	exec.Result
	// Noun is what a lane is, such as vertex; Nouns are several. Lanes is how many ran.
	Noun, Nouns string
	Lanes       int
	// Programs are those of a run that has several, whose diagnostics name them by their numbers, from 1 on.
	Programs []Ran
	// Tables are the outputs.
	Tables []Table
	// Named are the outputs by name, if Call ran the program.
	Named []Output
	// Picture is what was drawn, nil for nothing.
	Picture image.Image
	// Files are the files that options asked for.
	Files []OutputFile
	// Stats are lines about the run beside those that all machines have.
	Stats []string
	// Open tells that a program ends where its words do.
	Open bool
}

// OutputFile is a file to be written.
type OutputFile struct {
	Name string
	Data []byte
}

// Table is outputs of one kind: a row for each vertex, say.
type Table struct {
	// Name tells tables apart where there are several. Row is what a row is, such as vertex.
	Name, Row string
	Columns   []Column
	// Rows hold the components of the columns in order, as bits. First is the number of the first of them in the whole table, of
	// which this may be a part.
	Rows  [][]uint64
	First int
}

// Column is a value of a row, of one component or more.
type Column struct {
	Name string
	Type isa.Type
	// Components are the names of the components; nil for a value that has one without a name.
	Components []string
	// Label is set where the value numbers or names the row and is none of the machine's: it is never printed as bits.
	Label bool
}

// Count returns the number of components.
func (c *Column) Count() int { return max(1, len(c.Components)) }

// Noted reports whether somebody is to be told of a stop: the program did not end as programs do.
func (o *Outcome) Noted(s *exec.StopCount) bool {
	return s.Reason != "end" && !(s.Reason == "end of words" && o.Open)
}
