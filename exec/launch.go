package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/isago/isago/internal/inorder"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
)

// Port is a name under which a program is given registers, or gives them back.
type Port struct {
	Name string
	// Also is another name, "" for none.
	Also  string
	State *State
	// First is the number of the first register, Count how many there are.
	First, Count int
	// Mask are the components that matter, bit 0 the first; 0 is all.
	Mask uint
	// View is the view of State whose registers are meant, nil for its own.
	View *View
}

// Type returns the type of a register; of a memory, of a word.
func (p *Port) Type() isa.Type {
	switch {
	case p.View != nil:
		return p.View.Type
	case p.State.Kind == Memory:
		return p.State.Word
	}
	return p.State.Type
}

// names returns the names of the components, or nil for a scalar.
func (p *Port) names() []string {
	if p.View != nil {
		return p.View.Components
	}
	return p.State.Components
}

// Components lists the numbers of the components that matter, in order.
func (p *Port) Components() []int {
	var list []int
	for k := range p.Type().Lanes {
		if p.Mask == 0 || p.Mask>>uint(k)&1 != 0 {
			list = append(list, k)
		}
	}
	return list
}

// Letter returns the name of a component, or "" for a scalar.
func (p *Port) Letter(comp int) string {
	if names := p.names(); names != nil {
		return names[comp]
	}
	return ""
}

// Launch is a program with what it is fed: each lane has inputs and outputs of its own, and all share the
// uniforms.
type Launch struct {
	Program *Program
	// Shared holds the uniforms.
	Shared *Shared
	// Entry is the address where the program starts.
	Entry uint64
	// Inputs, Outputs and Uniforms are what the program's file names. Registers have their own names
	// beside these.
	Inputs, Outputs, Uniforms []Port
	// Constants are those that the file gives a value.
	Constants []Port
	// Emits tells that the program hands its outputs on while it runs, and not at its end.
	Emits bool
	// Value reads a form of values that the machine alone knows; nil where there is none.
	Value func(text string, t isa.Type) (v uint64, ok bool)
	// Services are what the surroundings do.
	Services map[string]Service
	// Open tells that the program ends where its words do.
	Open bool
	// Fit prepares a wave before it is used for the first time, as that of a Grid does.
	Fit func(w *Wave)

	// sizes are those of the memories of lanes that the description leaves to a launch, in bytes.
	sizes map[*State]int
	// Changed asks which outputs the program changed.
	Changed bool

	mu   sync.Mutex
	idle []idleWave
}

// Launched is a Runner of one program with inputs and outputs.
type Launched interface {
	Runner
	// Launched returns what the program's file says of it.
	Launched() *Launch
}

// Launched returns the launch itself.
func (l *Launch) Launched() *Launch { return l }

// idleWave is a wave of a run before: what was prepared for it is not prepared again.
type idleWave struct {
	*Wave
	shared *Shared
	placed int
	// ordered tells that the wave takes turns with others.
	ordered bool
}

// wave returns a wave of the program, which takes turns with others or not.
func (l *Launch) wave(ordered bool) idleWave {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := len(l.idle); n > 0; n = len(l.idle) {
		w := l.idle[n-1]
		if l.idle = l.idle[:n-1]; w.Program == l.Program && w.shared == l.Shared && w.placed == l.Shared.placed && w.ordered == ordered {
			return w
		}
	}
	w := NewWave(l.Program, l.Shared)
	if l.Fit != nil {
		l.Fit(w)
	}
	return idleWave{w, l.Shared, l.Shared.placed, ordered}
}

// done keeps a wave for runs to come.
func (l *Launch) done(w idleWave) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, w)
}

// Find returns the registers of a name: a name in the file, one element of an array there such as NAME[2], or a register such
// as r5. Inputs and uniforms precede outputs of the same name. The error lists names that exist.
func (l *Launch) Find(name string) (Port, error) {
	p, err := l.find(name, l.Inputs, l.Uniforms, l.Outputs)
	if errors.Is(err, errNoPort) {
		return p, fmt.Errorf("unknown input, uniform or register %q, expected one of %s", name, l.names(len(l.Inputs)+len(l.Uniforms) == 0, l.Inputs, l.Uniforms))
	}
	return p, err
}

// findOutput is Find for what is read after the run: outputs precede inputs and uniforms of the same name.
func (l *Launch) findOutput(name string) (Port, error) {
	p, err := l.find(name, l.Outputs, l.Inputs, l.Uniforms)
	if errors.Is(err, errNoPort) {
		return p, fmt.Errorf("unknown output or register %q, expected one of %s", name, l.names(true, l.Outputs))
	}
	return p, err
}

var errNoPort = errors.New("no port of this name")

// find looks for a name in lists of ports, then among memories and registers.
func (l *Launch) find(name string, lists ...[]Port) (Port, error) {
	base, index, array := cutIndex(name)
	for _, list := range lists {
		for _, p := range list {
			switch {
			case p.Name == name || name != "" && p.Also == name:
				return p, nil
			case array && p.Name == base:
				if index >= p.Count {
					return p, fmt.Errorf("%s, but %s has %d registers", name, base, p.Count)
				}
				p.First, p.Count, p.Name = p.First+index, 1, name
				return p, nil
			}
		}
	}
	if p, memory, err := l.word(name); memory {
		return p, err
	}
	if p, ok := l.register(name); ok {
		return p, nil
	}
	return Port{}, errNoPort
}

// NameOf returns the program's name for a component of an input, a uniform or an output, such as modelView[1]; "" where the
// component has no name but that of the register.
func (l *Launch) NameOf(s *State, number, comp int) string {
	for _, list := range [][]Port{l.Inputs, l.Uniforms, l.Outputs} {
		for _, p := range list {
			switch n := number - p.First; {
			case p.State != s || p.View != nil || n < 0 || n >= p.Count || p.Mask != 0 && p.Mask>>uint(comp)&1 == 0:
			case p.Name == s.Name+strconv.Itoa(number) || s.Single && p.Name == s.Name || s.Kind == Memory && p.Name == WordName(s, number):
				return ""
			case p.Count > 1:
				return fmt.Sprintf("%s[%d]", p.Name, n)
			default:
				return p.Name
			}
		}
	}
	return ""
}

// cutIndex takes NAME[2] apart.
func cutIndex(text string) (name string, n int, ok bool) {
	inner, ok := strings.CutSuffix(text, "]")
	if name, text, _ = strings.Cut(inner, "["); !ok {
		return "", 0, false
	}
	n, ok = registerNumber(text)
	return name, n, ok
}

// registerNumber reads the number of a register: 5, and neither 05 nor +5.
func registerNumber(digits string) (n int, ok bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == digits
}

// register reads a name such as r5 or r[5], of a file or of a view.
func (l *Launch) register(name string) (Port, bool) {
	m := l.Program.Machine
	for _, s := range m.States {
		if s.Kind != Registers {
			continue
		}
		for _, own := range append([]string{s.Name}, s.Aliases...) {
			switch n, ok := numberIn(name, own); {
			case s.Single && name == own:
				return Port{Name: name, State: s, Count: 1}, true
			case ok && !s.Single && n < s.Count:
				return Port{Name: name, State: s, First: n, Count: 1}, true
			}
		}
	}
	for _, v := range m.Views {
		for _, own := range append([]string{v.Name}, v.Aliases...) {
			if n, ok := numberIn(name, own); ok && v.Has(n) {
				return Port{Name: name, State: v.Of, View: v, First: n, Count: 1}, true
			}
		}
	}
	return Port{}, false
}

// numberIn reads the number of a register of a file: r5 or r[5].
func numberIn(name, file string) (n int, ok bool) {
	if base, index, array := cutIndex(name); array && base == file {
		return index, true
	}
	digits, ok := strings.CutPrefix(name, file)
	if !ok {
		return 0, false
	}
	return registerNumber(digits)
}

// names lists the names of ports, and of registers and memories: those that a launch fills, then with all the others.
func (l *Launch) names(all bool, lists ...[]Port) string {
	var names []string
	for _, list := range lists {
		for _, p := range list {
			if _, is := l.register(p.Name); !is || !all { // the files of registers follow
				names = append(names, p.Name)
			}
		}
	}
	for _, s := range l.Program.Machine.States {
		if s.Kind == Registers && !s.Single && (s.Use == "input" || s.Use == "constant") {
			names = append(names, s.Name+"0 to "+s.Name+strconv.Itoa(s.Count-1))
		}
	}
	for _, s := range l.Program.Machine.States {
		if s.Kind == Memory && (s.Use == "input" || s.Use == "constant") && l.most(s) > 0 {
			if s.Group == "" || s.Name == s.Group+"0" { // of a group one stands for all
				names = append(names, strings.Replace(WordName(s, 0), "0x0", "ADDRESS", 1))
			}
		}
	}
	for _, s := range l.Program.Machine.States {
		switch {
		case !all || s.Kind != Registers || s.Use == "input" || s.Use == "constant":
		case s.Single:
			names = append(names, s.Name)
		default:
			names = append(names, s.Name+"0 to "+s.Name+strconv.Itoa(s.Count-1))
		}
	}
	const most = 12
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// Parse reads a component and returns its bits: a number, its bits behind 0x, true or false, or a form of the machine's
// own. The error tells that the text is none of them, or does not fit the type.
func (l *Launch) Parse(text string, t isa.Type) (uint64, error) {
	text = strings.TrimSpace(text)
	if l.Value != nil {
		if v, ok := l.Value(text, t); ok {
			return v, nil
		}
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		v, err := strconv.ParseUint(digits, 16, 64)
		if err != nil || t.Bits < 64 && v>>uint(t.Bits) != 0 {
			return 0, fmt.Errorf("%q, expected a hexadecimal number of at most %d bits", text, t.Bits)
		}
		return v, nil
	}
	v, err := sem.ParseLiteral(text, elem(t))
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q does not fit %s", text, scalarOf(t))
	}
	if err != nil {
		return 0, fmt.Errorf("%q, expected a value of type %s", text, scalarOf(t))
	}
	return v, nil
}

// SetUniform gives registers that all lanes share their bits, component by component from the first on. The error tells
// that each lane has its own, or that there are too many values, or bits.
func (l *Launch) SetUniform(p Port, values []uint64) error {
	if p.State.Scope < ScopeBlock {
		return fmt.Errorf("%s is not a uniform: each lane has its own value", p.Name)
	}
	comps := p.Components()
	if len(values) > p.Count*len(comps) {
		return fmt.Errorf("%d values for %s, which has %d", len(values), p.Name, p.Count*len(comps))
	}
	if err := fit(p.Name, p.Type(), values); err != nil {
		return err
	}
	for i, c := range flatten([]Port{p})[:len(values)] {
		l.Shared.stores[p.State.Index].put(c, 0, values[i])
	}
	return nil
}

// fit returns an error where bits are more than components of a type have.
func fit(name string, t isa.Type, values []uint64) error {
	for _, v := range values {
		if t.Bits < 64 && v>>uint(t.Bits) != 0 {
			return fmt.Errorf("%#x for %s, expected components of type %s", v, name, scalarOf(t))
		}
	}
	return nil
}

// Input is what the lanes are given.
type Input struct {
	// Lanes is their number.
	Lanes int
	// Ports are the inputs that lanes are given, Values for each lane the bits of their components in order; where there
	// are fewer rows than lanes, they repeat. Missing tells which of them a lane is not given; nil for none.
	Ports   []Port
	Values  [][]uint64
	Missing [][]bool
	// Row stands for Values where lanes are too many to have theirs in memory, unless it is nil: it fills the row of a lane.
	// Several goroutines call it.
	Row func(lane int, row []uint64)
	// Same are inputs that all lanes have in common, given behind the others.
	Same []Given
}

// Given is an input that is the same for all lanes: components from the first on.
type Given struct {
	Port   Port
	Values []uint64
}

// RunOptions bound a run.
type RunOptions struct {
	// Jobs is the number of waves that run at the same time. The result does not depend on it: a wave that reaches for what
	// waves share and programs can write waits for those before it.
	Jobs int
	// Count is the number of lanes; 0 is as many as there are inputs for, and at least one.
	Count int
	// Budget is the number of instructions that each wave may dispatch; 0 is no bound.
	Budget int64
	Strict bool
	// Stats asks for what a machine counts beside what all do.
	Stats bool
	// Trace is told of each instruction of the first wave; it makes the run one wave after another.
	Trace func(w *Wave, e Event)
	// Progress is told how many lanes of all are done, one call at a time.
	Progress func(done, all int)
	// Rows, unless it is nil, is handed the table of the outputs in parts, in order, as they are computed: what is in memory
	// does not grow with the number of lanes. The outcome has neither the table nor Values then. A runner whose table cannot
	// be divided leaves it in the outcome, and does not call Rows. An error ends the run, and Run returns it.
	Rows func(part *Table) error
}

// Result is what a run gives.
type Result struct {
	// Values are for each lane the bits of the components of the launch's outputs in order; a NaN is the one that there is.
	Values [][]uint64
	// Outputs are those of the launch and the words of memories that the program wrote at addresses that it computed.
	Outputs []Port
	// Changed tells of each component of the outputs whether the program wrote it first or changed it in a lane, where the
	// launch asks for that.
	Changed []bool
	// Stops tells for each reason and place how many lanes stopped so.
	Stops []StopCount
	// Findings are reads of what nobody wrote and what is not known of the machine, each with the number of lanes.
	Findings []FindingCount
	// Instructions counts those that were dispatched, LaneInstructions those that lanes ran.
	Instructions, LaneInstructions int64
	// Races are places in the memory of a block that waves reach for in no order, where somebody asked.
	Races []Race
}

// StopCount is a reason for which lanes stopped.
type StopCount struct {
	Stop
	// Program is the number of the program in a run of several, 0 otherwise.
	Program int
	Count   int
	// First is the first lane of the run that did.
	First int
}

// FindingCount is a finding of a run.
type FindingCount struct {
	Finding
	// Program is that of StopCount.
	Program int
	Count   int
}

// Run runs the program for all lanes, 64 of them at a time. The error is that of the context.
func (l *Launch) Run(ctx context.Context, in Input, opt RunOptions) (*Result, error) {
	f := l.feed(in)
	var all []*outputs
	res, err := f.run(ctx, opt, func(o *outputs) error {
		all = append(all, o)
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := f.columns(all)
	res.Outputs, res.Changed = c.ports, c.changed
	for _, o := range all {
		res.Values = append(res.Values, c.rows(o)...)
	}
	return res, nil
}

// feed is what the waves of a run are given and asked for.
type feed struct {
	*Launch
	in              Input
	inputs, outputs []component
	same            []sameInput
}

// sameInput is a component that all lanes are given alike.
type sameInput struct {
	component
	value uint64
}

func (l *Launch) feed(in Input) *feed {
	f := &feed{Launch: l, in: in, inputs: flatten(in.Ports), outputs: flatten(l.Outputs)}
	for _, g := range in.Same {
		for i, c := range flatten([]Port{g.Port})[:len(g.Values)] {
			f.same = append(f.same, sameInput{c, g.Values[i]})
		}
		l.reach(&g.Port)
	}
	for i := range in.Ports {
		l.reach(&in.Ports[i])
	}
	return f
}

// outputs are what some lanes that follow each other give, from lane first on.
type outputs struct {
	first, lanes int
	values       []uint64 // of the outputs that the launch names, lane by lane
	// computed are the values of words that the launch does not name as outputs and the program wrote, by their place.
	computed map[component][]uint64
	changed  []bool // of the outputs that the launch names; nil where it does not ask
	err      error
}

// maxTogether bounds the waves whose outputs are handed over together.
const maxTogether = 16

// run runs the program for all lanes and hands over their outputs in order, not many at a time. The result has what all lanes
// have together.
func (f *feed) run(ctx context.Context, opt RunOptions, take func(*outputs) error) (*Result, error) {
	waves := f.in.Lanes / Lanes
	if f.in.Lanes%Lanes > 0 {
		waves++
	}
	jobs := max(1, min(opt.Jobs, waves))
	if opt.Trace != nil {
		jobs = 1
	}
	together := Lanes * max(1, min(waves/(4*jobs), maxTogether))
	parts := func(yield func(*outputs) bool) {
		for first := 0; first < f.in.Lanes; {
			o := &outputs{first: first, lanes: min(together, f.in.Lanes-first)}
			if !yield(o) {
				return
			}
			first += o.lanes
		}
	}
	var mu sync.Mutex
	turns := turns{done: map[int]int{}}
	turns.passed.L = &turns.mu
	tally := NewTally()
	var taken []idleWave
	start := func() (func(*outputs) *outputs, error) {
		w := f.wave(jobs > 1)
		taken = append(taken, w)
		f.fitMemories(w.Wave)
		w.Services, w.Strict = f.Services, opt.Strict
		return func(o *outputs) *outputs {
			defer turns.pass(o)
			if w.ordered {
				w.turn = func() { turns.wait(o) }
			}
			o.values = make([]uint64, o.lanes*len(f.outputs))
			if f.Changed {
				o.changed = make([]bool, len(f.outputs))
			}
			for at := 0; at < o.lanes && o.err == nil; at += Lanes {
				if o.err = ctx.Err(); o.err == nil {
					o.err = f.runWave(ctx, w.Wave, o, at, opt)
				}
				mu.Lock()
				tally.Add(w.Wave, o.first+at)
				mu.Unlock()
			}
			return o
		}, nil
	}
	err := inorder.Run(jobs, parts, start, func(o *outputs, _ bool) error {
		if o.err != nil {
			return o.err
		}
		if opt.Progress != nil {
			opt.Progress(o.first+o.lanes, f.in.Lanes)
		}
		return take(o)
	})
	for _, w := range taken {
		w.Trace = nil
		f.done(w)
	}
	if err != nil {
		return nil, err
	}
	res := &Result{}
	tally.Finish(res)
	return res, nil
}

// turns are the lanes of a run that are done: all before next, and those of parts that begin behind it, by their first.
type turns struct {
	mu     sync.Mutex
	passed sync.Cond
	next   int
	done   map[int]int
}

// wait waits until all lanes before a part are done. The first part that is not done never waits.
func (t *turns) wait(o *outputs) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next < o.first {
		t.passed.Wait()
	}
}

// pass notes that the lanes of a part are done.
func (t *turns) pass(o *outputs) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[o.first] = o.lanes
	for n, ok := t.done[t.next]; ok; n, ok = t.done[t.next] {
		delete(t.done, t.next)
		t.next += n
	}
	t.passed.Broadcast()
}

// runWave runs lanes from a place among those of outputs on, as many as a wave has.
func (f *feed) runWave(ctx context.Context, w *Wave, o *outputs, at int, opt RunOptions) error {
	n := min(Lanes, o.lanes-at)
	w.Budget = 1 << 62
	if opt.Budget > 0 {
		w.Budget = opt.Budget
	}
	w.Number = (o.first + at) / Lanes
	w.Trace = nil
	if o.first+at == 0 { // the first wave alone is traced
		w.Trace = opt.Trace
	}
	w.Start(n, f.Entry)
	f.give(w, o.first+at, n)
	step := len(f.outputs)
	before, wrote := f.start(w, n)
	if err := RunBlock(ctx, []*Wave{w}); err != nil { // a wave alone waits for nobody
		return err
	}
	values := o.values[at*step : (at+n)*step]
	for i, c := range f.outputs {
		w.column(c, values[i:], step, n)
	}
	for i := range before {
		if values[i] != before[i] {
			o.changed[i%step] = true
		}
	}
	for i := range wrote {
		if w.wrote(f.outputs[i])&^wrote[i] != 0 {
			o.changed[i] = true
		}
	}
	f.takeComputed(w, o, at, n)
	return nil
}

// takeComputed takes the outputs that the program wrote and that the launch does not name.
func (f *feed) takeComputed(w *Wave, o *outputs, at, n int) {
	for _, st := range w.stores {
		if st.known == nil || st.state.Use != "output" {
			continue
		}
		for number, lanes := range st.known {
			c := component{state: st.public, number: number}
			if lanes == 0 || slices.Contains(f.outputs, c) {
				continue
			}
			if o.computed == nil {
				o.computed = map[component][]uint64{}
			}
			if o.computed[c] == nil {
				o.computed[c] = make([]uint64, o.lanes)
			}
			w.column(c, o.computed[c][at:], 1, n)
		}
	}
}

// outputColumns are the outputs of a run: those that the launch names, and words that the program wrote where it computed.
type outputColumns struct {
	ports   []Port
	all     []component // of the ports
	named   int         // how many of the launch's there are
	changed []bool      // of the outputs that the launch names; nil where it does not ask
	words   map[component]bool
}

// columns returns those that some outputs have.
func (f *feed) columns(list []*outputs) *outputColumns {
	c := &outputColumns{ports: slices.Clone(f.Outputs), named: len(f.outputs), words: map[component]bool{}}
	if f.Changed {
		c.changed = make([]bool, len(f.outputs))
	}
	for _, o := range list {
		for i, changed := range o.changed {
			c.changed[i] = c.changed[i] || changed
		}
		for word := range o.computed {
			if !c.words[word] {
				c.words[word] = true
				c.ports = withWords(c.ports, Port{State: word.state, First: word.number, Count: 1})
			}
		}
	}
	c.all = flatten(c.ports)
	return c
}

// rows returns the values of all columns, a row for each lane.
func (c *outputColumns) rows(o *outputs) [][]uint64 {
	list := make([][]uint64, o.lanes)
	for lane := range list {
		row := o.values[lane*c.named : (lane+1)*c.named : (lane+1)*c.named]
		if list[lane] = row; len(c.words) == 0 {
			continue
		}
		whole, next := make([]uint64, len(c.all)), 0
		for i, k := range c.all {
			switch {
			case !c.words[k]:
				whole[i] = row[next]
				next++
			case o.computed[k] != nil:
				whole[i] = o.computed[k][lane]
			}
		}
		list[lane] = whole
	}
	return list
}

// start returns what the outputs of n lanes are before the program runs, and which lanes of each were written, where the
// launch asks what the program changes.
func (f *feed) start(w *Wave, n int) (values, wrote []uint64) {
	if !f.Changed {
		return nil, nil
	}
	step := len(f.outputs)
	values, wrote = make([]uint64, n*step), make([]uint64, step)
	for i, c := range f.outputs {
		w.column(c, values[i:], step, n)
		wrote[i] = w.wrote(c)
	}
	return values, wrote
}

// give gives n lanes of a wave their inputs.
func (f *feed) give(w *Wave, from, n int) {
	given := make([]uint64, len(f.inputs)) // the lanes that are given each
	planes := make([]*plane, len(f.inputs))
	for i, c := range f.inputs {
		if st := w.stores[c.state.Index]; !st.wide() && c.state.Kind == Registers && c.view == nil {
			planes[i] = &st.planes[c.number*st.comps+c.comp]
		} else {
			planes[i] = new(plane)
		}
	}
	all := uint64(0) // the lanes that are given all
	made := make([]uint64, len(f.inputs))
	for lane := 0; lane < n && f.in.Row != nil; lane++ {
		f.in.Row(from+lane, made)
		for i, p := range planes {
			p[lane%Lanes] = made[i]
		}
		all |= 1 << uint(lane)
	}
	for lane := 0; lane < n && len(f.in.Values) > 0; lane++ {
		at := (from + lane) % len(f.in.Values)
		row, bit := f.in.Values[at], uint64(1)<<uint(lane)
		if f.in.Missing == nil && len(row) >= len(planes) {
			for i, p := range planes {
				p[lane%Lanes] = row[i]
			}
			all |= bit
			continue
		}
		for i, v := range row[:min(len(row), len(planes))] {
			if f.in.Missing == nil || len(f.in.Missing[at]) <= i || !f.in.Missing[at][i] {
				planes[i][lane] = v
				given[i] |= bit
			}
		}
	}
	for i, c := range f.inputs {
		if c.view != nil {
			each(all|given[i], func(lane int) { w.stores[c.state.Index].put(c, lane, planes[i][lane]) })
			continue
		}
		w.stores[c.state.Index].given(c.number, c.comp, all|given[i], planes[i])
	}
	for _, c := range f.same {
		for lane := range n {
			w.stores[c.state.Index].put(c.component, lane, c.value)
		}
	}
}

// component is one component of a register.
type component struct {
	state        *State
	number, comp int
	view         *View // whose register it is, nil for one of the state itself
}

// flatten lists the components of ports in order.
func flatten(ports []Port) []component {
	var list []component
	for i := range ports {
		comps := ports[i].Components()
		for n := range ports[i].Count {
			for _, k := range comps {
				list = append(list, component{ports[i].State, ports[i].First + n, k, ports[i].View})
			}
		}
	}
	return list
}

// Tally joins what waves tell: each stop and each finding is there once, with its total.
type Tally struct {
	instructions, laneInstructions int64
	stops                          map[stopKey]*StopCount
	findings                       map[findingKey]*FindingCount
	races                          map[raceKey]*Race
}

// stopKey tells stops apart: by the reason and the place, not by what the first of the lanes did.
type stopKey struct {
	reason, text string
	pc, address  uint64
	program      int
}

type findingKey struct {
	Finding
	program int
}

// NewTally returns one of no waves.
func NewTally() *Tally {
	return &Tally{stops: map[stopKey]*StopCount{}, findings: map[findingKey]*FindingCount{}, races: map[raceKey]*Race{}}
}

// Add counts what a wave tells, whose first lane has that number in the run.
func (t *Tally) Add(w *Wave, first int) {
	t.instructions += w.Instructions
	t.laneInstructions += w.LaneInstructions
	for _, s := range w.Stops() {
		t.stop(StopCount{Stop: s, Count: popcount(s.Lanes), First: first + trailing(s.Lanes)})
	}
	for f, lanes := range w.findings {
		t.finding(FindingCount{Finding: f, Count: popcount(lanes)})
	}
}

// take counts what a result tells.
func (t *Tally) take(res *Result) {
	t.instructions += res.Instructions
	t.laneInstructions += res.LaneInstructions
	for _, s := range res.Stops {
		t.stop(s)
	}
	for _, f := range res.Findings {
		t.finding(f)
	}
	for i := range res.Races {
		r := res.Races[i]
		t.race(r.key(), &r)
	}
}

func (t *Tally) stop(s StopCount) {
	key := stopKey{s.Reason, s.Text, s.PC, s.Address, s.Program}
	s.Lanes = 0
	old := t.stops[key]
	if old == nil {
		t.stops[key] = &s
		return
	}
	count := old.Count + s.Count
	if s.First < old.First {
		*old = s
	}
	old.Count = count
}

func (t *Tally) finding(f FindingCount) {
	key := findingKey{f.Finding, f.Program}
	if old := t.findings[key]; old != nil {
		old.Count += f.Count
		return
	}
	t.findings[key] = &f
}

// race counts a race, of which the one in the first block is kept.
func (t *Tally) race(key raceKey, r *Race) {
	old := t.races[key]
	if old == nil {
		t.races[key] = r
		return
	}
	count := old.Count + r.Count
	if r.Block < old.Block {
		*old = *r
	}
	old.Count = count
}

// Finish puts all that was counted into a result: stops by their first lanes, findings by program, address and register.
func (t *Tally) Finish(res *Result) {
	res.Instructions, res.LaneInstructions = t.instructions, t.laneInstructions
	res.Stops, res.Findings, res.Races = nil, nil, sortRaces(t.races)
	for _, c := range t.stops {
		res.Stops = append(res.Stops, *c)
	}
	slices.SortFunc(res.Stops, func(a, b StopCount) int {
		return cmp.Or(cmp.Compare(a.Program, b.Program), cmp.Compare(a.First, b.First), cmp.Compare(a.PC, b.PC))
	})
	for _, c := range t.findings {
		res.Findings = append(res.Findings, *c)
	}
	slices.SortFunc(res.Findings, func(a, b FindingCount) int { return cmp.Or(cmp.Compare(a.Program, b.Program), a.compare(b.Finding)) })
}
