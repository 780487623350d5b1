package flowtest

import (
	"fmt"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/flow"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
)

// Calls lists the calls of services that each lane makes, in order: the name of the service, the arguments, and what the
// host reads.
type Calls [exec.Lanes][]string

// Record replaces the services of a wave with services that record their calls. Their results follow from the calls.
func Record(w *exec.Wave) *Calls {
	calls := &Calls{}
	w.Services = map[string]exec.Service{}
	m := w.Program.Machine
	for _, name := range m.Services() {
		s := m.Inside(inside.Key{}).Service(name)
		w.Services[name] = func(c *exec.Call) {
			for lane := range exec.Lanes {
				if c.Mask>>uint(lane)&1 == 0 {
					continue
				}
				arg := func(i int) uint64 { return c.Args[i][lane] }
				seen := func(v flow.Variable) uint64 { return c.Wave.Get(m.States[v.State.Index], v.Number, v.Comp, lane) }
				for k, v := range calls.add(lane, s, arg, seen) {
					c.Results[k][lane] = v
				}
			}
		}
	}
	return calls
}

// answer executes a call of a specialised program. first is the lane that runs as lane 0.
func (c *Calls) answer(call *flow.Call, first int) {
	for lane := range exec.Lanes {
		if call.Lanes>>uint(lane)&1 == 0 {
			continue
		}
		arg := func(i int) uint64 { return call.Args[i][lane] }
		seen := func(v flow.Variable) uint64 { return call.Seen(v, lane) }
		for k, v := range c.add(lane+first, call.Service, arg, seen) {
			call.Results[k][lane] = v
		}
	}
}

// add records a call and returns its results.
func (c *Calls) add(lane int, s *sem.Service, arg func(i int) uint64, seen func(v flow.Variable) uint64) (results []uint64) {
	var values []uint64
	for _, p := range s.Params {
		for range p.Type.Count() {
			v := sem.Canonical(arg(len(values)), p.Type)
			if p.Type.Kind == sem.Sint { // as in a shader, where it has 32 bits
				v = uint64(int64(v<<(64-p.Type.Width)) >> (64 - p.Type.Width))
			}
			values = append(values, v)
		}
	}
	s.EachRead(func(st *sem.State, number, comp int) {
		v := flow.Variable{State: st, Number: number, Comp: comp}
		values = append(values, sem.Canonical(seen(v), v.Type()))
	})
	c[lane] = append(c[lane], fmt.Sprintf("%s%x", s.Name, values))
	sum := uint64(3)
	for _, v := range values {
		sum = sum*31 + v
	}
	for k := range s.Result.Count() {
		results = append(results, (sum+uint64(k))&0xff&(1<<min(8, s.Result.Width)-1))
	}
	return results
}
