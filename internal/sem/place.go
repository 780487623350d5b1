package sem

import (
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// place is something that can be assigned: a register or a part of one, memory, an operand, a variable.
type place struct {
	state *State
	view  *View
	// index is the number of the register, loose or of an unsigned type.
	index value
	// comps are the components that are meant; nil for all.
	comps []int
	// high and low are the bits that are meant where sliced is set.
	sliced    bool
	high, low int
	// mask says which components are written; nil for all.
	mask []ID
	// kept tells that it is read for what stays where another part of it is written.
	kept bool
	// bytes is the size of an access to memory, signed tells how it is read.
	bytes int
	typ   Type
	// variable is a local one, or "pc".
	variable string
	// field is an operand that is written by code.
	write func(v value, at diag.Span)
	read  func() value
	parts []place // of a tuple
	span  diag.Span
}

// isPlace reports whether an expression is a place in the state, and no value.
func (l *lowerer) isPlace(e *expr) bool {
	switch e.kind {
	case eName:
		return l.find(e.name) == nil && (l.m.states[e.name] != nil || l.m.views[e.name] != nil || l.m.groups[e.name] != nil)
	case eIndex, eDot, eComp, eWhere:
		return l.isPlace(e.x)
	}
	return false
}

// place lowers an expression that is assigned, or a register that is read.
func (l *lowerer) place(e *expr) place {
	switch e.kind {
	case eName:
		return l.namedPlace(e)
	case eField:
		return l.fieldPlace(e)
	case eIndex:
		return l.indexPlace(e)
	case eDot, eComp:
		p := l.place(e.x)
		t := l.placeType(&p)
		if e.kind == eDot {
			p.narrow(l.components(e.name, nil, t, e.span))
			return p
		}
		list, _ := l.componentNumbers(e, t)
		for i, k := range list {
			list[i] = max(k, 0)
		}
		p.narrow(list)
		return p
	case eSlice:
		p := l.place(e.x)
		high, _ := l.constant(l.expr(e.y, Type{}), e.y.span)
		low, _ := l.constant(l.expr(e.z, Type{}), e.z.span)
		t := l.placeType(&p)
		if !t.integer() || t.Len > 0 || low < 0 || high < low || high >= int64(t.Width) || p.sliced {
			l.fail(e.span, diag.MeaningType, "bits %d to %d cannot be selected from a value of type %s", high, low, t)
		}
		p.sliced, p.high, p.low = true, int(high), int(low)
		return p
	case eWhere:
		return l.wherePlace(e)
	case eTuple:
		p := place{span: e.span}
		for _, a := range e.args {
			p.parts = append(p.parts, l.place(a))
		}
		return p
	}
	l.fail(e.span, diag.MeaningType, "this cannot be assigned")
	return place{}
}

// narrow leaves some components of a place, of those that it has.
func (p *place) narrow(comps []int) {
	mask := p.mask
	p.mask = nil
	for i, c := range comps {
		if mask != nil {
			p.mask = append(p.mask, mask[c])
		}
		if p.comps != nil {
			comps[i] = p.comps[c]
		}
	}
	p.comps = comps
}

func (l *lowerer) namedPlace(e *expr) place {
	if v := l.find(e.name); v != nil {
		if !v.variable {
			l.fail(e.span, diag.MeaningType, "%s is declared with let, so it cannot be assigned; declare it with var %s = ...", e.name, e.name)
		}
		return place{variable: e.name, typ: v.v.t, span: e.span}
	}
	if e.name == "pc" {
		return place{variable: "pc", typ: U32, span: e.span}
	}
	s := l.m.states[e.name]
	if s == nil || s.Kind != FileState || !s.Single {
		l.failPlace(e)
	}
	return place{state: s, index: number(0), span: e.span}
}

// failPlace reports why a name is not the name of a variable or a single register.
func (l *lowerer) failPlace(e *expr) {
	name, s := e.name, l.m.states[e.name]
	_, constant := l.name(e)
	switch {
	case constant:
		l.fail(e.span, diag.MeaningType, "%s cannot be assigned", name)
	case l.m.groups[name] != nil:
		l.fail(e.span, diag.MeaningType, "memory group %s needs a number, a type and an address: %s[0].%s[...]", name, name, l.m.groups[name][0].accessName())
	case l.m.views[name] != nil:
		l.fail(e.span, diag.MeaningType, "%s needs a register number: %s[...]", name, name)
	case intrinsics[name] != nil || l.m.functions[name] != nil || l.m.services[name] != nil:
		l.fail(e.span, diag.MeaningType, "%s is a function, expected %s(...)", name, name)
	case s == nil && l.m.Model.ISA.Stack(name) != nil:
		l.stack(name, e.span)
	case s == nil:
		l.fail(e.span, diag.MeaningName, "%s is not defined", name)
	case s.Kind == MemoryState:
		l.fail(e.span, diag.MeaningType, "memory %s needs a type and an address: %s.%s[...]", name, name, s.accessName())
	case s.Kind == StackState:
		l.fail(e.span, diag.MeaningType, "%s is a stack, expected push, pop or top(%s).%s", name, name, s.Slots[0].Name)
	case s.ReadOnly:
		l.fail(e.span, diag.MeaningType, "%s needs the number of a value: %s[...]", name, name)
	}
	l.fail(e.span, diag.MeaningType, "%s needs a register number: %s[...]", name, name)
}

// accessName returns the name of a type with which code can access the memory.
func (s *State) accessName() string {
	for _, t := range []Type{U32, {Kind: Uint, Width: 8}, {Kind: Uint, Width: 16}} {
		if s.reached(t.Width) {
			return t.String()
		}
	}
	return U64.String()
}

func (l *lowerer) indexPlace(e *expr) place {
	if e.x.kind == eDot {
		if s := l.memory(e.x.x); s != nil {
			return l.memoryPlace(s, e)
		}
	}
	if e.x.kind == eName && l.find(e.x.name) == nil {
		s, v := l.m.states[e.x.name], l.m.views[e.x.name]
		if v != nil || s != nil && s.Kind == FileState && !s.Single {
			return place{state: s, view: v, index: l.index(e.y), span: e.span}
		}
	}
	p := l.place(e.x)
	k, _ := l.constant(l.expr(e.y, Type{}), e.y.span)
	t := l.placeType(&p)
	if !t.integer() || t.Len > 0 || k < 0 || k >= int64(t.Width) || p.sliced {
		l.fail(e.span, diag.MeaningType, "a value of type %s has no bit %d", t, k)
	}
	p.sliced, p.high, p.low = true, int(k), int(k)
	return p
}

// index lowers the number of a register.
func (l *lowerer) index(e *expr) value {
	v := l.expr(e, U32)
	if v.t.Kind != Int && (!v.t.integer() || v.t.Len > 0 || v.t.maybe()) {
		l.fail(e.span, diag.MeaningType, "a value of type %s, expected a register number", v.t)
	}
	return v
}

// memory returns the memory that an expression names: m, or g[k], one of a group. It is nil for anything else.
func (l *lowerer) memory(e *expr) *State {
	if e.kind == eName && l.find(e.name) == nil {
		if s := l.m.states[e.name]; s != nil && s.Kind == MemoryState {
			return s
		}
		return nil
	}
	if e.kind != eIndex || e.x.kind != eName || l.find(e.x.name) != nil {
		return nil
	}
	group := l.m.groups[e.x.name]
	if group == nil {
		return nil
	}
	k, known := l.constant(l.expr(e.y, Type{}), e.y.span)
	if known && (k < 0 || k >= int64(len(group))) {
		l.fail(e.span, diag.MeaningName, "group %s has no memory %d, expected 0 to %d", e.x.name, k, len(group)-1)
	}
	if !known {
		k = 0
	}
	return group[k]
}

// reached reports whether a memory is reached with so many bits at once: of a vector each component counts.
func (s *State) reached(bits int) bool {
	for _, name := range s.Access {
		if t, _ := spec.ParseValueType(name); t.Bits == bits {
			return true
		}
	}
	return len(s.Access) == 0
}

// memoryPlace lowers m.u16[a].
func (l *lowerer) memoryPlace(s *State, e *expr) place {
	t, _ := parsePlain(e.x.name)
	if t.Kind != Uint && t.Kind != Sint || t.Width != 8 && t.Width != 16 && t.Width != 32 && t.Width != 64 {
		l.fail(e.x.span, diag.MeaningType, "access of type %s, expected u8, s8, u16, s16, u32, s32, u64 or s64", e.x.name)
	}
	if !s.reached(t.Width) {
		l.fail(e.x.span, diag.MeaningType, "access of type %s, but memory %s allows only %s", e.x.name, s.Name, strings.Join(s.Access, ", "))
	}
	a := l.expr(e.y, U32)
	if a.t.loose() {
		a = l.settle(a, U32, e.y.span)
	}
	if a.t.Kind != Uint || a.t.Len > 0 {
		l.fail(e.y.span, diag.MeaningType, "a value of type %s, expected an unsigned address", a.t)
	}
	return place{state: s, index: a, bytes: t.Width / 8, typ: t, span: e.span}
}

func (l *lowerer) wherePlace(e *expr) place {
	p := l.place(e.x)
	t := l.placeType(&p)
	if t.Len == 0 || p.state == nil && p.view == nil {
		l.fail(e.span, diag.MeaningType, ".where on a value of type %s, expected a vector register", t)
	}
	m, before := l.expr(e.y, Type{}), p.mask
	p.mask = nil
	for i := range t.Len {
		bit := l.maskBit(m, i, t.Len, e.y.span)
		if before != nil {
			bit = l.b.and(before[i], bit)
		}
		p.mask = append(p.mask, bit)
	}
	return p
}

// maskBit reports whether a mask has a component: bit 0 of a number is the first.
func (l *lowerer) maskBit(m value, i, n int, at diag.Span) ID {
	switch {
	case m.t.Kind == Int && m.unknown:
		return l.b.param(BoolType)
	case m.t.Kind == Int:
		return l.b.flag(m.n>>uint(i)&1 != 0)
	case m.t.Kind == Bool && m.t.Len == n:
		return m.comps[i]
	case m.t.Kind == Uint && m.t.Len == 0 && m.t.Width >= n:
		bit := Type{Kind: Uint, Width: 1}
		one := l.b.op(OpSlice, bit, m.t, uint64(i), m.comps[0])
		return l.b.op(OpNe, BoolType, bit, 0, one, l.b.constant(bit, 0))
	}
	l.fail(at, diag.MeaningType, "a value of type %s, expected a mask of %d components", m.t, n)
	return NoID
}

// placeType is the type of what a place holds.
func (l *lowerer) placeType(p *place) Type {
	t := p.typ
	switch {
	case p.view != nil:
		t = p.view.Type
	case p.state != nil && p.state.Kind == FileState:
		t = p.state.Type
	}
	if p.comps != nil {
		t.Len = 0
		if len(p.comps) > 1 {
			t.Len = len(p.comps)
		}
	}
	if p.sliced {
		t = Type{Kind: Uint, Width: p.high - p.low + 1}
	}
	if p.parts != nil {
		var elems []Type
		for i := range p.parts {
			elems = append(elems, l.placeType(&p.parts[i]))
		}
		t = tupleOf(elems)
	}
	return t
}

// read lowers what a place holds.
func (l *lowerer) read(p *place, at diag.Span) value {
	switch {
	case p.read != nil:
		return p.read()
	case p.variable == "pc":
		return l.counter()
	case p.variable != "":
		return l.find(p.variable).v
	case p.bytes > 0:
		in := valued(OpLoad, p.typ)
		in.State, in.A, in.Imm, in.Guard = p.state, p.index.comps[0], uint64(p.bytes), l.b.guard
		in.Uniform = l.b.uniform(in.A) && p.state.wide() && !l.single // else a lane before may have stored there
		return l.b.scalar(p.typ, l.b.push(&in))
	case p.state == nil && p.view == nil:
		l.fail(at, diag.MeaningType, "this cannot be read")
	case p.view != nil:
		return l.readView(p)
	}
	t := l.placeType(&place{state: p.state, comps: p.comps})
	v := value{t: t, has: NoID, comps: l.b.list(t.Count())}
	for i := range v.comps {
		comp := i
		if p.comps != nil {
			comp = p.comps[i]
		}
		v.comps[i] = l.readComp(p, comp)
	}
	if p.sliced {
		return l.sliceOf(v, p.high, p.low, at)
	}
	return v
}

// readComp reads one component of a register.
func (l *lowerer) readComp(p *place, comp int) ID {
	s := p.state
	if s.Scope == spec.ScopeInstruction && !l.check && !l.b.written[s] && !l.b.unknown && !s.Undefined && !s.InitExists {
		return l.b.constant(s.Type, s.Init) // nobody wrote it since the instruction began
	}
	in := valued(OpRead, s.Type.Elem())
	in.State, in.Comp, in.Guard = s, comp, l.b.guard
	if p.kept {
		in.Notes |= Kept
	}
	n, known := l.registerNumber(p)
	switch {
	case known && n >= uint64(s.Count):
		return l.outside(s, &in, n)
	case known:
		in.Imm, in.Uniform = n, s.wide()
	default:
		in.Op, in.A = OpReadX, p.index.comps[0]
		in.Uniform = s.wide() && l.b.uniform(in.A)
	}
	return l.b.push(&in)
}

// registerNumber returns the number of a register where it is known.
func (l *lowerer) registerNumber(p *place) (n uint64, known bool) {
	if p.index.t.Kind == Int {
		if p.index.unknown {
			return 0, true
		}
		return uint64(p.index.n), true
	}
	v, ok := l.b.isConst(p.index.comps[0])
	return uint64(p.index.t.signed(v)), ok
}

func (l *lowerer) outside(s *State, in *Inst, n uint64) ID {
	switch s.Outside {
	case OutsideWrap:
		in.Imm = n % uint64(s.Count)
		in.Uniform = s.wide()
		return l.b.push(in)
	case OutsideTrap:
		l.trap(s.Name + " has no such register")
	}
	return l.b.constant(in.Type(), s.OutsideBits)
}

// write assigns a place.
func (l *lowerer) write(p *place, v value, at diag.Span) {
	if p.parts != nil {
		if len(v.elems()) != len(p.parts) {
			l.fail(at, diag.MeaningType, "a value of type %s, expected a tuple of %d values", v.t, len(p.parts))
		}
		for i := range p.parts {
			l.write(&p.parts[i], v.elems()[i], at)
		}
		return
	}
	if p.write != nil {
		p.write(v, at)
		return
	}
	v = l.typed(v, l.placeType(p), at)
	switch {
	case p.variable == "pc":
		l.jump(v, at)
	case p.variable != "":
		x := l.find(p.variable)
		if l.path != l.start {
			v = l.choose(l.held(l.path), v, x.v)
		}
		x.v = v
	case p.bytes > 0:
		in := valued(OpStore, p.typ)
		in.State, in.A, in.B, in.Imm = p.state, p.index.comps[0], v.comps[0], uint64(p.bytes)
		l.effect(in, false)
	case p.view == nil && (p.state.Kind != FileState || p.state.ReadOnly):
		l.fail(at, diag.MeaningType, "%s cannot be written", p.state.Name)
	case l.later == nil:
		l.writeState(p, v)
	default:
		l.writeLater(*p, v)
	}
}

// writeLater writes a register at the end of a together. What it needs is kept for that alone.
func (l *lowerer) writeLater(p place, v value) {
	l.afterwards(func() { l.writeState(&p, v) })
}

func (l *lowerer) writeState(p *place, v value) {
	if p.view != nil {
		l.writeView(p, v)
		return
	}
	l.writeFile(p, v)
}

// jump assigns the counter.
func (l *lowerer) jump(v value, at diag.Span) {
	if l.m.Wave && !l.wave {
		l.fail(at, diag.MeaningType, "the program counter belongs to the wave, but code for one lane assigns it")
	}
	if l.path == l.start {
		l.pc, l.jumped = v, l.b.flag(true)
	} else {
		l.pc = l.choose(l.held(l.path), v, l.counter())
		l.jumped = l.either(l.held(l.path), l.b.flag(true), l.jumped)
	}
	l.jumps = true
}

// writeFile writes the components of a register that are meant, each under its mask.
func (l *lowerer) writeFile(p *place, v value) {
	if p.sliced {
		old := l.read(&place{state: p.state, index: p.index, comps: p.comps, kept: true}, p.span)
		v = l.b.scalar(old.t, l.insert(old.comps[0], v.comps[0], old.t, p.high, p.low))
	}
	comps := p.comps
	if comps == nil {
		for i := range p.state.Type.Count() {
			comps = append(comps, i)
		}
	}
	for i, c := range comps {
		guard := l.b.guard
		if p.mask != nil {
			l.b.guard = l.b.and(guard, p.mask[i])
		}
		l.writeComp(p, c, v.comps[i])
		l.b.guard = guard
	}
}

// insert puts bits into a word.
func (l *lowerer) insert(old, bits ID, t Type, high, low int) ID {
	field := Type{Kind: Uint, Width: high - low + 1}.mask() << uint(low)
	wide := l.b.op(OpShl, t, t, 0, l.b.op(OpCast, t, Type{Kind: Uint, Width: high - low + 1}, 0, bits), l.b.constant(U32, uint64(low)))
	kept := l.b.op(OpAnd, t, t, 0, old, l.b.constant(t, ^field))
	return l.b.op(OpOr, t, t, 0, kept, wide)
}

func (l *lowerer) writeComp(p *place, comp int, v ID) {
	in := valued(OpWrite, p.state.Type.Elem())
	in.State, in.Comp, in.B = p.state, comp, v
	n, known := l.registerNumber(p)
	switch {
	case known && n >= uint64(p.state.Count):
		switch p.state.Outside {
		case OutsideWrap:
			in.Imm = n % uint64(p.state.Count)
		case OutsideTrap:
			l.trap(p.state.Name + " has no such register")
			return
		default:
			return
		}
	case known:
		in.Imm = n
	default:
		in.Op, in.A = OpWriteX, p.index.comps[0]
	}
	l.do(in, p.state.wide())
}

func unsigned(t Type) Type { return Type{Kind: Uint, Width: t.Width} }

// bits gives a component as an unsigned number.
func (l *lowerer) bits(id ID, t Type) ID {
	if t.Kind == Uint {
		return id
	}
	return l.b.op(OpCast, unsigned(t), t, 0, id)
}

// reread gives the bits of a value another type.
func (l *lowerer) reread(v value, t Type) value {
	if v.t.same(t) {
		return v
	}
	return l.each(OpCast, t, v.t, 0, v)
}

// aligned traps where the number of a register is no multiple of what it must be.
func (l *lowerer) aligned(p *place) {
	if p.view.Align <= 1 {
		return
	}
	if n, known := l.registerNumber(p); known {
		if n%uint64(p.view.Align) != 0 {
			l.trap("the number of a register is not a multiple of " + itoa(p.view.Align))
		}
		return
	}
	t := p.index.t
	rest := l.b.op(OpMod, t, t, 0, p.index.comps[0], l.b.constant(t, uint64(p.view.Align)))
	odd := l.b.op(OpNe, BoolType, t, 0, rest, l.b.constant(t, 0))
	l.under(odd, func() { l.trap("the number of a register is not a multiple of " + itoa(p.view.Align)) })
}

// assign lowers x = y.
func (l *lowerer) assign(x, y *expr) {
	p := l.place(x)
	want := l.placeType(&p)
	v := l.expr(y, want)
	l.write(&p, v, y.span)
}

// regPlace is the register that a leaf or an operand means.
func (l *lowerer) regPlace(r *spec.Reg, f *model.Scope) place {
	p := place{span: r.Span}
	if p.view = l.m.views[r.File.Name]; p.view == nil {
		p.state = l.m.states[r.File.Name]
	}
	p.index = l.progValue(r.Index, f)
	if r.Component != nil {
		c := l.progValue(r.Component, f)
		p.comps = []int{int(c.n)}
	}
	return p
}

// progValue computes an expression of the description.
func (l *lowerer) progValue(e *spec.Expr, f *model.Scope) value {
	p := f.Unit.Prog(e)
	if l.check {
		return value{t: intType, unknown: true, has: NoID}
	}
	return number(int64(l.eval.Eval(p, f)))
}
