package exec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/isa"
)

// In this file, the words of a memory are registers of one component, numbered from address 0. Users refer to a word by
// its address in bytes, such as o[0x10].

// WordName returns the name of a word of a memory, such as o[0x10].
func WordName(s *State, number int) string {
	name := s.Name
	if len(s.Aliases) > 0 {
		name = s.Aliases[0]
	}
	return fmt.Sprintf("%s[%#x]", name, number*wordBytes(s))
}

// wordBytes returns the size of a word of a memory.
func wordBytes(s *State) int { return max(1, s.Word.Bits/8) }

// word parses the name of a word of a memory. memory reports whether the name starts with a memory. The error describes
// an invalid address.
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

// MaxLaneBytes is the largest size in bytes of a lane's memory if the launch decides its size: the range of a 16-bit
// address.
const MaxLaneBytes = 1 << 16

// most returns the largest size of a memory of the launch in bytes.
func (l *Launch) most(s *State) int {
	switch {
	case s.Count > 0:
		return s.Count
	case s.Scope < ScopeWave:
		return MaxLaneBytes
	}
	return 0
}

// reach enlarges the memory of each lane so that it contains a port, if the launch decides the size.
func (l *Launch) reach(p *Port) {
	if s := p.State; s.Kind == Memory && s.Count == 0 && s.Scope < ScopeWave {
		if l.sizes == nil {
			l.sizes = map[*State]int{}
		}
		l.sizes[s] = max(l.sizes[s], (p.First+p.Count)*wordBytes(s))
	}
}

// Extend extends a port that is a word of a memory to a number of consecutive words. It returns an error if the memory
// has too few words. It does not change other ports.
func (l *Launch) Extend(p *Port, values int) error {
	if p.State.Kind != Memory || values <= p.Count {
		return nil
	}
	if room := l.most(p.State)/wordBytes(p.State) - p.First; values > room {
		return fmt.Errorf("%d values starting at %s are too many, expected at most %d", values, p.Name, room)
	}
	p.Count = values
	return nil
}

// fitMemories sets the sizes of the lanes' memories in a wave, and starts to record the written words of inputs and
// outputs.
func (l *Launch) fitMemories(w *Wave) {
	for s, n := range l.sizes {
		w.SetSize(s, n)
	}
	for _, st := range w.stores {
		if n := st.size / wordBytes(st.public); recordsWords(st.public) && len(st.known) != n {
			st.known = make([]uint64, n)
		}
	}
}

// recordsWords reports whether a run records which words of a memory were written.
func recordsWords(s *State) bool {
	return s.Kind == Memory && s.Scope < ScopeWave && (s.Use == "input" || s.Use == "output")
}

// OutputsKnown reports whether the outputs are known before a run. They are unknown if Changed is set, or if the
// program may write words of an output memory at computed addresses.
func (l *Launch) OutputsKnown() bool {
	return !l.Changed && !slices.ContainsFunc(l.Program.Machine.States, func(s *State) bool { return recordsWords(s) && s.Use == "output" })
}

// hasWords reports whether the lanes of a machine have their own memories.
func hasWords(m *Machine) bool {
	return slices.ContainsFunc(m.States, func(s *State) bool { return s.Kind == Memory && s.Scope < ScopeWave })
}

// findWords finds the words of the lanes' memories that instructions access: the inputs and outputs, and the necessary
// sizes. An access whose address depends on a register may be to any word.
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
			output := recordsWords(s) && s.Use == "output" && o.Role != isa.Read
			writes = writes || output
			switch {
			case computed:
			case output:
				outputs = withWords(outputs, p)
			case recordsWords(s) && s.Use == "input" && o.Role != isa.Write:
				l.Inputs = withWords(l.Inputs, p)
			}
		}
	}
	if writes {
		l.Outputs = outputs
	}
	return nil
}

// withWords adds the words of p to ports that are sorted by address.
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

// comparePorts compares ports by their registers.
func comparePorts(a, b Port) int {
	if a.State != b.State {
		return a.State.Index - b.State.Index
	}
	return a.First - b.First
}

// wordAt returns a word of a memory in a lane, or 0 outside the memory.
func (st *store) wordAt(number, lane int) uint64 {
	n := wordBytes(st.public)
	if (number+1)*n > st.size {
		return 0
	}
	return fetchBytes(st.data(lane)[number*n:], uint64(n))
}

// setWord sets a word of a memory in a lane.
func (st *store) setWord(number, lane int, v uint64) {
	n := wordBytes(st.public)
	putBytes(st.data(lane)[number*n:], uint64(n), v)
	st.note(uint64(number*n), uint64(n), lane)
}

// note records that a lane wrote bytes of a memory.
func (st *store) note(addr, size uint64, lane int) {
	if st.known == nil {
		return
	}
	n := uint64(wordBytes(st.public))
	for at := addr / n; at <= (addr+size-1)/n && at < uint64(len(st.known)); at++ {
		st.known[at] |= 1 << uint(lane)
	}
}

// noteLoad records a finding if a lane reads unwritten bytes of an input.
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
