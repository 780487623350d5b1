package main

import (
	"fmt"
	"io"
	"sort"

	"github.com/isago/isago/exec"
	"github.com/isago/isago/isa"
)

// tracer tells what instructions write.
type tracer struct {
	w      io.Writer
	set    *isa.Set
	before map[string]uint64
}

func (t *tracer) step(w *exec.Wave, pc, lanes uint64, after bool) {
	if lanes&1 == 0 {
		return
	}
	if !after {
		t.before = w.Values(0)
		return
	}
	var changed []string
	now := w.Values(0)
	for name, v := range now {
		if t.before[name] != v {
			changed = append(changed, name)
		}
	}
	sort.Strings(changed)
	fmt.Fprintf(t.w, "%d\t%s", pc, t.text(w.Program, pc))
	for _, name := range changed {
		fmt.Fprintf(t.w, "\t%s=%s", name, w.Text(name, now[name]))
	}
	fmt.Fprintln(t.w)
}

// text is the instruction at an address.
func (t *tracer) text(p *exec.Program, pc uint64) string {
	v, ok := p.Fetch(pc)
	d, err := t.set.NewDecoder(p.Root.Name)
	if !ok || err != nil {
		return "?"
	}
	for i, table := range p.Words.Tables {
		d.SetTable(i, table)
	}
	d.SetContext(p.Words.Context)
	in, ok := d.Decode(v)
	if !ok {
		return "?"
	}
	return string(d.Append(nil, in))
}
