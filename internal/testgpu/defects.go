package testgpu

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"
)

// Defect is a flaw that can be planted in the description.
type Defect struct {
	// Name describes the flaw in one or two words.
	Name string
	// Code is the code of the expected finding.
	Code string
	// In is the file. Old is a text that occurs there exactly once, and New replaces it.
	In, Old, New string
	// Gen is a generation with the flaw.
	Gen uint32
	// Word is a word that demonstrates the flaw, or 0 if no single word does.
	Word uint64
	// Printed is the text of that word, with findings after "\t; ". It is "no match" if no leaf
	// matches.
	Printed string
}

// Plant returns the files of the description with the flaw.
func (d *Defect) Plant() (fs.FS, error) { return plant([]Defect{*d}) }

// PlantAll returns the files with all flaws that are compatible with each other, and those flaws.
func PlantAll() (fs.FS, []Defect, error) {
	var list []Defect
	taken := map[string]bool{}
	for _, d := range Defects {
		if !taken[d.Old] {
			taken[d.Old] = true
			list = append(list, d)
		}
	}
	files, err := plant(list)
	return files, list, err
}

func plant(list []Defect) (fs.FS, error) {
	files := fstest.MapFS{}
	names, err := fs.Glob(Files(), "*.xml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(Files(), name)
		if err != nil {
			return nil, err
		}
		text := string(data)
		for _, d := range list {
			if d.In != name {
				continue
			}
			if n := strings.Count(text, d.Old); n != 1 {
				return nil, fmt.Errorf("defect %s: %q occurs in %s %d times, expected once", d.Name, d.Old, name, n)
			}
			text = strings.Replace(text, d.Old, d.New, 1)
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files, nil
}

// Defects has one flaw of each kind that a check must find.
var Defects = []Defect{
	{
		Name: "two leaves match one word", Code: "leaf-overlap", In: "heron-sync.xml", Gen: 400,
		Old:  "<bitset name=\"dcclean\" extends=\"#sync-plain\">\n  <pattern low=\"52\" high=\"56\">00100</pattern>",
		New:  "<bitset name=\"dcclean\" extends=\"#sync-plain\">\n  <pattern low=\"52\" high=\"56\">00011</pattern>",
		Word: 0x8030000000000000, Printed: "no match\t; bitset conflict: dcinv vs dcclean",
	},
	{
		Name: "a hole where a leaf was", Code: "unmatched-words", In: "heron-alu3.xml", Gen: 400,
		Old:  "<bitset name=\"bfe\" extends=\"#alu3-full\">\n  <pattern low=\"53\" high=\"56\">1101</pattern>",
		New:  "<bitset name=\"bfe\" extends=\"#alu3-full\">\n  <gen max=\"299\"/>\n  <pattern low=\"53\" high=\"56\">1101</pattern>",
		Word: 0x31a0000000000000, Printed: "no match",
	},
	{
		Name: "an override that never holds", Code: "override-never", In: "heron-flow.xml", Gen: 400,
		Old: "<expr>{COUNT} == 0</expr>", New: "<expr>{COUNT} == 8</expr>",
		Word: 0, Printed: "(rpt0) nop",
	},
	{
		Name: "an override that always holds", Code: "override-always", In: "heron-sync.xml", Gen: 400,
		Old: "<expr>{WAVES} == 0</expr>", New: "<expr>{WAVES} >= 0</expr>",
		Word: 0x8000000000000080, Printed: "bar 0",
	},
	{
		Name: "an assert that never holds", Code: "assert-never", In: "heron-surface.xml", Gen: 400,
		Old:  "    <expr>{BINDLESS}</expr>\n    <display>base{BASE}:{REG}</display>\n    <field name=\"BASE\" low=\"8\" high=\"10\" type=\"uint\"/>",
		New:  "    <expr>{BINDLESS} &amp;&amp; {NUM} &lt; 0x8000</expr>\n    <display>base{BASE}:{REG}</display>\n    <assert pos=\"15\">1</assert>\n    <field name=\"BASE\" low=\"8\" high=\"10\" type=\"uint\"/>",
		Word: 0xb000000800000000, Printed: "imgld.typed.1d.f16.1.bindless base0:r0.x, r0.x, hr0.x\t; WARNING: unexpected bits[15:15] in #image: 0000000000000000 vs 0000000000000001",
	},
	{
		Name: "a name that is defined nowhere", Code: "unresolved", In: "heron-sync.xml", Gen: 400,
		Old: "<expr>255 - {INVERSE}</expr>", New: "<expr>255 - {INVERS}</expr>",
		Word: 0x8060000000000001, Printed: "wait 255\t; no field 'INVERS'",
	},
	{
		Name: "a param that does not arrive", Code: "unresolved", In: "heron-lane.xml", Gen: 400,
		Old:  "    <field name=\"INDEX\" low=\"16\" high=\"23\" type=\"#address-gpr\"/>",
		New:  "    <field name=\"INDEX\" low=\"16\" high=\"23\" type=\"#gpr\"/>",
		Word: 0x9003000000000000, Printed: "shfl.xor.f32 r0.x, r0.x, r0.x\t; no field 'HALF'",
	},
	{
		Name: "a field that nothing uses", Code: "field-unused", In: "heron-alu3.xml", Gen: 400,
		Old:  "  <pattern low=\"47\" high=\"50\">0000</pattern>",
		New:  "  <field name=\"PAD\" low=\"47\" high=\"50\" type=\"uint\"/>",
		Word: 0xa000800000000000, Printed: "padd r0.x, r0.x, r0.x",
	},
	{
		Name: "a param that nothing uses", Code: "param-unused", In: "heron-surface.xml", Gen: 400,
		Old: "    <param name=\"BINDLESS\"/>", New: "    <param name=\"BINDLESS\"/>\n    <param name=\"RAW\"/>",
	},
	{
		Name: "an expression that nothing uses", Code: "expr-unused", In: "heron-common.xml", Gen: 400,
		Old: "<expr name=\"#always\">1</expr>", New: "<expr name=\"#always\">1</expr>\n<expr name=\"#sometimes\">{RPT} == 1</expr>",
	},
	{
		Name: "an enum that nothing uses", Code: "enum-unused", In: "heron-common.xml", Gen: 400,
		Old: "<enum name=\"#dim\">", New: "<enum name=\"#shape\">\n  <value val=\"0\" display=\"round\"/>\n</enum>\n<enum name=\"#dim\">",
	},
	{
		Name: "a template that nothing uses", Code: "template-unused", In: "heron-tex.xml", Gen: 400,
		Old: "<template name=\"HEAD\">", New: "<template name=\"TAIL\">{SAMP}, {TEX}</template>\n<template name=\"HEAD\">",
	},
	{
		Name: "a value that no field has", Code: "value-never", In: "heron-common.xml", Gen: 400,
		Old: "<value val=\"5\" display=\"ne\"/>", New: "<value val=\"5\" display=\"ne\"/>\n  <value val=\"8\" display=\"un\"/>",
	},
	{
		Name: "bits that no text shows", Code: "hidden-bits", In: "heron-alu3.xml", Gen: 400,
		Old:  "<display>{SYNC}{SAT}{NAME} {DST}, {SRC1}{SEL1}, {SRC2}{SEL2}</display>",
		New:  "<display>{SYNC}{SAT}{NAME} {DST}, {SRC1}{SEL1}, {SRC2}</display>",
		Word: 0xa000000000080000, Printed: "padd r0.x, r0.x, r0.x",
	},
	{
		Name: "two leaves with one text", Code: "same-text", In: "heron-alu.xml", Gen: 400,
		Old:  "<bitset name=\"rcp.fast\" extends=\"#special\">",
		New:  "<bitset name=\"rcp.fast\" displayname=\"rcp\" extends=\"#special\">",
		Word: 0x4048000000000000, Printed: "rcp                  hr0.x, hr0.x",
	},
	{
		Name: "two values with one text", Code: "same-text", In: "heron-common.xml", Gen: 400,
		Old: "<value val=\"3\" display=\"cube\"/>", New: "<value val=\"3\" display=\"3d\"/>",
		Word: 0xb000003000000000, Printed: "imgld.typed.3d.f16.1 i#0, r0.x, hr0.x",
	},
	{
		Name: "a pattern in an override", Code: "xml-element", In: "heron-surface.xml", Gen: 400,
		Old:  "    <assert low=\"11\" high=\"15\">00000</assert>",
		New:  "    <pattern low=\"11\" high=\"15\">00000</pattern>",
		Word: 0xb000000880000000, Printed: "imgld.typed.1d.f16.1.bindless base0:r0.x, r0.x, hr0.x",
	},
	{
		Name: "an expression that needs itself", Code: "expr-cycle", In: "heron-sync.xml", Gen: 400,
		Old: "<expr>2ULL &lt;&lt; {POWER}</expr>", New: "<expr>{CYCLES} + (2ULL &lt;&lt; {POWER})</expr>",
	},
	{
		Name: "a shift by too much", Code: "expr-undefined", In: "heron-sync.xml", Gen: 400,
		Old: "<expr>2ULL &lt;&lt; {POWER}</expr>", New: "<expr>2 &lt;&lt; ({POWER} + 1)</expr>",
		Word: 0x807000000000001f,
	},
	{
		Name: "a division by zero", Code: "expr-undefined", In: "heron-flow.xml", Gen: 400,
		Old: "<expr>({LIMIT} + 1) * 32</expr>", New: "<expr>65536 / {LIMIT}</expr>",
		Word: 0x0150000000000000,
	},
	{
		Name: "a leaf without a display", Code: "no-display", In: "heron-lane.xml", Gen: 400,
		Old:  "  <display>{SYNC}{NAME}.{TYPE}{CLUSTER} {DST}, {SRC}</display>\n",
		Word: 0x9060000000000000, Printed: "\t; red.add: no display template",
	},
	{
		Name: "text between elements", Code: "xml-element", In: "heron-mem.xml", Gen: 400,
		Old: "<map name=\"TYPE\">src->mem.type</map>", New: "<map name=\"TYPE\">src->mem.type</map>\"",
	},
	{
		Name: "an element that is none", Code: "xml-element", In: "heron-mem.xml", Gen: 400,
		Old: "<enum name=\"#space\">", New: "<remark/>\n<enum name=\"#space\">",
	},
	{
		Name: "a brace that is not closed", Code: "template-text", In: "heron-surface.xml", Gen: 400,
		Old: "<display>i#{NUM}</display>", New: "<display>i#{NUM</display>",
	},
}
