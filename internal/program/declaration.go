package program

import (
	"cmp"
	"slices"
)

// FileDeclaration is one thing that a file holds next to its code, such as an entry, a constant, the name of a register, or what an
// output carries. Numbers that an assembler is free to choose, such as places in a table of strings, are not part of it.
type FileDeclaration struct {
	// Program is the program that the declaration belongs to, as Member.Name or as a number; "" is the whole file.
	Program string
	// Key is what is declared, such as a register. Two files differ where declarations with the same program and key do.
	Key string
	// Text is the declaration, in the notation of source where source can say it.
	Text string
	// Place is the address in bits that follows the text; Placed reports whether there is one.
	Place  int64
	Placed bool
	// Feature is what a survey counts the file under, such as "semantic color"; "" is nothing.
	Feature string
}

// SortDeclarations sorts by an order of programs and keys. Those that compare equal stay in the order of the file, which counts:
// a second value of a register replaces the first.
func SortDeclarations[T any](list []T, order func(T) int) []T {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b T) int { return cmp.Compare(order(a), order(b)) })
	return sorted
}
