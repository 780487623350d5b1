package exec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/isa"
)

// Memories count as registers here: their words, from address 0 on, are registers of one component. Users call a word
// by its address in bytes, o[0x10].

// WordName returns the name of a word of a memory, by its number.
func WordName(s *State, number int) string {
	name := s.Name
	if len(s.Aliases) > 0 {
		name = s.Aliases[0]
	}
	return fmt.Sprintf("%s[%#x]", name, number*wordBytes(s))
}

// wordBytes returns the size of a word of a memory.
func wordBytes(s *State) int { return max(1, s.Word.Bits/8) }

// word reads the name of a word of a memory. memory tells that it names a memory; the error tells what is wrong with the
// address.
func (l *Launch) word(name string) (p Port, memory bool, err error) {
	inner, ok := strings.CutSuffix(name, "]")
	base, text, open := strings.Cut(inner, "[")
	if !ok || !open {
		return p, false, nil
	}
	for _, s := range l.Program.Machine.States {
		if s.Kind != Memory || s.Scope == ScopeInstruction || s.Name != base && !slices.Contains(s.Aliases, base) {
			continue
		}
		at, err := strconv.ParseUint(text, 0, 32)
		size := uint64(wordBytes(s))
		if err != nil || at%size != 0 || at+size > uint64(l.most(s)) {
			return p, true, fmt.Errorf("%s, expected %s[ADDRESS] with a multiple of %d below %#x", name, base, size, l.most(s))
		}
		return Port{Name: WordName(s, int(at/size)), State: s, First: int(at / size), Count: 1}, true, nil
	}
	return p, false, nil
}

// MaxLaneBytes is the size of a memory of each lane that the description leaves to a launch: what 16 bits address.
const MaxLaneBytes = 1 << 16

// most returns the most bytes that a memory of the launch may have.
func (l *Launch) most(s *State) int {
	switch {
	case s.Count > 0:
		return s.Count
	case s.Scope < ScopeWave:
		return MaxLaneBytes
	}
	return 0
}

// reach makes the memories of lanes as large as words of a port need, where the description leaves it open.
func (l *Launch) reach(p *Port) {
	if s := p.State; s.Kind == Memory && s.Count == 0 && s.Scope < ScopeWave {
		if l.sizes == nil {
			l.sizes = map[*State]int{}
		}
		l.sizes[s] = max(l.sizes[s], (p.First+p.Count)*wordBytes(s))
	}
}

// Extend makes a port that is a word of a memory take so many values: those of the words after it too. The error tells that
// there are not so many.
func (l *Launch) Extend(p *Port, values int) error {
	if p.State.Kind != Memory || values <= p.Count {
		return nil
	}
	if room := l.most(p.State)/wordBytes(p.State) - p.First; values > room {
		return fmt.Errorf("%d values starting at %s, expected at most %d", values, p.Name, room)
	}
	p.Count = values
	return nil
}

// fitMemories gives the memories of a wave's lanes their sizes, and watches those of which users are told.
func (l *Launch) fitMemories(w *Wave) {
	for s, n := range l.sizes {
		w.SetSize(s, n)
	}
	for _, st := range w.stores {
		if n := st.size / wordBytes(st.public); told(st.public) && len(st.known) != n {
			st.known = make([]uint64, n)
		}
	}
}

// told reports whether a run tells what nobody wrote of a memory, or what the program wrote.
func told(s *State) bool {
	return s.Kind == Memory && s.Scope < ScopeWave && (s.Use == "input" || s.Use == "output")
}

// OutputsKnown reports whether the outputs of a run are known before it: not so where the launch asks what changed, or the
// program may write words where it computes.
func (l *Launch) OutputsKnown() bool {
	return !l.Changed && !slices.ContainsFunc(l.Program.Machine.States, func(s *State) bool { return told(s) && s.Use == "output" })
}

// hasWords reports whether there is a memory that the lanes of a program have for themselves.
func hasWords(m *Machine) bool {
	return slices.ContainsFunc(m.States, func(s *State) bool { return s.Kind == Memory && s.Scope < ScopeWave })
}

// findWords finds the words of the lanes' memories that instructions name: inputs that are read and outputs that are written,
// and how large memories have to be. One whose address a register changes may be any.
func (l *Launch) findWords(code []byte) error {
	if !hasWords(l.Program.Machine) {
		return nil
	}
	d, err := l.Program.Machine.set.NewDecoder("")
	if err != nil {
		return err
	}
	d.SetContext(l.Program.Context)
	var operands []isa.Operand
	var outputs []Port
	writes := false
	for w := range d.DecodeAll(code) {
		if w.Inst.Leaf == nil {
			continue
		}
		operands = d.Operands(operands[:0], w.Inst)
		for i := range operands {
			o := &operands[i]
			if o.Memory == nil {
				continue
			}
			s := l.Program.Machine.State(o.Memory.Name)
			size := wordBytes(s)
			p := Port{State: s, First: int(o.Value) / size, Count: max(1, (o.Type.Size()/8+size-1)/size)}
			computed := o.Relative.File != nil
			if computed {
				p.First, p.Count = 0, l.most(s)/size
			}
			l.reach(&p)
			output := told(s) && s.Use == "output" && o.Role != isa.Read
			writes = writes || output
			switch {
			case computed:
			case output:
				outputs = withWords(outputs, p)
			case told(s) && s.Use == "input" && o.Role != isa.Write:
				l.Inputs = withWords(l.Inputs, p)
			}
		}
	}
	if writes {
		l.Outputs = outputs
	}
	return nil
}

// withWords returns ports with those of the words of p, in the order of their addresses.
func withWords(list []Port, p Port) []Port {
	for n := p.First; n < p.First+p.Count; n++ {
		w := Port{Name: WordName(p.State, n), State: p.State, First: n, Count: 1}
		at, found := slices.BinarySearchFunc(list, w, comparePorts)
		if !found {
			list = slices.Insert(list, at, w)
		}
	}
	return list
}

// comparePorts orders ports by what they name.
func comparePorts(a, b Port) int {
	if a.State != b.State {
		return a.State.Index - b.State.Index
	}
	return a.First - b.First
}

// wordAt returns a word of a memory in a lane; 0 outside.
func (st *store) wordAt(number, lane int) uint64 {
	n := wordBytes(st.public)
	if (number+1)*n > st.size {
		return 0
	}
	return fetchBytes(st.data(lane)[number*n:], uint64(n))
}

// setWord gives a word of a memory its value in a lane.
func (st *store) setWord(number, lane int, v uint64) {
	n := wordBytes(st.public)
	putBytes(st.data(lane)[number*n:], uint64(n), v)
	st.note(uint64(number*n), uint64(n), lane)
}

// note notes that a lane wrote bytes of a memory.
func (st *store) note(addr, size uint64, lane int) {
	if st.known == nil {
		return
	}
	n := uint64(wordBytes(st.public))
	for at := addr / n; at <= (addr+size-1)/n && at < uint64(len(st.known)); at++ {
		st.known[at] |= 1 << uint(lane)
	}
}

// noteLoad notes that a lane reads bytes of an input that nobody wrote.
func (w *Wave) noteLoad(st *store, addr, size uint64, lane int) {
	if st.known == nil || st.state.Use != "input" {
		return
	}
	n := uint64(wordBytes(st.public))
	for at := addr / n; at <= (addr+size-1)/n && at < uint64(len(st.known)); at++ {
		if st.known[at]>>uint(lane)&1 == 0 {
			w.unwritten(st, int(at), 0, 1<<uint(lane))
		}
	}
}
