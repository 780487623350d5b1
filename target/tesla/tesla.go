// Package tesla is the shader processor of NVIDIA's G80 to GT21x: its instruction set and the files that hold its programs.
package tesla

import (
	"embed"

	"github.com/isago/isago/isa"
)

// FS holds the description.
//
//go:embed *.xml
var FS embed.FS

// Load returns the instruction set.
func Load(opt isa.Options) (*isa.Set, error) { return isa.Load(FS, "tesla.xml", opt) }
