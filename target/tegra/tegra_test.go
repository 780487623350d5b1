package tegra_test

import (
	"os"
	"strings"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/tegra"
)

// tools returns a decoder and a parser for a spelling.
func tools(t testing.TB, syntax string) (*isa.Decoder, *asm.Parser) {
	t.Helper()
	set, err := tegra.Load(isa.Options{Syntax: syntax})
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
	return d, p
}

// TestWords prints every operation, option and form of a source, and reads each text back.
func TestWords(t *testing.T) {
	d, p := tools(t, "")
	data, err := os.ReadFile("testdata/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if line[0] == '#' {
			continue
		}
		hex, want, _ := strings.Cut(line, "\t")
		word, err := bits.ParseHex(strings.ReplaceAll(hex, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		in, ok := d.Decode(word)
		if !ok {
			t.Errorf("%s is unknown", hex)
			continue
		}
		if got := string(d.Append(nil, in)); got != want || len(d.Findings()) > 0 {
			t.Errorf("%s\n got %q %v\nwant %q", hex, got, d.Findings(), want)
		}
		if res, err := p.Parse(want); err != nil || res.Inst.Bits != word {
			t.Errorf("%s\nis read as %s, %v, expected %s", want, res.Inst.Bits, err, word)
		}
		for _, f := range d.Fields(nil, in) {
			shown[f.Type+" "+f.Value.String()] = true
		}
	}
	// Every leaf of both units.
	for _, root := range []string{"vector", "scalar"} {
		r, err := d.Set().Root(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Leaves {
			if !shown["#"+root+" "+l.Match.String()] {
				t.Errorf("no row has a %s", l.Name)
			}
		}
	}
}

// TestDocumented walks the description: every field and operation has its documentation, and of every
// kind of operand each leaf.
func TestDocumented(t *testing.T) {
	d, _ := tools(t, "")
	for _, r := range d.Set().Roots() {
		for _, l := range r.Leaves {
			if inside.Leaf(l).Spec.Doc == "" {
				t.Errorf("%s has no documentation", l.Name)
			}
			for b := inside.Leaf(l).Spec; b != nil; b = b.Extends {
				for _, c := range b.Cases {
					for _, f := range c.Fields {
						if f.Doc == "" {
							t.Errorf("%s of %s has no documentation", f.Name, b.Name)
						}
					}
				}
			}
		}
	}
}

// TestSpellings prints the operations that the seed page calls otherwise, and reads them back. One
// name means different operations in the two spellings.
func TestSpellings(t *testing.T) {
	for _, x := range []struct{ grate, seed string }{
		{"ARAv r0.xyzw NOPs", "MVAv r0.xyzw NOPs"},
		{"PUSHAv NOPs", "PSHv NOPs"},
		{"POPAv NOPs", "POPv NOPs"},
		{"NOPv BRXs r1.x***, r2.xyzw", "NOPv BRAs r1.x***, r2.xyzw"},
		{"NOPv BRAs 7", "NOPv BRIs 7"},
		{"NOPv CLAs r1.x***, r2.xyzw", "NOPv CLAs r1.x***, r2.xyzw"},
		{"NOPv CALs 7", "NOPv CLIs 7"},
		{"NOPv PUSHAs", "NOPv PUSHAs"},
		{"NOPv POPAs", "NOPv POPAs"},
	} {
		const options = "EXEC(export[31]=scalar)(cr=0)(p.xyzw) "
		words := map[string]bits.Value{}
		for syntax, text := range map[string]string{"": x.grate, "grate": x.grate, "seed": x.seed} {
			d, p := tools(t, syntax)
			text = options + text + " ;"
			res, err := p.Parse(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			words[syntax] = res.Inst.Bits
			if got := string(d.Append(nil, res.Inst)); got != text {
				t.Errorf("syntax %q: %q is printed as %q", syntax, text, got)
			}
		}
		if words["seed"] != words[""] || words["grate"] != words[""] {
			t.Errorf("%s is %v", x.grate, words)
		}
	}
	for syntax, text := range map[string]string{"": "EXEC MVAv r0.xyzw;", "seed": "EXEC ARAv r0.xyzw;"} {
		_, p := tools(t, syntax)
		if _, err := p.Parse(text); err == nil {
			t.Errorf("syntax %q: %s is read", syntax, text)
		}
	}
}
