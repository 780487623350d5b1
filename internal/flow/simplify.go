package flow

import (
	"slices"

	"github.com/isago/isago/internal/sem"
)

// simplify writes the pure operations of a program for one lane again, now that the values of other instructions are known: bits of
// flags become the conditions that set the flags. It reports whether a branch became a jump.
func (a *assembler) simplify() (jumps bool) {
	s := &simplifier{assembler: a, w: sem.NewWriter(), to: map[ID]ID{}, from: map[ID]ID{}}
	defer s.w.Release()
	for _, b := range a.ordered() {
		s.block(b)
	}
	a.replace()
	for _, b := range a.p.Blocks {
		if c := b.End.Cond; b.End.Kind == Branch && a.p.Insts[c].Op == sem.OpConst {
			edge := b.End.Edges[0]
			if a.p.Insts[c].Imm == 0 {
				edge = b.End.Edges[1]
			}
			b.End.Kind, b.End.Cond, b.End.Edges, jumps = Jump, NoID, []Edge{edge}, true
		}
	}
	if jumps {
		reached := map[*Block]bool{}
		for _, b := range a.ordered() {
			reached[b] = true
		}
		a.p.Blocks = slices.DeleteFunc(a.p.Blocks, func(b *Block) bool { return !reached[b] })
	}
	return jumps
}

// simplifier writes operations again.
type simplifier struct {
	*assembler
	w *sem.Writer
	// to has the value of the Writer for a value of the program, and from the value of the program for one of the Writer.
	to, from map[ID]ID
}

// ordered returns the blocks, each after those that dominate it.
func (a *assembler) ordered() (list []*Block) {
	seen := map[*Block]bool{}
	var visit func(b *Block)
	visit = func(b *Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, e := range b.End.Edges {
			visit(e.To)
		}
		list = append(list, b)
	}
	visit(a.p.Blocks[0])
	slices.Reverse(list)
	return list
}

// written returns the value of the Writer for a value of the program.
func (s *simplifier) written(id ID) ID {
	w, ok := s.to[id]
	if !ok {
		if in := &s.p.Insts[id]; in.Op == sem.OpConst {
			w = s.w.Constant(in.Type(), in.Imm)
		} else {
			w = s.w.Write(sem.Param(in.Type()))
			s.from[w] = id
		}
		s.to[id] = w
	}
	return w
}

// value returns the value of the program for a value of the Writer.
func (s *simplifier) value(w ID) ID {
	if in := s.w.Inst(w); in.Op == sem.OpConst {
		id := s.constant(in.Type(), in.Imm)
		s.grow()
		return id
	}
	return s.from[w]
}

// grow lets new values stand for themselves.
func (s *simplifier) grow() {
	for len(s.same) < len(s.p.Insts) {
		s.same = append(s.same, ID(len(s.same)))
	}
}

// block writes the operations of a block again. Those that it adds come before the operation whose value needs them.
func (s *simplifier) block(b *Block) {
	mark := s.w.Mark()
	var list []ID
	own := map[ID]bool{} // the values of the block
	keep := func(id ID) { list, own[id] = append(list, id), true }
	for _, id := range b.Insts {
		in := s.p.Insts[id].WithArgs(s.find)
		if !in.Op.Pure() {
			keep(id)
			continue
		}
		in = in.WithArgs(s.written)
		first := ID(len(s.w.Insts()))
		w := s.w.Write(in)
		s.to[id] = w
		for n := first; int(n) < len(s.w.Insts()); n++ {
			x := *s.w.Inst(n)
			if x.Op == sem.OpConst {
				continue
			}
			x = x.WithArgs(s.value)
			if n == w {
				x.Uniform = s.p.Insts[id].Uniform
				s.p.Insts[id], s.from[n] = x, id
				keep(id)
				continue
			}
			s.addr = s.p.Addrs[id]
			s.from[n] = s.add(x)
			s.grow()
			keep(s.from[n])
		}
		if other := s.value(w); other != id {
			s.same[id] = other
			if v, ok := s.p.Written[id]; ok && own[other] {
				if _, has := s.p.Written[other]; !has {
					s.p.Written[other] = v
				}
			}
		}
	}
	b.Insts = list
	s.w.Forget(mark)
}
