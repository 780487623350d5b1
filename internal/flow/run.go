package flow

import (
	"github.com/isago/isago/internal/sem"
)

// Run runs the program for one lane. It is the reference implementation of the semantics of a Program.
// read returns the initial value of a register component that the program reads, such as an input or a
// uniform. outputs are the outputs of the program. stop is the reason why the program stopped
// abnormally, or "" if it ended normally. ok is false if the program does not end within the given
// number of blocks.
func (p *Program) Run(read func(v Variable) uint64, blocks int) (outputs map[Variable]uint64, stop string, ok bool) {
	values := make([]uint64, len(p.Insts))
	for i := range p.Insts {
		if p.Insts[i].Op == sem.OpConst {
			values[i] = p.Insts[i].Imm
		}
	}
	get := func(id ID) uint64 {
		if id == NoID {
			return 0
		}
		return values[id]
	}
	b := p.Blocks[0]
	for ; blocks > 0; blocks-- {
		for _, id := range b.Insts {
			in := &p.Insts[id]
			switch in.Op {
			case sem.OpRead:
				values[id] = read(Variable{in.State, int(in.Imm), in.Comp})
			case sem.OpReadX:
				values[id] = in.State.OutsideBits
				n := get(in.A)
				if in.State.Outside == sem.OutsideWrap {
					n %= uint64(in.State.Count)
				}
				if n < uint64(in.State.Count) {
					values[id] = read(Variable{in.State, int(n), in.Comp})
				}
			case sem.OpSplat:
				values[id] = get(in.A)
			default:
				values[id] = sem.Apply(in, get(in.A), get(in.B), get(in.C))
			}
		}
		next := 0
		switch b.End.Kind {
		case Branch:
			if get(b.End.Cond) == 0 {
				next = 1
			}
		case Exit, Stop:
			outputs = map[Variable]uint64{}
			for _, o := range b.End.Outputs {
				outputs[o.Variable] = get(o.ID)
			}
			return outputs, b.End.Text, true
		}
		e := &b.End.Edges[next]
		args := make([]uint64, len(e.Args))
		for i, a := range e.Args {
			args[i] = get(a)
		}
		for i, q := range e.To.Params {
			values[q.ID] = args[i]
		}
		b = e.To
	}
	return nil, "", false
}
