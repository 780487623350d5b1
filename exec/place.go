package exec

import (
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Place is where a launch puts a value before a program starts. An <input> of the description declares it.
type Place struct {
	Name, Doc string
	// States are the file, the register or the memory. For a group of memories, they are all memories of the group.
	States []*State
	// Number is the first register of a file that has the value, and Count is the number of these registers.
	Number, Count int
	// Components are the numbers of the components that have the value.
	Components []int
	// Offset is the address of the value in a memory, in bytes.
	Offset uint64
	// Type is the type of a component, or of the value in a memory. The value has Width bits of it, starting with
	// bit Low.
	Type       isa.Type
	Low, Width int

	sem *sem.Place
}

// State returns the first state, which is the only one except for a group of memories.
func (p *Place) State() *State { return p.States[0] }

// PlaceOf returns the place of the input with a name in some contexts. It returns an error if the description has no
// such <input>.
func PlaceOf(m *Machine, context bits.Value, name string) (*Place, error) {
	if p := m.Place(name, context); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("the description has no <input name=%q>, which this launch needs", name)
}

// Place returns the place of the input with a name in some contexts, or nil if the description has no such <input>.
func (m *Machine) Place(name string, context bits.Value) *Place {
	return m.place(m.sem.Place(name, context))
}

func (m *Machine) place(p *sem.Place) *Place {
	if p == nil {
		return nil
	}
	out := &Place{
		Name: p.Name, Doc: p.Doc, Number: p.Number, Count: p.Count, Components: p.Comps, Offset: p.Offset,
		Type: publicType(p.Type), Low: p.Low, Width: p.Width, sem: p,
	}
	for _, s := range p.States {
		out.States = append(out.States, m.States[s.Index])
	}
	return out
}

// Output returns the place of the output with a name in some contexts. It returns nil if there is no such <output>, or if
// each program chooses its place.
func (m *Machine) Output(name string, context bits.Value) *Place {
	return m.place(m.sem.Output(name, context))
}

// OutputOf returns the place of the output with a name in some contexts. It returns an error if the description has no
// such <output>.
func OutputOf(m *Machine, context bits.Value, name string) (*Place, error) {
	if p := m.Output(name, context); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("the description has no <output name=%q> with a number, which this launch needs", name)
}

// FileFor returns the only register file with a use, such as input. It returns an error if the description has none, or
// several.
func FileFor(m *Machine, use string) (file *State, err error) {
	n := 0
	for _, s := range m.States {
		if s.Kind == Registers && !s.Single && s.Use == use {
			file = s
			n++
		}
	}
	if n != 1 {
		return nil, fmt.Errorf("the description has %d files with use=%q, and this launch needs one", n, use)
	}
	return file, nil
}

// Give puts whole numbers in a place, one for each lane, beginning with the first. A place that lanes share has the first
// number. The numbers are converted to the type of the place. Numbers for lanes or bytes that do not exist are lost.
func (w *Wave) Give(p *Place, numbers ...uint64) {
	st, lanes := w.stores[p.State().Index], Lanes
	if st.wide() {
		lanes = 1
	}
	st.give(p, numbers[:min(lanes, len(numbers))])
}

// Give puts a whole number in a place that lanes share.
func (s *Shared) Give(p *Place, number uint64) { s.stores[p.State().Index].give(p, []uint64{number}) }

func (st *store) give(p *Place, numbers []uint64) {
	mask := ^uint64(0) >> (64 - p.Width) << p.Low
	if s := st.state; s.Kind == sem.FileState && !st.wide() && len(p.Components) == 1 && (p.Type.Kind == isa.Unsigned || p.Type.Kind == isa.Signed) {
		i := p.Number*st.comps + p.Components[0]
		st.use(i)
		to := &st.planes[i]
		for lane, n := range numbers {
			to[lane] = to[lane]&^mask | n<<p.Low&mask
		}
		st.written[i] |= 1<<uint(len(numbers)) - 1
		return
	}
	for lane, n := range numbers {
		v := p.sem.Bits(n) << p.Low & mask
		if st.state.Kind == sem.MemoryState {
			size, data := uint64(p.Type.Bits/8), st.data(lane)
			if p.Offset+size > uint64(len(data)) {
				continue
			}
			data = data[p.Offset:]
			putBytes(data, size, fetchBytes(data, size)&^mask|v)
			st.note(p.Offset, size, lane)
			continue
		}
		for _, comp := range p.Components {
			st.set(p.Number, comp, lane, st.get(p.Number, comp, lane)&^mask|v)
		}
	}
}
