package flow

import (
	"slices"

	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
)

// OtherLanes returns an operation among the lanes of a wave whose result the instruction writes to a register or memory of a
// lane, or on which such a write depends. It returns "" if there is none. Masks of lanes from which each lane takes its own bit
// do not count, and neither do results that only move the program counter and masks of lanes, nor functions of the number of
// the lane that are the same for all numbers. If votes is not set, votes do not count either.
func OtherLanes(code *sem.Code, lanes int, votes bool) string {
	from, masks := map[sem.ID]string{}, map[sem.ID]string{}
	values := map[sem.ID][]uint64{} // of functions of the number of the lane, for each lane
	for i := range code.Insts {
		in, id := &code.Insts[i], sem.ID(i)
		switch in.Op {
		case sem.OpLane, sem.OpConst:
			for lane := range lanes {
				values[id] = append(values[id], map[bool]uint64{true: uint64(lane), false: in.Imm}[in.Op == sem.OpLane])
			}
			if in.Op == sem.OpLane {
				from[id] = in.Op.String()
			}
			continue
		case sem.OpAny, sem.OpAll, sem.OpFrom, sem.OpBallot:
			switch {
			case in.Op != sem.OpFrom && !votes:
			case in.Op == sem.OpBallot:
				masks[id] = in.Op.String()
			default:
				from[id] = in.Op.String()
			}
			continue
		}
		for _, a := range [4]sem.ID{in.A, in.B, in.C, in.Guard} {
			if a == sem.NoID {
				continue
			}
			if from[a] != "" {
				from[id] = from[a]
			}
			if masks[a] == "" {
				continue
			}
			switch in.Op {
			case sem.OpLanesOf:
			case sem.OpAnd, sem.OpOr, sem.OpXor, sem.OpNot:
				masks[id] = masks[a]
			default:
				from[id] = masks[a]
			}
		}
		switch in.Op {
		case sem.OpWrite, sem.OpWriteX, sem.OpStore:
			if op := from[id]; op != "" && (in.Op == sem.OpStore || in.State.Kind != sem.StackState && in.State.Scope <= spec.ScopeLane) {
				return op
			}
		}
		if in.Op.Pure() {
			arg := func(a sem.ID, lane int) uint64 {
				if a == sem.NoID {
					return 0
				}
				return values[a][lane]
			}
			if slices.ContainsFunc([]sem.ID{in.A, in.B, in.C}, func(a sem.ID) bool { return a != sem.NoID && values[a] == nil }) {
				continue
			}
			same := true
			for lane := range lanes {
				v := sem.Apply(in, arg(in.A, lane), arg(in.B, lane), arg(in.C, lane))
				values[id] = append(values[id], v)
				same = same && v == values[id][0]
			}
			if same {
				delete(from, id)
			}
		}
	}
	return ""
}
