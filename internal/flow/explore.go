package flow

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// node is a variant of an instruction: the instruction with the contents of the stacks and the values of
// the control registers before it.
type node struct {
	addr   uint64
	stacks []stack
	key    string
	// in holds the variables whose value before the instruction may differ from their initial value. A
	// dynamic variable has different values on different paths, or a value that is not constant. Any
	// other variable in the map has the given value on every path. A variable that is not in the map
	// has its initial value on every path.
	in    map[Variable]constant
	stale bool // the instruction has not been evaluated with the present values of in
	body  *body
	preds map[*node]bool
	first ID // the number of the node's first value in the Program
	heads map[*fragment]*Block
}

// stack is the contents of a stack. Each entry has a value for each slot and a form. An absent entry has no
// effect: it is as if it were not there.
type stack struct {
	state   *sem.State
	entries [][]slot
}

// The forms of a stack entry.
var (
	// A present entry is there.
	present = slot{value: 1}
	// A possible entry is present or absent, which a Variable says.
	possible = slot{dynamic: true}
	// A repeated entry stands for any number of entries, which a Variable says. They differ in their dynamic
	// slots, which the program keeps on the machine's stack.
	repeated = slot{dynamic: true, value: 1}
)

// form returns the form of an entry.
func form(entry []slot) slot { return entry[len(entry)-1] }

// withForm returns the entry with another form.
func withForm(entry []slot, f slot) []slot {
	entry = slices.Clone(entry)
	entry[len(entry)-1] = f
	return entry
}

// alike reports whether two entries are equal except for their dynamic slots and their forms.
func alike(x, y []slot) bool { return slices.Equal(x[:len(x)-1], y[:len(y)-1]) }

// slot is a value in a stack entry. If dynamic is true, a Variable holds the value. Otherwise the
// value is part of the node's key.
type slot struct {
	dynamic bool
	value   uint64
}

// constant is the value of a variable before a node. If dynamic is true, the value is not known to be
// constant. nonzero is set if it is known not to be 0.
type constant struct {
	dynamic, nonzero bool
	value            uint64
}

// slot returns the value as a part of a key.
func (c constant) slot() slot {
	if c.dynamic {
		return slot{dynamic: true}
	}
	return slot{value: c.value}
}

// join returns what is known of a variable that has either of two values.
func (c constant) join(d constant) constant {
	if c == d {
		return c
	}
	not0 := func(x constant) bool { return x.nonzero || !x.dynamic && x.value != 0 }
	return constant{dynamic: true, nonzero: not0(c) && not0(d)}
}

// body is the result of evaluating an instruction.
type body struct {
	w      *sem.Writer
	params map[Variable]ID
	root   *fragment
	leaves []*fragment
}

// fragment is a part of an evaluated instruction that contains no branch.
type fragment struct {
	insts []ID
	kind  Kind
	cond  ID
	next  [2]*fragment // for a Branch, the fragments for a condition that holds and for one that does not
	// target is the node to which a Jump leads. vals holds the values of the variables that the
	// instruction has written, for a Jump or an Exit.
	// A Jump without a target leads to next[0].
	target  *node
	to      place // identifies the target
	vals    map[Variable]ID
	text    string
	nonzero map[Variable]bool // the variables whose value is not 0
	serial  bool              // the lanes of a wave execute the fragment one after another
	inside  bool              // a Stop that is not at the start of the instruction
}

// place identifies a node.
type place struct {
	addr      uint64
	stacks    []stack
	registers []slot
}

// explorer finds the nodes of a program.
type explorer struct {
	Config
	nodes    map[string]*node
	order    []*node
	variants map[uint64]int
	// counters are the stack slots and control registers that get a value computed from a stack slot or
	// a control register, such as loop counters. The keys of nodes do not contain the values of counters.
	counters map[counter]bool
	// arrays are the register files that an instruction accesses with a computed register number. They
	// are not converted to SSA form: blocks contain the reads and writes.
	arrays map[*sem.State]bool
	// controls are the components of the control registers.
	controls []Variable
	// live is the variable that holds the running lanes of a wave: those that have not ended.
	live  Variable
	again bool // a new counter or array was found, so the exploration must start again
	// evaluations is the number of evaluations of instructions.
	evaluations int
}

type counter struct {
	state *sem.State
	slot  int
}

// unsupported returns the error for a feature that Specialise does not support.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("cannot specialise "+format, args...)
}

// explore finds all nodes and returns the entry node. It starts again when it finds a new counter or
// array.
func (x *explorer) explore(ctx context.Context) (entry *node, err error) {
	for {
		for _, n := range x.order {
			n.release()
		}
		x.nodes, x.order, x.variants, x.again = map[string]*node{}, nil, map[uint64]int{}, false
		var stacks []stack
		for _, s := range x.Machine.States {
			if s.Kind == sem.StackState {
				stacks = append(stacks, stack{state: s})
			}
		}
		if entry, err = x.node(x.Entry, stacks, x.startRegisters()); err != nil {
			return nil, err
		}
		for open := []*node{entry}; len(open) > 0 && !x.again; {
			n := open[0]
			open = open[1:]
			if !n.stale {
				continue
			}
			n.stale = false
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if x.evaluations++; x.evaluations > MaxEvaluations {
				return nil, ErrTooLarge
			}
			if err := x.evaluate(n); err != nil {
				return nil, fmt.Errorf("at 0x%x: %w", x.Machine.Address(n.addr), err)
			}
			for _, f := range n.body.leaves {
				if f.kind == Jump {
					if x.merge(n, f); f.target.stale {
						open = append(open, f.target)
					}
				}
			}
		}
		if !x.again {
			return entry, nil
		}
	}
}

// startRegisters finds the control registers and returns the part of the entry node's key that contains
// them.
func (x *explorer) startRegisters() (list []slot) {
	x.controls = x.controls[:0]
	for _, s := range x.Machine.States {
		if !x.control(s) {
			continue
		}
		for n := range s.Count {
			for comp := range max(1, s.Type.Len) {
				v := Variable{s, n, comp}
				x.controls = append(x.controls, v)
				if !x.counters[counter{s, comp}] {
					c := x.initial(v)
					list = append(list, c.slot())
				}
			}
		}
	}
	return list
}

// node returns the node for an address, the contents of the stacks and the values of the control
// registers. It adds the node if it is new, or returns ErrTooLarge if there are too many nodes.
func (x *explorer) node(addr uint64, stacks []stack, registers []slot) (*node, error) {
	key := binary.LittleEndian.AppendUint64(nil, addr)
	add := func(list []slot) {
		for _, v := range list {
			if v.dynamic {
				key = append(key, 1+byte(v.value))
			} else {
				key = binary.LittleEndian.AppendUint64(append(key, 0), v.value)
			}
		}
	}
	add(registers)
	for _, s := range stacks {
		key = binary.AppendUvarint(key, uint64(len(s.entries)))
		for _, e := range s.entries {
			add(e)
		}
	}
	n := x.nodes[string(key)]
	if n == nil {
		if x.variants[addr]++; x.variants[addr] > MaxVariants || len(x.order) >= MaxNodes {
			return nil, ErrTooLarge
		}
		n = &node{addr: addr, stacks: stacks, key: string(key), stale: true, preds: map[*node]bool{}}
		x.nodes[n.key] = n
		x.order = append(x.order, n)
	}
	return n, nil
}

// before returns the value of a variable before a node.
func (x *explorer) before(n *node, v Variable) constant {
	if c, ok := n.in[v]; ok {
		return c
	}
	return x.initial(v)
}

// initial returns the value of a variable before the program starts.
func (x *explorer) initial(v Variable) constant {
	if v.State.InitExists && x.OneLane {
		return constant{value: 1}
	}
	if v.State.InitExists {
		return constant{dynamic: true, nonzero: true} // a wave has at least one lane
	}
	if v.State.Kind == sem.StackState || x.given(v) {
		return constant{dynamic: true}
	}
	return constant{value: v.initial()}
}

func (x *explorer) given(v Variable) bool {
	if x.Given != nil {
		return x.Given(v.State, v.Number, v.Comp)
	}
	return v.State.Use == "input" || slices.Contains(v.State.Given, v.Number)
}

func (x *explorer) wanted(v Variable) bool {
	if x.Wanted != nil {
		return x.Wanted(v.State, v.Number, v.Comp)
	}
	return v.State.Use == "output"
}

// merge merges the values of the variables after a fragment into their values before the target of the
// fragment.
func (x *explorer) merge(n *node, f *fragment) {
	to, after := f.target, map[Variable]constant{}
	for v := range n.in {
		after[v] = n.in[v]
	}
	for v, id := range f.vals {
		c := constant{dynamic: true, nonzero: f.nonzero[v]}
		if k, ok := n.body.w.Const(id); ok {
			c = constant{value: k}
		}
		after[v] = c
	}
	maps.DeleteFunc(after, func(v Variable, c constant) bool { return c == x.initial(v) && v.State.Kind != sem.StackState })
	if !to.preds[n] {
		to.preds[n] = true
		if len(to.preds) == 1 && to.body == nil {
			to.in, to.stale = after, true
			return
		}
	}
	for v, c := range after {
		to.set(v, x.before(to, v), c)
	}
	for v, old := range to.in {
		if _, ok := after[v]; !ok {
			to.set(v, old, x.initial(v))
		}
	}
}

// set joins what was known of a variable with what is known on another path.
func (n *node) set(v Variable, old, c constant) {
	if c = old.join(c); c == old {
		return
	}
	if n.in == nil {
		n.in = map[Variable]constant{}
	}
	n.in[v], n.stale = c, true
}

// release frees the memory of an evaluation.
func (n *node) release() {
	if n.body != nil && n.body.w != nil {
		n.body.w.Release()
		n.body.w = nil
	}
}

// cloneStacks returns a copy of the stacks, to which entries can be pushed. The entries themselves are
// shared.
func cloneStacks(list []stack) []stack {
	list = slices.Clone(list)
	for i := range list {
		list[i].entries = slices.Clone(list[i].entries)
	}
	return list
}

// reset reports whether a state is reset to its initial value before each instruction.
func reset(s *sem.State) bool { return s.Scope == spec.ScopeInstruction }
