package isa

import (
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// TokenKind is what a piece of text is, for those who colour it.
type TokenKind uint8

// The kinds of tokens. They follow from the description, so that every machine colours alike.
const (
	TokenPunctuation TokenKind = iota // what stands between the others, blanks too
	TokenMnemonic                     // the name of the instruction
	TokenModifier                     // an option, a condition, a swizzle, a sign of an operand
	TokenRegister                     // a whole register: $r2h, c[5]
	TokenImmediate                    // a number
	TokenAddress                      // a place in the program or in memory, as a number
	TokenLabel                        // the same, or any value, by the name that the program gives it
	TokenComment                      // what the description says to people
)

var tokenNames = []string{"punctuation", "mnemonic", "modifier", "register", "immediate", "address", "label", "comment"}

// String returns the kind in lower case: mnemonic, register and so on.
func (k TokenKind) String() string { return tokenNames[k] }

// Token is a piece of an instruction's text, from byte Start up to End of the text.
type Token struct {
	Kind       TokenKind
	Start, End int
}

// AppendTokens is Append that also appends what each piece of the text is. Nothing is allocated while
// both have room.
func (d *Decoder) AppendTokens(dst []byte, tokens []Token, in Inst) ([]byte, []Token) {
	t := &d.tracing
	t.tokens, t.fields = tokens, false
	dst = d.traced(dst, in)
	tokens, t.tokens = t.tokens, nil
	// The blanks at the end of a line are gone by now.
	for len(tokens) > 0 && tokens[len(tokens)-1].Start >= len(dst) {
		tokens = tokens[:len(tokens)-1]
	}
	if n := len(tokens); n > 0 {
		tokens[n-1].End = min(tokens[n-1].End, len(dst))
	}
	return dst, tokens
}

// voice says what the texts of a scope are.
type voice struct {
	kind voiceKind
	// instruction tells that the scope's display starts with a mnemonic; named, that the description
	// says which pieces of it are one.
	instruction, named bool
	// whole is the kind of all that is printed, where forced is set.
	whole  TokenKind
	forced bool
	// parts are the fields of which a register's file, number and component are made, or the number of a memory.
	parts []string
}

type voiceKind uint8

const (
	plainVoice voiceKind = iota
	registerVoice
	memoryVoice
)

// voiceKey says of whose texts a voice is: those of a leaf in the value of a field, or of an operand that a leaf
// shows, in a text that has the voice outer.
type voiceKey struct {
	outer   *voice
	field   *spec.Field
	operand *spec.Operand
	leaf    *model.BoundLeaf
}

// heard returns what the texts are.
func (d *Decoder) heard(k voiceKey) *voice {
	v := d.voices[k]
	if v != nil {
		return v
	}
	if d.voices == nil || len(d.voices) >= maxSites {
		d.voices = map[voiceKey]*voice{}
	}
	v = &voice{}
	d.voices[k] = v
	switch {
	case k.operand != nil:
		v.group(k)
		return v
	case k.field == nil:
		v.instruction = true
	default:
		v.instruction = k.outer.instruction && k.field.Bitset.Groups
		v.forced, v.whole = k.outer.forced, k.outer.whole
		v.hear(k.field)
		if k.outer.kind == registerVoice && slices.Contains(k.outer.parts, k.field.Name) {
			v.kind = registerVoice
		}
	}
	for _, c := range k.leaf.Cases {
		for i := range c.Items {
			v.named = v.named || namesInstruction(&c.Items[i])
		}
	}
	v.take(&k.leaf.Knowledge().Own)
	return v
}

// group hears the pieces of an operand.
func (v *voice) group(k voiceKey) {
	v.forced, v.whole = k.outer.forced, k.outer.whole
	switch k.operand.Kind {
	case spec.OperandRegister, spec.OperandSampler:
		v.kind = registerVoice
	case spec.OperandMemory:
		v.kind = memoryVoice
	}
	v.take(k.leaf.Knowledge().Operands[k.operand])
}

// groupVoice returns what the texts of an operand's pieces are in a frame, nil for no operand.
func (d *Decoder) groupVoice(o *spec.Operand, depth int) *voice {
	if o == nil || d.trace.fields {
		return nil
	}
	return d.heard(voiceKey{outer: d.frames[depth].voice, operand: o, leaf: d.frames[depth].leaf})
}

// innerVoice returns what the texts of a leaf in the value of a field are that a frame shows.
func (d *Decoder) innerVoice(f *spec.Field, leaf *model.BoundLeaf, depth int) *voice {
	known := d.trace.inner
	d.trace.inner = nil
	if known == nil {
		return d.heard(voiceKey{outer: d.voice(depth), field: f, leaf: leaf})
	}
	for i := range *known {
		if x := &(*known)[i]; x.field == f && x.leaf == leaf {
			return x.voice
		}
	}
	v := d.heard(voiceKey{outer: d.voice(depth), field: f, leaf: leaf})
	*known = append(*known, innerVoice{f, leaf, v})
	return v
}

// innerVoice is the voice of a leaf in the value of a field.
type innerVoice struct {
	field *spec.Field
	leaf  *model.BoundLeaf
	voice *voice
}

// hear adds what a field says of its texts.
func (v *voice) hear(field *spec.Field) {
	if v.forced {
		return
	}
	switch field.KindOfOperand() {
	case spec.OperandMnemonic:
		v.whole, v.forced = TokenMnemonic, true
	case spec.OperandModifier, spec.OperandCondition:
		v.whole, v.forced = TokenModifier, true
	case spec.OperandRegister, spec.OperandSampler:
		v.kind = registerVoice
	case spec.OperandMemory:
		v.kind = memoryVoice
	}
}

// take adds what facts say of the texts.
func (v *voice) take(f *model.Facts) {
	for i := range f.Regs {
		v.kind = registerVoice
		v.name(&f.Regs[i])
	}
	for i := range f.Relatives {
		v.name(&f.Relatives[i].Reg)
	}
	for _, m := range f.Mems {
		v.parts = appendNames(v.parts, m.Index)
	}
	if v.kind == plainVoice && len(f.Mems) > 0 {
		v.kind = memoryVoice
	}
}

// name adds the fields that name a register.
func (v *voice) name(r *model.Reg) {
	for _, p := range []*model.Prog{r.Case, r.Own, r.Index, r.Component} {
		v.parts = appendNames(v.parts, p)
	}
}

// appendNames appends the fields that an expression reads.
func appendNames(names []string, p *model.Prog) []string {
	if p == nil {
		return names
	}
	var walk func(n *model.Node)
	walk = func(n *model.Node) {
		if n == nil {
			return
		}
		for _, a := range n.Alts {
			if a.Ref != nil && a.Ref.Field != nil {
				names = append(names, a.Ref.Field.Name)
			}
		}
		walk(n.X)
		walk(n.Y)
		walk(n.Z)
	}
	walk(p.Root)
	return names
}

// namesInstruction reports whether an item is a part of the mnemonic by what the description says.
func namesInstruction(it *model.Item) bool {
	if it.Kind == model.ItemName {
		return true
	}
	for _, a := range it.Alts {
		if a.Ref != nil && a.Ref.Field != nil && a.Ref.Field.KindOfOperand() == spec.OperandMnemonic {
			return true
		}
	}
	return false
}

// trace records tokens, and the fields that are shown, while an instruction is printed.
type trace struct {
	fields bool // only the fields
	tokens []Token
	// fence is the number of the first token that may grow.
	fence int
	shown []shownField
	// turn is the number of the instruction, of those of which the fields were asked for.
	turn uint64
	text []byte // room for a constant text
	// group is what the texts of an operand of several pieces are, nil outside of one.
	group *voice
	// inner has room for the voices of what is printed next.
	inner *[]innerVoice
	// begun tells of each frame that its mnemonic was printed.
	begun [maxFrames]bool
	// brackets counts those that are open in a register.
	brackets int
	// prefix is the start of a number that a literal ends with, such as 0x; -1 where it ends with none.
	prefix int
}

// shownField is a field that was printed, and where.
type shownField struct {
	field      *fieldSite
	start, end int
	named      bool
}

// traceMark is what was told by a moment; end is that of the last token, which may have grown since.
type traceMark struct{ tokens, shown, end int }

func (t *trace) mark() traceMark {
	if t == nil {
		return traceMark{}
	}
	m := traceMark{tokens: len(t.tokens), shown: len(t.shown)}
	if m.tokens > 0 {
		m.end = t.tokens[m.tokens-1].End
	}
	return m
}

func (t *trace) reset(m traceMark) {
	if t == nil {
		return
	}
	if t.tokens, t.shown = t.tokens[:m.tokens], t.shown[:m.shown]; m.tokens > 0 {
		t.tokens[m.tokens-1].End = m.end
	}
}

// traced is Append that records what is printed.
func (d *Decoder) traced(dst []byte, in Inst) []byte {
	t := &d.tracing
	t.shown, t.group, t.inner, t.fence, t.brackets, t.prefix, t.begun[0] = t.shown[:0], nil, nil, 0, 0, -1, false
	d.trace, d.sited = t, true
	dst = d.Append(dst, in)
	d.trace, d.sited = nil, false
	return dst
}

// token adds a token. Pieces of a register, and of a mnemonic, are one.
func (t *trace) token(kind TokenKind, start, end int) {
	if t.fields || start == end {
		return
	}
	if n := len(t.tokens); n > t.fence && t.tokens[n-1].End == start && t.tokens[n-1].Kind == kind && kind != TokenModifier && kind != TokenImmediate {
		t.tokens[n-1].End = end
		return
	}
	t.tokens = append(t.tokens, Token{kind, start, end})
}

// record makes ready to tell tokens that are kept: they do not belong to one before.
func (t *trace) record() (fence int) {
	fence, t.fence = t.fence, len(t.tokens)
	return fence
}

// recorded returns the tokens since record, which returned fence.
func (t *trace) recorded(fence int) (said []Token) {
	said, t.fence = t.tokens[t.fence:], fence
	return said
}

// join puts back the tokens that were recorded, the first of which may belong to the one before.
func (t *trace) join(said []Token) {
	t.tokens = t.tokens[:len(t.tokens)-len(said)]
	for _, s := range said { // which lie where they are put, or behind
		t.token(s.Kind, s.Start, s.End)
	}
}

// voice returns what texts of a frame are at this place.
func (d *Decoder) voice(depth int) *voice {
	if d.trace.group != nil {
		return d.trace.group
	}
	return d.frames[depth].voice
}

// literalToken tells the tokens of a text of a template, which stands in the text from start on.
func (d *Decoder) literalToken(s string, start, depth int) {
	t := d.trace
	if t.fields {
		return
	}
	t.prefix = -1
	switch v := d.voice(depth); {
	case v.forced:
		t.token(v.whole, start, start+len(s))
	case v.kind == registerVoice:
		t.register(s, start)
	default:
		t.words(s, start, v, depth)
	}
}

// word returns the end of the letters and digits that start at i.
func word(s string, i int) int {
	for i < len(s) && (letter(s[i]) || decimal(s[i])) {
		i++
	}
	return i
}

// register tells the tokens of a text in the name of a register: all of it but signs and what separates
// it from others. What is in brackets is a part of it.
func (t *trace) register(s string, start int) {
	for i := 0; i < len(s); {
		if end := word(s, i); end > i && end < len(s) && s[end] == ' ' { // a type before the name
			t.token(TokenModifier, start+i, start+end)
			i = end
			continue
		}
		kind := TokenPunctuation
		switch c := s[i]; {
		case c == '[':
			t.brackets++
			kind = TokenRegister
		case c == ']':
			t.brackets = max(0, t.brackets-1)
			kind = TokenRegister
		case t.brackets > 0 || letter(c) || decimal(c) || sigil(c):
			kind = TokenRegister
		}
		t.token(kind, start+i, start+i+1)
		i++
	}
}

// sigil reports whether names of registers start with such a character.
func sigil(c byte) bool { return c == '$' || c == '%' || c == '@' || c == '#' }

// words tells the tokens of a text between operands: words, and what stands between them. The first
// word of an instruction is its mnemonic where the description does not say what is. In the place of a memory a
// word that a number or a bracket follows names the memory or a register.
func (t *trace) words(s string, start int, v *voice, depth int) {
	for i := 0; i < len(s); {
		end, kind := i+1, TokenPunctuation
		switch c := s[i]; {
		case letter(c) && v.instruction && !v.named && !t.begun[depth]:
			for end < len(s) && s[end] != ' ' && s[end] != '\t' {
				end++
			}
			kind, t.begun[depth] = TokenMnemonic, true
		case v.kind == memoryVoice && sigil(c):
			end, kind = word(s, i+1), TokenRegister
		case letter(c):
			end, kind = word(s, i), TokenModifier
			if v.kind == memoryVoice && (end == len(s) || s[end] == '[') {
				kind = TokenRegister
			}
		case decimal(c):
			if end, kind = word(s, i), TokenImmediate; end == len(s) {
				t.prefix = start + i
			}
		}
		t.token(kind, start+i, start+end)
		i = end
	}
}

func decimal(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// fieldToken records a reference that was printed. named tells that the program's own name was.
func (d *Decoder) fieldToken(ref *model.Ref, depth, start, end int, named bool) {
	t := d.trace
	if !t.fields {
		if end > start && (named || ref.Kind != spec.KindBitset) {
			t.number(d.voice(depth).of(ref, named), start, end)
		}
	} else if ref.Field != nil {
		t.shown = append(t.shown, shownField{d.frames[depth-min(ref.ScopeDepth, depth)].site.reached(ref, d), start, end, named || ref.ScopeDepth > 0})
	}
}

// reached returns the field that a reference means, perhaps by a path, from the site in which it starts.
func (s *site) reached(ref *model.Ref, d *Decoder) *fieldSite {
	for _, e := range ref.Enter {
		s = s.fieldOf(e).inside(d, s, e.Env.Bound(e.Env.Root.Leaves[0]))
	}
	return s.fieldOf(ref)
}

// number adds the token of a field, with the part of the number that the text before it is.
func (t *trace) number(kind TokenKind, start, end int) {
	if n := len(t.tokens); t.prefix >= 0 && n > 0 && t.tokens[n-1] == (Token{TokenImmediate, t.prefix, start}) && (kind == TokenImmediate || kind == TokenAddress) {
		start, t.tokens = t.prefix, t.tokens[:n-1]
	}
	t.prefix = -1
	t.token(kind, start, end)
}

// of returns what the text of a field is that is no bitset.
func (v *voice) of(ref *model.Ref, named bool) TokenKind {
	switch {
	case v.forced:
		return v.whole
	case named:
		return TokenLabel
	case ref.Field == nil:
		return TokenModifier // a context
	}
	switch ref.Field.KindOfOperand() {
	case spec.OperandMnemonic:
		return TokenMnemonic
	case spec.OperandModifier, spec.OperandCondition:
		return TokenModifier
	case spec.OperandRegister, spec.OperandSampler:
		return TokenRegister
	case spec.OperandImmediate:
		return TokenImmediate
	case spec.OperandMemory, spec.OperandTarget:
		return TokenAddress
	}
	if slices.Contains(v.parts, ref.Field.Name) {
		return TokenRegister
	}
	switch ref.Kind {
	case spec.KindBranch, spec.KindAbsBranch:
		return TokenAddress
	case spec.KindEnum:
		if ref.Enum.Spec.Speaks {
			return TokenRegister
		}
		return TokenModifier
	case spec.KindBool, spec.KindBoolInv, spec.KindCustom:
		return TokenModifier
	}
	switch v.kind {
	case registerVoice:
		return TokenRegister
	case memoryVoice:
		return TokenAddress
	}
	return TokenImmediate
}
