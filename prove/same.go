package prove

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// texts searches each visited root for words that print the same text. It returns the environments for
// which it could not prove that all texts differ.
func (m *machine) texts() (open []*model.Env) {
	if m.deep {
		m.c.limit(m, m.m.ISA.Span, "not proved: that no two words print the same text; operands are nested too deeply")
		return nil
	}
	m.lists = map[*model.Env]*textList{}
	for _, env := range m.order {
		if !m.attempt(env.Root.Spec.Span, "that the texts of "+env.Root.Name+" show all bits", func() { m.shown(env) }) {
			m.open[env.Root] = true
		}
	}
	verdicts := map[*model.Env]textVerdict{}
	for _, env := range m.order {
		before := len(m.c.findings)
		v := textVerdict{}
		m.attempt(env.Root.Spec.Span, "that each text of "+env.Root.Name+" has one meaning", func() {
			if env.Root.Size <= maxTried && !m.c.opt.untried && !tabled(env.Root.Spec, map[*spec.Bitset]bool{}) {
				v.proved, v.tried = m.tryAll(env), true
			} else {
				v.proved = m.checkAmbiguity(env) && !m.open[env.Root]
			}
		})
		v.doubted, v.rounded = len(m.c.findings) > before || m.doubtful[env.Root], m.showsFloat[env.Root]
		verdicts[env] = v
	}
	for _, env := range m.order {
		v := verdicts[env]
		if !v.tried { // the proof assumes that the text of an operand determines its bits
			inner := map[*model.Env]bool{}
			operandsOf(env, inner)
			for x := range inner {
				if o, ok := verdicts[x]; ok { // the texts of other operands are part of the enclosing root
					v.with(o)
				}
			}
		}
		if !v.proved {
			open = append(open, env)
			continue
		}
		m.c.proved("no two words of %s print the same text%s%s", env.Root.Name, v.except(), m.genText())
	}
	return open
}

// textVerdict is the result of checking the texts of a root.
type textVerdict struct {
	// tried reports whether every word was printed. proved reports whether all texts differ, with two
	// exceptions. If doubted is true, findings report words with the same text. If rounded is true,
	// floats may round to the same text.
	tried, proved, doubted, rounded bool
}

// with combines the verdict with the verdict on an operand.
func (v *textVerdict) with(o textVerdict) {
	v.proved = v.proved && o.proved
	v.doubted, v.rounded = v.doubted || o.doubted, v.rounded || o.rounded
}

func (v *textVerdict) except() string {
	const reported, floats = "those reported", "floats that round to the same text"
	switch {
	case v.doubted && v.rounded:
		return ", except " + reported + " and " + floats
	case v.doubted:
		return ", except " + reported
	case v.rounded:
		return ", except " + floats
	}
	return ""
}

// operandsOf collects the environments of operands at any depth.
func operandsOf(env *model.Env, seen map[*model.Env]bool) {
	for _, l := range env.Root.Leaves {
		for _, c := range env.Bound(l).Cases {
			for _, ref := range references(c.Items, nil) {
				if ref.Env == nil || seen[ref.Env] {
					continue
				}
				seen[ref.Env] = true
				operandsOf(ref.Env, seen)
			}
		}
	}
}

// allTexts checks the texts of each generation. It then tries random words in each environment for
// which the proof failed.
func (c *checker) allTexts() {
	type job struct {
		m   *machine
		env *model.Env
	}
	var jobs []job
	for i, open := range c.eachTexts() {
		for _, env := range open {
			jobs = append(jobs, job{c.machines[i], env})
		}
	}
	c.searched = len(jobs) > 0
	for _, j := range jobs {
		words := c.opt.Search / len(jobs)
		read, root := 0, j.env.Root
		j.m.attempt(root.Spec.Span, "that random words of "+root.Name+" print different texts", func() { j.m.readRandomWords(j.env, words, &read) })
		c.limit(j.m, root.Spec.Span, "not proved: that no two words of %s print the same text%s; %d random words showed no unreported case", root.Name, j.m.genText(), read)
	}
}

// tabled reports whether the text of a root depends on table entries.
func tabled(b *spec.Bitset, seen map[*spec.Bitset]bool) bool {
	if seen[b] {
		return false
	}
	seen[b] = true
	for _, c := range b.Cases {
		for _, f := range c.Fields {
			if f.Table != nil || f.Bitset != nil && tabled(f.Bitset, seen) {
				return true
			}
		}
	}
	for _, c := range b.Children {
		if tabled(c, seen) {
			return true
		}
	}
	return false
}

// Limits for the enumeration of all words of a root. maxTried limits the bits of a word, and
// maxContexts the combinations of contexts.
const (
	maxTried    = 16
	maxContexts = 64
)

// contexts returns all combinations of values of the contexts on which the texts of a root depend. In
// each combination, all other contexts have their first value. contexts returns nil if there are too
// many combinations.
func (m *machine) contexts(root *spec.Bitset) []bits.Value {
	asked := askedNames{names: map[string]bool{}, seen: map[*spec.Bitset]bool{}}
	asked.bitset(root)
	list := []bits.Value{{}}
	for _, c := range m.m.ISA.Contexts {
		values := []uint64{0, 1}
		if c.Enum != nil {
			values = nil
			for _, v := range c.Enum.Values {
				values = append(values, v.Val)
			}
		}
		if !asked.names["@"+c.Name] && len(values) > 0 {
			values = values[:1]
		}
		var next []bits.Value
		for _, ctx := range list {
			for _, v := range values {
				ctx.SetUint(c.Low, c.Width, v)
				next = append(next, ctx)
			}
		}
		if list = next; len(list) > maxContexts {
			return nil
		}
	}
	return list
}

// askedNames collects the names that a root and its nested roots use.
type askedNames struct {
	names map[string]bool
	seen  map[*spec.Bitset]bool
}

func (a *askedNames) bitset(b *spec.Bitset) {
	if a.seen[b] {
		return
	}
	a.seen[b] = true
	for _, e := range b.Requires {
		a.expr(e)
	}
	for _, o := range b.Operands {
		a.templates(o.Displays)
	}
	for _, c := range b.Cases {
		a.expr(c.Expr)
		a.templates(c.Displays)
		for _, f := range c.Fields {
			a.field(f)
		}
		for _, s := range c.Sets {
			for _, m := range s.Members {
				a.names[m.Name] = true
			}
		}
	}
	for _, c := range b.Children {
		a.bitset(c)
	}
}

func (a *askedNames) field(f *spec.Field) {
	a.expr(f.Expr)
	for _, p := range f.Params {
		a.names[p.Name] = true
	}
	if f.Bitset != nil {
		a.bitset(f.Bitset)
	}
}

func (a *askedNames) templates(displays map[string]*spec.Template) {
	for _, t := range displays {
		for _, it := range t.Items() {
			a.names[it.Ref] = true
		}
	}
}

func (a *askedNames) expr(e *spec.Expr) {
	if e == nil {
		return
	}
	for _, name := range e.FieldNames() {
		a.names[name] = true
	}
}

// leaf returns the leaf of the set for a leaf of the model.
func (m *machine) leaf(l *model.Leaf) *isa.Leaf { return m.set.Roots()[l.Root.ID].Leaves[l.ID] }

// tryAll prints every word of a root in all contexts and reports words with the same text. It returns
// false if there are too many combinations of contexts.
func (m *machine) tryAll(env *model.Env) bool {
	d, err := m.set.NewDecoder(env.Root.Name)
	contexts := m.contexts(env.Root.Spec)
	if err != nil || contexts == nil {
		return false
	}
	for _, ctx := range contexts {
		d.SetContext(ctx)
		seen := map[string]isa.Inst{}
		for v := range uint64(1) << env.Root.Size {
			m.budget.spend(printCost)
			in, ok := d.Decode(bits.Of(v))
			if !ok || in.Bits[0] != v {
				continue
			}
			text := string(d.Append(nil, in))
			if d.NumFindings() > 0 {
				continue
			}
			old, ok := seen[text]
			if !ok {
				seen[text] = in
				continue
			}
			m.reportTwins(env.Root, old, in, ctx, nil, nil)
		}
	}
	return true
}

// reportTwins reports that two words print the same text, unless other findings about the leaf explain
// this. It returns false if the texts differ or if a word has findings.
func (m *machine) reportTwins(r *model.Root, a, b isa.Inst, ctx bits.Value, ea, eb map[string]bits.Value) bool {
	la, lb := inside.Leaf(a.Leaf), inside.Leaf(b.Leaf)
	differ := m.differingBits(la, a.Bits, b.Bits)
	if a.Leaf == b.Leaf && differ.IsZero() {
		return true
	}
	wa, wb := m.witness(r, a.Bits, ctx, a.Leaf.Size, ea), m.witness(r, b.Bits, ctx, b.Leaf.Size, eb)
	if wa.Text != wb.Text || len(wa.Findings)+len(wb.Findings) > 0 {
		return false
	}
	f := &Finding{Code: diag.SameText, Level: Warning, Span: lb.Spec.Span, Root: r.Name}
	f.key = fmt.Sprintf("same %s %s", la.Spec.Span, lb.Spec.Span)
	if a.Leaf == b.Leaf {
		f.Msg = fmt.Sprintf("two words of %s print %q", a.Leaf.Name, wa.Text)
		for left := differ; !left.IsZero(); {
			own := bits.Range(left.TrailingZeros(), 1)
			if x := owner(la, left.TrailingZeros()); x != nil {
				own = fieldMask(x)
			}
			left = left.AndNot(own)
			wb = m.simplify(r, la, wa, wb, own)
		}
		b.Bits = wb.Word
		differ = m.differingBits(la, a.Bits, b.Bits)
		f.fields = owners(la, differ)
		f.leaves, f.cause = []string{a.Leaf.Name}, r.Name+" "+sameFields(la, differ)
		if x := owner(la, differ.TrailingZeros()); len(f.fields) == 1 && x != nil {
			f.with(x.Span, "%s is defined here", x.Name)
		}
	} else {
		f.Msg = fmt.Sprintf("a word of %s and one of %s print %q", a.Leaf.Name, b.Leaf.Name, wa.Text)
		f.with(la.Spec.Span, "%s is defined here", a.Leaf.Name)
		f.leaves, f.pairs = []string{a.Leaf.Name + "/" + b.Leaf.Name}, true
		wb = m.simplify(r, lb, wa, wb, bits.Ones(b.Leaf.Size).AndNot(lb.Mask))
		b.Bits = wb.Word
		f.cause = fmt.Sprintf("%s %s", r.Name, a.Bits.Xor(b.Bits))
	}
	f.Rows = []Row{wordRow(a), wordRow(b), differRow(a, b)}
	f.Witnesses = []Witness{wa, wb}
	m.c.add(m, f)
	return true
}

// differingBits returns the bits in which two words of a leaf differ, except for bits that the text
// does not determine and bits of floats.
func (m *machine) differingBits(l *model.Leaf, a, b bits.Value) bits.Value {
	return a.Xor(b).AndNot(m.lossy[l]).AndNot(m.floats[l])
}

// simplify returns b with the bits own copied from a, if that word prints the same text and still
// differs from a in a bit that the text determines. Otherwise it returns b unchanged.
func (m *machine) simplify(r *model.Root, l *model.Leaf, a, b Witness, own bits.Value) Witness {
	word := b.Word.AndNot(own).Or(a.Word.And(own))
	left := m.differingBits(l, a.Word, word)
	if w := m.witness(r, word, b.Context, b.Size, b.Entries); !left.IsZero() && w.Matched && w.Text == b.Text && len(w.Findings) == 0 {
		return w
	}
	return b
}

// sameFields formats the fields that contain the bits of the mask. The result is equal for leaves
// whose fields have equal names and types.
func sameFields(l *model.Leaf, mask bits.Value) string {
	var b strings.Builder
	for !mask.IsZero() {
		f := owner(l, mask.TrailingZeros())
		if f == nil {
			fmt.Fprintf(&b, "%s ", mask)
			break
		}
		fmt.Fprintf(&b, "%s %d %p %p ", f.Name, f.Kind, f.Enum, f.Bitset)
		mask = mask.AndNot(fieldMask(f))
	}
	return b.String()
}

func wordRow(in isa.Inst) Row {
	return Row{in.Leaf.Name, pattern(in.Leaf.Size, bits.Ones(in.Leaf.Size), in.Bits, bits.Value{})}
}

func differRow(a, b isa.Inst) Row {
	return caretRow("differ in", a.Bits.Xor(b.Bits), max(a.Leaf.Size, b.Leaf.Size))
}

// caretRow returns a row that marks the bits of a mask with carets.
func caretRow(label string, mask bits.Value, size int) Row {
	s := pattern(size, mask, mask, bits.Value{})
	return Row{label, strings.NewReplacer("1", "^", "-", " ").Replace(s)}
}

// Limits on the number of ambiguous texts to examine, in total and for each pair of cases.
const (
	maxMerges        = 3000
	maxMergesPerPair = 6
)

// checkAmbiguity uses an automaton of all texts of a root to prove that no text has two meanings. If a
// text has two, checkAmbiguity finds the words and reports them. It returns false if a text remains
// undecided.
func (m *machine) checkAmbiguity(env *model.Env) bool {
	g := &grammar{automaton: newAutomaton(), m: m}
	g.budget = m.budget
	start := g.root(env, accept)
	if g.full {
		return false
	}
	proved, tried := true, 0
	perPair := map[[2]*textStep]int{}
	settled := map[[2]*textStep]bool{}
	x := g.search(start, func(x *ambiguity, at merge) {
		if tried++; tried > maxMerges {
			proved = false
			return
		}
		text, p, q := x.paths(at)
		key := [2]*textStep{firstCase(g, p), firstCase(g, q)}
		if settled[key] {
			return
		}
		if perPair[key]++; perPair[key] > maxMergesPerPair {
			proved = false
			return
		}
		switch m.checkMerge(env, g, text, p, q) {
		case circuit.Sometimes:
			settled[key] = true
		case circuit.Unknown:
			proved = false
		}
	})
	return proved && !x.full
}

// firstCase returns the case of the outermost leaf on a path.
func firstCase(g *grammar, path []event) *textStep {
	for _, e := range path {
		if mk := g.states[e.state].mark; mk.kind == markBegin && mk.step.unit != nil {
			return mk.step
		}
	}
	return nil
}

// checkMerge searches for two different words that print the same text along two paths. It returns
// sometimes if it reports such words, and unknown if it finds none.
func (m *machine) checkMerge(env *model.Env, g *grammar, text string, p, q []event) circuit.Answer {
	a, ctx, ok := m.read(env, g, text, p, nil)
	if !ok {
		return circuit.Unknown
	}
	b, _, ok := m.read(env, g, text, q, &ctx)
	if !ok {
		return circuit.Unknown
	}
	if a.Leaf == b.Leaf && a.Bits == b.Bits {
		return circuit.Unknown
	}
	if m.reportTwins(env.Root, a, b, ctx, nil, nil) {
		return circuit.Sometimes
	}
	return circuit.Unknown
}

// read returns a word that prints a text along the given path, and the contexts of the word. If ctx is
// not nil, read uses these contexts. The last result is false if read finds no such word.
func (m *machine) read(env *model.Env, g *grammar, text string, path []event, ctx *bits.Value) (isa.Inst, bits.Value, bool) {
	w := m.world()
	top := firstCase(g, path)
	if top == nil {
		return isa.Inst{}, bits.Value{}, false
	}
	r := reader{m: m, w: w, text: text, f: w.top(top.unit)}
	r.goal = w.All(r.f.exists, r.f.unambiguous(), r.f.expected())
	for _, e := range path {
		if mk := g.states[e.state].mark; mk.kind != markNone {
			r.step(mk, e.at)
		}
	}
	if ctx != nil {
		for i, l := range w.ctx {
			r.goal = w.And(r.goal, l^circuit.Lit(1-ctx.Bit(i)))
		}
	}
	in, ans := w.Satisfy(r.goal)
	if ans != circuit.Sometimes {
		return isa.Inst{}, bits.Value{}, false
	}
	word, found := r.f.root().words(in)
	return isa.Inst{Leaf: m.leaf(top.unit.Leaf), Bits: word}, found, true
}

// reader converts a path to a condition on the word.
type reader struct {
	m     *machine
	w     *world
	f     *frame
	outer []*frame
	goal  circuit.Lit
	text  string
	begin int
}

func (r *reader) step(mk mark, at int) {
	s, w := mk.step, r.w
	switch {
	case s.unit != nil:
		r.goal = w.And(r.goal, r.f.usesCase(s.index))
	case s.leaf != nil && mk.kind == markEnd:
		r.f, r.outer = r.outer[len(r.outer)-1], r.outer[:len(r.outer)-1]
	case s.leaf != nil:
		r.goal = w.And(r.goal, r.f.selects(s.alts, s.alt))
		in := r.f.inside(s.alts[s.alt].Ref, s.leaf, r.goal)
		r.outer, r.f = append(r.outer, r.f), in
		r.goal = w.All(r.goal, in.exists, in.expected())
	case mk.kind == markBegin:
		r.begin = at
	default:
		r.goal = w.All(r.goal, r.f.selects(s.alts, s.alt), r.m.textIs(r.f, s.alts[s.alt].Ref, r.text[r.begin:at]))
	}
}

// usesCase returns the condition under which the leaf prints with a case and no assert fails.
func (f *frame) usesCase(index int) circuit.Lit {
	out := circuit.True
	for i, c := range f.unit.Cases[:index+1] {
		cond := circuit.True
		if c.Cond != nil {
			cond = f.holds(c.Cond)
		}
		agree := f.asserted(c.Spec.Asserts)
		switch {
		case i == index:
			out = f.w.All(out, cond, agree)
		case c.Shown:
			out = f.w.And(out, cond.Not())
		default:
			out = f.w.And(out, f.w.Or(cond.Not(), agree))
		}
	}
	return out
}

// selects returns the condition under which alts[k] is the meaning of a name.
func (f *frame) selects(alts []model.Alt, k int) circuit.Lit {
	out := circuit.True
	for i := range k {
		out = f.w.And(out, f.condition(&alts[i]).Not())
	}
	return f.w.And(out, f.condition(&alts[k]))
}

// readRandomWords prints random words and parses the text back, to find two words with the same text.
// It increments *read for each word. The words are the same in each run, so that reports can be
// compared.
func (m *machine) readRandomWords(env *model.Env, words int, read *int) {
	d, err := m.set.NewDecoder(env.Root.Name)
	if err != nil {
		return
	}
	p, err := asm.New(m.set, env.Root.Name)
	if err != nil || len(env.Root.Leaves) == 0 {
		return
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range words {
		l := env.Root.Leaves[n%len(env.Root.Leaves)]
		m.readBack(d, p, l, randomWord(r, l))
		*read++
	}
}

func randomWord(r *rand.Rand, l *model.Leaf) bits.Value {
	v := bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	if r.IntN(2) == 0 {
		v = v.And(bits.Value{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	}
	return v.AndNot(l.Mask).AndNot(l.DontCare).Or(l.Match).And(bits.Ones(l.Size))
}

// readBack prints a word, parses the text and compares the resulting word with the original word.
func (m *machine) readBack(d *isa.Decoder, p *asm.Parser, l *model.Leaf, word bits.Value) {
	m.budget.spend(printCost)
	in, ok := d.Decode(word)
	if !ok || inside.Leaf(in.Leaf) != l || len(d.IndexFields(in)) > 0 {
		return
	}
	text := d.Append(nil, in)
	if d.NumFindings() > 0 {
		return
	}
	res, err := p.Parse(string(text))
	m.budget.spend(readCost * p.Work())
	if err != nil || res.Context != d.Context() {
		return
	}
	m.reportTwins(l.Root, in, res.Inst, d.Context(), nil, nil)
}
