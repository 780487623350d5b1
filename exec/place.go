package exec

import (
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/sem"
)

// PlaceOf returns the place of the input with a name in some contexts. It returns an error if the description has no
// such <input>.
func PlaceOf(m *Machine, context bits.Value, name string) (*Place, error) {
	if p := m.Place(name, context); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("the description has no <input name=%q>, which this launch needs", name)
}

// Give puts whole numbers in a place, one for each lane, beginning with the first. A place that lanes share has the first
// number. The numbers are converted to the type of the place. Numbers for bytes that a memory does not have are lost.
func (w *Wave) Give(p *Place, numbers ...uint64) {
	st := w.stores[p.State().Index]
	if st.wide() {
		numbers = numbers[:1]
	}
	st.give(p, numbers)
}

// Give puts a whole number in a place that lanes share.
func (s *Shared) Give(p *Place, number uint64) { s.stores[p.State()].give(p, []uint64{number}) }

func (st *store) give(p *Place, numbers []uint64) {
	mask := ^uint64(0) >> (64 - p.Width) << p.Low
	if s := st.state; s.Kind == sem.FileState && !st.wide() && len(p.Comps) == 1 && (p.Type.Kind == sem.Uint || p.Type.Kind == sem.Sint) {
		i := p.Number*st.comps + p.Comps[0]
		st.use(i)
		to := &st.planes[i]
		for lane, n := range numbers {
			to[lane] = to[lane]&^mask | n<<p.Low&mask
		}
		st.written[i] |= 1<<uint(len(numbers)) - 1
		return
	}
	for lane, n := range numbers {
		v := p.Bits(n) << p.Low & mask
		if st.state.Kind == sem.MemoryState {
			size, data := uint64(p.Type.Width/8), st.data(lane)
			if p.Offset+size > uint64(len(data)) {
				continue
			}
			data = data[p.Offset:]
			putBytes(data, size, fetchBytes(data, size)&^mask|v)
			st.note(p.Offset, size, lane)
			continue
		}
		for _, comp := range p.Comps {
			st.set(p.Number, comp, lane, st.get(p.Number, comp, lane)&^mask|v)
		}
	}
}
