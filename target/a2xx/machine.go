package a2xx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// unitBits is the size of what addresses count: an instruction, or two clauses.
const unitBits = 96

// unitWords is the same in 32-bit words.
const unitWords = unitBits / 32

// machine is what the layout of programs needs to know of the description.
type machine struct {
	set *isa.Set
	// cf is the kind of clauses; kinds are those of instructions, by the bit of the sequence.
	cf     *kind
	cfRoot *isa.Root
	kinds  [2]*kind
	// filler fills up the last unit of clauses, end ends a program that nothing else ends.
	filler, end isa.Inst
	// gives are the contexts that say what the text of a clause gives.
	gives   [3]flag
	clauses []clause // by Leaf.ID
	// known are clauses that were decoded, each in the one place that it can have: programs have the same ones again.
	known [1 << knownBits]placedClause
	rooms []roomName
	// reach is the number of units that addresses can tell apart.
	reach int
	flows []isa.Flow // of the instruction that was asked for last
}

// knownBits is the width of the number of a clause that is known.
const knownBits = 8

// roomName is what clauses can make room for, by its name in the description and its text.
type roomName struct{ name, text string }

// kind is a root with what reads and writes its instructions.
type kind struct {
	root     *isa.Root
	decoder  *isa.Decoder
	parser   *asm.Parser
	lossless *asm.Lossless
	// prefix is what the text of each instruction starts with, after the mark of one that waits.
	prefix string
	// sync is the context of that mark, mark its text; follows is, by leaf, the context that is true after another
	// instruction of the leaf.
	sync flag
	mark string
	// indents are the blanks before an instruction, and of one that waits.
	indents [2]string
	follows []flag
	exports []exports // by Leaf.ID
	filling *filling  // nil where nothing is filled in
}

// flag is a context of one bit; the zero flag is none.
type flag struct{ low, width int }

func (f flag) set(ctx bits.Value, on bool) bits.Value {
	v := uint64(0)
	if on {
		v = 1
	}
	ctx.SetUint(f.low, f.width, v)
	return ctx
}

func (f flag) get(ctx bits.Value) bool { return ctx.Uint(f.low, f.width) != 0 }

// given tells which numbers the text of a clause gives.
type given [3]bool

// What the text of a clause can give: the unit of the first instruction, how many there are, and the sequence.
const (
	addressed = iota
	counted
	sequenced
)

// run is a run of bits in a word; a run of no bits is none.
type run struct{ low, width int }

func (r run) of(v *bits.Value) int { return int(v.Uint(r.low, r.width)) }

// in returns the bits of the run in a word of at most 64 bits.
func (r run) in(x uint64) int { return int(x >> (r.low & 63) & (1<<(r.width&63) - 1)) }

func runOf(p bits.Part) run { return run{p.Low, p.Width} }

// over returns the run from the first to the last bit of both.
func (r run) over(o run) run {
	if r.width == 0 || o.width == 0 {
		return run{r.low + o.low, r.width + o.width}
	}
	low := min(r.low, o.low)
	return run{low, max(r.low+r.width, o.low+o.width) - low}
}

// clause says what a clause of a leaf does.
type clause struct {
	// runs is set if it runs count instructions from address on; steps are the most that it can, store the units that
	// an address can reach, loaded those that loader loads.
	runs                     bool
	address, count, sequence run
	slots                    []slot
	steps, store, loaded     int
	loader                   string
	// ends tells that the program ends here; mayEnd, that it does only under a condition.
	ends, mayEnd bool
	// goes is set if it goes to another clause, one of at most clauses.
	goes    bool
	clauses int
	nest
	// room is for which exports the clause makes room, and size for how many less one: where sized says,
	// by the number of the room, that this is known to count exports.
	room, size run
	sized      []bool
}

// nest names what a clause starts or ends that can stand inside another of its kind, how deep, and
// where that is known.
type nest struct {
	opens, closes, calls, returns string
	depth                         int
	counted                       string
}

// slot is where a clause says something of one of its instructions.
type slot struct{ kind, waits run }

// exports says where an instruction has the number of an export, and which the stages have.
type exports struct {
	flag, number run
	// stages are, by the number of the stage, the exports that it has; stage is the context.
	stages [][]bool
	stage  flag
	// rooms are, by the number of what a clause makes room for, the exports that it is for.
	rooms [][]bool
}

// newMachine reads the description. It fails where that contradicts itself, or names what is not there.
func newMachine(set *isa.Set) (*machine, error) {
	m := &machine{set: set, rooms: roomsOf(inside.Machine(set).ISA)}
	runs, ok := m.findClauses()
	if !ok || len(runs.Roots) != len(m.kinds) {
		return nil, fmt.Errorf("the description needs clauses that run two roots, for ALU and fetch instructions")
	}
	r := reader{m: m}
	for name := range headers {
		if set.File(fileOf(name)) == nil {
			r.fail(fmt.Errorf("the description needs a register file %s for @%s", fileOf(name), name))
		}
	}
	for i, root := range runs.Roots {
		m.kinds[i] = r.kind(root, runs.Context)
	}
	m.cf = r.kind(m.cfRoot, "")
	for i, name := range [...]string{addressed: "addressed", counted: "counted", sequenced: "sequenced"} {
		m.gives[i] = m.flag(name)
	}
	loaded, _ := set.Limit("loaded")
	for _, l := range m.cfRoot.Leaves {
		c := r.clause(l)
		if c.runs {
			c.loaded = int(loaded)
		}
		m.clauses = append(m.clauses, c)
		m.reach = max(m.reach, 1<<c.address.width)
		in := isa.Inst{Leaf: l, Bits: l.Match}
		if layout := l.Layout(); layout.Filler {
			m.filler = in
		} else if layout.Terminator {
			m.end = in
		}
	}
	return m, r.err
}

// findClauses finds the root whose leaves run others, and what the first of them runs.
func (m *machine) findClauses() (isa.Runs, bool) {
	for _, root := range m.set.Roots() {
		for _, l := range root.Leaves {
			if runs, ok := l.Runs(); ok {
				m.cfRoot = root
				return runs, true
			}
		}
	}
	return isa.Runs{}, false
}

// reader reads the description; err is the first thing that cannot be.
type reader struct {
	m   *machine
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// roomsOf returns what clauses make room for: the values of the enum that the field is of which
// <meta> names.
func roomsOf(isa *spec.ISA) (rooms []roomName) {
	for _, b := range isa.Bitsets {
		for _, c := range b.Cases {
			f := c.Field(b.Meta["room"])
			if f == nil || f.Enum == nil {
				continue
			}
			rooms = make([]roomName, 1<<f.Width)
			for _, v := range f.Enum.Values {
				rooms[v.Val] = roomName{v.Name, v.Display}
			}
		}
	}
	return rooms
}

func (r *reader) kind(root *isa.Root, sync string) *kind {
	m := r.m
	k := &kind{root: root, sync: m.flag(sync)}
	var err error
	if k.decoder, err = m.set.NewDecoder(root.Name); err != nil {
		r.fail(err)
		return k
	}
	if k.parser, err = asm.New(m.set, root.Name); err != nil {
		r.fail(err)
		return k
	}
	k.lossless = asm.NewLossless(k.decoder, k.parser)
	for _, l := range root.Leaves {
		k.follows = append(k.follows, m.flag(l.Meta("follows")))
		if name := l.Meta("follows"); name != "" && k.follows[l.ID].width == 0 {
			r.fail(fmt.Errorf("%s: follows names the unknown context %q", l.Name, name))
		}
		k.exports = append(k.exports, r.exports(l))
		if f := r.filling(l); f != nil {
			k.filling = f
		}
	}
	k.lossless.Lines = k.breaks()
	k.prefix = k.commonPrefix(inside.Machine(m.set))
	k.mark = m.text(sync, 1)
	k.indents = [2]string{m.indent(6), m.indent(6 - len(k.mark))}
	k.setContext(m.set.DefaultContext())
	return k
}

// setContext gives the decoder and the parser their contexts.
func (k *kind) setContext(ctx bits.Value) {
	if k.decoder.Context() != ctx {
		k.decoder.SetContext(ctx)
		k.parser.SetContext(ctx)
	}
}

// breaks reports whether a text can have several lines.
func (k *kind) breaks() bool {
	for _, l := range k.root.Leaves {
		for b := inside.Leaf(l).Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				for _, t := range c.Displays {
					for _, it := range t.Items() {
						if it.Kind == spec.ItemBreak {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// commonPrefix returns what the templates of all leaves start with, after a context.
func (k *kind) commonPrefix(m *model.Machine) string {
	var openings []string
	for _, l := range k.root.Leaves {
		for _, t := range m.Texts(inside.Leaf(l)) {
			if t.Display != nil {
				openings = append(openings, opening(t.Display))
			}
		}
	}
	slices.Sort(openings) // what the first and the last share, all share
	first, last := openings[0], openings[len(openings)-1]
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return strings.TrimRight(first[:n], " \t")
}

// opening returns the text that a template starts with, after a context.
func opening(t *spec.Template) string {
	items := t.Items()
	if len(items) > 0 && strings.HasPrefix(items[0].Ref, "@") {
		items = items[1:]
	}
	if len(items) == 0 {
		return ""
	}
	return items[0].Text
}

// flag finds a context; there is none of the empty name.
func (m *machine) flag(name string) flag {
	for _, c := range inside.Machine(m.set).ISA.Contexts {
		if c.Name == name {
			return flag{c.Low, c.Width}
		}
	}
	return flag{}
}

// text returns what a value of a context prints.
func (m *machine) text(context string, value uint64) string {
	c := inside.Machine(m.set).ISA.Context(context)
	if c == nil || c.Enum == nil {
		return ""
	}
	for _, v := range c.Enum.Values {
		if v.Val == value {
			return v.Display
		}
	}
	return ""
}

func (r *reader) clause(l *isa.Leaf) clause {
	c := clause{
		loader: l.Meta("loader"), room: r.named(l, "room"), size: r.named(l, "size"),
		nest: nest{counted: l.Meta("counted")},
	}
	for _, f := range l.FlowForms() {
		c.flow(r.m.set, f)
	}
	for _, x := range l.FieldLimits() {
		if c.goes {
			c.clauses = int(x.Max) + 1
		} else {
			c.store = int(x.Max) + 1
		}
	}
	c.sized = make([]bool, len(r.m.rooms))
	for i, room := range r.m.rooms {
		c.sized[i] = slices.Contains(strings.Fields(l.Meta("sized")), room.name)
	}
	runs, ok := l.Runs()
	if !ok {
		return c
	}
	c.runs, c.address, c.count, c.steps = true, runOf(runs.Address), runOf(runs.Count), len(runs.Steps)
	for _, s := range runs.Steps {
		c.slots = append(c.slots, slot{runOf(s.Root), runOf(s.Context)})
		c.sequence = c.sequence.over(runOf(s.Root)).over(runOf(s.Context))
	}
	return c
}

// flow notes one of the ways in which control goes on after a clause.
func (c *clause) flow(set *isa.Set, f isa.FlowForm) {
	c.goes = c.goes || f.Target != ""
	if depth, ok := set.StackDepth(f.Stack); ok {
		c.depth = depth
	}
	switch f.Kind {
	case isa.End:
		c.ends, c.mayEnd = true, f.Maybe
	case isa.Loop:
		c.opens = f.Stack
	case isa.LoopEnd:
		c.closes = f.Stack
	case isa.Call:
		c.calls = f.Stack
	case isa.Return:
		c.returns = f.Stack
	}
}

func (r *reader) exports(l *isa.Leaf) exports {
	if l.Meta("export") == "" {
		return exports{}
	}
	e := exports{flag: r.named(l, "export"), number: r.named(l, "exports")}
	c := inside.Machine(r.m.set).ISA.Context(l.Meta("stage"))
	if c == nil || c.Enum == nil {
		r.fail(fmt.Errorf("%s: stage names %q, expected a context with an enum", l.Name, l.Meta("stage")))
		return e
	}
	e.stage = flag{c.Low, c.Width}
	for _, v := range c.Enum.Values {
		e.stages = append(e.stages, r.ranges(l, v.Name, 1<<e.number.width))
	}
	for _, room := range r.m.rooms {
		e.rooms = append(e.rooms, r.ranges(l, room.name, 1<<e.number.width))
	}
	return e
}

// ranges reads a list such as "0-15 32".
func (r *reader) ranges(l *isa.Leaf, meta string, size int) []bool {
	has := make([]bool, size)
	for _, word := range strings.Fields(l.Meta(meta)) {
		from, to, isRange := strings.Cut(word, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first < 0 || last >= size || last < first {
			r.fail(fmt.Errorf("%s: %s=%q, expected numbers and ranges up to %d", l.Name, meta, l.Meta(meta), size-1))
			return has
		}
		for i := first; i <= last; i++ {
			has[i] = true
		}
	}
	return has
}

// named returns where the bits of the field are that an attribute names, if it names one.
func (r *reader) named(l *isa.Leaf, meta string) run {
	path := l.Meta(meta)
	part, ok := inside.Leaf(l).Spec.BitsOf(path)
	if path != "" && !ok {
		r.fail(fmt.Errorf("%s: %s names %q, expected a field with contiguous bits", l.Name, meta, path))
	}
	return run{part.Low, part.Width}
}

// target returns the clause that one goes to, -1 for none.
func (m *machine) target(in isa.Inst) int {
	m.flows = m.cf.decoder.Flows(m.flows[:0], in)
	for _, f := range m.flows {
		if f.Target >= 0 {
			return int(f.Target) / m.cf.root.Size
		}
	}
	return -1
}
