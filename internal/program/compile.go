package program

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// CompileOptions are what a command line says about making a file from source.
type CompileOptions struct {
	// NoPad leaves out instructions that the layout would add where a scope must not end.
	NoPad bool
	// Context gives the contexts that the command line chose; nil chooses none.
	Context func(*isa.Set) (bits.Value, error)
	// Format is the format of the file, one that the machine has; "" is its default.
	Format string
	// Jobs is the number of processors that may be used; what is made does not depend on it.
	Jobs int
	// Syntax is the spelling of the source; "" is the plain one.
	Syntax string
	// Compat is the tool as which a source is read where that takes it otherwise, one that the machine has; "" is none.
	Compat string
}

// Compiled is a file made from source.
type Compiled struct {
	Bytes []byte
	// Order is the one that the source asks for, of each word of 32 bits of Bytes. Bytes has the
	// least significant one first.
	Order Order
	// Header declares in C where the program's uniforms are.
	Header []byte
	// Context has what the source says of itself that the file does not, such as its stage; nil where the file says all.
	Context *bits.Value
	// Places tell where in the source instructions stand, by address; none where the compiler does not say.
	Places []Place
	// Declared are the registers that the source gives names or values, in its order; none where the compiler does not say.
	Declared []Declaration
	// Warnings are in the order of the source; the code of each is its name.
	Warnings diag.List
}

// Declaration is where a source declares registers.
type Declaration struct {
	Name string
	// File is the register file of the description, Number the first register, Count how many there are.
	File          string
	Number, Count int
	Span          diag.Span
}

// Declaration returns the only declaration that a register is part of, by its name where it has one; the zero value where there is none,
// or where several programs have one each.
func (c *Compiled) Declaration(name, file string, number int) (only Declaration) {
	for _, d := range c.Declared {
		if d.File != file || number < d.Number || d.Number+d.Count <= number || name != "" && d.Name != name {
			continue
		}
		if only.Span.IsValid() {
			return Declaration{}
		}
		only = d
	}
	return only
}

// Place is where in a source the instruction at an address stands.
type Place struct {
	Addr int64 // in bits
	Span diag.Span
}

// Compiler turns source files into one file of a machine's format. It is reused, and not for use by
// several goroutines at once.
type Compiler interface {
	Compile(files []*diag.Source, opt CompileOptions) (*Compiled, error)
}

// TextCompiler is a Compiler whose memory does not grow with a source that is read as it goes.
type TextCompiler interface {
	CompileText(source *Text, opt CompileOptions) (*Compiled, error)
}
