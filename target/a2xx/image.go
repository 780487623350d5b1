package a2xx

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Orders are the names of the byte orders of words: that of Adreno and that of Xenos.
func Orders() []string { return []string{littleEndian, bigEndian} }

const (
	littleEndian = "little"
	bigEndian    = "big"
)

// OpenRaw reads a program without a container, of 32-bit words in an order of Orders, for listing. It detects the
// order "". Code in the order of Xenos is code for Xenos.
func OpenRaw(set *isa.Set, ctx bits.Value, data []byte, order string) (*program.Image, error) {
	m, err := newMachine(set)
	if err != nil {
		return nil, err
	}
	words, order, err := m.words(data, order)
	if err != nil {
		return nil, err
	}
	im := &program.Image{Format: "raw, " + order + "-endian", Words: words}
	if n := len(data) % 4; n > 0 {
		im.Words = append(im.Words, tail(data[len(data)-n:]))
	}
	im.Bits = 8 * int64(len(data))
	p := layout{m: m, words: im.Words[:len(words)], context: ctx}
	p.analyse()
	im.Pieces, im.Break = p.pieces(nil, 0), m.breakIndent()
	if n := len(data) % 4; n > 0 {
		im.Pieces = append(im.Pieces, program.Piece{
			Addr: 32 * int64(len(words)), Size: 8 * n, Indent: p.m.indent(0), Text: string(appendBytes(nil, data[len(data)-n:])),
		})
	}
	im.Contents = []program.Part{p.part("program")}
	if order == bigEndian {
		im.Lead = append(im.Lead, program.BigEndian)
		im.Quirks = XenosQuirks()
	}
	im.Lead = append(im.Lead, p.lead()...)
	return im, nil
}

// tail returns the bytes after the last word as one.
func tail(data []byte) (w uint32) {
	for i, b := range data {
		w |= uint32(b) << (8 * i)
	}
	return w
}

// words reads words in a byte order. Where none is given it is the one in which they look more like a
// program, and little-endian, as Adreno has it, where they do in both.
func (m *machine) words(data []byte, order string) ([]uint32, string, error) {
	little := make([]uint32, len(data)/4)
	big := make([]uint32, len(data)/4)
	for i := range little {
		little[i] = binary.LittleEndian.Uint32(data[4*i:])
		big[i] = binary.BigEndian.Uint32(data[4*i:])
	}
	switch {
	case order != "" && order != littleEndian && order != bigEndian:
		return nil, "", fmt.Errorf("unknown order %q, expected %s", order, strings.Join(Orders(), " or "))
	case order == bigEndian || order == "" && m.prefers(big, little):
		return big, bigEndian, nil
	}
	return little, littleEndian, nil
}

// prefers reports whether words look like a program where others do not.
func (m *machine) prefers(words, others []uint32) bool {
	switch m.likeness(words) {
	case tidy:
		return m.likeness(others) != tidy
	case ended:
		return m.likeness(others) == unlike
	}
	return false
}

// How much words look like a program.
const (
	unlike = iota // they run nothing, or what is not there
	like          // what clauses run is there
	ended         // one of them ends it too
	tidy          // and what they run lies behind them, in order and without gaps
)

func (m *machine) likeness(words []uint32) int {
	p := layout{m: m, words: words, context: m.set.DefaultContext()}
	p.analyse()
	next, ends, inOrder := p.start, false, true
	for i := range p.clauses {
		c := &p.clauses[i] // the count of one that runs nothing is 0
		if c.count > c.steps || c.count > 0 && (c.address < p.start || c.address+c.count > len(words)/unitWords) {
			return unlike
		}
		inOrder = inOrder && (c.count == 0 || c.address == next)
		next += c.count
		ends = ends || c.ends
	}
	switch {
	case next == p.start:
		return unlike
	case !ends:
		return like
	case inOrder:
		return tidy
	}
	return ended
}

// layout is a program taken apart.
type layout struct {
	m       *machine
	words   []uint32
	context bits.Value
	// clauses are those before unit start; steps are what they run, in their order.
	clauses []placedClause
	start   int
	steps   []step
	// units say what each unit is.
	units []unitInfo
	// met tells, by kind and leaf, that a step so far is of the leaf.
	met [2][]bool
	// declared are the units that the file lists among its vertex elements.
	declared map[int]bool
}

// unitInfo is what is known of a unit: that clauses stand there, or a step, and of which kind.
type unitInfo struct {
	taken, waits bool
	kind         int
}

// placedClause is a clause of a program.
type placedClause struct {
	*clause
	in                       isa.Inst
	address, count, sequence int
	// target is the clause that it goes to, -1 for none.
	target int
	// steps are those of the layout from first up to last.
	first, last int
}

// step is an instruction that a clause runs, shown after the first clause that does.
type step struct {
	unit, kind int
	waits      bool
	// later is set if another one like it stands before it.
	later bool
	in    isa.Inst
}

// unit returns the bits of a unit.
func (p *layout) unit(i int) (v bits.Value) {
	w := p.words[unitWords*i:]
	v[0], v[1] = uint64(w[0])|uint64(w[1])<<32, uint64(w[2])
	return v
}

// analyse finds the clauses and what they run.
func (p *layout) analyse() {
	n := len(p.words) / unitWords
	p.steps = p.steps[:0]
	p.readClauses(n)
	p.units = append(p.units[:0], make([]unitInfo, n)...)
	for i := range p.start {
		p.units[i].taken = true
	}
	for i, k := range p.m.kinds {
		p.met[i] = append(p.met[i][:0], make([]bool, len(k.root.Leaves))...)
	}
	for i := range p.clauses {
		c := &p.clauses[i]
		c.first = len(p.steps)
		if c.runs {
			p.run(c)
		}
		c.last = len(p.steps)
	}
}

// readClauses reads the clauses, which end at the first unit that any of them runs, or that the first one
// runs where that lies among the clauses. In a program without such a clause all n units are clauses, as
// far as addresses reach.
func (p *layout) readClauses(n int) {
	p.clauses = p.clauses[:0]
	end, found := min(n, p.m.reach), false
	for i := 0; i < 2*end; i++ {
		c := p.clause(i)
		switch {
		case !c.runs:
		case !found && (c.count > 0 || c.address > i/2):
			end, found = min(max(c.address, i/2+1), n), true
		case found && c.count > 0 && c.address > i/2:
			end = min(end, c.address)
		}
	}
	p.start, p.clauses = end, p.clauses[:2*end]
}

// clause reads the clause with an index, that of the next one.
func (p *layout) clause(i int) *placedClause {
	w := p.words[unitWords*(i/2):]
	x := uint64(w[0]) | uint64(w[1])<<32&(1<<48-1)
	if i%2 == 1 {
		x = uint64(w[1]>>16) | uint64(w[2])<<16
	}
	known := &p.m.known[x*0x9e3779b97f4a7c15>>(64-knownBits)]
	if known.clause == nil || known.in.Bits[0] != x {
		*known = p.m.decode(x)
	}
	p.clauses = append(p.clauses, *known)
	return &p.clauses[i]
}

// decode decodes a clause, which has no place yet.
func (m *machine) decode(x uint64) placedClause {
	in, _ := m.cf.decoder.Decode(bits.Of(x)) // there is a clause for each operation
	c := placedClause{clause: &m.clauses[in.Leaf.ID], in: in, target: -1}
	if c.runs {
		c.address, c.count, c.sequence = c.clause.address.in(x), c.clause.count.in(x), c.clause.sequence.in(x)
	}
	if c.goes {
		c.target = m.target(in)
	}
	return c
}

// run adds the instructions of a clause that no clause before it runs.
func (p *layout) run(c *placedClause) {
	for k := range c.count {
		u := c.address + k
		if u >= len(p.units) || p.units[u].taken {
			continue
		}
		p.steps = append(p.steps, step{unit: u})
		s := &p.steps[len(p.steps)-1]
		if k < len(c.slots) {
			s.kind, s.waits = c.slots[k].kind.in(c.in.Bits[0]), c.slots[k].waits.in(c.in.Bits[0]) != 0
		}
		p.units[u] = unitInfo{true, s.waits, s.kind}
		kind := p.m.kinds[s.kind]
		s.in, _ = kind.decoder.Decode(p.unit(u)) // there is an instruction for each operation
		if f := kind.follows[s.in.Leaf.ID]; f.width > 0 {
			s.later = p.met[s.kind][s.in.Leaf.ID]
			p.met[s.kind][s.in.Leaf.ID] = true
		}
	}
}

// contextOf returns the contexts of a step.
func (p *layout) contextOf(s *step) bits.Value {
	k := p.m.kinds[s.kind]
	ctx := p.context
	if s.waits {
		ctx = k.sync.set(ctx, true)
	}
	if s.later {
		ctx = k.follows[s.in.Leaf.ID].set(ctx, true)
	}
	if p.declared[s.unit] && k.filling != nil && s.in.Leaf == k.filling.leaf {
		ctx = k.filling.declared.set(ctx, true)
	}
	return ctx
}

// count returns how many pieces there will be of a program whose clauses have been read: two for each of their units, one
// for each other unit, and one for the words that are left.
func (p *layout) count() int {
	return p.start + (len(p.words)+unitWords-1)/unitWords
}

// pieces appends what a listing shows of the program, which starts at base bits of its image.
func (p *layout) pieces(dst []program.Piece, base int64) []program.Piece {
	at := p.start
	place := func(unit int) (lead string) {
		if unit != at {
			lead = orgLine(unit)
		}
		at = unit + 1
		return lead
	}
	for i := range p.clauses {
		c := &p.clauses[i]
		dst = append(dst, program.Piece{
			Root: p.m.cf.root, Addr: base + 48*int64(i), Size: 48, Base: base, Context: p.m.gives[sequenced].set(p.context, c.runs && c.sequence != p.sequence(c)),
			Target: true, Indent: p.m.indent(0),
		})
		for j := c.first; j < c.last; j++ {
			s := &p.steps[j]
			k := p.m.kinds[s.kind]
			dst = append(dst, program.Piece{
				Root: k.root, Addr: base + unitBits*int64(s.unit), Size: unitBits, Base: base,
				Context: p.contextOf(s), Indent: k.indent(s), Lead: place(s.unit),
			})
		}
	}
	for u := range p.units {
		if !p.units[u].taken {
			dst = append(dst, program.Piece{Addr: base + unitBits*int64(u), Size: unitBits, Base: base, Indent: p.m.indent(0), Lead: place(u)})
		}
	}
	if whole := len(p.units) * unitWords; whole < len(p.words) {
		dst = append(dst, program.Piece{Addr: base + 32*int64(whole), Size: 32 * (len(p.words) - whole), Base: base, Indent: p.m.indent(0), Lead: place(len(p.units))})
	}
	return dst
}

// sequence returns the sequence bits that the units make which a clause runs.
func (p *layout) sequence(c *placedClause) int {
	return sequence(c.clause, p.units, c.address, c.count)
}

// sequence returns the sequence bits of a clause that runs count units from address on.
func sequence(c *clause, units []unitInfo, address, count int) int {
	x := uint64(0)
	for k := range min(count, len(c.slots)) {
		if u := address + k; u < len(units) {
			x |= units[u].slot(&c.slots[k])
		}
	}
	return c.sequence.in(x)
}

// slot returns the bits of a clause that say what kind of instruction one is, and whether it waits.
func (u *unitInfo) slot(s *slot) uint64 {
	x := uint64(u.kind) << (s.kind.low & 63)
	if u.waits {
		x |= 1 << (s.waits.low & 63)
	}
	return x
}

// spellings with a tab before each line, as Mesa's disassembler prints them inside of others.
const mesa = "mesa"

// indent returns the blanks before a line.
func (m *machine) indent(n int) string {
	if m.set.Syntax() == mesa {
		return "\t" + strings.Repeat(" ", n)
	}
	return strings.Repeat(" ", n)
}

// indent returns the blanks before an instruction.
func (k *kind) indent(s *step) string {
	if s.waits {
		return k.indents[1]
	}
	return k.indents[0]
}

// breakIndent stands before the second line of an instruction.
func (m *machine) breakIndent() string {
	if m.set.Syntax() == mesa {
		return "\t\t    \t"
	}
	return "\t\t"
}

// part lists what the program consists of.
func (p *layout) part(title string) program.Part {
	data := len(p.words) - unitWords*p.start - unitWords*len(p.steps)
	return program.Part{Title: title, Data: map[string]int{
		"words": len(p.words), "clauses": len(p.clauses), "instructions": len(p.steps), "data": data,
	}, Lines: []string{
		fmt.Sprintf("words         %d", len(p.words)),
		fmt.Sprintf("clauses       %d", len(p.clauses)),
		fmt.Sprintf("instructions  %d", len(p.steps)),
		fmt.Sprintf("data          %d words that no clause runs", data),
	}}
}

func errorf(code diag.Code, span diag.Span, format string, args ...any) *diag.Error {
	return diag.Errorf(code, span, format, args...)
}
