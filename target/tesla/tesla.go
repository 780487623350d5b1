// Package tesla supports the shader processor of NVIDIA G80 to GT21x: its instruction set, source language and cubins.
package tesla

import (
	"embed"
	"sync"

	"github.com/isago/isago/isa"
)

// FS holds the description.
//
//go:embed *.xml
var FS embed.FS

// Load returns the instruction set.
func Load(opt isa.Options) (*isa.Set, error) { return shipped.Load(opt) }

// Products lists other names of the machine, without loading the instruction set.
func Products() ([]isa.Product, error) { return shipped.Products() }

var shipped = isa.Embedded{FS: FS, File: "tesla.xml"}

// plain is the instruction set in the plain spelling, which the compiler and the sources share.
var plain = sync.OnceValues(func() (*isa.Set, error) { return Load(isa.Options{}) })
