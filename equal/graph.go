package equal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/isago/isago/internal/sat"
	"github.com/isago/isago/internal/sem"
)

// id is the number of a node.
type id int32

// none is a value of a path that no run takes.
const none id = -1

// node is a value as a function of the inputs. Two nodes of a graph differ.
type node struct {
	// op is a pure operation, or opCanon or opFree.
	op sem.Op
	// name distinguishes the functions about which nothing is known, of the operation opFree: inputs, loads, calls.
	name string
	// typ is the type of the value, and from is sem.Inst.From. The type of a memory as a value is sem.Type{}.
	typ, from sem.Type
	imm       uint64
	args      []id
}

const (
	// opCanon is its argument, a float, with the canonical NaN in place of another NaN.
	opCanon = sem.OpOpaque
	// opFree is a function about which nothing is known.
	opFree = sem.OpSettled
)

// step is a step of a proof: the nodes from and to have the same value, by a rule.
type step struct {
	from, to id
	rule     *rule
	// cases are those of the rule byCases, learned are clauses for the rule byBits, and via is the condition of the rule implied.
	cases   *cases
	learned [][]sat.Lit
	via     id
}

// cases are two proofs: one if a condition holds, and one if it does not.
type cases struct {
	condition id
	steps     [2][]step
}

// graph holds the values of both programs.
type graph struct {
	nodes []node
	index map[string]id
	// normal has the simplest known node for a node, and steps has the proof that they are equal.
	normal map[id]id
	steps  []step
	// left is the number of nodes and rewritings that remain.
	left int
}

// errLimit is the error for a graph that is too large. It is the value of a panic in methods of graph.
var errLimit = errors.New("the values of the programs have too many parts")

func newGraph() *graph {
	return &graph{index: map[string]id{}, normal: map[id]id{}, left: MaxNodes}
}

// spend counts a piece of work.
func (g *graph) spend() {
	if g.left--; g.left < 0 {
		panic(errLimit)
	}
}

// raw returns the node that is equal to n, without simplifying it.
func (g *graph) raw(n node) id {
	key := make([]byte, 0, 64)
	key = append(key, byte(n.op), byte(n.typ.Kind), byte(n.typ.Width), byte(n.from.Kind), byte(n.from.Width))
	key = binary.LittleEndian.AppendUint64(key, n.imm)
	key = binary.LittleEndian.AppendUint32(key, uint32(len(n.name)))
	key = append(key, n.name...)
	for _, a := range n.args {
		key = binary.LittleEndian.AppendUint32(key, uint32(a))
	}
	if x, ok := g.index[string(key)]; ok {
		return x
	}
	g.spend()
	g.left -= len(n.args)
	x := id(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.index[string(key)] = x
	return x
}

// add returns the simplest known node that is equal to n. The arguments of n are simplified.
func (g *graph) add(n node) id { return g.simplify(g.raw(n)) }

// simplify returns the simplest known node that is equal to a node.
func (g *graph) simplify(x id) id {
	if y, ok := g.normal[x]; ok {
		for z := g.normal[y]; z != y; z = g.normal[y] {
			y = z
		}
		return y
	}
	g.normal[x] = x // while x is rewritten
	y := g.rewrite(x)
	g.normal[x] = y
	return y
}

// rewrite simplifies the arguments of a node, and then applies the first rule that matches, until none does.
func (g *graph) rewrite(x id) id {
	n := g.nodes[x]
	args := make([]id, len(n.args))
	changed := false
	for i, a := range n.args {
		args[i] = g.simplify(a)
		changed = changed || args[i] != a
	}
	if changed {
		n.args = args
		y := g.raw(n)
		g.steps = append(g.steps, step{from: x, to: y, rule: congruence})
		return g.simplify(y)
	}
	if y, ok := g.fold(&n); ok {
		g.steps = append(g.steps, step{from: x, to: y, rule: folding})
		return y
	}
	for _, r := range rules().of[n.op] {
		y, ok := r.apply(g, x)
		if !ok || y == x {
			continue
		}
		g.spend()
		if r.expands {
			// The result is only of use if an argument becomes another node.
			if z := g.simplify(y); z != x {
				g.steps = append(g.steps, step{from: x, to: y, rule: r})
				return z
			}
			continue
		}
		g.steps = append(g.steps, step{from: x, to: y, rule: r})
		return g.simplify(y)
	}
	return x
}

// constant returns a constant.
func (g *graph) constant(t sem.Type, v uint64) id {
	return g.raw(node{op: sem.OpConst, typ: t, imm: v})
}

// truth returns a constant of type bool.
func (g *graph) truth(v bool) id {
	if v {
		return g.constant(sem.BoolType, 1)
	}
	return g.constant(sem.BoolType, 0)
}

// free returns the value of a function about which nothing is known.
func (g *graph) free(t sem.Type, name string, args ...id) id {
	return g.add(node{op: opFree, typ: t, name: name, args: args})
}

// choose returns x if a condition holds, and y otherwise. A path that no run takes does not count.
func (g *graph) choose(c, x, y id) id {
	switch {
	case x == none || x == y:
		return y
	case y == none:
		return x
	}
	return g.add(node{op: sem.OpSelect, typ: g.nodes[x].typ, args: []id{c, x, y}})
}

// canonical returns a value as an output has it.
func (g *graph) canonical(x id) id {
	if t := g.nodes[x].typ; t.Kind == sem.Float {
		return g.add(node{op: opCanon, typ: t, args: []id{x}})
	}
	return x
}

// fold computes an operation whose arguments are constants.
func (g *graph) fold(n *node) (id, bool) {
	if n.op == opFree || n.op == sem.OpConst {
		return 0, false
	}
	var v [3]uint64
	for i, a := range n.args {
		if g.nodes[a].op != sem.OpConst {
			return 0, false
		}
		v[i] = g.nodes[a].imm
	}
	return g.constant(n.typ, evaluate(n, v)), true
}

// evaluate computes an operation.
func evaluate(n *node, v [3]uint64) uint64 {
	if n.op == opCanon {
		return sem.Canonical(v[0], n.typ)
	}
	in := sem.Inst{Op: n.op, Imm: n.imm}.Typed(n.typ, n.from)
	return sem.Apply(&in, v[0], v[1], v[2])
}

// text returns a value as text, down to a depth. names has the names of inputs by key.
func (g *graph) text(x id, depth int, names map[string]string) string {
	n := &g.nodes[x]
	name := n.op.String()
	switch n.op {
	case sem.OpConst:
		return sem.Number(n.imm, n.typ)
	case opCanon:
		return g.text(n.args[0], depth, names)
	case opFree:
		name = n.name
		if key, ok := strings.CutPrefix(name, "input "); ok {
			return names[key]
		}
		if rest, ok := strings.CutPrefix(name, "file "); ok { // the key of a file has all of its registers
			_, rest, _ = strings.Cut(rest, " ")
			name, _, _ = strings.Cut(rest, " ")
			return name
		}
		if i := strings.Index(name, " element "); i >= 0 {
			name = "element"
		}
	}
	if len(n.args) == 0 {
		return name
	}
	if depth == 0 {
		return "..."
	}
	text := ""
	for i, a := range n.args {
		if i > 0 {
			text += ", "
		}
		text += g.text(a, depth-1, names)
	}
	return fmt.Sprintf("%s(%s)", name, text)
}
