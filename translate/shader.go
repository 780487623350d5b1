package translate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/shade"
	"github.com/isago/isago/internal/shade/tidy"
)

// lowering converts statements to a shader.
type lowering struct {
	b          *builder
	source     *source
	vars       map[*variable]*shade.Var
	functions  map[*function]*shade.Func
	helpers    []*shade.Func                 // the functions of the library that the shader needs, each after those that it calls
	overloads  map[*shade.Func][]*shade.Func // the forms of functions for vectors
	accessors  map[*variable]*shade.Func
	accessed   []*shade.Func
	textures   map[int]*shade.Var
	spaces     map[*sem.State]*shade.Var // the memories that the shader has
	spaceFuncs map[*shade.Var][]*shade.Func
	slots      []*shade.Var           // the stored vertices, for each register that a Geometry shader emits
	triangle   *shade.Func            // emits a triangle
	stored     map[*variable]bool     // the bool variables that a uniform block holds as numbers
	external   map[string]*shade.Func // what the surroundings provide, by name
	language   Language
	fast       bool            // Options.Approximate
	inexact    map[sem.Op]bool // the operations that are not exact
	paired     bool            // pairs replace values of 64 bits
	prefix     string
	addr       uint64
	comment    func(addr uint64) string
	shown      map[uint64]bool
}

// newLowering returns the lowering of a program.
func newLowering(b *builder) *lowering {
	return &lowering{
		b: b, vars: map[*variable]*shade.Var{}, functions: map[*function]*shade.Func{}, overloads: map[*shade.Func][]*shade.Func{},
		accessors: map[*variable]*shade.Func{}, stored: map[*variable]bool{}, textures: map[int]*shade.Var{}, spaces: map[*sem.State]*shade.Var{}, spaceFuncs: map[*shade.Var][]*shade.Func{}, external: map[string]*shade.Func{}, inexact: map[sem.Op]bool{}, addr: NoAddr, shown: map[uint64]bool{},
	}
}

// refuse records that the text cannot express something.
func (g *lowering) refuse(format string, args ...any) { g.b.refuse(g.addr, format, args...) }

// variable returns the variable of the shader for a variable. It is local until it is declared in another place.
func (g *lowering) variable(v *variable) *shade.Var {
	x := g.vars[v]
	if x == nil {
		x = &shade.Var{Name: v.name, Type: shadeType(v.typ, v.size).Array(v.count), Precise: true}
		g.vars[v] = x
	}
	return x
}

// helper adds a function of the library to the shader, after those that it calls.
func (g *lowering) helper(name string) *shade.Func {
	f := library()[name]
	g.addHelper(f)
	return f
}

func (g *lowering) addHelper(f *shade.Func) {
	if slices.Contains(g.helpers, f) {
		return
	}
	shade.Walk(f.Body, func(e *shade.Expr) {
		if e.Op == shade.Call {
			g.addHelper(e.Func)
		}
	})
	g.helpers = append(g.helpers, f)
}

// overload returns the form of a function of scalars for vectors.
func (g *lowering) overload(f *shade.Func, n int) *shade.Func {
	for _, o := range g.overloads[f] {
		if int(o.Result.N) == n {
			return o
		}
	}
	o := &shade.Func{Name: f.Name, Result: f.Result.Vec(n), Guarded: f.Guarded}
	for i, p := range f.Params {
		o.Params = append(o.Params, &shade.Var{Name: string(rune('a' + i)), Type: p.Type.Vec(n), Storage: shade.Param})
	}
	var parts []*shade.Expr
	for k := range n {
		var args []*shade.Expr
		for _, p := range o.Params {
			args = append(args, shade.Pick(shade.Value(p), k))
		}
		parts = append(parts, shade.CallOf(f, args...))
	}
	o.Body = []*shade.Stmt{{Kind: shade.Return, Value: shade.Make(shade.Construct, o.Result, parts...)}}
	g.overloads[f] = append(g.overloads[f], o)
	return o
}

// accessor returns the function that reads an element of an array with any number.
func (g *lowering) accessor(v *variable, s *sem.State) *shade.Func {
	if f := g.accessors[v]; f != nil {
		return f
	}
	i := &shade.Var{Name: "i", Type: shade.U32, Storage: shade.Param}
	f := &shade.Func{Name: g.b.names.unique(identifier(g.prefix + v.name + "_at")), Params: []*shade.Var{i}, Result: shadeType(v.typ, v.size)}
	at := func(i *shade.Expr) *shade.Expr { return g.asBool(shade.At(shade.Value(g.variable(v)), i), v) }
	count := shade.Uint32(uint32(v.count))
	result := at(shade.Apply(shade.Mod, shade.Value(i), count))
	if s.Outside != sem.OutsideWrap {
		inside := shade.Apply(shade.Min, shade.Value(i), shade.Uint32(uint32(v.count-1)))
		result = shade.Apply(shade.Select, shade.Apply(shade.Lt, shade.Value(i), count), at(inside), g.expr(repeated(v, s.OutsideBits)))
	}
	f.Body = []*shade.Stmt{{Kind: shade.Return, Value: result}}
	g.accessors[v] = f
	g.accessed = append(g.accessed, f)
	return f
}

// provided returns a function that the surroundings define.
func (g *lowering) provided(name string, result shade.Type, params ...*shade.Var) *shade.Func {
	f := g.external[name]
	if f == nil {
		for _, p := range params {
			p.Storage = shade.Param
		}
		f = &shade.Func{Name: name, Result: result, Params: params, External: true}
		g.external[name] = f
	}
	return f
}

// load returns the bytes at an address of a memory, which the surroundings provide.
func (g *lowering) load(e *expr) *shade.Expr {
	size := max(8, e.typ.Width)
	f := g.access("load", e.state, size)
	address := g.unsigned(g.expr(e.args[0]), e.args[0].typ)
	return g.from(g.masked(shade.CallOf(f, address), e.typ.Width), e.typ)
}

// notes returns the instructions of a statement as comments, each once in a block.
func (g *lowering) notes(s *stmt) (out []*shade.Stmt) {
	for _, a := range s.addrs {
		g.addr = a
		if g.comment == nil || g.shown[a] {
			continue
		}
		g.shown[a] = true
		for _, l := range strings.Split(strings.TrimSpace(g.comment(a)), "\n") {
			out = append(out, &shade.Stmt{Kind: shade.Comment, Text: strings.TrimSpace(l)})
		}
	}
	return out
}

// assignTo returns an assignment.
func assignTo(dest, value *shade.Expr) *shade.Stmt {
	return &shade.Stmt{Kind: shade.Assign, Dest: dest, Value: value}
}

// statements returns the statements of the shader for statements. top is set for the statements of the program itself.
func (g *lowering) statements(list []*stmt, top bool) (out []*shade.Stmt) {
	add := func(s *shade.Stmt) { out = append(out, s) }
	for i, s := range list {
		out = append(out, g.notes(s)...)
		switch s.kind {
		case assign:
			value := g.expr(s.value)
			add(assignTo(swizzle(shade.Value(g.variable(s.dest)), s.comps), value))
		case assignElement:
			add(g.assignElement(s))
		case storeBytes:
			size, v := int(s.bytes)*8, s.value
			f := g.access("store", s.state, size)
			bits := g.expr(v)
			if v.typ.Kind == sem.Float {
				bits = g.canonical(bits, v)
			}
			address := g.unsigned(g.expr(s.index), s.index.typ)
			add(&shade.Stmt{Kind: shade.Do, Value: shade.CallOf(f, address, g.resized(g.unsigned(bits, v.typ), v.typ.Width, size))})
		case exchange:
			out = append(out, g.exchange(s)...)
		case barrier:
			add(&shade.Stmt{Kind: shade.Barrier})
		case callService:
			add(g.service(s))
		case sampleTexture:
			add(g.sampled(s))
		case storeVertex:
			out = append(out, g.storeVertex(s)...)
		case branch:
			if x := g.branch(s); x != nil {
				add(x)
			}
		case loop:
			add(&shade.Stmt{Kind: shade.Loop, Body: g.block(s.body)})
		case once:
			add(&shade.Stmt{Kind: shade.Once, Body: g.block(s.body)})
		case turns:
			x := &shade.Stmt{Kind: shade.Switch, Value: shade.Value(g.variable(s.dest))}
			for _, c := range s.cases {
				x.Cases = append(x.Cases, shade.Case{Number: uint32(c.number), Body: g.block(c.body)})
			}
			add(&shade.Stmt{Kind: shade.Loop, Body: []*shade.Stmt{x}})
		case breakOut:
			add(&shade.Stmt{Kind: shade.Break})
		case again:
			add(&shade.Stmt{Kind: shade.Continue})
		case finish:
			out = append(out, g.finish(s, top && i == len(list)-1)...)
		}
	}
	return out
}

// branch returns an if, or nil if it has no statements.
func (g *lowering) branch(s *stmt) *shade.Stmt {
	switch {
	case len(s.body) > 0:
		cond := g.expr(s.value)
		return &shade.Stmt{Kind: shade.If, Value: cond, Body: g.block(s.body), Else: g.block(s.els), Uniform: s.decides}
	case len(s.els) > 0:
		return &shade.Stmt{Kind: shade.If, Value: tidy.Not(g.expr(s.value)), Body: g.block(s.els), Uniform: s.decides}
	}
	return nil
}

// block returns the statements of a block.
func (g *lowering) block(list []*stmt) []*shade.Stmt {
	shown := g.shown
	g.shown = maps.Clone(shown)
	out := g.statements(list, false)
	g.shown = shown
	return out
}

// assignElement returns an assignment to an element of an array.
func (g *lowering) assignElement(s *stmt) *shade.Stmt {
	value := g.expr(s.value)
	dest := func(i *shade.Expr) *shade.Stmt {
		return assignTo(swizzle(shade.At(shade.Value(g.variable(s.dest)), i), s.comps), value)
	}
	if s.index.form == constant {
		return dest(shade.Lit(shade.U32, s.index.values[0]))
	}
	i, count := g.unsigned(g.expr(s.index), s.index.typ), shade.Uint32(uint32(s.dest.count))
	if s.state.Outside == sem.OutsideWrap {
		return dest(shade.Apply(shade.Mod, i, count))
	}
	return &shade.Stmt{Kind: shade.If, Value: shade.Apply(shade.Lt, i, count), Body: []*shade.Stmt{dest(i)}}
}

// service returns a call of a service.
func (g *lowering) service(s *stmt) *shade.Stmt {
	var params []*shade.Var
	names := &names{taken: map[string]bool{}}
	for i, p := range s.params {
		params = append(params, &shade.Var{Name: names.unique(identifier(s.names[i])), Type: shadeType(p.typ, p.n)})
	}
	result := shade.None
	if s.dest != nil {
		result = shadeType(s.dest.typ, s.dest.size)
	}
	call := shade.CallOf(g.provided(g.prefix+identifier(s.service.Service().Name), result, params...), g.list(s.params)...)
	if s.dest == nil {
		return &shade.Stmt{Kind: shade.Do, Value: call}
	}
	return assignTo(shade.Value(g.variable(s.dest)), call)
}

// finish returns the end of the program. last is set if nothing follows.
func (g *lowering) finish(s *stmt, last bool) (out []*shade.Stmt) {
	if s.loop {
		out = append(out, &shade.Stmt{Kind: shade.Comment, Text: "ends here: " + strings.Join(strings.Fields(s.text), " ")})
	}
	switch {
	case g.b.stops:
		normal := shade.Lit(shade.B, 1)
		if s.loop {
			normal = shade.Lit(shade.B, 0)
		}
		out = append(out, &shade.Stmt{Kind: shade.Return, Value: normal})
	case !last:
		out = append(out, &shade.Stmt{Kind: shade.Return})
	}
	return out
}

// function fills in a function of the description.
func (g *lowering) function(f *function) {
	x := g.functions[f]
	if i := slices.IndexFunc(g.b.nodes, func(n *node) bool { return n.call == f }); i >= 0 {
		g.addr = g.b.p.Addrs[i]
	}
	taken := map[string]bool{}
	name := func(s string) string {
		s = identifier(s)
		for taken[s] || reserved[s] {
			s += "_"
		}
		taken[s] = true
		return s
	}
	k := 0
	for _, p := range f.params {
		v := &variable{name: name(p.name), typ: p.typ.Elem(), size: len(p.comps)}
		if p.typ.Len == 0 || len(p.comps) == 1 {
			v.size = 0
		}
		for i := range p.comps {
			f.slots[k].variable, f.slots[k].comp = v, i
			k++
		}
		g.variable(v).Storage, g.variable(v).Precise = shade.Param, false
		x.Params = append(x.Params, g.variable(v))
	}
	temps := 0
	done := map[*node]bool{}
	hold := func(n *node) {
		temps++
		v := &variable{name: name(fmt.Sprintf("t%d", temps)), typ: n.Type()}
		e := g.b.define(n)
		n.variable = v
		x.Body = append(x.Body, &shade.Stmt{Kind: shade.Declare, Var: g.variable(v), Value: g.expr(e)})
	}
	var visit func(n *node)
	visit = func(n *node) {
		if done[n] || n.Op == sem.OpParam || n.Op == sem.OpConst {
			return
		}
		done[n] = true
		for _, a := range n.operands() {
			visit(a)
		}
		if n.uses > 1 && n != f.result {
			hold(n)
		}
	}
	visit(f.result)
	hold(f.result)
	x.Body = append(x.Body, &shade.Stmt{Kind: shade.Return, Value: shade.Value(g.variable(f.result.variable))})
	tidy.Func(x, func(*shade.Var) string { return "" }, g.b.names.unique)
}

// sorted returns the registers of a map in order, each variable once.
func sorted(m map[register]*variable) []register {
	list := slices.SortedFunc(maps.Keys(m), func(a, b register) int {
		return cmp.Or(cmp.Compare(a.state.Index, b.state.Index), cmp.Compare(a.number, b.number), cmp.Compare(a.state.Count, b.state.Count), cmp.Compare(a.state.Name, b.state.Name))
	})
	seen := map[*variable]bool{}
	return slices.DeleteFunc(list, func(r register) bool {
		was := seen[m[r]]
		seen[m[r]] = true
		return was
	})
}

// start returns the statements that prepare arrays.
func (g *lowering) start() (out []*shade.Stmt) {
	b := g.b
	for _, s := range b.p.Arrays {
		v := b.arrays[s]
		if v == nil {
			continue
		}
		for n := range s.Count {
			value := g.expr(repeated(v, s.Init))
			if in := b.inputs[register{s, n}]; in != nil {
				value = shade.Value(g.variable(in))
			}
			out = append(out, assignTo(shade.At(shade.Value(g.variable(v)), shade.Uint32(uint32(n))), value))
		}
	}
	return out
}
