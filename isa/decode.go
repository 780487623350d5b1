package isa

import (
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// maxFrames limits the nesting depth of operands. In Mesa's descriptions, operands are nested at most
// four deep.
const maxFrames = 24

// maxOperands is the maximum number of nested operands that are printed for one instruction. The limit
// is necessary because operands may contain themselves.
const maxOperands = 1 << 12

// frame is a scope during printing: a leaf and its bits.
type frame struct {
	v    bits.Value
	leaf *model.BoundLeaf
	// site locates the bits in the word or in a table entry, and entry is the index of that table entry.
	// Both are set only while watch is not watchNothing.
	site  *site
	entry int
	// from points to the values that keys read in this frame.
	from sources
}

// watch selects what is recorded while an instruction is printed.
type watch uint8

const (
	watchNothing watch = iota
	watchTokens
	watchFields
	watchOperands
)

// Decoder decodes and prints the words of one root. Reuse one Decoder for a whole program. A Decoder
// must not be copied and is not safe for concurrent use.
type Decoder struct {
	// Label returns the name of a branch target. addr is the target in bits from the start of the
	// program. call reports whether the branch is a call. If ok is false or Label is nil, the target is
	// printed as a number.
	Label func(addr int64, call bool) (name string, ok bool)
	// Symbol returns the program's name for a value of a field that has a name space for symbols. space
	// is the name of that name space in the description. If ok is false or Symbol is nil, the value
	// itself is printed.
	Symbol func(space string, value uint64) (name string, ok bool)
	// Custom appends the text of a field of type custom to dst. If Custom is nil, the field is printed
	// as a number.
	Custom func(dst []byte, field string, value uint64) []byte
	// Addr is the address of the instruction in bits. Relative branch targets are relative to Addr.
	Addr int64
	// If Lines is true, each line break in a display is printed as a line break followed by Indent.
	// Otherwise each line break in a display is printed as one blank.
	Lines  bool
	Indent string
	// If Remarks is true, the remarks in displays are printed as comments. Otherwise the remarks are not
	// printed. A comment extends to the end of the line, so displays with several remarks also need
	// Lines.
	Remarks bool

	set    *Set
	root   *Root
	env    *model.Env
	ctx    bits.Value
	tables [][]bits.Value
	// indexing reports whether words of the root can contain a table index.
	indexing bool

	frames    [maxFrames]frame
	operands  int // the number of operands printed for the current instruction
	evals     evaluations
	lineStart int
	scratch   bits.Value
	memos     []*envMemo // by Env.Index
	alike     map[cacheKey]memo
	quick     bool // whether the current instruction is printed from memos
	uses      int  // the number of instructions printed without plans
	findings  []finding
	reported  []Finding // the buffer that Findings reuses
	conflict  [2]*Leaf  // see Conflict
	missing   []reportedMissing
	known     []cyclicValue
	watch     watch
	trace     trace
	labelled  bool       // whether a label was printed
	tops      [2][]*site // the outermost sites by Leaf.ID, without and with token styles
	sites     int        // the number of cached inner sites
	strings   map[string]string
	meanings  []span // the ranges of text that contain the meanings of fields
	walk      operandWalk
	styles    map[string]*tokenStyle
	text      []byte // a buffer for texts that are not returned
	// general turns off memos, so that tests can compare the output with and without them.
	general bool
}

// reportedMissing is an expression for which reportMissing has already recorded findings, and the depth
// of the scope.
type reportedMissing struct {
	depth int
	prog  *model.Prog
}

// NewDecoder returns a Decoder for the root with that name. The empty name selects the root of the
// instructions. It returns an error if there is no such root.
func (s *Set) NewDecoder(root string) (*Decoder, error) {
	r, err := s.Root(root)
	if err != nil {
		return nil, err
	}
	return newDecoder(s, s.model.TopEnv(s.model.Roots[r.ID])), nil
}

func newDecoder(s *Set, env *model.Env) *Decoder {
	d := &Decoder{
		set: s, root: s.roots[env.Root.ID], env: env, ctx: s.model.Context,
		tables: make([][]bits.Value, len(s.model.ISA.Tables)), indexing: env.Root.Spec.HasIndexes,
	}
	for i := range d.frames {
		from := &d.frames[i].from
		for h := range min(i, maxScopeDepth) + 1 {
			from[h] = &d.frames[i-h].v
		}
		from[sourceContext] = &d.ctx
	}
	return d
}

// Set returns the instruction set of the decoder.
func (d *Decoder) Set() *Set { return d.set }

// Root returns the root whose words the decoder decodes.
func (d *Decoder) Root() *Root { return d.root }

// ParseContext returns a copy of ctx in which the context called name has the given value. For an
// unknown name or value, it returns ctx unchanged and an error.
func (s *Set) ParseContext(ctx bits.Value, name, value string) (bits.Value, error) {
	c := s.model.ISA.Context(name)
	if c == nil {
		return ctx, diag.Errorf(diag.ContextValue, diag.Span{}, "unknown context %q", name)
	}
	v, err := c.Parse(value)
	if err != nil {
		return ctx, diag.Errorf(diag.ContextValue, diag.Span{}, "%v", err)
	}
	ctx.SetUint(c.Low, c.Width, v)
	return ctx, nil
}

// ContextValue returns the value that a context has in ctx, as Set.Contexts lists it. It returns "" if there is no
// context with this name.
func (s *Set) ContextValue(ctx bits.Value, name string) string {
	c := s.model.ISA.Context(name)
	if c == nil {
		return ""
	}
	v := ctx.Uint(c.Low, c.Width)
	if c.Enum == nil {
		return strconv.FormatBool(v != 0)
	}
	for _, e := range c.Enum.Values {
		if e.Val == v {
			return e.Name
		}
	}
	return strconv.FormatUint(v, 10)
}

// DefaultContext returns the default values of all contexts.
func (s *Set) DefaultContext() bits.Value { return s.model.Context }

// SetContext sets the values of all contexts. Use Set.DefaultContext and Set.ParseContext to build ctx.
func (d *Decoder) SetContext(ctx bits.Value) { d.ctx = ctx }

// Context returns the current values of all contexts.
func (d *Decoder) Context() bits.Value { return d.ctx }

// SetTable sets the entries of the table with the given index in Set.Tables. The slice is not copied. If
// a word selects an entry beyond the slice, Decode sets Inst.MissingEntry.
func (d *Decoder) SetTable(index int, entries []bits.Value) { d.tables[index] = entries }

// SetTables sets the entries of all tables, in the order of Set.Tables. Tables beyond the end of the
// list keep their entries. The entries are not copied.
func (d *Decoder) SetTables(tables [][]bits.Value) { copy(d.tables, tables) }

// Tables returns the entries of all tables, in the order of Set.Tables. The caller must not change
// them.
func (d *Decoder) Tables() [][]bits.Value { return d.tables }

// Decode decodes the word v. It ignores bits above the instruction's length. ok is false for an unknown
// word and for a word that two leaves match. If two leaves match, Conflict returns them.
func (d *Decoder) Decode(v bits.Value) (in Inst, ok bool) {
	d.findings = d.findings[:0]
	if d.conflict[0] != nil {
		d.conflict = [2]*Leaf{}
	}
	d.leaveFrames(0)
	d.frames[0].v = v
	leaf := d.match(d.env, 0)
	if leaf == nil {
		return Inst{}, false
	}
	in.Leaf, in.Bits = d.root.Leaves[leaf.ID], v
	if leaf.Size > 64 || v[0]>>uint(leaf.Size)|v[1]|v[2]|v[3] != 0 {
		in.Bits = v.And(bits.Ones(leaf.Size))
	}
	if d.indexing {
		d.operands, d.frames[0].leaf = 0, d.env.Bound(leaf)
		in.MissingEntry = d.hasMissingEntry(0)
	}
	return in, true
}

// setTop stores an instruction in the outermost frame.
func (d *Decoder) setTop(in Inst) {
	d.operands = 0
	d.leaveFrames(0)
	f := &d.frames[0]
	f.v, f.leaf = in.Bits, d.env.Bound(in.Leaf.model)
	if d.watch != watchNothing {
		f.site, f.entry = d.top(in.Leaf.model), 0
	}
}

// Conflict returns the two leaves that match the word of the last Decode. It returns nil unless that
// Decode failed because two leaves match the word.
func (d *Decoder) Conflict() []*Leaf {
	if d.conflict[0] == nil {
		return nil
	}
	return d.conflict[:]
}

// enter finds the leaf that matches the value of a frame and stores it in the frame. It reports whether
// a leaf matches.
func (d *Decoder) enter(env *model.Env, depth int) bool {
	l := d.match(env, depth)
	if l != nil {
		d.frames[depth].leaf = env.Bound(l)
	}
	return l != nil
}

// match returns the leaf that matches the value of a frame. It returns nil if no leaf matches or if two
// match.
func (d *Decoder) match(env *model.Env, depth int) *model.Leaf {
	f := &d.frames[depth]
	t := d.set.tree(env.Root)
	var found *model.Leaf
	for _, l := range t.lookup(&f.v) {
		if !matches(l, &f.v) || found != nil && slices.Contains(found.Refines, l) || t.requires[l.ID] && !d.allowed(env, l, depth) {
			continue
		}
		if found != nil {
			d.addFinding(finding{kind: Conflict, leaf: found, other: l})
			if depth == 0 {
				d.conflict = [2]*Leaf{d.root.Leaves[found.ID], d.root.Leaves[l.ID]}
			}
			return nil
		}
		if found = l; t.first {
			break
		}
	}
	if found != nil {
		d.dontCare(found, &f.v)
	}
	return found
}

// allowed reports whether all requirements of a leaf hold.
func (d *Decoder) allowed(env *model.Env, l *model.Leaf, depth int) bool {
	u := env.Bound(l)
	for _, p := range u.Requires {
		d.frames[depth].leaf = u
		if d.eval(p, depth) == 0 {
			return false
		}
	}
	return true
}

func (d *Decoder) dontCare(l *model.Leaf, v *bits.Value) {
	m := &l.DontCare
	if v[0]&m[0]|v[1]&m[1]|v[2]&m[2]|v[3]&m[3] != 0 {
		d.findings = append(d.findings, finding{kind: DontCare, leaf: l, value: v.And(*m)})
	}
}

// eval evaluates an expression in the scope of a frame.
func (d *Decoder) eval(p *model.Prog, depth int) uint64 {
	if p.Simple {
		v := &d.frames[depth].v
		if v[0]&p.Mask[0] == p.Match[0] && v[1]&p.Mask[1] == p.Match[1] &&
			v[2]&p.Mask[2] == p.Match[2] && v[3]&p.Mask[3] == p.Match[3] {
			return 1
		}
		return 0
	}
	m, ok := p.Memo.Load().(*valueMemo)
	switch {
	case !ok && p.Asked.Add(1) == minValueUses:
		p.Memo.Store(newValueMemo(p))
	case ok && m.known != nil && !d.general:
		at := &m.known[m.key.from(&d.frames[depth].from)]
		x := uint64(at.Load())
		if x == 0 {
			if x = d.compute(p, depth) + 1; x <= math.MaxUint32 {
				at.Store(uint32(x))
			}
		}
		return x - 1
	}
	if len(p.Missing) > 0 || p.Cycle {
		d.reportMissing(p, depth)
	}
	if p.Open {
		return d.evalCyclic(p, depth)
	}
	return d.compute(p, depth)
}

// valueMemo caches the values of an expression by the bits on which they depend. All decoders share the
// valueMemo of an expression.
type valueMemo struct {
	key key
	// known holds, for each key, the value plus 1. An element is 0 if the value is unknown or too large.
	// known is nil if the expression cannot be cached, for example because it depends on too many bits.
	known []atomic.Uint32
}

// minValueUses is the number of evaluations of an expression before the expression gets a memo.
const minValueUses = 16

func newValueMemo(p *model.Prog) *valueMemo {
	g := dependencies{budget: maxDependencies}
	g.prog(p, 0)
	k, ok := g.key(maxDense)
	if !ok || len(g.tables) > 0 {
		return &valueMemo{}
	}
	return &valueMemo{k, make([]atomic.Uint32, 1<<k.width)}
}

// evalCyclic evaluates an expression that needs its own value, once per scope. As in Mesa's tools, the
// scope keeps the value, even if it was computed inside another expression. If the expression was also
// evaluated inside itself, the outer value replaces the inner one.
func (d *Decoder) evalCyclic(p *model.Prog, depth int) uint64 {
	for _, k := range d.known {
		if k.depth == depth && k.expr == p.Spec {
			return k.value
		}
	}
	if p.Cycle {
		return 0
	}
	for i := range p.Fetch {
		if ref := d.pick(p.Fetch[i].Alts, depth); ref != nil && ref.Prog != nil {
			d.value(ref, depth)
		}
	}
	x := d.compute(p, depth)
	for i := range d.known {
		if k := &d.known[i]; k.depth == depth && k.expr == p.Spec {
			k.value = x
			return x
		}
	}
	d.known = append(d.known, cyclicValue{depth, p.Spec, x})
	return x
}

// cyclicValue is the value of an expression that needs its own value, in the scope of a frame.
type cyclicValue struct {
	depth int
	expr  *spec.Expr
	value uint64
}

// leaveFrames discards the reported expressions and the values of cyclic expressions for all frames at
// depth or deeper.
func (d *Decoder) leaveFrames(depth int) {
	if len(d.missing)+len(d.known) > 0 {
		d.forgetFrames(depth)
	}
}

func (d *Decoder) forgetFrames(depth int) {
	// The lists are not sorted by depth, because an inner scope can evaluate expressions of an outer
	// scope.
	d.missing = slices.DeleteFunc(d.missing, func(m reportedMissing) bool { return m.depth >= depth })
	d.known = slices.DeleteFunc(d.known, func(k cyclicValue) bool { return k.depth >= depth })
}

// compute evaluates an expression without a cache.
func (d *Decoder) compute(p *model.Prog, depth int) uint64 {
	e := &d.evals
	if e.open == 0 {
		e.count, e.known = 0, nil
	}
	e.open++
	e.count++
	var x uint64
	if e.count <= maxUncached {
		x = d.node(p.Root, depth)
	} else {
		x = d.evalOnce(p, depth)
	}
	e.open--
	return x
}

// evaluations caches the values of expressions during the evaluation of one expression. Scopes do not
// change during that time.
type evaluations struct {
	open, count int
	known       map[evaluation]uint64
}

type evaluation struct {
	prog  *model.Prog
	depth int
}

// maxUncached is the number of evaluations inside one expression that are not cached. The values of
// further evaluations are cached. Without the cache, nested expressions that each use another one twice
// would take exponential time.
const maxUncached = 1 << 10

// evalOnce returns the cached value of an expression in a scope. If no value is cached, evalOnce
// computes and caches it.
func (d *Decoder) evalOnce(p *model.Prog, depth int) uint64 {
	key := evaluation{p, depth}
	x, ok := d.evals.known[key]
	if ok {
		return x
	}
	if d.evals.known == nil {
		d.evals.known = map[evaluation]uint64{}
	}
	x = d.node(p.Root, depth)
	d.evals.known[key] = x
	return x
}

// reportMissing records a finding for each undefined name of an expression, and a finding if the
// expression needs its own value. It does so once per scope.
func (d *Decoder) reportMissing(p *model.Prog, depth int) {
	for _, m := range d.missing {
		if m.depth == depth && m.prog.Spec == p.Spec && m.prog.Cycle == p.Cycle {
			return
		}
	}
	d.missing = append(d.missing, reportedMissing{depth, p})
	if p.Cycle {
		d.addFinding(finding{kind: Cycle, prog: p})
	}
	for i := range p.Missing {
		if m := &p.Missing[i]; d.pick(m.Alts, depth) == nil {
			d.addFinding(finding{kind: NoField, name: &m.Name})
		}
	}
}

// node evaluates a node of an expression in the scope of a frame.
func (d *Decoder) node(n *model.Node, depth int) uint64 {
	return n.Eval(func(n *model.Node) uint64 {
		if n.Test != nil {
			return n.Test.Eval(&d.frames[depth-n.Test.ScopeDepth].v, &d.ctx)
		}
		if ref := d.pick(n.Alts, depth); ref != nil {
			return d.value(ref, depth)
		}
		return 0
	})
}

func boolean(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// pick returns the meaning of a name in a frame, or nil if the name is undefined.
func (d *Decoder) pick(alts []model.Alt, depth int) *model.Ref {
	for i := range alts {
		a := &alts[i]
		if a.Cond == nil || d.eval(a.Cond, depth-a.CondDepth) != 0 {
			return a.Ref
		}
	}
	return nil
}

// value returns the low 64 bits of the value of a reference.
func (d *Decoder) value(r *model.Ref, depth int) uint64 {
	if r.Context != nil {
		return d.ctx.Uint(r.Low, r.Width)
	}
	depth -= r.ScopeDepth
	return d.extract(r, d.pathValue(r, depth), depth)
}

func (d *Decoder) extract(r *model.Ref, v *bits.Value, depth int) uint64 {
	if r.Low >= 0 {
		return v.Uint(r.Low, r.Width)
	}
	if r.Prog != nil {
		return d.eval(r.Prog, depth)
	}
	w := r.Field.Gather(v)
	return w[0]
}

// pathValue returns the value of the last bitset on the path of a reference, or the value of the frame
// if the path is empty. The result is valid until the next call.
func (d *Decoder) pathValue(r *model.Ref, depth int) *bits.Value {
	v := &d.frames[depth].v
	for _, e := range r.Path {
		v = d.nestedBits(e, v)
	}
	return v
}

// nestedBits returns the value of a bitset field: its bits, or the table entry that they select. The
// result is valid until the next call.
func (d *Decoder) nestedBits(r *model.Ref, v *bits.Value) *bits.Value {
	var index uint64
	if r.Low >= 0 {
		index = v.Uint(r.Low, r.Width)
	} else {
		d.scratch = r.Field.Gather(v)
		index = d.scratch[0]
	}
	if r.Field.Table == nil {
		if r.Low >= 0 {
			d.scratch = bits.Of(index)
		}
		return &d.scratch
	}
	if d.lacksEntry(r, index) {
		d.scratch = bits.Value{}
		return &d.scratch
	}
	return &d.tables[r.Field.Table.Index][index]
}

// lacksEntry reports whether the table that r indexes has no entry with that index. If the entry is
// missing, lacksEntry records a finding.
func (d *Decoder) lacksEntry(r *model.Ref, index uint64) bool {
	most := len(d.tables[r.Field.Table.Index])
	if index < uint64(most) {
		return false
	}
	d.addFinding(finding{kind: NoEntry, ref: r, number: int(index), most: most})
	return true
}

// TableEntry returns a table entry. It returns zero if the entry is missing.
func (d *Decoder) TableEntry(table, index int) bits.Value {
	if t := d.tables[table]; index >= 0 && index < len(t) {
		return t[index]
	}
	return bits.Value{}
}
