package asm_test

import (
	"testing"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
)

// contextXML has a stage that the caller chooses, and a mark and a mode that belong to the text.
// The word of contexts: stage in bit 0, mark in bit 1, mode in bits 2 and 3.
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
		{s.DefaultContext(), "op 3", 0x3, 0b10_0_0, ""}, // what the text does not say has its default
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

// TestContextSuffix prints an instruction whose text does not show a context that belongs to it.
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
