package pica200_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

var (
	manyPrograms = flag.Int("programs", 0, "run TestManyPrograms with so many programs")
	manyWords    = flag.Int("words", 5000, "number of random words of TestRandomWords")
)

// programGen makes random programs that are valid, with random structure, tables and names. What it
// declares and writes has room in every draw: the uniforms of three files stay below c76, i2 and b12,
// the constants of each go down from c95 and i3, no length exceeds NUM, and there are at most as many
// instructions that ask for a new descriptor as the table has room for.
type programGen struct {
	t        *rapid.T
	b        strings.Builder
	fvecs    []string
	flags    []string
	ints     []string
	consts   []string
	ins      []string
	outs     []string
	narrows  []string // aliases that any operand takes
	procs    []string
	labels   int
	lines    int
	file     int
	geometry bool
	room     *room
	plains   []string // the instructions so far
}

// room is what the files of a program have left together.
type room struct{ words, descriptors, mads int }

func (g *programGen) pick(list []string) string { return rapid.SampledFrom(list).Draw(g.t, "pick") }
func (g *programGen) n(most int) int            { return rapid.IntRange(0, most).Draw(g.t, "n") }

// line writes a line, now and then as people write them.
func (g *programGen) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch g.lines++; {
	case g.lines%11 == 0:
		text = "# " + g.names() + "\n\t" + text
	case g.lines%7 == 0:
		text = "  " + text + " ; and: so on"
	case g.lines%5 == 0:
		text = "\t" + text + " \r"
	}
	g.b.WriteString(text + "\n")
}

func (g *programGen) names() string { return strings.Join(g.procs, ", ") }

// name is a name that no other file has: uniforms of one name are shared, and must agree.
func (g *programGen) name(kind string, i int) string {
	return fmt.Sprintf("%s%d%s", g.pick([]string{"a", "Light", "x_", "q$", "B", "_h", "$", "__"}), g.file*100+i, kind)
}

// mode makes some programs geometry shaders, of each kind.
func (g *programGen) mode() {
	kinds := []string{"", "", "", "", "", implied, " ", " point c0", " variable c4 3", " subdivision c4 255", " fixed c12 c2 4", " particle c12 c11 0"}
	kind := g.pick(kinds)
	g.geometry = kind != ""
	if g.geometry && kind != implied {
		g.line(".gsh%s", strings.TrimRight(kind, " "))
	}
}

// implied is the mode of a geometry shader that is one because it says emit.
const implied = "implied"

func (g *programGen) declare() {
	g.inputs()
	g.uniforms()
	g.presets()
	g.constants()
	g.outputs()
	g.aliases()
}

func (g *programGen) inputs() {
	for i := range g.n(3) {
		name := g.name("in", i)
		g.ins = append(g.ins, name)
		g.line(".in %s%s", name, g.pick([]string{"", "", fmt.Sprintf(" v%d", 8+i)}))
	}
}

// uniforms takes at most 15 of c and 3 of b in each file, and what all have.
func (g *programGen) uniforms() {
	if g.n(2) == 0 {
		g.line(".fvec shared[3]")
		g.fvecs = append(g.fvecs, "shared", "shared[2]", "shared[aL+2]")
	}
	for i := range g.n(3) {
		name, size := g.name("f", i), 1+g.n(4)
		at := ""
		if g.n(4) == 0 {
			at = fmt.Sprintf("@c%d", 20+20*g.file+5*i)
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
	if g.file == 0 && g.n(1) == 0 {
		if name := g.name("i", 0); g.n(1) == 0 {
			g.line(".ivec %s[2]", name)
			g.ints = append(g.ints, name, name+"[1]")
		} else {
			g.line(".ivec %s", name)
			g.ints = append(g.ints, name)
		}
	}
	switch name := g.name("b", 0); g.n(3) {
	case 0:
		g.line(".bool %s[3]", name)
		g.flags = append(g.flags, name+"[0]", name+"[2]")
	case 1:
		g.line(".bool %s", name)
		g.flags = append(g.flags, name)
	}
}

// presets gives values to registers, declared or not.
func (g *programGen) presets() {
	for i := range g.n(3) {
		switch g.n(2) {
		case 0:
			g.line(".setf c%d(1, %d.5, inf, -0.25)", 76+i, g.n(9))
		case 1:
			g.line(".seti i%d(%d, 0, -1, 0x10)", g.n(3), g.n(255))
		default:
			g.line(".setb b%d %s", i, g.pick([]string{"on", "off", "true", "false", "1", "0"}))
		}
	}
}

// constants takes at most 12 of c and 2 of i, which the next file has again.
func (g *programGen) constants() {
	ints := 0
	for i := range g.n(3) {
		name := g.name("k", i)
		switch g.n(3) {
		case 0:
			g.array(name)
		case 1:
			if ints++; ints > 2 {
				continue
			}
			g.line(".consti %s(%d, 0, 1, 0)", name, g.n(255))
			g.ints = append(g.ints, name)
		default:
			g.line(".constf %s(%v, f24:%x, 1e-5, 0)", name, float64(g.n(1000))/16, g.n(0xffffff))
			g.consts = append(g.consts, name)
		}
	}
}

// array is one of constants, whose values may be fewer than its size.
func (g *programGen) array(name string) {
	values := 1 + g.n(2)
	size := values + g.n(1)
	g.line(".constfa %s[%s]", name, g.pick([]string{"", strconv.Itoa(size)}))
	for range values {
		g.line(".constfa (%d, 0.5, -%d, f24:%x)", g.n(9), g.n(9), g.n(0xffffff))
	}
	g.line(".end")
	g.consts = append(g.consts, fmt.Sprintf("%s[%d]", name, values-1), name+"[aL]", fmt.Sprintf("%s[a0.x+%d]", name, values-1))
}

// outputs takes the lowest registers, or the next by name; those from o7 on are dummies.
func (g *programGen) outputs() {
	for i, semantic := range []string{"position", "color", "texcoord0", "view"}[:g.n(4)] {
		name := g.name("o", i)
		place := g.pick([]string{"", ".xy", ".z", fmt.Sprintf(" o%d", i), fmt.Sprintf(" o%d.yzw", i)})
		if g.n(4) == 0 {
			g.line(".out - %s%s", semantic, place)
			continue
		}
		g.line(".out %s %s%s", name, semantic, place)
		g.outs = append(g.outs, name)
	}
	if g.n(2) > 0 {
		return
	}
	name, place := g.name("d", 0), ""
	if !g.geometry {
		place = g.pick([]string{"", " o9", " o15.xw"})
	}
	g.line(".out %s dummy%s", name, place)
	g.outs = append(g.outs, name)
}

// aliases makes chains: each may be of one before it.
func (g *programGen) aliases() {
	narrow, wide := []string{"r2", "r9", "v1"}, slices.Concat([]string{"c30"}, g.consts, g.fvecs)
	wide = slices.DeleteFunc(wide, func(s string) bool { return strings.Contains(s, "[a") })
	for i := range g.n(4) {
		name := g.name("al", i)
		if g.n(1) == 0 {
			g.line(".alias %s %s%s%s", name, g.sign(), g.pick(narrow), g.swizzle())
			narrow = append(narrow, name)
			g.narrows = append(g.narrows, name)
		} else {
			g.line(".alias %s %s%s%s", name, g.sign(), g.pick(wide), g.swizzle())
			wide = append(wide, name)
			g.fvecs = append(g.fvecs, name)
		}
	}
}

func (g *programGen) sign() string { return g.pick([]string{"", "-"}) }

// swizzle comes from few: a program has at most 128 descriptors, of which 32 are for mad.
func (g *programGen) swizzle() string {
	return g.pick([]string{"", "", "", ".x", ".yz", ".wzyx", ".xxyy", ".rgb", ".zzzw"})
}

func (g *programGen) narrow() string {
	in := slices.Concat([]string{"r0", "r1", "r7", "r15"}, g.ins[:min(1, len(g.ins))], g.narrows)
	return g.sign() + g.pick(in) + g.swizzle()
}

func (g *programGen) wide() string {
	if g.n(1) == 0 {
		return g.narrow()
	}
	return g.sign() + g.pick(slices.Concat([]string{"c9", "c20[a0.x]", "c3[aL]"}, g.fvecs, g.consts)) + g.swizzle()
}

func (g *programGen) dest() string {
	return g.pick(append([]string{"r0", "r3", "r14"}, g.outs...)) + g.pick([]string{"", "", ".x", ".xyz", ".yw", ".w"})
}

func (g *programGen) condition() string {
	return g.pick([]string{"cmp.x", "!cmp.y", "cmp.x && cmp.y", "!cmp.x || cmp.y", "cmp.y & !cmp.x"})
}

func (g *programGen) flag() string { return g.pick(append([]string{"b0", "b14"}, g.flags...)) }

// plain writes an instruction that opens nothing, or one from before where there is no room for
// another descriptor.
func (g *programGen) plain() {
	g.room.words--
	if g.room.descriptors == 0 || g.room.mads == 0 {
		g.line("%s", g.pick(append(g.plains, "nop")))
		return
	}
	text := g.operation()
	switch word, _, _ := strings.Cut(text, " "); word {
	case "jmpc", "jmpu", "emit", "setemit":
	case "mad":
		g.room.mads--
		fallthrough
	default:
		g.room.descriptors--
	}
	g.plains = append(g.plains, text)
	g.line("%s", text)
}

func (g *programGen) operation() string {
	last := 12
	if g.geometry {
		last = 14
	}
	switch g.n(last) {
	case 0, 1, 2:
		return fmt.Sprintf("%s %s, %s, %s", g.pick([]string{"add", "mul", "dp3", "dp4", "max", "dst", "dph", "slt"}), g.dest(), g.wide(), g.narrow())
	case 3:
		return fmt.Sprintf("%s %s, %s, %s", g.pick([]string{"sge", "dph", "dst", "slt"}), g.dest(), g.narrow(), g.wide())
	case 4, 5:
		return fmt.Sprintf("mad %s, %s, %s, %s", g.dest(), g.narrow(), g.wide(), g.narrow())
	case 6:
		return fmt.Sprintf("mad %s, %s, %s, %s", g.dest(), g.narrow(), g.narrow(), g.wide())
	case 7:
		return fmt.Sprintf("cmp %s, lt, ge, %s", g.wide(), g.narrow())
	case 8:
		return fmt.Sprintf("mova a0.%s, %s", g.pick([]string{"x", "y", "xy"}), g.wide())
	case 9:
		return fmt.Sprintf("jmpc %s, L%d_%d", g.condition(), g.file, g.n(3))
	case 10:
		return fmt.Sprintf("jmpu !%s, L%d_%d", g.flag(), g.file, g.n(3))
	case 13:
		return "emit"
	case 14:
		return fmt.Sprintf("setemit %d%s", g.n(2), g.pick([]string{"", ", prim", ", inv", ", prim inv"}))
	default:
		return fmt.Sprintf("%s %s, %s", g.pick([]string{"mov", "rcp", "flr", "ex2", "litp"}), g.dest(), g.wide())
	}
}

// block writes some lines. A block counts for the most words that its head, its last instruction and
// the padding can take.
func (g *programGen) block(depth int) {
	for range g.n(4) {
		if g.room.words <= 0 {
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
			g.room.words -= 3
			g.line("ifc %s", g.condition())
			g.block(depth + 1)
			g.line(".end")
		case 2:
			g.room.words -= 5
			g.line("ifu %s", g.flag())
			g.block(depth + 1)
			g.line(".else")
			g.block(depth + 1)
			g.line(".end")
		case 3:
			g.room.words -= 3
			g.line("for %s", g.pick(append([]string{"i0"}, g.ints...)))
			g.block(depth + 1)
			g.line("%s", g.pick([]string{"nop", "break", "breakc cmp.x"}))
			g.line(".end")
		case 4:
			g.room.words--
			g.line("%s%s", g.pick([]string{"call ", "callc cmp.y, ", "callu b1, "}), g.pick(g.procs))
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
	// 180 words and what the last block to see room adds stay below 256, the most that NUM holds.
	room := &room{words: 180, descriptors: 128, mads: 32}
	for i := range n {
		g := &programGen{t: t, procs: procs, file: i, room: room}
		if i > 0 && g.n(4) == 0 {
			g.line(".nodvle")
		}
		g.mode()
		g.declare()
		for _, p := range procs {
			if strings.HasPrefix(p, fmt.Sprintf("p%d_", i)) {
				room.words -= 2
				g.line(".proc %s", p)
				g.block(1)
				g.line(".end")
			}
		}
		for ; g.labels < 4; g.labels++ {
			g.line("L%d_%d:", i, g.labels)
		}
		g.line(".entry %s", g.pick(procs))
		files = append(files, g.b.String())
	}
	return files
}

// checkProgram assembles a random program, takes it apart and together again.
func checkProgram(t *rapid.T, a *pica200.Assembler) {
	files := source(t)
	out, err := a.Assemble(sources(files...), pica200.AssembleOptions{})
	if err != nil {
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
		return // TestRandomPrograms runs rapid's usual hundred
	}
	if err := flag.Set("rapid.checks", fmt.Sprint(*manyPrograms)); err != nil {
		t.Fatal(err)
	}
	a := newAssembler(t)
	start := time.Now()
	rapid.Check(t, func(t *rapid.T) { checkProgram(t, a) })
	t.Logf("%d programs in %v", *manyPrograms, time.Since(start))
}

// TestRandomWords prints random words without loss, in both spellings, each with a random descriptor in
// its place, and reads the text back.
func TestRandomWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, syntax := range []string{"", pica200.Syntax} {
		set, err := pica200.Load(isa.Options{Syntax: syntax})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		d, err := set.NewDecoder("")
		if err != nil {
			t.Fatal(err)
		}
		p, err := asm.New(set, "")
		if err != nil {
			t.Fatal(err)
		}
		table := make([]bits.Value, 128)
		d.SetTable(0, table)
		p.Tables[0] = &asm.FixedTable{Entries: table}
		lossless := asm.NewLossless(d, p)
		var buf []byte
		for i := range *manyWords {
			if i%1000 == 0 {
				for j := range table {
					table[j] = bits.Of(uint64(rng.Uint32()))
				}
			}
			word := bits.Of(uint64(rng.Uint32()))
			in, ok := d.Decode(word)
			if !ok {
				continue // one of the ten opcodes that nobody knows
			}
			if buf, ok = lossless.Append(buf[:0], in); !ok {
				t.Fatalf("%s has no text", word)
			}
			res, err := p.ParseBytes(buf)
			if err != nil || res.Inst.Bits != word {
				t.Fatalf("%s: %s is %s, %v", word, buf, res.Inst.Bits, err)
			}
		}
	}
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

// TestMutatedFiles takes apart programs of which some bytes are others: files as damaged as they may be
// and still be read.
func TestMutatedFiles(t *testing.T) {
	a := newAssembler(t)
	var files [][]byte
	for _, name := range []string{"every", "flow", "points", "skin"} {
		data, err := os.ReadFile("../../examples/pica200/" + name + ".shbin")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(rapid.SampledFrom(files).Draw(t, "file"))
		for range rapid.IntRange(1, 8).Draw(t, "bytes") {
			data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "is")
		}
		if _, err := pica200.ReadSHBIN(data); err != nil {
			return
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
