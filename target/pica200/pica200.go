// Package pica200 supports the shader processor of the Nintendo 3DS: its instruction set, source language and SHBIN files.
package pica200

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

var shipped = isa.Embedded{FS: FS, File: "pica200.xml"}
