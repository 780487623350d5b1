package asm

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
	"github.com/isago/isago/isa"
)

// Expected is a piece of text that the grammar accepts at a place in a line.
type Expected struct {
	Kind ExpectedKind
	// Off is the offset of the piece in the line, in bytes. If the line already contains the start of the piece, Off is
	// before the column.
	Off int
	// Text is the whole piece. It is empty for numbers and at the end of the instruction.
	Text string
	// Field is the name of the field that the piece specifies, with its path. It is empty for a literal.
	Field string
	// Range is the range of a number. It is the zero value for other pieces.
	Range Range
	// Example is a line that starts with the text before Off, continues with the piece, and is an instruction. Leaf is
	// that instruction.
	Example string
	Leaf    *isa.Leaf
}

// ExpectedKind is the kind of an expected piece of text.
type ExpectedKind uint8

// The kinds of expected text.
const (
	ExpectedWord   ExpectedKind = iota // a literal of the syntax, or the name of a value
	ExpectedNumber                     // a number in any radix, or a constant expression
	ExpectedTarget                     // a label or a number
	ExpectedBlank                      // a blank
	ExpectedEnd                        // nothing: the line is an instruction
)

// String returns word, number, target, blank or end.
func (k ExpectedKind) String() string {
	return [...]string{"word", "number", "target", "blank", "end"}[k]
}

// Range is a range of numbers.
type Range struct {
	// Low and High are the bounds of an integer.
	Low  int64
	High uint64
	// Hex reports whether instructions print the number in hexadecimal.
	Hex bool
	// Float is the width of a float in bits, 16 or 32, or 0 for an integer.
	Float int
	// Wide is the width of an unsigned integer of more than 64 bits, or 0.
	Wide int
}

// String describes the range, for example "0 to 15".
func (r Range) String() string {
	switch {
	case r.Float == 16:
		return "-65504 to 65504, inf or nan"
	case r.Float != 0:
		return "-3.4028235e+38 to 3.4028235e+38, inf or nan"
	case r.Wide != 0:
		return fmt.Sprintf("a number of %d bits", r.Wide)
	case r.Hex:
		return fmt.Sprintf("%#x to %#x", r.Low, r.High)
	}
	return fmt.Sprintf("%d to %d", r.Low, r.High)
}

// Limits of Expected: the attempts to complete an instruction after one piece, the steps of an attempt, and the steps
// for all pieces.
const (
	maxAttempts       = 24
	maxFinishSteps    = 1 << 9
	maxAllFinishSteps = 1 << 20
)

// Expected returns the pieces of text that the grammar accepts at a column of a line, which is an offset in bytes. Only
// the text before the column counts. A blank may precede each piece where the grammar has a blank. Each piece has an
// example, so a piece is returned only if an instruction continues with it. Expected returns nothing in a comment and in
// the braces after an instruction. If the work exceeds a limit, pieces may be missing.
func (p *Parser) Expected(line string, column int) []Expected {
	line = line[:min(max(column, 0), len(line))]
	if len(line) > MaxLine || p.Comment != "" && p.commentIn([]byte(line)) >= 0 && !p.set.MayPrint(p.Comment) {
		return nil
	}
	c := &completion{m: &p.matcher, line: line, check: p.assistant(), found: map[Expected]bool{}}
	exhaustive := p.exhaustive
	p.completion, p.exhaustive, p.allowAliases, p.constantErr = c, true, true, nil
	defer func() { p.completion, p.exhaustive = nil, exhaustive }()
	p.load([]byte(line))
	if n := len(line); n > 0 && p.folds[line[n-1]] == ' ' && len(p.src) > 0 {
		p.src, p.raw = append(p.src, ' '), append(p.raw, ' ')
	}
	for ok := p.from(p.ready(p.top).start); ok; {
		ok = p.resume(false)
	}
	if res, ok := c.check.Try(line); ok {
		c.list = append(c.list, Expected{Kind: ExpectedEnd, Off: len(line), Example: line, Leaf: res.Inst.Leaf})
	}
	return c.list
}

// assistant returns a parser with the same hooks that has its own tables and does not cache lines.
func (p *Parser) assistant() *Parser {
	if p.helper == nil {
		p.helper, _ = New(p.set, p.root.Name) // the root exists
		p.helper.cache = nil
	}
	q := p.helper
	q.Symbol, q.Later, q.Custom, q.Constant, q.Comment, q.Addr = p.Symbol, p.Later, p.Custom, p.Constant, p.Comment, p.Addr
	q.SetContext(p.context)
	return q
}

// completion collects what can follow a text. While the matcher parses the text, visit tries each item that can extend
// the text, and completes the instruction with items for which there is no text. The matcher then continues as before.
type completion struct {
	m     *matcher
	line  string
	check *Parser // parses the examples
	list  []Expected
	found map[Expected]bool // the elements of list, without examples
	// busy is set while an instruction is completed. head is its text up to the proposed piece, and made lists the items
	// after that.
	busy bool
	head string
	made []madeItem
	// example and leaf are the last instruction that was completed.
	example string
	leaf    *isa.Leaf
	// steps counts the steps of the current completion, and all counts the steps of earlier ones.
	steps, all int
	// random chooses the order of the alternatives after the first attempt to complete an instruction, which may have
	// tried all combinations of alternatives that do not matter.
	random *rand.Rand
	// printed counts the instructions that were completed and printed.
	printed int
}

// madeItem is an item that completes an instruction. If it is not a literal or a blank, its text follows from the bits.
type madeItem struct {
	it    *item
	scope int32 // the scope of the reference
	text  string
}

// take binds a piece of text or an item, and calls done for each way to do so. done completes the instruction, or
// restores the state if that is not possible. ok is false if the item could not be bound.
type take func(done func(ok bool) bool) bool

// savedState is a state of the matcher to which completion returns.
type savedState struct {
	choice
	src, raw      []byte
	cons          []constraint
	choices, made int
}

func (c *completion) save() savedState {
	m := c.m
	n := len(m.choices)
	m.save(nil, resumePoint{})
	s := savedState{choice: m.choices[n], src: m.src, raw: m.raw, cons: slices.Clone(m.cons), choices: n, made: len(c.made)}
	m.choices = m.choices[:n]
	return s
}

func (c *completion) restore(s *savedState) {
	m := c.m
	m.restore(&s.choice)
	m.cons = append(m.cons[:0], s.cons...)
	m.src, m.raw, m.choices, c.made = s.src, s.raw, m.choices[:s.choices], c.made[:s.made]
}

// needsBlank reports whether the line ends where a blank must follow.
func (c *completion) needsBlank(padding bool) bool {
	return c != nil && !c.busy && !padding && c.atEnd() && !punctuation[c.m.src[c.m.pos-1]]
}

// atEnd reports whether the whole text has been read, and its last byte is not a blank.
func (c *completion) atEnd() bool {
	m := c.m
	return m.pos == len(m.src) && m.pos > 0 && m.src[m.pos-1] != ' '
}

// visit proposes the items at a node that can extend the text.
func (c *completion) visit(n *node) {
	switch s := n.set; {
	case c.busy:
	case s == nil:
		for _, e := range n.edges {
			if e.item.extent != noText {
				c.visitEdge(e)
			}
		}
	case s.joined:
		if f := c.m.frames[c.m.frame]; f.used != 0 && !f.closing {
			c.word(&s.joint, strings.TrimLeft(s.join, " "), strings.TrimLeft(s.join, " "), func(done func(bool) bool) bool { return c.members(s, f, done) })
		}
	}
}

func (c *completion) visitEdge(e *edge) {
	it, m := &e.item, c.m
	switch it.kind {
	case itemLiteral:
		c.word(it, it.text, it.shown, func(done func(bool) bool) bool { return done(c.follow(e)) })
	case itemBlank:
		if c.atEnd() {
			c.propose(Expected{Kind: ExpectedBlank, Text: " "}, m.pos, " ", func(done func(bool) bool) bool { return done(c.follow(e)) })
		}
	case itemEnum:
		for i := range it.words.words {
			w := &it.words.words[i]
			c.word(it, w.text, shownWord(it, w), func(done func(bool) bool) bool {
				return slices.ContainsFunc(w.values, func(v uint64) bool {
					return done(m.require(it.conds) && m.bind(it, v, m.pos) && c.follow(e))
				})
			})
		}
		if it.numbers {
			c.number(e, func(done func(bool) bool) bool { return c.unnamed(e, done) })
		}
	case itemNumber, itemFloat, itemBranch, itemCustom:
		c.number(e, func(done func(bool) bool) bool { return c.values(e, done) })
	}
}

// follow continues after an edge.
func (c *completion) follow(e *edge) bool {
	c.m.node = e.next
	return true
}

// shownWord returns a text of an enum or a bool before case folding.
func shownWord(it *item, w *word) string {
	if it.ref.Kind != spec.KindEnum {
		if shown := normal(*it.ref.Field.Display); strings.EqualFold(shown, w.text) {
			return shown
		}
		return w.text
	}
	for _, text := range it.ref.Enum.Texts {
		if shown := normal(text.Text); strings.EqualFold(shown, w.text) {
			return shown
		}
	}
	return w.text // without a blank at its start or its end
}

// word proposes a word if the rest of the text is the start of the word. shown is the word before case folding.
func (c *completion) word(it *item, text, shown string, bind take) {
	m := c.m
	if text == "" {
		return
	}
	pos := m.pos
	if text[0] != ' ' {
		pos = m.skipBlank()
	}
	if string(m.src[pos:]) == " " && (text[0] == ' ' || punctuation[text[0]]) {
		pos, text, shown = len(m.src), strings.TrimLeft(text, " "), strings.TrimLeft(shown, " ")
	}
	if rest := m.src[pos:]; len(rest) >= len(text) || text[:len(rest)] != string(rest) {
		return
	}
	x := Expected{Kind: ExpectedWord, Text: shown}
	if it.ref != nil {
		x.Field = it.ref.Name()
	}
	c.propose(x, pos, shown, bind)
}

// number proposes a number if the rest of the text is the start of one.
func (c *completion) number(e *edge, bind take) {
	it, m := &e.item, c.m
	pos, starts := m.skipBlank(), firstOfNumber(it).bytes
	for i, b := range m.src[pos:] {
		if i == 0 && !starts.has(b) || i > 0 && !isSymbolByte(b, false) && b != '+' && b != '-' {
			return
		}
	}
	x := Expected{Kind: ExpectedNumber, Field: it.ref.Name(), Range: m.numbers(it.ref, it.ref.Kind == spec.KindHex)}
	if it.kind == itemBranch {
		x.Kind = ExpectedTarget
	}
	c.propose(x, pos, "", bind)
}

// maxUnnamed limits the values without a name that are tried for an enum.
const maxUnnamed = 16

// unnamed continues after an enum with a value that has no name.
func (c *completion) unnamed(e *edge, done func(bool) bool) bool {
	it, m, tried := &e.item, c.m, 0
	for v := uint64(0); tried < maxUnnamed && v <= ones(min(max(it.ref.Width, 1), maxNamed)); v++ {
		if _, named := it.ref.Enum.Lookup(v); named {
			continue
		}
		tried++
		if done(m.require(it.conds) && c.value(it) && m.bind(it, v, m.pos) && c.follow(e)) {
			return true
		}
	}
	return false
}

// propose adds a piece of text at pos to the list if an instruction continues with the piece. text is empty if the text
// of the piece follows from the bits.
func (c *completion) propose(x Expected, pos int, text string, bind take) {
	m := c.m
	x.Off = len(c.line)
	if pos < len(m.src) {
		x.Off = original([]byte(c.line), pos)
	}
	field := x.Field
	if x.Kind == ExpectedWord {
		x.Field = ""
	}
	if c.found[x] || c.all > maxAllFinishSteps {
		return
	}
	before := c.save()
	for i := range m.cons {
		m.cons[i].done = false // set by earlier readings
	}
	m.src, m.raw = append(m.src[:pos:pos], text...), append(m.raw[:pos:pos], text...)
	m.pos = len(m.src)
	c.busy, c.head, c.random = true, c.line[:x.Off]+text, nil
	c.steps = 0
	ok := bind(c.done())
	for i := int64(1); !ok && c.steps > maxFinishSteps && i < maxAttempts; i++ {
		c.all += c.steps
		c.steps, c.random = 0, rand.New(rand.NewSource(i))
		ok = bind(c.done())
	}
	c.all += c.steps
	c.busy = false
	c.restore(&before)
	if !ok {
		return
	}
	c.found[x] = true
	x.Field, x.Example, x.Leaf = field, c.example, c.leaf
	c.list = append(c.list, x)
}

// done returns the function that completes the instruction from the next state, or restores the current state.
func (c *completion) done() func(ok bool) bool {
	here := c.save()
	return func(ok bool) bool {
		if ok && c.finish() {
			return true
		}
		c.restore(&here)
		return false
	}
}

// finish completes the instruction from the current node without text, and reports whether it could. It leaves the
// instruction in c.example and c.leaf.
func (c *completion) finish() bool {
	m := c.m
	if m.node == nil {
		return c.exemplify()
	}
	if c.steps++; c.steps > maxFinishSteps || m.propagate() == broken {
		return false
	}
	n, done := m.node, c.done()
	if n.set != nil {
		return c.finishSet(n.set, done)
	}
	n.open()
	return c.any(len(n.reductions)+len(n.edges), func(i int) bool {
		if i < len(n.reductions) {
			return done(m.reduce(n.reductions[i]))
		}
		return c.supply(n.edges[i-len(n.reductions)], done)
	})
}

// any calls try for the numbers below n until it returns true, and reports whether it did.
func (c *completion) any(n int, try func(i int) bool) bool {
	if c.random != nil && n > 1 {
		return slices.ContainsFunc(c.random.Perm(n), try)
	}
	for i := range n {
		if try(i) {
			return true
		}
	}
	return false
}

// finishSet completes a set: without further members if possible, and otherwise with another member.
func (c *completion) finishSet(s *setItem, done func(bool) bool) bool {
	m := c.m
	f := m.frames[m.frame]
	return c.any(2, func(i int) bool {
		switch {
		case i == 0:
			return (f.closing || f.extent != someText || f.used != 0) && done(m.absent(s, f))
		case f.closing || f.extent == noText:
			return false
		case f.used == 0:
			return c.members(s, f, done)
		}
		return c.members(s, f, func(ok bool) bool { return done(ok && c.literal(&s.joint, s.join)) })
	})
}

// members continues with each member of a set that has not been read.
func (c *completion) members(s *setItem, f callFrame, done func(bool) bool) bool {
	return c.any(len(s.members), func(i int) bool {
		if f.used>>uint(i)&1 != 0 {
			return false
		}
		next := f
		next.used |= 1 << uint(i)
		c.m.push(next, s.members[i])
		return done(true)
	})
}

// literal adds the text of an item.
func (c *completion) literal(it *item, text string) bool {
	m := c.m
	c.made = append(c.made, madeItem{it: it, text: text})
	m.src, m.raw = append(m.src, text...), append(m.raw, text...)
	m.pos = len(m.src)
	return true
}

// supply continues after an edge for which there is no text.
func (c *completion) supply(e *edge, done func(bool) bool) bool {
	it, m := &e.item, c.m
	switch {
	case it.kind == itemLiteral:
		return done(c.literal(it, it.shown) && c.follow(e))
	case it.kind == itemBlank:
		return done(c.literal(it, " ") && c.follow(e))
	case it.kind == itemSet:
		f := m.frames[m.frame]
		m.push(callFrame{parent: m.frame, scope: f.scope, ret: e.next, set: it.set, extent: it.extent, from: m.pos, depth: f.depth}, it.set.at)
		return done(m.require(it.conds))
	case it.extent == noText, it.kind == itemCall, it.kind == itemSetEnd, it.kind == itemNothing:
		return done(m.match(e, resumePoint{}))
	}
	return c.values(e, done)
}

// values continues after an enum or a number: first with bits that stay open, and then with each value of the enum, or
// with 1 for a number that prints as nothing if it is 0.
func (c *completion) values(e *edge, done func(bool) bool) bool {
	it, m := &e.item, c.m
	bound := func(v uint64) bool {
		return done(m.require(it.conds) && c.value(it) && m.bind(it, v, m.pos) && c.follow(e))
	}
	open := func() bool { return done(m.require(it.conds) && c.value(it) && c.follow(e)) }
	if it.kind != itemEnum {
		return it.mayBeAbsent() && bound(1) || open()
	}
	if it.extent == anyExtent {
		if printed := c.printed; open() {
			return true
		} else if c.printed == printed { // no value satisfies the constraints
			return false
		}
	}
	return c.any(len(it.words.words), func(i int) bool {
		w := &it.words.words[i]
		return !w.aliases[0] && (w.text != "" || it.extent != someText) && slices.ContainsFunc(w.values, bound)
	})
}

// value adds an item whose text follows from the bits.
func (c *completion) value(it *item) bool {
	m := c.m
	scope := int32(-1)
	if it.ref.Context == nil {
		scope = m.scopeOf(it.ref.ScopeDepth)
	}
	c.literal(it, "0")
	c.made[len(c.made)-1] = madeItem{it: it, scope: scope}
	return true
}

// exemplify prints the instruction, and reports whether the parser accepts the text.
func (c *completion) exemplify() bool {
	c.printed++
	c.m.lastDefaults()
	text := []byte(c.head)
	for _, x := range c.made {
		if text = append(text, x.text...); x.text == "" {
			text = c.m.appendValue(text, x.it.ref, x.scope)
		}
	}
	text = bytes.TrimRight(text, blanks)
	if len(text) < len(c.head) { // the piece is a blank
		text = text[:len(c.head)]
	}
	res, ok := c.check.Try(string(text))
	if ok {
		c.example, c.leaf = string(text), res.Inst.Leaf
	}
	return ok
}

// appendValue appends the text of a value. Unknown bits are 0.
func (m *matcher) appendValue(dst []byte, ref *model.Ref, scope int32) []byte {
	var v bits.Value
	switch {
	case ref.Context != nil:
		v = bits.Of(m.spaces[spaceContext].val.Uint(ref.Low, ref.Width))
	case ref.Prog != nil:
		mask := ones(min(max(readWidth(ref), 1), 64))
		v = bits.Of(m.computed(ref.Prog, scope, true).val & mask)
	default:
		s, ok := m.enter(ref, scope)
		if !ok {
			return dst
		}
		at := 0
		for low, width := range s.pieces(ref.Field.Parts) {
			for i := range width {
				if low != zeros && m.spaces[s.space].val.Bit(low+i) != 0 {
					v = v.Or(bits.Of(1).Shl(at + i))
				}
			}
			at += width
		}
	}
	switch {
	case ref.Width <= 64:
		return model.AppendScalar(dst, ref, v[0], m.env.Machine.ISA.Strict)
	case ref.Kind == spec.KindHex:
		return v.AppendHex(dst, 1)
	}
	n, _ := new(big.Int).SetString(v.String(), 16)
	return n.Append(dst, 10)
}
