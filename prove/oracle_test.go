package prove

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/randisa"
	"github.com/isago/isago/internal/roundtrip"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

var (
	oracleSeed  = flag.Uint64("oracle-seed", 1, "the seed of random descriptions")
	oracleCount = flag.Int("oracle", 200, "random descriptions to hold against all their words")
)

// oracleGens is the number of generations in which a random description may differ.
const oracleGens = 5

// TestOracle compares the findings and claims about random descriptions with the result of trying all
// words, contexts and generations.
func TestOracle(t *testing.T) {
	t.Parallel()
	tally := map[string]int{}
	for i := range *oracleCount {
		seed := *oracleSeed<<32 + uint64(i)
		source := randisa.Words(seed)
		set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(source)}}, "a.xml", isa.Options{})
		if err != nil {
			tally["refused"]++
			continue
		}
		for _, untried := range []bool{false, true} {
			report, err := Check(t.Context(), set, Options{Search: -1, untried: untried})
			if err != nil { // the description is rejected in another generation
				tally["refused later"]++
				continue
			}
			o := &oracle{T: t, set: set, report: report, seen: newFacts(), tally: tally, extended: strings.Contains(source, "extended")}
			o.run()
			if o.bad != nil {
				t.Errorf("seed %d, untried %t:\n%s\n%s", seed, untried, strings.Join(append(o.bad, lines(report)...), "\n"), source)
			}
		}
	}
	for _, what := range []string{"twins", "twins with a claim", "words of two", "override-never", "assert-never", "leaf-never", "display-never", "no-display", "unresolved", "hidden-bits"} {
		if tally[what] < 10 {
			t.Errorf("%d of %s: this tests too little", tally[what], what)
		}
	}
	t.Log(tally)
}

// oracle tries all words of a description and compares the results with a report.
type oracle struct {
	*testing.T
	set    *isa.Set
	report *Report
	tally  map[string]int
	bad    []string
	// extended reports whether the description is neither strict nor plain isaspec.
	extended bool

	seen *facts
	eval model.Evaluator
	gen  uint32
	ctx  bits.Value
	// reported prevents repeated errors. undecided reports whether the report leaves something open.
	reported  map[string]bool
	undecided bool
}

func (o *oracle) wrong(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if o.reported[text] || len(o.bad) > 12 {
		return
	}
	o.reported[text] = true
	o.bad = append(o.bad, text)
}

func (o *oracle) run() {
	o.reported = map[string]bool{}
	for i := range o.report.Findings {
		f := &o.report.Findings[i]
		o.tally[string(f.Code)]++
		verify(o.T, o.set, f)
		if f.Code == diag.ExprCycle {
			return
		}
	}
	for _, c := range o.report.Claims {
		if !c.Proved {
			o.undecided = true
			o.tally["undecided"]++
		}
	}
	for gen := range uint32(oracleGens) {
		set, err := o.set.WithOptions(isa.Options{Gen: gen})
		if err != nil {
			o.Fatal(err)
		}
		o.gen = gen
		for _, r := range set.Roots() {
			o.root(set, r)
		}
	}
	o.conclude()
}

// contexts returns all combinations of values of the contexts.
func (o *oracle) contexts(m *model.Machine) []bits.Value {
	list := []bits.Value{{}}
	for _, c := range m.ISA.Contexts {
		values := []uint64{0, 1}
		if c.Enum != nil {
			values = nil
			for _, v := range c.Enum.Values {
				values = append(values, v.Val)
			}
		}
		var next []bits.Value
		for _, ctx := range list {
			for _, v := range values {
				ctx.SetUint(c.Low, c.Width, v)
				next = append(next, ctx)
			}
		}
		list = next
	}
	return list
}

func (o *oracle) root(set *isa.Set, r *isa.Root) {
	m := inside.Machine(set)
	env := inside.Top(set, r.ID)
	if len(env.Root.Leaves) == 0 {
		return
	}
	d, err := set.NewDecoder(r.Name)
	if err != nil {
		o.Fatal(err)
	}
	top := r.Name == "#instruction"
	check, err := roundtrip.NewChecker(set, r.Name)
	if err != nil {
		o.Fatal(err)
	}
	matched := make([]bool, 1<<env.Root.Size)
	for _, ctx := range o.contexts(m) {
		o.eval.Context, o.ctx = ctx, ctx
		d.SetContext(ctx)
		check.SetContext(ctx)
		texts := map[string]isa.Inst{}
		for v := range uint64(1) << env.Root.Size {
			var at []*model.Scope
			for _, l := range env.Root.Leaves {
				if s := (&model.Scope{Unit: env.Bound(l), Bits: bits.Of(v)}); bits.Of(v).And(l.Mask) == l.Match && o.allowed(s) {
					at = append(at, s)
				}
			}
			matched[v] = matched[v] || len(at) > 0
			at = unrefined(at)
			for _, s := range at { // if two leaves match one word, both are affected
				o.seen.leaf(s.Unit.Leaf.Spec).possible = true
				if top {
					o.scope(s)
				}
			}
			in, ok := d.Decode(bits.Of(v))
			if ok != (len(at) == 1) || ok && inside.Leaf(in.Leaf) != at[0].Unit.Leaf {
				o.wrong("%s: decoded %t, %d leaves", o.where(r, v), ok, len(at))
				continue
			}
			if len(at) > 1 {
				o.overlap(r, v, at)
			}
			if !top || !ok {
				continue
			}
			text := string(d.Append(nil, in))
			for _, f := range d.Findings() {
				o.finding(r, v, f)
			}
			if d.NumFindings() > 0 {
				continue
			}
			if old, ok := texts[text]; ok {
				o.twins(r, old, in, text)
			}
			texts[text] = in
			if o.extended || text != strings.Join(strings.Fields(text), " ") || o.found(diag.LeafOverlap, func(*Finding) bool { return true }) { // The checker also compares with Mesa's printer, which does not support isago's additions.
				continue
			}
			if _, err := check.Check(bits.Of(v)); err != nil && !allowed(err) {
				o.wrong("%s: %v", o.where(r, v), err)
			}
		}
	}
	o.count(r, matched)
}

// allowed reports whether a word may fail to round-trip for a known reason. Mesa reports cycles
// between names in conditions more often. If the text does not show a bit, the parser sets it to 0,
// and a refining leaf may match the result. A value whose low bits are all 0 prints as +0.
func allowed(err error) bool {
	for _, s := range []string{"as Mesa", "does not decode so", "+0"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

func (o *oracle) where(r *isa.Root, v uint64) string {
	return fmt.Sprintf("%s %x in generation %d, contexts %s", r.Name, v, o.gen, o.ctx)
}

func (o *oracle) allowed(s *model.Scope) bool {
	for _, p := range s.Unit.Requires {
		if o.eval.Eval(p, s) == 0 {
			return false
		}
	}
	return true
}

// unrefined removes the scopes whose leaf is refined by the leaf of another scope.
func unrefined(list []*model.Scope) (left []*model.Scope) {
	for _, s := range list {
		if !slices.ContainsFunc(list, func(x *model.Scope) bool { return refines(x, s) }) {
			left = append(left, s)
		}
	}
	return left
}

func refines(a, b *model.Scope) bool { return slices.Contains(a.Unit.Leaf.Refines, b.Unit.Leaf) }

// found reports whether the report has a finding of that code for which fits is true.
func (o *oracle) found(code diag.Code, fits func(f *Finding) bool) bool {
	for i := range o.report.Findings {
		if f := &o.report.Findings[i]; f.Code == code && fits(f) {
			return true
		}
	}
	return false
}

// claimed returns the proved claim that begins with start and includes the current generation, or "".
func (o *oracle) claimed(start string) string {
	for _, c := range o.report.Claims {
		rest, ok := strings.CutPrefix(c.Text, start)
		if ok && c.Proved && (!strings.Contains(rest, "generation") || o.covers(rest)) {
			return c.Text
		}
	}
	return ""
}

// covers reports whether a text such as " in generation 1 to 3" includes the current generation.
func (o *oracle) covers(text string) bool {
	_, span, _ := strings.Cut(text, "generation ")
	var low, high uint32
	if n, _ := fmt.Sscanf(span, "%d to %d", &low, &high); n == 2 {
		return low <= o.gen && o.gen <= high
	}
	return low == o.gen || strings.HasSuffix(span, "and later") && o.gen >= low
}

func (o *oracle) overlap(r *isa.Root, v uint64, at []*model.Scope) {
	o.tally["words of two"]++
	if c := o.claimed("no word matches two leaves of " + r.Name); c != "" {
		o.wrong("%s is %s and %s, but %s", o.where(r, v), at[0].Unit.Leaf.Name, at[1].Unit.Leaf.Name, c)
	}
	for i, a := range at {
		for _, b := range at[:i] {
			if !o.found(diag.LeafOverlap, func(f *Finding) bool {
				return f.Span == a.Unit.Leaf.Spec.Span && f.Notes[0].Span == b.Unit.Leaf.Spec.Span
			}) {
				o.wrong("%s is %s and %s, and that is not reported", o.where(r, v), a.Unit.Leaf.Name, b.Unit.Leaf.Name)
			}
		}
	}
}

// count compares the number of words that match no leaf with the report.
func (o *oracle) count(r *isa.Root, matched []bool) {
	n := 0
	for _, ok := range matched {
		n += b2i(!ok)
	}
	start := fmt.Sprintf("%d of the %d words of %s,", n, len(matched), r.Name)
	reported := o.found(diag.UnmatchedWords, func(f *Finding) bool { return f.Root == r.Name && strings.HasPrefix(f.Msg, start) })
	if (n > 0) != reported {
		o.wrong("%s has %d words of no leaf in generation %d, reported %t", r.Name, n, o.gen, reported)
	}
	if c := o.claimed("every word of " + r.Name + " matches a leaf"); (c != "") != (n == 0) {
		o.wrong("%s has %d words of no leaf in generation %d, claim %q", r.Name, n, o.gen, c)
	}
}

// scope records the cases, asserts and values that a word uses.
func (o *oracle) scope(s *model.Scope) {
	o.seen.leaf(s.Unit.Leaf.Spec).possible = true
	for b := s.Unit.Leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			fact, holds := o.seen.of(c), true
			if c.Expr != nil {
				holds = o.eval.Eval(s.Unit.Prog(c.Expr), s) != 0
			}
			fact.holds, fact.fails = fact.holds || holds, fact.fails || !holds
			for i, a := range c.Asserts {
				fact.asserts[i] = fact.asserts[i] || holds && s.Bits.And(a.Mask) == a.Match
			}
		}
	}
	for _, c := range s.Unit.Cases {
		if c.Shown && (c.Cond == nil || o.eval.Eval(c.Cond, s) != 0) {
			o.seen.of(c.Spec).text = true
			o.items(c.Items, s)
			return
		}
	}
}

func (o *oracle) items(items []model.Item, s *model.Scope) {
	for i := range items {
		o.items(items[i].Members, s)
		ref := o.eval.Resolve(items[i].Alts, s)
		switch {
		case ref == nil:
		case ref.Kind == spec.KindBitset:
			if in := o.eval.NestedScope(ref, s); in != nil {
				o.scope(in)
			}
		case ref.Kind == spec.KindEnum:
			v := o.eval.Value(ref, s)
			for _, x := range ref.Enum.Spec.Values {
				if x.Val == v {
					o.seen.values[x] = true
					break
				}
			}
		}
	}
}

// finding requires that the report includes a finding that the decoder made in a word.
func (o *oracle) finding(r *isa.Root, v uint64, x isa.Finding) {
	reported := true
	switch x.Kind {
	case isa.NoField:
		_, name, _ := strings.Cut(x.Text, "'")
		name = "{" + strings.TrimSuffix(name, "'") + "}"
		reported = o.found(diag.Unresolved, func(f *Finding) bool { return strings.HasPrefix(f.Msg, name) })
	case isa.NoDisplay:
		reported = o.found(diag.NoDisplay, func(f *Finding) bool { return true })
	case isa.Conflict:
		reported = o.found(diag.LeafOverlap, func(f *Finding) bool { return f.Root != r.Name })
	}
	if !reported {
		o.wrong("%s: %s, and that is not reported", o.where(r, v), x.Text)
	}
}

// twins requires that the report mentions two words with the same text, by their leaves or by the bits
// in which they differ.
func (o *oracle) twins(r *isa.Root, a, b isa.Inst, text string) {
	o.tally["twins"]++
	claim := o.claimed("no two words of " + r.Name + " print the same text")
	if claim == "" {
		return
	}
	o.tally["twins with a claim"]++
	spans := [2]diag.Span{inside.Leaf(a.Leaf).Spec.Span, inside.Leaf(b.Leaf).Spec.Span}
	reported := bits.Value{}
	for i := range o.report.Findings {
		f := &o.report.Findings[i]
		switch {
		case f.Code != diag.SameText && f.Code != diag.HiddenBits && f.Code != diag.FieldUnused:
		case f.Root != r.Name && strings.Contains(claim, "except those reported"): // of an operand
			return
		case f.Span == spans[1] && (len(f.Notes) == 0 && a.Leaf == b.Leaf || len(f.Notes) > 0 && f.Notes[0].Span == spans[0]),
			f.Span == spans[0] && len(f.Notes) > 0 && f.Notes[0].Span == spans[1]:
			return
		case a.Leaf == b.Leaf && len(f.Rows) == 2:
			for i, c := range f.Rows[1].Bits {
				if c == '^' {
					reported.SetUint(a.Leaf.Size-1-i, 1, 1)
				}
			}
		}
	}
	if differ := a.Bits.Xor(b.Bits).AndNot(reported); a.Leaf != b.Leaf || !differ.IsZero() {
		o.wrong("%q is %s and %s of %s and %s in generation %d, but %s", text, a.Bits, b.Bits, a.Leaf.Name, b.Leaf.Name, o.gen, claim)
	}
}

// conclude compares the parts that applied to no word with the parts that, according to the report,
// never apply.
func (o *oracle) conclude() {
	at := func(code diag.Code, span diag.Span) bool {
		return o.found(code, func(f *Finding) bool { return f.Span == span })
	}
	for _, b := range inside.Machine(o.set).ISA.Bitsets {
		top := b.Root().Name == "#instruction"
		if len(b.Children) == 0 && top && !o.undecided && at(diag.LeafNever, b.Span) == o.seen.leaf(b).possible {
			o.wrong("%s: some word is it %t", b.Name, o.seen.leaf(b).possible)
		}
		for i, c := range b.Cases {
			x := o.seen.of(c)
			what := fmt.Sprintf("case %d of %s", i, b.Name)
			if x.holds && c.Expr != nil && at(diag.OverrideNever, c.Span) {
				o.wrong("%s holds", what)
			}
			if x.fails && at(diag.OverrideAlways, c.Span) {
				o.wrong("%s fails", what)
			}
			if t := c.Displays[""]; t != nil && x.text && at(diag.DisplayNever, t.Span) {
				o.wrong("the text of %s is used", what)
			}
			for k, a := range c.Asserts {
				if x.asserts[k] && at(diag.AssertNever, a.Span) {
					o.wrong("assert %d of %s holds", k, what)
				}
			}
			if !top || o.undecided || !x.holds && !x.fails {
				continue
			}
			if !x.holds && !at(diag.OverrideNever, c.Span) {
				o.wrong("%s never holds", what)
			}
			if c.Expr != nil && x.holds && !x.fails && !at(diag.OverrideAlways, c.Span) {
				o.wrong("%s always holds", what)
			}
			if t := c.Displays[""]; t != nil && x.holds && !x.text && !at(diag.DisplayNever, t.Span) {
				o.wrong("the text of %s is never used", what)
			}
			for k, a := range c.Asserts {
				if x.holds && !x.asserts[k] && !at(diag.AssertNever, a.Span) {
					o.wrong("assert %d of %s never holds", k, what)
				}
			}
		}
	}
	for _, e := range inside.Machine(o.set).ISA.Enums {
		for _, v := range e.Values {
			if o.seen.values[v] && at(diag.ValueNever, v.Span) {
				o.wrong("value %d of %s is printed", v.Val, e.Name)
			}
		}
	}
}
