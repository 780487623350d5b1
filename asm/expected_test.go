package asm_test

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// accepts reports whether one of the expected pieces is at the start of the text that follows a column.
func accepts(list []asm.Expected, line string, column int) bool {
	return slices.ContainsFunc(list, func(x asm.Expected) bool {
		rest := line[x.Off:]
		if x.Off == column && x.Kind != asm.ExpectedBlank && !strings.HasPrefix(x.Text, " ") {
			rest = strings.TrimLeft(rest, " ")
		}
		switch x.Kind {
		case asm.ExpectedEnd:
			return strings.TrimSpace(rest) == ""
		case asm.ExpectedNumber, asm.ExpectedTarget:
			return rest != "" && strings.ContainsAny(rest[:1], "+-0123456789abcdefni")
		}
		return strings.HasPrefix(rest, x.Text)
	})
}

// checkExpected checks that Expected returns what follows in a line after each prefix, and that each piece is part of
// an instruction.
func checkExpected(t *testing.T, p *asm.Parser, line string, step int) {
	t.Helper()
	for column := 0; column <= len(line); column += step {
		list := p.Expected(line, column)
		if !accepts(list, line, column) {
			t.Errorf("%q at %d: expected %s", line, column, brief(list))
		}
		for _, x := range list {
			res, err := p.Parse(x.Example)
			if err != nil || res.Inst.Leaf != x.Leaf || !strings.HasPrefix(x.Example, line[:x.Off]+x.Text) {
				t.Errorf("%q at %d: %s %q: example %q: %v", line, column, x.Kind, x.Text, x.Example, err)
			}
		}
	}
}

// TestExpectedPrefixes checks Expected with printed instructions of all machines.
func TestExpectedPrefixes(t *testing.T) {
	for _, c := range []struct {
		dir, file string
		n, step   int
	}{
		{"../target/pica200", "pica200.xml", 40, 1},
		{"../target/tegra", "tegra.xml", 6, 1},
		{"../target/a2xx", "a2xx.xml", 4, 7},
		{"../target/example", "example.xml", 40, 1},
		{"../target/tesla", "tesla.xml", 6, 5},
		{"../internal/testgpu/heron", "heron.xml", 20, 1},
		{"testdata", "fast.xml", 40, 1},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			x, r := toolsFor(t, s), rand.New(rand.NewSource(1))
			for range c.n {
				checkExpected(t, x.p, strings.Join(strings.Fields(printedLine(x, r)), " "), c.step)
			}
		})
	}
}

// TestExpected checks the structure of the pieces for the machine of the template.
func TestExpected(t *testing.T) {
	s, err := isa.Load(os.DirFS("../target/example"), "example.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	x := toolsFor(t, s)
	x.p.Symbol = func(name string) (int64, bool) { return 0, name == "loop" }
	for _, c := range []struct{ line, want string }{
		{"", "0 word nop; 0 word add; 0 word mul; 0 word shl; 0 word br; 0 word lsl"},
		{"S", "0 word shl"},
		{"add", "3 blank"},
		{"add r", "5 number N 0 to 7"},
		{"add r7", "5 number N 0 to 7; 6 word ,"},
		{"add r1, s2, ", "12 number B -8 to 7; 12 word r; 12 word s"},
		{"br.", "2 word .al; 2 word .eq; 2 word .lt; 2 word .ne; 2 word .z"},
		{"br.eq ", "6 target TARGET -256 to 255"},
		{"br loop", "3 target TARGET -256 to 255; 7 end"},
		{"add r1, r2, 3 // r", ""},
		{"add r9", "5 number N 0 to 7"},
	} {
		var got []string
		for _, p := range x.p.Expected(c.line, len(c.line)) {
			text := fmt.Sprint(p.Off, " ", p.Kind)
			switch p.Kind {
			case asm.ExpectedWord:
				text += " " + p.Text
			case asm.ExpectedNumber, asm.ExpectedTarget:
				text += " " + p.Field + " " + p.Range.String()
			}
			got = append(got, text)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.line, strings.Join(got, "; "), c.want)
		}
	}
}

// TestExpectedKeepsParser checks that Expected does not change what the parser does with the next line.
func TestExpectedKeepsParser(t *testing.T) {
	x, r := toolsFor(t, loadFile(t, "pica200")), rand.New(rand.NewSource(3))
	table := &asm.GrowingTable{Size: 128}
	x.p.Tables[0] = table
	fresh := toolsFor(t, x.set)
	other := &asm.GrowingTable{Size: 128}
	fresh.p.Tables[0] = other
	for range 50 {
		line := printedLine(toolsFor(t, x.set), r)
		x.p.Expected(line, r.Intn(len(line)+1))
		got, err := x.p.Parse(line)
		want, wantErr := fresh.p.Parse(line)
		if got.Inst != want.Inst || fmt.Sprint(err) != fmt.Sprint(wantErr) || len(table.Entries) != len(other.Entries) {
			t.Fatalf("%q is %v, %v after Expected, and otherwise %v, %v", line, got, err, want, wantErr)
		}
	}
}

func brief(list []asm.Expected) (words []string) {
	list = list[:min(len(list), 20)]
	for _, x := range list {
		words = append(words, fmt.Sprintf("%d %s %q", x.Off, x.Kind, x.Text))
	}
	return words
}

// printedLine returns a random instruction that prints without a finding and can be parsed.
func printedLine(x *tools, r *rand.Rand) string {
	for {
		if line, ok := someLine(x, r); ok {
			return line
		}
	}
}

// someLine is like printedLine, but tries only a few words. ok is false if it finds no instruction.
func someLine(x *tools, r *rand.Rand) (line string, ok bool) {
	leaves := x.d.Root().Leaves
	for range 20 {
		l := leaves[r.Intn(len(leaves))]
		var w bits.Value
		for i := range w {
			w[i] = r.Uint64() & r.Uint64()
		}
		text, _, found, ok := x.print(w.And(bits.Ones(l.Size)).AndNot(l.Mask.Or(l.DontCare)).Or(l.Match))
		if ok && len(found) == 0 {
			if _, ok := x.p.Try(text); ok {
				return text, true
			}
		}
	}
	return "", false
}

// TestExpectedInvented checks Expected with printed instructions of generated descriptions.
func TestExpectedInvented(t *testing.T) {
	asm.EachInvented(t, 40, func(t *testing.T, s *isa.Set, _ string, seed int64) {
		x, r := toolsFor(t, s), rand.New(rand.NewSource(seed))
		for range 4 {
			if line, ok := someLine(x, r); ok {
				checkExpected(t, x.p, line, 1)
			}
		}
	})
}
