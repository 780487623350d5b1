package prove

import (
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// facts records which parts of the description have an effect in at least one generation and
// environment.
type facts struct {
	leaves map[*spec.Bitset]*leafFact
	cases  map[*spec.Case]*caseFact
	values map[*spec.Value]bool
}

type leafFact struct {
	// possible reports whether some word matches the leaf.
	possible bool
	// by are the leaves that refine the leaf, in all generations in which no word matches it.
	by []*model.Leaf
}

type caseFact struct {
	// holds and fails report whether the condition can hold and can fail. text reports whether the
	// display can be used.
	holds, fails, text bool
	// asserts reports which asserts can hold.
	asserts []bool
}

func newFacts() *facts {
	return &facts{leaves: map[*spec.Bitset]*leafFact{}, cases: map[*spec.Case]*caseFact{}, values: map[*spec.Value]bool{}}
}

func (x *facts) leaf(b *spec.Bitset) *leafFact {
	if x.leaves[b] == nil {
		x.leaves[b] = &leafFact{}
	}
	return x.leaves[b]
}

func (x *facts) of(c *spec.Case) *caseFact {
	if x.cases[c] == nil {
		x.cases[c] = &caseFact{asserts: make([]bool, len(c.Asserts))}
	}
	return x.cases[c]
}

// maxScopes is the maximum number of scopes that are visited in one generation.
const maxScopes = 1 << 16

// walker visits the scopes of one leaf and of the operands inside it.
type walker struct {
	m *machine
	w *world
	// by is the field that prints the root, or nil if there is none.
	by *model.Ref
	// guards holds the condition under which each expression is evaluated in a scope.
	guards map[use]circuit.Lit
	order  []use
	// displayUses are the uses of cases. optional is the value of displayUse.optional for the current
	// items.
	displayUses []displayUse
	optional    bool
}

// use is an expression that is evaluated in a scope.
type use struct {
	prog *model.Prog
	f    *frame
}

// walk visits every root in each environment in which the root occurs. It visits the instructions
// first.
func (m *machine) walk() {
	m.findParameterized()
	if m.c.opt.Root != "" {
		for _, r := range m.c.roots(m) {
			m.visitRoot(m.m.TopEnv(r), nil)
		}
		return
	}
	if r, err := m.m.Root(""); err == nil && r != nil {
		m.visitRoot(m.m.TopEnv(r), nil)
	}
	for _, r := range m.m.Roots {
		if !m.roots[r] {
			m.visitRoot(m.m.TopEnv(r), nil)
		}
	}
}

// findParameterized marks the roots that are the type of a field with parameters. These parameters are
// missing if such a root is not nested.
func (m *machine) findParameterized() {
	for _, b := range m.m.ISA.Bitsets {
		for _, c := range b.Cases {
			for _, f := range c.Fields {
				if f.Bitset != nil && (len(f.Params) > 0 || f.AllParams) {
					m.parameterized[f.Bitset] = true
				}
			}
		}
	}
}

// visitRoot visits the leaves of a root in an environment. It visits each environment only once. by is
// the field that prints the root, or nil.
func (m *machine) visitRoot(env *model.Env, by *model.Ref) {
	if m.envs[env] {
		return
	}
	m.envs[env] = true
	m.order = append(m.order, env)
	for _, l := range env.Root.Leaves {
		m.attempt(l.Spec.Span, "that every part of "+l.Name+" has an effect", func() {
			k := &walker{m: m, w: m.world(), by: by, guards: map[use]circuit.Lit{}}
			k.scope(k.w.top(env.Bound(l)), k.w.valid)
			k.aliases()
			k.expressions()
		})
	}
}

// can reports whether a condition is possible. It treats an undecided condition as possible and
// records a finding.
func (k *walker) can(l circuit.Lit, f *frame) bool {
	switch k.w.Possible(l) {
	case circuit.Never:
		return false
	case circuit.Unknown:
		k.m.c.limit(k.m, f.unit.Leaf.Spec.Span, "not decided: some conditions in %s; they are too large", f.unit.Leaf.Name)
	}
	return true
}

// scope visits a leaf. here is the condition under which its bits are printed.
func (k *walker) scope(f *frame, here circuit.Lit) {
	k.m.roots[f.unit.Env.Root] = true
	if k.m.frames++; k.m.frames > maxScopes || k.w.full() {
		k.m.c.limit(k.m, f.unit.Leaf.Spec.Span, "not checked: some environments of operands; there are too many")
		return
	}
	k.requires(f, here)
	if !k.can(f.exists, f) {
		return
	}
	k.m.bound(f.unit)
	k.cases(f)
	k.checkOperands(f)
	rest := f.shown
	for _, c := range f.unit.Cases {
		here := rest
		if c.Cond != nil {
			k.use(c.Cond, f, rest)
			here = k.w.And(rest, f.holds(c.Cond))
		}
		for _, a := range c.Aliases() {
			k.items(a, f, here)
		}
		k.displayUses = append(k.displayUses, displayUse{c, f, here, k.optional})
		if !c.Shown {
			continue
		}
		fact := k.m.c.facts.of(c.Spec)
		fact.text = fact.text || k.can(here, f)
		k.items(c.Items, f, here)
		rest = k.w.And(rest, here.Not())
	}
	k.reportNoDisplay(f, rest)
}

// requires records the evaluation of the requirements of a leaf. Each requirement is evaluated only if
// all requirements before it hold. here is the condition under which the bits are printed.
func (k *walker) requires(f *frame, here circuit.Lit) {
	here = k.w.All(here, k.w.matches(f.unit.Leaf, f.word), f.notRefined())
	for _, p := range f.unit.Requires {
		k.use(p, f, here)
		here = k.w.And(here, f.holds(p))
	}
}

// reportNoDisplay reports a leaf that has no display under some condition.
func (k *walker) reportNoDisplay(f *frame, rest circuit.Lit) {
	in, ans := k.witness(rest, f)
	if ans != circuit.Sometimes {
		return
	}
	leaf := f.unit.Leaf
	x := &Finding{Code: diag.NoDisplay, Level: Warning, Span: leaf.Spec.Span, key: "textless " + leaf.Spec.Span.String()}
	x.Msg = leaf.Name + " has no display"
	if len(f.unit.Cases) > 0 && hasDisplay(f.unit) {
		x.Msg += " when the conditions of its overrides do not hold"
	}
	k.addFinding(x, f, in)
}

func hasDisplay(u *model.BoundLeaf) bool {
	for _, c := range u.Cases {
		if c.Shown {
			return true
		}
	}
	return false
}

// cases records which overrides and asserts of a leaf and its ancestors can apply.
func (k *walker) cases(f *frame) {
	for b := f.unit.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			fact, cond := k.m.c.facts.of(c), circuit.True
			if c.Expr != nil {
				cond = f.holds(f.unit.Prog(c.Expr))
			}
			fact.holds = fact.holds || k.can(k.w.And(f.exists, cond), f)
			fact.fails = fact.fails || k.can(k.w.And(f.exists, cond.Not()), f)
			for i, a := range c.Asserts {
				fact.asserts[i] = fact.asserts[i] || k.can(k.w.All(f.exists, cond, f.agrees(a)), f)
			}
		}
	}
}

func (k *walker) items(items []model.Item, f *frame, here circuit.Lit) {
	for i := range items {
		it := &items[i]
		outside := k.optional
		k.optional = outside || it.Free
		k.items(it.Members, f, here)
		k.optional = outside
		if it.Kind == model.ItemRef {
			k.name(it.Alts, it.Name, it.Span, f, here, true)
		}
	}
}

// name visits each meaning of a name. guard is the condition under which the name is used. printed
// reports whether a display prints the name.
func (k *walker) name(alts []model.Alt, name string, span diag.Span, f *frame, guard circuit.Lit, printed bool) {
	for i := range alts {
		a := &alts[i]
		here := guard
		if a.Cond != nil {
			k.use(a.Cond, f.above(a.CondDepth), guard)
			cond := f.condition(a)
			here, guard = k.w.And(guard, cond), k.w.And(guard, cond.Not())
		}
		switch {
		case a.Ref == nil:
			k.reportUnresolved(name, span, f, here)
		case a.Ref.Prog != nil:
			k.use(a.Ref.Prog, f.above(a.Ref.ScopeDepth), here)
		}
		if a.Ref != nil && printed {
			k.printed(a.Ref, f, here)
		}
	}
}

// printed visits a reference that a display prints. here is the condition under which the reference is
// printed.
func (k *walker) printed(ref *model.Ref, f *frame, here circuit.Lit) {
	if ref.Enum != nil && ref.Prog != nil {
		v := f.reference(ref)
		for _, x := range ref.Enum.Spec.Values {
			seen := k.m.c.facts.values
			seen[x] = seen[x] || k.can(k.w.And(here, k.w.Equal(v, constant(x.Val))), f)
		}
	}
	if ref.Kind != spec.KindBitset || ref.Env == nil || !k.can(here, f) {
		return
	}
	if ref.Env.Closed() {
		k.m.visitRoot(ref.Env, ref)
		return
	}
	for _, l := range ref.Env.Root.Leaves {
		if k.w.full() {
			return
		}
		k.scope(f.inside(ref, l, here), here)
	}
}

// use records the evaluation of an expression.
func (k *walker) use(p *model.Prog, f *frame, guard circuit.Lit) {
	u := use{p, f}
	old, ok := k.guards[u]
	if !ok {
		k.order = append(k.order, u)
		old = circuit.False
	}
	k.guards[u] = k.w.Or(old, guard)
}

// maxVisits limits the visits to an expression. An expression is visited again when the condition of
// its evaluation has become weaker. Without the limit, the visits to a cycle might never end.
const maxVisits = 4

// expressions visits every expression that was used, and the expressions that these use in turn.
func (k *walker) expressions() {
	looked := map[use]circuit.Lit{}
	for range maxVisits {
		k.visitExpressions(looked)
	}
	for p := range k.w.cycles {
		k.m.cycle(p.Span)
	}
}

// visitExpressions visits the expressions whose evaluation condition has changed.
func (k *walker) visitExpressions(looked map[use]circuit.Lit) {
	for i := 0; i < len(k.order); i++ {
		u := k.order[i]
		guard := k.guards[u]
		if at, ok := looked[u]; ok && at == guard {
			continue
		}
		looked[u] = guard
		k.node(u.prog.Root, u.f, guard, guard)
		for _, x := range u.prog.Missing {
			if !reads(u.prog.Root, x.Name) { // only a comment contains the name, but Mesa's tools look it up, too
				k.name(x.Alts, x.Name, u.prog.Spec.Span, u.f, guard, false)
			}
		}
	}
}

// reads reports whether an expression uses a name.
func reads(n *model.Node, name string) bool {
	return n != nil && (n.Op == spec.OpField && n.Name == name || reads(n.X, name) || reads(n.Y, name) || reads(n.Z, name))
}

// node visits an expression. guard is the condition under which this node is evaluated. all is the
// condition under which the whole expression is evaluated. all applies to names, because every name is
// read before && and || are evaluated.
func (k *walker) node(n *model.Node, f *frame, guard, all circuit.Lit) {
	if n == nil {
		return
	}
	switch n.Op {
	case spec.OpField:
		k.name(n.Alts, n.Name, n.Span, f, all, false)
		return
	case spec.OpAndAnd, spec.OpOrOr:
		k.node(n.X, f, guard, all)
		left := k.w.IsSet(f.node(n.X))
		if n.Op == spec.OpOrOr {
			left = left.Not()
		}
		k.node(n.Y, f, k.w.And(guard, left), all)
		return
	case spec.OpCond:
		k.node(n.X, f, guard, all)
		test := k.w.IsSet(f.node(n.X))
		k.node(n.Y, f, k.w.And(guard, test), all)
		k.node(n.Z, f, k.w.And(guard, test.Not()), all)
		return
	}
	k.node(n.X, f, guard, all)
	k.node(n.Y, f, guard, all)
	k.checkUndefined(n, f, guard)
}

// reportUnresolved reports a name that is undefined in some environment.
func (k *walker) reportUnresolved(name string, span diag.Span, f *frame, here circuit.Lit) {
	parameterized := f.up == nil && k.m.parameterized[f.unit.Leaf.Root.Spec]
	if parameterized && k.by == nil {
		return // no field prints the root without parameters
	}
	in, ans := k.witness(here, f)
	if ans != circuit.Sometimes || !spelled(name) {
		return
	}
	x := &Finding{Code: diag.Unresolved, Level: Error, Span: span, key: "nowhere " + span.String()}
	x.Msg = fmt.Sprintf("{%s} is not defined in %s", name, where(f))
	if parameterized {
		x.with(k.by.Field.Span, "field %s shows %s without the parameter %s", k.by.Field.Name, f.unit.Leaf.Root.Name, name)
	}
	k.addFinding(x, f, in)
}

// witness is like satisfy, but it prefers words that no other leaf matches.
func (k *walker) witness(goal circuit.Lit, f *frame) (circuit.Assignment, circuit.Answer) {
	if in, ans := k.w.Satisfy(k.w.And(goal, f.root().unambiguous())); ans == circuit.Sometimes {
		return in, ans
	}
	return k.w.Satisfy(goal)
}

// where describes the scope. It names at most the three innermost leaves.
func where(f *frame) string {
	var names []string
	for ; f != nil; f = f.up {
		if len(names) == 3 {
			return strings.Join(names, " inside ") + " inside others"
		}
		names = append(names, f.unit.Leaf.Name)
	}
	return strings.Join(names, " inside ")
}

// addFinding records a finding with a word that demonstrates it. If the circuit is approximate,
// addFinding omits the word.
func (k *walker) addFinding(x *Finding, f *frame, in circuit.Assignment) {
	top := f.root()
	if !k.w.approximate {
		word, ctx := top.words(in)
		x.Root = top.unit.Leaf.Root.Name
		leaf := top.unit.Leaf
		x.Rows = []Row{leafRow(leaf), {"word", pattern(leaf.Size, bits.Ones(leaf.Size), word, bits.Value{})}}
		x.Witnesses = []Witness{k.m.witness(leaf.Root, word, ctx, leaf.Size, top.tables(in))}
	}
	k.m.c.add(k.m, x)
}

// tables returns the table entries of an assignment.
func (f *frame) tables(in circuit.Assignment) map[string]bits.Value {
	if len(f.entries) == 0 {
		return nil
	}
	list := map[string]bits.Value{}
	for field, entry := range f.entries {
		var v bits.Value
		for i, l := range entry {
			v.SetUint(i, 1, uint64(b2i(in.Value(l))))
		}
		list[field.Name] = v
	}
	return list
}

// cycle reports an expression that depends on its own value.
func (m *machine) cycle(at diag.Span) {
	m.c.add(m, &Finding{Code: diag.ExprCycle, Level: Warning, Span: at, Msg: "the expression needs its own value: what it prints depends on the order of the display"})
}
