package sem

import (
	"fmt"
	"slices"
	"testing"
)

// Verify checks that the code is well-formed: each operation has what its signature requires, values are made before they
// are used, and a value from a region that may be skipped is one of the region's results. Tests verify all code that is
// lowered.
func (c *Code) Verify() error {
	for i := range c.Insts {
		if err := c.verify(ID(i)); err != nil {
			return fmt.Errorf("%%%d, %s: %w", i, c.Insts[i].Op, err)
		}
	}
	return c.verifyRegions()
}

// Checked reports whether all lowered code is verified, which is so in tests. Benchmarks turn it off.
var Checked = testing.Testing()

// check panics if the code is not well-formed.
func (c *Code) check() {
	if !Checked {
		return
	}
	if err := c.Verify(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, c))
	}
}

// verifyRegions checks that each value which is used after a region that may be skipped is one of its results, and that a
// guard is none: it would be an old one.
func (c *Code) verifyRegions() error {
	around := make([]ID, len(c.Insts)) // the innermost skip around each operation, NoID for none
	open := NoID
	for i := range c.Insts {
		for open != NoID && uint64(i) >= c.Insts[open].Imm {
			open = around[open]
		}
		around[i] = open
		in := &c.Insts[i]
		var err error
		in.EachArg(func(a ID) {
			for r := around[a]; r != NoID && uint64(i) >= c.Insts[r].Imm; r = around[r] {
				if a == in.Guard || !slices.Contains(c.Insts[r].Results(), a) {
					err = fmt.Errorf("%s: %%%d is from the region of %%%d, which may have been skipped", in.line(ID(i)), a, r)
				}
			}
		})
		if err != nil {
			return err
		}
		if in.Op == OpSkip {
			open = ID(i)
		}
	}
	return nil
}

// VerifyOp checks that an operation of a graph has what its signature requires. It does not check the order of the operations,
// or which values are the same in all lanes.
func VerifyOp(insts []Inst, id ID) error {
	if insts[id].Op == OpParam {
		return nil
	}
	c := Code{Insts: insts, graph: true}
	return c.verify(id)
}

func (c *Code) verify(id ID) error {
	in, s := &c.Insts[id], c.Insts[id].Op.signature()
	if in.Op == OpParam || in.Op == OpOpaque || in.Op == OpSettled {
		return fmt.Errorf("an unknown value")
	}
	err := in.verifyState(s)
	if err == nil && !c.graph && s.state != kNone && s.state != kMemory {
		if of := in.State; in.Uniform != (of.wide() && (in.Op != OpReadX || in.Uniform)) {
			err = fmt.Errorf("%s has the scope of a wave or more, or else is each lane's own", of.Name)
		}
	}
	args := [3]ID{in.A, in.B, in.C}
	for i, want := range s.args {
		if err == nil && (want == tNone) != (args[i] == NoID) {
			return fmt.Errorf("argument %c of %s", "ABC"[i], in.Op)
		}
		if want != tNone && err == nil {
			err = c.verifyArg(in, id, args[i], want)
		}
	}
	for i, a := range in.Args() {
		if err == nil {
			err = c.verifyArg(in, id, a, tAny)
		}
		if err == nil && in.Op == OpPush && !c.Insts[a].Type().same(in.State.Slots[i].Type) {
			err = fmt.Errorf("%%%d is %s, expected %s", a, c.Insts[a].Type(), in.State.Slots[i].Type)
		}
	}
	switch guarded := in.Op.guarded(); {
	case err != nil:
		return err
	case s.guard && in.Guard == NoID, !guarded && in.Guard != NoID:
		return fmt.Errorf("a missing guard, or a guard that has no effect")
	case in.Guard != NoID:
		if err := c.verifyGuard(in, id); err != nil {
			return err
		}
	}
	if s.call {
		err = c.verifyCall(in)
	}
	if err != nil {
		return err
	}
	if !s.list && len(in.Args()) > 0 || s.call != (in.Service() != nil) || s.text != (in.Text() != "") || len(in.Results()) > 0 && in.Op != OpSkip {
		return fmt.Errorf("a list, a text or results that do not belong here, or a missing text")
	}
	if !in.is(s.result, in.Type()) {
		return fmt.Errorf("type %s, expected %s", in.Type(), typingNames[s.result])
	}
	if !in.is(s.from, in.From()) {
		return fmt.Errorf("from type %s, expected %s", in.From(), typingNames[s.from])
	}
	return c.verifyImmediate(in, id, s)
}

// verifyArg checks an argument: that it is a value made before, for all lanes or for each lane as needed, and its type.
func (c *Code) verifyArg(in *Inst, id, a ID, want typing) error {
	if a < 0 || a >= id && !c.graph {
		return fmt.Errorf("%%%d is used before it is made", a)
	}
	x := &c.Insts[a]
	if want == tService {
		if x.Op != OpService {
			return fmt.Errorf("%%%d is not a service", a)
		}
		return nil
	}
	switch {
	case x.Op.effect():
		return fmt.Errorf("%%%d has no value", a)
	case !in.is(want, x.Type()):
		return fmt.Errorf("%%%d is %s, expected %s", a, x.Type(), in.expected(want))
	case c.graph:
	case in.Uniform && in.Op.Pure() && !x.Uniform, in.Uniform && in.Op.effect() && !x.Uniform:
		return fmt.Errorf("%%%d has a value for each lane, expected one for all", a)
	case !in.Uniform && in.Op.Pure() && in.Op != OpSplat && x.Uniform && x.Op != OpConst:
		return fmt.Errorf("%%%d has one value for all lanes, expected a splat", a)
	}
	return nil
}

// verifyCall checks a call of a service against the signature of the service.
func (c *Code) verifyCall(in *Inst) error {
	s := in.Service()
	if s == nil {
		return fmt.Errorf("a missing service")
	}
	var want []Type
	s.args(func(t Type) { want = append(want, t) })
	if len(in.Args()) != len(want) {
		return fmt.Errorf("%d arguments of %s, expected %d", len(in.Args()), s.Name, len(want))
	}
	for i, a := range in.Args() {
		if !c.Insts[a].Type().same(want[i]) {
			return fmt.Errorf("%%%d is %s, expected %s", a, c.Insts[a].Type(), want[i])
		}
	}
	if !in.Type().same(s.Result) {
		return fmt.Errorf("type %s, expected %s", in.Type(), s.Result)
	}
	return nil
}

func (c *Code) verifyGuard(in *Inst, id ID) error {
	g := in.Guard
	switch {
	case g < 0 || g >= id && !c.graph:
		return fmt.Errorf("%%%d is used before it is made", g)
	case !c.Insts[g].Type().same(BoolType):
		return fmt.Errorf("the guard %%%d is %s, expected bool", g, c.Insts[g].Type())
	case !c.graph && in.Uniform && in.Op.effect() && in.Op != OpSkip && !c.Insts[g].Uniform:
		return fmt.Errorf("the guard %%%d has a value for each lane, expected one for all", g)
	}
	return nil
}

// is reports whether a type is what an operand or a value must have.
func (in *Inst) is(want typing, t Type) bool {
	if t.Len > 0 && want != tResults {
		return false
	}
	switch want {
	case tNone:
		return t.Kind == None
	case tAny:
		return t.Kind == Bool || t.integer() || t.Kind == Float
	case tNumber:
		return t.integer() || t.Kind == Float
	case tInteger:
		return t.integer()
	case tUnsigned:
		return t.Kind == Uint
	case tFloat:
		return t.Kind == Float
	case tWord:
		return t.same(U32) || t.same(F32)
	case tLogical:
		return t.integer() || t.Kind == Bool
	case tBit:
		return t.same(BoolType) || t.Kind == Uint && t.Width == 1
	case tResults:
		return t.Kind != Tuple && !t.loose()
	}
	return t.same(in.exactly(want))
}

// exactly returns the type that an operand or a value must have, where there is only one.
func (in *Inst) exactly(want typing) Type {
	switch want {
	case tType:
		return in.Type()
	case tFrom:
		return in.From()
	case tComponent:
		return in.State.Type.Elem()
	case tSlot:
		return in.State.Slots[in.Comp].Type
	case tF32:
		return F32
	case tBool:
		return BoolType
	case tU32:
		return U32
	case tU64:
		return U64
	case tRest:
		return Type{Kind: Uint, Width: in.Type().Width - in.From().Width}
	}
	return Type{}
}

// expected describes the type that an operand must have.
func (in *Inst) expected(want typing) string {
	if t := in.exactly(want); t.Kind != None {
		return t.String()
	}
	return typingNames[want]
}

// verifyState checks the state of an operation and the number of a component or slot.
func (in *Inst) verifyState(s *signature) error {
	st := in.State
	if (s.state == kNone) != (st == nil) {
		return fmt.Errorf("a missing state, or one that does not belong here")
	}
	comps := 1 // component numbers are below
	ok := true
	switch s.state {
	case kRegisters, kWritable:
		ok, comps = st.Kind == FileState && (s.state == kRegisters || !st.ReadOnly), st.Type.Count()
	case kMemory:
		ok = st.Kind == MemoryState
	case kStack:
		if ok, comps = st.Kind == StackState, len(st.Slots); ok && s.list && len(in.Args()) != len(st.Slots) {
			return fmt.Errorf("%d values for %d slots", len(in.Args()), len(st.Slots))
		}
	}
	if !ok {
		return fmt.Errorf("%s is a state of another kind", st.Name)
	}
	switch {
	case !s.comp && in.Comp != 0:
		return fmt.Errorf("component %d", in.Comp)
	case s.state != kNone && (in.Comp < 0 || s.comp && in.Comp >= comps):
		return fmt.Errorf("component %d of %s", in.Comp, st.Name)
	}
	return nil
}

// verifyImmediate checks the range of the immediate.
func (c *Code) verifyImmediate(in *Inst, id ID, s *signature) error {
	t, ok := in.Type(), true
	switch s.imm {
	case iNone:
		ok = in.Imm == 0
	case iBits:
		ok = in.Imm&^t.mask() == 0
	case iMode:
		ok = in.Imm <= uint64(Away) && (t.Kind == Float || in.From().Kind == Float || Mode(in.Imm) == Nearest)
	case iLow:
		ok = in.Imm < 64 && int(in.Imm)+t.Width <= in.From().Width
	case iFlushes:
		ok = in.Imm <= 1
	case iRegister, iEntry:
		ok = in.Imm < uint64(in.State.Count)
	case iBytes:
		ok = in.Imm*8 == uint64(t.Width) && (in.Imm == 1 || in.Imm == 2 || in.Imm == 4 || in.Imm == 8)
	case iParts:
		ok = in.Imm >= Arrives && in.Imm <= Arrives|Waits
	case iEnd:
		ok = in.Imm > uint64(id) && in.Imm <= uint64(len(c.Insts))
	}
	switch {
	case !ok:
		return fmt.Errorf("the immediate %d, expected %s", in.Imm, immediateNames[s.imm])
	case in.Op == OpResult && (in.Comp < 0 || in.Comp >= c.Insts[in.A].Type().Count() || !c.Insts[in.A].Type().Elem().same(t)):
		return fmt.Errorf("component %d of %s as %s", in.Comp, c.Insts[in.A].Type(), t)
	case in.Op == OpSext && t.Width < in.From().Width:
		return fmt.Errorf("%s is wider than %s", in.From(), t)
	}
	return nil
}
