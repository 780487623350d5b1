package roundtrip

import (
	"fmt"
	"strings"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/internal/source"
	"github.com/isago/isago/isa"
)

// Program prints n instructions as a program with labels and assembles it. Each word must print the
// same text at its address. Some branches have targets in the program.
func (c *Checker) Program(set *isa.Set, random *Words, n int) error {
	d := c.Decoder
	root := d.Root()
	var list []isa.Inst
	size := int64(0)
	for try := 0; len(list) < n && try < 20*n; try++ {
		in, ok := d.Decode(random.Leaf(root.Leaves[try%len(root.Leaves)]))
		if !ok {
			continue
		}
		c.setBranches(&in, random.Random()[0]%uint64(n))
		if d.Append(nil, in); d.NumFindings() == 0 {
			list = append(list, in)
			size += int64(root.StoredSize(in.Leaf.Size))
		}
	}
	labels := program.NewLabels(size, int64(root.Alignment()), nil)
	c.each(list, func(in isa.Inst) { labels.Add(d.Addr, d.Targets(nil, in)) })
	d.Label = labels.Name
	defer func() { d.Label, d.Addr = nil, 0 }()
	var text strings.Builder
	var lines []string
	c.each(list, func(in isa.Inst) {
		names, _ := labels.At(d.Addr)
		for _, name := range names {
			fmt.Fprintf(&text, "%s:\n", name)
		}
		lines = append(lines, string(d.Append(nil, in)))
		fmt.Fprintf(&text, "    %s\t; a comment\n", lines[len(lines)-1])
	})
	code, err := source.Assemble(c.parser, set, root, &diag.Source{Name: "program", Text: text.String()})
	if err != nil {
		return fmt.Errorf("the program does not assemble: %w", err)
	}
	words := code.Insts()
	if len(words) != len(lines) {
		return fmt.Errorf("%d lines assemble to %d words", len(lines), len(words))
	}
	for i := range words {
		w := &words[i]
		d.Addr = w.Addr
		in, _ := d.Decode(w.Word)
		if again := d.Append(nil, in); in.Leaf == nil || string(again) != lines[i] {
			return fmt.Errorf("at %d, %q parses as %s, which prints %q", w.Addr, lines[i], w.Word, again)
		}
	}
	return nil
}

// each calls visit for each instruction with the decoder at its address.
func (c *Checker) each(list []isa.Inst, visit func(isa.Inst)) {
	c.Decoder.Addr = 0
	for _, in := range list {
		visit(in)
		c.Decoder.Addr += int64(c.Decoder.Root().StoredSize(in.Leaf.Size))
	}
}

// setBranches sets the branch fields of an instruction so that some targets are in the program.
func (c *Checker) setBranches(in *isa.Inst, to uint64) {
	for _, f := range c.Decoder.Fields(nil, *in) {
		if f.Derived() || f.Type != "branch" && f.Type != "absbranch" {
			continue
		}
		v := to
		if f.Type == "branch" && to%2 == 1 {
			v = -to
		}
		width := 0
		for _, p := range f.Parts {
			width += p.Width
		}
		before := *in
		if err := c.Decoder.SetField(in, f.Path, bits.Of(v).And(bits.Ones(width))[0]); err != nil {
			*in = before
		}
	}
}
