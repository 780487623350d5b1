package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// listingRow is a word and what another tool prints for it and reads into it.
type listingRow struct {
	// Words are hexadecimal, the most significant first.
	Words []string `json:"words"`
	// Dis is the listing, a line for each operation of the word.
	Dis string `json:"dis"`
	// Src is a text from which the other tool made the word; empty where there is none.
	Src string `json:"src"`
}

// compareListing returns a comparer of a machine with rows {"words", "dis", "src"}: the listing is the same but
// for blanks at the ends of lines, the lossless text gives the word back, and so does the source.
// Differences are named by the word and by what differs: dis, lossless or src.
func compareListing(machine string) comparer {
	return func(file string, _ *known, report func(difference)) (rows int, err error) {
		c, err := newListingComparer(machine)
		if err != nil {
			return 0, err
		}
		return eachRow(file, func(_ int, r *listingRow) error { return c.compare(r, report) })
	}
}

type listingComparer struct {
	d        *isa.Decoder
	p        *asm.Parser
	lossless *asm.Lossless
}

func newListingComparer(machine string) (*listingComparer, error) {
	m, err := catalog.Lookup(machine)
	if err != nil {
		return nil, err
	}
	set, err := m.Load(isa.Options{})
	if err != nil {
		return nil, errors.New(diag.Render(err))
	}
	d, err := set.NewDecoder("")
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, "")
	if err != nil {
		return nil, err
	}
	return &listingComparer{d, p, asm.NewLossless(d, p)}, nil
}

func (c *listingComparer) compare(r *listingRow, report func(difference)) error {
	var word bits.Value
	for i, text := range r.Words {
		w, err := strconv.ParseUint(text, 16, 32)
		if err != nil {
			return err
		}
		word.SetUint(32*(len(r.Words)-1-i), 32, w)
	}
	name := string(word.AppendHex(nil, 8*len(r.Words)))
	in, ok := c.d.Decode(word)
	if !ok {
		report(difference{word: name + " dis", got: "unknown word", want: r.Dis})
		return nil
	}
	c.d.Lines = true
	text := string(c.d.Append(nil, in))
	c.d.Lines = false
	if got, want := trimLines(text), trimLines(r.Dis); got != want {
		report(difference{word: name + " dis", got: got, want: want})
	}
	whole, ok := c.lossless.Append(nil, in)
	if got := c.assemble(string(whole)); !ok || got != word.String() {
		report(difference{word: name + " lossless", got: got, want: string(whole)})
	}
	if r.Src == "" {
		return nil
	}
	if got := c.assemble(r.Src); got != word.String() {
		report(difference{word: name + " src", got: got, want: r.Src})
	}
	return nil
}

// assemble returns the word that a text gives, or the error.
func (c *listingComparer) assemble(text string) string {
	res, err := c.p.Parse(text)
	if err != nil {
		return err.Error()
	}
	return res.Inst.Bits.String()
}

// trimLines drops the blanks at the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}
