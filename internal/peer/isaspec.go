package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
)

// row is a word and what Mesa's isaspec prints for it.
type row struct {
	Gen  uint32 `json:"gen"`
	Word string `json:"word"`
	Text string `json:"text"`
	// Errors is false where findings were switched off.
	Errors *bool `json:"errors"`
}

// compareIsaspec compares words of FILE.xml with the text in FILE.jsonl.
func compareIsaspec(file string, report func(difference)) (rows int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	c := isaspecComparer{file: strings.TrimSuffix(file, ".jsonl") + ".xml", decoders: map[uint32]*isa.Decoder{}}
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r row
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			return rows, fmt.Errorf("%s: row %d: %w", file, rows+1, err)
		}
		rows++
		got, err := c.text(&r)
		if err != nil {
			return rows, err
		}
		if got != r.Text {
			report(difference{r.Word, got, r.Text})
		}
	}
	return rows, scanner.Err()
}

type isaspecComparer struct {
	file     string
	decoders map[uint32]*isa.Decoder
}

func (c *isaspecComparer) decoder(gen uint32) (*isa.Decoder, error) {
	if d := c.decoders[gen]; d != nil {
		return d, nil
	}
	set, err := isa.Load(os.DirFS(filepath.Dir(c.file)), filepath.Base(c.file), isa.Options{Gen: gen})
	if err != nil {
		return nil, fmt.Errorf("%s", isa.Explain(err))
	}
	d, err := set.NewDecoder("")
	c.decoders[gen] = d
	return d, err
}

// text prints a word as isaspec's listings have it, findings behind a tab.
func (c *isaspecComparer) text(r *row) (string, error) {
	d, err := c.decoder(r.Gen)
	if err != nil {
		return "", err
	}
	v, err := bits.ParseHex(r.Word)
	if err != nil {
		return "", err
	}
	in, ok := d.Decode(v)
	if !ok {
		return "no match: " + string(v.AppendHex(nil, (d.Root().Size+31)/32*8)), nil
	}
	text := string(d.Append(nil, in))
	if r.Errors != nil && !*r.Errors {
		return text, nil
	}
	const most = 4
	for i, f := range d.Findings() {
		switch {
		case i == most:
			return text, nil
		case i == 0:
			text += "\t; " + f.Text
		default:
			text += ", " + f.Text
		}
	}
	return text, nil
}
