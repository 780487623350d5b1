package program

import (
	"fmt"
	"maps"
	mathbits "math/bits"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/isa"
)

// Role is what an instruction means for the layout of a program, as the <flow> and <layout> of its
// description say. Target and Count name the fields that the layout fills.
type Role struct {
	// Block is "if" or "loop" for an instruction that opens a block.
	Block string
	// Call is "always" or "maybe" for one that calls a procedure.
	Call string
	// Jump tells that it goes to a label.
	Jump          bool
	Target, Count string
	// Pads is "block" or "loop": of what it must not be the last word.
	Pads string
	// Leaves tells that it leaves the loop around it.
	Leaves bool
	// Ends tells that it ends the program, Filler that it is the one that pads.
	Ends, Filler bool
	// Address tells that it writes address registers, Flushes that it hands on outputs.
	Address, Flushes bool
	// Marks is the kind of program that it makes of the one that has it.
	Marks string

	target, count run
}

// opens reports whether the instruction opens a block of instructions.
func (r *Role) opens() bool { return r.Block != "" }

// roleOf reads what the description says of a leaf's flow and layout.
func (r *Roles) roleOf(l *isa.Leaf) *Role {
	x := l.Layout()
	role := &Role{Filler: x.Filler, Flushes: x.Flushes != nil, Marks: x.Program, Ends: x.Terminator, Address: writesAddress(l)}
	switch x.NotLast {
	case "scope":
		role.Pads = "block"
	case "loop":
		role.Pads = "loop"
	}
	for _, f := range l.FlowForms() {
		role.Target, role.Count = f.Target, f.Count
		switch f.Kind {
		case isa.If, isa.Loop:
			role.Block = f.Kind.String()
		case isa.Call:
			if role.Call = "always"; f.Maybe {
				role.Call = "maybe"
			}
		case isa.Jump:
			role.Jump = true
		case isa.End:
			role.Ends = true
		case isa.Break:
			role.Leaves = true
		}
	}
	if role.Target != "" {
		in := isa.Inst{Leaf: l, Bits: l.Match}
		role.target, role.count = runOf(r.decoder, in, role.Target), runOf(r.decoder, in, role.Count)
	}
	return role
}

// writesAddress reports whether an instruction writes address registers.
func writesAddress(l *isa.Leaf) bool {
	return slices.ContainsFunc(l.OperandForms(), func(o isa.OperandForm) bool {
		return (o.Role == isa.Write || o.Role == isa.ReadWrite) &&
			slices.ContainsFunc(o.Files, func(f *isa.File) bool { return f.Use == "address" })
	})
}

// Roles are the roles of the instructions of a set, each worked out when it is asked for. They are not for use by
// several goroutines at once.
type Roles struct {
	decoder *isa.Decoder
	list    []*Role // by Leaf.ID
	Filler  isa.Inst
}

// NewRoles returns the roles of the instructions of a set.
func NewRoles(set *isa.Set) (*Roles, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	leaves := d.Root().Leaves
	r := &Roles{decoder: d, list: make([]*Role, len(leaves))}
	for _, l := range leaves {
		if l.Layout().Filler {
			r.Filler = isa.Inst{Leaf: l, Bits: l.Match}
		}
	}
	return r, nil
}

// Of returns the role of an instruction; a word that is none has no role.
func (r *Roles) Of(in isa.Inst) *Role {
	if in.Leaf == nil {
		return &Role{}
	}
	role := &r.list[in.Leaf.ID]
	if *role == nil {
		*role = r.roleOf(in.Leaf)
	}
	return *role
}

// Placed is an instruction of a program that is being laid out.
type Placed struct {
	Inst isa.Inst // without a leaf for data
	Span diag.Span
	// Tag is the caller's.
	Tag uint32
	// Role is what the instruction means for the layout, which gives it where it is nil.
	Role *Role
}

// Target is the name that an instruction goes to, and which of the fields that the layout would
// fill are given by the text.
type Target struct {
	Name                    string
	Span                    diag.Span
	GivenTarget, GivenCount bool
}

// BlockKind tells the kinds of blocks apart.
type BlockKind uint8

// The kinds of blocks.
const (
	Procedure BlockKind = iota
	IfBlock
	LoopBlock
)

// Block is a run of words that was opened and closed.
type Block struct {
	Kind BlockKind
	// Name of a procedure.
	Name string
	Span diag.Span
	// Start is the first word, of an if or a loop the instruction that opens it; Else the first word
	// of the else part, 0 if there is none; End the word behind.
	Start, Else, End int
}

// first is the first word inside the block.
func (b *Block) first() int {
	if b.Kind == Procedure {
		return b.Start
	}
	return b.Start + 1
}

// MaxDepth is how deep blocks may be nested.
const MaxDepth = 32

// Layout places the instructions of a program whose procedures and blocks are nested, and fills the
// fields that follow from their places. Addresses count words.
type Layout struct {
	Words []Placed
	// Blocks are those that were closed, inner ones before those that enclose them.
	Blocks []Block
	// NoPad leaves out the fillers; Unpadded is then told where one is missing.
	NoPad    bool
	Unpadded func(span diag.Span)
	// Overrun is told of values that do not fit their fields, whose high bits then go into the bits above the
	// field; where it is nil, they are mistakes.
	Overrun func(span diag.Span, why string)
	// Errs are the mistakes so far.
	Errs diag.List

	roles   *Roles
	decoder *isa.Decoder
	open    []Block
	closed  bool // what came last is the end of an inner block
	procs   map[string]Block
	labels  map[string]place
	jumps   []fixup
	calls   []fixup
}

type place struct {
	word int
	span diag.Span
}

// fixup is a field that waits for the place of a name.
type fixup struct {
	word   int
	target Target
}

// NewLayout returns an empty layout.
func NewLayout(set *isa.Set, roles *Roles) (*Layout, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	return &Layout{roles: roles, decoder: d, procs: map[string]Block{}, labels: map[string]place{}}, nil
}

// Reset empties the layout for another program and keeps its memory. Who was to be told of missing
// fillers no longer is.
func (l *Layout) Reset() {
	clear(l.Words) // which hold on to sources
	clear(l.procs)
	clear(l.labels)
	*l = Layout{
		Words: l.Words[:0], Blocks: l.Blocks[:0], roles: l.roles, decoder: l.decoder,
		open: l.open[:0], procs: l.procs, labels: l.labels, jumps: l.jumps[:0], calls: l.calls[:0],
	}
}

func (l *Layout) fail(code diag.Code, span diag.Span, format string, args ...any) *diag.Error {
	e := diag.Errorf(code, span, format, args...)
	l.Errs = append(l.Errs, e)
	return e
}

// Depth is the number of open blocks.
func (l *Layout) Depth() int { return len(l.open) }

// Add places an instruction.
func (l *Layout) Add(p Placed, t Target) {
	if p.Role == nil {
		p.Role = l.roles.Of(p.Inst)
	}
	role, at := p.Role, len(l.Words)
	l.Words = append(l.Words, p)
	l.closed = false
	switch {
	case role.opens() && !t.GivenTarget && !t.GivenCount:
		kind := IfBlock
		if role.Block == "loop" {
			kind = LoopBlock
		}
		l.push(Block{Kind: kind, Span: p.Span, Start: at})
	case t.Name == "" || t.GivenTarget:
	case role.Call != "" && !t.GivenCount:
		l.calls = append(l.calls, fixup{at, t})
	default:
		l.jumps = append(l.jumps, fixup{at, t})
	}
}

func (l *Layout) push(b Block) {
	if len(l.open) == MaxDepth {
		l.fail(diag.BlockNesting, b.Span, "blocks nested more than %d deep", MaxDepth)
	}
	l.open = append(l.open, b)
}

// Open starts a procedure.
func (l *Layout) Open(name string, span diag.Span) {
	if old, ok := l.procs[name]; ok {
		l.fail(diag.Duplicate, span, "procedure %s is defined twice", name).With(old.Span, "the other definition")
	}
	b := Block{Kind: Procedure, Name: name, Span: span, Start: len(l.Words)}
	l.procs[name] = b
	l.push(b)
}

// Label names the place behind the last word, for the instructions of this file.
func (l *Layout) Label(name string, span diag.Span) {
	if old, ok := l.labels[name]; ok {
		l.fail(diag.Duplicate, span, "label %s is defined twice", name).With(old.span, "the other definition")
		return
	}
	l.labels[name] = place{len(l.Words), span}
}

// Else starts the else part of the innermost block.
func (l *Layout) Else(span diag.Span) {
	n := len(l.open) - 1
	switch {
	case n < 0 || l.open[n].Kind != IfBlock:
		e := l.fail(diag.BlockNesting, span, "else without an if")
		if n >= 0 {
			e.With(l.open[n].Span, "the block that is open")
		}
		return
	case l.open[n].Else > 0:
		l.fail(diag.BlockNesting, span, "this is the second else for one if").With(l.open[n].Span, "the if")
		return
	}
	b := &l.open[n]
	l.pad(b, span, false)
	b.Else = len(l.Words)
	l.fill(b.Start, span, l.role(b.Start).target, b.Else)
}

// End closes the innermost block.
func (l *Layout) End(span diag.Span) {
	n := len(l.open) - 1
	if n < 0 {
		l.fail(diag.BlockNesting, span, "an end without an open block")
		return
	}
	b := l.open[n]
	l.open = l.open[:n]
	l.pad(&b, span, true)
	b.End = len(l.Words)
	l.closed = b.Kind != Procedure
	switch {
	case b.Kind == Procedure:
		l.procs[b.Name] = b
	case b.Kind == LoopBlock:
		l.fill(b.Start, span, l.role(b.Start).target, b.End-1)
	case b.Else == 0:
		l.fill(b.Start, span, l.role(b.Start).target, b.End)
	default:
		l.fill(b.Start, span, l.role(b.Start).count, b.End-b.Else)
	}
	l.Blocks = append(l.Blocks, b)
}

func (l *Layout) role(word int) *Role { return l.Words[word].Role }

// fill gives a field of a placed word its value.
func (l *Layout) fill(word int, span diag.Span, field run, value int) {
	if e := l.put(word, field, value, span, fmt.Sprintf("the block has %d words up to here", value)); e != nil {
		e.With(l.Words[word].Span, "it starts here")
	}
}

// put gives a field of a placed word its value, and returns the error where it does not fit; what says what it is.
func (l *Layout) put(word int, field run, value int, span diag.Span, what string) *diag.Error {
	err := field.put(&l.Words[word].Inst.Bits, value)
	switch {
	case err == nil:
		return nil
	case l.Overrun == nil:
		return l.fail(diag.TextRange, span, "%s: %v", what, err)
	}
	field.spill(&l.Words[word].Inst.Bits, value)
	l.Overrun(span, fmt.Sprintf("%s: %v", what, err))
	return nil
}

// pad puts a filler where the part of the block that ends here must not end with its last word.
func (l *Layout) pad(b *Block, span diag.Span, end bool) {
	var last *Role
	if len(l.Words) > 0 {
		last = l.role(len(l.Words) - 1)
	}
	need := NeedsPad(last, l.closed, end && b.Kind == LoopBlock, len(l.Words)-b.first())
	l.closed = false
	switch {
	case !need:
	case !l.NoPad:
		l.Words = append(l.Words, Placed{Inst: l.roles.Filler, Span: span, Role: l.roles.Of(l.roles.Filler)})
	case l.Unpadded != nil:
		l.Unpadded(span)
	}
}

// NeedsPad reports whether a scope needs a filler at its end: its last word is that of role last (nil
// if there is none), closed tells that an inner scope ends there too, loop that it is a loop which
// ends, and n how many words there are since it started, else parts included.
func NeedsPad(last *Role, closed, loop bool, n int) bool {
	if closed || n < 1 {
		return true
	}
	return last != nil && (last.Pads == "block" || loop && last.Pads == "loop")
}

// EndFile settles what belongs to one file: its blocks must be closed and its labels defined.
func (l *Layout) EndFile() {
	for i := range slices.Backward(l.open) {
		what := "block"
		if l.open[i].Kind == Procedure {
			what = "procedure " + l.open[i].Name
		}
		l.fail(diag.BlockNesting, l.open[i].Span, "the %s that starts here is not closed", what)
	}
	l.open, l.closed = l.open[:0], false
	for _, f := range l.jumps {
		to, ok := l.labels[f.target.Name]
		if !ok {
			e := l.fail(diag.TextSymbol, f.target.Span, "unknown label %s in this file%s", f.target.Name, quote.DidYouMean(f.target.Name, slices.Sorted(maps.Keys(l.labels))))
			if p, ok := l.procs[f.target.Name]; ok {
				e.With(p.Span, "a procedure has this name; call it instead of jumping to it")
			}
			continue
		}
		l.set(f, l.role(f.word).target, to.word, "label "+f.target.Name+" is at word")
	}
	l.jumps = l.jumps[:0]
	clear(l.labels)
}

// Link settles the calls of procedures, when all files have been read.
func (l *Layout) Link() {
	for _, f := range l.calls {
		p, ok := l.procs[f.target.Name]
		if !ok {
			l.fail(diag.TextSymbol, f.target.Span, "unknown procedure %s%s", f.target.Name, quote.DidYouMean(f.target.Name, slices.Sorted(maps.Keys(l.procs))))
			continue
		}
		role := l.role(f.word)
		l.set(f, role.target, p.Start, "procedure "+p.Name+" starts at word")
		l.set(f, role.count, p.End-p.Start, "procedure "+p.Name+" has a length of")
	}
	l.calls = l.calls[:0]
}

func (l *Layout) set(f fixup, field run, value int, what string) {
	l.put(f.word, field, value, f.target.Span, fmt.Sprintf("%s %d", what, value))
}

// Procedure returns a procedure that was closed.
func (l *Layout) Procedure(name string) (Block, bool) {
	b, ok := l.procs[name]
	return b, ok
}

// Swap exchanges two entries of a table in the instructions placed so far.
func (l *Layout) Swap(table, i, j int) {
	for w := range l.Words {
		in := &l.Words[w].Inst
		if in.Leaf == nil {
			continue
		}
		for _, f := range l.decoder.IndexFields(*in) {
			to := f.Index
			switch {
			case f.TableIndex != table:
				continue
			case to == uint64(i):
				to = uint64(j)
			case to == uint64(j):
				to = uint64(i)
			}
			// It fits: entries change places only where every instruction can name both.
			_ = l.decoder.SetField(in, f.Field, to)
		}
	}
}

// Decode finds the instruction that a word is, one without a leaf if it is none.
func (l *Layout) Decode(word bits.Value) isa.Inst {
	in, ok := l.decoder.Decode(word)
	if !ok {
		return isa.Inst{Bits: word}
	}
	return in
}

// Fields returns the fields of a placed instruction that say where it goes.
func (l *Layout) Fields(word int) (target, count int) {
	return l.role(word).fields(l.Words[word].Inst)
}

// Fields returns the fields of an instruction that say where it goes.
func (r *Roles) Fields(in isa.Inst) (target, count int) { return r.Of(in).fields(in) }

func (r *Role) fields(in isa.Inst) (target, count int) {
	return int(r.target.of(in.Bits)), int(r.count.of(in.Bits))
}

// run is a field in one piece.
type run struct {
	name       string
	low, width int
}

// put gives the field a value. The error tells that it does not fit.
func (f run) put(word *bits.Value, value int) error {
	if value>>f.width != 0 {
		return fmt.Errorf("%d does not fit %s, expected 0 to %d", value, f.name, 1<<f.width-1)
	}
	word.SetUint(f.low, f.width, uint64(value))
	return nil
}

// spill sets the bits of a value from the field's lowest on, and leaves those that are set above the field.
func (f run) spill(word *bits.Value, value int) {
	word.SetUint(f.low, f.width, uint64(value)&(1<<f.width-1))
	high, n := uint64(value)>>f.width, mathbits.Len(uint(value))-f.width
	word.SetUint(f.low+f.width, n, word.Uint(f.low+f.width, n)|high)
}

func (f run) of(word bits.Value) uint64 {
	if f.width == 0 {
		return 0
	}
	return word.Uint(f.low, f.width)
}

// runOf finds the bits of a field of an instruction; a role without the field has none.
func runOf(d *isa.Decoder, in isa.Inst, field string) run {
	for _, f := range d.Fields(nil, in) {
		if f.Path == field && len(f.Parts) == 1 {
			return run{field, f.Parts[0].Low, f.Parts[0].Width}
		}
	}
	return run{}
}
