package spec

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/diagtest"
)

// loadText loads a description of one file, a.xml.
func loadText(text string) (*ISA, error) {
	return Load(fstest.MapFS{"a.xml": {Data: []byte(text)}}, "a.xml")
}

// strict returns a strict description with the elements.
func strict(elements string) string { return `<isa strict="true">` + elements + `</isa>` }

// large are descriptions that exceed a limit.
var large = []struct {
	name, want string
	text       func() string
}{
	{"empty", "a.xml:1:1: a.xml is not a description, expected XML with <isa> at the top [xml-syntax]", func() string { return "" }},
	{"byte order mark", `a.xml:1:8: text "x" outside the root element [xml-syntax]`, func() string { return "\uFEFF<isa/> x" }},
	{"bytes", "a.xml:1:1: description larger than 8388608 bytes [xml-limit]", func() string {
		return "<isa>" + strings.Repeat(" ", MaxBytes) + "</isa>"
	}},
	{"elements", "a.xml:1:1200000: more than 200000 elements [xml-limit]", func() string {
		return "<isa>" + strings.Repeat("<doc/>", MaxElements) + "</isa>"
	}},
	{"depth", "a.xml:1:321: elements nested more than 64 deep [xml-limit]", func() string {
		return "<isa>" + strings.Repeat("<doc>", 64)
	}},
	{"attributes", "a.xml:1:524: more than 64 attributes [xml-limit]", func() string {
		var b strings.Builder
		b.WriteString("<isa>\n<enum")
		for i := range 65 {
			fmt.Fprintf(&b, ` a%02d="x"`, i)
		}
		return strings.Replace(b.String(), "\n", "", 1) + "/></isa>"
	}},
	{"bitsets", "a.xml:16386:1: more than 16384 bitsets [xml-limit]", func() string {
		return "<isa>\n" + strings.Repeat("<bitset name='a' size='1'/>\n", MaxBitsets+1) + "</isa>"
	}},
	{"elements of a bitset", "a.xml:2:1: more than 4096 elements inside <bitset> [xml-limit]", func() string {
		return "<isa>\n<bitset name='a' size='1'>" + strings.Repeat("<field name='b' pos='0' type='uint'/>", MaxInside+1) + "</bitset></isa>"
	}},
	{"nodes of an expression", "a.xml:1:1026: expression with more than 1000 operators and operands [expr-syntax]", func() string {
		return `<isa><expr name="#long">1` + strings.Repeat("+1", MaxExprNodes+10) + `</expr></isa>`
	}},
	{"display", "a.xml:1:55: display larger than 16384 bytes [xml-limit]", func() string {
		return strict(`<bitset name="a" size="1"><display>` + strings.Repeat("a", MaxDisplay+1) + `</display><pattern pos="0">x</pattern></bitset>`)
	}},
	{"mistakes", "too many errors; only the first 100 are shown [xml-limit]", func() string {
		return strict(strings.Repeat("<enum/>\n", 103))
	}},
	{"templates that double, strict", "a.xml:16:22: display larger than 16384 bytes after expansion of its templates [xml-limit]", func() string {
		return `<isa strict="true">` + "\n" + doubling(15) + `<bitset name="a" size="1"><display>{T14}</display><pattern pos="0">x</pattern></bitset></isa>`
	}},
	{"templates that double, plain", "a.xml:4:36: display larger than 16384 bytes after expansion of its templates [xml-limit]", func() string {
		return "<isa>\n<template name='A'>{A}{A}</template>\n\n" +
			`<bitset name="a" size="1"><display>` + strings.Repeat("{A}", 64) + `</display><pattern pos="0">x</pattern></bitset></isa>`
	}},
	{"displays in all", "a.xml:1201:40: displays larger than 8388608 bytes in total after expansion of their templates [xml-limit]", func() string {
		// 7,000 bytes for each display: the 1,199th exceeds 8 MiB.
		var b strings.Builder
		b.WriteString("<isa>\n<template name='A'>" + strings.Repeat("a", 7000) + "</template>\n")
		for i := range 2000 {
			fmt.Fprintf(&b, `<bitset name="a%04d" size="1"><display>{A}</display><pattern pos="0">x</pattern></bitset>`+"\n", i)
		}
		return b.String() + "</isa>"
	}},
}

// doubling returns templates T0 to Tn-1. Each contains the previous one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("<template name='T0'>xy</template>\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "<template name='T%d'>{T%d}{T%d}</template>\n", i, i-1, i-1)
	}
	return b.String()
}

func TestErrors(t *testing.T) {
	wanted := diagtest.Check(t, "testdata/err_*.xml", func(file, _ string) error {
		_, err := Load(os.DirFS("testdata"), file)
		return err
	})
	for _, c := range large {
		wanted = append(wanted, c.want)
		t.Run(c.name, func(t *testing.T) {
			_, err := loadText(c.text())
			if got := diagtest.Lines(err); !slices.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got[:min(len(got), 3)], "\n     "), c.want)
			}
		})
	}
	files := fstest.MapFS{}
	for i := range 300 {
		files[fmt.Sprintf("%d.xml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, `<isa><import file="%d.xml"/></isa>`, i+1)}
	}
	_, err := Load(files, "0.xml")
	want := "255.xml:1:20: more than 256 files [xml-limit]"
	wanted = append(wanted, want)
	if got := diagtest.Lines(err); !slices.Equal(got, []string{want}) {
		t.Errorf("got %s, want %s", got, want)
	}
	diagtest.Covers(t, wanted)
	codes := diagtest.Codes(wanted)
	for _, code := range []diag.Code{
		diag.XMLSyntax, diag.XMLElement, diag.XMLAttribute, diag.XMLLimit, diag.BitRange, diag.BitOverlap, diag.BitMissing,
		diag.PatternText, diag.Duplicate, diag.Unresolved, diag.Extends, diag.ExprSyntax, diag.TemplateText, diag.FieldType, diag.ContextValue,
	} {
		if !codes[code] {
			t.Errorf("no test wants an error of code %s", code)
		}
	}
}

// TestLoadWithoutFile checks that for a missing file, Load returns the error of the file system.
func TestLoadWithoutFile(t *testing.T) {
	_, err := Load(fstest.MapFS{}, "gone.xml")
	if err == nil || !strings.Contains(err.Error(), "gone.xml") {
		t.Errorf("got %v", err)
	}
}

// TestQuotesOnlyDescriptions checks that an error does not quote text unless it is XML with <isa> at the top, because
// --spec and imports can name any file.
func TestQuotesOnlyDescriptions(t *testing.T) {
	const top = `<isa><import file="b.xml"/></isa>`
	for _, c := range []struct{ text, want string }{
		{"root:x:secret\n", "b.xml is not a description, expected XML with <isa> at the top"},
		{"\x7fELF secret\x00", "b.xml is not a description, expected XML with <isa> at the top"},
		{"", "b.xml is not a description, expected XML with <isa> at the top"},
		{"<?secret", "b.xml is not a description, expected XML with <isa> at the top"},
		{"<VirtualHost secret>\n", "b.xml is not a description, expected XML with <isa> at the top"},
		{"<isabel secret>", "b.xml is not a description, expected XML with <isa> at the top"},
		{"<?xml version='1.0'?><!-- secret -->\n<!DOCTYPE isa>\n<isa name=secret/>", "unquoted or missing attribute value"},
	} {
		files := fstest.MapFS{"a.xml": {Data: []byte(top)}, "b.xml": {Data: []byte(c.text)}}
		for _, name := range []string{"a.xml", "b.xml"} {
			_, err := Load(files, name)
			text := diag.Render(err)
			if !strings.Contains(text, c.want) || strings.Contains(text, "secret") != strings.HasSuffix(c.text, "<isa name=secret/>") {
				t.Errorf("%q, loaded as %s: %s", c.text, name, text)
			}
		}
	}
}
