package lint

import (
	"context"
	"errors"

	"github.com/isago/isago/facts"
	"github.com/isago/isago/isa"
)

// Code is decoded code whose programs Follow follows.
type Code struct {
	l  *linter
	at map[*inst]*Inst
}

// Inst is an instruction that some program reaches.
type Inst struct {
	Addr, Next int64
	Inst       isa.Inst
	Facts      *facts.Facts
	// Flows is the control flow that the description declares for the instruction.
	Flows []isa.Flow
	in    *inst
}

// Graph is the control flow of a program.
type Graph struct {
	// Nodes are the reached nodes, and Starts are those of the entry points.
	Nodes, Starts []*Node
	// Joins is set if the graph does not track the whole stacks. Some paths through it are then not paths of the program.
	Joins bool
	// LiveAtEnd are the parts of outputs that are read after the program ends. It is empty if the outputs are unknown.
	LiveAtEnd []facts.Part
}

// Node is an instruction together with the contents of the stacks before it.
type Node struct {
	*Inst
	// Index is the position in Graph.Nodes.
	Index int
	Ways  []facts.Way
	// Targets are the successors for each path. A path that ends, traps, leaves the code or has an unknown target has
	// none.
	Targets [][]*Node
}

// Open decodes the instructions of a file. It returns ErrTooLarge, wrapped, for code with more than
// MaxCode instructions.
func Open(ctx context.Context, f *File) (*Code, error) {
	l, err := newLinter(ctx, f)
	return &Code{l: l, at: map[*inst]*Inst{}}, err
}

// Follow builds the control flow graph of a program. It returns ErrTooLarge if the graph exceeds a
// limit, and the error of the context if the context is cancelled.
func (c *Code) Follow(p *Program) (*Graph, error) {
	l := c.l
	l.Program = p
	if err := l.follow(); errors.Is(err, ErrTooLarge) {
		return nil, ErrTooLarge
	} else if err != nil {
		return nil, err
	}
	g := &Graph{Joins: l.joins}
	nodes := map[*node]*Node{}
	for i, n := range l.order {
		in := c.at[n.inst]
		if in == nil {
			in = &Inst{Addr: n.addr, Next: n.next, Inst: n.inst.inst, Facts: n.facts, in: n.inst}
			l.Decoder.Addr = n.addr
			in.Flows = l.Decoder.Flows(nil, n.inst.inst)
			c.at[n.inst] = in
		}
		x := &Node{Inst: in, Index: i, Ways: n.ways, Targets: make([][]*Node, len(n.ways))}
		nodes[n] = x
		g.Nodes = append(g.Nodes, x)
	}
	for _, n := range l.order {
		for i, list := range n.targets {
			for _, to := range list {
				nodes[n].Targets[i] = append(nodes[n].Targets[i], nodes[to])
			}
		}
	}
	for _, n := range l.starts {
		g.Starts = append(g.Starts, nodes[n])
	}
	l.setLiveAtEnd(func(o *Output) uint64 { return o.Mask })
	for p := range l.states {
		if l.outputParts.has(facts.Part(p)) && !l.Emits {
			g.LiveAtEnd = append(g.LiveAtEnd, facts.Part(p))
		}
	}
	return g, nil
}

// Words calls do with an instruction and with each word of another root that it runs, with a decoder that
// has decoded the word.
func (c *Code) Words(in *Inst, do func(d *isa.Decoder, x isa.Inst)) error {
	d := c.l.Decoder
	d.Addr = in.Addr
	if x, ok := d.Decode(in.Inst.Bits); ok {
		do(d, x)
	}
	return c.l.eachUnit(in.in, do)
}
