package asm

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/isa"
)

// Parser reads the instructions of one root. It is reused over a whole program, and not for use by
// several goroutines at once.
type Parser struct {
	// Symbol gives the address of a name, in bits from the start of the program; nil knows none.
	Symbol func(name string) (addr int64, ok bool)
	// Later reports whether a name that Symbol does not know is one all the same, whose address is not
	// known yet: the bits that it would give are left open. nil knows none.
	Later func(name string) bool
	// Custom reads a field of type custom at the start of text, as isa.Decoder.Custom prints it: its
	// value and the number of bytes read. nil reads a number.
	Custom func(text []byte, field string) (value uint64, n int, ok bool)
	// Constant computes the constant expression of $(EXPRESSION), where a number stands, at the start of text, which
	// starts at its parenthesis: its value and the number of bytes read. An error, an *Error, counts from the start of
	// text. nil reads a decimal number.
	Constant func(text string) (value int64, n int, err error)
	// Comment starts a comment. New takes it from the description; "" is none.
	Comment string
	// Addr is the address of the instruction in bits; relative branch targets count from it.
	Addr int64
	// Tables place the entries beside the code, one for each table of the set; a nil Table gives
	// each instruction entries of its own, from 0 upwards.
	Tables []Table

	matcher
	outcome

	// cache is nil for a parser that remembers nothing.
	cache *cache
	// silent tells that nobody wants to know why a text cannot be read, which failure collects.
	silent bool
	first  finding // of a line that is verified
}

// language is what a parser reads.
type language struct {
	set     *isa.Set
	root    *model.Root
	leaves  []*isa.Leaf // of the root
	env     *model.Env
	top     *grammar
	folding bool
	folds   *[256]byte
	enums   map[*model.Enum]*trie
	bools   map[boolText]*trie
}

// outcome is what a line was read as.
type outcome struct {
	leaf          *isa.Leaf
	suffix        []suffix
	plan          []planned // its entries, before they have their places: made, or those of a line that is known
	made          []planned
	entries       []Entry
	decoder       *isa.Decoder // with which suffixes are resolved
	fields        []isa.Field  // of the decoder
	keptElsewhere bool         // the line is remembered elsewhere, as the text of a word
}

// Limits. A line that needs more is refused with an error.
const (
	maxSpaces = 8
	maxSteps  = 1 << 18
	// maxNested is the number of operands inside each other that are printed too.
	maxNested = 24
	MaxLine   = 1 << 16
	MaxWork   = 1 << 22
)

// New returns a parser for a root of the set, "" being that of instructions.
func New(set *isa.Set, root string) (*Parser, error) {
	r, err := set.Root(root)
	if err != nil {
		return nil, err
	}
	m := inside.Machine(set)
	p := &Parser{Comment: m.ISA.Text.Comment, Tables: make([]Table, len(m.ISA.Tables)), cache: &cache{}}
	p.caller, p.context = p, m.Context
	p.language = language{
		set: set, root: m.Roots[r.ID], leaves: r.Leaves, env: m.Top(m.Roots[r.ID]),
		folding: m.ISA.Text.Fold, folds: foldTable(m.ISA.Text.Fold), enums: map[*model.Enum]*trie{}, bools: map[boolText]*trie{},
	}
	p.top = p.grammarOf(p.env)
	for _, c := range m.ISA.Contexts {
		if c.FromText {
			p.textContexts.SetUint(c.Low, c.Width, ^uint64(0))
		}
	}
	return p, nil
}

// SetContext gives the contexts their values, as made by isa.Set.ParseContext.
func (p *Parser) SetContext(ctx bits.Value) {
	if ctx == p.context {
		return
	}
	p.context = ctx
	if p.cache != nil {
		p.cache.leave()
	}
}

// Result is an instruction that was read.
type Result struct {
	Inst isa.Inst
	// Context holds the contexts; those that belong to the text have the values it gives.
	Context bits.Value
	// Entries are the table entries of the instruction.
	Entries []Entry
}

// Try is Parse for those who do not want to know why a text is no instruction, which takes longer to find out than to
// read one.
func (p *Parser) Try(text string) (res Result, ok bool) {
	before := p.silent
	p.silent = true
	res, err := p.Parse(text)
	p.silent = before
	return res, err == nil
}

// Parse reads one instruction; a comment after it is skipped. Where the texts of the machine have in
// them what starts a comment, as much of the line is the instruction as can be. The result's Entries
// are valid until the next call. The error is an *Error.
func (p *Parser) Parse(text string) (Result, error) {
	p.line = append(p.line[:0], text...)
	return p.ParseBytes(p.line)
}

// ParseBytes is Parse for a text that is not a string; it does not keep line.
func (p *Parser) ParseBytes(line []byte) (Result, error) {
	if len(line) > MaxLine {
		return Result{}, &Error{Code: diag.XMLLimit, Msg: "line of more than 65536 bytes"}
	}
	res, err := p.parse(line)
	if e, ok := err.(*Error); ok && !p.silent {
		p.swapped(e, line)
	}
	return res, err
}

// parse reads one instruction from line, which it does not keep.
func (p *Parser) parse(line []byte) (res Result, err error) {
	if p.Comment != "" {
		if i := p.commentIn(line); i >= 0 {
			return p.commented(line, i)
		}
	}
	return p.uncommented(line)
}

func (p *Parser) uncommented(line []byte) (res Result, err error) {
	text := line
	for n := len(text); n > 0 && p.folds[text[n-1]] == ' '; n-- {
		text = text[:n-1]
	}
	lines, place := p.remembers(), uint64(0)
	if lines {
		var r *reading
		p.cache.enter(p.context, hooks{p.Symbol != nil, p.Custom != nil, p.Constant != nil})
		if r, place = p.cache.find(text, p.answer); r != nil && p.recall(r, &res) {
			return res, nil
		}
	}
	p.asked, p.asks = false, p.asks[:0]
	body, err := p.split(text)
	asked := p.asked // by the suffix
	if err == nil {
		err = p.parseBody(&res, body)
	}
	if err != nil && len(body) < len(text) { // the braces may be the instruction's own
		p.suffix = p.suffix[:0]
		if p.parseBody(&res, text) == nil {
			err = nil
		}
	}
	if err != nil {
		return Result{}, err
	}
	if lines && !asked && !p.asked {
		p.cache.keep(place, reading{text: text, leaf: p.leaf, word: p.spaces[spaceWord].val, context: p.spaces[spaceContext].val, named: p.named}, p.plan, p.asks)
	}
	return res, nil
}

// remembers reports whether the cache counts for the present line.
func (p *Parser) remembers() bool {
	return p.cache != nil && !p.exhaustive && !p.pinning && !p.keptElsewhere
}

// recall makes what a line was read as before that of the present line. ok is false where its entries have no places.
func (p *Parser) recall(r *reading, res *Result) (ok bool) {
	p.leaf, p.named, p.noncanonical, p.asked = r.leaf, r.named, false, false
	p.spaces[spaceWord].val, p.spaces[spaceContext].val, p.nspaces = r.word, r.context, spaceTable
	p.plan, p.asks = r.plan, append(p.asks[:0], r.asks...)
	return p.result(res) == nil
}

// parseBody reads an instruction without its suffix, which has been read. The result counts where
// there is no error.
func (p *Parser) parseBody(res *Result, body []byte) error {
	p.asked, p.asks = false, p.asks[:0]
	p.load(body)
	if err := p.read(body); err != nil {
		return err
	}
	return p.complete(res)
}

// read reads what has been loaded of an instruction.
func (p *Parser) read(body []byte) error {
	p.wrong = nil
	if !p.run() {
		if p.silent {
			return errSilent
		}
		return p.explain(body)
	}
	if p.noncanonical {
		p.verify()
	}
	if p.off > 0 {
		p.nearest()
	}
	p.lastDefaults()
	p.leaf = p.leaves[p.leafScopes[len(p.leafScopes)-1].leaf.Leaf.ID]
	return nil
}

func init() { inside.OpenParser(func(p any) int { return p.(*Parser).spent() }) }

// foldTable returns what each byte of the input is read as: blanks are one, and case counts or not.
func foldTable(folding bool) *[256]byte {
	t := new([256]byte)
	for i := range t {
		t[i] = byte(i)
		if folding && i >= 'A' && i <= 'Z' {
			t[i] |= 0x20
		}
	}
	for _, c := range []byte(blanks) {
		t[c] = ' '
	}
	return t
}
