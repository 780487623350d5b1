package pica200

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	mathbits "math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Source returns a shader file as source in picasso's language, which Assemble turns into the same bytes. Suffixes of
// instructions and .isago directives express what that language cannot.
func (a *Assembler) Source(data []byte) ([]byte, error) {
	f, err := ReadSHBIN(data)
	if err != nil {
		return nil, err
	}
	w, err := newSourceWriter(a, f, data)
	if err != nil {
		return nil, err
	}
	return w.source(), nil
}

// rounds bounds how often the source is made again, because texts do not say all of their instructions or descriptors
// come out in other places.
const rounds = 9

// sourceWriter makes the source of a file. It assembles what it wrote and adds what was missing,
// so that whatever the file holds, the result is right.
type sourceWriter struct {
	asm   *Assembler
	file  *SHBIN
	data  []byte
	insts []isa.Inst
	*sourceTools

	structure structure
	programs  []*programNames
	names     map[string]bool // of procedures and labels
	// tableNames are the names that label tables have for addresses, entries the first program of
	// each pair of entry and end.
	tableNames map[int]string
	entries    map[registers]int
	labels     map[int]string
	scopes     map[scope]symbolFinder
	last       scope // that was looked for, and what it has
	lastFinder symbolFinder
	constants  []*symbol // that the line names
	// Names of the branch target that is being printed.
	target     string
	targetAddr int64
	called     bool // it is a procedure

	// careful asks of each instruction whether its text says it.
	careful bool
	// What the source has to say beyond picasso's language.
	noPad, unchecked bool
	pins             map[int]bool
	pinAll           bool
	literal          map[int]bool // descriptors of which also the bits matter that no instruction uses
	simple           []bits.Value // the simplest descriptors, for each instruction
	descriptors      []string
	patches          []string

	out     []byte
	indent  int
	closed  bool
	labeled map[int]bool
	unpad   bool // padding is missing that picasso would add
	current int  // the file that is written
}

func newSourceWriter(a *Assembler, f *SHBIN, data []byte) (*sourceWriter, error) {
	if a.tools == nil {
		var err error
		if a.tools, err = newSourceTools(a.set, a.parser); err != nil {
			return nil, err
		}
	}
	w := &sourceWriter{
		asm: a, file: f, data: data, sourceTools: a.tools, pins: map[int]bool{}, literal: map[int]bool{},
		names: map[string]bool{}, labels: map[int]string{}, scopes: map[scope]symbolFinder{},
	}
	w.wanted.entries = f.DVLP.table()
	w.d.SetTable(0, w.wanted.entries)
	w.parser.Symbol = func(string) (int64, bool) { return w.targetAddr, true }
	w.d.Label = func(addr int64, _ bool) (string, bool) {
		w.targetAddr = addr
		return w.target, w.target != ""
	}
	w.insts = f.DVLP.instructions(w.d)
	w.readTables()
	w.structure.find(w)
	w.programs = namePrograms(w)
	w.nameLabels()
	return w, nil
}

// sourceTools are what an assembler keeps for the sources of all files.
type sourceTools struct {
	d *isa.Decoder
	// plain reads back what is printed, with the descriptors of the file.
	plain  *asm.Lossless
	parser *asm.Parser
	wanted *wantedTable
	// means tells which register a value in a space of names is.
	means     map[symbolKey]register
	canonical *asm.Canonical
	slots     []slot // by Leaf.ID
	// said has the instructions whose text says all of them, and goes nowhere.
	said  map[instruction]bool
	tried []byte
}

// instruction is one with its descriptor, on which its text depends where nothing has a name.
type instruction struct{ word, entry uint64 }

// slot is where a leaf names its descriptor: bits of the word, none where it has none. several tells that it has
// more than one.
type slot struct {
	field   string
	mask    uint64
	shift   int
	known   bool
	several bool
}

// index returns the number of the descriptor that a word names, -1 if it names none.
func (s *slot) index(word uint64) int {
	if s.mask == 0 {
		return -1
	}
	return int(word & s.mask >> s.shift)
}

// maxKept bounds the suffixes that are kept.
const maxKept = 1 << 14

func newSourceTools(set *isa.Set, reader *asm.Parser) (*sourceTools, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	t := &sourceTools{
		d: d, plain: asm.NewLossless(d, p), parser: p, wanted: &wantedTable{}, canonical: asm.NewCanonical(d, reader),
		slots: make([]slot, len(d.Root().Leaves)), said: map[instruction]bool{},
	}
	p.Tables[0] = t.wanted
	t.means, err = symbolSpaces(set)
	return t, err
}

// wantedTable places an entry where the file has it.
type wantedTable struct {
	entries []bits.Value
	index   int
}

// Place returns the wanted index if the entry there serves.
func (t *wantedTable) Place(e *asm.Entry) (int, error) {
	if t.index >= len(t.entries) || t.entries[t.index].Xor(e.Value).And(e.Bound) != (bits.Value{}) {
		return 0, errors.New("no such entry")
	}
	return t.index, nil
}

// foreseeLiteral finds the descriptors that would come out with other values: the first instruction that names one
// gives it the bits that none of them depends on.
func (w *sourceWriter) foreseeLiteral() {
	made, named := make([]bits.Value, len(w.wanted.entries)), make([]bool, len(w.wanted.entries))
	w.simple = make([]bits.Value, len(w.insts))
	w.d.Symbol = nil
	for at, in := range w.insts {
		i := -1
		if in.Leaf != nil {
			i = w.slot(in).index(in.Bits[0])
		}
		if i < 0 || i >= len(made) {
			continue
		}
		e := w.canonical.Entry(in, w.wanted.entries[i])
		w.simple[at] = e.Entry
		if !named[i] {
			made[i], named[i] = e.Text, true
		}
		made[i] = made[i].AndNot(e.Care).Or(e.Text.And(e.Care))
	}
	for i, value := range made {
		if named[i] && value != w.wanted.entries[i] {
			w.literal[i] = true
		}
	}
}

// source tries to say it in picasso's language alone, and adds what proves to be missing.
func (w *sourceWriter) source() []byte {
	w.foreseeLiteral()
	for range rounds {
		text := w.write()
		out, err := w.assemble(text)
		switch {
		case err == nil && bytes.Equal(out.Bytes, w.data):
			return text
		case !w.careful:
			w.careful = true
			clear(w.literal)
			continue
		case err != nil && !w.unchecked:
			w.unchecked = true
			continue
		case err != nil:
			return w.raw(err)
		}
		if w.improve(out) {
			continue
		}
		w.patch(out.Bytes)
		return w.write()
	}
	return w.raw(errors.New("the operand descriptors do not fit"))
}

// assemble assembles what was written.
func (w *sourceWriter) assemble(text []byte) (*Assembled, error) {
	r := w.asm.newAssembly(AssembleOptions{})
	r.unheard = true
	return r.assemble([]*diag.Source{{Name: "source", Text: string(text)}})
}

// improve pins descriptors that came out elsewhere, then gives those their values that came out
// with others. It returns false if neither is needed.
func (w *sourceWriter) improve(out *Assembled) bool {
	pinned := false
	for i, word := range out.File.DVLP.Code {
		if i < len(w.insts) && word != w.file.DVLP.Code[i] && w.insts[i].Leaf != nil && !w.pins[i] && !w.pinAll {
			w.pins[i], pinned = true, true
		}
	}
	if pinned {
		w.pinAll = len(w.pins) > len(w.insts)/2
		return true
	}
	got := out.File.DVLP.Descriptors
	if w.spellOut(got) {
		return true
	}
	if len(w.descriptors) > 0 {
		return false
	}
	for i, want := range w.file.DVLP.Descriptors {
		if i >= len(got) || got[i] != want {
			w.descriptors = append(w.descriptors, fmt.Sprintf(".isago desc %d 0x%08x 0x%08x", i, want.Value, want.Second))
		}
	}
	return len(w.descriptors) > 0 && len(w.descriptors) <= maxDescriptors
}

// spellOut makes literal the descriptors that came out with other values. It returns false if they
// all are.
func (w *sourceWriter) spellOut(got []Descriptor) bool {
	more := false
	for i, want := range w.file.DVLP.Descriptors {
		if (i >= len(got) || got[i].Value != want.Value) && !w.literal[i] {
			w.literal[i], more = true, true
		}
	}
	return more
}

// patchLine is the number of bytes in a line of a patch; runs closer than patchGap are one.
const (
	patchLine = 32
	patchGap  = 4
)

// patch lists the bytes in which the file differs from what the source makes.
func (w *sourceWriter) patch(got []byte) {
	w.patches = append(w.patches, "", "; Bytes of the file that the lines above do not determine.")
	switch {
	case len(got) > len(w.data):
		w.patches = append(w.patches, fmt.Sprintf(".isago size %d", len(w.data)))
	case len(got) < len(w.data):
		for part := range slices.Chunk(w.data[len(got):], patchLine) {
			w.patches = append(w.patches, fmt.Sprintf(".isago append %x", part))
		}
	}
	same := min(len(got), len(w.data))
	differs := func(i int) bool { return i < same && got[i] != w.data[i] }
	for i := 0; i < same; i++ {
		if !differs(i) {
			continue
		}
		end := i + 1
		for j := end; j < min(i+patchLine, end+patchGap, same); j++ {
			if differs(j) {
				end = j + 1
			}
		}
		w.patches = append(w.patches, fmt.Sprintf(".isago patch 0x%x %x", i, w.data[i:end]))
		i = end - 1
	}
}

// raw is the last resort: the file as bytes.
func (w *sourceWriter) raw(err error) []byte {
	reason, _, _ := strings.Cut(err.Error(), "\n")
	empty := &SHBIN{}
	empty.Place()
	got, _ := WriteSHBIN(empty) // headers alone never overlap
	w.patches = nil
	w.patch(got)
	return []byte("; This file cannot be written as instructions: " + reason + "\n.isago no-programs\n" + strings.Join(w.patches, "\n") + "\n")
}

// usualLine is the usual number of bytes for a word, with its comment.
const usualLine = 36

// write writes the whole source.
func (w *sourceWriter) write() []byte {
	w.out = slices.Grow(w.out[:0], usualLine*(len(w.insts)+16))
	w.labeled = map[int]bool{}
	w.unpad = false
	w.body()
	if w.unpad && !w.noPad {
		w.noPad = true
		return w.write()
	}
	return w.out
}

func (w *sourceWriter) body() {
	p := &w.file.DVLP
	w.line("; %s, %s, %s", count(len(w.file.DVLEs), "program"), count(len(p.Code), "word"), count(len(p.Descriptors), "operand descriptor"))
	if w.noPad {
		w.line(".isago no-nop")
	}
	if w.unchecked {
		w.line(".isago unchecked")
	}
	if p.Short {
		w.line(".isago like-nihstro")
	}
	if p.Version != 0 {
		w.line(".isago version 0x%x", p.Version)
	}
	if len(w.programs) == 0 {
		w.line(".isago no-programs")
		w.line(".nodvle")
	}
	unit := 0
	for i := range max(1, len(w.programs)) {
		w.current = i
		if i > 0 {
			w.line("\n.isago file %d", i)
		}
		if i < len(w.programs) {
			w.line("")
			w.declare(w.programs[i])
		}
		for ; unit < len(w.structure.units) && w.structure.units[unit].file == i; unit++ {
			w.unit(&w.structure.units[unit])
		}
		w.label(len(w.insts))
	}
	for _, l := range append(w.descriptors, w.patches...) {
		w.line("%s", l)
	}
}

func (w *sourceWriter) startLine() {
	for range w.indent {
		w.out = append(w.out, '\t')
	}
}

func (w *sourceWriter) line(format string, args ...any) {
	w.startLine()
	w.out = append(fmt.Appendf(w.out, format, args...), '\n')
}

// label prints the label of an address, once.
func (w *sourceWriter) label(addr int) {
	if name, ok := w.labels[addr]; ok && !w.labeled[addr] && w.structure.fileOf(addr) == w.current {
		w.labeled[addr] = true
		w.out = append(append(w.out, name...), ":\n"...)
	}
}

// unit prints a procedure at the outermost level.
func (w *sourceWriter) unit(u *unit) {
	w.line("")
	w.closed = false
	w.procedure(u.proc)
}

func (w *sourceWriter) procedure(p proc) {
	w.line(".proc %s", p.name)
	w.scope(p.start, p.start, p.end, false, p)
	w.closed = false
	w.line(".end")
}

// scope prints the words from lo to hi, of a scope whose words start at first. inside is the
// procedure that was opened last at lo.
func (w *sourceWriter) scope(first, lo, hi int, loop bool, inside proc) {
	w.indent++
	defer func() { w.indent-- }()
	for at := lo; at < hi; {
		if p, ok := w.structure.next(at, hi, inside); ok {
			w.procedure(p)
			if p.end > at {
				inside, at = proc{}, p.end
				continue
			}
		}
		inside = proc{}
		w.label(at)
		if at == hi-1 && !w.noPad && w.insts[at] == w.asm.roles.Filler && program.NeedsPad(w.roleBefore(at), w.closed, loop, at-first) {
			w.closed = false
			return // the assembler adds it
		}
		at = w.instruction(at)
	}
	if program.NeedsPad(w.roleBefore(hi), w.closed, loop, hi-first) {
		w.unpad = true
	}
	w.closed = false
}

func (w *sourceWriter) roleBefore(at int) *program.Role {
	if at == 0 {
		return nil
	}
	return w.asm.roles.Of(w.insts[at-1])
}

// instruction prints the word at an address, with its block if it opens one, and returns where to
// go on.
func (w *sourceWriter) instruction(at int) int {
	b, ok := w.structure.blocks[at]
	w.startLine()
	w.out = append(w.text(w.out, at, ok), '\n')
	w.closed = false
	if !ok {
		return at + 1
	}
	w.scope(at+1, at+1, b.split, b.loop, proc{})
	if b.end > b.split {
		w.line(".else")
		w.scope(at+1, b.split, b.end, false, proc{})
	}
	w.line(".end")
	w.closed = true
	return b.end
}

// text appends the word at an address; the layout fills the fields of one that is laid out.
func (w *sourceWriter) text(dst []byte, at int, block bool) []byte {
	in := w.insts[at]
	if in.Leaf == nil {
		return w.word(dst, at)
	}
	role := w.asm.roles.Of(in)
	if block {
		w.clear(&in, role.Target, role.Count)
	}
	w.nameTarget(at, &in, role)
	w.d.Symbol = nil
	slot, start := w.slot(in), len(dst)
	index, own := w.simplify(at, in, slot)
	suffix, ok := w.suffix(at, in, role, slot)
	if ok {
		dst = w.named(dst, at, in)
	} else {
		dst = w.word(dst, at)
	}
	if index >= 0 {
		w.wanted.entries[index] = own
	}
	if !ok {
		return dst
	}
	// What the layout would fill is given by hand, also where it is 0.
	if role.Block != "" && !block {
		suffix = addField(suffix, role.Target)
	}
	if role.Call != "" && !w.called {
		suffix = addField(suffix, role.Count)
	}
	if suffix != "" {
		dst = append(append(append(dst, " {"...), suffix...), '}')
	}
	return w.remark(dst, start)
}

// word appends the word at an address as data.
func (w *sourceWriter) word(dst []byte, at int) []byte {
	return fmt.Appendf(dst, ".word 0x%08x", w.file.DVLP.Code[at])
}

// named appends an instruction with the names of its registers.
func (w *sourceWriter) named(dst []byte, at int, in isa.Inst) []byte {
	w.d.Symbol, w.constants = w.symbols(at), w.constants[:0]
	start := len(dst)
	dst = w.d.Append(dst, in)
	if bytes.Contains(dst[start:], []byte("][")) {
		dst = append(dst[:start], joinIndex(string(dst[start:]))...)
	}
	return dst
}

// slot returns where an instruction names its descriptor.
func (w *sourceWriter) slot(in isa.Inst) *slot {
	s := &w.slots[in.Leaf.ID]
	if s.known {
		return s
	}
	s.known = true
	index := w.d.IndexFields(in)
	if s.several = len(index) > 1; len(index) != 1 {
		return s
	}
	none, all := in, in
	s.field = index[0].Field
	w.clear(&none, s.field)
	for n := uint64(1); w.d.SetField(&all, s.field, n) == nil; n = n<<1 | 1 {
		s.mask = all.Bits[0] ^ none.Bits[0]
	}
	s.shift = mathbits.TrailingZeros64(s.mask)
	return s
}

// simplify puts the simplest descriptor for an instruction in the place of its own, unless what stands
// there has to be said. It returns its own, and the place, -1 if there is nothing to put back.
func (w *sourceWriter) simplify(at int, in isa.Inst, s *slot) (index int, own bits.Value) {
	i := s.index(in.Bits[0])
	if i < 0 {
		return -1, own
	}
	w.wanted.index = i
	if i >= len(w.wanted.entries) || w.literal[i] || w.pinned(at) {
		return -1, own
	}
	own = w.wanted.entries[i]
	w.wanted.entries[i] = w.simple[at]
	return i, own
}

// pinned reports whether the descriptor of an instruction is named.
func (w *sourceWriter) pinned(at int) bool { return w.pinAll || w.pins[at] }

// suffix returns what the text of an instruction does not say, without braces; ok is false if that
// cannot be said.
func (w *sourceWriter) suffix(at int, in isa.Inst, role *program.Role, s *slot) (suffix string, ok bool) {
	goes := role.Jump || role.Call != "" || role.Block != ""
	if w.careful && (goes || !w.says(in, s)) {
		if w.tried, ok = w.plain.Append(w.tried[:0], in); !ok {
			return "", false
		}
		if i := bytes.IndexByte(w.tried, '{'); i >= 0 {
			suffix = string(w.tried[i+1 : len(w.tried)-1])
		}
	}
	if s.mask != 0 && w.pinned(at) {
		suffix = addSuffix(suffix, fmt.Sprintf("%s@%d", s.field, s.index(in.Bits[0])))
	}
	return suffix, true
}

// says reports whether the text of an instruction that goes nowhere says all of it, its descriptor's place but
// for. That it does not know where it has several.
func (w *sourceWriter) says(in isa.Inst, s *slot) bool {
	i := s.index(in.Bits[0])
	if s.several || i >= len(w.wanted.entries) {
		return false
	}
	key := instruction{word: in.Bits[0] &^ s.mask}
	if i >= 0 {
		key.entry = w.wanted.entries[i][0]
	}
	said, known := w.said[key]
	if !known {
		w.tried = w.d.Append(w.tried[:0], in)
		said = w.asm.says(w.tried, in, key.entry)
		if len(w.said) >= maxKept {
			clear(w.said)
		}
		w.said[key] = said
	}
	return said
}

// says reports whether the text of an instruction that goes nowhere gives the instruction, with that entry if it
// has one.
func (a *Assembler) says(text []byte, in isa.Inst, entry uint64) bool {
	res, err := a.parser.ParseBytes(text)
	if err != nil || len(res.Entries) == 0 {
		return err == nil && res.Inst.Bits == in.Bits
	}
	e := &res.Entries[0]
	err = a.fresh.SetField(&in, e.Field, uint64(e.Index))
	return err == nil && res.Inst.Bits == in.Bits && (e.Value[0]^entry)&e.Bound[0] == 0
}

func addSuffix(suffix, part string) string {
	if suffix == "" {
		return part
	}
	return suffix + ", " + part
}

// addField adds a field of value 0 to a suffix that does not have it.
func addField(suffix, field string) string {
	if strings.Contains(suffix, field+"=") {
		return suffix
	}
	return addSuffix(suffix, field+"=0x0")
}

// clear makes fields zero.
func (w *sourceWriter) clear(in *isa.Inst, fields ...string) {
	for _, f := range fields {
		if f != "" {
			_ = w.d.SetField(in, f, 0) // the description says that it has them
		}
	}
}

// nameTarget finds the name of where an instruction goes to: that of a procedure where its length
// fits too, or a label.
func (w *sourceWriter) nameTarget(at int, in *isa.Inst, role *program.Role) {
	w.target, w.called = "", false
	if role.Call == "" && !role.Jump {
		return
	}
	t, n := w.fields(at)
	if role.Call != "" {
		if p, ok := w.structure.procs[registers{t, t + n}]; ok {
			w.target, w.called = p.name, true
			w.clear(in, role.Count)
			return
		}
	}
	if name, ok := w.labels[t]; ok && w.structure.fileOf(t) == w.current {
		w.target = name
	}
}

// fields returns target and count of the instruction at an address.
func (w *sourceWriter) fields(at int) (target, n int) { return w.asm.roles.Fields(w.insts[at]) }

// joinIndex writes an index and an address register in one pair of brackets: a[2][aL] is a[aL+2].
func joinIndex(text string) string {
	for {
		i := strings.Index(text, "][")
		if i < 0 {
			return text
		}
		open := strings.LastIndexByte(text[:i], '[')
		shut := i + 1 + strings.IndexByte(text[i+1:], ']')
		number, register := text[open+1:i], text[i+2:shut]
		if number != "0" {
			register += "+" + number
		}
		text = text[:open+1] + register + text[shut:]
	}
}

// symbols returns the names of registers for the word at an address: those of the program whose
// file it stands in, if all that run it agree.
func (w *sourceWriter) symbols(at int) symbolFinder {
	if len(w.programs) == 0 {
		return nil
	}
	key := scope{w.current, w.structure.owners[at]}
	if key == w.last && w.lastFinder != nil {
		return w.lastFinder
	}
	find, ok := w.scopes[key]
	if !ok {
		find = w.namesIn(key)
		w.scopes[key] = find
	}
	w.last, w.lastFinder = key, find
	return find
}

// symbolFinder returns the name of a value in a space of names.
type symbolFinder func(space string, value uint64) (string, bool)

// scope is where names are looked up: in a file, by words that some programs run.
type scope struct {
	file   int
	owners ownerSet
}

// symbol is what source calls a register; value are the components of a constant.
type symbol struct {
	register
	name  string
	value []string
}

// symbolSpace has the symbols of a space of names by value, as they were looked for.
type symbolSpace struct {
	name    string
	symbols []*symbol
}

// namesIn returns the names of a scope. It notes the constants that are named.
func (w *sourceWriter) namesIn(at scope) symbolFinder {
	var spaces []symbolSpace
	return func(name string, value uint64) (string, bool) {
		i := 0
		for i < len(spaces) && spaces[i].name != name {
			i++
		}
		if i == len(spaces) {
			spaces = append(spaces, symbolSpace{name: name})
		}
		list := &spaces[i].symbols
		for value >= uint64(len(*list)) {
			if _, ok := w.means[symbolKey{name, value}]; !ok {
				return "", false
			}
			*list = append(*list, nil)
		}
		s := (*list)[value]
		if s == nil {
			s = w.symbolIn(at, w.means[symbolKey{name, value}])
			(*list)[value] = s
		}
		if s.value != nil {
			w.constants = append(w.constants, s)
		}
		return s.name, s.name != ""
	}
}

// symbolIn returns what a register is in a scope: nothing if the programs that run it do not agree.
func (w *sourceWriter) symbolIn(at scope, reg register) *symbol {
	own := w.programs[at.file]
	s := &symbol{register: reg, name: own.names[reg], value: own.values[reg]}
	for i, p := range w.programs {
		if i >= 64 || at.owners>>uint(i)&1 == 0 {
			continue
		}
		if p.names[reg] != s.name {
			s.name = ""
		}
		if !slices.Equal(p.values[reg], s.value) {
			s.value = nil
		}
	}
	return s
}

// remark appends a comment with the values of the constants that the line from start on reads.
func (w *sourceWriter) remark(dst []byte, start int) []byte {
	if len(w.constants) == 0 {
		return dst
	}
	mark, line := "\t; ", string(dst[start:])
	for _, s := range w.constants {
		if value := s.read(line, &w.asm.banks.components); value != "" {
			dst = append(append(dst, mark...), value...)
			mark = ", "
		}
	}
	return dst
}

// read returns the components of a constant that a line reads, "" if it reads none, or what an address register
// is added to.
func (s *symbol) read(line string, c *components) string {
	name := s.name
	if name == "" {
		name = s.String()
	}
	at := strings.Index(line, " "+name)
	if at < 0 {
		if at = strings.Index(line, "-"+name); at < 0 {
			return ""
		}
	}
	rest := line[at+1+len(name):]
	letters, swizzled := strings.CutPrefix(rest, ".")
	if !swizzled {
		if rest != "" && rest[0] != ',' && rest[0] != ' ' {
			return ""
		}
		return s.all()
	}
	var list []string
	for i := 0; i < len(letters) && identifierByte(letters[i], true); i++ {
		n := c.value[letters[i]]
		if n < 0 || int(n) >= len(s.value) {
			return ""
		}
		list = append(list, s.value[n])
	}
	return strings.Join(list, ", ")
}

// all returns the whole value of a constant.
func (s *symbol) all() string {
	if len(s.value) == 1 {
		return s.value[0]
	}
	return "(" + strings.Join(s.value, ", ") + ")"
}

// nameLabels gives names to the places that jumps go to.
func (w *sourceWriter) nameLabels() {
	for at, in := range w.insts {
		role := w.asm.roles.Of(in)
		if !role.Jump && role.Call == "" {
			continue
		}
		t, n := w.fields(at)
		_, isProc := w.structure.procs[registers{t, t + n}]
		if t > len(w.insts) || role.Call != "" && isProc || w.labels[t] != "" {
			continue
		}
		w.labels[t] = w.unique(w.tableNames[t], fmt.Sprintf("l%x", wordBits/8*t))
	}
}

// readTables finds what programs say of addresses.
func (w *sourceWriter) readTables() {
	w.tableNames, w.entries = map[int]string{}, map[registers]int{}
	for i := range w.file.DVLEs {
		d := &w.file.DVLEs[i]
		key := registers{int(d.Entry), int(d.End)}
		if _, ok := w.entries[key]; !ok {
			w.entries[key] = i
		}
		for _, l := range d.Labels {
			if name := strings.ReplaceAll(l.Name, ".", "$"); w.tableNames[int(l.Address)] == "" && isIdentifier(name) {
				w.tableNames[int(l.Address)] = name
			}
		}
	}
}

// unique returns the first of the names that is free, the last one with a number if need be.
func (w *sourceWriter) unique(names ...string) string {
	for _, n := range names {
		if n != "" && !w.names[n] {
			w.names[n] = true
			return n
		}
	}
	last := names[len(names)-1]
	for i := 1; ; i++ {
		if n := fmt.Sprintf("%s_%d", last, i); !w.names[n] {
			w.names[n] = true
			return n
		}
	}
}

// structure is the nesting of procedures and blocks that was found in code.
type structure struct {
	w      *sourceWriter
	units  []unit
	procs  map[registers]proc
	starts map[int][]proc // the longest first
	blocks map[int]block
	owners []ownerSet
	// ends are those of what is called or entered at an address, the last first.
	ends map[int][]int
	// emitting are the files of which a unit has what makes a geometry shader.
	emitting map[int]bool
}

// proc is a procedure: a run of words with a name.
type proc struct {
	name       string
	start, end int
}

// block is an if or a loop: its words up to split, those of the else part up to end.
type block struct {
	loop       bool
	split, end int
}

// unit is a procedure at the outermost level, in the file that it is written to.
type unit struct {
	proc proc
	file int
}

// find finds the structure: what is called or entered and what blocks span, as far as it is nested.
func (s *structure) find(w *sourceWriter) {
	*s = structure{w: w, procs: map[registers]proc{}, starts: map[int][]proc{}, blocks: map[int]block{}, ends: map[int][]int{}}
	for at, in := range w.insts {
		if w.asm.roles.Of(in).Call != "" {
			t, n := w.fields(at)
			s.candidate(t, t+n)
		}
	}
	for i := range w.file.DVLEs {
		s.candidate(int(w.file.DVLEs[i].Entry), int(w.file.DVLEs[i].End))
	}
	for _, ends := range s.ends {
		slices.SortFunc(ends, func(a, b int) int { return b - a })
	}
	s.nest()
	s.owners = ownersOf(w.file, w.d, w.insts)
	s.assign()
}

// candidate notes words that may be a procedure.
func (s *structure) candidate(start, end int) {
	if start >= 0 && start < end && end <= len(s.w.insts) && !slices.Contains(s.ends[start], end) {
		s.ends[start] = append(s.ends[start], end)
	}
}

// nest walks the code, and keeps what lies wholly inside what surrounds it.
func (s *structure) nest() {
	sorted := append(slices.Sorted(maps.Keys(s.ends)), len(s.w.insts))
	for at := 0; at < len(s.w.insts); {
		for sorted[0] <= at && sorted[0] < len(s.w.insts) {
			sorted = sorted[1:]
		}
		end := sorted[0]
		if ends := s.ends[at]; len(ends) > 0 {
			end = ends[0]
		}
		s.units = append(s.units, unit{proc: s.keep(at, end)})
		s.scope(at, end, 1, end)
		at = end
	}
}

func (s *structure) keep(start, end int) proc {
	p := proc{name: s.name(start, end), start: start, end: end}
	s.procs[registers{start, end}] = p
	s.starts[start] = append(s.starts[start], p)
	return p
}

// name chooses the name of a procedure.
func (s *structure) name(start, end int) string {
	name := fmt.Sprintf("fxn%x", wordBits/8*start)
	if i, ok := s.w.entries[registers{start, end}]; ok {
		name = "main"
		if i > 0 {
			name = fmt.Sprintf("main%d", i)
		}
	}
	return s.w.unique(s.w.tableNames[start], name)
}

// scope walks the words of a scope. opened is the end of the procedure that opened at its start.
func (s *structure) scope(lo, hi, depth, opened int) {
	for at := lo; at < hi; {
		if depth < program.MaxDepth {
			if end, ok := s.procedure(at, hi, depth, opened); ok {
				at = end
				continue
			}
			if end, ok := s.block(at, hi, depth); ok {
				at = end
				continue
			}
		}
		at++
	}
}

// procedure keeps the longest procedure that starts here and fits, and walks it.
func (s *structure) procedure(at, hi, depth, opened int) (int, bool) {
	for _, end := range s.ends[at] {
		if _, kept := s.procs[registers{at, end}]; kept || end > hi || end == opened {
			continue
		}
		s.keep(at, end)
		s.scope(at, end, depth+1, end)
		return end, true
	}
	return 0, false
}

// block keeps the block that an instruction opens if it lies inside the scope, and walks it.
func (s *structure) block(at, hi, depth int) (int, bool) {
	role := s.w.asm.roles.Of(s.w.insts[at])
	if role.Block == "" {
		return 0, false
	}
	t, count := s.w.fields(at)
	b := block{split: t, end: t + count}
	if role.Block == "loop" {
		b = block{loop: true, split: t + 1, end: t + 1}
	}
	if b.split <= at || b.end > hi {
		return 0, false
	}
	s.blocks[at] = b
	s.scope(at+1, b.split, depth+1, 0)
	s.scope(b.split, b.end, depth+1, 0)
	return b.end, true
}

// next returns a procedure that starts at an address inside a scope, after the one that is open there.
func (s *structure) next(at, hi int, inside proc) (proc, bool) {
	for _, p := range s.starts[at] {
		if p.end <= hi && (inside.name == "" || inside.start != at || p.end < inside.end) {
			return p, true
		}
	}
	return proc{}, false
}

// assign chooses the file of each unit: that of the first program that runs it, in ascending order,
// such that what emits is in that of a geometry shader, where there is one.
func (s *structure) assign() {
	s.emitting = map[int]bool{}
	programs := s.w.file.DVLEs
	lastEmit, lastGeometry := -1, len(programs)
	for i := range s.units {
		if s.emits(s.units[i].proc) {
			lastEmit = i
		}
	}
	for i := range programs {
		if programs[i].Type == GeometryShader {
			lastGeometry = i
		}
	}
	file := 0
	for i := range s.units {
		u := &s.units[i]
		if owners := uint64(s.owners[u.proc.start]); owners != 0 {
			file = max(file, mathbits.TrailingZeros64(owners))
		}
		if i <= lastEmit {
			file = min(file, lastGeometry)
		}
		if s.emits(u.proc) {
			// The first geometry shader from that program on, or else that program.
			if n := slices.IndexFunc(programs[file:], func(d DVLE) bool { return d.Type == GeometryShader }); n > 0 {
				file += n
			}
			s.emitting[file] = true
		}
		u.file = file
	}
}

// emits reports whether a procedure has what makes its file a geometry shader, whoever calls it.
func (s *structure) emits(p proc) bool {
	return slices.ContainsFunc(s.w.insts[p.start:p.end], func(in isa.Inst) bool {
		return s.w.asm.roles.Of(in).Marks == geometryMark
	})
}

// fileOf returns the file that an address is written to.
func (s *structure) fileOf(addr int) int {
	i := sort.Search(len(s.units), func(i int) bool { return s.units[i].proc.start > addr })
	if i == 0 {
		return 0
	}
	return s.units[i-1].file
}
