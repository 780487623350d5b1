package view_test

import (
	"bufio"
	"bytes"
	"testing"
	"testing/fstest"

	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

// piecesXML has two kinds of instructions of a byte: one goes to another of its kind, one has two lines,
// a remark, and a context that is part of its text.
const piecesXML = `<isa name="test" strict="true">
<text comment=";"/>
<enum name="#mark"><value val="0" display="" name="none"/><value val="1" display="*" name="star"/></enum>
<context name="mark" type="#mark" default="none" bind="text"/>
<bitset name="#go" size="8"><display>go {TO}</display><field name="TO" low="0" high="7" type="absbranch" unit="8"/></bitset>
<bitset name="#do" size="8">
	<display>{@mark}do {A}{ROLE}
		and {B}</display>
	<field name="A" low="0" high="3" type="uint"/>
	<field name="B" low="4" high="7" type="uint"/>
	<derived name="ROLE" type="#role" remark="true"><expr>{A} == 1</expr></derived>
</bitset>
<enum name="#role"><value val="0" display="" name="none"/><value val="1" display="first"/></enum>
</isa>`

// TestPieces lists two programs, each of two instructions of the root go and one of the root do, in separate orders, and the data
// after them.
func TestPieces(t *testing.T) {
	set, err := isa.Load(fstest.MapFS{"a.xml": {Data: []byte(piecesXML)}}, "a.xml", isa.Options{})
	if err != nil {
		t.Fatal(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		t.Fatal(err)
	}
	goes, does := set.Roots()[0], set.Roots()[1]
	star, err := set.ParseContext(set.DefaultContext(), "mark", "star")
	if err != nil {
		t.Fatal(err)
	}
	im := &program.Image{Words: []uint32{0xaa210100, 0xbb320001}, Break: "      ", Sections: map[int64][]string{0: {"one"}, 32: {"two"}}}
	for _, base := range []int64{0, 32} {
		im.Pieces = append(im.Pieces,
			program.Piece{Root: goes, Addr: base, Size: 8, Base: base, Target: true},
			program.Piece{Root: does, Addr: base + 16, Size: 8, Base: base, Context: star, Indent: "  "},
			program.Piece{Root: goes, Addr: base + 8, Size: 8, Base: base, Target: true},
			program.Piece{Addr: base + 24, Size: 8, Base: base})
	}
	const want = `; one
l0:
go l0
  *do 1	; first
      and 2
l1:
go l1
.word 0xaa

; two
l0:
go l1
  *do 2
      and 3
l1:
go l0
.word 0xbb
`
	l := view.Listing{Decoder: d, Image: im}
	var out bytes.Buffer
	if found, err := l.Write(bufio.NewWriter(&out)); err != nil || found != 0 || out.String() != want {
		t.Errorf("%d findings, %v, lists\n%s\nexpected\n%s", found, err, out.String(), want)
	}
	l = view.Listing{Decoder: d, Image: im, Addresses: true, Bare: true}
	const bare = "0x0000  go 0\n0x0002  *do 1 and 2\n0x0001  go 1\n0x0003  .word 0xaa\n0x0000  go 1\n0x0002  *do 2 and 3\n0x0001  go 0\n0x0003  .word 0xbb\n"
	out.Reset()
	if _, err := l.Write(bufio.NewWriter(&out)); err != nil || out.String() != bare {
		t.Errorf("%v, lists\n%s\nexpected\n%s", err, out.String(), bare)
	}
}
