package isa_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
)

func loadXML(t testing.TB, xml string, opt isa.Options) *isa.Set {
	t.Helper()
	fsys := fstest.MapFS{"test.xml": {Data: []byte(xml)}}
	s, err := isa.Load(fsys, "test.xml", opt)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return s
}

// plain compiles a description in plain isaspec. strict compiles a strict description.
func plain(t testing.TB, body string) *isa.Decoder {
	return decoder(t, loadXML(t, `<isa>`+body+`</isa>`, isa.Options{}))
}

func strict(t testing.TB, body string) *isa.Decoder {
	return decoder(t, loadXML(t, `<isa strict="true">`+body+`</isa>`, isa.Options{}))
}

func decoder(t testing.TB, s *isa.Set) *isa.Decoder {
	t.Helper()
	d, err := s.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// row is a word with its text and its findings, joined by ", ". A word that does not decode prints as
// "unknown".
type row struct {
	word        uint64
	text, found string
}

func check(t *testing.T, d *isa.Decoder, rows []row) {
	t.Helper()
	for _, r := range rows {
		in, ok := d.Decode(bits.Of(r.word))
		text := "unknown"
		if ok {
			text = string(d.Append(nil, in))
		}
		var found []string
		for _, f := range d.Findings() {
			found = append(found, f.Text)
		}
		if got := strings.Join(found, ", "); text != r.text || got != r.found {
			t.Errorf("%x\n got %q %q\nwant %q %q", r.word, text, got, r.text, r.found)
		}
	}
}
