package pica200

// dvleData is a program of a file as list --json shows it.
type dvleData struct {
	Stage     string         `json:"stage"`
	Entry     uint32         `json:"entry"`
	End       uint32         `json:"end"`
	Mode      string         `json:"mode,omitempty"`
	Inputs    uint16         `json:"inputs"`
	Outputs   uint16         `json:"outputs"`
	Uniforms  []Uniform      `json:"uniforms,omitempty"`
	Constants []constantData `json:"constants,omitempty"`
	Carries   []outputData   `json:"carries,omitempty"`
	Labels    []Label        `json:"labels,omitempty"`
}

// constantData is a value that a register has from the start.
type constantData struct {
	Register string `json:"register"`
	Value    any    `json:"value"`
}

// outputData is what an output register carries.
type outputData struct {
	Register   string `json:"register"`
	Components string `json:"components"`
	Semantic   string `json:"semantic"`
}

func (d *DVLE) data() dvleData {
	out := dvleData{
		Stage: d.Type.String(), Entry: d.Entry, End: d.End, Inputs: d.InputMask, Outputs: d.OutputMask, Uniforms: d.Uniforms, Labels: d.Labels,
	}
	if d.Type == GeometryShader {
		out.Mode = d.GeometryMode.String()
	}
	for _, c := range d.Constants {
		out.Constants = append(out.Constants, constantData{c.place(), c.data()})
	}
	for _, o := range d.Outputs {
		out.Carries = append(out.Carries, outputData{outputBank.name(int(o.Register)), o.Components(), o.Semantic.String()})
	}
	return out
}

// data returns the value of a constant: a bool, four numbers, or the bytes of an unknown type in hex. Floats
// are as list prints them, since JSON has no infinity.
func (c Constant) data() any {
	switch c.Type {
	case ConstantBool:
		return c.Bool()
	case ConstantInt:
		v := c.Ints()
		return [4]int{int(v[0]), int(v[1]), int(v[2]), int(v[3])}
	}
	return c.Value()
}
