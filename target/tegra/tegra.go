// Package tegra supports the vertex processor of NVIDIA Tegra 2, 3 and 4: its instruction set, source language and file
// formats.
package tegra

import (
	"embed"

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

var shipped = isa.Embedded{FS: FS, File: "tegra.xml"}
