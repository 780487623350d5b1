package pica200

import (
	"math/bits"
	"slices"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
)

// linter looks for what assembles and does not do on hardware what it should.
type linter struct {
	r *assembly
	// blocks are the ifs and loops by their first word, nil for words that start none; after are the places where
	// control goes on after the last word of the first part of an if with an else, 0 for other words.
	blocks []*program.Block
	after  []int
	// returns and effects are what is known of procedures.
	returns map[registers]bool
	effects map[registers]outputState
	// seen and work are those of walk.
	seen []bool
	work []int
}

func (r *assembly) lint() {
	n := len(r.layout.Words)
	l := &r.linter
	*l = linter{
		r: r, blocks: cleared(l.blocks, n), after: cleared(l.after, n), seen: l.seen, work: l.work,
		returns: map[registers]bool{}, effects: map[registers]outputState{},
	}
	defer func() { l.r = nil }()
	for i := range r.layout.Blocks {
		b := &r.layout.Blocks[i]
		if b.Kind == program.Procedure {
			continue
		}
		l.blocks[b.Start] = b
		if b.Else > 0 {
			l.after[b.Else-1] = b.End
		}
	}
	l.addressTwice()
	l.outsideLoop()
	l.vertexEmit()
	for _, b := range r.layout.Blocks {
		if b.Kind == program.Procedure {
			l.effect(registers{b.Start, b.End})
		}
	}
	warned := map[string]bool{}
	for _, d := range r.files {
		p, ok := r.layout.Procedure(d.entry)
		if d.omitted || !ok || warned[d.entry] || d.entryWords != nil {
			continue
		}
		if warned[d.entry] = true; l.canReturn(registers{p.Start, p.End}) {
			r.warn(diag.MissingEnd, p.Span, "%s can run past its last word without an end", p.Name)
		}
	}
}

// cleared returns n zero values, in the memory of a list where there is enough.
func cleared[T any](list []T, n int) []T {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

func (l *linter) role(at int) *program.Role { return l.r.layout.Words[at].Role }

// addressTwice warns of two instructions in a row that write address registers.
func (l *linter) addressTwice() {
	for at := 1; at < len(l.r.layout.Words); at++ {
		procedureStarts := func(b program.Block) bool { return b.Start == at } // no other block starts so
		if l.role(at-1).Address && l.role(at).Address && !slices.ContainsFunc(l.r.layout.Blocks, procedureStarts) {
			l.r.warn(diag.DoubleMova, l.r.layout.Words[at].Span, "two instructions in a row write address registers, which freezes the hardware: put another instruction between the two")
		}
	}
}

// outsideLoop warns of what leaves a loop and stands in none of its procedure.
func (l *linter) outsideLoop() {
	for at := range l.r.layout.Words {
		if l.role(at).Leaves && !l.inLoop(at) {
			l.r.warn(diag.OutsideLoop, l.r.layout.Words[at].Span, "no loop encloses this in its procedure: without a running loop the hardware hangs, and leaving the loop of a caller also leaves the procedure, but keeps its entry on the call stack")
		}
	}
}

// inLoop reports whether the innermost loop or procedure around a word is a loop.
func (l *linter) inLoop(at int) bool {
	in, least := false, len(l.r.layout.Words)+1
	for _, b := range l.r.layout.Blocks {
		loop := b.Kind == program.LoopBlock
		if n := b.End - b.Start; (loop || b.Kind == program.Procedure) && b.Start <= at && at < b.End && (n < least || n == least && loop) {
			in, least = loop, n
		}
	}
	return in
}

// vertexEmit warns of instructions of geometry shaders to which a vertex program comes.
func (l *linter) vertexEmit() {
	if !slices.ContainsFunc(l.r.layout.Words, func(w program.Placed) bool { return forGeometry(w.Role) }) {
		return
	}
	seen, warned := map[registers]bool{}, map[int]bool{}
	for _, d := range l.r.files {
		if p, ok := l.r.layout.Procedure(d.entry); ok && !d.omitted && d.entryWords == nil && !d.isGeometry() {
			l.emits(registers{p.Start, p.End}, seen, warned)
		}
	}
}

// forGeometry reports whether an instruction is one of geometry shaders alone.
func forGeometry(role *program.Role) bool { return role.Flushes || role.Marks == geometryMark }

// emits follows a procedure and those that it calls, each once.
func (l *linter) emits(p registers, seen map[registers]bool, warned map[int]bool) {
	if seen[p] {
		return
	}
	seen[p] = true
	l.walk(p, func(at int) {
		role := l.role(at)
		if forGeometry(role) && !warned[at] {
			warned[at] = true
			l.r.warn(diag.VertexEmit, l.r.layout.Words[at].Span, "a vertex program can reach this, but only geometry shaders can emit vertices: .gsh declares one")
		}
		if role.Call != "" {
			l.emits(l.goesTo(at), seen, warned)
		}
	})
}

// goesTo returns where an instruction goes to, and where what it calls ends.
func (l *linter) goesTo(at int) registers {
	t, n := l.r.layout.Fields(at)
	return registers{t, t + n}
}

// canReturn reports whether a procedure that starts at p.first can get to its end. One that is being
// asked about already, being recursive, is taken to.
func (l *linter) canReturn(p registers) bool {
	if known, ok := l.returns[p]; ok {
		return known
	}
	l.returns[p] = true
	l.returns[p] = l.walk(p, func(int) {})
	return l.returns[p]
}

// walk visits the words of a procedure to which control can come, and reports whether it can come to the
// end.
func (l *linter) walk(p registers, visit func(at int)) (ends bool) {
	seen, work := cleared(l.seen, len(l.r.layout.Words)), append(l.work[:0], p.first)
	l.seen, l.work = nil, nil // what is visited may walk too
	defer func() { l.seen, l.work = seen, work }()
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		ends = ends || at == p.end
		if at == p.end || at < 0 || at >= len(seen) || seen[at] {
			continue
		}
		seen[at] = true
		visit(at)
		work = l.next(work, at)
	}
	return ends
}

// next appends the places where control can go from a word.
func (l *linter) next(dst []int, at int) []int {
	role := l.role(at)
	if role.Ends {
		return dst
	}
	if role.Call == "always" && !l.canReturn(l.goesTo(at)) {
		return dst
	}
	if role.Jump || role.Block == "if" {
		dst = append(dst, l.goesTo(at).first)
	}
	if to := l.after[at]; to > 0 {
		return append(dst, to)
	}
	return append(dst, at+1)
}

// outputState is what is known of the outputs at a place: four bits for each, bit 0 for x.
type outputState struct {
	// first are the components that are written before they are handed on for the first time, written
	// those since the last time.
	first, written uint64
	flushed, dead  bool
}

// or joins two ways to a place.
func (s outputState) or(o outputState) outputState {
	switch {
	case s.dead:
		return o
	case o.dead:
		return s
	}
	return outputState{first: s.first | o.first, written: s.written | o.written, flushed: s.flushed || o.flushed}
}

// then continues a way.
func (s outputState) then(o outputState) outputState {
	if !s.flushed {
		s.first |= o.first
	}
	if o.flushed {
		s.written = 0
	}
	s.written |= o.written
	s.flushed, s.dead = s.flushed || o.flushed, o.dead
	return s
}

// effect returns what a procedure does to the outputs. One that is being asked about already is
// taken to do nothing.
func (l *linter) effect(p registers) outputState {
	if s, ok := l.effects[p]; ok || p.first < 0 || p.end > len(l.r.layout.Words) {
		return s
	}
	l.effects[p] = outputState{}
	s := l.outputs(p.first, p.end, outputState{})
	s.dead = false
	l.effects[p] = s
	return s
}

// outputs follows the words from lo to hi, and warns where a component is written twice.
func (l *linter) outputs(lo, hi int, s outputState) outputState {
	for at := lo; at < hi && !s.dead; {
		if b := l.blocks[at]; b != nil && b.End <= hi {
			s = l.block(b, s)
			at = b.End
			continue
		}
		s = l.word(at, s)
		at++
	}
	return s
}

func (l *linter) block(b *program.Block, s outputState) outputState {
	switch {
	case b.Kind == program.LoopBlock:
		return l.outputs(b.Start+1, b.End, s)
	case b.Else == 0:
		return l.outputs(b.Start+1, b.End, s).or(s)
	}
	return l.outputs(b.Start+1, b.Else, s).or(l.outputs(b.Else, b.End, s))
}

func (l *linter) word(at int, s outputState) outputState {
	role := l.role(at)
	var o outputState
	switch {
	case role.Ends:
		s.dead = true
		return s
	case role.Flushes:
		o.flushed = true
	case role.Call != "":
		o = l.effect(l.goesTo(at))
	default:
		o.first = writes(l.r.layout.Words[at].Tag)
		o.written = o.first
	}
	if twice := s.written & o.first; twice != 0 {
		bit := bits.TrailingZeros64(twice)
		l.r.warn(diag.OutputTwice, l.r.layout.Words[at].Span, "%s.%c is written a second time, which may hang the hardware", outputBank.name(bit/4), l.r.banks.components.letters[bit%4])
	}
	if role.Call == "maybe" {
		return s.then(o).or(s)
	}
	return s.then(o)
}

// writes returns the components that the tag of a word says it writes.
func writes(tag uint32) uint64 {
	if tag == 0 {
		return 0
	}
	return uint64(tag&15) << (4 * (tag >> 4 & 15))
}
