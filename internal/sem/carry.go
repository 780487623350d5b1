package sem

// carry marks the reads whose values go to registers that carry them, and nowhere else.
func (c *Code) carry() {
	carrying := false
	for i := range c.Insts {
		carrying = carrying || c.Insts[i].carries()
	}
	if !carrying {
		return
	}
	const carried, used = 1, 2
	ends := make([]uint8, len(c.Insts)) // where each value goes
	for i := len(c.Insts) - 1; i >= 0; i-- {
		in := &c.Insts[i]
		to := uint8(used)
		switch {
		case in.Op.Pure():
			to = ends[i]
		case in.Op == OpRead || in.Op == OpReadX:
			in.Carried = in.State.Undefined && ends[i] == carried
		}
		in.EachArg(func(a ID) {
			if a == in.B && in.carries() {
				ends[a] |= carried
			} else {
				ends[a] |= to
			}
		})
	}
}

// carries reports whether an operation gives a value to a register that carries it.
func (in *Inst) carries() bool {
	return (in.Op == OpWrite || in.Op == OpWriteX) && in.State.Carries
}

// Sources lists the reads that are carried by the write of a value.
func (c *Code) Sources(value ID) []ID {
	var list []ID
	seen := map[ID]bool{}
	var visit func(id ID)
	visit = func(id ID) {
		in := &c.Insts[id]
		if seen[id] || !in.Carried && !in.Op.Pure() {
			return
		}
		if seen[id] = true; in.Carried {
			list = append(list, id)
			return
		}
		in.EachArg(visit)
	}
	visit(value)
	return list
}
