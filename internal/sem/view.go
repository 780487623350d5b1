package sem

import mathbits "math/bits"

// View is a file as registers of another type. The bits of the file form a sequence: register by register, and in each
// register component by component, the low bits first. Register n of a narrower view is part n of the sequence, in parts of
// the size of its registers. Register n of a wider view starts at register n of the file.
type View struct {
	Name string
	// Aliases are other names that users may use.
	Aliases []string
	Of      *State
	Type    Type
	// Align divides the number of each register of the view.
	Align int
	// Names are the names of the components. If it is nil, they are x, y, z and w.
	Names []string
}

// size is the number of bits of a register.
func (t Type) size() int { return t.Width * t.Count() }

// per is how many registers of the view are in one of the file, at least one.
func (v *View) per() int { return max(1, v.Of.Type.size()/v.Type.size()) }

// Count returns a bound for register numbers: no register of the view has this number or a higher one.
func (v *View) Count() int { return v.Of.Count * v.per() }

// Has reports whether a register exists and is completely in the file.
func (v *View) Has(n int) bool {
	over := max(1, v.Type.size()/v.Of.Type.size()) // the registers of the file that it has
	return n >= 0 && n%v.Align == 0 && n/v.per()+over <= v.Of.Count
}

// Run is a sequence of bits of a value that is a sequence of bits of a component of a register.
type Run struct {
	// Register and Comp are the numbers of the register and the component.
	Register, Comp int
	// Low is the first bit in the component, and At is the first bit in the value.
	Low, At, Width int
}

// Runs returns the places of the bits of a component of a register, the low bits first.
func (v *View) Runs(n, comp int) []Run {
	list := v.runs(n%v.per()*v.Type.size()+comp*v.Type.Width, v.Type.Width)
	for i := range list {
		list[i].Register += n / v.per()
	}
	return list
}

// runs lists where so many bits of the row are, from one on, the low ones first.
func (v *View) runs(from, width int) (list []Run) {
	part, whole := v.Of.Type.Width, v.Of.Type.size()
	for at := 0; at < width; {
		bit := from + at
		r := Run{Register: bit / whole, Comp: bit % whole / part, Low: bit % part, At: at}
		r.Width = min(part-r.Low, width-at)
		list = append(list, r)
		at += r.Width
	}
	return list
}

// position is where a register of a view may start: at a bit of the row, where the condition holds, NoID for always.
type position struct {
	bit  int
	cond ID
}

// positions returns the register in which a register of a view starts, and where in it.
func (l *lowerer) positions(p *place) (base value, list []position) {
	per := p.view.per()
	if p.index.t.Kind == Int {
		n := p.index.n
		if per == 1 || n < 0 {
			return p.index, []position{{0, NoID}}
		}
		base = number(n / int64(per))
		base.unknown = p.index.unknown
		return base, []position{{int(n%int64(per)) * p.view.Type.size(), NoID}}
	}
	index := l.wideIndex(p.index)
	if per == 1 {
		return index, []position{{0, NoID}}
	}
	t, i := index.t, index.comps[0]
	var which ID
	if per&(per-1) == 0 {
		base = l.b.scalar(t, l.b.op(OpShr, t, t, 0, i, l.b.constant(U32, uint64(mathbits.TrailingZeros(uint(per))))))
		which = l.b.op(OpAnd, t, t, 0, i, l.b.constant(t, uint64(per-1)))
	} else {
		base = l.b.scalar(t, l.b.op(OpDiv, t, t, 0, i, l.b.constant(t, uint64(per))))
		which = l.b.op(OpMod, t, t, 0, i, l.b.constant(t, uint64(per)))
	}
	for k := range per {
		list = append(list, position{k * p.view.Type.size(), l.b.op(OpEq, BoolType, t, 0, which, l.b.constant(t, uint64(k)))})
	}
	return base, list
}

// wideIndex gives the number of a register bits enough to count on from it; one with a sign keeps its sign.
func (l *lowerer) wideIndex(v value) value {
	t := Type{Kind: Uint, Width: max(32, v.t.Width)}
	op := OpCast
	if v.t.Kind == Sint {
		op = OpSext
	}
	return l.b.scalar(t, l.b.op(op, t, v.t, 0, v.comps[0]))
}

// viewComps are the components of a view's register that a place means.
func (p *place) viewComps() []int {
	comps := p.comps
	if comps == nil {
		for k := range p.view.Type.Count() {
			comps = append(comps, k)
		}
	}
	return comps
}

// componentBits returns where the bits of a component are that a place means, from the start of the register on.
func (p *place) componentBits(comp int) (from, width int) {
	from, width = comp*p.view.Type.Width, p.view.Type.Width
	if p.sliced {
		from, width = from+p.low, p.high-p.low+1
	}
	return from, width
}

func (l *lowerer) readView(p *place) value {
	l.aligned(p)
	base, list := l.positions(p)
	type part struct{ register, comp int }
	read := map[part]ID{}
	t := l.placeType(p)
	out := value{t: t, has: NoID}
	for _, comp := range p.viewComps() {
		from, width := p.componentBits(comp)
		all := NoID
		for _, pos := range list {
			word := NoID
			for _, r := range p.view.runs(pos.bit+from, width) {
				key := part{r.Register, r.Comp}
				if _, ok := read[key]; !ok {
					read[key] = l.readComp(&place{state: p.view.Of, index: l.plus(base, r.Register), kept: p.kept}, r.Comp)
				}
				word = l.above(l.cut(read[key], p.view.Of.Type, r.Low, r.Width), word)
			}
			if all == NoID {
				all = word
			} else {
				all = l.b.choose(pos.cond, Type{Kind: Uint, Width: width}, word, all)
			}
		}
		out.comps = append(out.comps, l.reread(l.b.scalar(Type{Kind: Uint, Width: width}, all), t.Elem()).comps[0])
	}
	return out
}

// cut returns bits of a component as a number: of a float those that it has, also if it is NaN.
func (l *lowerer) cut(id ID, t Type, low, width int) ID {
	switch t = t.Elem(); {
	case low == 0 && width == t.Width && t.Kind != Float:
		return l.bits(id, t)
	case t.Kind == Bool: // which has one bit
		return l.bits(id, t)
	}
	return l.b.op(OpSlice, Type{Kind: Uint, Width: width}, t, uint64(low), id)
}

// above puts a number above another, of which NoID has no bits.
func (l *lowerer) above(high, low ID) ID {
	if low == NoID {
		return high
	}
	from := l.b.insts[high].Type()
	t := Type{Kind: Uint, Width: from.Width + l.b.insts[low].Type().Width}
	return l.b.op(OpConcat, t, from, 0, high, low)
}

// change is a run of bits of a component that is written where a condition holds.
type change struct {
	low, width int
	bits, cond ID
}

func (l *lowerer) writeView(p *place, v value) {
	l.aligned(p)
	base, list := l.positions(p)
	file := p.view.Of
	changes := map[[2]int][]change{}
	var order [][2]int
	for i, comp := range p.viewComps() {
		from, width := p.componentBits(comp)
		given := l.placeType(p).Elem()
		for _, pos := range list {
			cond := pos.cond
			if p.mask != nil {
				cond = l.b.and(cond, p.mask[i])
			}
			switch c, known := l.b.isConst(cond); {
			case known && c == 0:
				continue
			case known:
				cond = NoID
			}
			for _, r := range p.view.runs(pos.bit+from, width) {
				key := [2]int{r.Register, r.Comp}
				if changes[key] == nil {
					order = append(order, key)
				}
				changes[key] = append(changes[key], change{r.Low, r.Width, l.cut(v.comps[i], given, r.At, r.Width), cond})
			}
		}
	}
	guard := l.b.guard
	for _, key := range order {
		q := place{state: file, index: l.plus(base, key[0]), span: p.span}
		l.b.guard = l.b.and(guard, l.anyOf(changes[key]))
		l.writeComp(&q, key[1], l.merged(&q, key[1], changes[key]))
		l.b.guard = guard
	}
}

// anyOf holds where one of the changes is made.
func (l *lowerer) anyOf(list []change) ID {
	all := l.b.flag(false)
	for _, c := range list {
		if c.cond == NoID {
			return NoID
		}
		all = l.b.op(OpOr, BoolType, BoolType, 0, all, c.cond)
	}
	return all
}

// merged is what a component is after changes, of which one is made.
func (l *lowerer) merged(p *place, comp int, list []change) ID {
	t := p.state.Type.Elem()
	whole := unsigned(t)
	alike, covered := true, 0 // the runs do not overlap
	for _, c := range list {
		alike = alike && c.cond == list[0].cond
		covered += c.width
	}
	var word ID
	if alike && covered == t.Width {
		word = l.b.constant(whole, 0) // nothing stays
	} else {
		kept := *p
		kept.kept = true
		word = l.cut(l.readComp(&kept, comp), t, 0, t.Width)
	}
	for _, c := range list {
		next := c.bits
		if c.width < t.Width {
			next = l.insert(word, c.bits, whole, c.low+c.width-1, c.low)
		}
		if !alike {
			next = l.b.choose(c.cond, whole, next, word)
		}
		word = next
	}
	return l.reread(l.b.scalar(whole, word), t).comps[0]
}

func (l *lowerer) plus(index value, i int) value {
	if i == 0 {
		return index
	}
	if index.t.Kind == Int {
		index.n += int64(i)
		return index
	}
	return l.b.scalar(index.t, l.b.op(OpAdd, index.t, index.t, 0, index.comps[0], l.b.constant(index.t, uint64(i))))
}
