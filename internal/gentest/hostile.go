package gentest

import (
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/isago/isago/isa"
)

// HostileDescriptions lists descriptions with names and texts that could break generated code or
// collide with its names.
func HostileDescriptions() (list []Description) {
	for _, x := range []struct{ name, file, xml string }{
		{"hostile", "evil*/ EVIL(); /*.xml", evil},
		{"names", "fmt.xml", namesXML()},
		{"tables", "tables.xml", tables},
		{"uint64", "print.xml", macros},
		{"braces", "braces.xml", Braces},
	} {
		list = append(list, Description{Name: x.name, Gens: []uint32{0}, Load: func(o isa.Options) (*isa.Set, error) {
			return isa.Load(fstest.MapFS{x.file: {Data: []byte(x.xml)}}, x.file, o)
		}})
	}
	return list
}

// Braces is a machine that prints braces.
const Braces = `<isa name="braces" strict="true">
<template name="LIST">{{r{A}}}</template>
<enum name="#mode">
  <value val="0" display="{}"/>
  <value val="1" display="}{"/>
  <value val="2" display="{A=1}"/>
  <value val="3" display=""/>
</enum>
<bitset name="#instruction" size="8"/>
<bitset name="push" extends="#instruction">
  <display>push {LIST}{ ?M}</display>
  <pattern low="6" high="7">00</pattern>
  <field name="A" low="0" high="1" type="uint"/>
  <field name="M" low="2" high="3" type="#mode"/>
  <field name="H" low="4" high="5" type="uint"/>
</bitset>
<bitset name="br" extends="#instruction">
  <display>{{ {{A}} {A}{B}</display>
  <alias>braces {{{A}{B}}}</alias>
  <pattern low="5" high="7">010</pattern>
  <field name="A" low="0" high="3" type="hex"/>
  <field name="B" pos="4" type="bool" display="{b}"/>
</bitset>
</isa>`

// hostileNames are names with a meaning in C, in Go or in the generated code, names that get such a
// meaning when they are converted to identifiers, and invalid names.
var hostileNames = strings.Fields(`if for func type range nil true false string error len append uint64 main init _ __ 1 0x name NAME a-b a.b a_b A_B
	inst Inst op Op Word Options Decode Find Print String Pack Unpack Args None NONE COUNT EOF errno INT_MAX NULL I linux unix signed _Bool
	_Generic auto goto struct default select chan go var iota any min max clear rest expected zero i32 limbs printer scope leaf leaves
	%s %d%n " \\ ??/ ??= */ // /* ' ${x} && <!-- --> #pragma //go:build \\u0041 \\x41 é 名前 π 😀 a\u202eb fmt.Sprint strconv.Itoa`)

var longName = strings.Repeat("x", 100)

// namesXML returns a machine whose instructions, fields, enums, values and operands have hostile
// names.
func namesXML() string {
	names := append(hostileNames, longName+"y", longName+"z", "a b", "a\tb", " ")
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;").Replace
	var b strings.Builder
	b.WriteString(`<isa name="names"><bitset name="#instruction" size="32"/><enum name="int64">`)
	for i, n := range names {
		fmt.Fprintf(&b, `<value val="%d" display="%s"/>`, i, escape(n))
	}
	b.WriteString(`<value val="200" display=""/><value val="0xffffffffffffffff" display="&#10;"/></enum>`)
	for _, n := range names[:12] {
		fmt.Fprintf(&b, `<bitset name="#%s" size="8"><display>[{V}]</display><field name="V" low="0" high="7" type="hex"/></bitset>`, escape(n))
	}
	for i, n := range names {
		first, second := escape(names[(i*7+3)%len(names)]), escape(names[(i*11+5)%len(names)]+"'")
		kind := "int64"
		if i < 12 {
			kind = "#" + escape(n)
		}
		fmt.Fprintf(&b, `<bitset name="%s" extends="#instruction"><doc>%s
		// %s */ x</doc><display>{NAME} {%s} {%s}</display><pattern low="16" high="31">%016b</pattern>
		<field name="%s" low="0" high="7" type="uint"/><field name="%s" low="8" high="15" type="%s"/></bitset>`,
			escape(n), escape(n), first, first, second, i, first, second, kind)
	}
	return b.String() + "</isa>"
}

// tables is a machine whose contexts, tables and fields have the names of types in the generated code.
const tables = `<isa name="go" strict="true">
<enum name="#stage"><value val="0" display="a"/><value val="1" display="b"/></enum>
<context name="find" type="#stage" default="a"/><context name="type" type="#stage" default="b"><doc>*/ x // \</doc></context>
<context name="user" type="#stage" default="a"/>
<table name="find" type="#entry" size="64"/><table name="decode" type="#entry" size="64"/><table name="DecodeEntry" type="#entry" size="64"/>
<table name="context" type="#entry" size="64"/>
<bitset name="#entry" size="8"><display>{V}</display><field name="V" low="0" high="7" type="uint"/></bitset>
<bitset name="#instruction" size="40"/>
<bitset name="entry_inst" extends="#instruction"><display>one {A}, {B}, {Pack}</display><pattern low="32" high="39">00000001</pattern>
  <field name="A" low="0" high="7" type="#entry" table="find"/><field name="B" low="8" high="15" type="#entry" table="decode"/>
  <field name="Pack" low="16" high="31" type="uint"/></bitset>
<bitset name="inst" extends="#instruction"><display>two {A}, {B}, {Unpack}</display><pattern low="32" high="39">00000010</pattern>
  <field name="A" low="0" high="7" type="#entry" table="DecodeEntry"/><field name="B" low="8" high="15" type="#entry" table="context"/>
  <field name="Unpack" low="16" high="31" type="uint"/></bitset>
</isa>`

// macros is a machine whose name would give constants the names of stdint.h.
const macros = `<isa name="uint64" strict="true">
<enum name="#c"><value val="0" display="max"/></enum>
<bitset name="#instruction" size="8"/>
<bitset name="max" extends="#instruction"><display>max {A}</display><pattern low="4" high="7">0001</pattern><field name="A" low="0" high="3" type="uint"/></bitset>
<bitset name="c" extends="#instruction"><display>c {A}</display><pattern low="4" high="7">0010</pattern><field name="A" low="0" high="3" type="#c"/></bitset>
<bitset name="width" extends="#instruction"><display>width</display><pattern low="0" high="7">00110000</pattern></bitset>
</isa>`

// evil has texts that end a comment, a string or a name early.
const evil = `<isa>
<enum name="#e&quot;; EVIL(); //">
  <value val="0" display="&quot;); EVIL(); p.put(&quot;"/>
  <value val="1" display="\\"/>
  <value val="2" display="*/ EVIL(); /*" name="*/EVIL/*"/>
  <value val="3" display="%s%n??/"/>
</enum>
<bitset name="#instruction" size="16"/>
<bitset name="short" extends="#instruction" displayname="&quot;EVIL&quot;">
  <doc>*/ EVIL(); /* \u2028 EVIL</doc>
  <display>{NAME}&quot;); EVIL(); put(p, &quot;{register}{E}{x*/EVIL}</display>
  <pattern low="12" high="15">0000</pattern>
  <field name="register" low="0" high="3" type="uint"><doc>// \\ EVIL */</doc></field>
  <field name="E" low="4" high="6" type="#e&quot;; EVIL(); //"/>
  <field name="x*/EVIL" low="7" high="9" type="int"/>
  <field name="linux" low="10" high="11" type="uint"/>
</bitset>
<bitset name="*/EVIL" extends="#instruction">
  <display>{linux}\n??/\x41\"</display>
  <pattern low="12" high="15">0001</pattern>
  <override><expr>{linux} == 1 /* EVIL \ */</expr><display>1{defined}</display></override>
  <field name="linux" low="0" high="3" type="bool" display="&quot;; EVIL"/>
  <pattern low="4" high="11">xxxxxxxx</pattern>
</bitset>
<bitset name="if" extends="#instruction">
  <display>\u00e9\u4e2d{:align=12}if</display>
  <pattern low="12" high="15">0010</pattern>
  <field name="rest" low="0" high="3" type="uint"/>
  <field name="rest " low="4" high="7" type="uint"/>
  <assert low="8" high="11">1010</assert>
</bitset>
<bitset name="op" extends="#instruction">
  <display>op</display>
  <pattern low="12" high="15">0011</pattern>
  <field name="none" low="0" high="11" type="uint"/>
</bitset>
</isa>`

// conditional returns a machine with many leaves that each have a condition on a field, so that tables
// of leaves must test conditions.
func conditional() string {
	var b strings.Builder
	b.WriteString(`<isa name="conditional" strict="true"><bitset name="#instruction" size="16"/>`)
	for i := range 20 {
		fmt.Fprintf(&b, `<bitset name="op%d" extends="#instruction"><display>op%[1]d {N}</display><require>{N} != %d</require>
		<pattern low="11" high="15">%05b</pattern><pattern low="9" high="10">01</pattern><field name="N" low="0" high="8" type="uint"/></bitset>`, i, i%5, i)
	}
	return b.String() + "</isa>"
}

// scattered is a machine with fields in several parts: within a word, across 64-bit limbs, in an
// operand, and wider than 64 bits.
const scattered = `<isa name="scattered" strict="true">
<file name="r" type="u32" count="32"/>
<bitset name="#reg" size="6">
  <display>{HIGH}r{N}</display>
  <field name="N" type="uint"><bits low="4" high="5"/><bits low="0" high="2"/></field>
  <field name="HIGH" pos="3" type="bool" display="h"/>
  <reg file="r" index="{N}"/>
</bitset>
<bitset name="#instruction" size="96"/>
<bitset name="mov" extends="#instruction">
  <display>mov {REG}, {IMM}, {WIDE}</display>
  <pattern low="92" high="95">0001</pattern>
  <field name="IMM" type="hex"><bits low="58" high="69"/><bits low="0" high="6"/></field>
  <field name="REG" type="#reg"><bits low="70" high="72"/><bits low="7" high="9"/></field>
  <field name="WIDE" type="hex"><bits low="73" high="91"/><bits low="10" high="57"/></field>
</bitset>
<bitset name="add" extends="#instruction">
  <display>add {OFF} {N}{MIX}</display>
  <pattern low="92" high="95">0010</pattern>
  <field name="OFF" type="int"><bits low="64" high="70"/><bits low="20" high="22"/></field>
  <field name="N" type="uint"><bits low="23" high="24"/><bits low="71" high="91"/><bits pos="0"/><bits pos="1"/></field>
  <derived name="MIX" type="bool" display=" mixed"><expr>({OFF} &amp; 9) == 9 || {N} &gt; 0x1800000</expr></derived>
  <pattern low="2" high="19">xxxxxxxxxxxxxxxxxx</pattern>
  <pattern low="25" high="63">xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</pattern>
</bitset>
<bitset name="half" extends="#instruction">
  <display>half {H}, {F}</display>
  <pattern low="92" high="95">0011</pattern>
  <field name="H" low="0" high="15" type="float"/>
  <field name="F" low="16" high="47" type="float"/>
  <pattern low="48" high="91">xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</pattern>
</bitset>
<bitset name="wide" extends="#instruction">
  <display>wide {W}</display>
  <pattern low="92" high="95">0101</pattern>
  <field name="W" type="hex"><bits low="0" high="6"/><bits low="20" high="77"/></field>
  <pattern low="7" high="19">xxxxxxxxxxxxx</pattern>
  <pattern low="78" high="91">xxxxxxxxxxxxxx</pattern>
</bitset>
<bitset name="shr" extends="#instruction">
  <display>shr {Q}, {S}, {U}</display>
  <pattern low="92" high="95">0100</pattern>
  <field name="Q" low="0" high="63" type="hex"/>
  <derived name="S" type="hex" width="64"><expr>{Q} &gt;&gt; 1</expr></derived>
  <derived name="U" type="hex" width="64"><expr>({Q} | 0ull) &gt;&gt; 1</expr></derived>
  <pattern low="64" high="91">xxxxxxxxxxxxxxxxxxxxxxxxxxxx</pattern>
</bitset>
</isa>`

// inRows is a machine with operands of several consecutive registers, up to the end of a file.
const inRows = `<isa name="rows" strict="true">
<file name="r" type="u32" count="6"/><view name="rq" file="r" type="u32x4"/>
<file name="w" type="u32" count="6" outside="wrap"/><view name="wq" file="w" type="u32x4"/>
<bitset name="#r" size="3"><display>r{N}</display><reg file="rq" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="#w" size="3"><display>w{N}</display><reg file="wq" index="{N}"/><field name="N" low="0" high="2" type="uint"/></bitset>
<bitset name="#instruction" size="8">
  <display>{R} {W}</display>
  <field name="R" low="0" high="2" type="#r"/>
  <field name="W" low="3" high="5" type="#w"/>
  <pattern low="6" high="7">00</pattern>
</bitset>
</isa>`

// refined is a non-strict machine in which some leaves refine others, some overlap by mistake, and
// some expressions cause compiler warnings.
const refined = `<isa>
<bitset name="#instruction" size="8"/>
<bitset name="any" extends="#instruction"><display>any {A}</display><pattern pos="7">0</pattern><field name="A" low="0" high="6" type="uint"/></bitset>
<bitset name="one" extends="#instruction" overlap="refines some"><display>one</display><pattern low="0" high="7">00000011</pattern></bitset>
<bitset name="some" extends="#instruction" overlap="refines any"><display>some {B} {X} {Y} {Z}{V}{W}{U} {S}</display><pattern low="3" high="7">00000</pattern><field name="B" low="0" high="2" type="uint"/>
  <derived name="X" type="int" width="8"><expr>~({B} &gt; 2)</expr></derived>
  <derived name="Y" type="bool"><expr>{B} &amp;&amp; {B}</expr></derived>
  <override><expr>({B} | 4) &amp;&amp; {B} == 9 || {B} &amp; 1 == 2</expr><display>{NAME}</display></override>
  <derived name="V" type="bool_inv" display="!"><expr>{B} == 0</expr></derived>
  <derived name="W" type="bool"><expr>0 == ({B} | 1)</expr></derived>
  <derived name="T" type="uint"><expr>{GONE}</expr></derived>
  <derived name="U" type="branch" width="8"><expr>({T} | {B}) &lt;&lt; ({T} | 1)</expr></derived>
  <derived name="S" type="uint" width="8"><expr>({B} &lt;&lt; 66) + ({B} &gt;&gt; 65)</expr></derived>
  <derived name="Z" type="bool"><expr>{B} &lt; {B} || {B} &lt;= {B}</expr></derived></bitset>
<bitset name="never" extends="#instruction" overlap="refines any"><display>never</display><require>{P}</require><pattern low="0" high="7">01000000</pattern></bitset>
<bitset name="lost" extends="#instruction"><display>lost</display><pattern low="1" high="7">0000000</pattern><pattern pos="0">x</pattern></bitset>
</isa>`

// handed is a machine with two instructions that pass the same value to an operand, which they compute
// in different orders. One expression has an undefined name.
const handed = `<isa>
<expr name="#t">1</expr>
<expr name="#f">0</expr>
<bitset name="#inner" size="4">
  <display>-</display>
  <override><expr>{HAS}</expr><display>{V}</display></override>
  <field name="V" low="0" high="3" type="uint"/>
</bitset>
<bitset name="#instruction" size="32">
  <field name="T" low="0" high="3" type="#inner"><param name="HAS"/></field>
  <derived name="HAS" expr="#t" type="bool"/>
  <derived name="X" expr="#f" type="bool"/>
</bitset>
<bitset name="a" extends="#instruction"><display>{NAME} {T} {X}</display>
  <pattern low="4" high="31">0000000000000000000000000001</pattern></bitset>
<bitset name="b" extends="#instruction"><display>{NAME} {X} {T}</display>
  <pattern low="4" high="31">0000000000000000000000000010</pattern></bitset>
<bitset name="c" extends="#instruction"><display>{NAME}</display>
  <override><expr>{NOPE}</expr><display>zap</display></override>
  <pattern low="4" high="31">0000000000000000000000000011</pattern></bitset>
</isa>`
