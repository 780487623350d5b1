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

// listingRow is a word with the output of another tool's disassembler and a source for its assembler.
type listingRow struct {
	// Words are hexadecimal, most significant first.
	Words []string `json:"words"`
	// Dis is the listing, one line per operation of the word.
	Dis string `json:"dis"`
	// Src is a text that the other tool assembled to the word, or "".
	Src string `json:"src"`
}

// compareListing returns a comparer for rows {"words", "dis", "src"} of a machine. The listings must
// be equal except for trailing blanks. The lossless text and the source must assemble to the word. A
// difference is named by the word and by dis, lossless or src.
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

// assemble returns the word to which a text assembles, or the error.
func (c *listingComparer) assemble(text string) string {
	res, err := c.p.Parse(text)
	if err != nil {
		return err.Error()
	}
	return res.Inst.Bits.String()
}

// trimLines removes trailing blanks from each line.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}
