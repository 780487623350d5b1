package view

// DiffReport is a Diff as isago diff --json prints it.
type DiffReport struct {
	Machine string   `json:"machine,omitempty"`
	Files   []string `json:"files"`
	Equal   bool     `json:"equal"`
	// Same is the number of instructions that are the same in both files.
	Same     int              `json:"same"`
	Declared []DeclaredReport `json:"declared"`
	Hunks    []HunkReport     `json:"hunks"`
}

// DeclaredReport has the lines of a declaration that differs, in the first file and in the second.
type DeclaredReport struct {
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// HunkReport has instructions of the first file, and the instructions of the second file that replace them.
type HunkReport struct {
	Removed []DiffInstruction `json:"removed,omitempty"`
	Added   []DiffInstruction `json:"added,omitempty"`
}

// DiffInstruction is an instruction or an unknown word.
type DiffInstruction struct {
	// Address is in bytes from the start of the program.
	Address int64 `json:"address"`
	// Program is the name of the program, or "" if the file has only one.
	Program string `json:"program,omitempty"`
	Text    string `json:"text"`
	// Replaces is the address of the instruction of the same leaf that this instruction replaces, or nil. Fields are
	// the fields that differ between the two.
	Replaces *int64      `json:"replaces,omitempty"`
	Fields   []FieldJSON `json:"fields,omitempty"`
}

// FieldJSON is a field with different values, in hexadecimal, and the meanings of the values.
type FieldJSON struct {
	Path       string `json:"path"`
	Before     string `json:"before"`
	After      string `json:"after"`
	BeforeText string `json:"before_text,omitempty"`
	AfterText  string `json:"after_text,omitempty"`
}

// Report returns the JSON form of the difference. files are the names of both files.
func (d *Diff) Report(files ...string) *DiffReport {
	r := &DiffReport{Machine: d.a.Decoder.Set().Name(), Files: files, Equal: d.Equal(), Same: d.Same, Declared: []DeclaredReport{}, Hunks: []HunkReport{}}
	for _, x := range d.Declared {
		r.Declared = append(r.Declared, DeclaredReport{x.A, x.B})
	}
	for _, h := range d.Hunks {
		var out HunkReport
		for i := h.A.Start; i < h.A.End; i++ {
			out.Removed = append(out.Removed, d.a.instructionAt(i))
		}
		d.eachAdded(h, func(k int, replaced *Pair, fields []FieldDiff) bool {
			x := d.b.instructionAt(k)
			if replaced != nil {
				from := d.a.instructionAt(replaced.A).Address
				x.Replaces = &from
			}
			for _, f := range fields {
				x.Fields = append(x.Fields, FieldJSON{f.Path, f.A, f.B, f.TextA, f.TextB})
			}
			out.Added = append(out.Added, x)
			return true
		})
		r.Hunks = append(r.Hunks, out)
	}
	return r
}

func (s *side) instructionAt(i int) DiffInstruction {
	ln := s.at(i)
	x := DiffInstruction{Address: s.address(ln), Text: string(s.append(nil, ln))}
	if m := s.members.At(ln.addr); m.Several {
		x.Program = m.Name
	}
	return x
}
