package sem

import (
	"fmt"
	"strings"
)

// String returns the operations, one on each line.
func (c *Code) String() string {
	var b strings.Builder
	for i := range c.Insts {
		fmt.Fprintf(&b, "%s\n", c.Insts[i].text(ID(i)))
	}
	return b.String()
}

func (in *Inst) text(id ID) string {
	var b strings.Builder
	if !in.Op.effect() || in.Op == OpService && in.Type().Kind != None {
		fmt.Fprintf(&b, "%%%d: %s", id, in.Type())
		if in.Uniform && in.Op != OpConst {
			b.WriteString(" wave")
		}
		b.WriteString(" = ")
	}
	b.WriteString(in.Op.String())
	in.details(&b)
	for _, a := range append([]ID{in.A, in.B, in.C}, in.Args()...) {
		if a != NoID {
			fmt.Fprintf(&b, " %%%d", a)
		}
	}
	if in.Guard != NoID {
		fmt.Fprintf(&b, " if %%%d", in.Guard)
	}
	return b.String()
}

// details writes what stands beside the arguments.
func (in *Inst) details(b *strings.Builder) {
	switch in.Op {
	case OpConst:
		fmt.Fprintf(b, " %s", constText(in.Type(), in.Imm))
	case OpRead, OpWrite:
		fmt.Fprintf(b, " %s", in.State.component(fmt.Sprint(in.Imm), in.Comp))
	case OpReadX, OpWriteX:
		fmt.Fprintf(b, " %s", in.State.component("?", in.Comp))
	case OpLoad, OpStore:
		fmt.Fprintf(b, " %s.%d", in.State.Name, in.Imm)
	case OpTop:
		fmt.Fprintf(b, " %s+%d.%s", in.State.Name, in.Imm, in.State.Slots[in.Comp].Name)
	case OpDepth, OpEmpty, OpPush, OpPop:
		fmt.Fprintf(b, " %s", in.State.Name)
	case OpTrap, OpUnknown, OpService:
		fmt.Fprintf(b, " %q", in.Text())
	case OpResult:
		fmt.Fprintf(b, " %d", in.Comp)
	case OpRun:
		fmt.Fprintf(b, " word %d", in.Imm)
	case OpSkip, OpAtomic:
		fmt.Fprintf(b, " to %%%d", in.Imm)
	case OpBarrier:
		b.WriteString([...]string{Arrives: " arrives", Waits: " waits", Arrives | Waits: ""}[in.Imm])
	case OpSlice:
		fmt.Fprintf(b, " from %d", in.Imm)
	case OpProduct:
		if in.Imm == 1 {
			b.WriteString(" flushed")
		}
	case OpConvert, OpRint, OpAdd, OpSub, OpMul, OpDiv, OpFma, OpSqrt:
		for name, m := range modeNames {
			if uint64(m) == in.Imm && in.Imm != 0 {
				b.WriteString(" " + name)
			}
		}
	}
}

func constText(t Type, v uint64) string {
	if t.Kind == Float {
		return fmt.Sprintf("0x%0*x (%g)", t.Width/4, v, toFloat64(v, t.Width))
	}
	if t.Kind == Sint {
		return fmt.Sprint(t.signed(v))
	}
	return fmt.Sprint(v)
}

// component names a component of a register.
func (s *State) component(number string, comp int) string {
	name := s.Name
	if !s.Single {
		name += "[" + number + "]"
	}
	if s.Type.Len > 0 {
		name += "." + s.Letter(comp)
	}
	return name
}

// Letter is the name of a component.
func (s *State) Letter(comp int) string {
	if comp < len(s.Names) {
		return s.Names[comp]
	}
	if comp < 4 && s.Type.Len <= 4 {
		return "xyzw"[comp : comp+1]
	}
	return fmt.Sprint(comp)
}
