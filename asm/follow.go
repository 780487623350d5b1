package asm

import (
	"slices"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// This file finds out what follows from a text that can be read in one way: on which bits of the word it depends what
// the others are.

// mark is what a path passes: the end of a template or a value.
type mark struct {
	accept *accept
	edge   *edge
	scope  int32
	// given are bits of the word that the text says there, fixed those of which the template does.
	given, fixed bits.Value
	// vague are bits of the word whose values share texts.
	vague bits.Value
	// value are those of the fixed bits.
	value bits.Value
	// links are the bits of which each condition there lets some follow from others.
	links []link
	// usual are the values that defaults give those bits of the word that are set in settled, as far as no text does;
	// others are 0, but for unsettled ones.
	usual, settled, unsettled bits.Value
	// unknown tells that it cannot be said what follows from what, asks that the value may be a label.
	unknown, asks bool
}

// link are bits of the word that something connects. alone tells that it connects them with bits beside the word.
type link struct {
	bits  bits.Value
	alone bool
	// prog is the expression that does so, nil where it is more, in a scope; valued tells that all of its value counts.
	prog   *model.Prog
	scope  int32
	valued bool
	// asked tells that it has to hold, or not to as want says.
	asked, want bool
}

type markKey struct {
	accept *accept
	edge   *edge
	scope  int32
	asks   bool
	// value is that of a text that several values have, one more than it, or 0.
	value uint64
}

// path is one way through templates.
type path struct {
	// marks are what it passes, the last first.
	marks []int32
	leaf  int // its ID
	// given are the bits that a text of the path says or that are always the same on it, said those of the first kind
	// alone. What follows from a text depends on the others, and by them on some that are said.
	given, said, fixed bits.Value
	// asks tells that a label is in it, never that no text can take it.
	asks, never bool
	// value are those of the fixed bits.
	value bits.Value
	// usual are the values of bits that no text gives, where these are known.
	usual, settled, defaulted bits.Value
	links                     []link
	by                        map[bits.Value]*outcome
}

// outcome is what is known of the texts of a path with given values for the bits that it does not say.
type outcome struct {
	// key are the bits of the text that matter.
	key bits.Value
	// said are their values with which the text says all of a word.
	said map[bits.Value]bool
}

// of returns what is known of the texts of a path like that of a word.
func (u *uniqueness) of(x *path, word bits.Value) *outcome {
	rest := word.AndNot(x.given)
	e := x.by[rest]
	if e == nil {
		e = &outcome{key: u.matters(x, word), said: map[bits.Value]bool{}}
		x.by[rest] = e
		u.kept++
	}
	return e
}

// learn notes that a text of which that is known says all of a word.
func (u *uniqueness) learn(e *outcome, word bits.Value) {
	e.said[word.And(e.key)] = true
	u.kept++
}

// matters returns the bits that a path says on which it depends what follows for the others. A condition does not
// count if it has one value with what these are, and they are what they are as a rule and no other condition that
// counts asks for them: they are chosen then whether or not it is there.
func (u *uniqueness) matters(x *path, word bits.Value) (key bits.Value) {
	var count, passive []link
	for _, l := range x.links {
		asks := l.bits.AndNot(x.given)
		odd := asks.And(word.Xor(x.usual)).Or(asks.AndNot(x.settled))
		if l.alone || l.prog == nil || !odd.IsZero() || !u.constant(&l, x, word) {
			count = append(count, l)
		} else {
			passive = append(passive, l)
		}
	}
	for i := 0; i < len(count); i++ {
		asks := count[i].bits.AndNot(x.given)
		key = key.Or(count[i].bits.And(x.said))
		passive = slices.DeleteFunc(passive, func(l link) bool {
			both := l.bits.And(asks)
			if !both.IsZero() {
				count = append(count, l)
			}
			return !both.IsZero()
		})
	}
	return key
}

// constant reports whether the expression of a link has one value whatever a text of the path says.
func (u *uniqueness) constant(l *link, x *path, word bits.Value) bool {
	t := u.known(l, word.AndNot(x.said), bits.Ones(bits.Size).AndNot(x.said))
	return t.known()
}

// known is what is known of the expression of a link with some bits of the word.
func (u *uniqueness) known(l *link, value, known bits.Value) ternary {
	if l.prog == nil {
		return ternary{open: 1}
	}
	p := u.p
	scopes, spaces, work := p.scopes, p.spaces, p.work
	p.scopes, p.work = u.scopes, 0
	for i := range p.spaces {
		p.spaces[i] = space{}
	}
	p.spaces[spaceWord] = space{val: value.And(known), known: known}
	p.spaces[spaceContext] = space{val: p.context, known: bits.Ones(bits.Size)}
	t := p.ternary(l.prog.Root, l.scope)
	if !l.valued {
		t = t.truth()
	}
	p.scopes, p.spaces, p.work = scopes, spaces, work
	return t
}

// mark returns the number of a mark, made by fill where it is new.
func (u *uniqueness) mark(key markKey, fill func(m *mark)) int32 {
	id, ok := u.markIDs[key]
	if !ok {
		m := mark{accept: key.accept, edge: key.edge, scope: key.scope, asks: key.asks}
		fill(&m)
		id = int32(len(u.marks))
		u.marks, u.markIDs[key] = append(u.marks, m), id
	}
	return id
}

// acceptMark is the end of a template: its fixed bits, and what is asked there.
func (u *uniqueness) acceptMark(a *accept, scope int32) int32 {
	return u.mark(markKey{accept: a, scope: scope}, func(m *mark) {
		s := u.scopes[scope]
		whole := s.compose(spec.Part{Width: a.unit.Leaf.Size})
		m.fixed, m.value = wordBitsOf(&s, whole, a.unit.Leaf.Mask), wordBitsOf(&s, whole, a.unit.Leaf.Match)
		for _, prog := range a.unit.Requires {
			u.ask(m, scope, prog, true)
		}
		for _, prog := range a.not {
			u.ask(m, scope, prog, false)
		}
		if a.own != nil {
			u.ask(m, scope, a.own, true)
		}
		if a.asserts {
			u.linkAsserts(m, a, scope)
		}
		for i := range a.unit.Defaults {
			u.linkDefault(m, &a.unit.Defaults[i], scope)
		}
	})
}

// linkDefault notes the value of bits that no text gives, or links them with what it is computed from.
func (u *uniqueness) linkDefault(m *mark, d *model.Default, scope int32) {
	at, ok := u.up(scope, d.Ref.ScopeDepth)
	if !ok {
		m.unknown = true
		return
	}
	s, list, ok := u.place(d.Ref, at)
	target := wordBitsOf(&s, list, bits.Ones(bits.Size))
	m.unknown = m.unknown || !ok
	if d.Prog == nil {
		fresh := target.AndNot(m.settled) // the first default counts
		m.usual, m.settled = m.usual.Or(wordBitsOf(&s, list, bits.Of(d.Val)).And(fresh)), m.settled.Or(target)
		return
	}
	m.unsettled = m.unsettled.Or(target)
	u.link(m, scope, d.Prog)
	l := &m.links[len(m.links)-1]
	l.bits, l.prog = l.bits.Or(target), nil
}

// linkAsserts links what asserts expect with what says which of them count.
func (u *uniqueness) linkAsserts(m *mark, a *accept, scope int32) {
	var all link
	s := u.scopes[scope]
	for _, c := range a.unit.Cases {
		if c.Cond != nil {
			u.link(m, scope, c.Cond)
			l := m.links[len(m.links)-1]
			all.bits, all.alone = all.bits.Or(l.bits), all.alone || l.alone
		}
		for _, x := range c.Spec.Asserts {
			expected := wordBitsOf(&s, s.compose(spec.Part{Low: x.Low, Width: x.High - x.Low + 1}), bits.Ones(bits.Size))
			all.bits, m.unsettled = all.bits.Or(expected), m.unsettled.Or(expected)
		}
	}
	m.links = append(m.links, all)
}

// condMark is an item that has its meaning under conditions.
func (u *uniqueness) condMark(e *edge, frame int32) int32 {
	scope := u.frames[frame].scope
	return u.mark(markKey{edge: e, scope: ^scope}, func(m *mark) {
		for i := range e.item.conds {
			at, ok := u.up(scope, e.item.conds[i].scopeDepth)
			if m.unknown = m.unknown || !ok; ok {
				u.ask(m, at, e.item.conds[i].prog, e.item.conds[i].want)
			}
		}
	})
}

// valueMark is a value that a text gives.
func (u *uniqueness) valueMark(e *edge, frame int32, key markKey) int32 {
	scope := u.frames[frame].scope
	key.edge, key.scope = e, scope
	return u.mark(key, func(m *mark) {
		ref := e.item.ref
		at, ok := u.up(scope, ref.ScopeDepth)
		if m.unknown = !ok || ref.Context != nil; m.unknown {
			return
		}
		if ref.Prog != nil {
			list, ok := u.sources(ref.Prog.Root, at)
			u.link(m, at, ref.Prog)
			l := &m.links[len(m.links)-1]
			l.valued = true
			l.alone = l.alone || !u.readable(l, ref)
			if m.links[len(m.links)-1].alone = m.links[len(m.links)-1].alone || e.item.kind == itemCall && !ok; ok && e.item.kind != itemCall && computedSaysAllOf(ref) {
				for i, bit := range list {
					if bit != noWire && (i < ref.Width || !ref.Field.WidthGiven) && (i < printedBits || ref.Kind != spec.KindEnum) {
						m.given = m.given.Or(bits.Range(int(bit), 1))
					}
				}
			}
			return
		}
		s, list, ok := u.place(ref, at)
		switch {
		case !saysAllOf(ref): // a parser takes one of the values that have the text, whatever else says which
			m.unknown, m.vague = !ok, wordBitsOf(&s, list, bits.Ones(bits.Size))
		case ok:
			m.given = wordBitsOf(&s, list, bits.Ones(bits.Size))
			if key.value > 0 {
				m.fixed, m.value = m.given, wordBitsOf(&s, list, bits.Of(key.value-1))
			}
		}
	})
}

// up returns the scope so many scopes outside of one.
func (u *uniqueness) up(scope int32, scopeDepth int) (at int32, ok bool) {
	for ; scopeDepth > 0 && scope >= 0; scopeDepth-- {
		scope = u.scopes[scope].up
	}
	return scope, scope >= 0
}

// place returns where a field of a scope is, in the scope that is returned.
func (u *uniqueness) place(ref *model.Ref, at int32) (s scope, list []spec.Part, ok bool) {
	s = u.scopes[at]
	for _, e := range ref.Enter {
		if e.Field == nil || e.Field.Table != nil || e.Prog != nil {
			return s, nil, false
		}
		s.low, s.parts = s.place(e)
	}
	return s, s.composeAll(ref.Field.Parts), true
}

// wordBitsOf returns the bits of the word that are some bits of a value in pieces, none where it is none of the word's.
func wordBitsOf(s *scope, list []spec.Part, of bits.Value) (v bits.Value) {
	if s.space != spaceWord {
		return v
	}
	at := 0
	for i := len(list) - 1; i >= 0; i-- {
		v = v.Or(of.Slice(at, list[i].Width).Shl(list[i].Low))
		at += list[i].Width
	}
	return v
}

// link adds the bits that an expression reads.
func (u *uniqueness) link(m *mark, scope int32, prog *model.Prog) {
	p := u.p
	var reads [maxSpaces]bits.Value
	scopes, spaces, work := p.scopes, p.nspaces, p.work
	p.scopes, p.work, p.solver.reads = u.scopes, 0, &reads
	p.freeIn(prog.Root, scope, 0)
	m.unknown = m.unknown || p.solver.cut || prog.Open || len(prog.Missing) > 0 || prog.Cycle
	p.scopes, p.nspaces, p.work, p.solver.reads, p.solver.cut = scopes, spaces, work, nil, false
	l := link{bits: reads[spaceWord], prog: prog, scope: scope}
	for _, x := range reads[spaceTable:] {
		l.alone = l.alone || !x.IsZero()
	}
	m.links = append(m.links, l)
}

// newPath returns the path of the marks that were passed.
func (u *uniqueness) newPath() *path {
	x := &path{marks: slices.Clone(u.run), by: map[bits.Value]*outcome{}}
	x.settled = bits.Ones(bits.Size)
	u.passedOn(x, func(m *mark) {
		if m.accept != nil && m.scope == 0 {
			x.leaf = m.accept.unit.Leaf.ID
		}
		differ := x.value.Xor(m.value).And(x.fixed).And(m.fixed)
		x.never = x.never || !differ.IsZero()
		x.said, x.fixed, x.value, x.asks = x.said.Or(m.given), x.fixed.Or(m.fixed), x.value.Or(m.value), x.asks || m.asks
		again := m.settled.And(x.usual.Xor(m.usual)).And(x.defaulted)
		x.usual = x.usual.Or(m.usual)
		x.defaulted = x.defaulted.Or(m.settled)
		x.settled = x.settled.AndNot(again).AndNot(m.unsettled)
	})
	x.said = x.said.AndNot(x.fixed)
	u.passedOn(x, func(m *mark) { x.said = x.said.AndNot(m.vague) })
	x.given = x.said.Or(x.fixed)
	u.passedOn(x, func(m *mark) {
		if m.unknown {
			x.given, x.said = bits.Value{}, bits.Value{}
		}
	})
	u.passedOn(x, func(m *mark) {
		for _, l := range m.links {
			if open := l.bits.AndNot(x.given); l.alone || !open.IsZero() {
				x.links = append(x.links, l)
			}
			if t := u.known(&l, x.value, x.fixed); l.asked && !m.unknown && t.known() && (t.val != 0) != l.want {
				x.never = true
			}
		}
	})
	return x
}

// passedOn calls do with each mark of a path.
func (u *uniqueness) passedOn(x *path, do func(m *mark)) {
	for _, n := range x.marks {
		do(&u.marks[n])
	}
}

// printedBits are the lowest bits of an enum or a bool, of which the number is printed that stands for what has no name.
const printedBits = 32

// saysAllOf reports whether each value of a field of bits has a text of its own.
func saysAllOf(ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindEnum:
		return ref.Width <= printedBits
	case spec.KindBool:
		return ref.Width == 1 || ref.Field.Display == nil && ref.Width <= printedBits
	case spec.KindBoolInv:
		return ref.Width == 1
	case spec.KindUint, spec.KindInt, spec.KindHex, spec.KindOffset, spec.KindUOffset, spec.KindBranch, spec.KindAbsBranch:
		return ref.Width <= 64
	}
	return false
}

// computedSaysAllOf reports whether each value of a computed field, of an enum its printed bits, has a text of its own.
func computedSaysAllOf(ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindUint, spec.KindHex, spec.KindEnum:
		return true
	case spec.KindAbsBranch:
		return ref.Owner.Env.Machine.ISA.Strict
	}
	return false
}

// readable reports whether a parser finds a computed value from each of its texts when it knows the bits: a float is
// rounded, an offset of 0 may have a sign, and the number of an enum may be a part of its value.
func (u *uniqueness) readable(l *link, ref *model.Ref) bool {
	switch ref.Kind {
	case spec.KindEnum:
		t := u.known(l, bits.Value{}, bits.Value{})
		return (t.val|t.open)>>printedBits == 0
	case spec.KindFloat, spec.KindOffset, spec.KindCustom:
		return false
	}
	return true
}

// ask links what a condition reads that has to hold or not to, and fixes the bits to which that leaves one value.
func (u *uniqueness) ask(m *mark, scope int32, prog *model.Prog, want bool) {
	u.link(m, scope, prog)
	l := &m.links[len(m.links)-1]
	l.asked, l.want = true, want
	u.force(m, prog.Root, scope, want)
}

// force fixes the bits to which a condition leaves one value if it is to hold, or not to.
func (u *uniqueness) force(m *mark, n *model.Node, scope int32, want bool) {
	switch n.Op {
	case spec.OpNot:
		u.force(m, n.X, scope, !want)
	case spec.OpAndAnd, spec.OpOrOr:
		if want == (n.Op == spec.OpAndAnd) {
			u.force(m, n.X, scope, want)
			u.force(m, n.Y, scope, want)
		}
	case spec.OpEq, spec.OpNe:
		if n.Y.Op == spec.OpConst {
			u.fix(m, n.X, scope, n.Y.Value, want == (n.Op == spec.OpEq))
		}
	default:
		u.fix(m, n, scope, 0, !want)
	}
}

// fix fixes the bits of an expression that is a number, or is not, if there is one value for them then.
func (u *uniqueness) fix(m *mark, n *model.Node, scope int32, number uint64, is bool) {
	list, ok := u.sources(n, scope)
	count := 0
	for i, bit := range list {
		if count += int(truthBit(bit != noWire)); bit == noWire && number>>uint(i)&1 != 0 {
			return // it is never that number
		}
	}
	if !ok || !is && count != 1 {
		return
	}
	for i, bit := range list {
		if bit != noWire {
			m.fixed.SetUint(int(bit), 1, 1)
			m.value.SetUint(int(bit), 1, number>>uint(i)&1^truthBit(!is))
		}
	}
}

// beyond is where the bits are that are always 0, in the scopes of computed values: behind every word.
const beyond = 3 * 64

// sources returns which bits of the word the bits of an expression are; ok is false where it does more than put them
// in other places.
func (u *uniqueness) sources(n *model.Node, scope int32) (list wires, ok bool) {
	w, ok := model.WiringOf(n)
	if list = w.Wires; !ok {
		return list, false
	}
	at, ok := u.up(scope, w.ScopeDepth)
	if !ok || u.scopes[at].space != spaceWord {
		return list, false
	}
	s := u.scopes[at]
	for i, bit := range list {
		if bit == noWire {
			continue
		}
		if list[i] = int16(s.compose(spec.Part{Low: int(bit), Width: 1})[0].Low); list[i] >= beyond {
			list[i] = noWire
		}
	}
	return list, true
}

// partsOf returns the pieces of a value whose bits are those, the lowest first.
func partsOf(list []int16) (parts []spec.Part) {
	for i, bit := range list {
		at := int(bit)
		if bit == noWire {
			at = beyond + i
		}
		if n := len(parts) - 1; n >= 0 && parts[n].Low+parts[n].Width == at {
			parts[n].Width++
			continue
		}
		parts = append(parts, spec.Part{Low: at, Width: 1})
	}
	slices.Reverse(parts)
	return parts
}
