// Package prove checks a description and proves properties of it: that no word matches two
// instructions, that no two words print the same text, and that every part has an effect. It returns
// counterexamples for properties that do not hold.
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

// Options configure Check.
type Options struct {
	// Gens are the generations (gpu_id in isaspec) to check. If nil, Check checks one generation of
	// each range in which the description is the same.
	Gens []uint32
	// Root is the name of the root to check, as in Set.Root. The empty string selects all roots.
	Root string
	// Search is the total number of random words that Check prints and parses back to find words with
	// the same text. Check tries them only in roots for which it cannot prove that all texts differ. 0
	// means DefaultSearch. A negative number means no words.
	Search int
	// Effort limits the total work of all searches and proofs, in millions of steps of about 50 ns. 0
	// means DefaultEffort. Each generation gets an equal share. Check reports a search or a proof that
	// ends early as a finding with the code not-proved.
	Effort int

	// untried disables the enumeration of all words of small roots. Tests use it to compare both
	// methods.
	untried bool
	// steps replaces Effort if it is not 0. It counts single steps, so that tests can end a proof at
	// any step.
	steps int64
}

// DefaultSearch is the default for Options.Search.
const DefaultSearch = 60_000

// Level is the severity of a finding.
type Level uint8

// Error means that the description is invalid or contradicts itself. Warning means a probable mistake.
// Note means information, such as a property that could not be proved.
const (
	Error Level = iota
	Warning
	Note
)

// String returns the SARIF name of the level.
func (l Level) String() string { return [...]string{"error", "warning", "note"}[l] }

// ReportLoadError converts the error from loading a description to a report with its diagnostics. ok
// is false if the error contains no diagnostic.
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

// Finding is a flaw in a description, or a fact that its author should know.
type Finding struct {
	Code  diag.Code
	Level Level
	Msg   string
	// Span is the location of the finding. Notes are related locations.
	Span  diag.Span
	Notes []diag.Note
	// Gens are the generations that have the finding, or nil if all checked generations have it.
	Gens []uint32
	// Root is the name of the root to which Rows and Witnesses belong, or "" if the finding has
	// neither.
	Root string
	// Rows show the bits involved, such as the patterns of two overlapping instructions.
	Rows []Row
	// Witnesses are words that demonstrate the finding.
	Witnesses []Witness
	// Reason is the reason in the comment that suppresses the finding, or "" if no comment suppresses
	// it.
	Reason string

	key string
	// leaves are the leaves that share the finding, if it concerns several leaves.
	leaves []string
	// fields are the fields whose bits the finding concerns, or nil if it does not concern particular
	// fields.
	fields []string
	// cause identifies the cause of the finding. The report combines findings with the same cause. If
	// cause is "", the report does not combine the finding.
	cause string
	// pairs reports whether leaves contains pairs of leaves.
	pairs bool
}

// Row is a row of bits, one character per bit, most significant bit first. 0 and 1 are fixed bits, -
// is a free bit and x is an ignored bit. In a row that marks bits, ^ is a bit to which the label
// applies and a space is any other bit.
type Row struct{ Label, Bits string }

// Witness is a word that demonstrates a finding.
type Witness struct {
	Gen uint32
	// Word has Size bits. Context holds the values of the contexts, as for Decoder.SetContext.
	// Contexts lists the contexts whose values differ from their defaults, as NAME=VALUE.
	Word, Context bits.Value
	Contexts      []string
	Size          int
	// Entries are the table entries that the word needs, by field name.
	Entries map[string]bits.Value
	// Matched reports whether the word decodes. Text is the assembly text of the word, or "" if the
	// word does not decode or if operands can contain themselves. Findings are the findings of the
	// decoder.
	Matched  bool
	Text     string
	Findings []string
}

// Hex returns the word in hexadecimal, with leading zeros.
func (w *Witness) Hex() string { return string(w.Word.AppendHex(nil, (w.Size+3)/4)) }

// Error returns the finding as one line: file:line:col: message [code].
func (f *Finding) Error() string { return f.diagnostic().Error() }

// Explain returns the finding followed by the source lines that it concerns.
func (f *Finding) Explain() string { return diag.Render(f.Diagnostic()) }

// Diagnostic converts the finding to a diagnostic with the same level.
func (f *Finding) Diagnostic() *diag.Error {
	e := f.diagnostic()
	e.Level = levels[f.Level]
	return e
}

var levels = map[Level]diag.Level{Error: diag.Mistake, Warning: diag.Warning, Note: diag.Remark}

// complete adds the number of leaves and the generations to the message.
func (f *Finding) complete(gens string) {
	what := "in %d leaves: %s"
	if f.pairs {
		what = "for %d pairs: %s"
	}
	if n := len(f.leaves); n > 1 {
		f.Msg += fmt.Sprintf("; the same "+what, n, listed(f.leaves))
	}
	f.Msg += gens
}

func (f *Finding) diagnostic() *diag.Error {
	e := diag.Errorf(f.Code, f.Span, "%s", f.Msg)
	e.Notes = f.Notes
	return e
}

// with adds a note at a related location and returns the finding.
func (f *Finding) with(span diag.Span, format string, args ...any) *Finding {
	f.Notes = append(f.Notes, diag.Note{Span: span, Msg: fmt.Sprintf(format, args...)})
	return f
}

// Claim is a property that Check tried to prove, and the result.
type Claim struct {
	// Text states the property, or what could not be decided.
	Text string
	// Proved is false if a limit was reached. The report then also has a finding with the code
	// not-proved.
	Proved bool
}

// Report is the result of Check.
type Report struct {
	// Findings are sorted by location. Suppressed are the findings that a comment in the description
	// suppresses.
	Findings, Suppressed []Finding
	// Claims are the properties that were proved and those that could not be decided.
	Claims []Claim
	// Gens are the generations that were checked.
	Gens []uint32
}

// Check checks a description. It returns an error if the root does not exist, if the description does
// not load for a generation, or if the context is cancelled.
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
		at, err := set.WithOptions(isa.Options{Gen: gen, Syntax: set.Syntax()})
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

// checker collects the findings of all generations.
type checker struct {
	spec     *spec.ISA
	opt      Options
	machines []*machine
	facts    *facts
	findings []*Finding
	byKey    map[string]*Finding
	claims   []Claim
	// searched reports whether random words were tried. Check tries random words if it cannot prove
	// that all texts differ.
	searched bool
	limits   map[string]bool
	// before is the checker with the findings from before the texts were checked. It is nil except in
	// a checker for the texts of one generation.
	before *checker
	// starts are the first generations of all ranges, or nil if there is only one range.
	starts []uint32
}

// machine is the description for one generation, with the state of the checks.
type machine struct {
	c   *checker
	set *isa.Set
	m   *model.Machine
	gen uint32
	// envs are the environments that were visited, and order lists them in the order of the visits.
	// roots are the roots that were visited in any environment.
	envs  map[*model.Env]bool
	order []*model.Env
	// parameterized are the roots that are the type of a field with parameters.
	parameterized map[*spec.Bitset]bool
	// showsFloat marks the roots whose text contains a float.
	showsFloat map[*model.Root]bool
	roots      map[*model.Root]bool
	// lists holds the texts of small operands. lossy holds, for each leaf, the bits that its text does
	// not determine. doubtful marks the roots with such bits. floats holds, for each leaf, the bits
	// that print as a float. Printing rounds floats, so such bits may differ in words with the same
	// text.
	lists    map[*model.Env]*textList
	lossy    map[*model.Leaf]bits.Value
	floats   map[*model.Leaf]bits.Value
	doubtful map[*model.Root]bool
	// open marks the roots with a display that was too large to compare.
	open map[*model.Root]bool
	// conflicts is the number of SAT conflicts left. budget limits all searches and proofs.
	conflicts int
	budget    *budget
	// interrupted reports whether a search or a proof ended early. If so, something that was not found
	// may still exist.
	interrupted bool
	// overlapping counts the pairs of leaves that share a word.
	overlapping int
	// deep reports whether operands contain themselves or exceed the nesting limit. Their texts may
	// then be infinite.
	deep bool
	// frames counts the scopes that were visited.
	frames int
}

// allConflicts limits the conflicts of all queries of a generation.
const allConflicts = 60_000

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
			m.attempt(r.Spec.Span, "that every word of "+r.Name+" matches a leaf", func() { m.checkUnmatched(r) })
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

// roots returns the roots to check.
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

// add records a finding for a generation and returns it. If there is already a finding with the same
// key, add adds the generation to that finding and returns it instead. m is nil if the finding does
// not depend on the generation.
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

// limit records that something was not decided, as a finding and as a claim.
func (c *checker) limit(m *machine, at diag.Span, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.add(m, &Finding{Code: diag.NotProved, Level: Note, Span: at, Msg: text, key: "limit " + text})
	c.unproved(text)
}

// unproved records a claim that was not decided, unless the same claim is already recorded.
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
	suppressions := c.suppressions()
	causes := map[string]*Finding{}
	var list []*Finding
	for _, f := range c.findings {
		if e := findSuppression(suppressions, f); e != nil {
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
	r.Findings = append(r.Findings, c.unusedSuppressions(suppressions)...)
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
