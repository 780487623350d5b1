package sem

import (
	"fmt"
	"strconv"
)

// String returns the operations, one on each line.
func (c *Code) String() string { return string(c.Append(nil, "")) }

// Append appends the operations, one on each line. lead is the start of each line.
func (c *Code) Append(dst []byte, lead string) []byte {
	for i := range c.Insts {
		dst = append(dst, lead...)
		dst = c.Insts[i].append(dst, ID(i))
		dst = append(dst, '\n')
	}
	return dst
}

func (in *Inst) line(id ID) string { return string(in.append(nil, id)) }

func (in *Inst) append(dst []byte, id ID) []byte {
	if in.HasValue() {
		dst = id.append(dst)
		dst = append(dst, ": "...)
		dst = in.Type().append(dst)
		if in.Uniform && in.Op != OpConst {
			dst = append(dst, " wave"...)
		}
		dst = append(dst, " = "...)
	}
	return in.appendWith(dst, func(dst []byte, id ID) []byte { return id.append(dst) })
}

func (id ID) append(dst []byte) []byte { return strconv.AppendInt(append(dst, '%'), int64(id), 10) }

// appendWith appends the operation with its arguments, whose names name appends.
func (in *Inst) appendWith(dst []byte, name func(dst []byte, id ID) []byte) []byte {
	dst = append(dst, in.Op.String()...)
	dst = in.details(dst)
	for _, a := range [...]ID{in.A, in.B, in.C} {
		if a != NoID {
			dst = name(append(dst, ' '), a)
		}
	}
	switch s := in.Service(); {
	case s != nil:
		dst = s.appendArgs(dst, in.Args(), name)
	default:
		for _, a := range in.Args() {
			dst = name(append(dst, ' '), a)
		}
	}
	for i, r := range in.Results() {
		if i == 0 {
			dst = append(dst, " results"...)
		}
		dst = name(append(dst, ' '), r)
	}
	if in.Guard != NoID {
		dst = name(append(dst, " if "...), in.Guard)
	}
	return dst
}

// appendArgs appends the arguments of a call, each with the name of its parameter.
func (s *Service) appendArgs(dst []byte, args []ID, name func(dst []byte, id ID) []byte) []byte {
	for _, p := range s.Params {
		dst = append(append(append(dst, ' '), p.Name...), '=')
		n := p.Type.Count()
		for i, a := range args[:n] {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = name(dst, a)
		}
		args = args[n:]
	}
	return dst
}

// TextWith returns the text of the operation and its arguments, without the name of its value. name returns the name of a
// value.
func (in *Inst) TextWith(name func(id ID) string) string {
	return string(in.appendWith(nil, func(dst []byte, id ID) []byte { return append(dst, name(id)...) }))
}

// details appends the state, the immediate and the text of the operation.
func (in *Inst) details(dst []byte) []byte {
	s := in.Op.signature()
	number := "?"
	switch s.imm {
	case iBits:
		return appendConst(append(dst, ' '), in.Type(), in.Imm)
	case iMode:
		return in.appendMode(dst)
	case iLow:
		return fmt.Appendf(dst, " from %d", in.Imm)
	case iFlushes:
		if in.Imm == 1 {
			return append(dst, " flushed"...)
		}
	case iBytes:
		return fmt.Appendf(dst, " %s.%d", in.State.Name, in.Imm)
	case iEntry:
		return fmt.Appendf(dst, " %s+%d.%s", in.State.Name, in.Imm, in.State.Slots[in.Comp].Name)
	case iParts:
		return append(dst, [...]string{Arrives: " arrives", Waits: " waits", Arrives | Waits: ""}[in.Imm]...)
	case iEnd:
		return fmt.Appendf(dst, " to %%%d", in.Imm)
	case iAddress:
		return fmt.Appendf(dst, " word %d", in.Imm)
	case iRegister:
		number = strconv.FormatUint(in.Imm, 10)
	}
	switch {
	case s.state == kRegisters || s.state == kWritable:
		return in.State.appendComponent(append(dst, ' '), number, in.Comp)
	case s.state != kNone:
		return append(append(dst, ' '), in.State.Name...)
	case s.comp:
		return fmt.Appendf(dst, " %d", in.Comp)
	case s.call:
		return append(append(dst, ' '), in.Service().Name...)
	case s.text:
		return strconv.AppendQuote(append(dst, ' '), in.Text())
	}
	return dst
}

// appendMode appends how the operation rounds, unless as is usual.
func (in *Inst) appendMode(dst []byte) []byte {
	if in.Imm == 0 {
		return dst
	}
	for name, m := range modeNames {
		if uint64(m) == in.Imm {
			return append(append(dst, ' '), name...)
		}
	}
	return dst
}

func appendConst(dst []byte, t Type, v uint64) []byte {
	switch t.Kind {
	case Float:
		return fmt.Appendf(dst, "0x%0*x (%g)", t.Width/4, v, toFloat64(v, t.Width))
	case Sint:
		return strconv.AppendInt(dst, t.signed(v), 10)
	}
	return strconv.AppendUint(dst, v, 10)
}

// appendComponent names a component of a register.
func (s *State) appendComponent(dst []byte, number string, comp int) []byte {
	dst = append(dst, s.Name...)
	if !s.Single {
		dst = append(dst, '[')
		dst = append(dst, number...)
		dst = append(dst, ']')
	}
	if s.Type.Len > 0 {
		dst = append(dst, '.')
		dst = append(dst, s.Letter(comp)...)
	}
	return dst
}

// Letter returns the name of a component.
func (s *State) Letter(comp int) string { return letter(s.Names, s.Type, comp) }

// Letter returns the name of a component.
func (v *View) Letter(comp int) string { return letter(v.Names, v.Type, comp) }

func letter(names []string, t Type, comp int) string {
	if comp < len(names) {
		return names[comp]
	}
	if comp < 4 && t.Len <= 4 {
		return "xyzw"[comp : comp+1]
	}
	return fmt.Sprint(comp)
}
