package vectors

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	isabits "github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
)

// programsTopic is the name of the file of programs, in File.Instruction and Options.Instructions.
const programsTopic = "programs"

// Limits of the search for programs.
const (
	programTries = 9000
	staleTries   = 4000 // without a program that shows something new
	programSteps = 200  // instructions that a program may dispatch
	poolTries    = 60   // words to try of each instruction
	poolWords    = 6    // words to use of each instruction
	manyTries    = 8000 // and manyWords: at least so many for all instructions of a root
	manyWords    = 150
	mostMain     = 11 // words of a program, without the one that ends it
)

// piece is a word of a program.
type piece struct {
	word
	leaf *isa.Leaf
	code *sem.Code
	// closes lists the kinds of flow that may end what the word opens.
	closes []isa.FlowKind
	aims   []aim
	// counts are the fields that count words, such as those of a procedure, and count is their value.
	counts []string
	count  uint64
	runs   *isa.Runs // nil if the word runs no other words
	// inner are the words that this word runs, with the numbers of their roots in runs.Roots.
	inner []innerPiece
}

type innerPiece struct {
	*piece
	root int
}

// aim is a field that determines branch targets, and the number of the piece to which it leads.
type aim struct {
	field string
	moves int // the number of targets that the field moves
	to    int
}

// pool holds the words from which programs of a root are made.
type pool struct {
	control, plain, ends []*piece
	sets                 []*piece // words of plain that write what words of control read
	// closers are words of control that may end what other words open, such as loops. Each kind of flow has a list.
	closers map[isa.FlowKind][]*piece
}

// programWork makes the programs of a machine.
type programWork struct {
	*leafWork
	*rand.Rand
	d     map[*isa.Root]*isa.Decoder
	pools map[*isa.Root]*pool
	known map[string]bool // the events that programs have shown
}

// programsFile returns the file of programs, or nil if no program shows anything.
func (g *generator) programsFile(ctx context.Context) (*File, error) {
	root, err := g.m.Root("")
	if err != nil {
		return nil, err
	}
	w := &programWork{
		leafWork: g.topic(root, programsTopic, "Small programs: what one instruction leaves for another."),
		Rand:     rand.New(rand.NewPCG(hashText(programsTopic), 51)),
		d:        map[*isa.Root]*isa.Decoder{}, pools: map[*isa.Root]*pool{}, known: map[string]bool{},
	}
	if err := w.fill(ctx, root); err != nil {
		return nil, err
	}
	for tries, stale := 0, 0; tries < programTries && stale < staleTries; tries, stale = tries+1, stale+1 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		some, err := w.try(ctx)
		if err != nil {
			return nil, err
		}
		if some {
			stale = 0
		}
	}
	if len(w.file.Vectors) == 0 {
		return nil, nil
	}
	return w.file, nil
}

// topic returns the work for a file with vectors of several instructions. The file names the values of all quirks.
func (g *generator) topic(root *isa.Root, name, doc string) *leafWork {
	w := &leafWork{generator: g, root: root, runner: step.NewRunner(g.m), programs: map[string]*step.Program{}}
	w.file = &File{Format: Format, Machine: g.m.Set().Name(), Instruction: name, Doc: doc, Quirks: map[string]string{}}
	if first, err := g.m.Root(""); err == nil && first != root {
		w.file.Root = root.Name
	}
	for _, q := range g.sem.Quirks() {
		if !q.Launch {
			w.names = append(w.names, q.Name)
			w.file.Quirks[q.Name] = quirkText(q.Values(), q.Numbers(), g.quirks, q.Name, q.Default)
		}
	}
	return w
}

// ownOp reports whether an instruction itself, not the code around it, has an operation.
func ownOp(code *sem.Code, ops ...sem.Op) bool {
	return slices.ContainsFunc(code.Insts, func(in sem.Inst) bool { return in.Notes&sem.Around == 0 && slices.Contains(ops, in.Op) })
}

// fill finds words of a root. All have the size of the largest words of the root, so that every address is aligned.
func (w *programWork) fill(ctx context.Context, root *isa.Root) error {
	d, err := w.m.Set().NewDecoder(root.Name)
	if err != nil {
		return err
	}
	p := &pool{closers: map[isa.FlowKind][]*piece{}}
	w.d[root], w.pools[root] = d, p
	for _, leaf := range root.Leaves {
		if leaf.Size != root.Size {
			continue
		}
		find, found, traps := newWordFinder(hashText(programsTopic+leaf.Name), d, leaf), map[*[]*piece]int{}, 0
		most := max(poolWords, manyWords/len(root.Leaves))
		for range max(poolTries, manyTries/len(root.Leaves)) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			x, ok := find.random(nil)
			if !ok {
				continue
			}
			code, err := w.sem.Lower(w.sem.Model.Roots[root.ID], &sem.Words{Context: w.m.Set().DefaultContext(), Tables: x.tables, Quirks: w.quirks}, x.bits, 0)
			if err != nil {
				continue
			}
			one := &piece{word: x, leaf: leaf, code: code}
			if r, ok := leaf.Runs(); ok && code.Runs {
				one.runs = &r
				for _, inner := range r.Roots {
					if w.pools[inner] == nil {
						if err := w.fill(ctx, inner); err != nil {
							return err
						}
					}
				}
			}
			flows := w.aim(d, one)
			if slices.ContainsFunc(code.Insts, func(in sem.Inst) bool {
				indexed := in.Op == sem.OpReadX || in.Op == sem.OpWriteX
				return in.Op == sem.OpUnknown || in.Op == sem.OpTrap && (in.Guard == sem.NoID || len(flows) == 0) || indexed && in.State.Outside == sem.OutsideTrap
			}) {
				if traps++; traps > max(1, most/8) {
					continue
				}
			}
			for _, f := range leaf.FlowForms() {
				if f.Count != "" && !slices.ContainsFunc(one.aims, func(a aim) bool { return a.field == f.Count }) {
					one.counts = append(one.counts, f.Count)
				}
			}
			to := &p.plain
			switch {
			case slices.ContainsFunc(flows, func(f isa.Flow) bool { return f.Kind == isa.End && !f.Maybe }):
				to = &p.ends
			case one.runs != nil || len(flows) > 0 || ownOp(code, sem.OpPush, sem.OpPop, sem.OpEnd, sem.OpBarrier, sem.OpTrap, sem.OpAny, sem.OpAll, sem.OpBallot):
				to = &p.control
			}
			if found[to]++; found[to] <= most {
				*to = append(*to, one)
				for _, f := range flows {
					switch f.Kind {
					case isa.Wait, isa.Return, isa.LoopEnd, isa.Break:
						p.closers[f.Kind] = append(p.closers[f.Kind], one)
					case isa.Push:
						one.closes = append(one.closes, isa.Wait, isa.Break)
					case isa.Call:
						one.closes = append(one.closes, isa.Return)
					case isa.Loop:
						one.closes = append(one.closes, isa.LoopEnd, isa.Break)
					}
				}
			}
		}
	}
	asked := map[*sem.State]bool{}
	for _, x := range p.control {
		for i := range x.code.Insts {
			if in := &x.code.Insts[i]; in.Op == sem.OpRead && in.Notes&sem.Around == 0 {
				asked[in.State] = true
			}
		}
	}
	for _, x := range p.plain {
		if slices.ContainsFunc(x.code.Insts, func(in sem.Inst) bool { return in.Op == sem.OpWrite && asked[in.State] }) {
			p.sets = append(p.sets, x)
		}
	}
	return nil
}

// targetsWith returns the branch targets of a word with a value in a field.
func targetsWith(d *isa.Decoder, in isa.Inst, field string, value uint64) []isa.BranchTarget {
	if d.SetField(&in, field, value) != nil {
		return nil
	}
	return d.Targets(nil, in)
}

// aim finds the fields that determine the branch targets of a word, and returns the control flow of the word.
func (w *programWork) aim(d *isa.Decoder, x *piece) (flows []isa.Flow) {
	d.Addr = 0
	d.SetTables(x.tables)
	in, ok := d.Decode(x.bits)
	if !ok {
		return nil
	}
	if flows = d.Flows(nil, in); len(d.Targets(nil, in)) == 0 {
		return flows
	}
	for _, f := range d.FieldValues(nil, in) {
		if f.Derived() || f.Index {
			continue
		}
		a, b, moves := targetsWith(d, in, f.Path, 0), targetsWith(d, in, f.Path, 1), 0
		for k := range a {
			if len(a) == len(b) && a[k].Addr != b[k].Addr {
				moves++
			}
		}
		if moves > 0 {
			x.aims = append(x.aims, aim{field: f.Path, moves: moves})
		}
	}
	slices.SortStableFunc(x.aims, func(a, b aim) int { return b.moves - a.moves })
	return flows
}

// lead makes a field lead to an address in bits. The targets depend linearly on the field.
func lead(d *isa.Decoder, in *isa.Inst, field string, width int, to int64) bool {
	a, b := targetsWith(d, *in, field, 0), targetsWith(d, *in, field, 1)
	for k := range a {
		if len(a) != len(b) || a[k].Addr == b[k].Addr {
			continue
		}
		slope := b[k].Addr - a[k].Addr
		if (to-a[k].Addr)%slope != 0 {
			return false
		}
		return d.SetField(in, field, uint64((to-a[k].Addr)/slope)&widthMask(width)) == nil
	}
	return false
}

// layout is a program in the form of a vector.
type layout struct {
	Vector
	program *exec.Program
	code    map[uint64]*sem.Code
	names   map[uint64]string // mnemonics by address
	// flows has the instructions that have control flow of their own, with their branch targets as addresses.
	flows map[uint64][]uint64
	calls map[uint64]bool // the instructions that call a procedure
}

// layout puts the pieces one after the other, lets the branches lead to pieces, and puts the words that they run after them.
// It returns nil if that is not possible.
func (w *programWork) layout(list []*piece) *layout {
	l := &layout{code: map[uint64]*sem.Code{}, names: map[uint64]string{}, flows: map[uint64][]uint64{}, calls: map[uint64]bool{}}
	d := w.d[w.root]
	tables := make([][]isabits.Value, len(w.m.Set().Tables()))
	size := len(list) * w.root.Size
	place, innerSize := 0, 0 // of the next inner word
	var words []isabits.Value
	var ends []int64
	type innerWord struct {
		isabits.Value
		root   *isa.Root
		number int
	}
	var inner []innerWord
	for i, x := range list {
		d.SetTables(x.tables)
		d.Addr = int64(i * w.root.Size)
		in, ok := d.Decode(x.bits)
		if !ok {
			return nil
		}
		for _, f := range d.IndexFields(in) {
			var entry isabits.Value
			if t := x.tables[f.TableIndex]; int(f.Index) < len(t) {
				entry = t[f.Index]
			}
			at := slices.Index(tables[f.TableIndex], entry)
			if at < 0 {
				at = len(tables[f.TableIndex])
				tables[f.TableIndex] = append(tables[f.TableIndex], entry)
			}
			if d.SetField(&in, f.Field, uint64(at)) != nil {
				return nil
			}
		}
		d.SetTables(tables)
		if in, ok = d.Decode(in.Bits); !ok {
			return nil
		}
		for _, a := range x.aims {
			width := 0
			for _, f := range d.FieldValues(nil, in) {
				if f.Path == a.field {
					for _, p := range f.Parts {
						width += p.Width
					}
				}
			}
			if !lead(d, &in, a.field, width, int64(min(a.to, len(list))*w.root.Size)) {
				return nil
			}
		}
		for _, field := range x.counts {
			if d.SetField(&in, field, x.count) != nil {
				return nil
			}
		}
		if x.runs != nil {
			innerSize = x.runs.Roots[0].Size
			if place == 0 {
				place = (size + innerSize - 1) / innerSize
			}
			in.Bits.SetUint(x.runs.Address.Low, x.runs.Address.Width, uint64(place))
			in.Bits.SetUint(x.runs.Count.Low, x.runs.Count.Width, uint64(len(x.inner)))
			for k, y := range x.inner {
				if s := x.runs.Steps[k]; s.Root.Width > 0 {
					in.Bits.SetUint(s.Root.Low, s.Root.Width, uint64(y.root))
				}
				inner = append(inner, innerWord{y.bits, x.runs.Roots[y.root], place})
				place++
			}
		}
		if in, ok = d.Decode(in.Bits); !ok || in.Leaf != x.leaf || d.NumFindings() > 0 {
			return nil
		}
		pc := uint64(i * w.root.Size / w.m.Unit)
		for _, f := range d.Flows(nil, in) {
			l.flows[pc] = []uint64{}
			l.calls[pc] = l.calls[pc] || f.Kind == isa.Call
		}
		for _, t := range d.Targets(nil, in) {
			ends = append(ends, t.Addr)
			l.flows[pc] = append(l.flows[pc], uint64(t.Addr)/uint64(w.m.Unit))
		}
		l.Text = append(l.Text, d.Text(in))
		l.names[pc] = calledName(d, in)
		words = append(words, in.Bits)
	}
	for _, t := range ends {
		if t < 0 || t >= int64(size) || t%int64(w.root.Size) != 0 {
			return nil
		}
	}
	for _, x := range inner {
		d := w.d[x.root]
		in, ok := d.Decode(x.Value)
		if !ok {
			return nil
		}
		l.Text = append(l.Text, d.Text(in))
	}
	l.Words = w.pack(words, size, func(code []uint32) []uint32 {
		for _, x := range inner {
			code = put(code, x.Value, x.number*innerSize, innerSize)
		}
		return code
	})
	for i, t := range w.m.Set().Tables() {
		if len(tables[i]) == 0 {
			continue
		}
		if l.Tables == nil {
			l.Tables = map[string][]string{}
		}
		for _, entry := range tables[i] {
			l.Tables[t.Name] = append(l.Tables[t.Name], entry.String())
		}
	}
	c := step.Code{Words: l.Words, Tables: l.Tables, Quirks: w.given}
	var err error
	if l.program, err = c.Program(w.m); err != nil {
		return nil
	}
	for i := range list {
		pc := uint64(i * w.root.Size / w.m.Unit)
		code, err := l.program.Code(inside.Key{}, pc)
		if err != nil || code.Runs {
			return nil
		}
		l.code[pc] = code
	}
	return l
}

// calledName returns the mnemonic of an instruction, or the kind of its control flow if only some words of the leaf have it.
func calledName(d *isa.Decoder, in isa.Inst) string {
	some := false
	for _, f := range in.Leaf.FlowForms() {
		if !f.Sometimes {
			return d.Mnemonic(in)
		}
		some = true
	}
	var kinds []string
	for _, f := range d.Flows(nil, in) {
		if f.Kind != isa.Next {
			kinds = append(kinds, f.Kind.String())
		}
	}
	if slices.Sort(kinds); !some || len(kinds) == 0 || len(d.Targets(nil, in)) > 0 {
		return d.Mnemonic(in)
	}
	return "an instruction with " + strings.Join(slices.Compact(kinds), " and ")
}

// put puts bits at a place in the code, which counts bits.
func put(code []uint32, v isabits.Value, at, size int) []uint32 {
	for i := range size {
		for (at+i)/32 >= len(code) {
			code = append(code, 0)
		}
		code[(at+i)/32] |= uint32(v.Bit(i)) << ((at + i) % 32)
	}
	return code
}

// pack returns the words of a program in hexadecimal, in the order in which files store them. more adds words to the code.
func (w *programWork) pack(words []isabits.Value, size int, more func([]uint32) []uint32) (list []string) {
	if w.root.Size%32 == 0 || w.root.Size < 32 {
		for _, v := range words {
			list = append(list, hexWords(w.root, v, w.root.Size)...)
		}
		if w.root.Size < 32 || len(more(nil)) == 0 {
			return list
		}
	}
	var code []uint32
	for i, v := range words {
		if w.root.HighFirst {
			for k, text := range hexWords(w.root, v, w.root.Size) {
				n, _ := strconv.ParseUint(text, 16, 32)
				code = put(code, isabits.Value{n}, i*w.root.Size+32*k, 32)
			}
			continue
		}
		code = put(code, v, i*w.root.Size, w.root.Size)
	}
	code = more(code)
	list = nil
	for _, n := range code {
		list = append(list, fmt.Sprintf("%08x", n))
	}
	return list
}

// random returns the pieces of a random program.
func (w *programWork) random() (list []*piece) {
	p := w.pools[w.root]
	pick := func(from []*piece) *piece {
		if len(from) == 0 {
			return nil
		}
		x := *from[w.IntN(len(from))]
		if x.runs != nil {
			x.inner = nil
			for range 1 + w.IntN(min(2, len(x.runs.Steps))) {
				root := w.IntN(len(x.runs.Roots))
				if w.IntN(4) > 0 {
					root = 0
				}
				if q := w.pools[x.runs.Roots[root]]; len(q.plain) > 0 {
					x.inner = append(x.inner, innerPiece{q.plain[w.IntN(len(q.plain))], root})
				}
			}
		}
		return &x
	}
	for n := 2 + w.IntN(mostMain-1); len(list) < n; {
		from := p.control
		switch k := w.IntN(20); {
		case k == 0:
			from = p.ends
		case k < 5:
			from = p.plain
		case k < 9:
			from = p.sets
		}
		x := pick(from)
		if x == nil {
			x = pick(slices.Concat(p.control, p.plain))
		}
		if x == nil {
			return nil
		}
		if i := w.IntN(8); i < len(list) && i < 3 { // the same instruction again, with other targets
			again := *list[w.IntN(len(list))]
			x = &again
		}
		list = append(list, x)
	}
	if x := pick(p.ends); x != nil {
		list = append(list, x)
	}
	for i, x := range list {
		x.aims, x.count = slices.Clone(x.aims), uint64(w.IntN(4))
		for k := range x.aims {
			to := w.IntN(len(list))
			if w.IntN(3) > 0 { // scopes are short
				to = min(i+1+w.IntN(4), len(list)-1)
			}
			if k > 0 {
				to = min(max(x.aims[k-1].to, 0)+w.IntN(3), len(list)-1)
			}
			x.aims[k].to = to
		}
	}
	for _, x := range list[:len(list)-1] {
		if len(x.closes) == 0 || len(x.aims) == 0 || w.IntN(2) > 0 {
			continue
		}
		from := p.closers[x.closes[w.IntN(len(x.closes))]]
		if to := x.aims[0].to; to < len(list)-1 && list[to] != x && len(from) > 0 {
			y := *from[w.IntN(len(from))]
			y.aims = slices.Clone(y.aims)
			for k := range y.aims {
				y.aims[k].to = w.IntN(len(list))
			}
			list[to] = &y
		}
	}
	return list
}

// without returns the pieces without one of them. Branches to it lead to the next piece.
func without(list []*piece, n int) (out []*piece) {
	for i, x := range list {
		if i == n {
			continue
		}
		y := *x
		y.aims = slices.Clone(x.aims)
		for k := range y.aims {
			if y.aims[k].to > n {
				y.aims[k].to--
			}
		}
		out = append(out, &y)
	}
	return out
}

// try makes a random program, and reports whether it became a vector.
func (w *programWork) try(ctx context.Context) (bool, error) {
	list := w.random()
	if len(list) == 0 {
		return false, nil
	}
	seed, lanes := w.Uint64(), 1
	if w.IntN(4) > 0 {
		lanes = waveLanes
	}
	v, events, err := w.observe(ctx, list, seed, lanes)
	if err != nil || v == nil {
		return false, err
	}
	news := w.news(events)
	if len(news) == 0 {
		return false, nil
	}
	for i := len(list) - 1; i >= 0 && len(list) > 2; i-- {
		less := without(list, i)
		u, shown, err := w.observe(ctx, less, seed, lanes)
		if err != nil {
			return false, err
		}
		if u == nil || slices.ContainsFunc(news, func(s string) bool { return !shown[s] }) {
			continue
		}
		v, list, news = u, less, w.news(shown)
	}
	for _, s := range news {
		w.known[s] = true
	}
	v.Reasons = news
	v.Name = fmt.Sprintf("%s/%d", programsTopic, len(w.file.Vectors)+1)
	q := step.Query{Lanes: v.Lanes, Steps: int64(v.Steps), Initial: v.Initial}
	clear(w.programs)
	if err := w.decides(v, &q); err != nil {
		return false, err
	}
	w.file.Vectors = append(w.file.Vectors, *v)
	return true, nil
}

// news returns the events that no program has shown, in ASCII order.
func (w *programWork) news(events map[string]bool) (list []string) {
	for s := range events {
		if !w.known[s] {
			list = append(list, s)
		}
	}
	slices.Sort(list)
	return list
}

// inputs returns the state before a program: the registers that its words read, and the first bytes of memories.
func (w *programWork) inputs(l *layout, seed uint64, lanes int) (out State) {
	var src *source
	named := map[[2]int]*sem.State{}
	for _, pc := range slices.Sorted(maps.Keys(l.code)) {
		code := l.code[pc]
		s := newSource(seed, code.Insts, code.Next, 0, lanes)
		s.narrow = true
		if src == nil {
			src = s
		} else {
			for c, p := range s.uses {
				src.uses[c] |= p
			}
		}
		for i := range code.Insts {
			in := &code.Insts[i]
			if in.Op == sem.OpRead && in.State.Scope != 0 && !in.State.ReadOnly && !in.State.InitExists {
				named[[2]int{in.State.Index, int(in.Imm)}] = in.State
			}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(named), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		st := named[at]
		small := src.IntN(2) == 0 // for counts of loops
		for k := range src.init.owners(st) {
			r := Register{Name: st.Name, Single: st.Single, Number: at[1], Lane: lane(st, k), Bits: st.Type.Width, Vector: st.Type.Len > 0}
			for comp := range max(1, st.Type.Len) {
				c := component{st, at[1], comp}
				v := src.init.get(c)[k]
				if small && st.Type.Kind != sem.Float && src.uses[c]&float == 0 {
					v = src.Uint64N(4) & widthMask(st.Type.Elem().Width)
				}
				r.Values = append(r.Values, v)
			}
			out.Registers = append(out.Registers, r)
		}
	}
	return out
}

// observe runs a program. It returns nil if the program cannot be a vector: if it does not end, or runs into words that are
// not instructions.
func (w *programWork) observe(ctx context.Context, list []*piece, seed uint64, lanes int) (*Vector, map[string]bool, error) {
	l := w.layout(list)
	if l == nil {
		return nil, nil, nil
	}
	o := &observer{layout: l, m: w.m, sem: w.sem, events: map[string]bool{}, pushed: map[[2]int][]pushed{}, writers: map[component]*[waveLanes]writer{}}
	q := step.Query{Lanes: lanes, Steps: programSteps, Initial: w.inputs(l, seed, lanes), Trace: o.trace}
	q.Program = w.runner.Program(l.program)
	res, err := w.runner.Run(ctx, &q)
	if err != nil {
		return nil, nil, err
	}
	if o.outside {
		return nil, nil, nil
	}
	o.finish(nil)
	v := l.Vector
	v.Lanes, v.Initial = lanes, q.Initial
	for i := range res.Stops {
		s := &res.Stops[i]
		switch {
		case s.Reason == "end", s.Reason == "trap":
		case s.Reason == "end of words" && len(w.pools[w.root].ends) == 0:
			v.Steps = int(res.Instructions) // the vector ends before the wave leaves the program
			continue
		default:
			return nil, nil, nil
		}
		v.Stops = append(v.Stops, Stop{Lanes: strconv.FormatUint(s.Lanes, 16), Reason: strings.TrimSuffix(s.Reason+": "+s.Text, ": ")})
	}
	if v.Steps > 0 {
		if len(res.Stops) > 1 || v.Steps >= programSteps {
			return nil, nil, nil
		}
		q.Steps, q.Trace = int64(v.Steps), nil
		if res, err = w.runner.Run(ctx, &q); err != nil {
			return nil, nil, err
		}
	}
	if slices.ContainsFunc(v.Stops, func(s Stop) bool { return strings.HasPrefix(s.Reason, "trap") }) { // it shows nothing else
		maps.DeleteFunc(o.events, func(s string, _ bool) bool { return !strings.HasPrefix(s, trapped) })
	}
	v.Calls, v.Final = slices.Clone(res.Calls), w.runner.Final(&q)
	return &v, o.events, nil
}

// pushed is an entry of a stack: the address of the instruction that pushed it.
type pushed struct{ pc uint64 }

// writer is the last instruction that changed a component in a lane.
type writer struct {
	set bool
	pc  uint64
}

// observer records what happens between the instructions of a program.
type observer struct {
	*layout
	m      *exec.Machine
	sem    *sem.Machine
	wave   *exec.Wave
	events map[string]bool

	mark    exec.Mark
	now     exec.Event          // the instruction that runs, or ran last
	any     bool                // whether there is one
	depths  map[[2]int]int      // of the stacks before it, by state and lane
	tops    map[[2]int]string   // the entries of full stacks
	pushed  map[[2]int][]pushed // the entries by state and lane, the oldest first
	popped  map[int]uint64      // by lane, the address of the instruction that pushed the popped entry
	writers map[component]*[waveLanes]writer
	visited [waveLanes]map[uint64]bool
	apart   [waveLanes][waveLanes]string // the instruction at which two lanes diverged
	outside bool                         // the program runs words that are none of its pieces
	ran     map[uint64]bool              // the instructions that ran inner words
	inners  int
}

func (o *observer) add(format string, args ...any) { o.events[fmt.Sprintf(format, args...)] = true }

// name returns the name of the instruction at an address, or that of the code around it if only that has an operation.
func (o *observer) name(pc uint64, op sem.Op, st *sem.State) string {
	for i := range o.code[pc].Insts {
		if in := &o.code[pc].Insts[i]; in.Op == op && (st == nil || in.State == st) && in.Notes&sem.Around == 0 {
			return o.names[pc]
		}
	}
	return implicit
}

// jumper returns the name of the instruction at an address if it has control flow of its own that may lead to an address.
// Otherwise the code around it jumps, as at the end of a loop.
func (o *observer) jumper(pc, to uint64) string {
	if targets, ok := o.flows[pc]; ok && (len(targets) == 0 || slices.Contains(targets, to)) {
		return o.names[pc]
	}
	return implicit
}

const (
	implicit = "an implicit effect"
	trapped  = "a lane traps: "
)

// stacks calls f for each stack, and each lane with a stack of its own.
func (o *observer) stacks(f func(at [2]int, st *sem.State, public *exec.State)) {
	for _, st := range o.sem.States {
		if st.Kind != sem.StackState {
			continue
		}
		for k := range o.Lanes() {
			f([2]int{st.Index, k}, st, o.m.States[st.Index])
			if shared(st) {
				break
			}
		}
	}
}

// Lanes returns the number of lanes of the wave.
func (o *observer) Lanes() int {
	if o.wave.Exists() == 1 {
		return 1
	}
	return waveLanes
}

// entriesText returns the entries of a stack.
func (o *observer) entriesText(st *exec.State, lane int) string {
	var list []uint64
	for k := range o.wave.Depth(st, lane) {
		for slot := range st.Slots {
			list = append(list, o.wave.Entry(st, k, slot, lane))
		}
	}
	return fmt.Sprint(list)
}

func (o *observer) trace(w *exec.Wave, e exec.Event) {
	o.wave = w
	if o.code[e.PC] == nil {
		o.outside = true
	}
	if o.outside {
		return
	}
	switch e.Kind {
	case exec.Starts:
		o.finish(&e)
		o.start(e)
	case exec.Runs:
		o.inner(e)
	case exec.Ends:
		o.end()
	}
}

func (o *observer) inner(e exec.Event) {
	in := &o.code[e.PC].Insts[e.Op]
	name, of := o.names[e.PC], strings.TrimPrefix(in.Text(), "#")
	switch {
	case e.Lanes == 0:
		o.add("%s skips a word of %s in all lanes", name, of)
		return
	case e.Lanes != o.now.Lanes:
		o.add("%s runs a word of %s in some lanes, and skips it in others", name, of)
	default:
		o.add("%s runs a word of %s", name, of)
	}
	if o.ran[e.PC] && o.inners == 0 {
		o.add("%s runs its words again in a loop", name)
	}
	o.inners++
}

// start records the state before an instruction.
func (o *observer) start(e exec.Event) {
	o.now, o.any, o.inners = e, true, 0
	o.depths, o.tops, o.popped = map[[2]int]int{}, map[[2]int]string{}, map[int]uint64{}
	o.stacks(func(at [2]int, st *sem.State, public *exec.State) {
		o.depths[at] = o.wave.Depth(public, at[1])
		if o.depths[at] == st.Count {
			o.tops[at] = o.entriesText(public, at[1])
		}
	})
	for i := range o.code[e.PC].Insts {
		in := &o.code[e.PC].Insts[i]
		if in.Op != sem.OpRead || in.Kept() || in.State.Scope == 0 {
			continue
		}
		writers := o.writers[component{in.State, int(in.Imm), in.Comp}]
		for k := range o.Lanes() {
			if writers == nil || !writers[k].set || e.Lanes>>k&1 == 0 {
				continue
			}
			if writers[k].pc >= e.PC {
				o.add("a loop carries a value of %s from one pass to the next", in.State.Name)
			} else {
				o.add("an instruction reads a value of %s that an earlier one has written", in.State.Name)
			}
		}
	}
	o.wave.Mark(&o.mark)
}

// end records what an instruction changed.
func (o *observer) end() {
	pc := o.now.PC
	if o.inners > 0 {
		if o.ran == nil {
			o.ran = map[uint64]bool{}
		}
		o.ran[pc] = true
	}
	o.stacks(func(at [2]int, st *sem.State, public *exec.State) {
		list, depth := o.pushed[at], o.wave.Depth(public, at[1])
		for len(list) > depth {
			from := list[len(list)-1].pc
			o.add("%s pushes an entry of %s, and %s pops it", o.name(from, sem.OpPush, st), st.Name, o.name(pc, sem.OpPop, st))
			o.popped[at[1]] = from
			list = list[:len(list)-1]
		}
		for len(list) < depth {
			list = append(list, pushed{pc})
		}
		if depth == st.Count && o.depths[at] == depth && o.tops[at] != o.entriesText(public, at[1]) && ownOp(o.code[pc], sem.OpPush) {
			o.add("%s pushes onto the full stack %s, which loses its oldest entry", o.name(pc, sem.OpPush, st), st.Name)
			list = append(list[1:len(list):len(list)], pushed{pc})
		}
		o.pushed[at] = list
	})
	for i, st := range o.m.States {
		if st.Kind != exec.Registers || st.Scope == exec.ScopeInstruction || st.ReadOnly {
			continue
		}
		o.wave.Changed(&o.mark, st, func(n int, mask uint64) { o.wrote(o.sem.States[i], n, mask) })
	}
}

// wrote records that the instruction changed a register in some lanes.
func (o *observer) wrote(st *sem.State, n int, mask uint64) {
	comps := map[int]bool{}
	for i := range o.code[o.now.PC].Insts {
		in := &o.code[o.now.PC].Insts[i]
		if in.State == st && (in.Op == sem.OpWriteX || in.Op == sem.OpWrite && int(in.Imm) == n) {
			comps[in.Comp] = true
		}
	}
	for comp := range comps {
		c := component{st, n, comp}
		if o.writers[c] == nil {
			o.writers[c] = &[waveLanes]writer{}
		}
		for k := range o.Lanes() {
			if mask>>k&1 == 0 && !shared(st) {
				continue
			}
			if old := o.writers[c][k]; old.set && old.pc != o.now.PC {
				o.add("two instructions write the same component of %s", st.Name)
			}
			o.writers[c][k] = writer{true, o.now.PC}
		}
	}
}

// finish records where the lanes of the latest instruction went. next is the next one, or nil at the end of the run.
func (o *observer) finish(next *exec.Event) {
	if !o.any {
		return
	}
	o.any = false
	pc, after := o.now.PC, o.code[o.now.PC].Next
	var to [waveLanes]int64
	for k := range to {
		to[k] = -1
	}
	going := uint64(0)
	o.wave.PCs(func(at, lanes uint64) {
		going |= lanes
		for k := range to {
			if lanes>>k&1 != 0 {
				to[k] = int64(at)
			}
		}
	})
	for k := range o.Lanes() {
		if o.visited[k] == nil {
			o.visited[k] = map[uint64]bool{}
		}
		if o.now.Lanes>>k&1 == 0 {
			continue
		}
		o.visited[k][pc] = true
		if to[k] < 0 {
			continue
		}
		at := uint64(to[k])
		name := o.jumper(pc, at)
		from, popped := o.popped[k]
		switch {
		case popped && o.calls[from] && at == o.code[from].Next && at != after:
			o.add("%s returns to the word after %s", name, o.names[from])
		case at <= pc && o.visited[k][at]:
			o.add("%s jumps back to words that have run", name)
		case at > after:
			o.add("%s skips words", name)
		}
		for j := range k {
			switch {
			case to[j] < 0 || o.now.Lanes>>j&1 == 0:
			case to[j] != to[k]:
				at := to[j]
				if at == int64(after) {
					at = to[k]
				}
				o.apart[k][j] = o.jumper(pc, uint64(at))
			}
		}
	}
	for k := range o.Lanes() {
		for j := range k {
			if s := o.apart[k][j]; s != "" && to[j] >= 0 && to[j] == to[k] {
				o.add("lanes diverge at %s, and reconverge", s)
				o.apart[k][j] = ""
			}
		}
	}
	for _, s := range o.wave.Stops() {
		if s.PC != pc || s.Lanes&o.now.Lanes == 0 {
			continue
		}
		switch {
		case s.Reason == "trap":
			o.add(trapped+"%s", s.Text)
		case s.Reason == "end" && going != 0:
			o.add("lanes end at %s, and others go on", o.names[pc])
		}
	}
	if ownOp(o.code[pc], sem.OpBarrier) {
		o.add("%s is a barrier", o.names[pc])
	}
	if next == nil {
		return
	}
	switch was, is := o.now.Lanes&going, next.Lanes; {
	case !o.sem.Wave || next.Lanes == o.now.Lanes:
	case is&^was == 0 && is != was:
		o.add("after %s, only some lanes run", o.names[pc])
	case is&^was != 0:
		o.add("after %s, lanes run again that have waited", o.names[pc])
	}
}
