package view_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/schematest"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/example"
	"github.com/isago/isago/view"
)

var update = flag.Bool("update", false, "rewrite the files in testdata that end in .golden")

// golden compares with a file of testdata. Escapes are written as \e.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	got = bytes.ReplaceAll(got, []byte("\x1b"), []byte(`\e`))
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: -want +got\n%s", path, diff)
	}
}

func exampleDecoder(t *testing.T) *isa.Decoder {
	t.Helper()
	s, err := example.Load(isa.Options{})
	return newDecoder(t, s, err)
}

func wideDecoder(t *testing.T) *isa.Decoder {
	t.Helper()
	s, err := isa.Load(os.DirFS("testdata"), "wide.xml", isa.Options{})
	return newDecoder(t, s, err)
}

func newDecoder(t *testing.T, s *isa.Set, err error) *isa.Decoder {
	t.Helper()
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// exampleImage returns a program of every instruction, with an unknown word, an ignored bit that is set, an entry, and names that
// must not reach a terminal.
func exampleImage(t *testing.T, d *isa.Decoder) *program.Image {
	t.Helper()
	var data []byte
	for _, w := range []uint16{
		0x2243, // add r1, r2, r3
		0x0001, // nop with an ignored bit set
		0x8603, // brl 3: to word 5
		0x8bfe, // br.eq -2: to word 1
		0xa000, // no instruction
		0x4e1f, // mul r7, r0, -1
		0x6250, // shl with an unexpected bit
		0x80fa, // br 250: out of the program
		0x83f8, // br -8: to word 0
	} {
		data = append(data, byte(w), byte(w>>8))
	}
	im, err := program.Raw(d.Root(), data)
	if err != nil {
		t.Fatal(err)
	}
	im.Format = "test"
	im.Header = []string{"a header", "", "with \x1b[2J escapes"}
	im.Entries = []program.Entry{{Addr: 0, Name: "main"}, {Addr: 5 * 16, Name: "sub\n"}}
	im.Sections = map[int64][]string{5 * 16: {"a section"}}
	return im
}

func TestListing(t *testing.T) {
	d := exampleDecoder(t)
	for _, x := range []struct {
		name     string
		listing  view.Listing
		findings int
	}{
		{"listing", view.Listing{}, 3},
		{"listing-columns", view.Listing{Addresses: true, Words: true}, 3},
		{"listing-quiet", view.Listing{Words: true, Quiet: true}, 3},
		{"listing-bare", view.Listing{Bare: true, Quiet: true}, 3},
		{"listing-colour", view.Listing{Addresses: true, Words: true, Palette: view.Colours}, 3},
		{"listing-print", view.Listing{Print: func(dst []byte, in isa.Inst) []byte { return append(dst, in.Leaf.Name...) }}, 2}, // what printing finds is not looked for
	} {
		l := x.listing
		l.Decoder, l.Image = d, exampleImage(t, d)
		var reported []string
		l.Report = func(addr int64, text string) { reported = append(reported, text) }
		var out bytes.Buffer
		found, err := l.Write(bufio.NewWriter(&out))
		if err != nil || found != x.findings || len(reported) != found {
			t.Errorf("%s: %d findings, %d reported, %v, expected %d", x.name, found, len(reported), err, x.findings)
		}
		golden(t, x.name, out.Bytes())
	}
}

func TestListingWide(t *testing.T) {
	d := wideDecoder(t)
	im := &program.Image{Words: []uint32{
		0xa0000001, 0x12345678, 0x90abcdef, 0x00000007, // set
		0xb0000000, 0, 0, 0x00000001, // jump 1: to the next
		0xb0000000, 0, 0, 0x00000000, // jump 0: to itself
		0, 1, 2, 3, // no instruction
		0xa0000001, 0x12345678, // cut short
	}}
	l := view.Listing{Decoder: d, Image: im, Addresses: true, Words: true}
	var out bytes.Buffer
	found, err := l.Write(bufio.NewWriter(&out))
	if err != nil || found != 2 {
		t.Errorf("%d findings, %v, expected 2", found, err)
	}
	golden(t, "wide", out.Bytes())
}

func TestJSON(t *testing.T) {
	d := exampleDecoder(t)
	im := exampleImage(t, d)
	im.Contents = []program.Part{{Title: "a part", Lines: []string{"a line"}, Data: map[string]int{"lines": 1}}}
	root := schematest.Load(t, "../docs/json.schema.json")
	for _, x := range []struct {
		name   string
		detail view.Detail
	}{{"json", view.Brief}, {"json-fields", view.WithFields}} {
		l := view.Listing{Decoder: d, Image: im, Detail: x.detail}
		var out bytes.Buffer
		found, err := l.WriteJSON(bufio.NewWriter(&out))
		if err != nil || found != 3 {
			t.Errorf("%s: %d findings, %v, expected 3", x.name, found, err)
		}
		golden(t, x.name, out.Bytes())
		checkPlaces(t, out.Bytes())
		root.Check(t, x.name, out.Bytes())
	}
}

// checkPlaces checks that each place in the text is the place of the thing it names.
func checkPlaces(t *testing.T, data []byte) {
	t.Helper()
	var doc struct{ Code []view.Instruction }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for _, in := range doc.Code {
		end := 0
		for _, tok := range in.Tokens {
			if tok.Start != end || tok.End <= tok.Start {
				t.Errorf("%s: a token from %d to %d after one that ends at %d", in.Text, tok.Start, tok.End, end)
			}
			end = tok.End
		}
		if len(in.Tokens) > 0 && end != len(in.Text) {
			t.Errorf("%s: the tokens end at %d", in.Text, end)
		}
		for _, f := range in.Fields {
			if f.Place == nil || f.Type == "branch" { // a branch with a label shows that
				continue
			}
			if got := in.Text[f.Place[0]:f.Place[1]]; got != f.Text {
				t.Errorf("%s: field %s is %q, and %q at its place", in.Text, f.Path, f.Text, got)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	ex, wide := exampleDecoder(t), wideDecoder(t)
	table := make([]bits.Value, 4)
	table[2], table[3] = bits.Of(0x12), bits.Of(0x134)
	wide.SetTable(0, table)
	for _, x := range []struct {
		name   string
		d      *isa.Decoder
		word   string
		nested bool
		p      view.Palette
	}{
		{"explain-add", ex, "2243", false, view.Palette{}},
		{"explain-add-nested", ex, "2243", true, view.Palette{}},
		{"explain-add-colour", ex, "2243", false, view.Colours},
		{"explain-shl", ex, "6250", false, view.Palette{}},
		{"explain-nop", ex, "0001", false, view.Palette{}},
		{"explain-wide", wide, "a00000011234567890abcdef00000007", false, view.Palette{}},
		{"explain-tables", wide, "c0000000000000000000000000000032", false, view.Palette{}},
		{"explain-tables-nested", wide, "c0000000000000000000000000000032", true, view.Palette{}},
	} {
		word, err := bits.ParseHex(x.word)
		if err != nil {
			t.Fatal(err)
		}
		in, ok := x.d.Decode(word)
		if !ok {
			t.Errorf("%s: %s is not an instruction", x.name, x.word)
			continue
		}
		var out bytes.Buffer
		if err := view.Explain(&out, x.d, in, x.p, view.ExplainOptions{Nested: x.nested}); err != nil {
			t.Error(err)
		}
		golden(t, x.name, out.Bytes())
		for line := range strings.Lines(out.String()) {
			if strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
				t.Errorf("%s: blanks at the end of %q", x.name, line)
			}
		}
	}
}

func TestWriteErrors(t *testing.T) {
	d := exampleDecoder(t)
	l := view.Listing{Decoder: d, Image: exampleImage(t, d)}
	for _, write := range []func(*bufio.Writer) (int, error){l.Write, l.WriteJSON} {
		if _, err := write(bufio.NewWriterSize(full{}, 16)); err != errFull {
			t.Errorf("a full disk gives %v", err)
		}
	}
	in, _ := d.Decode(bits.Of(0))
	if err := view.Explain(full{}, d, in, view.Palette{}, view.ExplainOptions{}); err != errFull {
		t.Errorf("a full disk gives %v", err)
	}
}

type full struct{}

var errFull = os.ErrDeadlineExceeded

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "main": "main", `a"b\c`: `a"b\c`, "é 日本": "é 日本", "a\x1b[1m": `a\x1b[1m`, "a\nb\t": `a\nb\t`, "\xff\"": `\xff"`,
	} {
		if got := view.Printable(in); got != want {
			t.Errorf("%q becomes %s, expected %s", in, got, want)
		}
	}
}
