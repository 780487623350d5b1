package exec

import (
	"encoding/binary"
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Open returns the meaning of an instruction set, checked unless it is a shipped one; the error tells where the
// description is wrong, or that it has none.
func Open(set *isa.Set) (*Machine, error) {
	m, err := sem.New(inside.Machine(set))
	if err != nil {
		return nil, err
	}
	if !m.Speaks() {
		return nil, diag.List{diag.Errorf(diag.MeaningNone, m.Model.ISA.Span, "the description has no semantics")}
	}
	root, err := m.Root("")
	if err != nil {
		return nil, err
	}
	if m.Model.Sound {
		return m, nil
	}
	if err := m.Check(root); err != nil {
		return nil, err
	}
	return m, nil
}

// Quirks reads quirks that are given as texts, by name. The error, an OptionError, tells that there is
// no such quirk or value.
func Quirks(m *Machine, given map[string]string) (map[string]uint64, error) {
	out, err := m.ParseQuirks(given)
	if err != nil {
		return nil, &OptionError{err}
	}
	return out, nil
}

// Quirk returns the value of a quirk in a run: the one in values, which Quirks read, or the default. The value of a quirk
// that is false or true is 0 or 1; that of a quirk that there is not is 0.
func Quirk(m *Machine, values map[string]uint64, name string) uint64 {
	for _, q := range m.Quirks() {
		if q.Name != name {
			continue
		}
		if v, ok := values[name]; ok {
			return v
		}
		return q.Default
	}
	return 0
}

// Words32 returns what finds instructions in words of 32 bits, as programs store them: the Fetch of a Program. size is
// the length of the program in bits where it ends inside the last word; 0 where the words are full.
func Words32(m *Machine, root *Root, words []uint32, size int64) func(addr uint64) (bits.Value, bool) {
	return func(addr uint64) (bits.Value, bool) { return word32(m, root, m.Unit, words, size, addr) }
}

// Inner32 returns what finds the words that others run, by their number in words of the root's size: the Word of Words.
// size is that of Words32.
func Inner32(m *Machine, words []uint32, size int64) func(root *Root, addr uint64) (bits.Value, bool) {
	return func(root *model.Root, addr uint64) (bits.Value, bool) {
		return word32(m, root, root.Size, words, size, addr)
	}
}

// word32 reads the word at an address in units of so many bits.
func word32(m *sem.Machine, root *model.Root, unit int, words []uint32, size int64, addr uint64) (v bits.Value, ok bool) {
	if addr > uint64(len(words))*32/uint64(unit) {
		return v, false
	}
	first, shift := int(addr)*unit/32, int(addr)*unit%32
	n := min((shift+root.Size+31)/32, len(words)-first)
	if first >= len(words) || n*32-shift < root.MinSize || size > 0 && (int64(addr)+1)*int64(unit) > size {
		return v, false
	}
	for i := range n {
		w := words[first+i]
		if m.Model.ISA.Text.HighFirst {
			w = words[first+n-1-i]
		}
		v.SetUint(32*i, 32, uint64(w))
	}
	return v.Shr(shift), true
}

// Raw returns a launch of bare words of 32 bits, of which size is that of Words32, and which start at address 0:
// registers have their own names. The outputs are the files that are for output, else all that each lane has and that are
// neither inputs nor constants. The error is that of Open or of Quirks.
func Raw(set *isa.Set, words []uint32, size int64, context bits.Value, quirks map[string]string) (*Launch, error) {
	m, err := Open(set)
	if err != nil {
		return nil, err
	}
	l, err := RawOf(m, words, size, context, quirks)
	if err != nil {
		return nil, err
	}
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	if size > 0 {
		code = code[:min(size/8, int64(len(code)))]
	}
	return l, l.findWords(set, code, context)
}

// RawOf is Raw with what Open makes of the instruction set.
func RawOf(m *Machine, words []uint32, size int64, context bits.Value, quirks map[string]string) (*Launch, error) {
	root, err := m.Root("")
	if err != nil {
		return nil, err
	}
	w := sem.Words{Context: context, Tables: make([][]bits.Value, len(m.Model.ISA.Tables))}
	if w.Quirks, err = Quirks(m, quirks); err != nil {
		return nil, err
	}
	w.Word = Inner32(m, words, size)
	l := &Launch{Program: NewProgram(m, root, w, Words32(m, root, words, size)), Shared: NewShared(m, spec.ScopeBlock, spec.ScopeLaunch), Open: true}
	l.registers(func(use string) bool { return use == "output" })
	if len(l.Outputs) == 0 {
		l.registers(func(use string) bool { return use != "input" && use != "constant" })
	}
	return l, nil
}

// SetTable gives a table beside the code, by its number in isa.Set.Tables, its entries, before the program runs. An entry
// that an instruction names and nobody gave reads as 0, and is a finding of the run.
func (l *Launch) SetTable(index int, entries []bits.Value) { l.Program.Words.Tables[index] = entries }

// registers makes outputs of what each lane has for such a use.
func (l *Launch) registers(is func(use string) bool) {
	for _, s := range l.Program.Machine.States {
		if s.Kind != sem.FileState || s.Scope != spec.ScopeLane || !is(s.Use) {
			continue
		}
		for n := range s.Count {
			p := Port{Name: s.Name, State: s, First: n, Count: 1}
			if !s.Single {
				p.Name = fmt.Sprint(s.Name, n)
			}
			l.Outputs = append(l.Outputs, p)
		}
	}
}
