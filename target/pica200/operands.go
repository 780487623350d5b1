package pica200

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/quote"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// swizzle is which component each component of an operand is.
type swizzle [4]uint8

var noSwizzle = swizzle{0, 1, 2, 3}

// components is how source writes the components.
type components struct {
	letters [4]byte // the first of each
	value   [256]int8
	sets    string // all letters, for messages
}

// load reads the components from the enum of the description that has them: letters of any case.
func (c *components) load(e *spec.Enum) error {
	for i := range c.value {
		c.value[i] = -1
	}
	var sets []string
	for _, v := range e.Values {
		for i, text := range append([]string{v.Display}, v.Aliases...) {
			if v.Val >= uint64(len(c.letters)) || len(text) != 1 {
				return fmt.Errorf("%s: value %d with the text %q, expected letters for 0 to %d", e.Name, v.Val, text, len(c.letters)-1)
			}
			if i == 0 {
				c.letters[v.Val] = text[0]
			}
			c.value[text[0]|0x20], c.value[text[0]&^0x20] = int8(v.Val), int8(v.Val)
			if i == len(sets) {
				sets = append(sets, "")
			}
			sets[i] += text
		}
	}
	c.sets = strings.Join(sets, ", ")
	if i := strings.LastIndex(c.sets, ", "); i >= 0 {
		c.sets = c.sets[:i] + " or " + c.sets[i+2:]
	}
	return nil
}

// ordered reports whether letters are in the order of the components, each once.
func (c *components) ordered(s string) bool {
	for i := 1; i < len(s); i++ {
		if c.value[s[i]] <= c.value[s[i-1]] {
			return false
		}
	}
	return true
}

// parse reads one to four letters, of which the last repeats.
func (c *components) parse(s string) (w swizzle, ok bool) {
	if len(s) == 0 || len(s) > 4 {
		return w, false
	}
	for i := range w {
		v := c.value[s[min(i, len(s)-1)]]
		if v < 0 {
			return w, false
		}
		w[i] = uint8(v)
	}
	return w, true
}

// of applies a swizzle to what is already swizzled.
func (w swizzle) of(inner swizzle) swizzle {
	for i, c := range w {
		w[i] = inner[c]
	}
	return w
}

// mask returns the set of components, bit 0 for x.
func (w swizzle) mask() uint8 {
	var m uint8
	for _, c := range w {
		m |= 1 << c
	}
	return m
}

// operand is a register as source names it.
type operand struct {
	file  *isa.File
	num   int
	neg   bool
	swz   swizzle
	index uint8 // which of banks.address is added
	// disordered is set if the letters of the swizzle, taken as a mask, are not in their order.
	disordered bool
}

// alias is a name for an operand.
type alias struct {
	operand
	span diag.Span
	// size is the length of the run of registers that is declared with the name, 0 for a mere alias.
	size int
	// failed marks the name of a declaration that could not be read, which was reported there: operands
	// with the name fail without another message.
	failed bool
}

func (o operand) String() string { return o.file.Name + strconv.Itoa(o.num) }

// operandScan reads a register from text[off:end], and reports what is wrong with it.
type operandScan struct {
	r     *assembly
	text  string
	pos   int
	end   int
	alias *alias // whose name it has, nil for a register's
}

func (s *operandScan) blanks() {
	for s.pos < s.end && (s.text[s.pos] == ' ' || s.text[s.pos] == '\t') {
		s.pos++
	}
}

func (s *operandScan) identifier() string {
	start, pos := s.pos, s.pos
	if pos < s.end && identifierByte(s.text[pos], true) {
		for pos++; pos < s.end && s.r.banks.inName[s.text[pos]]; {
			pos++
		}
	}
	s.pos = pos
	return s.text[start:pos]
}

// name reads an identifier, or the name of a constant that is none.
func (s *operandScan) name() string {
	start := s.pos
	name := s.identifier()
	end := s.pos
	if end == s.end || s.text[end] == '.' || s.text[end] == '[' {
		return name
	}
	for end < s.end && strings.IndexByte(" \t.[", s.text[end]) < 0 {
		end++
	}
	if long := s.text[start:end]; end > s.pos && s.r.aliases[long] != nil {
		s.pos = end
		return long
	}
	return name
}

func (s *operandScan) peek(c byte) bool { return s.pos < s.end && s.text[s.pos] == c }

// operand reads [-]NAME[INDEX][.SWIZZLE] from text[off:end].
func (r *assembly) operand(text string, off, end int) (o operand, ok bool) {
	if !r.hiding {
		if o, ok = r.banks.plain(text[off:end]); ok {
			return o, true
		}
	}
	s := operandScan{r: r, text: text, pos: off, end: end}
	s.blanks()
	neg := s.peek('-')
	if neg {
		s.pos++
		s.blanks()
	}
	start := s.pos
	name := s.name()
	if o, ok = s.resolve(name, start); !ok {
		return o, false
	}
	s.blanks()
	indexed := s.peek('[')
	if indexed {
		if ok = s.index(&o, start); !ok {
			return o, false
		}
		s.blanks()
	}
	swizzled := s.peek('.')
	if swizzled && !s.swizzle(&o) {
		return o, false
	}
	s.blanks()
	switch rest := text[s.pos:end]; {
	case rest == "":
	case isForeignComment(rest) && !swizzled && (indexed || s.alias == nil):
		r.ignored("register", rest, s.pos)
	default:
		r.fail(diag.TextExpected, r.span(s.pos, end), "unexpected %q after the register %s", text[s.pos:end], strings.TrimSpace(text[start:s.pos]))
		return o, false
	}
	o.neg = o.neg != neg
	return o, true
}

// plain reads a register with nothing but a sign and components.
func (b *banks) plain(s string) (o operand, ok bool) {
	neg := s != "" && s[0] == '-'
	if neg {
		s = s[1:]
	}
	n := 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n < 2 || n < len(s) && s[n] != '.' {
		return o, false
	}
	if o, ok = b.register(s[:n]); ok && n < len(s) {
		o.swz, ok = b.components.parse(s[n+1:])
		o.disordered = ok && !b.components.ordered(s[n+1:])
	}
	o.neg = neg
	return o, ok
}

// swizzle reads the components after a dot.
func (s *operandScan) swizzle(o *operand) bool {
	s.pos++
	at := s.pos
	letters := s.identifier()
	w, ok := s.r.banks.components.parse(letters)
	if !ok {
		read := strconv.Quote(letters)
		if letters == "" {
			read = "a dot without letters"
		}
		s.r.fail(diag.TextExpected, s.r.span(at, s.pos), "%s, expected one to four components (%s)", read, s.r.banks.components.sets)
		return false
	}
	o.swz, o.disordered = w.of(o.swz), !s.r.banks.components.ordered(letters)
	return true
}

// isForeignComment reports whether a text is a comment of another language, without what picasso would
// read in it.
func isForeignComment(text string) bool {
	return (strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") || text[0] == '#') && !strings.ContainsAny(text, ".[")
}

// resolve finds what the name that starts at off stands for: an alias, or a register.
func (s *operandScan) resolve(name string, off int) (o operand, ok bool) {
	r := s.r
	if s.alias = r.aliases[name]; s.alias != nil {
		return s.alias.operand, !s.alias.failed
	}
	if o, ok = r.banks.register(name); ok {
		return o, true
	}
	span := r.span(off, off+len(name))
	switch {
	case name == "":
		r.fail(diag.TextExpected, r.span(off, s.end), "%q, expected a register or a name for one", strings.TrimSpace(s.text[off:s.end]))
		return o, false
	case !r.banks.isRegister(name):
		r.fail(diag.Unresolved, span, "%s is neither a register nor declared%s", name, quote.DidYouMean(name, slices.Sorted(maps.Keys(r.aliases))))
		return o, false
	case r.banks.letters[name[0]] == nil:
		r.fail(diag.RegisterUse, span, "%s is not a register, but %s is: the names are lower case", name, strings.ToLower(name))
		return o, false
	}
	n, err := strconv.Atoi(name[1:])
	if err != nil || len(name) > 2 && name[1] == '0' {
		r.fail(diag.RegisterUse, span, "%s is not a register, expected %c and a decimal number without leading zeros", name, name[0])
		return o, false
	}
	o.file, o.num = r.banks.letters[name[0]], n
	return o, r.inBank(&o, span, name)
}

// inBank checks that a register exists.
func (r *assembly) inBank(o *operand, span diag.Span, written string) bool {
	most := o.file.Count
	if o.num >= 0 && o.num < most {
		return true
	}
	is := ""
	if written != o.String() {
		is = " is " + o.String()
	}
	r.fail(diag.RegisterUse, span, "%s%s, but %[3]s registers go from %[3]s0 to %[3]s%[4]d", written, is, o.file.Name, most-1)
	return false
}

// index reads [N], [A], [A+N], [A-N] or [N+A] after a register that starts at start.
func (s *operandScan) index(o *operand, start int) bool {
	open := s.pos
	shut := strings.IndexByte(s.text[open:s.end], ']')
	if shut < 0 {
		s.r.fail(diag.TextExpected, s.r.span(open, s.end), "this [ has no matching ]")
		return false
	}
	inner := s.text[open+1 : open+shut]
	s.pos = open + shut + 1
	if n, ok := digits(inner); ok {
		s.element(o, start, n, 0)
		return s.r.inBank(o, s.r.span(start, s.pos), s.text[start:s.pos])
	}
	span := s.r.span(open+1, open+shut)
	offset, register, turned, ok := s.r.banks.splitIndex(inner)
	if !ok {
		s.r.fail(diag.TextExpected, span, "index %q, expected a number, an address register (%s), or an address register plus a number", strings.TrimSpace(inner), strings.Join(s.r.banks.address[1:], ", "))
		return false
	}
	name := strings.TrimSpace(s.text[start:open])
	if register != 0 && !s.r.facts.unchecked && !slices.Contains(s.r.banks.indexed(), o.file) {
		if name != o.String() {
			name += " is " + o.String()
		}
		s.r.fail(diag.RegisterUse, span, "%s: an address register offsets only %s registers", name, namesOf(s.r.banks.indexed(), " or "))
		return false
	}
	switch {
	case register != 0 && strings.Contains(inner, "-"):
		s.r.warn(diag.ReadDiffers, span, "%s is offset by %s and %d; picasso reads it without an index", name, s.r.banks.address[register], offset)
	case turned:
		s.r.warn(diag.ReadDiffers, span, "%s is offset by %s and %d; older versions of picasso read it without an index", name, s.r.banks.address[register], offset)
	case offset != 0 && isHexadecimal(inner):
		s.r.warn(diag.ReadDiffers, span, "%s is offset by %d; picasso reads 0", name, offset)
	}
	s.element(o, start, offset, register)
	return s.r.inBank(o, s.r.span(start, s.pos), s.text[start:s.pos])
}

// element takes the register so far after the one whose name starts at start.
func (s *operandScan) element(o *operand, start, offset int, register uint8) {
	if a := s.alias; a != nil && a.size > 0 && (offset >= a.size || offset < 0) {
		name, _, _ := strings.Cut(s.text[start:s.pos], "[")
		s.pastArray(a, strings.TrimSpace(name), s.text[start:s.pos], s.r.span(start, s.pos), offset, register)
	}
	o.num += offset
	o.index = register
}

// digits reads a number of one or two digits.
func digits(text string) (n int, ok bool) {
	if len(text) == 0 || len(text) > 2 {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// pastArray warns of an index that is surely not one of the declared registers.
func (s *operandScan) pastArray(a *alias, name, written string, span diag.Span, offset int, register uint8) {
	switch {
	case offset >= a.size:
		s.r.warn(diag.PastArray, span, "%s is past the end of %s, which has %s", written, name, count(a.size, "register")).With(a.span, "declared here")
	case offset < 0 && register == 0:
		s.r.warn(diag.PastArray, span, "%s is before the start of %s", written, name).With(a.span, "declared here")
	}
}

// splitIndex reads what stands between brackets, if it is an index (ok); turned is set if it is a number plus a
// register.
func (b *banks) splitIndex(inner string) (offset int, register uint8, turned, ok bool) {
	inner = strings.TrimSpace(inner)
	if n, good := number(inner); good {
		return n, 0, false, true
	}
	if reg, good := b.named[strings.ToLower(inner)]; good {
		return 0, reg, false, true
	}
	i := strings.IndexAny(inner, "+-")
	if i <= 0 {
		return
	}
	left, right := strings.TrimSpace(inner[:i]), strings.TrimSpace(inner[i+1:])
	if turned = inner[i] == '+' && left[0] >= '0' && left[0] <= '9'; turned {
		left, right = right, left
	}
	reg, good := b.named[strings.ToLower(left)]
	n, isNumber := number(right)
	if !good || !isNumber || strings.HasPrefix(right, "-") {
		return
	}
	if inner[i] == '-' {
		n = -n
	}
	return n, reg, turned, true
}

// operandKind says how source writes an operand of an instruction.
type operandKind uint8

const (
	kindOther operandKind = iota // as the description has it
	kindRegister
	kindWritten // a register with a mask
	kindTarget
	kindNumber
	kindModifier
)

// sourceOperand is an operand of an instruction in source.
type sourceOperand struct {
	kind operandKind
	// name is the description's; files are those of which it can be a register, whatever the form of the instruction.
	name  string
	files []*isa.File
}

// position returns where a register of the operand stands.
func (r *assembly) position(o *sourceOperand) position {
	switch {
	case o.kind == kindWritten:
		return destinationPosition
	case slices.Contains(o.files, r.banks.files[intBank]):
		return intPosition
	case slices.Contains(o.files, r.banks.files[boolBank]):
		return boolPosition
	}
	return sourcePosition
}

// loadNames notes the instructions by the names that source has for them.
func (a *Assembler) loadNames() error {
	root, err := a.set.Root("")
	if err != nil {
		return err
	}
	a.mnemonics = map[string]*mnemonic{}
	for _, l := range root.Leaves {
		name := strings.ToLower(l.Display)
		if m := a.mnemonics[name]; m != nil { // the two forms of one name differ in which operand is wide
			m.others = append(m.others, l)
			continue
		}
		m := &mnemonic{leaf: l}
		for _, n := range append(aliasNames(a.set, l), name) {
			if a.mnemonics[n] == nil || n == name {
				a.mnemonics[n] = m
			}
		}
	}
	return nil
}

// mnemonic is the name of an instruction, or of several that differ in which operand is wide.
type mnemonic struct {
	leaf   *isa.Leaf
	others []*isa.Leaf
	// operands are nil where they were not asked for.
	operands []sourceOperand
}

// operandOf returns how source writes an operand, by its number.
func (a *Assembler) operandOf(m *mnemonic, i int) sourceOperand {
	if m.operands == nil {
		m.operands = []sourceOperand{}
		for _, f := range m.leaf.OperandForms() {
			m.operands = append(m.operands, sourceOperand{a.kindOf(f), f.Name, f.Files})
		}
		for _, l := range m.others {
			for i, f := range l.OperandForms() {
				m.operands[i].files = append(slices.Clip(m.operands[i].files), f.Files...)
			}
		}
	}
	if i < len(m.operands) {
		return m.operands[i]
	}
	return sourceOperand{}
}

// kindOf returns how source writes an operand.
func (a *Assembler) kindOf(f isa.OperandForm) operandKind {
	switch {
	case f.Kind == isa.TargetOperand:
		return kindTarget
	case f.Kind == isa.ImmediateOperand:
		return kindNumber
	case f.Kind == isa.ModifierOperand:
		return kindModifier
	case len(f.Files) == 0 || a.banks.letters[f.Files[0].Name[0]] != f.Files[0]:
		return kindOther
	case f.Role == isa.Write:
		return kindWritten
	}
	return kindRegister
}

// aliasNames lists the other names of an instruction: the first words of what is read and never
// printed.
func aliasNames(set *isa.Set, l *isa.Leaf) []string {
	var names []string
	for _, texts := range inside.Machine(set).Texts(inside.Leaf(l)) {
		for _, t := range texts.Aliases {
			if items := t.Items(); len(items) > 0 && strings.HasSuffix(items[0].Text, " ") {
				names = append(names, strings.ToLower(strings.TrimSpace(items[0].Text)))
			}
		}
	}
	return names
}

// spellOut puts the instruction into r.line in the words of the description: with registers for names.
func (r *assembly) spellOut(text string) bool {
	r.inputs, r.first, r.over = r.inputs[:0], true, overflow{}
	end := len(text)
	if i := strings.IndexByte(text, '{'); i >= 0 {
		end = i
		r.note.suffix = i
	}
	at := 0
	for at < end && text[at] != ' ' && text[at] != '\t' {
		at++
	}
	r.mnemonic = r.mnemonics[text[:at]]
	if r.mnemonic == nil {
		r.mnemonic = r.mnemonics[strings.ToLower(text[:at])]
	}
	ok := true
	for i := 0; at < end; i++ {
		comma := end
		if n := strings.IndexByte(text[at:end], ','); n >= 0 {
			comma = at + n
		}
		var as sourceOperand
		switch {
		case r.mnemonic != nil:
			as = r.operandOf(r.mnemonic, i)
		case r.resolves(text[at:comma]):
			as.kind = kindRegister
		}
		ok = r.spellOperand(&as, text, at, comma) && ok
		at = comma + 1
	}
	r.line.Keep(len(text))
	return ok
}

// resolves reports whether a text starts with the name of a register.
func (r *assembly) resolves(text string) bool {
	s := operandScan{r: r, text: strings.TrimLeft(text, " \t-!")}
	s.end = len(s.text)
	name := s.identifier()
	return r.aliases[name] != nil || r.banks.isRegister(name)
}

// spellOperand spells out the operand at text[off:end].
func (r *assembly) spellOperand(as *sourceOperand, text string, off, end int) bool {
	lead := off + blanksAt(text[off:end])
	if lead == end {
		return true
	}
	r.line.Keep(off)
	r.line.Text = append(r.line.Text, ' ')
	r.line.Replace(lead)
	next := end
	off, end = lead, lead+len(trimEnd(text[lead:end]))
	switch as.kind {
	case kindOther:
		r.other(text, off, end)
	case kindTarget:
		r.note.target, r.note.targetEnd = off, end
	case kindNumber:
		if !r.immediate(text, off, end) {
			return false
		}
	case kindModifier:
		r.modifiers(text, off, end)
	default:
		if text[off] == '!' {
			off++
		}
		r.line.Keep(off)
		if !r.spellRegister(as, text, off, end) {
			return false
		}
		r.line.Replace(end)
	}
	r.line.Keep(end)
	r.line.Replace(next)
	return true
}

// other leaves out pairs of negations of a condition.
func (r *assembly) other(text string, off, end int) {
	for {
		i := strings.Index(text[off:end], "!!")
		if i < 0 {
			return
		}
		r.line.Keep(off + i)
		off += i + 2
		r.line.Replace(off)
	}
}

// spellRegister spells out the register at text[off:end].
func (r *assembly) spellRegister(as *sourceOperand, text string, off, end int) bool {
	at := r.position(as)
	fits := func(o *operand) bool { return as.files == nil || slices.Contains(as.files, o.file) }
	o, ok := r.either(at, text, off, end, at == intPosition || at == boolPosition, fits, func() (operand, bool) {
		o, ok := r.operand(text, off, end)
		return o, ok && r.usable(&o, as, text[off:end], r.span(off, end))
	})
	if !ok {
		return false
	}
	if most := o.file.Count; o.num >= most { // which picasso alone can name
		r.over = overflow{as.name, o.num / most}
		o.num %= most
	}
	r.line.Text = r.appendOperand(r.line.Text, &o, as.kind == kindWritten)
	r.uses(&o, as.kind, off, end)
	return true
}

// appendOperand appends an operand in the words of the description.
func (r *assembly) appendOperand(dst []byte, o *operand, written bool) []byte {
	if o.neg {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(append(dst, o.file.Name...), int64(o.num), 10)
	if o.index > 0 {
		dst = append(append(append(dst, '['), r.banks.address[o.index]...), ']')
	}
	mask := o.swz.mask()
	switch {
	case o.swz == noSwizzle || written && mask == 15:
	case written:
		dst = append(dst, '.')
		for i, letter := range r.banks.components.letters {
			if mask>>i&1 != 0 {
				dst = append(dst, letter)
			}
		}
	default:
		dst = append(dst, '.')
		n := len(o.swz)
		for n > 1 && o.swz[n-1] == o.swz[n-2] { // the last letter repeats
			n--
		}
		for _, c := range o.swz[:n] {
			dst = append(dst, r.banks.components.letters[c])
		}
	}
	return dst
}

// usable checks what an operand may not be, whatever the instruction.
func (r *assembly) usable(o *operand, as *sourceOperand, written string, span diag.Span) bool {
	output := o.file == r.banks.files[outputBank]
	switch {
	case as.kind == kindWritten && o.neg:
		r.fail(diag.RegisterUse, span, "a destination cannot be negated, expected %s", o.String())
	case as.kind == kindWritten && as.files != nil && !slices.Contains(as.files, o.file):
		r.fail(diag.RegisterUse, span, "%s cannot be written, expected a register of %s", o.String(), namesOf(as.files, " or "))
	case as.kind == kindWritten && output && o.num >= r.most.rasterised && r.program().geometry && !r.facts.unchecked:
		r.fail(diag.RegisterUse, span, "a geometry shader has no %s, only %[2]s0 to %[2]s%[3]d", o.String(), o.file.Name, r.most.rasterised-1)
	case as.kind == kindRegister && as.files != nil && output && !r.whole(as):
		name := o.String()
		if alias, _, _ := strings.Cut(strings.TrimLeft(written, "- \t"), "."); r.aliases[strings.Trim(alias, " \t")] != nil {
			name = strings.Trim(alias, " \t")
		}
		r.fail(diag.RegisterUse, span, "%s is an output, and outputs cannot be read: compute the value in one of %[2]s0 to %[2]s%[3]d, read that register, and copy it to %[1]s",
			name, r.banks.temporaries.Name, r.banks.temporaries.Count-1)
	case (o.neg || o.swz != noSwizzle) && slices.Contains(as.files, o.file) && r.whole(as):
		r.fail(diag.RegisterUse, span, "%s cannot have a sign or components", o.String())
	default:
		return true
	}
	return false
}

// whole reports whether an operand is a register without sign and components.
func (r *assembly) whole(as *sourceOperand) bool {
	return slices.Contains(as.files, r.banks.files[intBank]) || slices.Contains(as.files, r.banks.files[boolBank])
}

// uses notes what an operand is, and warns about likely mistakes.
func (r *assembly) uses(o *operand, kind operandKind, off, end int) {
	switch {
	case kind != kindWritten:
		r.input(o, off, end)
	case o.disordered:
		r.maskOrder(o, r.span(off, end))
	}
	if r.first && o.file == r.banks.files[outputBank] {
		r.note.tag = outputTag(o)
	}
	r.first = false
}

// maskOrder warns of a mask that is not in the order of the components.
func (r *assembly) maskOrder(o *operand, span diag.Span) {
	var letters []byte
	for i, letter := range r.banks.components.letters {
		if o.swz.mask()>>i&1 != 0 {
			letters = append(letters, letter)
		}
	}
	r.warn(diag.MaskOrder, span, "the order of components in a mask has no effect: this writes %s", letters)
}

// input warns of a second input register among the sources of an instruction.
func (r *assembly) input(o *operand, off, end int) {
	if o.file != r.banks.files[inputBank] {
		return
	}
	for _, n := range r.inputs {
		if n != o.num {
			r.warn(diag.TwoInputs, r.span(off, end), "%s%d and %s: an instruction can read one input register", o.file.Name, n, o.String())
			break
		}
	}
	r.inputs = append(r.inputs, o.num)
}

// outputTag packs which output an instruction writes, for the lint, which takes 0 for none.
func outputTag(o *operand) uint32 { return 1<<31 | uint32(o.num)<<4 | uint32(o.swz.mask()) }
