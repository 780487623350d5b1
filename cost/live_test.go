package cost_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/cost"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/facts"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
	"github.com/isago/isago/view"
)

var programs = flag.Int("programs", 200, "the number of random programs of TestLiveness")

// TestLiveness compares the live registers of random programs with a search for paths. The search works on what the
// generator knows of the instructions, and uses neither their words nor their semantics: a component is live at an
// instruction if some path from there reads it before it writes it.
func TestLiveness(t *testing.T) {
	m := newPica(t)
	for seed := range *programs {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 53))}
		g.program()
		src := g.text.String()
		r := m.cost(t, src)
		c := r.Programs[0]
		if c.Unknown != "" {
			t.Fatalf("%s\n%s", c.Unknown, src)
		}
		for _, l := range c.Lines {
			got := map[string]int{}
			for _, text := range l.Live {
				name, comps, dotted := strings.Cut(text, ".")
				if !dotted {
					comps = map[bool]string{true: "xy", false: "xyzw"}[name == "cmp"]
				}
				for _, k := range comps {
					if name == "cmp" || name[0] == 'r' {
						got[name+"."+string(k)]++
					}
				}
			}
			if l.Line == 0 || !g.lines[l.Line] {
				continue // an instruction that the assembler added
			}
			for v := range variables {
				if live := g.live(l.Line, v); live != (got[variables[v]] > 0) {
					t.Fatalf("program %d, line %d, %s: %s live: %t, want %t\n%s", seed, l.Line, l.Text, variables[v], !live, live, src)
				}
			}
		}
		most, components := 0, 0
		for _, l := range c.Lines {
			registers, parts := 0, 0
			for _, text := range l.Live {
				if text[0] == 'r' {
					_, comps, dotted := strings.Cut(text, ".")
					registers++
					parts += map[bool]int{true: len(comps), false: 4}[dotted]
				}
			}
			most, components = max(most, registers), max(components, parts)
		}
		if i := slices.IndexFunc(c.Registers, func(p cost.Pressure) bool { return p.File == "r" }); i < 0 || c.Registers[i].Peak != most || c.Registers[i].Components != components {
			t.Fatalf("program %d: peak %v, want %d registers, %d components\n%s", seed, c.Registers, most, components, src)
		}
	}
}

// TestEntries measures a program with two entries that share code. It has a path from each entry, and a register is live
// if a path from any entry leads there.
func TestEntries(t *testing.T) {
	m := newPica(t)
	r := m.entries(t, `.out pos position
.proc main
mov r0, v0
mov r1, v1
jmpc cmp.x, shared
mov pos, r1
end
.end
.proc second
mov r0, v1
shared:
mov pos, r0
end
.end
`, 0, 5)
	c := r.Programs[0]
	var paths []string
	for _, p := range c.Paths {
		paths = append(paths, fmt.Sprintf("0x%x: %d to %s", p.Entry, p.Shortest, p.Longest.Text))
	}
	// From 0x0: 5 instructions either way. From 0x14: 3.
	if got := strings.Join(paths, ", "); got != "0x0: 5 to 5, 0x14: 3 to 3" || c.Instructions != 8 {
		t.Errorf("%d instructions, %s", c.Instructions, got)
	}
	var live []string
	for _, l := range c.Lines {
		live = append(live, strings.Join(l.Live, " "))
	}
	if got := strings.Join(live, "; "); got != "cmp.x; r0 cmp.x; r0 r1 cmp.x; r1; ; ; r0; " {
		t.Errorf("live: %s", got)
	}
}

// variables are the components that the random programs use: those of three registers, and the flags.
var variables = func() (list []string) {
	for r := range 3 {
		for _, k := range "xyzw" {
			list = append(list, fmt.Sprintf("r%d.%c", r, k))
		}
	}
	return append(list, "cmp.x", "cmp.y")
}()

// step is an instruction in one of the calls of its procedure, or a place without an instruction, whose line is 0.
type step struct {
	line          int
	reads, writes []int
	next          []*step
}

// generator makes a random program, and the graph of its paths.
type generator struct {
	*rand.Rand
	text  strings.Builder
	line  int
	lines map[int]bool
	steps []*step
	procs []func(next *step) *step
	// after are the steps after the loops around a statement.
	after []*step
}

func (g *generator) write(format string, args ...any) int {
	g.line++
	fmt.Fprintf(&g.text, format+"\n", args...)
	return g.line
}

func (g *generator) step(line int, reads, writes []int, next ...*step) *step {
	s := &step{line, reads, writes, next}
	g.steps = append(g.steps, s)
	if line > 0 {
		g.lines[line] = true
	}
	return s
}

// program makes two procedures, of which the second may call the first, and a main procedure.
func (g *generator) program() {
	g.lines = map[int]bool{}
	g.write(".out pos position")
	for i := range 2 {
		g.write(".proc p%d", i)
		body := g.block(2, false)
		g.write(".end")
		g.procs = append(g.procs, body)
	}
	g.write(".proc main")
	body := g.block(0, false)
	out, end := g.write("mov pos, r0"), g.write("end")
	g.write(".end")
	body(g.step(out, []int{0, 1, 2, 3}, nil, g.step(end, nil, nil)))
}

// block writes statements. The function that it returns makes their steps, from what follows them.
func (g *generator) block(depth int, loop bool) func(next *step) *step {
	var list []func(next *step) *step
	for range 1 + g.IntN(4) {
		list = append(list, g.statement(depth, loop))
	}
	return func(next *step) *step {
		for _, s := range slices.Backward(list) {
			next = s(next)
		}
		return next
	}
}

// operand returns the text of a source, and the component that each of its components reads.
func (g *generator) operand() (string, [4]int) {
	r, text := g.IntN(3), ""
	var reads [4]int
	for i := range reads {
		k := g.IntN(4)
		reads[i] = 4*r + k
		text += "xyzw"[k : k+1]
	}
	return fmt.Sprintf("r%d.%s", r, text), reads
}

func (g *generator) statement(depth int, loop bool) func(next *step) *step {
	flag := 12 + g.IntN(2)
	switch n := g.IntN(12); {
	case n == 0 && depth < 3:
		line := g.write("ifc %s", variables[flag])
		then := g.block(depth+1, false)
		other := func(next *step) *step { return next }
		if g.IntN(2) == 0 {
			g.write(".else")
			other = g.block(depth+1, false)
		}
		g.write(".end")
		return func(next *step) *step { return g.step(line, []int{flag}, nil, then(next), other(next)) }
	case n == 1 && depth < 3:
		line := g.write("for i%d", depth)
		body := g.block(depth+1, true)
		g.write(".end")
		return func(next *step) *step {
			again := g.step(0, nil, nil, next)
			g.after = append(g.after, next)
			first := body(again)
			g.after = g.after[:len(g.after)-1]
			again.next = append(again.next, first)
			return g.step(line, nil, nil, first)
		}
	case n == 2 && loop:
		line := g.write("breakc %s", variables[flag])
		return func(next *step) *step { return g.step(line, []int{flag}, nil, next, g.after[len(g.after)-1]) }
	case n == 3 && len(g.procs) > 0:
		i := g.IntN(len(g.procs))
		line := g.write("call p%d", i)
		return func(next *step) *step { return g.step(line, nil, nil, g.procs[i](next)) }
	case n == 4 && len(g.procs) > 0:
		i := g.IntN(len(g.procs))
		line := g.write("callc %s, p%d", variables[flag], i)
		return func(next *step) *step { return g.step(line, []int{flag}, nil, g.procs[i](next), next) }
	case n == 5:
		a, ra := g.operand()
		b, rb := g.operand()
		return g.simple(g.write("cmp %s, lt, ge, %s", a, b), []int{ra[0], rb[0], ra[1], rb[1]}, []int{12, 13})
	}
	r, mask := g.IntN(3), 1+g.IntN(15)
	to, writes := "", []int(nil)
	for k := range 4 {
		if mask>>k&1 != 0 {
			to += "xyzw"[k : k+1]
			writes = append(writes, 4*r+k)
		}
	}
	to = fmt.Sprintf("r%d.%s", r, to)
	a, ra := g.operand()
	b, rb := g.operand()
	each := func(sources ...[4]int) (reads []int) {
		for _, s := range sources {
			for _, w := range writes {
				reads = append(reads, s[w%4])
			}
		}
		return reads
	}
	switch g.IntN(6) {
	case 0:
		return g.simple(g.write("mov %s, %s", to, a), each(ra), writes)
	case 1:
		return g.simple(g.write("add %s, %s, %s", to, a, b), each(ra, rb), writes)
	case 2:
		return g.simple(g.write("dp3 %s, %s, %s", to, a, b), append(ra[:3:3], rb[:3]...), writes)
	case 3:
		return g.simple(g.write("rcp %s, %s", to, a), ra[:1], writes)
	case 4:
		c, rc := g.operand()
		return g.simple(g.write("mad %s, %s, %s, %s", to, a, b, c), each(ra, rb, rc), writes)
	}
	return g.simple(g.write("dp4 %s, %s, %s", to, a, b), append(ra[:4:4], rb[:]...), writes)
}

func (g *generator) simple(line int, reads, writes []int) func(next *step) *step {
	return func(next *step) *step { return g.step(line, reads, writes, next) }
}

// live reports whether some path from a line reads a variable before it writes it.
func (g *generator) live(line, v int) bool {
	seen := map[*step]bool{}
	var search func(s *step) bool
	search = func(s *step) bool {
		if seen[s] {
			return false
		}
		seen[s] = true
		return slices.Contains(s.reads, v) || !slices.Contains(s.writes, v) && slices.ContainsFunc(s.next, search)
	}
	return slices.ContainsFunc(g.steps, func(s *step) bool { return s.line == line && search(s) })
}

// pica measures source for PICA200.
type pica struct {
	set      *isa.Set
	known    *facts.Machine
	compiler program.Compiler
}

func newPica(t *testing.T) *pica {
	t.Helper()
	set, err := pica200.Load(isa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &pica{set: set}
	if m.known, err = facts.Open(set); err != nil {
		t.Fatal(err)
	}
	if m.compiler, err = pica200.NewCompiler(); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *pica) cost(t *testing.T, text string) *cost.Report { return m.entries(t, text) }

// entries returns the cost of source, as one program with entries at the given words if there are any.
func (m *pica) entries(t *testing.T, text string, words ...int64) *cost.Report {
	t.Helper()
	src := &diag.Source{Name: "random.pica", Text: text}
	out, err := m.compiler.Compile([]*diag.Source{src}, program.CompileOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", diag.Render(err), text)
	}
	im, err := pica200.Open(m.set, out.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	d.SetTables(im.Tables)
	f := &cost.File{Listing: &view.Listing{Decoder: d, Image: im}, Facts: m.known, End: im.Size()}
	f.Locate = func(addr int64) (s diag.Span) {
		for _, p := range out.Places {
			if p.Addr == addr {
				return p.Span
			}
		}
		return s
	}
	if len(words) > 0 {
		var p cost.Program
		for _, w := range words {
			p.Entries = append(p.Entries, 32*w)
		}
		f.Programs = []cost.Program{p}
	}
	for _, e := range im.Entries {
		if e.Program != "" && len(words) == 0 {
			f.Programs = append(f.Programs, cost.Program{Entries: []int64{e.Addr}})
		}
	}
	r, err := cost.Of(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
