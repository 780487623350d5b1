package pica200_test

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/target/pica200"
)

var manyPrograms = flag.Int("programs", 0, "run TestManyPrograms with so many programs")

// programGen makes random programs that are valid, with random structure, tables and names.
type programGen struct {
	t      *rapid.T
	b      strings.Builder
	fvecs  []string
	flags  []string
	ints   []string
	consts []string
	ins    []string
	outs   []string
	procs  []string
	labels int
	words  int
	file   int
}

func (g *programGen) pick(list []string) string { return rapid.SampledFrom(list).Draw(g.t, "pick") }
func (g *programGen) n(most int) int            { return rapid.IntRange(0, most).Draw(g.t, "n") }

func (g *programGen) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *programGen) name(kind string, i int) string {
	return fmt.Sprintf("%s%d%s", g.pick([]string{"a", "Light", "x_", "q$", "B"}), g.file*100+i, kind)
}

func (g *programGen) declare() {
	for i := range g.n(3) {
		name := g.name("in", i)
		g.ins = append(g.ins, name)
		g.line(".in %s%s", name, g.pick([]string{"", "", fmt.Sprintf(" v%d", 8+i)}))
	}
	for i := range g.n(3) {
		name, size := g.name("f", i), 1+g.n(4)
		at := ""
		if g.n(4) == 0 {
			at = fmt.Sprintf("@c%d", 40+10*i)
		}
		switch size {
		case 1:
			g.line(".fvec %s%s", name, at)
			g.fvecs = append(g.fvecs, name)
		default:
			g.line(".fvec %s%s[%d]", name, at, size)
			g.fvecs = append(g.fvecs, fmt.Sprintf("%s[%d]", name, size-1), name+"[aL+1]", name+"[a0.x]", name+"[a0.y]")
		}
	}
	for i := range g.n(1) {
		name := g.name("i", i)
		g.line(".ivec %s", name)
		g.ints = append(g.ints, name)
	}
	g.constants()
	for i, semantic := range []string{"position", "color", "texcoord0", "view"}[:g.n(4)] {
		g.line(".out o_%d_%d %s%s", g.file, i, semantic, g.pick([]string{"", ".xy", ".z"}))
		g.outs = append(g.outs, fmt.Sprintf("o_%d_%d", g.file, i))
	}
	for i := range g.n(2) {
		g.line(".bool bool%d_%d", g.file, i)
		g.flags = append(g.flags, fmt.Sprintf("bool%d_%d", g.file, i))
	}
}

func (g *programGen) constants() {
	for i := range g.n(3) {
		switch g.n(3) {
		case 0:
			g.line(".setf c%d(1, %d.5, inf, -0.25)", 80+i, g.n(9))
		case 1:
			g.line(".setb b%d on", i)
		case 2:
			g.line(".consti k%d_%d(%d, 0, 1, 0)", g.file, i, g.n(255))
			if len(g.ints) < 3 {
				g.ints = append(g.ints, fmt.Sprintf("k%d_%d", g.file, i))
			}
		default:
			g.line(".constf k%d_%d(%v, f24:%x, 1e-5, 0)", g.file, i, float64(g.n(1000))/16, g.n(0xffffff))
			g.consts = append(g.consts, fmt.Sprintf("k%d_%d", g.file, i))
		}
	}
}

func (g *programGen) swizzle() string {
	return g.pick([]string{"", "", "", ".x", ".yz", ".wzyx", ".xxyy", ".rgb", ".zzzw"})
}

func (g *programGen) narrow() string {
	in := append([]string{"r0", "r1", "r7", "r15"}, g.ins[:min(1, len(g.ins))]...)
	return g.pick([]string{"", "-"}) + g.pick(in) + g.swizzle()
}

func (g *programGen) wide() string {
	if g.n(1) == 0 {
		return g.narrow()
	}
	return g.pick([]string{"", "-"}) + g.pick(append(append([]string{"c9", "c20[a0.x]", "c3[aL]"}, g.fvecs...), g.consts...)) + g.swizzle()
}

func (g *programGen) dest() string {
	return g.pick(append([]string{"r0", "r3", "r14"}, g.outs...)) + g.pick([]string{"", "", ".x", ".xyz", ".yw", ".w"})
}

func (g *programGen) condition() string {
	return g.pick([]string{"cmp.x", "!cmp.y", "cmp.x && cmp.y", "!cmp.x || cmp.y", "cmp.y & !cmp.x"})
}

func (g *programGen) flag() string { return g.pick(append([]string{"b0", "b14"}, g.flags...)) }

func (g *programGen) plain() {
	g.words++
	switch g.n(12) {
	case 0, 1, 2:
		g.line("%s %s, %s, %s", g.pick([]string{"add", "mul", "dp3", "dp4", "max", "dst", "dph", "slt"}), g.dest(), g.wide(), g.narrow())
	case 3:
		g.line("%s %s, %s, %s", g.pick([]string{"sge", "dph", "dst", "slt"}), g.dest(), g.narrow(), g.wide())
	case 4, 5:
		g.line("mad %s, %s, %s, %s", g.dest(), g.narrow(), g.wide(), g.narrow())
	case 6:
		g.line("mad %s, %s, %s, %s", g.dest(), g.narrow(), g.narrow(), g.wide())
	case 7:
		g.line("cmp %s, lt, ge, %s", g.wide(), g.narrow())
	case 8:
		g.line("mova a0.%s, %s", g.pick([]string{"x", "y", "xy"}), g.wide())
	case 9:
		g.line("jmpc %s, L%d_%d", g.condition(), g.file, g.n(3))
	case 10:
		g.line("jmpu !%s, L%d_%d", g.flag(), g.file, g.n(3))
	default:
		g.line("%s %s, %s", g.pick([]string{"mov", "rcp", "flr", "ex2", "litp"}), g.dest(), g.wide())
	}
}

func (g *programGen) block(depth int) {
	for range g.n(4) {
		if g.words > 400 {
			return
		}
		if g.labels < 4 && g.n(3) == 0 {
			g.line("L%d_%d:", g.file, g.labels)
			g.labels++
		}
		kind := g.n(9)
		if depth >= 5 {
			kind = 0
		}
		switch kind {
		case 1:
			g.words += 2
			g.line("ifc %s", g.condition())
			g.block(depth + 1)
			g.line(".end")
		case 2:
			g.words += 3
			g.line("ifu %s", g.flag())
			g.block(depth + 1)
			g.line(".else")
			g.block(depth + 1)
			g.line(".end")
		case 3:
			g.words += 2
			g.line("for %s", g.pick(append([]string{"i0"}, g.ints...)))
			g.block(depth + 1)
			g.line("%s", g.pick([]string{"nop", "break", "breakc cmp.x"}))
			g.line(".end")
		case 4:
			g.words++
			p := g.pick(g.procs)
			g.line("%s%s", g.pick([]string{"call ", "callc cmp.y, ", "callu b1, "}), p)
		default:
			g.plain()
		}
	}
}

// source makes the files of a program.
func source(t *rapid.T) []string {
	var procs, files []string
	n := rapid.IntRange(1, 3).Draw(t, "files")
	for i := range n {
		for j := range rapid.IntRange(1, 3).Draw(t, "procs") {
			procs = append(procs, fmt.Sprintf("p%d_%d", i, j))
		}
	}
	words := 0
	for i := range n {
		g := &programGen{t: t, procs: procs, file: i, words: words}
		if rapid.IntRange(0, 3).Draw(t, "geometry") == 0 {
			g.line(".gsh %s", g.pick([]string{"point c0", "variable c4 3", "fixed c12 c2 4"}))
		}
		g.declare()
		for _, p := range procs {
			if strings.HasPrefix(p, fmt.Sprintf("p%d_", i)) {
				g.line(".proc %s", p)
				g.block(1)
				g.line(".end")
			}
		}
		for ; g.labels < 4; g.labels++ {
			g.line("L%d_%d:", i, g.labels)
		}
		g.line(".entry %s", g.pick(procs))
		words = g.words
		files = append(files, g.b.String())
	}
	return files
}

// checkProgram assembles a random program, takes it apart and together again. Programs for which
// there is no room are skipped.
func checkProgram(t *rapid.T, a *pica200.Assembler) {
	files := source(t)
	out, err := a.Assemble(sources(files...), pica200.AssembleOptions{})
	if err != nil {
		if text := err.Error(); strings.Contains(text, string(diag.TableFull)) || strings.Contains(text, string(diag.TextRange)) || strings.Contains(text, string(diag.SpaceFull)) {
			t.Skip("no room")
		}
		t.Fatalf("%s\n%s", diag.Render(err), strings.Join(files, "\n---\n"))
	}
	text, err := a.Source(out.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	back, err := a.Assemble(sources(string(text)), pica200.AssembleOptions{})
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err), text)
	}
	if !bytes.Equal(back.Bytes, out.Bytes) {
		t.Fatalf("%s\nbecomes\n%s", strings.Join(files, "\n---\n"), text)
	}
	if bytes.Contains(text, []byte(".isago patch")) {
		t.Fatalf("%s\nis patched\n%s", strings.Join(files, "\n---\n"), text)
	}
}

func TestRandomPrograms(t *testing.T) {
	a := newAssembler(t)
	rapid.Check(t, func(t *rapid.T) { checkProgram(t, a) })
}

// TestManyPrograms is for the command line: go test -run ManyPrograms -programs 100000.
func TestManyPrograms(t *testing.T) {
	if *manyPrograms == 0 {
		t.Skip("-programs gives their number")
	}
	if err := flag.Set("rapid.checks", fmt.Sprint(*manyPrograms)); err != nil {
		t.Fatal(err)
	}
	a := newAssembler(t)
	start := time.Now()
	rapid.Check(t, func(t *rapid.T) { checkProgram(t, a) })
	t.Logf("%d programs in %v", *manyPrograms, time.Since(start))
}

// TestRandomFiles takes apart files of random words, tables and programs.
func TestRandomFiles(t *testing.T) {
	a := newAssembler(t)
	rapid.Check(t, func(t *rapid.T) {
		f := shbinRandom(t)
		n := rapid.IntRange(0, 60).Draw(t, "words")
		f.DVLP.Code = nil
		for range n {
			f.DVLP.Code = append(f.DVLP.Code, randomWord(t, uint32(n)))
		}
		for i := range f.DVLEs {
			d := &f.DVLEs[i]
			d.Entry = uint32(rapid.IntRange(0, n).Draw(t, "entry"))
			d.End = d.Entry + uint32(rapid.IntRange(0, n).Draw(t, "length"))
		}
		f.Place()
		data, err := pica200.WriteSHBIN(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := a.Source(data)
		if err != nil {
			t.Fatal(err)
		}
		back, err := a.Assemble(sources(string(text)), pica200.AssembleOptions{})
		if err != nil || !bytes.Equal(back.Bytes, data) {
			t.Fatalf("%v: from\n%x\nsource\n%s", err, data, text)
		}
	})
}

// randomWord is any word, more often one of control flow that stays in n words.
func randomWord(t *rapid.T, n uint32) uint32 {
	word := rapid.Uint32().Draw(t, "word")
	if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		return word
	}
	op := rapid.SampledFrom([]uint32{0x00, 0x13, 0x21, 0x21, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2c, 0x2d, 0x22, 0x3f}).Draw(t, "op")
	return op<<26 | word&0x3c00000 | word%(n+2)<<10 | word>>5%6
}
