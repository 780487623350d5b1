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
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
)

// Source writes a shader file as source in picasso's language, which Assemble turns into the same
// bytes. What that language cannot say stands in suffixes of instructions and in .isago directives.
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

// rounds bounds how often the source is made again because descriptors come out in other places.
const rounds = 8

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
	// Names of the branch target that is being printed.
	target     string
	targetAddr int64
	called     bool // it is a procedure

	// What the source has to say beyond picasso's language.
	noPad, unchecked bool
	pins             map[int]bool
	pinAll           bool
	literal          map[int]bool // descriptors of which also the bits matter that no instruction uses
	descriptors      []string
	patches          []string

	out     bytes.Buffer
	indent  int
	closed  bool
	labeled map[int]bool
	unpad   bool // padding is missing that picasso would add
	current int  // the file that is written
}

func newSourceWriter(a *Assembler, f *SHBIN, data []byte) (*sourceWriter, error) {
	if a.tools == nil {
		var err error
		if a.tools, err = newSourceTools(a.set); err != nil {
			return nil, err
		}
	}
	w := &sourceWriter{
		asm: a, file: f, data: data, sourceTools: a.tools, pins: map[int]bool{}, literal: map[int]bool{},
		names: map[string]bool{}, labels: map[int]string{},
	}
	table := make([]bits.Value, len(f.DVLP.Descriptors))
	for i, e := range f.DVLP.Descriptors {
		table[i] = bits.Of(uint64(e.Value))
	}
	w.d.SetTable(0, table)
	w.wanted.entries = table
	w.parser.Symbol = func(string) (int64, bool) { return w.targetAddr, true }
	for _, word := range f.DVLP.Code {
		in, ok := w.d.Decode(bits.Of(uint64(word)))
		if !ok {
			in = isa.Inst{Bits: bits.Of(uint64(word))}
		}
		w.insts = append(w.insts, in)
	}
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
	means  map[symbolKey]register
	simple map[simpleKey]bits.Value
	idle   map[idleKey]uint64
	// suffixes are those of instructions that go nowhere.
	suffixes map[suffixKey]keptSuffix
	tried    []byte // a text of which only the length counts
}

// simpleKey is what the simplest spelling of a descriptor depends on: which of its bits an instruction
// shows, and which it cares about, is a matter of the instruction and of the other bits.
type simpleKey struct {
	leaf  *isa.Leaf
	entry bits.Value
}

// suffixKey is what the suffix of an instruction depends on; keptSuffix is one, and whether it can be said.
type suffixKey struct{ word, entry bits.Value }

type keptSuffix struct {
	text string
	ok   bool
}

// idleKey is what the shortest text of a part of a descriptor depends on.
type idleKey struct {
	typ         string
	idle, value uint64
}

// maxKept bounds what is kept of each kind.
const maxKept = 1 << 14

func newSourceTools(set *isa.Set) (*sourceTools, error) {
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	t := &sourceTools{
		d: d, plain: asm.NewLossless(d, p), parser: p, wanted: &wantedTable{},
		simple: map[simpleKey]bits.Value{}, idle: map[idleKey]uint64{}, suffixes: map[suffixKey]keptSuffix{},
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
func (t *wantedTable) Place(e asm.Entry) (int, error) {
	if t.index >= len(t.entries) || t.entries[t.index].Xor(e.Value).And(e.Bound) != (bits.Value{}) {
		return 0, errors.New("no such entry")
	}
	return t.index, nil
}

// source tries to say it in picasso's language alone, and adds what proves to be missing.
func (w *sourceWriter) source() []byte {
	for range rounds {
		text := w.write()
		out, err := w.asm.Assemble([]*diag.Source{{Name: "source", Text: string(text)}}, AssembleOptions{})
		switch {
		case err != nil && !w.unchecked:
			w.unchecked = true
			continue
		case err != nil:
			return w.raw(err)
		case bytes.Equal(out.Bytes, w.data):
			return text
		}
		if w.improve(out) {
			continue
		}
		w.patch(out.Bytes)
		return w.write()
	}
	return w.raw(errors.New("the descriptors find no place"))
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

// simplest returns the descriptor with which an instruction does the same, and whose idle bits, on which it does
// not depend, are such that lines alike read alike: those of the other instructions that share the entry would
// show otherwise.
func (w *sourceWriter) simplest(in isa.Inst, index int) bits.Value {
	own := w.wanted.entries[index]
	key := simpleKey{in.Leaf, own}
	if e, ok := w.simple[key]; ok {
		return e
	}
	best := own
	if res, err := w.parser.ParseBytes(w.d.Append(nil, in)); err == nil && len(res.Entries) == 1 {
		care := res.Entries[0].Care
		fields := w.d.Fields(nil, in)
		for i, f := range fields {
			if f.Table == "" || f.Depth != 1 || len(f.Parts) != 1 {
				continue
			}
			end := i + 1
			for end < len(fields) && fields[end].Depth > f.Depth {
				end++
			}
			best = w.settle(best, f, fields[i+1:end], bits.Range(f.Parts[0].Low, f.Parts[0].Width).AndNot(care))
		}
	}
	if len(w.simple) >= maxKept {
		clear(w.simple)
	}
	w.simple[key] = best
	return best
}

// settle gives the idle bits of a part of an entry their value. Where one component alone counts, the others are
// like it: what is written decides what is shown. Else they are what prints shortest.
func (w *sourceWriter) settle(entry bits.Value, f isa.Field, components []isa.Field, idle bits.Value) bits.Value {
	if idle.IsZero() {
		return entry
	}
	var counts []isa.Field
	for _, c := range components {
		if len(c.Parts) != 1 || c.Type != components[0].Type || c.Parts[0].Width != components[0].Parts[0].Width {
			return w.shortest(entry, f, idle)
		}
		if bits.Range(c.Parts[0].Low, c.Parts[0].Width).AndNot(idle) != (bits.Value{}) {
			counts = append(counts, c)
		}
	}
	if len(counts) != 1 {
		return w.shortest(entry, f, idle)
	}
	for _, c := range components {
		entry.SetUint(c.Parts[0].Low, c.Parts[0].Width, counts[0].Value[0])
	}
	return entry
}

// maxIdle bounds the bits of a part of a descriptor that are tried out.
const maxIdle = 8

// shortest gives the idle bits of a part the value that prints shortest, the least of several. It depends on
// the type of the part and its other bits alone.
func (w *sourceWriter) shortest(entry bits.Value, f isa.Field, idle bits.Value) bits.Value {
	part := f.Parts[0]
	mask, value := idle.Uint(part.Low, part.Width), entry.Uint(part.Low, part.Width)
	key := idleKey{f.Type, mask, value &^ mask}
	best, ok := w.idle[key]
	if !ok {
		if best, ok = w.leastText(key); !ok {
			best = value
		}
		w.idle[key] = best
	}
	entry.SetUint(part.Low, part.Width, best)
	return entry
}

// leastText tries all values of the idle bits; ok is false for a part that is no operand type, or has too many.
func (w *sourceWriter) leastText(key idleKey) (best uint64, ok bool) {
	d, err := w.asm.set.NewDecoder(key.typ)
	if err != nil || mathbits.OnesCount64(key.idle) > maxIdle {
		return 0, false
	}
	shortest := 0
	for v := uint64(0); ; {
		if in, known := d.Decode(bits.Of(key.value | v)); known {
			if w.tried = d.Append(w.tried[:0], in); !ok || len(w.tried) < shortest {
				best, shortest, ok = key.value|v, len(w.tried), true
			}
		}
		if v = (v - key.idle) & key.idle; v == 0 { // the next number of these bits
			return best, ok
		}
	}
}

// patchLine is the number of bytes in a line of a patch; runs closer than patchGap are one.
const (
	patchLine = 32
	patchGap  = 4
)

// patch lists the bytes in which the file differs from what the source makes.
func (w *sourceWriter) patch(got []byte) {
	w.patches = append(w.patches, "", "; What the lines above do not say, in bytes of the file.")
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
	return []byte("; This file cannot be said in instructions: " + reason + "\n.isago no-programs\n" + strings.Join(w.patches, "\n") + "\n")
}

// write writes the whole source.
func (w *sourceWriter) write() []byte {
	w.out.Reset()
	w.labeled = map[int]bool{}
	w.unpad = false
	w.body()
	if w.unpad && !w.noPad {
		w.noPad = true
		return w.write()
	}
	return bytes.Clone(w.out.Bytes())
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

func (w *sourceWriter) line(format string, args ...any) {
	for range w.indent {
		w.out.WriteByte('\t')
	}
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

// label prints the label of an address, once.
func (w *sourceWriter) label(addr int) {
	if name, ok := w.labels[addr]; ok && !w.labeled[addr] && w.structure.fileOf(addr) == w.current {
		w.labeled[addr] = true
		fmt.Fprintf(&w.out, "%s:\n", name)
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
	if !ok {
		w.line("%s", w.text(at, false))
		w.closed = false
		return at + 1
	}
	w.line("%s", w.text(at, true))
	w.closed = false
	w.scope(at+1, at+1, b.split, b.loop, proc{})
	if b.end > b.split {
		w.line(".else")
		w.scope(at+1, b.split, b.end, false, proc{})
	}
	w.line(".end")
	w.closed = true
	return b.end
}

// text prints the word at an address; the layout fills the fields of one that is laid out.
func (w *sourceWriter) text(at int, block bool) string {
	in := w.insts[at]
	word := fmt.Sprintf(".word 0x%08x", w.file.DVLP.Code[at])
	if in.Leaf == nil {
		return word
	}
	role := w.asm.roles.Of(in)
	if block {
		w.clear(&in, role.Target, role.Count)
	}
	w.nameTarget(at, &in, role)
	w.d.Label = func(addr int64, _ bool) (string, bool) {
		w.targetAddr = addr
		return w.target, w.target != ""
	}
	w.d.Symbol = nil
	defer w.simplify(at, in)()
	suffix, ok := w.suffix(at, in)
	if !ok {
		return word
	}
	// What the layout would fill is given by hand, also where it is 0.
	if role.Block != "" && !block {
		suffix = addField(suffix, role.Target)
	}
	if role.Call != "" && !w.called {
		suffix = addField(suffix, role.Count)
	}
	w.d.Symbol = w.symbols(at)
	text := joinIndex(string(w.d.Append(nil, in)))
	if suffix != "" {
		text += " {" + suffix + "}"
	}
	return text
}

// simplify puts the simplest descriptor for an instruction in the place of its own, unless what stands
// there has to be said. What it returns puts that back.
func (w *sourceWriter) simplify(at int, in isa.Inst) (restore func()) {
	index := w.d.IndexFields(in)
	if len(index) == 0 {
		return func() {}
	}
	i := int(index[0].Index)
	w.wanted.index = i
	if i >= len(w.wanted.entries) || w.literal[i] || w.pinned(at) {
		return func() {}
	}
	own := w.wanted.entries[i]
	w.wanted.entries[i] = w.simplest(in, i)
	return func() { w.wanted.entries[i] = own }
}

// pinned reports whether the descriptor of an instruction is named.
func (w *sourceWriter) pinned(at int) bool { return w.pinAll || w.pins[at] }

// suffix returns what the text of an instruction does not say, without braces; ok is false if that
// cannot be said.
func (w *sourceWriter) suffix(at int, in isa.Inst) (suffix string, ok bool) {
	index := w.d.IndexFields(in)
	if suffix, ok = w.keptSuffix(at, in, index); !ok {
		return "", false
	}
	if len(index) > 0 && w.pinned(at) {
		suffix = addSuffix(suffix, fmt.Sprintf("%s@%d", index[0].Field, index[0].Index))
	}
	return suffix, true
}

// keptSuffix returns what the text of an instruction does not say, as read back once.
func (w *sourceWriter) keptSuffix(at int, in isa.Inst, index []isa.IndexField) (suffix string, ok bool) {
	key := suffixKey{word: in.Bits}
	if len(index) > 0 && index[0].Index < uint64(len(w.wanted.entries)) {
		key.entry = w.wanted.entries[index[0].Index]
	}
	role := w.asm.roles.Of(in)
	places := role.Jump || role.Call != "" || role.Block != "" || len(index) > 1
	if kept, known := w.suffixes[key]; known && !places {
		return kept.text, kept.ok
	}
	lossless, ok := w.plain.Append(w.tried[:0], in)
	if i := bytes.IndexByte(lossless, '{'); ok && i >= 0 {
		suffix = string(lossless[i+1 : len(lossless)-1])
	}
	w.tried = lossless[:0]
	if !places {
		if len(w.suffixes) >= maxKept {
			clear(w.suffixes)
		}
		w.suffixes[key] = keptSuffix{suffix, ok}
	}
	return suffix, ok
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
func (w *sourceWriter) symbols(at int) func(space string, value uint64) (string, bool) {
	if len(w.programs) == 0 {
		return nil
	}
	own := w.programs[w.current].names
	owners := w.structure.owners[at]
	return func(space string, value uint64) (string, bool) {
		key := w.means[symbolKey{space, value}]
		name, ok := own[key]
		for i, p := range w.programs {
			if i < 64 && owners>>uint(i)&1 != 0 && p.names[key] != name {
				return "", false
			}
		}
		return name, ok
	}
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
		w.labels[t] = w.unique(w.tableNames[t], fmt.Sprintf("l%d", t))
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
	units  []unit
	procs  map[registers]proc
	starts map[int][]proc // the longest first
	blocks map[int]block
	owners []ownerSet
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
	s.procs, s.starts, s.blocks = map[registers]proc{}, map[int][]proc{}, map[int]block{}
	candidates := map[registers]bool{}
	add := func(start, end int) {
		if start >= 0 && start < end && end <= len(w.insts) {
			candidates[registers{start, end}] = true
		}
	}
	for at, in := range w.insts {
		if w.asm.roles.Of(in).Call != "" {
			t, n := w.fields(at)
			add(t, t+n)
		}
	}
	for i := range w.file.DVLEs {
		add(int(w.file.DVLEs[i].Entry), int(w.file.DVLEs[i].End))
	}
	starts := map[int][]int{}
	for c := range candidates {
		starts[c.first] = append(starts[c.first], c.end)
	}
	for at := range starts {
		slices.SortFunc(starts[at], func(a, b int) int { return b - a })
	}
	s.nest(w, starts)
	s.findOwners(w)
	s.assign(w)
}

// nest walks the code, and keeps what lies wholly inside what surrounds it.
func (s *structure) nest(w *sourceWriter, starts map[int][]int) {
	outer := nesting{s: s, w: w, starts: starts}
	sorted := append(slices.Sorted(maps.Keys(starts)), len(w.insts))
	for at := 0; at < len(w.insts); {
		for sorted[0] <= at && sorted[0] < len(w.insts) {
			sorted = sorted[1:]
		}
		end := sorted[0]
		if ends := starts[at]; len(ends) > 0 {
			end = ends[0]
		}
		p := outer.keep(at, end)
		s.units = append(s.units, unit{proc: p})
		outer.scope(at, end, 1, end)
		at = end
	}
}

// nesting walks the code scope by scope.
type nesting struct {
	s      *structure
	w      *sourceWriter
	starts map[int][]int
}

func (n *nesting) keep(start, end int) proc {
	p := proc{name: n.name(start, end), start: start, end: end}
	n.s.procs[registers{start, end}] = p
	n.s.starts[start] = append(n.s.starts[start], p)
	return p
}

// name chooses the name of a procedure.
func (n *nesting) name(start, end int) string {
	name := fmt.Sprintf("fxn%d", start)
	if i, ok := n.w.entries[registers{start, end}]; ok {
		name = "main"
		if i > 0 {
			name = fmt.Sprintf("main%d", i)
		}
	}
	return n.w.unique(n.w.tableNames[start], name)
}

// scope walks the words of a scope. opened is the end of the procedure that opened at its start.
func (n *nesting) scope(lo, hi, depth, opened int) {
	for at := lo; at < hi; {
		if depth < program.MaxDepth {
			if end, ok := n.procedure(at, hi, depth, opened); ok {
				at = end
				continue
			}
			if end, ok := n.block(at, hi, depth); ok {
				at = end
				continue
			}
		}
		at++
	}
}

// procedure keeps the longest procedure that starts here and fits, and walks it.
func (n *nesting) procedure(at, hi, depth, opened int) (int, bool) {
	for _, end := range n.starts[at] {
		if _, kept := n.s.procs[registers{at, end}]; kept || end > hi || end == opened {
			continue
		}
		n.keep(at, end)
		n.scope(at, end, depth+1, end)
		return end, true
	}
	return 0, false
}

// block keeps the block that an instruction opens if it lies inside the scope, and walks it.
func (n *nesting) block(at, hi, depth int) (int, bool) {
	role := n.w.asm.roles.Of(n.w.insts[at])
	if role.Block == "" {
		return 0, false
	}
	t, count := n.w.fields(at)
	b := block{split: t, end: t + count}
	if role.Block == "loop" {
		b = block{loop: true, split: t + 1, end: t + 1}
	}
	if b.split <= at || b.end > hi {
		return 0, false
	}
	n.s.blocks[at] = b
	n.scope(at+1, b.split, depth+1, 0)
	n.scope(b.split, b.end, depth+1, 0)
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

// findOwners finds which programs run each word.
func (s *structure) findOwners(w *sourceWriter) {
	s.owners = make([]ownerSet, len(w.insts))
	b := imageBuilder{file: w.file, set: w.asm.set}
	if owners, err := b.owners(); err == nil {
		s.owners = owners
	}
}

// assign chooses the file of each unit: that of the first program that runs it, in ascending order,
// such that what emits is in that of a geometry shader, where there is one.
func (s *structure) assign(w *sourceWriter) {
	s.emitting = map[int]bool{}
	lastEmit, lastGeometry := -1, len(w.file.DVLEs)
	for i := range s.units {
		if s.emits(w, s.units[i].proc) {
			lastEmit = i
		}
	}
	for i := range w.file.DVLEs {
		if w.file.DVLEs[i].Type == GeometryShader {
			lastGeometry = i
		}
	}
	file := 0
	for i := range s.units {
		owner := s.owners[s.units[i].proc.start]
		for o := range min(64, len(w.file.DVLEs)) {
			if owner>>uint(o)&1 != 0 {
				file = max(file, o)
				break
			}
		}
		if i <= lastEmit {
			file = min(file, lastGeometry)
		}
		if s.emits(w, s.units[i].proc) {
			file = geometryFrom(w.file.DVLEs, file)
			s.emitting[file] = true
		}
		s.units[i].file = file
	}
}

// emits reports whether a procedure has what makes its file a geometry shader, whoever calls it.
func (s *structure) emits(w *sourceWriter, p proc) bool {
	return slices.ContainsFunc(w.insts[p.start:p.end], func(in isa.Inst) bool {
		return w.asm.roles.Of(in).Marks == geometryMark
	})
}

// geometryFrom returns the first geometry shader from a program on, or else that program.
func geometryFrom(programs []DVLE, from int) int {
	for i := from; i < len(programs); i++ {
		if programs[i].Type == GeometryShader {
			return i
		}
	}
	return from
}

// fileOf returns the file that an address is written to.
func (s *structure) fileOf(addr int) int {
	i := sort.Search(len(s.units), func(i int) bool { return s.units[i].proc.start > addr })
	if i == 0 {
		return 0
	}
	return s.units[i-1].file
}
