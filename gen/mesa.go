package gen

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// mesaBinding binds displays as Mesa's tools read them. Where names are missing or expressions need their own
// values, it is exact: names are then looked up in the order in which those tools do.
type mesaBinding struct {
	l     *lowering
	exact bool
	evals map[mesaKey]*Func
}

type mesaKey struct {
	unit *model.BoundLeaf
	expr *spec.Expr
}

func newMesaBinding(l *lowering) *mesaBinding {
	return &mesaBinding{l: l, exact: l.exact, evals: map[mesaKey]*Func{}}
}

func (m *mesaBinding) items(u *model.BoundLeaf, t *spec.Template) []Stmt {
	var out []Stmt
	for _, it := range t.MesaItems() {
		out = append(out, Stmt{Kind: Text, Text: it.Text})
		if !it.Last {
			out = append(out, m.item(u, &it)...)
		}
	}
	return joinTexts(out)
}

func (m *mesaBinding) item(u *model.BoundLeaf, it *spec.MesaItem) []Stmt {
	var pad []Stmt
	if it.Column >= 0 {
		m.l.p.Uses.Align = true
		pad = []Stmt{{Kind: Align, Column: it.Column}}
	}
	switch {
	case it.Column >= 0 && it.Name == "", isAssertName(u, it.Name):
		return pad
	case strings.HasPrefix("NAME", it.Name):
		return append(pad, Stmt{Kind: Notify, Text: "NAME"}, Stmt{Kind: LeafName})
	}
	return m.l.part(it.Name, m.choose(u, it.Name, pad, m.alts(u, it.Name, nil, 0)))
}

// isAssertName reports whether a name is the one that Mesa's generator gives to an assert: a field that prints
// nothing.
func isAssertName(u *model.BoundLeaf, name string) bool {
	bitset, number, ok := strings.Cut(name, "#assert")
	if !ok {
		return false
	}
	for b := u.Leaf.Spec; b != nil; b = b.Extends {
		if b.Name != bitset {
			continue
		}
		c := b.Cases[len(b.Cases)-1]
		for _, a := range c.Asserts {
			before := 0
			for _, other := range c.Asserts {
				if other.Span.Off < a.Span.Off {
					before++
				}
			}
			for _, f := range c.Fields {
				if f.Span.Off < a.Span.Off {
					before++
				}
			}
			if strconv.Itoa(before) == number {
				return true
			}
		}
	}
	return false
}

// mesaAlt is a meaning of a name where cond is not 0, nil being always. It has no field where a case is asked
// that does not define the name.
type mesaAlt struct {
	cond  *Expr
	field *model.Ref
	asked bool
}

// alts lists what a name may mean in the scope of u, which is so many hops up. The condition top is being
// evaluated and counts as true.
func (m *mesaBinding) alts(u *model.BoundLeaf, name string, top *spec.Expr, hops int) []mesaAlt {
	if !m.exact {
		return m.sound(u, name, hops)
	}
	var out []mesaAlt
	at := u
	for {
		for b := at.Leaf.Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				var cond *Expr
				if c.Expr != nil && c.Expr != top {
					cond = m.prog(at, c.Expr, hops)
				}
				f := c.Field(name)
				if f == nil {
					if cond != nil {
						out = append(out, mesaAlt{cond: cond, asked: true})
					}
					continue
				}
				ref := *at.Bind(f)
				ref.ScopeDepth = hops
				if ref.Kind == spec.KindBitset {
					ref.Env = u.NestedEnv(f, m.passed(u, f))
				}
				out = append(out, mesaAlt{cond: cond, field: &ref})
				if cond == nil {
					return out
				}
			}
		}
		outer, ok := at.Env.ParamName(name)
		if !ok || at.Env.Up == nil {
			return append(out, mesaAlt{})
		}
		name, at, hops = outer, at.Env.Up, hops+1
	}
}

// passed identifies what a field of a bitset type hands in: all that is asked where its names are looked up, the same for
// two scopes in which the same code can do it.
func (m *mesaBinding) passed(u *model.BoundLeaf, f *spec.Field) string {
	w := passedWriter{seen: map[mesaKey]bool{}}
	for _, p := range f.Params {
		fmt.Fprintf(&w, "%s=", p.As)
		w.name(u, p.Name, nil)
	}
	sum := sha256.Sum256([]byte(w.String()))
	return string(sum[:])
}

// passedWriter writes expressions and fields by their addresses, each expression of a scope once with what its names are.
type passedWriter struct {
	strings.Builder
	seen map[mesaKey]bool
}

// name writes what alts asks.
func (w *passedWriter) name(u *model.BoundLeaf, name string, top *spec.Expr) {
	for {
		for b := u.Leaf.Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				always := c.Expr == nil || c.Expr == top
				if !always {
					w.expr(u, c.Expr)
				}
				f := c.Field(name)
				if f == nil {
					continue
				}
				fmt.Fprintf(w, "%p;", f)
				if f.Expr != nil {
					w.expr(u, f.Expr)
				}
				if always {
					return
				}
			}
		}
		outer, ok := u.Env.ParamName(name)
		if !ok || u.Env.Up == nil {
			w.WriteByte('.')
			return
		}
		w.WriteByte('^')
		name, u = outer, u.Env.Up
	}
}

func (w *passedWriter) expr(u *model.BoundLeaf, e *spec.Expr) {
	fmt.Fprintf(w, "%p", e)
	if key := (mesaKey{u, e}); !w.seen[key] {
		w.seen[key] = true
		w.WriteByte('[')
		for _, name := range e.FieldNames() {
			w.name(u, name, e)
		}
		w.WriteByte(']')
	}
}

// sound is alts where nothing is odd.
func (m *mesaBinding) sound(u *model.BoundLeaf, name string, hops int) (out []mesaAlt) {
	for _, a := range u.Resolve(name) {
		x := mesaAlt{field: a.Ref}
		if a.Cond != nil {
			x.cond = m.l.prog(a.Cond, hops+a.CondDepth)
		}
		out = append(out, x)
	}
	return out
}

// choose shows what a name means.
func (m *mesaBinding) choose(u *model.BoundLeaf, name string, pad []Stmt, alts []mesaAlt) []Stmt {
	if len(alts) == 0 {
		return m.l.show(u, name, nil)
	}
	a := alts[0]
	if a.asked {
		return append([]Stmt{{Kind: Compute, Value: a.cond}}, m.choose(u, name, pad, alts[1:])...)
	}
	body := m.l.show(u, name, a.field)
	if a.field != nil {
		body = append(pad[:len(pad):len(pad)], body...)
	}
	if a.cond == nil {
		return body
	}
	return []Stmt{{Kind: If, Value: a.cond, Body: body, Else: m.choose(u, name, pad, alts[1:])}}
}

// prog returns the call of an expression in the scope of u, which is so many hops up.
func (m *mesaBinding) prog(u *model.BoundLeaf, e *spec.Expr, hops int) *Expr {
	return &Expr{Kind: Call, Func: m.eval(u, e), Hops: hops, Effects: true}
}

func (m *mesaBinding) eval(u *model.BoundLeaf, e *spec.Expr) *Func {
	key := mesaKey{u, e}
	if f := m.evals[key]; f != nil {
		return f
	}
	l := m.l
	l.p.Uses.Stack, l.p.Uses.NoField = true, true
	f := &Func{
		Kind: Eval, Doc: describe(e), Cyclic: true, Effects: true, Most: ^uint64(0), Cost: 1,
		Name: l.names.Unique(evalName(e), ""),
		Eval: &Evaluation{Told: -1, Mesa: true, Known: l.known.of(e, false), ID: l.exprID(e)},
	}
	m.evals[key], l.places[f] = f, e.Span
	for _, name := range e.FieldNames() {
		f.Eval.Locals = append(f.Eval.Locals, MissingName{Name: name, Value: m.local(name, m.alts(u, name, e, 0))})
	}
	f.Eval.Value = m.node(l.class.model.Unbound(e.Root()), e.FieldNames(), l.genPlaces(e))
	return l.add(f, f.Name)
}

// local looks a name up.
func (m *mesaBinding) local(name string, alts []mesaAlt) *Expr {
	if len(alts) == 0 {
		return &Expr{Kind: Absent, Name: name, Effects: true}
	}
	a := alts[0]
	switch {
	case a.asked:
		return &Expr{Kind: Operator, Op: spec.OpComma, Type: spec.I64, X: a.cond, Y: m.local(name, alts[1:]), Effects: true}
	case a.field == nil:
		return &Expr{Kind: Absent, Name: name, Effects: true}
	}
	x := *m.l.value(a.field, 0)
	x.Type = spec.I64
	if a.cond == nil {
		return &x
	}
	return choice(a.cond, &x, m.local(name, alts[1:]))
}

// node lowers an expression whose names are looked up already.
func (m *mesaBinding) node(n *model.Node, fetch []string, gens map[int]bool) *Expr {
	m.l.count()
	switch n.Op {
	case spec.OpConst:
		if gens[n.Span.Off] {
			return &Expr{Kind: Gen, Type: spec.U32}
		}
		return &Expr{Kind: Const, Value: n.Value, Type: n.Type}
	case spec.OpField:
		for i, name := range fetch {
			if name == n.Name {
				return &Expr{Kind: Local, Value: uint64(i), Type: spec.I64}
			}
		}
	case spec.OpCond:
		return choice(m.node(n.X, fetch, gens), m.node(n.Y, fetch, gens), m.node(n.Z, fetch, gens))
	}
	x := &Expr{Kind: Operator, Op: n.Op, Type: n.Type, X: m.node(n.X, fetch, gens)}
	if n.Y != nil {
		x.Y = m.node(n.Y, fetch, gens)
	}
	return m.l.fold(n, x)
}

// Unbound lowers an expression whose names are looked up already: each is a Local, by its place in Fetch. The
// generation is told when the code runs.
func (p *Program) Unbound(e *spec.Expr) *Expr {
	l := &lowering{p: &Program{Options: Options{AllGens: true}}, gens: map[*spec.Expr]map[int]bool{}}
	m := &mesaBinding{l: l}
	return m.node(p.Classes[0].model.Unbound(e.Root()), e.FieldNames(), l.genPlaces(e))
}

// exprID numbers the expressions of a description.
func (l *lowering) exprID(e *spec.Expr) int {
	id, ok := l.exprs[e]
	if !ok {
		id = len(l.exprs) + 1
		l.exprs[e] = id
	}
	return id
}

// Digits returns the number of digits of a word in a finding: as many as the longest word of the machine has by Mesa's
// rules, as the longest of the root otherwise.
func (p *Program) Digits(r *Root) int {
	size := r.Size
	if p.Mesa {
		size = p.Widest()
	}
	return (size + 31) / 32 * 8
}

// Widest returns the size of the longest value of any root.
func (p *Program) Widest() int {
	most := 0
	for _, r := range p.Roots {
		most = max(most, r.Size)
	}
	return most
}
