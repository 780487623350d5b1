package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/isago/isago/bits"
	"github.com/isago/isago/internal/diag"
	"github.com/isago/isago/internal/program"
	"github.com/isago/isago/isa"
	"github.com/isago/isago/view"
)

type explainFlags struct {
	machineFlags
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
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("isago explain: no WORD and no INSTRUCTION")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, strings.Join(args, " ")) },
	}
	f.machineFlags.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "the same as JSON")
	cmd.Flags().BoolVar(&f.nested, "nested", false, "draw the fields inside operands in place of the operands")
	return cmd
}

func (f *explainFlags) run(cmd *cobra.Command, text string) error {
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
	if f.json {
		return f.object(cmd, d, in)
	}
	palette, err := f.palette(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if err := view.Explain(cmd.OutOrStdout(), d, in, palette, f.nested); err != nil {
		return err
	}
	if len(d.Findings()) > 0 {
		return errFindings
	}
	return nil
}

func (f *explainFlags) object(cmd *cobra.Command, d *isa.Decoder, in isa.Inst) error {
	data, err := json.MarshalIndent(view.NewInstruction(d, in, true), "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", data)
	return err
}

// instruction reads the argument: text if it is an instruction, else hex.
func (f *explainFlags) instruction(set *isa.Set, d *isa.Decoder, text string) (isa.Inst, error) {
	p, err := f.parser(set)
	if err != nil {
		return isa.Inst{}, err
	}
	res, textErr := p.Parse(text)
	if textErr == nil {
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
		in, _ := d.Decode(res.Inst.Bits)
		return in, nil
	}
	line, err := program.ParseLine(set, text)
	if err != nil {
		return isa.Inst{}, textErr
	}
	in, ok, err := line.Prepare(d)
	if err != nil {
		return isa.Inst{}, err
	}
	if !ok {
		return isa.Inst{}, diag.Errorf(diag.UnknownWord, diag.Span{}, "no instruction of %s has the bits %s", setName(set), line.Word.AppendHex(nil, (d.Root().MinSize+3)/4))
	}
	return in, nil
}
