package isa

// Hazard is a legal instruction that probably does not do what its text suggests. The description
// declares hazards.
type Hazard struct {
	// Name is the stable code of the hazard. Text is the message.
	Name, Text string
	// Rejected reports whether assemblers reject the instruction when they assemble a whole program.
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
