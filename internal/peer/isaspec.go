package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

// row is a word and the text that Mesa's isaspec prints.
type row struct {
	Gen  uint32 `json:"gen"`
	Word string `json:"word"`
	Text string `json:"text"`
	// Errors is false if findings were disabled.
	Errors *bool `json:"errors"`
}

// compareIsaspec returns a comparer of the words and texts in FILE.jsonl for the description FILE.xml.
func compareIsaspec(compat bool) comparer {
	return func(file string, _ *known, report func(difference)) (rows int, err error) {
		c := isaspecComparer{file: strings.TrimSuffix(file, ".jsonl") + ".xml", compat: compat, printers: map[uint32]*printer{}}
		return eachRow(file, func(_ int, r *row) error {
			got, err := c.text(r)
			if got != r.Text {
				report(difference{word: r.Word, got: got, want: r.Text})
			}
			return err
		})
	}
}

type isaspecComparer struct {
	file     string
	compat   bool
	printers map[uint32]*printer
}

// printer prints for one generation, with the decoder or as Mesa does.
type printer struct {
	decoder *isa.Decoder
	mesa    *mesa.Printer
}

func (c *isaspecComparer) printer(gen uint32) (*printer, error) {
	if p := c.printers[gen]; p != nil {
		return p, nil
	}
	set, err := isa.Load(os.DirFS(filepath.Dir(c.file)), filepath.Base(c.file), isa.Options{Gen: gen})
	if err != nil {
		return nil, fmt.Errorf("%s", diag.Render(err))
	}
	p := &printer{}
	if p.decoder, err = set.NewDecoder(""); err != nil {
		return nil, err
	}
	p.decoder.Custom = func(dst []byte, _ string, _ uint64) []byte { return dst } // as Mesa's tools without a callback
	p.mesa, err = mesa.New(set, "")
	c.printers[gen] = p
	return p, err
}

// text prints a word in the format of isaspec's listings, with findings after a tab.
func (c *isaspecComparer) text(r *row) (string, error) {
	p, err := c.printer(r.Gen)
	if err != nil {
		return "", err
	}
	v, err := bits.ParseHex(r.Word)
	if err != nil {
		return "", err
	}
	text, findings, ok := p.print(v, c.compat)
	if !ok {
		return "no match: " + string(v.AppendHex(nil, (p.decoder.Root().Size+31)/32*8)), nil
	}
	if r.Errors != nil && !*r.Errors {
		return text, nil
	}
	const most = 4
	for i, f := range findings {
		switch {
		case i == most:
			return text, nil
		case i == 0:
			text += "\t; " + f
		default:
			text += ", " + f
		}
	}
	return text, nil
}

func (p *printer) print(v bits.Value, compat bool) (text string, findings []string, ok bool) {
	if compat {
		p.mesa.Reset()
		out, ok := p.mesa.Append(nil, v)
		return string(out), p.mesa.Findings(), ok
	}
	in, ok := p.decoder.Decode(v)
	if ok {
		text = string(p.decoder.Append(nil, in))
	}
	for _, f := range p.decoder.Findings() {
		if f.Kind != isa.Cycle { // Mesa's tools do not report it.
			findings = append(findings, f.Text)
		}
	}
	return text, findings, ok
}
