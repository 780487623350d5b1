package cost

import (
	"bufio"
	"fmt"

	"github.com/isago/isago/view"
)

// Change is a number of a report that differs between two files, as Print shows it.
type Change struct {
	// Program is the name of the program, or "" for what all programs of the file share, and in a file with one program.
	Program string `json:"program,omitempty"`
	// Name is what is counted.
	Name string `json:"name"`
	// Before and After are the values for the two files. None is the value of what a file does not have.
	Before string `json:"before"`
	After  string `json:"after"`
}

// None is the value of what a file does not have.
const None = "none"

// figure is a value of a report.
type figure struct{ program, name, value string }

// Compare returns the values that differ between two files, each with the reports for its independent programs, in the
// order of the first file. It compares programs with the same name, or the only programs of both files.
func Compare(a, b []*Report) []Change {
	list := []Change{}
	after, seen := map[figure]string{}, map[figure]bool{}
	for _, f := range figures(b) {
		after[figure{program: f.program, name: f.name}] = f.value
	}
	for _, f := range figures(a) {
		key := figure{program: f.program, name: f.name}
		seen[key] = true
		x := Change{f.program, f.name, f.value, None}
		if v, ok := after[key]; ok {
			x.After = v
		}
		if x.Before != x.After {
			list = append(list, x)
		}
	}
	for _, f := range figures(b) {
		if !seen[figure{program: f.program, name: f.name}] {
			list = append(list, Change{f.program, f.name, None, f.value})
		}
	}
	return list
}

// figures lists the values of reports.
func figures(reports []*Report) (list []figure) {
	programs := 0
	for _, r := range reports {
		programs += len(r.Programs)
	}
	for _, r := range reports {
		shared := ""
		if len(reports) > 1 && len(r.Programs) > 0 {
			shared = r.Programs[0].Program
		}
		for _, u := range r.Limits {
			list = append(list, figure{shared, u.Name, u.String()})
		}
		for i := range r.Programs {
			c := &r.Programs[i]
			name := c.Program
			if programs == 1 {
				name = ""
			}
			list = append(list, c.figures(name)...)
		}
		for i, o := range r.Occupancy {
			if i == 0 {
				list = append(list, figure{shared, "registers per lane", fmt.Sprint(o.Registers)}, figure{shared, "bytes of shared memory", fmt.Sprint(o.Shared)})
			}
			for _, s := range o.Sizes {
				list = append(list, figure{shared, fmt.Sprintf("%s, waves in blocks of %d", o.Processor, s.Threads), fmt.Sprintf("%d of %d", s.Waves, s.Most)})
			}
		}
	}
	return list
}

// figures lists the values of a program.
func (c *ProgramCost) figures(program string) (list []figure) {
	add := func(name, value string) { list = append(list, figure{program, name, value}) }
	if c.Unknown != "" {
		add("paths", "unknown: "+c.Unknown)
		return list
	}
	add("instructions", fmt.Sprint(c.Instructions))
	for i, p := range c.Paths {
		name := "path"
		if len(c.Paths) > 1 {
			name = fmt.Sprintf("path from entry %d", i+1)
		}
		value, _ := p.text()
		add(name, value)
	}
	for _, u := range c.Uses {
		add("registers "+u.Name, u.String())
	}
	for _, x := range c.Registers {
		if x.Count > 1 {
			add("registers "+x.File, Use{Used: x.Used, Most: x.Count}.String())
		}
		add("live registers "+x.File, fmt.Sprint(x.Peak))
		if x.Components > 0 {
			add("live components of "+x.File, fmt.Sprint(x.Components))
		}
	}
	for _, o := range c.Operations {
		add(o.Name, fmt.Sprint(o.Count))
	}
	return list
}

// PrintChanges prints changes, one in a line.
func PrintChanges(w *bufio.Writer, list []Change, p view.Palette) {
	var rows []row
	for _, x := range list {
		name := x.Name
		if x.Program != "" {
			name = x.Program + ": " + name
		}
		rows = append(rows, row{name, x.Before + " -> " + x.After, ""})
	}
	if len(rows) == 0 {
		rows = []row{{"the same", "", ""}}
	}
	fmt.Fprintf(w, "%s\n", p.Title("costs"))
	printRows(w, p, rows)
}
