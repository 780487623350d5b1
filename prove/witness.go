package prove

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/isa"
)

// witness returns a Witness for a word. It decodes and prints the word in the given contexts and with
// the given table entries.
func (m *machine) witness(r *model.Root, word, ctx bits.Value, size int, entries map[string]bits.Value) Witness {
	w := Witness{Gen: m.gen, Word: word, Context: ctx, Contexts: m.contextNames(ctx), Size: size, Entries: entries}
	m.budget.spend(witnessCost)
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

// unbounded reports whether operands contain themselves or exceed the nesting limit. Printing a word
// with such operands may never end. unbounded also records a finding for each operand that contains
// itself in the same environment.
func (m *machine) unbounded() bool {
	w := nesting{m: m, open: map[*model.Env]bool{}, done: map[*model.Env]bool{}}
	for _, r := range m.m.Roots {
		w.env(m.m.TopEnv(r))
	}
	return w.endless
}

// nesting searches for operands that contain themselves.
type nesting struct {
	m          *machine
	open, done map[*model.Env]bool
	endless    bool
}

func (w *nesting) env(e *model.Env) {
	if w.done[e] {
		return
	}
	w.open[e], w.done[e] = true, true
	for _, l := range e.Root.Leaves {
		u := e.Bound(l)
		for _, err := range u.Errs() {
			w.endless = w.endless || err.Code == diag.XMLLimit
		}
		for _, c := range u.Cases {
			w.items(l, c.Items)
		}
	}
	delete(w.open, e)
}

func (w *nesting) items(l *model.Leaf, list []model.Item) {
	for i := range list {
		w.items(l, list[i].Members)
		for _, a := range list[i].Alts {
			switch {
			case a.Ref == nil || a.Ref.Env == nil:
			case w.open[a.Ref.Env]:
				w.endless = true
				w.report(l, &list[i], a.Ref)
			default:
				w.env(a.Ref.Env)
			}
		}
	}
}

// report reports an operand that is contained in itself.
func (w *nesting) report(l *model.Leaf, it *model.Item, ref *model.Ref) {
	f := &Finding{Code: diag.XMLLimit, Level: Error, Span: it.Span, key: "endless " + ref.Field.Span.String()}
	f.Msg = fmt.Sprintf("the text of %s contains itself: {%s} is %s, which contains this text", l.Name, it.Name, ref.Env.Root.Name)
	f.with(ref.Field.Span, "field %s is defined here", ref.Field.Name)
	w.m.c.add(w.m, f)
}

// provide sets the table entries that an instruction needs.
func (m *machine) provide(d *isa.Decoder, in isa.Inst, entries map[string]bits.Value) {
	for _, f := range d.IndexFields(in) {
		t := make([]bits.Value, f.Index+1)
		t[f.Index] = entries[f.Field]
		d.SetTable(f.TableIndex, t)
	}
}

// contextNames lists the contexts whose value is not the default.
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

// String returns the word, its contexts, its text and its findings.
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
