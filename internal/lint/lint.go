// Package lint reports likely mistakes in whole programs. It follows the control flow and checks what
// the instructions read and write.
package lint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// File is the code to check, with the programs in it.
type File struct {
	Image   *program.Image
	Decoder *isa.Decoder
	Facts   *facts.Machine
	// Base and End delimit the code in the image, in bits. All other addresses are relative to Base.
	Base, End int64
	Programs  []Program
	// Registers is the number of registers that a launch allocates, or 0 if the number is unknown.
	Registers int
	// Locate returns the source location of the instruction at an address.
	Locate func(addr int64) diag.Span
}

// Program is one of the programs in a file.
type Program struct {
	// Name is how a launch names the program, or "" if it is the only one.
	Name string
	// Entries are the addresses of its entry points, in bits.
	Entries []int64
	// Outputs are the output registers of the program. The list is empty if they are unknown. Emits
	// reports whether instructions export the outputs. If Emits is false, the end of the program
	// exports them.
	Outputs []Output
	Emits   bool
	// Required names a kind of output that the program must have but does not declare. It is "" if no
	// output is missing.
	Required string
	// Known returns the value of a constant register that the file defines. It is nil if the file
	// defines no constants.
	Known func(state string, number, comp int) (value uint64, ok bool)
	// Names are the declared inputs, uniforms and constants of the program.
	Names []Name
}

// Name is a declaration of Count registers, starting with register Number.
type Name struct {
	Kind          string // input, uniform or constant
	Name          string // "" for a declaration without a name
	State         string
	Number, Count int
	// Span is the location of the declaration in the source. It is invalid if there is no source.
	Span diag.Span
}

// Output is an output register. Mask holds its components, Used the components that the next pipeline
// stage reads, and Needed the components that the program must write.
type Output struct {
	Name               string // for messages
	State              string
	Number             int
	Mask, Used, Needed uint64
	// Span is the location of the declaration in the source. It is invalid if there is no source.
	Span diag.Span
}

// MaxCode is the maximum number of instructions that Check follows.
const MaxCode = 1 << 18

// Limits of the control flow graph. Check may try several times to build the graph. Each attempt
// tracks less of the stacks than the attempt before. MaxNodes limits the nodes in all attempts. In all
// attempts except the last, manyNodes also limits the nodes per instruction. Effort is the number of
// evaluated operations. MaxEffort limits the last attempt, and muchEffort limits the others.
// Evaluating MaxEffort operations takes less than a second.
const (
	MaxNodes   = 1 << 14
	manyNodes  = 1 << 5
	MaxEffort  = 4 << 20
	muchEffort = 1 << 19
	// maxLowered limits the instructions that stay lowered, which takes memory.
	maxLowered = 1 << 12
)

// ErrTooLarge is the error for code with more than MaxCode instructions. If a program exceeds only the
// limits of the control flow graph, Check reports a warning instead.
var ErrTooLarge = errors.New("the program is larger than lint can follow")

// Covers reports whether the warnings of Check can replace an assembler's warnings with the same
// diagnostic code. Check is more precise, because it follows the control flow.
func Covers(code diag.Code) bool {
	return code == diag.MissingEnd || code == diag.OutputTwice || code == diag.JumpAtEnd
}

// Check returns warnings about the programs of a file, sorted by address. It returns ErrTooLarge,
// wrapped, for code with more than MaxCode instructions. It returns the error of the context if the
// context is cancelled.
func Check(ctx context.Context, f *File) (diag.List, error) {
	l, err := newLinter(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range f.Programs {
		l.Program = &f.Programs[i]
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	if err := l.checkHazards(); err != nil {
		return nil, err
	}
	if !l.partial {
		l.checkUnreached()
	}
	slices.SortStableFunc(l.found, func(a, b finding) int { return int(a.addr - b.addr) })
	var list diag.List
	for _, x := range l.found {
		at := x.span
		if !at.IsValid() {
			at = f.Locate(x.addr)
		}
		list = append(list, diag.Warnf(x.code, at, "%s", x.msg))
	}
	return list, nil
}

// newLinter returns a linter that has decoded the instructions of a file.
func newLinter(ctx context.Context, f *File) (*linter, error) {
	l := &linter{File: f, ctx: ctx, at: map[int64]*inst{}, reported: map[reportKey]bool{}, named: map[Name]bool{}}
	l.mapParts()
	return l, l.decode()
}

// check checks one of the programs.
func (l *linter) check() error {
	if err := l.follow(); errors.Is(err, ErrTooLarge) {
		l.reportNotFollowed()
		return nil
	} else if err != nil {
		return err
	}
	l.dropUnallocated()
	l.propagateWrites()
	l.queries = l.newQueries()
	l.propagateLiveness(func(o *Output) uint64 { return o.Used })
	for _, n := range l.order {
		n.reached = true
		l.checkEntries(n)
		l.checkReads(n)
		l.checkFlow(n)
	}
	l.propagateLiveness(func(o *Output) uint64 { return o.Mask }) // checkEffect does not report a write to an unused component of an output.
	for _, in := range l.code {
		l.checkEffect(in)
	}
	l.checkOutputs()
	l.checkNames()
	l.checkEnds()
	return nil
}

// inst is a decoded instruction with its effects.
type inst struct {
	addr int64
	inst isa.Inst
	// facts holds the effects of the instruction after it is lowered, or nil if they are unknown.
	facts   *facts.Facts
	lowered bool
	lower   *facts.Instruction // nil if it must be lowered again
	nodes   []*node
	reached bool // some program reaches the instruction
	// reads are the reads that checkReads checks. They exclude registers that cannot change, computed
	// register numbers, and reads that only preserve or carry a value. carried are the parts whose
	// values the instruction only carries to another register. Such a value is used only if that
	// register is read.
	reads   []facts.Access
	carried set
	flushes bool // the instruction exports the outputs
	next    int64
}

// node is an instruction together with the contents of the stacks before it.
type node struct {
	*inst
	stacks facts.Stacks
	// constants are the register values known at the node. merges counts the merges after which some
	// of these values were no longer known.
	constants *constants
	merges    int
	ways      []facts.Way
	stale     bool // the paths must be computed, for the first time or because a register value is no longer known
	from      []*node
	targets   [][]*node // the successors for each path
	// mustIn are the parts written on all paths to the instruction. mayIn are the parts written on
	// some path.
	mustIn, mayIn set
	// onceIn are the write-once parts written on some path since the last export of the outputs.
	onceIn set
	known  bool
	rank   int  // a node usually has a lower rank than its successors
	canEnd bool // an end of the program can be reached from the node
	// liveIn are the parts that are live before the instruction. needed are the parts that the
	// instruction itself uses, except for parts that it only copies.
	liveIn, needed set
}

// leaving is a path of a node on which control leaves the code.
type leaving struct {
	*node
	way int
}

type nodeKey struct {
	addr   int64
	stacks string
}

type finding struct {
	addr int64
	code diag.Code
	msg  string
	span diag.Span // the location; if invalid, the location of the instruction at addr
}

type reportKey struct {
	addr int64
	code diag.Code
	what string
}

type linter struct {
	ctx context.Context
	*File
	*Program
	code    []*inst
	at      map[int64]*inst
	nodes   map[nodeKey]*node
	order   []*node
	starts  []*node
	outside []leaving      // the paths on which control leaves the code
	states  []*facts.State // the state of each part
	// outputParts are the parts that are outputs. liveAtEnd are the parts that are live at the end of
	// the program.
	outputParts, liveAtEnd set
	found                  []finding
	reported               map[reportKey]bool
	// named holds, for each declaration, whether a program reads it.
	named map[Name]bool
	// effort counts the operations evaluated to find paths. places counts the instructions with a node.
	effort, places int
	kept           int // the number of instructions that stay lowered
	units          unitReader
	// joins means that the graph does not track the whole stacks, so it joins paths that have the same
	// newest entries. Some paths through the graph are then not paths of the program.
	joins bool
	// partial means that some paths are unknown.
	partial bool
	// queries answers queries about paths through the program.
	queries *queries
}

func (l *linter) report(addr int64, code diag.Code, what, format string, args ...any) {
	key := reportKey{addr, code, what}
	if !l.reported[key] {
		l.reported[key] = true
		l.found = append(l.found, finding{addr: addr, code: code, msg: fmt.Sprintf(format, args...)})
	}
}

// decode decodes the instructions in the order of their addresses. It skips words of other roots.
func (l *linter) decode() error {
	d, root, others := l.Decoder, l.Decoder.Root(), l.otherRoots()
	for addr := int64(0); addr < l.End-l.Base; {
		if end, ok := others[l.Base+addr]; ok {
			addr = end - l.Base
			continue
		}
		v, n := l.Image.At(l.Base+addr, root, root.Size)
		d.Addr = addr
		in, ok := d.Decode(v)
		if !ok || in.Leaf.Size > n {
			addr += int64(root.StoredSize(root.MinSize))
			continue
		}
		if len(l.code) == MaxCode {
			return fmt.Errorf("more than %d instructions: %w", MaxCode, ErrTooLarge)
		}
		x := &inst{addr: addr, inst: in, next: addr + int64(root.StoredSize(in.Leaf.Size))}
		l.code = append(l.code, x)
		l.at[addr] = x
		addr = x.next
	}
	return nil
}

// lower computes the effects of an instruction when they are first needed. It reports whether the
// effects are known. Words that no path reaches, such as data, are never lowered.
func (l *linter) lower(in *inst) bool {
	if !in.lowered {
		in.lowered = true
		l.Decoder.Addr = in.addr
		if x, err := l.Facts.At(l.Decoder, in.inst); err == nil {
			in.facts = x.Facts()
			l.recordReads(in)
			if l.kept++; l.kept <= maxLowered {
				in.lower = x
			}
		}
	}
	return in.facts != nil
}

// otherRoots returns the pieces of the image that hold words of other roots. The map contains the end
// of each piece, by its start. Instructions of the program run these words.
func (l *linter) otherRoots() map[int64]int64 {
	ends := map[int64]int64{}
	for i := range l.Image.Pieces {
		if p := &l.Image.Pieces[i]; p.Root != nil && p.Root != l.Decoder.Root() && p.Size > 0 {
			ends[p.Addr] = p.Addr + int64(p.Size)
		}
	}
	return ends
}

// follow builds the control flow graph from the entry points. If the graph becomes too large, follow
// retries and tracks less of the stacks, unless the program is too long anyway.
func (l *linter) follow() (err error) {
	for _, most := range []int{0, 4, 2} {
		l.joins = most > 0
		if err = l.reach(facts.NewBelow(most), min(MaxNodes, manyNodes*(1+len(l.code))), muchEffort); !errors.Is(err, ErrTooLarge) || l.places > MaxNodes/2 {
			return err
		}
	}
	return l.reach(facts.NewBelow(1), MaxNodes, MaxEffort)
}

// reach builds the graph. below determines how much of the stacks it tracks. most limits the number of
// nodes, and effort the number of evaluated operations. If the graph exceeds a limit, reach returns
// ErrTooLarge, and nodes without paths stay stale.
func (l *linter) reach(below *facts.Below, most, effort int) error {
	l.nodes, l.order, l.starts, l.outside, l.effort, l.places = map[nodeKey]*node{}, nil, nil, nil, 0, 0
	for _, in := range l.code {
		in.nodes = nil
	}
	for _, e := range l.Entries {
		if n := l.node(e, facts.Stacks{}); n != nil {
			l.mergeConstants(n, l.initial())
			n.stale = true
			l.starts = append(l.starts, n)
		}
	}
	for more := true; more; more = below.Grew() {
		for open := slices.Clone(l.order); len(open) > 0; {
			n := open[0]
			open = open[1:]
			if err := l.ways(n); err != nil {
				return err
			}
			for i := range n.ways {
				w := &n.ways[i]
				for _, s := range stacksAfter(below, n, w) {
					if to := l.node(w.Next, s); to != nil && l.mergeConstants(to, l.constantsAfter(n, w)) {
						to.stale = true
						open = append(open, to)
					}
				}
			}
			if len(l.order) > most || l.effort > effort {
				return ErrTooLarge
			}
		}
	}
	for _, n := range l.order {
		l.link(n, below)
	}
	return nil
}

// node returns the node for an address and the contents of the stacks, and adds it if it is new. It
// returns nil if there is no instruction at the address or if the effects of the instruction are
// unknown.
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
		if in.nodes = append(in.nodes, n); len(in.nodes) == 1 {
			l.places++
		}
	}
	return n
}

// ways computes the paths from a node, if the node is stale.
func (l *linter) ways(n *node) error {
	if err := l.ctx.Err(); err != nil || !n.stale {
		return err
	}
	x, err := n.lower, error(nil)
	if x == nil {
		l.Decoder.Addr = n.addr
		if x, err = l.Facts.At(l.Decoder, n.inst.inst); err != nil {
			return err
		}
	}
	ways, err := x.Ways(n.stacks, l.knownAt(n))
	if errors.Is(err, facts.ErrWays) {
		return ErrTooLarge
	}
	if n.ways = ways; err != nil {
		return err
	}
	for i := range n.ways {
		l.effort += n.ways[i].Effort
	}
	n.stale = false
	return nil
}

// knownAt returns a function that looks up the register values known at a node.
func (l *linter) knownAt(n *node) facts.Known {
	return func(s *facts.State, number, comp int) (v uint64, ok bool) {
		if p, is := l.Facts.Part(s, number, comp); is {
			v, ok = n.constants.of[p]
		} else if l.Known != nil {
			v, ok = l.Known(s.Name, number, comp)
		}
		return v, ok
	}
}

// reportNotFollowed reports the lowest address from which lint does not follow the paths. Check then
// reports nothing else about this program that depends on paths.
func (l *linter) reportNotFollowed() {
	l.partial = true
	at := int64(-1)
	for _, n := range l.order {
		if n.stale && (at < 0 || n.addr < at) {
			at = n.addr
		}
	}
	l.report(max(at, 0), diag.NotFollowed, "", "there are too many paths to follow from here: lint reports no other warning about this program that depends on paths")
}

// stacksAfter returns the possible stacks after a path. It returns nil if the path ends or its target
// is unknown.
func stacksAfter(below *facts.Below, n *node, w *facts.Way) []facts.Stacks {
	if w.Ends || w.Stops != "" || w.Next < 0 {
		return nil
	}
	return below.After(n.stacks, w.Stacks)
}

// link records the successors of a node, and whether some of them are unknown.
func (l *linter) link(n *node, below *facts.Below) {
	n.targets = make([][]*node, len(n.ways))
	for i := range n.ways {
		w := &n.ways[i]
		if !w.Ends && w.Stops == "" && w.Next < 0 {
			l.partial = true
		}
		for _, s := range stacksAfter(below, n, w) {
			if to := l.node(w.Next, s); to != nil {
				n.targets[i], to.from = append(n.targets[i], to), append(to.from, n)
			} else {
				l.leaves(n, i)
			}
		}
	}
}

// leaves records that control leaves the code. For waves it treats a jump out of the code as an
// unknown path, because a driver may put code there.
func (l *linter) leaves(n *node, way int) {
	if l.Facts.Waves() && n.ways[way].Next != n.next {
		l.partial = true
		return
	}
	l.outside = append(l.outside, leaving{n, way})
}

// checkReads reports a read of a register that may be unwritten, if the instruction uses the value.
func (l *linter) checkReads(n *node) {
	var initial []string
	for _, a := range n.reads {
		never, sometimes := a, a
		never.Mask, sometimes.Mask = 0, 0
		l.parts(a, func(p facts.Part, k int) {
			switch {
			case !n.needed.has(p):
			case a.State.Defined && !l.reportsInitial(a.State) || n.mustIn.has(p) || n.mayIn.has(p) && (a.Maybe || a.State.Defined) || !l.queries.readsUnwritten(n, p):
			case !n.mayIn.has(p):
				never.Mask |= 1 << uint(k)
			case !l.joins:
				sometimes.Mask |= 1 << uint(k)
			}
		})
		switch {
		case a.State.Defined:
			if never.Mask != 0 {
				initial = append(initial, never.String())
			}
		case never.Mask != 0:
			l.report(n.addr, diag.ReadUnwritten, never.String(), "%s is read before anything writes it", never)
		case sometimes.Mask != 0:
			l.report(n.addr, diag.ReadUnwritten, sometimes.String(), "%s is read, but some path to this instruction does not write it", sometimes)
		}
	}
	if len(initial) > 0 {
		l.report(n.addr, diag.ReadInitial, list(initial), "the instruction reads the initial value of %s: no earlier instruction sets %s", list(initial), them(initial))
	}
}

// reportsInitial reports whether checkReads warns about reads of the initial value of a register.
// There is no such warning for waves, because the launch may have set the register.
func (l *linter) reportsInitial(s *facts.State) bool {
	return !l.Facts.Waves() && s.Use != "special" && s.Use != "output"
}

// checkEffect reports an instruction that has no effect: it jumps to the next instruction, changes no
// register, or its results are never used.
func (l *linter) checkEffect(in *inst) {
	if len(in.nodes) == 0 {
		return
	}
	own := &in.facts.Own
	jumps, next := false, true
	used, changes, writes := false, false, l.newSet()
	for _, a := range own.Writes {
		if a.State.Kind != facts.Registers || !a.State.Changes() || a.State.Scope == "wave" {
			used = true
		}
		from, to := a.Number, a.Number+1
		if a.Number < 0 {
			from, to = 0, a.State.Count
		}
		for k := from; k < to && !used; k++ {
			one := a
			one.Number = k
			l.parts(one, func(p facts.Part, _ int) { writes.add(p) })
		}
	}
	for _, n := range in.nodes {
		before := n.stacks.Key()
		for i := range n.ways {
			w := &n.ways[i]
			jumps = jumps || w.ToNext
			next = next && !w.Ends && w.Stops == "" && w.Next == in.next && w.Stacks.Key() == before
			live := l.liveAfter(n, i)
			for _, c := range w.Changes {
				if !writes.has(c.Part) {
					continue
				}
				used = used || live.has(c.Part)
				changes = changes || !c.Copies || c.From[0] != c.Part
			}
		}
	}
	switch {
	case !next || len(own.Services) > 0 || len(own.Traps) > 0 || own.Waits:
	case len(own.Writes) == 0:
		if jumps {
			l.report(in.addr, diag.NoEffect, "", "this jump has no effect: its target is the next instruction")
		}
	case len(own.Flows) != 1 || own.Flows[0].Kind != isa.Next:
	case !changes:
		l.report(in.addr, diag.NoEffect, "", "this instruction changes no register")
	case !used:
		var names []string
		for _, a := range own.Writes {
			names = append(names, a.String())
		}
		l.report(in.addr, diag.ResultUnused, "", "%s %s written here, but the result is never used", list(names), are(names))
	}
}

func are(names []string) string {
	if len(names) > 1 {
		return "are"
	}
	return "is"
}

func them(names []string) string {
	if len(names) > 1 {
		return "them"
	}
	return "it"
}

// list joins names.
func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// checkEntries reports table entries that an instruction selects but the file does not contain. Other
// warnings about the instruction are then unreliable.
func (l *linter) checkEntries(n *node) {
	if !n.inst.inst.MissingEntry {
		return
	}
	l.Decoder.Addr = n.addr
	l.Decoder.Decode(n.inst.inst.Bits)
	for _, f := range l.Decoder.Findings() {
		if f.Kind == isa.NoEntry {
			text := strings.TrimSuffix(f.Text, fmt.Sprintf(" [%s]", diag.TableEntry))
			l.report(n.addr, diag.TableEntry, text, "%s", text)
		}
	}
}

// checkFlow reports probable mistakes in control flow, and outputs that may be written twice.
func (l *linter) checkFlow(n *node) {
	for k, w := range n.ways {
		for _, h := range w.Hazards {
			l.report(n.addr, diag.Code(h.Name), h.Text, "%s", h.Text)
		}
		stops := w.Stops != "" && (!l.Facts.Waves() || len(n.ways) == 1)
		switch {
		case !stops && !w.Overruled && w.Lost == "" || l.joins || !l.queries.reaches(n, k):
		case stops:
			l.report(n.addr, diag.StopsHere, w.Stops, "the program may trap here: %s", w.Stops)
		case w.Overruled:
			l.report(n.addr, diag.JumpAtEnd, "", "this jump has no effect: the end of a scope takes precedence")
		case w.Lost != "":
			l.report(n.addr, diag.StackFull, w.Lost, "stack %s is full here: its oldest entry is lost", w.Lost)
		}
	}
	if n.flushes {
		return // An instruction that exports the outputs may also write them.
	}
	for a := range n.facts.Writes() {
		if !a.State.Once || a.Number < 0 {
			continue
		}
		again := a
		again.Mask = 0
		l.parts(a, func(p facts.Part, k int) {
			if n.onceIn.has(p) && !l.joins && l.queries.writesTwice(n, p) {
				again.Mask |= 1 << uint(k)
			}
		})
		if again.Mask != 0 {
			l.report(n.addr, diag.OutputTwice, again.String(), "%s may already have been written", again)
		}
	}
}

// checkHazards reports the hazards that the description defines. It checks the instructions and the
// words that they run.
func (l *linter) checkHazards() error {
	var buf []isa.Hazard
	for _, in := range l.code {
		if !in.reached {
			continue
		}
		l.Decoder.Addr = in.addr
		for _, h := range l.Decoder.Hazards(buf[:0], in.inst) {
			l.report(in.addr, diag.Code(h.Name), "", "%s", h.Text)
		}
		if err := l.unitHazards(in); err != nil {
			return err
		}
	}
	return nil
}

// checkOutputs reports outputs that may be unwritten when the end of the program or an instruction
// exports them. It also reports a missing required output, and a program that should emit vertices but
// never does.
func (l *linter) checkOutputs() {
	if len(l.starts) == 0 {
		return
	}
	start := l.starts[0].addr
	if l.Required != "" {
		l.report(start, diag.OutputUnwritten, "", "the program has no %s output", l.Required)
	}
	if !l.Emits {
		l.reportUnwritten(start, isEnd, "")
		return
	}
	emits := false
	for _, in := range l.code {
		if len(in.nodes) == 0 || !in.flushes {
			continue
		}
		emits = true
		l.reportUnwritten(in.addr, func(n *node) bool { return n.inst == in }, " before this instruction emits it")
	}
	if !emits {
		l.report(start, diag.NoEmit, "", "no vertex is emitted: the program has no output")
	}
}

// reportUnwritten reports, at the given address, outputs that may be unwritten at the nodes for which
// exports returns true. before completes the message.
func (l *linter) reportUnwritten(at int64, exports func(*node) bool, before string) {
	var nodes []*node
	for _, n := range l.order {
		if exports(n) {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		return
	}
	must, may := l.writtenAtExport(nodes)
	for _, o := range l.Outputs {
		s := l.state(o.State)
		if s == nil {
			continue
		}
		never := facts.Access{State: s, Number: o.Number, Address: -1}
		sometimes := never
		l.parts(facts.Access{State: s, Number: o.Number, Mask: o.Needed}, func(p facts.Part, k int) {
			switch {
			case must.has(p) || !l.queries.exportsUnwritten(at, nodes, p):
			case !may.has(p):
				never.Mask |= 1 << uint(k)
			case !l.joins:
				sometimes.Mask |= 1 << uint(k)
			}
		})
		name := ""
		if o.Name != "" {
			name = " (" + o.Name + ")"
		}
		way := " to an end"
		if before != "" {
			way = ""
		}
		first := len(l.found)
		if never.Mask != 0 {
			if before == "" {
				l.report(at, diag.OutputUnwritten, never.String(), "output %s%s is never written", never, name)
			} else {
				l.report(at, diag.OutputUnwritten, never.String(), "output %s%s is not written%s", never, name, before)
			}
		}
		if sometimes.Mask != 0 {
			l.report(at, diag.OutputUnwritten, sometimes.String()+"?", "output %s%s is not written on every path%s%s", sometimes, name, way, before)
		}
		for i := range l.found[first:] {
			if before == "" {
				l.found[first+i].span = o.Span
			}
		}
	}
}

func (l *linter) state(name string) *facts.State {
	i := slices.IndexFunc(l.Facts.States(), func(s *facts.State) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return l.Facts.States()[i]
}

// isEnd reports whether the program may end at a node.
func isEnd(n *node) bool {
	return slices.ContainsFunc(n.ways, func(w facts.Way) bool { return w.Ends })
}

// writtenAtExport returns the parts written on all and on some paths to the given nodes, which export outputs.
// At the end of the program, the parts that the last instruction writes count as written.
func (l *linter) writtenAtExport(nodes []*node) (must, may set) {
	must, may = l.newSet(), l.newSet()
	for i := range must {
		must[i] = ^uint64(0)
	}
	add := func(always, perhaps set) {
		may.addAll(perhaps)
		for i := range must {
			must[i] &= always[i]
		}
	}
	for _, n := range nodes {
		if n.flushes {
			add(n.mustIn, n.mayIn)
			continue
		}
		for i := range n.ways {
			if n.ways[i].Ends {
				always, perhaps, _ := l.writtenAfter(n, &n.ways[i])
				add(always, perhaps)
			}
		}
	}
	return must, may
}

// checkEnds reports instructions after which control can leave the code, and code that never reaches
// an end.
func (l *linter) checkEnds() {
	out := map[*node]bool{}
	for _, x := range l.outside {
		if out[x.node] = true; l.queries.reaches(x.node, x.way) {
			l.report(x.addr, diag.MissingEnd, "", "control can run past this instruction, but no instruction follows")
		}
	}
	var open []*node
	for _, n := range l.order {
		if slices.ContainsFunc(n.ways, func(w facts.Way) bool { return w.Ends || w.Stops != "" || w.Next < 0 }) || out[n] {
			n.canEnd = true
			open = append(open, n)
		}
	}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		for _, f := range n.from {
			if !f.canEnd {
				f.canEnd = true
				open = append(open, f)
			}
		}
	}
	for _, n := range l.order {
		entered := len(n.from) == 0 || slices.ContainsFunc(n.from, func(f *node) bool { return f.canEnd }) || slices.Contains(l.starts, n)
		if !n.canEnd && entered && l.queries.reaches(n, -1) {
			l.report(n.addr, diag.NeverEnds, "", "no end can be reached from here")
		}
	}
}

// checkUnreached reports code that no path reaches. It ignores trailing instructions without effect,
// which are padding.
func (l *linter) checkUnreached() {
	for i := 0; i < len(l.code); {
		from := i
		for i < len(l.code) && !l.code[i].reached {
			i++
		}
		run := l.code[from:i]
		for len(run) > 0 && !l.hasEffect(run[len(run)-1]) {
			run = run[:len(run)-1]
		}
		if len(run) > 0 {
			word := "instruction is"
			if len(run) > 1 {
				word = fmt.Sprintf("%d instructions starting here are", len(run))
			} else {
				word = "this " + word
			}
			l.report(run[0].addr, diag.Unreached, "", "%s never reached", word)
		}
		if i == from {
			i++
		}
	}
}

// hasEffect reports whether an instruction does anything except continue with the next instruction.
func (l *linter) hasEffect(in *inst) bool {
	if !l.lower(in) {
		return false
	}
	e := &in.facts.Own
	return len(e.Writes) > 0 || len(e.Services) > 0 || len(e.Traps) > 0 || len(e.Flows) != 1 || e.Flows[0].Kind != isa.Next
}
