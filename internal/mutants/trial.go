package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
	"github.com/isago/isago/vectors"
)

// trial tries mutants of a machine on its vectors.
type trial struct {
	m       *exec.Machine
	runner  *step.Runner
	groups  []*group
	vectors int
	samples []sample
	seed    uint64
}

// group are the vectors of one word, or of one program, with the same tables, contexts and quirks.
type group struct {
	code    step.Code
	program *step.Program
	text    string // the operations
	states  []int  // the states that they access with a number that they compute, or as a stack, by index
	cases   []testCase
}

// testCase is a vector, or a vector with the value of a quirk that decides it.
type testCase struct {
	name  string
	query step.Query
	// decided is set if want has only the state.
	decided bool
	want    string
}

// sample is a word that the vectors may not have.
type sample struct {
	root  int
	words sem.Words
	bits  bits.Value
	leaf  string
	text  string // the operations of the word
}

// verdict is the result for a mutant.
type verdict struct {
	kind kind
	text string
}

type kind uint8

const (
	dead      kind = iota // a vector reveals the mutant
	same                  // no word does anything else
	alive                 // no vector reveals it
	unreached             // no word is known whose code it changes
	elsewhere             // it changes only instructions that were not selected
)

// newTrial prepares vectors, and checks that the machine passes them.
func newTrial(m *exec.Machine, files []*vectors.File, seed uint64, instructions []string) (*trial, error) {
	t := &trial{m: m, runner: step.NewRunner(m), seed: seed}
	byKey := map[string]*group{}
	for _, f := range files {
		for i := range f.Vectors {
			if err := t.add(byKey, f, &f.Vectors[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Vectors[i].Name, err)
			}
			t.vectors++
		}
	}
	for _, g := range t.groups {
		name, err := g.differs(t.runner, g.program)
		if err != nil {
			return nil, err
		}
		if name != "" {
			return nil, fmt.Errorf("%s fails on the machine itself", name)
		}
	}
	return t, t.sample(instructions)
}

// add adds a vector, and the same with each value of a quirk that decides it.
func (t *trial) add(byKey map[string]*group, f *vectors.File, v *vectors.Vector) error {
	q := step.Query{Lanes: v.Lanes, Steps: int64(v.Steps), Initial: v.Initial}
	if v.Active != "" {
		var err error
		if q.Active, err = strconv.ParseUint(v.Active, 16, 64); err != nil {
			return err
		}
	}
	quirks := maps.Clone(f.Quirks)
	maps.Copy(quirks, v.Quirks)
	end := outcome{v.Final, v.Calls, v.Stops}
	if err := t.addCase(byKey, f, v, quirks, testCase{name: v.Name, query: q, want: end.String()}); err != nil {
		return err
	}
	for _, d := range v.Decides {
		other := maps.Clone(quirks)
		other[d.Quirk] = d.Value
		end := outcome{Final: d.Final}
		name := fmt.Sprintf("%s with %s=%s", v.Name, d.Quirk, d.Value)
		if err := t.addCase(byKey, f, v, other, testCase{name: name, query: q, decided: true, want: end.String()}); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) addCase(byKey map[string]*group, f *vectors.File, v *vectors.Vector, quirks map[string]string, c testCase) error {
	code := step.Code{Root: f.Root, Words: v.Words, Tables: v.Tables, Context: v.Context, Quirks: quirks}
	key := fmt.Sprint(code)
	g := byKey[key]
	if g == nil {
		g = &group{code: code}
		p, err := code.Program(t.m)
		if err != nil {
			return err
		}
		list, err := codes(p, v.Initial.PC, len(v.Words))
		if err != nil {
			return err
		}
		g.text = text(list)
		for _, c := range list {
			for i := range c.Insts {
				in := &c.Insts[i]
				if s := in.State; s != nil && in.Op != sem.OpRead && in.Op != sem.OpWrite { // those have a number that exists
					g.states = append(g.states, s.Index)
				}
			}
		}
		g.program = t.runner.Program(p)
		byKey[key], t.groups = g, append(t.groups, g)
	}
	g.cases = append(g.cases, c)
	return nil
}

// codes returns the code of the words from an address on, up to a word without code. Only the first must have code.
func codes(p *exec.Program, pc uint64, words int) (list []*sem.Code, err error) {
	for range words {
		c, err := p.Code(inside.Key{}, pc)
		if err != nil {
			if len(list) == 0 {
				return nil, err
			}
			break
		}
		list, pc = append(list, c), c.Next
	}
	return list, nil
}

// text returns the operations of some code.
func text(list []*sem.Code) string {
	var w strings.Builder
	for _, c := range list {
		fmt.Fprintln(&w, c)
	}
	return w.String()
}

// outcome is what a vector records of a run.
type outcome struct {
	Final step.State
	Calls []step.Call
	Stops []vectors.Stop
}

func (o outcome) String() string {
	if len(o.Calls) == 0 {
		o.Calls = nil
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// end runs a query. A decided case has no calls and no stops.
func end(r *step.Runner, q step.Query, p *step.Program, all bool) (string, error) {
	q.Program = p
	res, err := r.Run(context.Background(), &q)
	if err != nil {
		return "", err
	}
	o := outcome{}
	if all {
		o.Calls = slices.Clone(res.Calls)
		for i := range res.Stops {
			s := &res.Stops[i]
			if s.Reason == "budget" {
				continue
			}
			text := s.Reason
			if s.Text != "" {
				text += ": " + s.Text
			}
			o.Stops = append(o.Stops, vectors.Stop{Lanes: strconv.FormatUint(s.Lanes, 16), Reason: text})
		}
	}
	o.Final = r.Final(&q)
	return o.String(), nil
}

// differs returns the name of the first case that ends differently on another machine, or "".
func (g *group) differs(r *step.Runner, p *step.Program) (string, error) {
	for i := range g.cases {
		c := &g.cases[i]
		got, err := end(r, c.query, p, !c.decided)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.name, err)
		}
		if got != c.want {
			return c.name, nil
		}
	}
	return "", nil
}

// try returns the verdict for the mutant with a change. selected is set if the vectors are those of some instructions.
func (t *trial) try(mutant *exec.Machine, c *change, selected bool) (verdict, error) {
	r := step.NewRunner(mutant)
	states := t.changedStates(mutant)
	var changed []*group
	for _, g := range t.groups {
		p, err := g.code.Program(mutant)
		if err != nil {
			return verdict{}, err
		}
		list, err := codes(p, g.cases[0].query.Initial.PC, len(g.code.Words))
		if err != nil {
			return verdict{dead, "killed by " + g.cases[0].name + ", which has no code: " + err.Error()}, nil
		}
		if text(list) == g.text && !slices.ContainsFunc(g.states, func(i int) bool { return states[i] }) {
			continue
		}
		name, err := g.differs(r, r.Program(p))
		if err != nil {
			return verdict{}, err
		}
		if name != "" {
			return verdict{dead, "killed by " + name}, nil
		}
		changed = append(changed, g)
	}
	if len(changed) > 0 && (len(states) > 0 || !t.proved(mutant, changed)) {
		how, err := t.distinguish(mutant, changed)
		return verdict{alive, "SURVIVED: " + how}, err
	}
	sem := mutant.Inside(inside.Key{})
	n := 0
	for i := range t.samples {
		s := &t.samples[i]
		if s.lower(sem) == s.text {
			continue
		}
		if !s.proved(t.m.Inside(inside.Key{}), sem) {
			return verdict{alive, fmt.Sprintf("SURVIVED: no vector has a word that reveals it, such as %s %v (quirks %v)", s.leaf, s.bits, s.words.Quirks)}, nil
		}
		n++
	}
	if len(changed)+n > 0 {
		return verdict{same, fmt.Sprintf("equivalent: proved for %d words of vectors and %d random ones, whose code changes", len(changed), n)}, nil
	}
	if selected {
		return verdict{elsewhere, ""}, nil
	}
	for i, a := range t.m.Inside(inside.Key{}).States {
		if a.Init != sem.States[i].Init {
			return verdict{same, "equivalent: changes only the initial value of " + a.Name + ", and vectors state all values"}, nil
		}
	}
	if n := t.reaching(c); n > 0 {
		return verdict{same, fmt.Sprintf("equivalent: %d words of vectors have code from there, and it stays the same", n)}, nil
	}
	return verdict{unreached, fmt.Sprintf("NOT REACHED: no word's code changes, of %d words of vectors and %d random ones", len(t.groups), len(t.samples))}, nil
}

// reaching counts the words whose code comes from the place of a change.
func (t *trial) reaching(c *change) (n int) {
	at := func(o *sem.Origin) bool {
		return o.Span.IsValid() && o.Span.Src.Name == c.file && o.Span.Off <= c.from && c.from < o.Span.End
	}
	for _, g := range t.groups {
		p, err := g.code.Program(t.m)
		if err != nil {
			continue
		}
		_, o, err := p.Traced(inside.Key{}, g.cases[0].query.Initial.PC)
		if err == nil && (slices.ContainsFunc(o.Insts, func(o sem.Origin) bool { return at(&o) }) ||
			slices.ContainsFunc(o.Conditions, func(c sem.Condition) bool { return at(&c.Origin) })) {
			n++
		}
	}
	return n
}

// changedStates returns the states, by index, of which an access does something else. The state of a vector is complete, so
// that initial values do not matter.
func (t *trial) changedStates(mutant *exec.Machine) map[int]bool {
	changed := map[int]bool{}
	for i, a := range t.m.Inside(inside.Key{}).States {
		b := mutant.Inside(inside.Key{}).States[i]
		if a.Outside != b.Outside || a.OutsideBits != b.OutsideBits || a.FullTraps != b.FullTraps || a.EmptyTraps != b.EmptyTraps {
			changed[i] = true
		}
	}
	return changed
}

// proved reports whether words do the same on a mutant, whatever the state.
func (t *trial) proved(mutant *exec.Machine, words []*group) bool {
	return !slices.ContainsFunc(words, func(g *group) bool {
		p, err := g.code.Program(t.m)
		q, err2 := g.code.Program(mutant)
		if err != nil || err2 != nil {
			return true
		}
		pc := g.cases[0].query.Initial.PC
		a, err := codes(p, pc, len(g.code.Words))
		b, err2 := codes(q, pc, len(g.code.Words))
		return err != nil || err2 != nil || !slices.EqualFunc(a, b, func(a, b *sem.Code) bool { return equal(a, b, t.m.Inside(inside.Key{}).States) })
	})
}

// tries is the number of random states for each vector of a mutant that survived.
const tries = 60

// distinguish looks for a state that shows the difference to the machine, in words whose code changes.
func (t *trial) distinguish(mutant *exec.Machine, changed []*group) (string, error) {
	random := rand.New(rand.NewPCG(t.seed, 3))
	r := step.NewRunner(mutant)
	n := 0
	for _, g := range changed {
		program, err := g.code.Program(mutant)
		if err != nil {
			return "", err
		}
		p := r.Program(program)
		for i := range g.cases {
			c := &g.cases[i]
			for range tries {
				q := c.query
				q.Initial = vary(random, &q.Initial)
				n++
				a, err := end(t.runner, q, g.program, true)
				if err != nil {
					continue
				}
				if b, err := end(r, q, p, true); err != nil || a != b {
					data, _ := json.Marshal(q.Initial)
					return fmt.Sprintf("%s shows it from the state %s", c.name, data), nil
				}
			}
		}
	}
	return fmt.Sprintf("%d words have other code, such as that of %s, but none of %d random states shows it", len(changed), changed[0].cases[0].name, n), nil
}

// vary returns a random state with the registers of another, and sometimes its stacks.
func vary(r *rand.Rand, s *step.State) step.State {
	out := *s
	special := []uint64{0, 1, 0x80000000, 0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000, 1 << 63, ^uint64(0)}
	if r.IntN(4) == 0 {
		out.Stacks = nil
	}
	out.Registers = slices.Clone(s.Registers)
	for i := range out.Registers {
		x := &out.Registers[i]
		x.Values = slices.Clone(x.Values)
		for k := range x.Values {
			switch r.IntN(5) {
			case 0:
				x.Values[k] = r.Uint64() >> r.IntN(64)
			case 1:
				x.Values[k] = special[r.IntN(len(special))]
			case 2:
				if o := &s.Registers[r.IntN(len(s.Registers))]; len(o.Values) > 0 {
					x.Values[k] = o.Values[r.IntN(len(o.Values))]
				}
			case 3:
				x.Values[k] ^= 1 << r.IntN(64)
			}
			x.Values[k] &= ^uint64(0) >> max(0, 64-x.Bits)
		}
	}
	return out
}

// perLeaf is the least number of random words of each instruction, and perRoot that of all instructions of a root.
const (
	perLeaf = 24
	perRoot = 8192
)

// sample makes random words of some or all instructions, for each context and each quirk that matters to them.
func (t *trial) sample(instructions []string) error {
	random := rand.New(rand.NewPCG(t.seed, 2))
	set, machine := t.m.Set(), t.m.Inside(inside.Key{})
	contexts := []bits.Value{set.DefaultContext()}
	for _, c := range set.Contexts() {
		for _, value := range c.Values {
			v, err := set.ParseContext(contexts[0], c.Name, value)
			if err != nil {
				return err
			}
			if v != contexts[0] {
				contexts = append(contexts, v)
			}
		}
	}
	for _, root := range set.Roots() {
		if set.IsNested(root) || !machine.Acts(machine.Model.Roots[root.ID].Spec) {
			continue
		}
		d, err := set.NewDecoder(root.Name)
		if err != nil {
			return err
		}
		for _, leaf := range root.Leaves {
			if len(instructions) > 0 && !slices.Contains(instructions, leaf.Name) {
				continue
			}
			for n := range max(perLeaf, perRoot/len(root.Leaves)) {
				t.sampleLeaf(random, d, leaf, contexts[n%len(contexts)])
			}
		}
	}
	return nil
}

// sampleLeaf adds a word of an instruction.
func (t *trial) sampleLeaf(r *rand.Rand, d *isa.Decoder, leaf *isa.Leaf, context bits.Value) {
	machine, root := t.m.Inside(inside.Key{}), d.Root()
	s := sample{root: root.ID, leaf: leaf.Name, words: sem.Words{Context: context}}
	for _, table := range t.m.Set().Tables() {
		entries := make([]bits.Value, table.Size)
		for i := range entries {
			entries[i] = (bits.Value{r.Uint64(), r.Uint64()}).And(bits.Ones(table.Bits))
		}
		s.words.Tables = append(s.words.Tables, entries)
	}
	d.SetContext(context)
	d.SetTables(s.words.Tables)
	s.bits = (bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}).AndNot(leaf.Mask.Or(leaf.DontCare)).Or(leaf.Match).And(bits.Ones(leaf.Size))
	in, ok := d.Decode(s.bits)
	if !ok || in.Leaf != leaf {
		return
	}
	if d.Text(in); d.NumFindings() > 0 { // vectors have valid instructions only
		return
	}
	s.text = s.lower(machine)
	t.samples = append(t.samples, s)
	asked, err := machine.QuirksOf(machine.Model.Roots[root.ID], &s.words, s.bits, 0)
	if err != nil {
		return
	}
	for _, q := range asked {
		for _, value := range q.Numbers() {
			if value != q.Default && !q.Launch {
				other := s
				other.words.Quirks = map[string]uint64{q.Name: value}
				other.text = other.lower(machine)
				t.samples = append(t.samples, other)
			}
		}
	}
}

// proved reports whether the word does the same on a mutant, whatever the state.
func (s *sample) proved(m, mutant *sem.Machine) bool {
	a, err := m.Lower(m.Model.Roots[s.root], &s.words, s.bits, 0)
	b, err2 := mutant.Lower(mutant.Model.Roots[s.root], &s.words, s.bits, 0)
	return err == nil && err2 == nil && equal(a, b, m.States)
}

// lower returns the operations of the word, or the error.
func (s *sample) lower(m *sem.Machine) string {
	code, err := m.Lower(m.Model.Roots[s.root], &s.words, s.bits, 0)
	if err != nil {
		return err.Error()
	}
	return code.String()
}
