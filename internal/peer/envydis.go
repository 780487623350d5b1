package main

import (
	"fmt"
	"strings"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/target/catalog"
)

// envydisRow is an instruction as envydis prints it for a chip and a program type.
type envydisRow struct {
	// Words are the 32-bit words in memory order.
	Words   []string `json:"words"`
	Variant string   `json:"variant"`
	Ptype   string   `json:"ptype"`
	Text    string   `json:"text"`
}

// envydisComparer prints in the syntax of envydis and parses the lossless text of the default syntax.
type envydisComparer struct {
	set      *isa.Set
	theirs   *isa.Decoder
	ours     *isa.Decoder
	parser   *asm.Parser
	lossless *asm.Lossless
}

// compareEnvydis compares the rows of a file with envydis's text.
func compareEnvydis(file string, _ *known, report func(difference)) (rows int, err error) {
	c, err := newEnvydisComparer("tesla")
	if err != nil {
		return 0, err
	}
	return eachRow(file, func(_ int, r *envydisRow) error {
		got, err := c.text(r)
		if got != r.Text {
			report(difference{word: strings.Join(r.Words, " ") + " " + r.Variant + " " + r.Ptype, got: got, want: r.Text})
		}
		return err
	})
}

func newEnvydisComparer(machine string) (*envydisComparer, error) {
	m, err := catalog.Lookup(machine)
	if err != nil {
		return nil, err
	}
	c := &envydisComparer{}
	if c.set, err = m.Load(isa.Options{}); err != nil {
		return nil, err
	}
	theirs, err := m.Load(isa.Options{Syntax: "envydis"})
	if err != nil {
		return nil, err
	}
	if c.theirs, err = theirs.NewDecoder(""); err != nil {
		return nil, err
	}
	if c.ours, err = c.set.NewDecoder(""); err != nil {
		return nil, err
	}
	if c.parser, err = asm.New(c.set, ""); err != nil {
		return nil, err
	}
	c.lossless = asm.NewLossless(c.ours, c.parser)
	return c, nil
}

// text prints a row in the syntax of envydis. It returns an error if the default text does not
// assemble to the row's words.
func (c *envydisComparer) text(r *envydisRow) (string, error) {
	ctx, err := c.set.ParseContext(c.set.DefaultContext(), "chip", r.Variant)
	if err != nil {
		return "", err
	}
	if ctx, err = c.set.ParseContext(ctx, "stage", r.Ptype); err != nil {
		return "", err
	}
	c.theirs.SetContext(ctx)
	c.ours.SetContext(ctx)
	c.parser.SetContext(ctx)
	var v bits.Value
	for i, w := range r.Words {
		word, err := bits.ParseHex(w)
		if err != nil {
			return "", err
		}
		v.SetUint(32*i, 32, word.Uint(0, 32))
	}
	in, ok := c.theirs.Decode(v)
	if !ok || in.Leaf.Size != 32*len(r.Words) {
		return "no match", nil
	}
	text := string(c.theirs.Append(nil, in))
	in, _ = c.ours.Decode(v)
	source, ok := c.lossless.Append(nil, in)
	if !ok {
		return text + " (no text gives the word back)", nil
	}
	back, err := c.parser.ParseBytes(source)
	if err != nil || back.Inst.Bits != v || back.Inst.Leaf.Size != in.Leaf.Size {
		return fmt.Sprintf("%s (%s is not read back)", text, source), nil
	}
	return text, nil
}
