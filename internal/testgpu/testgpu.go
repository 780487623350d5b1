// Package testgpu provides Heron, a fictitious machine with a description as large as those of real
// shader processors, for tests and benchmarks.
package testgpu

import (
	"embed"
	"io/fs"
)

// File is the name of the main file in Files.
const File = "heron.xml"

// Gens are the generations, which differ in their leaves.
var Gens = []uint32{100, 200, 300, 400}

//go:embed heron/*.xml
var embedded embed.FS

// Files returns the files of the description. It is plain isaspec, so Mesa's tools accept it.
func Files() fs.FS {
	sub, err := fs.Sub(embedded, "heron")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}
