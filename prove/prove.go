// Package prove checks a description and proves properties of it: that no word matches two instructions, that no two
// words print the same text, and that every part has an effect. For a property that does not hold it returns a
// counterexample.
package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Options choose what is checked.
type Options struct {
	// Gens are the generations (isaspec's gpu_id) to check; nil checks one of each run of
	// generations in which the description is the same.
	Gens []uint32
	// Root is the name of the one root to check, as Set.Root takes it; "" checks all.
	Root string
	// Search is how many random words are printed and read back, of all roots together, to find two
	// with one text where their absence cannot be proved; 0 is DefaultSearch, less is none.
	Search int
	// Effort bounds all searches and proofs together, in millions of steps of about 50 ns; 0 is DefaultEffort. What
	// ends early is a finding, not-proved. Each generation has an equal part.
	Effort int

	// untried leaves small roots to the automaton too; tests compare with trying all their words.
	untried bool
	// steps, where it is not 0, is the effort in steps; tests end proofs at any of them.
	steps int64
}

// DefaultSearch is how many words are read back for what cannot be proved.
const DefaultSearch = 60_000

// Level says how bad a finding is.
type Level uint8

// The levels: what does something else than it says, what has no effect or hides something, and
// what is as it is.
const (
	Error Level = iota
	Warning
	Note
)

// String returns the level's name, which is that of SARIF too.
func (l Level) String() string { return [...]string{"error", "warning", "note"}[l] }

// ReportLoadError returns the mistakes for which a description does not load as a report; ok is false for an
// error of another kind.
func ReportLoadError(err error) (r *Report, ok bool) {
	var list diag.List
	var one *diag.Error
	if !errors.As(err, &list) && errors.As(err, &one) {
		list = diag.List{one}
	}
	r = &Report{}
	for _, e := range list {
		r.Findings = append(r.Findings, Finding{Code: e.Code, Level: Error, Msg: e.Msg, Span: e.Span, Notes: e.Notes})
	}
	return r, len(list) > 0
}

// Finding is something in a description that is not sound, or that its author should know.
type Finding struct {
	Code  diag.Code
	Level Level
	Msg   string
	// Span is where the finding is, Notes where others take part in it.
	Span  diag.Span
	Notes []diag.Note
	// Gens are the generations in which it is found; nil where it is in all that were checked.
	Gens []uint32
	// Root is the root whose words the picture and the witnesses are, "" where there are none.
	Root string
	// Rows are lines of the picture: the bits of each party.
	Rows []Row
	// Witnesses are words that show it.
	Witnesses []Witness
	// Reason is that of the exception that silences the finding, "" if there is none.
	Reason string

	key string
	// leaves are those that have it, where it is said of what they have in common.
	leaves []string
	// fields are those whose bits it is about, nil where that is not said of it.
	fields []string
	// cause is the same for findings that have one, "" for one of its own.
	cause string
	// pairs tells that leaves are pairs of them.
	pairs bool
}

// Row is a line of a picture: one character for each bit, the most significant first. 0 and 1 are
// fixed bits, - are free ones, x ignored ones; what others mean the label says.
type Row struct{ Label, Bits string }

// Witness is a word that shows a finding.
type Witness struct {
	Gen uint32
	// Word has Size bits. Context holds the contexts in which it shows the finding, as
	// Decoder.SetContext takes them; Contexts names those that have not their default.
	Word, Context bits.Value
	Contexts      []string
	Size          int
	// Entries are the table entries that the word needs, by the name of the field.
	Entries map[string]bits.Value
	// Matched tells that the word is an instruction; Text is then what it prints. Findings is what
	// is found in it.
	Matched  bool
	Text     string
	Findings []string
}

// Hex returns the word with all its digits.
func (w *Witness) Hex() string { return string(w.Word.AppendHex(nil, (w.Size+3)/4)) }

// Error returns the finding in one line: file:line:col: message [code].
func (f *Finding) Error() string { return f.diagnostic().Error() }

// Explain returns the finding with the lines that it is about.
func (f *Finding) Explain() string { return diag.Render(f.Diagnostic()) }

// Diagnostic returns the finding as an error of its level.
func (f *Finding) Diagnostic() *diag.Error {
	e := f.diagnostic()
	e.Level = levels[f.Level]
	return e
}

var levels = map[Level]diag.Level{Error: diag.Mistake, Warning: diag.Warning, Note: diag.Remark}

// complete says of how many leaves and in which generations it is.
func (f *Finding) complete(gens string) {
	what := "in %d leaves: %s"
	if f.pairs {
		what = "for %d pairs: %s"
	}
	if n := len(f.leaves); n > 1 {
		f.Msg += fmt.Sprintf("; so "+what, n, listed(f.leaves))
	}
	f.Msg += gens
}

func (f *Finding) diagnostic() *diag.Error {
	e := diag.Errorf(f.Code, f.Span, "%s", f.Msg)
	e.Notes = f.Notes
	return e
}

// with adds a place that takes part.
func (f *Finding) with(span diag.Span, format string, args ...any) *Finding {
	f.Notes = append(f.Notes, diag.Note{Span: span, Msg: fmt.Sprintf(format, args...)})
	return f
}

// Claim is what was tried to prove, and how far it came.
type Claim struct {
	// Text says what holds, or what could not be decided.
	Text string
	// Proved is false where a limit was hit: there is a finding too, not-proved.
	Proved bool
}

// Report is what was found.
type Report struct {
	// Findings in the order of their places; Silenced are those that an exception names.
	Findings, Suppressed []Finding
	// Claims are what was proved and what could not be decided.
	Claims []Claim
	// Gens are the generations that were checked.
	Gens []uint32
}

// Check looks at a description from all sides. The error is that of a root which is not there, says why the
// description is refused in a generation, or is that of the context where it is cancelled.
func Check(ctx context.Context, set *isa.Set, opt Options) (*Report, error) {
	if opt.Search == 0 {
		opt.Search = DefaultSearch
	}
	if opt.Effort == 0 {
		opt.Effort = DefaultEffort
	}
	c := &checker{spec: inside.Machine(set).ISA, opt: opt, byKey: map[string]*Finding{}}
	c.facts = newFacts()
	gens := c.generations(set)
	for _, gen := range gens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at, err := set.With(isa.Options{Gen: gen, Syntax: set.Syntax()})
		if err != nil {
			return nil, c.refusedIn(gen, err)
		}
		m := newMachine(c, at, gen)
		m.budget = newBudget(ctx, &opt, len(gens))
		c.machines = append(c.machines, m)
	}
	if opt.Root != "" {
		if _, err := set.Root(opt.Root); err != nil {
			return nil, err
		}
	}
	c.run()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.report(), nil
}

// checker collects findings over all generations.
type checker struct {
	spec     *spec.ISA
	opt      Options
	machines []*machine
	facts    *facts
	findings []*Finding
	byKey    map[string]*Finding
	claims   []Claim
	// searched tells that words with one text were searched for, with luck, as their absence is not proved.
	searched bool
	limits   map[string]bool
	// before is what was found before the texts, nil but for one that collects those of a generation.
	before *checker
	// starts are the first of each run of generations, nil where there is one.
	starts []uint32
}

// machine is the description in one generation.
type machine struct {
	c   *checker
	set *isa.Set
	m   *model.Machine
	gen uint32
	// envs and roots are those that were walked.
	envs  map[*model.Env]bool
	order []*model.Env
	// parameterized are the roots for which some field hands names in.
	parameterized map[*spec.Bitset]bool
	// showsFloat are the roots of which a text shows a float.
	showsFloat map[*model.Root]bool
	roots      map[*model.Root]bool
	// lists are the texts of small operands. lossy are the bits of leaves that their texts do not tell,
	// doubts the roots that have such; floats are the bits of which a float is made, which may round.
	lists    map[*model.Env]*textList
	lossy    map[*model.Leaf]bits.Value
	floats   map[*model.Leaf]bits.Value
	doubtful map[*model.Root]bool
	// open are the roots of which a display was too large to compare.
	open map[*model.Root]bool
	// conflicts is what the SAT solver may still spend, budget what all searches and proofs may.
	conflicts int
	budget    *budget
	// interrupted is set where one ended early: what was not seen may be there.
	interrupted bool
	// overlapping counts the pairs of leaves with a word in common.
	overlapping int
	// deep is set where operands are nested deeper than is bound: their texts may have no end.
	deep bool
	// frames counts the scopes that were walked.
	frames int
}

func newMachine(c *checker, set *isa.Set, gen uint32) *machine {
	return &machine{
		c: c, set: set, m: inside.Machine(set), gen: gen, conflicts: allConflicts, envs: map[*model.Env]bool{}, roots: map[*model.Root]bool{},
		parameterized: map[*spec.Bitset]bool{}, showsFloat: map[*model.Root]bool{},
		lossy: map[*model.Leaf]bits.Value{}, floats: map[*model.Leaf]bits.Value{}, doubtful: map[*model.Root]bool{}, open: map[*model.Root]bool{},
	}
}

func (c *checker) run() {
	for _, m := range c.machines {
		m.deep = m.unbounded()
		for _, r := range c.roots(m) {
			m.attempt(r.Spec.Span, "that no word matches two leaves of "+r.Name, func() { m.overlaps(r) })
			m.attempt(r.Spec.Span, "how many words of "+r.Name+" match no leaf", func() { m.checkUnmatched(r) })
		}
		m.walk()
	}
	c.unused()
	c.meaning()
	c.conclude()
	c.stray()
	c.refused()
	c.allTexts()
}

// roots lists the roots to check.
func (c *checker) roots(m *machine) []*model.Root {
	if c.opt.Root == "" {
		return m.m.Roots
	}
	r, err := m.m.Root(c.opt.Root)
	if err != nil || r == nil {
		return nil
	}
	return []*model.Root{r}
}

// add records a finding. One of the same key, from another generation or another way to the same
// place, is the same finding.
func (c *checker) add(m *machine, f *Finding) *Finding {
	if f.key == "" {
		f.key = fmt.Sprintf("%s %s %s", f.Code, f.Span, f.Msg)
	}
	old := c.byKey[f.key]
	if old == nil {
		c.byKey[f.key] = f
		c.findings = append(c.findings, f)
		old = f
	}
	if m != nil && !slices.Contains(old.Gens, m.gen) {
		old.Gens = append(old.Gens, m.gen)
	}
	return old
}

// limit records that something was not decided, as a finding at its place and as a claim.
func (c *checker) limit(m *machine, at diag.Span, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.add(m, &Finding{Code: diag.NotProved, Level: Note, Span: at, Msg: text, key: "limit " + text})
	c.unproved(text)
}

// unproved records what was not decided.
func (c *checker) unproved(text string) {
	if c.limits == nil {
		c.limits = map[string]bool{}
	}
	if !c.limits[text] {
		c.limits[text] = true
		c.claims = append(c.claims, Claim{Text: text})
	}
}

func (c *checker) proved(format string, args ...any) {
	c.claims = append(c.claims, Claim{Text: fmt.Sprintf(format, args...), Proved: true})
}

func (c *checker) report() *Report {
	r := &Report{Claims: c.claims}
	for _, m := range c.machines {
		r.Gens = append(r.Gens, m.gen)
	}
	c.sort()
	exceptions := c.suppressions()
	causes := map[string]*Finding{}
	var list []*Finding
	for _, f := range c.findings {
		if e := findSuppression(exceptions, f); e != nil {
			f.Reason = e.reason
		}
		first := causes[f.cause+f.Reason]
		if f.cause == "" || first == nil {
			causes[f.cause+f.Reason] = f
			list = append(list, f)
			continue
		}
		first.Gens, first.leaves = union(first.Gens, f.Gens), union(first.leaves, f.leaves)
	}
	for _, f := range list {
		if len(f.Gens) == len(c.machines) {
			f.Gens = nil
		}
		f.complete(c.genNote(f))
		if f.Reason != "" {
			r.Suppressed = append(r.Suppressed, *f)
		} else {
			r.Findings = append(r.Findings, *f)
		}
	}
	r.Findings = append(r.Findings, c.unusedSuppressions(exceptions)...)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return bySpan(a.Span, b.Span) })
	return r
}

func (c *checker) sort() {
	slices.SortStableFunc(c.findings, func(a, b *Finding) int {
		return cmp.Or(bySpan(a.Span, b.Span), cmp.Compare(a.Code, b.Code))
	})
}

func bySpan(a, b diag.Span) int {
	if !a.IsValid() || !b.IsValid() {
		return cmp.Compare(b2i(b.IsValid()), b2i(a.IsValid()))
	}
	return cmp.Or(cmp.Compare(a.Src.Name, b.Src.Name), cmp.Compare(a.Off, b.Off))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
