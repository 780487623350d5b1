package facts

import (
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// reader collects facts from the operations of an instruction.
type reader struct {
	m    *Machine
	code *sem.Code
	out  Facts
	// wrote holds the components that earlier operations certainly wrote. A read of them is not a read of the
	// instruction.
	wrote map[register]bool
	own   *sem.Inst // the OpFlow
	jump  *sem.Inst
}

type register struct {
	state        *sem.State
	number, comp int
}

// truth is what is known of a condition in a lane that runs the instruction.
type truth uint8

const (
	maybe truth = iota
	never
	always
)

func (t truth) not() truth { return [...]truth{maybe, always, never}[t] }

func and(a, b truth) truth {
	switch {
	case a == never || b == never:
		return never
	case a == always && b == always:
		return always
	}
	return maybe
}

func or(a, b truth) truth { return and(a.not(), b.not()).not() }

func (r *reader) at(id sem.ID) *sem.Inst { return &r.code.Insts[id] }

// truth returns what is known of a condition.
func (r *reader) truth(id sem.ID) truth {
	if id == sem.NoID {
		return always
	}
	switch in := r.at(id); in.Op {
	case sem.OpConst:
		if in.Imm != 0 {
			return always
		}
		return never
	case sem.OpSplat:
		return r.truth(in.A)
	case sem.OpNot:
		return r.truth(in.A).not()
	case sem.OpAnd:
		return and(r.truth(in.A), r.truth(in.B))
	case sem.OpOr:
		return or(r.truth(in.A), r.truth(in.B))
	case sem.OpLanesOf:
		return r.holds(in.A)
	case sem.OpEq, sem.OpNe:
		t := r.equal(in.A, in.B)
		if in.Op == sem.OpNe {
			t = t.not()
		}
		return t
	case sem.OpAny: // the lane itself is in the mask
		if r.truth(in.A) == always && r.truth(in.Guard) == always {
			return always
		}
	}
	return maybe
}

// holds returns whether a mask of lanes contains the lane that runs the instruction.
func (r *reader) holds(id sem.ID) truth {
	switch in := r.at(id); in.Op {
	case sem.OpConst:
		if in.Imm == ^uint64(0) {
			return always
		}
		if in.Imm == 0 {
			return never
		}
	case sem.OpExists:
		return always
	case sem.OpRead: // the running lanes, as long as the register was not written
		if in.State.InitExists && !r.writtenBefore(in.State, id) {
			return always
		}
	case sem.OpBallot:
		return and(r.truth(in.Guard), r.truth(in.A))
	case sem.OpAnd:
		return and(r.holds(in.A), r.holds(in.B))
	case sem.OpOr:
		return or(r.holds(in.A), r.holds(in.B))
	case sem.OpNot:
		return r.holds(in.A).not()
	case sem.OpSelect:
		if t := r.holds(in.B); t == r.holds(in.C) {
			return t
		}
	}
	return maybe
}

// equal returns whether two masks are equal.
func (r *reader) equal(a, b sem.ID) truth {
	if a, b = r.plain(a), r.plain(b); a == b || r.same(a, b) {
		return always
	}
	for _, x := range [2][2]sem.ID{{a, b}, {b, a}} {
		if in := r.at(x[0]); in.Op == sem.OpConst && in.Imm == 0 && in.Type().Width == 64 && r.holds(x[1]) == always {
			return never
		}
	}
	return maybe
}

// same reports whether two operations read the same register.
func (r *reader) same(a, b sem.ID) bool {
	x, y := r.at(a), r.at(b)
	return x.Op == sem.OpRead && y.Op == sem.OpRead && x.State == y.State && x.Imm == y.Imm && x.Comp == y.Comp && !r.writtenBefore(x.State, max(a, b))
}

// writtenBefore reports whether a state may be written before an operation.
func (r *reader) writtenBefore(s *sem.State, id sem.ID) bool {
	return slices.ContainsFunc(r.code.Insts[:id], func(in sem.Inst) bool {
		return in.State == s && (in.Op == sem.OpWrite || in.Op == sem.OpWriteX)
	})
}

// plain skips intersections with the mask of all lanes.
func (r *reader) plain(id sem.ID) sem.ID {
	in := r.at(id)
	if in.Op != sem.OpAnd {
		return id
	}
	switch {
	case r.all(in.A):
		return r.plain(in.B)
	case r.all(in.B):
		return r.plain(in.A)
	}
	return id
}

// all reports whether a mask contains all existing lanes.
func (r *reader) all(id sem.ID) bool {
	in := r.at(id)
	return in.Op == sem.OpExists || in.Op == sem.OpBallot && in.Guard == sem.NoID && r.truth(in.A) == always
}

// effects returns the effects to which an operation belongs: Own or Around.
func (r *reader) effects(in *sem.Inst) *Effects {
	if in.Notes&sem.Around != 0 {
		return &r.out.Around
	}
	return &r.out.Own
}

func (r *reader) inst(in *sem.Inst) {
	t := r.truth(in.Guard)
	if t == never {
		return
	}
	e, cond := r.effects(in), t == maybe
	switch in.Op {
	case sem.OpRead:
		if !r.wrote[register{in.State, int(in.Imm), in.Comp}] {
			a := r.access(in, int(in.Imm), cond)
			a.Kept, a.Carried = in.Kept(), in.Carried()
			e.read(a)
		}
	case sem.OpReadX:
		a := r.access(in, -1, cond)
		a.Carried = in.Carried()
		e.read(a)
		r.outside(in, e)
	case sem.OpWrite:
		e.write(r.access(in, int(in.Imm), cond))
		if !cond {
			r.wrote[register{in.State, int(in.Imm), in.Comp}] = true
		}
	case sem.OpWriteX:
		e.write(r.access(in, -1, cond))
		r.outside(in, e)
	case sem.OpLoad, sem.OpStore:
		r.memory(in, e, cond)
	case sem.OpTop, sem.OpDepth, sem.OpEmpty, sem.OpPush, sem.OpPop:
		r.stack(in, e, cond)
	case sem.OpAny, sem.OpAll, sem.OpBallot:
		e.Lanes = e.Lanes || r.truth(in.A) == maybe
	case sem.OpFrom:
		e.Lanes = true
	case sem.OpBarrier:
		e.Waits = true
	case sem.OpService:
		e.Services = append(e.Services, in.Service().Name)
	case sem.OpTrap:
		e.Traps = append(e.Traps, Trap{in.Text(), cond})
	case sem.OpEnd:
		e.Flows = append(e.Flows, isa.Flow{Kind: isa.End, Maybe: cond, Target: -1})
	case sem.OpFlow:
		r.own = in
	case sem.OpJump:
		r.jump = in
	}
}

func (e *Effects) read(a Access) {
	if a.State != nil {
		e.Reads = append(e.Reads, a)
	}
}

func (e *Effects) write(a Access) {
	if a.State != nil {
		e.Writes = append(e.Writes, a)
	}
}

// access returns the access to a register component.
func (r *reader) access(in *sem.Inst, number int, cond bool) Access {
	return Access{State: r.m.of[in.State], Number: number, Mask: 1 << uint(in.Comp), Maybe: cond, Address: -1}
}

// outside records the trap for a register number outside the file.
func (r *reader) outside(in *sem.Inst, e *Effects) {
	if in.State.Outside == sem.OutsideTrap {
		e.Traps = append(e.Traps, Trap{in.State.Name + " has no such register", true})
	}
}

func (r *reader) memory(in *sem.Inst, e *Effects, cond bool) {
	a := Access{State: r.m.of[in.State], Number: -1, Maybe: cond, Size: int(in.Imm), Address: -1}
	if at := r.at(in.A); at.Op == sem.OpConst {
		a.Address = int64(at.Imm)
	}
	if in.State.Outside == sem.OutsideTrap {
		e.Traps = append(e.Traps, Trap{"access outside of " + in.State.Name, true})
	}
	if in.Op == sem.OpLoad {
		e.read(a)
		return
	}
	e.write(a)
}

func (r *reader) stack(in *sem.Inst, e *Effects, cond bool) {
	a := Access{State: r.m.of[in.State], Number: -1, Maybe: cond, Address: -1}
	switch in.Op {
	case sem.OpTop:
		a.Number, a.Mask = int(in.Imm), 1<<uint(in.Comp)
		e.read(a)
	case sem.OpDepth, sem.OpEmpty:
		e.read(a)
	case sem.OpPush, sem.OpPop:
		e.write(a)
	}
	name := "stack " + in.State.Name
	switch {
	case in.Op == sem.OpPush && in.State.FullTraps:
		e.Traps = append(e.Traps, Trap{name + " is full", true})
	case in.Op != sem.OpPush && in.Op != sem.OpDepth && in.Op != sem.OpEmpty && in.State.EmptyTraps:
		e.Traps = append(e.Traps, Trap{name + " is empty", true})
	}
}

// flow determines the flows of the instruction itself, and then the implicit ones.
func (r *reader) flow() {
	own := r.targets(r.own)
	stays := true
	for i, f := range own {
		f.Kind = r.kind(f, r.own)
		own[i] = f
		if r.own != nil && !f.Maybe {
			stays = false
		}
	}
	if r.own != nil && r.truth(r.own.Guard) == always && len(own) > 0 {
		stays = slices.ContainsFunc(own, func(f isa.Flow) bool { return f.Kind == isa.Next })
	}
	own = slices.DeleteFunc(own, func(f isa.Flow) bool { return f.Kind == isa.Next })
	for _, f := range r.out.Own.Flows { // ends
		stays = stays && f.Maybe
	}
	for _, t := range r.out.Own.Traps {
		stays = stays && t.Maybe
	}
	r.out.Own.Flows = append(r.out.Own.Flows, own...)
	if stays {
		r.out.Own.Flows = append(r.out.Own.Flows, isa.Flow{Kind: isa.Next, Maybe: len(r.out.Own.Flows) > 0, Target: r.out.Next})
	}
	for _, f := range r.targets(r.jump) {
		f.Kind = r.kind(f, r.jump)
		f.Maybe = true
		if f.Kind != isa.Next && !slices.ContainsFunc(own, func(o isa.Flow) bool { return o.Target == f.Target && o.Stack == f.Stack }) {
			r.out.Around.Flows = append(r.out.Around.Flows, f)
		}
	}
}

// targets returns the possible targets of a jump without duplicates.
func (r *reader) targets(jump *sem.Inst) []isa.Flow {
	if jump == nil {
		return nil
	}
	t := r.truth(jump.Guard)
	if t == never {
		return nil
	}
	var list []isa.Flow
	r.leaves(jump.A, func(f isa.Flow) {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	})
	for i := range list {
		list[i].Maybe = t != always || len(list) > 1
	}
	return list
}

// leaves calls visit for each possible value of a target.
func (r *reader) leaves(id sem.ID, visit func(f isa.Flow)) {
	switch in := r.at(id); in.Op {
	case sem.OpSelect:
		t := r.truth(in.A)
		if t != never {
			r.leaves(in.B, visit)
		}
		if t != always {
			r.leaves(in.C, visit)
		}
	case sem.OpSplat, sem.OpCast:
		r.leaves(in.A, visit)
	case sem.OpConst:
		visit(isa.Flow{Kind: isa.Jump, Target: int64(in.Imm) * int64(r.m.sem.Unit)})
	case sem.OpTop:
		visit(isa.Flow{Kind: isa.Return, Target: -1, Stack: in.State.Name})
	default:
		visit(isa.Flow{Kind: isa.Jump, Target: -1})
	}
}

// kind returns the kind of a jump. A jump that always pushes the address of the next instruction is a call.
func (r *reader) kind(f isa.Flow, jump *sem.Inst) isa.FlowKind {
	if f.Kind != isa.Jump {
		return f.Kind
	}
	if f.Target == r.out.Next {
		return isa.Next
	}
	for i := range r.code.Insts {
		in := &r.code.Insts[i]
		if in.Op != sem.OpPush || in.Notes&sem.Around != 0 || in.Guard != jump.Guard && r.truth(in.Guard) != always {
			continue
		}
		for _, a := range in.Args() {
			if x := r.at(a); x.Op == sem.OpConst && x.Imm == r.code.Next {
				return isa.Call
			}
		}
	}
	return isa.Jump
}
