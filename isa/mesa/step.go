package mesa

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/model"
	"github.com/isago/isago/internal/spec"
)

// Limits for one word. Without them, printing nested operands and evaluating cyclic expressions might
// never end. Mesa's tools recurse until their stack overflows.
const (
	maxDepth    = 24
	maxOperands = 1 << 12
	maxEvals    = 1 << 18
)

// maxOpen is the maximum number of open expressions. Each open expression is evaluated inside the
// previous one.
const maxOpen = 8

// steps prints words by Mesa's rules. It looks up names while it prints, in the same order as Mesa's
// decoder. So findings are reported in the same order, and the evaluation of cyclic expressions ends at
// the same point.
type steps struct {
	hooks *Printer
	// leaves lists the leaves of each root in the order in which Mesa's decoder tries them. Bitsets with
	// the same name are grouped at the position of the first one.
	leaves map[*spec.Bitset][]*model.Leaf
	// words is the number of 32-bit words in each value, which is the number of words in the largest
	// root.
	words int
	stack []*spec.Expr
	exprs map[*spec.Expr]*model.Node
	texts map[*spec.Template][]spec.MesaItem
	// scopes holds the open scopes by depth. values holds the values of the names in open expressions.
	scopes [maxDepth]scope
	values []uint64
	ref    model.Ref // the reference that field passes to AppendConstant
	start  int       // the start of the line in the text
	// operands and evals count the operands and evaluations of the current word.
	operands, evals int
}

// scope is a value that is being printed, with the leaf that it matches.
type scope struct {
	leaf   *model.Leaf
	value  bits.Value
	params []spec.Param
	up     *scope
	depth  int
	cache  []exprValue
}

type exprValue struct {
	expr  *spec.Expr
	value uint64
}

// word prints a word of a root. ok is false if the word is unknown.
func (s *steps) word(dst []byte, root *spec.Bitset, word bits.Value) (text []byte, ok bool) {
	s.start, s.operands, s.evals = len(dst), 0, 0
	s.values = s.values[:0]
	sc := s.enter(root, word, nil, nil)
	if sc == nil {
		return dst, false
	}
	if size := sc.leaf.Size; s.hooks.machine.ISA.Text.Storage > 0 && word.Shr(size) != (bits.Value{}) {
		s.addFinding("bits beyond the %d of an instruction", size) // Mesa's tools never store such bits
	}
	return s.print(dst, sc), true
}

func (s *steps) addFinding(format string, args ...any) {
	s.hooks.found.text = fmt.Appendf(s.hooks.found.text, format, args...)
	s.hooks.found.end()
}

// hex formats a value with the number of digits that the largest root needs, in whole 32-bit words.
func (s *steps) hex(v bits.Value) []byte { return v.AppendHex(nil, 8*s.words) }

// enter returns a new scope for a value and the leaf that matches it. It returns nil if no leaf or more
// than one leaf matches.
func (s *steps) enter(r *spec.Bitset, v bits.Value, params []spec.Param, up *scope) *scope {
	var found *model.Leaf
	for _, l := range s.leaves[r] {
		if v.And(l.Mask) != l.Match {
			continue
		}
		if found != nil {
			s.addFinding("bitset conflict: %s vs %s", found.Spec.DisplayName, l.Spec.DisplayName)
			return nil
		}
		found = l
	}
	if found == nil {
		return nil
	}
	if ignored := v.And(found.DontCare); !ignored.IsZero() {
		s.addFinding("dontcare bits in %s: %s", found.Spec.DisplayName, s.hex(ignored))
	}
	depth := 0
	if up != nil {
		depth = up.depth + 1
	}
	sc := &s.scopes[depth]
	*sc = scope{leaf: found, value: v, params: params, up: up, depth: depth, cache: sc.cache[:0]}
	return sc
}

// cases yields the cases of a leaf and its ancestors in the order of lookup.
func cases(l *model.Leaf) iter.Seq[*spec.Case] {
	return func(yield func(*spec.Case) bool) {
		for b := l.Spec; b != nil; b = b.Extends {
			for _, c := range b.Cases {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// print prints the first display whose case holds.
func (s *steps) print(dst []byte, sc *scope) []byte {
	for c := range cases(sc.leaf) {
		if c.Expr != nil && s.eval(sc, c.Expr) == 0 {
			continue
		}
		s.asserts(sc, c)
		if t := c.Displays[""]; t != nil {
			return s.template(dst, sc, s.text(t))
		}
	}
	s.addFinding("%s: no display template", sc.leaf.Spec.DisplayName)
	return dst
}

func (s *steps) asserts(sc *scope, c *spec.Case) {
	for _, a := range c.Asserts {
		if got := sc.value.And(a.Mask); got != a.Match {
			s.addFinding("WARNING: unexpected bits[%d:%d] in %s: %s vs %s", a.Low, a.High, c.Bitset.DisplayName,
				s.hex(got.Shr(a.Low)), s.hex(a.Match.Shr(a.Low)))
		}
	}
}

// text returns a display as Mesa's tools parse it.
func (s *steps) text(t *spec.Template) []spec.MesaItem {
	items, ok := s.texts[t]
	if !ok {
		items = t.MesaItems()
		s.texts[t] = items
	}
	return items
}

// template prints the text of a display.
func (s *steps) template(dst []byte, sc *scope, items []spec.MesaItem) []byte {
	for i := range items {
		it := &items[i]
		if dst = append(dst, it.Text...); !it.Last {
			dst = s.shown(dst, sc, it)
		}
	}
	return dst
}

// pad prints blanks up to a column, counted in bytes.
func (s *steps) pad(dst []byte, column int) []byte {
	for len(dst)-s.start < column {
		dst = append(dst, ' ')
	}
	return dst
}

// shown prints a reference in braces.
func (s *steps) shown(dst []byte, sc *scope, it *spec.MesaItem) []byte {
	switch {
	case it.Column >= 0 && it.Name == "":
		return s.pad(dst, it.Column)
	case strings.HasPrefix("NAME", it.Name): // Mesa's decoder compares only as many characters as the reference has
		return append(s.pad(dst, it.Column), sc.leaf.Spec.DisplayName...)
	case isAssertName(sc, it.Name):
		return s.pad(dst, it.Column)
	}
	f, owner := s.lookup(sc, it.Name)
	if f == nil {
		s.addFinding("no field '%s'", it.Name)
		return dst
	}
	return s.field(s.pad(dst, it.Column), sc, f, s.value(owner, f))
}

// isAssertName reports whether Mesa's generator assigns the name to an assert. A reference to an assert
// prints nothing.
func isAssertName(sc *scope, name string) bool {
	bitset, number, ok := strings.Cut(name, "#assert")
	if !ok {
		return false
	}
	for b := sc.leaf.Spec; b != nil; b = b.Extends {
		if b.Name != bitset {
			continue
		}
		c := b.Cases[len(b.Cases)-1]
		var starts []int // the offsets of everything that the generator numbers, in file order
		for _, a := range c.Asserts {
			starts = append(starts, a.Span.Off)
		}
		for _, f := range c.Fields {
			starts = append(starts, f.Span.Off)
		}
		slices.Sort(starts)
		for _, a := range c.Asserts {
			if strconv.Itoa(slices.Index(starts, a.Span.Off)) == number {
				return true
			}
		}
	}
	return false
}

// lookup returns the field of a name and the scope that defines it, or nil if the name is undefined.
func (s *steps) lookup(sc *scope, name string) (*spec.Field, *scope) {
	for sc != nil {
		for c := range cases(sc.leaf) {
			// The condition at the top of the stack is being evaluated and counts as true, so that it
			// can use a field that its own override defines.
			if c.Expr != nil && c.Expr != top(s.stack) && s.eval(sc, c.Expr) == 0 {
				continue
			}
			if f := c.Field(name); f != nil {
				return f, sc
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

// top returns the expression that is being evaluated, or nil.
func top(stack []*spec.Expr) *spec.Expr {
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// value returns the bits of a field.
func (s *steps) value(sc *scope, f *spec.Field) bits.Value {
	if f.Expr == nil {
		return f.Gather(&sc.value)
	}
	return bits.Of(s.eval(sc, f.Expr)).And(bits.Ones(32 * s.words))
}

// eval evaluates an expression. If an expression needs its own value, it uses 0 for that value. The
// outermost expression is an exception, because it is evaluated once more inside itself.
func (s *steps) eval(sc *scope, e *spec.Expr) uint64 {
	for i := range sc.cache {
		if sc.cache[i].expr == e {
			return sc.cache[i].value
		}
	}
	if s.evals++; s.evals > maxEvals || len(s.stack) == maxOpen || len(s.stack) > 0 && slices.Contains(s.stack[1:], e) {
		return 0
	}
	s.stack = append(s.stack, e)
	base := len(s.values)
	for _, name := range e.FieldNames() {
		var v bits.Value
		if f, owner := s.lookup(sc, name); f != nil {
			v = s.value(owner, f)
		} else {
			s.addFinding("no field '%s'", name)
		}
		s.values = append(s.values, v[0])
	}
	v := s.expr(e).Eval(func(n *model.Node) uint64 { return s.values[base:][n.Value] })
	s.values = s.values[:base]
	s.stack = s.stack[:len(s.stack)-1]
	sc.setValue(e, v)
	return v
}

// setValue stores the value of an expression. It replaces an earlier value.
func (sc *scope) setValue(e *spec.Expr, v uint64) {
	for i := range sc.cache {
		if sc.cache[i].expr == e {
			sc.cache[i].value = v
			return
		}
	}
	sc.cache = append(sc.cache, exprValue{e, v})
}

// expr returns the nodes of an expression, with the types that operators need. The value of a field
// node is the index of its name in FieldNames.
func (s *steps) expr(e *spec.Expr) *model.Node {
	n := s.exprs[e]
	if n == nil {
		n = s.hooks.machine.Unbound(e.Root())
		number(n, e.FieldNames())
		s.exprs[e] = n
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

// field prints the value v of a field. sc is the scope whose display shows the field.
func (s *steps) field(dst []byte, sc *scope, f *spec.Field, v bits.Value) []byte {
	switch f.Kind {
	case spec.KindBitset:
		return s.nested(dst, sc, f, v)
	case spec.KindEnum:
		for _, x := range f.Enum.Values {
			if x.Val == v[0] {
				return append(dst, x.Display...)
			}
		}
		return strconv.AppendUint(dst, v[0]&math.MaxUint32, 10)
	case spec.KindCustom:
		return s.hooks.custom(dst, f.Name, v[0])
	case spec.KindFloat:
		return model.AppendFloat(dst, v[0], f.Width)
	case spec.KindBranch, spec.KindAbsBranch:
		return s.branch(dst, f, v[0])
	}
	s.ref = model.Ref{Kind: f.Kind, Width: f.Width, Field: f}
	return model.AppendConstant(dst, &s.ref, v[0])
}

// nested prints a value in its own scope.
func (s *steps) nested(dst []byte, sc *scope, f *spec.Field, v bits.Value) []byte {
	if s.operands++; sc.depth+1 >= maxDepth || s.operands > maxOperands {
		if s.operands <= maxOperands {
			s.addFinding("operands nested more than %d deep in %s", maxDepth, f.Name)
		}
		s.operands = maxOperands + 1
		return dst
	}
	inner := s.enter(f.Bitset, v, f.Params, sc)
	if inner == nil {
		s.addFinding("no match: FIELD: '%s.%s': %s", sc.leaf.Spec.DisplayName, f.Name, s.hex(v))
		return dst
	}
	return s.print(dst, inner)
}

func (s *steps) branch(dst []byte, f *spec.Field, v uint64) []byte {
	n := model.SignExtend(v, f.Width)
	target := int64(v)
	if f.Kind == spec.KindBranch {
		target = s.hooks.Index + n
	}
	if name, ok := s.hooks.label(target, f.Call); ok {
		return append(dst, name...)
	}
	return strconv.AppendInt(dst, n, 10)
}
