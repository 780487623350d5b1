package pica200

// dvleData is a program of a file as list --json shows it.
type dvleData struct {
	Stage     string         `json:"stage"`
	Entry     uint32         `json:"entry"`
	End       uint32         `json:"end"`
	Mode      string         `json:"mode,omitempty"`
	Inputs    uint16         `json:"inputs"`
	Outputs   uint16         `json:"outputs"`
	Uniforms  []uniformData  `json:"uniforms,omitempty"`
	Constants []constantData `json:"constants,omitempty"`
	Carries   []outputData   `json:"carries,omitempty"`
	Labels    []labelData    `json:"labels,omitempty"`
}

// uniformData is a run of registers with a name.
type uniformData struct {
	First string `json:"first"`
	Last  string `json:"last"`
	Name  string `json:"name"`
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

// labelData is a name of a place in the code.
type labelData struct {
	ID      uint8  `json:"id"`
	Address uint32 `json:"address"`
	Size    uint32 `json:"size"`
	Name    string `json:"name"`
}

func (d *DVLE) data() dvleData {
	out := dvleData{Stage: d.Type.String(), Entry: d.Entry, End: d.End, Inputs: d.InputMask, Outputs: d.OutputMask}
	if d.Type == GeometryShader {
		out.Mode = d.GeometryMode.String()
	}
	for _, u := range d.Uniforms {
		out.Uniforms = append(out.Uniforms, uniformData{u.First.String(), u.Last.String(), u.Name})
	}
	for _, c := range d.Constants {
		out.Constants = append(out.Constants, constantData{c.place(), c.data()})
	}
	for _, o := range d.Outputs {
		out.Carries = append(out.Carries, outputData{outputBank.name(int(o.Register)), o.Components(), o.Semantic.String()})
	}
	for _, l := range d.Labels {
		out.Labels = append(out.Labels, labelData{l.ID, l.Address, l.Size, l.Name})
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
