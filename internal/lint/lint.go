// Package lint looks in whole programs for what is legal and hardly meant, by what their instructions read, write and do
// to the flow of control.
package lint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Program is a program to look at.
type Program struct {
	Image   *program.Image
	Decoder *isa.Decoder
	Facts   *facts.Machine
	// Base and End are where its code starts and ends in the image, in bits; its addresses count from Base.
	Base, End int64
	// Entries are the addresses at which it starts, in bits.
	Entries []int64
	// Outputs are the registers that it is to write, by the names of their files; none where that is not known.
	Outputs []Output
	// Counted tells how many registers the program was given; nil for all.
	Counted exec.Counted
	// Place tells where the instruction at an address is.
	Place func(addr int64) diag.Span
}

// Output is a register that is to be written: the components of Mask.
type Output struct {
	Name   string // for people
	State  string
	Number int
	Mask   uint64
}

// MaxCode is the number of instructions that are looked at.
const MaxCode = 1 << 18

// Limits on nodes: on all, and on those of an instruction before less is looked at.
const (
	maxNodes  = 1 << 14
	manyNodes = 1 << 5
)

// ErrLarge is the error of a program that is too large to be followed.
var ErrLarge = errors.New("the program is larger, or goes more ways, than lint can follow")

// Check returns what is odd about a program, in the order of its code.
func Check(p *Program) (diag.List, error) {
	l := &linter{Program: p, at: map[int64]*inst{}, told: map[tellKey]bool{}}
	l.layOut()
	if err := l.decode(); err != nil {
		return nil, err
	}
	if err := l.follow(); err != nil {
		return nil, err
	}
	l.spread()
	for _, n := range l.order {
		l.entries(n)
		l.reads(n)
		l.odd(n)
	}
	l.hazards()
	l.outputs()
	l.ends()
	if !l.partial {
		l.unreached()
	}
	slices.SortStableFunc(l.found, func(a, b finding) int { return int(a.addr - b.addr) })
	var list diag.List
	for _, f := range l.found {
		list = append(list, diag.Warnf(f.code, p.Place(f.addr), "%s", f.msg))
	}
	return list, nil
}

// inst is an instruction of the program.
type inst struct {
	addr int64
	inst isa.Inst
	// facts are what it does once it is lowered; nil where nobody knows.
	facts   *facts.Facts
	lowered bool
	nodes   []*node
	// reads that count, and what is written always and perhaps.
	reads []facts.Access
	// carried are those that count where what carries them is read; carries is what that is.
	carried, carries []facts.Access
	must, may        set
	next             int64
}

// node is an instruction with what stacks hold there.
type node struct {
	*inst
	stacks facts.Stacks
	ways   []facts.Way
	from   []*node
	to     []*node
	// before the instruction, and behind it, what is written on all ways and on some.
	mustIn, mayIn set
	// onceIn is what was written on some way since a service took the outputs.
	onceIn set
	known  bool
	good   bool // an end can be reached
}

type nodeKey struct {
	addr   int64
	stacks string
}

type finding struct {
	addr int64
	code diag.Code
	msg  string
}

type tellKey struct {
	addr int64
	code diag.Code
	what string
}

type linter struct {
	*Program
	code    []*inst
	at      map[int64]*inst
	nodes   map[nodeKey]*node
	order   []*node
	starts  []*node
	outside []*node // from which control leaves the code
	// first is the place of each state in sets.
	first map[*facts.State]int
	size  int
	found []finding
	told  map[tellKey]bool
	// partial tells that there are ways of which nobody knows where they go.
	partial bool
}

func (l *linter) tell(addr int64, code diag.Code, what, format string, args ...any) {
	key := tellKey{addr, code, what}
	if !l.told[key] {
		l.told[key] = true
		l.found = append(l.found, finding{addr, code, fmt.Sprintf(format, args...)})
	}
}

// decode reads the instructions, one after another.
func (l *linter) decode() error {
	d, root, others := l.Decoder, l.Decoder.Root(), l.others()
	for addr := int64(0); addr < l.End-l.Base; {
		if end, ok := others[l.Base+addr]; ok {
			addr = end - l.Base
			continue
		}
		v, n := l.Image.At(l.Base+addr, root, root.Size)
		d.Addr = addr
		in, ok := d.Decode(v)
		if !ok || in.Leaf.Size > n {
			addr += int64(root.Stored(root.MinSize))
			continue
		}
		if len(l.code) == MaxCode {
			return fmt.Errorf("more than %d instructions: %w", MaxCode, ErrLarge)
		}
		x := &inst{addr: addr, inst: in, next: addr + int64(root.Stored(in.Leaf.Size))}
		l.code = append(l.code, x)
		l.at[addr] = x
		addr = x.next
	}
	return nil
}

// lower finds out what an instruction does when that is asked first, and reports whether it is known: of what nothing
// leads to, as in data, nobody asks.
func (l *linter) lower(in *inst) bool {
	if !in.lowered {
		in.lowered = true
		l.Decoder.Addr = in.addr
		if in.facts, _ = l.Facts.Of(l.Decoder, in.inst); in.facts != nil {
			l.accesses(in)
		}
	}
	return in.facts != nil
}

// others are, by address, where words of other roots end: others run them.
func (l *linter) others() map[int64]int64 {
	ends := map[int64]int64{}
	for i := range l.Image.Pieces {
		if p := &l.Image.Pieces[i]; p.Root != nil && p.Root != l.Decoder.Root() && p.Size > 0 {
			ends[p.Addr] = p.Addr + int64(p.Size)
		}
	}
	return ends
}

// follow makes the graph of all that can happen from the entries on. Where stacks grow without end, less of them is
// looked at.
func (l *linter) follow() (err error) {
	for _, most := range []int{0, 4, 2} {
		if err = l.reach(facts.NewBelow(most), min(maxNodes, manyNodes*(1+len(l.code)))); !errors.Is(err, ErrLarge) {
			return err
		}
	}
	return l.reach(facts.NewBelow(1), maxNodes)
}

// reach finds all that can happen, with stacks as below lists them and at most so many nodes.
func (l *linter) reach(below *facts.Below, most int) error {
	l.nodes, l.order, l.starts = map[nodeKey]*node{}, nil, nil
	for _, in := range l.code {
		in.nodes = nil
	}
	for _, e := range l.Entries {
		if n := l.node(e, facts.Stacks{}); n != nil {
			l.starts = append(l.starts, n)
		}
	}
	for more := true; more; more = below.Grew() {
		for i := 0; i < len(l.order); i++ {
			n := l.order[i]
			if err := l.ways(n); err != nil {
				return err
			}
			for _, w := range n.ways {
				for _, s := range behind(below, n, w) {
					l.node(w.Next, s)
				}
			}
			if len(l.order) > most {
				return ErrLarge
			}
		}
	}
	for _, n := range l.order {
		l.link(n, below)
	}
	return nil
}

// node returns what stands for an instruction where stacks hold that, nil where there is none.
func (l *linter) node(addr int64, s facts.Stacks) *node {
	in := l.at[addr]
	if in == nil || !l.lower(in) {
		return nil
	}
	key := nodeKey{addr, s.Key()}
	n := l.nodes[key]
	if n == nil {
		n = &node{inst: in, stacks: s}
		l.nodes[key] = n
		l.order = append(l.order, n)
		in.nodes = append(in.nodes, n)
	}
	return n
}

// ways finds out how control goes on behind a node.
func (l *linter) ways(n *node) (err error) {
	if n.ways != nil {
		return nil
	}
	l.Decoder.Addr = n.addr
	if n.ways, err = l.Facts.Ways(l.Decoder, n.inst.inst, n.stacks); errors.Is(err, facts.ErrWays) {
		return ErrLarge
	}
	return err
}

// behind returns what stacks can hold where a way of a node leads, nil where it leads nowhere that is known.
func behind(below *facts.Below, n *node, w facts.Way) []facts.Stacks {
	if w.Ends || w.Stops != "" || w.Next < 0 {
		return nil
	}
	return below.After(n.stacks, w.Stacks)
}

// link notes where control goes from a node.
func (l *linter) link(n *node, below *facts.Below) {
	for _, w := range n.ways {
		if !w.Ends && w.Stops == "" && w.Next < 0 {
			l.partial = true
		}
		for _, s := range behind(below, n, w) {
			if to := l.node(w.Next, s); to != nil {
				n.to, to.from = append(n.to, to), append(to.from, n)
			} else {
				l.leaves(n, w)
			}
		}
	}
}

// leaves notes that control leaves the code. Where a wave goes on that lanes left, only running decides.
func (l *linter) leaves(n *node, w facts.Way) {
	if l.Facts.Waves() && w.Next != n.next {
		l.partial = true
		return
	}
	l.outside = append(l.outside, n)
}

// reads tells of what is read and was not written.
func (l *linter) reads(n *node) {
	for _, a := range n.reads {
		never, sometimes := a, a
		never.Mask, sometimes.Mask = 0, 0
		for k := range 64 {
			if a.Mask>>uint(k)&1 == 0 {
				continue
			}
			switch p := l.place(a.State, a.Number, k); {
			case !n.mayIn.has(p):
				never.Mask |= 1 << uint(k)
			case !n.mustIn.has(p) && !a.Maybe:
				sometimes.Mask |= 1 << uint(k)
			}
		}
		if never.Mask != 0 {
			l.tell(n.addr, diag.ReadUnwritten, never.String(), "%s is read, and nothing writes it before", never)
		} else if sometimes.Mask != 0 {
			l.tell(n.addr, diag.ReadUnwritten, sometimes.String(), "%s is read, and not on every way to here is it written", sometimes)
		}
	}
}

// entries warns about table entries that an instruction names and nobody gave: what else is said of it is guessed.
func (l *linter) entries(n *node) {
	if !n.inst.inst.Missing {
		return
	}
	l.Decoder.Addr = n.addr
	l.Decoder.Decode(n.inst.inst.Bits)
	for _, f := range l.Decoder.Findings() {
		if f.Kind == isa.NoEntry {
			text := strings.TrimSuffix(f.Text, fmt.Sprintf(" [%s]", diag.TableEntry))
			l.tell(n.addr, diag.TableEntry, text, "%s", text)
		}
	}
}

// odd tells of what an instruction does to the flow of control that is hardly meant, and of outputs written twice.
func (l *linter) odd(n *node) {
	for _, w := range n.ways {
		switch {
		case w.Stops != "" && !l.Facts.Waves():
			l.tell(n.addr, diag.StopsHere, w.Stops, "the program may stop here: %s", w.Stops)
		case w.Overruled:
			l.tell(n.addr, diag.JumpAtEnd, "", "this jumps, and the end of a scope behind it goes elsewhere")
		case w.Lost != "":
			l.tell(n.addr, diag.StackFull, w.Lost, "stack %s is full here: its oldest entry is lost", w.Lost)
		}
	}
	if len(n.facts.Own.Services) > 0 {
		return // what hands the outputs on may do with them as it likes
	}
	for a := range n.facts.Writes() {
		if !a.State.Once || a.Number < 0 {
			continue
		}
		again := a
		again.Mask = 0
		for k := range 64 {
			if a.Mask>>uint(k)&1 != 0 && n.onceIn.has(l.place(a.State, a.Number, k)) {
				again.Mask |= 1 << uint(k)
			}
		}
		if again.Mask != 0 {
			l.tell(n.addr, diag.OutputTwice, again.String(), "%s is written, and may have been written before", again)
		}
	}
}

// hazards tells of what the description warns of.
func (l *linter) hazards() {
	var buf []isa.Hazard
	for _, in := range l.code {
		if len(in.nodes) == 0 {
			continue
		}
		l.Decoder.Addr = in.addr
		for _, h := range l.Decoder.Hazards(buf[:0], in.inst) {
			l.tell(in.addr, diag.Code(h.Name), "", "%s", h.Text)
		}
	}
}

// outputs tells of outputs that are not written before the program ends.
func (l *linter) outputs() {
	if !slices.ContainsFunc(l.order, ends) {
		return
	}
	for _, o := range l.Outputs {
		i := slices.IndexFunc(l.Facts.States(), func(s *facts.State) bool { return s.Name == o.State })
		if i < 0 || len(l.starts) == 0 {
			continue
		}
		never := facts.Access{State: l.Facts.States()[i], Number: o.Number, Address: -1}
		sometimes := never
		for k := range 64 {
			if o.Mask>>uint(k)&1 == 0 {
				continue
			}
			may, must := l.atEnds(l.place(never.State, o.Number, k))
			switch {
			case !may:
				never.Mask |= 1 << uint(k)
			case !must:
				sometimes.Mask |= 1 << uint(k)
			}
		}
		name := ""
		if o.Name != "" {
			name = " (" + o.Name + ")"
		}
		if never.Mask != 0 {
			l.tell(l.starts[0].addr, diag.OutputUnwritten, never.String(), "output %s%s is never written", never, name)
		}
		if sometimes.Mask != 0 {
			l.tell(l.starts[0].addr, diag.OutputUnwritten, sometimes.String()+"?", "output %s%s is not written on every way to an end", sometimes, name)
		}
	}
}

// ends reports whether the program may end at a node.
func ends(n *node) bool {
	return slices.ContainsFunc(n.ways, func(w facts.Way) bool { return w.Ends })
}

// atEnds reports whether a place is written on some way to an end, and on all.
func (l *linter) atEnds(p int) (may, must bool) {
	must = true
	for _, n := range l.order {
		if ends(n) {
			may = may || n.mayIn.has(p) || n.may.has(p)
			must = must && (n.mustIn.has(p) || n.must.has(p))
		}
	}
	return may, must
}

// ends tells of programs that run past their code, or never end.
func (l *linter) ends() {
	for _, n := range l.outside {
		l.tell(n.addr, diag.MissingEnd, "", "control can run past this, where there is no instruction")
	}
	var open []*node
	for _, n := range l.order {
		if slices.ContainsFunc(n.ways, func(w facts.Way) bool { return w.Ends || w.Stops != "" || w.Next < 0 }) || slices.Contains(l.outside, n) {
			n.good = true
			open = append(open, n)
		}
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		for _, f := range n.from {
			if !f.good {
				f.good = true
				open = append(open, f)
			}
		}
	}
	for _, n := range l.order {
		entered := len(n.from) == 0 || slices.ContainsFunc(n.from, func(f *node) bool { return f.good }) || slices.Contains(l.starts, n)
		if !n.good && entered {
			l.tell(n.addr, diag.NeverEnds, "", "from here on no end is ever reached")
		}
	}
}

// unreached tells of code to which nothing leads, up to the last instruction that does something: padding is none.
func (l *linter) unreached() {
	for i := 0; i < len(l.code); {
		from := i
		for i < len(l.code) && len(l.code[i].nodes) == 0 {
			i++
		}
		run := l.code[from:i]
		for len(run) > 0 && !l.acts(run[len(run)-1]) {
			run = run[:len(run)-1]
		}
		if len(run) > 0 {
			word := "instruction is"
			if len(run) > 1 {
				word = fmt.Sprintf("%d instructions from here on are", len(run))
			} else {
				word = "this " + word
			}
			l.tell(run[0].addr, diag.Unreached, "", "%s never reached", word)
		}
		if i == from {
			i++
		}
	}
}

// acts reports whether an instruction does anything but go on.
func (l *linter) acts(in *inst) bool {
	if !l.lower(in) {
		return false
	}
	e := &in.facts.Own
	return len(e.Writes) > 0 || len(e.Services) > 0 || len(e.Traps) > 0 || len(e.Flows) != 1 || e.Flows[0].Kind != isa.Next
}
