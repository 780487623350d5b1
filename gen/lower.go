package gen

import (
	"context"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// maxDepth and maxOperands bound the operands of an instruction as they do in isa.
const (
	MaxDepth    = 24
	MaxOperands = 1 << 12
)

// Limits of a program: its functions, the operators, names and numbers of one expression with all that is written out in it,
// and those of all expressions.
const (
	maxFuncs = 1 << 16
	MaxNodes = 1 << 14
	MaxAll   = 1 << 19
)

// lowering turns bound bitsets into functions. Those that come out the same are one.
type lowering struct {
	p     *Program
	class *Class
	units map[unitFor]*Func
	enter map[envFor]*Func
	progs map[*model.Prog]*Func
	match map[*model.Env]*Func
	same  map[string]*Func
	names *Names
	// told and known number what scopes store.
	told, known *slots
	gens        map[*spec.Expr]map[int]bool
	// plans are the leaves by their bitsets.
	leaves map[*spec.Bitset]*Leaf
	mesa   *mesaBinding
	exact  bool
	quiet  bool
	exprs  map[*spec.Expr]int
	built  int
	ctx    context.Context
	// root is where the root at hand stands, of the expression at hand, nil for none. nodes counts what it consists of, all
	// what all do.
	root       diag.Span
	of         *spec.Expr
	nodes, sum int
	// places are where the expressions of functions stand.
	places map[*Func]diag.Span
}

func newLowering(ctx context.Context, p *Program) *lowering {
	l := &lowering{p: p, ctx: ctx, places: map[*Func]diag.Span{}, same: map[string]*Func{}, names: NewNames(), leaves: map[*spec.Bitset]*Leaf{}, gens: map[*spec.Expr]map[int]bool{}, exprs: map[*spec.Expr]int{}, told: newSlots(p), known: newSlots(p)}
	for _, r := range p.Roots {
		for _, x := range r.Leaves {
			l.leaves[x.Spec] = x
		}
	}
	return l
}

// refusal is why no code is made. It unwinds to all.
type refusal struct{ error }

// refuse ends the work on a description that would become too much code; at is the element that is too large.
func refuse(at diag.Span, format string, args ...any) {
	panic(refusal{diag.Errorf(diag.XMLLimit, at, "too large for generated code: "+format, args...)})
}

// count counts a part of an expression.
func (l *lowering) count() {
	l.nodes++
	l.sum++
	switch {
	case l.of == nil:
	case l.nodes > MaxNodes:
		refuse(l.of.Span, "with what it uses written out, the expression has more than %d operators, names and numbers", MaxNodes)
	case l.sum > MaxAll:
		refuse(l.of.Span, "with this expression, all together have more than %d operators, names and numbers", MaxAll)
	}
}

// counting counts the parts of what lower makes for an expression on their own.
func (l *lowering) counting(e *spec.Expr, lower func()) {
	of, nodes := l.of, l.nodes
	l.of, l.nodes = e, 0
	lower()
	l.of, l.nodes = of, nodes
}

func (l *lowering) all() (err error) {
	defer func() {
		switch bug := recover().(type) {
		case nil:
		case refusal:
			err = bug.error
		default:
			panic(bug)
		}
	}()
	for i := range l.p.Classes {
		l.class = &l.p.Classes[i]
		l.units, l.enter, l.match = map[unitFor]*Func{}, map[envFor]*Func{}, map[*model.Env]*Func{}
		l.progs = map[*model.Prog]*Func{}
		l.mesa = newMesaBinding(l)
		for _, r := range l.p.Roots {
			l.root = r.Spec.Span
			env := l.class.model.TopEnv(l.class.model.Roots[r.ID])
			d := Decoder{Match: l.matching(env)}
			if r.Top {
				d.Show = l.entering(env, toShow)
				if !l.p.Mesa {
					d.Collect = l.entering(env, toCollect)
				}
				d.Checks = l.checks(r, env)
			}
			r.Decoders = append(r.Decoders, d)
		}
		l.layouts()
	}
	l.p.Told, l.p.Known = l.told.most, l.known.most
	l.bound()
	return nil
}

// layouts says where the fields of all leaves are. Nobody is told what is odd while a word is packed, such as a name
// that only the surroundings of an operand have.
func (l *lowering) layouts() {
	l.quiet, l.progs = true, map[*model.Prog]*Func{}
	for _, r := range l.p.Roots {
		env := l.class.model.TopEnv(l.class.model.Roots[r.ID])
		for _, x := range env.Root.Leaves {
			l.layout(l.leaves[x.Spec], env.Bound(x))
		}
	}
	l.quiet = false
}

// checks looks for ignored bits that are set in table entries of which displays show parts alone.
func (l *lowering) checks(r *Root, env *model.Env) [][]Stmt {
	out := make([][]Stmt, len(r.Leaves))
	for _, x := range env.Root.Leaves {
		id := l.leaves[x.Spec].ID
		for _, ref := range env.Bound(x).Tables {
			src := l.inner(ref, Source{})
			s := Stmt{Kind: Ignored, Nested: &NestedField{Value: &src}}
			if leaves := ref.Env.Root.Leaves; len(leaves) == 1 {
				s.Leaf = l.leaves[leaves[0].Spec]
			}
			out[id] = append(out[id], s)
		}
	}
	return out
}

// add makes a function known, or returns the one that is the same.
func (l *lowering) add(f *Func, name string) *Func {
	if err := l.ctx.Err(); err != nil {
		panic(refusal{err})
	}
	if l.built++; l.built > maxFuncs {
		refuse(l.root, "more than %d functions", maxFuncs)
	}
	f.key = dump(f)
	if known := l.same[f.key]; known != nil && !f.Cyclic {
		return known
	}
	l.same[f.key] = f
	if f.Name == "" {
		f.Name = l.names.Unique(name, "")
	}
	l.p.Funcs = append(l.p.Funcs, f)
	return f
}

// entering returns the function that finds the leaf of a nested value and does something with it.
func (l *lowering) entering(env *model.Env, to purpose) *Func {
	key := envFor{env, to}
	name := []string{"show_", "collect_", "tell_", "add_"}[to]
	if f := l.enter[key]; f != nil {
		if f.key == "" { // it is being built
			if !f.Cyclic {
				f.Cyclic = true
				f.Name = l.names.Unique(name+Lower(env.Root.Name), "")
			}
			l.p.Deep = true
		}
		return f
	}
	root := l.p.Roots[env.Root.ID]
	f := &Func{Kind: Enter, Root: root, Doc: env.Root.Name, Effects: true}
	l.enter[key] = f
	f.Match = l.matching(env)
	f.Shows = make([]*Func, len(root.Leaves))
	for _, x := range env.Root.Leaves {
		f.Shows[l.leaves[x.Spec].ID] = l.unit(env.Bound(x), to)
	}
	out := l.add(f, name+root.Name)
	l.enter[key] = out
	return out
}

// unit returns the function that does something with a leaf.
func (l *lowering) unit(u *model.BoundLeaf, to purpose) *Func {
	key := unitFor{u, to}
	if f := l.units[key]; f != nil {
		return f
	}
	for _, e := range u.Errs() {
		if l.exact && e.Code == diag.XMLLimit { // what is handed in is not followed any more
			refuse(e.Span, "%s", e.Msg)
		}
	}
	leaf := l.leaves[u.Leaf.Spec]
	f := &Func{Kind: Show, Root: leaf.Root, Doc: u.Leaf.Name + ", " + leaf.Line, Effects: true}
	name := "show_"
	switch to {
	case toShow:
		f.Body = l.shown(u)
	case toCollect:
		name, f.Body = "collect_", l.collect(u)
	case toTell:
		name, f.Body = "tell_", l.tell(u)
	case toAdd:
		name, f.Body = "add_", l.register(u.LeafFacts().Own.Regs, addedRegister)
	}
	f = l.add(f, name+strings.ToLower(leaf.Name))
	l.units[key] = f
	return f
}

// shown prints the display of a leaf.
func (l *lowering) shown(u *model.BoundLeaf) (body []Stmt) {
	for _, c := range u.Cases {
		body = append(body, l.ofCase(u, c)...)
	}
	if last := u.Cases[len(u.Cases)-1]; !last.Shown || last.Cond != nil {
		body = append(body, Stmt{Kind: NoText})
	}
	return body
}

// ofCase prints the display of a case where it holds.
func (l *lowering) ofCase(u *model.BoundLeaf, c *model.Case) []Stmt {
	var body []Stmt
	var cond *Expr
	if c.Cond != nil {
		cond = l.prog(c.Cond, 0)
	}
	for _, a := range c.Spec.Asserts {
		body = append(body, Stmt{Kind: Expected, Assert: a, Text: c.Spec.Bitset.DisplayName})
	}
	if c.Shown {
		if l.p.Mesa {
			body = append(body, l.mesa.items(u, c.Spec.Displays[""])...)
		} else {
			body = append(body, l.items(u, c.Items)...)
		}
		body = append(body, Stmt{Kind: Done})
	}
	if cond == nil {
		return body
	}
	if len(body) == 0 && !cond.Effects {
		return nil
	}
	return []Stmt{{Kind: If, Value: cond, Body: body}}
}

func (l *lowering) items(u *model.BoundLeaf, items []model.Item) []Stmt {
	var out []Stmt
	for i := range items {
		out = append(out, l.item(u, &items[i])...)
	}
	return joinTexts(out)
}

// joinTexts joins texts that stand side by side.
func joinTexts(list []Stmt) []Stmt {
	var out []Stmt
	for _, s := range list {
		if s.Kind == Text && s.Text == "" {
			continue
		}
		if n := len(out); s.Kind == Text && n > 0 && out[n-1].Kind == Text {
			out[n-1].Text += s.Text
			continue
		}
		out = append(out, s)
	}
	return out
}

func (l *lowering) item(u *model.BoundLeaf, it *model.Item) []Stmt {
	switch it.Kind {
	case model.ItemText:
		return []Stmt{{Kind: Text, Text: it.Text}}
	case model.ItemName:
		return []Stmt{{Kind: Notify, Text: "NAME"}, {Kind: LeafName}}
	case model.ItemAlign:
		l.p.Uses.Align = true
		return []Stmt{{Kind: Align, Column: it.Column}}
	case model.ItemBreak:
		l.p.Uses.Break = true
		return []Stmt{{Kind: Break, Text: it.Text}}
	case model.ItemRemark:
		l.p.Uses.Remark = true
		return []Stmt{{Kind: Remark, Body: l.reference(u, it)}}
	}
	body := l.reference(u, it)
	if it.Before == "" && it.After == "" {
		return body
	}
	l.p.Uses.Optional = true
	return []Stmt{{Kind: Optional, Before: it.Before, After: it.After, Body: body}}
}

func (l *lowering) reference(u *model.BoundLeaf, it *model.Item) []Stmt {
	if it.Kind == model.ItemSet {
		l.p.Uses.Set = true
		s := Stmt{Kind: Set, Text: it.Join}
		for i := range it.Members {
			s.Members = append(s.Members, l.reference(u, &it.Members[i]))
		}
		return []Stmt{s}
	}
	var shown []shownAlt
	for _, a := range it.Alts {
		x := shownAlt{ref: a.Ref}
		if a.Cond != nil {
			x.cond = l.prog(a.Cond, a.CondDepth)
		}
		shown = append(shown, x)
	}
	return l.part(it.Name, l.choose(u, it.Name, shown))
}

// part makes what prints a reference a function, unless it is short: many leaves show the same.
func (l *lowering) part(name string, body []Stmt) []Stmt {
	if len(body) <= 2 && body[len(body)-1].Kind == Scalar {
		return body
	}
	f := l.add(&Func{Kind: Show, Body: body, Doc: "{" + name + "}", Effects: true}, "part_"+Lower(name))
	return []Stmt{{Kind: Part, Func: f}}
}

// shownAlt is what a name in a display means where cond is not 0, nil being always.
type shownAlt struct {
	cond *Expr
	ref  *model.Ref
}

func (l *lowering) choose(u *model.BoundLeaf, name string, alts []shownAlt) []Stmt {
	body := l.show(u, name, alts[0].ref)
	if alts[0].cond == nil {
		return body
	}
	var other []Stmt
	if len(alts) > 1 {
		other = l.choose(u, name, alts[1:])
	} else {
		other = l.show(u, name, nil)
	}
	return []Stmt{{Kind: If, Value: alts[0].cond, Body: body, Else: other}}
}

// show prints a field.
func (l *lowering) show(u *model.BoundLeaf, name string, ref *model.Ref) []Stmt {
	if ref == nil {
		l.p.Uses.NoField = true
		return []Stmt{{Kind: NoField, Text: name}}
	}
	if ref.Kind == spec.KindBitset {
		return l.nested(u, name, ref)
	}
	t := &ScalarType{Kind: ref.Kind, Width: ref.Width}
	if ref.Field != nil {
		t.Name, t.Display, t.Call, t.Unit = ref.Field.Name, ref.Field.Display, ref.Field.Call, ref.Field.Unit
	}
	if ref.Enum != nil {
		t.Enum = l.p.enum(ref.Enum)
	}
	value := l.value(ref, 0)
	if ref.Width > 64 && !l.p.Mesa {
		src := l.source(ref, 0)
		t.Wide = &src
	}
	out := []Stmt{{Kind: Notify, Text: name, Value: value}, {Kind: Scalar, Scalar: t, Value: value}}
	return l.symbol(ref, value, out)
}

// symbol lets the program's own name for a value go before its text.
func (l *lowering) symbol(ref *model.Ref, value *Expr, body []Stmt) []Stmt {
	if ref.Field == nil || ref.Field.Symbols == "" {
		return body
	}
	l.p.Uses.Symbol = true
	if !slices.Contains(l.p.Spaces, ref.Field.Symbols) {
		l.p.Spaces = append(l.p.Spaces, ref.Field.Symbols)
	}
	return []Stmt{{Kind: Symbol, Text: ref.Field.Symbols, Value: value, Body: body}}
}

func (l *lowering) nested(u *model.BoundLeaf, name string, ref *model.Ref) []Stmt {
	n := l.nestedField(ref, toShow)
	notify := l.value(ref, 0)
	return l.symbol(ref, notify, []Stmt{{Kind: Notify, Text: name, Value: notify}, {Kind: Nested, Nested: n}})
}

// nestedField is a field whose value is looked at in a scope of its own.
func (l *lowering) nestedField(ref *model.Ref, to purpose) *NestedField {
	n := &NestedField{Field: ref.Field.Name}
	if ref.Prog != nil {
		n.Computed = l.value(ref, 0)
	} else {
		src := Source{Hops: ref.ScopeDepth}
		for _, e := range ref.Path {
			src = l.inner(e, src)
			n.Steps = append(n.Steps, Step{src, l.leaves[e.Env.Root.Leaves[0].Spec]})
		}
		src = l.inner(ref, src)
		n.Value = &src
	}
	n.Show = l.entering(ref.Env, to)
	return n
}

// inner returns where the value of a bitset field is: its bits, or the entry that they are the index of.
func (l *lowering) inner(ref *model.Ref, outer Source) Source {
	at := l.within(outer, ref.Field)
	if ref.Field.Table == nil {
		return at
	}
	l.p.Uses.Entry = true
	return Source{Entry: &Entry{ref.Field.Table, l.bits(at)}, Width: ref.Field.Table.Type.Size}
}

// within returns where a field of a value is.
func (l *lowering) within(outer Source, f *spec.Field) Source {
	out := Source{Hops: outer.Hops, Entry: outer.Entry, Width: f.Width}
	if outer.Parts == nil {
		out.Parts = f.Parts
		return out
	}
	for _, p := range f.Parts {
		out.Parts = append(out.Parts, Slice(outer.Parts, p)...)
	}
	return out
}

// Slice returns the places of some bits of a value that is itself in parts.
func Slice(parts []bits.Part, want bits.Part) []bits.Part {
	var out []bits.Part
	at := 0
	for _, p := range slices.Backward(parts) {
		low, high := max(want.Low, at), min(want.Low+want.Width, at+p.Width)
		if low < high {
			out = append(out, bits.Part{Low: p.Low + low - at, Width: high - low})
		}
		at += p.Width
	}
	slices.Reverse(out)
	return out
}

// source returns where the bits of a field are.
func (l *lowering) source(ref *model.Ref, hops int) Source {
	src := Source{Hops: hops + ref.ScopeDepth}
	for _, e := range ref.Path {
		src = l.inner(e, src)
	}
	return l.within(src, ref.Field)
}
