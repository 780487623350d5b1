package spec

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/diagtest"
)

// TestRemarks checks that a plain description with flaws loads with remarks.
func TestRemarks(t *testing.T) {
	data, err := os.ReadFile("testdata/remarks.xml")
	if err != nil {
		t.Fatal(err)
	}
	isa, err := Load(os.DirFS("testdata"), "remarks.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	isa.Remarks.Sort()
	got, want := diagtest.Lines(isa.Remarks), diagtest.Wanted(string(data), "remark")
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestEverythingIsEverything checks that everything.xml has each element and each attribute that the rules allow.
func TestEverythingIsEverything(t *testing.T) {
	var seen = map[string]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		seen[n.name] = true
		for _, a := range n.attrs {
			seen[n.name+" "+a.name] = true
		}
		for _, c := range n.children {
			seen[n.name+"/"+c.name] = true
			walk(c)
		}
	}
	data, err := os.ReadFile("testdata/everything.xml")
	if err != nil {
		t.Fatal(err)
	}
	elements := 0
	root, err := parseXML(&diag.Source{Name: "everything.xml", Text: string(data)}, &elements, "", &arenas{})
	if err != nil {
		t.Fatal(err)
	}
	walk(root)
	for name, r := range rules {
		if !seen[name] {
			t.Errorf("no <%s>", name)
		}
		for _, a := range strings.Fields(r.attrs) {
			if a != "*" && !seen[name+" "+a] {
				t.Errorf("no <%s %s>", name, a)
			}
		}
	}
}

func TestEverything(t *testing.T) {
	isa, err := Load(os.DirFS("testdata"), "everything.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	if len(isa.Remarks) > 0 {
		t.Errorf("remarks: %v", isa.Remarks)
	}
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: got %s, want %s", what, g, w)
		}
	}
	check("name, strict, doc", []any{isa.Name, isa.Strict, isa.Doc}, []any{"everything", true, "A machine of no use."})
	check("text", isa.Text, TextStyle{HighFirst: true, Storage: 32, Swapped: true, Comment: "//", FoldCase: true, Syntax: "long"})
	check("enums, those of imports first", []string{isa.Enums[0].Name, isa.Enums[1].Name}, "[#imported #component]")
	stage := isa.Enum("#stage")
	check("doc of an enum", stage.Doc, "Where a program runs.")
	v := stage.Values[1]
	check("value", []any{v.Val, v.Display, v.Name, v.Syntax, v.Aliases, v.Doc}, "[1 pixel ps  [fragment] Fragments.]")
	check("value of a spelling", []any{stage.Values[2].Display, stage.Values[2].Syntax}, "[ps short]")
	c := isa.Context("stage")
	check("context", []any{c.Enum == stage, c.Default, c.FromText, c.Low, c.Width, c.Doc}, "[true 1 false 0 1 The stage.]")
	mark := isa.Context("mark")
	check("context of the text", []any{mark.Enum == nil, mark.Default, mark.FromText, mark.Low, mark.Width}, "[true 0 true 1 1]")
	check("product", []any{isa.Products[0].Names, isa.Products[0].Settings, isa.Products[0].Order}, "[[nothing zero] [] ]")
	check("product with settings", []any{isa.Products[1].Names, isa.Products[1].Settings, isa.Products[1].Order}, "[[first] [{stage vs} {exact false}] big]")
	check("table", []any{isa.Tables[0].Name, isa.Tables[0].Type.Name, isa.Tables[0].Size, isa.Tables[0].Index}, "[desc #entry 16 0]")
	check("spellings", isa.Syntaxes(), "[ short]")

	add := isa.Bitset("add")
	check("bitset", []any{add.Name, add.DisplayIn(""), add.DisplayIn("short"), add.DisplayIn("other"), add.Size, add.Doc, add.Root().Name}, "[add add.u a add.u 32 Adds. #instruction]")
	check("gen", []any{add.Min, add.Max}, "[0 5]")
	check("meta", add.Meta, map[string]string{"type": "alu", "has_dest": "true"})
	p := add.Patterns[1]
	check("pattern x0x0 of 20..23", []any{p.Low, p.High, p.Match.TrailingZeros(), p.Mask.TrailingZeros(), p.Mask.OnesCount(), p.DontCare.TrailingZeros(), p.DontCare.OnesCount()}, "[20 23 256 20 2 21 2]")
	check("defaults", []any{add.Defaults[0].Path, add.Defaults[0].Val, add.Defaults[0].Expr == nil, add.Defaults[1].Path, add.Defaults[1].Expr.Text}, "[REST 27 true H {DST} == 0]")
	check("hazards", []any{add.Hazards[0].Name, add.Hazards[0].Text, add.Hazards[1].Expr.Text, add.Hazards[1].Text}, "[high the last register {DST} == 0 the first register]")
	check("cases, the default last", []any{len(add.Cases), add.Cases[0].Expr.Name, add.Cases[1].Expr == nil}, "[2 #pixel true]")
	def := add.Cases[1]
	check("displays, templates replaced", []any{def.Displays[""].Text, def.Displays["short"].Text, def.Aliases[0].Text}, "[{NAME} {OPTS? }{DST}, {SRC} {NAME} {PLACE} -> {DST} plus {DST}, {SRC}]")
	opts := def.Set("OPTS")
	check("set", []any{opts.Join, opts.Members[0].Name, opts.Members[1].Name, opts.Members[2].Name, opts.Doc}, "[. SAT ODD RND Options.]")
	rest := def.Field("REST")
	check("scattered field, high part first", []any{rest.Parts, rest.Width}, "[[{9 1} {10 1} {11 3}] 5]")
	sat, odd := def.Field("SAT"), def.Field("ODD")
	check("fields of a set", []any{sat.Kind == KindBool, *sat.Display, odd.Expr != nil, odd.Width, odd.WidthGiven}, "[true sat true 1 true]")
	check("assert", []any{def.Asserts[0].Low, def.Asserts[0].High, def.Asserts[0].Mask.OnesCount()}, "[16 19 4]")
	over := add.Cases[0]
	check("override", []any{over.Fields[0].Name, over.Fields[0].Width, over.Fields[1].Name, over.Asserts[0].Match.IsZero(), over.Aliases[0].Syntax, over.Set("PS").Members[0].Name}, "[TWICE 5 LOW true short LOW]")

	dst := isa.Bitset("#alu").Cases[0].Field("DST")
	check("field of a bitset", []any{dst.Kind == KindBitset, dst.Bitset.Name, dst.Params[0].Name, dst.Params[0].As, dst.AllParams}, "[true #reg H HALF false]")
	wide := isa.Bitset("add.wide")
	check("several lengths", []any{wide.Size, isa.Bitset("#instruction").Size}, "[64 32]")
	note, ahead := wide.Cases[0].Field("NOTE"), wide.Cases[0].Field("AHEAD")
	check("remark", []any{note.Remark, ahead.Remark}, "[true false]")
	check("refines", []any{len(wide.Refines), wide.Refines[0].Name, wide.Refines[0].Span.Src.Text[wide.Refines[0].Span.Off:wide.Refines[0].Span.End]}, "[1 jump jump]")
	check("require", []any{wide.Requires[0].Text, wide.Requires[1].Name}, "[{@stage} == 0 #pixel]")
	check("unused", []any{wide.Unused[0].Path, wide.Unused[0].Expr == nil, wide.Unused[1].Path, wide.Unused[1].Expr.Name}, "[IDX.SWZ true IDX.MASK #pixel]")
	to, idx, imm := wide.Cases[0].Field("TO"), wide.Cases[0].Field("IDX"), wide.Cases[0].Field("IMM")
	check("branch", []any{to.Kind == KindBranch, to.Call, to.Unit}, "[true true 32]")
	check("index", []any{idx.Table.Name, idx.Bitset.Name}, "[desc #entry]")
	check("all names", []any{imm.AllParams, len(imm.Params)}, "[true 0]")
}

// TestOperandElements checks the operands, the flow and the layout of everything.xml.
func TestOperandElements(t *testing.T) {
	isa, err := Load(os.DirFS("testdata"), "everything.xml")
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: got %s, want %s", what, g, w)
		}
	}
	r := isa.File("r")
	check("file", []any{r.Type, r.Type.Size(), r.Count, r.Use, r.Scope, r.Outside, r.Init, r.Names.Name, r.Once, r.Given, r.Doc}, "[u32x2 64 16 temporary lane zero undefined #component true 2 Registers.]")
	rh, rq := isa.File("rh"), isa.File("rq")
	check("half", []any{rh.Type, rh.Count, rh.Align, rh.Of == r, rh.Use, rh.Doc}, "[u16x2 32 1 true temporary Halves.]")
	check("pair", []any{rq.Type, rq.Count, rq.Align, rq.Of == r, isa.File("none") == nil}, "[u32x4 16 2 true true]")
	m := isa.Memory("shared")
	check("memory", []any{m.Scope, m.Size, m.Access, m.Outside, m.Banks, m.Doc}, "[block 256 [u8 f32x2] wrap 8 Of a block.]")
	check("stack", []any{isa.Stack("calls").Depth, isa.Stack("calls").Doc}, "[4 Where calls return to.]")
	check("limit", []any{isa.Limit("words").Most, isa.Limit("words").Doc}, "[512 Of a program.]")
	out := isa.Outputs[0]
	check("output", []any{out.Builtin, out.File == r, out.Number, out.Count, out.Mask, out.Required, out.In.Context.Name, out.In.Value, out.Doc}, "[position true 3 2 2 true stage 1 Where it is.]")
	in, size := isa.Inputs[0], isa.Inputs[1]
	check("input in registers", []any{in.Builtin, in.Name, in.File.Text(), in.Number, in.Count, in.Components.Text(), in.Low, in.High, in.In.Context.Name, in.In.Value, in.Doc}, "[vertex-index thread r 2 3 y 4 15 stage 0 Which one.]")
	check("input in memory", []any{size.Name, size.Memory.Text(), size.Offset, size.Type.Text(), size.Low, size.High, size.In.Context == nil, size.Count}, "[size shared 16 u16 -1 -1 true 1]")
	check("fetch", []any{isa.Meaning.Fetch.Unit, isa.Meaning.Fetch.Lanes, isa.Meaning.Fetch.Root}, "[32 16 #instruction]")
	check("modifiers", isa.Modifiers, "[negate absolute saturate half]")
	lr := isa.Enum("#special").Values[0].Reg
	check("register of a value", []any{lr.File.Name, lr.Index.Root().Value, lr.Component.Root().Value}, "[lr 0 0]")
	reg := isa.Bitset("#reg")
	f := reg.Cases[0].Facts
	check("reg", []any{reg.OperandKind, f.Reg.File.Name, f.Reg.Index.Text, f.Reg.Component.Text, f.Reg.When.Text}, "[register r {N} {N} & 1 {N} != 15]")
	check("relative", []any{f.Relative.Reg.File.Name, f.Relative.Reg.When.Text}, "[lr {N} == 14]")
	check("modifiers of a register", []any{f.Modifiers[0].Name, f.Modifiers[0].Index, f.Modifiers[1].Index, f.Modifiers[1].When.Text}, "[negate 0 3 {HALF}]")
	check("swizzle and mask", []any{len(f.Swizzle), len(f.Mask), f.Swizzle[0].Text, f.Mask[1].Text}, "[4 4 1 {N} == 2]")
	alu := isa.Bitset("#alu").Cases[0]
	check("role and kind of a field", []any{alu.Field("DST").Role, alu.Field("H").OperandKind}, "[write modifier]")
	add := isa.Bitset("add")
	o := add.Operand("PLACE")
	check("operand", []any{o.Role, o.Kind, o.Doc, o.Displays[""].Text, o.Displays["short"].Text}, "[both memory Where the source points. {SRC} [{SRC}]]")
	check("mem", []any{o.Facts.Mem.Memory.Name, o.Facts.Mem.Offset.Text, o.Facts.Mem.Type, o.Facts.Relative.Field}, "[shared {REST} * 4 u32 SRC]")
	flow, to := add.Flows[0], isa.Bitset("jump").Flows[0]
	check("flow", []any{flow.Kind, flow.Maybe.Text, flow.When.Text, flow.Stack, to.Kind, to.Target, to.Count}, "[return {RND} {SAT} calls jump TO TO]")
	l := add.Layout
	run := add.Runs
	check("runs", []any{run.Roots[0].Name, run.Address, run.Count, run.Context.Name, len(run.Steps), run.Steps[1].Context}, "[#entry {0 4} {4 4} mark 2 {8 1}]")
	check("layout", []any{l.Align, l.Filler, l.Terminator, l.NotLast, l.Flushes.Name, l.Program}, "[64 true false loop r geometry]")
	check("limit of a field", []any{add.Limits[0].Name, add.Limits[0].Most}, "[REST 7]")
}

func TestValueType(t *testing.T) {
	for _, s := range []string{"bool", "u1", "u64", "s16", "f16", "f32x4", "u8x16", "boolx2"} {
		if v, ok := ParseValueType(s); !ok || v.String() != s {
			t.Errorf("%s: %v, %v", s, v, ok)
		}
	}
	for _, s := range []string{"", "u", "u0", "u65", "u08", "f24", "x4", "f32x", "f32x1", "f32x17", "f32x04", "bool2", "boolx1", "i32"} {
		if v, ok := ParseValueType(s); ok {
			t.Errorf("%q is read as %v", s, v)
		}
	}
}

// TestPlainQuirks checks that unusual descriptions load as in Mesa's reader.
func TestPlainQuirks(t *testing.T) {
	load := func(text string) *ISA {
		t.Helper()
		isa, err := loadText("<isa>" + text + "</isa>")
		if err != nil {
			t.Fatal(diag.Render(err))
		}
		return isa
	}
	values := func(isa *ISA) (list []string) {
		for _, v := range isa.Enums[0].Values {
			list = append(list, fmt.Sprintf("%d=%s", v.Val, v.Display))
		}
		return list
	}
	for _, c := range []struct{ enum, want string }{
		// A later value with the same text of val replaces the first one. Another text for the same number adds a value.
		{`<value val="1" display="a"/><value val="2" display="b"/><value val="1" display="c"/><value val="0x1" display="d"/>`, "[1=c 2=b 1=d]"},
		// val is a C int: it can be octal or a constant expression, and keeps its low 32 bits.
		{`<value val="010" display="a"/><value val="0x100000003" display="b"/><value val="-1" display="c"/><value val=" 3u " display="d"/>`, "[8=a 3=b 4294967295=c 3=d]"},
		{`<value val="1+4" display="a"/><value val="(1 &lt;&lt; 4) - 1" display="b"/><value val="~0 ^ 1" display="c"/><value val="2 * 3 | 8 &amp; 12" display="d"/><value val="-(2)" display="e"/>`,
			"[5=a 15=b 4294967294=c 14=d 4294967294=e]"},
	} {
		if got := fmt.Sprint(values(load(`<enum name="#e">` + c.enum + `</enum>`))); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.enum, got, c.want)
		}
	}

	// A later field replaces an earlier one of the same name. A derived field replaces only a derived one. The bits of
	// all these fields count as used.
	isa := load(`<bitset name="a" size="8">
		<derived name="V" type="uint"><expr>77</expr></derived>
		<field name="V" low="0" high="3" type="hex"/>
		<derived name="V" type="int"><expr>78</expr></derived>
		<field name="W" low="4" high="5" type="uint"/>
		<field name="W" low="6" high="7" type="bool"/>
	</bitset>`)
	var fields []string
	for _, f := range isa.Bitsets[0].Cases[0].Fields {
		fields = append(fields, f.Name+" "+f.TypeName)
	}
	if got := fmt.Sprint(fields); got != "[V hex W bool]" {
		t.Errorf("fields: got %s", got)
	}

	// Other bitsets can use a named expression inside a bitset.
	isa = load(`<bitset name="a" size="1"><field name="A" pos="0" type="uint"/><derived name="B" type="uint" expr="#in"/></bitset>
		<bitset name="b" size="1"><field name="A" pos="0" type="uint"/><override><expr name="#in">{A}</expr></override></bitset>`)
	if b := isa.Bitset("a").Cases[0].Field("B"); b.Expr != isa.Bitset("b").Cases[0].Expr {
		t.Error("#in is not one expression")
	}

	// If others extend a name with several definitions, only the last definition stays. It is not a leaf.
	isa = load(`<bitset name="r" size="1"/>
		<bitset name="m" extends="r"><gen max="5"/><pattern pos="0">0</pattern></bitset>
		<bitset name="m" extends="r"><gen min="6"/></bitset>
		<bitset name="l" extends="m"><pattern pos="0">1</pattern></bitset>`)
	var names []string
	for _, b := range isa.Bitsets {
		names = append(names, fmt.Sprintf("%s from %d with %d", b.Name, b.Min, len(b.Children)))
	}
	if got := strings.Join(names, ", "); got != "r from 0 with 1, m from 6 with 1, l from 0 with 0" {
		t.Errorf("bitsets: got %s", got)
	}

	// Bit numbers and generations are decimal, even with a leading zero.
	isa = load(`<bitset name="a" size="010"><gen max="0010"/><field name="A" low=" 00" high="09 " type="uint"/></bitset>`)
	if b := isa.Bitsets[0]; b.Size != 10 || b.Max != 10 {
		t.Errorf("size %d, max %d, want 10 and 10", b.Size, b.Max)
	}
}

// TestHandbook checks that the table of all elements in docs/language.md agrees with the rules.
func TestHandbook(t *testing.T) {
	data, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(data), "\n# All elements\n")
	if !ok {
		t.Fatal("no table of all elements")
	}
	table, _, _ = strings.Cut(table, "\n# ")
	names := func(cell string) []string {
		list := strings.Fields(strings.NewReplacer("*", "", "`", "").Replace(strings.ReplaceAll(cell, "`*`", "any")))
		slices.Sort(list)
		return list
	}
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			rows[names(cells[1])[0]] = cells[2:4]
		}
	}
	for name, r := range rules {
		row := rows[name]
		if row == nil {
			t.Errorf("no row for <%s>", name)
			continue
		}
		delete(rows, name)
		var inside []string
		for parent, p := range rules {
			if slices.Contains(strings.Fields(p.children), name) && (name != "pattern" || parent != "override") { // it has no effect there
				inside = append(inside, parent)
			}
		}
		slices.Sort(inside)
		if got := names(row[0]); name != "doc" && !slices.Equal(got, inside) {
			t.Errorf("<%s> inside %s, want %s", name, got, inside)
		}
		if got, want := names(row[1]), names(strings.ReplaceAll(r.attrs, "*", "any")); !slices.Equal(got, want) {
			t.Errorf("<%s> has the attributes %s, want %s", name, got, want)
		}
	}
	for name := range rows {
		t.Errorf("a row for <%s>, which is not an element", name)
	}
}

// TestMeant checks suggestions for misspelled names.
func TestMeant(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`<bitset name="#word" size="8"/><bitset name="a" extends="#wrod"/>`, "did you mean #word?"},
		{`<bitset name="a" size="8"><field name="N" low="0" high="7" type="unit"/></bitset>`, "did you mean uint?"},
		{`<enum name="#cond"/><bitset name="a" size="8"><field name="N" low="0" high="7" type="#con"/></bitset>`, "did you mean #cond?"},
		{`<file name="temp" type="u32" count="4"/><bitset name="a" size="8"><display>a</display><reg file="tmep" index="0"/></bitset>`, "did you mean temp?"},
	} {
		_, err := Load(fstest.MapFS{"a.xml": {Data: []byte(`<isa strict="true">` + c.text + `</isa>`)}}, "a.xml")
		if err == nil || !strings.Contains(diag.Render(err), c.want) {
			t.Errorf("%s: %v, expected %q", c.text, diag.Render(err), c.want)
		}
	}
}

// BenchmarkLoad loads a description of 350 bitsets with five fields each, about the size of Mesa's ir3.
func BenchmarkLoad(b *testing.B) {
	var text strings.Builder
	text.WriteString(`<isa strict="true"><template name="OPS">{A}, {B}, {C}</template><bitset name="#i" size="64"/>`)
	for i := range 350 {
		fmt.Fprintf(&text, `
<bitset name="op%d" extends="#i">
  <doc>An instruction.</doc>
  <display>{NAME} {OPS}{D}</display>
  <pattern low="48" high="63">%016b</pattern>
  <field name="A" low="0" high="7" type="uint"/>
  <field name="B" low="8" high="23" type="hex"/>
  <field name="C" low="24" high="46" type="int"/>
  <field name="D" pos="47" type="bool" display=".d"/>
  <override><expr>{A} == 1 &amp;&amp; {B} &lt; 5 || !{D}</expr><display>{NAME}.x {OPS}</display></override>
  <derived name="E" type="uint" width="9"><expr>({A} &lt;&lt; 1) | {D}</expr></derived>
</bitset>`, i, i)
	}
	text.WriteString("</isa>")
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := loadText(text.String()); err != nil {
			b.Fatal(diag.Render(err))
		}
	}
}

// TestSharedBit checks that the error about two fields that share a bit suggests how to share it. The error about a
// pattern does not.
func TestSharedBit(t *testing.T) {
	for file, want := range map[string]int{"err_bit_overlap_once.xml": 1, "err_bit_overlap.xml": 0} {
		_, err := Load(os.DirFS("testdata"), file)
		var list diag.List
		if !errors.As(err, &list) || len(list) != 1 || len(list[0].Help) != want {
			t.Errorf("%s: %s", file, diag.Render(err))
			continue
		}
		for _, remedy := range list[0].Help {
			for _, word := range []string{"a separate field", "<param>", "<derived>"} {
				if !strings.Contains(remedy, word) {
					t.Errorf("%s: the help does not name %s: %s", file, word, remedy)
				}
			}
		}
	}
}
