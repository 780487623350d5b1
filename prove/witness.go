package prove

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/isa"
)

// witness prints a word, to show what was claimed of it.
func (m *machine) witness(r *model.Root, word, ctx bits.Value, size int, entries map[string]bits.Value) Witness {
	w := Witness{Gen: m.gen, Word: word, Context: ctx, Contexts: m.contextNames(ctx), Size: size, Entries: entries}
	d, err := m.set.NewDecoder(r.Name)
	if err != nil {
		return w
	}
	d.SetContext(ctx)
	in, ok := d.Decode(word)
	if w.Matched = ok; ok && !m.deep {
		m.provide(d, in, entries)
		w.Text = string(d.Append(nil, in))
	}
	for _, f := range d.Findings() {
		w.Findings = append(w.Findings, f.Text)
	}
	return w
}

// unbounded tells whether an operand is nested in itself, or deeper than the model goes: to print such
// a word may take forever.
func (m *machine) unbounded() bool {
	w := nesting{open: map[*model.Env]bool{}, done: map[*model.Env]bool{}}
	for _, r := range m.m.Roots {
		if w.env(m.m.Top(r)) {
			return true
		}
	}
	return false
}

// nesting follows operands into operands.
type nesting struct{ open, done map[*model.Env]bool }

func (w *nesting) env(e *model.Env) (endless bool) {
	if w.done[e] {
		return w.open[e]
	}
	w.open[e], w.done[e] = true, true
	defer delete(w.open, e)
	for _, l := range e.Root.Leaves {
		u := e.Unit(l)
		for _, err := range u.Errs {
			if err.Code == diag.XMLLimit {
				return true
			}
		}
		for _, c := range u.Cases {
			if w.items(c.Items) {
				return true
			}
		}
	}
	return false
}

func (w *nesting) items(list []model.Item) (endless bool) {
	for i := range list {
		if w.items(list[i].Members) {
			return true
		}
		for _, a := range list[i].Alts {
			if a.Ref != nil && a.Ref.Env != nil && w.env(a.Ref.Env) {
				return true
			}
		}
	}
	return false
}

// provide gives the tables the entries that an instruction needs.
func (m *machine) provide(d *isa.Decoder, in isa.Inst, entries map[string]bits.Value) {
	for _, f := range d.IndexFields(in) {
		t := make([]bits.Value, f.Index+1)
		t[f.Index] = entries[f.Field]
		d.SetTable(f.TableIndex, t)
	}
}

// contextNames names the contexts that have not their default.
func (m *machine) contextNames(ctx bits.Value) []string {
	var list []string
	for _, c := range m.m.ISA.Contexts {
		v := ctx.Uint(c.Low, c.Width)
		if v == c.Default {
			continue
		}
		name := strconv.FormatUint(v, 10)
		if c.Enum != nil {
			for _, x := range c.Enum.Values {
				if x.Val == v {
					name = x.Name
					break
				}
			}
		}
		list = append(list, c.Name+"="+name)
	}
	return list
}

// String returns the word, in which contexts it is read, what it prints and what is found in it.
func (w *Witness) String() string {
	line := w.Hex()
	if w.Gen != 0 {
		line += fmt.Sprintf(" in generation %d", w.Gen)
	}
	if len(w.Contexts) > 0 {
		line += " with " + strings.Join(w.Contexts, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(w.Entries)) {
		line += fmt.Sprintf(", %s = %s", name, w.Entries[name])
	}
	if w.Matched {
		line += fmt.Sprintf(": %q", w.Text)
	} else {
		line += ": no match"
	}
	for _, f := range w.Findings {
		line += "; " + f
	}
	return line
}
