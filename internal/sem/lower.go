package sem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Limits of the operations and the nesting of one instruction.
const (
	MaxInsts  = 1 << 15
	maxFrames = 24
	maxCalls  = 32
	maxTurns  = 1 << 10
	maxWork   = 1 << 17 // statements and expressions, with those of functions each time they are called
)

// Words is the part of a program that lowering a word may need.
type Words struct {
	Context bits.Value
	Tables  [][]bits.Value
	// Word returns the word at an address, in units of the size of the root's words, for the statement run.
	Word func(root *model.Root, addr uint64) (bits.Value, bool)
	// Quirks are values of quirks by name. Other quirks have their defaults.
	Quirks map[string]uint64
}

// lowerer turns the meaning of an instruction into operations. With check set it does the same on a leaf whose
// bits are not known, for what is wrong with types and names.
type lowerer struct {
	m     *Machine
	b     *builder
	words *Words
	eval  model.Evaluator
	check bool
	// missing are the entries of tables that nobody gave.
	missing []string
	here    value
	next    value

	scope
	wave      bool
	within    *spec.Operand // whose code is being lowered: its name means the field that it shows
	single    bool          // in an atomic: the lanes come one after another
	inner     func(at diag.Span)
	later     *[]func() // the writes of a together
	regions   []ID      // the guards of the regions around, from the together on
	annotated bool      // with OpFlow and OpHazard
	calls     int
	work      int

	pc     value // what was assigned to the counter
	jumped ID    // where it was
	jumps  bool
	runs   bool            // words of the program that are not at hand
	checks *checks         // of a description
	asked  map[string]bool // the quirks that were asked for, where somebody wants to know; else nil
}

// scope is a piece of code that is being lowered: an instruction, an operand, a function.
type scope struct {
	frame  *model.Scope
	given  model.Assumptions // what is known of conditions in the frame
	locals []local
	ret    *returns
	base   ID // the guard with which it was entered
	path   ID // holds where the code being lowered runs, since it was entered
	start  ID // the path at the start of the branch
	dead   bool
}

type local struct {
	name     string
	v        value
	variable bool
}

// returns is what a piece of code has returned so far.
type returns struct {
	typ  Type
	v    value
	have bool
	done ID // holds where it has returned
	some ID // holds where it has returned a value
}

// Lower lowers the instruction with the bits v. addr is its address in units of the program counter. The error is a
// *diag.Error, or ErrUnknown.
func (m *Machine) Lower(root *model.Root, w *Words, v bits.Value, addr uint64) (code *Code, err error) {
	return m.lower(root, w, v, addr, false)
}

// Annotated is Lower with two more operations that only inform: OpFlow where the semantics of the instruction itself ends, if
// that may jump, and OpHazard.
func (m *Machine) Annotated(root *model.Root, w *Words, v bits.Value, addr uint64) (code *Code, err error) {
	return m.lower(root, w, v, addr, true)
}

func (m *Machine) lower(root *model.Root, w *Words, v bits.Value, addr uint64, annotated bool) (code *Code, err error) {
	l := m.newLowerer(w)
	l.annotated = annotated
	return l.lower(root, v, addr)
}

// lower lowers an instruction.
func (l *lowerer) lower(root *model.Root, v bits.Value, addr uint64) (code *Code, err error) {
	m := l.m
	env := m.Model.TopEnv(root)
	f := l.eval.Match(env, v, nil)
	if f == nil {
		return nil, ErrUnknown
	}
	next := addr + uint64((f.Unit.Leaf.Size+m.Unit-1)/m.Unit)
	l.here, l.next = number(int64(addr)), number(int64(next))
	defer l.b.release()
	defer recoverError(&err)
	l.instruction(f)
	l.finish()
	code = &Code{Insts: l.b.prune(nil), Next: next, Jumps: l.jumps, Runs: l.runs}
	code.carry()
	code.check()
	return code, nil
}

// ErrUnknown is the error of Lower for a word that is not an instruction.
var ErrUnknown = fmt.Errorf("unknown word")

func (m *Machine) newLowerer(w *Words) *lowerer {
	l := &lowerer{m: m, b: newBuilder(), words: w, wave: m.Wave, scope: scope{base: NoID, path: NoID, start: NoID}, jumped: NoID}
	l.eval = model.Evaluator{Context: w.Context, Tables: w.Tables, OnMissingEntry: l.noEntry}
	l.locals = l.b.locals[:0]
	return l
}

// noEntry notes, once, that the instruction depends on an entry that nobody gave.
func (l *lowerer) noEntry(t *spec.Table, index uint64) {
	text := string(model.AppendNoEntry(nil, t, index, len(l.words.Tables[t.Index])))
	if slices.Contains(l.missing, text) {
		return
	}
	l.missing = append(l.missing, text)
	guard := l.b.guard
	l.b.guard = NoID
	l.do(named(OpUnknown, text), l.m.Wave)
	l.b.guard = guard
}

// recoverError turns what fail panicked with into an error.
func recoverError(err *error) {
	switch r := recover().(type) {
	case nil:
	case *diag.Error:
		*err = r
	default:
		panic(r)
	}
}

// finish emits the jump, if there is one.
func (l *lowerer) finish() {
	if !l.jumps {
		return
	}
	guard := l.jumped
	if l.b.isTrue(guard) {
		guard = NoID
	}
	in := blank(OpJump)
	in.A, l.b.guard = l.pc.comps[0], guard
	l.do(in, l.m.Wave)
}

// do emits an effect. What belongs to the wave is the same for all lanes.
func (l *lowerer) do(in Inst, wide bool) {
	in.Guard, in.Uniform = l.b.guard, wide
	in.EachArg(func(a ID) {
		if wide && !l.b.uniform(a) {
			l.fail(l.b.span, diag.MeaningType, "a value of one lane changes state that all lanes share, expected a value from any, all, ballot or from")
		}
	})
	if !wide && in.State != nil && in.State.Kind != MemoryState && l.wave {
		l.fail(l.b.span, diag.MeaningType, "each lane has its own %s, expected lanes(...) { } around the code", in.State.Name)
	}
	if !wide {
		l.b.spread(&in)
		for i, a := range in.Args() {
			in.more.args[i] = l.b.lanes(a)
		}
	}
	if g, ok := l.b.isConst(in.Guard); ok && in.Guard != NoID {
		if g == 0 {
			return
		}
		in.Guard = NoID
	}
	l.b.changed(&in)
	l.b.push(&in)
}

// blank is an operation without arguments.
func blank(op Op) Inst { return Inst{Op: op, A: NoID, B: NoID, C: NoID, Guard: NoID} }

// valued is one with a value of that type, or that writes one.
func valued(op Op, t Type) Inst {
	return Inst{Op: op, typ: pack(t), A: NoID, B: NoID, C: NoID, Guard: NoID}
}

// named is one that has a text.
func named(op Op, text string) Inst {
	in := blank(op)
	in.more = &more{text: text}
	return in
}

// instruction lowers what a word does, its arounds the outermost first.
func (l *lowerer) instruction(f *model.Scope) {
	saved := l.frame
	l.frame = f
	defer func() { l.frame = saved }()
	sem := l.semantics(f)
	var arounds []*spec.Around
	for b := f.Unit.Leaf.Spec; b != nil; b = b.Extends {
		arounds = append(append([]*spec.Around{}, b.Arounds...), arounds...)
	}
	run := func(at diag.Span) {
		around := l.b.around
		l.b.around = false
		l.meaning(f, sem, at)
		if l.annotated && saved == nil {
			l.tell()
		}
		l.b.around = around
	}
	for i := len(arounds) - 1; i >= 0; i-- {
		a := arounds[i]
		if l.alone(sem) && !a.Always {
			continue
		}
		inside := run
		run = func(at diag.Span) { l.around(f, a, inside, at) }
	}
	run(f.Unit.Leaf.Spec.Span)
}

// tell notes where the instruction itself jumps.
func (l *lowerer) tell() {
	if l.jumps {
		in := blank(OpFlow)
		in.A, in.Guard, in.Uniform = l.counter().comps[0], l.jumped, l.m.Wave
		l.b.push(&in)
	}
}

// alone reports whether the semantics goes without its arounds.
func (l *lowerer) alone(list []meaning) bool { return len(list) > 0 && list[0].SkipsArounds }

// meaning is the semantics of a case, and what is known of conditions where it runs.
type meaning struct {
	*spec.Semantics
	given model.Assumptions
}

// semantics returns what a scope does or is: the one that applies, or while a description is checked all
// that may.
func (l *lowerer) semantics(f *model.Scope) []meaning {
	var list []meaning
	l.cases(f, func(c *spec.Case, given model.Assumptions) bool {
		if c.Semantics != nil {
			list = append(list, meaning{c.Semantics, given})
		}
		return c.Semantics != nil
	})
	return list
}

// cases calls visit for the cases that apply until it tells that it has what it looks for. While a
// description is checked all cases apply, up to the first without a condition that visit takes.
func (l *lowerer) cases(f *model.Scope, visit func(c *spec.Case, given model.Assumptions) bool) {
	var failed []*spec.Expr // conditions of the cases before that visit would have taken
	for b := f.Unit.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			if c.Expr != nil && !l.check && l.eval.Eval(f.Unit.Prog(c.Expr), f) == 0 {
				continue
			}
			if !visit(c, model.Assumptions{Holds: c.Expr, Fails: failed}) {
				continue
			}
			if c.Expr == nil || !l.check {
				return
			}
			failed = append(failed[:len(failed):len(failed)], c.Expr)
		}
	}
}

// meaning lowers the semantics of an instruction, which returns nothing.
func (l *lowerer) meaning(f *model.Scope, list []meaning, at diag.Span) {
	if len(list) == 0 {
		l.fail(f.Unit.Leaf.Spec.Span, diag.MeaningNone, "%s has no semantics", f.Unit.Leaf.Name)
	}
	for _, s := range list {
		b := l.parsed(s.Code, s.Type)
		l.inScope(s.Wave, s.Span, func() { l.code(b, f, s.given) })
	}
}

// inScope runs what is written for a lane, or for a wave.
func (l *lowerer) inScope(wave bool, at diag.Span, run func()) {
	switch {
	case wave == l.wave:
		run()
	case wave:
		l.fail(at, diag.MeaningType, "code for a wave inside code for a lane")
	default:
		saved := l.wave
		l.wave = false
		run()
		l.wave = saved
	}
}

func (l *lowerer) around(f *model.Scope, a *spec.Around, inside func(diag.Span), at diag.Span) {
	saved := l.inner
	l.inner = func(at diag.Span) {
		mine := l.inner
		l.inner = saved
		inside(at)
		l.inner = mine
	}
	b := l.parsed(a.Code, spec.Code{})
	around := l.b.around
	l.b.around = true
	l.inScope(a.Wave, a.Span, func() { l.code(b, f, model.Assumptions{}) })
	l.inner, l.b.around = saved, around
}

// parsed is what a piece of code is, and the type that it says it returns; a mistake in it ends the lowering.
func (l *lowerer) parsed(code, typ spec.Code) *body {
	b := l.m.body(code, typ)
	if b.err != nil {
		panic(b.err)
	}
	return b
}

// code lowers a piece of code in a scope and returns what it returns.
func (l *lowerer) code(b *body, f *model.Scope, given model.Assumptions) value {
	var typ Type
	if b.typ != nil {
		typ = l.typeOf(b.typ)
	}
	return l.call(b.stmts, typ, f, given, nil)
}

// call lowers statements with names of their own.
func (l *lowerer) call(stmts []*stmt, typ Type, f *model.Scope, given model.Assumptions, locals []local) value {
	if l.calls++; l.calls > maxCalls {
		l.fail(l.b.span, diag.XMLLimit, "calls nested more than %d deep; the code may call itself", maxCalls)
	}
	saved, guard, place := l.scope, l.b.guard, l.b.whereabouts
	l.b.chain, l.b.site = mixed(l.b.chain, l.b.site), 0
	r := &l.b.returns[l.calls-1]
	*r = returns{typ: typ, done: l.b.flag(false), some: l.b.flag(false)}
	// the names stand behind those of the caller
	l.scope = scope{frame: f, given: given, locals: append(saved.locals[len(saved.locals):], locals...), ret: r, base: guard, path: NoID, start: NoID}
	l.block(stmts)
	dead := l.dead
	l.scope, l.calls, l.b.guard, l.b.whereabouts = saved, l.calls-1, guard, place
	switch {
	case typ.Kind == None:
		return value{has: NoID}
	case typ.maybe() && !r.have:
		v := l.zero(typ)
		v.has = l.b.flag(false)
		return v
	case typ.maybe():
		v := r.v
		v.t, v.has = v.t.optional(true), r.some
		return v
	case !dead && !l.b.isTrue(r.done):
		l.fail(codeSpan(stmts, f), diag.MeaningNone, "a path without return, expected a value of type %s", typ)
	}
	return r.v
}

// codeSpan is where code ends, or the bitset where there is none.
func codeSpan(stmts []*stmt, f *model.Scope) diag.Span {
	if len(stmts) == 0 {
		return f.Unit.Leaf.Spec.Span
	}
	return stmts[len(stmts)-1].span
}

// guardOf is the guard for code whose path is given: guards nest, so that of the surroundings is kept apart.
func (l *lowerer) guardOf(path ID) ID { return l.b.and(l.base, path) }

func (l *lowerer) block(stmts []*stmt) {
	mark := len(l.locals)
	for _, s := range stmts {
		if l.dead {
			break
		}
		if len(l.b.insts) > MaxInsts {
			l.fail(s.span, diag.XMLLimit, "an instruction with more than %d operations", MaxInsts)
		}
		l.b.span = s.span
		l.effort(s.span)
		l.stmt(s)
	}
	l.locals = l.locals[:mark]
}

// effort counts what is lowered: loops and functions inside each other could go on for ages.
func (l *lowerer) effort(at diag.Span) {
	if l.work++; l.work > maxWork {
		l.fail(at, diag.XMLLimit, "an instruction with more than %d steps of code", maxWork)
	}
}

func (l *lowerer) find(name string) *local {
	for i := len(l.locals) - 1; i >= 0; i-- {
		if l.locals[i].name == name {
			return &l.locals[i]
		}
	}
	return nil
}

func (l *lowerer) declare(name string, v value, variable bool, at diag.Span) {
	if reserved[name] && name != "value" || intrinsics[name] != nil || l.m.functions[name] != nil {
		l.fail(at, diag.MeaningName, "%s is a reserved word or a function, expected another name", name)
	}
	l.locals = append(l.locals, local{name, v, variable})
}

func (l *lowerer) stmt(s *stmt) {
	switch s.kind {
	case sLet, sVar:
		l.let(s)
	case sAssign:
		l.assign(s.x, s.y)
	case sIf:
		l.ifStmt(l.cond(s.x), s.x.span, func() { l.block(s.body) }, func() { l.block(s.other) })
	case sIfLet:
		l.ifLet(s)
	case sFor:
		l.forStmt(s)
	case sPush:
		l.push(s)
	case sPop:
		in := blank(OpPop)
		in.State = l.stack(s.name, s.span)
		l.effect(in, in.State.wide())
	case sEnd:
		l.do(blank(OpEnd), l.wave)
	case sTrap:
		l.trap(s.name)
	case sUnknown:
		l.do(named(OpUnknown, s.name), l.wave)
	case sHazard:
		if l.annotated {
			l.do(named(OpHazard, s.name), l.wave)
		}
	case sBarrier:
		in := blank(OpBarrier)
		in.A = l.typed(l.expr(s.x, U32), U32, s.x.span).comps[0]
		in.B = l.typed(l.expr(s.y, U32), U32, s.y.span).comps[0]
		in.Imm = s.how
		l.do(in, l.wave)
	case sTogether:
		l.together(s)
	case sAtomic:
		l.atomic(s)
	case sLanes:
		l.lanes(s)
	case sReturn:
		l.returnStmt(s)
	case sExpr:
		l.exprStmt(s)
	case sInner:
		if l.inner == nil {
			l.fail(s.span, diag.MeaningName, "inner outside an <around>")
		}
		l.inner(s.span)
	case sRun:
		l.run(s)
	}
}

func (l *lowerer) trap(why string) {
	l.do(named(OpTrap, why), l.wave)
}

func (l *lowerer) exprStmt(s *stmt) {
	if v := l.expr(s.x, Type{}); v.t.Kind != None && s.x.kind != eCall && s.x.kind != eField {
		what := unusedValue
		if l.ret != nil && l.ret.typ.Kind != None {
			what = noReturn
		}
		l.fail(s.span, diag.MeaningType, "%s", what)
	}
}

func (l *lowerer) let(s *stmt) {
	var want Type
	if s.typ != nil {
		want = l.typeOf(s.typ)
	}
	v := l.expr(s.x, want)
	if s.typ != nil {
		v = l.typed(v, want, s.x.span)
	}
	if v.t.Kind == None {
		l.fail(s.x.span, diag.MeaningType, "an expression without a value, expected one with a value")
	}
	if s.kind == sVar && v.t.loose() {
		l.fail(s.x.span, diag.MeaningType, "a number without a type, expected var %s: T = ...", s.names[0])
	}
	if len(s.names) == 1 {
		l.declare(s.names[0], v, s.kind == sVar, s.span)
		return
	}
	if len(v.elems()) != len(s.names) {
		l.fail(s.span, diag.MeaningType, "%d names for a value of type %s", len(s.names), v.t)
	}
	for i, name := range s.names {
		if name != "_" {
			l.declare(name, v.elems()[i], s.kind == sVar, s.span)
		}
	}
}

// ifStmt lowers two branches. A condition that is known chooses one; while a description is checked, one
// that is settled and not known takes both.
func (l *lowerer) ifStmt(cond ID, at diag.Span, then, other func()) {
	if c, ok := l.b.isConst(cond); ok {
		if c != 0 {
			then()
		} else {
			other()
		}
		return
	}
	mark := len(l.b.kept)
	path, start, before := l.path, l.start, l.outcome()
	pathThen, pathOther := l.b.and(path, cond), l.b.and(path, l.b.not(cond))
	deadThen := l.branch(pathThen, then)
	after := l.outcome()
	l.take(before)
	deadOther := l.branch(pathOther, other)
	for _, a := range after.variables {
		x := &l.locals[a.at]
		x.v = l.choose(cond, a.v, x.v)
	}
	j := joint{pathThen, pathOther, path == NoID}
	l.joinPC(j, after, before)
	l.joinReturns(j, after, before)
	l.dead = deadThen && deadOther
	l.path, l.start = path, start
	l.b.kept = l.b.kept[:mark]
	if l.ret != nil && l.ret.done != before.ret.done {
		l.path = l.b.and(path, l.b.not(l.ret.done))
	}
	l.b.guard = l.guardOf(l.path)
}

// outcome is what code has come to so far: its variables, the counter, what it returns.
type outcome struct {
	variables []kept
	pc        value
	jumped    ID
	ret       returns
}

func (l *lowerer) outcome() outcome {
	o := outcome{pc: l.pc, jumped: l.jumped}
	mark := len(l.b.kept)
	for i := range l.locals {
		if l.locals[i].variable {
			l.b.kept = append(l.b.kept, kept{i, l.locals[i].v})
		}
	}
	o.variables = l.b.kept[mark:]
	if l.ret != nil {
		o.ret = *l.ret
	}
	return o
}

// take goes back to an outcome.
func (l *lowerer) take(o outcome) {
	l.pc, l.jumped = o.pc, o.jumped
	for _, k := range o.variables {
		l.locals[k.at].v = k.v
	}
	if l.ret != nil {
		*l.ret = o.ret
	}
}

// joint is where two branches meet. What a branch computes counts on its path alone, for it may be skipped. all
// tells that each lane takes one of them; others have returned before.
type joint struct {
	then, other ID
	all         bool
}

func (l *lowerer) joined(j joint, then, other, before value) value {
	if !j.all {
		other = l.choose(j.other, other, before)
	}
	return l.choose(j.then, then, other)
}

func (l *lowerer) joinPC(j joint, after, before outcome) {
	if after.pc.comps == nil && l.pc.comps == nil {
		return
	}
	for _, pc := range []*value{&after.pc, &l.pc, &before.pc} {
		if pc.comps == nil {
			*pc = l.settle(l.next, U32, l.b.span)
		}
	}
	l.pc = l.joined(j, after.pc, l.pc, before.pc)
	l.jumped = l.joinedFlag(j, after.jumped, l.jumped, before.jumped)
}

// joinedFlag joins flags, of which none is false.
func (l *lowerer) joinedFlag(j joint, then, other, before ID) ID {
	flags := [3]ID{then, other, before}
	for i, id := range flags {
		if id == NoID {
			flags[i] = l.b.flag(false)
		}
	}
	if !j.all {
		flags[1] = l.b.choose(j.other, BoolType, flags[1], flags[2])
	}
	return l.b.choose(j.then, BoolType, flags[0], flags[1])
}

func (l *lowerer) joinReturns(j joint, after, before outcome) {
	r := l.ret
	if r == nil || after.ret.done == before.ret.done && r.done == before.ret.done {
		return
	}
	switch {
	case before.ret.have:
		r.v = l.joined(j, after.ret.v, r.v, before.ret.v)
	case after.ret.have && r.have:
		r.v = l.choose(j.then, after.ret.v, r.v)
	case after.ret.have:
		r.v, r.have = after.ret.v, true
	}
	r.done = l.joinedFlag(j, after.ret.done, r.done, before.ret.done)
	r.some = l.joinedFlag(j, after.ret.some, r.some, before.ret.some)
}

// either chooses between guards of jumps, of which none is nowhere.
func (l *lowerer) either(cond, x, y ID) ID {
	if x == y {
		return x
	}
	if x == NoID {
		x = l.b.flag(false)
	}
	if y == NoID {
		y = l.b.flag(false)
	}
	return l.b.choose(cond, BoolType, x, y)
}

// branch lowers code under a path and reports whether nothing runs behind it.
func (l *lowerer) branch(path ID, run func()) (dead bool) {
	l.path, l.start, l.dead = path, path, false
	l.b.guard = l.guardOf(path)
	skip := l.b.beginRegion(OpSkip, l.b.guard)
	l.regions = append(l.regions, l.b.guard)
	run()
	l.regions = l.regions[:len(l.regions)-1]
	l.b.endRegion(skip)
	dead, l.dead = l.dead, false
	return dead
}

// kept is what a variable was.
type kept struct {
	at int
	v  value
}

func (l *lowerer) ifLet(s *stmt) {
	v := l.expr(s.x, Type{})
	if !v.t.maybe() {
		l.fail(s.x.span, diag.MeaningType, "a value of type %s always exists, expected an optional value, such as one of type %s?", v.t, v.t)
	}
	has := v.has
	v.t, v.has = v.t.optional(false), NoID
	l.ifStmt(has, s.x.span, func() {
		mark := len(l.locals)
		l.declare(s.names[0], v, false, s.span)
		l.block(s.body)
		l.locals = l.locals[:mark]
	}, func() { l.block(s.other) })
}

func (l *lowerer) forStmt(s *stmt) {
	from, okFrom := l.constant(l.expr(s.x, Type{}), s.x.span)
	to, okTo := l.constant(l.expr(s.y, Type{}), s.y.span)
	turn := func(v value) {
		mark := len(l.locals)
		l.declare(s.name, v, false, s.span)
		l.block(s.body)
		l.locals = l.locals[:mark]
	}
	if !okFrom || !okTo {
		turn(value{t: intType, unknown: true, has: NoID})
		return
	}
	if to-from > maxTurns {
		l.fail(s.span, diag.XMLLimit, "a loop of %d iterations, expected at most %d", to-from, maxTurns)
	}
	for i := from; i < to && !l.dead; i++ {
		l.effort(s.span)
		turn(number(i))
	}
}

func (l *lowerer) stack(name string, at diag.Span) *State {
	s := l.m.states[name]
	switch {
	case s == nil && l.m.Model.ISA.Stack(name) != nil:
		l.fail(at, diag.MeaningName, "stack %s has no depth or no slots, so code cannot use it", name)
	case s == nil || s.Kind != StackState:
		l.fail(at, diag.MeaningName, "%s is not a stack", name)
	}
	return s
}

func (l *lowerer) push(s *stmt) {
	st := l.stack(s.name, s.span)
	args := make([]ID, len(st.Slots))
	for i := range args {
		args[i] = NoID
	}
	for _, f := range s.fields {
		i := st.slot(f.name)
		switch {
		case i < 0:
			l.fail(f.span, diag.MeaningName, "stack %s has no slot %s", st.Name, f.name)
		case args[i] != NoID:
			l.fail(f.span, diag.MeaningName, "slot %s of stack %s is given twice", f.name, st.Name)
		}
		args[i] = l.typed(l.expr(f.x, st.Slots[i].Type), st.Slots[i].Type, f.span).comps[0]
	}
	for i, a := range args {
		if a == NoID {
			l.fail(s.span, diag.MeaningName, "slot %s of stack %s is missing", st.Slots[i].Name, st.Name)
		}
	}
	in := blank(OpPush)
	in.State, in.more = st, &more{args: args}
	l.effect(in, st.wide())
}

func (s *State) slot(name string) int {
	for i := range s.Slots {
		if s.Slots[i].Name == name {
			return i
		}
	}
	return -1
}

// wide reports whether the state is one for all lanes.
func (s *State) wide() bool { return s.Scope >= spec.ScopeWave }

// effect does something to the state now, or at the end of a together.
func (l *lowerer) effect(in Inst, wide bool) {
	if l.later == nil {
		l.do(in, wide)
		return
	}
	l.afterwards(func() { l.do(in, wide) })
}

// afterwards does something at the end of a together, under the guard of now.
func (l *lowerer) afterwards(do func()) {
	guard, regions := l.b.guard, append([]ID(nil), l.regions...)
	place := l.b.whereabouts
	*l.later = append(*l.later, func() {
		now, at := l.b.guard, l.b.whereabouts
		l.b.guard, l.b.whereabouts = l.landing(guard, regions), place
		do()
		l.b.guard, l.b.whereabouts = now, at
	})
}

// landing is a guard of a region, for use behind it: the guard is old where a region around it was skipped.
func (l *lowerer) landing(guard ID, regions []ID) ID {
	all := NoID
	for _, g := range regions {
		all = l.b.and(all, g)
	}
	if len(regions) > 0 && regions[len(regions)-1] == guard {
		return all
	}
	return l.b.and(all, guard)
}

func (l *lowerer) together(s *stmt) {
	if l.later != nil {
		l.block(s.body)
		return
	}
	var later []func()
	regions := l.regions
	l.later, l.regions = &later, nil
	l.block(s.body)
	l.later, l.regions = nil, regions
	for _, do := range later {
		do()
	}
}

// atomic lowers code in which no other lane comes between.
func (l *lowerer) atomic(s *stmt) {
	if l.wave {
		l.fail(s.span, diag.MeaningType, "atomic in code for the whole wave, expected lanes(...) { } around it")
	}
	if l.single {
		l.block(s.body)
		return
	}
	later := l.later // its writes land at once, or another lane would come between
	l.single, l.later = true, nil
	r := l.b.beginRegion(OpAtomic, l.b.guard)
	l.block(s.body)
	l.b.endRegion(r)
	l.single, l.later = false, later
}

func (l *lowerer) lanes(s *stmt) {
	if !l.wave {
		l.fail(s.span, diag.MeaningType, "lanes inside code for one lane")
	}
	mask := l.typed(l.expr(s.x, U64), U64, s.x.span).comps[0]
	among := l.b.flag(true)
	if l.b.insts[mask].Op != OpExists { // what runs is among the lanes there are
		in := valued(OpLanesOf, BoolType)
		in.A = mask
		among = l.b.push(&in)
	}
	l.ifStmt(among, s.x.span, func() {
		l.wave = false
		l.block(s.body)
		l.wave = true
	}, func() {})
}

func (l *lowerer) returnStmt(s *stmt) {
	r := l.ret
	if s.x == nil {
		if r.typ.Kind != None && !r.typ.maybe() {
			l.fail(s.span, diag.MeaningType, "return without a value, expected %s", r.typ)
		}
		l.leave(l.b.flag(false))
		return
	}
	if r.typ.Kind == None {
		l.fail(s.span, diag.MeaningType, "return with a value, but the code has no return type")
	}
	v := l.expr(s.x, r.typ)
	has := l.held(l.path)
	if v.t.maybe() { // what is handed on
		has = l.b.and(has, v.has)
	} else {
		v = l.typed(v, r.typ, s.x.span)
	}
	r.v, r.have = l.keep(v), true
	l.leave(has)
}

// keep joins a returned value to those returned before.
func (l *lowerer) keep(v value) value {
	if !l.ret.have {
		return v
	}
	return l.choose(l.held(l.path), v, l.ret.v)
}

// held is a path as a value.
func (l *lowerer) held(path ID) ID {
	if path == NoID {
		return l.b.flag(true)
	}
	return path
}

// leave ends the code of a path; some holds where it returns a value.
func (l *lowerer) leave(some ID) {
	r := l.ret
	r.done = l.b.op(OpOr, BoolType, BoolType, 0, r.done, l.held(l.path))
	r.some = l.b.op(OpOr, BoolType, BoolType, 0, r.some, some)
	l.dead = true
}

// run lowers another word of the program in this place.
func (l *lowerer) run(s *stmt) {
	root, err := l.m.Model.Root(strings.TrimPrefix(s.name, "#"))
	if err != nil {
		l.fail(s.span, diag.MeaningName, "%v", err)
	}
	if l.check {
		l.checks.run(ran{root, l.wave})
	}
	addr, known := l.constant(l.expr(s.x, Type{}), s.x.span)
	context := l.eval.Context
	for _, f := range s.fields {
		c := l.m.Model.ISA.Context(f.name)
		if c == nil {
			l.fail(f.span, diag.MeaningName, "unknown context %s", f.name)
		}
		v, _ := l.constant(l.expr(f.x, Type{}), f.span)
		context.SetUint(c.Low, c.Width, uint64(v))
	}
	if l.runs = l.runs || l.words.Word == nil; !known || l.check || l.words.Word == nil {
		return
	}
	outer := l.eval.Context
	l.eval.Context = context
	defer func() { l.eval.Context = outer }()
	v, ok := l.words.Word(root, uint64(addr))
	if !ok {
		l.trap(fmt.Sprintf("no word at 0x%x", root.ByteOffset(uint64(addr))))
		return
	}
	f := l.eval.Match(l.m.Model.TopEnv(root), v, nil)
	if f == nil {
		l.trap(fmt.Sprintf("unknown word at 0x%x", root.ByteOffset(uint64(addr))))
		return
	}
	in := named(OpRun, root.Name)
	in.Imm = uint64(addr)
	l.do(in, l.wave)
	inner := l.inner
	l.inner = nil
	l.instruction(f)
	l.inner = inner
}
