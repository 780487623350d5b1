package sem

// carry marks the reads whose values are only copied: to registers that carry them, or from one that carries and has a
// first value, so that reading it is no finding.
func (c *Code) carry() {
	carrying := false
	for i := range c.Insts {
		carrying = carrying || c.Insts[i].State != nil && c.Insts[i].State.Carries
	}
	if !carrying {
		return
	}
	const toUndefined, toDefined, toOther, used = 1, 2, 4, 8
	ends := make([]uint8, len(c.Insts)) // where each value goes
	for i := len(c.Insts) - 1; i >= 0; i-- {
		in := &c.Insts[i]
		to, carried := uint8(used), false
		switch in.Op {
		case OpWrite, OpWriteX:
			switch {
			case !in.State.Carries:
				to = toOther
			case in.State.Undefined:
				to = toUndefined
			default:
				to = toDefined
			}
		case OpRead, OpReadX:
			switch {
			case in.State.Undefined:
				carried = ends[i] == toUndefined
			case in.State.Carries:
				carried = ends[i] != 0 && ends[i]&used == 0
				c.handsOn = c.handsOn || carried
			default:
				carried = ends[i] == toDefined
			}
		default:
			if in.Op.Pure() {
				to = ends[i]
			}
		}
		if carried {
			in.Notes |= Carried
		}
		in.EachArg(func(a ID) {
			if (in.Op == OpWrite || in.Op == OpWriteX) && a != in.B {
				ends[a] |= used
			} else {
				ends[a] |= to
			}
		})
	}
}

// Sources returns the reads with the note Carried whose values a write copies.
func (c *Code) Sources(write *Inst) []ID {
	if !write.State.Carries && !c.handsOn {
		return nil
	}
	var list []ID
	seen := map[ID]bool{}
	var visit func(id ID)
	visit = func(id ID) {
		in := &c.Insts[id]
		if seen[id] || !in.Carried() && !in.Op.Pure() {
			return
		}
		if seen[id] = true; in.Carried() {
			list = append(list, id)
			return
		}
		in.EachArg(visit)
	}
	visit(write.B)
	return list
}
