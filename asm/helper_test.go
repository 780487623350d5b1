package asm_test

import (
	"errors"
	"os"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/pica200"
)

// load compiles a description from the content of <isa strict="true">.
func load(t testing.TB, body string) *isa.Set {
	t.Helper()
	return loadXML(t, `<isa name="test" strict="true">`+body+`</isa>`, isa.Options{})
}

func loadXML(t testing.TB, xml string, opt isa.Options) *isa.Set {
	t.Helper()
	fsys := fstest.MapFS{"test.xml": {Data: []byte(xml)}}
	s, err := isa.Load(fsys, "test.xml", opt)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

// loadFile compiles testdata/NAME.xml, or the description of PICA200.
func loadFile(t testing.TB, name string) *isa.Set {
	t.Helper()
	var s *isa.Set
	var err error
	if name == "pica200" {
		s, err = pica200.Load(isa.Options{})
	} else {
		s, err = isa.Load(os.DirFS("testdata"), name+".xml", isa.Options{})
	}
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

// tools holds a decoder and a parser of one root.
type tools struct {
	set *isa.Set
	d   *isa.Decoder
	p   *asm.Parser
}

func toolsFor(t testing.TB, s *isa.Set) *tools {
	t.Helper()
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := asm.New(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return &tools{s, d, p}
}

// print returns the text of a word and its findings. ok is false for an unknown word.
func (x *tools) print(w bits.Value) (text string, in isa.Inst, found []isa.Finding, ok bool) {
	in, ok = x.d.Decode(w)
	if !ok {
		return "", in, x.d.Findings(), false
	}
	text = string(x.d.Append(nil, in))
	return text, in, x.d.Findings(), true
}

func parseHex(t testing.TB, s string) bits.Value {
	t.Helper()
	v, err := bits.ParseHex(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return v
}

// codeOf returns the code of an error of Parse.
func codeOf(err error) string {
	var e *asm.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return ""
}

// row is a text with its word in hexadecimal. The word prints as prints, or as the text itself if prints is empty. A
// row without a word is rejected, and prints is the code of the error.
type row struct{ text, word, prints string }

func (x *tools) rows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		res, err := x.p.Parse(r.text)
		if r.word == "" {
			if codeOf(err) != r.prints {
				t.Errorf("%q is %s with error %v, expected %s", r.text, res.Inst.Bits, err, r.prints)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", r.text, err)
			continue
		}
		if want := parseHex(t, r.word); res.Inst.Bits != want {
			t.Errorf("%q is %s, expected %s", r.text, res.Inst.Bits, want)
		}
		want := r.prints
		if want == "" {
			want = r.text
		}
		if got, _, _, _ := x.print(parseHex(t, r.word)); got != want {
			t.Errorf("%s prints %q, expected %q", r.word, got, want)
		}
	}
}
