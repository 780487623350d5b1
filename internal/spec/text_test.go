package spec

import (
	"encoding/xml"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/isago/isago/diag"
)

// TestTextPlaces checks that the position of each character is the position of its bytes in the file. The files have
// entities, comments, CDATA sections and several kinds of line ends.
func TestTextPlaces(t *testing.T) {
	pieces := map[string]string{
		"a": "a", "é": "é", " ": " ", "\n": "\n", "\r\n": "\n", "\r": "\n", "&amp;": "&", "&lt;": "<", "&#62;": ">", "&#x1F600;": "😀",
		"<!-- & -->": "", "<![CDATA[<]]>": "<", "<![CDATA[&amp;é]]>": "&amp;é", "<?pi?>": "",
	}
	var raws []string
	for raw := range pieces {
		raws = append(raws, raw)
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.SampledFrom(raws)).Draw(t, "pieces")
		raw := strings.Join(list, "")
		src := &diag.Source{Name: "a.xml", Text: "<doc>" + raw + "</doc>"}
		var want string
		if err := xml.Unmarshal([]byte(src.Text), &want); err != nil {
			t.Fatal(err)
		}
		elements := 0
		root, err := parseXML(src, &elements, "", &arenas{})
		if err != nil {
			t.Fatal(err)
		}
		got := root.text()
		if got.s != strings.Trim(want, blanks) {
			t.Fatalf("text %q, want %q", got.s, want)
		}
		for i, r := range got.s {
			at := got.part(i, i+len(string(r)))
			piece := src.Text[at.Off:at.End]
			if piece != string(r) && pieces[piece] != string(r) {
				t.Fatalf("byte %d of %q, %q, has the position of %q", i, got.s, r, piece)
			}
		}
	})
}

func TestTextReplace(t *testing.T) {
	a := &diag.Source{Name: "a.xml", Text: "one {X} two {X}"}
	b := &diag.Source{Name: "b.xml", Text: "  big & small"}
	src := text{s: a.Text, span: diag.Span{Src: a, End: len(a.Text)}}
	by := text{s: b.Text, span: diag.Span{Src: b, End: len(b.Text)}}.trim()
	got := src.replace(3, by, func(s string) int { return reference(s, "{X}", true) })
	if want := "one big & small two big & small"; got.s != want {
		t.Fatalf("got %q, want %q", got.s, want)
	}
	for _, c := range []struct {
		part, want string
	}{
		{"one", "a.xml:1:1"}, {"big", "b.xml:1:3"}, {"small", "b.xml:1:9"}, {"two", "a.xml:1:9"},
	} {
		i := strings.Index(got.s, c.part)
		span := got.part(i, i+len(c.part))
		if span.String() != c.want || span.Src.Text[span.Off:span.End] != c.part {
			t.Errorf("%s at %s, %q, want %s", c.part, span, span.Src.Text[span.Off:span.End], c.want)
		}
	}
	if at := got.part(len(got.s), len(got.s)); at.String() != "b.xml:1:14" {
		t.Errorf("end at %s", at)
	}
}
