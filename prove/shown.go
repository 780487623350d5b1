package prove

import (
	"fmt"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/circuit"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// shown finds and reports, for each leaf, the bits that the text does not determine.
func (m *machine) shown(env *model.Env) {
	for _, l := range env.Root.Leaves {
		s := &textChecker{m: m, env: env, leaf: l}
		for i, c := range env.Bound(l).Cases {
			if c.Shown {
				s.display(i)
			}
		}
		s.report()
	}
}

// textChecker checks the texts of one leaf.
type textChecker struct {
	m    *machine
	env  *model.Env
	leaf *model.Leaf
	seen []caseBits
}

// caseBits are the bits of a leaf that one display does not determine.
type caseBits struct {
	c *model.Case
	// hidden are the bits that do not change the text. ambiguous are bits that are not hidden, but in
	// which two words with the same text differ.
	hidden, ambiguous bits.Value
	// any is a word that prints with the display. It is set if some bits are hidden. word and twin are
	// words that print the same text. They are set if some bits are ambiguous.
	any, word example
	twin      bits.Value
}

// example is a word with its contexts and table entries.
type example struct {
	bits, ctx bits.Value
	entries   map[string]bits.Value
}

func (f *frame) example(in circuit.Assignment) example {
	word, ctx := f.words(in)
	return example{word, ctx, f.tables(in)}
}

// display checks one case of the leaf. It finds the bits that do not affect the text, and two words
// that use the case and print the same text.
func (s *textChecker) display(index int) {
	w := s.m.world()
	u := s.env.Bound(s.leaf)
	f := w.top(u)
	here := w.All(f.exists, f.unambiguous(), f.expected(), f.usesCase(index))
	in, ans := w.Satisfy(here)
	s.markUndecided(ans == circuit.Unknown || w.approximate)
	if ans != circuit.Sometimes {
		return
	}
	collected := collector{m: s.m, seen: map[int]bool{}, determined: map[int]bool{}, floats: map[int]bool{}}
	collected.lits(w, here)
	collected.items(f, u.Cases[index].Items, circuit.True)
	s.m.showsFloat[s.leaf.Root] = s.m.showsFloat[s.leaf.Root] || collected.float
	for i, l := range f.word {
		if l > circuit.True && collected.floats[l.Node()] {
			v := s.m.floats[s.leaf]
			v.SetUint(i, 1, 1)
			s.m.floats[s.leaf] = v
		}
	}
	s.markUndecided(collected.deep)
	if collected.deep {
		return
	}
	b := caseBits{c: u.Cases[index]}
	for i, l := range f.word {
		if l > circuit.True && !collected.seen[l.Node()] && s.leaf.DontCare.Bit(i) == 0 {
			b.hidden.SetUint(i, 1, 1)
		}
	}
	if !b.hidden.IsZero() {
		b.any = f.example(in)
	}
	s.findTwins(&b, w, f, index, here, &collected)
	s.seen = append(s.seen, b)
}

// findTwins searches for a second word with the same text that differs in bits that are not hidden. It
// skips bits whose values the text shows directly.
func (s *textChecker) findTwins(b *caseBits, w *world, f *frame, index int, here circuit.Lit, collected *collector) {
	word := make([]circuit.Lit, len(f.word))
	differ := circuit.False
	var open []int
	for i, l := range f.word {
		word[i] = l
		if l > circuit.True && !collected.determined[l.Node()] && b.hidden.Bit(i) == 0 && s.leaf.DontCare.Bit(i) == 0 {
			word[i] = w.Input()
			differ = w.Or(differ, w.Xor(word[i], l))
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return
	}
	g := w.frame(f.unit, word, nil)
	g.entries = f.entries
	g.exists = w.All(w.valid, g.required(), g.notRefined())
	same := s.m.sameItems(f, g, f.unit.Cases[index].Items)
	if w.full() || w.approximate {
		s.markUndecided(true)
		return
	}
	goal := w.All(here, g.exists, g.unambiguous(), g.expected(), g.usesCase(index), same)
	for others := 0; !b.covered(open); {
		in, ans := w.Satisfy(w.And(goal, differ))
		s.markUndecided(ans == circuit.Unknown || w.approximate)
		if ans != circuit.Sometimes {
			return
		}
		one := f.example(in)
		two, _ := g.words(in)
		if !s.printsAlike(one, two) {
			if others++; others > maxOthers {
				s.markUndecided(true)
				return
			}
			goal = w.And(goal, w.wordIs(f.word, one.bits).Not())
			continue
		}
		if b.ambiguous.IsZero() {
			b.word, b.twin = one, two
		}
		b.ambiguous = b.ambiguous.Or(one.bits.Xor(two))
		differ = circuit.False
		for _, i := range open {
			if b.ambiguous.Bit(i) == 0 {
				differ = w.Or(differ, w.Xor(word[i], f.word[i]))
			}
		}
	}
}

// maxOthers limits the solutions that are rejected because the printed words have a finding or
// different texts.
const maxOthers = 32

// printsAlike reports whether two words print the same text without findings.
func (s *textChecker) printsAlike(one example, two bits.Value) bool {
	a, b := s.witness(one, one.bits), s.witness(one, two)
	return a.Text == b.Text && len(a.Findings)+len(b.Findings) == 0
}

// witness prints a word in the contexts and with the table entries of an example.
func (s *textChecker) witness(at example, word bits.Value) Witness {
	return s.m.witness(s.leaf.Root, word, at.ctx, s.leaf.Size, at.entries)
}

// wordIs returns the condition that the literals have the values of the bits of a word.
func (w *world) wordIs(list []circuit.Lit, word bits.Value) circuit.Lit {
	out := circuit.True
	for i, l := range list {
		out = w.And(out, l^circuit.Lit(1-word.Bit(i)))
	}
	return out
}

// markUndecided records, if its argument is true, that a display of the root could not be compared.
func (s *textChecker) markUndecided(is bool) {
	if is {
		s.m.open[s.leaf.Root] = true
	}
}

func (b *caseBits) covered(open []int) bool {
	for _, i := range open {
		if b.ambiguous.Bit(i) == 0 {
			return false
		}
	}
	return true
}

// collector collects the inputs that affect a text.
type collector struct {
	m *machine
	// seen are the inputs that can change the text. determined are the inputs whose values the text
	// shows.
	seen, determined map[int]bool
	// deep reports whether operands exceed the nesting limit.
	deep  bool
	depth int
	// float reports whether the text contains a float. floats are the inputs that floats depend on.
	float  bool
	floats map[int]bool
}

func (t *collector) lits(w *world, list ...circuit.Lit) { w.AddSupport(t.seen, list...) }

func (t *collector) items(f *frame, items []model.Item, here circuit.Lit) {
	for i := range items {
		it := &items[i]
		t.items(f, it.Members, here)
		if it.Kind != model.ItemRef {
			continue
		}
		for k := range it.Alts {
			a := &it.Alts[k]
			if a.Cond != nil {
				t.lits(f.w, f.condition(a))
			}
			if a.Ref != nil {
				t.reference(f, a.Ref, len(it.Alts) == 1 && a.Cond == nil && here == circuit.True)
			}
		}
	}
}

// reference adds the inputs on which the text of a field depends. sure means that the display always
// prints the field.
func (t *collector) reference(f *frame, ref *model.Ref, sure bool) {
	w := f.w
	if ref.Kind == spec.KindFloat {
		t.float = true
		w.AddSupport(t.floats, f.reference(ref)...)
	}
	if ref.Kind == spec.KindBitset {
		t.operand(f, ref, sure)
		return
	}
	if (ref.Kind == spec.KindBool || ref.Kind == spec.KindBoolInv) && ref.Field != nil && ref.Field.Display != nil && *ref.Field.Display == "" {
		return
	}
	if ref.Prog != nil || ref.Context != nil {
		t.lits(w, f.reference(ref)...)
		return
	}
	t.index(f, ref)
	for _, l := range f.rawBits(ref) {
		t.lits(w, l)
		if sure && l > circuit.True && determines(ref) {
			t.determined[l.Node()] = true
		}
	}
}

// index treats the bits of a table index as determined if a part of the entry is printed, because it
// does not matter which of several equal entries the word selects.
func (t *collector) index(f *frame, ref *model.Ref) {
	for _, e := range ref.Path {
		if e.Field.Table != nil {
			for _, l := range gather(e.Field, f.above(ref.ScopeDepth).word) {
				t.lits(f.w, l)
				t.determined[l.Node()] = true
			}
		}
	}
}

// determines reports whether different values of a field always print different texts. It ignores the
// rounding of floats to six decimals.
func determines(ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindBool, spec.KindBoolInv:
		return ref.Width == 1
	case spec.KindEnum:
		seen := map[string]bool{}
		for _, x := range ref.Enum.Texts {
			if x.Alias || ref.Width < 64 && x.Val>>uint(ref.Width) != 0 {
				continue
			}
			if seen[x.Text] || isNumber(x.Text) {
				return false
			}
			seen[x.Text] = true
		}
		return ref.Width <= 32
	case spec.KindUint:
		return ref.Width <= 64
	}
	return true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (t *collector) operand(f *frame, ref *model.Ref, sure bool) {
	t.index(f, ref)
	if ref.Env.Closed() { // the hidden bits of the operand are reported for its own root
		t.float = t.float || t.m.showsFloat[ref.Env.Root]
		for _, l := range f.ownBits(ref) {
			t.lits(f.w, l)
			if sure && l > circuit.True && ref.Prog == nil {
				t.determined[l.Node()] = true
			}
		}
		return
	}
	if t.depth++; t.depth > maxNested {
		t.deep = true
	}
	defer func() { t.depth-- }()
	for _, l := range ref.Env.Root.Leaves {
		if t.deep = t.deep || f.w.full(); t.deep {
			return
		}
		in := f.inside(ref, l, circuit.True)
		t.lits(f.w, in.exists, in.expected()) // ignored bits cause findings when they are set
		for i := range in.unit.Cases {
			if c := in.unit.Cases[i]; c.Shown {
				t.lits(f.w, in.usesCase(i))
				t.items(in, c.Items, circuit.False)
			}
		}
	}
}

// sameItems returns the condition under which two words use the same meaning of each name in a display
// and print equal values.
func (m *machine) sameItems(f, g *frame, items []model.Item) circuit.Lit {
	w, out := f.w, circuit.True
	for i := range items {
		it := &items[i]
		out = w.And(out, m.sameItems(f, g, it.Members))
		if it.Kind != model.ItemRef {
			continue
		}
		any := circuit.False
		for k := range it.Alts {
			same := circuit.True
			if ref := it.Alts[k].Ref; ref != nil {
				same = m.sameText(f, g, ref)
			}
			any = w.Or(any, w.All(f.selects(it.Alts, k), g.selects(it.Alts, k), same))
		}
		out = w.And(out, any)
	}
	return out
}

// sameText returns the condition under which a field prints the same text for two words.
func (m *machine) sameText(f, g *frame, ref *model.Ref) circuit.Lit {
	w := f.w
	if ref.Kind == spec.KindBitset {
		return m.sameOperand(f, g, ref)
	}
	if ref.Width > 64 && ref.Prog == nil {
		return w.sameBits(f.rawBits(ref), g.rawBits(ref))
	}
	x, y := f.reference(ref), g.reference(ref)
	switch ref.Kind {
	case spec.KindBool, spec.KindBoolInv:
		switch {
		case ref.Field != nil && ref.Field.Display != nil && *ref.Field.Display == "":
			return circuit.True
		case ref.Field != nil && ref.Field.Display != nil || ref.Kind == spec.KindBoolInv:
			return w.Xor(w.IsSet(x), w.IsSet(y)).Not()
		}
		return w.sameLow(x, y, 32)
	case spec.KindEnum:
		return w.sameEnum(ref, x, y)
	case spec.KindUint, spec.KindHex, spec.KindUOffset, spec.KindCustom:
		return w.Equal(x, y)
	case spec.KindOffset: // 0 prints nothing, and a wider value whose low bits are 0 prints +0
		zero := w.Xor(w.IsSet(x), w.IsSet(y)).Not()
		return w.And(zero, w.sameLow(x, y, min(max(ref.Width, 1), 64)))
	}
	return w.sameLow(x, y, m.printedBits(ref))
}

// printedBits returns how many low bits of a signed number are printed. In strict descriptions, all
// bits of an absolute branch target are printed.
func (m *machine) printedBits(ref *model.Ref) int {
	if ref.Kind == spec.KindAbsBranch && m.m.ISA.Strict {
		return 64
	}
	return min(max(ref.Width, 1), 64)
}

func (w *world) sameBits(x, y []circuit.Lit) circuit.Lit {
	out := circuit.True
	for i := range x {
		out = w.And(out, w.Xor(x[i], y[i]).Not())
	}
	return out
}

// sameEnum returns the condition under which two values of an enum have the same text.
func (w *world) sameEnum(ref *model.Ref, x, y circuit.Vec) circuit.Lit {
	groups := map[string][2]circuit.Lit{}
	var order []string
	listedX, listedY := circuit.False, circuit.False
	for _, t := range ref.Enum.Texts {
		if t.Alias {
			continue
		}
		g, ok := groups[t.Text]
		if !ok {
			g = [2]circuit.Lit{circuit.False, circuit.False}
			order = append(order, t.Text)
		}
		ix, iy := w.Equal(x, constant(t.Val)), w.Equal(y, constant(t.Val))
		listedX, listedY = w.Or(listedX, ix), w.Or(listedY, iy)
		groups[t.Text] = [2]circuit.Lit{w.Or(g[0], ix), w.Or(g[1], iy)}
	}
	out := w.All(listedX.Not(), listedY.Not(), w.sameLow(x, y, 32))
	for _, text := range order {
		g := groups[text]
		out = w.Or(out, w.And(g[0], g[1]))
		if isNumber(text) {
			out = w.Any(out, w.All(g[0], listedY.Not(), w.lowBits(y, 32, text, 10)), w.All(g[1], listedX.Not(), w.lowBits(x, 32, text, 10)))
		}
	}
	return out
}

// sameOperand returns the condition under which an operand prints the same text for two words. If the
// operand depends on its environment, both words must have the same leaf, case and values. Otherwise
// they must have the same operand bits.
func (m *machine) sameOperand(f, g *frame, ref *model.Ref) circuit.Lit {
	w := f.w
	if ref.Env.Closed() {
		return w.sameBits(f.ownBits(ref), g.ownBits(ref))
	}
	out := circuit.False
	for _, l := range ref.Env.Root.Leaves {
		if w.full() {
			return circuit.True
		}
		a, b := f.inside(ref, l, circuit.True), g.inside(ref, l, circuit.True)
		both := w.All(a.exists, b.exists, a.expected(), b.expected())
		if both == circuit.False {
			continue
		}
		for i, c := range a.unit.Cases {
			if c.Shown {
				out = w.Or(out, w.All(both, a.usesCase(i), b.usesCase(i), m.sameItems(a, b, c.Items)))
			}
		}
	}
	return out
}

// report converts the results to findings. It distinguishes bits that every display hides from bits
// that only some displays hide.
func (s *textChecker) report() {
	if len(s.seen) == 0 {
		return
	}
	always := bits.Ones(s.leaf.Size)
	for _, b := range s.seen {
		always = always.And(b.hidden)
	}
	lossy := bits.Value{}
	for i := range s.seen {
		b := &s.seen[i]
		lossy = lossy.Or(b.hidden).Or(b.ambiguous)
		s.hidden(b, b.hidden.And(always), nil)
		s.hidden(b, b.hidden.AndNot(always), b.c)
		if !b.ambiguous.IsZero() {
			s.reportAmbiguous(b)
		}
	}
	s.m.lossy[s.leaf] = s.m.lossy[s.leaf].Or(lossy)
	if !lossy.IsZero() {
		s.m.doubtful[s.leaf.Root] = true
	}
}

// owner returns the field of a leaf that contains a bit, or nil if no field does.
func owner(l *model.Leaf, bit int) *spec.Field {
	for b := l.Spec; b != nil; b = b.Extends {
		for _, f := range b.Cases[len(b.Cases)-1].Fields {
			for _, p := range f.Parts {
				if p.Low <= bit && bit < p.Low+p.Width {
					return f
				}
			}
		}
	}
	return nil
}

// owners returns the names of the fields that contain the bits, and "" for bits outside of fields.
func owners(l *model.Leaf, mask bits.Value) []string {
	var names []string
	for ; !mask.IsZero(); mask = mask.AndNot(bits.Range(mask.TrailingZeros(), 1)) {
		name := ""
		if f := owner(l, mask.TrailingZeros()); f != nil {
			name = f.Name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hidden reports hidden bits, with one finding per field. c is the case that hides them, or nil for
// all cases.
func (s *textChecker) hidden(b *caseBits, mask bits.Value, c *model.Case) {
	for !mask.IsZero() {
		bit := mask.TrailingZeros()
		f := owner(s.leaf, bit)
		own, note := bits.Range(bit, 1), ""
		span, name := s.leaf.Spec.Span, ""
		if f != nil {
			own = mask.And(fieldMask(f))
			span, name = f.Span, ", of field "+f.Name
		}
		if f != nil && !s.m.m.ISA.Strict && strings.HasPrefix("NAME", f.Name) {
			note = "{" + f.Name + "} prints the name of the leaf, as each prefix of NAME does"
		}
		mask = mask.AndNot(own)
		x := s.hiddenField(b, own, span, name, c)
		x.fields = owners(s.leaf, own)
		if note != "" && len(x.Notes) == 1 {
			x.with(span, "%s", note)
		}
	}
}

func fieldMask(f *spec.Field) bits.Value {
	var v bits.Value
	for _, p := range f.Parts {
		v = v.Or(bits.Range(p.Low, p.Width))
	}
	return v
}

func (s *textChecker) hiddenField(b *caseBits, own bits.Value, span diag.Span, name string, c *model.Case) *Finding {
	x := &Finding{Code: diag.HiddenBits, Level: Warning, Span: caseSpan(b.c)}
	x.Msg = fmt.Sprintf("the text of %s does not show %s%s", s.leaf.Name, bitNames(own), name)
	if c != nil {
		x.Msg += " when this display is used"
	} else {
		x.Span = caseSpan(s.seen[len(s.seen)-1].c)
	}
	x.key = fmt.Sprintf("hidden %s %s %s", span, x.Span, own)
	if name != "" { // the displays of several leaves may omit the same field
		x.cause = fmt.Sprintf("hidden %s %s %t", span, own, c != nil)
	}
	if name != "" {
		x.with(span, "the bits%s are defined here", strings.TrimPrefix(name, ","))
	}
	s.fill(x, b.any, s.twin(b.any, own), own)
	if a, b := &x.Witnesses[0], &x.Witnesses[1]; a.Text != b.Text || len(a.Findings)+len(b.Findings) > 0 {
		x.Witnesses = nil // these words also have another flaw
	}
	if old := s.m.c.findEarlier("unused " + span.String()); old != nil && c == nil {
		if old.Witnesses == nil {
			old.Root, old.Rows, old.Witnesses = x.Root, x.Rows, x.Witnesses
		}
		return old
	}
	return s.m.addForLeaf(x, s.leaf)
}

// twin returns a word that differs from another word only in hidden bits, preferably in a single bit.
func (s *textChecker) twin(one example, own bits.Value) bits.Value {
	text := s.witness(one, one.bits).Text
	for left := own; !left.IsZero(); left.SetUint(left.TrailingZeros(), 1, 0) {
		v := one.bits.Xor(bits.Range(left.TrailingZeros(), 1))
		if w := s.witness(one, v); w.Matched && w.Text == text && len(w.Findings) == 0 {
			return v
		}
	}
	return one.bits.Xor(own)
}

// caseSpan returns the location of the display of a case, or of the case if it has no display.
func caseSpan(c *model.Case) diag.Span {
	if t := c.Spec.Displays[""]; t != nil {
		return t.Span
	}
	return c.Spec.Span
}

func (s *textChecker) reportAmbiguous(b *caseBits) {
	x := &Finding{Code: diag.SameText, Level: Warning, Span: caseSpan(b.c)}
	x.key = fmt.Sprintf("doubled %s %s", x.Span, b.ambiguous)
	x.fields, x.cause = owners(s.leaf, b.ambiguous), s.leaf.Root.Name+" "+sameFields(s.leaf, b.ambiguous)
	s.fill(x, b.word, b.twin, b.ambiguous)
	x.Msg = fmt.Sprintf("two words of %s print %q: the text does not determine %s", s.leaf.Name, x.Witnesses[0].Text, bitNames(b.ambiguous))
	s.m.addForLeaf(x, s.leaf)
}

func (s *textChecker) fill(x *Finding, one example, two, mask bits.Value) {
	r := s.leaf.Root
	x.Root = r.Name
	x.Rows = []Row{
		{s.leaf.Name, pattern(s.leaf.Size, s.leaf.Mask, s.leaf.Match, s.leaf.DontCare)},
		caretRow("not shown", mask, s.leaf.Size),
	}
	x.Witnesses = []Witness{s.witness(one, one.bits), s.witness(one, two)}
}

// addForLeaf records a finding that many leaves may share, and adds the leaf to it.
func (m *machine) addForLeaf(x *Finding, l *model.Leaf) *Finding {
	old := m.c.add(m, x)
	if !slices.Contains(old.leaves, l.Name) {
		old.leaves = append(old.leaves, l.Name)
	}
	return old
}

// bitNames formats the bits of a mask as ranges.
func bitNames(v bits.Value) string {
	var list []string
	n := v.OnesCount()
	for bit := 0; bit < bits.Size; {
		if v.Bit(bit) == 0 {
			bit++
			continue
		}
		end := bit
		for end+1 < bits.Size && v.Bit(end+1) == 1 {
			end++
		}
		if end == bit {
			list = append(list, fmt.Sprint(bit))
		} else {
			list = append(list, fmt.Sprintf("%d..%d", bit, end))
		}
		bit = end + 1
	}
	if n == 1 {
		return "bit " + list[0]
	}
	return "bits " + strings.Join(list, ", ")
}
