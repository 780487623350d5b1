package flow

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/isago/isago/internal/sem"
)

// String returns the program as text. For each block it lists the parameters, the operations and the
// terminator.
func (p *Program) String() string { return p.Text(Naming{}) }

// Naming contains functions that return names for Text. Each function may be nil.
type Naming struct {
	// Variable returns the name of a variable, or "" to use Variable.String.
	Variable func(v Variable) string
	// Instruction returns the text of the instruction at an address. Text prints it as a comment
	// before the operations of the instruction.
	Instruction func(addr uint64) string
}

// Text returns the program as text, with the names that n defines.
func (p *Program) Text(n Naming) string {
	nameOf := func(v Variable) string {
		if n.Variable != nil {
			if text := n.Variable(v); text != "" {
				return text
			}
		}
		return v.String()
	}
	var b strings.Builder
	number, next := map[ID]int{}, 0
	name := func(id ID) string {
		if id == NoID {
			return "-"
		}
		in := &p.Insts[id]
		if in.Op == sem.OpConst {
			return constantText(in.Type(), in.Imm)
		}
		k, ok := number[id]
		if !ok {
			k = next
			number[id] = k
			next++
		}
		return fmt.Sprintf("%%%d", k)
	}
	for _, x := range p.Blocks {
		fmt.Fprintf(&b, "b%d(", x.Index)
		for i, q := range x.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s: %s = %s", name(q.ID), q.Variable.Type(), nameOf(q.Variable))
		}
		b.WriteString(")")
		if x.Serial {
			b.WriteString(" ; one lane after another")
		}
		b.WriteString("\n")
		at, first := uint64(0), true
		for _, id := range x.Insts {
			in := &p.Insts[id]
			if addr := p.Addrs[id]; n.Instruction != nil && addr != NoAddr && (first || addr != at) {
				fmt.Fprintf(&b, "\t; %s\n", n.Instruction(addr))
				at, first = addr, false
			}
			text := in.TextWith(name)
			if in.Op == sem.OpRead {
				text = "read " + nameOf(Variable{in.State, int(in.Imm), in.Comp})
			}
			if in.HasValue() {
				shared := ""
				if p.Wave && in.Uniform {
					shared = " wave"
				}
				text = fmt.Sprintf("%s: %s%s = %s", name(id), in.Type(), shared, text)
			}
			sees := " sees"
			in.EachSeen(func(st *sem.State, number, comp int, a ID) {
				if x := &p.Insts[a]; x.Op != sem.OpConst || x.Imm != st.Init {
					text += fmt.Sprintf("%s %s = %s", sees, nameOf(Variable{st, number, comp}), name(a))
					sees = ","
				}
			})
			fmt.Fprintf(&b, "\t%s\n", text)
		}
		edge := func(e Edge) string {
			var args []string
			for _, a := range e.Args {
				args = append(args, name(a))
			}
			return fmt.Sprintf("b%d(%s)", e.To.Index, strings.Join(args, ", "))
		}
		switch x.End.Kind {
		case Jump:
			fmt.Fprintf(&b, "\tjump %s\n", edge(x.End.Edges[0]))
		case Branch:
			fmt.Fprintf(&b, "\tbranch %s ? %s : %s\n", name(x.End.Cond), edge(x.End.Edges[0]), edge(x.End.Edges[1]))
		case Exit, Stop:
			text := "exit"
			if x.End.Kind == Stop {
				text = fmt.Sprintf("stop %q", x.End.Text)
			}
			b.WriteString("\t" + text)
			for i, o := range x.End.Outputs {
				if i > 0 {
					b.WriteString(",")
				}
				fmt.Fprintf(&b, " %s = %s", nameOf(o.Variable), name(o.ID))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// constantText formats a constant. It formats a finite float in decimal and any other float as its
// bits in hexadecimal.
func constantText(t sem.Type, v uint64) string {
	switch t.Kind {
	case sem.Bool:
		return strconv.FormatBool(v != 0)
	case sem.Sint:
		return strconv.FormatInt(int64(v<<(64-t.Width))>>(64-t.Width), 10)
	case sem.Float:
		f := sem.FloatOf(v, t.Width)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprintf("0x%0*x", t.Width/4, v)
		}
		text := strconv.FormatFloat(f, 'g', -1, max(32, t.Width))
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text
	}
	return strconv.FormatUint(v, 10)
}
