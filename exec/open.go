package exec

import (
	"encoding/binary"
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Open returns the semantics of an instruction set. It returns an error with positions if the semantics have mistakes,
// or if the description has no semantics. The semantics of shipped descriptions are not checked again.
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
	if !m.Model.Sound {
		if err := m.Check(root); err != nil {
			return nil, err
		}
	}
	return newMachine(set, m), nil
}

// Words32 returns the words of a program that is stored in 32-bit words, with the default context and empty tables.
// size is the length of the program in bits, or 0 if the program ends at the end of the last 32-bit word.
func (m *Machine) Words32(root *isa.Root, code []uint32, size int64) Words {
	return Words{
		Root:  root,
		Fetch: func(addr uint64) (bits.Value, bool) { return word32(root, m.Unit, code, size, addr) },
		Inner: func(root *isa.Root, number uint64) (bits.Value, bool) {
			return word32(root, root.Size, code, size, number)
		},
		Context: m.set.DefaultContext(),
		Tables:  make([][]bits.Value, len(m.set.Tables())),
	}
}

// word32 returns the word at an address that counts units of some bits.
func word32(root *isa.Root, unit int, words []uint32, size int64, addr uint64) (v bits.Value, ok bool) {
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
		if root.HighFirst {
			w = words[first+n-1-i]
		}
		v.SetUint(32*i, 32, uint64(w))
	}
	return v.Shr(shift), true
}

// Raw returns a launch of a program without a container. The program is stored in 32-bit words, starts at address 0, and
// has size bits, or ends with the last word if size is 0. Registers have only their own names. The outputs are the files
// whose use is output. If there are none, they are all registers of a lane that are neither inputs nor constants.
func Raw(m *Machine, code []uint32, size int64, context bits.Value, quirks map[string]string) (*Launch, error) {
	root, err := m.Root("")
	if err != nil {
		return nil, err
	}
	w := m.Words32(root, code, size)
	w.Context = context
	if w.Quirks, err = m.ParseQuirks(quirks); err != nil {
		return nil, err
	}
	l := &Launch{Program: NewProgram(m, w), Shared: NewShared(m, ScopeBlock, ScopeLaunch), Open: true}
	l.registers(func(use string) bool { return use == "output" })
	if len(l.Outputs) == 0 {
		l.registers(func(use string) bool { return use != "input" && use != "constant" })
	}
	var data []byte
	for _, w := range code {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	if size > 0 {
		data = data[:min(size/8, int64(len(data)))]
	}
	return l, l.findWords(data)
}

// SetTable sets the entries of a table that is separate from the code, by its index in isa.Set.Tables. Call SetTable
// before the program runs. An entry that is missing reads as 0, and the run has a finding.
func (l *Launch) SetTable(index int, entries []bits.Value) { l.Program.Tables[index] = entries }

// registers adds the registers of a lane with some uses to the outputs.
func (l *Launch) registers(is func(use string) bool) {
	for _, s := range l.Program.Machine.States {
		if s.Kind != Registers || s.Scope != ScopeLane || !is(s.Use) {
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
