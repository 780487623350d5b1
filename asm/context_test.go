package asm_test

import (
	"fmt"
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// contextXML has a stage that the caller chooses, and a mark and a mode that belong to the text. In the contexts, the
// stage is bit 0, the mark bit 1, the mode bits 2 and 3.
const contextXML = `
	<enum name="#stage"><value val="0" display="vertex"/><value val="1" display="fragment"/></enum>
	<enum name="#mode"><value val="0" display="" name="none"/><value val="1" display=".m1"/><value val="2" display=".m2"/></enum>
	<context name="stage" type="#stage" default="vertex"/>
	<context name="mark" type="bool" default="false" bind="text"/>
	<context name="mode" type="#mode" default=".m2" bind="text"/>
	<bitset name="#instruction" size="4"/>
	<bitset name="op" extends="#instruction">
		<override><expr>{@mark}</expr><display>op* {N}</display></override>
		<display>op {N}</display>
		<pattern low="2" high="3">00</pattern>
		<field name="N" low="0" high="1" type="uint"/>
	</bitset>
	<bitset name="tex" extends="#instruction">
		<display>tex{@mode} {N}</display>
		<require>{@stage} == #stage.fragment</require>
		<pattern low="2" high="3">01</pattern>
		<field name="N" low="0" high="1" type="uint"/>
	</bitset>
	<bitset name="fetch" extends="#instruction">
		<display>fetch {N}</display>
		<require>{@stage} == #stage.vertex</require>
		<pattern low="2" high="3">01</pattern>
		<field name="N" low="0" high="1" type="uint"/>
	</bitset>
	<bitset name="pos" extends="#instruction">
		<override><expr>{@stage} == #stage.fragment</expr><display>frag {N}</display></override>
		<display>vert {N}</display>
		<pattern low="2" high="3">10</pattern>
		<field name="N" low="0" high="1" type="uint"/>
	</bitset>`

func TestContexts(t *testing.T) {
	s := load(t, contextXML)
	x := toolsFor(t, s)
	fragment, err := s.ParseContext(s.DefaultContext(), "stage", "fragment")
	if err != nil {
		t.Fatal(err)
	}
	if want := bits.Of(0b10_0_0); s.DefaultContext() != want || fragment != bits.Of(0b10_0_1) {
		t.Fatalf("the contexts are %s by default, then %s", s.DefaultContext(), fragment)
	}
	for _, r := range []struct {
		stage     bits.Value
		text      string
		word, ctx uint64
		code      string
	}{
		{s.DefaultContext(), "op 3", 0x3, 0b10_0_0, ""}, // contexts that the text does not specify have their defaults
		{s.DefaultContext(), "op* 3", 0x3, 0b10_1_0, ""},
		{s.DefaultContext(), "fetch 1", 0x5, 0b10_0_0, ""},
		{s.DefaultContext(), "tex 1", 0, 0, "text-condition"},
		{s.DefaultContext(), "vert 1", 0x9, 0b10_0_0, ""},
		{s.DefaultContext(), "frag 1", 0, 0, "text-condition"},
		{fragment, "vert 1", 0, 0, "text-condition"},
		{fragment, "frag 1", 0x9, 0b10_0_1, ""},
		{fragment, "tex 1", 0x5, 0b00_0_1, ""},
		{fragment, "tex.m1 1", 0x5, 0b01_0_1, ""},
		{fragment, "tex.m2 1", 0x5, 0b10_0_1, ""},
		{fragment, "fetch 1", 0, 0, "text-condition"},
	} {
		x.p.SetContext(r.stage)
		res, err := x.p.Parse(r.text)
		if codeOf(err) != r.code {
			t.Errorf("%q: %v, expected %q", r.text, err, r.code)
			continue
		}
		if err != nil {
			continue
		}
		if res.Inst.Bits != bits.Of(r.word) || res.Context != bits.Of(r.ctx) {
			t.Errorf("%q is %s in %s, expected %x in %x", r.text, res.Inst.Bits, res.Context, r.word, r.ctx)
		}
		x.d.SetContext(bits.Of(r.ctx))
		if text, _, _, _ := x.print(bits.Of(r.word)); text != r.text {
			t.Errorf("%x in %x prints %q, expected %q", r.word, r.ctx, text, r.text)
		}
	}
}

// TestContextSuffix prints an instruction whose text does not show one of its contexts.
func TestContextSuffix(t *testing.T) {
	s := load(t, contextXML)
	x := toolsFor(t, s)
	l := asm.NewLossless(x.d, x.p)
	for _, r := range []struct {
		word, ctx uint64
		text      string
	}{
		{0x3, 0b10_0_0, "op 3"},
		{0x3, 0b01_0_0, "op 3 {@mode=0x1}"},
		{0x9, 0b10_1_0, "vert 1 {@mark=0x1}"},
	} {
		x.d.SetContext(bits.Of(r.ctx))
		in, _ := x.d.Decode(bits.Of(r.word))
		text, ok := l.Append(nil, in)
		if !ok || string(text) != r.text {
			t.Errorf("%x in %x prints %q, expected %q", r.word, r.ctx, text, r.text)
		}
		res, err := x.p.Parse(r.text)
		if err != nil || res.Inst.Bits != bits.Of(r.word) || res.Context != bits.Of(r.ctx) {
			t.Errorf("%q is %s in %s (%v), expected %x in %x", r.text, res.Inst.Bits, res.Context, err, r.word, r.ctx)
		}
	}
}

// TestRemark checks that a remark is printed only if the decoder prints remarks, and that text without the remark is
// parsed.
func TestRemark(t *testing.T) {
	s := load(t, `
	<text comment=";"/>
	<enum name="#role"><value val="0" display="zero"/><value val="1" display="" name="none"/></enum>
	<bitset name="#instruction" size="4">
		<display>op {A}{ROLE}
			and {B}</display>
		<field name="A" low="0" high="1" type="uint"/>
		<field name="B" low="2" high="3" type="uint"/>
		<derived name="ROLE" type="#role" remark="true"><expr>{A} != 0</expr></derived>
	</bitset>`)
	x := toolsFor(t, s)
	for _, r := range []struct {
		word          uint64
		plain, remark string
	}{
		{0x4, "op 0 and 1", "op 0\t; zero\nand 1"},
		{0x6, "op 2 and 1", "op 2\nand 1"},
	} {
		x.d.Remarks, x.d.Lines = false, false
		if text, _, _, _ := x.print(bits.Of(r.word)); text != r.plain {
			t.Errorf("%x prints %q, expected %q", r.word, text, r.plain)
		}
		x.d.Remarks, x.d.Lines = true, true
		if text, _, _, _ := x.print(bits.Of(r.word)); text != r.remark {
			t.Errorf("%x prints %q, expected %q", r.word, text, r.remark)
		}
		if res, err := x.p.Parse(r.plain); err != nil || res.Inst.Bits != bits.Of(r.word) {
			t.Errorf("%q is %s: %v", r.plain, res.Inst.Bits, err)
		}
	}
}

// TestSeveralRoots has two kinds of instructions. An operand, defined before both, needs a name of the second.
func TestSeveralRoots(t *testing.T) {
	s := load(t, `
	<bitset name="#operand" size="2">
		<override expr="{WIDE}"><display>w{N}</display></override>
		<display>r{N}</display>
		<field name="N" low="0" high="1" type="uint"/>
	</bitset>
	<bitset name="#first" size="4"><display>first {A}</display><field name="A" low="0" high="3" type="uint"/></bitset>
	<bitset name="#second" size="3">
		<display>second {B}</display>
		<field name="WIDE" pos="2" type="bool"/>
		<field name="B" low="0" high="1" type="#operand"><param name="WIDE"/></field>
	</bitset>`)
	for _, x := range []struct {
		root, text string
		word       uint64
	}{{"", "first 9", 9}, {"first", "first 9", 9}, {"second", "second r3", 3}, {"second", "second w3", 7}} {
		p, err := asm.New(s, x.root)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := p.Parse(x.text); err != nil || res.Inst.Bits != bits.Of(x.word) {
			t.Errorf("%q is %s, expected %x: %v", x.text, res.Inst.Bits, x.word, err)
		}
	}
}

// TestPlainName selects the default syntax by its name.
func TestPlainName(t *testing.T) {
	const xml = `<isa name="test" strict="true"><text syntax="long"/>
	<bitset name="#instruction" size="4">
		<display>number {N}</display>
		<display syntax="short">n{N}</display>
		<field name="N" low="0" high="3" type="uint"/>
	</bitset></isa>`
	for syntax, text := range map[string]string{"": "number 3", "long": "number 3", "short": "n3"} {
		s := loadXML(t, xml, isa.Options{Syntax: syntax})
		x := toolsFor(t, s)
		if got, _, _, _ := x.print(bits.Of(3)); got != text || s.DefaultSyntax() != "long" {
			t.Errorf("%q prints %q, expected %q", syntax, got, text)
		}
	}
}

// TestContextOfSuffix checks that a suffix sets a context only for its own line, even if the line repeats.
func TestContextOfSuffix(t *testing.T) {
	x := toolsFor(t, load(t, `<context name="m" type="bool" default="false"/>
		<bitset name="#instruction" size="8"><override><expr>{@m}</expr><display>on {V}</display></override><display>off {V}</display>
			<field name="V" low="0" high="7" type="uint"/></bitset>`))
	for i := range 8 {
		for text, want := range map[string]bits.Value{"off 1 {@m=0x1}": bits.Of(1), fmt.Sprintf("off %d", 2+i): {}} {
			if res, err := x.p.Parse(text); err != nil || res.Context != want {
				t.Errorf("%q has the context %s, %v, expected %s", text, res.Context, err, want)
			}
		}
	}
}
