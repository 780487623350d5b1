package a2xx

import (
	"fmt"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
)

// warnings looks for what the machine takes and hardly anybody means, or what only a sibling or a
// driver is known not to take. Hazards of single instructions are not among it.
func (p *layout) warnings() []problem {
	l := linter{layout: p}
	l.end()
	l.store()
	l.nesting()
	l.calls()
	l.rooms()
	l.stage()
	return l.list
}

type linter struct {
	*layout
	list []problem
}

func (l *linter) warn(code diag.Code, clause, unit int, format string, args ...any) {
	l.list = append(l.list, problem{code, clause, unit, fmt.Sprintf(format, args...)})
}

// end reports a program that ends under a condition alone.
func (l *linter) end() {
	last := -1
	for i := range l.clauses {
		if c := &l.clauses[i]; c.ends && !c.mayEnd {
			return
		} else if c.ends {
			last = i
		}
	}
	if last >= 0 {
		l.warn(diag.MissingEnd, last, -1, "the program ends only if the condition of this clause holds")
	}
}

// store reports a program of which drivers do not load all.
func (l *linter) store() {
	for i := range l.clauses {
		if c := &l.clauses[i]; c.loaded > 0 && len(l.units) > c.loaded {
			l.warn(diag.StoreSize, i, -1, "the program has %d units; %s loads at most %d, although addresses reach %d", len(l.units), c.loader, c.loaded, c.store)
			return
		}
	}
}

// nesting reports clauses that are deeper inside others than the machine counts.
func (l *linter) nesting() {
	var depth map[string]int
	for i := range l.clauses {
		c := &l.clauses[i]
		if c.closes != "" && depth != nil {
			depth[c.closes] = max(depth[c.closes]-1, 0)
		}
		if c.opens == "" {
			continue
		}
		if depth == nil {
			depth = map[string]int{}
		}
		if depth[c.opens]++; depth[c.opens] == c.depth+1 {
			l.warn(diag.Nesting, i, -1, "%s are %d deep here, expected at most %d (%s)", c.opens, c.depth+1, c.depth, c.counted)
		}
	}
}

// calls does the same for what is called.
func (l *linter) calls() {
	var w callWalk
	for i := range l.clauses {
		c := &l.clauses[i]
		if c.calls == "" {
			continue
		}
		if w.known == nil {
			w = callWalk{l.layout, map[int]int{}}
		}
		switch n := 1 + w.depth(c.target); {
		case n > endless:
			l.warn(diag.Nesting, i, -1, "the subroutine called here calls itself, expected %s at most %d deep (%s)", c.calls, c.depth, c.counted)
		case n > c.depth:
			l.warn(diag.Nesting, i, -1, "%s are %d deep here, expected at most %d (%s)", c.calls, n, c.depth, c.counted)
		}
	}
}

// callWalk finds how deep calls go from a clause on.
type callWalk struct {
	*layout
	known map[int]int
}

// endless is the depth of what calls itself, and more than any other.
const endless = 1 << 20

// depth returns how deep calls go in what starts at a clause and ends with a return.
func (w *callWalk) depth(from int) (depth int) {
	if n, ok := w.known[from]; ok {
		return n
	}
	w.known[from] = endless // where it is asked for again before it is known
	for i := from; i < len(w.clauses); i++ {
		c := &w.clauses[i]
		if c.returns != "" || i >= from+most {
			break
		}
		if c.calls != "" {
			depth = min(max(depth, 1+w.depth(c.target)), endless)
		}
	}
	w.known[from] = depth
	return depth
}

// most bounds the clauses of what is called; an address reaches no more.
const most = 1024

// rooms reports exports for which no room is made, or too little. Where clauses go to others, what comes before what
// is not known: then any clause that makes room will do.
func (l *linter) rooms() {
	straight := true
	made := make([]room, len(l.m.rooms))
	for i := range l.clauses {
		c := &l.clauses[i]
		straight = straight && c.returns == "" && (!c.goes || c.opens != "" || c.closes != "")
		if c.room.width > 0 {
			made[c.room.of(&c.in.Bits)] = room{size: unlimited}
		}
	}
	if straight {
		clear(made)
	}
	for i := range l.clauses {
		c := &l.clauses[i]
		if straight && c.room.width > 0 {
			made[c.room.of(&c.in.Bits)] = newRoom(c)
		}
		for k := c.first; k < c.last; k++ {
			l.export(made, &l.steps[k])
		}
	}
}

// room is what a clause makes room for: so many exports, 0 being none, and those that are there.
type room struct {
	size  int
	taken bits.Value
}

// unlimited is the size of rooms of which the size is not known.
const unlimited = bits.Size

func newRoom(c *placedClause) room {
	if kind := c.room.of(&c.in.Bits); !c.sized[kind] {
		return room{size: unlimited}
	}
	return room{size: c.size.of(&c.in.Bits) + 1}
}

// export reports the export of a step.
func (l *linter) export(made []room, s *step) {
	e := &l.m.kinds[s.kind].exports[s.in.Leaf.ID]
	if e.flag.width == 0 || e.flag.of(&s.in.Bits) == 0 {
		return
	}
	n, name := e.number.of(&s.in.Bits), ""
	for kind, has := range e.rooms {
		if !has[n] {
			continue
		}
		r := &made[kind]
		if r.size == 0 {
			name = l.m.rooms[kind].text
			continue
		}
		if r.taken.Bit(n) == 1 {
			return
		}
		r.taken.SetUint(n, 1, 1)
		if count := r.taken.OnesCount(); count == r.size+1 {
			l.warn(diag.RoomSize, -1, s.unit, "export %d is the %s after an allocation of %d", n, ordinal(count), r.size)
		}
		return
	}
	if name != "" {
		l.warn(diag.MissingRoom, -1, s.unit, "export %d, but no earlier clause allocates %s", n, name)
	}
}

func ordinal(n int) string {
	switch n {
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return fmt.Sprint(n, "th")
}

// stage reports exports that the stage is not known to have.
func (l *linter) stage() {
	for i := range l.steps {
		s := &l.steps[i]
		e := &l.m.kinds[s.kind].exports[s.in.Leaf.ID]
		if e.flag.width == 0 || e.flag.of(&s.in.Bits) == 0 {
			continue
		}
		stage := int(l.context.Uint(e.stage.low, e.stage.width))
		if n := e.number.of(&s.in.Bits); stage < len(e.stages) && !e.stages[stage][n] {
			l.warn(diag.StageExport, -1, s.unit, "export %d, but this stage has %s", n, list(e.stages[stage]))
		}
	}
}
