package isa

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Mesa prints words as the decoder does that Mesa's isaspec generates, defects included: it looks
// names up while it prints, in the order in which that decoder does, so that findings come in the
// same order and expressions that need their own value end where they end there. It is for
// descriptions that are not strict, is slow, and is not for use by several goroutines at once.
//
// What is told of Mesa's decoder was observed on its output; docs/language.md lists where Decoder
// does otherwise.
type Mesa struct {
	// Label names the target of a branch, an instruction's index; ok is false where the target is to
	// be printed as a number. nil: numbers everywhere.
	Label func(index int64, call bool) (name string, ok bool)
	// Custom prints a field of type custom; nil prints nothing.
	Custom func(dst []byte, field string, value uint64) []byte
	// Index is that of the instruction in the program; relative targets count from it.
	Index int64

	set  *Set
	root *model.Root
	// trees find the leaves of each root in the order in which they are tried: where several bitsets have
	// one name, all stand where the first does.
	trees map[*spec.Bitset]*tree
	// words is the number of 32-bit words of every value: those of the largest root.
	words    int
	findings []string
	stack    []*spec.Expr
	exprs    map[*spec.Expr]*model.Node
	texts    map[*spec.Template][]spec.MesaItem
	// scopes are those that are open, by depth; values those of the names of open expressions.
	scopes [maxFrames]mesaScope
	values []uint64
	ref    model.Ref // to a constant that is being printed
	start  int       // of the line, in the text being printed
	// operands and evals are what was printed and computed of the word.
	operands, evals int
}

// NewMesa returns a printer for a root, "" being that of instructions.
func (s *Set) NewMesa(root string) (*Mesa, error) {
	if s.model.ISA.Strict {
		return nil, fmt.Errorf("%s is strict: Mesa's tools do not read it", s.Name())
	}
	r, err := s.Root(root)
	if err != nil {
		return nil, err
	}
	m := &Mesa{
		set: s, root: s.model.Roots[r.ID], trees: map[*spec.Bitset]*tree{},
		exprs: map[*spec.Expr]*model.Node{}, texts: map[*spec.Template][]spec.MesaItem{},
	}
	first := map[string]int{}
	for i, b := range slices.Backward(s.model.ISA.Bitsets) {
		first[b.Name] = i
	}
	for _, r := range s.model.Roots {
		m.words = max(m.words, (r.Size+31)/32)
		leaves := slices.Clone(r.Leaves)
		slices.SortStableFunc(leaves, func(a, b *model.Leaf) int { return first[a.Name] - first[b.Name] })
		m.trees[r.Spec] = &tree{root: grow(leaves, bits.Value{}, r.Size)}
	}
	return m, nil
}

// Append appends the text of a word to dst. ok is false for an unknown word, of which nothing is
// printed. What is found is added to the findings.
func (m *Mesa) Append(dst []byte, word bits.Value) (text []byte, ok bool) {
	m.start, m.operands, m.evals = len(dst), 0, 0
	m.values = m.values[:0]
	sc := m.enter(m.root.Spec, word, nil, nil)
	if sc == nil {
		return dst, false
	}
	if size := sc.leaf.Size; m.set.model.ISA.Text.Storage > 0 && word.Shr(size) != (bits.Value{}) {
		m.find("bits beyond the %d of an instruction", size) // which Mesa's tools never store
	}
	return m.print(dst, sc), true
}

// Findings returns what was found since the last Reset, in isaspec's words.
func (m *Mesa) Findings() []string { return m.findings }

// Reset forgets the findings.
func (m *Mesa) Reset() { m.findings = m.findings[:0] }

// What is printed and computed of one word is bounded where Mesa's tools go on until their stack is
// full, or for ages: operands may be nested in themselves, expressions may need each other.
const maxMesaEvals = 1 << 18

// mesaScope is a value that is being printed, as one of the leaves of its root.
type mesaScope struct {
	leaf   *model.Leaf
	value  bits.Value
	params []spec.Param
	up     *mesaScope
	depth  int
	cache  []mesaValue
}

// mesaValue is what an expression came to in a scope.
type mesaValue struct {
	expr  *spec.Expr
	value uint64
}

func (m *Mesa) find(format string, args ...any) {
	m.findings = append(m.findings, fmt.Sprintf(format, args...))
}

// hex formats a value as wide as an instruction.
func (m *Mesa) hex(v bits.Value) string { return string(v.AppendHex(nil, 8*m.words)) }

// enter finds the leaf of a value; nil if there is none, or two.
func (m *Mesa) enter(r *spec.Bitset, v bits.Value, params []spec.Param, up *mesaScope) *mesaScope {
	var found *model.Leaf
	for _, l := range m.trees[r].lookup(&v) {
		if v.And(l.Mask) != l.Match {
			continue
		}
		if found != nil {
			m.find("bitset conflict: %s vs %s", found.Spec.DisplayName, l.Spec.DisplayName)
			return nil
		}
		found = l
	}
	if found == nil {
		return nil
	}
	if ignored := v.And(found.DontCare); !ignored.IsZero() {
		m.find("dontcare bits in %s: %s", found.Spec.DisplayName, m.hex(ignored))
	}
	depth := 0
	if up != nil {
		depth = up.depth + 1
	}
	sc := &m.scopes[depth]
	*sc = mesaScope{leaf: found, value: v, params: params, up: up, depth: depth, cache: sc.cache[:0]}
	return sc
}

// print prints the display of the first case that holds and has one.
func (m *Mesa) print(dst []byte, sc *mesaScope) []byte {
	for b := sc.leaf.Spec; b != nil; b = b.Extends {
		for _, c := range b.Cases {
			if c.Expr != nil && m.eval(sc, c.Expr) == 0 {
				continue
			}
			m.asserts(sc, c)
			if t := c.Displays[""]; t != nil {
				return m.template(dst, sc, m.text(t))
			}
		}
	}
	m.find("%s: no display template", sc.leaf.Spec.DisplayName)
	return dst
}

func (m *Mesa) asserts(sc *mesaScope, c *spec.Case) {
	for _, a := range c.Asserts {
		if got := sc.value.And(a.Mask); got != a.Match {
			m.find("WARNING: unexpected bits[%d:%d] in %s: %s vs %s", a.Low, a.High, c.Bitset.DisplayName,
				m.hex(got.Shr(a.Low)), m.hex(a.Match.Shr(a.Low)))
		}
	}
}

// text returns a template as Mesa's tools read it.
func (m *Mesa) text(t *spec.Template) []spec.MesaItem {
	items, ok := m.texts[t]
	if !ok {
		items = t.MesaItems()
		m.texts[t] = items
	}
	return items
}

// template prints a text with names in braces.
func (m *Mesa) template(dst []byte, sc *mesaScope, items []spec.MesaItem) []byte {
	for i := range items {
		it := &items[i]
		if dst = append(dst, it.Text...); !it.Last {
			dst = m.shown(dst, sc, it)
		}
	}
	return dst
}

// pad prints blanks up to a column, counted in bytes.
func (m *Mesa) pad(dst []byte, column int) []byte {
	for len(dst)-m.start < column {
		dst = append(dst, ' ')
	}
	return dst
}

// shown prints what stands in braces.
func (m *Mesa) shown(dst []byte, sc *mesaScope, it *spec.MesaItem) []byte {
	switch {
	case it.Column >= 0 && it.Name == "":
		return m.pad(dst, it.Column)
	case strings.HasPrefix("NAME", it.Name): // compared with as many characters as are written
		return append(m.pad(dst, it.Column), sc.leaf.Spec.DisplayName...)
	case isAssertName(sc, it.Name):
		return m.pad(dst, it.Column)
	}
	f, owner := m.lookup(sc, it.Name)
	if f == nil {
		m.find("no field '%s'", it.Name)
		return dst
	}
	return m.field(m.pad(dst, it.Column), sc, f, m.value(owner, f))
}

// isAssertName reports whether a name is the one that Mesa's generator gives to an assert: a field
// that prints nothing.
func isAssertName(sc *mesaScope, name string) bool {
	bitset, number, ok := strings.Cut(name, "#assert")
	if !ok {
		return false
	}
	for b := sc.leaf.Spec; b != nil; b = b.Extends {
		if b.Name != bitset {
			continue
		}
		c := b.Cases[len(b.Cases)-1]
		for _, a := range c.Asserts {
			before := 0
			for _, other := range c.Asserts {
				before += int(boolean(other.Span.Off < a.Span.Off))
			}
			for _, f := range c.Fields {
				before += int(boolean(f.Span.Off < a.Span.Off))
			}
			if strconv.Itoa(before) == number {
				return true
			}
		}
	}
	return false
}

// lookup finds the field that a name means, and the scope that has it.
func (m *Mesa) lookup(sc *mesaScope, name string) (*spec.Field, *mesaScope) {
	for sc != nil {
		for b := sc.leaf.Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				// The condition on top of the stack, the one that is being evaluated, counts as true, so
				// that it can use a field that its own override defines.
				if c.Expr != nil && !m.top(c.Expr) && m.eval(sc, c.Expr) == 0 {
					continue
				}
				if f := c.Field(name); f != nil {
					return f, sc
				}
			}
		}
		i := slices.IndexFunc(sc.params, func(p spec.Param) bool { return p.As == name })
		if i < 0 {
			return nil, nil
		}
		name, sc = sc.params[i].Name, sc.up
	}
	return nil, nil
}

func (m *Mesa) top(e *spec.Expr) bool {
	return len(m.stack) > 0 && m.stack[len(m.stack)-1] == e
}

// value returns the bits of a field.
func (m *Mesa) value(sc *mesaScope, f *spec.Field) bits.Value {
	if f.Expr == nil {
		return gather(f, &sc.value)
	}
	return bits.Of(m.eval(sc, f.Expr)).And(bits.Ones(32 * m.words))
}

// mesaStack is the number of expressions that can be open at once.
const mesaStack = 8

// eval computes an expression. One that is open gives 0, but for the outermost: it may be entered
// once more.
func (m *Mesa) eval(sc *mesaScope, e *spec.Expr) uint64 {
	for i := range sc.cache {
		if sc.cache[i].expr == e {
			return sc.cache[i].value
		}
	}
	if m.evals++; m.evals > maxMesaEvals || len(m.stack) == mesaStack || len(m.stack) > 0 && slices.Contains(m.stack[1:], e) {
		return 0
	}
	m.stack = append(m.stack, e)
	base := len(m.values)
	for _, name := range e.Fetch {
		var v bits.Value
		if f, owner := m.lookup(sc, name); f != nil {
			v = m.value(owner, f)
		} else {
			m.find("no field '%s'", name)
		}
		m.values = append(m.values, v[0])
	}
	v := mesaNode(m.expr(e), m.values[base:])
	m.values = m.values[:base]
	m.stack = m.stack[:len(m.stack)-1]
	sc.remember(e, v)
	return v
}

// remember keeps the value of an expression; the last one counts.
func (sc *mesaScope) remember(e *spec.Expr, v uint64) {
	for i := range sc.cache {
		if sc.cache[i].expr == e {
			sc.cache[i].value = v
			return
		}
	}
	sc.cache = append(sc.cache, mesaValue{e, v})
}

// expr returns the nodes of an expression, whose types the operators need. That of a field has the place of
// its name in what is fetched as its value.
func (m *Mesa) expr(e *spec.Expr) *model.Node {
	n := m.exprs[e]
	if n == nil {
		n = m.set.model.Unbound(e.Root)
		number(n, e.Fetch)
		m.exprs[e] = n
	}
	return n
}

func number(n *model.Node, fetch []string) {
	if n == nil {
		return
	}
	if n.Op == spec.OpField {
		n.Value = uint64(slices.Index(fetch, n.Name))
	}
	number(n.X, fetch)
	number(n.Y, fetch)
	number(n.Z, fetch)
}

func mesaNode(n *model.Node, values []uint64) uint64 {
	switch n.Op {
	case spec.OpConst:
		return n.Value
	case spec.OpField:
		return values[n.Value]
	case spec.OpOrOr, spec.OpAndAnd:
		x := mesaNode(n.X, values)
		if (x != 0) == (n.Op == spec.OpOrOr) {
			return boolean(x != 0)
		}
		return boolean(mesaNode(n.Y, values) != 0)
	case spec.OpCond:
		if mesaNode(n.X, values) != 0 {
			return mesaNode(n.Y, values)
		}
		return mesaNode(n.Z, values)
	}
	x := mesaNode(n.X, values)
	var y uint64
	if n.Y != nil {
		y = mesaNode(n.Y, values)
	}
	return model.Apply(n, x, y)
}

// field prints the value of a field in the scope that shows it.
func (m *Mesa) field(dst []byte, sc *mesaScope, f *spec.Field, v bits.Value) []byte {
	switch f.Kind {
	case spec.KindBitset:
		if m.operands++; sc.depth+1 >= maxFrames || m.operands > maxOperands {
			if m.operands <= maxOperands {
				m.find("operands nested more than %d deep in %s", maxFrames, f.Name)
			}
			m.operands = maxOperands + 1
			return dst
		}
		inner := m.enter(f.Bitset, v, f.Params, sc)
		if inner == nil {
			m.find("no match: FIELD: '%s.%s': %s", sc.leaf.Spec.DisplayName, f.Name, m.hex(v))
			return dst
		}
		return m.print(dst, inner)
	case spec.KindEnum:
		for _, x := range f.Enum.Values {
			if x.Val == v[0] {
				return append(dst, x.Display...)
			}
		}
		return strconv.AppendUint(dst, v[0]&math.MaxUint32, 10)
	case spec.KindCustom:
		if m.Custom != nil {
			return m.Custom(dst, f.Name, v[0])
		}
		return dst
	case spec.KindFloat:
		return model.AppendFloat(dst, v[0], f.Width)
	case spec.KindBranch, spec.KindAbsBranch:
		return m.branch(dst, f, v[0])
	}
	m.ref = model.Ref{Kind: f.Kind, Width: f.Width, Field: f}
	return model.AppendConstant(dst, &m.ref, v[0])
}

// branch prints a target, which is cut to 32 bits before it is named.
func (m *Mesa) branch(dst []byte, f *spec.Field, v uint64) []byte {
	n := model.SignExtend(v, f.Width)
	target := int64(v)
	if f.Kind == spec.KindBranch {
		target = m.Index + n
	}
	if m.Label != nil {
		if name, ok := m.Label(int64(int32(target)), f.Call); ok {
			return append(dst, name...)
		}
	}
	return strconv.AppendInt(dst, n, 10)
}
