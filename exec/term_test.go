package exec

import (
	"fmt"
	"math/big"
	mathbits "math/bits"
	"strings"

	"github.com/isago/isago/internal/sem"
)

// term is an expression that is made up, and what its component k is where x are the registers and variables of a lane,
// found by other means than those of the engine.
type term struct {
	t    sem.Type
	text string
	of   func(x []uint64, k int) uint64
}

// term makes up an expression of a type.
func (m *meaner) term(t sem.Type, depth int) term {
	switch {
	case depth <= 0 || m.IntN(8) == 0:
		return m.leaf(t)
	case m.IntN(8) == 0:
		form, cond := "(%s ? %s : %s)", aBool
		if m.IntN(2) == 0 {
			form, cond = "select(%s, %s, %s)", of(aBool, t)
		}
		c, a, b := m.term(cond, depth-1), m.term(t, depth-1), m.term(t, depth-1)
		return term{t, fmt.Sprintf(form, c.text, a.text, b.text), func(x []uint64, k int) uint64 {
			if c.of(x, k) != 0 {
				return a.of(x, k)
			}
			return b.of(x, k)
		}}
	case t.Len > 0 && m.IntN(5) == 0:
		return m.vectorOf(t, depth-1)
	case t.Len == 0 && m.IntN(8) == 0:
		v := t
		v.Len = m.long
		a, comp := m.term(v, depth-1), m.IntN(m.long)
		return term{t, fmt.Sprintf("(%s).%s", a.text, m.pick(letters[comp:comp+1], fmt.Sprintf("[%d]", comp))), func(x []uint64, _ int) uint64 { return a.of(x, comp) }}
	case len(m.functions) > 0 && m.IntN(8) == 0:
		return m.call(t, depth-1)
	case t.Len > 0 && m.IntN(12) == 0:
		return m.ask(t, depth-1)
	case t.Kind == sem.Bool:
		return m.condition(t, depth-1)
	case t.Kind == sem.Float:
		return m.float(t, depth-1)
	}
	return m.integer(t, depth-1)
}

const letters = "xyzw"

// ask makes up a call of a service, which answers a lane that does not run with 0.
func (m *meaner) ask(t sem.Type, depth int) term {
	if m.inFunction {
		return m.leaf(t)
	}
	a, b := m.term(m.types[1], depth), m.term(aBool, depth)
	return term{t, fmt.Sprintf("ask_%s(%s, %s)", t.Elem(), a.text, b.text), func(x []uint64, k int) uint64 {
		if x[m.runs()] == 0 {
			return 0
		}
		return answer(t.Elem(), k, a.of(x, 0), b.of(x, 0))
	}}
}

// answer is what the surroundings say: bits that differ where anything asked does.
func answer(t sem.Type, k int, a, b uint64) uint64 {
	v := (2*a + b + uint64(k)<<40 + 1) * 0x9e3779b97f4a7c15 >> (64 - t.Width)
	if t.Kind == sem.Float {
		return ieee(t.Width).canonical(v)
	}
	return v
}

// services are those that the meanings ask. They answer nobody else than who asks.
func (m *meaner) services() map[string]Service {
	list := map[string]Service{}
	for _, t := range m.types {
		list["ask_"+t.String()] = func(c *Call) {
			for k, r := range c.Results {
				each(c.Mask, func(lane int) { r[lane] = answer(t, k, c.Args[0][lane], c.Args[1][lane]) })
			}
		}
	}
	return list
}

// vectorOf makes up a vector of its components, or of another's.
func (m *meaner) vectorOf(t sem.Type, depth int) term {
	if m.IntN(2) == 0 {
		a, text, from := m.term(t, depth), "", make([]int, m.long)
		for i := range from {
			from[i] = m.IntN(m.long)
			text += letters[from[i] : from[i]+1]
		}
		return term{t, "(" + a.text + ")." + text, func(x []uint64, k int) uint64 { return a.of(x, from[k]) }}
	}
	if m.IntN(3) == 0 {
		a := m.term(t.Elem(), depth)
		return term{t, fmt.Sprintf("%s(%s)", t, a.text), a.of}
	}
	var texts []string
	var list []term
	for range m.long {
		a := m.term(t.Elem(), depth)
		texts, list = append(texts, a.text), append(list, a)
	}
	return term{t, fmt.Sprintf("%s(%s)", t, strings.Join(texts, ", ")), func(x []uint64, k int) uint64 { return list[k].of(x, 0) }}
}

// called is a function that is made up, with the places of its parameters.
type called struct {
	name   string
	result sem.Type
	params []variable
	of     func(x []uint64) uint64
}

// declareFunction makes up a function, which may return early, and returns its text.
func (m *meaner) declareFunction(name string) string {
	m.inFunction = true
	f := called{name: name, result: m.some(0, sem.Bool, sem.Uint, sem.Sint, sem.Float)}
	var params []string
	for i := range 1 + m.IntN(3) {
		v := m.declare(m.some(0, sem.Bool, sem.Uint, sem.Sint, sem.Float), fmt.Sprintf("p%d", i), false)
		params = append(params, fmt.Sprintf("%s: %s", v.text, v.t))
		f.params = append(f.params, v)
	}
	text := ""
	var conds, values []term
	for range m.IntN(3) {
		c, v := m.term(aBool, 2), m.term(f.result, 3)
		text += "if (" + c.text + ") { return " + v.text + "; }\n"
		conds, values = append(conds, c), append(values, v)
	}
	last := m.term(f.result, 3)
	f.of = func(x []uint64) uint64 {
		for i, c := range conds {
			if c.of(x, 0) != 0 {
				return values[i].of(x, 0)
			}
		}
		return last.of(x, 0)
	}
	m.inFunction, m.vars, m.functions = false, nil, append(m.functions, f)
	return fmt.Sprintf("<function name=\"%s(%s): %s\"><![CDATA[\n%sreturn %s;\n]]></function>\n", name, strings.Join(params, ", "), f.result, text, last.text)
}

// call calls a function, with vectors for each component.
func (m *meaner) call(t sem.Type, depth int) term {
	f := m.functions[m.IntN(len(m.functions))]
	if f.result != t.Elem() {
		return m.leaf(t)
	}
	var texts []string
	var args []term
	for _, p := range f.params {
		a := m.term(of(p.t, t), depth)
		texts, args = append(texts, a.text), append(args, a)
	}
	return term{t, f.name + "(" + strings.Join(texts, ", ") + ")", func(x []uint64, k int) uint64 {
		values := make([]uint64, len(args))
		for i, a := range args {
			values[i] = a.of(x, k)
		}
		for i, p := range f.params {
			x[p.place] = values[i]
		}
		return f.of(x)
	}}
}

// leaf is a register, a variable, the field or a number.
func (m *meaner) leaf(t sem.Type) term {
	at := func(place func(comp int) int, format string, args ...any) term {
		return term{t, fmt.Sprintf(format, args...), func(x []uint64, k int) uint64 { return x[place(k)] }}
	}
	i := m.index(t)
	number := t.Kind == sem.Uint || t.Kind == sem.Sint
	switch v := m.IntN(6 + len(m.vars)); {
	case v >= 6 && m.vars[v-6].t == t:
		return m.vars[v-6].term
	case v == 0 && number:
		n := m.odd(t)
		return term{t, fmt.Sprintf("%s(%d)", t, n), func([]uint64, int) uint64 { return n }}
	case v == 1 && number && t.Width >= 7 && !m.inFunction:
		return at(func(int) int { return m.field() }, "%s({K})", t)
	case v == 1 && t == m.types[1]:
		return at(func(int) int { return m.lane() }, "lane")
	case v == 2 && (t == m.types[1] || t == aBool) && m.IntN(2) == 0:
		return m.top(t)
	case v == 2 && t.Len == 0:
		n := m.IntN(shared)
		return at(func(int) int { return m.common(i, n) }, "c_%s[%d]", t, n)
	case v == 3 && t == m.types[1]:
		number := m.leaf(t)
		return term{t, fmt.Sprintf("r_%s[%s %% %d]", t, number.text, regs), func(x []uint64, _ int) uint64 { return x[m.own(i, int(number.of(x, 0)%regs))] }}
	}
	if t == m.types[1] && !m.inFunction && m.IntN(8) == 0 {
		place := m.leaf(t)
		return term{t, fmt.Sprintf("g.u32[%s %% %d]", place.text, memory-3), func(x []uint64, _ int) uint64 { return m.loaded(x, place.of(x, 0)%(memory-3)) }}
	}
	n := m.IntN(regs)
	if t.Len > 0 {
		return at(func(comp int) int { return m.vector(i, n, comp) }, "v_%s[%d]", t.Elem(), n)
	}
	return at(func(int) int { return m.own(i, n) }, "r_%s[%d]", t, n)
}

// top asks the stack.
func (m *meaner) top(t sem.Type) term {
	slot, i := 0, m.IntN(entries)
	if t == aBool {
		slot = 1
	}
	switch {
	case m.IntN(3) > 0:
	case t == aBool:
		return term{t, "empty(s)", func(x []uint64, _ int) uint64 { return truth(x[m.depth()] == 0) }}
	default:
		return term{t, "depth(s)", func(x []uint64, _ int) uint64 { return x[m.depth()] }}
	}
	return term{t, fmt.Sprintf("top(s, %d).%s", i, letters[slot:slot+1]), func(x []uint64, _ int) uint64 {
		if x[m.depth()] <= uint64(i) {
			return 0
		}
		return x[m.entry(i, slot)]
	}}
}

// odd returns bits of a type, of which some are more likely.
func (m *meaner) odd(t sem.Type) uint64 {
	all := ^uint64(0) >> (64 - t.Width)
	v := []uint64{0, 1, all, all >> 1, all>>1 + 1, m.Uint64(), m.Uint64(), m.Uint64() >> m.IntN(64)}[m.IntN(8)] & all
	if t.Kind != sem.Float {
		return v
	}
	if m.IntN(2) == 0 { // near 1
		return ieee(t.Width).round(big.NewRat(m.Int64N(200)-100, 1+m.Int64N(9)), false, "rn")
	}
	return ieee(t.Width).canonical(v)
}

// whole reads bits as a number.
func whole(t sem.Type, v uint64) *big.Int {
	n := new(big.Int).SetUint64(v)
	if t.Kind == sem.Sint && v>>(t.Width-1)&1 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(t.Width)))
	}
	return n
}

// wrap returns the low bits of a number.
func wrap(t sem.Type, n *big.Int) uint64 {
	return new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0)>>(64-t.Width))).Uint64()
}

var arithmetic = map[string]func(z, x, y *big.Int) *big.Int{
	"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "/": (*big.Int).Quo, "%": (*big.Int).Rem, "&": (*big.Int).And, "|": (*big.Int).Or, "^": (*big.Int).Xor,
}

// integer makes up an integer of others.
func (m *meaner) integer(t sem.Type, depth int) term {
	a, b := m.term(t, depth), m.term(t, depth)
	switch m.IntN(9) {
	case 0, 1:
		op := m.pick("+", "-", "*", "/", "%", "&", "|", "^")
		return term{t, "(" + a.text + " " + op + " " + b.text + ")", func(x []uint64, k int) uint64 {
			v, w := whole(t, a.of(x, k)), whole(t, b.of(x, k))
			if w.Sign() == 0 && (op == "/" || op == "%") {
				return 0
			}
			return wrap(t, arithmetic[op](new(big.Int), v, w))
		}}
	case 2:
		n := m.term(m.some(t.Len, sem.Uint), depth)
		if m.IntN(2) == 0 {
			return term{t, "(" + a.text + " << " + n.text + ")", func(x []uint64, k int) uint64 {
				return wrap(t, new(big.Int).Lsh(whole(t, a.of(x, k)), uint(min(n.of(x, k), 64))))
			}}
		}
		return term{t, "(" + a.text + " >> " + n.text + ")", func(x []uint64, k int) uint64 {
			return wrap(t, new(big.Int).Rsh(whole(t, a.of(x, k)), uint(min(n.of(x, k), 64))))
		}}
	case 3:
		if m.IntN(2) == 0 {
			return term{t, "(-" + a.text + ")", func(x []uint64, k int) uint64 { return wrap(t, new(big.Int).Neg(whole(t, a.of(x, k)))) }}
		}
		return term{t, "(~" + a.text + ")", func(x []uint64, k int) uint64 { return wrap(t, new(big.Int).Not(whole(t, a.of(x, k)))) }}
	case 4:
		return m.function(t, a, b)
	case 5:
		return m.resized(t, m.pieces(t.Len, depth))
	case 6:
		from := m.term(m.some(t.Len, sem.Uint, sem.Sint, sem.Float), depth)
		mode := m.pick("rn", "rz", "rm", "rp", "ra")
		return term{t, fmt.Sprintf("to_%s(%s, %s)", t.Elem(), from.text, mode), func(x []uint64, k int) uint64 { return nearest(t, from.t, from.of(x, k), mode) }}
	}
	return m.resized(t, m.term(m.some(t.Len, sem.Uint, sem.Sint), depth))
}

// function makes up a call of what is known of integers.
func (m *meaner) function(t sem.Type, a, b term) term {
	name := m.pick("min", "max", "mulhigh", "abs")
	if name == "abs" {
		if t.Kind != sem.Sint {
			return a
		}
		return term{t, "abs(" + a.text + ")", func(x []uint64, k int) uint64 { return wrap(t, new(big.Int).Abs(whole(t, a.of(x, k)))) }}
	}
	return term{t, name + "(" + a.text + ", " + b.text + ")", func(x []uint64, k int) uint64 {
		v, w := whole(t, a.of(x, k)), whole(t, b.of(x, k))
		if name == "mulhigh" {
			return wrap(t, v.Rsh(v.Mul(v, w), uint(t.Width)))
		}
		if (v.Cmp(w) < 0) == (name == "min") {
			return wrap(t, v)
		}
		return wrap(t, w)
	}}
}

// pieces makes up an unsigned integer of any width: bits of others.
func (m *meaner) pieces(comps, depth int) term {
	a := m.term(m.some(comps, sem.Uint, sem.Sint), depth)
	switch m.IntN(6) {
	case 4, 5:
		if comps == 0 {
			return m.other(m.IntN(2) == 0, depth)
		}
	case 0:
		low := m.IntN(a.t.Width)
		high := low + m.IntN(a.t.Width-low)
		t := sem.Type{Kind: sem.Uint, Width: high - low + 1, Len: comps}
		return term{t, fmt.Sprintf("(%s)[%d:%d]", a.text, high, low), func(x []uint64, k int) uint64 { return wrap(t, new(big.Int).SetUint64(a.of(x, k)>>low)) }}
	case 1:
		b := m.term(m.some(comps, sem.Uint, sem.Sint), depth)
		if comps > 0 || a.t.Width+b.t.Width > 64 {
			break
		}
		return term{sem.Type{Kind: sem.Uint, Width: a.t.Width + b.t.Width}, "concat(" + a.text + ", " + b.text + ")", func(x []uint64, k int) uint64 { return a.of(x, k)<<b.t.Width | b.of(x, k) }}
	case 2:
		f := m.term(m.some(comps, sem.Float), depth)
		return term{sem.Type{Kind: sem.Uint, Width: f.t.Width, Len: comps}, "bits(" + f.text + ")", f.of}
	}
	t := sem.Type{Kind: sem.Uint, Width: 32, Len: comps}
	if m.IntN(2) == 0 {
		return term{t, "clz(" + a.text + ")", func(x []uint64, k int) uint64 { return uint64(a.t.Width - mathbits.Len64(a.of(x, k))) }}
	}
	return term{t, "popcount(" + a.text + ")", func(x []uint64, k int) uint64 { return uint64(mathbits.OnesCount64(a.of(x, k))) }}
}

// other makes up what is read of the memory, or of the registers in another size.
func (m *meaner) other(stored bool, depth int) term {
	if stored {
		i, size := m.term(m.types[1], depth-1), 1<<m.IntN(4)
		return term{sem.Type{Kind: sem.Uint, Width: 8 * size}, fmt.Sprintf("m.u%d[%s]", 8*size, m.address(i, size)), func(x []uint64, _ int) (v uint64) {
			at := i.of(x, 0) % uint64(memory-size+1)
			for b := range size {
				v |= x[m.bytes(at+uint64(b))] << (8 * b)
			}
			return v
		}}
	}
	if n := m.IntN(2 * regs); m.IntN(2) == 0 {
		return term{sem.Type{Kind: sem.Uint, Width: 16}, fmt.Sprintf("half[%d]", n), func(x []uint64, _ int) uint64 { return x[m.own(1, n/2)] >> (n % 2 * 16) & 0xffff }}
	}
	n := m.IntN(regs - 1)
	return term{sem.Type{Kind: sem.Uint, Width: 64}, fmt.Sprintf("pair[%d]", n), func(x []uint64, _ int) uint64 { return x[m.own(1, n)] | x[m.own(1, n+1)]<<32 }}
}

// address is a place in the memory for so many bytes.
func (m *meaner) address(i term, size int) string {
	return fmt.Sprintf("%s %% %d", i.text, memory-size+1)
}

// resized makes an integer one of another type.
func (m *meaner) resized(t sem.Type, a term) term {
	switch {
	case a.t.Width > t.Width:
		return term{t, fmt.Sprintf("%s(trunc(%s, %d))", t, a.text, t.Width), func(x []uint64, k int) uint64 { return wrap(t, new(big.Int).SetUint64(a.of(x, k))) }}
	case a.t.Width == t.Width:
		return term{t, fmt.Sprintf("%s(%s)", t, a.text), a.of}
	case m.IntN(2) == 0:
		return term{t, fmt.Sprintf("%s(zext(%s, %d))", t, a.text, t.Width), a.of}
	}
	from := sem.Type{Kind: sem.Sint, Width: a.t.Width}
	return term{t, fmt.Sprintf("%s(sext(%s, %d))", t, a.text, t.Width), func(x []uint64, k int) uint64 { return wrap(t, whole(from, a.of(x, k))) }}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// condition makes up a bool.
func (m *meaner) condition(t sem.Type, depth int) term {
	from := m.some(t.Len, sem.Bool, sem.Uint, sem.Sint, sem.Float)
	a, b, p, q := m.term(from, depth), m.term(from, depth), m.term(t, depth), m.term(t, depth)
	switch n := m.IntN(6); {
	case n == 0:
		not := m.pick("!", "~")
		if t.Len > 0 {
			not = "~"
		}
		return term{t, "(" + not + p.text + ")", func(x []uint64, k int) uint64 { return 1 - p.of(x, k) }}
	case n == 1 || from.Kind == sem.Bool:
		op := m.pick("&&", "||", "&", "|", "^", "==", "!=")
		if t.Len > 0 {
			op = op[:1]
		}
		if op == "=" || op == "!" {
			op += "="
		}
		return term{t, "(" + p.text + " " + op + " " + q.text + ")", func(x []uint64, k int) uint64 {
			v, w := p.of(x, k), q.of(x, k)
			return map[byte]uint64{'&': v & w, '|': v | w, '^': v ^ w, '=': 1 - v ^ w&1, '!': v ^ w}[op[0]] & 1
		}}
	case n == 2 && from.Kind != sem.Float:
		return m.sum(t, a, b, m.term(aBool, depth))
	case n == 3 && from.Kind == sem.Float:
		return term{t, "isnan(" + a.text + ")", func(x []uint64, k int) uint64 { return truth(ieee(from.Width).isNaN(a.of(x, k))) }}
	}
	op := m.pick("==", "!=", "<", "<=", ">", ">=")
	return term{t, "(" + a.text + " " + op + " " + b.text + ")", func(x []uint64, k int) uint64 {
		c, ordered := order(from, a.of(x, k), b.of(x, k))
		if !ordered {
			return truth(op == "!=")
		}
		return truth(map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op])
	}}
}

// order compares two values; ordered is false where one is NaN.
func order(t sem.Type, a, b uint64) (c int, ordered bool) {
	if t.Kind != sem.Float {
		return whole(t, a).Cmp(whole(t, b)), true
	}
	f := ieee(t.Width)
	x, y := f.number(a), f.number(b)
	if f.isNaN(a) || f.isNaN(b) {
		return 0, false
	}
	return x.Cmp(y), true
}

// sum makes up a question about a sum.
func (m *meaner) sum(t sem.Type, a, b, carry term) term {
	name := m.pick("carry", "overflow")
	args := a.text + ", " + b.text
	if m.IntN(2) == 0 {
		carry = term{aBool, "", func([]uint64, int) uint64 { return 0 }}
	} else {
		args += ", " + carry.text
	}
	as := sem.Type{Kind: map[string]sem.Kind{"carry": sem.Uint, "overflow": sem.Sint}[name], Width: a.t.Width}
	return term{t, name + "(" + args + ")", func(x []uint64, k int) uint64 {
		n := whole(as, a.of(x, k))
		n.Add(n.Add(n, whole(as, b.of(x, k))), whole(sem.Type{Kind: sem.Uint, Width: 1}, carry.of(x, 0)))
		return truth(whole(as, wrap(as, n)).Cmp(n) != 0)
	}}
}

// float makes up a float of others.
func (m *meaner) float(t sem.Type, depth int) term {
	f, a, b, c := ieee(t.Width), m.term(t, depth), m.term(t, depth), m.term(t, depth)
	mode := m.pick("rn", "rz", "rm", "rp")
	switch m.IntN(9) {
	case 8:
		if t.Width == 64 { // of which no bound is known
			return a
		}
		name := m.pick("exp2", "log2", "sin", "cos")
		return term{t, name + "(" + a.text + ")", func(x []uint64, k int) uint64 { return f.library(name, a.of(x, k)) }}
	case 0, 1:
		op := m.pick("+", "-", "*", "/")
		return term{t, "(" + a.text + " " + op + " " + b.text + ")", func(x []uint64, k int) uint64 { return f.compute(op, "rn", a.of(x, k), b.of(x, k), 0) }}
	case 2:
		name := m.pick("fadd", "fsub", "fmul", "fdiv")
		op := map[string]string{"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}[name]
		return term{t, name + "(" + a.text + ", " + b.text + ", " + mode + ")", func(x []uint64, k int) uint64 { return f.compute(op, mode, a.of(x, k), b.of(x, k), 0) }}
	case 3:
		return term{t, "fma(" + a.text + ", " + b.text + ", " + c.text + ", " + mode + ")", func(x []uint64, k int) uint64 { return f.compute("fma", mode, a.of(x, k), b.of(x, k), c.of(x, k)) }}
	case 4:
		return term{t, "sqrt(" + a.text + ", " + mode + ")", func(x []uint64, k int) uint64 { return f.compute("sqrt", mode, a.of(x, k), 0, 0) }}
	case 5:
		name := m.pick("floor(%s)", "ceil(%s)", "rint(%s, rn)", "rint(%s, rz)", "rint(%s, ra)", "rint(%s, rm)", "rint(%s, rp)")
		how := map[byte]string{'f': "rm", 'c': "rp", 'r': name[max(len(name)-3, 0) : len(name)-1]}[name[0]]
		return term{t, fmt.Sprintf(name, a.text), func(x []uint64, k int) uint64 { return f.rint(a.of(x, k), how) }}
	case 6:
		sign := uint64(1) << (t.Width - 1)
		if m.IntN(2) == 0 {
			return term{t, "(-" + a.text + ")", func(x []uint64, k int) uint64 { return f.canonical(a.of(x, k) ^ sign) }}
		}
		return term{t, "abs(" + a.text + ")", func(x []uint64, k int) uint64 { return f.canonical(a.of(x, k) &^ sign) }}
	}
	from := m.term(m.some(t.Len, sem.Uint, sem.Sint, sem.Float), depth)
	if from.t.Width == t.Width && from.t.Kind != sem.Float && m.IntN(2) == 0 {
		return term{t, fmt.Sprintf("%s(%s)", t, from.text), func(x []uint64, k int) uint64 { return f.canonical(from.of(x, k)) }}
	}
	return term{t, fmt.Sprintf("to_%s(%s, %s)", t.Elem(), from.text, mode), func(x []uint64, k int) uint64 { return nearest(t, from.t, from.of(x, k), mode) }}
}
