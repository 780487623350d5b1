package sem

import (
	"errors"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// checks remembers what was checked of a description: each operand in each surroundings once.
type checks struct {
	values   map[*model.Env]operandValue
	places   map[*model.Env]place
	operands map[operandKey]operandValue
	errs     diag.List
	seen     map[string]bool
	// runs are the roots whose words run: the one that is checked, and those that others run.
	runs   []ran
	asking *asking // nil where nobody asks
}

// ran is a root whose words run, for a wave or for a lane.
type ran struct {
	root *model.Root
	wave bool
}

func newChecks() *checks {
	return &checks{values: map[*model.Env]operandValue{}, places: map[*model.Env]place{}, operands: map[operandKey]operandValue{}, seen: map[string]bool{}}
}

// run notes a root whose words run.
func (c *checks) run(r ran) {
	if !slices.Contains(c.runs, r) {
		c.runs = append(c.runs, r)
	}
}

// operandValue is what is known of the value of an operand: its type, whether it is the same in all lanes, and whether it is
// a constant.
type operandValue struct {
	t                Type
	uniform, settled bool
}

type operandKey struct {
	unit *model.BoundLeaf
	o    *spec.Operand
}

const maxErrors = 100

// Speaks reports whether the description has semantics.
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

// Root returns the root with a name. For "", it returns the root of the words that the program counter addresses.
func (m *Machine) Root(name string) (*model.Root, error) {
	if f := m.Model.ISA.Meaning.Fetch; name == "" && f != nil {
		name = strings.TrimPrefix(f.Root, "#")
	}
	return m.Model.Root(name)
}

// Check checks the semantics of every instruction of a root, and of the roots whose words these instructions run. It checks
// them for all bits at once. The error is a diag.List.
func (m *Machine) Check(root *model.Root) error {
	c := newChecks()
	c.run(ran{root, m.Wave})
	for i := 0; i < len(c.runs); i++ {
		m.checkRoot(c, c.runs[i])
	}
	m.checkFunctions(c)
	if len(c.errs) == 0 {
		return nil
	}
	c.errs.Sort()
	return c.errs
}

// checkRoot looks at the leaves of a root.
func (m *Machine) checkRoot(c *checks, r ran) {
	env := m.Model.TopEnv(r.root)
	for _, leaf := range r.root.Leaves {
		c.try(func() {
			l := m.newChecker(c)
			l.wave = r.wave
			l.instruction(&model.Scope{Unit: env.Bound(leaf)})
			l.finish()
		})
	}
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
	if t.integer() {
		return l.settledOf(t)
	}
	return l.opaque(t, false)
}

// settledOf is a value of which only is known that it is a constant.
func (l *lowerer) settledOf(t Type) value {
	out := value{t: t, has: NoID, comps: l.b.list(t.Count())}
	for i := range out.comps {
		out.comps[i] = l.b.param(t)
	}
	return out
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
			l.call(f.body, result, &model.Scope{Unit: l.anyUnit()}, model.Assumptions{}, locals)
		})
	}
}

// anyUnit is a scope for code that names no fields.
func (l *lowerer) anyUnit() *model.BoundLeaf {
	r := l.m.Model.Roots[0]
	return l.m.Model.TopEnv(r).Bound(r.Leaves[0])
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

// value checks the values of all leaves of an operand and returns what is known of them.
func (c *checks) value(l *lowerer, env *model.Env) operandValue {
	if v, ok := c.values[env]; ok {
		return v
	}
	t := l.typeOfEnv(env)
	out := operandValue{t, true, true}
	c.values[env] = out
	c.leaves(l, env, func(f *model.Scope) {
		v := l.valueIn(f)
		is := l.known(v)
		out.uniform, out.settled = out.uniform && is.uniform, out.settled && is.settled
		if !v.t.same(t) || v.t.maybe() != t.maybe() {
			l.fail(f.Unit.Leaf.Spec.Span, diag.MeaningType, "%s has a value of type %s, but other leaves of %s have values of type %s", f.Unit.Leaf.Name, v.t, env.Root.Name, t)
		}
	})
	c.values[env] = out
	return out
}

// uniformValue reports whether a value is the same in all lanes.
func (l *lowerer) uniformValue(v value) bool {
	for _, e := range v.elems() {
		if !l.uniformValue(e) {
			return false
		}
	}
	for _, id := range v.comps {
		if !l.b.uniform(id) {
			return false
		}
	}
	return l.b.uniform(v.has)
}

// known is what is known of a value.
func (l *lowerer) known(v value) operandValue {
	is := operandValue{v.t, l.uniformValue(v), v.t.Kind != Tuple && v.has == NoID}
	for _, id := range v.comps {
		is.settled = is.settled && l.b.settled(id)
	}
	return is
}

// place checks that all leaves of an operand can be assigned and returns one of the places.
func (c *checks) place(l *lowerer, env *model.Env) place {
	if p, ok := c.places[env]; ok {
		return p
	}
	var first place
	seen := false
	c.leaves(l, env, func(f *model.Scope) {
		p := l.placeIn(f)
		if seen && !l.placeType(&p).same(l.placeType(&first)) {
			l.fail(f.Unit.Leaf.Spec.Span, diag.MeaningType, "%s is assigned a value of type %s, but other leaves of %s are assigned values of type %s", f.Unit.Leaf.Name, l.placeType(&p), env.Root.Name, l.placeType(&first))
		}
		if !seen {
			first, seen = p, true
		}
	})
	if !seen {
		first = place{typ: U32, write: func(value, diag.Span) {}}
	}
	first.index.comps = slices.Clone(first.index.comps) // it is used when the builder's room is another's
	c.places[env] = first
	return first
}

// leaves runs a check for each leaf of an operand, in a copy of the lowerer.
func (c *checks) leaves(l *lowerer, env *model.Env, run func(f *model.Scope)) {
	for _, leaf := range env.Root.Leaves {
		saved := *l
		guard := l.b.guard
		c.try(func() {
			c.nested(l, leaf, func() { run(&model.Scope{Unit: env.Bound(leaf), Up: l.frame, Depth: l.frame.Depth + 1}) })
		})
		*l = saved
		l.b.guard = guard
	}
}
