package sem

import (
	"fmt"
	"slices"
)

// Verify tells what is wrong with lowered code: it is a check of this package, which tests always run.
func (c *Code) Verify() error {
	for i := range c.Insts {
		if err := c.verify(ID(i)); err != nil {
			return fmt.Errorf("%s: %w", c.Insts[i].line(ID(i)), err)
		}
	}
	return c.verifyRegions()
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

func (c *Code) verify(id ID) error {
	in := &c.Insts[id]
	for _, a := range append([]ID{in.A, in.B, in.C, in.Guard}, in.Args()...) {
		if a == NoID {
			continue
		}
		if a < 0 || a >= id {
			return fmt.Errorf("%%%d is used before it is made", a)
		}
		if c.Insts[a].Op.effect() && !(in.Op == OpResult && c.Insts[a].Op == OpService) {
			return fmt.Errorf("%%%d has no value", a)
		}
		if in.Uniform && in.Op.Pure() && !c.Insts[a].Uniform {
			return fmt.Errorf("a value for the wave follows from %%%d, one for each lane", a)
		}
	}
	if in.Guard != NoID && (c.Insts[in.Guard].Type().Kind != Bool || !in.Op.guarded()) {
		return fmt.Errorf("guard %%%d", in.Guard)
	}
	if in.Op == OpParam {
		return fmt.Errorf("a constant that is not known")
	}
	if (in.Op == OpSkip || in.Op == OpAtomic) && (in.Imm <= uint64(id) || in.Imm > uint64(len(c.Insts))) {
		return fmt.Errorf("%s to %%%d", in.Op, in.Imm)
	}
	return c.verifyTypes(in)
}

func (c *Code) verifyTypes(in *Inst) error {
	typ := func(a ID) Type { return c.Insts[a].Type() }
	want := func(a ID, t Type) error {
		if !typ(a).same(t) {
			return fmt.Errorf("%%%d is %s, expected %s", a, typ(a), t)
		}
		return nil
	}
	switch in.Op {
	case OpSelect:
		if err := want(in.A, BoolType); err != nil {
			return err
		}
		if err := want(in.B, in.Type()); err != nil {
			return err
		}
		return want(in.C, in.Type())
	case OpEq, OpNe, OpLt, OpLe, OpCarry, OpOverflow:
		if err := want(in.A, in.From()); err != nil {
			return err
		}
		return want(in.B, in.From())
	case OpAdd, OpSub, OpMul, OpMulHigh, OpDiv, OpMod, OpAnd, OpOr, OpXor, OpMin, OpMax, OpProduct:
		if err := want(in.A, in.Type()); err != nil {
			return err
		}
		return want(in.B, in.Type())
	case OpFlush, OpNeg, OpNot, OpSqrt, OpExp2, OpLog2, OpSin, OpCos, OpRint, OpSplat:
		return want(in.A, in.Type())
	case OpWrite, OpWriteX:
		return want(in.B, in.State.Type.Elem())
	case OpPush:
		for i, a := range in.Args() {
			if err := want(a, in.State.Slots[i].Type); err != nil {
				return err
			}
		}
	}
	return nil
}
