package main

import (
	"fmt"
	"os"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// compareShader checks a shader file: every word must be an instruction without a finding, and its
// lossless text must assemble to the word.
func compareShader(file string, _ *known, report func(difference)) (rows int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	m, format, ok := catalog.Recognise(data)
	if !ok {
		return 0, fmt.Errorf("%s: unknown format", file)
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		return 0, err
	}
	im, err := format.Open(set, data)
	if err != nil {
		return 0, err
	}
	d, err := set.NewDecoder("")
	if err != nil {
		return 0, err
	}
	p, err := asm.New(set, "")
	if err != nil {
		return 0, err
	}
	for i, t := range im.Tables {
		d.SetTable(i, t)
		p.Tables[i] = &asm.FixedTable{Entries: t}
	}
	lossless := asm.NewLossless(d, p)
	for addr := int64(0); addr < im.Size(); rows++ {
		v, _ := im.At(addr, d.Root(), d.Root().Size)
		d.Addr = addr
		in, ok := d.Decode(v)
		if !ok {
			report(difference{word: v.String(), got: "unknown word", want: "an instruction"})
			addr += int64(d.Root().MinSize)
			continue
		}
		if diff, ok := checkWord(d, p, lossless, in); !ok {
			report(diff)
		}
		addr += int64(in.Leaf.Size)
	}
	return rows, nil
}

// checkWord compares a word with what its text assembles to. ok is false if they differ.
func checkWord(d *isa.Decoder, p *asm.Parser, lossless *asm.Lossless, in isa.Inst) (diff difference, ok bool) {
	word := string(in.Bits.AppendHex(nil, in.Leaf.Size/4))
	text, ok := lossless.Append(nil, in)
	if found := d.Findings(); len(found) > 0 {
		return difference{word: word, got: found[0].Text, want: "no finding"}, false
	}
	if !ok {
		return difference{word: word, got: "no text", want: "text that assembles"}, false
	}
	p.Addr = d.Addr
	res, err := p.Parse(string(text))
	if err != nil {
		return difference{word: word, got: err.Error(), want: string(text)}, false
	}
	return difference{word: word, got: res.Inst.Bits.String(), want: in.Bits.String()}, res.Inst.Bits == in.Bits
}
