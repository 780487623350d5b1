package pica200

import (
	"math/bits"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/isa"
)

// cached is what a text means, whatever the program: the instruction without the place of its
// table entry.
type cached struct {
	inst   isa.Inst
	entry  asm.Entry
	hasOne bool
	// mask and shift are the bits of the word that name the entry.
	mask  uint64
	shift int
	// target is the name that it goes to.
	target string
}

// maxCached bounds the texts that are kept.
const maxCached = 1 << 15

// encode turns the rewritten instruction into a word. Texts repeat, within a program and from one to
// the next, and are parsed once; a suffix may pin an entry, so such texts are parsed each time.
func (r *assembly) encode() (isa.Inst, error) {
	if r.suffixed {
		r.parser.Tables[0] = r.table
		defer func() { r.parser.Tables[0] = nil }()
		r.name = ""
		res, err := r.parser.ParseBytes(r.line)
		return res.Inst, err
	}
	c := r.cache[string(r.line)]
	if c == nil {
		var err error
		if c, err = r.parse(); err != nil {
			return isa.Inst{}, err
		}
	}
	r.name = c.target
	if !c.hasOne {
		return c.inst, nil
	}
	index, err := r.table.Place(c.entry)
	if err != nil {
		return isa.Inst{}, &asm.Error{Code: diag.TableFull, End: len(r.line), Msg: "operand descriptors: " + err.Error()}
	}
	in := c.inst
	in.Bits[0] = in.Bits[0]&^c.mask | uint64(index)<<c.shift
	return in, nil
}

// parse reads the rewritten instruction and keeps what it means.
func (r *assembly) parse() (*cached, error) {
	r.name = ""
	c, err := r.read(r.line)
	if err == nil {
		c.target = r.name
	}
	return c, err
}

// read reads an instruction whose place of a table entry is open, and keeps what it means. Its target has no name
// yet.
func (a *Assembler) read(line []byte) (*cached, error) {
	res, err := a.parser.ParseBytes(line)
	if err != nil {
		return nil, err
	}
	c := &cached{inst: res.Inst}
	if len(res.Entries) > 0 {
		c.entry, c.hasOne = res.Entries[0], true
		c.entry.Index = -1
		ones := c.inst
		if err := a.fresh.SetField(&ones, c.entry.Field, uint64(c.entry.Limit-1)); err != nil {
			return nil, err
		}
		c.mask = ones.Bits[0] ^ c.inst.Bits[0] // the entry alone has index 0
		c.shift = bits.TrailingZeros64(c.mask)
	}
	if len(a.cache) < maxCached {
		a.cache[string(line)] = c
	}
	return c, nil
}

// says reports whether the text of an instruction that goes nowhere gives the instruction, with that entry if it
// has one.
func (a *Assembler) says(text []byte, in isa.Inst, entry uint64) bool {
	c := a.cache[string(text)]
	if c == nil {
		var err error
		if c, err = a.read(text); err != nil {
			return false
		}
	}
	return c.inst.Bits[0] == in.Bits[0]&^c.mask && (!c.hasOne || (c.entry.Value[0]^entry)&c.entry.Bound[0] == 0)
}
