package vectors

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/sem"
)

// kind is the kind of a goal.
type kind uint8

const (
	holds   kind = iota // a condition holds, or does not hold
	happens             // an operation counts, or does not count
	chooses             // a select takes one value or the other
	differs             // a change of an operation changes the result
	meets               // an operation meets a kind of value
	form                // a field of the word has a value
	decided             // the word, a context or a quirk decides a condition
)

// goal identifies what a vector can show about an instruction. Equal goals of several words are the same goal.
type goal struct {
	kind  kind
	place uint64
	// nth tells goals at one place apart, such as those of the components of a vector.
	nth, which int
	// variant tells changes at a place apart by variantOf: what holds for one format says nothing about another one.
	variant uint64
}

// guards reports whether the goal belongs to the guards of the code.
func (g goal) guards() bool { return g.kind <= chooses }

// target is a goal, and how to see that runs reach it.
type target struct {
	goal
	text string
	// reached returns the runs that reach the goal, or change is the mutation that they must reveal.
	reached func(e *evaluation) uint64
	change  *mutation
	// flipped is the code with the other outcome of a condition that the word decides. The runs must end differently.
	flipped *sem.Code
	// asked is the place of that condition.
	asked uint64
	// value and wanted are what a guard must be, for the solver; path is the condition under which it counts.
	value, path sem.ID
	wanted      bool
}

// targets lists the goals of a piece of code.
type targets struct {
	code    *sem.Code
	origins *sem.Origins
	list    []*target
	seen    map[goal]int // how often a goal without its nth has occurred
}

// targetsOf lists the goals of a piece of code: its guards, and the other goals at the places that are owned.
func targetsOf(code *sem.Code, origins *sem.Origins, owned map[uint64]bool) []*target {
	t := &targets{code: code, origins: origins, seen: map[goal]int{}}
	t.conditions()
	for i := range code.Insts {
		id, in := sem.ID(i), &code.Insts[i]
		t.guarded(id, in)
		if !owned[origins.Insts[i].Place] {
			continue
		}
		if in.Op.Pure() {
			t.pure(id, in)
		} else {
			t.effects(id, in)
		}
		t.classes(id, in)
	}
	return t.list
}

// add adds a goal. Goals with the same place and which are told apart by their order.
func (t *targets) add(x *target) {
	at := x.goal
	at.variant = 0
	t.seen[at]++
	x.nth = t.seen[at]
	t.list = append(t.list, x)
}

// excerpt returns the text of a span in one line.
func excerpt(at diag.Span) string {
	if !at.IsValid() {
		return ""
	}
	text := strings.Join(strings.Fields(html.UnescapeString(at.Src.Text[at.Off:at.End])), " ")
	text = strings.TrimSuffix(text, ";")
	if i := strings.Index(text, " { "); i > 0 {
		text = text[:i]
	}
	if len(text) > 72 {
		text = strings.ToValidUTF8(text[:70], "") + "..."
	}
	return text
}

// where returns the text of the code that an operation comes from.
func (t *targets) where(id sem.ID) string {
	if text := excerpt(t.origins.Insts[id].Span); text != "" && t.origins.Insts[id].Function == nil {
		return text
	}
	in := &t.code.Insts[id]
	if !in.HasValue() {
		return effectText(in)
	}
	return in.Op.String()
}

// describe describes a goal at an operation.
func (t *targets) describe(id sem.ID, text string) string {
	o := &t.origins.Insts[id]
	if code := excerpt(o.Span); o.Function == nil && code != "" {
		text = code + ": " + text
	}
	return rule(o, text)
}

// rule describes a goal: the function, what happens there, and what the function is for.
func rule(o *sem.Origin, text string) string {
	if o.Function == nil {
		return text
	}
	name, _, _ := strings.Cut(o.Function.Head.Text(), "(")
	text = strings.TrimSpace(name) + ": " + text
	if doc := strings.Join(strings.Fields(o.Function.Doc), " "); doc != "" {
		text += " (" + strings.TrimSuffix(doc, ".") + ")"
	}
	return text
}

func (t *targets) conditions() {
	for i := range t.origins.Conditions {
		c := &t.origins.Conditions[i]
		if c.Value == sem.NoID {
			continue
		}
		for which := range 2 {
			want := which == 1
			text := rule(&c.Origin, excerpt(c.Span)+map[bool]string{true: " holds", false: " does not hold"}[want])
			value, path := c.Value, c.Path
			t.add(&target{goal: goal{kind: holds, place: c.Place, which: which}, text: text, value: value, path: path, wanted: want,
				reached: func(e *evaluation) uint64 { return e.mask(path) & flip(e.mask(value), want) }})
		}
	}
}

// flip returns a mask, or its complement if it is not wanted.
func flip(mask uint64, wanted bool) uint64 {
	if wanted {
		return mask
	}
	return ^mask
}

// guarded adds the goals of guards and selects.
func (t *targets) guarded(id sem.ID, in *sem.Inst) {
	o := &t.origins.Insts[id]
	where := t.where(id)
	var value sem.ID
	k := happens
	switch {
	case in.Op == sem.OpSelect:
		k, value = chooses, in.A
	case in.Guard == sem.NoID, in.HasValue(), in.Op == sem.OpSkip, in.Op.Informs():
		return
	default:
		value = in.Guard
	}
	if t.code.Insts[value].Op == sem.OpConst {
		return
	}
	for which := range 2 {
		want := which == 1
		text := rule(o, where+map[bool]string{true: " happens", false: " does not happen"}[want])
		if k == chooses {
			text = rule(o, where+map[bool]string{true: " takes the first value", false: " takes the second value"}[want])
		}
		t.add(&target{goal: goal{kind: k, place: o.Place, which: which}, text: text, value: value, path: sem.NoID, wanted: want,
			reached: func(e *evaluation) uint64 { return flip(e.mask(value), want) }})
	}
}

// mutate adds a mutation.
func (t *targets) mutate(id sem.ID, which int, m *mutation, format string, args ...any) {
	o := &t.origins.Insts[id]
	m.id = id
	t.add(&target{goal: goal{kind: differs, place: o.Place, which: int(t.code.Insts[id].Op)<<8 | which, variant: variantOf(t.code, id)},
		text: t.describe(id, fmt.Sprintf(format, args...)), change: m})
}

// variantOf returns a number for the bits that an operation takes or moves, or 0: the width of a format is in them.
func variantOf(code *sem.Code, id sem.ID) uint64 {
	in := &code.Insts[id]
	switch in.Op {
	case sem.OpSlice:
		return mix(1, in.Imm<<16|uint64(in.Type().Width))
	case sem.OpShl, sem.OpShr:
		if by := &code.Insts[in.B]; by.Op == sem.OpConst {
			return mix(2, by.Imm)
		}
	}
	return 0
}

// replace adds a mutation that replaces an operation.
func (t *targets) replace(id sem.ID, which int, change func(in *sem.Inst), format string, args ...any) {
	in := t.code.Insts[id]
	change(&in)
	t.mutate(id, which, &mutation{inst: in}, format, args...)
}

// others are operations with the arguments of another one.
var others = map[sem.Op][]sem.Op{
	sem.OpAdd: {sem.OpSub, sem.OpMul}, sem.OpSub: {sem.OpAdd}, sem.OpMul: {sem.OpAdd}, sem.OpDiv: {sem.OpMul},
	sem.OpAnd: {sem.OpOr, sem.OpXor}, sem.OpOr: {sem.OpAnd, sem.OpXor}, sem.OpXor: {sem.OpOr, sem.OpAnd},
	sem.OpShl: {sem.OpShr}, sem.OpShr: {sem.OpShl}, sem.OpMin: {sem.OpMax}, sem.OpMax: {sem.OpMin},
	sem.OpEq: {sem.OpNe, sem.OpLe}, sem.OpNe: {sem.OpEq}, sem.OpLt: {sem.OpLe, sem.OpNe}, sem.OpLe: {sem.OpLt, sem.OpEq},
	sem.OpClz: {sem.OpPopcount}, sem.OpPopcount: {sem.OpClz}, sem.OpCarry: {sem.OpOverflow}, sem.OpOverflow: {sem.OpCarry},
	sem.OpExp2: {sem.OpLog2}, sem.OpLog2: {sem.OpExp2}, sem.OpSin: {sem.OpCos}, sem.OpCos: {sem.OpSin}, sem.OpProduct: {sem.OpMul},
}

// pure adds the mutations of an operation without effects.
func (t *targets) pure(id sem.ID, in *sem.Inst) {
	for i, op := range others[in.Op] {
		if in.Type().Kind == sem.Bool && in.Op == sem.OpDiv || op == sem.OpLe && in.From().Kind == sem.Bool || op == sem.OpNe && in.From().Kind == sem.None {
			continue
		}
		t.replace(id, i, func(in *sem.Inst) { in.Op = op }, "%s, not %s", in.Op, op)
	}
	float := in.Type().Kind == sem.Float
	first := func(e *evaluation, r int) uint64 { return e.values[in.A][r] }
	switch in.Op {
	case sem.OpSub, sem.OpDiv, sem.OpShl, sem.OpShr, sem.OpLt, sem.OpLe, sem.OpMod:
		if in.A != in.B && t.code.Insts[in.A].Type() == t.code.Insts[in.B].Type() {
			t.replace(id, 10, func(in *sem.Inst) { in.A, in.B = in.B, in.A }, "the operands in this order")
		}
	case sem.OpSelect:
		t.replace(id, 10, func(in *sem.Inst) { in.B, in.C = in.C, in.B }, "the values in this order")
	case sem.OpNeg, sem.OpNot, sem.OpFlush, sem.OpRint:
		t.mutate(id, 10, &mutation{value: first}, "%s changes its operand", in.Op)
	case sem.OpSext:
		t.replace(id, 10, func(in *sem.Inst) { *in = in.Typed(in.Type(), in.From()); in.Op = sem.OpCast }, "extended with the sign")
	case sem.OpCast:
		if from := in.From(); from.Width < in.Type().Width && from.Kind != sem.Float && from.Kind != sem.Bool {
			sign := uint64(1) << (from.Width - 1)
			t.mutate(id, 10, &mutation{value: func(e *evaluation, r int) uint64 {
				v := e.values[in.A][r]
				return ((v ^ sign) - sign) & widthMask(in.Type().Width)
			}}, "extended with zeros")
		}
	case sem.OpSlice:
		if width := in.From().Width; int(in.Imm)+in.Type().Width < width {
			t.replace(id, 10, func(in *sem.Inst) { in.Imm++ }, "bits from %d on", in.Imm)
		}
		if in.Imm > 0 {
			t.replace(id, 11, func(in *sem.Inst) { in.Imm-- }, "bits from %d on", in.Imm)
		}
	case sem.OpProduct:
		t.replace(id, 10, func(in *sem.Inst) { in.Imm ^= 1 }, "a denormal factor is %s0", map[uint64]string{0: "not ", 1: ""}[in.Imm])
	case sem.OpConvert:
		if in.From().Kind != sem.Float && in.Type().Kind != sem.Float {
			break
		}
		if to := in.Type(); to.Kind != sem.Float { // wraps
			t.mutate(id, 10, &mutation{value: func(e *evaluation, r int) uint64 {
				x := sem.FloatOf(e.values[in.A][r], in.From().Width)
				if math.IsNaN(x) || math.Abs(x) >= 1<<62 {
					return sem.Apply(in, e.values[in.A][r], 0, 0)
				}
				return uint64(int64(sem.Rint(x, sem.Mode(in.Imm)))) & widthMask(to.Width)
			}}, "numbers beyond the range saturate")
		}
	case sem.OpAdd:
		if float {
			t.sums(id, in)
		}
	case sem.OpFma:
		t.mutate(id, 10, &mutation{value: func(e *evaluation, r int) uint64 {
			product, sum := *in, *in
			product.Op, sum.Op = sem.OpMul, sem.OpAdd
			return sem.Apply(&sum, sem.Apply(&product, e.values[in.A][r], e.values[in.B][r], 0), e.values[in.C][r], 0)
		}}, "the product is not rounded before the sum")
	}
	t.modes(id, in)
	if in.Op == sem.OpConst || in.Op == sem.OpSplat {
		return
	}
	for i, a := range []*sem.ID{&in.A, &in.B, &in.C} { // constants
		if *a == sem.NoID || t.code.Insts[*a].Op != sem.OpConst || t.code.Insts[*a].Type().Kind == sem.Bool {
			continue
		}
		c := t.code.Insts[*a]
		for k, v := range neighbours(c.Imm, c.Type()) {
			changed := *in
			t.mutate(id, 20+4*i+k, &mutation{arg: i + 1, constant: v, value: func(e *evaluation, r int) uint64 {
				var args [3]uint64
				for j, a := range [3]sem.ID{changed.A, changed.B, changed.C} {
					if a != sem.NoID {
						args[j] = e.values[a][r]
					}
				}
				args[i] = v
				return sem.Apply(&changed, args[0], args[1], args[2])
			}}, "the constant is %s", sem.Number(c.Imm, c.Type()))
		}
	}
}

// neighbours returns other values of a constant.
func neighbours(v uint64, t sem.Type) []uint64 {
	if t.Kind == sem.Float {
		if sem.FloatOf(v, t.Width) == 0 {
			return []uint64{v ^ 1<<(t.Width-1), sem.FloatBits(1, t.Width)}
		}
		list := []uint64{v + 1, v - 1}
		for _, d := range []float64{1, -1} {
			if x := sem.FloatBits(sem.FloatOf(v, t.Width)+d, t.Width); x != v {
				list = append(list, x)
			}
		}
		return list
	}
	return []uint64{(v + 1) & widthMask(t.Width), (v - 1) & widthMask(t.Width)}
}

// sums adds the mutations of a sum of floats: fused with a product, and in another order.
func (t *targets) sums(id sem.ID, in *sem.Inst) {
	for i, pair := range [2][2]sem.ID{{in.A, in.B}, {in.B, in.A}} {
		x, other := pair[0], pair[1]
		inner := &t.code.Insts[x]
		switch {
		case inner.Type() != in.Type():
		case inner.Op == sem.OpMul || inner.Op == sem.OpProduct:
			fused := *in
			fused.Op = sem.OpFma
			a, b := inner.A, inner.B
			t.mutate(id, 12+i, &mutation{value: func(e *evaluation, r int) uint64 {
				return sem.Apply(&fused, e.values[a][r], e.values[b][r], e.values[other][r])
			}}, "the product is rounded before the sum")
		case inner.Op == sem.OpAdd && x != other:
			a, b := inner.A, inner.B
			t.mutate(id, 14+i, &mutation{value: func(e *evaluation, r int) uint64 {
				return sem.Apply(in, e.values[a][r], sem.Apply(in, e.values[b][r], e.values[other][r], 0), 0)
			}}, "the order of the sums")
		}
	}
}

// modes adds the mutations of a rounding mode.
func (t *targets) modes(id sem.ID, in *sem.Inst) {
	rounds := false
	switch in.Op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpDiv, sem.OpFma, sem.OpSqrt:
		rounds = in.Type().Kind == sem.Float
	case sem.OpRint:
		rounds = true
	case sem.OpConvert:
		rounds = in.From().Kind == sem.Float || in.Type().Kind == sem.Float && in.From().Width > 24
		if in.Type().Kind == sem.Float && in.From().Kind == sem.Float && in.Type().Width >= in.From().Width {
			rounds = false
		}
	}
	if !rounds {
		return
	}
	for m := sem.Nearest; m <= sem.Away; m++ {
		if uint64(m) != in.Imm && !(m == sem.Away && in.Op != sem.OpRint && in.Op != sem.OpConvert) {
			t.replace(id, 30+int(m), func(in *sem.Inst) { in.Imm = uint64(m) }, "rounds %s, not %s", modeNames[in.Imm], modeNames[m])
		}
	}
}

var modeNames = [...]string{"to nearest", "toward 0", "down", "up", "to nearest, ties away from 0"}

// effects adds the mutations of operations on states.
func (t *targets) effects(id sem.ID, in *sem.Inst) {
	switch in.Op {
	case sem.OpRead:
		if n := in.State.Type.Len; n > 1 {
			t.replace(id, 0, func(in *sem.Inst) { in.Comp = (in.Comp + 1) % n }, "reads component %s, not the next one", letter(in.State, in.Comp))
		}
		if in.State.Count > 1 {
			t.replace(id, 1, func(in *sem.Inst) { in.Imm = (in.Imm + 1) % uint64(in.State.Count) }, "reads %s%d, not the next one", in.State.Name, in.Imm)
		}
	case sem.OpReadX, sem.OpWriteX:
		if n := in.State.Type.Len; n > 1 {
			t.replace(id, 0, func(in *sem.Inst) { in.Comp = (in.Comp + 1) % n }, "component %s, not the next one", letter(in.State, in.Comp))
		}
		t.add(&target{goal: goal{kind: meets, place: t.origins.Insts[id].Place, which: 100}, text: rule(&t.origins.Insts[id], fmt.Sprintf("%s: a number beyond the last register of %s", excerpt(t.origins.Insts[id].Span), in.State.Name)),
			reached: func(e *evaluation) (m uint64) {
				for r, n := range e.values[in.A] {
					if n >= uint64(in.State.Count) {
						m |= 1 << r
					}
				}
				return m & e.guard(in)
			}})
		t.drop(id, in)
	case sem.OpFrom:
		t.mutate(id, 0, &mutation{value: func(e *evaluation, r int) uint64 {
			b := e.values[in.B][r] ^ 1
			if b >= uint64(e.init.width) || e.init.exists[r/e.init.width]>>b&1 == 0 {
				return 0
			}
			return e.values[in.A][e.init.first(r)+int(b)]
		}}, "reads this lane, not another one")
	case sem.OpWrite:
		t.drop(id, in)
	case sem.OpStore, sem.OpJump, sem.OpEnd, sem.OpPop, sem.OpPush, sem.OpTrap, sem.OpService, sem.OpBarrier:
		t.drop(id, in)
		if in.Op == sem.OpPush || in.Op == sem.OpPop {
			t.full(id, in)
		}
	case sem.OpTop:
		if len(in.State.Slots) > 1 {
			next := (in.Comp + 1) % len(in.State.Slots)
			if in.State.Slots[next].Type == in.State.Slots[in.Comp].Type {
				t.replace(id, 0, func(in *sem.Inst) { in.Comp = next }, "slot %s, not %s", in.State.Slots[in.Comp].Name, in.State.Slots[next].Name)
			}
		}
	}
	if in.Guard != sem.NoID && !in.HasValue() && in.Op != sem.OpSkip && !in.Op.Informs() && in.Op != sem.OpAtomic {
		t.replace(id, 40, func(in *sem.Inst) { in.Guard = sem.NoID }, "only under its condition")
	}
}

// drop adds the mutation that an effect does not happen.
func (t *targets) drop(id sem.ID, in *sem.Inst) {
	if in.Op == sem.OpService && in.HasValue() {
		return
	}
	t.replace(id, 41, func(in *sem.Inst) {
		*in = sem.Inst{Op: sem.OpSkip, A: sem.NoID, B: sem.NoID, C: sem.NoID, Guard: sem.NoID}
	}, "%s", effectText(in))
}

// full adds a goal: a push on a full stack, or a pop from an empty one.
func (t *targets) full(id sem.ID, in *sem.Inst) {
	text, depth := "pops an empty "+in.State.Name, 0
	if in.Op == sem.OpPush {
		text, depth = "pushes on a full "+in.State.Name, in.State.Count
	}
	t.add(&target{goal: goal{kind: meets, place: t.origins.Insts[id].Place, which: 101}, text: t.describe(id, text), reached: func(e *evaluation) (m uint64) {
		for r, entries := range e.init.stack(in.State) {
			if len(entries) == depth {
				m |= 1 << r
			}
		}
		return m & e.guard(in)
	}})
}

func effectText(in *sem.Inst) string {
	switch in.Op {
	case sem.OpWrite:
		if in.State.Single {
			return "writes " + in.State.Name
		}
		return "writes " + in.State.Name + fmt.Sprint(in.Imm) + dotted(in.State, in.Comp)
	case sem.OpStore:
		return "stores in " + in.State.Name
	case sem.OpPush, sem.OpPop:
		return in.Op.String() + " on " + in.State.Name
	}
	return in.Op.String()
}

func letter(s *sem.State, comp int) string {
	if comp < len(s.Names) {
		return s.Names[comp]
	}
	if s.Type.Len > 1 && comp < 4 {
		return "xyzw"[comp : comp+1]
	}
	return ""
}

func dotted(s *sem.State, comp int) string {
	if l := letter(s, comp); l != "" {
		return "." + l
	}
	return ""
}

// class is a kind of float.
type class uint8

const (
	zero class = iota
	minusZero
	denormal
	normal
	infinite
	minusInfinite
	nan
	otherNaN // one that is not canonical
	numClasses
)

var classNames = [...]string{"0", "-0", "a denormal", "a number", "infinity", "-infinity", "NaN", "NaN with other bits"}

// classOf returns the class of a float.
func classOf(v uint64, width int) class {
	mantissa := map[int]int{16: 10, 32: 23, 64: 52}[width]
	sign := v >> (width - 1) & 1
	exponent := v >> mantissa & widthMask(width-1-mantissa)
	fraction := v & widthMask(mantissa)
	switch {
	case exponent == 0 && fraction == 0:
		return zero + class(sign)
	case exponent == 0:
		return denormal
	case exponent < widthMask(width-1-mantissa):
		return normal
	case fraction == 0:
		return infinite + class(sign)
	case sign == 0 && fraction == 1<<(mantissa-1):
		return nan
	}
	return otherNaN
}

// wide is a class without its sign.
func (c class) wide() class {
	switch c {
	case minusZero:
		return zero
	case minusInfinite:
		return infinite
	case otherNaN:
		return nan
	}
	return c
}

// meet adds a goal: an operation meets values of a kind. The place is the code, whatever called it.
func (t *targets) meet(id sem.ID, which int, text string, is func(e *evaluation, run int) bool) {
	o := &t.origins.Insts[id]
	in := &t.code.Insts[id]
	g := goal{kind: meets, place: uint64(o.Span.Off)<<8 | uint64(in.Op), which: which}
	t.list = append(t.list, &target{goal: g, text: t.describe(id, text), reached: func(e *evaluation) (m uint64) {
		for r := range runs {
			if is(e, r) {
				m |= 1 << r
			}
		}
		return m
	}})
}

// classes adds the kinds of values that an operation can meet.
func (t *targets) classes(id sem.ID, in *sem.Inst) {
	typ, from := in.Type(), in.From()
	width := typ.Width
	of := func(e *evaluation, a sem.ID, r, width int) class { return classOf(e.values[a][r], width) }
	switch in.Op {
	case sem.OpAdd, sem.OpSub, sem.OpMul, sem.OpProduct, sem.OpDiv, sem.OpFma:
		if typ.Kind != sem.Float {
			t.sizes(id, in)
			return
		}
		signs := map[sem.Op]string{sem.OpAdd: "plus", sem.OpSub: "minus", sem.OpDiv: "by"}
		sign := signs[in.Op]
		if sign == "" {
			sign = "times"
		}
		for a := zero; a < numClasses; a++ {
			for b := zero; b < numClasses; b++ {
				if a.wide() == a && b.wide() == b {
					t.meet(id, int(a)<<4|int(b), fmt.Sprintf("%s %s %s", classNames[a], sign, classNames[b]), func(e *evaluation, r int) bool {
						return of(e, in.A, r, width).wide() == a && of(e, in.B, r, width).wide() == b
					})
				}
			}
		}
		if in.Op == sem.OpFma {
			for c := zero; c < numClasses; c++ {
				t.meet(id, 0x200+int(c), fmt.Sprintf("a product plus %s", classNames[c]), func(e *evaluation, r int) bool {
					return of(e, in.C, r, width) == c
				})
			}
		}
		t.results(id, in)
	case sem.OpSqrt, sem.OpExp2, sem.OpLog2, sem.OpSin, sem.OpCos, sem.OpRint, sem.OpFlush:
		for a := zero; a < numClasses; a++ {
			t.meet(id, int(a), fmt.Sprintf("%s of %s", in.Op, classNames[a]), func(e *evaluation, r int) bool { return of(e, in.A, r, width) == a })
		}
		if in.Op != sem.OpFlush {
			t.results(id, in)
			t.meet(id, 0x180, fmt.Sprintf("%s of a negative number", in.Op), func(e *evaluation, r int) bool {
				return of(e, in.A, r, width) == normal && e.values[in.A][r]>>(width-1) == 1
			})
		}
	case sem.OpConvert:
		if from.Kind == sem.Float {
			for a := zero; a < numClasses; a++ {
				t.meet(id, int(a), fmt.Sprintf("converts %s", classNames[a]), func(e *evaluation, r int) bool { return of(e, in.A, r, from.Width) == a })
			}
			if typ.Kind != sem.Float {
				t.meet(id, 0x190, "converts a number with a fraction of a half", func(e *evaluation, r int) bool {
					x := sem.FloatOf(e.values[in.A][r], from.Width)
					return math.Abs(x-math.Trunc(x)) == 0.5
				})
				t.meet(id, 0x191, "converts a number beyond the range", func(e *evaluation, r int) bool {
					x := sem.FloatOf(e.values[in.A][r], from.Width)
					return !math.IsInf(x, 0) && math.Abs(x) >= math.Ldexp(1, typ.Width)
				})
			}
		}
	case sem.OpEq, sem.OpNe, sem.OpLt, sem.OpLe:
		if from.Kind != sem.Float || in.A == in.B {
			return
		}
		for i, pair := range [][2]class{{zero, minusZero}, {minusZero, zero}, {nan, normal}, {normal, nan}, {nan, nan}, {infinite, infinite}, {denormal, zero}, {zero, denormal}, {denormal, denormal}, {minusInfinite, infinite}} {
			t.meet(id, i, fmt.Sprintf("compares %s with %s", classNames[pair[0]], classNames[pair[1]]), func(e *evaluation, r int) bool {
				a, b := of(e, in.A, r, from.Width), of(e, in.B, r, from.Width)
				return a == pair[0] && b == pair[1]
			})
		}
		t.meet(id, 20, "compares equal numbers", func(e *evaluation, r int) bool {
			return e.values[in.A][r] == e.values[in.B][r] && of(e, in.A, r, from.Width) == normal
		})
	case sem.OpWrite, sem.OpStore:
		if typ.Kind == sem.Float {
			for c := zero; c < numClasses; c++ {
				t.meet(id, int(c), "the result is "+classNames[c], func(e *evaluation, r int) bool {
					return e.guard(in)>>r&1 != 0 && of(e, in.B, r, width) == c
				})
			}
		}
	case sem.OpShl, sem.OpShr:
		for i, limit := range []func(n uint64) bool{
			func(n uint64) bool { return n == 0 }, func(n uint64) bool { return n == uint64(width)-1 },
			func(n uint64) bool { return n == uint64(width) }, func(n uint64) bool { return n > uint64(width) },
		} {
			t.meet(id, i, fmt.Sprintf("shifts by %s", []string{"0", "the width less 1", "the width", "more than the width"}[i]), func(e *evaluation, r int) bool {
				return limit(e.values[in.B][r])
			})
		}
	}
}

// results adds the kinds of results of an operation on floats.
func (t *targets) results(id sem.ID, in *sem.Inst) {
	width := in.Type().Width
	for c := zero; c < otherNaN; c++ {
		t.meet(id, 0x100+int(c), "gives "+classNames[c], func(e *evaluation, r int) bool { return classOf(e.values[id][r], width) == c })
	}
	if width != 32 || in.Op != sem.OpAdd && in.Op != sem.OpSub && in.Op != sem.OpMul && in.Op != sem.OpProduct {
		return
	}
	for odd := range 2 {
		t.meet(id, 0x120+odd, "a result halfway between two numbers, rounded to the "+[2]string{"lower", "upper"}[odd], func(e *evaluation, r int) bool {
			x, y := sem.FloatOf(e.values[in.A][r], 32), sem.FloatOf(e.values[in.B][r], 32)
			exact := x * y
			if in.Op == sem.OpAdd {
				exact = x + y
			} else if in.Op == sem.OpSub {
				exact = x - y
			}
			if in.Op != sem.OpMul && in.Op != sem.OpProduct && math.Abs(math.Log2(math.Abs(x))-math.Log2(math.Abs(y))) > 26 {
				return false // the sum of two such numbers is not exact
			}
			return classOf(e.values[id][r], 32) == normal && math.Float64bits(exact)&(1<<29-1) == 1<<28 && int(math.Float64bits(exact)>>29&1) == odd
		})
	}
}

// sizes adds the kinds of results of an operation on integers.
func (t *targets) sizes(id sem.ID, in *sem.Inst) {
	width := in.Type().Width
	sign := uint64(1) << (width - 1)
	t.meet(id, 0, "gives 0", func(e *evaluation, r int) bool { return e.values[id][r] == 0 })
	t.meet(id, 1, "gives a number with the highest bit", func(e *evaluation, r int) bool { return e.values[id][r]&sign != 0 })
	if in.Op != sem.OpAdd && in.Op != sem.OpSub {
		return
	}
	t.meet(id, 2, "wraps as unsigned numbers", func(e *evaluation, r int) bool {
		a, v := e.values[in.A][r], e.values[id][r]
		if in.Op == sem.OpSub {
			return e.values[in.B][r] > a
		}
		return v < a
	})
	t.meet(id, 3, "overflows as signed numbers", func(e *evaluation, r int) bool {
		a, b, v := e.values[in.A][r]&sign, e.values[in.B][r]&sign, e.values[id][r]&sign
		if in.Op == sem.OpSub {
			return a != b && v != a
		}
		return a == b && v != a
	})
}

// sortTargets puts the goals of guards first.
func sortTargets(list []*target) {
	slices.SortStableFunc(list, func(a, b *target) int { return int(a.kind) - int(b.kind) })
}
