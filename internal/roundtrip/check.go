package roundtrip

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/isa/mesa"
)

// Checker prints words and parses the text back. It is not safe for concurrent use.
type Checker struct {
	// Decoder prints the words with the current tables and contexts.
	Decoder *isa.Decoder

	back     *isa.Decoder
	parser   *asm.Parser
	lossless *asm.Lossless
	// mesa prints as Mesa's tools do. It is nil for a strict description.
	mesa  *mesa.Printer
	text  []byte
	again []byte
}

// NewChecker returns a Checker for a root of a description. The empty name selects the instructions.
func NewChecker(set *isa.Set, root string) (*Checker, error) {
	d, err := set.NewDecoder(root)
	if err != nil {
		return nil, err
	}
	back, err := set.NewDecoder(root)
	if err != nil {
		return nil, err
	}
	p, err := asm.New(set, root)
	if err != nil {
		return nil, err
	}
	stepwise, _ := mesa.New(set, root) // The root exists, so New fails only for a strict description.
	if stepwise != nil {
		stepwise.Stepwise = true
		stepwise.Custom = func(dst []byte, _ string, v uint64) []byte { return strconv.AppendUint(dst, v, 10) }
	}
	return &Checker{Decoder: d, back: back, parser: p, lossless: asm.NewLossless(d, p), mesa: stepwise}, nil
}

// SetTable sets the entries of a table for printing and parsing.
func (c *Checker) SetTable(index int, entries []bits.Value) {
	c.Decoder.SetTable(index, entries)
	c.back.SetTable(index, entries)
	c.parser.Tables[index] = &asm.FixedTable{Entries: entries}
}

// SetContext sets the contexts for printing and parsing.
func (c *Checker) SetContext(ctx bits.Value) {
	c.Decoder.SetContext(ctx)
	c.back.SetContext(ctx)
	c.parser.SetContext(ctx)
}

// Outcome is the result of checking a word.
type Outcome struct {
	Inst isa.Inst
	// Known reports whether the word is an instruction. Clean reports whether it prints without a
	// finding. Same reports whether its text assembles to the word itself.
	Known, Clean, Same bool
}

// Check prints a word and parses the text back. It returns an error if a clean text does not parse or
// parses to a word with another text, if the lossless text parses to another word, if a clean word has
// no lossless text, or if the output differs from that of Mesa's rules.
func (c *Checker) Check(w bits.Value) (Outcome, error) {
	var o Outcome
	if o.Inst, o.Known = c.Decoder.Decode(w); !o.Known {
		return o, c.compare(w, o)
	}
	c.text = c.Decoder.Append(c.text[:0], o.Inst)
	if err := c.compare(w, o); err != nil {
		return o, err
	}
	o.Clean = c.Decoder.NumFindings() == 0
	if o.Clean {
		if err := c.checkText(&o); err != nil {
			return o, fmt.Errorf("%s prints %q: %w", w, c.text, err)
		}
	}
	if err := c.checkLossless(o); err != nil {
		return o, fmt.Errorf("%s prints %q: %w", w, c.text, err)
	}
	return o, nil
}

// compare compares the output with that of Mesa's rules, evaluated step by step.
func (c *Checker) compare(w bits.Value, o Outcome) error {
	if c.mesa == nil {
		return nil
	}
	c.mesa.Reset()
	text, ok := c.mesa.Append(nil, w)
	var found []string
	for _, f := range c.Decoder.Findings() {
		found = append(found, f.Text)
	}
	if ok != o.Known || ok && string(text) != string(c.text) || !slices.Equal(found, c.mesa.Findings()) {
		return fmt.Errorf("%s prints %q with findings %q, as Mesa %q with %q", w, c.text, found, text, c.mesa.Findings())
	}
	return nil
}

func (c *Checker) checkText(o *Outcome) error {
	res, err := c.parser.Parse(string(c.text))
	if err != nil {
		return fmt.Errorf("it does not parse: %w", err)
	}
	c.back.SetContext(res.Context)
	in, ok := c.back.Decode(res.Inst.Bits)
	if !ok || in != res.Inst {
		return fmt.Errorf("it parses as %s of %s, which does not decode that way", res.Inst.Bits, res.Inst.Leaf.Name)
	}
	if c.again = c.back.Append(c.again[:0], in); string(c.again) != string(c.text) {
		return fmt.Errorf("it parses as %s, which prints %q", res.Inst.Bits, c.again)
	}
	o.Same = in == o.Inst
	return nil
}

func (c *Checker) checkLossless(o Outcome) error {
	text, ok := c.lossless.Append(nil, o.Inst)
	if !ok {
		if o.Clean {
			return fmt.Errorf("there is no lossless text")
		}
		return nil
	}
	res, err := c.parser.Parse(string(text))
	if err != nil {
		return fmt.Errorf("lossless text %q does not parse: %w", text, err)
	}
	if res.Inst != o.Inst || res.Context != c.Decoder.Context() {
		return fmt.Errorf("lossless text %q parses as %s", text, res.Inst.Bits)
	}
	if o.Same && len(text) != len(c.text) {
		return fmt.Errorf("lossless text %q has an unnecessary suffix", text)
	}
	return nil
}
