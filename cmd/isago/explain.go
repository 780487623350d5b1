package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/asm"
	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/inside"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

type explainFlags struct {
	machineFlags
	colorFlag
	json, nested bool
}

func newExplain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:     "explain [flags] WORD | INSTRUCTION",
		GroupID: "code",
		Short:   "Draw an instruction: each bit under its field",
		Long: `explain draws one instruction, given as a word in hex or as text: every bit with a letter for
its field, and for every field its value and what it means. Table entries follow a word behind a
slash.

Exit status: 0; 1 for what is no instruction; 2 for a mistake on the command line; 3 where bits are
not as they should be.`,
		Example: `  isago explain --isa pica200 4e0a8001/36f
  isago explain --isa pica200 "mad r0.xyz, v0, c4, r1"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("no WORD and no INSTRUCTION")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, strings.Join(args, " ")) },
	}
	f.machineFlags.add(cmd)
	f.colorFlag.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "the same as JSON")
	cmd.Flags().BoolVar(&f.nested, "nested", false, "draw the fields inside operands in place of the operands")
	return cmd
}

func (f *explainFlags) run(cmd *cobra.Command, text string) error {
	palette, err := f.palette(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	set, err := f.load(nil)
	if err != nil {
		return err
	}
	d, err := f.decoder(set)
	if err != nil {
		return err
	}
	in, err := f.instruction(set, d, text)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	if f.json {
		err = printJSON(out, json.RawMessage((&view.JSON{Detail: view.WithDocs}).Append(nil, d, in)))
	} else {
		err = view.Explain(out, d, in, palette, f.nested)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if len(d.Findings()) > 0 {
		return errFindings
	}
	return nil
}

// argument is how errors name the instruction on the command line.
const argument = "<argument>"

// instruction reads the argument: text if it is an instruction, else hex. The decoder gets the
// table entries and contexts.
func (f *explainFlags) instruction(set *isa.Set, d *isa.Decoder, text string) (isa.Inst, error) {
	p, err := f.parser(set)
	if err != nil {
		return isa.Inst{}, err
	}
	src := &diag.Source{Name: argument, Text: text}
	res, err := p.Parse(text)
	if err == nil {
		return decodeResult(set, d, &res), nil
	}
	line, hexErr := program.ParseLine(set, text)
	if hexErr != nil {
		var e *asm.Error
		if looksLikeHex(text) || !errors.As(err, &e) {
			return isa.Inst{}, inArgument(src, hexErr)
		}
		return isa.Inst{}, e.At(src, 0)
	}
	in, ok, err := line.Prepare(d)
	if err == nil && !ok {
		digits := line.Word.AppendHex(nil, (line.Size(d.Root())+3)/4)
		err = unknownWord(set, d.Conflict(), digits)
	}
	return in, inArgument(src, err)
}

// unknownWord is the error for a word that no instruction has, or two.
func unknownWord(set *isa.Set, conflict []*isa.Leaf, digits []byte) error {
	if len(conflict) < 2 {
		return diag.Errorf(diag.UnknownWord, diag.Span{}, "no instruction of %s has the bits %s", setName(set), digits)
	}
	e := diag.Errorf(diag.UnknownWord, diag.Span{}, "%s: %s", digits, view.NoInstruction(conflict))
	for _, l := range conflict {
		e = e.With(inside.Leaf(l).Spec.Span, "%s is defined here", l.Display)
	}
	return e
}

// inArgument places an error without position in the whole argument.
func inArgument(src *diag.Source, err error) error {
	var e *diag.Error
	if errors.As(err, &e) && !e.Span.IsValid() {
		e.Span = diag.Span{Src: src, End: len(src.Text)}
	}
	return err
}

// looksLikeHex tells whether a text that is neither hex nor an instruction was meant as hex.
func looksLikeHex(text string) bool {
	return text != "" && text[0] >= '0' && text[0] <= '9' || strings.Contains(text, "/")
}

// decodeResult decodes an instruction that was read from text.
func decodeResult(set *isa.Set, d *isa.Decoder, res *asm.Result) isa.Inst {
	tables := make([][]bits.Value, len(set.Tables()))
	for _, e := range res.Entries {
		for len(tables[e.Table]) <= e.Index {
			tables[e.Table] = append(tables[e.Table], bits.Value{})
		}
		tables[e.Table][e.Index] = e.Value
	}
	for i, t := range tables {
		d.SetTable(i, t)
	}
	d.SetContext(res.Context)
	if in, ok := d.Decode(res.Inst.Bits); ok {
		return in
	}
	return res.Inst
}
