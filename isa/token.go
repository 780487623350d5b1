package isa

import (
	"fmt"
	"slices"

	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// TokenKind is the kind of a piece of text, for syntax highlighting.
type TokenKind uint8

// The kinds of tokens. The description determines the kind of each token, so all machines are
// highlighted in the same way.
const (
	TokenPunctuation TokenKind = iota // everything else, including blanks
	TokenMnemonic                     // the name of the instruction
	TokenModifier                     // an option, a condition, a swizzle or the sign of an operand
	TokenRegister                     // the complete name of a register: $r2h, c[5]
	TokenImmediate                    // a number
	TokenAddress                      // an address in the program or in memory, as a number
	TokenLabel                        // the program's name for an address or another value
	TokenComment                      // a remark of the description
)

var tokenNames = []string{"punctuation", "mnemonic", "modifier", "register", "immediate", "address", "label", "comment"}

// String returns the name of the kind, such as mnemonic or register.
func (k TokenKind) String() string { return tokenNames[k] }

// Token is a piece of an instruction's text. Start is the offset of its first byte, and End is the
// offset after its last byte. Both count from the start of the slice that AppendTokens returns.
type Token struct {
	Kind       TokenKind
	Start, End int
}

// AppendTokens appends the text of an instruction to dst like Append, and the tokens of the text to
// tokens. It does not allocate if both slices have enough capacity.
func (d *Decoder) AppendTokens(dst []byte, tokens []Token, in Inst) ([]byte, []Token) {
	d.trace.begin(len(dst))
	d.watch = watchTokens
	dst = d.Append(dst, in)
	d.watch = watchNothing
	return dst, d.trace.append(tokens, len(dst))
}

// tokenStyle determines the token kinds in the texts of a scope.
type tokenStyle struct {
	kind styleKind
	// hasMnemonic reports whether the scope's display can contain a mnemonic. named reports whether the
	// description marks the parts of the mnemonic.
	hasMnemonic, named bool
	// whole is the kind of all text if forced is true.
	whole  TokenKind
	forced bool
	// parts are the names of the fields that select the file, the number and the component of a
	// register, or the number of a memory.
	parts []string
}

type styleKind uint8

const (
	plainStyle styleKind = iota
	registerStyle
	memoryStyle
)

// styleOf returns the style of a leaf that matches the value of field. outer is the style of the
// enclosing text. For an instruction, outer and field are nil.
func (d *Decoder) styleOf(outer *tokenStyle, field *spec.Field, leaf *model.BoundLeaf) *tokenStyle {
	v := tokenStyle{hasMnemonic: true}
	if outer != nil {
		v = tokenStyle{hasMnemonic: outer.hasMnemonic && field.Bitset.HasOperands, forced: outer.forced, whole: outer.whole}
		v.addField(field)
		if outer.kind == registerStyle && slices.Contains(outer.parts, field.Name) {
			v.kind = registerStyle
		}
	}
	for _, c := range leaf.Cases {
		for i := range c.Items {
			v.named = v.named || isMnemonicPart(&c.Items[i])
		}
	}
	v.addFacts(&leaf.LeafFacts().Own)
	return d.shareStyle(v)
}

// shareStyle returns a shared style equal to v.
func (d *Decoder) shareStyle(v tokenStyle) *tokenStyle {
	k := fmt.Sprintf("%d %t %t %d %t %q", v.kind, v.hasMnemonic, v.named, v.whole, v.forced, v.parts)
	if d.styles == nil {
		d.styles = map[string]*tokenStyle{}
	}
	if d.styles[k] == nil {
		d.styles[k] = &v
	}
	return d.styles[k]
}

// groupStyle returns the style of an operand with several parts in a frame. It returns nil if o is
// nil.
func (d *Decoder) groupStyle(o *spec.Operand, depth int) *tokenStyle {
	if o == nil {
		return nil
	}
	s := d.frames[depth].site
	v := tokenStyle{forced: s.style.forced, whole: s.style.whole}
	switch o.Kind {
	case spec.OperandRegister, spec.OperandSampler:
		v.kind = registerStyle
	case spec.OperandMemory:
		v.kind = memoryStyle
	}
	v.addFacts(s.leaf.LeafFacts().Operands[o])
	return d.shareStyle(v)
}

// addField adapts the style to the kind of operand that a field declares.
func (v *tokenStyle) addField(field *spec.Field) {
	if v.forced {
		return
	}
	switch field.KindOfOperand() {
	case spec.OperandMnemonic:
		v.whole, v.forced = TokenMnemonic, true
	case spec.OperandModifier, spec.OperandCondition:
		v.whole, v.forced = TokenModifier, true
	case spec.OperandRegister, spec.OperandSampler:
		v.kind = registerStyle
	case spec.OperandMemory:
		v.kind = memoryStyle
	}
}

// addFacts adapts the style to facts about an operand.
func (v *tokenStyle) addFacts(f *model.Facts) {
	for i := range f.Regs {
		v.kind = registerStyle
		v.addRegister(&f.Regs[i])
	}
	for i := range f.Relatives {
		v.addRegister(&f.Relatives[i].Reg)
	}
	for _, m := range f.Mems {
		v.parts = appendNames(v.parts, m.Index)
	}
	if v.kind == plainStyle && len(f.Mems) > 0 {
		v.kind = memoryStyle
	}
}

// addRegister adds the names of the fields that select a register.
func (v *tokenStyle) addRegister(r *model.Reg) {
	for _, p := range []*model.Prog{r.Case, r.Own, r.Index, r.Component} {
		v.parts = appendNames(v.parts, p)
	}
}

// appendNames appends the names of the fields that an expression reads.
func appendNames(names []string, p *model.Prog) []string {
	if p == nil {
		return names
	}
	for n := range p.Root.All {
		for _, a := range n.Alts {
			if a.Ref != nil && a.Ref.Field != nil {
				names = append(names, a.Ref.Field.Name)
			}
		}
	}
	return names
}

// isMnemonicPart reports whether the description marks an item as a part of the mnemonic.
func isMnemonicPart(it *model.Item) bool {
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

// trace records the tokens and the printed fields of an instruction.
type trace struct {
	// kinds has one byte for each byte of the text, which begins at offset start of the buffer. Each
	// byte is the token kind plus 1, or 0 if the kind is unknown. The flag firstByte marks the start of
	// a token that does not continue the previous one.
	kinds []uint8
	start int
	shown []shownField
	// turn is the number of calls to Fields. It identifies the current instruction.
	turn uint64
	// group is the style of the current operand with several parts, or nil.
	group *tokenStyle
	// mnemonicPrinted reports, for each frame, whether its mnemonic was printed.
	mnemonicPrinted [maxFrames]bool
	// brackets is the number of open brackets in a register.
	brackets int
	// prefix is the offset of a number prefix such as 0x at the end of the last literal, or -1.
	prefix int
}

const firstByte = 1 << 7

// shownField is a printed field with its position.
type shownField struct {
	field      *fieldSite
	start, end int
	named      bool
}

// begin resets the trace. start is the offset of the new text in the buffer.
func (t *trace) begin(start int) {
	t.kinds, t.start, t.shown, t.group, t.brackets, t.prefix, t.mnemonicPrinted[0] = t.kinds[:0], start, t.shown[:0], nil, 0, -1, false
}

// upTo returns the kinds of the text before an offset in the buffer. Bytes without a recorded kind are
// 0.
func (t *trace) upTo(place int) []uint8 {
	n := place - t.start
	for len(t.kinds) < n {
		t.kinds = append(t.kinds, 0)
	}
	return t.kinds[:n]
}

// token records the kind of a piece of text. Adjacent pieces of the same kind form one token, except for
// modifiers and immediates.
func (t *trace) token(kind TokenKind, start, end int) {
	t.prefix = -1
	k := uint8(kind + 1)
	t.kinds = t.upTo(start)
	for at := start; at < end; at++ {
		t.kinds = append(t.kinds, k)
	}
	if start < end && (kind == TokenModifier || kind == TokenImmediate) {
		t.kinds[start-t.start] |= firstByte
	}
}

// append appends the recorded tokens to tokens. end is the offset at which the text ends in the buffer.
func (t *trace) append(tokens []Token, end int) []Token {
	kinds := t.kinds[:min(len(t.kinds), end-t.start)]
	for from := 0; from < len(kinds); {
		k, to := kinds[from]&^firstByte, from+1
		for to < len(kinds) && kinds[to] == k {
			to++
		}
		if k != 0 {
			tokens = append(tokens, Token{TokenKind(k - 1), t.start + from, t.start + to})
		}
		from = to
	}
	return tokens
}

// dropText truncates dst to length start and discards the token kinds of the removed text. It truncates
// the list of printed fields to length shown.
func (d *Decoder) dropText(dst []byte, start, shown int) []byte {
	if d.watch == watchTokens {
		d.trace.kinds, d.trace.prefix = d.trace.upTo(start), -1
	}
	d.trace.shown = d.trace.shown[:shown]
	return dst[:start]
}

// style returns the style of the current text in a frame.
func (d *Decoder) style(depth int) *tokenStyle {
	if d.trace.group != nil {
		return d.trace.group
	}
	return d.frames[depth].site.style
}

// nameToken records the tokens of the name of a leaf.
func (d *Decoder) nameToken(s string, start, depth int) {
	if v := d.style(depth); v.hasMnemonic && !v.forced {
		d.trace.token(TokenMnemonic, start, start+len(s))
	} else {
		d.literalToken(s, start, depth)
	}
}

// literalToken records the tokens of the literal text s. start is its offset in the buffer.
func (d *Decoder) literalToken(s string, start, depth int) {
	t := &d.trace
	switch v := d.style(depth); {
	case v.forced:
		t.token(v.whole, start, start+len(s))
	case v.kind == registerStyle:
		t.register(s, start)
	default:
		t.words(s, start, v, depth)
	}
}

// word returns the index after the run of letters and digits that begins at i.
func word(s string, i int) int {
	for i < len(s) && (letter(s[i]) || decimal(s[i])) {
		i++
	}
	return i
}

// register records the tokens of literal text in a register. Letters, digits, sigils and everything in
// brackets belong to the register. Other characters are punctuation, and a word before a blank is a
// type.
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

// sigil reports whether c is a special character that can start a register name.
func sigil(c byte) bool { return c == '$' || c == '%' || c == '@' || c == '#' }

// words records the tokens of text between operands: words and punctuation. The first word of an
// instruction is its mnemonic unless the description marks the mnemonic. In a memory operand, a word
// before a bracket or at the end of the text names the memory or a register.
func (t *trace) words(s string, start int, v *tokenStyle, depth int) {
	for i := 0; i < len(s); {
		end, kind := i+1, TokenPunctuation
		switch c := s[i]; {
		case letter(c) && v.hasMnemonic && !v.named && !t.mnemonicPrinted[depth]:
			for end < len(s) && s[end] != ' ' && s[end] != '\t' {
				end++
			}
			kind, t.mnemonicPrinted[depth] = TokenMnemonic, true
		case v.kind == memoryStyle && sigil(c):
			end, kind = word(s, i+1), TokenRegister
		case letter(c):
			end, kind = word(s, i), TokenModifier
			if v.kind == memoryStyle && (end == len(s) || s[end] == '[') {
				kind = TokenRegister
			}
		case decimal(c):
			end, kind = word(s, i), TokenImmediate
		}
		t.token(kind, start+i, start+end)
		if kind == TokenImmediate && end == len(s) {
			t.prefix = start + i
		}
		i = end
	}
}

func decimal(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// valueToken records the token of a printed reference. named means that the text is a name from the
// program.
func (d *Decoder) valueToken(ref *model.Ref, depth, start, end int, named bool) {
	if end > start && (named || ref.Kind != spec.KindBitset) {
		d.trace.number(d.style(depth).kindOf(ref, named), start, end)
	}
}

// shown records a printed field.
func (d *Decoder) shown(ref *model.Ref, depth, start, end int, named bool) {
	if ref.Field != nil {
		d.trace.shown = append(d.trace.shown, shownField{d.reached(ref, depth), start, end, named || ref.ScopeDepth > 0})
	}
}

// reached returns the site of the field to which a reference in a frame refers.
func (d *Decoder) reached(ref *model.Ref, depth int) *fieldSite {
	s := d.frames[depth-min(ref.ScopeDepth, depth)].site
	for _, e := range ref.Path {
		s = s.fieldOf(e).inside(d, s, e.Env.Bound(e.Env.Root.Leaves[0]), nil)
	}
	return s.fieldOf(ref)
}

// number records the token of a field. If a number prefix directly precedes the field, the token
// includes the prefix.
func (t *trace) number(kind TokenKind, start, end int) {
	if t.prefix >= 0 && (kind == TokenImmediate || kind == TokenAddress) && len(t.kinds) == start-t.start {
		start = t.prefix // no text separates the prefix from the number
	}
	t.token(kind, start, end)
}

// kindOf returns the token kind of a field that is not a bitset.
func (v *tokenStyle) kindOf(ref *model.Ref, named bool) TokenKind {
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
		if ref.Enum.Spec.DescribesOperand {
			return TokenRegister
		}
		return TokenModifier
	case spec.KindBool, spec.KindBoolInv, spec.KindCustom:
		return TokenModifier
	}
	switch v.kind {
	case registerStyle:
		return TokenRegister
	case memoryStyle:
		return TokenAddress
	}
	return TokenImmediate
}
