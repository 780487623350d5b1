package vectors

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"

	isabits "github.com/isago/isago/bits"
	"github.com/isago/isago/exec"
	"github.com/isago/isago/internal/bitblast"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/step"
)

// Options are the options of Generate.
type Options struct {
	// Instructions are the names of the instructions, and of the topics programs and questions. If there are none, Generate
	// takes all.
	Instructions []string
	// NoPrograms and NoQuestions leave out the files of these topics.
	NoPrograms, NoQuestions bool
	// Quirks are the values of quirks by name. Other quirks have their defaults.
	Quirks map[string]string
	// Jobs is the number of processors to use. 0 means 1. The result does not depend on it.
	Jobs int
	// Progress, if it is not nil, is called with the number of finished instructions and of all. Calls do not overlap.
	Progress func(done, all int)
}

// Result is what Generate makes.
type Result struct {
	// Files are the files: one for each instruction, and one for each value of a quirk with which it has more vectors.
	Files []*File
	// Topics is the number of files at the end of Files that have programs or open questions.
	Topics int
	// Coverage has an entry for each instruction.
	Coverage []Coverage
}

// Coverage tells which guards of an instruction the vectors take. A guard counts twice: taken and not taken.
type Coverage struct {
	Instruction string `json:"instruction"`
	Guards      int    `json:"guards"`
	Taken       int    `json:"taken"`
	// Impossible guards cannot be taken: a proof exists for each word of the instruction that the generator tried.
	Impossible int `json:"impossible"`
	// Open are the others.
	Open []string `json:"open,omitempty"`
	// Changes is the number of small changes of the semantics that the generator tried, and Revealed is the number of those
	// that a vector reveals.
	Changes  int `json:"changes"`
	Revealed int `json:"revealed"`
}

// ErrInstruction is the error for an instruction that the machine does not have.
var ErrInstruction = errors.New("unknown instruction")

// Limits of the generator.
const (
	maxTries     = 4000 // of words of an instruction
	maxStale     = 400  // tries without a new word
	maxWords     = 48   // of an instruction, and those with code that no other has
	mostWords    = 512  // of an instruction
	fullWords    = 4    // words for which every kind of goal is tried, and those with code that no other has
	maxBatches   = 6    // of runs for a word
	maxTraps     = 3    // words of an instruction that always trap at the same place
	variants     = 24   // variants of a change
	maxDeciding  = 4    // words that decide a condition in the same way
	maxAttempts  = 24   // words in which a goal is tried
	maxConflicts = 600  // of the solver in a word, for changes
	maxUnknown   = 2    // words in which the solver reaches its limit for a guard
	maxSolved    = 2    // words in which the solver looks for a state that a change differs in
)

// Generate makes the vectors of the instructions of a machine.
func Generate(ctx context.Context, m *exec.Machine, opt Options) (*Result, error) {
	quirks, err := m.ParseQuirks(opt.Quirks)
	if err != nil {
		return nil, err
	}
	g := &generator{m: m, sem: m.Inside(inside.Key{}), quirks: quirks, given: maps.Clone(opt.Quirks)}
	if g.given == nil {
		g.given = map[string]string{}
	}
	asks := func(topic string, not bool) bool {
		return !not && (len(opt.Instructions) == 0 || slices.Contains(opt.Instructions, topic))
	}
	programs, questions := asks(programsTopic, opt.NoPrograms), asks(questionsTopic, opt.NoQuestions)
	names := slices.DeleteFunc(slices.Clone(opt.Instructions), func(n string) bool { return n == programsTopic || n == questionsTopic })
	rows := len(names) > 0 || len(opt.Instructions) == 0 // vectors of single instructions
	var work []*leafWork
	known, found := map[string]bool{}, map[string]bool{}
	for _, root := range g.m.Set().Roots() {
		r := g.sem.Model.Roots[root.ID]
		if m.Set().IsNested(root) || !g.sem.Acts(r.Spec) {
			continue
		}
		for _, leaf := range root.Leaves {
			known[leaf.Name] = true
			chosen := len(names) == 0
			for _, name := range names {
				if name == leaf.Name || slices.Contains(leaf.Mnemonics(), name) {
					chosen, found[name] = true, true
				}
			}
			if chosen {
				work = append(work, &leafWork{generator: g, root: root, leaf: leaf})
			}
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, fmt.Errorf("%w %q, expected a mnemonic or a name from the description, such as %s", ErrInstruction, name, slices.Min(slices.Collect(maps.Keys(known))))
		}
	}
	done, phases := 0, 0
	for _, yes := range []bool{rows || questions, rows, questions} {
		if yes {
			phases++
		}
	}
	progress := func() {
		if done++; opt.Progress != nil {
			opt.Progress(done, phases*len(work))
		}
	}
	phase := func(yes bool, f func(w *leafWork) error) error {
		if !yes {
			return nil
		}
		return g.all(ctx, work, opt.Jobs, f, progress)
	}
	if err := phase(rows || questions, func(w *leafWork) error { return w.prepare(ctx) }); err != nil {
		return nil, err
	}
	own(work)
	if err := phase(rows, func(w *leafWork) error { return w.run(ctx) }); err != nil {
		return nil, err
	}
	if err := phase(questions, func(w *leafWork) error { return w.ask(ctx) }); err != nil {
		return nil, err
	}
	res := &Result{}
	for _, w := range work {
		if w.file != nil && len(w.file.Vectors) > 0 {
			res.Files, res.Coverage = append(res.Files, w.file.parts()...), append(res.Coverage, w.coverage())
		}
	}
	if programs {
		f, err := g.programsFile(ctx)
		if err != nil {
			return nil, err
		}
		if f != nil {
			res.Files, res.Topics = append(res.Files, f), 1
		}
	}
	if questions {
		for _, f := range g.questionFiles(work) {
			res.Files, res.Topics = append(res.Files, f), res.Topics+1
		}
	}
	return res, nil
}

// generator makes the vectors of a machine.
type generator struct {
	m      *exec.Machine
	sem    *sem.Machine
	quirks map[string]uint64
	given  map[string]string // the quirks of the options
}

// all calls f for each instruction, in parallel.
func (g *generator) all(ctx context.Context, work []*leafWork, jobs int, f func(w *leafWork) error, done func()) error {
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := 0
	var errs []error
	for range max(1, jobs) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				mu.Lock()
				n := next
				next++
				mu.Unlock()
				if n >= len(work) || ctx.Err() != nil {
					return
				}
				err := f(work[n])
				mu.Lock()
				if err != nil {
					errs = append(errs, fmt.Errorf("%s: %w", work[n].leaf.Name, err))
				}
				done()
				mu.Unlock()
			}
		}()
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// setting is a value of the contexts and quirks.
type setting struct {
	context isabits.Value
	quirks  map[string]uint64
	// changed are the quirks that differ from those of the generator, and contexts the contexts that differ from their
	// defaults.
	changed, contexts map[string]string
}

// leafWork makes the vectors of an instruction.
type leafWork struct {
	*generator
	runner   *step.Runner
	programs map[string]*step.Program // of the word, by contexts and quirks
	root     *isa.Root
	leaf     *isa.Leaf
	file     *File
	asked    *File // the vectors of open questions
	settings []setting
	words    []word
	names    []string // the quirks that the instruction reads
	// places are the places of the code of the instruction, as in sem.Origin. owned are those that no instruction before has:
	// the others are code that instructions share, such as the code around them, and vectors of one instruction test it.
	places, owned map[uint64]bool
	made          map[uint64]bool // the owned places in words for which vectors were made

	covered map[goal]bool
	tried   map[goal]string // the goals that were tried, with their texts
	lowered map[string]bool
	// occurs counts the words in which a guard occurs before a vector takes it, and never those for which a proof shows that
	// no state takes it.
	occurs, never map[goal]int
	variants      map[goal]int   // the number of variants of a goal
	deciding      map[goal]int   // the number of words that decide a condition
	attempts      map[goal]int   // the number of words in which a goal was tried
	solved        map[goal]int   // the number of words in which the solver looked for a change
	unknown       map[goal]int   // the number of words in which the solver reached its limit
	traps         map[uint64]int // the number of words that always trap, by place
}

// prepare finds the words of the instruction, and the contexts and quirks that matter to them.
func (w *leafWork) prepare(ctx context.Context) error {
	w.covered, w.tried, w.lowered, w.places = map[goal]bool{}, map[goal]string{}, map[string]bool{}, map[uint64]bool{}
	w.made, w.occurs, w.never = map[uint64]bool{}, map[goal]int{}, map[goal]int{}
	w.variants, w.deciding, w.attempts, w.solved, w.unknown, w.traps = map[goal]int{}, map[goal]int{}, map[goal]int{}, map[goal]int{}, map[goal]int{}, map[uint64]int{}
	d, err := w.m.Set().NewDecoder(w.root.Name)
	if err != nil {
		return err
	}
	base := setting{context: w.m.Set().DefaultContext(), quirks: w.quirks}
	w.settings = []setting{base}
	for _, c := range w.m.Set().Contexts() {
		for _, value := range c.Values {
			s := base
			s.contexts = map[string]string{c.Name: value}
			if s.context, err = w.m.Set().ParseContext(base.context, c.Name, value); err != nil {
				return err
			}
			if s.context != base.context {
				w.settings = append(w.settings, s)
			}
		}
	}
	for _, s := range w.settings {
		if err := w.find(ctx, d, s); err != nil {
			return err
		}
	}
	for _, q := range w.sem.Quirks() {
		if !slices.Contains(w.names, q.Name) {
			continue
		}
		for i, value := range q.Numbers() {
			if old, ok := w.quirks[q.Name]; ok && old == value || !ok && q.Default == value {
				continue
			}
			s := base
			s.quirks, s.changed = maps.Clone(w.quirks), map[string]string{q.Name: q.Values()[i]}
			if s.quirks == nil {
				s.quirks = map[string]uint64{}
			}
			s.quirks[q.Name] = value
			w.settings = append(w.settings, s)
			for i := range w.words {
				if _, origins, err := w.lower(&w.words[i], s); err == nil {
					w.visit(origins)
				}
			}
		}
	}
	return nil
}

// visit adds the places of some code, and reports whether one is new.
func (w *leafWork) visit(o *sem.Origins) (some bool) {
	for i := range o.Insts {
		if at := o.Insts[i].Place; !w.places[at] {
			w.places[at], some = true, true
		}
	}
	for i := range o.Conditions {
		w.places[o.Conditions[i].Place] = true
	}
	return some
}

// own lets each place of the code belong to the first instruction that has it.
func own(work []*leafWork) {
	taken := map[uint64]bool{}
	for _, w := range work {
		w.owned = map[uint64]bool{}
		for at := range w.places {
			if !taken[at] {
				w.owned[at] = true
			}
		}
		for at := range w.owned {
			taken[at] = true
		}
	}
}

// run makes the vectors of the instruction.
func (w *leafWork) run(ctx context.Context) error {
	d, err := w.m.Set().NewDecoder(w.root.Name)
	if err != nil || len(w.words) == 0 {
		return err
	}
	w.runner = step.NewRunner(w.m)
	w.file = &File{Format: Format, Machine: w.m.Set().Name(), Instruction: w.leaf.Name, Doc: strings.Join(strings.Fields(w.leaf.Doc()), " ")}
	if first, err := w.m.Root(""); err == nil && first != w.root {
		w.file.Root = w.root.Name
	}
	for _, s := range w.settings {
		d.SetContext(s.context)
		for i := range w.words {
			if !w.fits(d, &w.words[i]) {
				continue
			}
			if err := w.word(ctx, i, &w.words[i], s); err != nil {
				return err
			}
		}
	}
	w.fidelity()
	w.file.Quirks = map[string]string{}
	for _, q := range w.sem.Quirks() {
		if slices.Contains(w.names, q.Name) {
			w.file.Quirks[q.Name] = quirkText(q.Values(), q.Numbers(), w.quirks, q.Name, q.Default)
		}
	}
	return nil
}

// fidelity sets the fidelity and the source of the file: those of the first semantics that states them.
func (w *leafWork) fidelity() {
	for b := inside.Leaf(w.leaf).Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			if s := c.Semantics; s != nil && w.file.Fidelity == "" {
				w.file.Fidelity, w.file.Source = s.Fidelity, s.Source
			}
		}
	}
}

// quirkText returns the text of the value of a quirk.
func quirkText(values []string, numbers []uint64, set map[string]uint64, name string, def uint64) string {
	v, ok := set[name]
	if !ok {
		v = def
	}
	return values[slices.Index(numbers, v)]
}

// find finds words of the instruction in some contexts.
func (w *leafWork) find(ctx context.Context, d *isa.Decoder, s setting) error {
	d.SetContext(s.context)
	for i := range w.words { // those that were found before
		if w.fits(d, &w.words[i]) {
			w.news(&w.words[i], s)
		}
	}
	find := newWordFinder(hashText(w.leaf.Name), d, w.leaf)
	find.ends = true
	ordinary := 0
	effort := w.effort()
	for tries, stale := 0, 0; tries < effort*maxTries && stale < effort*maxStale && len(w.words) < min(effort, 4)*mostWords; tries++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var like *word
		if n := len(w.words); n > 0 && tries%2 == 0 {
			like = &w.words[find.IntN(n)]
		}
		x, ok := find.random(like)
		stale++
		if !ok || !w.news(&x, s) {
			continue
		}
		stale = 0
		if !x.full && !x.rare {
			if ordinary++; ordinary > maxWords {
				continue
			}
		}
		w.words = append(w.words, x)
		root := w.sem.Model.Roots[w.root.ID]
		asked, err := w.sem.QuirksOf(root, s.input(&x), x.bits, 0)
		if err != nil {
			return err
		}
		for _, q := range asked {
			if !slices.Contains(w.names, q.Name) && !q.Launch {
				w.names = append(w.names, q.Name)
			}
		}
	}
	return nil
}

// effort is a factor for limits: 1 for the instructions of most machines, and more if a root has few instructions, because each
// of them then has many operations.
func (w *leafWork) effort() int { return min(16, max(1, 16/len(w.root.Leaves))) }

// fits reports whether a word is an instruction of the leaf in the contexts of the decoder.
func (w *leafWork) fits(d *isa.Decoder, x *word) bool {
	d.SetTables(x.tables)
	in, ok := d.Decode(x.bits)
	return ok && in.Leaf == w.leaf && d.NumFindings() == 0
}

// input returns what lowering a word needs.
func (s *setting) input(x *word) *sem.Words {
	return &sem.Words{Context: s.context, Tables: x.tables, Quirks: s.quirks}
}

func (w *leafWork) lower(x *word, s setting) (*sem.Code, *sem.Origins, error) {
	return w.sem.Traced(w.sem.Model.Roots[w.root.ID], s.input(x), x.bits, 0)
}

// news reports whether a word has a goal that no word before had, and that vectors can reach.
func (w *leafWork) news(x *word, s setting) bool {
	code, origins, err := w.lower(x, s)
	if err != nil || code.Runs {
		return false
	}
	for i := range code.Insts {
		if in := &code.Insts[i]; in.Op == sem.OpTrap && in.Guard == sem.NoID {
			at := origins.Insts[i].Place
			if w.traps[at]++; w.traps[at] > maxTraps {
				return false
			}
		}
	}
	n := len(w.tried)
	for _, f := range x.forms {
		w.try(f)
	}
	if w.visit(origins) {
		x.full = true
	}
	for _, t := range decidedBy(origins, nil, nil) {
		w.try(t)
		if w.deciding[t.goal]++; w.deciding[t.goal] <= maxDeciding {
			x.rare = true
		}
	}
	for i := range code.Insts {
		if v := variantOf(code, sem.ID(i)); v != 0 {
			w.try(&target{goal: goal{kind: decided, place: origins.Insts[i].Place, which: int(code.Insts[i].Op), variant: v}})
		}
	}
	return x.full || x.rare || len(w.tried) > n || len(w.words) == 0
}

// varies reports whether another goal counts: only so many variants of a change do.
func (w *leafWork) varies(g goal) bool {
	if g.variant == 0 {
		return true
	}
	at := g
	at.variant = 0
	w.variants[at]++
	return w.variants[at] <= variants
}

// try notes that vectors are to reach a goal.
func (w *leafWork) try(t *target) {
	if _, ok := w.tried[t.goal]; !ok && w.varies(t.goal) {
		w.tried[t.goal] = t.text
	}
}

// row is a run that becomes a vector.
type row struct {
	run     int
	reasons []string
}

// word makes the vectors of a word.
func (w *leafWork) word(ctx context.Context, n int, x *word, s setting) error {
	code, origins, err := w.lower(x, s)
	if err != nil || code.Runs {
		return nil
	}
	key := fmt.Sprint(n, code.String())
	if w.lowered[key] { // the setting makes no difference
		return nil
	}
	w.lowered[key], w.programs = true, map[string]*step.Program{}
	full := n < fullWords
	for i := range origins.Insts {
		if at := origins.Insts[i].Place; w.owned[at] && !w.made[at] {
			w.made[at], full = true, true
		}
	}
	all := targetsOf(code, origins, w.owned)
	for _, t := range all {
		w.try(t)
		if t.guards() && !w.covered[t.goal] {
			w.occurs[t.goal]++
		}
	}
	all = append(all, w.flips(x, s, code, origins)...)
	var open []*target
	for _, t := range all {
		if _, ok := w.tried[t.goal]; ok && !w.covered[t.goal] && (full || t.kind != meets) {
			if w.attempts[t.goal]++; w.attempts[t.goal] > maxAttempts && !t.guards() {
				continue
			}
			open = append(open, t)
		}
	}
	sortTargets(open)
	var forms []*target
	for _, f := range slices.Concat(x.forms, decidedBy(origins, nil, w.owned), []*target{{goal: goal{kind: decided}, text: "ordinary values"}}) {
		if !w.covered[f.goal] {
			forms = append(forms, f)
		}
	}
	b := &batch{leafWork: w, word: x, setting: s, code: code, open: open, scratch: newEvaluation(code.Insts, nil)}
	for i, idle := 0, 0; i < min(w.effort(), 3)*maxBatches && idle < min(w.effort(), 3)+1 && (len(b.open) > 0 || i == 0); i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		plain, width := 0, 1
		if i == 0 {
			plain = 2
		}
		if i%2 == 0 && votes(code) {
			width = waveLanes
		}
		src := newSource(mix(hashText(w.leaf.Name), uint64(n*100+i)), code.Insts, code.Next, plain, width)
		if i > 0 {
			forms = nil
		}
		// Most vectors are simple: without open scopes, and with numbers that machines with short floats have.
		src.empty, src.narrow = i%3 != 1 && !usesStacks(code), i%3 == 0
		some, err := b.run(src, forms)
		if err != nil {
			return err
		}
		if idle++; some {
			idle = 0
		}
	}
	return b.solve(n)
}

// batch makes the vectors of a word for some contexts and quirks.
type batch struct {
	*leafWork
	word    *word
	setting setting
	code    *sem.Code
	open    []*target
	scratch *evaluation
}

// run evaluates a batch and makes vectors of the waves that reach open goals, first of those that reach the most. The first
// wave also reaches the goals in forms. some reports whether there was a vector.
func (b *batch) run(src *source, forms []*target) (some bool, err error) {
	width := src.init.width
	e := newEvaluation(b.code.Insts, src.init)
	e.run()
	b.scratch.init = src.init
	masks := make([]uint64, len(b.open))
	for i, t := range b.open {
		switch {
		case t.change != nil:
			masks[i] = b.scratch.mutant(e, t.change)
		case t.flipped != nil:
			other := newEvaluation(t.flipped.Insts, src.init)
			other.base = e // so that its loads make no values
			other.run()
			masks[i] = other.differs(e)
		default:
			masks[i] = t.reached(e)
		}
		masks[i] = waves(masks[i]&src.init.lanes(), width)
	}
	var chosen []row
	if len(forms) > 0 {
		first := row{run: 0, reasons: b.formed(forms)}
		b.take(b.open, masks, &first)
		chosen = append(chosen, first)
	}
	for {
		best, most := 0, 0
		var count [runs]int
		for _, m := range masks {
			for ; m != 0; m &= m - 1 {
				r := bits.TrailingZeros64(m)
				if count[r]++; count[r] > most || count[r] == most && r < best {
					best, most = r, count[r]
				}
			}
		}
		if most == 0 {
			break
		}
		one := row{run: best}
		b.take(b.open, masks, &one)
		chosen = append(chosen, one)
	}
	b.open = slices.DeleteFunc(b.open, func(t *target) bool { return b.covered[t.goal] })
	for _, one := range chosen {
		if err := b.vector(b.word, b.setting, e, one); err != nil {
			return false, err
		}
	}
	return len(chosen) > 0, nil
}

// formed marks the goals that the word itself reaches as covered, and returns the reasons: one for all fields, and one for
// each condition that the word decides.
func (w *leafWork) formed(forms []*target) (texts []string) {
	var fields []string
	for _, f := range forms {
		w.covered[f.goal] = true
		if f.kind == form {
			fields = append(fields, f.text)
		} else {
			texts = append(texts, f.text)
		}
	}
	if slices.Sort(fields); len(fields) > 0 {
		texts = append(texts, "fields: "+strings.Join(slices.Compact(fields), ", "))
	}
	return texts
}

// solve makes vectors for the guards and changes that no batch has reached: it searches for states in which a guard is taken, or
// proves that there are none, and for states in which a changed operation has another value.
func (b *batch) solve(n int) error {
	var solver *bitblast.Solver
	width := 1
	if votes(b.code) {
		width = waveLanes
	}
	src := newSource(mix(hashText(b.leaf.Name), uint64(n*100+99)), b.code.Insts, b.code.Next, 0, width)
	for i := range src.init.exists {
		src.init.exists[i] = 1<<width - 1
	}
	run, conflicts := 0, maxConflicts
	code := &sem.Code{Insts: slices.Clone(b.code.Insts), Next: b.code.Next, Jumps: b.code.Jumps}
	differ := map[*target]sem.ID{}
	for _, t := range b.open {
		if t.change != nil && b.solved[t.goal] < maxSolved && len(differ) < runs {
			if id := t.change.differ(code, len(b.code.Insts)); id != sem.NoID {
				b.solved[t.goal]++
				differ[t] = id
			}
		}
	}
	for _, t := range b.open {
		value, path, wanted := t.value, t.path, t.wanted
		id, changes := differ[t]
		if changes {
			value, path, wanted = id, sem.NoID, true
		} else if !t.guards() || b.unknown[t.goal] == maxUnknown {
			continue
		}
		if solver == nil {
			solver = bitblast.New(code, bitblast.Options{Lanes: width, Sizes: b.sizes(), ZeroResults: true})
		}
		if solver.Conflicts = nil; changes {
			solver.Conflicts = &conflicts
		}
		bit := func(id sem.ID) circuit.Lit {
			if id == sem.NoID {
				return circuit.True
			}
			return solver.Value(id)[0]
		}
		goal := bit(value)
		if !wanted {
			goal = goal.Not()
		}
		model, answer := solver.Solve(solver.And(bit(path), goal))
		switch {
		case answer == circuit.Sometimes && run < runs:
			src.give(run, model)
			run += width
		case answer == circuit.Never && t.guards():
			b.never[t.goal]++
		case answer == circuit.Unknown && t.guards():
			b.unknown[t.goal]++
		}
	}
	if run == 0 {
		return nil
	}
	_, err := b.run(src, nil)
	return err
}

// sizes returns the sizes of the memories without a size in the description.
func (g *generator) sizes() map[*sem.State]uint64 {
	sizes := map[*sem.State]uint64{}
	for _, s := range g.sem.States {
		if s.Kind == sem.MemoryState && s.Count == 0 {
			sizes[s] = unsized
		}
	}
	return sizes
}

// waveLanes is the number of lanes of a wave with several lanes.
const waveLanes = 4

// votes reports whether lanes see other lanes in some code. Code with an atomic part runs in waves of one lane only.
func votes(code *sem.Code) (yes bool) {
	for i := range code.Insts {
		switch code.Insts[i].Op {
		case sem.OpAtomic:
			return false
		case sem.OpAny, sem.OpAll, sem.OpBallot, sem.OpFrom, sem.OpLanesOf, sem.OpExists, sem.OpLane:
			yes = true
		}
	}
	return yes
}

// usesStacks reports whether the instruction itself, not the code around it, uses stacks.
func usesStacks(code *sem.Code) bool {
	return slices.ContainsFunc(code.Insts, func(in sem.Inst) bool {
		return in.State != nil && in.State.Kind == sem.StackState && in.Notes&sem.Around == 0
	})
}

// waves moves each bit of a mask to the first lane of the wave.
func waves(m uint64, width int) (out uint64) {
	for ; m != 0; m &= m - 1 {
		r := bits.TrailingZeros64(m)
		out |= 1 << (r - r%width)
	}
	return out
}

// named matches the fields that a condition names.
var named = regexp.MustCompile(`\{(\w+)\}`)

// decidedBy lists the goals of conditions that the word decides, at the places that are owned or, if owned is nil, at all. If x is
// not nil, it lists one for each narrow field that the condition names, with the value in the word x.
func decidedBy(o *sem.Origins, x *word, owned map[uint64]bool) (list []*target) {
	for i := range o.Conditions {
		if c := &o.Conditions[i]; c.Value == sem.NoID && (owned == nil || owned[c.Place]) {
			which := 0
			if c.Holds {
				which = 1
			}
			text := fmt.Sprintf("%s is %t", excerpt(c.Span), c.Holds)
			n := len(list)
			if x != nil && c.Span.IsValid() {
				for _, field := range named.FindAllStringSubmatch(c.Span.Src.Text[c.Span.Off:c.Span.End], -1) {
					if v, ok := x.narrow[field[1]]; ok {
						list = append(list, &target{goal: goal{kind: decided, place: mix(c.Place, hashText(field[1])), which: v}, asked: c.Place,
							text: rule(&c.Origin, fmt.Sprintf("%s with %s = %d", text, field[1], v))})
					}
				}
			}
			if len(list) == n {
				list = append(list, &target{goal: goal{kind: decided, place: c.Place, which: which}, asked: c.Place, text: rule(&c.Origin, text)})
			}
		}
	}
	return list
}

// flips lists the changes of the conditions that a word decides: with the other outcome, the runs end differently.
func (w *leafWork) flips(x *word, s setting, code *sem.Code, o *sem.Origins) (list []*target) {
	seen := map[goal]bool{}
	codes := map[uint64]*sem.Code{} // by the place of the condition; nil if the outcome makes no difference
	for _, t := range decidedBy(o, x, w.owned) {
		g := t.goal
		g.kind, g.which = differs, g.which|1<<20
		if w.covered[g] || seen[g] || w.attempts[g] >= maxAttempts {
			continue
		}
		seen[g] = true
		flipped, ok := codes[t.asked]
		if !ok {
			other, err := w.sem.Flipped(w.sem.Model.Roots[w.root.ID], s.input(x), x.bits, 0, t.asked)
			if err == nil && !other.Runs && other.String() != code.String() {
				flipped = other
			}
			codes[t.asked] = flipped
		}
		if flipped == nil {
			w.attempts[g]++
			continue
		}
		f := &target{goal: g, text: "depends on this: " + t.text, flipped: flipped}
		w.try(f)
		list = append(list, f)
	}
	return list
}

// take marks the goals that a run reaches as covered, and adds their texts to the row.
func (w *leafWork) take(open []*target, masks []uint64, to *row) {
	for i, m := range masks {
		if m>>to.run&1 == 0 {
			continue
		}
		masks[i] = 0
		w.covered[open[i].goal] = true
		to.reasons = append(to.reasons, open[i].text)
	}
}

// coverage sums up what the vectors cover.
func (w *leafWork) coverage() Coverage {
	c := Coverage{Instruction: w.leaf.Name}
	for g, text := range w.tried {
		switch {
		case g.guards():
			c.Guards++
			switch {
			case w.covered[g]:
				c.Taken++
			case w.never[g] == w.occurs[g]:
				c.Impossible++
			default:
				c.Open = append(c.Open, text)
			}
		case g.kind == differs:
			c.Changes++
			if w.covered[g] {
				c.Revealed++
			}
		}
	}
	slices.Sort(c.Open)
	return c
}
