package sem

import (
	"errors"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// checks remembers what was checked of a description: each operand in each surroundings once.
type checks struct {
	values   map[*model.Env]Type
	places   map[*model.Env]place
	operands map[operandKey]Type
	errs     diag.List
	seen     map[string]bool
}

type operandKey struct {
	unit *model.Unit
	o    *spec.Operand
}

const maxErrors = 100

// Speaks tells whether the description says what its instructions do.
func (m *Machine) Speaks() bool {
	for _, b := range m.Model.ISA.Bitsets {
		for _, c := range b.Cases {
			if c.Semantics != nil {
				return true
			}
		}
	}
	return false
}

// Check looks at the meaning of every instruction of a root as Lower would, whatever the bits are. The error
// is a diag.List.
func (m *Machine) Check(root *model.Root) error {
	c := &checks{values: map[*model.Env]Type{}, places: map[*model.Env]place{}, operands: map[operandKey]Type{}, seen: map[string]bool{}}
	env := m.Model.Top(root)
	for _, leaf := range root.Leaves {
		c.try(func() {
			l := m.newChecker(c)
			l.instruction(&frame{unit: env.Unit(leaf)})
			l.finish()
		})
	}
	m.checkFunctions(c)
	if len(c.errs) == 0 {
		return nil
	}
	c.errs.Sort()
	return c.errs
}

// newChecker returns a lowerer for bits that are not known.
func (m *Machine) newChecker(c *checks) *lowerer {
	l := m.newLowerer(&Words{Context: m.Model.Context})
	l.check, l.checks = true, c
	l.here = value{t: intType, unknown: true, has: NoID}
	l.next = l.here
	return l
}

// settled is a value that is a constant and not known: what a function may be called with.
func (l *lowerer) settled(t Type) value {
	v := l.opaque(t)
	if v.t.integer() && v.t.Len == 0 {
		v.comps[0] = l.b.param(t)
	}
	return v
}

// checkFunctions looks at the functions, also those that nobody calls. A generic one is tried with 32 bits.
func (m *Machine) checkFunctions(c *checks) {
	for _, f := range m.functions {
		c.try(func() {
			l := m.newChecker(c)
			l.wave = f.spec.Wave
			var locals []local
			for _, g := range f.generic {
				locals = append(locals, local{name: g, v: number(32)})
			}
			for _, p := range f.params {
				locals = append(locals, local{name: p.name, v: l.settled(l.typeIn(p.typ, locals))})
			}
			var result Type
			if f.result != nil {
				result = l.typeIn(f.result, locals)
			}
			l.call(f.body, result, &frame{unit: l.anyUnit()}, locals)
		})
	}
}

// anyUnit is a scope for code that names no fields.
func (l *lowerer) anyUnit() *model.Unit {
	r := l.m.Model.Roots[0]
	return l.m.Model.Top(r).Unit(r.Leaves[0])
}

// try runs a check and keeps what it found.
func (c *checks) try(run func()) (ok bool) {
	var err error
	func() {
		defer recoverError(&err)
		run()
	}()
	var e *diag.Error
	if errors.As(err, &e) && !c.seen[e.Error()] && len(c.errs) < maxErrors {
		c.seen[e.Error()] = true
		c.errs = append(c.errs, e)
	}
	return err == nil
}

// value checks the values of all leaves of an operand and returns their type.
func (c *checks) value(l *lowerer, env *model.Env) Type {
	if t, ok := c.values[env]; ok {
		return t
	}
	t := l.typeOfEnv(env)
	c.values[env] = t
	c.leaves(l, env, func(f *frame) {
		if v := l.valueIn(f); !v.t.same(t) || v.t.Maybe != t.Maybe {
			l.fail(f.unit.Leaf.Spec.Span, diag.MeaningType, "%s is a value of type %s, others of its kind of type %s", f.unit.Leaf.Name, v.t, t)
		}
	})
	return t
}

// place checks that all leaves of an operand can be assigned and returns one of the places.
func (c *checks) place(l *lowerer, env *model.Env) place {
	if p, ok := c.places[env]; ok {
		return p
	}
	var first place
	seen := false
	c.leaves(l, env, func(f *frame) {
		p := l.placeIn(f)
		if seen && !l.placeType(p).same(l.placeType(first)) {
			l.fail(f.unit.Leaf.Spec.Span, diag.MeaningType, "%s is a place of type %s, others of its kind of type %s", f.unit.Leaf.Name, l.placeType(p), l.placeType(first))
		}
		if !seen {
			first, seen = p, true
		}
	})
	if !seen {
		first = place{typ: U32, write: func(value, diag.Span) {}}
	}
	c.places[env] = first
	return first
}

// leaves runs a check for each leaf of an operand, in a copy of the lowerer.
func (c *checks) leaves(l *lowerer, env *model.Env, run func(f *frame)) {
	for _, leaf := range env.Root.Leaves {
		saved := *l
		guard := l.b.guard
		c.try(func() {
			run(&frame{unit: env.Unit(leaf), up: l.frame, depth: l.frame.depth + 1})
		})
		*l = saved
		l.b.guard = guard
	}
}
