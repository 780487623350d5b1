// Package inside gives the packages of this module access to what isa does not export, such as the bound description of
// a set.
package inside

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
)

// isa fills these in; an instruction set and a leaf are its own types, which this package cannot name.
var (
	machine func(set any) *model.Machine
	leaf    func(leaf any) *model.Leaf
	tables  func(decoder any) [][]bits.Value
	work    func(parser any) int
)

// Open is called once, by isa.
func Open(machineOf func(set any) *model.Machine, leafOf func(leaf any) *model.Leaf, tablesOf func(decoder any) [][]bits.Value) {
	machine, leaf, tables = machineOf, leafOf, tablesOf
}

// OpenParser is called once, by asm.
func OpenParser(workOf func(parser any) int) { work = workOf }

// Work returns the number of steps that an *asm.Parser took for the last line.
func Work(parser any) int { return work(parser) }

// Machine returns the bound description of an *isa.Set. Roots and leaves have the same numbers in both.
func Machine(set any) *model.Machine { return machine(set) }

// Leaf returns what stands behind an *isa.Leaf.
func Leaf(l any) *model.Leaf { return leaf(l) }

// Tables returns the entries of the tables of an *isa.Decoder.
func Tables(decoder any) [][]bits.Value { return tables(decoder) }

// Top returns the surroundings of a root of an *isa.Set that stands alone, by its number.
func Top(set any, root int) *model.Env {
	m := Machine(set)
	return m.TopEnv(m.Roots[root])
}

// Unit returns an *isa.Leaf of an *isa.Set in the surroundings of a root that stands alone.
func Unit(set, leaf any) *model.BoundLeaf {
	l := Leaf(leaf)
	return Machine(set).TopEnv(l.Root).Bound(l)
}
