package sem

import (
	"slices"
	"sync"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/spec"
)

// builder collects operations. It folds what is constant and says the same thing once.
type builder struct {
	insts []Inst
	known table // constants, and operations of which the value may be used again
	added []ID  // the latter in order, so that those of a region can be forgotten
	// written are the states of which a register was written; unknown tells that others may have been.
	written map[*State]bool
	unknown bool
	around  bool
	guard   ID
	whereabouts
	origins *Origins // not nil if the places from which operations come are recorded

	// Room for what the lowerer needs meanwhile.
	ids     []ID
	locals  []local
	kept    []kept
	returns [maxCalls]returns
	used    []bool
	numbers []ID
	ends    []ID
}

// whereabouts is the place in the description that is lowered.
type whereabouts struct {
	span diag.Span
	// function is the function around it, or nil. chain is a number for the calls that lead to it, and site one for the next
	// call.
	function    *spec.Function
	chain, site uint64
}

// list returns room for the components of a value.
func (b *builder) list(n int) []ID {
	if cap(b.ids)-len(b.ids) < n {
		b.ids = make([]ID, 0, max(n, 1<<10))
	}
	from := len(b.ids)
	b.ids = b.ids[:from+n]
	return b.ids[from : from+n : from+n]
}

// builders are those that are not in use.
var builders = sync.Pool{New: func() any {
	return &builder{locals: make([]local, 0, 64), known: newTable(), written: map[*State]bool{}}
}}

func newBuilder() *builder {
	b := builders.Get().(*builder)
	b.guard = NoID
	return b
}

// release gives the builder back; nothing of it may be used any more.
func (b *builder) release() {
	clear(b.insts)
	b.known.reset()
	clear(b.written)
	b.ids, b.kept = b.ids[:0], b.kept[:0]
	b.insts, b.added, b.unknown, b.around = b.insts[:0], b.added[:0], false, false
	b.whereabouts, b.origins = whereabouts{}, nil
	builders.Put(b)
}

// constant returns a constant of a scalar type.
func (b *builder) constant(t Type, v uint64) ID {
	in := valued(OpConst, t.Elem())
	in.Imm, in.Uniform = v&t.mask(), true
	id, _ := b.once(&in)
	return id
}

func (b *builder) flag(v bool) ID { return b.constant(BoolType, flag(v)) }

func (b *builder) push(in *Inst) ID {
	b.insts = append(b.insts, *in)
	id := ID(len(b.insts) - 1)
	if b.around {
		b.insts[id].Notes |= Around
	}
	if b.origins != nil {
		b.origins.Insts = append(b.origins.Insts, b.here(b.span))
	}
	return id
}

// once appends an operation, or finds one that is alike.
func (b *builder) once(in *Inst) (id ID, found bool) {
	slot := b.known.find(b.insts, in)
	if *slot != 0 {
		return *slot - 1, true
	}
	id = b.push(in)
	b.known.put(slot, b.insts, id)
	return id, false
}

// again is once for what the end of a region makes unknown.
func (b *builder) again(in *Inst) ID {
	id, found := b.once(in)
	if !found {
		b.added = append(b.added, id)
	}
	return id
}

// question asks a stack something. The answer stands until something is pushed or popped.
func question(op Op, s *State) Inst {
	in := valued(op, BoolType)
	if op == OpDepth {
		in = valued(op, U32)
	}
	in.State, in.Uniform = s, s.wide()
	return in
}

// changed forgets what is known of a state that an operation changes.
func (b *builder) changed(in *Inst) {
	switch in.Op {
	case OpPush, OpPop:
		for _, op := range [2]Op{OpEmpty, OpDepth} {
			asked := question(op, in.State)
			if slot := b.known.find(b.insts, &asked); *slot != 0 {
				*slot = dropped
			}
		}
	case OpWrite, OpWriteX:
		b.written[in.State] = true
	case OpService: // what it does to the state is its own
		b.unknown = true
	}
}

func (b *builder) isConst(id ID) (uint64, bool) {
	if id == NoID {
		return 1, true
	}
	in := &b.insts[id]
	return in.Imm, in.Op == OpConst
}

// settled reports whether a value is a constant, known or not.
func (b *builder) settled(id ID) bool {
	op := b.insts[id].Op
	return op == OpConst || op == OpSettled
}

func (b *builder) uniform(id ID) bool { return id == NoID || b.insts[id].Uniform }

// op appends a pure operation, or finds its value.
func (b *builder) op(op Op, t Type, from Type, imm uint64, args ...ID) ID {
	in := blank(op).Typed(t.Elem(), from.Elem())
	in.Imm, in.Uniform = imm, true
	folded, opaque := true, true
	var values [3]uint64
	for i, a := range args {
		*in.arg(i) = a
		v, ok := b.isConst(a)
		values[i] = v
		folded = folded && ok
		opaque = opaque && b.settled(a)
		in.Uniform = in.Uniform && b.uniform(a)
	}
	switch {
	case folded:
		return b.constant(in.Type(), Apply(&in, values[0], values[1], values[2]))
	case opaque:
		return b.param(in.Type())
	}
	if id, ok := b.simpler(&in); ok {
		return id
	}
	if !in.Uniform {
		b.spread(&in)
	}
	return b.again(&in)
}

// arg returns an argument by number.
func (in *Inst) arg(i int) *ID {
	switch i {
	case 0:
		return &in.A
	case 1:
		return &in.B
	}
	return &in.C
}

// param returns a constant that is not known.
func (b *builder) param(t Type) ID {
	in := valued(OpSettled, t.Elem())
	in.Uniform = true
	return b.push(&in)
}

// spread gives uniform arguments of an operation on lanes their values in each lane.
func (b *builder) spread(in *Inst) {
	for i := range 3 {
		if a := in.arg(i); *a != NoID {
			*a = b.lanes(*a)
		}
	}
}

// lanes returns a value for each lane. Constants serve as they are.
func (b *builder) lanes(id ID) ID {
	if id == NoID || !b.insts[id].Uniform || b.insts[id].Op == OpConst {
		return id
	}
	in := valued(OpSplat, b.insts[id].Type())
	in.A = id
	return b.again(&in)
}

// simpler finds a value that an operation has without being done.
func (b *builder) simpler(in *Inst) (ID, bool) {
	if id, ok := b.overChoice(in); ok {
		return id, true
	}
	switch in.Op {
	case OpSelect:
		return b.simplerSelect(in)
	case OpAnd, OpOr:
		return b.simplerLogic(in)
	case OpAdd, OpSub, OpXor, OpShl, OpShr:
		return b.simplerSum(in)
	case OpMul:
		for _, x := range [2][2]ID{{in.A, in.B}, {in.B, in.A}} {
			if v, ok := b.isConst(x[0]); ok && in.Type().integer() && v < 2 {
				return x[v], true // x * 0 is 0, and x * 1 is x
			}
		}
	case OpProduct:
		for _, x := range [2]ID{in.A, in.B} {
			if v, ok := b.isConst(x); ok && v&Zeros(in) == 0 && in.Type().same(F32) {
				return b.constant(F32, 0), true // x * 0 is 0, also for infinities and NaN
			}
		}
	case OpEq, OpNe:
		if in.From().Kind == Bool {
			differ := b.op(OpXor, BoolType, BoolType, 0, in.A, in.B)
			if in.Op == OpEq {
				differ = b.not(differ)
			}
			return differ, true
		}
		if in.A == in.B && in.From().integer() {
			return b.constant(BoolType, uint64(OpNe-in.Op)), true
		}
		if x, v, ok := b.asFlag(in.A, in.B); ok {
			switch {
			case v > 1: // no flag has another value
				return b.flag(in.Op == OpNe), true
			case (v == 1) == (in.Op == OpEq):
				return x, true
			}
			return b.not(x), true
		}
	case OpLt, OpLe: // no unsigned number is below 0 or above all ones
		if t := in.From(); t.Kind == Uint {
			lowest, highest := in.B, in.A
			if in.Op == OpLe {
				lowest, highest = in.A, in.B
			}
			x, isLow := b.isConst(lowest)
			y, isHigh := b.isConst(highest)
			if isLow && x == 0 || isHigh && y == t.mask() {
				return b.constant(BoolType, uint64(in.Op-OpLt)), true
			}
		}
	case OpNot, OpNeg:
		if x := &b.insts[in.A]; x.Op == in.Op {
			return x.A, true
		}
	case OpCast:
		if in.Type().same(b.insts[in.A].Type()) {
			return in.A, true
		}
		return b.simplerBits(in, 0)
	case OpSext:
		return in.A, in.Type().same(b.insts[in.A].Type())
	case OpSlice:
		if in.Type().same(b.insts[in.A].Type()) {
			return in.A, true
		}
		return b.simplerBits(in, in.Imm)
	}
	return NoID, false
}

// simplerBits finds bits, from bit low on, of an integer that was extended or cut before: they are bits of the integer
// before that.
func (b *builder) simplerBits(in *Inst, low uint64) (ID, bool) {
	x := &b.insts[in.A]
	if id, ok := b.part(in, low); ok {
		return id, true
	}
	if x.Op != OpCast && x.Op != OpSext || !x.From().integer() || !x.Type().integer() || !in.Type().integer() {
		return NoID, false
	}
	from, width := x.From(), in.Type().Width
	switch {
	case int(low)+width <= min(from.Width, x.Type().Width) && low > 0:
		return b.op(OpSlice, in.Type(), from, low, x.A), true
	case low == 0 && (width <= x.Type().Width || x.Op == OpCast && from.Width <= x.Type().Width):
		op := x.Op
		if width <= from.Width {
			op = OpCast
		}
		return b.op(op, in.Type(), from, 0, x.A), true
	}
	return NoID, false
}

// part finds bits of a concatenation that are bits of one of its parts, and the lowest bits of a sum or product of extended numbers:
// no higher bits of the numbers change them.
func (b *builder) part(in *Inst, low uint64) (ID, bool) {
	x := b.insts[in.A]
	width, all := in.Type().Width, x.Type()
	if !in.Type().integer() || !all.integer() || int(low)+width > all.Width {
		return NoID, false
	}
	switch x.Op {
	case OpConcat:
		below := all.Width - x.From().Width
		from, piece := b.insts[x.A].Type(), x.A
		if int(low)+width <= below {
			from, piece = b.insts[x.B].Type(), x.B
		} else if low -= uint64(below); int(low) < 0 {
			return NoID, false
		}
		if from.Kind != Uint || in.Type().Kind != Uint {
			return NoID, false
		}
		return b.op(OpSlice, in.Type(), from, low, piece), true
	case OpAdd, OpSub, OpMul:
		if low > 0 || width == all.Width {
			return NoID, false
		}
		for _, id := range [2]ID{x.A, x.B} {
			a := &b.insts[id]
			if _, known := b.isConst(id); !known && (a.Op != OpCast && a.Op != OpSext || !a.From().integer() || a.From().Width > width) {
				return NoID, false
			}
		}
		cut := func(id ID) ID { return b.op(OpCast, in.Type(), all, 0, id) }
		return b.op(x.Op, in.Type(), in.Type(), 0, cut(x.A), cut(x.B)), true
	}
	return NoID, false
}

// asFlag finds a flag that was made a number and is compared with a constant.
func (b *builder) asFlag(x, y ID) (flag ID, v uint64, ok bool) {
	for _, p := range [2][2]ID{{x, y}, {y, x}} {
		in := &b.insts[p[0]]
		if v, known := b.isConst(p[1]); known && in.Op == OpCast && in.From().Kind == Bool && in.Type().Kind == Uint {
			return in.A, v, true
		}
	}
	return NoID, 0, false
}

// overChoice finds what an operation on a choice of constants is: a choice of its results. A comparison with a choice of which only
// one side is constant becomes logic.
func (b *builder) overChoice(in *Inst) (ID, bool) {
	args := []ID{in.A, in.B}
	switch in.Op {
	case OpEq, OpNe, OpLt, OpLe, OpAnd, OpOr, OpXor, OpShl, OpShr:
	case OpNot, OpSlice, OpCast:
		args = args[:1]
	default:
		return NoID, false
	}
	at := -1
	for i, a := range args {
		if _, ok := b.isConst(a); ok {
			continue
		}
		if at >= 0 || b.insts[a].Op != OpSelect {
			return NoID, false
		}
		at = i
	}
	if at < 0 {
		return NoID, false
	}
	x := b.insts[args[at]]
	_, first := b.isConst(x.B)
	_, second := b.isConst(x.C)
	compares := in.Op == OpEq || in.Op == OpNe || in.Op == OpLt || in.Op == OpLe
	if !(first && second) && !(compares && (first || second)) {
		return NoID, false
	}
	t, from, imm, op := in.Type(), in.From(), in.Imm, in.Op
	of := func(id ID) ID {
		list := append([]ID(nil), args...)
		list[at] = id
		return b.op(op, t, from, imm, list...)
	}
	return b.op(OpSelect, t, t, 0, x.A, of(x.B), of(x.C)), true
}

// The relations between two numbers of which a comparison holds for some. unordered is that of a NaN.
const (
	less uint8 = 1 << iota
	equal
	greater
	unordered
)

// relations returns the relations between x and y for which a comparison of them, or its negation, holds. The set is empty for another
// operation.
func (b *builder) relations(id ID) (x, y ID, set uint8) {
	in := b.insts[id]
	all := less | equal | greater | unordered
	if in.Op == OpNot {
		x, y, set = b.relations(in.A)
		if set != 0 {
			set = all &^ set
			if b.insts[x].Type().integer() {
				set &^= unordered
			}
		}
		return x, y, set
	}
	if !in.From().integer() && in.From().Kind != Float {
		return NoID, NoID, 0
	}
	switch in.Op {
	case OpLt:
		set = less
	case OpLe:
		set = less | equal
	case OpEq:
		set = equal
	case OpNe:
		set = all &^ equal
		if in.From().integer() {
			set &^= unordered
		}
	default:
		return NoID, NoID, 0
	}
	return in.A, in.B, set
}

// related finds the single comparison that two comparisons of the same numbers are.
func (b *builder) related(in *Inst) (ID, bool) {
	x, y, first := b.relations(in.A)
	u, v, second := b.relations(in.B)
	if first == 0 || second == 0 || !(x == u && y == v || x == v && y == u) {
		return NoID, false
	}
	if x != u || y != v { // the other way round
		turned := second & (equal | unordered)
		if second&less != 0 {
			turned |= greater
		}
		if second&greater != 0 {
			turned |= less
		}
		second = turned
	}
	set, t := first&second, b.insts[x].Type()
	if in.Op == OpOr {
		set = first | second
	}
	all := less | equal | greater | unordered
	if t.integer() {
		all &^= unordered
	}
	compare := func(op Op, a, b2 ID) ID { return b.op(op, BoolType, t, 0, a, b2) }
	switch set {
	case first:
		return in.A, true
	case second:
		return in.B, true
	case 0:
		return b.flag(false), true
	case all:
		return b.flag(true), true
	case less:
		return compare(OpLt, x, y), true
	case greater:
		return compare(OpLt, y, x), true
	case less | equal:
		return compare(OpLe, x, y), true
	case greater | equal:
		return compare(OpLe, y, x), true
	case equal:
		return compare(OpEq, x, y), true
	case all &^ equal:
		return compare(OpNe, x, y), true
	}
	return NoID, false
}

// simplerSelect finds a choice that is known, or is a single operation.
func (b *builder) simplerSelect(in *Inst) (ID, bool) {
	if v, ok := b.isConst(in.A); ok {
		if v != 0 {
			return in.B, true
		}
		return in.C, true
	}
	if x := &b.insts[in.B]; x.Op == OpSelect && x.A == in.A {
		return b.op(OpSelect, in.Type(), in.Type(), 0, in.A, x.B, in.C), true
	}
	switch {
	case in.B == in.C:
		return in.B, true
	case in.Type().Kind == Bool:
		return b.simplerChoice(in)
	case b.flushes(in):
		return b.op(OpFlush, in.Type(), in.Type(), 0, in.C), true
	}
	return b.product(in)
}

// simplerLogic finds what x & y or x | y is where one of the two decides, leaves the other, or is its negation.
func (b *builder) simplerLogic(in *Inst) (ID, bool) {
	leaves, decides := in.Type().mask(), uint64(0)
	if in.Op == OpOr {
		leaves, decides = decides, leaves
	}
	for _, x := range [2][2]ID{{in.A, in.B}, {in.B, in.A}} {
		switch v, ok := b.isConst(x[0]); {
		case ok && v == decides:
			return x[0], true
		case ok && v == leaves:
			return x[1], true
		case b.opposite(x[0], x[1]):
			return b.constant(in.Type(), decides), true
		}
	}
	if in.A == in.B {
		return in.A, true
	}
	if in.Type().Kind == Bool {
		return b.related(in)
	}
	return NoID, false
}

// simplerSum finds a sum, difference or shift by zero, and the negation of a flag.
func (b *builder) simplerSum(in *Inst) (ID, bool) {
	if t := in.Type(); !t.integer() && t.Kind != Bool {
		return NoID, false // of floats, -0 + 0 is 0
	}
	if in.A == in.B && (in.Op == OpSub || in.Op == OpXor) {
		return b.constant(in.Type(), 0), true
	}
	if v, ok := b.isConst(in.B); ok {
		switch {
		case v == 0:
			return in.A, true
		case in.Type().Kind == Bool:
			return b.not(in.A), true
		}
	}
	v, ok := b.isConst(in.A)
	return in.B, ok && v == 0 && in.Op == OpAdd
}

// simplerChoice finds a choice between flags that is one of them or a single operation.
func (b *builder) simplerChoice(in *Inst) (ID, bool) {
	x, xConst := b.isConst(in.B)
	y, yConst := b.isConst(in.C)
	switch {
	case xConst && x != 0 && yConst && y == 0:
		return in.A, true
	case in.A == in.B || xConst && x != 0:
		return b.op(OpOr, BoolType, BoolType, 0, in.A, in.C), true
	case b.opposite(in.C, in.A):
		return b.op(OpOr, BoolType, BoolType, 0, in.C, in.B), true
	case yConst && y == 0:
		return b.op(OpAnd, BoolType, BoolType, 0, in.A, in.B), true
	case xConst: // false
		return b.op(OpAnd, BoolType, BoolType, 0, b.not(in.A), in.C), true
	case yConst: // true
		return b.op(OpOr, BoolType, BoolType, 0, b.not(in.A), in.B), true
	}
	return NoID, false
}

// flushes reports whether a choice leaves of floats without an exponent their signs: flushed floats are what machines
// reckon with, and one operation is less than four.
func (b *builder) flushes(in *Inst) bool {
	is := func(id ID, op Op, second uint64) *Inst {
		x := &b.insts[id]
		if x.Op != op || x.B == NoID {
			return nil
		}
		if v, ok := b.isConst(x.B); !ok || v != second {
			return nil
		}
		return x
	}
	if in.Type().Kind != Uint && in.Type().Kind != Float || in.Type().Width != 32 {
		return false
	}
	small := is(in.A, OpEq, 0)
	if small == nil {
		return false
	}
	exponent := &b.insts[small.A]
	if exponent.Op != OpSlice || exponent.Imm != 23 || exponent.Type().Width != 8 {
		return false
	}
	word, sign := in.C, in.B
	if in.Type().Kind == Float { // of its bits
		word = exponent.A
		if x, y := &b.insts[word], &b.insts[sign]; x.Op != OpCast || x.A != in.C || y.Op != OpCast {
			return false
		}
		sign = b.insts[sign].A
	}
	s := is(sign, OpAnd, 1<<31)
	return s != nil && s.A == word && exponent.A == word
}

// product finds a choice of 0 where a factor is 0, and of the product elsewhere: one operation is less than four. Factors
// that were flushed for that need not be.
func (b *builder) product(in *Inst) (ID, bool) {
	zero, known := b.isConst(in.B)
	mul := &b.insts[in.C]
	if !known || zero != 0 || mul.Op != OpMul || mul.Imm != 0 || mul.Type().Kind != Float || mul.Type().Width != 32 {
		return NoID, false
	}
	tests := []ID{in.A}
	if or := &b.insts[in.A]; or.Op == OpOr {
		tests = []ID{or.A, or.B}
	}
	factors := [2]ID{b.single(mul.A), b.single(mul.B)}
	var tested [2]bool
	for _, id := range tests {
		x := b.zero(b.single(id))
		if x != factors[0] && x != factors[1] {
			return NoID, false
		}
		tested[0], tested[1] = tested[0] || x == factors[0], tested[1] || x == factors[1]
	}
	raw, flushed := factors, uint64(1)
	for i, f := range factors {
		v, known := b.isConst(f)
		switch x := &b.insts[f]; {
		case !tested[i] && (!known || v&0x7fffffff == 0):
			return NoID, false
		case x.Op == OpFlush:
			raw[i] = x.A
		case !known || v&0x7f800000 == 0:
			flushed = 0
		}
	}
	if flushed == 1 {
		factors = raw
	}
	return b.op(OpProduct, in.Type(), in.Type(), flushed, factors[0], factors[1]), true
}

// single is a value that is spread, or the value itself.
func (b *builder) single(id ID) ID {
	if in := &b.insts[id]; in.Op == OpSplat {
		return in.A
	}
	return id
}

// zero returns what is compared with 0, NoID if that is not what the operation does.
func (b *builder) zero(test ID) ID {
	in := &b.insts[test]
	if in.Op != OpEq || in.From().Kind != Float {
		return NoID
	}
	if v, ok := b.isConst(in.B); !ok || v&0x7fffffff != 0 {
		return NoID
	}
	return b.single(in.A)
}

// opposite reports whether x is the negation of y.
func (b *builder) opposite(x, y ID) bool { return b.insts[x].Op == OpNot && b.insts[x].A == y }

// isTrue reports whether a value is the constant true.
func (b *builder) isTrue(id ID) bool {
	v, ok := b.isConst(id)
	return ok && v != 0
}

// region is code that is skipped where its guard holds in no lane, or that is done lane by lane.
type region struct {
	at   int // of the skip
	mark int // in added
}

func (b *builder) beginRegion(op Op, guard ID) region {
	r := region{len(b.insts), len(b.added)}
	in := blank(op)
	in.Guard, in.Uniform = guard, b.uniform(guard)
	b.push(&in)
	return r
}

func (b *builder) endRegion(r region) {
	b.insts[r.at].Imm = uint64(len(b.insts))
	b.forget(r.mark)
}

// and joins two guards.
func (b *builder) and(x, y ID) ID {
	switch {
	case x == NoID:
		return y
	case y == NoID:
		return x
	}
	return b.op(OpAnd, BoolType, BoolType, 0, x, y)
}

// choose takes the component x where a condition holds and y elsewhere.
func (b *builder) choose(cond ID, t Type, x, y ID) ID { return b.op(OpSelect, t, t, 0, cond, x, y) }

func (b *builder) not(x ID) ID { return b.op(OpNot, BoolType, BoolType, 0, x) }

// forget drops what was computed since a mark: it stands in a region that may be skipped.
func (b *builder) forget(mark int) {
	for _, id := range b.added[mark:] {
		b.known.drop(b.insts, id)
	}
	b.added = b.added[:mark]
}

// prune drops what nobody uses and returns what is left, with new numbers. keep tells what else is used, nil for nothing.
func (b *builder) prune(keep func(in *Inst) bool) []Inst {
	used := room(&b.used, len(b.insts))
	mark := func(id ID) {
		if id != NoID {
			used[id] = true
		}
	}
	for i := len(b.insts) - 1; i >= 0; i-- {
		in := &b.insts[i]
		switch {
		case in.Op == OpSkip: // what it skips is decided already
			used[i] = b.worth(used[i+1:in.Imm], i+1)
		case in.Op.effect() || keep != nil && keep(in):
			used[i] = true
		}
		if !used[i] {
			continue
		}
		mark(in.A)
		mark(in.B)
		mark(in.C)
		mark(in.Guard)
		for _, a := range in.Args() {
			mark(a)
		}
	}
	b.asks(used)
	return b.renumber(used)
}

// leastSkipped is the number of operations for which skipping is worth an operation.
const leastSkipped = 4

// worth reports whether the operations from one on that are used are worth a skip.
func (b *builder) worth(used []bool, from int) bool {
	n := 0
	for k, is := range used {
		switch op := b.insts[from+k].Op; {
		case !is || op == OpConst:
		case op == OpTop || op == OpPush || op == OpPop:
			n += leastSkipped
		case !b.insts[from+k].Uniform:
			n += leastSkipped / 2
		default:
			n++
		}
	}
	return n >= leastSkipped
}

// room returns n zeros, of which the place serves again.
func room[T any](place *[]T, n int) []T {
	if cap(*place) < n {
		*place = make([]T, 2*n)
	}
	list := (*place)[:n]
	clear(list)
	return list
}

// escaping lists the used constants of regions that are also used after their region, which may have been skipped.
func (b *builder) escaping(used []bool) (list []ID) {
	ends := room(&b.ends, len(b.insts)) // of the innermost region around each operation, 0 for none
	for i := range b.insts {
		in := &b.insts[i]
		if !used[i] {
			continue
		}
		if in.Op == OpSkip {
			for k := ID(i) + 1; k < ID(in.Imm); k++ {
				ends[k] = ID(in.Imm)
			}
		}
		in.EachArg(func(a ID) {
			if ends[a] != 0 && ID(i) >= ends[a] && b.insts[a].Op == OpConst && !slices.Contains(list, a) {
				list = append(list, a)
			}
		})
	}
	return list
}

// renumber returns the operations that are used, with new numbers. Constants that escape from their region come first.
func (b *builder) renumber(used []bool) []Inst {
	number := room(&b.numbers, len(b.insts)+1)
	first := b.escaping(used)
	n := ID(len(first))
	for i, is := range used {
		number[i] = n
		if is && !slices.Contains(first, ID(i)) {
			n++
		}
	}
	number[len(used)] = n
	out := make([]Inst, 0, n)
	take := func(id ID) {
		out = append(out, b.insts[id])
		b.keepOrigin(id)
	}
	for _, id := range first {
		used[id] = false
		take(id)
	}
	move := func(id *ID) {
		if i := slices.Index(first, *id); i >= 0 {
			*id = ID(i)
		} else if *id != NoID {
			*id = number[*id]
		}
	}
	for i, is := range used {
		if !is {
			continue
		}
		take(ID(i))
		in := &out[len(out)-1]
		move(&in.A)
		move(&in.B)
		move(&in.C)
		move(&in.Guard)
		if in.Op == OpSkip || in.Op == OpAtomic {
			in.Imm = uint64(number[in.Imm])
		}
		for k := range in.Args() {
			move(&in.more.args[k])
		}
	}
	b.renumbered(move)
	b.results(out)
	return out
}

// results notes for each region that may be skipped which of its values are used after it.
func (b *builder) results(insts []Inst) {
	around := room(&b.ends, len(insts)) // the number of the innermost skip around each operation plus one, 0 for none
	var open ID
	for i := range insts {
		for open > 0 && uint64(i) >= insts[open-1].Imm {
			open = around[open-1]
		}
		around[i] = open
		in := &insts[i]
		in.EachArg(func(a ID) {
			for r := around[a]; r > 0 && uint64(i) >= insts[r-1].Imm; r = around[r-1] {
				skip := &insts[r-1]
				if skip.more == nil {
					skip.more = &more{}
				}
				if at, found := slices.BinarySearch(skip.more.results, a); !found {
					skip.more.results = slices.Insert(skip.more.results, at, a)
				}
			}
		})
		if in.Op == OpSkip {
			open = ID(i) + 1
		}
	}
}
