package a2xx_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/a2xx"
)

var manyPrograms = flag.Int("programs", 80, "number of random programs in TestRandomPrograms")

// kept are the tools of each spelling, made once.
var kept = map[string]*tools{}

// tools disassemble and assemble in one spelling. All of a spelling share one disassembler; assemblers
// are kept by their context.
type tools struct {
	set *isa.Set
	ctx bits.Value
	d   *a2xx.Disassembler
	as  map[bits.Value]*a2xx.Assembler
}

func toolsFor(t testing.TB, syntax, stage string) *tools {
	t.Helper()
	if kept[syntax] == nil {
		set := loadSyntax(t, syntax)
		d, err := a2xx.NewDisassembler(set)
		if err != nil {
			t.Fatal(err)
		}
		kept[syntax] = &tools{set: set, d: d, as: map[bits.Value]*a2xx.Assembler{}}
	}
	x := *kept[syntax]
	var err error
	if x.ctx, err = x.set.ParseContext(x.set.DefaultContext(), "stage", stage); err != nil {
		t.Fatal(err)
	}
	return &x
}

// source disassembles bytes.
func (x *tools) source(t testing.TB, data []byte) string {
	t.Helper()
	text, err := x.d.Source(data, x.ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// assemble assembles a source.
func (x *tools) assemble(t testing.TB, text string) (*a2xx.Assembled, error) {
	t.Helper()
	a := x.as[x.ctx]
	if a == nil {
		var err error
		if a, err = a2xx.NewAssembler(x.set, x.ctx); err != nil {
			t.Fatal(err)
		}
		x.as[x.ctx] = a
	}
	return a.Assemble(&diag.Source{Name: "test.a2xx", Text: text})
}

// roundTrip disassembles bytes and assembles the text, which must give the bytes.
func (x *tools) roundTrip(t testing.TB, data []byte) string {
	t.Helper()
	text := x.source(t, data)
	out, err := x.assemble(t, text)
	if err != nil {
		t.Fatalf("%x becomes\n%s\n%s", data, text, diag.Render(err))
	}
	if got := out.Bytes(); !bytes.Equal(got, data) {
		t.Fatalf("%x\nbecomes\n%s\nand then\n%x", data, text, got)
	}
	return text
}

// TestHeaderOfDollars declares names with $, which C does not have.
func TestHeaderOfDollars(t *testing.T) {
	out, err := toolsFor(t, "", "vs").assemble(t, "@uniform(C0-C3) $matrix\n@uniform(C4) matrix\n@uniform(C5) a$b\nEXEC_END\n ALU: MAXv R0 = $matrix[1], a$b.x")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	if out.Words[3+2]>>16&0xff != 1 || out.Words[3+2]>>8&0xff != 5 {
		t.Errorf("%08x", out.Words)
	}
	want := "#define UNIFORM_MATRIX 0\n#define UNIFORM_MATRIX_SIZE 4\n#define UNIFORM_MATRIX_2 4\n#define UNIFORM_A_B 5\n"
	if got := string(out.Header()); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}

// TestRandomPrograms takes random words apart as programs, and puts them together again: programs that
// no assembler would write, with clauses that overlap, that run what does not exist or other clauses,
// that jump anywhere and do not end.
func TestRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, syntax := range []string{"", "mesa"} {
		for _, stage := range []string{"vs", "fs"} {
			x := toolsFor(t, syntax, stage)
			for range *manyPrograms / 4 {
				x.roundTrip(t, randomProgram(r))
			}
		}
	}
}

// randomProgram makes a program of random words whose clauses address, now and then, what is there.
func randomProgram(r *rand.Rand) []byte {
	units := r.IntN(24)
	data := make([]byte, 12*units+r.IntN(12))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	clauses := 2 * (1 + r.IntN(4))
	for i := range clauses {
		if 6*i+6 > len(data) || r.IntN(8) == 0 {
			break
		}
		op := []uint64{0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}[r.IntN(18)]
		word := r.Uint64() & (1<<44 - 1) & r.Uint64()
		if r.IntN(4) > 0 {
			address, count := clauses/2+r.IntN(units+1)-r.IntN(3), r.IntN(8)
			word = word&^0x7fff | uint64(max(address, 0)&0xfff) | uint64(count)<<12
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], word|op<<44)
		copy(data[6*i:], b[:6])
	}
	return data
}

// bytesOf stores 32-bit words as Adreno does.
func bytesOf(words ...uint32) []byte {
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// TestOddPrograms disassembles programs that no assembler would write.
func TestOddPrograms(t *testing.T) {
	move := []uint32{0x000f0001, 0, 0xc2020200} // MAXv R1 = R2, R2
	program := func(units ...[]uint32) []byte { // the first unit has two clauses
		var words []uint32
		for _, u := range units {
			words = append(words, u...)
		}
		return bytesOf(words...)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{
			"two clauses that share instructions", // EXEC 1, 2 and EXEC_END 2, 1
			program([]uint32{0x00002001, 0x10021000, 0x20000000}, move, move),
			"EXEC\n      ALU: MAXv R1 = R2, R2\n      ALU: MAXv R1 = R2, R2\nEXEC_END ADDR(0x2) CNT(0x1)\n",
		},
		{
			"a clause whose instructions wait otherwise than where they stand",
			program([]uint32{0x00002001, 0x10021000, 0x20000002}, move, move),
			"EXEC\n      ALU: MAXv R1 = R2, R2\n      ALU: MAXv R1 = R2, R2\nEXEC_END ADDR(0x2) CNT(0x1) SEQUENCE(0x2)\n",
		},
		{
			"a clause that runs the unit that it stands in", // EXEC_END 0, 1 is met first: unit 1 is data
			program([]uint32{0x00001000, 0x00002000, 0x00000000}, move),
			"EXEC_END ADDR(0x0) CNT(0x1)\nNOP\n.word 0x000f0001, 0x00000000, 0xc2020200\n",
		},
		{
			"instructions in another order than their clauses", // EXEC 2, 1 is met first: two units of clauses
			program([]uint32{0x00001002, 0x10031000, 0x20000000}, []uint32{0, 0, 0}, move, move),
			"EXEC\n      ALU: MAXv R1 = R2, R2\nEXEC_END\n      ALU: MAXv R1 = R2, R2\nNOP\nNOP\n",
		},
		{
			"the second clause runs what stands before that which the first runs", // EXEC 2, 1 and EXEC_END 1, 1
			program([]uint32{0x00001002, 0x10011000, 0x20000000}, move, move),
			"EXEC\n.org 0x2\n      ALU: MAXv R1 = R2, R2\nEXEC_END\n.org 0x1\n      ALU: MAXv R1 = R2, R2\n",
		},
		{
			"no end, and a clause after the program", // EXEC 1, 1 and EXEC 9, 1
			program([]uint32{0x00001001, 0x10091000, 0x10000000}, move),
			".isago unchecked\nEXEC\n      ALU: MAXv R1 = R2, R2\nEXEC ADDR(0x9) CNT(0x1)\n",
		},
		{
			"a jump out of the program", // COND_JMP 77, forced, and EXEC_END 1, 1
			program([]uint32{0x0000204d, 0x1001b000, 0x20000000}, move),
			".isago unchecked\nCOND_JMP ADDR(77) DIR(0) FORCE_CALL\nEXEC_END\n      ALU: MAXv R1 = R2, R2\n",
		},
		{
			"seven instructions in a clause", // EXEC_END 1, 7
			program([]uint32{0x00007001, 0x00002000, 0}, move, move, move, move, move, move, move),
			".isago unchecked\nEXEC_END\n" + strings.Repeat("      ALU: MAXv R1 = R2, R2\n", 7) + "NOP\n",
		},
		{
			"data after the program, and bytes after that",
			append(program([]uint32{0x00001001, 0x00002000, 0}, move, []uint32{1, 2, 3}, []uint32{4}), 5, 6),
			"EXEC_END\n      ALU: MAXv R1 = R2, R2\nNOP\n.word 0x00000001, 0x00000002, 0x00000003\n.word 0x00000004\n.byte 0x05, 0x06\n",
		},
		{"nothing", nil, ".isago unchecked\n"},
		{"less than a unit", bytesOf(1, 2), ".isago unchecked\n.word 0x00000001, 0x00000002\n"},
	} {
		text := toolsFor(t, "", "vs").roundTrip(t, c.data)
		if got := strings.ReplaceAll(text, "\t", " "); got != c.want {
			t.Errorf("%s:\n%s\nexpected\n%s", c.name, got, c.want)
		}
	}
}

// TestBigEndian reads a program as Xenos stores it.
func TestBigEndian(t *testing.T) {
	x := toolsFor(t, "", "vs")
	out, err := x.assemble(t, ".isago big-endian\nEXEC_END\n ALU: MAXv export62 = R0, R0")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	data := out.Bytes()
	want := []byte{0, 0, 0x10, 0x01, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0x0f, 0x80, 0x3e, 0, 0, 0, 0, 0xc2, 0, 0, 0}
	if !bytes.Equal(data, want) {
		t.Errorf("assembled\n%x\nexpected\n%x", data, want)
	}
	if text := x.roundTrip(t, data); !strings.HasPrefix(text, ".isago big-endian\nEXEC_END\n") {
		t.Errorf("disassembled\n%s", text)
	}
}

// TestByteOrder recognises the order of bytes of programs that are less tidy, and takes it as it is said.
func TestByteOrder(t *testing.T) {
	x := toolsFor(t, "", "vs")
	// EXEC 2, 1 and EXEC_END 1, 1 run the instructions in another order than these stand in; the clauses
	// are met first that stand in unit 1.
	words := []uint32{0x00001002, 0x10031000, 0x20000000, 0, 0, 0, 0x000f0001, 0, 0xc2020200, 0x000f0001, 0, 0xc2020200}
	swapped := []uint32{0x00001003, 0x10021000, 0x20000000, 0, 0, 0, 0x000f0001, 0, 0xc2020200, 0x000f0001, 0, 0xc2020200}
	for _, w := range [][]uint32{words, swapped} {
		var little, big []byte
		for _, v := range w {
			little, big = binary.LittleEndian.AppendUint32(little, v), binary.BigEndian.AppendUint32(big, v)
		}
		const mark = ".isago big-endian\n"
		for _, c := range []struct {
			data  []byte
			order string
			big   bool
		}{{little, "", false}, {big, "", true}, {little, "little", false}, {big, "big", true}, {little, "big", true}, {big, "little", false}} {
			text, err := a2xx.SourceOf(x.set, x.ctx, c.data, c.order)
			if err != nil || strings.HasPrefix(string(text), mark) != c.big {
				t.Errorf("%x, order %q: %v\n%s", c.data, c.order, err, text)
			}
			out, err := x.assemble(t, string(text))
			if err != nil || !bytes.Equal(out.Bytes(), c.data) {
				t.Errorf("%x, order %q does not come back: %v", c.data, c.order, err)
			}
		}
	}
	// A program of Adreno without an end: EXEC 1, 1. Its bytes exchanged have clauses that end, but run nothing.
	loose := []byte{0x01, 0x10, 0x02, 0x30, 0x01, 0x19, 0x7c, 0x23, 0xee, 0x77, 0xc9, 0x8e, 0, 0, 0x0a, 0x02, 0x19, 0x02, 0x50, 0x08, 0x02, 0x20, 0x04, 0x0f}
	if text, err := a2xx.SourceOf(x.set, x.ctx, loose, ""); err != nil || strings.HasPrefix(string(text), ".isago big") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := a2xx.SourceOf(x.set, x.ctx, nil, "middle"); err == nil {
		t.Error("there is an order middle")
	}
}

// TestCompiler makes the formats of Outputs, in the spelling and the stage that are asked for.
func TestCompiler(t *testing.T) {
	c, err := a2xx.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	fragments := func(set *isa.Set) (bits.Value, error) {
		return set.ParseContext(set.DefaultContext(), "stage", "fs")
	}
	compile := func(text string, opt program.CompileOptions) (*program.Compiled, error) {
		return c.Compile([]*diag.Source{{Name: "x.a2xx", Text: text}}, opt)
	}
	const move = "EXEC_END\n ALU: MAXv export61 = R0, R0" // a depth, which fragments have
	const want = "00001001 00002000 00000000\n000f803d 00000000 c2000000\n"
	for _, syntax := range []string{"mesa", ""} {
		out, err := compile(move, program.CompileOptions{Format: "hex", Syntax: syntax, Context: fragments})
		if err != nil || string(out.Bytes) != want || len(out.Warnings) != 1 {
			t.Errorf("%q: %v, %v", syntax, out, err)
		}
	}
	if out, err := compile(move, program.CompileOptions{}); err != nil || len(out.Warnings) != 2 {
		t.Errorf("a vertex program that exports a depth: %v, %v", out, err)
	}
	for _, opt := range []program.CompileOptions{{Format: "elf"}, {Syntax: "none"}} {
		if _, err := compile("EXEC_END", opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
	if _, err := compile("EXEC_END\n.byte 1", program.CompileOptions{Format: "hex"}); err == nil {
		t.Error("a byte is a word")
	}
	if _, err := c.Compile(nil, program.CompileOptions{}); err == nil {
		t.Error("no source is a program")
	}
}

// TestEnd ends a program that nothing ends, and fills up its clauses.
func TestEnd(t *testing.T) {
	x := toolsFor(t, "", "vs")
	for source, want := range map[string]string{
		"EXEC\n ALU: MAXv R0 = R1, R1": "EXEC\n      ALU: MAXv R0 = R1, R1\nEXEC_END\n",
		"ALLOC POSITION SIZE(0x0)\nCOND_EXEC_END COND(1)\n ALU: MAXv R0 = R1, R1\nNOP": "ALLOC POSITION SIZE(0x0)\nCOND_EXEC_END COND(1)\n      ALU: MAXv R0 = R1, R1\nNOP\nNOP\n",
	} {
		out, err := x.assemble(t, source)
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		if got := strings.ReplaceAll(x.roundTrip(t, out.Bytes()), "\t", " "); got != want {
			t.Errorf("%s\nbecomes\n%s\nexpected\n%s", source, got, want)
		}
	}
}
