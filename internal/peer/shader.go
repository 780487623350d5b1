package main

import (
	"fmt"
	"os"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// compareShader checks a shader file against itself: every word is an instruction without a
// finding, and its lossless text gives the word back.
func compareShader(file string, report func(difference)) (rows int, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	m, format, ok := catalog.Recognise(data)
	if !ok {
		return 0, fmt.Errorf("%s: of no known format", file)
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
	for i := 0; i < len(im.Words); rows++ {
		v, _ := im.At(int64(i), set.HighFirst(), d.Root().Size)
		in, ok := d.Decode(v)
		if !ok {
			report(difference{fmt.Sprintf("%08x", im.Words[i]), "unknown word", "an instruction"})
			i++
			continue
		}
		checkWord(d, p, lossless, in, report)
		i += (in.Leaf.Size + 31) / 32
	}
	return rows, nil
}

func checkWord(d *isa.Decoder, p *asm.Parser, lossless *asm.Lossless, in isa.Inst, report func(difference)) {
	word := string(in.Bits.AppendHex(nil, in.Leaf.Size/4))
	text, ok := lossless.Append(nil, in)
	for _, f := range d.Findings() {
		report(difference{word, f.Text, "no finding"})
	}
	if !ok {
		report(difference{word, "no text", "text that assembles"})
		return
	}
	res, err := p.Parse(string(text))
	if err != nil {
		report(difference{word, err.Error(), string(text)})
		return
	}
	if res.Inst.Bits != in.Bits {
		report(difference{word, res.Inst.Bits.String(), bits.Value(in.Bits).String()})
	}
}
