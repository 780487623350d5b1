package gen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// prog lowers an expression that is computed in the scope so many hops up.
func (l *lowering) prog(p *model.Prog, hops int) *Expr {
	if l.mesa.exact {
		return l.mesa.prog(p.Unit, p.Spec, hops)
	}
	gens := l.genPlaces(p.Spec)
	if p.Simple && len(gens) == 0 {
		if p.Mask.IsZero() {
			return &Expr{Kind: Const, Value: 1}
		}
		return &Expr{Kind: Test, Hops: hops, Mask: p.Mask, Match: p.Match}
	}
	odd := len(p.Missing) > 0 || p.Cycle || p.Open
	if !odd && small(p.Root, 5) {
		if l.of != nil {
			return l.node(p.Root, hops, gens)
		}
		var x *Expr
		l.counting(p.Spec, func() { x = l.node(p.Root, hops, gens) })
		return x
	}
	f := l.eval(p)
	if !odd && f.Eval.Value.Kind == Const {
		return f.Eval.Value
	}
	return &Expr{Kind: Call, Func: f, Hops: hops, Effects: f.Effects}
}

// small reports whether an expression is short enough to stand where it is used.
func small(n *model.Node, most int) bool {
	count := 0
	var walk func(n *model.Node) bool
	walk = func(n *model.Node) bool {
		if n == nil {
			return true
		}
		if count++; count > most || n.Op == spec.OpCond || len(n.Alts) > 1 {
			return false
		}
		return walk(n.X) && walk(n.Y) && walk(n.Z)
	}
	return walk(n)
}

// eval returns the function of an expression.
func (l *lowering) eval(p *model.Prog) *Func {
	if f := l.progs[p]; f != nil {
		return f
	}
	e := &Evaluation{Told: -1}
	f := &Func{Kind: Eval, Eval: e, Doc: describe(p.Spec)}
	if p.Cycle {
		e.Cycle = strings.Join(strings.Fields(p.Spec.Text), " ")
	}
	if (len(p.Missing) > 0 || p.Cycle) && !l.quiet {
		l.missing(p, f)
	}
	if p.Open {
		e.Open, e.Known = true, l.known.of(p.Spec, false)
		f.Effects = true
	}
	l.counting(p.Spec, func() {
		for _, m := range p.Fetch {
			if x := l.computed(m.Alts); x != nil {
				e.Fetch = append(e.Fetch, x)
			}
		}
		e.Value = l.node(p.Root, 0, l.genPlaces(p.Spec))
	})
	f.Effects, f.Most = f.Effects || e.Value.Effects, e.Value.Bound()
	f = l.add(f, evalName(p.Spec))
	l.progs[p], l.places[f] = f, p.Spec.Span
	return f
}

// missing has an expression tell, once in a scope, that names in it resolve nowhere or that it needs its own value.
func (l *lowering) missing(p *model.Prog, f *Func) {
	f.Effects = true
	f.Eval.Told = l.told.of(p.Spec, p.Cycle)
	l.p.Uses.NoField = true
	l.p.Uses.Cycle = l.p.Uses.Cycle || p.Cycle
	for _, m := range p.Missing {
		f.Eval.Missing = append(f.Eval.Missing, MissingName{Name: m.Name, Found: l.found(m.Alts)})
	}
}

func evalName(e *spec.Expr) string {
	if e.Name != "" {
		return "is_" + Lower(e.Name)
	}
	return "expr"
}

// describe says of an expression what it is and where it stands.
func describe(e *spec.Expr) string {
	const longest = 90
	text := Comment(e.Text)
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	text = strings.ToValidUTF8(text, ".")
	if e.Name != "" {
		text = Comment(e.Name) + ": " + text
	}
	return fmt.Sprintf("%s (%s)", text, Line(e.Span))
}

// found is 0 where a name resolves nowhere; nil stands for everywhere that.
func (l *lowering) found(alts []model.Alt) *Expr {
	return l.chain(alts, 0, func(ref *model.Ref) *Expr {
		if ref == nil {
			return &Expr{Kind: Const}
		}
		return &Expr{Kind: Const, Value: 1}
	})
}

// computed computes the conditions of a name, and what it means where that is computed; nil if nothing can be found by that.
func (l *lowering) computed(alts []model.Alt) *Expr {
	x := l.chain(alts, 0, func(ref *model.Ref) *Expr {
		if ref == nil || ref.Prog == nil {
			return &Expr{Kind: Const}
		}
		return l.value(ref, 0)
	})
	if !x.Effects {
		return nil
	}
	return x
}

// chain chooses between the meanings of a name.
func (l *lowering) chain(alts []model.Alt, hops int, value func(*model.Ref) *Expr) *Expr {
	if len(alts) == 0 {
		return value(nil)
	}
	a := alts[0]
	if a.Cond == nil {
		return value(a.Ref)
	}
	return choice(l.prog(a.Cond, hops+a.CondDepth), value(a.Ref), l.chain(alts[1:], hops, value))
}

func choice(cond, x, y *Expr) *Expr {
	if cond.Kind == Const {
		if cond.Value != 0 {
			return x
		}
		return y
	}
	return &Expr{Kind: Choose, X: cond, Y: x, Z: y, Type: max(x.Type, y.Type), Effects: cond.Effects || x.Effects || y.Effects}
}

// hoist puts a choice into a function of its own, so that choices stand at the top of functions alone.
func (l *lowering) hoist(make func(hops int) *Expr, hops int, name, doc string) *Expr {
	x := make(0)
	if x.Kind != Choose {
		return make(hops)
	}
	f := l.add(&Func{Kind: Eval, Eval: &Evaluation{Told: -1, Value: x}, Doc: doc, Effects: x.Effects, Most: x.Bound()}, name)
	return &Expr{Kind: Call, Func: f, Hops: hops, Effects: x.Effects}
}

// genPlaces returns where in an expression the generation stands; model has put its number there.
func (l *lowering) genPlaces(e *spec.Expr) map[int]bool {
	if places, ok := l.gens[e]; ok {
		return places
	}
	places := map[int]bool{}
	if l.p.AllGens {
		var walk func(n *spec.Node)
		walk = func(n *spec.Node) {
			if n == nil {
				return
			}
			if n.Op == spec.OpGen {
				places[n.Span.Off] = true
				l.p.Uses.Gen = true
			}
			walk(n.X)
			walk(n.Y)
			walk(n.Z)
		}
		walk(e.Root())
	}
	l.gens[e] = places
	return places
}

// node lowers a bound expression in the scope so many hops up.
func (l *lowering) node(n *model.Node, hops int, gens map[int]bool) *Expr {
	l.count()
	switch n.Op {
	case spec.OpConst:
		if gens[n.Span.Off] {
			return &Expr{Kind: Gen, Type: spec.U32}
		}
		return &Expr{Kind: Const, Value: n.Value, Type: n.Type}
	case spec.OpField:
		if len(n.Alts) == 1 && n.Alts[0].Cond == nil {
			return l.valueOf(n.Alts[0].Ref, hops)
		}
		return l.hoist(func(hops int) *Expr {
			return l.chain(n.Alts, hops, func(ref *model.Ref) *Expr { return l.valueOf(ref, hops) })
		}, hops, "which_"+Lower(n.Name), "what "+Comment(n.Name)+" is here")
	case spec.OpCond:
		return l.hoist(func(hops int) *Expr {
			return choice(l.node(n.X, hops, gens), l.node(n.Y, hops, gens), l.node(n.Z, hops, gens))
		}, hops, "choose", "a choice at "+Line(n.Span))
	}
	x := &Expr{Kind: Operator, Op: n.Op, Type: n.Type, X: l.node(n.X, hops, gens)}
	x.Effects = x.X.Effects
	if n.Y != nil {
		x.Y = l.node(n.Y, hops, gens)
		x.Effects = x.Effects || x.Y.Effects
	}
	return l.fold(n, x)
}

// valueOf is value for a name that may resolve nowhere and reads 0 then.
func (l *lowering) valueOf(ref *model.Ref, hops int) *Expr {
	if ref == nil {
		return &Expr{Kind: Const, Type: spec.I64}
	}
	x := *l.value(ref, hops)
	x.Type = spec.I64
	return &x
}

// fold computes what is constant.
func (l *lowering) fold(n *model.Node, x *Expr) *Expr {
	if x.X.Kind != Const || x.Y != nil && x.Y.Kind != Const {
		return settled(x)
	}
	y := uint64(0)
	if x.Y != nil {
		y = x.Y.Value
	}
	return &Expr{Kind: Const, Type: n.Type, Value: model.Apply(n, x.X.Value, y)}
}

// value lowers the raw bits of a reference, at most the low 64.
func (l *lowering) value(ref *model.Ref, hops int) *Expr {
	if ref.Context != nil {
		return &Expr{Kind: Context, Context: ref.Context, Type: spec.I64}
	}
	if ref.Prog != nil {
		x := l.prog(ref.Prog, hops+ref.ScopeDepth)
		if l.exact && l.p.Widest() <= 32 {
			x = &Expr{Kind: Operator, Op: spec.OpAnd, Type: spec.U64, X: x, Y: &Expr{Kind: Const, Value: 1<<32 - 1}, Effects: true}
		}
		return x
	}
	return l.bits(l.source(ref, hops))
}

// bits reads the low 64 bits of a source.
func (l *lowering) bits(src Source) *Expr {
	if src.Parts != nil {
		src.Parts = lowParts(src.Parts, 64)
	}
	x := &Expr{Kind: BitsOf, Source: src, Type: spec.I64}
	x.Effects = src.Entry != nil
	return x
}

// lowParts returns the lowest bits of a field in parts.
func lowParts(parts []bits.Part, most int) []bits.Part {
	var out []bits.Part
	for _, p := range slices.Backward(parts) {
		if p.Width > most {
			p.Width = most
		}
		if most -= p.Width; p.Width > 0 {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// Bound returns the largest value that an expression can have.
func (x *Expr) Bound() uint64 {
	switch x.Kind {
	case Const:
		return x.Value
	case Gen:
		return 1<<32 - 1
	case Context:
		return ones(x.Context.Width)
	case Test:
		return 1
	case BitsOf:
		n := 0
		for _, p := range x.Source.Parts {
			n += p.Width
		}
		return ones(n)
	case Call:
		return x.Func.Most
	case Choose:
		return max(x.Y.Bound(), x.Z.Bound())
	case Operator:
		return x.bound()
	}
	return ^uint64(0)
}

func ones(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

const small31 = 1<<31 - 1

// bound is Bound of an operator. What stays below 1<<31 wraps in no type.
func (x *Expr) bound() uint64 {
	if x.IsBool() {
		return 1
	}
	if x.Y == nil {
		return ^uint64(0)
	}
	a, b := x.X.Bound(), x.Y.Bound()
	switch x.Op {
	case spec.OpAnd:
		if m := min(a, b); m <= small31 {
			return m
		}
	case spec.OpComma:
		return b
	}
	if a > small31 || b > small31 {
		return ^uint64(0)
	}
	most := ^uint64(0)
	switch x.Op {
	case spec.OpOr, spec.OpXor:
		return lenMask(a | b)
	case spec.OpAdd:
		most = a + b
	case spec.OpMul:
		most = a * b
	case spec.OpShl:
		if b < 32 {
			most = a << b
		}
	case spec.OpShr, spec.OpDiv, spec.OpMod:
		return a
	}
	if most > small31 {
		return ^uint64(0)
	}
	return most
}

func lenMask(v uint64) uint64 {
	m := uint64(0)
	for m < v {
		m = m<<1 | 1
	}
	return m
}

// IsBool reports whether an expression is 0 or 1 by its form.
func (x *Expr) IsBool() bool {
	if x.Kind == Test {
		return true
	}
	if x.Kind != Operator {
		return false
	}
	switch x.Op {
	case spec.OpNot, spec.OpOrOr, spec.OpAndAnd, spec.OpEq, spec.OpNe, spec.OpLt, spec.OpLe, spec.OpGt, spec.OpGe:
		return true
	}
	return false
}

// settled simplifies what its operands settle by their ranges, or by being the same: a compiler would warn of it.
func settled(x *Expr) *Expr {
	if x.Y == nil {
		return x
	}
	same := !x.X.Effects && reflect.DeepEqual(x.X, x.Y)
	switch x.Op {
	case spec.OpAndAnd, spec.OpOrOr:
		if same {
			return truth(x.X)
		}
		return settledLogic(x)
	case spec.OpEq, spec.OpLe, spec.OpGe:
		if same {
			return is(x.X, 1)
		}
	case spec.OpNe, spec.OpLt, spec.OpGt:
		if same {
			return is(x.X, 0)
		}
	default:
		return x
	}
	a, b, op := x.X, x.Y, x.Op
	if a.Kind == Const {
		a, b, op = b, a, turned[op]
	}
	if b.Kind == Const && (op == spec.OpEq || op == spec.OpNe) && !a.CanBe(b.Value) {
		return is(a, flag(op == spec.OpNe))
	}
	most := a.Bound()
	if b.Kind != Const || b.Value > small31 || most > 1<<62 {
		return x
	}
	c := b.Value
	switch {
	case op == spec.OpEq && c > most, op == spec.OpLt && c == 0, op == spec.OpGt && c >= most:
		return is(a, 0)
	case op == spec.OpNe && c > most, op == spec.OpGe && c == 0, op == spec.OpLe && c >= most, op == spec.OpLt && c > most:
		return is(a, 1)
	case op == spec.OpGe && c > most:
		return is(a, 0)
	}
	return x
}

// CanBe reports whether an expression can have a value, as far as a constant in it says. The low bits of a constant are the
// same in all types.
func (x *Expr) CanBe(v uint64) bool {
	if x.Kind != Operator || x.Y == nil {
		return true
	}
	c := x.Y
	if x.X.Kind == Const {
		c = x.X
	}
	switch {
	case c.Kind != Const:
	case x.Op == spec.OpOr:
		return c.Value&small31&^v == 0
	case x.Op == spec.OpAnd && c.Value <= small31:
		return v&^c.Value == 0
	}
	return true
}

var turned = map[spec.Op]spec.Op{
	spec.OpEq: spec.OpEq, spec.OpNe: spec.OpNe, spec.OpLt: spec.OpGt, spec.OpLe: spec.OpGe, spec.OpGt: spec.OpLt, spec.OpGe: spec.OpLe,
}

// is is a constant; what is found on the way to it is found all the same.
func is(a *Expr, v uint64) *Expr {
	c := &Expr{Kind: Const, Value: v}
	if !a.Effects {
		return c
	}
	return &Expr{Kind: Operator, Op: spec.OpComma, X: a, Y: c, Effects: true}
}

func settledLogic(x *Expr) *Expr {
	decides := x.Op == spec.OpOrOr // the value that settles it
	switch {
	case x.X.Kind == Const && (x.X.Value != 0) == decides:
		return &Expr{Kind: Const, Value: flag(decides)}
	case x.X.Kind == Const:
		return truth(x.Y)
	case x.Y.Kind == Const && (x.Y.Value != 0) == decides:
		return is(x.X, flag(decides))
	case x.Y.Kind == Const:
		return truth(x.X)
	}
	return x
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// truth is 1 where a value is not 0.
func truth(x *Expr) *Expr {
	if x.IsBool() {
		return x
	}
	return settled(&Expr{Kind: Operator, Op: spec.OpNe, X: x, Y: &Expr{Kind: Const}, Type: spec.I32, Effects: x.Effects})
}
