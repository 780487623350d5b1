package flow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/isago/isago/internal/sem"
)

// Verify checks that the program is well-formed. On every path, each value must be defined before it
// is used. Each edge must have an argument of the right type for each parameter. The only operations
// in blocks must be pure operations, accesses to registers, memories and stacks, barriers, calls of
// services, and in a wave the operations among its lanes. Each operation must have what sem.VerifyOp
// requires. Tests call Verify for every program that they specialise.
func (p *Program) Verify() error {
	made := make([]*Block, len(p.Insts)) // the block that defines each value, or nil for a constant
	place := make([]int, len(p.Insts))
	for i, b := range p.Blocks {
		if b.Index != i {
			return fmt.Errorf("block %d has the number %d", i, b.Index)
		}
		for _, q := range b.Params {
			made[q.ID], place[q.ID] = b, -1
		}
		for k, id := range b.Insts {
			if made[id] != nil {
				return fmt.Errorf("b%d: value %d is defined twice", i, id)
			}
			made[id], place[id] = b, k
		}
	}
	over := p.Dominators()
	dominates := func(a, b *Block) bool {
		for ; b != nil; b = over[b.Index] {
			if a == b {
				return true
			}
		}
		return false
	}
	for _, b := range p.Blocks {
		use := func(id ID, at int) error {
			switch {
			case id == NoID || p.Insts[id].Op == sem.OpConst:
			case made[id] == nil:
				return fmt.Errorf("b%d: value %d is used but not defined", b.Index, id)
			case made[id] == b && place[id] >= at, !dominates(made[id], b):
				return fmt.Errorf("b%d: value %d is used before its definition", b.Index, id)
			}
			return nil
		}
		for k, id := range b.Insts {
			in := &p.Insts[id]
			if err := errors.Join(p.verifyOp(in), sem.VerifyOp(p.Insts, id)); err != nil {
				return fmt.Errorf("b%d: value %d, %s: %w", b.Index, id, in.Op, err)
			}
			var err error
			in.EachArg(func(a ID) {
				if e := use(a, k); e != nil {
					err = e
				}
			})
			if err != nil {
				return err
			}
		}
		if err := p.verifyEnd(b, use); err != nil {
			return err
		}
	}
	return nil
}

// verifyOp checks that an operation may occur in a block.
func (p *Program) verifyOp(in *sem.Inst) error {
	switch in.Op {
	case sem.OpRead, sem.OpReadX, sem.OpLoad, sem.OpStore, sem.OpBarrier, sem.OpResult, sem.OpPush, sem.OpPop, sem.OpTop:
		return nil
	case sem.OpService:
		n := 0
		in.Service().EachRead(func(st *sem.State, number, comp int) {
			if k := in.Seen(); n < len(k) && p.Insts[k[n]].Type() != st.Type.Elem() {
				n = len(k)
			}
			n++
		})
		if n != len(in.Seen()) {
			return fmt.Errorf("%s does not see the registers that the host reads", in.Service().Name)
		}
		return nil
	case sem.OpLane, sem.OpExists, sem.OpAny, sem.OpAll, sem.OpBallot, sem.OpFrom, sem.OpLanesOf, sem.OpTrap:
		if p.Wave {
			return nil
		}
	case sem.OpWrite, sem.OpWriteX:
		if slices.Contains(p.Arrays, in.State) {
			return nil
		}
		return fmt.Errorf("a write of %s, which is no array", in.State.Name)
	}
	if !in.Op.Pure() {
		return fmt.Errorf("the operation %s", in.Op)
	}
	return nil
}

// verifyEnd checks the terminator of a block. use checks the use of a value at an index in the block.
func (p *Program) verifyEnd(b *Block, use func(id ID, at int) error) error {
	end := &b.End
	if edges := [...]int{Jump: 1, Branch: 2, Exit: 0, Stop: 0}[end.Kind]; len(end.Edges) != edges {
		return fmt.Errorf("b%d: %d edges, expected %d", b.Index, len(end.Edges), edges)
	}
	if end.Kind == Branch && (end.Cond == NoID || p.Insts[end.Cond].Type().Kind != sem.Bool) {
		return fmt.Errorf("b%d: a branch without a condition", b.Index)
	}
	if end.Kind == Branch && p.Wave && !p.Insts[end.Cond].Uniform {
		return fmt.Errorf("b%d: a condition that may differ among the lanes", b.Index)
	}
	for _, id := range [...]ID{end.Cond, end.Lanes} {
		if err := use(id, len(b.Insts)); err != nil {
			return err
		}
	}
	for _, o := range end.Outputs {
		if err := use(o.ID, len(b.Insts)); err != nil {
			return err
		}
	}
	for _, e := range end.Edges {
		if len(e.Args) != len(e.To.Params) {
			return fmt.Errorf("b%d: %d arguments for the %d parameters of b%d", b.Index, len(e.Args), len(e.To.Params), e.To.Index)
		}
		for i, a := range e.Args {
			if err := use(a, len(b.Insts)); err != nil {
				return err
			}
			if got, want := p.Insts[a].Type(), e.To.Params[i].Variable.Type(); got != want {
				return fmt.Errorf("b%d: an argument of type %s for %s of type %s", b.Index, got, e.To.Params[i].Variable, want)
			}
		}
	}
	return nil
}

// Dominators returns the immediate dominator of each block, or nil for the first block.
func (p *Program) Dominators() []*Block {
	order := p.Order()
	number := make([]int, len(p.Blocks))
	into := make([][]*Block, len(p.Blocks))
	for i, b := range order {
		number[b.Index] = i
		for _, e := range b.End.Edges {
			into[e.To.Index] = append(into[e.To.Index], b)
		}
	}
	over := make([]*Block, len(p.Blocks))
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			var best *Block
			for _, x := range into[b.Index] {
				if x != p.Blocks[0] && over[x.Index] == nil {
					continue
				}
				if best == nil {
					best = x
					continue
				}
				for y := x; y != best; {
					if number[y.Index] > number[best.Index] {
						y = over[y.Index]
					} else {
						best = over[best.Index]
					}
				}
			}
			if over[b.Index] != best {
				over[b.Index], changed = best, true
			}
		}
	}
	return over
}
