// Package testgpu provides Heron, an invented machine with a description as large as those of real shader processors, for
// tests and benchmarks.
package testgpu

import (
	"embed"
	"io/fs"
)

// File is the name of the top file in Files.
const File = "heron.xml"

// Gens are the generations that differ: leaves come, go or change from one to the next.
var Gens = []uint32{100, 200, 300, 400}

//go:embed heron/*.xml
var embedded embed.FS

// Files returns the files of the description, in plain isaspec: what Mesa's tools take.
func Files() fs.FS {
	sub, err := fs.Sub(embedded, "heron")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}
