package asm_test

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

// marked returns the tokens, operands and fields of a line, each with its text.
func marked(t *testing.T, x *tools, line string) (tokens, operands, fields []string) {
	t.Helper()
	a, err := x.p.Annotate(line)
	if err != nil {
		t.Errorf("%q: %v", line, err)
		return nil, nil, nil
	}
	for _, k := range a.Tokens {
		tokens = append(tokens, k.Kind.String()+" "+line[k.Start:k.End])
	}
	for _, o := range a.Operands {
		if o.Start >= 0 {
			operands = append(operands, o.Name+" "+line[o.Start:o.End])
		}
	}
	for _, f := range a.Fields {
		if f.Start >= 0 {
			fields = append(fields, f.Path+" "+line[f.Start:f.End])
		}
	}
	return tokens, operands, fields
}

// TestAnnotate checks the places of parts in texts that differ from the printed text.
func TestAnnotate(t *testing.T) {
	for _, c := range []struct{ machine, line, tokens, operands string }{
		{"pica200", "add r1, -c3.x, r2", "mnemonic add|register r1|punctuation ,|modifier -|register c3|punctuation .|modifier x|punctuation ,|register r2", "D r1|A -c3.x|B r2"},
		{"pica200", "  add  r1 ,-  c0x3.x,r2 ; c4", "mnemonic add|register r1|punctuation ,|modifier -|register c0x3|punctuation .|modifier x|punctuation ,|register r2", "D r1|A -  c0x3.x|B r2"},
		{"example", "LSL R0,s1,0x0a // an alias", "mnemonic LSL|register R0|punctuation ,|register s1|punctuation ,|immediate 0x0a", "DST R0|A s1|N 0x0a"},
		{"example", "br.z loop", "mnemonic br|modifier .z|label loop", "COND .z|TARGET loop"},
	} {
		s, err := isa.Load(os.DirFS("../target/"+c.machine), c.machine+".xml", isa.Options{})
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		x := toolsFor(t, s)
		x.p.Symbol = func(name string) (int64, bool) { return 64, name == "loop" }
		tokens, operands, _ := marked(t, x, c.line)
		if got := strings.Join(tokens, "|"); got != c.tokens {
			t.Errorf("%q: tokens %s, expected %s", c.line, got, c.tokens)
		}
		if got := strings.Join(operands, "|"); got != c.operands {
			t.Errorf("%q: operands %s, expected %s", c.line, got, c.operands)
		}
	}
}

// TestAnnotatePrinted checks that the parts of a printed line are where the decoder prints them.
func TestAnnotatePrinted(t *testing.T) {
	for _, c := range []struct{ dir, file string }{
		{"../target/pica200", "pica200.xml"}, {"../target/tegra", "tegra.xml"}, {"../target/a2xx", "a2xx.xml"},
		{"../target/example", "example.xml"}, {"../target/tesla", "tesla.xml"}, {"../internal/testgpu/heron", "heron.xml"},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := isa.Load(os.DirFS(c.dir), c.file, isa.Options{})
			if err != nil {
				t.Fatal(diag.Render(err))
			}
			x := toolsFor(t, s)
			r := rand.New(rand.NewSource(1))
			for range 200 {
				line := printedLine(x, r)
				a, err := x.p.Annotate(line)
				if err != nil {
					t.Errorf("%q: %v", line, err)
					continue
				}
				text, _, _, ok := x.print(a.Inst.Bits)
				if !ok || text != line {
					continue // entries of tables, and text that another instruction prints
				}
				in, _ := x.d.Decode(a.Inst.Bits)
				_, tokens := x.d.AppendTokens(nil, nil, in)
				_, operands := x.d.AppendOperands(nil, nil, in)
				fields := x.d.Fields(nil, in)
				want, got := []string{}, []string{}
				for i := range operands {
					if operands[i].End > operands[i].Start {
						want = append(want, fmt.Sprint(operands[i].Name, operands[i].Start, operands[i].End))
						got = append(got, fmt.Sprint(a.Operands[i].Name, a.Operands[i].Start, a.Operands[i].End))
					}
				}
				for i := range fields {
					if fields[i].End > fields[i].Start {
						want = append(want, fmt.Sprint(fields[i].Path, fields[i].Start, fields[i].End))
						got = append(got, fmt.Sprint(a.Fields[i].Path, a.Fields[i].Start, a.Fields[i].End))
					}
				}
				for _, k := range tokens {
					if k.Kind != isa.TokenPunctuation { // without the blanks around the token
						k.End -= len(line[k.Start:k.End]) - len(strings.TrimRight(line[k.Start:k.End], " "))
						k.Start += len(line[k.Start:k.End]) - len(strings.TrimLeft(line[k.Start:k.End], " "))
						want = append(want, fmt.Sprint(k))
					}
				}
				for _, k := range a.Tokens {
					if k.Kind != isa.TokenPunctuation {
						got = append(got, fmt.Sprint(k))
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%q:\n got %s\nwant %s", line, got, want)
				}
			}
		})
	}
}
