// Package inside lets the packages of this module read the bound description of a set, which isa does not export.
package inside

import "github.com/isago/isago/internal/model"

// Key is the parameter of the methods that only this module can call: no other module can make one.
type Key struct{ _ bool }

// Machine returns the bound description of an *isa.Set. Roots and leaves have the same numbers in both.
func Machine(set interface{ Inside(Key) *model.Machine }) *model.Machine { return set.Inside(Key{}) }

// Leaf returns the bound description of an *isa.Leaf.
func Leaf(leaf interface{ Inside(Key) *model.Leaf }) *model.Leaf { return leaf.Inside(Key{}) }

// Top returns the environment of a root of an *isa.Set, by its number, when no other root contains it.
func Top(set interface{ Inside(Key) *model.Machine }, root int) *model.Env {
	m := Machine(set)
	return m.TopEnv(m.Roots[root])
}
