package a2xx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// unitBits is the size of what addresses count: an instruction, or two clauses.
const unitBits = 96

// unitWords is the same in 32-bit words.
const unitWords = unitBits / 32

// machine is what the layout of programs needs to know of the description, which its <meta> says.
type machine struct {
	set *isa.Set
	// cf is the kind of clauses; kinds are those of instructions, by the bit of the sequence.
	cf    *kind
	kinds [2]*kind
	// filler fills up the last unit of clauses, end ends a program that nothing else ends.
	filler, end isa.Inst
	// addressed, counted and sequenced are the contexts that say what the text of a clause gives.
	addressed, counted, sequenced flag
	clauses                       []clause // by Leaf.ID
	rooms                         []roomName
	// reach is the number of units that addresses can tell apart.
	reach int
}

// roomName is what clauses can make room for, by its name in the description and its text.
type roomName struct{ name, text string }

// kind is a root with what reads and writes its instructions.
type kind struct {
	root     *isa.Root
	decoder  *isa.Decoder
	parser   *asm.Parser
	lossless *asm.Lossless
	// prefix is what the text of each instruction starts with, behind the mark of one that waits.
	prefix string
	// sync is the context of that mark, mark its text; follows is, by leaf, the context that is true
	// behind another instruction of the leaf.
	sync    flag
	mark    string
	follows []flag
	exports []exports // by Leaf.ID
	// broken tells that texts can have several lines, or remarks.
	broken bool
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

// run is a run of bits in a word; a run of no bits is none.
type run struct{ low, width int }

func (r run) of(v bits.Value) int { return int(v.Uint(r.low, r.width)) }

// clause says what a clause of a leaf does.
type clause struct {
	// runs tells that it runs count instructions from address on; steps are the most that it can, store
	// the units that an address can reach, loaded those that loader loads.
	runs                     bool
	address, count, sequence run
	slots                    []slot
	steps, store, loaded     int
	loader                   string
	// ends tells that the program ends here; mayEnd, that it does only under a condition.
	ends, mayEnd bool
	// target is the clause that it goes to, one of at most clauses.
	target  run
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

// newMachine reads the description. It fails only where that contradicts itself.
func newMachine(set *isa.Set) (*machine, error) {
	m := &machine{set: set, rooms: roomsOf(inside.Machine(set).ISA)}
	for _, r := range set.Roots() {
		leaf := r.Leaves[0]
		if fetch := leaf.Meta("fetch"); fetch == "0" || fetch == "1" {
			k, err := m.newKind(r)
			if err != nil {
				return nil, err
			}
			m.kinds[fetch[0]-'0'] = k
		}
		if hasClauses(r) {
			k, err := m.newKind(r)
			if err != nil {
				return nil, err
			}
			m.cf = k
		}
	}
	if m.cf == nil || m.kinds[0] == nil || m.kinds[1] == nil {
		return nil, fmt.Errorf("the description has no clauses, or not both kinds of instructions")
	}
	m.addressed, m.counted, m.sequenced = m.flag("addressed"), m.flag("counted"), m.flag("sequenced")
	for _, l := range m.cf.root.Leaves {
		m.clauses = append(m.clauses, m.clauseOf(l))
		m.reach = max(m.reach, 1<<m.clauses[len(m.clauses)-1].address.width)
		in := isa.Inst{Leaf: l, Bits: l.Match}
		switch l.Meta("pad") {
		case "filler":
			m.filler = in
		case "end":
			m.end = in
		}
	}
	return m, nil
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

func hasClauses(r *isa.Root) bool {
	for _, l := range r.Leaves {
		if l.Meta("pad") == "filler" {
			return true
		}
	}
	return false
}

func (m *machine) newKind(r *isa.Root) (k *kind, err error) {
	k = &kind{root: r}
	if k.decoder, err = m.set.NewDecoder(r.Name); err != nil {
		return nil, err
	}
	if k.parser, err = asm.New(m.set, r.Name); err != nil {
		return nil, err
	}
	k.lossless = asm.NewLossless(k.decoder, k.parser)
	k.sync = m.flag(r.Leaves[0].Meta("sync"))
	for _, l := range r.Leaves {
		k.follows = append(k.follows, m.flag(l.Meta("follows")))
		k.exports = append(k.exports, m.exportsOf(l))
	}
	k.broken = k.breaks()
	k.prefix = k.commonPrefix(m.set.DefaultContext())
	k.mark = m.text(r.Leaves[0].Meta("sync"), 1)
	k.setContext(m.set.DefaultContext())
	return k, nil
}

// setContext gives the decoder and the parser their contexts.
func (k *kind) setContext(ctx bits.Value) {
	if k.decoder.Context() != ctx {
		k.decoder.SetContext(ctx)
		k.parser.SetContext(ctx)
	}
}

// breaks tells whether a text can have several lines.
func (k *kind) breaks() bool {
	for _, l := range k.root.Leaves {
		for b := inside.Leaf(l).Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				for _, t := range c.Displays {
					for _, it := range t.Items {
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

// commonPrefix returns what the texts of all leaves start with. Printing with tokens prepares nothing,
// which would take longer than all else that a short program needs.
func (k *kind) commonPrefix(ctx bits.Value) string {
	k.decoder.SetContext(ctx)
	var prefix string
	for i, l := range k.root.Leaves {
		line, _ := k.decoder.AppendTokens(nil, nil, isa.Inst{Leaf: l, Bits: l.Match})
		text := string(line)
		for n := range prefix {
			if n >= len(text) || text[n] != prefix[n] {
				prefix = prefix[:n]
				break
			}
		}
		if i == 0 {
			prefix = text
		}
	}
	return strings.TrimRight(prefix, " \t")
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

func (m *machine) clauseOf(l *isa.Leaf) clause {
	c := clause{
		ends: l.Meta("ends") != "", mayEnd: l.Meta("ends") == "condition", steps: number(l, "steps"), store: number(l, "store"),
		loaded: number(l, "loaded"), loader: l.Meta("loader"), clauses: number(l, "clauses"),
		nest: nest{l.Meta("opens"), l.Meta("closes"), l.Meta("calls"), l.Meta("returns"), number(l, "depth"), l.Meta("counted")},
		room: runOf(l, l.Meta("room")), size: runOf(l, l.Meta("size")),
		address: runOf(l, l.Meta("address")), count: runOf(l, l.Meta("count")),
		sequence: runOf(l, l.Meta("sequence")), target: runOf(l, l.Meta("target")),
	}
	c.runs = c.sequence.width > 0
	c.sized = make([]bool, len(m.rooms))
	for i, r := range m.rooms {
		c.sized[i] = slices.Contains(strings.Fields(l.Meta("sized")), r.name)
	}
	for i := 0; c.runs && i < c.steps; i++ {
		path := l.Meta("sequence") + "." + l.Meta("slot") + strconv.Itoa(i)
		c.slots = append(c.slots, slot{runOf(l, path+"."+l.Meta("kind")), runOf(l, path+"."+l.Meta("waits"))})
	}
	return c
}

func (m *machine) exportsOf(l *isa.Leaf) exports {
	if l.Meta("export") == "" {
		return exports{}
	}
	e := exports{flag: runOf(l, l.Meta("export")), number: runOf(l, l.Meta("exports"))}
	c := inside.Machine(m.set).ISA.Context(l.Meta("stage"))
	if c == nil || c.Enum == nil {
		return e
	}
	e.stage = flag{c.Low, c.Width}
	for _, v := range c.Enum.Values {
		e.stages = append(e.stages, ranges(l.Meta(v.Name), 1<<e.number.width))
	}
	for _, r := range m.rooms {
		e.rooms = append(e.rooms, ranges(l.Meta(r.name), 1<<e.number.width))
	}
	return e
}

// ranges reads a list such as "0-15 32".
func ranges(list string, size int) []bool {
	has := make([]bool, size)
	for _, word := range strings.Fields(list) {
		from, to, _ := strings.Cut(word, "-")
		first, _ := strconv.Atoi(from)
		last, err := strconv.Atoi(to)
		if err != nil {
			last = first
		}
		for i := first; i <= last && i < size; i++ {
			has[i] = true
		}
	}
	return has
}

func number(l *isa.Leaf, meta string) int {
	n, _ := strconv.Atoi(l.Meta(meta))
	return n
}

// runOf returns where the bits of a field of a leaf are, by its path.
func runOf(l *isa.Leaf, path string) run {
	low, in := 0, inside.Leaf(l).Spec
	for {
		name, rest, nested := strings.Cut(path, ".")
		f := fieldOf(in, name)
		if f == nil || len(f.Parts) != 1 {
			return run{}
		}
		if low += f.Parts[0].Low; !nested {
			return run{low, f.Width}
		}
		in, path = f.Bitset, rest
	}
}

// fieldOf returns the field of that name of a bitset or one above it, as it is where no override holds.
func fieldOf(b *spec.Bitset, name string) *spec.Field {
	for ; b != nil; b = b.Extends {
		if n := len(b.Cases); n > 0 {
			if f := b.Cases[n-1].Field(name); f != nil {
				return f
			}
		}
	}
	return nil
}
