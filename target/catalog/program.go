package catalog

import (
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Image is a program as a file holds it: its code, and what the file says about names, entries and
// tables.
type Image = program.Image

// Raw is the image of words without a container, stored as the machine stores its programs.
func Raw(root *isa.Root, data []byte) (*Image, error) { return program.Raw(root, data) }

// Compiler turns source files into one file of a machine's format.
type Compiler = program.Compiler

// CompileOptions are what a command line says about making a file from source.
type CompileOptions = program.CompileOptions

// Compiled is a file made from source, with its C header and what was odd about the source.
type Compiled = program.Compiled
