package vectors

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/step"
)

// program returns the program of a vector. quirks replaces quirks of the file and of the vector.
func (f *File) program(m *exec.Machine, v *Vector, quirks map[string]string) (*exec.Program, error) {
	all := map[string]string{}
	maps.Copy(all, f.Quirks)
	maps.Copy(all, v.Quirks)
	maps.Copy(all, quirks)
	c := step.Code{Root: f.Root, Words: v.Words, Tables: v.Tables, Context: v.Context, Quirks: all}
	return c.Program(m)
}

// ended is the state of a vector after a run of isago.
type ended interface {
	// value returns the value of a spot.
	value(p spot) uint64
	called() []Call
}

// waveEnd is the end of a run by package step.
type waveEnd struct {
	sem     *sem.Machine
	lanes   int
	pc      uint64
	changed map[spot]uint64
	initial map[spot]uint64
	calls   []Call
}

// run runs a vector.
func run(r *step.Runner, p *exec.Program, v *Vector) (*waveEnd, error) {
	q := &step.Query{Program: r.Program(p), Lanes: v.Lanes, Steps: int64(v.Steps), Initial: v.Initial}
	if v.Active != "" {
		var err error
		if q.Active, err = strconv.ParseUint(v.Active, 16, 64); err != nil {
			return nil, fmt.Errorf("active %q, expected a mask in hexadecimal", quote.Shorten(v.Active))
		}
	}
	res, err := r.Run(context.Background(), q)
	if err != nil {
		return nil, err
	}
	m := r.Machine()
	return &waveEnd{
		sem: m.Inside(inside.Key{}), lanes: v.Lanes, pc: r.Final(q).PC,
		changed: spotsOf(m, &res.Changed), initial: spotsOf(m, &v.Initial), calls: res.Calls,
	}, nil
}

func (e *waveEnd) called() []Call { return e.calls }

func (e *waveEnd) value(p spot) uint64 {
	if p.kind == counterSpot {
		return e.pc
	}
	if v, ok := e.changed[p]; ok {
		return v
	}
	if p.kind == slotSpot {
		if depth, ok := e.changed[spot{depthSpot, p.state, 0, 0, p.lane}]; ok && p.number >= int(depth) {
			return 0
		}
	}
	if v, ok := e.initial[p]; ok || p.kind != registerSpot {
		return v
	}
	return first(e.sem.States[p.state.Index], p.number, p.comp, e.lanes)
}

// first returns the value of a component of a register at the start of a wave of some lanes.
func first(s *sem.State, number, comp, lanes int) uint64 {
	switch {
	case s.InitExists:
		return ^uint64(0) >> uint(exec.Lanes-lanes)
	case s.Values != nil:
		return s.Values[number*s.Type.Count()+comp]
	}
	return s.Init
}
