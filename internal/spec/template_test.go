package spec

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
)

// items formats the items of a template: text in quotes, references in braces with their optional text, >N for a
// column. A line break is /, followed by one > for each tab of indentation.
func items(list []Item) string {
	var parts []string
	for _, it := range list {
		switch it.Kind {
		case ItemText:
			parts = append(parts, fmt.Sprintf("%q", it.Text))
		case ItemAlign:
			parts = append(parts, fmt.Sprintf(">%d", it.Column))
		case ItemBreak:
			parts = append(parts, "/"+strings.ReplaceAll(it.Text, "\t", ">"))
		case ItemRef:
			s := "{" + it.Ref + "}"
			if it.Before != "" {
				s = fmt.Sprintf("%q?", it.Before) + s
			}
			if it.After != "" {
				s += fmt.Sprintf("?%q", it.After)
			}
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

// display returns the display of a description with one bitset.
func display(t *testing.T, strict, text string) *Template {
	t.Helper()
	isa, err := loadText(`<isa` + strict + `><bitset name="a" size="1"><display>` + text + `</display><pattern pos="0">x</pattern></bitset></isa>`)
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	return isa.Bitsets[0].Cases[0].Displays[""]
}

func TestTemplates(t *testing.T) {
	const plain, strict = "", ` strict="true"`
	for _, c := range []struct{ strict, text, want string }{
		{plain, "", ""},
		{plain, "nop", `"nop"`},
		{plain, "  a  b  ", `"a  b"`},
		{plain, "{NAME} {DST}, {SRC}", `{NAME} " " {DST} ", " {SRC}`},
		{plain, "{A}{B}", "{A} {B}"},
		{plain, "} {A}}", `"} " {A} "}"`},
		{plain, "a &lt;{A}&gt;", `"a <" {A} ">"`},
		{plain, "é{A}·", `"é" {A} "·"`},
		// A comment is removed. Text after an element is not read.
		{plain, "a {<!-- no -->A}<doc/> b", `"a " {A}`},
		// Columns.
		{plain, "{:align=4}a{B:align=12}", `>4 "a" >12 {B}`},
		{plain, "{A:align=}{A:align=x}{A:align=8y}", ">0 {A} >0 {A} >8 {A}"},
		{strict, "{:align=0}{A:align= 24 }", ">0 >24 {A}"},
		// In plain isaspec, anything in braces is a name.
		{plain, "{}", "{}"},
		{plain, "{ A } {A-B} {A:x}", `{ A } " " {A-B} " " {A:x}`},
		{plain, "a {B", `"a {B"`},
		{plain, "{A {B}", "{A {B}"},
		// isago's additions.
		{strict, "{A.B.c} {@stage}", `{A.B.c} " " {@stage}`},
		{strict, "{SAT? }{A}", `{SAT}?" " {A}`},
		{strict, "{{}}", `"{}"`},
		{strict, "a{{{A}}} b", `"a{" {A} "} b"`},
		{strict, "{{{{A}}", `"{{A}"`},
		{strict, "{A}} }}{{ }", `{A} "} }{ }"`},
		{strict, "a {{\n  {A} }}", `"a {" / {A} " }"`},
		{plain, "{{}} {{A}}", `{{} "} " {{A} "}"`},
		{strict, "{A}{, ?B}", `{A} ", "?{B}`},
		{strict, "{A?B}", `{A}?"B"`},
		{strict, "{A?, ?}", `{A}?", ?"`},
		{strict, "{@mark?!}", `{@mark}?"!"`},
		{strict, "{A.B?.}", `{A.B}?"."`},
		{strict, "{A?x:align=9}", `>9 {A}?"x"`},
		// In strict descriptions, a line break and the blanks around it are one item. The lines after the first have a
		// margin, and keep the indentation beyond it.
		{strict, "a {B}\n  \n\tc\n\t{D}", `"a " {B} / "c" / {D}`},
		{strict, "\n  a\n\t\t{B}\n\t\n\tc\n\t\td", `"a" /> {B} / "c" /> "d"`},
		{strict, "a;  \n  b", `"a;" / "b"`},
		{plain, "a\n  b", `"a\n  b"`},
	} {
		if got := items(display(t, c.strict, c.text).Items()); got != c.want {
			t.Errorf("%q%s\n got %s\nwant %s", c.text, c.strict, got, c.want)
		}
	}
}

func TestTemplateSpans(t *testing.T) {
	for _, it := range display(t, ` strict="true"`, "one &amp; {A}\r\n  two<!-- -->{B?x}").Items() {
		got := it.Span.Src.Text[it.Span.Off:it.Span.End]
		want := map[string]string{"one & ": "one &amp; ", "two": "two"}[it.Text]
		switch it.Kind {
		case ItemRef:
			want = map[string]string{"A": "{A}", "B": "{B?x}"}[it.Ref]
		case ItemBreak:
			want = "\r\n"
		}
		if got != want {
			t.Errorf("item %q of %q, want %q", it.Text+it.Ref, got, want)
		}
	}
}

// displays returns the displays of all bitsets with their templates expanded.
func displays(isa *ISA) string {
	var list []string
	for _, b := range isa.Bitsets {
		for _, t := range b.templates() {
			list = append(list, t.Text)
		}
	}
	return strings.Join(list, " | ")
}

func TestTemplatesInDisplays(t *testing.T) {
	bitset := func(name, attrs, display string) string {
		return fmt.Sprintf(`<bitset name=%q size="1"%s><display>%s</display><field name="V" pos="0" type="uint"/></bitset>`, name, attrs, display)
	}
	const (
		in   = `<template name="IN">in {V}</template>`
		out  = `<template name="OUT">[{IN}]</template>`
		self = `<template name="SELF">self {SELF}</template>`
	)
	for _, c := range []struct {
		name, a, b, want string
	}{
		{"plain", "<isa>" + in + bitset("a", "", "{IN}, {IN}; {NAME} {V}") + "</isa>", "", "in {V}, in {V}; {NAME} {V}"},
		// Mesa expands the names in the display itself, one after another.
		{"plain: not inside a template", "<isa>" + in + out + bitset("a", "", "{OUT}") + "</isa>", "", "[{IN}]"},
		{"plain: unless the name follows", "<isa>" + in + out + bitset("a", "", "{OUT} {IN}") + "</isa>", "", "[in {V}] in {V}"},
		{"plain: nor if it stands before", "<isa>" + in + out + bitset("a", "", "{IN} {OUT}") + "</isa>", "", "in {V} [{IN}]"},
		{"plain: itself, twice", "<isa>" + self + bitset("a", "", "{SELF}{SELF}") + "</isa>", "", "self self {SELF}self self {SELF}"},
		{"plain: the later definition", `<isa><template name="T">early</template>` + bitset("a", "", "{T}") + `<template name="T">late</template></isa>`, "", "late"},
		{"plain: any name", `<isa><template name="T:align=9">x</template>` + bitset("a", "", "{T:align=9}{ T:align=9}") + `</isa>`, "", "x{ T:align=9}"},
		// If a bitset has several definitions, only the last has its templates expanded.
		{"plain: last definition", "<isa>" + in + bitset("a", "", "first {IN}") + bitset("a", "", "last {IN}") + "</isa>", "", "first {IN} | last in {V}"},
		// Templates are expanded at the end of each file. The displays of an imported file are expanded again at the end of
		// the importing file.
		{"plain: import", `<isa><import file="b.xml"/>` + in + out + bitset("a", "", "{IN}") + "</isa>", "<isa>" + bitset("b", "", "{OUT}") + "</isa>", "[{IN}] | in {V}"},
		{"plain: import, twice over", `<isa><import file="b.xml"/>` + in + "</isa>", "<isa>" + out + bitset("b", "", "{OUT}") + "</isa>", "[in {V}]"},
		// A strict description expands templates inside templates.
		{"strict", `<isa strict="true">` + out + in + bitset("a", "", "{OUT} {V}") + "</isa>", "", "[in {V}] {V}"},
		{"strict: alias", `<isa strict="true">` + in + `<bitset name="a" size="1"><display>a</display><alias>b {IN}</alias><field name="V" pos="0" type="uint"/></bitset></isa>`, "", "a | b in {V}"},
	} {
		isa, err := Load(fstest.MapFS{"a.xml": {Data: []byte(c.a)}, "b.xml": {Data: []byte(c.b)}}, "a.xml")
		if err != nil {
			t.Errorf("%s: %s", c.name, diag.Render(err))
			continue
		}
		if got := displays(isa); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
