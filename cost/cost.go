// Package cost reports what the programs of a file need: words and table entries, registers, the shortest and the
// longest path, and operations that are scarce, next to the limits that the description of the machine states.
//
// All numbers are static. A path is a path of the control flow, even if no input makes the program take it. The package
// states no times, because a description has none.
package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/lint"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// MaxCode is the maximum number of instructions of a file.
const MaxCode = lint.MaxCode

// ErrTooLarge is the error for code with more than MaxCode instructions.
var ErrTooLarge = lint.ErrTooLarge

// File is the code of a file, or of one of several independent programs in a file.
type File struct {
	Listing *view.Listing
	Facts   *facts.Machine
	// Base and End delimit the code in the image, in bits. All other addresses are relative to Base.
	Base, End int64
	Programs  []Program
	// Registers is the number of registers that a launch allocates, or 0 if the number is unknown.
	Registers int
	// Shared is the number of bytes of memory that each block of lanes has. It is -1 for code that does not run in blocks.
	Shared int
	// Threads lists the numbers of lanes of blocks for which occupancy is computed.
	Threads []int
	// Locate returns the source location of the instruction at an address.
	Locate func(addr int64) diag.Span
}

// Program is one of the programs in the code.
type Program struct {
	Name string
	// Entries are the addresses of its entry points, in bits.
	Entries []int64
	// Outputs are the output registers that the next pipeline stage reads after the program ends. If Emits is set,
	// instructions export the outputs, and nothing is read after the end.
	Outputs []Output
	Emits   bool
	// Known returns the value of a constant register that the file defines. It is nil if the file defines no constants.
	Known func(state string, number, comp int) (value uint64, ok bool)
}

// Output is an output register. Bit i of Mask is set for component i.
type Output struct {
	State  string
	Number int
	Mask   uint64
}

// Report is the cost of the programs of a file. Package documentation of the members is in docs/json.md.
type Report struct {
	// Limits are the quantities that all programs of the file share: the length of the code, and table entries.
	Limits   []Use         `json:"limits"`
	Programs []ProgramCost `json:"programs"`
	// Occupancy has an element for each processor of the machine. It is empty if the number of registers is unknown.
	Occupancy []Occupancy `json:"occupancy,omitempty"`
	// Hazards are the hazards that the description defines, sorted by address.
	Hazards diag.List `json:"-"`
}

// Use is how much of a limited quantity a program uses.
type Use struct {
	Name string `json:"name"`
	Used int    `json:"used"`
	// Most is the limit, or 0 if the description states none.
	Most int `json:"most,omitempty"`
	// Indexed is set if a register number is computed at run time, so that the program may use more.
	Indexed bool `json:"indexed,omitempty"`
	// Source states where the limit comes from. It is "" for a limit that follows from the encoding.
	Source string `json:"source,omitempty"`
}

// ProgramCost is the cost of a program.
type ProgramCost struct {
	Program string `json:"program,omitempty"`
	// Unknown is the reason why the paths of the program are unknown, or "". Then only Limits of the report are known.
	Unknown string `json:"unknown,omitempty"`
	// Instructions is the number of reached instructions. An instruction that runs others counts with them.
	Instructions int         `json:"instructions"`
	Paths        []Path      `json:"paths,omitempty"`
	Loops        []Loop      `json:"loops,omitempty"`
	Uses         []Use       `json:"uses,omitempty"`
	Registers    []Pressure  `json:"registers,omitempty"`
	Operations   []Operation `json:"operations,omitempty"`
	Lines        []Line      `json:"lines,omitempty"`
}

// Pressure is the use of a register file.
type Pressure struct {
	File string `json:"file"`
	// Used is the number of registers that the program reads or writes, and Count is the number of registers of the machine.
	Used  int `json:"used"`
	Count int `json:"count"`
	// Peak is the largest number of registers with a live component before an instruction, and Address is the first
	// such instruction, in bytes.
	Peak    int   `json:"peak"`
	Address int64 `json:"address"`
	// Components is the largest number of live components, and ComponentsAddress is the first instruction with it. Both
	// are 0 for registers without components.
	Components        int   `json:"components,omitempty"`
	ComponentsAddress int64 `json:"components_address,omitempty"`
}

// Operation counts instructions of a kind.
type Operation struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Line is an instruction.
type Line struct {
	// Address is in bytes from the start of the code.
	Address int64  `json:"address"`
	Text    string `json:"text"`
	// Source and Line are the position in the source, if the program is source. Line starts at 1.
	Source string `json:"source,omitempty"`
	Line   int    `json:"line,omitempty"`
	// Live are the registers that are live before the instruction, such as r0.xyz.
	Live []string `json:"live"`
	// Registers is the number of live registers in each file that has some.
	Registers []Operation `json:"registers,omitempty"`
	// Operations are the kinds of operations that the instruction counts for.
	Operations []string `json:"operations,omitempty"`
}

// Of returns the cost of the programs of a file. It returns ErrTooLarge, wrapped, for code with more than MaxCode
// instructions, and the error of the context if the context is cancelled.
func Of(ctx context.Context, f *File) (*Report, error) {
	m := &meter{File: f, set: f.Listing.Decoder.Set(), kinds: map[string]bool{}}
	lf := &lint.File{Image: f.Listing.Image, Decoder: f.Listing.Decoder, Facts: f.Facts, Base: f.Base, End: f.End, Registers: f.Registers, Locate: f.Locate}
	for i := range f.Programs {
		p := &f.Programs[i]
		lp := lint.Program{Entries: p.Entries, Emits: p.Emits, Known: p.Known}
		for _, o := range p.Outputs {
			lp.Outputs = append(lp.Outputs, lint.Output{State: o.State, Number: o.Number, Mask: o.Mask, Used: o.Mask, Needed: o.Mask})
		}
		lf.Programs = append(lf.Programs, lp)
	}
	code, err := lint.Open(ctx, lf)
	if err != nil {
		return nil, err
	}
	m.code = code
	r := &Report{}
	for i := range f.Programs {
		c, err := m.program(f.Programs[i].Name, &lf.Programs[i])
		if err != nil {
			return nil, err
		}
		r.Programs = append(r.Programs, *c)
	}
	r.Limits = m.limits()
	if f.Shared >= 0 && f.Registers > 0 {
		for _, p := range m.set.Processors(f.Listing.Decoder.Context()) {
			r.Occupancy = append(r.Occupancy, OccupancyOf(p, f.Facts.Lanes(), f.Registers, f.Shared, f.Threads))
		}
	}
	slices.SortFunc(m.hazards, func(a, b hazard) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Text, b.Text))
	})
	for _, h := range slices.Compact(m.hazards) {
		r.Hazards = append(r.Hazards, diag.Warnf(diag.Code(h.Name), f.Locate(h.addr), "%s", h.Text))
	}
	return r, nil
}

// meter measures the programs of a file.
type meter struct {
	*File
	set  *isa.Set
	code *lint.Code
	// kinds are the kinds of programs in the file, as far as instructions determine them.
	kinds   map[string]bool
	hazards []hazard
}

// hazard is a hazard of the instruction at an address.
type hazard struct {
	addr int64
	isa.Hazard
}

func (m *meter) program(name string, p *lint.Program) (*ProgramCost, error) {
	c := &ProgramCost{Program: name}
	g, err := m.code.Follow(p)
	if errors.Is(err, lint.ErrTooLarge) {
		c.Unknown = "the program has too many paths to follow"
		return c, nil
	} else if err != nil {
		return nil, err
	}
	insts, err := m.instructions(g)
	if err != nil {
		return nil, err
	}
	m.liveness(g, insts)
	var words []*word
	seen := map[int64]*word{}
	for _, in := range insts {
		for _, w := range in.words {
			c.Instructions++
			if o := seen[w.addr]; o != nil { // a word that several instructions run
				o.live.addAll(w.live)
				c.Instructions--
				continue
			}
			seen[w.addr] = w
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b *word) int { return cmp.Compare(a.addr, b.addr) })
	m.count(c, words)
	m.measure(c, words)
	m.paths(c, g, insts)
	return c, nil
}

// instruction is an instruction that some path reaches, with the words that it runs.
type instruction struct {
	// words has the instruction itself, followed by the words of other roots that it runs.
	words []*word
	// reads are the components that the instruction and the words it runs may read.
	reads reads
}

// word is a word of the program.
type word struct {
	addr int64
	text string
	// classes are the classes of operations that the description states.
	classes []string
	facts   *facts.Facts
	reads   reads
	// writes are the components that the word always writes.
	writes partSet
	// live are the components that are live before the word.
	live partSet
}

// instructions returns the instructions of a graph.
func (m *meter) instructions(g *lint.Graph) (map[*lint.Inst]*instruction, error) {
	all := map[*lint.Inst]*instruction{}
	for _, n := range g.Nodes {
		for i := range n.Ways {
			for _, h := range n.Ways[i].Hazards {
				m.hazards = append(m.hazards, hazard{n.Addr, h})
			}
		}
		if all[n.Inst] != nil {
			continue
		}
		x := &instruction{reads: m.readsOf(n.Facts)}
		all[n.Inst] = x
		var failed error
		err := m.code.Words(n.Inst, func(d *isa.Decoder, in isa.Inst) {
			w := &word{addr: d.Addr, text: strings.Join(strings.Fields(string(d.Append(nil, in))), " "), facts: n.Facts, live: m.newSet()}
			w.classes = d.Classes(nil, in)
			for _, h := range d.Hazards(nil, in) {
				m.hazards = append(m.hazards, hazard{d.Addr, h})
			}
			if kind := in.Leaf.Layout().Program; kind != "" {
				m.kinds[kind] = true
			}
			if len(x.words) > 0 {
				var err error
				if w.facts, err = m.Facts.Of(d, in); err != nil {
					failed = cmp.Or(failed, err)
					return
				}
				w.reads, w.writes = m.readsOf(w.facts), m.writesOf(w.facts)
			}
			x.words = append(x.words, w)
		})
		if err = cmp.Or(err, failed); err != nil {
			return nil, err
		}
		if len(x.words) > 1 { // these words have the effects
			x.words[0].facts = &facts.Facts{}
		}
	}
	return all, nil
}

// count counts the registers that no instruction changes, and the kinds of operations.
func (m *meter) count(c *ProgramCost, words []*word) {
	operations := newCounter()
	for _, w := range words {
		line := Line{Address: w.addr / 8, Text: w.text, Live: []string{}}
		if s := m.Locate(w.addr); s.IsValid() && s.Src != nil && s.Src.Code == nil {
			line.Source = s.Src.Name
			line.Line, _ = s.LineCol()
		}
		line.Operations = w.operations()
		for _, o := range line.Operations {
			operations.add(o)
		}
		c.Lines = append(c.Lines, line)
	}
	c.Operations = operations.list
	c.Uses = m.fixedFiles(words)
}

// counter counts by names, in the order of their first occurrence.
type counter struct {
	list []Operation
	at   map[string]int
}

func newCounter() *counter { return &counter{at: map[string]int{}} }

func (c *counter) add(name string) {
	i, ok := c.at[name]
	if !ok {
		i = len(c.list)
		c.at[name] = i
		c.list = append(c.list, Operation{Name: name})
	}
	c.list[i].Count++
}

// operations returns the kinds of operations of a word: its classes, and accesses to memories and outputs.
func (w *word) operations() (list []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	memory := func(what string, a facts.Access) {
		if a.State.Kind == facts.Memory {
			add(what + " " + a.State.Name)
		}
	}
	for _, c := range w.classes {
		add(c)
	}
	for a := range w.facts.Reads() {
		memory("reads of", a)
	}
	for a := range w.facts.Writes() {
		if memory("writes to", a); a.State.Use == "output" && a.State.Kind == facts.Registers {
			add("writes to " + a.State.Name)
		}
	}
	return list
}

// fixedFiles returns how many inputs, constants and outputs a program uses.
func (m *meter) fixedFiles(words []*word) (list []Use) {
	used := map[*facts.State]map[int]bool{}
	indexed := map[*facts.State]bool{}
	for _, w := range words {
		touch := func(a facts.Access) {
			if a.State.Kind != facts.Registers || a.State.Single {
				return
			}
			if used[a.State] == nil {
				used[a.State] = map[int]bool{}
			}
			if a.Number < 0 {
				indexed[a.State] = true
			} else {
				used[a.State][a.Number] = true
			}
		}
		for a := range w.facts.Reads() {
			touch(a)
		}
		for a := range w.facts.Writes() {
			touch(a)
		}
	}
	for _, s := range m.Facts.States() {
		if used[s] != nil && (s.Use == "input" || s.Use == "constant" || s.Use == "output") {
			u := Use{Name: s.Name, Used: len(used[s]), Most: s.Count, Indexed: indexed[s]}
			for _, l := range m.limitsOf(m.set.File(s.Name)) {
				u.Most, u.Source = int(l.Most), l.Source
			}
			list = append(list, u)
		}
	}
	return list
}

// limits returns how much of the limits for a whole file the code uses.
func (m *meter) limits() (list []Use) {
	root := m.Listing.Decoder.Root()
	limits := m.limitsOf(nil)
	for _, l := range limits {
		list = append(list, Use{Name: l.Name, Used: units(m.End-m.Base, int64(l.Unit)), Most: int(l.Most), Source: l.Source})
	}
	if len(limits) == 0 {
		list = append(list, Use{Name: "words", Used: units(m.End-m.Base, int64(root.StoredSize(root.MinSize)))})
	}
	for i, t := range m.set.Tables() {
		used := 0
		if i < len(m.Listing.Image.Tables) {
			used = len(m.Listing.Image.Tables[i])
		}
		list = append(list, Use{Name: t.Name, Used: used, Most: t.Size})
	}
	return list
}

// units returns the number of units that a number of bits takes.
func units(bits, unit int64) int { return int((bits + unit - 1) / unit) }

// limitsOf returns the limits for a register file, or for the code if file is nil. Limits for the kinds of programs that
// the file contains replace the others.
func (m *meter) limitsOf(file *isa.File) (list []isa.ProgramLimit) {
	for _, l := range m.set.ProgramLimits() {
		if l.File == file && (l.Program == "" || m.kinds[l.Program]) {
			list = append(list, l)
		}
	}
	if slices.ContainsFunc(list, func(l isa.ProgramLimit) bool { return l.Program != "" }) {
		list = slices.DeleteFunc(list, func(l isa.ProgramLimit) bool { return l.Program == "" })
	}
	return list
}

// partSet is a set of register components.
type partSet []uint64

func (s partSet) has(p facts.Part) bool { return s[p>>6]>>uint(p&63)&1 != 0 }
func (s partSet) add(p facts.Part)      { s[p>>6] |= 1 << uint(p&63) }
func (s partSet) remove(p facts.Part)   { s[p>>6] &^= 1 << uint(p&63) }

// addAll adds a set and reports whether s changed.
func (s partSet) addAll(o partSet) (news bool) {
	for i := range s {
		news = news || o[i]&^s[i] != 0
		s[i] |= o[i]
	}
	return news
}

func (m *meter) newSet() partSet { return make(partSet, (m.Facts.Parts()+63)/64) }

// eachPart calls do for each component of an access.
func (m *meter) eachPart(a facts.Access, do func(facts.Part)) {
	from, to := a.Number, a.Number+1
	if a.Number < 0 {
		from, to = 0, a.State.Count
	}
	for n := from; n < to; n++ {
		for k := range max(1, len(a.State.Components)) {
			if a.Mask>>uint(k)&1 != 0 {
				if p, ok := m.Facts.Part(a.State, n, k); ok {
					do(p)
				}
			}
		}
	}
}

// measure records the live registers before each word, and their peaks.
func (m *meter) measure(c *ProgramCost, words []*word) {
	touched := map[*facts.State]map[int]bool{}
	for _, w := range words {
		touch := func(a facts.Access) {
			if a.State.Kind == facts.Registers && a.Number >= 0 {
				if touched[a.State] == nil {
					touched[a.State] = map[int]bool{}
				}
				touched[a.State][a.Number] = true
			}
		}
		for a := range w.facts.Reads() {
			touch(a)
		}
		for a := range w.facts.Writes() {
			touch(a)
		}
	}
	for _, s := range m.Facts.States() {
		if s.Kind != facts.Registers || !s.Changes() || s.Scope != "lane" || s.Use == "output" || s.Use == "special" {
			continue
		}
		p := Pressure{File: s.Name, Used: len(touched[s]), Count: s.Count}
		for i, w := range words {
			registers, components := 0, 0
			for n := range s.Count {
				var mask uint64
				for k := range max(1, len(s.Components)) {
					if part, ok := m.Facts.Part(s, n, k); ok && w.live.has(part) {
						mask |= 1 << uint(k)
					}
				}
				if mask != 0 {
					registers++
					components += mathbits.OnesCount64(mask)
					c.Lines[i].Live = append(c.Lines[i].Live, facts.Access{State: s, Number: n, Mask: mask, Address: -1}.String())
				}
			}
			if registers > p.Peak {
				p.Peak, p.Address = registers, w.addr/8
			}
			if len(s.Components) > 1 && components > p.Components {
				p.Components, p.ComponentsAddress = components, w.addr/8
			}
			if registers > 0 {
				c.Lines[i].Registers = append(c.Lines[i].Registers, Operation{Name: s.Name, Count: registers})
			}
		}
		if p.Peak > 0 || p.Used > 0 && s.Use == "temporary" {
			c.Registers = append(c.Registers, p)
		}
	}
}

// String returns a summary such as "9 of 16".
func (u Use) String() string {
	if u.Most == 0 {
		return fmt.Sprint(u.Used)
	}
	return fmt.Sprintf("%d of %d", u.Used, u.Most)
}
