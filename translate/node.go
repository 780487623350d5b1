package translate

import (
	"slices"

	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/sem"
)

// node is an operation of a specialised program or of a function, with its arguments.
type node struct {
	sem.Inst
	id   flow.ID
	args []*node
	// call is the function whose result the value is, or nil. with are the arguments that the function uses.
	call *function
	with []*node

	visited  bool
	uses     int
	block    *flow.Block   // the block that computes the value, or nil for a constant and for a read of an input
	users    []*flow.Block // the blocks that use the value
	variable *variable     // the variable that holds the value, or nil if the value is part of expressions
	comp     int           // the component of the variable
	weight   int           // the size of the expression
	raw      bool          // its bits are read as they are
	hold     bool          // used where arithmetic is not precise
	late     bool          // a read of an array that its block does not write afterwards
}

// operands returns the arguments of the expression that stands for a value.
func (n *node) operands() []*node {
	if n.call != nil {
		return n.with
	}
	return n.args
}

// function is a function of the description.
type function struct {
	name   string
	params []parameter
	result *node
	size   int // the number of operations
	slots  []*node
	// factors are the slots that arithmetic uses.
	factors map[*node]bool
}

// parameter is a parameter of a function. comps are the components that the function uses. Each has a slot.
type parameter struct {
	name  string
	typ   sem.Type
	comps []int
}

// scalars returns whether all parameters are scalars, so that the function also exists for vectors.
func (f *function) scalars() bool {
	return !slices.ContainsFunc(f.params, func(p parameter) bool { return p.typ.Len > 0 })
}

// factor marks a value that arithmetic uses, and the values that it may be.
func (f *function) factor(n *node) {
	if f.factors[n] {
		return
	}
	f.factors[n] = true
	switch n.Op {
	case sem.OpSelect:
		f.factor(n.args[1])
		f.factor(n.args[2])
	case sem.OpNeg, sem.OpFlush:
		f.factor(n.args[0])
	}
}

// sum reports whether an operation is a sum, a difference or a product.
func sum(op sem.Op) bool { return op == sem.OpAdd || op == sem.OpSub || op == sem.OpMul }

// zero reports whether a value is the constant 0 or -0.
func (n *node) zero() bool {
	return n.Op == sem.OpConst && n.Type() == sem.F32 && n.Imm&0x7fffffff == 0
}

// withZero reports whether an operation is arithmetic with the constant 0, which is written without arithmetic: drivers are
// known to replace it by its other operand or by 0, without regard to the sign of 0 and to infinities.
func (n *node) withZero() bool {
	return n.call == nil && sum(n.Op) && slices.ContainsFunc(n.args, (*node).zero)
}

// minSize is the number of operations from which on a function is called instead of being repeated.
const minSize = 2

// newFunctions converts the functions of a description. The largest comes first.
func newFunctions(list []*sem.Function) []*function {
	var out []*function
	for _, f := range list {
		nodes := make([]*node, len(f.Insts))
		for i := range f.Insts {
			nodes[i] = &node{Inst: f.Insts[i], id: flow.ID(i)}
			for _, a := range [3]flow.ID{f.Insts[i].A, f.Insts[i].B, f.Insts[i].C} {
				if a != flow.NoID {
					nodes[i].args = append(nodes[i].args, nodes[a])
				}
			}
		}
		x := &function{name: f.Name, result: nodes[f.Result]}
		raw := &builder{}
		for _, n := range nodes {
			if n.Op == sem.OpSlice {
				raw.markRaw(n.args[0])
			}
		}
		x.factors = map[*node]bool{}
		for _, n := range nodes {
			if sum(n.Op) && n.Type().Kind == sem.Float {
				for _, a := range n.args {
					x.factor(a)
				}
			}
		}
		used := map[*node]bool{}
		var visit func(n *node)
		visit = func(n *node) {
			if used[n] {
				return
			}
			used[n] = true
			if n.Op.Pure() {
				x.size++
			}
			for _, a := range n.args {
				visit(a)
			}
		}
		visit(x.result)
		if x.size < minSize || !x.result.Op.Pure() {
			continue
		}
		for _, p := range f.Params {
			q := parameter{name: p.Name, typ: p.Type}
			for k, id := range p.IDs {
				if used[nodes[id]] {
					q.comps = append(q.comps, k)
					x.slots = append(x.slots, nodes[id])
				}
			}
			if len(q.comps) > 0 {
				x.params = append(x.params, q)
			}
		}
		if len(x.slots) == 0 || slices.ContainsFunc(x.params, func(p parameter) bool { return len(p.comps) > 4 }) {
			continue
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b *function) int { return b.size - a.size })
	return out
}

// same reports whether two nodes have the same value.
func same(a, b *node) bool { return sameTo(a, b, 4) }

// sameTo compares nodes down to a depth.
func sameTo(a, b *node, depth int) bool {
	if a == b {
		return true
	}
	if a.Op != b.Op || a.Type() != b.Type() || a.From() != b.From() || a.Imm != b.Imm || a.State != b.State || a.Comp != b.Comp || depth == 0 {
		return false
	}
	switch {
	case a.Op == sem.OpConst:
		return true
	case a.Op == sem.OpRead || a.Op == sem.OpReadX:
		if a.block != nil {
			return false // it may be written in between
		}
	case !a.Op.Pure():
		return false
	}
	return slices.EqualFunc(a.args, b.args, func(x, y *node) bool { return sameTo(x, y, depth-1) })
}

// anySize is a size above those of all functions.
const anySize = 1 << 30

// plain reports whether no vector argument contains the result of an operation. In a function, such a call would be hard to read.
func (f *function) plain(args []*node) bool {
	k := 0
	for _, p := range f.params {
		for range p.comps {
			if p.typ.Len > 0 && args[k].Op != sem.OpParam && args[k].Op != sem.OpConst {
				return false
			}
			k++
		}
	}
	return true
}

// match finds the largest function below a size of which a value is the result. It sets call and with.
func match(functions []*function, n *node, below int) {
	for _, f := range functions {
		if f.size >= below || f.result.Op != n.Op || f.result.Type() != n.Type() {
			continue
		}
		bound := map[*node]*node{}
		collect(f.result, n, bound)
		var args []*node
		for _, s := range f.slots {
			if a := bound[s]; a != nil && a.Type() == s.Type() && !(f.factors[s] && a.zero()) {
				args = append(args, a)
			}
		}
		if len(args) == len(f.slots) && (below == anySize || f.plain(args)) && f.gives(args, n) {
			n.call, n.with = f, args
			return
		}
	}
}

// collect binds the parameters in a pattern to the nodes in the same places. Operations that differ are left out: a constant
// argument makes the operations simpler.
func collect(pattern, n *node, bound map[*node]*node) {
	switch {
	case pattern.Op == sem.OpParam:
		if bound[pattern] == nil {
			bound[pattern] = n
		}
	case pattern.Op == n.Op && len(pattern.args) == len(n.args):
		for i, p := range pattern.args {
			collect(p, n.args[i], bound)
		}
	}
}

// gives reports whether a value is the result of the function for some arguments.
func (f *function) gives(args []*node, n *node) bool {
	w := sem.NewWriter()
	defer w.Release()
	made := map[*node]flow.ID{}
	leaves := map[flow.ID]*node{}
	for i, s := range f.slots {
		at := slices.IndexFunc(args[:i], func(a *node) bool { return same(a, args[i]) })
		switch {
		case args[i].Op == sem.OpConst:
			made[s] = w.Constant(args[i].Type(), args[i].Imm)
		case at >= 0:
			made[s] = made[f.slots[at]]
		default:
			made[s] = w.Write(sem.Param(s.Type()))
			leaves[made[s]] = args[i]
		}
	}
	var write func(p *node) flow.ID
	write = func(p *node) flow.ID {
		id, ok := made[p]
		if !ok {
			k := 0
			in := p.Inst.WithArgs(func(flow.ID) flow.ID {
				k++
				return write(p.args[k-1])
			})
			id = w.Write(in)
			made[p] = id
		}
		return id
	}
	result := write(f.result)
	seen := map[flow.ID]*node{}
	var equal func(id flow.ID, n *node) bool
	equal = func(id flow.ID, n *node) bool {
		if leaf := leaves[id]; leaf != nil {
			return same(leaf, n)
		}
		if old := seen[id]; old != nil {
			return same(old, n)
		}
		in := *w.Inst(id)
		if in.Op != n.Op || in.Type() != n.Type() || in.From() != n.From() || in.Imm != n.Imm {
			return false
		}
		k := 0
		for _, a := range [3]flow.ID{in.A, in.B, in.C} {
			if a == flow.NoID {
				continue
			}
			if k >= len(n.args) || !equal(a, n.args[k]) {
				return false
			}
			k++
		}
		if k != len(n.args) {
			return false
		}
		seen[id] = n
		return true
	}
	in := w.Inst(result)
	return in.Op.Pure() && equal(result, n)
}
