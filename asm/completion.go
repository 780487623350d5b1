package asm

import (
	"math/bits"
	"reflect"
	"slices"

	wide "github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
)

// What the templates of a line leave to be met, and the bits that follow from what the line gives, are worked out once
// for the conditions and the bits that they read. Lines of a few templates have few of both.

// completion is what follows when all of a line has been read.
type completion struct {
	// read are the bits on which it depends.
	read []uint64
	// ok tells that there is a word at all, noncanonical that it prints another text; then spaces has all the bits that
	// are known.
	ok, noncanonical bool
	spaces           []space
}

// completions are the completions of lines of the same conditions. reads says by which bits they are told apart.
type completions struct {
	// about is what matters beside the bits.
	about []uint64
	// hopeless tells that too few of those that were asked for were known.
	hopeless     bool
	asked, known int
	reads        []limbMask
	by           map[uint64]*completion
}

// limbMask are bits of one limb of a space.
type limbMask struct {
	space, limb uint8
	mask        uint64
}

// maxCompletions bounds the completions that are kept; enoughAsked is after how many it is seen whether that is of use.
const (
	maxCompletions = 1 << 15
	enoughAsked    = 128
)

// finish ends a line of which all the text has been read: it looks for a word, and gives the bits that the text leaves
// open their values; ok is false where there is none.
func (p *Parser) finish() (ok bool) {
	p.cared, p.ended = false, false
	if !p.memoises() || p.pinning || len(p.cons) == 0 && p.nspaces == spaceTable {
		return p.solve()
	}
	m, key := p.memo, p.question()
	all := m.completions[key]
	if all == nil && m.met(key) {
		reads, ok := p.readBits()
		m.keepCompletions(key, &completions{about: slices.Clone(p.about), hopeless: !ok, reads: reads, by: map[uint64]*completion{}})
		return p.solve()
	}
	if all == nil || all.hopeless || !slices.Equal(all.about, p.about) {
		return p.solve()
	}
	hash := key
	p.bitsRead = p.bitsRead[:0]
	for _, r := range all.reads {
		s := &p.spaces[r.space]
		x := s.val[r.limb] & s.known[r.limb] & r.mask
		hash = mix(hash, x)
		p.bitsRead = append(p.bitsRead, x)
	}
	all.asked++
	e := all.by[hash]
	if e == nil || !slices.Equal(e.read, p.bitsRead) {
		if all.hopeless = all.asked > enoughAsked && all.known < all.asked/2; all.hopeless || !m.met(hash) {
			return p.solve()
		}
		e = p.workOut()
		m.keepCompletion(all, hash, e)
		return e.ok
	}
	all.known++
	return e.ok && p.apply(e)
}

// workOut finds the completion of the line.
func (p *Parser) workOut() *completion {
	loosely := p.noncanonical
	p.noncanonical = false
	e := &completion{read: slices.Clone(p.bitsRead), ok: p.solve(), noncanonical: p.noncanonical}
	p.noncanonical = p.noncanonical || loosely
	if !e.ok {
		return e
	}
	p.lastDefaults()
	for i := range p.nspaces {
		if p.spaces[i].field != nil && i >= spaceTable { // looking for what is unused may open entries
			p.spaces[i].care = p.care(uint8(i))
		}
	}
	e.spaces = slices.Clone(p.spaces[:p.nspaces])
	p.ended, p.cared = true, len(p.suffix) == 0
	return e
}

// apply gives the line the bits of a completion.
func (p *Parser) apply(e *completion) bool {
	if !p.spelled(!e.noncanonical) {
		return false
	}
	for i := range e.spaces {
		if i >= p.nspaces {
			p.spaces[i] = e.spaces[i]
			continue
		}
		s, x := &p.spaces[i], &e.spaces[i]
		p.fillFrom(uint8(i), &x.val, &x.known)
		s.assumed, s.care = x.assumed, x.care
	}
	p.nspaces, p.ended, p.cared = len(e.spaces), true, len(p.suffix) == 0
	return true
}

// question lists all that matters to the completion of the line but the values of bits, and returns a hash of it. What it
// points to belongs to the machine and its grammars, and lives as long as they do.
func (p *Parser) question() (hash uint64) {
	q := append(p.about[:0], truthBit(p.leniently)|truthBit(p.strict)<<1|uint64(p.nspaces)<<2|uint64(len(p.leafScopes))<<16|uint64(len(p.scopes))<<32)
	for i := range p.nspaces {
		s := &p.spaces[i]
		if q = append(q, s.known[:]...); i >= spaceTable {
			q = appendScope(append(q, pointer(s.field)), &s.home)
		}
	}
	for i := range p.leafScopes {
		u := &p.leafScopes[i]
		q = append(q, pointer(u.accept), uint64(u.scope))
	}
	for i := range p.scopes {
		q = appendScope(q, &p.scopes[i])
	}
	for i := range p.cons {
		c := &p.cons[i]
		q = append(q, pointer(c.prog), uint64(c.scope)|uint64(c.kind)<<16|truthBit(c.soft)<<24|uint64(c.nested)<<32|uint64(c.width)<<48, c.value, c.mask, c.high)
	}
	for _, x := range q {
		hash = mix(hash, x)
	}
	p.about = q
	return hash
}

func mix(h, x uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xa0761d6478bd642f)
	return high ^ low
}

func pointer[T any](x *T) uint64 { return uint64(reflect.ValueOf(x).Pointer()) }

func appendScope(q []uint64, s *scope) []uint64 {
	q = append(q, uint64(s.space)|uint64(s.size)<<8|uint64(s.low+1)<<24|uint64(s.up+1)<<40|uint64(len(s.parts))<<56)
	for _, part := range s.parts {
		q = append(q, uint64(part.Low)|uint64(part.Width)<<32)
	}
	return q
}

// readBits returns the bits that the conditions of the line read, and what follows from them; ok is false where
// that is not known.
func (p *Parser) readBits() (list []limbMask, ok bool) {
	reads := new([maxSpaces]wide.Value)
	spaces := p.nspaces // looking for bits may open more
	p.solver.reads = reads
	for i := range p.cons {
		if c := &p.cons[i]; c.kind != wantNothing {
			p.freeIn(c.prog.Root, c.scope, 0)
			if c.kind == wantNested {
				s := &p.scopes[c.nested]
				reads[s.space] = reads[s.space].Or(wide.Range(s.low, c.width))
			}
		}
	}
	for _, u := range p.leafScopes {
		p.readByLeaf(u)
	}
	p.solver.reads, p.nspaces = nil, spaces
	for i := range spaces {
		for j, x := range reads[i] {
			if x &= p.spaces[i].known[j]; x != 0 {
				list = append(list, limbMask{uint8(i), uint8(j), x})
			}
		}
	}
	ok = !p.solver.cut
	p.solver.cut = false
	return list, ok
}

// readByLeaf adds the bits that the asserts and defaults of a template read, and what says that bits are unused.
func (p *Parser) readByLeaf(u leafScope) {
	walk := func(prog *model.Prog) {
		if prog != nil {
			p.freeIn(prog.Root, u.scope, 0)
		}
	}
	if u.accept.asserts {
		for _, c := range u.leaf.Cases {
			walk(c.Cond)
		}
	}
	for i := range u.leaf.Defaults {
		walk(u.leaf.Defaults[i].Prog)
	}
	for i := range u.leaf.Unused {
		walk(u.leaf.Unused[i].Cond)
	}
}
