package isa

// Hazard is something that an instruction does not do as its text seems to say, by the description:
// it is legal, and hardly meant.
type Hazard struct {
	// Name is stable; Text tells what is wrong.
	Name, Text string
	// Rejected is set where assemblers of programs do not take such an instruction.
	Rejected bool
}

// Hazards appends the hazards of an instruction to buf.
func (d *Decoder) Hazards(buf []Hazard, in Inst) []Hazard {
	u := d.env.Bound(in.Leaf.model)
	if len(u.Hazards) == 0 {
		return buf
	}
	d.setTop(in)
	for i := range u.Hazards {
		if h := &u.Hazards[i]; d.eval(h.Cond, 0) != 0 {
			buf = append(buf, Hazard{h.Spec.Name, h.Spec.Text, h.Spec.Refused})
		}
	}
	return buf
}
