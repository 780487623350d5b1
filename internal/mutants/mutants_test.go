package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/target/example"
	"github.com/isago/isago/vectors"
)

// TestMutants tries mutants of some instructions.
func TestMutants(t *testing.T) {
	for _, opt := range []options{
		{isa: "example", n: 30, seed: 1},
		{isa: "pica200", n: 3, seed: 2, instructions: []string{"add"}},
	} {
		var out strings.Builder
		survived, err := run(context.Background(), &opt, &out)
		if err != nil {
			t.Fatal(err)
		}
		if survived > 0 || strings.Count(out.String(), "killed by ") == 0 {
			t.Errorf("%s: %d mutants survived\n%s", opt.isa, survived, out.String())
		}
	}
}

// TestSites lists the changes of a description.
func TestSites(t *testing.T) {
	const text = `<isa>
<!-- <semantics>a + b</semantics> -->
<file name="r" outside="zero"/>
<semantics fidelity="exact">r[1] = a &lt; 2 ? f(x, -y) : 0.5; // c + d
</semantics>
<function name="f(a: u32): u32"><doc>e + f</doc><![CDATA[if (a.x > 0x1) { trap "g + h"; } return a[3:1];]]></function>
</isa>`
	var got []string
	for _, s := range sites("a.xml", []byte(text)) {
		for _, c := range s {
			got = append(got, c.place([]byte(text))+": "+c.what)
		}
	}
	want := []string{
		`a.xml:3:25: outside="zero" becomes "1"`, `a.xml:3:25: outside="zero" becomes "wrap"`, `a.xml:3:25: outside="zero" becomes "trap"`,
		"a.xml:4:31: 1 becomes 2", "a.xml:4:31: 1 becomes 0",
		"a.xml:4:38: < becomes <=", "a.xml:4:38: < becomes >=", "a.xml:4:43: 2 becomes 3", "a.xml:4:43: 2 becomes 1",
		"a.xml:4:47: the branches of ?: swapped", "a.xml:4:49: arguments of f swapped: x and -y", "a.xml:4:52: - dropped",
		"a.xml:4:58: 0.5 becomes 1.5", "a.xml:4:29: removed: r[1] = a &lt; 2 ? f(x, -y) : 0.5;",
		"a.xml:6:61: the condition negated", "a.xml:6:64: x becomes y", "a.xml:6:66: > becomes >=", "a.xml:6:66: > becomes <=",
		"a.xml:6:68: 0x1 becomes 0x2", "a.xml:6:68: 0x1 becomes 0x0", `a.xml:6:75: removed: trap "g + h";`,
		"a.xml:6:100: 3 becomes 4", "a.xml:6:100: 3 becomes 2", "a.xml:6:102: 1 becomes 2", "a.xml:6:102: 1 becomes 0",
		"a.xml:6:91: removed: return a[3:1];",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range sites("a.xml", []byte(text)) {
		if c := s[0]; c.what == "< becomes <=" && !strings.Contains(string(c.apply([]byte(text))), "a &lt;= 2") {
			t.Errorf("the change is not escaped: %s", c.apply([]byte(text)))
		}
	}
}

// TestVerdicts tries mutants on all vectors of an instruction, and on only one of them.
func TestVerdicts(t *testing.T) {
	files, err := read(example.FS)
	if err != nil {
		t.Fatal(err)
	}
	m, err := open(files, "example.xml")
	if err != nil {
		t.Fatal(err)
	}
	res, err := vectors.Generate(context.Background(), m, vectors.Options{Instructions: []string{"add"}})
	if err != nil {
		t.Fatal(err)
	}
	one := *res.Files[0]
	one.Vectors = one.Vectors[:1]
	one.Vectors[0].Decides = nil
	for _, test := range []struct {
		old, new string
		files    []*vectors.File
		want     kind
		text     string
	}{
		{"return a + b;", "return a - b;", res.Files, dead, "killed by add/"},
		{"return a + b;", "return b + a;", res.Files, same, "equivalent: proved"},
		{"a < 0 ? -32768", "a < 1 ? -32768", res.Files, same, "equivalent"},
		{"return a + b;", "return b - -a;", res.Files, same, "equivalent"},
		{"a < 0 ? -32768", "a < 0 ? 32768", res.Files, same, "equivalent: "},
		{"unsigned", "Unsigned", res.Files, unreached, "NOT REACHED: no word's code changes"},
		{"overflow(a, b)", "carry(a, b)", []*vectors.File{&one}, alive, "SURVIVED: no vector has a word that reveals it"},
		{"return a + b;", "return a + b + (a == 1234 ? 1 : 0);", res.Files, alive, "SURVIVED"},
	} {
		trial, err := newTrial(m, test.files, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		data := strings.ReplaceAll(string(files["example.xml"].Data), test.old, test.new)
		mutant, err := open(fstest.MapFS{"example.xml": {Data: []byte(data)}}, "example.xml")
		if err != nil {
			t.Fatal(err)
		}
		c := change{file: "example.xml", from: strings.Index(string(files["example.xml"].Data), test.old)}
		v, err := trial.try(mutant, &c, false)
		if err != nil || v.kind != test.want || !strings.HasPrefix(v.text, test.text) {
			t.Errorf("%s: got %d %q, %v, expected %q", test.new, v.kind, v.text, err, test.text)
		}
	}
}
