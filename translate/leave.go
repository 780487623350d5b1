package translate

import (
	"fmt"
	"slices"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
)

// inner is a statement that a break leaves.
type inner struct {
	s *stmt
	// flags are the variables that say that a break continues to leave an outer statement.
	flags []outer
}

// outer is a way to leave several statements at once.
type outer struct {
	to   *flow.Block
	flag *variable
	// decides is set if all branches that set the flag decide on a barrier.
	decides bool
}

// resolve replaces each leave by break and continue. A leave of several statements sets a variable that is tested after the
// inner statement. It returns the statements with the scopes that no leave needs any more removed.
func (b *builder) resolve(list []*stmt) []*stmt {
	r := &resolver{b: b, decides: true}
	return r.list(list)
}

// maxOuter is the number of leaves of several statements at once from which on a program becomes a loop over the number of a
// block.
const maxOuter = 3

// body returns the statements of the program. A program without a structure, or whose structure needs many leaves of several
// statements at once, becomes a loop over the number of a block.
func (b *builder) body(tree []*flow.Tree) []*stmt {
	if tree != nil {
		list := dropScopes(b.tree(tree, nil))
		if outerLeaves(list, nil) <= maxOuter {
			return flat(b.resolve(list))
		}
		b.stops = false
	}
	return flat(b.dispatch())
}

// flat takes the else part out of each if whose other part never reaches its end.
func flat(list []*stmt) []*stmt {
	var out []*stmt
	for _, s := range list {
		s.body, s.els = flat(s.body), flat(s.els)
		for i := range s.cases {
			s.cases[i].body = flat(s.cases[i].body)
		}
		out = append(out, s)
		if s.kind == branch && ends(s.body) {
			out, s.els = append(out, s.els...), nil
		}
	}
	return out
}

// ends reports whether no path reaches the end of statements.
func ends(list []*stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1]; s.kind {
	case breakOut, again, finish:
		return true
	case branch:
		return ends(s.body) && ends(s.els)
	}
	return false
}

// outerLeaves counts the leaves of several statements at once.
func outerLeaves(list []*stmt, in *stmt) (n int) {
	for _, s := range list {
		switch s.kind {
		case leave:
			if in == nil || in.block != s.block && !in.breaks(s.block) {
				n++
			}
		case loop, once:
			n += outerLeaves(s.body, s)
		default:
			n += outerLeaves(s.body, in) + outerLeaves(s.els, in)
		}
	}
	return n
}

// dispatch returns a loop in which each turn runs the blocks from one block on. Only blocks to which several edges lead are
// the start of a turn.
func (b *builder) dispatch() []*stmt {
	if b.options.Language == WGSL {
		for i, in := range b.p.Insts {
			if in.Op == sem.OpBarrier {
				b.refuse(b.p.Addrs[i], "a barrier in a program of unstructured jumps: WGSL has to prove that all threads of a block reach it")
			}
		}
	}
	into := map[*flow.Block]int{b.p.Blocks[0]: 2}
	for _, x := range b.p.Blocks {
		for _, e := range x.End.Edges {
			into[e.To]++
		}
	}
	next := &variable{name: b.names.unique("next"), typ: sem.U32}
	b.locals = append(b.locals, next)
	var run func(x *flow.Block) []*stmt
	follow := func(e *flow.Edge) []*stmt {
		out := b.follow(e)
		if into[e.To] == 1 {
			return append(out, run(e.To)...)
		}
		return append(out, &stmt{kind: assign, dest: next, value: number(uint64(e.To.Index))})
	}
	run = func(x *flow.Block) []*stmt {
		out := b.code(x)
		switch x.End.Kind {
		case flow.Jump:
			return append(out, follow(&x.End.Edges[0])...)
		case flow.Branch:
			n := b.nodes[x.End.Cond]
			s := &stmt{kind: branch, value: b.value(n), addrs: b.withAddr(b.addrs(n), x.End.Addr)}
			s.body, s.els = follow(&x.End.Edges[0]), follow(&x.End.Edges[1])
			return append(out, s)
		}
		return append(out, b.finish(&x.End)...)
	}
	s := &stmt{kind: turns, dest: next}
	for _, x := range b.p.Blocks {
		if into[x] > 1 {
			s.cases = append(s.cases, oneTurn{x.Index, run(x)})
		}
	}
	return []*stmt{{kind: assign, dest: next, value: number(0)}, s}
}

// oneTurn is a part of a loop over the number of a block.
type oneTurn struct {
	number int
	body   []*stmt
}

// dropScopes removes scopes that no leave leads out of.
func dropScopes(list []*stmt) []*stmt {
	var out []*stmt
	for _, s := range list {
		s.body, s.els = dropScopes(s.body), dropScopes(s.els)
		if s.kind == once && !needs(s.body, s.block) {
			out = append(out, s.body...)
			continue
		}
		out = append(out, s)
	}
	return out
}

// needs reports whether a leave to a block has to leave a scope. A break of a loop that the block follows leads to it too.
func needs(list []*stmt, to *flow.Block) bool {
	return slices.ContainsFunc(list, func(s *stmt) bool {
		switch s.kind {
		case leave:
			return s.block == to
		case loop:
			return s.after != to && needs(s.body, to)
		}
		return needs(s.body, to) || needs(s.els, to)
	})
}

// breaks reports whether a break of a statement leads to a block.
func (s *stmt) breaks(to *flow.Block) bool {
	return s.kind == once && s.block == to || s.kind == loop && s.after == to
}

// resolver replaces leaves.
type resolver struct {
	b      *builder
	around []*inner
	// decides is set if the innermost branch decides on a barrier, and outside of all branches.
	decides bool
}

// list resolves statements.
func (r *resolver) list(list []*stmt) []*stmt {
	var out []*stmt
	for _, s := range list {
		switch s.kind {
		case leave:
			out = append(out, r.leave(s.block)...)
			continue
		case loop, once:
			in := &inner{s: s}
			r.around = append(r.around, in)
			s.body = r.list(s.body)
			r.around = r.around[:len(r.around)-1]
			if len(in.flags) > 0 {
				var before []*stmt
				for _, f := range in.flags {
					before = append(before, set(f.flag, 0))
				}
				out = append(out, before...)
			}
			out = append(out, s)
			for _, f := range in.flags {
				out = append(out, r.test(f))
			}
			continue
		}
		decided := r.decides
		r.decides = s.decides
		s.body, s.els = r.list(s.body), r.list(s.els)
		r.decides = decided
		out = append(out, s)
	}
	return out
}

// test returns the statement that continues to leave an outer statement.
func (r *resolver) test(o outer) *stmt {
	decided := r.decides
	r.decides = o.decides
	s := &stmt{kind: branch, value: refer(o.flag, 0, sem.BoolType), body: r.leave(o.to), decides: o.decides}
	r.decides = decided
	return s
}

// set assigns a constant to a flag.
func set(v *variable, bits uint64) *stmt {
	return &stmt{kind: assign, dest: v, value: &expr{form: constant, typ: sem.BoolType, values: []uint64{bits}}}
}

// leave returns the statements that leave to a block.
func (r *resolver) leave(to *flow.Block) []*stmt {
	in := r.around[len(r.around)-1]
	switch {
	case in.s.kind == loop && in.s.block == to:
		return []*stmt{{kind: again}}
	case in.s.breaks(to):
		return []*stmt{{kind: breakOut}}
	}
	at := slices.IndexFunc(in.flags, func(o outer) bool { return o.to == to })
	if at < 0 {
		r.b.temps++
		v := &variable{name: r.b.names.unique(fmt.Sprintf("leave%d", to.Index)), typ: sem.BoolType}
		r.b.locals = append(r.b.locals, v)
		in.flags = append(in.flags, outer{to, v, true})
		at = len(in.flags) - 1
	}
	in.flags[at].decides = in.flags[at].decides && r.decides
	return []*stmt{set(in.flags[at].flag, 1), {kind: breakOut}}
}
