package asm

import (
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/isa"
)

// Parser parses the instructions of one root. One Parser can parse a whole program, but it is not safe for concurrent
// use.
type Parser struct {
	// Symbol returns the address of a label, in bits from the start of the program. ok is false if no label with a
	// known address has this name. If Symbol is nil, the program has no labels.
	Symbol func(name string) (addr int64, ok bool)
	// Later reports whether a name that Symbol does not find is a label whose address is not known yet. The label then
	// sets no bits of the instruction. If Later is nil, there are no such labels.
	Later func(name string) bool
	// Custom parses a field of type custom at the start of text, in the syntax that isa.Decoder.Custom prints. It
	// returns the value and the number of bytes read. ok is false if text does not start with such a field. If Custom
	// is nil, the field is a number.
	Custom func(text []byte, field string) (value uint64, n int, ok bool)
	// Constant evaluates the expression in $(EXPRESSION), which can replace any number. text starts at the opening
	// parenthesis. Constant returns the value and the number of bytes read. The offsets of an *Error count from the
	// start of text. If Constant is nil, the expression must be a decimal number.
	Constant func(text string) (value int64, n int, err error)
	// Comment is the mark that starts a comment, or "" for no comments. New sets it from the description.
	Comment string
	// Addr is the address of the instruction in bits. Relative branch targets count from it.
	Addr int64
	// Tables holds a Table for each table of the set. The Table chooses the indices of the entries. If it is nil, the
	// entries of each instruction are numbered from 0.
	Tables []Table

	matcher
	outcome

	// cache is nil if the parser does not cache lines.
	cache *cache
	// helper parses other texts for this parser. It is nil until it is needed.
	helper *Parser
	// silent is set to turn off the search for the reason why a text is not an instruction.
	silent bool
	first  parseState // best reading so far, see verify and nearest
}

// language describes the text that a parser accepts: the root, its grammar, and its lexical conventions.
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

// outcome holds the parts of a line from which its Result is made.
type outcome struct {
	leaf         *isa.Leaf
	suffix       []suffix
	plan         []planned // entries without indices: made, or the entries of a cached line
	made         []planned
	entries      []Entry
	decoder      *isa.Decoder // resolves the paths in suffixes
	fields       []isa.Field  // of the current word, as decoder lists them
	cachedAsWord bool         // Lossless caches the line by its word, so the cache of lines is not used
}

// Limits of a line. Parse rejects a line that exceeds one of them.
const (
	maxSpaces = 8       // the word, the contexts, table entries, and computed operands
	maxSteps  = 1 << 18 // steps through templates
	maxNested = 24      // nesting depth of operands, the same as in isa.Decoder
	MaxLine   = 1 << 16 // bytes
	MaxWork   = 1 << 22 // names evaluated in expressions
)

// New returns a parser for a root of the set. The name "" selects the root of the instructions.
func New(set *isa.Set, root string) (*Parser, error) {
	r, err := set.Root(root)
	if err != nil {
		return nil, err
	}
	m := inside.Machine(set)
	p := &Parser{Comment: m.ISA.Text.Comment, Tables: make([]Table, len(m.ISA.Tables)), cache: &cache{}}
	p.caller, p.context = p, m.Context
	p.language = language{
		set: set, root: m.Roots[r.ID], leaves: r.Leaves, env: m.TopEnv(m.Roots[r.ID]),
		folding: m.ISA.Text.FoldCase, folds: foldTable(m.ISA.Text.FoldCase), enums: map[*model.Enum]*trie{}, bools: map[boolText]*trie{},
	}
	p.top = p.grammarOf(p.env)
	for _, c := range m.ISA.Contexts {
		if c.FromText {
			p.textContexts.SetUint(c.Low, c.Width, ^uint64(0))
		}
	}
	return p, nil
}

// SetContext sets the values of the contexts, as isa.Set.ParseContext returns them.
func (p *Parser) SetContext(ctx bits.Value) {
	if ctx == p.context {
		return
	}
	p.context = ctx
	if p.cache != nil {
		p.cache.leave()
	}
}

// Result is a parsed instruction.
type Result struct {
	Inst isa.Inst
	// Context holds the values of the contexts, including values that the text specifies.
	Context bits.Value
	// Entries are the table entries to which the instruction refers.
	Entries []Entry
}

// Try is like Parse, but does not find the reason for a failure. Finding the reason costs more than parsing.
func (p *Parser) Try(text string) (res Result, ok bool) {
	before := p.silent
	p.silent = true
	res, err := p.Parse(text)
	p.silent = before
	return res, err == nil
}

// Parse parses one instruction and skips a comment after it. If instructions can contain the comment mark, Parse uses
// the longest part of the line that is an instruction. The Entries of the result are valid until the next call. The
// error is an *Error.
func (p *Parser) Parse(text string) (Result, error) {
	p.line = append(p.line[:0], text...)
	return p.ParseBytes(p.line)
}

// ParseBytes is like Parse, but for bytes. It does not retain line.
func (p *Parser) ParseBytes(line []byte) (Result, error) {
	if len(line) > MaxLine {
		return Result{}, &Error{Code: diag.XMLLimit, Msg: "line longer than 65536 bytes"}
	}
	res, err := p.parse(line)
	if e, ok := err.(*Error); ok && !p.silent {
		p.swapped(e, line)
	}
	return res, err
}

// parse is like ParseBytes, but without the limit on the length of line and without the check for swapped sources.
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
	lines, place := p.cacheable(), uint64(0)
	if lines {
		var r *reading
		p.cache.enter(p.context, hooks{p.Symbol != nil, p.Custom != nil, p.Constant != nil})
		if r, place = p.cache.find(text, p.answer); r != nil && p.recall(r, &res) {
			return res, nil
		}
	}
	p.asked, p.asks = false, p.asks[:0]
	body, err := p.split(text)
	asked := p.asked // set by the suffix
	if err == nil {
		err = p.parseBody(&res, body)
	}
	if err != nil && len(body) < len(text) { // the braces may belong to the instruction
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

// cacheable reports whether the current line may be cached.
func (p *Parser) cacheable() bool {
	return p.cache != nil && !p.exhaustive && !p.tracing && !p.pinning && !p.cachedAsWord
}

// recall restores the reading of a cached line. ok is false if a table rejects an entry of the line.
func (p *Parser) recall(r *reading, res *Result) (ok bool) {
	p.leaf, p.named, p.noncanonical, p.asked = r.leaf, r.named, false, false
	p.spaces[spaceWord].val, p.spaces[spaceContext].val, p.nspaces = r.word, r.context, spaceTable
	p.plan, p.asks = r.plan, append(p.asks[:0], r.asks...)
	return p.result(res) == nil
}

// parseBody parses an instruction without its suffix, which has already been parsed. res is valid only if there is no
// error.
func (p *Parser) parseBody(res *Result, body []byte) error {
	p.asked, p.asks = false, p.asks[:0]
	p.load(body)
	if err := p.read(body); err != nil {
		return err
	}
	return p.complete(res)
}

// read parses the text that load has prepared. body is the original text.
func (p *Parser) read(body []byte) error {
	p.constantErr = nil
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

// Work returns the cost of parsing the last line: the number of names evaluated in expressions, plus the number of
// steps through templates, plus the number of bits tried. Callers can use it to limit the total cost of many lines.
func (p *Parser) Work() int { return p.spent() }

// foldTable returns the table that normalises bytes of the input. Each blank becomes ' '. If folding, each upper-case
// letter becomes lower-case.
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
