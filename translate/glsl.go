package translate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/isago/isago/internal/sem"
)

// glsl prints statements as GLSL.
type glsl struct {
	b         *builder
	lib       map[string]helper
	used      []string            // the helpers, each after those that it needs
	overloads map[string][]string // the texts of the vector forms of functions
	made      map[string]bool
	functions map[*function]string
	stored    map[*variable]bool // the bool variables that a uniform block holds as numbers
	needs     map[string]bool    // double and int64
	accessors map[*variable]string
	accessed  []*sem.State
	shared    map[string]string // prototypes of what the surroundings provide, by name
	prefix    string
	addr      uint64
	out       strings.Builder
	depth     int
	comment   func(addr uint64) string
	shown     map[uint64]bool
	lines     int
}

// refuse records that the text cannot express something.
func (g *glsl) refuse(format string, args ...any) { g.b.refuse(g.addr, format, args...) }

func (g *glsl) need(what string) { g.needs[what] = true }

// helper adds a helper to the text and returns its name.
func (g *glsl) helper(name string) string {
	if h := g.lib[name]; !slices.Contains(g.used, name) {
		for _, n := range h.needs {
			if n == "double" || n == "int64" {
				g.need(n)
			} else {
				g.helper(n)
			}
		}
		g.used = append(g.used, name)
	}
	return "isago_" + name
}

// overloadHelper adds the form of a helper for vectors.
func (g *glsl) overloadHelper(name string, params, n int) {
	h := g.lib[name]
	result := sem.F32
	if h.result == "bool" {
		result = sem.BoolType
	}
	var types []sem.Type
	for range params {
		types = append(types, sem.F32)
	}
	g.addOverload("isago_"+name, "helper "+name, result, types, n)
}

// overload adds the form of a function for vectors.
func (g *glsl) overload(name string, f *function, n int) {
	var types []sem.Type
	for _, p := range f.params {
		types = append(types, p.typ)
	}
	g.addOverload(name, "function "+name, f.result.Type(), types, n)
}

func (g *glsl) addOverload(name, key string, result sem.Type, params []sem.Type, n int) {
	id := fmt.Sprint(key, " ", n)
	if g.made[id] {
		return
	}
	g.made[id] = true
	var decl, parts []string
	for i, t := range params {
		decl = append(decl, fmt.Sprintf("%s %c", glslType(t, n), 'a'+i))
	}
	for k := range n {
		var args []string
		for i := range params {
			args = append(args, fmt.Sprintf("%c.%c", 'a'+i, letters[k]))
		}
		parts = append(parts, fmt.Sprintf("%s(%s)", name, strings.Join(args, ", ")))
	}
	g.overloads[key] = append(g.overloads[key], fmt.Sprintf("%s %s(%s) { return %s(%s); }\n", glslType(result, n), name, strings.Join(decl, ", "), glslType(result, n), strings.Join(parts, ", ")))
}

// accessor returns the function that reads an element of an array with any number.
func (g *glsl) accessor(v *variable, s *sem.State) string {
	name, ok := g.accessors[v]
	if !ok {
		name = g.b.names.unique(v.name + "_at")
		g.accessors[v] = name
		g.accessed = append(g.accessed, s)
	}
	return name
}

// accessorText returns the definition of an accessor.
func (g *glsl) accessorText(s *sem.State) string {
	v := g.b.arrays[s]
	t := glslType(v.typ, v.size)
	i := "i"
	value := v.name + "[%s]"
	if g.stored[v] {
		if v.size > 0 {
			value = fmt.Sprintf("notEqual(%s[%%s], uvec%d(0u))", v.name, v.size)
		} else {
			value = v.name + "[%s] != 0u"
		}
	}
	if s.Outside == sem.OutsideWrap {
		return fmt.Sprintf("%s %s(uint i) { return %s; }\n", t, g.accessors[v], fmt.Sprintf(value, fmt.Sprintf("i %% %du", v.count)))
	}
	other := g.expr(repeated(v, s.OutsideBits)).s
	return fmt.Sprintf("%s %s(uint i) { return i < %du ? %s : %s; }\n", t, g.accessors[v], v.count, fmt.Sprintf(value, i), other)
}

// load prints the bytes at an address of a memory, which the surroundings provide.
func (g *glsl) load(e *expr) text {
	bits := int(e.typ.Width)
	size := max(8, bits)
	name := g.prefix + "load_" + identifier(e.state.Name)
	if size != 32 {
		name += fmt.Sprint("_", size)
	}
	u := sem.Type{Kind: sem.Uint, Width: size}
	if wide(u) {
		g.need("int64")
	}
	g.shared[name] = fmt.Sprintf("%s %s(uint address);", glslType(u, 0), name)
	return g.from(g.masked(primary("%s(%s)", name, g.unsigned(g.expr(e.args[0]), e.args[0].typ).s), bits), e.typ)
}

// line writes a line.
func (g *glsl) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.depth))
	fmt.Fprintf(&g.out, format, args...)
	g.out.WriteByte('\n')
	g.lines++
}

// notes writes the instructions of a statement as comments, each once in a block.
func (g *glsl) notes(s *stmt) {
	for _, a := range s.addrs {
		g.addr = a
		if g.comment == nil || g.shown[a] {
			continue
		}
		g.shown[a] = true
		for _, l := range strings.Split(strings.TrimSpace(g.comment(a)), "\n") {
			g.line("// %s", strings.TrimSpace(l))
			g.lines--
		}
	}
}

// statements prints statements.
func (g *glsl) statements(list []*stmt) {
	for i, s := range list {
		g.notes(s)
		switch s.kind {
		case assign:
			g.assign(s)
		case assignElement:
			g.assignElement(s)
		case storeBytes:
			size := int(s.bytes) * 8
			name := g.prefix + "store_" + identifier(s.state.Name)
			if size != 32 {
				name += fmt.Sprint("_", size)
			}
			u := sem.Type{Kind: sem.Uint, Width: size}
			g.shared[name] = fmt.Sprintf("void %s(uint address, %s value);", name, glslType(u, 0))
			v := s.value
			bits := g.expr(v)
			if v.typ.Kind == sem.Float {
				bits = g.canonical(bits, v)
			}
			g.line("%s(%s, %s);", name, g.unsigned(g.expr(s.index), s.index.typ).s, g.resized(g.unsigned(bits, v.typ), v.typ.Width, size).s)
		case callService:
			g.call(s)
		case branch:
			if g.branch(s) {
				g.block(s.els)
				g.line("}")
			}
		case loop:
			g.line("while (true) {")
			g.block(s.body)
			g.line("}")
		case once:
			g.line("do {")
			g.block(s.body)
			g.line("} while (false);")
		case turns:
			g.line("while (true) {")
			g.depth++
			g.line("switch (%s) {", s.dest.name)
			for _, c := range s.cases {
				g.line("case %du: {", c.number)
				g.block(c.body)
				g.line("\tbreak;")
				g.line("}")
			}
			g.line("}")
			g.depth--
			g.line("}")
		case breakOut:
			g.line("break;")
		case again:
			g.line("continue;")
		case finish:
			g.finish(s, i == len(list)-1 && g.depth == 1)
		}
	}
}

// branch prints an if up to its else part. It reports whether the else part follows.
func (g *glsl) branch(s *stmt) (more bool) {
	cond := g.expr(s.value)
	body, els := s.body, s.els
	if len(body) == 0 {
		if len(els) == 0 {
			return false
		}
		cond, body, els = g.not(s.value), els, nil
	}
	g.line("if (%s) {", cond.s)
	g.block(body)
	if len(els) == 0 {
		g.line("}")
		return false
	}
	g.line("} else {")
	s.els = els
	return true
}

// block prints the statements of a block.
func (g *glsl) block(list []*stmt) {
	shown := g.shown
	g.shown = maps.Clone(shown)
	g.depth++
	g.statements(list)
	g.depth--
	g.shown = shown
}

// assign prints an assignment.
func (g *glsl) assign(s *stmt) {
	g.line("%s%s = %s;", s.dest.name, swizzle(s.comps, s.dest.size), g.expr(s.value).s)
}

// assignElement prints an assignment to an element of an array.
func (g *glsl) assignElement(s *stmt) {
	value := g.expr(s.value).s
	if s.index.form == constant {
		g.line("%s[%d]%s = %s;", s.dest.name, s.index.values[0], swizzle(s.comps, s.dest.size), value)
		return
	}
	i := g.unsigned(g.expr(s.index), s.index.typ)
	if s.state.Outside == sem.OutsideWrap {
		g.line("%s[%s]%s = %s;", s.dest.name, binary(i, "%", primary("%du", s.dest.count), rankMul).s, swizzle(s.comps, s.dest.size), value)
		return
	}
	g.line("if (%s) %s[%s]%s = %s;", binary(i, "<", primary("%du", s.dest.count), rankLess).s, s.dest.name, i.s, swizzle(s.comps, s.dest.size), value)
}

// call prints a call of a service.
func (g *glsl) call(s *stmt) {
	sv := s.service.Service()
	name := g.prefix + identifier(sv.Name)
	var types []string
	for i, p := range s.params {
		types = append(types, fmt.Sprintf("%s p%d", glslType(p.typ, p.n), i))
	}
	result := "void"
	if s.dest != nil {
		result = glslType(s.dest.typ, s.dest.size)
	}
	g.shared[name] = fmt.Sprintf("%s %s(%s);", result, name, strings.Join(types, ", "))
	if s.dest != nil {
		g.line("%s = %s(%s);", s.dest.name, name, g.list(s.params))
		return
	}
	g.line("%s(%s);", name, g.list(s.params))
}

// finish prints the end of the program.
func (g *glsl) finish(s *stmt, last bool) {
	if s.loop {
		g.line("// ends here: %s", oneLine(s.text))
		g.lines--
	}
	switch {
	case g.b.stops:
		g.line("return %t;", !s.loop)
	case !last:
		g.line("return;")
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// functionText returns the definition of a function of the description.
func (g *glsl) functionText(f *function) string {
	saved, depth, lines := g.out, g.depth, g.lines
	g.out, g.depth = strings.Builder{}, 0
	var params []string
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
		params = append(params, fmt.Sprintf("%s %s", glslType(v.typ, v.size), v.name))
	}
	g.line("%s %s(%s) {", glslType(f.result.Type(), 0), g.functions[f], strings.Join(params, ", "))
	g.depth = 1
	temps := 0
	done := map[*node]bool{}
	hold := func(n *node) {
		temps++
		v := &variable{name: name(fmt.Sprintf("t%d", temps)), typ: n.Type()}
		e := g.b.define(n)
		n.variable = v
		g.line("precise %s %s = %s;", glslType(v.typ, 0), v.name, g.expr(e).s)
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
	g.line("return %s;", f.result.variable.name)
	g.depth = 0
	g.line("}")
	text := g.out.String()
	g.out, g.depth, g.lines = saved, depth, lines
	return text
}

// declarations returns the declarations of the local variables, sorted by type.
func (g *glsl) declarations() {
	byType := map[string][]string{}
	for _, v := range g.b.locals {
		t := glslType(v.typ, v.size)
		byType[t] = append(byType[t], v.name)
	}
	for _, t := range slices.Sorted(maps.Keys(byType)) {
		g.line("precise %s %s;", t, strings.Join(byType[t], ", "))
	}
}

// sorted returns the registers of a map in order, each variable once.
func sorted(m map[register]*variable) []register {
	list := slices.SortedFunc(maps.Keys(m), func(a, b register) int {
		return cmp.Or(cmp.Compare(a.state.Index, b.state.Index), cmp.Compare(a.number, b.number))
	})
	seen := map[*variable]bool{}
	return slices.DeleteFunc(list, func(r register) bool {
		was := seen[m[r]]
		seen[m[r]] = true
		return was
	})
}

// start returns the statements that prepare arrays and outputs.
func (g *glsl) start() {
	b := g.b
	for _, s := range b.p.Arrays {
		v := b.arrays[s]
		if v == nil {
			continue
		}
		for n := range s.Count {
			in := b.inputs[register{s, n}]
			if in == nil {
				g.line("%s[%d] = %s;", v.name, n, g.expr(repeated(v, s.Init)).s)
				continue
			}
			g.line("%s[%d] = %s;", v.name, n, in.name)
		}
	}
}

// sortedKeys returns the keys of a map in ASCII order.
func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
