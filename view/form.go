package view

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/sem"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Form describes an encoding for a reference manual: what is known without a word.
type Form struct {
	Leaf *isa.Leaf
	Doc  string
	// Requires are the conditions on contexts under which the encoding exists.
	Requires []string
	Texts    []FormText
	// Words has the picture of the word, and then one of each table entry that the word selects.
	Words    []FormWord
	Fields   []FormField
	Operands []isa.OperandForm
	// Code has the code of the instruction, and then that of its operands.
	Code []Code
	// Arounds are the names of the bitsets whose code runs around the instruction, the outermost first.
	Arounds []string
	Hazards []Fact
	// Quirks are the quirks on which an instruction depends.
	Quirks   []facts.Quirk
	Flows    []isa.FlowForm
	Examples []Example
}

// FormText is the text of an encoding in a syntax, with the names of fields in capital letters.
type FormText struct{ Syntax, When, Text string }

// FormWord is a picture of the bits of a word, or of an entry of a table.
type FormWord struct {
	// Table is the name of the table, and Field is the field with the index of the entry. Both are "" for the word.
	Table, Field string
	Size         int
	// Runs are all bits, the most significant first.
	Runs []FormRun
}

// BitKind is the purpose of bits in a picture.
type BitKind uint8

// The purposes of bits.
const (
	BitsFixed    BitKind = iota // identify the encoding
	BitsField                   // belong to a field
	BitsIgnored                 // are expected to be 0
	BitsExpected                // are expected to have a certain value
	BitsNothing                 // have no purpose in the default case
)

// FormRun is a run of bits with one purpose.
type FormRun struct {
	High, Low int
	Kind      BitKind
	// Text is the name of the field, or the values of fixed and expected bits.
	Text string
}

// FormField is a field of an encoding.
type FormField struct {
	Name string
	// Bits is the place, such as 31..26, or "" for a computed field.
	Bits string
	// Table is the table that contains the bits, or "".
	Table string
	// When is the condition under which the field has this meaning, or "".
	When string
	// Type describes the type in words. Root is the name of the root if the value is a nested encoding.
	Type, Root string
	// Enum has the possible values, or is nil.
	Enum *Enum
	// Computed is the expression of a derived field, or "".
	Computed string
	Doc      string
	// Default is the value that an assembler uses if the text does not determine the bits, or "".
	Default string
	// Most is the largest value that assemblers accept, or "".
	Most string
}

// Example is an instruction with its words.
type Example struct {
	// Word is the word in hexadecimal, with the table entries that it selects, each after a slash.
	Word, Text string
	// Contexts are the contexts that do not have their default value.
	Contexts []string
	// Facts describe what the instruction reads and writes, and where control can go.
	Facts []string
}

// Form returns the description of an encoding. count is the maximum number of examples.
func (r *Reference) Form(l *isa.Leaf, count int) *Form {
	leaf := inside.Leaf(l)
	f := &Form{Leaf: l, Doc: flat(l.Doc()), Operands: l.OperandForms(), Flows: l.FlowForms()}
	chain := chainOf(leaf.Spec)
	for _, b := range chain {
		for _, e := range b.Requires {
			f.Requires = append(f.Requires, tidy(e.Text))
		}
		for _, h := range b.Hazards {
			f.Hazards = append(f.Hazards, Fact{Name: h.Name, Text: condition(h.Expr), Doc: flat(h.Text)})
		}
	}
	f.Texts = r.texts(leaf.Spec)
	r.formWords(f, leaf.Spec)
	f.Fields = r.formFields(chain)
	f.Code, f.Arounds = r.formCode(chain)
	if r.Facts != nil && slices.Contains(r.Set.InstructionRoots(), l.Root) {
		f.Quirks = r.Facts.QuirksOfLeaf(l)
	}
	f.Examples = r.examples(l, count)
	return f
}

// chainOf lists a bitset and those that it extends, the outermost first.
func chainOf(b *spec.Bitset) (list []*spec.Bitset) {
	for ; b != nil; b = b.Extends {
		list = append(list, b)
	}
	slices.Reverse(list)
	return list
}

// texts lists the displays of a bitset in each syntax, in the order in which printing tries them.
func (r *Reference) texts(b *spec.Bitset) (list []FormText) {
	for _, syntax := range r.Set.Syntaxes() {
		own := false
		var found []FormText
		for at, open := b, true; at != nil && open; at = at.Extends {
			for _, c := range at.Cases {
				t := c.Displays[syntax]
				own = own || t != nil && syntax != ""
				if t == nil {
					t = c.Displays[""]
				}
				if t == nil {
					continue
				}
				found = append(found, FormText{syntax, condition(c.Expr), flat(b.Sketch(t, syntax))})
				open = open && c.Expr != nil
			}
		}
		if _, named := b.SyntaxNames[syntax]; syntax == "" || own || named {
			for i := range found {
				found[i].Syntax = cmp.Or(syntax, r.Set.DefaultSyntax())
			}
			list = append(list, found...)
		}
	}
	return list
}

// formWords draws the word, and the entries of tables that it selects.
func (r *Reference) formWords(f *Form, b *spec.Bitset) {
	l := f.Leaf
	f.Words = []FormWord{{Size: l.Size, Runs: r.runs(l, b)}}
	for _, at := range chainOf(b) {
		for _, field := range at.Cases[len(at.Cases)-1].Fields {
			if field.Table == nil {
				continue
			}
			for _, root := range r.Set.Roots() {
				if root.Name == field.Table.Type.Name && len(root.Leaves) == 1 {
					entry := root.Leaves[0]
					f.Words = append(f.Words, FormWord{field.Table.Name, field.Name, entry.Size, r.runs(entry, inside.Leaf(entry).Spec)})
				}
			}
		}
	}
}

func (r *Reference) runs(l *isa.Leaf, b *spec.Bitset) (list []FormRun) {
	type cell struct {
		kind BitKind
		text string
	}
	cells := make([]cell, l.Size)
	expected := l.AssertedBits()
	asserts := map[int]string{}
	for at := b; at != nil; at = at.Extends {
		c := at.Cases[len(at.Cases)-1]
		for _, field := range c.Fields {
			for _, p := range field.Parts {
				for i := p.Low; i < min(p.Low+p.Width, l.Size); i++ {
					cells[i] = cell{BitsField, field.Name}
				}
			}
		}
		for _, a := range c.Asserts {
			for i := a.Low; i <= a.High; i++ {
				asserts[i] = fmt.Sprint(a.Match.Bit(i))
			}
		}
	}
	for i := range cells {
		switch {
		case l.Mask.Bit(i) == 1:
			cells[i] = cell{BitsFixed, fmt.Sprint(l.Match.Bit(i))}
		case cells[i].kind == BitsField:
		case l.DontCare.Bit(i) == 1:
			cells[i] = cell{BitsIgnored, ""}
		case expected.Bit(i) == 1:
			cells[i] = cell{BitsExpected, cmp.Or(asserts[i], "?")}
		default:
			cells[i] = cell{BitsNothing, ""}
		}
	}
	for i := l.Size - 1; i >= 0; i-- {
		c := cells[i]
		digits := c.kind == BitsFixed || c.kind == BitsExpected
		if n := len(list); n > 0 && list[n-1].Kind == c.kind && (digits || list[n-1].Text == c.text) {
			list[n-1].Low = i
			if digits {
				list[n-1].Text += c.text
			}
			continue
		}
		list = append(list, FormRun{i, i, c.kind, c.text})
	}
	return list
}

// formFields lists the fields of a bitset and of those that it extends: those of the word by their highest bit, and then
// computed ones. The entries of a table follow.
func (r *Reference) formFields(chain []*spec.Bitset) (list []FormField) {
	type placed struct {
		FormField
		high int
	}
	var all []placed
	var tables []*spec.Field
	defaults, limits := map[string]string{}, map[string]string{}
	for _, b := range chain {
		for _, d := range b.Defaults {
			if d.Expr != nil {
				defaults[d.Path] = tidy(d.Expr.Text)
			} else {
				defaults[d.Path] = fmt.Sprintf("0x%x", d.Val)
			}
		}
		for _, l := range b.Limits {
			limits[l.Name] = fmt.Sprint(l.Most)
		}
		for i := len(b.Cases) - 1; i >= 0; i-- { // the default case first
			for _, field := range b.Cases[i].Fields {
				high := -1
				if len(field.Parts) > 0 {
					high = highest(field.Parts)
				}
				all = append(all, placed{r.formField(field, b.Cases[i].Expr), high})
				if field.Table != nil {
					tables = append(tables, field)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return b.high - a.high })
	for _, p := range all {
		list = append(list, p.FormField)
	}
	for _, field := range tables {
		for _, root := range r.Set.Roots() {
			if root.Name != field.Table.Type.Name || len(root.Leaves) != 1 {
				continue
			}
			for _, inner := range r.formFields(chainOf(inside.Leaf(root.Leaves[0]).Spec)) {
				inner.Name, inner.Table = field.Name+"."+inner.Name, field.Table.Name
				list = append(list, inner)
			}
		}
	}
	for i := range list {
		f := &list[i]
		f.Default, f.Most = cmp.Or(f.Default, defaults[f.Name]), cmp.Or(f.Most, limits[f.Name])
	}
	return list
}

func (r *Reference) formField(field *spec.Field, when *spec.Expr) FormField {
	f := FormField{Name: field.Name, When: condition(when), Doc: flat(field.Doc), Bits: where(field.Parts)}
	if field.Expr != nil {
		f.Computed = tidy(field.Expr.Text)
	}
	shown := ""
	if field.Display != nil {
		shown = strings.TrimSpace(*field.Display)
	}
	switch field.Kind {
	case spec.KindEnum:
		e := enumOf(field.Enum)
		f.Enum, f.Type = &e, strings.TrimPrefix(e.Name, "#")
	case spec.KindBitset:
		f.Type, f.Root = strings.TrimPrefix(field.Bitset.Name, "#"), field.Bitset.Name
		if field.Table != nil {
			f.Type = "index in the table " + field.Table.Name
			f.Doc = cmp.Or(f.Doc, flat(field.Table.Doc))
		}
	case spec.KindBool, spec.KindBoolInv:
		f.Type = "flag"
		if bit := map[spec.Kind]int{spec.KindBool: 1, spec.KindBoolInv: 0}[field.Kind]; shown != "" {
			f.Type = fmt.Sprintf("flag: %d prints %s", bit, shown)
		}
	case spec.KindBranch:
		f.Type = "branch target, from this instruction"
	case spec.KindAbsBranch:
		f.Type = "branch target, from the start of the program"
	default:
		f.Type = map[spec.Kind]string{
			spec.KindInt: "signed number", spec.KindUint: "number", spec.KindHex: "hexadecimal number", spec.KindOffset: "signed offset",
			spec.KindUOffset: "offset", spec.KindFloat: "float", spec.KindCustom: "number with a text of its own",
		}[field.Kind]
	}
	if (field.Kind == spec.KindBranch || field.Kind == spec.KindAbsBranch) && field.Unit > 0 {
		f.Type += fmt.Sprintf(", in units of %d bits", field.Unit)
	}
	return f
}

// formCode lists the code of an instruction and of the operands that it mentions, and the bitsets whose code runs around it.
func (r *Reference) formCode(chain []*spec.Bitset) (list []Code, arounds []string) {
	if r.sem == nil {
		return nil, nil
	}
	mentioned := map[string]bool{}
	var first []string
	mention := func(code spec.Code) {
		fields, _, _ := sem.Mentions(code)
		first = append(first, fields...)
		for _, name := range fields {
			mentioned[name] = true
		}
	}
	add := func(name, when string, a *spec.Actions) {
		if s := a.Semantics; s != nil {
			mention(s.Code)
			list = append(list, Code{name, when, s.Type.Text(), false, s.Wave, s.Fidelity, s.Source, r.pseudo(s.Code, s.Type)})
		}
		if w := a.Write; w != nil {
			mention(w.Code)
			list = append(list, Code{Name: name, When: when, Type: w.Type.Text(), Writes: true, Tokens: r.pseudo(w.Code, spec.Code{})})
		}
	}
	skips := false
	for i := len(chain) - 1; i >= 0; i-- {
		b := chain[i]
		done := false
		for _, c := range b.Cases {
			add("", condition(c.Expr), &c.Actions)
			if c.Semantics != nil {
				done = done || c.Expr == nil
				skips = skips || c.Semantics.SkipsArounds
			}
		}
		if done {
			break
		}
	}
	seen := map[string]bool{}
	for i := len(chain) - 1; i >= 0; i-- { // operands mention operands of the outer bitsets
		for _, o := range chain[i].Operands {
			if mentioned[o.Name] && !seen[o.Name] { // a bitset can replace an operand of one that it extends
				seen[o.Name] = true
				add(o.Name, "", &o.Actions)
			}
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	order := map[string]int{} // the order of the operands in the code
	for i, name := range first {
		if _, ok := order[name]; !ok {
			order[name] = i + 1
		}
	}
	slices.SortStableFunc(list, func(a, b Code) int { return order[a.Name] - order[b.Name] })
	for _, b := range chain {
		for _, a := range b.Arounds {
			if a.Always || !skips {
				arounds = append(arounds, b.Name)
			}
		}
	}
	return list, arounds
}

// referenceTries is the number of random words that examples tries. The words are the same each time.
const referenceTries = 400

// examples returns a few words of a leaf that have no findings and no hazards, and whose texts assemble to them.
func (r *Reference) examples(l *isa.Leaf, count int) (list []Example) {
	d, p := r.decoders[l.Root.ID], r.parsers[l.Root.ID]
	if d == nil {
		var err error
		if d, err = r.Set.NewDecoder(l.Root.Name); err != nil {
			return nil
		}
		if p, err = asm.New(r.Set, l.Root.Name); err != nil {
			return nil
		}
		r.decoders[l.Root.ID], r.parsers[l.Root.ID] = d, p
	}
	contexts, ok := r.contextsOf(l, d)
	if !ok {
		return nil
	}
	d.SetContext(contexts)
	p.SetContext(contexts)
	random := rand.New(rand.NewPCG(1, uint64(l.ID)))
	tables := r.Set.Tables()
	entries := make([][]bits.Value, len(tables))
	type try struct {
		word    bits.Value
		entries []bits.Value
		text    string
	}
	var tries []try
	var found []isa.Hazard
	for n := range referenceTries {
		word, values := randomWord(random), make([]bits.Value, len(tables))
		if n == 0 && len(tables) == 0 {
			word = bits.Value{}
		}
		for i, t := range tables {
			values[i] = randomWord(random).And(bits.Ones(t.Bits))
			if entries[i] == nil {
				entries[i] = make([]bits.Value, t.Size)
			}
			for k := range entries[i] {
				entries[i][k] = values[i]
			}
			d.SetTable(i, entries[i])
		}
		word = word.AndNot(l.Mask).AndNot(l.DontCare).Or(l.Match).And(bits.Ones(l.Size))
		in, ok := d.Decode(word)
		if !ok || in.Leaf != l {
			continue
		}
		text := string(d.Append(nil, in))
		if found = d.Hazards(found[:0], in); d.NumFindings() > 0 || len(found) > 0 {
			continue
		}
		if !slices.ContainsFunc(tries, func(x try) bool { return x.text == text }) {
			tries = append(tries, try{word, values, text})
		}
		if len(tries) >= 24 {
			break
		}
	}
	slices.SortStableFunc(tries, func(a, b try) int { return len(a.text) - len(b.text) })
	// The shortest, one of the middle, and one of the longer; the next one if a text does not assemble.
	at := 0
	for n := range count {
		if len(tries) > 0 {
			at = max(at, n*len(tries)/count)
		}
		for ; at < len(tries); at++ {
			if x, ok := r.assembled(d, p, l, tries[at].text); ok {
				list = append(list, x)
				at++
				break
			}
		}
	}
	for i := range list {
		list[i].Contexts = Contexts(r.Set, contexts)
		if contexts == r.Set.DefaultContext() {
			list[i].Contexts = nil
		}
	}
	return list
}

func randomWord(random *rand.Rand) (v bits.Value) {
	for i := range v {
		v[i] = random.Uint64()
	}
	return v
}

// assembled returns the example with a text: the word to which the text assembles, if that prints as the text again.
func (r *Reference) assembled(d *isa.Decoder, p *asm.Parser, l *isa.Leaf, text string) (x Example, ok bool) {
	res, ok := p.Try(text)
	if !ok || res.Inst.Leaf != l || res.Context != d.Context() {
		return x, false
	}
	tables := make([][]bits.Value, len(r.Set.Tables()))
	x.Word = string(res.Inst.Bits.AppendHex(nil, (l.Size+3)/4))
	for _, e := range res.Entries {
		t := tables[e.Table]
		for len(t) <= e.Index {
			t = append(t, bits.Value{})
		}
		t[e.Index] = e.Value
		tables[e.Table] = t
		x.Word += "/" + string(e.Value.AppendHex(nil, (r.Set.Tables()[e.Table].Bits+3)/4))
	}
	if len(res.Entries) > 1 { // the notation of words has one entry for each index
		return x, false
	}
	d.SetTables(tables)
	in, ok := d.Decode(res.Inst.Bits)
	if !ok || in.Leaf != l {
		return x, false
	}
	if x.Text = flat(string(d.Append(nil, in))); x.Text != flat(text) {
		return x, false
	}
	if r.Facts != nil {
		if f, err := r.Facts.Of(d, in); err == nil {
			x.Facts = factLines(f)
		}
	}
	return x, true
}

// factLines returns the effects of an instruction without implicit ones, one kind in each line.
func factLines(f *facts.Facts) []string {
	var out strings.Builder
	e := newExplainer(&out, Palette{}, ExplainOptions{Width: 1 << 20})
	e.effects("", &f.Own)
	return strings.FieldsFunc(out.String(), func(c rune) bool { return c == '\n' })
}

// mostContexts is the maximum number of combinations of contexts that are tried for an encoding.
const mostContexts = 1 << 10

// contextsOf returns contexts in which a leaf exists: the default ones, or the first that decode its word.
func (r *Reference) contextsOf(l *isa.Leaf, d *isa.Decoder) (bits.Value, bool) {
	list := []bits.Value{r.Set.DefaultContext()}
	for _, c := range r.Set.Contexts() {
		if c.FromText {
			continue
		}
		for _, ctx := range list[:len(list):len(list)] {
			for _, v := range c.Values[1:] {
				if other, err := r.Set.ParseContext(ctx, c.Name, v); err == nil && len(list) < mostContexts {
					list = append(list, other)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(2, uint64(l.ID)))
	for n := range 8 { // a leaf that others refine may not decode with zeros
		word := l.Match
		if n > 0 {
			word = randomWord(random).AndNot(l.Mask).AndNot(l.DontCare).Or(l.Match).And(bits.Ones(l.Size))
		}
		for _, ctx := range list {
			d.SetContext(ctx)
			if in, ok := d.Decode(word); ok && in.Leaf == l {
				return ctx, true
			}
		}
	}
	return bits.Value{}, false
}

// Runs returns the bits of an encoding, the most significant first.
func (r *Reference) Runs(l *isa.Leaf) []FormRun { return r.runs(l, inside.Leaf(l).Spec) }

// FieldPlace is a field with its bits, for programs that decode.
type FieldPlace struct {
	Name string
	// Bits has the lowest bit and the width of each run, the most significant run first.
	Bits [][2]int
	// Enum, Root and Table are the names of the type and of the table, or "".
	Enum, Root, Table string
	// When is the condition under which the field has this meaning, or "".
	When string
}

// FieldPlaces lists the fields of an encoding that have bits, and appends the conditions under which it exists to requires.
func (r *Reference) FieldPlaces(l *isa.Leaf, requires *[]string) (list []FieldPlace) {
	for _, b := range chainOf(inside.Leaf(l).Spec) {
		for _, e := range b.Requires {
			*requires = append(*requires, tidy(e.Text))
		}
		for i := len(b.Cases) - 1; i >= 0; i-- {
			for _, f := range b.Cases[i].Fields {
				if len(f.Parts) == 0 {
					continue
				}
				p := FieldPlace{Name: f.Name, When: condition(b.Cases[i].Expr)}
				for _, part := range f.Parts {
					p.Bits = append(p.Bits, [2]int{part.Low, part.Width})
				}
				switch {
				case f.Table != nil:
					p.Table, p.Root = f.Table.Name, f.Bitset.Name
				case f.Kind == spec.KindEnum:
					p.Enum = f.Enum.Name
				case f.Kind == spec.KindBitset:
					p.Root = f.Bitset.Name
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// Width returns the number of bits.
func (r FormRun) Width() int { return r.High - r.Low + 1 }
