package flow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Tree is a part of a program as structured code: what a translator prints as loops, conditions and jumps out of
// them.
type Tree struct {
	Kind TreeKind
	// Block is the block of a Code, an If and an End. For a Loop it is the first block, to which a Go in the loop
	// continues. For a Scope it is the block that follows the scope, to which a Go in the scope leads.
	Block *Block
	// Edge is the edge of a Go.
	Edge *Edge
	// Body is the body of a Loop and of a Scope, and the part of an If whose condition holds. Else is the other part.
	Body, Else []*Tree
}

// TreeKind is the kind of a Tree.
type TreeKind uint8

// The kinds of trees.
const (
	Code  TreeKind = iota // the operations of Block
	If                    // Body if the condition of Block holds, otherwise Else
	Loop                  // Body. A Go to Block starts it again. No path reaches its end
	Scope                 // Body. A Go to Block leaves it. Block follows
	Go                    // assigns the arguments of Edge, and goes to its block: the block of a Loop or a Scope around, or the block that follows
	End                   // the end of the program in Block
)

// ErrIrreducible is the error for a program with a loop that can be entered in several places.
var ErrIrreducible = errors.New("a loop with several entries")

// Structure returns the program as structured code, or ErrIrreducible. Each block occurs once. The method is that of
// N. Ramsey, "Beyond Relooper", ICFP 2022: the blocks that a block dominates directly are nested in it, those with
// several predecessors behind a scope.
func (p *Program) Structure() ([]*Tree, error) {
	s := &structurer{over: p.Dominators(), number: make([]int, len(p.Blocks)), children: make([][]*Block, len(p.Blocks)), loop: make([]bool, len(p.Blocks)), merge: make([]bool, len(p.Blocks))}
	order := p.Order()
	for i, b := range order {
		s.number[b.Index] = i
	}
	into := make([]int, len(p.Blocks))
	for _, b := range order {
		if over := s.over[b.Index]; over != nil {
			s.children[over.Index] = append(s.children[over.Index], b)
		}
		for _, e := range b.End.Edges {
			if s.number[e.To.Index] > s.number[b.Index] {
				if into[e.To.Index]++; into[e.To.Index] > 1 {
					s.merge[e.To.Index] = true
				}
				continue
			}
			if s.loop[e.To.Index] = true; !s.dominates(e.To, b) {
				return nil, ErrIrreducible
			}
		}
	}
	return s.tree(p.Blocks[0]), nil
}

// structurer converts a graph to structured code. The slices have an element for each block.
type structurer struct {
	over        []*Block // the immediate dominator
	number      []int    // the number in reverse postorder
	children    [][]*Block
	loop, merge []bool // a jump back leads to the block; several others do
}

func (s *structurer) dominates(a, b *Block) bool {
	for b != nil && b != a {
		b = s.over[b.Index]
	}
	return b == a
}

// tree returns the code of a block and of the blocks that it dominates.
func (s *structurer) tree(b *Block) []*Tree {
	var behind []*Block
	for _, c := range s.children[b.Index] {
		if s.merge[c.Index] {
			behind = append(behind, c)
		}
	}
	list := s.within(b, behind)
	if s.loop[b.Index] {
		return []*Tree{{Kind: Loop, Block: b, Body: list}}
	}
	return list
}

// within returns the code of a block, followed by blocks with several predecessors that it dominates directly. They
// are in reverse postorder: the last one follows the outermost scope.
func (s *structurer) within(b *Block, behind []*Block) []*Tree {
	if n := len(behind); n > 0 {
		last := behind[n-1]
		return append([]*Tree{{Kind: Scope, Block: last, Body: s.within(b, behind[:n-1])}}, s.tree(last)...)
	}
	list := []*Tree{{Kind: Code, Block: b}}
	switch b.End.Kind {
	case Jump:
		return append(list, s.follow(b, &b.End.Edges[0])...)
	case Branch:
		return append(list, &Tree{Kind: If, Block: b, Body: s.follow(b, &b.End.Edges[0]), Else: s.follow(b, &b.End.Edges[1])})
	}
	return append(list, &Tree{Kind: End, Block: b})
}

// follow returns the code of an edge. A block without another predecessor follows at once.
func (s *structurer) follow(b *Block, e *Edge) []*Tree {
	list := []*Tree{{Kind: Go, Edge: e}}
	if s.number[e.To.Index] > s.number[b.Index] && !s.merge[e.To.Index] {
		list = append(list, s.tree(e.To)...)
	}
	return list
}

// Order returns the blocks in reverse postorder.
func (p *Program) Order() []*Block {
	var order []*Block
	seen := make([]bool, len(p.Blocks))
	var visit func(b *Block)
	visit = func(b *Block) {
		if seen[b.Index] {
			return
		}
		seen[b.Index] = true
		for _, e := range b.End.Edges {
			visit(e.To)
		}
		order = append(order, b)
	}
	visit(p.Blocks[0])
	slices.Reverse(order)
	return order
}

// VerifyTree checks that structured code does what the program does: each block occurs once, each edge occurs where its
// block ends, and each Go leads to the block of its edge. Tests call it for every program that they specialise.
func (p *Program) VerifyTree(list []*Tree) error {
	v := treeVerifier{seen: map[*Block]bool{}}
	if err := v.list(list, nil); err != nil {
		return err
	}
	if first(list) != p.Blocks[0] || len(v.seen) != len(p.Blocks) {
		return fmt.Errorf("the structured code has %d of %d blocks", len(v.seen), len(p.Blocks))
	}
	return nil
}

type treeVerifier struct{ seen map[*Block]bool }

// first returns the block with which code starts, or nil.
func first(list []*Tree) *Block {
	for len(list) > 0 {
		switch t := list[0]; t.Kind {
		case Code, Loop:
			return t.Block
		case Scope:
			list = t.Body
		default:
			return nil
		}
	}
	return nil
}

// list checks code. around are the blocks to which a Go may lead.
func (v treeVerifier) list(list []*Tree, around []*Block) error {
	for i, t := range list {
		rest := list[i+1:]
		var err error
		switch t.Kind {
		case Code:
			if v.seen[t.Block] {
				return fmt.Errorf("b%d occurs twice", t.Block.Index)
			}
			v.seen[t.Block] = true
			if len(rest) == 0 || !ends(t.Block, rest[0]) {
				return fmt.Errorf("b%d does not end as in the program", t.Block.Index)
			}
			continue
		case Go:
			switch {
			case len(rest) > 0 && first(rest) == t.Edge.To:
				continue
			case len(rest) == 0 && slices.Contains(around, t.Edge.To):
				return nil
			}
			return fmt.Errorf("a jump does not lead to b%d", t.Edge.To.Index)
		case Scope:
			if first(rest) != t.Block {
				return fmt.Errorf("b%d does not follow its scope", t.Block.Index)
			}
			if err := v.list(t.Body, append(slices.Clone(around), t.Block)); err != nil {
				return err
			}
			continue
		case Loop:
			if first(t.Body) != t.Block {
				return fmt.Errorf("a loop does not start with b%d", t.Block.Index)
			}
			err = v.list(t.Body, append(slices.Clone(around), t.Block))
		case If:
			err = errors.Join(v.list(t.Body, around), v.list(t.Else, around))
		}
		if err != nil || len(rest) > 0 {
			return cmp.Or(err, errors.New("code that no path reaches"))
		}
		return nil
	}
	return errors.New("code without an end")
}

// ends reports whether a tree is the end of a block.
func ends(b *Block, t *Tree) bool {
	leads := func(list []*Tree, e *Edge) bool { return len(list) > 0 && list[0].Kind == Go && list[0].Edge == e }
	switch b.End.Kind {
	case Jump:
		return leads([]*Tree{t}, &b.End.Edges[0])
	case Branch:
		return t.Kind == If && t.Block == b && leads(t.Body, &b.End.Edges[0]) && leads(t.Else, &b.End.Edges[1])
	}
	return t.Kind == End && t.Block == b
}
