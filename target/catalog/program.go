package catalog

import (
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Image is a program in a file: its code, and the names, entries and tables of the file.
type Image = program.Image

// Raw is the image of words without a container, in the machine's storage order.
func Raw(root *isa.Root, data []byte) (*Image, error) { return program.Raw(root, data) }

// Compiler compiles source files to one file of a machine's format.
type Compiler = program.Compiler

// CompileOptions are the command-line options for compiling source.
type CompileOptions = program.CompileOptions

// Compiled is a file compiled from source, with its C header and the diagnostics of the source.
type Compiled = program.Compiled
